/* Setting up one kernel in a fresh device. See launch.h. */
#include "runtime/gcn/launch.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "object/aql.h"
#include "runtime/gcn/printf.h"
#include "emulator/machine/memory.h"

enum { QUEUE_BYTES = GCN_LAUNCH_PACKET - GCN_LAUNCH_ARGUMENTS, MOST_LDS = 65536 };

enum wt_value_kind gcn_value_kind(const struct gcn_argument *argument)
{
    switch (argument->kind) {
    case GCN_ARG_VALUE:
        return WT_VALUE_PLAIN;
    case GCN_ARG_BUFFER:
        return WT_VALUE_BUFFER;
    case GCN_ARG_LOCAL:
        return WT_VALUE_LOCAL;
    default:
        return WT_VALUE_OTHER;
    }
}

/* An unmapped page follows each buffer, so that accesses past its end fault. */
static enum wt_status place_buffers(struct gcn_device *device, struct gcn_launch *l,
                                    struct wt_error *err)
{
    uint64_t at = GCN_LAUNCH_BUFFERS;
    for (size_t i = 0; i < l->value_count; i++) {
        struct wt_value *v = &l->value[i];
        if (l->kernel->argument[i].kind != GCN_ARG_BUFFER || v->is_null)
            continue;
        v->addr = at;
        if (gcn_device_map(device, at, v->length ? v->length : 1, true, err))
            return wt_fail_in(err, "argument %zu", i);
        if (gcn_device_put(device, at, v->bytes, v->length, err) != WT_OK)
            return wt_fail_in(err, "argument %zu", i);
        at = ((at + v->length + WT_PAGE_MASK) & ~WT_PAGE_MASK) + WT_PAGE_SIZE;
    }
    return WT_OK;
}

static uint64_t hidden_value(const struct gcn_launch *l, enum gcn_argument_kind kind,
                             uint64_t queue, uint32_t dynamic_lds)
{
    switch (kind) {
    case GCN_ARG_BLOCK_COUNT_X:
    case GCN_ARG_BLOCK_COUNT_Y:
    case GCN_ARG_BLOCK_COUNT_Z: {
        const unsigned i = kind - GCN_ARG_BLOCK_COUNT_X;
        return l->grid[i] / l->block[i]; /* whole ones; the rest is the remainder */
    }
    case GCN_ARG_GROUP_SIZE_X:
    case GCN_ARG_GROUP_SIZE_Y:
    case GCN_ARG_GROUP_SIZE_Z:
        return l->block[kind - GCN_ARG_GROUP_SIZE_X];
    case GCN_ARG_REMAINDER_X:
    case GCN_ARG_REMAINDER_Y:
    case GCN_ARG_REMAINDER_Z: {
        const unsigned i = kind - GCN_ARG_REMAINDER_X;
        return l->grid[i] % l->block[i];
    }
    case GCN_ARG_GRID_DIMS:
        return l->grid[2] > 1 ? 3 : l->grid[1] > 1 ? 2 : 1;
    case GCN_ARG_PRIVATE_BASE:
        return GCN_PRIVATE_APERTURE >> 32;
    case GCN_ARG_SHARED_BASE:
        return GCN_SHARED_APERTURE >> 32;
    case GCN_ARG_QUEUE:
        return queue;
    case GCN_ARG_PRINTF_BUFFER:
        return GCN_LAUNCH_PRINTF;
    case GCN_ARG_HOSTCALL_BUFFER:
        return GCN_LAUNCH_HOSTCALL;
    case GCN_ARG_DYNAMIC_LDS:
        return dynamic_lds;
    default:
        return 0;
    }
}

/* The LDS of the work-group: the kernel's own, what the launch adds, and the blocks that arguments
 * ask for, each aligned to 16 bytes; v->addr becomes the offset of its block. */
static enum wt_status share_out_lds(struct gcn_launch *l, uint32_t *lds, struct wt_error *err)
{
    uint64_t size = l->kernel->group_size;
    if (size > MOST_LDS || l->shared > MOST_LDS - size)
        return wt_fail(err, WT_INVALID,
                       "--shared: the kernel has %" PRIu64 " bytes of LDS of its own; there are %u "
                       "for a work-group",
                       size, MOST_LDS);
    size += l->shared;
    for (size_t i = 0; i < l->value_count; i++) {
        if (l->kernel->argument[i].kind != GCN_ARG_LOCAL)
            continue;
        size = (size + 15) & ~UINT64_C(15);
        l->value[i].addr = size;
        size += l->value[i].length;
        if (size > MOST_LDS)
            return wt_fail(err, WT_INVALID,
                           "argument %zu: a work-group would need %llu bytes of "
                           "LDS; there are %u",
                           i, (unsigned long long)size, MOST_LDS);
    }
    *lds = (uint32_t)size;
    return WT_OK;
}

