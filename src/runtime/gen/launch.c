/* Setting up one kernel in a fresh device. See launch.h. */
#include "runtime/gen/launch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory.h"
#include "runtime/gen/images.h"
#include "runtime/gen/printf.h"

enum {
    GRF = 32,
    SURFACE_BYTES = GEN_SURFACE_STATE_BYTES,
    MOST_SAMPLERS = 256,
    MOST_COUNTED = 16, /* that a walk counts */
    BORDER_BYTES = 64, /* the border colour, before the table of samplers */
    MOST_SURFACES = 250,
    MOST_ITEMS = 1024,
    SCRATCH_UNIT = 1024,
    MOST_SCRATCH_CODE = 11,
    SURFTYPE_BUFFER = 4,
    SURFTYPE_NULL = 7,
    FORMAT_RAW = 0x1ff,
};

/* ---- what the kernel takes ---- */

size_t gen_launch_arguments(const struct gen_kernel *k)
{
    size_t count = k->argument_count;
    for (size_t i = 0; i < k->payload_count; i++)
        if (k->payload[i].index >= 0 && (size_t)k->payload[i].index + 1 > count)
            count = (size_t)k->payload[i].index + 1;
    return count;
}

/* The kind of an image that is an argument. */
static enum gen_image_kind image_kind(const struct gen_kernel *k, size_t index)
{
    enum gen_image_kind kind = GEN_IMAGE_OTHER;
    for (size_t i = 0; i < k->payload_count; i++)
        if (k->payload[i].index == (int32_t)index && k->payload[i].object == GEN_OBJECT_IMAGE)
            kind = k->payload[i].image;
    return kind;
}

enum wt_value_kind gen_launch_kind(const struct gen_kernel *k, size_t index, size_t *size)
{
    enum wt_value_kind kind = WT_VALUE_PLAIN;
    *size = 0;
    for (size_t i = 0; i < k->payload_count; i++) {
        const struct gen_payload_argument *a = &k->payload[i];
        if (a->index != (int32_t)index)
            continue;
        if (a->kind == GEN_ARG_BYVALUE && a->source_offset + a->size > *size)
            *size = a->source_offset + a->size;
        if (a->kind == GEN_ARG_BYPOINTER)
            kind = a->object == GEN_OBJECT_SAMPLER ? WT_VALUE_SAMPLER
                   : a->object == GEN_OBJECT_IMAGE ? WT_VALUE_IMAGE
                   : a->mode == GEN_ADDRESS_SLM    ? WT_VALUE_LOCAL
                                                   : WT_VALUE_BUFFER;
    }
    if (kind == WT_VALUE_IMAGE && !(*size = gen_image_dimensions(image_kind(k, index))))
        kind = WT_VALUE_OTHER;
    /* The payload's piece may be wider than the type. */
    if (kind == WT_VALUE_PLAIN && index < k->argument_count && k->argument_size[index])
        *size = k->argument_size[index];
    return kind;
}

const char *gen_launch_name(const struct gen_kernel *k, size_t index)
{
    return index < k->argument_count && k->argument_name[index] ? k->argument_name[index] : "";
}

/* ---- memory ---- */

static uint64_t pages(uint64_t size)
{
    return (size + WT_PAGE_MASK) & ~WT_PAGE_MASK;
}

