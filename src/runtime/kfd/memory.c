/*
 * Memory, all of it the process's own. Memory that the runtime allocates has one address for host
 * and GPU. Memory of the program that the runtime registers has other addresses on GPUs. A GPU may
 * use only memory that the runtime has mapped for it.
 */
#include "runtime/kfd/kfd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "emulator/machine/fill.h"
#include "runtime/kfd/shared.h"

#define HUGE_PAGE ((uint64_t)2 << 20)

/* ---- what a GPU may use ---- */

static uint64_t page_down(uint64_t addr)
{
    return addr & ~(uint64_t)(HOST_PAGE - 1);
}

static uint64_t page_up(uint64_t addr)
{
    return page_down(addr + HOST_PAGE - 1);
}

/* Whether others may use it while kernels run. Scratch memory is its waves' alone. */
static bool is_fine(const struct host_allocation *a)
{
    return !a->flags.ui32.CoarseGrain && !a->flags.ui32.Scratch;
}

static bool show(struct host_gpu *gpu, const struct host_allocation *a)
{
    struct wt_error err;
    const uint64_t from = page_down(a->gpu_addr), size = page_up(a->gpu_addr + a->size) - from;
    void *pages = (void *)(uintptr_t)page_down(a->addr);
    host_enter(gpu);
    const bool shown = a->gpu_addr == a->addr
                           ? !gcn_device_map(gpu->device, from, size, true, &err)
                           : !gcn_device_map_alias(gpu->device, from, size, pages, &err);
    const bool told = shown && gcn_device_set_grain(gpu->device, from, size, is_fine(a), !a->node);
    host_leave(gpu);
    return told;
}

static void hide(struct host_gpu *gpu, uint64_t addr, uint64_t size)
{
    struct wt_error err;
    host_enter(gpu);
    /* Without memory for that, what is gone stays mapped: whoever touches it dies of it. */
    (void)host_unmap(gpu, addr, size, &err);
    host_leave(gpu);
}

/* ---- the table of allocations; the caller holds host->lock ---- */

/* The index of the first one that begins above addr. */
static size_t above(const struct host *host, uint64_t addr)
{
    WT_BISECT(low, host->allocations, host->allocation[middle]->addr <= addr);
    return low;
}

/* The one that holds addr, the program's or the GPUs'; of several the last one to begin. */
static struct host_allocation *holding(const struct host *host, uint64_t addr)
{
    for (size_t i = above(host, addr); i-- > 0;) {
        struct host_allocation *a = host->allocation[i];
        if (addr - a->addr < a->size)
            return a;
        if (a->type != HSA_POINTER_REGISTERED_USER) /* these do not overlap */
            break;
    }
    for (size_t i = host->allocations; i-- > 0;) {
        struct host_allocation *a = host->allocation[i];
        if (addr - a->gpu_addr < a->size)
            return a;
    }
    return NULL;
}

/* The one that begins at addr, of that size (any: 0); of several the last one made. */
static struct host_allocation *beginning(const struct host *host, uint64_t addr, uint64_t size)
{
    for (size_t i = above(host, addr); i-- > 0 && host->allocation[i]->addr == addr;)
        if (!size || host->allocation[i]->size == size)
            return host->allocation[i];
    return NULL;
}

static struct host_allocation *add(struct host *host, const struct host_allocation *given)
{
    pthread_mutex_lock(&host->table_lock);
    struct host_allocation **grown = wt_array_grow(host->allocation, &host->allocation_capacity,
                                                   host->allocations + 1, sizeof *grown);
    host->allocation = grown ? grown : host->allocation;
    pthread_mutex_unlock(&host->table_lock);
    if (!grown)
        return NULL;
    struct host_allocation *a = malloc(sizeof *a);
    if (!a)
        return NULL;
    *a = *given;
    host_svm_replace(host, page_down(a->gpu_addr), page_down(a->gpu_addr) + a->reserved);
    const size_t at = above(host, a->addr);
    pthread_mutex_lock(&host->table_lock);
    memmove(&host->allocation[at + 1], &host->allocation[at],
            (host->allocations - at) * sizeof *host->allocation);
    host->allocation[at] = a;
    host->allocations++;
    pthread_mutex_unlock(&host->table_lock);
    if (!a->flags.ui32.Scratch) /* of an arena, the parts in use are blocks */
        host_block_made(a->gpu_addr, a->size);
    return a;
}

