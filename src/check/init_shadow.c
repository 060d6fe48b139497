/* See init_shadow.h. */
#include "check/init_shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_past.h"

/* Of a map: the page is known to be defined. */
#define DEFINED UINT64_C(1)

/* ---- regions ---- */

/* The first region that ends at @p addr or behind it. */
static size_t region_at(const struct init_space *s, uint64_t addr)
{
    WT_BISECT(low, s->regions, s->region[middle].last < addr);
    return low;
}

static bool insert_region(struct init_space *s, size_t at, struct init_region one)
{
    struct init_region *grown = wt_array_grow(s->region, &s->room, s->regions + 1, sizeof *grown);
    if (!grown)
        return false;
    s->region = grown;
    memmove(grown + at + 1, grown + at, (s->regions - at) * sizeof *grown);
    grown[at] = one;
    s->regions++;
    return true;
}

/* No region has anything of [first, last] from now on. */
static void cut_regions(struct init_space *s, uint64_t first, uint64_t last)
{
    for (size_t i = region_at(s, first); i < s->regions && s->region[i].first <= last;) {
        struct init_region *r = &s->region[i];
        if (r->first < first && r->last > last) {
            const struct init_region behind = {last + 1, r->last, r->origin};
            r->last = first - 1;
            s->lost |= !insert_region(s, i + 1, behind);
            return;
        }
        if (r->first < first) {
            r->last = first - 1;
            i++;
        } else if (r->last > last) {
            r->first = last + 1;
            return;
        } else {
            memmove(r, r + 1, (--s->regions - i) * sizeof *r);
        }
    }
}

/* ---- pages ---- */

static void set_undefined(struct init_page *p, unsigned first, unsigned last, uint32_t origin)
{
    for (unsigned i = first; i <= last; i++) {
        p->count += !p->undefined[i];
        p->undefined[i] = 0xff;
        p->computed[i / 8] &= (uint8_t) ~(1u << i % 8);
        p->origin[i / INIT_GRANULE] = origin;
    }
}

static bool remember(struct init_space *s, uint64_t number, struct init_page *page)
{
    uint64_t *there = wt_map_add(&s->pages, number + 1);
    if (there)
        *there = page ? (uint64_t)(uintptr_t)page : DEFINED;
    else
        s->lost = true;
    const size_t at = init_seen_at(number);
    if (s->seen[at].key == number + 1)
        s->seen[at].page = page;
    return there;
}

/* Whether some of a page is undefined where nothing else is known of it. */
static bool is_of_region(const struct init_space *s, uint64_t number)
{
    const size_t first = region_at(s, number * INIT_PAGE);
    return s->origin ||
           (first < s->regions && s->region[first].first <= number * INIT_PAGE + INIT_PAGE - 1);
}

/* As regions have it. NULL without host memory. */
static struct init_page *page_of_regions(const struct init_space *s, uint64_t number)
{
    const uint64_t begin = number * INIT_PAGE, end = begin + INIT_PAGE - 1;
    struct init_page *page = calloc(1, sizeof *page);
    if (page && s->origin)
        set_undefined(page, 0, INIT_PAGE - 1, s->origin);
    for (size_t i = region_at(s, begin); page && i < s->regions && s->region[i].first <= end; i++) {
        const struct init_region *r = &s->region[i];
        set_undefined(page, r->first > begin ? (unsigned)(r->first - begin) : 0,
                      r->last < end ? (unsigned)(r->last - begin) : INIT_PAGE - 1, r->origin);
    }
    return page;
}

/* The page of a number, which is made of the regions where there is none; NULL: it is defined. */
static struct init_page *make_page(struct init_space *s, uint64_t number)
{
    const bool any = is_of_region(s, number);
    struct init_page *page = any && !s->lost ? page_of_regions(s, number) : NULL;
    s->lost |= any && !page;
    if (!remember(s, number, page)) {
        free(page);
        return NULL;
    }
    return page;
}

