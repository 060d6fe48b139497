/* GPGPU_WALKER and the interface descriptor that it names (Skylake PRM volume 2a). */
#include <inttypes.h>
#include <string.h>

#include "emulator/gen/gen.h"
#include "runtime/i915/internal.h"

enum { GRF_BYTES = 32 };

/* Fields of the descriptor. */
static enum wt_status take_descriptor(const struct drm_batch *batch, uint32_t index,
                                      struct gen_walk *walk, uint16_t *threads,
                                      struct wt_error *err)
{
    const struct drm_gpu_state *gpu = batch->gpu;
    uint32_t d[DESCRIPTOR_BYTES / 4];
    if (index >= gpu->descriptor_bytes / DESCRIPTOR_BYTES)
        return wt_fail(err, WT_INVALID,
                       "descriptor %" PRIu32 " is not among the %" PRIu32 " loaded ones", index,
                       gpu->descriptor_bytes / DESCRIPTOR_BYTES);
    memcpy(d, gpu->descriptors + (size_t)index * DESCRIPTOR_BYTES, sizeof d);
    const unsigned slm = d[6] >> 16 & 0x1f;
    if (slm > 7)
        return wt_fail(err, WT_INVALID, "shared local memory of size code %u: 0 to 7 are known",
                       slm);
    walk->kernel = (uint64_t)(d[1] & 0xffff) << 32 | (d[0] & ~UINT32_C(0x3f));
    walk->enables = d[2];
    walk->samplers = d[3] & ~UINT32_C(3);
    walk->binding_table = d[4] & 0xffe0;
    walk->thread_bytes = (uint16_t)((d[5] >> 16) * GRF_BYTES);
    walk->cross_bytes = (uint16_t)((d[7] & 0xff) * GRF_BYTES);
    walk->slm_bytes = slm ? UINT32_C(512) << slm : 0;
    walk->barrier = d[6] >> 21 & 1;
    *threads = d[6] & 0x3ff;
    if (d[5] >> 16 > 64)
        return wt_fail(err, WT_INVALID,
                       "a thread has %" PRIu32 " GRFs of data of its own; 64 are the most",
                       d[5] >> 16);
    return WT_OK;
}

enum wt_status drm_walk(const struct drm_batch *batch, const uint32_t walker[15],
                        struct gen_walk *walk, struct wt_error *err)
{
    const struct drm_gpu_state *gpu = batch->gpu;
    enum wt_status status;
    uint16_t threads = 0;
    *walk = (struct gen_walk){
        .instructions = gpu->instruction,
        .sip = gpu->has_sip ? gpu->sip : 0,
        .surfaces = gpu->surface,
        .dynamic = gpu->dynamic,
        .general = gpu->general,
        .scratch = (uint32_t)gpu->scratch,
        .scratch_code = (uint8_t)gpu->scratch_code,
        .has_scratch = gpu->has_scratch,
        .payload = gpu->indirect + (walker[3] & ~UINT32_C(0x3f)),
        .simd = (uint8_t)(8u << (walker[4] >> 30)),
        .threads = (uint16_t)((walker[4] & 0x3f) + 1),
        .last_mask = walker[13],
        .start = {walker[5], walker[8], walker[11]},
        .end = {walker[7], walker[10], walker[12]},
    };
    if (walk->simd > 32)
        return wt_fail(err, WT_INVALID, "SIMD size 3 is reserved");
    if (walker[4] & 0x3f3f00)
        return wt_fail(err, WT_INVALID,
                       "a group has its threads along X; height and depth are not executed");
    if (gpu->scratch >> 32)
        return wt_fail(err, WT_INVALID,
                       "scratch memory lies 0x%" PRIx64 " beyond the general state base",
                       gpu->scratch);
    if ((status = take_descriptor(batch, walker[1] & 0x3f, walk, &threads, err)) != WT_OK)
        return status;
    if (threads != walk->threads)
        return wt_fail(err, WT_INVALID, "the descriptor has %u threads a group, the walker %u",
                       threads, walk->threads);
    const uint32_t needed = walk->cross_bytes + (uint32_t)walk->thread_bytes * threads;
    const uint32_t given = walker[2] & 0x1ffff;
    if (given < needed)
        return wt_fail(err, WT_INVALID,
                       "%" PRIu32 " bytes of indirect data; the descriptor asks for %" PRIu32,
                       given, needed);
    return WT_OK;
}
