/* Asynchronous copies, of which WT_SEEN_COPY, COMMIT and COPIED tell (observe.h): their `number`.
 */
#ifndef WT_EMULATOR_MACHINE_OBSERVE_COPIES_H
#define WT_EMULATOR_MACHINE_OBSERVE_COPIES_H

#include "emulator/machine/observe.h"

enum {
    /** The copies are bulk copies, which have groups of their own. COPY: the instruction's loads
     * are copies, too. */
    WT_COPIES_BULK = 1 << 30,
    /** The other bits are a phase of a barrier. COMMIT: the copies are done when it is over.
     * COPIED: it is over, and copies of any wave of the group with it. */
    WT_COPIES_PHASE = 1 << 29,
    /** COPIED: the phase is over, and nobody has seen that yet. */
    WT_COPIES_UNSEEN = 1 << 28,
    WT_COPIES_NUMBER = WT_COPIES_UNSEEN - 1,
};

/** The phase that COMMIT or COPIED has; 0: it has none. */
static inline uint32_t wt_copies_phase(const struct wt_observed_event *e)
{
    const bool has = e->number != WT_ALL_COPIES && e->number & WT_COPIES_PHASE;
    return has ? e->number & (WT_COPIES_PHASE | WT_COPIES_NUMBER) : 0;
}

/** Whether a phase is over that nobody has seen the end of. */
static inline bool wt_copies_unseen(const struct wt_observed_event *e)
{
    return wt_copies_phase(e) && e->number & WT_COPIES_UNSEEN;
}

/** Whether the event is about bulk copies. */
static inline bool wt_copies_bulk(const struct wt_observed_event *e)
{
    return e->number != WT_ALL_COPIES && e->number & WT_COPIES_BULK;
}

#endif
