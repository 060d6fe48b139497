/* Reading and writing fat binaries of CUDA. See cuda_fatbin.h. */
#include "object/cuda_fatbin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "object/unpack.h"

enum {
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64, /* at least: newer ones have more behind it */
    MOST_ENTRY_HEADER = 1 << 16,
    FLAG_64_BITS = 0x1,
    FLAG_LINUX = 0x10,
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    MOST_UNPACKED = 256 << 20,
    LZ4_MOST = 255, /* bytes that one can stand for */
};

bool cuda_fatbin_is(const uint8_t *bytes, size_t available)
{
    return available >= CONTAINER_HEADER && wt_load_le(bytes, 4) == CUDA_FATBIN_MAGIC;
}

uint64_t cuda_fatbin_size(const uint8_t *bytes)
{
    const uint64_t header = wt_load_le(bytes + 6, 2), rest = wt_load_le(bytes + 8, 8);
    return cuda_fatbin_is(bytes, CONTAINER_HEADER) && rest <= SIZE_MAX / 2 ? header + rest : 0;
}

static enum wt_status damaged(const char *what, size_t at, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "a fat binary that is damaged: %s at offset 0x%zx", what, at);
}

enum wt_status cuda_fatbin_next(const uint8_t *bytes, size_t length, size_t *at,
                                struct cuda_fatbin_entry *entry, struct wt_error *err)
{
    *entry = (struct cuda_fatbin_entry){0};
    if (!cuda_fatbin_is(bytes, length))
        return wt_fail(err, WT_INVALID, "no fat binary of CUDA");
    const uint64_t whole = cuda_fatbin_size(bytes), first = wt_load_le(bytes + 6, 2);
    if (wt_load_le(bytes + 4, 2) != 1 || first < CONTAINER_HEADER || !whole)
        return damaged("its header", 0, err);
    if (whole > length)
        return wt_fail(err, WT_INVALID, "a fat binary of %" PRIu64 " bytes is cut short after %zu",
                       whole, length);
    if (!*at)
        *at = (size_t)first;
    const size_t left = (size_t)whole - *at;
    if (!left)
        return WT_OK;
    const uint8_t *e = bytes + *at;
    if (left < ENTRY_HEADER)
        return damaged("an entry", *at, err);
    const uint64_t header = wt_load_le(e + 4, 4), size = wt_load_le(e + 8, 8);
    if (header < ENTRY_HEADER || header > MOST_ENTRY_HEADER || header > left ||
        size > left - header || !wt_load_le(e, 2))
        return damaged("an entry", *at, err);
    *entry = (struct cuda_fatbin_entry){.kind = (unsigned)wt_load_le(e, 2),
                                        .capability = (unsigned)wt_load_le(e + 28, 4),
                                        .flags = wt_load_le(e + 40, 8),
                                        .payload = e + header,
                                        .payload_size = (size_t)size};
    if (entry->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
        entry->compressed_size = (size_t)wt_load_le(e + 16, 4);
        entry->size = (size_t)wt_load_le(e + 56, 8);
        if (entry->compressed_size > size || entry->size > MOST_UNPACKED ||
            (entry->flags & FLAG_LZ4 && entry->size > LZ4_MOST * (entry->compressed_size + 1)))
            return damaged("sizes of a compressed entry", *at, err);
    }
    *at += (size_t)(header + size);
    return WT_OK;
}

/* ---- the choice ---- */

/* How good an entry is for a device; 0: not at all. */
static unsigned rank(const struct cuda_fatbin_entry *e, unsigned device,
                     bool (*runs)(const struct cuda_fatbin_entry *entry))
{
    enum { CODE = 100000, PTX = 1000 };
    const unsigned of = e->capability < 200 ? e->capability : 200;
    if (e->kind == CUDA_FATBIN_ELF)
        return !runs || of / 10 != device / 10 || !runs(e) ? 0
               : of <= device                              ? CODE + PTX + of
                                                           : CODE - of;
    if (e->kind == CUDA_FATBIN_PTX)
        return of <= device ? PTX + of : PTX - of;
    return 0;
}

static void add_word(char *list, size_t size, const struct cuda_fatbin_entry *e)
{
    const size_t n = strlen(list);
    if (n + 20 < size)
        snprintf(list + n, size - n, "%s%s_%u", n ? ", " : "",
                 e->kind == CUDA_FATBIN_PTX   ? "compute"
                 : e->kind == CUDA_FATBIN_ELF ? "sm"
                                              : "another kind for sm",
                 e->capability);
}

enum wt_status cuda_fatbin_choose(const uint8_t *bytes, size_t length, unsigned capability,
                                  bool (*runs)(const struct cuda_fatbin_entry *entry),
                                  struct cuda_fatbin_entry *entry, struct wt_error *err)
{
    enum wt_status status;
    struct cuda_fatbin_entry one;
    unsigned best = 0;
    char list[200] = "";
    for (size_t at = 0;
         (status = cuda_fatbin_next(bytes, length, &at, &one, err)) == WT_OK && one.kind;) {
        const unsigned good = rank(&one, capability, runs);
        add_word(list, sizeof list, &one);
        if (good > best) {
            best = good;
            *entry = one;
        }
    }
    if (status)
        return status;
    if (best)
        return WT_OK;
    return wt_fail(
        err, WT_UNSUPPORTED,
        "a fat binary that has no PTX, and no code for a GPU of compute capability "
        "%u.%u that can run here (sm_50, sm_52, sm_53): it has %s; nvcc -arch=compute_50, "
        "or another number, adds PTX",
        capability / 10, capability % 10, *list ? list : "nothing");
}

