/* Operands of machine code in the meanings of rows (machine/meaning.h), and accesses
 * (machine/operands.h, enum wt_operation). */
#include <string.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/operands.h"
#include "emulator/sm/internal.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/sass/alu.h"

static unsigned field_of(const struct sm_uop *u, enum sm_field_id id)
{
    return sm_field_value(u->word, id);
}

/* ---- what rows say, with what fields add ---- */

struct sm_composer {
    const struct sm_uop *u;
    struct wt_meaning_writer out;
    const uint8_t *row; /* the expression of its first result */
    uint32_t listed;    /* leaves */
    unsigned flags;     /* P2R, R2P: predicates or flags that count, a bit each */
    uint8_t first;      /* the row's operation */
    uint8_t result;     /* that is composed now */
    bool conditions;    /* operands have one bit: predicates and flags */
};
#define PUT(c, ...) WT_MEANING_PUT(&(c)->out, __VA_ARGS__)

static void put_expression(struct sm_composer *c, const uint8_t **code);

static void put_at(struct sm_composer *c, const uint8_t *code)
{
    put_expression(c, &code);
}

static bool is_product(const struct sm_uop *u)
{
    return u->alu == sm_alu_xmad;
}

/* Logic's table: a bit each for cases 4a + 2b + c. Of conditions, A (or A and B, which bool24
 * combines) by bool45 with VCC, the last operand; the second predicate has their inverse. */
static uint8_t table_of(const struct sm_composer *c)
{
    enum { X = 0xf0, Y = 0xcc, Z = 0xaa };
    const struct sm_uop *u = c->u;
    const bool predicates = u->alu == sm_alu_pset || u->alu == sm_alu_psetp;
    if (u->alu == sm_alu_lop) {
        const unsigned a = u->mods & SM_NOT_A ? X ^ 0xff : X, b = u->mods & SM_NOT_B ? Y ^ 0xff : Y;
        return (uint8_t)(u->how == 3 ? b : sm_combine(u->how, a, b));
    }
    if (u->alu == sm_alu_lop3)
        return u->how;
    const unsigned x = predicates ? sm_combine(field_of(u, SM_F_bool24), X, Y) : X;
    return (uint8_t)sm_combine(field_of(u, SM_F_bool45), c->result == WT_RESULT_SCC ? ~x : x,
                               predicates ? Z : Y);
}

/* ---- sums ---- */

/* The part of a sum that is composed: its 32 bits, one bit more (with signs), or its carry. */
enum sum_part { WORD = 32, WIDER = 33, CARRY_OUT };

/* A term of so many bits, inverted if @p flips. */
static void put_term(struct sm_composer *c, const uint8_t *code, bool flips, enum sum_part what)
{
    if (what == WIDER)
        PUT(c, WT_M_SEXT, WIDER);
    if (flips)
        PUT(c, WT_M_NOT);
    put_at(c, code);
}

/* The two terms of a sum, each of which may be inverted. */
struct sum_terms {
    const uint8_t *code[2];
    bool flips[2];
    bool both; /* each has a sign: of IADD that stands for .PO, a + b + 1 */
};

static struct sum_terms terms_of(const struct sm_composer *c)
{
    const struct sm_uop *u = c->u;
    const bool of_pair = u->alu == sm_alu_lea_hi; /* it is negated whole */
    struct sum_terms t = {{c->row + 1, c->row + 1},
                          {u->mods & SM_NEG_A && !of_pair, u->mods & SM_NEG_B},
                          u->mods & SM_NEG_A && u->mods & SM_NEG_B};
    wt_meaning_skip(&t.code[1]);
    if (t.both && u->alu == sm_alu_iadd)
        t.flips[0] = t.flips[1] = false;
    return t;
}

