/*
 * The debug ioctls: address watch and wave control as linux 4.20 to 5.16 read their buffers, and
 * the debug-trap ioctl of linux 6.5 (kfd_chardev.c, kfd_debug.c), of which this process is its own
 * debugger.
 */
#include "runtime/kfd/kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/gcn/kfd.h"

/* ---- linux 4.20 ---- */

int kfd_wave_control(struct host *host, const struct kfd_ioctl_dbg_wave_control_args *args)
{
    /* operand, mode, trapId, message, reserved: 4 bytes each; MemoryVA: 8, ignored */
    enum { CONTENT = 28 };
    uint8_t content[CONTENT];
    struct host_gpu *gpu = kfd_gpu(host, args->gpu_id);
    if (!gpu || args->buf_size_in_bytes != sizeof *args + CONTENT || !args->content_ptr)
        return -EINVAL;
    if (!kfd_copy_in(content, args->content_ptr, CONTENT))
        return -EFAULT;
    const struct gcn_wave_control control = {.op = (uint32_t)wt_load_le(content, 4),
                                             .mode = (uint32_t)wt_load_le(content + 4, 4),
                                             .trap_id = (uint32_t)wt_load_le(content + 8, 4),
                                             .message = (uint32_t)wt_load_le(content + 12, 4)};
    return host_debug_wave_control(gpu, &control);
}

/*
 * A count, that many modes (4 bytes), addresses (8) and masks (8), or one mask that is 0. The
 * driver takes the first byte of the first mask for all of it, and compares its end with the size
 * less 8 instead of less 16: the second check is thereby 8 bytes more generous.
 */
int kfd_address_watch(struct host *host, const struct kfd_ioctl_dbg_address_watch_args *args)
{
    uint8_t content[MAX_ALLOWED_AW_BUFF_SIZE] = {0};
    uint32_t mode[MAX_ALLOWED_NUM_POINTS];
    uint64_t addr[MAX_ALLOWED_NUM_POINTS], mask[MAX_ALLOWED_NUM_POINTS];
    struct host_gpu *gpu = kfd_gpu(host, args->gpu_id);
    if (!gpu || args->buf_size_in_bytes > MAX_ALLOWED_AW_BUFF_SIZE ||
        args->buf_size_in_bytes <= sizeof *args + 2 * sizeof(int) || !args->content_ptr)
        return -EINVAL;
    const size_t size = args->buf_size_in_bytes - sizeof *args;
    if (!kfd_copy_in(content, args->content_ptr, size))
        return -EFAULT;
    const uint32_t count = (uint32_t)wt_load_le(content, 4);
    size_t at = 4;
    if (count > MAX_ALLOWED_NUM_POINTS || at + count * (size_t)12 >= size)
        return -EINVAL;
    for (uint32_t i = 0; i < count; i++, at += 4)
        mode[i] = (uint32_t)wt_load_le(content + at, 4);
    for (uint32_t i = 0; i < count; i++, at += 8)
        addr[i] = wt_load_le(content + at, 8);
    const bool masks = content[at] != 0;
    const size_t end = at + (masks ? count : 1) * (size_t)8;
    if (end >= args->buf_size_in_bytes - sizeof(void *))
        return -EINVAL;
    for (uint32_t i = 0; masks && i < count; i++, at += 8)
        mask[i] = at + 8 <= sizeof content ? wt_load_le(content + at, 8) : 0;
    const struct gcn_watch_request request = {
        .count = count, .mode = mode, .addr = addr, .mask = masks ? mask : NULL};
    return host_debug_address_watch(gpu, &request);
}

/* ---- linux 6.5 ---- */

static struct kfd_runtime runtime_of(const struct host *host)
{
    return (struct kfd_runtime){.r_debug = (uint64_t)(uintptr_t)host->debug,
                                .runtime_state = host->runtime_enabled,
                                .ttmp_setup = host->runtime_enabled};
}

int kfd_runtime_enable(struct host *host, struct kfd_runtime_enable_args *args)
{
    const bool enable = args->mode_mask & 1;
    if (enable && host->runtime_enabled)
        return -EBUSY;
    host->runtime_enabled = enable;
    host->debug = enable ? (const void *)(uintptr_t)args->r_debug : NULL;
    args->capabilities_mask = 0;
    return 0;
}

