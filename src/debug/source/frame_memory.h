/* Variables in a kernel's own frame of private memory, by the debug information of a module
 * alone. */
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

#endif
