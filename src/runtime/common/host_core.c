/* See host_core.h. */
#include "runtime/common/host_core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "emulator/machine/archive_parts.h"
#include "emulator/machine/config.h"
#include "object/core_wire.h"
#include "runtime/common/checked.h"
#include "runtime/common/environment.h"
#include "runtime/common/own_memory.h"

static void describe(struct wt_hosted *gpu, const struct wt_host_core *core,
                     struct wt_core_device *d)
{
    const ssize_t length = readlink("/proc/self/exe", d->program, sizeof d->program - 1);
    d->program[length > 0 ? length : 0] = 0;
    snprintf(d->family, sizeof d->family, "%s", gpu->core->family);
    wt_config_print(gpu->core->table, gpu->machine->config, d->config, sizeof d->config);
    snprintf(d->reason, sizeof d->reason, "%s", core->reason);
    d->wave = core->wave;
    d->lane = core->lane;
}

void wt_host_core_module(struct wt_core_writer *w, struct wt_archive *a, const char *name,
                         uint64_t bias, const uint8_t *bytes, size_t length)
{
    struct wt_core_module module = {.bias = bias, .bytes = bytes, .length = length};
    snprintf(module.name, sizeof module.name, "%s", name);
    wt_core_begin_section(w, "MODL");
    wt_core_module(a, &module);
    wt_core_end_section(w);
}

/* ---- the state ---- */

static bool read_page(struct wt_hosted *gpu, uint64_t addr, uint8_t *bytes, size_t size)
{
    struct wt_machine *m = gpu->machine;
    if (!wt_recording_has_page(gpu->recording, addr))
        return gpu->core->read_process ? gpu->core->read_process(gpu, addr, bytes, size)
                                       : wt_own_memory_read(addr, bytes, size);
    return gpu->core->read_page ? gpu->core->read_page(m, addr, bytes, size)
                                : m->ops->read_memory(m, 0, 0, addr, bytes, size);
}

bool wt_hosted_read_plain(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    const struct wt_hosted *gpu = context;
    if (!wt_own_memory_read(addr, bytes, size))
        return false;
    wt_planted_lift(gpu->planted, addr, bytes, size);
    return true;
}

static bool archive(struct wt_hosted *gpu, struct wt_archive *a,
                    const struct wt_host_archive *in_host)
{
    return gpu->core->archive ? gpu->core->archive(gpu->machine, a, in_host)
                              : wt_archive_mapped(gpu->machine, a, in_host);
}

/* Memory as the GPU has it at the timeline's time. */
static bool read_recorded(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        const size_t room = (size_t)(WT_PAGE_SIZE - (addr + done) % WT_PAGE_SIZE);
        part = size - done < room ? size - done : room;
        if (!read_page(context, addr + done, bytes + done, part))
            return false;
    }
    return true;
}

/* The state of a recorded machine. */
static void write_recorded(struct wt_machine *m, struct wt_archive *a)
{
    struct wt_hosted *gpu = wt_recording_gpu_of(m->process.copy);
    struct wt_host_archive in_host = {.read = read_recorded, .context = gpu};
    if (!wt_recording_shared_pages(gpu->recording, &in_host.shared) || !archive(gpu, a, &in_host))
        wt_archive_fail(a, "the program has no host memory for that");
    wt_shared_pages_free(&in_host.shared);
}

static enum wt_status write_state(struct wt_hosted *gpu, uint64_t issues, struct wt_archive *a,
                                  struct wt_error *err)
{
    const struct wt_host_archive in_host = {
        .read = gpu->core->read ? gpu->core->read : wt_hosted_read_plain, .context = gpu};
    const bool hosted = gpu->machine->process.hosted;
    bool past = false;
    if (wt_recording_on(gpu->recording))
        return wt_recording_archive(gpu->recording, issues,
                                    hosted ? write_recorded : wt_archive_whole_machine,
                                    gpu->core->operations, a, err);
    wt_archive_bool(a, &past);
    if (!hosted) { /* it has memory of its own */
        wt_archive_whole_machine(gpu->machine, a);
        return WT_OK;
    }
    return archive(gpu, a, &in_host)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "the program has no host memory for that");
}

