/* The words of an opcode of PTX: "cvt.rzi.ftz.s32.f32" is cvt and what its words say. */
#ifndef WT_EMULATOR_SM_PTX_LOWER_FORM_H
#define WT_EMULATOR_SM_PTX_LOWER_FORM_H

#include "emulator/machine/observe.h"
#include "object/ptx.h"

/** Kinds of words, as ptx.def names them. */
enum ptx_field {
    ROUND = 1 << 0,
    IROUND = 1 << 1, /**< to an integer: rni, rzi, rmi, rpi */
    FTZ = 1 << 2,
    SAT = 1 << 3,
    APPROX = 1 << 4,
    HALF = 1 << 5, /**< lo, hi, wide */
    CC = 1 << 6,
    CMP = 1 << 7,
    BOOL = 1 << 8,
    SPACE = 1 << 9,
    VEC = 1 << 10,
    SEM = 1 << 11,
    SCOPE = 1 << 12,
    CACHE = 1 << 13,
    ATOM = 1 << 14,
    FREE = 1 << 16,  /**< any word, which the lowering reads itself */
    OTHER = 1 << 15, /**< what only one or two instructions have: enum ptx_word */
};

enum { PTX_LO = 1, PTX_HI, PTX_WIDE };

/** The words of kind OTHER. */
enum ptx_word {
#define W(name) PTX_WORD_##name,
#include "emulator/sm/ptx/lower/words.def"
#undef W
    PTX_WORD_COUNT
};

/** A set of them, a bit each. */
__extension__ typedef unsigned __int128 ptx_words;

/** The set of one word. */
static inline ptx_words ptx_word_bit(enum ptx_word word)
{
    return (ptx_words)1 << word;
}

struct ptx_form {
    int row; /**< row of ptx.def */
    enum ptx_type type[4];
    unsigned type_count;
    uint32_t fields; /**< kinds that there are */
    uint8_t round, half, outcomes, combine, atom;
    enum wt_observed_order order; /**< PLAIN: there is no word for it, or .weak */
    enum wt_observed_scope scope;
    bool is_unsigned_comparison; /**< lo, ls, hi, hs */
    bool is_full;                /**< .full, not .approx */
    bool bypasses;               /**< a cache: cg, cv, wt */
    enum ptx_space space;
    uint8_t vector;  /**< 1, 2, 4 */
    ptx_words words; /**< words of kind OTHER */
};

/* Whether the opcode has one of the OTHER words. */
static inline bool ptx_has(const struct ptx_form *f, enum ptx_word word)
{
    return f->words & ptx_word_bit(word);
}

/** Splits an opcode. False: *bad is the word that the instruction does not have. */
bool ptx_form_of(struct ptx_name opcode, struct ptx_form *form, struct ptx_name *bad);

#endif
