/* The dispatches that run now, and the names of their kernels. */
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

/* The kernel that a wave's outermost frame is in. */
static bool kernel_of_frames(struct wt_program *g, wt_wave_id wave, const char **name)
{
    wt_thread thread;
    uint64_t inside = 0;
    const struct wt_frame *frame;
    if (!wt_program_thread_of_wave(g, wave, &thread))
        return false;
    struct wt_frames *frames = wt_frames_new(g->debugger, g->modules, thread);
    for (unsigned level = 0; frames && (frame = wt_frames_get(frames, level)) != NULL; level++)
        inside = frame->inside;
    wt_frames_free(frames);
    return kernel_at(g, inside, name);
}

const char *wt_program_kernel(struct wt_program *g, const struct wt_dispatch *dispatch, char *text,
                              size_t size)
{
    const char *name = "?";
    wt_wave_id stopped = WT_NO_WAVE;
    bool found = false;
    for (size_t i = 0; i < dispatch->wave_count && !found; i++) {
        const struct wt_wave_info *info = dispatch->wave[i];
        if (info->running)
            continue;
        found = kernel_at(g, info->pc, &name);
        if (stopped == WT_NO_WAVE)
            stopped = info->wave.id;
    }
    if (!found && stopped != WT_NO_WAVE)
        kernel_of_frames(g, stopped, &name);
    wt_demangle(name, text, size);
    return text;
}
