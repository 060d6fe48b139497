/*
 * Straight code of a wave on rows of lanes, as a table that no family is named in, and its
 * translation to machine code of an x86-64 host with AVX2 and FMA.
 *
 * A family fills a wt_rows_insn for each instruction of a block and keeps its handlers: the code
 * may be entered at any instruction and left before any one, with all rows in memory, so that a
 * handler goes on there. Rows have 1 to 64 lanes of dwords, or (wide) of qwords; predicates are
 * dwords, a bit for each of 32 lanes. A shape of 64 lanes may have scalars, too: numbers of 32 or
 * 64 bits that all lanes share, among them predicates of 64 lanes and the mask of those that
 * execute. A shape with regions has 32 channels, of which an instruction is for some, whose rows
 * may lie anywhere (emit_regions.c). The code executes only what it does exactly as handlers do; it
 * leaves before anything else.
 */
#ifndef WT_EMULATOR_TRANSLATE_ROWS_H
#define WT_EMULATOR_TRANSLATE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    WT_ROWS_LANES = 64,
    WT_ROWS_MOST = 256,
    WT_ROWS_GIVENS = 10,
    WT_ROWS_CODES = 4,
    WT_ROWS_SPARSE = 4,
    WT_ROWS_WINDOWS = 4,
    WT_ROWS_GUARDED = 2
};

