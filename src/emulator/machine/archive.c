/* A machine's state as bytes. See archive.h. */
#include "emulator/machine/archive.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/check.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/regions.h"

void wt_archive_fail(struct wt_archive *a, const char *format, ...)
{
    va_list arguments;
    if (a->failed)
        return;
    a->failed = true;
    va_start(arguments, format);
    vsnprintf(a->why, sizeof a->why, format, arguments);
    va_end(arguments);
}

static void save(struct wt_archive *a, const void *bytes, size_t size)
{
    uint8_t *grown = wt_array_grow(a->bytes, &a->room, a->size + size, 1);
    if (!grown) {
        a->failed = true;
        return;
    }
    a->bytes = grown;
    memcpy(grown + a->size, bytes, size);
    a->size += size;
}

void wt_archive_bytes(struct wt_archive *a, void *bytes, size_t size)
{
    if (size == 0) /* bytes may be NULL, which neither fwrite nor memcpy takes */
        return;
    if (a->out) {
        fwrite(bytes, 1, size, a->out); /* whoever opened it looks at ferror() */
        return;
    }
    if (a->saves) {
        save(a, bytes, size);
        return;
    }
    if (!a->failed && size > a->left)
        wt_archive_fail(a, "it ends in the middle of a state");
    if (a->failed) {
        memset(bytes, 0, size);
        return;
    }
    memcpy(bytes, a->in, size);
    a->in += size;
    a->left -= size;
}

bool wt_archive_slot(struct wt_archive *a, void *bytes, size_t size, void *own, bool used)
{
    void *mine;
    if (!a->snapshot)
        return false;
    wt_archive_bool(a, &used);
    if (!used)
        return false;
    memcpy(&mine, own, sizeof mine);
    wt_archive_bytes(a, bytes, size);
    memcpy(own, &mine, sizeof mine);
    return true;
}

struct wt_kept_copy {
    uint64_t *counted; /* where its host memory is counted */
    size_t refs, size;
    uint8_t bytes[];
};

void wt_kept_drop(struct wt_kept_copy *copy)
{
    if (!copy || --copy->refs)
        return;
    *copy->counted -= sizeof *copy + copy->size;
    free(copy);
}

/* The bytes have the copy, which may be NULL, from now on. */
static void keep(struct wt_kept *kept, struct wt_kept_copy *copy)
{
    if (copy)
        copy->refs++;
    wt_kept_drop(kept->copy);
    *kept = (struct wt_kept){.copy = copy};
}

static void save_kept(struct wt_archive *a, struct wt_kept *kept, const void *bytes, size_t size)
{
    struct wt_kept_copy **list =
        wt_array_grow(a->kept, &a->kept_room, a->kept_count + 1, sizeof *list);
    struct wt_kept_copy *copy = kept->copy;
    a->kept = list ? list : a->kept;
    if (list && (!copy || kept->changed)) {
        if ((copy = malloc(sizeof *copy + size))) {
            *copy = (struct wt_kept_copy){.counted = a->kept_bytes, .size = size};
            memcpy(copy->bytes, bytes, size);
            *copy->counted += sizeof *copy + size;
            keep(kept, copy);
        }
    }
    if (!list || !copy) {
        a->failed = true;
        return;
    }
    WT_CHECK(memcmp(copy->bytes, bytes, size) == 0);
    copy->refs++;
    a->kept[a->kept_count++] = copy;
}

void wt_archive_kept(struct wt_archive *a, struct wt_kept *kept, void *bytes, size_t size)
{
    assert(a->snapshot);
    if (a->saves) {
        save_kept(a, kept, bytes, size);
        return;
    }
    struct wt_kept_copy *copy = a->kept[a->kept_count++];
    assert(copy->size == size);
    if (copy == kept->copy && !kept->changed)
        return;
    memcpy(bytes, copy->bytes, size);
    keep(kept, copy);
}

