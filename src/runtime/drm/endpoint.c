/*
 * A debugger's requests to the process (object/gen_wire.h), served in the endpoint's thread. Memory
 * is that of the walk under way. If there is none, or its tables do not map an address, it is that
 * of the program's buffer objects: breakpoints in code are inserted and removed between walks, too.
 */
#include "runtime/drm/endpoint.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "object/final_wire.h"
#include "runtime/common/endpoint.h"
#include "runtime/common/guard.h"
#include "runtime/common/own_memory.h"
#include "runtime/drm/code.h"
#include "runtime/drm/core_file.h"
#include "runtime/drm/debugged.h"

static_assert(sizeof(struct gen_wire_answer) <= WT_ENDPOINT_WORD &&
                  sizeof(struct gen_wire_request) <= WT_ENDPOINT_WORD,
              "messages fit");

/* One in a process, as there is one set of device files. */
static struct {
    struct wt_endpoint *endpoint;
    struct wt_drm_emulated *const *gpus;
    unsigned gpu_count;
    bool registered; /* what happens at the process's end, and in its children */
    _Alignas(8) uint8_t bytes[GEN_WIRE_MOST];
} server;

static struct drm_debugged *debugged(unsigned number)
{
    return wt_drm_emulated_debugged(server.gpus[number]);
}

static struct wt_i915 *driver(unsigned number)
{
    return wt_drm_emulated_driver(server.gpus[number]);
}

/* ---- memory; the device has been taken ---- */

static bool copy_object(struct wt_drm_emulated *gpu, uint64_t addr, uint8_t *bytes, size_t size,
                        bool out)
{
    for (size_t done = 0, part; done < size; done += part) {
        uint64_t room = 0;
        uint8_t *host = wt_i915_find(wt_drm_emulated_driver(gpu), addr + done, &room);
        if (!host)
            return false;
        part = size - done < room ? size - done : (size_t)room;
        part = wt_own_memory_copy((uintptr_t)host, bytes + done, part, out);
        if (!part)
            return false;
    }
    return true;
}

static void merge(void *recording)
{
    wt_recording_merge(recording);
}

/* The program's threads run meanwhile, and may unmap memory of the batch: the walk is told when it
 * goes on. */
static void merge_guarded(struct drm_debugged *g)
{
    uint64_t addr;
    if (!wt_guarded(merge, g->recording, &addr))
        drm_debugged_lost_memory(g, addr);
}

/* What is recorded reaches the program at once. */
static bool write_device(struct drm_debugged *g, uint32_t thread, uint64_t addr,
                         const uint8_t *bytes, size_t size)
{
    struct wt_recording *r = g->recording;
    if (!drm_debugged_input(g, &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                  .wave = thread,
                                                  .addr = addr,
                                                  .bytes = bytes,
                                                  .size = size}))
        return false;
    if (addr < GEN_SLM_APERTURE && !wt_recording_is_away(r))
        merge_guarded(g);
    return true;
}

static bool copy(struct wt_drm_emulated *gpu, uint32_t thread, uint64_t addr, uint8_t *bytes,
                 size_t size, bool out)
{
    struct drm_debugged *g = wt_drm_emulated_debugged(gpu);
    struct wt_machine *m = gen_machine(g->device);
    if (g->walking && (out ? m->ops->read_memory(m, thread, 0, addr, bytes, size)
                           : write_device(g, thread, addr, bytes, size)))
        return true;
    return addr < GEN_SLM_APERTURE && copy_object(gpu, addr, bytes, size, out);
}

/* Breakpoints are remembered, for when the debugger goes without lifting them: each is a bit. */
static void note_breakpoint(struct wt_drm_emulated *gpu, uint64_t addr, const uint8_t *bytes,
                            size_t size)
{
    struct wt_planted_one one = {.addr = addr, .size = 4};
    struct wt_planted_list *list = wt_i915_planted(wt_drm_emulated_driver(gpu));
    wt_planted_written(list, addr, bytes, size);
    if (size != one.size || !drm_code_has(wt_drm_emulated_debugged(gpu)->number, addr) ||
        !copy(gpu, 0, addr, one.original, size, true))
        return;
    const uint32_t changed = (uint32_t)(wt_load_le(one.original, 4) ^ wt_load_le(bytes, 4));
    if (__builtin_popcount(changed) != 1 || !(wt_load_le(bytes, 4) & changed))
        return;
    wt_store_le(one.mask, changed, 4);
    memcpy(one.trap, bytes, size);
    wt_planted_add(list, &one);
}

static bool copy_code(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    struct wt_drm_emulated *gpu = context;
    return drm_code_has(wt_drm_emulated_debugged(gpu)->number, addr) &&
           copy(gpu, 0, addr, bytes, size, out);
}