/** Operations on one lane: on dwords or, of `wide` instructions, on qwords. */
enum wt_rows_op {
    WT_ROWS_HANDLER, /**< the code is left before it, always */
    WT_ROWS_CALL,    /**< its handler is called (struct wt_rows_state: call); `how` 1: which is as
                        quick as code is, else 0 */
    WT_ROWS_MOVE,
    WT_ROWS_NOT,
    WT_ROWS_NEGATE,
    WT_ROWS_ABSOLUTE, /**< dwords only */
    WT_ROWS_ADD,
    WT_ROWS_SUBTRACT,
    WT_ROWS_MULTIPLY,
    WT_ROWS_MULTIPLY_ADD,
    WT_ROWS_AND,
    WT_ROWS_OR,
    WT_ROWS_XOR,
    WT_ROWS_SHIFT_LEFT, /**< by a dword; by 32 (64) and more: 0, or the sign; if `modulo`, by the
                           lower 5 (6) bits of a row of the same width */
    WT_ROWS_SHIFT_RIGHT,
    WT_ROWS_SHIFT_SIGNED,  /**< of qwords if `modulo` */
    WT_ROWS_MULTIPLY_HIGH, /**< the upper half; `is_signed`; dwords only; so are the next four */
    WT_ROWS_MIN,
    WT_ROWS_MAX,
    WT_ROWS_MIN_SIGNED,
    WT_ROWS_MAX_SIGNED,
    WT_ROWS_WIDEN, /**< qwords of dwords; `is_signed`, as in the next two */
    WT_ROWS_MULTIPLY_WIDE,
    WT_ROWS_MULTIPLY_ADD_WIDE, /**< source 2 has qwords */
    WT_ROWS_NARROW,            /**< dwords of qwords; 32 lanes only; so are the next two, and
                                  FLOAT_COMPARE */
    WT_ROWS_SELECT,            /**< source 0 where the predicate, source 2, is 1, else source 1 */
    WT_ROWS_COMPARE,           /**< a predicate: `how` has the outcomes for which it is 1 */
    WT_ROWS_SET,               /**< the same as a row: 1, or 0 */
    WT_ROWS_FLOAT_ADD,         /**< to nearest; a NaN of singles is 0x7fffffff, one of doubles, or
                                  of `boxed`, is as the handler has it; so in the next five */
    WT_ROWS_FLOAT_SUBTRACT,
    WT_ROWS_FLOAT_MULTIPLY,
    WT_ROWS_FLOAT_MULTIPLY_ADD, /**< how: 1: the product is negated; 2: the addend is */
    WT_ROWS_FLOAT_DIVIDE,
    WT_ROWS_FLOAT_ROOT, /**< the square root */
    WT_ROWS_FLOAT_MIN,  /**< singles, as the next three: -0 is below 0; one NaN counts for nothing,
                           or, if `how`, for all */
    WT_ROWS_FLOAT_MAX,
    WT_ROWS_FLOAT_ABSOLUTE,
    WT_ROWS_FLOAT_NEGATE,
    WT_ROWS_FLOAT_COMPARE,
    WT_ROWS_FLOAT_OF_SIGNED,   /**< the source is a dword */
    WT_ROWS_FLOAT_OF_UNSIGNED, /**< likewise */
    WT_ROWS_FIELD, /**< dwords: bits of source 0 from source 1 on, as many as source 2 says, both
                      constants, within the dword; `is_signed` */
    WT_ROWS_LOGIC, /**< dwords: bit 4a + 2b + c of `how` for bits a, b, c of the sources */
    WT_ROWS_PREDICATE, /**< source 0, a predicate, combined with source 2 */
    WT_ROWS_BRANCH,    /**< by lanes for which the predicate, source 0, is 1, if `combine` */
    WT_ROWS_BRANCH_IF, /**< if sources 0 and 1 of all lanes compare as `how` says; the code is
                          left before it where lanes disagree */
    WT_ROWS_LOAD,      /**< `bytes` at source 0 + offset, into the result */
    WT_ROWS_STORE,     /**< the lower ones of source 1 */
    WT_ROWS_GIVEN,     /**< dwords: number `value` of source 0 of the state's `given`; `how`: row
                          `value` of `given_rows` */
    WT_ROWS_PARAMETER, /**< `bytes`, 4 or 8, in all lanes: `offset` behind where the state says that
                          parameters are in memory; the handler is called where they are not in the
                          first one's page */
    WT_ROWS_DIVIDE,    /**< dwords; `is_signed`; 8 lanes or more, as in the next three; the handler
                          is called for divisors of 0; a constant one is none */
    WT_ROWS_REMAINDER,
    WT_ROWS_SPLIT, /**< dwords in two rows, one behind the other, of qwords: the lower ones, then
                      the upper ones */
    WT_ROWS_JOIN,  /**< qwords of such rows; `wide` */
    /* The others are of shapes with scalars. */
    WT_ROWS_NOTHING,
    WT_ROWS_TWO,       /**< dwords: source 0 `how` source 1 `combine` source 2: ADD, AND, OR, XOR,
                          SHIFT_LEFT by the lower 5 bits */
    WT_ROWS_ADD_CARRY, /**< dwords: with the carry, source 2, if `carries`; that of the sum is the
                          predicate `carry`, 0 for lanes that do not execute */
    WT_ROWS_SUBTRACT_CARRY, /**< likewise */
    WT_ROWS_PAIR_LEFT,      /**< source 0, two rows, the lower dwords first, shifted by the lower 6
                               bits of source 1, dwords; so is the result */
    WT_ROWS_PAIR_RIGHT,
    WT_ROWS_PAIR_MULTIPLY_ADD, /**< a pair of rows: the product of sources 0 and 1 and a pair,
                                  source 2, or a scalar of 64 bits; the carry is the predicate
                                  `carry`, 0 for lanes that do not execute */
    WT_ROWS_SCALAR,         /**< `how` on scalars: MOVE, NOT, ADD, SUBTRACT (dwords); AND, OR, XOR;
                               SHIFT_LEFT, SHIFT_RIGHT by a constant; MULTIPLY (dwords), COMPARE (`outcome`:
                               those for which the condition is 1), SELECT (source 0 if the condition
                               is 1, else source 1), MIN to MAX_SIGNED (dwords; the condition says
                               whether that is source 0 alone) */
    WT_ROWS_FLOAT_INVERSE,  /**< singles; this and the next ones are left to the handler where a
                               source is not an ordinary number; FLOAT_ROOT and this raise nothing */
    WT_ROWS_FLOAT_TRUNCATE, /**< dwords of singles; `is_signed` */
    WT_ROWS_FLOAT_CLASS,    /**< a predicate: whether source 1 has the bit of the class of source 0:
                               -infinity 2, negative numbers 3, denormal ones 4, -0 5, 0 6, …,
                               infinity 9 */
    WT_ROWS_DIVISION_SCALE, /**< source 0, which is source 1, the denominator, or 2, the numerator;
                               the predicate `carry` becomes 0 */
    WT_ROWS_DIVISION_FIX,   /**< source 0 with the sign of source 2 / source 1 */
    WT_ROWS_FETCH,          /**< `words` scalars from memory, 1 to 16, at source 0, a scalar of 64
                               bits, + source 1, if that is one, + the offset, a multiple of 4 */
    WT_ROWS_BRANCH_WHEN,    /**< if source 0, a scalar of `bytes`, is not 0, or, negated, is 0 */
    WT_ROWS_AT_MOST,        /**< counters become `most` where they are greater */
    /* These are of shapes with regions. */
    WT_ROWS_WAIT, /**< counts source 0, a dword, down; the code is left before it where that is 0 */
    WT_ROWS_ARRIVE, /**< counts the state's `arrived` up; the handler is called for the last one */
    WT_ROWS_OPS
};

