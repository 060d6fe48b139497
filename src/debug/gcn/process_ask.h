/* Requests to a host process: what the files of its link have in common. */
#ifndef WT_DEBUG_GCN_PROCESS_ASK_H
#define WT_DEBUG_GCN_PROCESS_ASK_H

#include "debug/gcn/process.h"
#include "object/kfd_wire.h"

/** Sends a request with what follows it at @p more; of the answer's bytes at most @p room come to
 * @p out. WT_IO: the process has ended, or its end of the connection makes no sense. */
enum wt_status gcnp_ask(struct wt_gcn_process *process, struct kfd_wire_request *request,
                        const void *more, struct kfd_wire_answer *answer, void *out, size_t room,
                        struct wt_error *err);

#endif
