/* Waves by what they work on: dispatches and work-groups. */
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "debug/program/internal.h"

static uint32_t volume_of(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

static int by_place(const void *a, const void *b)
{
    const struct wt_wave *x = &((const struct wt_working_wave *)a)->info.wave;
    const struct wt_wave *y = &((const struct wt_working_wave *)b)->info.wave;
    if (x->dispatch != y->dispatch)
        return x->dispatch < y->dispatch ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    for (unsigned i = 3; i-- > 0;)
        if (x->group[i] != y->group[i])
            return x->group[i] < y->group[i] ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

enum wt_status wt_program_waves(struct wt_program *g, wt_wave_id **list, size_t *count,
                                struct wt_error *err)
{
    const wt_wave_id *waves;
    const enum wt_status status = wt_debugger_waves(g->debugger, &waves, count, err);
    *list = NULL;
    if (status) {
        *count = 0;
        return status;
    }
    if (!(*list = malloc(*count * sizeof **list + 1))) {
        *count = 0;
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the waves");
    }
    memcpy(*list, waves, *count * sizeof **list);
    return WT_OK;
}

enum wt_status wt_program_work(struct wt_program *g, struct wt_working_waves *warps,
                               struct wt_error *err)
{
    wt_wave_id *ids;
    size_t count;
    struct wt_wave own = {.id = WT_NO_WAVE};
    struct wt_thread_position place = {.lane = 0};
    enum wt_status status = wt_program_need_run(g, err);
    *warps = (struct wt_working_waves){.count = 0};
    if (status || (status = wt_program_waves(g, &ids, &count, err)) != WT_OK)
        return status;
    warps->list = calloc(count + 1, sizeof *warps->list);
    if (!warps->list) {
        free(ids);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    if (g->thread && wt_program_wave(g, g->thread, &own, &place, WT_IGNORED) == WT_OK)
        warps->lane = place.lane;
    for (size_t i = 0; i < count; i++) {
        struct wt_working_wave *w = &warps->list[warps->count];
        if (wt_debugger_wave(g->debugger, ids[i], &w->info, WT_IGNORED) != WT_OK ||
            !w->info.wave.has_work)
            continue;
        const struct wt_wave *v = &w->info.wave;
        w->volume = volume_of(v->block);
        w->first = v->index * v->lanes;
        w->threads = v->lanes;
        if (w->volume && w->volume - w->first < w->threads)
            w->threads = w->volume - w->first;
        w->is_selected = v->id == own.id;
        warps->count++;
    }
    free(ids);
    qsort(warps->list, warps->count, sizeof *warps->list, by_place);
    return WT_OK;
}

bool wt_work_is_same_dispatch(const struct wt_wave *a, const struct wt_wave *b)
{
    return a->dispatch == b->dispatch && a->device == b->device;
}

bool wt_work_is_same_group(const struct wt_wave *a, const struct wt_wave *b)
{
    return wt_work_is_same_dispatch(a, b) && memcmp(a->group, b->group, sizeof a->group) == 0;
}

void wt_work_grid(const struct wt_wave *v, uint32_t grid[3])
{
    for (unsigned i = 0; i < 3; i++)
        grid[i] = v->block[i] ? (v->grid[i] + v->block[i] - 1) / v->block[i] : 0;
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

const char *wt_program_kernel(struct wt_program *g, const struct wt_working_waves *warps,
                              const struct wt_wave *v, char *text, size_t size)
{
    const char *name = "?";
    wt_wave_id stopped = WT_NO_WAVE;
    bool found = false;
    for (size_t i = 0; i < warps->count && !found; i++) {
        const struct wt_wave_info *info = &warps->list[i].info;
        if (info->running || !wt_work_is_same_dispatch(&info->wave, v))
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
