/* Watchpoints that the emulated driver sets. See watches.h. */
#include "debug/process/watches.h"

#include <stdlib.h>

#include "debug/process/link.h"

enum wt_status wt_driver_watches_set(struct wt_probe *p, const struct wt_watchpoint *list,
                                     size_t count, struct wt_error *err)
{
    struct wt_driver_watches *watches = wt_standstill_of(p)->watches;
    const struct wt_link *link = wt_standstill_of(p)->link;
    if (!link->ops->watch)
        return wt_fail(err, WT_UNSUPPORTED, "this device has no watchpoints");
    struct wt_wire_watch *sent = calloc(count + 1, sizeof *sent);
    struct wt_driver_watch *kept = calloc(count + 1, sizeof *kept);
    enum wt_status status =
        sent && kept ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (size_t i = 0; i < count && !status; i++) {
        kept[i] = (struct wt_driver_watch){list[i], list[i].addr.offset, WT_NO_HANDLE};
        if (list[i].kind != WT_WATCHPOINT_MISTAKE)
            status = watches->ops->find(p, &kept[i], err);
        sent[i] = wt_process_link_watched(&list[i], kept[i].addr);
        sent[i].wave = kept[i].wave;
    }
    if (!status)
        status = link->ops->watch(link->context, sent, count, err);
    free(sent);
    if (status) {
        free(kept);
        return status;
    }
    free(watches->list);
    watches->list = kept;
    watches->count = count;
    wt_standstill_keep_hits(p, list, count);
    return WT_OK;
}

/* Whether an access changes a byte of the watched range. */
static bool changes(const struct wt_driver_watch *w, const struct wt_wire_hit *hit)
{
    for (unsigned i = 0; i < hit->size && i < sizeof hit->before; i++)
        if (hit->addr + i - w->addr < w->asked.size && hit->before[i] != hit->after[i])
            return true;
    return false;
}

/* Whether an access is one that the debugger asked for. As GDB has it, a write of the value that is
 * there already does not count. */
static bool is_wanted(const struct wt_driver_watch *w, const struct wt_wire_hit *hit)
{
    if (w->asked.kind == WT_WATCHPOINT_MISTAKE || hit->addr >= w->addr + w->asked.size ||
        w->addr >= hit->addr + hit->size || !wt_watchpoint_is_of(&w->asked, hit->home, hit->id))
        return false;
    switch (w->asked.kind) {
    case WT_WATCHPOINT_WRITE:
        return hit->kind != WT_WIRE_WATCH_READ && changes(w, hit);
    case WT_WATCHPOINT_READ:
        return hit->kind != WT_WIRE_WATCH_WRITE;
    default:
        return true;
    }
}

static enum wt_status note(struct wt_probe *p, const struct wt_wire_hit *hit, struct wt_error *err)
{
    const struct wt_driver_watches *watches = wt_standstill_of(p)->watches;
    const struct wt_driver_watch_ops *ops = watches->ops;
    const struct wt_watchpoint_hit mistake = wt_process_link_hit(hit);
    enum wt_status status = WT_OK;
    bool any = false;
    for (size_t i = 0; i < watches->count && mistake.mistake; i++)
        any |= wt_watchpoint_is_mistake(&watches->list[i].asked, &mistake);
    if (mistake.mistake)
        return any ? wt_standstill_note_mistake(p, &mistake, err) : WT_OK;
    for (size_t i = 0; i < watches->count && !status; i++) {
        const struct wt_driver_watch *w = &watches->list[i];
        if (is_wanted(w, hit) && (!ops->concerns || ops->concerns(p, w, hit)))
            status =
                wt_standstill_note_hit(p, hit->wave, &w->asked, hit->pc, hit->lanes, NULL, err);
    }
    return status;
}

enum wt_status wt_driver_watches_take(struct wt_probe *p, struct wt_error *err)
{
    const struct wt_link *link = wt_standstill_of(p)->link;
    const struct wt_driver_watches *watches = wt_standstill_of(p)->watches;
    const struct wt_driver_watch_ops *ops = watches->ops;
    struct wt_wire_hit *list;
    size_t count;
    if (!watches->count)
        return WT_OK;
    enum wt_status status = link->ops->take_hits(link->context, &list, &count, err);
    for (size_t i = 0; i < count && !status; i++) {
        if (!wt_standstill_is_in(p, list[i].wave, list[i].id))
            continue;
        if (ops->place)
            ops->place(p, &list[i]);
        status = note(p, &list[i], err);
        if (ops->halt)
            ops->halt(p, list[i].wave);
    }
    free(list);
    return status;
}
