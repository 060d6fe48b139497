/* A program behind an RSP server, for `serve` and `gdb`. */
#ifndef WT_CLI_REMOTE_H
#define WT_CLI_REMOTE_H

#include "cli/pages.h"
#include "frontend/rsp/rsp.h"
#include "report/check.h"
#include "session/interrupts.h"
#include "session/options.h"

#define CLI_SERVERS 8 /* --rsp options at most */

struct cli_remote {
    struct wt_emulated device;
    struct wt_session *session; /**< session of the debugger; the servers are its clients */
    struct wt_rsp_server *server[CLI_SERVERS];
    size_t server_count;
    struct wt_report_check *check; /**< check of the program */
    FILE *out;                     /**< where console lines go that the client does not take */
    FILE *console;                 /**< the device's console: decides for each line */
    struct cli_pages *pages;       /**< --view; NULL: none */
    struct wt_program *program;    /**< … what they show */
    struct wt_client *viewer;      /**< … and what tells them of stops */
};

/**
 * Loads @p program, halts it before its first instruction, and listens as @p rsp says. The console
 * goes to @p out, or to the clients (rsp->console_to_gdb). @p check, whose options are complete, is
 * begun. On failure nothing is left to close.
 */
enum wt_status cli_remote_open(struct cli_remote *remote, const struct wt_session_options *options,
                               const char *program, const struct wt_rsp_options *rsp,
                               struct wt_report_check *check, FILE *out, struct wt_error *err);
/**
 * Listens at one more address, for a client beside the others. `stop_fd` of the options is not
 * used.
 */
enum wt_status cli_remote_listen(struct cli_remote *remote, const struct wt_rsp_options *rsp,
                                 struct wt_error *err);
/** Shows the session in pages, which become the remote's. */
enum wt_status cli_remote_show(struct cli_remote *remote, struct cli_pages *pages,
                               struct wt_error *err);
/** Closes the servers, the debugger and the device; reports what the check has found before that,
 * as wt_report_check_end() does. Returns its exit status. */
int cli_remote_close(const struct wt_subcommand *command, struct cli_remote *remote);

#endif