/** Outcomes of a comparison. */
enum { WT_ROWS_LESS = 1, WT_ROWS_EQUAL = 2, WT_ROWS_GREATER = 4, WT_ROWS_UNORDERED = 8 };

/** The use of the condition, of an instruction of scalars. */
enum wt_rows_sets { WT_ROWS_KEEPS, WT_ROWS_NONZERO, WT_ROWS_CARRY, WT_ROWS_OVERFLOW };

/** How a predicate is combined with another one, source 2. */
enum wt_rows_combine { WT_ROWS_ALONE, WT_ROWS_WITH_AND, WT_ROWS_WITH_OR, WT_ROWS_WITH_XOR };

/** Which memory. */
enum wt_rows_space {
    WT_ROWS_GLOBAL,  /**< by way of the TLB */
    WT_ROWS_GENERIC, /**< the same, or by way of the windows */
    WT_ROWS_GROUP,   /**< struct wt_rows_state: group */
    WT_ROWS_LOCAL,   /**< each lane's own: struct wt_rows_state: local */
    /** With scalars: dwords of 64 lanes side by side, behind a base that source 2, the first one of
     * four scalars, describes (AMD's V# with SWIZZLE, ADD_TID and an index stride of 64), plus
     * `condition`, a scalar or constant. Source 0: dwords, a multiple of 4, or the constant 0, plus
     * the offset: which of them. The handler is called where the scalars say anything else. */
    WT_ROWS_SWIZZLED,
    WT_ROWS_WINDOW, /**< with regions: memory of a window of the state */
};

struct wt_rows_source {
    bool constant;
    bool scalar;         /**< it is one, in all lanes, and no row */
    bool negated;        /**< a predicate is inverted */
    uint8_t first, bits; /**< of dwords, with scalars or (`first` 0, 8 or 16 `bits`) regions: `bits`
                            from `first` on, 0: all of them; */
    bool is_signed;      /**< … extended by their sign, else by zeros */
    bool sign_off, sign_over; /**< singles, with scalars: the sign is cleared; then inverted */
    /** With regions: the bytes of one element that all lanes have, 0: they have elements side by
     * side; whether these are of 16 bits, by `is_signed`; of integers, in that order: the absolute
     * value, `negated`, the complement. */
    uint8_t spread;
    bool words, absolute, complemented;
    uint32_t slot;  /**< where it begins in the frame, or among the scalars, in bytes */
    uint64_t value; /**< value of a constant, in all lanes */
};

/** How a load fills its register. */
enum wt_rows_extend { WT_ROWS_ZEROS, WT_ROWS_SIGN, WT_ROWS_ONES };

