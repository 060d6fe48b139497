/* Cached state of waves: which are active, where each stands, and which of its lanes
 * are enabled. */
#include "debug/core/known.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wave_name.h"
#include "debug/core/dispatches.h"

enum wt_status dbg_note(struct wt_debugger *d, enum wt_status status)
{
    /* While waves run, the next scan finds the change and reports it. */
    if ((status == WT_IO || status == WT_TIMEOUT) && !d->run.going)
        d->run.lost = true;
    return status;
}

/* Binds a handle to another wave in its slot. The cached state is of a wave that has ended. */
static void bind_another(struct wt_debugger *d, uint32_t wave)
{
    struct wave *w = &d->wave[wave];
    const struct wave before = *w;
    *w = (struct wave){.go = before.go, .ended = before.ended};
    if (before.go == GO_PLAN && before.ended.id == WT_NO_WAVE)
        w->ended = before.self;
    d->cache.generation[wave]++;
}

void dbg_describe(const struct wt_debugger *d, uint32_t wave, struct wt_wave *described)
{
    d->ops->describe_wave(d->probe, wave, described);
    described->device += d->target->first_device;
    described->core += d->target->first_core;
}

/* Finds out which wave a handle is bound to. If it is another one than was known, all that was
 * known of the handle is forgotten; a step of the wave that was there before is marked as ended. */
static void identify(struct wt_debugger *d, uint32_t wave)
{
    assert(wave < d->topology->waves);
    struct wave *w = &d->wave[wave];
    const wt_wave_id id = d->ops->wave_id(d->probe, wave);
    if (w->self.id == id && !w->unlisted)
        return;
    if (w->self.id != id)
        bind_another(d, wave);
    w->unlisted = false;
    dbg_describe(d, wave, &w->self);
    assert(w->self.id == id && w->self.lanes <= d->topology->lanes);
}

void dbg_meet(struct wt_debugger *d, uint32_t wave, wt_wave_id id)
{
    assert(wave < d->topology->waves);
    struct wave *w = &d->wave[wave];
    if (id == WT_NO_WAVE || d->ops->wave_id(d->probe, wave) == id) {
        identify(d, wave);
        return;
    }
    if (w->self.id == id)
        return;
    bind_another(d, wave);
    w->self.id = id;
    w->unlisted = true;
}

void wt_debugger_name_wave(const struct wt_debugger *d, const struct wt_wave *wave, char *text,
                           size_t size)
{
    const struct wt_wave_name name = {
        .device = wave->device,
        .has_work = wave->has_work,
        .dispatch = wave->dispatch,
        .group = {wave->group[0], wave->group[1], wave->group[2]},
        .core = wave->core,
        .slot = wave->slot,
        .word = d->topology->wave_word,
    };
    wt_wave_name(&name, text, size);
}

enum wt_status dbg_refuse_running(const struct wt_debugger *d, const struct wave *w,
                                  struct wt_error *err)
{
    char name[WT_WAVE_NAME];
    wt_debugger_name_wave(d, &w->self, name, sizeof name);
    return wt_fail(err, WT_STATE, "%s is running; stop it first", name);
}

/* The rows that the last scan has added. Their waves run if waves that begin are let run. */
static void take_new_rows(struct wt_debugger *d)
{
    const uint32_t waves = d->ops->topology(d->probe)->waves;
    assert(waves >= d->shape.waves && waves <= d->shape.most_waves);
    for (; d->shape.waves < waves; d->shape.waves++) {
        if (!d->run.launches_run)
            continue;
        d->wave[d->shape.waves].go = GO_FREE;
        wt_wave_set_add(&d->sets.free, d->shape.waves);
    }
}

enum wt_status dbg_scan(struct wt_debugger *d, struct wt_wave_set *halted, struct wt_error *err)
{
    struct wt_wave_set ignored;
    enum wt_status status =
        dbg_note(d, d->ops->scan(d->probe, &d->sets.active, halted ? halted : &ignored, err));
    d->sets.active_known = !status;
    if (status)
        return status;
    take_new_rows(d);
    dbg_begin_dispatches(d);
    for (unsigned i = 0; i < d->sets.words; i++)
        for (uint32_t bits = d->sets.active.word[i]; bits; bits &= bits - 1) {
            const uint32_t wave = 32 * i + (uint32_t)__builtin_ctz(bits);
            identify(d, wave);
            dbg_see_dispatch(d, &d->wave[wave]);
        }
    dbg_end_dispatches(d);
    dbg_tell_waves(d);
    return WT_OK;
}

