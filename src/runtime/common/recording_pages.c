/* The pages of the copy that a recorded GPU works on. See recording_state.h. */
#include "runtime/common/recording_state.h"

#include <stdlib.h>

#include "base/array.h"

/* The process's pages are read whole. Beside what the GPU uses there may be what a sanitizer would
 * not have anybody read. */
#define WHOLE __attribute__((no_sanitize("address"), noinline))

WHOLE void recording_copy_page(uint8_t *to, const uint8_t *from)
{
    for (unsigned i = 0; i < RECORDING_WORDS; i++)
        ((uint64_t *)(void *)to)[i] =
            __atomic_load_n((const uint64_t *)(const void *)from + i, __ATOMIC_ACQUIRE);
}

WHOLE bool recording_same_page(const uint8_t *a, const uint8_t *b)
{
    for (unsigned i = 0; i < RECORDING_WORDS; i++)
        if (((const volatile uint64_t *)(const void *)a)[i] !=
            ((const volatile uint64_t *)(const void *)b)[i])
            return false;
    return true;
}

static size_t place_of(const struct wt_recording *r, uint64_t addr)
{
    size_t at = (size_t)((addr >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (r->places - 1);
    while (r->place[at] && r->page[r->place[at] - 1].addr != addr)
        at = (at + 1) & (r->places - 1);
    return at;
}

static bool make_places(struct wt_recording *r)
{
    if (r->places > 2 * r->page_count)
        return true;
    const size_t places = r->places ? 2 * r->places : 1024;
    uint32_t *place = calloc(places, sizeof *place);
    if (!place)
        return false;
    free(r->place);
    r->place = place;
    r->places = places;
    for (size_t i = 0; i < r->page_count; i++)
        r->place[place_of(r, r->page[i].addr)] = (uint32_t)i + 1;
    return true;
}

struct page *recording_find(const struct wt_recording *r, uint64_t addr)
{
    const uint32_t number = r->places ? r->place[place_of(r, addr)] : 0;
    return number ? &r->page[number - 1] : NULL;
}

struct page *recording_page(struct wt_recording *r, uint64_t addr, const uint8_t *host)
{
    struct page *known = recording_find(r, addr);
    if (known)
        return known;
    struct page *more = wt_array_grow(r->page, &r->page_capacity, r->page_count + 1, sizeof *more);
    uint8_t *base = NULL;
    if (more)
        r->page = more;
    if (!more || !make_places(r) || !(base = malloc(RECORDING_PAGE)))
        return NULL;
    recording_copy_page(base, host);
    r->page[r->page_count] =
        (struct page){.addr = addr,
                      .base = base,
                      .same = base,
                      .shared = r->ops->is_shared && r->ops->is_shared(r->gpu, addr)};
    r->place[place_of(r, addr)] = (uint32_t)++r->page_count;
    return &r->page[r->page_count - 1];
}

/* The device asks for the page behind code, too, which may not be mapped. */
const uint8_t *recording_copied(void *context, uint64_t addr, const uint8_t *host)
{
    static const uint8_t none[RECORDING_PAGE];
    struct wt_recording *r = context;
    if (!recording_find(r, addr) && !recording_maps(r, addr))
        return none;
    const struct page *page = recording_page(r, addr, host);
    r->failed |= !page;
    return page ? page->base : host;
}

bool recording_shared(void *context, uint64_t addr)
{
    struct wt_recording *r = context;
    const struct page *page = recording_page(r, addr, wt_in_process_page(r->machine, addr));
    return page && page->shared;
}

void recording_forget_pages(struct wt_recording *r)
{
    for (size_t i = 0; i < r->page_count; i++) {
        if (r->page[i].same != r->page[i].base)
            free(r->page[i].same);
        free(r->page[i].base);
    }
    free(r->page);
    free(r->place);
    r->page = NULL;
    r->place = NULL;
    r->page_count = r->page_capacity = r->places = 0;
}

/* The last common state of a page, to be changed; NULL without host memory. */
uint8_t *recording_same(struct wt_recording *r, struct page *page)
{
    if (page->same == page->base) {
        uint8_t *own = malloc(RECORDING_PAGE);
        if (!own) {
            r->failed = true;
            return NULL;
        }
        page->same = memcpy(own, page->base, RECORDING_PAGE);
    }
    return page->same;
}
