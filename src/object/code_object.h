/*
 * Code objects: ELF files with kernels for AMD GPUs and metadata that describe them (LLVM, "User
 * Guide for AMDGPU Backend": code object versions 4 to 6).
 */
#ifndef WT_OBJECT_CODE_OBJECT_H
#define WT_OBJECT_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "object/gcn_object.h"
#include "object/gcn_target.h"
#include "base/error.h"

/** e_machine of code objects. */
#define GCN_ELF_MACHINE 224

/**
 * Reads a code object for @p target, of ABI version 4, 5 or 6 (also a generic one that the target
 * runs); @p name is used in messages. WT_INVALID for malformed files, other GPUs and other
 * versions; on failure there is nothing to free. The caller frees *object with gcn_object_free.
 */
enum wt_status gcn_object_parse(const char *name, const uint8_t *bytes, size_t length,
                                const struct gcn_target *target, struct gcn_object *object,
                                struct wt_error *err);
/** Frees what gcn_object_parse has made; *object is empty then. */
void gcn_object_free(struct gcn_object *object);

/**
 * The bytes of [@p addr, @p addr + @p size) as the file has them; NULL if they are not all there.
 * Valid as long as the object.
 */
const uint8_t *gcn_object_bytes(const struct gcn_object *object, uint64_t addr, size_t size);

/** The kernel of that name (without ".kd"); NULL if there is none. Valid as long as the object. */
const struct gcn_kernel *gcn_object_kernel(const struct gcn_object *object, const char *name);

#endif
