/*
 * Fuzz target: the endpoint of a host process for debuggers (object/process_wire.h). An input is a
 * list of requests: a kind, an operation with its arguments, a place in memory, or bytes as they
 * are. A kernel runs meanwhile, whose code, arguments and queue a request may write. The harness is
 * the debugger: each request that makes sense is answered, with no more bytes than were asked for.
 * Whatever comes, the process lives, and the next debugger is greeted. With the first byte odd the
 * kernel is recorded, so that requests of time travel mean something.
 */
#include <hsakmt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_host.h"

#include "base/bits.h"
#include "object/core_wire.h"
#include "object/kfd_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { PACKET = 64, RING = 1024, GPU = 1, DISPATCH = 2, INVALID = 1 };
enum { WRITE_ID = 56, READ_ID = 128, INACTIVE = 192 };
/* In the memory that the GPU may use. */
enum { QUEUE = RING, SIGNAL = 0x1000, CODE = 0x2000, DATA = 0x3000, MEMORY = 0x4000 };

static uint8_t *memory;
static HsaEvent *event;
static uint64_t save_area;
static uint32_t save_size;
static uint8_t bytes[WT_WIRE_MOST];

/* v_mov_b32 v0, 0; loop: global_atomic_add v0, v1, s[0:1]; v_rcp_f32 v2, v0; s_branch loop */
static const uint32_t kernel[] = {0x7e000280, 0xdd088000, 0x00000100, 0x7e044500, 0xbf82fffc};

static void check(HSAKMT_STATUS status)
{
    if (status != HSAKMT_STATUS_SUCCESS)
        abort();
}

/* ---- the program ---- */

static void launch(void)
{
    HsaQueueResource resource = {0};
    uint8_t *p = memory;
    memset(memory, 0, MEMORY);
    for (unsigned i = 0; i < RING; i += PACKET)
        memory[i] = INVALID;
    wt_store_le(memory + QUEUE + INACTIVE, (uintptr_t)(memory + SIGNAL), 8);
    wt_store_le(memory + SIGNAL, 1, 8);
    wt_store_le(memory + CODE + 16, 256, 8);
    wt_store_le(memory + CODE + 52, 2 << 1, 4); /* two user SGPRs: the arguments */
    wt_store_le(memory + CODE + 56, 1 << 3, 2);
    memcpy(memory + CODE + 256, kernel, sizeof kernel);
    resource.Queue_read_ptr_aql = (HSAuint64 *)(void *)(memory + QUEUE + READ_ID);
    resource.Queue_write_ptr_aql = (HSAuint64 *)(void *)(memory + QUEUE + WRITE_ID);
    check(hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, memory,
                            RING, event, &resource));
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(p + 4 + 2 * i, i ? 1 : 64, 2);
        wt_store_le(p + 12 + 4 * i, i ? 1 : 200, 4);
    }
    wt_store_le(p + 32, (uintptr_t)(memory + CODE), 8);
    wt_store_le(p + 40, (uintptr_t)(memory + DATA), 8);
    __atomic_store_n((uint16_t *)(void *)p, (uint16_t)DISPATCH, __ATOMIC_RELEASE);
    __atomic_store_n((uint64_t *)(void *)(memory + QUEUE + WRITE_ID), 1, __ATOMIC_RELEASE);
}

static bool ask(int fd, const struct wt_wire_request *request, struct wt_wire_answer *answer);

/* The connection of a debugger that has the kernel recorded; -1 without one. */
static int start(bool recorded)
{
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    const HsaMemFlags flags = {.ui32 = {.HostAccess = 1}};
    void *at = NULL;
    check(hsaKmtOpenKFD());
    check(hsaKmtCreateEvent(&descriptor, false, false, &event));
    check(hsaKmtAllocMemory(0, MEMORY, flags, &at));
    check(hsaKmtMapMemoryToGPU(at, MEMORY, NULL));
    memory = at;
    const int fd = recorded ? connect_and_greet(KFD_WIRE_SOCKET, KFD_WIRE_FAMILY) : -1;
    const struct wt_wire_request request = {.verb = WT_WIRE_RECORD, .value = 1 << 24};
    struct wt_wire_answer answer;
    if (recorded && (!ask(fd, &request, &answer) || answer.result))
        abort();
    launch();
    return fd;
}

/* ---- the debugger ---- */

/* Sends a request and takes its answer; false: the process wants no more. */
static bool ask(int fd, const struct wt_wire_request *request, struct wt_wire_answer *answer)
{
    if (!wt_endpoint_send(fd, request, sizeof *request) ||
        (wt_wire_sound(request) && !wt_endpoint_send(fd, bytes, request->follows)) ||
        !receive(fd, answer, sizeof *answer))
        return false;
    if (!wt_wire_sound(request) || answer->size > WT_WIRE_MOST ||
        (request->verb == WT_WIRE_READ && answer->size && answer->size != request->size))
        abort();
    if (!receive(fd, bytes, answer->size))
        return false;
    if (request->verb == KFD_WIRE_QUEUES && answer->result > 0) {
        struct kfd_queue_entry queue;
        memcpy(&queue, bytes, sizeof queue);
        save_area = queue.ctx_save_restore_address;
        save_size = queue.ctx_save_restore_area_size;
    }
    return true;
}

