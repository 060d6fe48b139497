/*
 * A render node: the ioctls of DRM (drm.h, amdgpu_drm.h of libdrm) by which libdrm_amdgpu asks what
 * the GPU is, and by which runtimes map memory that comes as a descriptor (a DMA buffer). See
 * kfd.h.
 */
#include "runtime/kfd/kfd.h"

#include <amdgpu_drm.h>
#include <dlfcn.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Register GB_ADDR_CONFIG, the only one that libdrm reads (gc_9_0_offset.h). Its value is 0, as
 * AMDKFD_IOC_GET_TILE_CONFIG has it: images are tiled for that one (emulator/gcn/memory/image.c).
 */
enum { GB_ADDR_CONFIG = 0x263e };

/* AMDGPU_GEM_MMAP's offsets; those of memory of /dev/kfd are smaller (kfd_memory_file). */
#define MMAP_OBJECT ((uint64_t)1 << 60)

/* A range of the GPU's addresses, at bytes of an object. */
struct render_range {
    struct render_range *next;
    uint64_t addr, size;
};

/* A buffer object (GEM): a file in memory. */
struct object {
    struct object *next;
    uint32_t handle;
    int fd;
    uint8_t *pages;
    uint64_t size;
    struct render_range *ranges;
};

struct host_render {
    uint32_t index;       /* index of the GPU */
    struct host_gpu *gpu; /* NULL: nothing has been asked yet that needs it */
    pid_t process;        /* that has opened the node */
    pthread_mutex_t lock;
    struct object *objects;
    uint32_t last;
};

struct host_render *host_render_open(uint32_t index)
{
    struct host_render *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->index = index;
    r->process = getpid();
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

/* A runtime of another GPU opens each node to ask whose it is. Such a program uses no GPU here, and
 * a debugger is not to find one. The lock is held. */
static bool have_gpu(struct host_render *r)
{
    if (!r->gpu && !hsaKmtOpenKFD())
        r->gpu = &host_get()->gpu[r->index];
    return r->gpu;
}

bool host_render_is_own(const struct host_render *r)
{
    return r->process == getpid();
}

/* ---- objects ---- */

static struct object *find(struct host_render *r, uint32_t handle)
{
    struct object *o = r->objects;
    while (o && o->handle != handle)
        o = o->next;
    return o;
}

/* Takes a range from the GPU. */
static void hide(struct host_render *r, struct render_range **at)
{
    struct render_range *range = *at;
    kfd_memory_show(r->gpu, range->addr, range->size, NULL);
    host_block_gone(range->addr);
    *at = range->next;
    free(range);
}

static void release(struct host_render *r, struct object *o)
{
    while (o->ranges)
        hide(r, &o->ranges);
    munmap(o->pages, o->size);
    close(o->fd);
    free(o);
}

void host_render_close(struct host_render *r)
{
    while (r->objects) {
        struct object *o = r->objects;
        r->objects = o->next;
        release(r, o);
    }
    if (r->gpu)
        hsaKmtCloseKFD();
    pthread_mutex_destroy(&r->lock);
    free(r);
}

/* One file is one object, however often it is imported. */
static int import(struct host_render *r, struct drm_prime_handle *args)
{
    uint64_t size;
    for (struct object *o = r->objects; o; o = o->next)
        if (kfd_buffer_is_same(o->fd, args->fd)) {
            args->handle = o->handle;
            return 0;
        }
    if (!kfd_buffer_of(args->fd, &size, NULL, NULL))
        return -EINVAL;
    struct object *o = calloc(1, sizeof *o);
    if (!o)
        return -ENOMEM;
    o->fd = fcntl(args->fd, F_DUPFD_CLOEXEC, 0);
    o->pages = o->fd < 0
                   ? MAP_FAILED
                   : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, o->fd, 0);
    if (o->pages == MAP_FAILED) {
        if (o->fd >= 0)
            close(o->fd);
        free(o);
        return -ENOMEM;
    }
    o->size = size;
    o->handle = args->handle = ++r->last;
    o->next = r->objects;
    r->objects = o;
    return 0;
}

