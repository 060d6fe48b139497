/*
 * Kernel launches: from the AQL packet and the kernel descriptor to waves with their first
 * registers (LLVM, "User Guide for AMDGPU Backend": kernel descriptor, initial kernel execution
 * state; HSA Platform System Architecture Specification 1.2: AQL packets).
 */
#include "emulator/gcn/internal.h"

#include <stdlib.h>
#include <string.h>

/* Fields of amd_queue_t that a dispatch needs. */
enum { QUEUE_TMPRING = 140, QUEUE_RESOURCE = 144, QUEUE_SCRATCH = 160,
       QUEUE_SCRATCH_SIZE = 168, QUEUE_BYTES = 192 };
/* COMPUTE_TMPRING_SIZE.WAVESIZE counts 1 KiB. */
#define SCRATCH_UNIT 1024

static uint32_t scratch_wave_size(uint32_t private_size)
{
    return (uint32_t)(((uint64_t)private_size * GCN_LANES + SCRATCH_UNIT - 1) / SCRATCH_UNIT *
                      SCRATCH_UNIT);
}

uint64_t gcn_device_scratch_size(const struct gcn_device *d, uint32_t private_size)
{
    return (uint64_t)scratch_wave_size(private_size) * d->machine.waves;
}

void gcn_queue_set_scratch(uint8_t *queue, uint64_t addr, uint64_t size, uint32_t private_size)
{
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
                (scratch_wave_size(private_size) / SCRATCH_UNIT & 0x1fff) << 12, 4);
    /* The apertures' upper halves, which compilers of older GPUs read here. */
    wt_store_le(queue + 64, GCN_SHARED_APERTURE >> 32, 4);
    wt_store_le(queue + 68, GCN_PRIVATE_APERTURE >> 32, 4);
}

static enum wt_status read_descriptor(struct gcn_device *d, uint64_t addr, struct gcn_dispatch *k,
                                      struct wt_error *err)
{
    uint8_t bytes[64];
    if (!gcn_read(d, addr, bytes, sizeof bytes))
        return wt_fail(err, WT_INVALID,
                       "no memory is mapped at 0x%llx, where the kernel descriptor should be",
                       (unsigned long long)addr);
    k->entry = addr + wt_load_le(bytes + 16, 8);
    k->rsrc1 = (uint32_t)wt_load_le(bytes + 48, 4);
    k->rsrc2 = (uint32_t)wt_load_le(bytes + 52, 4);
    k->properties = (uint32_t)wt_load_le(bytes + 56, 2);
    k->vgprs = (wt_field(k->rsrc1, 5, 0) + 1) * 4;
    k->sgprs = (wt_field(k->rsrc1, 9, 6) / 2 + 1) * 16;
    if (k->properties & 1u << 10)
        return wt_fail(err, WT_INVALID,
                       "the kernel descriptor at 0x%llx asks for waves of 32 "
                       "lanes, which gfx900 does not have",
                       (unsigned long long)addr);
    if (k->entry % 256)
        return wt_fail(err, WT_INVALID, "the kernel's entry 0x%llx is not a multiple of 256",
                       (unsigned long long)k->entry);
    if (!gcn_mapped(d, k->entry, 4, false))
        return wt_fail(err, WT_INVALID, "no memory is mapped at the kernel's entry 0x%llx",
                       (unsigned long long)k->entry);
    return WT_OK;
}

