/*
 * Intel's older form of compiled OpenCL programs, which `ocloc` makes without --format zebin: a
 * header, then for each kernel its heaps and a list of patch tokens that say how to launch it.
 * (Intel Graphics Compiler, ocl_igc_shared/executable_format/patch_list.h and patch_shared.h.)
 */
#ifndef WT_OBJECT_PATCHTOKENS_H
#define WT_OBJECT_PATCHTOKENS_H

#include "object/zebin.h"

/** Of the header: "INTC" from the most significant byte on. */
#define GEN_PATCHTOKENS_MAGIC 0x494e5443u

/** Of the ELF files in which `ocloc` and clGetProgramInfo put such a program: e_type. */
#define GEN_OPENCL_EXECUTABLE 0xff04

/** Whether a file is such a program, itself or within such an ELF file. */
bool gen_patchtokens_is_file(const char *path);

/** Parses such a program into @p object, which is empty and which the caller frees, also on
 * failure. WT_UNSUPPORTED: it needs relocations. */
enum wt_status gen_patchtokens_parse(const char *name, const uint8_t *bytes, size_t length,
                                     struct gen_object *object, struct wt_error *err);

#endif
