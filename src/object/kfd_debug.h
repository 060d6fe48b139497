/*
 * The kernel driver's debug interface for AMD GPUs (linux 6.5, `linux/kfd_ioctl.h`,
 * AMDKFD_IOC_DBG_TRAP): its numbers, the records that it hands out, and the save area to which
 * waves are written while their queue is suspended (gfx9). The driver and the
 * debugger share these.
 */
#ifndef WT_OBJECT_KFD_DEBUG_H
#define WT_OBJECT_KFD_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

/** kfd_dbg_trap_operations. */
enum kfd_debug_op {
    KFD_DEBUG_ENABLE,
    KFD_DEBUG_DISABLE,
    KFD_DEBUG_SEND_RUNTIME_EVENT,
    KFD_DEBUG_SET_EXCEPTIONS_ENABLED,
    KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE,
    KFD_DEBUG_SET_WAVE_LAUNCH_MODE,
    KFD_DEBUG_SUSPEND_QUEUES,
    KFD_DEBUG_RESUME_QUEUES,
    KFD_DEBUG_SET_NODE_ADDRESS_WATCH,
    KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH,
    KFD_DEBUG_SET_FLAGS,
    KFD_DEBUG_QUERY_EVENT,
    KFD_DEBUG_QUERY_EXCEPTION_INFO,
    KFD_DEBUG_GET_QUEUE_SNAPSHOT,
    KFD_DEBUG_GET_DEVICE_SNAPSHOT,
};

/** kfd_dbg_trap_exception_code. */
enum kfd_exception {
    KFD_EC_QUEUE_WAVE_ABORT = 1,
    KFD_EC_QUEUE_WAVE_TRAP = 2,
    KFD_EC_QUEUE_WAVE_MATH_ERROR = 3,
    KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION = 4,
    KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION = 5,
    KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION = 6,
    KFD_EC_QUEUE_PACKET_DISPATCH_DIM_INVALID = 16,
    KFD_EC_QUEUE_PREEMPTION_ERROR = 30,
    KFD_EC_QUEUE_NEW = 31,
    KFD_EC_DEVICE_QUEUE_DELETE = 32,
    KFD_EC_DEVICE_MEMORY_VIOLATION = 33,
    KFD_EC_DEVICE_NEW = 36,
    KFD_EC_PROCESS_RUNTIME = 48,
};

/** An exception as a bit of a mask (KFD_EC_MASK). */
static inline uint64_t kfd_exception_bit(enum kfd_exception code)
{
    return (uint64_t)1 << (code - 1);
}

/** Those that belong to a queue, and those that belong to a device. */
#define KFD_QUEUE_EXCEPTIONS (((uint64_t)1 << 31) - 1)
#define KFD_DEVICE_EXCEPTIONS ((((uint64_t)1 << 47) - 1) & ~KFD_QUEUE_EXCEPTIONS)

enum kfd_launch_mode { KFD_LAUNCH_NORMAL = 0, KFD_LAUNCH_HALT = 1, KFD_LAUNCH_DEBUG = 3 };

/** Set in a queue's id where suspending or resuming it failed. */
#define KFD_QUEUE_ERROR (1u << 30)
#define KFD_QUEUE_INVALID (1u << 31)

/** kfd_queue_snapshot_entry: 64 bytes. */
struct kfd_queue_entry {
    uint64_t exception_status;
    uint64_t ring_base_address;
    uint64_t write_pointer_address;
    uint64_t read_pointer_address; /**< in an amd_queue_t, which begins 128 bytes before */
    uint64_t ctx_save_restore_address;
    uint32_t queue_id;
    uint32_t gpu_id;
    uint32_t ring_size;
    uint32_t queue_type;
    uint32_t ctx_save_restore_area_size;
    uint32_t reserved;
};
_Static_assert(sizeof(struct kfd_queue_entry) == 64, "as the kernel has it");

/** kfd_dbg_device_info_entry: 120 bytes of it are used. */
struct kfd_device_entry {
    uint64_t exception_status;
    uint64_t lds_base, lds_limit; /**< the first address and the last one */
    uint64_t scratch_base, scratch_limit;
    uint64_t gpuvm_base, gpuvm_limit;
    uint32_t gpu_id, location_id, vendor_id, device_id, revision_id;
    uint32_t subsystem_vendor_id, subsystem_device_id;
    uint32_t fw_version;
    uint32_t gfx_target_version; /**< 90000 */
    uint32_t simd_count, max_waves_per_simd, array_count, simd_arrays_per_engine, num_xcc;
    uint32_t capability, debug_prop;
};
_Static_assert(sizeof(struct kfd_device_entry) == 120, "as the kernel has it");

/** kfd_context_save_area_header: the save area begins with it. Offsets are from its start. */
struct kfd_save_header {
    uint32_t control_stack_offset, control_stack_size;
    uint32_t wave_state_offset, wave_state_size;
    uint32_t debug_offset, debug_size;
    uint64_t err_payload_addr;
    uint32_t err_event_id;
    uint32_t reserved;
};

