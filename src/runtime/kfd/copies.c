/*
 * Copies that no kernel does.
 *
 * The copy engine: queues of SDMA packets, as AMD's runtime writes them for GFX9 (its public
 * headers of SDMA packets; each is some dwords, the first of which has the operation in bits 7:0
 * and the kind of it in 15:8). A packet is done at once, in the order of its queue.
 *
 * hsa_memory_copy: the calling thread copies to and from memory that GPUs have. GCC's libgomp calls
 * it at least twice for a region.
 */
#include "check/init.h"
#include "check/objects.h"
#include "runtime/common/checked.h"
#include "runtime/common/own_memory.h"
#include "runtime/kfd/host.h"
#include "runtime/kfd/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum copy_operation {
    OP_NOP = 0,
    OP_COPY = 1,
    OP_FENCE = 5,
    OP_TRAP = 6,
    OP_POLL = 8,
    OP_ATOMIC = 10,
    OP_FILL = 11,
    OP_TIMESTAMP = 13,
    OP_CACHES = 17,
};
enum { COPY_LINEAR = 0, COPY_RECT = 4, TIMESTAMP_GLOBAL = 2, ATOMIC_ADD64 = 47, LONGEST = 13 };

/* The outcome of a packet. */
enum outcome { DONE, GOES_ON, WAITS, FAULTED, MALFORMED };

static uint64_t pair(const uint32_t *p)
{
    return p[0] | (uint64_t)p[1] << 32;
}

/* The GPU's data at addr, in the program's memory: `size` contiguous bytes, or NULL. */
static void *memory_at(const struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    uint64_t room = 0;
    uint8_t *at = gcn_device_pointer(gpu->device, addr, &room);
    return room >= size ? at : NULL;
}

static enum outcome fault(struct host_gpu *gpu, const char *what, uint64_t addr)
{
    char text[1400];
    fprintf(stderr,
            "wavetrap: " HOST_GPU ": the copy engine %s 0x%llx, where no memory is mapped\n",
            HOST_GPU_IS(gpu), what, (unsigned long long)addr);
    host_explain_fault(gpu->host, gpu->index, addr, text, sizeof text);
    if (*text)
        fprintf(stderr, "  0x%llx: %s\n", (unsigned long long)addr, text);
    host_page_fault(gpu, addr);
    return FAULTED;
}

static enum outcome copy(struct host_gpu *gpu, uint64_t to, uint64_t from, uint64_t size)
{
    wt_object_copied(to, from, size, "a copy engine");
    gcn_device_changed(gpu->device, to, size);
    while (size) {
        uint64_t read = 0, write = 0;
        const uint8_t *source = gcn_device_pointer(gpu->device, from, &read);
        uint8_t *target = gcn_device_pointer(gpu->device, to, &write);
        if (!source || !target)
            return source ? fault(gpu, "writes to", to) : fault(gpu, "reads from", from);
        const uint64_t room = read < write ? read : write, part = size < room ? size : room;
        memmove(target, source, part);
        to += part;
        from += part;
        size -= part;
    }
    return DONE;
}

/* A box of elements of 1 to 16 bytes, row by row: some of them now, from row *done on, for others
 * want the GPU, too, and it may be the largest box there is. */
static enum outcome copy_box(struct host_gpu *gpu, const uint32_t *p, uint32_t *done)
{
    enum { AT_ONCE = 1 << 18 };
    const unsigned element = p[0] >> 29 & 7;
    const uint64_t width = (uint64_t)((p[11] & 0x3fff) + 1) << element;
    const uint32_t rows = (p[11] >> 16 & 0x3fff) + 1, slices = (p[12] & 0x7ff) + 1;
    uint64_t base[2], pitch[2], slice[2]; /* the source's, the target's */
    const bool init = wt_check_wants(WT_CHECK_INIT);
    struct wt_init_read read = {.at = *done * width};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t *q = p + 1 + 5 * i;
        pitch[i] = (uint64_t)((q[3] >> 13) + 1) << element;
        slice[i] = (uint64_t)((q[4] & 0xfffffff) + 1) << element;
        base[i] = pair(q) + ((uint64_t)(q[2] & 0x3fff) << element) +
                  (q[2] >> 16 & 0x3fff) * pitch[i] + (q[3] & 0x7ff) * slice[i];
    }
    if (element > 4)
        return MALFORMED;
    if (init)
        wt_check_init_read_begins(&read);
    enum outcome o = DONE;
    for (uint64_t copied = 0; *done < rows * slices && o == DONE; copied += width + 64) {
        const uint32_t z = *done / rows, y = *done % rows;
        const uint64_t from = base[0] + z * slice[0] + y * pitch[0];
        if (copied >= AT_ONCE) {
            o = GOES_ON;
            break;
        }
        if (init)
            wt_check_init_read_row(&read, from, width);
        o = copy(gpu, base[1] + z * slice[1] + y * pitch[1], from, width);
        *done += o == DONE;
    }
    if (init)
        wt_check_init_read_ended(&read);
    *done = o == DONE ? 0 : *done;
    return o;
}

