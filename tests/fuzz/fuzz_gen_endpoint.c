/*
 * Fuzz target: the endpoint of a host process whose GPU is a Gen9 (object/process_wire.h). An input
 * is a list of requests, or bytes as they are. A kernel runs meanwhile, in an endless loop of
 * stores; a request may write its code, its data and its registers. The harness is the debugger:
 * each request that makes sense is answered, with no more bytes than were asked for. Whatever
 * comes, the process lives, the next debugger is greeted, and the kernel ends when its code is
 * replaced by an end of thread. With the first byte odd the walk has a system routine of its own.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_host.h"
#include "fuzz_i915.h"

#include "base/bits.h"
#include "object/core_wire.h"
#include "object/gen_saved.h"
#include "object/gen_wire.h"
#include "runtime/i915/code.h"
#include "runtime/common/serve.h"
#include "runtime/i915/endpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { PAGE = I915_FUZZ_PAGE, THREADS = 56, TEXT = 600 };
/* Pages of the program's memory: the batch, which the harness does not write again, then what the
 * GPU sees from SEEN on. */
enum { BATCH_PAGE, CODE_PAGE, DATA_PAGE, STATE_PAGE, PAGES };
#define BATCH_SEEN UINT64_C(0x7000000000)
#define SEEN UINT64_C(0x100000)
#define CODE (SEEN)
#define DATA (SEEN + PAGE)
#define STATE (SEEN + 2 * PAGE)
#define MEMORY (3 * PAGE)
enum { ROUTINE = 0x800, PAYLOAD = 0x400 }; /* in the pages of code and of state */

/* Assembled by iga64 -p=9: r20 to r21 become the address of the data; loop: add r10, 1; store r10
 * (A64, 8 channels); jmpi loop; end of thread. */
static const uint32_t kernel[] = {
    0x00400001, 0x22804308, 0x00000020, 0x00000000, 0x00400001, 0x22a04308, 0x00000020,
    0x00000000, 0x00600040, 0x21400208, 0x068d0140, 0x00000001, 0x0c600033, 0x0000a010,
    0x00000281, 0x040681ff, 0x00000020, 0x34000004, 0x0e001400, 0xffffffd0, 0x00600001,
    0x2fe00208, 0x008d0000, 0x00000000, 0x07600031, 0x20000200, 0x06000fe0, 0x82000010};
static const uint32_t end_of_thread[] = {0x07600031, 0x20000200, 0x06000fe0, 0x82000010};
/* and cr0.0, 0x7fffffff: back to the application; nop */
static const uint32_t routine[] = {0x00008005, 0x30000000, 0x06001000, 0x7fffffff,
                                   0x0000007e, 0x00000000, 0x00000000, 0x00000000};

static struct wt_drm_emulated *gpu;
static struct wt_i915_file *file;
static pthread_t program;
static _Alignas(8) uint8_t bytes[WT_WIRE_MOST];

static uint8_t *page_of(unsigned page)
{
    return i915_fuzz_memory() + (size_t)page * PAGE;
}

/* ---- the program ---- */

static void put_address(uint32_t *dword, uint64_t address)
{
    dword[0] = (uint32_t)address | 1;
    dword[1] = (uint32_t)(address >> 32);
}

static void write_batch(bool own_routine)
{
    uint32_t batch[80] = {0}, *at = batch;
    at[0] = 0x61010011; /* STATE_BASE_ADDRESS */
    put_address(&at[1], SEEN);
    put_address(&at[4], STATE);
    put_address(&at[6], STATE);
    put_address(&at[8], STATE);
    put_address(&at[10], CODE);
    at += 19;
    if (own_routine) { /* STATE_SIP */
        at[0] = 0x61020001;
        at[1] = ROUTINE;
        at += 3;
    }
    at[0] = 0x70020002; /* MEDIA_INTERFACE_DESCRIPTOR_LOAD */
    at[2] = 32;
    at += 4;
    at[0] = 0x7105000d; /* GPGPU_WALKER: three groups of a thread of eight channels */
    at[2] = 32;
    at[3] = PAYLOAD;
    at[7] = 3;
    at[10] = at[12] = 1;
    at[13] = 0xff;
    at[15] = 0x05000000; /* MI_BATCH_BUFFER_END */
    memcpy(page_of(BATCH_PAGE), batch, sizeof batch);
}

