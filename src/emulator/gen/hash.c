/* Hashes of a device's state (wt_machine_ops.hash, program_hash). */

#include "emulator/machine/hash.h"
#include "emulator/gen/internal.h"

static void mix_thread(uint64_t *hash, const struct gen_thread *t)
{
    uint64_t numbers[11] = {[0] = t->id, [10] = (uint64_t)(t->group - t->device->group)};
    wt_hash_fields(numbers, t, gen_thread_fields);
    wt_hash_fields(numbers, t, gen_thread_last);
    numbers[8] *= t->waits;
    numbers[9] *= !t->device->debugged;
    wt_mix(hash, numbers, sizeof numbers);
    for (uint32_t left = t->waiting; left; left &= left - 1)
        wt_mix_number(hash, t->wake[__builtin_ctz(left)]);
    /* ce, ip and tm0 hold copies of the values read last. They are no state and are left out. */
    wt_mix(hash, t->g, offsetof(struct gen_registers, ce));
}

uint64_t gen_program_hash(struct wt_machine *m)
{
    struct gen_device *d = (struct gen_device *)m;
    uint64_t h = wt_memory_hash(d->machine.memory), numbers[8];
    wt_hash_machine(numbers, m);
    wt_mix(&h, numbers, sizeof numbers);
    wt_mix(&h, m->turns.round, wt_turns_words(&m->turns) * sizeof *m->turns.round);
    for (unsigned i = 0; i < GEN_WALKS; i++) {
        const struct gen_running *k = &d->walk[i];
        uint64_t walk[6] = {[0] = i};
        wt_hash_fields(walk, k, gen_walk_first);
        wt_hash_fields(walk, k, gen_walk_fields);
        if (k->id)
            wt_mix(&h, walk, sizeof walk);
    }
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct gen_group *g = &d->group[i];
        if (d->thread[i].active)
            mix_thread(&h, &d->thread[i]);
        if (!g->used)
            continue;
        uint64_t group[6] = {[0] = i, [4] = g->waves};
        wt_hash_fields(group, g, gen_group_fields);
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
