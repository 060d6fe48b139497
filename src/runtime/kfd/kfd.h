/*
 * The driver as a program sees it that opens its device files: ioctls of /dev/kfd
 * (linux/kfd_ioctl.h), memory mapped through /dev/kfd and render nodes, the topology files under
 * /sys. Private to these files.
 */
#ifndef WT_RUNTIME_KFD_KFD_H
#define WT_RUNTIME_KFD_KFD_H

#include <linux/kfd_ioctl.h>

#include "runtime/kfd/host.h"

/* ---- what Debian 12's linux/kfd_ioctl.h lacks (linux 6.5) ---- */

struct kfd_runtime_enable_args {
    uint64_t r_debug;
    uint32_t mode_mask; /**< bit 0: enable; bit 1: TTMPs are set up */
    uint32_t capabilities_mask;
};

/** The runtime's state for a debugger (kfd_runtime_info). */
struct kfd_runtime {
    uint64_t r_debug;
    uint32_t runtime_state; /**< 0 disabled, 1 enabled */
    uint32_t ttmp_setup;
};

struct kfd_dbg_trap_args {
    uint32_t pid;
    uint32_t op; /**< enum kfd_debug_op */
    union {
        struct {
            uint64_t exception_mask, rinfo_ptr;
            uint32_t rinfo_size, dbg_fd;
        } enable;
        struct {
            uint64_t exception_mask;
            uint32_t gpu_id, queue_id;
        } event; /**< send runtime event, set exceptions enabled, query debug event */
        struct {
            uint32_t override_mode, enable_mask, support_request_mask, pad;
        } launch_override;
        struct {
            uint32_t value, pad;
        } one; /**< launch mode, flags */
        struct {
            uint64_t exception_mask, queue_array_ptr;
            uint32_t num_queues, grace_period;
        } suspend;
        struct {
            uint64_t queue_array_ptr;
            uint32_t num_queues, pad;
        } resume;
        struct {
            uint64_t address;
            uint32_t mode, mask, gpu_id, id;
        } set_watch;
        struct {
            uint32_t gpu_id, id;
        } clear_watch;
        struct {
            uint64_t info_ptr;
            uint32_t info_size, source_id, exception_code, clear_exception;
        } exception_info;
        struct {
            uint64_t exception_mask, snapshot_buf_ptr;
            uint32_t count, entry_size;
        } snapshot;
    };
};
_Static_assert(sizeof(struct kfd_dbg_trap_args) == 32, "as the kernel has it");

struct kfd_export_dmabuf_args {
    uint64_t handle;
    uint32_t flags; /**< O_CLOEXEC */
    uint32_t dmabuf_fd;
};

enum { KFD_NR_EXPORT_DMABUF = 0x24, KFD_NR_RUNTIME_ENABLE = 0x25, KFD_NR_DBG_TRAP = 0x26 };

/** The version that GET_VERSION answers, 1.13: with DMA buffers that are exported (1.12), and
 * debugging (1.13). */
enum { KFD_VERSION_MINOR = 13 };

/* ---- ioctl.c ---- */

/** An ioctl of /dev/kfd, as the kernel's: 0 or more, or a negative errno. No memory of the program
 * that is not there is touched. */
int kfd_ioctl(unsigned long request, void *argument);
/** The GPU of a gpu_id; NULL if there is none. */
struct host_gpu *kfd_gpu(struct host *host, uint32_t id);
/** Copies memory of the program at @p from; false where it is not all there. */
bool kfd_copy_in(void *to, uint64_t from, size_t size);
/** Copies into memory of the program at @p to; false where it is not all there. */
bool kfd_copy_out(uint64_t to, const void *from, size_t size);
/** Where mmap of /dev/kfd has the doorbells of a GPU. */
uint64_t kfd_doorbell_offset(uint32_t gpu_id);

/* ---- kfd_debug.c ---- */

/** AMDKFD_IOC_DBG_ADDRESS_WATCH of linux 4.20: 0; -EINVAL, -EFAULT. */
int kfd_address_watch(struct host *host, const struct kfd_ioctl_dbg_address_watch_args *args);
/** AMDKFD_IOC_DBG_WAVE_CONTROL of linux 4.20: 0; -EINVAL, -EFAULT. */
int kfd_wave_control(struct host *host, const struct kfd_ioctl_dbg_wave_control_args *args);
/**
 * AMDKFD_IOC_DBG_TRAP of linux 6.5: does the operation, and writes what it gives back to *args. 0
 * or a count, or a negative errno.
 */
