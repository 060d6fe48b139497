/*
 * Control flow: the call-return stack (CRS), divergence and reconvergence.
 *
 * A branch on which lanes disagree pushes those that do not go first, as a DIV entry. SSY, PBK,
 * PCNT, CAL, PRET and PLONGJMP push the lanes that are to come together at their target. SYNC, BRK,
 * CONT, RET and LONGJMP take the lanes that execute them out of what lies above the entry that they
 * lead to; when no lane is left, the topmost entry that has lanes is popped and its lanes go on.
 */
#include "emulator/sm/internal.h"

static int64_t target_offset(uint64_t word)
{
    return wt_sign_extend(sm_bits(word, 20, 24), 24);
}

/* The target of a relative branch, or one read from constant memory. False: an error was raised. */
static bool target_of(struct sm_warp *w, const struct sm_uop *u, uint64_t *target,
                      const struct sm_uop **next)
{
    uint64_t value;
    if (!sm_bit(u->word, 5)) {
        *target = sm_pc_of(w, u) + 8 + (uint64_t)target_offset(u->word);
        return true;
    }
    const unsigned bank = (unsigned)sm_bits(u->word, 36, 5);
    const uint32_t offset = (uint32_t)sm_bits(u->word, 20, 16);
    if (!sm_constant(w, u, bank, offset, false, &value)) {
        *next = sm_error(w, u, SM_INVALID_CONST_ADDR, w->mask, offset,
                         "there is no constant at c[0x%x][0x%x]", bank, offset);
        return false;
    }
    *target = value;
    return true;
}

static const struct sm_uop *overflow(struct sm_warp *w, const struct sm_uop *u)
{
    return sm_error(w, u, SM_API_STACK_ERROR, w->mask, 0,
                    "the call-return stack of %u entries is full", SM_STACK);
}

/* Lanes go to where the topmost entry of a kind leads; the others go on. */
static const struct sm_uop *leave(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                                  unsigned kinds, uint32_t code, const char *name)
{
    uint32_t at = w->depth;
    if (!lanes)
        return sm_next(u);
    while (at && !(kinds >> w->stack[at - 1].kind & 1) && w->stack[at - 1].kind != SM_ENTRY_TRAP)
        at--;
    if (!at || w->stack[at - 1].kind == SM_ENTRY_TRAP)
        return sm_error(w, u, code, lanes, 0, "%s, and nothing on the call-return stack leads on",
                        name);
    if (kinds == 1u << SM_ENTRY_CALL)
        wt_wave_tell_call(&w->device->machine, &w->head, WT_SEEN_RETURN, sm_pc_of(w, u), lanes,
                          w->stack[at - 1].pc);
    for (uint32_t i = at; i < w->depth; i++)
        w->stack[i].mask &= ~lanes;
    w->mask &= ~lanes;
    return sm_next_lanes(w, u);
}

/* Lanes that take a branch, by predicate and condition code. */
static uint32_t taken(const struct sm_warp *w, const struct sm_uop *u)
{
    const unsigned test = (unsigned)sm_bits(u->word, 0, 5);
    return sm_lanes_of(w, u) & (test == 15 ? 0xffffffffu : sm_condition(w, test));
}

/* Some lanes, but not all, go to target: those that fall through go first. */
static const struct sm_uop *diverge(struct sm_warp *w, const struct sm_uop *u, uint32_t lanes,
                                    uint64_t target)
{
    if (lanes == w->mask)
        return sm_jump(w, target);
    if (!lanes)
        return sm_next(u);
    if (!sm_push(w, SM_ENTRY_DIV, lanes, target))
        return overflow(w, u);
    w->mask &= ~lanes;
    return sm_next(u);
}

const struct sm_uop *sm_op_bra(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_uop *next;
    uint64_t target;
    return target_of(w, u, &target, &next) ? diverge(w, u, taken(w, u), target) : next;
}

/* The target of JMP and JCAL: a number, or read from constant memory. */
static bool absolute_target(struct sm_warp *w, const struct sm_uop *u, uint64_t *target,
                            const struct sm_uop **next)
{
    *target = sm_bits(u->word, 20, 32);
    return !sm_bit(u->word, 5) || target_of(w, u, target, next);
}

const struct sm_uop *sm_op_jmp(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_uop *next;
    uint64_t target;
    return absolute_target(w, u, &target, &next) ? diverge(w, u, taken(w, u), target) : next;
}

/* Each lane has its own target: lanes with the same target go together. */
static const struct sm_uop *indirect(struct sm_warp *w, const struct sm_uop *u, uint64_t base)
{
    const uint32_t all = taken(w, u);
    uint32_t left = all, first = 0;
    uint64_t first_target = 0;
    const uint32_t depth = w->depth;
    while (left) {
        const uint32_t value = w->r[u->a][__builtin_ctz(left)];
        uint32_t lanes = 0;
        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (w->r[u->a][__builtin_ctz(rest)] == value)
                lanes |= rest & -rest;
        left &= ~lanes;
        /* The last group of lanes goes first; where some fall through, they do. */
        const bool waits = left || all != w->mask;
        if (waits && !sm_push(w, SM_ENTRY_DIV, lanes, base + value)) {
            w->depth = depth;
            return overflow(w, u);
        }
        first = lanes;
        first_target = base + value;
    }
    if (all != w->mask) {
        w->mask &= ~all;
        return sm_next(u);
    }
    w->mask = first;
    return sm_jump(w, first_target);
}

