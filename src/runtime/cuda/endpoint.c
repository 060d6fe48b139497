/*
 * The endpoint of a process with libcuda for debuggers, as object/sm_wire.h has it. When a debugger
 * goes, in whatever way, its breakpoints are lifted, and warps that it held go on.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "object/final_wire.h"
#include "runtime/common/endpoint.h"
#include "runtime/common/own_memory.h"
#include "runtime/cuda/core_file.h"
#include "runtime/cuda/debug.h"
#include "runtime/cuda/final_memory.h"
#include "runtime/cuda/gpu_internal.h"
#include "runtime/cuda/state.h"

#define BPT_TRAP_1 UINT64_C(0xe3a00000001000c0)

static struct {
    struct wt_endpoint *endpoint; /* NULL: debuggers cannot come */
    struct gpu *const *gpu;
    unsigned gpu_count;
    _Alignas(8) uint8_t bytes[SM_WIRE_MOST];
} server;

static struct gpu *gpu_at(uint32_t number)
{
    return number < server.gpu_count ? server.gpu[number] : NULL;
}

static struct sm_device *device_of(uint32_t number)
{
    return number < server.gpu_count ? server.gpu[number]->device : NULL;
}

/* ---- memory ---- */

/* The GPU that an address belongs to; of memory of the host, the first one. */
static struct gpu *owner_of(uint64_t addr)
{
    struct gpu *g = addr >= SPACES ? gpu_at((uint32_t)((addr - SPACES) / SPACE_BYTES)) : NULL;
    return g ? g : gpu_at(0);
}

/* Memory of the process. The device decodes code anew that was written. */
static bool copy_own(uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    return wt_own_memory_copy(addr, bytes, size, out) == size &&
           (out || sm_device_write(owner_of(addr)->device, addr, bytes, size));
}

/* A GPU that is recorded has a copy of memory. */
static bool copy_process(uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    struct wt_recording *r = owner_of(addr)->recording;
    if (!wt_recording_on(r))
        return copy_own(addr, bytes, size, out);
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done;
        if (!(out ? wt_recording_read(r, addr + done, bytes + done, &part)
                  : wt_recording_write(r, addr + done, bytes + done, &part)) &&
            !copy_own(addr + done, bytes + done, part, out))
            return false;
    }
    return true;
}

static bool copy(const struct sm_wire_request *r, uint8_t *bytes, bool out)
{
    struct sm_warp_state warp;
    struct sm_device *d = device_of(r->device);
    const bool windows = r->value - SM_SHARED_WINDOW < 2 * SM_WINDOW_BYTES;
    static_assert(SM_SHARED_WINDOW + SM_WINDOW_BYTES == SM_LOCAL_WINDOW, "they are neighbours");
    if (!windows || !d || !sm_warp_state(d, r->warp, &warp))
        return copy_process(r->value, bytes, r->size, out);
    struct wt_machine *m = sm_machine(d);
    return out ? m->ops->read_memory(m, r->warp, r->lane, r->value, bytes, r->size)
               : gpu_input(gpu_at(r->device), &(struct wt_input){.kind = WT_INPUT_MEMORY,
                                                                 .wave = r->warp,
                                                                 .lane = r->lane,
                                                                 .addr = r->value,
                                                                 .bytes = bytes,
                                                                 .size = r->size});
}

/* Breakpoints are remembered, for when the debugger goes without lifting them. */
static void note_breakpoint(const struct sm_wire_request *r)
{
    struct wt_planted_one one = {.addr = r->value, .size = 8};
    wt_planted_written(cuda_planted(), r->value, server.bytes, r->size);
    if (r->size != one.size || wt_load_le(server.bytes, 8) != BPT_TRAP_1 ||
        !copy(r, one.original, true))
        return;
    memset(one.mask, 0xff, one.size);
    memcpy(one.trap, server.bytes, one.size);
    wt_planted_add(cuda_planted(), &one);
}

/* ---- the debugger goes ---- */

static bool copy_code(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out)
{
    const struct sm_wire_request at = {.warp = UINT32_MAX, .value = addr, .size = (uint32_t)size};
    (void)context;
    return copy(&at, bytes, out);
}

