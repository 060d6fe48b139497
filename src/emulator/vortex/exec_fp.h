/*
 * F and D: unprivileged ISA, chapters 11 and 12. Part of exec.c.
 *
 * Two ways to the same bits. Where the host has IEEE arithmetic with sticky flags that detects
 * tininess after rounding (x86-64 SSE), rounding to nearest even runs on it, a vector of lanes at a
 * time. Everything else goes lane by lane through softfloat.
 */
#if HOST_FP && defined __FMA__
#define HOST_FMA 1
#else
#define HOST_FMA 0
#endif

#define BOX32 0xffffffff00000000u
#define NAN32 0x7fc00000u
#define NAN64 0x7ff8000000000000u

/* A binary32 in a 64-bit register must be NaN-boxed; anything else counts as the canonical NaN. */
static inline uint32_t unbox(uint64_t v)
{
    return (v >> 32) == UINT32_MAX ? (uint32_t)v : NAN32;
}

/* The rounding mode in force (7 is dynamic: frm), or 5..7 if it is reserved. */
static inline unsigned rounding(const struct vx_warp *w, const struct vx_uop *u)
{
    const unsigned rm = (unsigned)u->imm & 7;
    return rm == 7 ? w->frm : rm;
}

/* Reports a reserved rounding mode; NULL. */
static const struct vx_uop *bad_rounding(struct vx_warp *w, const struct vx_uop *u)
{
    return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0,
                    "illegal instruction: reserved rounding mode %u%s", rounding(w, u),
                    ((unsigned)u->imm & 7) == 7 ? " in frm" : "");
}

/** The compiler may move nothing that reads or writes p across this. */
#define ORDERED(p) __asm__ volatile("" : : "r"(p) : "memory")

/* rd = VALUE for each enabled lane, VALUE being 64 bits that may use l. */
#define EACH_F(VALUE)                                                                              \
    uint64_t *fd = f_row(w, u->rd);                                                                \
    if (LIKELY(w->full)) {                                                                         \
        LANES                                                                                      \
            fd[l] = (VALUE);                                                                       \
    } else {                                                                                       \
        const uint64_t *fon = w->lane64;                                                           \
        LANES                                                                                      \
            fd[l] = ((VALUE)&fon[l]) | (fd[l] & ~fon[l]);                                          \
    }

/*
 * One arithmetic instruction on one format: HOST is the C expression on x, y, z of type FLOAT,
 * SOFT the softfloat call on a, b, c (bits). Operands of lanes that are switched off are replaced
 * by 1.0 on the host's way, so that they raise nothing. FUSED: infinity * 0 is invalid also where a
 * quiet NaN is added (chapter 11.6), which x86 does not say.
 */
#define ARITH_(id, BITS, FLOAT, ONE, TAKE, GIVE, IS_NAN, CANON, MUL, FUSED, HOST_OK, HOST, SOFT,   \
               RS2, RS3)                                                                           \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, RS2), *fc = f_row(w, RS3);           \
        BITS result[ROOM] __attribute__((aligned(64)));                                            \
        if (LIKELY(HOST_OK && rm == WT_RNE))                                                       \
            ARITH_HOST(BITS, FLOAT, ONE, TAKE, IS_NAN, CANON, MUL, FUSED, HOST)                    \
        else {                                                                                     \
            struct wt_fp fp = {.round = (uint8_t)rm};                                              \
            ACTIVE_LANES {                                                                         \
                const BITS a = TAKE(fa[l]), b = TAKE(fb[l]), c = TAKE(fc[l]);                      \
                (void)b, (void)c;                                                                  \
                result[l] = SOFT;                                                                  \
            }                                                                                      \
            else result[l] = 0;                                                                    \
            w->fflags |= fp.flags;                                                                 \
        }                                                                                          \
        EACH_F(GIVE(result[l]));                                                                   \
        NEXT;                                                                                      \
    }

