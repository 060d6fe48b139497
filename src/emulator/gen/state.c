/* Saving, restoring and hashing a device, for time travel. See machine/state.h. */
#include "emulator/machine/state.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/gen/internal.h"
#include "emulator/machine/hash.h"

struct wt_state {
    struct wt_state_head head;
    struct gen_running walk[GEN_WALKS];
    uint32_t td_ctl, mcr_selector;
    bool debugged;
    struct gen_thread *thread; /* with the device's own pointers, which never change once there */
    struct gen_group *group;   /* likewise */
    uint8_t *registers;        /* of the active threads, one after the other */
    uint8_t *slm;              /* of the used groups, one after the other */
};

void gen_free_state(struct wt_state *s)
{
    if (!s)
        return;
    wt_state_end(&s->head);
    free(s->thread);
    free(s->group);
    free(s->registers);
    free(s->slm);
    free(s);
}

static struct wt_row registers_of(struct wt_machine *m, uint32_t i)
{
    const struct gen_thread *t = &((const struct gen_device *)m)->thread[i];
    return (struct wt_row){t->g, t->active ? sizeof *t->g : 0};
}

static struct wt_row slm_of(struct wt_machine *m, uint32_t i)
{
    const struct gen_group *g = &((const struct gen_device *)m)->group[i];
    return (struct wt_row){g->slm, g->used ? g->slm_size : 0};
}

static bool save(struct wt_state *s, struct gen_device *d)
{
    struct wt_machine *m = &d->machine;
    if (!wt_state_begin(&s->head, m, d->memory, &d->tlb, sizeof *s))
        return false;
    memcpy(s->walk, d->walk, sizeof s->walk);
    s->td_ctl = d->td_ctl;
    s->mcr_selector = d->mcr_selector;
    s->debugged = d->debugged;
    s->thread = wt_state_copy(&s->head, d->thread, m->waves * sizeof *s->thread);
    s->group = wt_state_copy(&s->head, d->group, m->waves * sizeof *s->group);
    s->registers = wt_state_save_rows(&s->head, m, m->waves, registers_of);
    s->slm = wt_state_save_rows(&s->head, m, m->waves, slm_of);
    return s->thread && s->group && s->registers && s->slm;
}

struct wt_state *gen_save(struct wt_machine *m)
{
    struct wt_state *s = calloc(1, sizeof *s);
    if (s && !save(s, (struct gen_device *)m)) {
        gen_free_state(s);
        return NULL;
    }
    return s;
}

bool gen_restore(struct wt_machine *m, const struct wt_state *s)
{
    struct gen_device *d = (struct gen_device *)m;
    memcpy(d->walk, s->walk, sizeof d->walk);
    d->td_ctl = s->td_ctl;
    d->mcr_selector = s->mcr_selector;
    d->debugged = s->debugged;
    /* Buffers come as threads need them and stay: a state is older than its device. */
    for (uint32_t i = 0; i < m->waves; i++) {
        struct gen_registers *g = d->thread[i].g;
        uint8_t *slm = d->group[i].slm;
        d->thread[i] = s->thread[i];
        d->thread[i].g = g;
        d->group[i] = s->group[i];
        d->group[i].slm = slm;
    }
    wt_state_restore_rows(m, m->waves, registers_of, s->registers);
    wt_state_restore_rows(m, m->waves, slm_of, s->slm);
    gen_count_taken(d);
    if (d->process.hosted) /* its pages go by other addresses than code does */
        wt_code_clear(&d->code);
    wt_state_resume(&s->head, m, d->memory, &d->code);
    return true;
}

uint64_t gen_held_bytes(struct wt_machine *m)
{
    return wt_memory_held(((struct gen_device *)m)->memory);
}

uint64_t gen_live_bytes(struct wt_machine *m)
{
    return wt_memory_resident(((struct gen_device *)m)->memory);
}

/* ---- hash ---- */

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
    uint64_t h = wt_memory_hash(d->memory);
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
        const uint64_t group[] = {i, g->walk, g->slm_size, g->number, g->threads, g->arrived};
        wt_mix(&h, group, sizeof group);
        wt_mix(&h, g->slm, g->slm_size);
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
