/*
 * Traps: what makes a wave enter the trap handler, and how it comes back (manual, section 3.10;
 * the kernel driver's handler, which relies on it, is the source for the rest).
 */
#include "emulator/gcn/internal.h"

#include <stdio.h>

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

enum {
    TTMP1_TRAP_SHIFT = 16,
    TTMP1_HOST_TRAP = 1 << 24,
    TRAPSTS_EXCP = 0x1ff,
    TRAPSTS_EXCP_CYCLE_SHIFT = 16,
    TRAPSTS_EXCP_CYCLE = 0x3f << TRAPSTS_EXCP_CYCLE_SHIFT,
    TRAPSTS_ADDR_WATCH = 1 << 7 | 7 << 12,
    EXCP_ADDR_WATCH = 1 << 7,
};
/* Trap numbers (LLVM, "User Guide for AMDGPU Backend": trap handler ABI). */
enum { BREAKPOINT = 1, ABORT = 2 };

/* The wave's next instruction is the handler's first. */
static void begin_trap(struct gcn_wave *w, uint64_t pc, uint32_t what)
{
    assert(w->device->tba);
    w->s[GCN_TTMP] = (uint32_t)pc;
    w->s[GCN_TTMP + 1] = (uint32_t)(pc >> 32) | what;
    w->status |= GCN_STATUS_PRIV;
    struct gcn_device *d = w->device;
    d->host->first_level_trap(
        d->host->context, d,
        &(struct gcn_trap){
            .ttmp = &w->s[GCN_TTMP], .status = gcn_status(w), .tba = d->tba, .tma = d->tma});
    w->pc = d->tba;
}

const struct gcn_uop *gcn_enter_trap(struct gcn_wave *w, uint64_t pc, unsigned id)
{
    assert(gcn_may_trap(w) && id < 256);
    begin_trap(w, pc, id << TTMP1_TRAP_SHIFT);
    return gcn_jump(w, w->device->tba);
}

/* Those of a wave's exceptions in TRAPSTS that its MODE enables; those of address watch are one. */
static uint32_t enabled(const struct gcn_wave *w, uint32_t trapsts)
{
    const uint32_t watched = trapsts & TRAPSTS_ADDR_WATCH ? EXCP_ADDR_WATCH : 0;
    return ((trapsts & TRAPSTS_EXCP) | watched) & w->mode >> 12;
}

bool gcn_calls_for_trap(const struct gcn_wave *w, uint32_t trapsts)
{
    return gcn_may_trap(w) &&
           (trapsts & (GCN_TRAPSTS_SAVECTX | GCN_TRAPSTS_ILLEGAL | GCN_TRAPSTS_MEM_VIOL) ||
            enabled(w, trapsts));
}

/* The first of the exceptions, by the bits of TRAPSTS.EXCP. */
static const char *exception_name(uint32_t raised)
{
    static const char *const name[] = {
        "an invalid operation",
        "a denormal source",
        "division by zero",
        "overflow",
        "underflow",
        "an inexact result",
        "integer division by 0",
        "access to a watched address",
        "a memory violation",
    };
    return raised & TRAPSTS_EXCP ? name[__builtin_ctz(raised & TRAPSTS_EXCP)] : "no exception";
}

const struct gcn_uop *gcn_raised(struct gcn_wave *w, const struct gcn_uop *u, uint32_t raised,
                                 uint64_t lanes)
{
    struct gcn_device *d = w->device;
    const uint64_t pc = gcn_pc_of(w, u);
    struct wt_fault fault = {
        .kind = WT_FAULT_TRAP,
        .wave = w->id,
        .lanes = lanes,
        .pc = pc,
        .time = gcn_now(w),
    };
    snprintf(fault.text, sizeof fault.text, "%s: %s, which EXCP_EN makes an exception%s",
             u->row->name, exception_name(raised), d->tba ? "" : ", and there is no trap handler");
    /* EXCP_CYCLE[1:0]: which 16 lanes came first. */
    if (lanes)
        w->trapsts = (w->trapsts & ~(uint32_t)TRAPSTS_EXCP_CYCLE) |
                     (uint32_t)__builtin_ctzll(lanes) / 16 << TRAPSTS_EXCP_CYCLE_SHIFT;
    if (gcn_kfd_handles(w, false)) {
        d->exception = fault;
        gcn_kfd_stop(w, pc + 4u * u->length, (uint32_t)u->length << KFD_TTMP1_REWIND_SHIFT,
                     KFD_EC_QUEUE_WAVE_MATH_ERROR);
        return NULL;
    }
    if (d->tba) {
        d->exception = fault;
        return gcn_enter_trap(w, pc + 4u * u->length, 0);
    }
    d->machine.fault = fault;
    w->pc = pc + 4u * u->length;
    return NULL;
}

