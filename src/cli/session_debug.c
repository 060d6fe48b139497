/* A session's debugger. Apart from session.c because `run` and `trace` have none. */
#include "cli/session_history.h"

enum wt_status cli_session_debug(struct cli_session *session,
                                 void (*output)(void *context, const char *text, size_t length),
                                 void *output_context, struct wt_error *err)
{
    const struct wt_debugger_options options = {.dm_only = session->options->dm_only,
                                                .threads = session->options->threads,
                                                .output = output,
                                                .context = output_context};
    enum wt_status status = cli_session_attach(session, err);
    if (!status && session->options->history_memory)
        status = cli_history_start(session, err);
    if (!status)
        status =
            wt_debugger_open(&session->target, &wt_probe_vortex, &options, &session->debugger, err);
    if (status)
        return status;
    status = wt_debugger_reset(session->debugger, err);
    if (status) {
        wt_debugger_close(session->debugger);
        session->debugger = NULL;
    }
    return status;
}
