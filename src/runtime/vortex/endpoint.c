/* Debuggers of the process: the driver of its endpoint, recordings and core files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "emulator/machine/archive_parts.h"
#include "emulator/vortex/profile.h"
#include "object/vortex_wire.h"
#include "runtime/common/armed.h"
#include "runtime/common/serve.h"
#include "runtime/vortex/internal.h"

/* ---- recordings and core files ---- */

static bool has_kernels(void *gpu)
{
    return ((struct gpu *)gpu)->machine->active;
}

static bool has_exception(void *gpu)
{
    return wt_gate_has_news(gpu_gate());
}

static void name(void *gpu, char *text, size_t size)
{
    snprintf(text, size, "vortex (GPU %u)", ((const struct gpu *)gpu)->number);
}

const struct wt_recording_ops vortex_recording_ops = {
    .lasts = true, .has_kernels = has_kernels, .has_exception = has_exception, .name = name};

static void write_modules(void *context, struct wt_core_writer *w, struct wt_archive *a)
{
    const struct gpu *g = context;
    state_lock();
    for (const struct buffer *b = g->buffers; b; b = b->next) {
        uint8_t *bytes;
        size_t length;
        if (!b->program.elf || wt_file_read(b->program.elf, &bytes, &length, WT_IGNORED))
            continue;
        wt_host_core_module(w, a, b->program.elf, 0, bytes, length);
        free(bytes);
    }
    state_unlock();
}

const struct wt_host_core_ops vortex_core_ops = {.family = "vortex",
                                                 .profile = {.begins_alone = true},
                                                 .table = &vx_config_table,
                                                 .modules = write_modules,
                                                 .operations = vx_operations};

/* ---- the debugger's requests ---- */

static void hello(void *context, struct wt_wire_hello *hello, uint64_t *code)
{
    const struct gpu *first = gpu_at(0);
    for (unsigned i = 0; i < gpu_count(); i++)
        hello->units[i] = gpu_at(i)->config.clusters * gpu_at(i)->config.cores;
    hello->place[2] = first->config.threads;
    hello->place[0] = first->config.xlen;
    hello->place[1] = first->config.exit_addr;
    hello->place[3] = first->config.profile->launch_unit;
}

static uint64_t breakpoint(void *context, const struct wt_wire_request *r, uint64_t bytes,
                           uint64_t original)
{
    enum { EBREAK = 0x00100073, C_EBREAK = 0x9002 };
    return r->follows == 4 && bytes == EBREAK     ? UINT32_MAX
           : r->follows == 2 && bytes == C_EBREAK ? UINT16_MAX
                                                  : 0;
}

/* Sets all warps going, and puts the Debug Module to sleep (VxDebug specification, DSELECT, WMASK,
 * DCTRL). */
static void let_go(void *context)
{
    const uint32_t active = UINT32_C(1) << 31, resume = UINT32_C(1) << 1;
    for (unsigned i = 0; i < gpu_count(); i++) {
        struct vx_device *d = gpu_at(i)->device;
        for (uint32_t window = 0; window < (gpu_at(i)->machine->waves + 31) / 32; window++) {
            vx_dm_write(d, VX_DM_DSELECT, window << 22);
            vx_dm_write(d, VX_DM_WMASK, UINT32_MAX);
        }
        vx_dm_write(d, VX_DM_DCTRL, active | resume);
        vx_dm_write(d, VX_DM_DCTRL, 0);
    }
}

/* ---- memory after the end ---- */

static bool next_buffer(void *context, unsigned gpu, uint64_t from, uint64_t *addr, uint64_t *size)
{
    const struct gpu *g = context;
    state_lock();
    const struct buffer *b = g->buffers;
    while (b && b->addr + b->size <= from)
        b = b->next;
    if (b) {
        *addr = b->addr > from ? b->addr : from;
        *size = b->addr + b->size - *addr;
    }
    state_unlock();
    return b;
}

static bool read_buffer(void *context, uint64_t addr, uint8_t *bytes, size_t size)
{
    return gpu_read(context, addr, bytes, size);
}