static void hide_everywhere(struct host *host, struct host_allocation *a)
{
    for (uint32_t i = 0; i < host->gpus; i++) {
        if (!(a->shown >> i & 1))
            continue;
        if (!a->ranges)
            hide(&host->gpu[i], a->gpu_addr, a->size);
        for (size_t k = 0; k < a->ranges; k++)
            hide(&host->gpu[i], a->range[k].addr, a->range[k].size);
    }
    a->shown = 0;
    a->node_count = 0;
}

static void release(struct host_allocation *a)
{
    /* Of registered memory it is only the GPUs' addresses that were reserved. */
    munmap((void *)(uintptr_t)page_down(a->gpu_addr), a->reserved);
    if (a->is_file)
        close(a->file);
    free(a->range);
    free(a);
}

/* Its objects, which lie in blocks, are there no more. */
static void forget_blocks(const struct host_allocation *a)
{
    for (size_t k = 0; k < a->ranges; k++)
        host_block_gone(a->range[k].addr);
    if (!a->flags.ui32.Scratch)
        host_block_gone(a->gpu_addr);
}

static void take_out(struct host *host, struct host_allocation *a)
{
    size_t at = 0;
    while (host->allocation[at] != a)
        at++;
    hide_everywhere(host, a);
    forget_blocks(a);
    pthread_mutex_lock(&host->table_lock);
    host->allocations--;
    memmove(&host->allocation[at], &host->allocation[at + 1],
            (host->allocations - at) * sizeof *host->allocation);
    pthread_mutex_unlock(&host->table_lock);
    if (a->type == HSA_POINTER_ALLOCATED && !a->flags.ui32.Scratch)
        host->used[a->node] -= a->size;
    release(a);
}

void host_memory_free(struct host *host)
{
    for (size_t i = 0; i < host->allocations; i++) {
        forget_blocks(host->allocation[i]); /* the next host may have memory there */
        release(host->allocation[i]);
    }
    free(host->allocation);
    host->allocation = NULL;
    host->allocations = 0;
}

static struct host *lock(void)
{
    struct host *host = host_get();
    if (host)
        pthread_mutex_lock(&host->lock);
    return host;
}

/* ---- allocating ---- */

/* Where GPUs' memory goes, in the order in which it is asked for: its addresses are those of the
 * next run, too, whatever the program's threads map meanwhile. Sanitizers leave this range to
 * programs. */
static const uint64_t FIRST_PLACE = 0x7e9000000000, LAST_PLACE = 0x7ef000000000;

