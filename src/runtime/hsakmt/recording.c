/* The recording of a GPU, on a copy of the process's memory: from when to when, and how it runs.
 * See recording.h. */
#include "runtime/hsakmt/recording_state.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "emulator/gcn/kfd.h"

#define NOT_YET                                                                                    \
    "nothing is recorded now: a recording begins with a kernel that starts on an idle GPU, and "   \
    "ends with it"

/* What the device has done has happened. */
void recording_show(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    r->undone = 0;
    r->seen = gcn_machine(gpu->device)->time;
    recording_tell_interrupts(gpu);
}

static enum wt_run run_live(struct host_gpu *gpu, uint64_t issues)
{
    struct host_recording *r = gpu->recording;
    r->live = true;
    const enum wt_run run = wt_timeline_run(r->timeline, issues);
    r->live = false;
    return run;
}

/* Back to before the atomic with which the slice has ended, and what threads have changed is taken
 * in. What comes before it in the slice is done again, and is the same again. */
static void undo(struct host_gpu *gpu)
{
    const struct wt_input nothing = {.kind = WT_INPUT_FLUSH_CONSOLE};
    struct host_recording *r = gpu->recording;
    const struct wt_machine *m = gcn_machine(gpu->device);
    const uint64_t before = m->time - 1;
    r->undone++;
    r->store_count = r->told_count = 0;
    if (wt_timeline_goto(r->timeline, r->seen, WT_IGNORED) != WT_OK) {
        r->failed = true;
        return;
    }
    wt_timeline_input(r->timeline, &nothing); /* here the run goes on another way */
    if (m->time < before)
        run_live(gpu, before - m->time);
    r->store_count = 0;
    recording_look(gpu, false, true);
}

/* ---- beginning and ending ---- */

bool host_recording_on(const struct host_gpu *gpu)
{
    return gpu->recording && gpu->recording->timeline;
}

bool host_recording_is_away(const struct host_gpu *gpu)
{
    return host_recording_on(gpu) && !wt_timeline_at_end(gpu->recording->timeline);
}

bool host_recording_waits(const struct host_gpu *gpu)
{
    return host_recording_is_away(gpu) || (host_recording_on(gpu) && gpu->recording->waits);
}

void host_recording_asked(struct host_gpu *gpu)
{
    if (gpu->recording)
        gpu->recording->waits = gcn_kfd_has_event(gpu->device);
}

uint64_t host_recording_time(const struct host_gpu *gpu)
{
    return gpu->recording ? atomic_load(&gpu->recording->time) : 0;
}

struct wt_timeline *host_recording_timeline(const struct host_gpu *gpu)
{
    return gpu->recording ? gpu->recording->timeline : NULL;
}

const char *host_recording_missing(const struct host_gpu *gpu)
{
    return gpu->recording ? gpu->recording->missing : NOT_YET;
}

struct host_travel *host_recording_travel(struct host_gpu *gpu)
{
    return &gpu->recording->travel;
}

uint64_t host_recording_budget(const struct host_gpu *gpu)
{
    return gpu->recording->budget;
}

int host_recording_want(struct host_gpu *gpu, uint64_t budget)
{
    if (!budget) {
        host_recording_free(gpu);
        return 0;
    }
    if (!gpu->recording && !(gpu->recording = calloc(1, sizeof *gpu->recording)))
        return -ENOMEM;
    struct host_recording *r = gpu->recording;
    r->budget = budget;
    r->copy = (struct gcn_copy){recording_copied, recording_shared, recording_stored,
                                recording_was_atomic, gpu};
    atomic_store(&r->time, gcn_machine(gpu->device)->time);
    if (!r->timeline)
        r->missing = NOT_YET;
    return 0;
}

/* To the present, in which the device must be before anything else happens to it. */
static void come_back(struct host_gpu *gpu)
{
    struct wt_timeline *t = gpu->recording->timeline;
    struct wt_error err;
    if (wt_timeline_at_end(t) || wt_timeline_goto(t, wt_timeline_end(t), &err) == WT_OK)
        return;
    fprintf(stderr,
            "wavetrap: gfx900 (node %u): the kernel goes on from the past, where its debugger was: "
            "%s\n",
            gpu->node, err.text);
}

void host_recording_end(struct host_gpu *gpu, const char *why)
{
    struct host_recording *r = gpu->recording;
    if (!r || !r->copied)
        return;
    if (r->timeline) {
        come_back(gpu);
        wt_timeline_free(r->timeline);
        r->timeline = NULL;
    }
    recording_forget_changes(r);
    r->waits = false;
    recording_publish_all(gpu);
    if (r->travel.of)
        r->travel.free(r->travel.of);
    r->travel = (struct host_travel){NULL};
    gcn_device_rejoin(gpu->device);
    r->copied = false;
    r->missing = why;
    recording_forget_pages(r);
}

void host_recording_free(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    if (!r)
        return;
    host_recording_end(gpu, NOT_YET);
    free(r->store);
    free(r->told);
    free(r->change);
    free(r);
    gpu->recording = NULL;
}

void host_recording_let_go(struct host_gpu *gpu)
{
    host_recording_free(gpu);
    if (gpu->host->core_on_fault.history && host_recording_want(gpu, WT_TIMELINE_BUDGET_DEFAULT))
        fputs("wavetrap: --core-history: the program has no host memory for it\n", stderr);
}

