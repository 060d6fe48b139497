/*
 * Fuzz target: AQL packets, queues and signals, through the driver library's own functions and with
 * its own thread. An input is a list of operations: packets of every kind whose fields come from
 * the input, with pointers to memory of all sorts; write and read indices; signals; parts of the
 * amd_queue_t; memory that is taken away; queues that are destroyed under what they run. Kernels
 * end, go on for ever, fault, trap, or write what their arguments name: packets, signals, the
 * queue. Whatever comes, the library lives, and a new queue runs a kernel and counts its signal
 * down.
 */
#include <hsakmt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { PACKET = 64, PACKETS = 16, RING = PACKETS * PACKET, QUEUES = 2, SIGNALS = 8, GPU = 1 };
enum { DISPATCH = 2, INVALID = 1 };
enum { READ_ID = 128, WRITE_ID = 56, INACTIVE = 192 };
/* In the memory that the GPU may use. */
enum {
    QUEUE_SPACE = 0x1000,
    SIGNAL = QUEUES * QUEUE_SPACE,
    ARGUMENTS = SIGNAL + 0x1000,
    CODE = ARGUMENTS + 0x1000,
    SCRATCH = CODE + 0x2000,
    COPIES = SCRATCH + 0x10000,
    MEMORY = COPIES + 0x1000,
    OTHER = 0x2000, /* of another allocation, which may be taken away */
};

struct signal {
    int64_t kind;
    int64_t value;
    uint64_t mailbox;
    uint32_t event, reserved;
    uint64_t rest[4];
};

struct queue {
    uint8_t *ring;
    uint8_t *queue;
    int64_t error;
    HSA_QUEUEID id;
};

static uint8_t *memory, *other;
static HsaEvent *event;
static struct queue queue[QUEUES];
static struct {
    HSA_QUEUEID id;
    uint64_t *read, *write;
} copies;

/* Each kernel is 256 bytes behind its descriptor, and has its arguments' address in s[0:1]. */
static const uint32_t kernels[][10] = {
    {0xbf810000},             /* s_endpgm */
    {0xbf82ffff},             /* s_branch to itself */
    {0xbeff7fff},             /* no instruction */
    {0xbf920002},             /* s_trap 2 */
    {0xbf8a0000, 0xbf810000}, /* s_barrier */
    {0xbf8d0001, 0xbf810000}, /* s_sethalt 1 */
    {0xbf900001, 0xbf810000}, /* s_sendmsg(MSG_INTERRUPT) */
    /* s_load_dwordx4 s[4:7], s[0:1], 0; v_mov_b32 v0, 0; s_waitcnt; v_mov_b32 v1, s6;
     * v_mov_b32 v2, s7; global_store_dwordx2 v0, v[1:2], s[4:5]; s_endpgm */
    {0xc00a0100, 0, 0x7e000280, 0xbf8cc07f, 0x7e020206, 0x7e040207, 0xdc748000, 0x00040100,
     0xbf810000},
    {0xc0020000, 0, 0xbf810000}, /* s_load_dword s0, s[0:1], 0 */
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void check(HSAKMT_STATUS status)
{
    if (status != HSAKMT_STATUS_SUCCESS)
        abort();
}

static uint8_t *allocate(size_t size)
{
    void *at = NULL;
    const HsaMemFlags flags = {.ui32 = {.HostAccess = 1}};
    HSAuint64 address;
    check(hsaKmtAllocMemory(0, size, flags, &at));
    check(hsaKmtMapMemoryToGPU(at, size, &address));
    return at;
}

static uint64_t at(uint64_t offset)
{
    return (uint64_t)(uintptr_t)memory + offset;
}

static struct signal *signal_of(unsigned i)
{
    return (struct signal *)(void *)(memory + SIGNAL) + i % SIGNALS;
}

static void write_kernels(void)
{
    for (unsigned i = 0; i < KERNELS; i++) {
        uint8_t *descriptor = memory + CODE + 512 * i;
        wt_store_le(descriptor + 16, 256, 8);
        wt_store_le(descriptor + 52, 2 << 1, 4); /* two user SGPRs: */
        wt_store_le(descriptor + 56, 1 << 3, 2); /* the arguments */
        memcpy(descriptor + 256, kernels[i], sizeof kernels[i]);
    }
    check(hsaKmtUnmapMemoryToGPU(memory));
    check(hsaKmtMapMemoryToGPU(memory, MEMORY, NULL));
}

static void open_queue(unsigned i)
{
    struct queue *q = &queue[i];
    HsaQueueResource resource = {0};
    q->ring = memory + i * QUEUE_SPACE;
    q->queue = q->ring + RING;
    memset(q->ring, 0, QUEUE_SPACE);
    for (unsigned k = 0; k < PACKETS; k++)
        q->ring[k * PACKET] = INVALID;
    wt_store_le(q->queue + INACTIVE, (uintptr_t)signal_of(SIGNALS - 1 - i), 8);
    wt_store_le(q->queue + 160, at(SCRATCH), 8);
    wt_store_le(q->queue + 168, 0x10000, 8);
    wt_store_le(q->queue + 140, 64 | 1 << 12, 4);
    wt_store_le(q->queue + 176, 16, 4);
    q->error = 0;
    resource.Queue_read_ptr_aql = (HSAuint64 *)(void *)(q->queue + READ_ID);
    resource.Queue_write_ptr_aql = (HSAuint64 *)(void *)(q->queue + WRITE_ID);
    resource.ErrorReason = &q->error;
    check(hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, q->ring,
                            RING, event, &resource));
    q->id = resource.QueueId;
}

