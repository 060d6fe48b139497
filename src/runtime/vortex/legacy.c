/* The functions of 2.x that devices, buffers and kernels have; 3.0 has them, too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "check/objects.h"
#include "emulator/vortex/profile.h"
#include "runtime/vortex/internal.h"

/* ---- devices ---- */

static enum vx_result open_device(struct gpu *g, vx_device_h *device, struct wt_error *err)
{
    state_lock();
    if (!g->handle)
        g->handle = handle_new(HANDLE_DEVICE, g);
    g->opened += g->handle != NULL;
    *device = g->handle;
    state_unlock();
    return *device ? VX_SUCCESS : call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

API(vx_dev_open, (vx_device_h * device), (device), "*%p", HANDLE(device))
{
    const enum vx_result result =
        device ? gpus_open(err) : call_fail(err, VX_ERR_INVALID_VALUE, "no place for the handle");
    return result ? result : open_device(gpu_at(0), device, err);
}

API(vx_dev_close, (vx_device_h device), (device), "%p", device)
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    gpu_enter(g);
    gpu_leave(g);
    state_lock();
    const bool last = !--g->opened;
    if (last) {
        handle_end(g->handle);
        g->handle = NULL;
    }
    state_unlock();
    if (last)
        buffers_end(g);
    return VX_SUCCESS;
}

API(vx_dev_caps, (vx_device_h device, uint32_t id, uint64_t *value), (device, id, value),
    "%p, 0x%x, *0x%llx", device, id, RESULT(value))
{
    const struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!value)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the value");
    const struct vx_config *c = &g->config;
    enum { MISA = VX_REGISTER_CSR + 0x301 };
    uint8_t misa[WT_ROW_BYTES] = {0};
    switch (id) {
    case VX_CAPS_VERSION:
        *value = 0;
        return VX_SUCCESS;
    case VX_CAPS_NUM_THREADS:
        *value = c->threads;
        return VX_SUCCESS;
    case VX_CAPS_NUM_WARPS:
        *value = c->warps;
        return VX_SUCCESS;
    case VX_CAPS_NUM_CORES:
        *value = (uint64_t)c->clusters * c->cores;
        return VX_SUCCESS;
    case VX_CAPS_CACHE_LINE_SIZE:
        *value = c->line;
        return VX_SUCCESS;
    case VX_CAPS_GLOBAL_MEM_SIZE:
        *value = (uint64_t)(c->xlen == 64 ? 8 : 4) << 30;
        return VX_SUCCESS;
    case VX_CAPS_LOCAL_MEM_SIZE:
        *value = c->profile->local_mem_size;
        return VX_SUCCESS;
    case VX_CAPS_ISA_FLAGS:
        g->machine->ops->read_row(g->machine, 0, MISA, misa);
        *value = wt_load_le(misa, 4) & 0x3ffffff;
        *value |= (uint64_t)(c->xlen == 64 ? 2 : 1) << 30 | VX_ISA_EXT_LMEM;
        return VX_SUCCESS;
    case VX_CAPS_NUM_MEM_BANKS:
        *value = 1;
        return VX_SUCCESS;
    case VX_CAPS_MEM_BANK_SIZE:
        *value = (uint64_t)(c->xlen == 64 ? 8 : 4) << 30;
        return VX_SUCCESS;
    default:
        return call_fail(err, VX_ERR_INVALID_VALUE, "there is no capability 0x%x", id);
    }
}

/* ---- memory ---- */

static enum vx_result allocate(const void *device, bool fixed, uint64_t addr, uint64_t size,
                               int flags, const char *by, vx_buffer_h *buffer, struct wt_error *err)
{
    struct gpu *g = gpu_of(device, err);
    struct buffer *made;
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!buffer)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the handle");
    const enum vx_result result = buffer_new(g, fixed, addr, size, flags, by, &made, err);
    if (!result)
        *buffer = made->handle;
    return result;
}

