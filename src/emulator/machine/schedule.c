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
