/*
 * The registers of a Vortex thread. Numbers are those of GDB's RISC-V target (x0-x31 = 0-31,
 * pc = 32, f0-f31 = 33-64, CSR n = 65 + n), names those of its riscv.cpu and riscv.fpu features.
 */
#include "debug/vortex/dm.h"

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

enum { NARROW = 1, RV32_ONLY = 2, LANE = 4 };

static const struct {
    uint16_t csr;
    uint8_t flags; /* NARROW: 32 bits even on RV64 */
    const char *set, *name;
} csr_table[] = {
    {0x001, NARROW, "fpu", "fflags"},
    {0x002, NARROW, "fpu", "frm"},
    {0x003, NARROW, "fpu", "fcsr"},
    {0x180, 0, "csr", "satp"},
    {0x300, 0, "csr", "mstatus"},
    {0x301, 0, "csr", "misa"},
    {0x302, 0, "csr", "medeleg"},
    {0x303, 0, "csr", "mideleg"},
    {0x304, 0, "csr", "mie"},
    {0x305, 0, "csr", "mtvec"},
    {0x340, 0, "csr", "mscratch"},
    {0x341, 0, "csr", "mepc"},
    {0x342, 0, "csr", "mcause"},
    {0x3a0, 0, "csr", "pmpcfg0"},
    {0x3b0, 0, "csr", "pmpaddr0"},
    {0x744, 0, "csr", "mnstatus"},
    {0xb00, 0, "csr", "mcycle"},
    {0xb02, 0, "csr", "minstret"},
    {0xb80, RV32_ONLY, "csr", "mcycleh"},
    {0xb82, RV32_ONLY, "csr", "minstreth"},
    {0xf11, 0, "csr", "mvendorid"},
    {0xf12, 0, "csr", "marchid"},
    {0xf13, 0, "csr", "mimpid"},
    {0xf14, LANE, "csr", "mhartid"},
    {0xcc0, LANE, "vortex", "vx_thread_id"},
    {0xcc1, 0, "vortex", "vx_warp_id"},
    {0xcc2, 0, "vortex", "vx_core_id"},
    {0xcc3, 0, "vortex", "vx_active_warps"},
    {0xcc4, 0, "vortex", "vx_active_threads"},
    {0xfc0, 0, "vortex", "vx_num_threads"},
    {0xfc1, 0, "vortex", "vx_num_warps"},
    {0xfc2, 0, "vortex", "vx_num_cores"},
    {0xfc3, 0, "vortex", "vx_local_mem_base"},
};

enum { CSRS = sizeof csr_table / sizeof csr_table[0] };

static enum wt_register_type gpr_type(unsigned reg)
{
    if (reg == 1)
        return WT_REG_CODE_PTR;
    return reg == 2 || reg == 3 || reg == 4 || reg == 8 ? WT_REG_DATA_PTR : WT_REG_INT;
}

enum wt_status vortex_make_registers(struct wt_probe *p, struct wt_error *err)
{
    struct wt_register *table = calloc(32 + 1 + 32 + CSRS, sizeof *table), *r = table;
    if (!table)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the register table");
    for (unsigned i = 0; i < 32; i++)
        *r++ = (struct wt_register){gpr_name[i], "cpu",        gpr_type(i), p->xlen,
                                    i,           CODE_GPR | i, true,        false};
    p->topology.pc_index = (size_t)(r - table);
    *r++ = (struct wt_register){"pc", "cpu", WT_REG_CODE_PTR, p->xlen, 32, CODE_PC, false, false};
    for (unsigned i = 0; p->has_f && i < 32; i++)
        *r++ = (struct wt_register){fpr_name[i],
                                    "fpu",
                                    p->has_d ? WT_REG_FLOAT_UNION : WT_REG_FLOAT,
                                    p->has_d ? 64 : 32,
                                    33 + i,
                                    CODE_FPR | i,
                                    true,
                                    false};
    for (size_t i = 0; i < CSRS; i++) {
        if ((csr_table[i].flags & RV32_ONLY && p->xlen != 32) ||
            (csr_table[i].csr <= 3 && !p->has_f))
            continue;
        *r++ = (struct wt_register){
            csr_table[i].name,
            csr_table[i].set,
            WT_REG_INT,
            csr_table[i].flags & NARROW ? 32 : p->xlen,
            65u + csr_table[i].csr,
            CODE_CSR | csr_table[i].csr,
            (csr_table[i].flags & LANE) != 0,
            /* Bits 11:10 of a CSR's number say so; but TMC sets the mask. */
            csr_table[i].csr >> 10 == 3 && csr_table[i].csr != CSR_ACTIVE_THREADS,
        };
    }
    p->topology.mask_register = "vx_active_threads";
    p->registers = table;
    p->topology.registers = table;
    p->topology.register_count = (size_t)(r - table);
    return WT_OK;
}