/** An instruction: a head, and a union of what each kind of operation has besides. */
struct wt_rows_insn {
    uint8_t op; /**< enum wt_rows_op */
    uint8_t how, combine;
    /** Rows or scalars have qwords. With scalars singles are then doubles in pairs of rows, the
     * lower dwords first: FLOAT_ADD, FLOAT_MULTIPLY, FLOAT_MULTIPLY_ADD; only with vectors of 512
     * bits. */
    bool wide;
    bool is_signed;
    bool ends;    /**< HANDLER: the wave's last instruction */
    bool raises;  /**< floating point raises the program's exceptions, by lanes that execute */
    bool guarded; /**< the handler is called where the state says `guard` */
    bool follows; /**< a part of the instruction before, whose handler does both: it is no issue,
                     and nothing but the part before leads to it */
    bool conditional; /**< lanes for which `condition`, a predicate, is 1 execute it; neither
                         branches nor calls; 32 lanes */
    /** With regions: `lanes` channels, 1 to 16, from `channel` on execute it, whatever the mask
     * says if `unmasked`; `condition` is then a word, the flags of 16 channels. */
    bool unmasked;
    uint8_t lanes, channel;
    uint32_t d; /**< slot of the result; of predicates, with scalars, among them */
    struct wt_rows_source s[3];
    struct wt_rows_source condition;
    union {
        /** LOAD, STORE; some of it: FETCH, PARAMETER, AT_MOST. */
        struct {
            uint8_t space;      /**< enum wt_rows_space */
            uint8_t bytes;      /**< that a lane accesses: 1, 2, 4, 8 */
            uint8_t extend;     /**< enum wt_rows_extend: the rest of the register */
            bool short_address; /**< source 0 has dwords, else qwords */
            bool wraps;         /**< short addresses do, at 2^32 */
            bool split;    /**< source 0 is two rows, the lower dwords first; or, if source 2 is a
                              scalar, dwords that are added to it, a qword */
            bool windowed; /**< split: in the first window of the shape it is in the group's memory;
                              only with vectors of 512 bits, else the handler is called there */
            uint8_t window; /**< with regions: which one */
            /** With regions: accesses have `words` by 8 or 16 lanes. With scalars, if not 0: a lane
             * accesses so many dwords, 2 to 4: `place` bytes behind the address, of which the first
             * or another one is 0; `row`: where their rows begin. They are accessed in this order,
             * lane by lane. Without scalars, of 32 lanes: 2 or 4 dwords, or (wide) 2 qwords, one
             * behind the other from 0 on, `bytes` altogether, and the offset has 32 bits. */
            uint8_t words;
            uint8_t constants; /**< without scalars, of stores: a bit for each word that is one,
                                  `value`, instead of a row */
            uint32_t place[4], row[4];
            uint64_t offset; /**< added to an address; with regions, of the group's memory: the bits
                                of an address that count */
            union {
                uint64_t value[4];
                /** With scalars: counters that an access increments, saturating at `most` (swizzled
                 * ones: each row); the first with most 0 ends the list. AT_MOST: limits. */
                struct {
                    uint32_t slot; /**< slot of a byte among the scalars */
                    uint8_t most;
                } counter[3];
            };
        } access;
        /** Arithmetic on rows. */
        struct {
            bool modulo;  /**< shifts */
            bool lower;   /**< wide: of the lower dwords of qwords; results are sign-extended. ADD,
                             SUBTRACT, MULTIPLY and shifts */
            bool boxed;   /**< wide: singles in qwords whose upper dwords are ones, of FLOAT_ADD to
                             FLOAT_ROOT and MOVE; the handler is called for what is none */
            bool flushes; /**< the handler is called for singles that may count as 0: denormal ones,
                             and results as small; FLOAT_ADD to FLOAT_NEGATE, FLOAT_COMPARE */
            bool saturates; /**< results of these are between 0 and 1; not of FLOAT_COMPARE */
            bool carries;   /**< ADD_CARRY, SUBTRACT_CARRY; of FLOAT_MULTIPLY_ADD: the handler is
                               called where the predicate `carry` is 1 */
            uint32_t carry;
            /** With regions: a result that goes `nowhere`; one that is compared with 0, as
             * `outcome` says, for the flags at `flags`, where comparisons put theirs. `real`:
             * singles are compared. SELECT is by `how` if that is not 0, else by `condition`. */
            bool nowhere, tests, real;
            uint8_t outcome;
            uint32_t flags;
        } alu;
        /** SCALAR. */
        struct {
            uint8_t sets;            /**< enum wt_rows_sets */
            uint8_t outcome;         /**< COMPARE: those for which the condition is 1 */
            bool carries;            /**< the condition is added, too */
            bool inverts_1, inverts; /**< source 1, the result */
            bool saves;              /**< the result goes to the mask, which goes to `d` first */
        } scalar;
        /** BRANCH, BRANCH_IF, BRANCH_WHEN. */
        struct {
            uint32_t target; /**< number of an instruction of the block; one that is no less than
                                the block's count, as WT_ROWS_ELSEWHERE: it leads out of it */
            /** 1 + the bit of the state's `runs` to set where it is taken, or is not, if all lanes
             * are on or it is `parted`; WT_ROWS_NO_RUN: none; 0: it is not known. */
            uint8_t comes_to, passes_to;
            bool parted;
            uint8_t bytes; /**< BRANCH_WHEN: of source 0, 1 or 8 */
        } branch;
    };
};
#define WT_ROWS_NO_RUN 255
#define WT_ROWS_ELSEWHERE UINT32_MAX
#define WT_ROWS_GONE UINT32_MAX
#define WT_ROWS_AGAIN (UINT32_MAX - 1)

