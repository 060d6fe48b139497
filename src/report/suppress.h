/* Suppressions: findings that are not reported, with the reason. */
#ifndef WT_REPORT_SUPPRESS_H
#define WT_REPORT_SUPPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct wt_report_call;
struct wt_report_found;

/** Of a user's file, in the working folder. */
#define WT_CHECKS_FILE "wavetrap-checks.conf"

/** One of them. Texts that are NULL match all. */
struct wt_report_suppression {
    char *kind, *kernel, *function, *file, *object; /**< patterns of fnmatch() */
    unsigned line;                                  /**< line of `file`; 0: each */
    char *reason;                                   /**< "": none is given */
    char *from;                                     /**< the file's name and line, for people */
    uint64_t used;                                  /**< how many findings it was for */
};

/** {0}: none. */
struct wt_report_suppressions {
    struct wt_report_suppression *list;
    size_t count, capacity;
};

/**
 * Adds those of a file's text: lines "suppress KIND kernel=GLOB function=GLOB file=GLOB[:LINE]
 * object=GLOB  # reason", of which all but KIND may be left out. KIND is a pattern, too. @p name is
 * for messages. WT_INVALID: *err says which line is wrong.
 */
enum wt_status wt_report_suppressions_parse(struct wt_report_suppressions *all, const char *name,
                                            const char *text, struct wt_error *err);
/** Adds those of a file. */
enum wt_status wt_report_suppressions_read(struct wt_report_suppressions *all, const char *path,
                                           struct wt_error *err);
/** Whether one is for this finding: the first one is counted as used. `function` and `file` are
 * those of the same call, of any at the finding's place. */
bool wt_report_suppressions_hold(struct wt_report_suppressions *all,
                                 const struct wt_report_found *f);
/** Prints a line that is for this finding alone, as a file has it; @p place:
 * wt_report_found_place(). */
void wt_report_suppression_print(FILE *out, const struct wt_report_found *f,
                                 const struct wt_report_call *place);
/** Frees them. */
void wt_report_suppressions_free(struct wt_report_suppressions *all);

#endif
