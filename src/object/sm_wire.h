/* The requests of a debugger of a host process that uses the CUDA driver API, beside those that all
 * families have (object/process_wire.h): rows, launches and modules. */
#ifndef WT_OBJECT_SM_WIRE_H
#define WT_OBJECT_SM_WIRE_H

#include <stdio.h>

#include "object/process_wire.h"

#define SM_WIRE_FAMILY WT_WIRE_FAMILY(3)
#define SM_WIRE_SOCKET "sm" /* base/private_dir.h: the kind of socket */
#define SM_WIRE_ROW 128u    /* bytes of a row of 32 dwords */

/* struct wt_wire_hello: units are a device's SMs. Slots of waves are warps of the device; local and
 * shared memory are those of a request's warp and lane. EVENT does not wait; a kernel that begins
 * or ends is an event, too. HITS and WATCH: struct wt_wire_hit, struct wt_wire_watch; the SM of a
 * warp that accesses watched memory stops behind the instruction, as by the stop trigger. */

enum sm_wire_verb {
    SM_WIRE_LAUNCH = SM_WIRE_FAMILY, /**< answered by a struct sm_wire_launch */
    SM_WIRE_WARPS,     /**< answered by struct sm_wire_warp, one for each warp of the device */
    SM_WIRE_READ_ROW,  /**< wave, number (not SM_REGISTER_RETURN): SM_WIRE_ROW bytes */
    SM_WIRE_WRITE_ROW, /**< wave, number, lanes; followed by SM_WIRE_ROW bytes */
    SM_WIRE_READ_FILE, /**< wave, value: offset, size: answered by the bytes */
    SM_WIRE_BANK,      /**< number: answered in value[0], the address, and value[1], the size */
    SM_WIRE_LOCAL,     /**< wave, lane: answered likewise */
    SM_WIRE_WAIT,      /**< waits until the device has run for a moment */
    SM_WIRE_FAIL,      /**< wave: its mistake ends the kernel, as it does without a debugger */
    SM_WIRE_MODULES,   /**< answered by struct sm_wire_module, one for each; value[0]: the state */
    SM_WIRE_TEXT,      /**< addr: a module's id, number: which of its texts, value: offset, size:
                          answered by the bytes, fewer at its end */
    SM_WIRE_END,
};

struct sm_wire_launch {
    uint64_t number; /**< number of the process, from 1; 0: there was none yet */
    uint32_t runs;   /**< it has yet to end */
    uint32_t device;
    uint32_t block[3], grid[3];
};

struct sm_wire_warp {
    uint64_t id; /**< no other warp of the process has it or had it */
    uint64_t pc;
    uint32_t present, steps, active, index;
    uint32_t block[3];
    uint32_t lanes; /**< that made the error */
    uint32_t kind;  /**< kind of its error, enum wt_fault_kind; WT_WIRE_FAULT has all of it */
    uint32_t reserved;
    uint64_t error_pc;
};

/* WATCH, HITS: generic addresses. Shared memory is that of the warp's block; local memory is told
 * by its address in global memory. */

struct sm_wire_module {
    uint64_t id; /**< never used again */
    uint64_t code, data;
    uint32_t device;
    uint32_t texts;    /**< texts of PTX */
    uint32_t is_cubin; /**< it has one text, the cubin */
    uint32_t reserved;
};

/** Writes what people call text @p i of a module of PTX with @p texts of them. */
static inline void sm_wire_text_name(char *name, size_t size, uint64_t module, uint32_t i,
                                     uint32_t texts)
{
    if (texts == 1)
        snprintf(name, size, "PTX module %llu", (unsigned long long)module);
    else
        snprintf(name, size, "PTX module %llu, object %u", (unsigned long long)module, (unsigned)i);
}

#endif
