/*
 * This library as a tool of the HSA runtime ("HSA_TOOLS_LIB"): the runtime lets a tool replace
 * functions of its interface when it starts. hsa_api_trace.h is C++; this is the part of its tables
 * that is used.
 */
#ifndef WT_RUNTIME_HSAKMT_TOOL_H
#define WT_RUNTIME_HSAKMT_TOOL_H

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

struct core_table {
    struct table_version version;
    void (*before[33])(void);
    allocate_function *allocate;
    free_function *free;
    copy_function *copy;
    void (*between[3])(void);
    load_function *load_relaxed, *load_scacquire;
    store_function *store_relaxed, *store_screlease;
    wait_function *wait_relaxed, *wait_scacquire;
};

struct ext_table {
    struct table_version version;
    void (*before[13])(void);
    pool_allocate_function *allocate;
    free_function *free;
};

/**
 * Replaces the runtime's signal functions (waits.c): threads that wait for signals sleep, and
 * stores to signals wake the threads of the GPUs.
 */
void host_tool_wait(struct core_table *core);
/**
 * The number of stores to signals so far. A thread reads it before it looks at queues, for
 * host_sleep().
 */
uint32_t host_doorbells(void);
/**
 * Sleeps for @p ns (below a second), or until signals have been stored to more often than @p seen
 * times. Without the HSA runtime there are no such stores.
 */
void host_sleep(uint32_t seen, unsigned ns);
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

#endif
