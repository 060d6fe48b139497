/*
 * The kernels of the program, for debuggers: which are in the GPU's memory, and what the OpenCL
 * runtime has told of them when it compiled them (hook.c).
 */
#ifndef WT_DRM_CODE_H
#define WT_DRM_CODE_H

#include "object/gen_wire.h"

/** A kernel was compiled: its instructions, and an ELF file whose .text they are. The bytes are
 * copied; without host memory the kernel has no debug information. */
void drm_code_built(const char *name, const void *code, size_t size, const void *elf,
                    size_t elf_size);

/** A program's source text; what its file is called in the debug information comes to @p name.
 * False without host memory. */
bool drm_code_source(const char *text, size_t size, char *name, size_t room);

/**
 * The kernel at @p address is about to run. @p code is what the GPU has there, up to @p room bytes.
 * Breakpoints in it do not make it another kernel. The one that the compiler has put at the
 * beginning of a kernel for debuggers, by which they learn of launches, is taken out: ours learn of
 * them otherwise.
 */
void drm_code_runs(uint64_t address, uint8_t *code, size_t room);

/** A number for what the list of kernels is like now. */
uint64_t drm_code_state(void);

/** The kernels that have run and are still there, at most @p room: how many. */
uint32_t drm_code_list(struct gen_wire_kernel *list, uint32_t room);

/** Whether the address lies in the instructions of a kernel. */
bool drm_code_has(uint64_t address);

/** Copies up to @p size bytes of a kernel's ELF file from @p offset on: how many. */
uint32_t drm_code_elf(uint64_t number, uint64_t offset, void *out, uint32_t size);

/** The same of a source text; -1: there is none of that number. */
int32_t drm_code_text(uint64_t number, uint64_t offset, void *out, uint32_t size);

#endif