/* Their sum, with the carry that goes in. */
static void put_sum(struct sm_composer *c, enum sum_part what)
{
    const bool extended = c->u->mods & SM_EXTENDED, carry = what == CARRY_OUT;
    const struct sum_terms t = terms_of(c);
    const bool one = t.flips[0] != t.flips[1];
    if (one && !extended && !carry) {
        PUT(c, WT_M_SUB);
        put_term(c, t.code[t.flips[0]], false, what);
        put_term(c, t.code[t.flips[1]], false, what);
        return;
    }
    PUT(c, carry ? WT_M_CARRY : extended || t.both ? WT_M_ADDC : WT_M_ADD);
    for (unsigned i = 0; i < 2; i++)
        put_term(c, t.code[i], t.flips[i], what);
    if (extended)
        PUT(c, WT_M_SCC);
    else if (carry || t.both)
        PUT(c, WT_M_K, 1, one || t.both);
}

static bool is_of_three(const struct sm_composer *c)
{
    return c->u->alu == sm_alu_iadd3;
}

/* A term of IADD3 of so many bits: the leaf, of which the field may choose a half. */
static void put_third(struct sm_composer *c, uint8_t leaf, uint32_t negated, unsigned bits)
{
    if (bits > 32)
        PUT(c, WT_M_ZEXT, (uint8_t)bits);
    if (c->u->mods & negated)
        PUT(c, WT_M_NOT);
    PUT(c, WT_M_ZEXT, 32);
    put_at(c, &leaf);
}

/* IADD3: the sum of A and B may be moved by 16 bits (.RS, .LS) before C is added. */
static void put_three(struct sm_composer *c, unsigned bits)
{
    const uint32_t mods = c->u->mods;
    const unsigned move = c->u->how & 3,
                   negated = !!(mods & SM_NEG_A) + !!(mods & SM_NEG_B) + !!(mods & SM_NEG_C),
                   own = move ? 32 : bits;
    PUT(c, WT_M_ADD);
    if (move && bits > 32)
        PUT(c, WT_M_ZEXT, (uint8_t)bits);
    if (move == 1)
        PUT(c, WT_M_SHR_OUT);
    else if (move)
        PUT(c, WT_M_SHL_OUT);
    if (mods & SM_EXTENDED)
        PUT(c, WT_M_ADDC);
    else if (negated)
        PUT(c, WT_M_ADD, WT_M_ADD);
    else
        PUT(c, WT_M_ADD);
    put_third(c, WT_M_A, SM_NEG_A, own);
    put_third(c, WT_M_B, SM_NEG_B, own);
    if (mods & SM_EXTENDED)
        PUT(c, WT_M_SCC);
    else if (negated)
        PUT(c, WT_M_K, (uint8_t)own, (uint8_t)negated);
    if (move)
        PUT(c, WT_M_K, 6, 16);
    put_third(c, WT_M_C, SM_NEG_C, bits);
}

static void put_half(struct sm_composer *c, uint8_t leaf, bool upper)
{
    PUT(c, WT_M_PART, upper ? 16 : 0, 16);
    put_at(c, &leaf);
}

/* XMAD's product of halves. Of B both are listed where another part of the instruction has the
 * lower one. */
static void put_product(struct sm_composer *c)
{
    enum { CBCC = 4 };
    const struct sm_uop *u = c->u;
    const unsigned signs = u->how & 3;
    const bool whole = u->mods & SM_MERGES || u->how >> 2 == CBCC;
    if (u->mods & SM_PSL)
        PUT(c, WT_M_SHL);
    PUT(c, WT_M_MUL, signs & 1 ? WT_M_SEXT : WT_M_ZEXT, 32);
    put_half(c, WT_M_A, false);
    PUT(c, signs & 2 ? WT_M_SEXT : WT_M_ZEXT, 32);
    put_half(c, WT_M_B, whole && u->mods & SM_UPPER_B);
    if (u->mods & SM_PSL)
        PUT(c, WT_M_K, 5, 16);
}

