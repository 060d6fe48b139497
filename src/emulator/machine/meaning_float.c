/* Floating point of meanings (meaning.h), by the emulators' own arithmetic. */
#include "emulator/machine/meaning.h"

#include "base/bits.h"
#include "emulator/machine/softfloat.h"

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

/* Its bit in the order of FCLASS. */
static unsigned class_of(uint64_t x, unsigned own)
{
    enum { NANS = 2, CLASSES = 10 }; /* softfloat has them behind the numbers */
    const unsigned class = (unsigned)BY_WIDTH(own, wt_f16_class((uint16_t)x),
                                              wt_f32_class((uint32_t)x), wt_f64_class(x));
    return (class << NANS | class >> (CLASSES - NANS)) & ((1u << CLASSES) - 1);
}

static uint64_t of_integer(uint64_t x, unsigned own, unsigned bits, bool is_signed, struct wt_fp fp)
{
    const int64_t number = wt_sign_extend(x, own);
    if (is_signed)
        return BY_WIDTH(bits, wt_i64_to_f16(number, &fp), wt_i64_to_f32(number, &fp),
                        wt_i64_to_f64(number, &fp));
    return BY_WIDTH(bits, wt_u64_to_f16(x, &fp), wt_u64_to_f32(x, &fp), wt_u64_to_f64(x, &fp));
}

static uint64_t of_float(uint64_t x, unsigned own, unsigned bits, struct wt_fp fp)
{
    if (own == HALF)
        return BY_WIDTH(bits, x, wt_f16_to_f32((uint16_t)x, &fp), wt_f16_to_f64((uint16_t)x, &fp));
    if (own == SINGLE)
        return BY_WIDTH(bits, wt_f32_to_f16((uint32_t)x, &fp), x, wt_f32_to_f64((uint32_t)x, &fp));
    return BY_WIDTH(bits, wt_f64_to_f16(x, &fp), wt_f64_to_f32(x, &fp), x);
}

struct wt_meaning_value wt_meaning_float(const struct wt_meaning_node *node,
                                         const struct wt_meaning_value *v,
                                         const struct wt_meaning_floats *floats)
{
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
    case WT_M_FMA:
        r.value = BY_WIDTH(own, wt_f16_fma((uint16_t)x, (uint16_t)y, (uint16_t)z, &fp),
                           wt_f32_fma((uint32_t)x, (uint32_t)y, (uint32_t)z, &fp),
                           wt_f64_fma(x, y, z, &fp));
        return r;
    case WT_M_FCOMPARE:
        return (struct wt_meaning_value){(compared(x, y, own, fp) & node->n) != 0, 1};
    case WT_M_FCLASS:
        return (struct wt_meaning_value){(class_of(x, own) & y) != 0, 1};
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
        return (struct wt_meaning_value){0, 0};
    }
}
