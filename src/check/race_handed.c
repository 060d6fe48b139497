/*
 * What a barrier hands on beside the order of accesses. All lanes of a group execute a fence, then
 * a barrier, then one of them stores a flag; or one of them waits for a flag, and all execute a
 * fence behind a barrier. Fences that have one order for all (PTX ISA, "Fence-SC order": membar,
 * fence.sc) order the accesses of the two groups: were the second one's before the first one's, its
 * group would have read the flag before it was stored. AMD's buffer_wbinvl1 and Vortex's fence
 * do the second one: caches are the group's.
 */
#include "check/race_order.h"

bool race_hand_on(struct race_handed *barrier, const struct race_slot *w)
{
    bool good = true;
    for (unsigned i = 0; i < RACE_SCOPES; i++) {
        good &= wt_clocks_join(&barrier->read[i], w->read[i]) &&
                wt_clocks_join(&barrier->read[i], w->handed[i]);
        if (w->in_order)
            good &= wt_clocks_join(&barrier->released[i], w->known[i]) &&
                    (!w->released[i] ||
                     wt_clocks_add(&barrier->released[i], w->number, w->released[i]));
    }
    return good;
}

bool race_take(struct race_slot *w, const struct race_handed *barrier)
{
    bool good = true;
    for (unsigned i = 0; i < RACE_SCOPES; i++) {
        good &= wt_clocks_join(&w->handed[i], barrier->read[i]) &&
                wt_clocks_join(&w->known[i], barrier->released[i]);
        w->in_order |= barrier->released[i] != NULL;
    }
    return good;
}

void race_handed_drop(struct race_handed *handed)
{
    for (unsigned i = 0; i < RACE_SCOPES; i++) {
        wt_clocks_drop(handed->read[i]);
        wt_clocks_drop(handed->released[i]);
    }
    *handed = (struct race_handed){.read = {NULL}};
}
