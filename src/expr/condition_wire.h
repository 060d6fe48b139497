/* The code of a breakpoint, for all who want it, as bytes. */
#ifndef WT_EXPR_CONDITION_WIRE_H
#define WT_EXPR_CONDITION_WIRE_H

#include <stdint.h>

#define WT_CONDITION_MOST 64 /**< parts of one breakpoint, and conditions of a part */

/** Begins the bytes. The parts follow. */
struct wt_condition_head {
    uint32_t parts; /**< up to WT_CONDITION_MOST */
    uint32_t zero;
    uint64_t addresses; /**< bits of addresses that count */
};

/** The wishes of one client: without a message it stops. Its expressions follow, the conditions
 * first, each with its size before it (uint32_t). */
struct wt_condition_part {
    uint32_t owner;      /**< as the debugger calls the client */
    uint32_t conditions; /**< one must hold; 0: it holds */
    uint32_t messages;   /**< that are printed where it holds: 0 or 1 */
    uint32_t zero;
    uint64_t ignored; /**< so many times of holding for a wave are only counted; the same in all
                           parts of an owner */
};

/** The count of an owner since it was asked last. */
struct wt_condition_count {
    uint32_t owner, zero;
    uint64_t times; /**< it held for a wave */
};

#endif
