/*
 * Floating point of the vector instructions: MODE's rounding and denormals, NaNs and exceptions
 * (manual, section 3.4 and 6.5). A result that is a NaN is the first NaN source, quieted, or the
 * positive default NaN.
 */
#ifndef WT_EMULATOR_GCN_EXEC_FP_H
#define WT_EMULATOR_GCN_EXEC_FP_H

#include "base/bits.h"
#include "emulator/gcn/exec/row_function.h"
#include "emulator/machine/softfloat.h"

#if defined(__x86_64__) || defined(__SSE2__)
#include <xmmintrin.h>
#define GCN_HOST_FLOATS 1
#endif

#define F32_NAN 0x7fc00000u
#define F32_INF 0x7f800000u
#define F32_SIGN 0x80000000u
#define F64_NAN 0x7ff8000000000000u
#define F64_INF 0x7ff0000000000000u
#define F64_SIGN 0x8000000000000000u
#define F16_NAN 0x7e00u
#define F16_INF 0x7c00u
#define F16_SIGN 0x8000u

/* A flag beside softfloat's own: a source was denormal. */
#define FP_DENORMAL 0x20u

/*
 * The environment that MODE gives an operation: on 32 bits (single), or on 64 or 16 bits, which
 * share their rounding and denormals.
 */
struct wt_fp gcn_fp_env(const struct gcn_wave *w, bool single);
/* Adds fp->flags, those of softfloat and FP_DENORMAL, to TRAPSTS.EXCP. */
void gcn_fp_raise(struct gcn_wave *w, const struct wt_fp *fp);
/* MODE.FP_DENORM of 32 bits (single), or of 64 and 16: bit 0 lets denormals in, bit 1 out. */
static inline unsigned gcn_fp_denormals(const struct gcn_wave *w, bool single)
{
    return w->mode >> (single ? 4 : 6) & 3;
}

/* MODE.FP_ROUND, likewise: 0 is to nearest. */
static inline unsigned gcn_fp_rounding(const struct gcn_wave *w, bool single)
{
    return w->mode >> (single ? 0 : 2) & 3;
}

/*
 * Whether the host's own arithmetic gives the same results where no denormals take part: MODE
 * rounds to nearest.
 */
static inline bool gcn_fp_nearest(const struct gcn_wave *w, bool single)
{
#ifdef GCN_HOST_FLOATS
    return gcn_fp_rounding(w, single) == 0;
#else
    return false;
#endif
}

/*
 * Whether the host's own arithmetic gives the same results: MODE rounds to nearest and has
 * denormals.
 */
static inline bool gcn_fp_host(const struct gcn_wave *w, bool single)
{
    return gcn_fp_nearest(w, single) && gcn_fp_denormals(w, single) == 3;
}

/* Before host arithmetic: clears the host's exception flags, unless TRAPSTS has them already. */
static inline void gcn_fp_begin(const struct gcn_wave *w)
{
#ifdef GCN_HOST_FLOATS
    /* Setting MXCSR is slow; what the wave has had anyway may stay. */
    const unsigned csr = _mm_getcsr();
    if (csr & 0x3f & ~w->trapsts)
        _mm_setcsr(csr & ~0x3fu);
    __asm__ volatile("" ::: "memory");
#endif
}

/* After host arithmetic: adds its exceptions to the wave's TRAPSTS.EXCP. */
static inline void gcn_fp_end(struct gcn_wave *w)
{
#ifdef GCN_HOST_FLOATS
    __asm__ volatile("" ::: "memory");
    /* The order of MXCSR's flags is that of TRAPSTS.EXCP. */
    w->trapsts |= _mm_getcsr() & 0x3f;
#endif
}

/* Whether the host has a fused multiply-add instruction. */
bool gcn_fp_host_fma(void);
/* Whether any of 64 values has a denormal binary16 in its low or high half. NULL: false. */
bool gcn_fp_denormal16(const uint32_t *x);
/* Whether any of 64 values is a denormal binary32. NULL: false. */
bool gcn_fp_denormal32(const uint32_t *x);
/* Whether any of 64 values is a denormal binary64. NULL: false. */
bool gcn_fp_denormal64(const uint64_t *x);
/*
 * Notes the exception of a denormal source, 64 binary16 values, of an operation with one source.
 * Only enabled lanes count, and only where MODE lets denormals in. NULL: no source.
 */
void gcn_fp_note16(struct gcn_valu *v, const uint32_t *x);
/* As gcn_fp_note16, for binary32. */
void gcn_fp_note32(struct gcn_valu *v, const uint32_t *x);
/* As gcn_fp_note16, for binary64. */
void gcn_fp_note64(struct gcn_valu *v, const uint64_t *x);
/*
 * Applies OMOD and CLAMP of u (section 6.2.1) to 64 results of type f (32 bits), h (16) or F (64).
 */
void gcn_fp_output(struct gcn_wave *w, const struct gcn_uop *u, char type, void *results);

/* Whether a binary32 is a NaN, quiet or signalling. */
static inline bool nan32(uint32_t x)
{
    return (x & ~F32_SIGN) > F32_INF;
}

