/*
 * The probe of AMD GCN5: how it reaches a device. It uses what a debugger has on a real system: the
 * kernel driver's debug-trap operations (linux 6.5), and the memory of the process that uses the
 * GPU, in which the save areas of its queues lie.
 */
#ifndef WT_DEBUG_GCN_GCN_H
#define WT_DEBUG_GCN_GCN_H

#include "debug/core/probe.h"
#include "debug/standstill/link.h"
#include "object/kfd_debug.h"
#include "object/kfd_wire.h"

/** The driver's interface. A function that fails says that the link is broken; what the driver
 * refuses is in call->result. Memory is that of the process, as its GPU sees global memory, for all
 * waves. */
struct wt_gcn_link_ops {
    /** Does an operation that has no arrays but queue ids: on all GPUs, or on call->device. */
    enum wt_status (*call)(void *context, struct kfd_debug_call *call, struct wt_error *err);
    /** KFD_DEBUG_GET_QUEUE_SNAPSHOT, clearing nothing: *count becomes how many queues there are. */
    enum wt_status (*queues)(void *context, struct kfd_queue_entry *list, uint32_t room,
                             uint32_t *count, struct wt_error *err);
    /** KFD_DEBUG_GET_DEVICE_SNAPSHOT: *count becomes how many GPUs the program has, 1 or more. */
    enum wt_status (*devices)(void *context, struct kfd_device_entry *list, uint32_t room,
                              uint32_t *count, struct wt_error *err);
};

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_gcn_link {
    struct wt_link common; /**< first: its context is that of the operations below, too */
    const struct wt_gcn_link_ops *ops;
};

extern const struct wt_probe_ops wt_probe_gcn;

#endif
