/* A device inside a host process. See host.h. */
#include "emulator/gcn/watch.h"
#include "emulator/machine/regions.h"

#include <stdlib.h>
#include <string.h>

/* ---- the driver's part ---- */

enum {
    TTMP11_FROM_IB_STS = 0xfc000000u, /* FIRST_REPLAY and RCNT, which are 0 here */
    TTMP11_DEBUG_TRAP = 1 << 23,      /* a debugger is attached */
    STATUS_SPI_PRIO = 3 << 1,
    STATUS_ECC_ERR = 1 << 17,
};

static void ignore_interrupt(void *context, struct gcn_device *device, uint32_t wave, uint32_t data)
{
}

static void come_back_launched(void *context, struct gcn_device *device, unsigned dispatch)
{
    gcn_device_come_back(device);
}

static void come_back_done(void *context, struct gcn_device *device, unsigned dispatch,
                           uint64_t completion)
{
    gcn_device_come_back(device);
}

static void come_back_halted(void *context, struct gcn_device *device, uint32_t wave)
{
    gcn_device_come_back(device);
}

static bool take_page_fault(void *context, struct gcn_device *device, const struct wt_fault *fault)
{
    return true;
}

/* Leaves for the runtime's handler what the driver's handler leaves: STATUS, from which the
 * runtime's restores it in the end, without the bits that the hardware must keep; no debugger; the
 * addresses of the runtime's handler. */
static void leave_for_second_level(void *context, struct gcn_device *device,
                                   const struct gcn_trap *trap)
{
    trap->ttmp[12] = trap->status & ~(uint32_t)(STATUS_SPI_PRIO | STATUS_ECC_ERR);
    trap->ttmp[gcn_model_of(device)->private_registers ? 13 : 11] &=
        ~(uint32_t)(TTMP11_FROM_IB_STS | TTMP11_DEBUG_TRAP);
    gcn_set_pair(&trap->ttmp[2], trap->tba);
    gcn_set_pair(&trap->ttmp[14], trap->tma);
}

const struct gcn_host gcn_driver = {
    .interrupt = ignore_interrupt,
    .launched = come_back_launched,
    .dispatch_done = come_back_done,
    .wave_halted = come_back_halted,
    .page_fault = take_page_fault,
    .first_level_trap = leave_for_second_level,
};

void gcn_device_come_back(struct gcn_device *device)
{
    device->machine.event = true;
}

static void come_back_interrupt(void *context, struct gcn_device *device, uint32_t wave,
                                uint32_t data)
{
    gcn_device_come_back(device);
}

const struct gcn_host gcn_recorded_driver = {
    .interrupt = come_back_interrupt,
    .launched = come_back_launched,
    .dispatch_done = come_back_done,
    .wave_halted = come_back_halted,
    .page_fault = take_page_fault,
    .first_level_trap = leave_for_second_level,
};

/* ---- no driver: the device by itself ---- */

static void nobody_launched(void *context, struct gcn_device *device, unsigned dispatch)
{
}

/* The completion signal, if there is one, counts down. (amd_signal_t has the value behind its
 * kind.) A signal that is not mapped is as none. */
static void count_down(void *context, struct gcn_device *d, unsigned dispatch, uint64_t completion)
{
    uint8_t value[8];
    const uint64_t at = completion + 8;
    if (!completion || !gcn_mapped(d, at, sizeof value, true) ||
        !gcn_read(d, at, value, sizeof value))
        return;
    wt_store_le(value, wt_load_le(value, sizeof value) - 1, sizeof value);
    gcn_write(d, at, value, sizeof value);
}

static void nobody_halted(void *context, struct gcn_device *device, uint32_t wave)
{
}

static bool leave_page_fault(void *context, struct gcn_device *device, const struct wt_fault *fault)
{
    return false;
}

static void no_first_level(void *context, struct gcn_device *device, const struct gcn_trap *trap)
{
}

const struct gcn_host gcn_no_driver = {
    .interrupt = ignore_interrupt,
    .launched = nobody_launched,
    .dispatch_done = count_down,
    .wave_halted = nobody_halted,
    .page_fault = leave_page_fault,
    .first_level_trap = no_first_level,
};

/* ---- making ---- */

enum wt_status gcn_device_new_in_host(const struct gcn_config *config, const struct gcn_host *host,
                                      struct gcn_device **device, struct wt_error *err)
{
    enum wt_status status;
    assert(host->interrupt && host->launched && host->dispatch_done && host->wave_halted &&
           host->page_fault && host->first_level_trap);
    if ((status = gcn_device_new(config, device, err)) ||
        (status = wt_in_process_begin(&(*device)->machine, err)))
        return status;
    (*device)->host = host;
    return WT_OK;
}

bool gcn_device_saves_at(const struct gcn_device *d, uint64_t addr)
{
    uint64_t room;
    return gcn_kfd_area_at(d, addr, &room) != NULL;
}

