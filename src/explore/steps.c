/* See steps.h. */
#include "explore/steps.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "emulator/machine/watch_set.h"

/* The number of a slot's wave; UINT32_MAX, and too_many is set: there is none left. */
static uint32_t number_of(struct explore_steps *s, uint32_t slot)
{
    if (s->number[slot] == UINT32_MAX && s->waves < EXPLORE_WAVES) {
        s->slot[s->waves] = slot;
        s->number[slot] = s->waves++;
    }
    s->too_many |= s->number[slot] == UINT32_MAX;
    return s->number[slot];
}

explore_waves explore_ready(struct explore_steps *s)
{
    const struct wt_turns *t = &s->machine->turns;
    explore_waves all = {{0}};
    for (size_t i = 0; i < wt_turns_words(t); i++)
        for (uint64_t word = t->ready[i]; word; word &= word - 1) {
            const uint32_t slot = (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(word);
            const uint32_t number = number_of(s, slot);
            if (number != UINT32_MAX)
                waves_add(&all, number);
        }
    return all;
}

/* ---- what an observer is told ---- */

/* Adds a range, or makes the last one of the step longer by it. */
static void add_access(struct explore_steps *s, const struct explore_access *a)
{
    struct explore_access *last =
        s->access_count > s->begun ? &s->access[s->access_count - 1] : NULL;
    if (last && last->space == a->space && last->home == a->home && last->write == a->write &&
        a->first >= last->first && a->first <= last->last + 1) {
        last->last = a->last > last->last ? a->last : last->last;
        return;
    }
    struct explore_access *grown =
        wt_array_grow(s->access, &s->access_capacity, s->access_count + 1, sizeof *grown);
    if (!grown) {
        s->failed = true;
        return;
    }
    s->access = grown;
    s->access[s->access_count++] = *a;
}

static void take_access(void *context, struct wt_machine *m, const struct wt_observed *o)
{
    struct explore_steps *s = context;
    const bool write = o->kind != WT_WATCH_READ;
    if (o->space == WT_OBSERVED_CONSTANT)
        return;
    if (o->space == WT_OBSERVED_PRIVATE) {
        s->is_private = true;
        s->writes_private |= write;
        return;
    }
    for (wt_lanes left = o->lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        add_access(s, &(struct explore_access){.space = o->space,
                                               .home = o->home,
                                               .first = o->at[lane],
                                               .last = o->at[lane] + o->size - 1,
                                               .write = write,
                                               .lane = lane});
    }
}

static void take_issue(void *context, struct wt_machine *m, const struct wt_issue *issue)
{
    ((struct explore_steps *)context)->issued = issue->wave;
}

static void take_event(void *context, struct wt_machine *m, const struct wt_observed_event *e)
{
    struct explore_steps *s = context;
    if (e->kind == WT_SEEN_GROUP && e->time > 0)
        s->late_groups = true;
    if (e->kind != WT_SEEN_ARRIVE && e->kind != WT_SEEN_RELEASE && e->kind != WT_SEEN_WAVE &&
        e->kind != WT_SEEN_WAVE_END && e->kind != WT_SEEN_ALONE)
        return;
    const uint32_t wave = number_of(s, e->wave);
    struct explore_event *grown =
        wt_array_grow(s->event, &s->event_capacity, s->event_count + 1, sizeof *grown);
    s->event = grown ? grown : s->event;
    s->failed |= !grown;
    if (!grown || wave == UINT32_MAX)
        return;
    s->event[s->event_count++] =
        (struct explore_event){e->kind, wave, e->home ^ (uint64_t)e->number << 48 ^ e->barrier};
}

bool explore_steps_begin(struct explore_steps *s, struct wt_machine *m)
{
    *s = (struct explore_steps){.machine = m, .issued = UINT32_MAX};
    s->number = malloc(m->waves * sizeof *s->number);
    if (!s->number)
        return false;
    memset(s->number, 0xff, m->waves * sizeof *s->number);
    if (!wt_observe(m, take_access, s, NULL, 0))
        return false;
    wt_observe_issues(m, NULL, take_issue);
    wt_observe_events(m, take_event);
    return true;
}

void explore_steps_end(struct explore_steps *s)
{
    if (s->machine)
        wt_observe(s->machine, NULL, NULL, NULL, 0);
    free(s->number);
    free(s->step);
    free(s->access);
    free(s->event);
    *s = (struct explore_steps){0};
}

void explore_steps_clear(struct explore_steps *s)
{
    s->count = s->access_count = s->event_count = s->begun = 0;
}

/* ---- steps ---- */

/* Where groups wait for the end of others, the order of these ends decides who gets which place. */
static void note_ends(struct explore_steps *s)
{
    const struct explore_access end = {
        .space = WT_OBSERVED_DEVICE, .home = UINT64_MAX, .write = true};
    for (size_t i = 0; s->late_groups && i < s->event_count; i++)
        if (s->event[i].kind == WT_SEEN_WAVE_END)
            add_access(s, &end);
}

bool explore_steps_issue(struct explore_steps *s, uint32_t wave, enum wt_run *result)
{
    struct wt_machine *m = s->machine;
    const uint64_t time = m->time;
    s->begun = s->access_count;
    s->event_count = 0;
    s->writes_private = s->is_private = false;
    s->issued = s->slot[wave];
    m->turns.current = s->slot[wave];
    m->turns.left = 1;
    *result = m->ops->run(m, 1);
    if (m->time == time && *result != WT_RUN_FAULT)
        return false;
    note_ends(s);
    struct explore_step *grown = wt_array_grow(s->step, &s->capacity, s->count + 1, sizeof *grown);
    if (!grown) {
        s->failed = true;
        return false;
    }
    s->step = grown;
    s->step[s->count++] = (struct explore_step){.wave = number_of(s, s->issued),
                                                .time = time,
                                                .access = s->begun,
                                                .access_end = s->access_count,
                                                .writes_private = s->writes_private,
                                                .is_private = s->is_private};
    return true;
}

void explore_steps_cut(struct explore_steps *s, size_t first)
{
    if (first < s->count) {
        s->access_count = s->step[first].access;
        s->count = first;
    }
}

bool explore_steps_put(struct explore_steps *s, uint32_t wave, const void *accesses, size_t count)
{
    struct explore_step *grown = wt_array_grow(s->step, &s->capacity, s->count + 1, sizeof *grown);
    if (!grown)
        return false;
    s->step = grown;
    struct explore_access *more = s->access;
    if (count && !(more = wt_array_grow(s->access, &s->access_capacity, s->access_count + count,
                                        sizeof *more)))
        return false;
    s->access = more;
    if (count)
        memcpy(more + s->access_count, accesses, count * sizeof *more);
    s->step[s->count++] = (struct explore_step){
        .wave = wave, .access = s->access_count, .access_end = s->access_count + count};
    s->access_count += count;
    return true;
}

bool explore_steps_adopt(struct explore_steps *s, const void *slots, uint32_t waves,
                         bool late_groups)
{
    for (uint32_t i = 0; i < waves; i++) {
        uint32_t slot;
        memcpy(&slot, (const uint8_t *)slots + i * sizeof slot, sizeof slot);
        if (slot >= s->machine->waves || number_of(s, slot) != i)
            return false;
    }
    s->late_groups |= late_groups;
    return s->waves == waves;
}

static bool conflict(const struct explore_access *a, const struct explore_access *b)
{
    return a->first <= b->last && b->first <= a->last && (a->write || b->write) &&
           a->space == b->space && a->home == b->home;
}

bool explore_lists_conflict(const struct explore_access *a, size_t a_count,
                            const struct explore_access *b, size_t b_count)
{
    for (size_t i = 0; i < a_count; i++)
        for (size_t j = 0; j < b_count; j++)
            if (conflict(&a[i], &b[j]))
                return true;
    return false;
}
