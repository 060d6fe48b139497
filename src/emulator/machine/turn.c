/* See turn.h. */
#include "emulator/machine/turn.h"

enum { MOST = 128 }; /* instructions of a branch's other way */

/* Which instruction of a turn, from @p first on, is at an address; @p end: none before it. */
static unsigned find_in(const struct wt_turn *t, unsigned first, unsigned end, uint64_t pc)
{
    while (first < end && t->at[first] != pc)
        first++;
    return first;
}

void wt_turn_find(struct wt_turn *t, uint64_t first)
{
    struct wt_next i;
    uint64_t pc = first;
    unsigned n = 0;
    t->count = 0;
    t->joined = 0;
    do {
        if (n == WT_TURN_MOST || !t->next(t->m, t->wave, pc, &i))
            return;
        const bool back = i.to && i.to <= pc && (i.to == first || find_in(t, 0, n, i.to) == n);
        t->at[n++] = pc;
        pc = back || (i.to && i.always) ? i.to : i.behind;
    } while (pc != first);
    t->count = n;
}

/* Where a wave comes back to the turn that has left it at a branch for @p pc; 0: its loop ends
 * there. An outer loop comes back, too, but not before the turn has gone back. */
static uint64_t comes_back(const struct wt_turn *t, unsigned branch, uint64_t pc)
{
    struct wt_next i;
    unsigned end = branch + 1;
    if (find_in(t, 0, t->count, pc) < t->count)
        return pc;
    while (end < t->count && t->at[end] > t->at[end - 1])
        end++;
    for (unsigned n = 0; n < MOST && find_in(t, branch + 1, end, pc) == end; n++) {
        if (!t->next(t->m, t->wave, pc, &i))
            return 0;
        pc = i.to && i.always ? i.to : i.behind;
    }
    return find_in(t, branch + 1, end, pc) < end ? pc : 0;
}

bool wt_turn_is_decided(struct wt_turn *t, unsigned index)
{
    if (t->at[index % t->count] == t->joined)
        t->joined = 0;
    return t->joined;
}

bool wt_turn_ends(struct wt_turn *t, unsigned index)
{
    struct wt_next i;
    index %= t->count;
    if (!t->next(t->m, t->wave, t->at[index], &i))
        return true;
    const uint64_t there =
        comes_back(t, index, t->at[(index + 1) % t->count] == i.to ? i.behind : i.to);
    t->joined = t->joined ? t->joined : there;
    return !there;
}
