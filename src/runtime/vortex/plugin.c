/*
 * libvortex-wavetrap.so: a driver of upstream's libvortex.so of Vortex 3.0
 * (VORTEX_DRIVER=wavetrap). Upstream's library has the functions that programs call, allocates
 * device memory and prints the console; it reaches the device by the six functions here.
 * (sw/runtime/common/callbacks.h.)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/machine.h"
#include "emulator/vortex/launch.h"
#include "runtime/common/environment.h"
#include "runtime/vortex/command.h"
#include "runtime/vortex/internal.h"

/* As upstream declares it. Each function returns 0, or something else. */
struct callbacks {
    int (*dev_open)(void **device);
    int (*dev_close)(void *device);
    int (*cp_reg_write)(void *device, uint32_t offset, uint32_t value);
    int (*cp_reg_read)(void *device, uint32_t offset, uint32_t *value);
    int (*host_mem_alloc)(void *device, uint64_t size, void **host, uint64_t *command_address);
    int (*host_mem_free)(void *device, uint64_t command_address);
};

/* Memory of the host that commands reach: the address in a command is the pointer. */
struct plugin_region {
    uint8_t *at;
    uint64_t size;
};

struct plug {
    struct gpu *gpu; /* NULL: it is not open */
    struct command_processor processor;
    struct plugin_region *region;
    size_t regions, room;
    uint64_t startup; /* startup of the latest launch, whose program was looked for; 0: of none */
};

static struct {
    pthread_mutex_t lock; /* is taken before the turn */
    struct plug plug[MOST_GPUS];
    /* For debuggers, of each device's ring: all commands, and launches that have not begun. It is
     * written where commands wait, since `lock` is held while a kernel stands. NULL: none wait. */
    char *told[MOST_GPUS][2];
    pthread_mutex_t told_lock; /* guards `told`; is taken last */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .told_lock = PTHREAD_MUTEX_INITIALIZER};

static int fail(const char *by, const struct wt_error *err)
{
    wt_say_once("libvortex-wavetrap: %s: %.400s", by, err->text);
    return -1;
}

/* ---- memory ---- */

static const struct plugin_region *region_at(const struct plug *p, uint64_t addr)
{
    for (size_t i = 0; i < p->regions; i++)
        if (addr - (uintptr_t)p->region[i].at < p->region[i].size)
            return &p->region[i];
    return NULL;
}

/* Where a command's address leads: *host is in the host's memory, or NULL: it is the device's. */
static bool find(const struct plug *p, uint64_t addr, uint64_t size, uint8_t **host,
                 struct wt_error *err)
{
    const struct plugin_region *r = region_at(p, addr);
    const uint64_t end = UINT64_C(1) << (p->gpu->config.xlen == 64 ? 48 : 32);
    *host = NULL;
    if (r) {
        const uint64_t offset = addr - (uintptr_t)r->at;
        *host = r->at + offset;
        if (size <= r->size - offset)
            return true;
        call_fail(err, VX_ERR_INVALID_VALUE,
                  "0x%" PRIx64 " bytes at 0x%" PRIx64 ": the host's memory there has 0x%" PRIx64,
                  size, addr, r->size - offset);
        return false;
    }
    if (addr < end && size <= end - addr)
        return true;
    call_fail(err, VX_ERR_INVALID_VALUE,
              "0x%" PRIx64 " bytes at 0x%" PRIx64
              ": neither memory of host_mem_alloc, nor of the device, which ends at 0x%" PRIx64,
              size, addr, end);
    return false;
}

static bool done(bool is, uint64_t size, struct wt_error *err)
{
    if (!is)
        call_fail(err, VX_ERR_OUT_OF_HOST_MEMORY, "no host memory for 0x%" PRIx64 " bytes", size);
    return is;
}

/* Another program may be there now. Entered. */
static void program_changes(struct plug *p, uint64_t addr, uint64_t size)
{
    if (p->startup && p->startup - addr < size)
        p->startup = 0;
}

