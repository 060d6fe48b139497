/*
 * Memory that a program allocates by ioctls. GPUs have it at the address that the program says; the
 * program maps it through a render node, wherever it likes. So it is a file in memory that the
 * driver, and the program, map.
 */
#include "runtime/kfd/kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEVICES = 256 };

struct host_buffer {
    struct host_buffer *next;
    uint64_t handle; /* and the offset by which it is mapped */
    uint64_t addr, size;
    void *pages; /* in this process */
    int fd;      /* -1: memory of the program (userptr), or doorbells */
    uint32_t node;
    uint32_t shown; /* GPUs, as a bit set */
    bool coherent;
};

/* The caller holds host->lock. */
static struct host_buffer *find(struct host *host, uint64_t handle)
{
    struct host_buffer *b = host->buffers;
    while (b && b->handle != handle)
        b = b->next;
    return b;
}

static void release(struct host_buffer *b)
{
    if (b->fd >= 0) {
        munmap(b->pages, b->size);
        close(b->fd);
    }
    free(b);
}

/* Maps the file of @p b. False, and the file is closed: there is no memory. */
static bool map_pages(struct host_buffer *b)
{
    b->pages = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, b->fd, 0);
    if (b->pages != MAP_FAILED)
        return true;
    close(b->fd);
    b->fd = -1;
    return false;
}

#define FILE_NAME "wavetrap memory of GPU "

void kfd_buffer_name(char *name, uint32_t gpu, uint32_t flags)
{
    snprintf(name, KFD_BUFFER_NAME, FILE_NAME "%u, %#x", gpu, flags);
}

static bool make_pages(struct host_buffer *b, uint32_t gpu, uint32_t flags)
{
    char name[KFD_BUFFER_NAME];
    kfd_buffer_name(name, gpu, flags);
    b->fd = memfd_create(name, MFD_CLOEXEC);
    if (b->fd < 0)
        return false;
    if (!ftruncate(b->fd, (off_t)b->size))
        return map_pages(b);
    close(b->fd);
    b->fd = -1;
    return false;
}

bool kfd_buffer_of(int fd, uint64_t *size, uint32_t *gpu, uint32_t *flags)
{
    char link[48], name[128];
    struct stat status;
    uint32_t its_gpu, its_flags;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, name, sizeof name - 1);
    if (length < 0 || fstat(fd, &status))
        return false;
    name[length] = 0;
    if (sscanf(name, "/memfd:" FILE_NAME "%u, %x", &its_gpu, &its_flags) != 2)
        return false;
    *size = (uint64_t)status.st_size;
    if (gpu)
        *gpu = its_gpu;
    if (flags)
        *flags = its_flags;
    return true;
}

