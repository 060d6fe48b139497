/* Scheduling policies, and whose turn it is. See schedule.h. */
#include "emulator/machine/schedule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/check.h"
#include "base/file.h"

enum {
    MOST_TURN = WT_LONGEST_TURN,
    LAST_TURN = 64, /* behind the last choice of a list */
};

static enum wt_status bad(const char *text, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID,
                   "schedule '%s' is not one of rr:N (N = 1..1000000), lockstep, random:SEED, "
                   "file:FILE",
                   text);
}

/* Makes a schedule of a file. */
static enum wt_status read_choices(const char *path, struct wt_schedule *schedule,
                                   struct wt_error *err)
{
    uint8_t *text = NULL;
    size_t length;
    struct wt_choices *choices = calloc(1, sizeof *choices);
    if (!choices)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    enum wt_status status = wt_file_read(path, &text, &length, err);
    if (!status && strlen((const char *)text) != length)
        status = wt_fail(err, WT_INVALID, "%s: it is not text: there is a byte 0", path);
    if (!status)
        status = wt_choices_parse(choices, path, (const char *)text, err);
    free(text);
    *schedule = (struct wt_schedule){.kind = WT_SCHEDULE_FILE, .turn = 1, .choices = choices};
    if (status)
        wt_schedule_free(schedule);
    return status;
}

enum wt_status wt_schedule_parse(const char *text, struct wt_schedule *schedule,
                                 struct wt_error *err)
{
    assert(text && schedule && err);
    struct wt_schedule s = {.turn = 1};
    const char *number = NULL;
    if (strncmp(text, "file:", 5) == 0 && text[5])
        return read_choices(text + 5, schedule, err);
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
        else if (value < 1 || value > MOST_TURN)
            return bad(text, err);
        else
            s.turn = (uint32_t)value;
    }
    s.state = s.seed;
    *schedule = s;
    return WT_OK;
}

void wt_schedule_free(struct wt_schedule *schedule)
{
    struct wt_choices *choices = (struct wt_choices *)schedule->choices;
    if (choices)
        wt_choices_free(choices);
    free(choices);
    *schedule = (struct wt_schedule){.turn = 1};
}

/* ---- choosing ---- */