void wt_archive_sparse(struct wt_archive *a, void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    /* All are zero if the first is, and each is equal to the one before it. */
    bool there = !wt_archive_reads(a) && size && (b[0] || memcmp(b, b + 1, size - 1) != 0);
    wt_archive_bool(a, &there);
    if (there)
        wt_archive_bytes(a, bytes, size);
    else if (wt_archive_reads(a) && size)
        memset(bytes, 0, size);
}

void wt_archive_u64(struct wt_archive *a, uint64_t *value, uint64_t most, const char *what)
{
    assert(wt_archive_reads(a) || *value <= most);
    wt_archive_bytes(a, value, sizeof *value);
    if (*value > most) {
        wt_archive_fail(a, "%s is %" PRIu64 ", and %" PRIu64 " is the most", what, *value, most);
        *value = 0;
    }
}

void wt_archive_u32(struct wt_archive *a, uint32_t *value, uint32_t most, const char *what)
{
    assert(wt_archive_reads(a) || *value <= most);
    wt_archive_bytes(a, value, sizeof *value);
    if (*value > most) {
        wt_archive_fail(a, "%s is %" PRIu32 ", and %" PRIu32 " is the most", what, *value, most);
        *value = 0;
    }
}

void wt_archive_u16(struct wt_archive *a, uint16_t *value, uint16_t most, const char *what)
{
    uint32_t wide = *value;
    wt_archive_u32(a, &wide, most, what);
    *value = (uint16_t)wide;
}

void wt_archive_u8(struct wt_archive *a, uint8_t *value, uint8_t most, const char *what)
{
    uint32_t wide = *value;
    wt_archive_u32(a, &wide, most, what);
    *value = (uint8_t)wide;
}

void wt_archive_bool(struct wt_archive *a, bool *value)
{
    uint8_t byte = *value;
    wt_archive_bytes(a, &byte, 1);
    if (byte > 1)
        wt_archive_fail(a, "a flag is %u", byte);
    *value = byte == 1;
}

void wt_archive_lanes(struct wt_archive *a, wt_lanes *lanes, wt_lanes all)
{
    uint64_t low = (uint64_t)*lanes, high = (uint64_t)(*lanes >> 64);
    wt_archive_bytes(a, &low, sizeof low);
    wt_archive_bytes(a, &high, sizeof high);
    *lanes = (wt_lanes)high << 64 | low;
    if (*lanes & ~all) {
        wt_archive_fail(a, "a mask has lanes that there are not");
        *lanes = 0;
    }
}

void wt_archive_text(struct wt_archive *a, char *text, size_t size)
{
    uint32_t length = wt_archive_reads(a) ? 0 : (uint32_t)strnlen(text, size - 1);
    wt_archive_u32(a, &length, (uint32_t)size - 1, "the length of a text");
    wt_archive_bytes(a, text, length);
    text[length] = 0;
    for (uint32_t i = 0; wt_archive_reads(a) && i < length; i++)
        if ((uint8_t)text[i] < ' ' || text[i] == 0x7f)
            text[i] = '?';
}

/* ---- memory ---- */

struct page_writer {
    struct wt_archive *archive;
    uint64_t pages; /* written, or to be written */
    bool count;     /* only counts */
};

static void write_page(void *context, uint64_t addr, const uint8_t *bytes)
{
    static const uint8_t zeros[WT_PAGE_SIZE];
    struct page_writer *w = context;
    if (memcmp(bytes, zeros, WT_PAGE_SIZE) == 0)
        return;
    w->pages++;
    if (w->count)
        return;
    wt_archive_bytes(w->archive, &addr, sizeof addr);
    wt_archive_bytes(w->archive, (void *)(uintptr_t)bytes, WT_PAGE_SIZE);
}

