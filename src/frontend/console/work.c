/* Waves by what they work on: `info dispatches`, `info groups`. See work.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "frontend/console/work.h"

static uint32_t volume_of(const uint32_t size[3])
{
    return size[0] * size[1] * size[2];
}

static int by_place(const void *a, const void *b)
{
    const struct wt_wave *x = &((const struct warp *)a)->info.wave;
    const struct wt_wave *y = &((const struct warp *)b)->info.wave;
    if (x->dispatch != y->dispatch)
        return x->dispatch < y->dispatch ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    for (unsigned i = 3; i-- > 0;)
        if (x->group[i] != y->group[i])
            return x->group[i] < y->group[i] ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

enum wt_status work_waves(struct wt_shell *c, struct warps *warps, struct wt_error *err)
{
    const wt_wave_id *ids;
    struct wt_wave own = {.id = WT_NO_WAVE};
    struct wt_thread_position place = {.lane = 0};
    enum wt_status status = need_run(c, err);
    *warps = (struct warps){.count = 0};
    if (status || (status = wt_debugger_waves(c->debugger, &ids, &warps->count, err)) != WT_OK)
        return status;
    const size_t count = warps->count;
    wt_wave_id *copy = malloc(count * sizeof *copy + 1);
    warps->list = calloc(count + 1, sizeof *warps->list);
    if (!copy || !warps->list) {
        free(copy);
        free(warps->list);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    memcpy(copy, ids, count * sizeof *copy);
    if (c->thread && wave_of_thread(c, c->thread, &own, &place, WT_IGNORED) == WT_OK)
        warps->lane = place.lane;
    warps->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct warp *w = &warps->list[warps->count];
        if (wt_debugger_wave(c->debugger, copy[i], &w->info, WT_IGNORED) != WT_OK ||
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
    free(copy);
    qsort(warps->list, warps->count, sizeof *warps->list, by_place);
    return WT_OK;
}

bool work_is_same_dispatch(const struct wt_wave *a, const struct wt_wave *b)
{
    return a->dispatch == b->dispatch && a->device == b->device;
}

bool work_is_same_group(const struct wt_wave *a, const struct wt_wave *b)
{
    return work_is_same_dispatch(a, b) && memcmp(a->group, b->group, sizeof a->group) == 0;
}

void work_grid(const struct wt_wave *v, uint32_t grid[3])
{
    for (unsigned i = 0; i < 3; i++)
        grid[i] = v->block[i] ? (v->grid[i] + v->block[i] - 1) / v->block[i] : 0;
}

/* The symbol of the kernel that an address lies in. */
static bool kernel_at(struct wt_shell *c, uint64_t pc, const char **name)
{
    const struct wt_module *m = wt_modules_at(c->modules, 0, pc);
    uint64_t offset;
    return m && wt_symbols_is_kernel(m->symbols, pc - m->bias) &&
           wt_modules_function(c->modules, 0, pc, name, &offset);
}

/* The kernel that a wave's outermost frame is in. */
static bool kernel_of_frames(struct wt_shell *c, wt_wave_id wave, const char **name)
{
    wt_thread thread;
    uint64_t inside = 0;
    const struct wt_frame *frame;
    if (!thread_of_wave(c, wave, &thread))
        return false;
    struct wt_frames *frames = wt_frames_new(c->debugger, c->modules, thread);
    for (unsigned level = 0; frames && (frame = wt_frames_get(frames, level)) != NULL; level++)
        inside = frame->inside;
    wt_frames_free(frames);
    return kernel_at(c, inside, name);
}

const char *work_kernel(struct wt_shell *c, const struct warps *warps, const struct wt_wave *v,
                        char *text, size_t size)
{
    const char *name = "?";
    wt_wave_id stopped = WT_NO_WAVE;
    bool found = false;
    for (size_t i = 0; i < warps->count && !found; i++) {
        const struct wt_wave_info *info = &warps->list[i].info;
        if (info->running || !work_is_same_dispatch(&info->wave, v))
            continue;
        found = kernel_at(c, info->pc, &name);
        if (stopped == WT_NO_WAVE)
            stopped = info->wave.id;
    }
    if (!found && stopped != WT_NO_WAVE)
        kernel_of_frames(c, stopped, &name);
    wt_demangle(name, text, size);
    return text;
}

static void print_device(struct wt_shell *c, const struct wt_wave *v)
{
    if (c->topology->devices > 1)
        fprintf(c->out, "device %u ", v->device);
}

/* The waves from @p i on that are of one dispatch; returns where the next begins. */
static size_t print_dispatch(struct wt_shell *c, const struct warps *warps, size_t i)
{
    const struct wt_wave *v = &warps->list[i].info.wave;
    uint32_t grid[3];
    char name[200];
    size_t groups = 0, end = i;
    bool selected = false;
    for (; end < warps->count; end++) {
        const struct warp *w = &warps->list[end];
        if (!work_is_same_dispatch(&w->info.wave, v))
            break;
        groups += end == i || !work_is_same_group(&w[-1].info.wave, &w->info.wave);
        selected |= w->is_selected;
    }
    fprintf(c->out, "%c ", selected ? '*' : ' ');
    print_device(c, v);
    fprintf(c->out, "dispatch %" PRIu64 "  %s", v->dispatch,
            work_kernel(c, warps, v, name, sizeof name));
    work_grid(v, grid);
    if (grid[0])
        fprintf(c->out,
                "  grid of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") groups of (%" PRIu32 ",%" PRIu32
                ",%" PRIu32 ")",
                grid[0], grid[1], grid[2], v->block[0], v->block[1], v->block[2]);
    fprintf(c->out, "  %zu %s%s of %zu group%s active\n", end - i, c->topology->wave_word,
            end - i == 1 ? "" : "s", groups, groups == 1 ? "" : "s");
    return end;
}

static size_t print_group(struct wt_shell *c, const struct warps *warps, size_t i)
{
    const struct wt_wave *v = &warps->list[i].info.wave;
    size_t end = i;
    while (end < warps->count && work_is_same_group(&warps->list[end].info.wave, v))
        end++;
    print_device(c, v);
    fprintf(c->out, "dispatch %" PRIu64 " group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") on core %u\n",
            v->dispatch, v->group[0], v->group[1], v->group[2], v->core);
    return end;
}

static enum wt_status list_work(struct wt_shell *c, const char *text, const char *command,
                                size_t (*print)(struct wt_shell *c, const struct warps *warps,
                                                size_t i),
                                const char *none, struct wt_error *err)
{
    struct warps warps;
    enum wt_status status = take_no_arguments(text, command, err);
    if (status || (status = work_waves(c, &warps, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < warps.count;)
        i = print(c, &warps, i);
    if (!warps.count)
        fprintf(c->out, "%s\n", none);
    free(warps.list);
    return WT_OK;
}

enum wt_status do_info_dispatches(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_work(c, text, "info dispatches", print_dispatch, "No dispatch has waves now.", err);
}

enum wt_status do_info_groups(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_work(c, text, "info groups", print_group, "No work-groups.", err);
}
