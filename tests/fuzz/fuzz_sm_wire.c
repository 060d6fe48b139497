/*
 * Fuzz target: a debugger and a host process with an SM that answers anything
 * (object/process_wire.h). The harness is the process. The first byte of an input says what becomes
 * of the first words; the next 256 are a stream that says what becomes of each answer: it is right,
 * or something is replaced in it, it is cut off, the process ends. The others are the process's
 * memory: its launch, two warps, accesses to watched memory, the list of modules, registers, code,
 * and a module's text, PTX or a cubin. Whatever comes, the debugger says what is wrong or goes on,
 * and closes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_session.h"

#include "base/bits.h"
#include "object/sm_wire.h"
#include "target/sm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* The process's memory. */
enum {
    WARPS = 2, /* of the 64 that the SM has room for */
    WARP = 0,
    LAUNCH = WARPS * (int)sizeof(struct sm_wire_warp),
    HITS = LAUNCH + (int)sizeof(struct sm_wire_launch),
    MODULES = 2,
    LIST = HITS + (int)sizeof(struct wt_wire_hit),
    ROWS = LIST + MODULES * (int)sizeof(struct sm_wire_module),
    CODE = 0x1000,
    CODE_SIZE = 0x400,
    TEXT = CODE + CODE_SIZE,
    AREA_SIZE = 0x4000,
    STREAM = 256,
    SLOTS = 64,
};
static_assert(ROWS + (int)SM_WIRE_ROW <= CODE, "the parts lie apart");
#define AREA UINT64_C(0x700000000000) /* where the process's memory is, as threads see it */

/* Registers of the SM (docs/sm-trap.md), as words of its bus, and their bits. */
enum { STATUS0 = 0x60c / 4, CONTROL0 = 0x610 / 4, VALID = 0x614 / 4, PAUSED = 0x624 / 4 };
enum { TRAPPED = 0x634 / 4, IN_TRAP = 1 << 0, LOCKED_DOWN = 1 << 4 };
#define STOP_TRIGGER 0x80000000u

