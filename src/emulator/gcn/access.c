/* The device's memory: what is mapped, the TLB's misses, and accesses that cross pages. */
#include "emulator/gcn/watch.h"

#include <stdlib.h>
#include <string.h>

/* The region that holds addr, or NULL. */
static const struct gcn_region *region_of(const struct gcn_device *d, uint64_t addr)
{
    size_t low = 0, high = d->regions;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct gcn_region *r = &d->region[middle];
        if (addr - r->addr < r->size)
            return r;
        if (addr < r->addr)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void *gcn_device_pointer(const struct gcn_device *d, uint64_t addr, uint64_t *room)
{
    assert(room);
    const struct gcn_region *r = region_of(d, addr);
    if (!d->in_place || !r || !r->writable)
        return NULL;
    *room = r->addr + r->size - addr;
    return wt_memory_page_for_write(d->memory, addr) + (addr & WT_PAGE_MASK);
}

bool gcn_mapped(const struct gcn_device *d, uint64_t addr, uint64_t size, bool write)
{
    while (size) {
        const struct gcn_region *r = region_of(d, addr);
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

enum wt_status gcn_device_map(struct gcn_device *d, uint64_t addr, uint64_t size, bool writable,
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
    while (at < d->regions && d->region[at].addr < from)
        at++;
    if ((at && d->region[at - 1].addr + d->region[at - 1].size > from) ||
        (at < d->regions && d->region[at].addr < to))
        return wt_fail(err, WT_INVALID, "0x%llx bytes at 0x%llx: something is mapped there already",
                       (unsigned long long)size, (unsigned long long)addr);
    if (d->regions == d->region_room) {
        const size_t room = d->region_room ? 2 * d->region_room : 16;
        struct gcn_region *grown = realloc(d->region, room * sizeof *grown);
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
        d->region = grown;
        d->region_room = room;
    }
    memmove(&d->region[at + 1], &d->region[at], (d->regions - at) * sizeof *d->region);
    d->region[at] = (struct gcn_region){from, to - from, writable};
    d->regions++;
    return WT_OK;
}

const uint8_t *gcn_tlb_fill_read(struct gcn_device *d, uint64_t addr)
{
    if (!region_of(d, addr) || gcn_watches_page_read(d, addr))
        return NULL;
    return wt_tlb_fill_read(&d->tlb, addr, wt_memory_page(d->memory, addr));
}

/* The page of addr for writing; NULL as gcn_tlb_fill_write. Its TLB entry is dropped or set after
 * this: the page may have moved to a private copy. */
static uint8_t *page_for_write(struct gcn_device *d, uint64_t addr)
{
    const struct gcn_region *r = region_of(d, addr);
    if (!r || !r->writable || wt_code_on_page(&d->code, addr))
        return NULL;
    return wt_memory_page_for_write(d->memory, addr);
}

uint8_t *gcn_tlb_fill_write(struct gcn_device *d, uint64_t addr)
{
    uint8_t *host = gcn_watches_page_write(d, addr) ? NULL : page_for_write(d, addr);
    return host ? wt_tlb_fill_write(&d->tlb, addr, host, !gcn_watches_page_read(d, addr), true)
                : NULL;
}

uint8_t *gcn_host_for_write(struct gcn_device *d, uint64_t addr)
{
    uint8_t *host = page_for_write(d, addr);
    wt_tlb_drop(&d->tlb, addr);
    return host ? host + (addr & WT_PAGE_MASK) : NULL;
}

bool gcn_read(struct gcn_device *d, uint64_t addr, void *out, size_t size)
{
    assert(out || !size);
    if (!gcn_mapped(d, addr, size, false))
        return false;
    wt_memory_read(d->memory, addr, out, size);
    return true;
}

bool gcn_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    assert(bytes || !size);
    return gcn_mapped(d, addr, size, true) && gcn_device_write(d, addr, bytes, size);
}

static bool in_space(uint64_t addr, size_t size)
{
    const uint64_t end = (uint64_t)1 << WT_MEMORY_ADDRESS_BITS;
    return addr < end && size <= end - addr;
}

bool gcn_device_read(struct gcn_device *d, uint64_t addr, void *out, size_t size)
{
    if (!in_space(addr, size))
        return false;
    if (d->in_place && !gcn_mapped(d, addr, size, false))
        return false;
    wt_memory_read(d->memory, addr, out, size);
    return true;
}

bool gcn_device_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    if (!in_space(addr, size))
        return false;
    if (d->in_place && !gcn_mapped(d, addr, size, false))
        return false;
    const bool done = wt_memory_write(d->memory, addr, bytes, size);
    /* The pages may have moved to private copies. */
    for (uint64_t page = addr & ~WT_PAGE_MASK; page < addr + size; page += WT_PAGE_SIZE)
        wt_tlb_drop(&d->tlb, page);
    wt_code_invalidate(&d->code, addr, size);
    return done;
}

enum wt_status gcn_device_put(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size,
                              struct wt_error *err)
{
    assert(err && (bytes || !size));
    const uint8_t *from = bytes;
    char why[128];
    for (size_t done = 0, part; done < size; done += part) {
        const size_t room = (size_t)(WT_PAGE_SIZE - ((addr + done) & WT_PAGE_MASK));
        part = room < size - done ? room : size - done;
        if (wt_memory_is_zero(d->memory, addr + done, from + done, part) ||
            gcn_device_write(d, addr + done, from + done, part))
            continue;
        wt_memory_refusal(d->memory, why, sizeof why);
        return wt_fail(err, WT_NO_MEMORY, "%zu bytes at 0x%llx: %s", size, (unsigned long long)addr,
                       why);
    }
    return WT_OK;
}