static enum wt_status read_packet(struct gcn_device *d, uint64_t packet, struct gcn_dispatch *k,
                                  uint64_t *object, struct wt_error *err)
{
    uint8_t p[64];
    if (!gcn_read(d, packet, p, sizeof p))
        return wt_fail(err, WT_INVALID, "no memory is mapped at 0x%llx, where the packet should be",
                       (unsigned long long)packet);
    if ((wt_load_le(p, 2) & 0xff) != 2)
        return wt_fail(err, WT_INVALID, "the packet at 0x%llx is no kernel dispatch (type %u)",
                       (unsigned long long)packet, p[0]);
    k->total = 1;
    for (unsigned i = 0; i < 3; i++) {
        k->size[i] = (uint32_t)wt_load_le(p + 4 + 2 * i, 2);
        k->grid[i] = (uint32_t)wt_load_le(p + 12 + 4 * i, 4);
        if (!k->size[i] || !k->grid[i])
            return wt_fail(err, WT_INVALID,
                           "the packet at 0x%llx asks for a grid or a work-group without "
                           "work-items",
                           (unsigned long long)packet);
        k->groups[i] = (uint32_t)(((uint64_t)k->grid[i] + k->size[i] - 1) / k->size[i]);
        /* 2^96 work-groups do not fit; nor would they ever end. */
        if (__builtin_mul_overflow(k->total, (uint64_t)k->groups[i], &k->total))
            return wt_fail(err, WT_INVALID,
                           "the packet at 0x%llx asks for more than 2^64 "
                           "work-groups",
                           (unsigned long long)packet);
    }
    const uint64_t items = (uint64_t)k->size[0] * k->size[1] * k->size[2];
    if (items > 1024)
        return wt_fail(err, WT_INVALID, "a work-group of %llu work-items; gfx900 has at most 1024",
                       (unsigned long long)items);
    k->waves_per_group = (uint32_t)((items + GCN_LANES - 1) / GCN_LANES);
    k->private_size = (uint32_t)wt_load_le(p + 24, 4);
    k->lds = (uint32_t)wt_load_le(p + 28, 4);
    *object = wt_load_le(p + 32, 8);
    k->kernarg = wt_load_le(p + 40, 8);
    k->completion = wt_load_le(p + 56, 8);
    if (k->lds > GCN_LDS_BYTES)
        return wt_fail(err, WT_INVALID, "%u bytes of LDS for a work-group; gfx900 has %u", k->lds,
                       GCN_LDS_BYTES);
    return WT_OK;
}

enum wt_status gcn_device_dispatch(struct gcn_device *d, uint64_t packet, uint64_t queue,
                                   struct wt_error *err)
{
    struct gcn_dispatch k = {
        .active = true, .packet = packet, .queue = queue, .id = d->dispatch.id + 1};
    uint64_t object = 0;
    uint8_t q[QUEUE_BYTES];
    if (d->dispatch.active)
        return wt_fail(err, WT_STATE, "a kernel is running already");
    if (read_packet(d, packet, &k, &object, err) || read_descriptor(d, object, &k, err))
        return err->status;
    k.scratch_wave = scratch_wave_size(k.private_size);
    if (queue) {
        if (!gcn_read(d, queue, q, sizeof q))
            return wt_fail(err, WT_INVALID,
                           "no memory is mapped at 0x%llx, where the queue should be",
                           (unsigned long long)queue);
        for (unsigned i = 0; i < 4; i++)
            k.scratch_resource[i] = (uint32_t)wt_load_le(q + QUEUE_RESOURCE + 4 * i, 4);
        k.scratch = wt_load_le(q + QUEUE_SCRATCH, 8);
        if (k.private_size && k.waves_per_group) {
            const uint64_t size = wt_load_le(q + QUEUE_SCRATCH_SIZE, 8);
            k.scratch_waves = (uint32_t)wt_load_le(q + QUEUE_TMPRING, 4) & 0xfff;
            if (size && k.scratch_waves && size / k.scratch_wave < k.scratch_waves)
                k.scratch_waves = (uint32_t)(size / k.scratch_wave);
            if (size && k.scratch_waves < k.waves_per_group)
                return wt_fail(err, WT_INVALID, "scratch memory for %u waves; a work-group has %u",
                               k.scratch_waves, k.waves_per_group);
        }
    }
    if (k.vgprs > 256 || (uint64_t)k.waves_per_group > GCN_SIMDS * (256 / k.vgprs) ||
        k.waves_per_group > GCN_WAVES_PER_CU)
        return wt_fail(err, WT_INVALID,
                       "a work-group of %u waves with %u vector registers each does not fit a "
                       "compute unit",
                       k.waves_per_group, k.vgprs);
    d->dispatch = k;
    gcn_dispatch_pump(d);
    if (d->machine.fault.kind == WT_FAULT_HOST)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for the kernel's waves");
    return WT_OK;
}

