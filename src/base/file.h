/* Whole files. */
#ifndef WT_BASE_FILE_H
#define WT_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "wavetrap/error.h"

/** Files above this size are not read. */
#define WT_FILE_MAX ((size_t)1 << 30)

/**
 * Reads all of a file or pipe, at most WT_FILE_MAX bytes. The caller frees *bytes, which is never
 * NULL on success; on failure *bytes is NULL and *length is 0.
 */
enum wt_status wt_file_read(const char *path, uint8_t **bytes, size_t *length,
                            struct wt_error *err);

#endif
