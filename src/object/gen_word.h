/*
 * An instruction of Gen9 as a word, and its compact form: 64 bits whose indices stand for groups of
 * fields (Skylake PRM volume 7, "EU Compact Instructions").
 */
#ifndef WT_OBJECT_GEN_WORD_H
#define WT_OBJECT_GEN_WORD_H

#include <stdbool.h>
#include <stdint.h>

/** The 128 bits of an instruction, little-endian; of a compact one `high` does not count. */
struct gen_word {
    uint64_t low, high;
};

/** Bits last..first, 64 at most, within one half of the word. */
static inline uint64_t gen_field(const struct gen_word *w, unsigned last, unsigned first)
{
    const uint64_t half = first < 64 ? w->low : w->high;
    const unsigned count = last - first + 1;
    const uint64_t value = half >> (first % 64);
    return count == 64 ? value : value & (((uint64_t)1 << count) - 1);
}

/* Sets bits last..first, 64 at most, within one half of the word. */
static inline void gen_set_field(struct gen_word *w, unsigned last, unsigned first, uint64_t value)
{
    uint64_t *half = first < 64 ? &w->low : &w->high;
    const unsigned count = last - first + 1;
    const uint64_t mask = count == 64 ? ~UINT64_C(0) : ((uint64_t)1 << count) - 1;
    *half = (*half & ~(mask << (first % 64))) | (value & mask) << (first % 64);
}

/** Whether it is a compact instruction of 64 bits (CmptCtrl). */
static inline bool gen_is_compact(const struct gen_word *w)
{
    return w->low >> 29 & 1;
}

/** The two compact forms, by an opcode's number of sources. */
enum gen_word_form { GEN_WORD_BASIC, GEN_WORD_THREE };

/** Expands a compact instruction of such an opcode to its native form, whose CmptCtrl is 0. */
void gen_word_expand(enum gen_word_form form, const struct gen_word *compact,
                     struct gen_word *native);
/** Finds the compact form of a native instruction; false if it has none. */
bool gen_word_compact(enum gen_word_form form, const struct gen_word *native,
                      struct gen_word *compact);

#endif