/* An unmapped page follows each buffer or image, so that accesses past its end fault. */
static enum wt_status place_buffers(struct gen_device *device, struct gen_launch *l,
                                    struct wt_error *err)
{
    uint64_t at = GEN_LAUNCH_BUFFERS;
    uint32_t slices;
    size_t size;
    for (size_t i = 0; i < l->value_count; i++) {
        struct wt_value *v = &l->value[i];
        enum wt_status status = WT_OK;
        const enum wt_value_kind kind = gen_launch_kind(l->kernel, i, &size);
        if ((kind != WT_VALUE_BUFFER && kind != WT_VALUE_IMAGE) || v->is_null)
            continue;
        v->slice = v->stride = v->length;
        if (kind == WT_VALUE_IMAGE) {
            gen_image_slices(image_kind(l->kernel, i), &v->image, &v->slice, &v->stride, &slices);
            status = gen_image_check(image_kind(l->kernel, i), &v->image, err);
        }
        const uint64_t count = v->slice ? v->length / v->slice : 0, whole = count * v->stride;
        v->addr = at;
        if (!status)
            status = gen_device_map(device, at, whole ? whole : 1, true, err);
        for (uint64_t k = 0; k < count && !status; k++)
            status =
                gen_device_put(device, at + k * v->stride, v->bytes + k * v->slice, v->slice, err);
        const char *name = gen_launch_name(l->kernel, i);
        if (status)
            return wt_fail_in(err, "argument %zu%s%.64s", i, *name ? ", " : "", name);
        at = pages(at + whole) + WT_PAGE_SIZE;
    }
    return WT_OK;
}

/* Pointers to local memory are offsets behind the kernel's own. */
static enum wt_status place_local(struct gen_launch *l, uint32_t *bytes, struct wt_error *err)
{
    uint64_t at = l->kernel->slm_size;
    size_t size;
    for (size_t i = 0; i < l->value_count; i++) {
        if (gen_launch_kind(l->kernel, i, &size) != WT_VALUE_LOCAL)
            continue;
        at = (at + 15) & ~UINT64_C(15);
        l->value[i].addr = at;
        at += l->value[i].length;
        if (at > GEN_SLM_BYTES)
            return wt_fail(
                err, WT_INVALID,
                "argument %zu: a work-group would need %llu bytes of local memory; there are %u", i,
                (unsigned long long)at, GEN_SLM_BYTES);
    }
    *bytes = (uint32_t)at;
    return WT_OK;
}

static enum wt_status place_code(struct gen_device *device, const struct gen_object *object,
                                 struct wt_error *err)
{
    enum wt_status status;
    if ((status = gen_device_map(device, GEN_LAUNCH_CODE, object->size + 1, true, err)) != WT_OK ||
        (status = gen_device_put(device, GEN_LAUNCH_CODE, object->image, object->size, err)) !=
            WT_OK)
        return status;
    for (size_t i = 0; i < object->relocation_count; i++) {
        const struct gen_relocation *r = &object->relocation[i];
        const uint64_t address = GEN_LAUNCH_CODE + r->addend;
        uint8_t bytes[8];
        assert(r->size == 4 || r->size == 8);
        wt_store_le(bytes, r->high ? address >> 32 : address, r->size);
        if ((status = gen_device_put(device, GEN_LAUNCH_CODE + r->at, bytes, r->size, err)) !=
            WT_OK)
            return status;
    }
    return WT_OK;
}

/* The routine's code and its save area; breakpoints count from now on, as under Linux's driver with
 * a debugger. */
static enum wt_status place_system(struct gen_device *device, const struct gen_launch *l,
                                   struct gen_walk *w, struct wt_error *err)
{
    struct wt_machine *m = gen_machine(device);
    enum wt_status status;
    if (!l->handler[0].length)
        return WT_OK;
    if ((status = gen_device_map(device, GEN_LAUNCH_SYSTEM, l->handler[0].length + 1, true, err)) !=
            WT_OK ||
        (status = gen_device_put(device, GEN_LAUNCH_SYSTEM, l->handler[0].bytes,
                                 l->handler[0].length, err)) != WT_OK ||
        (status = gen_device_map(device, GEN_LAUNCH_SAVE, GEN_LAUNCH_SAVE_SIZE, true, err)) !=
            WT_OK)
        return status;
    w->sip = GEN_LAUNCH_SYSTEM - GEN_LAUNCH_CODE;
    m->ops->debug_write(m, GEN_TD_CTL,
                        GEN_TD_CTL_BREAKPOINTS | GEN_TD_CTL_FORCE_BREAKPOINTS |
                            GEN_TD_CTL_FORCE_ENABLE);
    return WT_OK;
}