struct wt_tlb;
struct wt_tlb_entry;

/** State of all blocks of a device. */
struct wt_rows_shape {
    unsigned lanes; /**< a power of two, 1 to WT_ROWS_LANES */
    bool paths; /**< branches are barred, and those backwards are counted (struct wt_rows_state) */
    /** The two windows of generic addresses: into the group's memory, into local memory. */
    uint64_t window[2], window_bytes;
    bool few;         /**< there is code for one lane and for two; of 32 lanes */
    bool scalars;     /**< scalars beside 64 lanes: there are some; then no lane may execute */
    bool vectors_512; /**< with scalars, or of 16 or 32 lanes without regions: the host has
                         AVX-512 (wt_rows_has_512()), and the code vectors of 512 bits where
                         they are quicker */
    bool regions;     /**< regions of 32 channels; a branch is taken if all that execute take it */
    uint32_t condition;  /**< slot of a scalar of one byte, 0 or 1, that comparisons set */
    uint32_t mask;       /**< slot of the mask, which is in the state, too */
    uint32_t exceptions; /**< slot of those that the program has raised, in MXCSR's order */
};

/** The state that code works on, with what it tells when it is left. */
struct wt_rows_state {
    uint8_t *frame;
    uint8_t *scalars;
    uint64_t left;        /**< in: how many instructions may be executed, 1 or more; out: those that
                             remain. When a handler is called, or host memory is accessed: those behind
                             this instruction */
    uint32_t at;          /**< number of the instruction that does so */
    uint64_t mask;        /**< lanes that execute, 1 or more, unless there are scalars */
    uint64_t runs;        /**< bits that branches set */
    uint32_t patience;    /**< so many branches backwards are taken; each one counts it down */
    uint32_t group_bytes; /**< group bytes of the group's memory */
    /** Executes instruction `at` by its handler; `left` is in its hands. False: the code is left,
     * and wt_rows_run() returns WT_ROWS_GONE. The mask and the frame stay the same. */
    bool (*call)(struct wt_rows_state *s);
    bool guard;                       /**< handlers are called for guarded instructions */
    uint8_t barred[WT_ROWS_MOST / 8]; /**< a bit for each instruction to which no branch is taken */
    uint64_t group_outside; /**< bits that no address in a part of it has that begins it */
    uint8_t *group;
    /** Local memory in memory: where that of lane 0 begins, and bytes of each lane, a multiple of
     * 8. */
    uint64_t local, local_bytes;
    struct wt_tlb *tlb;
    /** Values that all lanes have alike, and rows; blocks with WT_ROWS_GIVEN need them. */
    uint32_t given[WT_ROWS_GIVENS];
    const uint32_t *given_rows;
    /** Parameters in memory: the page where they begin, and where in it; bytes there; the page's
     * entry of the TLB. */
    uint64_t parameter_page, parameter_place, parameter_room;
    const struct wt_tlb_entry *parameter_entry;
    uint64_t executing;              /**< scratch: lanes that execute an instruction */
    uint32_t idle[WT_ROWS_LANES];    /**< scratch: ones for each lane that does not execute */
    uint8_t *host[WT_ROWS_LANES];    /**< scratch: where a lane accesses memory */
    uint32_t place[WT_ROWS_LANES];   /**< scratch: how far behind it */
    uint32_t ahead[3][32];           /**< scratch: rows that were loaded with another one */
    uint64_t address[WT_ROWS_LANES]; /**< scratch: of accesses that are `split` */
    uint64_t base, room;             /**< scratch: of swizzled accesses; of local memory */
    /** Contents of four scalars of swizzled accesses; all zeros at first, which no such ones are.
     */
    uint32_t resource[4];
    uint64_t resource_base, resource_bytes;
    /** With regions: where windows begin in memory, and their bytes, at most 2^31, of which
     * accesses are; 0: the handler is called. It is, too, for stores to guarded pages of the host.
     */
    struct {
        uint64_t base, bytes;
    } window[WT_ROWS_WINDOWS];
    const uint8_t *guarded[WT_ROWS_GUARDED];
    uint16_t *arrived; /**< at a barrier */
    uint32_t last;     /**< which of them is the last one to arrive, or one before; 0: not known */
    uint32_t flags;    /**< scratch: MXCSR */
    uint32_t parts;    /**< scratch: of 8 lanes each, a bit for those of which any executes */
};

