/*
 * The packet processor: a thread for each GPU that takes AQL packets from its queues and runs their
 * kernels (HSA Platform System Architecture Specification 1.2, section 2.9; AMD's own packets as in
 * its runtime). One kernel runs at a time; queues take turns. Signals are changed as hardware would,
 * for the program's threads look at them at any moment.
 */
#include "host/host.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "emulator/machine/machine.h"

enum { PACKET_BYTES = 64 };
enum packet_type {
    PACKET_VENDOR = 0,
    PACKET_INVALID = 1,
    PACKET_DISPATCH = 2,
    PACKET_BARRIER_AND = 3,
    PACKET_AGENT = 4,
    PACKET_BARRIER_OR = 5,
};
enum vendor_packet { VENDOR_PM4 = 1, VENDOR_BARRIER_VALUE = 2 };

/* amd_signal_t and the parts of amd_queue_t that packets concern. */
struct signal {
    int64_t kind;
    _Atomic int64_t value;
    uint64_t mailbox;
    uint32_t event, reserved;
    uint64_t start, end;
};
enum {
    QUEUE_PRIVATE_SIZE = 176, /* scratch_wave64_lane_byte_size */
    QUEUE_PROPERTIES = 180,
    QUEUE_INACTIVE = 192,     /* queue_inactive_signal */
    QUEUE_PROFILING = 1 << 3,
    QUEUE_SCRATCH_ONCE = 1 << 4,
    NO_SCRATCH = 1,           /* codes of the signal: not enough scratch memory for the packet, */
    SCRATCH_DONE = 512,       /* and what was there for one packet is free again */
};

static struct signal *signal_at(const uint8_t *place)
{
    return (struct signal *)(uintptr_t)wt_load_le(place, 8);
}

static void ring_event(struct host *host, struct signal *s)
{
    /* The mailboxes are all in one place. */
    if (s->mailbox % 8 || s->mailbox - (uint64_t)(uintptr_t)host->event_page >=
                              HOST_EVENTS * sizeof *host->event_page)
        return;
    __atomic_store_n((uint64_t *)(uintptr_t)s->mailbox, (uint64_t)s->event, __ATOMIC_RELEASE);
    host_event_set(host, s->event);
}

static uint8_t *packet_of(const struct host_queue *q)
{
    return q->ring + (atomic_load_explicit(q->read, memory_order_relaxed) & (q->packets - 1)) *
                         PACKET_BYTES;
}

static uint32_t properties_of(const struct host_queue *q)
{
    return __atomic_load_n((uint32_t *)(void *)(q->queue + QUEUE_PROPERTIES), __ATOMIC_ACQUIRE);
}

/* ---- errors ---- */

/* The queue runs no more. Whoever made it is told why. */
static void fail(struct host_queue *q, enum host_reason reason)
{
    q->suspended = true;
    if (!q->error)
        return;
    atomic_fetch_or(q->error, (int64_t)1 << (reason - 1));
    if (q->event)
        host_event_set(q->gpu->host, q->event->EventId);
}

/* Tells the runtime something by the queue's own signal, and waits until it has been dealt with. */
static void tell(struct host_queue *q, int64_t code)
{
    struct signal *s = signal_at(q->queue + QUEUE_INACTIVE);
    if (!s)
        return;
    atomic_store(&s->value, code);
    ring_event(q->gpu->host, s);
    q->waiting = true;
}

static bool still_waiting(struct host_queue *q)
{
    const struct signal *s = signal_at(q->queue + QUEUE_INACTIVE);
    if (q->waiting && s && atomic_load(&s->value) != 0)
        return true;
    q->waiting = false;
    return false;
}

/* ---- packets ---- */

/* The packet at the head is done: its place is free, and its signal counts down. */
static void retire(struct host_queue *q)
{
    uint8_t *packet = packet_of(q);
    struct signal *s = signal_at(packet + 56);
    if (s && properties_of(q) & QUEUE_PROFILING) {
        s->start = q->begun;
        s->end = host_clock();
    }
    __atomic_store_n((uint16_t *)(void *)packet, (uint16_t)PACKET_INVALID, __ATOMIC_RELEASE);
    atomic_fetch_add_explicit(q->read, 1, memory_order_release);
    if (s) {
        atomic_fetch_sub(&s->value, 1);
        ring_event(q->gpu->host, s);
    }
}

