/* The ioctls of /dev/kfd (linux/kfd_ioctl.h), on the functions of the emulated driver. See kfd.h.
 */
#include "runtime/kfd/kfd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* The offset of mmap of /dev/kfd (kfd_priv.h): bits 63:62 give the kind, 61:46 the GPU. */
enum { MMAP_TYPE_SHIFT = 62, MMAP_GPU_SHIFT = 46, LARGEST = 512 };
#define MMAP_DOORBELL ((uint64_t)3 << MMAP_TYPE_SHIFT)
#define MMAP_EVENTS ((uint64_t)2 << MMAP_TYPE_SHIFT)

struct host_gpu *kfd_gpu(struct host *host, uint32_t id)
{
    for (uint32_t i = 0; i < host->gpus; i++)
        if (host_gpu_id(&host->gpu[i]) == id)
            return &host->gpu[i];
    return NULL;
}

uint64_t kfd_doorbell_offset(uint32_t gpu_id)
{
    return MMAP_DOORBELL | (uint64_t)gpu_id << MMAP_GPU_SHIFT;
}

bool kfd_copy_in(void *to, uint64_t from, size_t size)
{
    const struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool kfd_copy_out(uint64_t to, const void *from, size_t size)
{
    /* The source is only read. */
    const struct iovec here = {(void *)(uintptr_t)from, size},
                       there = {(void *)(uintptr_t)to, size};
    return process_vm_writev(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

static int errno_of(HSAKMT_STATUS status)
{
    switch (status) {
    case HSAKMT_STATUS_SUCCESS:
        return 0;
    case HSAKMT_STATUS_NO_MEMORY:
    case HSAKMT_STATUS_OUT_OF_RESOURCES:
        return -ENOMEM;
    case HSAKMT_STATUS_NOT_SUPPORTED:
        return -EPERM;
    default:
        return -EINVAL;
    }
}

/* ---- what the driver is, and its GPUs ---- */

static void aperture_of(struct host_gpu *gpu, struct kfd_process_device_apertures *a)
{
    *a = (struct kfd_process_device_apertures){
        .lds_base = GCN_SHARED_APERTURE,
        .lds_limit = GCN_SHARED_APERTURE + GCN_APERTURE_SIZE - 1,
        .scratch_base = GCN_PRIVATE_APERTURE,
        .scratch_limit = GCN_PRIVATE_APERTURE + GCN_APERTURE_SIZE - 1,
        .gpuvm_base = HOST_PAGE,
        .gpuvm_limit = ((uint64_t)1 << 47) - 1,
        .gpu_id = host_gpu_id(gpu),
    };
}

static int apertures(struct host *host, struct kfd_ioctl_get_process_apertures_args *args)
{
    for (args->num_of_nodes = 0;
         args->num_of_nodes < host->gpus && args->num_of_nodes < NUM_OF_SUPPORTED_GPUS;
         args->num_of_nodes++)
        aperture_of(&host->gpu[args->num_of_nodes], &args->process_apertures[args->num_of_nodes]);
    return 0;
}

/* Room for no entries asks how many there are. */
static int apertures_new(struct host *host, struct kfd_ioctl_get_process_apertures_new_args *args)
{
    const uint32_t room = args->num_of_nodes;
    args->num_of_nodes = !room || room > host->gpus ? host->gpus : room;
    for (uint32_t i = 0; room && i < args->num_of_nodes; i++) {
        struct kfd_process_device_apertures a;
        aperture_of(&host->gpu[i], &a);
        if (!kfd_copy_out(args->kfd_process_device_apertures_ptr + i * sizeof a, &a, sizeof a))
            return -EFAULT;
    }
    return 0;
}

static int clocks(struct host *host, struct kfd_ioctl_get_clock_counters_args *args)
{
    args->gpu_clock_counter = args->cpu_clock_counter = args->system_clock_counter = host_clock();
    args->system_clock_freq = 1000000000;
    return 0;
}

/* ---- queues ---- */

static HsaEvent *event_of(struct host *host, uint32_t id)
{
    pthread_mutex_lock(&host->events_lock);
    HsaEvent *event = id < HOST_EVENTS ? host->event[id].event : NULL;
    pthread_mutex_unlock(&host->events_lock);
    return event;
}

/* The runtime has written into the save area's header where it wants to learn of exceptions. */
static void find_error(struct host *host, struct host_queue_request *request)
{
    struct kfd_save_header header;
    int64_t value;
    if (request->copies || !kfd_copy_in(&header, request->save_area, sizeof header) ||
        header.err_payload_addr % sizeof value ||
        !kfd_copy_in(&value, header.err_payload_addr, sizeof value))
        return;
    request->error = (volatile int64_t *)(uintptr_t)header.err_payload_addr;
    request->event = event_of(host, header.err_event_id);
}

static int create_queue(struct host *host, struct kfd_ioctl_create_queue_args *args)
{
    static const int8_t priority_of[KFD_MAX_QUEUE_PRIORITY + 1] = {
        [0] = -3, [1] = -3, [2] = -3, [3] = -2, [4] = -2, [5] = -1, [6] = -1, [7] = 0,
        [8] = 0,  [9] = 1,  [10] = 1, [11] = 2, [12] = 2, [13] = 3, [14] = 3, [15] = 3};
    struct host_gpu *gpu = kfd_gpu(host, args->gpu_id);
    const bool copies = args->queue_type == KFD_IOC_QUEUE_TYPE_SDMA;
    if (!gpu || args->queue_percentage > KFD_MAX_QUEUE_PERCENTAGE ||
        args->queue_priority > KFD_MAX_QUEUE_PRIORITY ||
        args->ring_size < KFD_MIN_QUEUE_RING_SIZE || args->ring_size & (args->ring_size - 1) ||
        (!copies && args->queue_type != KFD_IOC_QUEUE_TYPE_COMPUTE_AQL))
        return -EINVAL;
    struct host_queue_request request = {
        .copies = copies,
        .percentage = args->queue_percentage,
        .priority = priority_of[args->queue_priority],
        .ring = args->ring_base_address,
        .size = args->ring_size,
        .read = args->read_pointer_address,
        .write = args->write_pointer_address,
        .save_area = args->ctx_save_restore_address,
        .save_size = args->ctx_save_restore_size,
    };
    find_error(host, &request);
    uint64_t id;
    const int result = host_queue_create(gpu, &request, &id);
    if (result)
        return result;
    args->queue_id = (uint32_t)id;
    args->doorbell_offset = kfd_doorbell_offset(args->gpu_id) | id % (HOST_DOORBELLS / 8) * 8;
    return 0;
}

static int update_queue(struct host *host, const struct kfd_ioctl_update_queue_args *args)
{
    return args->queue_percentage > KFD_MAX_QUEUE_PERCENTAGE ||
                   args->queue_priority > KFD_MAX_QUEUE_PRIORITY
               ? -EINVAL
               : errno_of(hsaKmtUpdateQueue(
                     args->queue_id, args->queue_percentage, HSA_QUEUE_PRIORITY_NORMAL,
                     (void *)(uintptr_t)args->ring_base_address, args->ring_size, NULL));
}

static int set_cu_mask(const struct kfd_ioctl_set_cu_mask_args *args)
{
    enum { MOST = 1024 };
    uint32_t mask[MOST / 32];
    if (!args->num_cu_mask || args->num_cu_mask % 32)
        return -EINVAL;
    const uint32_t count = args->num_cu_mask < MOST ? args->num_cu_mask : MOST;
    if (!kfd_copy_in(mask, args->cu_mask_ptr, count / 8))
        return -EFAULT;
    return errno_of(hsaKmtSetQueueCUMask(args->queue_id, count, mask));
}

static int wave_state(struct kfd_ioctl_get_queue_wave_state_args *args)
{
    HsaQueueInfo info;
    if (hsaKmtGetQueueInfo(args->queue_id, &info))
        return -EINVAL;
    args->ctl_stack_used_size = (uint32_t)info.ControlStackUsedInBytes;
    args->save_area_used_size = (uint32_t)info.SaveAreaSizeInBytes;
    return 0;
}

/* ---- events ---- */

static int create_event(struct host *host, struct kfd_ioctl_create_event_args *args)
{
    HsaEvent *event;
    HsaEventDescriptor descriptor = {.EventType = (HSA_EVENTTYPE)args->event_type,
                                     .NodeId = args->node_id};
    if (args->event_page_offset && !kfd_memory_mailboxes(host, args->event_page_offset))
        return -EINVAL;
    const HSAKMT_STATUS status = hsaKmtCreateEvent(&descriptor, !args->auto_reset, false, &event);
    if (status)
        return errno_of(status);
    args->event_id = args->event_slot_index = args->event_trigger_data = event->EventId;
    args->event_page_offset = MMAP_EVENTS;
    return 0;
}

/* The data of a memory event. */
static bool copy_event(struct host *host, uint64_t to, const HsaEvent *event)
{
    const HsaMemoryAccessFault *f = &event->EventData.EventData.MemoryAccessFault;
    const struct host_gpu *gpu = host_gpu_of(host, f->NodeId);
    const struct kfd_hsa_memory_exception_data data = {
        .failure = {.NotPresent = f->Failure.NotPresent,
                    .ReadOnly = f->Failure.ReadOnly,
                    .NoExecute = f->Failure.NoExecute},
        .va = f->VirtualAddress,
        .gpu_id = gpu ? host_gpu_id(gpu) : 0,
    };
    return event->EventData.EventType != HSA_EVENTTYPE_MEMORY ||
           kfd_copy_out(to, &data, sizeof data);
}

static int wait_events(struct host *host, struct kfd_ioctl_wait_events_args *args)
{
    const uint32_t count = args->num_events;
    const uint64_t at = args->events_ptr;
    if (count > HOST_EVENTS)
        return -EINVAL;
    HsaEvent **events = calloc(count ? count : 1, sizeof *events);
    int result = events ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && !result; i++) {
        struct kfd_event_data data;
        if (!kfd_copy_in(&data, at + i * sizeof data, sizeof data))
            result = -EFAULT;
        else if (!(events[i] = event_of(host, data.event_id)))
            result = -EINVAL;
    }
    if (!result) {
        const HSAKMT_STATUS status =
            hsaKmtWaitOnMultipleEvents(events, count, args->wait_for_all, args->timeout);
        args->wait_result = status == HSAKMT_STATUS_SUCCESS        ? KFD_IOC_WAIT_RESULT_COMPLETE
                            : status == HSAKMT_STATUS_WAIT_TIMEOUT ? KFD_IOC_WAIT_RESULT_TIMEOUT
                                                                   : KFD_IOC_WAIT_RESULT_FAIL;
        result = args->wait_result == KFD_IOC_WAIT_RESULT_FAIL ? -EIO : 0;
        for (uint32_t i = 0; i < count && args->wait_result == KFD_IOC_WAIT_RESULT_COMPLETE; i++)
            if (!copy_event(host, at + i * sizeof(struct kfd_event_data), events[i]))
                result = -EFAULT;
    }
    free(events);
    return result;
}

/* ---- shared virtual memory ---- */

static bool is_location(uint32_t type)
{
    return type <= HSA_SVM_ATTR_NO_ACCESS;
}

/* Nodes of the library for GPUs of the driver. */
static int svm(struct host *host, uint64_t at, struct kfd_ioctl_svm_args *args)
{
    enum { MOST = 64 };
    HSA_SVM_ATTRIBUTE attribute[MOST];
    const size_t size = args->nattr * sizeof *attribute;
    if (args->nattr > MOST)
        return -EINVAL;
    if (!kfd_copy_in(attribute, at + sizeof *args, size))
        return -EFAULT;
    for (uint32_t i = 0; i < args->nattr; i++) {
        HSA_SVM_ATTRIBUTE *a = &attribute[i];
        if (!is_location(a->type) || !a->value || a->value == UINT32_MAX)
            continue;
        const struct host_gpu *gpu = kfd_gpu(host, a->value);
        if (!gpu)
            return -EINVAL;
        a->value = gpu->node;
    }
    void *start = (void *)(uintptr_t)args->start_addr;
    if (args->op == KFD_IOCTL_SVM_OP_SET_ATTR)
        return errno_of(hsaKmtSVMSetAttr(start, args->size, args->nattr, attribute));
    const int result = errno_of(hsaKmtSVMGetAttr(start, args->size, args->nattr, attribute));
    if (result)
        return result;
    for (uint32_t i = 0; i < args->nattr; i++) {
        const struct host_gpu *gpu =
            is_location(attribute[i].type) ? host_gpu_of(host, attribute[i].value) : NULL;
        if (gpu)
            attribute[i].value = host_gpu_id(gpu);
    }
    return kfd_copy_out(at + sizeof *args, attribute, size) ? 0 : -EFAULT;
}

/* ---- all of them ---- */

static int set_trap_handler(struct host *host, const struct kfd_ioctl_set_trap_handler_args *args)
{
    const struct host_gpu *gpu = kfd_gpu(host, args->gpu_id);
    return gpu ? errno_of(hsaKmtSetTrapHandler(gpu->node, (void *)(uintptr_t)args->tba_addr, 0,
                                               (void *)(uintptr_t)args->tma_addr, 0))
               : -EINVAL;
}

static int allocate_gws(struct kfd_ioctl_alloc_queue_gws_args *args)
{
    return errno_of(hsaKmtAllocQueueGWS(args->queue_id, args->num_gws, &args->first_gws));
}

static int available(struct host *host, struct kfd_ioctl_get_available_memory_args *args)
{
    const struct host_gpu *gpu = kfd_gpu(host, args->gpu_id);
    if (!gpu)
        return -EINVAL;
    pthread_mutex_lock(&host->lock);
    args->available = gpu->memory - host->used[gpu->node];
    pthread_mutex_unlock(&host->lock);
    return 0;
}

static int set_xnack(struct host *host, struct kfd_ioctl_set_xnack_mode_args *args)
{
    if (args->xnack_enabled >= 0) /* else it is asked for */
        return host_xnack_set(host, args->xnack_enabled);
    args->xnack_enabled = host->xnack;
    return 0;
}

/* -EINVAL: no GPU has this number. */
static int for_gpu(struct host *host, uint32_t id)
{
    return kfd_gpu(host, id) ? 0 : -EINVAL;
}

static int registered(struct host *host, uint32_t id, bool enter)
{
    struct host_gpu *gpu = kfd_gpu(host, id);
    return !gpu ? -EINVAL : enter ? host_debug_register(gpu) : host_debug_unregister(gpu);
}

/* An ioctl's arguments, copied from the program. */
union arguments {
    uint8_t bytes[LARGEST];
    struct kfd_ioctl_get_version_args version;
    struct kfd_ioctl_create_queue_args create_queue;
    struct kfd_ioctl_destroy_queue_args destroy_queue;
    struct kfd_ioctl_update_queue_args update_queue;
    struct kfd_ioctl_set_cu_mask_args cu_mask;
    struct kfd_ioctl_get_queue_wave_state_args wave_state;
    struct kfd_ioctl_set_memory_policy_args policy;
    struct kfd_ioctl_get_clock_counters_args clocks;
    struct kfd_ioctl_get_process_apertures_args apertures;
    struct kfd_ioctl_get_process_apertures_new_args apertures_new;
    struct kfd_ioctl_dbg_register_args dbg_register;
    struct kfd_ioctl_dbg_address_watch_args dbg_watch;
    struct kfd_ioctl_dbg_wave_control_args dbg_wave;
    struct kfd_ioctl_create_event_args create_event;
    struct kfd_ioctl_set_event_args event;
    struct kfd_ioctl_wait_events_args wait;
    struct kfd_ioctl_set_scratch_backing_va_args scratch;
    struct kfd_ioctl_get_tile_config_args tiles;
    struct kfd_ioctl_set_trap_handler_args trap_handler;
    struct kfd_ioctl_acquire_vm_args acquire_vm;
    struct kfd_ioctl_alloc_memory_of_gpu_args alloc;
    struct kfd_ioctl_free_memory_of_gpu_args free;
    struct kfd_ioctl_map_memory_to_gpu_args map;
    struct kfd_ioctl_alloc_queue_gws_args gws;
    struct kfd_ioctl_svm_args svm;
    struct kfd_ioctl_set_xnack_mode_args xnack;
    struct kfd_ioctl_get_available_memory_args available;
    struct kfd_ioctl_get_dmabuf_info_args buffer;
    struct kfd_ioctl_import_dmabuf_args import;
    struct kfd_export_dmabuf_args export;
    struct kfd_runtime_enable_args runtime;
    struct kfd_dbg_trap_args trap;
};

static int serve(struct host *host, unsigned long request, uint64_t at, union arguments *a)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(AMDKFD_IOC_GET_VERSION):
        a->version = (struct kfd_ioctl_get_version_args){1, KFD_VERSION_MINOR};
        return 0;
    case _IOC_NR(AMDKFD_IOC_CREATE_QUEUE):
        return create_queue(host, &a->create_queue);
    case _IOC_NR(AMDKFD_IOC_DESTROY_QUEUE):
        return errno_of(hsaKmtDestroyQueue(a->destroy_queue.queue_id));
    case _IOC_NR(AMDKFD_IOC_UPDATE_QUEUE):
        return update_queue(host, &a->update_queue);
    case _IOC_NR(AMDKFD_IOC_SET_MEMORY_POLICY): /* all memory is coherent */
        return a->policy.default_policy > 1 || a->policy.alternate_policy > 1
                   ? -EINVAL
                   : for_gpu(host, a->policy.gpu_id);
    case _IOC_NR(AMDKFD_IOC_GET_CLOCK_COUNTERS):
        return clocks(host, &a->clocks);
    case _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES):
        return apertures(host, &a->apertures);
    case _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW):
        return apertures_new(host, &a->apertures_new);
    case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
        return create_event(host, &a->create_event);
    case _IOC_NR(AMDKFD_IOC_DESTROY_EVENT):
        return errno_of(hsaKmtDestroyEvent(event_of(host, a->event.event_id)));
    case _IOC_NR(AMDKFD_IOC_SET_EVENT):
        return errno_of(hsaKmtSetEvent(event_of(host, a->event.event_id)));
    case _IOC_NR(AMDKFD_IOC_RESET_EVENT):
        return errno_of(hsaKmtResetEvent(event_of(host, a->event.event_id)));
    case _IOC_NR(AMDKFD_IOC_WAIT_EVENTS):
        return wait_events(host, &a->wait);
    case _IOC_NR(AMDKFD_IOC_DBG_REGISTER_DEPRECATED):
        return registered(host, a->dbg_register.gpu_id, true);
    case _IOC_NR(AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED):
        return registered(host, a->dbg_register.gpu_id, false);
    case _IOC_NR(AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED):
        return kfd_address_watch(host, &a->dbg_watch);
    case _IOC_NR(AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED):
        return kfd_wave_control(host, &a->dbg_wave);
    case _IOC_NR(AMDKFD_IOC_SET_SCRATCH_BACKING_VA): /* for hardware before gfx9 */
        return for_gpu(host, a->scratch.gpu_id);
    case _IOC_NR(AMDKFD_IOC_GET_TILE_CONFIG): /* images are tiled for GB_ADDR_CONFIG 0 */
        a->tiles.num_tile_configs = a->tiles.num_macro_tile_configs = 0;
        a->tiles.gb_addr_config = a->tiles.num_banks = a->tiles.num_ranks = 0;
        return for_gpu(host, a->tiles.gpu_id);
    case _IOC_NR(AMDKFD_IOC_SET_TRAP_HANDLER):
        return set_trap_handler(host, &a->trap_handler);
    case _IOC_NR(AMDKFD_IOC_ACQUIRE_VM): /* there is one address space */
        return for_gpu(host, a->acquire_vm.gpu_id);
    case _IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU):
        return kfd_memory_alloc(host, &a->alloc);
    case _IOC_NR(AMDKFD_IOC_FREE_MEMORY_OF_GPU):
        return kfd_memory_free(host, a->free.handle);
    case _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU):
        return kfd_memory_map(host, &a->map, false);
    case _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU):
        return kfd_memory_map(host, &a->map, true);
    case _IOC_NR(AMDKFD_IOC_SET_CU_MASK):
        return set_cu_mask(&a->cu_mask);
    case _IOC_NR(AMDKFD_IOC_GET_QUEUE_WAVE_STATE):
        return wave_state(&a->wave_state);
    case _IOC_NR(AMDKFD_IOC_ALLOC_QUEUE_GWS):
        return allocate_gws(&a->gws);
    case _IOC_NR(AMDKFD_IOC_SVM):
        return svm(host, at, &a->svm);
    case _IOC_NR(AMDKFD_IOC_SET_XNACK_MODE):
        return set_xnack(host, &a->xnack);
    case _IOC_NR(AMDKFD_IOC_AVAILABLE_MEMORY):
        return available(host, &a->available);
    case _IOC_NR(AMDKFD_IOC_GET_DMABUF_INFO):
        return kfd_memory_info(host, &a->buffer);
    case _IOC_NR(AMDKFD_IOC_IMPORT_DMABUF):
        return kfd_memory_import(host, &a->import);
    case KFD_NR_EXPORT_DMABUF:
        return kfd_memory_export(host, &a->export);
    case KFD_NR_RUNTIME_ENABLE:
        return kfd_runtime_enable(host, &a->runtime);
    case KFD_NR_DBG_TRAP:
        return kfd_debug_trap(host, &a->trap);
    case _IOC_NR(AMDKFD_IOC_CRIU_OP): /* needs CAP_CHECKPOINT_RESTORE */
        return -EPERM;
    default: /* SMI events are among them */
        return -EINVAL;
    }
}

int kfd_ioctl(unsigned long request, void *argument)
{
    struct host *host = host_get();
    union arguments a;
    const uint64_t at = (uint64_t)(uintptr_t)argument;
    /* As the kernel: the part of the structure that both sides know. */
    const size_t given = _IOC_SIZE(request), size = given < sizeof a ? given : sizeof a;
    if (!host || _IOC_TYPE(request) != AMDKFD_IOCTL_BASE)
        return host ? -EINVAL : -ENODEV;
    memset(&a, 0, sizeof a);
    if (_IOC_DIR(request) & _IOC_WRITE && !kfd_copy_in(&a, at, size))
        return -EFAULT;
    const int result = serve(host, request, at, &a);
    /* The attributes behind the structure have been copied already. */
    const size_t back =
        _IOC_NR(request) == _IOC_NR(AMDKFD_IOC_SVM) && size > sizeof a.svm ? sizeof a.svm : size;
    if (_IOC_DIR(request) & _IOC_READ && !kfd_copy_out(at, &a, back))
        return -EFAULT;
    return result;
}