void kfd_tell_debugger(struct host_gpu *gpu)
{
    const bool event = gcn_kfd_is_enabled(gpu->device) && gcn_kfd_has_event(gpu->device);
    const int fd = gpu->host->debug_fd;
    if (event && !gpu->told_debugger && fd > 0)
        (void)!write(fd, ".", 1); /* a debugger that does not read is told no more */
    gpu->told_debugger = event;
}

static int enable(struct host *host, struct kfd_dbg_trap_args *args)
{
    const struct kfd_runtime info = runtime_of(host);
    const uint32_t room = args->enable.rinfo_size;
    if (host->debug_fd > 0)
        return -EALREADY;
    const int fd = fcntl((int)args->enable.dbg_fd, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return -EBADF;
    if (room &&
        !kfd_copy_out(args->enable.rinfo_ptr, &info, room < sizeof info ? room : sizeof info)) {
        close(fd);
        return -EFAULT;
    }
    args->enable.rinfo_size = sizeof info;
    host->debug_fd = fd;
    for (uint32_t i = 0; i < host->gpus; i++) {
        host_enter_to_change(&host->gpu[i], HOST_DEBUG_USED);
        gcn_kfd_enable(host->gpu[i].device, args->enable.exception_mask);
        host->gpu[i].told_debugger = false;
        kfd_tell_debugger(&host->gpu[i]);
        host_leave(&host->gpu[i]);
    }
    return 0;
}

/* Disables the interface, also when the device file is closed. */
static int disable(struct host *host)
{
    for (uint32_t i = 0; i < host->gpus; i++) {
        host_enter_to_change(&host->gpu[i], HOST_DEBUG_USED);
        gcn_kfd_disable(host->gpu[i].device);
        gcn_driver_debugger_gone(host->gpu[i].device, GCN_KFD_VMID);
        host_leave(&host->gpu[i]);
    }
    close(host->debug_fd);
    host->debug_fd = 0;
    return 0;
}

void host_debug_close(struct host *host)
{
    if (host->debug_fd > 0)
        disable(host);
}

/* An operation on each GPU; the first error is the answer. */
static int on_each(struct host *host, struct kfd_debug_call *call)
{
    int result = 0;
    const uint64_t value = call->arg[0];
    for (uint32_t i = 0; i < host->gpus && !result; i++) {
        host_enter_to_change(&host->gpu[i], HOST_DEBUG_USED);
        struct kfd_debug_call one = *call;
        one.arg[0] = value;
        gcn_kfd_call(host->gpu[i].device, &one);
        kfd_tell_debugger(&host->gpu[i]);
        host_leave(&host->gpu[i]);
        result = one.result;
        call->arg[0] = one.arg[0];
    }
    return result;
}

static int query_event(struct host *host, struct kfd_dbg_trap_args *args)
{
    for (uint32_t i = 0; i < host->gpus; i++) {
        struct host_gpu *gpu = &host->gpu[i];
        uint64_t exceptions = args->event.exception_mask;
        uint32_t queue = 0;
        host_enter(gpu);
        const int result = gcn_kfd_query_event(gpu->device, &exceptions, &queue);
        kfd_tell_debugger(gpu);
        host_leave(gpu);
        if (result)
            continue;
        args->event.exception_mask = exceptions;
        args->event.gpu_id = host_gpu_id(gpu);
        args->event.queue_id = queue;
        return 0;
    }
    return -EAGAIN;
}

/* Suspends or resumes queues, each on its own GPU. */
static int change_queues(struct host *host, uint64_t array, uint32_t count, uint64_t clear,
                         bool resume)
{
    uint32_t ids[KFD_DEBUG_QUEUES];
    int done = 0;
    if (count > KFD_DEBUG_QUEUES)
        return -EINVAL;
    if (count && !kfd_copy_in(ids, array, count * sizeof *ids))
        return -EFAULT;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t left = KFD_QUEUE_INVALID;
        for (uint32_t i = 0; i < host->gpus && left & KFD_QUEUE_INVALID; i++) {
            uint32_t one = ids[k];
            host_enter_to_change(&host->gpu[i], HOST_DEBUG_USED);
            const int result = resume ? gcn_kfd_resume(host->gpu[i].device, &one, 1)
                                      : gcn_kfd_suspend(host->gpu[i].device, &one, 1, clear);
            kfd_tell_debugger(&host->gpu[i]);
            host_leave(&host->gpu[i]);
            done += result > 0;
            left = one & (KFD_QUEUE_INVALID | KFD_QUEUE_ERROR);
        }
        ids[k] |= left;
    }
    if (count && !kfd_copy_out(array, ids, count * sizeof *ids))
        return -EFAULT;
    return done;
}

