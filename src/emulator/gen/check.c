/* The invariants of a Gen9, for sanitizer builds and fuzzers (machine/engine.h). */
#include "emulator/gen/internal.h"

static void check_thread(const struct gen_device *d, uint32_t id)
{
    const struct gen_thread *t = &d->thread[id];
    assert(t->device == d && t->id == id);
    assert(wt_turns_is_ready(&d->machine.turns, id) == (t->active && !t->waits && !t->held));
    assert(!t->held || (t->active && d->debugged));
    if (!t->active) {
        assert(!t->group);
        return;
    }
    assert(t->group && t->group->used && t->g && t->index < GEN_SUBSLICE_THREADS);
    assert(t->group->subslice == id / GEN_SUBSLICE_THREADS && t->group->walk < GEN_WALKS);
    assert(d->walk[t->group->walk].active);
    assert(!(t->mask & t->waiting));
    assert(t->in_system == ((t->g->cr[0] & GEN_CR0_MASTER) != 0));
}

/* The counters of a subslice match the resources that threads and groups have taken. */
static void check_subslice(const struct gen_device *d, uint32_t subslice)
{
    const struct gen_room *room = &d->room[subslice];
    uint64_t threads_free = 0, groups_free = 0;
    uint32_t slm = 0;
    const uint32_t first = subslice * GEN_SUBSLICE_THREADS;
    for (uint32_t i = first; i < first + GEN_SUBSLICE_THREADS; i++) {
        const struct gen_group *g = &d->group[i];
        uint32_t threads = 0;
        threads_free |= (uint64_t)!d->thread[i].active << (i - first);
        groups_free |= (uint64_t)!g->used << (i - first);
        if (!g->used)
            continue;
        for (uint32_t k = first; k < first + GEN_SUBSLICE_THREADS; k++)
            threads += d->thread[k].active && d->thread[k].group == g;
        assert(g->subslice == subslice && g->slm && g->slm_size <= GEN_SLM_BYTES);
        assert(g->threads == threads && threads > 0 && g->arrived < threads);
        slm += g->slm_size;
    }
    assert(threads_free == room->threads_free && groups_free == room->groups_free &&
           slm == room->slm_taken);
}

void gen_check(struct wt_machine *m)
{
    const struct gen_device *d = (const struct gen_device *)m;
    uint32_t active = 0;
    assert(m->waves == d->config.subslices * GEN_SUBSLICE_THREADS && m->lanes == GEN_CHANNELS);
    for (uint32_t i = 0; i < m->waves; i++) {
        check_thread(d, i);
        active += d->thread[i].active;
    }
    assert(active == m->active);
    for (uint32_t i = 0; i < d->config.subslices; i++)
        check_subslice(d, i);
    for (unsigned i = 0; i < GEN_WALKS; i++)
        assert(d->walk[i].done <= d->walk[i].next && d->walk[i].next <= d->walk[i].total);
}