/* Whether a binary32 is a signalling NaN. */
static inline bool snan32(uint32_t x)
{
    return (x & ~F32_SIGN) - (F32_INF + 1) < 0x3fffff;
}

/* Whether a binary32 is denormal; 0 is not. */
static inline bool denormal32(uint32_t x)
{
    return (x & ~F32_SIGN) - 1 < 0x7fffff; /* 0 wraps around */
}

/* A binary32 NaN made quiet. */
static inline uint32_t quiet32(uint32_t x)
{
    return x | 0x400000;
}

/* Whether a binary64 is a NaN, quiet or signalling. */
static inline bool nan64(uint64_t x)
{
    return (x & ~F64_SIGN) > F64_INF;
}

/* Whether a binary64 is a signalling NaN. */
static inline bool snan64(uint64_t x)
{
    return (x & ~F64_SIGN) - (F64_INF + 1) < 0x7ffffffffffff;
}

/* Whether a binary64 is denormal; 0 is not. */
static inline bool denormal64(uint64_t x)
{
    return (x & ~F64_SIGN) - 1 < 0xfffffffffffff;
}

/* A binary64 NaN made quiet. */
static inline uint64_t quiet64(uint64_t x)
{
    return x | 0x8000000000000;
}

/* Whether the low half of x is a binary16 NaN, quiet or signalling. */
static inline bool nan16(uint32_t x)
{
    return (x & 0x7fff) > F16_INF;
}

/* Whether the low half of x is a signalling binary16 NaN. */
static inline bool snan16(uint32_t x)
{
    return (x & 0x7fff) - (F16_INF + 1) < 0x1ff;
}

/* Whether the low half of x is a denormal binary16; 0 is not. */
static inline bool denormal16(uint32_t x)
{
    return (x & 0x7fff) - 1 < 0x3ff;
}

/*
 * A binary32 source as an operation sees it: with `flush` a denormal is a zero of its sign. Without
 * a branch, for vector code.
 */
static inline uint32_t flushed32(uint32_t x, bool flush)
{
    return x & (F32_SIGN | (0 - (uint32_t)(!flush | ((x & F32_INF) != 0))));
}

/* A binary64 source as an operation sees it: see flushed32. */
static inline uint64_t flushed64(uint64_t x, bool flush)
{
    return x & (F64_SIGN | (0 - (uint64_t)(!flush | ((x & F64_INF) != 0))));
}

/* A binary16 source, in the low half, as an operation sees it: see flushed32. */
static inline uint32_t flushed16(uint32_t x, bool flush)
{
    return x & (F16_SIGN | (0 - (uint32_t)(!flush | ((x & F16_INF) != 0))));
}

/* x where the choice is 1, y where it is 0. Without a branch, for vector code. */
static inline uint32_t either32(uint32_t choice, uint32_t x, uint32_t y)
{
    return (x & (0 - choice)) | (y & (choice - 1));
}

/* As either32, for 64 bits. */
static inline uint64_t either64(uint64_t choice, uint64_t x, uint64_t y)
{
    return (x & (0 - choice)) | (y & (choice - 1));
}

/*
 * The exception of denormal sources: MODE lets denormals in, and neither is a source a NaN nor was
 * the operation invalid, which both come first. (The manual says no more than that a source is
 * denormal; the order is that of x86, whose flags stand in the same places.) fp->flags are those of
 * the one operation.
 */
static inline void note_denormal32(struct wt_fp *fp, uint32_t a, uint32_t b, uint32_t c)
{
    if ((denormal32(a) | denormal32(b) | denormal32(c)) && !fp->flush_input &&
        !(nan32(a) | nan32(b) | nan32(c)) && !(fp->flags & WT_FP_INVALID))
        fp->flags |= FP_DENORMAL;
}

/* As note_denormal32, for binary64. */
static inline void note_denormal64(struct wt_fp *fp, uint64_t a, uint64_t b, uint64_t c)
{
    if ((denormal64(a) | denormal64(b) | denormal64(c)) && !fp->flush_input &&
        !(nan64(a) | nan64(b) | nan64(c)) && !(fp->flags & WT_FP_INVALID))
        fp->flags |= FP_DENORMAL;
}

/* As note_denormal32, for binary16 in the low halves. */
static inline void note_denormal16(struct wt_fp *fp, uint32_t a, uint32_t b, uint32_t c)
{
    if ((denormal16(a) | denormal16(b) | denormal16(c)) && !fp->flush_input &&
        !(nan16(a) | nan16(b) | nan16(c)) && !(fp->flags & WT_FP_INVALID))
        fp->flags |= FP_DENORMAL;
}

/* A binary32 as an integer that compares in the same order, -0 below +0. */
static inline int32_t key32(uint32_t x)
{
    return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) >> 1));
}

/* As key32, for binary64. */
static inline int64_t key64(uint64_t x)
{
    return (int64_t)(x ^ ((uint64_t)((int64_t)x >> 63) >> 1));
}

/* x * 2^n in binary32, rounded once; n may be any number. */
uint32_t gcn_ldexp32(uint32_t x, int32_t n, struct wt_fp *fp);
/* x * 2^n in binary64, rounded once; n may be any number. */
uint64_t gcn_ldexp64(uint64_t x, int32_t n, struct wt_fp *fp);

#endif
