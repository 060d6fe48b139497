/*
 * The debug hardware of AMD's GPUs for drivers and tools: the registers on the register bus, and
 * the kernel driver's debug interface on top of them (wave control, address watch, launch modes). A
 * debugger of real hardware has the same registers at the same places.
 *
 * Sources: linux `asic_reg/gc/gc_9_0_offset.h` and `gc_9_0_sh_mask.h` (places and fields), of gfx10
 * `gc_10_3_0_offset.h` and `gc_10_3_0_sh_mask.h` with the bases of `sienna_cichlid_ip_offset.h`,
 * `amdkfd/kfd_dbgdev.c` of linux 4.20 (wave control, address watch), `amdgpu_amdkfd_gfx_v9.c`
 * (sequences of gfx9).
 */
#ifndef WT_EMULATOR_GCN_DEBUG_H
#define WT_EMULATOR_GCN_DEBUG_H

#include "emulator/gcn/bus.h"
#include "emulator/gcn/gcn.h"

/* ---- registers ---- */

/** Those of a model. */
const struct wt_hw_table *gcn_register_table_of(const struct gcn_model *model);
/** Word address of the first of SQ_SHADER_TBA_LO, TBA_HI, TMA_LO and TMA_HI. */
uint32_t gcn_handler_registers(const struct gcn_device *device);

/**
 * Reads the register at word address @p addr; 0 where there is none. Not while the device runs.
 * Reading SQ_IND_DATA changes SQ_IND_INDEX where AUTO_INCR is set.
 */
uint32_t gcn_debug_read(struct gcn_device *device, uint32_t addr);
/**
 * Writes the register at word address @p addr; a write where there is none is dropped. Not while
 * the device runs. It may halt, resume, end or start waves, and so call the device's host (host.h).
 */
void gcn_debug_write(struct gcn_device *device, uint32_t addr, uint32_t value);

/* ---- places ---- */

/** Where a wave is in the chip, as HW_ID, GRBM_GFX_INDEX and the driver's wave message have it. */
struct gcn_location {
    uint32_t se, sh, cu; /**< compute unit within its shader array */
    uint32_t simd, wave;
};

/** The location of a wave slot; @p wave is below the machine's number of waves. */
struct gcn_location gcn_wave_location(const struct gcn_device *device, uint32_t wave);
/** The wave slot at a location; UINT32_MAX if there is no such place in the chip. */
uint32_t gcn_wave_at(const struct gcn_device *device, const struct gcn_location *location);

/* ---- traps in words ---- */

/** Registers that tell of a trap. */
enum gcn_trap_register {
    GCN_TRAP_TTMP0,
    GCN_TRAP_TTMP1,
    GCN_TRAP_TRAPSTS,
    GCN_TRAP_MODE,
    GCN_TRAP_STATUS,
    GCN_TRAP_HW_ID,  /**< before gfx10 */
    GCN_TRAP_HW_ID1, /**< from gfx10 on */
    GCN_TRAP_HW_ID2, /**< likewise */
    GCN_TRAP_REGISTERS,
};

/** Their names: "TTMP0", by enum gcn_trap_register. */
extern const char *const gcn_trap_register_names[GCN_TRAP_REGISTERS];

struct gcn_trap_registers {
    uint32_t value[GCN_TRAP_REGISTERS];
    uint32_t given; /**< which of them are known, as a bit set */
    bool gfx10;     /**< TRAPSTS is that of gfx10; so it is where HW_ID1 or HW_ID2 is given */
};

/**
 * Fills in the registers of an active wave; TTMP0 and TTMP1 are given only where it has a trap
 * handler. False if there is no such wave.
 */
bool gcn_wave_trap_registers(struct gcn_device *device, uint32_t wave,
                             struct gcn_trap_registers *registers);
/** Prints what the given registers say of a trap, in lines. */
void gcn_explain_trap(FILE *out, const struct gcn_trap_registers *registers);
/**
 * Explains the exception @p fault in lines of text: its name, lane, instruction and operands.
 * Prints nothing if @p fault is no exception. @p taken: a trap handler has taken it.
 */
void gcn_explain_exception(FILE *out, struct gcn_device *device, const struct wt_fault *fault,
                           bool taken);
/** The name of an exception by its bit in MODE.EXCP_EN, from 0: "invalid"; NULL beyond the 9. */
const char *gcn_exception_name(unsigned bit);

/**
 * A notice for the user, or NULL: trap number 0, which is the hardware's own, was used by s_trap or
 * by the host. It is returned once; the text is valid until the device is freed.
 */
const char *gcn_device_take_notice(struct gcn_device *device);

/* ---- interrupts ---- */

enum gcn_interrupt_encoding { GCN_INTERRUPT_AUTO, GCN_INTERRUPT_INST, GCN_INTERRUPT_ERROR };

/** An interrupt that the SQ sends to the host about a wave (SQ_INTERRUPT_WORD_WAVE). */
struct gcn_interrupt {
    uint64_t time;        /**< issue time */
    uint32_t wave;        /**< its slot */
    uint32_t context0;    /**< SQ_INTERRUPT_WORD_WAVE of the model's table */
    uint32_t context1;    /**< SQ_INTERRUPT_WORD_WAVE_1 likewise */
    uint32_t vmid, queue; /**< the wave's */
};

/** Interrupts that a device keeps: the newest ones. */
#define GCN_INTERRUPTS 64

