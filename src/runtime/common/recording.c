/* The recording of a GPU, on a copy of the process's memory: from when to when, and how it runs.
 * See recording.h. */
#include "emulator/machine/copy.h"
#include "runtime/common/apart.h"
#include "runtime/common/recording_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Counts what the device has done as having happened: the program is told of it. */
void recording_show(struct wt_recording *r)
{
    r->undone = 0;
    r->seen = r->machine->time;
    if (r->ops->shown)
        r->ops->shown(r->gpu);
}

static void take_back(struct wt_recording *r)
{
    if (r->ops->take_back)
        r->ops->take_back(r->gpu);
}

bool recording_find_ended(struct wt_recording *r)
{
    return r->ops->find_ended ? r->ops->find_ended(r->gpu) : !r->ops->has_kernels(r->gpu);
}

static bool is_kept_from(const struct wt_recording *r)
{
    return r->ops->is_kept_from && r->ops->is_kept_from(r->gpu);
}

static enum wt_run run_live(struct wt_recording *r, uint64_t issues)
{
    r->live = true;
    const enum wt_run run = wt_timeline_run(r->timeline, issues);
    r->live = false;
    return run;
}

/* Accesses and places that a debugger watches were reported, and judged, when they happened. */
static void hide_watches(const struct wt_recording *r, bool hide)
{
    const struct watched *live = &r->gpu->watched;
    if (!r->searching && !r->slice && live->count)
        wt_set_watches(r->machine, live->watch, hide ? 0 : live->count);
}

enum wt_status recording_goto(struct wt_recording *r, uint64_t time, struct wt_error *err)
{
    hide_watches(r, true);
    const enum wt_status status = wt_timeline_goto(r->timeline, time, err);
    hide_watches(r, false);
    live_moved(&r->gpu->watched.live);
    return status;
}

/* Goes back to the time before the atomic with which the slice has ended, and takes in the changes
 * that threads have made. The instructions before the atomic are executed again, with the same
 * results. */
static void undo(struct wt_recording *r)
{
    const struct wt_input nothing = {.kind = WT_INPUT_CLEAR_FAULT};
    const struct wt_machine *m = r->machine;
    const uint64_t before = m->time - 1;
    r->undone++;
    r->store_count = 0;
    take_back(r);
    hide_watches(r, true);
    r->failed |= wt_timeline_goto(r->timeline, r->seen, WT_IGNORED) != WT_OK;
    if (!r->failed)
        wt_timeline_input(r->timeline, &nothing); /* here the run goes on another way */
    if (!r->failed && m->time < before)
        run_live(r, before - m->time);
    hide_watches(r, false);
    if (r->failed)
        return;
    r->store_count = 0;
    recording_look(r, false, true);
}

/* ---- beginning and ending ---- */

bool wt_recording_on(const struct wt_recording *r)
{
    return r && r->timeline;
}

bool wt_recording_is_away(const struct wt_recording *r)
{
    return wt_recording_on(r) && !wt_timeline_at_end(r->timeline);
}

bool wt_recording_waits(const struct wt_recording *r)
{
    return wt_recording_is_away(r) || (wt_recording_on(r) && r->waits);
}

const char *wt_recording_missing(const struct wt_recording *r)
{
    return r ? r->missing : "nothing is recorded of this program";
}

void wt_recording_asked(struct wt_recording *r)
{
    if (r)
        r->waits = r->ops->has_exception(r->gpu);
}

uint64_t wt_recording_time(const struct wt_recording *r)
{
    return r ? atomic_load(&r->time) : 0;
}

bool wt_recording_is_live(const struct wt_recording *r)
{
    return r && r->live;
}

void wt_recording_fail(struct wt_recording *r)
{
    r->failed = true;
}

