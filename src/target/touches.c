/* Finds and counts the accesses to a range of memory in a recording, for programs without a
 * debugger. */
#include <assert.h>

#include "debug/core/touches.h"
#include "emulator/machine/machine.h"
#include "target/history.h"
#include "target/watches.h"

/* Issues of one step of the search. */
#define BUDGET ((uint64_t)1 << 20)

/* Facts known only when the wave is about to make the access. */
static enum wt_status describe(struct wt_emulated *e, struct wt_last_touch *last,
                               struct wt_error *err)
{
    const struct wt_touch *t = &last->touch;
    enum wt_status status;
    if ((status = wt_timeline_goto(e->timeline, t->time, err)) != WT_OK)
        return status;
    wt_machine_name_wave(e->machine, t->wave, last->place, sizeof last->place);
    last->has_item = wt_emulated_work_item(e, t->wave, t->last.lane, last->item);
    return WT_OK;
}

/* Searches for the last @p most accesses to a range; the caller frees the result if it succeeds. */
static enum wt_status search(struct wt_emulated *e, const struct wt_watchpoint *range,
                             unsigned most, struct wt_touches *touches, struct wt_error *err)
{
    enum wt_history_step step;
    assert(e->timeline && range->size > 0);
    const enum wt_status status =
        wt_touches_begin(touches, wt_emulated_target(e), range, NULL, most, err);
    if (status)
        return status;
    while ((step = wt_touches_on(touches, BUDGET, err)) == WT_HISTORY_ON)
        continue;
    if (step != WT_HISTORY_FAILED)
        return WT_OK;
    wt_touches_free(touches);
    return err->status;
}

enum wt_status wt_emulated_last_touch(struct wt_emulated *e, const struct wt_watchpoint *range,
                                      struct wt_last_touch *last, struct wt_error *err)
{
    struct wt_touches touches;
    const uint64_t now = e->machine->time;
    enum wt_status status = search(e, range, 1, &touches, err);
    if (status)
        return status;
    *last = (struct wt_last_touch){.any = touches.count > 0};
    if (last->any) {
        last->touch = touches.list[0];
        status = describe(e, last, err);
    }
    wt_touches_free(&touches);
    if (!status)
        status = wt_timeline_goto(e->timeline, now, err);
    return status;
}

struct counting {
    const struct wt_watchpoint *range;
    uint64_t count;
};

/* A condition that holds for no lane: the instruction is counted, and the run goes on. */
static wt_lanes count_one(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                          wt_lanes mask, uint64_t time)
{
    struct counting *c = context;
    const enum wt_watch_kind other =
        c->range->kind == WT_WATCHPOINT_READ ? WT_WATCH_WRITE : WT_WATCH_READ;
    for (size_t i = 0; i < m->hits; i++)
        if (m->hit[i].kind != other &&
            wt_ranges_meet(c->range->addr, c->range->size, wt_address_of(m->hit[i].addr),
                           m->hit[i].size)) {
            c->count++;
            break;
        }
    return 0;
}

enum wt_status wt_emulated_count_touches(struct wt_emulated *e, const struct wt_watchpoint *range,
                                         uint64_t *count, struct wt_error *err)
{
    struct wt_machine *m = e->machine;
    const uint64_t now = m->time;
    struct wt_emulated_condition none;
    struct counting counting = {.range = range};
    struct wt_watch watch = wt_emulated_watch_of(range, &none);
    enum wt_status status;
    assert(e->timeline && range->size > 0);
    watch.holds = count_one;
    watch.context = &counting;
    if ((status = wt_timeline_goto(e->timeline, wt_timeline_start(e->timeline), err)) != WT_OK)
        return status;
    if (!wt_set_watches(m, &watch, 1))
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    while (m->time < now)
        wt_timeline_run(e->timeline, now - m->time);
    *count = counting.count;
    wt_emulated_watch_again(e);
    return wt_timeline_goto(e->timeline, now, err);
}

enum wt_status wt_emulated_writers(struct wt_emulated *e, const struct wt_watchpoint *range,
                                   struct wt_slice_seed seed[WT_EMULATED_WRITES], size_t *seeds,
                                   uint64_t *unwritten, struct wt_error *err)
{
    struct wt_touches touches;
    const uint64_t now = e->machine->time;
    enum wt_status status = search(e, range, WT_EMULATED_WRITES, &touches, err);
    if (status)
        return status;
    status = wt_touch_seeds(touches.list, touches.count, range->addr, range->size, NULL, seed,
                            seeds, unwritten, NULL, err);
    wt_touches_free(&touches);
    return status ? status : wt_timeline_goto(e->timeline, now, err);
}

enum wt_status wt_emulated_slice(struct wt_emulated *e, const struct wt_slice_seed *seed,
                                 size_t seeds, const struct wt_slice_limits *limits,
                                 struct wt_slice_found *found, struct wt_error *err)
{
    const struct wt_history_services *h = &wt_emulated_history;
    const uint64_t now = e->machine->time;
    enum wt_history_step step;
    enum wt_status status = h->slice(e, seed, seeds, limits, err);
    if (status)
        return status;
    while ((step = h->slice_on(e, BUDGET, err)) == WT_HISTORY_ON)
        continue;
    if (step == WT_HISTORY_FAILED)
        return err->status;
    if ((status = h->slice_end(e, found, err)) == WT_OK)
        status = wt_timeline_goto(e->timeline, now, err);
    return status;
}
