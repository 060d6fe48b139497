/*
 * The kernels of the program, for debuggers: those in the GPU's memory, and what the OpenCL runtime
 * has reported when it compiled them (hook.c).
 */
#ifndef WT_RUNTIME_I915_CODE_H
#define WT_RUNTIME_I915_CODE_H

#include "object/gen_wire.h"

/**
 * Notes that a kernel was compiled: its instructions, and an ELF file whose .text they are. The
 * bytes are copied; without host memory the kernel has no debug information.
 */
void drm_code_built(const char *name, const void *code, size_t size, const void *elf,
                    size_t elf_size);

/**
 * Notes a program's source text, which is copied; @p name becomes the name of its file in debug
 * information. False without host memory.
 */
bool drm_code_source(const char *text, size_t size, char *name, size_t room);

/**
 * Notes that the kernel at @p address of GPU @p device is about to run. @p code is what the GPU has
 * there, up to @p room bytes; breakpoints in it do not make it another kernel. Takes out the
 * breakpoint that the compiler has put at the kernel's beginning for debuggers, which learn of
 * launches otherwise here.
 */
void drm_code_runs(uint32_t device, uint64_t address, uint8_t *code, size_t room);

/** A number for the state of the list of kernels; another one after each change. */
uint64_t drm_code_state(void);

/** Fills in the kernels that have run and are still there, at most @p room; returns how many. */
uint32_t drm_code_list(struct gen_wire_kernel *list, uint32_t room);

/** Whether the address lies in the instructions of a kernel of that GPU. */
bool drm_code_has(uint32_t device, uint64_t address);

/** Copies up to @p size bytes of a kernel's ELF file from @p offset on; returns how many. */
uint32_t drm_code_elf(uint64_t number, uint64_t offset, void *out, uint32_t size);

/**
 * Copies up to @p size bytes of a source text from @p offset on; returns how many, or -1: there is
 * none of that number.
 */
int32_t drm_code_text(uint64_t number, uint64_t offset, void *out, uint32_t size);

#endif
