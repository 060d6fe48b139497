/* See operands.h. */
#include "emulator/machine/operands.h"

#include <assert.h>
#include <inttypes.h>

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