static int export(struct host_render *r, struct drm_prime_handle *args)
{
    const struct object *o = find(r, args->handle);
    if (!o)
        return -ENOENT;
    args->fd = fcntl(o->fd, args->flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
    return args->fd < 0 ? -EMFILE : 0;
}

static int close_object(struct host_render *r, uint32_t handle)
{
    struct object **at = &r->objects;
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    struct object *o = *at;
    if (!o)
        return -EINVAL;
    *at = o->next;
    release(r, o);
    return 0;
}

static int map_at(struct host_render *r, struct object *o, const struct drm_amdgpu_gem_va *va)
{
    struct render_range *range = malloc(sizeof *range);
    if (!range)
        return -ENOMEM;
    *range = (struct render_range){o->ranges, va->va_address, va->map_size};
    if (!kfd_memory_show(r->gpu, range->addr, range->size, o->pages + va->offset_in_bo)) {
        free(range);
        return -EINVAL;
    }
    o->ranges = range;
    host_block_made(range->addr, range->size);
    return 0;
}

/* Every access is allowed, whatever the flags say, as in memory of /dev/kfd. */
static int change_addresses(struct host_render *r, const struct drm_amdgpu_gem_va *va)
{
    struct object *o = find(r, va->handle);
    if (!o)
        return -ENOENT;
    if ((va->va_address | va->map_size | va->offset_in_bo) % HOST_PAGE || !va->va_address ||
        !va->map_size || va->map_size > o->size || va->offset_in_bo > o->size - va->map_size ||
        va->va_address >= (uint64_t)1 << 47 || va->flags & AMDGPU_VM_PAGE_PRT)
        return -EINVAL;
    if (va->operation == AMDGPU_VA_OP_MAP)
        return map_at(r, o, va);
    struct render_range **at = &o->ranges;
    while (*at && ((*at)->addr != va->va_address || (*at)->size != va->map_size))
        at = &(*at)->next;
    if (va->operation != AMDGPU_VA_OP_UNMAP || !*at)
        return -EINVAL;
    hide(r, at);
    return 0;
}

int host_render_file(struct host_render *r, uint64_t *offset, size_t length, int *fd)
{
    int result = -EINVAL;
    pthread_mutex_lock(&r->lock);
    const bool there = have_gpu(r);
    if (!there || !(*offset & MMAP_OBJECT)) {
        pthread_mutex_unlock(&r->lock);
        return there ? kfd_memory_file(r->gpu->host, offset, length, fd) : -ENODEV;
    }
    const struct object *o = find(r, (uint32_t)(*offset >> 20));
    if (o && *offset == (MMAP_OBJECT | (uint64_t)o->handle << 20) && length <= o->size) {
        *offset = 0;
        *fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
        result = *fd < 0 ? -EMFILE : 0;
    }
    pthread_mutex_unlock(&r->lock);
    return result;
}

/* ---- what the GPU is ---- */

/* Copies as much of a text of the driver as the program has room for. */
static bool put_text(char *to, __kernel_size_t *room, const char *text)
{
    const size_t length = strlen(text);
    const bool done = !*room || !to ||
                      kfd_copy_out((uint64_t)(uintptr_t)to, text, *room < length ? *room : length);
    *room = length;
    return done;
}

static int version(struct drm_version *v)
{
    v->version_major = 3;
    v->version_minor = 49;
    v->version_patchlevel = 0;
    return put_text(v->name, &v->name_len, "amdgpu") &&
                   put_text(v->date, &v->date_len, "20150101") &&
                   put_text(v->desc, &v->desc_len, "AMD GPU")
               ? 0
               : -EFAULT;
}

static void describe(const struct host_gpu *gpu, struct drm_amdgpu_info_device *d)
{
    HsaNodeProperties p;
    hsaKmtGetNodeProperties(gpu->node, &p);
    *d = (struct drm_amdgpu_info_device){
        .device_id = p.DeviceId,
        .chip_rev = 1,
        .external_rev = 1,
        .pci_rev = 0xc1,
        .family = AMDGPU_FAMILY_AI,
        .num_shader_engines = p.NumShaderBanks,
        .num_shader_arrays_per_engine = p.NumArrays,
        .gpu_counter_freq = 27000,
        .max_engine_clock = p.MaxEngineClockMhzFCompute * (uint64_t)1000,
        .max_memory_clock = 945000,
        .cu_active_number = gpu->config.cu,
        .virtual_address_offset = 0x200000,
        .virtual_address_max = (uint64_t)1 << 47,
        .virtual_address_alignment = HOST_PAGE,
        .pte_fragment_size = 512 * HOST_PAGE,
        .gart_page_size = HOST_PAGE,
        .vram_type = AMDGPU_VRAM_TYPE_HBM,
        .vram_bit_width = 2048,
        .wave_front_size = p.WaveFrontSize,
        .num_shader_visible_vgprs = 256,
        .num_cu_per_sh = p.NumCUPerArray,
        .high_va_offset = 0xffff800000000000u,
        .high_va_max = 0xffffffffffe00000u,
    };
    for (uint32_t i = 0; i < gpu->config.cu; i++)
        d->cu_bitmap[i / p.NumCUPerArray % 4][0] |= 1u << i % p.NumCUPerArray;
}

static int info(struct host_render *r, const struct drm_amdgpu_info *args)
{
    union {
        uint32_t word;
        struct drm_amdgpu_info_device device;
    } answer;
    size_t size = sizeof answer.word;
    memset(&answer, 0, sizeof answer);
    switch (args->query) {
    case AMDGPU_INFO_ACCEL_WORKING:
        answer.word = 1;
        break;
    case AMDGPU_INFO_READ_MMR_REG:
        if (args->read_mmr_reg.dword_offset != GB_ADDR_CONFIG || args->read_mmr_reg.count != 1)
            return -EINVAL;
        break;
    case AMDGPU_INFO_DEV_INFO:
        describe(r->gpu, &answer.device);
        size = sizeof answer.device;
        break;
    default:
        return -EINVAL;
    }
    /* As the kernel: as much as the program has room for. */
    return kfd_copy_out(args->return_pointer, &answer,
                        args->return_size < size ? args->return_size : size)
               ? 0
               : -EFAULT;
}

/* ---- all of them ---- */

union render_arguments {
    struct drm_version version;
    struct drm_gem_close close;
    struct drm_prime_handle prime;
    struct drm_amdgpu_info info;
    struct drm_amdgpu_gem_va va;
    union drm_amdgpu_gem_mmap map;
};

static int serve(struct host_render *r, unsigned nr, union render_arguments *a)
{
    if (nr == _IOC_NR(DRM_IOCTL_VERSION))
        return version(&a->version);
    if (!have_gpu(r))
        return -ENODEV;
    switch (nr) {
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
        return close_object(r, a->close.handle);
    case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
        return import(r, &a->prime);
    case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
        return export(r, &a->prime);
    case _IOC_NR(DRM_IOCTL_AMDGPU_INFO):
        return info(r, &a->info);
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_VA):
        return change_addresses(r, &a->va);
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_MMAP): {
        const uint32_t handle = a->map.in.handle;
        a->map.out.addr_ptr = MMAP_OBJECT | (uint64_t)handle << 20;
        return find(r, handle) ? 0 : -ENOENT;
    }
    default: /* nothing is drawn: there are no contexts, command streams and displays */
        return -EINVAL;
    }
}

