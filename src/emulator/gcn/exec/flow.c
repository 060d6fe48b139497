/* Program flow: SOPP, and the scalar instructions that set the PC (manual, sections 4.1 and 4.2).
 */
#include "emulator/gcn/internal.h"

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

static const struct gcn_uop *branch(struct gcn_wave *w, const struct gcn_uop *u, bool taken)
{
    if (!taken)
        return gcn_next(u);
    return gcn_jump(w, (gcn_pc_of(w, u) + 4 + (uint64_t)(int64_t)u->imm * 4) & 0xffffffffffff);
}

/* Ends the turn behind u: another wave may have to run, or this one may not go on. */
static const struct gcn_uop *yield(struct gcn_wave *w, const struct gcn_uop *u)
{
    w->pc = gcn_pc_of(w, u) + 4;
    return NULL;
}

/* Instructions without an effect that a program can see: hints, delays, caches (they are coherent
 * here), counters. */
#define NOTHING(name)                                                                              \
    OP(name)                                                                                       \
    {                                                                                              \
        (void)w;                                                                                   \
        return gcn_next(u);                                                                        \
    }
NOTHING(s_nop)
NOTHING(s_wakeup)
NOTHING(s_icache_inv)
NOTHING(s_incperflevel)
NOTHING(s_decperflevel)
NOTHING(s_ttracedata)
NOTHING(s_ttracedata_imm)
NOTHING(s_version)
NOTHING(s_inst_prefetch)
NOTHING(s_clause)
NOTHING(s_waitcnt_depctr)

#define BRANCH(name, condition)                                                                    \
    OP(name)                                                                                       \
    {                                                                                              \
        return branch(w, u, condition);                                                            \
    }
/* Conditional debug (STATUS bits 20 and 21). */
#define USER (w->status >> 20 & 1)
#define SYSTEM (w->status >> 21 & 1)
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !w->scc)
BRANCH(s_cbranch_scc1, w->scc)
BRANCH(s_cbranch_vccz, !gcn_vcc(w))
BRANCH(s_cbranch_vccnz, gcn_vcc(w) != 0)
BRANCH(s_cbranch_execz, !gcn_exec(w))
BRANCH(s_cbranch_execnz, gcn_exec(w) != 0)
BRANCH(s_cbranch_cdbgsys, SYSTEM)
BRANCH(s_cbranch_cdbguser, USER)
BRANCH(s_cbranch_cdbgsys_or_user, SYSTEM || USER)
BRANCH(s_cbranch_cdbgsys_and_user, SYSTEM &&USER)

/* A wave neither ends nor waits for others before its violations of memory are told. */
static bool tells_late(struct gcn_wave *w, const struct gcn_uop *u)
{
    if (!w->late)
        return false;
    w->pc = gcn_pc_of(w, u);
    wt_not_issued(&w->device->machine);
    gcn_tell_late(w);
    return true;
}

OP(s_endpgm)
{
    if (tells_late(w, u))
        return NULL;
    w->pc = gcn_pc_of(w, u);
    gcn_wave_end(w);
    return NULL;
}

/* The end of a wave whose state a trap handler has saved: the same here. */
OP(s_endpgm_saved)
{
    return gcn_op_s_endpgm(w, u);
}

OP(s_barrier)
{
    if (tells_late(w, u))
        return NULL;
    w->wait_pc = gcn_pc_of(w, u);
    w->pc = w->wait_pc + 4;
    gcn_barrier(w);
    return NULL;
}

/* Tells who observes the machine of a wait. It is not inlined, since it would slow s_waitcnt down
 * where nobody observes. */
__attribute__((noinline)) static void tell_wait(const struct gcn_wave *w, const struct gcn_uop *u,
                                                unsigned vm, unsigned exp, unsigned lgkm,
                                                unsigned vs)
{
    struct wt_observed_event wait = {
        .kind = WT_SEEN_WAIT,
        .pc = gcn_pc_of(w, u),
        .count = {vm == 63 ? WT_NO_COUNT : (uint8_t)vm, exp == 7 ? WT_NO_COUNT : (uint8_t)exp,
                  lgkm >= gcn_most_lgkm(w->device) ? WT_NO_COUNT : (uint8_t)lgkm,
                  vs == 63 ? WT_NO_COUNT : (uint8_t)vs}};
    wt_wave_tell(&w->device->machine, &w->head, &wait);
}

