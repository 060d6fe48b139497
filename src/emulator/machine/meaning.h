/*
 * What an instruction means: expressions over its operands in a vocabulary that all families share
 * (meaning.def), as constant bytes in prefix form. A row of an instruction table says it once, with
 * the macros of meaning_code.h. Who wants to know what an instruction does derives that from it.
 *
 * Modifiers of operands and results (absolute values, signs, parts of registers, lanes) are no part
 * of a meaning: they belong to the operands (struct wt_insn_operand), where all who derive get
 * them.
 */
#ifndef WT_EMULATOR_MACHINE_MEANING_H
#define WT_EMULATOR_MACHINE_MEANING_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum wt_meaning_op {
    WT_M_END, /**< end of a meaning, after its statements */
#define OP(name, operands, bytes, width, rule, words) WT_M_##name,
#include "emulator/machine/meaning.def"
#undef OP
    WT_M_OPS,
    WT_M_LEAVES = WT_M_RESULT + 1,
    /* Statements */
    WT_M_OUT = WT_M_OPS, /**< enum wt_meaning_result, expression */
    WT_M_LOAD,           /**< address: what is there becomes the data */
    WT_M_STORE,          /**< address: the data become what is there */
    WT_M_ATOMIC,         /**< address, and the new value; the old one is the data */
    WT_M_JUMP,           /**< condition, address */
    WT_M_LANES,          /**< what decides which lanes or waves go on, and where */
    WT_M_UNSAID,         /**< enum wt_unsaid: it is not said what the instruction does */
};

/** FCOMPARE: outcomes. */
enum { WT_M_LESS = 1, WT_M_EQUAL = 2, WT_M_GREATER = 4, WT_M_UNORDERED = 8 };
/** Bytes of a row at most. */
enum { WT_M_MOST = 128 };
/** In rows for several types, instead of a number of bits: those of the record's type, and twice as
 * many. */
enum { WT_M_WIDTH = 0xff, WT_M_WIDTH2 = 0xfe };

/** Results, as operands are told to be (struct wt_insn_operand). */
enum wt_meaning_result {
    WT_RESULT_JUMPS, /**< the condition of its jump, which is no operand */
    WT_RESULT_D,     /**< the first one */
    WT_RESULT_MASK,
    WT_RESULT_SCC,
    WT_RESULT_EXEC,
    WT_RESULT_SECOND,
    WT_RESULTS
};

/** Why a row does not say what it does. */
enum wt_unsaid {
    WT_UNSAID_ABSENT = 1, /**< the emulator does not execute it */
    WT_UNSAID_FORK,       /**< both ways of a branch, one after the other */
    WT_UNSAID_TRAP,       /**< it enters or leaves the trap handler */
    WT_UNSAID_MODE,       /**< it changes registers of the hardware */
    WT_UNSAID_NAMED,      /**< a register names one of its operands */
    WT_UNSAID_SIGNAL,     /**< messages, barriers, global wave sync */
    WT_UNSAID_DEBUG,      /**< it asks the debugger's flags */
    WT_UNSAID_TWO,        /**< it moves from one memory to another */
    WT_UNSAID_IMAGE,      /**< images */
    WT_UNSAID_WIDE,       /**< operands of more than 64 bits */
    WT_UNSAID_PARTS,      /**< each lane accesses several places */
    WT_UNSAID_REASONS
};

/** A value. */
struct wt_meaning_value {
    uint64_t value;
    unsigned bits; /**< 1 to 64, above which are zeros; 0: there is none, or it is not known */
};

/** A decoded node of an expression. */
struct wt_meaning_node {
    enum wt_meaning_op op;
    uint8_t n, m;     /**< its constants */
    uint8_t operands; /**< that come after it */
    bool exact;       /**< the definedness of its bits has a rule of its own */
};

/** Computes nodes of floating point; bits 0: not this one. */
struct wt_meaning_floats {
    struct wt_meaning_value (*compute)(const struct wt_meaning_floats *floats,
                                       const struct wt_meaning_node *node,
                                       const struct wt_meaning_value *operand);
};

/** The inputs of an expression. */
struct wt_meaning_operands {
    struct wt_meaning_value leaf[WT_M_LEAVES]; /**< by enum wt_meaning_op */
    bool clamp;                                /**< what is to be clamped is */
    const struct wt_meaning_floats *floats;    /**< NULL: floats are not computed */
};