/* Puts all breakpoints into a GPU's memory, or takes them out. */
static void set_breakpoints(unsigned number, bool on)
{
    wt_planted_set(wt_i915_planted(driver(number)), on, copy_code, server.gpus[number]);
}

/* ---- requests ---- */

static void greet(struct gen_wire_answer *answer)
{
    struct gen_wire_hello hello = {.magic = GEN_WIRE_MAGIC,
                                   .request_bytes = sizeof(struct gen_wire_request),
                                   .pid = (uint32_t)getpid(),
                                   .gpus = server.gpu_count,
                                   .saved = GEN_SAVED_APERTURE,
                                   .slm = GEN_SLM_APERTURE,
                                   .file = GEN_FILE_APERTURE};
    for (unsigned i = 0; i < server.gpu_count; i++)
        hello.subslices[i] = gen_machine(debugged(i)->device)->waves / GEN_SUBSLICE_THREADS;
    answer->size = sizeof hello;
    memcpy(server.bytes, &hello, sizeof hello);
}

static void tell_event(const struct gen_wire_request *request, struct gen_wire_answer *answer)
{
    const uint64_t ms = request->value < GEN_WIRE_WAIT_MS ? request->value : GEN_WIRE_WAIT_MS;
    struct drm_debugged *gpus[WT_DRM_MOST_GPUS];
    for (unsigned i = 0; i < server.gpu_count; i++) {
        gpus[i] = debugged(i);
        drm_debugged_asked(gpus[i]);
    }
    answer->result = drm_debugged_attention(gpus, server.gpu_count, ms) ? GEN_WIRE_ATTENTION : 0;
    answer->value = drm_code_state();
    for (unsigned i = 0; i < server.gpu_count; i++) {
        drm_debugged_enter(gpus[i]);
        if (answer->value != gpus[i]->known)
            answer->result |= GEN_WIRE_CODE;
        if (drm_debugged_fault(gpus[i]))
            answer->result |= GEN_WIRE_FAULTED;
        drm_debugged_leave(gpus[i]);
    }
}

static enum wt_status write_core(unsigned number, const struct wt_host_core *core,
                                 struct wt_error *err)
{
    struct drm_debugged *g = debugged(number);
    if (!g->walking)
        return wt_fail(err, WT_STATE, "no kernel runs: the GPU has no state");
    if (wt_recording_on(g->recording))
        return wt_host_core_write(&drm_core_ops, g, core, err);
    set_breakpoints(number, false);
    const enum wt_status status = wt_host_core_write(&drm_core_ops, g, core, err);
    set_breakpoints(number, true);
    return status;
}

static void serve_core(const struct gen_wire_request *request, struct gen_wire_answer *answer)
{
    struct wt_host_core_request asked;
    struct wt_error err;
    answer->result = -EINVAL;
    if (wt_host_core_take(&asked, server.bytes, request->size)) {
        answer->result = -(int32_t)write_core(request->device, &asked.core, &err);
        if (answer->result)
            answer->size =
                (uint32_t)snprintf((char *)server.bytes, GEN_WIRE_MOST, "%s", err.text) + 1;
    }
    wt_host_core_forget(&asked);
}

static void tell_fault(const struct drm_debugged *g, struct gen_wire_answer *answer)
{
    const struct wt_fault *fault = drm_debugged_fault(g);
    if (!fault)
        return;
    answer->size = sizeof *fault;
    memcpy(server.bytes, fault, sizeof *fault);
}

static void serve_history(const struct drm_debugged *g, const struct gen_wire_request *request,
                          struct gen_wire_answer *answer)
{
    const struct wt_travel_request asked = {request->addr, request->value, request->size};
    struct wt_travel_answer told;
    wt_recording_serve(g->recording, &asked, &told, server.bytes);
    answer->result = told.result;
    answer->size = told.size;
    answer->value = told.argument;
}

