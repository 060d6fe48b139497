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
    window->addr = addr;
    window->size = 4;
    window->least = 2;
    return WT_OK;
}

/* The two low bits tell a 2-byte instruction. */
static unsigned length_of(const uint8_t *bytes)
{
    return (bytes[0] & 3) == 3 ? 4 : 2;
}

void vortex_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                  struct wt_patch *patch)
{
    const unsigned length = length_of(window->bytes);
    vortex_remember_far(p, addr);
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

void vortex_decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                   struct wt_instruction *instruction)
{
    instruction->length = length_of(window->bytes);
    if (instruction->length > window->size)
        instruction->kind = WT_INSTRUCTION_PLAIN; /* cut off by the end of memory */
    else if (instruction->length == 4)
        instruction->kind = kind_of((uint32_t)wt_load_le(window->bytes, 4));
    else
        instruction->kind = compressed_kind((uint32_t)wt_load_le(window->bytes, 2), p->xlen);
}
