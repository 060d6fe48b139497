/* Reading the metadata note. See metadata.h. */
#include "object/metadata.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/printf_format.h"

/* A limit above every real kernel; larger counts are malformed. */
#define MOST_ARGUMENTS 4096
#define MOST_KERNARG 65536
#define DYNAMIC_STACK 16384

static const struct {
    const char *name;
    enum gcn_argument_kind kind;
} kinds[] = {
    {"by_value", GCN_ARG_VALUE},
    {"global_buffer", GCN_ARG_BUFFER},
    {"dynamic_shared_pointer", GCN_ARG_LOCAL},
    {"hidden_block_count_x", GCN_ARG_BLOCK_COUNT_X},
    {"hidden_block_count_y", GCN_ARG_BLOCK_COUNT_Y},
    {"hidden_block_count_z", GCN_ARG_BLOCK_COUNT_Z},
    {"hidden_group_size_x", GCN_ARG_GROUP_SIZE_X},
    {"hidden_group_size_y", GCN_ARG_GROUP_SIZE_Y},
    {"hidden_group_size_z", GCN_ARG_GROUP_SIZE_Z},
    {"hidden_remainder_x", GCN_ARG_REMAINDER_X},
    {"hidden_remainder_y", GCN_ARG_REMAINDER_Y},
    {"hidden_remainder_z", GCN_ARG_REMAINDER_Z},
    {"hidden_grid_dims", GCN_ARG_GRID_DIMS},
    {"hidden_private_base", GCN_ARG_PRIVATE_BASE},
    {"hidden_shared_base", GCN_ARG_SHARED_BASE},
    {"hidden_queue_ptr", GCN_ARG_QUEUE},
    {"hidden_dynamic_lds_size", GCN_ARG_DYNAMIC_LDS},
    {"hidden_printf_buffer", GCN_ARG_PRINTF_BUFFER},
    {"hidden_hostcall_buffer", GCN_ARG_HOSTCALL_BUFFER},
};

static bool is_text(const msgpack_object *o, const char *text)
{
    return o->type == MSGPACK_OBJECT_STR && o->via.str.size == strlen(text) &&
           memcmp(o->via.str.ptr, text, o->via.str.size) == 0;
}

/* The value of a key of a map, or NULL. */
static const msgpack_object *lookup(const msgpack_object *map, const char *key)
{
    if (map->type != MSGPACK_OBJECT_MAP)
        return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++)
        if (is_text(&map->via.map.ptr[i].key, key))
            return &map->via.map.ptr[i].val;
    return NULL;
}

/* A number of 32 bits; `otherwise` where the key is missing, false where it is something else. */
static bool number(const msgpack_object *map, const char *key, uint32_t otherwise, uint32_t *value)
{
    const msgpack_object *o = lookup(map, key);
    *value = otherwise;
    if (!o)
        return true;
    if (o->type != MSGPACK_OBJECT_POSITIVE_INTEGER || o->via.u64 > UINT32_MAX)
        return false;
    *value = (uint32_t)o->via.u64;
    return true;
}

/* A copy of a text; NULL if it is none, or the host has no memory left. */
static char *text_of(const msgpack_object *o)
{
    if (!o || o->type != MSGPACK_OBJECT_STR || memchr(o->via.str.ptr, 0, o->via.str.size))
        return NULL;
    return strndup(o->via.str.ptr, o->via.str.size);
}

static enum gcn_argument_kind kind_of(const msgpack_object *o)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (is_text(o, kinds[i].name))
            return kinds[i].kind;
    /* A hidden argument that we do not know, or offer nothing for, is 0. */
    if (o->type == MSGPACK_OBJECT_STR && o->via.str.size > 7 &&
        memcmp(o->via.str.ptr, "hidden_", 7) == 0)
        return GCN_ARG_HIDDEN_ZERO;
    return GCN_ARG_OTHER;
}

/* Pointers have 8 bytes, those into LDS 4; values that a runtime fills in have at most 8. */
static bool size_is_sound(const struct gcn_argument *a)
{
    switch (a->kind) {
    case GCN_ARG_VALUE:
    case GCN_ARG_OTHER:
        return true;
    case GCN_ARG_BUFFER:
    case GCN_ARG_QUEUE:
    case GCN_ARG_PRINTF_BUFFER:
    case GCN_ARG_HOSTCALL_BUFFER:
        return a->size == 8;
    case GCN_ARG_LOCAL:
        return a->size == 4;
    default:
        return a->size <= 8;
    }
}

/* Whether no byte of the argument belongs to another one; `taken` has a byte for each. */
static bool take(uint8_t *taken, const struct gcn_argument *a)
{
    if (memchr(taken + a->offset, 1, a->size))
        return false;
    memset(taken + a->offset, 1, a->size);
    return true;
}