static void let_go(void *context)
{
    (void)context;
    debug_enter_as_debugger();
    wt_final_want(cuda_final_memory(), false);
    for (uint32_t i = 0; i < server.gpu_count; i++)
        gpu_record(server.gpu[i], 0);
    if (debug_followed()) { /* who has only looked has changed nothing */
        wt_planted_set(cuda_planted(), false, copy_code, NULL);
        wt_planted_forget(cuda_planted());
        for (uint32_t i = 0; i < server.gpu_count; i++) {
            debug_watch(server.gpu[i], NULL, 0);
            sm_device_release(device_of(i));
        }
        debug_follow(false);
        debug_poke();
    }
    debug_leave_as_debugger();
}

/* ---- requests ---- */

static void answer_hello(struct sm_wire_answer *answer)
{
    struct sm_wire_hello hello = {.magic = SM_WIRE_MAGIC,
                                  .request_bytes = sizeof(struct sm_wire_request),
                                  .pid = (uint32_t)getpid()};
    static_assert(STATE_MOST_GPUS <= SM_WIRE_DEVICES, "the greeting has room for all");
    for (; hello.devices < server.gpu_count; hello.devices++)
        hello.sms[hello.devices] = gpu_sms(server.gpu[hello.devices]);
    answer->size = sizeof hello;
    memcpy(server.bytes, &hello, sizeof hello);
}

static void access_registers(struct gpu *g, const struct sm_wire_request *r,
                             struct sm_wire_answer *answer)
{
    bool written = false;
    for (size_t at = 0; at + sizeof(struct sm_wire_register) <= r->size;
         at += sizeof(struct sm_wire_register)) {
        struct sm_wire_register one;
        memcpy(&one, server.bytes + at, sizeof one);
        const struct wt_input input = {.kind =
                                           one.write ? WT_INPUT_DEBUG_WRITE : WT_INPUT_DEBUG_READ,
                                       .addr = one.addr,
                                       .value = one.value};
        const uint32_t value = gpu_input(g, &input);
        one.value = one.write ? one.value : value;
        written |= one.write;
        memcpy(server.bytes + at, &one, sizeof one);
    }
    answer->size = r->size;
    if (written)
        debug_poke();
}

/* Whether the warp of a request is in its slot. */
static bool is_there(struct wt_machine *m, const struct sm_wire_request *r)
{
    return r->warp < m->waves && wt_machine_wave_id(m, r->warp) == r->value;
}

static int tell_fault(const struct gpu *g, const struct sm_wire_request *r,
                      struct sm_wire_answer *answer)
{
    struct wt_fault *f =
        is_there(sm_machine(g->device), r) ? sm_warp_error(g->device, r->warp) : NULL;
    if (!f)
        return -ENOENT;
    gpu_note_fault_memory(g, f);
    answer->size = sizeof *f;
    memcpy(server.bytes, f, sizeof *f);
    return 0;
}

static void list_warps(struct sm_device *d, struct sm_wire_answer *answer)
{
    const uint32_t count = sm_machine(d)->waves;
    for (uint32_t i = 0; i < count; i++) {
        struct sm_wire_warp warp = {.present = false};
        struct sm_warp_state state;
        if (sm_warp_state(d, i, &state)) {
            warp = (struct sm_wire_warp){.id = wt_machine_wave_id(sm_machine(d), i),
                                         .pc = state.pc,
                                         .present = true,
                                         .steps = state.steps,
                                         .active = state.active,
                                         .index = state.index,
                                         .lanes = (uint32_t)state.error.lanes,
                                         .kind = state.error.kind,
                                         .error_pc = state.error.pc};
            memcpy(warp.block, state.cta, sizeof warp.block);
        }
        memcpy(server.bytes + i * sizeof warp, &warp, sizeof warp);
    }
    answer->size = count * (uint32_t)sizeof(struct sm_wire_warp);
}

static void list_modules(struct sm_wire_answer *answer)
{
    size_t count;
    const struct debug_module *list = debug_modules(&count, &answer->value[0]);
    const size_t most = SM_WIRE_MOST / sizeof list->wire;
    for (size_t i = 0; i < count && i < most; i++)
        memcpy(server.bytes + i * sizeof list->wire, &list[i].wire, sizeof list->wire);
    answer->size = (uint32_t)((count < most ? count : most) * sizeof list->wire);
}

