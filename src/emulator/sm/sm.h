/*
 * An emulated NVIDIA SM (sm_50, Maxwell): warps of 32 lanes, their trap unit and the registers of
 * the SM debugger. This header is all that the world outside emulator/sm needs.
 */
#ifndef WT_EMULATOR_SM_SM_H
#define WT_EMULATOR_SM_SM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <stdio.h>

#include "base/fault.h"
#include "base/hw_registers.h"
#include "emulator/machine/config.h"
#include "emulator/machine/near.h"
#include "emulator/machine/schedule.h"
#include "base/error.h"

/** Initializes a struct wt_profile_shape with the units of its memory. */
#define SM_PROFILE                                                                                 \
    {                                                                                              \
        .line = 32, .banks = 32, .together = 32                                                    \
    }

struct sm_device;
struct sm_launch;
struct wt_archive;
struct wt_machine;
struct wt_rows_totals;

#define SM_MOST_SMS 16
#define SM_WARPS 64         /**< in an SM */
#define SM_CTAS 32          /**< in an SM */
#define SM_CTA_SHARED 49152 /**< shared memory that any CTA may have */
#define SM_FILE 65536       /**< registers of an SM */
#define SM_BANKS 18

/** Bytes of shared memory by compute capability ("CUDA C++ Programming Guide", Technical
 * Specifications). */
struct sm_shared {
    uint32_t sm;  /**< in an SM */
    uint32_t cta; /**< the most that a kernel may have whose program asks for it */
    uint32_t
        reserved; /**< bytes of each CTA for the system: they count for what an SM has room for */
};
/** The sizes for a compute capability times 10, 50 or above. */
struct sm_shared sm_shared_of(unsigned cc);
/** The most that a CTA has on any SM. */
#define SM_MOST_CTA_SHARED (227 * 1024)

/** A device's configuration: the keys behind "sm:". */
struct sm_config {
    WT_CONFIG_HEAD;
    unsigned sms;          /**< 1..16 */
    unsigned cc;           /**< compute capability that programs are told, times 10: 50..90 */
    unsigned error_delay;  /**< issues by which warp errors arrive late, 0..1000 */
    unsigned memory_delay; /**< issues by which L1 errors arrive late, whatever BPT.DRAIN does */
    uint64_t memory;       /**< bytes that programs of the driver API are told, and can allocate */
    unsigned jit;          /**< visits of an instruction after which it is translated; 0: never */
    bool vectors_256;     /**< translated code has no vectors of 512 bits where the host has some */
    bool hardware_bounds; /**< memory is mapped in blocks, SM_BLOCK_BYTES; else to the byte */
};

/** How much memory a page of hardware is. */
#define SM_BLOCK_BYTES (UINT64_C(2) << 20)

/** Whether lanes of a warp go on by themselves (CUDA C++ Programming Guide, "Independent Thread
 * Scheduling": from 7.0 on). */
static inline bool sm_has_independent_lanes(const struct sm_config *config)
{
    return config->cc >= 70;
}
/** One SM, compute capability 5.0, no delays, round robin. */
void sm_config_default(void *config);
/** The keys of a struct sm_config, behind "sm:" in --gpu. */
extern const struct wt_config sm_config_table;

/** A new device; no memory is mapped. */
enum wt_status sm_device_new(const struct sm_config *config, struct sm_device **device,
                             struct wt_error *err);
/* Frees a device; NULL is allowed. */
void sm_device_free(struct sm_device *device);
/** The launch that runs, or ran last; grid[0] is 0 before the first one. */
const struct sm_launch *sm_device_latest_launch(const struct sm_device *device);
/** CTAs of the launch that have ended, and all there are. */
void sm_device_progress(const struct sm_device *device, uint64_t *done, uint64_t *total);
/** Counts of PTX's translated code since the device began. */
struct wt_rows_totals sm_device_translated(const struct sm_device *device);
/** The device as a machine; the same object. */
struct wt_machine *sm_machine(struct sm_device *device);
/** The instructions it has executed whose results may differ from hardware's. */
const struct wt_near *sm_device_near(const struct sm_device *device);

/* ---- memory ---- */

