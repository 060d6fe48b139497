/* Arithmetic of the host on the warp's floats: the flags that it raises. */
#ifndef WT_EMULATOR_VORTEX_HOST_FP_H
#define WT_EMULATOR_VORTEX_HOST_FP_H

#include "emulator/vortex/internal.h"

#if defined __x86_64__ && !defined VX_SOFT_FLOAT
#include <immintrin.h>
#define HOST_FP 1
#else
#define HOST_FP 0
#endif

#if HOST_FP
/* MXCSR's exception bits (IE DE ZE OE UE PE) of RISC-V's fflags (NX UF OF DZ NV), and back. */
static inline unsigned flags_to_host(unsigned flags)
{
    return (flags >> 4 & 1) | (flags >> 1 & 4) | (flags << 1 & 8) | (flags << 3 & 16) |
           (flags << 5 & 32) | 2;
}

/* fflags of MXCSR. */
static inline unsigned flags_from_host(unsigned host)
{
    return (host & 1) << 4 | (host & 4) << 1 | (host & 8) >> 1 | (host & 16) >> 3 |
           (host & 32) >> 5;
}

/*
 * Before host arithmetic the host may show only flags that the warp has raised already, so that
 * after it each flag that shows is the warp's. In a loop of one warp nothing needs clearing.
 */
static inline void host_fp_begin(const struct vx_warp *w)
{
    const unsigned csr = _mm_getcsr();
    if (__builtin_expect(csr & 0x3f & ~flags_to_host(w->fflags), false))
        _mm_setcsr(csr & ~0x3fu);
}

/* After it the warp has the flags that show. */
static inline void host_fp_end(struct vx_warp *w)
{
    w->fflags |= (uint8_t)flags_from_host(_mm_getcsr());
}
#else
/* Arithmetic in software raises flags by itself. */
static inline void host_fp_begin(const struct vx_warp *w)
{
}

/* … and has raised them. */
static inline void host_fp_end(struct vx_warp *w)
{
}
#endif

#endif
