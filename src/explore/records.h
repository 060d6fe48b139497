/*
 * The runs of a systematic search, in a file or between processes: what one has found, as bytes of
 * this machine. A file is appended to as runs end; of one that is killed while it writes the last
 * piece is dropped.
 */
#ifndef WT_EXPLORE_RECORDS_H
#define WT_EXPLORE_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct explore_record {
    uint8_t *bytes; /**< malloc'ed */
    size_t length;
};

struct explore_records {
    int fd;           /**< -1: there is none */
    const char *path; /**< path of the caller */
    uint64_t at;      /**< the records before were handed out */
};

/**
 * Opens a file, or makes it. WT_INVALID: it is none, is of another @p command, or another process
 * has it.
 */
enum wt_status explore_records_open(struct explore_records *r, const char *path, uint64_t command,
                                    struct wt_error *err);
/** The next record of the file, which the caller frees; without bytes: there is none, and new ones
 * may be added. WT_INVALID: it is damaged. */
enum wt_status explore_records_next(struct explore_records *r, struct explore_record *record,
                                    struct wt_error *err);
/** Appends one. */
enum wt_status explore_records_add(struct explore_records *r, const struct explore_record *record,
                                   struct wt_error *err);
/** Closes the file. */
void explore_records_close(struct explore_records *r);

#endif
