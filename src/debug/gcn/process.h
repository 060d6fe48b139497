/* The probe's link to a host process that uses emulated GPUs: its private Unix socket. */
#ifndef WT_DEBUG_GCN_PROCESS_H
#define WT_DEBUG_GCN_PROCESS_H

#include "debug/gcn/gcn.h"
#include "debug/process/final_memory.h"

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
/** What a target's `link` may point to; it is the process's. */
const struct wt_gcn_link *wt_gcn_process_link(struct wt_gcn_process *process);

/** Where the runtime lists its code objects (struct r_debug), 0: it has not begun; and a number for
 * what the list is like now, 0: it is being changed. */
enum wt_status wt_gcn_process_code_list(struct wt_gcn_process *process, uint64_t *addr,
                                        uint64_t *state, struct wt_error *err);

/** Puts the records of faults into @p services, whose context is the process. */
void wt_gcn_process_offer_faults(struct wt_target_services *services);
/** Puts why waves wait into @p services, whose context is the process. */
void wt_gcn_process_offer_waits(struct wt_target_services *services);

/**
 * Has the kernels that run from now on recorded, with @p budget bytes of the process's memory, and
 * puts time travel into @p services, whose context is the process. A debugger must be connected.
 */
enum wt_status wt_gcn_process_record(struct wt_gcn_process *process, uint64_t budget,
                                     struct wt_target_services *services, struct wt_error *err);

/** Has the process keep its memory at its end until this connection is closed. A debugger must be
 * connected. */
enum wt_status wt_gcn_process_want_memory(struct wt_gcn_process *process, struct wt_error *err);
/**
 * The memory of a process that has said that it ends, after wt_gcn_process_want_memory(): what its
 * GPUs could use at the end, or since the latest kernel began. Nothing if it has gone meanwhile.
 */
void wt_gcn_process_final_memory(struct wt_gcn_process *process, wt_process_piece_fn *found,
                                 void *context);

/** Puts the writing of core files into @p services, whose context is the process. */
void wt_gcn_process_offer_core_files(struct wt_target_services *services);

#endif