API(vx_mem_alloc, (vx_device_h device, uint64_t size, int flags, vx_buffer_h *buffer),
    (device, size, flags, buffer), "%p, %" PRIu64 ", 0x%x, *%p", device, size, flags,
    HANDLE(buffer))
{
    return allocate(device, false, 0, size, flags, "vx_mem_alloc", buffer, err);
}

API(vx_mem_reserve,
    (vx_device_h device, uint64_t address, uint64_t size, int flags, vx_buffer_h *buffer),
    (device, address, size, flags, buffer), "%p, 0x%" PRIx64 ", %" PRIu64 ", 0x%x, *%p", device,
    address, size, flags, HANDLE(buffer))
{
    return allocate(device, true, address, size, flags, "vx_mem_reserve", buffer, err);
}

API(vx_mem_free, (vx_buffer_h buffer), (buffer), "%p", buffer)
{
    return buffer ? buffer_end(buffer, "vx_mem_free", err) : VX_SUCCESS;
}

API(vx_mem_access, (vx_buffer_h buffer, uint64_t offset, uint64_t size, int flags),
    (buffer, offset, size, flags), "%p, %" PRIu64 ", %" PRIu64 ", 0x%x", buffer, offset, size,
    flags)
{
    struct part all, part;
    enum vx_result result;
    if (flags & ~(VX_MEM_READ_WRITE | VX_MEM_PIN_MEMORY))
        return call_fail(err, VX_ERR_INVALID_VALUE, "flags 0x%x: there are no such", flags);
    if ((result = buffer_part(buffer, offset, size, &part, err)) ||
        (result = buffer_part(buffer, 0, 0, &all, err)))
        return result;
    /* Checks know of whole buffers. */
    if (part.addr == all.addr && size == all.whole)
        wt_object_set_read_only(all.gpu->machine, all.addr,
                                (flags & VX_MEM_READ_WRITE) == VX_MEM_READ);
    return VX_SUCCESS;
}

API(vx_mem_address, (vx_buffer_h buffer, uint64_t *address), (buffer, address), "%p, *0x%llx",
    buffer, RESULT(address))
{
    struct part part;
    if (!address)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the address");
    const enum vx_result result = buffer_part(buffer, 0, 0, &part, err);
    if (!result)
        *address = part.addr;
    return result;
}

API(vx_mem_info, (vx_device_h device, uint64_t *free, uint64_t *used), (device, free, used),
    "%p, *%llu, *%llu", device, RESULT(free), RESULT(used))
{
    const struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    state_lock();
    if (free)
        *free = gpu_memory_end(g) - MEMORY_FIRST - g->in_use;
    if (used)
        *used = g->in_use;
    state_unlock();
    return VX_SUCCESS;
}

/* ---- copies ---- */

static enum vx_result no_memory(const struct part *p, struct wt_error *err)
{
    return call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY,
                     "no host memory for 0x%" PRIx64 " bytes at 0x%" PRIx64, p->size, p->addr);
}

static enum vx_result copy(vx_buffer_h buffer, void *to, const void *from, uint64_t offset,
                           uint64_t size, struct wt_error *err)
{
    struct part part;
    const enum vx_result result = buffer_part(buffer, offset, size, &part, err);
    if (result || !size)
        return result;
    if (!to && !from)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no memory of the program");
    gpu_enter(part.gpu);
    const bool done =
        to ? gpu_read(part.gpu, part.addr, to, size) : gpu_write(part.gpu, part.addr, from, size);
    gpu_leave(part.gpu);
    return done ? VX_SUCCESS : no_memory(&part, err);
}

API(vx_copy_to_dev, (vx_buffer_h buffer, const void *from, uint64_t offset, uint64_t size),
    (buffer, from, offset, size), "%p, %p, %" PRIu64 ", %" PRIu64, buffer, from, offset, size)
{
    return copy(buffer, NULL, from, offset, size, err);
}