/* Serves the requests for which the GPU is locked. */
static void serve_device(const struct gen_wire_request *request, struct gen_wire_answer *answer)
{
    struct drm_debugged *g = debugged(request->device);
    struct wt_drm_emulated *gpu = server.gpus[request->device];
    struct wt_machine *m = gen_machine(g->device);
    const uint32_t thread = request->thread < m->waves ? request->thread : 0;
    struct wt_wave_view view;
    switch ((enum gen_wire_kind)request->kind) {
    case GEN_WIRE_REGISTER_READ:
        answer->value =
            drm_debugged_input(g, &(struct wt_input){.kind = WT_INPUT_DEBUG_READ,
                                                     .addr = (uint32_t)request->addr / 4});
        break;
    case GEN_WIRE_REGISTER_WRITE:
        drm_debugged_write(g, (uint32_t)request->addr / 4, (uint32_t)request->value);
        break;
    case GEN_WIRE_READ:
        if (copy(gpu, thread, request->addr, server.bytes, request->size, true))
            answer->size = request->size;
        else
            answer->result = -EFAULT;
        break;
    case GEN_WIRE_WRITE:
        note_breakpoint(gpu, request->addr, server.bytes, request->size);
        if (!copy(gpu, thread, request->addr, server.bytes, request->size, false))
            answer->result = -EFAULT;
        break;
    case GEN_WIRE_WATCH:
        if (!drm_debugged_watch(g, (const void *)server.bytes,
                                request->size / sizeof(struct gen_wire_watch)))
            answer->result = -ENOMEM;
        break;
    case GEN_WIRE_WATCHED:
        answer->size = (uint32_t)sizeof(struct gen_wire_hit) *
                       (uint32_t)drm_debugged_take_hits(
                           g, (void *)server.bytes, request->size / sizeof(struct gen_wire_hit));
        break;
    case GEN_WIRE_WAITS:
        if (wt_machine_wave_id(m, thread) != request->value) {
            answer->result = -ENOENT;
            break;
        }
        m->ops->view(m, thread, &view);
        answer->size = sizeof view;
        memcpy(server.bytes, &view, sizeof view);
        break;
    case GEN_WIRE_FAULT:
        tell_fault(g, answer);
        break;
    case GEN_WIRE_RETRY:
        drm_debugged_retry(g);
        break;
    case GEN_WIRE_CORE:
        serve_core(request, answer);
        break;
    case GEN_WIRE_RECORD:
        answer->result = drm_debugged_record(g, request->value) ? 0 : -ENOMEM;
        break;
    case GEN_WIRE_TIME:
        answer->value = wt_recording_time(g->recording);
        break;
    case GEN_WIRE_HISTORY:
        serve_history(g, request, answer);
        break;
    default:
        answer->result = -ENOSYS;
        break;
    }
}

static void want_final(bool want)
{
    for (unsigned i = 0; i < server.gpu_count; i++)
        wt_final_want(wt_i915_final_memory(driver(i)), want);
}

static void tell_final(const struct gen_wire_request *request, struct gen_wire_answer *answer)
{
    answer->result = WT_FINAL_WIRE_MEMORY;
    answer->size = (uint32_t)wt_i915_final_next(driver(request->device), request->addr,
                                                server.bytes, sizeof server.bytes);
}

static void list_kernels(struct gen_wire_answer *answer)
{
    struct gen_wire_kernel *list = (void *)server.bytes;
    static_assert(_Alignof(struct gen_wire_kernel) <= 8, "the answer is aligned");
    answer->size = drm_code_list(list, GEN_WIRE_MOST / sizeof *list) * (uint32_t)sizeof *list;
}

/* Tells all GPUs of a debugger that is there, or that it knows the list of kernels. */
static void serve_all(const struct gen_wire_request *request)
{
    for (unsigned i = 0; i < server.gpu_count; i++) {
        drm_debugged_enter(debugged(i));
        if (request->kind == GEN_WIRE_DEBUG)
            drm_debugged_attach(debugged(i), true);
        else
            drm_debugged_know(debugged(i), request->value);
        drm_debugged_leave(debugged(i));
    }
}

/* A request that is served. */
struct serving {
    const struct gen_wire_request *request;
    struct gen_wire_answer *answer;
};

static void serve_it(void *context)
{
    const struct serving *s = context;
    serve_device(s->request, s->answer);
}

/* The program's threads run meanwhile, and may unmap memory of the batch. */
static void serve_guarded(const struct gen_wire_request *request, struct gen_wire_answer *answer)
{
    struct serving serving = {request, answer};
    uint64_t addr;
    if (wt_guarded(serve_it, &serving, &addr))
        return;
    drm_debugged_lost_memory(debugged(request->device), addr);
    *answer = (struct gen_wire_answer){.result = -EFAULT};
}

static void serve(const struct gen_wire_request *request, struct gen_wire_answer *answer)
{
    int32_t copied;
    *answer = (struct gen_wire_answer){.result = 0};
    if (request->device >= server.gpu_count) {
        answer->result = -ENODEV;
        return;
    }
    switch ((enum gen_wire_kind)request->kind) {
    case GEN_WIRE_HELLO:
        greet(answer);
        break;
    case GEN_WIRE_DEBUG:
    case GEN_WIRE_CODE_KNOWN:
        serve_all(request);
        break;
    case GEN_WIRE_EVENT:
        tell_event(request, answer);
        break;
    case GEN_WIRE_KERNELS:
        list_kernels(answer);
        break;
    case GEN_WIRE_ELF:
        answer->size = drm_code_elf(request->addr, request->value, server.bytes, request->size);
        break;
    case GEN_WIRE_SOURCE:
        copied = drm_code_text(request->addr, request->value, server.bytes, request->size);
        answer->size = copied > 0 ? (uint32_t)copied : 0;
        answer->result = copied < 0 ? -ENOENT : 0;
        break;
    case GEN_WIRE_FINAL:
        want_final(true);
        break;
    case GEN_WIRE_FINAL_NEXT:
        tell_final(request, answer);
        break;
    default:
        drm_debugged_enter(debugged(request->device));
        serve_guarded(request, answer);
        drm_debugged_leave(debugged(request->device));
        break;
    }
}