/* ---- the payload ---- */

/* A dword of a vector of three: a piece may hold one or all. */
static void put_vector(uint8_t *to, const struct gen_payload_argument *a, const uint32_t v[3])
{
    const unsigned first = a->source_offset / 4;
    for (unsigned i = 0; first + i < 3 && 4 * i + 4 <= a->size; i++)
        wt_store_le(to + a->offset + 4 * i, v[first + i], 4);
}

static enum wt_status put_argument(const struct gen_launch *l, const struct gen_payload_argument *a,
                                   const uint32_t group[3], uint8_t *to, struct wt_error *err)
{
    static const uint32_t zeros[3];
    size_t size;
    uint32_t groups[3];
    const struct wt_value *v =
        a->index >= 0 && (size_t)a->index < l->value_count ? &l->value[a->index] : NULL;
    for (unsigned i = 0; i < 3; i++)
        groups[i] = (l->grid[i] + l->block[i] - 1) / l->block[i];
    switch (a->kind) {
    case GEN_ARG_BYVALUE:
        gen_launch_kind(l->kernel, (size_t)a->index, &size);
        if (!v || v->length != size)
            return wt_fail(err, WT_INVALID, "argument %d of %.64s has %zu bytes, not %zu", a->index,
                           l->kernel->name, size, v ? v->length : 0);
        if (a->source_offset < v->length)
            memcpy(to + a->offset, v->bytes + a->source_offset,
                   v->length - a->source_offset < a->size ? v->length - a->source_offset : a->size);
        break;
    case GEN_ARG_BYPOINTER:
    case GEN_ARG_BUFFER_ADDRESS:
        if (v && a->size)
            wt_store_le(to + a->offset, v->addr, a->size < 8 ? a->size : 8);
        break;
    case GEN_ARG_BUFFER_OFFSET: /* of the pointer in its surface: 0 */
        break;
    case GEN_ARG_GLOBAL_ID_OFFSET:
        put_vector(to, a, zeros);
        break;
    case GEN_ARG_LOCAL_SIZE:
        put_vector(to, a, group);
        break;
    case GEN_ARG_ENQUEUED_LOCAL_SIZE:
        put_vector(to, a, l->block);
        break;
    case GEN_ARG_GROUP_COUNT:
        put_vector(to, a, groups);
        break;
    case GEN_ARG_GLOBAL_SIZE:
        put_vector(to, a, l->grid);
        break;
    case GEN_ARG_WORK_DIMENSIONS:
        if (a->size >= 4)
            wt_store_le(to + a->offset, l->grid[2] > 1 ? 3 : l->grid[1] > 1 ? 2 : 1, 4);
        break;
    case GEN_ARG_PRIVATE_BASE:
        if (a->size >= 8)
            wt_store_le(to + a->offset, GEN_LAUNCH_PRIVATE, 8);
        break;
    case GEN_ARG_PROGRAM_DATA:
        if (a->size >= 8)
            wt_store_le(to + a->offset, GEN_LAUNCH_CODE + a->source_offset, 8);
        break;
    case GEN_ARG_IMAGE_WIDTH:
    case GEN_ARG_IMAGE_HEIGHT:
    case GEN_ARG_IMAGE_DEPTH:
    case GEN_ARG_IMAGE_LAYERS:
    case GEN_ARG_IMAGE_ORDER:
    case GEN_ARG_IMAGE_TYPE:
    case GEN_ARG_IMAGE_SAMPLES:
    case GEN_ARG_IMAGE_LEVELS:
        if (v && a->size >= 4)
            wt_store_le(
                to + a->offset,
                gen_image_dword(a->kind, image_kind(l->kernel, (size_t)a->index), &v->image), 4);
        break;
    case GEN_ARG_SAMPLER_ADDRESS:
    case GEN_ARG_SAMPLER_NORMALIZED:
    case GEN_ARG_SAMPLER_SNAP:
        if (v && a->size >= 4)
            wt_store_le(to + a->offset, gen_sampler_dword(a->kind, &v->sampler), 4);
        break;
    case GEN_ARG_PRINTF_BUFFER:
        if (a->size >= 8)
            wt_store_le(to + a->offset, GEN_LAUNCH_PRINTF, 8);
        break;
    default:
        break;
    }
    return WT_OK;
}

