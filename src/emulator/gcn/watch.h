/*
 * Watched places of a device (machine/watch_set.h). What has no watch pays nothing: watched pages
 * are kept out of the software TLB, so that accesses there are done lane by lane, which looks, but
 * for those of many lanes that do not come to a watched byte; a watched data share seems to have no
 * bytes to the quick ways of ds.c; a watched instruction has another handler in its slot of the
 * decoded page; a watched wave is looked for once a turn.
 */
#ifndef WT_EMULATOR_GCN_WATCH_H
#define WT_EMULATOR_GCN_WATCH_H

#include "emulator/gcn/internal.h"
#include "emulator/machine/engine.h"

bool gcn_set_watches(struct wt_machine *m, const struct wt_watch *list, size_t count);
/* The work-group whose LDS, or the scratch memory in which, an address lies as the wave sees it. */
uint64_t gcn_home(struct wt_machine *m, uint32_t wave, uint64_t addr);

/* FLAT_SCRATCH of a wave, or what it will be: a kernel begins with setting it. False where the wave
 * has no private memory. */
bool gcn_private_home(const struct gcn_wave *w, uint64_t *scratch);

/* Whether the page of addr has a byte that is watched for reads, or for writes. */
static inline bool gcn_watches_page_read(const struct gcn_device *d, uint64_t addr)
{
    return gcn_address_watch_page(d, addr) ||
           wt_watch_set_reads(d->machine.watch, WT_SPACE_GLOBAL, addr & ~WT_PAGE_MASK,
                              addr | WT_PAGE_MASK);
}

static inline bool gcn_watches_page_write(const struct gcn_device *d, uint64_t addr)
{
    return gcn_address_watch_page(d, addr) ||
           wt_watch_set_writes(d->machine.watch, WT_SPACE_GLOBAL, addr & ~WT_PAGE_MASK,
                               addr | WT_PAGE_MASK);
}

/* Whether any byte of the share that a DS instruction uses is watched: so many from addr on. */
bool gcn_watches_share(const struct gcn_wave *w, uint64_t addr, uint32_t bytes);

/*
 * A lane has accessed `size` bytes, 1 to 16, at addr: in global memory or, as the apertures say, in
 * the wave's LDS or in GDS. `u` stands where the instruction does. Ends the turn if it is watched,
 * by a debugger or by the hardware's address watch.
 */
void gcn_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      unsigned lane, uint64_t addr, unsigned size, const void *before,
                      const void *after);
/* The same of the whole wave, by scalar memory: up to 64 bytes. */
void gcn_watch_scalar(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      uint64_t addr, unsigned size, const void *before, const void *after);

/* The handler of a record whose instruction is watched (wt_code_watch). */
const struct gcn_uop *gcn_watch_here(struct gcn_wave *w, const struct gcn_uop *u);
/* The issue of the instruction at pc at that time, with EXEC as it is now. */
struct wt_issue gcn_issue_at(const struct gcn_wave *w, uint64_t pc, uint64_t time);

#endif
