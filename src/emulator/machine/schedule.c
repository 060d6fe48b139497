/* Parsing and state of the scheduling policies. See schedule.h. */
#include "emulator/machine/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum wt_status bad(const char *text, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID,
                   "schedule '%s' is not one of rr:N (N = 1..1000000), lockstep, random:SEED", text);
}

enum wt_status wt_schedule_parse(const char *text, struct wt_schedule *schedule,
                                 struct wt_error *err)
{
    struct wt_schedule s = {.turn = 1};
    const char *number = NULL;
    if (strcmp(text, "lockstep") == 0)
        s.kind = WT_SCHEDULE_LOCKSTEP;
    else if (strncmp(text, "rr:", 3) == 0)
        s.kind = WT_SCHEDULE_RR, number = text + 3;
    else if (strncmp(text, "random:", 7) == 0)
        s.kind = WT_SCHEDULE_RANDOM, number = text + 7;
    else
        return bad(text, err);
    if (number) {
        char *end;
        errno = 0;
        unsigned long long value = strtoull(number, &end, 0);
        if (end == number || *end || errno || *number == '-')
            return bad(text, err);
        if (s.kind == WT_SCHEDULE_RANDOM)
            s.seed = value;
        else if (value < 1 || value > 1000000)
            return bad(text, err);
        else
            s.turn = (uint32_t)value;
    }
    wt_schedule_reset(&s);
    *schedule = s;
    return WT_OK;
}

void wt_schedule_reset(struct wt_schedule *schedule)
{
    schedule->state = schedule->seed;
}

uint64_t wt_schedule_random(struct wt_schedule *schedule)
{
    uint64_t z = schedule->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint32_t words(const struct wt_candidates *c)
{
    return (c->waves + 63) / 64;
}

/* The next one after the last, going round. */
static uint32_t next_ready(const struct wt_candidates *c)
{
    const uint32_t from = c->last + 1 < c->waves ? c->last + 1 : 0;
    uint32_t i = from / 64;
    uint64_t word = c->ready[i] & (~(uint64_t)0 << (from % 64));
    while (!word) {
        i = i + 1 < words(c) ? i + 1 : 0;
        word = c->ready[i];
    }
    return i * 64 + (uint32_t)__builtin_ctzll(word);
}

/* The next one of this round that can still issue; a new round when it is over. */
static uint32_t next_in_round(const struct wt_candidates *c)
{
    for (;;) {
        for (uint32_t i = 0; i < words(c); i++) {
            const uint64_t left = c->round[i] & c->ready[i];
            if (left) {
                const uint32_t bit = (uint32_t)__builtin_ctzll(left);
                /* What lies before it in this round cannot issue any more. */
                c->round[i] &= ~(uint64_t)1 << bit;
                return i * 64 + bit;
            }
            c->round[i] = 0;
        }
        memcpy(c->round, c->ready, words(c) * sizeof *c->round);
    }
}

/* The n-th, from 0. */
static uint32_t nth_ready(const struct wt_candidates *c, uint32_t n)
{
    for (uint32_t i = 0;; i++) {
        uint64_t word = c->ready[i];
        const uint32_t count = (uint32_t)__builtin_popcountll(word);
        if (n >= count) {
            n -= count;
            continue;
        }
        while (n--)
            word &= word - 1;
        return i * 64 + (uint32_t)__builtin_ctzll(word);
    }
}

uint32_t wt_schedule_next(struct wt_schedule *schedule, const struct wt_candidates *from,
                          uint32_t *turn)
{
    uint32_t next = 0;
    switch (schedule->kind) {
    case WT_SCHEDULE_RR:
        next = next_ready(from);
        *turn = schedule->turn;
        break;
    case WT_SCHEDULE_LOCKSTEP:
        next = next_in_round(from);
        *turn = 1;
        break;
    case WT_SCHEDULE_RANDOM:
        next = nth_ready(from, (uint32_t)(wt_schedule_random(schedule) % from->ready_count));
        *turn = 1 + (uint32_t)(wt_schedule_random(schedule) % 16);
        break;
    }
    return next;
}
