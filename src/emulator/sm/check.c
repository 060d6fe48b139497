/* The invariants of an SM, for sanitizer builds and fuzzers (machine/engine.h). */
#include "emulator/machine/regions.h"
#include "emulator/sm/internal.h"

static void check_warp(const struct sm_device *d, uint32_t id)
{
    struct sm_warp *w = &d->warp[id];
    assert(w->device == d && w->id == id);
    const bool ready = w->active && !w->at_barrier && !sm_paths_wait(w) && !w->paused && !w->held;
    assert(wt_turns_is_ready(&d->machine.turns, id) == ready);
    if (!w->active) {
        assert(!w->cta && !w->trapped && !w->paused && !w->must_enter && !w->held);
        return;
    }
    wt_check_fields(w, sm_warp_fields);
    wt_check_fields(w, sm_warp_barrier);
    wt_check_fields(w, sm_warp_trap);
    assert(w->r && w->cta && w->cta->core == id / SM_WARPS && sm_warp_is_sound(w));
    assert(w->p[7] == 0xffffffffu);
    assert(!w->stepped || (w->step && !w->trapped));
    for (unsigned i = 0; w->clean && i < SM_ROWS; i++)
        for (unsigned k = 0; k < SM_LANES; k++)
            assert(!w->r[i][k]);
    for (unsigned i = 0; i < SM_LANES; i++)
        assert(!w->r[SM_RZ][i] && !w->r[SM_RZ + 1][i] && !w->r[SM_ROWS - 1][i]);
}

static void check_cta(const struct sm_device *d, uint32_t i)
{
    const struct sm_cta *c = &d->cta[i];
    uint32_t threads = 0;
    if (!c->used)
        return;
    for (uint32_t k = 0; k < SM_WARPS; k++) {
        const struct sm_warp *w = &d->warp[c->core * SM_WARPS + k];
        const bool is_its = w->active && w->cta == c;
        assert((c->slots >> k & 1) == is_its);
        threads += is_its ? (uint32_t)__builtin_popcount(w->live) : 0;
    }
    assert(threads == c->threads);
}

void sm_check(struct wt_machine *m)
{
    const struct sm_device *d = (const struct sm_device *)m;
    assert(m->waves == d->config.sms * SM_WARPS && m->lanes == SM_LANES);
    wt_groups_check(m);
    for (uint32_t i = 0; i < m->waves; i++)
        check_warp(d, i);
    for (uint32_t i = 0; i < d->config.sms * SM_CTAS; i++)
        check_cta(d, i);
    wt_check_fields(&d->grid, sm_grid_begin);
    wt_check_fields(&d->grid, sm_grid_fields);
    wt_check_fields(&d->grid, sm_grid_end);
    assert(d->grid.done <= d->grid.next && d->grid.next <= d->grid.total);
    wt_regions_check(&d->machine.regions);
}
