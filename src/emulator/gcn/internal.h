/* Inside of the GCN emulator: its structures, and what its files offer each other. */
#ifndef WT_GCN_INTERNAL_H
#define WT_GCN_INTERNAL_H

#include "emulator/gcn/isa.h"

/* The functions that execute instructions, as isa.def names them. */
#define I(id, name, encoding, opcode, forms, operands, executor) DECLARE_##encoding(executor)
#define DECLARE_OP(executor)                                                                       \
    const struct gcn_uop *gcn_op_##executor(struct gcn_wave *w, const struct gcn_uop *u);
#define DECLARE_KERNEL(executor) void gcn_k_##executor(struct gcn_valu *v);
#define DECLARE_SOP2 DECLARE_OP
#define DECLARE_SOPK DECLARE_OP
#define DECLARE_SOP1 DECLARE_OP
#define DECLARE_SOPC DECLARE_OP
#define DECLARE_SOPP DECLARE_OP
#define DECLARE_SMEM DECLARE_OP
#define DECLARE_DS DECLARE_OP
#define DECLARE_FLAT DECLARE_OP
#define DECLARE_GLOBAL DECLARE_OP
#define DECLARE_SCRATCH DECLARE_OP
#define DECLARE_MUBUF DECLARE_OP
#define DECLARE_MTBUF DECLARE_OP
#define DECLARE_VOP1 DECLARE_KERNEL
#define DECLARE_VOP2 DECLARE_KERNEL
#define DECLARE_VOPC DECLARE_KERNEL
#define DECLARE_VOP3 DECLARE_KERNEL
#define DECLARE_VOP3P DECLARE_KERNEL
#include "emulator/gcn/isa.def"
#undef I

#endif
