/*
 * The registers of a Vortex thread. Numbers are those of GDB's RISC-V target (x0-x31 = 0-31,
 * pc = 32, f0-f31 = 33-64, CSR n = 65 + n), names those of its riscv.cpu and riscv.fpu features.
 */
#include "debug/vortex/dm.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const gpr_name[32] = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "fp", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static const char *const fpr_name[32] = {
    "ft0", "ft1", "ft2", "ft3", "ft4",  "ft5",  "ft6", "ft7", "fs0",  "fs1",  "fa0",
    "fa1", "fa2", "fa3", "fa4", "fa5",  "fa6",  "fa7", "fs2", "fs3",  "fs4",  "fs5",
    "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
};

/* Their other names: x0 to x31 but for fp, which is better known as s0 than as x8. */
static const char *const gpr_number[32] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "s0",  "x9",  "x10",
    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
    "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "x31",
};

/* GDB's other names of the floating-point registers. */
static const char *const fpr_number[32] = {
    "f0",  "f1",  "f2",  "f3",  "f4",  "f5",  "f6",  "f7",  "f8",  "f9",  "f10",
    "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21",
    "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31",
};

enum { NARROW = 1, RV32_ONLY = 2, LANE = 4, CORE = 8, DEVICE = 16, STEADY = 32, LATER = 64 };

static const struct {
    uint16_t csr;
    uint8_t flags; /* NARROW: 32 bits even on RV64; LATER: of Vortex 3.0 */
    const char *set, *name;
} csr_table[] = {
    {0x001, NARROW, "fpu", "fflags"},
    {0x002, NARROW, "fpu", "frm"},
    {0x003, NARROW, "fpu", "fcsr"},
    {0x180, 0, "csr", "satp"},
    {0x300, 0, "csr", "mstatus"},
    {0x301, DEVICE, "csr", "misa"},
    {0x302, 0, "csr", "medeleg"},
    {0x303, 0, "csr", "mideleg"},
    {0x304, 0, "csr", "mie"},
    {0x305, 0, "csr", "mtvec"},
    {0x340, 0, "csr", "mscratch"},
    {0x341, 0, "csr", "mepc"},
    {0x342, 0, "csr", "mcause"},
    {0x343, LATER, "csr", "mtval"},
    {0x3a0, 0, "csr", "pmpcfg0"},
    {0x3b0, 0, "csr", "pmpaddr0"},
    {0x744, 0, "csr", "mnstatus"},
    {CSR_DSCRATCH0, NARROW | LANE, "csr", "dscratch0"},
    {0xb00, CORE, "csr", "mcycle"},
    {0xb02, CORE, "csr", "minstret"},
    {0xb80, RV32_ONLY | CORE, "csr", "mcycleh"},
    {0xb82, RV32_ONLY | CORE, "csr", "minstreth"},
    {0xf11, DEVICE | STEADY, "csr", "mvendorid"},
    {0xf12, DEVICE | STEADY, "csr", "marchid"},
    {0xf13, DEVICE | STEADY, "csr", "mimpid"},
    {0xf14, LANE, "csr", "mhartid"},
    {0xcc0, LANE, "vortex", "vx_thread_id"},
    {0xcc1, STEADY, "vortex", "vx_warp_id"},
    {0xcc2, CORE | STEADY, "vortex", "vx_core_id"},
    {0xcc3, CORE, "vortex", "vx_active_warps"},
    {0xcc4, 0, "vortex", "vx_active_threads"},
    {0xcd0, LATER, "vortex", "vx_cta_id"},
    {0xcd1, LATER, "vortex", "vx_cta_rank"},
    {0xcd2, LATER, "vortex", "vx_cta_size"},
    {0xcd3, LATER | LANE, "vortex", "vx_cta_thread_id_x"},
    {0xcd4, LATER | LANE, "vortex", "vx_cta_thread_id_y"},
    {0xcd5, LATER | LANE, "vortex", "vx_cta_thread_id_z"},
    {0xcd6, LATER, "vortex", "vx_cta_block_id_x"},
    {0xcd7, LATER, "vortex", "vx_cta_block_id_y"},
    {0xcd8, LATER, "vortex", "vx_cta_block_id_z"},
    {0xcd9, LATER, "vortex", "vx_cta_block_dim_x"},
    {0xcda, LATER, "vortex", "vx_cta_block_dim_y"},
    {0xcdb, LATER, "vortex", "vx_cta_block_dim_z"},
    {0xcdc, LATER, "vortex", "vx_cta_grid_dim_x"},
    {0xcdd, LATER, "vortex", "vx_cta_grid_dim_y"},
    {0xcde, LATER, "vortex", "vx_cta_grid_dim_z"},
    {0xcdf, LATER, "vortex", "vx_cta_lmem_addr"},
    {0xce0, LATER, "vortex", "vx_cta_cluster_size"},
    {0xce1, LATER, "vortex", "vx_cta_entry"},
    {0xfc0, DEVICE | STEADY, "vortex", "vx_num_threads"},
    {0xfc1, DEVICE | STEADY, "vortex", "vx_num_warps"},
    {0xfc2, DEVICE | STEADY, "vortex", "vx_num_cores"},
    {0xfc3, DEVICE | STEADY, "vortex", "vx_local_mem_base"},
    {0xfc4, DEVICE | STEADY | LATER, "vortex", "vx_num_barriers"},
};

