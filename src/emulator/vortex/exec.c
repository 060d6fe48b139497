/*
 * Execution: one handler for each row of isa.def, each a loop over the lanes of a warp.
 *
 * This file is compiled once for each width (VX_XLEN 32 or 64), lane count (VX_LANES 4, 32;
 * 0: any, known only at run time) and instruction set of the host (VX_HOST), so that the loops
 * have constant bounds and become vector code. The tables are picked by select.c.
 *
 * To add an instruction: a row in isa.def, and here a function op_ID.
 */
#include "emulator/vortex/internal.h"

#include <string.h>

#include "emulator/machine/softfloat.h"
#include "emulator/vortex/host_fp.h"

#if VX_XLEN == 32
typedef uint32_t ux;
typedef int32_t sx;
typedef uint64_t ux2; /* twice as wide, for the high half of products */
typedef int64_t sx2;
#else
typedef uint64_t ux;
typedef int64_t sx;
__extension__ typedef unsigned __int128 ux2;
__extension__ typedef __int128 sx2;
#endif

#if VX_LANES
#define N ((unsigned)VX_LANES)
#define ROOM VX_LANES
#define ALIGNED(p)                                                                                 \
    __builtin_assume_aligned(p, VX_LANES *VX_XLEN / 8 < 64 ? VX_LANES * VX_XLEN / 8 : 64)
#else
#define N (w->device->machine.lanes)
#define ROOM WT_MAX_LANES
#define ALIGNED(p) (p)
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LANES _Pragma("GCC ivdep") for (unsigned l = 0; l < N; l++)
#define ACTIVE_LANES                                                                               \
    for (unsigned l = 0; l < N; l++)                                                               \
        if (w->full || w->lane32[l])

/*
 * Before code that is compiled for any host: the end of a turn, slow ways. The AVX builds have no
 * vzeroupper of their own (meson.build); with the upper halves dirty, each SSE instruction out
 * there would wait for the vector register that it writes a part of.
 */
static inline void leave(void)
{
#ifdef __AVX__
    __builtin_ia32_vzeroupper();
#endif
}
#define AWAY(call) (leave(), (call))