/* The local ids of a thread: vectors of words for x, y and z, each of whole registers. */
static void put_local_ids(unsigned simd, const uint32_t group[3], unsigned thread, uint8_t *to,
                          uint32_t bytes)
{
    const unsigned vector = simd * 2 < GRF ? GRF : simd * 2;
    for (unsigned i = 0; i < simd; i++) {
        const uint32_t item = thread * simd + i;
        const uint32_t id[3] = {item % group[0], item / group[0] % group[1],
                                item / group[0] / group[1]};
        for (unsigned k = 0; k < 3 && (k + 1) * vector <= bytes; k++)
            wt_store_le(to + k * vector + 2 * i, id[k], 2);
    }
}

static uint32_t rounded(uint32_t bytes)
{
    return (bytes + GRF - 1) / GRF * GRF;
}

static uint32_t cross_bytes(const struct gen_kernel *k)
{
    uint32_t most = 0;
    for (size_t i = 0; i < k->payload_count; i++)
        if (k->payload[i].offset + k->payload[i].size > most)
            most = k->payload[i].offset + k->payload[i].size;
    return rounded(most);
}

/* ---- surfaces ---- */

/* RENDER_SURFACE_STATE of a buffer of raw bytes (PRM volume 2d). */
static void put_surface(uint8_t *to, uint64_t addr, uint64_t bytes)
{
    const uint64_t last = (bytes ? bytes : 1) - 1;
    wt_store_le(to, (uint64_t)SURFTYPE_BUFFER << 29 | FORMAT_RAW << 18, 4);
    wt_store_le(to + 8, (last & 0x7f) | (last >> 7 & 0x3fff) << 16, 4);
    wt_store_le(to + 12, (last >> 21 & 0x7ff) << 21, 4);
    wt_store_le(to + 32, addr, 8);
}

/* The surface that an argument has. */
static void put_bound(const struct gen_launch *l, size_t index, uint8_t *to)
{
    const struct wt_value *v = &l->value[index];
    size_t size;
    if (gen_launch_kind(l->kernel, index, &size) == WT_VALUE_IMAGE)
        gen_image_surface(to, image_kind(l->kernel, index), &v->image, v->addr);
    else if (v->is_null)
        wt_store_le(to, (uint64_t)SURFTYPE_NULL << 29, 4);
    else
        put_surface(to, v->addr, v->length);
}

/* Surface states, the system routine's first, then the binding table; *table is its offset. */
static enum wt_status place_surfaces(struct gen_device *device, const struct gen_launch *l,
                                     uint64_t base, uint32_t *table, struct wt_error *err)
{
    const struct gen_kernel *k = l->kernel;
    uint32_t count = 0;
    enum wt_status status;
    for (size_t i = 0; i < k->binding_count; i++)
        count = k->binding[i].entry + 1 > count ? k->binding[i].entry + 1 : count;
    if (count > MOST_SURFACES)
        return wt_fail(err, WT_INVALID, "kernel %.64s has %u surfaces; %u are the most", k->name,
                       count, MOST_SURFACES);
    *table = (count + 1) * SURFACE_BYTES;
    const size_t size = pages(*table + count * 4u + 1);
    uint8_t *bytes = calloc(1, size);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    if (l->handler[0].length)
        put_surface(bytes, GEN_LAUNCH_SAVE, GEN_LAUNCH_SAVE_SIZE);
    for (uint32_t i = 0; i < count; i++)
        wt_store_le(bytes + *table + 4 * i, (i + 1) * SURFACE_BYTES, 4);
    for (size_t i = 0; i < k->binding_count; i++) {
        const struct gen_binding *b = &k->binding[i];
        if (b->index >= 0 && (size_t)b->index < l->value_count)
            put_bound(l, (size_t)b->index, bytes + (b->entry + 1) * SURFACE_BYTES);
        else if (b->size)
            put_surface(bytes + (b->entry + 1) * SURFACE_BYTES, GEN_LAUNCH_CODE + b->at, b->size);
    }
    status = gen_device_map(device, base, size, true, err);
    if (!status)
        status = gen_device_put(device, base, bytes, size, err);
    free(bytes);
    return status;
}

