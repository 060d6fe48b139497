/* Selects the handler table for a shape and for the instruction sets of this host. */
#include "emulator/vortex/internal.h"

/* One table for each way in which meson.build compiles exec.c: for any number of lanes (0), and for
 * two common ones. */
#define TABLE(n, host)                                                                             \
    case n:                                                                                        \
        return wide ? &vx_handlers_rv64_n##n##_##host : &vx_handlers_rv32_n##n##_##host;
#define TABLES(host)                                                                               \
    extern const struct vx_handlers vx_handlers_rv32_n0_##host, vx_handlers_rv32_n4_##host,        \
        vx_handlers_rv32_n32_##host, vx_handlers_rv64_n0_##host, vx_handlers_rv64_n4_##host,       \
        vx_handlers_rv64_n32_##host;                                                               \
    static const struct vx_handlers *select_##host(unsigned xlen, unsigned threads)                \
    {                                                                                              \
        const bool wide = xlen == 64;                                                              \
        switch (threads) {                                                                         \
            TABLE(4, host)                                                                         \
            TABLE(32, host)                                                                        \
        default:                                                                                   \
            return wide ? &vx_handlers_rv64_n0_##host : &vx_handlers_rv32_n0_##host;               \
        }                                                                                          \
    }

TABLES(base)
#ifdef VX_HAS_V3
TABLES(v3)
#endif

const struct vx_handlers *vx_select_handlers(unsigned xlen, unsigned threads, unsigned host_level)
{
    assert((xlen == 32 || xlen == 64) && threads > 0 && threads <= WT_MAX_LANES);
#ifdef VX_HAS_V3
    if (host_level >= 3 && __builtin_cpu_supports("x86-64-v3"))
        return select_v3(xlen, threads);
#endif
    return select_base(xlen, threads);
}