/* Another beginning of the recording. */
static void begin_here(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    struct wt_machine *m = gcn_machine(gpu->device);
    m->event = false; /* no part of the state: what it was about has been seen to here */
    const enum wt_status status = r->timeline
                                      ? wt_timeline_restart(r->timeline, WT_IGNORED)
                                      : wt_timeline_new(m, r->budget, &r->timeline, WT_IGNORED);
    recording_forget_changes(r);
    r->seen = m->time;
    atomic_store(&r->time, m->time);
    if (status != WT_OK || r->failed)
        host_recording_end(gpu, "nothing is recorded now: the program has no host memory for it");
}

void host_recording_before_kernel(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    if (!r || (gpu->kernels && !r->timeline) || gpu->watch)
        return;
    if (r->timeline) {
        recording_merge(gpu);
        return;
    }
    r->failed = false;
    r->copied = gcn_device_copy_memory(gpu->device, &r->copy, WT_IGNORED) == WT_OK;
}

void host_recording_after_kernel(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    if (!r || !r->copied)
        return;
    if (gpu->kernels)
        begin_here(gpu);
    else
        host_recording_end(gpu, NOT_YET); /* the kernel was refused */
}

void host_recording_restart(struct host_gpu *gpu)
{
    if (!host_recording_on(gpu))
        return;
    come_back(gpu);
    begin_here(gpu);
}

void host_recording_after_end(struct host_gpu *gpu)
{
    if (!host_recording_on(gpu))
        return;
    if (gpu->kernels)
        begin_here(gpu);
    else
        host_recording_end(gpu, NOT_YET);
}

void host_recording_merge(struct host_gpu *gpu)
{
    if (host_recording_on(gpu))
        recording_merge(gpu);
}

void host_recording_moved(struct host_gpu *gpu)
{
    atomic_store(&gpu->recording->time, gcn_machine(gpu->device)->time);
}

void host_recording_branched(struct host_gpu *gpu)
{
    struct host_recording *r = gpu->recording;
    const uint64_t now = gcn_machine(gpu->device)->time;
    r->store_count = r->told_count = 0;
    r->seen = now;
    /* What threads have done since cannot be undone: here it has been done already. */
    for (size_t i = 0; i < r->change_count; i++)
        if (r->change[i].time > now) {
            r->change[i].time = now;
            recording_put_in(gpu, &r->change[i]);
        }
    recording_merge(gpu);
}

/* ---- running ---- */

void host_recording_interrupt(struct host_gpu *gpu, uint32_t wave, uint32_t data)
{
    struct host_recording *r = gpu->recording;
    uint32_t status = 0;
    uint64_t entry;
    unsigned dispatch = 0;
    gcn_device_come_back(gpu->device);
    gcn_wave_hwreg(gpu->device, wave, 2, &status);
    const bool handler = status >> 5 & 1; /* PRIV */
    if (!r->live || (handler && !gcn_wave_dispatch(gpu->device, wave, &dispatch, &entry)))
        return;
    struct told *more = wt_array_grow(r->told, &r->told_capacity, r->told_count + 1, sizeof *more);
    if (!more) {
        r->failed = true;
        return;
    }
    r->told = more;
    r->told[r->told_count++] = (struct told){data, handler, dispatch};
}

/* Kernels whose last work-group has ended. */
void recording_find_ended(struct host_gpu *gpu)
{
    struct gcn_progress progress;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++) {
        if (!gpu->dispatch[i].queue)
            continue;
        gcn_device_progress(gpu->device, i, &progress);
        if (progress.done == progress.total)
            gpu->ended |= (uint32_t)1 << i;
    }
}

enum wt_run host_recording_run(struct host_gpu *gpu, uint64_t issues)
{
    struct host_recording *r = gpu->recording;
    assert(r->timeline && wt_timeline_at_end(r->timeline));
    if (recording_look_is_due(r))
        recording_look(gpu, false, false);
    const enum wt_run run = run_live(gpu, issues);
    if (!recording_show_stores(gpu)) {
        undo(gpu);
        return WT_RUN_BUDGET;
    }
    recording_show(gpu);
    recording_find_ended(gpu);
    r->waits = gcn_kfd_has_event(gpu->device);
    atomic_store(&r->time, gcn_machine(gpu->device)->time);
    if (!wt_timeline_at_end(r->timeline)) { /* it has lost what it had, without memory */
        wt_timeline_free(r->timeline);
        r->timeline = NULL;
        r->failed = true;
    } else if (gpu->ended || run == WT_RUN_FAULT) {
        recording_merge(gpu);
    }
    if (r->failed)
        host_recording_end(gpu, "nothing is recorded now: the program has no host memory for it");
    return run;
}

void host_recording_unmap(struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    const struct host_recording *r = gpu->recording;
    bool used = false;
    for (size_t i = 0; r && i < r->page_count && !used; i++)
        used = r->page[i].addr + HOST_PAGE > addr && r->page[i].addr < addr + size;
    if (used)
        host_recording_end(gpu, "nothing is recorded now: the program has freed memory that the "
                                "kernels used");
}