API(vx_copy_from_dev, (void *to, vx_buffer_h buffer, uint64_t offset, uint64_t size),
    (to, buffer, offset, size), "%p, %p, %" PRIu64 ", %" PRIu64, to, buffer, offset, size)
{
    return copy(buffer, to, NULL, offset, size, err);
}

API(vx_copy_dev_to_dev,
    (vx_buffer_h to, uint64_t to_offset, vx_buffer_h from, uint64_t from_offset, uint64_t size),
    (to, to_offset, from, from_offset, size), "%p, %" PRIu64 ", %p, %" PRIu64 ", %" PRIu64, to,
    to_offset, from, from_offset, size)
{
    struct part target, source;
    enum vx_result result;
    if ((result = buffer_part(to, to_offset, size, &target, err)) ||
        (result = buffer_part(from, from_offset, size, &source, err)) || !size)
        return result;
    if (target.gpu != source.gpu)
        return call_fail(err, VX_ERR_INVALID_VALUE, "buffers of two devices");
    void *bytes = malloc(size);
    if (!bytes)
        return no_memory(&source, err);
    gpu_enter(target.gpu);
    const bool done = gpu_read(source.gpu, source.addr, bytes, size) &&
                      gpu_write(target.gpu, target.addr, bytes, size);
    gpu_leave(target.gpu);
    free(bytes);
    return done ? VX_SUCCESS : no_memory(&target, err);
}

/* ---- kernels ---- */

static bool write_dcr(struct gpu *g, uint32_t addr, uint32_t value)
{
    const struct vx_dcr_write write = {addr, value};
    return gpu_do(g, vx_do_write_dcr, &write, sizeof write);
}

/* The number of a device configuration register in the GPU's version. */
static uint32_t dcr_number(const struct gpu *g, enum vx_dcr dcr)
{
    const struct vx_profile *p = g->config.profile;
    for (size_t i = 0; i < p->dcr_count; i++)
        if (p->dcrs[i].dcr == dcr)
            return p->dcrs[i].addr;
    return UINT32_MAX;
}

static void write_address(struct gpu *g, enum vx_dcr low, enum vx_dcr high, uint64_t value)
{
    write_dcr(g, dcr_number(g, low), (uint32_t)value);
    write_dcr(g, dcr_number(g, high), (uint32_t)(value >> 32));
}

API(vx_start, (vx_device_h device, vx_buffer_h kernel, vx_buffer_h arguments),
    (device, kernel, arguments), "%p, %p, %p", device, kernel, arguments)
{
    struct gpu *g = gpu_of(device, err);
    struct part code, block;
    enum vx_result result;
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if ((result = buffer_part(kernel, 0, 0, &code, err)) ||
        (result = buffer_part(arguments, 0, 0, &block, err)))
        return result;
    if (code.gpu != g || block.gpu != g)
        return call_fail(err, VX_ERR_INVALID_VALUE, "a buffer of another device");
    gpu_enter(g);
    state_lock();
    g->kernel = handle_get(HANDLE_BUFFER, kernel);
    state_unlock();
    g->begun = g->lost = false;
    write_address(g, VX_DCR_STARTUP_ADDR0, VX_DCR_STARTUP_ADDR1, code.addr);
    write_address(g, VX_DCR_STARTUP_ARG0, VX_DCR_STARTUP_ARG1, block.addr);
    gpu_leave(g);
    return g->kernel ? VX_SUCCESS
                     : call_fail(err, VX_ERR_INVALID_HANDLE, "another thread has freed %p", kernel);
}

API(vx_ready_wait, (vx_device_h device, uint64_t milliseconds), (device, milliseconds),
    "%p, %" PRIu64, device, milliseconds)
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    pthread_mutex_lock(&g->turn);
    const enum vx_result result =
        g->kernel ? run_kernel(g, milliseconds, err)
        : g->lost ? call_fail(err, VX_ERR_DEVICE_LOST, "the kernel has ended by a fault")
                  : VX_SUCCESS;
    pthread_mutex_unlock(&g->turn);
    return result;
}