static enum wt_status read_argument(const char *file, struct gcn_kernel *k,
                                    const msgpack_object *map, uint8_t *taken, struct wt_error *err)
{
    struct gcn_argument *a = &k->argument[k->arguments];
    const msgpack_object *kind = lookup(map, ".value_kind"), *name = lookup(map, ".name");
    if (!kind)
        return wt_fail(err, WT_INVALID, "%s: metadata: argument %zu of kernel %.64s has no kind",
                       file, k->arguments, k->name);
    if (!number(map, ".offset", UINT32_MAX, &a->offset) ||
        !number(map, ".size", UINT32_MAX, &a->size) || a->size > k->kernarg_size ||
        a->offset > k->kernarg_size - a->size)
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: argument %zu of kernel %.64s lies outside its %u bytes of "
                       "arguments",
                       file, k->arguments, k->name, k->kernarg_size);
    a->kind = kind_of(kind);
    if (!size_is_sound(a))
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: argument %zu of kernel %.64s (%.*s) cannot have %u bytes",
                       file, k->arguments, k->name, (int)kind->via.str.size, kind->via.str.ptr,
                       a->size);
    if (!take(taken, a))
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: argument %zu of kernel %.64s overlaps one before it", file,
                       k->arguments, k->name);
    if (a->kind <= GCN_ARG_OTHER && k->explicit_arguments != k->arguments)
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: argument %zu of kernel %.64s, which the caller gives, comes "
                       "after hidden ones",
                       file, k->arguments, k->name);
    a->name = name ? text_of(name) : strdup("");
    if (!a->name)
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: argument %zu of kernel %.64s has no proper "
                       "name",
                       file, k->arguments, k->name);
    k->arguments++;
    if (a->kind <= GCN_ARG_OTHER)
        k->explicit_arguments++;
    return WT_OK;
}

static enum wt_status read_arguments(const char *file, struct gcn_kernel *k,
                                     const msgpack_object *list, struct wt_error *err)
{
    if (list->type != MSGPACK_OBJECT_ARRAY || list->via.array.size > MOST_ARGUMENTS)
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: the arguments of kernel %.64s are not a list", file, k->name);
    uint8_t *taken = calloc(k->kernarg_size + 1, 1);
    k->argument = calloc(list->via.array.size + 1, sizeof *k->argument);
    enum wt_status status =
        taken && k->argument ? WT_OK : wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    for (uint32_t i = 0; i < list->via.array.size && !status; i++)
        status = read_argument(file, k, &list->via.array.ptr[i], taken, err);
    free(taken);
    return status;
}

static enum wt_status read_kernel(const char *file, struct gcn_object *object,
                                  const msgpack_object *map, struct wt_error *err)
{
    struct gcn_kernel *k = &object->kernel[object->kernels];
    if (!(k->name = text_of(lookup(map, ".name"))))
        return wt_fail(err, WT_INVALID, "%s: metadata: kernel %zu has no name", file,
                       object->kernels);
    object->kernels++;
    if (!number(map, ".kernarg_segment_size", 0, &k->kernarg_size) ||
        !number(map, ".group_segment_fixed_size", 0, &k->group_size) ||
        !number(map, ".private_segment_fixed_size", 0, &k->private_size) ||
        !number(map, ".max_flat_workgroup_size", 1024, &k->most_items) ||
        !number(map, ".wavefront_size", 64, &k->lanes) || k->kernarg_size > MOST_KERNARG ||
        k->private_size > 1 << 20)
        return wt_fail(err, WT_INVALID,
                       "%s: metadata: the sizes of kernel %.64s are not sound "
                       "numbers",
                       file, k->name);
    const msgpack_object *language = lookup(map, ".language");
    k->opencl = language && language->type == MSGPACK_OBJECT_STR &&
                language->via.str.size == strlen("OpenCL C") &&
                memcmp(language->via.str.ptr, "OpenCL C", strlen("OpenCL C")) == 0;
    /* How deep the calls of a kernel go may be unknown: version 5 says so, while for version 4
     * compilers assume a depth, this one (LLVM's amdgpu-assume-external-call-stack-size). */
    const msgpack_object *dynamic = lookup(map, ".uses_dynamic_stack");
    if (dynamic && dynamic->type == MSGPACK_OBJECT_BOOLEAN && dynamic->via.boolean)
        k->private_size += DYNAMIC_STACK;
    const msgpack_object *arguments = lookup(map, ".args");
    return arguments ? read_arguments(file, k, arguments, err) : WT_OK;
}