static size_t next_final(void *context, uint32_t device, uint64_t from, uint8_t *bytes, size_t room)
{
    const struct wt_final_ops ops = {gpu_count(), next_buffer, read_buffer};
    return wt_final_next(gpu_final(), &ops, gpu_at(device), from, bytes, room);
}

static void list_programs(const struct gpu *g, struct wt_wire_answer *answer, uint8_t *bytes)
{
    state_lock();
    for (const struct buffer *b = g->buffers; b; b = b->next) {
        struct vortex_wire_program one = {.id = b->program.id,
                                          .addr = b->addr,
                                          .size = b->size,
                                          .device = g->number,
                                          .has_elf = b->program.elf != NULL};
        if (!one.id || answer->size + sizeof one > WT_WIRE_MOST)
            continue;
        snprintf(one.name, sizeof one.name, "%s",
                 b->program.elf    ? b->program.elf
                 : b->program.path ? b->program.path
                                   : "kernel");
        memcpy(bytes + answer->size, &one, sizeof one);
        answer->size += sizeof one;
    }
    state_unlock();
}

static int32_t read_elf(const struct wt_wire_request *r, struct wt_wire_answer *answer,
                        uint8_t *bytes)
{
    uint8_t *file;
    size_t length;
    char path[4096] = "";
    state_lock();
    for (unsigned i = 0; i < gpu_count(); i++)
        for (const struct buffer *b = gpu_at(i)->buffers; b; b = b->next)
            if (b->program.id && b->program.id == r->addr && b->program.elf)
                snprintf(path, sizeof path, "%s", b->program.elf);
    state_unlock();
    if (!*path || wt_file_read(path, &file, &length, WT_IGNORED))
        return -ENOENT;
    const size_t left = r->value < length ? length - (size_t)r->value : 0;
    answer->size = (uint32_t)(left < r->size ? left : r->size);
    memcpy(bytes, file + (length - left), answer->size);
    free(file);
    return 0;
}

static struct gpu *running_gpu(void)
{
    for (unsigned i = 0; i < gpu_count(); i++)
        if (gpu_gate()->gpu == &gpu_at(i)->hosted)
            return gpu_at(i);
    return NULL;
}

/* Lets the kernel run that stands: one at a time does, of all GPUs. */
static int32_t run_slice(uint64_t issues)
{
    enum { MOST = 1000000 };
    struct wt_gate *gate = gpu_gate();
    struct gpu *g = running_gpu();
    if (!g)
        return VORTEX_WIRE_NOTHING;
    const uint64_t runs = gate->runs;
    g->slice = issues < 1 ? 1 : issues < MOST ? issues : MOST;
    wt_gate_poke(gate);
    wt_gate_wait(gate, WT_WIRE_WAIT_MS);
    if (gate->gpu != &g->hosted || gate->runs == runs)
        return gate->gpu ? VORTEX_WIRE_NOTHING : VORTEX_WIRE_EVENT;
    return g->came_back == WT_RUN_BUDGET   ? VORTEX_WIRE_MORE
           : g->came_back == WT_RUN_HALTED ? VORTEX_WIRE_IDLE
                                           : VORTEX_WIRE_EVENT;
}

static int32_t list_shapes(struct wt_wire_answer *answer, uint8_t *bytes)
{
    for (unsigned i = 0; i < gpu_count(); i++) {
        const struct vx_config *c = &gpu_at(i)->config;
        const struct vortex_wire_shape shape = {c->clusters * c->cores, c->warps, c->threads,
                                                c->xlen, c->profile->launch_unit};
        memcpy(bytes + answer->size, &shape, sizeof shape);
        answer->size += sizeof shape;
    }
    return 0;
}

static void go_on(struct gpu *g)
{
    struct wt_machine *m = g->machine;
    if (!m->fault.kind)
        return;
    if (g->came_back == WT_RUN_FAULT && gpu_gate()->gpu == &g->hosted)
        wt_gate_fail(gpu_gate(), &m->fault);
    else
        wt_hosted_input(&g->hosted, &(struct wt_input){.kind = WT_INPUT_CLEAR_FAULT});
}

