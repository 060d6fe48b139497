/* Declarations shared by building and evaluating expressions. */
#ifndef WT_EXPR_PARTS_H
#define WT_EXPR_PARTS_H

#include <assert.h>

#include "expr/expr.h"

/** Kinds of vectors, in the upper bits of their names. */
enum { TEMPORARY = 0, REGISTER = 1, CONSTANT = 2, KIND_SHIFT = 28, NUMBER = (1 << KIND_SHIFT) - 1 };

/** One step. */
struct instruction {
    uint8_t op, size;
    wt_expr_vector to, a, b;
    uint32_t target; /* PRINT: its number */
};

/** A message and its values. */
struct print {
    char *format;
    size_t length;
    struct wt_expr_argument *argument;
    size_t count;
};

/** See expr.h. */
struct wt_expr {
    unsigned owners;
    bool no_memory, loops, finished;
    bool written; /* every temporary is written before it is read */
    struct instruction *code;
    size_t code_count, code_capacity;
    unsigned *reg;
    size_t reg_count, reg_capacity;
    uint64_t *constant; /* one cell each while it is built, then one for each possible lane */
    size_t constant_count, constant_capacity;
    unsigned temporaries;
    struct print *print;
    size_t print_count, print_capacity;
};

/** Which operands are two temporaries. */
struct widths {
    bool to, a, b;
};

/* ---- expr.c ---- */
/** Of an operation. */
struct widths wt_expr_widths_of(enum wt_expr_op op);
/** Adds a message, which instructions name by its number. False without host memory. */
bool expr_add_message(struct wt_expr *e, const char *format, size_t length,
                      const struct wt_expr_argument *arguments, size_t count);

#endif
