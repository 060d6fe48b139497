/*
 * printf of OpenCL C kernels. The compiler puts the texts into the metadata (amdhsa.printf), and
 * the kernel leaves a record for each call in a buffer (hidden_printf_buffer): two dwords, how many
 * bytes of records there are and how many the buffer has in all, then the records: the number of
 * the text, then the arguments. (LLVM, "User Guide for AMDGPU Backend"; its pass
 * AMDGPUPrintfRuntimeBinding, and printf_alloc of the device libraries.)
 */
#ifndef WT_RUNTIME_GCN_PRINTF_H
#define WT_RUNTIME_GCN_PRINTF_H

#include <stdio.h>

#include "object/code_object.h"

#define GCN_PRINTF_HEADER 8
/** What the bytes of the buffer are before the kernel runs. */
#define GCN_PRINTF_FILL 0xd7

/**
 * Prints the records in [bytes, bytes + length) as OpenCL C 2.0, section 6.12.13, has it. Returns
 * how many bytes were complete records of texts that the object has.
 */
size_t gcn_printf_print(const struct gcn_object *object, const uint8_t *bytes, size_t length,
                        FILE *out);

#endif
