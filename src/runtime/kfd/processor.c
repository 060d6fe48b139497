/*
 * The packet processor: a thread for each GPU that takes AQL packets from its queues and runs their
 * kernels (HSA Platform System Architecture Specification 1.2, section 2.9; AMD's own packets as in
 * its runtime). Kernels of several queues run side by side in the device. Packets of one queue
 * begin in order: one with the barrier bit when all before it have ended; one without it when all
 * work-groups before it have been started. Their slots in the ring become free in order, too,
 * because kernels read their packets. Signals are changed atomically, as by hardware: the program's
 * threads read them at any moment.
 */
#include "runtime/kfd/kfd.h"

#include <sched.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"
#include "object/kfd_wire.h"
#include "runtime/common/apart.h"
#include "runtime/common/armed.h"
#include "runtime/kfd/tool.h"
#include "object/aql.h"
#include "runtime/common/catch.h"
#include "runtime/common/checked.h"
#include "runtime/common/counted.h"
#include "runtime/common/host_checks.h"
#include "runtime/common/tally.h"
#include "runtime/kfd/local_watch.h"
#include "runtime/kfd/packets.h"

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
    QUEUE_INACTIVE = 192, /* queue_inactive_signal */
    QUEUE_PROFILING = 1 << 3,
    QUEUE_SCRATCH_ONCE = 1 << 4,
    NO_SCRATCH = 1,     /* codes of the signal: not enough scratch memory for the packet, */
    SCRATCH_DONE = 512, /* and what was there for one packet is free again */
};

/*
 * The signal that is named at @p place; *signal is NULL if none is. False, and NULL, if the named
 * signal is not wholly in memory of the GPU: kernels can write packets and queues, so that this can
 * happen at any time.
 */
static bool signal_at(const struct host_gpu *gpu, uint64_t at, struct signal **signal)
{
    uint64_t room = 0;
    *signal = at && at % 8 == 0 ? gcn_device_pointer(gpu->device, at, &room) : NULL;
    /* One of which only a part is there must not be used: the rest may be nobody's memory. */
    if (room < sizeof **signal)
        *signal = NULL;
    return !at || *signal;
}

static void report_signal(const struct host_gpu *gpu, const char *whose, uint64_t at)
{
    fprintf(stderr, "wavetrap: " HOST_GPU ": a %s's signal 0x%llx is not in memory of the GPU\n",
            HOST_GPU_IS(gpu), whose, (unsigned long long)at);
}

static void ring_event(struct host *host, struct signal *s)
{
    uint64_t *mailbox = s->mailbox % 8 ? NULL : host_mailbox(host, s->mailbox);
    if (!mailbox)
        return;
    __atomic_store_n(mailbox, (uint64_t)s->event, __ATOMIC_RELEASE);
    host_event_set(host, s->event);
}

static uint8_t *packet_of(const struct host_queue *q, uint64_t number)
{
    return q->ring + (number & (q->packets - 1)) * GCN_AQL_BYTES;
}

static struct gcn_aql_header header_of(const uint8_t *packet)
{
    return gcn_aql_header(
        __atomic_load_n((const uint16_t *)(const void *)packet, __ATOMIC_ACQUIRE));
}

static uint32_t properties_of(const struct host_queue *q)
{
    return __atomic_load_n((uint32_t *)(void *)(q->queue + QUEUE_PROPERTIES), __ATOMIC_ACQUIRE);
}

/* ---- errors ---- */

void host_queue_abandon(struct host_queue *q)
{
    struct host_gpu *gpu = q->gpu;
    for (unsigned i = 0; i < GCN_DISPATCHES; i++) {
        if (gpu->dispatch[i].queue != q)
            continue;
        wt_recording_end(gpu->recording, "nothing is recorded now: a kernel was given up");
        gcn_device_abandon(gpu->device, i);
        gpu->dispatch[i].queue = NULL;
        gpu->trapped &= ~((uint32_t)1 << i);
        gpu->kernels--;
    }
}

