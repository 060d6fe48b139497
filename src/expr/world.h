/* The world of an expression beside registers: memory as each lane sees it, and output. */
#ifndef WT_EXPR_WORLD_H
#define WT_EXPR_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"

/** Why an expression has no value in a lane. */
enum wt_expr_failure {
    WT_EXPR_NO_VALUE, /**< there is none: WT_EXPR_FAIL, the least of no lanes, no end, no text */
    WT_EXPR_DIVIDED,  /**< by zero */
    WT_EXPR_UNREAD,   /**< memory could not be read */
    WT_EXPR_UNFIT,    /**< a floating-point number that no integer can hold */
};

/** The world of an expression beside registers. Members may be NULL. */
struct wt_expr_world {
    void *context;
    /**
     * Reads @p size bytes (1..8) at @p addr[k] to @p out[k], zero-extended, for each k in @p which;
     * returns those for which it worked. @p addr and @p out may be the same array.
     */
    wt_lanes (*read)(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                     uint64_t *out);
    void (*print)(void *context, const char *text, size_t length);
    wt_lanes silent; /**< lanes whose values count, and that print nothing */
    /** NULL, or for each lane: where it failed, why. */
    enum wt_expr_failure *failure;
};

#endif
