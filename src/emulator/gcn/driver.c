/*
 * The kernel driver's operations on the debug registers, for its users (amdkfd: kfd_dbgdev.c of
 * linux 4.20, kfd_debug.c and amdgpu_amdkfd_gfx_v9.c of linux 6.5). See debug.h.
 */
#include "emulator/gcn/internal.h"

#include <errno.h>

#define BROADCAST_ALL 0xe0000000u /* GRBM_GFX_INDEX */
#define WATCH_VALID (1u << 31)
#define WATCH_ATC (1u << 28)
#define MOST_TRAP_ID 8
#define EXCEPTIONS 0x1ffu

enum { SQ_CMD_BROADCAST = 1 };

/* GRBM_GFX_INDEX of the compute unit, or the SIMD, that a message names. */
static uint32_t place_of(const struct gcn_device *d, uint32_t message, uint32_t simd)
{
    const struct gcn_location at = {.cu = wt_field(message, 23, 20), .simd = simd}; /* HSACU */
    return gcn_instance(d, &at) | wt_field(message, 8, 8) << 8 /* ShaderArray */
           | wt_field(message, 25, 24) << 16;                  /* ShaderEngine */
}

int gcn_driver_wave_control(struct gcn_device *d, unsigned vmid,
                            const struct gcn_wave_control *control)
{
    assert(control && vmid < 16);
    const uint32_t message = control->message;
    const bool of_unit = control->mode == GCN_WAVEMODE_BROADCAST_PROCESS_CU;
    uint32_t command = 1u << 7 | vmid << 28, index = BROADCAST_ALL;
    if (!d->config.debug)
        return -EINVAL;
    switch (control->mode) {
    case GCN_WAVEMODE_SINGLE:
        command |= wt_field(message, 17, 14) << 16;
        if (!gcn_is_gfx10(gcn_model_of(d)))
            command |= wt_field(message, 19, 18) << 20;
        index = place_of(d, message, wt_field(message, 19, 18));
        break;
    case GCN_WAVEMODE_BROADCAST_PROCESS:
        command |= SQ_CMD_BROADCAST << 4;
        break;
    case GCN_WAVEMODE_BROADCAST_PROCESS_CU:
        command |= SQ_CMD_BROADCAST << 4;
        break;
    default:
        return -EINVAL;
    }
    if (control->op < GCN_WAVEOP_HALT || control->op > GCN_WAVEOP_TRAP)
        return -EINVAL;
    command |= control->op;
    if (control->op == GCN_WAVEOP_TRAP) {
        if (control->trap_id >= MOST_TRAP_ID)
            return -EINVAL;
        command |= control->trap_id << 8;
    }
    /* A compute unit of gfx10 is as many instances as it has SIMDs. */
    const uint32_t simds = of_unit && gcn_is_gfx10(gcn_model_of(d)) ? gcn_model_of(d)->simds : 1u;
    for (uint32_t simd = 0; simd < simds; simd++) {
        gcn_debug_write(d, GCN_GRBM_GFX_INDEX, of_unit ? place_of(d, message, simd) : index);
        gcn_debug_write(d, GCN_SQ_CMD, command);
    }
    gcn_debug_write(d, GCN_GRBM_GFX_INDEX, BROADCAST_ALL);
    return 0;
}

/* MASK of a watch, from address bits 29:6. */
static uint32_t watch_mask(const struct gcn_device *d, uint32_t mask)
{
    return (uint32_t)((uint64_t)(mask & 0xffffff) * 64 / gcn_watch_block(d));
}

/* A watch is off while its registers are written. */
static void write_watch(struct gcn_device *d, uint32_t n, uint64_t addr, uint32_t cntl)
{
    const uint32_t at = GCN_TCP_WATCH0_ADDR_H + 3 * n;
    gcn_debug_write(d, at + 2, cntl & ~WATCH_VALID);
    gcn_debug_write(d, at, (uint32_t)(addr >> 32) & 0xffff);
    gcn_debug_write(d, at + 1, (uint32_t)addr & ~(gcn_watch_block(d) - 1));
    gcn_debug_write(d, at + 2, cntl | WATCH_VALID);
}

