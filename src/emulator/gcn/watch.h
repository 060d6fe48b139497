/*
 * Watches on a device (machine/watch_set.h). Without a watch nothing costs more: watched pages are
 * kept out of the software TLB, so that accesses to them are checked lane by lane (unless no lane
 * comes to a watched byte); a watched data share is hidden from the fast paths of ds.c; a watched
 * instruction has another handler in its slot of the decoded page; watched waves are checked once a
 * turn.
 */
#ifndef WT_EMULATOR_GCN_WATCH_H
#define WT_EMULATOR_GCN_WATCH_H

#include "emulator/gcn/internal.h"
#include "emulator/machine/engine.h"

/* The operation `watch` of the address map. */
bool gcn_watch_part(struct wt_machine *m, uint64_t home, uint64_t first, uint64_t last,
                    struct wt_spans *spans);
/*
 * The machine's operation home: identifies the LDS (by its work-group) or the scratch memory (by
 * its address) in which an address lies as the wave sees it; WT_HOME_NOW for all other memory.
 */
WT_MACHINE_FN(home) gcn_home;
WT_MACHINE_FN(observed_place) gcn_observed_place;
/* That of a group (wt_group_ops.home). */
uint64_t gcn_group_home(const struct wt_machine *m, const struct wt_group_head *g);

/*
 * The address of a wave's scratch memory: FLAT_SCRATCH, or what it will be, since a kernel begins
 * with setting it. False where the wave has no private memory.
 */
bool gcn_private_home(const struct gcn_wave *w, uint64_t *scratch);

/* Whether an access is one of an atomic object: an atomic instruction, or a load or store that
 * passes the cache of the compute unit by (GLC), as those of relaxed or volatile accesses do. */
static inline bool gcn_is_relaxed(const struct gcn_uop *u, enum wt_watch_kind kind)
{
    return kind == WT_WATCH_ACCESS || u->glc || u->scc;
}

/* Among whom an access, or what is done to caches, is seen, on GPUs whose instructions say so by
 * SC0 (GLC) and SC1. */
static inline enum wt_observed_scope gcn_scope_of(const struct gcn_uop *u)
{
    return u->scc   ? (u->glc ? WT_AMONG_SYSTEM : WT_AMONG_DEVICE)
           : u->glc ? WT_AMONG_GROUP
                    : WT_AMONG_WAVE;
}

/* Whether the page of addr has a byte that is watched for reads, or can hit an address watch. */
static inline bool gcn_watches_page_read(const struct gcn_device *d, uint64_t addr)
{
    return gcn_address_watch_page(d, addr) || wt_engine_watches_page(&d->machine, addr, false);
}

/* Whether the page of addr has a byte that is watched for writes, or can hit an address watch. */
static inline bool gcn_watches_page_write(const struct gcn_device *d, uint64_t addr)
{
    return gcn_address_watch_page(d, addr) || wt_engine_watches_page(&d->machine, addr, true);
}

/* Whether any of the bytes from addr on that a DS instruction uses is watched. */
bool gcn_watches_share(const struct gcn_wave *w, uint64_t addr, uint32_t bytes);

/*
 * Checks an access of `size` bytes, 1 to 16, by a lane at addr: in global memory or, as the
 * apertures say, in the wave's LDS or in GDS. `u` is the instruction in its decoded page. A hit, of
 * a debugger's watch or of the hardware's address watch, is noted and ends the turn.
 */
void gcn_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      unsigned lane, uint64_t addr, unsigned size, const void *before,
                      const void *after);
/*
 * Tells the observer, where wt_observes_rows(), of the accesses of lanes, 1 or more, lane i's to
 * at[i]: in memory, or in the apertures of LDS or GDS, which all lanes then access.
 */
void gcn_observe_lanes(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                       uint64_t lanes, const uint64_t *at, unsigned size);
/* Likewise of lanes that access a share, which are those of EXEC; the caller fills in the addresses
 * of all lanes at once. @p is_row: wt_observed.is_row. */
uint64_t *gcn_observe_share(const struct gcn_watched_share *share, enum wt_watch_kind kind,
                            unsigned size, bool is_row);
/* Likewise of all lanes, one behind the other from @p first on. */
void gcn_observe_row(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                     uint64_t first, unsigned size);
/* Tells the observer, where wt_observes_rows(), of the accesses of lanes, lane i's to byte at[i] of
 * its private memory. */
void gcn_observe_private(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                         uint64_t lanes, const uint64_t *at, unsigned size);
/*
 * As gcn_watch_access, for scalar memory: an access of the whole wave to up to 64 bytes. It does
 * not pass the hardware's address watch.
 */
void gcn_watch_scalar(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      uint64_t addr, unsigned size, const void *before, const void *after);

/*
 * The handler of a record whose instruction is watched (wt_code_watch): ends the turn before a hit,
 * else executes the instruction.
 */
const struct gcn_uop *gcn_watch_here(struct gcn_wave *w, const struct gcn_uop *u);
/* Describes the issue of the instruction at pc at that time, with EXEC as it is now. */
WT_ENGINE_FN(issue_at) gcn_issue_at;

#endif
