/*
 * Fuzz target: a debugger and a host process that answers anything (object/process_wire.h). The
 * harness is the process. The first byte of an input says what becomes of the first words; the next
 * 256 are a stream that says what becomes of each answer: it is right, or something is replaced in
 * it, it is cut off, the process ends. The others are the process's memory: a queue's save area,
 * the list of code objects, code. Whatever comes, the debugger says what is wrong or goes on, and
 * closes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_session.h"

#include "base/bits.h"
#include "object/kfd_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

#define AREA UINT64_C(0x10000) /* where the process's memory is */
enum {
    AREA_SIZE = 0x10000,
    CODE_LIST = 512,
    STREAM = 256,
};

struct process {
    uint8_t greeting; /* the first byte of the input: what becomes of the first words */
    struct input stream;
    uint8_t area[AREA_SIZE];
    uint8_t answer[WT_WIRE_MOST];
};

/* ---- right answers ---- */

static void list_devices(struct process *p, struct wt_wire_answer *answer)
{
    struct kfd_device_entry list[2];
    for (uint32_t i = 0; i < 2; i++)
        list[i] = (struct kfd_device_entry){.lds_base = (uint64_t)1 << 48,
                                            .lds_limit = ((uint64_t)1 << 48) + UINT32_MAX,
                                            .scratch_base = (uint64_t)2 << 48,
                                            .scratch_limit = ((uint64_t)2 << 48) + UINT32_MAX,
                                            .gpu_id = i,
                                            .gfx_target_version = 90000,
                                            .simd_count = 8 >> i,
                                            .max_waves_per_simd = 10};
    answer->size = sizeof list;
    memcpy(p->answer, list, sizeof list);
}

static void list_queues(struct process *p, struct wt_wire_answer *answer)
{
    const struct kfd_queue_entry queue = {.exception_status = p->area[64],
                                          .ring_base_address = AREA,
                                          .read_pointer_address = AREA + 256,
                                          .ctx_save_restore_address = AREA,
                                          .ring_size = 1024,
                                          .gpu_id = p->area[65] & 1,
                                          .queue_type = 2,
                                          .ctx_save_restore_area_size = AREA_SIZE};
    answer->result = 1;
    answer->size = sizeof queue;
    memcpy(p->answer, &queue, sizeof queue);
}

/* The part of the area that an address of a request names; NULL: it has not all of it. */
static uint8_t *find(struct process *p, uint64_t addr, uint32_t size)
{
    const bool inside = addr >= AREA && size <= AREA_SIZE && addr - AREA <= AREA_SIZE - size;
    return inside ? p->area + (addr - AREA) : NULL;
}

static void reply(struct process *p, const struct wt_wire_request *request,
                  struct wt_wire_answer *answer)
{
    uint8_t *memory = find(p, request->addr, request->size + request->follows);
    const struct wt_wire_hello hello = right_hello(2, AREA + CODE_LIST);
    *answer = (struct wt_wire_answer){.result = 0};
    switch (request->verb) {
    case WT_WIRE_HELLO:
        answer->size = sizeof hello;
        memcpy(p->answer, &hello, sizeof hello);
        break;
    case KFD_WIRE_QUEUES:
        list_queues(p, answer);
        break;
    case KFD_WIRE_DEVICES:
        list_devices(p, answer);
        break;
    case WT_WIRE_READ:
        answer->result = memory ? 0 : -EFAULT;
        answer->size = memory ? request->size : 0;
        memcpy(p->answer, memory ? memory : p->area, answer->size);
        break;
    case WT_WIRE_WRITE:
        answer->result = memory ? 0 : -EFAULT;
        if (memory)
            memcpy(memory, p->answer, request->follows);
        break;
    case WT_WIRE_GATHER:
    case WT_WIRE_SCATTER:
        reply_pieces(p, find, request, p->answer, answer);
        break;
    case WT_WIRE_EVENT:
        answer->result = take(&p->stream, 1) & (WT_WIRE_STOPPED | WT_WIRE_CODE);
        answer->value[0] = take(&p->stream, 1);
        break;
    case WT_WIRE_REGISTERS:
    case KFD_WIRE_CALL: /* done, as it is */
        answer->size = request->follows;
        break;
    default:
        break;
    }
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
    const int fd = accept_and_greet(KFD_WIRE_FAMILY, p->greeting);
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
    (void)process, (void)thread, (void)index;
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    (void)count, (void)arguments;
    begin(KFD_WIRE_SOCKET);
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
    hold_session(wt_family_of_host_programs(), serve, p);
    free(p);
    return 0;
}
