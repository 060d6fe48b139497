/*
 * The folder of the cache of parsed PTX: $XDG_CACHE_HOME/wavetrap/ptx, or ~/.cache/wavetrap/ptx.
 * Without either variable, or with PTX_FOLDER_VARIABLE=off, there is none.
 */
#ifndef WT_RUNTIME_COMMON_PTX_FOLDER_H
#define WT_RUNTIME_COMMON_PTX_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#define PTX_FOLDER_VARIABLE "WAVETRAP_PTX_CACHE"
/** Says that the variable has no sense; its value is the argument. */
#define PTX_FOLDER_NONSENSE PTX_FOLDER_VARIABLE "=%.80s is neither 'on' nor 'off'"
/** Bytes that its files have at most. */
#define PTX_FOLDER_BYTES (INT64_C(64) << 20)

/** The path of the folder, which is made if need be; false: there is none. */
bool ptx_folder_find(char folder[PATH_MAX]);
/**
 * Removes the files that were not used for the longest time until those left and another one of
 * @p size bytes are within PTX_FOLDER_BYTES.
 */
void ptx_folder_make_room(const char *folder, int64_t size);
/** Removes all files of the cache, if there is one. */
void ptx_folder_clear(void);

#endif
