/* Watches: finds the memory of their ranges, stops before a watched instruction. See watch.h. */
#include "emulator/vortex/watch.h"

/* ---- where ranges lie: in global memory, or in the local one of a core ---- */

/* Adds a range as a core sees it: the part in its local memory, and the rest. */
bool vx_watch_range(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                    uint64_t last, struct wt_spans *spans)
{
    assert(first <= last);
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

/* ---- memory ---- */

static bool meets(struct vx_device *d, const struct wt_spans *spans, const struct vx_core *core,
                  uint64_t addr, uint64_t size)
{
    assert(size > 0);
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
    const struct wt_watch_set *set = d->machine.watch;
    return set && (set->observes_all || meets(d, &set->observed, core, addr, size) ||
                   meets(d, &set->read, core, addr, size));
}

bool vx_watches_write(struct vx_device *d, const struct vx_core *core, uint64_t addr, uint64_t size)
{
    const struct wt_watch_set *set = d->machine.watch;
    return set && (set->observes_all || meets(d, &set->observed, core, addr, size) ||
                   meets(d, &set->write, core, addr, size));
}

struct wt_issue vx_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    const struct vx_warp *w = (const struct vx_warp *)head;
    const bool executes = w->mask != 0;
    return (struct wt_issue){.time = time,
                             .pc = pc,
                             .wave = w->id,
                             .mask = w->mask,
                             .executes = executes,
                             .issues = executes && !vx_dm_halts_at(w->device, pc)};
}

/* How an access orders others: an atomic instruction has bits for it (unprivileged ISA, "A"). */
static void put_order(const struct vx_warp *w, struct wt_lane_access *a)
{
    enum { OPCODE = 0x7f, AMO = 0x2f, RELEASE = 1 << 25, ACQUIRE = 1 << 26 };
    const struct wt_observer *o = w->device->machine.observer;
    const struct wt_observed *last = o->count ? &o->record[o->count - 1] : NULL;
    uint8_t bytes[4];
    if (last && last->pc == a->pc && last->wave == w->id) { /* of another lane */
        a->order = last->order;
        a->scope = last->scope;
        return;
    }
    vx_read_bytes(w->core, w->device, a->pc, bytes, sizeof bytes);
    const uint64_t word = wt_load_le(bytes, sizeof bytes);
    if ((word & OPCODE) != AMO)
        return;
    a->scope = WT_AMONG_DEVICE;
    a->order = word & RELEASE && word & ACQUIRE ? WT_ORDER_SEQUENTIAL
               : word & RELEASE                 ? WT_ORDER_RELEASE
               : word & ACQUIRE                 ? WT_ORDER_ACQUIRE
                                                : WT_ORDER_RELAXED;
}

uint64_t vx_cta_home(const struct vx_warp *w)
{
    const uint32_t *grid = w->device->kmu.launch.grid;
    const uint64_t number = ((uint64_t)w->block[2] * grid[1] + w->block[1]) * grid[0] + w->block[0];
    return (w->device->machine.runs + 1) << 32 | (uint32_t)(number + 1);
}

static uint64_t local_home(const struct vx_warp *w)
{
    return w->of_cta ? vx_cta_home(w) : w->core->id + 1;
}

void vx_observed_place(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t *at,
                       unsigned *space, uint64_t *home)
{
    const struct vx_device *d = (const struct vx_device *)m;
    const bool local = vx_is_local(d, *at);
    *space = local ? WT_OBSERVED_GROUP : WT_OBSERVED_GLOBAL;
    *home = local ? local_home(&d->warp[wave]) : WT_HOME_NOW;
}

static struct wt_lane_access access_of(const struct vx_warp *w, const struct vx_uop *u,
                                       enum wt_watch_kind kind, bool local, unsigned size)
{
    return (struct wt_lane_access){.pc = vx_pc_of(w, u),
                                   .kind = kind,
                                   .space = local ? WT_OBSERVED_GROUP : WT_OBSERVED_GLOBAL,
                                   .home = local ? local_home(w) : WT_SPACE_GLOBAL,
                                   .size = size};
}

void vx_watch_access(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                     unsigned lane, uint64_t addr, unsigned size, uint64_t before, uint64_t after)
{
    assert(size >= 1 && size <= 8 && kind <= WT_WATCH_ACCESS);
    struct vx_device *d = w->device;
    const struct wt_watch_set *set = d->machine.watch;
    if (d->injecting)
        return;
    if (d->machine.observer &&
        (set->observes_all || meets(d, &set->observed, w->core, addr, size))) {
        struct wt_lane_access a = access_of(w, u, kind, vx_is_local(d, addr), size);
        a.lane = lane;
        a.at = addr;
        put_order(w, &a);
        wt_engine_observe(&d->machine, &w->head, &a);
    }
    if ((kind == WT_WATCH_WRITE || !meets(d, &set->read, w->core, addr, size)) &&
        (kind == WT_WATCH_READ || !meets(d, &set->write, w->core, addr, size)))
        return;
    /* The instruction is being issued: nothing of vx_issue_at() is in doubt. */
    const struct wt_issue issue = {.time = vx_now(w),
                                   .pc = vx_pc_of(w, u),
                                   .wave = w->id,
                                   .mask = w->mask,
                                   .executes = true,
                                   .issues = true};
    uint8_t was[8], is[8];
    wt_store_le(was, before, size);
    wt_store_le(is, after, size);
    wt_watch_set_access(&d->machine, &issue, kind, lane, WT_SPACE_GLOBAL, addr, size, was, is);
    wt_end_turn(&d->machine, &w->left);
}

uint64_t *vx_observe_row(struct vx_warp *w, const struct vx_uop *u, enum wt_watch_kind kind,
                         bool local, unsigned size, bool is_row)
{
    struct wt_lane_access a = access_of(w, u, kind, local, size);
    a.is_row = is_row;
    return wt_observe_row(&w->device->machine, &w->head, vx_now(w), &a, w->mask);
}

/* ---- before an instruction ---- */

void vx_watch_before_step(struct vx_warp *w, size_t *hits)
{
    struct wt_machine *m = &w->device->machine;
    if (!m->watch)
        return;
    if (!m->watch->running)
        m->hits = 0;
    *hits = m->hits;
    const struct wt_issue issue = vx_issue_at(&w->head, w->pc, m->time);
    wt_watch_set_step(m, &issue);
}

const struct vx_uop *vx_watch_here(struct vx_warp *w, const struct vx_uop *u)
{
    assert(u >= w->code->uop && u < w->code->uop + VX_SLOTS && w->code->page.watched);
    const size_t index = (size_t)(u - w->code->uop);
    w->device->handlers->leave(); /* conditions are compiled for any host */
    const wt_code_handler run = w->mask ? wt_engine_watched(&w->device->machine, &w->head,
                                                            &w->code->page, index, vx_pc_of(w, u))
                                        : wt_code_watched(&w->code->page, index)->original;
    return run ? ((vx_handler)run)(w, u) : NULL;
}
