/* Frames and unwinding. See frames.h. */
#include "debug/source/frames.h"
#include "base/called_place.h"
#include "base/foreign.h"
#include "debug/source/callers.h"
#include "debug/source/described.h"

#include <assert.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/source/frames_internal.h"
#include "debug/source/inlined.h"
#include "debug/source/symbols.h"

const char *wt_frames_end(const struct wt_frames *f)
{
    return f->end;
}

void wt_frames_free(struct wt_frames *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->physical_count; i++) {
        free(f->physical[i].cfi);
        free(f->physical[i].rules);
        wt_symbols_close(f->physical[i].symbols);
    }
    for (size_t i = 0; i < f->frame_count; i++)
        free(f->frame[i]);
    free(f->physical);
    free(f->frame);
    free(f);
}

/* ---- finding frames ---- */

static struct wt_frame *new_frame(struct wt_frames *f, unsigned physical)
{
    struct wt_frame **grown =
        wt_array_grow(f->frame, &f->frame_capacity, f->frame_count + 1, sizeof(struct wt_frame *));
    if (!grown)
        return NULL;
    f->frame = grown;
    struct wt_frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        return NULL;
    struct wt_physical *p = &f->physical[physical];
    frame->level = (unsigned)f->frame_count;
    frame->physical = physical;
    frame->pc = p->pc;
    frame->inside = p->inside;
    frame->bias = p->bias;
    frame->symbols = p->symbols;
    frame->info = p->info;
    if (!p->levels++)
        p->level = frame->level;
    grown[f->frame_count++] = frame;
    return frame;
}

/* The frames of one physical function: the calls inlined at the pc, and the function itself. False
 * without host memory. */
static bool add_frames(struct wt_frames *f, unsigned physical)
{
    const struct wt_physical *p = &f->physical[physical];
    Dwarf_Die scope[WT_SCOPES];
    struct wt_inlined list[WT_SCOPES + 1];
    const unsigned count = wt_inlined_at(p->symbols, p->inside - p->bias, scope, list);
    for (unsigned i = 0; i < count; i++) {
        struct wt_frame *frame = new_frame(f, physical);
        if (!frame)
            return false;
        frame->file = list[i].file;
        frame->path = list[i].path;
        frame->line = list[i].line;
        frame->function = list[i].function;
        frame->offset = list[i].offset;
        frame->inlined = list[i].inlined;
        frame->first_scope = list[i].first_scope;
        frame->scope_count = list[i].scope_count;
        memcpy(frame->scope, scope, list[i].scope_count * sizeof *scope);
    }
    return true;
}

static bool add_physical(struct wt_frames *f, uint64_t pc, bool is_caller)
{
    struct wt_physical *grown =
        wt_array_grow(f->physical, &f->physical_capacity, f->physical_count + 1, sizeof *grown);
    if (!grown)
        return false;
    f->physical = grown;
    struct wt_physical *p = &grown[f->physical_count++];
    *p = (struct wt_physical){.pc = pc, .inside = is_caller && pc ? pc - 1 : pc};
    const struct wt_module *module = wt_modules_at(f->modules, 0, p->inside);
    if (module) {
        p->bias = module->bias;
        p->symbols = wt_symbols_share(module->symbols);
        p->info = wt_symbols_info(p->symbols);
        /* The call frame information of Intel's compiler gives offsets in scratch memory as if they
         * were addresses; the probe unwinds functions by their instructions. */
        p->cfi = p->info && !f->topology->file_space ? wt_info_frame(p->info, p->inside - p->bias)
                                                     : NULL;
        p->is_kernel = wt_symbols_is_kernel(p->symbols, p->inside - p->bias);
        /* Compilers that do not support such information for their target write empty entries. */
        Dwarf_Op *ops;
        size_t count;
        if (p->cfi && dwarf_frame_cfa(p->cfi, &ops, &count) == 0 && count == 0) {
            free(p->cfi);
            p->cfi = NULL;
        }
        if (p->cfi && !is_caller && !p->is_kernel && wt_info_is_of_gcc(p->info))
            wt_frames_find_cfa(f, p);
    }
    return add_frames(f, (unsigned)f->physical_count - 1);
}

/* Ends the frames early, for a reason. */
static bool cut(struct wt_frames *f, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->end, sizeof f->end, format, args);
    va_end(args);
    return false;
}

static const char *name_of_outermost(const struct wt_frames *f)
{
    const struct wt_frame *outermost = f->frame[f->frame_count - 1];
    return outermost->function ? outermost->function : "this function";
}

/* Whether assembly code says that nothing has called it: libdw does not tell a register without a
 * rule, as in each leaf function, from an undefined one. */