/* Address space there; without MAP_FIXED_NOREPLACE in @p flags elsewhere if it is taken. */
static void *at_place(uint64_t at, uint64_t size, int flags)
{
    return mmap((void *)(uintptr_t)at, size, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

static uint64_t aligned_to(uint64_t at, uint64_t align)
{
    return (at + align - 1) / align * align;
}

/* Address space at a place that was freed, at the next one, or where the system has some. */
static uint8_t *next_space(struct host *host, uint64_t size, uint64_t align)
{
    for (size_t i = 0; i < sizeof host->freed / sizeof *host->freed; i++) {
        struct host_place *f = &host->freed[i];
        const uint64_t at = aligned_to(f->at, align);
        if (at < f->end && size <= f->end - at) {
            f->at = at + size;
            return at_place(at, size, 0);
        }
    }
    if (host->next_place < FIRST_PLACE || host->next_place >= LAST_PLACE ||
        size > LAST_PLACE - host->next_place)
        host->next_place = FIRST_PLACE;
    const uint64_t wanted = aligned_to(host->next_place, align);
    host->next_place = wanted + size;
    return at_place(wanted, size, 0);
}

/*
 * Reserves address space, and an inaccessible page behind it. An allocation that fills a huge page
 * begins at a huge page, as with the real driver: malloc in kernels and the runtime rely on it.
 */
static void *reserve(struct host *host, void *where, uint64_t size, bool fixed, uint64_t alignment)
{
    const uint64_t usual = !fixed && size >= HUGE_PAGE ? HUGE_PAGE : HOST_PAGE,
                   align = alignment > usual ? alignment : usual;
    const uint64_t space = size + align; /* at least a page more than it needs */
    uint8_t *at = fixed ? at_place((uint64_t)(uintptr_t)where, space, MAP_FIXED_NOREPLACE)
                        : next_space(host, space, align);
    if (at == MAP_FAILED)
        return NULL;
    const uint64_t before = -(uint64_t)(uintptr_t)at % align, behind = align - before - HOST_PAGE;
    if (before)
        munmap(at, before);
    at += before;
    if (behind)
        munmap(at + size + HOST_PAGE, behind);
    if (mprotect(at, size, PROT_READ | PROT_WRITE)) {
        munmap(at, size + HOST_PAGE);
        return NULL;
    }
    return at;
}

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void **address)
{
    return hsaKmtAllocMemoryAlign(node, size, 0, flags, address);
}

HSAKMT_STATUS hsaKmtAllocMemoryAlign(HSAuint32 node, HSAuint64 size, HSAuint64 alignment,
                                     HsaMemFlags flags, void **address)
{
    if (!size || size > (uint64_t)1 << 46 || !address || alignment > (uint64_t)1 << 40 ||
        (alignment && (alignment < HOST_PAGE || alignment & (alignment - 1))))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    const struct host_gpu *gpu = host_gpu_of(host, node);
    size = page_up(size);
    if (node > host->gpus)
        status = HSAKMT_STATUS_INVALID_NODE_UNIT;
    else if (gpu && !flags.ui32.Scratch && size > gpu->memory - host->used[node])
        status = HSAKMT_STATUS_NO_MEMORY;
    void *at = status ? NULL : reserve(host, *address, size, flags.ui32.FixedAddress, alignment);
    if (!status && !at)
        status = HSAKMT_STATUS_NO_MEMORY;
    if (!status) {
        const struct host_allocation a = {.addr = (uint64_t)(uintptr_t)at,
                                          .gpu_addr = (uint64_t)(uintptr_t)at,
                                          .size = size,
                                          .reserved = size + HOST_PAGE,
                                          .flags = flags,
                                          .node = node,
                                          .type = HSA_POINTER_ALLOCATED};
        if (add(host, &a)) {
            /* A scratch arena is filled by hsaKmtMapMemoryToGPU; it is no memory taken. */
            if (!flags.ui32.Scratch)
                host->used[node] += size;
            if (gpu && !flags.ui32.Scratch && gpu->config.fill.kind != WT_FILL_ZERO)
                wt_fill_bytes(&gpu->config.fill, 0, at, size);
            *address = at;
        } else {
            munmap(at, size + HOST_PAGE);
            status = HSAKMT_STATUS_NO_MEMORY;
        }
    }
    pthread_mutex_unlock(&host->lock);
    return status;
}

HSAKMT_STATUS hsaKmtFreeMemory(void *address, HSAuint64 size)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_allocation *a = beginning(host, (uint64_t)(uintptr_t)address, 0);
    const bool good = a && a->type == HSA_POINTER_ALLOCATED;
    if (good && a->flags.ui32.ExecuteAccess)
        atomic_fetch_add(&host->code_freed, 1);
    if (good) {
        if (a->flags.ui32.ExecuteAccess && a->size < HUGE_PAGE) /* code, which may be replaced */
            host->freed[host->freed_next++ % (sizeof host->freed / sizeof *host->freed)] =
                (struct host_place){a->addr, a->addr + a->reserved};
        take_out(host, a);
    }
    pthread_mutex_unlock(&host->lock);
    return good ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

/* Registered memory gets addresses of its own on GPUs, as with the real driver: the runtime relies
 * on their being different from the program's. */
static bool register_new(struct host *host, uint64_t addr, uint64_t size, HsaMemFlags flags)
{
    const uint64_t reserved = page_up(addr + size) - page_down(addr) + HOST_PAGE;
    uint8_t *at = next_space(host, reserved, HOST_PAGE);
    if (at == MAP_FAILED)
        return false;
    const struct host_allocation made = {.addr = addr,
                                         .gpu_addr = (uint64_t)(uintptr_t)at + addr % HOST_PAGE,
                                         .size = size,
                                         .reserved = reserved,
                                         .flags = flags,
                                         .type = HSA_POINTER_REGISTERED_USER,
                                         .registrations = 1};
    if (add(host, &made))
        return true;
    munmap(at, reserved);
    return false;
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *address, HSAuint64 size, HsaMemFlags flags)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    const uint64_t addr = (uint64_t)(uintptr_t)address;
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    struct host_allocation *a = holding(host, addr);
    if (a && a->type == HSA_POINTER_REGISTERED_USER)
        a = beginning(host, addr, size);
    if (!addr || !size || addr + size < addr || (addr + size) >> 48)
        status = HSAKMT_STATUS_INVALID_PARAMETER;
    else if (a)
        a->registrations++;
    else if (!register_new(host, addr, size, flags))
        status = HSAKMT_STATUS_NO_MEMORY;
    pthread_mutex_unlock(&host->lock);
    return status;
}

