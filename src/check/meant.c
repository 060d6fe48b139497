/* Which bits of the results of a meaning are defined. See definedness.h. */
#include "check/definedness.h"

#include "base/bits.h"

static struct wt_defined picked(struct wt_defined zero, struct wt_defined one,
                                struct wt_defined bit, unsigned bits)
{
    const struct wt_defined list[] = {bit, one, zero};
    return wt_defined_result(WT_M_SELECT, list, 3, bits, false, NULL);
}

static struct wt_defined either(struct wt_defined x, struct wt_defined y)
{
    return (struct wt_defined){x.value | y.value, x.undefined | y.undefined,
                               x.computed | y.computed};
}

static struct wt_defined reversed(struct wt_defined x, unsigned bits)
{
    struct wt_defined r = {0};
    for (unsigned i = 0; i < bits; i++)
        r = either(r, wt_defined_moved(wt_defined_moved(x, -(int)i, 1), (int)(bits - 1 - i),
                                       wt_low_bits(bits)));
    return r;
}

/* Numbers of which each possible one is between these. */
struct meant_range {
    uint64_t low, high;
};

/* In the order of unsigned numbers; `turn` is the sign of signed ones. */
static struct meant_range range_of(struct wt_defined x, uint64_t turn)
{
    const uint64_t value = x.value ^ turn;
    return (struct meant_range){value & ~x.undefined, value | x.undefined};
}

/* Where no possible number is too great or too small, its lower bits; else any. */
static struct wt_defined saturated(enum wt_meaning_op op, struct wt_defined x, unsigned own,
                                   unsigned n, bool always)
{
    const bool from_signed = op != WT_M_CLAMP && op != WT_M_SAT,
               to_signed = op == WT_M_CLAMP_S || op == WT_M_SAT_S;
    const uint64_t turn = from_signed ? UINT64_C(1) << (own - 1) : 0;
    const struct meant_range r = range_of(x, turn);
    const uint64_t least = to_signed ? turn - (UINT64_C(1) << (n - 1)) : turn,
                   most = least + wt_low_bits(n);
    const bool fits = n >= own || (r.low >= least && r.high <= most),
               beyond = r.high < least || r.low > most;
    if (!always || fits)
        return wt_defined_moved(x, 0, wt_low_bits(n));
    const uint64_t undefined = !x.undefined || beyond ? 0 : wt_low_bits(n);
    return (struct wt_defined){0, undefined, undefined};
}

/* Whether the first of the two numbers of a minimum or maximum is less than the second one. */
static struct wt_defined is_less(enum wt_meaning_op op, const struct wt_defined *x, unsigned bits)
{
    const bool is_signed = op == WT_M_MIN_S || op == WT_M_MAX_S;
    return wt_defined_result(is_signed ? WT_M_LT_S : WT_M_LT, x, 2, bits, false, NULL);
}

static bool takes_greatest(enum wt_meaning_op op)
{
    return op == WT_M_MAX || op == WT_M_MAX_S;
}

/* The minimum or maximum: if it is not known which number that is, the bits that both share. */
static struct wt_defined extreme(enum wt_meaning_op op, const struct wt_defined *x, unsigned bits,
                                 bool same)
{
    if (same)
        return x[0];
    const struct wt_defined less = is_less(op, x, bits);
    return takes_greatest(op) ? picked(x[0], x[1], less, bits) : picked(x[1], x[0], less, bits);
}

/* A number that is one of these: the bits from the highest one on in which they differ are not
 * defined. */
static struct wt_defined between(int low, int high)
{
    const uint64_t undefined =
        low == high ? 0 : wt_low_bits(32 - (unsigned)__builtin_clz((unsigned)(low ^ high)));
    return (struct wt_defined){0, undefined, undefined};
}

/* The undefined bits of a node's result, by the node's rule. The caller fills in the value. */
static struct wt_defined rule(const struct wt_meaning_node *node, const struct wt_meant *v,
                              unsigned bits, bool clamp)
{
    struct wt_defined list[4] = {{0}}, flag = {0};
    const unsigned own = v[0].bits;
    const uint64_t mask = wt_low_bits(bits);
    const bool same = node->operands == 2 && v[0].same && v[0].same == v[1].same,
               opposite = node->operands == 2 && v[0].same && v[0].same == ~v[1].same;
    bool any = false;
    for (unsigned i = 0; i < node->operands; i++) {
        list[i] = v[i].is;
        any |= v[i].is.undefined != 0;
    }
    const struct wt_defined x = list[0];
    if (!any)
        return x;
    switch (node->op) {
    case WT_M_LOGIC:
        list[3].value = node->n;
        return wt_defined_result(WT_M_LOGIC, list, 4, bits, false, NULL);
    case WT_M_SELECT:
        return picked(list[2], list[1], x, bits);
    case WT_M_PART:
        return wt_defined_moved(x, -node->n, mask);
    case WT_M_JOIN:
        return either(x, wt_defined_moved(list[1], (int)own, mask));
    case WT_M_ZEXT:
        return wt_defined_moved(x, 0, mask);
    case WT_M_SEXT:
        return wt_defined_sign_extended(wt_defined_moved(x, 0, mask), own, mask);
    case WT_M_NONZERO:
        flag.undefined = flag.computed = wt_defined_may_be_zero_or_not(x, own);
        return flag;
    case WT_M_REVERSE:
        return reversed(x, bits);
    case WT_M_FNEG:
        return x;
    case WT_M_CARRY:
    case WT_M_BORROW:
        wt_defined_result(node->op, list, 3, own, false, &flag);
        return flag;
    case WT_M_CLAMP:
    case WT_M_CLAMP_S:
    case WT_M_CLAMP_SU:
        return saturated(node->op, x, own, node->n, clamp);
    case WT_M_SAT:
    case WT_M_SAT_S:
    case WT_M_SAT_SU:
        return saturated(node->op, x, own, node->n, true);
    case WT_M_MIN:
    case WT_M_MAX:
    case WT_M_MIN_S:
    case WT_M_MAX_S:
        return extreme(node->op, list, bits, same);
    case WT_M_MED:
    case WT_M_MED_S: /* one of the three */
        flag.undefined = 1;
        return picked(picked(x, list[1], flag, bits), list[2], flag, bits);
    case WT_M_ONES:
        return between(__builtin_popcountll(x.value & ~x.undefined),
                       __builtin_popcountll(x.value | x.undefined));
    default:
        break;
    }
    if (opposite && (node->op == WT_M_AND || node->op == WT_M_OR))
        return flag;
    if (node->exact)
        return wt_defined_result(node->op, list, node->operands, own, same, NULL);
    return (struct wt_defined){0, mask, mask};
}

