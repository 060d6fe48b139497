/* Values of kernel arguments as people write them, for every family that launches kernels. */
#ifndef WT_RUNTIME_COMMON_VALUE_H
#define WT_RUNTIME_COMMON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/common/image_value.h"
#include "base/error.h"

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
    enum wt_value_kind kind;
    const char *name; /**< the argument's, which its kernel has; NULL: it is not known */
    uint8_t *bytes;   /**< PLAIN: the value; BUFFER, IMAGE: the first contents */
    size_t length;    /**< how many there are; LOCAL: bytes of local memory, and `bytes` is NULL */
    bool is_null;     /**< BUFFER: it is a null pointer, and has no bytes */
    bool read_only;   /**< BUFFER: kernels must not write it, which checks look at */
    uint64_t addr;    /**< BUFFER, IMAGE: where the launch put it; LOCAL: its offset */
    struct wt_image_shape image; /**< image of an IMAGE */
    struct wt_sampler sampler;   /**< sampler of a SAMPLER */
    /** BUFFER, IMAGE, where the launch put it: bytes of a slice, and from one to the next; 0: there
     * is one slice. */
    uint64_t slice, stride;
};

/*
 * grid, block: work-items of the grid, of a group.
 * lanes: of a wave; 0: as many as the device has.
 * shared: bytes that the launch adds to a group's memory, after the kernel's own.
 * value: one for each argument of the kernel.
 * handler: code of trap handlers; those without bytes are none.
 */
#define WT_KERNEL_LAUNCH_MEMBERS                                                                   \
    uint32_t grid[3], block[3];                                                                    \
    unsigned lanes;                                                                                \
    uint64_t shared;                                                                               \
    struct wt_value *value;                                                                        \
    size_t value_count;                                                                            \
    struct wt_value handler[2];

/** The launch of a kernel without a host program: the part that every family has. */
struct wt_kernel_launch {
    WT_KERNEL_LAUNCH_MEMBERS
};

/** The first member of a family's structure for such a launch: its members, and `given`. */
#define WT_KERNEL_LAUNCH                                                                           \
    union {                                                                                        \
        struct wt_kernel_launch given;                                                             \
        struct {                                                                                   \
            WT_KERNEL_LAUNCH_MEMBERS                                                               \
        };                                                                                         \
    }

/**
 * Parses a value for an argument of @p size bytes: a number ("1.5", "f32:1.5", "hex:…"), a buffer
 * ("zeros:SIZE", "iota:SIZE", "pattern:SIZE=HEX", "file:PATH", one of these behind "read-only:", or
 * "null"), local memory ("local:SIZE"), an
 * image, of which @p size is the number of its sizes ("image:…", "netpbm:PATH"; image_value.h) or a
 * sampler ("sampler:…"). The caller frees value->bytes, which is NULL on failure.
 */
enum wt_status wt_value_parse(enum wt_value_kind kind, size_t size, const char *text,
                              struct wt_value *value, struct wt_error *err);
/** Whether a value is a buffer's, for arguments of which nobody says whether they are pointers. */
bool wt_value_names_buffer(const char *text);

#endif
