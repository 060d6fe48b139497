/*
 * The kernel driver's debug-trap operations (linux 6.5, kfd_debug.c) on an emulated device, as
 * plain functions without the ioctl's ABI: a session of a standalone kernel and a driver of a host
 * process offer them. The state is the device's, saved and restored with it.
 *
 * While they are enabled, traps and exceptions of waves go to the debugger: the first-level and
 * second-level trap handlers are a part of the emulated driver then, and issue no instructions.
 * They leave a wave as the real ones do: halted (STATUS.HALT), with the reason in TTMP0, TTMP1 and
 * TTMP6. A debugger reads and changes a wave in the save area, while its queue is suspended.
 *
 * Functions return 0 (or a count) or a negative errno, as the ioctl does.
 */
#ifndef WT_EMULATOR_GCN_KFD_H
#define WT_EMULATOR_GCN_KFD_H

#include "emulator/gcn/gcn.h"
#include "object/kfd_debug.h"

/** Save areas of a device that is in no host process: of queue n (in the order of creation) at
 * GCN_KFD_AREA + n * GCN_KFD_AREA_STEP. wt_machine's read_memory and write_memory reach them, waves
 * do not. */
#define GCN_KFD_AREA UINT64_C(0x700000000000)
#define GCN_KFD_AREA_STEP UINT64_C(0x10000000)

/* ---- for the driver: its queues, exceptions that waves do not raise ---- */

/** Bytes of save area that a queue may need: that of all waves that the device has room for. */
uint32_t gcn_kfd_area_size(const struct gcn_device *device);

/**
 * Adds a queue that was created; its waves are those of dispatches whose gcn_origin.queue is its
 * queue_id. Raises QUEUE_NEW. ctx_save_restore_address and its size are filled in for a device that
 * is in no host process; in one they are the host's. -ENOSPC: there are KFD_DEBUG_QUEUES, or the id
 * is in use.
 */
int gcn_kfd_add_queue(struct gcn_device *device, const struct kfd_queue_entry *queue);
/** Removes a queue that was destroyed; unknown ids are ignored. */
void gcn_kfd_remove_queue(struct gcn_device *device, uint32_t queue_id);
/** Whether a queue is suspended, so that the packet processor must leave it alone. */
bool gcn_kfd_suspended(const struct gcn_device *device, uint32_t queue_id);
/** Whether any queue is. */
bool gcn_kfd_any_suspended(const struct gcn_device *device);
/** Raises an exception of a queue or (KFD_DEVICE_EXCEPTIONS) of the device. */
void gcn_kfd_raise(struct gcn_device *device, uint32_t queue_id, enum kfd_exception code);

/* ---- the operations ---- */

/** Whether the operations are enabled: a debugger is there. */
bool gcn_kfd_is_enabled(const struct gcn_device *device);
/** KFD_DEBUG_ENABLE, with arg[0] the exceptions that are reported. -EALREADY if it is enabled. */
int gcn_kfd_enable(struct gcn_device *device, uint64_t exceptions);
/**
 * KFD_DEBUG_DISABLE: the debugger is gone. Suspended queues are resumed, launches are normal,
 * watches free, waves that the debugger has stopped go on. -EINVAL if it is not enabled; the same
 * holds for all operations below.
 */
int gcn_kfd_disable(struct gcn_device *device);
/**
 * A debugger's last step on hardware before it leaves: resumes all queues, and sets each wave whose
 * trap has not been taken in (TrapID is in TTMP6), or that stands behind a memory violation or at
 * an illegal instruction, back to that instruction. The next operation is gcn_kfd_disable().
 */
void gcn_kfd_step_back(struct gcn_device *device);
/** KFD_DEBUG_SET_EXCEPTIONS_ENABLED: arg[0] the exceptions that are reported. */
int gcn_kfd_set_exceptions(struct gcn_device *device, uint64_t exceptions);
/** As an input of a recording: a wave, by its slot (uint32_t), stops for the debugger where it is,
 * if it runs. */
