/* The endpoint of a host process for debuggers of its GPUs. */
#ifndef WT_RUNTIME_KFD_ENDPOINT_H
#define WT_RUNTIME_KFD_ENDPOINT_H

#include "runtime/common/serve.h"
#include "runtime/kfd/host.h"

/** Listens for debuggers. False if that is not possible: the program runs all the same. */
bool host_endpoint_start(struct host *host);

#endif
