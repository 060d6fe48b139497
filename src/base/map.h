/* A map from numbers to numbers: a hash table. */
#ifndef WT_BASE_MAP_H
#define WT_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct wt_map_entry {
    uint64_t key; /**< 0: the place is empty */
    uint64_t value;
};

/** Zeros: it is empty. */
struct wt_map {
    struct wt_map_entry *entry;
    size_t count;
    size_t room; /**< a power of 2; at most half of it is used */
};

/** The value of a key; NULL: it is not there. It is valid until keys come or go. */
uint64_t *wt_map_find(const struct wt_map *m, uint64_t key);
/** The value of a key, which is not 0; a new key has 0. NULL: without host memory. It is valid
 * until keys come or go. */
uint64_t *wt_map_add(struct wt_map *m, uint64_t key);
/** Removes a key that is there. */
void wt_map_remove(struct wt_map *m, uint64_t key);
/** Frees it; it is empty then. */
void wt_map_free(struct wt_map *m);
/** The block of memory that is a key's value; a new key, which is not 0, has one of @p size zero
 * bytes. NULL: without host memory, and the key is not there. It is valid until it is freed. */
void *wt_map_block(struct wt_map *m, uint64_t key, size_t size);
/** Frees a map of blocks, and each block by @p end. */
void wt_map_free_blocks(struct wt_map *m, void (*end)(void *block));

/** Different numbers that are counted, of which the latest are known. */
struct wt_different {
    struct wt_map latest, before;
    uint64_t count;
};

enum { WT_DIFFERENT = 4096 };

/**
 * Counts a number, which is not 0, unless it was counted before. One that comes again behind
 * WT_DIFFERENT others may be counted twice.
 */
void wt_different_add(struct wt_different *d, uint64_t number);

#endif