/* The border colour, of zeros, and behind it the table of samplers. */
static enum wt_status place_samplers(struct gen_device *device, const struct gen_launch *l,
                                     struct gen_walk *w, struct wt_error *err)
{
    uint8_t states[MOST_SAMPLERS * GEN_SAMPLER_STATE_BYTES] = {0};
    const struct gen_kernel *k = l->kernel;
    enum wt_status status;
    w->dynamic = GEN_LAUNCH_DYNAMIC;
    w->samplers = BORDER_BYTES | (k->sampler_count ? MOST_COUNTED / 4 << 2 : 0);
    for (size_t i = 0; i < k->sampler_count; i++) {
        struct gen_sampler_slot slot = k->sampler[i];
        if (slot.slot >= MOST_SAMPLERS)
            return wt_fail(err, WT_INVALID, "kernel %.64s has a sampler %u; %u are the most",
                           k->name, slot.slot, MOST_SAMPLERS);
        if (slot.index >= 0 && (size_t)slot.index < l->value_count)
            gen_sampler_fill(&slot, &l->value[slot.index].sampler);
        gen_sampler_state(states + (size_t)slot.slot * GEN_SAMPLER_STATE_BYTES, &slot, 0);
    }
    if (!k->sampler_count)
        return WT_OK;
    if ((status = gen_device_map(device, w->dynamic, BORDER_BYTES + sizeof states, true, err)) !=
        WT_OK)
        return status;
    return gen_device_put(device, w->dynamic + BORDER_BYTES, states, sizeof states, err);
}

/* ---- memory of threads ---- */

static enum wt_status place_thread_memory(struct gen_device *device, const struct gen_kernel *k,
                                          struct gen_walk *w, struct wt_error *err)
{
    const uint64_t threads = gen_machine(device)->waves;
    enum wt_status status;
    while (w->scratch_code < MOST_SCRATCH_CODE &&
           (uint32_t)SCRATCH_UNIT << w->scratch_code < k->scratch_size)
        w->scratch_code++;
    if ((uint32_t)SCRATCH_UNIT << w->scratch_code < k->scratch_size)
        return wt_fail(
            err, WT_INVALID,
            "kernel %.64s needs %u bytes of scratch memory for a thread; 2 MiB are the most",
            k->name, k->scratch_size);
    /* A page of nothing stands in front, so that scratch memory does not begin at offset 0. */
    w->general = GEN_LAUNCH_SCRATCH;
    w->scratch = WT_PAGE_SIZE;
    w->has_scratch = true;
    const uint64_t scratch = threads * ((uint64_t)SCRATCH_UNIT << w->scratch_code);
    if (w->scratch + scratch > UINT32_MAX)
        return wt_fail(err, WT_INVALID, "scratch memory of %llu bytes is more than 4 GiB",
                       (unsigned long long)scratch);
    if ((status = gen_device_map(device, GEN_LAUNCH_SCRATCH + w->scratch, scratch, true, err)) !=
        WT_OK)
        return status;
    gen_kernel_private(k, &w->private_at, &w->private_bytes);
    if (!k->private_size)
        return WT_OK;
    const uint64_t private = threads * k->private_size * k->simd;
    if ((status = gen_device_map(device, GEN_LAUNCH_PRIVATE, private, true, err)) != WT_OK)
        return status;
    return wt_machine_fill_range(gen_machine(device), wt_fill_place(WT_FILLED_PRIVATE, 0),
                                 GEN_LAUNCH_PRIVATE, private)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "the host has no memory left for private memory");
}

