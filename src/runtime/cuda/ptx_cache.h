/*
 * Parsed PTX on disk: $XDG_CACHE_HOME/wavetrap/ptx, or ~/.cache/wavetrap/ptx. A file for each text,
 * 64 MiB in all at most. WAVETRAP_PTX_CACHE=off: there is none.
 */
#ifndef WT_RUNTIME_CUDA_PTX_CACHE_H
#define WT_RUNTIME_CUDA_PTX_CACHE_H

#include "object/ptx.h"

/** As ptx_parse; a text that the cache has is not parsed. */
enum wt_status ptx_cache_parse(const char *name, const char *text, size_t length,
                               struct ptx_module *module, struct wt_error *err);

#endif
