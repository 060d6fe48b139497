/* See operands.h. */
#include "emulator/machine/operands.h"

#include "base/bits.h"

#include <assert.h>
#include <inttypes.h>

#include "emulator/machine/meaning.h"

struct wt_insn_operand *wt_operands_add(struct wt_insn_operands *operands,
                                        struct wt_insn_operand operand)
{
    assert(operands->count < WT_MOST_OPERANDS);
    struct wt_insn_operand *added = &operands->list[operands->count++];
    *added = operand;
    return added;
}

void wt_operands_add_constant(struct wt_insn_operands *operands, int64_t value)
{
    wt_operands_add(operands, (struct wt_insn_operand){
                                  .kind = WT_OPERAND_CONSTANT, .reads = true, .value = value});
}

/* Whether an operand is that leaf, and no more than 64 bits of it. */
static bool has_leaf(const struct wt_insn_operands *operands, unsigned leaf)
{
    unsigned bits = 0;
    bool has = false;
    for (unsigned i = 0; i < operands->count; i++)
        if (operands->list[i].leaf == leaf) {
            has = true;
            bits += operands->list[i].width ? operands->list[i].width : operands->list[i].bits;
        }
    return has && bits <= 64;
}

/* Whether all leaves of an expression that are operands are listed. */
static bool are_listed(const struct wt_insn_operands *operands, const uint8_t *code)
{
    bool all = true;
    for (unsigned left = 1; left; left--) {
        const struct wt_meaning_node node = wt_meaning_take(&code);
        left += node.operands;
        if (node.op >= WT_M_A && node.op <= WT_M_M0)
            all &= has_leaf(operands, node.op);
    }
    return all;
}

void wt_operands_set_meaning(struct wt_insn_operands *operands, const uint8_t *meaning)
{
    enum wt_operation operation = WT_DOES_WAIT;
    operands->meaning = meaning;
    meaning = wt_operands_meaning(operands);
    for (const uint8_t *at = meaning; *at != WT_M_END && *at != WT_M_UNSAID;) {
        const uint8_t statement = *at++;
        at += statement == WT_M_OUT;
        const uint8_t *first = at;
        wt_meaning_skip(&at);
        switch (statement) {
        case WT_M_OUT: /* after an access: what becomes of the data */
            if (operation == WT_DOES_LOAD && *first == WT_M_SEXT)
                operation = WT_DOES_LOAD_SIGNED;
            else if (operation >= WT_DOES_LOAD && operation <= WT_DOES_ATOMIC)
                break;
            else if (operation != WT_DOES_OTHER)
                operation = are_listed(operands, first) ? WT_DOES_MEANT : WT_DOES_OTHER;
            break;
        case WT_M_LOAD:
            operation = WT_DOES_LOAD;
            break;
        case WT_M_STORE:
            operation = WT_DOES_STORE;
            break;
        case WT_M_ATOMIC:
            operation = wt_meaning_has(at, WT_M_MEMORY) ? WT_DOES_ATOMIC : WT_DOES_EXCHANGE;
            if ((*at == WT_M_ADD || *at == WT_M_SUB || *at == WT_M_OR || *at == WT_M_XOR) &&
                at[1] == WT_M_MEMORY)
                operands->then = WT_DOES_ADD;
            wt_meaning_skip(&at);
            break;
        case WT_M_JUMP:
            wt_meaning_skip(&at);
            /* fallthrough */
        default:
            operation = WT_DOES_BRANCH;
            break;
        }
    }
    operands->operation = (uint8_t)(*meaning == WT_M_UNSAID ? WT_DOES_OTHER : operation);
}

/* A value, or a set, of which the highest bit becomes those above it. */
static uint64_t with_sign(uint64_t x, unsigned bits)
{
    return bits && bits < 64 && x >> (bits - 1) & 1 ? x | ~wt_low_bits(bits) : x;
}

unsigned wt_operand_leaf_bits(const struct wt_insn_operands *operands,
                              const struct wt_insn_operand *o, unsigned own)
{
    const unsigned bits = operands->packed ? operands->packed : o->width ? o->width : own;
    return bits < 64 ? bits : 64;
}

uint64_t wt_operand_leaf(const struct wt_insn_operands *operands, const struct wt_insn_operand *o,
                         unsigned own, unsigned half, uint64_t bits, bool set)
{
    const unsigned width = wt_operand_leaf_bits(operands, o, own);
    const uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t x = bits & wt_low_bits(own);
    if (o->type == WT_OPERAND_SIGNED)
        x = with_sign(x, own);
    if (o->halves & WT_HALVES_OF_ONE)
        x = (x >> (o->halves & 1 ? 16 : 0) & 0xffff) | (x >> (o->halves & 2 ? 16 : 0) & 0xffff)
                                                           << 16;
    else
        x = x << o->at >> (o->halves >> half & 1 ? width : 0);
    x &= wt_low_bits(width);
    if (o->abs >> half & 1)
        x &= ~sign;
    return !set && o->neg >> half & 1 ? x ^ sign : x;
}

uint64_t wt_operand_result(const struct wt_insn_operand *o, unsigned own, unsigned width,
                           unsigned from, uint64_t bits)
{
    const unsigned most = o->width ? o->width : own, count = width < most ? width : most;
    const uint64_t x = bits >> from & wt_low_bits(count);
    return (o->type == WT_OPERAND_SIGNED ? with_sign(x, count) : x) << o->at & wt_low_bits(own);
}

static void print_row(FILE *out, const struct wt_insn_operand *o, const char *name)
{
    static const char *const types[] = {[WT_OPERAND_BITS] = "",
                                        [WT_OPERAND_SIGNED] = ", signed",
                                        [WT_OPERAND_UNSIGNED] = ", unsigned",
                                        [WT_OPERAND_FLOAT] = ", floating point"};
    fprintf(out, "%s: %u bits a lane", name, o->bits);
    if (o->first)
        fprintf(out, ", from bit %u on", o->first);
    if (o->whose >= WT_LANE_0)
        fprintf(out, ", of lane %u", o->whose - WT_LANE_0);
    fprintf(out, "%s%s%s%s\n", types[o->type], o->crosses ? ", also of other lanes" : "",
            o->whose == WT_LANE_FIRST ? ", of the first enabled lane" : "",
            o->keeps ? ", but for lanes that are left out" : "");
}

static void print_memory(FILE *out, const struct wt_insn_operand *o, const char *name)
{
    if (o->bits)
        fprintf(out, "%u bytes of %s\n", o->bits / 8, name);
    else
        fprintf(out, "%s\n", name);
}

void wt_operands_print(FILE *out, const struct wt_insn_operands *operands,
                       void (*name)(const struct wt_insn_operand *operand, char *text, size_t size))
{
    for (unsigned i = 0; i < operands->count; i++) {
        const struct wt_insn_operand *o = &operands->list[i];
        char text[96];
        fprintf(out, "  %-16s ",
                o->reads && o->writes ? "reads and writes"
                : o->reads            ? "reads"
                                      : "writes");
        if (o->kind == WT_OPERAND_CONSTANT) {
            fprintf(out, "the constant %" PRId64 "\n", o->value);
            continue;
        }
        name(o, text, sizeof text);
        if (o->kind == WT_OPERAND_MEMORY)
            print_memory(out, o, text);
        else if (o->kind == WT_OPERAND_ROW)
            print_row(out, o, text);
        else
            fprintf(out, "%s%s%s\n", text, o->by_lane ? ", a bit a lane" : "",
                    o->keeps ? ", but for lanes that are left out" : "");
    }
}
