/* The device's memory: what is mapped, the TLB's misses, and accesses that cross pages. */
#include "emulator/gcn/watch.h"
#include "emulator/machine/copy.h"
#include "emulator/machine/regions.h"

#include <string.h>

void *gcn_device_pointer(const struct gcn_device *d, uint64_t addr, uint64_t *room)
{
    assert(room);
    const struct wt_region *r = wt_regions_at(&d->machine.regions, addr);
    if (!d->machine.process.memory || !r || !r->writable)
        return NULL;
    *room = r->addr + r->size - addr;
    return wt_memory_page_for_write(d->machine.process.memory, addr) + (addr & WT_PAGE_MASK);
}

bool gcn_mapped(const struct gcn_device *d, uint64_t addr, uint64_t size, bool write)
{
    return wt_regions_hold(&d->machine.regions, addr, size, write);
}

enum wt_status gcn_device_map(struct gcn_device *d, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err)
{
    return wt_regions_add(&d->machine.regions, addr, size, writable, err);
}

const uint8_t *gcn_tlb_fill_read(struct gcn_device *d, uint64_t addr)
{
    return gcn_watches_page_read(d, addr) ? NULL : wt_mapped_fill_read(&d->machine, addr);
}

uint8_t *gcn_tlb_fill_write(struct gcn_device *d, uint64_t addr)
{
    if (gcn_watches_page_write(d, addr) || wt_mapped_shares(&d->machine, addr))
        return NULL;
    return wt_mapped_fill_write(&d->machine, addr, !gcn_watches_page_read(d, addr));
}

uint8_t *gcn_host_for_write(struct gcn_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->machine.regions, addr);
    uint8_t *page = r && r->writable && !wt_code_on_page(&d->machine.code, addr) &&
                            !wt_mapped_shares(&d->machine, addr)
                        ? wt_memory_page_for_write(d->machine.memory, addr)
                        : NULL;
    wt_tlb_drop(&d->machine.tlb, addr); /* the page may have moved to a private copy */
    return page ? page + (addr & WT_PAGE_MASK) : NULL;
}

bool gcn_beside_watch(const struct gcn_device *d, uint64_t addr, uint64_t size)
{
    assert(size && (addr & WT_PAGE_MASK) + size <= WT_PAGE_SIZE);
    return gcn_watching(d) &&
           !wt_watch_set_meets(d->machine.watch, WT_WATCH_ACCESS, WT_SPACE_GLOBAL, addr,
                               addr + size - 1) &&
           !gcn_address_watch_range(d, addr, addr + size - 1);
}

const uint8_t *gcn_readable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size)
{
    return gcn_beside_watch(d, addr, size) && wt_regions_at(&d->machine.regions, addr)
               ? wt_memory_page(d->machine.memory, addr) + (addr & WT_PAGE_MASK)
               : NULL;
}

uint8_t *gcn_writable_beside_watch(struct gcn_device *d, uint64_t addr, uint64_t size)
{
    return gcn_beside_watch(d, addr, size) ? gcn_host_for_write(d, addr) : NULL;
}

bool gcn_read(struct gcn_device *d, uint64_t addr, void *out, size_t size)
{
    assert(out || !size);
    if (!gcn_mapped(d, addr, size, false))
        return false;
    wt_memory_read(d->machine.memory, addr, out, size);
    return true;
}

bool gcn_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    assert(bytes || !size);
    if (!gcn_mapped(d, addr, size, true) || !gcn_device_write(d, addr, bytes, size))
        return false;
    wt_in_process_stored(&d->machine.process, addr, bytes, size);
    return true;
}

bool gcn_is_there(const struct gcn_device *d, uint64_t addr, size_t size)
{
    return gcn_mapped(d, addr, size, false);
}

bool gcn_device_read(struct gcn_device *d, uint64_t addr, void *out, size_t size)
{
    return gcn_is_there(d, addr, size) && wt_mapped_read(&d->machine, addr, out, size);
}

bool gcn_device_write(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size)
{
    return gcn_is_there(d, addr, size) && wt_mapped_write(&d->machine, addr, bytes, size);
}

enum wt_status gcn_device_put(struct gcn_device *d, uint64_t addr, const void *bytes, size_t size,
                              struct wt_error *err)
{
    assert(!d->machine.process.memory);
    return wt_mapped_put(&d->machine, addr, bytes, size, err);
}
