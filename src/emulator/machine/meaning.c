/* Meanings: their nodes, and the plain evaluator. See meaning.h. */
#include "emulator/machine/meaning.h"

#include <assert.h>
#include <stddef.h>

#include "base/bits.h"

typedef unsigned __int128 wide;

enum width { X, Y, B, N, M, J, W };
enum meaning_rule { INEXACT, EXACT };
static const struct {
    uint8_t operands, bytes, width, rule;
} ops[WT_M_OPS] = {
#define OP(name, operands, bytes, width, rule, words)                                              \
    [WT_M_##name] = {operands, bytes, width, rule},
#include "emulator/machine/meaning.def"
#undef OP
};

struct wt_meaning_node wt_meaning_take(const uint8_t **code)
{
    const enum wt_meaning_op op = (enum wt_meaning_op) * (*code)++;
    struct wt_meaning_node node = {.op = op};
    assert(op > WT_M_END && op < WT_M_OPS);
    node.operands = ops[op].operands;
    node.exact = ops[op].rule == EXACT;
    if (ops[op].bytes > 0)
        node.n = *(*code)++;
    if (ops[op].bytes > 1)
        node.m = *(*code)++;
    return node;
}

void wt_meaning_skip(const uint8_t **code)
{
    for (unsigned left = 1; left; left--)
        left += wt_meaning_take(code).operands;
}

bool wt_meaning_has(const uint8_t *code, enum wt_meaning_op op)
{
    bool has = false;
    for (unsigned left = 1; left; left--) {
        const struct wt_meaning_node node = wt_meaning_take(&code);
        left += node.operands;
        has |= node.op == op;
    }
    return has;
}

/* Equal prefixes decode to the same nodes, so the loop ends at the meaning's WT_M_END at the
 * latest. */
bool wt_meaning_begins(const uint8_t *code, const uint8_t *pattern, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        if (code[i] != pattern[i])
            return false;
    return true;
}

const uint8_t *wt_meaning_result(const uint8_t *code, unsigned result)
{
    while (*code == WT_M_OUT && code[1] != result) {
        code += 2;
        wt_meaning_skip(&code);
    }
    return *code == WT_M_OUT ? code + 2 : NULL;
}

const uint8_t *wt_meaning_jump(const uint8_t *code)
{
    while (*code == WT_M_OUT) {
        code += 2;
        wt_meaning_skip(&code);
    }
    return *code == WT_M_JUMP ? code + 1 : NULL;
}

bool wt_meaning_part(const uint8_t *code, enum wt_meaning_op leaf, uint8_t *first, uint8_t *bits)
{
    *bits = 0;
    while (*code == WT_M_OUT) {
        code += 2;
        for (unsigned left = 1; left; left--) {
            const struct wt_meaning_node node = wt_meaning_take(&code);
            left += node.operands;
            if (node.op == leaf)
                return false;
            if (node.op != WT_M_PART || *code != leaf)
                continue;
            if (*bits && (*bits != node.m || *first != node.n))
                return false;
            *first = node.n;
            *bits = node.m;
            code++;
            left--;
        }
    }
    return *bits;
}

unsigned wt_meaning_width(const struct wt_meaning_node *node, const unsigned *operand)
{
    switch ((enum width)ops[node->op].width) {
    case X:
        return operand[0];
    case Y:
        return operand[1];
    case B:
        return 1;
    case N:
        return node->n;
    case M:
        return node->m;
    case J:
        return node->op == WT_M_JOIN ? operand[0] + operand[1] : 2 * operand[0];
    default:
        return 0;
    }
}

/* ---- values ---- */

static uint64_t reversed(uint64_t x, unsigned bits)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}

/* x in groups of four bits: @p each, @p step bits apart, for each group that is not 0. */
static uint64_t quads(uint64_t x, unsigned bits, uint64_t each, unsigned step)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < bits; i += 4)
        r |= (x >> i & 15) ? each << (i / 4 * step) : 0;
    return r;
}

static uint64_t permuted(uint64_t x, uint64_t y, uint64_t numbers)
{
    const uint64_t data = x << 32 | y;
    uint64_t r = 0;
    for (unsigned k = 0; k < 32; k += 8) {
        const unsigned n = numbers >> k & 0xff;
        const uint64_t byte = n < 8    ? data >> (8 * n) & 0xff
                              : n < 12 ? (data >> (16 * (n - 8) + 15) & 1) * 0xff
                              : n > 12 ? 0xff
                                       : 0;
        r |= byte << k;
    }
    return r;
}

static uint64_t picked(uint64_t x, uint64_t y, uint64_t numbers)
{
    const uint64_t data = y << 32 | x;
    uint64_t r = 0;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned n = numbers >> 4 * k & 15;
        const uint64_t byte = data >> 8 * (n & 7) & 0xff;
        r |= (n < 8 ? byte : (byte >> 7) * 0xff) << 8 * k;
    }
    return r;
}