/* Makes an ELF file of a cubin that was read into parts. */
static int read_text(const struct sm_wire_request *r, struct sm_wire_answer *answer)
{
    size_t count, length;
    uint64_t state;
    uint8_t *cubin = NULL;
    const struct debug_module *list = debug_modules(&count, &state);
    while (count && list->wire.id != r->value)
        list++, count--;
    const struct gpu_module *m = count ? list->module : NULL;
    if (!m || (m->count ? r->number >= m->count
                        : cubin_write(&m->cubin, &cubin, &length, WT_IGNORED) != WT_OK))
        return -ENOENT;
    const void *text = m->count ? (void *)m->text[r->number].text->text : cubin;
    if (m->count)
        length = strlen(text);
    const size_t left = r->lanes < length ? length - r->lanes : 0;
    answer->size = (uint32_t)(left < r->size ? left : r->size);
    memcpy(server.bytes, (const uint8_t *)text + (length - left), answer->size);
    free(cubin);
    return 0;
}

static int write_core(struct gpu *g, const struct sm_wire_request *r, struct sm_wire_answer *answer)
{
    struct wt_host_core_request asked;
    struct wt_error err = {0};
    int result = -EINVAL;
    if (wt_host_core_take(&asked, server.bytes, r->size)) {
        result = -(int)wt_host_core_write(&cuda_core_ops, g, &asked.core, &err);
        if (result)
            answer->size =
                (uint32_t)snprintf((char *)server.bytes, SM_WIRE_MOST, "%s", err.text) + 1;
    }
    wt_host_core_forget(&asked);
    return result;
}

static bool write_row(struct gpu *g, const struct sm_wire_request *r)
{
    struct sm_row_write w = {.warp = r->warp, .number = r->number, .lanes = r->lanes};
    static_assert(sizeof w.row == SM_WIRE_ROW, "a row of 32 dwords");
    memcpy(w.row, server.bytes, sizeof w.row);
    return gpu_input(g, &(struct wt_input){.kind = WT_INPUT_OPERATION,
                                           .bytes = &w,
                                           .size = sizeof w,
                                           .operation = sm_do_write_row});
}

static int serve_history(struct gpu *g, const struct sm_wire_request *r,
                         struct sm_wire_answer *answer)
{
    const struct wt_travel_request asked = {.what = r->number, .argument = r->value, r->size};
    struct wt_travel_answer told;
    wt_recording_serve(g->recording, &asked, &told, server.bytes);
    answer->size = told.size;
    answer->value[0] = told.argument;
    return told.result;
}

/* The first range that a GPU may use. */
static bool next_used(void *context, uint64_t from, uint64_t *addr, uint64_t *end)
{
    bool any = false;
    (void)context;
    for (unsigned i = 0; i < server.gpu_count; i++) {
        uint64_t start, size;
        if (!sm_device_next_mapped(server.gpu[i]->device, from, &start, &size) ||
            (any && start >= *addr))
            continue;
        *addr = start;
        *end = start + size;
        any = true;
    }
    return any;
}

static int serve_final(const struct sm_wire_request *r, struct sm_wire_answer *answer)
{
    static const struct wt_final_ops memory = {next_used, cuda_read_plain};
    answer->size = (uint32_t)wt_final_next(cuda_final_memory(), &memory, NULL, r->value,
                                           server.bytes, sizeof server.bytes);
    return WT_FINAL_WIRE_MEMORY;
}

/* Why a warp waits, and where its lanes that are not enabled go on. */
static int tell_detail(struct wt_machine *m, uint32_t warp, struct sm_wire_answer *answer)
{
    struct wt_wave_view view;
    struct sm_wire_waiters waiters[SM_WIRE_MOST_WAITERS];
    unsigned count = 0;
    m->ops->view(m, warp, &view);
    for (unsigned i = view.depth; i-- > 0 && count < SM_WIRE_MOST_WAITERS;) {
        struct wt_divergence entry;
        if (m->ops->divergence(m, warp, i, &entry) && entry.other)
            waiters[count++] =
                (struct sm_wire_waiters){.pc = entry.pc, .lanes = (uint32_t)entry.other};
    }
    memcpy(server.bytes, &view, sizeof view);
    memcpy(server.bytes + sizeof view, waiters, count * sizeof *waiters);
    answer->size = (uint32_t)(sizeof view + count * sizeof *waiters);
    return 0;
}

