/* Where the waves of a kernel are, for people: waves in the same state share a line. */
#ifndef WT_RUNTIME_COMMON_PLACES_H
#define WT_RUNTIME_COMMON_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wt_called_place;
struct wt_machine;

/** The waves to be reported, and how. */
struct wt_places {
    struct wt_machine *machine;
    const char *wave_word, *lane_word; /**< the family's: "wave", "lane" */
    /** Whether a wave is one of them. NULL: each one is. */
    bool (*holds)(void *context, uint32_t wave);
    /** A place, with symbol and lines as far as they are known. */
    void (*describe)(void *context, const struct wt_called_place *place, char *text, size_t size);
    void *context;
};

/** Prints two lines for each of the states that active waves are in, the first 24 of them. */
void wt_places_tell(FILE *out, const struct wt_places *places);

#endif
