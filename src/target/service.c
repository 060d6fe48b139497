/* An emulated device as a debugger's target: its debug registers and its services. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "check/init.h"
#include "check/objects.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/wave_state.h"
#include "target/core_file.h"
#include "target/history.h"
#include "target/local_link.h"
#include "target/watches.h"

static uint32_t bus_read(void *context, uint32_t addr)
{
    struct wt_emulated *e = context;
    if (!e->reads_change_state)
        return e->machine->ops->debug_read(e->machine, addr);
    return wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_DEBUG_READ, .addr = addr});
}

static void bus_write(void *context, uint32_t addr, uint32_t value)
{
    wt_emulated_input(
        context, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE, .addr = addr, .value = value});
}

static enum wt_pump pump(void *context, uint64_t budget)
{
    struct wt_emulated *e = context;
    uint64_t before = e->machine->time;
    enum wt_run run = wt_emulated_run(e, budget);
    bool advanced = e->machine->time != before;
    bool new_fault = run == WT_RUN_FAULT && !e->fault_reported;
    e->fault_reported = run == WT_RUN_FAULT;
    if (run == WT_RUN_ENDED)
        wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_FLUSH_CONSOLE});
    if (run == WT_RUN_BUDGET)
        return WT_PUMP_RAN;
    return run == WT_RUN_EVENT || run == WT_RUN_WATCH || advanced || new_fault ? WT_PUMP_EVENT
                                                                               : WT_PUMP_IDLE;
}

/* The machine's addresses are addresses of space 0. */
static bool read_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                        void *out, size_t size)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    return addr.space == 0 && m->ops->read_memory(m, wave, lane, addr.offset, out, size);
}

static bool write_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                         const void *bytes, size_t size)
{
    const struct wt_input input = {.kind = WT_INPUT_MEMORY,
                                   .wave = wave,
                                   .lane = lane,
                                   .addr = addr.offset,
                                   .bytes = bytes,
                                   .size = size};
    return addr.space == 0 && wt_emulated_input(context, &input);
}

static bool wave_detail(void *context, uint32_t wave, wt_wave_id id, struct wt_wave_detail *detail)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    *detail = (struct wt_wave_detail){0};
    if (wt_machine_wave_id(m, wave) != id)
        return false;
    m->ops->view(m, wave, &detail->view);
    for (unsigned i = detail->view.depth; i-- > 0 && detail->waiter_count < WT_MAX_LANES;) {
        struct wt_divergence entry;
        if (m->ops->divergence(m, wave, i, &entry) && entry.other)
            detail->waiter[detail->waiter_count++] =
                (struct wt_wave_waiters){.lanes = entry.other, .pc = entry.pc};
    }
    return true;
}

static uint64_t wave_state(void *context, uint32_t wave, wt_wave_id id)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    return wt_machine_wave_id(m, wave) == id ? wt_wave_state_now(m, wave) : 0;
}

static const struct wt_fault *fault(void *context)
{
    struct wt_emulated *e = context;
    struct wt_fault *f = &e->machine->fault;
    return f->kind != WT_FAULT_NONE ? wt_emulated_fault(e, f->wave) : NULL;
}

static size_t objects(void *context, wt_wave_handle wave, uint64_t addr,
                      struct wt_object_view *list)
{
    return wt_object_views(((const struct wt_emulated *)context)->machine, addr, list);
}

static bool defined(void *context, wt_wave_handle wave, const struct wt_defined_request *request,
                    struct wt_defined_view *view)
{
    wt_check_init_tell(((const struct wt_emulated *)context)->machine, wave, request, view);
    return true;
}

static bool wave_fault(void *context, uint32_t wave, wt_wave_id id, struct wt_fault *out)
{
    const struct wt_fault *f = wt_emulated_fault(context, wave);
    const bool its = f && f->id == id;
    if (its)
        *out = *f;
    return its;
}

static void clear_fault(void *context)
{
    struct wt_emulated *e = context;
    if (e->machine->fault.kind)
        wt_emulated_input(e, &(struct wt_input){.kind = WT_INPUT_CLEAR_FAULT});
    e->fault_reported = false;
}

static enum wt_status reload(void *context, struct wt_error *err)
{
    enum wt_status status = wt_emulated_load(context, err);
    return status ? status : wt_emulated_history_restart(context, err);
}

static enum wt_status save_core_file(void *context, const struct wt_core_file_request *request,
                                     struct wt_error *err)
{
    return wt_core_file_write(context, request, err);
}

static wt_wave_id wave_id(void *context, wt_wave_handle wave)
{
    return wt_machine_wave_id(((struct wt_emulated *)context)->machine, wave);
}

