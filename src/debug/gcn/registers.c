/* Registers of a wave, as rows in its record. */
#include "debug/gcn/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The location of a register, from its `code`. */
enum kind { IN_SGPR, IN_SPECIAL, IN_VGPR, IN_HW, IN_TTMP };
#define CODE(kind, n) ((uint32_t)(kind) << 16 | (n))

enum { SGPRS = 102, TTMPS = 16, NAMED = 12 };
/* VGPRs 0 to 31 hold a function's arguments and its result. */
enum { VGPR_ARGUMENTS = 32 };
enum { SPECIAL_FLAT_SCRATCH = 0, SPECIAL_XNACK_MASK = 2, SPECIAL_VCC = 4 };

/* LLVM, "User Guide for AMDGPU Backend", Non-Kernel Functions: which VGPRs a function preserves. */
static bool is_preserved(unsigned vgpr)
{
    return vgpr >= 40 && (vgpr - 40) % 16 < 8;
}

/* Registers have DWARF's number if it defines one (LLVM, "User Guide for AMDGPU Backend": register
 * identifier); others are numbered from 0x1000 on. */
static const struct wt_register named[NAMED] = {
    {.name = "pc",
     .type = WT_REG_CODE_PTR,
     .role = WT_ROLE_PC,
     .bits = 64,
     .number = 16,
     .dwarf = 16,
     .code = CODE(IN_HW, KFD_HW_PC_LO)},
    {.name = "exec",
     .type = WT_REG_UINT,
     .role = WT_ROLE_EXEC_MASK,
     .bits = 64,
     .number = 17,
     .dwarf = 17,
     .code = CODE(IN_HW, KFD_HW_EXEC_LO)},
    {.name = "vcc",
     .type = WT_REG_UINT,
     .bits = 64,
     .number = 768,
     .dwarf = 768,
     .code = CODE(IN_SPECIAL, SPECIAL_VCC)},
    {.name = "status",
     .type = WT_REG_UINT,
     .bits = 32,
     .number = 128,
     .dwarf = 128,
     .code = CODE(IN_HW, KFD_HW_STATUS)},
    {.name = "mode",
     .type = WT_REG_UINT,
     .bits = 32,
     .number = 0x1000,
     .dwarf = -1,
     .code = CODE(IN_HW, KFD_HW_MODE)},
    {.name = "trapsts",
     .type = WT_REG_UINT,
     .bits = 32,
     .number = 0x1001,
     .dwarf = -1,
     .code = CODE(IN_HW, KFD_HW_TRAPSTS)},
    {.name = "m0",
     .type = WT_REG_UINT,
     .bits = 32,
     .number = 0x1002,
     .dwarf = -1,
     .code = CODE(IN_HW, KFD_HW_M0)},
    {.name = "flat_scratch",
     .type = WT_REG_DATA_PTR,
     .bits = 64,
     .number = 0x1003,
     .dwarf = -1,
     .code = CODE(IN_SPECIAL, SPECIAL_FLAT_SCRATCH)},
    {.name = "xnack_mask",
     .type = WT_REG_UINT,
     .bits = 64,
     .number = 0x1004,
     .dwarf = -1,
     .code = CODE(IN_SPECIAL, SPECIAL_XNACK_MASK)},
    /* The roles of the calling convention, as scalar registers. Debug information that names s32 or
     * s33 means the frame's value: these rows come before those of the SGPRs. */
    {.name = "ra",
     .type = WT_REG_CODE_PTR,
     .role = WT_ROLE_RA,
     .bits = 64,
     .number = 0x1005,
     .dwarf = -1,
     .code = CODE(IN_SGPR, 30)},
    {.name = "sp",
     .type = WT_REG_UINT,
     .role = WT_ROLE_SP,
     .bits = 32,
     .number = 0x1006,
     .dwarf = 64,
     .code = CODE(IN_SGPR, 32)},
    {.name = "fp",
     .type = WT_REG_UINT,
     .role = WT_ROLE_FP,
     .bits = 32,
     .number = 0x1007,
     .dwarf = 65,
     .code = CODE(IN_SGPR, 33)},
};

static void add(struct wt_probe *p, size_t *n, const char *prefix, unsigned i, const char *set,
                enum wt_scope scope, unsigned number, int dwarf, uint32_t code)
{
    snprintf(p->names[*n], sizeof *p->names, "%s%u", prefix, i);
    p->registers[*n] = (struct wt_register){.name = p->names[*n],
                                            .set = set,
                                            .type = WT_REG_UINT,
                                            .scope = scope,
                                            .bits = 32,
                                            .number = number,
                                            .dwarf = dwarf,
                                            .code = code};
    ++*n;
}

/* GCC, config/gcn/gcn.h, CALL_USED_REGISTERS. */
static enum wt_gcc_use gcc_use_of_sgpr(unsigned i)
{
    if (i == 16 || i == 17)
        return i == 16 ? WT_GCC_SP_LOW : WT_GCC_SP_HIGH;
    return i < 14 || (i >= 18 && i < 32) ? WT_GCC_CLOBBERED : WT_GCC_PRESERVED;
}