static bool prints(const struct gen_kernel *k)
{
    size_t i = 0;
    while (i < k->payload_count && k->payload[i].kind != GEN_ARG_PRINTF_BUFFER)
        i++;
    return i < k->payload_count;
}

/* The kernel's output: the offset of the next record, which starts behind the offset itself, and
 * the records. */
static enum wt_status place_printf(struct gen_device *device, const struct gen_kernel *k,
                                   struct wt_error *err)
{
    static const uint8_t first[4] = {GEN_PRINTF_HEADER, 0, 0, 0};
    enum wt_status status;
    if (!prints(k))
        return WT_OK;
    if ((status = gen_device_map(device, GEN_LAUNCH_PRINTF, GEN_LAUNCH_PRINTF_SIZE, true, err)) !=
        WT_OK)
        return status;
    return gen_device_put(device, GEN_LAUNCH_PRINTF, first, sizeof first, err);
}

static_assert(GEN_LAUNCH_PRINTF_SIZE == 4 << 20, "the size in the text");

enum wt_status gen_launch_print(struct gen_device *device, const struct gen_launch *launch,
                                FILE *out, const char **lost, struct wt_error *err)
{
    uint8_t header[GEN_PRINTF_HEADER];
    *lost = NULL;
    if (!prints(launch->kernel) ||
        !gen_device_read(device, GEN_LAUNCH_PRINTF, header, sizeof header))
        return WT_OK;
    const size_t end = (size_t)wt_load_le(header, sizeof header);
    const size_t used = end < sizeof header ? 0 : end - sizeof header;
    const size_t room = GEN_LAUNCH_PRINTF_SIZE - sizeof header, length = used < room ? used : room;
    uint8_t *bytes = malloc(length ? length : 1);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for what the kernel prints");
    gen_device_read(device, GEN_LAUNCH_PRINTF + sizeof header, bytes, length);
    if (gen_printf_print(device, launch->kernel, bytes, length, out) != used)
        *lost = used > room ? "its buffer of 4 MiB is full"
                            : "a thread has not reached the end of its printf";
    free(bytes);
    return WT_OK;
}

/* ---- the launch ---- */

static enum wt_status check_shape(const struct gen_launch *l, struct wt_error *err)
{
    const uint64_t items = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (!items || items > MOST_ITEMS)
        return wt_fail(err, WT_INVALID, "a work-group of %llu work-items; 1 to %u are possible",
                       (unsigned long long)items, MOST_ITEMS);
    for (unsigned i = 0; i < 3; i++)
        if (!l->grid[i])
            return wt_fail(err, WT_INVALID, "a grid of %u,%u,%u work-items has none", l->grid[0],
                           l->grid[1], l->grid[2]);
    return WT_OK;
}

/* A part of the grid whose groups are of one size: whole ones, or the last ones of a row, which may
 * be smaller. The hardware walks each part by itself. */
struct gen_part {
    uint32_t size[3];          /* size of a group */
    uint32_t start[3], end[3]; /* groups */
};

/* Part 0..7: bit i says that it is the rest in dimension i. False: it has no groups. */
static bool find_part(const struct gen_launch *l, unsigned which, struct gen_part *part)
{
    bool any = true;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t whole = l->grid[i] / l->block[i], rest = l->grid[i] % l->block[i];
        const bool is_rest = which >> i & 1;
        part->size[i] = is_rest ? rest : l->block[i];
        part->start[i] = is_rest ? whole : 0;
        part->end[i] = is_rest ? whole + 1 : whole;
        any = any && (is_rest ? rest > 0 : whole > 0);
    }
    return any;
}