/* ---- waves ---- */

void gcn_update_ready(struct gcn_wave *w)
{
    wt_turns_set_ready(&w->device->turns, w->id,
                       w->active && !w->at_barrier && !(w->status & GCN_STATUS_HALT));
}

/* Adds SGPRs in the order in which the hardware fills them; those beyond the last are dropped. */
static void add_sgpr(struct gcn_wave *w, unsigned *n, unsigned limit, uint32_t value)
{
    if (*n < limit)
        w->s[(*n)++] = value;
}

static void add_pair(struct gcn_wave *w, unsigned *n, unsigned limit, uint64_t value)
{
    add_sgpr(w, n, limit, (uint32_t)value);
    add_sgpr(w, n, limit, (uint32_t)(value >> 32));
}

static void initial_sgprs(struct gcn_wave *w, const struct gcn_dispatch *k)
{
    const unsigned users = wt_field(k->rsrc2, 5, 1) > 16 ? 16 : wt_field(k->rsrc2, 5, 1);
    const uint32_t wave_offset = w->id * k->scratch_wave;
    unsigned n = 0;
    if (k->properties & 1 << 0)
        for (unsigned i = 0; i < 4; i++)
            add_sgpr(w, &n, users, k->scratch_resource[i]);
    if (k->properties & 1 << 1)
        add_pair(w, &n, users, k->packet);
    if (k->properties & 1 << 2)
        add_pair(w, &n, users, k->queue);
    if (k->properties & 1 << 3)
        add_pair(w, &n, users, k->kernarg);
    if (k->properties & 1 << 4)
        add_pair(w, &n, users, k->id);
    if (k->properties & 1 << 5)
        add_pair(w, &n, users, k->scratch);
    if (k->properties & 1 << 6)
        add_sgpr(w, &n, users, k->private_size);
    n = users;
    for (unsigned i = 0; i < 3; i++)
        if (k->rsrc2 & 1u << (7 + i))
            add_sgpr(w, &n, GCN_FLAT_SCRATCH, w->group->coordinate[i]);
    if (k->rsrc2 & 1u << 10) /* work-group information: how many waves, and which is the first */
        add_sgpr(w, &n, GCN_FLAT_SCRATCH, k->waves_per_group | (w->index == 0 ? 1u << 31 : 0));
    if (k->rsrc2 & 1)
        add_sgpr(w, &n, GCN_FLAT_SCRATCH, wave_offset);
}

/* Which lanes have a work-item, and their coordinates within the group. */
static uint64_t initial_vgprs(struct gcn_wave *w, const struct gcn_dispatch *k)
{
    const unsigned coordinates = wt_field(k->rsrc2, 12, 11) + 1u;
    uint32_t size[3];
    uint64_t exec = 0;
    for (unsigned i = 0; i < 3; i++) { /* the last group of a row may be smaller */
        const uint32_t first = w->group->coordinate[i] * k->size[i];
        size[i] = k->grid[i] - first < k->size[i] ? k->grid[i] - first : k->size[i];
    }
    const uint32_t items = size[0] * size[1] * size[2];
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        const uint32_t item = w->index * GCN_LANES + lane;
        if (item >= items)
            break;
        exec |= (uint64_t)1 << lane;
        const uint32_t at[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
        for (unsigned i = 0; i < 3 && i < coordinates && i < w->vgprs; i++)
            w->v[i][lane] = at[i];
    }
    return exec;
}

