/*
 * Saving, restoring and hashing a device, for time travel: all that decides how it goes on, and
 * nothing that can be made again (decoded code, the TLB). Memory is shared page by page.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "emulator/gcn/watch.h"

struct wt_state {
    uint64_t time;
    struct wt_fault fault;
    struct wt_turns turns;
    struct gcn_dispatch dispatch[GCN_DISPATCHES];
    uint32_t launching, served;
    uint64_t tba, tma;
    bool saving;
    uint64_t save_next, save_end;
    uint32_t active_waves;
    struct wt_memory *memory;
    struct gcn_wave *wave;   /* with the device's own pointers, which never change once there */
    struct gcn_group *group; /* likewise */
    uint8_t *vgprs;          /* of the active waves, one after the other */
    uint8_t *lds;            /* of the used groups, one after the other */
    uint8_t *gds;
    uint32_t gws[GCN_GWS];
    uint32_t waves;
    uint64_t bytes;
};

void gcn_free_state(struct wt_state *s)
{
    if (!s)
        return;
    wt_memory_free(s->memory);
    free(s->wave);
    free(s->group);
    wt_turns_free(&s->turns);
    free(s->vgprs);
    free(s->lds);
    free(s->gds);
    free(s);
}

/* A copy of `size` bytes, counted; what is empty gets a byte, so that NULL means no memory. */
static void *copy_of(struct wt_state *s, const void *from, size_t size)
{
    void *copy = malloc(size ? size : 1);
    if (copy && size)
        memcpy(copy, from, size);
    s->bytes += size;
    return copy;
}

static size_t vgpr_bytes(const struct gcn_wave *w)
{
    return w->active ? w->vgprs * sizeof *w->v : 0;
}

static size_t lds_bytes(const struct gcn_group *g)
{
    return g->used ? g->lds_size : 0;
}

static bool save_waves(struct wt_state *s, const struct gcn_device *d)
{
    size_t vgprs = 0, lds = 0;
    s->waves = d->machine.waves;
    for (uint32_t i = 0; i < s->waves; i++) {
        vgprs += vgpr_bytes(&d->wave[i]);
        lds += lds_bytes(&d->group[i]);
    }
    s->wave = copy_of(s, d->wave, s->waves * sizeof *s->wave);
    s->group = copy_of(s, d->group, s->waves * sizeof *s->group);
    s->vgprs = malloc(vgprs ? vgprs : 1);
    s->lds = malloc(lds ? lds : 1);
    if (!s->wave || !s->group || !s->vgprs || !s->lds)
        return false;
    s->bytes += vgprs + lds;
    uint8_t *to = s->vgprs, *lds_to = s->lds;
    for (uint32_t i = 0; i < s->waves; i++) {
        const size_t size = vgpr_bytes(&d->wave[i]), local = lds_bytes(&d->group[i]);
        if (size)
            memcpy(to, d->wave[i].v, size);
        if (local)
            memcpy(lds_to, d->group[i].lds, local);
        to += size;
        lds_to += local;
    }
    return true;
}

struct wt_state *gcn_save(struct wt_machine *m)
{
    struct gcn_device *d = (struct gcn_device *)m;
    struct wt_state *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    if (!wt_turns_init(&s->turns, &d->turns.policy, m->waves)) {
        gcn_free_state(s);
        return NULL;
    }
    wt_turns_copy(&s->turns, &d->turns);
    s->time = m->time;
    s->fault = m->fault;
    memcpy(s->dispatch, d->dispatch, sizeof s->dispatch);
    s->launching = d->launching;
    s->served = d->served;
    s->tba = d->tba;
    s->tma = d->tma;
    s->saving = d->saving;
    s->save_next = d->save_next;
    s->save_end = d->save_end;
    s->active_waves = d->active_waves;
    s->bytes = sizeof *s + wt_turns_bytes(&s->turns);
    s->gds = copy_of(s, d->gds, GCN_GDS_BYTES);
    memcpy(s->gws, d->gws, sizeof s->gws);
    s->memory = wt_memory_fork(d->memory);
    if (!s->gds || !s->memory || !save_waves(s, d)) {
        gcn_free_state(s);
        return NULL;
    }
    /* Pages that the device could write are shared from now on. */
    wt_tlb_clear(&d->tlb);
    return s;
}

/* Buffers come as waves need them and stay: those of the state that the device has not are NULL in
 * neither, for a state is older than its device. */