/* A request to a device. */
static int serve_device(struct gpu *g, const struct sm_wire_request *r,
                        struct sm_wire_answer *answer)
{
    struct sm_device *d = g->device;
    struct wt_machine *m = sm_machine(d);
    struct sm_warp_state state;
    uint32_t size;
    switch ((enum sm_wire_kind)r->kind) {
    case SM_WIRE_REGISTERS:
        access_registers(g, r, answer);
        return 0;
    case SM_WIRE_RECORD:
        return gpu_record(g, r->value) ? 0 : -ENOMEM;
    case SM_WIRE_TIME:
        answer->value[0] = wt_recording_time(g->recording);
        return 0;
    case SM_WIRE_HISTORY:
        return serve_history(g, r, answer);
    case SM_WIRE_WARPS:
        list_warps(d, answer);
        return 0;
    case SM_WIRE_DETAIL:
        return is_there(m, r) ? tell_detail(m, r->warp, answer) : -ENOENT;
    case SM_WIRE_FAULT:
        return tell_fault(g, r, answer);
    case SM_WIRE_READ_ROW:
        answer->size = SM_WIRE_ROW;
        memset(server.bytes, 0, SM_WIRE_ROW);
        return m->ops->read_row(m, r->warp, r->number, server.bytes) ? 0 : -EINVAL;
    case SM_WIRE_WRITE_ROW:
        return write_row(g, r) ? 0 : -EINVAL;
    case SM_WIRE_READ_FILE:
        answer->size = r->size;
        return sm_read_file(d, r->warp, r->value, server.bytes, r->size) ? 0 : -EINVAL;
    case SM_WIRE_WATCH:
        return debug_watch(g, (const void *)server.bytes, r->size / sizeof(struct sm_wire_watch))
                   ? 0
                   : -ENOMEM;
    case SM_WIRE_HITS:
        answer->size = (uint32_t)(debug_take_hits(g, (void *)server.bytes,
                                                  SM_WIRE_MOST / sizeof(struct sm_wire_hit)) *
                                  sizeof(struct sm_wire_hit));
        return 0;
    case SM_WIRE_CORE:
        return write_core(g, r, answer);
    case SM_WIRE_LOCAL:
        if (!sm_warp_local(d, r->warp, r->lane, &answer->value[0], &size))
            return -EINVAL;
        answer->value[1] = size;
        return 0;
    case SM_WIRE_FAIL:
        if (!sm_warp_state(d, r->warp, &state))
            return -EINVAL;
        if (!state.error.kind) /* it stands behind a trap of its own */
            state.error = (struct wt_fault){.kind = WT_FAULT_TRAP,
                                            .wave = r->warp,
                                            .lanes = state.active,
                                            .pc = sm_pc_before(state.pc),
                                            .text = "trap (BPT.TRAP 0x1), and there is no trap "
                                                    "handler"};
        debug_fail(&state.error);
        debug_poke();
        return 0;
    default:
        return -ENOSYS;
    }
}

static int serve(const struct sm_wire_request *r, struct sm_wire_answer *answer)
{
    struct sm_wire_launch launch;
    struct gpu *g;
    uint32_t size = 0;
    switch ((enum sm_wire_kind)r->kind) {
    case SM_WIRE_HELLO:
        answer_hello(answer);
        return 0;
    case SM_WIRE_ATTACH:
        debug_follow(true);
        return 0;
    case SM_WIRE_EVENT:
        return debug_event(&answer->value[0]);
    case SM_WIRE_KNOWN:
        debug_known(r->value);
        return 0;
    case SM_WIRE_LAUNCH:
        launch = debug_launch();
        answer->size = sizeof launch;
        memcpy(server.bytes, &launch, sizeof launch);
        return 0;
    case SM_WIRE_READ:
        answer->size = r->size;
        return copy(r, server.bytes, true) ? 0 : -EFAULT;
    case SM_WIRE_WRITE:
        note_breakpoint(r);
        return copy(r, server.bytes, false) ? 0 : -EFAULT;
    case SM_WIRE_BANK:
        if (!debug_bank(r->number, &answer->value[0], &size))
            return -EINVAL;
        answer->value[1] = size;
        return 0;
    case SM_WIRE_WAIT:
        debug_wait(SM_WIRE_WAIT_MS);
        return 0;
    case SM_WIRE_MODULES:
        list_modules(answer);
        return 0;
    case SM_WIRE_TEXT:
        return read_text(r, answer);
    case SM_WIRE_FINAL:
        wt_final_want(cuda_final_memory(), true);
        return 0;
    case SM_WIRE_FINAL_NEXT:
        return serve_final(r, answer);
    default:
        g = gpu_at(r->device);
        return g ? serve_device(g, r, answer) : -ENODEV;
    }
}

