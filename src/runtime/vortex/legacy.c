/* The functions of 2.x that devices, buffers and kernels have; 3.0 has them, too. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check/objects.h"
#include "runtime/common/counted_file.h"
#include "runtime/vortex/internal.h"

/* ---- devices ---- */

enum vx_result device_open(unsigned index, vx_device_h *device, struct wt_error *err)
{
    const enum vx_result result =
        device ? gpus_open(err) : call_fail(err, VX_ERR_INVALID_VALUE, "no place for the handle");
    if (result)
        return result;
    if (index >= gpu_count())
        return call_fail(err, VX_ERR_INVALID_VALUE, "there is no device %u, but %u: give -g %s",
                         index, gpu_count(), "vortex once more");
    struct gpu *g = gpu_at(index);
    state_lock();
    if (!g->handle)
        g->handle = handle_new(HANDLE_DEVICE, g);
    g->opened += g->handle != NULL;
    wt_counted_opened();
    *device = g->handle;
    state_unlock();
    return *device ? VX_SUCCESS : call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory");
}

API(vx_dev_open, "*%p", (vx_device_h *, device, HANDLE(device)))
{
    return device_open(0, device, err);
}

enum vx_result device_close(vx_device_h device, struct wt_error *err)
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

API(vx_dev_close, "%p", (vx_device_h, device))
{
    return device_close(device, err);
}

/* Requests of 3.0 alone. */
static enum vx_result later_caps(const struct vx_config *c, uint32_t id, uint64_t *value,
                                 struct wt_error *err)
{
    enum { MOST_OF_A_SOCKET = 4 };
    const uint32_t cores = c->clusters * c->cores;
    *value = 0; /* no pipeline, no memory bus, no translation */
    if (id == VX_CAPS_NUM_CLUSTERS)
        *value = c->clusters;
    else if (id == VX_CAPS_SOCKET_SIZE)
        *value = cores < MOST_OF_A_SOCKET ? cores : MOST_OF_A_SOCKET;
    else if (id == VX_CAPS_ISSUE_WIDTH)
        *value = 1;
    return id <= VX_CAPS_VM_PINNED_FREE && version_is_later()
               ? VX_SUCCESS
               : call_fail(err, VX_ERR_INVALID_VALUE, "there is no capability 0x%x", id);
}

enum vx_result device_caps(vx_device_h device, uint32_t id, uint64_t *value, struct wt_error *err)
{
    const struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!value)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the value");
    const struct vx_config *c = &g->config;
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
        *value = gpu_isa_flags(g) | (version_is_later() ? VX_ISA_EXT_ZICOND : 0);
        return VX_SUCCESS;
    case VX_CAPS_NUM_MEM_BANKS:
        *value = 1;
        return VX_SUCCESS;
    case VX_CAPS_MEM_BANK_SIZE:
        *value = (uint64_t)(c->xlen == 64 ? 8 : 4) << 30;
        return VX_SUCCESS;
    default:
        return later_caps(c, id, value, err);
    }
}

API(vx_dev_caps, "%p, 0x%x, *0x%llx", (vx_device_h, device), (uint32_t, id),
    (uint64_t *, value, RESULT(value)))
{
    return device_caps(device, id, value, err);
}

/* ---- memory ---- */

