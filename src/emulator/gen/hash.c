/* Hashes of a device's state (wt_machine_ops.hash, program_hash). */

#include "emulator/machine/hash.h"
#include "emulator/gen/internal.h"

static void mix_thread(uint64_t *hash, const struct gen_thread *t)
{
    const uint64_t numbers[] = {t->id,
                                t->index,
                                t->pc,
                                t->base,
                                t->mask,
                                t->waiting,
                                t->dispatched,
                                t->waits,
                                t->waits ? t->wait_pc : 0,
                                t->suppresses && !t->device->debugged,
                                (uint64_t)(t->group - t->device->group)};
    wt_mix(hash, numbers, sizeof numbers);
    for (uint32_t left = t->waiting; left; left &= left - 1)
        wt_mix_number(hash, t->wake[__builtin_ctz(left)]);
    /* ce, ip and tm0 hold copies of the values read last. They are no state and are left out. */
    wt_mix(hash, t->g, offsetof(struct gen_registers, ce));
}

uint64_t gen_program_hash(struct wt_machine *m)
{
    struct gen_device *d = (struct gen_device *)m;
    const struct wt_schedule *s = &m->turns.policy;
    uint64_t h = wt_memory_hash(d->machine.memory);
    const uint64_t numbers[] = {m->time, m->fault.kind, m->turns.current, m->turns.left,
                                s->kind, s->turn,       s->seed,          s->state};
    wt_mix(&h, numbers, sizeof numbers);
    wt_mix(&h, m->turns.round, wt_turns_words(&m->turns) * sizeof *m->turns.round);
    for (unsigned i = 0; i < GEN_WALKS; i++) {
        const struct gen_running *k = &d->walk[i];
        const uint64_t walk[] = {i, k->active, k->id, k->next, k->total, k->done};
        if (k->id)
            wt_mix(&h, walk, sizeof walk);
    }
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct gen_group *g = &d->group[i];
        if (d->thread[i].active)
            mix_thread(&h, &d->thread[i]);
        if (!g->used)
            continue;
        const uint64_t group[] = {i, g->launch, g->local_size, g->number, g->waves, g->arrived};
        wt_mix(&h, group, sizeof group);
        wt_mix(&h, g->local, g->local_size);
    }
    return h;
}

/* With the registers by which a host debugs threads. */
uint64_t gen_hash(struct wt_machine *m)
{
    const struct gen_device *d = (const struct gen_device *)m;
    const uint64_t registers[] = {d->td_ctl, d->mcr_selector};
    uint64_t h = gen_program_hash(m);
    wt_mix(&h, registers, sizeof registers);
    return h;
}
