/* Modules of SPIR-V, as programs hand them to a runtime ("SPIR-V Specification", 1.6). */
#ifndef WT_RUNTIME_OPENCL_SPIRV_H
#define WT_RUNTIME_OPENCL_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The sizes of the arguments of a kernel: @p room at most, their number is returned. 0 is the size
 * of what is no number and no vector of numbers, and of a vector of three, which hosts have in two
 * sizes. 0 arguments: the words are no module, or have no such kernel.
 */
size_t drm_spirv_arguments(const uint32_t *words, size_t count, const char *kernel, uint32_t *size,
                           size_t room);

#endif
