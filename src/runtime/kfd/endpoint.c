/*
 * The driver of GPUs for debuggers of the process (object/process_wire.h, object/kfd_wire.h). When
 * a debugger goes, in whatever way, its breakpoints are lifted, and waves that it held go on.
 */
#include "runtime/kfd/endpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "emulator/gcn/kfd.h"
#include "emulator/machine/machine.h"
#include "object/kfd_wire.h"
#include "runtime/common/serve.h"
#include "runtime/kfd/debugger_memory.h"
#include "runtime/kfd/recording.h"
#include "runtime/kfd/tool.h"

#define BREAKPOINT 0xbf920001u /* s_trap 1 */

/* ---- memory: all GPUs are entered ---- */

static uint64_t breakpoint(void *context, const struct wt_wire_request *request, uint64_t bytes,
                           uint64_t original)
{
    return request->follows == 4 && bytes == BREAKPOINT ? UINT32_MAX : 0;
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

static bool copy_asked(void *context, const struct wt_wire_request *request, uint8_t *bytes,
                       size_t size, bool out)
{
    return copy(context, request->addr, bytes, size, out);
}

/* ---- requests ---- */

/* Changes to the list of code objects since it was last reported to the debugger. */
static int look_at_code(struct host *host, uint64_t *state)
{
    return host_code_state(host, state) && *state != atomic_load(&host->code_known) ? WT_WIRE_CODE
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
    enum { MOMENT = 10000000, MS = 1000000 };
    const uint64_t until = host_clock() + ms * MS;
    uint64_t turns[HOST_MOST_GPUS];
    bool rests;
    for (uint32_t i = 0; i < host->gpus; i++) {
        host_enter(&host->gpu[i]);
        wt_recording_asked(host->gpu[i].recording);
        turns[i] = host->gpu[i].turns;
        host_leave(&host->gpu[i]);
    }
    host_ring_doorbell();
    do {
        const uint32_t seen = host_turns();
        if (has_event(host, turns, &rests))
            return WT_WIRE_STOPPED;
        if (rests)
            return 0;
        if (ms)
            host_sleep_for_turn(seen, MOMENT);
    } while (host_clock() < until);
    return 0;
}

static int event(void *context, uint64_t ms, uint64_t *code)
{
    const int happened = wait_for_event(context, ms);
    return happened | look_at_code(context, code);
}

static void code_known(void *context, uint64_t state)
{
    atomic_store(&((struct host *)context)->code_known, state);
}

static void follow(struct host *host, bool is)
{
    host_code_follow(host, is);
    host_waits_under_debugger(is);
}

/* A debugger's first and last operations. Others that connect (`ps`, `reg`) hold no launch back. */
static void follow_code(struct host *host, const struct kfd_debug_call *call)
{
    if (call->result == 0 && (call->op == KFD_DEBUG_ENABLE || call->op == KFD_DEBUG_DISABLE))
        follow(host, call->op == KFD_DEBUG_ENABLE);
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
        wt_hosted_record(&host->gpu[i].hosted, 0);
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
static bool read_used(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct host *host = context;
    if (!host_debugger_copy(host, addr, bytes, size, true))
        return false;
    wt_planted_lift(&host->planted, addr, bytes, size);
    return true;
}

static struct host_gpu *gpu_at(void *context, uint32_t device)
{
    return &((struct host *)context)->gpu[device];
}

/* `exec --explain-address` may. */
static bool may_watch(const struct wt_hosted *gpu)
{
    return !((const struct host_gpu *)gpu)->watch;
}

static const struct wt_fault *fault(void *context, const struct wt_wire_request *request)
{
    struct host_gpu *gpu = gpu_at(context, request->device);
    return wt_hosted_has(&gpu->hosted, request) ? host_wave_fault(gpu, request->wave) : NULL;
}

static uint32_t input(void *context, uint32_t device, const struct wt_input *input)
{
    struct host_gpu *gpu = gpu_at(context, device);
    gpu->debugged |= input->kind == WT_INPUT_DEBUG_WRITE; /* waves may be halted from now on */
    return wt_hosted_input(&gpu->hosted, input);
}

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    struct host *host = context;
    hello->place[0] = (uintptr_t)host->debug;
    for (uint32_t i = 0; i < host->gpus; i++)
        hello->units[i] = gcn_machine(host->gpu[i].device)->waves;
    if (!host_code_state(host, code))
        *code = 0;
}

/* ---- the family's own requests ---- */

static int32_t give_queues(struct host *host, struct wt_wire_answer *answer, uint8_t *bytes)
{
    struct kfd_queue_entry queues[KFD_DEBUG_QUEUES];
    const int count = list_queues(host, queues);
    answer->size = count < 0 ? 0 : (uint32_t)count * (uint32_t)sizeof *queues;
    memcpy(bytes, queues, answer->size);
    return count;
}

static int32_t give_devices(struct host *host, struct wt_wire_answer *answer, uint8_t *bytes)
{
    struct kfd_device_entry devices[HOST_MOST_GPUS];
    for (uint32_t i = 0; i < host->gpus; i++) {
        gcn_kfd_device_snapshot(host->gpu[i].device, 0, &devices[i]);
        devices[i].gpu_id = host_gpu_id(&host->gpu[i]);
    }
    answer->size = host->gpus * (uint32_t)sizeof *devices;
    memcpy(bytes, devices, answer->size);
    return 0;
}

static int32_t serve_call(struct host *host, const struct wt_wire_request *request,
                          struct wt_wire_answer *answer, uint8_t *bytes)
{
    struct kfd_debug_call call;
    memcpy(&call, bytes, sizeof call);
    if (request->follows != sizeof call || call.queue_count > KFD_DEBUG_QUEUES)
        return -EINVAL;
    if (call.op == KFD_DEBUG_SEND_RUNTIME_EVENT) {
        call.result = send_event(host, &call);
    } else {
        host_enter_all(host);
        do_call(host, &call);
        host_leave_all(host);
    }
    answer->size = sizeof call;
    memcpy(bytes, &call, sizeof call);
    return 0;
}

/* Finds where a part of a file is mapped. The debugger looks whether it is what it expects. */
static int32_t find_mapped(const struct wt_wire_request *request, struct wt_wire_answer *answer,
                           const uint8_t *bytes)
{
    if (!request->follows || bytes[request->follows - 1])
        return -EINVAL;
    answer->value[0] = host_code_mapped((const char *)bytes, request->addr);
    return answer->value[0] ? 0 : -ENOENT;
}

static int32_t own(void *context, const struct wt_wire_request *request,
                   struct wt_wire_answer *answer, uint8_t *bytes)
{
    struct host *host = context;
    int32_t result = -ENOSYS;
    if (request->verb == KFD_WIRE_MAPPED)
        return find_mapped(request, answer, bytes);
    if (request->verb == KFD_WIRE_CALL)
        return serve_call(host, request, answer, bytes);
    host_enter_all(host);
    if (request->verb == KFD_WIRE_QUEUES)
        result = give_queues(host, answer, bytes);
    else if (request->verb == KFD_WIRE_DEVICES)
        result = give_devices(host, answer, bytes);
    host_leave_all(host);
    return result;
}

/* ---- the conversation ---- */

/* Requests about an event enter the GPUs one by one, and so may those of the family's own. */
static void locked(void *context, const struct wt_wire_request *request, void (*serve)(void *),
                   void *serving)
{
    const bool apart = request->verb == WT_WIRE_HELLO || request->verb == WT_WIRE_EVENT ||
                       request->verb == WT_WIRE_CODE_KNOWN || request->verb == WT_WIRE_TIME ||
                       request->verb >= KFD_WIRE_FAMILY;
    if (!apart)
        host_enter_all(context);
    serve(serving);
    if (!apart)
        host_leave_all(context);
}

/* The debugger has gone: all is as if it had not been there. */
static void let_go(void *context)
{
    struct host *host = context;
    host_enter_all(host);
    for (uint32_t i = 0; i < host->gpus; i++) {
        if (may_watch(&host->gpu[i].hosted))
            watched_set(&host->gpu[i].watched, host->gpu[i].machine, NULL, 0, true);
        wt_hosted_record(&host->gpu[i].hosted, 0);
    }
    wt_final_want(&host->final, false);
    wt_planted_set(&host->planted, false, copy, host);
    wt_planted_forget(&host->planted);
    /* Who has only looked leaves the program's own debugging of itself as it is. */
    const bool debugged = atomic_load(&host->code_followed);
    for (uint32_t i = 0; i < host->gpus && debugged; i++) {
        gcn_kfd_step_back(host->gpu[i].device);
        gcn_kfd_disable(host->gpu[i].device);
    }
    host_leave_all(host);
    if (debugged)
        follow(host, false);
}

static void begin(void *context)
{
    host_enter_as_debugger(context);
}

static bool is_held(void *context)
{
    return atomic_load(&((struct host *)context)->held);
}

static void release(void *context)
{
    atomic_store(&((struct host *)context)->held, false);
}

static void tell_queues(void *context, bool launches, FILE *out)
{
    struct host *host = context;
    for (uint32_t i = 0; i < host->gpus && !launches; i++)
        host_tell_queues(&host->gpu[i], out);
}

static const struct wt_server_driver driver = {.kind = KFD_WIRE_SOCKET,
                                               .family = KFD_WIRE_FAMILY,
                                               .begin = begin,
                                               .let_go = let_go,
                                               .is_held = is_held,
                                               .release = release,
                                               .locked = locked,
                                               .hello = hello,
                                               .event = event,
                                               .code_known = code_known,
                                               .copy = copy_asked,
                                               .breakpoint = breakpoint,
                                               .input = input,
                                               .changes = true,
                                               .may_watch = may_watch,
                                               .fault = fault,
                                               .queues = tell_queues,
                                               .final_read = read_used,
                                               .own = own};

bool host_endpoint_start(struct host *host)
{
    struct wt_hosted *hosted[HOST_MOST_GPUS];
    for (uint32_t i = 0; i < host->gpus; i++)
        hosted[i] = &host->gpu[i].hosted;
    return wt_server_start(&driver, host, NULL, hosted, host->gpus, host->holder);
}
