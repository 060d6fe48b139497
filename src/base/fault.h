/* Mistakes of programs, as emulators find them and debuggers report them. */
#ifndef WT_BASE_FAULT_H
#define WT_BASE_FAULT_H

#include <stdint.h>

#include "base/lanes.h"

enum wt_fault_kind {
    WT_FAULT_NONE,
    WT_FAULT_ILLEGAL,         /**< an instruction that this GPU does not have */
    WT_FAULT_DIVERGENCE,      /**< lanes disagree where the ISA wants them to agree */
    WT_FAULT_STACK_OVERFLOW,  /**< a stack is full: of divergences, of calls, or Gen9's sp */
    WT_FAULT_STACK_UNDERFLOW, /**< a stack is empty: of divergences */
    WT_FAULT_MISALIGNED,      /**< a load, store, atomic or jump that is not aligned */
    WT_FAULT_ACCESS,          /**< memory that cannot be used so (IO misuse, outside the space) */
    WT_FAULT_DEADLOCK,        /**< every active wave waits for another one */
    WT_FAULT_TRAP,            /**< a trap instruction, and no trap handler */
    WT_FAULT_EXCEPTION,       /**< an exception that the program enabled, and no trap handler */
    WT_FAULT_HOST,            /**< the host ran out of memory */
};

/** A mistake of a program, found by the device that runs it. */
struct wt_fault {
    enum wt_fault_kind kind;
    uint32_t wave;  /**< the wave, as the device numbers them */
    wt_lanes lanes; /**< the lanes that made it */
    uint64_t pc;    /**< of the instruction, which has had no effect */
    uint64_t addr;  /**< the memory address, where the kind has one */
    uint64_t time;  /**< issue time */
    char name[32];  /**< what the GPU calls it ("OOR_ADDR"); "": `kind` says all */
    char text[256]; /**< one sentence for people, without place */
};

#endif
