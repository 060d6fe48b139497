/* Integer arithmetic: sums, products, comparisons, minima. */
#include "emulator/sm/sass/alu.h"

/*
 * a + b + carry for all lanes, with the condition code. Negated operands are inverted, and the
 * carry that goes in completes them (two's complement); extended sums (.X) take it from the CC.
 */
static unsigned add(struct sm_exec *x, uint32_t flip_a, uint32_t flip_b, bool extended,
                    bool saturated, unsigned cc)
{
    uint32_t z = 0, s = 0, c = 0, o = 0;
    const uint32_t carry_in = extended ? x->w->carry : flip_a || flip_b ? 0xffffffffu : 0;
    FOR_LANES (i) {
        const uint32_t a = x->a[i] ^ flip_a, b = x->b[i] ^ flip_b;
        const uint64_t sum = (uint64_t)a + b + (carry_in >> i & 1);
        uint32_t result = (uint32_t)sum;
        const uint32_t overflow = ((a ^ result) & (b ^ result)) >> 31;
        if (saturated && overflow)
            result = result >> 31 ? 0x7fffffffu : 0x80000000u;
        x->d[0][i] = result;
        z |= (uint32_t)!result << i;
        s |= result >> 31 << i;
        c |= (uint32_t)(sum >> 32) << i;
        o |= overflow << i;
    }
    /* The zero flag of a wide sum is that of both halves. */
    if (extended)
        z &= x->w->z;
    sm_set_cc(x, cc, z, s, c, o);
    return 1;
}

unsigned sm_alu_iadd(struct sm_exec *x)
{
    const bool na = sm_bit(x->word, 49), nb = sm_bit(x->word, 48);
    const bool extended = SM_FIELD(x->word, x43), saturated = SM_FIELD(x->word, sat50);
    if (na && nb) { /* both stand for .PO: a + b + 1 */
        const unsigned rows = add(x, 0, 0, extended, saturated, 47);
        FOR_LANES (i)
            x->d[0][i] += !extended;
        return rows;
    }
    return add(x, na ? ~0u : 0, nb ? ~0u : 0, extended, saturated, 47);
}

unsigned sm_alu_iadd32i(struct sm_exec *x)
{
    FOR_LANES (i)
        x->b_row[i] = (uint32_t)sm_bits(x->word, 20, 32);
    x->b = x->b_row;
    return add(x, sm_bit(x->word, 56) ? ~0u : 0, 0, SM_FIELD(x->word, x53),
               SM_FIELD(x->word, sat54), 52);
}

static uint32_t half(uint32_t value, unsigned which)
{
    return which == 1 ? value & 0xffff : which == 2 ? value >> 16 : value;
}

unsigned sm_alu_iadd3(struct sm_exec *x)
{
    const bool parts = x->u->insn == SM_IADD3, extended = SM_FIELD(x->word, x48);
    const unsigned ha = parts ? SM_FIELD(x->word, i3h35) : 0;
    const unsigned hb = parts ? SM_FIELD(x->word, i3h33) : 0;
    const unsigned hc = parts ? SM_FIELD(x->word, i3h31) : 0;
    const unsigned shift = parts ? SM_FIELD(x->word, i3s37) : 0;
    const bool na = sm_bit(x->word, 51), nb = sm_bit(x->word, 50), nc = sm_bit(x->word, 49);
    uint32_t z = 0, s = 0, c = 0, o = 0;
    FOR_LANES (i) {
        const uint32_t a = half(x->a[i], ha), b = half(x->b[i], hb), e = half(x->c[i], hc);
        uint64_t sum = (uint64_t)(na ? ~a : a) + (nb ? ~b : b);
        sum += extended ? x->w->carry >> i & 1 : (uint64_t)(na + nb + nc);
        if (shift) /* .RS, .LS: the sum of A and B by 16 bits */
            sum = shift == 1 ? (uint32_t)sum >> 16 : (uint64_t)(uint32_t)sum << 16 & 0xffffffff;
        sum += nc ? ~e : e;
        const uint32_t result = (uint32_t)sum;
        x->d[0][i] = result;
        z |= (uint32_t)!result << i;
        s |= result >> 31 << i;
        c |= (uint32_t)(sum >> 32 ? 1 : 0) << i;
    }
    if (extended)
        z &= x->w->z;
    sm_set_cc(x, 47, z, s, c, o);
    return 1;
}