/* The addend of XMAD's product. */
static void put_addend(struct sm_composer *c)
{
    enum { CLO = 1, CHI, CSFU, CBCC };
    static const uint8_t leaf = WT_M_C;
    const struct sm_uop *u = c->u;
    const unsigned mode = u->how >> 2;
    const bool whole = u->mods & SM_MERGES;
    if (mode == CLO || mode == CHI) {
        PUT(c, WT_M_ZEXT, 32);
        put_at(c, &leaf);
    } else if (mode == CBCC) {
        PUT(c, WT_M_ADD);
        put_at(c, &leaf);
        PUT(c, WT_M_JOIN, WT_M_K, 16, 0);
        put_half(c, WT_M_B, false);
    } else if (mode == CSFU) { /* less what negative factors have too much */
        for (unsigned i = 0; i < 2; i++)
            if (u->how >> i & 1)
                PUT(c, WT_M_SUB);
        put_at(c, &leaf);
        for (unsigned i = 0; i < 2; i++)
            if (u->how >> i & 1) {
                const uint8_t factor = i ? WT_M_B : WT_M_A;
                PUT(c, WT_M_SHL, WT_M_ZEXT, 32, WT_M_PART,
                    i && whole && u->mods & SM_UPPER_B ? 31 : 15, 1);
                put_at(c, &factor);
                PUT(c, WT_M_K, 5, 16);
            }
    } else {
        put_at(c, &leaf);
    }
}

/* The sum of a row in its result. */
static void put_sums(struct sm_composer *c)
{
    if (is_of_three(c)) {
        put_three(c, WORD);
        return;
    }
    if (c->u->mods & SM_MERGES)
        PUT(c, WT_M_JOIN, WT_M_PART, 0, 16);
    if (c->u->mods & SM_SAT)
        PUT(c, WT_M_SAT_S, WORD);
    put_sum(c, c->u->mods & SM_SAT ? WIDER : WORD);
    if (c->u->mods & SM_MERGES)
        put_half(c, WT_M_B, false);
}

/* ---- comparisons ---- */

/* One that holds where the first is less, or (with `inverts`) where the second is. Extended: upper
 * halves of pairs, of which the difference of the lower ones left the carry and Z. */
static void put_less(struct sm_composer *c, const uint8_t *x, const uint8_t *y)
{
    const bool is_signed = c->u->mods & SM_SIGNED;
    if (!(c->u->mods & SM_EXTENDED)) {
        PUT(c, is_signed ? WT_M_LT_S : WT_M_LT);
        put_at(c, x);
        put_at(c, y);
        return;
    }
    PUT(c, WT_M_BORROW);
    for (unsigned i = 0; i < 2; i++) {
        if (is_signed)
            PUT(c, WT_M_FNEG); /* signed numbers in the order of unsigned ones */
        put_at(c, i ? y : x);
    }
    PUT(c, WT_M_NOT, WT_M_SCC);
}

static void put_equal(struct sm_composer *c, const uint8_t *x, const uint8_t *y)
{
    const bool extended = c->u->mods & SM_EXTENDED;
    if (extended)
        PUT(c, WT_M_AND, WT_M_FOURTH, WT_M_NOT, WT_M_NONZERO, WT_M_ADDC);
    else
        PUT(c, WT_M_EQ);
    put_at(c, x);
    if (extended)
        PUT(c, WT_M_NOT);
    put_at(c, y);
    if (extended)
        PUT(c, WT_M_SCC);
}

/* x and y compared as the field says: less 1, equal 2, greater 4. */
static void put_comparison(struct sm_composer *c, const uint8_t *x, const uint8_t *y)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4 };
    const unsigned how = c->u->how & 7;
    const bool inverts = how & GREATER;
    const unsigned is = inverts ? how ^ 7 : how;
    if (inverts)
        PUT(c, WT_M_NOT);
    if (is == 0)
        PUT(c, WT_M_K, 1, 0);
    if (is == (LESS | EQUAL))
        PUT(c, WT_M_OR);
    if (is & LESS)
        put_less(c, x, y);
    if (is & EQUAL)
        put_equal(c, x, y);
}

