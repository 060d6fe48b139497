/*
 * A program's memory after its end, as an endpoint gives it to the debugger piece by piece. A
 * request WT_WIRE_FINAL_NEXT (object/process_wire.h) is answered by the result
 * WT_FINAL_WIRE_MEMORY, a struct wt_final_wire_piece and its bytes.
 *
 * The answer to a request that was pending when the process announced its end comes before these,
 * with another result.
 */
#ifndef WT_OBJECT_FINAL_WIRE_H
#define WT_OBJECT_FINAL_WIRE_H

#include <stdint.h>

/** The most bytes that follow an answer. */
#define WT_FINAL_WIRE_MOST (1u << 20)

/** An answer's result. */
#define WT_FINAL_WIRE_MEMORY (INT32_MIN + 1)

/** The first piece of memory at or behind an address. */
struct wt_final_wire_piece {
    uint64_t addr;
    uint64_t length; /**< bytes, which follow unless all are zero; 0: there is no such piece */
};

#endif