static bool copy(void *context, uint64_t to, uint64_t from, uint64_t size, struct wt_error *err)
{
    struct plug *p = context;
    uint8_t *target, *source;
    if (!find(p, to, size, &target, err) || !find(p, from, size, &source, err))
        return false;
    if (target && source) {
        memmove(target, source, size);
        return true;
    }
    gpu_enter(p->gpu);
    const bool is = target   ? gpu_read(p->gpu, from, target, size)
                    : source ? gpu_write(p->gpu, to, source, size)
                             : gpu_copy(p->gpu, to, from, size);
    if (!target)
        program_changes(p, to, size);
    gpu_leave(p->gpu);
    return done(is, size, err);
}

static bool read(void *context, uint64_t addr, void *to, uint64_t size, struct wt_error *err)
{
    struct plug *p = context;
    uint8_t *host;
    if (!find(p, addr, size, &host, err))
        return false;
    if (host) {
        memcpy(to, host, size);
        return true;
    }
    gpu_enter(p->gpu);
    const bool is = gpu_read(p->gpu, addr, to, size);
    gpu_leave(p->gpu);
    return done(is, size, err);
}

static bool write(void *context, uint64_t addr, const void *from, uint64_t size,
                  struct wt_error *err)
{
    struct plug *p = context;
    uint8_t *host;
    if (!find(p, addr, size, &host, err))
        return false;
    if (host) {
        memcpy(host, from, size);
        return true;
    }
    gpu_enter(p->gpu);
    const bool is = gpu_write(p->gpu, addr, from, size);
    gpu_leave(p->gpu);
    return done(is, size, err);
}

/* ---- the device ---- */

static bool write_dcr(void *context, uint32_t addr, uint32_t value)
{
    struct plug *p = context;
    gpu_enter(p->gpu);
    const bool is = gpu_write_dcr(p->gpu, addr, value);
    gpu_leave(p->gpu);
    return is;
}

/* Reading CACHE_FLUSH writes caches back, of which there are none. */
static bool read_dcr(void *context, uint32_t addr, uint32_t tag, uint32_t *value)
{
    struct plug *p = context;
    gpu_enter(p->gpu);
    const bool is = gpu_read_dcr(p->gpu, addr, tag, value);
    gpu_leave(p->gpu);
    return is;
}

/* ---- what debuggers are told ---- */

/* Memory of the device cannot be read here: a kernel that was started would run for it. */
static bool read_host(void *context, uint64_t addr, void *to, uint64_t size, struct wt_error *err)
{
    uint8_t *host;
    const bool is = find(context, addr, size, &host, err) && host;
    if (is)
        memcpy(to, host, size);
    return is;
}

/* Keeps what the ring has, if something of it waits. Locked. */
static void tell_later(const struct plug *p)
{
    char **told = all.told[p - all.plug];
    static const struct command_target peek = {.read = read_host};
    struct command_processor ahead = p->processor;
    char *text[2] = {NULL, NULL};
    ahead.target = &peek;
    for (unsigned launches = 0; launches < 2 && ahead.head < ahead.tail; launches++) {
        size_t size;
        FILE *out = open_memstream(&text[launches], &size);
        if (!out)
            continue;
        command_tell(&ahead, launches, out);
        fclose(out);
    }
    pthread_mutex_lock(&all.told_lock);
    for (unsigned i = 0; i < 2; i++) {
        free(told[i]);
        told[i] = text[i];
    }
    pthread_mutex_unlock(&all.told_lock);
}

static void tell_debugger(bool launches, FILE *out)
{
    pthread_mutex_lock(&all.told_lock);
    for (unsigned i = 0; i < MOST_GPUS; i++) {
        const char *text = all.told[i][launches];
        if (text && *text && gpu_count() > 1)
            fprintf(out, "device %u, ", i);
        if (text)
            fputs(text, out);
    }
    pthread_mutex_unlock(&all.told_lock);
}

static void begin(void *context)
{
    struct plug *p = context;
    tell_later(p);
    struct vx_launch launch;
    char name[32];
    gpu_enter(p->gpu);
    vx_device_launch_registers(p->gpu->device, &launch);
    if (launch.startup != p->startup)
        plugin_program_find(p->gpu, launch.startup);
    p->startup = launch.startup;
    snprintf(name, sizeof name, "0x%" PRIx64, launch.entry ? launch.entry : launch.startup);
    start_kernel(p->gpu, name);
    gpu_leave(p->gpu);
}

