/*
 * .ze_info: the launch parameters of a zebin's kernels. Its YAML consists of block mappings, block
 * sequences and plain or quoted scalars of one line; only these are read.
 */
#include "object/zebin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { DEEPEST = 8, LONGEST = 256 };

/* One line: "- key: value" at some indentation. */
struct ze_line {
    size_t indent; /* indent of the key */
    bool item;     /* a dash begins an element of a sequence */
    char key[LONGEST], value[LONGEST];
};

/* The context of a line: the keys around it. */
struct path {
    struct {
        size_t indent;
        char key[64];
    } level[DEEPEST];
    size_t depth;
};

struct ze_reader {
    const char *name;
    struct gen_object *object;
    struct wt_error *err;
    size_t number; /* number of the line, from 1 on */
    struct path path;
    struct gen_kernel *misc; /* the kernel that kernels_misc_info is about */
    int32_t misc_index;
};

static enum wt_status bad(const struct ze_reader *r, const char *why)
{
    return wt_fail(r->err, WT_INVALID, "%s: .ze_info, line %zu: %s", r->name, r->number, why);
}

static enum wt_status no_memory(const struct ze_reader *r)
{
    return wt_fail(r->err, WT_NO_MEMORY, "%s: the host has no memory left for .ze_info", r->name);
}

/* Copies [from, to) without blanks and quotes around it; false if it is too long. */
static bool copy_trimmed(char *out, const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\r' || to[-1] == '\t'))
        to--;
    if (to - from >= 2 && (*from == '\'' || *from == '"') && to[-1] == *from) {
        from++;
        to--;
    }
    if (to - from >= LONGEST || memchr(from, 0, (size_t)(to - from)))
        return false;
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = 0;
    return true;
}

/* Splits a line; *empty: it has no key. */
static bool split(const char *at, const char *end, struct ze_line *l, bool *empty)
{
    const char *start = at;
    *l = (struct ze_line){0};
    *empty = true;
    while (at < end && *at == ' ')
        at++;
    if (at == end || *at == '#' ||
        (end - at >= 3 && (!memcmp(at, "---", 3) || !memcmp(at, "...", 3))))
        return true;
    while (at < end && *at == '-' && (at + 1 == end || at[1] == ' ')) {
        l->item = true;
        at++;
        while (at < end && *at == ' ')
            at++;
    }
    l->indent = (size_t)(at - start);
    const char *colon = at;
    while (colon < end &&
           !(*colon == ':' && (colon + 1 == end || colon[1] == ' ' || colon[1] == '\r')))
        colon++;
    if (colon == end) { /* a scalar in a sequence */
        *empty = !l->item;
        return l->item && copy_trimmed(l->value, at, end);
    }
    *empty = false;
    return copy_trimmed(l->key, at, colon) && copy_trimmed(l->value, colon + 1, end);
}

static bool number(const char *text, uint32_t *value)
{
    char *end;
    const unsigned long long n = strtoull(text, &end, 0);
    *value = (uint32_t)n;
    return end != text && !*end && n <= UINT32_MAX && *text != '-';
}

/* ---- the fields ---- */