/* A test of the condition code, whose flags Z, S, C, O are A, B, C, FOURTH. */
static void put_test(struct sm_composer *c)
{
    static const uint8_t sources[] = {WT_M_FOURTH, WT_M_A, WT_M_B, WT_M_C};
    PUT(c, WT_M_SELECT);
    put_at(c, &sources[0]);
    for (unsigned o = 2; o-- > 0;) {
        PUT(c, WT_M_LOGIC, (uint8_t)sm_flags_hold(0xf0, 0xcc, 0xaa, o ? 0xff : 0, c->u->how));
        for (unsigned i = 1; i < 4; i++)
            put_at(c, &sources[i]);
    }
}

/* IMNMX; .XLO: the upper halves have decided, unless they were equal. */
static void put_extreme(struct sm_composer *c)
{
    enum { XLO = 1 };
    static const uint8_t condition = WT_M_VCC, sources[] = {WT_M_A, WT_M_B};
    const bool is_signed = c->u->mods & SM_SIGNED;
    PUT(c, WT_M_SELECT);
    if (c->u->how != XLO) {
        put_at(c, &condition);
        for (unsigned i = 0; i < 2; i++) {
            PUT(c, (uint8_t)((i ? WT_M_MAX : WT_M_MIN) + 2 * is_signed));
            put_at(c, &sources[0]);
            put_at(c, &sources[1]);
        }
        return;
    }
    PUT(c, WT_M_NOT, WT_M_XOR);
    put_at(c, &condition);
    PUT(c, WT_M_SELECT, WT_M_FOURTH, is_signed ? WT_M_LT_S : WT_M_LT);
    put_at(c, &sources[0]);
    put_at(c, &sources[1]);
    PUT(c, WT_M_SCC);
    put_at(c, &sources[0]);
    put_at(c, &sources[1]);
}

/* ---- bits ---- */

/* The amount by which a funnel shifts. */
static void put_amount(struct sm_composer *c)
{
    const bool pairs = c->u->how & 3;
    if (c->u->mods & SM_WRAPS)
        PUT(c, WT_M_PART, 0, pairs ? 6 : 5, WT_M_B);
    else if (pairs)
        PUT(c, WT_M_B);
    else
        PUT(c, WT_M_MIN, WT_M_B, WT_M_K, 32, 32);
}

/* FLO: the number of the highest bit that is not like the sign; .SH: how many are above it. */
static void put_highest(struct sm_composer *c)
{
    static const uint8_t source = WT_M_B;
    const uint8_t counts = c->u->mods & SM_SIGNED ? WT_M_UNLIKE : WT_M_HIGHEST;
    const bool number = !(c->u->mods & SM_SHIFT);
    if (number) { /* all ones, where there is none */
        PUT(c, WT_M_SELECT, WT_M_EQ, counts);
        put_at(c, &source);
        PUT(c, WT_M_NOT, WT_M_K, 32, 0, WT_M_NOT, WT_M_K, 32, 0, WT_M_SUB, WT_M_K, 32, 31);
    }
    PUT(c, counts);
    put_at(c, &source);
}

/* MOV takes over bytes of which its mask has the bit. */
static void put_bytes(struct sm_composer *c)
{
    static const uint8_t sources[] = {WT_M_OLD, WT_M_B};
    for (uint8_t byte = 0; byte < 4; byte++) {
        if (byte < 3)
            PUT(c, WT_M_JOIN);
        PUT(c, WT_M_PART, (uint8_t)(8 * byte), 8);
        put_at(c, &sources[c->u->how >> byte & 1]);
    }
}

/* Bits of a leaf, one for each predicate or flag that counts: that of its number. Or, if the leaf
 * has these alone (@p fills), the next one, and zeros between them. */
