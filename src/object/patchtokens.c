/* Programs in patch tokens. See patchtokens.h. */
#include "object/patchtokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/file.h"
#include "object/elf_header.h"

enum {
    ALIGNMENT = 64,
    MOST_IMAGE = 1 << 28,
    MOST_INDEX = 4096, /* arguments, texts, binding table entries */
    PROGRAM_HEADER = 28,
    KERNEL_HEADER = 40,
    TOKEN_HEADER = 8,
    SAMPLER_BYTES = 16,
    GRF = 32,
};

/* Tokens (PATCH_TOKEN_…). */
enum patch_token {
    SAMPLER_STATES = 5,
    BINDING_TABLE = 8,
    GLOBAL_OBJECT_ARGUMENT = 11,
    IMAGE_ARGUMENT = 12,
    LOCAL_SURFACE = 15,
    SAMPLER_ARGUMENT = 16,
    DATA_PARAMETER = 17,
    VFE_STATE = 18,
    THREAD_PAYLOAD = 22,
    EXECUTION_ENVIRONMENT = 23,
    ARGUMENT_INFO = 26,
    STRING = 28,
    STATELESS_GLOBAL_ARGUMENT = 30,
    STATELESS_CONSTANT_ARGUMENT = 31,
    PRINTF_SURFACE = 33,
    PRIVATE_MEMORY = 38,
    PROGRAM_GLOBALS = 41,
    PROGRAM_CONSTANTS = 42,
    GLOBALS_SURFACE = 43,
    CONSTANTS_SURFACE = 44,
    GLOBAL_POINTER = 47,
    CONSTANT_POINTER = 48,
    RELOCATION_TABLE = 54,
    VFE_STATE_SLOT1 = 55,
};

/* Kinds of data parameters (DATA_PARAMETER_…). */
enum parameter {
    KERNEL_ARGUMENT = 1,
    LOCAL_WORK_SIZE = 2,
    GLOBAL_WORK_SIZE = 3,
    NUM_WORK_GROUPS = 4,
    WORK_DIMENSIONS = 5,
    LOCAL_MEMORY_ARGUMENT = 8,
    IMAGE_WIDTH = 9,
    IMAGE_HEIGHT = 10,
    IMAGE_DEPTH = 11,
    IMAGE_TYPE = 12,
    IMAGE_ORDER = 13,
    SAMPLER_ADDRESS = 14,
    SAMPLER_NORMALIZED = 15,
    GLOBAL_WORK_OFFSET = 16,
    IMAGE_LAYERS = 18,
    IMAGE_SAMPLES = 20,
    SAMPLER_SNAP = 21,
    IMAGE_LEVELS = 27,
    ENQUEUED_LOCAL_WORK_SIZE = 28,
    BUFFER_OFFSET = 42,
};

struct data {
    uint64_t at, size; /* in the image */
};

struct parse {
    const char *name;
    const uint8_t *bytes;
    size_t length, at;
    struct gen_object *object;
    struct data constants, globals;
    struct wt_error *err;
};

/* A token: the data behind its header. */
struct item {
    uint32_t token;
    const uint8_t *bytes;
    size_t size;
};

static enum wt_status bad(const struct parse *p, const char *why)
{
    return wt_fail(p->err, WT_INVALID, "%s: %s", p->name, why);
}

static enum wt_status no_memory(const struct parse *p)
{
    return wt_fail(p->err, WT_NO_MEMORY, "%s: the host has no memory left", p->name);
}

/* The next @p size bytes; NULL: there are fewer. */
static const uint8_t *take(struct parse *p, size_t size)
{
    if (size > p->length - p->at)
        return NULL;
    p->at += size;
    return p->bytes + p->at - size;
}

/* Dword @p index of a token, 0 where it is shorter. */
static uint32_t dword(const struct item *item, size_t index)
{
    return 4 * index + 4 <= item->size ? (uint32_t)wt_load_le(item->bytes + 4 * index, 4) : 0;
}

