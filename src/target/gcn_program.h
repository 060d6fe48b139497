/*
 * The code objects of a file and the kernel of them that runs. The file is a code object, or holds
 * some: a program or library of the host, a bundle (object/contained.h).
 */
#ifndef WT_TARGET_GCN_PROGRAM_H
#define WT_TARGET_GCN_PROGRAM_H

#include "object/code_object.h"

struct wt_gcn_program {
    struct gcn_object object; /**< the one with the kernel */
    size_t length;            /**< length of object.file */
    const struct gcn_kernel *kernel;
    bool contained; /**< the file is not the code object itself */
};

/** Whether a file that is no code object holds some for AMD GPUs, be it for others than are
 * emulated. */
bool wt_gcn_program_contained(const char *path);

/**
 * Reads the file and chooses the kernel: @p name as wt_name_matches() has it, or "N:NAME" for that
 * of the file's N th code object for @p target; NULL: the only one. Several that match are an error
 * that lists them. On failure nothing is left to free.
 */
enum wt_status wt_gcn_program_read(const char *path, const char *name,
                                   const struct gcn_target *target, struct wt_gcn_program *program,
                                   struct wt_error *err);
/** Frees what wt_gcn_program_read gave. */
void wt_gcn_program_free(struct wt_gcn_program *program);

#endif
