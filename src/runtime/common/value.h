/* Values of kernel arguments as people write them, for every family that launches kernels. */
#ifndef WT_RUNTIME_COMMON_VALUE_H
#define WT_RUNTIME_COMMON_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/common/image_value.h"
#include "wavetrap/error.h"

/** The kind of an argument. */
enum wt_value_kind {
    WT_VALUE_PLAIN,  /**< a value of some bytes */
    WT_VALUE_BUFFER, /**< a pointer to global memory */
    WT_VALUE_LOCAL,  /**< a pointer to memory of the work-group */
    WT_VALUE_IMAGE,
    WT_VALUE_SAMPLER,
    WT_VALUE_OTHER, /**< a queue and the like: no value can be written for it */
};

/** The value of one argument. */
struct wt_value {
    uint8_t *bytes;              /**< PLAIN: the value; BUFFER, IMAGE: the first contents */
    size_t length;               /**< of them; LOCAL: bytes of local memory, and `bytes` is NULL */
    uint64_t addr;               /**< BUFFER, IMAGE: where the launch put it; LOCAL: its offset */
    struct wt_image_shape image; /**< of an IMAGE */
    struct wt_sampler sampler;   /**< of a SAMPLER */
};

/**
 * Parses a value for an argument of @p size bytes: a number ("1.5", "f32:1.5", "hex:…"), a buffer
 * ("zeros:SIZE", "iota:SIZE", "pattern:SIZE=HEX", "file:PATH"), local memory ("local:SIZE"), an
 * image, of which @p size is the number of its sizes ("image:…", "netpbm:PATH"; image_value.h) or a
 * sampler ("sampler:…"). The caller frees value->bytes, which is NULL on failure.
 */
enum wt_status wt_value_parse(enum wt_value_kind kind, size_t size, const char *text,
                              struct wt_value *value, struct wt_error *err);

#endif
