/* The program counters of the waves of all GPUs, printed when Ctrl-C ends the program; the
 * progress of kernels; and the tally of exec. */
#include "base/called_place.h"
#include "runtime/kfd/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/machine.h"
#include "object/kfd_wire.h"
#include "runtime/common/interrupt.h"
#include "runtime/common/places.h"
#include "runtime/common/policy.h"
#include "runtime/common/tally.h"

/* ---- waves ---- */

struct dispatch {
    struct host_gpu *gpu;
    unsigned number;
};

static bool is_of(void *context, uint32_t wave)
{
    const struct dispatch *d = context;
    uint64_t entry;
    unsigned its;
    return gcn_wave_dispatch(d->gpu->device, wave, &its, &entry) && its == d->number;
}

static void describe(void *context, const struct wt_called_place *place, char *text, size_t size)
{
    const struct dispatch *d = context;
    host_describe_place(d->gpu->host, place, text, size);
}

static void tell_dispatch(struct host_gpu *gpu, unsigned dispatch)
{
    struct dispatch d = {gpu, dispatch};
    struct gcn_progress p;
    char kernel[600];
    gcn_device_progress(gpu->device, dispatch, &p);
    host_describe(gpu->host, p.entry, kernel, sizeof kernel);
    fprintf(stderr,
            "  the kernel at %s: %" PRIu64 " of %" PRIu64 " work-groups have ended, %" PRIu64
            " have begun\n",
            kernel, p.done, p.total, p.begun);
    const struct wt_places places = {.machine = gcn_machine(gpu->device),
                                     .wave_word = "wave",
                                     .lane_word = "lane",
                                     .holds = is_of,
                                     .describe = describe,
                                     .context = &d};
    wt_places_tell(stderr, &places);
}

/* Packets that have not begun: a program may wait for a kernel behind a barrier that never opens.
 */
void host_tell_queues(const struct host_gpu *gpu, FILE *out)
{
    for (const struct host_queue *q = gpu->queues; q; q = q->next) {
        const uint64_t written = atomic_load(q->write);
        if (q->copies || written <= q->begun || q->stopped)
            continue;
        fprintf(out, "  queue %" PRIu64 ": %" PRIu64 " packet%s not begun\n", q->id,
                written - q->begun, written - q->begun > 1 ? "s have" : " has");
        host_tell_first(q, out);
    }
}

static void tell_gpu(struct host_gpu *gpu)
{
    const struct wt_machine *m = gcn_machine(gpu->device);
    char kernels[40] = "no kernel runs";
    if (gpu->kernels)
        snprintf(kernels, sizeof kernels, "%u kernel%s", gpu->kernels,
                 gpu->kernels > 1 ? "s run" : " runs");
    fprintf(stderr, "wavetrap: interrupted: " HOST_GPU ", issue time %" PRIu64 ": %s\n",
            HOST_GPU_IS(gpu), m->time, kernels);
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (gpu->dispatch[i].queue)
            tell_dispatch(gpu, i);
    host_tell_queues(gpu, stderr);
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
        char *name = strchr(where, '<'), *line = name ? strstr(name, "> at ") : NULL,
             *end = line || !name ? line : strrchr(name, '>');
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

/* ---- the tally ---- */

/* Whether a kernel is one of the runtime's own, whose name is looked up the first time: HIP's
 * copies and fills, GCC's constructors, and ROCr's copies, which are in none of the code objects
 * that it lists. */
static bool is_own(struct host_gpu *gpu, uint64_t entry)
{
    char where[600];
    for (unsigned i = 0; i < HOST_COUNTED; i++)
        if (gpu->counted[i].entry == entry)
            return gpu->counted[i].own;
    const bool named = host_describe(gpu->host, entry, where, sizeof where);
    const bool own = named ? strstr(where, "<__amd_rocclr_") || strstr(where, "<_init_array>") ||
                                 strstr(where, "<_fini_array>")
                           : gpu->host->debug != NULL;
    gpu->counted[gpu->counted_next++ % HOST_COUNTED] = (struct host_counted){entry, own};
    return own;
}

void host_count_launch(struct host_gpu *gpu, unsigned dispatch)
{
    struct wt_tally_gpu *tally = wt_tally_of(KFD_WIRE_FAMILY);
    struct gcn_progress p;
    if (!tally)
        return;
    gcn_device_progress(gpu->device, dispatch, &p);
    atomic_fetch_add(is_own(gpu, p.entry) ? &tally->own : &tally->launches, 1);
}

void host_count_code(struct wt_hosted *hosted)
{
    struct host_gpu *gpu = (struct host_gpu *)((char *)hosted - offsetof(struct host_gpu, hosted));
    wt_tally_near(KFD_WIRE_FAMILY, gcn_device_near(gpu->device));
    wt_tally_translated(KFD_WIRE_FAMILY, gcn_device_translated(gpu->device), &gpu->translated);
}

void host_count_issues(struct host_gpu *gpu, uint64_t before)
{
    const uint64_t now = gcn_machine(gpu->device)->time;
    wt_tally_add(KFD_WIRE_FAMILY, 0, now > before ? now - before : 0);
    host_count_code(&gpu->hosted);
    wt_policy_report(gcn_machine(gpu->device));
}
