/* See map.h. */
#include "base/map.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

/* The place of a key, or the empty one where it would be. */
static struct wt_map_entry *place_of(const struct wt_map *m, uint64_t key)
{
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->room - 1);
    while (m->entry[at].key && m->entry[at].key != key)
        at = (at + 1) & (m->room - 1);
    return &m->entry[at];
}

static bool make_room(struct wt_map *m)
{
    struct wt_map larger = {.count = m->count, .room = m->room ? 2 * m->room : 16};
    if (m->count * 2 < m->room)
        return true;
    if (!(larger.entry = calloc(larger.room, sizeof *larger.entry)))
        return false;
    for (size_t i = 0; i < m->room; i++)
        if (m->entry[i].key)
            *place_of(&larger, m->entry[i].key) = m->entry[i];
    free(m->entry);
    *m = larger;
    return true;
}

uint64_t *wt_map_find(const struct wt_map *m, uint64_t key)
{
    struct wt_map_entry *e = m->room ? place_of(m, key) : NULL;
    return e && e->key ? &e->value : NULL;
}

uint64_t *wt_map_add(struct wt_map *m, uint64_t key)
{
    assert(key);
    if (!make_room(m))
        return NULL;
    struct wt_map_entry *e = place_of(m, key);
    m->count += !e->key;
    e->key = key;
    return &e->value;
}

void wt_map_remove(struct wt_map *m, uint64_t key)
{
    struct wt_map_entry *e = place_of(m, key);
    assert(e->key);
    *e = (struct wt_map_entry){0};
    m->count--;
    for (size_t at = (size_t)(e - m->entry);;) { /* those behind it may move up */
        at = (at + 1) & (m->room - 1);
        const struct wt_map_entry moved = m->entry[at];
        if (!moved.key)
            return;
        m->entry[at] = (struct wt_map_entry){0};
        *place_of(m, moved.key) = moved;
    }
}

void wt_map_free(struct wt_map *m)
{
    free(m->entry);
    *m = (struct wt_map){.count = 0};
}

void *wt_map_block(struct wt_map *m, uint64_t key, size_t size)
{
    uint64_t *there = wt_map_add(m, key);
    if (there && !*there)
        *there = (uint64_t)(uintptr_t)calloc(1, size);
    if (!there)
        return NULL;
    void *block = (void *)(uintptr_t)*there;
    if (!block)
        wt_map_remove(m, key);
    return block;
}

void wt_map_free_blocks(struct wt_map *m, void (*end)(void *block))
{
    for (size_t i = 0; i < m->room; i++)
        if (m->entry[i].key)
            end((void *)(uintptr_t)m->entry[i].value);
    wt_map_free(m);
}

void wt_different_add(struct wt_different *d, uint64_t number)
{
    if (wt_map_find(&d->latest, number))
        return;
    d->count += !wt_map_find(&d->before, number);
    if (d->latest.count == WT_DIFFERENT) {
        wt_map_free(&d->before);
        d->before = d->latest;
        d->latest = (struct wt_map){.count = 0};
    }
    wt_map_add(&d->latest, number);
}
