/* Integer arithmetic: sums, products, comparisons, minima. */
#include "emulator/sm/sass/alu.h"

/*
 * a + b + carry for all lanes, with the condition code; the carry out. Negated operands are
 * inverted, and the carry that goes in completes them (two's complement); extended sums (.X) take
 * it from the CC.
 */
static uint32_t add(struct sm_exec *x, uint32_t flip_a, uint32_t flip_b)
{
    uint32_t z = 0, s = 0, c = 0, o = 0;
    const bool extended = x->u->mods & SM_EXTENDED, saturated = x->u->mods & SM_SAT;
    const uint32_t carry_in = extended ? x->w->carry : flip_a | flip_b;
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
    sm_set_cc(x, z, s, c, o);
    return c;
}

unsigned sm_alu_iadd(struct sm_exec *x)
{
    const uint32_t flip_a = sm_all_if(x, SM_NEG_A), flip_b = sm_all_if(x, SM_NEG_B);
    const bool plus_one = flip_a & flip_b; /* both stand for .PO: a + b + 1 */
    add(x, plus_one ? 0 : flip_a, plus_one ? 0 : flip_b);
    if (plus_one && !(x->u->mods & SM_EXTENDED))
        FOR_LANES (i)
            x->d[0][i]++;
    return 1;
}

static uint32_t half(uint32_t value, unsigned which)
{
    return which == 1 ? value & 0xffff : which == 2 ? value >> 16 : value;
}

unsigned sm_alu_iadd3(struct sm_exec *x)
{
    const unsigned how = x->u->how; /* .RS, .LS: the sum of A and B by 16 bits; their halves */
    const uint32_t flip_a = sm_all_if(x, SM_NEG_A), flip_b = sm_all_if(x, SM_NEG_B),
                   flip_c = sm_all_if(x, SM_NEG_C);
    const bool extended = x->u->mods & SM_EXTENDED;
    const unsigned negated = (flip_a & 1) + (flip_b & 1) + (flip_c & 1);
    uint32_t z = 0, s = 0, c = 0;
    FOR_LANES (i) {
        uint64_t sum = (uint64_t)(half(x->a[i], how >> 2 & 3) ^ flip_a) +
                       (half(x->b[i], how >> 4 & 3) ^ flip_b);
        sum += extended ? x->w->carry >> i & 1 : negated;
        if (how & 3)
            sum = (how & 3) == 1 ? (uint32_t)sum >> 16 : (uint32_t)sum << 16;
        sum += half(x->c[i], how >> 6) ^ flip_c;
        const uint32_t result = (uint32_t)sum;
        x->d[0][i] = result;
        z |= (uint32_t)!result << i;
        s |= result >> 31 << i;
        c |= (uint32_t)(sum >> 32 ? 1 : 0) << i;
    }
    if (extended)
        z &= x->w->z;
    sm_set_cc(x, z, s, c, 0);
    return 1;
}

unsigned sm_alu_iscadd(struct sm_exec *x)
{
    FOR_LANES (i)
        x->a_row[i] = x->a[i] << x->u->how;
    x->a = x->a_row;
    add(x, sm_all_if(x, SM_NEG_A), sm_all_if(x, SM_NEG_B));
    return 1;
}

/* LEA: (a << n) + b; its predicate is the carry. */
unsigned sm_alu_lea(struct sm_exec *x)
{
    FOR_LANES (i)
        x->a_row[i] = x->a[i] << x->u->how;
    x->a = x->a_row;
    sm_set_predicate(x, 48, add(x, sm_all_if(x, SM_NEG_A), 0));
    return 1;
}

/* LEA.HI: the upper half of c:a << n, plus b. */
unsigned sm_alu_lea_hi(struct sm_exec *x)
{
    FOR_LANES (i) {
        const uint64_t pair = x->a[i] | (uint64_t)x->c[i] << 32;
        const uint64_t term = x->u->mods & SM_NEG_A ? 0 - pair : pair;
        x->a_row[i] = (uint32_t)(term << x->u->how >> 32);
    }
    x->a = x->a_row;
    sm_set_predicate(x, 48, add(x, 0, 0));
    return 1;
}

/* ---- products ---- */

