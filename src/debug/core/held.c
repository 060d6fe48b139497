/* Keeps what a search of the past evaluates: clients may change breakpoints while one is under way.
 */
#include "debug/core/held.h"

#include <stdlib.h>

#include "debug/core/conditions.h"
#include "debug/core/watch_condition.h"

static void release(struct held_code *held)
{
    for (size_t i = 0; i < held->count; i++)
        dbg_free_code(held->code[i]);
    for (size_t i = 0; i < held->condition_count; i++)
        dbg_free_watch_condition(held->condition[i]);
    free(held->code);
    free(held->condition);
    *held = (struct held_code){0};
}

bool dbg_hold_code(struct wt_debugger *d)
{
    struct held_code now = {
        .code = calloc(d->breakpoints.count + 1, sizeof *now.code),
        .condition = calloc(d->watchpoints.count + 1, sizeof *now.condition),
    };
    if (!now.code || !now.condition) {
        release(&now);
        return false;
    }
    for (size_t i = 0; i < d->watchpoints.count; i++)
        if (d->watchpoints.list[i].condition)
            now.condition[now.condition_count++] =
                dbg_share_watch_condition(d->watchpoints.list[i].condition);
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (d->breakpoints.list[i].code)
            now.code[now.count++] = dbg_share_code(d->breakpoints.list[i].code);
    /* The watches of the last search stay in the machine until the next search begins. */
    release(&d->history.searched[1]);
    d->history.searched[1] = d->history.searched[0];
    d->history.searched[0] = now;
    return true;
}

void dbg_release_code(struct wt_debugger *d)
{
    release(&d->history.searched[0]);
    release(&d->history.searched[1]);
}
