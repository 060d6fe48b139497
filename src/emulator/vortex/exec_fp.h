/*
 * F and D: unprivileged ISA, chapters 11 and 12. Part of exec.c.
 *
 * Two ways to the same bits. Where the host has IEEE arithmetic with sticky flags that detects
 * tininess after rounding (x86-64 SSE), rounding to nearest even runs on it, a vector of lanes at a
 * time. Everything else goes lane by lane through softfloat.
 */
#if defined __x86_64__ && !defined VX_SOFT_FLOAT
#include <immintrin.h>
#define HOST_FP 1
#else
#define HOST_FP 0
#endif
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

static const struct vx_uop *bad_rounding(struct vx_warp *w, const struct vx_uop *u)
{
    return vx_fault(w, u, WT_FAULT_ILLEGAL, w->mask, 0,
                    "illegal instruction: reserved rounding mode %u%s", rounding(w, u),
                    ((unsigned)u->imm & 7) == 7 ? " in frm" : "");
}

#if HOST_FP
/* MXCSR's exception bits (IE DE ZE OE UE PE) of RISC-V's fflags (NX UF OF DZ NV), and back. */
static inline unsigned flags_to_host(unsigned flags)
{
    return (flags >> 4 & 1) | (flags >> 1 & 4) | (flags << 1 & 8) | (flags << 3 & 16) |
           (flags << 5 & 32) | 2;
}

static inline unsigned flags_from_host(unsigned host)
{
    return (host & 1) << 4 | (host & 4) << 1 | (host & 8) >> 1 | (host & 16) >> 3 | (host & 32) >> 5;
}

/*
 * Before host arithmetic the host may show only flags that the warp has raised already, so that
 * after it each flag that shows is the warp's. In a loop of one warp nothing needs clearing.
 */
static inline void host_fp_begin(const struct vx_warp *w)
{
    const unsigned csr = _mm_getcsr();
    if (UNLIKELY(csr & 0x3f & ~flags_to_host(w->fflags)))
        _mm_setcsr(csr & ~0x3fu);
}

static inline void host_fp_end(struct vx_warp *w)
{
    w->fflags |= (uint8_t)flags_from_host(_mm_getcsr());
}
#endif

/* The compiler may move nothing that reads or writes p across this. */
#define ORDERED(p) __asm__ volatile("" : : "r"(p) : "memory")

