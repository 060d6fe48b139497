/* Where the waves of all GPUs are, when Ctrl-C ends the program; and the progress of kernels. */
#include "runtime/hsakmt/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "emulator/machine/machine.h"
#include "runtime/common/interrupt.h"

enum { MOST_LINES = 24 }; /* of a kernel */

/* ---- waves ---- */

/* Waves of a kernel that are in the same state share a line. */
struct state {
    uint64_t pc;
    wt_lanes mask;
    char wait[96];
    uint32_t first, count; /* waves */
};

static bool wave_state(struct wt_machine *m, uint32_t wave, struct state *s)
{
    struct wt_wave_view view;
    m->ops->view(m, wave, &view);
    if (!view.active)
        return false;
    *s = (struct state){
        .pc = view.waiting ? view.wait_pc : view.pc, .mask = view.mask, .first = wave, .count = 1};
    snprintf(s->wait, sizeof s->wait, "%s", view.waiting ? view.wait : "");
    return true;
}

static bool same_state(const struct state *a, const struct state *b)
{
    return a->pc == b->pc && a->mask == b->mask && strcmp(a->wait, b->wait) == 0;
}

/* The states of a dispatch's waves; returns how many there are, of which `room` are kept. */
static size_t collect(struct host_gpu *gpu, unsigned dispatch, struct state *state, size_t room)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    size_t count = 0;
    for (uint32_t wave = 0; wave < m->waves; wave++) {
        struct state s;
        uint64_t entry;
        unsigned its;
        if (!gcn_wave_dispatch(gpu->device, wave, &its, &entry) || its != dispatch ||
            !wave_state(m, wave, &s))
            continue;
        size_t i = 0;
        while (i < count && i < room && !same_state(&state[i], &s))
            i++;
        if (i < count && i < room) {
            state[i].count++;
        } else {
            if (count < room)
                state[count] = s;
            count++;
        }
    }
    return count;
}

static void tell_state(struct host_gpu *gpu, const struct state *s)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    char place[128], where[600], lanes[256];
    m->ops->place(m, s->first, place, sizeof place);
    wt_lanes_text(s->mask, lanes, sizeof lanes);
    host_describe(gpu->host, s->pc, where, sizeof where);
    fprintf(stderr, "    %s, lanes %s", place, *lanes ? lanes : "none");
    if (s->count > 1)
        fprintf(stderr, ", and %u more wave%s", s->count - 1, s->count > 2 ? "s" : "");
    fprintf(stderr, "\n      at %s%s%s\n", where, *s->wait ? ": " : "", s->wait);
}

static void tell_dispatch(struct host_gpu *gpu, unsigned dispatch)
{
    struct state state[MOST_LINES];
    struct gcn_progress p;
    char kernel[600];
    gcn_device_progress(gpu->device, dispatch, &p);
    host_describe(gpu->host, p.entry, kernel, sizeof kernel);
    fprintf(stderr,
            "  the kernel at %s: %" PRIu64 " of %" PRIu64 " work-groups have ended, %" PRIu64
            " have begun\n",
            kernel, p.done, p.total, p.begun);
    const size_t count = collect(gpu, dispatch, state, MOST_LINES);
    for (size_t i = 0; i < count && i < MOST_LINES; i++)
        tell_state(gpu, &state[i]);
    if (count > MOST_LINES)
        fprintf(stderr, "    … and waves in %zu more states\n", count - MOST_LINES);
}

/* Packets that have not begun: a program may wait for a kernel behind a barrier that never opens.
 */
static void tell_queues(const struct host_gpu *gpu)
{
    for (const struct host_queue *q = gpu->queues; q; q = q->next) {
        const uint64_t written = atomic_load(q->write);
        if (!q->copies && written > q->begun && !q->stopped)
            fprintf(stderr, "  queue %" PRIu64 ": %" PRIu64 " packet%s not begun\n", q->id,
                    written - q->begun, written - q->begun > 1 ? "s have" : " has");
    }
}

static void tell_gpu(struct host_gpu *gpu)
{
    const struct wt_machine *m = gcn_machine(gpu->device);
    char kernels[40] = "no kernel runs";
    if (gpu->kernels)
        snprintf(kernels, sizeof kernels, "%u kernel%s", gpu->kernels,
                 gpu->kernels > 1 ? "s run" : " runs");
    fprintf(stderr, "wavetrap: interrupted: gfx900 (node %u), issue time %" PRIu64 ": %s\n",
            gpu->node, m->time, kernels);
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (gpu->dispatch[i].queue)
            tell_dispatch(gpu, i);
    tell_queues(gpu);
}

void host_end_if_interrupted(struct host *host)
{
    if (!wt_interrupt_take())
        return;
    for (uint32_t i = 0; i < host->gpus; i++) {
        host_enter(&host->gpu[i]);
        wt_progress_clear(&host->gpu[i].progress);
        tell_gpu(&host->gpu[i]);
        host_leave(&host->gpu[i]);
    }
    host_leave_nothing();
    wt_interrupt_end();
}

/* ---- progress ---- */

void host_show_progress(struct host_gpu *gpu)
{
    struct gcn_progress p;
    char where[600];
    unsigned first = GCN_DISPATCHES;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (gpu->dispatch[i].queue &&
            (first == GCN_DISPATCHES || gpu->dispatch[i].begun < gpu->dispatch[first].begun))
            first = i;
    if (first == GCN_DISPATCHES)
        return;
    gcn_device_progress(gpu->device, first, &p);
    if (gpu->progress_entry != p.entry) { /* looking up takes its time */
        host_describe(gpu->host, p.entry, where, sizeof where);
        char *name = strchr(where, '<'), *end = name ? strrchr(where, '+') : NULL;
        if (end)
            *end = 0;
        snprintf(gpu->progress_kernel, sizeof gpu->progress_kernel, "%.127s",
                 end ? name + 1 : where);
        gpu->progress_entry = p.entry;
    }
    const struct wt_progress_of what = {.kernel = gpu->progress_kernel,
                                        .done = p.done,
                                        .total = p.total,
                                        .others = gpu->kernels - 1};
    wt_progress_show(&gpu->progress, &what, gcn_machine(gpu->device)->time);
}
