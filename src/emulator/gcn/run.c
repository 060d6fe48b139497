/* The scheduler and the main loop. */
#include "emulator/gcn/internal.h"

#include <stdio.h>
#include <string.h>

/* Lets w issue up to n instructions; returns how many it has issued. */
static uint64_t turn(struct gcn_device *d, struct gcn_wave *w, uint64_t n)
{
    d->slice = n;
    w->left = n - 1;
    d->not_issued = false;
    const struct gcn_uop *u = gcn_fetch(w, w->pc);
    if (!u)
        return 0;
    u = u->run(w, u);
    while (u && w->left) {
        w->left--;
        u = u->run(w, u);
    }
    if (u)
        w->pc = gcn_pc_of(w, u);
    const uint64_t issued = n - w->left - d->not_issued;
    d->machine.time += issued;
    return issued;
}

/* The next ready wave after flat index `after`, going round; there is one. */
static struct gcn_wave *next_ready(struct gcn_device *d, uint32_t after)
{
    const uint32_t words = (d->machine.waves + 63) / 64;
    const uint32_t from = after + 1 < d->machine.waves ? after + 1 : 0;
    uint32_t i = from / 64;
    uint64_t word = d->ready[i] & (~(uint64_t)0 << (from % 64));
    while (!word) {
        i = i + 1 < words ? i + 1 : 0;
        word = d->ready[i];
    }
    return &d->wave[i * 64 + (uint32_t)__builtin_ctzll(word)];
}

/* The next wave of this round of lockstep that can still issue; a new round when it is over. */
static struct gcn_wave *next_in_round(struct gcn_device *d)
{
    const uint32_t words = (d->machine.waves + 63) / 64;
    for (;;) {
        for (uint32_t i = 0; i < words; i++) {
            const uint64_t left = d->round[i] & d->ready[i];
            if (left) {
                const uint32_t bit = (uint32_t)__builtin_ctzll(left);
                d->round[i] &= ~(uint64_t)1 << bit;
                return &d->wave[i * 64 + bit];
            }
            d->round[i] = 0;
        }
        memcpy(d->round, d->ready, words * sizeof *d->round);
    }
}

/* The n-th (from 0) of the ready waves. */
static struct gcn_wave *nth_ready(struct gcn_device *d, uint32_t n)
{
    for (uint32_t i = 0;; i++) {
        uint64_t word = d->ready[i];
        const uint32_t count = (uint32_t)__builtin_popcountll(word);
        if (n >= count) {
            n -= count;
            continue;
        }
        while (n--)
            word &= word - 1;
        return &d->wave[i * 64 + (uint32_t)__builtin_ctzll(word)];
    }
}

static bool can_issue(const struct gcn_device *d, const struct gcn_wave *w)
{
    return d->ready[w->id / 64] >> (w->id % 64) & 1;
}

/* The wave whose turn it is; NULL if none can issue. */
static struct gcn_wave *schedule(struct gcn_device *d)
{
    if (!d->ready_count)
        return NULL;
    struct wt_schedule *policy = &d->config.schedule;
    struct gcn_wave *current = &d->wave[d->cursor];
    if (d->turn_left && can_issue(d, current))
        return current;
    struct gcn_wave *next = NULL;
    switch (policy->kind) {
    case WT_SCHEDULE_RR:
        next = next_ready(d, d->cursor);
        d->turn_left = policy->turn;
        break;
    case WT_SCHEDULE_LOCKSTEP:
        next = next_in_round(d);
        d->turn_left = 1;
        break;
    case WT_SCHEDULE_RANDOM:
        next = nth_ready(d, (uint32_t)(wt_schedule_random(policy) % d->ready_count));
        d->turn_left = 1 + (uint32_t)(wt_schedule_random(policy) % 16);
        break;
    }
    d->cursor = next->id;
    return next;
}

/* No wave can issue: why? */
static enum wt_run stopped(struct gcn_device *d)
{
    if (d->active_waves == 0)
        return WT_RUN_ENDED;
    uint32_t waiting = d->machine.waves;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        if (d->wave[i].active && d->wave[i].status & GCN_STATUS_HALT)
            return WT_RUN_HALTED;
        if (d->wave[i].active && waiting == d->machine.waves)
            waiting = i;
    }
    d->machine.fault = (struct wt_fault){
        .kind = WT_FAULT_DEADLOCK,
        .wave = waiting,
        .lanes = gcn_exec(&d->wave[waiting]),
        .pc = d->wave[waiting].wait_pc,
        .time = d->machine.time,
        .text = "deadlock: every active wave waits at a barrier for another one",
    };
    return WT_RUN_FAULT;
}

enum wt_run gcn_run(struct wt_machine *m, uint64_t issues)
{
    struct gcn_device *d = (struct gcn_device *)m;
    if (m->fault.kind)
        return WT_RUN_FAULT;
    const uint64_t end = m->time + issues;
    while (m->time < end) {
        struct gcn_wave *w = schedule(d);
        if (!w)
            return stopped(d);
        const uint64_t n = end - m->time < d->turn_left ? end - m->time : d->turn_left;
        const uint64_t issued = turn(d, w, n);
        /* s_sleep gives the rest of its turn away. */
        d->turn_left -= d->turn_left < issued ? d->turn_left : (uint32_t)issued;
        if (m->fault.kind)
            return WT_RUN_FAULT;
    }
    return d->active_waves ? WT_RUN_BUDGET : WT_RUN_ENDED;
}