bool kfd_buffer_is_same(int a, int b)
{
    struct stat one, other;
    return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool kfd_memory_mailboxes(struct host *host, uint64_t handle)
{
    pthread_mutex_lock(&host->lock);
    const struct host_buffer *b = find(host, handle);
    const bool good = b && b->size >= HOST_EVENTS * sizeof *host->event_page;
    if (good) {
        host->program_page = b->addr;
        host->program_pages = b->pages;
    }
    pthread_mutex_unlock(&host->lock);
    return good;
}

/* Whether GPUs can have memory there. */
static bool is_range(uint64_t addr, uint64_t size)
{
    return addr && addr % HOST_PAGE == 0 && size && size >> 46 == 0 && (addr + size) >> 47 == 0;
}

/* Gives @p b its handle. The caller holds host->lock. */
static uint64_t add(struct host *host, struct host_buffer *b, uint32_t gpu)
{
    b->handle = (uint64_t)gpu << 32 | ++host->next_buffer;
    b->next = host->buffers;
    host->buffers = b;
    host_block_made(b->addr, b->size);
    return b->handle;
}

int kfd_memory_alloc(struct host *host, struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
    const uint32_t kinds = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
                           KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
                           KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;
    const struct host_gpu *gpu = kfd_gpu(host, args->gpu_id);
    const uint64_t size = (args->size + HOST_PAGE - 1) & ~(uint64_t)(HOST_PAGE - 1);
    const uint32_t kind = args->flags & kinds;
    if (!gpu || size < args->size || !is_range(args->va_addr, size) || !kind || kind & (kind - 1))
        return -EINVAL;
    struct host_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    *b = (struct host_buffer){.addr = args->va_addr,
                              .size = size,
                              .fd = -1,
                              .node = gpu->node,
                              .coherent = args->flags & KFD_IOC_ALLOC_MEM_FLAGS_COHERENT};
    int result = 0;
    if (kind == KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
        b->pages = (void *)(uintptr_t)args->mmap_offset;
        if (args->mmap_offset % HOST_PAGE || !args->mmap_offset || msync(b->pages, size, MS_ASYNC))
            result = -EFAULT;
    } else if (kind == KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL) {
        b->pages = gpu->doorbells;
        if (size > HOST_DOORBELLS)
            result = -EINVAL;
    }
    const bool is_file =
        kind != KFD_IOC_ALLOC_MEM_FLAGS_USERPTR && kind != KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
    pthread_mutex_lock(&host->lock);
    const bool vram = kind == KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
    if (!result && vram && size > gpu->memory - host->used[gpu->node])
        result = -ENOMEM;
    if (!result && is_file && !make_pages(b, args->gpu_id, args->flags))
        result = -ENOMEM;
    if (!result) {
        if (vram)
            host->used[gpu->node] += size;
        else
            b->node = 0;
        args->handle = add(host, b, args->gpu_id);
        if (b->fd >= 0)
            args->mmap_offset = (uint64_t)(b->handle & UINT32_MAX) << 20;
        else if (kind == KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
            args->mmap_offset = kfd_doorbell_offset(args->gpu_id);
    } else {
        free(b);
    }
    pthread_mutex_unlock(&host->lock);
    return result;
}

int kfd_memory_export(struct host *host, struct kfd_export_dmabuf_args *args)
{
    pthread_mutex_lock(&host->lock);
    const struct host_buffer *b = find(host, args->handle);
    const bool there = b && b->fd >= 0;
    const int fd =
        there ? fcntl(b->fd, args->flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0) : -1;
    pthread_mutex_unlock(&host->lock);
    args->dmabuf_fd = (uint32_t)fd;
    return !there ? -EINVAL : fd < 0 ? -EMFILE : 0;
}

int kfd_memory_import(struct host *host, struct kfd_ioctl_import_dmabuf_args *args)
{
    uint64_t size;
    if (!kfd_gpu(host, args->gpu_id) || !kfd_buffer_of((int)args->dmabuf_fd, &size, NULL, NULL) ||
        !is_range(args->va_addr, size))
        return -EINVAL;
    struct host_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return -ENOMEM;
    *b = (struct host_buffer){
        .addr = args->va_addr, .size = size, .fd = fcntl((int)args->dmabuf_fd, F_DUPFD_CLOEXEC, 0)};
    if (b->fd < 0 || !map_pages(b)) {
        free(b);
        return -ENOMEM;
    }
    pthread_mutex_lock(&host->lock);
    args->handle = add(host, b, args->gpu_id);
    pthread_mutex_unlock(&host->lock);
    return 0;
}

int kfd_memory_info(struct host *host, struct kfd_ioctl_get_dmabuf_info_args *args)
{
    uint64_t size;
    if (!kfd_buffer_of((int)args->dmabuf_fd, &size, &args->gpu_id, &args->flags) ||
        !kfd_gpu(host, args->gpu_id))
        return -EINVAL;
    args->size = size;
    args->metadata_size = 0; /* none is stored */
    return 0;
}

int kfd_memory_free(struct host *host, uint64_t handle)
{
    pthread_mutex_lock(&host->lock);
    struct host_buffer **at = &host->buffers;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    struct host_buffer *b = *at;
    const int result = !b                                ? -EINVAL
                       : b->shown                        ? -EBUSY
                       : b->pages == host->program_pages ? -EPERM
                                                         : 0;
    if (!result) {
        *at = b->next;
        host_block_gone(b->addr);
        if (b->node)
            host->used[b->node] -= b->size;
        release(b);
    }
    pthread_mutex_unlock(&host->lock);
    return result;
}

bool kfd_memory_show(struct host_gpu *gpu, uint64_t addr, uint64_t size, void *pages)
{
    struct wt_error err;
    host_enter(gpu);
    const bool good = pages ? !gcn_device_map_alias(gpu->device, addr, size, pages, &err)
                            : !host_unmap(gpu, addr, size, &err);
    host_leave(gpu);
    return good;
}

static int show(struct host_gpu *gpu, struct host_buffer *b, bool hide)
{
    const uint32_t bit = 1u << gpu->index;
    if (!(b->shown & bit) == hide)
        return 0;
    bool good = kfd_memory_show(gpu, b->addr, b->size, hide ? NULL : b->pages);
    if (good && !hide && b->coherent) {
        host_enter(gpu);
        good = gcn_device_set_grain(gpu->device, b->addr, b->size, true, !b->node);
        host_leave(gpu);
    }
    if (good)
        b->shown ^= bit;
    return good ? 0 : -ENOMEM;
}

int kfd_memory_map(struct host *host, struct kfd_ioctl_map_memory_to_gpu_args *args, bool hide)
{
    uint32_t ids[MOST_DEVICES];
    int result = 0;
    if (!args->n_devices || args->n_devices > MOST_DEVICES || args->n_success > args->n_devices)
        return -EINVAL;
    if (!kfd_copy_in(ids, args->device_ids_array_ptr, args->n_devices * sizeof *ids))
        return -EFAULT;
    pthread_mutex_lock(&host->lock);
    struct host_buffer *b = find(host, args->handle);
    if (!b)
        result = -EINVAL;
    while (!result && args->n_success < args->n_devices) {
        struct host_gpu *gpu = kfd_gpu(host, ids[args->n_success]);
        result = gpu ? show(gpu, b, hide) : -EINVAL;
        if (!result)
            args->n_success++;
    }
    pthread_mutex_unlock(&host->lock);
    return result;
}

int kfd_memory_file(struct host *host, uint64_t *offset, size_t length, int *fd)
{
    int result = -EINVAL;
    pthread_mutex_lock(&host->lock);
    for (const struct host_buffer *b = host->buffers; b; b = b->next) {
        const uint64_t begin = (b->handle & UINT32_MAX) << 20;
        if (b->fd < 0 || *offset != begin || length > b->size)
            continue;
        *offset = 0;
        *fd = fcntl(b->fd, F_DUPFD_CLOEXEC, 0);
        result = *fd < 0 ? -EMFILE : 0;
    }
    pthread_mutex_unlock(&host->lock);
    return result;
}

void host_buffers_free(struct host *host)
{
    while (host->buffers) {
        struct host_buffer *b = host->buffers;
        host->buffers = b->next;
        host_block_gone(b->addr);
        release(b);
    }
}
