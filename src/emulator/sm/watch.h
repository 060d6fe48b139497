/*
 * Watched places of a device (machine/watch_set.h). Watched pages are kept out of the software TLB,
 * so that accesses to them take the slow path, which looks; a watched instruction has another
 * handler in its record; a watched warp is looked for once a turn.
 */
#ifndef WT_EMULATOR_SM_WATCH_H
#define WT_EMULATOR_SM_WATCH_H

#include "emulator/sm/internal.h"

/* The operation `watch` of the address map. */
bool sm_watch_part(struct wt_machine *m, uint64_t home, uint64_t first, uint64_t last,
                   struct wt_spans *spans);
/* The shared or local memory in which an address of a window lies as the warp sees it. */
WT_MACHINE_FN(home) sm_home;
WT_MACHINE_FN(observed_place) sm_observed_place;
/* That of a group (wt_group_ops.home). */
uint64_t sm_group_home(const struct wt_machine *m, const struct wt_group_head *g);

/* Whether the page holds a byte of global memory that is watched for reads. */
static inline bool sm_watches_page_read(const struct sm_device *d, uint64_t addr)
{
    return wt_engine_watches_page(&d->machine, addr, false);
}

/* Likewise for writes. */
static inline bool sm_watches_page_write(const struct sm_device *d, uint64_t addr)
{
    return wt_engine_watches_page(&d->machine, addr, true);
}

/* A lane has accessed global memory at addr, or (shared) its CTA's shared memory. */
void sm_watch_access(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                     unsigned lane, bool shared, uint64_t addr, unsigned size, const void *before,
                     const void *after);
/* Tells the observer, where wt_observes_rows(), of the accesses of lanes, 1 or more, lane i's to
 * global memory at at[i], or those of them that are `shared` to that offset in shared memory. */
void sm_observe_lanes(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                      uint32_t lanes, uint32_t shared, const uint64_t *at, unsigned size);
/* Likewise of all lanes, one behind the other from @p first on. */
void sm_observe_row(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind, bool shared,
                    uint64_t first, unsigned size);
/* A warp has read an argument of its kernel, for these lanes, of which there is one. */
void sm_watch_parameter(struct sm_warp *w, const struct sm_uop *u, wt_lanes lanes, uint64_t addr,
                        unsigned size, const uint8_t *bytes);
/* The handler of a record whose instruction is watched. */
const struct sm_uop *sm_watch_here(struct sm_warp *w, const struct sm_uop *u);
/* The issue of the instruction at pc at that time. */
WT_ENGINE_FN(issue_at) sm_issue_at;

#endif
