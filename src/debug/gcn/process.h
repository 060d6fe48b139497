/* The probe's link to a host process that uses emulated GPUs: its private Unix socket. */
#ifndef WT_DEBUG_GCN_PROCESS_H
#define WT_DEBUG_GCN_PROCESS_H

#include "debug/gcn/gcn.h"
#include "debug/process/link.h"

struct wt_gcn_process;

/**
 * Connects to the program at @p place for all of its GPUs. WT_INVALID: it has no socket;
 * WT_STATE: another debugger is there. Closed by wt_gcn_process_close().
 */
enum wt_status wt_gcn_process_open(const struct wt_process_place *place,
                                   struct wt_gcn_process **process, struct wt_error *err);
/** Disconnects: the program goes on. NULL is ignored. */
void wt_gcn_process_close(struct wt_gcn_process *process);

/** Whether it was gone to by an address: files that it names may be others here. */
bool wt_gcn_process_is_elsewhere(const struct wt_gcn_process *process);
/**
 * Where the process has mapped the part of the file at @p path that begins at @p offset; 0:
 * nowhere.
 */
uint64_t wt_gcn_process_mapped(struct wt_gcn_process *process, const char *path, uint64_t offset);
/** The link for a target; it belongs to the process. */
const struct wt_gcn_link *wt_gcn_process_link(struct wt_gcn_process *process);
/** The connection, for what all families have; it is the process's. */
struct wt_process_link *wt_gcn_process_wire(struct wt_gcn_process *process);

/** Where the runtime lists its code objects (struct r_debug), 0: it has not begun; and a number for
 * what the list is like now, 0: it is being changed. */
enum wt_status wt_gcn_process_code_list(struct wt_gcn_process *process, uint64_t *addr,
                                        uint64_t *state, struct wt_error *err);

#endif
