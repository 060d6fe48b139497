/*
 * The interface of Vortex's host library, written down by us for our own library and tests: what
 * programs call, with upstream's names, numbers and layouts. Programs of others use upstream's
 * header. Three functions have other parameters in 2.x than in 3.0; VORTEX_API (2 or 3) chooses
 * them, and without it they are not declared. The library itself, which has both, says 0.
 */
#ifndef WT_RUNTIME_VORTEX_VORTEX_H
#define WT_RUNTIME_VORTEX_VORTEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void *vx_device_h;
typedef void *vx_buffer_h;
typedef struct vx_queue *vx_queue_h;
typedef struct vx_event *vx_event_h;
typedef struct vx_module *vx_module_h;
typedef struct vx_kernel *vx_kernel_h;

/** Results, as 3.0 numbers them. Functions of 2.x have -1 for all but the first. */
typedef enum vx_result {
    VX_SUCCESS,
    VX_ERR_INVALID_HANDLE,
    VX_ERR_INVALID_INFO,
    VX_ERR_INVALID_VALUE,
    VX_ERR_OUT_OF_HOST_MEMORY,
    VX_ERR_OUT_OF_DEVICE_MEMORY,
    VX_ERR_DEVICE_LOST,
    VX_ERR_TIMEOUT,
    VX_ERR_EVENT_FAILED,
    VX_ERR_NOT_SUPPORTED,
    VX_ERR_INTERNAL,
} vx_result_t;

/** Capabilities of a device. */
enum {
    VX_CAPS_VERSION,
    VX_CAPS_NUM_THREADS, /**< threads of a warp */
    VX_CAPS_NUM_WARPS,   /**< warps of a core */
    VX_CAPS_NUM_CORES,   /**< cores of all clusters */
    VX_CAPS_CACHE_LINE_SIZE,
    VX_CAPS_GLOBAL_MEM_SIZE,
    VX_CAPS_LOCAL_MEM_SIZE, /**< size of a core */
    VX_CAPS_ISA_FLAGS,      /**< as misa; bits 31:30 are its MXL */
    VX_CAPS_NUM_MEM_BANKS,
    VX_CAPS_MEM_BANK_SIZE,
    /* of 3.0 */
    VX_CAPS_NUM_CLUSTERS,
    VX_CAPS_SOCKET_SIZE, /**< cores of a socket */
    VX_CAPS_ISSUE_WIDTH,
    VX_CAPS_CLOCK_RATE,  /**< MHz */
    VX_CAPS_PEAK_MEM_BW, /**< MB/s */
    VX_CAPS_VM_SUPPORT,
    VX_CAPS_VM_PINNED_SIZE,
    VX_CAPS_VM_PINNED_FREE,
};

/** Local memory, in VX_CAPS_ISA_FLAGS. */
#define VX_ISA_EXT_LMEM (1ull << 36)
/** Conditional moves of integers. */
#define VX_ISA_EXT_ZICOND (1ull << 37)

/** Access of kernels to a buffer. */
enum {
    VX_MEM_READ = 1,
    VX_MEM_WRITE = 2,
    VX_MEM_READ_WRITE = 3,
    VX_MEM_PIN_MEMORY = 4,
    VX_MEM_PHYS = 8, /**< 3.0: an address that is not translated, as all are here */
    VX_MEM_HOST = 16 /**< 3.0: in the host's memory, of which the device has none of its own */
};

/** The longest timeout of vx_ready_wait, in milliseconds. */
#define VX_MAX_TIMEOUT (24 * 60 * 60 * 1000)

/* Of these functions each returns 0, or -1. */

/** Opens the first GPU. */
int vx_dev_open(vx_device_h *device);
/** Closes it; its buffers are freed with the last handle. */
int vx_dev_close(vx_device_h device);
/** Tells a capability, VX_CAPS_…. */
int vx_dev_caps(vx_device_h device, uint32_t id, uint64_t *value);
/** Allocates a buffer; flags: VX_MEM_…. */
int vx_mem_alloc(vx_device_h device, uint64_t size, int flags, vx_buffer_h *buffer);
/** Likewise at an address. */
int vx_mem_reserve(vx_device_h device, uint64_t address, uint64_t size, int flags,
                   vx_buffer_h *buffer);