static unsigned shift_add(struct sm_exec *x, unsigned shift, bool na, bool nb, unsigned cc)
{
    uint32_t row[SM_LANES];
    FOR_LANES (i)
        row[i] = x->a[i] << shift;
    x->a = row;
    const unsigned rows = add(x, na ? ~0u : 0, nb ? ~0u : 0, false, false, cc);
    x->a = NULL;
    return rows;
}

unsigned sm_alu_iscadd(struct sm_exec *x)
{
    return shift_add(x, (unsigned)sm_bits(x->word, 39, 5), sm_bit(x->word, 49), sm_bit(x->word, 48),
                     47);
}

unsigned sm_alu_iscadd32i(struct sm_exec *x)
{
    FOR_LANES (i)
        x->b_row[i] = (uint32_t)sm_bits(x->word, 20, 32);
    x->b = x->b_row;
    return shift_add(x, (unsigned)sm_bits(x->word, 53, 5), false, false, 52);
}

/* LEA: (a << n) + b; its predicate is the carry. */
unsigned sm_alu_lea(struct sm_exec *x)
{
    const unsigned shift = (unsigned)sm_bits(x->word, 39, 5);
    const bool na = sm_bit(x->word, 45), extended = SM_FIELD(x->word, x46);
    uint32_t row[SM_LANES], c = 0;
    const uint32_t in = extended ? x->w->carry : na ? ~0u : 0;
    FOR_LANES (i) {
        row[i] = x->a[i] << shift;
        c |= (uint32_t)(((uint64_t)(row[i] ^ (na ? ~0u : 0)) + x->b[i] + (in >> i & 1)) >> 32) << i;
    }
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 48, 3), c);
    x->a = row;
    const unsigned rows = add(x, na ? ~0u : 0, 0, extended, false, 47);
    x->a = NULL;
    return rows;
}

/* LEA.HI: the upper half of c:a << n, plus b. */
static unsigned lea_high(struct sm_exec *x, unsigned shift, bool na, bool extended)
{
    uint32_t row[SM_LANES];
    FOR_LANES (i) {
        uint64_t pair = x->a[i] | (uint64_t)x->c[i] << 32;
        if (na)
            pair = 0 - pair;
        row[i] = (uint32_t)(pair << shift >> 32);
    }
    x->a = row;
    uint32_t c = 0;
    FOR_LANES (i)
        c |= (uint32_t)(((uint64_t)row[i] + x->b[i] + (extended ? x->w->carry >> i & 1 : 0)) >> 32)
             << i;
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 48, 3), c);
    const unsigned rows = add(x, 0, 0, extended, false, 47);
    x->a = NULL;
    return rows;
}

unsigned sm_alu_lea_hi(struct sm_exec *x)
{
    return lea_high(x, (unsigned)sm_bits(x->word, 28, 5), sm_bit(x->word, 37),
                    SM_FIELD(x->word, x38));
}

unsigned sm_alu_lea_hi_c(struct sm_exec *x)
{
    return lea_high(x, (unsigned)sm_bits(x->word, 51, 5), sm_bit(x->word, 56),
                    SM_FIELD(x->word, x57));
}

/* ---- products ---- */