static void read_pages(struct wt_archive *a, struct wt_memory *memory, uint64_t pages)
{
    uint64_t next = 0;
    wt_memory_clear(memory);
    for (uint64_t i = 0; i < pages && !a->failed; i++) {
        uint64_t addr = 0;
        wt_archive_u64(a, &addr, ((uint64_t)1 << WT_MEMORY_ADDRESS_BITS) - WT_PAGE_SIZE,
                       "the address of a page");
        if (addr & WT_PAGE_MASK || addr < next)
            wt_archive_fail(a, "the pages of memory are not in order");
        uint8_t *page = a->failed ? NULL : wt_memory_page_for_write(memory, addr);
        if (!page && !a->failed)
            wt_memory_refusal(memory, a->why, sizeof a->why), a->failed = true;
        if (page)
            wt_archive_bytes(a, page, WT_PAGE_SIZE);
        next = addr + WT_PAGE_SIZE;
    }
}

void wt_archive_memory(struct wt_archive *a, struct wt_memory *memory)
{
    struct page_writer writer = {.archive = a, .count = true};
    if (a->snapshot)
        return;
    if (!wt_archive_reads(a))
        wt_memory_each(memory, write_page, &writer);
    wt_archive_u64(a, &writer.pages, UINT64_MAX / (2 * WT_PAGE_SIZE), "the number of pages");
    writer.count = false;
    if (wt_archive_reads(a))
        read_pages(a, memory, writer.pages);
    else
        wt_memory_each(memory, write_page, &writer);
}

/* ---- memory of others ---- */

#define READ_BYTES ((size_t)64 * WT_PAGE_SIZE)

/* The pages to be written. */
struct pages {
    uint64_t *addr;
    size_t count, capacity;
};

static bool note_page(struct pages *pages, uint64_t addr)
{
    uint64_t *grown = wt_array_grow(pages->addr, &pages->capacity, pages->count + 1, sizeof *grown);
    if (!grown)
        return false;
    pages->addr = grown;
    grown[pages->count++] = addr;
    return true;
}

static bool find_pages(struct pages *pages, const struct wt_region *r, uint8_t *bytes,
                       bool (*read)(void *context, uint64_t addr, uint8_t *bytes, size_t size),
                       void *context)
{
    static const uint8_t zeros[WT_PAGE_SIZE];
    for (uint64_t done = 0; done < r->size; done += READ_BYTES) {
        const size_t size =
            r->size - done < READ_BYTES ? (size_t)(r->size - done) : (size_t)READ_BYTES;
        const bool whole = read(context, r->addr + done, bytes, size);
        for (size_t at = 0; at < size; at += WT_PAGE_SIZE)
            if ((whole || read(context, r->addr + done + at, bytes + at, WT_PAGE_SIZE)) &&
                memcmp(bytes + at, zeros, WT_PAGE_SIZE) != 0 &&
                !note_page(pages, r->addr + done + at))
                return false;
    }
    return true;
}

bool wt_archive_ranges(struct wt_archive *a, const struct wt_region *region, size_t count,
                       bool (*read)(void *context, uint64_t addr, uint8_t *bytes, size_t size),
                       void *context)
{
    struct pages pages = {0};
    uint8_t *bytes = malloc(READ_BYTES);
    bool good = bytes;
    assert(!wt_archive_reads(a));
    for (size_t i = 0; i < count && good; i++)
        good = find_pages(&pages, &region[i], bytes, read, context);
    uint64_t number = pages.count;
    if (good)
        wt_archive_u64(a, &number, UINT64_MAX, "the number of pages");
    for (size_t i = 0; i < pages.count && good; i++) {
        if (!read(context, pages.addr[i], bytes, WT_PAGE_SIZE)) /* it has just been given back */
            memset(bytes, 0, WT_PAGE_SIZE);
        wt_archive_bytes(a, &pages.addr[i], sizeof *pages.addr);
        wt_archive_bytes(a, bytes, WT_PAGE_SIZE);
    }
    free(pages.addr);
    free(bytes);
    return good;
}
