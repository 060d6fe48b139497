/* Files that get their name once they are whole. */
#ifndef WT_BASE_WHOLE_FILE_H
#define WT_BASE_WHOLE_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

struct wt_whole_file {
    int fd;                  /**< to write, seek and read */
    int device;              /**< the device that gets the contents; -1: a file does */
    char path[PATH_MAX];     /**< the file to make or to replace, without links */
    char part[PATH_MAX + 8]; /**< its name until it is whole */
};

/**
 * Begins a file beside @p path that only its owner can read. What is there now may be a regular
 * file, which is replaced at the end, or a link to one, which stays; or a character device, which
 * the contents are written to at the end. WT_INVALID for anything else (a pipe, a folder, a disk, a
 * link to nothing), WT_IO if the file cannot be made. On success wt_whole_file_finish() or
 * wt_whole_file_give_up() must follow.
 */
enum wt_status wt_whole_file_begin(struct wt_whole_file *file, const char *path,
                                   struct wt_error *err);

/** Gives it its name. On failure nothing is left of it. */
enum wt_status wt_whole_file_finish(struct wt_whole_file *file, struct wt_error *err);

/** Removes it. */
void wt_whole_file_give_up(struct wt_whole_file *file);

#endif
