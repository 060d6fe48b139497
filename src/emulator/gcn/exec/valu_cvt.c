/* Kernels of the conversions between formats (manual, sections 12.10 and 12.12). */
#include "emulator/gcn/exec/f8.h"
#include "emulator/gcn/exec/fp.h"
#include "emulator/gcn/exec/half_lanes.h"

#include <math.h>
#include <string.h>

/* A loop over the lanes that count, with the environment fp; `single`: whose mode it has; `note`:
 * of the source, NOTE16, NOTE32, NOTE64, or NOTHING where it is an integer. */
#define NOTE16 gcn_fp_note16(v, a)
#define NOTE32 gcn_fp_note32(v, a)
#define NOTE64 gcn_fp_note64(v, a)
#define NOTHING (void)0
#define ROW_CONVERT(name, source, result, single, note, expression)                                \
    CONVERT(void gcn_vop_##name, source, result, single, note, expression)
#define CONVERT(function, source, result, single, note, expression)                                \
    function(struct gcn_valu *v)                                                                   \
    {                                                                                              \
        const source *a = v->a;                                                                    \
        result *d = v->d;                                                                          \
        struct wt_fp fp = gcn_fp_env(v->w, single);                                                \
        note;                                                                                      \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            if (v->exec >> i & 1)                                                                  \
                d[i] = (result)(expression);                                                       \
        gcn_fp_raise(v->w, &fp);                                                                   \
    }

/*
 * To integers of at most 32 bits: out of range is the nearest integer in range, NaN is 0; both are
 * invalid. `x` is the value as a double, which holds every source exactly.
 */
static int64_t to_integer(double x, double (*how)(double), int64_t low, int64_t high,
                          struct wt_fp *fp)
{
    if (isnan(x)) {
        fp->flags |= WT_FP_INVALID;
        return 0;
    }
    const double whole = how(x);
    if (whole < (double)low || whole > (double)high) {
        fp->flags |= WT_FP_INVALID;
        return whole < 0 ? low : high;
    }
    if (whole != x)
        fp->flags |= WT_FP_INEXACT;
    return (int64_t)whole;
}

static double single_of(uint32_t x, const struct wt_fp *fp)
{
    return (double)wt_float_of_bits(flushed32(x, fp->flush_input));
}

static double whole_of(uint64_t x, const struct wt_fp *fp)
{
    return wt_double_of_bits(flushed64(x, fp->flush_input));
}

static double half_of(uint32_t x, const struct wt_fp *fp)
{
    struct wt_fp exact = {.propagate_nan = true};
    return wt_double_of_bits(wt_f16_to_f64((uint16_t)flushed16(x, fp->flush_input), &exact));
}

/* floor(x + 1/2), without rounding the sum. */
static double nearest_up(double x)
{
    const double whole = floor(x);
    return x - whole >= 0.5 ? whole + 1 : whole;
}

static void soft_i32(struct gcn_valu *v)
{
    ROWS32;
    struct wt_fp fp = gcn_fp_env(v->w, true);
    for (unsigned i = 0; i < GCN_LANES; i++)
        if (v->exec >> i & 1)
            d[i] = (uint32_t)to_integer(single_of(a[i], &fp), trunc, INT32_MIN, INT32_MAX, &fp);
    gcn_fp_raise(v->w, &fp);
}

static void soft_u32(struct gcn_valu *v)
{
    ROWS32;
    struct wt_fp fp = gcn_fp_env(v->w, true);
    for (unsigned i = 0; i < GCN_LANES; i++)
        if (v->exec >> i & 1)
            d[i] = (uint32_t)to_integer(single_of(a[i], &fp), trunc, 0, UINT32_MAX, &fp);
    gcn_fp_raise(v->w, &fp);
}

#ifdef GCN_CLONES
/* The host's conversion gives INT32_MIN where the value does not fit or is a NaN, and raises what
 * we raise. Those that are too large and the NaNs are put right. */
static __attribute__((target("avx2"))) void host_i32(uint32_t *d, const uint32_t *a)
{
    const __m256 limit = _mm256_set1_ps(2147483648.0f);
    for (unsigned i = 0; i < GCN_LANES; i += 8) {
        const __m256 x = _mm256_loadu_ps((const float *)(const void *)(a + i));
        const __m256i large = _mm256_castps_si256(_mm256_cmp_ps(x, limit, _CMP_GE_OQ));
        const __m256i number = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_ORD_Q));
        /* INT32_MIN less 1 is INT32_MAX */
        const __m256i r = _mm256_add_epi32(_mm256_cvttps_epi32(x), large);
        _mm256_storeu_si256((__m256i *)(void *)(d + i), _mm256_and_si256(r, number));
    }
}

