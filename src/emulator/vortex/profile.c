/* The platform profiles: v2, Vortex as of 2025, and v3, of 2026 (its VX_types and VX_config). */
#include "emulator/vortex/profile.h"

#include <assert.h>
#include <string.h>

/* The profiles that a row is of. */
enum { V2 = 1, V3 = 2 };

static const struct vx_csr_row csrs[] = {
    {0x001, 0x001, "fflags", VX_CSR_FFLAGS, V2 | V3, "accrued exceptions, of the warp"},
    {0x002, 0x002, "frm", VX_CSR_FRM, V2 | V3, "rounding mode, of the warp"},
    {0x003, 0x003, "fcsr", VX_CSR_FCSR, V2 | V3, "frm and fflags, of the warp"},
    {0x180, 0x180, "satp", VX_CSR_ZERO, V2, "reads 0"},
    {0x180, 0x180, "satp", VX_CSR_ZERO, V3, "reads 0: there is no MMU"},
    {0x300, 0x300, "mstatus", VX_CSR_ZERO, V2, "reads 0"},
    {0x300, 0x300, "mstatus", VX_CSR_MSTATUS, V3, "of the warp; nothing looks at it"},
    {0x301, 0x301, "misa", VX_CSR_MISA, V2 | V3, "what the core implements; read-only"},
    {0x302, 0x302, "medeleg", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0x303, 0x303, "mideleg", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0x304, 0x304, "mie", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0x305, 0x305, "mtvec", VX_CSR_ZERO, V2, "reads 0"},
    {0x305, 0x305, "mtvec", VX_CSR_MTVEC, V3, "where traps of the warp go; bits 1:0 do not count"},
    {0x340, 0x340, "mscratch", VX_CSR_MSCRATCH, V2, "of the core; STARTUP_ARG after reset"},
    {0x340, 0x340, "mscratch", VX_CSR_MSCRATCH, V3, "of the warp; STARTUP_ARG as it starts"},
    {0x341, 0x341, "mepc", VX_CSR_ZERO, V2, "reads 0"},
    {0x341, 0x341, "mepc", VX_CSR_MEPC, V3, "PC of the warp's last trap"},
    {0x342, 0x342, "mcause", VX_CSR_ZERO, V2, "reads 0"},
    {0x342, 0x342, "mcause", VX_CSR_MCAUSE, V3, "its cause: 3 EBREAK, 11 ECALL"},
    {0x343, 0x343, "mtval", VX_CSR_MTVAL, V3, "its value: 0"},
    {0x3a0, 0x3a0, "pmpcfg0", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0x3b0, 0x3b0, "pmpaddr0", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0x744, 0x744, "mnstatus", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0x7b2, 0x7b2, "dscratch0", VX_CSR_DSCRATCH0, V2 | V3,
     "DM's DSCRATCH0, of the thread; 32 bits"},
    {0x7b3, 0x7b3, "dscratch1", VX_CSR_DSCRATCH1, V2 | V3,
     "DM's DSCRATCH1, of the thread; 32 bits"},
    {0x7b4, 0x7b4, "dscratch2", VX_CSR_DSCRATCH2, V2 | V3,
     "DM's DSCRATCH2, of the thread; 32 bits"},
    {0x7b5, 0x7b5, "dscratch3", VX_CSR_DSCRATCH3, V2 | V3,
     "DM's DSCRATCH3, of the thread; 32 bits"},
    {0xb00, 0xb00, "mcycle", VX_CSR_MCYCLE, V2 | V3, "issues of the whole device since reset"},
    {0xb01, 0xb01, "mpm_reserved", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0xb02, 0xb02, "minstret", VX_CSR_MINSTRET, V2, "issues of this core since reset"},
    {0xb02, 0xb02, "minstret", VX_CSR_MINSTRET, V3, "issues of this core since its launch"},
    {0xb03, 0xb1f, "mpm", VX_CSR_ZERO, V2 | V3,
     "performance counters of the pipeline: there is none"},
    {0xb80, 0xb80, "mcycleh", VX_CSR_MCYCLEH, V2 | V3, "bits 63:32 of mcycle"},
    {0xb81, 0xb81, "mpm_reservedh", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0xb82, 0xb82, "minstreth", VX_CSR_MINSTRETH, V2 | V3, "bits 63:32 of minstret"},
    {0xb83, 0xb9f, "mpmh", VX_CSR_ZERO, V2 | V3,
     "performance counters of the pipeline: there is none"},
    {0xcc0, 0xcc0, "vx_thread_id", VX_CSR_THREAD_ID, V2 | V3, "thread within the warp"},
    {0xcc1, 0xcc1, "vx_warp_id", VX_CSR_WARP_ID, V2 | V3, "warp within the core"},
    {0xcc2, 0xcc2, "vx_core_id", VX_CSR_CORE_ID, V2 | V3, "core within the device"},
    {0xcc3, 0xcc3, "vx_active_warps", VX_CSR_ACTIVE_WARPS, V2 | V3,
     "mask of active warps of the core"},
    {0xcc4, 0xcc4, "vx_active_threads", VX_CSR_ACTIVE_THREADS, V2 | V3, "thread mask of the warp"},
    {0xcd0, 0xcd0, "vx_cta_id", VX_CSR_CTA_ID, V3, "place of the warp's CTA in its core"},
    {0xcd1, 0xcd1, "vx_cta_rank", VX_CSR_CTA_RANK, V3, "warp within its CTA"},
    {0xcd2, 0xcd2, "vx_cta_size", VX_CSR_CTA_SIZE, V3, "warps of the CTA"},
    {0xcd3, 0xcd3, "vx_cta_thread_id_x", VX_CSR_CTA_THREAD_ID, V3, "threadIdx.x, of the thread"},
    {0xcd4, 0xcd4, "vx_cta_thread_id_y", VX_CSR_CTA_THREAD_ID, V3, "threadIdx.y"},
    {0xcd5, 0xcd5, "vx_cta_thread_id_z", VX_CSR_CTA_THREAD_ID, V3, "threadIdx.z"},
    {0xcd6, 0xcd6, "vx_cta_block_id_x", VX_CSR_CTA_BLOCK_ID, V3, "blockIdx.x, of the warp"},
    {0xcd7, 0xcd7, "vx_cta_block_id_y", VX_CSR_CTA_BLOCK_ID, V3, "blockIdx.y"},
    {0xcd8, 0xcd8, "vx_cta_block_id_z", VX_CSR_CTA_BLOCK_ID, V3, "blockIdx.z"},
    {0xcd9, 0xcd9, "vx_cta_block_dim_x", VX_CSR_CTA_BLOCK_DIM, V3, "blockDim.x"},
    {0xcda, 0xcda, "vx_cta_block_dim_y", VX_CSR_CTA_BLOCK_DIM, V3, "blockDim.y"},
    {0xcdb, 0xcdb, "vx_cta_block_dim_z", VX_CSR_CTA_BLOCK_DIM, V3, "blockDim.z"},
    {0xcdc, 0xcdc, "vx_cta_grid_dim_x", VX_CSR_CTA_GRID_DIM, V3, "gridDim.x"},
    {0xcdd, 0xcdd, "vx_cta_grid_dim_y", VX_CSR_CTA_GRID_DIM, V3, "gridDim.y"},
    {0xcde, 0xcde, "vx_cta_grid_dim_z", VX_CSR_CTA_GRID_DIM, V3, "gridDim.z"},
    {0xcdf, 0xcdf, "vx_cta_lmem_addr", VX_CSR_CTA_LMEM_ADDR, V3, "local memory of the CTA"},
    {0xce0, 0xce0, "vx_cta_cluster_size", VX_CSR_CTA_CLUSTER_SIZE, V3, "CTAs of a cluster"},
    {0xce1, 0xce1, "vx_cta_entry", VX_CSR_CTA_ENTRY, V3, "the kernel: KERNEL_ENTRY"},
    {0xfc0, 0xfc0, "vx_num_threads", VX_CSR_NUM_THREADS, V2 | V3, "threads of a warp"},
    {0xfc1, 0xfc1, "vx_num_warps", VX_CSR_NUM_WARPS, V2 | V3, "warps of a core"},
    {0xfc2, 0xfc2, "vx_num_cores", VX_CSR_NUM_CORES, V2 | V3, "cores of all clusters"},
    {0xfc3, 0xfc3, "vx_local_mem_base", VX_CSR_LOCAL_MEM_BASE, V2 | V3,
     "where the core's local memory is"},
    {0xfc4, 0xfc6, "tc", VX_CSR_ZERO, V2, "shape of the tensor core: there is none"},
    {0xfc4, 0xfc4, "vx_num_barriers", VX_CSR_NUM_BARRIERS, V3, "barriers of a CTA"},
    {0xf11, 0xf11, "mvendorid", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0xf12, 0xf12, "marchid", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0xf13, 0xf13, "mimpid", VX_CSR_ZERO, V2 | V3, "reads 0"},
    {0xf14, 0xf14, "mhartid", VX_CSR_MHARTID, V2 | V3, "(core * warps + warp) * threads + thread"},
};