enum vx_result device_allocate(const void *device, bool fixed, uint64_t addr, uint64_t size,
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

API(vx_mem_alloc, "%p, %" PRIu64 ", 0x%x, *%p", (vx_device_h, device), (uint64_t, size),
    (int, flags), (vx_buffer_h *, buffer, HANDLE(buffer)))
{
    return device_allocate(device, false, 0, size, flags, "vx_mem_alloc", buffer, err);
}

API(vx_mem_reserve, "%p, 0x%" PRIx64 ", %" PRIu64 ", 0x%x, *%p", (vx_device_h, device),
    (uint64_t, address), (uint64_t, size), (int, flags), (vx_buffer_h *, buffer, HANDLE(buffer)))
{
    return device_allocate(device, true, address, size, flags, "vx_mem_reserve", buffer, err);
}

API(vx_mem_free, "%p", (vx_buffer_h, buffer))
{
    return buffer ? buffer_end(buffer, "vx_mem_free", err) : VX_SUCCESS;
}

enum vx_result device_access(vx_buffer_h buffer, uint64_t offset, uint64_t size, int flags,
                             struct wt_error *err)
{
    struct part all, part;
    enum vx_result result;
    if (flags & ~MEMORY_FLAGS)
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

API(vx_mem_access, "%p, %" PRIu64 ", %" PRIu64 ", 0x%x", (vx_buffer_h, buffer), (uint64_t, offset),
    (uint64_t, size), (int, flags))
{
    return device_access(buffer, offset, size, flags, err);
}

enum vx_result buffer_where(vx_buffer_h buffer, uint64_t *address, struct wt_error *err)
{
    struct part part;
    if (!address)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the address");
    const enum vx_result result = buffer_part(buffer, 0, 0, &part, err);
    if (!result)
        *address = part.addr;
    return result;
}

API(vx_mem_address, "%p, *0x%llx", (vx_buffer_h, buffer), (uint64_t *, address, RESULT(address)))
{
    return buffer_where(buffer, address, err);
}

enum vx_result device_memory(vx_device_h device, uint64_t *free, uint64_t *used,
                             struct wt_error *err)
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

API(vx_mem_info, "%p, *%llu, *%llu", (vx_device_h, device), (uint64_t *, free, RESULT(free)),
    (uint64_t *, used, RESULT(used)))
{
    return device_memory(device, free, used, err);
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

API(vx_copy_to_dev, "%p, %p, %" PRIu64 ", %" PRIu64, (vx_buffer_h, buffer), (const void *, from),
    (uint64_t, offset), (uint64_t, size))
{
    return copy(buffer, NULL, from, offset, size, err);
}

API(vx_copy_from_dev, "%p, %p, %" PRIu64 ", %" PRIu64, (void *, to), (vx_buffer_h, buffer),
    (uint64_t, offset), (uint64_t, size))
{
    return copy(buffer, to, NULL, offset, size, err);
}

API(vx_copy_dev_to_dev, "%p, %" PRIu64 ", %p, %" PRIu64 ", %" PRIu64, (vx_buffer_h, to),
    (uint64_t, to_offset), (vx_buffer_h, from), (uint64_t, from_offset), (uint64_t, size))
{
    struct part target, source;
    enum vx_result result;
    if ((result = buffer_part(to, to_offset, size, &target, err)) ||
        (result = buffer_part(from, from_offset, size, &source, err)) || !size)
        return result;
    if (target.gpu != source.gpu)
        return call_fail(err, VX_ERR_INVALID_VALUE, "buffers of two devices");
    gpu_enter(target.gpu);
    const bool done = gpu_copy(target.gpu, target.addr, source.addr, size);
    gpu_leave(target.gpu);
    return done ? VX_SUCCESS : no_memory(&target, err);
}

/* ---- kernels ---- */

/* A grid of a CTA of one full warp for each core: where programs of 2.x start on a launch unit. */
static void set_grid(struct gpu *g)
{
    const struct vx_config *c = &g->config;
    struct vx_launch l = {.block = {c->threads, 1, 1}};
    vx_launch_complete(&l, c->threads);
    for (uint32_t i = 0; i < 3; i++) {
        gpu_set_dcr(g, VX_DCR_GRID_DIM, i, i ? 1 : c->clusters * c->cores);
        gpu_set_dcr(g, VX_DCR_BLOCK_DIM, i, l.block[i]);
        gpu_set_dcr(g, VX_DCR_WARP_STEP, i, l.warp_step[i]);
        gpu_set_dcr(g, VX_DCR_CLUSTER_DIM, i, 1);
    }
    gpu_set_dcr(g, VX_DCR_BLOCK_SIZE, 0, l.block_size);
    gpu_set_dcr(g, VX_DCR_LMEM_SIZE, 0, 0);
}

API(vx_start, "%p, %p, %p", (vx_device_h, device), (vx_buffer_h, kernel), (vx_buffer_h, arguments))
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
    char name[256] = "kernel";
    state_lock();
    const struct buffer *b = handle_need(HANDLE_BUFFER, kernel, err);
    const char *slash = b && b->program.path ? strrchr(b->program.path, '/') : NULL;
    if (slash)
        snprintf(name, sizeof name, "%s", slash + 1);
    state_unlock();
    if (b) {
        start_kernel(g, name);
        gpu_set_address(g, VX_DCR_STARTUP_ADDR0, code.addr);
        gpu_set_address(g, VX_DCR_STARTUP_ARG0, block.addr);
        if (g->config.profile->launch_unit)
            set_grid(g);
    }
    gpu_leave(g);
    return b ? VX_SUCCESS : VX_ERR_INVALID_HANDLE;
}

API(vx_ready_wait, "%p, %" PRIu64, (vx_device_h, device), (uint64_t, milliseconds))
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    turn_take();
    const enum vx_result result =
        g->started ? run_kernel(g, milliseconds, err)
        : g->lost  ? call_fail(err, VX_ERR_DEVICE_LOST, "the kernel has ended by a fault")
                   : VX_SUCCESS;
    turn_give();
    return result;
}

API(vx_dcr_write, "%p, 0x%x, 0x%x", (vx_device_h, device), (uint32_t, address), (uint32_t, value))
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    gpu_enter(g);
    const bool is = gpu_write_dcr(g, address, value);
    gpu_leave(g);
    state_lock();
    gpu_note_dcr(g, address);
    state_unlock();
    return is ? VX_SUCCESS
              : call_fail(err, VX_ERR_INVALID_VALUE,
                          "Vortex %s has no device configuration register 0x%x",
                          g->config.profile->name, address);
}

