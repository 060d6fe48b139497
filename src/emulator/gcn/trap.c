/*
 * Traps: how a wave enters the trap handler, and how it returns (manual, section 3.10; the kernel
 * driver's handler, which relies on it, is the source for the rest).
 */
#include "emulator/gcn/internal.h"

#include <stdio.h>
#include <string.h>

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

enum {
    TTMP1_TRAP_SHIFT = 16,
    TTMP1_HOST_TRAP = 1 << 24,
    TTMP1_REWIND_SHIFT = 25,
    TRAPSTS_EXCP = 0x1ff,
    TRAPSTS_EXCP_CYCLE_SHIFT = 16,
    TRAPSTS_EXCP_CYCLE = 0x3f << TRAPSTS_EXCP_CYCLE_SHIFT,
    TRAPSTS_DP_RATE_SHIFT = 29,
    MOST_SAVE_ENTRIES = 1000,
    TRAPSTS_ADDR_WATCH = 1 << 7 | 7 << 12,
    EXCP_ADDR_WATCH = 1 << 7,
    TRAPSTS_HOST_TRAP = 1 << 22, /* these two: gfx942 */
    TRAPSTS_TRAP_AFTER_INST = 1 << 25,
};
/* Trap numbers (LLVM, "User Guide for AMDGPU Backend": trap handler ABI). */
enum { BREAKPOINT = 1, ABORT = 2 };

/* S_TRAP's micro-operation, whichever of the three made it (an instruction, an exception, the
 * host): waits for outstanding accesses, fills TTMP1:TTMP0 ({3'0, PCRewind, HT, TrapID, PC}), sets
 * PRIV. The wave's next instruction is the handler's first. */
static void begin_trap(struct gcn_wave *w, uint64_t pc, uint32_t what)
{
    assert(w->tba && !(what & 0xffff) && what >> 29 == 0);
    pc &= 0xffffffffffff;
    w->vm_cnt = w->lgkm_cnt = w->exp_cnt = w->vs_cnt = 0;
    w->step_due = false;
    w->s[GCN_TTMP] = (uint32_t)pc;
    w->s[GCN_TTMP + 1] = (uint32_t)(pc >> 32) | what;
    w->status |= GCN_STATUS_PRIV;
    struct gcn_device *d = w->device;
    if (!wt_met(&d->machine))
        d->host->first_level_trap(
            d->host->context, d,
            &(struct gcn_trap){
                .ttmp = &w->s[GCN_TTMP], .status = gcn_status(w), .tba = w->tba, .tma = w->tma});
    w->pc = w->tba;
}

const struct gcn_uop *gcn_enter_trap(struct gcn_wave *w, uint64_t pc, unsigned id, unsigned rewind)
{
    assert(gcn_may_trap(w) && id < 256 && rewind < 16);
    begin_trap(w, pc, id << TTMP1_TRAP_SHIFT | rewind << TTMP1_REWIND_SHIFT);
    return gcn_jump(w, w->tba);
}

/* The wave's exceptions in TRAPSTS that its MODE enables; those of all address watches are one. */
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

/* Likewise on gfx10, of the 32 lanes that it executes at once: EXCP_WAVE64HI says which ones,
 * EXCP_GROUP_MASK which groups of eight of them raised it in that cycle. Two lanes a cycle are a
 * sixteenth of the rate. A model, too. */
static void note_cycle_gfx10(struct gcn_wave *w, bool doubles, uint64_t lanes)
{
    const unsigned lane = (unsigned)__builtin_ctzll(lanes), at = lane % 32;
    const uint32_t half = (uint32_t)(lanes >> (lane - at));
    uint32_t groups = 0;
    for (unsigned i = 0; i < 4; i++)
        groups |= (uint32_t)(doubles ? at / 8 == i : (half >> (8 * i) & 0xff) != 0) << i;
    w->trapsts &= ~(UINT32_C(0x1ff) << TRAPSTS_EXCP_CYCLE_SHIFT | 7u << TRAPSTS_DP_RATE_SHIFT);
    w->trapsts |= (doubles ? at / 2 | 4u << (TRAPSTS_DP_RATE_SHIFT - TRAPSTS_EXCP_CYCLE_SHIFT) : 0u)
                  << TRAPSTS_EXCP_CYCLE_SHIFT;
    w->trapsts |= groups << 20 | (uint32_t)(lane >= 32) << 24;
}

/*
 * EXCP_CYCLE and DP_RATE: when the first lane raised it. The manual gives the fields' meaning, not
 * the rates; this is a model. [1:0] is the phase: which 16 lanes. Doubles run at a sixteenth of the
 * full rate (DP_RATE 4, its logarithm): [3:2] is the pass of four lanes, [5:4] the lane in it.
 */