static void restore_waves(struct gcn_device *d, const struct wt_state *s)
{
    const uint8_t *from = s->vgprs, *lds_from = s->lds;
    for (uint32_t i = 0; i < s->waves; i++) {
        uint32_t(*v)[GCN_LANES] = d->wave[i].v;
        uint8_t *lds = d->group[i].lds;
        d->wave[i] = s->wave[i];
        d->wave[i].v = v;
        d->group[i] = s->group[i];
        d->group[i].lds = lds;
        const size_t size = vgpr_bytes(&d->wave[i]), local = lds_bytes(&d->group[i]);
        if (size)
            memcpy(v, from, size);
        if (local)
            memcpy(lds, lds_from, local);
        from += size;
        lds_from += local;
    }
    gcn_count_taken(d);
}

bool gcn_restore(struct wt_machine *m, const struct wt_state *s)
{
    struct gcn_device *d = (struct gcn_device *)m;
    m->time = s->time;
    m->fault = s->fault;
    memcpy(d->dispatch, s->dispatch, sizeof d->dispatch);
    d->launching = s->launching;
    d->served = s->served;
    d->tba = s->tba;
    d->tma = s->tma;
    d->saving = s->saving;
    d->save_next = s->save_next;
    d->save_end = s->save_end;
    d->active_waves = s->active_waves;
    wt_turns_copy(&d->turns, &s->turns);
    memcpy(d->gds, s->gds, GCN_GDS_BYTES);
    memcpy(d->gws, s->gws, sizeof d->gws);
    restore_waves(d, s);
    wt_memory_become(d->memory, s->memory);
    gcn_code_clear(d);
    wt_tlb_clear(&d->tlb);
    wt_watch_set_forget(m);
    return true;
}

uint64_t gcn_state_bytes(const struct wt_state *s)
{
    return s->bytes;
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

static void mix(uint64_t *hash, const void *bytes, size_t size)
{
    *hash = XXH3_64bits_withSeed(bytes, size, *hash);
}

static void mix_wave(uint64_t *hash, const struct gcn_wave *w)
{
    const uint64_t numbers[] = {
        w->id | (uint64_t)(w->id ^ w->scratch) << 32, /* mostly the same */
        w->index,
        w->pc,
        w->mode,
        w->trapsts,
        w->status,
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
        (uint64_t)(w->group - w->device->group),
    };
    mix(hash, numbers, sizeof numbers);
    mix(hash, w->s, sizeof w->s);
    mix(hash, w->v, w->vgprs * sizeof *w->v);
}

/* Places of dispatches in which there was none yet do not count. */
static void mix_dispatches(uint64_t *hash, const struct gcn_device *d)
{
    for (uint32_t i = 1; i < GCN_DISPATCHES; i++) {
        const struct gcn_dispatch *k = &d->dispatch[i];
        const uint64_t numbers[] = {i,       k->active, k->packet, k->queue, k->id,
                                    k->next, k->total,  k->done,   d->served};
        if (k->id)
            mix(hash, numbers, sizeof numbers);
    }
}

uint64_t gcn_hash(struct wt_machine *m)
{
    struct gcn_device *d = (struct gcn_device *)m;
    const struct wt_schedule *s = &d->turns.policy;
    const struct gcn_dispatch *k = &d->dispatch[0];
    uint64_t h = wt_memory_hash(d->memory);
    const uint64_t numbers[] = {m->time,   m->fault.kind, d->turns.current, d->turns.left, s->kind,
                                s->turn,   s->seed,       s->state,         d->tba,        d->tma,
                                k->active, k->packet,     k->queue,         k->id,         k->next,
                                k->total,  k->done};
    mix(&h, numbers, sizeof numbers);
    mix_dispatches(&h, d);
    mix(&h, d->turns.round, wt_turns_words(&d->turns) * sizeof *d->turns.round);
    mix(&h, d->gds, GCN_GDS_BYTES);
    mix(&h, d->gws, sizeof d->gws);
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct gcn_group *g = &d->group[i];
        if (d->wave[i].active)
            mix_wave(&h, &d->wave[i]);
        else if (d->wave[i].saved)
            mix(&h, (uint64_t[]){i, d->wave[i].saved, d->wave[i].place, d->save_next},
                4 * sizeof(uint64_t));
        if (!g->used)
            continue;
        const uint64_t group[] = {i | (uint64_t)g->dispatch << 32,
                                  g->lds_size,
                                  g->coordinate[0],
                                  g->coordinate[1],
                                  g->coordinate[2],
                                  g->waves,
                                  g->waiting};
        mix(&h, group, sizeof group);
        mix(&h, g->lds, g->lds_size);
    }
    return h;
}
