/* See definedness.h. */
#include "check/definedness.h"

#include "base/bits.h"

#include <assert.h>

static uint64_t least(struct wt_defined x)
{
    return x.value & ~x.undefined;
}

static uint64_t most(struct wt_defined x)
{
    return x.value | x.undefined;
}

static struct wt_defined computed(uint64_t value, uint64_t undefined)
{
    return (struct wt_defined){value, undefined, undefined};
}

/* All bits, where any is undefined. */
static struct wt_defined all_or_none(uint64_t value, uint64_t undefined, uint64_t mask)
{
    return computed(value & mask, undefined ? mask : 0);
}

static struct wt_defined inverted(struct wt_defined x, uint64_t mask)
{
    return computed(~x.value & mask, x.undefined & mask);
}

static struct wt_defined and_of(struct wt_defined a, struct wt_defined b)
{
    const uint64_t undefined =
        (a.undefined & b.undefined) | (a.undefined & b.value) | (b.undefined & a.value);
    /* A bit beside a defined 1 is a copy. */
    return (struct wt_defined){a.value & b.value, undefined,
                               undefined & (a.computed | b.computed | (a.undefined & b.undefined))};
}

static struct wt_defined or_of(struct wt_defined a, struct wt_defined b)
{
    const uint64_t undefined =
        (a.undefined & b.undefined) | (a.undefined & ~b.value) | (b.undefined & ~a.value);
    return (struct wt_defined){a.value | b.value, undefined,
                               undefined & (a.computed | b.computed | (a.undefined & b.undefined))};
}

static struct wt_defined xor_of(struct wt_defined a, struct wt_defined b)
{
    const uint64_t undefined = a.undefined | b.undefined,
                   beside_one = (a.undefined & b.value) | (b.undefined & a.value);
    /* A bit whose partner is a defined 0 is a copy. */
    return (struct wt_defined){
        a.value ^ b.value, undefined,
        undefined & (a.computed | b.computed | (a.undefined & b.undefined) | beside_one)};
}

/* ---- sums ---- */

/* The bits of a sum that carries reach: carries only go from 0 to 1 as its terms grow. The second
 * term may be inverted. A bit beside a defined one and a defined carry that add up to 0 is a copy.
 */
static struct wt_defined sum_of(struct wt_defined a, struct wt_defined term, bool invert,
                                struct wt_defined carry, uint64_t mask, struct wt_defined *out)
{
    const struct wt_defined b = invert ? inverted(term, mask) : term;
    const uint64_t low = least(a) + least(b) + least(carry), high = most(a) + most(b) + most(carry);
    const uint64_t undefined = (a.undefined | b.undefined | carry.undefined | (low ^ high)) & mask;
    const uint64_t value = a.value + b.value + carry.value;
    const unsigned __int128 all_low = (unsigned __int128)least(a) + least(b) + least(carry),
                            all_high = (unsigned __int128)most(a) + most(b) + most(carry),
                            all = (unsigned __int128)a.value + b.value + carry.value;
    const uint64_t in = low ^ least(a) ^ least(b), defined = ~(in ^ high ^ most(a) ^ most(b)),
                   of_a = ~b.undefined & ~(b.value ^ in) & ~a.computed,
                   of_b = ~a.undefined & ~(a.value ^ in ^ (invert ? mask : 0)) & ~term.computed;
    *out = computed(all > mask, (all_low > mask) != (all_high > mask));
    return (struct wt_defined){value & mask, undefined,
                               undefined &
                                   ~(defined & ((a.undefined & of_a) | (b.undefined & of_b)))};
}

static struct wt_defined add(struct wt_defined a, struct wt_defined b, struct wt_defined carry,
                             uint64_t mask, struct wt_defined *out)
{
    return sum_of(a, b, false, carry, mask, out);
}

/* a + ~b + 1 - borrow; what it borrows is the inverse of that sum's carry. */
static struct wt_defined subtract(struct wt_defined a, struct wt_defined b,
                                  struct wt_defined borrow, uint64_t mask, struct wt_defined *out)
{
    const struct wt_defined difference = sum_of(a, b, true, inverted(borrow, 1), mask, out);
    out->value ^= 1;
    return difference;
}

static struct wt_defined multiply(struct wt_defined a, struct wt_defined b, uint64_t mask)
{
    const uint64_t undefined = a.undefined | b.undefined;
    /* Bits below the lowest one that an undefined bit reaches are those of the defined part. */
    const unsigned low_a = a.undefined ? (unsigned)__builtin_ctzll(a.undefined) : 64,
                   low_b = b.undefined ? (unsigned)__builtin_ctzll(b.undefined) : 64,
                   zeros_a = most(a) ? (unsigned)__builtin_ctzll(most(a)) : 64,
                   zeros_b = most(b) ? (unsigned)__builtin_ctzll(most(b)) : 64;
    const unsigned first = low_a + zeros_b < low_b + zeros_a ? low_a + zeros_b : low_b + zeros_a;
    return computed(a.value * b.value & mask,
                    undefined && first < 64 ? mask & ~wt_low_bits(first) : 0);
}