static void greet(int fd)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_HELLO};
    struct wt_wire_answer answer;
    struct wt_wire_hello hello;
    if (!ask(fd, &request, &answer) || answer.result || answer.size != sizeof hello)
        abort();
    memcpy(&hello, bytes, sizeof hello);
    if (hello.devices != 2)
        abort();
}

/* ---- the input ---- */

/* Memory that a request may name; what it may write has `size` bytes there. */
static uint64_t place(struct input *in, uint32_t *size, bool write)
{
    const unsigned kind = (unsigned)take(in, 1) % (write ? 3 : 5);
    const uint64_t offset = take(in, 2);
    const bool saved = kind == 1 && save_area;
    const uint64_t base = saved ? save_area : (uintptr_t)memory, room = saved ? save_size : MEMORY;
    if (kind < 3) {
        const uint64_t at = (kind == 2 ? CODE + 256 + offset % 32 * 4 : offset) % room;
        if (*size > room - at)
            *size = (uint32_t)(room - at);
        return base + at;
    }
    return kind == 3 ? take(in, 8) : UINT64_MAX - offset; /* reading is by the kernel */
}

/* Registers, operations and numbers that mean something, among others. */
static uint64_t number(struct input *in)
{
    const unsigned kind = (unsigned)take(in, 1);
    uint32_t none = 8;
    switch (kind & 7) {
    case 0:
        return 0;
    case 1:
        return kind >> 3;
    case 2:
        return (uint64_t)1 << (kind >> 3);
    case 3:
        return place(in, &none, true);
    case 4:
        return UINT64_MAX;
    default:
        return take(in, kind >> 5 ? 4 : 8);
    }
}

static uint64_t anywhere(struct input *in)
{
    uint32_t none = 8;
    return place(in, &none, true);
}

/* A core file, which goes to the folder. */
static void core(struct input *in, struct wt_wire_request *request, bool sound)
{
    struct wt_core_wire wanted = {.wave = (uint32_t)number(in),
                                  .lane = (uint32_t)number(in),
                                  .issues = number(in),
                                  .planted = (uint32_t)take(in, 1) % 4};
    snprintf(wanted.path, sizeof wanted.path, "%s/core", folder);
    memset(wanted.reason, 'r', sizeof wanted.reason);
    memcpy(bytes, &wanted, sizeof wanted);
    for (uint32_t i = 0; i < wanted.planted; i++) {
        struct wt_core_wire_planted planted = {.addr = number(in), .time = number(in)};
        planted.trap = planted.original =
            (struct wt_core_wire_patch){.addr = planted.addr, .size = (uint32_t)take(in, 1) % 20};
        memcpy(bytes + sizeof wanted + i * sizeof planted, &planted, sizeof planted);
    }
    request->follows =
        (uint32_t)(sizeof wanted + wanted.planted * sizeof(struct wt_core_wire_planted) - !sound);
}

/* Some pieces of memory; those that are written have any bytes. */
static void lay_out(struct input *in, struct wt_wire_request *request, bool sound)
{
    const bool write = request->verb == WT_WIRE_SCATTER;
    request->number = (uint32_t)take(in, 1) % 8;
    request->follows = request->number * sizeof(struct wt_wire_piece) - !sound;
    for (uint32_t i = 0; i < request->number; i++) {
        struct wt_wire_piece piece = {.size = (uint32_t)take(in, 2), .wave = (uint32_t)take(in, 1)};
        piece.addr = place(in, &piece.size, write);
        memcpy(bytes + i * sizeof piece, &piece, sizeof piece);
        request->follows += write ? piece.size : 0;
    }
}

/* The verbs, in an order that keeps what committed inputs mean. */
static const uint32_t verbs[] = {
    WT_WIRE_HELLO,   KFD_WIRE_CALL,  KFD_WIRE_QUEUES,   KFD_WIRE_DEVICES,  WT_WIRE_READ,
    WT_WIRE_WRITE,   WT_WIRE_EVENT,  WT_WIRE_REGISTERS, WT_WIRE_REGISTERS, WT_WIRE_CODE_KNOWN,
    WT_WIRE_RECORD,  WT_WIRE_TIME,   WT_WIRE_HISTORY,   WT_WIRE_FINAL,     WT_WIRE_FINAL_NEXT,
    WT_WIRE_CORE,    WT_WIRE_WAITS,  WT_WIRE_FAULT,     WT_WIRE_WATCH,     WT_WIRE_HITS,
    KFD_WIRE_MAPPED, WT_WIRE_GATHER, WT_WIRE_SCATTER,   WT_WIRE_STATE,
};
enum { VERBS = sizeof verbs / sizeof *verbs };

