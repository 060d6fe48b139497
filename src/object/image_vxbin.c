/*
 * .vxbin, what Vortex's own runtime uploads: u64 first address, u64 end address (memory that is to
 * be zero included), both little-endian, then the image, which goes to the first address. From 2026
 * on a symbol table may follow the image: names one after another, each ended by a NUL; one entry
 * of 16 bytes for each kernel (u32 offset and u16 length of its name, u16 unused, u64 PC); u32
 * number of entries; "VXSYMTAB". It names kernels for the runtime's launches, which a start at the
 * first address does not need.
 */
#include "object/image_formats.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"

enum { HEADER = 16, TRAILER = 12, ENTRY = 16 };

/*
 * The length of the symbol table at the end of the file: 0 if there is none. The start of the names
 * is not recorded; it follows from the name that ends last.
 */
static enum wt_status symbol_table(const struct wt_image_source *source, size_t *length,
                                   struct wt_error *err)
{
    const uint8_t *end = source->bytes + source->length;
    size_t room = source->length - HEADER;
    *length = 0;
    if (room < TRAILER || memcmp(end - 8, "VXSYMTAB", 8) != 0)
        return WT_OK;
    uint64_t count = wt_load_le(end - TRAILER, 4);
    room -= TRAILER;
    if (count > room / ENTRY)
        return wt_fail(err, WT_INVALID,
                       "%s: its symbol table (offset 0x%zx) says %" PRIu64
                       " entries, more than fit the file",
                       source->name, source->length - TRAILER, count);
    const uint8_t *entry = end - TRAILER - count * ENTRY;
    room -= (size_t)count * ENTRY;
    uint64_t names = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t name_end = wt_load_le(entry + i * ENTRY, 4) + wt_load_le(entry + i * ENTRY + 4, 2);
        if (name_end + 1 > names)
            names = name_end + 1;
    }
    if (names > room)
        return wt_fail(err, WT_INVALID,
                       "%s: its symbol table has names of %" PRIu64
                       " bytes, more than fit the file",
                       source->name, names);
    *length = (size_t)(names + count * ENTRY + TRAILER);
    return WT_OK;
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
    size_t table;
    enum wt_status status = symbol_table(source, &table, err);
    if (status)
        return status;
    size_t length = source->length - HEADER - table;
    if (length > end - first)
        return wt_fail(err, WT_INVALID,
                       "%s: the image has 0x%zx bytes, but the header gives it 0x%" PRIx64
                       " (from 0x%" PRIx64 " to 0x%" PRIx64 ")",
                       source->name, length, end - first, first, end);
    image->has_entry = true;
    image->entry = first;
    if (wt_image_add(image, first, source->bytes + HEADER, length, end - first, true, err))
        return wt_fail_in(err, "%s", source->name);
    return WT_OK;
}
