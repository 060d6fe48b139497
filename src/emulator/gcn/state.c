/* Saving, restoring and hashing a device, for time travel. See machine/state.h. */
#include "emulator/machine/state.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/watch.h"
#include "emulator/machine/hash.h"

struct wt_state {
    struct wt_state_head head;
    struct gcn_dispatch dispatch[GCN_DISPATCHES];
    uint32_t launching, served;
    uint64_t tba, tma;
    struct gcn_debug debug;
    uint64_t interrupts;
    struct gcn_interrupt interrupt[GCN_INTERRUPTS];
    struct gcn_kfd kfd;
    uint8_t *area[KFD_DEBUG_QUEUES]; /* save areas of suspended queues, as far as they are used */
    bool saving;
    uint64_t save_next, save_end;
    struct gcn_wave *wave;   /* with the device's own pointers, which never change once there */
    struct gcn_group *group; /* likewise */
    uint8_t *vgprs;          /* of the active waves, one after the other */
    uint8_t *lds;            /* of the used groups, one after the other */
    uint8_t *gds;
    uint32_t gws[GCN_GWS];
    struct wt_fault *exception; /* NULL: there was none yet */
};

void gcn_free_state(struct wt_state *s)
{
    if (!s)
        return;
    wt_state_end(&s->head);
    free(s->wave);
    free(s->group);
    free(s->vgprs);
    free(s->lds);
    free(s->gds);
    free(s->exception);
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        free(s->area[i]);
    free(s);
}

static struct wt_row vgprs_of(struct wt_machine *m, uint32_t i)
{
    const struct gcn_wave *w = &((const struct gcn_device *)m)->wave[i];
    return (struct wt_row){w->v, w->active ? w->vgprs * sizeof *w->v : 0};
}

static struct wt_row lds_of(struct wt_machine *m, uint32_t i)
{
    const struct gcn_group *g = &((const struct gcn_device *)m)->group[i];
    return (struct wt_row){g->lds, g->used ? g->lds_size : 0};
}

static bool save_areas(struct wt_state *s, const struct gcn_device *d)
{
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++) {
        const struct gcn_kfd_queue *q = &d->kfd.queue[i];
        if (!q->used || !q->suspended)
            continue;
        s->area[i] = wt_state_copy(&s->head, gcn_kfd_area(d, q), q->area_used);
        if (!s->area[i])
            return false;
    }
    return true;
}

static void restore_areas(struct gcn_device *d, const struct wt_state *s)
{
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        if (s->area[i])
            memcpy(gcn_kfd_area(d, &d->kfd.queue[i]), s->area[i], s->kfd.queue[i].area_used);
}

static bool save(struct wt_state *s, struct gcn_device *d)
{
    struct wt_machine *m = &d->machine;
    if (!wt_state_begin(&s->head, m, d->memory, &d->tlb, sizeof *s))
        return false;
    memcpy(s->dispatch, d->dispatch, sizeof s->dispatch);
    s->launching = d->launching;
    s->served = d->served;
    s->tba = d->tba;
    s->tma = d->tma;
    s->debug = d->debug;
    s->interrupts = d->interrupts;
    memcpy(s->interrupt, d->interrupt, sizeof s->interrupt);
    s->saving = d->saving;
    s->save_next = d->save_next;
    s->save_end = d->save_end;
    memcpy(s->gws, d->gws, sizeof s->gws);
    s->gds = wt_state_copy(&s->head, d->gds, GCN_GDS_BYTES);
    s->wave = aligned_alloc(64, m->waves * sizeof *s->wave);
    s->group = wt_state_copy(&s->head, d->group, m->waves * sizeof *s->group);
    s->vgprs = wt_state_save_rows(&s->head, m, m->waves, vgprs_of);
    s->lds = wt_state_save_rows(&s->head, m, m->waves, lds_of);
    s->kfd = d->kfd;
    if (!save_areas(s, d) || !s->gds || !s->wave || !s->group || !s->vgprs || !s->lds)
        return false;
    if (d->exception) {
        s->exception = wt_state_copy(&s->head, d->exception, m->waves * sizeof *s->exception);
        if (!s->exception)
            return false;
    }
    memcpy(s->wave, d->wave, m->waves * sizeof *s->wave);
    s->head.bytes += m->waves * sizeof *s->wave;
    return true;
}

