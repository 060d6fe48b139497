/*
 * This library as a tool of the HSA runtime ("HSA_TOOLS_LIB"): the runtime lets a tool replace
 * functions of its interface when it starts. hsa_api_trace.h is C++; this is the part of its tables
 * that is used.
 */
#ifndef WT_RUNTIME_KFD_TOOL_H
#define WT_RUNTIME_KFD_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_version {
    uint32_t major, size, step, reserved; /**< the minor number is the table's size */
};

/** A signal wait: signal, condition, value, timeout, and how to wait. */
typedef int64_t wait_function(uint64_t signal, int condition, int64_t value, uint64_t timeout,
                              int how);
/** hsa_signal_load_…, hsa_signal_store_…: signal, value. */
typedef int64_t load_function(uint64_t signal);
typedef void store_function(uint64_t signal, int64_t value);
/** hsa_memory_allocate: region, bytes. */
typedef int allocate_function(uint64_t region, size_t size, void **address);
/** hsa_amd_memory_pool_allocate: pool, bytes, flags. */
typedef int pool_allocate_function(uint64_t pool, size_t size, uint32_t flags, void **address);
/** hsa_memory_free, hsa_amd_memory_pool_free. */
typedef int free_function(void *address);
/** hsa_memory_copy: to, from, bytes. */
typedef int copy_function(void *to, const void *from, size_t size);

/** hsa_queue_create: agent, packets, type, call of errors and its argument, sizes of private and of
 * group memory. */
struct queue_of_program;
typedef int queue_create_function(uint64_t agent, uint32_t size, uint32_t type, void *callback,
                                  void *data, uint32_t private_size, uint32_t group_size,
                                  struct queue_of_program **queue);
/** hsa_signal_destroy. */
typedef int signal_destroy_function(uint64_t signal);
/** hsa_signal_exchange_…: signal, value. */
typedef int64_t exchange_function(uint64_t signal, int64_t value);
/** hsa_signal_cas_…: signal, expected, value. */
typedef int64_t cas_function(uint64_t signal, int64_t expected, int64_t value);

/** Each operation in four forms: relaxed, scacquire, screlease, scacq_screl. */
enum { TOOL_FORMS = 4 };

struct core_table {
    struct table_version version;
    void (*before[7])(void);
    queue_create_function *queue_create;
    void (*between_queues[25])(void);
    allocate_function *allocate;
    free_function *free;
    copy_function *copy;
    void (*between[2])(void);
    signal_destroy_function *signal_destroy;
    load_function *load_relaxed, *load_scacquire;
    store_function *store_relaxed, *store_screlease;
    wait_function *wait_relaxed, *wait_scacquire;
    store_function *and_or_xor[3][TOOL_FORMS];
    exchange_function *exchange[TOOL_FORMS];
    store_function *add_subtract[2][TOOL_FORMS];
    cas_function *cas[TOOL_FORMS];
};

/** A function that is called when a signal's value meets a condition; false: no more. */
typedef bool signal_handler(int64_t value, void *argument);
/** hsa_amd_signal_async_handler: signal, condition, value, function, its argument. */
typedef int async_handler_function(uint64_t signal, int condition, int64_t value,
                                   signal_handler *handler, void *argument);
/** hsa_amd_signal_wait_any: which of the signals has met its condition. */
typedef uint32_t wait_any_function(uint32_t count, uint64_t *signals, int *conditions,
                                   int64_t *values, uint64_t timeout, int how, int64_t *value);
/** hsa_amd_memory_async_copy. */
typedef int async_copy_function(void *to, uint64_t to_agent, const void *from, uint64_t from_agent,
                                size_t size, uint32_t count, const uint64_t *dependencies,
                                uint64_t completion);
/** hsa_amd_memory_async_copy_on_engine: the same; which engine, and whether to force that. */
typedef int engine_copy_function(void *to, uint64_t to_agent, const void *from, uint64_t from_agent,
                                 size_t size, uint32_t count, const uint64_t *dependencies,
                                 uint64_t completion, int engine, bool force);
/** hsa_amd_memory_fill: to, value, count of 4 bytes. */
typedef int fill_function(void *to, uint32_t value, size_t count);
/** hsa_amd_memory_async_copy_rect. */
struct pitched_memory;
struct box;
typedef int async_copy_rect_function(const struct pitched_memory *to, const struct box *to_offset,
                                     const struct pitched_memory *from,
                                     const struct box *from_offset, const struct box *range,
                                     uint64_t agent, int direction, uint32_t count,
                                     const uint64_t *dependencies, uint64_t completion);
/** hsa_amd_signal_value_pointer. */
typedef int value_pointer_function(uint64_t signal, volatile int64_t **value);

struct ext_table {
    struct table_version version;
    void (*before[7])(void);
    async_handler_function *async_handler;
    void (*async_function)(void);
    wait_any_function *wait_any;
    void (*between[3])(void);
    pool_allocate_function *allocate;
    free_function *free;
    async_copy_function *async_copy;
    engine_copy_function *async_copy_on_engine; /**< from version 2 on */
};

/** The later part of that table: it begins 6 functions after async_copy, from version 2 on 8. */
struct ext_later {
    fill_function *fill;
    void (*behind_fill[15])(void);
    async_copy_rect_function *async_copy_rect;
    void (*behind_copies[4])(void);
    value_pointer_function *value_pointer;
};

/**
 * Replaces the runtime's signal functions (waits.c): threads that wait for signals sleep, and
 * stores to signals wake the threads of the GPUs.
 */
void host_tool_wait(struct core_table *core);
/** Whether a debugger is there, which may hold kernels for hours: threads that wait are quiet. */
void host_waits_under_debugger(bool is);
/**
 * The number of stores to signals so far. A thread reads it before it looks at queues, for
 * host_sleep().
 */
uint32_t host_doorbells(void);
/** Wakes the threads of the GPUs, as such a store does. */
void host_ring_doorbell(void);
/**
 * Sleeps for @p ns (below a second), or until signals have been stored to more often than @p seen
 * times. Without the HSA runtime there are no such stores.
 */
void host_sleep(uint32_t seen, unsigned ns);
/** How many turns the threads of all GPUs have had. */
uint32_t host_turns(void);
/** Such a thread has had one. */
void host_tell_turn(void);
/** Sleeps for @p ns (below a second), or until there were more turns than @p seen. */
void host_sleep_for_turn(uint32_t seen, unsigned ns);
/**
 * Replaces the runtime's allocation functions (allocations.c), so that the program's allocations
 * are known by the sizes it asked for. Either table may be NULL.
 */
void host_tool_allocations(struct core_table *core, struct ext_table *ext);
/**
 * Replaces hsa_memory_copy (copies.c): between the program's memory and that of GPUs it copies at
 * once, where the runtime registers the program's memory, has a kernel copy, and waits actively.
 * With HSA_ENABLE_SDMA=0 in the environment, which asks for copies by kernels, it stays.
 */
void host_tool_copy(struct core_table *core);
/**
 * Replaces, where races are looked for, what makes queues, changes signals or looks at them, and
 * copies (hsa_order.c): behind the functions above, whose copies it calls.
 */
void host_tool_order(struct core_table *core, struct ext_table *ext, struct ext_later *later);

#endif
