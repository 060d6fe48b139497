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

/** A place in the memory of a lane or of its group. */
struct wt_own_place {
    enum {
        WT_PLACE_OF_KERNEL, /**< an offset in private memory, by the kernel's own frame */
        WT_PLACE_IN_FRAME,  /**< an offset in private memory at which a variable begins */
        WT_PLACE_OF_GROUP,  /**< an offset in the group's memory */
    } of;
    uint64_t at;
    uint64_t frame;  /**< for IN_FRAME: the frame's offset; of a kernel it does not count without a
                          window */
    uint64_t window; /**< see wt_frame_variables(), wt_group_variables() */
};

/** The variable at a place that the function has which holds an address of the file; its offset is
 * that in the memory. False: none is known there. */
bool wt_variable_at(struct wt_symbols *symbols, uint64_t addr, const struct wt_own_place *p,
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
