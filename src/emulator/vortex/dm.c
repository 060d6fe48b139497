/*
 * The Debug Module, register for register: VxDebug specification, section "Debug Module
 * Registers". Where it is silent: requests act in the order halt, resume, step, inject; a warp
 * is halted if its halt bit is set, even while inactive, else running if active, else unavailable.
 *
 * Requests take effect between two instructions. With config.dm_clock they take core cycles, which
 * pass as warps issue and with each access of a register, so that the state machines can be
 * watched.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/vortex/internal.h"

#define PLATFORM_VORTEX 1

/* DCTRL, by bit. */
enum {
    DMACTIVE = 31,
    NDMRESET = 30,
    ALLHALTED = 29,
    ANYHALTED = 28,
    ALLRUNNING = 27,
    ANYRUNNING = 26,
    ALLUNAVAIL = 25,
    ANYUNAVAIL = 24,
    HACAUSE = 9,
    INJECTSTATE = 7,
    INJECTREQ = 6,
    STEPSTATE = 4,
    STEPREQ = 3,
    RESETHALTREQ = 2,
    RESUMEREQ = 1,
    HALTREQ = 0,
};

enum { CAUSE_NONE, CAUSE_EBREAK, CAUSE_HALTREQ, CAUSE_STEP, CAUSE_RESETHALTREQ };

/* DCONFIG after reset of the DM: ndmreset for 2^4 cycles, resethaltreq for 2^2, EH off. */
#define DCONFIG_RESET (4u << 29 | 2u << 26)
#define DCONFIG_WRITABLE 0xfc000001u

static uint32_t windows(const struct vx_device *d)
{
    return (d->machine.waves + 31) / 32;
}

static unsigned winsel(const struct vx_device *d)
{
    return wt_field(d->dm.dselect, 31, 22);
}

/* The warp that DSELECT.warpsel names, or NULL. */
static struct vx_warp *selected_warp(struct vx_device *d)
{
    const uint32_t id = wt_field(d->dm.dselect, 21, 7);
    return id < d->machine.waves ? &d->warp[id] : NULL;
}

static unsigned selected_thread(const struct vx_device *d)
{
    return wt_field(d->dm.dselect, 6, 0);
}

/* The bits of the window WINSEL for which `bit` says yes. */
static uint32_t window(const struct vx_device *d, bool (*bit)(const struct vx_warp *w))
{
    uint32_t word = 0;
    const uint64_t first = (uint64_t)winsel(d) * 32;
    for (uint32_t i = 0; i < 32 && first + i < d->machine.waves; i++)
        word |= (uint32_t)bit(&d->warp[first + i]) << i;
    return word;
}

static bool is_active(const struct vx_warp *w)
{
    return w->active;
}

static bool is_halted(const struct vx_warp *w)
{
    return w->halted;
}

static void reset_registers(struct vx_device *d)
{
    struct vx_dm *dm = &d->dm;
    uint32_t *wmask = dm->wmask;
    memset(wmask, 0, windows(d) * sizeof *wmask);
    if (dm->step_state)
        d->warp[dm->step_warp].stepping = false;
    /* DSCRATCH, of which each lane has its own. */
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        d->warp[i].touched = true;
        vx_note_change(&d->warp[i]);
        memset(d->warp[i].dscratch, 0, 4 * (size_t)d->machine.lanes * sizeof(uint32_t));
    }
    *dm = (struct vx_dm){.wmask = wmask, .dconfig = DCONFIG_RESET};
}

enum wt_status vx_dm_init(struct vx_device *d)
{
    d->dm.wmask = calloc(windows(d), sizeof *d->dm.wmask);
    if (!d->dm.wmask)
        return WT_NO_MEMORY;
    d->dm.dconfig = DCONFIG_RESET;
    return WT_OK;
}

void vx_dm_free(struct vx_device *d)
{
    free(d->dm.wmask);
}

/* ---- halting, resuming ---- */

static void set_halted(struct vx_warp *w, bool halted)
{
    assert(w->device->halted <= w->device->machine.waves);
    if (w->halted == halted)
        return;
    w->halted = halted;
    w->device->halted += halted ? 1u : -1u;
    if (w->active)
        w->device->halted_active += halted ? 1u : -1u;
    vx_update_ready(w);
}

/* Halts the warp with a cause of the VxDebug specification (WSTATUS). */
static void dm_halt(struct vx_warp *w, unsigned cause)
{
    assert(cause < 16);
    set_halted(w, true);
    w->hacause = (uint8_t)cause;
}