uint32_t gcn_kfd_hold_wave(struct wt_machine *machine, const void *bytes, size_t size);
/** KFD_DEBUG_SET_WAVE_LAUNCH_MODE: arg[0], enum kfd_launch_mode; -EINVAL for another one. */
int gcn_kfd_set_launch_mode(struct gcn_device *device, uint32_t mode);
/**
 * KFD_DEBUG_SUSPEND_QUEUES: writes the waves of @p count queues to their save areas; no wave of
 * them issues, none starts. Exceptions in @p clear (arg[0]) are cleared in their status. Returns
 * how many are suspended; in the ids of others KFD_QUEUE_INVALID (there is no such queue) or
 * KFD_QUEUE_ERROR is set. Suspending a suspended queue counts and does nothing.
 */
int gcn_kfd_suspend(struct gcn_device *device, uint32_t *queue, uint32_t count, uint64_t clear);
/**
 * KFD_DEBUG_RESUME_QUEUES: the waves go on with the registers and LDS of the save areas. Results
 * and marks of failed ids are as those of gcn_kfd_suspend.
 */
int gcn_kfd_resume(struct gcn_device *device, uint32_t *queue, uint32_t count);
/**
 * KFD_DEBUG_SET_FLAGS: *flags becomes the flags from before. -EINVAL for an unknown flag. The only
 * one is SINGLE_MEM_OP (1), which changes nothing: every access is complete when it issues.
 */
int gcn_kfd_set_flags(struct gcn_device *device, uint32_t *flags);
/**
 * KFD_DEBUG_QUERY_EVENT: finds a queue, or the device, that has an enabled exception; -EAGAIN if
 * there is none. *queue_id (arg[1]) becomes its id, 0 for the device; *exceptions (arg[0]), given
 * as those to clear, becomes those it had, cleared ones included.
 */
int gcn_kfd_query_event(struct gcn_device *device, uint64_t *exceptions, uint32_t *queue_id);
/** Whether gcn_kfd_query_event would find something; changes nothing. */
bool gcn_kfd_has_event(const struct gcn_device *device);
/**
 * KFD_DEBUG_GET_QUEUE_SNAPSHOT: fills in the first @p room queues and clears @p clear in their
 * status. Returns the number of queues.
 */
int gcn_kfd_queue_snapshot(struct gcn_device *device, uint64_t clear, struct kfd_queue_entry *list,
                           uint32_t room);
/**
 * KFD_DEBUG_GET_DEVICE_SNAPSHOT: fills in all but the gpu_id, which the driver gives, and clears @p
 * clear in the device's status.
 */
int gcn_kfd_device_snapshot(struct gcn_device *device, uint64_t clear,
                            struct kfd_device_entry *entry);

/**
 * Does the operation of @p call and sets its result: any operation without arrays other than queue
 * ids. -ENOSYS for others.
 */
void gcn_kfd_call(struct gcn_device *device, struct kfd_debug_call *call);
/** A machine's operation on bytes, as wt_timeline_input records it; returns its result. */
typedef uint32_t gcn_kfd_operation(struct wt_machine *machine, const void *bytes, size_t size);
/**
 * gcn_kfd_call() as such an operation: of a call up to its last queue id. Bytes of another form do
 * nothing.
 */
gcn_kfd_operation gcn_kfd_do_call;
/**
 * A write to the save area of a queue, wherever that lies: of a struct gcn_kfd_area_write and the
 * bytes. 1; 0: there is no such memory.
 */
gcn_kfd_operation gcn_kfd_write_area;
struct gcn_kfd_area_write {
    uint32_t queue; /**< its place among the device's queues */
    uint32_t offset;
};
/** Both, in the order of core files; NULL ends the list. */
extern gcn_kfd_operation *const gcn_kfd_operations[];
/** The place of a queue whose save area holds @p addr, and the offset there; false: none does. */
bool gcn_kfd_find_area(const struct gcn_device *device, uint64_t addr,
                       struct gcn_kfd_area_write *where);
/** The last call of gcn_kfd_call with its answer. It is no part of the device's state. */
const struct kfd_debug_call *gcn_kfd_answer(const struct gcn_device *device);

#endif
