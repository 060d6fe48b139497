/* The copy engine of the drop-in libhsakmt: packets of every kind in its queues, right and wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <hsakmt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "wait.h"

enum { GPU = 1, SIZE = 1 << 16, RING = 4096 };
enum { COPY = 1, FENCE = 5, TRAP = 6, POLL = 8, ATOMIC = 10, FILL = 11, TIMESTAMP = 13 };

struct queue {
    uint8_t *ring;
    volatile uint64_t *read, *write;
    HSA_QUEUEID id;
};

struct world {
    uint8_t *memory; /* SIZE bytes: the GPU's */
    volatile uint32_t *word;
    struct queue queue[2];
};

static uint8_t *allocate(size_t size)
{
    void *at = NULL;
    const HsaMemFlags flags = {.ui32 = {.HostAccess = 1}};
    assert_int_equal(hsaKmtAllocMemory(0, size, flags, &at), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtMapMemoryToGPU(at, size, NULL), HSAKMT_STATUS_SUCCESS);
    return at;
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    assert_int_equal(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
    w->memory = allocate(SIZE);
    w->word = (volatile uint32_t *)(void *)(w->memory + SIZE - 64);
    for (unsigned i = 0; i < 2; i++) {
        struct queue *q = &w->queue[i];
        HsaQueueResource resource = {0};
        q->ring = allocate(RING);
        assert_int_equal(
            hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, 0, q->ring, RING, NULL, &resource),
            HSAKMT_STATUS_SUCCESS);
        q->read = (volatile uint64_t *)resource.Queue_read_ptr_aql;
        q->write = (volatile uint64_t *)resource.Queue_write_ptr_aql;
        q->id = resource.QueueId;
        assert_non_null(resource.Queue_DoorBell_aql);
    }
    *state = w;
    return 0;
}

static int setup_gfx90a(void **state)
{
    setenv("WAVETRAP_GPUS", "gfx90a", 1);
    const int result = setup(state);
    unsetenv("WAVETRAP_GPUS");
    return result;
}

