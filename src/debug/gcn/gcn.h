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

/* The driver answers the requests of object/kfd_wire.h. Memory is that of the process, as its GPU
 * sees global memory, for all waves. */

extern const struct wt_probe_ops wt_probe_gcn;

#endif
