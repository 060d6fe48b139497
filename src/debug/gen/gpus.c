/* Which GPU a subslice and a thread are of: both are numbered through. */
#include "debug/gen/internal.h"

uint32_t genp_gpu_of(const struct wt_probe *p, uint32_t subslice, uint32_t *first)
{
    uint32_t gpu = 0;
    *first = 0;
    while (subslice >= *first + p->info.subslices[gpu])
        *first += p->info.subslices[gpu++];
    return gpu;
}

uint32_t genp_device_of(const struct wt_probe *p, uint32_t wave)
{
    uint32_t first;
    return genp_gpu_of(p, wave / GENP_SUBSLICE_THREADS, &first);
}