/** Frees a buffer; NULL is allowed. */
int vx_mem_free(vx_buffer_h buffer);
/** Sets how kernels access a part of a buffer. */
int vx_mem_access(vx_buffer_h buffer, uint64_t offset, uint64_t size, int flags);
/** Tells where a buffer is in device memory. */
int vx_mem_address(vx_buffer_h buffer, uint64_t *address);
/** Tells the bytes that are free and in use; a pointer may be NULL. */
int vx_mem_info(vx_device_h device, uint64_t *free, uint64_t *used);
/** Copies to a buffer, at an offset. */
int vx_copy_to_dev(vx_buffer_h buffer, const void *from, uint64_t offset, uint64_t size);
/** Copies from a buffer, at an offset. */
int vx_copy_from_dev(void *to, vx_buffer_h buffer, uint64_t offset, uint64_t size);
/** Copies between buffers. */
int vx_copy_dev_to_dev(vx_buffer_h to, uint64_t to_offset, vx_buffer_h from, uint64_t from_offset,
                       uint64_t size);
/** Starts a kernel with a block of arguments. */
int vx_start(vx_device_h device, vx_buffer_h kernel, vx_buffer_h arguments);
/** Waits for it. */
int vx_ready_wait(vx_device_h device, uint64_t milliseconds);
/** Writes a device configuration register. */
int vx_dcr_write(vx_device_h device, uint32_t address, uint32_t value);
/** Uploads the bytes of a .vxbin file. */
int vx_upload_kernel_bytes(vx_device_h device, const void *bytes, uint64_t size,
                           vx_buffer_h *buffer);
/** Uploads a .vxbin file. */
int vx_upload_kernel_file(vx_device_h device, const char *path, vx_buffer_h *buffer);
/** Allocates a buffer with these bytes. */
int vx_upload_bytes(vx_device_h device, const void *bytes, uint64_t size, vx_buffer_h *buffer);
/** Allocates a buffer with the bytes of a file. */
int vx_upload_file(vx_device_h device, const char *path, vx_buffer_h *buffer);
/** Prints counters of the latest kernel; NULL: to stdout. */
int vx_dump_perf(vx_device_h device, FILE *out);

/** Grid and block for the most occupancy: blocks of all threads of a core. */
int vx_max_occupancy_grid(vx_device_h device, uint32_t ndim, const uint32_t *global_dim,
                          uint32_t *grid_dim, uint32_t *block_dim);

#ifdef VORTEX_API
#if VORTEX_API == 2
/** Reads a device configuration register. */
int vx_dcr_read(vx_device_h device, uint32_t address, uint32_t *value);
/** Tells a counter of a core: a CSR's number. */
int vx_mpm_query(vx_device_h device, uint32_t address, uint32_t core, uint64_t *value);
/** Whether groups of so many threads fit a core, and their local memory. */
int vx_check_occupancy(vx_device_h device, uint32_t group_size, uint32_t *local_memory);
#elif VORTEX_API == 3
/** Reads a device configuration register. */
int vx_dcr_read(vx_device_h device, uint32_t address, uint32_t tag, uint32_t *value);
/** Tells a counter of a core: a CSR's number. */
int vx_mpm_query(vx_device_h device, uint32_t counters, uint32_t address, uint32_t core,
                 uint64_t *value);
/** Whether groups of so many threads fit a core, and their local memory. */
int vx_check_occupancy(vx_device_h device, uint32_t block_size, uint32_t local_memory);
#else
/** As in 2.x or 3.0, as version_is_later says: `third` is the place, or a tag. */
int vx_dcr_read(vx_device_h device, uint32_t address, uintptr_t third, uint32_t *value);
/** 2.x: counter, core, place; 3.0: class, counter, core, place. */
int vx_mpm_query(vx_device_h device, uint32_t first, uint32_t second, uintptr_t third,
                 uint64_t *value);