static enum wt_status next_item(struct parse *p, size_t end, struct item *item)
{
    const uint8_t *head = take(p, TOKEN_HEADER);
    const uint32_t size = head ? (uint32_t)wt_load_le(head + 4, 4) : 0;
    if (!head || size < TOKEN_HEADER || p->at > end || size - TOKEN_HEADER > end - p->at)
        return bad(p, "a patch token does not fit its list");
    *item = (struct item){(uint32_t)wt_load_le(head, 4), head + TOKEN_HEADER, size - TOKEN_HEADER};
    p->at += item->size;
    return WT_OK;
}

/* Puts bytes into the image, at a multiple of 64; *at is where. */
static enum wt_status put(struct parse *p, const uint8_t *bytes, size_t size, uint64_t *at)
{
    struct gen_object *o = p->object;
    const uint64_t begin = (o->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > MOST_IMAGE || begin > MOST_IMAGE)
        return bad(p, "it is larger than 256 MiB");
    uint8_t *grown = realloc(o->image, begin + size + 1);
    if (!grown)
        return no_memory(p);
    o->image = grown;
    memset(grown + o->size, 0, begin - o->size);
    if (size)
        memcpy(grown + begin, bytes, size);
    o->size = begin + size;
    *at = begin;
    return WT_OK;
}

/* ---- what is the program's ---- */

/* Data that follow their token. */
static enum wt_status inline_data(struct parse *p, uint32_t size, size_t end, struct data *data)
{
    const uint8_t *bytes = p->at <= end && size <= end - p->at ? take(p, size) : NULL;
    data->size = size;
    return bytes ? put(p, bytes, size, &data->at) : bad(p, "its data lie outside the file");
}

