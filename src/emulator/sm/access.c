/* The device's memory: mappings, and misses of the TLB. */
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

struct wt_mapped sm_memory(struct sm_device *d)
{
    return (struct wt_mapped){d->memory, &d->regions, &d->tlb, &d->code};
}

const uint8_t *sm_tlb_fill_read(struct sm_device *d, uint64_t addr)
{
    const struct wt_mapped m = sm_memory(d);
    return sm_watches_page_read(d, addr) ? NULL : wt_mapped_fill_read(&m, addr);
}

static bool is_shared(const struct sm_device *d, uint64_t addr)
{
    return wt_regions_at(&d->regions, addr) && wt_in_process_shares(&d->process, addr);
}

void sm_stored(struct sm_warp *w, uint64_t addr, const uint8_t *bytes, unsigned size, bool atomic)
{
    struct sm_device *d = w->device;
    wt_in_process_stored(&d->process, addr, bytes, size);
    if (!atomic || !wt_in_process_atomic(&d->process, addr))
        return;
    d->machine.event = true;
    wt_end_turn(&d->machine, &w->left);
}

uint8_t *sm_tlb_fill_write(struct sm_device *d, uint64_t addr)
{
    const struct wt_mapped m = sm_memory(d);
    if (sm_watches_page_write(d, addr) || is_shared(d, addr))
        return NULL;
    return wt_mapped_fill_write(&m, addr, !sm_watches_page_read(d, addr));
}

uint8_t *sm_host_for_write(struct sm_device *d, uint64_t addr)
{
    const struct wt_region *r = wt_regions_at(&d->regions, addr);
    uint8_t *page = r && r->writable ? wt_memory_page_for_write(d->memory, addr) : NULL;
    wt_tlb_drop(&d->tlb, addr); /* the page may have moved to a private copy */
    return page ? page + (addr & WT_PAGE_MASK) : NULL;
}

bool sm_device_read(struct sm_device *d, uint64_t addr, void *out, size_t size)
{
    const struct wt_mapped m = sm_memory(d);
    return wt_mapped_read(&m, addr, out, size);
}

bool sm_device_write(struct sm_device *d, uint64_t addr, const void *bytes, size_t size)
{
    const struct wt_mapped m = sm_memory(d);
    return wt_mapped_write(&m, addr, bytes, size);
}
