/*
 * The endpoint of a host process for debuggers, as object/kfd_wire.h has it. When a debugger goes,
 * in whatever way, its breakpoints are lifted, and waves that it held go on.
 */
#include "runtime/hsakmt/endpoint.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulator/gcn/debug.h"
#include "emulator/gcn/kfd.h"
#include "object/final_wire.h"
#include "object/kfd_wire.h"
#include "runtime/common/endpoint.h"
#include "runtime/hsakmt/debugger_memory.h"
#include "runtime/hsakmt/local_watch.h"
#include "runtime/hsakmt/recording.h"

#define BREAKPOINT 0xbf920001u /* s_trap 1 */

struct host_endpoint {
    struct host *host;
    struct wt_endpoint *endpoint;
    _Alignas(8) uint8_t bytes[KFD_WIRE_MOST];
};

/* ---- memory: all GPUs are entered ---- */

/* Breakpoints are remembered, for when the debugger goes without lifting them. */
static void note_breakpoint(struct host *host, uint64_t addr, const uint8_t *bytes, size_t size)
{
    struct wt_planted_one one = {.addr = addr, .size = 4, .mask = {0xff, 0xff, 0xff, 0xff}};
    wt_planted_written(&host->planted, addr, bytes, size);
    if (size != one.size || wt_load_le(bytes, 4) != BREAKPOINT ||
        !host_debugger_copy(host, addr, one.original, one.size, true))
        return;
    memcpy(one.trap, bytes, one.size);
    wt_planted_add(&host->planted, &one);
}

/* Makes each GPU drop its decoded instructions of the range; a recorded GPU finds the copy that it
 * has in place of that memory. */
static void tell_changed(struct host *host, uint64_t addr, size_t size)
{
    for (uint32_t i = 0; i < host->gpus; i++)
        gcn_device_changed(host->gpu[i].device, addr, size);
}

static bool copy(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    if (!host_debugger_copy(context, addr, bytes, size, out))
        return false;
    if (!out)
        tell_changed(context, addr, size);
    return true;
}

static bool write_memory(struct host_endpoint *e, uint64_t addr, uint8_t *bytes, size_t size)
{
    note_breakpoint(e->host, addr, bytes, size);
    return copy(e->host, addr, bytes, size, false);
}

/* ---- requests ---- */

/* Changes to the list of code objects since it was last reported to the debugger. */
static int look_at_code(struct host *host, uint64_t *state)
{
    return host_code_state(host, state) && *state != atomic_load(&host->code_known) ? KFD_WIRE_CODE
                                                                                    : 0;
}

/* *rests: the GPUs have come to rest since the turns of their threads that are given, so that no
 * event will follow. */
static bool has_event(struct host *host, const uint64_t *turns, bool *rests)
{
    bool event = false;
    *rests = true;
    for (uint32_t i = 0; i < host->gpus && !event; i++) {
        struct host_gpu *gpu = &host->gpu[i];
        host_enter(gpu);
        event = gcn_kfd_has_event(gpu->device);
        *rests &= gpu->rests && gpu->turns > turns[i];
        host_leave(gpu);
    }
    return event;
}

static int wait_for_event(struct host *host, uint64_t ms)
{
    const struct timespec moment = {.tv_nsec = 200000};
    if (ms > KFD_WIRE_WAIT_MS)
        ms = KFD_WIRE_WAIT_MS;
    uint64_t turns[HOST_MOST_GPUS];
    bool rests;
    for (uint32_t i = 0; i < host->gpus; i++) {
        host_enter(&host->gpu[i]);
        wt_recording_asked(host->gpu[i].recording);
        turns[i] = host->gpu[i].turns;
        host_leave(&host->gpu[i]);
    }
    for (uint64_t i = 0; i <= 5 * ms; i++) {
        if (has_event(host, turns, &rests))
            return KFD_WIRE_EXCEPTION;
        if (rests)
            return 0;
        if (ms)
            nanosleep(&moment, NULL);
    }
    return 0;
}

/* A debugger's first and last operations. Others that connect (`ps`, `reg`) hold no launch back. */
static void follow_code(struct host *host, const struct kfd_debug_call *call)
{
    if (call->result == 0 && (call->op == KFD_DEBUG_ENABLE || call->op == KFD_DEBUG_DISABLE))
        host_code_follow(host, call->op == KFD_DEBUG_ENABLE);
}

