/* The device's memory: what is mapped, and the TLB's misses. */
#include "emulator/sm/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The region that holds addr, or NULL. */
static const struct sm_region *region_of(const struct sm_device *d, uint64_t addr)
{
    size_t low = 0, high = d->region_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct sm_region *r = &d->region[middle];
        if (addr - r->addr < r->size)
            return r;
        if (addr < r->addr)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

bool sm_mapped(const struct sm_device *d, uint64_t addr, uint64_t size, bool write)
{
    while (size) {
        const struct sm_region *r = region_of(d, addr);
        if (!r || (write && !r->writable))
            return false;
        const uint64_t room = r->addr + r->size - addr;
        if (room >= size)
            return true;
        addr += room;
        size -= room;
    }
    return true;
}

enum wt_status sm_device_map(struct sm_device *d, uint64_t addr, uint64_t size, bool writable,
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
    while (at < d->region_count && d->region[at].addr < from)
        at++;
    if ((at && d->region[at - 1].addr + d->region[at - 1].size > from) ||
        (at < d->region_count && d->region[at].addr < to))
        return wt_fail(err, WT_INVALID, "0x%llx bytes at 0x%llx: something is mapped there already",
                       (unsigned long long)size, (unsigned long long)addr);
    struct sm_region *grown =
        wt_array_grow(d->region, &d->region_capacity, d->region_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    d->region = grown;
    memmove(&d->region[at + 1], &d->region[at], (d->region_count - at) * sizeof *d->region);
    d->region[at] = (struct sm_region){from, to - from, writable};
    d->region_count++;
    return WT_OK;
}

const uint8_t *sm_tlb_fill_read(struct sm_device *d, uint64_t addr)
{
    if (!region_of(d, addr) || sm_watches_page_read(d, addr))
        return NULL;
    return wt_tlb_fill_read(&d->tlb, addr, wt_memory_page(d->memory, addr));
}

static uint8_t *page_for_write(struct sm_device *d, uint64_t addr)
{
    const struct sm_region *r = region_of(d, addr);
    return r && r->writable ? wt_memory_page_for_write(d->memory, addr) : NULL;
}

uint8_t *sm_tlb_fill_write(struct sm_device *d, uint64_t addr)
{
    if (sm_watches_page_write(d, addr) || wt_code_on_page(&d->code, addr))
        return NULL;
    uint8_t *host = page_for_write(d, addr);
    return host ? wt_tlb_fill_write(&d->tlb, addr, host, !sm_watches_page_read(d, addr), true)
                : NULL;
}

uint8_t *sm_host_for_write(struct sm_device *d, uint64_t addr)
{
    uint8_t *host = page_for_write(d, addr);
    wt_tlb_drop(&d->tlb, addr);
    return host ? host + (addr & WT_PAGE_MASK) : NULL;
}

static bool in_space(uint64_t addr, size_t size)
{
    const uint64_t end = (uint64_t)1 << WT_MEMORY_ADDRESS_BITS;
    return addr < end && size <= end - addr;
}

bool sm_device_read(struct sm_device *d, uint64_t addr, void *out, size_t size)
{
    if (!in_space(addr, size))
        return false;
    wt_memory_read(d->memory, addr, out, size);
    return true;
}

bool sm_device_write(struct sm_device *d, uint64_t addr, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    if (!in_space(addr, size))
        return false;
    while (size) {
        const uint64_t room = WT_PAGE_SIZE - (addr & WT_PAGE_MASK);
        const size_t part = size < room ? size : (size_t)room;
        wt_tlb_drop(&d->tlb, addr);
        if (!wt_memory_is_zero(d->memory, addr, from, part)) {
            if (!wt_memory_write(d->memory, addr, from, part))
                return false;
            wt_code_invalidate(&d->code, addr, part);
        }
        addr += part;
        from += part;
        size -= part;
    }
    return true;
}