#if HOST_FP
#define ARITH_HOST(BITS, FLOAT, ONE, TAKE, IS_NAN, CANON, MUL, FUSED, HOST)                        \
    {                                                                                              \
        BITS xs[ROOM] __attribute__((aligned(64))), ys[ROOM] __attribute__((aligned(64))),         \
            zs[ROOM] __attribute__((aligned(64)));                                                 \
        if (LIKELY(w->full)) {                                                                     \
            LANES                                                                                  \
                xs[l] = TAKE(fa[l]), ys[l] = TAKE(fb[l]), zs[l] = TAKE(fc[l]);                     \
        } else {                                                                                   \
            const uint64_t *on = w->lane64;                                                        \
            LANES {                                                                                \
                const BITS m = (BITS)on[l];                                                        \
                xs[l] = (TAKE(fa[l]) & m) | (ONE & ~m);                                            \
                ys[l] = (TAKE(fb[l]) & m) | (ONE & ~m);                                            \
                zs[l] = (TAKE(fc[l]) & m) | (ONE & ~m);                                            \
            }                                                                                      \
        }                                                                                          \
        host_fp_begin(w);                                                                          \
        ORDERED(xs);                                                                               \
        ORDERED(ys);                                                                               \
        ORDERED(zs);                                                                               \
        LANES {                                                                                    \
            FLOAT x, y, z, r;                                                                      \
            memcpy(&x, &xs[l], sizeof x);                                                          \
            memcpy(&y, &ys[l], sizeof y);                                                          \
            memcpy(&z, &zs[l], sizeof z);                                                          \
            (void)y, (void)z;                                                                      \
            r = (HOST);                                                                            \
            memcpy(&result[l], &r, sizeof r);                                                      \
        }                                                                                          \
        ORDERED(result);                                                                           \
        host_fp_end(w);                                                                            \
        if (FUSED) {                                                                               \
            BITS nans = 0;                                                                         \
            LANES                                                                                  \
                nans |= (BITS)IS_NAN(zs[l]);                                                       \
            if (UNLIKELY(nans)) {                                                                  \
                struct wt_fp product = {0};                                                        \
                LANES                                                                              \
                    if (IS_NAN(zs[l]))                                                             \
                        MUL(xs[l], ys[l], &product);                                               \
                w->fflags |= product.flags & WT_FP_INVALID;                                        \
            }                                                                                      \
        }                                                                                          \
        LANES                                                                                      \
            result[l] = IS_NAN(result[l]) ? CANON : result[l];                                     \
    }
#else
#define ARITH_HOST(...) (void)result;
#endif

#define SAME64(v) ((uint64_t)(v))
#define GIVE32(v) (BOX32 | (v))
#define IS_NAN32(v) (((v)&0x7fffffff) > 0x7f800000)
#define IS_NAN64(v) (((v)&0x7fffffffffffffff) > 0x7ff0000000000000)

#define ARITH_S_(id, FUSED, HOST_OK, HOST, SOFT, RS2, RS3)                                         \
    ARITH_(id, uint32_t, float, 0x3f800000u, unbox, GIVE32, IS_NAN32, NAN32, wt_f32_mul, FUSED,    \
           HOST_OK, HOST, SOFT, RS2, RS3)
#define ARITH_D_(id, FUSED, HOST_OK, HOST, SOFT, RS2, RS3)                                         \
    ARITH_(id, uint64_t, double, 0x3ff0000000000000u, SAME64, SAME64, IS_NAN64, NAN64, wt_f64_mul, \
           FUSED, HOST_OK, HOST, SOFT, RS2, RS3)
#define ARITH_S(id, HOST, SOFT, RS2) ARITH_S_(id, 0, HOST_FP, HOST, SOFT, RS2, 0)
#define ARITH_D(id, HOST, SOFT, RS2) ARITH_D_(id, 0, HOST_FP, HOST, SOFT, RS2, 0)
#define FUSED_S(id, HOST, SOFT) ARITH_S_(id, 1, HOST_FMA, HOST, SOFT, u->rs2, RS3)
#define FUSED_D(id, HOST, SOFT) ARITH_D_(id, 1, HOST_FMA, HOST, SOFT, u->rs2, RS3)

#define RS3 ((unsigned)u->imm >> 8)
#define NEG32 0x80000000u
#define NEG64 0x8000000000000000u