/* Whether each signal that the packet names is memory that the GPU may use. */
static bool signals_usable(const struct host_gpu *gpu, const uint8_t *packet, uint16_t type)
{
    const bool barrier = type == PACKET_BARRIER_AND || type == PACKET_BARRIER_OR;
    const unsigned count = barrier ? 5 : type == PACKET_VENDOR && packet[2] == VENDOR_BARRIER_VALUE;
    for (unsigned i = 0; i <= count; i++) {
        const uint64_t at = wt_load_le(packet + (i == count ? 56 : 8 + 8 * i), 8);
        if (at && (at % 8 || !gcn_device_usable(gpu->device, at, sizeof(struct signal)))) {
            fprintf(stderr,
                    "wavetrap: gfx900 (node %u): a packet's signal 0x%llx is not in memory of the "
                    "GPU\n", gpu->node, (unsigned long long)at);
            return false;
        }
    }
    return true;
}

static bool barrier_open(const uint8_t *packet, bool all)
{
    unsigned signals = 0, zero = 0;
    for (unsigned i = 0; i < 5; i++) {
        const struct signal *s = signal_at(packet + 8 + 8 * i);
        if (!s)
            continue;
        signals++;
        zero += atomic_load(&s->value) == 0;
    }
    return all ? zero == signals : zero || !signals;
}

static bool value_open(const uint8_t *packet)
{
    const struct signal *s = signal_at(packet + 8);
    const int64_t value = (int64_t)wt_load_le(packet + 16, 8);
    const int64_t mask = (int64_t)wt_load_le(packet + 24, 8);
    const int64_t now = s ? atomic_load(&s->value) & mask : value;
    switch (wt_load_le(packet + 32, 4)) { /* hsa_signal_condition_t */
    case 0:
        return now == value;
    case 1:
        return now != value;
    case 2:
        return now < value;
    default:
        return now >= value;
    }
}

/* What the packet asks for that cannot be: a reason for fail(); 0 if nothing. */
static unsigned refused(const uint8_t *packet)
{
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        items *= wt_load_le(packet + 4 + 2 * i, 2);
        if (!wt_load_le(packet + 12 + 4 * i, 4))
            return HOST_REASON_DIMENSIONS;
    }
    if (!items || items > 1024)
        return HOST_REASON_GROUP_SIZE;
    return wt_load_le(packet + 28, 4) > 65536 ? HOST_REASON_GROUP_MEMORY : 0;
}

static bool begin_dispatch(struct host_gpu *gpu, struct host_queue *q, const uint8_t *packet)
{
    struct wt_error err;
    if (wt_load_le(packet + 24, 4) > wt_load_le(q->queue + QUEUE_PRIVATE_SIZE, 4)) {
        tell(q, NO_SCRATCH);
        return true;
    }
    q->begun = host_clock();
    gpu->trap_codes = 0;
    const unsigned reason = refused(packet);
    host_tell_device(gpu, q);
    gcn_device_set_trap_handler(gpu->device, gpu->trap_handler, gpu->trap_buffer);
    if (gcn_device_dispatch(gpu->device, (uint64_t)(uintptr_t)packet,
                            (uint64_t)(uintptr_t)q->queue, &err)) {
        fprintf(stderr, "wavetrap: gfx900 (node %u): a kernel cannot be run: %s\n", gpu->node,
                err.text);
        fail(q, reason ? (enum host_reason)reason : HOST_REASON_CODE);
        return true;
    }
    gpu->current = q;
    return true;
}

/* Looks at the head of a queue; false if there is nothing to do. */
static bool look(struct host_gpu *gpu, struct host_queue *q)
{
    if (q->suspended || still_waiting(q) ||
        atomic_load_explicit(q->read, memory_order_relaxed) >=
            atomic_load_explicit(q->write, memory_order_acquire))
        return false;
    const uint8_t *packet = packet_of(q);
    const uint16_t header = __atomic_load_n((const uint16_t *)(const void *)packet,
                                            __ATOMIC_ACQUIRE);
    bool open = true;
    if ((header & 0xff) <= PACKET_BARRIER_OR && (header & 0xff) != PACKET_INVALID &&
        !signals_usable(gpu, packet, header & 0xff)) {
        fail(q, HOST_REASON_PACKET);
        return true;
    }
    switch (header & 0xff) {
    case PACKET_INVALID:
        return false; /* not written yet */
    case PACKET_DISPATCH:
        return begin_dispatch(gpu, q, packet);
    case PACKET_BARRIER_AND:
        open = barrier_open(packet, true);
        break;
    case PACKET_BARRIER_OR:
        open = barrier_open(packet, false);
        break;
    case PACKET_VENDOR:
        if (packet[2] == VENDOR_BARRIER_VALUE) {
            open = value_open(packet);
            break;
        }
        if (packet[2] == VENDOR_PM4) { /* the runtime's are for caches: of code that it has written */
            gcn_device_flush_code(gpu->device);
            break;
        }
        fprintf(stderr, "wavetrap: gfx900 (node %u): there is no vendor packet of format %u\n",
                gpu->node, packet[2]);
        fail(q, HOST_REASON_VENDOR_PACKET);
        return true;
    default:
        fprintf(stderr, "wavetrap: gfx900 (node %u): a packet of type %u is not for GPUs\n",
                gpu->node, header & 0xffu);
        fail(q, HOST_REASON_PACKET);
        return true;
    }
    if (!open)
        return false;
    q->begun = host_clock();
    retire(q);
    return true;
}