static int queue_snapshot(struct host *host, struct kfd_dbg_trap_args *args)
{
    const uint32_t room = args->snapshot.count, given = args->snapshot.entry_size;
    const uint32_t size =
        given < sizeof(struct kfd_queue_entry) ? given : sizeof(struct kfd_queue_entry);
    uint32_t total = 0;
    int result = 0;
    for (uint32_t i = 0; i < host->gpus && !result; i++) {
        struct kfd_queue_entry list[KFD_DEBUG_QUEUES];
        host_enter(&host->gpu[i]);
        const int count = gcn_kfd_queue_snapshot(
            host->gpu[i].device, args->snapshot.exception_mask, list,
            room > total ? room - total < KFD_DEBUG_QUEUES ? room - total : KFD_DEBUG_QUEUES : 0);
        host_leave(&host->gpu[i]);
        for (int k = 0; k < count; k++, total++)
            if (total < room &&
                !kfd_copy_out(args->snapshot.snapshot_buf_ptr + (uint64_t)total * given, &list[k],
                              size))
                result = -EFAULT;
    }
    args->snapshot.count = total;
    args->snapshot.entry_size = sizeof(struct kfd_queue_entry);
    return result;
}

static int device_snapshot(struct host *host, struct kfd_dbg_trap_args *args)
{
    const uint32_t room = args->snapshot.count, given = args->snapshot.entry_size;
    const uint32_t size =
        given < sizeof(struct kfd_device_entry) ? given : sizeof(struct kfd_device_entry);
    for (uint32_t i = 0; i < host->gpus && i < room; i++) {
        struct kfd_device_entry entry;
        host_enter(&host->gpu[i]);
        gcn_kfd_device_snapshot(host->gpu[i].device, args->snapshot.exception_mask, &entry);
        host_leave(&host->gpu[i]);
        entry.gpu_id = host_gpu_id(&host->gpu[i]);
        entry.location_id = (i + 1) << 8;
        if (!kfd_copy_out(args->snapshot.snapshot_buf_ptr + (uint64_t)i * given, &entry, size))
            return -EFAULT;
    }
    args->snapshot.count = host->gpus;
    args->snapshot.entry_size = sizeof(struct kfd_device_entry);
    return 0;
}

static int watch(struct host *host, struct kfd_dbg_trap_args *args, bool clear)
{
    struct host_gpu *gpu = kfd_gpu(host, clear ? args->clear_watch.gpu_id : args->set_watch.gpu_id);
    if (!gpu)
        return -ENODEV;
    host_enter_to_change(gpu, HOST_DEBUG_USED);
    const int result =
        clear
            ? gcn_driver_clear_watch(gpu->device, GCN_KFD_VMID, args->clear_watch.id)
            : gcn_driver_set_watch(gpu->device, GCN_KFD_VMID, args->set_watch.address,
                                   args->set_watch.mask, args->set_watch.mode, &args->set_watch.id);
    host_leave(gpu);
    return result;
}

static int launch_override(struct host *host, struct kfd_dbg_trap_args *args)
{
    const uint32_t mask = args->launch_override.enable_mask,
                   request = args->launch_override.support_request_mask;
    uint32_t previous = 0;
    int result = 0;
    if (args->launch_override.override_mode > 1)
        return -EINVAL;
    for (uint32_t i = 0; i < host->gpus && !result; i++) {
        host_enter_to_change(&host->gpu[i], HOST_DEBUG_USED);
        result = gcn_driver_launch_override(host->gpu[i].device,
                                            args->launch_override.override_mode == 1, mask, request,
                                            &previous);
        host_leave(&host->gpu[i]);
    }
    args->launch_override.enable_mask = previous;
    args->launch_override.support_request_mask = 0x1ff;
    return result;
}