/* XMAD: 16 bits by 16 bits plus 32 bits, with the modes that build wide products of them. */
static unsigned xmad(struct sm_exec *x, unsigned type, bool psl, bool mrg, unsigned mode,
                     bool extended, bool high_a, bool high_b)
{
    uint32_t z = 0, s = 0, c = 0;
    FOR_LANES (i) {
        const uint32_t a = high_a ? x->a[i] >> 16 : x->a[i] & 0xffff;
        const uint32_t b = high_b ? x->b[i] >> 16 : x->b[i] & 0xffff;
        const uint32_t wide_a = type & 1 ? (uint32_t)(int16_t)a : a;
        const uint32_t wide_b = type & 2 ? (uint32_t)(int16_t)b : b;
        uint32_t product = wide_a * wide_b, addend = x->c[i];
        if (psl)
            product <<= 16;
        switch (mode) {
        case 1: /* CLO */
            addend &= 0xffff;
            break;
        case 2: /* CHI */
            addend >>= 16;
            break;
        case 3: /* CSFU: less what negative factors have too much */
            addend -= (wide_a >> 31 && type & 1 ? 1u << 16 : 0) +
                      (wide_b >> 31 && type & 2 ? 1u << 16 : 0);
            break;
        case 4: /* CBCC */
            addend += x->b[i] << 16;
            break;
        default:
            break;
        }
        const uint64_t sum = (uint64_t)product + addend + (extended ? x->w->carry >> i & 1 : 0);
        uint32_t result = (uint32_t)sum;
        if (mrg)
            result = (result & 0xffff) | x->b[i] << 16;
        x->d[0][i] = result;
        z |= (uint32_t)!result << i;
        s |= result >> 31 << i;
        c |= (uint32_t)(sum >> 32) << i;
    }
    if (extended)
        z &= x->w->z;
    sm_set_cc(x, 47, z, s, c, 0);
    return 1;
}

unsigned sm_alu_xmad(struct sm_exec *x)
{
    const bool immediate = x->u->insn == SM_XMAD_I;
    if (immediate)
        FOR_LANES (i)
            x->b_row[i] = (uint32_t)sm_bits(x->word, 20, 16);
    return xmad(x, SM_FIELD(x->word, xty48), SM_FIELD(x->word, psl36), SM_FIELD(x->word, mrg37),
                SM_FIELD(x->word, xm50), SM_FIELD(x->word, x38), SM_FIELD(x->word, h53),
                !immediate && SM_FIELD(x->word, h35));
}

unsigned sm_alu_xmad_rc(struct sm_exec *x)
{
    return xmad(x, SM_FIELD(x->word, xty48), false, false, SM_FIELD(x->word, xmc50),
                SM_FIELD(x->word, x54), SM_FIELD(x->word, h53), SM_FIELD(x->word, h52));
}

unsigned sm_alu_xmad_c(struct sm_exec *x)
{
    return xmad(x, SM_FIELD(x->word, xty48), SM_FIELD(x->word, psl55), SM_FIELD(x->word, mrg56),
                SM_FIELD(x->word, xmc50), SM_FIELD(x->word, x54), SM_FIELD(x->word, h53),
                SM_FIELD(x->word, h52));
}

/* The low or high half of a product; type: bit 0 A is signed, bit 1 B is. */
static uint32_t product(uint32_t a, uint32_t b, unsigned type, bool high)
{
    const int64_t wide_a = type & 1 ? (int32_t)a : (int64_t)a;
    const int64_t wide_b = type & 2 ? (int32_t)b : (int64_t)b;
    const uint64_t p = (uint64_t)wide_a * (uint64_t)wide_b;
    return (uint32_t)(high ? p >> 32 : p);
}

unsigned sm_alu_imul(struct sm_exec *x)
{
    const unsigned type = SM_FIELD(x->word, imul40);
    const bool high = SM_FIELD(x->word, hi39);
    FOR_LANES (i)
        x->d[0][i] = product(x->a[i], x->b[i], type, high);
    sm_set_logic_cc(x, 47);
    return 1;
}

unsigned sm_alu_imul32i(struct sm_exec *x)
{
    const uint32_t b = (uint32_t)sm_bits(x->word, 20, 32);
    const unsigned type = SM_FIELD(x->word, imul54);
    const bool high = SM_FIELD(x->word, hi53);
    FOR_LANES (i)
        x->d[0][i] = product(x->a[i], b, type, high);
    sm_set_logic_cc(x, 52);
    return 1;
}

unsigned sm_alu_imad(struct sm_exec *x)
{
    const unsigned type = SM_FIELD(x->word, imad48);
    const bool high = SM_FIELD(x->word, hi54), extended = SM_FIELD(x->word, x49);
    uint32_t row[SM_LANES];
    FOR_LANES (i)
        row[i] = product(x->a[i], x->b[i], type, high);
    x->a = row;
    x->b = x->c;
    const unsigned rows = add(x, 0, 0, extended, SM_FIELD(x->word, sat50), 47);
    x->a = NULL;
    return rows;
}

