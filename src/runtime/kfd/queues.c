/* Queues: creation, destruction, and the threads that serve them. */
#include "runtime/kfd/host.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"
#include "runtime/common/counted.h"
#include "runtime/kfd/kfd.h"
#include "runtime/kfd/packets.h"
#include "runtime/kfd/recording.h"

enum {
    PACKET_BYTES = 64,
    KFD_QUEUE_TYPE_AQL = 2, /* KFD_IOC_QUEUE_TYPE_COMPUTE_AQL */
    QUEUE_BYTES = 256,      /* bytes of an amd_queue_t */
    QUEUE_READ_ID = 128,    /* read_dispatch_id in amd_queue_t */
};

void host_enter_as_debugger(struct host *host)
{
    host->debugger_thread = pthread_self();
    atomic_store(&host->debugger_thread_is, true);
}

static bool is_debugger(const struct host *host)
{
    return atomic_load(&host->debugger_thread_is) &&
           pthread_equal(host->debugger_thread, pthread_self());
}

void host_enter(struct host_gpu *gpu)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (;;) {
        atomic_fetch_add(&gpu->waiters, 1);
        pthread_mutex_lock(&gpu->running);
        atomic_fetch_sub(&gpu->waiters, 1);
        if (!wt_recording_is_away(gpu->recording) || is_debugger(gpu->host))
            return;
        pthread_mutex_unlock(&gpu->running);
        nanosleep(&moment, NULL);
    }
}

void host_enter_to_change(struct host_gpu *gpu, const char *why)
{
    host_enter(gpu);
    wt_recording_end(gpu->recording, why);
}

void host_leave(struct host_gpu *gpu)
{
    pthread_mutex_unlock(&gpu->running);
}

void host_enter_all(struct host *host)
{
    for (uint32_t i = 0; i < host->gpus; i++)
        host_enter(&host->gpu[i]);
}

void host_leave_all(struct host *host)
{
    for (uint32_t i = host->gpus; i-- > 0;)
        host_leave(&host->gpu[i]);
}

/* A wave's interrupt: an event's number in the lower 8 bits; or a trap handler has found something,
 * and halts the wave then. */
static void interrupt(void *context, struct gcn_device *device, uint32_t wave, uint32_t data)
{
    struct host_gpu *gpu = context;
    uint32_t status = 0;
    uint64_t entry;
    unsigned dispatch;
    if (wt_recording_on(gpu->recording)) {
        host_recording_interrupt(gpu, wave, data);
        return;
    }
    gcn_wave_hwreg(device, wave, 2, &status);
    if (!(status >> 5 & 1)) { /* PRIV: the trap handler runs */
        host_event_interrupt(gpu->host, data);
    } else if (gcn_wave_dispatch(device, wave, &dispatch, &entry)) {
        gpu->trapped |= (uint32_t)1 << dispatch;
        gpu->dispatch[dispatch].told |= data & HOST_TOLD;
    }
}

/* The processor signals completion when the device's run has come back. */
static void dispatch_done(void *context, struct gcn_device *device, unsigned dispatch,
                          uint64_t completion)
{
    struct host_gpu *gpu = context;
    if (!wt_recording_on(gpu->recording)) /* which finds out by itself */
        gpu->ended |= (uint32_t)1 << dispatch;
    gcn_device_come_back(device);
}

