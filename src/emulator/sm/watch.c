/* Watches: finds the memory of their ranges, stops before a watched instruction. See watch.h. */
#include "emulator/sm/watch.h"

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
        return WT_HOME_NOWHERE;
    return shared ? space_of(d, d->warp[wave].cta) : d->warp[wave].local;
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
    return (struct wt_issue){
        .time = time, .pc = pc, .wave = w->id, .mask = w->mask, .executes = true, .issues = true};
}

void sm_watch_access(struct sm_warp *w, const struct sm_uop *u, enum wt_watch_kind kind,
                     unsigned lane, bool shared, uint64_t addr, unsigned size, const void *before,
                     const void *after)
{
    struct sm_device *d = w->device;
    wt_engine_access(&d->machine, &w->head, sm_pc_of(w, u), kind, lane,
                     shared ? space_of(d, w->cta) : WT_SPACE_GLOBAL,
                     addr + (shared ? SM_SHARED_WINDOW : 0), size, before, after);
}

const struct sm_uop *sm_watch_here(struct sm_warp *w, const struct sm_uop *u)
{
    assert(w->code->page.watched);
    const wt_code_handler run = wt_engine_watched(&w->device->machine, &w->head, &w->code->page,
                                                  (size_t)(u - w->code->uop), sm_pc_of(w, u));
    return run ? ((sm_op)run)(w, u) : NULL;
}
