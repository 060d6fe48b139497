/*
 * Control flow (Skylake PRM volume 2a; volume 7, "Flow Control"). Every channel has an IP. Channels
 * whose IP is the thread's execute; the others wait until the thread reaches their IP (gen_wake).
 * The nesting of blocks is encoded by the compiler in JIP and UIP.
 */
#include "emulator/gen/internal.h"

void gen_wake_here(struct gen_thread *t, uint32_t ip)
{
    uint32_t here = 0;
    for (unsigned i = 0; i < GEN_CHANNELS; i++)
        here |= (uint32_t)(t->wake[i] == ip) << i;
    here &= t->waiting;
    t->mask |= here;
    t->waiting &= ~here;
    if (!t->waiting)
        t->wake_set = 0;
}

/* These channels wait for the thread to come to `pc`. */
static void park(struct gen_thread *t, uint32_t channels, uint64_t pc)
{
    channels &= t->mask;
    t->mask &= ~channels;
    t->waiting |= channels;
    t->wake_set |= channels ? gen_wake_bit((uint32_t)(pc - t->base)) : 0;
    for (; channels; channels &= channels - 1)
        t->wake[__builtin_ctz(channels)] = (uint32_t)(pc - t->base);
}

/* The channels for which a branch is taken, of the thread's 32. */
static uint32_t taken(const struct gen_thread *t, const struct gen_insn *insn)
{
    return gen_enabled(t, insn) << insn->channel & t->mask;
}

static uint64_t after(const struct gen_thread *t, const struct gen_uop *u)
{
    return gen_pc_of(t, u) + u->insn.length;
}

static uint64_t target(const struct gen_thread *t, const struct gen_uop *u, int32_t offset)
{
    return gen_pc_of(t, u) + (uint64_t)(int64_t)offset;
}

static const struct gen_uop *go_back(struct gen_thread *t, uint64_t pc)
{
    t->back_to = t->back_to && t->back_to < pc ? t->back_to : pc;
    return gen_jump(t, pc);
}

/* On with the next instruction, or with JIP where no channel is left. */
static const struct gen_uop *go_on(struct gen_thread *t, const struct gen_uop *u)
{
    if (t->waiting)
        gen_wake(t, after(t, u));
    if (t->mask || !u->insn.jip)
        return gen_next(u);
    return gen_jump(t, target(t, u, u->insn.jip));
}

const struct gen_uop *gen_op_if(struct gen_thread *t, const struct gen_uop *u)
{
    park(t, t->mask & ~taken(t, &u->insn), target(t, u, u->insn.jip));
    return go_on(t, u);
}

const struct gen_uop *gen_op_else(struct gen_thread *t, const struct gen_uop *u)
{
    park(t, t->mask, target(t, u, u->insn.uip));
    return go_on(t, u);
}

const struct gen_uop *gen_op_endif(struct gen_thread *t, const struct gen_uop *u)
{
    return go_on(t, u);
}

const struct gen_uop *gen_op_join(struct gen_thread *t, const struct gen_uop *u)
{
    return go_on(t, u);
}

const struct gen_uop *gen_op_while(struct gen_thread *t, const struct gen_uop *u)
{
    const uint32_t again = taken(t, &u->insn);
    if (!again) {
        if (t->waiting)
            gen_wake(t, after(t, u));
        return gen_next(u);
    }
    park(t, t->mask & ~again, after(t, u));
    return go_back(t, target(t, u, u->insn.jip));
}

/* UIP is the loop's while: its channels go on behind it. */
const struct gen_uop *gen_op_break(struct gen_thread *t, const struct gen_uop *u)
{
    park(t, taken(t, &u->insn), target(t, u, u->insn.uip) + 16);
    return go_on(t, u);
}

const struct gen_uop *gen_op_cont(struct gen_thread *t, const struct gen_uop *u)
{
    park(t, taken(t, &u->insn), target(t, u, u->insn.uip));
    return go_on(t, u);
}

const struct gen_uop *gen_op_halt(struct gen_thread *t, const struct gen_uop *u)
{
    park(t, taken(t, &u->insn), target(t, u, u->insn.uip));
    return go_on(t, u);
}

/* Channels for which the predicate holds go on behind it; the others wait at UIP. goto.b is the
 * other way round: where the predicate holds for a channel, it jumps to UIP, which lies before, and
 * the others wait behind the instruction. Intel's compiler jumps forward always by a predicate that
 * holds nowhere, and backward always by goto.b without one. */
const struct gen_uop *gen_op_goto(struct gen_thread *t, const struct gen_uop *u)
{
    const uint32_t holds = taken(t, &u->insn);
    if (!u->insn.branch) {
        park(t, t->mask & ~holds, target(t, u, u->insn.uip));
        return go_on(t, u);
    }
    if (!holds)
        return go_on(t, u);
    park(t, t->mask & ~holds, after(t, u));
    return go_back(t, target(t, u, u->insn.uip));
}

/* The target of a branch with a register operand; false: the operand is outside the registers. */
static bool register_target(struct gen_thread *t, const struct gen_uop *u, int32_t *offset)
{
    uint64_t value = 0;
    if (!u->insn.sources) {
        *offset = u->insn.jip;
        return true;
    }
    const bool good = gen_scalar(t, &u->insn.src[0], &value);
    *offset = (int32_t)value;
    return good;
}