/* ---- comparisons ---- */

/* Lanes for which a comparison of field icmp49 holds; extended: of the upper halves of pairs. */
static uint32_t compare(const struct sm_exec *x, unsigned how, bool is_signed, bool extended)
{
    uint32_t less = 0, equal = 0;
    FOR_LANES (i) {
        const uint32_t a = x->a[i], b = x->b[i];
        if (!extended) {
            less |= (uint32_t)(is_signed ? (int32_t)a < (int32_t)b : a < b) << i;
            equal |= (uint32_t)(a == b) << i;
            continue;
        }
        /* a + ~b + carry, as the sum of the lower halves left it */
        const uint64_t sum = (uint64_t)a + ~b + (x->w->carry >> i & 1);
        const uint32_t result = (uint32_t)sum;
        const uint32_t overflow = ((a ^ result) & (~b ^ result)) >> 31;
        less |= (is_signed ? result >> 31 ^ overflow : (uint32_t) !(sum >> 32)) << i;
        equal |= (uint32_t)(!result && (x->w->z >> i & 1)) << i;
    }
    const uint32_t masks[8] = {0,      less,  equal,      less | equal, ~(less | equal),
                               ~equal, ~less, 0xffffffffu};
    return masks[how];
}

unsigned sm_alu_isetp(struct sm_exec *x)
{
    const uint32_t c =
        compare(x, SM_FIELD(x->word, icmp49), SM_FIELD(x->word, u48), SM_FIELD(x->word, x43));
    const uint32_t p = sm_source_predicate(x, 39, 42);
    const unsigned how = SM_FIELD(x->word, bool45);
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 3, 3), sm_combine(how, c, p));
    sm_set_predicate(x, (unsigned)sm_bits(x->word, 0, 3), sm_combine(how, ~c, p));
    return 0;
}

unsigned sm_alu_iset(struct sm_exec *x)
{
    const uint32_t c =
        compare(x, SM_FIELD(x->word, icmp49), SM_FIELD(x->word, u48), SM_FIELD(x->word, x43));
    const uint32_t mask = sm_combine(SM_FIELD(x->word, bool45), c, sm_source_predicate(x, 39, 42));
    const unsigned rows = sm_set_row(x, mask, SM_FIELD(x->word, bf44));
    sm_set_logic_cc(x, 47);
    return rows;
}

/* ICMP: a where c compares with 0, else b. */
unsigned sm_alu_icmp(struct sm_exec *x)
{
    const uint32_t *a = x->a, *b = x->b, *c = x->c;
    static const uint32_t zeros[SM_LANES];
    x->a = c;
    x->b = zeros;
    const uint32_t mask = compare(x, SM_FIELD(x->word, icmp49), SM_FIELD(x->word, u48), false);
    FOR_LANES (i)
        x->d[0][i] = mask >> i & 1 ? a[i] : b[i];
    return 1;
}

/* IMNMX; .XLO and .XHI are halves of wide minima: .XLO decides by the condition code of the upper
 * halves, which .XHI.CC sets. */
unsigned sm_alu_imnmx(struct sm_exec *x)
{
    const bool is_signed = SM_FIELD(x->word, u48);
    const uint32_t smaller = sm_source_predicate(x, 39, 42);
    const unsigned part = SM_FIELD(x->word, xlo43);
    uint32_t less = 0, equal = 0;
    FOR_LANES (i) {
        const uint32_t a = x->a[i], b = x->b[i];
        less |= (uint32_t)(is_signed ? (int32_t)a < (int32_t)b : a < b) << i;
        equal |= (uint32_t)(a == b) << i;
    }
    uint32_t take_a = ~(less ^ smaller);
    if (part == 1) { /* .XLO: the upper halves have decided, unless they were equal */
        const uint32_t upper = ~(x->w->carry ^ smaller);
        take_a = (x->w->z & take_a) | (~x->w->z & upper);
    }
    FOR_LANES (i)
        x->d[0][i] = take_a >> i & 1 ? x->a[i] : x->b[i];
    if (part >= 2)
        sm_set_cc(x, 47, equal, 0, less, 0);
    else
        sm_set_logic_cc(x, 47);
    return 1;
}
