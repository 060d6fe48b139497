/* A device elsewhere, which runs by itself: it was there before the debugger, and goes on after it.
 */
#include "frontend/console/console.h"
#include "frontend/console/internal.h"

void wt_shell_show_attached(struct wt_shell *c)
{
    if (!c->started)
        return;
    print_where(c, c->thread);
    show_stop(c, true);
    fflush(c->out);
}

/* A command that the user has broken off may have left it running. */
static enum wt_status halt(struct wt_shell *c, struct wt_error *err)
{
    const bool quit = c->quit;
    if (!wt_debugger_running(c->debugger))
        return WT_OK;
    enum wt_status status = wt_debugger_interrupt(c->debugger, err);
    c->quit = false;
    if (!status)
        status = wait_for_stop(c, err);
    c->quit = quit;
    if (!status && c->event.kind == WT_EVENT_STOPPED && c->event.reason == WT_STOP_LOST)
        return wt_fail(err, WT_IO, "%s", c->event.text);
    return status;
}

enum wt_status wt_shell_let_go(struct wt_shell *c, struct wt_error *err)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    if (!c->started)
        return WT_OK;
    /* Code is restored while nothing runs through it. */
    enum wt_status status = halt(c, err);
    remove_all_inserted(c);
    if (!status && !wt_debugger_ended(c->debugger, NULL))
        status = wt_client_run(c->client, WT_FORWARDS, &all, 1, err);
    if (!status) {
        c->started = false;
        select_thread(c, 0);
    }
    return status;
}

enum wt_status refuse_attached(const struct wt_shell *c, const char *command, struct wt_error *err)
{
    if (!c->options.attached)
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED,
                   "%s: the device runs by itself, its program is neither started nor ended from "
                   "here. 'continue' and 'detach' let it go on; 'wavetrap debug --reset' begins at "
                   "its first instruction",
                   command);
}
