/*
 * Watchpoints of host programs. An SM has no hardware for them: the emulated driver watches memory,
 * and stops the SM behind the instruction of a warp that accesses it.
 */
#include "debug/sm/internal.h"
#include "debug/process/link.h"

#include <stdlib.h>
#include <string.h>

/* Fills in where the watched memory is. */
static enum wt_status find(struct wt_probe *p, struct smp_watch *w, struct wt_error *err)
{
    const struct wt_watchpoint *asked = &w->asked;
    struct wt_address home;
    uint64_t part;
    enum wt_status status =
        smp_find_home(p, asked->wave, asked->lane, asked->addr, asked->size, &home, &part, err);
    if (status != WT_OK)
        return status;
    w->addr = home.offset;
    return WT_OK;
}

enum wt_status smp_set_watches(struct wt_probe *p, const struct wt_watchpoint *list, size_t count,
                               struct wt_error *err)
{
    const struct wt_link *link = &p->link->common;
    if (!link->ops->watch)
        return wt_fail(err, WT_UNSUPPORTED, "this device has no watchpoints");
    struct wt_wire_watch *sent = calloc(count + 1, sizeof *sent);
    struct smp_watch *kept = calloc(count + 1, sizeof *kept);
    enum wt_status status =
        sent && kept ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (size_t i = 0; i < count && !status; i++) {
        kept[i].asked = list[i];
        status = find(p, &kept[i], err);
        sent[i] = wt_process_link_watched(&list[i], kept[i].addr);
        if (!list[i].home)
            sent[i].wave = WT_NO_HANDLE;
    }
    if (!status)
        status = link->ops->watch(link->context, sent, count, err);
    free(sent);
    if (status) {
        free(kept);
        return status;
    }
    free(p->watch);
    p->watch = kept;
    p->watches = count;
    wt_standstill_keep_hits(p, list, count);
    return WT_OK;
}

/* Whether an access changes a byte of the watched range. */
static bool changes(const struct smp_watch *w, const struct wt_wire_hit *hit)
{
    for (unsigned i = 0; i < hit->size && i < sizeof hit->before; i++)
        if (hit->addr + i - w->addr < w->asked.size && hit->before[i] != hit->after[i])
            return true;
    return false;
}

/* Whether an access is one that the debugger asked for. As GDB has it, a write of the value that is
 * there already does not count. */
static bool is_wanted(const struct smp_watch *w, const struct wt_wire_hit *hit)
{
    if (hit->addr >= w->addr + w->asked.size || w->addr >= hit->addr + hit->size ||
        !wt_watchpoint_is_of(&w->asked, hit->home, hit->id))
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
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < p->watches && !status; i++) {
        const struct smp_watch *w = &p->watch[i];
        if (!is_wanted(w, hit))
            continue;
        status =
            wt_standstill_note_hit(p, hit->wave, &w->asked, hit->pc,
                                   hit->lane < SMP_LANES ? wt_lane_bit(hit->lane) : 0, NULL, err);
    }
    return status;
}

enum wt_status smp_take_hits(struct wt_probe *p, struct wt_error *err)
{
    struct wt_wire_hit *list;
    size_t count;
    enum wt_status status;
    if (!p->watches)
        return WT_OK;
    const struct wt_link *link = &p->link->common;
    if ((status = link->ops->take_hits(link->context, &list, &count, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < count && !status; i++)
        if (wt_standstill_is_in(p, list[i].wave, list[i].id))
            status = note(p, &list[i], err);
    free(list);
    return status;
}
