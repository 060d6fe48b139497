/*
 * Results that a run leaves for its user: memory and kernels' buffers in files, buffers compared
 * with files, who wrote where, the hash of the state, statistics.
 */
#ifndef WT_REPORT_RESULTS_H
#define WT_REPORT_RESULTS_H

#include "target/emulated.h"
#include "target/family.h"

/** A part of memory that goes to a file at the end. */
struct wt_report_dump {
    const char *path;
    size_t path_length;
    const char *place; /**< "PLACE:LENGTH"; NULL: the buffer of an argument */
    size_t argument;
    struct wt_kernel_buffer memory; /**< once it is known */
    int fd;                         /**< the open file; -1: none */
};

/** A buffer that is compared with a file at the end. */
struct wt_report_compare {
    size_t argument;
    const char *path;
};

/** A range of memory of which the last writer or reader is looked for. */
struct wt_report_touch {
    bool slice;        /**< all that had a part in what it has, not the last writer alone */
    bool read;         /**< the last reader */
    bool count;        /**< all of them are counted, too */
    const char *place; /**< an address or symbol, `place_length` characters; NULL: in an argument */
    size_t place_length;
    size_t argument;
    uint64_t offset; /**< in the argument's buffer */
    uint64_t length; /**< bytes */
    uint64_t addr;   /**< once it is known */
};

struct wt_report_results {
    struct wt_report_dump *dump;
    size_t dump_count, dump_capacity;
    struct wt_report_compare *compare;
    size_t compare_count, compare_capacity;
    struct wt_report_touch *touch;
    size_t touch_count, touch_capacity;
    struct wt_slice_limits limits; /**< limits of slices */
    bool hash, stats;
};

/** Takes "FILE@PLACE:LENGTH". */
enum wt_status wt_report_results_add_dump(struct wt_report_results *r, const char *text,
                                          struct wt_error *err);
/** Takes "N:FILE": the buffer of argument N goes to FILE. */
enum wt_status wt_report_results_add_buffer(struct wt_report_results *r, const char *text,
                                            struct wt_error *err);
/** Takes "N:FILE": the buffer of argument N is compared with FILE. */
enum wt_status wt_report_results_add_compare(struct wt_report_results *r, const char *text,
                                             struct wt_error *err);
/** Takes "N:OFFSET[,LENGTH][,count]" or "PLACE[,LENGTH][,count]"; LENGTH is 4 if it is left out. */
enum wt_status wt_report_results_add_touch(struct wt_report_results *r, bool read, const char *text,
                                           struct wt_error *err);
/** Likewise without ",count": what these bytes are made of is looked for. */
enum wt_status wt_report_results_add_slice(struct wt_report_results *r, const char *text,
                                           struct wt_error *err);

/**
 * Checks, before the program runs, all that can be wrong with what was asked for, opens the files
 * to be written and starts the recording if there is something to search it for.
 */
enum wt_status wt_report_results_begin(struct wt_report_results *r, struct wt_emulated *e,
                                       struct wt_error *err);

/**
 * Writes the files, prints the hash, statistics, last writers and readers after a run of @p
 * seconds. Goes on after a failure; returns the first one.
 */
enum wt_status wt_report_results_report(struct wt_report_results *r, struct wt_emulated *e,
                                        double seconds, struct wt_error *err);

/** Compares buffers with files. *same: each is as its file; else who wrote the first wrong byte is
 * said. */
enum wt_status wt_report_results_compare(struct wt_report_results *r, struct wt_emulated *e,
                                         bool *same, struct wt_error *err);

/** Frees what the options hold. */
void wt_report_results_free(struct wt_report_results *r);

#endif
