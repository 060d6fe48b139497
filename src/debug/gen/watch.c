/*
 * Watchpoints of host programs. Gen9 has no hardware for them: the emulated driver watches memory,
 * and makes the thread that accesses it enter the system routine after the instruction.
 */
#include "debug/gen/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum wt_status genp_set_watches(struct wt_probe *p, const struct wt_watchpoint *list, size_t count,
                                struct wt_error *err)
{
    static const uint32_t kinds[] = {[WT_WATCHPOINT_WRITE] = GEN_WATCH_WRITE,
                                     [WT_WATCHPOINT_READ] = GEN_WATCH_READ,
                                     [WT_WATCHPOINT_ACCESS] = GEN_WATCH_ACCESS};
    if (!p->link->ops->watch)
        return wt_fail(err, WT_UNSUPPORTED, "this device has no watchpoints");
    struct gen_wire_watch *sent = calloc(count + 1, sizeof *sent);
    struct wt_watchpoint *kept = calloc(count + 1, sizeof *kept);
    enum wt_status status =
        sent && kept ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (size_t i = 0; i < count && !status; i++) {
        kept[i] = list[i];
        sent[i] = (struct gen_wire_watch){.kind = kinds[list[i].kind],
                                          .thread = list[i].wave,
                                          .addr = genp_linear(p, list[i].addr),
                                          .size = list[i].size};
    }
    if (!status)
        status = p->link->ops->watch(p->link->context, sent, count, err);
    free(sent);
    if (status) {
        free(kept);
        return status;
    }
    free(p->watch);
    p->watch = kept;
    p->watches = count;
    return WT_OK;
}

enum wt_status genp_take_hit(struct wt_probe *p, struct wt_error *err)
{
    struct gen_wire_hit hit;
    bool any;
    enum wt_status status;
    if (!p->watches || (status = p->link->ops->watched(p->link->context, &hit, &any, err)) != WT_OK)
        return p->watches ? status : WT_OK;
    if (!any || hit.thread >= p->common.topology.waves)
        return WT_OK;
    struct genp_row *row = genp_row(p, hit.thread);
    if (!row->common.present || !row->common.run)
        return WT_OK;
    row->hit = hit;
    row->common.run = row->common.step = false;
    row->common.cause = WT_HALT_WATCH;
    return WT_OK;
}

/* Whether an access is to a watched range. */
static bool is_wanted(const struct wt_probe *p, const struct gen_wire_hit *hit,
                      const struct wt_watchpoint *w)
{
    const uint64_t addr = genp_linear(p, w->addr);
    const bool meets = hit->addr < addr + w->size && addr < hit->addr + hit->size;
    return meets && (w->kind == WT_WATCHPOINT_WRITE  ? hit->kind != GEN_WATCH_READ && hit->changed
                     : w->kind == WT_WATCHPOINT_READ ? hit->kind != GEN_WATCH_WRITE
                                                     : true);
}

enum wt_status genp_watched(struct wt_probe *p, uint32_t wave, struct wt_probe_watched *watched,
                            struct wt_error *err)
{
    const struct gen_wire_hit *hit = &genp_row(p, wave)->hit;
    (void)err;
    *watched = (struct wt_probe_watched){.wanted = false};
    for (size_t i = 0; i < p->watches && !watched->wanted; i++) {
        if (!is_wanted(p, hit, &p->watch[i]))
            continue;
        *watched = (struct wt_probe_watched){.wanted = true,
                                             .kind = p->watch[i].kind,
                                             .addr = p->watch[i].addr,
                                             .pc = hit->pc,
                                             .lanes = hit->lanes};
        snprintf(watched->text, sizeof watched->text, "the instruction at 0x%llx has %s 0x%llx",
                 (unsigned long long)hit->pc, hit->kind == GEN_WATCH_READ ? "read" : "written to",
                 (unsigned long long)hit->addr);
    }
    return WT_OK;
}