static void put_flags(struct sm_composer *c, uint8_t leaf, bool fills)
{
    uint8_t next = 0;
    const unsigned all = fills ? 0xff : c->flags;
    for (uint8_t i = 0; i < 8; i++) {
        if (!(all >> i & 1))
            continue;
        if (all >> i >> 1)
            PUT(c, WT_M_JOIN);
        if (c->flags >> i & 1)
            PUT(c, WT_M_PART, fills ? next++ : i, 1);
        if (c->flags >> i & 1)
            put_at(c, &leaf);
        else
            PUT(c, WT_M_K, 1, 0);
    }
}

/* P2R: bits of a byte of A are replaced where B has ones; R2P: predicates are. */
static void put_list(struct sm_composer *c)
{
    static const uint8_t sources[] = {WT_M_A, WT_M_B};
    const uint8_t shift = (uint8_t)(8 * (c->u->how & 3));
    PUT(c, WT_M_LOGIC, 0xca);
    if (c->u->alu == sm_alu_r2p) {
        put_flags(c, WT_M_B, false);
        put_flags(c, WT_M_A, false);
        if (c->listed >> WT_M_OLD & 1)
            PUT(c, WT_M_OLD);
        else
            put_flags(c, WT_M_B, false);
        return;
    }
    PUT(c, WT_M_SHL, WT_M_ZEXT, 32, WT_M_PART, 0, 8);
    put_at(c, &sources[1]);
    PUT(c, WT_M_K, 5, shift, WT_M_SHL, WT_M_ZEXT, 32);
    put_flags(c, WT_M_C, true);
    PUT(c, WT_M_K, 5, shift);
    put_at(c, &sources[0]);
}

/* ---- rows ---- */

static bool inverts(const struct sm_composer *c, uint8_t op)
{
    const struct sm_uop *u = c->u;
    const bool predicates = u->alu == sm_alu_pset || u->alu == sm_alu_psetp;
    return (op == WT_M_VCC && sm_bit(u->word, 42)) ||
           (predicates && op == WT_M_A && sm_bit(u->word, 15)) ||
           (predicates && op == WT_M_B && sm_bit(u->word, 32)) ||
           ((c->first == WT_M_ONES || c->first == WT_M_HIGHEST) && u->mods & SM_NOT_B);
}

/* Sources that are not listed are RZ and PT, or do not count. */
static void put_leaf(struct sm_composer *c, uint8_t op)
{
    const bool is_bit = c->conditions || op == WT_M_VCC;
    if (inverts(c, op))
        PUT(c, WT_M_NOT);
    if (!(c->listed >> op & 1))
        PUT(c, WT_M_K, is_bit ? 1 : 32, is_bit);
    else if (c->first == WT_M_PART && op == WT_M_B)
        put_amount(c);
    else
        PUT(c, op);
}

/* The operation of a node, as fields say. */
static uint8_t operation_of(const struct sm_composer *c, uint8_t op)
{
    const uint32_t mods = c->u->mods;
    const bool is_signed = mods & SM_SIGNED, funnels = c->first == WT_M_PART;
    switch (op) {
    case WT_M_SHL_OUT:
        return mods & SM_WRAPS && !funnels ? WT_M_SHL : op;
    case WT_M_SHR_OUT:
        if (funnels)
            return (c->u->how & 3) == 3 ? WT_M_SAR_OUT : op;
        return (uint8_t)((mods & SM_WRAPS ? WT_M_SHR : op) + is_signed);
    case WT_M_MUL:
        return !(mods & SM_HIGH)      ? op
               : (c->u->how & 3) == 3 ? WT_M_MUL_HIGH_S
               : c->u->how & 3        ? WT_M_MUL_HIGH_SU
                                      : WT_M_MUL_HIGH;
    case WT_M_FIELD:
        return (uint8_t)(op + is_signed);
    default:
        return op;
    }
}