/* Stops the queue for good and sets its error. */
static void fail(struct host_queue *q, enum host_reason reason)
{
    q->stopped = true;
    gcn_kfd_raise(q->gpu->device, (uint32_t)q->id, (enum kfd_exception)reason);
    wt_recording_restart(q->gpu->recording);
    if (!q->error)
        return;
    atomic_fetch_or(q->error, (int64_t)1 << (reason - 1));
    if (q->event)
        host_event_set(q->gpu->host, q->event->EventId);
}

/* The queue's own signal, for messages to the runtime. Stops the queue if it has no valid one. */
static struct signal *inactive_signal(struct host_queue *q)
{
    struct signal *s;
    const uint64_t at = wt_load_le(q->queue + QUEUE_INACTIVE, 8);
    if (signal_at(q->gpu, at, &s) && s)
        return s;
    report_signal(q->gpu, "queue", at);
    fail(q, HOST_REASON_PACKET);
    return NULL;
}

/* Sends the runtime a code; the queue waits until the runtime has taken it back. */
static void tell(struct host_queue *q, int64_t code)
{
    struct signal *s = inactive_signal(q);
    if (!s)
        return;
    atomic_store(&s->value, code);
    ring_event(q->gpu->host, s);
    q->waiting = true;
}

static bool still_waiting(struct host_queue *q)
{
    const struct signal *s = q->waiting ? inactive_signal(q) : NULL;
    q->waiting = s && atomic_load(&s->value) != 0;
    return q->waiting || q->stopped;
}

/* ---- packets ---- */

/* Completes a packet: decrements its signal; its slot becomes free as soon as the earlier slots
 * are. */
static void retire(struct host_queue *q, uint64_t number, uint64_t begun)
{
    uint8_t *packet = packet_of(q, number);
    struct signal *s;
    const uint64_t completion = wt_load_le(packet + GCN_AQL_COMPLETION, 8);
    host_packets_end(q, number);
    if (!signal_at(q->gpu, completion, &s)) { /* a kernel has written there */
        report_signal(q->gpu, "packet", completion);
        fail(q, HOST_REASON_PACKET);
    }
    if (s && properties_of(q) & QUEUE_PROFILING) {
        s->start = begun;
        s->end = host_clock();
    }
    __atomic_store_n((uint16_t *)(void *)packet, (uint16_t)GCN_AQL_INVALID, __ATOMIC_RELEASE);
    while (q->freed != q->begun && header_of(packet_of(q, q->freed)).type == GCN_AQL_INVALID)
        q->freed++;
    atomic_store_explicit(q->read, q->freed, memory_order_release);
    if (s) {
        atomic_fetch_sub(&s->value, 1);
        ring_event(q->gpu->host, s);
        host_packets_look(q->gpu);
    }
}

/* Whether each signal that the packet names is memory that the GPU may use. */
static bool signals_usable(const struct host_gpu *gpu, const struct gcn_aql_packet *p)
{
    for (unsigned i = 0; i <= p->dependencies; i++) {
        const uint64_t at = i == p->dependencies ? p->completion : p->dependency[i];
        struct signal *s;
        if (!signal_at(gpu, at, &s)) {
            report_signal(gpu, "packet", at);
            return false;
        }
    }
    return true;
}

static bool barrier_open(const struct host_gpu *gpu, const struct gcn_aql_packet *p)
{
    unsigned signals = 0, zero = 0;
    for (unsigned i = 0; i < p->dependencies; i++) {
        struct signal *s;
        if (!signal_at(gpu, p->dependency[i], &s) || !s)
            continue;
        signals++;
        zero += atomic_load(&s->value) == 0;
    }
    return p->header.type == GCN_AQL_BARRIER_AND ? zero == signals : zero || !signals;
}

static bool value_open(const struct host_gpu *gpu, const struct gcn_aql_packet *p)
{
    const struct gcn_aql_barrier_value *b = &p->value;
    struct signal *s;
    signal_at(gpu, p->dependency[0], &s);
    const int64_t now = s ? atomic_load(&s->value) & b->mask : b->value;
    switch (b->condition) {
    case 0:
        return now == b->value;
    case 1:
        return now != b->value;
    case 2:
        return now < b->value;
    default:
        return now >= b->value;
    }
}