/* From 2^31 on the value less that; what does not fit goes in as a NaN. */
static __attribute__((target("avx2"))) void host_u32(uint32_t *d, const uint32_t *a)
{
    const __m256 half = _mm256_set1_ps(2147483648.0f), end = _mm256_set1_ps(4294967296.0f);
    const __m256 minus_one = _mm256_set1_ps(-1);
    const __m256i top = _mm256_set1_epi32(INT32_MIN);
    for (unsigned i = 0; i < GCN_LANES; i += 8) {
        const __m256 x = _mm256_loadu_ps((const float *)(const void *)(a + i));
        const __m256 below = _mm256_cmp_ps(x, minus_one, _CMP_LE_OQ);
        const __m256 above = _mm256_cmp_ps(x, end, _CMP_GE_OQ);
        const __m256 number = _mm256_cmp_ps(x, x, _CMP_ORD_Q), bad = _mm256_or_ps(below, above);
        const __m256 fits = _mm256_andnot_ps(bad, x);
        const __m256 upper = _mm256_cmp_ps(fits, half, _CMP_GE_OQ);
        const __m256 rest = _mm256_sub_ps(fits, _mm256_and_ps(upper, half));
        /* all ones as a number are a NaN */
        __m256i r = _mm256_cvttps_epi32(_mm256_or_ps(rest, bad));
        r = _mm256_xor_si256(r, _mm256_and_si256(_mm256_castps_si256(upper), top));
        r = _mm256_or_si256(r, _mm256_castps_si256(above));
        r = _mm256_and_si256(r, _mm256_castps_si256(_mm256_andnot_ps(below, number)));
        _mm256_storeu_si256((__m256i *)(void *)(d + i), r);
    }
}
#else
#define host_i32 NULL
#define host_u32 NULL
#endif

static void truncated(struct gcn_valu *v, void (*host)(uint32_t *d, const uint32_t *a),
                      void (*soft)(struct gcn_valu *v))
{
    uint32_t counting[GCN_LANES] = {0};
    gcn_fp_note32(v, v->a);
    if (!host || !gcn_fp_host_fma() || !gcn_fp_host(v->w, true)) {
        soft(v);
        return;
    }
    gcn_blend(counting, v->a, gcn_lanes_on(v->w, v->exec));
    gcn_fp_begin(v->w);
    host(v->d, counting);
    gcn_fp_end(v->w);
}

void gcn_vop_v_cvt_i32_f32(struct gcn_valu *v)
{
    truncated(v, host_i32, soft_i32);
}

void gcn_vop_v_cvt_u32_f32(struct gcn_valu *v)
{
    truncated(v, host_u32, soft_u32);
}

ROW_CONVERT(v_cvt_rpi_i32_f32, uint32_t, uint32_t, true, NOTE32,
            to_integer(single_of(a[i], &fp), nearest_up, INT32_MIN, INT32_MAX, &fp))
ROW_CONVERT(v_cvt_flr_i32_f32, uint32_t, uint32_t, true, NOTE32,
            to_integer(single_of(a[i], &fp), floor, INT32_MIN, INT32_MAX, &fp))
ROW_CONVERT(v_cvt_i32_f64, uint64_t, uint32_t, false, NOTE64,
            to_integer(whole_of(a[i], &fp), trunc, INT32_MIN, INT32_MAX, &fp))