HSAKMT_STATUS hsaKmtRegisterMemory(void *address, HSAuint64 size)
{
    const HsaMemFlags flags = {.ui32 = {.CoarseGrain = 1}};
    return hsaKmtRegisterMemoryWithFlags(address, size, flags);
}

/* Which GPUs may use it is said when it is mapped. */
HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void *address, HSAuint64 size, HSAuint64 count,
                                          HSAuint32 *nodes)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    for (uint64_t i = 0; i < count; i++)
        if (!host_gpu_of(host, nodes[i]))
            return HSAKMT_STATUS_INVALID_NODE_UNIT;
    return hsaKmtRegisterMemory(address, size);
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void *address)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_allocation *a = beginning(host, (uint64_t)(uintptr_t)address, 0);
    const bool good = a && a->registrations;
    if (good && --a->registrations == 0 && a->type != HSA_POINTER_ALLOCATED)
        take_out(host, a);
    pthread_mutex_unlock(&host->lock);
    return good ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
}

/* ---- mapping ---- */

static bool show_range(struct host *host, struct host_allocation *a, uint64_t addr, uint64_t size,
                       uint32_t gpus)
{
    struct host_range *grown =
        wt_array_grow(a->range, &a->range_capacity, a->ranges + 1, sizeof *grown);
    if (!grown)
        return false;
    a->range = grown;
    a->range[a->ranges++] = (struct host_range){addr, size};
    host_block_made(addr, size);
    const struct host_allocation part = {
        .addr = addr, .gpu_addr = addr, .size = size, .flags = a->flags};
    for (uint32_t i = 0; i < host->gpus; i++)
        if (gpus >> i & 1 && !show(&host->gpu[i], &part))
            return false;
    return true;
}

