/* Shared by the readers of single image formats. Private to image*.c. */
#ifndef WT_OBJECT_IMAGE_FORMATS_H
#define WT_OBJECT_IMAGE_FORMATS_H

#include "object/image.h"

/** Bytes of a file, and of what its segments hold, at most. */
#define WT_IMAGE_MAX_BYTES ((uint64_t)1 << 30)
/** Memory that all segments together cover at most, zeros included. */
#define WT_IMAGE_MAX_MEMORY ((uint64_t)1 << 32)

/** A file in memory. */
struct wt_image_source {
    const char *name; /**< for messages */
    const uint8_t *bytes;
    size_t length;
};

/**
 * Appends a segment of @p size bytes of memory at @p addr that begins with a copy of @p bytes.
 * Nothing is appended when @p size is 0. Refuses memory past 2^64 and more than the limits above;
 * the caller adds the place in the file to the message, with wt_fail_in.
 */
enum wt_status wt_image_add(struct wt_image *image, uint64_t addr, const uint8_t *bytes,
                            size_t length, uint64_t size, bool executable, struct wt_error *err);

/*
 * One reader for each format. They fill *image, which is zeroed, and may leave it half filled on
 * failure: the caller frees it.
 */

/** Reads a little-endian ELF executable: its loadable segments, entry and machine. */
enum wt_status wt_image_parse_elf(const struct wt_image_source *source, struct wt_image *image,
                                  struct wt_error *err);
/** Reads an Intel HEX file: records of all six types, in any order of addresses. */
enum wt_status wt_image_parse_hex(const struct wt_image_source *source, struct wt_image *image,
                                  struct wt_error *err);
/**
 * Reads a .vxbin of Vortex: the first address and the end address, then the image, and the kernels
 * that a symbol table behind it names.
 */
enum wt_status wt_image_parse_vxbin(const struct wt_image_source *source, struct wt_image *image,
                                    struct wt_error *err);

#endif