/* ---- shifts and fields ---- */

struct wt_defined wt_defined_sign_extended(struct wt_defined x, unsigned bits, uint64_t mask)
{
    const uint64_t field = wt_low_bits(bits), sign = bits ? UINT64_C(1) << (bits - 1) : 0,
                   upper = mask & ~field;
    return (struct wt_defined){(x.value & field) | (x.value & sign ? upper : 0),
                               (x.undefined & field) | (x.undefined & sign ? upper : 0),
                               (x.computed & field) | (x.computed & sign ? upper : 0)};
}

struct wt_defined wt_defined_moved(struct wt_defined x, int by, uint64_t mask)
{
    if (by <= -64 || by >= 64)
        return (struct wt_defined){0};
    if (by < 0)
        return (struct wt_defined){x.value >> -by & mask, x.undefined >> -by & mask,
                                   x.computed >> -by & mask};
    return (struct wt_defined){x.value << by & mask, x.undefined << by & mask,
                               x.computed << by & mask};
}

static struct wt_defined shifted(enum wt_meaning_op operation, struct wt_defined x, unsigned by,
                                 unsigned bits)
{
    if (operation == WT_M_SHL)
        return wt_defined_moved(x, (int)by, wt_low_bits(bits));
    const struct wt_defined right = wt_defined_moved(x, -(int)by, wt_low_bits(bits));
    return operation == WT_M_SAR ? wt_defined_sign_extended(right, bits - by, wt_low_bits(bits))
                                 : right;
}

/* The union of results: bits that are defined in both and equal are defined. */
static void unite(struct wt_defined *all, struct wt_defined one, bool first)
{
    if (first) {
        *all = one;
        return;
    }
    const uint64_t undefined = all->undefined | one.undefined | (all->value ^ one.value);
    *all = computed(all->value, undefined);
}

/* A shift by an amount that is undefined: what all possible ones have in common. */
static struct wt_defined shift(enum wt_meaning_op operation, struct wt_defined x,
                               struct wt_defined by, unsigned bits)
{
    const uint64_t unknown = by.undefined & (bits - 1);
    const uint64_t known = by.value & (bits - 1) & ~unknown;
    struct wt_defined all = shifted(operation, x, (unsigned)(by.value & (bits - 1)), bits);
    const uint64_t value = all.value;
    for (uint64_t n = unknown; unknown; n = (n - 1) & unknown) {
        unite(&all, shifted(operation, x, (unsigned)(known | n), bits), false);
        if (!n)
            break;
    }
    all.value = value;
    return all;
}

/* v_perm_b32, PRMT: 0 to 3 are bytes of source 1, 4 to 7 of source 0; other numbers are constants
 * and signs. */
static struct wt_defined permuted(const struct wt_defined *s)
{
    struct wt_defined result = {0};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned at = 8 * i, number = (unsigned)(s[2].value >> at & 0xff);
        const struct wt_defined *from = number & 4 ? &s[0] : &s[1];
        struct wt_defined byte = {0};
        if (s[2].undefined >> at & 0xff)
            byte = all_or_none(0, 1, 0xff);
        else if (number < 8)
            byte = wt_defined_moved(*from, -8 * (int)(number & 3), UINT64_MAX);
        else if (number < 12) {
            const unsigned sign = number & 1 ? 31 : 15;
            byte = wt_defined_sign_extended(
                wt_defined_moved(number & 2 ? s[0] : s[1], -(int)sign, UINT64_MAX), 1, 0xff);
        } else if (number > 12) {
            byte.value = 0xff;
        }
        result.value |= (byte.value & 0xff) << at;
        result.undefined |= (byte.undefined & 0xff) << at;
        result.computed |= (byte.computed & 0xff) << at;
    }
    return result;
}

/* Part of a value that begins at any bit, and ends there at the latest. */
static unsigned room_behind(unsigned first, unsigned count, unsigned bits)
{
    const unsigned room = first < bits ? bits - first : 0;
    return count < room ? count : room;
}

static struct wt_defined bits_of(struct wt_defined x, uint64_t mask)
{
    return (struct wt_defined){x.value & mask, x.undefined & mask, x.computed & mask};
}