/* For as long as upstream's library can wait for the answer to one access. */
static enum command_result run(void *context, struct wt_error *err)
{
    enum { SLICE_MS = 20 };
    struct plug *p = context;
    turn_take();
    /* A debugger may have let it end. */
    const enum vx_result result = p->gpu->started ? run_kernel(p->gpu, SLICE_MS, err) : VX_SUCCESS;
    turn_give();
    return result == VX_SUCCESS           ? COMMAND_DONE
           : result == VX_ERR_TIMEOUT     ? COMMAND_WAITS
           : result == VX_ERR_DEVICE_LOST ? COMMAND_FAULT
                                          : COMMAND_REFUSED;
}

static void abandon(void *context)
{
    struct gpu *g = ((struct plug *)context)->gpu;
    turn_take();
    wt_gate_enter(gpu_gate());
    if (g->begun)
        wt_gate_ended(gpu_gate());
    gpu_do(g, vx_do_abandon, NULL, 0);
    g->started = g->begun = false;
    wt_gate_leave(gpu_gate());
    turn_give();
}

static uint64_t cycle(void *context)
{
    struct gpu *g = ((struct plug *)context)->gpu;
    wt_gate_enter(gpu_gate());
    const uint64_t time = g->machine->time;
    wt_gate_leave(gpu_gate());
    return time;
}

static void note(void *context, const char *name, const char *text)
{
    call_begin(name);
    if (call_logged())
        call_note("%s", text);
}

static const struct command_target target = {.read = read,
                                             .write = write,
                                             .copy = copy,
                                             .write_dcr = write_dcr,
                                             .read_dcr = read_dcr,
                                             .begin = begin,
                                             .run = run,
                                             .abandon = abandon,
                                             .cycle = cycle,
                                             .note = note};

/* ---- the six functions ---- */

/* A device's handle, which is that of an open one. Locked. */
static struct plug *plug_of(const void *device, const char *by)
{
    struct wt_error err;
    for (unsigned i = 0; i < MOST_GPUS; i++)
        if (device == &all.plug[i] && all.plug[i].gpu)
            return &all.plug[i];
    call_fail(&err, VX_ERR_INVALID_HANDLE, "%p is not a device that is open", device);
    fail(by, &err);
    return NULL;
}

static enum vx_result open_one(struct plug **opened, struct wt_error *err)
{
    const enum vx_result result = gpus_open(err);
    unsigned i = 0;
    if (result)
        return result;
    while (i < gpu_count() && all.plug[i].gpu)
        i++;
    if (i == gpu_count())
        return call_fail(err, VX_ERR_DEVICE_LOST,
                         "all %u devices are open: give -g vortex once more", i);
    struct plug *p = *opened = &all.plug[i];
    struct gpu *g = p->gpu = gpu_at(i);
    const uint64_t end = gpu_memory_end(g);
    p->processor = (struct command_processor){.target = &target,
                                              .context = p,
                                              .device_caps = plugin_caps(&g->config),
                                              .isa_caps = gpu_isa_flags(g) | VX_ISA_EXT_ZICOND,
                                              .cores = g->config.clusters * g->config.cores};
    command_reset(&p->processor);
    endpoint_queues_by(tell_debugger);
    /* Which parts of it are the program's, upstream's library does not tell. */
    wt_object_variable(g->machine, MEMORY_FIRST, end - MEMORY_FIRST,
                       "memory that the program's libvortex.so allocates", false);
    return VX_SUCCESS;
}

static int dev_open(void **device)
{
    struct wt_error err = {.text = "no place for the handle"};
    struct plug *p = NULL;
    pthread_mutex_lock(&all.lock);
    const bool opened = device && !open_one(&p, &err);
    pthread_mutex_unlock(&all.lock);
    if (!opened)
        return fail("dev_open", &err);
    *device = p;
    return 0;
}

static int dev_close(void *device)
{
    pthread_mutex_lock(&all.lock);
    struct plug *p = plug_of(device, "dev_close");
    if (p) {
        command_reset(&p->processor);
        gpu_enter(p->gpu);
        plugin_program_forget(p->gpu);
        gpu_leave(p->gpu);
        wt_object_freed(p->gpu->machine, MEMORY_FIRST, "dev_close");
        for (size_t i = 0; i < p->regions; i++)
            free(p->region[i].at);
        free(p->region);
        tell_later(p);
        *p = (struct plug){.gpu = NULL};
    }
    pthread_mutex_unlock(&all.lock);
    return p ? 0 : -1;
}