struct wt_state *gcn_save(struct wt_machine *m)
{
    struct wt_state *s = calloc(1, sizeof *s);
    if (s && !save(s, (struct gcn_device *)m)) {
        gcn_free_state(s);
        return NULL;
    }
    return s;
}

/* Buffers come as waves need them and stay: those of the state that the device has not are NULL in
 * neither, for a state is older than its device. */
static void restore_waves(struct gcn_device *d, const struct wt_state *s)
{
    struct wt_machine *m = &d->machine;
    for (uint32_t i = 0; i < m->waves; i++) {
        uint32_t(*v)[GCN_LANES] = d->wave[i].v;
        uint8_t *lds = d->group[i].lds;
        d->wave[i] = s->wave[i];
        d->wave[i].v = v;
        d->group[i] = s->group[i];
        d->group[i].lds = lds;
    }
    wt_state_restore_rows(m, m->waves, vgprs_of, s->vgprs);
    wt_state_restore_rows(m, m->waves, lds_of, s->lds);
    gcn_count_taken(d);
}

bool gcn_restore(struct wt_machine *m, const struct wt_state *s)
{
    struct gcn_device *d = (struct gcn_device *)m;
    memcpy(d->dispatch, s->dispatch, sizeof d->dispatch);
    d->launching = s->launching;
    d->served = s->served;
    d->tba = s->tba;
    d->tma = s->tma;
    d->debug = s->debug;
    d->interrupts = s->interrupts;
    memcpy(d->interrupt, s->interrupt, sizeof d->interrupt);
    gcn_address_watch_changed(d);
    d->saving = s->saving;
    d->save_next = s->save_next;
    d->save_end = s->save_end;
    d->kfd = s->kfd;
    restore_areas(d, s);
    memcpy(d->gds, s->gds, GCN_GDS_BYTES);
    memcpy(d->gws, s->gws, sizeof d->gws);
    restore_waves(d, s);
    if (s->exception)
        memcpy(d->exception, s->exception, m->waves * sizeof *d->exception);
    else if (d->exception)
        memset(d->exception, 0, m->waves * sizeof *d->exception);
    wt_state_resume(&s->head, m, d->memory, &d->code);
    return true;
}

uint64_t gcn_held_bytes(struct wt_machine *m)
{
    return wt_memory_held(((struct gcn_device *)m)->memory);
}

uint64_t gcn_live_bytes(struct wt_machine *m)
{
    return wt_memory_resident(((struct gcn_device *)m)->memory);
}

/* ---- hash ---- */

/* STATUS and MODE without a debugger's changes through the driver. */
static uint32_t program_status(const struct gcn_wave *w)
{
    const uint32_t ttmp6 = w->s[GCN_TTMP + 6];
    const bool halted = ttmp6 & KFD_TTMP6_STOPPED && ttmp6 & KFD_TTMP6_SAVED_HALT;
    return (w->status & ~(uint32_t)GCN_STATUS_HALT) | (halted ? GCN_STATUS_HALT : 0);
}

