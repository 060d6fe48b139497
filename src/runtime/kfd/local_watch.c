/*
 * Ranges that the emulated device watches for a debugger. The GPU's address watches do not see LDS:
 * the wave that has accessed the range there stops behind its instruction. In global memory they
 * stop waves, some instructions late, and do not tell what an access has replaced: that is noted
 * here. A wave whose access a check refuses stops behind it, too.
 */
#include "runtime/kfd/local_watch.h"

#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"

static bool is_local(uint64_t addr)
{
    return addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE;
}

void host_local_take_hits(struct host_gpu *gpu)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    const uint32_t wave = m->hits ? m->hit->wave : 0;
    bool stops = false;
    for (size_t i = 0; i < m->hits; i++)
        stops |= is_local(m->hit[i].addr) || m->hit[i].kind == WT_WATCH_MISTAKE;
    /* Without host memory it goes on. */
    if (watched_take(&gpu->watched, m, &gpu->host->accesses) && stops)
        wt_hosted_input(&gpu->hosted, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                         .bytes = &wave,
                                                         .size = sizeof wave,
                                                         .operation = gcn_kfd_hold_wave});
}