/* Operations on a queue, or on the GPU: as in the driver, these lock the GPU themselves. */
static int send_event(struct host *host, const struct kfd_debug_call *call)
{
    if (call->queue_count > 1 || call->device >= host->gpus)
        return -EINVAL;
    return call->queue_count ? host_queue_send(host, call->queue[0], call->arg[0])
                             : host_gpu_send(&host->gpu[call->device], call->arg[0]);
}

/* ---- operations: those of all GPUs ---- */

/* Suspends or resumes queues, each on its own GPU. */
static void change_queues(struct host *host, struct kfd_debug_call *call)
{
    struct kfd_debug_call all = *call;
    int done = 0;
    for (uint32_t k = 0; k < all.queue_count; k++)
        all.queue[k] |= KFD_QUEUE_INVALID;
    for (uint32_t i = 0; i < host->gpus; i++) {
        struct kfd_debug_call one = *call;
        host_recording_call(&host->gpu[i], &one);
        done += one.result > 0 ? one.result : 0;
        all.result = one.result < 0 ? one.result : done;
        for (uint32_t k = 0; k < all.queue_count; k++)
            if (!(one.queue[k] & KFD_QUEUE_INVALID))
                all.queue[k] = one.queue[k];
        if (one.result < 0)
            break;
    }
    *call = all;
}

/* Repeats the operation on each GPU, until one refuses; returns the last one's answer. */
static void on_each(struct host *host, struct kfd_debug_call *call)
{
    struct kfd_debug_call one = *call;
    for (uint32_t i = 0; i < host->gpus; i++) {
        one = *call;
        host_recording_call(&host->gpu[i], &one);
        if (one.result >= 0)
            continue;
        /* Another one of the process's own debuggers has this GPU. */
        for (uint32_t k = 0; k < i && call->op == KFD_DEBUG_ENABLE; k++)
            gcn_kfd_disable(host->gpu[k].device);
        break;
    }
    *call = one;
}

static void do_call(struct host *host, struct kfd_debug_call *call)
{
    for (uint32_t i = 0; i < host->gpus && call->op == KFD_DEBUG_DISABLE; i++) {
        host_recording_let_go(&host->gpu[i]);
        gcn_kfd_step_back(host->gpu[i].device);
    }
    switch ((enum kfd_debug_op)call->op) {
    case KFD_DEBUG_SET_NODE_ADDRESS_WATCH:
    case KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH:
        if (call->device < host->gpus)
            host_recording_call(&host->gpu[call->device], call);
        else
            call->result = -ENODEV;
        break;
    case KFD_DEBUG_SUSPEND_QUEUES:
    case KFD_DEBUG_RESUME_QUEUES:
        change_queues(host, call);
        break;
    default:
        on_each(host, call);
        break;
    }
    follow_code(host, call);
}

static void serve_history(struct host_endpoint *e, struct host_gpu *gpu,
                          const struct kfd_wire_request *request, struct kfd_wire_answer *answer)
{
    const struct wt_travel_request asked = {
        .what = request->call.arg[0], .argument = request->call.arg[1], .size = request->size};
    struct wt_travel_answer told;
    wt_recording_serve(gpu->recording, &asked, &told, e->bytes);
    answer->result = told.result;
    answer->size = told.size;
    answer->call.arg[1] = told.argument;
}

static int list_queues(struct host *host, struct kfd_queue_entry *list)
{
    int total = 0;
    for (uint32_t i = 0; i < host->gpus; i++) {
        const int room = KFD_DEBUG_QUEUES - total;
        const int count =
            gcn_kfd_queue_snapshot(host->gpu[i].device, 0, list + total, (uint32_t)room);
        if (count > room)
            return -ENOSPC;
        for (int k = 0; k < count; k++)
            list[total++].gpu_id = host_gpu_id(&host->gpu[i]);
    }
    return total;
}

/* All GPUs are entered. */
static bool next_used(void *context, uint64_t from, uint64_t *addr, uint64_t *end)
{
    const struct host *host = context;
    bool any = false;
    for (uint32_t i = 0; i < host->gpus; i++) {
        uint64_t start, size;
        if (!gcn_device_next_mapped(host->gpu[i].device, from, &start, &size) ||
            (any && start >= *addr))
            continue;
        *addr = start;
        *end = start + size;
        any = true;
    }
    return any;
}