/** Takes the node at *@p code, and moves *code behind it, to its first operand. */
struct wt_meaning_node wt_meaning_take(const uint8_t **code);
/** Computes a node that is not a leaf from the values of its operands. bits 0: the node is opaque
 * or of floating point, or an operand is not known. */
struct wt_meaning_value wt_meaning_apply(const struct wt_meaning_node *node,
                                         const struct wt_meaning_value *operand, bool clamp);
/** The bits of its result, given those of its operands. */
unsigned wt_meaning_width(const struct wt_meaning_node *node, const unsigned *operand);
/** Evaluates the expression at *@p code, and moves *code behind it: the reference for what executes
 * instructions. */
struct wt_meaning_value wt_meaning_evaluate(const uint8_t **code,
                                            const struct wt_meaning_operands *in);
/** Moves *@p code behind an expression. */
void wt_meaning_skip(const uint8_t **code);
/** Whether a meaning has these bytes from @p code on; no byte after its end is read. @p pattern is
 * of whole nodes. */
bool wt_meaning_begins(const uint8_t *code, const uint8_t *pattern, unsigned size);
/** Whether a statement or expression from *@p code on, to its end, has a node of that kind. */
bool wt_meaning_has(const uint8_t *code, enum wt_meaning_op op);

/**
 * Writes a meaning in words: "d = a + b; scc = d != 0". A, B, C are sources in the order of the
 * row, D the first result; numbers are unsigned, unless "signed" or "float" precedes the operation;
 * of a comparison of floats "?" is the outcome "unordered"; "[7:0]" are bits; W is WT_M_WIDTH. @p
 * before precedes them. False: the meaning is empty, and nothing is written.
 */
bool wt_meaning_print(FILE *out, const char *before, const uint8_t *meaning);
/** Likewise those of a row for integers and for floats, without one of a type that it does not
 * have, each with ":" before it. */
void wt_meaning_print_types(FILE *out, const uint8_t *const meaning[2]);

/** Where a meaning is composed that is no row's alone. */
struct wt_meaning_writer {
    uint8_t *to;        /**< the next byte */
    const uint8_t *end; /**< the room ends before it */
};
/** Appends bytes, for which there is room. */
static inline void wt_meaning_put(struct wt_meaning_writer *w, const uint8_t *bytes, size_t size)
{
    assert(size <= (size_t)(w->end - w->to));
    memcpy(w->to, bytes, size);
    w->to += size;
}
#define WT_MEANING_PUT(writer, ...)                                                                \
    do {                                                                                           \
        const uint8_t bytes[] = {__VA_ARGS__};                                                     \
        wt_meaning_put(writer, bytes, sizeof bytes);                                               \
    } while (0)

/** The expression of a result (enum wt_meaning_result); NULL: there is none. */
const uint8_t *wt_meaning_result(const uint8_t *meaning, unsigned result);
/** The condition of the jump that an instruction makes, which the address is behind; NULL: none. */
const uint8_t *wt_meaning_jump(const uint8_t *meaning);
/** Whether results take one part of a leaf alone, and which. */
bool wt_meaning_part(const uint8_t *meaning, enum wt_meaning_op leaf, uint8_t *first,
                     uint8_t *bits);

/* ---- operands: modifiers are applied here, once for all who derive ---- */

struct wt_insn_operand;
struct wt_insn_operands;

/** The bits that a leaf has in a meaning, of an operand of @p own bits. */
unsigned wt_operand_leaf_bits(const struct wt_insn_operands *operands,
                              const struct wt_insn_operand *operand, unsigned own);
/**
 * The leaf of an operand of @p own bits, for the half of a packed pair (else 0). @p bits: its
 * value; or (@p set) a set of its bits, and the result is the set of the leaf's bits that come from
 * them.
 */
uint64_t wt_operand_leaf(const struct wt_insn_operands *operands,
                         const struct wt_insn_operand *operand, unsigned own, unsigned half,
                         uint64_t bits, bool set);
/** An operand of @p own bits as a result of @p width bits has it, whose bits from @p from on it is
 * (parts of results); a value or a set of bits. */
uint64_t wt_operand_result(const struct wt_insn_operand *operand, unsigned own, unsigned width,
                           unsigned from, uint64_t bits);

#endif