/* Another beginning of the recording. */
static void begin_here(struct wt_recording *r)
{
    struct wt_machine *m = r->machine;
    m->event = false; /* no part of the state: what it was about has been seen to here */
    const enum wt_status status = r->timeline
                                      ? wt_timeline_restart(r->timeline, WT_IGNORED)
                                      : wt_timeline_new(m, r->budget, &r->timeline, WT_IGNORED);
    recording_forget_changes(r);
    r->seen = r->fixed = m->time;
    atomic_store(&r->time, m->time);
    if (status != WT_OK || r->failed)
        wt_recording_end(r, "nothing is recorded now: the program has no host memory for it");
}

static bool want(struct wt_hosted *gpu, uint64_t budget)
{
    struct wt_recording *r = gpu->recording;
    const struct wt_recording_ops *ops = gpu->recorded;
    assert(budget && ops->has_kernels && ops->has_exception && ops->name);
    if (!r && !(r = calloc(1, sizeof *r)))
        return false;
    gpu->recording = r;
    r->ops = ops;
    r->gpu = gpu;
    r->machine = gpu->machine;
    r->budget = budget;
    if (!r->copied) /* else the device's memory is over the copy: a debugger asks once more */
        r->copy = (struct wt_copy){.page = recording_copied,
                                   .shared = recording_shared,
                                   .stored = recording_stored,
                                   .was_atomic = recording_was_atomic,
                                   .context = r};
    atomic_store(&r->time, gpu->machine->time);
    if (!r->timeline && ops->lasts) {
        r->copied = true;
        begin_here(r);
    } else if (!r->timeline) {
        r->missing = ops->within_kernels ? WT_RECORDING_SOON : WT_RECORDING_NOT_YET;
        r->due = true;
    }
    return true;
}

void recording_end_search(struct wt_recording *r)
{
    const struct watched *live = &r->gpu->watched;
    if (r->searching || r->slice)
        wt_set_watches(r->machine, live->watch, live->count);
    r->searching = false;
    wt_slice_free(r->slice);
    r->slice = NULL;
}

/* To the present, in which the device must be before anything else happens to it. */
static void come_back(struct wt_recording *r)
{
    struct wt_timeline *t = r->timeline;
    struct wt_error err;
    char name[64];
    if (wt_timeline_at_end(t) || recording_goto(r, wt_timeline_end(t), &err) == WT_OK)
        return;
    r->ops->name(r->gpu, name, sizeof name);
    fprintf(stderr,
            "wavetrap: %s: the kernel continues from the past, where its debugger was: %s\n", name,
            err.text);
}

void wt_recording_end(struct wt_recording *r, const char *why)
{
    if (!r || !r->copied)
        return;
    if (r->timeline) {
        come_back(r);
        wt_timeline_free(r->timeline);
        r->timeline = NULL;
    }
    recording_forget_changes(r);
    r->waits = false;
    recording_publish_all(r);
    free(r->watch);
    r->watch = NULL;
    recording_end_search(r);
    if (r->machine->process.copy)
        wt_in_process_rejoin(r->machine);
    r->copied = false;
    r->missing = why;
    r->due = !r->failed && strcmp(why, WT_RECORDING_NOT_YET) == 0;
    recording_forget_pages(r);
}

void wt_hosted_free_recording(struct wt_hosted *gpu)
{
    struct wt_recording *r = gpu->recording;
    wt_recording_end(r, WT_RECORDING_NOT_YET);
    if (r) {
        free(r->store);
        free(r->change);
    }
    free(r);
    gpu->recording = NULL;
    if (gpu->recorded && gpu->recorded->freed)
        gpu->recorded->freed(gpu);
}

bool wt_hosted_record(struct wt_hosted *gpu, uint64_t budget)
{
    if (budget)
        return want(gpu, budget);
    wt_hosted_free_recording(gpu);
    return !gpu->records || want(gpu, WT_TIMELINE_BUDGET_DEFAULT);
}

enum wt_run wt_hosted_run(struct wt_hosted *gpu, uint64_t issues, bool alone)
{
    if (!wt_recording_on(gpu->recording))
        return wt_apart_run(gpu, issues, alone);
    const enum wt_run run = wt_recording_run(gpu->recording, issues);
    if (run == WT_RUN_ENDED)
        wt_recording_after_end(gpu->recording);
    return run;
}