static struct wt_defined part(const struct wt_defined *s, unsigned bits, bool is_signed)
{
    const unsigned first = (unsigned)s[1].value & 0xff, count = (unsigned)s[2].value & 0xff,
                   end = first + count - 1, top = end < bits - 1 ? end : bits - 1;
    const uint64_t mask = wt_low_bits(bits), field = wt_low_bits(room_behind(first, count, bits));
    struct wt_defined x =
        bits_of(wt_defined_moved(s[0], -(int)(first < 64 ? first : 64), mask), field);
    if (is_signed && count) {
        const struct wt_defined sign =
            wt_defined_sign_extended(wt_defined_moved(s[0], -(int)top, mask), 1, mask & ~field);
        x.value |= sign.value & mask & ~field;
        x.undefined |= sign.undefined & mask & ~field;
        x.computed |= sign.computed & mask & ~field;
    }
    return (s[1].undefined | s[2].undefined) & 0xff ? all_or_none(x.value, 1, mask) : x;
}

/* PTX's prmt. */
static struct wt_defined picked(const struct wt_defined *s)
{
    struct wt_defined result = {0};
    for (unsigned i = 0; i < 4; i++) {
        const unsigned number = (unsigned)(s[2].value >> 4 * i & 15);
        const struct wt_defined from =
            wt_defined_moved(s[number >> 2 & 1], -8 * (int)(number & 3), UINT64_MAX);
        const struct wt_defined byte =
            s[2].undefined >> 4 * i & 15 ? all_or_none(0, 1, 0xff)
            : number & 8 ? wt_defined_sign_extended(wt_defined_moved(from, -7, UINT64_MAX), 1, 0xff)
                         : from;
        result.value |= (byte.value & 0xff) << 8 * i;
        result.undefined |= (byte.undefined & 0xff) << 8 * i;
        result.computed |= (byte.computed & 0xff) << 8 * i;
    }
    return result;
}

/* Each of eight products of the three, or their opposites, is 0 or 1 as the table says. A bit that
 * equals one source's bit in all possible cases is a copy of it. */
static struct wt_defined by_table(const struct wt_defined *s, uint64_t table, uint64_t mask)
{
    uint64_t value = 0, zero = 0, one = 0, differs[3] = {0}, copied = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint64_t is = UINT64_MAX, may_be = UINT64_MAX;
        for (unsigned k = 0; k < 3; k++) {
            const uint64_t x = i >> (2 - k) & 1 ? s[k].value : ~s[k].value;
            is &= x;
            may_be &= x | s[k].undefined;
        }
        value |= table >> i & 1 ? is : 0;
        *(table >> i & 1 ? &one : &zero) |= may_be;
        for (unsigned k = 0; k < 3; k++)
            differs[k] |= (i >> (2 - k) & 1) == (table >> i & 1) ? 0 : may_be;
    }
    for (unsigned k = 0; k < 3; k++)
        copied |= ~differs[k] & ~s[k].computed;
    return (struct wt_defined){value & mask, zero & one & mask, zero & one & mask & ~copied};
}

/* An amount of as many bits as it has; all beyond the value's width are one. */
static struct wt_defined shift_out(enum wt_meaning_op operation, struct wt_defined x,
                                   struct wt_defined by, unsigned bits)
{
    const enum wt_meaning_op how = (enum wt_meaning_op)(operation - WT_M_SHL_OUT + WT_M_SHL);
    struct wt_defined all = {0}, is = {0};
    bool first = true;
    for (unsigned n = 0; n <= bits; n++) {
        const struct wt_defined one = n < bits          ? shifted(how, x, n, bits)
                                      : how == WT_M_SAR ? shifted(how, x, bits - 1, bits)
                                                        : (struct wt_defined){0};
        if (n < bits ? n == by.value : by.value >= bits)
            is = one;
        if (n < bits ? !((n ^ by.value) & ~by.undefined) : most(by) >= bits) {
            unite(&all, one, first);
            first = false;
        }
    }
    all.value = is.value;
    return all;
}

/* ---- choices ---- */

/* If the bit is undefined, what both have in common. */
static struct wt_defined chosen(struct wt_defined zero, struct wt_defined one,
                                struct wt_defined bit)
{
    const struct wt_defined is = bit.value & 1 ? one : zero;
    struct wt_defined both = one;
    if (!(bit.undefined & 1))
        return is;
    unite(&both, zero, false);
    both.value = is.value;
    return both;
}

/* ---- comparisons ---- */

bool wt_defined_may_be_zero_or_not(struct wt_defined x, unsigned bits)
{
    const uint64_t mask = wt_low_bits(bits);
    return x.undefined & mask && !(least(x) & mask);
}

static struct wt_defined equal(struct wt_defined a, struct wt_defined b, uint64_t mask)
{
    const uint64_t undefined = (a.undefined | b.undefined) & mask,
                   differ = (a.value ^ b.value) & mask & ~undefined;
    return computed(!((a.value ^ b.value) & mask), undefined && !differ);
}

