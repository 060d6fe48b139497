/* Arguments of kernels on AMD's GPUs, by the metadata of their code object. */
#ifndef WT_TARGET_GCN_ARGUMENTS_H
#define WT_TARGET_GCN_ARGUMENTS_H

#include "debug/source/modules.h"
#include "debug/source/source.h"

/** Argument @p n of the kernel whose code is at @p pc, where launches have it; false: it has no
 * more. */
bool wt_gcn_code_argument(const struct wt_modules *modules, uint64_t pc, size_t n,
                          struct wt_code_register *reg);

#endif