/* With a byte, two or four of them, as bits 31:30 say. */
static enum outcome fill(struct host_gpu *gpu, const uint32_t *p)
{
    const unsigned unit = 1u << (p[0] >> 30 & 3);
    uint64_t to = pair(p + 1), left = ((p[4] & 0x3fffff) & ~(uint64_t)(unit - 1)) + unit;
    if (unit > 4)
        return MALFORMED;
    wt_object_filled(to, left, "a copy engine");
    gcn_device_changed(gpu->device, to, left);
    while (left) {
        uint64_t room = 0;
        uint8_t *at = gcn_device_pointer(gpu->device, to, &room);
        if (room < unit || !at)
            return fault(gpu, "writes to", to);
        const uint64_t part = (left < room ? left : room) & ~(uint64_t)(unit - 1);
        for (uint64_t i = 0; i < part; i++)
            at[i] = (uint8_t)(p[3] >> (i % unit * 8));
        to += part;
        left -= part;
    }
    return DONE;
}

static enum outcome poll(struct host_gpu *gpu, const uint32_t *p)
{
    if (!(p[0] >> 31)) /* a register, and there is none to wait for */
        return DONE;
    const uint32_t *at = memory_at(gpu, pair(p + 1), 4);
    if (!at || pair(p + 1) % 4)
        return fault(gpu, "waits for", pair(p + 1));
    const uint32_t value = __atomic_load_n(at, __ATOMIC_ACQUIRE) & p[4], wanted = p[3];
    const bool met[8] = {
        true,
        value<wanted, value <= wanted, value == wanted, value != wanted, value >= wanted, value>
            wanted,
        false};
    return met[p[0] >> 28 & 7] ? DONE : WAITS;
}

/* The mailbox of an event is written with the event's number: whoever sleeps on it wakes up. */
static enum outcome fence(struct host_gpu *gpu, const uint32_t *p)
{
    struct host *host = gpu->host;
    uint32_t *at = memory_at(gpu, pair(p + 1), 4);
    if (!at || pair(p + 1) % 4)
        return fault(gpu, "writes to", pair(p + 1));
    __atomic_store_n(at, p[3], __ATOMIC_RELEASE);
    if (host_mailbox(host, pair(p + 1)))
        host_event_set(host, p[3]);
    return DONE;
}

static enum outcome change(struct host_gpu *gpu, const uint32_t *p)
{
    uint64_t *at = memory_at(gpu, pair(p + 1), 8);
    if (p[0] >> 25 != ATOMIC_ADD64)
        return MALFORMED;
    if (!at || pair(p + 1) % 8)
        return fault(gpu, "changes", pair(p + 1));
    __atomic_fetch_add(at, pair(p + 3), __ATOMIC_ACQ_REL);
    return DONE;
}

static enum outcome timestamp(struct host_gpu *gpu, const uint32_t *p)
{
    uint64_t *at = memory_at(gpu, pair(p + 1), 8);
    if (!at || pair(p + 1) % 8)
        return fault(gpu, "writes to", pair(p + 1));
    __atomic_store_n(at, host_clock(), __ATOMIC_RELEASE);
    return DONE;
}

/* How many dwords the packet has; 0: there is none such. */
static unsigned length_of(uint32_t header)
{
    const unsigned kind = header >> 8 & 0xff;
    switch (header & 0xff) {
    case OP_NOP:
        return 1 + (header >> 16 & 0x3fff);
    case OP_COPY:
        return kind == COPY_LINEAR ? 7 : kind == COPY_RECT ? 13 : 0;
    case OP_FENCE:
        return 4;
    case OP_TRAP:
        return 2;
    case OP_POLL:
        return 6;
    case OP_ATOMIC:
        return 8;
    case OP_FILL:
        return 5;
    case OP_TIMESTAMP:
        return kind == TIMESTAMP_GLOBAL ? 3 : 0;
    case OP_CACHES:
        return 5;
    default:
        return 0;
    }
}

static enum outcome execute(struct host_queue *q, const uint32_t *p)
{
    struct host_gpu *gpu = q->gpu;
    switch (p[0] & 0xff) {
    case OP_COPY:
        if ((p[0] >> 8 & 0xff) == COPY_RECT)
            return copy_box(gpu, p, &q->rows_done);
        return copy(gpu, pair(p + 5), pair(p + 3),
                    (uint64_t)(p[1] & (gpu->config.model->long_copies ? 0x3fffffff : 0x3fffff)) +
                        1);
    case OP_FENCE:
        return fence(gpu, p);
    case OP_POLL:
        return poll(gpu, p);
    case OP_ATOMIC:
        return change(gpu, p);
    case OP_FILL:
        return fill(gpu, p);
    case OP_TIMESTAMP:
        return timestamp(gpu, p);
    default: /* NOP, caches; TRAP: the fence before it has told of the event */
        return DONE;
    }
}

