/* See operands.h. */
#include "emulator/machine/operands.h"

#include <inttypes.h>

void wt_operands_print(FILE *out, const struct wt_insn_operands *operands,
                       void (*name)(const struct wt_insn_operand *operand, char *text, size_t size))
{
    static const char *const types[] = {[WT_OPERAND_BITS] = "",
                                        [WT_OPERAND_SIGNED] = ", signed",
                                        [WT_OPERAND_UNSIGNED] = ", unsigned",
                                        [WT_OPERAND_FLOAT] = ", floating point"};
    for (unsigned i = 0; i < operands->count; i++) {
        const struct wt_insn_operand *o = &operands->list[i];
        char text[64];
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
            fprintf(out, "%u bytes of memory a lane, at %s%+" PRId64 "\n", o->bits / 8, text,
                    o->value);
        else if (o->kind == WT_OPERAND_ROW)
            fprintf(out, "%s: %u bits a lane%s\n", text, o->bits, types[o->type]);
        else
            fprintf(out, "%s\n", text);
    }
}