static bool is_assembly(const struct wt_physical *p)
{
    Dwarf_Die unit;
    return !p->info || !wt_info_unit(p->info, p->inside - p->bias, &unit) ||
           dwarf_srclang(&unit) == DW_LANG_Mips_Assembler;
}

static bool add_returned_to(struct wt_frames *f, uint64_t pc)
{
    const struct wt_physical *p = &f->physical[f->physical_count - 1];
    pc |= pc ? f->physical[0].pc & f->topology->gpu_bits : 0;
    if (pc && wt_modules_at(f->modules, 0, pc - 1))
        return add_physical(f, pc, true);
    if (f->physical_count == 1 && is_assembly(p))
        return false;
    return cut(f, "%.100s returns to 0x%" PRIx64 ", where the program%s", name_of_outermost(f), pc,
               pc && wt_modules_at(f->modules, 0, pc) ? "'s code begins" : " has no code");
}

/* Adds the caller of the outermost function; false at the end. */
static bool add_caller(struct wt_frames *f)
{
    const unsigned last = (unsigned)f->physical_count - 1;
    const struct wt_physical *p = &f->physical[last];
    const struct wt_frame *outermost = f->frame[f->frame_count - 1];
    struct wt_error err;
    if (outermost->function && strcmp(outermost->function, "main") == 0)
        return false;
    if (last + 1 >= WT_FRAMES_MOST)
        return cut(f, "only %d calls are followed", WT_FRAMES_MOST);
    if (p->is_kernel)
        return false;
    const struct wt_caller *rules = p->cfi ? NULL : wt_frames_rules(f, last);
    if (rules)
        return add_returned_to(f, rules->pc);
    if (!p->cfi && last > 0)
        return false; /* nothing tells what it has saved */
    const int ra = wt_frames_return_register(f, p);
    uint64_t pc;
    if (ra < 0)
        return false;
    if (!wt_frames_returns_to(f, last, (unsigned)ra, &pc, &err))
        return cut(f, "%.200s", err.text);
    if (!p->cfi && pc == p->pc)
        return false;
    /* A caller that has not saved its return address cannot return. */
    Dwarf_Op memory[3], *ops = NULL;
    size_t rule_count = 1;
    if (last > 0 && p->cfi && f->topology->registers[ra].dwarf >= 0 &&
        dwarf_frame_register(p->cfi, f->topology->registers[ra].dwarf, memory, &ops, &rule_count) ==
            0 &&
        rule_count == 0)
        return is_assembly(p)
                   ? false
                   : cut(f, "%.100s did not save where it returns to", name_of_outermost(f));
    return add_returned_to(f, pc);
}

/* Where a kernel is the outermost function, frames that end with another one are cut. */
static void tell_end(struct wt_frames *f)
{
    if (!f->topology->begins_at_kernel || f->end[0] || f->physical[f->physical_count - 1].is_kernel)
        return;
    if (f->unread.text[0])
        cut(f, "%.200s", f->unread.text);
    else
        cut(f, "the code of %.100s does not show where it returns to", name_of_outermost(f));
}

/* Whether the stack goes on outwards from the function that was outermost to its caller, which has
 * been added with the frames from number @p frames on: as GDB, a caller with the same frame is not
 * shown, and one with a frame further inwards is the last. */
static bool goes_outwards(struct wt_frames *f, size_t frames)
{
    const unsigned last = (unsigned)f->physical_count - 1;
    struct wt_physical *caller = &f->physical[last];
    const struct wt_physical *callee = caller - 1;
    if (caller->is_kernel || !wt_frames_set_cfa(f, last) || !wt_frames_set_cfa(f, last - 1))
        return true;
    if (f->topology->begins_at_kernel ? caller->cfa > callee->cfa : caller->cfa < callee->cfa)
        return cut(f, "previous frame inner to this frame (corrupt stack?)");
    if (caller->cfa != callee->cfa || caller->pc != callee->pc)
        return true;
    while (f->frame_count > frames)
        free(f->frame[--f->frame_count]);
    free(caller->cfi);
    free(caller->rules);
    wt_symbols_close(caller->symbols);
    f->physical_count--;
    return cut(f, "previous frame identical to this frame (corrupt stack?)");
}

const struct wt_frame *wt_frames_get(struct wt_frames *f, unsigned level)
{
    while (level >= f->frame_count && !f->complete) {
        const size_t frames = f->frame_count;
        f->complete = !add_caller(f) || !goes_outwards(f, frames);
        if (f->complete)
            tell_end(f);
    }
    return level < f->frame_count ? f->frame[level] : NULL;
}

/* Whether an inlined call begins at the frame's pc, or before it with nothing between but the end
 * of what stands before the call, as labels of PTX. */
