/*
 * Expressions of one internal form, evaluated for all lanes of a wave at once: conditions of
 * breakpoints, what they print, values of each lane. Compilers of a language (GDB's agent
 * bytecode, C, DWARF) build them; the debugger evaluates them on rows of registers.
 *
 * An expression is a list of instructions on vectors of 64-bit cells, one cell a lane. A vector is
 * a register, a constant, or a temporary. Instructions go forwards, or jump; lanes may part at a
 * branch, and come together again. An evaluation can fail for a lane (division by zero, unreadable
 * memory, no end) without failing for the others.
 */
#ifndef WT_EXPR_EXPR_H
#define WT_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "expr/world.h"
#include "base/error.h"

struct wt_expr;

/** Names a vector of an expression. */
typedef uint32_t wt_expr_vector;

/** Cells are 64-bit integers; F32 and F64: the bits of a binary32 (in the low half) or binary64. */
enum wt_expr_op {
    WT_EXPR_COPY, /**< to = a */
    WT_EXPR_ADD,  /**< to = a + b; so are those that follow */
    WT_EXPR_SUB,
    WT_EXPR_MUL,
    WT_EXPR_DIV_SIGNED, /**< fails for lanes whose b is 0 */
    WT_EXPR_DIV_UNSIGNED,
    WT_EXPR_REM_SIGNED,
    WT_EXPR_REM_UNSIGNED,
    WT_EXPR_SHL, /**< by 64 and more: 0 (SHR_SIGNED: the sign) */
    WT_EXPR_SHR_SIGNED,
    WT_EXPR_SHR_UNSIGNED,
    WT_EXPR_POWER, /**< a to the power of b, both signed; fails for 0 to a negative power */
    WT_EXPR_AND,
    WT_EXPR_OR,
    WT_EXPR_XOR,
    WT_EXPR_EQUAL, /**< comparisons give 1 or 0 */
    WT_EXPR_LESS_SIGNED,
    WT_EXPR_LESS_UNSIGNED,
    /* Over lanes: to, in each lane that is here = all a of the lanes that are here whose b is not
     * 0. Without such a lane a sum is 0, and the others fail. F: of `size` bits (32 or 64). */
    WT_EXPR_OVER_SUM,
    WT_EXPR_OVER_MIN_SIGNED,
    WT_EXPR_OVER_MIN_UNSIGNED,
    WT_EXPR_OVER_MAX_SIGNED,
    WT_EXPR_OVER_MAX_UNSIGNED,
    WT_EXPR_OVER_F_SUM,
    WT_EXPR_OVER_F_MIN,
    WT_EXPR_OVER_F_MAX,
    WT_EXPR_NOT,       /**< to = a's bits inverted */
    WT_EXPR_LOGIC_NOT, /**< to = a is 0 */
    WT_EXPR_EXT,       /**< to = a's low `size` bits (1..64), sign-extended */
    WT_EXPR_ZERO_EXT,
    WT_EXPR_LOAD,  /**< to = the `size` bytes (1..8) at address a, zero-extended */
    WT_EXPR_F_ADD, /**< floating point, of `size` bits (32 or 64) */
    WT_EXPR_F_SUB,
    WT_EXPR_F_MUL,
    WT_EXPR_F_DIV,
    WT_EXPR_F_REM,   /**< as fmod() */
    WT_EXPR_F_POWER, /**< as pow() */
    WT_EXPR_F_EQUAL,
    WT_EXPR_F_LESS,
    WT_EXPR_F_LESS_EQUAL,
    WT_EXPR_F_NEGATE,  /**< to = -a */
    WT_EXPR_F_TO_F,    /**< to = a, of the other width, made one of `size` bits */
    WT_EXPR_F_TO_HALF, /**< to = a, of `size` bits (32 or 64), as a binary16, to the nearest */
    WT_EXPR_HALF_TO_F, /**< to = a, a binary16, as one of `size` bits */
    WT_EXPR_F_TO_INT,  /**< towards zero; NaN and what does not fit fail */
    WT_EXPR_INT_TO_F,  /**< a is signed */
    WT_EXPR_UINT_TO_F, /**< a is unsigned */
    /* 128 bits: `to`, a and b name the first of two temporaries, one after the other: the low and
     * the high half. SHL, SHR: b is one vector, of which the low 64 bits count. */
    WT_EXPR_WIDE_ADD,
    WT_EXPR_WIDE_SUB,
    WT_EXPR_WIDE_MUL,
    WT_EXPR_WIDE_DIV_SIGNED, /**< fails for lanes whose b is 0 */
    WT_EXPR_WIDE_DIV_UNSIGNED,
    WT_EXPR_WIDE_REM_SIGNED,
    WT_EXPR_WIDE_REM_UNSIGNED,
    WT_EXPR_WIDE_SHL,
    WT_EXPR_WIDE_SHR_SIGNED,
    WT_EXPR_WIDE_SHR_UNSIGNED,
    WT_EXPR_WIDE_LESS_SIGNED, /**< `to` is one vector: 1 or 0 */
    WT_EXPR_WIDE_LESS_UNSIGNED,
    WT_EXPR_WIDE_INT_TO_F, /**< `to` is one vector, a float of `size` bits */
    WT_EXPR_WIDE_UINT_TO_F,
    WT_EXPR_WIDE_F_TO_INT, /**< a is one vector; fails like F_TO_INT */
    WT_EXPR_BRANCH,        /**< lanes whose a is not 0 go to `target` */
    WT_EXPR_GOTO,
    WT_EXPR_PRINT,
    WT_EXPR_FAIL, /**< fails for each lane that comes here */
    WT_EXPR_END,  /**< the value is a */
};

