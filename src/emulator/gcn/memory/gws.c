/*
 * Global wave sync: 64 counters of the device at which waves of all work-groups wait, as barriers
 * or as semaphores (manual, section 10 and the DS_GWS instructions of chapter 12).
 */
#include "emulator/gcn/internal.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

/* M0[21:16] and the offset tell which. */
static unsigned resource_of(const struct gcn_wave *w, const struct gcn_uop *u)
{
    return ((w->s[GCN_M0] >> 16) + (uint32_t)u->imm) % GCN_GWS;
}

/* The number that the instruction brings: of the first lane that EXEC enables, or of lane 0. */
static bool number_of(struct gcn_wave *w, const struct gcn_uop *u, uint32_t *number)
{
    const uint64_t exec = gcn_exec(w);
    if (!gcn_has_row(w, u->src[0])) {
        gcn_no_row(w, u, u->src[0]);
        return false;
    }
    *number = w->v[u->src[0]][exec ? __builtin_ctzll(exec) : 0];
    return true;
}

static const struct gcn_uop *done(struct gcn_wave *w, const struct gcn_uop *u)
{
    wt_met(&w->device->machine);
    if (w->lgkm_cnt < 15)
        w->lgkm_cnt++;
    return gcn_next(u);
}

static void tell(struct gcn_wave *w, enum wt_observed_event_kind kind, uint64_t pc,
                 unsigned resource)
{
    wt_wave_tell(&w->device->machine, &w->head,
                 &(struct wt_observed_event){.kind = kind,
                                             .pc = pc,
                                             .lanes = gcn_exec(w),
                                             .barrier = WT_BARRIER_DEVICE,
                                             .number = resource});
}

/* The wave continues behind the instruction when it is released. */
static const struct gcn_uop *wait_at(struct gcn_wave *w, const struct gcn_uop *u,
                                     enum gcn_gws_wait how)
{
    const struct gcn_uop *next = done(w, u);
    w->wait_pc = gcn_pc_of(w, u);
    w->pc = gcn_pc_of(w, next);
    w->gws = how;
    w->gws_resource = (uint8_t)resource_of(w, u);
    w->gws_since = gcn_now(w);
    gcn_update_ready(w);
    return NULL;
}

static void release(struct gcn_wave *w)
{
    w->gws = GCN_GWS_NONE;
    gcn_update_ready(w);
}

static bool waits(const struct gcn_wave *w, unsigned resource, enum gcn_gws_wait how)
{
    return w->active && w->gws == how && w->gws_resource == resource;
}

static uint32_t waiting(const struct gcn_device *d, unsigned resource, enum gcn_gws_wait how)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        count += waits(&d->wave[i], resource, how);
    return count;
}

/* Releases the waves that have waited longest, as many as the counter says. */
static void serve(struct gcn_device *d, unsigned resource)
{
    while (d->gws[resource]) {
        struct gcn_wave *first = NULL;
        for (uint32_t i = 0; i < d->machine.waves; i++)
            if (waits(&d->wave[i], resource, GCN_GWS_SEMAPHORE) &&
                (!first || d->wave[i].gws_since < first->gws_since))
                first = &d->wave[i];
        if (!first)
            return;
        d->gws[resource]--;
        release(first);
    }
}

static void raise(struct gcn_device *d, unsigned resource, uint32_t by)
{
    uint32_t *counter = &d->gws[resource];
    *counter = by > UINT32_MAX - *counter ? UINT32_MAX : *counter + by;
    serve(d, resource);
}

OP(ds_gws_init)
{
    uint32_t number;
    if (w->mode & GCN_MODE_VSKIP)
        return gcn_next(u);
    if (!number_of(w, u, &number))
        return NULL;
    w->device->gws[resource_of(w, u)] = number;
    return done(w, u);
}

/* As many waves wait as the counter says. The next wave releases all of them, and sets the number
 * of waves for which the next barrier waits. */
OP(ds_gws_barrier)
{
    struct gcn_device *d = w->device;
    const unsigned resource = resource_of(w, u);
    uint32_t number;
    if (w->mode & GCN_MODE_VSKIP)
        return gcn_next(u);
    if (!number_of(w, u, &number))
        return NULL;
    tell(w, WT_SEEN_ARRIVE, gcn_pc_of(w, u), resource);
    if (d->gws[resource]) {
        d->gws[resource]--;
        return wait_at(w, u, GCN_GWS_BARRIER);
    }
    d->gws[resource] = number;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        if (!waits(&d->wave[i], resource, GCN_GWS_BARRIER))
            continue;
        release(&d->wave[i]);
        tell(&d->wave[i], WT_SEEN_RELEASE, 0, resource);
    }
    tell(w, WT_SEEN_RELEASE, 0, resource);
    return done(w, u);
}

OP(ds_gws_sema_p)
{
    uint32_t *counter = &w->device->gws[resource_of(w, u)];
    if (w->mode & GCN_MODE_VSKIP)
        return gcn_next(u);
    if (!*counter)
        return wait_at(w, u, GCN_GWS_SEMAPHORE);
    --*counter;
    return done(w, u);
}

OP(ds_gws_sema_v)
{
    if (w->mode & GCN_MODE_VSKIP)
        return gcn_next(u);
    raise(w->device, resource_of(w, u), 1);
    return done(w, u);
}

OP(ds_gws_sema_br)
{
    uint32_t number;
    if (w->mode & GCN_MODE_VSKIP)
        return gcn_next(u);
    if (!number_of(w, u, &number))
        return NULL;
    raise(w->device, resource_of(w, u), number);
    return done(w, u);
}

OP(ds_gws_sema_release_all)
{
    const unsigned resource = resource_of(w, u);
    if (w->mode & GCN_MODE_VSKIP)
        return gcn_next(u);
    raise(w->device, resource, waiting(w->device, resource, GCN_GWS_SEMAPHORE));
    return done(w, u);
}