ROW_CONVERT(v_cvt_u32_f64, uint64_t, uint32_t, false, NOTE64,
            to_integer(whole_of(a[i], &fp), trunc, 0, UINT32_MAX, &fp))
ROW_CONVERT(v_cvt_i16_f16, uint32_t, uint32_t, false, NOTE16,
            to_integer(half_of(a[i], &fp), trunc, INT16_MIN, INT16_MAX, &fp))
ROW_CONVERT(v_cvt_u16_f16, uint32_t, uint32_t, false, NOTE16,
            to_integer(half_of(a[i], &fp), trunc, 0, UINT16_MAX, &fp))

/* From integers. Where the result is exact nothing is raised, and the host's way is ours. */
#define ROW_EXACT(name, result, expression)                                                        \
    CLONED gcn_vop_##name(struct gcn_valu *v)                                                      \
    {                                                                                              \
        const uint32_t *a = v->a;                                                                  \
        result *d = v->d;                                                                          \
        LANES                                                                                      \
            d[i] = expression;                                                                     \
    }
ROW_EXACT(v_cvt_f64_i32, uint64_t, wt_double_bits((double)(int32_t)a[i]))
ROW_EXACT(v_cvt_f64_u32, uint64_t, wt_double_bits((double)a[i]))
ROW_EXACT(v_cvt_f32_ubyte0, uint32_t, wt_float_bits((float)(int32_t)(a[i] & 0xff)))
ROW_EXACT(v_cvt_f32_ubyte1, uint32_t, wt_float_bits((float)(int32_t)(a[i] >> 8 & 0xff)))
ROW_EXACT(v_cvt_f32_ubyte2, uint32_t, wt_float_bits((float)(int32_t)(a[i] >> 16 & 0xff)))
ROW_EXACT(v_cvt_f32_ubyte3, uint32_t, wt_float_bits((float)(int32_t)(a[i] >> 24)))

/* Those that round: 0 in the lanes that do not count, so that they raise nothing. */
#define ROW_ROUNDED(name, type, soft)                                                              \
    static CLONED host_##name(uint32_t *d, const uint32_t *a)                                      \
    {                                                                                              \
        LANES                                                                                      \
            d[i] = wt_float_bits((float)(type)a[i]);                                               \
    }                                                                                              \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        const uint32_t *a = v->a;                                                                  \
        uint32_t *d = v->d, counting[GCN_LANES] = {0};                                             \
        struct wt_fp fp = gcn_fp_env(v->w, true);                                                  \
        if (gcn_fp_host(v->w, true)) {                                                             \
            gcn_blend(counting, a, gcn_lanes_on(v->w, v->exec));                                   \
            gcn_fp_begin(v->w);                                                                    \
            host_##name(d, counting);                                                              \
            gcn_fp_end(v->w);                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            if (v->exec >> i & 1)                                                                  \
                d[i] = soft;                                                                       \
        gcn_fp_raise(v->w, &fp);                                                                   \
    }
ROW_ROUNDED(v_cvt_f32_i32, int32_t, wt_i64_to_f32((int32_t)a[i], &fp))
ROW_ROUNDED(v_cvt_f32_u32, uint32_t, wt_u64_to_f32(a[i], &fp))

ROW_CONVERT(v_cvt_f16_i16, uint32_t, uint32_t, false, NOTHING, wt_i64_to_f16((int16_t)a[i], &fp))
ROW_CONVERT(v_cvt_f16_u16, uint32_t, uint32_t, false, NOTHING, wt_u64_to_f16(a[i], &fp))

/* Sixteenths of a signed number of four bits. */
ROW_CONVERT(v_cvt_off_f32_i4, uint32_t, uint32_t, true, NOTHING,
            wt_float_bits((float)((int32_t)(a[i] << 28) >> 28) / 16))

/* ---- between floating point formats: the source's mode flushes it, the result's mode rounds ----
 */

