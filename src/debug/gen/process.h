/* The probe's link to a host process that uses an emulated Gen9 GPU: its private Unix socket. */
#ifndef WT_DEBUG_GEN_PROCESS_H
#define WT_DEBUG_GEN_PROCESS_H

#include "debug/gen/gen.h"
#include "debug/process/link.h"
#include "object/gen_wire.h"

struct wt_gen_process;

/**
 * Connects to the program at @p place for its Gen9 GPUs. WT_INVALID: it has no socket;
 * WT_STATE: another debugger is there. Closed by wt_gen_process_close().
 */
enum wt_status wt_gen_process_open(const struct wt_process_place *place,
                                   struct wt_gen_process **process, struct wt_error *err);
/** Disconnects: the program goes on. NULL is ignored. */
void wt_gen_process_close(struct wt_gen_process *process);

/** The link for a target; it belongs to the process. */
const struct wt_gen_link *wt_gen_process_link(struct wt_gen_process *process);
/** The connection, for what all families have; it is the process's. */
struct wt_process_link *wt_gen_process_wire(struct wt_gen_process *process);

/** Its kernels; the caller frees *list. */
enum wt_status wt_gen_process_kernels(struct wt_gen_process *process, struct gen_wire_kernel **list,
                                      size_t *count, struct wt_error *err);
/** The ELF file of a kernel that has one; the caller frees *bytes, which is NULL where the kernel
 * has gone meanwhile. */
enum wt_status wt_gen_process_elf(struct wt_gen_process *process,
                                  const struct gen_wire_kernel *kernel, uint8_t **bytes,
                                  size_t *length, struct wt_error *err);
/** The source text of that number, from 1; the caller frees *text, which is NULL where there is
 * none. */
enum wt_status wt_gen_process_source(struct wt_gen_process *process, uint64_t number, char **text,
                                     size_t *length, struct wt_error *err);

/** Puts the faults of the program's kernels into @p services, whose context is the process. */
void wt_gen_process_offer_faults(struct wt_target_services *services);

/**
 * The memory of a process that has said that it ends, after wt_process_link_want_memory(): what its
 * GPUs could use at the end, or since the latest kernel began. Nothing if it has gone meanwhile.
 */
void wt_gen_process_final_memory(struct wt_gen_process *process, wt_process_piece_fn *found,
                                 void *context);

#endif