/* ---- counters ---- */

enum vx_result device_counter(vx_device_h device, uint32_t counter, uint32_t core, uint64_t *value,
                              struct wt_error *err)
{
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    const uint32_t cores = g->config.clusters * g->config.cores;
    const bool all = core == UINT32_MAX && version_is_later();
    if (core >= cores && !all)
        return call_fail(err, VX_ERR_INVALID_VALUE, "there is no core %u", core);
    if (counter < VX_COUNTER_CYCLE || counter > VX_COUNTER_LAST || !value)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         value ? "there is no counter 0x%x" : "no place for counter 0x%x", counter);
    gpu_enter(g);
    *value = 0;
    for (uint32_t i = all ? 0 : core; i <= (all ? cores - 1 : core); i++)
        *value += gpu_counter(g, counter, i);
    gpu_leave(g);
    return VX_SUCCESS;
}

/* ---- functions whose parameters differ: the third is another thing in 2.x than in 3.0 ---- */

/* A call that makes sense by the other version's parameters only. */
static enum vx_result wrong_version(const char *name, struct wt_error *err)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const unsigned is = version_is_later() ? 3 : 2, seems = 5 - is;
    call_fail(err, VX_ERR_INVALID_VALUE,
              "%s is taken for that of Vortex %u, and its arguments are those of %u: give -g "
              "vortex:profile=v%u",
              name, is, seems, seems);
    if (!atomic_flag_test_and_set(&told))
        fprintf(stderr, "wavetrap: libvortex: %s\n", err->text);
    return VX_ERR_INVALID_VALUE;
}

static bool is_counter(uint32_t number)
{
    return number >= VX_COUNTER_CYCLE && number <= VX_COUNTER_LAST;
}

/* 2.x: a CSR's number, a core, the place. 3.0: a class, a CSR's number, a core, the place. */
API(vx_mpm_query, "%p, 0x%x, 0x%x, 0x%" PRIxPTR, (vx_device_h, device), (uint32_t, first),
    (uint32_t, second), (uintptr_t, third), (uint64_t *, value, ))
{
    if (version_is_later())
        return is_counter(first) && !is_counter(second)
                   ? wrong_version("vx_mpm_query", err)
                   : device_counter(device, second, (uint32_t)third, value, err);
    return is_counter(second) && !is_counter(first)
               ? wrong_version("vx_mpm_query", err)
               : device_counter(device, first, second, (uint64_t *)third, err);
}

/* 2.x: a register, the place. 3.0: a register, a tag, the place. */
API(vx_dcr_read, "%p, 0x%x, 0x%" PRIxPTR, (vx_device_h, device), (uint32_t, address),
    (uintptr_t, third), (uint32_t *, value, ))
{
    enum { NO_POINTER = 0x10000 };
    struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!version_is_later())
        return third && third < NO_POINTER
                   ? wrong_version("vx_dcr_read", err)
                   : call_fail(err, VX_ERR_NOT_SUPPORTED,
                               "device configuration registers of Vortex 2.x cannot be read (0x%x)",
                               address);
    if (!value)
        return call_fail(err, VX_ERR_INVALID_VALUE, "no place for the value");
    gpu_enter(g);
    const bool is = gpu_read_dcr(g, address, (uint32_t)third, value);
    gpu_leave(g);
    return is ? VX_SUCCESS
              : call_fail(err, VX_ERR_INVALID_VALUE,
                          "Vortex %s has no device configuration register 0x%x",
                          g->config.profile->name, address);
}

