/* The device's memory: mappings, and misses of the TLB. */
#include "emulator/machine/copy.h"
#include "emulator/machine/regions.h"
#include "emulator/sm/watch.h"

bool sm_mapped(const struct sm_device *d, uint64_t addr, uint64_t size, bool write)
{
    return wt_regions_hold(&d->machine.regions, addr, size, write);
}

enum wt_status sm_device_map(struct sm_device *d, uint64_t addr, uint64_t size, bool writable,
                             struct wt_error *err)
{
    return wt_regions_add(&d->machine.regions, addr, size, writable, err);
}

void sm_device_unmap(struct sm_device *d, uint64_t addr, uint64_t size)
{
    wt_regions_remove(&d->machine.regions, addr, size, WT_IGNORED);
    wt_code_invalidate(&d->machine.code, addr, size);
    wt_tlb_clear(&d->machine.tlb);
}

const uint8_t *sm_tlb_fill_read(struct sm_device *d, uint64_t addr)
{
    return sm_watches_page_read(d, addr) ? NULL : wt_mapped_fill_read(&d->machine, addr);
}

void sm_stored(struct sm_warp *w, uint64_t addr, const uint8_t *bytes, unsigned size, bool atomic)
{
    struct sm_device *d = w->device;
    wt_in_process_stored(&d->machine.process, addr, bytes, size);
    if (!atomic || !wt_in_process_atomic(&d->machine.process, addr))
        return;
    d->machine.event = true;
    wt_end_turn(&d->machine, &w->left);
}

uint8_t *sm_tlb_fill_write(struct sm_device *d, uint64_t addr)
{
    if (sm_watches_page_write(d, addr) || wt_mapped_shares(&d->machine, addr))
        return NULL;
    return wt_mapped_fill_write(&d->machine, addr, !sm_watches_page_read(d, addr));
}

uint8_t *sm_host_for_write(struct sm_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->machine.regions, addr);
    uint8_t *page = r && r->writable ? wt_memory_page_for_write(d->machine.memory, addr) : NULL;
    wt_tlb_drop(&d->machine.tlb, addr); /* the page may have moved to a private copy */
    return page ? page + (addr & WT_PAGE_MASK) : NULL;
}

bool sm_device_read(struct sm_device *d, uint64_t addr, void *out, size_t size)
{
    return wt_mapped_read(&d->machine, addr, out, size);
}

bool sm_device_write(struct sm_device *d, uint64_t addr, const void *bytes, size_t size)
{
    return wt_mapped_write(&d->machine, addr, bytes, size);
}