/* Products of halves, and upper halves of products in which B has the sign; false: neither. */
static bool put_other_product(struct sm_composer *c)
{
    static const uint8_t sources[] = {WT_M_A, WT_M_B};
    if (is_product(c->u)) {
        put_product(c);
        return true;
    }
    if (!(c->u->mods & SM_HIGH) || (c->u->how & 3) != 2)
        return false;
    PUT(c, WT_M_MUL_HIGH_SU);
    put_at(c, &sources[1]);
    put_at(c, &sources[0]);
    return true;
}

/* Nodes in whose place fields put others; false: this one is none. */
static bool put_other(struct sm_composer *c, const uint8_t *at)
{
    const struct sm_uop *u = c->u;
    const uint8_t *x = at + 1, *y = x;
    switch (*at) {
    case WT_M_ADD:
        if (at != c->row)
            return false;
        put_sums(c);
        return true;
    case WT_M_MUL:
        return put_other_product(c);
    case WT_M_C:
        if (!is_product(u) || at != c->row + 4)
            return false;
        put_addend(c);
        return true;
    case WT_M_JOIN:
        if (u->mods & SM_NEG_A) /* LEA.HI */
            PUT(c, WT_M_SUB, WT_M_K, 64, 0);
        return false;
    case WT_M_LT:
        wt_meaning_skip(&y);
        put_comparison(c, x, y);
        return true;
    case WT_M_EQ:
        put_test(c);
        return true;
    case WT_M_SELECT:
        if (u->alu != sm_alu_imnmx)
            return false;
        put_extreme(c);
        return true;
    case WT_M_NOT: /* the row of lanes for which it holds */
        if (!(u->mods & SM_FLOAT))
            return false;
        PUT(c, WT_M_SHL, WT_M_K, 32, 0x7f, WT_M_K, 5, 23);
        return true;
    case WT_M_HIGHEST:
        put_highest(c);
        return true;
    case WT_M_B:
        if (at != c->row || u->how == 15)
            return false;
        put_bytes(c);
        return true;
    case WT_M_LOGIC:
        if (u->alu != sm_alu_p2r && u->alu != sm_alu_r2p)
            return false;
        put_list(c);
        return true;
    default:
        return false;
    }
}

static void put_expression(struct sm_composer *c, const uint8_t **code)
{
    const struct sm_uop *u = c->u;
    const uint8_t *at = *code;
    if (put_other(c, at)) {
        wt_meaning_skip(code);
        return;
    }
    const struct wt_meaning_node node = wt_meaning_take(code);
    if (node.op == WT_M_K || node.op >= (enum wt_meaning_op)WT_M_LEAVES) {
        PUT(c, operation_of(c, *at));
    } else {
        put_leaf(c, *at);
        return;
    }
    if (node.op == WT_M_LOGIC && !at[1])
        PUT(c, table_of(c));
    else if (at == c->row && node.op == WT_M_PART && u->how & 4) /* .HI */
        PUT(c, at[1] ^ 32, at[2]);
    else
        wt_meaning_put(&c->out, at + 1, (unsigned)(*code - at - 1));
    if ((node.op == WT_M_SHR_OUT || node.op == WT_M_FIELD) && u->mods & SM_REVERSED)
        PUT(c, WT_M_REVERSE);
    for (unsigned i = 0; i < node.operands; i++)
        put_expression(c, code);
}

/* Whether fields make of the row what is not composed. */
static bool is_beyond(const struct sm_uop *u)
{
    const bool plus_one = u->mods & SM_NEG_A && u->mods & SM_NEG_B && !(u->mods & SM_EXTENDED);
    return (u->alu == sm_alu_iadd && plus_one && u->mods & (SM_SAT | SM_CC)) ||
           (u->alu == sm_alu_prmt && u->how);
}

