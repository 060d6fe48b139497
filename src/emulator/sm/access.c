/* The device's memory: what is mapped, and the TLB's misses. */
#include "emulator/sm/watch.h"

bool sm_mapped(const struct sm_device *d, uint64_t addr, uint64_t size, bool write)
{
    return wt_regions_hold(&d->regions, addr, size, write);
}

enum wt_status sm_device_map(struct sm_device *d, uint64_t addr, uint64_t size, bool writable,
                             struct wt_error *err)
{
    return wt_regions_add(&d->regions, addr, size, writable, err);
}

void sm_device_unmap(struct sm_device *d, uint64_t addr, uint64_t size)
{
    wt_regions_remove(&d->regions, addr, size, WT_IGNORED);
    wt_code_invalidate(&d->code, addr, size);
    wt_tlb_clear(&d->tlb);
}

const uint8_t *sm_tlb_fill_read(struct sm_device *d, uint64_t addr)
{
    if (!wt_regions_at(&d->regions, addr) || sm_watches_page_read(d, addr))
        return NULL;
    return wt_tlb_fill_read(&d->tlb, addr, wt_memory_page(d->memory, addr));
}

static uint8_t *page_for_write(struct sm_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->regions, addr);
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
