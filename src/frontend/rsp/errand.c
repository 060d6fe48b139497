/* Monitor commands that take long: answered when they are done, with progress until then. */
#include "frontend/rsp/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* The interval between progress messages of a long command. */
#define PROGRESS_NS 2000000000ull

const char *wt_rsp_stale(const struct wt_rsp_session *s)
{
    return s->lldb
               ? "LLDB shows what it read before until it stops the next time.\n"
               : "GDB still shows what it read before: type 'maintenance flush register-cache'.\n";
}

void wt_rsp_end_rcmd(struct wt_rsp_session *s, char *text, size_t length)
{
    /* Sends text in "O" packets, then OK: LLDB shows the hex digits of any other answer
     * undecoded. */
    if (length) {
        wt_put_char(&s->out, 'O');
        wt_put_hex(&s->out, text, length);
        wt_put_end(&s->out);
        wt_put_begin(&s->out, '$');
    }
    free(text);
    wt_rsp_ok(s);
}

void wt_rsp_begin_errand(struct wt_rsp_session *s, const struct wt_rsp_errand *errand)
{
    s->errand = *errand;
    s->errand.told_ns = wt_clock_ns();
}

void wt_rsp_end_errand(struct wt_rsp_session *s, const struct wt_event *event)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const struct wt_rsp_errand errand = s->errand;
    if (event->reason == WT_STOP_LOST && out)
        fprintf(out, "%s\n", event->text);
    else if (out)
        errand.end(s, event, out);
    s->errand.end = NULL;
    s->waiting = false;
    wt_put_begin(&s->out, '$');
    /* The text is valid only after the stream has been closed. */
    const bool fine = out && fclose(out) == 0;
    wt_rsp_end_rcmd(s, text, fine ? length : 0);
    wt_put_end(&s->out);
}

void wt_rsp_tell_progress(struct wt_rsp_session *s)
{
    char text[96];
    uint64_t now, to;
    if (!s->errand.end || wt_clock_ns() - s->errand.told_ns < PROGRESS_NS ||
        !wt_debugger_progress(s->debugger, &now, &to))
        return;
    s->errand.told_ns = wt_clock_ns();
    snprintf(text, sizeof text, "replaying: issue time %" PRIu64 " …\n", now);
    wt_put_begin(&s->out, '$');
    wt_put_char(&s->out, 'O');
    wt_put_hex(&s->out, text, strlen(text));
    wt_put_end(&s->out);
}