/** Windows of generic addresses (LD, ST): shared memory of the CTA, local memory of the thread. */
#define SM_SHARED_WINDOW UINT64_C(0xfe000000)
#define SM_LOCAL_WINDOW UINT64_C(0xff000000)
#define SM_WINDOW_BYTES UINT64_C(0x01000000)

/** Maps [addr, addr + size), rounded to pages. Kernels may use nothing else. */
enum wt_status sm_device_map(struct sm_device *device, uint64_t addr, uint64_t size, bool writable,
                             struct wt_error *err);
/** Takes it out again; no kernel may run. */
void sm_device_unmap(struct sm_device *device, uint64_t addr, uint64_t size);
/** Memory as the host sees it; false at 2^48 and above, or without host memory. */
bool sm_device_read(struct sm_device *device, uint64_t addr, void *out, size_t size);
/* Likewise for writing, also where kernels may only read. */
bool sm_device_write(struct sm_device *device, uint64_t addr, const void *bytes, size_t size);

/* ---- launches ---- */

/** A kernel launch. */
struct sm_launch {
    uint64_t number; /**< which one of its program's it is, from 1, for people; 0: none */
    uint64_t entry;  /**< address of the first bundle */
    uint32_t grid[3], block[3]; /**< CTAs, threads of a CTA */
    unsigned registers;         /**< registers of a thread, 1..255 */
    uint32_t shared, local;     /**< bytes of a CTA, of a thread */
    uint64_t bank[SM_BANKS];    /**< addresses of the constant banks; 0: none */
    uint32_t bank_size[SM_BANKS];
    uint64_t local_base; /**< memory for sm_device_local_size() bytes, multiple of 256 */
    /* PTX only */
    uint32_t rows;        /**< rows of the kernel's frame; 0: machine code */
    uint32_t frame_local; /**< bytes of local memory of the kernel's own frame */
    uint32_t dynamic;     /**< where in shared memory that begins which the launch adds */
    uint64_t constant, constant_end; /**< addresses of .const variables */
    uint64_t heap, heap_size; /**< memory for malloc, zeros at first; size 0: malloc gives NULL */
    uint64_t together; /**< memory that the CTAs have in common, zeros at first, where all of them
                            run at once: %envreg1 has its upper 32 bits, %envreg2 its lower ones; 0:
                            they need not run at once */
};

/** Bytes of local memory that all warps of the device may take. */
uint64_t sm_device_local_size(const struct sm_device *device, uint32_t local);
/** How many CTAs of a launch an SM has room for at once; 0: a CTA does not fit. */
uint32_t sm_launch_resident(const struct sm_device *device, const struct sm_launch *launch);
/** Begins to run a kernel; WT_STATE while one runs, WT_INVALID where it does not fit an SM. */
enum wt_status sm_device_launch(struct sm_device *device, const struct sm_launch *launch,
                                struct wt_error *err);
/**
 * Ends the kernel that runs, if one does, as a driver does after a failure: its warps are gone, the
 * SMs are out of trap mode, and another kernel can be launched. Memory keeps what it has.
 */
void sm_device_abandon(struct sm_device *device);
/** Sets the trap handler's address (SET_TRAP_HANDLER); 0: none. */
void sm_device_set_trap_handler(struct sm_device *device, uint64_t address);

/** The trap handler's address; 0: none. */
uint64_t sm_device_trap_handler(const struct sm_device *device);

/** The state of a warp, beside its registers, that a driver tells its debugger. */
struct sm_warp_state {
    uint64_t incarnation; /**< how many warps its slot has had */
    uint32_t cta[3], index;
    uint64_t pc;     /**< next instruction of the program, also while the warp is in the handler */
    uint32_t active; /**< lanes enabled there */
    bool in_handler;
    bool steps;            /**< it was to do a single step, and has not issued yet */
    struct wt_fault error; /**< the last one since the warp went on; kind 0: none */
};

/** Whether a fault's address is one of global memory; that of an OOR_ADDR is an offset, or a
 * coordinate, and so may be that of a MISALIGNED_ADDR as small as this. */