/* rd = VALUE for each enabled lane, VALUE being 64 bits that may use l. */
#define EACH_F(VALUE)                                                                              \
    uint64_t *fd = f_row(w, u->rd);                                                                \
    if (LIKELY(w->full)) {                                                                         \
        LANES fd[l] = (VALUE);                                                                     \
    } else {                                                                                       \
        const uint64_t *fon = w->lane64;                                                           \
        LANES fd[l] = ((VALUE)&fon[l]) | (fd[l] & ~fon[l]);                                        \
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
            LANES xs[l] = TAKE(fa[l]), ys[l] = TAKE(fb[l]), zs[l] = TAKE(fc[l]);                   \
        } else {                                                                                   \
            const uint64_t *on = w->lane64;                                                        \
            LANES                                                                                  \
            {                                                                                      \
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
        LANES                                                                                      \
        {                                                                                          \
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
            LANES nans |= (BITS)IS_NAN(zs[l]);                                                     \
            if (UNLIKELY(nans)) {                                                                  \
                struct wt_fp product = {0};                                                        \
                LANES if (IS_NAN(zs[l])) MUL(xs[l], ys[l], &product);                              \
                w->fflags |= product.flags & WT_FP_INVALID;                                        \
            }                                                                                      \
        }                                                                                          \
        LANES result[l] = IS_NAN(result[l]) ? CANON : result[l];                                   \
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
        LANES                                                                                      \
        {                                                                                          \
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
        LANES                                                                                      \
        {                                                                                          \
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

/* rd (floating point) = SOFT(bits of rs1, rs2), lane by lane. */
#define SOFT_F(id, GIVE, SOFT)                                                                     \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, u->rs2);                             \
        uint64_t *fd = f_row(w, u->rd);                                                            \
        struct wt_fp fp = {.round = (uint8_t)rm};                                                  \
        ACTIVE_LANES {                                                                             \
            const uint64_t a = fa[l], b = fb[l];                                                   \
            (void)b;                                                                               \
            fd[l] = GIVE(SOFT);                                                                    \
        }                                                                                          \
        w->fflags |= fp.flags;                                                                     \
        NEXT;                                                                                      \
    }

/* These have funct3 where others have a rounding mode; they are decoded with rounding mode 0. */
SOFT_F(fmin_s, GIVE32, wt_f32_min(unbox(a), unbox(b), &fp))
SOFT_F(fmax_s, GIVE32, wt_f32_max(unbox(a), unbox(b), &fp))
SOFT_F(fmin_d, SAME64, wt_f64_min(a, b, &fp))
SOFT_F(fmax_d, SAME64, wt_f64_max(a, b, &fp))
SOFT_F(fcvt_s_d, GIVE32, wt_f64_to_f32(a, &fp))
SOFT_F(fcvt_d_s, SAME64, wt_f32_to_f64(unbox(a), &fp))

/* rd (integer) = SOFT(bits of rs1, rs2), lane by lane. */
#define SOFT_X(id, SOFT)                                                                           \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const uint64_t *fa = f_row(w, u->rs1), *fb = f_row(w, u->rs2);                             \
        ux *rd = x_row(w, u->rd);                                                                  \
        struct wt_fp fp = {.round = (uint8_t)rm};                                                  \
        ACTIVE_LANES {                                                                             \
            const uint64_t a = fa[l], b = fb[l];                                                   \
            (void)b;                                                                               \
            rd[l] = (ux)(SOFT);                                                                    \
        }                                                                                          \
        w->fflags |= fp.flags;                                                                     \
        NEXT;                                                                                      \
    }

SOFT_X(feq_s, wt_f32_eq(unbox(a), unbox(b), &fp))
SOFT_X(flt_s, wt_f32_lt(unbox(a), unbox(b), &fp))
SOFT_X(fle_s, wt_f32_le(unbox(a), unbox(b), &fp))
SOFT_X(feq_d, wt_f64_eq(a, b, &fp))
SOFT_X(flt_d, wt_f64_lt(a, b, &fp))
SOFT_X(fle_d, wt_f64_le(a, b, &fp))
SOFT_X(fclass_s, wt_f32_class(unbox(a)))
SOFT_X(fclass_d, wt_f64_class(a))
SOFT_X(fmv_x_w, (sx)(int32_t)(uint32_t)a)
SOFT_X(fcvt_w_s, (sx)wt_f32_to_i32(unbox(a), &fp))
SOFT_X(fcvt_wu_s, (sx)(int32_t)wt_f32_to_u32(unbox(a), &fp))
SOFT_X(fcvt_w_d, (sx)wt_f64_to_i32(a, &fp))
SOFT_X(fcvt_wu_d, (sx)(int32_t)wt_f64_to_u32(a, &fp))
#if VX_XLEN == 64
SOFT_X(fmv_x_d, a)
SOFT_X(fcvt_l_s, wt_f32_to_i64(unbox(a), &fp))
SOFT_X(fcvt_lu_s, wt_f32_to_u64(unbox(a), &fp))
SOFT_X(fcvt_l_d, wt_f64_to_i64(a, &fp))
SOFT_X(fcvt_lu_d, wt_f64_to_u64(a, &fp))
#endif

/* rd (floating point) = VALUE of the integer a, lane by lane. */
#define SOFT_FROM_X(id, VALUE)                                                                     \
    OP(id)                                                                                         \
    {                                                                                              \
        const unsigned rm = rounding(w, u);                                                        \
        if (UNLIKELY(rm > WT_RMM))                                                                 \
            return bad_rounding(w, u);                                                             \
        const ux *ra = x_row(w, u->rs1);                                                           \
        uint64_t *fd = f_row(w, u->rd);                                                            \
        struct wt_fp fp = {.round = (uint8_t)rm};                                                  \
        ACTIVE_LANES {                                                                             \
            const ux a = ra[l];                                                                    \
            fd[l] = (VALUE);                                                                       \
        }                                                                                          \
        w->fflags |= fp.flags;                                                                     \
        NEXT;                                                                                      \
    }

SOFT_FROM_X(fmv_w_x, BOX32 | (uint32_t)a)
SOFT_FROM_X(fcvt_s_w, BOX32 | wt_i64_to_f32((int32_t)a, &fp))
SOFT_FROM_X(fcvt_s_wu, BOX32 | wt_u64_to_f32((uint32_t)a, &fp))
SOFT_FROM_X(fcvt_d_w, wt_i64_to_f64((int32_t)a, &fp))
SOFT_FROM_X(fcvt_d_wu, wt_u64_to_f64((uint32_t)a, &fp))
#if VX_XLEN == 64
SOFT_FROM_X(fmv_d_x, a)
SOFT_FROM_X(fcvt_s_l, BOX32 | wt_i64_to_f32((int64_t)a, &fp))
SOFT_FROM_X(fcvt_s_lu, BOX32 | wt_u64_to_f32(a, &fp))
SOFT_FROM_X(fcvt_d_l, wt_i64_to_f64((int64_t)a, &fp))
SOFT_FROM_X(fcvt_d_lu, wt_u64_to_f64(a, &fp))
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
        LANES value[l] = (T)fb[l];                                                                 \
        if (UNLIKELY(!store_##T(w, u, value)))                                                     \
            return NULL;                                                                           \
        NEXT;                                                                                      \
    }

STORE_F(fsw, uint32_t)
STORE_F(fsd, uint64_t)
