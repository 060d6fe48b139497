/* --profile: exact counts by source line and instruction (docs/profile.md). */
#ifndef WT_CLI_PROFILE_H
#define WT_CLI_PROFILE_H

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
    struct wt_profile *counts; /**< while it runs */
};

/** Takes the value of --profile; NULL: it has none. */
enum wt_status cli_profile_set(struct cli_profile *profile, const char *value,
                               struct wt_error *err);
/** Takes the value of --profile-limit, "FILE:LINE COUNT<=N". */
enum wt_status cli_profile_set_limit(struct cli_profile *profile, const char *value,
                                     struct wt_error *err);
/** Begins to count, if it is asked for. */
enum wt_status cli_profile_begin(struct cli_profile *profile, struct wt_emulated *e,
                                 struct wt_error *err);
/** Ends it, and reports; *over: a line is over its limit, which is told on stderr. */
enum wt_status cli_profile_end(struct cli_profile *profile, struct wt_emulated *e, bool *over,
                               struct wt_error *err);
/** Frees it. */
void cli_profile_free(struct cli_profile *profile);

#endif