static int exception_info(struct host *host, struct kfd_dbg_trap_args *args)
{
    const struct kfd_runtime info = runtime_of(host);
    const uint32_t room = args->exception_info.info_size;
    uint32_t size = 0;
    if (args->exception_info.exception_code == KFD_EC_PROCESS_RUNTIME) {
        size = room < sizeof info ? room : sizeof info;
        if (size && !kfd_copy_out(args->exception_info.info_ptr, &info, size))
            return -EFAULT;
        args->exception_info.info_size = sizeof info;
        return 0;
    }
    /* Others have no data of their own; they are there, or -ENODATA. */
    const uint64_t bit =
        args->exception_info.exception_code && args->exception_info.exception_code <= 64
            ? (uint64_t)1 << (args->exception_info.exception_code - 1)
            : 0;
    int result = bit ? -ENODATA : -EINVAL;
    for (uint32_t i = 0; i < host->gpus && bit; i++) {
        struct kfd_queue_entry list[KFD_DEBUG_QUEUES];
        struct kfd_device_entry entry;
        struct host_gpu *gpu = &host->gpu[i];
        host_enter(gpu);
        gcn_kfd_device_snapshot(gpu->device, 0, &entry);
        const int count = gcn_kfd_queue_snapshot(gpu->device, 0, list, KFD_DEBUG_QUEUES);
        host_leave(gpu);
        if (bit & KFD_DEVICE_EXCEPTIONS && host_gpu_id(gpu) == args->exception_info.source_id &&
            entry.exception_status & bit)
            result = 0;
        for (int k = 0; k < count; k++)
            if (list[k].queue_id == args->exception_info.source_id &&
                list[k].exception_status & bit)
                result = 0;
    }
    args->exception_info.info_size = 0;
    return result;
}

int kfd_debug_trap(struct host *host, struct kfd_dbg_trap_args *args)
{
    struct kfd_debug_call call = {.op = args->op};
    if (args->pid != (uint32_t)getpid()) /* other processes have their own driver */
        return -ESRCH;
    if (args->op == KFD_DEBUG_ENABLE)
        return enable(host, args);
    if (host->debug_fd <= 0)
        return -EINVAL;
    const bool needs_runtime =
        args->op >= KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE && args->op <= KFD_DEBUG_SET_FLAGS;
    if (needs_runtime && !host->runtime_enabled)
        return -EPERM;
    int result;
    switch ((enum kfd_debug_op)args->op) {
    case KFD_DEBUG_DISABLE:
        return disable(host);
    case KFD_DEBUG_SEND_RUNTIME_EVENT:
        for (unsigned i = 0; i < host->gpus; i++)
            if (args->event.exception_mask & KFD_DEVICE_EXCEPTIONS &&
                host_gpu_id(&host->gpu[i]) == args->event.gpu_id)
                return host_gpu_send(&host->gpu[i], args->event.exception_mask);
        return host_queue_send(host, args->event.queue_id, args->event.exception_mask);
    case KFD_DEBUG_SET_EXCEPTIONS_ENABLED:
        call.arg[0] = args->event.exception_mask;
        return on_each(host, &call);
    case KFD_DEBUG_SET_WAVE_LAUNCH_OVERRIDE:
        return launch_override(host, args);
    case KFD_DEBUG_SET_WAVE_LAUNCH_MODE:
        call.arg[0] = args->one.value;
        return on_each(host, &call);
    case KFD_DEBUG_SUSPEND_QUEUES:
        return change_queues(host, args->suspend.queue_array_ptr, args->suspend.num_queues,
                             args->suspend.exception_mask, false);
    case KFD_DEBUG_RESUME_QUEUES:
        return change_queues(host, args->resume.queue_array_ptr, args->resume.num_queues, 0, true);
    case KFD_DEBUG_SET_NODE_ADDRESS_WATCH:
        return watch(host, args, false);
    case KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH:
        return watch(host, args, true);
    case KFD_DEBUG_SET_FLAGS:
        call.arg[0] = args->one.value;
        result = on_each(host, &call);
        args->one.value = (uint32_t)call.arg[0];
        return result;
    case KFD_DEBUG_QUERY_EVENT:
        return query_event(host, args);
    case KFD_DEBUG_QUERY_EXCEPTION_INFO:
        return exception_info(host, args);
    case KFD_DEBUG_GET_QUEUE_SNAPSHOT:
        return queue_snapshot(host, args);
    case KFD_DEBUG_GET_DEVICE_SNAPSHOT:
        return device_snapshot(host, args);
    default:
        return -EINVAL;
    }
}

/* ---- the library: what a runtime asks that writes a core file of its GPUs ---- */

static HSAKMT_STATUS trap(struct kfd_dbg_trap_args *args)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    args->pid = (uint32_t)getpid();
    return kfd_debug_trap(host, args) < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

