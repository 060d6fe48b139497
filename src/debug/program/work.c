/* The dispatches that run now, and the names of their kernels. */
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "debug/program/internal.h"

enum wt_status wt_program_work(struct wt_program *g, struct wt_work *work, struct wt_error *err)
{
    *work = (struct wt_work){.wave_count = 0};
    const enum wt_status status = wt_program_need_run(g, err);
    return status ? status : wt_debugger_work(g->debugger, work, err);
}

/* The symbol of the kernel that an address lies in. */
static bool kernel_at(struct wt_program *g, uint64_t pc, const char **name)
{
    const struct wt_module *m = wt_modules_at(g->modules, 0, pc);
    uint64_t offset;
    return m && wt_symbols_is_kernel(m->symbols, pc - m->bias) &&
           wt_modules_function(g->modules, 0, pc, name, &offset);
}

/* The kernel of Vortex 3.0 that an address lies in: a symbol stands beside it. */
static bool vortex_kernel_at(struct wt_program *g, uint64_t pc, const char **name)
{
    static const char mark[] = VORTEX_KERNEL;
    const size_t length = sizeof mark - 1;
    const struct wt_module *m = wt_modules_at(g->modules, 0, pc);
    const char *function;
    char beside[256];
    uint64_t offset, addr;
    if (!m || !wt_modules_function(g->modules, 0, pc, &function, &offset))
        return false;
    const bool marked = !strncmp(function, mark, length);
    snprintf(beside, sizeof beside, "%s%s", mark, function);
    if (!marked && !wt_symbols_address(m->symbols, beside, &addr))
        return false;
    *name = function + (marked ? length : 0);
    return true;
}

/* The file of the code that a wave runs, where no symbol is that of a kernel. */
static void file_at(struct wt_program *g, uint64_t pc, const char **name)
{
    const struct wt_module *m = wt_modules_at(g->modules, 0, pc);
    const char *slash = m ? strrchr(m->name, '/') : NULL;
    if (m)
        *name = slash ? slash + 1 : m->name;
}

/* The kernel that Vortex 3.0's start-up code of a thread is to call: a CSR has its address. */
static bool vortex_kernel_of(struct wt_program *g, wt_thread thread, uint64_t pc, const char **name)
{
    const struct wt_topology *t = g->topology;
    uint64_t entry;
    unsigned index = 0;
    while (index < t->register_count && strcmp(t->registers[index].name, "vx_cta_entry") != 0)
        index++;
    return index < t->register_count &&
           wt_debugger_read_numbers(g->debugger, thread, &index, 1, &entry, WT_IGNORED) == WT_OK &&
           vortex_kernel_at(g, entry | (pc & t->gpu_bits), name);
}

/* The kernel that a wave's frames are in: the outermost one, but on Vortex, whose kernels are
 * called; else *name is the code's file. */
static bool kernel_of_frames(struct wt_program *g, wt_wave_id wave, const char **name)
{
    wt_thread thread;
    uint64_t inside = 0;
    bool found = false;
    const struct wt_frame *frame;
    if (!wt_program_thread_of_wave(g, wave, &thread))
        return false;
    struct wt_frames *frames = wt_frames_new(g->debugger, g->modules, thread);
    for (unsigned level = 0; frames && (frame = wt_frames_get(frames, level)) != NULL; level++) {
        inside = frame->inside;
        found = found || vortex_kernel_at(g, inside, name);
    }
    wt_frames_free(frames);
    if (found || kernel_at(g, inside, name) || vortex_kernel_of(g, thread, inside, name))
        return true;
    file_at(g, inside, name);
    return false;
}

const char *wt_program_kernel(struct wt_program *g, const struct wt_dispatch *dispatch, char *text,
                              size_t size)
{
    const char *name = "?";
    bool found = false;
    for (size_t i = 0; i < dispatch->wave_count && !found; i++) {
        const struct wt_wave_info *info = dispatch->wave[i];
        found = !info->running && kernel_at(g, info->pc, &name);
    }
    for (size_t i = 0; i < dispatch->wave_count && !found; i++) {
        const struct wt_wave_info *info = dispatch->wave[i];
        found = !info->running &&
                (kernel_of_frames(g, info->wave.id, &name) || g->topology->begins_at_kernel);
    }
    wt_demangle(name, text, size);
    return text;
}