/* Every handler has this shape. */
#define OP(id) static const struct vx_uop *op_##id(struct vx_warp *w, const struct vx_uop *u)
#define NEXT return u + u->halves
/* A handler that is compiled for any host. */
#define ELSEWHERE(id)                                                                              \
    OP(id)                                                                                         \
    {                                                                                              \
        return AWAY(vx_op_##id(w, u));                                                             \
    }

/*
 * The end of a handler that has no locals in memory: goes straight on to the next handler by a tail
 * call, which spares the way through the main loop and gives each handler an indirect jump of its
 * own to be predicted. Where the compiler makes no tail calls the main loop does it.
 */
static inline const struct vx_uop *go_on(struct vx_warp *w, const struct vx_uop *next)
{
#ifdef VX_TAIL_CALLS
    if (LIKELY(w->left)) {
        w->left--;
        return next->run(w, next);
    }
#endif
    return next;
}
/* STEP is the length in halfwords, where it is known: a load less on the way to the next one. */
#define GO_ON(STEP) return go_on(w, u + (STEP))

static inline ux *x_row(const struct vx_warp *w, unsigned r)
{
    return ALIGNED((ux *)w->x + (size_t)r * N);
}

static inline uint64_t *f_row(const struct vx_warp *w, unsigned r)
{
    return ALIGNED(w->f + (size_t)r * N);
}

static inline const ux *x_blend(const struct vx_warp *w)
{
#if VX_XLEN == 32
    return ALIGNED(w->lane32);
#else
    return ALIGNED(w->lane64);
#endif
}

/* The last active lane: the active one with the highest index. */
static inline unsigned last_lane(const struct vx_warp *w)
{
    return w->full ? N - 1 : w->mask ? wt_lanes_highest(w->mask) : 0;
}

/* rd = VALUE for each enabled lane; VALUE may use a, b (the operands), i (immediate) and l. */
#define EACH_X(STEP, VALUE)                                                                        \
    ux *rd = x_row(w, u->rd);                                                                      \
    const ux *ra = x_row(w, u->rs1), *rb = x_row(w, u->rs2);                                       \
    const sx i = u->imm;                                                                           \
    (void)rb, (void)i;                                                                             \
    if (LIKELY(w->full)) {                                                                         \
        LANES {                                                                                    \
            const ux a = ra[l], b = rb[l];                                                         \
            (void)a, (void)b;                                                                      \
            rd[l] = (ux)(VALUE);                                                                   \
        }                                                                                          \
    } else {                                                                                       \
        const ux *on = x_blend(w);                                                                 \
        LANES {                                                                                    \
            const ux a = ra[l], b = rb[l];                                                         \
            (void)a, (void)b;                                                                      \
            rd[l] = ((ux)(VALUE)&on[l]) | (rd[l] & ~on[l]);                                        \
        }                                                                                          \
    }                                                                                              \
    GO_ON(STEP)

#define X_OP_OF_STEP(id, STEP, VALUE)                                                              \
    OP(id)                                                                                         \
    {                                                                                              \
        EACH_X(STEP, VALUE);                                                                       \
    }
/* An instruction of four bytes; one that may also come compressed, in two. */
#define X_OP(id, VALUE) X_OP_OF_STEP(id, 2, VALUE)
#define X_OP_C(id, VALUE) X_OP_OF_STEP(id, 2, VALUE) X_OP_OF_STEP(id##_c, 1, VALUE)

#define SX(v) ((sx)(v))
#define W32(v) ((ux)(sx)(int32_t)(v)) /* a 32-bit result, sign-extended */
#define SHAMT (VX_XLEN - 1)

/* ---- RV32I, RV64I: unprivileged ISA, chapters 2 and 5 ---- */

/* clang-format off */
X_OP_C(addi, a + (ux)i)
X_OP(slti, SX(a) < i)
X_OP(sltiu, a < (ux)i)
X_OP(xori, a ^ (ux)i)
X_OP(ori, a | (ux)i)
X_OP_C(andi, a & (ux)i)
X_OP_C(slli, a << i)
X_OP_C(srli, a >> i)
X_OP_C(srai, SX(a) >> i)
X_OP_C(add, a + b)
X_OP_C(sub, a - b)
X_OP(sll, a << (b & SHAMT))
X_OP(slt, SX(a) < SX(b))
X_OP(sltu, a < b)
X_OP_C(xor, a ^ b)
X_OP(srl, a >> (b & SHAMT))
X_OP(sra, SX(a) >> (b & SHAMT))
X_OP_C(or, a | b)
X_OP_C(and, a & b)
X_OP_C(lui, i)

OP(auipc)
/* clang-format on */
{
    const ux pc = (ux)vx_pc_of(w, u);
    EACH_X(2, pc + (ux)i);
}

#if VX_XLEN == 64
X_OP_C(addiw, W32(a + (ux)i))
X_OP(slliw, W32((uint32_t)a << i))
X_OP(srliw, W32((uint32_t)a >> i))
X_OP(sraiw, W32((int32_t)a >> i))
X_OP_C(addw, W32(a + b))
X_OP_C(subw, W32(a - b))
X_OP(sllw, W32((uint32_t)a << (b & 31)))
X_OP(srlw, W32((uint32_t)a >> (b & 31)))
X_OP(sraw, W32((int32_t)a >> (b & 31)))
#else
#define op_slli_32 op_slli
#define op_srli_32 op_srli
#define op_srai_32 op_srai
#endif

/* A jump backwards comes to a record. */
static inline const struct vx_uop *visit(struct vx_warp *w, const struct vx_uop *u)
{
    if (UNLIKELY(u && vx_visit(w, u)))
        AWAY(vx_translate(w, u));
    return u;
}

/* A jump to pc + imm of the instruction at u: within the page it is pointer arithmetic. */
static inline const struct vx_uop *jump_relative(struct vx_warp *w, const struct vx_uop *u,
                                                 int32_t imm)
{
    const ptrdiff_t slot = (u - w->code->uop) + (imm >> 1);
    if (LIKELY((size_t)slot < VX_SLOTS))
        return go_on(w, imm < 0 ? visit(w, &w->code->uop[slot]) : &w->code->uop[slot]);
    return visit(w, vx_fetch(w, (ux)(vx_pc_of(w, u) + (uint64_t)(int64_t)imm)));
}

OP(jal)
{
    const ux link = (ux)(vx_pc_of(w, u) + u->halves * 2u);
    ux *rd = x_row(w, u->rd);
    const ux *on = x_blend(w);
    if (u->rd != VX_SINK)
        LANES
            rd[l] = (link & on[l]) | (rd[l] & ~on[l]);
    return jump_relative(w, u, u->imm);
}

/* With divergence=auto: each lane has a target of its own. */
static __attribute__((noinline)) const struct vx_uop *part_by(struct vx_warp *w, const ux *from,
                                                              ux plus)
{
    uint64_t target[WT_MAX_LANES];
    for (unsigned l = 0; l < N; l++)
        target[l] = (ux)(from[l] + plus) & ~(ux)1;
    return AWAY(vx_part_lanes(w, target));
}

static inline bool disagree(const struct vx_warp *w, const ux *row, ux with)
{
    const ux *on = x_blend(w);
    ux differ = 0;
    LANES
        differ |= (row[l] ^ with) & on[l];
    return differ;
}

/* The target comes from the last active lane; all active lanes get the link. */
OP(jalr)
{
    const ux link = (ux)(vx_pc_of(w, u) + u->halves * 2u);
    if (UNLIKELY(w->device->config.part_lanes) &&
        disagree(w, x_row(w, u->rs1), x_row(w, u->rs1)[last_lane(w)])) {
        ux from[ROOM];
        memcpy(from, x_row(w, u->rs1), N * sizeof *from);
        for (unsigned l = 0; l < N && u->rd != VX_SINK; l++)
            if (wt_has_lane(w->mask, l))
                x_row(w, u->rd)[l] = link;
        return part_by(w, from, (ux)(sx)u->imm);
    }
    const ux target = (x_row(w, u->rs1)[last_lane(w)] + (ux)(sx)u->imm) & ~(ux)1;
    ux *rd = x_row(w, u->rd);
    const ux *on = x_blend(w);
    if (u->rd != VX_SINK)
        LANES
            rd[l] = (link & on[l]) | (rd[l] & ~on[l]);
    const uint64_t slot = (target - w->code->page.base) / 2;
    if (slot < VX_SLOTS)
        return &w->code->uop[slot];
    return visit(w, vx_fetch(w, target));
}

/* Lanes that disagree: a mistake without SPLIT, or the last active lane decides (RTL). */
static __attribute__((noinline)) const struct vx_uop *
diverged(struct vx_warp *w, const struct vx_uop *u, wt_lanes taken)
{
    if (w->device->config.part_lanes) {
        const ux pc = (ux)vx_pc_of(w, u);
        ux to[ROOM];
        for (unsigned l = 0; l < N; l++)
            to[l] = pc + (wt_has_lane(taken, l) ? (ux)(sx)u->imm : u->halves * 2u);
        return part_by(w, to, 0);
    }
    if (!w->device->config.follow_rtl_branches)
        return vx_fault(w, u, WT_FAULT_DIVERGENCE, w->mask & taken, 0,
                        "divergent branch: the lanes named take it, the other active ones do not, "
                        "and no SPLIT was before it");
    if (wt_has_lane(taken, last_lane(w)))
        return jump_relative(w, u, u->imm);
    NEXT;
}

/* Do the lanes agree with one of them, the last active lane? It decides. */
#define BRANCH(id, CONDITION)                                                                      \
    OP(id)                                                                                         \
    {                                                                                              \
        const ux *ra = x_row(w, u->rs1), *rb = x_row(w, u->rs2);                                   \
        const unsigned last = last_lane(w);                                                        \
        bool decision;                                                                             \
        {                                                                                          \
            const ux a = ra[last], b = rb[last];                                                   \
            decision = (CONDITION);                                                                \
        }                                                                                          \
        const ux expected = decision ? ~(ux)0 : 0;                                                 \
        ux differ = 0;                                                                             \
        if (LIKELY(w->full)) {                                                                     \
            LANES {                                                                                \
                const ux a = ra[l], b = rb[l];                                                     \
                differ |= ((CONDITION) ? ~(ux)0 : 0) ^ expected;                                   \
            }                                                                                      \
        } else {                                                                                   \
            const ux *on = x_blend(w);                                                             \
            LANES {                                                                                \
                const ux a = ra[l], b = rb[l];                                                     \
                differ |= (((CONDITION) ? ~(ux)0 : 0) ^ expected) & on[l];                         \
            }                                                                                      \
        }                                                                                          \
        if (UNLIKELY(differ)) {                                                                    \
            wt_lanes taken = 0;                                                                    \
            for (unsigned l = 0; l < N; l++) {                                                     \
                const ux a = ra[l], b = rb[l];                                                     \
                if (CONDITION)                                                                     \
                    taken |= wt_lane_bit(l);                                                       \
            }                                                                                      \
            return diverged(w, u, taken);                                                          \
        }                                                                                          \
        if (decision)                                                                              \
            return jump_relative(w, u, u->imm);                                                    \
        GO_ON(u->halves);                                                                          \
    }

BRANCH(beq, a == b)
BRANCH(bne, a != b)
BRANCH(blt, SX(a) < SX(b))
BRANCH(bge, SX(a) >= SX(b))
BRANCH(bltu, a < b)
BRANCH(bgeu, a >= b)

OP(fence)
{
    if (UNLIKELY(w->device->machine.observer != NULL))
        AWAY(vx_tell_fence(w, u));
    NEXT;
}

/* Stores reach decoded code at once (code.c), so there is nothing to do. */
OP(fence_i)
{
    NEXT;
}

/* mret, sret, uret: no-ops in Vortex v2; returns from traps in v3. */
OP(uret)
{
    if (w->device->profile->traps)
        return AWAY(vx_op_return(w, u));
    NEXT;
}
#define op_sret op_uret
#define op_mret op_uret
ELSEWHERE(ecall)
ELSEWHERE(ebreak)

/* ---- M: chapter 7 ---- */

X_OP(mul, a *b)
X_OP(mulh, ((ux2)((sx2)SX(a) * (sx2)SX(b))) >> VX_XLEN)
X_OP(mulhsu, ((ux2)((sx2)SX(a) * (sx2)b)) >> VX_XLEN)
X_OP(mulhu, ((ux2)a * b) >> VX_XLEN)

#define SMIN ((sx)((ux)1 << (VX_XLEN - 1)))

static inline ux divide(ux a, ux b)
{
    if (b == 0)
        return ~(ux)0;
    if (SX(a) == SMIN && SX(b) == -1)
        return a;
    return (ux)(SX(a) / SX(b));
}

static inline ux remainder_of(ux a, ux b)
{
    if (b == 0)
        return a;
    if (SX(a) == SMIN && SX(b) == -1)
        return 0;
    return (ux)(SX(a) % SX(b));
}

X_OP(div, divide(a, b))
X_OP(divu, b ? a / b : ~(ux)0)
X_OP(rem, remainder_of(a, b))
X_OP(remu, b ? a % b : a)

#if VX_XLEN == 64
static inline int32_t divide_w(int32_t a, int32_t b)
{
    if (b == 0)
        return -1;
    return a == INT32_MIN && b == -1 ? a : a / b;
}

static inline int32_t remainder_w(int32_t a, int32_t b)
{
    if (b == 0)
        return a;
    return a == INT32_MIN && b == -1 ? 0 : a % b;
}

/* clang-format off */
X_OP(mulw, W32((uint32_t)a * (uint32_t)b))
X_OP(divw, W32(divide_w((int32_t)a, (int32_t)b)))
X_OP(divuw, W32((uint32_t)b ? (uint32_t)a / (uint32_t)b : UINT32_MAX))
X_OP(remw, W32(remainder_w((int32_t)a, (int32_t)b)))
X_OP(remuw, W32((uint32_t)b ? (uint32_t)a % (uint32_t)b : (uint32_t)a))
/* clang-format on */
#endif

/* ---- Zicond ---- */

X_OP(czero_eqz, b == 0 ? 0 : a)
X_OP(czero_nez, b != 0 ? 0 : a)

/* ---- Zicsr: chapter 9. Registers of the warp take the last active lane's value. ---- */

static const struct vx_uop *no_csr(struct vx_warp *w, const struct vx_uop *u, const char *what)
{
    const struct vx_csr_row *row = vx_profile_csr(w->device->profile, (unsigned)u->imm);
    return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0, "%s CSR 0x%03x%s%s", what, (unsigned)u->imm,
                    row ? " " : "", row ? row->name : "");
}

