/* The program's code: instructions, and the functions that they are of. */
#include <inttypes.h>
#include <string.h>

#include "base/demangle.h"
#include "debug/program/internal.h"

enum wt_status wt_program_instruction(struct wt_program *g, uint64_t addr,
                                      struct wt_code_line *line, struct wt_error *err)
{
    struct wt_instruction in = {0};
    *line = (struct wt_code_line){.addr = addr};
    if (wt_debugger_instruction(g->debugger, g->thread, addr, &in, WT_IGNORED) == WT_OK)
        line->length = in.length ? in.length : g->topology->code_granule;
    if (line->length > sizeof line->bytes)
        line->length = sizeof line->bytes;
    if (!line->length || wt_debugger_read_memory(g->debugger, g->thread, wt_address_of(addr),
                                                 line->bytes, line->length, WT_IGNORED) != WT_OK)
        return wt_fail(err, WT_INVALID, "Cannot access memory at address 0x%" PRIx64, addr);
    if (!g->options.disassemble ||
        !g->options.disassemble(g->options.code_context, addr, line->bytes, line->length,
                                line->text, sizeof line->text))
        *line->text = 0;
    return WT_OK;
}

/* Where the function without debug information ends to which the code at an address belongs. */
static uint64_t end_of_symbol(struct wt_program *g, uint64_t start)
{
    const char *name, *other;
    uint64_t offset, end = start;
    if (wt_modules_function(g->modules, 0, start, &name, &offset))
        while (end - start < 65536 && wt_modules_function(g->modules, 0, end, &other, &offset) &&
               strcmp(other, name) == 0)
            end += g->topology->code_granule;
    return end;
}

void wt_program_instruction_text(void *context, uint64_t addr, char *text, size_t size)
{
    struct wt_code_line line;
    snprintf(text, size, "%s",
             wt_program_instruction(context, addr, &line, WT_IGNORED) == WT_OK ? line.text : "");
}

enum wt_status wt_program_function_at(struct wt_program *g, uint64_t addr, struct wt_function *f,
                                      struct wt_error *err)
{
    struct wt_frames *frames = wt_frames_at(g->debugger, g->modules, addr);
    const struct wt_frame *there = frames ? wt_frames_get(frames, 0) : NULL;
    Dwarf_Die die;
    uint64_t low, high;
    while (there && wt_frames_get(frames, there->level + 1))
        there = wt_frames_get(frames, there->level + 1);
    *f = (struct wt_function){.start = there ? wt_frame_function_start(there) : 0};
    if (f->start) {
        wt_demangle(there->function ? there->function : "??", f->name, sizeof f->name);
        f->end = there->scope_count && (die = there->scope[0], wt_info_entry(&die, &low, &high))
                     ? high + there->bias
                     : end_of_symbol(g, f->start);
    }
    wt_frames_free(frames);
    return f->start ? WT_OK : wt_fail(err, WT_INVALID, "No function contains specified address.");
}

enum wt_status wt_program_address(struct wt_program *g, const char *text, uint64_t *address,
                                  struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    struct wt_address at;
    status = wt_values_address(&v, &at, err);
    wt_values_free(&v);
    *address = status ? 0 : at.offset;
    return status;
}