/** 2.x: `third` is the place for the local memory; 3.0: what is wanted of it. */
int vx_check_occupancy(vx_device_h device, uint32_t block_size, uintptr_t third);
#endif
#endif

/* ---- 3.0: objects have a count of holders, which begins with 1; the last release ends them ----
 */

/** A time that never ends, in nanoseconds. */
#define VX_TIMEOUT_INFINITE UINT64_MAX
/** The queue's events have times. */
#define VX_QUEUE_PROFILING_ENABLE 1u

typedef enum {
    VX_QUEUE_PRIORITY_LOW,
    VX_QUEUE_PRIORITY_NORMAL,
    VX_QUEUE_PRIORITY_HIGH
} vx_queue_priority_e;

/* Each begins with its size, in struct_size. */

typedef struct {
    size_t struct_size;
    const void *next;
    vx_queue_priority_e priority;
    uint32_t flags;
} vx_queue_info_t;

typedef struct {
    size_t struct_size;
    const void *next;
    vx_kernel_h kernel;    /**< NULL: the program writes the registers that say it */
    const void *args_host; /**< copied at once; NULL: as kernel */
    size_t args_size;
    uint32_t ndim; /**< 1 to 3; 0: as kernel, for all that follows */
    uint32_t grid_dim[3], block_dim[3];
    uint32_t lmem_size; /**< bytes of local memory of a block */
    uint32_t cluster_dim[3];
} vx_launch_info_t;

/** A box of bytes in two memories. Origins and region are bytes, rows, slices; a pitch of 0 is that
 * of the region. copy_rect: `buffer` is the target, `host` the source. */
typedef struct {
    size_t struct_size;
    const void *next;
    size_t buffer_origin[3], host_origin[3], region[3];
    size_t buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch;
} vx_rect_info_t;

typedef struct {
    uint64_t queued_ns, submit_ns, start_ns, end_ns;
} vx_profile_info_t;

typedef enum { VX_COMMAND_LAUNCH, VX_COMMAND_DCR_WRITE } vx_command_type_e;

typedef struct {
    vx_command_type_e type;
    union {
        const vx_launch_info_t *launch;
        struct {
            uint32_t addr, value;
        } dcr;
    } data;
} vx_command_t;

/** A result as a word. */
const char *vx_result_string(vx_result_t result);

/** Tells how many devices there are. */
vx_result_t vx_device_count(uint32_t *count);
/** Opens a device, by its number from 0. */
vx_result_t vx_device_open(uint32_t index, vx_device_h *device);
/** One holder more. */
vx_result_t vx_device_retain(vx_device_h device);
/** One less; the last one frees the buffers, too. */
vx_result_t vx_device_release(vx_device_h device);
/** Tells a capability, VX_CAPS_…. */
vx_result_t vx_device_query(vx_device_h device, uint32_t id, uint64_t *value);
/** Tells the bytes that are free and in use; a pointer may be NULL. */
vx_result_t vx_device_memory_info(vx_device_h device, uint64_t *free, uint64_t *used);
/** A counter of a core, or (core UINT32_MAX) the sum of all. */
vx_result_t vx_device_mpm_query(vx_device_h device, uint32_t counters, uint32_t address,
                                uint32_t core, uint64_t *value);
/** Prints counters of the latest kernel; NULL: to stdout. */
vx_result_t vx_device_dump_perf(vx_device_h device, FILE *out);
/** Tells block and grid for so many work items: a block of all threads of a core. */
vx_result_t vx_device_max_occupancy_grid(vx_device_h device, uint32_t ndim,
                                         const uint32_t *global_dim, uint32_t *grid_dim,
                                         uint32_t *block_dim);