API(vx_dcr_write, (vx_device_h device, uint32_t address, uint32_t value), (device, address, value),
    "%p, 0x%x, 0x%x", device, address, value)
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    gpu_enter(g);
    const bool is = write_dcr(g, address, value);
    gpu_leave(g);
    return is ? VX_SUCCESS
              : call_fail(err, VX_ERR_INVALID_VALUE,
                          "Vortex %s has no device configuration register 0x%x",
                          g->config.profile->name, address);
}

/* ---- counters ---- */

/* Numbers of counters are those of CSRs. */
enum { MCYCLE = 0xb00, MINSTRET = 0xb02, LAST_COUNTER = 0xb1f };

static enum vx_result query(const struct gpu *g, uint32_t counter, uint32_t core, uint64_t *value,
                            struct wt_error *err)
{
    if (core >= g->config.clusters * g->config.cores)
        return call_fail(err, VX_ERR_INVALID_VALUE, "there is no core %u", core);
    if (counter < MCYCLE || counter > LAST_COUNTER || !value)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         value ? "there is no counter 0x%x" : "no place for counter 0x%x", counter);
    *value = counter == MCYCLE     ? g->cycles
             : counter == MINSTRET ? vx_device_issues(g->device, core)
                                   : 0;
    return VX_SUCCESS;
}

API(vx_mpm_query, (vx_device_h device, uint32_t counter, uint32_t core, uint64_t *value),
    (device, counter, core, value), "%p, 0x%x, %u, *%llu", device, counter, core, RESULT(value))
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    gpu_enter(g);
    const enum vx_result result = query(g, counter, core, value, err);
    gpu_leave(g);
    return result;
}

API(vx_dcr_read, (vx_device_h device, uint32_t address, uint32_t *value), (device, address, value),
    "%p, 0x%x, *0x%llx", device, address, RESULT(value))
{
    if (!gpu_of(device, err))
        return VX_ERR_INVALID_HANDLE;
    return call_fail(err, VX_ERR_NOT_SUPPORTED,
                     "device configuration registers of Vortex 2.x cannot be read (0x%x, %p)",
                     address, (void *)value);
}

API(vx_check_occupancy, (vx_device_h device, uint32_t group_size, uint32_t *local_memory),
    (device, group_size, local_memory), "%p, %u, *%llu", device, group_size, RESULT(local_memory))
{
    const struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    const uint32_t warps = (group_size + g->config.threads - 1) / g->config.threads;
    if (!group_size || warps > g->config.warps)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "a group of %u threads: a core has %u warps of %u threads", group_size,
                         g->config.warps, g->config.threads);
    if (local_memory)
        *local_memory = (uint32_t)(g->config.profile->local_mem_size / (g->config.warps / warps));
    return VX_SUCCESS;
}

API(vx_dump_perf, (vx_device_h device, FILE *out), (device, out), "%p, %p", device, (void *)out)
{
    struct gpu *g = gpu_of(device, err);
    uint64_t all = 0;
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!out)
        out = stdout;
    const char *class = getenv("VORTEX_PROFILING");
    const unsigned cores = g->config.clusters * g->config.cores;
    gpu_enter(g);
    const double cycles = g->cycles ? (double)g->cycles : 1;
    for (unsigned i = 0; i < cores; i++) {
        const uint64_t issues = vx_device_issues(g->device, i);
        all += issues;
        if (cores > 1)
            fprintf(out, "PERF: core%u: instrs=%" PRIu64 ", cycles=%" PRIu64 ", IPC=%f\n", i,
                    issues, g->cycles, (double)issues / cycles);
    }
    if (class && atoi(class))
        fprintf(out, "PERF: counters of the pipeline, of caches and of memory: not modelled\n");
    fprintf(out, "PERF: instrs=%" PRIu64 ", cycles=%" PRIu64 ", IPC=%f\n", all, g->cycles,
            (double)all / cycles);
    gpu_leave(g);
    return VX_SUCCESS;
}
