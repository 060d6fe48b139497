/*
 * The debug hardware outside of waves: the SQ's commands, interrupts to the host, and how the SPI
 * starts waves (linux gc_9_0 register headers; commands: amdkfd's kfd_dbgdev.h).
 */
#include "emulator/gcn/internal.h"

/* ---- places ---- */

static uint32_t arrays(const struct gcn_device *d)
{
    return d->config.se * d->config.sh;
}

/* Compute units of an array: the first ones of a die have one more where they are not the same. */
static uint32_t units_of(const struct gcn_device *d, uint32_t array)
{
    const uint32_t dies = arrays(d) % d->config.xcc ? 1 : d->config.xcc;
    const uint32_t count = arrays(d) / dies, cu = d->config.cu / dies;
    return cu / count + (array % count < cu % count);
}

struct gcn_location gcn_wave_location(const struct gcn_device *d, uint32_t wave)
{
    assert(wave < d->machine.waves);
    const uint32_t slot = wave % gcn_cu_waves(d), simds = gcn_model_of(d)->simds;
    uint32_t cu = wave / gcn_cu_waves(d), array = 0;
    while (cu >= units_of(d, array))
        cu -= units_of(d, array++);
    return (struct gcn_location){.se = array / d->config.sh,
                                 .sh = array % d->config.sh,
                                 .cu = cu,
                                 .simd = slot % simds,
                                 .wave = slot / simds};
}

uint32_t gcn_wave_at(const struct gcn_device *d, const struct gcn_location *at)
{
    assert(at);
    const struct gcn_model *model = gcn_model_of(d);
    const uint32_t array = at->se * d->config.sh + at->sh;
    uint32_t cu = at->cu;
    if (at->se >= d->config.se || at->sh >= d->config.sh || at->cu >= units_of(d, array) ||
        at->simd >= model->simds || at->wave >= model->waves_per_simd)
        return UINT32_MAX;
    for (uint32_t i = 0; i < array; i++)
        cu += units_of(d, i);
    return cu * gcn_cu_waves(d) + at->wave * model->simds + at->simd;
}

/* SIMD of the four of a work-group processor, of which a compute unit is a half. */
static uint32_t simd_of_four(const struct gcn_location *at)
{
    return at->simd | (at->cu & 1) << 1;
}

uint32_t gcn_instance(const struct gcn_device *d, const struct gcn_location *at)
{
    return gcn_is_gfx10(gcn_model_of(d)) ? at->cu / 2 << 2 | simd_of_four(at) : at->cu;
}

bool gcn_selected(const struct gcn_device *d, const struct gcn_location *at)
{
    const uint32_t index = d->debug.gfx_index;
    return (index >> 31 || (index >> 16 & 0xff) == at->se) &&
           (index >> 29 & 1 || (index >> 8 & 0xff) == at->sh) &&
           (index >> 30 & 1 || (index & 0xff) == gcn_instance(d, at));
}

/* ---- SQ_CMD ---- */

enum { CMD_HALT = 1, CMD_RESUME, CMD_KILL, CMD_DEBUG, CMD_TRAP };
enum { MODE_SINGLE, MODE_BROADCAST, MODE_BCAST_QUEUE, MODE_BCAST_PIPE, MODE_BCAST_ME };

/* Compute queues are of the first micro engine for compute, ME 1. */
#define COMPUTE_ME 1u

/* Whether the command applies to a wave of a selected compute unit. */
static bool meant(const struct gcn_device *d, const struct gcn_wave *w, uint32_t command)
{
    const struct gcn_origin *origin = &gcn_dispatch_of(w)->origin;
    const struct gcn_location at = gcn_wave_location(d, w->id);
    if (!gcn_selected(d, &at) || (command >> 7 & 1 && command >> 28 != origin->vmid))
        return false;
    switch (command >> 4 & 7) {
    case MODE_SINGLE: /* gfx10: GRBM_GFX_INDEX has the SIMD */
        return gcn_is_gfx10(gcn_model_of(d))
                   ? (command >> 16 & 31) == at.wave
                   : (command >> 16 & 15) == at.wave && (command >> 20 & 3) == at.simd;
    case MODE_BROADCAST:
        return true;
    case MODE_BCAST_QUEUE:
        return (command >> 24 & 7) == origin->slot;
    case MODE_BCAST_PIPE:
        return (d->debug.gfx_cntl & 3) == origin->pipe &&
               (d->debug.gfx_cntl >> 2 & 3) == COMPUTE_ME;
    case MODE_BCAST_ME:
        return (d->debug.gfx_cntl >> 2 & 3) == COMPUTE_ME;
    default:
        return false;
    }
}

static void obey(struct gcn_wave *w, uint32_t command)
{
    switch (command & (gcn_is_gfx10(gcn_model_of(w->device)) ? 15 : 7)) {
    case CMD_HALT:
        w->status |= GCN_STATUS_HALT;
        gcn_update_ready(w);
        break;
    case CMD_RESUME:
        w->status &= ~(uint32_t)GCN_STATUS_HALT;
        gcn_update_ready(w);
        break;
    case CMD_KILL:
        gcn_kill(w);
        break;
    case CMD_DEBUG:
        w->mode |= GCN_MODE_DEBUG_EN;
        break;
    case CMD_TRAP:
        gcn_wave_trap(w->device, w->id, command >> 8 & 15);
        break;
    default:
        break;
    }
}

