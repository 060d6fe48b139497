/* The decisions of the check of memory in a machine's recorded run, and its reports. */
#include <stdio.h>
#include <string.h>

#include "check/followed.h"
#include "check/memory_state.h"
#include "emulator/machine/engine.h"

static uint64_t mixed(uint64_t key, uint64_t number)
{
    return (key ^ number) * UINT64_C(0x9e3779b97f4a7c15) ^ key >> 29;
}

/* A key that tells the questions of one issue apart: place, kind, lanes and addresses. */
static uint64_t key_of(const struct question *q)
{
    const struct wt_lane_access *a = q->access;
    uint64_t key = mixed(mixed(a->pc, (uint64_t)a->space << 32 | a->kind), a->size);
    key = mixed(mixed(key, (uint64_t)q->lanes), (uint64_t)(q->lanes >> 64));
    for (wt_lanes left = q->lanes; left; left &= left - 1)
        key = mixed(key, q->at[wt_lanes_lowest(left)]);
    return key;
}

/* Takes back a decision of a future that was dropped: its allocations and releases of the heap. */
static void take_back(void *context, const struct wt_decision *one)
{
    struct wt_check_memory *c = context;
    if (one->takes)
        wt_object_freed(c->space, one->address, "free");
    else if (one->frees)
        wt_object_made(c->space, one->address, one->size, WT_CHECK_HEAP);
}

void memory_decide(struct wt_check_memory *c, const struct wt_wave_head *w,
                   struct wt_decision decision)
{
    struct wt_machine *m = c->machine;
    decision.time = wt_issue_time(m, w->left);
    if (decision.lanes && !decision.key)
        decision.key = key_of(&c->now);
    if (m->recorded)
        wt_decisions_add(&c->decisions, &decision);
}

void memory_begin_question(struct wt_check_memory *c, const struct wt_wave_head *w)
{
    const struct wt_machine *m = c->machine;
    const size_t count = c->decisions.count;
    if (c->resets != m->resets) { /* nothing has been written yet */
        memset(c->good, 0, sizeof c->good);
        memset(c->allowed, 0, sizeof c->allowed);
        wt_decisions_drop(&c->decisions, 0, NULL, NULL);
    } else if (count && c->decisions.list[count - 1].time >= m->time) {
        wt_decisions_drop(&c->decisions, wt_issue_time(m, w->left) + 1, take_back, c);
    }
    c->resets = m->resets;
}

/* The lanes that a mistake is told of: an access of the wave's may be one of lanes that are off. */
static wt_lanes told(const struct wt_lane_access *a, wt_lanes lanes)
{
    return a->of_wave ? wt_lane_bit(a->owner) : lanes;
}

wt_lanes memory_decided(struct wt_check_memory *c)
{
    const struct question *q = &c->now;
    const uint64_t time = wt_issue_time(c->machine, q->wave->left);
    size_t i = wt_decisions_at(&c->decisions, time);
    if (i == c->decisions.count || c->decisions.list[i].time != time)
        return 0;
    const uint64_t key = key_of(q);
    wt_lanes refused = 0;
    for (; i < c->decisions.count && c->decisions.list[i].time == time; i++) {
        const struct wt_decision *one = &c->decisions.list[i];
        if (one->key != key || one->takes || one->frees)
            continue;
        refused |= one->lanes;
        if (one->kind != WT_DECISION_MORE)
            wt_engine_mistake(c->machine, q->wave, one->kind, q->access->pc,
                              told(q->access, one->lanes), one->address, (unsigned)one->size);
    }
    return refused;
}

/* ---- mistakes ---- */

static enum wt_access access_of(enum wt_watch_kind kind)
{
    return kind == WT_WATCH_READ    ? WT_ACCESS_LOAD
           : kind == WT_WATCH_WRITE ? WT_ACCESS_STORE
                                    : WT_ACCESS_ATOMIC;
}

/* Whether a mistake is not one that is executed again: since the instruction faults, or on another
 * way into the same future. */
static bool is_new(struct wt_check_memory *c, const struct wt_finding *f,
                   const struct wt_decision *decision)
{
    const bool again =
        (f->time == c->last && f->pc == c->last_pc && f->address == c->last_address) ||
        wt_decisions_has(&c->decisions, decision);
    c->last = f->time;
    c->last_pc = f->pc;
    c->last_address = f->address;
    return !again;
}

struct wt_finding memory_finding(struct wt_check_memory *c, const struct wt_wave_head *w,
                                 const struct wt_lane_access *a, const struct mistake *bad,
                                 enum wt_finding_space space)
{
    struct wt_machine *m = c->machine;
    struct wt_finding f = {.kind = bad->kind,
                           .severity = wt_finding_severity(bad->kind, false),
                           .space = space,
                           .access = a->size ? access_of(a->kind) : WT_NO_ACCESS,
                           .bytes = a->size,
                           .address = bad->at,
                           .pc = a->pc,
                           .time = wt_issue_time(m, w->left),
                           .times = 1};
    wt_finding_of_wave(&f, m, w->id, told(a, bad->lanes));
    if (bad->object.size)
        wt_finding_of_object(&f, &bad->object);
    snprintf(f.text, sizeof f.text, "%s", bad->what ? bad->what : "");
    if (bad->frees)
        f.access = WT_NO_ACCESS;
    return f;
}

void memory_report(struct wt_check_memory *c, const struct wt_wave_head *w,
                   const struct wt_lane_access *a, const struct mistake *bad,
                   enum wt_finding_space space)
{
    if (c->no_access)
        return;
    const struct wt_finding f = memory_finding(c, w, a, bad, space);
    const struct wt_decision decision = {.time = f.time,
                                         .key = key_of(&c->now),
                                         .lanes = bad->lanes,
                                         .address = bad->at,
                                         .size = a->size,
                                         .kind = bad->kind};
    if (is_new(c, &f, &decision))
        c->found(c->context, &f);
    memory_decide(c, w, decision);
    c->now.told |= bad->lanes;
    wt_engine_mistake(c->machine, w, bad->kind, a->pc, told(a, bad->lanes), bad->at, a->size);
}