/* ---- the conversation ---- */

static bool converse(void *context, struct wt_endpoint *endpoint, int fd)
{
    struct sm_wire_request request;
    struct sm_wire_answer answer = {.result = 0};
    (void)context;
    if (!wt_endpoint_receive(fd, &request, sizeof request) || !sm_wire_sound(&request) ||
        !wt_endpoint_receive(fd, server.bytes, sm_wire_follows(&request)))
        return false;
    debug_enter_as_debugger();
    answer.result = serve(&request, &answer);
    if (answer.result < 0 && answer.result != WT_FINAL_WIRE_MEMORY &&
        request.kind != SM_WIRE_CORE && request.kind != SM_WIRE_HISTORY)
        answer.size = 0;
    debug_leave_as_debugger();
    return wt_endpoint_answer(endpoint, &answer, sizeof answer, server.bytes, answer.size);
}

static size_t end_word(int status, bool closed, uint8_t word[WT_ENDPOINT_WORD])
{
    const struct sm_wire_answer answer = {.result = SM_WIRE_ENDED,
                                          .value = {(uint32_t)status, closed}};
    memcpy(word, &answer, sizeof answer);
    return sizeof answer;
}

static size_t busy_word(uint8_t word[WT_ENDPOINT_WORD])
{
    const struct sm_wire_answer answer = {.result = -EBUSY};
    memcpy(word, &answer, sizeof answer);
    return sizeof answer;
}

static bool is_held(void *context)
{
    (void)context;
    debug_enter_as_debugger();
    const bool held = debug_held();
    debug_leave_as_debugger();
    return held;
}

static void release(void *context)
{
    (void)context;
    debug_enter_as_debugger();
    debug_hold(false);
    debug_leave_as_debugger();
}

static const struct wt_endpoint_ops ops = {.kind = SM_WIRE_SOCKET,
                                           .converse = converse,
                                           .let_go = let_go,
                                           .is_held = is_held,
                                           .release = release,
                                           .busy = busy_word,
                                           .ended = end_word};

/* ---- beginning and end ---- */

/* A child has neither the threads nor the devices of its parent. */
static void after_fork(void)
{
    wt_endpoint_after_fork(server.endpoint);
    server.endpoint = NULL;
    *cuda_final_memory() = (struct wt_final_memory)WT_FINAL_MEMORY_NONE;
    *cuda_planted() = (struct wt_planted_list)WT_PLANTED_NONE;
}

static void tell_exit(int status, void *context)
{
    (void)context;
    if (wt_final_wanted(cuda_final_memory()))
        wt_endpoint_tell_exit_and_wait(server.endpoint, status);
    else
        wt_endpoint_tell_exit(server.endpoint, status);
}

void endpoint_start(struct gpu *const *gpus, unsigned count)
{
    pid_t holder;
    server.gpu = gpus;
    server.gpu_count = count;
    debug_hold(wt_endpoint_held(&holder));
    server.endpoint = wt_endpoint_start(&ops, NULL, holder);
    if (!server.endpoint && debug_held()) {
        fputs("wavetrap: no debugger can come: kernels are not held\n", stderr);
        debug_hold(false);
    }
    pthread_atfork(NULL, NULL, after_fork);
    on_exit(tell_exit, NULL);
}

__attribute__((destructor)) void endpoint_forget(void)
{
    wt_endpoint_forget(server.endpoint);
}