/* Fills the kernel's argument segment. */
static enum wt_status fill_arguments(const struct gcn_launch *l, uint64_t queue, uint8_t *kernarg,
                                     uint32_t lds, struct wt_error *err)
{
    const struct gcn_kernel *k = l->kernel;
    for (size_t i = 0; i < k->arguments; i++) {
        const struct gcn_argument *a = &k->argument[i];
        const struct wt_value *v = i < l->value_count ? &l->value[i] : NULL;
        assert(a->offset <= k->kernarg_size && a->size <= k->kernarg_size - a->offset);
        const bool given = a->kind <= GCN_ARG_OTHER;
        if (a->kind == GCN_ARG_OTHER)
            return wt_fail(err, WT_UNSUPPORTED,
                           "argument %zu of %.64s (%.64s) is of a kind that is not offered", i,
                           k->name, a->name);
        if (a->kind == GCN_ARG_VALUE) {
            if (v->length != a->size)
                return wt_fail(err, WT_INVALID,
                               "argument %zu of %.64s (%.64s) has %u bytes, not %zu", i, k->name,
                               a->name, a->size, v->length);
            memcpy(kernarg + a->offset, v->bytes, v->length);
        } else {
            const uint64_t value =
                given ? v->addr : hidden_value(l, a->kind, queue, lds - k->group_size);
            if (a->size)
                wt_store_le(kernarg + a->offset, value, a->size);
        }
    }
    return WT_OK;
}

static void fill_packet(const struct gcn_launch *l, uint32_t lds, uint64_t kernarg, uint8_t *p)
{
    struct gcn_aql_dispatch d = {.dimensions = l->grid[2] > 1   ? 3
                                               : l->grid[1] > 1 ? 2
                                                                : 1,
                                 .private_size = l->kernel->private_size,
                                 .group_size = lds,
                                 .kernel_object = GCN_LAUNCH_CODE + l->kernel->descriptor,
                                 .kernarg = kernarg};
    memcpy(d.group, l->block, sizeof d.group);
    memcpy(d.grid, l->grid, sizeof d.grid);
    gcn_aql_write_dispatch(&d, p);
}

/* Queue, packet and arguments, one after the other. */
static enum wt_status place_packet(struct gcn_device *device, struct gcn_launch *l,
                                   uint64_t scratch_size, struct wt_error *err)
{
    const uint64_t queue = GCN_LAUNCH_ARGUMENTS, packet = GCN_LAUNCH_PACKET;
    const uint64_t kernarg = packet + GCN_AQL_BYTES;
    const size_t size = QUEUE_BYTES + GCN_AQL_BYTES + l->kernel->kernarg_size;
    uint32_t lds = 0;
    uint8_t *bytes = calloc(1, size);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    enum wt_status status = share_out_lds(l, &lds, err);
    if (!status)
        status = fill_arguments(l, queue, bytes + QUEUE_BYTES + GCN_AQL_BYTES, lds, err);
    if (!status) {
        fill_packet(l, lds, kernarg, bytes + QUEUE_BYTES);
        gcn_queue_set_scratch(bytes, GCN_LAUNCH_SCRATCH, scratch_size, l->kernel->private_size);
        status = gcn_device_map(device, queue, size, true, err);
    }
    if (!status)
        status = gcn_device_put(device, queue, bytes, size, err);
    free(bytes);
    return status ? status : gcn_device_dispatch(device, packet, queue, err);
}

enum wt_status gcn_launch_again(struct gcn_device *device, struct wt_error *err)
{
    return gcn_device_dispatch(device, GCN_LAUNCH_PACKET, GCN_LAUNCH_ARGUMENTS, err);
}

static bool prints(const struct gcn_kernel *k)
{
    for (size_t i = k->explicit_arguments; i < k->arguments; i++)
        if (k->argument[i].kind == GCN_ARG_PRINTF_BUFFER)
            return true;
    return false;
}

static enum wt_status place_printf(struct gcn_device *device, const struct gcn_kernel *k,
                                   struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    if (!prints(k))
        return WT_OK;
    if ((status = gcn_device_map(device, GCN_LAUNCH_PRINTF, GCN_LAUNCH_PRINTF_SIZE, true, err)) !=
        WT_OK)
        return status;
    bytes = malloc(GCN_LAUNCH_PRINTF_SIZE);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    memset(bytes, GCN_PRINTF_FILL, GCN_LAUNCH_PRINTF_SIZE);
    wt_store_le(bytes, 0, 4);
    wt_store_le(bytes + 4, GCN_LAUNCH_PRINTF_SIZE, 4);
    status = gcn_device_put(device, GCN_LAUNCH_PRINTF, bytes, GCN_LAUNCH_PRINTF_SIZE, err);
    free(bytes);
    return status;
}

static_assert(GCN_LAUNCH_PRINTF_SIZE == 16 << 20, "the size in the text");

