/*
 * Several GPUs behind one bus, whose warps are numbered through: which GPU a warp is of, and
 * addresses of code that say whose memory they are of.
 */
#include "debug/vortex/dm.h"

#include <stdlib.h>

enum wt_status vortex_add_gpus(struct wt_probe *p, uint64_t *cores, uint64_t *waves,
                               struct wt_error *err)
{
    struct wt_topology *t = &p->topology;
    const unsigned count = p->link->gpu_count;
    p->device_cores = calloc(count, sizeof *p->device_cores);
    if (!p->device_cores)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for %u GPUs", count);
    if (!p->port)
        return wt_fail(err, WT_UNSUPPORTED,
                       "debug registers alone do not reach the memory of one of several GPUs");
    t->devices = count;
    t->device_cores = p->device_cores;
    t->gpu_bits = WT_VORTEX_GPU_BITS;
    t->lanes = 1;
    *cores = *waves = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct wt_vortex_gpu *gpu = &p->link->gpu[i];
        p->device_cores[i] = gpu->cores;
        *cores += gpu->cores;
        *waves += wt_vortex_gpu_warps(gpu);
        t->lanes = gpu->threads > t->lanes ? gpu->threads : t->lanes;
    }
    return WT_OK;
}

/* The GPU of a warp, whose number becomes that in the GPU. */
static unsigned gpu_of(const struct wt_probe *p, uint32_t *warp)
{
    unsigned gpu = 0;
    for (; gpu + 1 < p->link->gpu_count && *warp >= wt_vortex_gpu_warps(&p->link->gpu[gpu]); gpu++)
        *warp -= wt_vortex_gpu_warps(&p->link->gpu[gpu]);
    return gpu;
}

void vortex_place(const struct wt_probe *p, uint32_t warp, struct wt_wave *wave)
{
    const unsigned gpu = gpu_of(p, &warp);
    const unsigned warps =
        p->link->gpu_count ? p->link->gpu[gpu].warps : p->topology.waves_per_core;
    wave->device = gpu;
    wave->lanes = p->link->gpu_count ? p->link->gpu[gpu].threads : p->topology.lanes;
    wave->core = warp / warps;
    wave->slot = warp % warps;
    for (unsigned i = 0; i < gpu; i++)
        wave->core += p->device_cores[i];
}

uint64_t vortex_code_of(const struct wt_probe *p, uint32_t warp, uint64_t pc)
{
    return p->link->gpu_count ? pc | (uint64_t)(gpu_of(p, &warp) + 1) << WT_VORTEX_GPU_SHIFT : pc;
}
