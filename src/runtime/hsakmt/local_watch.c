/*
 * Ranges that the emulated device watches for a debugger. The GPU's address watches do not see LDS:
 * the wave that has accessed the range there stops behind its instruction. In global memory they
 * stop waves, some instructions late, and do not tell what an access has replaced: that is noted
 * here.
 */
#include "runtime/hsakmt/local_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/gcn/kfd.h"
#include "emulator/machine/watch_set.h"
#include "runtime/hsakmt/recording.h"

static bool is_local(uint64_t addr)
{
    return addr - GCN_SHARED_APERTURE < GCN_APERTURE_SIZE;
}

static void forget(struct host_gpu *gpu)
{
    free(gpu->local_watch);
    free(gpu->local_hit);
    gpu->local_watch = NULL;
    gpu->local_hit = NULL;
    gpu->local_watches = gpu->local_hits = gpu->local_hit_room = 0;
}

int host_local_watch(struct host_gpu *gpu, uint32_t first, const struct kfd_wire_watch *list,
                     size_t count)
{
    static const enum wt_watch_kind kinds[] = {[KFD_WATCH_WRITE] = WT_WATCH_WRITE,
                                               [KFD_WATCH_READ] = WT_WATCH_READ,
                                               [KFD_WATCH_ACCESS] = WT_WATCH_ACCESS};
    struct wt_machine *m = gcn_machine(gpu->device);
    if (gpu->watch)
        return count ? -EBUSY : 0; /* by `exec --explain-address` */
    struct wt_watch *watches = calloc(count + 1, sizeof *watches);
    size_t own = 0;
    if (!watches)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const uint32_t wave = is_local(list[i].addr) ? list[i].wave - first : 0;
        if (wave >= m->waves || list[i].kind >= KFD_WATCH_KINDS || !list[i].size)
            continue;
        watches[own++] = (struct wt_watch){.kind = kinds[list[i].kind],
                                           .addr = list[i].addr,
                                           .size = list[i].size,
                                           .wave = wave,
                                           .changes = list[i].kind == KFD_WATCH_WRITE};
    }
    forget(gpu);
    gpu->local_watch = watches;
    gpu->local_watches = own;
    wt_watch_pin(m, watches, own);
    if (own && wt_set_watches(m, watches, own))
        return 0;
    forget(gpu);
    wt_set_watches(m, NULL, 0);
    return own ? -ENOMEM : 0;
}

void host_local_take_hits(struct host_gpu *gpu)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    struct kfd_wire_hit *more = wt_array_grow(gpu->local_hit, &gpu->local_hit_room,
                                              gpu->local_hits + m->hits, sizeof *more);
    const uint32_t wave = m->hits ? m->hit->wave : 0;
    bool stops = false;
    for (size_t i = 0; more && i < m->hits; i++) {
        const struct wt_watch_hit *h = &m->hit[i];
        struct kfd_wire_hit *hit = &more[gpu->local_hits++];
        *hit = (struct kfd_wire_hit){.id = h->id,
                                     .wave = h->wave,
                                     .lane = h->lane,
                                     .pc = h->pc,
                                     .addr = h->addr,
                                     .size = h->size,
                                     .read = h->kind != WT_WATCH_WRITE,
                                     .write = h->kind != WT_WATCH_READ,
                                     .order = ++gpu->host->accesses};
        memcpy(hit->before, h->before, sizeof hit->before);
        memcpy(hit->after, h->after, sizeof hit->after);
        stops |= is_local(h->addr);
    }
    gpu->local_hit = more ? more : gpu->local_hit;
    m->hits = 0;
    if (stops) /* without host memory it goes on */
        host_recording_input(gpu, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                                     .bytes = &wave,
                                                     .size = sizeof wave,
                                                     .operation = gcn_kfd_hold_wave});
}

size_t host_local_give_hits(struct host_gpu *gpu, uint32_t first, struct kfd_wire_hit *list,
                            size_t room)
{
    const size_t count = gpu->local_hits < room ? gpu->local_hits : room;
    for (size_t i = 0; i < count; i++) {
        list[i] = gpu->local_hit[i];
        list[i].wave += first;
    }
    if (count)
        memmove(gpu->local_hit, gpu->local_hit + count,
                (gpu->local_hits -= count) * sizeof *gpu->local_hit);
    return count;
}