void host_tell_first(const struct host_queue *q, FILE *out)
{
    const uint8_t *packet = packet_of(q, q->begun);
    const struct gcn_aql_header header = header_of(packet);
    if (header.type == GCN_AQL_INVALID) {
        fputs("    the first one has been announced, and not written\n", out);
        return;
    }
    const struct gcn_aql_packet p = gcn_aql_packet(packet, header);
    const bool value = header.type == GCN_AQL_VENDOR && p.format == GCN_AQL_BARRIER_VALUE;
    if (!value && header.type != GCN_AQL_BARRIER_AND && header.type != GCN_AQL_BARRIER_OR)
        return;
    for (unsigned i = 0; i < p.dependencies; i++) {
        struct signal *s;
        if (!signal_at(q->gpu, p.dependency[i], &s) || !s || (!value && !atomic_load(&s->value)))
            continue;
        fprintf(out,
                "    the first one is a barrier, which waits for the signal at 0x%" PRIx64
                ": its value is %" PRId64,
                p.dependency[i], (int64_t)atomic_load(&s->value));
        if (value)
            fprintf(out, ", and masked by 0x%" PRIx64 " is to be %s %" PRId64,
                    (uint64_t)p.value.mask,
                    (const char *[]){"==", "!=", "<", ">="}[p.value.condition & 3],
                    (int64_t)p.value.value);
        fputc('\n', out);
    }
}

/* The reason for fail() if the packet asks for something impossible; 0 if not. */
static unsigned refused(const struct gcn_aql_dispatch *d)
{
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        items *= d->group[i];
        if (!d->grid[i])
            return HOST_REASON_DIMENSIONS;
    }
    if (!items || items > 1024)
        return HOST_REASON_GROUP_SIZE;
    return d->group_size > 65536 ? HOST_REASON_GROUP_MEMORY : 0;
}

/* Whether all packets before the next one have ended. */
static bool alone(const struct host_queue *q)
{
    return q->freed == q->begun;
}

/* Whether all work-groups of the queue's kernels have been started. */
static bool launched(const struct host_queue *q)
{
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (q->gpu->dispatch[i].queue == q && !gcn_device_launched(q->gpu->device, i))
            return false;
    return true;
}

/* The size is in the kernel's descriptor; GCC writes none, and has more there. */
static void note_arguments(const struct gcn_aql_dispatch *asked)
{
    enum { KERNARG_SIZE = 8, NEAR = 256 };
    if (!wt_check_wants(WT_CHECK_MEMORY))
        return;
    const uint64_t size =
        wt_load_le((const uint8_t *)(uintptr_t)asked->kernel_object + KERNARG_SIZE, 4);
    wt_object_arguments(NULL, asked->kernarg, size);
    /* ROCm 6 has the pattern of hipMemset just before the arguments, which point to it. */
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        const uint64_t to = wt_load_le((const uint8_t *)(uintptr_t)asked->kernarg + at, 8);
        if (to < asked->kernarg && asked->kernarg - to <= NEAR)
            wt_object_arguments(NULL, to, asked->kernarg - to);
    }
}

