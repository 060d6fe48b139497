/* The invariants of an AMD GPU, for sanitizer builds and fuzzers (machine/engine.h). */
#include "emulator/gcn/internal.h"
#include "emulator/machine/regions.h"

static void check_wave(const struct gcn_device *d, uint32_t id)
{
    const struct gcn_wave *w = &d->wave[id];
    assert(w->device == d && w->id == id);
    if (!w->active) {
        assert(!wt_turns_is_ready(&d->machine.turns, id));
        return;
    }
    const bool halted = gcn_halted(w);
    const struct gcn_group *g = w->group;
    wt_check_fields(w, gcn_wave_fields);
    assert(w->v && !gcn_wave_flaw(d, w));
    wt_check_fields(g, gcn_group_fields);
    assert(d->dispatch[g->launch].active);
    assert(!w->watch_hits);
    assert(w->late <= d->config.imprecise);
    assert(!w->late || gcn_noted_exception((struct gcn_device *)(uintptr_t)d, id));
    assert(wt_turns_is_ready(&d->machine.turns, id) ==
           (!w->at_barrier && !w->gws && !halted && !d->dispatch[g->launch].suspended));
}

/* The counters of a compute unit match the resources that waves and groups have taken. */
static void check_unit(const struct gcn_device *d, uint32_t unit)
{
    const struct gcn_cu *cu = &d->cu[unit];
    const struct gcn_model *model = gcn_model_of(d);
    const uint32_t slots = gcn_cu_waves(d);
    uint32_t vgprs[GCN_MOST_SIMDS] = {0}, sgprs[GCN_MOST_SIMDS] = {0};
    for (uint32_t slot = 0; slot < slots; slot++) {
        const struct gcn_wave *w = &d->wave[unit * slots + slot];
        const struct gcn_group *g = &d->group[unit * slots + slot];
        uint64_t waiting = 0;
        vgprs[slot % model->simds] +=
            w->active ? gcn_model_taken(model, gcn_lanes_of(w), w->vgprs, w->agprs) : 0;
        sgprs[slot % model->simds] += w->active ? w->sgprs : 0;
        if (!g->used)
            continue;
        for (uint32_t k = 0; k < slots; k++) {
            const struct gcn_wave *other = &d->wave[unit * slots + k];
            if (other->active && other->group == g && other->at_barrier)
                waiting |= gcn_slot_bit(other);
        }
        assert(g->waiting == waiting &&
               gcn_waiting(g) < g->waves); /* else the barrier has opened */
    }
    for (unsigned i = 0; i < model->simds; i++) {
        assert(vgprs[i] == cu->vgprs[i] && vgprs[i] <= model->vgpr_rows);
        assert(sgprs[i] == cu->sgprs[i] && sgprs[i] <= model->sgprs);
    }
    assert(d->machine.groups.room[unit].local <= model->lds_bytes);
}

static void check_dispatch(const struct gcn_device *d, unsigned n)
{
    const struct gcn_dispatch *k = &d->dispatch[n];
    uint32_t running = 0;
    wt_check_fields(k, gcn_dispatch_fields);
    for (uint32_t i = 0; i < d->machine.waves; i++)
        running += d->wave[i].active && d->wave[i].group->launch == n;
    assert(running == k->running && (k->active || !running));
    assert(k->next <= k->total && k->done <= k->next);
    assert(!(d->launching >> n & 1) || (k->active && k->next < k->total));
    if (k->active && k->scratch_wave)
        assert((uint64_t)k->scratch_wave * k->scratch_waves <= UINT32_MAX);
}

void gcn_check(struct wt_machine *m)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    assert(m->waves == d->config.cu * gcn_cu_waves(d) && m->lanes == GCN_LANES);
    assert(d->host && d->machine.memory && d->gds && d->served < GCN_DISPATCHES);
    assert(d->save_next <= d->save_end);
    wt_groups_check(m);
    for (uint32_t i = 0; i < m->waves; i++)
        check_wave(d, i);
    for (uint32_t i = 0; i < d->config.cu; i++)
        check_unit(d, i);
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        check_dispatch(d, i);
    wt_regions_check(&d->machine.regions);
}
