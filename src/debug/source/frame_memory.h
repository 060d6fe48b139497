/* Variables in functions' own memory, and those that a file defines, by the debug information of a
 * module alone. */
#ifndef WT_DEBUG_SOURCE_FRAME_MEMORY_H
#define WT_DEBUG_SOURCE_FRAME_MEMORY_H

#include "debug/source/group_memory.h"

/**
 * Those of the kernel that begins at an address of the file, whose frame is where private memory
 * begins, as far as it is certain where they are. @p window: the address of such memory among
 * others, by which debug information names it; 0: it does not. Returns how many there are, @p most
 * at most.
 */
size_t wt_frame_variables(struct wt_symbols *symbols, uint64_t kernel, uint64_t window,
                          struct wt_memory_variable *list, size_t most);

/** A place in private memory, and a function's frame. */
struct wt_frame_place {
    uint64_t at;     /**< offset in private memory */
    uint64_t frame;  /**< the frame's, likewise; of a kernel it does not count without a window */
    uint64_t window; /**< see wt_frame_variables(); else a register is the frame's base */
};

/** The one, of the function that holds an address, that begins at a place; its offset is that in
 * private memory. False: none is known there. */
bool wt_based_variable(struct wt_symbols *symbols, uint64_t addr, const struct wt_frame_place *p,
                       struct wt_memory_variable *v);

/**
 * Those of the function that holds an address, in its part of the stack, as far as it is certain
 * where they are. Offsets, which may be negative, are those from the stack pointer's value at the
 * function's begin. Returns how many there are, @p most at most.
 */
size_t wt_stack_variables(struct wt_symbols *symbols, uint64_t addr,
                          struct wt_memory_variable *list, size_t most);

/** A variable whose value is known when it is compiled. */
struct wt_constant_variable {
    const char *name;
    const uint8_t *value;
    uint64_t size; /**< bytes */
};

/** Those that the function at an address of the file has, or uses, whose values debug information
 * has as they lie in memory. Returns how many there are, @p most at most. */
size_t wt_constant_variables(struct wt_symbols *symbols, uint64_t addr,
                             struct wt_constant_variable *list, size_t most);

/** The variables of a list that hold an offset, as one: blocks of a function may share memory.
 * False: there is none. */
bool wt_variable_that_holds(const struct wt_memory_variable *list, size_t count, uint64_t offset,
                            struct wt_memory_variable *v);

/** Whether the file of the code at an address, which no assembler has made, defines the variable at
 * @p variable, and declares no other one there: code of that file which uses the address means it.
 */
bool wt_file_defines(struct wt_symbols *symbols, uint64_t addr, uint64_t variable);

#endif
