/* Watches: finds the memory of their ranges, stops before a watched instruction. See watch.h. */
#include "emulator/sm/memory_access.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/watch.h"

/* Shared memory is a space of its own for each CTA of the grid; one of a later launch goes on with
 * that of its place. */
uint64_t sm_group_home(const struct wt_machine *m, const struct wt_group_head *g)
{
    const uint32_t *grid = ((const struct sm_device *)m)->grid.launch.grid;
    const uint64_t row = (uint64_t)g->coordinate[2] * grid[1] + g->coordinate[1];
    return wt_watch_home(m, 0, row * grid[0] + g->coordinate[0]);
}

uint64_t sm_home(struct wt_machine *m, uint32_t wave, uint64_t addr)
{
    const struct sm_device *d = (const struct sm_device *)m;
    const bool shared = addr - SM_SHARED_WINDOW < SM_WINDOW_BYTES;
    if (!shared && addr - SM_LOCAL_WINDOW >= SM_WINDOW_BYTES)
        return WT_HOME_NOW;
    if (wave >= m->waves || !d->warp[wave].active)
        return WT_HOME_NOWHERE;
    return shared ? d->warp[wave].cta->home : d->warp[wave].local;
}

/* Local memory: that of all lanes. */
bool sm_watch_part(struct wt_machine *m, uint64_t home, uint64_t first, uint64_t last,
                   struct wt_spans *spans)
{
    const uint64_t size = ((const struct sm_device *)m)->grid.launch.local;
    const uint64_t from = first - SM_LOCAL_WINDOW;
    if (from >= SM_WINDOW_BYTES)
        return wt_spans_add(spans, home, first, last);
    for (unsigned lane = 0; lane < SM_LANES; lane++) {
        const uint64_t at = home + lane * size + from;
        if (from < size && !wt_spans_add(spans, WT_SPACE_GLOBAL, at, at + (last - first)))
            return false;
    }
    return true;
}

struct wt_issue sm_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    const struct sm_warp *w = (const struct sm_warp *)head;
    return (struct wt_issue){.time = time,
                             .pc = pc,
                             .wave = w->id,
                             .mask = w->mask,
                             .executes = true,
                             .issues = true,
                             .frame = w->base};
}

/* Where an address that all warps share lies: in local memory of a lane (*at becomes the offset),
 * in a constant bank or among the constants of PTX, or neither. */
static enum wt_observed_space space_at(const struct sm_warp *w, unsigned lane, uint64_t *at)
{
    const struct sm_launch *l = &w->device->grid.launch;
    const uint64_t local = sm_local_bytes(w), offset = *at - (w->local + lane * local);
    bool constant = *at >= l->constant && *at < l->constant_end;
    for (unsigned i = 0; i < SM_BANKS; i++)
        constant |= l->bank[i] && *at - l->bank[i] < l->bank_size[i];
    if (offset >= local)
        return constant ? WT_OBSERVED_CONSTANT : WT_OBSERVED_GLOBAL;
    *at = offset;
    return WT_OBSERVED_PRIVATE;
}

void sm_observed_place(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t *at,
                       unsigned *space, uint64_t *home)
{
    *home = sm_home(m, wave, *at);
    *space = WT_OBSERVED_PRIVATE;
    if (*at - SM_LOCAL_WINDOW < SM_WINDOW_BYTES)
        *at -= SM_LOCAL_WINDOW;
    else if (*home != WT_HOME_NOW)
        *space = WT_OBSERVED_GROUP;
    else
        *space = space_at(&((const struct sm_device *)m)->warp[wave], lane, at);
}

/* How an access orders others. Loads of machine code that fetch again (.CV) are the volatile ones.
 */
static void put_order(const struct sm_warp *w, const struct sm_uop *u, struct wt_lane_access *a)
{
    enum { CV = 3 };
    const bool fetches = (u->insn == SM_LDG && SM_FIELD(u->word, ldcache46) == CV) ||
                         (u->insn == SM_LD && SM_FIELD(u->word, ldcache56) == CV);
    if (w->device->grid.launch.rows) {
        a->order = (enum wt_observed_order)u->ptx->order;
        a->scope = (enum wt_observed_scope)u->ptx->scope;
    } else if (a->kind == WT_WATCH_ACCESS || fetches) {
        a->order = WT_ORDER_RELAXED;
        a->scope = fetches ? WT_AMONG_SYSTEM : WT_AMONG_DEVICE;
    }
}

void sm_watch_access(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                     unsigned lane, bool shared, uint64_t addr, unsigned size, const void *before,
                     const void *after)
{
    struct sm_device *d = w->device;
    struct wt_lane_access a = {.pc = sm_pc_of(w, u),
                               .kind = kind,
                               .space = WT_OBSERVED_GROUP,
                               .lane = lane,
                               .size = size,
                               .at = addr};
    put_order(w, u, &a);
    if (shared) {
        a.home = w->cta->home;
        a.at += SM_SHARED_WINDOW;
        wt_engine_access(&d->machine, &w->head, &a, before, after);
        return;
    }
    if (d->machine.observer &&
        wt_watch_set_observes(d->machine.watch, WT_SPACE_GLOBAL, addr, addr + size - 1)) {
        a.space = space_at(w, lane, &a.at);
        wt_engine_observe(&d->machine, &w->head, &a);
    }
    wt_engine_watch(&d->machine, &w->head, &a, WT_SPACE_GLOBAL, addr, size, before, after);
}

