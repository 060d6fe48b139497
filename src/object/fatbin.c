/* See fatbin.h. */
#include "object/fatbin.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/file.h"

static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__", compressed[] = "CCOB";
enum { MAGIC = sizeof magic - 1, ALIGN = 4096, IDENT = 16, IDENT_ABI_VERSION = 8 };
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
        xnack |= features_length && memmem(features, features_length, ":xnack+", 7);
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

bool gcn_fatbin_is_file(const char *path)
{
    char start[MAGIC];
    return wt_file_begin(path, start, MAGIC) == MAGIC &&
           (memcmp(start, magic, MAGIC) == 0 ||
            memcmp(start, compressed, sizeof compressed - 1) == 0);
}

bool gcn_fatbin_next(struct gcn_fatbin *fatbin, struct gcn_fatbin_bundle *bundle)
{
    *bundle = (struct gcn_fatbin_bundle){.verdict = GCN_FATBIN_OTHER};
    while (fatbin->at < fatbin->size) {
        const size_t left = fatbin->size - fatbin->at, pad = ALIGN - fatbin->at % ALIGN;
        if (left >= sizeof compressed - 1 &&
            memcmp(fatbin->bytes + fatbin->at, compressed, sizeof compressed - 1) == 0) {
            bundle->verdict = GCN_FATBIN_COMPRESSED;
            fatbin->at = fatbin->size; /* how long it is, is not looked for */
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
