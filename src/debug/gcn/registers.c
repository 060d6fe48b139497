/* Registers of a wave, as rows in its record. */
#include "debug/gcn/internal.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* The location of a register, from its `code`. */
enum gcn_kind { IN_SGPR, IN_SPECIAL, IN_VGPR, IN_HW, IN_TTMP, IN_AGPR, IN_ROW };
#define CODE(kind, n) ((uint32_t)(kind) << 16 | (n))

enum { SGPRS = 102, SGPRS_LOW = 64, TTMPS = 16 };
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
#define SPECIAL(name, type, bits, number, dwarf_, code, role_)                                     \
    WT_REGISTER(name, "special", WAVE, type, bits, number, code, .dwarf = (dwarf_),                \
                .role = WT_ROLE_##role_)

/* ra, sp and fp are the roles of the calling convention, as scalar registers. Debug information
 * that names s32 or s33 means the frame's value: these rows come before those of the SGPRs. */
static const struct wt_register named[] = {
    SPECIAL("pc", CODE_PTR, 64, 16, 16, CODE(IN_HW, KFD_HW_PC_LO), PC),
    SPECIAL("exec", UINT, 64, 17, 17, CODE(IN_HW, KFD_HW_EXEC_LO), EXEC_MASK),
    SPECIAL("vcc", UINT, 64, 768, 768, CODE(IN_SPECIAL, SPECIAL_VCC), NONE),
    SPECIAL("status", UINT, 32, 128, 128, CODE(IN_HW, KFD_HW_STATUS), NONE),
    SPECIAL("mode", UINT, 32, 0x1000, -1, CODE(IN_HW, KFD_HW_MODE), NONE),
    SPECIAL("trapsts", UINT, 32, 0x1001, -1, CODE(IN_HW, KFD_HW_TRAPSTS), NONE),
    SPECIAL("m0", UINT, 32, 0x1002, -1, CODE(IN_HW, KFD_HW_M0), NONE),
    SPECIAL("flat_scratch", DATA_PTR, 64, 0x1003, -1, CODE(IN_SPECIAL, SPECIAL_FLAT_SCRATCH), NONE),
    SPECIAL("xnack_mask", UINT, 64, 0x1004, -1, CODE(IN_SPECIAL, SPECIAL_XNACK_MASK), NONE),
    SPECIAL("ra", CODE_PTR, 64, 0x1005, -1, CODE(IN_SGPR, 30), RA),
    SPECIAL("sp", UINT, 32, 0x1006, 64, CODE(IN_SGPR, 32), SP),
    SPECIAL("fp", UINT, 32, 0x1007, 65, CODE(IN_SGPR, 33), FP),
};
enum { NAMED = sizeof named / sizeof *named };

/* Those of gfx10: FLAT_SCRATCH is a hardware register, there is no XNACK_MASK, and waves of 32
 * lanes have numbers of their own for EXEC and VCC, of which they use the lower halves. */
static const struct wt_register named_gfx10[] = {
    SPECIAL("pc", CODE_PTR, 64, 16, 16, CODE(IN_HW, KFD_HW_PC_LO), PC),
    WT_REGISTER("exec", "special", WAVE, UINT, 64, 17, CODE(IN_HW, KFD_HW_EXEC_LO), .dwarf = 17,
                .dwarf_narrow = 1, .role = WT_ROLE_EXEC_MASK),
    WT_REGISTER("vcc", "special", WAVE, UINT, 64, 768, CODE(IN_SGPR, KFD_GFX10_VCC), .dwarf = 768,
                .dwarf_narrow = 512),
    SPECIAL("status", UINT, 32, 128, 128, CODE(IN_HW, KFD_HW_STATUS), NONE),
    SPECIAL("mode", UINT, 32, 0x1000, -1, CODE(IN_HW, KFD_HW_GFX10_MODE), NONE),
    SPECIAL("trapsts", UINT, 32, 0x1001, -1, CODE(IN_HW, KFD_HW_TRAPSTS), NONE),
    SPECIAL("m0", UINT, 32, 0x1002, -1, CODE(IN_HW, KFD_HW_M0), NONE),
    SPECIAL("flat_scratch", DATA_PTR, 64, 0x1003, -1, CODE(IN_HW, KFD_HW_GFX10_FLAT_LO), NONE),
    SPECIAL("vcc_lo", UINT, 32, 0x1020, -1, CODE(IN_SGPR, KFD_GFX10_VCC), NONE),
    SPECIAL("vcc_hi", UINT, 32, 0x1021, -1, CODE(IN_SGPR, KFD_GFX10_VCC + 1), NONE),
    SPECIAL("ra", CODE_PTR, 64, 0x1005, -1, CODE(IN_SGPR, 30), RA),
    SPECIAL("sp", UINT, 32, 0x1006, 64, CODE(IN_SGPR, 32), SP),
    SPECIAL("fp", UINT, 32, 0x1007, 65, CODE(IN_SGPR, 33), FP),
};

/* The lanes whose bytes sp and fp count: 1 where the hardware adds the lane's place (gfx942). */
static const struct wt_register frame_lanes =
    WT_REGISTER("frame_lanes", "special", WAVE, UINT, 32, 0x1008, CODE(IN_ROW, 0), .dwarf = -1,
                .read_only = true);

/* GCC, config/gcn/gcn.h, CALL_USED_REGISTERS. */
static enum wt_gcc_use gcc_use_of_sgpr(unsigned i)
{
    if (i == 16 || i == 17)
        return i == 16 ? WT_GCC_SP_LOW : WT_GCC_SP_HIGH;
    return i < 14 || (i >= 18 && i < 32) ? WT_GCC_CLOBBERED : WT_GCC_PRESERVED;
}

#define NUMBERED(set, scope, number, dwarf_, code)                                                 \
    WT_REGISTER(NULL, set, scope, UINT, 32, number, code, .dwarf = (dwarf_))

static const struct wt_register_range ranges[] = {
    {"s", 0, 64, 1, NUMBERED("sgpr", WAVE, 32, 32, CODE(IN_SGPR, 0))},
    {"s", 64, SGPRS - 64, 1, NUMBERED("sgpr", WAVE, 1088, 1088, CODE(IN_SGPR, 64))},
    {"v", 0, MOST_VGPRS, 1,
     WT_REGISTER(NULL, "vgpr", LANE, UINT, 32, 2560, CODE(IN_VGPR, 0), .dwarf = 2560,
                 .dwarf_narrow = 1536)},
    {"ttmp", 0, TTMPS, 1, NUMBERED("ttmp", WAVE, 0x1010, -1, CODE(IN_TTMP, 0))},
    {"a", 0, MOST_VGPRS, 1, NUMBERED("agpr", LANE, 3072, 3072, CODE(IN_AGPR, 0))},
    {0},
};
enum {
    RANGES = sizeof ranges / sizeof *ranges,
    HIGH_SGPRS = 1,
    AGPRS = RANGES - 2,
    FIRST_PRESERVED_AGPR = 32
};

/* The registers with names; how many they are. */
static unsigned take_named(const struct wt_probe *p, struct wt_register *to)
{
    const unsigned count = p->is_gfx10 ? sizeof named_gfx10 / sizeof *named_gfx10 : NAMED;
    memcpy(to, p->is_gfx10 ? named_gfx10 : named, count * sizeof *to);
    if (!gcnp_varies(p))
        return count;
    to[count] = frame_lanes;
    return count + 1;
}

enum wt_status gcnp_describe_registers(struct wt_probe *p, struct wt_error *err)
{
    struct wt_register_range own[RANGES];
    struct wt_register first[NAMED + 2];
    const unsigned count = take_named(p, first), sgprs = p->is_gfx10 ? KFD_GFX10_VCC : SGPRS;
    memcpy(own, ranges, sizeof own);
    own[HIGH_SGPRS].count = sgprs - SGPRS_LOW;
    if (!p->accumulates)
        own[AGPRS].prefix = NULL;
    const enum wt_status status = wt_standstill_describe_registers(p, first, count, own, err);
    if (status)
        return status;
    if (gcnp_varies(p))
        p->common.topology.frame_scale_index = count - 1;
    struct wt_register *s = p->common.registers + count, *v = s + sgprs,
                       *a = v + MOST_VGPRS + TTMPS;
    /* In one file with VGPRs, functions preserve those from a32 on; else none. */
    const bool preserve = p->unified && p->unified == p->accumulates;
    for (unsigned i = 0; p->accumulates && i < MOST_VGPRS; i++)
        a[i].clobbered = !preserve || i < FIRST_PRESERVED_AGPR;
    for (unsigned i = 0; i < sgprs; i++)
        s[i].by_gcc = gcc_use_of_sgpr(i);
    for (unsigned i = 0; i < MOST_VGPRS; i++) {
        v[i].clobbered = !is_preserved(i);
        v[i].by_gcc = i < 16 ? WT_GCC_CLOBBERED : WT_GCC_PRESERVED;
        v[i].role = i < VGPR_ARGUMENTS ? WT_ROLE_ARGUMENT : WT_ROLE_NONE;
        v[i].argument = i < VGPR_ARGUMENTS ? i + 1 : 0;
    }
    return WT_OK;
}

/* The address at which a register's value is kept in memory; false if the wave does not have the
 * register. */
static bool place_of(const struct gcnp_row *row, const struct wt_register *r, uint64_t *addr)
{
    const uint32_t n = r->code & 0xffff, dwords = r->bits / 32;
    switch ((enum gcn_kind)(r->code >> 16)) {
    case IN_SGPR:
        *addr = gcnp_row_sgprs(row) + 4 * n;
        return n + dwords <= gcnp_row_numbered(row) + (row->is_gfx10 ? 2 : 0);
    case IN_SPECIAL:
        *addr = gcnp_row_sgprs(row) + 4 * (gcnp_row_numbered(row) + n);
        return true;
    case IN_VGPR:
        *addr = row->record + (uint64_t)n * gcnp_row_vgpr(row);
        return n < row->vgprs;
    case IN_AGPR:
        *addr = row->record + (uint64_t)(row->vgprs + n) * gcnp_row_vgpr(row);
        return n < row->agprs;
    case IN_HW:
        *addr = gcnp_row_hw(row) + 4 * n;
        return true;
    case IN_TTMP:
        *addr = gcnp_row_hw(row) + 4 * (KFD_HW_COUNT + n);
        return true;
    case IN_ROW: /* it is no register of the hardware */
        break;
    }
    return false;
}

static enum wt_status locate(struct wt_probe *p, const struct gcnp_row *row, unsigned index,
                             uint64_t *addr, struct wt_error *err)
{
    if (place_of(row, &p->common.registers[index], addr))
        return WT_OK;
    return wt_fail(err, WT_UNSUPPORTED,
                   "the wave has no register %s: it has %u SGPRs, %u VGPRs and %u accumulation "
                   "registers",
                   p->common.registers[index].name, (unsigned)gcnp_row_numbered(row),
                   (unsigned)row->vgprs, (unsigned)row->agprs);
}

/* A row's copy of the hardware registers and TTMPs in its record. */
static uint8_t *at_registers(struct gcnp_row *row, uint64_t offset)
{
    assert(offset < KFD_RECORD_REGISTERS);
    return (uint8_t *)row + offsetof(struct gcnp_row, hw) + offset;
}

/* Reads registers, KFD_RECORD_VGPR bytes apart. The row has those of the hardware already. */
static enum wt_status read_places(struct wt_probe *p, struct gcnp_row *row, const unsigned *index,
                                  size_t count, uint8_t *bytes, struct wt_error *err)
{
    const uint64_t hw = gcnp_row_hw(row);
    size_t pieces = 0;
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++, bytes += KFD_RECORD_VGPR) {
        const struct wt_register *r = &p->common.registers[index[i]];
        const uint32_t size = r->scope == WT_SCOPE_LANE ? gcnp_row_vgpr(row) : r->bits / 8;
        uint64_t addr = 0;
        if (r->code == CODE(IN_ROW, 0)) {
            wt_store_le(bytes, row->frame_lanes, size);
            continue;
        }
        if ((status = locate(p, row, index[i], &addr, err)) != WT_OK)
            return status;
        if (addr >= hw)
            memcpy(bytes, at_registers(row, addr - hw), size);
        else
            status = gcnp_add_piece(
                p, &pieces, (struct wt_link_piece){.addr = addr, .bytes = bytes, .size = size},
                err);
    }
    return status ? status : gcnp_transfer(p, pieces, false, err);
}

