/*
 * The program's allocations, with the sizes that it has asked for. The runtime cuts small buffers
 * out of blocks of 2 MiB, and the driver sees only the blocks; as a tool of the runtime (tool.h)
 * this library sees the requests. Reports of faults name them; nothing else depends on them.
 */
#include <string.h>

#include "check/objects.h"
#include "runtime/common/host_checks.h"
#include "runtime/kfd/host.h"
#include "runtime/kfd/tool.h"

/* The runtime's functions are the process's, and so are these. */
static allocate_function *runtime_allocate;
static free_function *runtime_free, *runtime_pool_free;
static pool_allocate_function *runtime_pool_allocate;

/* Where memory is checked, what a language's runtime allocates is its own: the library of calls
 * (runtime/common/calls.h) sees what the program has of it. But LLVM's of OpenMP allocates each
 * range that is mapped, with its size (LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD is 0). */
static void made(void *address, size_t size, const char *by)
{
    const char *runtime = wt_check_wants(WT_CHECK_MEMORY) ? host_calling_runtime() : NULL;
    const bool maps = runtime && strcmp(runtime, "libomptarget") == 0;
    if (size && (!runtime || maps))
        wt_object_made(NULL, (uint64_t)(uintptr_t)address, size, maps ? "a target region" : by);
}

/* Memory of an array is an object; its end is seen here alone. */
static bool is_of_array(uint64_t addr)
{
    struct wt_object o;
    return wt_object_find(NULL, addr, &o, NULL, NULL) && !o.freed && o.addr == addr &&
           strstr(o.by, "Array");
}

static void freed(void *address, const char *by)
{
    if (is_of_array((uint64_t)(uintptr_t)address) ||
        !(wt_check_wants(WT_CHECK_MEMORY) && host_called_by_runtime()))
        wt_object_freed(NULL, (uint64_t)(uintptr_t)address, by);
}

/* ---- what the runtime's users call ---- */

static int allocate(uint64_t region, size_t size, void **address)
{
    const int status = runtime_allocate(region, size, address);
    if (!status)
        made(*address, size, "hsa_memory_allocate");
    if (!status && wt_host_listener())
        wt_host_listener()->allocated((uint64_t)(uintptr_t)*address, size);
    return status;
}

static int pool_allocate(uint64_t pool, size_t size, uint32_t flags, void **address)
{
    const int status = runtime_pool_allocate(pool, size, flags, address);
    if (!status)
        made(*address, size, "hsa_amd_memory_pool_allocate");
    if (!status)
        host_note_allocated((uint64_t)(uintptr_t)*address, size);
    return status;
}

/* Memory of a runtime from which objects were cut stays for a while. */
static void release(void *context, uint64_t addr)
{
    (void)runtime_free((void *)(uintptr_t)addr);
}

static bool keeps(void *address)
{
    const uint64_t addr = (uint64_t)(uintptr_t)address;
    const uint64_t size = wt_check_wants(WT_CHECK_MEMORY) && host_called_by_runtime()
                              ? wt_block_freed(NULL, addr)
                              : 0;
    if (size)
        wt_object_keep(addr, size, release, NULL);
    return size;
}

/* The entry is removed before the memory is freed: afterwards another thread may be given it. */
static int free_memory(void *address)
{
    if (keeps(address))
        return 0;
    freed(address, "hsa_memory_free");
    return runtime_free(address);
}

static int pool_free(void *address)
{
    freed(address, "hsa_amd_memory_pool_free");
    return runtime_pool_free(address);
}

void host_tool_allocations(struct core_table *core, struct ext_table *ext)
{
    runtime_allocate = core->allocate;
    runtime_free = core->free;
    runtime_pool_allocate = ext->allocate;
    runtime_pool_free = ext->free;
    core->allocate = allocate;
    core->free = free_memory;
    ext->allocate = pool_allocate;
    ext->free = pool_free;
}