/** Memory for code: bounded, and never writable and executable at once. */
struct wt_rows_memory;

/** Code of a block from its first instruction up to the wave's last one, for all lanes, if nobody
 * sees the rows of a wave that has ended: it reads no row that it has not written, and stores those
 * alone that it reads from memory. */
struct wt_rows_unseen {
    const uint8_t *code;
    uint32_t first;   /**< where in it instruction 0 begins */
    uint32_t longest; /**< so many instructions may be executed, with the last one */
    uint32_t tries, failed;
};

/** A translated block; it is freed with the memory that it is in. */
struct wt_rows_block {
    const uint8_t *code[WT_ROWS_CODES]; /**< for all lanes; for some; for one; for two; with
                                             scalars: the third one for those of a few parts */
    uint64_t all;                       /**< the mask for which code[0] is; 0: none */
    bool sparse;            /**< it has code for lanes of at most WT_ROWS_SPARSE parts of eight */
    bool more;              /**< code[0] is for masks with more lanes, too */
    uint32_t first, count;  /**< instructions: the family's number of the first one; how many */
    const uint32_t *entry;  /**< entry of each: where it begins in code[0], then in code[1], … */
    const uint32_t *target; /**< instructions to which it branches */
    uint32_t targets;       /**< how many */
    uint64_t *place;        /**< a number of each of them, which is the family's; zeros at first */
    bool gives;             /**< it has WT_ROWS_GIVEN */
    struct wt_rows_unseen *unseen;      /**< NULL: there is none */
    bool few;                           /**< there is code for one lane and for two */
    bool tells;                         /**< branches set bits of the state's `runs` */
    uint64_t number;                    /**< the block's: no other one of the memory has it */
    uint64_t called[WT_ROWS_MOST / 64]; /**< a bit for each WT_ROWS_CALL */
};

/** Counts of translated code: blocks, bytes of code, and issues that it has executed; of these,
 * those of code whose rows nobody sees. */
