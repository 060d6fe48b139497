/*
 * The registers that the system routine of wavetrap's Gen9 driver saves of a thread that waits in
 * it, where debuggers read and write them. Intel's own routine (Gen9SIPDebug) saves the same
 * registers; the driver adds which walk the thread belongs to.
 */
#ifndef WT_OBJECT_GEN_SAVED_H
#define WT_OBJECT_GEN_SAVED_H

#include <stdint.h>

/** Bytes from one thread's area to the next one's, in the order of the threads: as Intel's. */
#define GEN_SAVED_STRIDE 0x1800

struct gen_saved {
    uint8_t r[128][32];
    uint8_t a0[32];
    uint8_t acc[10][32]; /**< acc0, acc1, mme0 to mme7 */
    uint32_t
        fc[40]; /**< the elements of fc0 (32), fc1, fc2, fc3 (4), fc4; the last one is unused */
    uint32_t msg[8];
    uint32_t f[2];
    uint32_t ce;       /**< channels that execute */
    uint32_t dispatch; /**< channels that the thread was started with */
    /** cr[0] has Master Exception State, cr[1] why the thread waits, cr[2] its next instruction
     * (AIP), as the application's exception has left them. */
    uint32_t sp[4], sr[4], cr[4], n[4], tdr[4], tm[4], dbg[4];
    /* Of the driver; writing it has no effect. */
    uint64_t instructions; /**< instruction base address: AIP counts from there */
    uint64_t launch;       /**< number of the kernel launch in its process, from 1 */
    uint64_t id;           /**< the thread's, which no other thread of the process has or had */
    uint32_t group[3];     /**< its group's coordinates */
    uint32_t index;        /**< its own in the group */
    uint32_t groups[3];    /**< groups of the launch */
    uint32_t block[3];     /**< work-items of a group; 0: the driver does not know */
    uint32_t grid[3];      /**< … and of the launch */
    uint32_t simd;         /**< channels: 8, 16 or 32 */
    uint64_t scratch;      /**< address of its scratch memory */
    uint64_t arguments;    /**< address of the launch's cross-thread data */
};

/* Bits of cr0.0 and cr0.1 that a host sets or reads. */
#define GEN_SAVED_MASTER ((uint32_t)1 << 31)
#define GEN_SAVED_SUPPRESS ((uint32_t)1 << 15)
#define GEN_SAVED_BREAKPOINT ((uint32_t)1 << 31)
#define GEN_SAVED_HALT ((uint32_t)1 << 30)
#define GEN_SAVED_SOFTWARE ((uint32_t)1 << 29)
#define GEN_SAVED_ENABLE_SOFTWARE ((uint32_t)1 << 13)
#define GEN_SAVED_ILLEGAL ((uint32_t)1 << 28)
#define GEN_SAVED_STACK ((uint32_t)1 << 27)
#define GEN_SAVED_FORCED ((uint32_t)1 << 26)

#endif