/* program: without the parts of the state that come only from a debugger's hold on the wave. */
static void mix_wave(uint64_t *hash, const struct gcn_wave *w, bool program)
{
    const bool debugged = program && w->device->kfd.enabled;
    const uint64_t numbers[] = {
        w->id | (uint64_t)(w->id ^ w->scratch) << 32, /* mostly the same */
        w->index,
        w->pc,
        debugged ? w->mode & ~(uint32_t)GCN_MODE_DEBUG_EN : w->mode,
        w->trapsts,
        debugged ? program_status(w) : w->status,
        w->scc,
        w->at_barrier,
        w->vgprs,
        w->sgprs,
        w->vm_cnt,
        w->lgkm_cnt,
        w->exp_cnt,
        w->at_barrier || w->gws ? w->wait_pc : 0,
        w->gws,
        w->gws ? w->gws_resource : 0,
        w->gws ? w->gws_since : 0,
        w->step_due,
        w->kill,
        w->save_entries | (uint64_t)w->late << 32,
        (uint64_t)(w->group - w->device->group),
    };
    wt_mix(hash, numbers, sizeof numbers);
    uint32_t s[GCN_SCALARS];
    memcpy(s, w->s, sizeof s);
    if (debugged) { /* TTMP0, TTMP1 and TTMP6 say why it was stopped the last time */
        s[GCN_TTMP] = s[GCN_TTMP + 1] = 0;
        s[GCN_TTMP + 6] &= KFD_TTMP6_PACKET;
    }
    wt_mix(hash, s, sizeof s);
    wt_mix(hash, w->v, w->vgprs * sizeof *w->v);
}

/* Places of dispatches in which there was none yet do not count. */
static void mix_dispatches(uint64_t *hash, const struct gcn_device *d)
{
    for (uint32_t i = 1; i < GCN_DISPATCHES; i++) {
        const struct gcn_dispatch *k = &d->dispatch[i];
        const uint64_t numbers[] = {i,       k->active, k->packet, k->queue, k->id,
                                    k->next, k->total,  k->done,   d->served};
        if (k->id)
            wt_mix(hash, numbers, sizeof numbers);
    }
}

static uint64_t hash_of(struct wt_machine *m, bool program)
{
    struct gcn_device *d = (struct gcn_device *)m;
    const struct wt_schedule *s = &d->machine.turns.policy;
    const struct gcn_dispatch *k = &d->dispatch[0];
    uint64_t h = wt_memory_hash(d->memory);
    const uint64_t numbers[] = {m->time,
                                m->fault.kind,
                                d->machine.turns.current,
                                d->machine.turns.left,
                                s->kind,
                                s->turn,
                                s->seed,
                                s->state,
                                d->tba,
                                d->tma,
                                k->active,
                                k->packet,
                                k->queue,
                                k->id,
                                k->next,
                                k->total,
                                k->done};
    wt_mix(&h, numbers, sizeof numbers);
    mix_dispatches(&h, d);
    wt_mix(&h, d->machine.turns.round,
           wt_turns_words(&d->machine.turns) * sizeof *d->machine.turns.round);
    wt_mix(&h, d->gds, GCN_GDS_BYTES);
    wt_mix(&h, d->gws, sizeof d->gws);
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct gcn_group *g = &d->group[i];
        if (d->wave[i].active)
            mix_wave(&h, &d->wave[i], program);
        else if (d->wave[i].saved)
            wt_mix(&h, (uint64_t[]){i, d->wave[i].saved, d->wave[i].place, d->save_next},
                   4 * sizeof(uint64_t));
        if (!g->used)
            continue;
        const uint64_t group[] = {i | (uint64_t)g->dispatch << 32,
                                  g->lds_size,
                                  g->coordinate[0],
                                  g->coordinate[1],
                                  g->coordinate[2],
                                  g->waves,
                                  gcn_waiting(g)};
        wt_mix(&h, group, sizeof group);
        wt_mix(&h, g->lds, g->lds_size);
    }
    return h;
}

/* The hash leaves out the debug hardware's registers and the state of the driver's debug interface.
 * It has halts by SQ_CMD: they are bits of STATUS, which programs can read. */
uint64_t gcn_program_hash(struct wt_machine *m)
{
    return hash_of(m, true);
}

uint64_t gcn_hash(struct wt_machine *m)
{
    const struct gcn_device *d = (const struct gcn_device *)m;
    uint64_t h = hash_of(m, false);
    wt_mix(&h, &d->debug, sizeof d->debug);
    return h;
}
