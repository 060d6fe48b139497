/*
 * Fuzz target: packets of the copy engine, through the driver library's own functions and with its own
 * thread. An input is a row of dwords, most of them operations, addresses of memory of all sorts, and
 * small numbers. Whatever comes, the library lives, and a new queue does what it is given.
 */
#include <hsakmt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

enum { GPU = 1, RING = 4096, MEMORY = 0x10000, PATIENCE = 2000 };

static uint8_t *memory, *ring;
static uint64_t place[8];

static void check(HSAKMT_STATUS status)
{
    if (status != HSAKMT_STATUS_SUCCESS)
        abort();
}

static uint8_t *allocate(size_t size)
{
    void *at = NULL;
    const HsaMemFlags flags = {.ui32 = {.HostAccess = 1}};
    check(hsaKmtAllocMemory(0, size, flags, &at));
    check(hsaKmtMapMemoryToGPU(at, size, NULL));
    return at;
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    static uint8_t mine[3 * 4096];
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    const HsaMemFlags flags = {.Value = 0};
    HsaEvent *event;
    HSAuint64 registered;
    (void)count, (void)arguments;
    stderr =
        fopen("/dev/null", "w"); /* what is reported of each packet; libFuzzer has kept its own */
    setenv("WAVETRAP_GPUS", "gfx900:cu=1", 1);
    check(hsaKmtOpenKFD());
    check(hsaKmtCreateEvent(&descriptor, true, false, &event));
    check(hsaKmtRegisterMemoryWithFlags(mine + 100, 5000, flags));
    check(hsaKmtMapMemoryToGPU(mine + 100, 5000, &registered));
    memory = allocate(MEMORY);
    ring = allocate(RING);
    const uint64_t places[8] = {(uintptr_t)memory, (uintptr_t)memory + MEMORY - 8, registered,
                                registered + 4900, event->EventData.HWData2, (uintptr_t)ring,
                                (uintptr_t)mine, 0};
    memcpy(place, places, sizeof place);
    return 0;
}

static HSA_QUEUEID open_queue(volatile uint64_t **read, volatile uint64_t **write)
{
    HsaQueueResource resource = {0};
    check(hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, RING, NULL,
                            &resource));
    *read = (volatile uint64_t *)resource.Queue_read_ptr_aql;
    *write = (volatile uint64_t *)resource.Queue_write_ptr_aql;
    return resource.QueueId;
}

/* A dword for each byte, or for five of them. */
static size_t take(const uint8_t *data, size_t size, uint32_t *dword)
{
    static const uint32_t operation[] = {0,      1, 1 | 4 << 8, 5, 6, 8 | 3u << 28 | 1u << 31, 10 | 47u << 25,
                                         11 | 2u << 30, 13 | 2 << 8, 77};
    const uint8_t what = data[0];
    const unsigned operations = sizeof operation / sizeof *operation;
    if (what < 0x40) {
        *dword = operation[what % operations];
    } else if (what < 0x80) {
        *dword = (uint32_t)(place[what % 8] >> (what & 8 ? 32 : 0)) + (what >> 4 & 3);
    } else if (what < 0xf0) {
        *dword = what - 0x80u;
    } else {
        *dword = size >= 5 ? (uint32_t)wt_load_le(data + 1, 4) : UINT32_MAX;
        return size >= 5 ? 5 : 1;
    }
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    volatile uint64_t *read, *write;
    HSA_QUEUEID id = open_queue(&read, &write);
    uint64_t at = 0;
    memset(memory, 0, MEMORY);
    while (size && at + 4 < RING) {
        uint32_t dword;
        const size_t taken = take(data, size, &dword);
        wt_store_le(ring + at, dword, 4);
        at += 4;
        data += taken;
        size -= taken;
    }
    __atomic_store_n(write, at, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < PATIENCE && *read != at; i++) /* it may wait, or have stopped */
        sched_yield();
    check(hsaKmtDestroyQueue(id));

    /* A page fault stops all queues; one that is made later works. */
    id = open_queue(&read, &write);
    volatile uint32_t *word = (volatile uint32_t *)(void *)(memory + 64);
    const uint32_t fence[4] = {5, (uint32_t)(uintptr_t)word, (uint32_t)((uintptr_t)word >> 32), 0x600d};
    *word = 0;
    memcpy(ring, fence, sizeof fence);
    __atomic_store_n(write, sizeof fence, __ATOMIC_RELEASE);
    while (*word != 0x600d)
        sched_yield();
    check(hsaKmtDestroyQueue(id));
    return 0;
}
