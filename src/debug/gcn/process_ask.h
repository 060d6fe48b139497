/* Requests to a host process: what the files of its link have in common. */
#ifndef WT_DEBUG_GCN_PROCESS_ASK_H
#define WT_DEBUG_GCN_PROCESS_ASK_H

#include "debug/gcn/process.h"
#include "object/kfd_wire.h"

/** What the debugger knows of the recorded run. */
struct gcnp_travel {
    uint8_t *answer;               /**< KFD_WIRE_MOST bytes; NULL: nothing is to be recorded */
    struct wt_watchpoint_hit *hit; /**< of the last match, until they are taken */
    size_t hits, hit_room;
    struct kfd_wire_extent extent; /**< as last told */
    uint64_t now;                  /**< as last told */
    uint64_t saved;                /**< as last told */
    uint64_t budget;
    const char *refused; /**< why nothing is recorded, ever; NULL: it is */
    char missing[256];   /**< why nothing is recorded now */
};

/** Sends a request with what follows it at @p more; of the answer's bytes at most @p room come to
 * @p out. WT_IO: the process has ended, or its end of the connection makes no sense. */
enum wt_status gcnp_ask(struct wt_gcn_process *process, struct kfd_wire_request *request,
                        const void *more, struct kfd_wire_answer *answer, void *out, size_t room,
                        struct wt_error *err);
/** It is the process's. */
struct gcnp_travel *gcnp_travel_of(struct wt_gcn_process *process);

#endif