enum csr_action { CSR_WRITE, CSR_SET, CSR_CLEAR };

static inline const struct vx_uop *csr_op(struct vx_warp *w, const struct vx_uop *u,
                                          enum csr_action action, bool immediate)
{
    const unsigned number = (unsigned)u->imm;
    /* CSRRS and CSRRC with x0 (or 0) do not write. */
    const bool writes = action == CSR_WRITE || u->rs1 != 0;
    uint64_t old[ROOM];
    ux operand[ROOM];
    const ux *ra = immediate ? NULL : x_row(w, u->rs1);
    ACTIVE_LANES {
        if (!vx_csr_read(w, number, l, &old[l]))
            return no_csr(w, u, "no such");
        operand[l] = immediate ? u->rs1 : ra[l];
    }
    if (writes) {
        ACTIVE_LANES {
            const uint64_t value = action == CSR_WRITE ? operand[l]
                                   : action == CSR_SET ? old[l] | operand[l]
                                                       : old[l] & ~(uint64_t)operand[l];
            if (!vx_csr_write(w, number, l, value))
                return no_csr(w, u, "write to read-only");
        }
    }
    ux *rd = x_row(w, u->rd);
    ACTIVE_LANES
        rd[l] = (ux)old[l];
    NEXT;
}

OP(csrrw)
{
    return csr_op(w, u, CSR_WRITE, false);
}
OP(csrrs)
{
    return csr_op(w, u, CSR_SET, false);
}
OP(csrrc)
{
    return csr_op(w, u, CSR_CLEAR, false);
}
OP(csrrwi)
{
    return csr_op(w, u, CSR_WRITE, true);
}
OP(csrrsi)
{
    return csr_op(w, u, CSR_SET, true);
}
OP(csrrci)
{
    return csr_op(w, u, CSR_CLEAR, true);
}

