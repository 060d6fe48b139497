/* Reading whole files. */
#ifndef WT_BASE_FILE_H
#define WT_BASE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** The largest file that is read: 1 GiB. */
#define WT_FILE_MAX_BYTES ((size_t)1 << 30)

/**
 * Reads the file at @p path, which may be a pipe. On success *bytes, which the caller frees, holds
 * *length bytes and a NUL behind them, so that it is not NULL even where *length is 0. A file that
 * cannot be opened or read gives WT_IO; one of more than WT_FILE_MAX_BYTES gives WT_INVALID.
 */
enum wt_status wt_file_read(const char *path, uint8_t **bytes, size_t *length,
                            struct wt_error *err);

/**
 * Copies the file's first bytes, @p size at most, to @p bytes; returns how many. 0 for a file that
 * cannot be read, and for a pipe or a device, whose bytes can be read once only.
 */
size_t wt_file_begin(const char *path, void *bytes, size_t size);

/**
 * Finds the first of @p folders ("A:B"; NULL: none; empty ones are skipped) that has a file @p name
 * with the access @p mode (R_OK, X_OK). False: none has, or @p path, of @p size bytes, is too
 * short.
 */
bool wt_file_in_folders(const char *folders, const char *name, int mode, char *path, size_t size);

/**
 * Writes the file's name that @p pattern stands for in this process: "%p" is the process's id, "%n"
 * is @p number, "%%" is "%". WT_INVALID for anything else behind a '%', and if the name does not
 * fit.
 */
enum wt_status wt_file_name(const char *pattern, unsigned number, char *name, size_t size,
                            struct wt_error *err);
/** Likewise of the process with the id @p process. */
enum wt_status wt_file_name_of(const char *pattern, long process, unsigned number, char *name,
                               size_t size, struct wt_error *err);

/** wt_file_read() of an open descriptor, which stays open; @p path is for messages. */
enum wt_status wt_file_read_fd(int fd, const char *path, uint8_t **bytes, size_t *length,
                               struct wt_error *err);

/**
 * A file that this process's children write, as they name it: @p value, which may have "%p" and
 * "%n" (wt_file_name), made absolute, since they may change their folder. @p name becomes the one
 * that this process would write.
 */
enum wt_status wt_file_whole_name(const char *value, char whole[PATH_MAX], char name[PATH_MAX],
                                  struct wt_error *err);

/**
 * Likewise of a file that is made at once, and that all processes append to, unless each has its
 * own. A pipe is left to them: its reader would take the end of this try for that of all.
 */
enum wt_status wt_file_make(const char *value, char whole[PATH_MAX], struct wt_error *err);

#endif
