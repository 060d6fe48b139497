/*
 * Exceptions of a thread, its system routine, and the registers by which a host debugs threads
 * (docs/gen9.md, "Exceptions"; Skylake PRM volume 7, "Exceptions"; TD_CTL, TD_ATT and TD_CLR as
 * Linux's drivers for Intel GPUs use them).
 *
 * An exception sets its status bit in cr0.1, puts the application's IP (AIP) into cr0.2, sets
 * Master Exception State in cr0.0, and goes on in the system routine. Until that bit is cleared,
 * nothing else is taken.
 */
#include "emulator/gen/internal.h"

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

static bool is_enabled(const struct gen_thread *t, uint32_t enable)
{
    return has_system(t) && !in_system(t) && t->g->cr[1] & enable;
}

/* The thread is between instructions; `aip` is where its application goes on. */
static void enter(struct gen_thread *t, uint64_t aip)
{
    assert(has_system(t) && !in_system(t));
    t->g->cr[2] = (uint32_t)(aip - t->base);
    t->g->cr[0] = (t->g->cr[0] | GEN_CR0_MASTER) & ~(uint32_t)GEN_CR0_SUPPRESS;
    t->suppresses = false;
    t->pc = t->base + gen_walk_of(t)->walk.sip;
}

/* The same as the effect of instruction `u`. */
static const struct gen_uop *enter_from(struct gen_thread *t, const struct gen_uop *u)
{
    enter(t, gen_pc_of(t, u));
    return gen_jump(t, t->pc);
}

static bool is_requested(const struct gen_thread *t)
{
    const uint32_t status = t->g->cr[1];
    return has_system(t) && !in_system(t) &&
           (status & requests || (status & GEN_CR1_SOFTWARE && status & GEN_CR1_ENABLE_SOFTWARE));
}

bool gen_has_attention(const struct gen_thread *t)
{
    return t->active && t->waits && in_system(t);
}

void gen_take_request(struct gen_thread *t)
{
    if (!is_requested(t))
        return;
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
    if (!is_requested(t))
        return u;
    enter(t, u ? gen_pc_of(t, u) : t->pc);
    return u ? gen_jump(t, t->pc) : NULL;
}

const struct gen_uop *gen_control_written(struct gen_thread *t, const struct gen_uop *u,
                                          bool was_in_system)
{
    if (was_in_system && !in_system(t)) {
        const uint64_t aip = t->base + t->g->cr[2];
        t->suppresses = t->g->cr[0] & GEN_CR0_SUPPRESS;
        if (t->suppresses || !is_requested(t))
            return gen_jump(t, aip);
        enter(t, aip);
        return gen_jump(t, t->pc);
    }
    if (!is_requested(t))
        return gen_next(u);
    enter(t, gen_pc_of(t, gen_next(u)));
    return gen_jump(t, t->pc);
}

const struct gen_uop *gen_stack_written(struct gen_thread *t, const struct gen_uop *u)
{
    const uint32_t top = t->g->sp[0], limit = t->g->sp[1];
    if (top <= limit || !is_enabled(t, GEN_CR1_ENABLE_STACK))
        return gen_next(u);
    t->g->cr[1] |= GEN_CR1_STACK;
    return enter_from(t, u);
}

bool gen_take_illegal(struct gen_thread *t, const struct gen_uop *u, const struct gen_uop **next)
{
    if (!is_enabled(t, GEN_CR1_ENABLE_ILLEGAL))
        return false;
    t->g->cr[1] |= GEN_CR1_ILLEGAL;
    *next = enter_from(t, u);
    return true;
}

/* DebugCtrl counts where breakpoints are enabled, for the thread or for all, and is not suppressed.
 */
const struct gen_uop *gen_op_breakpoint(struct gen_thread *t, const struct gen_uop *u)
{
    const uint32_t control = t->device->td_ctl;
    const bool enabled =
        control & GEN_TD_CTL_FORCE_BREAKPOINTS || t->g->cr[1] & GEN_CR1_ENABLE_BREAKPOINT;
    if (!(control & GEN_TD_CTL_BREAKPOINTS) || !enabled || t->suppresses || !has_system(t) ||
        in_system(t))
        return u->real(t, u);
    t->g->cr[1] |= GEN_CR1_BREAKPOINT;
    return enter_from(t, u);
}

void gen_thread_begins(struct gen_thread *t)
{
    const uint32_t control = t->device->td_ctl;
    if (control & GEN_TD_CTL_HALT)
        t->g->cr[1] |= GEN_CR1_HALT;
    if (control & GEN_TD_CTL_FORCE && control & GEN_TD_CTL_FORCE_ENABLE)
        t->g->cr[1] |= GEN_CR1_FORCED;
    gen_take_request(t);
}
