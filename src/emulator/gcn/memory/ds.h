/* Declarations shared by instructions of the data share, also those that use no memory. */
#ifndef WT_EMULATOR_GCN_MEMORY_DS_H
#define WT_EMULATOR_GCN_MEMORY_DS_H

#include "emulator/gcn/internal.h"

/* Whether the wave has these rows; else *next is the fault. */
static inline bool gcn_ds_registers(struct gcn_wave *w, const struct gcn_uop *u, unsigned first,
                                    unsigned count, const struct gcn_uop **next)
{
    if (gcn_has_rows(w, first, count))
        return true;
    *next = gcn_no_row(w, u, first + count - 1);
    return false;
}

/* Counts the instruction as one that LGKM_CNT waits for. */
static inline void gcn_ds_issued(struct gcn_wave *w)
{
    if (w->lgkm_cnt < 15)
        w->lgkm_cnt++;
}

/* For each of some lanes, the lowest first. */
#define OF_LANES(lane, lanes)                                                                      \
    for (uint64_t left = lanes, lane = 0; left && (lane = (unsigned)__builtin_ctzll(left), true);  \
         left &= left - 1)
/* For each lane that EXEC enables. */
#define EACH_LANE(lane) OF_LANES(lane, gcn_exec(w))

#endif
