/* The work that runs now: `info dispatches`, `info groups`, `info queues`. */
#include <inttypes.h>

#include "frontend/console/internal.h"

static void print_device(struct wt_shell *c, unsigned device)
{
    if (c->program->topology->devices > 1)
        fprintf(c->out, "device %u ", device);
}

static bool print_dispatches(struct wt_shell *c, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->dispatch_count; i++) {
        const struct wt_dispatch *d = &work->dispatch[i];
        char name[200];
        bool selected = false;
        for (size_t k = 0; k < d->wave_count; k++)
            selected |= d->wave[k]->wave.id == own;
        fprintf(c->out, "%c ", selected ? '*' : ' ');
        print_device(c, d->device);
        fprintf(c->out, "dispatch %" PRIu64 "  %s", d->number,
                wt_program_kernel(c->program, d, name, sizeof name));
        if (d->groups[0])
            fprintf(c->out,
                    "  grid of (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") groups of (%" PRIu32
                    ",%" PRIu32 ",%" PRIu32 ")",
                    d->groups[0], d->groups[1], d->groups[2], d->block[0], d->block[1],
                    d->block[2]);
        fprintf(c->out, "  %zu %s%s of %zu group%s active\n", d->wave_count,
                c->program->topology->wave_word, d->wave_count == 1 ? "" : "s", d->group_count,
                d->group_count == 1 ? "" : "s");
    }
    return work->dispatch_count;
}

static bool print_groups(struct wt_shell *c, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->group_count; i++) {
        const struct wt_group *g = &work->group[i];
        print_device(c, g->of->device);
        fprintf(c->out,
                "dispatch %" PRIu64 " group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") on core %u\n",
                g->of->number, g->at[0], g->at[1], g->at[2], g->wave[0]->wave.core);
    }
    return work->group_count;
}

static bool print_queues(struct wt_shell *c, const struct wt_work *work, wt_wave_id own)
{
    for (size_t i = 0; i < work->queue_count; i++) {
        const struct wt_queue *q = &work->queue[i];
        print_device(c, q->device);
        fprintf(c->out, "queue %" PRIu32 ": ", q->number);
        const char *before = "dispatch ";
        for (size_t k = 0; k < work->dispatch_count; k++) {
            if (work->dispatch[k].queue != q)
                continue;
            fprintf(c->out, "%s%" PRIu64, before, work->dispatch[k].number);
            before = ", ";
        }
        fputc('\n', c->out);
    }
    return work->queue_count;
}

static enum wt_status list_work(struct wt_shell *c, const char *text, const char *command,
                                bool (*print)(struct wt_shell *c, const struct wt_work *work,
                                              wt_wave_id own),
                                const char *none, struct wt_error *err)
{
    struct wt_work work;
    enum wt_status status = take_no_arguments(text, command, err);
    if (status)
        return status;
    status = wt_program_work(c->program, &work, err);
    if (!status && !print(c, &work, wt_program_own_wave(c->program)))
        fprintf(c->out, "%s\n", none);
    wt_work_free(&work);
    return status;
}

enum wt_status do_info_dispatches(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_work(c, text, "info dispatches", print_dispatches, "No dispatch has waves now.",
                     err);
}

enum wt_status do_info_groups(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_work(c, text, "info groups", print_groups, "No work-groups.", err);
}

enum wt_status do_info_queues(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return list_work(c, text, "info queues", print_queues, "No queue has a dispatch now.", err);
}