/* A device with memory of its own needs no copy of the process's. */
static bool copy_memory(struct wt_recording *r)
{
    return !r->machine->process.hosted ||
           wt_in_process_copy(r->machine, &r->copy, WT_IGNORED) == WT_OK;
}

void wt_recording_before_kernel(struct wt_recording *r)
{
    if (!r || (!r->timeline && r->ops->has_kernels(r->gpu)) || is_kept_from(r))
        return;
    if (r->timeline) {
        if (!r->ops->lasts)
            recording_merge(r);
        return;
    }
    r->failed = false;
    r->copied = copy_memory(r);
}

void wt_recording_after_kernel(struct wt_recording *r)
{
    if (!r || !r->copied)
        return;
    if (r->ops->lasts && r->timeline)
        r->fixed = r->machine->time;
    else if (r->ops->has_kernels(r->gpu))
        begin_here(r);
    else
        wt_recording_end(r, WT_RECORDING_NOT_YET); /* the kernel was refused */
}

void wt_recording_restart(struct wt_recording *r)
{
    if (!wt_recording_on(r))
        return;
    come_back(r);
    begin_here(r);
}

void wt_recording_begin(struct wt_recording *r)
{
    if (!r || !r->due || r->timeline || !r->ops->has_kernels(r->gpu) || is_kept_from(r))
        return;
    r->due = r->failed = false;
    r->copied = copy_memory(r);
    if (r->copied)
        begin_here(r);
}

void wt_recording_after_end(struct wt_recording *r)
{
    if (!wt_recording_on(r))
        return;
    if (r->ops->lasts)
        r->fixed = r->machine->time;
    else if (r->ops->has_kernels(r->gpu))
        begin_here(r);
    else
        wt_recording_end(r, WT_RECORDING_NOT_YET);
}

void wt_recording_merge(struct wt_recording *r)
{
    if (wt_recording_on(r))
        recording_merge(r);
}

void recording_moved(struct wt_recording *r)
{
    atomic_store(&r->time, r->machine->time);
}

void recording_branched(struct wt_recording *r)
{
    const uint64_t now = r->machine->time;
    r->store_count = 0;
    take_back(r);
    r->seen = now;
    /* Changes of threads since then cannot be undone: they count as done here. */
    for (size_t i = 0; i < r->change_count; i++)
        if (r->change[i].time > now) {
            r->change[i].time = now;
            recording_put_in(r, &r->change[i]);
        }
    recording_merge(r);
}

/* ---- running ---- */

enum wt_run wt_recording_run(struct wt_recording *r, uint64_t issues)
{
    assert(r->timeline && wt_timeline_at_end(r->timeline));
    if (recording_look_is_due(r))
        recording_look(r, false, false);
    enum wt_run run = run_live(r, issues);
    if (run == WT_RUN_WATCH && r->searching) { /* what a search is for; its debugger goes on */
        r->machine->hits = 0;
        recording_end_search(r);
        run = WT_RUN_BUDGET;
    }
    if (!recording_show_stores(r)) {
        undo(r);
        return WT_RUN_BUDGET;
    }
    recording_show(r);
    const bool ended = recording_find_ended(r);
    r->waits = r->ops->has_exception(r->gpu);
    atomic_store(&r->time, r->machine->time);
    if (!wt_timeline_at_end(r->timeline)) { /* it has lost what it had, without memory */
        wt_timeline_free(r->timeline);
        r->timeline = NULL;
        r->failed = true;
    } else if (ended || run == WT_RUN_FAULT) {
        recording_merge(r);
    }
    if (r->failed)
        wt_recording_end(r, "nothing is recorded now: the program has no host memory for it");
    return run;
}

void wt_recording_unmap(struct wt_recording *r, uint64_t addr, uint64_t size)
{
    bool used = false;
    for (size_t i = 0; r && i < r->page_count && !used; i++)
        used = r->page[i].addr + RECORDING_PAGE > addr && r->page[i].addr < addr + size;
    if (used)
        wt_recording_end(r, "nothing is recorded now: the program has freed memory that the "
                            "kernels used");
}