static bool start_wave(struct gcn_device *d, struct gcn_wave *w, struct gcn_group *g,
                       unsigned index)
{
    const struct gcn_dispatch *k = &d->dispatch;
    uint32_t(*v)[GCN_LANES] = w->v;
    if (!v && !(v = aligned_alloc(64, GCN_VGPRS * sizeof *v)))
        return false;
    memset(v, 0, k->vgprs * sizeof *v);
    /* The slot may be that of the wave whose last instruction is being executed: its turn goes on.
     */
    const uint64_t left = w->left;
    *w = (struct gcn_wave){.v = v,
                           .device = d,
                           .group = g,
                           .id = w->id,
                           .index = (uint16_t)index,
                           .active = true,
                           .left = left,
                           .pc = k->entry,
                           .vgprs = (uint16_t)k->vgprs,
                           .sgprs = (uint16_t)k->sgprs};
    /* MODE: FP_ROUND, FP_DENORM, DX10_CLAMP, IEEE, FP16_OVFL, EXCP_EN, as the descriptor says. */
    w->mode = wt_field(k->rsrc1, 19, 12) | wt_field(k->rsrc1, 21, 21) << 8 |
              wt_field(k->rsrc1, 23, 23) << 9 | wt_field(k->rsrc1, 26, 26) << 23 |
              wt_field(k->rsrc2, 30, 24) << 12 | wt_field(k->rsrc2, 13, 13) << 19 |
              wt_field(k->rsrc2, 14, 14) << 20;
    w->status = wt_field(k->rsrc1, 11, 10) << 1 | (d->tba ? GCN_STATUS_TRAP_EN : 0u) |
                (wt_field(k->rsrc1, 20, 20) ? GCN_STATUS_PRIV : 0u);
    initial_sgprs(w, k);
    if (d->shared) { /* what the driver has the hardware leave for trap handlers and debuggers */
        w->s[GCN_TTMP + 6] = d->host.packet & 0x1ffffff;
        for (unsigned i = 0; i < 3; i++)
            w->s[GCN_TTMP + 8 + i] = g->coordinate[i];
        w->s[GCN_TTMP + 11] = index;
    }
    const uint64_t exec = initial_vgprs(w, k);
    gcn_set_pair(&w->s[GCN_EXEC], exec);
    d->active_waves++;
    gcn_update_ready(w);
    return true;
}

/* ---- work-groups ---- */

/* The slots of compute unit cu that a group's waves can have; false if there are too few. */
static bool find_slots(const struct gcn_device *d, uint32_t cu, uint32_t *slot)
{
    const struct gcn_dispatch *k = &d->dispatch;
    const struct gcn_wave *wave = &d->wave[cu * GCN_WAVES_PER_CU];
    const struct gcn_group *group = &d->group[cu * GCN_WAVES_PER_CU];
    uint32_t lds = 0, registers[GCN_SIMDS] = {0}, found = 0;
    for (uint32_t i = 0; i < GCN_WAVES_PER_CU; i++) {
        lds += group[i].used ? group[i].lds_size : 0;
        registers[i % GCN_SIMDS] += wave[i].active ? wave[i].vgprs : 0;
    }
    if (lds + k->lds > GCN_LDS_BYTES)
        return false;
    /* Neighbouring slots are on different SIMDs. */
    for (uint32_t i = 0; i < GCN_WAVES_PER_CU && found < k->waves_per_group; i++) {
        uint32_t *taken = &registers[i % GCN_SIMDS];
        if (wave[i].active || *taken + k->vgprs > 256)
            continue;
        if (k->scratch_waves && wave[i].id >= k->scratch_waves)
            break; /* its scratch memory would lie beyond the arena */
        *taken += k->vgprs;
        slot[found++] = i;
    }
    return found == k->waves_per_group;
}

