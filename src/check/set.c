/* See set.h. */
#include "check/set.h"

void wt_check_set_space(const struct wt_check_set *s, const void *space)
{
    if (s->memory)
        wt_check_memory_set_space(s->memory, space);
    if (s->race)
        wt_check_race_set_space(s->race, space);
    if (s->init)
        wt_check_init_set_space(s->init, space);
    if (s->stale)
        wt_check_stale_set_space(s->stale, space);
}

void wt_check_set_end(struct wt_check_set *s)
{
    wt_check_advice_end(s->advice);
    wt_check_stale_end(s->stale);
    wt_check_hazard_end(s->hazard);
    wt_check_init_end(s->init);
    wt_check_sync_end(s->sync);
    wt_check_race_end(s->race);
    wt_check_memory_end(s->memory);
    *s = (struct wt_check_set){.memory = NULL};
}

void wt_check_set_free(struct wt_check_set *s)
{
    wt_check_advice_free(s->advice);
    wt_check_stale_free(s->stale);
    wt_check_hazard_free(s->hazard);
    wt_check_init_free(s->init);
    wt_check_sync_free(s->sync);
    wt_check_race_free(s->race);
    wt_check_memory_free(s->memory);
    *s = (struct wt_check_set){.memory = NULL};
}
