/* The invariants of a Vortex, for sanitizer builds and fuzzers (machine/engine.h). */
#include "emulator/vortex/fields.h"
#include "emulator/vortex/internal.h"

/* Warps that one call checks in detail. A device with more has them checked in turns, as time
 * goes on: short runs of the largest device would cost seconds otherwise. */
enum { DETAILED = 1024 };

static void check_warp(const struct vx_device *d, uint32_t id)
{
    const struct vx_warp *w = &d->warp[id];
    const unsigned lanes = d->machine.lanes;
    assert(w->device == d && w->id == id);
    assert(w->core == &d->core[id / d->config.warps] && w->index == id % d->config.warps);
    assert(!(w->mask & ~d->all_lanes) && w->full == (w->mask == d->all_lanes));
    assert(w->depth <= (lanes > 1 ? lanes - 1 : 1));
    wt_check_fields(w, vx_warp_fields);
    wt_check_fields(w, vx_warp_end);
    assert(w->active || w->wait == VX_RUNS);
    assert(w->touched || (!w->active && !w->mask));
    assert(wt_turns_is_ready(&d->machine.turns, id) ==
           (w->active && w->wait == VX_RUNS && !w->halted));
    if (w->wait == VX_WAIT_BARRIER || w->wait == VX_WAIT_GLOBAL_BARRIER)
        assert(w->wait_id < d->barriers && w->wait_count >= (w->core->phase ? 1 : 2));
    assert(w->wait != VX_WAIT_PHASE || (w->core->phase && w->wait_id < d->barriers));
    assert(!w->of_cta || (w->active && w->place < d->config.warps && w->core->left[w->place]));
    for (unsigned l = 0; w->touched && l < lanes; l++) {
        assert(w->lane32[l] == (wt_has_lane(w->mask, l) ? UINT32_MAX : 0));
        assert(w->lane64[l] == (wt_has_lane(w->mask, l) ? UINT64_MAX : 0));
        assert(vx_get_x(w, 0, l) == 0);
    }
    for (unsigned i = 0; i < w->depth; i++)
        assert(!((w->ipdom[i].restore | w->ipdom[i].other) & ~d->all_lanes));
}

void vx_check(struct wt_machine *m)
{
    const struct vx_device *d = (const struct vx_device *)m;
    uint32_t active = 0, halted = 0, both = 0;
    assert(m->waves == d->core_count * d->config.warps && m->lanes == d->config.threads);
    assert(d->all_lanes == wt_lanes_first(m->lanes));
    assert(!d->injecting && d->machine.memory && d->handlers && d->inject_code);
    assert(d->dm.inject_state <= VX_DM_INFLIGHT && d->dm.step_state <= VX_DM_INFLIGHT);
    assert(d->dm.step_state == VX_DM_NONE || d->dm.step_warp < m->waves);
    assert(d->dm.inject_state == VX_DM_NONE || d->dm.inject_warp < m->waves);
    for (uint32_t i = 0; i < d->core_count; i++) {
        const struct vx_core *core = &d->core[i];
        uint32_t in_core = 0;
        assert(core->id == i && core->first_warp == i * d->config.warps && core->local);
        for (uint32_t k = 0; k < d->config.warps; k++)
            in_core += d->warp[core->first_warp + k].active;
        assert(in_core == core->active);
        for (uint32_t k = 0; k < d->barriers; k++)
            assert(core->phase || core->arrived[k] <= d->config.warps);
        if (d->profile->launch_unit) {
            wt_check_fields(&core->dispatch, vx_dispatch_fields);
            assert(!core->dispatch.starts || core->active == d->config.warps);
        }
        active += in_core;
    }
    const uint32_t detailed = m->waves < DETAILED ? m->waves : DETAILED;
    for (uint32_t i = 0; i < detailed; i++)
        check_warp(d, (uint32_t)((m->time + i) % m->waves));
    for (uint32_t i = 0; i < m->waves; i++) {
        halted += d->warp[i].halted;
        both += d->warp[i].halted && d->warp[i].active;
    }
    assert(active == m->active && halted == d->halted && both == d->halted_active);
    for (unsigned i = 0; i < d->console.slots; i++) {
        const struct wt_console_line *line = &d->console.line[i];
        assert(line->length <= line->capacity && (line->text || !line->capacity));
    }
}