/* A pointer in the program's data: the stored value is relative to other data. */
static enum wt_status pointer(struct parse *p, const struct item *item, const struct data *in)
{
    const uint64_t offset = item->size >= 12 ? wt_load_le(item->bytes + 4, 8) : UINT64_MAX;
    const struct data *to =
        item->size >= 16 && wt_load_le(item->bytes + 12, 4) ? &p->constants : &p->globals;
    struct gen_object *o = p->object;
    if (in->size < 8 || offset > in->size - 8)
        return bad(p, "a pointer lies outside its data");
    struct gen_relocation *grown = wt_array_grow(o->relocation, &o->relocation_capacity,
                                                 o->relocation_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(p);
    o->relocation = grown;
    o->relocation[o->relocation_count++] =
        (struct gen_relocation){.at = in->at + offset,
                                .addend = to->at + wt_load_le(o->image + in->at + offset, 8),
                                .size = 8};
    return WT_OK;
}

static enum wt_status program_item(struct parse *p, const struct item *item, size_t end)
{
    switch (item->token) {
    case PROGRAM_CONSTANTS:
        return inline_data(p, dword(item, 1), end, &p->constants);
    case PROGRAM_GLOBALS:
        return inline_data(p, dword(item, 2), end, &p->globals);
    case CONSTANT_POINTER:
        return pointer(p, item, &p->constants);
    case GLOBAL_POINTER:
        return pointer(p, item, &p->globals);
    default:
        return WT_OK;
    }
}

/* ---- kernels ---- */

static enum wt_status add_payload(struct parse *p, struct gen_kernel *k,
                                  const struct gen_payload_argument *a)
{
    if (a->index >= MOST_INDEX || a->offset > MOST_INDEX || a->size > MOST_INDEX)
        return bad(p, "a kernel has too many arguments");
    struct gen_payload_argument *grown =
        wt_array_grow(k->payload, &k->payload_capacity, k->payload_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(p);
    k->payload = grown;
    k->payload[k->payload_count++] = *a;
    return WT_OK;
}

/* The kernel's surfaces and its binding table, which names them by their offset in the heap; and
 * its samplers. */
struct heap {
    const uint8_t *bytes;
    uint32_t size, table, entries;
    const uint8_t *dynamic;
    uint32_t dynamic_size, samplers, sampler_count; /* samplers: offset of the first */
};

/* Parameters that tell of an image or a sampler. */
static const struct {
    enum parameter parameter;
    enum gen_argument_kind kind;
} object_parameters[] = {
    {IMAGE_WIDTH, GEN_ARG_IMAGE_WIDTH},         {IMAGE_HEIGHT, GEN_ARG_IMAGE_HEIGHT},
    {IMAGE_DEPTH, GEN_ARG_IMAGE_DEPTH},         {IMAGE_TYPE, GEN_ARG_IMAGE_TYPE},
    {IMAGE_ORDER, GEN_ARG_IMAGE_ORDER},         {IMAGE_LAYERS, GEN_ARG_IMAGE_LAYERS},
    {IMAGE_SAMPLES, GEN_ARG_IMAGE_SAMPLES},     {IMAGE_LEVELS, GEN_ARG_IMAGE_LEVELS},
    {SAMPLER_ADDRESS, GEN_ARG_SAMPLER_ADDRESS}, {SAMPLER_NORMALIZED, GEN_ARG_SAMPLER_NORMALIZED},
    {SAMPLER_SNAP, GEN_ARG_SAMPLER_SNAP},
};

static enum wt_status bind(struct parse *p, struct gen_kernel *k, const struct heap *heap,
                           uint32_t surface, struct gen_binding binding)
{
    if (heap->entries > MOST_INDEX || heap->table > heap->size ||
        heap->entries > (heap->size - heap->table) / 4)
        return bad(p, "a binding table lies outside its heap");
    for (uint32_t i = 0; i < heap->entries; i++) {
        if ((uint32_t)wt_load_le(heap->bytes + heap->table + 4 * i, 4) != surface)
            continue;
        struct gen_binding *grown =
            wt_array_grow(k->binding, &k->binding_capacity, k->binding_count + 1, sizeof *grown);
        if (!grown)
            return no_memory(p);
        k->binding = grown;
        binding.entry = i;
        k->binding[k->binding_count++] = binding;
        return WT_OK;
    }
    return WT_OK; /* it is not used by the binding table */
}

static enum wt_status data_parameter(struct parse *p, struct gen_kernel *k, const struct item *item)
{
    struct gen_payload_argument a = {.offset = dword(item, 2),
                                     .size = dword(item, 3),
                                     .source_offset = dword(item, 4),
                                     .index = -1};
    switch (dword(item, 0)) {
    case KERNEL_ARGUMENT:
        a.kind = GEN_ARG_BYVALUE;
        a.index = (int32_t)dword(item, 1);
        break;
    case LOCAL_MEMORY_ARGUMENT:
        a.kind = GEN_ARG_BYPOINTER;
        a.mode = GEN_ADDRESS_SLM;
        a.source_offset = 0; /* the alignment stands there */
        a.index = (int32_t)dword(item, 1);
        break;
    case LOCAL_WORK_SIZE:
        a.kind = GEN_ARG_LOCAL_SIZE;
        break;
    case GLOBAL_WORK_SIZE:
        a.kind = GEN_ARG_GLOBAL_SIZE;
        break;
    case NUM_WORK_GROUPS:
        a.kind = GEN_ARG_GROUP_COUNT;
        break;
    case WORK_DIMENSIONS:
        a.kind = GEN_ARG_WORK_DIMENSIONS;
        break;
    case GLOBAL_WORK_OFFSET:
        a.kind = GEN_ARG_GLOBAL_ID_OFFSET;
        break;
    case ENQUEUED_LOCAL_WORK_SIZE:
        a.kind = GEN_ARG_ENQUEUED_LOCAL_SIZE;
        break;
    case BUFFER_OFFSET:
        a.kind = GEN_ARG_BUFFER_OFFSET;
        a.index = (int32_t)dword(item, 1);
        break;
    default: /* of images and samplers, and what only runtimes use */
        for (size_t i = 0; i < sizeof object_parameters / sizeof object_parameters[0]; i++)
            if (object_parameters[i].parameter == dword(item, 0))
                a.kind = object_parameters[i].kind;
        if (a.kind == GEN_ARG_UNKNOWN)
            return WT_OK;
        a.index = (int32_t)dword(item, 1);
        break;
    }
    if (a.index < -1 || a.source_offset > MOST_INDEX)
        return bad(p, "a data parameter is not sound");
    return add_payload(p, k, &a);
}

/* A buffer: its surface, and where there is one its address in the payload. */
static enum wt_status buffer(struct parse *p, struct gen_kernel *k, const struct item *item,
                             const struct heap *heap, bool stateless)
{
    const struct gen_payload_argument a = {.kind = GEN_ARG_BYPOINTER,
                                           .mode = stateless ? GEN_ADDRESS_STATELESS
                                                             : GEN_ADDRESS_STATEFUL,
                                           .offset = stateless ? dword(item, 2) : 0,
                                           .size = stateless ? dword(item, 3) : 0,
                                           .index = (int32_t)(dword(item, 0) & INT32_MAX)};
    enum wt_status status = add_payload(p, k, &a);
    return status ? status
                  : bind(p, k, heap, dword(item, 1), (struct gen_binding){.index = a.index});
}

/* An image: its surface. The types of the tokens (IMAGE_MEMORY_OBJECT_…) count from 1. */
static enum wt_status image(struct parse *p, struct gen_kernel *k, const struct item *item,
                            const struct heap *heap)
{
    static const uint8_t kinds[] = {GEN_IMAGE_OTHER,    GEN_IMAGE_BUFFER,  GEN_IMAGE_1D,
                                    GEN_IMAGE_1D_ARRAY, GEN_IMAGE_2D,      GEN_IMAGE_2D_ARRAY,
                                    GEN_IMAGE_3D,       GEN_IMAGE_OTHER,   GEN_IMAGE_OTHER,
                                    GEN_IMAGE_2D,       GEN_IMAGE_2D_ARRAY};
    const uint32_t type = dword(item, 1);
    const struct gen_payload_argument a = {.kind = GEN_ARG_BYPOINTER,
                                           .object = GEN_OBJECT_IMAGE,
                                           .image = type < sizeof kinds ? kinds[type]
                                                                        : (uint8_t)GEN_IMAGE_OTHER,
                                           .index = (int32_t)(dword(item, 0) & INT32_MAX)};
    enum wt_status status = add_payload(p, k, &a);
    return status ? status
                  : bind(p, k, heap, dword(item, 2), (struct gen_binding){.index = a.index});
}

static enum wt_status sampler(struct parse *p, struct gen_kernel *k, const struct item *item,
                              const struct heap *heap)
{
    const struct gen_payload_argument a = {.kind = GEN_ARG_BYPOINTER,
                                           .object = GEN_OBJECT_SAMPLER,
                                           .index = (int32_t)(dword(item, 0) & INT32_MAX)};
    const uint32_t offset = dword(item, 2) - heap->samplers;
    enum wt_status status = add_payload(p, k, &a);
    if (status)
        return status;
    if (offset % SAMPLER_BYTES || offset / SAMPLER_BYTES >= heap->sampler_count)
        return bad(p, "a sampler lies outside its table");
    struct gen_sampler_slot *slot = gen_kernel_add_sampler(k);
    if (!slot)
        return no_memory(p);
    slot->slot = offset / SAMPLER_BYTES;
    slot->index = a.index;
    return WT_OK;
}

/* The samplers that no argument is: SAMPLER_STATE as it stands in the kernel's dynamic heap
 * (Skylake PRM volume 2d). */
static enum wt_status own_samplers(struct parse *p, struct gen_kernel *k, const struct heap *heap)
{
    if (heap->sampler_count > MOST_INDEX || heap->samplers > heap->dynamic_size ||
        heap->sampler_count > (heap->dynamic_size - heap->samplers) / SAMPLER_BYTES)
        return bad(p, "a table of samplers lies outside its heap");
    const size_t arguments = k->sampler_count;
    for (uint32_t i = 0; i < heap->sampler_count; i++) {
        size_t same = 0;
        while (same < arguments && k->sampler[same].slot != i)
            same++;
        if (same < arguments)
            continue;
        const uint8_t *state = heap->dynamic + heap->samplers + (size_t)SAMPLER_BYTES * i;
        const uint32_t filter = (uint32_t)wt_load_le(state, 4) >> 17 & 7;
        const uint32_t modes = (uint32_t)wt_load_le(state + 12, 4);
        struct gen_sampler_slot *slot = gen_kernel_add_sampler(k);
        if (!slot)
            return no_memory(p);
        *slot = (struct gen_sampler_slot){.slot = i,
                                          .index = -1,
                                          .address = modes & 7,
                                          .linear = filter == 1,
                                          .unnormalized = modes >> 10 & 1};
    }
    return WT_OK;
}

/* Data of the program's. */
static enum wt_status program_data(struct parse *p, struct gen_kernel *k, const struct item *item,
                                   const struct heap *heap, const struct data *data)
{
    const struct gen_payload_argument a = {.kind = GEN_ARG_PROGRAM_DATA,
                                           .offset = dword(item, 2),
                                           .size = dword(item, 3),
                                           .source_offset = (uint32_t)data->at,
                                           .index = -1};
    enum wt_status status = add_payload(p, k, &a);
    return status ? status
                  : bind(p, k, heap, dword(item, 1),
                         (struct gen_binding){.index = -1, .at = data->at, .size = data->size});
}

/* The text of a printf, whose escapes are still those of C. */
static char *unescaped(const char *from, size_t size)
{
    static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
    char *text = malloc(size + 1), *to = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < size && from[i]; i++) {
        const char *letter =
            from[i] == '\\' && i + 1 < size && from[i + 1] ? strchr(letters, from[i + 1]) : NULL;
        if (letter)
            *to++ = values[letter - letters];
        else if (from[i] == '\\' && i + 1 < size && from[i + 1])
            *to++ = from[i + 1];
        else
            *to++ = from[i];
        i += from[i] == '\\';
    }
    *to = 0;
    return text;
}

static enum wt_status string(struct parse *p, struct gen_kernel *k, const struct item *item)
{
    const uint32_t index = dword(item, 0);
    if (item->size < 8 || index >= MOST_INDEX)
        return bad(p, "a text of printf is not sound");
    char **grown = wt_array_grow(k->text, &k->text_capacity, index + 1, sizeof *grown);
    if (!grown)
        return no_memory(p);
    k->text = grown;
    while (k->text_count <= index)
        k->text[k->text_count++] = NULL;
    free(k->text[index]);
    k->text[index] = unescaped((const char *)item->bytes + 8, item->size - 8);
    return k->text[index] ? WT_OK : no_memory(p);
}

/* Names and types: five texts behind their lengths. */
static enum wt_status argument_info(struct parse *p, struct gen_kernel *k, const struct item *item)
{
    const uint32_t index = dword(item, 0);
    size_t at = 24;
    char text[5][64] = {{0}};
    if (index >= MOST_INDEX)
        return bad(p, "a kernel has too many arguments");
    for (unsigned i = 0; i < 5; i++) {
        const uint32_t size = dword(item, 1 + i);
        if (at > item->size || size > item->size - at)
            return bad(p, "the description of an argument does not fit");
        const size_t kept = size < sizeof text[i] ? size : sizeof text[i] - 1;
        memcpy(text[i], item->bytes + at, kept);
        at += size;
    }
    if (!gen_kernel_know_argument(k, index))
        return no_memory(p);
    free(k->argument_name[index]);
    k->argument_name[index] = strdup(text[2]);
    const char *bytes = strrchr(text[3], ';'); /* "int;4" */
    k->argument_size[index] = bytes ? (uint32_t)strtoul(bytes + 1, NULL, 10) : 0;
    return k->argument_name[index] ? WT_OK : no_memory(p);
}

static void thread_payload(struct gen_kernel *k, const struct item *item)
{
    const uint32_t vector = k->simd * 2 < GRF ? GRF : k->simd * 2;
    k->local_id_size = (!!dword(item, 1) + !!dword(item, 2) + !!dword(item, 3)) * vector;
}

static enum wt_status kernel_item(struct parse *p, struct gen_kernel *k, const struct item *item,
                                  const struct heap *heap)
{
    switch (item->token) {
    case DATA_PARAMETER:
        return data_parameter(p, k, item);
    case GLOBAL_OBJECT_ARGUMENT:
        return buffer(p, k, item, heap, false);
    case STATELESS_GLOBAL_ARGUMENT:
    case STATELESS_CONSTANT_ARGUMENT: { /* the surface stands before the parameter's place */
        return buffer(p, k, item, heap, true);
    }
    case IMAGE_ARGUMENT:
        return image(p, k, item, heap);
    case SAMPLER_ARGUMENT:
        return sampler(p, k, item, heap);
    case GLOBALS_SURFACE:
        return program_data(p, k, item, heap, &p->globals);
    case CONSTANTS_SURFACE:
        return program_data(p, k, item, heap, &p->constants);
    case PRINTF_SURFACE:
        return add_payload(p, k,
                           &(struct gen_payload_argument){.kind = GEN_ARG_PRINTF_BUFFER,
                                                          .offset = dword(item, 2),
                                                          .size = dword(item, 3),
                                                          .index = -1});
    case PRIVATE_MEMORY:
        /* Of a work-item, or (of older compilers) of a thread. */
        k->private_size = dword(item, 3);
        if (item->size >= 20 && !dword(item, 4))
            k->private_size = (k->private_size + k->simd - 1) / k->simd;
        return add_payload(p, k,
                           &(struct gen_payload_argument){.kind = GEN_ARG_PRIVATE_BASE,
                                                          .offset = dword(item, 1),
                                                          .size = dword(item, 2),
                                                          .index = -1});
    case LOCAL_SURFACE:
        k->slm_size = dword(item, 1);
        return WT_OK;
    case VFE_STATE:
    case VFE_STATE_SLOT1:
        if (dword(item, 1) > k->scratch_size)
            k->scratch_size = dword(item, 1);
        return WT_OK;
    case THREAD_PAYLOAD:
        thread_payload(k, item);
        return WT_OK;
    case ARGUMENT_INFO:
        return argument_info(p, k, item);
    case STRING:
        return string(p, k, item);
    case RELOCATION_TABLE:
        return wt_fail(p->err, WT_UNSUPPORTED,
                       "%s: kernel %.64s calls functions of other parts of the program: compile it "
                       "with --format zebin",
                       p->name, k->name);
    default:
        return WT_OK;
    }
}

/* The values that other tokens depend on: the SIMD size and the binding table. */
static void first_look(struct gen_kernel *k, const struct item *item, struct heap *heap)
{
    if (item->token == EXECUTION_ENVIRONMENT) {
        k->fixed_group = dword(item, 0) != 0;
        k->simd = dword(item, 3);
        k->barriers = dword(item, 5) != 0;
    } else if (item->token == BINDING_TABLE) {
        heap->table = dword(item, 0);
        heap->entries = dword(item, 1);
    } else if (item->token == SAMPLER_STATES) {
        heap->samplers = dword(item, 0);
        heap->sampler_count = dword(item, 1);
    }
}

static enum wt_status kernel_items(struct parse *p, struct gen_kernel *k, size_t size,
                                   struct heap *heap)
{
    const size_t begin = p->at, end = begin + size;
    struct item item = {0};
    enum wt_status status = WT_OK;
    while (p->at < end && (status = next_item(p, end, &item)) == WT_OK)
        first_look(k, &item, heap);
    if (status)
        return status;
    if (k->simd != 8 && k->simd != 16 && k->simd != 32)
        return wt_fail(p->err, WT_INVALID,
                       "%s: kernel %.64s has a SIMD size of %u; 8, 16 and 32 are possible", p->name,
                       k->name, k->simd);
    p->at = begin;
    while (p->at < end && (status = next_item(p, end, &item)) == WT_OK &&
           (status = kernel_item(p, k, &item, heap)) == WT_OK)
        ;
    return status ? status : own_samplers(p, k, heap);
}

static enum wt_status add_kernel(struct parse *p)
{
    struct gen_object *o = p->object;
    enum wt_status status;
    const uint8_t *head = take(p, KERNEL_HEADER);
    if (!head)
        return bad(p, "a kernel lies outside the file");
    const size_t name_size = wt_load_le(head + 12, 4), list_size = wt_load_le(head + 16, 4);
    const size_t code = wt_load_le(head + 20, 4), general = wt_load_le(head + 24, 4);
    const size_t dynamic = wt_load_le(head + 28, 4), surfaces = wt_load_le(head + 32, 4);
    const uint8_t *name = take(p, name_size), *heap = take(p, code);
    if (!name || !heap || !code || !take(p, general))
        return bad(p, "a kernel's code lies outside the file");
    struct heap table = {.dynamic = take(p, dynamic), .dynamic_size = (uint32_t)dynamic};
    if (!table.dynamic)
        return bad(p, "a kernel's dynamic state lies outside the file");
    table.bytes = take(p, surfaces);
    table.size = (uint32_t)surfaces;
    if (!table.bytes || list_size > p->length - p->at)
        return bad(p, "a kernel's surfaces lie outside the file");
    struct gen_kernel *grown =
        wt_array_grow(o->kernel, &o->kernel_capacity, o->kernel_count + 1, sizeof *grown);
    if (!grown)
        return no_memory(p);
    o->kernel = grown;
    struct gen_kernel *k = &o->kernel[o->kernel_count++];
    *k = (struct gen_kernel){.code_size = code};
    if (!(k->name = strndup((const char *)name, name_size)))
        return no_memory(p);
    if ((status = put(p, heap, code, &k->code)) != WT_OK)
        return status;
    return kernel_items(p, k, list_size, &table);
}

bool gen_patchtokens_is_file(const char *path)
{
    struct wt_elf_header header;
    uint8_t bytes[4];
    if (wt_elf_header_read(path, &header))
        return header.type == GEN_OPENCL_EXECUTABLE;
    return wt_file_begin(path, bytes, sizeof bytes) == sizeof bytes &&
           wt_load_le(bytes, 4) == GEN_PATCHTOKENS_MAGIC;
}

enum wt_status gen_patchtokens_parse(const char *name, const uint8_t *bytes, size_t length,
                                     struct gen_object *object, struct wt_error *err)
{
    struct parse p = {.name = name, .bytes = bytes, .length = length, .object = object, .err = err};
    enum wt_status status = WT_OK;
    struct item item = {0};
    const uint8_t *head = take(&p, PROGRAM_HEADER);
    if (!head || wt_load_le(head, 4) != GEN_PATCHTOKENS_MAGIC)
        return bad(&p, "it is not a program in patch tokens");
    const uint32_t kernels = (uint32_t)wt_load_le(head + 16, 4),
                   list = (uint32_t)wt_load_le(head + 24, 4);
    if (wt_load_le(head + 12, 4) != 8)
        return bad(&p, "its pointers have other than 8 bytes");
    if (list > length - p.at)
        return bad(&p, "its patch tokens lie outside the file");
    for (const size_t end = p.at + list; p.at < end && !status;)
        if ((status = next_item(&p, end, &item)) == WT_OK)
            status = program_item(&p, &item, end);
    for (uint32_t i = 0; i < kernels && !status; i++)
        status = add_kernel(&p);
    snprintf(object->version, sizeof object->version, "%u", (unsigned)wt_load_le(head + 4, 4));
    return status == WT_OK && !kernels ? bad(&p, "it has no kernels") : status;
}
