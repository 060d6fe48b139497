/*
 * .vxbin, what Vortex's own runtime uploads: u64 first address, u64 end address (memory that is to
 * be zero included), both little-endian, then the image, which goes to the first address. From 2026
 * on a symbol table may follow the image: the names of the kernels; one entry of 16 bytes for each
 * (u32 offset and u16 length of its name, u16 unused, u64 PC); u32 number of entries; "VXSYMTAB".
 * The names end where the last of them ends: there is no NUL behind it (Vortex 3.0, module.cpp).
 */
#include "object/image_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { HEADER = 16, TRAILER = 12, ENTRY = 16 };

/* The parts of a symbol table; all NULL and 0: there is none. */
struct vxbin_table {
    const uint8_t *names, *entries;
    uint64_t count;
    size_t length; /* length of all of it, to the end of the file */
};

static uint64_t name_at(const uint8_t *entry)
{
    return wt_load_le(entry, 4);
}

static uint64_t name_length(const uint8_t *entry)
{
    return wt_load_le(entry + 4, 2);
}

/* Finds the symbol table at the end of the file. The start of the names is not recorded; it
 * follows from the name that ends last. */
static enum wt_status find_table(const struct wt_image_source *source, struct vxbin_table *t,
                                 struct wt_error *err)
{
    const uint8_t *end = source->bytes + source->length;
    size_t room = source->length - HEADER;
    *t = (struct vxbin_table){0};
    if (room < TRAILER || memcmp(end - 8, "VXSYMTAB", 8) != 0)
        return WT_OK;
    t->count = wt_load_le(end - TRAILER, 4);
    room -= TRAILER;
    if (t->count > room / ENTRY)
        return wt_fail(err, WT_INVALID,
                       "%s: its symbol table (offset 0x%zx) says %" PRIu64
                       " entries, more than fit the file",
                       source->name, source->length - TRAILER, t->count);
    t->entries = end - TRAILER - t->count * ENTRY;
    room -= (size_t)t->count * ENTRY;
    uint64_t names = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        const uint8_t *entry = t->entries + i * ENTRY;
        const uint64_t name_end = name_at(entry) + name_length(entry);
        names = name_end > names ? name_end : names;
    }
    if (names > room)
        return wt_fail(err, WT_INVALID,
                       "%s: its symbol table has names of %" PRIu64
                       " bytes, more than fit the file",
                       source->name, names);
    t->names = t->entries - names;
    t->length = (size_t)(names + t->count * ENTRY + TRAILER);
    return WT_OK;
}

/* A copy of a name of so many bytes, which are any. */
static char *copy_name(const uint8_t *name, size_t length)
{
    char *copy = malloc(length + 1);
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = name[i] > ' ' && name[i] < 0x7f ? (char)name[i] : '?';
    if (copy)
        copy[length] = 0;
    return copy;
}

static enum wt_status add_kernels(struct wt_image *image, const struct vxbin_table *t,
                                  struct wt_error *err)
{
    image->has_kernels = t->entries != NULL;
    if (!t->count)
        return WT_OK;
    image->kernel = calloc(t->count, sizeof *image->kernel);
    for (; image->kernel && image->kernels < t->count; image->kernels++) {
        struct wt_image_kernel *kernel = &image->kernel[image->kernels];
        const uint8_t *entry = t->entries + image->kernels * ENTRY;
        kernel->addr = wt_load_le(entry + 8, 8);
        kernel->name = copy_name(t->names + name_at(entry), name_length(entry));
        if (!kernel->name)
            break;
    }
    return image->kernels == t->count
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no host memory for %" PRIu64 " names", t->count);
}

enum wt_status wt_image_parse_vxbin(const struct wt_image_source *source, struct wt_image *image,
                                    struct wt_error *err)
{
    image->format = WT_IMAGE_VXBIN;
    if (source->length <= HEADER)
        return wt_fail(err, WT_INVALID,
                       "%s: a .vxbin file has a header of 16 bytes and an image; this one has %zu "
                       "bytes in all",
                       source->name, source->length);
    uint64_t first = wt_load_le(source->bytes, 8), end = wt_load_le(source->bytes + 8, 8);
    if (end <= first)
        return wt_fail(err, WT_INVALID,
                       "%s: the header's end address 0x%" PRIx64
                       " (offset 8) is not above its first address 0x%" PRIx64 " (offset 0)",
                       source->name, end, first);
    struct vxbin_table table;
    enum wt_status status = find_table(source, &table, err);
    if (status)
        return status;
    size_t length = source->length - HEADER - table.length;
    if (length > end - first)
        return wt_fail(err, WT_INVALID,
                       "%s: the image has 0x%zx bytes, but the header gives it 0x%" PRIx64
                       " (from 0x%" PRIx64 " to 0x%" PRIx64 ")",
                       source->name, length, end - first, first, end);
    image->has_entry = true;
    image->entry = first;
    if (wt_image_add(image, first, source->bytes + HEADER, length, end - first, true, err))
        return wt_fail_in(err, "%s", source->name);
    return add_kernels(image, &table, err);
}