static uint64_t field(uint64_t x, unsigned bits, uint64_t first, uint64_t count, bool is_signed)
{
    const uint64_t moved = first < bits ? x >> first : 0, room = first < bits ? bits - first : 0;
    const uint64_t c = count < room ? count : room;
    const uint64_t part = moved & wt_low_bits((unsigned)c);
    if (is_signed && count && !room)
        return 0 - (x >> (bits - 1) & 1);
    return is_signed && c ? (uint64_t)wt_sign_extend(part, (unsigned)c) : part;
}

static uint64_t least(int64_t low, int64_t high, int64_t x)
{
    return (uint64_t)(x < low ? low : x > high ? high : x);
}

/* x saturated to what n bits can hold; unchanged if n is as wide as x. */
static uint64_t saturated(enum wt_meaning_op op, uint64_t x, unsigned bits, unsigned n)
{
    const int64_t high = (int64_t)wt_low_bits(n - 1);
    if (n >= bits)
        return x;
    if (op == WT_M_CLAMP || op == WT_M_SAT)
        return x < wt_low_bits(n) ? x : wt_low_bits(n);
    if (op == WT_M_CLAMP_S || op == WT_M_SAT_S)
        return least(-high - 1, high, wt_sign_extend(x, bits));
    return least(0, (int64_t)wt_low_bits(n), wt_sign_extend(x, bits));
}

static uint64_t middle(uint64_t x, uint64_t y, uint64_t z)
{
    const uint64_t low = x < y ? x : y, high = x < y ? y : x;
    return z < low ? low : z > high ? high : z;
}

static uint64_t high_of(enum wt_meaning_op op, const struct wt_meaning_value *v)
{
    const __int128 x = op == WT_M_MUL_HIGH ? (__int128)v[0].value
                                           : wt_sign_extend(v[0].value, v->bits),
                   y = op == WT_M_MUL_HIGH_S ? wt_sign_extend(v[1].value, v->bits)
                                             : (__int128)v[1].value;
    return (uint64_t)((wide)x * (wide)y >> v->bits);
}

/* x / y or, else, the remainder. A quotient that is too great for its bits wraps. */
static uint64_t divided(const struct wt_meaning_value *v, bool is_signed, bool quotient)
{
    const uint64_t x = v[0].value, y = v[1].value;
    const __int128 a = is_signed ? wt_sign_extend(x, v->bits) : (__int128)x,
                   b = is_signed ? wt_sign_extend(y, v->bits) : (__int128)y;
    return !y ? (quotient ? UINT64_MAX : x) : (uint64_t)(quotient ? a / b : a % b);
}

/* x shifted; an amount of `bits` or more: all out. */
static uint64_t shifted(enum wt_meaning_op op, uint64_t x, uint64_t by, unsigned bits)
{
    const unsigned n = by < bits ? (unsigned)by : bits;
    if (op == WT_M_SHL)
        return n < 64 ? x << n : 0;
    if (op == WT_M_SHR)
        return n < 64 ? x >> n : 0;
    return (uint64_t)(wt_sign_extend(x, bits) >> (n < bits ? n : bits - 1));
}

