/* See host_checks.h. */
#include "runtime/common/host_checks.h"

#include <stdatomic.h>

bool wt_host_find(const void *space, uint64_t addr, struct wt_object *found)
{
    struct wt_object object;
    struct wt_good good;
    return wt_object_find(space, addr, found, NULL, NULL) &&
           (!found->freed || wt_objects_judge(space, addr, 1, false, &object, &good) != WT_GOOD);
}

static const struct wt_host_calls *_Atomic listener;

void wt_host_listen(const struct wt_host_calls *calls)
{
    listener = calls;
}

const struct wt_host_calls *wt_host_listener(void)
{
    return listener;
}
