/* Which addresses a program may use. See regions.h. */
#include "emulator/machine/regions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/memory.h"

static const struct wt_region *region_at(const struct wt_regions *r, uint64_t addr)
{
    WT_BISECT(low, r->count, r->region[middle].addr <= addr);
    const struct wt_region *region = low ? &r->region[low - 1] : NULL;
    return region && addr - region->addr < region->size ? region : NULL;
}

const struct wt_region *wt_regions_at(const struct wt_regions *r, uint64_t addr)
{
    const struct wt_region *region = region_at(r, addr);
    return region || !r->lends || !r->lends(r->context, addr) ? region : region_at(r, addr);
}

bool wt_regions_next(const struct wt_regions *r, uint64_t from, uint64_t *addr, uint64_t *size)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct wt_region *region = &r->region[i];
        if (region->addr + region->size <= from)
            continue;
        *addr = region->addr < from ? from : region->addr;
        *size = region->addr + region->size - *addr;
        return true;
    }
    return false;
}

bool wt_regions_hold(const struct wt_regions *r, uint64_t addr, uint64_t size, bool write)
{
    while (size) {
        const struct wt_region *region = wt_regions_at(r, addr);
        if (!region || (write && !region->writable))
            return false;
        const uint64_t room = region->addr + region->size - addr;
        if (room >= size)
            return true;
        addr += room;
        size -= room;
    }
    return true;
}

enum wt_status wt_regions_add(struct wt_regions *r, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err)
{
    assert(err);
    const uint64_t from = addr & ~WT_PAGE_MASK;
    const uint64_t to = (addr + size + WT_PAGE_MASK) & ~WT_PAGE_MASK;
    if (!size || addr + size < addr || to > (uint64_t)1 << WT_MEMORY_ADDRESS_BITS || to <= from)
        return wt_fail(err, WT_INVALID,
                       "0x%llx bytes at 0x%llx do not fit the address space of 48 bits",
                       (unsigned long long)size, (unsigned long long)addr);
    size_t at = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->region[i].lent && r->region[i].addr < to &&
            from < r->region[i].addr + r->region[i].size) {
            if (wt_regions_remove(r, from, to - from, err) != WT_OK)
                return WT_NO_MEMORY;
            break;
        }
    while (at < r->count && r->region[at].addr < from)
        at++;
    if ((at && r->region[at - 1].addr + r->region[at - 1].size > from) ||
        (at < r->count && r->region[at].addr < to))
        return wt_fail(err, WT_INVALID, "0x%llx bytes at 0x%llx: something is mapped there already",
                       (unsigned long long)size, (unsigned long long)addr);
    struct wt_region *grown = wt_array_grow(r->region, &r->room, r->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    r->region = grown;
    memmove(&grown[at + 1], &grown[at], (r->count - at) * sizeof *grown);
    grown[at] = (struct wt_region){.addr = from, .size = to - from, .writable = writable};
    r->count++;
    return WT_OK;
}

enum wt_status wt_regions_remove(struct wt_regions *r, uint64_t addr, uint64_t size,
                                 struct wt_error *err)
{
    assert(err);
    const uint64_t from = addr & ~WT_PAGE_MASK, to = (addr + size + WT_PAGE_MASK) & ~WT_PAGE_MASK;
    /* Each region leaves at most what lies before and behind; only one can leave both. */
    struct wt_region *left = malloc((r->count + 1) * sizeof *left);
    size_t count = 0;
    if (!left)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    for (size_t i = 0; i < r->count; i++) {
        const struct wt_region *region = &r->region[i];
        const uint64_t end = region->addr + region->size;
        if (end <= from || region->addr >= to) {
            left[count++] = *region;
            continue;
        }
        if (region->addr < from) {
            left[count] = *region;
            left[count++].size = from - region->addr;
        }
        if (end > to) {
            left[count] = *region;
            left[count].addr = to;
            left[count++].size = end - to;
        }
    }
    free(r->region);
    r->region = left;
    r->room = r->count + 1;
    r->count = count;
    return WT_OK;
}

bool wt_regions_lend(struct wt_regions *r, uint64_t addr, uint64_t end, uint64_t around,
                     bool writable)
{
    struct wt_error err;
    for (size_t i = 0; i < r->count; i++) {
        const struct wt_region *region = &r->region[i];
        if (region->addr + region->size <= around && region->addr + region->size > addr)
            addr = region->addr + region->size;
        else if (region->addr > around && region->addr < end)
            end = region->addr;
    }
    if (wt_regions_add(r, addr, end - addr, writable, &err) != WT_OK ||
        !wt_regions_set_grain(r, addr, end - addr, WT_GRAIN_FINE_HOST))
        return false;
    for (size_t i = 0; i < r->count; i++)
        r->region[i].lent |= r->region[i].addr == addr;
    return true;
}

bool wt_regions_take_back(struct wt_regions *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        if (!r->region[i].lent)
            r->region[count++] = r->region[i];
    const bool any = count < r->count;
    r->count = count;
    return any;
}

/* Where a region has pages on both sides of addr, they become two. False: no host memory. */
static bool split(struct wt_regions *r, uint64_t addr)
{
    const struct wt_region *at = region_at(r, addr);
    if (!at || at->addr == addr)
        return true;
    const size_t i = (size_t)(at - r->region);
    struct wt_region *grown = wt_array_grow(r->region, &r->room, r->count + 1, sizeof *grown);
    if (!grown)
        return false;
    r->region = grown;
    memmove(&grown[i + 1], &grown[i], (r->count++ - i) * sizeof *grown);
    grown[i].size = addr - grown[i].addr;
    grown[i + 1].addr = addr;
    grown[i + 1].size -= grown[i].size;
    return true;
}

bool wt_regions_set_grain(struct wt_regions *r, uint64_t addr, uint64_t size, enum wt_grain grain)
{
    const uint64_t from = addr & ~WT_PAGE_MASK, to = (addr + size + WT_PAGE_MASK) & ~WT_PAGE_MASK;
    if (!split(r, from) || !split(r, to))
        return false;
    for (size_t i = 0; i < r->count; i++)
        if (r->region[i].addr >= from && r->region[i].addr < to)
            r->region[i].grain = (uint8_t)grain;
    return true;
}

void wt_regions_check(const struct wt_regions *r)
{
    for (size_t i = 0; i < r->count; i++) {
        assert(r->region[i].size && !((r->region[i].addr | r->region[i].size) & WT_PAGE_MASK));
        assert(!i || r->region[i - 1].addr + r->region[i - 1].size <= r->region[i].addr);
    }
}

void wt_regions_free(struct wt_regions *r)
{
    free(r->region);
    *r = (struct wt_regions){0};
}