bool vx_dm_ebreak(struct vx_warp *w)
{
    assert(!w->device->injecting);
    struct vx_device *d = w->device;
    if (!d->dm.active || !(d->dm.dconfig & 1))
        return false;
    if (d->config.ebreak_pc_after) {
        const uint8_t *code = wt_memory_page(d->machine.memory, w->pc) + (w->pc & WT_PAGE_MASK);
        w->pc = vx_truncate(d, w->pc + ((code[0] & 3) == 3 ? 4 : 2));
    }
    if (w->stepping) {
        w->stepping = false;
        d->dm.step_state = VX_DM_NONE;
    }
    dm_halt(w, CAUSE_EBREAK);
    d->machine.event = true;
    return true;
}

static void halt_selected(struct vx_device *d, unsigned cause)
{
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->dm.wmask[i / 32] >> (i % 32) & 1)
            dm_halt(&d->warp[i], cause);
}

static void resume_selected(struct vx_device *d)
{
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        if (!(d->dm.wmask[i / 32] >> (i % 32) & 1))
            continue;
        set_halted(&d->warp[i], false);
        d->warp[i].hacause = CAUSE_NONE;
    }
}

bool vx_dm_halts_at(const struct vx_device *d, uint64_t pc)
{
    if (!d->dm.active || !(d->dm.dconfig & 1))
        return false;
    uint8_t code[4] = {0};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t at = vx_truncate(d, pc + i);
        code[i] = wt_memory_page(d->machine.memory, at)[at & WT_PAGE_MASK];
    }
    const uint32_t word = (uint32_t)wt_load_le(code, 4);
    return word == 0x00100073 || (uint16_t)word == 0x9002; /* EBREAK, C.EBREAK */
}

/* ---- stepping ---- */

void vx_dm_stepped(struct vx_warp *w)
{
    struct vx_device *d = w->device;
    if (!w->stepping)
        return; /* it met an ebreak, which has halted it */
    w->stepping = false;
    d->dm.step_state = VX_DM_NONE;
    dm_halt(w, CAUSE_STEP);
    d->machine.event = true;
}

/* Lets the stepping warp issue now, if it can; else the request stays until it can. */
static void try_step(struct vx_device *d)
{
    assert(d->dm.step_warp < d->machine.waves);
    struct vx_warp *w = &d->warp[d->dm.step_warp];
    const bool issued = vx_issue_one(w);
    if (d->machine.fault.kind) /* outside of a run, which names the wave of its fault */
        d->machine.fault.id = wt_machine_wave_id(&d->machine, w->id);
    if (issued || d->machine.fault.kind)
        vx_dm_stepped(w);
}

static void request_step(struct vx_device *d)
{
    struct vx_warp *w = selected_warp(d);
    if (!w || d->dm.step_state != VX_DM_NONE)
        return;
    d->dm.step_warp = w->id;
    d->dm.step_state = VX_DM_REQ;
    if (d->config.dm_clock == 0) {
        w->stepping = true;
        set_halted(w, false);
        try_step(d);
    }
}

/* ---- injection ---- */

/* Debuggers inject the same word for lane after lane: it is decoded once. */
static struct vx_uop decode_injection(struct vx_device *d)
{
    uint32_t word = d->dm.inject;
    if (d->injection_decoded && d->injected_word == word)
        return d->injected_uop;
    d->injected_word = word;
    d->injection_decoded = true;
    if ((word & 3) == 3)
        d->injected_uop = vx_decode(d, word, 2);
    else if (vx_rvc_find((uint16_t)word, d->config.xlen, &word))
        d->injected_uop = vx_decode(d, word, 1);
    else
        d->injected_uop = (struct vx_uop){.run = vx_illegal, .halves = 1};
    return d->injected_uop;
}

/*
 * Executes the word in INJECT on one lane of a warp, whatever its mask, at its PC. The PC stays,
 * unless the instruction jumps; the mask stays, unless the instruction sets it.
 */
