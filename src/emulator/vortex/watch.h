/*
 * Watched places of a device. What has no watch pays nothing: watched pages are kept out of the
 * software TLB, so that accesses to them come by access.c; a watched instruction has another
 * handler in its slot of the decoded page; a watched wave is looked for once a turn.
 */
#ifndef WT_VORTEX_WATCH_H
#define WT_VORTEX_WATCH_H

#include "emulator/machine/spans.h"
#include "emulator/vortex/internal.h"

/* Ranges lie in the memory that really holds them: global memory, or the local one of a core. */
struct vx_watch {
    struct wt_spans read, write, execute;
    uint64_t *issue;       /* waves, as a bit set; NULL: none */
    struct wt_turns turns; /* before the scheduler's choice, which may be taken back */
    bool places;           /* waves or instructions are watched */
    bool running;          /* within vx_run: hits add up */
    /* The wave that was told of, and when: it issues next time. */
    bool told;
    uint32_t told_wave;
    uint64_t told_time, told_pc;
};

bool vx_set_watches(struct wt_machine *m, const struct wt_watch *list, size_t count);
void vx_watch_free(struct vx_device *d);
/* Forgets what was met and told: the device is in another state now. */
void vx_watch_forget(struct vx_device *d);

/* Whether [addr, addr + size), as this core sees it, holds a byte watched for reads, or writes. */
bool vx_watches_read(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size);
bool vx_watches_write(struct vx_device *d, const struct vx_core *core, uint64_t addr,
                      uint64_t size);
/* Whether the instruction at pc is watched. */
bool vx_watches_execute(const struct vx_device *d, uint64_t pc);

/* A lane has accessed memory; `before` is what was there. Ends the turn if that is watched. */
void vx_watch_access(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                     unsigned lane, uint64_t addr, unsigned size, uint64_t before, uint64_t after);

/* The handler of a slot whose instruction is watched. */
const struct vx_uop *vx_watch_here(struct vx_warp *w, const struct vx_uop *u);

/* A run begins, or ends. */
void vx_watch_run(struct vx_device *d, bool running);
/* Keeps what the scheduler is about to change, and puts it back. */
void vx_watch_keep_turns(struct vx_device *d);
void vx_watch_undo_turns(struct vx_device *d);
/* Whether the wave is watched for any issue. */
bool vx_watches_issue(const struct vx_device *d, const struct vx_warp *w);
/* Tells that w is about to issue; false if that was told already. */
bool vx_watch_before_issue(struct vx_warp *w);
/* A step by the debug hardware begins: it issues in any case. If it does not, *hits remain. */
void vx_watch_before_step(struct vx_warp *w, size_t *hits);

#endif
