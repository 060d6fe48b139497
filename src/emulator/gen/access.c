/* The device's memory: what is mapped, the TLB's misses, and accesses from outside. */
#include "emulator/gen/internal.h"

enum wt_status gen_device_map(struct gen_device *d, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err)
{
    return wt_regions_add(&d->regions, addr, size, writable, err);
}

const uint8_t *gen_tlb_fill_read(struct gen_device *d, uint64_t addr)
{
    if (!wt_regions_at(&d->regions, addr) || gen_watches_page(d, addr, false))
        return NULL;
    return wt_tlb_fill_read(&d->tlb, addr, wt_memory_page(d->memory, addr));
}

uint8_t *gen_tlb_fill_write(struct gen_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->regions, addr);
    if (!r || !r->writable || wt_code_on_page(&d->code, addr) || gen_watches_page(d, addr, true))
        return NULL;
    uint8_t *host = wt_memory_page_for_write(d->memory, addr);
    return host ? wt_tlb_fill_write(&d->tlb, addr, host, !gen_watches_page(d, addr, false), true)
                : NULL;
}

bool gen_read(struct gen_device *d, uint64_t addr, void *out, size_t size)
{
    assert(out || !size);
    if (!wt_regions_hold(&d->regions, addr, size, false))
        return false;
    wt_memory_read(d->memory, addr, out, size);
    return true;
}

bool gen_write(struct gen_device *d, uint64_t addr, const void *bytes, size_t size)
{
    assert(bytes || !size);
    return wt_regions_hold(&d->regions, addr, size, true) && gen_device_write(d, addr, bytes, size);
}

static bool in_space(uint64_t addr, size_t size)
{
    const uint64_t end = (uint64_t)1 << WT_MEMORY_ADDRESS_BITS;
    return addr < end && size <= end - addr;
}

bool gen_device_read(struct gen_device *d, uint64_t addr, void *out, size_t size)
{
    if (!in_space(addr, size))
        return false;
    wt_memory_read(d->memory, addr, out, size);
    return true;
}

bool gen_device_write(struct gen_device *d, uint64_t addr, const void *bytes, size_t size)
{
    if (!in_space(addr, size))
        return false;
    const bool done = wt_memory_write(d->memory, addr, bytes, size);
    /* The pages may have moved to private copies. */
    for (uint64_t page = addr & ~WT_PAGE_MASK; page < addr + size; page += WT_PAGE_SIZE)
        wt_tlb_drop(&d->tlb, page);
    wt_code_invalidate(&d->code, addr, size);
    return done;
}

enum wt_status gen_device_put(struct gen_device *d, uint64_t addr, const void *bytes, size_t size,
                              struct wt_error *err)
{
    assert(err && (bytes || !size));
    const uint8_t *from = bytes;
    char why[128];
    for (size_t done = 0, part; done < size; done += part) {
        const size_t room = (size_t)(WT_PAGE_SIZE - ((addr + done) & WT_PAGE_MASK));
        part = room < size - done ? room : size - done;
        if (wt_memory_is_zero(d->memory, addr + done, from + done, part) ||
            gen_device_write(d, addr + done, from + done, part))
            continue;
        wt_memory_refusal(d->memory, why, sizeof why);
        return wt_fail(err, WT_NO_MEMORY, "%zu bytes at 0x%llx: %s", size, (unsigned long long)addr,
                       why);
    }
    return WT_OK;
}