static bool read_used(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host *host = context;
    if (!host_debugger_copy(host, addr, bytes, size, true))
        return false;
    wt_planted_lift(&host->planted, addr, bytes, size);
    return true;
}

static void serve_final(struct host_endpoint *e, uint64_t from, struct kfd_wire_answer *answer)
{
    static const struct wt_final_ops memory = {next_used, read_used};
    answer->result = WT_FINAL_WIRE_MEMORY;
    answer->size =
        (uint32_t)wt_final_next(&e->host->final, &memory, e->host, from, e->bytes, sizeof e->bytes);
}

static void serve_core(struct host_endpoint *e, struct host_gpu *gpu,
                       const struct kfd_wire_request *request, struct kfd_wire_answer *answer)
{
    struct wt_host_core_request asked;
    struct wt_error err;
    answer->result = -EINVAL;
    if (wt_host_core_take(&asked, e->bytes, request->size)) {
        answer->result = -(int32_t)host_core_write(gpu, &asked.core, &err);
        if (answer->result)
            answer->size =
                (uint32_t)snprintf((char *)e->bytes, sizeof e->bytes, "%s", err.text) + 1;
    }
    wt_host_core_forget(&asked);
}

/* A debugger counts the slots of waves through all GPUs. */
static int watch_local(struct host_endpoint *e, const struct kfd_wire_request *request)
{
    const size_t count = request->size / sizeof(struct kfd_wire_watch);
    uint32_t first = 0;
    int result = 0;
    for (uint32_t i = 0; i < e->host->gpus && !result; i++) {
        result = host_local_watch(&e->host->gpu[i], first, (const void *)e->bytes, count);
        first += gcn_machine(e->host->gpu[i].device)->waves;
    }
    return result;
}

static uint32_t give_hits(struct host_endpoint *e)
{
    struct kfd_wire_hit *list = (void *)e->bytes;
    const size_t most = sizeof e->bytes / sizeof *list;
    size_t count = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < e->host->gpus; i++) {
        count += host_local_give_hits(&e->host->gpu[i], first, list + count, most - count);
        first += gcn_machine(e->host->gpu[i].device)->waves;
    }
    return (uint32_t)(count * sizeof *list);
}

/* The GPU of a wave whose slot is counted through all GPUs, and the slot in it; NULL: the wave is
 * not there. */
static struct host_gpu *gpu_of_wave(struct host_endpoint *e, const struct kfd_wire_request *request,
                                    uint32_t *wave)
{
    uint64_t slot = request->addr;
    for (uint32_t i = 0; i < e->host->gpus; i++) {
        struct wt_machine *m = gcn_machine(e->host->gpu[i].device);
        *wave = (uint32_t)slot;
        if (slot < m->waves)
            return wt_machine_wave_id(m, *wave) == request->call.arg[0] ? &e->host->gpu[i] : NULL;
        slot -= m->waves;
    }
    return NULL;
}

static void tell_wait(struct host_endpoint *e, const struct kfd_wire_request *request,
                      struct kfd_wire_answer *answer)
{
    struct wt_wave_view view;
    uint32_t wave;
    const struct host_gpu *gpu = gpu_of_wave(e, request, &wave);
    if (!gpu) {
        answer->result = -ENOENT;
        return;
    }
    struct wt_machine *m = gcn_machine(gpu->device);
    m->ops->view(m, wave, &view);
    answer->size = sizeof view;
    memcpy(e->bytes, &view, sizeof view);
}

static void tell_fault(struct host_endpoint *e, const struct kfd_wire_request *request,
                       struct kfd_wire_answer *answer)
{
    uint32_t wave;
    struct host_gpu *gpu = gpu_of_wave(e, request, &wave);
    const struct wt_fault *fault = gpu ? host_wave_fault(gpu, wave) : NULL;
    if (!fault) {
        answer->result = -ENOENT;
        return;
    }
    answer->size = sizeof *fault;
    memcpy(e->bytes, fault, sizeof *fault);
}

