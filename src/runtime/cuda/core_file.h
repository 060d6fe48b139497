/* Core files of an emulated SM in its program's process. */
#ifndef WT_RUNTIME_CUDA_CORE_FILE_H
#define WT_RUNTIME_CUDA_CORE_FILE_H

#include "runtime/common/host_core.h"
#include "runtime/cuda/gpu.h"

/** How a GPU's state and its loaded modules are written; the context is a struct gpu. The lock of
 * debug.h is held. */
extern const struct wt_host_core_ops cuda_core_ops;

#endif