/* False if it must wait. */
static bool begin_dispatch(struct host_gpu *gpu, struct host_queue *q,
                           const struct gcn_aql_packet *p)
{
    const struct gcn_aql_dispatch *asked = &p->dispatch;
    struct wt_error err;
    unsigned dispatch;
    /* Scratch memory is exchanged, or given for one kernel, when none of the queue uses it. */
    const bool more = asked->private_size > wt_load_le(q->queue + QUEUE_PRIVATE_SIZE, 4);
    if (gpu->kernels == GCN_DISPATCHES ||
        ((more || properties_of(q) & QUEUE_SCRATCH_ONCE) && !alone(q)))
        return false;
    if (more) {
        tell(q, NO_SCRATCH);
        return true;
    }
    if (gpu->host->svm_count && !host_svm_intact(gpu)) {
        atomic_store(&gpu->host->svm_stale, true);
        return false;
    }
    uint64_t code = 0;
    if (wt_counted_is_wanted() && !host_code_state(gpu->host, &code))
        return false; /* it is being loaded */
    if (wt_host_listener() && wt_host_listener()->prepares(asked->kernarg))
        return false; /* what it may access is being noted */
    struct gcn_origin origin = {.launch = atomic_fetch_add(&gpu->host->launches, 1) + 1,
                                .packet = (uint32_t)(q->begun & (q->packets - 1)),
                                .queue = (uint32_t)q->id,
                                .doorbell = (uint32_t)q->id & 0x3ff,
                                .priority = q->priority,
                                .caught = gpu->host->caught};
    memcpy(origin.barred, q->barred, sizeof origin.barred);
    host_xnack_take_back(gpu);
    wt_final_kernel(&gpu->host->final);
    host_variables_list();
    wt_counted_before_kernel(&gpu->hosted, code, NULL);
    wt_counted_set_variables(&gpu->hosted, host_variable, gpu->host);
    host_order_launch(q, q->begun, origin.launch, host_packets_begin(q, p));
    wt_recording_before_kernel(gpu->recording);
    if (gcn_device_begin(gpu->device, asked,
                         q->ring_addr + (uint64_t)(packet_of(q, q->begun) - q->ring), q->queue_addr,
                         &origin, &dispatch, &err)) {
        fprintf(stderr, "wavetrap: " HOST_GPU ": a kernel cannot be run: %s\n", HOST_GPU_IS(gpu),
                err.text);
        wt_tally_refused(KFD_WIRE_FAMILY, err.text);
        const unsigned reason = refused(asked);
        wt_recording_after_kernel(gpu->recording);
        /* It has not begun. Another GPU may have numbered a launch meanwhile: then one is missing.
         */
        uint64_t number = origin.launch;
        atomic_compare_exchange_strong(&gpu->host->launches, &number, number - 1);
        fail(q, reason ? (enum host_reason)reason : HOST_REASON_CODE);
        return true;
    }
    note_arguments(asked);
    gpu->dispatch[dispatch] = (struct host_dispatch){q, q->begun++, host_clock(), 0};
    if (!gpu->kernels++)
        wt_progress_begin(&gpu->progress, gcn_machine(gpu->device)->time);
    gpu->launches++;
    host_count_launch(gpu, dispatch);
    wt_recording_after_kernel(gpu->recording);
    return true;
}

/* Takes the next packet of a queue, if it can begin; false if there is nothing to do. */
static bool look(struct host_gpu *gpu, struct host_queue *q)
{
    if (q->suspended || q->stopped || gcn_kfd_suspended(gpu->device, (uint32_t)q->id))
        return false;
    if (q->copies) {
        /* A look alone must not end the watch for the host's accesses. */
        if (q->begun < atomic_load_explicit(q->write, memory_order_acquire))
            host_order_accesses();
        const bool done = host_copy(q);
        if (done)
            wt_recording_merge(gpu->recording);
        return done;
    }
    if (still_waiting(q) || q->begun >= atomic_load_explicit(q->write, memory_order_acquire))
        return false;
    const uint8_t *packet = packet_of(q, q->begun);
    const struct gcn_aql_header header = header_of(packet);
    bool open = true;
    if (header.type == GCN_AQL_INVALID) /* not written yet */
        return false;
    const struct gcn_aql_packet p = gcn_aql_packet(packet, header);
    if ((header.barrier ? !alone(q) : !launched(q)) || !host_packets_may_begin(q))
        return false;
    if (header.type <= GCN_AQL_BARRIER_OR && !signals_usable(gpu, &p)) {
        fail(q, HOST_REASON_PACKET);
        return true;
    }
    switch (header.type) {
    case GCN_AQL_DISPATCH:
        return !host_launches_wait(gpu->host) && begin_dispatch(gpu, q, &p);
    case GCN_AQL_BARRIER_AND:
    case GCN_AQL_BARRIER_OR:
        open = barrier_open(gpu, &p);
        break;
    case GCN_AQL_VENDOR:
        if (p.format == GCN_AQL_BARRIER_VALUE) {
            open = value_open(gpu, &p);
            break;
        }
        if (p.format ==
            GCN_AQL_PM4) { /* the runtime's are for caches: of code that it has written */
            gcn_device_flush_code(gpu->device);
            break;
        }
        fprintf(stderr, "wavetrap: " HOST_GPU ": there is no vendor packet of format %u\n",
                HOST_GPU_IS(gpu), p.format);
        fail(q, HOST_REASON_VENDOR_PACKET);
        return true;
    default:
        fprintf(stderr, "wavetrap: " HOST_GPU ": a packet of type %u is not for GPUs\n",
                HOST_GPU_IS(gpu), header.type);
        fail(q, HOST_REASON_PACKET);
        return true;
    }
    if (!open)
        return false;
    host_packets_begin(q, &p);
    retire(q, q->begun++, host_clock());
    return true;
}