/* Executes a request; *answer and e->bytes become the reply. */
static void serve(struct host_endpoint *e, struct kfd_wire_request *request,
                  struct kfd_wire_answer *answer)
{
    struct host *host = e->host;
    struct kfd_queue_entry queues[KFD_DEBUG_QUEUES];
    struct kfd_device_entry devices[HOST_MOST_GPUS];
    *answer = (struct kfd_wire_answer){.result = 0};
    if (request->kind == KFD_WIRE_HELLO) {
        const struct kfd_wire_hello hello = {.magic = KFD_WIRE_MAGIC,
                                             .request_bytes = sizeof *request,
                                             .pid = (uint32_t)getpid(),
                                             .gpus = host->gpus,
                                             .debug = (uint64_t)(uintptr_t)host->debug};
        if (!host_code_state(host, &answer->call.arg[0]))
            answer->call.arg[0] = 0;
        answer->size = sizeof hello;
        memcpy(e->bytes, &hello, sizeof hello);
        return;
    }
    if (request->gpu >= host->gpus) {
        answer->result = -ENODEV;
        return;
    }
    struct host_gpu *gpu = &host->gpu[request->gpu];
    if (request->kind == KFD_WIRE_EVENT) {
        answer->result = wait_for_event(host, request->addr);
        answer->result |= look_at_code(host, &answer->call.arg[0]);
        return;
    }
    if (request->kind == KFD_WIRE_CODE_KNOWN) {
        atomic_store(&host->code_known, request->addr);
        return;
    }
    if (request->kind == KFD_WIRE_TIME) {
        answer->call.arg[0] = wt_recording_time(gpu->recording);
        return;
    }
    if (request->kind == KFD_WIRE_CALL && request->call.op == KFD_DEBUG_SEND_RUNTIME_EVENT) {
        answer->call = request->call;
        answer->call.result = send_event(host, &request->call);
        return;
    }
    host_enter_all(host);
    switch ((enum kfd_wire_kind)request->kind) {
    case KFD_WIRE_CALL:
        do_call(host, &request->call);
        answer->call = request->call;
        break;
    case KFD_WIRE_QUEUES:
        answer->result = list_queues(host, queues);
        answer->size = answer->result < 0 ? 0 : (uint32_t)answer->result * (uint32_t)sizeof *queues;
        memcpy(e->bytes, queues, answer->size);
        break;
    case KFD_WIRE_DEVICES:
        for (uint32_t i = 0; i < host->gpus; i++) {
            gcn_kfd_device_snapshot(host->gpu[i].device, 0, &devices[i]);
            devices[i].gpu_id = host_gpu_id(&host->gpu[i]);
        }
        answer->size = host->gpus * (uint32_t)sizeof *devices;
        memcpy(e->bytes, devices, answer->size);
        break;
    case KFD_WIRE_READ:
        if (host_debugger_copy(host, request->addr, e->bytes, request->size, true))
            answer->size = request->size;
        else
            answer->result = -EFAULT;
        break;
    case KFD_WIRE_WRITE:
        if (!write_memory(e, request->addr, e->bytes, request->size))
            answer->result = -EFAULT;
        break;
    case KFD_WIRE_REGISTER_READ:
        answer->call.arg[0] = host_recording_input(
            gpu, &(struct wt_input){.kind = WT_INPUT_DEBUG_READ, .addr = (uint32_t)request->addr});
        break;
    case KFD_WIRE_REGISTER_WRITE:
        gpu->debugged = true; /* waves may be halted from now on */
        host_recording_input(gpu, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE,
                                                     .addr = (uint32_t)request->addr,
                                                     .value = (uint32_t)request->call.arg[0]});
        break;
    case KFD_WIRE_RECORD:
        answer->result = host_recording_want(gpu, request->addr);
        break;
    case KFD_WIRE_WAITS:
        tell_wait(e, request, answer);
        break;
    case KFD_WIRE_FAULT:
        tell_fault(e, request, answer);
        break;
    case KFD_WIRE_WATCH:
        answer->result = watch_local(e, request);
        break;
    case KFD_WIRE_HITS:
        answer->size = give_hits(e);
        break;
    case KFD_WIRE_FINAL:
        wt_final_want(&host->final, true);
        break;
    case KFD_WIRE_FINAL_NEXT:
        serve_final(e, request->addr, answer);
        break;
    case KFD_WIRE_CORE:
        serve_core(e, gpu, request, answer);
        break;
    case KFD_WIRE_HISTORY:
        serve_history(e, gpu, request, answer);
        break;
    default:
        answer->result = -ENOSYS;
        break;
    }
    host_leave_all(host);
}