/* FP16_OVFL: what would become infinite stays the largest half, unless it was infinite. */
static uint32_t to_half(struct gcn_wave *w, uint32_t x, struct wt_fp *fp)
{
    x = flushed32(x, gcn_fp_env(w, true).flush_input);
    /* Denormal sources are far below the least half; they were flushed by the other mode. */
    const bool flush = fp->flush_input;
    fp->flush_input = false;
    uint32_t half = wt_f32_to_f16(x, fp);
    fp->flush_input = flush;
    if ((w->mode & GCN_MODE_FP16_OVFL) && (half & 0x7fff) == F16_INF && (x & ~F32_SIGN) != F32_INF)
        half--;
    return half;
}

CONVERT(static void soft_f16_f32, uint32_t, uint32_t, false, NOTE32, to_half(v->w, a[i], &fp))

/* By the host's own conversions of all lanes, of which those that do not count are 0. False where
 * they are not ours. */
#ifdef GCN_CLONES
static WITH_HALVES bool host_f16_f32(uint32_t *d, const uint32_t *a)
{
    __m256i odd = _mm256_setzero_si256();
    uint32_t result[GCN_LANES];
    for (unsigned i = 0; i < GCN_LANES; i += 8) {
        const __m256 x = _mm256_loadu_ps((const float *)(const void *)(a + i));
        odd = _mm256_or_si256(odd, store_halves(result + i, x));
    }
    if (_mm256_testz_si256(odd, odd))
        memcpy(d, result, sizeof result);
    return _mm256_testz_si256(odd, odd);
}

static WITH_HALVES bool host_f32_f16(uint32_t *d, const uint32_t *a)
{
    for (unsigned i = 0; i < GCN_LANES; i += 8)
        _mm256_storeu_ps((float *)(void *)(d + i), load_halves(a + i));
    return true;
}
#else
#define host_f16_f32 NULL
#define host_f32_f16 NULL
#endif

static bool convert_all(struct gcn_valu *v, bool (*host)(uint32_t *d, const uint32_t *a))
{
    uint32_t counting[GCN_LANES] = {0};
    const uint32_t before = v->w->trapsts;
    if (!host || gcn_few_lanes(v->exec) || !gcn_fp_host_fma() || !gcn_fp_host(v->w, false) ||
        v->w->mode & GCN_MODE_FP16_OVFL)
        return false;
    gcn_blend(counting, v->a, gcn_lanes_on(v->w, v->exec));
    gcn_fp_begin(v->w);
    const bool done = host(v->d, counting);
    gcn_fp_end(v->w);
    if (!done)
        v->w->trapsts = before;
    return done;
}

void gcn_vop_v_cvt_f16_f32(struct gcn_valu *v)
{
    if (gcn_fp_denormal32(v->a) || !convert_all(v, host_f16_f32))
        soft_f16_f32(v);
}

static uint32_t from_half(uint32_t x, bool flush, struct wt_fp *fp)
{
    fp->flush_input = false;
    return wt_f16_to_f32((uint16_t)flushed16(x, flush), fp);
}

CONVERT(static void soft_f32_f16, uint32_t, uint32_t, true, NOTE16,
        from_half(a[i], gcn_fp_env(v->w, false).flush_input, &fp))

void gcn_vop_v_cvt_f32_f16(struct gcn_valu *v)
{
    if (gcn_fp_denormal16(v->a) || !convert_all(v, host_f32_f16))
        soft_f32_f16(v);
}

static uint64_t to_double(uint32_t x, bool flush, struct wt_fp *fp)
{
    fp->flush_input = false;
    return wt_f32_to_f64(flushed32(x, flush), fp);
}

CONVERT(static void soft_f64_f32, uint32_t, uint64_t, false, NOTE32,
        to_double(a[i], gcn_fp_env(v->w, true).flush_input, &fp))

static CLONED host_f64_f32(uint64_t *d, const uint32_t *a)
{
    LANES
        d[i] = wt_double_bits((double)wt_float_of_bits(a[i]));
}

void gcn_vop_v_cvt_f64_f32(struct gcn_valu *v)
{
    uint32_t counting[GCN_LANES] = {0};
    if (!gcn_fp_host(v->w, true)) {
        soft_f64_f32(v);
        return;
    }
    gcn_blend(counting, v->a, gcn_lanes_on(v->w, v->exec));
    gcn_fp_begin(v->w);
    host_f64_f32(v->d, counting);
    gcn_fp_end(v->w);
}

