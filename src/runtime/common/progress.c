/* The progress line of kernels. See progress.h. */
#include "runtime/common/progress.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "runtime/common/environment.h"

#define FIRST 1000000000u   /* nanoseconds: shorter kernels show nothing on a terminal */
#define IN_PLACE 200000000u /* between two changes of the line */
#define APART 1000000000u   /* between two lines */

void wt_progress_start(struct wt_progress *p, const char *mode, FILE *out)
{
    const bool terminal = isatty(fileno(out)), always = mode && strcmp(mode, "always") == 0;
    if (mode && !always && strcmp(mode, "auto") != 0)
        wt_say_once(WT_PROGRESS_VARIABLE "=%.80s is neither 'auto' nor 'always'", mode);
    *p = (struct wt_progress){.out = mode && (always || terminal) ? out : NULL,
                              .terminal = terminal};
}

void wt_progress_begin(struct wt_progress *p, uint64_t issues)
{
    if (!p->out)
        return;
    p->last = wt_clock_ns();
    p->next = p->last + FIRST;
    p->issues = issues;
}

bool wt_progress_due(const struct wt_progress *p)
{
    return p->out && wt_clock_ns() >= p->next;
}

/* "12.3 million" */
static void rate_text(double rate, char *text, size_t size)
{
    if (rate >= 1e6)
        snprintf(text, size, "%.1f million", rate / 1e6);
    else
        snprintf(text, size, "%.0f", rate);
}

void wt_progress_show(struct wt_progress *p, const struct wt_progress_of *what, uint64_t issues)
{
    const uint64_t now = wt_clock_ns();
    assert(what->kernel);
    char rate[40], others[40] = "";
    if (!p->out)
        return;
    rate_text((double)(issues - p->issues) * 1e9 / ((double)(now - p->last) + 1), rate,
              sizeof rate);
    if (what->others)
        snprintf(others, sizeof others, " (%u more kernels run)", what->others);
    fprintf(p->out,
            "%swavetrap: %.60s: %" PRIu64 " of %" PRIu64 " work-groups, %s issues a second%s%s",
            p->terminal ? "\r" : "", what->kernel, what->done, what->total, rate, others,
            p->terminal ? "\033[K" : "\n");
    fflush(p->out);
    p->shown = p->terminal;
    p->last = now;
    p->issues = issues;
    p->next = now + (p->terminal ? IN_PLACE : APART);
}

void wt_progress_clear(struct wt_progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", p->out);
        fflush(p->out);
    }
    p->shown = false;
}