static int teardown(void **state)
{
    struct world *w = *state;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(hsaKmtDestroyQueue(w->queue[i].id), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
    free(w);
    return 0;
}

/* Writes a packet, over the ring's end if need be; the engine sees it at once. */
static void give(struct queue *q, const uint32_t *packet, unsigned dwords)
{
    const uint64_t at = *q->write;
    UNTIL(at + 4 * dwords - *q->read < RING, sched_yield());
    for (unsigned i = 0; i < dwords; i++)
        wt_store_le(q->ring + (at + 4 * i) % RING, packet[i], 4);
    __atomic_store_n(q->write, at + 4 * dwords, __ATOMIC_RELEASE);
}

#define LOW(p) (uint32_t)(uintptr_t)(p)
#define HIGH(p) (uint32_t)((uint64_t)(uintptr_t)(p) >> 32)
#define GIVE(q, ...)                                                                               \
    do {                                                                                           \
        const uint32_t packet[] = {__VA_ARGS__};                                                   \
        give(q, packet, sizeof packet / sizeof *packet);                                           \
    } while (0)

static void give_copy(struct queue *q, const void *to, const void *from, uint32_t size)
{
    GIVE(q, COPY, size - 1, 0, LOW(from), HIGH(from), LOW(to), HIGH(to));
}

/* All that the queue has been given is done. */
static void finish(struct queue *q)
{
    UNTIL(*q->read == *q->write, sched_yield());
}

static void fill_with_numbers(uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(i * 31 + (i >> 8));
}

/* The count of a packet has 22 bits; on a gfx90a 30. */
static void copy_long(struct world *w, bool all)
{
    enum { LONG = (1 << 22) + 4096, SHORT = LONG - (1 << 22) };
    uint8_t *from = allocate(LONG), *to = allocate(LONG);
    fill_with_numbers(from, LONG);
    memset(to, 0, LONG);
    give_copy(&w->queue[0], to, from, LONG);
    finish(&w->queue[0]);
    assert_memory_equal(to, from, SHORT);
    assert_int_equal(memcmp(to, from, LONG) == 0, all);
    assert_int_equal(hsaKmtFreeMemory(from, LONG), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtFreeMemory(to, LONG), HSAKMT_STATUS_SUCCESS);
}

static void a_count_has_22_bits(void **state)
{
    copy_long(*state, false);
}

static void a_count_has_30_bits(void **state)
{
    copy_long(*state, true);
}

/* Any alignment, any size, and many times round the ring. */
static void bytes_are_copied(void **state)
{
    struct world *w = *state;
    static uint8_t expected[SIZE];
    fill_with_numbers(w->memory, SIZE);
    memcpy(expected, w->memory, SIZE);
    for (unsigned i = 0; i < 500; i++) {
        const unsigned from = i * 37 % 10000, to = 20000 + i * 61 % 20000, size = 1 + i * i % 5000;
        give_copy(&w->queue[0], w->memory + to, w->memory + from, size);
        memcpy(expected + to, expected + from, size);
        const uint32_t nop[7] = {i % 7 << 16, 1, 2, 3, 4, 5, 6}; /* with so many dwords behind it */
        give(&w->queue[0], nop, 1 + i % 7);
    }
    finish(&w->queue[0]);
    assert_memory_equal(w->memory, expected, SIZE);
}

static void boxes_are_copied(void **state)
{
    struct world *w = *state;
    static uint8_t expected[SIZE];
    for (uint32_t element = 0; element <= 4; element++) {
        const uint32_t unit = 1u << element, x = 5, y = 4, z = 3;
        const uint32_t pitch[2] = {16, 12}, slice[2] = {16 * 8, 12 * 7},
                       off[2][3] = {{2, 1, 3}, {1, 2, 1}};
        uint8_t *base[2] = {w->memory, w->memory + SIZE / 2};
        fill_with_numbers(w->memory, SIZE - 64);
        memcpy(expected, w->memory, SIZE);
        GIVE(&w->queue[0], COPY | 4 << 8 | element << 29, LOW(base[0]), HIGH(base[0]),
             off[0][0] | off[0][1] << 16, off[0][2] | (pitch[0] - 1) << 13, slice[0] - 1,
             LOW(base[1]), HIGH(base[1]), off[1][0] | off[1][1] << 16,
             off[1][2] | (pitch[1] - 1) << 13, slice[1] - 1, (x - 1) | (y - 1) << 16, z - 1);
        for (uint32_t k = 0; k < z; k++)
            for (uint32_t j = 0; j < y; j++) {
                size_t at[2];
                for (unsigned s = 0; s < 2; s++)
                    at[s] = unit *
                            ((off[s][2] + k) * slice[s] + (off[s][1] + j) * pitch[s] + off[s][0]);
                memcpy(expected + SIZE / 2 + at[1], expected + at[0], x * unit);
            }
        finish(&w->queue[0]);
        assert_memory_equal(w->memory, expected, SIZE - 64);
    }
}

static void memory_is_filled(void **state)
{
    struct world *w = *state;
    static uint8_t expected[1000];
    static const struct {
        uint32_t kind, count; /* as the packet has it: bytes, less a unit */
        unsigned unit, bytes;
    } row[] = {{0, 6, 1, 7}, {1, 6, 2, 8}, {2, 4 * 24, 4, 100}, {2, 4 * 24 + 3, 4, 100}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        memset(w->memory, 0xee, sizeof expected);
        memset(expected, 0xee, sizeof expected);
        for (unsigned k = 0; k < row[i].bytes; k++)
            expected[8 + k] = (uint8_t)(0x44332211u >> k % row[i].unit * 8);
        GIVE(&w->queue[0], FILL | row[i].kind << 30, LOW(w->memory + 8), HIGH(w->memory),
             0x44332211, row[i].count);
        finish(&w->queue[0]);
        assert_memory_equal(w->memory, expected, sizeof expected);
    }
}

/* One queue waits for a word; meanwhile another one is served. */
static void a_queue_waits_for_a_value(void **state)
{
    struct world *w = *state;
    /* Function, the value compared with 5 under a mask: does it go on? */
    static const struct {
        uint32_t function, value;
        bool on;
    } row[] = {{0, 9, true},  {1, 4, true},  {1, 5, false}, {2, 5, true},  {2, 6, false},
               {3, 5, true},  {3, 4, false}, {4, 6, true},  {4, 5, false}, {5, 5, true},
               {5, 4, false}, {6, 6, true},  {6, 5, false}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        w->word[0] = row[i].value | 0xab00; /* the mask lets that out */
        w->word[1] = w->word[2] = 0;
        GIVE(&w->queue[0], POLL | row[i].function << 28 | 1u << 31, LOW(w->word), HIGH(w->word), 5,
             0xff, 0);
        GIVE(&w->queue[0], FENCE, LOW(w->word + 1), HIGH(w->word), 1);
        /* Each queue is looked at in turn: twice the other one, then this one must have been. */
        for (unsigned k = 1; k < 3; k++) {
            GIVE(&w->queue[1], FENCE, LOW(w->word + 2), HIGH(w->word), k);
            UNTIL(w->word[2] == k, sched_yield());
        }
        if (row[i].on)
            finish(&w->queue[0]);
        assert_int_equal(w->word[1], row[i].on);
        for (uint32_t value = 0; *w->queue[0].read != *w->queue[0].write; value++)
            w->word[0] = value % 16; /* one of these will do */
    }
    GIVE(&w->queue[0], POLL, 0, 0x80000000, 0, 0,
         0); /* flushes the host's data path: nothing to wait for */
    finish(&w->queue[0]);
}

static void signals_count_and_times_are_noted(void **state)
{
    struct world *w = *state;
    uint64_t *number = (uint64_t *)(void *)w->memory;
    HsaClockCounters before, after;
    number[0] = 7;
    assert_int_equal(hsaKmtGetClockCounters(GPU, &before), HSAKMT_STATUS_SUCCESS);
    GIVE(&w->queue[0], TIMESTAMP | 2 << 8, LOW(&number[4]), HIGH(number));
    GIVE(&w->queue[0], ATOMIC | 47u << 25, LOW(number), HIGH(number), UINT32_MAX, UINT32_MAX, 0, 0,
         0);
    finish(&w->queue[0]);
    assert_int_equal(hsaKmtGetClockCounters(GPU, &after), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(number[0], 6);
    assert_true(number[4] >= before.GPUClockCounter && number[4] <= after.GPUClockCounter);
}

/* As the runtime ends its copies: the event's number in its mailbox, then an interrupt. */
static void an_event_is_told(void **state)
{
    struct world *w = *state;
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    HsaEvent *event;
    assert_int_equal(hsaKmtCreateEvent(&descriptor, false, false, &event), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnEvent(event, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    GIVE(&w->queue[0], FENCE, (uint32_t)event->EventData.HWData2,
         (uint32_t)(event->EventData.HWData2 >> 32), event->EventId);
    GIVE(&w->queue[0], TRAP, 0);
    assert_int_equal(hsaKmtWaitOnEvent(event, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDestroyEvent(event), HSAKMT_STATUS_SUCCESS);
}

static void registered_memory_is_copied(void **state)
{
    struct world *w = *state;
    static uint8_t bytes[3 * 4096], expected[5000];
    const HsaMemFlags flags = {.Value = 0};
    HSAuint64 at;
    fill_with_numbers(w->memory, SIZE);
    assert_int_equal(hsaKmtRegisterMemoryWithFlags(bytes + 100, 5000, flags),
                     HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtMapMemoryToGPU(bytes + 100, 5000, &at), HSAKMT_STATUS_SUCCESS);
    memcpy(expected, w->memory, 5000);
    give_copy(&w->queue[0], (void *)(uintptr_t)at, w->memory, 5000);
    give_copy(&w->queue[0], w->memory + 10000, (void *)(uintptr_t)(at + 4000), 1000);
    finish(&w->queue[0]);
    assert_memory_equal(bytes + 100, expected, 5000);
    assert_memory_equal(w->memory + 10000, expected + 4000, 1000);
    assert_int_equal(hsaKmtDeregisterMemory(bytes + 100), HSAKMT_STATUS_SUCCESS);
}

/* What is not the GPU's is not touched: a memory fault, which stops all queues. */
static void memory_that_is_not_mapped_is_a_page_fault(void **state)
{
    struct world *w = *state;
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_MEMORY};
    HsaEvent *faults;
    uint8_t mine[64] = {1};
    assert_int_equal(hsaKmtCreateEvent(&descriptor, true, false, &faults), HSAKMT_STATUS_SUCCESS);
    memset(w->memory, 5, 64);
    give_copy(&w->queue[0], mine, w->memory, 64);
    assert_int_equal(hsaKmtWaitOnEvent(faults, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(faults->EventData.EventData.MemoryAccessFault.VirtualAddress,
                     (uintptr_t)mine & ~(uintptr_t)4095);
    assert_int_equal(mine[0], 1);
    assert_int_equal(*w->queue[0].read, 0);
    assert_int_equal(hsaKmtDestroyEvent(faults), HSAKMT_STATUS_SUCCESS);
}

/* The queue stops at it; others do not. */
static void wrong_packets_are_refused(void **state)
{
    static const uint32_t wrong[][13] = {{77},
                                         {COPY | 9 << 8},
                                         {COPY | 4 << 8 | 5u << 29},
                                         {TIMESTAMP | 1 << 8},
                                         {ATOMIC | 3 << 25},
                                         {FILL | 3u << 30}};
    struct world *w = *state;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct queue *q = &w->queue[0];
        HsaQueueResource resource = {0};
        w->word[0] = w->word[1] = 0;
        give(q, wrong[i], 13);
        GIVE(q, FENCE, LOW(w->word), HIGH(w->word), 1);
        for (unsigned k = 1; k < 3; k++) {
            GIVE(&w->queue[1], FENCE, LOW(w->word + 1), HIGH(w->word), k);
            UNTIL(w->word[1] == k, sched_yield());
        }
        assert_int_equal(w->word[0], 0);
        assert_int_equal(hsaKmtDestroyQueue(q->id), HSAKMT_STATUS_SUCCESS);
        assert_int_equal(
            hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, 0, q->ring, RING, NULL, &resource),
            HSAKMT_STATUS_SUCCESS);
        *q = (struct queue){q->ring, (volatile uint64_t *)resource.Queue_read_ptr_aql,
                            (volatile uint64_t *)resource.Queue_write_ptr_aql, resource.QueueId};
    }
}

/* Whatever the bytes are, the library lives, and a new queue works. */
static void random_packets(void **state)
{
    struct world *w = *state;
    uint64_t seed = 1;
    for (unsigned i = 0; i < 300; i++) {
        struct queue *q = &w->queue[0];
        HsaQueueResource resource = {0};
        uint32_t packet[13];
        for (unsigned k = 0; k < 13; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            packet[k] = seed >> 40 & 1 ? (uint32_t)(seed >> 32)
                        : k % 2        ? LOW(w->memory)
                                       : HIGH(w->memory);
        }
        packet[0] = (packet[0] & ~0xffu) | (i % 14);
        give(q, packet, 13);
        assert_int_equal(hsaKmtDestroyQueue(q->id), HSAKMT_STATUS_SUCCESS);
        assert_int_equal(
            hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA, 100, 0, q->ring, RING, NULL, &resource),
            HSAKMT_STATUS_SUCCESS);
        *q = (struct queue){q->ring, (volatile uint64_t *)resource.Queue_read_ptr_aql,
                            (volatile uint64_t *)resource.Queue_write_ptr_aql, resource.QueueId};
    }
    GIVE(&w->queue[0], FENCE, LOW(w->word), HIGH(w->word), 123);
    UNTIL(w->word[0] == 123, sched_yield());
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_count_has_22_bits),
        cmocka_unit_test_setup_teardown(a_count_has_30_bits, setup_gfx90a, teardown),
        TEST(bytes_are_copied),
        TEST(boxes_are_copied),
        TEST(memory_is_filled),
        TEST(a_queue_waits_for_a_value),
        TEST(signals_count_and_times_are_noted),
        TEST(an_event_is_told),
        TEST(registered_memory_is_copied),
        TEST(memory_that_is_not_mapped_is_a_page_fault),
        TEST(wrong_packets_are_refused),
        TEST(random_packets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