static struct init_page *page_at(struct init_space *s, uint64_t number)
{
    const size_t at = init_seen_at(number);
    if (s->seen[at].key == number + 1)
        return s->seen[at].page;
    const uint64_t *there = wt_map_find(&s->pages, number + 1);
    struct init_page *page = !there              ? make_page(s, number)
                             : *there == DEFINED ? NULL
                                                 : (struct init_page *)(uintptr_t)*there;
    s->seen[at].key = number + 1;
    return s->seen[at].page = page;
}

/* Some of [first, last] is about to be undefined. */
static void widen(struct init_space *s, uint64_t first, uint64_t last)
{
    const bool none = s->low == s->high;
    s->low = none || first < s->low ? first : s->low;
    s->high = none || last >= s->high ? last + 1 : s->high;
}

/* A page for undefined bytes; NULL without host memory. */
static struct init_page *page_for(struct init_space *s, uint64_t number)
{
    struct init_page *page = page_at(s, number);
    if (page || s->lost)
        return page;
    widen(s, number * INIT_PAGE, number * INIT_PAGE + INIT_PAGE - 1);
    page = calloc(1, sizeof *page);
    s->lost |= !page;
    if (page && !remember(s, number, page)) {
        free(page);
        page = NULL;
    }
    return page;
}

static void drop_page_if_defined(struct init_space *s, uint64_t number, struct init_page *page)
{
    if (page->count || !remember(s, number, NULL))
        return;
    free(page);
}

/* All of the page is defined from now on, whatever regions say. */
static void define_page(struct init_space *s, uint64_t number)
{
    const uint64_t *there = wt_map_find(&s->pages, number + 1);
    struct init_page *page =
        there && *there != DEFINED ? (struct init_page *)(uintptr_t)*there : NULL;
    if (there && !page)
        return;
    const bool taken =
        s->past && (page || is_of_region(s, number)) && init_note_page(s->past, s, number, page);
    if (remember(s, number, NULL) && !taken)
        free(page);
}

/* Knowledge of whole pages is dropped. */
static void forget_pages(struct init_space *s, uint64_t first, uint64_t last)
{
    uint64_t *list = NULL;
    size_t count = 0, room = 0;
    memset(s->seen, 0, sizeof s->seen);
    if (last - first < s->pages.count) {
        for (uint64_t number = first; number <= last; number++) {
            const uint64_t *there = wt_map_find(&s->pages, number + 1);
            if (!there)
                continue;
            if (*there != DEFINED)
                free((void *)(uintptr_t)*there);
            wt_map_remove(&s->pages, number + 1);
        }
        return;
    }
    for (size_t i = 0; i < s->pages.room; i++) {
        const struct wt_map_entry *e = &s->pages.entry[i];
        uint64_t *grown;
        if (!e->key || e->key - 1 < first || e->key - 1 > last)
            continue;
        if (!(grown = wt_array_grow(list, &room, count + 1, sizeof *grown))) {
            s->lost = true;
            break;
        }
        list = grown;
        list[count++] = e->key;
        if (e->value != DEFINED)
            free((void *)(uintptr_t)e->value);
    }
    for (size_t i = 0; i < count; i++)
        wt_map_remove(&s->pages, list[i]);
    free(list);
}

/* ---- what checks ask ---- */

bool init_is_defined(struct init_space *s, uint64_t addr, uint64_t size)
{
    for (uint64_t at = addr, end = addr + size; at < end;) {
        const unsigned first = (unsigned)(at % INIT_PAGE);
        const uint64_t room = INIT_PAGE - first, count = end - at < room ? end - at : room;
        const struct init_page *page = page_at(s, at / INIT_PAGE);
        uint8_t any = 0;
        uint32_t dword = 0;
        if (page && count == sizeof dword)
            memcpy(&dword, page->undefined + first, sizeof dword);
        else
            for (unsigned i = 0; page && i < count; i++)
                any |= page->undefined[first + i];
        if (any | dword)
            return false;
        at += count;
    }
    return true;
}