/* Whether some of [low, high] is local memory, or constants: all of what lies between them. */
static bool may_be_other(const struct sm_warp *w, uint64_t low, uint64_t high)
{
    const struct sm_launch *l = &w->device->grid.launch;
    const uint64_t local = w->local + sm_local_bytes(w) * SM_LANES;
    bool mixed =
        (low < local && high >= w->local) || (low < l->constant_end && high >= l->constant);
    for (unsigned k = 0; k < SM_BANKS; k++)
        mixed |= l->bank[k] && low < l->bank[k] + l->bank_size[k] && high >= l->bank[k];
    return mixed;
}

/* Whether one of the lanes may access such memory. */
static bool is_mixed(const struct sm_warp *w, uint32_t lanes, const uint64_t *at)
{
    uint64_t low = UINT64_MAX, high = 0; /* as the bits say that all and some have */
    for (unsigned i = 0; i < SM_LANES && lanes == UINT32_MAX; i++) {
        low &= at[i];
        high |= at[i];
    }
    if (lanes == UINT32_MAX && !may_be_other(w, low, high))
        return false;
    low = high = at[__builtin_ctz(lanes)];
    for (unsigned i = 0; i < SM_LANES; i++) {
        const bool counts = lanes >> i & 1;
        low = counts && at[i] < low ? at[i] : low;
        high = counts && at[i] > high ? at[i] : high;
    }
    return may_be_other(w, low, high);
}

/* Whether each of the lanes accesses its own local memory: at offset[i]. */
static bool are_private(const struct sm_warp *w, uint32_t lanes, const uint64_t *at,
                        uint64_t *offset)
{
    const uint64_t local = sm_local_bytes(w);
    uint32_t own = 0;
    for (unsigned i = 0; i < SM_LANES; i++) {
        offset[i] = at[i] - (w->local + i * local);
        own |= (uint32_t)(offset[i] < local) << i;
    }
    return !(lanes & ~own);
}

void sm_observe_lanes(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                      uint32_t lanes, uint32_t shared, const uint64_t *at, unsigned size)
{
    struct wt_machine *m = &w->device->machine;
    struct wt_lane_access a = {.pc = sm_pc_of(w, u), .kind = kind, .size = size};
    uint64_t moved[SM_LANES];
    put_order(w, u, &a);
    if (shared == lanes) {
        for (unsigned i = 0; i < SM_LANES; i++)
            moved[i] = at[i] + SM_SHARED_WINDOW;
        a.space = WT_OBSERVED_GROUP;
        a.home = w->cta->home;
        wt_observe_lanes(m, &w->head, wt_issue_time(m, w->left), &a, lanes, moved);
        return;
    }
    if (!shared && !is_mixed(w, lanes, at)) {
        wt_observe_lanes(m, &w->head, wt_issue_time(m, w->left), &a, lanes, at);
        return;
    }
    if (!shared && are_private(w, lanes, at, moved)) {
        a.space = WT_OBSERVED_PRIVATE;
        wt_observe_lanes(m, &w->head, wt_issue_time(m, w->left), &a, lanes, moved);
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        a.lane = (unsigned)__builtin_ctz(left);
        a.at = at[a.lane];
        const bool in_shared = shared >> a.lane & 1;
        a.space = in_shared ? WT_OBSERVED_GROUP : space_at(w, a.lane, &a.at);
        a.home = in_shared ? w->cta->home : WT_SPACE_GLOBAL;
        a.at += in_shared ? SM_SHARED_WINDOW : 0;
        wt_engine_observe(m, &w->head, &a);
    }
}

void sm_observe_row(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind, bool shared,
                    uint64_t first, unsigned size)
{
    struct wt_machine *m = &w->device->machine;
    struct wt_lane_access a = {.pc = sm_pc_of(w, u), .kind = kind, .size = size, .is_row = true};
    uint64_t at[SM_LANES], *told = at;
    const bool mixed = !shared && may_be_other(w, first, first + (SM_LANES - 1) * size);
    put_order(w, u, &a);
    if (shared) {
        first += SM_SHARED_WINDOW;
        a.space = WT_OBSERVED_GROUP;
        a.home = w->cta->home;
    }
    if (!mixed)
        told = wt_observe_row(m, &w->head, wt_issue_time(m, w->left), &a, UINT32_MAX);
    for (unsigned i = 0; i < SM_LANES; i++)
        told[i] = first + i * (uint64_t)size;
    if (mixed)
        sm_observe_lanes(w, u, kind, UINT32_MAX, 0, at, size);
}

void sm_watch_parameter(struct sm_warp *w, const struct sm_uop *u, wt_lanes lanes, uint64_t addr,
                        unsigned size, const uint8_t *bytes)
{
    struct wt_machine *m = &w->device->machine;
    const struct wt_lane_access a = {.pc = sm_pc_of(w, u),
                                     .kind = WT_WATCH_READ,
                                     .space = WT_OBSERVED_CONSTANT,
                                     .is_scalar = true,
                                     .lane = wt_lanes_lowest(lanes),
                                     .size = size,
                                     .at = addr};
    wt_engine_access(m, &w->head, &a, bytes, bytes);
}

const struct sm_uop *sm_watch_here(struct sm_warp *w, const struct sm_uop *u)
{
    assert(w->code->page.watched);
    const wt_code_handler run = wt_engine_watched(&w->device->machine, &w->head, &w->code->page,
                                                  (size_t)(u - w->code->uop), sm_pc_of(w, u));
    return run ? ((sm_op)run)(w, u) : NULL;
}