/* ---- the conversation ---- */

static bool converse(void *context, struct wt_endpoint *endpoint, int fd)
{
    struct gen_wire_request request;
    struct gen_wire_answer answer;
    (void)context;
    if (!wt_endpoint_receive(fd, &request, sizeof request) || !gen_wire_sound(&request) ||
        !wt_endpoint_receive(fd, server.bytes, gen_wire_follows(&request)))
        return false;
    serve(&request, &answer);
    return wt_endpoint_answer(endpoint, &answer, sizeof answer, server.bytes, answer.size);
}

static void end_recording(void *context)
{
    drm_debugged_record(context, 0);
}

static void let_go(void *context)
{
    uint64_t addr;
    (void)context;
    want_final(false);
    for (unsigned i = 0; i < server.gpu_count; i++) {
        drm_debugged_enter(debugged(i));
        if (!wt_guarded(end_recording, debugged(i), &addr)) {
            drm_debugged_lost_memory(debugged(i), addr);
            end_recording(debugged(i));
        }
        set_breakpoints(i, false);
        wt_planted_forget(wt_i915_planted(driver(i)));
        drm_debugged_attach(debugged(i), false);
        drm_debugged_leave(debugged(i));
    }
}

static bool is_held(void *context)
{
    (void)context;
    drm_debugged_enter(debugged(0)); /* they are held and released together */
    const bool held = debugged(0)->held;
    drm_debugged_leave(debugged(0));
    return held;
}

static void hold(bool held)
{
    for (unsigned i = 0; i < server.gpu_count; i++)
        drm_debugged_hold(debugged(i), held);
}

static void release(void *context)
{
    (void)context;
    hold(false);
}

static size_t busy_word(uint8_t word[WT_ENDPOINT_WORD])
{
    const struct gen_wire_answer answer = {.result = -EBUSY};
    memcpy(word, &answer, sizeof answer);
    return sizeof answer;
}

static size_t end_word(int status, bool closed, uint8_t word[WT_ENDPOINT_WORD])
{
    const struct gen_wire_answer answer = {
        .result = GEN_WIRE_ENDED, .closed = closed, .value = (uint32_t)status};
    memcpy(word, &answer, sizeof answer);
    return sizeof answer;
}

/* This thread's own accesses may fail: guard.c takes these signals. */
static void begin(void *context)
{
    sigset_t own;
    (void)context;
    sigemptyset(&own);
    sigaddset(&own, SIGSEGV);
    sigaddset(&own, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
}

static const struct wt_endpoint_ops ops = {.kind = GEN_WIRE_SOCKET,
                                           .begin = begin,
                                           .converse = converse,
                                           .let_go = let_go,
                                           .is_held = is_held,
                                           .release = release,
                                           .busy = busy_word,
                                           .ended = end_word};

/* ---- beginning and end ---- */

static void forget_in_child(void)
{
    wt_endpoint_after_fork(server.endpoint);
    server.endpoint = NULL;
}

static void tell_exit(int status, void *context)
{
    (void)context;
    if (server.endpoint && wt_final_wanted(wt_i915_final_memory(driver(0))))
        wt_endpoint_tell_exit_and_wait(server.endpoint, status);
    else
        wt_endpoint_tell_exit(server.endpoint, status);
}

__attribute__((destructor)) static void end(void)
{
    wt_endpoint_forget(server.endpoint);
}

void wt_drm_endpoint_start(struct wt_drm_emulated *const *gpus, unsigned count)
{
    pid_t holder;
    if (server.endpoint)
        return;
    assert(count && count <= WT_DRM_MOST_GPUS);
    server.gpus = gpus;
    server.gpu_count = count;
    const bool held = wt_endpoint_held(&holder);
    if (!server.registered) {
        pthread_atfork(NULL, NULL, forget_in_child);
        on_exit(tell_exit, NULL);
    }
    server.registered = true;
    hold(held);
    server.endpoint = wt_endpoint_start(&ops, NULL, holder);
    if (server.endpoint || !held)
        return;
    fputs("wavetrap: no debugger can come: kernels are not held\n", stderr);
    hold(false);
}

void wt_drm_endpoint_stop(void)
{
    wt_endpoint_stop(server.endpoint);
    server.endpoint = NULL;
}
