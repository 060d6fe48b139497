/* ELF files of the kernels that an OpenCL runtime has loaded on a Gen9. */
#ifndef WT_OBJECT_GEN_KERNEL_ELF_H
#define WT_OBJECT_GEN_KERNEL_ELF_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * Makes an ELF file for a kernel that the runtime has not described (its own kernels, and those of
 * programs that run without a debugger): its name and the size of its code are known; @p code is
 * its code, or NULL: the file has zeros there. The caller frees *bytes. WT_NO_MEMORY.
 */
enum wt_status gen_kernel_elf_make(const char *name, const uint8_t *code, uint64_t code_size,
                                   uint8_t **bytes, size_t *length, struct wt_error *err);

/** The runtime's file has one segment, the whole file; only the code is loaded. Other bytes stay as
 * they are. */
void gen_kernel_elf_correct(uint8_t *bytes, size_t length, uint64_t code_size);

#endif