/*
 * The control stack: two dwords that are a packet's header, then a dword for each change of the
 * shape of waves (KFD_RELAUNCH_STATE) and for each wave, whose records follow each other downwards
 * from the end of the wave state, with KFD_RECORD_GAP bytes between two of them.
 */
#define KFD_CONTROL_HEADER 8
/** VGPRs/4 - 1 [5:0], SGPRs/16 [8:6], LDS/512 [17:9]. Of unified files: (VGPRs and accumulation
 * registers)/8 - 1 [5:0], LDS/512 [16:9], VGPRs/4 - 1 [29:24]. Of gfx10: VGPRs/8 - 1 of waves of 32
 * lanes, VGPRs/4 - 1 of others [5:0], LDS/512 [17:10], KFD_RELAUNCH_WAVE32; then a second dword. */
#define KFD_RELAUNCH_STATE (1u << 31)
#define KFD_RELAUNCH_EVENT (1u << 30)
/** First wave of its work-group: its record holds the LDS. */
#define KFD_RELAUNCH_FIRST (1u << 17)
#define KFD_RELAUNCH_LAST (1u << 16)
/** On gfx10, and that waves have 32 lanes (ROCdbgapi, architecture.cpp). */
#define KFD_RELAUNCH_FIRST_GFX10 (1u << 12)
#define KFD_RELAUNCH_LAST_GFX10 (1u << 29)
#define KFD_RELAUNCH_WAVE32 (1u << 24)
#define KFD_RECORD_GAP 64

/*
 * A wave's record, upwards: VGPRs, then as many accumulation registers of a GPU that has them (256
 * bytes each), SGPRs (the last six are FLAT_SCRATCH, XNACK_MASK and VCC), 16 dwords of hardware
 * registers, TTMP0 to 15, LDS of a first wave. Of gfx10 a VGPR has 4 bytes for each lane, and there
 * are 128 dwords of SGPRs: s0 to s105, VCC, and 20 that are not used.
 */
#define KFD_RECORD_VGPR 256u  /**< at most */
#define KFD_RECORD_SPECIAL 6u /**< SGPRs at the end that have names of their own */
#define KFD_LDS_UNIT 512u
#define KFD_MOST_SGPRS 112u
#define KFD_GFX10_SGPRS 128u
#define KFD_GFX10_VCC 106u
enum kfd_record_hwreg {
    KFD_HW_M0,
    KFD_HW_PC_LO,
    KFD_HW_PC_HI,
    KFD_HW_EXEC_LO,
    KFD_HW_EXEC_HI,
    KFD_HW_STATUS,
    KFD_HW_TRAPSTS,
    KFD_HW_XNACK_LO,
    KFD_HW_XNACK_HI,
    KFD_HW_MODE,
    KFD_HW_GFX10_MODE = KFD_HW_XNACK_HI, /**< gfx10 has one dword of XNACK_MASK */
    KFD_HW_GFX10_FLAT_LO,                /**< FLAT_SCRATCH, which is no SGPR there */
    KFD_HW_GFX10_FLAT_HI,
    KFD_HW_SLOT, /**< 1 + the wave's slot in the chip: an addition of the emulated driver's, as are
                      the next four; 0 on hardware, whose handler leaves these dwords alone */
    KFD_HW_LAUNCH_LO, /**< number of the wave's launch in its process, from 1 */
    KFD_HW_LAUNCH_HI,
    KFD_HW_WAVE_LO, /**< the wave's id, which no other wave of the process has or had */
    KFD_HW_WAVE_HI,
    KFD_HW_COUNT = 16,
};
#define KFD_RECORD_REGISTERS 128u /**< bytes of the hardware registers and the TTMPs */

/* The contents of TTMPs that the trap handlers leave (the kernel's and the runtime's; ROCdbgapi
 * reads them). */
/** Number of the wave's packet in its ring. */
#define KFD_TTMP6_PACKET 0x1ffffffu
/** The trap that stopped the wave: 4 bits. */
#define KFD_TTMP6_TRAP_SHIFT 25
/** STATUS.HALT from before. */
#define KFD_TTMP6_SAVED_HALT (1u << 29)
/** The wave is stopped for the debugger. */
#define KFD_TTMP6_STOPPED (1u << 30)
#define KFD_TTMP11_WAVE_IN_GROUP 0x3fu
#define KFD_TTMP11_PACKET_SHIFT 6 /**< where it has what others have in TTMP6 */
#define KFD_TTMP1_TRAP_SHIFT 16
#define KFD_TTMP1_HOST_TRAP (1u << 24)
#define KFD_TTMP1_REWIND_SHIFT 25 /**< PCRewind, 4 bits: dwords behind what raised an exception */

/** Queues and GPUs of a process, at most. */
#define KFD_DEBUG_QUEUES 128
#define KFD_DEBUG_DEVICES 16

/** One operation with its arguments; which of them it has is said with the functions. */
struct kfd_debug_call {
    uint32_t op;    /**< enum kfd_debug_op */
    int32_t result; /**< 0 or more; or an errno, negative */
    uint64_t arg[4];
    uint32_t device; /**< device of operations on one GPU (NODE): which of the process, from 0 */
    uint32_t queue_count;
    uint32_t queue[KFD_DEBUG_QUEUES];
};

#endif
