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
};

struct vx_csr_row {
    uint16_t first, last; /* CSR numbers that mean it */
    const char *name;
    enum vx_csr csr;
    uint8_t xlen; /* 32: only there; 0: both */
    const char *about;
};

/* The meaning of a DCR number. */
enum vx_dcr {
    VX_DCR_STARTUP_ADDR0,
    VX_DCR_STARTUP_ADDR1,
    VX_DCR_STARTUP_ARG0,
    VX_DCR_STARTUP_ARG1,
    VX_DCR_MPM_CLASS
};

struct vx_dcr_row {
    uint16_t addr;
    const char *name;
    enum vx_dcr dcr;
    const char *about;
};

struct vx_device;

struct vx_profile {
    const char *name;
    const char *about;
    const struct vx_csr_row *csrs;
    size_t csr_count;
    const struct vx_dcr_row *dcrs;
    size_t dcr_count;
    uint64_t startup_addr;
    uint64_t console_addr;
    unsigned console_slots;
    uint64_t exit_addr;
    uint64_t local_mem_base[2]; /* RV32, RV64 */
    uint64_t local_mem_size;    /* a multiple of the page size */
    /* The launch unit: puts waves into the state in which they are after reset. */
    void (*launch)(struct vx_device *device);
};

/* A launch unit (simt.c): warp 0 of every core starts at STARTUP_ADDR with thread 0; the others
 * wait for WSPAWN. */
void vx_launch_first_warps(struct vx_device *device);

/* All profiles, the default first. */
extern const struct vx_profile *const vx_profiles[];
extern const size_t vx_profile_count;

/* The row of a CSR number on this width, or NULL. */
const struct vx_csr_row *vx_profile_csr(const struct vx_profile *profile, unsigned number,
                                        unsigned xlen);

#endif
