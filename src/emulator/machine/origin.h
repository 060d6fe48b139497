/*
 * Where addresses come from, as a data-flow analysis of a function's code says, for judges: each
 * value is a sum of a constant, of registers' values at the function's begin, and of numbers of
 * which nothing is known. Families say what their instructions do with the registers; this part
 * joins the ways through the function. A value that two ways make differently is one of its own,
 * which is resolved in the end: a constant that a loop counts up is that constant and a number.
 */
#ifndef WT_EMULATOR_MACHINE_ORIGIN_H
#define WT_EMULATOR_MACHINE_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WT_ORIGIN_NO_BASE = 0xffff, WT_ORIGIN_FRAME = 0xfffe, WT_ORIGIN_STACK = 14 };

/** The sum that an access's address is. */
struct wt_origin {
    uint64_t pc;
    unsigned part;  /**< part of an instruction with several accesses: which one */
    bool known;     /**< what follows is known */
    bool index;     /**< a number that is not constant is added */
    bool scaled;    /**< each such number is multiplied by 2 or more: no address is added */
    uint64_t step;  /**< what such numbers add at most where each is 0 or 1 */
    uint64_t apart; /**< one of several constants is added, which differ by so much at most */
    uint16_t base;  /**< the register whose value at the function's begin is added. _FRAME, in
                         questions: `constant` is an offset in private memory, and `moved` that of
                         the function's frame */
    int64_t constant;
    int64_t moved; /**< the family's stack pointer is so much more than at the function's begin; 0
                        where nobody knows, and no base is one then */
};

/** A value of the analysis: an index of its table. */
typedef uint32_t wt_origin_value;

struct wt_flow;

/** The effects of an instruction, besides those on `reg`. */
struct wt_flow_step {
    unsigned bytes; /**< its length */
    bool falls;     /**< the next instruction may follow */
    bool branches;  /**< the one at `target` may follow */
    bool loses;     /**< others may follow, which nobody knows: there is no analysis */
    uint64_t target;
    const uint64_t *more; /**< those at these places may follow, too */
    size_t more_count;
    bool makes_stack;  /**< it makes a stack pointer of other registers: `address[0]`, as that of
                            an access whose part is WT_ORIGIN_STACK */
    unsigned accesses; /**< how many: up to 2 */
    wt_origin_value address[2];
};

/** A family's part. */
struct wt_flow_family {
    unsigned registers;
    uint16_t stack; /**< the register that points to the stack; WT_ORIGIN_NO_BASE: there is none */
    /** Sets the registers at the function's begin. */
    void (*begin)(void *context, struct wt_flow *f, wt_origin_value *reg);
    /** Does an instruction. False: there is none. */
    bool (*step)(void *context, struct wt_flow *f, uint64_t pc, wt_origin_value *reg,
                 struct wt_flow_step *step);
};

/**
 * Analyses the function at [first, end). Returns its accesses by pc and part, which the caller
 * frees, and *count. NULL: there are none, or its ways are not known, or there are too many, or
 * there is no host memory.
 */
struct wt_origin *wt_origins_find(const struct wt_flow_family *family, void *context,
                                  uint64_t first, uint64_t end, size_t *count);

/* ---- values, for families ---- */

/** A constant. */
wt_origin_value wt_flow_constant(struct wt_flow *f, int64_t constant);
/** A number, or an address, of which nothing is known. */
wt_origin_value wt_flow_number(struct wt_flow *f);
/** A number that is no address. */
wt_origin_value wt_flow_index(struct wt_flow *f);
/** 0 or 1. */
wt_origin_value wt_flow_bit(struct wt_flow *f);
/** The value of register @p base at the function's begin. */
wt_origin_value wt_flow_base(struct wt_flow *f, uint16_t base);
/** A value that may be any address. */
wt_origin_value wt_flow_unknown(struct wt_flow *f);
/** a + b. */
wt_origin_value wt_flow_sum(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** a - b. */
wt_origin_value wt_flow_difference(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** a * b. */
wt_origin_value wt_flow_product(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** a << by. */
wt_origin_value wt_flow_shifted(struct wt_flow *f, wt_origin_value a, wt_origin_value by);
/** a & b. */
wt_origin_value wt_flow_and(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** a | b: compilers add by it, where no bit is set in both. */
wt_origin_value wt_flow_or(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** a ^ b. */
wt_origin_value wt_flow_xor(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** One of two. */
wt_origin_value wt_flow_choice(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** A result that may have bits of both. */
wt_origin_value wt_flow_picked(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** A result of both that is neither, nor a sum: a quotient. */
wt_origin_value wt_flow_mixed(struct wt_flow *f, wt_origin_value a, wt_origin_value b);
/** Whether it is a constant, and which. */
bool wt_flow_is_constant(const struct wt_flow *f, wt_origin_value a, int64_t *constant);
/** Likewise, sign-extended from 32 bits: addresses of 32 bits wrap. */
wt_origin_value wt_flow_word(struct wt_flow *f, wt_origin_value a);

/**
 * The value of the expression of a meaning (meaning.h) at *@p code, and moves *code behind it. @p
 * leaf: values of its leaves, by enum wt_meaning_op.
 */
wt_origin_value wt_flow_meaning(struct wt_flow *f, const uint8_t **code,
                                const wt_origin_value leaf[]);

#endif