/* The operations on queues return how many they have changed. */
HSAKMT_STATUS hsaKmtDebugTrapIoctl(struct kfd_ioctl_dbg_trap_args *args, HSA_QUEUEID *queues,
                                   HSAuint64 *result)
{
    struct host *host = host_get();
    struct kfd_dbg_trap_args *a = (struct kfd_dbg_trap_args *)(void *)args;
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    /* The number of a queue is that of the driver: the runtime's are wider. */
    uint32_t *to =
        (uint32_t *)(uintptr_t)(a->op == KFD_DEBUG_SUSPEND_QUEUES ? a->suspend.queue_array_ptr
                                                                  : a->resume.queue_array_ptr);
    const uint32_t count =
        a->op == KFD_DEBUG_SUSPEND_QUEUES ? a->suspend.num_queues : a->resume.num_queues;
    for (uint32_t i = 0; queues && i < count; i++)
        to[i] = (uint32_t)queues[i];
    const int done = kfd_debug_trap(host, a);
    if (result)
        *result = (HSAuint64)(HSAint64)(done < 0 ? -1 : done);
    return done < 0 ? HSAKMT_STATUS_ERROR : HSAKMT_STATUS_SUCCESS;
}

/* *info: the caller frees it. Nobody reads of exceptions. */
HSAKMT_STATUS hsaKmtDbgEnable(void **info, HSAuint32 *size)
{
    struct kfd_runtime *made = malloc(sizeof *made);
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct kfd_dbg_trap_args args = {.op = KFD_DEBUG_ENABLE,
                                     .enable = {.rinfo_ptr = (uint64_t)(uintptr_t)made,
                                                .rinfo_size = sizeof *made,
                                                .dbg_fd = (uint32_t)fd}};
    const HSAKMT_STATUS status = made && fd >= 0 ? trap(&args) : HSAKMT_STATUS_NO_MEMORY;
    if (fd >= 0)
        close(fd);
    if (status) {
        free(made);
        return status;
    }
    *info = made;
    *size = sizeof *made;
    return status;
}

HSAKMT_STATUS hsaKmtDbgDisable(void)
{
    return trap(&(struct kfd_dbg_trap_args){.op = KFD_DEBUG_DISABLE});
}

/* A snapshot of at most @p most entries, which the caller frees. */
static HSAKMT_STATUS snapshot(enum kfd_debug_op op, size_t most, void **data, HSAuint32 *count,
                              HSAuint32 size)
{
    void *made = calloc(most + 1, size);
    struct kfd_dbg_trap_args args = {.op = op,
                                     .snapshot = {.snapshot_buf_ptr = (uint64_t)(uintptr_t)made,
                                                  .count = (uint32_t)most,
                                                  .entry_size = size}};
    const HSAKMT_STATUS status = made ? trap(&args) : HSAKMT_STATUS_NO_MEMORY;
    if (status) {
        free(made);
        return status;
    }
    *data = made;
    *count = args.snapshot.count < most ? args.snapshot.count : (uint32_t)most;
    return status;
}

HSAKMT_STATUS hsaKmtDbgGetDeviceData(void **data, HSAuint32 *count, HSAuint32 *size)
{
    *size = sizeof(struct kfd_device_entry);
    return snapshot(KFD_DEBUG_GET_DEVICE_SNAPSHOT, HOST_MOST_GPUS, data, count, *size);
}

/* With @p suspend as the queues are when they have stopped; hsaKmtDbgDisable lets them go on. */
HSAKMT_STATUS hsaKmtDbgGetQueueData(void **data, HSAuint32 *count, HSAuint32 *size, bool suspend)
{
    enum { MOST = HOST_MOST_GPUS * KFD_DEBUG_QUEUES };
    uint32_t ids[KFD_DEBUG_QUEUES];
    *size = sizeof(struct kfd_queue_entry);
    HSAKMT_STATUS status = snapshot(KFD_DEBUG_GET_QUEUE_SNAPSHOT, MOST, data, count, *size);
    if (status || !suspend)
        return status;
    for (uint32_t at = 0, n; at < *count && !status; at += n) {
        struct kfd_dbg_trap_args args = {.op = KFD_DEBUG_SUSPEND_QUEUES};
        for (n = 0; n < KFD_DEBUG_QUEUES && at + n < *count; n++)
            ids[n] = ((struct kfd_queue_entry *)*data)[at + n].queue_id;
        args.suspend.queue_array_ptr = (uint64_t)(uintptr_t)ids;
        args.suspend.num_queues = n;
        status = trap(&args);
    }
    free(*data);
    return status ? status : snapshot(KFD_DEBUG_GET_QUEUE_SNAPSHOT, MOST, data, count, *size);
}
