/* The endpoint of a host process for debuggers of its GPUs. */
#ifndef WT_RUNTIME_HSAKMT_ENDPOINT_H
#define WT_RUNTIME_HSAKMT_ENDPOINT_H

#include "runtime/hsakmt/host.h"

struct host_endpoint;

/** Listens for debuggers. NULL if that is not possible: the program runs all the same. */
struct host_endpoint *host_endpoint_start(struct host *host);
/** Releases the debugger that is connected, if any, and frees @p endpoint, which may be NULL. */
void host_endpoint_stop(struct host_endpoint *endpoint);
/**
 * Tells the debugger that the process ends with @p status. With @p waits it may read the process's
 * memory for some seconds; then no GPU may be entered by the caller. @p endpoint may be NULL.
 */
void host_endpoint_tell_exit(struct host_endpoint *endpoint, int status, bool waits);
/** In a child after fork(): closes the parent's descriptors. @p endpoint may be NULL. */
void host_endpoint_after_fork(struct host_endpoint *endpoint);
/**
 * Removes the socket of a process that ends without host_endpoint_stop. @p endpoint may be NULL.
 */
void host_endpoint_forget(struct host_endpoint *endpoint);

#endif
