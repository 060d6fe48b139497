#include "debug/core/thread_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum wt_status dbg_thread_table_init(struct dbg_thread_table *t, uint32_t fixed_slots,
                                     unsigned lanes, struct wt_error *err)
{
    assert(lanes > 0);
    *t = (struct dbg_thread_table){.fixed_slots = fixed_slots, .lanes = lanes};
    t->fixed = calloc(fixed_slots ? fixed_slots : 1, sizeof *t->fixed);
    if (!t->fixed)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the numbers of threads");
    dbg_thread_table_clear(t);
    return WT_OK;
}

void dbg_thread_table_free(struct dbg_thread_table *t)
{
    free(t->wave);
    free(t->bucket);
    free(t->fixed);
    free(t->later);
}

void dbg_thread_table_clear(struct dbg_thread_table *t)
{
    t->count = t->later_count = 0;
    t->next = 1 + (uint64_t)t->fixed_slots * t->lanes;
    memset(t->fixed, 0, t->fixed_slots * sizeof *t->fixed);
    if (t->buckets)
        memset(t->bucket, 0, t->buckets * sizeof *t->bucket);
}

/* The bucket that holds an id, or would hold it. */
static uint32_t *bucket_of(const struct dbg_thread_table *t, wt_wave_id id)
{
    size_t i = (size_t)(id * 0x9e3779b97f4a7c15u >> 32) & (t->buckets - 1);
    while (t->bucket[i] && t->wave[t->bucket[i] - 1].wave.id != id)
        i = (i + 1) & (t->buckets - 1);
    return &t->bucket[i];
}

/* Makes room for one more wave in all arrays: no later step of an insertion can fail. */
static bool reserve(struct dbg_thread_table *t)
{
    struct dbg_numbered *wave = wt_array_grow(t->wave, &t->capacity, t->count + 1, sizeof *t->wave);
    if (!wave)
        return false;
    t->wave = wave;
    uint32_t *later =
        wt_array_grow(t->later, &t->later_capacity, t->later_count + 1, sizeof *t->later);
    if (!later)
        return false;
    t->later = later;
    if (2 * (t->count + 1) <= t->buckets)
        return true;
    const size_t buckets = t->buckets ? 2 * t->buckets : 64;
    uint32_t *bucket = calloc(buckets, sizeof *bucket);
    if (!bucket)
        return false;
    free(t->bucket);
    t->bucket = bucket;
    t->buckets = buckets;
    for (size_t i = 0; i < t->count; i++)
        *bucket_of(t, t->wave[i].wave.id) = (uint32_t)i + 1;
    return true;
}

struct dbg_numbered *dbg_thread_table_number(struct dbg_thread_table *t, wt_wave_handle handle,
                                             const struct wt_wave *wave)
{
    assert(wave->id != WT_NO_WAVE && wave->lanes > 0 && wave->lanes <= WT_MAX_LANES);
    if (t->buckets) {
        const uint32_t known = *bucket_of(t, wave->id);
        if (known) {
            t->wave[known - 1].handle = handle;
            return &t->wave[known - 1];
        }
    }
    const bool fixed = handle < t->fixed_slots && !t->fixed[handle] && wave->lanes <= t->lanes;
    if ((!fixed && t->next + wave->lanes > UINT32_MAX) || !reserve(t))
        return NULL;
    const uint32_t index = (uint32_t)t->count++;
    struct dbg_numbered *n = &t->wave[index];
    *n = (struct dbg_numbered){.wave = *wave, .handle = handle};
    if (fixed) {
        n->first = 1 + handle * t->lanes;
        t->fixed[handle] = index + 1;
    } else {
        n->first = (uint32_t)t->next;
        t->next += wave->lanes;
        t->later[t->later_count++] = index;
    }
    *bucket_of(t, wave->id) = index + 1;
    return n;
}

struct dbg_numbered *dbg_thread_table_find(struct dbg_thread_table *t, uint32_t number)
{
    if (number == 0)
        return NULL;
    const uint32_t slot = (number - 1) / t->lanes;
    if (slot < t->fixed_slots) {
        struct dbg_numbered *n = t->fixed[slot] ? &t->wave[t->fixed[slot] - 1] : NULL;
        return n && number - n->first < n->wave.lanes ? n : NULL;
    }
    /* the first wave whose numbers begin after this one's */
    WT_BISECT(low, t->later_count, t->wave[t->later[middle]].first <= number);
    if (low == 0)
        return NULL;
    struct dbg_numbered *n = &t->wave[t->later[low - 1]];
    return number - n->first < n->wave.lanes ? n : NULL;
}
