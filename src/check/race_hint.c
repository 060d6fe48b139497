/* See race_hint.h. */
#include "check/race_hint.h"
#include <stdlib.h>

enum {
    LONG = 1 << 16, /* stores of a list, of which the next list has the set */
    MANY = 1 << 12, /* notes of a wave, of which it makes the set */
};

struct race_hints {
    uint32_t refs;
    struct wt_clocks *before; /* before of the stores of earlier lists */
    struct race_stored {
        struct wt_clock by;
        struct wt_clocks *known; /* to the wave */
    } * store;
    size_t count, room;
};

void race_hints_drop(struct race_hints *h)
{
    if (!h || --h->refs)
        return;
    for (size_t i = 0; i < h->count; i++)
        wt_clocks_drop(h->store[i].known);
    wt_clocks_drop(h->before);
    free(h->store);
    free(h);
}

/* Adds the first stores of a list, and those before it, to a set. False without host memory. */
static bool join(struct wt_clocks **set, const struct race_hints *h, size_t count)
{
    const struct wt_clocks *last = NULL;
    struct wt_clock *by = malloc(count * sizeof *by + 1);
    bool good = by && wt_clocks_join(set, h->before);
    for (size_t i = 0; good && i < count; i++) {
        by[i] = h->store[i].by;
        if (h->store[i].known != last)
            good = wt_clocks_join(set, h->store[i].known);
        last = h->store[i].known;
    }
    struct wt_clocks *of_stores = good ? wt_clocks_make(by, count) : NULL;
    good = of_stores && wt_clocks_join(set, of_stores);
    wt_clocks_drop(of_stores);
    free(by);
    return good;
}

bool race_hint_add(struct race_hints **of, uint32_t wave, uint32_t clock, struct wt_clocks *known)
{
    struct race_hints *h = *of;
    if (!h || h->count == LONG) {
        struct race_hints *next = calloc(1, sizeof *next);
        if (!next || (h && !join(&next->before, h, h->count))) {
            free(next);
            return false;
        }
        next->refs = 1;
        race_hints_drop(h);
        *of = h = next;
    }
    struct race_stored *grown = wt_array_grow(h->store, &h->room, h->count + 1, sizeof *grown);
    if (!grown)
        return false;
    h->store = grown;
    grown[h->count++] = (struct race_stored){{wave, clock}, wt_clocks_hold(known)};
    return true;
}

static void drop_notes(struct race_hint *w)
{
    for (size_t i = 0; i < w->notes; i++)
        race_hints_drop(w->note[i].hints);
    free(w->note);
    wt_map_free(&w->noted);
    w->note = NULL;
    w->notes = w->room = 0;
}

/* Makes a wave's set of its notes. */
static bool make_set(struct race_hint *w)
{
    bool good = true;
    for (size_t i = 0; i < w->notes; i++)
        good &= join(&w->set, w->note[i].hints, w->note[i].count);
    drop_notes(w);
    return good;
}

bool race_hint_read(struct race_hint *w, struct race_hints *h)
{
    if (!h)
        return true;
    if (w->notes == MANY && !make_set(w))
        return false;
    uint64_t *number = wt_map_add(&w->noted, (uintptr_t)h);
    struct race_note *grown =
        number ? wt_array_grow(w->note, &w->room, w->notes + 1, sizeof *grown) : NULL;
    if (!grown)
        return false;
    w->note = grown;
    if (!*number) {
        h->refs++;
        grown[w->notes] = (struct race_note){.hints = h};
        *number = ++w->notes;
    }
    grown[*number - 1].count = h->count;
    return true;
}

uint32_t race_hint_of(struct race_hint *w, uint32_t wave)
{
    make_set(w); /* without host memory a report says less */
    return wt_clocks_of(w->set, wave);
}

void race_hint_drop(struct race_hint *w)
{
    drop_notes(w);
    wt_clocks_drop(w->set);
    w->set = NULL;
}
