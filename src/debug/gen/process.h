/* The probe's link to a host process that uses an emulated Gen9 GPU: its private Unix socket. */
#ifndef WT_DEBUG_GEN_PROCESS_H
#define WT_DEBUG_GEN_PROCESS_H

#include "debug/gen/gen.h"
#include "debug/process/link.h"
#include "object/gen_wire.h"

struct wt_gen_process {
    struct wt_process_link link; /* first: the context of a target's services */
    struct wt_fault fault;       /* for which a walk of the program waits; its kind is 0: none */
    uint32_t fault_gpu;          /* whose walk that is */
};

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
