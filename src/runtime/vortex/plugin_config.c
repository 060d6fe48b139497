/* Configures the GPUs of libvortex-wavetrap.so, and makes the capability words that upstream's
 * library reads. */
#include "runtime/vortex/internal.h"

static unsigned log2_of(uint64_t power)
{
    unsigned log2 = 0;
    while (power >> (log2 + 1))
        log2++;
    return log2;
}

/* GPU_DEV_CAPS: 7:0 version, then logarithms: 10:8 threads, 13:11 warps, 16:14 cores of a socket,
 * 19:17 sockets of a cluster, 22:20 clusters, 25:23 issue width, 33:26 local memory, 36:34 memory
 * banks, 41:37 MiB of a bank. */
uint64_t plugin_caps(const struct vx_config *c)
{
    const unsigned bank = log2_of((uint64_t)(c->xlen == 64 ? 8 : 4) << 30);
    return (uint64_t)log2_of(c->threads) << 8 | (uint64_t)log2_of(c->warps) << 11 |
           (uint64_t)log2_of(c->cores) << 17 | (uint64_t)log2_of(c->clusters) << 20 |
           (uint64_t)log2_of(c->profile->local_mem_size) << 26 | (uint64_t)(bank - 20) << 37;
}

enum wt_status door_configure(struct gpu *g, struct wt_error *err)
{
    if (g->config.profile_given && !g->config.profile->launch_unit)
        return wt_fail(err, WT_INVALID,
                       "profile=%s: VORTEX_DRIVER is for a libvortex.so of Vortex 3.0: give "
                       "profile=v3",
                       g->config.profile->name);
    vx_config_use_profile(&g->config, vx_profile_named("v3"));
    g->config.ring_of_host = true;
    return WT_OK;
}
