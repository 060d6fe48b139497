/* One issued instruction in a trace, for every family. */
#ifndef WT_EMULATOR_MACHINE_TRACE_H
#define WT_EMULATOR_MACHINE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/lanes.h"
#include "base/text.h"

struct wt_trace {
    uint64_t time; /**< issue time: of the state before it */
    uint32_t wave; /**< flat index of the wave */
    wt_lanes mask; /**< lanes that were enabled before it */
    uint64_t pc;
    const uint8_t *bytes; /**< as they stand in memory */
    unsigned length;      /**< length of the instruction in bytes, 2 to 32 */
    unsigned word;        /**< bytes that are written as one little-endian number, or as many as
                               are left: 2, 4 or 8 */
    unsigned longest;     /**< bytes of the family's longest instruction, for columns */
    const char *text;     /**< disassembly */
    const char *effect;   /**< what it wrote: registers, memory, mask; "" if nothing */
};

/** Adds " NAME" and the lanes whose values differ in two rows of @p lanes numbers of 4 or 8 bytes:
 * the first ones; one value where several have the same. Nothing where none does. */
void wt_trace_row(struct wt_text *text, const char *name, const void *now, const void *old,
                  unsigned bytes, unsigned lanes);

/** The instruction's bytes as hexadecimal numbers, padded to the width of the family's longest
 * instruction: up to 80 characters. */
void wt_trace_bytes(const struct wt_trace *trace, char *text, size_t size);

#endif