#include "emulator/vortex/exec_memory.h"
#include "emulator/vortex/exec_fp.h"

/* ---- Vortex SIMT ---- */

ELSEWHERE(tmc)
ELSEWHERE(wspawn)
ELSEWHERE(split)
ELSEWHERE(split_n)
ELSEWHERE(join)
ELSEWHERE(bar)
ELSEWHERE(pred)
ELSEWHERE(pred_n)
ELSEWHERE(bar_arrive)
ELSEWHERE(unit)
#define op_tcu op_unit
#define op_dxa op_unit
#define op_om4 op_unit
#define op_getws op_unit
#define op_tex4 op_unit
#define op_window op_unit
#define op_rtu op_unit

/* Drains the warp's pipeline; every instruction here is complete before the next. */
OP(wsync)
{
    NEXT;
}

/* VOTE: the predicate is bit 0, as of SPLIT; every active lane gets the result. */
static wt_lanes votes(const struct vx_warp *w, const struct vx_uop *u)
{
    const ux *ra = x_row(w, u->rs1);
    wt_lanes yes = 0;
    ACTIVE_LANES {
        if (ra[l] & 1)
            yes |= wt_lane_bit(l);
    }
    return yes;
}

static const struct vx_uop *to_active(struct vx_warp *w, const struct vx_uop *u, ux value)
{
    ux *rd = x_row(w, u->rd);
    ACTIVE_LANES
        rd[l] = value;
    NEXT;
}