static bool begins_at(const struct wt_frame *frame)
{
    Dwarf_Die die = frame->scope[frame->first_scope];
    Dwarf_Addr base, start, end;
    struct wt_line_row row;
    if (dwarf_entrypc(&die, &start) != 0 && dwarf_ranges(&die, 0, &base, &start, &end) <= 0)
        return false;
    return start + frame->bias == frame->pc ||
           (frame->symbols && wt_symbols_row(frame->symbols, start, &row) && row.start < start &&
            row.end + frame->bias == frame->pc);
}

unsigned wt_frames_begun(struct wt_frames *f, unsigned line)
{
    unsigned count = 0;
    while (count < f->frame_count && f->frame[count]->inlined && f->frame[count]->physical == 0 &&
           begins_at(f->frame[count]))
        count++;
    for (unsigned i = 0; i < f->frame_count && i <= count && line; i++)
        if (f->frame[i]->line == line)
            return i;
    return line ? 0 : count;
}

void wt_frames_hide(struct wt_frames *f, unsigned count)
{
    assert(f->physical_count == 1 && count < f->frame_count);
    for (unsigned i = 0; i < count; i++)
        free(f->frame[i]);
    f->frame_count -= count;
    memmove(f->frame, f->frame + count, f->frame_count * sizeof *f->frame);
    for (size_t i = 0; i < f->frame_count; i++)
        f->frame[i]->level = (unsigned)i;
    f->physical[0].levels -= count;
}

bool wt_frames_cfa(struct wt_frames *f, unsigned level, uint64_t *cfa)
{
    const struct wt_frame *frame = wt_frames_get(f, level);
    if (!frame)
        return false;
    const bool known = wt_frames_set_cfa(f, frame->physical);
    *cfa = f->physical[frame->physical].cfa;
    return known;
}

/* Frames from the innermost one, at @p pc; frees *f without host memory. */
static struct wt_frames *begin_frames(struct wt_frames *f, uint64_t pc)
{
    if (add_physical(f, pc, false))
        return f;
    wt_frames_free(f);
    return NULL;
}

static struct wt_frames *new_frames(struct wt_debugger *debugger, const struct wt_modules *modules)
{
    struct wt_frames *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->debugger = debugger;
    f->topology = wt_debugger_topology(debugger);
    f->modules = modules;
    return f;
}

struct wt_frames *wt_frames_new(struct wt_debugger *debugger, const struct wt_modules *modules,
                                wt_thread thread)
{
    const unsigned pc_index = (unsigned)wt_debugger_topology(debugger)->pc_index;
    struct wt_thread_position place;
    struct wt_wave wave;
    uint64_t pc;
    if (!wt_debugger_thread_wave(debugger, thread, &wave) ||
        wt_debugger_thread_position(debugger, thread, &place, WT_IGNORED) ||
        wt_debugger_read_numbers(debugger, thread, &pc_index, 1, &pc, WT_IGNORED))
        return NULL;
    struct wt_frames *f = new_frames(debugger, modules);
    if (!f)
        return NULL;
    f->thread = thread;
    f->wave = wave;
    f->lane = place.lane;
    return begin_frames(f, pc);
}

struct wt_frames *wt_frames_at(struct wt_debugger *debugger, const struct wt_modules *modules,
                               uint64_t pc)
{
    struct wt_frames *f = new_frames(debugger, modules);
    if (!f)
        return NULL;
    f->complete = true; /* no frame is there: there is no caller */
    return begin_frames(f, pc);
}

static bool wants_callers(const void *modules, uint64_t pc)
{
    const struct wt_modules *m = modules;
    const char *file;
    unsigned line;
    return !wt_modules_user_line(m, 0, pc, &file, &line) ||
           wt_is_foreign(wt_modules_foreign(m), file);
}

static void find_callers(const void *modules, struct wt_debugger *debugger, wt_thread thread,
                         uint64_t pc, struct wt_calls *calls)
{
    struct wt_frames *frames = wt_frames_new(debugger, modules, thread);
    const struct wt_frame *frame;
    calls->count = 0;
    for (unsigned level = 0; frames && calls->count < WT_TRAIL; level++) {
        if (!(frame = wt_frames_get(frames, level)) || (!level && frame->pc != pc))
            break;
        if (frame->physical > calls->count)
            calls->back[calls->count++] = frame->pc;
    }
    wt_frames_free(frames);
}

struct wt_callers wt_callers_by_frames(const struct wt_modules *modules)
{
    return (struct wt_callers){wants_callers, find_callers, modules};
}

void wt_frames_describe(struct wt_debugger *debugger, const struct wt_modules *modules,
                        wt_thread thread, uint64_t pc, bool callers, char *text, size_t size)
{
    struct wt_calls calls = {.count = 0};
    if (callers || wants_callers(modules, pc))
        find_callers(modules, debugger, thread, pc, &calls);
    const struct wt_called_place place = wt_place_in_calls(pc, &calls);
    wt_described_place(modules, &place, text, size);
}