static HSAKMT_STATUS map(struct host *host, uint64_t addr, uint64_t size, uint32_t gpus,
                         uint64_t *alternate)
{
    struct host_allocation *a = beginning(host, addr, size);
    if (!a)
        a = holding(host, addr);
    if (!a)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    bool good = true;
    if (a->flags.ui32.Scratch && a->type == HSA_POINTER_ALLOCATED) {
        if (size > a->addr + a->size - addr)
            return HSAKMT_STATUS_INVALID_PARAMETER;
        good = show_range(host, a, addr, size, gpus);
    } else {
        for (uint32_t i = 0; i < host->gpus && good; i++)
            if (gpus >> i & 1 && !(a->shown >> i & 1))
                good = show(&host->gpu[i], a);
    }
    if (!good)
        return HSAKMT_STATUS_NO_MEMORY;
    if (alternate && a->gpu_addr != a->addr)
        *alternate = a->gpu_addr;
    a->mappings++;
    a->shown |= gpus;
    a->node_count = 0;
    for (uint32_t i = 0; i < host->gpus; i++)
        if (a->shown >> i & 1)
            a->nodes[a->node_count++] = host->gpu[i].node;
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *address, HSAuint64 size, HSAuint64 *alternate,
                                        HsaMemMapFlags flags, HSAuint64 count, HSAuint32 *nodes)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    uint32_t gpus = 0;
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    for (uint64_t i = 0; i < count; i++) {
        const struct host_gpu *gpu = host_gpu_of(host, nodes[i]);
        if (gpu)
            gpus |= 1u << gpu->index;
        else
            status = HSAKMT_STATUS_INVALID_NODE_UNIT;
    }
    if (!count)
        gpus = (1u << host->gpus) - 1;
    if (alternate)
        *alternate = 0;
    if (!status)
        status = map(host, (uint64_t)(uintptr_t)address, size, gpus, alternate);
    pthread_mutex_unlock(&host->lock);
    return status;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *address, HSAuint64 size, HSAuint64 *alternate)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    const struct host_allocation *a = holding(host, (uint64_t)(uintptr_t)address);
    const struct host_gpu *owner = a ? host_gpu_of(host, a->node) : NULL;
    const uint32_t gpus = owner ? 1u << owner->index : (1u << host->gpus) - 1;
    if (alternate)
        *alternate = 0;
    const HSAKMT_STATUS status = map(host, (uint64_t)(uintptr_t)address, size, gpus, alternate);
    pthread_mutex_unlock(&host->lock);
    return status;
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *address)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    const uint64_t addr = (uint64_t)(uintptr_t)address;
    struct host_allocation *a = holding(host, addr);
    if (a && a->flags.ui32.Scratch && a->type == HSA_POINTER_ALLOCATED) {
        for (size_t k = 0; k < a->ranges; k++) {
            if (a->range[k].addr != addr)
                continue;
            for (uint32_t i = 0; i < host->gpus; i++)
                if (a->shown >> i & 1)
                    hide(&host->gpu[i], addr, a->range[k].size);
            a->range[k] = a->range[--a->ranges];
            host_block_gone(addr);
            break;
        }
    } else if (a && a->mappings > 1 && a->type == HSA_POINTER_REGISTERED_USER) {
        a->mappings--;
    } else if (a) {
        a->mappings = 0;
        hide_everywhere(host, a);
    }
    pthread_mutex_unlock(&host->lock);
    return a ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

/* ---- asking ---- */

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *pointer, HsaPointerInfo *info)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    memset(info, 0, sizeof *info);
    const struct host_allocation *a = holding(host, (uint64_t)(uintptr_t)pointer);
    if (a) {
        *info = (HsaPointerInfo){
            .Type = a->type,
            .Node = a->node,
            .MemFlags = a->flags,
            .CPUAddress = (void *)(uintptr_t)a->addr,
            .GPUAddress = a->gpu_addr,
            .SizeInBytes = a->size,
            .NRegisteredNodes = 0,
            .NMappedNodes = a->node_count,
            .MappedNodes = a->nodes,
            .UserData = a->user,
        };
    }
    pthread_mutex_unlock(&host->lock);
    return a ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_ERROR;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *pointer, void *user)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_allocation *a = holding(host, (uint64_t)(uintptr_t)pointer);
    if (a)
        a->user = user;
    pthread_mutex_unlock(&host->lock);
    return a ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_PARAMETER;
}

HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32 node, HSAuint32 normal, HSAuint32 alternate,
                                    void *address, HSAuint64 size)
{
    return HSAKMT_STATUS_SUCCESS; /* all memory is coherent */
}

