/*
 * Decodes instructions of sm_50 as far as breakpoints and steps need it: bundles of 32 bytes begin
 * with a control word, and three instructions of 8 bytes follow (maxas; envytools, gm107.c). The
 * words that stand for instructions of PTX are laid out in the same way.
 */
#include "debug/sm/internal.h"

#include <string.h>

#include "base/bits.h"
#include "object/ptx_word.h"

#define BUNDLE 32u
#define BPT_TRAP UINT64_C(0xe3a00000000000c0)
#define BPT_TRAP_MASK UINT64_C(0xfff00000000001c0)
#define BPT_TRAP_1 (BPT_TRAP | 1u << 20)
#define GUARD_SHIFT 16 /* bits 18:16: the predicate, 7: none; bit 19: inverted */
#define GUARD_NONE 7u
#define GUARD_INVERTED 19

uint64_t smp_pc_before(uint64_t pc)
{
    return pc - (pc % BUNDLE == 8 ? 16 : 8);
}

/* The address of the one behind the instruction at pc. */
static uint64_t pc_behind(uint64_t pc)
{
    return pc + (pc % BUNDLE == 24 ? 16 : 8);
}

unsigned smp_trap_of(uint64_t word)
{
    if ((word & PTX_WORD_MASK) == PTX_WORD)
        return (word >> PTX_WORD_KIND & 0xff) == PTX_WORD_TRAP ? 1 : 0;
    return (word & BPT_TRAP_MASK) == BPT_TRAP ? word >> 20 & 7 : 0;
}

static enum wt_instruction_kind kind_of_ptx(uint64_t word)
{
    static const enum wt_instruction_kind kinds[] = {
        [PTX_WORD_PLAIN] = WT_INSTRUCTION_PLAIN,     [PTX_WORD_BRANCH] = WT_INSTRUCTION_BRANCH,
        [PTX_WORD_CALL] = WT_INSTRUCTION_CALL,       [PTX_WORD_RETURN] = WT_INSTRUCTION_RETURN,
        [PTX_WORD_BARRIER] = WT_INSTRUCTION_BARRIER, [PTX_WORD_TRAP] = WT_INSTRUCTION_TRAP,
        [PTX_WORD_END] = WT_INSTRUCTION_END,
    };
    const unsigned kind = word >> PTX_WORD_KIND & 0xff;
    return kind <= PTX_WORD_END ? kinds[kind] : WT_INSTRUCTION_PLAIN;
}

/* Decodes by the upper 12 bits; flow control has the opcodes 0xe20 to 0xe35. */
static enum wt_instruction_kind kind_of(uint64_t word)
{
    if ((word & PTX_WORD_MASK) == PTX_WORD)
        return kind_of_ptx(word);
    if (smp_trap_of(word))
        return WT_INSTRUCTION_TRAP;
    switch (word >> 52) {
    case 0xe22: /* JCAL */
    case 0xe26: /* CAL */
        return WT_INSTRUCTION_CALL;
    case 0xe32: /* RET */
        return WT_INSTRUCTION_RETURN;
    case 0xe30: /* EXIT */
    case 0xe33: /* KIL */
        return WT_INSTRUCTION_END;
    case 0xe20: /* JMX */
    case 0xe21: /* JMP */
    case 0xe24: /* BRA */
    case 0xe25: /* BRX */
    case 0xe31: /* LONGJMP */
    case 0xe34: /* BRK */
    case 0xe35: /* CONT */
    case 0xe36: /* RTT */
    case 0xf0f: /* SYNC, DEPBAR */
        return WT_INSTRUCTION_BRANCH;
    case 0xf0a: /* BAR */
        return WT_INSTRUCTION_BARRIER;
    default:
        return WT_INSTRUCTION_PLAIN;
    }
}

enum wt_status smp_window(struct wt_probe *p, uint64_t addr, struct wt_window *window,
                          struct wt_error *err)
{
    if (addr % BUNDLE == 0)
        return wt_fail(err, WT_INVALID,
                       "no instruction begins at 0x%llx: a control word is there, and its "
                       "instructions follow",
                       (unsigned long long)addr);
    return wt_standstill_window(p, addr, window, err);
}

void smp_patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
               struct wt_patch *patch)
{
    const uint64_t word = wt_load_le(window->bytes, 8);
    *patch = (struct wt_patch){.addr = addr, .size = 8};
    wt_store_le(patch->bytes, smp_trap_of(word) ? word : BPT_TRAP_1, 8);
    memset(patch->mask, 0xff, 8);
}

void smp_decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                struct wt_instruction *in)
{
    const uint64_t word = wt_load_le(window->bytes, 8);
    const unsigned guard = word >> GUARD_SHIFT & GUARD_NONE;
    *in = (struct wt_instruction){
        .length = (unsigned)(pc_behind(addr) - addr), .kind = kind_of(word), .written = -1};
    if ((word & PTX_WORD_MASK) != PTX_WORD && guard != GUARD_NONE) {
        in->guard = 1 + smp_predicate_index(guard);
        in->guard_inverted = word >> GUARD_INVERTED & 1;
    }
}
