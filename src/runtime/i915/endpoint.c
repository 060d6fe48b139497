/*
 * The driver of GPUs for debuggers of the process (object/process_wire.h, object/gen_wire.h).
 * Memory is that of the walk under way. If there is none, or its tables do not map an address, it
 * is that of the program's buffer objects: breakpoints in code are inserted and removed between
 * walks, too.
 */
#include "runtime/i915/endpoint.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/machine.h"
#include "runtime/common/guard.h"
#include "runtime/common/own_memory.h"
#include "runtime/common/serve.h"
#include "runtime/i915/code.h"
#include "runtime/i915/debugged.h"

/* One in a process, as there is one set of device files. */
static struct {
    struct wt_drm_emulated *const *gpus;
    unsigned gpu_count;
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

/* Writes memory for the debugger. While a kernel is recorded, the program sees it at once. */
static bool write_device(struct drm_debugged *g, uint32_t thread, uint64_t addr,
                         const uint8_t *bytes, size_t size)
{
    struct wt_recording *r = g->recording;
    if (!wt_hosted_input(&g->hosted, &(struct wt_input){.kind = WT_INPUT_MEMORY,
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

/* Each is a bit. */
static uint64_t breakpoint(void *context, const struct wt_wire_request *request, uint64_t bytes,
                           uint64_t original)
{
    const uint64_t changed = bytes ^ original;
    return request->follows == 4 &&
                   drm_code_has(debugged(request->device)->number, request->addr) &&
                   __builtin_popcountll(changed) == 1 && bytes & changed
               ? changed
               : 0;
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
    wt_planted_set(debugged(number)->planted, on, copy_code, server.gpus[number]);
}

/* ---- requests ---- */

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    hello->place[GEN_WIRE_SAVED] = GEN_SAVED_APERTURE;
    hello->place[GEN_WIRE_SLM] = GEN_SLM_APERTURE;
    hello->place[GEN_WIRE_FILE] = GEN_FILE_APERTURE;
    for (unsigned i = 0; i < server.gpu_count; i++)
        hello->units[i] = gen_machine(debugged(i)->device)->waves / GEN_SUBSLICE_THREADS;
    *code = drm_code_state();
}

static int event(void *context, uint64_t ms, uint64_t *code)
{
    struct drm_debugged *gpus[WT_DRM_MOST_GPUS];
    for (unsigned i = 0; i < server.gpu_count; i++) {
        gpus[i] = debugged(i);
        drm_debugged_asked(gpus[i]);
    }
    int happened = drm_debugged_attention(gpus, server.gpu_count, ms) ? WT_WIRE_STOPPED : 0;
    *code = drm_code_state();
    for (unsigned i = 0; i < server.gpu_count; i++) {
        drm_debugged_enter(gpus[i]);
        if (*code != gpus[i]->known)
            happened |= WT_WIRE_CODE;
        if (drm_debugged_fault(gpus[i]))
            happened |= WT_WIRE_FAULTED;
        drm_debugged_leave(gpus[i]);
    }
    return happened;
}

static enum wt_status write_core(void *context, uint32_t number, const struct wt_host_core *core,
                                 struct wt_error *err)
{
    struct drm_debugged *g = debugged(number);
    if (!g->walking)
        return wt_fail(err, WT_STATE, "no kernel runs: the GPU has no state");
    if (wt_recording_on(g->recording))
        return wt_host_core_write(&g->hosted, core, err);
    set_breakpoints(number, false);
    const enum wt_status status = wt_host_core_write(&g->hosted, core, err);
    set_breakpoints(number, true);
    return status;
}

/* A thread that a request names but the GPU lacks counts as thread 0. */
static uint32_t thread_of(const struct wt_wire_request *request)
{
    return request->wave < gen_machine(debugged(request->device)->device)->waves ? request->wave
                                                                                 : 0;
}

static bool copy_asked(void *context, const struct wt_wire_request *request, uint8_t *bytes,
                       size_t size, bool out)
{
    return copy(server.gpus[request->device], thread_of(request), request->addr, bytes, size, out);
}

static uint32_t input(void *context, uint32_t device, const struct wt_input *input)
{
    struct drm_debugged *g = debugged(device);
    if (input->kind == WT_INPUT_DEBUG_READ)
        return wt_hosted_input(&g->hosted, input);
    drm_debugged_write(g, (uint32_t)input->addr, input->value);
    return 0;
}

static const struct wt_fault *fault(void *context, const struct wt_wire_request *request)
{
    return drm_debugged_fault(debugged(request->device));
}

static size_t final_next(void *context, uint32_t device, uint64_t from, uint8_t *bytes, size_t room)
{
    return wt_i915_final_next(driver(device), from, bytes, room);
}

static void attach(void *context)
{
    for (unsigned i = 0; i < server.gpu_count; i++) {
        drm_debugged_enter(debugged(i));
        drm_debugged_attach(debugged(i), true);
        drm_debugged_leave(debugged(i));
    }
}

static void code_known(void *context, uint64_t state)
{
    for (unsigned i = 0; i < server.gpu_count; i++) {
        drm_debugged_enter(debugged(i));
        drm_debugged_know(debugged(i), state);
        drm_debugged_leave(debugged(i));
    }
}

static int32_t own(void *context, const struct wt_wire_request *request,
                   struct wt_wire_answer *answer, uint8_t *bytes)
{
    struct gen_wire_kernel *list = (void *)bytes;
    int32_t copied;
    static_assert(_Alignof(struct gen_wire_kernel) <= 8, "the answer is aligned");
    switch ((enum gen_wire_verb)request->verb) {
    case GEN_WIRE_KERNELS:
        answer->size = drm_code_list(list, WT_WIRE_MOST / sizeof *list) * (uint32_t)sizeof *list;
        return 0;
    case GEN_WIRE_ELF:
        answer->size = drm_code_elf(request->addr, request->value, bytes, request->size);
        return 0;
    case GEN_WIRE_SOURCE:
        copied = drm_code_text(request->addr, request->value, bytes, request->size);
        answer->size = copied > 0 ? (uint32_t)copied : 0;
        return copied < 0 ? -ENOENT : 0;
    case GEN_WIRE_RETRY:
        drm_debugged_retry(debugged(request->device));
        return 0;
    default:
        return -ENOSYS;
    }
}

/* Whether a request is about one GPU, which is then locked. */
static bool is_about_device(const struct wt_wire_request *request)
{
    switch (request->verb) {
    case WT_WIRE_HELLO:
    case WT_WIRE_ATTACH:
    case WT_WIRE_EVENT:
    case WT_WIRE_CODE_KNOWN:
    case WT_WIRE_FINAL:
    case WT_WIRE_FINAL_NEXT:
    case GEN_WIRE_KERNELS:
    case GEN_WIRE_ELF:
    case GEN_WIRE_SOURCE:
        return false;
    default:
        return request->device < server.gpu_count;
    }
}

/* The program's threads run meanwhile, and may unmap memory of the batch. */
static void locked(void *context, const struct wt_wire_request *request, void (*serve)(void *),
                   void *serving)
{
    uint64_t addr;
    if (!is_about_device(request)) {
        serve(serving);
        return;
    }
    struct drm_debugged *g = debugged(request->device);
    drm_debugged_enter(g);
    if (!wt_guarded(serve, serving, &addr))
        drm_debugged_lost_memory(g, addr);
    drm_debugged_leave(g);
}

/* ---- the debugger goes ---- */

static void end_recording(void *context)
{
    wt_hosted_record(context, 0);
}

static void let_go(void *context)
{
    uint64_t addr;
    for (unsigned i = 0; i < server.gpu_count; i++) {
        wt_final_want(debugged(i)->final, false);
        drm_debugged_enter(debugged(i));
        if (!wt_guarded(end_recording, &debugged(i)->hosted, &addr)) {
            drm_debugged_lost_memory(debugged(i), addr);
            end_recording(&debugged(i)->hosted);
        }
        set_breakpoints(i, false);
        wt_planted_forget(debugged(i)->planted);
        drm_debugged_attach(debugged(i), false);
        drm_debugged_leave(debugged(i));
    }
}

static bool is_held(void *context)
{
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
    hold(false);
}

/* This thread's own accesses may fail: guard.c takes these signals. */
static void begin(void *context)
{
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, SIGSEGV);
    sigaddset(&own, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
}

static void tell_queues(void *context, bool launches, FILE *out)
{
    if (!launches)
        wt_drm_emulated_tell_waiting(server.gpus[server.gpu_count - 1], out);
}

static const struct wt_server_driver own_driver = {.kind = GEN_WIRE_SOCKET,
                                                   .family = GEN_WIRE_FAMILY,
                                                   .begin = begin,
                                                   .let_go = let_go,
                                                   .is_held = is_held,
                                                   .release = release,
                                                   .locked = locked,
                                                   .hello = hello,
                                                   .attach = attach,
                                                   .event = event,
                                                   .code_known = code_known,
                                                   .copy = copy_asked,
                                                   .breakpoint = breakpoint,
                                                   .input = input,
                                                   .fault = fault,
                                                   .queues = tell_queues,
                                                   .core = write_core,
                                                   .final_next = final_next,
                                                   .own = own};

void wt_drm_endpoint_start(struct wt_drm_emulated *const *gpus, unsigned count)
{
    pid_t holder;
    struct wt_hosted *hosted[WT_DRM_MOST_GPUS];
    assert(count && count <= WT_DRM_MOST_GPUS);
    server.gpus = gpus;
    server.gpu_count = count;
    for (unsigned i = 0; i < count; i++)
        hosted[i] = &debugged(i)->hosted;
    const bool held = wt_endpoint_held(&holder);
    hold(held);
    if (wt_server_start(&own_driver, NULL, NULL, hosted, count, holder) || !held)
        return;
    fputs("wavetrap: debuggers cannot attach: kernels are not held\n", stderr);
    hold(false);
}