/* ---- running ---- */

static void finish(struct host_gpu *gpu, unsigned dispatch)
{
    struct host_dispatch *k = &gpu->dispatch[dispatch];
    struct host_queue *q = k->queue;
    k->queue = NULL;
    gpu->trapped &= ~((uint32_t)1 << dispatch);
    gpu->kernels--;
    retire(q, k->packet, k->begun);
    if (properties_of(q) & QUEUE_SCRATCH_ONCE)
        tell(q, SCRATCH_DONE);
}

/* The queue whose kernel a wave runs. */
static struct host_queue *queue_of(const struct host_gpu *gpu, uint32_t wave)
{
    unsigned dispatch;
    uint64_t entry;
    return gcn_wave_dispatch(gpu->device, wave, &dispatch, &entry) ? gpu->dispatch[dispatch].queue
                                                                   : NULL;
}

/* A queue's kernels end with an error of one of them; those of other queues go on. */
static void stop(struct host_queue *q, enum host_reason reason)
{
    host_queue_abandon(q);
    fail(q, reason);
}

/* The first line of the runtime's own message, which scripts look for. `exec` has turned the rest
 * of it off, some thirty lines about memory. */
static void runtime_message(const struct host_gpu *gpu, uint64_t addr)
{
    const char *asked = getenv("HSA_ENABLE_VM_FAULT_MESSAGE");
    if (asked && strcmp(asked, "0") == 0)
        fprintf(stderr,
                "Memory access fault by GPU node-%u (%s) on address 0x%llx. Reason: Page not "
                "present or supervisor privilege.\n",
                gpu->node, gpu->config.model->target.name,
                (unsigned long long)(addr & ~(uint64_t)(HOST_PAGE - 1)));
}

void host_page_fault(struct host_gpu *gpu, uint64_t addr)
{
    runtime_message(gpu, addr);
    for (struct host_queue *q = gpu->queues; q; q = q->next) {
        host_queue_abandon(q);
        q->stopped = true;
    }
    gcn_kfd_raise(gpu->device, 0, KFD_EC_DEVICE_MEMORY_VIOLATION);
    wt_recording_restart(gpu->recording);
    host_event_memory(gpu->host, gpu->node, addr);
}

int host_gpu_send(struct host_gpu *gpu, uint64_t exceptions)
{
    if (exceptions != kfd_exception_bit(KFD_EC_DEVICE_MEMORY_VIOLATION))
        return -EINVAL;
    host_enter(gpu);
    const struct wt_fault *f = gcn_latest_exception(gpu->device);
    host_page_fault(gpu, f && f->kind == WT_FAULT_ACCESS ? f->addr : 0);
    host_leave(gpu);
    return 0;
}

