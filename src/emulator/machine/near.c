/* See near.h. */
#include "emulator/machine/near.h"

#include <stdio.h>
#include <string.h>

void wt_near_add(struct wt_near *near, const char *name, size_t length)
{
    char text[WT_NEAR_NAME];
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    for (unsigned i = 0; i < near->count; i++)
        if (strcmp(near->name[i], text) == 0)
            return;
    if (near->count < WT_NEAR_MOST)
        memcpy(near->name[near->count++], text, sizeof text);
}
