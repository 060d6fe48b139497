/* Modules of libcuda, for libraries. The caller holds the lock. */
#ifndef WT_RUNTIME_CUDA_MODULES_H
#define WT_RUNTIME_CUDA_MODULES_H

#include "runtime/cuda/state.h"

/** An image, and the options of the call that loads it. */
struct modules_image {
    const void *bytes;
    size_t available; /**< bytes; SIZE_MAX: the image says its own size */
    unsigned count;   /**< count of options */
    const CUjit_option *options;
    void **values;
};

/** Loads an image on a GPU, as cuModuleLoadDataEx is documented to do. */
CUresult modules_load(struct gpu *gpu, CUmodule *module, const struct modules_image *image);
/** Unloads a module that is loaded, and frees its functions. */
void modules_unload(CUmodule module);
/** Unloads the modules of a context. */
void modules_drop(uint64_t owner);
/** Whether a handle is a function that was asked for; *owner: the id of its module's context. */
bool modules_has(CUfunction function, uint64_t *owner);
/** Finds a kernel of a module; the function lives as long as the module. 500: there is none. */
CUresult modules_function(CUmodule module, const char *name, CUfunction *function);

#endif
