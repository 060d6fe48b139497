/* Hashes of a device's state (wt_machine_ops.hash, program_hash). */
#include <string.h>

#include "emulator/machine/hash.h"
#include "emulator/gcn/internal.h"

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
    uint64_t h = wt_memory_hash(d->machine.memory);
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
        const uint64_t group[] = {i | (uint64_t)g->launch << 32,
                                  g->local_size,
                                  g->coordinate[0],
                                  g->coordinate[1],
                                  g->coordinate[2],
                                  g->waves,
                                  gcn_waiting(g)};
        wt_mix(&h, group, sizeof group);
        wt_mix(&h, g->local, g->local_size);
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