/* 2.x: the place for the local memory of a group. 3.0: the local memory that it wants. */
API(vx_check_occupancy, "%p, %u, 0x%" PRIxPTR, (vx_device_h, device), (uint32_t, group_size),
    (uintptr_t, third))
{
    enum { NO_POINTER = 0x10000 };
    const struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    const bool later = version_is_later();
    if (later ? third >> 32 != 0 : third && third < NO_POINTER)
        return wrong_version("vx_check_occupancy", err);
    const uint64_t warps = ((uint64_t)group_size + g->config.threads - 1) / g->config.threads;
    if (!group_size || warps > g->config.warps)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "a group of %u threads: a core has %u warps of %u threads", group_size,
                         g->config.warps, g->config.threads);
    const uint64_t all = g->config.profile->local_mem_size;
    if (later && third > all)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "0x%" PRIxPTR " bytes of local memory: a core has 0x%" PRIx64, third, all);
    if (!later && third)
        *(uint32_t *)third = (uint32_t)(all / (g->config.warps / warps));
    return VX_SUCCESS;
}

enum vx_result device_grid(vx_device_h device, uint32_t ndim, const uint32_t *global_dim,
                           uint32_t *grid_dim, uint32_t *block_dim, struct wt_error *err)
{
    const struct gpu *g = gpu_of(device, err);
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!ndim || ndim > 3 || !global_dim || !grid_dim || !block_dim)
        return call_fail(err, VX_ERR_INVALID_VALUE,
                         "%u dimensions, 1 to 3 are wanted, and places for them", ndim);
    const uint32_t threads = g->config.threads, warps = g->config.warps;
    const uint32_t natural[] = {ndim == 1 ? threads * warps : threads, warps, 1};
    for (uint32_t i = 0; i < ndim; i++) {
        block_dim[i] = natural[i];
        grid_dim[i] = (uint32_t)(((uint64_t)global_dim[i] + natural[i] - 1) / natural[i]);
    }
    return VX_SUCCESS;
}

API(vx_max_occupancy_grid, "%p, %u", (vx_device_h, device), (uint32_t, ndim),
    (const uint32_t *, global_dim, ), (uint32_t *, grid_dim, ), (uint32_t *, block_dim, ))
{
    return device_grid(device, ndim, global_dim, grid_dim, block_dim, err);
}

/* Counters that only a pipeline has: the lines of upstream's class 1. `of` is the core, or nothing.
 */
static void print_pipeline(FILE *out, const char *of)
{
    static const char *const lines[] = {
        "scheduler: idle=0%, occupancy=0.0 (0%), simt_util=0.0 (0%)",
        "stalls: fetch=0%, ibuf=0%, scrb=0%, opds=0%, alu=0%, lsu=0%, sfu=0%, fpu=0%",
        "inst_mix: alu=0%, lsu=0%, sfu=0%, fpu=0%",
        "branches: total=0, divergent=0 (rate=0%)",
        "memory: ifetch_lat=0.00, load_lat=0.00, loads=0, stores=0",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        fprintf(out, "PERF: %s%s (not modelled)\n", of, lines[i]);
}

static void print_perf(FILE *out, const char *of, uint64_t issues, uint64_t cycles)
{
    fprintf(out, "PERF: %sinstrs=%" PRIu64 ", cycles=%" PRIu64 ", IPC=%.3f\n", of, issues, cycles,
            (double)issues / (double)(cycles ? cycles : 1));
}

enum vx_result device_perf(vx_device_h device, FILE *out, struct wt_error *err)
{
    struct gpu *g = gpu_of(device, err);
    uint64_t all = 0;
    if (!g)
        return VX_ERR_INVALID_HANDLE;
    if (!out)
        out = stdout;
    const char *profiling = getenv("VORTEX_PROFILING");
    const int class = profiling ? atoi(profiling) : 0;
    const unsigned cores = g->config.clusters * g->config.cores;
    gpu_enter(g);
    for (unsigned i = 0; i < cores; i++) {
        const uint64_t issues = vx_device_issues(g->device, i);
        char of[32];
        snprintf(of, sizeof of, "core%u: ", i);
        all += issues;
        if (cores > 1 && class == 1)
            print_pipeline(out, of);
        if (cores > 1)
            print_perf(out, of, issues, g->cycles);
    }
    if (class == 1)
        print_pipeline(out, "");
    else if (class)
        fprintf(out, "PERF: counters of class %d: not modelled\n", class);
    print_perf(out, "", all, g->cycles);
    gpu_leave(g);
    return VX_SUCCESS;
}

API(vx_dump_perf, "%p, %p", (vx_device_h, device), (FILE *, out))
{
    return device_perf(device, out, err);
}