static void note_cycle(struct gcn_wave *w, const struct gcn_uop *u, uint64_t lanes)
{
    const bool doubles = strchr(u->row->operands, 'F') != NULL;
    if (gcn_is_gfx10(gcn_model_of(w->device))) {
        note_cycle_gfx10(w, doubles, lanes);
        return;
    }
    const unsigned lane = (unsigned)__builtin_ctzll(lanes);
    uint32_t cycle = lane / 16, rate = 0;
    if (doubles) {
        cycle |= (lane % 16 / 4) << 2 | (lane % 4) << 4;
        rate = 4;
    }
    w->trapsts &= ~(uint32_t)TRAPSTS_EXCP_CYCLE & ~(7u << TRAPSTS_DP_RATE_SHIFT);
    w->trapsts |= cycle << TRAPSTS_EXCP_CYCLE_SHIFT | rate << TRAPSTS_DP_RATE_SHIFT;
}

/* Whether the host wants the run to end at one of these exceptions (struct gcn_origin). */
static bool is_caught(const struct gcn_wave *w, uint32_t raised)
{
    return gcn_dispatch_of(w)->origin.caught & raised;
}

const struct gcn_uop *gcn_raised(struct gcn_wave *w, const struct gcn_uop *u, uint32_t raised,
                                 uint64_t lanes)
{
    struct gcn_device *d = w->device;
    const uint64_t pc = gcn_pc_of(w, u);
    const bool debugged = gcn_kfd_handles(w, false);
    struct wt_fault fault = {
        .kind = WT_FAULT_EXCEPTION,
        .wave = w->id,
        .lanes = lanes,
        .pc = pc,
        .time = gcn_now(w),
    };
    const bool caught = is_caught(w, raised), taken = gcn_may_trap(w) && !caught;
    snprintf(fault.text, sizeof fault.text, "%s: %s, which EXCP_EN makes an exception%s",
             u->row->name, exception_name(raised),
             taken || caught || debugged ? "" : ", and there is no trap handler");
    struct gcn_raise *noted = gcn_raise_of(w);
    if (noted) {
        noted->time = fault.time;
        noted->rewind = u->length;
    }
    if (lanes)
        note_cycle(w, u, lanes);
    if (debugged) {
        gcn_note_exception(d, &fault);
        gcn_kfd_stop(w, pc + 4u * u->length, (uint32_t)u->length << TTMP1_REWIND_SHIFT,
                     KFD_EC_QUEUE_WAVE_MATH_ERROR);
        return NULL;
    }
    if (taken) {
        gcn_note_exception(d, &fault);
        return gcn_enter_trap(w, pc + 4u * u->length, 0, u->length);
    }
    d->machine.fault = fault;
    w->pc = pc + 4u * u->length;
    return NULL;
}

/* ---- behind an instruction ---- */

/* Bits of TRAPSTS by the watches that were hit. */
static uint32_t watch_bits(uint8_t hits)
{
    return (hits & 1 ? GCN_TRAPSTS_ADDR_WATCH0 : 0u) |
           (uint32_t)(hits >> 1) * GCN_TRAPSTS_ADDR_WATCH1;
}

/* An address watch whose exception is taken by no handler, or by the host. */
static void fault_at_watch(struct gcn_wave *w, bool caught)
{
    struct gcn_device *d = w->device;
    const struct wt_fault *exception = gcn_wave_exception(d, w->id);
    d->machine.fault = exception ? *exception
                                 : (struct wt_fault){.kind = WT_FAULT_EXCEPTION,
                                                     .wave = w->id,
                                                     .pc = w->pc,
                                                     .time = d->machine.time,
                                                     .text = "an access hits an address watch"};
    if (caught)
        return;
    const size_t length = strlen(d->machine.fault.text);
    snprintf(d->machine.fault.text + length, sizeof d->machine.fault.text - length,
             ", and there is no trap handler");
}

/* A trap behind an instruction: to the debugger or to the handler. */
static void trap_behind(struct gcn_wave *w, uint32_t ttmp1)
{
    if (gcn_kfd_handles(w, true))
        gcn_kfd_stop(w, w->pc, ttmp1, KFD_EC_QUEUE_WAVE_TRAP);
    else
        begin_trap(w, w->pc, ttmp1);
    gcn_update_ready(w);
}

/* A trap behind a single step, which a gfx942 notes in TRAPSTS. */
static void trap_at_step(struct gcn_wave *w)
{
    if (gcn_model_of(w->device)->private_registers && !gcn_kfd_handles(w, true))
        w->trapsts |= TRAPSTS_TRAP_AFTER_INST;
    trap_behind(w, 0);
}

