/* Watchpoints of host programs: the emulated driver watches memory. See debug/process/watches.h. */
#include "debug/sm/internal.h"

static enum wt_status find(struct wt_probe *p, struct wt_driver_watch *w, struct wt_error *err)
{
    const struct wt_watchpoint *asked = &w->asked;
    struct wt_address home;
    uint64_t part;
    const enum wt_status status =
        smp_find_home(p, asked->wave, asked->lane, asked->addr, asked->size, &home, &part, err);
    w->addr = status ? 0 : home.offset;
    w->wave = asked->home ? asked->wave : WT_NO_HANDLE;
    return status;
}

const struct wt_driver_watch_ops smp_watch_ops = {.find = find};
