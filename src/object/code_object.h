/*
 * Code objects: ELF files with kernels for gfx900 and metadata that describe them (LLVM, "User
 * Guide for AMDGPU Backend": code object versions 4 and 5).
 */
#ifndef WT_OBJECT_CODE_OBJECT_H
#define WT_OBJECT_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/gcn_object.h"
#include "wavetrap/error.h"

/** e_machine of code objects. */
#define GCN_ELF_MACHINE 224

/**
 * Reads a code object; @p name is used in messages. What is malformed, for another GPU or of
 * another version gives WT_INVALID, and nothing is left to free.
 */
enum wt_status gcn_object_parse(const char *name, const uint8_t *bytes, size_t length,
                                struct gcn_object *object, struct wt_error *err);
void gcn_object_free(struct gcn_object *object);

/** The bytes of [@p addr, @p addr + @p size) as the file has them, or NULL if they are not all
 * there.
 */
const uint8_t *gcn_object_bytes(const struct gcn_object *object, uint64_t addr, size_t size);

/** The kernel of that name (without ".kd"), or NULL. */
const struct gcn_kernel *gcn_object_kernel(const struct gcn_object *object, const char *name);

#endif