/* ---- running ---- */

static void finish(struct host_gpu *gpu)
{
    struct host_queue *q = gpu->current;
    gpu->current = NULL;
    retire(q);
    if (properties_of(q) & QUEUE_SCRATCH_ONCE)
        tell(q, SCRATCH_DONE);
}

static void faulted(struct host_gpu *gpu)
{
    const struct wt_fault *f = &gcn_machine(gpu->device)->fault;
    struct host_queue *q = gpu->current;
    host_report_fault(gpu);
    gpu->current = NULL;
    switch (f->kind) {
    case WT_FAULT_ACCESS:
        q->suspended = true;
        host_event_memory(gpu->host, gpu->node, f->addr);
        break;
    case WT_FAULT_ILLEGAL:
        fail(q, HOST_REASON_ILLEGAL);
        break;
    case WT_FAULT_MISALIGNED:
        fail(q, HOST_REASON_APERTURE);
        break;
    default:
        fail(q, HOST_REASON_TRAP);
        break;
    }
    gcn_device_abandon(gpu->device);
}

/* The trap handler has told of something, or every wave is halted, which only it does. */
static void trapped(struct host_gpu *gpu)
{
    struct wt_machine *m = gcn_machine(gpu->device);
    /* The handler may not yet have come to its end, where it halts the wave. */
    for (unsigned i = 0; i < 1000 && m->ops->run(m, 1) == WT_RUN_BUDGET; i++)
        continue;
    for (uint32_t i = 0; i < m->waves; i++) {
        uint32_t status;
        if (gcn_wave_hwreg(gpu->device, i, 2, &status) && status >> 13 & 1)
            host_report_trap(gpu, i);
    }
    struct host_queue *q = gpu->current;
    gpu->current = NULL;
    fail(q, HOST_REASON_TRAP);
    gcn_device_abandon(gpu->device);
}

/* A slice of work; false if there is none. */
static bool step(struct host_gpu *gpu)
{
    enum { SLICE = 1 << 14 }; /* some milliseconds at most */
    if (!gpu->current) {
        for (struct host_queue *q = gpu->queues; q; q = q->next) {
            gpu->turn = gpu->turn && gpu->turn->next ? gpu->turn->next : gpu->queues;
            if (look(gpu, gpu->turn))
                return true;
        }
        return false;
    }
    struct wt_machine *m = gcn_machine(gpu->device);
    const enum wt_run why = gpu->watch ? host_watch_run(gpu, SLICE) : m->ops->run(m, SLICE);
    if (gpu->trap_codes && why != WT_RUN_FAULT) {
        trapped(gpu);
        return true;
    }
    switch (why) {
    case WT_RUN_ENDED:
        finish(gpu);
        break;
    case WT_RUN_FAULT:
        faulted(gpu);
        break;
    case WT_RUN_HALTED:
        trapped(gpu);
        break;
    default:
        break;
    }
    return true;
}

void *host_processor(void *context)
{
    enum { PATIENCE = 200 };
    struct host_gpu *gpu = context;
    unsigned idle = 0;
    while (!atomic_load(&gpu->stop)) {
        /* The lock is not fair: others go first. */
        while (atomic_load(&gpu->waiters))
            sched_yield();
        pthread_mutex_lock(&gpu->running);
        const bool busy = step(gpu);
        pthread_mutex_unlock(&gpu->running);
        idle = busy ? 0 : idle + 1;
        if (idle > PATIENCE) { /* packets come without a call: they must be looked for */
            const struct timespec pause = {.tv_nsec = idle > 20 * PATIENCE ? 500000 : 50000};
            nanosleep(&pause, NULL);
        } else if (idle) {
            sched_yield();
        }
    }
    return NULL;
}
