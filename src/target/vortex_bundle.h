/* The Debug Modules of a program's several GPUs, as if they were one: see debug/vortex/vortex.h. */
#ifndef WT_TARGET_VORTEX_BUNDLE_H
#define WT_TARGET_VORTEX_BUNDLE_H

#include "debug/process/link.h"
#include "debug/vortex/vortex.h"

struct vortex_bundle {
    unsigned count; /**< count of GPUs; 0: it is not open */
    struct wt_vortex_gpu gpu[WT_WIRE_DEVICES];
    uint32_t dselect, inject;              /**< DSELECT and INJECT of the whole */
    uint32_t own[WT_WIRE_DEVICES];         /**< what DSELECT of each has */
    bool known[WT_WIRE_DEVICES];           /**< … if that is known */
    uint32_t instruction[WT_WIRE_DEVICES]; /**< what INJECT of each has */
    bool injects[WT_WIRE_DEVICES];         /**< … if that is known */
};

/** Asks the program for the shapes of its GPUs, and says how they number their warps.
 * WT_UNSUPPORTED: they differ in XLEN or in the version of Vortex. */
enum wt_status vortex_bundle_open(struct vortex_bundle *bundle, struct wt_process_link *link,
                                  struct wt_error *err);

/** Accesses the registers of the whole. */
enum wt_status vortex_bundle_ask(struct vortex_bundle *bundle, struct wt_process_link *link,
                                 struct wt_bus_op *ops, size_t count, struct wt_error *err);

#endif
