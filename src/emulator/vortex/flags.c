/* Flags, as code shows them: loads in loops that wait, which a wave repeats till their place has
 * another value; loads that acquire, and stores that release; and the rest of the memory model. */
#include "emulator/machine/memory_model.h"
#include "emulator/machine/turn.h"
#include "emulator/vortex/internal.h"

/* Major opcodes (RISC-V, "RV32/64G Instruction Set Listings"). Instructions of 16 bits have none of
 * them: they are in no loop that is known. */
enum {
    LOAD = 0x03,
    CUSTOM = 0x0b, /* Vortex's: that of lanes and warps */
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

/* The sets of a fence (RISC-V, "Memory Ordering Instructions"): what it orders, with which later
 * ones. */
enum { STORES = 1, LOADS = 2 };
static unsigned before_of(uint32_t word)
{
    return word >> 24 & (STORES | LOADS);
}

static unsigned behind_of(uint32_t word)
{
    return word >> 20 & (STORES | LOADS);
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

/* Instructions that may stand in such a loop: other loads, too, as of two flags. */
static bool may_wait(uint32_t word)
{
    switch (opcode_of(word)) {
    case LOAD:
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

/* By how many bytes a branch, or a jump that does not return, goes on; 0: it is none. */
static int32_t goes_by(uint32_t word)
{
    uint32_t offset = 0;
    if (opcode_of(word) == BRANCH)
        offset = (word >> 31 ? 0xfffff000 : 0) | (word << 4 & 0x800) | (word >> 20 & 0x7e0) |
                 (word >> 7 & 0x1e);
    else if (opcode_of(word) == JAL && rd_of(word) == 0)
        offset = (word >> 31 ? 0xfff00000 : 0) | (word & 0xff000) | (word >> 9 & 0x800) |
                 (word >> 20 & 0x7fe);
    return (int32_t)offset;
}

static uint32_t goes_back(uint32_t word)
{
    const int32_t by = goes_by(word);
    return by < 0 ? -(uint32_t)by : 0;
}

/* Registers that an instruction computes from; 0: none other. */
static uint32_t sources_of(uint32_t word)
{
    const unsigned opcode = opcode_of(word);
    const bool two = opcode == OP || opcode == OP_32;
    return opcode == LUI || opcode == AUIPC
               ? 0
               : UINT32_C(1) << rs1_of(word) | (two ? UINT32_C(1) << (word >> 20 & 31) : 0);
}

/* Whether all loads have the same addresses each time: these are made in the loop of what nothing
 * in it changes, or of variables of the stack in a loop that stores none. */
static bool are_of_one_place(const uint32_t *loop, unsigned count)
{
    uint32_t changed = 0, made = 0;
    bool stores = false;
    for (unsigned i = 0; i < count; i++) {
        changed |= UINT32_C(1) << rd_of(loop[i]);
        stores |= opcode_of(loop[i]) == STORE;
    }
    changed &= ~UINT32_C(1);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t rd = UINT32_C(1) << rd_of(loop[i]), varies = changed & ~made;
        const bool loads = opcode_of(loop[i]) == LOAD;
        if (loads && !is_of_stack(loop[i]) && sources_of(loop[i]) & varies)
            return false;
        if (loads ? is_of_stack(loop[i]) && !stores : !(sources_of(loop[i]) & varies))
            made |= rd;
        else
            made &= ~rd;
    }
    return true;
}

/* A variable of the stack, as a bit of a set of few. */
static uint64_t variable_of(uint32_t word)
{
    const uint32_t offset =
        opcode_of(word) == STORE ? (word >> 20 & ~31u) | (word >> 7 & 31) : word >> 20;
    return UINT64_C(1) << (offset / 4 % 64);
}

static bool goes_on(struct wt_machine *m, uint32_t wave, uint64_t pc, struct wt_next *next)
{
    uint32_t word;
    if (!m->ops->read_memory(m, wave, 0, pc, &word, sizeof word) ||
        !(may_wait(word) || opcode_of(word) == STORE))
        return false;
    const int32_t by = goes_by(word);
    *next = (struct wt_next){pc + sizeof word, by ? pc + (uint64_t)(int64_t)by : 0,
                             opcode_of(word) == JAL};
    return true;
}

static bool only_counts(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    struct wt_turn turn = {.m = m, .wave = wave, .next = goes_on};
    uint32_t changed = 0, word; /* registers that come of what is loaded */
    uint64_t changed_variables = 0;
    wt_turn_find(&turn, load);
    for (unsigned i = 0; i < 2 * turn.count; i++) {
        const uint64_t at = turn.at[i % turn.count];
        if (!m->ops->read_memory(m, wave, 0, at, &word, sizeof word))
            return false;
        const uint32_t rd = UINT32_C(1) << rd_of(word), two = UINT32_C(1) << (word >> 20 & 31);
        const unsigned opcode = opcode_of(word);
        const uint64_t variable = is_of_stack(word) ? variable_of(word) : 0;
        const bool uses = wt_turn_is_decided(&turn, i) || at == load ||
                          sources_of(word) & changed ||
                          ((opcode == BRANCH || opcode == STORE) && two & changed) ||
                          (opcode == LOAD && variable & changed_variables);
        if (opcode == STORE)
            changed_variables = uses ? changed_variables | variable : changed_variables & ~variable;
        else if (opcode != BRANCH)
            changed = (uses ? changed | rd : changed & ~rd) & ~UINT32_C(1);
        else if ((sources_of(word) | two) & changed && wt_turn_ends(&turn, i))
            return false;
    }
    return turn.count;
}

static bool polls(struct wt_machine *m, uint32_t wave, uint64_t pc)
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
    return are_of_one_place(code + end - back, back + 1);
}

enum wt_code_loop vx_loop(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    return only_counts(m, wave, load) ? WT_LOOP_COUNTS
           : polls(m, wave, load)     ? WT_LOOP_WAITS
                                      : WT_LOOP_UNKNOWN;
}

/* Instructions that may stand between a fence and its access; `split` and `join`, too. */
static bool may_be_between(uint32_t word)
{
    enum { SPLIT = 2, JOIN = 3, PRED = 5 };
    const unsigned which = word >> 12 & 7, opcode = opcode_of(word);
    if (opcode == CUSTOM)
        return which == SPLIT || which == JOIN || which == PRED;
    return may_wait(word) && opcode != FENCE && (opcode != LOAD || is_of_stack(word));
}

/* Whether a fence that acquires comes before any other access: on one of both ways, where a branch
 * asks for what was loaded. */
static bool acquires(const uint32_t *code, unsigned at, unsigned count, unsigned branches)
{
    for (; at < count; at++) {
        const uint32_t word = code[at];
        const int32_t by = goes_by(word);
        if (opcode_of(word) == FENCE)
            return before_of(word) & behind_of(word) & LOADS;
        if (!may_be_between(word) || by < 0)
            return false;
        if (by && branches && acquires(code, at + (unsigned)by / sizeof word, count, branches - 1))
            return true;
        if (by && (!branches-- || opcode_of(word) == JAL))
            return false;
    }
    return false;
}

/* Whether a fence that releases is right before the end of the code. */
static bool releases(const uint32_t *code, unsigned count)
{
    while (count-- > 0) {
        const uint32_t word = code[count];
        if (opcode_of(word) == FENCE && before_of(word) & behind_of(word) & STORES)
            return true;
        if (!may_be_between(word) || goes_by(word))
            return false;
    }
    return false;
}

bool vx_fenced(struct wt_machine *m, uint32_t wave, uint64_t load, uint64_t store)
{
    enum { BEHIND = 16, BEFORE = 8 };
    uint32_t behind[BEHIND], before[BEFORE + 1];
    return store >= 4 * BEFORE &&
           m->ops->read_memory(m, wave, 0, load + 4, behind, sizeof behind) &&
           m->ops->read_memory(m, wave, 0, store - 4 * BEFORE, before, sizeof before) &&
           opcode_of(before[BEFORE]) == STORE && acquires(behind, 0, BEHIND, 2) &&
           releases(before, BEFORE);
}

/* Atomic loads and stores are plain ones beside fences (RISC-V, "A"); warps start others by
 * wspawn, and wait by it until they have ended. */
const struct wt_memory_model vx_memory_model = {
    .stores_hide = true,
    .loads_hide_too = true,
    .loads_hide = true,
    .hands_on = true, /* RVWMO: each store is seen by all others at once */
    .spawns = true};
