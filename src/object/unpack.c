/* See unpack.h. */
#include "object/unpack.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { MOST_BUNDLE = 1 << 30 };

/* As the libraries' headers declare them. */
typedef size_t zstd_decompress(void *to, size_t room, const void *from, size_t size);
typedef int zlib_uncompress(uint8_t *to, unsigned long *room, const uint8_t *from,
                            unsigned long size);

enum wt_status wt_unpack(enum wt_packing how, const uint8_t *from, size_t size, uint8_t *to,
                         size_t room)
{
    const bool zstd = how == WT_PACKED_BY_ZSTD;
    unsigned long written = 0;
    void *library = dlopen(zstd ? "libzstd.so.1" : "libz.so.1", RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, zstd ? "ZSTD_decompress" : "uncompress") : NULL;
    if (function && zstd) /* a result that is no size is a mistake */
        written = (*(zstd_decompress **)&function)(to, room, from, size);
    else if (function) {
        written = room;
        if ((*(zlib_uncompress **)&function)(to, &written, from, size))
            written = 0;
    }
    if (library)
        dlclose(library);
    return !function ? WT_UNSUPPORTED : written == room ? WT_OK : WT_INVALID;
}

bool wt_packed_bundle_at(const uint8_t *bytes, size_t room, struct wt_packed_bundle *bundle)
{
    enum { VERSION = 4, METHOD = 6, SIZES = 8, HASH = 8 };
    if (room < SIZES || memcmp(bytes, "CCOB", 4) != 0)
        return false;
    const uint64_t version = wt_load_le(bytes + VERSION, 2), method = wt_load_le(bytes + METHOD, 2);
    /* The size of the file, which version 1 does not have, and that of what it stands for. */
    const size_t wide = version == 3 ? 8 : 4, before = version == 1 ? 0 : wide;
    const size_t header = SIZES + before + wide + HASH;
    if (version < (room == SIZE_MAX ? 2 : 1) || version > 3 || method > WT_PACKED_BY_ZSTD ||
        room < header)
        return false;
    const uint64_t length = before ? wt_load_le(bytes + SIZES, (unsigned)before) : room;
    const uint64_t whole = wt_load_le(bytes + SIZES + before, (unsigned)wide);
    if (length < header || length > room || !whole || whole > MOST_BUNDLE)
        return false;
    *bundle = (struct wt_packed_bundle){.how = (enum wt_packing)method,
                                        .bytes = bytes + header,
                                        .size = (size_t)length - header,
                                        .whole = (size_t)whole};
    return true;
}

uint8_t *wt_packed_bundle_unpack(const struct wt_packed_bundle *bundle, struct wt_error *err)
{
    uint8_t *to = malloc(bundle->whole);
    if (!to) {
        wt_fail(err, WT_NO_MEMORY, "no host memory");
        return NULL;
    }
    const enum wt_status status =
        wt_unpack(bundle->how, bundle->bytes, bundle->size, to, bundle->whole);
    if (status == WT_OK)
        return to;
    free(to);
    if (status == WT_UNSUPPORTED)
        wt_fail(err, status,
                "its code for GPUs is compressed: install %s, or compile with "
                "--no-offload-compress",
                bundle->how == WT_PACKED_BY_ZSTD ? "libzstd1" : "zlib1g");
    else
        wt_fail(err, status, "its code for GPUs is compressed, and damaged");
    return NULL;
}
