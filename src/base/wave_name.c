/* The name of a wave. See wave_name.h. */
#include "base/wave_name.h"

#include <inttypes.h>
#include <stdio.h>

void wt_wave_name(const struct wt_wave_name *n, char *text, size_t size)
{
    char work[96] = "";
    if (n->has_work)
        snprintf(work, sizeof work,
                 ", dispatch %" PRIu64 ", group (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", n->dispatch,
                 n->group[0], n->group[1], n->group[2]);
    snprintf(text, size, "device %" PRIu32 "%s, core %" PRIu32 ", %s %" PRIu32, n->device, work,
             n->core, n->word, n->slot);
}
