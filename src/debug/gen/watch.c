/*
 * Watchpoints of host programs. Gen9 has no hardware for them: the emulated driver watches memory,
 * and makes the thread that accesses it enter the system routine after the instruction.
 */
#include "debug/gen/internal.h"
#include "debug/process/link.h"

#include <stdlib.h>
#include <string.h>

/* Whether an address is the same memory for all threads of all GPUs: the program's own. */
static bool is_common(const struct wt_probe *p, uint64_t addr)
{
    return !(p->info.gpus > 1 && addr >> GEN_WIRE_GPU_BIT) && addr < p->info.slm;
}

enum wt_status genp_set_watches(struct wt_probe *p, const struct wt_watchpoint *list, size_t count,
                                struct wt_error *err)
{
    const struct wt_link *link = &p->link->common;
    if (!link->ops->watch)
        return wt_fail(err, WT_UNSUPPORTED, "this device has no watchpoints");
    struct wt_wire_watch *sent = calloc(count + 1, sizeof *sent);
    struct wt_watchpoint *kept = calloc(count + 1, sizeof *kept);
    enum wt_status status =
        sent && kept ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (size_t i = 0; i < count && !status; i++) {
        uint64_t addr = genp_linear(p, list[i].addr);
        uint32_t wave = is_common(p, addr) ? WT_NO_HANDLE : list[i].wave;
        if (wave != WT_NO_HANDLE)
            genp_unmark(p, &wave, &addr);
        kept[i] = list[i];
        sent[i] = wt_process_link_watched(&list[i], addr);
        sent[i].wave = wave;
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

/* Whether an access is to a watched range. */
static bool is_wanted(const struct wt_probe *p, const struct wt_wire_hit *hit,
                      const struct wt_watchpoint *w)
{
    uint64_t addr = genp_linear(p, w->addr);
    const uint32_t gpu = wt_gen_unmark(&p->info, &addr, genp_device_of(p, hit->wave));
    if (gpu != genp_device_of(p, hit->wave) || !wt_watchpoint_is_of(w, hit->home, hit->id))
        return false;
    const bool changed = memcmp(hit->before, hit->after, hit->size) != 0;
    const bool meets = hit->addr < addr + w->size && addr < hit->addr + hit->size;
    return meets && (w->kind == WT_WATCHPOINT_WRITE  ? hit->kind != WT_WIRE_WATCH_READ && changed
                     : w->kind == WT_WATCHPOINT_READ ? hit->kind != WT_WIRE_WATCH_WRITE
                                                     : true);
}

static enum wt_status note(struct wt_probe *p, const struct wt_wire_hit *hit, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < p->watches && !status; i++)
        if (is_wanted(p, hit, &p->watch[i]))
            status =
                wt_standstill_note_hit(p, hit->wave, &p->watch[i], hit->pc, hit->lanes, NULL, err);
    return status;
}

/* A thread that steps has done its instruction, whether the access is wanted or not. */
static void halt_row(struct wt_probe *p, uint32_t thread)
{
    struct wt_standstill_row *row = wt_standstill_row(p, thread);
    const bool wanted = wt_standstill_has_hit(p, thread);
    if (wanted && (row->run || row->cause == WT_HALT_STEP))
        row->cause = WT_HALT_WATCH;
    else if (row->run && row->step)
        row->cause = WT_HALT_STEP;
    else
        return;
    row->run = row->step = false;
}

enum wt_status genp_take_hits(struct wt_probe *p, struct wt_error *err)
{
    struct wt_wire_hit *list;
    size_t count;
    if (!p->watches)
        return WT_OK;
    const struct wt_link *link = &p->link->common;
    enum wt_status status = link->ops->take_hits(link->context, &list, &count, err);
    for (size_t i = 0; i < count && !status; i++)
        if (wt_standstill_is_in(p, list[i].wave, list[i].id)) {
            list[i].pc += wt_gen_mark(&p->info, genp_device_of(p, list[i].wave));
            status = note(p, &list[i], err);
            halt_row(p, list[i].wave);
        }
    free(list);
    return status;
}