/* Only memory of the recorded run has the debugger's breakpoints in it. */
static enum wt_status write_file(struct wt_hosted *gpu, const struct wt_host_core *core,
                                 struct wt_error *err)
{
    struct wt_core_device device = {.wave = 0};
    struct wt_core_breakpoints breakpoints = {.count = 0};
    struct wt_core_writer w;
    enum wt_status status = wt_core_begin(&w, core->path, err);
    if (status)
        return status;
    if (wt_recording_on(gpu->recording))
        breakpoints = core->breakpoints;
    struct wt_archive a = {.out = w.out};
    describe(gpu, core, &device);
    wt_core_begin_section(&w, "DEVC");
    wt_core_device(&a, &device);
    wt_core_end_section(&w);
    if (gpu->core->modules)
        gpu->core->modules(gpu, &w, &a);
    wt_core_begin_section(&w, "PLNT");
    wt_core_breakpoints(&a, &breakpoints);
    wt_core_end_section(&w);
    wt_core_decisions(&w, &a, gpu->machine);
    wt_checked_write(&w, &a);
    wt_checked_write_objects(&w, &a, gpu->object_space);
    wt_core_begin_section(&w, "STAT");
    status = write_state(gpu, core->issues, &a, err);
    if (!status && a.failed)
        status = wt_fail(err, WT_NO_MEMORY, "%s", a.why);
    wt_core_end_section(&w);
    if (status == WT_OK)
        return wt_core_finish(&w, err);
    wt_core_give_up(&w);
    return wt_fail_in(err, "%s", core->path);
}

enum wt_status wt_host_core_write(struct wt_hosted *gpu, const struct wt_host_core *core,
                                  struct wt_error *err)
{
    return core->issues && !wt_recording_on(gpu->recording)
               ? wt_fail(err, WT_STATE, "%s: give no number of issues",
                         wt_recording_missing(gpu->recording))
               : write_file(gpu, core, err);
}

/* ---- a debugger's request ---- */

static void copy_patch(struct wt_core_patch *to, const struct wt_core_wire_patch *from)
{
    *to = (struct wt_core_patch){.addr = from->addr, .size = from->size};
    memcpy(to->bytes, from->bytes, sizeof to->bytes);
    memcpy(to->mask, from->mask, sizeof to->mask);
}

static bool take_breakpoints(struct wt_core_breakpoints *b, const uint8_t *bytes, uint32_t count,
                             size_t size)
{
    struct wt_core_wire_planted from;
    if (size % sizeof from || size / sizeof from != count)
        return false;
    b->list = calloc(count ? count : 1, sizeof *b->list);
    for (b->count = 0; b->list && b->count < count; b->count++) {
        struct wt_core_planted *to = &b->list[b->count];
        memcpy(&from, bytes + b->count * sizeof from, sizeof from);
        if (from.trap.size > sizeof from.trap.bytes || from.original.size > sizeof from.trap.bytes)
            return false;
        *to = (struct wt_core_planted){.addr = from.addr, .time = from.time};
        copy_patch(&to->trap, &from.trap);
        copy_patch(&to->original, &from.original);
    }
    return b->list;
}

bool wt_host_core_take(struct wt_host_core_request *request, const uint8_t *bytes, size_t size)
{
    *request = (struct wt_host_core_request){.bytes = NULL};
    if (size < sizeof(struct wt_core_wire) || !(request->bytes = malloc(size)))
        return false;
    struct wt_core_wire *wire = memcpy(request->bytes, bytes, size);
    wire->path[sizeof wire->path - 1] = wire->reason[sizeof wire->reason - 1] = 0;
    request->core = (struct wt_host_core){.path = wire->path,
                                          .reason = wire->reason,
                                          .wave = wire->wave,
                                          .lane = wire->lane,
                                          .issues = wire->issues};
    return take_breakpoints(&request->core.breakpoints, request->bytes + sizeof *wire,
                            wire->planted, size - sizeof *wire);
}

void wt_host_core_forget(struct wt_host_core_request *request)
{
    free(request->core.breakpoints.list);
    free(request->bytes);
}

/* ---- at a fault ---- */

void wt_core_on_fault_begin(struct wt_core_on_fault *f)
{
    const char *path = getenv(WT_CORE_VARIABLE);
    snprintf(f->path, sizeof f->path, "%s", path ? path : "");
    atomic_init(&f->due, *f->path != 0);
    f->many = strstr(f->path, "%n");
    f->history = wt_environment_number(WT_CORE_HISTORY_VARIABLE, UINT64_MAX);
}

void wt_core_on_fault_write(struct wt_core_on_fault *f, struct wt_hosted *gpu, const char *reason,
                            uint32_t wave, uint64_t lanes, FILE *out)
{
    struct wt_error err;
    static atomic_uint written; /* files of the process, whatever GPU they are of */
    char path[sizeof f->path];
    /* Later faults follow from the first one: they have files if the files have numbers. */
    if (!atomic_exchange(&f->due, f->many))
        return;
    if (wt_file_name(f->path, atomic_fetch_add(&written, 1) + 1, path, sizeof path, &err)) {
        fprintf(out, "wavetrap: --core-on-fault: %s\n", err.text);
        return;
    }
    const struct wt_host_core core = {.path = path,
                                      .reason = reason,
                                      .wave = wave,
                                      .issues = f->history,
                                      .lane = lanes ? (uint32_t)__builtin_ctzll(lanes) : 0};
    if (write_file(gpu, &core, &err) != WT_OK)
        fprintf(out, "wavetrap: --core-on-fault: %s\n", err.text);
    else
        fprintf(out, "  The state is in %s: 'wavetrap debug --core %s' opens it.\n", path, path);
}
