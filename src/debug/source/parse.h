/*
 * Expressions of C and C++ with lanes, parsed. The tree names things; what they are is found out
 * when it is compiled.
 */
#ifndef WT_DEBUG_SOURCE_PARSE_H
#define WT_DEBUG_SOURCE_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lanes.h"
#include "debug/source/types.h"
#include "base/error.h"

enum wt_node_kind {
    WT_NODE_NUMBER,    /**< `value`, `type` */
    WT_NODE_STRING,    /**< `text` */
    WT_NODE_NAME,      /**< `text`, with its namespaces */
    WT_NODE_DOLLAR,    /**< $NAME: a register, an earlier value, a convenience variable */
    WT_NODE_REGION,    /**< `text`: an operand as in assembly text */
    WT_NODE_MEMBER,    /**< a.text */
    WT_NODE_ARROW,     /**< a->text */
    WT_NODE_INDEX,     /**< a[b] */
    WT_NODE_SLICE,     /**< a[b..c] */
    WT_NODE_SECTION,   /**< b:c:a among the arguments of a call, in Fortran; each may be NULL */
    WT_NODE_CALL,      /**< a(b, …): reductions, an element in Fortran; b chains by `next` */
    WT_NODE_CAST,      /**< (type)a */
    WT_NODE_SIZEOF,    /**< size of a, or of `type` */
    WT_NODE_UNARY,     /**< op a: '-' '+' '!' '~' '*' '&' */
    WT_NODE_BINARY,    /**< a op b */
    WT_NODE_CONDITION, /**< a ? b : c */
    WT_NODE_ASSIGN,    /**< a op= b; `op` 0: plain */
    WT_NODE_COMMA,     /**< a, b */
    WT_NODE_LANES,     /**< a@lanes */
    WT_NODE_SPACE,     /**< text#a: an address in a space */
    WT_NODE_TYPE,      /**< a type alone: for sizeof, ptype, whatis */
};

/** Operators: characters, and these. */
enum {
    WT_OP_SHL = 256,
    WT_OP_SHR,
    WT_OP_LE,
    WT_OP_GE,
    WT_OP_EQ,
    WT_OP_NE,
    WT_OP_AND,
    WT_OP_OR,
    WT_OP_POWER,
    WT_OP_F_REM,        /**< the remainder, also of floats: Fortran's mod */
    WT_OP_MEMBER,       /**< a.*b */
    WT_OP_ARROW_MEMBER, /**< a->*b */
};

struct wt_node {
    enum wt_node_kind kind;
    int op;
    struct wt_node *a, *b, *c, *next;
    char *text;
    uint64_t value; /**< NUMBER: also the bits of a binary64 */
    const struct wt_type *type;
    bool before;     /**< ASSIGN: its value is the one before: a++ */
    bool all_lanes;  /**< LANES: @* */
    wt_lanes lanes;  /**< LANES: else these */
    bool over_logic; /**< LANES: `a` is "x && y" or "x || y" without parentheses */
    unsigned at;     /**< where it begins in the text */
};

/** How the parser finds out whether a name is that of a type. */
struct wt_parse_world {
    struct wt_types *types; /**< for types that are made */
    /** The type of this name ("struct pixel", "pixel", "ns::T", "unsigned long"); NULL: none. */
    const struct wt_type *(*find_type)(void *context, const char *name);
    /** Whether a function, variable or type has this name, with its templates' arguments. */
    bool (*has_name)(void *context, const char *name);
    /** The length of the region of registers with which a text begins; 0: it is none. NULL: there
     * are none. */
    size_t (*region_length)(void *context, const char *text);
    void *context;
    bool fortran; /**< a%b is a member, names have no case, .and. and /= are operators */
};

/** Parses a whole text; the caller frees *root by wt_node_free(). */
enum wt_status wt_parse_expression(const char *text, const struct wt_parse_world *world,
                                   struct wt_node **root, struct wt_error *err);
/** Frees a tree. NULL is allowed. */
void wt_node_free(struct wt_node *node);

#endif
