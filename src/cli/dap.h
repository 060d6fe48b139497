/* `wavetrap dap`: what other commands take of it. */
#ifndef WT_CLI_DAP_H
#define WT_CLI_DAP_H

#include "frontend/dap/dap.h"
#include "session/debuggee.h"

/**
 * Serves a client of the Debug Adapter Protocol at two descriptors until it goes. What is debugged
 * is @p given, which wt_debuggee_parse() has filled in and which stays the caller's; NULL: the
 * client says it. Returns an exit status.
 */
int cli_dap_serve(int in, int out, const struct wt_debuggee *given);
/** Hands counts of source lines to @p each, as struct wt_dap_owner.counts; @p context begins with a
 * struct wt_debuggee. */
bool cli_dap_counts(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                    void *to);
#endif