static uint32_t to_single(uint64_t x, bool flush, struct wt_fp *fp)
{
    fp->flush_input = false;
    return wt_f64_to_f32(flushed64(x, flush), fp);
}

CONVERT(static void soft_f32_f64, uint64_t, uint32_t, true, NOTE64,
        to_single(a[i], gcn_fp_env(v->w, false).flush_input, &fp))

static CLONED host_f32_f64(uint32_t *d, const uint64_t *a)
{
    LANES
        d[i] = wt_float_bits((float)wt_double_of_bits(a[i]));
}

void gcn_vop_v_cvt_f32_f64(struct gcn_valu *v)
{
    const uint64_t *a = v->a;
    uint64_t counting[GCN_LANES];
    if (!gcn_fp_host(v->w, true) || !gcn_fp_host(v->w, false)) {
        soft_f32_f64(v);
        return;
    }
    for (unsigned i = 0; i < GCN_LANES; i++)
        counting[i] = v->exec >> i & 1 ? a[i] : 0;
    gcn_fp_begin(v->w);
    host_f32_f64(v->d, counting);
    gcn_fp_end(v->w);
}

/* ---- packed results ---- */

/* Towards zero, whatever MODE says; so an overflow is the largest half. */
void gcn_vop_v_cvt_pkrtz_f16_f32(struct gcn_valu *v)
{
    ROWS32;
    struct wt_fp fp = gcn_fp_env(v->w, false);
    fp.round = WT_RTZ;
    gcn_fp_note32(v, a);
    gcn_fp_note32(v, b);
    for (unsigned i = 0; i < GCN_LANES; i++)
        if (v->exec >> i & 1)
            d[i] = to_half(v->w, a[i], &fp) | to_half(v->w, b[i], &fp) << 16;
    gcn_fp_raise(v->w, &fp);
}

/* A normalised integer: NaN is 0, the rest is limited to the range and rounded to nearest. */
static uint32_t normalised(double x, bool is_signed)
{
    const double low = is_signed ? -1 : 0, high = is_signed ? 32767 : 65535;
    if (isnan(x))
        return 0;
    x = x < low ? low : x > 1 ? 1 : x;
    return (uint32_t)(int32_t)roundeven(x * high) & 0xffff;
}

#define ROW_NORMALISED(name, bits, single, value, is_signed)                                       \
    void gcn_vop_##name(struct gcn_valu *v)                                                        \
    {                                                                                              \
        ROWS32;                                                                                    \
        const struct wt_fp fp = gcn_fp_env(v->w, single);                                          \
        gcn_fp_note##bits(v, a);                                                                   \
        gcn_fp_note##bits(v, b);                                                                   \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            d[i] = normalised(value(a[i], &fp), is_signed) |                                       \
                   (b ? normalised(value(b[i], &fp), is_signed) << 16 : 0);                        \
    }
ROW_NORMALISED(v_cvt_pknorm_i16_f32, 32, true, single_of, true)
ROW_NORMALISED(v_cvt_pknorm_u16_f32, 32, true, single_of, false)
ROW_NORMALISED(v_cvt_pknorm_i16_f16, 16, false, half_of, true)
ROW_NORMALISED(v_cvt_pknorm_u16_f16, 16, false, half_of, false)
ROW_NORMALISED(v_cvt_norm_i16_f16, 16, false, half_of, true)
ROW_NORMALISED(v_cvt_norm_u16_f16, 16, false, half_of, false)

/* A byte of the result: the first source rounded by MODE and limited to 0 .. 255. */
static uint32_t to_byte(uint32_t x, uint8_t round)
{
    static double (*const how[])(double) = {
        [WT_RNE] = roundeven, [WT_RTZ] = trunc, [WT_RDN] = floor, [WT_RUP] = ceil};
    const double value = (double)wt_float_of_bits(x);
    if (isnan(value) || value <= 0)
        return 0;
    return value >= 255 ? 255 : (uint32_t)how[round](value);
}

