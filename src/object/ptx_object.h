/*
 * Texts of PTX in an object file that tools of LLVM for NVIDIA's GPUs take: an ELF file with the
 * symbols of the texts, whose code is the texts themselves. The driver compiles them when they are
 * loaded.
 */
#ifndef WT_OBJECT_PTX_OBJECT_H
#define WT_OBJECT_PTX_OBJECT_H

#include "base/buffer.h"
#include "object/ptx.h"

struct ptx_object_text {
    char *name, *text; /**< the file's, for messages; it ends with a NUL */
    size_t length;
};

/** Writes an object for sm_@p capability: relocatable, or (@p linked) an executable. */
enum wt_status ptx_object_write(const struct ptx_object_text *text, size_t count,
                                unsigned capability, bool linked, struct wt_buffer *out,
                                struct wt_error *err);

/**
 * Whether the bytes begin an object that ptx_object_write has made; *size becomes the size of all
 * of it.
 */
bool ptx_object_is(const uint8_t *bytes, size_t available, size_t *size);

/**
 * Calls @p add for each text of an object. A result other than WT_OK ends the walk and is returned.
 */
enum wt_status ptx_object_each(const uint8_t *bytes, size_t size,
                               enum wt_status (*add)(void *context, const char *name,
                                                     const char *text, size_t length,
                                                     struct wt_error *err),
                               void *context, struct wt_error *err);

#endif
