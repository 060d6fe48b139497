/*
 * The drop-in libhsakmt through its own functions: packets of every kind, also wrong ones, events,
 * memory. Kernels are a few words of machine code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first */
#include <cmocka.h>
#include <hsakmt.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "wait.h"

/* Headers of ROCm 6 leave it out; its library has it. */
HSAKMT_STATUS HSAKMTAPI hsaKmtGetKernelDebugTrapVersionInfo(HSAuint32 *major, HSAuint32 *minor);

enum { PACKET = 64, PACKETS = 64, RING = PACKETS * PACKET, GPU = 1 };
enum { INVALID = 1, DISPATCH = 2, BARRIER_AND = 3, AGENT = 4, BARRIER_OR = 5, IN_ORDER = 1 << 8 };

/* amd_signal_t. */
struct signal {
    int64_t kind;
    volatile int64_t value;
    uint64_t mailbox;
    uint32_t event, reserved;
    uint64_t rest[4];
};

/* What a runtime sets up for a queue: all of it in memory that the GPU may use. */
struct world {
    uint8_t *memory;
    uint8_t *ring;
    uint8_t *queue;        /* amd_queue_t */
    struct signal *signal; /* ten */
    uint8_t *code;         /* a descriptor, and code 256 bytes behind */
    volatile uint64_t *read, *write;
    HSA_QUEUEID id;
    HsaEvent *event;
    volatile int64_t error;
};

static uint8_t *allocate(size_t size)
{
    void *at = NULL;
    const HsaMemFlags flags = {.ui32 = {.HostAccess = 1}};
    HSAuint64 other = 1;
    assert_int_equal(hsaKmtAllocMemory(0, size, flags, &at), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtMapMemoryToGPU(at, size, &other), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(other, 0);
    return at;
}

static void set_code(struct world *w, const uint32_t *words, size_t count)
{
    memset(w->code, 0, 1024);
    wt_store_le(w->code + 16, 256, 8);    /* entry */
    wt_store_le(w->code + 52, 2 << 1, 4); /* two user SGPRs: */
    wt_store_le(w->code + 56, 1 << 3, 2); /* the kernel's arguments */
    memcpy(w->code + 256, words, count * 4);
    /* Instructions are cached; what is mapped afresh is not. */
    assert_int_equal(hsaKmtUnmapMemoryToGPU(w->memory), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtMapMemoryToGPU(w->memory, 0x10000, NULL), HSAKMT_STATUS_SUCCESS);
}

static void make_queue(struct world *w)
{
    HsaQueueResource resource = {0};
    memset(w->ring, 0, RING);
    for (unsigned i = 0; i < PACKETS; i++)
        w->ring[i * PACKET] = INVALID;
    memset(w->queue, 0, 256);
    w->write = (volatile uint64_t *)(void *)(w->queue + 56);
    w->read = (volatile uint64_t *)(void *)(w->queue + 128);
    wt_store_le(w->queue + 192, (uintptr_t)&w->signal[9], 8); /* queue_inactive_signal */
    w->error = 0;
    resource.Queue_read_ptr_aql = (HSAuint64 *)w->read;
    resource.Queue_write_ptr_aql = (HSAuint64 *)w->write;
    resource.ErrorReason = &w->error;
    assert_int_equal(hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL,
                                       w->ring, RING, w->event, &resource),
                     HSAKMT_STATUS_SUCCESS);
    assert_non_null(resource.Queue_DoorBell_aql);
    w->id = resource.QueueId;
}

static int setup(void **state)
{
    static const uint32_t end = 0xbf810000; /* s_endpgm */
    struct world *w = calloc(1, sizeof *w);
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    setenv("WAVETRAP_GPUS", "gfx900:cu=1", 1);
    unsetenv("WAVETRAP_EXPLAIN");
    assert_int_equal(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtCreateEvent(&descriptor, false, false, &w->event),
                     HSAKMT_STATUS_SUCCESS);
    w->memory = allocate(0x10000);
    w->ring = w->memory;
    w->queue = w->memory + RING;
    w->signal = (struct signal *)(void *)(w->memory + RING + 0x1000);
    w->code = w->memory + RING + 0x2000;
    set_code(w, &end, 1);
    make_queue(w);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDestroyEvent(w->event), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtFreeMemory(w->memory, 0x10000), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
    free(w);
    return 0;
}

/* A packet that is written, but not given yet. */
static uint8_t *next_packet(const struct world *w)
{
    uint8_t *p = w->ring + *w->write % PACKETS * PACKET;
    assert_int_equal(p[0], INVALID);
    memset(p + 2, 0, PACKET - 2);
    return p;
}

static void give(struct world *w, uint8_t *packet, uint16_t header)
{
    __atomic_store_n((uint16_t *)(void *)packet, header, __ATOMIC_RELEASE);
    __atomic_store_n((uint64_t *)w->write, *w->write + 1, __ATOMIC_RELEASE);
}

static void set_signal(struct world *w, unsigned i, int64_t value)
{
    w->signal[i] = (struct signal){.kind = 1, .value = value};
}

static void use_signal(const struct world *w, uint8_t *packet, unsigned at, unsigned signal)
{
    wt_store_le(packet + at, (uintptr_t)&w->signal[signal], 8);
}

static uint8_t *dispatch_packet(const struct world *w, unsigned items)
{
    uint8_t *p = next_packet(w);
    for (unsigned i = 0; i < 3; i++) {
        wt_store_le(p + 4 + 2 * i, i ? 1 : 64, 2);
        wt_store_le(p + 12 + 4 * i, i ? 1 : items, 4);
    }
    wt_store_le(p + 32, (uintptr_t)w->code, 8);
    return p;
}

/* ---- packets that are right ---- */

static void a_kernel_runs_and_its_signal_counts_down(void **state)
{
    struct world *w = *state;
    /* s_load_dwordx2 s[0:1], s[0:1], 0; v_mov_b32 v1, 7; v_mov_b32 v0, 0; s_waitcnt lgkmcnt(0);
     * global_store_dword v0, v1, s[0:1]; s_endpgm */
    static const uint32_t code[] = {0xc0060000, 0,          0x7e020287, 0x7e000280,
                                    0xbf8cc07f, 0xdc708000, 0x00000100, 0xbf810000};
    volatile uint32_t *result = (volatile uint32_t *)(void *)(w->memory + 0x8000);
    uint64_t *arguments = (uint64_t *)(void *)(w->memory + 0x8100);
    set_code(w, code, sizeof code / sizeof *code);
    *result = 0;
    arguments[0] = (uintptr_t)result;
    set_signal(w, 0, 3);
    for (unsigned i = 0; i < 2 * PACKETS; i++) { /* twice round the ring */
        UNTIL(*w->write - *w->read < PACKETS, sched_yield());
        uint8_t *p = dispatch_packet(w, 64);
        wt_store_le(p + 40, (uintptr_t)arguments, 8);
        const bool last = i == 2 * PACKETS - 1; /* waits for all before it */
        if (last)
            use_signal(w, p, 56, 0);
        give(w, p, DISPATCH | (last ? IN_ORDER : 0));
    }
    UNTIL(w->signal[0].value == 2, sched_yield());
    assert_int_equal(*result, 7);
    assert_int_equal(*w->read, 2 * PACKETS);
    for (unsigned i = 0; i < PACKETS; i++)
        assert_int_equal(w->ring[i * PACKET], INVALID);
    assert_int_equal(w->error, 0);
}

