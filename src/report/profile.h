/* --profile: exact counts by source line and instruction (docs/profile.md). */
#ifndef WT_REPORT_PROFILE_H
#define WT_REPORT_PROFILE_H

#include <stdio.h>

#include "base/option.h"
#include "report/profile_table.h"
#include "report/status.h"

struct wt_emulated;

/** The options --profile…; zeros: none is given. */
struct wt_report_profile {
    bool table;  /**< on stderr */
    char *json;  /**< files of objects (wt_report_add); NULL: none */
    char **lcov; /**< files of tables of lines */
    size_t lcov_count;
    char **limit; /**< as they were given */
    size_t limit_count;
    struct wt_profile *counts; /**< counts of a device here, while it counts */
    bool has_file;
    int file; /**< file of counts of host programs (runtime/common/counted.h) */
};

/** The options, of a command whose option context has this profile at a place. */
#define WT_PROFILE_OPTIONS(type, member)                                                           \
    {"profile", 0, "[=json:FILE|lcov:FILE]",                                                       \
     "count instructions, lanes, memory requests and transactions, conflicts\nof banks, "          \
     "collisions "                                                                                 \
     "of atomics and bytes by source line; print the first\nlines, or write all as JSON or for "   \
     "lcov",                                                                                       \
     WT_OPTION_PART(wt_report_profile_set, type, member)},                                         \
    {                                                                                              \
        "profile-limit", 0, "FILE:LINE COUNT<=N",                                                  \
            "the status is 114 if that line has more ('k.cl:7 transactions<=64')",                 \
            WT_OPTION_PART(wt_report_profile_set_limit, type, member)                              \
    }

/** Takes the value of --profile; NULL: it has none. */
wt_option_set_fn wt_report_profile_set;
/** Takes the value of --profile-limit, "FILE:LINE COUNT<=N". */
wt_option_set_fn wt_report_profile_set_limit;
/** Whether anything is asked for. */
bool wt_report_profile_wanted(const struct wt_report_profile *profile);

/** Begins to count what a device here does, if it is asked for. */
enum wt_status wt_report_profile_begin(struct wt_report_profile *profile, struct wt_emulated *e,
                                       struct wt_error *err);
/** Begins anew to count what host programs do that this process starts from now on, if it is asked
 * for; and makes the file of counts and findings for that, or for @p findings. */
enum wt_status wt_report_profile_begin_programs(struct wt_report_profile *profile, bool findings,
                                                struct wt_error *err);

/** Prints the table of the counts so far: those of device @p e, or of host programs (NULL).
 * WT_STATE: nothing is counted. */
enum wt_status wt_report_profile_print(struct wt_report_profile *profile,
                                       const struct wt_emulated *e, FILE *out,
                                       struct wt_error *err);
/** Shows the table of source lines, with the counts so far, to @p look, which must not keep it:
 * likewise. */
enum wt_status
wt_report_profile_look(struct wt_report_profile *profile, const struct wt_emulated *e,
                       void (*look)(void *context, struct wt_report_profile_table *lines),
                       void *context, struct wt_error *err);
/**
 * Reports the counts where they are asked for, and to the files of @p report (wt_report_add()). @p
 * e as above; it must not be closed yet. Returns an exit status: 0; WT_EXIT_OVER: a line is over
 * its limit; WT_EXIT_FAILED. Why is on stderr then.
 */
int wt_report_profile_report(const char *command, struct wt_report_profile *profile,
                             const struct wt_emulated *e, const char *report);
/** Frees it; a device may have been closed. */
void wt_report_profile_free(struct wt_report_profile *profile);

#endif
