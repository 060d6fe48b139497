/* Searching a recorded run, window by window. See search.h. */
#include "emulator/machine/search.h"

#include <assert.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/watch.h"

/* Issues of the first window, and how much wider the next one is. */
#define FIRST_WIDTH 64
#define WIDER 8
/* Issues of a way on which it is worth saving states. */
#define LONG_WAY 4096

void wt_search_begin(struct wt_search *s, struct wt_timeline *timeline, struct wt_machine *machine,
                     bool backwards, struct wt_watch *watch, size_t watches)
{
    assert(s && timeline && machine && (watch || !watches));
    wt_watch_pin(machine, watch, watches);
    *s = (struct wt_search){.timeline = timeline,
                            .machine = machine,
                            .watch = watch,
                            .watches = watches,
                            .backwards = backwards,
                            .width = FIRST_WIDTH,
                            .low = machine->time,
                            .from = machine->time,
                            .high = backwards ? machine->time : wt_timeline_end(timeline)};
    while (s->code < watches &&
           (watch[s->code].kind == WT_WATCH_EXECUTE || watch[s->code].kind == WT_WATCH_ISSUE))
        s->code++;
}

void wt_search_accept(struct wt_search *s)
{
    s->have_best = true;
    s->best = s->place.time;
}

void wt_search_pass(struct wt_search *s)
{
    assert(!s->backwards);
    s->from = s->place.time;
    s->behind = s->place.time + 1;
    s->pass = true;
    s->scanning = false;
}

/* Chooses the window before the one that was searched last; false at the beginning. */
static bool next_window(struct wt_search *s)
{
    assert(s->backwards && s->low <= s->high);
    const uint64_t start = wt_timeline_start(s->timeline);
    s->high = s->low;
    if (s->high <= start)
        return false;
    const uint64_t saved = wt_timeline_saved_before(s->timeline, s->high - 1);
    s->low = s->high - start > s->width ? s->high - s->width : start;
    if (s->low < saved)
        s->low = saved;
    s->from = s->low;
    if (s->width < UINT64_MAX / WIDER)
        s->width *= WIDER;
    return true;
}

static enum wt_search_step fail(struct wt_search *s, const struct wt_error *why,
                                struct wt_error *err)
{
    wt_set_watches(s->machine, NULL, 0);
    wt_fail(err, why->status, "%s", why->text);
    return WT_SEARCH_FAILED;
}

/*
 * Goes there from the state saved before it, in slices. True when it has arrived. On a long way
 * states are saved, the nearer the denser: a user who steps back will soon be a little before.
 */
static bool approach(struct wt_search *s, uint64_t budget)
{
    assert(budget > 0);
    struct wt_machine *m = s->machine;
    if (m->time >= s->from)
        return true;
    const uint64_t left = s->from - m->time;
    uint64_t part = left < budget ? left : budget;
    if (s->backwards && left >= LONG_WAY && part > left - left / WIDER)
        part = left - left / WIDER;
    wt_timeline_run(s->timeline, part);
    if (s->backwards && part >= LONG_WAY - LONG_WAY / WIDER)
        wt_timeline_keep(s->timeline);
    return m->time >= s->from;
}

/* Begins with the next window; the search has ended if this is not WT_SEARCH_ON. */
static enum wt_search_step open_window(struct wt_search *s, struct wt_error *err)
{
    struct wt_error why;
    wt_set_watches(s->machine, NULL, 0);
    if (s->have_best) {
        if (wt_timeline_goto(s->timeline, s->best, &why))
            return fail(s, &why, err);
        return WT_SEARCH_FOUND;
    }
    const uint64_t last = s->low;
    const bool more = next_window(s);
    const uint64_t to = more ? wt_timeline_saved_before(s->timeline, s->low) : last;
    if (wt_timeline_goto(s->timeline, to, &why))
        return fail(s, &why, err);
    return more ? WT_SEARCH_ON : WT_SEARCH_EDGE;
}

static enum wt_search_step scan(struct wt_search *s, uint64_t budget, struct wt_error *err)
{
    assert(s->scanning && budget > 0);
    struct wt_machine *m = s->machine;
    struct wt_error why;
    const uint64_t left = (s->behind ? s->behind : s->high) - m->time;
    if (wt_timeline_run(s->timeline, left < budget ? left : budget) != WT_RUN_WATCH)
        return WT_SEARCH_ON;
    const struct wt_watch_hit last = s->place;
    const bool restored = s->restored;
    s->restored = false;
    s->place = m->hit[0];
    s->kinds = 0;
    for (size_t i = 0; i < m->hits; i++)
        s->kinds |= 1u << m->hit[i].kind;
    if (s->backwards && s->place.time >= s->high)
        return WT_SEARCH_ON; /* an attempt to issue where the window ends */
    /* The same place once more: the state before it was restored, or the wave was halted there, and
     * issues now. (Backwards the last one counts.) */
    if ((restored || !s->backwards) && s->place.kind >= WT_WATCH_EXECUTE &&
        s->place.kind == last.kind && s->place.time == last.time && s->place.wave == last.wave &&
        s->place.pc == last.pc) {
        /* With a step by the debug hardware comes what it did to memory. */
        size_t i = 0;
        while (i < m->hits && !m->hit[i].size)
            i++;
        if (i == m->hits)
            return WT_SEARCH_ON;
        s->place = m->hit[i];
        s->kinds = 1u << s->place.kind;
        return WT_SEARCH_PLACE;
    }
    /* A step by the debug hardware is reported after it: go back to before it, then run it again
     * for its memory accesses. */
    if (!s->place.size && m->time > s->place.time) {
        s->from = s->place.time;
        s->behind = m->time;
        s->scanning = false;
        wt_set_watches(m, NULL, 0);
        if (wt_timeline_goto(s->timeline, s->place.time, &why))
            return fail(s, &why, err);
    }
    return WT_SEARCH_PLACE;
}

enum wt_search_step wt_search_on(struct wt_search *s, uint64_t budget, struct wt_error *err)
{
    assert(s->timeline && s->machine && err && s->code <= s->watches);
    struct wt_machine *m = s->machine;
    struct wt_error why;
    s->restored |= wt_timeline_is_looking(s->timeline);
    if (wt_timeline_look(s->timeline, false, &why))
        return fail(s, &why, err);
    if (s->behind && s->scanning && m->time >= s->behind) {
        s->from = s->behind;
        s->behind = 0;
        s->scanning = false;
        if (s->pass) {
            wt_set_watches(m, NULL, 0);
            return WT_SEARCH_FOUND;
        }
    }
    /* Forwards, what happened without an issue at the end belongs to it. */
    if (s->scanning && m->time >= s->high && (s->backwards || wt_timeline_at_end(s->timeline))) {
        s->scanning = false;
        if (!s->backwards) {
            wt_set_watches(m, NULL, 0);
            return WT_SEARCH_EDGE;
        }
    }
    if (s->scanning)
        return scan(s, budget, err);
    if (s->backwards && m->time >= s->high) {
        const enum wt_search_step step = open_window(s, err);
        if (step != WT_SEARCH_ON)
            return step;
    }
    if (!approach(s, budget))
        return WT_SEARCH_ON;
    const size_t first = s->behind ? s->code : 0;
    if (!wt_set_watches(m, s->watch + first, s->watches - first)) {
        wt_fail(&why, WT_NO_MEMORY, "no host memory to search the past");
        return fail(s, &why, err);
    }
    s->scanning = true;
    return WT_SEARCH_ON;
}
