/* News for the front end. */
#include "debug/program/internal.h"

void pg_tell(struct wt_program *g, const struct wt_news *news)
{
    g->options.user.news(g->options.user.context, news);
}

void pg_wait(struct wt_program *g, enum wt_wait wait)
{
    if (g->options.user.waits)
        g->options.user.waits(g->options.user.context, wait);
}