const struct sm_uop *sm_op_brx(struct sm_warp *w, const struct sm_uop *u)
{
    return indirect(w, u, sm_pc_of(w, u) + 8 + (uint64_t)target_offset(u->word));
}

const struct sm_uop *sm_op_jmx(struct sm_warp *w, const struct sm_uop *u)
{
    return indirect(w, u, (uint64_t)wt_sign_extend(sm_bits(u->word, 20, 32), 32));
}

static const struct sm_uop *push_target(struct sm_warp *w, const struct sm_uop *u,
                                        enum sm_entry_kind kind)
{
    const struct sm_uop *next;
    uint64_t target;
    if (!target_of(w, u, &target, &next))
        return next;
    return sm_push(w, kind, w->mask, target) ? sm_next(u) : overflow(w, u);
}

#define ROW(name, way, ...)                                                                        \
    const struct sm_uop *sm_op_##name(struct sm_warp *w, const struct sm_uop *u)                   \
    {                                                                                              \
        return way(w, u, __VA_ARGS__);                                                             \
    }
ROW(ssy, push_target, SM_ENTRY_SSY)
ROW(pbk, push_target, SM_ENTRY_PBK)
ROW(pcnt, push_target, SM_ENTRY_PCNT)
ROW(pret, push_target, SM_ENTRY_CALL)
ROW(plongjmp, push_target, SM_ENTRY_JUMP)
ROW(sync, leave, taken(w, u), 1u << SM_ENTRY_SSY, SM_STACK_ERROR, "SYNC")
ROW(brk, leave, taken(w, u), 1u << SM_ENTRY_PBK, SM_STACK_ERROR, "BRK")
ROW(cont, leave, taken(w, u), 1u << SM_ENTRY_PCNT, SM_STACK_ERROR, "CONT")
ROW(ret, leave, taken(w, u), 1u << SM_ENTRY_CALL, SM_RET_EMPTY_STACK_ERROR, "RET")
ROW(longjmp, leave, taken(w, u), 1u << SM_ENTRY_JUMP, SM_STACK_ERROR, "LONGJMP")

static const struct sm_uop *call(struct sm_warp *w, const struct sm_uop *u, uint64_t target)
{
    const uint64_t back = sm_next_pc(sm_pc_of(w, u));
    if (!sm_push(w, SM_ENTRY_CALL, w->mask, back))
        return overflow(w, u);
    wt_wave_tell_call(&w->device->machine, &w->head, WT_SEEN_CALL, sm_pc_of(w, u), w->mask, back);
    return sm_jump(w, target);
}

const struct sm_uop *sm_op_cal(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_uop *next;
    uint64_t target;
    return target_of(w, u, &target, &next) ? call(w, u, target) : next;
}

const struct sm_uop *sm_op_jcal(struct sm_warp *w, const struct sm_uop *u)
{
    const struct sm_uop *next;
    uint64_t target;
    return absolute_target(w, u, &target, &next) ? call(w, u, target) : next;
}

const struct sm_uop *sm_op_exit(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t lanes = taken(w, u);
    if (!lanes)
        return sm_next(u);
    if (lanes == w->live && !sm_trap_before_exit(w, u))
        return NULL;
    return sm_exit_lanes(w, u, lanes);
}

const struct sm_uop *sm_op_lepc(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t exec = sm_lanes_of(w, u);
    for (uint32_t left = exec; u->d != SM_RZ && left; left &= left - 1)
        w->r[u->d][__builtin_ctz(left)] = (uint32_t)sm_pc_of(w, u);
    return sm_next(u);
}

/* ---- the condition code ---- */

uint32_t sm_flags_hold(uint32_t z, uint32_t s, uint32_t c, uint32_t o, unsigned test)
{
    /* The tests of clip state (15 to 31 beside these), which compute programs do not have, hold, as
     * T does. */
    const uint32_t holds[] = {
        [0] = 0,               /* F */
        [1] = (s & ~z) ^ o,    /* LT */
        [2] = z & ~s,          /* EQ */
        [3] = s ^ (z | o),     /* LE */
        [4] = ~z & ~(s ^ o),   /* GT */
        [5] = ~z & ~(z & s),   /* NE */
        [6] = ~(s ^ o),        /* GE */
        [7] = ~(z & s),        /* NUM */
        [8] = z & s,           /* NAN */
        [9] = s ^ o,           /* LTU */
        [10] = z,              /* EQU */
        [11] = z | (s ^ o),    /* LEU */
        [12] = ~(s ^ (z | o)), /* GTU */
        [13] = ~z | s,         /* NEU */
        [14] = (~s | z) ^ o,   /* GEU */
        [15] = ~0u,            /* T */
        [16] = ~o,             /* OFF */
        [17] = ~c,             /* LO */
        [18] = ~s,             /* SFF */
        [19] = ~c | z,         /* LS */
        [20] = c & ~z,         /* HI */
        [21] = s,              /* SFT */
        [22] = c,              /* HS */
        [23] = o,              /* OFT */
    };
    return test < sizeof holds / sizeof *holds ? holds[test] : ~0u;
}

uint32_t sm_condition(const struct sm_warp *w, unsigned test)
{
    return sm_flags_hold(w->z, w->s, w->carry, w->o, test);
}
