/* Watched memory. See local_watch.c. The GPU is entered for all of it. */
#ifndef WT_RUNTIME_KFD_LOCAL_WATCH_H
#define WT_RUNTIME_KFD_LOCAL_WATCH_H

#include "object/kfd_wire.h"
#include "runtime/kfd/host.h"

/** A run has come back for accesses: notes them, and stops a wave that has accessed LDS. */
void host_local_take_hits(struct host_gpu *gpu);

#endif
