/* Waves, for clients: where each stands, and why it waits. */
#include "debug/core/waves.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/wave_name.h"
#include "base/work_item.h"
#include "debug/core/dispatches.h"
#include "debug/core/known.h"
#include "debug/core/numbering.h"
#include "debug/core/threads.h"

enum wt_status wt_debugger_tell_waves(struct wt_debugger *d, bool tell, struct wt_error *err)
{
    if (!tell) {
        free(d->news.there);
        d->news.there = NULL;
        return WT_OK;
    }
    if (d->news.there)
        return WT_OK;
    d->news.there = calloc(d->topology->most_waves, sizeof *d->news.there);
    if (!d->news.there)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for news of %ss", d->topology->wave_word);
    if (d->sets.active_known)
        dbg_tell_waves(d);
    return WT_OK;
}

wt_wave_id wt_debugger_wave_in(struct wt_debugger *d, unsigned core, unsigned slot)
{
    struct wt_error ignored;
    if (dbg_refresh(d, &ignored))
        return WT_NO_WAVE;
    for (uint32_t w = 0; w < d->topology->waves; w++)
        if (dbg_is_active(d, w) && d->wave[w].self.core == core && d->wave[w].self.slot == slot)
            return d->wave[w].self.id;
    return WT_NO_WAVE;
}

enum wt_status dbg_find_wave(struct wt_debugger *d, wt_wave_id id, uint32_t *wave,
                             struct wt_error *err)
{
    enum wt_status status = dbg_refresh(d, err);
    if (status)
        return status;
    /* Waves are mostly asked for in order: the search begins behind the last one found. */
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        const uint32_t w = (d->threads.wave_hint + i) % d->topology->waves;
        if (d->wave[w].self.id != id || !dbg_is_active(d, w))
            continue;
        *wave = w;
        d->threads.wave_hint = w + 1;
        return WT_OK;
    }
    return wt_fail(err, WT_INVALID, "the %s has ended", d->topology->wave_word);
}

static enum wt_status describe(struct wt_debugger *d, uint32_t wave, struct wt_wave_info *info,
                               struct wt_error *err)
{
    enum wt_status status;
    info->wave = d->wave[wave].self;
    info->dispatch = dbg_dispatch_of(d, &d->wave[wave]);
    info->running = !dbg_stands(d, wave);
    info->pc = 0;
    info->mask = 0;
    info->has_detail = info->has_wait = false;
    if (info->running)
        return WT_OK;
    if ((status = dbg_need_pc(d, wave, err)) || (status = dbg_need_mask(d, wave, err)))
        return status;
    info->pc = d->wave[wave].pc;
    info->mask = d->wave[wave].mask;
    info->has_detail = dbg_wave_detail(d, wave, &info->detail);
    info->has_wait = info->has_detail || dbg_wave_view(d, wave, &info->detail.view);
    return WT_OK;
}

enum wt_status wt_debugger_wave(struct wt_debugger *d, wt_wave_id id, struct wt_wave_info *info,
                                struct wt_error *err)
{
    uint32_t wave = 0;
    enum wt_status status = dbg_find_wave(d, id, &wave, err);
    return status ? status : describe(d, wave, info, err);
}

/* ---- work ---- */

bool wt_debugger_device(const struct wt_debugger *d, unsigned index, struct wt_device *device)
{
    const struct wt_topology *t = d->topology;
    *device = (struct wt_device){d->target->first_device + index, d->target->first_core, t->cores};
    if (index >= (t->devices ? t->devices : 1))
        return false;
    for (unsigned i = 0; t->device_cores && i < index; i++)
        device->first_core += t->device_cores[i];
    if (t->device_cores)
        device->cores = t->device_cores[index];
    return true;
}

unsigned wt_wave_items(const struct wt_wave *wave, uint32_t *first)
{
    const uint32_t all = wave->block[0] * wave->block[1] * wave->block[2];
    *first = wave->index * wave->lanes;
    return all && all - *first < wave->lanes ? all - *first : wave->lanes;
}

/* Groups at the end of a grid may be smaller than the others. */
uint64_t wt_wave_item(const struct wt_wave *w, unsigned lane, unsigned axis)
{
    return wt_work_item(w->group, w->block, w->grid, (uint64_t)w->index * w->lanes + lane, axis);
}