struct wt_rows_totals {
    uint64_t blocks, bytes, issues, unseen;
};

/**
 * Leaves to handlers the runs of instructions between those that are theirs, in which fewer than
 * two, or not more than half, are the code's own: entries and calls take as long as handlers do. A
 * branch by a scalar to one of the block leads on, so it counts as two.
 * Returns for how many the code is there.
 */
size_t wt_rows_leave_short(struct wt_rows_insn *insn, size_t count);

/** Leaves all that accesses memory, or orders accesses, to handlers, which are called. Returns for
 * how many the code is then: those up to the end of the first loop that ends with number @p from or
 * behind it, so that the code of a loop is a piece of its own (machine/observe.h). */
size_t wt_rows_leave_observed(struct wt_rows_insn *insn, size_t count, size_t from);

/** Whether this host executes translated code. */
bool wt_rows_supported(void);
/** Whether it has vectors of 512 bits, with masks. */
bool wt_rows_has_512(void);
/** Memory of @p bytes; NULL: the host has none, or does not execute what was written. */
struct wt_rows_memory *wt_rows_memory_new(size_t bytes);
/** NULL is allowed. No code of it may run. */
void wt_rows_memory_free(struct wt_rows_memory *m);
/** Forgets all its blocks, none of which may run. */
void wt_rows_memory_clear(struct wt_rows_memory *m);
/** Bytes of code. */
size_t wt_rows_memory_used(const struct wt_rows_memory *m);

/**
 * Translates @p count instructions, 1 to WT_ROWS_MOST, or the first ones of them, where the code of
 * all would be too long; @p first is kept in the block. NULL: the memory is full, or the host has
 * none.
 */
const struct wt_rows_block *wt_rows_translate(struct wt_rows_memory *m,
                                              const struct wt_rows_shape *shape,
                                              const struct wt_rows_insn *insn, uint32_t first,
                                              size_t count);

/**
 * Executes a block from instruction @p first on; returns the number of the instruction that is next
 * (count: the one behind the block), or WT_ROWS_GONE. It may be @p first: if then nothing has been
 * executed, a handler must be.
 */
uint32_t wt_rows_run_some(const struct wt_rows_block *block, uint32_t first,
                          struct wt_rows_state *s);

/** Likewise of code that all lanes may execute: not looked at, since translated code has no
 * description of its type in front of it. */
__attribute__((no_sanitize("undefined"))) static inline uint32_t
wt_rows_run(const struct wt_rows_block *block, uint32_t first, struct wt_rows_state *s)
{
    uint64_t (*run)(struct wt_rows_state *, const uint8_t *);
    if (s->mask != block->all)
        return wt_rows_run_some(block, first, s);
    memcpy(&run, &block->code[0], sizeof run);
    return (uint32_t)run(s, block->code[0] + block->entry[first]);
}

/** Whether the block has `unseen`, which was not left too often. */
static inline bool wt_rows_has_unseen(const struct wt_rows_block *block)
{
    const struct wt_rows_unseen *u = block->unseen;
    enum { SOME = 32 };
    return u && u->failed <= SOME + u->tries / 4;
}

/**
 * Executes the block's `unseen`, for which enough is left; all lanes of the mask execute. Returns
 * the number of the wave's last instruction, before which all others have been executed; or
 * WT_ROWS_AGAIN: memory and what is left are as they were, but not the rows.
 */
__attribute__((no_sanitize("undefined"))) static inline uint32_t
wt_rows_run_unseen(const struct wt_rows_block *block, struct wt_rows_state *s)
{
    struct wt_rows_unseen *u = block->unseen;
    uint64_t (*run)(struct wt_rows_state *, const uint8_t *);
    memcpy(&run, &u->code, sizeof run);
    const uint64_t left = s->left;
    const uint32_t next = (uint32_t)run(s, u->code + u->first);
    u->tries++;
    if (next == WT_ROWS_AGAIN) {
        u->failed++;
        s->left = left;
    }
    return next;
}

#endif