static uint64_t logic(uint8_t table, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t r = 0;
    for (unsigned i = 0; i < 8; i++)
        if (table >> i & 1)
            r |= (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    return r;
}

struct wt_meaning_value wt_meaning_apply(const struct wt_meaning_node *node,
                                         const struct wt_meaning_value *v, bool clamp)
{
    static const struct wt_meaning_value unknown = {0, 0};
    unsigned widths[3] = {0};
    for (unsigned i = 0; i < node->operands; i++) {
        if (!v[i].bits)
            return unknown;
        widths[i] = v[i].bits;
    }
    const unsigned bits = wt_meaning_width(node, widths), own = widths[0];
    const uint64_t x = v[0].value, y = node->operands > 1 ? v[1].value : 0,
                   z = node->operands > 2 ? v[2].value : 0, sign = UINT64_C(1) << (own - 1);
    const int64_t a = wt_sign_extend(x, own), b = widths[1] ? wt_sign_extend(y, widths[1]) : 0,
                  c = widths[2] ? wt_sign_extend(z, widths[2]) : 0;
    uint64_t r = 0;
    switch (node->op) {
    case WT_M_NOT:
        r = ~x;
        break;
    case WT_M_AND:
        r = x & y;
        break;
    case WT_M_OR:
        r = x | y;
        break;
    case WT_M_XOR:
        r = x ^ y;
        break;
    case WT_M_LOGIC:
        r = logic(node->n, x, y, z);
        break;
    case WT_M_SELECT:
        r = x ? y : z;
        break;
    case WT_M_PART:
        r = node->n < 64 ? x >> node->n : 0;
        break;
    case WT_M_JOIN:
        r = x | y << own;
        break;
    case WT_M_ZEXT:
        r = x;
        break;
    case WT_M_SEXT:
        r = (uint64_t)a;
        break;
    case WT_M_NONZERO:
        r = x != 0;
        break;
    case WT_M_FNEG:
        r = x ^ sign;
        break;
    case WT_M_REVERSE:
        r = reversed(x, own);
        break;
    case WT_M_PERMUTE:
        r = permuted(x, y, z);
        break;
    case WT_M_PICK:
        r = picked(x, y, z);
        break;
    case WT_M_ONES:
        r = (uint64_t)__builtin_popcountll(x);
        break;
    case WT_M_HIGHEST:
        r = x ? (uint64_t)(__builtin_clzll(x) - 64) + own : UINT64_MAX;
        break;
    case WT_M_LOWEST:
        r = x ? (uint64_t)__builtin_ctzll(x) : UINT64_MAX;
        break;
    case WT_M_UNLIKE:
        r = a == 0 || a == -1 ? UINT64_MAX : (uint64_t)(__builtin_clrsbll(a) + 1 - 64) + own;
        break;
    case WT_M_QUADS:
        r = quads(x, own, 15, 4);
        break;
    case WT_M_QUAD_ANY:
        r = quads(x, own, 1, 1);
        break;
    case WT_M_TWICE:
        for (unsigned i = 0; i < own && i < 32; i++)
            r |= (x >> i & 1) * 3 << 2 * i;
        break;
    case WT_M_SHL:
    case WT_M_SHR:
    case WT_M_SAR:
        r = shifted(node->op, x, y & (own - 1), own);
        break;
    case WT_M_SHL_OUT:
    case WT_M_SHR_OUT:
    case WT_M_SAR_OUT:
        r = shifted((enum wt_meaning_op)(node->op - WT_M_SHL_OUT + WT_M_SHL), x, y, own);
        break;
    case WT_M_FIELD:
    case WT_M_FIELD_S:
        r = field(x, own, y, z, node->op == WT_M_FIELD_S);
        break;
    case WT_M_ADD:
    case WT_M_ADDC:
        r = x + y + z;
        break;
    case WT_M_SUB:
    case WT_M_SUBC:
        r = x - y - z;
        break;
    case WT_M_CARRY:
        r = (uint64_t)(((wide)x + y + z) >> own);
        break;
    case WT_M_BORROW:
        r = (wide)y + z > x;
        break;
    case WT_M_OVERFLOW_ADD:
        r = ((x ^ (x + y)) & (y ^ (x + y)) & sign) != 0;
        break;
    case WT_M_OVERFLOW_SUB:
        r = ((x ^ y) & (x ^ (x - y)) & sign) != 0;
        break;
    case WT_M_MUL:
        r = x * y;
        break;
    case WT_M_MUL_HIGH:
    case WT_M_MUL_HIGH_S:
    case WT_M_MUL_HIGH_SU:
        r = high_of(node->op, v);
        break;
    case WT_M_DIV:
    case WT_M_DIV_S:
    case WT_M_REM:
    case WT_M_REM_S:
        r = divided(v, node->op == WT_M_DIV_S || node->op == WT_M_REM_S, node->op <= WT_M_DIV_S);
        break;
    case WT_M_DIFFERENCE:
        r = x > y ? x - y : y - x;
        break;
    case WT_M_CLAMP:
    case WT_M_CLAMP_S:
    case WT_M_CLAMP_SU:
        r = clamp ? saturated(node->op, x, own, node->n) : x;
        break;
    case WT_M_SAT:
    case WT_M_SAT_S:
    case WT_M_SAT_SU:
        r = saturated(node->op, x, own, node->n);
        break;
    case WT_M_EQ:
        r = x == y;
        break;
    case WT_M_NE:
        r = x != y;
        break;
    case WT_M_LT:
        r = x < y;
        break;
    case WT_M_LE:
        r = x <= y;
        break;
    case WT_M_LT_S:
        r = a < b;
        break;
    case WT_M_LE_S:
        r = a <= b;
        break;
    case WT_M_MIN:
        r = x < y ? x : y;
        break;
    case WT_M_MAX:
        r = x > y ? x : y;
        break;
    case WT_M_MIN_S:
        r = a < b ? x : y;
        break;
    case WT_M_MAX_S:
        r = a > b ? x : y;
        break;
    case WT_M_MED:
        r = middle(x, y, z);
        break;
    case WT_M_MED_S: /* signed numbers in the order of unsigned ones */
        r = middle((uint64_t)a ^ INT64_MIN, (uint64_t)b ^ INT64_MIN, (uint64_t)c ^ INT64_MIN) ^
            INT64_MIN;
        break;
    default: /* leaves, opaque nodes, and floating point, which wt_meaning_floats compute */
        return unknown;
    }
    return (struct wt_meaning_value){r & wt_low_bits(bits), bits};
}

struct wt_meaning_value wt_meaning_evaluate(const uint8_t **code,
                                            const struct wt_meaning_operands *in)
{
    struct wt_meaning_value v[3];
    const struct wt_meaning_node node = wt_meaning_take(code);
    if (node.op == WT_M_K)
        return (struct wt_meaning_value){node.m, node.n};
    if (node.op < WT_M_LEAVES)
        return in->leaf[node.op];
    for (unsigned i = 0; i < node.operands; i++)
        v[i] = wt_meaning_evaluate(code, in);
    const struct wt_meaning_value r = wt_meaning_apply(&node, v, in->clamp);
    return r.bits || !in->floats || node.op < WT_M_FADD ? r
                                                        : in->floats->compute(in->floats, &node, v);
}