static void inject(struct vx_device *d, struct vx_warp *w, unsigned thread)
{
    assert(w->device == d && !d->injecting);
    d->inject_fault[0] = 0;
    if (thread >= d->machine.lanes)
        return;
    const enum wt_fault_kind fault = d->machine.fault.kind;
    struct wt_fault kept;
    if (fault)
        kept = d->machine.fault;
    const bool was_active = w->active;
    const uint64_t pc = w->pc;
    const wt_lanes mask = w->mask;
    struct vx_code *code = d->inject_code;
    const size_t slot = (pc & WT_PAGE_MASK) / 2;
    const struct vx_uop u = decode_injection(d);
    code->page.base = pc & ~WT_PAGE_MASK;
    code->uop[slot] = u;
    w->touched = true;
    d->injecting = true;
    d->inject_mask = mask;
    vx_tlb_switch_core(d, w->core);
    vx_set_mask(w, wt_lane_bit(thread));
    d->mask_written = false;
    d->machine.fault.kind = WT_FAULT_NONE;
    w->code = code;
    w->left = 0; /* this one only */
    const struct vx_uop *next = u.run(w, &code->uop[slot]);
    const uint64_t after = pc + u.halves * 2u;
    if (next) {
        const uint64_t to = vx_pc_of(w, next);
        w->pc = to == after ? pc : to;
    } else if (w->pc == vx_truncate(d, after)) {
        w->pc = pc;
    }
    if (!d->mask_written)
        vx_set_mask(w, mask);
    if (d->machine.fault.kind) {
        memcpy(d->inject_fault, d->machine.fault.text, sizeof d->inject_fault);
        w->pc = pc;
    }
    if (!was_active && w->active)
        vx_update_ready(w);
    if (fault)
        d->machine.fault = kept;
    else
        d->machine.fault.kind = WT_FAULT_NONE;
    d->injecting = false;
    d->machine.not_issued = false;
}

static void request_inject(struct vx_device *d)
{
    struct vx_warp *w = selected_warp(d);
    if (!w || d->dm.inject_state != VX_DM_NONE)
        return;
    if (d->config.dm_clock == 0) {
        inject(d, w, selected_thread(d));
        return;
    }
    d->dm.inject_warp = w->id;
    d->dm.inject_thread = selected_thread(d);
    d->dm.inject_state = VX_DM_REQ;
}

/* ---- reset and time ---- */

void vx_dm_after_reset(struct vx_device *d)
{
    d->dm.step_state = VX_DM_NONE;
    d->dm.inject_state = VX_DM_NONE;
}

static void finish_reset(struct vx_device *d)
{
    vx_reset(&d->machine);
    if (!d->dm.reset_halt)
        return;
    d->dm.reset_halt = false;
    d->dm.halt_left = 1u << wt_field(d->dm.dconfig, 28, 26);
    halt_selected(d, CAUSE_RESETHALTREQ);
    if (d->config.dm_clock == 0)
        d->dm.halt_left = 0;
}

static void request_reset(struct vx_device *d)
{
    if (d->dm.reset_left)
        return; /* it is asserted already */
    if (d->config.dm_clock == 0) {
        finish_reset(d);
        return;
    }
    /* While it is asserted no warp issues. */
    for (uint32_t i = 0; i < d->machine.waves; i++)
        set_halted(&d->warp[i], true);
    d->dm.reset_left = 1u << wt_field(d->dm.dconfig, 31, 29);
}

static void one_cycle(struct vx_device *d)
{
    struct vx_dm *dm = &d->dm;
    if (dm->reset_left && --dm->reset_left == 0)
        finish_reset(d);
    else if (dm->halt_left && --dm->halt_left)
        halt_selected(d, CAUSE_RESETHALTREQ);
    if (dm->inject_state == VX_DM_REQ) {
        dm->inject_state = VX_DM_INFLIGHT;
    } else if (dm->inject_state == VX_DM_INFLIGHT) {
        inject(d, &d->warp[dm->inject_warp], dm->inject_thread);
        dm->inject_state = VX_DM_NONE;
    }
    if (dm->step_state == VX_DM_REQ) {
        struct vx_warp *w = &d->warp[dm->step_warp];
        if (!w->stepping) {
            w->stepping = true;
            set_halted(w, false);
        }
        if (w->active && w->wait == VX_RUNS)
            dm->step_state = VX_DM_INFLIGHT;
    } else if (dm->step_state == VX_DM_INFLIGHT) {
        try_step(d);
    }
}

void vx_dm_tick(struct vx_device *d, uint64_t cycles)
{
    while (cycles-- && vx_dm_busy(d))
        one_cycle(d);
}

/* ---- registers ---- */

static uint32_t read_platform(const struct vx_device *d)
{
    const struct vx_config *c = &d->config;
    return (uint32_t)PLATFORM_VORTEX << 28 | c->clusters << 21 | c->cores << 12 | c->warps << 3 |
           (unsigned)__builtin_ctz(c->threads);
}

static uint32_t read_dctrl(struct vx_device *d)
{
    const uint32_t halted = d->halted;
    const uint32_t running = d->machine.active - d->halted_active;
    const uint32_t available = halted + running;
    const struct vx_warp *w = selected_warp(d);
    const bool in_reset = d->dm.reset_left != 0;
    return (uint32_t)d->dm.active << DMACTIVE | (uint32_t)in_reset << NDMRESET |
           (uint32_t)(available && !running) << ALLHALTED | (uint32_t)(halted != 0) << ANYHALTED |
           (uint32_t)(available && !halted) << ALLRUNNING | (uint32_t)(running != 0) << ANYRUNNING |
           (uint32_t)(available == 0) << ALLUNAVAIL |
           (uint32_t)(available < d->machine.waves) << ANYUNAVAIL |
           (w ? (uint32_t)w->hacause : 0u) << HACAUSE |
           (uint32_t)d->dm.inject_state << INJECTSTATE | (uint32_t)d->dm.step_state << STEPSTATE;
}