/* Whether a sum has one bit more than there is room for: the result has another sign than both
 * terms, or (where it is saturated) the sum has two different bits there. */
static void put_overflow(struct sm_composer *c)
{
    const struct sum_terms t = terms_of(c);
    if (c->u->mods & SM_SAT) {
        PUT(c, WT_M_XOR, WT_M_PART, 32, 1);
        put_sum(c, WIDER);
        PUT(c, WT_M_PART, 31, 1);
        put_sum(c, WIDER);
        return;
    }
    PUT(c, WT_M_PART, 31, 1, WT_M_AND);
    for (unsigned i = 0; i < 2; i++) {
        PUT(c, WT_M_XOR, WT_M_RESULT);
        put_term(c, t.code[i], t.flips[i], WORD);
    }
}

/* The condition code: Z, S, C, O. */
static void put_condition_code(struct sm_composer *c)
{
    static const uint8_t sources[] = {WT_M_A, WT_M_B};
    const struct sm_uop *u = c->u;
    const bool sums = c->first == WT_M_ADD, extreme = u->alu == sm_alu_imnmx && u->how >= 2;
    PUT(c, WT_M_OUT, WT_RESULT_SECOND, WT_M_JOIN);
    if (extreme) { /* .XHI: whether they are equal, and less */
        PUT(c, WT_M_EQ);
        put_at(c, &sources[0]);
        put_at(c, &sources[1]);
        PUT(c, WT_M_JOIN, WT_M_K, 1, 0, WT_M_JOIN);
        PUT(c, u->mods & SM_SIGNED ? WT_M_LT_S : WT_M_LT);
        put_at(c, &sources[0]);
        put_at(c, &sources[1]);
        PUT(c, WT_M_K, 1, 0);
        return;
    }
    if (c->listed >> WT_M_FOURTH & 1 && u->alu != sm_alu_imnmx && u->mods & SM_EXTENDED &&
        u->alu != sm_alu_iset)
        PUT(c, WT_M_AND, WT_M_FOURTH);
    PUT(c, WT_M_NOT, WT_M_NONZERO, WT_M_RESULT, WT_M_JOIN, WT_M_PART, 31, 1, WT_M_RESULT,
        WT_M_JOIN);
    if (!sums)
        PUT(c, WT_M_K, 1, 0);
    else if (is_of_three(c)) {
        PUT(c, WT_M_NONZERO, WT_M_PART, 32, 2);
        put_three(c, 34);
    } else
        put_sum(c, CARRY_OUT);
    if (!sums || is_of_three(c) || is_product(u))
        PUT(c, WT_M_K, 1, 0);
    else
        put_overflow(c);
}

/* The predicate of a sum is its carry; that of logic tests the result: .T, .Z, .NZ. */
static void put_predicate(struct sm_composer *c)
{
    const unsigned test = field_of(c->u, c->u->alu == sm_alu_lop ? SM_F_lopz44 : SM_F_lopz36);
    PUT(c, WT_M_OUT, WT_RESULT_MASK);
    if (c->first == WT_M_ADD)
        put_sum(c, CARRY_OUT);
    else if (test == 1)
        PUT(c, WT_M_K, 1, 1);
    else if (test == 2)
        PUT(c, WT_M_NOT, WT_M_NONZERO, WT_M_RESULT);
    else
        PUT(c, WT_M_NONZERO, WT_M_RESULT);
}