/* A module's text where an input has none. */
static const char plain[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
                            ".visible .entry kernel(.param .u64 a)\n{\n.reg .u64 %r<2>;\n"
                            "ld.param.u64 %r1, [a];\nst.global.u32 [%r1], 1;\nret;\n}\n";

struct process {
    uint8_t greeting; /* the first byte of the input: what becomes of the first words */
    struct input stream;
    uint32_t control;
    uint8_t area[AREA_SIZE];
    uint8_t answer[WT_WIRE_MOST];
};

/* ---- right answers ---- */

/* The part of the area that an address of a request names; NULL: none has all of it. */
static uint8_t *find(struct process *p, uint64_t addr, uint32_t size)
{
    const uint64_t at = addr - AREA;
    return at < AREA_SIZE && size <= AREA_SIZE - at ? p->area + at : NULL;
}

static uint32_t read_register(struct process *p, uint32_t addr)
{
    switch (addr) {
    case STATUS0:
        return p->control & STOP_TRIGGER ? IN_TRAP | LOCKED_DOWN
                                         : (uint8_t)take(&p->stream, 1) & (IN_TRAP | LOCKED_DOWN);
    case CONTROL0:
        return p->control;
    case VALID:
    case PAUSED:
        return (1u << WARPS) - 1;
    case TRAPPED:
        return (uint8_t)take(&p->stream, 1) & ((1u << WARPS) - 1);
    default:
        return 0;
    }
}

static void access_registers(struct process *p, const struct wt_wire_request *request,
                             struct wt_wire_answer *answer)
{
    struct wt_wire_register one;
    for (size_t at = 0; at + sizeof one <= request->follows; at += sizeof one) {
        memcpy(&one, p->answer + at, sizeof one);
        if (one.write && one.addr == CONTROL0)
            p->control = one.value;
        if (!one.write)
            one.value = read_register(p, one.addr);
        memcpy(p->answer + at, &one, sizeof one);
    }
    answer->size = request->follows;
}

static void put(struct process *p, size_t at, size_t size, struct wt_wire_answer *answer)
{
    answer->size = (uint32_t)size;
    memcpy(p->answer, p->area + at, size);
}

static void reply(struct process *p, const struct wt_wire_request *request,
                  struct wt_wire_answer *answer)
{
    struct wt_wire_hello hello = right_hello(1, 0);
    const size_t text = strnlen((char *)p->area + TEXT, AREA_SIZE - TEXT);
    uint8_t *memory;
    *answer = (struct wt_wire_answer){.result = 0};
    switch (request->verb) {
    case WT_WIRE_HELLO:
        hello.units[0] = 1;
        answer->size = sizeof hello;
        memcpy(p->answer, &hello, sizeof hello);
        break;
    case WT_WIRE_EVENT:
        answer->result = (uint8_t)take(&p->stream, 1) & (WT_WIRE_STOPPED | WT_WIRE_CODE);
        answer->value[0] = (uint8_t)take(&p->stream, 1);
        break;
    case WT_WIRE_REGISTERS:
        access_registers(p, request, answer);
        break;
    case SM_WIRE_LAUNCH:
        put(p, LAUNCH, sizeof(struct sm_wire_launch), answer);
        break;
    case SM_WIRE_WARPS:
        answer->size = SLOTS * sizeof(struct sm_wire_warp);
        memset(p->answer, 0, answer->size);
        memcpy(p->answer, p->area + WARP, WARPS * sizeof(struct sm_wire_warp));
        break;
    case SM_WIRE_READ_ROW:
        put(p, ROWS, SM_WIRE_ROW, answer);
        break;
    case SM_WIRE_READ_FILE:
        answer->size = request->size;
        memset(p->answer, 0, request->size);
        break;
    case WT_WIRE_READ:
        memory = find(p, request->addr, request->size);
        answer->result = memory ? 0 : -EFAULT;
        answer->size = memory ? request->size : 0;
        memcpy(p->answer, memory ? memory : p->area, answer->size);
        break;
    case WT_WIRE_WRITE:
        memory = find(p, request->addr, request->follows);
        answer->result = memory ? 0 : -EFAULT;
        if (memory)
            memcpy(memory, p->answer, request->follows);
        break;
    case SM_WIRE_BANK:
    case SM_WIRE_LOCAL:
        answer->value[0] = AREA;
        answer->value[1] = CODE;
        break;
    case SM_WIRE_MODULES:
        put(p, LIST, MODULES * sizeof(struct sm_wire_module), answer);
        answer->value[0] = 1;
        break;
    case SM_WIRE_TEXT:
        if (request->value < text)
            put(p, TEXT + request->value, text - request->value, answer);
        break;
    case WT_WIRE_HITS:
        if ((uint8_t)take(&p->stream, 1) & 1)
            put(p, HITS, sizeof(struct wt_wire_hit), answer);
        break;
    default:
        break;
    }
}

/* An area in which zeros mean something: a kernel runs in two warps, a module has its code. */
static void complete(struct process *p)
{
    struct sm_wire_warp warp;
    struct sm_wire_launch launch;
    struct sm_wire_module module;
    for (unsigned i = 0; i < WARPS; i++) {
        uint8_t *at = p->area + WARP + i * sizeof warp;
        memcpy(&warp, at, sizeof warp);
        if (warp.pc)
            continue;
        warp.pc = AREA + CODE + 8;
        warp.present = 1;
        warp.active = UINT32_MAX;
        warp.index = i;
        memcpy(at, &warp, sizeof warp);
    }
    memcpy(&launch, p->area + LAUNCH, sizeof launch);
    if (!launch.number) {
        launch =
            (struct sm_wire_launch){.number = 1, .runs = 1, .block = {64, 1, 1}, .grid = {1, 1, 1}};
        memcpy(p->area + LAUNCH, &launch, sizeof launch);
    }
    memcpy(&module, p->area + LIST, sizeof module);
    if (!module.id) {
        module = (struct sm_wire_module){.id = 1, .code = AREA + CODE, .data = AREA, .texts = 1};
        memcpy(p->area + LIST, &module, sizeof module);
    }
    if (!p->area[TEXT])
        memcpy(p->area + TEXT, plain, sizeof plain);
}

static void *serve(void *context)
{
    struct process *p = context;
    struct wt_wire_request request;
    struct wt_wire_answer answer;
    const struct right right = {.answer = &answer,
                                .answer_size = sizeof answer,
                                .result = &answer.result,
                                .follows = &answer.size,
                                .bytes = p->answer,
                                .most = WT_WIRE_MOST,
                                .ended = WT_WIRE_ENDED,
                                .closed = &answer.value[1],
                                .closed_size = sizeof answer.value[1]};
    const int fd = accept_and_greet(SM_WIRE_FAMILY, p->greeting);
    bool more = fd >= 0;
    while (more && wt_endpoint_receive(fd, &request, sizeof request)) {
        if (!wt_wire_sound(&request)) /* our own debugger's */
            abort();
        if (!wt_endpoint_receive(fd, p->answer, request.follows))
            break;
        reply(p, &request, &answer);
        more = send_changed(fd, &p->stream, &right);
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* ---- the debugger ---- */

static void look_at_thread(struct wt_process *process, wt_thread thread, size_t index)
{
    watch_and_walk_up(process, thread, index);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    begin(SM_WIRE_SOCKET);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct process *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->greeting = size ? *data++ : 0;
    size -= size != 0;
    p->stream = (struct input){data, size < STREAM ? size : STREAM};
    size -= p->stream.left;
    memcpy(p->area, data + p->stream.left, size < AREA_SIZE ? size : AREA_SIZE);
    complete(p);
    hold_session(&wt_family_sm, serve, p);
    free(p);
    return 0;
}