/* Whether the user wants the program to end at this fault (exec --catch). */
static bool is_caught(const struct host *host, const struct wt_fault *f)
{
    const bool memory = f->kind == WT_FAULT_ACCESS || f->kind == WT_FAULT_MISALIGNED;
    return host->caught &&
           (f->kind == WT_FAULT_EXCEPTION || (memory && host->caught & WT_CATCH_MEM_VIOL));
}

static void faulted(struct host_gpu *gpu)
{
    const struct wt_fault *f = &gcn_machine(gpu->device)->fault;
    struct host_queue *q = queue_of(gpu, f->wave);
    host_report_fault(gpu);
    wt_tally_fault(KFD_WIRE_FAMILY);
    host_core_on_fault(gpu, "", f->wave, (uint64_t)f->lanes);
    if (is_caught(gpu->host, f))
        host_end_program(WT_CAUGHT_STATUS);
    switch (f->kind) {
    case WT_FAULT_ACCESS:
        host_page_fault(gpu, f->addr);
        break;
    case WT_FAULT_ILLEGAL:
        stop(q, HOST_REASON_ILLEGAL);
        break;
    case WT_FAULT_MISALIGNED:
        stop(q, HOST_REASON_APERTURE);
        break;
    case WT_FAULT_HOST: /* no wave's */
        for (q = gpu->queues; q; q = q->next)
            stop(q, HOST_REASON_TRAP);
        break;
    default:
        stop(q, HOST_REASON_TRAP);
        break;
    }
}

static bool is_halted(struct host_gpu *gpu, uint32_t wave)
{
    uint32_t status;
    return gcn_wave_hwreg(gpu->device, wave, 2, &status) && status >> 13 & 1;
}

/* Stops the queue of a dispatch whose trap handler has halted waves. For a core file these are as
 * they were before they came into the handler. */
static void trapped(struct host_gpu *gpu, unsigned dispatch)
{
    enum { MOST_REPORTS = 4 };
    const struct wt_machine *m = gcn_machine(gpu->device);
    struct host_trap first = {.lanes = 0}, trap;
    uint32_t first_wave = UINT32_MAX;
    uint64_t entry;
    unsigned its, halted = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        if (!is_halted(gpu, i) || !gcn_wave_dispatch(gpu->device, i, &its, &entry) ||
            its != dispatch || halted++ >= MOST_REPORTS)
            continue;
        host_report_trap(gpu, i, &trap);
        gcn_wave_leave_handler(gpu->device, i, trap.pc);
        if (first_wave == UINT32_MAX) {
            first = trap;
            first_wave = i;
        }
    }
    if (halted > MOST_REPORTS)
        fprintf(stderr, "wavetrap: " HOST_GPU ": and %u more waves\n", HOST_GPU_IS(gpu),
                halted - MOST_REPORTS);
    wt_tally_fault(KFD_WIRE_FAMILY);
    host_core_on_fault(gpu, first.text, first_wave, first.lanes);
    const uint32_t told = gpu->dispatch[dispatch].told;
    stop(gpu->dispatch[dispatch].queue,
         told ? (enum host_reason)(__builtin_ctz(told) - 9) : HOST_REASON_TRAP);
}

/* Halted waves: of dispatches whose trap handler has told something; or of any, where nothing can
 * go on. */
static void look_for_halted(struct host_gpu *gpu, bool any)
{
    const struct wt_machine *m = gcn_machine(gpu->device);
    uint64_t entry;
    unsigned dispatch;
    for (uint32_t i = 0; i < m->waves && (any || gpu->trapped); i++)
        if (is_halted(gpu, i) && gcn_wave_dispatch(gpu->device, i, &dispatch, &entry) &&
            (any || gpu->trapped >> dispatch & 1))
            trapped(gpu, dispatch);
}