static uint64_t home(void *context, wt_wave_handle wave, wt_wave_id id, struct wt_address addr)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    return wt_machine_wave_id(m, wave) == id ? m->ops->home(m, wave, addr.offset) : 0;
}

static uint64_t issue_time(void *context)
{
    return ((struct wt_emulated *)context)->machine->time;
}

static bool read_row(void *context, uint32_t wave, unsigned number, bool per_lane, unsigned size,
                     void *row)
{
    struct wt_machine *m = ((struct wt_emulated *)context)->machine;
    struct wt_register_shape reg;
    uint8_t values[WT_ROW_BYTES], *to = row;
    if (!m->ops->describe_register(m, number, &reg))
        return false;
    if (reg.bytes == size && reg.per_lane == per_lane)
        return m->ops->read_row(m, wave, number, row);
    if (!m->ops->read_row(m, wave, number, values))
        return false;
    memset(row, 0, (size_t)size * (per_lane ? m->lanes : 1));
    for (unsigned lane = 0; lane < (per_lane ? m->lanes : 1); lane++, to += size)
        memcpy(to, values + (reg.per_lane ? (size_t)lane * reg.bytes : 0),
               size < reg.bytes ? size : reg.bytes);
    return true;
}

static const struct wt_target_services services = {
    .pump = pump,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .read_row = read_row,
    .wave_detail = wave_detail,
    .wave_state = wave_state,
    .fault = fault,
    .wave_fault = wave_fault,
    .objects = objects,
    .clear_fault = clear_fault,
    .reload = reload,
    .wave_id = wave_id,
    .home = home,
    .defined = defined,
    .time = issue_time,
    .set_watchpoints = wt_emulated_set_watchpoints,
    .watchpoint_hits = wt_emulated_watchpoint_hits,
    .save_core_file = save_core_file,
};

/* The services for hardware are only those that run the emulator: a fault means that the emulator
 * cannot go on. */
static const struct wt_target_services hardware_services = {
    .pump = pump,
    .fault = fault,
    .clear_fault = clear_fault,
    .reload = reload,
};

struct wt_bus_device wt_emulated_registers(struct wt_emulated *e)
{
    return (struct wt_bus_device){.context = e, .read = bus_read, .write = bus_write};
}

const struct wt_target *wt_emulated_target(struct wt_emulated *e)
{
    if (e->target.services)
        return &e->target;
    e->services = services;
    if (e->timeline)
        e->services.history = &wt_emulated_history;
    if (e->core_file)
        e->services.reload = NULL; /* there is no program to restart */
    e->target = (struct wt_target){.services = &e->services,
                                   .context = e,
                                   .first_device = e->machine->device,
                                   .first_core = e->machine->first_core};
    return &e->target;
}

enum wt_status wt_emulated_connect(struct wt_emulated *e, struct wt_error *err)
{
    const struct wt_bus_device device = wt_emulated_registers(e);
    e->bus = wt_bus_local(&device);
    return e->bus ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

enum wt_status wt_emulated_attach(struct wt_emulated *e, struct wt_error *err)
{
    enum wt_status status;
    const struct wt_family_debug *family = &e->family->debug;
    assert(family->probe);
    wt_emulated_target(e);
    if ((status = wt_emulated_connect(e, err)) != WT_OK)
        return status;
    if (family->unit_waves) {
        e->link = wt_family_link(family, e->machine->waves / family->unit_waves);
        e->link.ops = &wt_local_link;
        e->link.context = e;
        e->target.link = &e->link;
    }
    if (family->attach)
        family->attach(e);
    return WT_OK;
}

enum wt_status wt_emulated_debug(struct wt_emulated *e,
                                 void (*output)(void *context, const char *text, size_t length),
                                 void *output_context, struct wt_error *err)
{
    const bool hw_only = e->options->hw_only;
    const struct wt_debugger_options options = {.dm_only = e->options->dm_only || hw_only,
                                                .threads = e->options->threads,
                                                .unrecorded = !e->options->history_memory,
                                                .output = output,
                                                .context = output_context};
    enum wt_status status;
    if ((status = wt_emulated_attach(e, err)) != WT_OK)
        return status;
    if (hw_only)
        e->services = hardware_services;
    else if (e->options->history_memory && !e->timeline &&
             (status = wt_emulated_history_start(e, err)) != WT_OK)
        return status;
    if ((status = wt_debugger_open(&e->target, e->family->debug.probe, &options, &e->debugger,
                                   err)) != WT_OK)
        return status;
    status = e->core_file ? wt_core_file_debug(e, err) : wt_debugger_reset(e->debugger, err);
    if (status != WT_OK) {
        wt_debugger_close(e->debugger);
        e->debugger = NULL;
    }
    return status;
}
