/* See race_shadow.h. */
#include "check/race_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Slots of which nothing was noted; nobody writes there. */
static const uint32_t no_slots[RACE_CELLS];
static const uint8_t no_lanes[RACE_PAGE];

static void set_plane(struct race_page *page, unsigned slot, struct race_plane *own)
{
    page->plane[slot] = own;
    page->slot[slot] = own ? own->slot : (uint32_t *)no_slots;
    page->lane[slot] = own ? own->lane : (uint8_t *)no_lanes;
}

bool race_own(struct race_page *page, unsigned slot)
{
    struct race_plane *own = page->plane[slot];
    if (!own && (own = calloc(1, sizeof *own + page->per * RACE_CELLS)))
        set_plane(page, slot, own);
    return own;
}

bool race_own_bytes(struct race_page *page)
{
    struct race_plane *grown[RACE_SLOTS] = {NULL};
    bool good = true;
    if (page->per == 4)
        return true;
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        good &= !page->plane[k] || (grown[k] = malloc(sizeof **grown + RACE_PAGE));
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        if (!good || !grown[k]) {
            free(grown[k]);
            continue;
        }
        memcpy(grown[k]->slot, page->slot[k], sizeof grown[k]->slot);
        for (unsigned cell = 0; cell < RACE_CELLS; cell++)
            memset(&grown[k]->lane[4 * cell], page->lane[k][cell], 4);
        free(page->plane[k]);
        set_plane(page, k, grown[k]);
    }
    page->per = good ? 4 : 1;
    return good;
}

struct race_page *race_find_page(struct race_space *space, uint64_t number, bool made)
{
    struct race_page **seen = &space->seen[race_seen_at(number)];
    const uint64_t *there = wt_map_find(&space->pages, number + 1);
    if (there)
        return *seen = (struct race_page *)(uintptr_t)*there;
    struct race_page *page = made ? calloc(1, sizeof *page) : NULL;
    uint64_t *place = page ? wt_map_add(&space->pages, number + 1) : NULL;
    if (!place) {
        free(page);
        return NULL;
    }
    page->number = number;
    page->per = 1;
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        set_plane(page, k, NULL);
    *place = (uint64_t)(uintptr_t)page;
    return *seen = page;
}

static void free_page(struct race_shadow *s, struct race_page *page)
{
    for (unsigned cell = 0; page->plane[0] && cell < RACE_CELLS; cell++) {
        const uint32_t number = page->slot[0][cell] & ~RACE_SPLIT;
        if (number == page->slot[0][cell])
            continue;
        memset(&s->split[number], 0, sizeof *s->split);
        s->split[number].slot[0][0] = s->free_split;
        s->free_split = number + 1;
    }
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        free(page->plane[k]);
    free(page);
}

void race_space_free(struct race_shadow *s, struct race_space *space)
{
    for (size_t i = 0; i < space->pages.room; i++)
        if (space->pages.entry[i].key)
            free_page(s, (void *)(uintptr_t)space->pages.entry[i].value);
    wt_map_free(&space->pages);
    memset(space->seen, 0, sizeof space->seen);
}

/* Splits a cell. */
static bool split(struct race_shadow *s, struct race_page *page, unsigned cell)
{
    uint32_t number = s->free_split - 1;
    if (!race_own(page, 0))
        return false;
    page->is_split = true;
    if (!s->free_split) {
        struct race_split *grown =
            wt_array_grow(s->split, &s->split_room, s->splits + 1, sizeof *grown);
        if (!grown)
            return false;
        s->split = grown;
        number = (uint32_t)s->splits++;
    } else {
        s->free_split = s->split[number].slot[0][0];
    }
    struct race_split *own = &s->split[number];
    for (unsigned k = 0; k < RACE_SLOTS; k++)
        for (unsigned byte = 0; byte < 4; byte++) {
            own->slot[k][byte] = page->slot[k][cell];
            own->lane[k][byte] = page->lane[k][cell * page->per + byte % page->per];
        }
    page->slot[0][cell] = RACE_SPLIT | number;
    return true;
}

/* Whether bytes of a cell, which is not split, have different lanes. */
static bool differ(const struct race_page *page, unsigned cell)
{
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        const uint8_t *lane = &page->lane[k][4 * cell];
        if (page->slot[k][cell] && memcmp(lane, lane + 1, 3) != 0)
            return true;
    }
    return false;
}

