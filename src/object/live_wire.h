/*
 * Breakpoints, and conditions of watched memory, whose code the process of the program evaluates
 * itself, for verbs LIVE, ARRIVED and LIVE_NEWS (process_wire.h). Where it says that no client
 * wants to stop, the wave goes on, and nothing is sent. An access counts where the process has no
 * code for the place to which it leads. News that were not asked for follow the word that the
 * process has ended.
 */
#ifndef WT_OBJECT_LIVE_WIRE_H
#define WT_OBJECT_LIVE_WIRE_H

#include <stdint.h>

#define WT_LIVE_BYTES 16 /**< bytes of code that a breakpoint changes, at most */

/** One of a list, each followed by its code (expr/condition_wire.h), padded to 8 bytes:
 * breakpoints, then conditions. */
struct wt_wire_live {
    uint64_t pc; /**< the instruction; of a condition the one after the access */
    uint64_t
        addr; /**< the bytes that the debugger writes there; of a condition its number, not 0 */
    uint32_t size; /**< … and their number, 1 to WT_LIVE_BYTES; 0: a condition of watched memory */
    uint32_t code;                                        /**< bytes, without the padding */
    uint8_t trap[WT_LIVE_BYTES], original[WT_LIVE_BYTES]; /**< under the mask */
    uint8_t mask[WT_LIVE_BYTES];
};

/** The lanes of a wave that has halted there for which some client wants to stop. */
struct wt_wire_arrived {
    uint64_t stop[2]; /**< the lower ones first */
};

/** Begins the news: what parts of breakpoints have counted (struct wt_condition_count), then what
 * was printed. */
struct wt_wire_live_news {
    uint32_t counts;
    uint32_t text; /**< bytes */
};

#endif
