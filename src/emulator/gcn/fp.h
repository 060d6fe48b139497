/*
 * Floating point of the vector instructions: MODE's rounding and denormals, NaNs and exceptions
 * (manual, section 3.4 and 6.5). A result that is a NaN is the first NaN source, quieted, or the
 * positive default NaN.
 */
#ifndef WT_EMULATOR_GCN_FP_H
#define WT_EMULATOR_GCN_FP_H

#include "base/bits.h"
#include "emulator/gcn/row_function.h"
#include "emulator/machine/softfloat.h"

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

/* The environment of an operation on 32 bits, and on 64 or 16 bits (they share their mode). */
struct wt_fp gcn_fp_env(const struct gcn_wave *w, bool single);
/* Notes the exceptions that softfloat raised, and FP_DENORMAL. */
void gcn_fp_raise(struct gcn_wave *w, const struct wt_fp *fp);
/* Whether the host's own arithmetic gives the same: to nearest, with denormals. */
bool gcn_fp_host(const struct gcn_wave *w, bool single);
/* Whether it does where no denormals play a part. */
bool gcn_fp_nearest(const struct gcn_wave *w, bool single);
/* Around host arithmetic: its exceptions become the wave's. */
void gcn_fp_begin(const struct gcn_wave *w);
void gcn_fp_end(struct gcn_wave *w);
/* Whether the host has a fused multiply-add instruction. */
bool gcn_fp_host_fma(void);
/* Whether any of 64 values is denormal; NULL: none. Of 16 bits: in either half. */
bool gcn_fp_denormal16(const uint32_t *x);
bool gcn_fp_denormal32(const uint32_t *x);
bool gcn_fp_denormal64(const uint64_t *x);
/* The exception of denormal sources, of operations with one source; NULL: no source. */
void gcn_fp_note16(struct gcn_valu *v, const uint32_t *x);
void gcn_fp_note32(struct gcn_valu *v, const uint32_t *x);
void gcn_fp_note64(struct gcn_valu *v, const uint64_t *x);
/* Applies OMOD and CLAMP of u to results of type f, h or F. */
void gcn_fp_output(struct gcn_wave *w, const struct gcn_uop *u, char type, void *results);

static inline bool nan32(uint32_t x)
{
    return (x & ~F32_SIGN) > F32_INF;
}

static inline bool snan32(uint32_t x)
{
    return (x & ~F32_SIGN) - (F32_INF + 1) < 0x3fffff;
}

static inline bool denormal32(uint32_t x)
{
    return (x & ~F32_SIGN) - 1 < 0x7fffff; /* 0 wraps around */
}

static inline uint32_t quiet32(uint32_t x)
{
    return x | 0x400000;
}

static inline bool nan64(uint64_t x)
{
    return (x & ~F64_SIGN) > F64_INF;
}

static inline bool snan64(uint64_t x)
{
    return (x & ~F64_SIGN) - (F64_INF + 1) < 0x7ffffffffffff;
}

static inline bool denormal64(uint64_t x)
{
    return (x & ~F64_SIGN) - 1 < 0xfffffffffffff;
}

static inline uint64_t quiet64(uint64_t x)
{
    return x | 0x8000000000000;
}

static inline bool nan16(uint32_t x)
{
    return (x & 0x7fff) > F16_INF;
}

static inline bool snan16(uint32_t x)
{
    return (x & 0x7fff) - (F16_INF + 1) < 0x1ff;
}

static inline bool denormal16(uint32_t x)
{
    return (x & 0x7fff) - 1 < 0x3ff;
}

/* A source as an operation that flushes denormals sees it; without a branch, for vector code. */
static inline uint32_t flushed32(uint32_t x, bool flush)
{
    return x & (F32_SIGN | (0 - (uint32_t)(!flush | ((x & F32_INF) != 0))));
}

static inline uint64_t flushed64(uint64_t x, bool flush)
{
    return x & (F64_SIGN | (0 - (uint64_t)(!flush | ((x & F64_INF) != 0))));
}

static inline uint32_t flushed16(uint32_t x, bool flush)
{
    return x & (F16_SIGN | (0 - (uint32_t)(!flush | ((x & F16_INF) != 0))));
}

/* x where the choice is 1, y where it is 0; without a branch, for vector code. */
static inline uint32_t either32(uint32_t choice, uint32_t x, uint32_t y)
{
    return (x & (0 - choice)) | (y & (choice - 1));
}

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

static inline void note_denormal64(struct wt_fp *fp, uint64_t a, uint64_t b, uint64_t c)
{
    if ((denormal64(a) | denormal64(b) | denormal64(c)) && !fp->flush_input &&
        !(nan64(a) | nan64(b) | nan64(c)) && !(fp->flags & WT_FP_INVALID))
        fp->flags |= FP_DENORMAL;
}

static inline void note_denormal16(struct wt_fp *fp, uint32_t a, uint32_t b, uint32_t c)
{
    if ((denormal16(a) | denormal16(b) | denormal16(c)) && !fp->flush_input &&
        !(nan16(a) | nan16(b) | nan16(c)) && !(fp->flags & WT_FP_INVALID))
        fp->flags |= FP_DENORMAL;
}

/* Numbers as integers in the same order, -0 below +0. */
static inline int32_t key32(uint32_t x)
{
    return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) >> 1));
}

static inline int64_t key64(uint64_t x)
{
    return (int64_t)(x ^ ((uint64_t)((int64_t)x >> 63) >> 1));
}

/* x * 2^n, rounded once. */
uint32_t gcn_ldexp32(uint32_t x, int32_t n, struct wt_fp *fp);
uint64_t gcn_ldexp64(uint64_t x, int32_t n, struct wt_fp *fp);

#endif
