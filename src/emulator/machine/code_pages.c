/* Decoded code: pages of records. See code_pages.h. */
#include "emulator/machine/code_pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_power_of_two(uint64_t n)
{
    return n && !(n & (n - 1));
}

static void check_format(const struct wt_code_format *f)
{
    assert(is_power_of_two(f->granule) && f->granule >= 2 && f->granule <= 16);
    assert(is_power_of_two(f->bundle) && f->bundle >= f->granule && f->bundle <= 64);
    assert(f->longest >= f->granule && f->longest <= 32 && f->longest % f->granule == 0);
    assert(f->first >= sizeof(struct wt_code_page));
    assert(f->record >= sizeof(wt_code_handler));
    assert(f->tail >= f->longest / f->granule);
    assert(f->undecoded && f->next_page);
}

static size_t records_of(const struct wt_code_format *f)
{
    return WT_PAGE_SIZE / f->granule;
}

static void set_handler(const struct wt_code_format *f, struct wt_code_page *page, size_t index,
                        wt_code_handler handler)
{
    memcpy((uint8_t *)page + f->first + index * f->record, &handler, sizeof handler);
}

/* So is done again whenever a record of the page is forgotten: a family sees that by a record of
 * the tail to which it has given another handler. */
static void set_tail(const struct wt_code_format *f, struct wt_code_page *page)
{
    for (size_t i = 0; i < f->tail; i++)
        set_handler(f, page, records_of(f) + i, f->next_page);
}

/* Forgets the records of [from, to), which lie in the page. */
static void forget(const struct wt_code_format *f, struct wt_code_page *page, uint64_t from,
                   uint64_t to)
{
    assert(from >= page->base && to <= page->base + WT_PAGE_SIZE && from % f->granule == 0);
    for (uint64_t at = from; at < to; at += f->granule)
        set_handler(f, page, (at & WT_PAGE_MASK) / f->granule, f->undecoded);
    set_tail(f, page);
}

void wt_code_init(struct wt_code_cache *code, const struct wt_code_format *format,
                  struct wt_tlb *tlb)
{
    check_format(format);
    assert(tlb);
    *code = (struct wt_code_cache){.format = format, .tlb = tlb};
}

void wt_code_clear(struct wt_code_cache *code)
{
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++) {
        while (code->bucket[i]) {
            struct wt_code_page *page = code->bucket[i];
            code->bucket[i] = page->next;
            wt_code_page_free(page);
        }
    }
}

struct wt_code_page *wt_code_page_new(const struct wt_code_format *format, uint64_t base)
{
    const size_t records = records_of(format);
    struct wt_code_page *page =
        calloc(1, format->first + (records + format->tail) * format->record);
    assert((base & WT_PAGE_MASK) == 0);
    if (!page)
        return NULL;
    page->base = base;
    for (size_t i = 0; i < records; i++)
        set_handler(format, page, i, format->undecoded);
    set_tail(format, page);
    return page;
}

void wt_code_page_free(struct wt_code_page *page)
{
    if (!page)
        return;
    free(page->watched);
    free(page->bytes);
    free(page);
}

/* Bytes from the page's beginning on that its instructions may have. The last one reaches into the
 * next page, where nothing may be mapped. */
static size_t bytes_of(const struct wt_code_format *f)
{
    return WT_PAGE_SIZE + f->longest - f->granule;
}

/* NULL: the page cannot be read, or there is no host memory. */
static uint8_t *read_bytes(const struct wt_code_cache *code, uint64_t base)
{
    const size_t size = bytes_of(code->format);
    uint8_t *bytes = calloc(1, size);
    if (!bytes || !code->read(code->context, base, bytes, WT_PAGE_SIZE)) {
        free(bytes);
        return NULL;
    }
    if (!code->read(code->context, base + WT_PAGE_SIZE, bytes + WT_PAGE_SIZE, size - WT_PAGE_SIZE))
        memset(bytes + WT_PAGE_SIZE, 0, size - WT_PAGE_SIZE);
    return bytes;
}