static const struct {
    const char *name;
    enum gen_argument_kind kind;
} kinds[] = {
    {"arg_bypointer", GEN_ARG_BYPOINTER},
    {"arg_byvalue", GEN_ARG_BYVALUE},
    {"buffer_address", GEN_ARG_BUFFER_ADDRESS},
    {"buffer_offset", GEN_ARG_BUFFER_OFFSET},
    {"global_id_offset", GEN_ARG_GLOBAL_ID_OFFSET},
    {"local_size", GEN_ARG_LOCAL_SIZE},
    {"enqueued_local_size", GEN_ARG_ENQUEUED_LOCAL_SIZE},
    {"group_count", GEN_ARG_GROUP_COUNT},
    {"global_size", GEN_ARG_GLOBAL_SIZE},
    {"work_dimensions", GEN_ARG_WORK_DIMENSIONS},
    {"private_base_stateless", GEN_ARG_PRIVATE_BASE},
    {"printf_buffer", GEN_ARG_PRINTF_BUFFER},
    {"local_id", GEN_ARG_LOCAL_ID},
    {"image_width", GEN_ARG_IMAGE_WIDTH},
    {"image_height", GEN_ARG_IMAGE_HEIGHT},
    {"image_depth", GEN_ARG_IMAGE_DEPTH},
    {"image_array_size", GEN_ARG_IMAGE_LAYERS},
    {"image_channel_order", GEN_ARG_IMAGE_ORDER},
    {"image_channel_data_type", GEN_ARG_IMAGE_TYPE},
    {"image_num_samples", GEN_ARG_IMAGE_SAMPLES},
    {"image_num_mip_levels", GEN_ARG_IMAGE_LEVELS},
    {"sampler_address", GEN_ARG_SAMPLER_ADDRESS},
    {"sampler_normalized", GEN_ARG_SAMPLER_NORMALIZED},
    {"sampler_snap_wa", GEN_ARG_SAMPLER_SNAP},
};

static const struct {
    const char *name;
    enum gen_image_kind kind;
} image_kinds[] = {
    {"image_buffer", GEN_IMAGE_BUFFER},
    {"image_1d", GEN_IMAGE_1D},
    {"image_1d_array", GEN_IMAGE_1D_ARRAY},
    {"image_2d", GEN_IMAGE_2D},
    {"image_2d_depth", GEN_IMAGE_2D},
    {"image_2d_array", GEN_IMAGE_2D_ARRAY},
    {"image_2d_array_depth", GEN_IMAGE_2D_ARRAY},
    {"image_3d", GEN_IMAGE_3D},
};

static struct gen_kernel *last_kernel(const struct ze_reader *r)
{
    return r->object->kernel_count ? &r->object->kernel[r->object->kernel_count - 1] : NULL;
}