ARITH_S(fadd_s, x + y, wt_f32_add(a, b, &fp), u->rs2)
ARITH_S(fsub_s, x - y, wt_f32_sub(a, b, &fp), u->rs2)
ARITH_S(fmul_s, x *y, wt_f32_mul(a, b, &fp), u->rs2)
ARITH_S(fdiv_s, x / y, wt_f32_div(a, b, &fp), u->rs2)
ARITH_S(fsqrt_s, __builtin_sqrtf(x), wt_f32_sqrt(a, &fp), 0)
FUSED_S(fmadd_s, __builtin_fmaf(x, y, z), wt_f32_fma(a, b, c, &fp))
FUSED_S(fmsub_s, __builtin_fmaf(x, y, -z), wt_f32_fma(a, b, c ^ NEG32, &fp))
FUSED_S(fnmsub_s, __builtin_fmaf(-x, y, z), wt_f32_fma(a ^ NEG32, b, c, &fp))
FUSED_S(fnmadd_s, __builtin_fmaf(-x, y, -z), wt_f32_fma(a ^ NEG32, b, c ^ NEG32, &fp))
ARITH_D(fadd_d, x + y, wt_f64_add(a, b, &fp), u->rs2)
ARITH_D(fsub_d, x - y, wt_f64_sub(a, b, &fp), u->rs2)
ARITH_D(fmul_d, x *y, wt_f64_mul(a, b, &fp), u->rs2)
ARITH_D(fdiv_d, x / y, wt_f64_div(a, b, &fp), u->rs2)
ARITH_D(fsqrt_d, __builtin_sqrt(x), wt_f64_sqrt(a, &fp), 0)
FUSED_D(fmadd_d, __builtin_fma(x, y, z), wt_f64_fma(a, b, c, &fp))
FUSED_D(fmsub_d, __builtin_fma(x, y, -z), wt_f64_fma(a, b, c ^ NEG64, &fp))
FUSED_D(fnmsub_d, __builtin_fma(-x, y, z), wt_f64_fma(a ^ NEG64, b, c, &fp))
FUSED_D(fnmadd_d, __builtin_fma(-x, y, -z), wt_f64_fma(a ^ NEG64, b, c ^ NEG64, &fp))

/* ---- what needs no rounding ---- */

#define BITS_S(id, VALUE)                                                                          \
    OP(id)                                                                                         \
    {                                                                                              \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, u->rs2);                             \
        uint64_t result[ROOM];                                                                     \
        LANES {                                                                                    \
            const uint32_t a = unbox(fa[l]), b = unbox(fb[l]);                                     \
            result[l] = BOX32 | (uint32_t)(VALUE);                                                 \
        }                                                                                          \
        EACH_F(result[l]);                                                                         \
        NEXT;                                                                                      \
    }
#define BITS_D(id, VALUE)                                                                          \
    OP(id)                                                                                         \
    {                                                                                              \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, u->rs2);                             \
        uint64_t result[ROOM];                                                                     \
        LANES {                                                                                    \
            const uint64_t a = fa[l], b = fb[l];                                                   \
            result[l] = (VALUE);                                                                   \
        }                                                                                          \
        EACH_F(result[l]);                                                                         \
        NEXT;                                                                                      \
    }

BITS_S(fsgnj_s, (a & ~NEG32) | (b & NEG32))
BITS_S(fsgnjn_s, (a & ~NEG32) | (~b & NEG32))
BITS_S(fsgnjx_s, a ^ (b & NEG32))
BITS_D(fsgnj_d, (a & ~NEG64) | (b & NEG64))
BITS_D(fsgnjn_d, (a & ~NEG64) | (~b & NEG64))
BITS_D(fsgnjx_d, a ^ (b & NEG64))

/* ---- comparison, minimum and maximum: integer vector code ---- */

