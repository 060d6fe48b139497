/* See clocks.h. */
#include "explore/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void explore_clocks_clear(struct explore_clocks *c, uint32_t waves)
{
    memset(c->now, 0, waves * sizeof *c->now);
    c->ended = (struct explore_clock){0};
    c->ready = (explore_waves){{0}};
    c->barriers = 0;
    wt_map_free(&c->barrier);
}

void explore_clocks_free(struct explore_clocks *c)
{
    explore_clocks_clear(c, 0);
    free(c->step);
    free(c->arrived);
}

static void join(struct explore_clock *to, const struct explore_clock *from)
{
    for (size_t i = 0; i < EXPLORE_WAVES; i++)
        to->last[i] = to->last[i] > from->last[i] ? to->last[i] : from->last[i];
}

bool explore_follows(const struct explore_clocks *c, const struct explore_steps *steps, size_t a,
                     size_t b)
{
    return c->step[a].last[steps->step[b].wave] > b;
}

/* Joins what conflicts with the last step into its clock, the latest first: what one of these
 * follows is no race. */
static void join_conflicts(struct explore_clocks *c, const struct explore_steps *steps,
                           struct explore_clock *clock, size_t race[EXPLORE_WAVES], size_t *races)
{
    const size_t last = steps->count - 1;
    const struct explore_step *own = &steps->step[last];
    const size_t count = own->access_end - own->access;
    for (size_t i = last; count && i-- > 0;) {
        const struct explore_step *other = &steps->step[i];
        if (other->wave == own->wave || clock->last[other->wave] > i ||
            !explore_lists_conflict(steps->access + own->access, count,
                                    steps->access + other->access,
                                    other->access_end - other->access))
            continue;
        race[(*races)++] = i;
        join(clock, &c->step[i]);
    }
}

/* The clock of a barrier; NULL without host memory. */
static struct explore_clock *barrier_clock(struct explore_clocks *c, uint64_t barrier)
{
    uint64_t *place = wt_map_add(&c->barrier, barrier + 1 ? barrier + 1 : 1);
    struct explore_clock *grown =
        wt_array_grow(c->arrived, &c->arrived_capacity, c->barriers + 1, sizeof *grown);
    if (!place || !grown)
        return NULL;
    c->arrived = grown;
    if (!*place) {
        c->arrived[c->barriers] = (struct explore_clock){0};
        *place = ++c->barriers;
    }
    return &c->arrived[*place - 1];
}

static bool take_events(struct explore_clocks *c, const struct explore_steps *steps,
                        const struct explore_clock *clock)
{
    for (size_t i = 0; i < steps->event_count; i++) {
        const struct explore_event *e = &steps->event[i];
        struct explore_clock *barrier = NULL;
        if ((e->kind == WT_SEEN_ARRIVE || e->kind == WT_SEEN_RELEASE) &&
            !(barrier = barrier_clock(c, e->barrier)))
            return false;
        if (e->kind == WT_SEEN_ARRIVE)
            join(barrier, clock);
        else if (e->kind == WT_SEEN_RELEASE)
            join(&c->now[e->wave], barrier);
        else if (e->kind == WT_SEEN_WAVE_END)
            join(&c->ended, clock);
        else
            join(&c->now[e->wave], &c->ended);
    }
    return true;
}

bool explore_clocks_step(struct explore_clocks *c, struct explore_steps *steps,
                         size_t race[EXPLORE_WAVES], size_t *races)
{
    const size_t last = steps->count - 1;
    const uint32_t wave = steps->step[last].wave;
    struct explore_clock *grown = wt_array_grow(c->step, &c->capacity, last + 1, sizeof *grown);
    if (!grown)
        return false;
    c->step = grown;
    struct explore_clock *clock = &c->step[last];
    *clock = c->now[wave];
    join_conflicts(c, steps, clock, race, races);
    clock->last[wave] = (uint32_t)last + 1;
    c->now[wave] = *clock;
    if (!take_events(c, steps, clock))
        return false;
    /* Waves that the step has made ready follow it. */
    const explore_waves ready = explore_ready(steps);
    explore_waves woken = waves_less(ready, c->ready);
    waves_drop(&woken, wave);
    explore_clocks_wake(c, steps, woken);
    return true;
}

void explore_clocks_wake(struct explore_clocks *c, const struct explore_steps *steps,
                         explore_waves waves)
{
    for (uint32_t i = 0; (i = waves_next(&waves, i)) != UINT32_MAX; i++)
        join(&c->now[i], &c->step[steps->count - 1]);
}