void gcn_sq_command(struct gcn_device *d, uint32_t command)
{
    /* Waves that start in the place of one that is killed are not meant. */
    uint64_t incarnation[GCN_MOST_WAVES];
    for (uint32_t i = 0; i < d->machine.waves; i++)
        incarnation[i] = d->wave[i].active ? d->wave[i].incarnation : 0;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        struct gcn_wave *w = &d->wave[i];
        if (w->active && w->incarnation == incarnation[i] && meant(d, w, command))
            obey(w, command);
    }
}

void gcn_halt_process(struct gcn_wave *w)
{
    struct gcn_device *d = w->device;
    const uint8_t vmid = gcn_dispatch_of(w)->origin.vmid;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        if (!d->wave[i].active || gcn_dispatch_of(&d->wave[i])->origin.vmid != vmid)
            continue;
        d->wave[i].status |= GCN_STATUS_HALT;
        gcn_update_ready(&d->wave[i]);
    }
}

void gcn_kill(struct gcn_wave *w)
{
    assert(w->active && !w->device->machine.in_turn);
    w->pc = gcn_leave_wait(w);
    gcn_wave_end(w);
}

/* ---- interrupts ---- */

void gcn_send_interrupt(const struct gcn_wave *w, uint32_t data,
                        enum gcn_interrupt_encoding encoding)
{
    struct gcn_device *d = w->device;
    const struct gcn_location at = gcn_wave_location(d, w->id);
    const struct gcn_origin *origin = &gcn_dispatch_of(w)->origin;
    const uint32_t priv = w->status & GCN_STATUS_PRIV ? 1 : 0;
    const bool gfx10 = gcn_is_gfx10(gcn_model_of(d));
    struct gcn_interrupt *in = &d->interrupt[d->interrupts++ % GCN_INTERRUPTS];
    if (encoding == GCN_INTERRUPT_ERROR)
        data <<= gfx10 ? 19 : 20;
    *in = (struct gcn_interrupt){
        .time = gcn_now(w), .wave = w->id, .vmid = origin->vmid, .queue = origin->slot};
    if (gfx10) {
        in->context0 =
            (data & 0x7fffff) | at.sh << 23 | priv << 24 | at.wave << 25 | simd_of_four(&at) << 30;
        in->context1 = at.cu / 2 | at.se << 4 | (uint32_t)encoding << 6;
        return;
    }
    in->context0 = (data & 0xfff) | at.sh << 12 | priv << 13 | at.wave << 14 | at.simd << 18 |
                   at.cu << 20 | at.se << 24 | (uint32_t)encoding << 26 | (data >> 12 & 15) << 28;
    in->context1 = data >> 16 & 0xff;
}

uint64_t gcn_debug_interrupt_count(const struct gcn_device *d)
{
    return d->interrupts;
}

bool gcn_debug_interrupt(const struct gcn_device *d, unsigned n, struct gcn_interrupt *interrupt)
{
    assert(interrupt);
    const uint64_t kept = d->interrupts < GCN_INTERRUPTS ? d->interrupts : GCN_INTERRUPTS;
    if (n >= kept)
        return false;
    *interrupt = d->interrupt[(d->interrupts - kept + n) % GCN_INTERRUPTS];
    return true;
}

/* ---- the SPI: how waves start ---- */

enum { LAUNCH_HALT = 1, LAUNCH_KILL, LAUNCH_DEBUG };

bool gcn_launch_stalled(const struct gcn_device *d, const struct gcn_dispatch *k)
{
    return d->debug.wave_cntl & 1 || d->debug.wave_cntl >> (1 + k->origin.vmid) & 1;
}

/* Whether SPI_GDBG_TRAP_MASK applies to the wave: to every wave, unless SPI_GDBG_TRAP_CONFIG
 * selects waves. */
static bool mask_holds(const struct gcn_debug *debug, const struct gcn_origin *origin)
{
    const uint32_t config = debug->trap_config;
    if (!(config >> 15 & 1))
        return true;
    return config >> (16 + origin->vmid) & 1 &&
           (!(config >> 7 & 1) || (config & 3) == COMPUTE_ME) &&
           (!(config >> 8 & 1) || (config >> 2 & 3) == origin->pipe) &&
           (!(config >> 9 & 1) || (config >> 4 & 7) == origin->slot);
}

void gcn_launch_wave(struct gcn_device *d, struct gcn_wave *w)
{
    const struct gcn_origin *origin = &gcn_dispatch_of(w)->origin;
    const uint32_t mask = d->debug.trap_mask;
    if (mask_holds(&d->debug, origin)) {
        if (mask >> 9 & 1)
            w->mode &= ~(uint32_t)(0x1ff << 12);
        w->mode |= (mask & 0x1ff) << 12;
    }
    if (!(d->debug.wave_cntl2 >> origin->vmid & 1))
        return;
    switch (d->debug.wave_cntl2 >> 16 & 3) {
    case LAUNCH_HALT:
        w->status |= GCN_STATUS_HALT;
        break;
    case LAUNCH_KILL:
        w->kill = true;
        break;
    case LAUNCH_DEBUG:
        w->mode |= GCN_MODE_DEBUG_EN;
        break;
    default:
        break;
    }
}
