/* Hashes of a device's state (wt_machine_ops.hash, program_hash). */

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
    struct gcn_wave seen = *w;
    uint64_t numbers[21] = {
        [0] = w->id | (uint64_t)(w->id ^ w->scratch) << 32, /* mostly the same */
        [19] = (uint64_t)w->late << 32,
        [20] = (uint64_t)(w->group - w->device->group),
    };
    if (!w->gws)
        seen.gws_since = seen.gws_resource = 0;
    if (!w->gws && !w->at_barrier)
        seen.wait_pc = 0;
    if (debugged) { /* TTMP0, TTMP1 and TTMP6 say why it was stopped the last time */
        seen.mode &= ~(uint32_t)GCN_MODE_DEBUG_EN;
        seen.status = program_status(w);
        seen.s[GCN_TTMP] = seen.s[GCN_TTMP + 1] = 0;
        seen.s[GCN_TTMP + 6] &= KFD_TTMP6_PACKET;
    }
    wt_hash_fields(numbers, &seen, gcn_wave_fields);
    wt_mix(hash, numbers, sizeof numbers);
    wt_mix(hash, seen.s, sizeof seen.s);
    for (unsigned file = 0; file < GCN_FILES; file++)
        if (gcn_rows_of(w, file))
            wt_mix(hash, w->v[file * GCN_AGPR], gcn_rows_of(w, file) * sizeof *w->v);
}

/* Places of dispatches in which there was none yet do not count. */
static void mix_dispatches(uint64_t *hash, const struct gcn_device *d)
{
    for (uint32_t i = 1; i < GCN_DISPATCHES; i++) {
        const struct gcn_dispatch *k = &d->dispatch[i];
        uint64_t numbers[9] = {[0] = i, [8] = d->served};
        wt_hash_fields(numbers + 1, k, gcn_dispatch_fields);
        if (k->id)
            wt_mix(hash, numbers, sizeof numbers);
    }
}

static uint64_t hash_of(struct wt_machine *m, bool program)
{
    struct gcn_device *d = (struct gcn_device *)m;
    uint64_t h = wt_memory_hash(d->machine.memory);
    uint64_t numbers[17] = {[8] = d->tba, [9] = d->tma};
    wt_hash_machine(numbers, m);
    wt_hash_fields(numbers + 10, &d->dispatch[0], gcn_dispatch_fields);
    wt_mix(&h, numbers, sizeof numbers);
    mix_dispatches(&h, d);
    wt_mix(&h, d->machine.turns.round,
           wt_turns_words(&d->machine.turns) * sizeof *d->machine.turns.round);
    wt_mix(&h, d->gds, gcn_model_of(d)->gds_bytes);
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
        uint64_t group[7] = {[0] = i, [5] = g->waves, [6] = gcn_waiting(g)};
        wt_hash_fields(group, g, gcn_group_fields);
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