static void write_dctrl(struct vx_device *d, uint32_t value)
{
    if (!(value >> DMACTIVE & 1)) {
        reset_registers(d);
        return;
    }
    if (!d->dm.active) {
        d->dm.active = true; /* the write that wakes the DM does nothing else */
        return;
    }
    if (value >> RESETHALTREQ & 1)
        d->dm.reset_halt = true;
    if (value >> NDMRESET & 1) {
        request_reset(d);
        return;
    }
    if (d->dm.reset_left)
        return; /* nothing can be asked of a device in reset */
    if (value >> HALTREQ & 1)
        halt_selected(d, CAUSE_HALTREQ);
    else if (value >> RESUMEREQ & 1)
        resume_selected(d);
    else if (value >> STEPREQ & 1)
        request_step(d);
    else if (value >> INJECTREQ & 1)
        request_inject(d);
}

static uint32_t *dscratch(struct vx_device *d, uint32_t addr)
{
    struct vx_warp *w = selected_warp(d);
    const unsigned thread = selected_thread(d);
    if (!w || thread >= d->machine.lanes)
        return NULL;
    return &w->dscratch[(addr - VX_DM_DSCRATCH0) * d->machine.lanes + thread];
}

uint32_t vx_dm_read(struct vx_device *d, uint32_t addr)
{
    const struct vx_warp *w = selected_warp(d);
    uint32_t value = 0;
    switch (addr) {
    case VX_DM_PLATFORM:
        value = read_platform(d);
        break;
    case VX_DM_DCONFIG:
        value = d->dm.dconfig;
        break;
    case VX_DM_DSELECT:
        value = d->dm.dselect;
        break;
    case VX_DM_WMASK:
        value = winsel(d) < windows(d) ? d->dm.wmask[winsel(d)] : 0;
        break;
    case VX_DM_WACTIVE:
        value = window(d, is_active);
        break;
    case VX_DM_WSTATUS:
        value = window(d, is_halted);
        break;
    case VX_DM_DCTRL:
        value = read_dctrl(d);
        break;
    case VX_DM_DPC:
        value = w ? (uint32_t)w->pc : 0;
        break;
    case VX_DM_INJECT:
        value = d->dm.inject;
        break;
    default:
        if (addr >= VX_DM_DSCRATCH0 && addr <= VX_DM_DSCRATCH3) {
            const uint32_t *scratch = dscratch(d, addr);
            value = scratch ? *scratch : 0;
        }
        break;
    }
    vx_dm_tick(d, d->config.dm_clock);
    d->machine.event = false; /* whoever accesses registers sees for himself */
    return value;
}

void vx_dm_write(struct vx_device *d, uint32_t addr, uint32_t value)
{
    vx_dm_tick(d, d->config.dm_clock);
    /* A sleeping DM can only be woken. */
    if (addr != VX_DM_DCTRL && !d->dm.active)
        return;
    struct vx_warp *w = selected_warp(d);
    switch (addr) {
    case VX_DM_DCONFIG:
        d->dm.dconfig = value & DCONFIG_WRITABLE;
        break;
    case VX_DM_DSELECT:
        d->dm.dselect = value;
        break;
    case VX_DM_WMASK:
        if (winsel(d) < windows(d)) {
            const uint32_t left = d->machine.waves - winsel(d) * 32;
            d->dm.wmask[winsel(d)] = left < 32 ? value & ((1u << left) - 1) : value;
        }
        break;
    case VX_DM_DCTRL:
        write_dctrl(d, value);
        break;
    case VX_DM_DPC:
        /* RV64: the upper half stays; an injected jump sets it, and auipc reads it. */
        if (w && w->halted)
            w->pc = (w->pc & ~(uint64_t)UINT32_MAX) | (value & ~1u);
        break;
    case VX_DM_INJECT:
        d->dm.inject = value;
        break;
    default: /* read-only or none */
        if (addr >= VX_DM_DSCRATCH0 && addr <= VX_DM_DSCRATCH3) {
            uint32_t *scratch = dscratch(d, addr);
            if (scratch) {
                w->touched = true;
                vx_note_change(w);
                *scratch = value;
            }
        }
        break;
    }
    d->machine.event = false; /* as above */
}