static const struct vx_dcr_row v2_dcrs[] = {
    {0x001, "STARTUP_ADDR0", VX_DCR_STARTUP_ADDR0, "first instruction, bits 31:0"},
    {0x002, "STARTUP_ADDR1", VX_DCR_STARTUP_ADDR1, "first instruction, bits 63:32"},
    {0x003, "STARTUP_ARG0", VX_DCR_STARTUP_ARG0, "mscratch at reset, bits 31:0"},
    {0x004, "STARTUP_ARG1", VX_DCR_STARTUP_ARG1, "mscratch at reset, bits 63:32"},
    {0x005, "MPM_CLASS", VX_DCR_MPM_CLASS, "which performance counters 0xB03.. are"},
};

static const struct vx_profile v2 = {
    .name = "v2",
    .about = "Vortex 2.x, 2025",
    .bit = V2,
    .dcrs = v2_dcrs,
    .dcr_count = sizeof v2_dcrs / sizeof v2_dcrs[0],
    .startup_addr = 0x80000000,
    .console_addr = 0x40,
    .console_slots = 64,
    .exit_addr = 0x88,
    .local_mem_base = {0xffff0000, 0x1ffff0000},
    .local_mem_size = 1 << 14,
    .launch = vx_launch_first_warps,
};

static const struct vx_dcr_row v3_dcrs[] = {
    {0x000, "CACHE_FLUSH", VX_DCR_CACHE_FLUSH, "reads 0: there are no caches"},
    {0x001, "MPM_VALUE", VX_DCR_MPM_VALUE, "a counter of a core, as the tag of the read says"},
    {0x010, "STARTUP_ADDR0", VX_DCR_STARTUP_ADDR0, "first instruction, bits 31:0"},
    {0x011, "STARTUP_ADDR1", VX_DCR_STARTUP_ADDR1, "first instruction, bits 63:32"},
    {0x012, "KERNEL_ENTRY0", VX_DCR_KERNEL_ENTRY0, "CSR vx_cta_entry, bits 31:0"},
    {0x013, "KERNEL_ENTRY1", VX_DCR_KERNEL_ENTRY1, "CSR vx_cta_entry, bits 63:32"},
    {0x014, "STARTUP_ARG0", VX_DCR_STARTUP_ARG0, "mscratch of a warp that starts, bits 31:0"},
    {0x015, "STARTUP_ARG1", VX_DCR_STARTUP_ARG1, "mscratch of a warp that starts, bits 63:32"},
    {0x016, "BLOCK_DIM", VX_DCR_BLOCK_DIM, "threads of a CTA: x, y, z"},
    {0x019, "GRID_DIM", VX_DCR_GRID_DIM, "CTAs: x, y, z"},
    {0x01c, "LMEM_SIZE", VX_DCR_LMEM_SIZE, "bytes of local memory of a CTA"},
    {0x01d, "BLOCK_SIZE", VX_DCR_BLOCK_SIZE, "threads of a CTA in all"},
    {0x01e, "WARP_STEP", VX_DCR_WARP_STEP, "from a warp's first thread to the next one's: x, y, z"},
    {0x021, "CLUSTER_DIM", VX_DCR_CLUSTER_DIM, "CTAs of a cluster: x, y, z"},
};

