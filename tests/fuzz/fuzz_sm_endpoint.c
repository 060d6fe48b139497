/*
 * Fuzz target: the endpoint of a process with libcuda for debuggers (object/process_wire.h). An
 * input is a list of requests: registers of the SM debugger, rows, memory, watched memory, or bytes
 * as they are. A kernel runs meanwhile, whose code, memory and registers a request may write. The
 * harness is the debugger: each request that makes sense is answered, with no more bytes than were
 * asked for. Whatever comes, the process lives, the next debugger is greeted, and it can end the
 * kernel.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_host.h"

#include "base/bits.h"
#include "base/fault.h"
#include "base/wave_view.h"
#include "object/core_wire.h"
#include "object/final_wire.h"
#include "object/sm_wire.h"
#include "runtime/cuda/context.h"
#include "wavetrap/cuda.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { REQUESTS = 48, WAITS = 2, BUFFER = 1024, TRIES = 2000 };
#define SHARED UINT64_C(0xfe000000)

/* Counts until it is told to end; with shared and local memory, a call, a barrier. Blocks of two
 * threads are fast. */
static char text[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
                     ".func (.reg .b32 out) more(.reg .b32 in)\n{\n  add.u32 out, in, 1; ret;\n}\n"
                     ".visible .entry count(.param .u64 p)\n{\n"
                     "  .reg .b64 %a, %l; .reg .b32 %i, %n, %v; .reg .pred %q;\n"
                     "  .shared .align 4 .b8 tile[256]; .local .align 8 .b8 own[16];\n"
                     "  ld.param.u64 %a, [p]; mov.u32 %i, %tid.x; mov.u64 %l, own; mov.u32 %v, 0;\n"
                     "again:\n"
                     "  call (%v), more, (%v); st.local.u32 [%l], %v; bar.sync 0;\n"
                     "  atom.global.add.u32 %n, [%a+4], 1; st.shared.u32 [tile], %n;\n"
                     "  ld.volatile.global.u32 %n, [%a]; setp.eq.u32 %q, %n, 0; @%q bra again;\n"
                     "  ret;\n}\n";

static uint8_t bytes[WT_WIRE_MOST];
static uint64_t code, buffer; /* of the kernel that runs */

/* ---- the program ---- */

static void check(CUresult result)
{
    if (result)
        abort();
}

/* Launches the kernel, in whose context all may fail. */
static void *program(void *context)
{
    CUcontext own;
    CUmodule module;
    CUfunction f;
    CUdeviceptr data;
    uint8_t zeros[BUFFER] = {0};
    (void)context;
    context_forget_failures(); /* of the program before */
    check(cuCtxCreate(&own, 0, 0));
    check(cuModuleLoadData(&module, text));
    check(cuModuleGetFunction(&f, module, "count"));
    check(cuMemAlloc(&data, BUFFER));
    check(cuMemcpyHtoD(data, zeros, sizeof zeros));
    __atomic_store_n(&buffer, data, __ATOMIC_RELEASE);
    void *arguments[] = {&data};
    cuLaunchKernel(f, 3, 1, 1, 2, 1, 1, 0, NULL, arguments, NULL);
    cuMemFree(data); /* fails where the kernel has: the context has all that is left */
    cuModuleUnload(module);
    check(cuCtxDestroy(own));
    return NULL;
}

/* ---- the debugger ---- */

/* Whether so many bytes answer a request that has succeeded. */
static bool is_right_size(const struct wt_wire_request *r, uint32_t size)
{
    switch (r->verb) {
    case WT_WIRE_HELLO:
        return size == sizeof(struct wt_wire_hello);
    case SM_WIRE_LAUNCH:
        return size == sizeof(struct sm_wire_launch);
    case SM_WIRE_WARPS:
        return size && size % (64 * sizeof(struct sm_wire_warp)) == 0;
    case SM_WIRE_READ_ROW:
        return size == SM_WIRE_ROW;
    case WT_WIRE_REGISTERS:
        return size == r->follows;
    case WT_WIRE_READ:
    case SM_WIRE_READ_FILE:
        return size == r->size;
    case WT_WIRE_FAULT:
        return size == sizeof(struct wt_fault);
    case SM_WIRE_MODULES:
        return size % sizeof(struct sm_wire_module) == 0;
    case WT_WIRE_HITS:
        return size % sizeof(struct wt_wire_hit) == 0;
    case WT_WIRE_WAITS:
        return size >= sizeof(struct wt_wave_view);
    case WT_WIRE_FINAL_NEXT:
        return size >= sizeof(struct wt_final_wire_piece);
    case SM_WIRE_TEXT:
        return size <= r->size;
    case WT_WIRE_HISTORY:
        return size <= WT_TRAVEL_BYTES;
    default:
        return !size;
    }
}

/* Bytes of the sentence that may follow a refusal. */
static uint32_t most_of_why(const struct wt_wire_request *r)
{
    return r->verb == WT_WIRE_CORE || r->verb == WT_WIRE_HISTORY ? 1024 : 0;
}

/* Results below zero are refusals, but for that of memory after the end (object/final_wire.h). */
static bool is_refusal(const struct wt_wire_request *r, const struct wt_wire_answer *answer)
{
    return answer->result < 0 &&
           !(r->verb == WT_WIRE_FINAL_NEXT && answer->result == WT_FINAL_WIRE_MEMORY);
}

/* Sends a request and takes its answer; false: the process wants no more. */
static bool ask(int fd, const struct wt_wire_request *request, struct wt_wire_answer *answer)
{
    const bool sound = wt_wire_sound(request);
    if (!wt_endpoint_send(fd, request, sizeof *request) ||
        (sound && !wt_endpoint_send(fd, bytes, request->follows)) ||
        !receive(fd, answer, sizeof *answer))
        return false;
    if (!sound || answer->size > WT_WIRE_MOST ||
        (is_refusal(request, answer) ? answer->size > most_of_why(request)
                                     : !is_right_size(request, answer->size)))
        abort();
    return receive(fd, bytes, answer->size);
}

static bool simple(int fd, uint32_t verb, uint32_t warp, struct wt_wire_answer *answer)
{
    const struct wt_wire_request request = {.verb = verb, .wave = warp};
    return ask(fd, &request, answer);
}

static void greet(int fd)
{
    struct wt_wire_answer answer;
    struct wt_wire_hello hello;
    if (!simple(fd, WT_WIRE_HELLO, 0, &answer) || answer.result)
        abort();
    memcpy(&hello, bytes, sizeof hello);
    if (hello.devices != 2 || hello.units[0] != 2)
        abort();
}

static bool runs(int fd)
{
    struct wt_wire_answer answer;
    struct sm_wire_launch launch;
    if (!simple(fd, SM_WIRE_LAUNCH, 0, &answer))
        abort();
    memcpy(&launch, bytes, sizeof launch);
    return launch.runs;
}

/* The kernel waits until its module is known. Waits until it runs, and finds its code. */
static void wait_for_kernel(int fd)
{
    struct wt_wire_request known = {.verb = WT_WIRE_CODE_KNOWN};
    struct wt_wire_answer answer;
    struct sm_wire_module module = {0};
    for (unsigned i = 0; !runs(fd); i++, usleep(100)) {
        if (i == TRIES * 100 || !simple(fd, WT_WIRE_EVENT, 0, &answer))
            abort();
        known.value = answer.value[0];
        if (answer.result & WT_WIRE_CODE && !ask(fd, &known, &answer))
            abort();
    }
    if (!simple(fd, SM_WIRE_MODULES, 0, &answer) || answer.size < sizeof module)
        abort();
    memcpy(&module, bytes, sizeof module);
    code = module.code;
}

/* As a debugger whose user is tired of the kernel does. */
static void end_kernel(int fd)
{
    struct wt_wire_answer answer;
    if (!simple(fd, WT_WIRE_ATTACH, 0, &answer))
        abort();
    for (unsigned i = 0; runs(fd); i++) {
        if (i == TRIES)
            abort();
        for (uint32_t warp = 0; warp < 128; warp++)
            if (!simple(fd, SM_WIRE_FAIL, warp, &answer))
                abort();
        if (!simple(fd, SM_WIRE_WAIT, 0, &answer))
            abort();
    }
}

/* ---- the input ---- */

static unsigned waits, cores; /* requests of the present input */

/* Memory that a request may name; what it may write has `size` bytes there. */
static uint64_t place(struct input *in, uint32_t *size, bool write)
{
    const unsigned kind = (unsigned)take(in, 1) % (write ? 4 : 6);
    const uint64_t offset = take(in, 2);
    switch (kind) {
    case 0: /* the buffer */
        if (*size > BUFFER - offset % BUFFER)
            *size = (uint32_t)(BUFFER - offset % BUFFER);
        return buffer + offset % BUFFER;
    case 1: /* an instruction */
        if (*size > 8)
            *size = 8;
        return code + offset % 64 * 8;
    case 2:
    case 3: /* shared and local memory, and the addresses behind them */
        return SHARED + (offset & 1) * 0x1000000 + (offset >> 1);
    case 4:
        return take(in, 8);
    default:
        return UINT64_MAX - offset;
    }
}

/* Registers of the SMs of both GPUs, and some that there are not; values that mean something. */
static void registers(struct input *in, struct wt_wire_request *request)
{
    static const uint16_t offsets[] = {0x508, 0x50c, 0x60c, 0x610, 0x614, 0x618, 0x624, 0x628,
                                       0x634, 0x638, 0x644, 0x648, 0x64c, 0x650, 0x654, 0x658};
    static const uint32_t values[] = {0,  1, 1 | 8, 1u << 31, 1u << 30, 1 | 1u << 30, 1 | 1u << 31,
                                      ~0u};
    const unsigned count = 1 + (unsigned)take(in, 1) % 8;
    for (unsigned i = 0; i < count; i++) {
        const unsigned what = (unsigned)take(in, 1), how = (unsigned)take(in, 1);
        const struct wt_wire_register one = {
            .addr = (uint16_t)(offsets[what & 15] / 4 + (what >> 4 & 1) * 0x200),
            .write = what >> 5 & 1,
            .value = how < 128 ? values[how & 7] : (uint32_t)take(in, 4)};
        memcpy(bytes + i * sizeof one, &one, sizeof one);
    }
    request->follows = count * (uint32_t)sizeof(struct wt_wire_register);
}

static void watches(struct input *in, struct wt_wire_request *request)
{
    const unsigned count = (unsigned)take(in, 1) % 5;
    for (unsigned i = 0; i < count; i++) {
        uint32_t size = 1 + (uint32_t)take(in, 1);
        struct wt_wire_watch one = {.kind = (uint32_t)take(in, 1),
                                    .wave = (uint32_t)take(in, 1),
                                    .addr = place(in, &size, false)};
        one.size = one.kind & 64 ? take(in, 8) : size;
        memcpy(bytes + i * sizeof one, &one, sizeof one);
    }
    request->follows = count * (uint32_t)sizeof(struct wt_wire_watch);
}

static uint64_t anywhere(struct input *in)
{
    uint32_t none = 8;
    return place(in, &none, true);
}

static uint64_t number(struct input *in)
{
    const unsigned kind = (unsigned)take(in, 1);
    switch (kind & 3) {
    case 0:
        return kind >> 2;
    case 1:
        return anywhere(in);
    case 2:
        return UINT64_MAX;
    default:
        return take(in, 4);
    }
}

/* A core file, which goes to the folder. */
static void core(struct input *in, struct wt_wire_request *request, bool odd)
{
    struct wt_core_wire wanted = {
        .wave = (uint32_t)take(in, 1), .lane = (uint32_t)take(in, 1), .issues = take(in, 1) & 1};
    snprintf(wanted.path, sizeof wanted.path, "%s/core", folder);
    memset(wanted.reason, 'r', sizeof wanted.reason);
    memcpy(bytes, &wanted, sizeof wanted);
    request->follows = sizeof wanted - odd;
}

/* What follows a request, and its numbers. */
static void fill(struct input *in, struct wt_wire_request *request, unsigned how)
{
    static const uint32_t rows[] = {0,   1,   2,   17,  254, 256, 262, 264,
                                    267, 272, 273, 274, 277, 278, 279, 282};
    switch (request->verb) {
    case WT_WIRE_REGISTERS:
        registers(in, request);
        break;
    case WT_WIRE_WATCH:
        watches(in, request);
        break;
    case WT_WIRE_RECORD:
        request->value = how & 32 ? 0 : 1 << 24;
        break;
    case WT_WIRE_HISTORY: {
        const struct wt_travel_request asked =
            take_travel(in, request->size, number, anywhere, bytes);
        request->number = (uint32_t)asked.what;
        request->value = asked.argument;
        request->follows = asked.size;
        break;
    }
    case WT_WIRE_CORE:
        core(in, request, how & 32);
        break;
    case WT_WIRE_READ:
    case WT_WIRE_WRITE:
        request->addr = place(in, &request->size, request->verb == WT_WIRE_WRITE);
        request->follows = request->verb == WT_WIRE_WRITE ? request->size : 0;
        for (uint32_t i = 0; i < request->size && i < sizeof bytes;
             i++) /* a read may ask for more */
            bytes[i] = in->left ? (uint8_t)take(in, 1) : 0;
        if (how & 32) /* a breakpoint */
            wt_store_le(bytes, UINT64_C(0xe3a00000001000c0), 8);
        break;
    case SM_WIRE_READ_ROW:
    case SM_WIRE_WRITE_ROW:
        request->number = how & 64 ? (uint32_t)take(in, 2) : rows[how & 15];
        request->lanes = (uint32_t)take(in, 4);
        request->follows = request->verb == SM_WIRE_WRITE_ROW ? SM_WIRE_ROW : 0;
        for (uint32_t i = 0; i < SM_WIRE_ROW; i++)
            bytes[i] = in->left ? (uint8_t)take(in, 1) : (uint8_t)how;
        if (how & 32)
            wt_store_le(bytes, code + 8 * take(in, 1), 8);
        break;
    default:
        request->number = (uint32_t)take(in, 1);
        request->value = request->addr = how & 64 ? take(in, 8) : take(in, 1);
        break;
    }
}

/* The verbs, in an order that keeps what committed inputs mean. */
static const uint32_t verbs[] = {
    WT_WIRE_HELLO,      WT_WIRE_ATTACH,  WT_WIRE_EVENT,    WT_WIRE_CODE_KNOWN, WT_WIRE_REGISTERS,
    SM_WIRE_LAUNCH,     SM_WIRE_WARPS,   SM_WIRE_READ_ROW, SM_WIRE_WRITE_ROW,  SM_WIRE_READ_FILE,
    WT_WIRE_READ,       WT_WIRE_WRITE,   SM_WIRE_BANK,     SM_WIRE_LOCAL,      SM_WIRE_WAIT,
    SM_WIRE_FAIL,       SM_WIRE_MODULES, SM_WIRE_TEXT,     WT_WIRE_WATCH,      WT_WIRE_HITS,
    WT_WIRE_CORE,       WT_WIRE_RECORD,  WT_WIRE_TIME,     WT_WIRE_HISTORY,    WT_WIRE_FINAL,
    WT_WIRE_FINAL_NEXT, WT_WIRE_WAITS,   WT_WIRE_FAULT,    WT_WIRE_STATE,
};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* False: nothing more can be said in this conversation. */
static bool converse(int fd, struct input *in)
{
    struct wt_wire_request request = {0};
    const uint32_t kind = (uint32_t)take(in, 1) % (VERBS + 1);
    struct wt_wire_answer answer;
    const unsigned how = (unsigned)take(in, 1);
    if (kind == VERBS) { /* bytes, and maybe the end */
        uint8_t raw[16];
        for (unsigned i = 0; i < sizeof raw; i++)
            raw[i] = (uint8_t)take(in, 1);
        if (how & 128)
            greet_wrongly(SM_WIRE_SOCKET, SM_WIRE_FAMILY, how, raw, 4);
        wt_endpoint_send(fd, raw, how % sizeof raw);
        return false;
    }
    request.verb = verbs[kind];
    if (request.verb == SM_WIRE_WAIT && ++waits > WAITS)
        return true;
    if (request.verb == WT_WIRE_CORE && ++cores > 1) /* it takes long: all memory is read */
        return true;
    request.device = how & 128 ? (uint32_t)take(in, 1) : 0;
    request.wave = how & 16 ? (uint32_t)take(in, 2) : (uint32_t)take(in, 1) % 8;
    request.lane = (uint32_t)take(in, 1) % 33;
    request.size = how & 16 ? (uint32_t)take(in, 3) : (uint32_t)take(in, 1);
    if (request.size > WT_WIRE_MOST && request.verb == WT_WIRE_WRITE)
        request.size = WT_WIRE_MOST;
    fill(in, &request, how);
    return ask(fd, &request, &answer) && !(how == 0xff);
}

/* ---- an input ---- */

/* The library's reports go nowhere; a sanitizer's go where they should. */
static void quiet(void)
{
    const int own = dup(2), none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (own < 0 || none < 0)
        abort();
    __sanitizer_set_report_fd((void *)(intptr_t)own);
    stderr = fdopen(none, "w");
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    quiet();
    make_folder();
    setenv("WAVETRAP_SM_GPUS", "sm:sms=2 sm", 1);
    check(cuInit(0));
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    unsigned requests = 0;
    pthread_t thread;
    struct wt_wire_answer answer;
    waits = cores = 0;
    int fd = connect_and_greet(SM_WIRE_SOCKET, SM_WIRE_FAMILY);
    greet(fd);
    if (!simple(fd, WT_WIRE_ATTACH, 0, &answer) || pthread_create(&thread, NULL, program, NULL))
        abort();
    wait_for_kernel(fd);
    while (in.left && ++requests <= REQUESTS && converse(fd, &in))
        continue;
    close(fd);
    fd = connect_and_greet(SM_WIRE_SOCKET, SM_WIRE_FAMILY);
    greet(fd);
    end_kernel(fd);
    close(fd);
    pthread_join(thread, NULL);
    return 0;
}
