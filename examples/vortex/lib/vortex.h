/*
 * A small library for programs that run on a bare Vortex GPU: launch a function on all threads,
 * ask who and how many we are, diverge and come together again, meet at barriers.
 *
 *     static void add(void *p, size_t i)          // one thread does one element
 *     {
 *         struct job *job = p;
 *         job->c[i] = job->a[i] + job->b[i];
 *     }
 *     int main(void) { …; vx_parallel(N, add, &job); … }
 *
 * main() runs once, in lane 0 of warp 0 of core 0. Its result is the program's exit status.
 *
 * READ THIS BEFORE YOU BRANCH. The threads (lanes) of a warp share one program counter. Where they
 * disagree about a branch, the program must say so with SPLIT and JOIN, which no compiler of Debian
 * does: it takes every branch to be one for the whole warp. So:
 *
 *   - A condition that is the same for all lanes of a warp may be used in any C construct.
 *   - A condition that depends on the lane or its data goes into VX_IF … VX_ELSE … VX_END, and a
 *     loop that lanes leave at different times into vx_while().
 *   - ?:, &&, || and switch are branches. So are min, max and abs written with them, comparing
 *     64-bit integers on RV32, and most library functions (printf, memcpy of a length that differs,
 *     double arithmetic on RV32 …). In conditions, write & and | instead of && and ||. Library
 *     functions are called through vx_serial(), or from main().
 *   - No return, break, continue or goto leads out of a VX_IF block or into one.
 *
 * What happens otherwise: wavetrap reports "divergent branch" and the line; hardware silently lets
 * one lane decide for all.
 */
#ifndef VORTEX_H
#define VORTEX_H

#include <stddef.h>
#include <stdint.h>

#define VX_INLINE static inline __attribute__((always_inline))

/* ---- who am I, how many are we ---- */