/* Accesses complete when they issue; the counters record those not yet covered by a wait. */
static inline const struct gcn_uop *wait_for(struct gcn_wave *w, const struct gcn_uop *u,
                                             unsigned vm, unsigned exp, unsigned lgkm, unsigned vs)
{
    if (w->vm_cnt > vm)
        w->vm_cnt = (uint8_t)vm;
    if (w->exp_cnt > exp)
        w->exp_cnt = (uint8_t)exp;
    if (w->lgkm_cnt > lgkm)
        w->lgkm_cnt = (uint8_t)lgkm;
    if (w->vs_cnt > vs)
        w->vs_cnt = (uint8_t)vs;
    if (wt_observes_events(&w->device->machine))
        tell_wait(w, u, vm, exp, lgkm, vs);
    return gcn_next(u);
}

OP(s_waitcnt)
{
    return wait_for(w, u, u->src[0], u->src[1], u->src[2], 63);
}

/* From gfx10 on: a wait for one counter, which is the immediate's or a register's number. */
static unsigned awaited(struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_scalar32(w, u, u->src[0]) + (uint16_t)u->imm;
}

/* Stores, and atomic operations without a result. */
OP(s_waitcnt_vscnt)
{
    return wait_for(w, u, 63, 7, 63, awaited(w, u));
}

OP(s_waitcnt_vmcnt)
{
    return wait_for(w, u, awaited(w, u), 7, 63, 63);
}

OP(s_waitcnt_expcnt)
{
    return wait_for(w, u, 63, awaited(w, u), 63, 63);
}

OP(s_waitcnt_lgkmcnt)
{
    return wait_for(w, u, 63, 7, awaited(w, u), 63);
}

OP(s_wait_idle)
{
    return wait_for(w, u, 0, 0, 0, 0);
}

/* MODE's rounding: 4 bits from bit 0 on; its denormals: from bit 4 on. */
OP(s_round_mode)
{
    w->mode = (w->mode & ~UINT32_C(0xf)) | (uint32_t)(u->imm & 0xf);
    return gcn_next(u);
}

OP(s_denorm_mode)
{
    w->mode = (w->mode & ~UINT32_C(0xf0)) | (uint32_t)(u->imm & 0xf) << 4;
    return gcn_next(u);
}

/* Ends the wave's turn: another wave may have to do what this one waits for. */
OP(s_sleep)
{
    wt_yield_turn(&w->device->machine);
    return yield(w, u);
}

OP(s_sethalt)
{
    w->status = (w->status & ~(uint32_t)GCN_STATUS_HALT) | (u->imm & 1 ? GCN_STATUS_HALT : 0u);
    gcn_update_ready(w);
    return yield(w, u);
}

OP(s_setprio)
{
    w->status = (w->status & ~(uint32_t)(3 << 3)) | (uint32_t)(u->imm & 3) << 3;
    return gcn_next(u);
}

/* The KILL bit: the wave ends here, as by the host's kill command. */
OP(s_setkill)
{
    if (!(u->imm & 1))
        return gcn_next(u);
    w->pc = gcn_pc_of(w, u);
    gcn_wave_end(w);
    return NULL;
}

/* Messages of compute waves: an interrupt for the host, with M0 as its data; where to save the
 * wave's context; all waves of the process halt; the doorbell of its queue (a trap handler asks for
 * it in EXEC_LO, whose bit 31 says that it waits).
 */
OP(s_sendmsg)
{
    enum { MSG_INTERRUPT = 1, MSG_SAVEWAVE = 4, MSG_HALT_WAVES = 6, MSG_GET_DOORBELL = 10 };
    const unsigned message = (unsigned)u->imm & 15;
    struct gcn_device *d = w->device;
    if (message == MSG_GET_DOORBELL)
        w->s[GCN_EXEC] = gcn_dispatch_of(w)->origin.doorbell;
    else if (message == MSG_SAVEWAVE)
        return gcn_save_answer(w, u);
    else if (message == MSG_INTERRUPT) {
        if (wt_met(&d->machine))
            return yield(w, u);
        gcn_send_interrupt(w, w->s[GCN_M0] & 0xffffff, GCN_INTERRUPT_INST);
        d->host->interrupt(d->host->context, d, w->id, w->s[GCN_M0]);
    } else if (message == MSG_HALT_WAVES) {
        gcn_halt_process(w);
        return yield(w, u);
    } else
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                         "s_sendmsg: message %u is not one that a compute wave may send here",
                         message);
    return gcn_next(u);
}

/* The wave is halted behind it. */
OP(s_sendmsghalt)
{
    const struct gcn_uop *next = gcn_op_s_sendmsg(w, u);
    if (next != gcn_next(u))
        return next;
    w->status |= GCN_STATUS_HALT;
    gcn_update_ready(w);
    return yield(w, u);
}

/* ---- the PC as a value ---- */

OP(s_getpc_b64)
{
    gcn_write_pair(w, u->dst, gcn_pc_of(w, u) + 4);
    return gcn_next(u);
}