/* The next number of the sequence (splitmix64). */
static uint64_t next_random(struct wt_schedule *schedule)
{
    uint64_t z = schedule->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* The next one after the last, going round. */
static uint32_t next_ready(const struct wt_turns *t)
{
    WT_CHECK(t->ready_count > 0 && t->current < t->waves);
    const uint32_t from = t->current + 1 < t->waves ? t->current + 1 : 0;
    uint32_t i = from / 64;
    uint64_t word = t->ready[i] & (~(uint64_t)0 << (from % 64));
    while (!word) {
        i = i + 1 < wt_turns_words(t) ? i + 1 : 0;
        word = t->ready[i];
    }
    return i * 64 + (uint32_t)__builtin_ctzll(word);
}

/* The next one of this round that can still issue; a new round when it is over. */
static uint32_t next_in_round(struct wt_turns *t)
{
    assert(t->ready_count > 0);
    for (;;) {
        for (uint32_t i = 0; i < wt_turns_words(t); i++) {
            const uint64_t left = t->round[i] & t->ready[i];
            if (left) {
                const uint32_t bit = (uint32_t)__builtin_ctzll(left);
                /* Waves before it cannot issue any more in this round. */
                t->round[i] &= ~(uint64_t)1 << bit;
                return i * 64 + bit;
            }
            t->round[i] = 0;
        }
        memcpy(t->round, t->ready, wt_turns_words(t) * sizeof *t->round);
    }
}

/* The n-th, from 0. */
static uint32_t nth_ready(const struct wt_turns *t, uint32_t n)
{
    assert(n < t->ready_count);
    for (uint32_t i = 0;; i++) {
        uint64_t word = t->ready[i];
        const uint32_t count = wt_count_ones(word);
        if (n >= count) {
            n -= count;
            continue;
        }
        while (n--)
            word &= word - 1;
        return i * 64 + (uint32_t)__builtin_ctzll(word);
    }
}

/* The index of the first choice that is later than @p time. */
static size_t later_choice(const struct wt_choices *choices, uint64_t time)
{
    WT_BISECT(low, choices->count, choices->at[middle].time <= time);
    return low;
}

static void miss(struct wt_turns *t, const struct wt_choice *choice)
{
    if (!t->missed || choice->time < t->first_missed.time)
        t->first_missed = *choice;
    t->missed = true;
}

/* The wave of the choice of this time, or else the next one; its turn ends at the next choice. */
static void choose_of_list(struct wt_turns *t, uint64_t time)
{
    static const struct wt_choices none;
    const struct wt_choices *choices = t->policy.choices ? t->policy.choices : &none;
    const size_t later = later_choice(choices, time);
    const struct wt_choice *choice = later ? &choices->at[later - 1] : NULL;
    const bool now = choice && choice->time == time;
    const bool can = now && choice->wave < t->waves && wt_turns_is_ready(t, choice->wave);
    if (now && !can)
        miss(t, choice);
    t->current = can ? choice->wave : next_ready(t);
    const uint64_t left = later < choices->count ? choices->at[later].time - time : LAST_TURN;
    t->left = left < MOST_TURN ? (uint32_t)left : MOST_TURN;
}

static void choose(struct wt_turns *t, uint64_t time)
{
    switch (t->policy.kind) {
    case WT_SCHEDULE_RR:
        t->current = next_ready(t);
        t->left = t->policy.turn;
        break;
    case WT_SCHEDULE_LOCKSTEP:
        t->current = next_in_round(t);
        t->left = 1;
        break;
    case WT_SCHEDULE_RANDOM:
        t->current = nth_ready(t, (uint32_t)(next_random(&t->policy) % t->ready_count));
        t->left = 1 + (uint32_t)(next_random(&t->policy) % 16);
        break;
    case WT_SCHEDULE_FILE:
        choose_of_list(t, time);
        break;
    }
}

void wt_turns_choose(struct wt_turns *t, uint64_t time)
{
    WT_CHECK(t->ready_count > 0);
    if (t->policy.kind != WT_SCHEDULE_RR || !wt_turns_step(t))
        choose(t, time);
    if (t->log && !wt_choices_add(t->log, time, t->current))
        t->log_failed = true;
}

/* ---- the state ---- */

uint32_t wt_schedule_longest(const struct wt_schedule *schedule)
{
    return schedule->kind == WT_SCHEDULE_RR         ? schedule->turn
           : schedule->kind == WT_SCHEDULE_LOCKSTEP ? 1
           : schedule->kind == WT_SCHEDULE_RANDOM   ? 16
                                                    : WT_LONGEST_TURN;
}

bool wt_turns_init(struct wt_turns *t, const struct wt_schedule *policy, uint32_t waves)
{
    assert(policy && waves > 0);
    assert(policy->kind != WT_SCHEDULE_RR || policy->turn > 0);
    *t = (struct wt_turns){.policy = *policy, .waves = waves};
    t->ready = calloc(2 * wt_turns_words(t), sizeof *t->ready);
    if (!t->ready)
        return false;
    t->round = t->ready + wt_turns_words(t); /* one piece of memory for both */
    wt_turns_reset(t);
    return true;
}

void wt_turns_free(struct wt_turns *t)
{
    free(t->ready);
    wt_choices_free(&t->own);
}

size_t wt_turns_bytes(const struct wt_turns *t)
{
    return 2 * wt_turns_words(t) * sizeof *t->ready;
}

void wt_turns_check(const struct wt_turns *t)
{
    uint32_t count = 0;
    assert(t->waves > 0 && t->current < t->waves && t->ready_count <= t->waves);
    assert(t->policy.kind <= WT_SCHEDULE_FILE);
    assert(t->left <= wt_schedule_longest(&t->policy));
    for (size_t i = 0; i < wt_turns_words(t); i++)
        count += wt_count_ones(t->ready[i]);
    assert(count == t->ready_count);
    if (t->waves % 64)
        assert(!((t->ready[t->waves / 64] | t->round[t->waves / 64]) >> (t->waves % 64)));
}

void wt_turns_reset(struct wt_turns *t)
{
    assert(t->ready && t->waves > 0);
    memset(t->ready, 0, wt_turns_bytes(t));
    t->ready_count = 0;
    t->policy.state = t->policy.seed;
    t->missed = false;
    wt_turns_rewind(t);
}

void wt_turns_rewind(struct wt_turns *t)
{
    assert(!t->ready_count);
    t->current = t->waves - 1;
    t->left = 0;
}

void wt_turns_begin(struct wt_turns *t, uint64_t launch)
{
    assert(!t->ready_count);
    if (t->policy.kind != WT_SCHEDULE_RANDOM && t->policy.kind != WT_SCHEDULE_LOCKSTEP)
        return;
    const uint64_t before = launch ? launch - 1 : 0;
    t->policy.state = t->policy.seed ^ before * 0xd1342543de82ef95;
    t->left = 0;
    memset(t->round, 0, wt_turns_words(t) * sizeof *t->round);
}

void wt_turns_copy(struct wt_turns *to, const struct wt_turns *from)
{
    assert(to->waves == from->waves && to->ready != from->ready);
    uint64_t *ready = to->ready, *round = to->round;
    const struct wt_choices own = to->own;
    *to = *from;
    to->own = own;
    to->ready = ready;
    to->round = round;
    memcpy(ready, from->ready, wt_turns_bytes(from));
}