#define VX_CSR_(number)                                                                            \
    __extension__({                                                                                \
        uintptr_t vx_csr_value_;                                                                   \
        __asm__ volatile("csrr %0, " #number : "=r"(vx_csr_value_));                               \
        vx_csr_value_;                                                                             \
    })

/** This thread's place in its warp. */
VX_INLINE unsigned vx_lane(void)
{
    return VX_CSR_(0xcc0);
}

/** This warp's number in its core. */
VX_INLINE unsigned vx_warp(void)
{
    return VX_CSR_(0xcc1);
}

/** This core's number in the device. */
VX_INLINE unsigned vx_core(void)
{
    return VX_CSR_(0xcc2);
}

/** Cores of the device. */
VX_INLINE unsigned vx_cores(void)
{
    return VX_CSR_(0xfc2);
}

/** Warps of a core. */
VX_INLINE unsigned vx_warps(void)
{
    return VX_CSR_(0xfc1);
}

/**
 * Lanes of a warp that the library uses: all of them, unless the warp has more than a register has
 * bits, so that TMC and PRED cannot name each. Then it is half the bits.
 */
VX_INLINE unsigned vx_lanes(void)
{
    unsigned threads = VX_CSR_(0xfc0);
    return threads <= __riscv_xlen ? threads : __riscv_xlen / 2; /* the same for all lanes */
}

/** Number of this thread's hardware thread: (core * warps + warp) * threads + lane. */
VX_INLINE unsigned vx_hart(void)
{
    return VX_CSR_(0xf14);
}

/** Number of this thread among all that the library uses: 0 .. vx_cores()*vx_warps()*vx_lanes()-1. */
VX_INLINE unsigned vx_thread(void)
{
    return (vx_core() * vx_warps() + vx_warp()) * vx_lanes() + vx_lane();
}

/** The lanes of this warp that run now, a bit each. */
VX_INLINE uintptr_t vx_active_lanes(void)
{
    return VX_CSR_(0xcc4);
}

/** The threads of a core share this memory, which is fast and small. */
VX_INLINE void *vx_local_memory(void)
{
    return (void *)VX_CSR_(0xfc3);
}

#define VX_LOCAL_MEMORY_SIZE 16384u

/* ---- launching ---- */

/**
 * Runs kernel(arg) in every lane of every warp of every core and returns when all have finished.
 * Called from main() only.
 */
void vx_launch(void (*kernel)(void *), void *arg);

/** Runs body(arg, i) once for each i < n, spread over all threads. Called from main() only. */
void vx_parallel(size_t n, void (*body)(void *, size_t), void *arg);

/** The address that the host left for the program (DCR STARTUP_ARG). */
void *vx_argument(void);

/* ---- divergence ---- */

/**
 * VX_IF (condition) statements VX_END, or VX_IF (condition) statements VX_ELSE statements VX_END:
 * an if whose condition may differ between the lanes of a warp.
 *
 * How it is made, if you write your own: SPLIT takes the lanes for which the condition is true or
 * those for which it is false, then comes an ordinary branch on that same condition, and both ways
 * end in one JOIN, which sends the other lanes through, from after the SPLIT, and then continues
 * with all. Three things must be kept from the compiler:
 *   - The condition comes out of the SPLIT as a value of which nothing is known ("+r"), so the
 *     branch stays where it is and nothing that follows is specialised for one of its outcomes.
 *   - "memory" in both: what one side stores is not kept in registers across them.
 *   - There must be one JOIN, not a copy for each way: lanes that come together in a copy run on in
 *     code that was made for the other way. GCC copies a block only if it is small, and takes an
 *     asm to have as many instructions as lines. So the JOIN has many empty lines. And it is an
 *     "asm goto" (to what follows anyway), which ends the block: otherwise a loop's end after it
 *     would be part of the block, and those GCC likes to copy.
 * (tests/kernels counts them in the disassembly: for each SPLIT, one JOIN.)
 */
#define VX_IF(condition)                                                                           \
    do {                                                                                           \
        __label__ vx_joined_;                                                                      \
        uintptr_t vx_taken_ = !!(condition);                                                       \
        uintptr_t vx_token_;                                                                       \
        __asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0"                                          \
                         : "=&r"(vx_token_), "+r"(vx_taken_)                                       \
                         :                                                                         \
                         : "memory");                                                              \
        if (vx_taken_) {
#define VX_ELSE                                                                                    \
    }                                                                                              \
    else                                                                                           \
    {
#define VX_END                                                                                     \
    }                                                                                              \
    __asm__ goto(".insn r 0x0b, 3, 0, x0, %0, x0" VX_LINES_ VX_LINES_ VX_LINES_ VX_LINES_          \
                 :                                                                                 \
                 : "r"(vx_token_)                                                                  \
                 : "memory"                                                                        \
                 : vx_joined_);                                                                    \
    vx_joined_:;                                                                                   \
    }                                                                                              \
    while (0)                                                                                      \
        ;
#define VX_LINES_ "\n\n\n\n\n\n\n\n\n\n"

/**
 * do … while for lanes that leave at different times: calls step(state) until it returns 0, for
 * each lane as often as that lane needs. What step changes must be in *state, one for each lane
 * (a local variable of the caller will do).
 */
void vx_while(int (*step)(void *), void *state);

/** Calls function(arg) once for each active lane, one lane after the other. */
void vx_serial(void (*function)(void *), void *arg);

/* ---- meeting ---- */

/** Waits until @p warps warps of this core have arrived at barrier @p id. */
VX_INLINE void vx_barrier_of(unsigned id, unsigned warps)
{
    __asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" : : "r"(id), "r"(warps) : "memory");
}

/** Waits until all warps of this core have arrived. Inside vx_launch(), and outside VX_IF. */
VX_INLINE void vx_barrier(void)
{
    vx_barrier_of(0, vx_warps());
}

/** Orders what this thread stored before what it does after, for other cores. */
VX_INLINE void vx_fence(void)
{
    __asm__ volatile("fence" : : : "memory");
}

/** *p += n as one step (AMOADD.W); returns the old value. */
VX_INLINE uint32_t vx_atomic_add(uint32_t *p, uint32_t n)
{
    return __atomic_fetch_add(p, n, __ATOMIC_RELAXED);
}

#endif
