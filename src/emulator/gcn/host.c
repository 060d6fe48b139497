/* A device inside a host process. See host.h. */
#include "emulator/gcn/internal.h"

#include <stdlib.h>
#include <string.h>

enum wt_status gcn_device_new_in_host(const struct gcn_config *config, struct gcn_device **device,
                                      struct wt_error *err)
{
    struct wt_memory *memory = wt_memory_new_host();
    if (!memory)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    if (gcn_device_new(config, device, err)) {
        wt_memory_free(memory);
        return err->status;
    }
    wt_memory_free((*device)->memory);
    (*device)->memory = memory;
    (*device)->shared = true;
    return WT_OK;
}

void gcn_device_set_host(struct gcn_device *d, const struct gcn_host *host)
{
    d->host = *host;
}

bool gcn_device_usable(const struct gcn_device *d, uint64_t addr, uint64_t size)
{
    return gcn_mapped(d, addr, size, true);
}

void gcn_device_changed(struct gcn_device *d, uint64_t addr, uint64_t size)
{
    gcn_code_invalidate(d, addr, size);
}

void gcn_device_flush_code(struct gcn_device *d)
{
    gcn_code_clear(d);
    wt_tlb_clear(&d->tlb);
}

enum wt_status gcn_device_map_alias(struct gcn_device *d, uint64_t addr, uint64_t size, void *host,
                                    struct wt_error *err)
{
    if (gcn_device_map(d, addr, size, true, err))
        return err->status;
    if (wt_memory_alias(d->memory, addr, size, host))
        return WT_OK;
    struct wt_error ignored;
    gcn_device_unmap(d, addr, size, &ignored);
    return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

enum wt_status gcn_device_unmap(struct gcn_device *d, uint64_t addr, uint64_t size,
                                struct wt_error *err)
{
    const uint64_t from = addr & ~WT_PAGE_MASK, to = (addr + size + WT_PAGE_MASK) & ~WT_PAGE_MASK;
    /* Each region leaves at most what lies before and behind; only one can leave both. */
    struct gcn_region *left = malloc((d->regions + 1) * sizeof *left);
    size_t count = 0;
    if (!left)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    for (size_t i = 0; i < d->regions; i++) {
        const struct gcn_region *r = &d->region[i];
        const uint64_t end = r->addr + r->size;
        if (end <= from || r->addr >= to) {
            left[count++] = *r;
            continue;
        }
        if (r->addr < from)
            left[count++] = (struct gcn_region){r->addr, from - r->addr, r->writable};
        if (end > to)
            left[count++] = (struct gcn_region){to, end - to, r->writable};
    }
    free(d->region);
    d->region = left;
    d->region_room = d->regions + 1;
    d->regions = count;
    wt_memory_unalias(d->memory, from);
    gcn_device_flush_code(d);
    return WT_OK;
}

bool gcn_device_launched(const struct gcn_device *d, unsigned dispatch)
{
    return !(d->launching >> dispatch & 1);
}

bool gcn_device_take_ended(struct gcn_device *d, unsigned *dispatch)
{
    for (unsigned i = 0; i < GCN_DISPATCHES; i++) {
        if (!d->dispatch[i].ended)
            continue;
        d->dispatch[i].ended = false;
        *dispatch = i;
        return true;
    }
    return false;
}

bool gcn_wave_dispatch(const struct gcn_device *d, uint32_t wave, unsigned *dispatch,
                       uint64_t *entry)
{
    if (wave >= d->machine.waves || !d->wave[wave].active)
        return false;
    *dispatch = d->wave[wave].group->dispatch;
    *entry = d->dispatch[*dispatch].entry;
    return true;
}

/* Whether a kernel begins at pc. */
static bool is_entry(const struct gcn_device *d, uint64_t pc)
{
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (d->dispatch[i].active && d->dispatch[i].entry == pc)
            return true;
    return false;
}

static bool is_there(const struct gcn_device *d, const struct gcn_watch *watch, uint32_t wave)
{
    return (watch->wave >= GCN_EACH_WAVE || watch->wave == wave) && !watch->met[wave] &&
           d->wave[wave].active && d->wave[wave].pc == watch->pc;
}

enum wt_run gcn_watch_run(struct gcn_device *d, struct gcn_watch *watch, uint64_t issues,
                          uint32_t *met)
{
    enum wt_run why = WT_RUN_BUDGET;
    *met = GCN_ANY_WAVE;
    for (uint32_t i = 0; i < d->machine.waves && *met == GCN_ANY_WAVE; i++)
        if (is_there(d, watch, i))
            *met = i;
    /* From now on only the wave that issues can come there, or one that has just been started. */
    while (*met == GCN_ANY_WAVE && issues-- && why == WT_RUN_BUDGET) {
        why = gcn_run(&d->machine, 1);
        if (is_there(d, watch, d->turns.current))
            *met = d->turns.current;
        else if (is_entry(d, watch->pc))
            for (uint32_t i = 0; i < d->machine.waves && *met == GCN_ANY_WAVE; i++)
                if (is_there(d, watch, i))
                    *met = i;
    }
    if (*met != GCN_ANY_WAVE && watch->wave == GCN_EACH_WAVE)
        watch->met[*met] = 1;
    return why;
}