static void pack_byte(struct gcn_valu *v)
{
    ROWS32;
    const struct wt_fp fp = gcn_fp_env(v->w, true);
    gcn_fp_note32(v, a);
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const unsigned at = 8 * (b[i] & 3);
        d[i] = (c[i] & ~(0xffu << at)) | to_byte(flushed32(a[i], fp.flush_input), fp.round) << at;
    }
}

/* ---- numbers of 8 bits (f8.h) ---- */

/* A single as such a number, rounded to nearest; what is too large is none (silicon: rocm-systems
 * issue 9556), or with FP16_OVFL the largest. */
static uint32_t f8_of(const struct gcn_wave *w, uint32_t x, bool bf8)
{
    const int places = bf8 ? 2 : 3, least = bf8 ? -15 : -7;
    const uint32_t magnitude = x & ~F32_SIGN;
    if (magnitude >= F32_INF)
        return 0x80;
    const int own = (int)(magnitude >> 23) - 127, exponent = own > least ? own : least;
    const double whole = nearbyint(ldexp(wt_float_of_bits(magnitude), places - exponent));
    const uint32_t code = ((uint32_t)(exponent - least) << places) + (uint32_t)whole;
    if (code > 0x7f)
        return w->mode & GCN_MODE_FP16_OVFL ? x >> 31 << 7 | 0x7f : 0x80;
    return code ? x >> 31 << 7 | code : 0;
}

/* A single with random bits added below the last place of such a number, and cut there. How
 * hardware adds them is not published: the random number's upper bits, as AMD's HIP headers do it.
 */
static uint32_t stirred(uint32_t x, uint32_t random, bool bf8)
{
    const int places = bf8 ? 2 : 3, least = bf8 ? -15 : -7, own = (int)(x >> 23 & 0xff) - 127;
    const int below = 23 - places + (own < least ? least - own : 0);
    if ((x & ~F32_SIGN) >= F32_INF || below > 23 + places)
        return (x & ~F32_SIGN) >= F32_INF ? x : 0;
    const uint64_t whole = ((x & 0x7fffff) | 0x800000u) + (uint64_t)(random >> (32 - below));
    const double cut = (double)(whole >> below << below) * ldexp(1, own - 23);
    return wt_float_bits((float)cut) | (x & F32_SIGN);
}

#define ROW_F8(kind, bf8)                                                                          \
    ROW_EXACT(v_cvt_f32_##kind, uint32_t, gcn_f32_of_f8(a[i] & 0xff, bf8))                         \
    ROW_EXACT(v_cvt_pk_f32_##kind, uint64_t,                                                       \
              gcn_f32_of_f8(a[i] & 0xff, bf8) | (uint64_t)gcn_f32_of_f8(a[i] >> 8 & 0xff, bf8)     \
                                                    << 32)                                         \
    void gcn_vop_v_cvt_pk_##kind##_f32(struct gcn_valu *v)                                         \
    {                                                                                              \
        ROWS32;                                                                                    \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            d[i] = f8_of(v->w, a[i], bf8) | f8_of(v->w, b[i], bf8) << 8;                           \
    }                                                                                              \
    void gcn_vop_v_cvt_sr_##kind##_f32(struct gcn_valu *v)                                         \
    {                                                                                              \
        const unsigned at = v->u->op_sel / 4 * 8;                                                  \
        ROWS32;                                                                                    \
        for (unsigned i = 0; i < GCN_LANES; i++)                                                   \
            d[i] = (c[i] & ~(0xffu << at)) | f8_of(v->w, stirred(a[i], b[i], bf8), bf8) << at;     \
    }
ROW_F8(fp8, false)
ROW_F8(bf8, true)

void gcn_vop_v_cvt_pk_u8_f32(struct gcn_valu *v)
{
    pack_byte(v);
}

void gcn_vop_v_cvt_pkaccum_u8_f32(struct gcn_valu *v)
{
    pack_byte(v);
}