static void open_copies(void)
{
    HsaQueueResource resource = {0};
    check(hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, memory + COPIES,
                            0x1000, NULL, &resource));
    copies.id = resource.QueueId;
    copies.read = (uint64_t *)resource.Queue_read_ptr_aql;
    copies.write = (uint64_t *)resource.Queue_write_ptr_aql;
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    (void)count, (void)arguments;
    stderr =
        fopen("/dev/null", "w"); /* what is reported of each packet; libFuzzer has kept its own */
    setenv("WAVETRAP_GPUS", "gfx900:cu=1", 1);
    unsetenv("WAVETRAP_EXPLAIN");
    check(hsaKmtOpenKFD());
    check(hsaKmtCreateEvent(&descriptor, false, false, &event));
    memory = allocate(MEMORY);
    other = allocate(OTHER);
    return 0;
}

struct input {
    const uint8_t *data;
    size_t left;
};

static uint64_t take(struct input *in, unsigned size)
{
    uint8_t bytes[8] = {0};
    if (size > in->left)
        size = (unsigned)in->left;
    memcpy(bytes, in->data, size);
    in->data += size;
    in->left -= size;
    return wt_load_le(bytes, 8);
}

/* An address of some sort. */
static uint64_t pointer(struct input *in)
{
    const unsigned kind = (unsigned)take(in, 1), which = kind >> 4;
    switch (kind & 15) {
    case 0:
        return 0;
    case 1:
    case 2:
        return (uintptr_t)signal_of(which);
    case 3:
    case 4:
    case 5:
        return at(CODE + 512 * (which % KERNELS));
    case 6:
        return at(ARGUMENTS + 16 * which);
    case 7:
        return (uintptr_t)queue[which % QUEUES].ring + 8 * take(in, 1);
    case 8:
        return (uintptr_t)queue[which % QUEUES].queue + 8 * take(in, 1);
    case 9:
        return (uintptr_t)other + 256 * which;
    case 10:
        return at(MEMORY) - 8 * which; /* the end of what is mapped */
    case 11:
        return (uintptr_t)other + OTHER + 8 * which;
    case 12:
        return UINT64_C(0x8000000000000000) >> which;
    case 13:
        return UINT64_MAX - which;
    default:
        return take(in, 8);
    }
}

