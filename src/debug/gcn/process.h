/* The probe's link to a host process that uses emulated GPUs: its private Unix socket. */
#ifndef WT_DEBUG_GCN_PROCESS_H
#define WT_DEBUG_GCN_PROCESS_H

#include "debug/gcn/gcn.h"
#include "debug/process/link.h"

struct wt_gcn_process {
    struct wt_process_link link; /* first: the context of a target's services */
    struct wt_gcn_link gcn;      /* for a target */
};

/** After the greeting: @p process stays where it is in memory. */
void wt_gcn_process_begin(struct wt_gcn_process *process);
/**
 * Where the process has mapped the part of the file at @p path that begins at @p offset; 0:
 * nowhere.
 */
uint64_t wt_gcn_process_mapped(struct wt_gcn_process *process, const char *path, uint64_t offset);
/** Where the runtime lists its code objects (struct r_debug), 0: it has not begun; and a number for
 * what the list is like now, 0: it is being changed. */
enum wt_status wt_gcn_process_code_list(struct wt_gcn_process *process, uint64_t *addr,
                                        uint64_t *state, struct wt_error *err);

#endif
