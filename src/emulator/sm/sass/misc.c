/* Barriers, special registers, and instructions without effect. */
#include "emulator/sm/internal.h"

#include <string.h>

const struct sm_uop *sm_op_nop(struct sm_warp *w, const struct sm_uop *u)
{
    return sm_next(u);
}

/* Results are there when an instruction has been issued. */
const struct sm_uop *sm_op_depbar(struct sm_warp *w, const struct sm_uop *u)
{
    return sm_next(u);
}

/* ---- barriers ---- */

/* Number and count of a BAR; false: an error was raised. */
static bool operands(struct sm_warp *w, const struct sm_uop *u, unsigned *number, uint32_t *threads,
                     const struct sm_uop **next)
{
    const unsigned lane = (unsigned)__builtin_ctz(w->mask);
    const uint32_t n = sm_bit(u->word, 44) ? (uint32_t)sm_bits(u->word, 8, 8) : w->r[u->a][lane];
    *threads = sm_bit(u->word, 43) ? (uint32_t)sm_bits(u->word, 20, 12) : w->r[u->b][lane];
    *number = n;
    if (n < SM_BARRIERS && *threads % SM_LANES == 0 && *threads <= 1024)
        return true;
    *next = sm_error(w, u, SM_ILLEGAL_INSTR_PARAM, w->mask, 0,
                     "barrier %u with %u threads; there are %u, and threads come in warps", n,
                     *threads, SM_BARRIERS);
    return false;
}

static const struct sm_uop *arrive(struct sm_warp *w, const struct sm_uop *u, bool waits)
{
    unsigned number;
    uint32_t threads;
    const struct sm_uop *next;
    if (!sm_lanes_of(w, u))
        return sm_next(u);
    if (!operands(w, u, &number, &threads, &next))
        return next;
    if (u->insn != SM_BAR_RED)
        w->bar_threads = w->bar_true = 0;
    w->wait_pc = sm_pc_of(w, u);
    if (sm_barrier_arrive(w, sm_lanes_of(w, u), number, threads, waits))
        return sm_next(u);
    w->pc = sm_next_pc(w->wait_pc);
    return NULL;
}

const struct sm_uop *sm_op_bar_sync(struct sm_warp *w, const struct sm_uop *u)
{
    return arrive(w, u, true);
}

const struct sm_uop *sm_op_bar_arv(struct sm_warp *w, const struct sm_uop *u)
{
    return arrive(w, u, false);
}

/* BAR.RED: all warps learn how many threads' predicates hold, whether all do, whether any does. */
const struct sm_uop *sm_op_bar_red(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t exec = sm_lanes_of(w, u);
    unsigned number;
    uint32_t threads;
    const struct sm_uop *next;
    if (!exec)
        return sm_next(u);
    if (!operands(w, u, &number, &threads, &next))
        return next;
    const uint32_t p =
        sm_predicate(w, (unsigned)sm_bits(u->word, 39, 3) | (sm_bit(u->word, 42) ? 8 : 0)) & exec;
    w->bar_op = (uint8_t)SM_FIELD(u->word, barop35);
    w->bar_threads = (uint8_t)__builtin_popcount(exec);
    w->bar_true = (uint8_t)__builtin_popcount(p);
    return arrive(w, u, true);
}

const struct sm_uop *sm_op_b2r(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t exec = sm_lanes_of(w, u);
    const unsigned p = (unsigned)sm_bits(u->word, 45, 3);
    const uint32_t count = w->bar_result & 0xffff;
    const bool holds = w->bar_result >> 31;
    for (uint32_t left = u->d == SM_RZ ? 0 : exec; left; left &= left - 1)
        w->r[u->d][__builtin_ctz(left)] = count;
    if (p != 7)
        w->p[p] = (w->p[p] & ~exec) | (holds ? exec : 0);
    return sm_next(u);
}

/* ---- special registers ---- */

/* A register that differs between lanes; false: it does not. */
static bool of_lane(const struct sm_warp *w, unsigned number, unsigned lane, uint32_t *value)
{
    static const uint64_t numbers = UINT64_C(1) | UINT64_C(15) << 0x20 | UINT64_C(31) << 0x38;
    const uint32_t *block = w->device->grid.launch.block;
    const uint32_t thread = w->index * SM_LANES + lane, bit = 1u << lane;
    const uint32_t x = thread % block[0], y = thread / block[0] % block[1];
    const uint32_t z = thread / block[0] / block[1];
    const uint32_t tid[] = {x | y << 16 | z << 26, x, y, z};
    const uint32_t masks[] = {bit, bit - 1, bit | (bit - 1), ~(bit | (bit - 1)), ~(bit - 1)};
    if (number >= 64 || !(numbers >> number & 1))
        return false;
    *value = !number ? lane : number < 0x38 ? tid[number - 0x20] : masks[number - 0x38];
    return true;
}

static uint32_t of_warp(struct sm_warp *w, unsigned number)
{
    const struct sm_device *d = w->device;
    const struct sm_launch *l = &d->grid.launch;
    const uint32_t sm = w->id / SM_WARPS, slot = w->id % SM_WARPS;
    const uint64_t now = sm_now(w);
    uint32_t value;
    switch (number) {
    case 0x01: /* CLOCK: one count an issue of the device */
    case 0x50:
    case 0x52: /* nanoseconds: one an issue */
        return (uint32_t)now;
    case 0x51:
    case 0x53:
        return (uint32_t)(now >> 32);
    case 0x02:
        return SM_WARPS << 8 | d->config.sms << 20;
    case 0x03:
        return slot << 8 | sm << 20;
    case 0x25:
    case 0x26:
    case 0x27:
        return w->cta->coordinate[number - 0x25];
    case 0x28: /* NTID */
        return l->block[0] | l->block[1] << 16 | l->block[2] << 26;
    case 0x30:
        return (uint32_t)SM_SHARED_WINDOW;
    case 0x31:
    case 0x35:
        return (uint32_t)SM_WINDOW_BYTES;
    case 0x32:
        return l->shared;
    case 0x33:
        return 32;
    case 0x34:
        return (uint32_t)SM_LOCAL_WINDOW;
    case 0x36:
        return l->local;
    case 0x3d:
        return l->registers;
    case 0x40:
        return sm_trap_global_status(w);
    case 0x42:
        return w->esr;
    case 0x43: /* reads and clears */
        value = w->esr;
        w->esr = 0;
        return value;
    default:
        return 0;
    }
}

const struct sm_uop *sm_op_s2r(struct sm_warp *w, const struct sm_uop *u)
{
    const uint32_t exec = sm_lanes_of(w, u);
    const unsigned number = (unsigned)sm_bits(u->word, 20, 8);
    uint32_t value = 0;
    if (!exec)
        return sm_next(u);
    const bool varies = of_lane(w, number, 0, &value);
    if (!varies)
        value = of_warp(w, number);
    for (uint32_t left = u->d == SM_RZ ? 0 : exec; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (varies)
            of_lane(w, number, lane, &value);
        w->r[u->d][lane] = value;
    }
    return sm_next(u);
}
