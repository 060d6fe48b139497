/*
 * Platform profiles: what differs between versions of Vortex, as tables. A CSR number means a
 * thing (enum vx_csr); a DCR number means a thing (enum vx_dcr); addresses are numbers here.
 */
#ifndef WT_EMULATOR_VORTEX_PROFILE_H
#define WT_EMULATOR_VORTEX_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of a CSR number. */
enum vx_csr {
    VX_CSR_ZERO, /* reads 0, writes are ignored */
    VX_CSR_FFLAGS,
    VX_CSR_FRM,
    VX_CSR_FCSR,
    VX_CSR_MISA,
    VX_CSR_MSCRATCH,
    VX_CSR_DSCRATCH0,
    VX_CSR_DSCRATCH1,
    VX_CSR_DSCRATCH2,
    VX_CSR_DSCRATCH3,
    VX_CSR_MCYCLE,
    VX_CSR_MCYCLEH,
    VX_CSR_MINSTRET,
    VX_CSR_MINSTRETH,
    VX_CSR_THREAD_ID,
    VX_CSR_WARP_ID,
    VX_CSR_CORE_ID,
    VX_CSR_ACTIVE_WARPS,
    VX_CSR_ACTIVE_THREADS,
    VX_CSR_NUM_THREADS,
    VX_CSR_NUM_WARPS,
    VX_CSR_NUM_CORES,
    VX_CSR_LOCAL_MEM_BASE,
    VX_CSR_MHARTID,
    /* of version 3 */
    VX_CSR_MSTATUS,
    VX_CSR_MTVEC,
    VX_CSR_MEPC,
    VX_CSR_MCAUSE,
    VX_CSR_MTVAL,
    VX_CSR_NUM_BARRIERS,
    VX_CSR_CTA_ID,
    VX_CSR_CTA_RANK,
    VX_CSR_CTA_SIZE,
    VX_CSR_CTA_THREAD_ID, /* x, y and z, as the following three */
    VX_CSR_CTA_BLOCK_ID,
    VX_CSR_CTA_BLOCK_DIM,
    VX_CSR_CTA_GRID_DIM,
    VX_CSR_CTA_LMEM_ADDR,
    VX_CSR_CTA_CLUSTER_SIZE,
    VX_CSR_CTA_ENTRY,
};

struct vx_csr_row {
    uint16_t first, last; /* CSR numbers that mean it */
    const char *name;
    enum vx_csr csr;
    uint8_t profiles; /* that have it: bits, as in vx_profile.bit */
    const char *about;
};

/* The meaning of a DCR number. */
enum vx_dcr {
    VX_DCR_STARTUP_ADDR0,
    VX_DCR_STARTUP_ADDR1,
    VX_DCR_STARTUP_ARG0,
    VX_DCR_STARTUP_ARG1,
    VX_DCR_MPM_CLASS,
    /* of version 3 */
    VX_DCR_CACHE_FLUSH,
    VX_DCR_MPM_VALUE,
    VX_DCR_KERNEL_ENTRY0,
    VX_DCR_KERNEL_ENTRY1,
    VX_DCR_BLOCK_DIM, /* x, y and z, as the others of three */
    VX_DCR_GRID_DIM,
    VX_DCR_LMEM_SIZE,
    VX_DCR_BLOCK_SIZE,
    VX_DCR_WARP_STEP,
    VX_DCR_CLUSTER_DIM,
};

struct vx_dcr_row {
    uint16_t addr; /* addr of x, where it has x, y and z */
    const char *name;
    enum vx_dcr dcr;
    const char *about;
};

/* Bytes of a console's ring in memory (ring.c). */
#define VX_CONSOLE_RING_BYTES 33536

struct vx_device;

struct vx_profile {
    const char *name;
    const char *about;
    uint8_t bit; /* in vx_csr_row.profiles */
    const struct vx_dcr_row *dcrs;
    size_t dcr_count;
    uint64_t startup_addr;
    uint64_t console_addr;
    unsigned console_slots;
    uint64_t exit_addr;
    uint64_t local_mem_base[2]; /* RV32, RV64 */
    uint64_t local_mem_size;    /* a multiple of the page size */
    bool traps;                 /* ECALL, EBREAK, xRET are traps of the warp, as is mscratch */
    bool smaller_first;         /* SPLIT goes on with the smaller part */
    bool later_rows;            /* it has the instructions from VX_INSN_LATER on */
    unsigned slot_barriers; /* barriers of each CTA place; 0: a core has half as many as warps */
    bool console_ring;      /* the console is a ring in memory, else a byte for each slot */
    bool launch_unit;       /* it runs grids of CTAs (launch.h) */
    /* Starts a launch: puts waves into the state in which they are after reset. */
    void (*launch)(struct vx_device *device);
};

/* A launch (simt.c): warp 0 of every core starts at STARTUP_ADDR with thread 0; the others wait for
 * WSPAWN. */
void vx_launch_first_warps(struct vx_device *device);
/* A launch by the launch unit (kmu.c): the first CTAs of the grid. */
void vx_launch_grid(struct vx_device *device);

/* All profiles, the default first. */
extern const struct vx_profile *const vx_profiles[];
extern const size_t vx_profile_count;

/* The profile of that name; NULL: there is none. */
const struct vx_profile *vx_profile_named(const char *name);
/* The registers that a row of DCRs is: x, y and z, or one. */
unsigned vx_dcr_count(const struct vx_dcr_row *row);
/* The name of a CSR of any version, for texts; NULL: none has one for that number alone. */
const char *vx_csr_name(unsigned number);
/* The row of a CSR number, or NULL. */
const struct vx_csr_row *vx_profile_csr(const struct vx_profile *profile, unsigned number);
/* The row behind @p row, by CSR number; the first one behind NULL; NULL: there are no more. */
const struct vx_csr_row *vx_profile_next_csr(const struct vx_profile *profile,
                                             const struct vx_csr_row *row);

#endif