#define QUIET32 0x00400000u
#define QUIET64 0x0008000000000000u
#define IS_SNAN32(v) (IS_NAN32(v) & !((v)&QUIET32))
#define IS_SNAN64(v) (IS_NAN64(v) & !((v)&QUIET64))
/* Numbers in the order of these integers, -0 just below +0. */
#define KEY32(v) ((int32_t)((v) ^ ((uint32_t)((int32_t)(v) >> 31) >> 1)))
#define KEY64(v) ((int64_t)((v) ^ ((uint64_t)((int64_t)(v) >> 63) >> 1)))

/*
 * rd (integer) = VALUE, which may use `less` (-0 below +0) and `zeros` (both are zeros), and is 0
 * for a NaN. Invalid where SIGNAL(a) or SIGNAL(b).
 */
#define COMPARE_(id, BITS, LANE_ON, TAKE, KEY, IS_NAN, SIGNAL, VALUE)                              \
    OP(id)                                                                                         \
    {                                                                                              \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, u->rs2);                             \
        const ux *on = x_blend(w);                                                                 \
        ux *rd = x_row(w, u->rd);                                                                  \
        BITS xs[ROOM] __attribute__((aligned(64))), ys[ROOM] __attribute__((aligned(64))),         \
            invalid = 0;                                                                           \
        LANES                                                                                      \
            xs[l] = TAKE(fa[l]), ys[l] = TAKE(fb[l]);                                              \
        LANES {                                                                                    \
            const BITS a = xs[l], b = ys[l];                                                       \
            const BITS less = KEY(a) < KEY(b), zeros = (BITS)((a | b) << 1) == 0;                  \
            const BITS nan = IS_NAN(a) | IS_NAN(b);                                                \
            (void)less, (void)zeros;                                                               \
            invalid |= (BITS)(SIGNAL(a) | SIGNAL(b)) & (BITS)w->LANE_ON[l];                        \
            xs[l] = (BITS)(VALUE) & (nan ^ 1);                                                     \
        }                                                                                          \
        LANES                                                                                      \
            rd[l] = ((ux)xs[l] & on[l]) | (rd[l] & ~on[l]);                                        \
        w->fflags |= (uint8_t)(invalid ? WT_FP_INVALID : 0);                                       \
        NEXT;                                                                                      \
    }
#define COMPARE_S(id, SIGNAL, VALUE)                                                               \
    COMPARE_(id, uint32_t, lane32, unbox, KEY32, IS_NAN32, SIGNAL, VALUE)
#define COMPARE_D(id, SIGNAL, VALUE)                                                               \
    COMPARE_(id, uint64_t, lane64, SAME64, KEY64, IS_NAN64, SIGNAL, VALUE)

/* clang-format off */
COMPARE_S(feq_s, IS_SNAN32, (a == b) | zeros)
COMPARE_S(flt_s, IS_NAN32, less & (zeros ^ 1))
COMPARE_S(fle_s, IS_NAN32, less | (a == b) | zeros)
COMPARE_D(feq_d, IS_SNAN64, (a == b) | zeros)
COMPARE_D(flt_d, IS_NAN64, less & (zeros ^ 1))
COMPARE_D(fle_d, IS_NAN64, less | (a == b) | zeros)
/* clang-format on */

/* rd = a where a FIRST b, else b; of a NaN and a number the number. */
#define CHOOSE_(id, BITS, LANE_ON, TAKE, GIVE, KEY, IS_NAN, IS_SNAN, CANON, FIRST)                 \
    OP(id)                                                                                         \
    {                                                                                              \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, u->rs2);                             \
        BITS xs[ROOM] __attribute__((aligned(64))), ys[ROOM] __attribute__((aligned(64))),         \
            invalid = 0;                                                                           \
        LANES                                                                                      \
            xs[l] = TAKE(fa[l]), ys[l] = TAKE(fb[l]);                                              \
        LANES {                                                                                    \
            const BITS a = xs[l], b = ys[l];                                                       \
            const BITS first = KEY(a) FIRST KEY(b) ? a : b;                                        \
            const BITS number = IS_NAN(a) ? b : IS_NAN(b) ? a : first;                             \
            invalid |= (BITS)(IS_SNAN(a) | IS_SNAN(b)) & (BITS)w->LANE_ON[l];                      \
            xs[l] = IS_NAN(number) ? CANON : number;                                               \
        }                                                                                          \
        w->fflags |= (uint8_t)(invalid ? WT_FP_INVALID : 0);                                       \
        EACH_F(GIVE(xs[l]));                                                                       \
        NEXT;                                                                                      \
    }