static const struct vx_profile v3 = {
    .name = "v3",
    .about = "Vortex 3.0, 2026",
    .bit = V3,
    .dcrs = v3_dcrs,
    .dcr_count = sizeof v3_dcrs / sizeof v3_dcrs[0],
    .startup_addr = 0x80000000,
    .console_addr = 0x40,
    .console_slots = 64,
    .exit_addr = 0x8348,
    .local_mem_base = {0xffff0000, 0x1ffff0000},
    .local_mem_size = 1 << 14,
    .traps = true,
    .smaller_first = true,
    .later_rows = true,
    .slot_barriers = 8,
    .console_ring = true,
    .launch_unit = true,
    .launch = vx_launch_grid,
};

const struct vx_profile *const vx_profiles[] = {&v2, &v3};
const size_t vx_profile_count = sizeof vx_profiles / sizeof vx_profiles[0];

const struct vx_profile *vx_profile_named(const char *name)
{
    for (size_t i = 0; i < vx_profile_count; i++)
        if (strcmp(vx_profiles[i]->name, name) == 0)
            return vx_profiles[i];
    return NULL;
}

unsigned vx_dcr_count(const struct vx_dcr_row *row)
{
    const enum vx_dcr dcr = row->dcr;
    return dcr == VX_DCR_BLOCK_DIM || dcr == VX_DCR_GRID_DIM || dcr == VX_DCR_WARP_STEP ||
                   dcr == VX_DCR_CLUSTER_DIM
               ? 3
               : 1;
}

const char *vx_csr_name(unsigned number)
{
    for (size_t i = 0; i < vx_profile_count; i++) {
        const struct vx_csr_row *row = vx_profile_csr(vx_profiles[i], number);
        if (row && row->first == row->last)
            return row->name;
    }
    return NULL;
}

const struct vx_csr_row *vx_profile_csr(const struct vx_profile *profile, unsigned number)
{
    assert(profile && number < 4096);
    for (const struct vx_csr_row *row = NULL; (row = vx_profile_next_csr(profile, row));)
        if (number >= row->first && number <= row->last)
            return row;
    return NULL;
}

const struct vx_csr_row *vx_profile_next_csr(const struct vx_profile *profile,
                                             const struct vx_csr_row *row)
{
    row = row ? row + 1 : csrs;
    while (row < csrs + sizeof csrs / sizeof csrs[0] && !(row->profiles & profile->bit))
        row++;
    return row < csrs + sizeof csrs / sizeof csrs[0] ? row : NULL;
}