const struct host_allocation *host_memory_find(const struct host *host, uint64_t addr,
                                               const struct host_allocation **before)
{
    *before = NULL;
    for (size_t i = 0; i < host->allocations; i++) {
        const struct host_allocation *b = host->allocation[i];
        if (b->gpu_addr + b->size <= addr && (!*before || b->gpu_addr > (*before)->gpu_addr))
            *before = b;
    }
    return holding(host, addr);
}

/* The lock of allocations comes before the GPU's: where somebody has it, the answer is yes, which
 * is only slower. */
bool host_memory_is_shared(struct host *host, uint64_t addr)
{
    const struct host_allocation *before, *a;
    if (pthread_mutex_trylock(&host->lock))
        return true;
    a = host_memory_find(host, addr, &before);
    const bool shared = !a || !a->node || is_fine(a) || a->registrations;
    pthread_mutex_unlock(&host->lock);
    return shared;
}

/* ---- sharing with other processes ---- */

/* GPUs do not write what becomes a file; the program may, which it would not do on a real system
 * either while it hands out memory. */
static bool share(struct host *host, struct host_allocation *a)
{
    char name[KFD_BUFFER_NAME];
    const struct host_gpu *gpu = host_gpu_of(host, a->node);
    kfd_buffer_name(name, host_gpu_id(gpu ? gpu : &host->gpu[0]),
                    gpu ? KFD_IOC_ALLOC_MEM_FLAGS_VRAM : KFD_IOC_ALLOC_MEM_FLAGS_GTT);
    for (uint32_t i = 0; i < host->gpus; i++)
        host_enter(&host->gpu[i]);
    const int fd = host_share((void *)(uintptr_t)a->addr, a->size, name);
    for (uint32_t i = host->gpus; i-- > 0;)
        host_leave(&host->gpu[i]);
    if (fd < 0)
        return false;
    a->file = fd;
    a->is_file = true;
    return true;
}

HSAKMT_STATUS hsaKmtShareMemory(void *address, HSAuint64 size, HsaSharedMemoryHandle *handle)
{
    struct host_shared_handle made;
    if (!handle)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_allocation *a = beginning(host, (uint64_t)(uintptr_t)address, 0);
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    if (!a || a->type != HSA_POINTER_ALLOCATED || a->flags.ui32.Scratch || page_up(size) != a->size)
        status = HSAKMT_STATUS_INVALID_PARAMETER;
    else if (!a->is_file && !share(host, a))
        status = HSAKMT_STATUS_NO_MEMORY;
    else if (!host_shared_describe(a->file, a->size, &made))
        status = HSAKMT_STATUS_ERROR;
    pthread_mutex_unlock(&host->lock);
    if (!status) {
        memset(handle, 0, sizeof *handle);
        memcpy(handle, &made, sizeof made);
    }
    return status;
}

/* Memory is a file from when it is first exported. */
HSAKMT_STATUS hsaKmtExportDMABufHandle(void *address, HSAuint64 size, int *fd, HSAuint64 *offset)
{
    const uint64_t addr = (uint64_t)(uintptr_t)address;
    if (!fd || !offset)
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_allocation *a = holding(host, addr);
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    if (!a || a->type != HSA_POINTER_ALLOCATED || a->flags.ui32.Scratch ||
        size > a->size - (addr - a->addr))
        status = HSAKMT_STATUS_INVALID_PARAMETER;
    else if (!a->is_file && !share(host, a))
        status = HSAKMT_STATUS_NO_MEMORY;
    const int made = status ? -1 : fcntl(a->file, F_DUPFD_CLOEXEC, 0);
    if (!status && made < 0)
        status = HSAKMT_STATUS_ERROR;
    if (!status) {
        *fd = made;
        *offset = addr - a->addr;
    }
    pthread_mutex_unlock(&host->lock);
    return status;
}