enum wt_status gcn_launch_print(struct gcn_device *device, const struct gcn_object *object,
                                const struct gcn_launch *launch, FILE *out, const char **lost,
                                struct wt_error *err)
{
    uint8_t header[GCN_PRINTF_HEADER];
    *lost = NULL;
    if (!prints(launch->kernel) ||
        !gcn_device_read(device, GCN_LAUNCH_PRINTF, header, sizeof header))
        return WT_OK;
    const size_t room = GCN_LAUNCH_PRINTF_SIZE - sizeof header;
    const size_t used = (size_t)wt_load_le(header, 4), length = used < room ? used : room;
    uint8_t *bytes = malloc(length ? length : 1);
    if (!bytes)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for what the kernel prints");
    gcn_device_read(device, GCN_LAUNCH_PRINTF + sizeof header, bytes, length);
    const size_t printed = gcn_printf_print(object, bytes, length, out);
    size_t most = 0; /* what the longest record takes */
    for (size_t i = 0; i < object->formats; i++) {
        size_t size = 4;
        for (size_t k = 0; k < object->format[i].sizes; k++)
            size += object->format[i].size[k];
        most = size > most ? size : most;
    }
    if (used > room || room - length < most)
        *lost = "its buffer of 16 MiB is full";
    else if (printed != used)
        *lost = "a wave has not reached the end of its printf";
    free(bytes);
    return WT_OK;
}

/* Of two, the page that TMA points to begins with the second one's TBA and TMA. */
static enum wt_status place_handlers(struct gcn_device *device, struct gcn_launch *l,
                                     struct wt_error *err)
{
    enum wt_status status;
    uint64_t at = GCN_LAUNCH_HANDLER, data[2] = {0};
    uint8_t second[16];
    for (unsigned i = 0; i < 2 && l->handler[i].length; i++) {
        struct wt_value *h = &l->handler[i];
        h->addr = at;
        data[i] = at + ((h->length + WT_PAGE_MASK) & ~WT_PAGE_MASK);
        at = data[i] + WT_PAGE_SIZE;
        if ((status = gcn_device_map(device, h->addr, at - h->addr, true, err)) != WT_OK)
            return status;
        if ((status = gcn_device_put(device, h->addr, h->bytes, h->length, err)) != WT_OK)
            return status;
    }
    if (!l->handler[0].length)
        return WT_OK;
    wt_store_le(second, l->handler[1].addr, 8);
    wt_store_le(second + 8, data[1], 8);
    gcn_device_set_trap_handler(device, l->handler[0].addr, data[0]);
    return gcn_device_put(device, data[0], second, sizeof second, err);
}

/* Maps the segments at `base`, a multiple of 4096, and copies them there. Segments may share pages:
 * the whole range is mapped at once. */
static enum wt_status place_object(struct gcn_device *device, const struct gcn_object *object,
                                   uint64_t base, struct wt_error *err)
{
    enum wt_status status;
    if ((status = gcn_device_map(device, base, object->size, true, err)) != WT_OK)
        return status;
    for (size_t i = 0; i < object->segments; i++) {
        const struct gcn_object_segment *s = &object->segment[i];
        if ((status = gcn_device_put(device, base + s->addr, s->bytes, s->length, err)) != WT_OK)
            return status;
    }
    for (size_t i = 0; i < object->relocations; i++) {
        uint8_t bytes[8];
        wt_store_le(bytes, base + object->relocation[i].addend, sizeof bytes);
        if ((status = gcn_device_put(device, base + object->relocation[i].at, bytes, sizeof bytes,
                                     err)) != WT_OK)
            return status;
    }
    return WT_OK;
}

enum wt_status gcn_launch(struct gcn_device *device, const struct gcn_object *object,
                          struct gcn_launch *l, struct wt_error *err)
{
    enum wt_status status;
    const uint64_t scratch = gcn_device_scratch_size(device, l->kernel->private_size);
    const uint64_t items = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    assert(l->kernel && items > 0);
    if (items > l->kernel->most_items)
        return wt_fail(err, WT_INVALID,
                       "%llu work-items a work-group; kernel %.64s is compiled for %u at most",
                       (unsigned long long)items, l->kernel->name, l->kernel->most_items);
    if (l->value_count != l->kernel->explicit_arguments)
        return wt_fail(err, WT_INVALID, "kernel %.64s takes %zu arguments, not %zu",
                       l->kernel->name, l->kernel->explicit_arguments, l->value_count);
    if ((status = place_object(device, object, GCN_LAUNCH_CODE, err)) != WT_OK ||
        (status = place_buffers(device, l, err)) != WT_OK)
        return status;
    if (scratch &&
        (status = gcn_device_map(device, GCN_LAUNCH_SCRATCH, scratch, true, err)) != WT_OK)
        return status;
    if ((status = place_printf(device, l->kernel, err)) != WT_OK ||
        (status = place_handlers(device, l, err)) != WT_OK)
        return status;
    return place_packet(device, l, scratch, err);
}