bool init_are_pages_defined(struct init_space *s, uint64_t first, uint64_t last)
{
    enum { FEW = 16 };
    if (last / INIT_PAGE - first / INIT_PAGE >= FEW)
        return false;
    for (uint64_t number = first / INIT_PAGE; number <= last / INIT_PAGE; number++)
        if (page_at(s, number))
            return false;
    return true;
}

static struct init_byte byte_of(const struct init_page *page, unsigned at)
{
    const uint8_t undefined = page ? page->undefined[at] : 0;
    return (struct init_byte){undefined,
                              undefined && page->computed[at / 8] >> at % 8 & 1 ? undefined : 0,
                              undefined ? page->origin[at / INIT_GRANULE] : 0};
}

void init_load_page(const struct init_space *s, uint64_t number, const struct init_page *page,
                    unsigned at, unsigned size, struct init_byte *out)
{
    struct init_page *made = page ? NULL : page_of_regions(s, number);
    for (unsigned i = 0; i < size; i++)
        out[i] = byte_of(page ? page : made, at + i);
    free(made);
}

void init_load(struct init_space *s, uint64_t addr, unsigned size, struct init_byte *out)
{
    for (unsigned i = 0; i < size; i++) {
        out[i] = byte_of(page_at(s, (addr + i) / INIT_PAGE), (unsigned)((addr + i) % INIT_PAGE));
    }
}

/* A granule has one origin. That of bytes that were computed counts before that of copies, since it
 * says where. @p ahead: so many bytes behind this one are about to be stored. */
static void store_byte(struct init_page *page, unsigned at, const struct init_byte *b,
                       unsigned ahead)
{
    const unsigned within = at % INIT_GRANULE, rest = INIT_GRANULE - 1 - within;
    const uint8_t bit = (uint8_t)(1u << at % 8),
                  new = (uint8_t)((1u << (ahead < rest ? ahead : rest)) - 1),
                  old = (uint8_t)((((1u << INIT_GRANULE) - 1) & ~((unsigned)new << (within + 1)))
                                  << (at % 8 - within));
    page->count = (uint16_t)(page->count + !!b->undefined - !!page->undefined[at]);
    page->undefined[at] = b->undefined;
    page->computed[at / 8] =
        (uint8_t)((page->computed[at / 8] & ~bit) | (b->undefined & b->computed ? bit : 0));
    if (b->undefined && (b->computed || !(page->computed[at / 8] & old)))
        page->origin[at / INIT_GRANULE] = b->origin;
}

void init_store(struct init_space *s, uint64_t addr, unsigned size, const struct init_byte *bytes)
{
    for (unsigned i = 0; i < size; i++) {
        const uint64_t number = (addr + i) / INIT_PAGE;
        struct init_page *page = bytes[i].undefined ? page_for(s, number) : page_at(s, number);
        if (!page)
            continue;
        if (s->past)
            init_note_byte(s->past, s, number, page, (unsigned)((addr + i) % INIT_PAGE));
        store_byte(page, (unsigned)((addr + i) % INIT_PAGE), &bytes[i], size - 1 - i);
        drop_page_if_defined(s, number, page);
    }
}

