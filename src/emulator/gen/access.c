/* The device's memory: what is mapped, the TLB's misses, and accesses from outside. */
#include "emulator/gen/internal.h"

enum wt_status gen_device_map(struct gen_device *d, uint64_t addr, uint64_t size, bool writable,
                              struct wt_error *err)
{
    return wt_regions_add(&d->regions, addr, size, writable, err);
}

struct wt_mapped gen_memory(struct gen_device *d)
{
    return (struct wt_mapped){d->memory, &d->regions, &d->tlb, &d->code};
}

const uint8_t *gen_tlb_fill_read(struct gen_device *d, uint64_t addr)
{
    const struct wt_mapped m = gen_memory(d);
    return gen_watches_page(d, addr, false) ? NULL : wt_mapped_fill_read(&m, addr);
}

uint8_t *gen_tlb_fill_write(struct gen_device *d, uint64_t addr)
{
    const struct wt_mapped m = gen_memory(d);
    if (gen_watches_page(d, addr, true))
        return NULL;
    return wt_mapped_fill_write(&m, addr, !gen_watches_page(d, addr, false));
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

bool gen_device_read(struct gen_device *d, uint64_t addr, void *out, size_t size)
{
    const struct wt_mapped m = gen_memory(d);
    return wt_mapped_read(&m, addr, out, size);
}

bool gen_device_write(struct gen_device *d, uint64_t addr, const void *bytes, size_t size)
{
    const struct wt_mapped m = gen_memory(d);
    return wt_mapped_write(&m, addr, bytes, size);
}

enum wt_status gen_device_put(struct gen_device *d, uint64_t addr, const void *bytes, size_t size,
                              struct wt_error *err)
{
    const struct wt_mapped m = gen_memory(d);
    return wt_mapped_put(&m, addr, bytes, size, err);
}