/* An interval decides: values between the least and the most may have both outcomes. */
static struct wt_defined less(struct wt_defined a, struct wt_defined b, uint64_t mask, bool signs)
{
    const uint64_t turn =
        signs ? mask / 2 + 1 : 0; /* signed numbers in the order of unsigned ones */
    a.value = (a.value ^ turn) & mask;
    b.value = (b.value ^ turn) & mask;
    a.undefined &= mask;
    b.undefined &= mask;
    return computed(a.value < b.value, (most(a) < least(b)) != (least(a) < most(b)));
}

static struct wt_defined not_of(struct wt_defined x)
{
    x.value ^= 1;
    return x;
}

static struct wt_defined compared(enum wt_meaning_op operation, struct wt_defined a,
                                  struct wt_defined b, uint64_t mask)
{
    switch (operation) {
    case WT_M_EQ:
        return equal(a, b, mask);
    case WT_M_NE:
        return not_of(equal(a, b, mask));
    case WT_M_LT:
    case WT_M_LT_S:
        return less(a, b, mask, operation == WT_M_LT_S);
    default:
        return not_of(less(b, a, mask, operation == WT_M_LE_S));
    }
}

static bool compares(enum wt_meaning_op operation)
{
    return operation >= WT_M_EQ && operation <= WT_M_LE_S;
}

/* ---- all of them ---- */

static struct wt_defined combined(enum wt_meaning_op operation, const struct wt_defined *s,
                                  unsigned count, unsigned bits, struct wt_defined *carry)
{
    static const struct wt_defined none = {0};
    const uint64_t mask = wt_low_bits(bits);
    const struct wt_defined third = count > 2 ? s[2] : none;
    switch (operation) {
    case WT_M_NOT:
        return inverted(s[0], mask);
    case WT_M_AND:
        return and_of(s[0], s[1]);
    case WT_M_OR:
        return or_of(s[0], s[1]);
    case WT_M_XOR:
        return xor_of(s[0], s[1]);
    case WT_M_SHL:
    case WT_M_SHR:
    case WT_M_SAR:
        return shift(operation, s[0], s[1], bits);
    case WT_M_ADD:
    case WT_M_ADDC:
    case WT_M_CARRY:
        return add(s[0], s[1], third, mask, carry);
    case WT_M_SUB:
    case WT_M_SUBC:
    case WT_M_BORROW:
        return subtract(s[0], s[1], third, mask, carry);
    case WT_M_MUL:
        return multiply(s[0], s[1], mask);
    case WT_M_PERMUTE:
        return permuted(s);
    case WT_M_SELECT:
        return chosen(s[2], s[1], s[0]);
    case WT_M_SHL_OUT:
    case WT_M_SHR_OUT:
    case WT_M_SAR_OUT:
        return shift_out(operation, s[0], s[1], bits);
    case WT_M_FIELD:
    case WT_M_FIELD_S:
        return part(s, bits, operation == WT_M_FIELD_S);
    case WT_M_PICK:
        return picked(s);
    case WT_M_LOGIC:
        return by_table(s, s[3].value, mask);
    default:
        return all_or_none(0, 1, mask);
    }
}

/* Whether a source has bits of its own, not as many as the operation is for. */
static bool is_amount(enum wt_meaning_op operation, unsigned source)
{
    if (operation >= WT_M_SHL_OUT && operation <= WT_M_SAR_OUT)
        return source == 1;
    return operation == WT_M_FIELD || operation == WT_M_FIELD_S
               ? source
               : operation == WT_M_LOGIC && source == 3;
}

/* x - x, x ^ x and comparisons of a register with itself do not depend on it. */
static bool is_constant(enum wt_meaning_op operation)
{
    return compares(operation) || operation == WT_M_XOR || operation == WT_M_SUB;
}

struct wt_defined wt_defined_result(enum wt_meaning_op operation, const struct wt_defined *source,
                                    unsigned count, unsigned bits, bool same,
                                    struct wt_defined *carry)
{
    struct wt_defined own[WT_DEFINED_SOURCES] = {{0}}, out = {0}, result;
    const uint64_t mask = wt_low_bits(bits);
    assert(bits >= 1 && bits <= 64 && count <= WT_DEFINED_SOURCES);
    for (unsigned i = 0; i < count; i++)
        own[i] = is_amount(operation, i) ? source[i] : bits_of(source[i], mask);
    if (same && count > 1 && is_constant(operation))
        own[0].undefined = own[1].undefined = 0;
    result = compares(operation) ? compared(operation, own[0], own[1], mask)
                                 : combined(operation, own, count, bits, &out);
    if (carry)
        *carry = out;
    return result;
}
