/*
 * Parsed PTX on disk, in the cache of code (runtime/common/code_cache.h): a file for each text.
 */
#ifndef WT_RUNTIME_CUDA_PTX_CACHE_H
#define WT_RUNTIME_CUDA_PTX_CACHE_H

#include "object/ptx.h"

/** As ptx_parse; a text that the cache has is not parsed. */
enum wt_status ptx_cache_parse(const char *name, const char *text, size_t length,
                               struct ptx_module *module, struct wt_error *err);

#endif
