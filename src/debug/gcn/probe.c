/*
 * The probe of GCN5: halts, resumes and steps waves through their records in the save area. Between
 * two operations, queues are suspended only if none of their waves is to run. See gcn.h.
 */
#include "debug/gcn/internal.h"

#include <stdlib.h>
#include <string.h>

/* The exceptions that are reported: those of waves, and that there is a new queue, whose waves may
 * have been held at their beginning before it was known. Suspending a queue clears them. */
#define EXCEPTIONS (0x3fu | kfd_exception_bit(KFD_EC_QUEUE_NEW))

/* ---- opening ---- */

/* Target versions of GPUs with these registers and this save area. */
enum {
    FIRST_VERSION = 90000,
    ACCUMULATORS_VERSION = 90008,
    UNIFIED_VERSION = 90010,
    PRIVATE_VERSION = 90402,
    LAST_VERSION = 90402,
    FIRST_GFX10_VERSION = 100300,
    LAST_GFX10_VERSION = 100306,
};

/* Compute units and waves of all GPUs. The GPUs of one program differ in their numbers of units, in
 * waves of a SIMD, of which each has room for the most, and in their instructions. */
static enum wt_status count_cores(struct wt_probe *p, struct wt_error *err)
{
    if (p->devices != p->common.link->gpus)
        return wt_fail(err, WT_INVALID, "the driver reports %u GPUs, and has %u",
                       (unsigned)p->devices, (unsigned)p->common.link->gpus);
    for (uint32_t i = 0; i < p->devices; i++) {
        const struct kfd_device_entry *d = &p->device[i];
        const bool gfx10 = d->gfx_target_version >= FIRST_GFX10_VERSION &&
                           d->gfx_target_version <= LAST_GFX10_VERSION;
        if (!gfx10 &&
            (d->gfx_target_version < FIRST_VERSION || d->gfx_target_version > LAST_VERSION))
            return wt_fail(err, WT_UNSUPPORTED,
                           "this probe knows target versions %u to %u and %u to %u, not %u",
                           FIRST_VERSION, LAST_VERSION, FIRST_GFX10_VERSION, LAST_GFX10_VERSION,
                           (unsigned)d->gfx_target_version);
        if (i && gfx10 != p->is_gfx10)
            return wt_fail(err, WT_UNSUPPORTED,
                           "the program's GPUs are of gfx9 and gfx10: this probe takes one kind");
        p->is_gfx10 = gfx10;
        p->codes = gfx10 ? &gcnp_codes_gfx10 : &gcnp_codes_gfx9;
        p->simds = gfx10 ? 2 : 4;
        if (d->max_waves_per_simd > p->waves_per_simd)
            p->waves_per_simd = d->max_waves_per_simd;
        p->common.device_cores[i] = d->simd_count / p->simds;
        p->accumulates |= (!gfx10 && d->gfx_target_version >= ACCUMULATORS_VERSION) << i;
        p->unified |= (!gfx10 && d->gfx_target_version >= UNIFIED_VERSION) << i;
        p->private_registers |= (!gfx10 && d->gfx_target_version >= PRIVATE_VERSION) << i;
    }
    return WT_OK;
}

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    enum wt_status status;
    if ((status = gcnp_list_devices(p, err)) != WT_OK || (status = count_cores(p, err)) != WT_OK)
        return status;
    const uint32_t version = p->device->gfx_target_version;
    snprintf(p->arch, sizeof p->arch, "amdgcn:gfx%u%x%x", version / 10000 % 100,
             version / 100 % 100, version % 100);
    p->common.topology = (struct wt_topology){.family = "gcn",
                                              .arch = p->arch,
                                              .triple = "amdgcn-amd-amdhsa",
                                              .waves_per_core = p->simds * p->waves_per_simd,
                                              .lanes = GCN_LANES,
                                              .wave_word = "wave",
                                              .lane_word = "lane",
                                              .exceptions = gcnp_exceptions,
                                              .exception_count = GCNP_EXCEPTIONS,
                                              .code_granule = 4,
                                              .code_longest = p->is_gfx10 ? 20 : 8};
    gcnp_describe_spaces(p);
    return gcnp_describe_registers(p, err);
}

static enum wt_status enable(struct wt_probe *p, struct wt_error *err)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_ENABLE, .arg = {EXCEPTIONS}};
    enum wt_status status = gcnp_call(p, &call, err);
    return status == WT_STATE ? wt_fail_in(err, "another debugger has this program") : status;
}

/* Waves that this debugger has stopped are resumed: the driver finds them by their TTMPs. */
static void disable(struct wt_probe *p)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_DISABLE};
    gcnp_call(p, &call, WT_IGNORED);
}

static void free_lists(struct wt_probe *p)
{
    gcnp_drop_writes(p);
    free(p->found);
    free(p->piece);
}

static const struct wt_standstill_kind kind = {
    .ops = &gcnp_standstill,
    .probe_size = sizeof(struct wt_probe),
    .row_size = sizeof(struct gcnp_row),
    .describe = describe,
    .begin = enable,
    .end = disable,
    .free = free_lists,
};

/* ---- run control ---- */

static void replaced(struct wt_probe *p)
{
    wt_standstill_replaced(p);
    p->launch_mode = UINT32_MAX;
    p->alone = false;
}

/* ---- rows and memory: looked at while the queues stand still ---- */

static enum wt_status read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                  struct wt_address addr, void *out, size_t size,
                                  struct wt_error *err)
{
    const bool stood = p->common.still;
    enum wt_status status = gcnp_read_memory(p, wave, lane, addr, out, size, err);
    return stood ? status : wt_standstill_end_look(p, status, err);
}

static enum wt_status write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_address addr, const void *bytes, size_t size,
                                   struct wt_error *err)
{
    const bool stood = p->common.still;
    enum wt_status status = gcnp_write_memory(p, wave, lane, addr, bytes, size, err);
    return stood ? status : wt_standstill_end_look(p, status, err);
}

static enum wt_status find_home(struct wt_probe *p, wt_wave_handle wave, unsigned lane,
                                struct wt_address addr, uint64_t size, struct wt_address *home,
                                uint64_t *part, struct wt_error *err)
{
    const bool stood = p->common.still;
    enum wt_status status = gcnp_find_home(p, wave, lane, addr, size, home, part, err);
    return stood ? status : wt_standstill_end_look(p, status, err);
}

const struct wt_probe_ops wt_probe_gcn = {
    .family = "gcn",
    .standstill = &kind,
    .gives_up = gcnp_gives_up,
    .set_watchpoints = gcnp_set_watches,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .window = wt_standstill_window,
    .patch = gcnp_patch,
    .decode = gcnp_decode_instruction,
    .find_caller = gcnp_find_caller,
    .find_kept = gcnp_find_kept,
    .find_cfa = gcnp_find_cfa,
    .find_home = find_home,
    .replaced = replaced,
    WT_STANDSTILL_OPERATIONS,
};