static void write_state(void)
{
    uint32_t descriptor[8] = {0};
    const uint64_t data = DATA;
    descriptor[2] = GEN_ENABLE_ILLEGAL | GEN_ENABLE_SOFTWARE | GEN_ENABLE_STACK;
    descriptor[6] = 1 << 16 | 1; /* a thread, shared local memory */
    descriptor[7] = 1;
    memcpy(page_of(STATE_PAGE), descriptor, sizeof descriptor);
    memcpy(page_of(STATE_PAGE) + PAYLOAD, &data, sizeof data);
}

static void *submit(void *context)
{
    struct drm_i915_gem_exec_object2 list[PAGES] = {0};
    for (unsigned i = 0; i < PAGES; i++)
        list[i] = (struct drm_i915_gem_exec_object2){
            .handle = i + 1,
            .offset = i ? SEEN + (uint64_t)(i - 1) * PAGE : BATCH_SEEN,
            .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS};
    struct drm_i915_gem_execbuffer2 args = {.buffers_ptr = (uintptr_t)list,
                                            .buffer_count = PAGES,
                                            .flags = I915_EXEC_NO_RELOC | I915_EXEC_BATCH_FIRST};
    struct drm_i915_gem_wait wait = {.bo_handle = BATCH_PAGE + 1, .timeout_ns = -1};
    (void)context;
    if (wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_EXECBUFFER2, &args) ||
        wt_i915_ioctl(file, DRM_IOCTL_I915_GEM_WAIT, &wait))
        abort();
    return NULL;
}

static void start(bool own_routine)
{
    struct gen_config config;
    struct wt_error err;
    gen_config_default(&config);
    config.subslices = 1;
    memset(i915_fuzz_memory(), 0, (size_t)PAGES * PAGE);
    memcpy(page_of(CODE_PAGE), kernel, sizeof kernel);
    memcpy(page_of(CODE_PAGE) + ROUTINE, routine, sizeof routine);
    write_batch(own_routine);
    write_state();
    if (wt_drm_emulated_new(&config, NULL, &gpu, &err) != WT_OK ||
        !(file = wt_i915_open(wt_drm_emulated_driver(gpu))))
        abort();
    for (unsigned i = 0; i < PAGES; i++)
        if (i915_fuzz_userptr(file, i, 1) != i + 1)
            abort();
    wt_drm_endpoint_start(&gpu, 1);
    if (pthread_create(&program, NULL, submit, NULL))
        abort();
}

/* ---- the debugger ---- */

/* The most bytes that an answer has. */
static uint32_t most_of(const struct wt_wire_request *request)
{
    switch (request->verb) {
    case WT_WIRE_HELLO:
        return sizeof(struct wt_wire_hello);
    case WT_WIRE_READ:
    case GEN_WIRE_ELF:
    case GEN_WIRE_SOURCE:
    case WT_WIRE_HITS:
        return request->size;
    case WT_WIRE_FAULT:
        return sizeof(struct wt_fault);
    default:
        return WT_WIRE_MOST;
    }
}

/* Sends a request and takes its answer; false: the process wants no more. */
static bool ask(int fd, const struct wt_wire_request *request, struct wt_wire_answer *answer)
{
    if (!wt_endpoint_send(fd, request, sizeof *request) ||
        (wt_wire_sound(request) && !wt_endpoint_send(fd, bytes, request->follows)) ||
        !receive(fd, answer, sizeof *answer))
        return false;
    if (!wt_wire_sound(request) || answer->size > most_of(request) ||
        (request->verb == WT_WIRE_READ && answer->size && answer->size != request->size) ||
        (request->verb == WT_WIRE_HITS && answer->size % sizeof(struct wt_wire_hit)) ||
        (request->verb == GEN_WIRE_KERNELS && answer->size % sizeof(struct gen_wire_kernel)))
        abort();
    return receive(fd, bytes, answer->size);
}

static void greet(int fd)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_HELLO};
    struct wt_wire_answer answer;
    struct wt_wire_hello hello;
    if (!ask(fd, &request, &answer) || answer.result || answer.size != sizeof hello)
        abort();
    memcpy(&hello, bytes, sizeof hello);
    if (hello.devices != 1)
        abort();
}

/* ---- the end ---- */

static void overwrite(void)
{
    const int fd = connect_and_greet(GEN_WIRE_SOCKET, GEN_WIRE_FAMILY);
    struct wt_wire_request request = {.verb = WT_WIRE_ATTACH};
    struct wt_wire_answer answer;
    greet(fd);
    if (!ask(fd, &request, &answer))
        abort();
    for (uint64_t at = SEEN; at < SEEN + MEMORY; at += PAGE) {
        request = (struct wt_wire_request){.verb = WT_WIRE_WRITE, .follows = PAGE, .addr = at};
        for (unsigned i = 0; i < PAGE; i += sizeof end_of_thread)
            memcpy(bytes + i, end_of_thread, sizeof end_of_thread);
        /* Before the batch has begun, its objects have no addresses. */
        if (!ask(fd, &request, &answer))
            abort();
        if (answer.result)
            memcpy(page_of((unsigned)((at - SEEN) / PAGE) + CODE_PAGE), bytes, PAGE);
    }
    close(fd);
}