/* Maps a file, of another process or exported, and lists it as registered memory. */
static HSAKMT_STATUS import(struct host *host, uint64_t size, int fd, uint32_t node,
                            HSA_POINTER_TYPE type, void **address)
{
    void *at = size ? reserve(host, NULL, size, false, 0) : NULL;
    if (!at)
        return HSAKMT_STATUS_NO_MEMORY;
    const struct host_allocation a = {.addr = (uint64_t)(uintptr_t)at,
                                      .gpu_addr = (uint64_t)(uintptr_t)at,
                                      .size = size,
                                      .reserved = size + HOST_PAGE,
                                      .flags = {.ui32 = {.HostAccess = 1}},
                                      .node = node,
                                      .type = type,
                                      .registrations = 1};
    if (mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED &&
        add(host, &a)) {
        *address = at;
        return HSAKMT_STATUS_SUCCESS;
    }
    munmap(at, size + HOST_PAGE);
    return HSAKMT_STATUS_NO_MEMORY;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(const HsaSharedMemoryHandle *handle, void **address,
                                                HSAuint64 *size, HSAuint64 count, HSAuint32 *nodes)
{
    struct host_shared_handle given;
    if (!handle || !address || !size || (count && !nodes))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    for (uint64_t i = 0; i < count; i++)
        if (!host_gpu_of(host, nodes[i]))
            status = HSAKMT_STATUS_INVALID_NODE_UNIT;
    memcpy(&given, handle, sizeof given);
    const int fd = status ? -1 : host_shared_open(&given);
    if (!status && fd < 0)
        status = HSAKMT_STATUS_INVALID_HANDLE;
    if (!status)
        status =
            import(host, (uint64_t)given.pages * HOST_PAGE, fd,
                   count ? nodes[0] : host->gpu[0].node, HSA_POINTER_REGISTERED_SHARED, address);
    if (!status)
        *size = (uint64_t)given.pages * HOST_PAGE;
    if (fd >= 0)
        close(fd);
    pthread_mutex_unlock(&host->lock);
    return status;
}

HSAKMT_STATUS hsaKmtRegisterSharedHandle(const HsaSharedMemoryHandle *handle, void **address,
                                         HSAuint64 *size)
{
    return hsaKmtRegisterSharedHandleToNodes(handle, address, size, 0, NULL);
}

/* A resource of graphics is what a GPU has exported (hsaKmtExportDMABufHandle, a render node). */
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(HSAuint64 handle, HsaGraphicsResourceInfo *info,
                                                  HSAuint64 count, HSAuint32 *nodes)
{
    uint64_t size = 0;
    uint32_t id = 0;
    void *address = NULL;
    if (!info || (count && !nodes))
        return HSAKMT_STATUS_INVALID_PARAMETER;
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
    for (uint64_t i = 0; i < count; i++)
        if (!host_gpu_of(host, nodes[i]))
            status = HSAKMT_STATUS_INVALID_NODE_UNIT;
    const bool known = !status && kfd_buffer_of((int)handle, &size, &id, NULL);
    const struct host_gpu *owner = known ? kfd_gpu(host, id) : NULL;
    if (!status)
        status = known ? import(host, page_up(size), (int)handle,
                                owner ? owner->node : host->gpu[0].node,
                                HSA_POINTER_REGISTERED_GRAPHICS, &address)
                       : HSAKMT_STATUS_ERROR;
    pthread_mutex_unlock(&host->lock);
    if (!status)
        *info = (HsaGraphicsResourceInfo){.MemoryAddress = address, .SizeInBytes = size};
    return status;
}

HSAKMT_STATUS hsaKmtAvailableMemory(HSAuint32 node, HSAuint64 *bytes)
{
    struct host *host = lock();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    const struct host_gpu *gpu = host_gpu_of(host, node);
    if (gpu)
        *bytes = gpu->memory - host->used[node];
    pthread_mutex_unlock(&host->lock);
    return gpu    ? HSAKMT_STATUS_SUCCESS
           : node ? HSAKMT_STATUS_INVALID_NODE_UNIT
                  : HSAKMT_STATUS_ERROR;
}