bool gcnp_describe_registers(struct wt_probe *p)
{
    const size_t count = NAMED + SGPRS + MOST_VGPRS + TTMPS;
    size_t n = NAMED;
    p->registers = calloc(count, sizeof *p->registers);
    p->names = calloc(count, sizeof *p->names);
    if (!p->registers || !p->names)
        return false;
    for (unsigned i = 0; i < NAMED; i++) {
        p->registers[i] = named[i];
        p->registers[i].set = "special";
        p->registers[i].scope = WT_SCOPE_WAVE;
    }
    for (unsigned i = 0; i < SGPRS; i++) {
        const unsigned number = i < 64 ? 32 + i : 1088 + i - 64;
        add(p, &n, "s", i, "sgpr", WT_SCOPE_WAVE, number, (int)number, CODE(IN_SGPR, i));
        p->registers[n - 1].by_gcc = gcc_use_of_sgpr(i);
    }
    for (unsigned i = 0; i < MOST_VGPRS; i++) {
        struct wt_register *r = &p->registers[n];
        add(p, &n, "v", i, "vgpr", WT_SCOPE_LANE, 2560 + i, 2560 + (int)i, CODE(IN_VGPR, i));
        r->clobbered = !is_preserved(i);
        r->by_gcc = i < 16 ? WT_GCC_CLOBBERED : WT_GCC_PRESERVED;
        if (i < VGPR_ARGUMENTS) {
            r->role = WT_ROLE_ARGUMENT;
            r->argument = i + 1;
        }
    }
    for (unsigned i = 0; i < TTMPS; i++)
        add(p, &n, "ttmp", i, "ttmp", WT_SCOPE_WAVE, 0x1010 + i, -1, CODE(IN_TTMP, i));
    assert(n == count);
    p->common.topology.registers = p->registers;
    p->common.topology.register_count = count;
    p->common.topology.pc_index = 0;
    return true;
}

/* The address at which a register's value is kept in memory; false if the wave does not have the
 * register. */
static bool place_of(const struct gcnp_row *row, const struct wt_register *r, uint64_t *addr)
{
    const uint32_t n = r->code & 0xffff, dwords = r->bits / 32;
    switch ((enum kind)(r->code >> 16)) {
    case IN_SGPR:
        *addr = gcnp_row_sgprs(row) + 4 * n;
        return n + dwords <= row->sgprs - KFD_RECORD_SPECIAL;
    case IN_SPECIAL:
        *addr = gcnp_row_sgprs(row) + 4 * (row->sgprs - KFD_RECORD_SPECIAL + n);
        return true;
    case IN_VGPR:
        *addr = row->record + (uint64_t)n * KFD_RECORD_VGPR;
        return n < row->vgprs;
    case IN_HW:
        *addr = gcnp_row_hw(row) + 4 * n;
        return true;
    case IN_TTMP:
        *addr = gcnp_row_hw(row) + 4 * (KFD_HW_COUNT + n);
        return true;
    }
    return false;
}

static enum wt_status locate(struct wt_probe *p, const struct gcnp_row *row, unsigned index,
                             uint64_t *addr, struct wt_error *err)
{
    if (place_of(row, &p->registers[index], addr))
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED, "the wave has no register %s: it has %u SGPRs and %u VGPRs",
                   p->registers[index].name, (unsigned)(row->sgprs - KFD_RECORD_SPECIAL),
                   (unsigned)row->vgprs);
}

enum wt_status gcnp_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                              const unsigned *index, size_t count, uint8_t *out,
                              struct wt_error *err)
{
    const struct gcnp_row *row = gcnp_row(p, wave);
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = &p->registers[index[i]];
        uint8_t bytes[KFD_RECORD_VGPR];
        uint64_t addr;
        enum wt_status status;
        if ((status = locate(p, row, index[i], &addr, err)) != WT_OK)
            return status;
        const size_t size = r->scope == WT_SCOPE_LANE ? sizeof bytes : r->bits / 8;
        if ((status = gcnp_read_link(p, addr, bytes, size, err)) != WT_OK)
            return status;
        if (r->scope != WT_SCOPE_LANE) {
            memcpy(out, bytes, size);
            out += size;
            continue;
        }
        out = wt_lanes_gather(lanes & wt_lanes_first(GCN_LANES), bytes, 4, out);
    }
    return WT_OK;
}

enum wt_status gcnp_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                              const uint8_t *bytes, struct wt_error *err)
{
    const struct wt_register *r = &p->registers[index];
    struct gcnp_row *row = gcnp_row(p, wave);
    uint64_t addr;
    enum wt_status status;
    if ((status = locate(p, row, index, &addr, err)) != WT_OK)
        return status;
    if (r->scope != WT_SCOPE_LANE) {
        const uint64_t hw = gcnp_row_hw(row);
        if ((status = gcnp_write_link(p, addr, bytes, r->bits / 8, err)) != WT_OK)
            return status;
        if (addr >= hw && addr < hw + sizeof row->hw)
            memcpy((uint8_t *)row->hw + (addr - hw), bytes, r->bits / 8);
        else if (addr >= hw)
            memcpy((uint8_t *)row->ttmp + (addr - hw - sizeof row->hw), bytes, r->bits / 8);
        return WT_OK;
    }
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        if (!wt_has_lane(lanes, lane))
            continue;
        if ((status = gcnp_write_link(p, addr + 4 * lane, bytes, 4, err)) != WT_OK)
            return status;
        bytes += 4;
    }
    return WT_OK;
}