void gcn_after_instruction(struct gcn_wave *w, bool step)
{
    const uint32_t watched = watch_bits(w->watch_hits);
    const bool debugger = gcn_kfd_handles(w, true);
    w->watch_hits = 0;
    w->trapsts |= watched;
    const bool caught = is_caught(w, watched ? EXCP_ADDR_WATCH : 0) && !debugger;
    if (enabled(w, watched) && !caught && (debugger || gcn_may_trap(w))) {
        trap_behind(w, (uint32_t)w->watch_rewind << TTMP1_REWIND_SHIFT);
    } else if (enabled(w, watched) && !(w->status & GCN_STATUS_PRIV)) {
        fault_at_watch(w, caught);
    } else if (step && (debugger || gcn_may_trap(w))) {
        if (debugger && w->status & GCN_STATUS_HALT)
            return; /* it has stopped already */
        w->step_due = w->at_barrier || w->gws;
        if (!w->step_due)
            trap_at_step(w);
    }
}

bool gcn_begin_step(struct gcn_wave *w, bool *step)
{
    const bool debugger = gcn_kfd_handles(w, true), due = w->step_due;
    *step = false;
    if (!debugger && !gcn_may_trap(w))
        return true;
    w->step_due = false;
    if (due)
        trap_at_step(w);
    else
        *step = w->mode & GCN_MODE_DEBUG_EN;
    return !due || !debugger;
}

/* ---- from outside ---- */

/* A wave that waits for others comes back to the instruction later, as if it had not been there. */
uint64_t gcn_leave_wait(struct gcn_wave *w)
{
    if (!w->at_barrier && !w->gws)
        return w->pc;
    if (w->at_barrier)
        w->group->waiting &= ~gcn_slot_bit(w);
    if (w->gws == GCN_GWS_BARRIER)
        w->device->gws[w->gws_resource]++;
    w->at_barrier = false;
    w->gws = GCN_GWS_NONE;
    return w->wait_pc;
}

void gcn_trap_from_outside(struct gcn_wave *w, uint32_t ttmp1)
{
    begin_trap(w, gcn_leave_wait(w), ttmp1);
    gcn_update_ready(w);
}

bool gcn_wave_raise(struct gcn_device *d, uint32_t wave, uint32_t trapsts)
{
    if (wave >= d->machine.waves || !d->wave[wave].active)
        return false;
    struct gcn_wave *w = &d->wave[wave];
    w->trapsts |= trapsts;
    if (gcn_calls_for_trap(w, trapsts))
        gcn_trap_from_outside(w, 0);
    return true;
}

/* Number 0 is the hardware's own: a handler cannot tell it from an exception. */
static void note_trap_zero(const struct gcn_wave *w, const char *origin, uint64_t pc)
{
    struct gcn_device *d = w->device;
    if (!d->notice[0])
        snprintf(d->notice, sizeof d->notice,
                 "%s at 0x%llx: trap number 0 is the hardware's own; it is taken, and a trap "
                 "handler finds it like an exception",
                 origin, (unsigned long long)pc);
}

const char *gcn_device_take_notice(struct gcn_device *d)
{
    if (!d->notice[0] || d->notice_told)
        return NULL;
    d->notice_told = true;
    return d->notice;
}

bool gcn_wave_trap(struct gcn_device *d, uint32_t wave, unsigned id)
{
    if (wave >= d->machine.waves || !d->wave[wave].active || !gcn_may_trap(&d->wave[wave]))
        return false;
    if (!(id & 0xff))
        note_trap_zero(&d->wave[wave], "the host's trap 0", d->wave[wave].pc);
    if (gcn_model_of(d)->private_registers)
        d->wave[wave].trapsts |= TRAPSTS_HOST_TRAP;
    gcn_trap_from_outside(&d->wave[wave], (id & 0xff) << TTMP1_TRAP_SHIFT | TTMP1_HOST_TRAP);
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
    if (!id)
        note_trap_zero(w, "s_trap 0", gcn_pc_of(w, u));
    /* The PC is that of s_trap itself: handlers add 4. */
    return gcn_enter_trap(w, gcn_pc_of(w, u), id, 0);
}

OP(s_rfe_b64)
{
    const uint64_t pc = gcn_scalar64(w, u, u->src[0], false);
    const bool save = w->trapsts & GCN_TRAPSTS_SAVECTX;
    w->save_entries = save ? w->save_entries + 1 : 0;
    if (w->save_entries > MOST_SAVE_ENTRIES)
        return gcn_fault(w, u, WT_FAULT_TRAP, gcn_exec(w), 0,
                         "%s: the trap handler has returned %u times in a row with "
                         "TRAPSTS.SAVECTX set; it must clear it by s_setreg",
                         u->row->name, MOST_SAVE_ENTRIES);
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