/* A slice of the kernels that run; false if none of their waves can go on by itself. */
static bool run(struct host_gpu *gpu)
{
    enum { SLICE = 1 << 12 }; /* a millisecond at most: then packets are looked for again */
    struct wt_machine *m = gcn_machine(gpu->device);
    const uint64_t before = m->time;
    wt_recording_begin(gpu->recording);
    const enum wt_run why =
        gpu->watch ? host_watch_run(gpu, SLICE)
        : wt_recording_on(gpu->recording)
            ? wt_recording_run(gpu->recording, SLICE)
            : wt_apart_run(&gpu->hosted, SLICE, !gpu->debugged && !gcn_kfd_is_enabled(gpu->device));
    if (why == WT_RUN_WATCH && armed_take(&gpu->hosted))
        host_local_take_hits(gpu);
    host_count_issues(gpu, before);
    const bool ended = gpu->ended;
    for (; gpu->ended; gpu->ended &= gpu->ended - 1)
        finish(gpu, (unsigned)__builtin_ctz(gpu->ended));
    if (ended)
        wt_recording_after_end(gpu->recording);
    if (!gpu->kernels || why == WT_RUN_FAULT)
        wt_progress_clear(&gpu->progress);
    else if (wt_progress_due(&gpu->progress))
        host_show_progress(gpu);
    const char *notice = gcn_device_take_notice(gpu->device);
    if (notice)
        fprintf(stderr, "wavetrap: %s\n", notice);
    if (why == WT_RUN_FAULT)
        faulted(gpu);
    kfd_tell_debugger(gpu);
    /* Waves that a debugger has halted wait for it, and the queue with them. */
    const bool debugged = gpu->debugged || gcn_kfd_is_enabled(gpu->device);
    if (why == WT_RUN_EVENT || why == WT_RUN_HALTED)
        look_for_halted(gpu, why == WT_RUN_HALTED && !debugged);
    return why != WT_RUN_HALTED || !debugged;
}

/* Some work; false if there is none. */
static bool step(struct host_gpu *gpu)
{
    enum { PACKETS = 64 }; /* of each queue, before kernels go on */
    bool busy = false;
    if (wt_recording_waits(gpu->recording))
        return false;
    for (struct host_queue *q = gpu->queues; q; q = q->next) {
        gpu->turn = gpu->turn && gpu->turn->next ? gpu->turn->next : gpu->queues;
        for (unsigned i = 0; i < PACKETS && look(gpu, gpu->turn); i++)
            busy = true;
    }
    /* The first one next time is the second one of this time. */
    gpu->turn = gpu->turn && gpu->turn->next ? gpu->turn->next : gpu->queues;
    if (!gpu->kernels)
        return busy;
    return run(gpu) || busy;
}

/* Nanoseconds until packets are looked for again: a small part of the time since the last one. */
static unsigned nap_after(uint64_t pause)
{
    enum { PART = 64, LEAST = 50000, MOST = 5000000 };
    const uint64_t part = pause / PART;
    return (unsigned)(part < LEAST ? LEAST : part > MOST ? MOST : part);
}

void *host_processor(void *context)
{
    enum { PATIENCE = 200, PATIENCE_DEBUGGED = 2 };
    struct host_gpu *gpu = context;
    uint64_t since = host_clock();
    unsigned idle = 0;
    while (!atomic_load(&gpu->stop)) {
        /* The lock is not fair: others go first. */
        while (atomic_load(&gpu->waiters))
            sched_yield();
        const uint32_t doorbells = host_doorbells();
        pthread_mutex_lock(&gpu->running);
        const bool busy = step(gpu);
        gpu->turns++;
        gpu->rests = !busy;
        /* A debugger wakes this thread when waves go on. */
        const unsigned patience = gcn_kfd_is_enabled(gpu->device) ? PATIENCE_DEBUGGED : PATIENCE;
        pthread_mutex_unlock(&gpu->running);
        host_tell_turn();
        host_end_if_interrupted(gpu->host);
        if (atomic_exchange(&gpu->host->svm_stale, false))
            host_svm_tidy(gpu->host);
        idle = busy ? 0 : idle + 1;
        if (idle > patience) /* packets come without a call: they must be looked for */
            host_sleep(doorbells, nap_after(host_clock() - since));
        else if (idle)
            sched_yield();
        else
            since = host_clock();
    }
    return NULL;
}