/* The cause that stopped the queue was said then, and a fault of a kernel has a report of its own.
 */
static int answer(enum command_result result, const char *by, const struct wt_error *err)
{
    return result == COMMAND_REFUSED ? fail(by, err) : result == COMMAND_DONE ? 0 : -1;
}

static int cp_reg_write(void *device, uint32_t offset, uint32_t value)
{
    struct wt_error err = {.text = ""};
    pthread_mutex_lock(&all.lock);
    struct plug *p = plug_of(device, "cp_reg_write");
    const int result =
        p ? answer(command_register_write(&p->processor, offset, value, &err), "cp_reg_write", &err)
          : -1;
    if (p && !p->processor.launched)
        tell_later(p);
    pthread_mutex_unlock(&all.lock);
    return result;
}

static int cp_reg_read(void *device, uint32_t offset, uint32_t *value)
{
    struct wt_error err = {.text = "no place for the value"};
    if (!value)
        return fail("cp_reg_read", &err);
    pthread_mutex_lock(&all.lock);
    struct plug *p = plug_of(device, "cp_reg_read");
    const int result =
        p ? answer(command_register_read(&p->processor, offset, value, &err), "cp_reg_read", &err)
          : -1;
    if (p && !p->processor.launched)
        tell_later(p);
    pthread_mutex_unlock(&all.lock);
    return result;
}

static bool add_region(struct plug *p, uint64_t size, uint8_t **at)
{
    const uint64_t whole = (size + COMMAND_LINE - 1) / COMMAND_LINE * COMMAND_LINE;
    struct plugin_region *grown = wt_array_grow(p->region, &p->room, p->regions + 1, sizeof *grown);
    if (grown)
        p->region = grown;
    *at = grown && whole >= size ? aligned_alloc(COMMAND_LINE, whole) : NULL;
    if (*at)
        p->region[p->regions++] = (struct plugin_region){*at, size};
    return *at;
}

static int host_mem_alloc(void *device, uint64_t size, void **host, uint64_t *command_address)
{
    struct wt_error err;
    uint8_t *at = NULL;
    pthread_mutex_lock(&all.lock);
    struct plug *p = plug_of(device, "host_mem_alloc");
    const bool made = p && size && host && command_address && add_region(p, size, &at);
    pthread_mutex_unlock(&all.lock);
    if (!p)
        return -1;
    if (!made) {
        call_fail(&err, VX_ERR_INVALID_VALUE,
                  size && host && command_address ? "no host memory for 0x%" PRIx64 " bytes"
                                                  : "0x%" PRIx64 " bytes, or no place for them",
                  size);
        return fail("host_mem_alloc", &err);
    }
    *host = at;
    *command_address = (uintptr_t)at;
    return 0;
}

static int host_mem_free(void *device, uint64_t command_address)
{
    struct wt_error err;
    bool is = false;
    pthread_mutex_lock(&all.lock);
    struct plug *p = plug_of(device, "host_mem_free");
    for (size_t i = 0; p && i < p->regions && !is; i++) {
        is = (uintptr_t)p->region[i].at == command_address;
        if (is) {
            free(p->region[i].at);
            p->region[i] = p->region[--p->regions];
        }
    }
    pthread_mutex_unlock(&all.lock);
    if (is || !p)
        return is ? 0 : -1;
    call_fail(&err, VX_ERR_INVALID_HANDLE, "0x%" PRIx64 " is not memory of host_mem_alloc",
              command_address);
    return fail("host_mem_free", &err);
}

/** Fills the table of upstream's dispatcher: 0, or -1 without a table. */
EXPORT int vx_dev_init(struct callbacks *callbacks);
EXPORT int vx_dev_init(struct callbacks *callbacks)
{
    if (!callbacks)
        return -1;
    *callbacks = (struct callbacks){.dev_open = dev_open,
                                    .dev_close = dev_close,
                                    .cp_reg_write = cp_reg_write,
                                    .cp_reg_read = cp_reg_read,
                                    .host_mem_alloc = host_mem_alloc,
                                    .host_mem_free = host_mem_free};
    return 0;
}
