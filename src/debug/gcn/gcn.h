/*
 * The probe of AMD GCN5: how it reaches a device. It uses what a debugger has on a real system: the
 * kernel driver's debug-trap operations (linux 6.5), and the memory of the process that uses the
 * GPU, in which the save areas of its queues lie.
 */
#ifndef WT_DEBUG_GCN_GCN_H
#define WT_DEBUG_GCN_GCN_H

#include "debug/core/probe.h"
#include "object/kfd_debug.h"
#include "object/kfd_wire.h"

/** Events of the program. */
struct wt_gcn_event {
    bool exception;      /**< the driver has one to tell */
    bool code;           /**< the list of code objects has changed since code_known() */
    uint64_t code_state; /**< code: a number for what the list is like now */
};

/** The driver's interface. A function that fails says that the link is broken (WT_IO), or of
 * memory that there is none (WT_INVALID); what the driver refuses is in call->result. */
struct wt_gcn_link_ops {
    /** Does an operation that has no arrays but queue ids: on all GPUs, or on call->device. */
    enum wt_status (*call)(void *context, struct kfd_debug_call *call, struct wt_error *err);
    /** KFD_DEBUG_GET_QUEUE_SNAPSHOT, clearing nothing: *count becomes how many queues there are. */
    enum wt_status (*queues)(void *context, struct kfd_queue_entry *list, uint32_t room,
                             uint32_t *count, struct wt_error *err);
    /** KFD_DEBUG_GET_DEVICE_SNAPSHOT: *count becomes how many GPUs the program has, 1 or more. */
    enum wt_status (*devices)(void *context, struct kfd_device_entry *list, uint32_t room,
                              uint32_t *count, struct wt_error *err);
    /** Memory of the process, as its GPU sees global memory. */
    enum wt_status (*read)(void *context, uint64_t addr, void *out, size_t size,
                           struct wt_error *err);
    enum wt_status (*write)(void *context, uint64_t addr, const void *bytes, size_t size,
                            struct wt_error *err);
    /** Reads the events. With @p wait it waits a moment for an exception. */
    enum wt_status (*event)(void *context, bool wait, struct wt_gcn_event *event,
                            struct wt_error *err);
    /** The debugger knows the list of code objects in this state (of wt_gcn_event): launches that
     * wait for that go on. NULL: code objects do not come and go. */
    enum wt_status (*code_known)(void *context, uint64_t state, struct wt_error *err);
    /** Has the emulated device watch that from now on, instead of what was watched: count 0: none.
     * NULL: only hardware's address watches are there. */
    enum wt_status (*watch)(void *context, const struct wt_wire_watch *list, size_t count,
                            struct wt_error *err);
    /** The accesses to that since the last call; the caller frees *list. NULL where watch is. */
    enum wt_status (*take_hits)(void *context, struct wt_wire_hit **list, size_t *count,
                                struct wt_error *err);
    /** Whether the program has ended, with which status and words for people. */
    bool (*ended)(void *context, uint32_t *status, char *text, size_t size);
    /** Runs the kernel from its beginning in memory as it is. NULL: only the program can do that.
     */
    enum wt_status (*reset)(void *context, struct wt_error *err);
};

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_gcn_link {
    const struct wt_gcn_link_ops *ops;
    void *context;
    bool host_launches; /**< a host program launches kernels: idle is not the end */
};

extern const struct wt_probe_ops wt_probe_gcn;

#endif
