/*
 * Kernel launches, from the AQL packet, the kernel descriptor and the queue (LLVM, "User Guide for
 * AMDGPU Backend": kernel descriptor; HSA Platform System Architecture Specification 1.2: AQL
 * packets).
 */
#include "emulator/gcn/internal.h"
#include "object/aql.h"

/* Fields of amd_queue_t that a dispatch needs. */
enum {
    QUEUE_TMPRING = 140,
    QUEUE_RESOURCE = 144,
    QUEUE_SCRATCH = 160,
    QUEUE_SCRATCH_SIZE = 168,
    QUEUE_BYTES = 192
};
/* The unit of COMPUTE_TMPRING_SIZE.WAVESIZE is 1 KiB. */
#define SCRATCH_UNIT 1024
/* A wave that starts with arguments begins behind code that loads them. */
#define PRELOADED 256
/* The most bytes of a work-item that WAVESIZE, of 13 bits, can express for a wave. */
#define MOST_PRIVATE (0x1fff * SCRATCH_UNIT / GCN_LANES)

static uint32_t scratch_wave_size(uint32_t private_size, uint32_t lanes)
{
    return (uint32_t)(((uint64_t)private_size * lanes + SCRATCH_UNIT - 1) / SCRATCH_UNIT *
                      SCRATCH_UNIT);
}

/* The waves that can have so many bytes each of one arena: it ends below 4 GiB. */
static uint32_t most_scratch_waves(uint32_t wave_size)
{
    assert(wave_size > 0);
    return UINT32_MAX / wave_size;
}

uint64_t gcn_device_scratch_size(const struct gcn_device *d, uint32_t private_size)
{
    const uint32_t size = scratch_wave_size(private_size, GCN_LANES);
    const uint32_t most = size ? most_scratch_waves(size) : 0;
    return (uint64_t)size * (most < d->machine.waves ? most : d->machine.waves);
}

void gcn_queue_set_scratch(uint8_t *queue, uint64_t addr, uint64_t size, uint32_t private_size)
{
    assert(queue);
    /* A V# over the whole arena: swizzled by dwords of 64 lanes (manual, section 8.1.8). */
    const uint32_t records = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
    const uint32_t word[4] = {
        (uint32_t)addr,
        (uint32_t)(addr >> 32) | 1u << 31, /* SWIZZLE_ENABLE */
        records,
        1u << 23 /* ADD_TID_ENABLE */ | 3u << 21 /* INDEX_STRIDE 64 */ | 0xfac,
    };
    for (unsigned i = 0; i < 4; i++)
        wt_store_le(queue + QUEUE_RESOURCE + 4 * i, word[i], 4);
    wt_store_le(queue + QUEUE_SCRATCH, addr, 8);
    /* WAVES in [11:0], WAVESIZE in [24:12]. */
    wt_store_le(queue + QUEUE_TMPRING,
                (scratch_wave_size(private_size, GCN_LANES) / SCRATCH_UNIT & 0x1fff) << 12, 4);
    /* The apertures' upper halves, which compilers of older GPUs read here. */
    wt_store_le(queue + 64, GCN_SHARED_APERTURE >> 32, 4);
    wt_store_le(queue + 68, GCN_PRIVATE_APERTURE >> 32, 4);
}

static enum wt_status read_descriptor(struct gcn_device *d, uint64_t addr, struct gcn_dispatch *k,
                                      struct wt_error *err)
{
    const struct gcn_model *model = gcn_model_of(d);
    uint8_t bytes[64];
    if (!gcn_read(d, addr, bytes, sizeof bytes))
        return wt_fail(err, WT_INVALID,
                       "no memory is mapped at 0x%llx, where the kernel descriptor should be",
                       (unsigned long long)addr);
    k->entry = addr + wt_load_le(bytes + 16, 8);
    k->rsrc1 = (uint32_t)wt_load_le(bytes + 48, 4);
    k->rsrc2 = (uint32_t)wt_load_le(bytes + 52, 4);
    k->properties = (uint32_t)wt_load_le(bytes + 56, 2);
    const unsigned lanes = gcn_dispatch_lanes(k);
    const uint32_t rsrc3 = (uint32_t)wt_load_le(bytes + 44, 4), /* ACCUM_OFFSET, TG_SPLIT */
        rows = (wt_field(k->rsrc1, 5, 0) + 1u) * gcn_model_granule(model, lanes),
                   offset = (wt_field(rsrc3, 5, 0) + 1u) * 4;
    k->vgprs = model->unified && offset < rows ? offset : rows;
    k->agprs = model->unified ? rows - k->vgprs : model->agprs ? rows : 0;
    k->agprs = model->unified && k->agprs > model->agprs ? model->agprs : k->agprs; /* with names */
    k->preload = model->unified ? (uint32_t)wt_load_le(bytes + 58, 2) : 0;
    k->sgprs = gcn_is_gfx10(model) ? model->sgpr_granule
                                   : (wt_field(k->rsrc1, 9, 6) / 2 + 1u) * model->sgpr_granule;
    if (lanes < model->target.lanes)
        return wt_fail(err, WT_INVALID,
                       "the kernel descriptor at 0x%llx asks for waves of 32 "
                       "lanes, which a %s does not have",
                       (unsigned long long)addr, model->target.name);
    if (k->entry % 256)
        return wt_fail(err, WT_INVALID, "the kernel's entry 0x%llx is not a multiple of 256",
                       (unsigned long long)k->entry);
    if (k->preload)
        k->entry += PRELOADED;
    if (model->unified && wt_field(rsrc3, 16, 16) && k->lds)
        return wt_fail(err, WT_INVALID,
                       "the kernel descriptor at 0x%llx lets the waves of a work-group be on "
                       "different compute units (TG_SPLIT), and it asks for %u bytes of LDS",
                       (unsigned long long)addr, k->lds);
    if (!gcn_mapped(d, k->entry, 4, false))
        return wt_fail(err, WT_INVALID, "no memory is mapped at the kernel's entry 0x%llx",
                       (unsigned long long)k->entry);
    k->waves_per_group = (k->size[0] * k->size[1] * k->size[2] + lanes - 1) / lanes;
    return WT_OK;
}

