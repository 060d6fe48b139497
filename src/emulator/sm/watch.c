/* Watches: finds the memory of their ranges, stops before a watched instruction. See watch.h. */
#include "emulator/sm/watch.h"

#define NOWHERE (UINT64_MAX - 1)

/* Shared memory is a space of its own for each CTA of the grid; one of a later launch goes on with
 * that of its place. */
static uint64_t space_of(const struct sm_device *d, const struct sm_cta *c)
{
    const uint32_t *grid = d->grid.launch.grid;
    const uint64_t row = (uint64_t)c->coordinate[2] * grid[1] + c->coordinate[1];
    return wt_watch_home(&d->machine, 0, row * grid[0] + c->coordinate[0]);
}

uint64_t sm_home(struct wt_machine *m, uint32_t wave, uint64_t addr)
{
    const struct sm_device *d = (const struct sm_device *)m;
    const bool shared = addr - SM_SHARED_WINDOW < SM_WINDOW_BYTES;
    if (!shared && addr - SM_LOCAL_WINDOW >= SM_WINDOW_BYTES)
        return WT_HOME_NOW;
    if (wave >= m->waves || !d->warp[wave].active)
        return NOWHERE;
    return shared ? space_of(d, d->warp[wave].cta) : d->warp[wave].local;
}

/* A range that lies in one window, or in none. Local memory: that of all lanes. */
static bool add_part(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                     uint64_t last, struct wt_spans *spans)
{
    const struct sm_device *d = (const struct sm_device *)m;
    const bool shared = first - SM_SHARED_WINDOW < SM_WINDOW_BYTES;
    if (!shared && first - SM_LOCAL_WINDOW >= SM_WINDOW_BYTES)
        return wt_spans_add(spans, WT_SPACE_GLOBAL, first, last);
    const uint64_t home = first == watch->addr && watch->home != WT_HOME_NOW
                              ? watch->home
                              : sm_home(m, watch->wave, first);
    if (home == NOWHERE)
        return true;
    if (shared)
        return wt_spans_add(spans, home, first - SM_SHARED_WINDOW, last - SM_SHARED_WINDOW);
    const uint64_t size = d->grid.launch.local;
    for (unsigned lane = 0; lane < SM_LANES; lane++) {
        const uint64_t at = home + lane * size + first - SM_LOCAL_WINDOW;
        if (first - SM_LOCAL_WINDOW < size &&
            !wt_spans_add(spans, WT_SPACE_GLOBAL, at, at + (last - first)))
            return false;
    }
    return true;
}

bool sm_watch_range(struct wt_machine *m, const struct wt_watch *watch, uint64_t first,
                    uint64_t last, struct wt_spans *spans)
{
    static const uint64_t bounds[] = {SM_SHARED_WINDOW, SM_LOCAL_WINDOW,
                                      SM_LOCAL_WINDOW + SM_WINDOW_BYTES};
    return wt_watch_set_add_parts(m, watch, first, last, bounds, sizeof bounds / sizeof bounds[0],
                                  add_part, spans);
}

struct wt_issue sm_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    const struct sm_warp *w = (const struct sm_warp *)head;
    return (struct wt_issue){
        .time = time, .pc = pc, .wave = w->id, .mask = w->mask, .executes = true, .issues = true};
}

void sm_watch_access(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                     unsigned lane, bool shared, uint64_t addr, unsigned size, const void *before,
                     const void *after)
{
    assert(size >= 1 && size <= 16 && lane < SM_LANES);
    struct sm_device *d = w->device;
    const uint64_t space = shared ? space_of(d, w->cta) : WT_SPACE_GLOBAL;
    if (!wt_watch_set_meets(d->machine.watch, kind, space, addr, addr + size - 1))
        return;
    const struct wt_issue issue = sm_issue_at(&w->head, sm_pc_of(w, u), sm_now(w));
    wt_watch_set_access(&d->machine, &issue, kind, lane, space,
                        addr + (shared ? SM_SHARED_WINDOW : 0), size, before, after);
    wt_end_turn(&d->machine, &w->left);
}

const struct sm_uop *sm_watch_here(struct sm_warp *w, const struct sm_uop *u)
{
    assert(w->code->page.watched);
    const wt_code_handler run =
        wt_engine_watched(&w->device->machine, &w->head, &w->code->page, (size_t)(u - w->code->uop),
                          sm_pc_of(w, u), w->mask);
    return run ? ((sm_op)run)(w, u) : NULL;
}
