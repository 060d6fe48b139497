/*
 * printf of OpenCL C kernels on Gen9. The kernel writes a record for each call into a buffer, whose
 * first dword is the bytes in use, itself included. A record is the address of the format, then for
 * each conversion a dword with the kind of value and the value. Where the kernel has texts of its
 * own (patch tokens), there are their indices, dwords, instead of addresses.
 * (intel/compute-runtime, shared/source/program/print_formatter.h and .cpp.)
 */
#ifndef WT_RUNTIME_GEN_PRINTF_H
#define WT_RUNTIME_GEN_PRINTF_H

#include <stdio.h>

#include "emulator/gen/gen.h"
#include "object/zebin.h"

/** The first record. */
#define GEN_PRINTF_HEADER 4

/**
 * Prints the records in [bytes, bytes + length). The device has the texts that they point to.
 * Returns the number of bytes that were complete records.
 */
size_t gen_printf_print(struct gen_device *device, const struct gen_kernel *kernel,
                        const uint8_t *bytes, size_t length, FILE *out);

#endif
