/* Watched places: the set, what is met, and what is told before it issues. See watch.h. */
#include "emulator/vortex/watch.h"

#include <stdlib.h>
#include <string.h>

/* ---- the set ---- */

#define GLOBAL_SPACE 0

/* Adds a range as a core sees it: what lies in its local memory, and what does not. */
static bool add_range(const struct vx_device *d, struct wt_spans *spans, const struct vx_core *core,
                      uint64_t first, uint64_t last)
{
    const uint64_t base = d->profile->local_mem_base[d->config.xlen == 64];
    const uint64_t top = base + d->profile->local_mem_size - 1;
    if (d->profile->local_mem_size == 0 || last < base || first > top)
        return wt_spans_add(spans, GLOBAL_SPACE, first, last);
    return (first >= base || wt_spans_add(spans, GLOBAL_SPACE, first, base - 1)) &&
           wt_spans_add(spans, core->id + 1, first > base ? first : base,
                        last < top ? last : top) &&
           (last <= top || wt_spans_add(spans, GLOBAL_SPACE, top + 1, last));
}

static bool add_watch(struct vx_device *d, struct vx_watch *set, const struct wt_watch *watch)
{
    const struct wt_machine *m = &d->machine;
    const uint64_t first = watch->addr, span = watch->size ? watch->size - 1 : 0;
    const uint64_t last = span > UINT64_MAX - first ? UINT64_MAX : first + span;
    const uint32_t wave = watch->wave < m->waves ? watch->wave : 0;
    const struct vx_core *core = d->warp[wave].core;
    switch (watch->kind) {
    case WT_WATCH_WRITE:
        return add_range(d, &set->write, core, first, last);
    case WT_WATCH_READ:
        return add_range(d, &set->read, core, first, last);
    case WT_WATCH_ACCESS:
        return add_range(d, &set->read, core, first, last) &&
               add_range(d, &set->write, core, first, last);
    case WT_WATCH_EXECUTE: /* fetched from global memory, whoever does it */
        return wt_spans_add(&set->execute, GLOBAL_SPACE, first, last);
    case WT_WATCH_ISSUE:
        if (!set->issue)
            set->issue = calloc((m->waves + 63) / 64, sizeof *set->issue);
        if (set->issue && watch->wave < m->waves)
            set->issue[watch->wave / 64] |= (uint64_t)1 << (watch->wave % 64);
        return set->issue != NULL;
    }
    return true;
}

static void free_set(struct vx_watch *set)
{
    if (!set)
        return;
    wt_spans_free(&set->read);
    wt_spans_free(&set->write);
    wt_spans_free(&set->execute);
    free(set->issue);
    wt_turns_free(&set->turns);
    free(set);
}

/* A set of these watches; NULL without host memory. */
static struct vx_watch *new_set(struct vx_device *d, const struct wt_watch *list, size_t count)
{
    struct vx_watch *set = calloc(1, sizeof *set);
    bool ok = set != NULL;
    for (size_t i = 0; ok && i < count; i++)
        ok = add_watch(d, set, &list[i]);
    if (ok && (set->issue || set->execute.count))
        ok = set->places = wt_turns_init(&set->turns, &d->turns.policy, d->machine.waves);
    if (!ok) {
        free_set(set);
        return NULL;
    }
    wt_spans_sort(&set->read);
    wt_spans_sort(&set->write);
    wt_spans_sort(&set->execute);
    return set;
}

/* Watched instructions are decoded again: vx_watch_here comes into their slots, or goes. */
static void redecode(struct vx_device *d)
{
    for (size_t i = 0; d->watch && i < d->watch->execute.count; i++)
        vx_code_redecode(d, d->watch->execute.span[i].first, d->watch->execute.span[i].last);
}

bool vx_set_watches(struct wt_machine *m, const struct wt_watch *list, size_t count)
{
    struct vx_device *d = (struct vx_device *)m;
    redecode(d);
    free_set(d->watch);
    d->watch = NULL;
    vx_watch_forget(d);
    /* Pages that are watched no more are fast again; those watched now must come by access.c. */
    wt_tlb_clear(&d->tlb);
    if (!count)
        return true;
    if (!m->hit)
        m->hit = calloc(WT_WATCH_HITS, sizeof *m->hit);
    d->watch = m->hit ? new_set(d, list, count) : NULL;
    redecode(d);
    return d->watch != NULL;
}

void vx_watch_free(struct vx_device *d)
{
    free_set(d->watch);
    free(d->machine.hit);
}

void vx_watch_forget(struct vx_device *d)
{
    d->machine.hits = 0;
    if (d->watch)
        d->watch->told = false;
}

/* ---- memory ---- */

static bool meets(struct vx_device *d, const struct wt_spans *spans, const struct vx_core *core,
                  uint64_t addr, uint64_t size)
{
    if (!spans->count)
        return false;
    /* Page by page, as the access itself goes: local memory begins and ends with a page, and the
     * space wraps at its end. */
    while (size) {
        const uint64_t room = WT_PAGE_SIZE - (addr & WT_PAGE_MASK), part = room < size ? room : size;
        const uint32_t space = vx_is_local(d, addr) ? core->id + 1 : GLOBAL_SPACE;
        if (wt_spans_meet(spans, space, addr, addr + part - 1))
            return true;
        addr = vx_truncate(d, addr + part);
        size -= part;
    }
    return false;
}