static void write_packet(struct input *in)
{
    const uint8_t how = (uint8_t)take(in, 1);
    struct queue *q = &queue[how & 1];
    uint64_t *write = (uint64_t *)(void *)(q->queue + WRITE_ID);
    uint8_t *p = q->ring + *write % PACKETS * PACKET;
    const uint16_t header = (uint16_t)take(in, 2);
    memset(p + 2, 0, PACKET - 2);
    /* A dispatch that could run, or bytes; then some of the fields anew. */
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(p + 4 + 2 * i, i ? 1 : 64, 2);
        wt_store_le(p + 12 + 4 * i, i ? 1 : 200, 4);
    }
    wt_store_le(p + 32, at(CODE), 8);
    wt_store_le(p + 40, at(ARGUMENTS), 8);
    for (unsigned i = 2; how & 2 && i < PACKET; i++)
        p[i] = (uint8_t)take(in, 1);
    for (unsigned n = how >> 2 & 7; n; n--) {
        const unsigned where = (unsigned)take(in, 1);
        if (where & 1)
            wt_store_le(p + 8 * (1 + (where >> 1) % 7), pointer(in), 8);
        else
            wt_store_le(p + 2 + 2 * ((where >> 1) % 29), take(in, 4), 4);
    }
    __atomic_store_n((uint16_t *)(void *)p, header, __ATOMIC_RELEASE);
    if (!(how & 32))
        __atomic_store_n(write, *write + 1, __ATOMIC_RELEASE);
}

/* A packet of the copy engine: the header's operation and kind, then dwords and addresses. */
static void write_copy(struct input *in)
{
    static const uint16_t headers[] = {1, 1, 1 | 4 << 8, 5, 6, 8, 10, 11, 13 | 2 << 8, 0};
    const uint8_t how = (uint8_t)take(in, 1);
    uint32_t p[14] = {0};
    p[0] = (how & 15) < 10 ? headers[how & 15] : 0;
    p[0] |= (uint32_t)take(in, 2) << ((how & 15) < 10 ? 16 : 0);
    const unsigned length = 1 + (unsigned)take(in, 1) % 13;
    for (unsigned i = 1; i < length; i++) {
        const unsigned kind = (unsigned)take(in, 1);
        if (kind & 1 && i + 1 < length) {
            wt_store_le((uint8_t *)&p[i], pointer(in), 8);
            i++;
        } else {
            p[i] = (uint32_t)take(in, 1 + (kind >> 1) % 4);
        }
    }
    const uint64_t write = *copies.write;
    for (unsigned i = 0; i < length; i++)
        memcpy(memory + COPIES + (write + 4 * i) % 0x1000 / 4 * 4, &p[i], 4);
    __atomic_store_n(copies.write, write + 4 * length, __ATOMIC_RELEASE);
}