/* Takes over the packet's fields; @p packet is its address, for messages. */
static enum wt_status take_packet(const struct gcn_model *model, const struct gcn_aql_dispatch *p,
                                  uint64_t packet, struct gcn_dispatch *k, struct wt_error *err)
{
    k->total = 1;
    for (unsigned i = 0; i < 3; i++) {
        k->size[i] = p->group[i];
        k->grid[i] = p->grid[i];
        if (!k->size[i] || !k->grid[i])
            return wt_fail(err, WT_INVALID, "the packet at 0x%llx asks for a %s without work-items",
                           (unsigned long long)packet, k->size[i] ? "grid" : "work-group");
        k->groups[i] = (uint32_t)(((uint64_t)k->grid[i] + k->size[i] - 1) / k->size[i]);
        /* 2^96 work-groups do not fit; nor would they ever end. */
        if (__builtin_mul_overflow(k->total, (uint64_t)k->groups[i], &k->total))
            return wt_fail(err, WT_INVALID,
                           "the packet at 0x%llx asks for more than 2^64 "
                           "work-groups",
                           (unsigned long long)packet);
    }
    const uint64_t items = (uint64_t)k->size[0] * k->size[1] * k->size[2];
    if (items > model->items)
        return wt_fail(err, WT_INVALID, "a work-group of %llu work-items; a %s has at most %u",
                       (unsigned long long)items, model->target.name, model->items);
    k->private_size = p->private_size;
    if (k->private_size > MOST_PRIVATE)
        return wt_fail(err, WT_INVALID,
                       "%u bytes of private memory for a work-item; %u are the most",
                       k->private_size, MOST_PRIVATE);
    k->lds = p->group_size;
    k->kernarg = p->kernarg;
    k->completion = p->completion;
    if (k->lds > model->lds_bytes)
        return wt_fail(err, WT_INVALID, "%u bytes of LDS for a work-group; a %s has %u", k->lds,
                       model->target.name, model->lds_bytes);
    return WT_OK;
}

static enum wt_status no_scratch(const struct gcn_dispatch *k, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "scratch memory for %u waves; a work-group has %u",
                   k->scratch_waves, k->waves_per_group);
}

/* The scratch memory that the queue offers. */
static enum wt_status read_queue(struct gcn_device *d, uint64_t addr, struct gcn_dispatch *k,
                                 struct wt_error *err)
{
    uint8_t q[QUEUE_BYTES];
    if (!gcn_read(d, addr, q, sizeof q))
        return wt_fail(err, WT_INVALID, "no memory is mapped at 0x%llx, where the queue should be",
                       (unsigned long long)addr);
    for (unsigned i = 0; i < 4; i++)
        k->scratch_resource[i] = (uint32_t)wt_load_le(q + QUEUE_RESOURCE + 4 * i, 4);
    /* On gfx10 the runtime leaves it to the command processor (ROCr, FillBufRsrcWord3_Gfx10). */
    if (gcn_is_gfx10(gcn_model_of(d)))
        k->scratch_resource[3] =
            wt_with_field(k->scratch_resource[3], 22, 21, gcn_dispatch_lanes(k) == 64 ? 3 : 2);
    k->scratch = wt_load_le(q + QUEUE_SCRATCH, 8);
    if (!k->private_size)
        return WT_OK;
    const uint32_t tmpring = (uint32_t)wt_load_le(q + QUEUE_TMPRING, 4);
    const uint64_t size = wt_load_le(q + QUEUE_SCRATCH_SIZE, 8);
    /* Likewise for all kernels of the queue, so that those that run at once do not meet. */
    if ((tmpring >> 12 & 0x1fff) * SCRATCH_UNIT > k->scratch_wave)
        k->scratch_wave = (tmpring >> 12 & 0x1fff) * SCRATCH_UNIT;
    k->scratch_waves = (tmpring & 0xfff) * d->config.xcc; /* so many a die */
    if (size && k->scratch_waves && size / k->scratch_wave < k->scratch_waves)
        k->scratch_waves = (uint32_t)(size / k->scratch_wave);
    if (size && !k->scratch_waves)
        return no_scratch(k, err);
    return WT_OK;
}

