/* The metadata note of a code object: MessagePack that describes kernels and arguments. */
#ifndef WT_OBJECT_METADATA_H
#define WT_OBJECT_METADATA_H

#include "object/gcn_object.h"
#include "base/error.h"

/**
 * Adds to object->kernel (names, arguments, sizes; not the descriptors) and object->format. GCC
 * makes a note for each kernel. On failure the caller frees what was filled in, by gcn_object_free.
 */
enum wt_status gcn_metadata_parse(const char *name, const uint8_t *bytes, size_t length,
                                  struct gcn_object *object, struct wt_error *err);

#endif
