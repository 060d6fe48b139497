/*
 * Instructions of Vortex: RISC-V's of 2 and 4 bytes (The RISC-V Instruction Set Manual I, "Base
 * Instruction-Length Encoding" and chapter C), and those of Vortex itself in the opcode custom-0.
 */
#include "debug/vortex/dm.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"

enum wt_status vortex_window(struct wt_probe *p, uint64_t addr, struct wt_window *window,
                             struct wt_error *err)
{
    if (addr & 1)
        return wt_fail(err, WT_INVALID,
                       "no instruction can begin at 0x%" PRIx64 ": the address is odd", addr);
    if (p->link->gpu_count && !(addr & WT_VORTEX_GPU_BITS))
        return wt_fail(err, WT_INVALID,
                       "each of %u GPUs has code at 0x%" PRIx64 ": 0x%" PRIx64
                       " is that of device 0, and so on",
                       p->link->gpu_count, addr, addr | (uint64_t)1 << WT_VORTEX_GPU_SHIFT);
    window->addr = addr;
    window->size = 4;
    window->least = 2;
    return WT_OK;
}

/* The two low bits distinguish 2-byte instructions. */
static unsigned length_of(const uint8_t *bytes)
{
    return (bytes[0] & 3) == 3 ? 4 : 2;
}

void vortex_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                  struct wt_patch *patch)
{
    const unsigned length = length_of(window->bytes);
    vortex_remember_far(p, p->link->gpu_count ? addr & ~WT_VORTEX_GPU_BITS : addr);
    *patch = (struct wt_patch){.addr = addr, .size = length};
    wt_store_le(patch->bytes, length == 4 ? EBREAK : C_EBREAK, length);
    memset(patch->mask, 0xff, length);
}

