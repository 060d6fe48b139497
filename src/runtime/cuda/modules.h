/* Modules of libcuda, for libraries. The caller holds the lock. */
#ifndef WT_RUNTIME_CUDA_MODULES_H
#define WT_RUNTIME_CUDA_MODULES_H

#include "runtime/cuda/state.h"

/** Loads an image of @p available bytes (SIZE_MAX: it says its own size) on a GPU. */
CUresult modules_load(struct gpu *gpu, CUmodule *module, const void *image, size_t available);
/** Unloads a module that is loaded, and frees its functions. */
void modules_unload(CUmodule module);
/** Finds a kernel of a module; the function lives as long as the module. 500: there is none. */
CUresult modules_function(CUmodule module, const char *name, CUfunction *function);

#endif