static void an_interrupt_signal_wakes_who_sleeps(void **state)
{
    struct world *w = *state;
    uint8_t *p = dispatch_packet(w, 64);
    set_signal(w, 0, 1);
    w->signal[0].mailbox = w->event->EventData.HWData2;
    w->signal[0].event = w->event->EventId;
    use_signal(w, p, 56, 0);
    give(w, p, DISPATCH);
    assert_int_equal(hsaKmtWaitOnEvent(w->event, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(w->signal[0].value, 0);
    assert_int_equal(*(uint64_t *)(uintptr_t)w->event->EventData.HWData2, w->event->EventId);
}

static void a_barrier_waits_for_all_or_for_one(void **state)
{
    struct world *w = *state;
    set_signal(w, 0, 1);
    set_signal(w, 1, 1);
    set_signal(w, 2, 1);
    set_signal(w, 3, 1);
    uint8_t *p = next_packet(w);
    use_signal(w, p, 8, 0);
    use_signal(w, p, 40, 1); /* the fifth place */
    use_signal(w, p, 56, 2);
    give(w, p, BARRIER_AND);
    p = next_packet(w);
    use_signal(w, p, 16, 0);
    use_signal(w, p, 32, 2); /* is 0 once the first barrier is done */
    use_signal(w, p, 56, 3);
    give(w, p, BARRIER_OR);
    w->signal[1].value = 0;
    for (unsigned i = 0; i < 1000; i++) { /* it has every opportunity to be wrong */
        sched_yield();
        assert_int_equal(w->signal[2].value, 1);
    }
    w->signal[0].value = 0;
    UNTIL(w->signal[3].value == 0, sched_yield());
    assert_int_equal(w->signal[2].value, 0);
    assert_int_equal(*w->read, 2);
}

static void a_barrier_on_a_value(void **state)
{
    struct world *w = *state;
    /* value & 0xff compared with 5: which values let it go */
    static const struct {
        uint32_t condition;
        int64_t closed, open;
    } row[] = {{0, 0x104, 0x105}, {1, 0x105, 0x106}, {2, 0x105, 0x104}, {3, 0x104, 0x1ff}};
    for (unsigned i = 0; i < 4; i++) {
        set_signal(w, 0, row[i].closed);
        set_signal(w, 1, 1);
        uint8_t *p = next_packet(w);
        p[2] = 2;
        use_signal(w, p, 8, 0);
        wt_store_le(p + 16, 5, 8);
        wt_store_le(p + 24, 0xff, 8);
        wt_store_le(p + 32, row[i].condition, 4);
        use_signal(w, p, 56, 1);
        give(w, p, 0);
        for (unsigned k = 0; k < 200; k++) {
            sched_yield();
            assert_int_equal(w->signal[1].value, 1);
        }
        w->signal[0].value = row[i].open;
        UNTIL(w->signal[1].value == 0, sched_yield());
    }
}

static void cache_packets_are_completed(void **state)
{
    struct world *w = *state;
    uint8_t *p = next_packet(w);
    set_signal(w, 0, 1);
    p[2] = 1;
    use_signal(w, p, 56, 0);
    give(w, p, 0);
    UNTIL(w->signal[0].value == 0, sched_yield());
}

static void more_scratch_is_asked_for(void **state)
{
    struct world *w = *state;
    uint8_t *p = dispatch_packet(w, 64);
    set_signal(w, 0, 1);
    set_signal(w, 9, 0);
    wt_store_le(p + 24, 16, 4); /* private memory that the queue does not have */
    use_signal(w, p, 56, 0);
    give(w, p, DISPATCH);
    UNTIL(w->signal[9].value == 1, sched_yield());
    assert_int_equal(*w->read, 0);
    /* What a runtime does then: 16 bytes a lane, for one use. */
    wt_store_le(w->queue + 160, (uintptr_t)w->memory + 0xc000, 8);
    wt_store_le(w->queue + 168, 0x4000, 8);
    wt_store_le(w->queue + 140, 16 | 1 << 12, 4); /* 16 waves of 1 KiB */
    wt_store_le(w->queue + 176, 16, 4);
    wt_store_le(w->queue + 180, 1 << 4, 4);
    __atomic_store_n(&w->signal[9].value, 0, __ATOMIC_RELEASE);
    UNTIL(w->signal[0].value == 0, sched_yield());
    UNTIL(w->signal[9].value == 512, sched_yield());
    w->signal[9].value = 0;
}

static void a_queue_is_destroyed_under_an_endless_kernel(void **state)
{
    struct world *w = *state;
    static const uint32_t forever = 0xbf82ffff; /* s_branch to itself */
    set_code(w, &forever, 1);
    give(w, dispatch_packet(w, 64 * 100), DISPATCH);
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_INVALID_PARAMETER);
    a_kernel_runs_and_its_signal_counts_down((make_queue(w), state));
}

/* ---- several queues ---- */

/* s_load_dword s4, s[0:1], 0; s_waitcnt lgkmcnt(0); s_cmp_eq_u32 s4, 0; back while it is; s_endpgm
 */
static const uint32_t spin[] = {0xc0020100, 0, 0xbf8cc07f, 0xbf068004, 0xbf85fffb, 0xbf810000};

/* Makes another queue, with code of its own beside that of the first one, whose code spins until
 * word() is set. All code is there before the first kernel begins. */
static void second(struct world *w, struct world *other, const uint32_t *words, size_t count)
{
    *other = *w;
    other->ring = w->memory + 0x9000;
    other->queue = w->memory + 0xa000;
    other->code = w->memory + 0xb000;
    set_code(w, spin, sizeof spin / sizeof *spin);
    set_code(other, words, count);
    make_queue(other);
    for (unsigned i = 0; i < 9; i++)
        set_signal(w, i, 1);
    *(volatile uint32_t *)(void *)(w->memory + 0x8000) = 0; /* word() */
}

static volatile uint32_t *word(const struct world *w)
{
    return (volatile uint32_t *)(void *)(w->memory + 0x8000);
}

/* Gives the queue its kernel. */
static void launch(struct world *w, unsigned signal, uint16_t header)
{
    uint8_t *p = dispatch_packet(w, 64);
    wt_store_le(p + 40, (uintptr_t)word(w), 8);
    use_signal(w, p, 56, signal);
    give(w, p, header);
}

/* It has every opportunity not to be. */
static void assert_still(const struct world *w, unsigned signal, int64_t value)
{
    for (unsigned i = 0; i < 1000; i++) {
        sched_yield();
        assert_int_equal(w->signal[signal].value, value);
    }
}

static void kernels_of_two_queues_run_at_once(void **state)
{
    struct world *w = *state;
    /* s_mov_b32 s4, 1; s_store_dword s4, s[0:1], 0; s_endpgm */
    static const uint32_t sets[] = {0xbe840081, 0xc0420100, 0, 0xbf810000};
    struct world other;
    second(w, &other, sets, 4);
    launch(w, 0, DISPATCH | IN_ORDER);
    assert_still(w, 0, 1);
    launch(&other, 1, DISPATCH | IN_ORDER);
    UNTIL(w->signal[0].value == 0, sched_yield());
    assert_int_equal(w->signal[1].value, 0);
    assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
}

/* A barrier, and a kernel behind it, stand in one queue; another one passes by. */
static void a_closed_barrier_closes_its_own_queue(void **state)
{
    struct world *w = *state;
    static const uint32_t end = 0xbf810000;
    struct world other;
    second(w, &other, &end, 1);
    uint8_t *p = next_packet(&other);
    use_signal(w, p, 8, 0);
    use_signal(w, p, 56, 1);
    give(&other, p, BARRIER_AND);
    launch(&other, 2, DISPATCH);
    launch(w, 3, DISPATCH);
    *word(w) = 1;
    UNTIL(w->signal[3].value == 0, sched_yield());
    assert_still(w, 2, 1);
    w->signal[0].value = 0;
    UNTIL(w->signal[2].value == 0, sched_yield());
    assert_int_equal(w->signal[1].value, 0);
    assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
}

/* Without the barrier bit a packet begins beside those before it, with it behind them. Places
 * become free in order. */
static void the_barrier_bit_keeps_a_packet_back(void **state)
{
    struct world *w = *state;
    static const uint32_t end = 0xbf810000;
    struct world other, same = *w;
    second(w, &other, &end, 1);
    same.code = other.code;
    launch(w, 0, DISPATCH);
    launch(&same, 1, DISPATCH);
    UNTIL(w->signal[1].value == 0, sched_yield());
    assert_int_equal(*w->read, 0);
    uint8_t *p = next_packet(w);
    use_signal(w, p, 56, 2);
    give(w, p, BARRIER_AND);
    UNTIL(w->signal[2].value == 0, sched_yield());
    assert_int_equal(*w->read, 0);
    launch(&same, 3, DISPATCH | IN_ORDER);
    launch(&same, 4, DISPATCH);
    assert_still(w, 3, 1);
    assert_int_equal(w->signal[4].value, 1);
    assert_int_equal(w->signal[0].value, 1);
    *word(w) = 1;
    UNTIL(*w->read == 5, sched_yield());
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(w->signal[i].value, 0);
    assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
}

static void scratch_is_exchanged_when_no_kernel_of_the_queue_runs(void **state)
{
    struct world *w = *state;
    static const uint32_t end = 0xbf810000;
    struct world other, same = *w;
    second(w, &other, &end, 1);
    same.code = other.code;
    set_signal(w, 9, 0);
    launch(w, 0, DISPATCH);
    uint8_t *p = dispatch_packet(&same, 64);
    wt_store_le(p + 24, 16, 4);
    give(&same, p, DISPATCH);
    assert_still(w, 9, 0);
    *word(w) = 1;
    UNTIL(w->signal[9].value == 1, sched_yield());
    assert_int_equal(w->signal[0].value, 0);
    w->signal[9].value = 0;
    assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
}

static void an_error_stops_its_own_queue(void **state)
{
    struct world *w = *state;
    static const uint32_t wrong[][2] = {{0xbeff7fff, 4}, {0xbf920002, 2}}; /* illegal, s_trap 2 */
    for (unsigned i = 0; i < 2; i++) {
        struct world other;
        second(w, &other, wrong[i], 1);
        launch(w, 0, DISPATCH | IN_ORDER);
        launch(&other, 1, DISPATCH | IN_ORDER);
        UNTIL(other.error, sched_yield());
        assert_int_equal(other.error, 1 << (wrong[i][1] - 1));
        assert_still(w, 0, 1);
        assert_int_equal(w->error, 0);
        *word(w) = 1;
        UNTIL(w->signal[0].value == 0, sched_yield());
        assert_int_equal(w->signal[1].value, 1);
        assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
        UNTIL(hsaKmtWaitOnEvent(w->event, 0) == HSAKMT_STATUS_SUCCESS, sched_yield());
    }
}

static void a_queue_is_destroyed_beside_another_ones_kernel(void **state)
{
    struct world *w = *state;
    static const uint32_t forever = 0xbf82ffff; /* s_branch to itself */
    struct world other;
    second(w, &other, &forever, 1);
    launch(w, 0, DISPATCH);
    for (unsigned i = 0; i < PACKETS; i++) /* more than can run at once */
        launch(&other, 1, DISPATCH);
    assert_still(w, 1, 1);
    assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
    *word(w) = 1;
    UNTIL(w->signal[0].value == 0, sched_yield());
}

/* The driver lets nothing run on after a page fault. */
static void a_page_fault_stops_all_queues(void **state)
{
    struct world *w = *state;
    /* s_load_dword s0, s[2:3], 0: from address 0 */
    static const uint32_t code[] = {0xbe820180, 0xc0020001, 0, 0xbf810000};
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_MEMORY};
    HsaEvent *faults;
    struct world other;
    second(w, &other, code, 4);
    assert_int_equal(hsaKmtCreateEvent(&descriptor, true, false, &faults), HSAKMT_STATUS_SUCCESS);
    launch(w, 0, DISPATCH);
    launch(&other, 1, DISPATCH);
    assert_int_equal(hsaKmtWaitOnEvent(faults, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    *word(w) = 1;
    launch(w, 2, DISPATCH);
    assert_still(w, 0, 1);
    assert_int_equal(w->signal[2].value, 1);
    assert_int_equal(hsaKmtDestroyEvent(faults), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDestroyQueue(other.id), HSAKMT_STATUS_SUCCESS);
}

/* ---- packets that are wrong ---- */

/* The reason is told, the queue stands still, and another one works. */
static void refused(struct world *w, unsigned reason)
{
    assert_int_equal(hsaKmtWaitOnEvent(w->event, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(w->error, (int64_t)1 << (reason - 1));
    assert_int_equal(*w->read, 0);
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
    make_queue(w);
}

static void wrong_packets_are_refused(void **state)
{
    struct world *w = *state;
    /* type, field, its size, its value, reason */
    static const struct {
        uint16_t header;
        unsigned at, size;
        uint64_t value;
        unsigned reason;
    } row[] = {
        {AGENT, 2, 2, 0, 20},
        {77, 2, 2, 0, 20},
        {0, 2, 1, 9, 23},        /* a vendor packet of no known format */
        {DISPATCH, 4, 2, 0, 21}, /* a work-group of none */
        {DISPATCH, 4, 2, 1025, 21},
        {DISPATCH, 6, 2, 1025, 21},
        {DISPATCH, 12, 4, 0, 16},     /* a grid of none */
        {DISPATCH, 28, 4, 65537, 17}, /* LDS */
        {DISPATCH, 32, 8, 0, 18},     /* no code */
        {DISPATCH, 32, 8, 0x123456000, 18},
        {DISPATCH, 32, 8, UINT64_MAX, 18},
        {DISPATCH, 56, 8, 8, 20}, /* a signal that is nowhere */
        {DISPATCH, 56, 8, UINT64_MAX - 7, 20},
        {BARRIER_AND, 8, 8, 0x1000, 20},
        {BARRIER_OR, 40, 8, 0x1001, 20},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        uint8_t *p = row[i].header == DISPATCH ? dispatch_packet(w, 64) : next_packet(w);
        wt_store_le(p + row[i].at, row[i].value, row[i].size);
        give(w, p, row[i].header);
        refused(w, row[i].reason);
    }
    a_kernel_runs_and_its_signal_counts_down(state);
}

static void wrong_kernels_are_faults(void **state)
{
    struct world *w = *state;
    static const uint32_t illegal = 0xbeff7fff, trap = 0xbf920002; /* and no trap handler is set */
    set_code(w, &illegal, 1);
    give(w, dispatch_packet(w, 64), DISPATCH);
    refused(w, 4);
    set_code(w, &trap, 1);
    give(w, dispatch_packet(w, 64), DISPATCH);
    refused(w, 2);
    a_kernel_runs_and_its_signal_counts_down(state);
}

/* The number that the report of a wrong kernel has. */
static unsigned long number_of_fault(struct world *w)
{
    static const uint32_t illegal = 0xbeff7fff;
    FILE *file = tmpfile();
    const int kept = dup(2);
    char said[2048] = "";
    assert_true(file && kept >= 0 && dup2(fileno(file), 2) == 2);
    set_code(w, &illegal, 1);
    give(w, dispatch_packet(w, 64), DISPATCH);
    refused(w, 4);
    assert_int_equal(dup2(kept, 2), 2);
    close(kept);
    rewind(file);
    assert_true(fread(said, 1, sizeof said - 1, file) > 0);
    fclose(file);
    const char *number = strstr(said, ", dispatch ");
    assert_non_null(number);
    return strtoul(number + strlen(", dispatch "), NULL, 10);
}

/* Numbers count launches that began. */
static void a_refused_launch_takes_no_number(void **state)
{
    struct world *w = *state;
    const unsigned long before = number_of_fault(w);
    uint8_t *p = dispatch_packet(w, 64);
    wt_store_le(p + 28, 65537, 4); /* LDS */
    give(w, p, DISPATCH);
    refused(w, 17);
    assert_int_equal(number_of_fault(w), before + 1);
}

/* What was sound when the packet came need not be so when its kernel ends. */
static void a_kernel_that_spoils_signals(void **state)
{
    struct world *w = *state;
    /* As above: stores 7 where its argument says. */
    static const uint32_t code[] = {0xc0060000, 0,          0x7e020287, 0x7e000280,
                                    0xbf8cc07f, 0xdc708000, 0x00000100, 0xbf810000};
    uint64_t *arguments = (uint64_t *)(void *)(w->memory + 0x8100);
    set_code(w, code, sizeof code / sizeof *code);
    set_signal(w, 0, 1);
    uint8_t *p = dispatch_packet(w, 64);
    use_signal(w, p, 56, 0);
    arguments[0] = (uintptr_t)p + 56;
    wt_store_le(p + 40, (uintptr_t)arguments, 8);
    give(w, p, DISPATCH);
    assert_int_equal(hsaKmtWaitOnEvent(w->event, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(w->error, (int64_t)1 << (20 - 1));
    assert_int_equal(w->signal[0].value, 1);
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
    make_queue(w);
    /* The last 8 bytes of an allocation: the rest of the signal would be behind it. The code is as
     * above, with a literal (v_mov_b32 v1, …). */
    const uint32_t low = (uint32_t)(uintptr_t)(w->memory + 0x10000 - 8);
    const uint32_t edge[] = {0xc0060000, 0,          0x7e0202ff, low,       0x7e000280,
                             0xbf8cc07f, 0xdc708000, 0x00000100, 0xbf810000};
    set_code(w, edge, sizeof edge / sizeof *edge);
    p = dispatch_packet(w, 64);
    use_signal(w, p, 56, 0);
    arguments[0] = (uintptr_t)p + 56;
    wt_store_le(p + 40, (uintptr_t)arguments, 8);
    give(w, p, DISPATCH);
    assert_int_equal(hsaKmtWaitOnEvent(w->event, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(w->error, (int64_t)1 << (20 - 1));
    assert_int_equal(w->signal[0].value, 1);
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
    make_queue(w);
    set_code(w, code, sizeof code / sizeof *code);
    arguments[0] = (uintptr_t)w->queue + 192; /* the queue's own signal */
    p = dispatch_packet(w, 64);
    use_signal(w, p, 56, 0);
    wt_store_le(p + 40, (uintptr_t)arguments, 8);
    give(w, p, DISPATCH);
    UNTIL(w->signal[0].value == 0, sched_yield());
    p = dispatch_packet(w, 64);
    wt_store_le(p + 24, 16, 4); /* more scratch is to be asked for by it */
    give(w, p, DISPATCH);
    assert_int_equal(hsaKmtWaitOnEvent(w->event, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(w->error, (int64_t)1 << (20 - 1));
    assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
    make_queue(w);
    a_kernel_runs_and_its_signal_counts_down(state);
}

static void memory_that_is_not_mapped_is_a_page_fault(void **state)
{
    struct world *w = *state;
    /* s_load_dword s0, s[0:1], 0: from the kernel's arguments, which are nowhere */
    static const uint32_t code[] = {0xc0020000, 0, 0xbf810000};
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_MEMORY};
    HsaEvent *faults;
    uint8_t *other = allocate(0x1000);
    assert_int_equal(hsaKmtCreateEvent(&descriptor, true, false, &faults), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtUnmapMemoryToGPU(other), HSAKMT_STATUS_SUCCESS);
    set_code(w, code, 3);
    uint8_t *p = dispatch_packet(w, 64);
    wt_store_le(p + 40, (uintptr_t)other + 0x123 * 4, 8);
    give(w, p, DISPATCH);
    assert_int_equal(hsaKmtWaitOnEvent(faults, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
    const HsaMemoryAccessFault *f = &faults->EventData.EventData.MemoryAccessFault;
    assert_int_equal(f->NodeId, GPU);
    assert_int_equal(f->VirtualAddress, (uintptr_t)other);
    assert_int_equal(f->Failure.NotPresent, 1);
    assert_int_equal(f->Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS);
    assert_int_equal(hsaKmtDestroyEvent(faults), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtFreeMemory(other, 0x1000), HSAKMT_STATUS_SUCCESS);
}

/* Whatever the bytes are, the library lives, and a new queue works. */
static void random_packets(void **state)
{
    struct world *w = *state;
    uint64_t seed = 1;
    for (unsigned i = 0; i < 300; i++) {
        uint8_t *p = dispatch_packet(w, 64);
        for (unsigned k = 0; k < 1 + i % 8; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            const unsigned at = 2 + (unsigned)(seed >> 33) % (PACKET - 2);
            /* The completion signal stays none: who would be told? The grid stays small. */
            if (at < 56 && (at < 12 || at >= 24))
                p[at] = (uint8_t)(seed >> 48);
        }
        give(w, p, (uint16_t)((seed >> 56) % 6));
        assert_int_equal(hsaKmtDestroyQueue(w->id), HSAKMT_STATUS_SUCCESS);
        make_queue(w);
    }
    a_kernel_runs_and_its_signal_counts_down(state);
}

/* ---- events and memory ---- */

static void events_are_reset_by_waits_or_by_hand(void **state)
{
    struct world *w = *state;
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    HsaEvent *by_hand, *pair[2];
    assert_int_equal(hsaKmtCreateEvent(&descriptor, true, true, &by_hand), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnEvent(by_hand, 0), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnEvent(by_hand, 0), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnEvent(w->event, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(hsaKmtWaitOnEvent(w->event, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(hsaKmtSetEvent(w->event), HSAKMT_STATUS_SUCCESS);
    pair[0] = w->event;
    pair[1] = by_hand;
    assert_int_equal(hsaKmtWaitOnMultipleEvents(pair, 2, true, 0), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnMultipleEvents(pair, 2, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(hsaKmtWaitOnMultipleEvents(pair, 2, false, 0), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDestroyEvent(by_hand), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtSetEvent(NULL), HSAKMT_STATUS_INVALID_HANDLE);
    assert_int_equal(hsaKmtDestroyEvent(NULL), HSAKMT_STATUS_INVALID_HANDLE);
}

struct waiter {
    HsaEvent *event;
    atomic_int thread; /* the system's number of it, when it is about to wait */
    HSAKMT_STATUS status;
};

static void *wait_a_minute(void *context)
{
    struct waiter *w = context;
    atomic_store(&w->thread, (int)gettid());
    w->status = hsaKmtWaitOnEvent(w->event, 60000);
    return NULL;
}

/* Nothing else makes that thread sleep: it sleeps in its wait. */
static bool sleeps(struct waiter *w)
{
    char path[64], state = 0;
    const int thread = atomic_load(&w->thread);
    if (!thread)
        return false;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %*[^)]) %c", &state), 1);
    fclose(file);
    return state == 'S';
}

/* One thread of the runtime and one of the program wait for the same event, which resets itself.
 * As with the driver, both wake up. */
static void all_that_wait_for_an_event_wake_up(void **state)
{
    struct world *w = *state;
    for (unsigned i = 0; i < 20; i++) {
        struct waiter waiter[2] = {{.event = w->event}, {.event = w->event}};
        pthread_t thread[2];
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(pthread_create(&thread[k], NULL, wait_a_minute, &waiter[k]), 0);
        }
        UNTIL(sleeps(&waiter[0]) && sleeps(&waiter[1]), sched_yield());
        assert_int_equal(hsaKmtSetEvent(w->event), HSAKMT_STATUS_SUCCESS);
        for (unsigned k = 0; k < 2; k++) {
            join_thread(thread[k]);
            assert_int_equal(waiter[k].status, HSAKMT_STATUS_SUCCESS);
        }
        /* It was for those who waited. */
        assert_int_equal(hsaKmtWaitOnEvent(w->event, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    }
}

static void a_wait_for_any_takes_what_is_set_and_leaves_the_rest(void **state)
{
    struct world *w = *state;
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
    HsaEvent *many[40];
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(hsaKmtCreateEvent(&descriptor, false, false, &many[i]),
                         HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtSetEvent(many[39]), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnMultipleEvents(many, 40, true, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(hsaKmtWaitOnMultipleEvents(many, 40, false, 60000), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnMultipleEvents(many, 40, false, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(hsaKmtSetEvent(many[0]), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtResetEvent(many[0]), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtWaitOnEvent(many[0], 0), HSAKMT_STATUS_WAIT_TIMEOUT);
    assert_int_equal(hsaKmtResetEvent(NULL), HSAKMT_STATUS_INVALID_HANDLE);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(hsaKmtDestroyEvent(many[i]), HSAKMT_STATUS_SUCCESS);
    /* What has gone before the wait, or goes during it. */
    struct waiter waiter = {.event = w->event};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_a_minute, &waiter), 0);
    UNTIL(sleeps(&waiter), sched_yield());
    assert_int_equal(hsaKmtDestroyEvent(w->event), HSAKMT_STATUS_SUCCESS);
    join_thread(thread);
    assert_int_equal(waiter.status, HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtCreateEvent(&descriptor, false, false, &w->event),
                     HSAKMT_STATUS_SUCCESS);
}

/* ---- wave control and address watch ---- */

static HSAKMT_STATUS control_waves(unsigned op, unsigned mode, unsigned trap)
{
    HsaDbgWaveMessage message = {0};
    return hsaKmtDbgWavefrontControl(GPU, (HSA_DBG_WAVEOP)op, (HSA_DBG_WAVEMODE)mode, trap,
                                     &message);
}

enum { SINGLE = 0, PROCESS = 2, HALT = 1, RESUME = 2, KILL = 3, TRAP = 5 };

/* word()[0] counts up until word()[1] is set; the store goes through the vector cache, which has
 * the watches: s_mov_b32 s4, 0; v_mov_b32 v0, 0; loop: s_add_u32 s4, s4, 1; v_mov_b32 v1, s4;
 * global_store_dword v0, v1, s[0:1]; s_load_dword s5, s[0:1], 4; s_waitcnt lgkmcnt(0);
 * s_cmp_eq_u32 s5, 0; s_cbranch_scc1 loop; s_endpgm */
static const uint32_t count_up[] = {0xbe840080, 0x7e000280, 0x80048104, 0x7e020204,
                                    0xdc708000, 0x00000100, 0xc0020140, 0x00000004,
                                    0xbf8cc07f, 0xbf068005, 0xbf85fff7, 0xbf810000};

/* Starts it; comes back when it counts. */
static void start_counting(struct world *w)
{
    word(w)[0] = word(w)[1] = 0;
    set_signal(w, 0, 1);
    launch(w, 0, DISPATCH | IN_ORDER);
    UNTIL(word(w)[0] > 10, sched_yield());
}

static void debugging_is_for_one_who_registers(void **state)
{
    HSAuint32 major = 0, minor = 0;
    HsaDbgWaveMessage message = {0};
    HSA_DBG_WATCH_MODE modes[101] = {HSA_DBG_WATCH_ALL};
    void *addresses[101] = {NULL};
    HSAuint64 mask[1] = {0};
    (void)state;
    assert_int_equal(control_waves(HALT, PROCESS, 0), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtDbgAddressWatch(GPU, 1, modes, addresses, mask, NULL),
                     HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtDbgUnregister(GPU), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtDbgRegister(GPU), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDbgRegister(GPU), HSAKMT_STATUS_ERROR);
    /* Value 1, all processes, is hidden; there are five operations; a trap's number is below 8. */
    assert_int_equal(control_waves(HALT, 1, 0), HSAKMT_STATUS_ERROR);
    assert_int_equal(control_waves(0, PROCESS, 0), HSAKMT_STATUS_ERROR);
    assert_int_equal(control_waves(6, PROCESS, 0), HSAKMT_STATUS_ERROR);
    assert_int_equal(control_waves(TRAP, PROCESS, 8), HSAKMT_STATUS_ERROR);
    assert_int_equal(control_waves(HALT, PROCESS, 0), HSAKMT_STATUS_SUCCESS); /* of no wave */
    /* Nodes: the processor's is not a GPU's, others are not there. */
    assert_int_equal(hsaKmtDbgRegister(0), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtDbgRegister(2), HSAKMT_STATUS_INVALID_NODE_UNIT);
    assert_int_equal(hsaKmtDbgWavefrontControl(2, HSA_DBG_WAVEOP_HALT,
                                               HSA_DBG_WAVEMODE_BROADCAST_PROCESS, 0, &message),
                     HSAKMT_STATUS_INVALID_NODE_UNIT);
    /* Four watches; the library itself takes 100. */
    assert_int_equal(hsaKmtDbgAddressWatch(GPU, 101, modes, addresses, mask, NULL),
                     HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtDbgAddressWatch(GPU, 5, modes, addresses, mask, NULL),
                     HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtDbgAddressWatch(GPU, 0, modes, addresses, mask, NULL),
                     HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtDbgAddressWatch(GPU, 4, modes, addresses, mask, NULL),
                     HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDbgUnregister(GPU), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtGetKernelDebugTrapVersionInfo(&major, &minor), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(major, 10);
}

/* The queue waits while all waves are halted: that is not an error. */
static void waves_are_halted_and_resumed_and_killed(void **state)
{
    struct world *w = *state;
    set_code(w, count_up, sizeof count_up / sizeof *count_up);
    start_counting(w);
    assert_int_equal(hsaKmtDbgRegister(GPU), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(control_waves(HALT, PROCESS, 0), HSAKMT_STATUS_SUCCESS);
    uint32_t at = word(w)[0];
    for (unsigned i = 0; i < 1000; i++) {
        sched_yield();
        assert_int_equal(word(w)[0], at);
    }
    assert_int_equal(w->error, 0);
    assert_int_equal(control_waves(RESUME, PROCESS, 0), HSAKMT_STATUS_SUCCESS);
    UNTIL(word(w)[0] > at, sched_yield());
    /* SE 0, SH 0, CU 0, SIMD 0, wave 0, by the message. */
    assert_int_equal(control_waves(HALT, SINGLE, 0), HSAKMT_STATUS_SUCCESS);
    at = word(w)[0];
    for (unsigned i = 0; i < 1000; i++) {
        sched_yield();
        assert_int_equal(word(w)[0], at);
    }
    assert_int_equal(hsaKmtDbgUnregister(GPU), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDbgRegister(GPU), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(control_waves(RESUME, SINGLE, 0), HSAKMT_STATUS_SUCCESS);
    UNTIL(word(w)[0] > at, sched_yield());
    assert_int_equal(control_waves(KILL, PROCESS, 0), HSAKMT_STATUS_SUCCESS);
    UNTIL(w->signal[0].value == 0, sched_yield()); /* the kernel has ended */
    assert_int_equal(word(w)[1], 0);
    assert_int_equal(hsaKmtDbgUnregister(GPU), HSAKMT_STATUS_SUCCESS);
}

/* A handler of one's own counts host traps, and hits of watches. */
static void a_trap_handler_of_ones_own_runs(void **state)
{
    struct world *w = *state;
    /* s_getreg_b32 ttmp4, hwreg(HW_REG_TRAPSTS); s_store_dword ttmp4, ttmp[14:15], 8; s_store_dword
     * ttmp1, ttmp[14:15], 0; s_waitcnt lgkmcnt(0); s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9),
     * 0; s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 12, 3), 0; s_and_b32 ttmp1, ttmp1, 0xffff;
     * s_rfe_b64 ttmp[0:1] */
    static const uint32_t handler[] = {0xb8f0f803, 0xc0421c3d, 0x00000008, 0xc0421b7d, 0x00000000,
                                       0xbf8cc07f, 0xba004003, 0x00000000, 0xba001303, 0x00000000,
                                       0x866dff6d, 0x0000ffff, 0xbe801f6c};
    volatile uint32_t *told = (volatile uint32_t *)(void *)(w->memory + 0x8800);
    HSA_DBG_WATCH_MODE mode[2] = {HSA_DBG_WATCH_READ, HSA_DBG_WATCH_NONREAD};
    void *address[2] = {(void *)(uintptr_t)(word(w) + 1000), (void *)(uintptr_t)word(w)};
    HSAuint64 mask[2] = {0xffffff, 0xffffff};
    set_code(w, count_up, sizeof count_up / sizeof *count_up);
    wt_store_le(w->code + 52, 2 << 1 | 1 << 13, 4); /* ADDRESS_WATCH is enabled */
    memcpy(w->code + 512, handler, sizeof handler);
    told[0] = told[2] = 0;
    assert_int_equal(
        hsaKmtSetTrapHandler(GPU, w->code + 512, sizeof handler, (void *)(uintptr_t)told, 4096),
        HSAKMT_STATUS_SUCCESS);
    start_counting(w);
    assert_int_equal(told[0], 0);
    assert_int_equal(hsaKmtDbgRegister(GPU), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(control_waves(TRAP, PROCESS, 5), HSAKMT_STATUS_SUCCESS);
    UNTIL(told[0] != 0, sched_yield());
    assert_int_equal(told[0] >> 16, 1 << 8 | 5); /* PCRewind 0, HT, trap 5 */
    told[0] = told[2] = 0;
    assert_int_equal(hsaKmtDbgAddressWatch(GPU, 2, mode, address, mask, NULL),
                     HSAKMT_STATUS_SUCCESS);
    UNTIL(told[0] != 0, sched_yield());
    assert_int_equal(told[2] & 0x7180, 1 << 12); /* watch 1 */
    assert_int_equal(told[0] >> 16 & 0x1ff, 0);  /* an exception: no trap number */
    assert_int_equal(told[0] >> 25, 2);          /* PCRewind: the store has two dwords */
    assert_int_equal(hsaKmtDbgUnregister(GPU), HSAKMT_STATUS_SUCCESS);
    word(w)[1] = 1;
    UNTIL(w->signal[0].value == 0, sched_yield());
}

/* ---- what no runtime calls ---- */

static void the_other_functions_answer(void **state)
{
    struct world *w = *state;
    uint8_t here[16] = "here", there[16] = "there";
    HsaMemoryRange local = {here, 16}, remote = {there, 16};
    HSAuint64 copied = 0;
    const HSAuint32 self = (HSAuint32)getpid();
    assert_int_equal(hsaKmtProcessVMRead(self, &local, 1, &remote, 1, &copied),
                     HSAKMT_STATUS_SUCCESS);
    assert_int_equal(copied, 16);
    assert_string_equal((char *)here, "there");
    here[0] = 'T';
    assert_int_equal(hsaKmtProcessVMWrite(self, &local, 1, &remote, 1, &copied),
                     HSAKMT_STATUS_SUCCESS);
    assert_string_equal((char *)there, "There");
    remote.MemoryAddress = NULL;
    assert_int_equal(hsaKmtProcessVMRead(self, &local, 1, &remote, 1, &copied),
                     HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtProcessVMRead(self, NULL, 1, &remote, 1, &copied),
                     HSAKMT_STATUS_INVALID_PARAMETER);
    HSAuint32 nodes[] = {GPU, 0};
    assert_int_equal(hsaKmtRegisterMemoryToNodes(here, 16, 1, nodes), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDeregisterMemory(here), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtRegisterMemoryToNodes(here, 16, 2, nodes),
                     HSAKMT_STATUS_INVALID_NODE_UNIT);
    assert_int_equal(hsaKmtRegisterMemory(here, 16), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDeregisterMemory(here), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtQueryEventState(w->event), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtQueryEventState(NULL), HSAKMT_STATUS_INVALID_HANDLE);
    /* The waves of an active queue are in the chip; of one that is not there are none. */
    HsaQueueInfo info;
    assert_int_equal(hsaKmtGetQueueInfo(w->id, &info), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtGetQueueInfo(w->id, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtUpdateQueue(w->id, 0, HSA_QUEUE_PRIORITY_NORMAL, w->ring, RING, NULL),
                     HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtGetQueueInfo(w->id, &info), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(info.SaveAreaSizeInBytes, 0);
    /* What this Vega has not. */
    HsaCounterProperties *counters;
    assert_int_equal(hsaKmtPmcGetCounterProperties(GPU, &counters), HSAKMT_STATUS_NOT_SUPPORTED);
    assert_int_equal(hsaKmtPmcGetCounterProperties(9, &counters), HSAKMT_STATUS_INVALID_NODE_UNIT);
    assert_int_equal(hsaKmtPmcStartTrace(1, here, 16), HSAKMT_STATUS_INVALID_HANDLE);
    assert_int_equal(hsaKmtSPMAcquire(GPU), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtMapGraphicHandle(GPU, 0, 0, 0, 0, NULL), HSAKMT_STATUS_NOT_IMPLEMENTED);
}

/* ---- shared virtual memory ---- */

static HSA_SVM_ATTRIBUTE attribute(unsigned type, unsigned value)
{
    return (HSA_SVM_ATTRIBUTE){.type = type, .value = value};
}

/* The attribute of pages [first, first + count), as hsaKmtSVMGetAttr answers it. */
static HSA_SVM_ATTRIBUTE asked(uint8_t *memory, unsigned first, unsigned count, unsigned type,
                               unsigned value)
{
    HSA_SVM_ATTRIBUTE a = attribute(type, value);
    assert_int_equal(hsaKmtSVMGetAttr(memory + first * 4096, count * 4096, 1, &a),
                     HSAKMT_STATUS_SUCCESS);
    return a;
}

/* They lie far below where the system puts what libraries map: a hole among them stays a hole. (A
 * sanitiser put another thread's TLS there, and the kernel wrote into it.) */
static uint8_t *pages_of_the_programs(unsigned count)
{
    void *at = mmap((void *)0x300000000000, count * 4096, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    return at;
}

static void attributes_of_shared_memory(void **state)
{
    struct world *w = *state;
    uint8_t *m = pages_of_the_programs(16);
    HSA_SVM_ATTRIBUTE a[4];
    HSA_SVM_ATTRIBUTE *none = &a[0];
    /* Nothing is set yet. */
    assert_int_equal(asked(m, 0, 16, HSA_SVM_ATTR_PREFERRED_LOC, 0).value, UINT32_MAX);
    assert_int_equal(asked(m, 0, 16, HSA_SVM_ATTR_ACCESS, GPU).type, HSA_SVM_ATTR_NO_ACCESS);
    assert_int_equal(asked(m, 0, 16, HSA_SVM_ATTR_SET_FLAGS, 0).value, 3);
    assert_int_equal(asked(m, 0, 16, HSA_SVM_ATTR_GRANULARITY, 0).value, 9);
    /* The middle; then a part of it. */
    a[0] = attribute(HSA_SVM_ATTR_PREFERRED_LOC, GPU);
    a[1] = attribute(HSA_SVM_ATTR_ACCESS_IN_PLACE, GPU);
    a[2] = attribute(HSA_SVM_ATTR_SET_FLAGS, HSA_SVM_FLAG_GPU_EXEC);
    a[3] = attribute(HSA_SVM_ATTR_GRANULARITY, 200);
    assert_int_equal(hsaKmtSVMSetAttr(m + 4 * 4096, 8 * 4096, 4, a), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(asked(m, 4, 8, HSA_SVM_ATTR_PREFERRED_LOC, 0).value, GPU);
    assert_int_equal(asked(m, 3, 2, HSA_SVM_ATTR_PREFERRED_LOC, 0).value, UINT32_MAX);
    assert_int_equal(asked(m, 4, 8, HSA_SVM_ATTR_ACCESS, GPU).type, HSA_SVM_ATTR_ACCESS_IN_PLACE);
    assert_int_equal(asked(m, 4, 9, HSA_SVM_ATTR_ACCESS, GPU).type, HSA_SVM_ATTR_NO_ACCESS);
    assert_int_equal(asked(m, 4, 1, HSA_SVM_ATTR_GRANULARITY, 0).value, 63);
    assert_int_equal(asked(m, 4, 8, HSA_SVM_ATTR_CLR_FLAGS, 0).value,
                     ~(3u | HSA_SVM_FLAG_GPU_EXEC));
    a[0] = attribute(HSA_SVM_ATTR_ACCESS, GPU);
    a[1] = attribute(HSA_SVM_ATTR_CLR_FLAGS, HSA_SVM_FLAG_COHERENT);
    assert_int_equal(hsaKmtSVMSetAttr(m + 6 * 4096, 4096, 2, a), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(asked(m, 6, 1, HSA_SVM_ATTR_ACCESS, GPU).type, HSA_SVM_ATTR_ACCESS);
    assert_int_equal(asked(m, 4, 8, HSA_SVM_ATTR_ACCESS, GPU).type, HSA_SVM_ATTR_ACCESS);
    assert_int_equal(asked(m, 4, 8, HSA_SVM_ATTR_SET_FLAGS, 0).value, 1 | HSA_SVM_FLAG_GPU_EXEC);
    assert_int_equal(asked(m, 7, 5, HSA_SVM_ATTR_ACCESS, GPU).type, HSA_SVM_ATTR_ACCESS_IN_PLACE);
    /* What is wrong: half a page, no node, the processor's node, no such attribute; memory that
     * nobody has, or the runtime's. */
    *none = attribute(HSA_SVM_ATTR_ACCESS, GPU);
    assert_int_equal(hsaKmtSVMSetAttr(m + 1, 4096, 1, none), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtSVMGetAttr(m, 100, 1, none), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtSVMSetAttr(NULL, 4096, 1, none), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtSVMSetAttr(w->memory, 4096, 1, none), HSAKMT_STATUS_ERROR);
    none->value = 0;
    assert_int_equal(hsaKmtSVMSetAttr(m, 4096, 1, none), HSAKMT_STATUS_INVALID_NODE_UNIT);
    none->value = 17;
    assert_int_equal(hsaKmtSVMGetAttr(m, 4096, 1, none), HSAKMT_STATUS_INVALID_NODE_UNIT);
    *none = attribute(99, GPU);
    assert_int_equal(hsaKmtSVMSetAttr(m, 4096, 1, none), HSAKMT_STATUS_ERROR);
    *none = attribute(HSA_SVM_ATTR_ACCESS, GPU);
    munmap(m, 16 * 4096);
    assert_int_equal(hsaKmtSVMSetAttr(m, 4096, 1, none), HSAKMT_STATUS_ERROR);
}

/* A GPU uses it in place; what the program has given back is a page fault, not the process's end.
 */
static void kernels_use_shared_memory_while_it_is_there(void **state)
{
    struct world *w = *state;
    /* s_load_dwordx2 s[0:1], s[0:1], 0; v_mov_b32 v1, 7; v_mov_b32 v0, 0; s_waitcnt lgkmcnt(0);
     * global_store_dword v0, v1, s[0:1]; s_endpgm */
    static const uint32_t code[] = {0xc0060000, 0,          0x7e020287, 0x7e000280,
                                    0xbf8cc07f, 0xdc708000, 0x00000100, 0xbf810000};
    HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_MEMORY};
    uint64_t *arguments = (uint64_t *)(void *)(w->memory + 0x8100);
    uint8_t *m = pages_of_the_programs(4);
    HSA_SVM_ATTRIBUTE a = attribute(HSA_SVM_ATTR_ACCESS_IN_PLACE, GPU);
    HsaEvent *faults;
    assert_int_equal(hsaKmtCreateEvent(&descriptor, true, false, &faults), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtSVMSetAttr(m, 4 * 4096, 1, &a), HSAKMT_STATUS_SUCCESS);
    set_code(w, code, sizeof code / sizeof *code);
    munmap(m + 2 * 4096, 4096); /* in the middle */
    for (unsigned i = 0; i < 2; i++) {
        arguments[0] = (uintptr_t)(m + 3 * i * 4096);
        set_signal(w, 0, 1);
        uint8_t *p = dispatch_packet(w, 64);
        wt_store_le(p + 40, (uintptr_t)arguments, 8);
        use_signal(w, p, 56, 0);
        give(w, p, DISPATCH | IN_ORDER);
        UNTIL(w->signal[0].value == 0, sched_yield());
        assert_int_equal(m[3 * i * 4096], 7);
    }
    arguments[0] = (uintptr_t)(m + 2 * 4096);
    uint8_t *p = dispatch_packet(w, 64);
    wt_store_le(p + 40, (uintptr_t)arguments, 8);
    give(w, p, DISPATCH | IN_ORDER);
    assert_int_equal(hsaKmtWaitOnEvent(faults, 60000), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(faults->EventData.EventData.MemoryAccessFault.VirtualAddress, arguments[0]);
    assert_int_equal(hsaKmtDestroyEvent(faults), HSAKMT_STATUS_SUCCESS);
    munmap(m, 4 * 4096);
}

/* ---- the tool of the HSA runtime ---- */

bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *failed);

static int how_it_waited;

static int64_t runtime_wait(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                            int how)
{
    how_it_waited = how;
    return (int64_t)(signal + (uint64_t)condition + timeout) + value;
}

static int64_t runtime_load(uint64_t signal)
{
    return (int64_t)signal;
}

static void runtime_store(uint64_t signal, int64_t value)
{
}

static void active_waits_become_blocking_ones(void **state)
{
    typedef int64_t wait_function(uint64_t, int, int64_t, uint64_t, int);
    struct {
        uint32_t major, size, step, reserved;
        void (*before[39])(void);
        int64_t (*load[2])(uint64_t);
        void (*store[2])(uint64_t, int64_t);
        wait_function *wait[2];
    } core = {.major = 1,
              .size = sizeof core,
              .load = {runtime_load, runtime_load},
              .store = {runtime_store, runtime_store},
              .wait = {runtime_wait, runtime_wait}};
    struct { /* of a runtime that has no table of extensions */
        uint32_t major, size, step, reserved;
        void *core;
    } table = {.major = 1, .size = sizeof table, .core = &core};
    (void)state;
    assert_true(OnLoad(&table, 0, 0, NULL));
    for (unsigned i = 0; i < 2; i++) {
        how_it_waited = 1;
        assert_ptr_not_equal(core.wait[i], runtime_wait);
        assert_int_equal(core.wait[i](1, 2, 4, 8, 1), 15);
        assert_int_equal(how_it_waited, 0);
    }
    /* One that is over soon is not one of the runtime's. */
    for (unsigned i = 0; i < 2; i++)
        for (int condition = 0; condition < 4; condition++) {
            const int64_t met[] = {7, 6, 8, 7}, unmet[] = {8, 7, 7, 8}; /* ==, !=, <, >= */
            how_it_waited = 1;
            assert_int_equal(core.wait[i](7, condition, met[condition], UINT64_MAX, 1), 7);
            assert_int_equal(how_it_waited, 1);
            core.wait[i](7, condition, unmet[condition], UINT64_MAX, 1);
            assert_int_equal(how_it_waited, 0);
        }
    core.wait[0] = core.wait[1] = runtime_wait; /* a shorter table has no such functions */
    core.size = 300;
    assert_true(OnLoad(&table, 0, 0, NULL));
    assert_ptr_equal(core.wait[0], runtime_wait);
}

/* The tables of ROCm 5 and of ROCm 6, and what is neither: then it stays as it is. */
static void the_runtimes_tables_of_two_versions(void **state)
{
    enum { WAIT = 43, ALLOCATE = 13 };
    static const struct {
        uint32_t api, core, ext;
        bool waits, allocates;
    } cases[] = {{1, 1, 1, true, true},  {3, 2, 2, true, true},  {3, 2, 1, true, false},
                 {1, 2, 2, true, false}, {3, 1, 1, true, false}, {3, 3, 3, false, false},
                 {0, 0, 0, false, false}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct {
            uint32_t major, size, step, reserved;
            void (*function[90])(void);
        } core = {.major = cases[i].core, .size = sizeof core},
          ext = {.major = cases[i].ext, .size = sizeof ext};
        struct {
            uint32_t major, size, step, reserved;
            void *core, *ext;
        } table = {.major = cases[i].api, .size = sizeof table, .core = &core, .ext = &ext};
        assert_true(OnLoad(&table, 0, 0, NULL));
        assert_int_equal(core.function[WAIT] != NULL, cases[i].waits);
        assert_int_equal(ext.function[ALLOCATE] != NULL, cases[i].allocates);
    }
}

static void what_a_pointer_points_into(void **state)
{
    struct world *w = *state;
    HsaPointerInfo info;
    int mark;
    assert_int_equal(hsaKmtSetMemoryUserData(w->memory + 5, &mark), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtQueryPointerInfo(w->memory + 0xffff, &info), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(info.Type, HSA_POINTER_ALLOCATED);
    assert_ptr_equal(info.CPUAddress, w->memory);
    assert_int_equal(info.GPUAddress, (uintptr_t)w->memory);
    assert_int_equal(info.SizeInBytes, 0x10000);
    assert_ptr_equal(info.UserData, &mark);
    assert_int_equal(info.NMappedNodes, 1);
    assert_int_equal(info.MappedNodes[0], GPU);
    assert_int_equal(hsaKmtQueryPointerInfo(w->memory + 0x10000, &info), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtQueryPointerInfo(&mark, &info), HSAKMT_STATUS_ERROR);
    assert_int_equal(info.Type, HSA_POINTER_UNKNOWN);
}

/* Registered memory has other addresses for GPUs: the runtime relies on it. Two buffers share a
 * page. */
static void registered_memory_is_seen_at_another_address(void **state)
{
    struct world *w = *state;
    /* s_load_dword s2, s[0:1], 0; s_waitcnt; s_add_u32 s2, s2, 1; s_store_dword s2, s[0:1], 4 */
    static const uint32_t code[] = {0xc0020080, 0,          0xbf8cc07f, 0x80028102, 0xc0420080,
                                    4,          0xc0840000, 0,          0xbf810000};
    uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const HsaMemFlags flags = {.Value = 0};
    HsaPointerInfo info;
    HSAuint64 other[2];
    assert_ptr_not_equal(page, MAP_FAILED);
    for (unsigned i = 0; i < 2; i++) {
        uint8_t *at = page + 100 * i;
        assert_int_equal(hsaKmtRegisterMemoryWithFlags(at, 50, flags), HSAKMT_STATUS_SUCCESS);
        assert_int_equal(hsaKmtMapMemoryToGPU(at, 50, &other[i]), HSAKMT_STATUS_SUCCESS);
        assert_int_not_equal(other[i], (uintptr_t)at);
        assert_int_equal(other[i] % 4096, (uintptr_t)at % 4096);
        for (unsigned k = 0; k < 2; k++) { /* asked by either address */
            const void *p = k ? at + 49 : (const uint8_t *)other[i] + 49;
            assert_int_equal(hsaKmtQueryPointerInfo(p, &info), HSAKMT_STATUS_SUCCESS);
            assert_int_equal(info.Type, HSA_POINTER_REGISTERED_USER);
            assert_ptr_equal(info.CPUAddress, at);
            assert_int_equal(info.GPUAddress, other[i]);
            assert_int_equal(info.SizeInBytes, 50);
        }
    }
    assert_int_equal(hsaKmtDeregisterMemory(page), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtQueryPointerInfo(page, &info), HSAKMT_STATUS_ERROR);
    wt_store_le(page + 100, 41, 4);
    set_code(w, code, 9);
    set_signal(w, 0, 1);
    uint8_t *p = dispatch_packet(w, 64);
    wt_store_le(p + 40, other[1], 8);
    use_signal(w, p, 56, 0);
    give(w, p, DISPATCH);
    UNTIL(w->signal[0].value == 0, sched_yield());
    assert_int_equal(wt_load_le(page + 104, 4), 42);
    /* Registered and mapped twice: unmapped once, it is still there. */
    assert_int_equal(hsaKmtRegisterMemoryWithFlags(page + 100, 50, flags), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtMapMemoryToGPU(page + 100, 50, &other[0]), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(other[0], other[1]);
    assert_int_equal(hsaKmtUnmapMemoryToGPU(page + 100), HSAKMT_STATUS_SUCCESS);
    wt_store_le(page + 100, 51, 4);
    set_signal(w, 0, 1);
    p = dispatch_packet(w, 64);
    wt_store_le(p + 40, other[1], 8);
    use_signal(w, p, 56, 0);
    give(w, p, DISPATCH);
    UNTIL(w->signal[0].value == 0, sched_yield());
    assert_int_equal(wt_load_le(page + 104, 4), 52);
    /* Another size is another registration. */
    assert_int_equal(hsaKmtRegisterMemoryWithFlags(page + 100, 60, flags), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtMapMemoryToGPU(page + 100, 60, &other[0]), HSAKMT_STATUS_SUCCESS);
    assert_int_not_equal(other[0], other[1]);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(hsaKmtDeregisterMemory(page + 100), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtDeregisterMemory(page + 100), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
    munmap(page, 4096);
}

static void what_is_wrong_is_refused(void **state)
{
    struct world *w = *state;
    void *at = NULL;
    HsaNodeProperties node;
    HsaQueueResource resource = {0};
    const HsaMemFlags flags = {.Value = 0};
    assert_int_equal(hsaKmtAllocMemory(0, 0, flags, &at), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtAllocMemory(0, UINT64_MAX, flags, &at), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtAllocMemory(2, 4096, flags, &at), HSAKMT_STATUS_INVALID_NODE_UNIT);
    assert_int_equal(hsaKmtAllocMemory(GPU, (uint64_t)9 << 30, flags, &at),
                     HSAKMT_STATUS_NO_MEMORY);
    assert_int_equal(hsaKmtFreeMemory(w->memory + 4096, 4096), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtMapMemoryToGPU(w, 8, NULL), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtGetNodeProperties(2, &node), HSAKMT_STATUS_INVALID_NODE_UNIT);
    assert_int_equal(
        hsaKmtCreateQueue(0, HSA_QUEUE_COMPUTE_AQL, 100, 0, w->ring, RING, NULL, &resource),
        HSAKMT_STATUS_INVALID_NODE_UNIT);
    assert_int_equal(
        hsaKmtCreateQueue(GPU, HSA_QUEUE_SDMA_XGMI, 100, 0, w->ring, RING, NULL, &resource),
        HSAKMT_STATUS_NOT_SUPPORTED);
    assert_int_equal(
        hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, w->ring, 100, NULL, &resource),
        HSAKMT_STATUS_INVALID_PARAMETER);
    /* Pointers in a page that the program itself cannot access. */
    uint8_t *page = w->memory + 0x8000;
    resource.Queue_read_ptr_aql = (HSAuint64 *)(void *)(page + 128);
    resource.Queue_write_ptr_aql = (HSAuint64 *)(void *)(page + 56);
    assert_int_equal(mprotect(page, 4096, PROT_NONE), 0);
    assert_int_not_equal(
        hsaKmtCreateQueue(GPU, HSA_QUEUE_COMPUTE_AQL, 100, 0, w->ring, RING, NULL, &resource),
        HSAKMT_STATUS_SUCCESS);
    assert_int_equal(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
}

/* Another process finds the memory by its handle; this one may do so, too. */
static void memory_is_shared_by_a_handle(void **state)
{
    struct world *w = *state;
    enum { SIZE = 0x400000 };
    uint8_t *m = allocate(SIZE);
    HsaSharedMemoryHandle handle, again, wrong;
    HsaPointerInfo info;
    void *there, *other;
    HSAuint64 size = 0;
    HSAuint32 node = GPU;
    m[5] = 50, m[SIZE - 1] = 51;
    assert_int_equal(hsaKmtShareMemory(m, SIZE, &handle), HSAKMT_STATUS_SUCCESS);
    assert_true(m[5] == 50 && m[4] == 0 && m[SIZE - 1] == 51);
    assert_int_equal(hsaKmtShareMemory(m, SIZE, &again), HSAKMT_STATUS_SUCCESS);
    assert_memory_equal(handle, again, sizeof handle);
    assert_true(handle[6] == 0 && handle[7] == 0); /* the runtime's own */
    assert_int_equal(hsaKmtRegisterSharedHandleToNodes(&handle, &there, &size, 1, &node),
                     HSAKMT_STATUS_SUCCESS);
    assert_true(size == SIZE && there != m && (uintptr_t)there % (2 << 20) == 0);
    assert_int_equal(hsaKmtRegisterSharedHandle(&handle, &other, &size), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtQueryPointerInfo((uint8_t *)there + 7, &info), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(info.Type, HSA_POINTER_REGISTERED_SHARED);
    assert_true(info.CPUAddress == there && info.SizeInBytes == SIZE && info.Node == GPU);
    ((uint8_t *)there)[6] = 60;
    assert_true(m[6] == 60 && ((uint8_t *)other)[6] == 60 && ((uint8_t *)there)[5] == 50);

    /* What is none, or is somewhere else, is refused. */
    assert_int_equal(hsaKmtShareMemory(m, SIZE / 2, &wrong), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtShareMemory(m + 4096, SIZE, &wrong), HSAKMT_STATUS_INVALID_PARAMETER);
    assert_int_equal(hsaKmtShareMemory(there, SIZE, &wrong), HSAKMT_STATUS_INVALID_PARAMETER);
    node = 7;
    assert_int_equal(hsaKmtRegisterSharedHandleToNodes(&handle, &other, &size, 1, &node),
                     HSAKMT_STATUS_INVALID_NODE_UNIT);
    for (unsigned i = 0; i < 6; i++) {
        memcpy(wrong, handle, sizeof wrong);
        wrong[i] ^= 0x40000000;
        assert_int_equal(hsaKmtRegisterSharedHandle(&wrong, &other, &size),
                         HSAKMT_STATUS_INVALID_HANDLE);
    }

    /* It lives for as long as one has it; the handle, for as long as its owner has it. */
    assert_int_equal(hsaKmtUnmapMemoryToGPU(m), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtFreeMemory(m, SIZE), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(((uint8_t *)there)[6], 60);
    assert_int_equal(hsaKmtDeregisterMemory(there), HSAKMT_STATUS_SUCCESS);
    assert_int_equal(hsaKmtQueryPointerInfo(there, &info), HSAKMT_STATUS_ERROR);
    assert_int_equal(hsaKmtRegisterSharedHandle(&handle, &there, &size),
                     HSAKMT_STATUS_INVALID_HANDLE);
    (void)w;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_runs_and_its_signal_counts_down),
        TEST(an_interrupt_signal_wakes_who_sleeps),
        TEST(a_barrier_waits_for_all_or_for_one),
        TEST(a_barrier_on_a_value),
        TEST(cache_packets_are_completed),
        TEST(more_scratch_is_asked_for),
        TEST(a_queue_is_destroyed_under_an_endless_kernel),
        TEST(kernels_of_two_queues_run_at_once),
        TEST(a_closed_barrier_closes_its_own_queue),
        TEST(the_barrier_bit_keeps_a_packet_back),
        TEST(scratch_is_exchanged_when_no_kernel_of_the_queue_runs),
        TEST(an_error_stops_its_own_queue),
        TEST(a_queue_is_destroyed_beside_another_ones_kernel),
        TEST(a_page_fault_stops_all_queues),
        TEST(wrong_packets_are_refused),
        TEST(a_refused_launch_takes_no_number),
        TEST(wrong_kernels_are_faults),
        TEST(a_kernel_that_spoils_signals),
        TEST(memory_that_is_not_mapped_is_a_page_fault),
        TEST(random_packets),
        TEST(events_are_reset_by_waits_or_by_hand),
        TEST(all_that_wait_for_an_event_wake_up),
        TEST(a_wait_for_any_takes_what_is_set_and_leaves_the_rest),
        TEST(debugging_is_for_one_who_registers),
        TEST(waves_are_halted_and_resumed_and_killed),
        TEST(a_trap_handler_of_ones_own_runs),
        TEST(the_other_functions_answer),
        TEST(attributes_of_shared_memory),
        TEST(kernels_use_shared_memory_while_it_is_there),
        TEST(active_waits_become_blocking_ones),
        TEST(the_runtimes_tables_of_two_versions),
        TEST(what_a_pointer_points_into),
        TEST(registered_memory_is_seen_at_another_address),
        TEST(memory_is_shared_by_a_handle),
        TEST(what_is_wrong_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
