/* Maps threads to lanes and waves, and decides whether lanes or whole waves are threads. */
#include "debug/core/numbering.h"

#include <assert.h>

#include "debug/core/known.h"

/* Where a wave's thread has shown its chosen lane, its threads stay as they are while a client
 * looks at it: the thread would become lane 0's, in the midst of a step or `finish` of another
 * lane. */
static enum wt_thread_mode mode_for(struct wt_debugger *d)
{
    uint64_t waves = 0;
    if (d->threads.wanted_mode != WT_THREADS_AUTO)
        return d->threads.wanted_mode;
    for (unsigned i = 0; i < d->sets.words; i++)
        waves += (unsigned)__builtin_popcount(d->sets.active.word[i]);
    if (waves * d->topology->lanes > d->threads.auto_lanes)
        return WT_THREADS_WAVES;
    return d->threads.mode == WT_THREADS_WAVES && d->threads.current &&
                   dbg_is_there(d, d->threads.current)
               ? WT_THREADS_WAVES
               : WT_THREADS_LANES;
}

void dbg_choose_mode(struct wt_debugger *d)
{
    const enum wt_thread_mode before = d->threads.mode;
    d->threads.mode = mode_for(d);
    const struct dbg_numbered *n = dbg_find_numbered(d, d->threads.current);
    if (!n || d->threads.mode == before || before == WT_THREADS_AUTO)
        return;
    const unsigned chosen = d->threads.chosen_lane < n->wave.lanes ? d->threads.chosen_lane : 0;
    if (d->threads.mode == WT_THREADS_WAVES)
        d->threads.chosen_lane = d->threads.current - n->first;
    d->threads.current = n->first + (d->threads.mode == WT_THREADS_LANES ? chosen : 0);
}

/* The wave of a thread; NULL if the thread never existed. */
const struct dbg_numbered *dbg_find_numbered(struct wt_debugger *d, wt_thread thread)
{
    const struct dbg_numbered *n = dbg_thread_table_find(&d->threads.numbers, thread);
    if (n || !thread)
        return n;
    /* The number of a fixed slot's first wave is known in advance. */
    const uint32_t slot = (thread - 1) / d->topology->lanes;
    if (slot >= d->topology->fixed_slots || !dbg_is_active(d, slot) ||
        !dbg_thread_table_number(&d->threads.numbers, slot, &d->wave[slot].self))
        return NULL;
    return dbg_thread_table_find(&d->threads.numbers, thread);
}

wt_thread dbg_thread_of(struct wt_debugger *d, uint32_t wave, unsigned lane)
{
    const struct wave *w = &d->wave[wave];
    assert(lane < w->self.lanes);
    const struct dbg_numbered *n = dbg_thread_table_number(&d->threads.numbers, wave, &w->self);
    return n ? n->first + (d->threads.mode == WT_THREADS_LANES ? lane : 0) : 0;
}

static enum wt_status no_thread(wt_thread thread, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "there is no thread %u", (unsigned)thread);
}

static void place_of(const struct wt_debugger *d, const struct dbg_numbered *n, wt_thread thread,
                     uint32_t *wave, unsigned *lane)
{
    *wave = n->handle;
    *lane = thread - n->first;
    if (d->threads.mode == WT_THREADS_WAVES)
        *lane = d->threads.chosen_lane < n->wave.lanes ? d->threads.chosen_lane : 0;
}

enum wt_status dbg_locate(struct wt_debugger *d, wt_thread thread, uint32_t *wave, unsigned *lane,
                          struct wt_error *err)
{
    const struct dbg_numbered *n = dbg_find_numbered(d, thread);
    if (!n)
        return no_thread(thread, err);
    place_of(d, n, thread, wave, lane);
    return WT_OK;
}

static bool is_there(struct wt_debugger *d, const struct dbg_numbered *n)
{
    return n && dbg_is_active(d, n->handle) && d->wave[n->handle].self.id == n->wave.id;
}

bool dbg_is_there(struct wt_debugger *d, wt_thread thread)
{
    return is_there(d, dbg_find_numbered(d, thread));
}

enum wt_status dbg_locate_there(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                unsigned *lane, struct wt_error *err)
{
    const struct dbg_numbered *n = dbg_find_numbered(d, thread);
    if (!n)
        return no_thread(thread, err);
    if (!is_there(d, n))
        return wt_fail(err, WT_INVALID, "thread %u has ended", (unsigned)thread);
    place_of(d, n, thread, wave, lane);
    return WT_OK;
}

wt_thread dbg_first_thread(struct wt_debugger *d)
{
    for (unsigned i = 0; i < d->sets.words; i++)
        if (d->sets.active.word[i])
            return dbg_thread_of(d, 32 * i + (uint32_t)__builtin_ctz(d->sets.active.word[i]), 0);
    return 0;
}
