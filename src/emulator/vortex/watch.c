/* Watched places: where they lie, what is met, and what is told before it issues. See watch.h. */
#include "emulator/vortex/watch.h"

/* ---- where ranges lie: in global memory, or in the local one of a core ---- */

/* Adds a range as a core sees it: what lies in its local memory, and what does not. */
static bool add_range(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                      uint64_t last, struct wt_spans *spans)
{
    const struct vx_device *d = (const struct vx_device *)m;
    const struct vx_core *core = d->warp[watch->wave < m->waves ? watch->wave : 0].core;
    const uint64_t base = d->profile->local_mem_base[d->config.xlen == 64];
    const uint64_t top = base + d->profile->local_mem_size - 1;
    if (d->profile->local_mem_size == 0 || last < base || first > top)
        return wt_spans_add(spans, WT_SPACE_GLOBAL, first, last);
    return (first >= base || wt_spans_add(spans, WT_SPACE_GLOBAL, first, base - 1)) &&
           wt_spans_add(spans, core->id + 1, first > base ? first : base,
                        last < top ? last : top) &&
           (last <= top || wt_spans_add(spans, WT_SPACE_GLOBAL, top + 1, last));
}

/* Watched instructions are decoded again: vx_watch_here comes into their slots, or goes. */
static void redecode(struct vx_device *d)
{
    const struct wt_watch_set *set = d->machine.watch;
    for (size_t i = 0; set && i < set->execute.count; i++)
        vx_code_redecode(d, set->execute.span[i].first, set->execute.span[i].last);
}

bool vx_set_watches(struct wt_machine *m, const struct wt_watch *list, size_t count)
{
    struct vx_device *d = (struct vx_device *)m;
    redecode(d);
    const bool done = wt_watch_set_replace(m, list, count, &d->turns, add_range);
    /* Pages that are watched no more are fast again; those watched now must come by access.c. */
    wt_tlb_clear(&d->tlb);
    redecode(d);
    return done;
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
        const uint64_t room = WT_PAGE_SIZE - (addr & WT_PAGE_MASK),
                       part = room < size ? room : size;
        const uint64_t space = vx_is_local(d, addr) ? core->id + 1 : WT_SPACE_GLOBAL;
        if (wt_spans_meet(spans, space, addr, addr + part - 1))
            return true;
        addr = vx_truncate(d, addr + part);
        size -= part;
    }
    return false;
}

bool vx_watches_read(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size)
{
    return d->machine.watch && meets(d, &d->machine.watch->read, core, addr, size);
}

bool vx_watches_write(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size)
{
    return d->machine.watch && meets(d, &d->machine.watch->write, core, addr, size);
}

/* The issue at pc. */
static struct wt_issue issue_of(const struct vx_warp *w, uint64_t pc)
{
    return (struct wt_issue){.time = vx_now(w), .pc = pc, .wave = w->id, .mask = w->mask};
}

void vx_watch_access(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                     unsigned lane, uint64_t addr, unsigned size, uint64_t before, uint64_t after)
{
    struct vx_device *d = w->device;
    if (d->injecting || !((kind != WT_WATCH_WRITE && vx_watches_read(d, w->core, addr, size)) ||
                          (kind != WT_WATCH_READ && vx_watches_write(d, w->core, addr, size))))
        return;
    const struct wt_issue issue = issue_of(w, vx_pc_of(w, u));
    uint8_t was[8], is[8];
    wt_store_le(was, before, size);
    wt_store_le(is, after, size);
    wt_watch_set_access(&d->machine, &issue, kind, lane, addr, size, was, is);
    /* The turn is cut short behind this instruction; when it issues stays what it was. */
    d->slice -= w->left;
    w->left = 0;
}

/* ---- before an instruction ---- */

bool vx_watches_issue(const struct vx_device *d, const struct vx_warp *w)
{
    return wt_watch_set_issues(d->machine.watch, w->id) && w->mask && !vx_dm_halts_at(d, w->pc);
}

/* Notes all that is watched of an issue; where no lane is enabled, none is. */
static void note_place(struct vx_warp *w, const struct wt_issue *issue)
{
    struct wt_machine *m = &w->device->machine;
    wt_watch_set_place(m, issue, vx_watches_issue(w->device, w),
                       w->mask && wt_watch_set_executes(m->watch, issue->pc));
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
    const struct wt_issue issue = issue_of(w, w->pc);
    if (wt_watch_set_told(w->device->machine.watch, &issue))
        return false;
    note_place(w, &issue);
    return true;
}

void vx_watch_before_step(struct vx_warp *w, size_t *hits)
{
    struct wt_machine *m = &w->device->machine;
    if (!m->watch)
        return;
    if (!m->watch->running)
        m->hits = 0;
    *hits = m->hits;
    begin_turn(w);
    const struct wt_issue issue = issue_of(w, w->pc);
    wt_watch_set_told(m->watch, &issue);
    note_place(w, &issue);
}

const struct vx_uop *vx_watch_here(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_device *d = w->device;
    const struct wt_issue issue = issue_of(w, vx_pc_of(w, u));
    if (w->mask && !wt_watch_set_told(d->machine.watch, &issue)) {
        note_place(w, &issue);
        w->pc = issue.pc;
        d->not_issued = true;
        return NULL;
    }
    /* The slot holds the instruction for as long as it takes; nothing follows on its own, since it
     * might lead here again. */
    struct vx_uop *slot = &w->code->uop[u - w->code->uop];
    const uint64_t left = w->left;
    const size_t hits = d->machine.hits;
    *slot = vx_code_decode(d, issue.pc);
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
