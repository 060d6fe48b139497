/* Watches: finds the memory of their ranges, stops before a watched instruction. See watch.h. */
#include "emulator/gcn/watch.h"

/* Spaces: global memory, in which scratch memory lies, too; the LDS of each work-group, numbered by
 * dispatch and group; GDS. */

uint64_t gcn_group_home(const struct wt_machine *m, const struct wt_group_head *g)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    const struct gcn_dispatch *k = &d->dispatch[g->launch];
    const uint64_t row = (uint64_t)g->coordinate[2] * k->groups[1] + g->coordinate[1];
    const uint64_t number = row * k->groups[0] + g->coordinate[0];
    return wt_watch_home(m, k->id, number);
}

bool gcn_private_home(const struct gcn_wave *w, uint64_t *scratch)
{
    assert(w->active && scratch);
    const struct gcn_dispatch *k = gcn_dispatch_of(w);
    *scratch = gcn_flat_scratch(w);
    if (*scratch)
        return true;
    *scratch = k->scratch + (uint64_t)w->scratch * k->scratch_wave;
    return k->scratch;
}

uint64_t gcn_home(struct wt_machine *m, uint32_t wave, uint64_t addr)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    const bool shared = addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE;
    const bool private = addr - GCN_PRIVATE_APERTURE < GCN_APERTURE_SIZE;
    if (!shared && !private)
        return WT_HOME_NOW; /* the same at any time */
    if (wave >= m->waves || !d->wave[wave].active)
        return WT_HOME_NOWHERE;
    const struct gcn_wave *w = &d->wave[wave];
    uint64_t scratch;
    if (shared)
        return w->group->home;
    return gcn_private_home(w, &scratch) ? scratch : WT_HOME_NOWHERE;
}

/* ---- where ranges lie ---- */

/*
 * Offsets [first, last] of the private memory of a wave's lanes: whole dwords of all lanes are one
 * piece of global memory, parts of a dword one for each lane.
 */
static bool add_private(struct wt_spans *spans, unsigned lanes, uint64_t scratch, uint64_t first,
                        uint64_t last)
{
    assert(first <= last);
    const uint64_t row = 4 * lanes;
    while (first <= last) {
        const uint64_t at = scratch + first / 4 * row;
        if (first % 4 == 0 && last - first >= 3) {
            const uint64_t words = (last - first + 1) / 4;
            if (!wt_spans_add(spans, WT_SPACE_GLOBAL, at, at + words * row - 1))
                return false;
            first += 4 * words;
            continue;
        }
        const uint64_t end = last / 4 == first / 4 ? last % 4 : 3;
        for (unsigned lane = 0; lane < lanes; lane++)
            if (!wt_spans_add(spans, WT_SPACE_GLOBAL, at + 4 * lane + first % 4,
                              at + 4 * lane + end))
                return false;
        first += end - first % 4 + 1;
    }
    return true;
}

bool gcn_watch_part(struct wt_machine *m, uint64_t home, uint64_t first, uint64_t last,
                    struct wt_spans *spans)
{
    if (first - GCN_PRIVATE_APERTURE < GCN_APERTURE_SIZE)
        return add_private(spans, gcn_code_lanes((const struct gcn_device *)m), home,
                           first - GCN_PRIVATE_APERTURE, last - GCN_PRIVATE_APERTURE);
    return wt_spans_add(spans, first - GCN_REGION_APERTURE < GCN_MOST_GDS ? WT_SPACE_DEVICE : home,
                        first, last);
}

/* ---- memory ---- */

static uint64_t space_at(const struct gcn_wave *w, uint64_t addr)
{
    if (addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE)
        return w->group->home;
    return addr - GCN_REGION_APERTURE < GCN_MOST_GDS ? WT_SPACE_DEVICE : WT_SPACE_GLOBAL;
}

bool gcn_watches_share(const struct gcn_wave *w, uint64_t addr, uint32_t bytes)
{
    return bytes && wt_watch_set_meets(w->device->machine.watch, WT_WATCH_ACCESS, space_at(w, addr),
                                       addr, addr + bytes - 1);
}

/* Waves issue whatever EXEC is. */
struct wt_issue gcn_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    const struct gcn_wave *w = (const struct gcn_wave *)head;
    return (struct wt_issue){.time = time,
                             .pc = pc,
                             .wave = w->id,
                             .mask = gcn_exec(w),
                             .executes = true,
                             .issues = true};
}

