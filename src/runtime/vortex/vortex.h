/*
 * The interface of Vortex's host library, written down by us for our own library and tests: what
 * programs call, with upstream's names, numbers and layouts. Programs of others use upstream's
 * header. Three functions have other parameters in 2.x than in 3.0; VORTEX_API (2 or 3) chooses
 * them, and without it they are not declared.
 */
#ifndef WT_RUNTIME_VORTEX_VORTEX_H
#define WT_RUNTIME_VORTEX_VORTEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void *vx_device_h;
typedef void *vx_buffer_h;

/** Capabilities of a device. */
enum {
    VX_CAPS_VERSION,
    VX_CAPS_NUM_THREADS, /**< of a warp */
    VX_CAPS_NUM_WARPS,   /**< of a core */
    VX_CAPS_NUM_CORES,   /**< of all clusters */
    VX_CAPS_CACHE_LINE_SIZE,
    VX_CAPS_GLOBAL_MEM_SIZE,
    VX_CAPS_LOCAL_MEM_SIZE, /**< of a core */
    VX_CAPS_ISA_FLAGS,      /**< as misa; bits 31:30 are its MXL */
    VX_CAPS_NUM_MEM_BANKS,
    VX_CAPS_MEM_BANK_SIZE,
};

/** Local memory, in VX_CAPS_ISA_FLAGS. */
#define VX_ISA_EXT_LMEM (1ull << 36)

/** Access of kernels to a buffer. */
enum { VX_MEM_READ = 1, VX_MEM_WRITE = 2, VX_MEM_READ_WRITE = 3, VX_MEM_PIN_MEMORY = 4 };

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
/** The same at an address. */
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

#ifdef VORTEX_API
#if VORTEX_API == 2
/** Reads a device configuration register. */
int vx_dcr_read(vx_device_h device, uint32_t address, uint32_t *value);
/** Tells a counter of a core: a CSR's number. */
int vx_mpm_query(vx_device_h device, uint32_t address, uint32_t core, uint64_t *value);
/** Whether groups of so many threads fit a core, and their local memory. */
int vx_check_occupancy(vx_device_h device, uint32_t group_size, uint32_t *local_memory);
#else
/** Reads a device configuration register. */
int vx_dcr_read(vx_device_h device, uint32_t address, uint32_t tag, uint32_t *value);
/** Tells a counter of a core: a CSR's number. */
int vx_mpm_query(vx_device_h device, uint32_t class, uint32_t address, uint32_t core,
                 uint64_t *value);
/** Whether groups of so many threads fit a core, and their local memory. */
int vx_check_occupancy(vx_device_h device, uint32_t block_size, uint32_t local_memory);
#endif
#endif

#endif