static bool start_group(struct gcn_device *d, uint32_t cu, const uint32_t *slot)
{
    struct gcn_dispatch *k = &d->dispatch;
    struct gcn_group *g = &d->group[cu * GCN_WAVES_PER_CU];
    while (g->used)
        g++;
    uint8_t *lds = g->lds ? g->lds : malloc(GCN_LDS_BYTES);
    if (!lds)
        return false;
    memset(lds, 0, k->lds);
    uint64_t n = k->next;
    *g = (struct gcn_group){.lds = lds, .lds_size = k->lds, .first_cu = cu, .used = true};
    for (unsigned i = 0; i < 3; i++) {
        g->coordinate[i] = (uint32_t)(n % k->groups[i]);
        n /= k->groups[i];
    }
    /* The last groups of a grid may need fewer waves. */
    uint32_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t left = k->grid[i] - g->coordinate[i] * k->size[i];
        items *= left < k->size[i] ? left : k->size[i];
    }
    const uint32_t waves = (items + GCN_LANES - 1) / GCN_LANES;
    for (uint32_t i = 0; i < waves; i++) {
        if (!start_wave(d, &d->wave[cu * GCN_WAVES_PER_CU + slot[i]], g, i))
            return false;
        g->waves++;
    }
    k->next++;
    return true;
}

void gcn_dispatch_pump(struct gcn_device *d)
{
    struct gcn_dispatch *k = &d->dispatch;
    uint32_t slot[GCN_WAVES_PER_CU];
    bool started = true;
    /* One group for each compute unit in turn, as long as one has room. */
    while (k->active && started) {
        started = false;
        for (uint32_t cu = 0; cu < d->config.cu && k->next < k->total; cu++) {
            if (!find_slots(d, cu, slot))
                continue;
            if (!start_group(d, cu, slot)) {
                d->machine.fault = (struct wt_fault){
                    .kind = WT_FAULT_HOST,
                    .time = d->machine.time,
                    .text = "the host has no memory left for the kernel's waves",
                };
                return;
            }
            started = true;
        }
    }
}

static void release_barrier(struct gcn_group *g, struct gcn_device *d)
{
    struct gcn_wave *wave = &d->wave[g->first_cu * GCN_WAVES_PER_CU];
    g->waiting = 0;
    for (uint32_t i = 0; i < GCN_WAVES_PER_CU; i++) {
        if (wave[i].group == g && wave[i].at_barrier) {
            wave[i].at_barrier = false;
            gcn_update_ready(&wave[i]);
        }
    }
}

void gcn_barrier(struct gcn_wave *w)
{
    struct gcn_group *g = w->group;
    if (++g->waiting == g->waves) {
        g->waiting--;
        release_barrier(g, w->device);
        return;
    }
    w->at_barrier = true;
    gcn_update_ready(w);
}

/* The kernel is done: its completion signal, if there is one, counts down. (amd_signal_t has the
 * value behind its kind.) A signal that is not mapped is as none. */
static void complete(struct gcn_device *d)
{
    uint8_t value[8];
    const uint64_t at = d->dispatch.completion + 8;
    d->dispatch.active = false;
    /* In a host process that is the affair of the packet processor, which does more on the way. */
    if (d->shared || !d->dispatch.completion || !gcn_mapped(d, at, sizeof value, true) ||
        !gcn_read(d, at, value, sizeof value))
        return;
    wt_store_le(value, wt_load_le(value, sizeof value) - 1, sizeof value);
    gcn_write(d, at, value, sizeof value);
}

void gcn_wave_end(struct gcn_wave *w)
{
    struct gcn_device *d = w->device;
    struct gcn_group *g = w->group;
    w->active = false;
    gcn_update_ready(w);
    w->group = NULL;
    d->active_waves--;
    /* A wave that has ended counts as arrived (section 4.3). */
    if (--g->waves && g->waiting == g->waves)
        release_barrier(g, d);
    if (g->waves)
        return;
    g->used = false;
    d->dispatch.done++;
    if (d->dispatch.done == d->dispatch.total)
        complete(d);
    else
        gcn_dispatch_pump(d);
}
