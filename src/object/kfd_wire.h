/* The requests of a debugger of a host process with GPUs of family gcn, beside those that all
 * families have (object/process_wire.h): the driver's debug operations. */
#ifndef WT_OBJECT_KFD_WIRE_H
#define WT_OBJECT_KFD_WIRE_H

#include "object/kfd_debug.h"
#include "object/process_wire.h"

#define KFD_WIRE_FAMILY WT_WIRE_FAMILY(1)
#define KFD_WIRE_SOCKET "gpu" /* base/private_dir.h: the kind of socket */

/* struct wt_wire_hello: place[0] is the address of the runtime's struct r_debug; 0: it has not
 * begun. Units are a device's slots of waves. */

enum kfd_wire_verb {
    KFD_WIRE_CALL =
        KFD_WIRE_FAMILY, /**< followed by a struct kfd_debug_call, which is done: on its GPU,
                        or on all of the process; answered by the same, with its result */
    KFD_WIRE_QUEUES,  /**< answered by struct kfd_queue_entry, as many as all GPUs have; or -ENOSPC:
                         more than KFD_DEBUG_QUEUES */
    KFD_WIRE_DEVICES, /**< answered by struct kfd_device_entry, one for each GPU */
    KFD_WIRE_MAPPED,  /**< addr: an offset; value: so many bytes; followed by a file's path and a
                         NUL:  answered in value[0] by the address at which the process has mapped
                         this  part of the file; -ENOENT */
    KFD_WIRE_END,
};

/* WATCH. LDS: of the group of a wave; a wave that accesses it stops. Global memory: accesses are
 * only noted, as the hardware's address watches stop waves there. A write counts if it changes a
 * byte of it. Addresses are generic. */

#endif
