/*
 * An emulated AMD GPU: compute units that run wavefronts of 64 lanes. This header is
 * all that the world outside emulator/gcn needs.
 */
#ifndef WT_EMULATOR_GCN_GCN_H
#define WT_EMULATOR_GCN_GCN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"
#include "emulator/gcn/models.h"
#include "emulator/machine/config.h"
#include "emulator/machine/near.h"
#include "emulator/machine/schedule.h"
#include "base/error.h"

/** Initializes a struct wt_profile_shape with the units of its memory ("Vega" ISA: LDS). */
#define GCN_PROFILE                                                                                \
    {                                                                                              \
        .line = 64, .banks = 32, .together = 32                                                    \
    }

struct gcn_device;
struct wt_archive;
struct wt_machine;
struct wt_rows_totals;

/** A device's configuration. */
struct gcn_config {
    WT_CONFIG_HEAD;
    const struct gcn_model *model; /**< never NULL */
    unsigned cu;                   /**< compute units, 1..64; at most 16 a shader array */
    unsigned xcc; /**< dies that share the compute units and the work-groups, 1..8 */
    unsigned se;  /**< shader engines, 1..8; 0: as many as the compute units need */
    unsigned sh;  /**< shader arrays of an engine, 1..2 */
    bool debug;   /**< it has wave control and address watch */
    /** Instructions that a wave goes on for before a violation of memory is told, 0..1000. */
    unsigned imprecise;
    unsigned jit;      /**< visits of an instruction after which it is translated; 0: never */
    bool atomics_pcie; /**< drops atomics that do not come to the host's memory: vmem.h */
    bool vectors_256;  /**< translated code has no vectors of 512 bits where the host has some */
};

/** Fills in the default of a struct gcn_config: 4 compute units, round robin. */
void gcn_config_default(void *config);
/** Gives a configuration its model; a small one has fewer compute units than the default is. */
void gcn_config_choose(struct gcn_config *config, const struct gcn_model *model);
/** Its keys, behind "gcn:" in --gpu. */
extern const struct wt_config gcn_config_table;

/** The number of shader engines of the device: `se`, or as many as the compute units need. */
unsigned gcn_config_engines(const struct gcn_config *config);
/** Whether the compute units fit the shader arrays. */
bool gcn_config_fits(const struct gcn_config *config);

/** Makes a device without mapped memory. The caller frees it with gcn_device_free. */
enum wt_status gcn_device_new(const struct gcn_config *config, struct gcn_device **device,
                              struct wt_error *err);
/** Frees a device, its memory and its watches. NULL is allowed. */
void gcn_device_free(struct gcn_device *device);

/** The device as a machine (run, reset, hash, views); the same object. */
struct wt_machine *gcn_machine(struct gcn_device *device);
/** The instructions it has executed whose results may differ from hardware's. */
const struct wt_near *gcn_device_near(const struct gcn_device *device);

/* ---- memory: apertures and what is mapped (kernels may use nothing else) ---- */

#define GCN_SHARED_APERTURE ((uint64_t)1 << 48)
#define GCN_PRIVATE_APERTURE ((uint64_t)2 << 48)
#define GCN_APERTURE_SIZE ((uint64_t)1 << 32)
/** GDS has no flat addresses: for accesses from outside it begins here. */
#define GCN_REGION_APERTURE ((uint64_t)3 << 48)

/**
 * Maps [addr, addr + size), rounded to pages. Memory keeps its contents, which are zero at first.
 * WT_INVALID where a part is mapped already, or lies beyond 48 bits.
 */
enum wt_status gcn_device_map(struct gcn_device *device, uint64_t addr, uint64_t size,
                              bool writable, struct wt_error *err);
/** Unmaps and empties all memory and resets the device, for another program. */
void gcn_device_clear(struct gcn_device *device);
/** Reads memory as the host sees it, mapped or not; false where an address is 2^48 or more. */
bool gcn_device_read(struct gcn_device *device, uint64_t addr, void *out, size_t size);
/**
 * Writes memory as the host sees it, mapped or not; false where an address is 2^48 or more, or
 * without host memory. Decoded instructions there are forgotten.
 */
