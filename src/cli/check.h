/* --check: its options, and the reports of findings. */
#ifndef WT_CLI_CHECK_H
#define WT_CLI_CHECK_H

#include "cli/cli.h"
#include "runtime/common/checked.h"

/** {0}: nothing is checked. */
struct cli_check {
    struct wt_check_options options;
};

/** The options, of a command whose option context has this at a place. */
#define CLI_CHECK_OPTIONS(set_check)                                                               \
    {                                                                                              \
        "check", 0, "LIST",                                                                        \
            "report mistakes with memory (memory), what is never freed (leak) and wrong\n"         \
            "calls (api), with commas between, or all; the status is 115 if an error was\n"        \
            "reported, and the program ended with 0",                                              \
            CLI_SET(set_check)                                                                     \
    }

/** Takes the value of --check. */
enum wt_status cli_check_set(struct cli_check *check, const char *value, struct wt_error *err);
/** Sets the variable for host programs that this process starts. */
enum wt_status cli_check_begin_programs(const struct cli_check *check, struct wt_error *err);
/**
 * Reports the findings of host programs, which are in the file @p fd (cli_profile), on stderr and
 * to the files of @p report (wt_report_add()). Returns an exit status: 0, WT_CHECK_STATUS,
 * CLI_FAILED.
 */
int cli_check_report(const struct cli_command *command, const struct cli_check *check, int fd,
                     const char *report);

#endif
