/* `wavetrap dap`: what other commands take of it. */
#ifndef WT_CLI_DAP_H
#define WT_CLI_DAP_H

#include "frontend/dap/client.h"
#include "frontend/dap/dap.h"
#include "session/debuggee.h"

/** Hands counts of source lines to @p each, as struct wt_dap_owner.counts; @p context begins with a
 * struct wt_debuggee. */
bool cli_dap_counts(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                    void *to);

/** Starts a server of the Debug Adapter Protocol in a process of its own, and makes @p client its
 * client. The program is @p given, which wt_debuggee_parse() has filled in. */
enum wt_status cli_dap_start(const struct wt_debuggee *given, struct wt_dap_client *client,
                             struct wt_error *err);
/** Ends the connection, and waits until the server's process has ended. */
void cli_dap_end(struct wt_dap_client *client);

#endif