struct wt_code_page *wt_code_add_page(struct wt_code_cache *code, uint64_t addr)
{
    assert(!wt_code_find(code, addr));
    struct wt_code_page *page = wt_code_page_new(code->format, addr & ~WT_PAGE_MASK);
    if (!page)
        return NULL;
    page->bytes = code->read ? read_bytes(code, page->base) : NULL;
    struct wt_code_page **bucket = &code->bucket[(addr >> WT_PAGE_BITS) % WT_CODE_BUCKETS];
    page->next = *bucket;
    *bucket = page;
    wt_tlb_drop(code->tlb, addr);
    wt_tlb_drop(code->tlb, addr + WT_PAGE_SIZE);
    return page;
}

bool wt_code_on_page(const struct wt_code_cache *code, uint64_t addr)
{
    return wt_code_find(code, addr) || wt_code_find(code, addr - WT_PAGE_SIZE);
}

void wt_code_invalidate(struct wt_code_cache *code, uint64_t addr, uint64_t size)
{
    const struct wt_code_format *f = code->format;
    const uint64_t bundle = addr & ~(uint64_t)(f->bundle - 1), before = f->longest - f->granule;
    /* The longest instruction that holds the first byte begins so far before it. */
    uint64_t at = bundle > before ? bundle - before : 0;
    const uint64_t end = (addr + size + f->bundle - 1) & ~(uint64_t)(f->bundle - 1);
    if (!size)
        return;
    while (at < end) {
        const uint64_t next = (at & ~WT_PAGE_MASK) + WT_PAGE_SIZE, to = next < end ? next : end;
        struct wt_code_page *page = wt_code_find(code, at);
        if (page)
            forget(f, page, at, to);
        at = next;
    }
}

void wt_code_redecode(struct wt_code_cache *code, uint64_t first, uint64_t last)
{
    const uint64_t granule = code->format->granule;
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++) {
        for (struct wt_code_page *page = code->bucket[i]; page; page = page->next) {
            if (page->base > last || page->base + WT_PAGE_MASK < first)
                continue;
            const uint64_t from = first > page->base ? first - page->base : 0;
            const uint64_t to = last - page->base < WT_PAGE_MASK ? last - page->base : WT_PAGE_MASK;
            for (uint64_t at = (from + granule - 1) / granule; at <= to / granule; at++)
                set_handler(code->format, page, at, code->format->undecoded);
            set_tail(code->format, page);
        }
    }
}

bool wt_code_watch(const struct wt_code_cache *code, struct wt_code_page *page, uint64_t addr,
                   wt_code_handler original, const void *what)
{
    const struct wt_code_format *f = code->format;
    assert((addr & ~WT_PAGE_MASK) == page->base && original && what);
    if (!page->watched && !(page->watched = calloc(records_of(f), sizeof *page->watched)))
        return false;
    page->watched[(addr & WT_PAGE_MASK) / f->granule] = (struct wt_code_watched){original, what};
    return true;
}

void wt_code_note_pages(struct wt_code_cache *code, const struct wt_memory *from)
{
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++) {
        for (struct wt_code_page *page = code->bucket[i]; page; page = page->next) {
            page->memory[0] = wt_memory_page(from, page->base);
            page->memory[1] = wt_memory_page(from, page->base + WT_PAGE_SIZE);
        }
    }
}

void wt_code_keep_pages(struct wt_code_cache *code, const struct wt_memory *from)
{
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++) {
        struct wt_code_page **at = &code->bucket[i];
        while (*at) {
            struct wt_code_page *page = *at;
            if (page->memory[0] == wt_memory_page(from, page->base) &&
                page->memory[1] == wt_memory_page(from, page->base + WT_PAGE_SIZE)) {
                at = &page->next;
                continue;
            }
            *at = page->next;
            wt_code_page_free(page);
        }
    }
}

void wt_code_recheck(struct wt_code_cache *code)
{
    for (unsigned i = 0; i < WT_CODE_BUCKETS; i++) {
        struct wt_code_page **at = &code->bucket[i];
        while (*at) {
            struct wt_code_page *page = *at;
            uint8_t *now = page->bytes ? read_bytes(code, page->base) : NULL;
            const bool same = now && !memcmp(now, page->bytes, bytes_of(code->format));
            free(now);
            if (same) {
                at = &page->next;
                continue;
            }
            *at = page->next;
            wt_code_page_free(page);
        }
    }
}
