/* Saving, restoring and hashing a device, for time travel. See machine/state.h. */
#include "emulator/machine/state.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/machine/hash.h"
#include "emulator/sm/ptx_image.h"

struct wt_state {
    struct wt_state_head head;
    struct sm_warp *warp; /* with the device's own pointers, which never change once there */
    struct sm_cta *cta;   /* likewise */
    uint8_t *registers;   /* of the warps that run, one after the other */
    uint8_t *shared;      /* of the used CTAs, one after the other */
    struct sm_unit unit[SM_MOST_SMS];
    struct sm_grid grid;
    struct wt_console_saved console;
    uint64_t handler;
    bool event;
};

void sm_free_state(struct wt_state *s)
{
    if (!s)
        return;
    wt_state_end(&s->head);
    wt_console_saved_free(&s->console);
    free(s->warp);
    free(s->cta);
    free(s->registers);
    free(s->shared);
    free(s);
}

static uint32_t cta_count(const struct sm_device *d)
{
    return d->config.sms * SM_CTAS;
}

static struct wt_row registers_of(struct wt_machine *m, uint32_t i)
{
    const struct sm_warp *w = &((const struct sm_device *)m)->warp[i];
    return (struct wt_row){w->r, w->active ? sm_rows_of(w) * sizeof *w->r : 0};
}

static struct wt_row shared_of(struct wt_machine *m, uint32_t i)
{
    const struct sm_device *d = (const struct sm_device *)m;
    return (struct wt_row){d->cta[i].shared, d->cta[i].used ? d->grid.launch.shared : 0};
}

static bool save(struct wt_state *s, struct sm_device *d)
{
    struct wt_machine *m = &d->machine;
    if (!wt_state_begin(&s->head, m, d->memory, &d->tlb, sizeof *s))
        return false;
    s->warp = wt_state_copy(&s->head, d->warp, m->waves * sizeof *s->warp);
    s->cta = wt_state_copy(&s->head, d->cta, cta_count(d) * sizeof *s->cta);
    s->registers = wt_state_save_rows(&s->head, m, m->waves, registers_of);
    s->shared = wt_state_save_rows(&s->head, m, cta_count(d), shared_of);
    memcpy(s->unit, d->unit, sizeof s->unit);
    s->grid = d->grid;
    s->handler = d->handler;
    s->event = m->event;
    return s->warp && s->cta && s->registers && s->shared &&
           wt_console_save(&d->console, &s->console, &s->head.bytes);
}

struct wt_state *sm_save(struct wt_machine *m)
{
    struct wt_state *s = calloc(1, sizeof *s);
    if (s && !save(s, (struct sm_device *)m)) {
        sm_free_state(s);
        return NULL;
    }
    return s;
}

bool sm_restore(struct wt_machine *m, const struct wt_state *s)
{
    struct sm_device *d = (struct sm_device *)m;
    if (!wt_console_reserve(&d->console, &s->console))
        return false;
    for (uint32_t i = 0; i < m->waves; i++)
        if (s->warp[i].active && !ptx_make_room(&d->warp[i], sm_rows_of(&s->warp[i])))
            return false;
    for (uint32_t i = 0; i < m->waves; i++) {
        uint32_t(*r)[SM_LANES] = d->warp[i].r;
        const uint32_t room = d->warp[i].room;
        d->warp[i] = s->warp[i];
        d->warp[i].r = r;
        d->warp[i].room = room;
        d->warp[i].clean = false; /* a later warp may have used the rows of a free slot */
    }
    for (uint32_t i = 0; i < cta_count(d); i++) {
        uint8_t *shared = d->cta[i].shared;
        d->cta[i] = s->cta[i];
        d->cta[i].shared = shared;
    }
    memcpy(d->unit, s->unit, sizeof d->unit);
    sm_count_slots(d);
    d->grid = s->grid;
    d->handler = s->handler;
    wt_state_restore_rows(m, m->waves, registers_of, s->registers);
    wt_state_restore_rows(m, cta_count(d), shared_of, s->shared);
    wt_console_restore(&d->console, &s->console);
    wt_state_resume(&s->head, m, d->memory, &d->code);
    m->event = s->event;
    return true;
}

uint64_t sm_held_bytes(struct wt_machine *m)
{
    return wt_memory_held(((struct sm_device *)m)->memory);
}

uint64_t sm_live_bytes(struct wt_machine *m)
{
    return wt_memory_resident(((struct sm_device *)m)->memory);
}

/* ---- hash ---- */

static void mix_late(uint64_t *hash, const struct sm_warp *w)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t numbers[] = {w->late[i].code, w->late[i].due, w->late[i].fault.pc};
        if (w->late[i].code)
            wt_mix(hash, numbers, sizeof numbers);
    }
}

static void mix_warp(uint64_t *hash, const struct sm_warp *w)
{
    const uint64_t numbers[] = {
        w->id,
        w->index,
        w->pc,
        w->issued,
        w->live | (uint64_t)w->mask << 32,
        w->z | (uint64_t)w->s << 32,
        w->carry | (uint64_t)w->o << 32,
        w->depth,
        w->local,
        w->at_barrier,
        w->at_barrier ? w->wait_pc : 0,
        w->bar_result,
        w->bar_op | (uint64_t)w->bar_threads << 8 | (uint64_t)w->bar_true << 16,
        w->trapped,
        w->must_enter,
        w->masked,
        w->pending_traps,
        w->paused,
        w->held,
        w->step | (uint64_t)w->stepped << 1,
        w->error.kind,
        w->error.kind ? w->error.pc : 0,
        w->esr,
        w->esr_pc,
        (uint64_t)(w->cta - w->device->cta),
        w->base | (uint64_t)w->wait << 32,
        w->result | (uint64_t)w->spins << 32,
        w->hold | (uint64_t)w->rows << 32,
    };
    wt_mix(hash, numbers, sizeof numbers);
    wt_mix(hash, w->p, sizeof w->p);
    wt_mix(hash, w->stack, w->depth * sizeof *w->stack);
    wt_mix(hash, w->r, sm_rows_of(w) * sizeof *w->r);
    mix_late(hash, w);
}

static void mix_cta(uint64_t *hash, const struct sm_device *d, uint32_t i)
{
    const struct sm_cta *c = &d->cta[i];
    const uint64_t numbers[] = {i, c->coordinate[0], c->coordinate[1], c->coordinate[2], c->warps};
    wt_mix(hash, numbers, sizeof numbers);
    for (unsigned k = 0; k < SM_BARRIERS; k++)
        wt_mix(hash, &c->barrier[k], sizeof c->barrier[k]);
    wt_mix(hash, c->shared, d->grid.launch.shared);
}

static void mix_unit(uint64_t *hash, const struct sm_unit *u)
{
    const uint64_t numbers[] = {
        u->in_trap,    u->debugger,  u->stop_any_warp,    u->stop_any_sm, u->single_step,
        u->stop,       u->loud,      u->global_esr,       u->warp_report, u->global_report,
        u->pause_mask, u->trap_mask, u->exception_enable, u->interrupts,  u->inconsistent};
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
    const struct wt_schedule *s = &m->turns.policy;
    const struct sm_grid *g = &d->grid;
    uint64_t h = wt_memory_hash(d->memory);
    const uint64_t numbers[] = {m->time, m->fault.kind, m->turns.current, m->turns.left,  s->kind,
                                s->turn, s->seed,       s->state,         d->handler,     g->active,
                                g->next, g->total,      g->done,          g->launch.entry};
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
