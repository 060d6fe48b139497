/*
 * printf of OpenCL C kernels. The compiler puts the texts into the metadata (amdhsa.printf), and
 * the kernel writes a record for each call into a buffer (hidden_printf_buffer). The buffer begins
 * with two dwords: the bytes of records in it, and its size. A record is the number of the text,
 * then the arguments. (LLVM, "User Guide for AMDGPU Backend"; its pass
 * AMDGPUPrintfRuntimeBinding, and printf_alloc of the device libraries.)
 */
#ifndef WT_RUNTIME_GCN_PRINTF_H
#define WT_RUNTIME_GCN_PRINTF_H

#include <stdio.h>

#include "object/code_object.h"

#define GCN_PRINTF_HEADER 8
/** The value of each byte of the buffer before the kernel runs. */
#define GCN_PRINTF_FILL 0xd7

/**
 * Prints the records in [bytes, bytes + length) by OpenCL C 2.0, section 6.12.13. Returns the
 * number of bytes that were complete records of the object's texts.
 */
size_t gcn_printf_print(const struct gcn_object *object, const uint8_t *bytes, size_t length,
                        FILE *out);

#endif
