/* A device inside a host process. See host.h. */
#include "emulator/gen/host.h"

#include "emulator/gen/internal.h"

enum wt_status gen_device_new_in_host(const struct gen_config *config, struct gen_device **device,
                                      struct wt_error *err)
{
    enum wt_status status;
    struct wt_memory *memory = wt_memory_new_host();
    if (!memory)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    if ((status = gen_device_new(config, device, err)) != WT_OK) {
        wt_memory_free(memory);
        return status;
    }
    wt_memory_free((*device)->memory);
    (*device)->memory = memory;
    return WT_OK;
}

static void see_nothing(struct gen_device *d)
{
    for (size_t i = 0; i < d->regions.count; i++)
        wt_memory_unalias(d->memory, d->regions.region[i].addr);
    d->regions.count = 0;
    wt_code_clear(&d->code);
    wt_tlb_clear(&d->tlb);
}

enum wt_status gen_device_see(struct gen_device *d, const struct gen_host_pages *pages,
                              size_t count, struct wt_error *err)
{
    see_nothing(d);
    for (size_t i = 0; i < count; i++) {
        const struct gen_host_pages *p = &pages[i];
        /* Most pages have the address that the process has, too. */
        if (wt_regions_add(&d->regions, p->address, p->size, true, err) != WT_OK ||
            (p->address != (uintptr_t)p->host &&
             !wt_memory_alias(d->memory, p->address, p->size, p->host))) {
            see_nothing(d);
            return wt_fail(err, WT_NO_MEMORY, "the pages at 0x%llx cannot be shown to the GPU",
                           (unsigned long long)p->address);
        }
    }
    return WT_OK;
}
