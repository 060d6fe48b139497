/*
 * Watched places of a device (machine/watch_set.h). What has no watch pays nothing: watched pages
 * are kept out of the software TLB, so that accesses to them come by access.c; a watched
 * instruction has another handler in its slot of the decoded page; a watched warp is looked for
 * once a turn.
 */
#ifndef WT_EMULATOR_VORTEX_WATCH_H
#define WT_EMULATOR_VORTEX_WATCH_H

#include "emulator/machine/engine.h"
#include "emulator/vortex/internal.h"

WT_MACHINE_FN(watch_range) vx_watch_range;
WT_MACHINE_FN(observed_place) vx_observed_place;

/* Whether [addr, addr + size), as this core sees it, holds a byte watched for reads, or writes. */
bool vx_watches_read(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size);
/* Likewise for writes. */
bool vx_watches_write(struct vx_device *d, const struct vx_core *core, uint64_t addr,
                      uint64_t size);

/* The memory of a group for observers: local memory as the warp's CTA has it, which is none of
 * another CTA's that has the place before or after it. */
uint64_t vx_cta_home(const struct vx_warp *w);
/* Tells the observer, where wt_observes_rows(), of accesses of the enabled lanes, all of them to
 * local memory or none. The caller fills in their addresses at once. @p is_row: wt_observed. */
uint64_t *vx_observe_row(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                         bool local, unsigned size, bool is_row);
/* Likewise of words of all lanes, one behind the other, of which the first is at @p first, in
 * global memory: the place of the host; NULL, and nobody is told: not so simple. */
uint8_t *vx_tell_words(struct vx_warp *w, const struct wt_lane_access *a, uint64_t first);
/* A lane has accessed memory; `before` is what was there. Ends the turn if that is watched. */
void vx_watch_access(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                     unsigned lane, uint64_t addr, unsigned size, uint64_t before, uint64_t after);

/* The handler of a record whose instruction is watched (wt_code_watch). */
const struct vx_uop *vx_watch_here(struct vx_warp *w, const struct vx_uop *u);

/* The issue of the instruction at pc at that time, with the mask of now. */
WT_ENGINE_FN(issue_at) vx_issue_at;
/* A step by the debug hardware begins: it issues in any case. If it does not, *hits remain. */
void vx_watch_before_step(struct vx_warp *w, size_t *hits);

/** A load or store of words, one behind the other, by all lanes of a warp, whose handler would be
 * @p run, is told to who observes it, and made. False, and nothing is done: it is none, or not so
 * simple (judge.c).
 */
bool vx_access_words(struct vx_warp *w, const struct vx_uop *u, vx_handler run);

#endif
