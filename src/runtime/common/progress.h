/*
 * The progress line of a host program's kernels (exec --progress): on a terminal one line of stderr
 * that changes in place, elsewhere (where it is forced) a line of its own each time.
 */
#ifndef WT_RUNTIME_COMMON_PROGRESS_H
#define WT_RUNTIME_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** The variable that `exec` sets: "auto" (on a terminal only) or "always". */
#define WT_PROGRESS_VARIABLE "WAVETRAP_PROGRESS"

/** {0}: no progress is shown. */
struct wt_progress {
    FILE *out; /**< NULL: none */
    bool terminal;
    bool shown;      /**< a line is there that changes in place */
    uint64_t next;   /**< nanoseconds of the clock */
    uint64_t last;   /**< when `issues` was noted */
    uint64_t issues; /**< issue time then */
};

/** The progress of a kernel, as a line shows it. */
struct wt_progress_of {
    const char *kernel;   /**< its name */
    uint64_t done, total; /**< work-groups */
    unsigned others;      /**< kernels that run beside it */
};

/** Sets up progress lines on @p out by @p mode, the variable's value; NULL: none are shown. */
void wt_progress_start(struct wt_progress *progress, const char *mode, FILE *out);
/**
 * Notes that a kernel begins where none ran, at issue time @p issues: no line is shown before it
 * has run for a while.
 */
void wt_progress_begin(struct wt_progress *progress, uint64_t issues);
/** Whether it is time for a line. Reads the clock; false without that where none are shown. */
bool wt_progress_due(const struct wt_progress *progress);
/**
 * Shows a line about a kernel: work-groups done, and issues a second since the last line; @p issues
 * is the issue time now. The next line is due some time later.
 */
void wt_progress_show(struct wt_progress *progress, const struct wt_progress_of *what,
                      uint64_t issues);
/** Takes the line off the terminal: kernels have ended, or something else is to be printed. */
void wt_progress_clear(struct wt_progress *progress);

#endif