/* ra and t0 are link registers (manual I, "Unconditional Jumps", return-address prediction). */
static bool links(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static enum wt_instruction_kind jump_kind(unsigned rd, unsigned rs1)
{
    return links(rd)               ? WT_INSTRUCTION_CALL
           : rd == 0 && links(rs1) ? WT_INSTRUCTION_RETURN
                                   : WT_INSTRUCTION_BRANCH;
}

static enum wt_instruction_kind kind_of(uint32_t word)
{
    const unsigned rd = wt_field(word, 11, 7), rs1 = wt_field(word, 19, 15);
    switch (word & 0x7f) {
    case 0x6f: /* jal */
        return jump_kind(rd, 0);
    case 0x67: /* jalr */
        return jump_kind(rd, rs1);
    case 0x63: /* beq … */
        return WT_INSTRUCTION_BRANCH;
    case 0x73:
        return word == EBREAK ? WT_INSTRUCTION_TRAP : WT_INSTRUCTION_PLAIN;
    case 0x0b:
        if (word >> 25 != 0)
            return WT_INSTRUCTION_PLAIN;
        switch (wt_field(word, 14, 12)) {
        case 0: /* vx_tmc: no lane is left of a warp that enables those of x0 */
            return rs1 == 0 ? WT_INSTRUCTION_END : WT_INSTRUCTION_PLAIN;
        case 4: /* vx_bar */
            return WT_INSTRUCTION_BARRIER;
        default:
            return WT_INSTRUCTION_PLAIN;
        }
    default:
        return WT_INSTRUCTION_PLAIN;
    }
}

static enum wt_instruction_kind compressed_kind(uint32_t half, unsigned xlen)
{
    const unsigned rs1 = wt_field(half, 11, 7), rs2 = wt_field(half, 6, 2);
    switch (half & 0xe003) {
    case 0x2001: /* c.jal; c.addiw on RV64 */
        return xlen == 32 ? WT_INSTRUCTION_CALL : WT_INSTRUCTION_PLAIN;
    case 0xa001: /* c.j */
    case 0xc001: /* c.beqz */
    case 0xe001: /* c.bnez */
        return WT_INSTRUCTION_BRANCH;
    case 0x8002: /* c.jr, c.mv; c.ebreak, c.jalr, c.add */
        if (half == C_EBREAK)
            return WT_INSTRUCTION_TRAP;
        if (rs2 || !rs1)
            return WT_INSTRUCTION_PLAIN;
        return jump_kind(half & 0x1000 ? 1 : 0, rs1);
    default:
        return WT_INSTRUCTION_PLAIN;
    }
}

/* The register that a 4-byte instruction writes, as in wt_register.code; 0: none. */
static uint32_t written_by(uint32_t word)
{
    const unsigned rd = wt_field(word, 11, 7), function = wt_field(word, 31, 27);
    switch (word & 0x7f) {
    case 0x07: /* loads of floating point */
    case 0x43: /* fmadd, fmsub, fnmsub, fnmadd */
    case 0x47:
    case 0x4b:
    case 0x4f:
        return CODE_FPR | rd;
    case 0x53: /* comparisons, conversions to integers, fclass and fmv.x write an integer */
        return (function == 0x14 || function == 0x18 || function == 0x1c ? CODE_GPR : CODE_FPR) |
               rd;
    case 0x0f: /* fence */
    case 0x23: /* stores */
    case 0x27:
    case 0x63: /* branches */
        return 0;
    default:
        return rd ? CODE_GPR | rd : 0;
    }
}

/* Likewise for a 2-byte instruction. */
static uint32_t written_by_compressed(uint32_t half, unsigned xlen)
{
    const unsigned rd = wt_field(half, 11, 7), rs2 = wt_field(half, 6, 2);
    const unsigned low = 8 + wt_field(half, 4, 2), middle = 8 + wt_field(half, 9, 7);
    switch (half & 0xe003) {
    case 0x0000: /* c.addi4spn */
    case 0x4000: /* c.lw */
        return CODE_GPR | low;
    case 0x2000: /* c.fld */
        return CODE_FPR | low;
    case 0x6000: /* c.flw; c.ld on RV64 */
        return (xlen == 32 ? CODE_FPR : CODE_GPR) | low;
    case 0x0001: /* c.addi */
    case 0x4001: /* c.li */
    case 0x6001: /* c.lui, c.addi16sp */
    case 0x0002: /* c.slli */
    case 0x4002: /* c.lwsp */
        return CODE_GPR | rd;
    case 0x2001: /* c.jal; c.addiw on RV64 */
        return CODE_GPR | (xlen == 32 ? 1 : rd);
    case 0x8001: /* c.srli … c.and */
        return CODE_GPR | middle;
    case 0x2002: /* c.fldsp */
        return CODE_FPR | rd;
    case 0x6002: /* c.flwsp; c.ldsp on RV64 */
        return (xlen == 32 ? CODE_FPR : CODE_GPR) | rd;
    case 0x8002: /* c.mv, c.add; c.jalr; c.jr writes nothing */
        return rs2 ? CODE_GPR | rd : half & 0x1000 ? CODE_GPR | 1 : 0;
    default: /* stores, branches, c.j */
        return 0;
    }
}

static int register_of_code(const struct wt_probe *p, uint32_t code)
{
    for (size_t i = 0; code && i < p->topology.register_count; i++)
        if (p->registers[i].code == code)
            return (int)i;
    return -1;
}

void vortex_decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                   struct wt_instruction *instruction)
{
    const uint32_t word = (uint32_t)wt_load_le(window->bytes, window->size < 4 ? 2 : 4);
    uint32_t code = 0;
    instruction->length = length_of(window->bytes);
    instruction->kind = WT_INSTRUCTION_PLAIN;
    instruction->in_place = false;
    if (instruction->length == 2) {
        instruction->kind = compressed_kind(word & 0xffff, p->xlen);
        code = written_by_compressed(word & 0xffff, p->xlen);
    } else if (window->size >= 4) { /* else it is cut off by the end of memory */
        instruction->kind = kind_of(word);
        code = written_by(word);
    }
    instruction->written = register_of_code(p, code);
}
