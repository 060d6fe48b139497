/* Which GPU a subslice, a thread and an address are of: the first two are numbered through. */
#include "debug/gen/internal.h"

uint32_t genp_device_of(const struct wt_probe *p, uint32_t wave)
{
    uint32_t first;
    return wt_standstill_gpu_of(p, wave / GENP_SUBSLICE_THREADS, &first);
}

/* The first thread of another GPU: what lies there is no group's, and no thread's own. */
void genp_unmark(const struct wt_probe *p, uint32_t *wave, uint64_t *addr)
{
    const uint32_t own = *wave < p->common.topology.waves ? genp_device_of(p, *wave) : 0;
    const uint32_t gpu = wt_gen_unmark(p->common.link, addr, own);
    if (gpu == own)
        return;
    *wave = 0;
    for (uint32_t i = 0; i < gpu; i++)
        *wave += p->common.device_cores[i] * GENP_SUBSLICE_THREADS;
}

enum wt_status genp_read_link(struct wt_probe *p, uint32_t wave, uint64_t addr, void *out,
                              size_t size, struct wt_error *err)
{
    genp_unmark(p, &wave, &addr);
    return wt_link_read(p->common.link, wave, 0, addr, out, size, err);
}