static enum wt_observed_scope among(const struct gcn_wave *w, const struct gcn_uop *u,
                                    enum wt_watch_kind kind)
{
    if (!gcn_model_of(w->device)->scoped_caches)
        return u->slc ? WT_AMONG_SYSTEM : WT_AMONG_DEVICE;
    if (kind == WT_WATCH_ACCESS) /* SC0 asks for the result */
        return u->scc ? WT_AMONG_SYSTEM : WT_AMONG_DEVICE;
    return gcn_scope_of(u);
}

static struct wt_lane_access access_of(const struct gcn_wave *w, const struct gcn_uop *u,
                                       enum wt_watch_kind kind, unsigned lane, uint64_t addr,
                                       unsigned size)
{
    const uint64_t home = space_at(w, addr);
    const bool relaxed = gcn_is_relaxed(u, kind);
    return (struct wt_lane_access){.pc = gcn_pc_of(w, u),
                                   .kind = kind,
                                   .order = relaxed ? WT_ORDER_RELAXED : WT_ORDER_PLAIN,
                                   .scope = among(w, u, kind),
                                   .space = home == WT_SPACE_GLOBAL   ? WT_OBSERVED_GLOBAL
                                            : home == WT_SPACE_DEVICE ? WT_OBSERVED_DEVICE
                                                                      : WT_OBSERVED_GROUP,
                                   .home = home,
                                   .lane = lane,
                                   .size = size,
                                   .at = addr};
}

/* Whether an access at an offset in a wave's scratch memory is one to a dword of the
 * lane's own private memory, through a swizzled buffer: at *own of that. */
static inline bool is_own(const struct gcn_wave *w, uint64_t offset, unsigned lane, unsigned size,
                          uint64_t *own)
{
    const uint64_t row = 4 * gcn_lanes_of(w), bytes = gcn_dispatch_of(w)->scratch_wave;
    *own = offset / row * 4 + offset % 4;
    return offset < bytes && offset % row / 4 == lane && offset % 4 + size <= 4;
}

/* Whether an access to global memory is such a one: then *at becomes the offset. */
static bool is_private(const struct gcn_wave *w, unsigned lane, unsigned size, uint64_t *at)
{
    uint64_t scratch, own;
    if (!gcn_private_home(w, &scratch) || !is_own(w, *at - scratch, lane, size, &own))
        return false;
    *at = own;
    return true;
}

void gcn_observed_place(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t *at,
                        unsigned *space, uint64_t *home)
{
    const struct gcn_wave *w = &((const struct gcn_device *)m)->wave[wave];
    *home = gcn_home(m, wave, *at);
    *space = WT_OBSERVED_PRIVATE;
    if (*at - GCN_PRIVATE_APERTURE < GCN_APERTURE_SIZE)
        *at -= GCN_PRIVATE_APERTURE;
    else if (*home != WT_HOME_NOW)
        *space = WT_OBSERVED_GROUP;
    else if (!is_private(w, lane, 1, at))
        *space = WT_OBSERVED_GLOBAL;
}

void gcn_watch_access(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      unsigned lane, uint64_t addr, unsigned size, const void *before,
                      const void *after)
{
    struct wt_machine *m = &w->device->machine;
    struct wt_lane_access a = access_of(w, u, kind, lane, addr, size);
    gcn_address_watch_access(w, u, kind, lane, addr, size);
    if (!m->watch)
        return;
    if (m->observer && a.space == WT_OBSERVED_GLOBAL && is_private(w, lane, size, &a.at)) {
        a.space = WT_OBSERVED_PRIVATE;
        if (wt_watch_set_observes(m->watch, WT_SPACE_GLOBAL, addr, addr + size - 1))
            wt_engine_observe(m, &w->head, &a);
        wt_engine_watch(m, &w->head, &a, WT_SPACE_GLOBAL, addr, size, before, after);
        return;
    }
    wt_engine_access(m, &w->head, &a, before, after);
}

/* Whether each of the lanes accesses a dword of its own private memory, at `scratch`: at offset[i].
 */
static bool are_private(const struct gcn_wave *w, uint64_t lanes, const uint64_t *at, unsigned size,
                        uint64_t scratch, uint64_t *offset)
{
    uint64_t own = 0;
    for (unsigned i = 0; i < GCN_LANES; i++)
        own |= (uint64_t)is_own(w, at[i] - scratch, i, size, &offset[i]) << i;
    return !(lanes & ~own);
}