int gcn_driver_address_watch(struct gcn_device *d, unsigned vmid,
                             const struct gcn_watch_request *request)
{
    assert(request && vmid < 16);
    if (!d->config.debug || !request->count || request->count > GCN_WATCHES || !request->mode ||
        !request->addr)
        return -EINVAL;
    for (uint32_t n = 0; n < request->count; n++) {
        const uint32_t mask = request->mask ? request->mask[n] : UINT32_MAX;
        write_watch(d, n, request->addr[n],
                    watch_mask(d, mask) | vmid << 24 | WATCH_ATC | (request->mode[n] & 3) << 29);
    }
    return 0;
}

int gcn_driver_set_watch(struct gcn_device *d, unsigned vmid, uint64_t addr, uint32_t mask,
                         uint32_t mode, uint32_t *id)
{
    assert(id && vmid < 16);
    uint32_t n = 0;
    if (!d->config.debug || mode > GCN_WATCH_ALL)
        return -EINVAL;
    while (n < GCN_WATCHES && d->debug.watch[n].cntl & WATCH_VALID)
        n++;
    if (n == GCN_WATCHES)
        return -ENOMEM;
    write_watch(d, n, addr, watch_mask(d, mask >> 6) | vmid << 24 | mode << 29);
    *id = n;
    return 0;
}

int gcn_driver_clear_watch(struct gcn_device *d, unsigned vmid, uint32_t id)
{
    if (!d->config.debug || id >= GCN_WATCHES || !(d->debug.watch[id].cntl & WATCH_VALID) ||
        (d->debug.watch[id].cntl >> 24 & 15) != vmid)
        return -EINVAL;
    gcn_debug_write(d, GCN_TCP_WATCH0_CNTL + 3 * id, 0);
    return 0;
}

/* No wave starts while the registers change. */
static void write_launch(struct gcn_device *d, uint32_t addr, uint32_t value)
{
    const uint32_t before = gcn_debug_read(d, GCN_SPI_GDBG_WAVE_CNTL);
    gcn_debug_write(d, GCN_SPI_GDBG_WAVE_CNTL, before | 1);
    gcn_debug_write(d, addr, value);
    gcn_debug_write(d, GCN_SPI_GDBG_WAVE_CNTL, before);
}

int gcn_driver_launch_mode(struct gcn_device *d, unsigned vmid, uint32_t mode)
{
    assert(vmid < 16);
    if (!d->config.debug || (mode != 0 && mode != 1 && mode != 3))
        return -EINVAL;
    write_launch(d, GCN_SPI_GDBG_WAVE_CNTL2, mode ? 1u << vmid | mode << 16 : 0);
    return 0;
}

int gcn_driver_launch_override(struct gcn_device *d, bool replace, uint32_t mask, uint32_t request,
                               uint32_t *previous)
{
    assert(previous);
    if (!d->config.debug || (mask | request) & ~EXCEPTIONS)
        return -EINVAL;
    *previous = gcn_debug_read(d, GCN_SPI_GDBG_TRAP_MASK) & EXCEPTIONS;
    write_launch(d, GCN_SPI_GDBG_TRAP_MASK,
                 (mask & request) | (*previous & ~request) | (uint32_t)replace << 9);
    return 0;
}

void gcn_driver_debugger_gone(struct gcn_device *d, unsigned vmid)
{
    for (uint32_t n = 0; n < GCN_WATCHES; n++)
        if (d->debug.watch[n].cntl & WATCH_VALID && (d->debug.watch[n].cntl >> 24 & 15) == vmid)
            gcn_debug_write(d, GCN_TCP_WATCH0_CNTL + 3 * n, 0);
    write_launch(d, GCN_SPI_GDBG_TRAP_MASK, 0);
    write_launch(d, GCN_SPI_GDBG_WAVE_CNTL2, 0);
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        struct gcn_wave *w = &d->wave[i];
        if (!w->active || gcn_dispatch_of(w)->origin.vmid != vmid)
            continue;
        w->mode &= ~(uint32_t)GCN_MODE_DEBUG_EN;
        w->step_due = false;
    }
}
