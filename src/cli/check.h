/* --check: its options, and the reports of findings. */
#ifndef WT_CLI_CHECK_H
#define WT_CLI_CHECK_H

#include "cli/cli.h"
#include "runtime/common/checked.h"
#include "target/emulated.h"

/** {0}: nothing is checked. */
struct cli_check {
    struct wt_check_options options;
    struct wt_check_memory *memory; /**< of a device here, while it is checked */
    int file;                       /**< of that device's findings */
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
/** Begins to check what a device here does, if that is asked for. */
enum wt_status cli_check_begin(struct cli_check *check, struct wt_emulated *e,
                               struct wt_error *err);
/**
 * Ends it, and reports the findings of the device as cli_check_report() does; 0 where nothing was
 * checked.
 */
int cli_check_end(const struct cli_command *command, struct cli_check *check,
                  const struct wt_emulated *e, const char *report);
/**
 * Reports the findings of host programs, which are in the file @p fd (cli_profile), on stderr and
 * to the files of @p report (wt_report_add()). @p modules: the code of findings that are not of a
 * host program; NULL: there are none. Returns an exit status: 0, WT_CHECK_STATUS, CLI_FAILED.
 */
int cli_check_report(const struct cli_command *command, const struct cli_check *check, int fd,
                     const struct wt_modules *modules, const char *report);

#endif