static void operation(struct input *in)
{
    const unsigned what = (unsigned)take(in, 1), i = what >> 4;
    struct queue *q = &queue[i % QUEUES];
    switch (what & 15) {
    case 0:
        __atomic_store_n((uint64_t *)(void *)(q->queue + WRITE_ID), take(in, 8), __ATOMIC_RELEASE);
        break;
    case 1:
        __atomic_store_n((uint64_t *)(void *)(q->queue + READ_ID), take(in, 8), __ATOMIC_RELEASE);
        break;
    case 2:
        __atomic_store_n(&signal_of(i)->value, (int64_t)(int8_t)take(in, 1), __ATOMIC_RELEASE);
        break;
    case 3: { /* where it rings */
        struct signal *s = signal_of(i);
        s->mailbox = take(in, 1) & 1 ? event->EventData.HWData2 : pointer(in);
        s->event = (uint32_t)take(in, 4);
        break;
    }
    case 4: { /* a field of the amd_queue_t, but for the two indices */
        const unsigned field = 64 + 4 * (unsigned)(take(in, 1) % 34);
        if (field / 8 * 8 != READ_ID)
            wt_store_le(q->queue + field, take(in, 1) & 1 ? pointer(in) : take(in, 4), 4);
        break;
    }
    case 5: /* what kernel 7 writes, and where */
        wt_store_le(memory + ARGUMENTS + 16 * i, pointer(in), 8);
        wt_store_le(memory + ARGUMENTS + 16 * i + 8, pointer(in), 8);
        break;
    case 6:
        if (i & 1)
            hsaKmtUnmapMemoryToGPU(other);
        else
            hsaKmtMapMemoryToGPU(other, OTHER, NULL);
        break;
    case 7:
        check(hsaKmtDestroyQueue(q->id));
        open_queue(i % QUEUES);
        break;
    case 8:
        for (unsigned n = (unsigned)take(in, 1); n; n--)
            sched_yield();
        break;
    case 9:
        hsaKmtUpdateQueue(q->id, i & 2 ? 100 : 0, HSA_QUEUE_PRIORITY_NORMAL, q->ring,
                          i & 4 ? take(in, 8) : RING, NULL);
        break;
    case 10:
        write_copy(in);
        break;
    case 11:
        if (i & 1)
            __atomic_store_n(copies.write, take(in, 8), __ATOMIC_RELEASE);
        else
            hsaKmtSetTrapHandler(GPU, (void *)(uintptr_t)pointer(in), 4096, memory, 0);
        break;
    default:
        write_packet(in);
        break;
    }
}

static bool is_idle(const struct queue *q)
{
    return __atomic_load_n(&q->error, __ATOMIC_ACQUIRE) ||
           __atomic_load_n((uint64_t *)(void *)(q->queue + READ_ID), __ATOMIC_ACQUIRE) >=
               __atomic_load_n((uint64_t *)(void *)(q->queue + WRITE_ID), __ATOMIC_ACQUIRE);
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A new queue runs a kernel; libFuzzer sees if it never does. */
static void still_works(void)
{
    memset(memory, 0, MEMORY);
    write_kernels();
    open_queue(0);
    struct signal *s = signal_of(0);
    uint8_t *p = queue[0].ring;
    s->kind = s->value = 1;
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(p + 4 + 2 * i, i ? 1 : 64, 2);
        wt_store_le(p + 12 + 4 * i, i ? 1 : 200, 4);
    }
    wt_store_le(p + 32, at(CODE), 8);
    wt_store_le(p + 56, (uintptr_t)s, 8);
    __atomic_store_n((uint16_t *)(void *)p, (uint16_t)DISPATCH, __ATOMIC_RELEASE);
    __atomic_store_n((uint64_t *)(void *)(queue[0].queue + WRITE_ID), 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&s->value, __ATOMIC_ACQUIRE))
        sched_yield();
    if (queue[0].error)
        abort();
    check(hsaKmtDestroyQueue(queue[0].id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PATIENCE_MS = 3 };
    struct input in = {data, size};
    if (size > 1024)
        return 0;
    memset(memory, 0, MEMORY);
    hsaKmtMapMemoryToGPU(other, OTHER, NULL);
    write_kernels();
    for (unsigned i = 0; i < SIGNALS; i++)
        signal_of(i)->kind = 1;
    for (unsigned i = 0; i < QUEUES; i++)
        open_queue(i);
    open_copies();
    while (in.left)
        operation(&in);
    /* Barriers may wait for ever, kernels run for ever. */
    const int64_t end = milliseconds() + PATIENCE_MS;
    while (!(is_idle(&queue[0]) && is_idle(&queue[1]) &&
             __atomic_load_n(copies.read, __ATOMIC_ACQUIRE) >= *copies.write) &&
           milliseconds() < end)
        sched_yield();
    check(hsaKmtDestroyQueue(copies.id));
    hsaKmtSetTrapHandler(GPU, NULL, 0, NULL, 0);
    for (unsigned i = 0; i < QUEUES; i++)
        check(hsaKmtDestroyQueue(queue[i].id));
    still_works();
    return 0;
}
