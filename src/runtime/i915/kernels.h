/*
 * Names and source lines of kernels. The driver sees addresses of code only; opencl.c and
 * level_zero.c, which see the program's calls of the runtimes, give the rest.
 */
#ifndef WT_RUNTIME_I915_KERNELS_H
#define WT_RUNTIME_I915_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_called_place;

/**
 * Names the kernel that begins at this GPU address, whatever was there before. Any thread may call
 * it; without host memory the kernel stays nameless. @p owner is the handle of the module with
 * which the kernel goes, or NULL: the runtime does not tell.
 */
void wt_drm_kernel_is(uint64_t address, const char *name, const void *owner);

/** Forgets the kernels of an owner: their addresses may become those of kernels of which the
 * runtime tells nothing. */
void wt_drm_kernels_forget(const void *owner);

/**
 * Describes an instruction of the kernel that begins at @p kernel: "0x8001fffef0f0 <stray+240>";
 * without the name where it is not known.
 */
void wt_drm_kernel_describe(uint64_t kernel, const struct wt_called_place *place, char *text,
                            size_t size);

/**
 * Takes the debug data of the program of kernel @p name at this address, as the runtime has
 * it (CL_PROGRAM_DEBUG_INFO_INTEL, zetModuleGetDebugInfo): a copy of the kernel's part. Size 0: the
 * program was built without -g. Returns whether it is other data than before.
 */
bool wt_drm_kernel_debug(uint64_t address, const char *name, const uint8_t *data, size_t size);

/** Takes what a program has in constant memory, from its binary (CL_PROGRAM_BINARIES), for its
 * kernel at this address. */
void wt_drm_kernel_constants(uint64_t address, const uint8_t *binary, size_t size);
/** A copy of that, which the caller frees; NULL: there is nothing. */
uint8_t *wt_drm_kernel_constants_copy(uint64_t address, size_t *length);

/** A copy of the ELF file of the kernel that begins at @p address, from its debug data, which the
 * caller frees; NULL: there is none. */
uint8_t *wt_drm_kernel_elf(uint64_t address, size_t *length);

/** Writes the source line of an instruction of the kernel that begins at @p kernel, or why it is
 * not known. */
void wt_drm_kernel_line(uint64_t kernel, uint64_t pc, char *text, size_t size);

/** A launch of the kernel at this address, which will follow, has asked for @p bytes of shared
 * local memory. */
void wt_drm_kernel_local(uint64_t address, uint32_t bytes);
/** How many bytes launches of the kernel have asked for, at most, of those that get @p given from
 * the hardware, a power of two; 0: not known. */
uint32_t wt_drm_kernel_local_asked(uint64_t address, uint32_t given);

/** Takes the binary (CL_PROGRAM_BINARIES, zeModuleGetNativeBinary) of the program of kernel @p name
 * at this address, for checks: where the arrays of its work-items lie, and whether it is for groups
 * of one size. */
void wt_drm_kernel_program(uint64_t address, const char *name, const uint8_t *binary, size_t size);
/** Whether that has been taken, or no kernel is known there. */
bool wt_drm_kernel_knows_private(uint64_t address);
/** Bytes of the arrays of a thread's work-items (gen_walk.private_bytes, private_at); 0: there are
 * none, or it is not known. */
uint32_t wt_drm_kernel_private(uint64_t address, uint16_t *at);

/** Takes the module of SPIR-V that kernel @p name at this address is made of, for checks; NULL:
 * there is none. */
void wt_drm_kernel_module(uint64_t address, const char *name, const uint8_t *module, size_t size);
/** A copy of where its sub-groups wait, which the caller frees (object/gen_steps.h). Of a kernel
 * whose module was not asked for that is not known. */
struct gen_steps *wt_drm_kernel_steps(uint64_t address);

/** Whether the kernel is for groups of one size (reqd_work_group_size); false: it is not known. */
bool wt_drm_kernel_has_fixed_group(uint64_t address);

/** Whether the name of the kernel that begins at @p kernel is known. */
bool wt_drm_kernel_has_name(uint64_t kernel);

/** Writes the name of the kernel that begins at @p kernel, or its address. */
void wt_drm_kernel_name(uint64_t kernel, char *text, size_t size);

#endif