/* ---- from outside ---- */

/* A wave that waits for others comes back to the instruction later, as if it had not been there. */
uint64_t gcn_leave_wait(struct gcn_wave *w)
{
    if (!w->at_barrier && !w->gws)
        return w->pc;
    if (w->at_barrier)
        w->group->waiting--;
    if (w->gws == GCN_GWS_BARRIER)
        w->device->gws[w->gws_resource]++;
    w->at_barrier = false;
    w->gws = GCN_GWS_NONE;
    return w->wait_pc;
}

static void trap_from_outside(struct gcn_wave *w, uint32_t what)
{
    begin_trap(w, gcn_leave_wait(w), what);
    gcn_update_ready(w);
}

bool gcn_wave_raise(struct gcn_device *d, uint32_t wave, uint32_t trapsts)
{
    if (wave >= d->machine.waves || !d->wave[wave].active)
        return false;
    struct gcn_wave *w = &d->wave[wave];
    w->trapsts |= trapsts;
    if (gcn_calls_for_trap(w, trapsts))
        trap_from_outside(w, 0);
    return true;
}

bool gcn_wave_trap(struct gcn_device *d, uint32_t wave, unsigned id)
{
    if (wave >= d->machine.waves || !d->wave[wave].active || !gcn_may_trap(&d->wave[wave]))
        return false;
    trap_from_outside(&d->wave[wave], (id & 0xff) << TTMP1_TRAP_SHIFT | TTMP1_HOST_TRAP);
    return true;
}

/* ---- instructions ---- */

OP(s_trap)
{
    const unsigned id = (unsigned)u->imm & 0xff;
    if (gcn_kfd_handles(w, id == BREAKPOINT)) {
        gcn_kfd_stop(w, gcn_pc_of(w, u), id << TTMP1_TRAP_SHIFT,
                     id == ABORT ? KFD_EC_QUEUE_WAVE_ABORT : KFD_EC_QUEUE_WAVE_TRAP);
        wt_not_issued(&w->device->machine);
        return NULL;
    }
    if (!gcn_may_trap(w)) {
        static const char *const meanings[] = {
            "",
            " (a breakpoint)",
            " (the program gave up: assert, abort or __builtin_trap)",
            " (a debug trap)",
        };
        return gcn_fault(w, u, WT_FAULT_TRAP, gcn_exec(w), 0,
                         "s_trap %u%s, and there is no trap handler", id,
                         id < 4 ? meanings[id] : "");
    }
    /* The PC is that of s_trap itself: handlers add 4. */
    return gcn_enter_trap(w, gcn_pc_of(w, u), id);
}

OP(s_rfe_b64)
{
    const uint64_t pc = gcn_scalar64(w, u, u->src[0], false);
    w->status &= ~(uint32_t)GCN_STATUS_PRIV;
    w->pc = pc & 0xffffffffffff;
    /* A request to save that has come meanwhile is met now, of a halted wave, too. */
    if (gcn_calls_for_trap(w, w->trapsts & GCN_TRAPSTS_SAVECTX))
        begin_trap(w, w->pc, 0);
    /* The handler may have halted the wave. */
    gcn_update_ready(w);
    return NULL;
}

/* The second source restores INST_ATC, how addresses of instructions are translated: all the same
 * here. */
OP(s_rfe_restore_b64)
{
    return gcn_op_s_rfe_b64(w, u);
}