static enum wt_status add_kernel(struct ze_reader *r)
{
    struct gen_object *o = r->object;
    struct gen_kernel *grown =
        wt_array_grow(o->kernel, &o->kernel_capacity, o->kernel_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(r);
    o->kernel = grown;
    r->misc =
        NULL; /* the kernels may have moved; what names arguments begins with a kernel's name */
    o->kernel[o->kernel_count++] = (struct gen_kernel){0};
    return WT_OK;
}

static enum wt_status execution_env(struct ze_reader *r, struct gen_kernel *k,
                                    const struct ze_line *l)
{
    static const struct {
        const char *key;
        size_t at;
    } fields[] = {{"simd_size", offsetof(struct gen_kernel, simd)},
                  {"slm_size", offsetof(struct gen_kernel, slm_size)},
                  {"barrier_count", offsetof(struct gen_kernel, barriers)}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strcmp(l->key, fields[i].key) == 0 &&
            !number(l->value, (uint32_t *)((char *)k + fields[i].at)))
            return bad(r, "not a number");
    k->fixed_group |= strcmp(l->key, "required_work_group_size") == 0;
    return WT_OK;
}

struct gen_sampler_slot *gen_kernel_add_sampler(struct gen_kernel *k)
{
    struct gen_sampler_slot *grown =
        wt_array_grow(k->sampler, &k->sampler_capacity, k->sampler_count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    k->sampler = grown;
    k->sampler[k->sampler_count] = (struct gen_sampler_slot){.index = -1};
    return &k->sampler[k->sampler_count++];
}

/* The slot of a sampler that is an argument, whose index stands before it. */
static enum wt_status sampler_argument(struct ze_reader *r, struct gen_kernel *k,
                                       const struct gen_payload_argument *a,
                                       const struct ze_line *l)
{
    uint32_t value;
    if (!number(l->value, &value) || value > 65536)
        return bad(r, "not a number up to 65536");
    struct gen_sampler_slot *slot = gen_kernel_add_sampler(k);
    if (!slot)
        return no_memory(r);
    slot->slot = value;
    slot->index = a->index;
    return WT_OK;
}

/* A sampler of the program's own. */
static enum wt_status inline_sampler(struct ze_reader *r, struct gen_kernel *k,
                                     const struct ze_line *l)
{
    uint32_t value;
    if (l->item) {
        struct gen_sampler_slot *added = gen_kernel_add_sampler(k);
        if (!added)
            return no_memory(r);
        *added = (struct gen_sampler_slot){
            .index = -1, .address = GEN_ADDRESSING_CLAMP, .unnormalized = true};
    }
    struct gen_sampler_slot *slot = k->sampler_count ? &k->sampler[k->sampler_count - 1] : NULL;
    if (!slot || slot->index >= 0)
        return bad(r, "a field outside an element");
    if (strcmp(l->key, "sampler_index") == 0) {
        if (!number(l->value, &value) || value > 65536)
            return bad(r, "not a number up to 65536");
        slot->slot = value;
    } else if (strcmp(l->key, "addrmode") == 0) {
        slot->address = strcmp(l->value, "repeat") == 0         ? GEN_ADDRESSING_WRAP
                        : strcmp(l->value, "mirror") == 0       ? GEN_ADDRESSING_MIRROR
                        : strcmp(l->value, "clamp_border") == 0 ? GEN_ADDRESSING_BORDER
                                                                : GEN_ADDRESSING_CLAMP;
    } else if (strcmp(l->key, "filtermode") == 0) {
        slot->linear = strcmp(l->value, "linear") == 0;
    } else if (strcmp(l->key, "normalized") == 0) {
        slot->unnormalized = strcmp(l->value, "true") != 0;
    }
    return WT_OK;
}

static enum wt_status payload_argument(struct ze_reader *r, struct gen_kernel *k,
                                       const struct ze_line *l)
{
    uint32_t value = 0;
    if (l->item) {
        struct gen_payload_argument *grown =
            wt_array_grow(k->payload, &k->payload_capacity, k->payload_count + 1, sizeof *grown);
        if (!grown)
            return no_memory(r);
        k->payload = grown;
        k->payload[k->payload_count++] = (struct gen_payload_argument){.index = -1};
    }
    if (!k->payload_count)
        return bad(r, "a field outside an element");
    struct gen_payload_argument *a = &k->payload[k->payload_count - 1];
    if (strcmp(l->key, "arg_type") == 0) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            if (strcmp(l->value, kinds[i].name) == 0)
                a->kind = kinds[i].kind;
        return WT_OK;
    }
    if (strcmp(l->key, "addrmode") == 0) {
        a->mode = strcmp(l->value, "stateful") == 0    ? GEN_ADDRESS_STATEFUL
                  : strcmp(l->value, "stateless") == 0 ? GEN_ADDRESS_STATELESS
                  : strcmp(l->value, "slm") == 0       ? GEN_ADDRESS_SLM
                  : strcmp(l->value, "bindless") == 0  ? GEN_ADDRESS_BINDLESS
                                                       : GEN_ADDRESS_NONE;
        return WT_OK;
    }
    if (strcmp(l->key, "addrspace") == 0) {
        a->object = strcmp(l->value, "image") == 0     ? GEN_OBJECT_IMAGE
                    : strcmp(l->value, "sampler") == 0 ? GEN_OBJECT_SAMPLER
                                                       : GEN_OBJECT_MEMORY;
        return WT_OK;
    }
    if (strcmp(l->key, "image_type") == 0) {
        for (size_t i = 0; i < sizeof image_kinds / sizeof image_kinds[0]; i++)
            if (strcmp(l->value, image_kinds[i].name) == 0)
                a->image = image_kinds[i].kind;
        return WT_OK;
    }
    if (strcmp(l->key, "sampler_index") == 0)
        return sampler_argument(r, k, a, l);
    const bool known = strcmp(l->key, "offset") == 0 || strcmp(l->key, "size") == 0 ||
                       strcmp(l->key, "arg_index") == 0 || strcmp(l->key, "source_offset") == 0;
    if (!known)
        return WT_OK;
    if (!number(l->value, &value) || value > 65536)
        return bad(r, "not a number up to 65536");
    if (strcmp(l->key, "offset") == 0)
        a->offset = value;
    else if (strcmp(l->key, "size") == 0)
        a->size = value;
    else if (strcmp(l->key, "source_offset") == 0)
        a->source_offset = value;
    else
        a->index = (int32_t)value;
    return WT_OK;
}

static enum wt_status binding(struct ze_reader *r, struct gen_kernel *k, const struct ze_line *l)
{
    uint32_t value;
    if (l->item) {
        struct gen_binding *grown =
            wt_array_grow(k->binding, &k->binding_capacity, k->binding_count + 1, sizeof *grown);
        if (!grown)
            return no_memory(r);
        k->binding = grown;
        k->binding[k->binding_count++] = (struct gen_binding){.index = -1};
    }
    if (!k->binding_count || !number(l->value, &value) || value > 65536)
        return bad(r, "not a number up to 65536");
    if (strcmp(l->key, "bti_value") == 0)
        k->binding[k->binding_count - 1].entry = value;
    else if (strcmp(l->key, "arg_index") == 0)
        k->binding[k->binding_count - 1].index = (int32_t)value;
    return WT_OK;
}

/* type: global or scratch; usage; size. The type comes first. */
static enum wt_status memory_buffer(struct ze_reader *r, struct gen_kernel *k,
                                    const struct ze_line *l, bool *scratch)
{
    uint32_t value;
    if (strcmp(l->key, "type") == 0)
        *scratch = strcmp(l->value, "scratch") == 0;
    if (strcmp(l->key, "size") != 0)
        return WT_OK;
    if (!number(l->value, &value))
        return bad(r, "not a number");
    if (*scratch)
        k->scratch_size = value;
    else
        k->private_size = value;
    return WT_OK;
}

static enum wt_status kernel_line(struct ze_reader *r, const struct ze_line *l, bool *scratch)
{
    const struct path *p = &r->path;
    enum wt_status status;
    uint32_t value;
    if (p->depth == 1 && l->item && (status = add_kernel(r)) != WT_OK)
        return status;
    struct gen_kernel *k = last_kernel(r);
    if (!k)
        return bad(r, "a field outside a kernel");
    if (p->depth == 1) {
        if (strcmp(l->key, "name") != 0 || k->name)
            return WT_OK;
        k->name = strdup(l->value);
        return k->name ? WT_OK : no_memory(r);
    }
    const char *section = p->level[1].key;
    if (strcmp(section, "execution_env") == 0)
        return execution_env(r, k, l);
    if (strcmp(section, "payload_arguments") == 0)
        return payload_argument(r, k, l);
    if (strcmp(section, "binding_table_indices") == 0)
        return binding(r, k, l);
    if (strcmp(section, "inline_samplers") == 0)
        return inline_sampler(r, k, l);
    if (strcmp(section, "per_thread_memory_buffers") == 0)
        return memory_buffer(r, k, l, scratch);
    if (strcmp(section, "per_thread_payload_arguments") == 0 && strcmp(l->key, "size") == 0) {
        if (!number(l->value, &value) || value > 4096)
            return bad(r, "not a number up to 4096");
        k->local_id_size = value;
    }
    return WT_OK;
}

bool gen_kernel_know_argument(struct gen_kernel *k, size_t index)
{
    size_t sizes = k->name_capacity;
    char **names = wt_array_grow(k->argument_name, &k->name_capacity, index + 1, sizeof *names);
    if (!names)
        return false;
    k->argument_name = names;
    uint32_t *size = wt_array_grow(k->argument_size, &sizes, index + 1, sizeof *size);
    if (!size)
        return false;
    k->argument_size = size;
    for (; k->argument_count <= index; k->argument_count++) {
        k->argument_name[k->argument_count] = NULL;
        k->argument_size[k->argument_count] = 0;
    }
    return true;
}

static enum wt_status name_argument(struct ze_reader *r, const char *text)
{
    struct gen_kernel *k = r->misc;
    const size_t index = (size_t)r->misc_index;
    if (!gen_kernel_know_argument(k, index))
        return no_memory(r);
    free(k->argument_name[index]);
    k->argument_name[index] = strdup(text);
    return k->argument_name[index] ? WT_OK : no_memory(r);
}

/* "uint;4": the bytes stand behind the name. */
static enum wt_status size_argument(struct ze_reader *r, const char *text)
{
    const char *size = strrchr(text, ';');
    uint32_t value;
    if (!gen_kernel_know_argument(r->misc, (size_t)r->misc_index))
        return no_memory(r);
    if (size && number(size + 1, &value) && value <= 65536)
        r->misc->argument_size[r->misc_index] = value;
    return WT_OK;
}

/* kernels_misc_info: names of arguments. */
static enum wt_status misc_line(struct ze_reader *r, const struct ze_line *l)
{
    uint32_t value;
    if (r->path.depth == 1 && strcmp(l->key, "name") == 0) {
        r->misc = NULL;
        for (size_t i = 0; i < r->object->kernel_count; i++)
            if (r->object->kernel[i].name && strcmp(r->object->kernel[i].name, l->value) == 0)
                r->misc = &r->object->kernel[i];
        r->misc_index = -1;
    }
    if (!r->misc || r->path.depth < 2)
        return WT_OK;
    if (strcmp(l->key, "index") == 0) {
        if (!number(l->value, &value) || value > 1024)
            return bad(r, "not a number up to 1024");
        r->misc_index = (int32_t)value;
    }
    if (r->misc_index < 0)
        return WT_OK;
    if (strcmp(l->key, "type_name") == 0)
        return size_argument(r, l->value);
    return strcmp(l->key, "name") == 0 ? name_argument(r, l->value) : WT_OK;
}

/* Leaves the contexts that ended before this line. */
static void find_place(struct path *p, const struct ze_line *l)
{
    while (p->depth && p->level[p->depth - 1].indent >= l->indent)
        p->depth--;
}

static bool enter(struct path *p, const struct ze_line *l)
{
    if (p->depth == DEEPEST)
        return false;
    p->level[p->depth].indent = l->indent;
    snprintf(p->level[p->depth].key, sizeof p->level[0].key, "%.63s", l->key);
    p->depth++;
    return true;
}

enum wt_status gen_ze_info_parse(const char *name, const char *text, size_t length,
                                 struct gen_object *object, struct wt_error *err)
{
    struct ze_reader r = {.name = name, .object = object, .err = err, .misc_index = -1};
    const char *end = text + length;
    bool scratch = false;
    enum wt_status status = WT_OK;
    for (const char *at = text; at < end && !status;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        struct ze_line l;
        bool empty;
        stop = stop ? stop : end;
        r.number++;
        if (!split(at, stop, &l, &empty))
            return bad(&r, "neither \"key: value\" nor an element of a sequence");
        at = stop + (stop < end);
        if (empty || !*l.key)
            continue;
        find_place(&r.path, &l);
        const char *top = r.path.depth ? r.path.level[0].key : "";
        if (!r.path.depth && strcmp(l.key, "version") == 0)
            snprintf(object->version, sizeof object->version, "%.15s", l.value);
        else if (strcmp(top, "kernels") == 0)
            status = kernel_line(&r, &l, &scratch);
        else if (strcmp(top, "kernels_misc_info") == 0)
            status = misc_line(&r, &l);
        if (!status && !*l.value && !enter(&r.path, &l))
            return bad(&r, "too deep");
    }
    return status;
}
