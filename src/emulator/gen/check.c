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
    wt_check_fields(t, gen_thread_fields);
    assert(t->group && t->group->used && t->g);
    assert(t->group->core == id / GEN_SUBSLICE_THREADS);
    wt_check_fields(t->group, gen_group_fields);
    assert(d->walk[t->group->launch].active);
    assert(!(t->mask & t->waiting));
    assert(t->in_system == ((t->g->cr[0] & GEN_CR0_MASTER) != 0));
}

void gen_check(struct wt_machine *m)
{
    const struct gen_device *d = (const struct gen_device *)m;
    assert(m->waves == d->config.subslices * GEN_SUBSLICE_THREADS && m->lanes == GEN_CHANNELS);
    wt_groups_check(m);
    for (uint32_t i = 0; i < m->waves; i++) {
        check_thread(d, i);
        assert(!d->group[i].used || d->group[i].arrived < d->group[i].waves);
    }
    for (unsigned i = 0; i < GEN_WALKS; i++) {
        wt_check_fields(&d->walk[i], gen_walk_fields);
        wt_check_fields(&d->walk[i], gen_walk_last);
        assert(d->walk[i].done <= d->walk[i].next && d->walk[i].next <= d->walk[i].total);
    }
}
