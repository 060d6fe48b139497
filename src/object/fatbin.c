/* See fatbin.h. */
#include "object/fatbin.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"
#include "object/unpack.h"

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed[] = "CCOB";
static_assert(sizeof magic - 1 == GCN_FATBIN_MAGIC, "the magic's length");
enum { MAGIC = GCN_FATBIN_MAGIC, ALIGN = 4096, IDENT = 16, IDENT_ABI_VERSION = 8 };
/* More than any compiler has targets. */
enum { MOST_ENTRIES = 1000 };

static void add_target(char *targets, size_t size, const char *name, size_t length)
{
    const size_t n = strlen(targets);
    static const char more[] = ", …";
    if (n + 2 + length + sizeof more <= size) /* room for the last word stays */
        snprintf(targets + n, size - n, "%s%.*s", n ? ", " : "", (int)length, name);
    else if (n < sizeof more || strcmp(targets + n - (sizeof more - 1), more) != 0)
        snprintf(targets + n, size - n, "%s", more);
}

/* The GPU's part of "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-": NULL for a target that is no GPU. */
static const char *gpu_of(const char *target, size_t length, size_t *gpu_length)
{
    const char *end = target + length;
    if (length < 3 || memcmp(target, "hip", 3) != 0)
        return NULL;
    for (const char *p = end - 3; p > target; p--) {
        if (p[-1] == '-' && memcmp(p, "gfx", 3) == 0) {
            *gpu_length = (size_t)(end - p);
            return p;
        }
    }
    return NULL;
}

/* Whether a GPU with features is that processor; *features become the rest of the text. */
static bool is(const char *gpu, size_t length, const char *name, const char **features,
               size_t *features_length)
{
    const size_t first = strlen(name);
    *features = gpu + first;
    *features_length = length - first;
    return length >= first && memcmp(gpu, name, first) == 0 &&
           (length == first || gpu[first] == ':');
}

static unsigned version_of(const uint8_t *code, size_t size)
{
    if (size < IDENT || memcmp(code, "\177ELF", 4) != 0)
        return 0;
    return code[IDENT_ABI_VERSION] + 2u; /* 0 is version 2 */
}

/* Looks at the entries of the bundle at fatbin->at; returns how many bytes it has, 0 if it is none.
 */
static size_t read_bundle(const struct gcn_fatbin *fatbin, struct gcn_fatbin_bundle *bundle)
{
    const uint8_t *start = fatbin->bytes + fatbin->at;
    const size_t room = fatbin->size - fatbin->at;
    if (room < MAGIC + 8 || memcmp(start, magic, MAGIC) != 0)
        return 0;
    const uint64_t entries = wt_load_le(start + MAGIC, 8);
    size_t at = MAGIC + 8, end = at;
    bool xnack = false;
    if (entries > MOST_ENTRIES)
        return 0;
    for (uint64_t i = 0; i < entries; i++) {
        if (room - at < 24)
            return 0;
        const uint64_t offset = wt_load_le(start + at, 8), size = wt_load_le(start + at + 8, 8);
        const uint64_t length = wt_load_le(start + at + 16, 8);
        at += 24;
        if (length > room - at || offset > room || size > room - offset)
            return 0;
        size_t gpu_length = 0;
        const char *gpu = gpu_of((const char *)start + at, (size_t)length, &gpu_length);
        at += (size_t)length;
        end = offset + size > end ? (size_t)(offset + size) : end;
        if (!gpu)
            continue;
        add_target(bundle->targets, sizeof bundle->targets, gpu, gpu_length);
        const char *features;
        size_t features_length;
        if (!is(gpu, gpu_length, fatbin->target->name, &features, &features_length))
            continue;
        const char *other = fatbin->target->xnack == GCN_XNACK_ON ? ":xnack-" : ":xnack+";
        xnack |= features_length && memmem(features, features_length, other, strlen(other));
        if (gcn_target_takes(fatbin->target, features, features_length)) {
            bundle->verdict = GCN_FATBIN_GOOD;
            bundle->version = version_of(start + offset, (size_t)size);
            bundle->object = start + offset;
            bundle->object_size = (size_t)size;
        }
    }
    if (bundle->verdict != GCN_FATBIN_GOOD && xnack)
        bundle->verdict = GCN_FATBIN_XNACK;
    if (!*bundle->targets)
        snprintf(bundle->targets, sizeof bundle->targets, "nothing");
    return end > at ? end : at;
}

bool gcn_fatbin_begins(const char bytes[GCN_FATBIN_MAGIC])
{
    return memcmp(bytes, magic, MAGIC) == 0;
}

bool gcn_fatbin_is_file(const char *path)
{
    char start[MAGIC];
    return wt_file_begin(path, start, MAGIC) == MAGIC &&
           (gcn_fatbin_begins(start) || memcmp(start, compressed, sizeof compressed - 1) == 0);
}

/* Adds them behind the bytes of a file, which malloc() has made. */
static void unpack(uint8_t **bytes, size_t *length)
{
    const size_t own = *length;
    struct wt_packed_bundle packed;
    struct wt_error err;
    const uint8_t *found;
    for (size_t at = 0; at < own && (found = memmem(*bytes + at, own - at, compressed, 4));) {
        at = (size_t)(found - *bytes);
        uint8_t *unpacked = wt_packed_bundle_at(found, own - at, &packed)
                                ? wt_packed_bundle_unpack(&packed, &err)
                                : NULL;
        const size_t begin = (*length + ALIGN - 1) / ALIGN * ALIGN;
        uint8_t *grown = unpacked ? realloc(*bytes, begin + packed.whole) : NULL;
        if (grown) {
            memset(grown + *length, 0, begin - *length);
            memcpy(grown + begin, unpacked, packed.whole);
            *bytes = grown;
            *length = begin + packed.whole;
        }
        free(unpacked);
        at += 4;
    }
}

enum wt_status gcn_fatbin_read(const char *path, uint8_t **bytes, size_t *length, size_t *own,
                               struct wt_error *err)
{
    const enum wt_status status = wt_file_read(path, bytes, length, err);
    if (status != WT_OK)
        return status;
    *own = *length;
    unpack(bytes, length);
    return WT_OK;
}

bool gcn_fatbin_next(struct gcn_fatbin *fatbin, struct gcn_fatbin_bundle *bundle)
{
    *bundle = (struct gcn_fatbin_bundle){.verdict = GCN_FATBIN_OTHER};
    while (fatbin->at < fatbin->size) {
        const size_t left = fatbin->size - fatbin->at, pad = ALIGN - fatbin->at % ALIGN;
        if (left >= sizeof compressed - 1 &&
            memcmp(fatbin->bytes + fatbin->at, compressed, sizeof compressed - 1) == 0) {
            struct wt_packed_bundle packed;
            const uint8_t *start = fatbin->bytes + fatbin->at;
            bundle->verdict = GCN_FATBIN_COMPRESSED;
            bundle->object = start;
            bundle->object_size = left;
            fatbin->at = wt_packed_bundle_at(start, left, &packed)
                             ? (size_t)(packed.bytes + packed.size - fatbin->bytes)
                             : fatbin->size;
            return true;
        }
        const size_t length = read_bundle(fatbin, bundle);
        assert(length <= left);
        if (length) {
            fatbin->at += length;
            return true;
        }
        /* Bundles begin at pages, with nothing in between. */
        *bundle = (struct gcn_fatbin_bundle){.verdict = GCN_FATBIN_OTHER};
        fatbin->at = pad < left ? fatbin->at + pad : fatbin->size;
    }
    return false;
}