/* The payload of a part's threads, at *at, which then stands behind it. */
static enum wt_status place_payload(struct gen_device *device, const struct gen_launch *l,
                                    const struct gen_part *part, struct gen_walk *w, uint64_t *at,
                                    struct wt_error *err)
{
    const struct gen_kernel *k = l->kernel;
    const uint32_t items = part->size[0] * part->size[1] * part->size[2], rest = items % k->simd;
    enum wt_status status = WT_OK;
    w->threads = (uint16_t)((items + k->simd - 1) / k->simd);
    w->in_step = k->fixed_group && !k->barriers && w->threads == 1;
    w->last_mask = rest ? ((uint32_t)1 << rest) - 1 : UINT32_MAX;
    const size_t size = w->cross_bytes + (size_t)w->thread_bytes * w->threads;
    uint8_t *bytes = calloc(1, size + 1);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    for (size_t i = 0; i < k->payload_count && !status; i++)
        status = put_argument(l, &k->payload[i], part->size, bytes, err);
    for (unsigned i = 0; i < w->threads; i++)
        put_local_ids(k->simd, part->size, i, bytes + w->cross_bytes + (size_t)i * w->thread_bytes,
                      w->thread_bytes);
    w->payload = *at;
    *at += pages(size + 1);
    if (!status)
        status = gen_device_map(device, w->payload, size + 1, true, err);
    if (!status)
        status = gen_device_put(device, w->payload, bytes, size, err);
    free(bytes);
    return status;
}

enum wt_status gen_launch(struct gen_device *device, const struct gen_object *object,
                          struct gen_launch *l, struct wt_error *err)
{
    const struct gen_kernel *k = l->kernel;
    uint64_t at = GEN_LAUNCH_PAYLOAD;
    enum wt_status status;
    struct gen_part part;
    struct gen_walk w = {.instructions = GEN_LAUNCH_CODE,
                         .kernel = k->code,
                         .simd = (uint8_t)k->simd,
                         .barrier = k->barriers > 0,
                         .surfaces = GEN_LAUNCH_SURFACES};
    memcpy(w.block, l->block, sizeof w.block);
    memcpy(w.grid, l->grid, sizeof w.grid);
    assert(k && l->block[0] && l->block[1] && l->block[2]);
    gen_device_set_steps(device, l->steps);
    if (l->value_count != gen_launch_arguments(k))
        return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments, not %zu", k->name,
                       gen_launch_arguments(k), l->value_count);
    if ((status = check_shape(l, err)) != WT_OK)
        return status;
    w.cross_bytes = (uint16_t)cross_bytes(k);
    /* A kernel without local ids has a register of its own, too, as with Intel's runtime. */
    w.thread_bytes = (uint16_t)rounded(k->local_id_size ? k->local_id_size : 1);
    if ((status = place_code(device, object, err)) != WT_OK ||
        (status = place_system(device, l, &w, err)) != WT_OK ||
        (status = place_buffers(device, l, err)) != WT_OK ||
        (status = place_local(l, &w.slm_bytes, err)) != WT_OK ||
        (status = place_surfaces(device, l, w.surfaces, &w.binding_table, err)) != WT_OK ||
        (status = place_samplers(device, l, &w, err)) != WT_OK ||
        (status = place_thread_memory(device, k, &w, err)) != WT_OK ||
        (status = place_printf(device, k, err)) != WT_OK)
        return status;
    l->walk_count = 0;
    for (unsigned i = 0; i < GEN_WALKS; i++) {
        if (!find_part(l, i, &part))
            continue;
        memcpy(w.start, part.start, sizeof w.start);
        memcpy(w.end, part.end, sizeof w.end);
        if ((status = place_payload(device, l, &part, &w, &at, err)) != WT_OK)
            return status;
        l->walk[l->walk_count++] = w;
    }
    return gen_launch_again(device, l->walk, l->walk_count, err);
}

enum wt_status gen_launch_again(struct gen_device *device, const struct gen_walk *walk,
                                unsigned count, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (unsigned i = 0; i < count && !status; i++)
        status = gen_device_walk(device, &walk[i], err);
    return status;
}