bool gcn_device_write(struct gcn_device *device, uint64_t addr, const void *bytes, size_t size);

/** gcn_device_write with a message: WT_NO_MEMORY says which limit was met. Zeros take no memory
 * where nothing was written yet. */
enum wt_status gcn_device_put(struct gcn_device *device, uint64_t addr, const void *bytes,
                              size_t size, struct wt_error *err);

/* ---- dispatch ---- */

/** Counts of what was translated to machine code of the host. */
struct wt_rows_totals gcn_device_translated(const struct gcn_device *device);

/** How many kernels can run at once. */
#define GCN_DISPATCHES 32

/**
 * Begins to run the kernel that the AQL dispatch packet at @p packet describes (HSA Platform System
 * Architecture Specification 1.2, section 2.9.6); scratch memory is described by the amd_queue_t
 * at @p queue (LLVM, "User Guide for AMDGPU Backend"). Packet, kernel descriptor and queue are read
 * from the device's memory. It runs beside those that have not ended, as far as compute units have
 * room; WT_STATE while there are GCN_DISPATCHES.
 */
enum wt_status gcn_device_dispatch(struct gcn_device *device, uint64_t packet, uint64_t queue,
                                   struct wt_error *err);

/** Bytes of scratch memory that waves of a kernel with so much private memory may take in all:
 * below 4 GiB; as many waves as have room in it run at once. */
uint64_t gcn_device_scratch_size(const struct gcn_device *device, uint32_t private_size);

/**
 * Fills in the scratch part of an amd_queue_t, of which 192 bytes are at @p queue: the arena of
 * @p size bytes at @p addr, for @p private_size bytes a work-item.
 */
void gcn_queue_set_scratch(uint8_t *queue, uint64_t addr, uint64_t size, uint32_t private_size);

/** Sets the trap handler of waves that start from now on (also from a saved context): its address,
 * and what it finds in TMA; 0: none. Both are multiples of 256, as the registers hold them. */
void gcn_device_set_trap_handler(struct gcn_device *device, uint64_t tba, uint64_t tma);

/* ---- traps from outside: what debug hardware and the driver's scheduler do ---- */

/**
 * Sets bits of a wave's TRAPSTS as hardware around it does (SAVECTX is 0x400, a watched address
 * 0x80). If they call for it, the wave enters the trap handler before its next instruction; a
 * halted one, too, and one that waits at a barrier, which it will come to again. False: no such
 * wave.
 */
bool gcn_wave_raise(struct gcn_device *device, uint32_t wave, uint32_t trapsts);

/** The host's trap: the same with a trap number, and the bit HT. False: no such wave, or no
 * handler, or the wave is in it. */
bool gcn_wave_trap(struct gcn_device *device, uint32_t wave, unsigned id);

/**
 * The last exception of a wave, for which it has entered the trap handler or has stopped for a
 * debugger; NULL: none is known. Valid until the wave's next one. The caller may fill in what is at
 * its address.
 */
struct wt_fault *gcn_wave_exception(struct gcn_device *device, uint32_t wave);
/**
 * The mistake for which a wave stands where it is: the machine's fault, or an exception with which
 * it has stopped for a debugger or has come out of its trap handler; NULL: none. Valid likewise.
 */
struct wt_fault *gcn_wave_fault(struct wt_machine *m, uint32_t wave);
/** The latest exception of any wave; NULL if there was none. Valid until the next one. */
const struct wt_fault *gcn_latest_exception(struct gcn_device *device);

/**
 * Asks all waves to save their context (TRAPSTS.SAVECTX) to [addr, addr + size); no work-group
 * starts until gcn_device_restore_context. The trap handler does the rest as the device runs, which
 * comes back with WT_RUN_EVENT once no wave is left.
 */
enum wt_status gcn_device_save_context(struct gcn_device *device, uint64_t addr, uint64_t size,
                                       struct wt_error *err);
/**
 * Whether the contexts of all waves are saved; *end becomes the end of the used part of the area.
 */
bool gcn_device_saved_context(const struct gcn_device *device, uint64_t *end);
/**
 * Finds the saved context of a wave that has ended: its address, and in *first whether it holds the
 * LDS of its group. False if there is no such wave.
 */