/* A wave's offset, which it is given in an SGPR, has 32 bits. */
static enum wt_status limit_scratch(struct gcn_dispatch *k, struct wt_error *err)
{
    if (!k->scratch_wave)
        return WT_OK;
    const uint32_t most = most_scratch_waves(k->scratch_wave);
    if (!k->scratch_waves || k->scratch_waves > most)
        k->scratch_waves = most;
    return k->scratch_waves < k->waves_per_group ? no_scratch(k, err) : WT_OK;
}

/* The first place that is free; GCN_DISPATCHES if none is. *last becomes the last id given. */
static unsigned free_place(const struct gcn_device *d, uint64_t *last)
{
    unsigned place = GCN_DISPATCHES;
    *last = 0;
    for (unsigned i = GCN_DISPATCHES; i--;) {
        const struct gcn_dispatch *k = &d->dispatch[i];
        if (!k->active)
            place = i;
        if (k->id > *last)
            *last = k->id;
    }
    return place;
}

enum wt_status gcn_device_begin(struct gcn_device *d, const struct gcn_aql_dispatch *asked,
                                uint64_t packet, uint64_t queue, const struct gcn_origin *origin,
                                unsigned *dispatch, struct wt_error *err)
{
    assert(asked && origin && dispatch && err);
    enum wt_status status;
    struct gcn_dispatch k = {.active = true, .packet = packet, .queue = queue, .origin = *origin};
    if (!k.origin.vmid) /* that of the kernel driver itself */
        k.origin.vmid = GCN_KFD_VMID;
    k.suspended = gcn_kfd_suspended(d, origin->queue);
    const unsigned at = free_place(d, &k.id);
    k.id++;
    k.origin.launch = wt_machine_launch(&d->machine, origin->launch);
    if (at == GCN_DISPATCHES)
        return wt_fail(err, WT_STATE, "%u kernels are running already", GCN_DISPATCHES);
    if ((status = take_packet(gcn_model_of(d), asked, packet, &k, err)) != WT_OK ||
        (status = read_descriptor(d, asked->kernel_object, &k, err)) != WT_OK)
        return status;
    k.scratch_wave = scratch_wave_size(k.private_size, gcn_dispatch_lanes(&k));
    if (queue && (status = read_queue(d, queue, &k, err)) != WT_OK)
        return status;
    if ((status = limit_scratch(&k, err)) != WT_OK)
        return status;
    const struct gcn_model *model = gcn_model_of(d);
    const uint32_t rows = gcn_model_taken(model, gcn_dispatch_lanes(&k), k.vgprs, k.agprs);
    if (k.vgprs > model->vgprs || k.agprs > model->agprs ||
        k.waves_per_group > model->simds * (model->vgpr_rows / rows) ||
        k.waves_per_group > gcn_cu_waves(d))
        return wt_fail(err, WT_INVALID,
                       "a work-group of %u waves with %u vector and %u accumulation registers each "
                       "does not fit a compute unit",
                       k.waves_per_group, k.vgprs, k.agprs);
    /* The turns of a kernel that is alone begin with its first wave, whatever ran before. */
    if (!d->machine.active) {
        wt_turns_rewind(&d->machine.turns);
        wt_turns_begin(&d->machine.turns, origin->launch);
    }
    d->dispatch[at] = k;
    d->launching |= (uint32_t)1 << at;
    gcn_dispatch_pump(d);
    if (d->machine.fault.kind == WT_FAULT_HOST) {
        gcn_device_abandon(d, at);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for the kernel's waves");
    }
    *dispatch = at;
    return WT_OK;
}

enum wt_status gcn_device_dispatch(struct gcn_device *d, uint64_t packet, uint64_t queue,
                                   struct wt_error *err)
{
    assert(err);
    uint8_t bytes[GCN_AQL_BYTES];
    unsigned dispatch;
    if (!gcn_read(d, packet, bytes, sizeof bytes))
        return wt_fail(err, WT_INVALID, "no memory is mapped at 0x%llx, where the packet should be",
                       (unsigned long long)packet);
    const struct gcn_aql_header header = gcn_aql_header((uint16_t)wt_load_le(bytes, 2));
    if (header.type != GCN_AQL_DISPATCH)
        return wt_fail(err, WT_INVALID, "the packet at 0x%llx is not a kernel dispatch (type %u)",
                       (unsigned long long)packet, header.type);
    const struct gcn_aql_dispatch asked = gcn_aql_dispatch(bytes);
    return gcn_device_begin(d, &asked, packet, queue, &(struct gcn_origin){0}, &dispatch, err);
}
