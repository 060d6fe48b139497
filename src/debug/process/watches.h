/*
 * Watchpoints of host programs on GPUs that have no hardware for them: the emulated driver watches
 * memory, and stops the wave that accesses it behind the instruction.
 */
#ifndef WT_DEBUG_PROCESS_WATCHES_H
#define WT_DEBUG_PROCESS_WATCHES_H

#include "debug/standstill/standstill.h"
#include "object/process_wire.h"

/** A watchpoint of the debugger, and where the driver watches it. */
struct wt_driver_watch {
    struct wt_watchpoint asked;
    uint64_t addr; /**< as the driver tells of accesses */
    uint32_t wave; /**< as which wave sees it; WT_NO_HANDLE: it is the same memory for all */
};

/** A family's part. Only `find` is not NULL. */
struct wt_driver_watch_ops {
    /** Fills in a watchpoint's place, from what was asked. */
    enum wt_status (*find)(struct wt_probe *p, struct wt_driver_watch *w, struct wt_error *err);
    /** Makes an access's address of code the debugger's. NULL: it is. */
    void (*place)(struct wt_probe *p, struct wt_wire_hit *hit);
    /** Whether a watch concerns an access to its addresses. NULL: it does. */
    bool (*concerns)(struct wt_probe *p, const struct wt_driver_watch *w,
                     const struct wt_wire_hit *hit);
    /** Halts a wave whose accesses were noted, if it has to stop. NULL: it has halted. */
    void (*halt)(struct wt_probe *p, uint32_t wave);
};

/** The probe's, which the family has: `watches` of its struct wt_standstill. */
struct wt_driver_watches {
    const struct wt_driver_watch_ops *ops;
    struct wt_driver_watch *list;
    size_t count;
};

WT_PROBE_FN(set_watchpoints) wt_driver_watches_set;
/** During a standstill: notes which waves have accessed watched memory, and halts them. */
enum wt_status wt_driver_watches_take(struct wt_probe *p, struct wt_error *err);

#endif
