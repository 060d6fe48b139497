/* The endpoint of a host process for debuggers of its GPUs. */
#ifndef WT_RUNTIME_HSAKMT_ENDPOINT_H
#define WT_RUNTIME_HSAKMT_ENDPOINT_H

#include "runtime/hsakmt/host.h"

struct host_endpoint;

/** Listens for debuggers. NULL if that is not possible: the program runs all the same. */
struct host_endpoint *host_endpoint_start(struct host *host);
/** The debugger that is connected, if any, is let go; @p endpoint may be NULL. */
void host_endpoint_stop(struct host_endpoint *endpoint);
/** The process ends with @p status: its debugger is told, and may read its memory for some seconds
 * if
 * @p waits, with which no GPU may be entered by the caller. @p endpoint may be NULL. */
void host_endpoint_tell_exit(struct host_endpoint *endpoint, int status, bool waits);
/** In a child after fork(): the descriptors are the parent's. @p endpoint may be NULL. */
void host_endpoint_after_fork(struct host_endpoint *endpoint);
/** The process ends without closing: its socket is removed. */
void host_endpoint_forget(struct host_endpoint *endpoint);

#endif