static inline bool sm_fault_is_global(const struct wt_fault *fault)
{
    return (fault->kind == WT_FAULT_ACCESS && strcmp(fault->name, "OOR_ADDR") != 0) ||
           (strcmp(fault->name, "MISALIGNED_ADDR") == 0 && fault->addr >= SM_WINDOW_BYTES);
}
/** The error for which a warp has paused, until it goes on; NULL: none. */
struct wt_fault *sm_wave_fault(struct wt_machine *m, uint32_t wave);
/** False: there is no such warp now. */
bool sm_warp_state(struct sm_device *device, uint32_t warp, struct sm_warp_state *state);
/** All warps of an SM pause, or enter the trap handler, as for BPT.TRAP: for a driver that stops
 * them between two runs. */
void sm_device_stop(struct sm_device *device, unsigned sm);
/**
 * The debugger has gone: masks, triggers and steps are cleared, and all warps go on, outside of a
 * trap handler as if it had not been there. A warp that stands behind a trap executes what is there
 * now; an error of a warp ends the launch, with the machine's fault set. Breakpoints must have been
 * lifted.
 */
void sm_device_release(struct sm_device *device);
/** The address of the instruction before the one at an address: bundles begin with a control word.
 */
uint64_t sm_pc_before(uint64_t pc);
/** Where a lane's local memory begins, and how many bytes of it a kernel has. */
bool sm_warp_local(struct sm_device *device, uint32_t warp, unsigned lane, uint64_t *addr,
                   uint32_t *size);
/** The name of a warp error's code (HWW_WARP_ESR.ERROR); "error" if it is none. */
const char *sm_error_name(uint32_t code);
/** The names of the codes from 0 on; NULL ends them. */
extern const char *const sm_error_names[];
/** Whether a kernel runs: warps, or CTAs that have yet to begin. */
bool sm_device_runs(const struct sm_device *device);

/* ---- registers, for looking into a warp ---- */

/** Registers as wt_machine_ops.read_row numbers them. */
enum sm_register {
    SM_REGISTER_R0 = 0,     /**< R0 to R254: 32 bits a lane */
    SM_REGISTER_P0 = 256,   /**< P0 to P6: a mask of lanes, 32 bits */
    SM_REGISTER_CC_Z = 264, /**< flags of the condition code: masks of lanes */
    SM_REGISTER_CC_S,
    SM_REGISTER_CC_C,
    SM_REGISTER_CC_O,
    SM_REGISTER_PC = 272,  /**< 64 bits */
    SM_REGISTER_ACTIVE,    /**< mask of lanes */
    SM_REGISTER_WARP_ESR,  /**< 32 bits */
    SM_REGISTER_ESR_PC,    /**< 64 bits */
    SM_REGISTER_TRAPPED,   /**< 1 in the trap handler */
    SM_REGISTER_USER_PC,   /**< 64 bits; in the trap handler: where the warp returns to */
    SM_REGISTER_USER_MASK, /**< lanes active there */
    SM_REGISTER_FRAME,     /**< PTX: of each lane: the row of the register file with which its frame
                              begins */
    SM_REGISTER_RETURN,    /**< PTX: of each lane, 64 bits: where its function returns to */
    SM_REGISTER_CALLER,    /**< PTX: of each lane: the row of its caller's frame */
    SM_REGISTER_LOCAL, /**< PTX: where the frame's part of local memory begins: 32 bits a lane */
};

/** Bytes of a warp's register file, a row of 32 dwords after the other; false beyond what is in
 * use.
 */
bool sm_read_file(struct sm_device *device, uint32_t warp, uint64_t offset, void *out, size_t size);

/**
 * Writes the row of a register for @p lanes: of R0 to R254 32 dwords, of which those of other lanes
 * are left out, of the others one value. PC and masks are the program's, also while the warp is in
 * the handler. False: there is no such warp or register, or it cannot be written.
 */
bool sm_write_row(struct sm_device *device, uint32_t warp, unsigned number, uint32_t lanes,
                  const void *row);

/* ---- the SM debugger's registers ---- */

/** A register of the debugger's block by its word address on the bus: the machine's operations. */
uint32_t sm_debug_read(struct wt_machine *m, uint32_t addr);
/* Writes it. */
void sm_debug_write(struct wt_machine *m, uint32_t addr, uint32_t value);

/** The registers, by their full names (NV_PTPC_PRI_SM_…). */
extern const struct wt_hw_table sm_register_table;

#endif
