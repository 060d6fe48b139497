/*
 * The library's interface for an ordinary computer: a device of one core, one warp and one thread.
 * With it the examples compile for the host and do the same computation there; that is how the
 * tests know what is right.
 */
#ifndef VORTEX_H
#define VORTEX_H

#include <stddef.h>
#include <stdint.h>

#define VX_INLINE static inline __attribute__((unused))
#define VX_LOCAL_MEMORY_SIZE 16384u

VX_INLINE unsigned vx_lane(void) { return 0; }
VX_INLINE unsigned vx_warp(void) { return 0; }
VX_INLINE unsigned vx_core(void) { return 0; }
VX_INLINE unsigned vx_cores(void) { return 1; }
VX_INLINE unsigned vx_warps(void) { return 1; }
VX_INLINE unsigned vx_lanes(void) { return 1; }
VX_INLINE unsigned vx_hart(void) { return 0; }
VX_INLINE unsigned vx_thread(void) { return 0; }
VX_INLINE uintptr_t vx_active_lanes(void) { return 1; }

VX_INLINE void *vx_local_memory(void)
{
    static _Alignas(64) uint8_t memory[VX_LOCAL_MEMORY_SIZE];
    return memory;
}

VX_INLINE void vx_launch(void (*kernel)(void *), void *arg) { kernel(arg); }

VX_INLINE void vx_parallel(size_t n, void (*body)(void *, size_t), void *arg)
{
    for (size_t i = 0; i < n; i++)
        body(arg, i);
}

VX_INLINE void *vx_argument(void) { return NULL; }

#define VX_IF(condition)                                                                           \
    do {                                                                                           \
        if (condition) {
#define VX_ELSE                                                                                    \
    }                                                                                              \
    else                                                                                           \
    {
#define VX_END                                                                                     \
    }                                                                                              \
    }                                                                                              \
    while (0)                                                                                      \
        ;

VX_INLINE void vx_while(int (*step)(void *), void *state)
{
    while (step(state))
        ;
}

VX_INLINE void vx_serial(void (*function)(void *), void *arg) { function(arg); }
VX_INLINE void vx_barrier_of(unsigned id, unsigned warps) { (void)id, (void)warps; }
VX_INLINE void vx_barrier(void) {}
VX_INLINE void vx_fence(void) {}
VX_INLINE uint32_t vx_atomic_add(uint32_t *p, uint32_t n) { *p += n; return *p - n; }

#endif
