/* Floating point of meanings (meaning.h), for the plain evaluator: by softfloat.h. */
#ifndef TESTS_MEANING_FLOAT_H
#define TESTS_MEANING_FLOAT_H

#include "base/bits.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/softfloat.h"

/* Rounding and denormals: of floats of 32 bits, of others. */
struct floats {
    struct wt_meaning_floats is;
    const struct wt_fp *single, *other;
    bool roots; /* square roots are rounded as the mode says */
    bool ieee;  /* where NaNs are propagated, the least of numbers is a signalling one, quieted */
};

enum { HALF = 16, SINGLE = 32, DOUBLE = 64 };
#define BY_WIDTH(bits, half, single, double)                                                       \
    ((bits) == HALF ? (uint64_t)(half) : (bits) == SINGLE ? (uint64_t)(single) : (uint64_t)(double))
#define TWO(op)                                                                                    \
    BY_WIDTH(own, wt_f16_##op((uint16_t)x, (uint16_t)y, &fp),                                      \
             wt_f32_##op((uint32_t)x, (uint32_t)y, &fp), wt_f64_##op(x, y, &fp))

/* Outcomes of FCOMPARE. */
static unsigned compared(uint64_t x, uint64_t y, unsigned own, struct wt_fp fp)
{
    if (TWO(lt))
        return WT_M_LESS;
    if (TWO(eq))
        return WT_M_EQUAL;
    const uint64_t z = x;
    x = y;
    y = z;
    return TWO(lt) ? WT_M_GREATER : WT_M_UNORDERED;
}

/* Its bit in the order of FKIND. */
static unsigned kind_of(uint64_t x, unsigned own)
{
    return (unsigned)BY_WIDTH(own, wt_f16_class((uint16_t)x), wt_f32_class((uint32_t)x),
                              wt_f64_class(x));
}

/* Its bit in the order of FCLASS. */
static unsigned class_of(uint64_t x, unsigned own)
{
    enum { NANS = 2, CLASSES = 10 }; /* FKIND has them behind the numbers */
    const unsigned class = kind_of(x, own);
    return (class << NANS | class >> (CLASSES - NANS)) & ((1u << CLASSES) - 1);
}

/* Likewise of n bits, rounded. */
static uint64_t to_integer(uint64_t x, unsigned own, unsigned n, bool is_signed, struct wt_fp fp)
{
    const uint64_t most = is_signed ? wt_low_bits(n - 1) : wt_low_bits(n);
    if (is_signed) {
        const int64_t r = BY_WIDTH(own, wt_f16_to_i64((uint16_t)x, &fp),
                                   wt_f32_to_i64((uint32_t)x, &fp), wt_f64_to_i64(x, &fp));
        return r > (int64_t)most ? most : r < -(int64_t)most - 1 ? ~most : (uint64_t)r;
    }
    const uint64_t r = BY_WIDTH(own, wt_f16_to_u64((uint16_t)x, &fp),
                                wt_f32_to_u64((uint32_t)x, &fp), wt_f64_to_u64(x, &fp));
    return r > most ? most : r;
}

static bool is_nan(uint64_t x, unsigned own)
{
    return BY_WIDTH(own, !wt_f16_eq((uint16_t)x, (uint16_t)x, &(struct wt_fp){0}),
                    !wt_f32_eq((uint32_t)x, (uint32_t)x, &(struct wt_fp){0}),
                    !wt_f64_eq(x, x, &(struct wt_fp){0}));
}

static uint64_t of_integer(uint64_t x, unsigned own, unsigned bits, bool is_signed, struct wt_fp fp)
{
    const int64_t number = wt_sign_extend(x, own);
    if (is_signed)
        return BY_WIDTH(bits, wt_i64_to_f16(number, &fp), wt_i64_to_f32(number, &fp),
                        wt_i64_to_f64(number, &fp));
    return BY_WIDTH(bits, wt_u64_to_f16(x, &fp), wt_u64_to_f32(x, &fp), wt_u64_to_f64(x, &fp));
}

static uint64_t sign_of(unsigned own)
{
    return UINT64_C(1) << (own - 1);
}

/* The highest bit of the fraction: 1 of quiet NaNs. */
static uint64_t quiet_of(unsigned own)
{
    return BY_WIDTH(own, 1u << 9, 1u << 22, UINT64_C(1) << 51);
}

static uint64_t flushed(uint64_t x, unsigned own, bool flushes)
{
    enum { DENORMAL = 1 << 2 | 1 << 5 };
    return flushes && kind_of(x, own) & DENORMAL ? x & sign_of(own) : x;
}

/* The lesser or greater one; a number, where the other is none. */
static uint64_t picked(uint64_t x, uint64_t y, unsigned own, bool greatest,
                       const struct floats *floats, struct wt_fp fp)
{
    if (!fp.propagate_nan)
        return greatest ? TWO(max) : TWO(min);
    const bool nan_x = is_nan(x, own), nan_y = is_nan(y, own);
    const uint64_t quiet = quiet_of(own);
    x = flushed(x, own, fp.flush_input);
    y = flushed(y, own, fp.flush_input);
    if (floats->ieee && nan_x && !(x & quiet))
        return x | quiet;
    if (floats->ieee && nan_y && !(y & quiet))
        return y | quiet;
    return nan_x ? y : nan_y ? x : greatest ? TWO(max) : TWO(min);
}

static uint64_t middle(uint64_t x, uint64_t y, uint64_t z, unsigned own,
                       const struct floats *floats, struct wt_fp fp)
{
    const uint64_t least = picked(x, y, own, false, floats, fp);
    if (is_nan(x, own) || is_nan(y, own) || is_nan(z, own))
        return picked(least, z, own, false, floats, fp);
    const uint64_t most = picked(x, y, own, true, floats, fp);
    return picked(least, picked(most, z, own, false, floats, fp), own, true, floats, fp);
}

/* The integer next to it in one direction; where there is a fraction, it is no great number. */
static uint64_t whole(uint64_t x, unsigned own, enum wt_round round, struct wt_fp fp)
{
    const unsigned fraction = (unsigned)BY_WIDTH(own, 10, 23, 52);
    const uint64_t sign = sign_of(own), one = BY_WIDTH(own, 0x3c00, 0x3f800000, 0x3ffull << 52),
                   great = one + ((uint64_t)fraction << fraction);
    if (is_nan(x, own))
        return x | quiet_of(own);
    x = flushed(x, own, fp.flush_input);
    if ((x & ~sign) >= great)
        return x;
    fp.round = round;
    const int64_t r = BY_WIDTH(own, wt_f16_to_i64((uint16_t)x, &fp),
                               wt_f32_to_i64((uint32_t)x, &fp), wt_f64_to_i64(x, &fp));
    return (of_integer((uint64_t)r, DOUBLE, own, true, fp) & ~sign) | (x & sign);
}

static uint64_t of_float(uint64_t x, unsigned own, unsigned bits, struct wt_fp fp)
{
    if (own == HALF)
        return BY_WIDTH(bits, x, wt_f16_to_f32((uint16_t)x, &fp), wt_f16_to_f64((uint16_t)x, &fp));
    if (own == SINGLE)
        return BY_WIDTH(bits, wt_f32_to_f16((uint32_t)x, &fp), x, wt_f32_to_f64((uint32_t)x, &fp));
    return BY_WIDTH(bits, wt_f64_to_f16(x, &fp), wt_f64_to_f32(x, &fp), x);
}

static struct wt_meaning_value compute_float(const struct wt_meaning_floats *is,
                                             const struct wt_meaning_node *node,
                                             const struct wt_meaning_value *v)
{
    const struct floats *floats = (const struct floats *)is;
    const unsigned own = v[0].bits;
    const uint64_t x = v[0].value, y = node->operands > 1 ? v[1].value : 0,
                   z = node->operands > 2 ? v[2].value : 0;
    struct wt_meaning_value r = {0, own};
    const bool converts = node->op >= WT_M_FLOAT && node->op <= WT_M_FLOAT_F;
    struct wt_fp fp = (converts ? node->n : own) == SINGLE ? *floats->single : *floats->other;
    fp.flush_input = own == SINGLE ? floats->single->flush_input : floats->other->flush_input;
    for (unsigned i = 0; i < node->operands; i++)
        if (!v[i].bits)
            return (struct wt_meaning_value){0, 0};
    switch (node->op) {
    case WT_M_FADD:
        r.value = TWO(add);
        return r;
    case WT_M_FSUB:
        r.value = TWO(sub);
        return r;
    case WT_M_FMUL:
        r.value = TWO(mul);
        return r;
    case WT_M_FDIV:
        r.value = TWO(div);
        return r;
    case WT_M_FMUL_0:
        r.value = flushed(x, own, fp.flush_input) << (DOUBLE + 1 - own) &&
                          flushed(y, own, fp.flush_input) << (DOUBLE + 1 - own)
                      ? TWO(mul)
                      : 0;
        return r;
    case WT_M_FMIN:
    case WT_M_FMAX:
        r.value = picked(x, y, own, node->op == WT_M_FMAX, floats, fp);
        return r;
    case WT_M_FMED:
        r.value = middle(x, y, z, own, floats, fp);
        return r;
    case WT_M_FTRUNC:
    case WT_M_FCEIL:
    case WT_M_FFLOOR:
    case WT_M_FROUND:
        r.value = whole(x, own,
                        node->op == WT_M_FTRUNC   ? WT_RTZ
                        : node->op == WT_M_FCEIL  ? WT_RUP
                        : node->op == WT_M_FFLOOR ? WT_RDN
                                                  : WT_RNE,
                        fp);
        return r;
    case WT_M_FSQRT:
        if (!floats->roots)
            break;
        r.value = BY_WIDTH(own, wt_f16_sqrt((uint16_t)x, &fp), wt_f32_sqrt((uint32_t)x, &fp),
                           wt_f64_sqrt(x, &fp));
        return r;
    case WT_M_FMA:
        r.value = BY_WIDTH(own, wt_f16_fma((uint16_t)x, (uint16_t)y, (uint16_t)z, &fp),
                           wt_f32_fma((uint32_t)x, (uint32_t)y, (uint32_t)z, &fp),
                           wt_f64_fma(x, y, z, &fp));
        return r;
    case WT_M_FCOMPARE:
        return (struct wt_meaning_value){(compared(x, y, own, fp) & node->n) != 0, 1};
    case WT_M_FCLASS:
        return (struct wt_meaning_value){(class_of(x, own) & y) != 0, 1};
    case WT_M_FKIND:
        return (struct wt_meaning_value){kind_of(x, own) & wt_low_bits(node->n), node->n};
    case WT_M_FIXED:
    case WT_M_FIXED_S:
    case WT_M_ROUNDED:
    case WT_M_ROUNDED_S: {
        const bool rounds = node->op >= WT_M_ROUNDED;
        fp.round = rounds ? fp.round : WT_RTZ;
        if (!rounds && is_nan(x, own))
            return (struct wt_meaning_value){0, node->n};
        r.value =
            to_integer(x, own, node->n, node->op == WT_M_FIXED_S || node->op == WT_M_ROUNDED_S, fp);
        return (struct wt_meaning_value){r.value & wt_low_bits(node->n), node->n};
    }
    case WT_M_FLOAT:
    case WT_M_FLOAT_S:
        r.value = of_integer(x, own, node->n, node->op == WT_M_FLOAT_S, fp);
        r.bits = node->n;
        return r;
    case WT_M_FLOAT_F:
        r.value = of_float(x, own, node->n, fp);
        r.bits = node->n;
        return r;
    default:
        break;
    }
    return (struct wt_meaning_value){0, 0};
}

#endif
