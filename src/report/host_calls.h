/* Calls of a host program by the addresses of a process that may be gone: its ELF files are read,
 * by the lines of its /proc/PID/maps. */
#ifndef WT_REPORT_HOST_CALLS_H
#define WT_REPORT_HOST_CALLS_H

#include "check/objects.h"

struct wt_inlined;

/** A place in source code. The texts are of the heap; "": not known. */
struct wt_report_call {
    char *function, *file;
    unsigned line; /**< 0: not known */
    bool own;      /**< it is the program's, not a library's without debug information */
    bool after;    /**< the line is a guess: it comes after this one */
    bool foreign;  /**< the file is no source of the user's */
};

/** {0}: none. */
struct wt_report_calls {
    struct wt_report_call *list;
    size_t count, capacity;
};

/** Adds a call. Without host memory it is left out. */
void wt_report_calls_add(struct wt_report_calls *calls, const struct wt_inlined *call, bool own);
/** The first one of the program's own; NULL: there is none. */
const struct wt_report_call *wt_report_calls_own(const struct wt_report_calls *calls);
/** Frees them. */
void wt_report_calls_free(struct wt_report_calls *calls);

/** ELF files that were read. {0}: none. */
struct wt_report_host_files {
    struct wt_report_host_file *list;
    size_t count, capacity;
};

/**
 * Adds the calls of a stack, the innermost first and up to main(), with those that were inlined;
 * those of wavetrap's own libraries are left out, and so are the innermost ones in sources that are
 * not the user's (base/foreign.h), if one in the user's follows.
 */
void wt_report_host_calls(struct wt_report_host_files *files, const char *maps,
                          const struct wt_call_stack *stack, struct wt_report_calls *calls);
/** Frees them. */
void wt_report_host_files_free(struct wt_report_host_files *files);

#endif