/** Allocates a buffer; flags: VX_MEM_…. */
vx_result_t vx_buffer_create(vx_device_h device, uint64_t size, uint32_t flags,
                             vx_buffer_h *buffer);
/** Likewise at an address. */
vx_result_t vx_buffer_reserve(vx_device_h device, uint64_t address, uint64_t size, uint32_t flags,
                              vx_buffer_h *buffer);
/** One holder more. */
vx_result_t vx_buffer_retain(vx_buffer_h buffer);
/** One less; commands that use it keep it. */
vx_result_t vx_buffer_release(vx_buffer_h buffer);
/** Tells where a buffer is in device memory. */
vx_result_t vx_buffer_address(vx_buffer_h buffer, uint64_t *address);
/** Sets how kernels access a part of a buffer. */
vx_result_t vx_buffer_access(vx_buffer_h buffer, uint64_t offset, uint64_t size, uint32_t flags);
/** A copy of a part in host memory, which unmap writes back; one at a time for each buffer. */
vx_result_t vx_buffer_map(vx_buffer_h buffer, uint64_t offset, uint64_t size, uint32_t flags,
                          void **host);
/** Writes a map for writing back, and ends it. */
vx_result_t vx_buffer_unmap(vx_buffer_h buffer, void *host);

/** Loads a .vxbin file, at the address for which it is linked. */
vx_result_t vx_module_load_file(vx_device_h device, const char *path, vx_module_h *module);
/** Likewise of its bytes. */
vx_result_t vx_module_load_bytes(vx_device_h device, const void *bytes, size_t size,
                                 vx_module_h *module);
/** One holder more. */
vx_result_t vx_module_retain(vx_module_h module);
/** One less; its kernels keep it. */
vx_result_t vx_module_release(vx_module_h module);
/** Finds a kernel by its name. */
vx_result_t vx_module_get_kernel(vx_module_h module, const char *name, vx_kernel_h *kernel);
/** One holder more. */
vx_result_t vx_kernel_retain(vx_kernel_h kernel);
/** One less; launches keep it. */
vx_result_t vx_kernel_release(vx_kernel_h kernel);
/** Tells the address of its function. */
vx_result_t vx_kernel_address(vx_kernel_h kernel, uint64_t *address);
/** Tells threads and warps of a core, and 1. */
vx_result_t vx_kernel_get_max_block_size(vx_kernel_h kernel, uint32_t *x, uint32_t *y, uint32_t *z);

/** Makes a queue; NULL: of normal priority, without times. */
vx_result_t vx_queue_create(vx_device_h device, const vx_queue_info_t *info, vx_queue_h *queue);
/** One holder more. */
vx_result_t vx_queue_retain(vx_queue_h queue);
/** The last release waits for the queue's commands. */
vx_result_t vx_queue_release(vx_queue_h queue);
/** Does nothing: commands run as soon as they can. */
vx_result_t vx_queue_flush(vx_queue_h queue);
/** Waits until the commands enqueued so far have ended. */
vx_result_t vx_queue_finish(vx_queue_h queue, uint64_t timeout_ns);

/* Commands: each waits for the events of a list, and has an event of its own (NULL: nobody wants
 * it), which goes from 0 to 1 at its end. */

#define VX_WAIT_LIST uint32_t count, const vx_event_h *events, vx_event_h *done

/** Launches a kernel. */
vx_result_t vx_enqueue_launch(vx_queue_h queue, const vx_launch_info_t *info, VX_WAIT_LIST);
/** Launches and writes of registers as one command. */
vx_result_t vx_enqueue_commands(vx_queue_h queue, const vx_command_t *commands, uint32_t number,
                                VX_WAIT_LIST);
/** Is not supported: there are no units for it. */
vx_result_t vx_enqueue_draw(vx_queue_h queue, const vx_command_t *commands, uint32_t number,
                            VX_WAIT_LIST);