/** The @p n th of the kept interrupts, 0 being the oldest; false if there are fewer. */
bool gcn_debug_interrupt(const struct gcn_device *device, unsigned n,
                         struct gcn_interrupt *interrupt);
/** The number of interrupts since the reset. */
uint64_t gcn_debug_interrupt_count(const struct gcn_device *device);

/* ---- what the driver does (amdkfd) ---- */

/** The VMID of the first compute process; amdkfd has 8 to 15. */
#define GCN_KFD_VMID 8

enum gcn_wave_op {
    GCN_WAVEOP_HALT = 1,
    GCN_WAVEOP_RESUME,
    GCN_WAVEOP_KILL,
    GCN_WAVEOP_DEBUG,
    GCN_WAVEOP_TRAP,
};

/** Value 1, all waves of all processes, is not for user mode: EINVAL. */
enum gcn_wave_mode {
    GCN_WAVEMODE_SINGLE = 0,
    GCN_WAVEMODE_BROADCAST_PROCESS = 2,
    GCN_WAVEMODE_BROADCAST_PROCESS_CU = 3,
};

/** AMDKFD_IOC_DBG_WAVE_CONTROL's request. */
struct gcn_wave_control {
    uint32_t op;      /**< enum gcn_wave_op */
    uint32_t mode;    /**< enum gcn_wave_mode */
    uint32_t trap_id; /**< trap id of GCN_WAVEOP_TRAP, below 8 */
    uint32_t message; /**< HsaDbgWaveMsgAMDGen2: WAVE_MESSAGE in gcn_register_table */
};

/** Bits of the message that are reserved: the driver ignores them, a log may say so. */
#define GCN_WAVE_MESSAGE_RESERVED 0xf0003c00u

/**
 * Wave control as linux 4.20 does it (dbgdev_wave_control_nodiq): writes GRBM_GFX_INDEX and SQ_CMD,
 * then makes GRBM_GFX_INDEX broadcast again. Returns 0, or -EINVAL for an unknown operation, mode
 * or trap number, or if the chip has no debug hardware (debug=none). Addressing a place without a
 * wave is no error. CHECK_VMID is set in each mode, so that only waves of the process are reached;
 * linux leaves it out of BROADCAST_PROCESS, against the mode's meaning.
 */
int gcn_driver_wave_control(struct gcn_device *device, unsigned vmid,
                            const struct gcn_wave_control *control);

/** AMDKFD_IOC_DBG_ADDRESS_WATCH's request: @p count elements each; mask NULL: none are given. */
struct gcn_watch_request {
    uint32_t count;
    const uint32_t *mode; /**< enum gcn_watch_mode */
    const uint64_t *addr;
    const uint64_t *mask; /**< `mask & 0xffffff` goes into the register: bit 0 is address bit 6, on
                              gfx10 without effect */
};

enum gcn_watch_mode { GCN_WATCH_READ, GCN_WATCH_NONREAD, GCN_WATCH_ATOMIC, GCN_WATCH_ALL };

/**
 * Address watch as linux 4.20 does it on gfx7 and gfx8 (dbgdev_address_watch_nodiq): watches 0 to
 * count - 1 are set; the others stay. Returns 0, or -EINVAL for a count of 0 or above 4, a missing
 * array, or a chip without debug hardware.
 */
int gcn_driver_address_watch(struct gcn_device *device, unsigned vmid,
                             const struct gcn_watch_request *request);

/**
 * Sets one watch as linux 6.5 does (KFD_IOC_DBG_TRAP_SET_NODE_ADDRESS_WATCH): the first that is
 * free, whose number *id becomes. @p mask has the address bits that count, of which 29:6 are used.
 * Returns 0, -ENOMEM if none is free, -EINVAL for an unknown mode or a chip without debug hardware.
 */
int gcn_driver_set_watch(struct gcn_device *device, unsigned vmid, uint64_t addr, uint32_t mask,
                         uint32_t mode, uint32_t *id);
/** Frees watch @p id; -EINVAL if this VMID has not set it. */
int gcn_driver_clear_watch(struct gcn_device *device, unsigned vmid, uint32_t id);

/**
 * Sets how waves of a VMID start (KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_MODE): 0 normally, 1 halted, 3
 * with MODE.DEBUG_EN. SPI_GDBG_WAVE_CNTL2 has one mode, of 2 bits, for a set of VMIDs. Returns 0,
 * or -EINVAL for another mode (linux takes 0, 1 and 3) or a chip without debug hardware.
 */
int gcn_driver_launch_mode(struct gcn_device *device, unsigned vmid, uint32_t mode);

/**
 * Sets the exceptions that new waves enable (KFD_IOC_DBG_TRAP_SET_WAVE_LAUNCH_OVERRIDE): @p mask in
 * the order of MODE[20:12], instead of those of the kernel descriptor (replace) or beside them.
 * Only the bits of @p request are changed; *previous becomes the mask as it was. Returns 0, or
 * -EINVAL for a bit beyond the 9 or a chip without debug hardware.
 */
int gcn_driver_launch_override(struct gcn_device *device, bool replace, uint32_t mask,
                               uint32_t request, uint32_t *previous);

/**
 * Undoes what the debugger of a VMID, which is gone, has set: its watches are off, waves start
 * normally with their own exceptions, and no wave of it has MODE.DEBUG_EN. Waves that are halted
 * stay halted.
 */
void gcn_driver_debugger_gone(struct gcn_device *device, unsigned vmid);

#endif
