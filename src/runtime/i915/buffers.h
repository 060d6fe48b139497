/*
 * Where the memory is that commands are about: buffers of OpenCL begin in objects of the driver,
 * which have an address as soon as the GPU uses them. For --check=race and --check=init; each
 * function does nothing where neither is asked for.
 */
#ifndef WT_RUNTIME_I915_BUFFERS_H
#define WT_RUNTIME_I915_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A part of memory. */
struct drm_part {
    const void *buffer; /**< NULL: the offset is an address */
    uint64_t offset, size;
    uint64_t rows, row_pitch, slices, slice_pitch; /**< a box of rows of `size` bytes; 0: one */
    bool is_image; /**< it is some of an image, `buffer`; how that lies in memory the runtime knows
                    */
};

/** Some of an image, by its handle. */
static inline struct drm_part drm_image_part(const void *image)
{
    return (struct drm_part){.buffer = image, .size = 1, .is_image = true};
}

/** How an image without tiles lies in memory: bytes. */
struct drm_rows {
    uint64_t texel, row; /**< from one to the next, of rows of the only slice; 0: not known */
    uint64_t size;       /**< size of all */
};

/** The program has made a buffer. It begins @p lead bytes into object @p number of the opening
 * @p file of the driver. */
void drm_buffer_made(const void *buffer, const void *file, uint32_t number, uint64_t lead);
/** The program has made a sub-buffer of buffer @p of, @p offset bytes into it. */
void drm_buffer_part(const void *buffer, const void *of, uint64_t offset);
/** A buffer that was made, or a part of another one, is an image, whose texels lie so; NULL: in
 * tiles. A part of an image in tiles is in tiles. */
void drm_buffer_is_image(const void *image, const struct drm_rows *rows);
/** The texels of an image that a map is about: OpenCL's origin and region. */
struct drm_part drm_image_box(const void *image, const size_t *origin, const size_t *region);
/** The GPU has object @p number at @p address; 0: nowhere any more. Returns where it was. */
uint64_t drm_buffer_placed(const void *file, uint32_t number, uint64_t address);

/** The program has mapped @p part at @p at, until drm_buffer_unmapped(). @p stores: it may store to
 * it. */
void drm_buffer_mapped(const void *at, const struct drm_part *part, bool stores);
/** The program is about to unmap what it has at @p at. Returns the part that the unmapping stores;
 * size 0: none. */
struct drm_part drm_buffer_unmapped(const void *at);

/** Where a part of memory is. */
struct drm_place {
    uint64_t object;  /**< a number of the driver's object; 0: the offset is an address */
    uint64_t offset;  /**< in the object */
    uint64_t address; /**< address of the object; 0: the GPU has it nowhere */
};
/** Finds it. False: the buffer is not known. */
bool drm_buffer_find(const struct drm_part *part, struct drm_place *place);
/** The number of an object. */
uint64_t drm_buffer_object(const void *file, uint32_t number);

#endif