/* XMAD: 16 bits by 16 bits plus 32 bits, with the modes that build wide products of them. */
unsigned sm_alu_xmad(struct sm_exec *x)
{
    enum { CLO = 1, CHI, CSFU, CBCC };
    const unsigned mods = x->u->mods, type = x->u->how & 3, mode = x->u->how >> 2;
    uint32_t z = 0, s = 0, c = 0;
    FOR_LANES (i) {
        const uint32_t a = mods & SM_UPPER_A ? x->a[i] >> 16 : x->a[i] & 0xffff;
        const uint32_t b = mods & SM_UPPER_B ? x->b[i] >> 16 : x->b[i] & 0xffff;
        const uint32_t wide_a = type & 1 ? (uint32_t)(int16_t)a : a;
        const uint32_t wide_b = type & 2 ? (uint32_t)(int16_t)b : b;
        uint32_t product = wide_a * wide_b, addend = x->c[i];
        if (mods & SM_PSL)
            product <<= 16;
        switch (mode) {
        case CLO:
            addend &= 0xffff;
            break;
        case CHI:
            addend >>= 16;
            break;
        case CSFU: /* less what negative factors have too much */
            addend -= (wide_a >> 31 && type & 1 ? 1u << 16 : 0) +
                      (wide_b >> 31 && type & 2 ? 1u << 16 : 0);
            break;
        case CBCC:
            addend += x->b[i] << 16;
            break;
        default:
            break;
        }
        const uint64_t sum =
            (uint64_t)product + addend + (mods & SM_EXTENDED ? x->w->carry >> i & 1 : 0);
        uint32_t result = (uint32_t)sum;
        if (mods & SM_MERGES)
            result = (result & 0xffff) | x->b[i] << 16;
        x->d[0][i] = result;
        z |= (uint32_t)!result << i;
        s |= result >> 31 << i;
        c |= (uint32_t)(sum >> 32) << i;
    }
    if (mods & SM_EXTENDED)
        z &= x->w->z;
    sm_set_cc(x, z, s, c, 0);
    return 1;
}

/* Halves of products, low ones or (.HI) high ones; `how`: bit 0 A is signed, bit 1 B is. */
static void products(const struct sm_exec *x, uint32_t *to)
{
    const unsigned type = x->u->how, shift = x->u->mods & SM_HIGH ? 32 : 0;
    FOR_LANES (i) {
        const int64_t a = type & 1 ? (int32_t)x->a[i] : (int64_t)x->a[i];
        const int64_t b = type & 2 ? (int32_t)x->b[i] : (int64_t)x->b[i];
        to[i] = (uint32_t)((uint64_t)a * (uint64_t)b >> shift);
    }
}

unsigned sm_alu_imul(struct sm_exec *x)
{
    products(x, x->d[0]);
    sm_set_logic_cc(x);
    return 1;
}

unsigned sm_alu_imad(struct sm_exec *x)
{
    products(x, x->a_row);
    x->a = x->a_row;
    x->b = x->c;
    add(x, 0, 0);
    return 1;
}

/* ---- comparisons ---- */

/* Lanes for which the comparison `how` holds; extended: of the upper halves of pairs. */
static uint32_t compare(const struct sm_exec *x)
{
    const bool is_signed = x->u->mods & SM_SIGNED, extended = x->u->mods & SM_EXTENDED;
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
    return masks[x->u->how];
}

unsigned sm_alu_isetp(struct sm_exec *x)
{
    return sm_set_predicates(x, compare(x));
}

unsigned sm_alu_iset(struct sm_exec *x)
{
    return sm_set_row(x, compare(x));
}

/* A where the mask has the lane, else B. */
static unsigned choose(struct sm_exec *x, const uint32_t *a, const uint32_t *b, uint32_t mask)
{
    FOR_LANES (i)
        x->d[0][i] = mask >> i & 1 ? a[i] : b[i];
    return 1;
}

/* ICMP: a where c compares with 0, else b. */
unsigned sm_alu_icmp(struct sm_exec *x)
{
    const uint32_t *a = x->a, *b = x->b;
    static const uint32_t zeros[SM_LANES];
    x->a = x->c;
    x->b = zeros;
    return choose(x, a, b, compare(x));
}

unsigned sm_alu_sel(struct sm_exec *x)
{
    return choose(x, x->a, x->b, sm_source_predicate(x, 39, 42));
}

/* IMNMX; .XLO and .XHI are halves of wide minima: .XLO decides by the condition code of the upper
 * halves, which .XHI.CC sets. */
unsigned sm_alu_imnmx(struct sm_exec *x)
{
    const bool is_signed = x->u->mods & SM_SIGNED;
    const uint32_t smaller = sm_source_predicate(x, 39, 42);
    const unsigned part = x->u->how;
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
    choose(x, x->a, x->b, take_a);
    if (part >= 2)
        sm_set_cc(x, equal, 0, less, 0);
    else
        sm_set_logic_cc(x);
    return 1;
}