unsigned race_cells(struct race_shadow *s, struct race_page *page, unsigned cell, bool apart,
                    struct race_cell list[4])
{
    if (!(page->slot[0][cell] & RACE_SPLIT) && (apart || (page->per == 4 && differ(page, cell))) &&
        !split(s, page, cell))
        return 0;
    if (!(page->slot[0][cell] & RACE_SPLIT)) {
        for (unsigned k = 0; k < RACE_SLOTS; k++) {
            list->slot[k] = &page->slot[k][cell];
            list->lane[k] = &page->lane[k][cell * page->per];
        }
        list->page = page;
        list->number = cell;
        return 1;
    }
    struct race_split *own = &s->split[page->slot[0][cell] & ~RACE_SPLIT];
    for (unsigned byte = 0; byte < 4; byte++) {
        for (unsigned k = 0; k < RACE_SLOTS; k++) {
            list[byte].slot[k] = &own->slot[k][byte];
            list[byte].lane[k] = &own->lane[k][byte];
        }
        list[byte].page = NULL;
    }
    return 4;
}

/* ---- records ---- */

bool race_grow(struct race_shadow *s)
{
    const size_t room = s->room ? 2 * s->room : RACE_CELLS;
    struct race_record *record = realloc(s->record, room * sizeof *record);
    s->record = record ? record : s->record;
    uint32_t *wave = record ? realloc(s->wave, room * sizeof *wave) : NULL;
    if (!wave)
        return false;
    s->wave = wave;
    s->room = room;
    return true;
}

/* Calls @p visit for the slots of a page that refer to a record; of neighbours that refer to the
 * same one for the first, whose new number the others get. */
static inline __attribute__((always_inline)) void
each_of_page(struct race_shadow *s, struct race_page *page,
             void (*visit)(const struct race_shadow *s, uint32_t *slot, uint32_t *of), uint32_t *of)
{
    for (unsigned k = 0; k < RACE_SLOTS; k++) {
        uint32_t last = 0, now = 0;
        for (unsigned cell = 0; page->plane[k] && cell < RACE_CELLS; cell++) {
            uint32_t *slot = &page->slot[k][cell];
            if (page->is_split && page->slot[0][cell] & RACE_SPLIT)
                continue;
            if (*slot != last) {
                last = *slot;
                visit(s, slot, of);
                now = *slot;
            }
            if (now != last)
                *slot = now;
        }
    }
    for (unsigned cell = 0; page->is_split && cell < RACE_CELLS; cell++)
        for (unsigned at = 0; page->slot[0][cell] & RACE_SPLIT && at < 4 * RACE_SLOTS; at++)
            visit(s, &s->split[page->slot[0][cell] & ~RACE_SPLIT].slot[at / 4][at % 4], of);
}

static inline __attribute__((always_inline)) void
each_slot(struct race_shadow *s, struct race_space **spaces, size_t count,
          void (*visit)(const struct race_shadow *s, uint32_t *slot, uint32_t *of), uint32_t *of)
{
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < spaces[n]->pages.room; i++)
            if (spaces[n]->pages.entry[i].key)
                each_of_page(s, (void *)(uintptr_t)spaces[n]->pages.entry[i].value, visit, of);
}

static void mark(const struct race_shadow *s, uint32_t *slot, uint32_t *of)
{
    if (*slot >= s->first)
        of[*slot - s->first] = 1;
}

static void renumber(const struct race_shadow *s, uint32_t *slot, uint32_t *of)
{
    *slot = *slot >= s->first ? of[*slot - s->first] : 0;
}

bool race_collect(struct race_shadow *s, struct race_space **spaces, size_t count)
{
    /* Each slot is looked at twice: so many instructions are to be in between, up to 2^20, that
     * this takes little beside the slots that their lanes look at, and the records little memory
     * beside these. */
    enum { MANY = 1 << 20, PART = 16 };
    uint32_t *of = calloc(s->count, sizeof *of), kept = 0;
    size_t slots = 0;
    if (!of)
        return false;
    for (size_t i = 0; i < count; i++)
        slots += spaces[i]->pages.count * 2 * RACE_CELLS;
    each_slot(s, spaces, count, mark, of);
    for (size_t i = 0; i < s->count; i++)
        if (of[i]) {
            s->record[kept] = s->record[i];
            s->wave[kept] = s->wave[i];
            of[i] = s->first + kept++;
        }
    each_slot(s, spaces, count, renumber, of);
    s->count = kept;
    s->numbering++;
    s->limit = slots / PART < MANY ? slots / PART : MANY;
    if (s->limit < (size_t)kept * 2)
        s->limit = (size_t)kept * 2;
    free(of);
    return true;
}

void race_forget(struct race_shadow *s)
{
    s->first += (uint32_t)s->count;
    s->count = 0;
    s->limit = 0;
}

void race_shadow_free(struct race_shadow *s)
{
    free(s->record);
    free(s->wave);
    free(s->split);
    *s = (struct race_shadow){.first = 1};
}
