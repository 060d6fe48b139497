/* Origins of addresses through the expressions of meanings. See origin.h. */
#include "emulator/machine/meaning.h"
#include "emulator/machine/origin.h"

/* A bit or part of what may be an address, or another operation on it. */
static wt_origin_value any_of(struct wt_flow *f, const wt_origin_value *v, unsigned count)
{
    wt_origin_value all = wt_flow_index(f);
    for (unsigned i = 0; i < count; i++)
        all = wt_flow_picked(f, all, v[i]);
    return all;
}

/* Bits of a value: an address that is multiplied by numbers of 24 bits has no more. */
static wt_origin_value part(struct wt_flow *f, const struct wt_meaning_node *node,
                            const wt_origin_value *v)
{
    enum { FEW = 24, WORD = 32 };
    int64_t constant;
    if (!node->n && node->m >= WORD)
        return v[0];
    if (wt_flow_is_constant(f, v[0], &constant) && node->m < 64)
        return wt_flow_constant(f, constant >> node->n & ((INT64_C(1) << node->m) - 1));
    return !node->n && node->m >= FEW ? v[0] : any_of(f, v, 1);
}

static wt_origin_value computed(struct wt_flow *f, const struct wt_meaning_node *node,
                                const wt_origin_value *v)
{
    switch (node->op) {
    case WT_M_NOT:
        return wt_flow_xor(f, v[0], wt_flow_constant(f, -1));
    case WT_M_ADD:
        return wt_flow_sum(f, v[0], v[1]);
    case WT_M_SUB:
        return wt_flow_difference(f, v[0], v[1]);
    case WT_M_MUL:
        return wt_flow_product(f, v[0], v[1]);
    case WT_M_SHL:
    case WT_M_SHL_OUT:
        return wt_flow_shifted(f, v[0], v[1]);
    case WT_M_AND:
        return wt_flow_and(f, v[0], v[1]);
    case WT_M_OR:
        return wt_flow_or(f, v[0], v[1]);
    case WT_M_XOR:
        return wt_flow_xor(f, v[0], v[1]);
    case WT_M_SELECT:
        return wt_flow_choice(f, v[2], v[1]);
    case WT_M_SHR:
    case WT_M_SAR:
    case WT_M_SHR_OUT:
    case WT_M_SAR_OUT:
    case WT_M_MUL_HIGH:
    case WT_M_MUL_HIGH_S:
    case WT_M_MUL_HIGH_SU:
    case WT_M_DIV:
    case WT_M_DIV_S:
    case WT_M_REM:
    case WT_M_REM_S:
        return wt_flow_mixed(f, v[0], v[1]);
    case WT_M_ZEXT:
    case WT_M_SEXT:
    case WT_M_CLAMP:
    case WT_M_CLAMP_S:
    case WT_M_CLAMP_SU:
    case WT_M_SAT:
    case WT_M_SAT_S:
    case WT_M_SAT_SU:
        return v[0];
    case WT_M_PART:
        return part(f, node, v);
    default:
        return any_of(f, v, node->operands);
    }
}

wt_origin_value wt_flow_meaning(struct wt_flow *f, const uint8_t **code,
                                const wt_origin_value leaf[])
{
    wt_origin_value v[3];
    const struct wt_meaning_node node = wt_meaning_take(code);
    if (node.op == WT_M_K)
        return wt_flow_constant(f, node.m);
    if (node.op < (enum wt_meaning_op)WT_M_LEAVES)
        return leaf[node.op];
    const bool of_bit = **code >= WT_M_EQ && **code <= WT_M_LE_S;
    for (unsigned i = 0; i < node.operands; i++)
        v[i] = wt_flow_meaning(f, code, leaf);
    if (of_bit && node.op == WT_M_ZEXT)
        return wt_flow_bit(f);
    if (of_bit && node.op == WT_M_SEXT)
        return wt_flow_choice(f, wt_flow_constant(f, 0), wt_flow_constant(f, -1));
    return computed(f, &node, v);
}
