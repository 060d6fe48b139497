/*
 * Fuzz target: a debugger and a host process with a Gen9 GPU that answers anything
 * (object/process_wire.h). The harness is the process. The first byte of an input says what becomes
 * of the first words; the next 256 are a stream that says what becomes of each answer: it is right,
 * or something is replaced in it, it is cut off, the process ends. The others are the process's
 * memory: what the system routine has saved of three threads, the list of kernels, their code, an
 * ELF file with debug information, a source text. Whatever comes, the debugger says what is wrong
 * or goes on, and closes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_session.h"

#include "base/bits.h"
#include "debug/gen/gen.h"
#include "object/gen_saved.h"
#include "object/gen_wire.h"
#include "target/gen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* The process's memory: what threads have saved, code, the list of kernels, files. */
enum {
    THREADS = 3,
    SAVED = 0,
    HITS = THREADS * GEN_SAVED_STRIDE,
    LIST = HITS + 64,
    KERNELS = 2,
    TEXT = LIST + KERNELS * (int)sizeof(struct gen_wire_kernel),
    TEXT_SIZE = 256,
    FAULT = TEXT + TEXT_SIZE,
    CODE = 0x5000,
    CODE_SIZE = 0x1000,
    ELF = 0x6000,
    AREA_SIZE = 0xa000,
    STREAM = 256,
};
static_assert(FAULT + (int)sizeof(struct wt_fault) <= CODE, "the parts lie apart");
#define AREA UINT64_C(0x10000) /* where the process's memory is, as threads see it */
#define SAVED_SEEN (UINT64_C(1) << 49)
#define SLM_SEEN (UINT64_C(1) << 48)
#define FILE_SEEN (UINT64_C(1) << 50)

struct process {
    uint8_t greeting; /* the first byte of the input: what becomes of the first words */
    struct input stream;
    uint8_t area[AREA_SIZE];
    uint8_t answer[WT_WIRE_MOST];
};

/* ---- right answers ---- */

/* The part of the area that an address of a request names; NULL: none has all of it. */
static uint8_t *find(struct process *p, uint64_t addr, uint32_t size)
{
    const bool saved = addr >= SAVED_SEEN && addr < FILE_SEEN;
    const uint64_t at = addr - (saved ? SAVED_SEEN : addr >= FILE_SEEN ? FILE_SEEN : AREA);
    const uint64_t room = saved ? HITS : AREA_SIZE;
    return at < room && size <= room - at ? p->area + at : NULL;
}

static void copy_part(struct process *p, const struct wt_wire_request *request, size_t at,
                      size_t length, struct wt_wire_answer *answer)
{
    if (request->value >= length)
        return;
    answer->size = (uint32_t)(length - request->value);
    if (answer->size > request->size)
        answer->size = request->size;
    memcpy(p->answer, p->area + at + request->value, answer->size);
}

static void reply(struct process *p, const struct wt_wire_request *request,
                  struct wt_wire_answer *answer)
{
    struct wt_wire_hello hello = right_hello(2, SAVED_SEEN);
    struct wt_wire_register one;
    uint8_t *memory;
    *answer = (struct wt_wire_answer){.result = 0};
    switch (request->verb) {
    case WT_WIRE_HELLO:
        hello.units[0] = hello.units[1] = 1;
        hello.place[GEN_WIRE_SLM] = SLM_SEEN;
        hello.place[GEN_WIRE_FILE] = FILE_SEEN;
        answer->size = sizeof hello;
        memcpy(p->answer, &hello, sizeof hello);
        break;
    case WT_WIRE_REGISTERS:
        memcpy(&one, p->answer, sizeof one);
        if (!one.write)
            one.value = one.addr == WT_GEN_TD_ATT0 / 4 ? (uint32_t)take(&p->stream, 1) & 7 : 0;
        answer->size = request->follows;
        memcpy(p->answer, &one, sizeof one);
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
    case WT_WIRE_GATHER:
    case WT_WIRE_SCATTER:
        reply_pieces(p, find, request, p->answer, answer);
        break;
    case WT_WIRE_EVENT:
        answer->result = take(&p->stream, 1) & (WT_WIRE_STOPPED | WT_WIRE_CODE | WT_WIRE_FAULTED);
        answer->value[0] = take(&p->stream, 1);
        break;
    case GEN_WIRE_KERNELS:
        answer->size = KERNELS * sizeof(struct gen_wire_kernel);
        memcpy(p->answer, p->area + LIST, answer->size);
        break;
    case GEN_WIRE_ELF:
        copy_part(p, request, ELF, AREA_SIZE - ELF, answer);
        break;
    case GEN_WIRE_SOURCE:
        answer->result = request->addr == 1 ? 0 : -ENOENT;
        if (request->addr == 1)
            copy_part(p, request, TEXT, TEXT_SIZE, answer);
        break;
    case WT_WIRE_HITS:
        answer->size = take(&p->stream, 1) & 1 ? sizeof(struct wt_wire_hit) : 0;
        memcpy(p->answer, p->area + HITS, answer->size);
        break;
    case WT_WIRE_FAULT:
        answer->size = take(&p->stream, 1) & 1 ? sizeof(struct wt_fault) : 0;
        answer->result = answer->size ? 0 : -ENOENT;
        memcpy(p->answer, p->area + FAULT, answer->size);
        break;
    default:
        break;
    }
}

/* An area in which zeros mean something: threads at the beginning of the code, a kernel there. */
static void complete(struct process *p)
{
    for (unsigned i = 0; i < THREADS; i++) {
        uint8_t *base =
            p->area + SAVED + i * GEN_SAVED_STRIDE + offsetof(struct gen_saved, instructions);
        if (!wt_load_le(base, 8))
            wt_store_le(base, AREA + CODE, 8);
    }
    struct gen_wire_kernel first;
    memcpy(&first, p->area + LIST, sizeof first);
    if (first.number)
        return;
    first = (struct gen_wire_kernel){.number = 1,
                                     .address = AREA + CODE,
                                     .code_size = CODE_SIZE,
                                     .elf_size = AREA_SIZE - ELF,
                                     .name = "kernel"};
    memcpy(p->area + LIST, &first, sizeof first);
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
    const int fd = accept_and_greet(GEN_WIRE_FAMILY, p->greeting);
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
    begin(GEN_WIRE_SOCKET);
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
    hold_session(&wt_family_gen, serve, p);
    free(p);
    return 0;
}
