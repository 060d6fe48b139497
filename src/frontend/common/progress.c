/* How far long operations are: a run, a search of the past, reading debug information. */
#include <inttypes.h>
#include <stdio.h>

#include "frontend/common/common.h"

static unsigned percent(uint64_t done, uint64_t of)
{
    return !of ? 0 : done >= of ? 100 : (unsigned)((double)done * 100 / (double)of);
}

void wt_progress_text(struct wt_program *p, uint64_t from, char *text, size_t size)
{
    struct wt_debugger_time time;
    uint64_t now, to;
    const bool recorded = wt_debugger_time(p->debugger, &time, WT_IGNORED) == WT_OK;
    if (wt_debugger_progress(p->debugger, &now, &to))
        snprintf(text, size, "Issue time %" PRIu64 ", to %" PRIu64, now, to);
    else if (recorded && p->backwards)
        snprintf(text, size, "Back at issue time %" PRIu64 ", %u %% of the recorded run", time.now,
                 percent(from > time.now ? from - time.now : 0, from - time.start));
    else if (recorded && time.in_past)
        snprintf(text, size, "Issue time %" PRIu64 ", %u %% of the recorded run", time.now,
                 percent(time.now > from ? time.now - from : 0, time.end - from));
    else if (recorded)
        snprintf(text, size, "Running: issue time %" PRIu64, time.now);
    else
        snprintf(text, size, "Running");
}

void wt_loading_text(uint64_t done, uint64_t total, char *text, size_t size)
{
    snprintf(text, size, "Reading debug information, %u %%", percent(done, total));
}