/* False: it is not said, or depends on what is no operand that has bits: a constant bank. */
static bool compose(const struct sm_uop *u, struct wt_insn_operands *o)
{
    const uint8_t *code = sm_rows[u->insn].meaning;
    struct sm_composer c = {.u = u, .out = {o->composed, o->composed + sizeof o->composed}};
    bool results[WT_RESULTS] = {false};
    if (*code == WT_M_END || is_beyond(u))
        return false;
    c.row = code + 2;
    c.first = *c.row;
    c.conditions = u->alu == sm_alu_psetp || u->alu == sm_alu_pset || u->alu == sm_alu_csetp ||
                   u->alu == sm_alu_cset;
    for (unsigned i = 0; i < o->count; i++) {
        const struct wt_insn_operand *x = &o->list[i];
        if (x->kind == WT_OPERAND_MEMORY)
            return false;
        c.listed |= x->reads ? 1u << x->leaf : 0;
        results[x->result] |= x->writes;
        if (x->by_lane && (x->leaf == WT_M_OLD || x->leaf == WT_M_C || x->result == WT_RESULT_MASK))
            c.flags |=
                1u << (x->number >= SM_STATE_ZERO ? x->number - SM_STATE_ZERO : x->number) / 4;
    }
    if ((u->alu == sm_alu_p2r || u->alu == sm_alu_r2p) && !c.flags)
        return false;
    results[WT_RESULT_MASK] &= code[1] == WT_RESULT_D;
    while (*code == WT_M_OUT) {
        wt_meaning_put(&c.out, code, 2);
        c.result = code[1];
        c.row = code += 2;
        put_expression(&c, &code);
    }
    if (results[WT_RESULT_MASK])
        put_predicate(&c);
    if (results[WT_RESULT_SECOND])
        put_condition_code(&c);
    PUT(&c, WT_M_END);
    wt_operands_set_meaning(o, NULL);
    return true;
}

/* ---- the others ---- */

static enum wt_operation load(unsigned size)
{
    return size < 4 && size % 2 ? WT_DOES_LOAD_SIGNED : WT_DOES_LOAD;
}

static enum wt_operation meaning(const struct sm_uop *u)
{
    enum { EXCHANGES = 8 };
    const uint8_t *row = sm_rows[u->insn].meaning, first = row[*row != WT_M_END ? 2 : 0];
    switch ((enum sm_insn)u->insn) {
    case SM_LDG:
        return load(field_of(u, SM_F_gsize48));
    case SM_LD:
        return load(field_of(u, SM_F_size53));
    case SM_LDS:
        return load(field_of(u, SM_F_lds48) & 7);
    case SM_LDL:
        return load(field_of(u, SM_F_size48));
    case SM_LDC:
        return load(field_of(u, SM_F_csize48));
    case SM_STG:
    case SM_ST:
    case SM_STS:
    case SM_STL:
        return WT_DOES_STORE;
    case SM_ATOM:
        return field_of(u, SM_F_atom52) == EXCHANGES ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC;
    case SM_ATOMS:
        return field_of(u, SM_F_atoms52) == EXCHANGES ? WT_DOES_EXCHANGE : WT_DOES_ATOMIC;
    case SM_ATOM_CAS:
    case SM_ATOMS_CAS:
    case SM_RED:
        return WT_DOES_ATOMIC;
    case SM_SHFL:
        return WT_DOES_MOVE;
    case SM_IADD: /* a constant bank has unknown bits */
        return WT_DOES_UNTOLD;
    default:
        return first == WT_M_END || first == WT_M_ADD || first == WT_M_MUL || first == WT_M_ONES ||
                       wt_meaning_has(row + 2, WT_M_LT) || wt_meaning_has(row + 2, WT_M_MIN)
                   ? WT_DOES_OTHER
                   : WT_DOES_UNTOLD; /* parts of words: it is not said which */
    }
}

void sm_list_meaning(const struct sm_uop *u, struct wt_insn_operands *o)
{
    if (compose(u, o))
        return;
    o->operation = (uint8_t)meaning(u);
    o->exchanges = u->insn == SM_SHFL;
    for (unsigned i = 0; o->exchanges && i < o->count; i++) {
        struct wt_insn_operand *x = &o->list[i]; /* whether there is such a lane is a flag */
        x->pair = x->writes && x->by_lane ? 2 : x->writes || x->crosses ? 1 : 0;
    }
}