void gcn_observe_private(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                         uint64_t lanes, const uint64_t *at, unsigned size)
{
    struct wt_lane_access a = access_of(w, u, kind, 0, 0, size);
    a.space = WT_OBSERVED_PRIVATE;
    a.home = WT_SPACE_GLOBAL;
    wt_observe_lanes(&w->device->machine, &w->head, gcn_now(w), &a, lanes, at);
}

/* Whether one of the addresses may lie in [first, first + size), as the bits say that all of them
 * have, and that some have. */
static bool may_be_within(const uint64_t *at, uint64_t first, uint64_t size)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        low &= at[i];
        high |= at[i];
    }
    return high >= first && (low < first || low - first < size);
}

uint64_t *gcn_observe_share(const struct gcn_watched_share *s, enum wt_watch_kind kind,
                            unsigned size, bool is_row)
{
    const struct gcn_wave *w = s->w;
    struct wt_lane_access a = access_of(w, s->u, kind, 0, s->addr, size);
    a.is_row = is_row;
    return wt_observe_row(&w->device->machine, &w->head, gcn_now(w), &a, gcn_exec(w));
}

void gcn_observe_lanes(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                       uint64_t lanes, const uint64_t *at, unsigned size)
{
    const unsigned first = (unsigned)__builtin_ctzll(lanes);
    struct wt_lane_access a = access_of(w, u, kind, first, at[first], size);
    const uint64_t bytes = gcn_dispatch_of(w)->scratch_wave;
    uint64_t scratch, inside = 0, offset[GCN_LANES];
    if (a.space == WT_OBSERVED_GLOBAL && gcn_private_home(w, &scratch) &&
        may_be_within(at, scratch, bytes))
        for (unsigned i = 0; i < GCN_LANES; i++)
            inside |= at[i] - scratch < bytes;
    if (!inside) {
        wt_observe_lanes(&w->device->machine, &w->head, gcn_now(w), &a, lanes, at);
        return;
    }
    if (are_private(w, lanes, at, size, scratch, offset)) {
        gcn_observe_private(w, u, kind, lanes, offset, size);
        return;
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        a.lane = (unsigned)__builtin_ctzll(left);
        a.at = at[a.lane];
        a.space = is_private(w, a.lane, size, &a.at) ? WT_OBSERVED_PRIVATE : WT_OBSERVED_GLOBAL;
        wt_engine_observe(&w->device->machine, &w->head, &a);
    }
}

void gcn_observe_row(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                     uint64_t first, unsigned size)
{
    struct wt_lane_access a = access_of(w, u, kind, 0, first, size);
    const uint64_t bytes = gcn_dispatch_of(w)->scratch_wave, last = first + (GCN_LANES - 1) * size;
    uint64_t scratch, at[GCN_LANES], *told = at;
    const bool mixed = a.space == WT_OBSERVED_GLOBAL && gcn_private_home(w, &scratch) &&
                       first < scratch + bytes && last >= scratch;
    a.is_row = true;
    if (!mixed)
        told = wt_observe_row(&w->device->machine, &w->head, gcn_now(w), &a, ~(uint64_t)0);
    for (unsigned i = 0; i < GCN_LANES; i++)
        told[i] = first + (uint64_t)i * size;
    if (mixed)
        gcn_observe_lanes(w, u, kind, ~(uint64_t)0, at, size);
}

void gcn_watch_scalar(struct gcn_wave *w, const struct gcn_uop *u, enum wt_watch_kind kind,
                      uint64_t addr, unsigned size, const void *before, const void *after)
{
    assert(size >= 1 && size <= 64);
    const uint64_t exec = gcn_exec(w);
    const unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    struct wt_lane_access a = access_of(w, u, kind, lane, addr, size);
    a.is_scalar = true;
    wt_engine_access(&w->device->machine, &w->head, &a, before, after);
}

/* ---- before an instruction ---- */

const struct gcn_uop *gcn_watch_here(struct gcn_wave *w, const struct gcn_uop *u)
{
    assert(u >= w->code->uop && u < w->code->uop + GCN_SLOTS && w->code->page.watched);
    const wt_code_handler run = wt_engine_watched(&w->device->machine, &w->head, &w->code->page,
                                                  (size_t)(u - w->code->uop), gcn_pc_of(w, u));
    return run ? ((gcn_op)run)(w, u) : NULL;
}