#define CHOOSE_S(id, FIRST)                                                                        \
    CHOOSE_(id, uint32_t, lane32, unbox, GIVE32, KEY32, IS_NAN32, IS_SNAN32, NAN32, FIRST)
#define CHOOSE_D(id, FIRST)                                                                        \
    CHOOSE_(id, uint64_t, lane64, SAME64, SAME64, KEY64, IS_NAN64, IS_SNAN64, NAN64, FIRST)

CHOOSE_S(fmin_s, <)
CHOOSE_S(fmax_s, >=)
CHOOSE_D(fmin_d, <)
CHOOSE_D(fmax_d, >=)

/* ---- moves, and conversions that are always exact ---- */

/* rd (integer) = VALUE of the register a. */
#define MOVE_TO_X(id, VALUE)                                                                       \
    OP(id)                                                                                         \
    {                                                                                              \
        const uint64_t *fa = f_row(w, u->rs1);                                                     \
        const ux *on = x_blend(w);                                                                 \
        ux *rd = x_row(w, u->rd);                                                                  \
        LANES {                                                                                    \
            const uint64_t a = fa[l];                                                              \
            rd[l] = ((ux)(VALUE)&on[l]) | (rd[l] & ~on[l]);                                        \
        }                                                                                          \
        GO_ON(2);                                                                                  \
    }

/* rd (floating point) = VALUE of the integer a. */
#define MOVE_FROM_X(id, VALUE)                                                                     \
    OP(id)                                                                                         \
    {                                                                                              \
        const ux *ra = x_row(w, u->rs1);                                                           \
        const uint64_t *on = w->lane64;                                                            \
        uint64_t *fd = f_row(w, u->rd);                                                            \
        LANES {                                                                                    \
            const ux a = ra[l];                                                                    \
            fd[l] = ((VALUE)&on[l]) | (fd[l] & ~on[l]);                                            \
        }                                                                                          \
        GO_ON(2);                                                                                  \
    }

MOVE_TO_X(fmv_x_w, (sx)(int32_t)(uint32_t)a)
MOVE_TO_X(fclass_s, wt_f32_class(unbox(a)))
MOVE_TO_X(fclass_d, wt_f64_class(a))
MOVE_FROM_X(fmv_w_x, BOX32 | (uint32_t)a)
#if VX_XLEN == 64
MOVE_TO_X(fmv_x_d, a)
MOVE_FROM_X(fmv_d_x, a)
#endif

/* ---- conversions ---- */

/*
 * result[l] = (TO)xs[l] for all lanes on the host. xs holds, in lanes that are switched off,
 * something whose conversion raises nothing.
 */
#define CONVERT_ON_HOST(FROM, TO)                                                                  \
    host_fp_begin(w);                                                                              \
    ORDERED(xs);                                                                                   \
    LANES {                                                                                        \
        FROM x;                                                                                    \
        TO r;                                                                                      \
        memcpy(&x, &xs[l], sizeof x);                                                              \
        r = (TO)x;                                                                                 \
        memcpy(&result[l], &r, sizeof r);                                                          \
    }                                                                                              \
    ORDERED(result);                                                                               \
    host_fp_end(w);

#define SOFT_LANES(A, SOFT)                                                                        \
    struct wt_fp fp = {.round = (uint8_t)rm};                                                      \
    ACTIVE_LANES {                                                                                 \
        const uint64_t a = A[l];                                                                   \
        result[l] = SOFT;                                                                          \
    }                                                                                              \
    else result[l] = 0;                                                                            \
    w->fflags |= fp.flags;