enum wt_status gcnp_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                              const unsigned *index, size_t count, uint8_t *out,
                              struct wt_error *err)
{
    uint8_t *bytes = malloc((count + 1) * KFD_RECORD_VGPR);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for registers");
    const enum wt_status status = read_places(p, gcnp_row(p, wave), index, count, bytes, err);
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = &p->common.registers[index[i]];
        const uint8_t *at = bytes + i * KFD_RECORD_VGPR;
        if (r->scope == WT_SCOPE_LANE) {
            out = wt_lanes_gather(lanes & wt_lanes_first(gcnp_row(p, wave)->lanes), at, 4, out);
        } else {
            memcpy(out, at, r->bits / 8);
            out += r->bits / 8;
        }
    }
    free(bytes);
    return status;
}

enum wt_status gcnp_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                              const uint8_t *bytes, struct wt_error *err)
{
    const struct wt_register *r = &p->common.registers[index];
    struct gcnp_row *row = gcnp_row(p, wave);
    uint64_t addr = 0;
    enum wt_status status;
    if ((status = locate(p, row, index, &addr, err)) != WT_OK)
        return status;
    if (r->scope != WT_SCOPE_LANE) {
        const uint64_t hw = gcnp_row_hw(row);
        if ((status = gcnp_write_link(p, addr, bytes, r->bits / 8, err)) != WT_OK)
            return status;
        if (addr >= hw)
            memcpy(at_registers(row, addr - hw), bytes, r->bits / 8);
        return WT_OK;
    }
    for (unsigned lane = 0; lane < row->lanes; lane++) {
        if (!wt_has_lane(lanes, lane))
            continue;
        if ((status = gcnp_write_link(p, addr + 4 * lane, bytes, 4, err)) != WT_OK)
            return status;
        bytes += 4;
    }
    return WT_OK;
}
