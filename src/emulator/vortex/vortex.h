/*
 * An emulated Vortex GPU: clusters of cores, each with warps of SIMT threads that run RV32 or
 * RV64 IMAFDC with Vortex's own instructions. This header is all that the world outside
 * emulator/vortex needs.
 */
#ifndef WT_EMULATOR_VORTEX_VORTEX_H
#define WT_EMULATOR_VORTEX_VORTEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "object/image.h"
#include "emulator/machine/config.h"
#include "emulator/machine/schedule.h"
#include "emulator/vortex/launch.h"
#include "base/error.h"

struct vx_profile;
struct wt_rows_totals;
struct vx_device;
struct wt_archive;
struct wt_machine;

/** A device's configuration: the keys behind "vortex:". vx_config_default() gives Vortex's own
 * defaults. */
struct vx_config {
    WT_CONFIG_HEAD;
    const struct vx_profile *profile;
    bool profile_given;
    unsigned clusters; /**< 1..127 (PLATFORM.numclusters) */
    unsigned cores;    /**< a cluster, 1..511 (PLATFORM.numcores) */
    unsigned warps;    /**< a core, 1..511 (PLATFORM.numwarps) */
    unsigned threads;  /**< a warp, a power of two 1..128 (PLATFORM.numthreads) */
    unsigned xlen;     /**< 32 or 64; 0: as the program says, else 32 */
    uint64_t startup;  /**< DCR STARTUP_ADDR, when startup_given */
    bool startup_given;
    uint64_t argument; /**< DCR STARTUP_ARG: mscratch at reset */
    /** v3: what the launch unit runs after reset; `startup` and `argument` are those above. */
    struct vx_launch launch;
    uint64_t console_addr;    /**< IO_COUT_ADDR */
    unsigned console_slots;   /**< IO_COUT_SIZE in bytes, a power of two 1..4096 */
    bool ring_of_host;        /**< v3: the host's program empties the console's rings (ring.c) */
    uint64_t exit_addr;       /**< where the program stores its exit word */
    bool follow_rtl_branches; /**< divergent branch: last active lane decides; else a fault */
    bool part_lanes;          /**< divergent branches part lanes, which no Vortex does (part.c) */
    bool allow_misaligned;    /**< misaligned loads and stores work (SimX); else a fault (RTL) */
    bool ebreak_pc_after;     /**< DPC of an EBREAK halt is ebreak + 4, as the RTL of 2025 */
    unsigned dm_clock; /**< core cycles between two accesses of DM registers; 0: requests complete
                            before the next access */
    unsigned line; /**< bytes of a cache line, a power of two 4..4096: a profile's transaction */
    unsigned host_level; /**< 1..3: the most of the host's x86-64 levels that is used; the result is
                              the same at each */
    unsigned jit;        /**< visits of an instruction after which it is translated; 0: never */
    bool vectors_256;    /**< translated code has no vectors of 512 bits where the host has some */
};

/** The shape and layout of Vortex's own defaults: 1 cluster, 1 core, 4 warps, 4 threads, v2. */
void vx_config_default(void *config);
/**
 * The keys of a struct vx_config, behind "vortex:" in --gpu. Shapes that the Debug Module cannot
 * describe are refused.
 */
extern const struct wt_config vx_config_table;

/** Takes another profile, and its layout where the configuration has that of the profile before. */
void vx_config_use_profile(struct vx_config *config, const struct vx_profile *profile);

/** A new device in reset; memory all zero. */
enum wt_status vx_device_new(const struct vx_config *config, struct vx_device **device,
                             struct wt_error *err);
/* Frees a device; NULL is allowed. */
void vx_device_free(struct vx_device *device);

/**
 * Makes a device in which no warp is active one of another profile; memory stays. For a driver
 * whose program tells late which Vortex it is for. WT_NO_MEMORY: the device is of no use any
 * longer.
 */
enum wt_status vx_device_use_profile(struct vx_device *device, const struct vx_profile *profile,
                                     struct wt_error *err);

/** Counts of translated code, of the device's whole life. */
struct wt_rows_totals vx_device_translated(const struct vx_device *device);
/** The device as a machine (run, reset, hash, views); the same object. */
struct wt_machine *vx_machine(struct vx_device *device);
/**
 * Clears memory, copies the image into it, sets STARTUP_ADDR to its entry (unless the
 * configuration gives one), and resets. Refuses images that do not fit the device: another
 * machine or width, or code above 4 GiB where DPC could not name it.
 */
enum wt_status vx_device_load(struct vx_device *device, const struct wt_image *image,
                              struct wt_error *err);

/** Writes a device configuration register (before reset takes effect); false if there is none. */
bool vx_device_dcr_write(struct vx_device *device, uint32_t addr, uint32_t value);
/** Reads one back; false if there is none. CACHE_FLUSH of v3 reads 0: there are no caches. */
bool vx_device_dcr_read(struct vx_device *device, uint32_t addr, uint32_t *value);
/** Issues of a core (0 .. clusters * cores - 1) since its launch or reset: minstret. */
uint64_t vx_device_issues(const struct vx_device *device, uint32_t core);

/** The program's exit word (config.exit_addr). */
uint32_t vx_device_exit_word(struct vx_device *device);

/** Hands lines that are not complete yet to the console (at the program's end). */
void vx_device_flush_console(struct vx_device *device);

/* ---- registers, as wt_machine_ops.read_row numbers them: as GDB's RISC-V target does ---- */

enum vx_register {
    VX_REGISTER_X = 0, /**< x0-x31: a row of xlen bits a lane */
    VX_REGISTER_PC = 32,
    VX_REGISTER_F = 33,   /**< f0-f31: 64 bits a lane, binary32 NaN-boxed */
    VX_REGISTER_CSR = 65, /**< CSR n is 65 + n: xlen bits a lane */
};

/* ---- the Debug Module, VxDebug specification ---- */

/** Word addresses of the registers ("Debug Module Registers"). */
enum vx_dm_register {
    VX_DM_PLATFORM = 0x0,
    VX_DM_DCONFIG = 0x1,
    VX_DM_DSELECT = 0x2,
    VX_DM_WMASK = 0x3,
    VX_DM_WACTIVE = 0x4,
    VX_DM_WSTATUS = 0x5,
    VX_DM_DCTRL = 0x6,
    VX_DM_DPC = 0x7,
    VX_DM_INJECT = 0x8,
    VX_DM_DSCRATCH0 = 0x9,
    VX_DM_DSCRATCH3 = 0xc,
};

/** Reads a DM register; registers that do not exist read 0. */
uint32_t vx_dm_read(struct vx_device *device, uint32_t addr);

/** Writes a DM register; writes to read-only fields and unknown registers are ignored. */
void vx_dm_write(struct vx_device *device, uint32_t addr, uint32_t value);

/* ---- disassembly ---- */

/**
 * Disassembles the instruction at the start of @p bytes (2 or 4 of them) as it would stand at
 * @p pc; returns its length, 2 or 4. Text that is no instruction reads ".4byte 0x…" or ".2byte".
 */
unsigned vx_disassemble(const uint8_t *bytes, unsigned available, unsigned xlen, uint64_t pc,
                        char *text, size_t size);
/**
 * Likewise by the names under which people know instructions, as GNU's and LLVM's disassemblers
 * print them: "ret", "mv", "beqz" and other aliases, and of a compressed instruction the one that
 * it stands for.
 */
unsigned vx_disassemble_known(const uint8_t *bytes, unsigned available, unsigned xlen, uint64_t pc,
                              char *text, size_t size);

#endif