void gcn_device_changed(struct gcn_device *d, uint64_t addr, uint64_t size)
{
    wt_code_invalidate(&d->machine.code, addr, size);
}

void gcn_device_flush_code(struct gcn_device *d)
{
    wt_machine_forget_code(&d->machine);
}

enum wt_status gcn_device_map_alias(struct gcn_device *d, uint64_t addr, uint64_t size, void *host,
                                    struct wt_error *err)
{
    assert(d->machine.process.memory && host && err);
    enum wt_status status;
    if ((status = gcn_device_map(d, addr, size, true, err)) != WT_OK)
        return status;
    if (wt_memory_alias(d->machine.process.memory, addr, size, host))
        return WT_OK;
    struct wt_error ignored;
    gcn_device_unmap(d, addr, size, &ignored);
    return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
}

/* Whether instructions of these pages may be decoded. */
static bool has_code(const struct gcn_device *d, uint64_t addr, uint64_t end)
{
    enum { MOST = 1 << 20 }; /* bytes that are looked through */
    bool has = end - addr > MOST;
    for (; addr < end && !has; addr += WT_PAGE_SIZE)
        has = wt_code_on_page(&d->machine.code, addr);
    return has;
}

bool gcn_device_set_grain(struct gcn_device *d, uint64_t addr, uint64_t size, bool fine,
                          bool of_host)
{
    return wt_regions_set_grain(&d->machine.regions, addr, size,
                                !fine     ? WT_GRAIN_COARSE
                                : of_host ? WT_GRAIN_FINE_HOST
                                          : WT_GRAIN_FINE);
}

void gcn_device_set_lender(struct gcn_device *d, bool (*lends)(void *context, uint64_t addr),
                           void *context)
{
    gcn_device_take_back(d);
    d->machine.regions.lends = lends;
    d->machine.regions.context = context;
}

bool gcn_device_lend(struct gcn_device *d, uint64_t addr, uint64_t end, uint64_t at, bool writable)
{
    return wt_regions_lend(&d->machine.regions, addr, end, at, writable);
}

void gcn_device_take_back(struct gcn_device *d)
{
    if (wt_regions_take_back(&d->machine.regions))
        wt_tlb_clear(&d->machine.tlb);
}

enum wt_status gcn_device_unmap(struct gcn_device *d, uint64_t addr, uint64_t size,
                                struct wt_error *err)
{
    assert(err);
    enum wt_status status;
    if ((status = wt_regions_remove(&d->machine.regions, addr, size, err)) != WT_OK)
        return status;
    wt_memory_unalias(d->machine.process.memory, addr & ~WT_PAGE_MASK);
    /* Runtimes unmap memory of data for each launch. */
    if (has_code(d, addr & ~WT_PAGE_MASK, addr + size))
        gcn_device_flush_code(d);
    else
        wt_tlb_clear(&d->machine.tlb);
    return WT_OK;
}

bool gcn_device_launched(const struct gcn_device *d, unsigned dispatch)
{
    assert(dispatch < GCN_DISPATCHES);
    return !(d->launching >> dispatch & 1);
}

void gcn_device_progress(const struct gcn_device *d, unsigned dispatch, struct gcn_progress *p)
{
    assert(dispatch < GCN_DISPATCHES && p);
    const struct gcn_dispatch *k = &d->dispatch[dispatch];
    *p = (struct gcn_progress){
        .entry = k->entry, .begun = k->next, .done = k->done, .total = k->total};
}

bool gcn_wave_dispatch(const struct gcn_device *d, uint32_t wave, unsigned *dispatch,
                       uint64_t *entry)
{
    if (wave >= d->machine.waves || !d->wave[wave].active)
        return false;
    *dispatch = d->wave[wave].group->launch;
    *entry = d->dispatch[*dispatch].entry;
    return true;
}

void gcn_wave_leave_handler(struct gcn_device *d, uint32_t wave, uint64_t pc)
{
    assert(wave < d->machine.waves && d->wave[wave].status & GCN_STATUS_HALT);
    d->wave[wave].pc = pc;
    d->wave[wave].status &= ~(uint32_t)GCN_STATUS_PRIV;
}

static bool is_wanted(const struct gcn_watch *watch, uint32_t wave)
{
    return (watch->wave >= GCN_EACH_WAVE || watch->wave == wave) && !watch->met[wave];
}

enum wt_run gcn_watch_run(struct gcn_device *d, struct gcn_watch *watch, uint64_t issues,
                          uint32_t *met)
{
    assert(watch && met);
    struct wt_machine *m = &d->machine;
    const struct wt_watch place = {.kind = WT_WATCH_EXECUTE, .addr = watch->pc, .size = 1};
    const uint64_t end = m->time + issues;
    enum wt_run why = WT_RUN_BUDGET;
    *met = GCN_ANY_WAVE;
    if (!wt_set_watches(m, &place, 1)) {
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
    wt_set_watches(m, NULL, 0);
    return why;
}