int kfd_debug_trap(struct host *host, struct kfd_dbg_trap_args *args);
/**
 * AMDKFD_IOC_RUNTIME_ENABLE of linux 6.5: the program's runtime is there or, with mode 0, no
 * longer. -EBUSY: it is there already.
 */
int kfd_runtime_enable(struct host *host, struct kfd_runtime_enable_args *args);
/** Writes to the debugger's descriptor where there are new exceptions. The GPU's lock is held. */
void kfd_tell_debugger(struct host_gpu *gpu);

/* ---- kfd_memory.c ---- */

/**
 * AMDKFD_IOC_ALLOC_MEMORY_OF_GPU: allocates VRAM, GTT or USERPTR memory, rounded to pages, without
 * mapping it, or names the GPU's doorbells, or its page of registers that flush (MMIO_REMAP), which
 * is memory here; sets handle and mmap_offset. -EINVAL, -EFAULT, -ENOMEM.
 */
int kfd_memory_alloc(struct host *host, struct kfd_ioctl_alloc_memory_of_gpu_args *args);
/** Takes memory that was allocated so for the mailboxes of events: it cannot be freed then. False:
 * there is no such memory, or it is too small. */
bool kfd_memory_mailboxes(struct host *host, uint64_t handle);
/**
 * AMDKFD_IOC_FREE_MEMORY_OF_GPU: -EINVAL for an unknown handle, -EBUSY while a GPU has it mapped,
 * -EPERM for the mailboxes of events.
 */
int kfd_memory_free(struct host *host, uint64_t handle);
/**
 * AMDKFD_IOC_MAP_MEMORY_TO_GPU or, with @p hide, AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU: goes on at
 * args->n_success, which it counts up. -EINVAL, -EFAULT, -ENOMEM.
 */
int kfd_memory_map(struct host *host, struct kfd_ioctl_map_memory_to_gpu_args *args, bool hide);
/** Lets a GPU use the process's @p pages at @p addr; NULL: takes what it has there. Both are whole
 * pages. False: the GPU refuses. */
bool kfd_memory_show(struct host_gpu *gpu, uint64_t addr, uint64_t size, void *pages);
/**
 * For mmap of a render node: a descriptor of the memory at *offset, which the caller closes;
 * *offset becomes the offset in it. -EINVAL, -EMFILE.
 */
int kfd_memory_file(struct host *host, uint64_t *offset, size_t length, int *fd);
/** AMDKFD_IOC_EXPORT_DMABUF of linux 6.4: a descriptor of the memory, which another process may
 * import, too. -EINVAL, -EMFILE. */
int kfd_memory_export(struct host *host, struct kfd_export_dmabuf_args *args);
/** AMDKFD_IOC_IMPORT_DMABUF: a handle of exported memory. -EINVAL, -ENOMEM. */
int kfd_memory_import(struct host *host, struct kfd_ioctl_import_dmabuf_args *args);
/** AMDKFD_IOC_GET_DMABUF_INFO: what exported memory is. -EINVAL. */
int kfd_memory_info(struct host *host, struct kfd_ioctl_get_dmabuf_info_args *args);
/** Whether @p fd is memory that a GPU of this or another process has exported: its size in bytes
 * and, where they are not NULL, its GPU's gpu_id and flags (KFD_IOC_ALLOC_MEM_FLAGS). */
bool kfd_buffer_of(int fd, uint64_t *size, uint32_t *gpu, uint32_t *flags);
enum { KFD_BUFFER_NAME = 64 };
/** The name of such memory's file, which tells another process whose it is: KFD_BUFFER_NAME bytes
 * at most; @p gpu: a gpu_id. */
void kfd_buffer_name(char *name, uint32_t gpu, uint32_t flags);
/** Whether two descriptors are the same file. */
bool kfd_buffer_is_same(int a, int b);

/* ---- render.c ---- */

struct host_render;

/** An opening of the render node of the GPU @p index; NULL without host memory. The GPUs are opened
 * when more is asked of the node than DRM_IOCTL_VERSION. */
struct host_render *host_render_open(uint32_t index);
/** Whether this process has opened it, not one that it was forked from. */
bool host_render_is_own(const struct host_render *r);
/** Closes the node: the GPU no longer has what was mapped through it. */
void host_render_close(struct host_render *r);
/** An ioctl of DRM's, as the kernel's: 0, or a negative errno. Any thread may call it. */
int host_render_ioctl(struct host_render *r, unsigned long request, void *argument);
/** For mmap, as kfd_memory_file: of memory of /dev/kfd, and of objects. */
int host_render_file(struct host_render *r, uint64_t *offset, size_t length, int *fd);

#endif