/* Between formats: to nearest even on the host. */
#define FORMAT_(id, FROM_BITS, FROM, ONE, TAKE, TO_BITS, TO, GIVE, IS_NAN, CANON, SOFT)            \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const uint64_t *fa = f_row(w, u->rs1), *on = w->lane64;                                    \
        TO_BITS result[ROOM] __attribute__((aligned(64)));                                         \
        if (LIKELY(HOST_FP && rm == WT_RNE)) {                                                     \
            FROM_BITS xs[ROOM] __attribute__((aligned(64)));                                       \
            LANES                                                                                  \
                xs[l] = (FROM_BITS)((TAKE(fa[l]) & on[l]) | (ONE & ~on[l]));                       \
            CONVERT_ON_HOST(FROM, TO)                                                              \
            LANES                                                                                  \
                result[l] = IS_NAN(result[l]) ? CANON : result[l];                                 \
        } else {                                                                                   \
            SOFT_LANES(fa, SOFT)                                                                   \
        }                                                                                          \
        EACH_F(GIVE(result[l]));                                                                   \
        NEXT;                                                                                      \
    }

FORMAT_(fcvt_s_d, uint64_t, double, 0x3ff0000000000000u, SAME64, uint32_t, float, GIVE32, IS_NAN32,
        NAN32, wt_f64_to_f32(a, &fp))
FORMAT_(fcvt_d_s, uint32_t, float, 0x3f800000u, unbox, uint64_t, double, SAME64, IS_NAN64, NAN64,
        wt_f32_to_f64(unbox(a), &fp))

/* From integers: to nearest even on the host, where it converts vectors of that type (HOST_OK). */
#define FROM_X_(id, HOST_OK, INT, BITS, FLOAT, GIVE, SOFT)                                         \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const ux *ra = x_row(w, u->rs1), *on = x_blend(w);                                         \
        BITS result[ROOM] __attribute__((aligned(64)));                                            \
        if (LIKELY(HOST_OK && rm == WT_RNE)) {                                                     \
            INT xs[ROOM] __attribute__((aligned(64)));                                             \
            LANES                                                                                  \
                xs[l] = (INT)(ra[l] & on[l]);                                                      \
            CONVERT_ON_HOST(INT, FLOAT)                                                            \
        } else {                                                                                   \
            SOFT_LANES(ra, SOFT)                                                                   \
        }                                                                                          \
        EACH_F(GIVE(result[l]));                                                                   \
        NEXT;                                                                                      \
    }

FROM_X_(fcvt_s_w, HOST_FP, int32_t, uint32_t, float, GIVE32, wt_i64_to_f32((int32_t)a, &fp))
FROM_X_(fcvt_s_wu, 0, uint32_t, uint32_t, float, GIVE32, wt_u64_to_f32((uint32_t)a, &fp))
FROM_X_(fcvt_d_w, HOST_FP, int32_t, uint64_t, double, SAME64, wt_i64_to_f64((int32_t)a, &fp))
FROM_X_(fcvt_d_wu, 0, uint32_t, uint64_t, double, SAME64, wt_u64_to_f64((uint32_t)a, &fp))
#if VX_XLEN == 64
FROM_X_(fcvt_s_l, 0, int64_t, uint32_t, float, GIVE32, wt_i64_to_f32((int64_t)a, &fp))
FROM_X_(fcvt_s_lu, 0, uint64_t, uint32_t, float, GIVE32, wt_u64_to_f32(a, &fp))
FROM_X_(fcvt_d_l, 0, int64_t, uint64_t, double, SAME64, wt_i64_to_f64((int64_t)a, &fp))
FROM_X_(fcvt_d_lu, 0, uint64_t, uint64_t, double, SAME64, wt_u64_to_f64(a, &fp))
#endif

/*
 * To 32-bit integers: towards zero, as C casts, on the host, if every lane is in range: below
 * LIMIT, 2^31, as MAGNITUDE of its bits says. Everything else lane by lane.
 */
