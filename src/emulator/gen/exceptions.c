/*
 * Exceptions of a thread, its system routine, and the registers by which a host debugs threads
 * (docs/gen9.md, "Exceptions"; Skylake PRM volume 7, "Exceptions"; TD_CTL, TD_ATT and TD_CLR as
 * Linux's drivers for Intel GPUs use them).
 *
 * An exception sets its status bit in cr0.1, puts the application's IP (AIP) into cr0.2, sets
 * Master Exception State in cr0.0, and goes on in the system routine. Until that bit is cleared,
 * nothing else is taken. With a debugger (routine.c), the driver's routine takes breakpoints, halts
 * and steps, and each exception for which the program has no routine of its own.
 */
#include "emulator/gen/internal.h"

#include <string.h>

/* Status bits that are requests: they are taken as soon as the thread is in its application. */
static const uint32_t requests = GEN_CR1_BREAKPOINT | GEN_CR1_HALT | GEN_CR1_FORCED;

static bool in_system(const struct gen_thread *t)
{
    return t->g->cr[0] & GEN_CR0_MASTER;
}

static bool has_system(const struct gen_thread *t)
{
    return gen_walk_of(t)->walk.sip != 0;
}

/* Whether the driver's routine takes the exceptions of these status bits. */
static bool is_drivers(const struct gen_thread *t, uint32_t status)
{
    return t->device->debugged && (status & requests || !has_system(t));
}

static bool is_enabled(const struct gen_thread *t, uint32_t enable)
{
    return (has_system(t) || t->device->debugged) && !in_system(t) && t->g->cr[1] & enable;
}

/* The thread is between instructions; `aip` is where its application goes on. */
static void enter(struct gen_thread *t, uint64_t aip)
{
    assert(has_system(t) && !in_system(t));
    t->g->cr[2] = (uint32_t)(aip - t->base);
    t->in_system = true;
    if (t->g->cr[1] & GEN_CR1_SAVE)
        t->g->cr[3] |= GEN_CR3_SAVE;
    t->g->cr[0] = (t->g->cr[0] | GEN_CR0_MASTER) & ~(uint32_t)GEN_CR0_SUPPRESS;
    t->suppresses = false;
    t->pc = t->base + gen_walk_of(t)->walk.sip;
}

/* Likewise, or the driver's routine has the thread: within a turn, what follows. Of the program's
 * own status bits, those that are requests have done their work. */
static const struct gen_uop *take(struct gen_thread *t, uint64_t aip, uint32_t status)
{
    if (!is_drivers(t, status)) {
        enter(t, aip);
        return gen_jump(t, t->pc);
    }
    t->g->cr[1] &= ~requests;
    t->pc = aip;
    gen_hold(t, status);
    return NULL;
}

/* Likewise in the place of instruction `u`, which has no effect. */
static const struct gen_uop *take_instead(struct gen_thread *t, const struct gen_uop *u,
                                          uint32_t status)
{
    const struct gen_uop *next = take(t, gen_pc_of(t, u), status);
    if (t->held)
        wt_not_issued(&t->device->machine);
    return next;
}

static bool is_requested(const struct gen_thread *t)
{
    const uint32_t status = t->g->cr[1];
    if (status & GEN_CR1_SAVE && has_system(t) && !in_system(t))
        return true;
    return (has_system(t) || t->device->debugged) && !in_system(t) &&
           (status & requests || (status & GEN_CR1_SOFTWARE && status & GEN_CR1_ENABLE_SOFTWARE));
}

/* A thread that cannot take it now does so when it is in its application again. */
void gen_request_save(struct gen_thread *t, bool forced)
{
    if (!has_system(t) || !(forced || t->g->cr[1] & GEN_CR1_ENABLE_SAVE))
        return;
    t->g->cr[1] |= GEN_CR1_SAVE;
    gen_take_save(t);
}

void gen_take_save(struct gen_thread *t)
{
    if (t->held || in_system(t) || t->suppresses || !has_system(t) || !(t->g->cr[1] & GEN_CR1_SAVE))
        return;
    enter(t, t->waits ? t->wait_pc : t->pc);
    t->waits = false;
    gen_update_ready(t);
}

bool gen_has_attention(const struct gen_thread *t)
{
    return t->active && (t->held || (t->waits && in_system(t)));
}

void gen_take_request(struct gen_thread *t)
{
    if (!is_requested(t))
        return;
    assert(!t->device->debugged);
    enter(t, t->waits ? t->wait_pc : t->pc);
    t->waits = false;
    gen_update_ready(t);
}

const struct gen_uop *gen_after_suppressed(struct gen_thread *t, const struct gen_uop *u)
{
    /* It may have ended the thread, whose place another one may have taken, or jumped to nowhere.
     */
    if (!t->active || !t->suppresses || t->device->machine.fault.kind)
        return u;
    t->suppresses = false;
    t->g->cr[0] &= ~(uint32_t)GEN_CR0_SUPPRESS;
    const uint64_t aip = u ? gen_pc_of(t, u) : t->pc;
    if (t->steps) {
        t->pc = aip;
        gen_hold(t, GEN_CR1_BREAKPOINT);
        return NULL;
    }
    if (!is_requested(t))
        return u;
    const struct gen_uop *next = take(t, aip, t->g->cr[1]);
    return u ? next : NULL;
}

