/* See buffers.h. What is noted of a handle stays until another thing has it. */
#include "runtime/i915/buffers.h"

#include <pthread.h>

#include "base/map.h"
#include "runtime/common/checked.h"

/* A part of an object. */
struct drm_buffer {
    uint64_t object, offset; /* a key of `places` */
    bool tiled;              /* an image in tiles, */
    struct drm_rows rows;    /* or one whose texels have a size */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wt_map buffers; /* handle: struct drm_buffer */
static struct wt_map places;  /* object: its address */
static struct wt_map maps;    /* address: struct drm_part that is mapped there */

static bool begins(void)
{
    return (wt_check_wants(WT_CHECK_RACE) || wt_check_wants(WT_CHECK_INIT)) &&
           !pthread_mutex_lock(&lock);
}

static void ends(void)
{
    pthread_mutex_unlock(&lock);
}

uint64_t drm_buffer_object(const void *file, uint32_t number)
{
    return (uint64_t)(uintptr_t)file << 16 ^ number;
}

/* The object of a handle; a new one is all zeros. NULL without host memory. */
static void *of_handle(struct wt_map *map, const void *handle, size_t size)
{
    return handle ? wt_map_block(map, (uint64_t)(uintptr_t)handle, size) : NULL;
}

static void add_buffer(const void *buffer, struct drm_buffer is)
{
    struct drm_buffer *b = of_handle(&buffers, buffer, sizeof *b);
    if (b)
        *b = is;
}

static struct drm_buffer find(const struct drm_part *part)
{
    const uint64_t *there =
        part->buffer ? wt_map_find(&buffers, (uint64_t)(uintptr_t)part->buffer) : NULL;
    struct drm_buffer b = {0};
    if (there)
        b = *(const struct drm_buffer *)(uintptr_t)*there;
    b.offset += part->offset;
    return b;
}

void drm_buffer_made(const void *buffer, const void *file, uint32_t number, uint64_t lead)
{
    if (!begins())
        return;
    add_buffer(buffer, (struct drm_buffer){.object = number ? drm_buffer_object(file, number) : 0,
                                           .offset = lead});
    ends();
}

void drm_buffer_part(const void *buffer, const void *of, uint64_t offset)
{
    if (!begins())
        return;
    add_buffer(buffer, find(&(struct drm_part){.buffer = of, .offset = offset}));
    ends();
}

void drm_buffer_is_image(const void *image, const struct drm_rows *rows)
{
    if (!begins())
        return;
    struct drm_buffer b = find(&(struct drm_part){.buffer = image});
    b.tiled |= !rows;
    if (!b.tiled)
        b.rows = *rows;
    add_buffer(image, b);
    ends();
}

struct drm_part drm_image_box(const void *image, const size_t *origin, const size_t *region)
{
    struct drm_buffer b = {.tiled = true};
    if (begins()) {
        b = find(&(struct drm_part){.buffer = image});
        ends();
    }
    const struct drm_rows *rows = &b.rows;
    if (b.tiled || !b.object || !origin || !region)
        return drm_image_part(image);
    if (!rows->texel)
        return (struct drm_part){.buffer = image, .size = rows->size};
    return (struct drm_part){.buffer = image,
                             .offset = origin[0] * rows->texel + origin[1] * rows->row,
                             .size = region[0] * rows->texel,
                             .rows = region[1],
                             .row_pitch = rows->row};
}

uint64_t drm_buffer_placed(const void *file, uint32_t number, uint64_t address)
{
    uint64_t was = 0;
    if (!begins())
        return 0;
    uint64_t *place = wt_map_add(&places, drm_buffer_object(file, number));
    if (place) {
        was = *place;
        *place = address;
    }
    ends();
    return was;
}

void drm_buffer_mapped(const void *at, const struct drm_part *part, bool stores)
{
    if (!begins())
        return;
    struct drm_part *map = of_handle(&maps, at, sizeof *map);
    if (map) {
        *map = *part;
        map->size = stores ? part->size : 0;
    }
    ends();
}

struct drm_part drm_buffer_unmapped(const void *at)
{
    struct drm_part part = {.size = 0};
    if (!begins())
        return part;
    struct drm_part *map = of_handle(&maps, at, sizeof *map);
    if (map) {
        part = *map;
        part.is_image &= part.size != 0;
        *map = (struct drm_part){.size = 0};
    }
    ends();
    return part;
}

bool drm_buffer_find(const struct drm_part *part, struct drm_place *place)
{
    if (!begins())
        return false;
    const struct drm_buffer b = find(part);
    const uint64_t *there = b.object ? wt_map_find(&places, b.object) : NULL;
    *place = (struct drm_place){b.object, b.offset, there ? *there : 0};
    ends();
    return !part->buffer || b.object;
}
