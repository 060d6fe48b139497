/* Mistakes of programs, as emulators find them and debuggers report them. */
#ifndef WT_BASE_FAULT_H
#define WT_BASE_FAULT_H

#include <stdint.h>
#include <stdio.h>

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

/** Calls that the place of a report has, the innermost first, at most. */
enum { WT_TRAIL = 8 };

/** Where calls come back to, the innermost first. */
struct wt_calls {
    uint64_t back[WT_TRAIL];
    uint32_t count;
};

/** The kinds of accesses to memory. */
enum wt_access { WT_ACCESS_LOAD, WT_ACCESS_STORE, WT_ACCESS_ATOMIC };

/** Its word in sentences: "load", "store", "atomic". */
const char *wt_access_word(enum wt_access access);

/**
 * The sentence of an access to memory that is not there, the same on all GPUs: a format for
 * wt_access_word(), the bytes (unsigned), the address (unsigned long long), and what
 * wt_access_for() says.
 */
#define WT_UNMAPPED "%s of %u bytes at 0x%llx: no memory is mapped there%s"
/** " for writing" of an access that writes, else "". */
const char *wt_access_for(enum wt_access access);

/** A mistake of a program, found by the device that runs it: one record for all families, reports,
 * wires and core files. */
struct wt_fault {
    enum wt_fault_kind kind;
    uint32_t wave;    /**< the wave's slot, as the device numbers them */
    uint64_t id;      /**< the wave's id, which no other wave gets */
    wt_lanes lanes;   /**< the lanes that made it */
    uint64_t pc;      /**< the instruction's address; it has had no effect */
    uint64_t addr;    /**< the memory address, where the kind has one: of the lowest of the lanes */
    uint64_t time;    /**< issue time */
    char name[32];    /**< what the GPU calls it ("OOR_ADDR"); "": `kind` says all */
    char text[256];   /**< one sentence for people, without place */
    char memory[256]; /**< what is at `addr`, or the nearest allocation; "": nobody knows. Devices
                           leave it "", who knows the program's allocations fills it in */
};

/** The words of a report on a fault beside its record; "": nothing. */
struct wt_fault_words {
    const char *wave;        /**< the wave's name */
    const char *lane_word;   /**< "lane", "thread", "channel" */
    const char *place;       /**< the instruction's address, symbol and line */
    const char *instruction; /**< its text */
    const char *kernel;      /**< what is known of it; NULL: nothing. For objects alone */
    const char *report;      /**< files that get it as an object, too (wt_report_add) */
};

/** Prints the report of a fault: its sentence, then a line each, indented, for the wave with lanes
 * and issue time, the place, the instruction, and the memory at the address. */
void wt_fault_print(FILE *out, const struct wt_fault *fault, const struct wt_fault_words *words);

/** Writes the object of a fault to the files of a report (wt_report_add); NULL: to none. */
void wt_fault_report(const char *files, const struct wt_fault *fault,
                     const struct wt_fault_words *words);

/** Prints the lines under the sentence. */
void wt_fault_print_details(FILE *out, const struct wt_fault *fault,
                            const struct wt_fault_words *words);

/** A block of memory; size 0: there is none. */
struct wt_block {
    uint64_t addr, size;
};

/**
 * Describes @p addr by the allocation that it is in, or the nearest one: the last that begins below
 * it, or the first above it. Up to 4 GiB away; @p text becomes "" without one. Below 64 KiB it is a
 * null pointer.
 */
void wt_fault_near(uint64_t addr, struct wt_block below, struct wt_block above, char *text,
                   size_t size);

#endif