bool vx_watches_read(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size)
{
    return d->watch && meets(d, &d->watch->read, core, addr, size);
}

bool vx_watches_write(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size)
{
    return d->watch && meets(d, &d->watch->write, core, addr, size);
}

/* Room for one more; NULL if there is none. */
static struct wt_watch_hit *add_hit(struct vx_warp *w, enum wt_watch_kind kind, uint64_t pc)
{
    struct wt_machine *m = &w->device->machine;
    if (m->hits == WT_WATCH_HITS)
        return NULL;
    struct wt_watch_hit *hit = &m->hit[m->hits++];
    *hit = (struct wt_watch_hit){
        .kind = kind, .time = vx_now(w), .wave = w->id, .mask = w->mask, .pc = pc};
    return hit;
}

void vx_watch_access(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                     unsigned lane, uint64_t addr, unsigned size, uint64_t before, uint64_t after)
{
    struct vx_device *d = w->device;
    if (d->injecting || !((kind != WT_WATCH_WRITE && vx_watches_read(d, w->core, addr, size)) ||
                          (kind != WT_WATCH_READ && vx_watches_write(d, w->core, addr, size))))
        return;
    struct wt_watch_hit *hit = add_hit(w, kind, vx_pc_of(w, u));
    if (hit) {
        hit->lane = lane;
        hit->addr = addr;
        hit->size = size;
        wt_store_le(hit->before, before, size);
        wt_store_le(hit->after, after, size);
    }
    /* The turn is cut short behind this instruction; when it issues stays what it was. */
    d->slice -= w->left;
    w->left = 0;
}

/* ---- before an instruction ---- */

bool vx_watches_execute(const struct vx_device *d, uint64_t pc)
{
    return d->watch && wt_spans_meet(&d->watch->execute, GLOBAL_SPACE, pc, pc);
}

bool vx_watches_issue(const struct vx_device *d, const struct vx_warp *w)
{
    return d->watch && d->watch->issue && w->mask &&
           (d->watch->issue[w->id / 64] >> (w->id % 64) & 1) && !vx_dm_halts_at(d, w->pc);
}

/* Notes all that is watched of the issue at pc. */
static void note_place(struct vx_warp *w, uint64_t pc)
{
    const unsigned lane = w->mask ? wt_lanes_lowest(w->mask) : 0;
    const bool issue = vx_watches_issue(w->device, w);
    struct wt_watch_hit *hit;
    if (issue && (hit = add_hit(w, WT_WATCH_ISSUE, pc))) {
        hit->lane = lane;
        hit->addr = pc;
    }
    if (w->mask && vx_watches_execute(w->device, pc) && (hit = add_hit(w, WT_WATCH_EXECUTE, pc))) {
        hit->lane = lane;
        hit->addr = pc;
    }
}

/* Whether this issue was told; if not, it is now. */
static bool was_told(struct vx_warp *w, uint64_t time, uint64_t pc)
{
    struct vx_watch *set = w->device->watch;
    if (set->told && set->told_time == time && set->told_wave == w->id && set->told_pc == pc)
        return true;
    set->told = true;
    set->told_time = time;
    set->told_wave = w->id;
    set->told_pc = pc;
    return false;
}

/* A turn in which nothing has issued yet, for vx_now(). */
static void begin_turn(struct vx_warp *w)
{
    w->device->slice = 1;
    w->left = 0;
}

bool vx_watch_before_issue(struct vx_warp *w)
{
    begin_turn(w);
    if (was_told(w, vx_now(w), w->pc))
        return false;
    note_place(w, w->pc);
    return true;
}

void vx_watch_before_step(struct vx_warp *w, size_t *hits)
{
    struct vx_device *d = w->device;
    if (!d->watch)
        return;
    if (!d->watch->running)
        d->machine.hits = 0;
    *hits = d->machine.hits;
    begin_turn(w);
    was_told(w, vx_now(w), w->pc);
    note_place(w, w->pc);
}

const struct vx_uop *vx_watch_here(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_device *d = w->device;
    const uint64_t pc = vx_pc_of(w, u);
    if (w->mask && !was_told(w, vx_now(w), pc)) {
        note_place(w, pc);
        w->pc = pc;
        d->not_issued = true;
        return NULL;
    }
    /* The slot holds the instruction for as long as it takes; nothing follows on its own, since it
     * might lead here again. */
    struct vx_uop *slot = &w->code->uop[u - w->code->uop];
    const uint64_t left = w->left;
    const size_t hits = d->machine.hits;
    *slot = vx_code_decode(d, pc);
    d->slice -= left;
    w->left = 0;
    const struct vx_uop *next = slot->run(w, slot);
    if (d->machine.hits == hits) {
        d->slice += left;
        w->left = left;
    }
    *slot = (struct vx_uop){.run = vx_watch_here};
    return next;
}

/* ---- around a run ---- */

void vx_watch_run(struct vx_device *d, bool running)
{
    if (!d->watch)
        return;
    d->watch->running = running;
    if (running)
        d->machine.hits = 0;
}

void vx_watch_keep_turns(struct vx_device *d)
{
    wt_turns_copy(&d->watch->turns, &d->turns);
}

void vx_watch_undo_turns(struct vx_device *d)
{
    wt_turns_copy(&d->turns, &d->watch->turns);
}
