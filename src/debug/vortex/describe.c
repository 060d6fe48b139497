/*
 * Describes the device of a Debug Module (VxDebug specification, PLATFORM): its shape, and what
 * only a warp can tell, which is halted for it: XLEN, extensions, threads a warp.
 */
#include "debug/vortex/dm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum wt_status vortex_wake(struct wt_probe *p, bool *slept, struct wt_error *err)
{
    uint32_t dctrl;
    enum wt_status status = wt_bus_read(p->bus, DM_DCTRL, &dctrl, err);
    if (status)
        return status;
    if (slept)
        *slept = !(dctrl & DCTRL_DMACTIVE);
    if (dctrl & DCTRL_NDMRESET &&
        (status = dm_wait_clear(p, DCTRL_NDMRESET, "the end of a reset (DCTRL.ndmreset)", err)))
        return status;
    struct dm_wait wait;
    dm_wait_begin(p, &wait);
    while (!(dctrl & DCTRL_DMACTIVE)) {
        dm_begin(p);
        dm_put(p, DM_DCTRL, DCTRL_DMACTIVE);
        size_t at = dm_get(p, DM_DCTRL);
        if ((status = dm_run(p, err)))
            return status;
        dctrl = dm_got(p, at);
        if (!(dctrl & DCTRL_DMACTIVE) && !dm_wait_more(&wait))
            return wt_fail(err, WT_TIMEOUT,
                           "the Debug Module does not wake up: DCTRL.dmactive stays 0 (reads "
                           "0x%08x)",
                           (unsigned)dctrl);
    }
    return WT_OK;
}

enum wt_status vortex_read_platform(struct wt_probe *p, struct wt_error *err)
{
    uint32_t platform;
    dm_begin(p);
    size_t platform_at = dm_get(p, DM_PLATFORM), dconfig_at = dm_get(p, DM_DCONFIG);
    enum wt_status status = dm_run(p, err);
    if (status)
        return status;
    p->platform = platform = dm_got(p, platform_at);
    p->dconfig = dm_got(p, dconfig_at);
    if (wt_field(platform, 31, 28) != 1)
        return wt_fail(
            err, WT_INVALID,
            "this is not a Vortex Debug Module: PLATFORM reads 0x%08x, its platformid is "
            "%u, not 1",
            (unsigned)platform, (unsigned)wt_field(platform, 31, 28));
    struct wt_topology *t = &p->topology;
    t->clusters = wt_field(platform, 27, 21);
    unsigned cores = wt_field(platform, 20, 12);
    t->waves_per_core = wt_field(platform, 11, 3);
    t->lanes = 1u << wt_field(platform, 2, 0);
    uint64_t cores_in_all = (uint64_t)t->clusters * cores;
    uint64_t waves = cores_in_all * t->waves_per_core;
    if (p->link->gpu_count && (status = vortex_add_gpus(p, &cores_in_all, &waves, err)) != WT_OK)
        return status;
    if (waves == 0 || waves > WT_MAX_WAVES)
        return wt_fail(err, WT_INVALID,
                       "PLATFORM reads 0x%08x: %u clusters of %u cores of %u warps make %llu "
                       "warps; the Debug Module can name 1 to %d",
                       (unsigned)platform, t->clusters, cores, t->waves_per_core,
                       (unsigned long long)waves, WT_MAX_WAVES);
    t->cores = (unsigned)cores_in_all;
    t->waves = (uint32_t)waves;
    t->fixed_slots = t->waves;
    t->one_step = true;
    p->windows = (t->waves + 31) / 32;
    p->incarnation = calloc(t->waves, sizeof *p->incarnation);
    if (!p->incarnation)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %u warps", (unsigned)t->waves);
    return wt_bus_write(p->bus, DM_DCONFIG, p->dconfig | DCONFIG_EH, err);
}

/* The warp that answers questions about the device: an active one, else warp 0. */
static enum wt_status choose_witness(struct wt_probe *p, uint32_t *wave, bool *was_halted,
                                     bool *active, struct wt_error *err)
{
    struct wt_wave_set a, h;
    enum wt_status status = vortex_scan(p, &a, &h, err);
    if (status)
        return status;
    for (unsigned i = 0; i < p->windows; i++)
        p->found.word[i] = a.word[i] & h.word[i];
    *wave = UINT32_MAX;
    *active = false;
    for (unsigned i = 0; i < p->windows; i++) {
        uint32_t halted_active = a.word[i] & h.word[i];
        if (halted_active || (a.word[i] && *wave == UINT32_MAX)) {
            *wave = 32 * i + (uint32_t)__builtin_ctz(halted_active ? halted_active : a.word[i]);
            *active = true;
            if (halted_active)
                break;
        }
    }
    if (*wave == UINT32_MAX)
        *wave = 0;
    *was_halted = wt_wave_set_has(&h, *wave);
    return WT_OK;
}

/* The number of reads after an injection that always suffices to see it done: 32 nops in one batch,
 * for 1 to 8 reads. */
static enum wt_status try_pace(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    for (p->polls = 1;; p->polls *= 2) {
        dm_begin(p);
        dm_select(p, wave / 32, wave, 0);
        for (int i = 0; i < 32; i++)
            dm_inject(p, rv_addi(0, 0, 0));
        p->brisk = true;
        enum wt_status status = dm_run(p, err); /* clears brisk if one came late */
        if (status || p->brisk)
            return status;
        if (p->polls == 8) {
            p->polls = 1;
            return WT_OK;
        }
    }
}

static enum wt_status ask_witness(struct wt_probe *p, uint32_t wave, struct wt_error *err)
{
    enum wt_status status = try_pace(p, wave, err);
    if (!status) {
        p->xlen = p->link->xlen;
        if (!p->xlen)
            status = vortex_discover_xlen(p, wave, err);
    }
    uint32_t misa = 0, lanes = 0;
    if (!status)
        status = vortex_read_csr(p, wave, 0, CSR_MISA, &misa, err);
    if (!status)
        status = vortex_read_csr(p, wave, 0, CSR_NUM_THREADS, &lanes, err);
    if (status)
        return status;
    /* misa may read 0 ("not implemented"); such devices have both. */
    p->has_f = !misa || misa >> ('F' - 'A') & 1;
    p->has_d = !misa || misa >> ('D' - 'A') & 1;
    /* Devices that use LOG2UP describe one thread per warp as 2^1. */
    if (lanes == 1 && p->topology.lanes == 2 && !p->link->gpu_count)
        p->topology.lanes = 1;
    return WT_OK;
}

enum wt_status vortex_describe(struct wt_probe *p, struct wt_error *err)
{
    uint32_t wave;
    bool was_halted, active;
    enum wt_status status = choose_witness(p, &wave, &was_halted, &active, err);
    if (status)
        return status;
    struct wt_wave_set one;
    memset(&one, 0, sizeof one);
    wt_wave_set_add(&one, wave);
    if (active && !was_halted && (status = vortex_halt_set(p, &one, err)))
        return status;
    status = ask_witness(p, wave, err);
    if (!status && active)
        status = vortex_find_code(p, wave, err);
    if (active && !was_halted) {
        enum wt_status resumed = vortex_resume_set(p, &one, status ? WT_IGNORED : err);
        status = status ? status : resumed;
    }
    if (status && !active) {
        /* There is no warp to ask: describe what every Vortex has. */
        p->brisk = false;
        p->xlen = p->link->xlen ? p->link->xlen : 32;
        p->has_f = true;
        p->has_d = p->xlen == 64;
        status = WT_OK;
    }
    return status;
}
