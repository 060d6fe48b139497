/* Waves by what they work on: `info dispatches`, `info groups`. */
#include <inttypes.h>
#include <stdlib.h>

#include "frontend/console/internal.h"

static void print_device(struct wt_shell *c, const struct wt_wave *v)
{
    if (c->program->topology->devices > 1)
        fprintf(c->out, "device %u ", v->device);
}

/* The waves from @p i on that are of one dispatch; returns where the next begins. */
static size_t print_dispatch(struct wt_shell *c, const struct wt_working_waves *warps, size_t i)
{
    const struct wt_wave *v = &warps->list[i].info.wave;
    uint32_t grid[3];
    char name[200];
    size_t groups = 0, end = i;
    bool selected = false;
    for (; end < warps->count; end++) {
        const struct wt_working_wave *w = &warps->list[end];
        if (!wt_work_is_same_dispatch(&w->info.wave, v))
            break;
        groups += end == i || !wt_work_is_same_group(&w[-1].info.wave, &w->info.wave);
        selected |= w->is_selected;
    }
    fprintf(c->out, "%c ", selected ? '*' : ' ');
    print_device(c, v);
    fprintf(c->out, "dispatch %" PRIu64 "  %s", v->dispatch,
            wt_program_kernel(c->program, warps, v, name, sizeof name));
    wt_work_grid(v, grid);
    if (grid[0])
        fprintf(c->out,
                "  grid of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") groups of (%" PRIu32 ",%" PRIu32
                ",%" PRIu32 ")",
                grid[0], grid[1], grid[2], v->block[0], v->block[1], v->block[2]);
    fprintf(c->out, "  %zu %s%s of %zu group%s active\n", end - i, c->program->topology->wave_word,
            end - i == 1 ? "" : "s", groups, groups == 1 ? "" : "s");
    return end;
}

static size_t print_group(struct wt_shell *c, const struct wt_working_waves *warps, size_t i)
{
    const struct wt_wave *v = &warps->list[i].info.wave;
    size_t end = i;
    while (end < warps->count && wt_work_is_same_group(&warps->list[end].info.wave, v))
        end++;
    print_device(c, v);
    fprintf(c->out, "dispatch %" PRIu64 " group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") on core %u\n",
            v->dispatch, v->group[0], v->group[1], v->group[2], v->core);
    return end;
}

static enum wt_status list_work(struct wt_shell *c, const char *text, const char *command,
                                size_t (*print)(struct wt_shell *c,
                                                const struct wt_working_waves *warps, size_t i),
                                const char *none, struct wt_error *err)
{
    struct wt_working_waves warps;
    enum wt_status status = take_no_arguments(text, command, err);
    if (status || (status = wt_program_work(c->program, &warps, err)) != WT_OK)
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