/* Operations on each bit for itself. */
static bool is_bitwise(enum wt_meaning_op op)
{
    return op == WT_M_AND || op == WT_M_OR || op == WT_M_XOR || op == WT_M_LOGIC ||
           op == WT_M_SELECT;
}

/* The undefined bits if some operands' values are unknown: those that any of their values leaves
 * undefined. */
static struct wt_defined rule_of_unknown(const struct wt_meaning_node *node,
                                         const struct wt_meant *v, unsigned bits, bool clamp)
{
    struct wt_meant tried[3] = {{.bits = 0}};
    struct wt_defined all = {0};
    bool any = false;
    for (unsigned i = 0; i < node->operands; i++)
        any |= v[i].is.undefined != 0;
    if (node->op >= WT_M_PART && node->op <= WT_M_SEXT)
        return rule(node, v, bits, clamp);
    if (!is_bitwise(node->op) || (node->op == WT_M_SELECT && v[0].unknown))
        return (struct wt_defined){0, any ? wt_low_bits(bits) : 0, any ? wt_low_bits(bits) : 0};
    for (unsigned ones = 0; ones < 8; ones++) {
        for (unsigned i = 0; i < node->operands; i++) {
            tried[i] = v[i];
            if (v[i].unknown)
                tried[i].is.value = ones >> i & 1 ? wt_low_bits(v[i].bits) : 0;
        }
        all = either(all, rule(node, tried, bits, clamp));
    }
    return all;
}

/* The number of a node's value (struct wt_meant.same), derived from that of its only operand. */
static uint64_t number_of(const struct wt_meaning_node *node, const struct wt_meant *v)
{
    if (node->operands != 1 || !v->same)
        return 0;
    if (node->op == WT_M_NOT)
        return ~v->same;
    const uint64_t unit = node->op | (uint64_t)node->n << 8 | (uint64_t)node->m << 16;
    return (v->same ^ unit) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static struct wt_meant leaf_of(const struct wt_meaning_node *node,
                               const struct wt_meant_operands *in, const struct wt_meant *result)
{
    if (node->op == WT_M_K)
        return (struct wt_meant){.is.value = node->m, .bits = node->n, .same = 0};
    if (node->op == WT_M_RESULT)
        return *result;
    struct wt_meant leaf = in->leaf[node->op];
    leaf.same = leaf.same ? leaf.same : node->op;
    return leaf;
}

static struct wt_meant expression(const uint8_t **code, const struct wt_meant_operands *in,
                                  const struct wt_meant *result)
{
    struct wt_meant v[3] = {{.bits = 0}};
    struct wt_meaning_value value[3];
    unsigned widths[3] = {0};
    const struct wt_meaning_node node = wt_meaning_take(code);
    if (node.op < (enum wt_meaning_op)WT_M_LEAVES)
        return leaf_of(&node, in, result);
    bool unknown = false;
    for (unsigned i = 0; i < node.operands; i++) {
        v[i] = expression(code, in, result);
        widths[i] = v[i].bits;
        unknown |= v[i].unknown;
        value[i] = (struct wt_meaning_value){v[i].is.value, v[i].bits};
    }
    struct wt_meant made = {.bits = wt_meaning_width(&node, widths), .same = number_of(&node, v)};
    const struct wt_meaning_value applied = wt_meaning_apply(&node, value, in->clamp);
    made.unknown = unknown || !applied.bits;
    made.is = unknown ? rule_of_unknown(&node, v, made.bits, in->clamp)
                      : rule(&node, v, made.bits, in->clamp);
    made.is.value = applied.value;
    return made;
}

void wt_meant_results(const uint8_t *meaning, const struct wt_meant_operands *in,
                      struct wt_meant result[static WT_RESULTS])
{
    const struct wt_meant *first = NULL;
    for (unsigned i = 0; i < WT_RESULTS; i++)
        result[i] = (struct wt_meant){.bits = 0};
    while (*meaning == WT_M_OUT || *meaning == WT_M_JUMP) {
        const bool jumps = *meaning == WT_M_JUMP;
        struct wt_meant *to = &result[jumps ? WT_RESULT_JUMPS : meaning[1]];
        meaning += jumps ? 1 : 2;
        *to = expression(&meaning, in, first);
        first = first ? first : to;
        if (jumps)
            return;
    }
}
