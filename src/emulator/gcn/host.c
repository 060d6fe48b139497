/* A device inside a host process. See host.h. */
#include "emulator/gcn/watch.h"

#include <stdlib.h>
#include <string.h>

enum wt_status gcn_device_new_in_host(const struct gcn_config *config, struct gcn_device **device,
                                      struct wt_error *err)
{
    struct wt_memory *memory = wt_memory_new_host();
    if (!memory)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    const enum wt_status status = gcn_device_new(config, device, err);
    if (status != WT_OK) {
        wt_memory_free(memory);
        return status;
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
    wt_code_invalidate(&d->code, addr, size);
}

void gcn_device_flush_code(struct gcn_device *d)
{
    wt_code_clear(&d->code);
    wt_tlb_clear(&d->tlb);
}

enum wt_status gcn_device_map_alias(struct gcn_device *d, uint64_t addr, uint64_t size, void *host,
                                    struct wt_error *err)
{
    enum wt_status status;
    if ((status = gcn_device_map(d, addr, size, true, err)) != WT_OK)
        return status;
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

static bool is_wanted(const struct gcn_watch *watch, uint32_t wave)
{
    return (watch->wave >= GCN_EACH_WAVE || watch->wave == wave) && !watch->met[wave];
}

enum wt_run gcn_watch_run(struct gcn_device *d, struct gcn_watch *watch, uint64_t issues,
                          uint32_t *met)
{
    struct wt_machine *m = &d->machine;
    const struct wt_watch place = {.kind = WT_WATCH_EXECUTE, .addr = watch->pc, .size = 1};
    const uint64_t end = m->time + issues;
    enum wt_run why = WT_RUN_BUDGET;
    *met = GCN_ANY_WAVE;
    if (!gcn_set_watches(m, &place, 1)) {
        m->fault = (struct wt_fault){.kind = WT_FAULT_HOST,
                                     .time = m->time,
                                     .text = "the host has no memory left to look out for waves"};
        return WT_RUN_FAULT;
    }
    while (*met == GCN_ANY_WAVE && m->time < end && why == WT_RUN_BUDGET) {
        why = wt_engine_run(m, end - m->time);
        if (why != WT_RUN_WATCH)
            continue;
        why = WT_RUN_BUDGET;
        if (is_wanted(watch, m->hit[0].wave))
            *met = m->hit[0].wave;
    }
    if (*met != GCN_ANY_WAVE && watch->wave == GCN_EACH_WAVE)
        watch->met[*met] = 1;
    gcn_set_watches(m, NULL, 0);
    return why;
}