static const struct gen_uop *bad_operand(struct gen_thread *t, const struct gen_uop *u)
{
    return gen_fault(t, u, WT_FAULT_ILLEGAL, t->mask, 0,
                     "the operand of %s lies outside the registers", u->insn.row->name);
}

/* The whole thread jumps. */
const struct gen_uop *gen_op_jmpi(struct gen_thread *t, const struct gen_uop *u)
{
    int32_t offset;
    if (!register_target(t, u, &offset))
        return bad_operand(t, u);
    if (!gen_enabled(t, &u->insn))
        return gen_next(u);
    const uint64_t to = after(t, u) + (uint64_t)(int64_t)offset;
    return offset < 0 ? go_back(t, to) : gen_jump(t, to);
}

const struct gen_uop *gen_op_brd(struct gen_thread *t, const struct gen_uop *u)
{
    int32_t offset;
    if (!register_target(t, u, &offset))
        return bad_operand(t, u);
    park(t, taken(t, &u->insn), target(t, u, offset));
    if (t->mask)
        return gen_next(u);
    return gen_jump(t, target(t, u, offset));
}

const struct gen_uop *gen_op_brc(struct gen_thread *t, const struct gen_uop *u)
{
    int32_t jip = u->insn.jip, uip = u->insn.uip;
    uint64_t pair;
    if (u->insn.sources) { /* two dwords: JIP and UIP */
        struct gen_operand second = u->insn.src[0];
        second.subreg = (uint8_t)(second.subreg + 4);
        if (!register_target(t, u, &jip) || !gen_scalar(t, &second, &pair))
            return bad_operand(t, u);
        uip = (int32_t)pair;
    }
    park(t, taken(t, &u->insn), target(t, u, uip));
    if (t->mask)
        return gen_next(u);
    return gen_jump(t, target(t, u, jip));
}

/* Return address and mask go to two dwords of the destination. */
static const struct gen_uop *call(struct gen_thread *t, const struct gen_uop *u, uint64_t to)
{
    const struct gen_operand *o = &u->insn.dst;
    const unsigned at = o->reg * GEN_GRF_BYTES + (o->subreg & ~7u);
    const uint32_t calling = taken(t, &u->insn);
    if (o->file != GEN_GRF || o->indirect || at + 8 > GEN_REGISTER_FILE)
        return bad_operand(t, u);
    if (!calling)
        return gen_next(u);
    park(t, t->mask & ~calling, after(t, u));
    wt_store_le(t->g->r + at, after(t, u) - t->base, 4);
    wt_store_le(t->g->r + at + 4, calling, 4);
    wt_wave_tell_call(&t->device->machine, &t->head, WT_SEEN_CALL, gen_pc_of(t, u), calling,
                      after(t, u));
    return gen_jump(t, to);
}

const struct gen_uop *gen_op_call(struct gen_thread *t, const struct gen_uop *u)
{
    int32_t offset;
    if (!register_target(t, u, &offset))
        return bad_operand(t, u);
    return call(t, u, target(t, u, offset));
}

const struct gen_uop *gen_op_calla(struct gen_thread *t, const struct gen_uop *u)
{
    int32_t offset;
    if (!register_target(t, u, &offset))
        return bad_operand(t, u);
    return call(t, u, t->base + (uint32_t)offset);
}

/* Channels return one by one; the thread does when none is left in the subroutine. */
const struct gen_uop *gen_op_ret(struct gen_thread *t, const struct gen_uop *u)
{
    uint64_t ip;
    if (!gen_scalar(t, &u->insn.src[0], &ip))
        return bad_operand(t, u);
    wt_wave_tell_call(&t->device->machine, &t->head, WT_SEEN_RETURN, gen_pc_of(t, u),
                      taken(t, &u->insn), t->base + (uint32_t)ip);
    park(t, taken(t, &u->insn), t->base + (uint32_t)ip);
    if (t->mask)
        return gen_next(u);
    return gen_jump(t, t->base + (uint32_t)ip);
}

const struct gen_uop *gen_op_nop(struct gen_thread *t, const struct gen_uop *u)
{
    return gen_next(u);
}

/* ---- notification ---- */

/* Waits until the register's count is above 0, and takes one off. */
const struct gen_uop *gen_op_wait(struct gen_thread *t, const struct gen_uop *u)
{
    const struct gen_operand *o = &u->insn.src[0];
    const unsigned number = o->subreg / 4;
    if (o->file != GEN_ARF || o->reg >> 4 != GEN_ARF_N || number > 2)
        return gen_fault(t, u, WT_FAULT_ILLEGAL, t->mask, 0,
                         "wait is for the notification registers n0.0 to n0.2");
    if (t->g->n[number]) {
        t->g->n[number]--;
        return gen_next(u);
    }
    /* The thread comes back to this instruction when it is notified. */
    t->pc = t->wait_pc = gen_pc_of(t, u);
    t->waits = true;
    if (gen_has_attention(t))
        t->device->machine.event = true;
    gen_update_ready(t);
    wt_not_issued(&t->device->machine);
    return NULL;
}