/* The texts of printf. */
static enum wt_status read_formats(const char *file, const msgpack_object *list,
                                   struct gcn_object *object, struct wt_error *err)
{
    if (list->type != MSGPACK_OBJECT_ARRAY)
        return wt_fail(err, WT_INVALID, "%s: metadata: amdhsa.printf is not a list", file);
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        struct gcn_format *grown = wt_array_grow(object->format, &object->format_capacity,
                                                 object->formats + 1, sizeof *grown);
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
        object->format = grown;
        grown[object->formats] = (struct gcn_format){0};
        char *text = text_of(&list->via.array.ptr[i]);
        if (!text)
            return wt_fail(err, WT_INVALID, "%s: metadata: text %u of amdhsa.printf is none", file,
                           i);
        const bool sound = gcn_format_parse(text, &object->format[object->formats]);
        free(text);
        if (!sound)
            return wt_fail(err, WT_INVALID,
                           "%s: metadata: text %u of amdhsa.printf is not "
                           "NUMBER:COUNT:SIZES…:TEXT",
                           file, i);
        object->formats++;
    }
    return WT_OK;
}

static enum wt_status read_root(const char *file, const msgpack_object *root,
                                struct gcn_object *object, struct wt_error *err)
{
    enum wt_status status;
    const msgpack_object *kernels = lookup(root, "amdhsa.kernels");
    if (!kernels || kernels->type != MSGPACK_OBJECT_ARRAY)
        return wt_fail(err, WT_INVALID, "%s: metadata: there is no list amdhsa.kernels", file);
    for (uint32_t i = 0; i < kernels->via.array.size; i++) {
        struct gcn_kernel *grown = wt_array_grow(object->kernel, &object->kernel_capacity,
                                                 object->kernels + 1, sizeof *grown);
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
        object->kernel = grown;
        grown[object->kernels] = (struct gcn_kernel){0};
        if ((status = read_kernel(file, object, &kernels->via.array.ptr[i], err)) != WT_OK)
            return status;
    }
    const msgpack_object *formats = lookup(root, "amdhsa.printf");
    return formats ? read_formats(file, formats, object, err) : WT_OK;
}

/*
 * Whether the elements that arrays and maps claim are not more than there are bytes left for them,
 * all in all: msgpack-c makes room for what is claimed before it looks for it. (MessagePack
 * specification, "Formats".)
 */
static bool is_plausible(const uint8_t *bytes, size_t length)
{
    uint64_t claimed = 1; /* elements that are still to come */
    for (size_t at = 0; claimed;) {
        if (claimed > length - at)
            return false;
        claimed--;
        const uint8_t type = bytes[at++];
        size_t width = 0;     /* bytes of the number that follows */
        uint64_t payload = 0; /* bytes, or elements of at least one byte */
        bool container = false, counted = false;
        if (type >= 0x80 && type <= 0x9f) {
            payload = (type & 15u) * (type < 0x90 ? 2u : 1u);
            container = true;
        } else if (type >= 0xa0 && type <= 0xbf) {
            payload = type & 31u;
        } else if (type >= 0xc4 && type <= 0xc9) { /* bin and ext of 8, 16, 32 */
            width = (size_t)1 << (type - 0xc4) % 3;
            counted = true;
        } else if (type == 0xca || type == 0xcb) {
            payload = type == 0xca ? 4 : 8;
        } else if (type >= 0xcc && type <= 0xd3) {
            payload = (uint64_t)1 << (type & 3);
        } else if (type >= 0xd4 && type <= 0xd8) {
            payload = ((uint64_t)1 << (type - 0xd4)) + 1;
        } else if (type >= 0xd9 && type <= 0xdb) {
            width = (size_t)1 << (type - 0xd9);
            counted = true;
        } else if (type >= 0xdc) {
            width = type & 1 ? 4 : 2; /* arrays dc, dd; maps de, df */
            container = counted = type <= 0xdf;
            if (!container)
                width = 0; /* a small negative number */
        }
        if (counted) {
            if (width > length - at)
                return false;
            for (size_t i = 0; i < width; i++)
                payload = payload << 8 | bytes[at++];
            if (type >= 0xc7 && type <= 0xc9)
                payload++; /* the type of an ext */
            if (type == 0xde || type == 0xdf)
                payload *= 2;
        }
        if (payload > length - at)
            return false;
        if (container)
            claimed += payload;
        else
            at += payload;
    }
    return true;
}

enum wt_status gcn_metadata_parse(const char *name, const uint8_t *bytes, size_t length,
                                  struct gcn_object *object, struct wt_error *err)
{
    msgpack_unpacked result;
    size_t at = 0;
    if (!is_plausible(bytes, length))
        return wt_fail(err, WT_INVALID,
                       "%s: the metadata note is cut off: it announces more than its %zu bytes",
                       name, length);
    msgpack_unpacked_init(&result);
    const msgpack_unpack_return done =
        msgpack_unpack_next(&result, (const char *)bytes, length, &at);
    enum wt_status status;
    if (done == MSGPACK_UNPACK_SUCCESS || done == MSGPACK_UNPACK_EXTRA_BYTES)
        status = read_root(name, &result.data, object, err);
    else
        status = wt_fail(err, WT_INVALID,
                         "%s: the metadata note is not valid MessagePack (byte %zu)", name, at);
    msgpack_unpacked_destroy(&result);
    return status;
}
