/* The device's memory: what is mapped, the TLB's misses, and accesses that cross pages. */
#include "emulator/gcn/watch.h"

#include <string.h>

void *gcn_device_pointer(const struct gcn_device *d, uint64_t addr, uint64_t *room)
{
    assert(room);
    const struct wt_region *r = wt_regions_at(&d->regions, addr);
    if (!d->in_place || !r || !r->writable)
        return NULL;
    *room = r->addr + r->size - addr;
    return wt_memory_page_for_write(d->memory, addr) + (addr & WT_PAGE_MASK);
}

bool gcn_mapped(const struct gcn_device *d, uint64_t addr, uint64_t size, bool write)
{
    return wt_regions_hold(&d->regions, addr, size, write);
}

enum wt_status gcn_device_map(struct gcn_device *d, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err)
{
    return wt_regions_add(&d->regions, addr, size, writable, err);
}

const uint8_t *gcn_tlb_fill_read(struct gcn_device *d, uint64_t addr)
{
    if (!wt_regions_at(&d->regions, addr) || gcn_watches_page_read(d, addr))
        return NULL;
    return wt_tlb_fill_read(&d->tlb, addr, wt_memory_page(d->memory, addr));
}

/* The page of addr for writing; NULL as gcn_tlb_fill_write. Its TLB entry is dropped or set after
 * this: the page may have moved to a private copy. */
static uint8_t *page_for_write(struct gcn_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->regions, addr);
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