/** Copies between buffers. */
vx_result_t vx_enqueue_copy(vx_queue_h queue, vx_buffer_h to, uint64_t to_offset, vx_buffer_h from,
                            uint64_t from_offset, uint64_t size, VX_WAIT_LIST);
/** Copies to the host. */
vx_result_t vx_enqueue_read(vx_queue_h queue, void *to, vx_buffer_h from, uint64_t offset,
                            uint64_t size, VX_WAIT_LIST);
/** Copies from the host. */
vx_result_t vx_enqueue_write(vx_queue_h queue, vx_buffer_h to, uint64_t offset, const void *from,
                             uint64_t size, VX_WAIT_LIST);
/** Copies a box to the host. */
vx_result_t vx_enqueue_read_rect(vx_queue_h queue, void *to, vx_buffer_h from,
                                 const vx_rect_info_t *info, VX_WAIT_LIST);
/** Copies a box from the host. */
vx_result_t vx_enqueue_write_rect(vx_queue_h queue, vx_buffer_h to, const void *from,
                                  const vx_rect_info_t *info, VX_WAIT_LIST);
/** Copies a box between buffers. */
vx_result_t vx_enqueue_copy_rect(vx_queue_h queue, vx_buffer_h to, vx_buffer_h from,
                                 const vx_rect_info_t *info, VX_WAIT_LIST);
/** Fills with a pattern, of which `size` is a multiple. */
vx_result_t vx_enqueue_fill_buffer(vx_queue_h queue, vx_buffer_h to, uint64_t offset, uint64_t size,
                                   const void *pattern, size_t pattern_size, VX_WAIT_LIST);
/** The copy is there at once, its bytes are when the command has ended. */
vx_result_t vx_enqueue_map(vx_queue_h queue, vx_buffer_h buffer, uint64_t offset, uint64_t size,
                           uint32_t flags, VX_WAIT_LIST, void **host);
/** As vx_buffer_unmap. */
vx_result_t vx_enqueue_unmap(vx_queue_h queue, vx_buffer_h buffer, void *host, VX_WAIT_LIST);
/** Waits for its events only. */
vx_result_t vx_enqueue_barrier(vx_queue_h queue, VX_WAIT_LIST);
/** Writes a device configuration register. */
vx_result_t vx_enqueue_dcr_write(vx_queue_h queue, uint32_t address, uint32_t value, VX_WAIT_LIST);
/** Reads one. */
vx_result_t vx_enqueue_dcr_read(vx_queue_h queue, uint32_t address, uint32_t *value, VX_WAIT_LIST);
/** Sets an event to a value, when the queue has come to it. */
vx_result_t vx_enqueue_signal(vx_queue_h queue, vx_event_h event, uint64_t value, VX_WAIT_LIST);
/** Lets the queue wait until an event has reached a value. */
vx_result_t vx_enqueue_wait_value(vx_queue_h queue, vx_event_h event, uint64_t value, VX_WAIT_LIST);

/** An event of the program's own: a number that never decreases, at first 0. */
vx_result_t vx_event_create(vx_device_h device, vx_event_h *event);
/** Sets it to a value, if that is higher. */
vx_result_t vx_event_signal(vx_event_h event, uint64_t value);
/** Tells its value. */
vx_result_t vx_event_get_value(vx_event_h event, uint64_t *value);
/** Waits until it has reached a value. */
vx_result_t vx_event_wait_value(vx_event_h event, uint64_t value, uint64_t timeout_ns);
/** Waits for all of them. */
vx_result_t vx_event_wait_values(uint32_t number, const vx_event_h *events, const uint64_t *values,
                                 uint64_t timeout_ns);
/** One holder more. */
vx_result_t vx_event_retain(vx_event_h event);
/** One less. */
vx_result_t vx_event_release(vx_event_h event);
/** Times of the host's monotonic clock at which a command was enqueued, had its turn, began and
 * ended. */
vx_result_t vx_event_get_profiling(vx_event_h event, vx_profile_info_t *times);

#endif
