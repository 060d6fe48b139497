/* Rows of the instruction table, found by encoding and opcode. */
#include "emulator/gcn/isa.h"

#include "emulator/gcn/internal.h"

#define OP(executor)                                                                               \
    {                                                                                              \
        .op = gcn_op_##executor                                                                    \
    }
#define VECTOR(executor)                                                                           \
    {                                                                                              \
        .function = gcn_vop_##executor                                                             \
    }
#define EXECUTOR_SOP2 OP
#define EXECUTOR_SOPK OP
#define EXECUTOR_SOP1 OP
#define EXECUTOR_SOPC OP
#define EXECUTOR_SOPP OP
#define EXECUTOR_SMEM OP
#define EXECUTOR_DS OP
#define EXECUTOR_FLAT OP
#define EXECUTOR_GLOBAL OP
#define EXECUTOR_SCRATCH OP
#define EXECUTOR_MUBUF OP
#define EXECUTOR_MTBUF OP
#define EXECUTOR_MIMG OP
#define EXECUTOR_VOP1 VECTOR
#define EXECUTOR_VOP2 VECTOR
#define EXECUTOR_VOPC VECTOR
#define EXECUTOR_VOP3 VECTOR
#define EXECUTOR_VOP3P VECTOR

const struct gcn_row gcn_rows[GCN_INSNS] = {
#define E64 GCN_E64
#define SDWA GCN_SDWA
#define DPP GCN_DPP
#define LIT GCN_LIT
#define ALL GCN_ALL
#define I(id, name, encoding, opcode, forms, operands, state, executor)                            \
    [GCN_I_##id] = {                                                                               \
        name, GCN_##encoding, forms, opcode, operands, state, EXECUTOR_##encoding(executor)},
#include "emulator/gcn/isa.def"
#undef I
};

const struct gcn_row *gcn_row_find(enum gcn_encoding encoding, unsigned opcode)
{
    size_t low = 0, high = GCN_INSNS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct gcn_row *row = &gcn_rows[middle];
        if (row->encoding == encoding && row->opcode == opcode)
            return row;
        if (row->encoding < encoding || (row->encoding == encoding && row->opcode < opcode))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool gcn_row_executes(const struct gcn_row *row)
{
    if (row->encoding >= GCN_VOP2 && row->encoding <= GCN_VOP3P)
        return row->function != gcn_vop_none;
    return row->op != gcn_op_none;
}

bool gcn_row_is_near(const struct gcn_row *row)
{
    static const char *const names[] = {"v_rcp_", "v_rsq_", "v_sqrt_", "v_exp_",
                                        "v_log_", "v_sin_", "v_cos_",  "image_sample"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(row->name, names[i], strlen(names[i])) == 0)
            return gcn_row_executes(row);
    return false;
}

bool gcn_keeps_other_half(const struct gcn_uop *u)
{
    const struct gcn_row *row = u->row;
    if (row->encoding == GCN_VOP3P)
        return true;
    return row->encoding == GCN_VOP3 && ((row->opcode >= 0x1f4 && row->opcode <= 0x1fc) ||
                                         (row->opcode >= 0x203 && row->opcode <= 0x207) ||
                                         row->opcode == 0x29e || row->opcode == 0x29f);
}

const char *gcn_encoding_name(enum gcn_encoding encoding)
{
    static const char *const names[GCN_ENCODINGS] = {
        "SOP2", "SOPK",  "SOP1", "SOPC", "SOPP",   "SMEM",    "VOP2",  "VOP1",  "VOPC",
        "VOP3", "VOP3P", "DS",   "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG",
    };
    return names[encoding];
}
