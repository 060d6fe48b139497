/*
 * Names and source lines of kernels. The driver sees addresses of code only; opencl.c, which sees
 * the program's calls of OpenCL, gives the rest.
 */
#ifndef WT_DRM_KERNELS_H
#define WT_DRM_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Names the kernel that begins at this GPU address, whatever was there before. Any thread may call
 * it; without host memory the kernel stays nameless.
 */
void wt_drm_kernel_is(uint64_t address, const char *name);

/**
 * Describes an instruction of the kernel that begins at @p kernel: "0x8001fffef0f0 <stray+240>";
 * without the name where it is not known.
 */
void wt_drm_kernel_describe(uint64_t kernel, uint64_t pc, char *text, size_t size);

/**
 * Takes the debug data of the program of kernel @p name at this address, as OpenCL has it
 * (CL_PROGRAM_DEBUG_INFO_INTEL): a copy of the kernel's part. Size 0: the program was built without
 * -g.
 */
void wt_drm_kernel_debug(uint64_t address, const char *name, const uint8_t *data, size_t size);

/** Writes the source line of an instruction of the kernel that begins at @p kernel, or why it is
 * not known. */
void wt_drm_kernel_line(uint64_t kernel, uint64_t pc, char *text, size_t size);

/** Writes the name of the kernel that begins at @p kernel, or its address. */
void wt_drm_kernel_name(uint64_t kernel, char *text, size_t size);

#endif