enum { CSRS = sizeof csr_table / sizeof csr_table[0] };

static struct wt_register gpr(unsigned reg, unsigned bits)
{
    struct wt_register r = {.name = gpr_name[reg],
                            .alt_name = gpr_number[reg],
                            .set = "cpu",
                            .bits = bits,
                            .number = reg,
                            .dwarf = (int)reg,
                            .code = CODE_GPR | reg};
    switch (reg) {
    case 1:
        r.type = WT_REG_CODE_PTR;
        r.role = WT_ROLE_RA;
        break;
    case 2:
        r.type = WT_REG_DATA_PTR;
        r.role = WT_ROLE_SP;
        break;
    case 3:
    case 4:
        r.type = WT_REG_DATA_PTR;
        break;
    case 8:
        r.type = WT_REG_DATA_PTR;
        r.role = WT_ROLE_FP;
        break;
    default:
        if (reg >= 10 && reg <= 17) {
            r.role = WT_ROLE_ARGUMENT;
            r.argument = reg - 9;
        }
    }
    return r;
}

static enum wt_scope scope_of(unsigned flags)
{
    return flags & LANE     ? WT_SCOPE_LANE
           : flags & CORE   ? WT_SCOPE_CORE
           : flags & DEVICE ? WT_SCOPE_DEVICE
                            : WT_SCOPE_WAVE;
}

enum wt_status vortex_make_registers(struct wt_probe *p, struct wt_error *err)
{
    enum { MOST = 32 + 1 + 32 + CSRS, ALIAS = sizeof "csr4095" };
    struct wt_register *table = calloc(1, MOST * sizeof *table + CSRS * ALIAS), *r = table;
    char *alias = (char *)(table + MOST);
    if (!table)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the register table");
    for (unsigned i = 0; i < 32; i++)
        *r++ = gpr(i, p->xlen);
    p->topology.pc_index = (size_t)(r - table);
    *r++ = (struct wt_register){.name = "pc",
                                .set = "cpu",
                                .type = WT_REG_CODE_PTR,
                                .scope = WT_SCOPE_WAVE,
                                .role = WT_ROLE_PC,
                                .bits = p->topology.gpu_bits ? 64 : p->xlen,
                                .number = 32,
                                .dwarf = -1,
                                .code = CODE_PC};
    for (unsigned i = 0; p->has_f && i < 32; i++)
        *r++ = (struct wt_register){.name = fpr_name[i],
                                    .alt_name = fpr_number[i],
                                    .set = "fpu",
                                    .type = p->has_d ? WT_REG_FLOAT_UNION : WT_REG_FLOAT,
                                    .bits = p->has_d ? 64 : 32,
                                    .number = 33 + i,
                                    .dwarf = 32 + (int)i,
                                    .code = CODE_FPR | i};
    for (size_t i = 0; i < CSRS; i++) {
        const unsigned flags = csr_table[i].flags, csr = csr_table[i].csr;
        if ((flags & RV32_ONLY && p->xlen != 32) || (csr <= 3 && !p->has_f) ||
            (flags & LATER && !p->link->ctas))
            continue;
        snprintf(alias, ALIAS, "csr%u", csr & 0xfff); /* GDB's other name */
        *r++ = (struct wt_register){
            .name = csr_table[i].name,
            .alt_name = alias,
            .set = csr_table[i].set,
            .type = csr == CSR_ACTIVE_THREADS ? WT_REG_UINT : WT_REG_INT,
            .scope = scope_of(flags),
            .role = csr == CSR_ACTIVE_THREADS ? WT_ROLE_EXEC_MASK : WT_ROLE_NONE,
            .bits = flags & NARROW ? 32 : p->xlen,
            .number = 65 + csr,
            .dwarf = 4096 + (int)csr,
            .code = csr == CSR_DSCRATCH0 ? CODE_SCRATCH : CODE_CSR | csr,
            /* Bits 11:10 of a CSR's number say that it is read-only; but a write to TMC sets the
             * mask. */
            .read_only = csr >> 10 == 3 && csr != CSR_ACTIVE_THREADS,
            .unsteady = !(flags & (LANE | STEADY)) || csr == CSR_DSCRATCH0,
        };
        alias += ALIAS;
    }
    p->registers = table;
    p->topology.registers = table;
    p->topology.register_count = (size_t)(r - table);
    return WT_OK;
}
