/* A session's time travel: the history service of its target. */
#ifndef WT_CLI_SESSION_HISTORY_H
#define WT_CLI_SESSION_HISTORY_H

#include "cli/session.h"

extern const struct wt_history_services cli_history_services;

/** Starts to record the session's device. Without host memory it fails. */
enum wt_status cli_history_start(struct cli_session *session, struct wt_error *err);

/** Ends it. */
void cli_history_stop(struct cli_session *session);

/* The device, recorded or not: what a session does to it from outside goes through these. */

enum wt_run cli_history_run(struct cli_session *session, uint64_t issues);
uint32_t cli_history_input(struct cli_session *session, const struct wt_input *input);
/** A program was loaded: what was recorded is void. */
enum wt_status cli_history_restart(struct cli_session *session, struct wt_error *err);

/* Watched places: in session.c. */

/** What to watch in the machine for a watchpoint. */
struct wt_watch cli_watch_of(const struct wt_watchpoint *watchpoint);
/** Lets the machine watch what the debugger wants; false, and nothing watched, without memory. */
bool cli_watch_again(struct cli_session *session);
/** Room for what is met; false without host memory. */
bool cli_watch_room(struct cli_session *session);

#endif
