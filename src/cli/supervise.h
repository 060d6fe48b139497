/* `exec` as the parent of its program: a limit of time, and what its kernels did at the end. */
#ifndef WT_CLI_SUPERVISE_H
#define WT_CLI_SUPERVISE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "report/check.h"
#include "report/profile.h"
#include "runtime/common/tally.h"

/** Exit statuses of `exec` that say what the program's own status does not. */
enum {
    CLI_TOO_FEW_LAUNCHES = 122,
    CLI_TIME_OVER = 124,
    CLI_EXEC_NOT_RUN = 126,   /**< the program cannot be started, */
    CLI_EXEC_NOT_FOUND = 127, /**< or there is none */
};

/** The wishes for a program beside running it. {0}: none. */
struct cli_supervision {
    double timeout;    /**< seconds; 0: no limit */
    uint64_t launches; /**< the kernels that must be launched; 0: none need be */
    int fault_exit;    /**< the status of a program with a fault, or an error of a check, that ends
                          with 0; 0: its own */
    bool has_fault_exit; /**< else it is WT_CHECK_STATUS with checks */
    bool stats;          /**< tell at the end what ran */
    char *report;        /**< files of objects that get it, too (wt_report_add); NULL: none */
    struct wt_report_profile profile; /**< the caller frees it */
    struct wt_report_check check;
    char **page;        /**< the words of a `view` that writes a page about a finding
                           (cli_view_page_words); NULL: none is wanted */
    char **environment; /**< … its environment */
};

/** Whether anything is wanted. */
bool cli_supervises(const struct cli_supervision *wanted);

/**
 * Starts a child, in which it returns true; the caller becomes the program there. In this process
 * waits for the child to end, reports, and sets *status to the exit status (a child that died of a
 * signal: this process does, too). @p offered has a bit for each family that the program can see.
 */
bool cli_supervise(const struct wt_subcommand *command, struct cli_supervision *wanted,
                   unsigned offered, int *status);

#endif