static void finish(void)
{
    struct timespec until;
    overwrite();
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += FUZZ_PATIENCE_S;
    if (pthread_timedjoin_np(program, NULL, &until))
        abort(); /* the kernel goes on */
    const int fd = connect_and_greet(GEN_WIRE_SOCKET, GEN_WIRE_FAMILY);
    greet(fd);
    close(fd);
    wt_server_stop();
    wt_drm_emulated_free(gpu);
}

/* ---- the input ---- */

/* An address that a thread may see, or (kind 7) any. */
static uint64_t place(struct input *in)
{
    const unsigned how = (unsigned)take(in, 1), kind = how & 7;
    const uint64_t offset = take(in, 2);
    switch (kind) {
    case 0:
        return CODE + offset % 16 * 16;
    case 1:
        return DATA + offset % 128;
    case 2:
        return SEEN + offset % MEMORY;
    case 3: /* what the routine has saved: cr0, or anything */
        return GEN_SAVED_APERTURE + (how >> 3) % 3 * GEN_SAVED_STRIDE +
               (offset & 1 ? offsetof(struct gen_saved, cr) + (offset >> 1) % 16
                           : offset % GEN_SAVED_STRIDE);
    case 4:
        return GEN_SLM_APERTURE + offset;
    case 5:
        return GEN_FILE_APERTURE + offset % 4096;
    case 6:
        return SEEN + MEMORY - offset % 32;
    default:
        return take(in, 8);
    }
}

static uint64_t number(struct input *in)
{
    const unsigned kind = (unsigned)take(in, 1);
    switch (kind & 7) {
    case 0:
        return 0;
    case 1:
        return kind >> 3;
    case 2:
        return (uint64_t)1 << (kind >> 3);
    case 3:
        return place(in);
    case 4:
        return UINT64_MAX;
    default:
        return take(in, kind >> 5 ? 4 : 8);
    }
}

static void watches(struct input *in, struct wt_wire_request *request, bool odd)
{
    const uint32_t count = request->size % 6;
    request->follows = count * (uint32_t)sizeof(struct wt_wire_watch) - (odd && count ? 4 : 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct wt_wire_watch watch = {.kind =
                                                (uint32_t)take(in, 1) % (WT_WIRE_WATCH_MEMORY + 1),
                                            .wave = (uint32_t)take(in, 1),
                                            .addr = place(in),
                                            .size = number(in)};
        memcpy(bytes + i * sizeof watch, &watch, sizeof watch);
    }
}

/* A core file, which goes to the folder. */
static void core(struct input *in, struct wt_wire_request *request, bool sound)
{
    struct wt_core_wire wanted = {.wave = (uint32_t)number(in),
                                  .lane = (uint32_t)number(in),
                                  .planted = (uint32_t)take(in, 1) % 3};
    snprintf(wanted.path, sizeof wanted.path, "%s/core", folder);
    memset(wanted.reason, 'r', sizeof wanted.reason - !sound);
    request->follows =
        (uint32_t)(sizeof wanted + wanted.planted * sizeof(struct wt_core_wire_planted));
    memcpy(bytes, &wanted, sizeof wanted);
    for (uint32_t i = sizeof wanted; i < request->follows; i++)
        bytes[i] = (uint8_t)take(in, 1);
    request->follows -= sound ? 0 : request->follows % 7;
}