/* False: nothing more can be said in this conversation. */
static bool converse(int fd, struct input *in)
{
    static const uint16_t registers[] = {0x2022, 0xc200, 0x2309, 0x231c, 0x231d, 0x231e,
                                         0x2378, 0x2379, 0x237b, 0x31d1, 0x31d2, 0x31d3,
                                         0x31d4, 0x32a0, 0x32a1, 0x32a2};
    struct wt_wire_request request = {0};
    struct kfd_debug_call call = {0};
    struct wt_wire_register one = {0};
    const uint32_t kind = (uint32_t)take(in, 1) % (VERBS + 1);
    struct wt_wire_answer answer;
    const unsigned how = (unsigned)take(in, 1);
    if (kind == VERBS) { /* bytes, and maybe the end */
        uint8_t raw[16] = {0};
        for (unsigned i = 0; i < sizeof raw; i++)
            raw[i] = (uint8_t)take(in, 1);
        if (how & 128)
            greet_wrongly(KFD_WIRE_SOCKET, KFD_WIRE_FAMILY, how, raw, 4);
        wt_endpoint_send(fd, raw, how % sizeof raw);
        return false;
    }
    request.verb = verbs[kind];
    request.device = how & 1 ? how >> 1 & 7 : 0;
    request.size = how & 16 ? (uint32_t)take(in, 3) : (uint32_t)take(in, 1);
    call.op = (uint32_t)take(in, 1) % 17;
    switch (request.verb) {
    case WT_WIRE_READ:
    case WT_WIRE_WRITE:
        if (request.size > WT_WIRE_MOST && request.verb == WT_WIRE_WRITE)
            request.size = WT_WIRE_MOST;
        request.addr = place(in, &request.size, request.verb == WT_WIRE_WRITE);
        for (uint32_t i = 0; i < request.size && in->left; i++)
            bytes[i] = (uint8_t)take(in, 1);
        if (how & 32) /* a breakpoint */
            wt_store_le(bytes, 0xbf920001, 4);
        request.follows = request.verb == WT_WIRE_WRITE ? request.size : 0;
        break;
    case WT_WIRE_GATHER:
    case WT_WIRE_SCATTER:
        lay_out(in, &request, how & 128);
        break;
    case WT_WIRE_REGISTERS:
        one.addr = how & 64 ? (uint32_t)take(in, 4) : registers[how >> 1 & 15];
        request.device = how & 1;
        one.write = kind & 1 ? 0 : 1;
        one.value = (uint32_t)number(in);
        request.follows = how & 128 ? sizeof one - 1 : sizeof one;
        memcpy(bytes, &one, sizeof one);
        break;
    case WT_WIRE_EVENT:
        request.value = how & 1; /* milliseconds */
        break;
    case KFD_WIRE_CALL:
        for (unsigned i = 0; i < 4; i++)
            call.arg[i] = number(in);
        call.device = how >> 6;
        call.queue_count = how & 32 ? (uint32_t)take(in, 1) : 1;
        for (unsigned i = 0; i < 4; i++)
            call.queue[i] = i < 2 ? 1 : (uint32_t)number(in);
        request.follows = how & 16 && request.size < 64 ? request.size : sizeof call;
        memcpy(bytes, &call, sizeof call);
        break;
    case WT_WIRE_HISTORY: {
        const struct wt_travel_request asked =
            take_travel(in, request.size, number, anywhere, bytes);
        request.number = (uint32_t)asked.what;
        request.value = asked.argument;
        request.follows = asked.size;
        break;
    }
    case WT_WIRE_CORE:
        core(in, &request, how & 32);
        break;
    default:
        request.addr = request.value = number(in);
        request.wave = (uint32_t)request.addr;
        request.follows = (request.verb == WT_WIRE_WATCH || request.verb == KFD_WIRE_MAPPED) &&
                                  request.size < WT_WIRE_MOST
                              ? request.size
                              : 0;
        break;
    }
    return ask(fd, &request, &answer) && !(how == 0xff);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    stderr = fopen("/dev/null", "w"); /* what is reported; libFuzzer has kept its own */
    make_folder();
    setenv("WAVETRAP_GPUS", "gfx900:cu=1 gfx900:cu=1", 1);
    unsetenv("WAVETRAP_EXPLAIN");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    if (size > 2048)
        return 0;
    int recorded = start(take(&in, 1) & 1);
    while (in.left) {
        const int fd =
            recorded >= 0 ? recorded : connect_and_greet(KFD_WIRE_SOCKET, KFD_WIRE_FAMILY);
        recorded = -1;
        while (in.left && converse(fd, &in))
            continue;
        close(fd);
    }
    if (recorded >= 0)
        close(recorded);
    const int fd = connect_and_greet(KFD_WIRE_SOCKET, KFD_WIRE_FAMILY);
    greet(fd);
    close(fd);
    check(hsaKmtCloseKFD());
    return 0;
}
