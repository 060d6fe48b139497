/*
 * Which bits of memory are defined, in pages that are made as they are needed; and where what is
 * undefined comes from.
 */
#ifndef WT_CHECK_INIT_SHADOW_H
#define WT_CHECK_INIT_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/map.h"
#include "check/init_past.h"

enum { INIT_MOST_BYTES = 128 /* bytes that a lane accesses, at most */, INIT_SEEN = 128 };

/* Memory that is undefined where there is no page. */
struct init_region {
    uint64_t first, last;
    uint32_t origin;
};

/* Zeros: all of it is defined. */
struct init_space {
    struct wt_map pages; /* number + 1 -> DEFINED, or the page */
    struct {
        uint64_t key;           /* number + 1; 0: there is none */
        struct init_page *page; /* NULL: it is defined */
    } seen[INIT_SEEN];          /* pages that were looked up lately, by init_seen_at() */
    struct init_region *region; /* by address */
    size_t regions, room;
    struct init_past *past; /* what changes is noted there (init_past.h); NULL: it is not */
    uint32_t origin;        /* not 0: all that no region is of is undefined */
    uint32_t lanes;         /* PRIVATE memory: whose dwords lie side by side */
    bool lost;              /* host memory ran out: bytes that no page has count as defined */
    uint64_t low, high;     /* outside of [low, high) nothing was undefined ever; 0, 0: nowhere */
};

/* Where a page is in `seen`: pages far apart, as those of stacks, have places of their own. */
static inline size_t init_seen_at(uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % INIT_SEEN;
}

/* A byte of memory, or of a register. */
struct init_byte {
    uint8_t undefined, computed; /* bits */
    uint32_t origin;
};

/* Whether all of the bytes are defined. */
bool init_is_defined(struct init_space *s, uint64_t addr, uint64_t size);
/* Likewise of an aligned dword. */
static inline bool init_is_dword_defined(struct init_space *s, uint64_t addr)
{
    const uint64_t number = addr / INIT_PAGE;
    const size_t at = init_seen_at(number);
    uint32_t dword = 0;
    if (s->seen[at].key != number + 1)
        return init_is_defined(s, addr, sizeof dword);
    if (s->seen[at].page)
        memcpy(&dword, s->seen[at].page->undefined + addr % INIT_PAGE, sizeof dword);
    return !dword;
}
/* Whether nothing of [first, last] was undefined ever; false may be said of others, too. */
static inline bool init_is_never_undefined(const struct init_space *s, uint64_t first,
                                           uint64_t last)
{
    return !s->origin && (last < s->low || first >= s->high) && first <= last;
}
/* Whether all of the pages from that of @p first on to that of @p last are; false also where there
 * are many. */
bool init_are_pages_defined(struct init_space *s, uint64_t first, uint64_t last);
/* The state of the bytes. */
void init_load(struct init_space *s, uint64_t addr, unsigned size, struct init_byte *out);
/* The former bytes of a page, which was this one; NULL: it was as regions say. */
void init_load_page(const struct init_space *s, uint64_t number, const struct init_page *page,
                    unsigned at, unsigned size, struct init_byte *out);
/* They become this. */
void init_store(struct init_space *s, uint64_t addr, unsigned size, const struct init_byte *bytes);
/* All of them are defined from now on. */
void init_define(struct init_space *s, uint64_t addr, uint64_t size);
/* All of them are undefined from now on. */
void init_undefine(struct init_space *s, uint64_t addr, uint64_t size, uint32_t origin);
/* The bytes become those at @p from of a space, which may be the same one. */
void init_copy(struct init_space *s, uint64_t addr, struct init_space *of, uint64_t from,
               uint64_t size);
/* The first byte of a range with bits that are undefined, and computed where @p computed; size:
 * there is none. */
uint64_t init_find(struct init_space *s, uint64_t addr, uint64_t size, bool computed,
                   struct init_byte *byte);
/* Frees its pages; it is as zeros are, but for `origin`. */
void init_space_clear(struct init_space *s);

#endif