/* ---- building ---- */

/** An empty expression; NULL without host memory. It has one owner: the caller. */
struct wt_expr *wt_expr_new(void);
/** One owner more. */
struct wt_expr *wt_expr_share(struct wt_expr *expr);
/** One owner less; with the last one it is freed. NULL is allowed. */
void wt_expr_free(struct wt_expr *expr);

/** The vector of a register, named as its builder and its user agree: by index in a topology. */
wt_expr_vector wt_expr_register(struct wt_expr *expr, unsigned index);
/** Likewise for bits [64 * part, 64 * part + 64) of a register that is wider than a cell. */
wt_expr_vector wt_expr_register_part(struct wt_expr *expr, unsigned index, unsigned part);
/** The vector that has @p value in every lane. */
wt_expr_vector wt_expr_constant(struct wt_expr *expr, uint64_t value);
/** A temporary: number 0, 1, … (fewer than WT_EXPR_MOST_TEMPORARIES). 0 at the beginning. */
wt_expr_vector wt_expr_temporary(struct wt_expr *expr, unsigned number);
#define WT_EXPR_MOST_TEMPORARIES 256

/** Whether a vector is a constant, and its value. */
bool wt_expr_is_constant(const struct wt_expr *expr, wt_expr_vector vector, uint64_t *value);

/** Adds an instruction, and returns its number. @p to must be a temporary. */
size_t wt_expr_add(struct wt_expr *expr, enum wt_expr_op op, unsigned size, wt_expr_vector to,
                   wt_expr_vector a, wt_expr_vector b);
/** The number of the instruction that is added next. */
size_t wt_expr_here(const struct wt_expr *expr);
/** Where a branch or goto leads. */
void wt_expr_set_target(struct wt_expr *expr, size_t instruction, size_t target);

/** An argument of a format; floating point of 32 bits where `bits` is 32, else of 64. */
struct wt_expr_argument {
    wt_expr_vector vector;
    unsigned bits;
};

/**
 * Adds an instruction that prints by a format of printf(3), without `*` and positions: %d %i %u %x
 * %X %o %c %p take an integer (of 32 bits without a length), %s the address of a string, %f %e %g
 * %a a floating-point number. Fails for a lane where an argument is missing.
 */
size_t wt_expr_print(struct wt_expr *expr, const char *format, size_t length,
                     const struct wt_expr_argument *arguments, size_t count);

/** Ends building: checks vectors and targets. WT_NO_MEMORY: host memory ran out on the way. */
enum wt_status wt_expr_finish(struct wt_expr *expr, struct wt_error *err);

/* ---- using ---- */

/** The registers and parts of registers that it names, each once (wt_expr_named_…). */
const unsigned *wt_expr_registers(const struct wt_expr *expr, size_t *count);
enum { WT_EXPR_PART_SHIFT = 16 };
/** The index of the register that wt_expr_registers() names. */
static inline unsigned wt_expr_named_register(unsigned named)
{
    return named & ((1u << WT_EXPR_PART_SHIFT) - 1);
}
/** The part of it, from 0. */
static inline unsigned wt_expr_named_part(unsigned named)
{
    return named >> WT_EXPR_PART_SHIFT;
}
/** Whether it jumps back anywhere. */
bool wt_expr_loops(const struct wt_expr *expr);

/**
 * Evaluates it for @p count lanes (1..WT_MAX_LANES), numbered from 0. @p row has for each of
 * wt_expr_registers() an array of @p count cells. Returns the lanes for which it worked; their
 * values come to @p value. Where world->failure is wanted, a lane that failed has there why, and in
 * @p value the address that it could not read.
 */
wt_lanes wt_expr_run(const struct wt_expr *expr, const uint64_t *const *row, unsigned count,
                     const struct wt_expr_world *world, uint64_t *value);

/** The lanes among @p count whose cell is not 0. */
wt_lanes wt_expr_true(const uint64_t *cell, unsigned count);

#endif