/* ---- what an entry holds ---- */

/* A length in LZ4's encoding: 15 means that it continues in the bytes that follow. */
static bool read_length(const uint8_t *from, size_t size, size_t *at, size_t *length)
{
    unsigned byte = 255;
    if (*length != 15)
        return true;
    while (byte == 255) {
        if (*at == size)
            return false;
        *length += byte = from[(*at)++];
    }
    return *length <= MOST_UNPACKED;
}

/* One block of LZ4 ("LZ4 Block Format Description"): literals, then a match of what was written. */
static bool unpack_lz4(const uint8_t *from, size_t size, uint8_t *to, size_t room)
{
    size_t at = 0, out = 0;
    while (at < size) {
        const unsigned token = from[at++];
        size_t literals = token >> 4, match = token & 15;
        if (!read_length(from, size, &at, &literals) || literals > size - at ||
            literals > room - out)
            return false;
        memcpy(to + out, from + at, literals);
        at += literals;
        out += literals;
        if (at == size)
            break;
        if (size - at < 2)
            return false;
        const size_t back = (size_t)wt_load_le(from + at, 2);
        at += 2;
        if (!read_length(from, size, &at, &match) || !back || back > out || match + 4 > room - out)
            return false;
        for (size_t i = 0; i < match + 4; i++, out++)
            to[out] = to[out - back];
    }
    return out == room;
}

/*
 * By the system's Zstandard: nvcc compresses so from 12.8 on.
 */
static enum wt_status unpack_zstd(const uint8_t *from, size_t size, uint8_t *to, size_t room,
                                  struct wt_error *err)
{
    const enum wt_status status = wt_unpack(WT_PACKED_BY_ZSTD, from, size, to, room);
    if (status == WT_UNSUPPORTED)
        return wt_fail(err, WT_UNSUPPORTED,
                       "a fat binary whose code is compressed by Zstandard: install libzstd1, or "
                       "build it with nvcc --compress-mode=speed or -no-compress");
    return status == WT_OK
               ? WT_OK
               : wt_fail(err, WT_INVALID, "a fat binary whose compressed code is damaged");
}

enum wt_status cuda_fatbin_unpack(const struct cuda_fatbin_entry *entry, struct wt_buffer *out,
                                  struct wt_error *err)
{
    if (!(entry->flags & (FLAG_LZ4 | FLAG_ZSTD))) {
        wt_buffer_append(out, entry->payload, entry->payload_size);
        return out->failed ? wt_fail(err, WT_NO_MEMORY, "no host memory") : WT_OK;
    }
    uint8_t *to = entry->size ? wt_buffer_extend(out, entry->size) : (uint8_t[1]){0};
    if (!to)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (entry->flags & FLAG_ZSTD)
        return unpack_zstd(entry->payload, entry->compressed_size, to, entry->size, err);
    return unpack_lz4(entry->payload, entry->compressed_size, to, entry->size)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "a fat binary whose compressed code is damaged");
}

/* ---- writing ---- */

void cuda_fatbin_write(const struct cuda_fatbin_image *image, size_t count, struct wt_buffer *out)
{
    uint64_t rest = 0;
    for (size_t i = 0; i < count; i++)
        rest += ENTRY_HEADER + (image[i].length + 7) / 8 * 8;
    wt_buffer_append_number(out, CUDA_FATBIN_MAGIC, 4);
    wt_buffer_append_number(out, 1, 2);
    wt_buffer_append_number(out, CONTAINER_HEADER, 2);
    wt_buffer_append_number(out, rest, 8);
    for (size_t i = 0; i < count; i++) {
        const size_t whole = (image[i].length + 7) / 8 * 8;
        wt_buffer_append_number(out, image[i].kind, 2);
        wt_buffer_append_number(out, 0x101, 2);
        wt_buffer_append_number(out, ENTRY_HEADER, 4);
        wt_buffer_append_number(out, whole, 8);
        wt_buffer_append_number(out, 0, 8);
        wt_buffer_append_number(out, 0, 4); /* version of the PTX, which says so itself */
        wt_buffer_append_number(out, image[i].capability, 4);
        wt_buffer_append_number(out, 0, 8);
        wt_buffer_append_number(out, FLAG_64_BITS | FLAG_LINUX, 8);
        wt_buffer_append_number(out, 0, 8);
        wt_buffer_append_number(out, 0, 8);
        wt_buffer_append(out, image[i].bytes, image[i].length);
        wt_buffer_append(out, "\0\0\0\0\0\0\0", whole - image[i].length);
    }
}
