/* Hashes of a device's state (wt_machine_ops.hash, program_hash). */
#include <string.h>

#include "emulator/machine/hash.h"
#include "emulator/sm/ptx/image.h"

static uint32_t cta_count(const struct sm_device *d)
{
    return d->config.sms * SM_CTAS;
}

static void mix_late(uint64_t *hash, const struct sm_warp *w)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t numbers[] = {w->late_code[i], w->late[i].due, w->late[i].fault.pc};
        if (w->late_code[i])
            wt_mix(hash, numbers, sizeof numbers);
    }
}

static void mix_warp(uint64_t *hash, const struct sm_warp *w)
{
    uint64_t numbers[28] = {
        [0] = w->id,
        [20] = w->error.kind,
        [21] = w->error.kind ? w->error.pc : 0,
        [24] = (uint64_t)(w->cta - w->device->cta),
        [27] = (uint64_t)w->rows << 32,
    };
    wt_hash_fields(numbers, w, sm_warp_fields);
    wt_hash_fields(numbers, w, sm_warp_barrier);
    wt_hash_fields(numbers, w, sm_warp_trap);
    numbers[10] *= w->at_barrier != 0;
    numbers[19] |= (uint64_t)w->stepped << 1;
    wt_mix(hash, numbers, sizeof numbers);
    wt_mix(hash, w->p, sizeof w->p);
    wt_mix(hash, w->stack, w->depth * sizeof *w->stack);
    wt_mix(hash, w->r, sm_rows_of(w) * sizeof *w->r);
    mix_late(hash, w);
}

static void mix_cta(uint64_t *hash, const struct sm_device *d, uint32_t i)
{
    const struct sm_cta *c = &d->cta[i];
    const uint64_t numbers[] = {i, c->coordinate[0], c->coordinate[1], c->coordinate[2], c->waves};
    wt_mix(hash, numbers, sizeof numbers);
    for (unsigned k = 0; k < SM_BARRIERS; k++)
        wt_mix(hash, &c->barrier[k], sizeof c->barrier[k]);
    wt_mix(hash, c->local, d->grid.launch.shared);
}

static void mix_unit(uint64_t *hash, const struct sm_unit *u)
{
    uint64_t numbers[15] = {0};
    wt_hash_fields(numbers, u, sm_unit_fields);
    wt_mix(hash, numbers, sizeof numbers);
}

/* The trap unit is a part of what programs see (S2R), and decides how they go on. */
uint64_t sm_program_hash(struct wt_machine *m)
{
    return sm_hash(m);
}

uint64_t sm_hash(struct wt_machine *m)
{
    struct sm_device *d = (struct sm_device *)m;
    uint64_t h = wt_memory_hash(d->machine.memory);
    uint64_t numbers[14] = {[8] = d->handler};
    wt_hash_machine(numbers, m);
    wt_hash_fields(numbers, &d->grid, sm_grid_begin);
    wt_hash_fields(numbers, &d->grid, sm_grid_fields);
    wt_mix(&h, numbers, sizeof numbers);
    wt_console_hash(&d->console, &h);
    wt_mix(&h, m->turns.round, wt_turns_words(&m->turns) * sizeof *m->turns.round);
    for (uint32_t i = 0; i < m->waves; i++)
        if (d->warp[i].active)
            mix_warp(&h, &d->warp[i]);
    for (uint32_t i = 0; i < cta_count(d); i++)
        if (d->cta[i].used)
            mix_cta(&h, d, i);
    for (uint32_t i = 0; i < d->config.sms; i++)
        mix_unit(&h, &d->unit[i]);
    return h;
}