const struct gen_uop *gen_control_written(struct gen_thread *t, const struct gen_uop *u)
{
    const bool was_in_system = t->in_system;
    t->in_system = in_system(t);
    if (was_in_system && !in_system(t)) {
        const uint64_t aip = t->base + t->g->cr[2];
        t->g->cr[3] &= ~GEN_CR3_SAVE;
        t->suppresses = t->g->cr[0] & GEN_CR0_SUPPRESS;
        if (t->suppresses || !is_requested(t))
            return gen_jump(t, aip);
        return take(t, aip, t->g->cr[1]);
    }
    return is_requested(t) ? take(t, gen_pc_of(t, gen_next(u)), t->g->cr[1]) : gen_next(u);
}

bool gen_sets_mode(const struct gen_insn *insn)
{
    const struct gen_operand *d = &insn->dst, *a = &insn->src[0], *b = &insn->src[1];
    return insn->row == &gen_rows[GEN_OR] && insn->exec_size == 1 && insn->no_mask &&
           !insn->predicate && !insn->condition && !insn->saturate && !insn->accumulate &&
           !insn->align16 && d->file == GEN_ARF && !d->indirect && d->reg == GEN_ARF_CR << 4 &&
           d->type == GEN_UD && !d->subreg && a->file == GEN_ARF && !a->indirect &&
           a->reg == d->reg && a->type == GEN_UD && !a->subreg && !a->negate && !a->absolute &&
           b->file == GEN_IMMEDIATE && (b->type == GEN_UD || b->type == GEN_UW) && !b->negate &&
           !b->absolute;
}

const struct gen_uop *gen_run_mode(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_operand *o = &u->insn.src[1];
    t->g->cr[0] |= (uint32_t)o->immediate & (o->type == GEN_UW ? UINT16_MAX : UINT32_MAX);
    return gen_control_written(t, u);
}

/* Instructions that write sp are rare: a copy of all registers takes back what one has written. */
const struct gen_uop *gen_run_on_stack(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_registers before = *t->g;
    const struct gen_uop *next = u->general(t, u);
    const uint32_t top = t->g->sp[0], limit = t->g->sp[1];
    if (top <= limit || in_system(t) || memcmp(before.sp, t->g->sp, sizeof before.sp) == 0)
        return next;
    *t->g = before;
    if (!is_enabled(t, GEN_CR1_ENABLE_STACK))
        return gen_fault(t, u, WT_FAULT_STACK_OVERFLOW, gen_enabled(t, &u->insn), 0,
                         "the stack's top, sp.0 = 0x%x, would be beyond its limit, sp.1 = 0x%x: "
                         "use less of the stack, or set a higher limit before or with the top",
                         top, limit);
    t->g->cr[1] |= GEN_CR1_STACK;
    return take_instead(t, u, GEN_CR1_STACK);
}

bool gen_take_illegal(struct gen_thread *t, const struct gen_uop *u, const struct gen_uop **next)
{
    if (!is_enabled(t, GEN_CR1_ENABLE_ILLEGAL))
        return false;
    t->g->cr[1] |= GEN_CR1_ILLEGAL;
    *next = take_instead(t, u, GEN_CR1_ILLEGAL);
    return true;
}

/* DebugCtrl counts where breakpoints are enabled, for the thread or for all, and is not suppressed.
 */
const struct gen_uop *gen_op_breakpoint(struct gen_thread *t, const struct gen_uop *u)
{
    const uint32_t control = t->device->td_ctl;
    const bool enabled =
        control & GEN_TD_CTL_FORCE_BREAKPOINTS || t->g->cr[1] & GEN_CR1_ENABLE_BREAKPOINT;
    if (!(control & GEN_TD_CTL_BREAKPOINTS) || !enabled || t->suppresses)
        return u->real(t, u);
    if (t->device->debugged)
        return take_instead(t, u, GEN_CR1_BREAKPOINT);
    if (!has_system(t) || in_system(t))
        return u->real(t, u);
    t->g->cr[1] |= GEN_CR1_BREAKPOINT;
    return take_instead(t, u, GEN_CR1_BREAKPOINT);
}

void gen_thread_begins(struct gen_thread *t)
{
    const uint32_t control = t->device->td_ctl;
    uint32_t status = control & GEN_TD_CTL_HALT ? GEN_CR1_HALT : 0;
    if (control & GEN_TD_CTL_FORCE && control & GEN_TD_CTL_FORCE_ENABLE)
        status |= GEN_CR1_FORCED;
    if (t->device->debugged) {
        if (status)
            gen_hold(t, status);
        return;
    }
    t->g->cr[1] |= status;
    gen_take_request(t);
}