bool gcn_wave_saved(const struct gcn_device *device, uint32_t wave, uint64_t *addr, bool *first);
/**
 * Starts the saved waves again; the trap handler restores their contexts. WT_STATE where they are
 * not all saved.
 */
enum wt_status gcn_device_restore_context(struct gcn_device *device, struct wt_error *err);

/* ---- registers, for looking into a wave ---- */

/** Registers as wt_machine_ops.read_row numbers them: DWARF's numbers (LLVM, "User Guide for AMDGPU
 * Backend", register identifier) where there are some, others from 0x1000 on. */
enum gcn_register {
    GCN_REGISTER_PC = 16,   /**< 64 bits */
    GCN_REGISTER_EXEC = 17, /**< 64 bits */
    GCN_REGISTER_S0 = 32,   /**< s0-s63: 32 bits */
    GCN_REGISTER_STATUS = 128,
    GCN_REGISTER_VCC = 768,  /**< 64 bits */
    GCN_REGISTER_S64 = 1088, /**< s64-s101, from gfx10 on s105 */
    GCN_REGISTER_V0 = 2560,  /**< v0-v255: 32 bits a lane */
    GCN_REGISTER_A0 = 3072,  /**< a0-a255: likewise, if the model has them */
    GCN_REGISTER_MODE = 0x1000,
    GCN_REGISTER_TRAPSTS,
    GCN_REGISTER_M0,
    GCN_REGISTER_FLAT_SCRATCH,   /**< 64 bits */
    GCN_REGISTER_XNACK_MASK,     /**< 64 bits */
    GCN_REGISTER_RA,             /**< s[30:31], 64 bits: by the calling convention */
    GCN_REGISTER_SP,             /**< s32 */
    GCN_REGISTER_FP,             /**< s33 */
    GCN_REGISTER_FRAME_LANES,    /**< lanes whose bytes s32 and s33 count, where that varies */
    GCN_REGISTER_TTMP0 = 0x1010, /**< ttmp0-ttmp15, whether the wave may read them or not */
};

/** Scalar register by operand number, 0..127: SGPRs, FLAT_SCRATCH, VCC (106), M0, EXEC (126). */
bool gcn_wave_scalar(struct gcn_device *device, uint32_t wave, unsigned number, uint32_t *value);
/**
 * Reads a hardware register of an active wave by the id that s_getreg uses (MODE is 1, STATUS 2);
 * false if there is none.
 */
bool gcn_wave_hwreg(struct gcn_device *device, uint32_t wave, unsigned id, uint32_t *value);

/** Describes such an access: the lane, the byte (PRIu64), how many there are. */
#define GCN_PRIVATE_TEXT "private memory of lane %u, byte %" PRIu64 " of %u"
/**
 * Whether a fault (WT_FAULT_ACCESS, now) is an access to private memory that has left it: the first
 * of its lanes, the byte of that lane's private memory, and how many it has.
 */
bool gcn_explain_private_fault(struct gcn_device *device, const struct wt_fault *fault,
                               unsigned *lane, uint64_t *byte, uint32_t *size);

struct gcn_disassembler;

/**
 * Makes a disassembler of a model's code for waves of @p lanes, 64 or, where the model has them,
 * 32; NULL without host memory. Without LLVM it knows mnemonics only. The caller frees it with
 * gcn_disassembler_free.
 */
struct gcn_disassembler *gcn_disassembler_new(const struct gcn_model *model, unsigned lanes);
/** The lanes of the waves that code is for: those of a kernel that runs, else the model's own. */
unsigned gcn_code_lanes(const struct gcn_device *device);
/** Frees a disassembler. NULL is allowed. */
void gcn_disassembler_free(struct gcn_disassembler *disassembler);

/**
 * Disassembles the instruction at @p bytes, of which @p available are there, as it would stand at
 * @p pc; returns its length in bytes, 4 to 20. Other words read ".long 0x…".
 */
unsigned gcn_disassemble(struct gcn_disassembler *disassembler, const uint8_t *bytes,
                         size_t available, uint64_t pc, char *text, size_t size);

#endif
