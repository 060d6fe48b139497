/* Variables in the memory of work-groups, by the debug information of a module alone. */
#ifndef WT_DEBUG_SOURCE_GROUP_MEMORY_H
#define WT_DEBUG_SOURCE_GROUP_MEMORY_H

#include "debug/source/symbols.h"

/** A variable in memory that begins at 0. */
struct wt_memory_variable {
    const char *name;
    uint64_t offset, size; /**< bytes */
};

/**
 * Those that the functions at an address of the file have, those of @p kernel, and those of their
 * files, as far as it is certain where they are; @p kernel: its first address, 0: not known. @p
 * window: the address of such memory among others, by which debug information names it; 0: it does
 * not. Returns how many there are, @p most at most.
 */
size_t wt_group_variables(struct wt_symbols *symbols, uint64_t addr, uint64_t kernel,
                          uint64_t window, struct wt_memory_variable *list, size_t most);

/** The name of the parameter of the kernel at an address that points to such memory, as OpenCL's
 * kernels have, where there is one; NULL: there is none, or more. */
const char *wt_group_parameter(struct wt_symbols *symbols, uint64_t addr, uint64_t window);

#endif