/* The verbs, in an order that keeps what committed inputs mean. */
static const uint32_t verbs[] = {
    WT_WIRE_HELLO,      WT_WIRE_ATTACH, WT_WIRE_REGISTERS,  WT_WIRE_REGISTERS, WT_WIRE_READ,
    WT_WIRE_WRITE,      WT_WIRE_EVENT,  WT_WIRE_CODE_KNOWN, GEN_WIRE_KERNELS,  GEN_WIRE_ELF,
    GEN_WIRE_SOURCE,    WT_WIRE_WATCH,  WT_WIRE_HITS,       WT_WIRE_CORE,      WT_WIRE_FAULT,
    GEN_WIRE_RETRY,     WT_WIRE_RECORD, WT_WIRE_TIME,       WT_WIRE_HISTORY,   WT_WIRE_FINAL,
    WT_WIRE_FINAL_NEXT, WT_WIRE_WAITS,  WT_WIRE_STATE,
};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* False: nothing more can be said in this conversation. */
static bool converse(int fd, struct input *in)
{
    static const uint16_t registers[] = {0xfdc,  0xe400, 0xe470, 0xe474,
                                         0xe490, 0xe494, 0xe400, 0xe490};
    struct wt_wire_request request = {0};
    struct wt_wire_register one = {0};
    const uint32_t kind = (uint32_t)take(in, 1) % (VERBS + 1);
    struct wt_wire_answer answer;
    const unsigned how = (unsigned)take(in, 1);
    if (kind == VERBS) { /* bytes, and maybe the end */
        uint8_t raw[sizeof request] = {0};
        for (unsigned i = 0; i < sizeof raw; i++)
            raw[i] = (uint8_t)take(in, 1);
        raw[7] |= 0x80; /* too many bytes follow, lest the harness waits for an answer */
        if (how & 128)
            greet_wrongly(GEN_WIRE_SOCKET, GEN_WIRE_FAMILY, how, raw, 4);
        wt_endpoint_send(fd, raw, how % sizeof raw);
        return false;
    }
    request.verb = verbs[kind];
    request.wave = how & 1 ? (uint32_t)number(in) : how >> 1 & 3;
    request.device = how >> 5 == 7;
    request.size = how & 16 ? (uint32_t)take(in, 3) : (uint32_t)take(in, 1);
    switch (request.verb) {
    case WT_WIRE_READ:
    case WT_WIRE_WRITE:
        if (request.size > WT_WIRE_MOST && request.verb == WT_WIRE_WRITE)
            request.size = WT_WIRE_MOST;
        if (how & 32)
            request.size = 4;
        request.addr = place(in);
        request.follows = request.verb == WT_WIRE_WRITE ? request.size : 0;
        for (uint32_t i = 0; i < request.size && i < WT_WIRE_MOST && in->left; i++)
            bytes[i] = (uint8_t)take(in, 1);
        if (how & 64 && request.addr - CODE < sizeof kernel) { /* a breakpoint comes or goes */
            memcpy(bytes, &kernel[(request.addr - CODE) / 4], 4);
            bytes[3] |= how & 128 ? 0x40 : 0;
        }
        break;
    case WT_WIRE_REGISTERS:
        one.addr = (how & 64 ? (uint32_t)take(in, 4) : registers[how >> 1 & 7]) / 4;
        one.write = kind & 1;
        one.value = (uint32_t)number(in);
        request.follows = sizeof one;
        memcpy(bytes, &one, sizeof one);
        break;
    case WT_WIRE_EVENT:
        request.value = how >> 1 & 1; /* milliseconds */
        break;
    case WT_WIRE_CODE_KNOWN:
        request.value = how & 32 ? drm_code_state() : number(in);
        break;
    case WT_WIRE_WATCH:
        watches(in, &request, how & 32);
        break;
    case WT_WIRE_RECORD:
        request.value = how & 32 ? 0 : 1 << 24;
        break;
    case WT_WIRE_HISTORY: {
        const struct wt_travel_request asked = take_travel(in, request.size, number, place, bytes);
        request.number = (uint32_t)asked.what;
        request.value = asked.argument;
        request.follows = asked.size;
        break;
    }
    case WT_WIRE_CORE:
        core(in, &request, how & 32);
        break;
    default:
        request.addr = number(in);
        request.value = number(in);
        break;
    }
    return ask(fd, &request, &answer);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    static const char text[] = "kernel void stores(global uint *p) { for (;;) *p += 1; }\n";
    uint8_t elf[TEXT] = {0x7f, 'E', 'L', 'F'};
    char name[64];
    (void)count, (void)arguments;
    stderr = fopen("/dev/null", "w"); /* what is reported; libFuzzer has kept its own */
    make_folder();
    setenv("WAVETRAP_HELD", "1", 1); /* the kernel begins when a debugger has come */
    drm_code_built("stores", kernel, sizeof kernel, elf, sizeof elf);
    if (!drm_code_source(text, sizeof text, name, sizeof name))
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    if (size > 2048)
        return 0;
    start(take(&in, 1) & 1);
    /* Each debugger that goes leaves the kernel running for a long slice. */
    for (unsigned i = 0; i < 3 && in.left; i++) {
        const int fd = connect_and_greet(GEN_WIRE_SOCKET, GEN_WIRE_FAMILY);
        while (in.left && converse(fd, &in))
            continue;
        close(fd);
    }
    finish();
    return 0;
}