void init_define(struct init_space *s, uint64_t addr, uint64_t size)
{
    enum { FEW = 64 }; /* pages that are looked at one by one */
    uint64_t end = addr + size;
    if (size > FEW * INIT_PAGE && !s->origin) {
        const uint64_t first = (addr + INIT_PAGE - 1) / INIT_PAGE, last = end / INIT_PAGE - 1;
        init_define(s, addr, first * INIT_PAGE - addr);
        cut_regions(s, first * INIT_PAGE, last * INIT_PAGE + INIT_PAGE - 1);
        forget_pages(s, first, last);
        addr = (last + 1) * INIT_PAGE;
    }
    for (uint64_t at = addr; at < end;) {
        const unsigned first = (unsigned)(at % INIT_PAGE);
        const uint64_t room = INIT_PAGE - first, count = end - at < room ? end - at : room;
        struct init_page *page = count < INIT_PAGE ? page_at(s, at / INIT_PAGE) : NULL;
        if (count == INIT_PAGE) {
            define_page(s, at / INIT_PAGE);
        } else if (page) {
            for (unsigned i = 0; i < count; i++) {
                if (s->past && page->undefined[first + i])
                    init_note_byte(s->past, s, at / INIT_PAGE, page, first + i);
                page->count = (uint16_t)(page->count - !!page->undefined[first + i]);
                page->undefined[first + i] = 0;
                page->computed[(first + i) / 8] &= (uint8_t) ~(1u << (first + i) % 8);
            }
            drop_page_if_defined(s, at / INIT_PAGE, page);
        }
        at += count;
    }
}

void init_undefine(struct init_space *s, uint64_t addr, uint64_t size, uint32_t origin)
{
    const uint64_t last = addr + size - 1, inner = (addr + INIT_PAGE - 1) / INIT_PAGE,
                   outer = (last + 1) / INIT_PAGE;
    if (!size || last < addr)
        return;
    widen(s, addr, last);
    if (inner < outer) { /* whole pages are made when they are used */
        cut_regions(s, inner * INIT_PAGE, outer * INIT_PAGE - 1);
        forget_pages(s, inner, outer - 1);
        s->lost |=
            !insert_region(s, region_at(s, inner * INIT_PAGE),
                           (struct init_region){inner * INIT_PAGE, outer * INIT_PAGE - 1, origin});
    }
    for (uint64_t at = addr; at <= last; at = (at / INIT_PAGE + 1) * INIT_PAGE) {
        const uint64_t number = at / INIT_PAGE;
        struct init_page *page = number >= inner && number < outer ? NULL : page_for(s, number);
        const uint64_t begin = number * INIT_PAGE;
        if (page)
            set_undefined(page, (unsigned)(at - begin),
                          last - begin < INIT_PAGE ? (unsigned)(last - begin) : INIT_PAGE - 1,
                          origin);
        if (number >= inner && number < outer)
            at = (outer - 1) * INIT_PAGE;
    }
}

void init_copy(struct init_space *s, uint64_t addr, struct init_space *of, uint64_t from,
               uint64_t size)
{
    struct init_byte part[INIT_MOST_BYTES];
    const bool backwards = addr > from && addr - from < size && s == of;
    if (init_is_defined(of, from, size)) {
        init_define(s, addr, size);
        return;
    }
    for (uint64_t done = 0, count; done < size; done += count) {
        count = size - done < sizeof part / sizeof *part ? size - done : sizeof part / sizeof *part;
        const uint64_t at = backwards ? size - done - count : done;
        init_load(of, from + at, (unsigned)count, part);
        init_store(s, addr + at, (unsigned)count, part);
    }
}

uint64_t init_find(struct init_space *s, uint64_t addr, uint64_t size, bool computed,
                   struct init_byte *byte)
{
    for (uint64_t done = 0; done < size; done++) {
        const uint64_t at = addr + done;
        if (!page_at(s, at / INIT_PAGE)) {
            done += INIT_PAGE - at % INIT_PAGE - 1;
            continue;
        }
        init_load(s, at, 1, byte);
        if (computed ? byte->computed : byte->undefined)
            return done;
    }
    return size;
}

void init_space_clear(struct init_space *s)
{
    for (size_t i = 0; i < s->pages.room; i++)
        if (s->pages.entry[i].key && s->pages.entry[i].value != DEFINED)
            free((void *)(uintptr_t)s->pages.entry[i].value);
    wt_map_free(&s->pages);
    free(s->region);
    *s = (struct init_space){.past = s->past, .origin = s->origin, .lanes = s->lanes};
}