#define TO_X_(id, BITS, FLOAT, ONE, TAKE, MAGNITUDE, LIMIT, SOFT)                                  \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const uint64_t *fa = f_row(w, u->rs1), *on = w->lane64;                                    \
        const ux *on_x = x_blend(w);                                                               \
        ux *rd = x_row(w, u->rd);                                                                  \
        int32_t result[ROOM] __attribute__((aligned(64)));                                         \
        BITS xs[ROOM] __attribute__((aligned(64))), beyond = 0;                                    \
        LANES {                                                                                    \
            xs[l] = (BITS)((TAKE(fa[l]) & on[l]) | (ONE & ~on[l]));                                \
            beyond |= (BITS)(MAGNITUDE(xs[l]) >= LIMIT);                                           \
        }                                                                                          \
        if (LIKELY(HOST_FP && rm == WT_RTZ && !beyond)) {                                          \
            CONVERT_ON_HOST(FLOAT, int32_t)                                                        \
        } else {                                                                                   \
            SOFT_LANES(fa, SOFT)                                                                   \
        }                                                                                          \
        LANES                                                                                      \
            rd[l] = ((ux)(sx)result[l] & on_x[l]) | (rd[l] & ~on_x[l]);                            \
        NEXT;                                                                                      \
    }

#define WITHOUT_SIGN32(v) ((v)&0x7fffffffu)
#define WITHOUT_SIGN64(v) ((v)&0x7fffffffffffffffu)
TO_X_(fcvt_w_s, uint32_t, float, 0x3f800000u, unbox, WITHOUT_SIGN32, 0x4f000000u,
      wt_f32_to_i32(unbox(a), &fp))
TO_X_(fcvt_wu_s, uint32_t, float, 0x3f800000u, unbox, , 0x4f000000u,
      (int32_t)wt_f32_to_u32(unbox(a), &fp))
TO_X_(fcvt_w_d, uint64_t, double, 0x3ff0000000000000u, SAME64, WITHOUT_SIGN64, 0x41e0000000000000u,
      wt_f64_to_i32(a, &fp))
TO_X_(fcvt_wu_d, uint64_t, double, 0x3ff0000000000000u, SAME64, , 0x41e0000000000000u,
      (int32_t)wt_f64_to_u32(a, &fp))

#if VX_XLEN == 64
/* To 64-bit integers, lane by lane. */
#define TO_LONG(id, SOFT)                                                                          \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const uint64_t *fa = f_row(w, u->rs1), *on = w->lane64;                                    \
        ux *rd = x_row(w, u->rd);                                                                  \
        uint64_t result[ROOM];                                                                     \
        SOFT_LANES(fa, SOFT)                                                                       \
        LANES                                                                                      \
            rd[l] = (result[l] & on[l]) | (rd[l] & ~on[l]);                                        \
        NEXT;                                                                                      \
    }

TO_LONG(fcvt_l_s, (uint64_t)wt_f32_to_i64(unbox(a), &fp))
TO_LONG(fcvt_lu_s, wt_f32_to_u64(unbox(a), &fp))
TO_LONG(fcvt_l_d, (uint64_t)wt_f64_to_i64(a, &fp))
TO_LONG(fcvt_lu_d, wt_f64_to_u64(a, &fp))
#endif

/* ---- loads and stores ---- */

#define LOAD_F(id, T, VALUE)                                                                       \
    OP(id)                                                                                         \
    {                                                                                              \
        T loaded[ROOM] __attribute__((aligned(64)));                                               \
        memset(loaded, 0, sizeof loaded);                                                          \
        if (UNLIKELY(!load_##T(w, u, loaded)))                                                     \
            return NULL;                                                                           \
        EACH_F(VALUE);                                                                             \
        NEXT;                                                                                      \
    }

LOAD_F(flw, uint32_t, BOX32 | loaded[l])
LOAD_F(fld, uint64_t, loaded[l])

#define STORE_F(id, T)                                                                             \
    OP(id)                                                                                         \
    {                                                                                              \
        T value[ROOM] __attribute__((aligned(64)));                                                \
        const uint64_t *fb = f_row(w, u->rs2);                                                     \
        LANES                                                                                      \
            value[l] = (T)fb[l];                                                                   \
        if (UNLIKELY(!store_##T(w, u, value)))                                                     \
            return NULL;                                                                           \
        NEXT;                                                                                      \
    }

STORE_F(fsw, uint32_t)
STORE_F(fsd, uint64_t)
