/*
 * Restrictions of register regions (Skylake PRM volume 7, "Register Region Restrictions"): the
 * hardware's result is not defined where one is broken, so that the instruction is not executed.
 * Checked are Align1's regions of general registers; those of instructions with three sources and
 * of Align16 have forms that cannot break them.
 */
#include "emulator/gen/internal.h"

/* Bytes from the first to behind the last one, of which the first lies `at` bytes into a register:
 * whether they are in two adjacent registers. */
static bool in_two_registers(unsigned at, unsigned bytes)
{
    return at % GEN_GRF_BYTES + bytes <= 2 * GEN_GRF_BYTES;
}

static const char *parameters_mistake(const struct gen_operand *o, unsigned n)
{
    if (o->width > n)
        return "the width of a source region is larger than the execution size";
    if (o->width == 1 && o->hstride)
        return "a source region of width 1 has a horizontal stride";
    if (o->width == 1 && n == 1 && o->vstride)
        return "a source region of one element has a vertical stride";
    if (o->width > 1 && !o->vstride && !o->hstride)
        return "a source region without strides has a width other than 1";
    if (o->width > 1 && o->width == n && o->hstride && o->vstride != o->width * o->hstride)
        return "a source region of one row has a vertical stride other than width times horizontal "
               "stride";
    return NULL;
}

static const char *source_mistake(const struct gen_insn *insn, const struct gen_operand *o)
{
    const unsigned size = gen_type_size(o->type), n = insn->exec_size;
    if (o->file != GEN_GRF || o->vstride == GEN_STRIDE_VXH)
        return NULL;
    const char *mistake = parameters_mistake(o, n);
    if (mistake || o->indirect)
        return mistake;
    const unsigned row = ((o->width - 1u) * o->hstride + 1) * size, rows = n / o->width;
    /* Rows without gaps may do so: Intel's own system routine moves <8;8,1>:q. */
    for (unsigned i = 0; i < rows && o->hstride > 1; i++)
        if ((o->subreg + i * o->vstride * size) % GEN_GRF_BYTES + row > GEN_GRF_BYTES)
            return "a row of a source region crosses the boundary of a register: only the vertical "
                   "stride may do so";
    return in_two_registers(o->subreg, (rows - 1) * o->vstride * size + row)
               ? NULL
               : "a source region spans more than two registers";
}

/* The type that an instruction computes in: bytes count as words. 0: floats of 16 bits are among
 * the operands, whose mixed mode has rules of its own. */
static unsigned execution_size(const struct gen_insn *insn)
{
    unsigned most = 2;
    for (unsigned i = 0; i < insn->sources; i++) {
        if (insn->src[i].type == GEN_HF)
            return 0;
        if (gen_type_size(insn->src[i].type) > most)
            most = gen_type_size(insn->src[i].type);
    }
    return insn->dst.type == GEN_HF ? 0 : most;
}

static const char *destination_mistake(const struct gen_insn *insn)
{
    const struct gen_operand *o = &insn->dst;
    const unsigned size = gen_type_size(o->type), n = insn->exec_size;
    if (o->file != GEN_GRF)
        return NULL;
    if (!o->hstride)
        return "its destination has a horizontal stride of 0";
    if (!o->indirect && !in_two_registers(o->subreg, ((n - 1u) * o->hstride + 1) * size))
        return "its destination spans more than two registers";
    const unsigned wide = execution_size(insn);
    /* A move of bytes changes nothing, whatever their distance. */
    const bool raw = insn->row == &gen_rows[GEN_MOV] && gen_type_size(insn->src[0].type) == size;
    if (n > 1 && wide > size && !raw && o->hstride * size < wide)
        return "its destination is narrower than the type it computes in, and its horizontal "
               "stride does not make up for that";
    return NULL;
}

const char *gen_region_mistake(const struct gen_insn *insn)
{
    const bool regions = insn->row->format == GEN_FORMAT_ONE ||
                         insn->row->format == GEN_FORMAT_TWO ||
                         insn->row->format == GEN_FORMAT_MATH;
    if (!regions || insn->align16)
        return NULL;
    for (unsigned i = 0; i < insn->sources; i++) {
        const char *mistake = source_mistake(insn, &insn->src[i]);
        if (mistake)
            return mistake;
    }
    return destination_mistake(insn);
}
