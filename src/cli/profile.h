/* --profile: exact counts by source line and instruction (docs/profile.md). */
#ifndef WT_CLI_PROFILE_H
#define WT_CLI_PROFILE_H

#include <stdio.h>

#include "emulator/machine/profile.h"
#include "target/emulated.h"

/** What the options ask for; zeros: nothing. */
struct cli_profile {
    bool table;  /**< on stderr */
    char *json;  /**< files of objects (wt_report_add); NULL: none */
    char **lcov; /**< files of tables of lines */
    size_t lcov_count;
    char **limit; /**< as they were given */
    size_t limit_count;
    struct wt_profile *counts; /**< of a device here, while it counts */
    bool has_file;
    int file; /**< of counts of host programs (runtime/common/counted.h) */
};

/** The options, of a command whose option context has this profile at a place. */
#define CLI_PROFILE_OPTIONS(set_profile, set_limit)                                                \
    {"profile", 0, "[=json:FILE|lcov:FILE]",                                                       \
     "count instructions, lanes, memory requests and transactions, conflicts\nof banks, "          \
     "collisions "                                                                                 \
     "of atomics and bytes by source line; print the first\nlines, or write all as JSON or for "   \
     "lcov",                                                                                       \
     CLI_SET(set_profile)},                                                                        \
    {                                                                                              \
        "profile-limit", 0, "FILE:LINE COUNT<=N",                                                  \
            "the status is 114 if that line has more ('k.cl:7 transactions<=64')",                 \
            CLI_SET(set_limit)                                                                     \
    }

/** Takes the value of --profile; NULL: it has none. */
enum wt_status cli_profile_set(struct cli_profile *profile, const char *value,
                               struct wt_error *err);
/** Takes the value of --profile-limit, "FILE:LINE COUNT<=N". */
enum wt_status cli_profile_set_limit(struct cli_profile *profile, const char *value,
                                     struct wt_error *err);
/** Whether anything is asked for. */
bool cli_profile_wanted(const struct cli_profile *profile);

/** Begins to count what a device here does, if it is asked for. */
enum wt_status cli_profile_begin(struct cli_profile *profile, struct wt_emulated *e,
                                 struct wt_error *err);
/** Begins anew to count what host programs do that this process starts from now on, if it is asked
 * for. */
enum wt_status cli_profile_begin_programs(struct cli_profile *profile, struct wt_error *err);

/** Prints the table of what was counted so far; @p e is the device, NULL: of host programs.
 * WT_STATE: nothing is counted. */
enum wt_status cli_profile_print(struct cli_profile *profile, const struct wt_emulated *e,
                                 FILE *out, struct wt_error *err);
/** Reports what was counted: to the files of @p report (wt_report_add()), too; *over: a line is
 * over its limit, which is told on stderr. @p e as above, and it is there yet. Nothing where
 * nothing was asked for. */
enum wt_status cli_profile_report(struct cli_profile *profile, const struct wt_emulated *e,
                                  const char *report, bool *over, struct wt_error *err);
/** Frees it; a device may have been closed. */
void cli_profile_free(struct cli_profile *profile);

#endif