OP(vote_all)
{
    return to_active(w, u, votes(w, u) == w->mask);
}
OP(vote_any)
{
    return to_active(w, u, votes(w, u) != 0);
}
OP(vote_uni)
{
    const wt_lanes yes = votes(w, u);
    return to_active(w, u, yes == 0 || yes == w->mask);
}
OP(vote_ballot)
{
    return to_active(w, u, (ux)votes(w, u));
}

/*
 * SHFL: lane l reads rs1 of another lane of its segment. rs2 = mask << 12 | c << 6 | b, six bits
 * each, of the lane itself: b is the distance (or index), c the clamp, mask splits the warp into
 * segments. A lane outside the segment or the warp gives the lane's own value; a lane that is
 * switched off gives what its register holds. The fields have six bits, so lanes 64 and up are a
 * segment of their own.
 */
enum shuffle { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

static inline const struct vx_uop *shuffle(struct vx_warp *w, const struct vx_uop *u,
                                           enum shuffle kind)
{
    ux *rd = x_row(w, u->rd);
    const ux *ra = x_row(w, u->rs1), *rb = x_row(w, u->rs2);
    ux result[ROOM];
    ACTIVE_LANES {
        const unsigned b = rb[l] & 63, c = rb[l] >> 6 & 63, segment = rb[l] >> 12 & 63;
        const int lane = (int)(l & 63), high = (int)(l & ~63u);
        const int least = lane & (int)segment;
        const int most = least | ((int)c & ~(int)segment);
        int from = lane;
        bool inside = true;
        switch (kind) {
        case SHFL_UP:
            from = lane - (int)b;
            inside = from >= least;
            break;
        case SHFL_DOWN:
            from = lane + (int)b;
            inside = from <= most;
            break;
        case SHFL_BFLY:
            from = lane ^ (int)b;
            inside = from <= most;
            break;
        case SHFL_IDX:
            from = least | ((int)b & ~(int)segment);
            inside = from <= most;
            break;
        }
        inside = inside && from >= 0 && from + high < (int)N;
        result[l] = inside ? ra[from + high] : ra[l];
    }
    ACTIVE_LANES
        rd[l] = result[l];
    NEXT;
}

OP(shfl_up)
{
    return shuffle(w, u, SHFL_UP);
}
OP(shfl_down)
{
    return shuffle(w, u, SHFL_DOWN);
}
OP(shfl_bfly)
{
    return shuffle(w, u, SHFL_BFLY);
}
OP(shfl_idx)
{
    return shuffle(w, u, SHFL_IDX);
}

/*
 * WGATHER: lane s of each four (funct2) gives its rs1, rs2 and rs3 to the three lanes behind it, in
 * turn; it keeps its rd. All lanes are written, enabled or not; a lane s that is not enabled is
 * replaced by the last active lane (Vortex 3.0, SimX's and the RTL's ALU).
 */
OP(wgather)
{
    const unsigned source = (unsigned)u->imm & 3, last = last_lane(w);
    const unsigned rs[4] = {0, u->rs1, u->rs2, (unsigned)u->imm >> 8};
    ux *rd = x_row(w, u->rd);
    ux result[ROOM];
    for (unsigned l = 0; l < N; l++) {
        const unsigned nominal = (l & ~3u) + source;
        const bool there = nominal < N && wt_has_lane(w->mask, nominal);
        const unsigned distance = (l - nominal) & 3;
        result[l] = distance ? x_row(w, rs[distance])[there ? nominal : last] : rd[l];
    }
    for (unsigned l = 0; l < N; l++)
        rd[l] = result[l];
    NEXT;
}

static void end_turn(void)
{
    leave();
}

/* ---- the table ---- */

/* Rows of the other width have no handler here; the decoder never asks for one. */
#define ROW_0(id) op_##id
#if VX_XLEN == 32
#define ROW_32(id) op_##id
#define ROW_64(id) NULL
#else
#define ROW_32(id) NULL
#define ROW_64(id) op_##id
#endif

#define TABLE_NAME_(xlen, lanes, host) vx_handlers_rv##xlen##_n##lanes##_##host
#define TABLE_NAME(xlen, lanes, host) TABLE_NAME_(xlen, lanes, host)

/* Of compressed instructions only those with a handler of their own; the others take both. */
extern const struct vx_handlers TABLE_NAME(VX_XLEN, VX_LANES, VX_HOST);
const struct vx_handlers TABLE_NAME(VX_XLEN, VX_LANES, VX_HOST) = {
    .leave = end_turn,
    .full =
        {
#define I(id, name, xlen, match, mask, operands, ...) [VX_INSN_##id] = ROW_##xlen(id),
#include "emulator/vortex/isa.def"
#undef I
        },
    .compressed =
        {
            [VX_INSN_addi] = op_addi_c,
            [VX_INSN_andi] = op_andi_c,
            [VX_INSN_add] = op_add_c,
            [VX_INSN_sub] = op_sub_c,
            [VX_INSN_xor] = op_xor_c,
            [VX_INSN_or] = op_or_c,
            [VX_INSN_and] = op_and_c,
            [VX_INSN_lui] = op_lui_c,
#if VX_XLEN == 32
            [VX_INSN_slli_32] = op_slli_c,
            [VX_INSN_srli_32] = op_srli_c,
            [VX_INSN_srai_32] = op_srai_c,
#else
            [VX_INSN_slli] = op_slli_c,
            [VX_INSN_srli] = op_srli_c,
            [VX_INSN_srai] = op_srai_c,
            [VX_INSN_addiw] = op_addiw_c,
            [VX_INSN_addw] = op_addw_c,
            [VX_INSN_subw] = op_subw_c,
#endif
        },
};