bool host_copy(struct host_queue *q)
{
    const uint64_t mask = q->packets - 1,
                   left = atomic_load_explicit(q->write, memory_order_acquire) - q->begun;
    uint32_t p[LONGEST];
    if (left < 4)
        return false;
    for (unsigned i = 0; i < LONGEST; i++)
        memcpy(&p[i], q->ring + ((q->begun + 4 * i) & mask), 4);
    const uint64_t length = length_of(p[0]) * UINT64_C(4);
    const enum outcome o = length && length <= left ? execute(q, p) : MALFORMED;
    if (o == WAITS)
        return false;
    if (o == MALFORMED) {
        fprintf(stderr, "wavetrap: " HOST_GPU ": %s packet of operation %u, kind %u (0x%08x)\n",
                HOST_GPU_IS(q->gpu),
                length > left ? "the copy engine was given the beginning only of a"
                : length      ? "the copy engine finds wrong fields in a"
                              : "the copy engine knows no",
                p[0] & 0xff, p[0] >> 8 & 0xff, p[0]);
        q->stopped = true;
    } else if (o == DONE) {
        q->begun += length;
        atomic_store_explicit(q->read, q->begun, memory_order_release);
    }
    return true;
}

/* ---- hsa_memory_copy ---- */

static copy_function *runtime_copy;

/* Whose memory a copy may use as it is; ELSEWHERE: that is for the runtime to say. */
enum copied_place { OF_PROGRAM, OF_GPUS, ELSEWHERE };

static enum copied_place place_of(const struct host *host, uint64_t addr, uint64_t size)
{
    const struct host_allocation *before, *a = host_memory_find(host, addr, &before);
    if (!a || (a->type == HSA_POINTER_REGISTERED_USER && addr - a->addr < a->size))
        return OF_PROGRAM;
    const bool whole = a->type == HSA_POINTER_ALLOCATED && size <= a->size - (addr - a->addr);
    return whole && a->shown ? OF_GPUS : ELSEWHERE;
}

/* A language's runtime copies several objects at once. */
static void judge(uint64_t addr, size_t size, enum copied_place place, enum wt_access access)
{
    if (place == OF_GPUS && wt_check_wants(WT_CHECK_MEMORY) && !host_called_by_runtime())
        wt_checked_access(NULL, addr, size, access, "hsa_memory_copy");
}

/* All GPUs are entered. False: the program does not have all of its memory. */
static bool copy_entered(struct host *host, uint64_t to, enum copied_place target, uint64_t from,
                         enum copied_place source, size_t size)
{
    bool done = true;
    wt_object_copied(to, from, size, "hsa_memory_copy");
    host_order_accesses();
    for (uint32_t i = 0; i < host->gpus; i++)
        wt_recording_merge(host->gpu[i].recording);
    if (source == OF_PROGRAM)
        done = wt_own_memory_copy(from, (uint8_t *)(uintptr_t)to, size, true) == size;
    else if (target == OF_PROGRAM)
        done = wt_own_memory_copy(to, (uint8_t *)(uintptr_t)from, size, false) == size;
    else
        memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    for (uint32_t i = 0; i < host->gpus; i++) {
        gcn_device_changed(host->gpu[i].device, to, size);
        wt_recording_merge(host->gpu[i].recording);
    }
    return done;
}

/* False: nothing, or a part, was copied. */
static bool copy_here(uint64_t to, uint64_t from, size_t size, bool by_runtime)
{
    struct host *host = host_get();
    if (!host || !size)
        return false;
    pthread_mutex_lock(&host->lock);
    const enum copied_place target = place_of(host, to, size), source = place_of(host, from, size);
    pthread_mutex_unlock(&host->lock);
    if (target == ELSEWHERE || source == ELSEWHERE ||
        (target == OF_PROGRAM && source == OF_PROGRAM))
        return false;
    judge(to, size, target, WT_ACCESS_STORE);
    judge(from, size, source, WT_ACCESS_LOAD);
    if (by_runtime)
        return false;
    host_enter_all(host);
    const bool done = copy_entered(host, to, target, from, source, size);
    host_leave_all(host);
    return done;
}

static int memory_copy(void *to, const void *from, size_t size)
{
    return copy_here((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size, false)
               ? 0
               : runtime_copy(to, from, size);
}

/* ROCm 6's runtime has no kernel copy what leaves its allocation, but the calling thread. */
static int judged_copy(void *to, const void *from, size_t size)
{
    (void)copy_here((uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, size, true);
    return runtime_copy(to, from, size);
}

void host_tool_copy(struct core_table *core)
{
    const char *engine = getenv("HSA_ENABLE_SDMA");
    const bool by_kernels = engine && strcmp(engine, "0") == 0;
    if (by_kernels && core->version.major == 1)
        return;
    runtime_copy = core->copy;
    core->copy = by_kernels ? judged_copy : memory_copy;
}