/* ---- the conversation ---- */

static bool converse(void *context, struct wt_endpoint *endpoint, int fd)
{
    struct host_endpoint *e = context;
    struct kfd_wire_request request;
    struct kfd_wire_answer answer;
    if (!wt_endpoint_receive(fd, &request, sizeof request) || !kfd_wire_sound(&request) ||
        !wt_endpoint_receive(fd, e->bytes, kfd_wire_follows(&request)))
        return false;
    serve(e, &request, &answer);
    return wt_endpoint_answer(endpoint, &answer, sizeof answer, e->bytes, answer.size);
}

static size_t end_word(int status, bool closed, uint8_t word[WT_ENDPOINT_WORD])
{
    const struct kfd_wire_answer answer = {.result = KFD_WIRE_ENDED,
                                           .call = {.arg = {(uint32_t)status, closed}}};
    memcpy(word, &answer, sizeof answer);
    return sizeof answer;
}

static size_t busy_word(uint8_t word[WT_ENDPOINT_WORD])
{
    const struct kfd_wire_answer answer = {.result = -EBUSY};
    memcpy(word, &answer, sizeof answer);
    return sizeof answer;
}

static_assert(sizeof(struct kfd_wire_answer) <= WT_ENDPOINT_WORD &&
                  sizeof(struct kfd_wire_request) <= WT_ENDPOINT_WORD,
              "messages fit");

/* The debugger has gone: all is as if it had not been there. */
static void let_go(void *context)
{
    struct host_endpoint *e = context;
    host_enter_all(e->host);
    for (uint32_t i = 0; i < e->host->gpus; i++) {
        host_local_watch(&e->host->gpu[i], 0, NULL, 0);
        host_recording_let_go(&e->host->gpu[i]);
    }
    wt_final_want(&e->host->final, false);
    wt_planted_set(&e->host->planted, false, copy, e->host);
    wt_planted_forget(&e->host->planted);
    /* Who has only looked leaves the program's own debugging of itself as it is. */
    const bool debugged = atomic_load(&e->host->code_followed);
    for (uint32_t i = 0; i < e->host->gpus && debugged; i++) {
        gcn_kfd_step_back(e->host->gpu[i].device);
        gcn_kfd_disable(e->host->gpu[i].device);
    }
    host_leave_all(e->host);
    if (debugged)
        host_code_follow(e->host, false);
}

static void begin(void *context)
{
    host_enter_as_debugger(((struct host_endpoint *)context)->host);
}

static bool is_held(void *context)
{
    return atomic_load(&((struct host_endpoint *)context)->host->held);
}

static void release(void *context)
{
    atomic_store(&((struct host_endpoint *)context)->host->held, false);
}

static const struct wt_endpoint_ops ops = {.kind = KFD_WIRE_SOCKET,
                                           .begin = begin,
                                           .converse = converse,
                                           .let_go = let_go,
                                           .is_held = is_held,
                                           .release = release,
                                           .busy = busy_word,
                                           .ended = end_word};

/* ---- beginning and end ---- */

struct host_endpoint *host_endpoint_start(struct host *host)
{
    struct host_endpoint *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->host = host;
    e->endpoint = wt_endpoint_start(&ops, e, host->holder);
    if (e->endpoint)
        return e;
    free(e);
    return NULL;
}

void host_endpoint_stop(struct host_endpoint *e)
{
    if (!e)
        return;
    wt_endpoint_stop(e->endpoint);
    free(e);
}

void host_endpoint_tell_exit(struct host_endpoint *e, int status, bool waits)
{
    if (e && waits && wt_final_wanted(&e->host->final))
        wt_endpoint_tell_exit_and_wait(e->endpoint, status);
    else if (e)
        wt_endpoint_tell_exit(e->endpoint, status);
}

void host_endpoint_after_fork(struct host_endpoint *e)
{
    if (e)
        wt_endpoint_after_fork(e->endpoint);
}

void host_endpoint_forget(struct host_endpoint *e)
{
    if (e)
        wt_endpoint_forget(e->endpoint);
}
