/*
 * The probe of NVIDIA's SM: how it reaches a device. It uses what a debugger has on a real system:
 * the registers of the SM debugger on the bus, and the kernel driver, which installs the trap
 * handler and reads and writes what the handler has saved of a warp (nvgpu, class 83DE; CUDA
 * debugger API: readRegister, readPC, readLocalMemory, …).
 */
#ifndef WT_DEBUG_SM_SM_H
#define WT_DEBUG_SM_SM_H

#include "base/fault.h"
#include "debug/core/probe.h"
#include "debug/standstill/link.h"

/** The kernel launch that runs, or ran last. */
struct wt_sm_launch {
    uint64_t number;   /**< of the program, from 1, also across resets; 0: there was none yet */
    bool runs;         /**< blocks of it run, or have yet to begin */
    uint32_t block[3]; /**< threads of a block */
    uint32_t grid[3];  /**< blocks */
};

/** A warp that there is. */
struct wt_sm_warp {
    wt_wave_id id;            /**< no other warp of the program has it or had it */
    uint32_t block[3], index; /**< coordinates of its block; its own number in that */
    uint64_t pc;              /**< the program's next instruction, not the trap handler's */
    uint32_t active;          /**< lanes enabled there */
    bool steps;               /**< it was to do a single step, and has not issued yet */
    struct wt_fault error;    /**< why it has trapped; kind WT_FAULT_NONE: for no error */
};

/** Registers of a warp by the driver's numbers. */
enum wt_sm_register {
    WT_SM_R0 = 0,   /**< R0 to R254: 32 bits a lane */
    WT_SM_P0 = 256, /**< P0 to P6: masks of lanes */
    WT_SM_CC_Z = 264,
    WT_SM_CC_S,
    WT_SM_CC_C,
    WT_SM_CC_O,
    WT_SM_PC = 272, /**< 64 bits: where the warp is, be it in the trap handler */
    WT_SM_ACTIVE,
    WT_SM_WARP_ESR,
    WT_SM_ESR_PC, /**< 64 bits */
    WT_SM_TRAPPED,
    WT_SM_USER_PC, /**< 64 bits: the program's */
    WT_SM_USER_MASK,
    WT_SM_FRAME, /**< PTX: of each lane: the row of the register file with which its frame begins */
    WT_SM_RETURN, /**< PTX: of each lane, 64 bits: where its function returns to */
    WT_SM_CALLER, /**< PTX: of each lane: the row of its caller's frame */
    WT_SM_LOCAL,  /**< PTX: where the frame's part of local memory begins: 32 bits a lane */
};

/** A warp's register file in the generic space, above all addresses of the GPU: expressions read it
 * there. And the bytes of a row, a dword for each lane. */
#define WT_SM_FILE_WINDOW (UINT64_C(1) << 63)
/** Where a kernel's parameters begin in constant bank 0 (sm_50). */
#define WT_SM_PARAMETERS 0x140
#define WT_SM_FILE_ROW 128u

/** DWARF's number for WT_SM_LOCAL: debug information of PTX is made to name it. */
#define WT_SM_DWARF_LOCAL 256

/** The driver. What fails says that the link is broken (WT_IO), or of a register or memory that
 * there is none (WT_INVALID). Addresses of memory are generic ones. */
struct wt_sm_link_ops {
    enum wt_status (*launch)(void *context, struct wt_sm_launch *launch, struct wt_error *err);
    /** Describes a warp, numbered through all SMs; WT_STATE: there is no such warp now. */
    enum wt_status (*warp)(void *context, uint32_t warp, struct wt_sm_warp *out,
                           struct wt_error *err);
    /** A register of enum wt_sm_register: 32 dwords, or one value. */
    enum wt_status (*read_row)(void *context, uint32_t warp, unsigned number, void *row,
                               struct wt_error *err);
    /** Likewise; of R0 to R254 for those lanes only. */
    enum wt_status (*write_row)(void *context, uint32_t warp, unsigned number, uint32_t lanes,
                                const void *row, struct wt_error *err);
    /** Bytes of a warp's register file, rows of 32 dwords; WT_INVALID beyond what is in use. */
    enum wt_status (*read_file)(void *context, uint32_t warp, uint64_t offset, void *out,
                                size_t size, struct wt_error *err);
    /** Where a constant bank of the launch is in memory, and how many bytes it has; 0: none. */
    enum wt_status (*bank)(void *context, unsigned bank, uint64_t *addr, uint32_t *size,
                           struct wt_error *err);
    /** Where a lane's local memory begins in memory, and how many bytes it has. */
    enum wt_status (*local)(void *context, uint32_t warp, unsigned lane, uint64_t *addr,
                            uint32_t *size, struct wt_error *err);
    /** The mistake of a warp, or its own trap, becomes of the kernel what it would without a
     * debugger: its end. NULL: the warp goes on. */
    enum wt_status (*fail)(void *context, uint32_t warp, struct wt_error *err);
};

/** The structure that `link` of a target points to, for this probe. It must outlive the probe. */
struct wt_sm_link {
    struct wt_link common; /**< first: its context is that of the operations below, too */
    const struct wt_sm_link_ops *ops;
    unsigned gpus;       /**< 1 to 16 */
    const unsigned *sms; /**< of each GPU, 1 to 16; warps are numbered through */
    bool has_handler;    /**< a trap handler is installed; else the trap unit pauses warps itself */
    uint64_t shared_window, local_window; /**< generic addresses of these memories */
};

extern const struct wt_probe_ops wt_probe_sm;

#endif
