/* Constant expressions of PTX (manual, 4.5): their values and operators, for its parser. */
#ifndef WT_OBJECT_PTX_CONSTANT_H
#define WT_OBJECT_PTX_CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

enum ptx_constant_kind {
    PTX_CONSTANT_SIGNED,   /**< .s64 */
    PTX_CONSTANT_UNSIGNED, /**< .u64 */
    PTX_CONSTANT_SINGLE,   /**< 0f…: bits; in an expression a double of the same value */
    PTX_CONSTANT_DOUBLE,   /**< bits */
};

struct ptx_constant {
    enum ptx_constant_kind kind;
    uint64_t bits;
};

/** Whether it is an integer. */
static inline bool ptx_constant_is_integer(struct ptx_constant c)
{
    return c.kind <= PTX_CONSTANT_UNSIGNED;
}

/** A binary operator. */
struct ptx_operator {
    char text[3];
    unsigned precedence; /**< those of a higher one bind first; from 1 */
};

enum { PTX_MULTIPLICATIVE = 10 };

/** The operator that begins with character @p first, which @p second follows; NULL: none. */
const struct ptx_operator *ptx_operator_of(char first, char second);

/** *a = *a op b. NULL: done; else why it cannot be. */
const char *ptx_binary(const struct ptx_operator *op, struct ptx_constant *a,
                       struct ptx_constant b);
/** *a = op *a, of '+', '-', '!', '~'. NULL: done; else why it cannot be. */
const char *ptx_unary(char op, struct ptx_constant *a);

#endif