static enum wt_status start(struct host_gpu *gpu, struct wt_error *err)
{
    enum wt_status status;
    struct host *host = gpu->host;
    gpu->driver = gcn_driver;
    gpu->driver.interrupt = interrupt;
    gpu->driver.dispatch_done = dispatch_done;
    gpu->driver.context = gpu;
    if ((status = gcn_device_new_in_host(&gpu->config, &gpu->driver, &gpu->device, err)) != WT_OK)
        return status;
    struct wt_machine *m = gpu->machine = gcn_machine(gpu->device);
    gpu->translated = (struct wt_rows_totals){0};
    gpu->core = &host_core_ops;
    gpu->apart.count_code = host_count_code;
    gpu->apart.family = KFD_WIRE_FAMILY;
    gpu->recorded = &host_recording_ops;
    gpu->records = host->core_on_fault.history;
    gpu->planted = &host->planted;
    gpu->final = &host->final;
    m->device = gpu->index;
    for (uint32_t i = 0; i < gpu->index; i++)
        m->first_core += host->gpu[i].config.cu;
    /* As with the driver, a child process has none: it has no thread that would serve its queues.
     */
    gpu->doorbells =
        mmap(NULL, HOST_DOORBELLS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (gpu->doorbells == MAP_FAILED) {
        gpu->doorbells = NULL;
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for doorbells");
    }
    madvise(gpu->doorbells, HOST_DOORBELLS, MADV_DONTFORK);
    /* Kernels that launch kernels ring doorbells; kernels that print set events. */
    if ((status = gcn_device_map(gpu->device, (uint64_t)(uintptr_t)gpu->doorbells, HOST_DOORBELLS,
                                 true, err)) != WT_OK ||
        (status = gcn_device_map(gpu->device, (uint64_t)(uintptr_t)host->event_page,
                                 HOST_EVENTS * sizeof *host->event_page, true, err)) != WT_OK)
        return status;
    host_block_made((uint64_t)(uintptr_t)gpu->doorbells, HOST_DOORBELLS);
    if (!gpu->index)
        host_block_made((uint64_t)(uintptr_t)host->event_page,
                        HOST_EVENTS * sizeof *host->event_page);
    if (*host->explain && (status = host_watch_start(gpu, err)) != WT_OK)
        return status;
    if (!wt_hosted_record(&gpu->hosted, 0))
        fputs("wavetrap: --core-history: the program has no host memory for it\n", stderr);
    /* Signals are the program's: none may land on this thread. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int wrong = pthread_create(&gpu->thread, NULL, host_processor, gpu);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (wrong)
        return wt_fail(err, WT_NO_MEMORY, "no thread for the GPU: %s", strerror(wrong));
    gpu->started = true;
    return WT_OK;
}

bool host_gpu_start(struct host_gpu *gpu, struct wt_error *err)
{
    pthread_mutex_init(&gpu->running, NULL);
    return !start(gpu, err);
}

/* Where the process has [addr, addr + size) of the GPU's, or of its own; NULL: nowhere. The GPU is
 * entered. */
static void *memory_at(struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    const uint64_t first = addr & ~(uint64_t)(HOST_PAGE - 1);
    uint64_t room = 0;
    void *at = gcn_device_pointer(gpu->device, addr, &room);
    if (at && room >= size)
        return at;
    if (!addr || addr + size < addr || addr + size - first > SIZE_MAX / 2 ||
        msync((void *)(uintptr_t)first, addr + size - first, MS_ASYNC))
        return NULL;
    return (void *)(uintptr_t)addr;
}

/* The debug interface knows the queue, with the memory to which its waves are saved: the program's,
 * or our own where that has no room for all waves. Without that memory it does not know it. */
static void show_to_debuggers(struct host_queue *q, const struct host_queue_request *r)
{
    struct gcn_device *device = q->gpu->device;
    const uint32_t size = gcn_kfd_area_size(device);
    void *area = r->save_size >= size ? memory_at(q->gpu, r->save_area, size) : NULL;
    if (!area) {
        area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
        q->own_area = area != MAP_FAILED;
        if (!q->own_area)
            return;
    }
    q->entry = (struct kfd_queue_entry){
        .ring_base_address = q->ring_addr,
        .write_pointer_address = r->write,
        .read_pointer_address = r->read,
        .ctx_save_restore_address = (uint64_t)(uintptr_t)area,
        .queue_id = (uint32_t)q->id,
        .gpu_id = host_gpu_id(q->gpu),
        .ring_size = (uint32_t)r->size,
        .queue_type = KFD_QUEUE_TYPE_AQL,
        .ctx_save_restore_area_size = size,
    };
    (void)gcn_kfd_add_queue(device, &q->entry);
    wt_recording_restart(q->gpu->recording);
}

static void hide_from_debuggers(struct host_queue *q)
{
    if (!q->entry.ctx_save_restore_address)
        return;
    gcn_kfd_remove_queue(q->gpu->device, (uint32_t)q->id);
    wt_recording_restart(q->gpu->recording);
    if (q->own_area)
        munmap((void *)(uintptr_t)q->entry.ctx_save_restore_address,
               q->entry.ctx_save_restore_area_size);
}

void host_gpu_stop(struct host_gpu *gpu)
{
    if (gpu->started) {
        atomic_store(&gpu->stop, true);
        pthread_join(gpu->thread, NULL);
    }
    wt_hosted_free_recording(&gpu->hosted);
    while (gpu->queues) {
        struct host_queue *q = gpu->queues;
        gpu->queues = q->next;
        host_packets_forget(q);
        host_order_queue_gone(q);
        hide_from_debuggers(q);
        free(q);
    }
    host_watch_stop(gpu);
    if (gpu->doorbells) {
        host_block_gone((uint64_t)(uintptr_t)gpu->doorbells);
        munmap(gpu->doorbells, HOST_DOORBELLS);
    }
    wt_counted_forget(&gpu->hosted);
    gcn_device_free(gpu->device);
    pthread_mutex_destroy(&gpu->running);
}

/* The queue of this number, with its GPU entered; NULL, with nothing entered, if there is none. */
static struct host_queue *enter_queue(struct host *host, uint64_t id)
{
    for (uint32_t i = 0; host && i < host->gpus; i++) {
        host_enter(&host->gpu[i]);
        for (struct host_queue *q = host->gpu[i].queues; q; q = q->next)
            if (q->id == id)
                return q;
        host_leave(&host->gpu[i]);
    }
    return NULL;
}

static bool has_kernels(const struct host_queue *q)
{
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (q->gpu->dispatch[i].queue == q)
            return true;
    return false;
}

static bool set_ring(struct host_queue *q, uint64_t ring, uint64_t size)
{
    uint8_t *at = memory_at(q->gpu, ring, size);
    if (!at)
        return false;
    q->ring = at;
    q->ring_addr = ring;
    q->packets = q->copies ? size : size / PACKET_BYTES;
    return true;
}

/* Sets the pointers and the doorbell of a ring; the GPU is entered. */
static bool set_pointers(struct host_queue *q, const struct host_queue_request *r)
{
    if (q->copies && !r->read) {
        q->read = &q->own[0];
        q->write = &q->own[1];
        return true;
    }
    q->write = r->write % 8 ? NULL : memory_at(q->gpu, r->write, sizeof *q->write);
    if (q->copies) {
        q->read = r->read % 8 ? NULL : memory_at(q->gpu, r->read, sizeof *q->read);
        return q->read && q->write;
    }
    q->queue_addr = r->read - QUEUE_READ_ID;
    q->queue = r->read % 8 ? NULL : memory_at(q->gpu, q->queue_addr, QUEUE_BYTES);
    q->read = q->queue ? (_Atomic uint64_t *)(void *)(q->queue + QUEUE_READ_ID) : NULL;
    return q->read && q->write;
}

/* Whether ring and pointers can be accessed. */
static bool is_there(const struct host_queue *q)
{
    uint64_t word;
    const uint64_t size = q->copies ? q->packets : q->packets * PACKET_BYTES;
    bool there = kfd_copy_in(&word, (uintptr_t)q->read, sizeof word) &&
                 kfd_copy_in(&word, (uintptr_t)q->write, sizeof word);
    for (uint64_t at = 0; there && at < size; at += HOST_PAGE)
        there = kfd_copy_in(&word, (uintptr_t)q->ring + at, 1);
    return there;
}

uint64_t *host_queue_doorbell(const struct host_queue *q)
{
    return &q->gpu->doorbells[q->id % (HOST_DOORBELLS / sizeof *q->gpu->doorbells)];
}

int host_queue_create(struct host_gpu *gpu, const struct host_queue_request *r, uint64_t *id)
{
    struct host *host = gpu->host;
    struct host_queue *q = calloc(1, sizeof *q);
    if (!q)
        return -ENOMEM;
    *q = (struct host_queue){.gpu = gpu,
                             .copies = r->copies,
                             .error = (_Atomic int64_t *)r->error,
                             .event = r->event,
                             .priority = r->priority,
                             .suspended = !r->percentage};
    host_enter(gpu);
    /* The program may have given them pages that it cannot access itself. */
    if (!set_ring(q, r->ring, r->size) || !set_pointers(q, r) || !is_there(q)) {
        host_leave(gpu);
        free(q);
        return -EFAULT;
    }
    q->begun = q->freed = atomic_load(q->read);
    q->id = *id = host->next_queue++;
    *host_queue_doorbell(q) = q->begun - 1;
    q->next = gpu->queues;
    gpu->queues = q;
    if (!q->copies)
        show_to_debuggers(q, r);
    host_leave(gpu);
    return 0;
}

HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32 percentage,
                                HSA_QUEUE_PRIORITY priority, void *ring, HSAuint64 size,
                                HsaEvent *event, HsaQueueResource *resource)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_gpu *gpu = host_gpu_of(host, node);
    if (!gpu)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    const bool copies = type == HSA_QUEUE_SDMA;
    if (type != HSA_QUEUE_COMPUTE_AQL && !copies)
        return HSAKMT_STATUS_NOT_SUPPORTED;
    if (!ring || size < PACKET_BYTES || size & (size - 1) ||
        (!copies && (!resource->Queue_read_ptr_aql || !resource->Queue_write_ptr_aql)))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    const struct host_queue_request request = {
        .copies = copies,
        .percentage = percentage,
        .priority = priority,
        .ring = (uint64_t)(uintptr_t)ring,
        .size = size,
        .read = copies ? 0 : (uint64_t)(uintptr_t)resource->Queue_read_ptr_aql,
        .write = copies ? 0 : (uint64_t)(uintptr_t)resource->Queue_write_ptr_aql,
        .error = copies ? NULL : resource->ErrorReason,
        .event = event,
    };
    uint64_t id;
    const int wrong = host_queue_create(gpu, &request, &id);
    if (wrong)
        return wrong == -ENOMEM ? HSAKMT_STATUS_NO_MEMORY : HSAKMT_STATUS_INVALID_PARAMETER;
    struct host_queue *q = enter_queue(host, id);
    if (copies) {
        resource->Queue_read_ptr_aql = (HSAuint64 *)q->read;
        resource->Queue_write_ptr_aql = (HSAuint64 *)q->write;
    }
    resource->Queue_DoorBell_aql = host_queue_doorbell(q);
    host_leave(gpu);
    resource->QueueId = id;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID id, HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
                                void *ring, HSAuint64 size, HsaEvent *event)
{
    if (size & (size - 1) || (size && (size < PACKET_BYTES || !ring)))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host_queue *q = enter_queue(host_get(), id);
    if (!q)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    const bool suspended = percentage == 0 || !size;
    const bool good = suspended || set_ring(q, (uint64_t)(uintptr_t)ring, size);
    if (good) {
        q->priority = priority;
        q->suspended = suspended;
    }
    host_leave(q->gpu);
    return good ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

int host_queue_send(struct host *host, uint32_t id, uint64_t exceptions)
{
    struct host_queue *q = enter_queue(host, id);
    if (!q)
        return -EINVAL;
    if (q->error)
        atomic_fetch_or(q->error, (int64_t)(exceptions & KFD_QUEUE_EXCEPTIONS));
    if (q->error && q->event)
        host_event_set(host, q->event->EventId);
    host_leave(q->gpu);
    return 0;
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID id)
{
    struct host_queue *q = enter_queue(host_get(), id);
    if (!q)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host_gpu *gpu = q->gpu;
    struct host_queue **at = &gpu->queues;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    if (gpu->turn == q)
        gpu->turn = q->next;
    host_queue_abandon(q); /* what it runs ends here */
    host_packets_forget(q);
    host_order_queue_gone(q);
    hide_from_debuggers(q);
    host_leave(gpu);
    free(q);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID id, HSAuint32 count, HSAuint32 *mask)
{
    struct host_queue *q = enter_queue(host_get(), id);
    uint64_t given[GCN_MASK_WORDS] = {0}, any = 0;
    if (!q)
        return HSAKMT_STATUS_INVALID_HANDLE;
    struct host_gpu *gpu = q->gpu;
    for (uint32_t i = 0; mask && i < gpu->config.cu && i < count; i++)
        given[i / 64] |= (uint64_t)(mask[i / 32] >> i % 32 & 1) << i % 64;
    for (unsigned i = 0; i < GCN_MASK_WORDS; i++)
        any |= given[i];
    for (unsigned i = 0; any && i < GCN_MASK_WORDS; i++)
        q->barred[i] = ~given[i];
    host_leave(gpu);
    return any ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

/* As in the driver: the save area of a queue that is not active. Waves of an active queue are in
 * the chip. */
HSAKMT_STATUS hsaKmtGetQueueInfo(HSA_QUEUEID id, HsaQueueInfo *info)
{
    if (!host_get())
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_queue *q = info ? enter_queue(host_get(), id) : NULL;
    if (!q)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host_gpu *gpu = q->gpu;
    const bool saved = gcn_kfd_suspended(gpu->device, (uint32_t)id);
    const uint64_t area = q->entry.ctx_save_restore_address;
    const bool good = area && (saved || (q->suspended && !has_kernels(q)));
    if (good) {
        struct kfd_save_header *h = (struct kfd_save_header *)(uintptr_t)area;
        if (!saved)
            *h = (struct kfd_save_header){.reserved = 0};
        *info = (HsaQueueInfo){
            .ControlStackTop = (HSAuint32 *)(uintptr_t)(area + h->control_stack_offset),
            .UserContextSaveArea = (HSAuint32 *)(uintptr_t)(area + h->wave_state_offset),
            .SaveAreaSizeInBytes = h->wave_state_size,
            .ControlStackUsedInBytes = h->control_stack_size,
            .SaveAreaHeader = (HsaUserContextSaveAreaHeader *)(void *)h,
        };
    }
    host_leave(gpu);
    return good ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

/* All queues can use all resources of global wave sync, as long as one of them does at a time. */
HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID id, HSAuint32 count, HSAuint32 *first)
{
    struct host_queue *q = enter_queue(host_get(), id);
    if (!q)
        return HSAKMT_STATUS_INVALID_HANDLE;
    host_leave(q->gpu);
    if (count > HOST_GWS)
        return HSAKMT_STATUS_OUT_OF_RESOURCES;
    if (first)
        *first = 0;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32 node, void *handler, HSAuint64 handler_size,
                                   void *buffer, HSAuint64 buffer_size)
{
    struct host *host = host_get();
    struct host_gpu *gpu = host ? host_gpu_of(host, node) : NULL;
    if (!gpu)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    host_enter_to_change(gpu,
                         "nothing is recorded now: the program has changed its GPU's trap handler");
    gcn_device_set_trap_handler(gpu->device, (uint64_t)(uintptr_t)handler,
                                (uint64_t)(uintptr_t)buffer);
    host_leave(gpu);
    return HSAKMT_STATUS_SUCCESS;
}
