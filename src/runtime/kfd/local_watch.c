/*
 * Ranges that the emulated device watches for a debugger. The GPU's address watches do not see LDS,
 * and know no conditions: the wave that has accessed such a range stops after its instruction.
 * Other global memory they watch, stop waves some instructions late, and do not tell what an access
 * has replaced: that is noted here. A wave whose access a check refuses stops after it, too.
 */
#include "runtime/kfd/local_watch.h"

#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"

/* Whether the wave of an access stops for it. */
static bool stops_at(const struct watched *w, const struct wt_watch_hit *hit)
{
    if (hit->addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE || hit->kind == WT_WATCH_MISTAKE)
        return true;
    for (size_t i = 0; i < w->memory; i++)
        if (w->rule[i].number && hit->addr < w->watch[i].addr + w->watch[i].size &&
            w->watch[i].addr < hit->addr + hit->size)
            return true;
    return false;
}

void host_local_take_hits(struct host_gpu *gpu)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    const uint32_t wave = m->hits ? m->hit->wave : 0;
    bool stops = false;
    for (size_t i = 0; i < m->hits; i++)
        stops |= stops_at(&gpu->watched, &m->hit[i]);
    /* Without host memory it goes on. */
    if (watched_take(&gpu->watched, m, &gpu->host->accesses) && stops)
        wt_hosted_input(&gpu->hosted, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                         .bytes = &wave,
                                                         .size = sizeof wave,
                                                         .operation = gcn_kfd_hold_wave});
}