struct wave *dbg_copy_waves(const struct wt_debugger *d)
{
    struct wave *copy = calloc(d->topology->most_waves, sizeof *copy);
    if (copy)
        memcpy(copy, d->wave, d->topology->waves * sizeof *copy);
    return copy;
}

bool dbg_is_active(struct wt_debugger *d, uint32_t wave)
{
    return wt_wave_set_has(&d->sets.active, wave);
}

bool dbg_any_free_active(struct wt_debugger *d)
{
    for (unsigned i = 0; i < d->sets.words; i++)
        if (d->sets.free.word[i] & d->sets.active.word[i])
            return true;
    return false;
}

uint32_t dbg_count_free_active(struct wt_debugger *d)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < d->sets.words; i++)
        count += (uint32_t)__builtin_popcount(d->sets.free.word[i] & d->sets.active.word[i]);
    return count;
}

void dbg_forget(struct wt_debugger *d, uint32_t wave)
{
    d->wave[wave].have_pc = d->wave[wave].have_mask = false;
    d->cache.generation[wave]++;
    d->cache.shared_generation++;
}

void dbg_forget_all(struct wt_debugger *d)
{
    for (uint32_t w = 0; w < d->topology->waves; w++)
        dbg_forget(d, w);
}

enum wt_status dbg_need_pc(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    if (w->have_pc)
        return WT_OK;
    enum wt_status status = dbg_note(d, d->ops->halt_cause(d->probe, wave, &w->cause, &w->pc, err));
    w->have_pc = !status;
    return status;
}

enum wt_status dbg_need_mask(struct wt_debugger *d, uint32_t wave, struct wt_error *err)
{
    struct wave *w = &d->wave[wave];
    if (w->have_mask)
        return WT_OK;
    enum wt_status status = dbg_note(d, d->ops->mask(d->probe, wave, &w->mask, err));
    w->have_mask = !status;
    return status;
}

bool dbg_wave_detail(struct wt_debugger *d, uint32_t wave, struct wt_wave_detail *detail)
{
    const struct wt_target_services *services = d->target->services;
    *detail = (struct wt_wave_detail){0};
    return services->wave_detail &&
           services->wave_detail(d->target->context, wave, d->wave[wave].self.id, detail);
}

/* The divergence stack entry that wakes a lane; NULL: no such entry is known. */
static const struct wt_wave_waiters *waiters_of(const struct wt_wave_detail *detail, unsigned lane)
{
    assert(detail->waiter_count <= WT_MAX_LANES);
    for (unsigned i = 0; i < detail->waiter_count; i++)
        if (wt_has_lane(detail->waiter[i].lanes, lane))
            return &detail->waiter[i];
    return NULL;
}

uint64_t dbg_wake_up_pc(const struct wt_wave_detail *detail, unsigned lane, uint64_t pc)
{
    const struct wt_wave_waiters *waiters = waiters_of(detail, lane);
    return waiters ? waiters->pc : pc;
}

bool dbg_wave_view(struct wt_debugger *d, uint32_t wave, struct wt_wave_view *view)
{
    const struct wt_target_services *services = d->target->services;
    struct wt_wave_detail detail;
    if (!dbg_wave_detail(d, wave, &detail))
        return services->wave_waits &&
               services->wave_waits(d->target->context, wave, d->wave[wave].self.id, view);
    *view = detail.view;
    return true;
}

bool dbg_lane_waits(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    struct wt_wave_detail detail;
    return dbg_wave_detail(d, wave, &detail) && waiters_of(&detail, lane) != NULL;
}

enum wt_status dbg_lane_pc(struct wt_debugger *d, uint32_t wave, unsigned lane, uint64_t *pc,
                           struct wt_error *err)
{
    enum wt_status status = dbg_need_pc(d, wave, err);
    if (!status)
        status = dbg_need_mask(d, wave, err);
    if (status)
        return status;
    *pc = d->wave[wave].pc;
    struct wt_wave_detail detail;
    if (!wt_has_lane(d->wave[wave].mask, lane) && dbg_wave_detail(d, wave, &detail))
        *pc = dbg_wake_up_pc(&detail, lane, *pc);
    return WT_OK;
}