static void tell_call(struct gcn_wave *w, const struct gcn_uop *u, enum wt_observed_event_kind kind,
                      uint64_t to)
{
    wt_wave_tell_call(&w->device->machine, &w->head, kind, gcn_pc_of(w, u), ~(wt_lanes)0, to);
}

OP(s_setpc_b64)
{
    const uint64_t to = gcn_scalar64(w, u, u->src[0], false);
    tell_call(w, u, WT_SEEN_RETURN, to);
    return gcn_jump(w, to);
}

OP(s_swappc_b64)
{
    const uint64_t to = gcn_scalar64(w, u, u->src[0], false), back = gcn_pc_of(w, u) + 4;
    gcn_write_pair(w, u->dst, back);
    tell_call(w, u, WT_SEEN_CALL, back);
    return gcn_jump(w, to);
}

OP(s_call_b64)
{
    const uint64_t back = gcn_pc_of(w, u) + 4;
    gcn_write_pair(w, u->dst, back);
    tell_call(w, u, WT_SEEN_CALL, back);
    return branch(w, u, true);
}

/* ---- the lower, then the upper half of a wave of 64 lanes: the register has the half of EXEC that
 * waits, or has been. Not compared with a manual's text or with hardware. ---- */

OP(s_subvector_loop_begin)
{
    const uint64_t exec = gcn_exec(w);
    if (!exec)
        return branch(w, u, true);
    const bool both = (uint32_t)exec;
    if (both)
        gcn_set_exec(w, (uint32_t)exec);
    gcn_write_scalar(w, u->dst, both ? (uint32_t)(exec >> 32) : 0);
    return gcn_next(u);
}

OP(s_subvector_loop_end)
{
    const uint64_t exec = gcn_exec(w);
    const uint32_t other = gcn_scalar32(w, u, u->dst);
    if (exec >> 32) {
        gcn_set_exec(w, exec >> 32 << 32 | other);
        return gcn_next(u);
    }
    if (!other)
        return gcn_next(u);
    gcn_set_exec(w, (uint64_t)other << 32);
    gcn_write_scalar(w, u->dst, (uint32_t)exec);
    return branch(w, u, true);
}

/* ---- forks (section 4.6): the lanes that come later wait on a stack of up to 8 entries in the
 * SGPRs, four each: EXEC, then the PC. CSP, in MODE, counts them. ---- */

static unsigned csp(const struct gcn_wave *w)
{
    return w->mode >> 29;
}

static void set_csp(struct gcn_wave *w, unsigned value)
{
    assert(value < 8);
    w->mode = (w->mode & 0x1fffffff) | (uint32_t)value << 29;
}

/* The smaller part of the lanes goes first. */
static const struct gcn_uop *fork_lanes(struct gcn_wave *w, const struct gcn_uop *u, uint64_t pass,
                                        uint64_t target)
{
    const uint64_t exec = gcn_exec(w), fail = exec & ~pass, next = gcn_pc_of(w, u) + 4;
    pass &= exec;
    if (pass == exec)
        return gcn_jump(w, target);
    if (fail == exec)
        return gcn_next(u);
    if (csp(w) == 7)
        return gcn_fault(w, u, WT_FAULT_STACK_OVERFLOW, exec, 0,
                         "%s: the stack of forks holds 7 entries already", u->row->name);
    const bool fail_first = wt_count_ones(fail) < wt_count_ones(pass);
    uint32_t *entry = &w->s[4 * csp(w)];
    gcn_set_pair(entry, fail_first ? pass : fail);
    gcn_set_pair(entry + 2, fail_first ? target : next);
    gcn_set_exec(w, fail_first ? fail : pass);
    set_csp(w, csp(w) + 1);
    return fail_first ? gcn_next(u) : gcn_jump(w, target);
}

OP(s_cbranch_g_fork)
{
    return fork_lanes(w, u, gcn_scalar64(w, u, u->src[0], false),
                      gcn_scalar64(w, u, u->src[1], false));
}

OP(s_cbranch_i_fork)
{
    return fork_lanes(w, u, gcn_pair(&w->s[u->dst]),
                      gcn_pc_of(w, u) + 4 + (uint64_t)(int64_t)u->imm * 4);
}

OP(s_cbranch_join)
{
    if (csp(w) == gcn_scalar32(w, u, u->src[0]))
        return gcn_next(u); /* all lanes are back */
    if (csp(w) == 0)
        return gcn_fault(w, u, WT_FAULT_STACK_UNDERFLOW, gcn_exec(w), 0,
                         "s_cbranch_join: the stack of forks is empty");
    set_csp(w, csp(w) - 1);
    const uint32_t *entry = &w->s[4 * csp(w)];
    gcn_set_exec(w, gcn_pair(entry));
    return gcn_jump(w, gcn_pair(entry + 2));
}