/* A step of the Debug Module may access watched memory. In the past hits are those of a search. */
static uint32_t input(void *context, uint32_t device, const struct wt_input *in)
{
    struct gpu *g = gpu_at(device);
    const uint32_t value = wt_hosted_input(&g->hosted, in);
    if (g->machine->hits && !wt_recording_is_away(g->recording) && armed_take(&g->hosted))
        watched_take(&g->watched, g->machine, NULL);
    return value;
}

static const struct wt_fault *fault(void *context, const struct wt_wire_request *r)
{
    struct wt_fault *f = &gpu_at(r->device)->machine->fault;
    return f->kind && (r->wave == UINT32_MAX || f->wave == r->wave) ? f : NULL;
}

static int32_t list_writes(const struct wt_wire_request *r, struct wt_wire_answer *answer,
                           uint8_t *bytes)
{
    struct vortex_wire_writes asked;
    bool more;
    if (r->follows != sizeof asked || r->size > WT_WIRE_MOST)
        return -EINVAL;
    memcpy(&asked, bytes, sizeof asked);
    struct wt_host_write *list = (void *)bytes;
    answer->size =
        (uint32_t)(writes_list(gpu_at(r->device), r, &asked, list, &more) * sizeof *list);
    answer->value[0] = more;
    return 0;
}

static _Atomic(void (*)(bool launches, FILE *out)) queues_by; /* NULL: there are none */

void endpoint_queues_by(void (*tell)(bool launches, FILE *out))
{
    queues_by = tell;
}

static void tell_queues(void *context, bool launches, FILE *out)
{
    void (*const tell)(bool launches, FILE *out) = queues_by;
    if (tell)
        tell(launches, out);
}

static int32_t own(void *context, const struct wt_wire_request *r, struct wt_wire_answer *answer,
                   uint8_t *bytes)
{
    struct wt_gate *gate = gpu_gate();
    switch ((enum vortex_wire_verb)r->verb) {
    case VORTEX_WIRE_PROGRAMS:
        answer->value[0] = gate->code;
        for (unsigned i = 0; i < gpu_count(); i++)
            list_programs(gpu_at(i), answer, bytes);
        return 0;
    case VORTEX_WIRE_ELF:
        return read_elf(r, answer, bytes);
    case VORTEX_WIRE_RUN:
        return run_slice(r->value);
    case VORTEX_WIRE_GO_ON:
        for (unsigned i = 0; i < gpu_count(); i++)
            go_on(gpu_at(i));
        return 0;
    case VORTEX_WIRE_SHAPES:
        return list_shapes(answer, bytes);
    case VORTEX_WIRE_ID:
        answer->value[0] = r->wave < gpu_at(r->device)->machine->waves
                               ? wt_machine_wave_id(gpu_at(r->device)->machine, r->wave)
                               : 0;
        return 0;
    case VORTEX_WIRE_WRITES:
        return list_writes(r, answer, bytes);
    case VORTEX_WIRE_WORK:
        answer->size = sizeof(struct vortex_work);
        return r->wave < gpu_at(r->device)->machine->waves &&
                       vx_device_work(gpu_at(r->device)->device, r->wave, (void *)bytes)
                   ? 0
                   : -ENOENT;
    default:
        return -ENOSYS;
    }
}

static void forked(void)
{
    wt_gate_forget(gpu_gate());
}

static const struct wt_server_driver driver = {.kind = VORTEX_WIRE_SOCKET,
                                               .family = VORTEX_WIRE_FAMILY,
                                               .let_go = let_go,
                                               .forked = forked,
                                               .hello = hello,
                                               .breakpoint = breakpoint,
                                               .final_next = next_final,
                                               .goes_on_request = true,
                                               .changes = true,
                                               .input = input,
                                               .fault = fault,
                                               .queues = tell_queues,
                                               .tells_waiters = true,
                                               .own = own};

void endpoint_start(void)
{
    struct wt_hosted *hosted[MOST_GPUS];
    for (unsigned i = 0; i < gpu_count(); i++)
        hosted[i] = &gpu_at(i)->hosted;
    wt_server_start(&driver, NULL, gpu_gate(), hosted, gpu_count(), 0);
}
