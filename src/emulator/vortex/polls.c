/* Loops that wait: which load of the code is one that a wave repeats till its place has another
 * value. */
#include "emulator/vortex/internal.h"

/* Major opcodes (RISC-V, "RV32/64G Instruction Set Listings"). Instructions of 16 bits have none of
 * them: they are in no loop that is known. */
enum {
    LOAD = 0x03,
    FENCE = 0x0f,
    OP_IMM = 0x13,
    AUIPC = 0x17,
    OP_IMM_32 = 0x1b,
    STORE = 0x23,
    OP = 0x33,
    LUI = 0x37,
    OP_32 = 0x3b,
    BRANCH = 0x63,
    JAL = 0x6f
};
enum { SP = 2, FP = 8, MOST = 24 }; /* instructions before and behind the load */

static unsigned opcode_of(uint32_t word)
{
    return word & 0x7f;
}

static unsigned rd_of(uint32_t word)
{
    const unsigned opcode = opcode_of(word);
    return opcode == STORE || opcode == BRANCH || opcode == FENCE ? 0 : word >> 7 & 31;
}

static unsigned rs1_of(uint32_t word)
{
    return word >> 15 & 31;
}

/* Whether it accesses the stack, where code without optimisation has its variables. */
static bool is_of_stack(uint32_t word)
{
    const unsigned opcode = opcode_of(word), base = rs1_of(word);
    return (opcode == LOAD || opcode == STORE) && (base == SP || base == FP);
}

/* What may stand in such a loop beside the load. */
static bool may_wait(uint32_t word)
{
    switch (opcode_of(word)) {
    case FENCE:
    case OP_IMM:
    case AUIPC:
    case OP_IMM_32:
    case OP:
    case LUI:
    case OP_32:
    case BRANCH:
        return true;
    case JAL:
        return rd_of(word) == 0;
    default:
        return is_of_stack(word);
    }
}

/* By how many bytes a branch, or a jump that does not return, goes back; 0: it does not. */
static uint32_t goes_back(uint32_t word)
{
    uint32_t offset = 0;
    if (opcode_of(word) == BRANCH)
        offset = (word >> 31 ? 0xfffff000 : 0) | (word << 4 & 0x800) | (word >> 20 & 0x7e0) |
                 (word >> 7 & 0x1e);
    else if (opcode_of(word) == JAL && rd_of(word) == 0)
        offset = (word >> 31 ? 0xfff00000 : 0) | (word & 0xff000) | (word >> 9 & 0x800) |
                 (word >> 20 & 0x7fe);
    return offset >> 31 ? -offset : 0;
}

/* Whether a load has the same address each time: nothing in the loop makes it but from constants,
 * or from a variable of the stack in a loop that stores none. */
static bool is_of_one_place(const uint32_t *loop, unsigned load, unsigned count)
{
    const unsigned base = rs1_of(loop[load]);
    bool made = false, changed = false, of_stack = false, stores = false;
    for (unsigned i = 0; i < count; i++) {
        const unsigned opcode = opcode_of(loop[i]);
        stores |= opcode == STORE;
        if (rd_of(loop[i]) != base)
            continue;
        const bool variable = i != load && is_of_stack(loop[i]);
        const bool constant = opcode == LUI || opcode == AUIPC;
        if (!variable && !constant && i != load && !(opcode == OP_IMM && rs1_of(loop[i]) == base))
            return false;
        made |= variable || constant;
        of_stack |= variable;
        changed = true;
    }
    return (made || !changed) && !(of_stack && stores);
}

bool vx_polls(struct wt_machine *m, uint32_t wave, uint64_t pc)
{
    uint32_t code[2 * MOST + 1];
    unsigned end = MOST + 1;
    if (pc < 4 * MOST || !m->ops->read_memory(m, wave, 0, pc - 4 * MOST, code, sizeof code) ||
        opcode_of(code[MOST]) != LOAD)
        return false;
    while (end <= 2 * MOST && may_wait(code[end]) && goes_back(code[end]) < 4 * (end - MOST))
        end++;
    const uint32_t back = end <= 2 * MOST && may_wait(code[end]) ? goes_back(code[end]) / 4 : 0;
    if (!back || back > end)
        return false;
    for (unsigned i = end - back; i < MOST; i++)
        if (!may_wait(code[i]))
            return false;
    return is_of_one_place(code + end - back, MOST - end + back, back + 1);
}