static int by_work(const void *a, const void *b)
{
    const struct wt_wave *x = &(*(const struct wt_wave_info *const *)a)->wave;
    const struct wt_wave *y = &(*(const struct wt_wave_info *const *)b)->wave;
    if (x->dispatch != y->dispatch)
        return x->dispatch < y->dispatch ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    for (unsigned i = 3; i-- > 0;)
        if (x->group[i] != y->group[i])
            return x->group[i] < y->group[i] ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* The queue of a dispatch in the list, to which it is added. */
static const struct wt_queue *queue_of(struct wt_work *work, const struct wt_dispatch *dispatch)
{
    const struct wt_queue *from = &dispatch->from;
    if (!dispatch->has_queue)
        return NULL;
    for (size_t i = 0; i < work->queue_count; i++)
        if (work->queue[i].device == from->device && work->queue[i].number == from->number)
            return &work->queue[i];
    work->queue[work->queue_count] = *from;
    return &work->queue[work->queue_count++];
}

/* Adds a wave, which comes in the order of work, to its dispatch and group. */
static void add_worker(struct wt_debugger *d, struct wt_work *work, size_t index)
{
    const struct wt_wave *wave = &work->worker[index]->wave;
    struct wt_dispatch *last =
        work->dispatch_count ? &work->dispatch[work->dispatch_count - 1] : NULL;
    if (!last || last->number != wave->dispatch || last->device != wave->device) {
        const struct wt_dispatch *known = wt_debugger_dispatch(d, work->worker[index]->dispatch);
        last = &work->dispatch[work->dispatch_count++];
        *last =
            known ? *known : (struct wt_dispatch){.number = wave->dispatch, .device = wave->device};
        last->wave_count = 0;
        last->queue = queue_of(work, last);
        last->group = &work->group[work->group_count];
        last->wave = &work->worker[index];
    }
    struct wt_group *group = last->group_count ? &work->group[work->group_count - 1] : NULL;
    if (!group || memcmp(group->at, wave->group, sizeof group->at) != 0) {
        group = &work->group[work->group_count++];
        group->of = last;
        memcpy(group->at, wave->group, sizeof group->at);
        group->wave = &work->worker[index];
        last->group_count++;
    }
    group->wave_count++;
    last->wave_count++;
}

enum wt_status wt_debugger_work(struct wt_debugger *d, struct wt_work *work, struct wt_error *err)
{
    *work = (struct wt_work){.wave_count = 0};
    enum wt_status status = dbg_refresh(d, err);
    size_t count = 0;
    for (unsigned i = 0; i < d->sets.words && !status; i++)
        count += (unsigned)__builtin_popcount(d->sets.active.word[i]);
    work->wave = calloc(count + 1, sizeof *work->wave);
    work->dispatch = calloc(count + 1, sizeof *work->dispatch);
    work->group = calloc(count + 1, sizeof *work->group);
    work->queue = calloc(count + 1, sizeof *work->queue);
    work->worker = calloc(count + 1, sizeof *work->worker);
    if (!work->wave || !work->dispatch || !work->group || !work->queue || !work->worker)
        return status ? status : wt_fail(err, WT_NO_MEMORY, "out of memory for the list of waves");
    for (uint32_t w = 0; w < d->topology->waves && work->wave_count < count && !status; w++) {
        if (!dbg_is_active(d, w))
            continue;
        struct wt_wave_info *info = &work->wave[work->wave_count++];
        status = describe(d, w, info, err);
        if (info->wave.has_work)
            work->worker[work->worker_count++] = info;
    }
    qsort(work->worker, work->worker_count, sizeof(void *), by_work);
    for (size_t i = 0; i < work->worker_count && !status; i++)
        add_worker(d, work, i);
    return status;
}

void wt_work_free(struct wt_work *work)
{
    free(work->wave);
    free(work->dispatch);
    free(work->group);
    free(work->queue);
    free(work->worker);
}

enum wt_status wt_debugger_thread_position(struct wt_debugger *d, wt_thread thread,
                                           struct wt_thread_position *position,
                                           struct wt_error *err)
{
    uint32_t wave;
    enum wt_status status;
    if ((status = dbg_stopped_thread(d, thread, &wave, &position->lane, err)) ||
        (status = dbg_need_pc(d, wave, err)) || (status = dbg_need_mask(d, wave, err)))
        return status;
    position->pc = d->wave[wave].pc;
    position->active = d->wave[wave].mask;
    return WT_OK;
}

wt_thread wt_debugger_thread_of_lane(struct wt_debugger *d, wt_thread thread, unsigned lane)
{
    uint32_t wave;
    unsigned own;
    struct wt_error ignored;
    return dbg_locate(d, thread, &wave, &own, &ignored) ? 0 : dbg_thread_of(d, wave, lane);
}

/* ---- calling functions ---- */

enum wt_status wt_debugger_check_call(struct wt_debugger *d, wt_thread thread, struct wt_error *err)
{
    const struct wt_topology *t = d->topology;
    uint32_t wave;
    unsigned lane;
    enum wt_status status;
    if ((status = dbg_locate(d, thread, &wave, &lane, err)) ||
        (status = dbg_need_mask(d, wave, err)))
        return status;
    const wt_lanes mask = d->wave[wave].mask, own = wt_lane_bit(lane);
    if (mask == own)
        return WT_OK;
    if (!(mask & own))
        return wt_fail(err, WT_STATE,
                       "%s %u is masked off and cannot run a function now: choose an active %s",
                       t->lane_word, lane, t->lane_word);
    /* The bare name of the register: clients differ in how they write registers. */
    char advice[160] = "";
    for (size_t i = 0; i < t->register_count; i++)
        if (t->registers[i].role == WT_ROLE_EXEC_MASK && !t->registers[i].read_only &&
            t->lanes <= t->registers[i].bits && t->lanes <= 64)
            snprintf(advice, sizeof advice, " (%s = 0x%llx; afterwards 0x%llx again)",
                     t->registers[i].name, (unsigned long long)own, (unsigned long long)mask);
    char name[WT_WAVE_NAME];
    wt_debugger_name_wave(d, &d->wave[wave].self, name, sizeof name);
    return wt_fail(err, WT_STATE,
                   "all %u active %ss of %s would run the function, each with its own registers. "
                   "Nothing was done. Make %s %u the only active one first%s",
                   wt_lanes_count(mask), t->lane_word, name, t->lane_word, lane, advice);
}