int host_render_ioctl(struct host_render *r, unsigned long request, void *argument)
{
    union render_arguments a;
    const uint64_t at = (uint64_t)(uintptr_t)argument;
    const size_t given = _IOC_SIZE(request), size = given < sizeof a ? given : sizeof a;
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE)
        return -EINVAL;
    memset(&a, 0, sizeof a);
    if (!kfd_copy_in(&a, at, size))
        return -EFAULT;
    pthread_mutex_lock(&r->lock);
    const int result = serve(r, _IOC_NR(request), &a);
    pthread_mutex_unlock(&r->lock);
    if (_IOC_DIR(request) & _IOC_READ && !kfd_copy_out(at, &a, size))
        return -EFAULT;
    return result;
}

/* ---- the library: libdrm's handles, which programs use with libdrm ---- */

static pthread_mutex_t handles_lock = PTHREAD_MUTEX_INITIALIZER;

static void *function_of_libdrm(const char *name)
{
    void *library = dlopen("libdrm_amdgpu.so.1", RTLD_NOW);
    return library ? dlsym(library, name) : NULL;
}

void host_handles_take(struct host *host, struct host_handles *taken)
{
    taken->count = 0;
    for (uint32_t i = 0; i < host->gpus; i++)
        if (host->gpu[i].handle.device) {
            taken->handle[taken->count++] = host->gpu[i].handle;
            host->gpu[i].handle.device = NULL;
        }
    host->handles = 0;
}

void host_handles_close(const struct host_handles *taken)
{
    int (*end)(void *) = (int (*)(void *))function_of_libdrm("amdgpu_device_deinitialize");
    for (uint32_t i = 0; i < taken->count; i++) {
        end(taken->handle[i].device);
        close(taken->handle[i].file);
    }
}

/* As ROCm's library, which has opened the nodes when it is opened. */
HSAKMT_STATUS hsaKmtGetAMDGPUDeviceHandle(HSAuint32 node, void **handle)
{
    typedef int initialize_function(int fd, uint32_t *major, uint32_t *minor, void **handle);
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    struct host_gpu *gpu = host_gpu_of(host, node);
    if (!gpu)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    initialize_function *initialize =
        (initialize_function *)function_of_libdrm("amdgpu_device_initialize");
    pthread_mutex_lock(&handles_lock);
    struct host_handle *h = &gpu->handle;
    if (!h->device && initialize) {
        char path[64];
        uint32_t major, minor;
        snprintf(path, sizeof path, "/dev/dri/renderD%u", HOST_FIRST_RENDER_NODE + gpu->index);
        h->file = open(path, O_RDWR | O_CLOEXEC);
        if (h->file >= 0 && initialize(h->file, &major, &minor, &h->device)) {
            h->device = NULL;
            close(h->file);
        }
        host->handles += h->device != NULL;
    }
    *handle = h->device;
    pthread_mutex_unlock(&handles_lock);
    return *handle ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_HANDLE;
}
