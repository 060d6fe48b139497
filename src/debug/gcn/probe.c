/*
 * The probe of GCN5: waves are halted, resumed and stepped through their records in the save area.
 * Between two operations queues are suspended only if nothing of them is to run. See gcn.h.
 */
#include "debug/gcn/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is told: exceptions of waves. Suspending a queue clears them. */
#define WAVE_EXCEPTIONS 0x3fu

/* ---- opening ---- */

/* Compute units and waves of all GPUs. Those of one program differ in their number of units only.
 */
static enum wt_status count_cores(struct wt_probe *p, uint32_t *cores, struct wt_error *err)
{
    *cores = 0;
    for (uint32_t i = 0; i < p->devices; i++) {
        const struct kfd_device_entry *d = &p->device[i];
        if (d->gfx_target_version / 10000 != 9)
            return wt_fail(err, WT_UNSUPPORTED,
                           "this probe knows GCN5 (gfx9), not target version %u",
                           (unsigned)d->gfx_target_version);
        if (d->max_waves_per_simd != p->device->max_waves_per_simd)
            return wt_fail(err, WT_UNSUPPORTED, "the program's GPUs differ in waves a SIMD");
        p->device_cores[i] = d->simd_count / GCN_SIMDS;
        *cores += p->device_cores[i];
    }
    return WT_OK;
}

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    const uint32_t per_core = GCN_SIMDS * p->device->max_waves_per_simd;
    uint32_t cores;
    const enum wt_status status = count_cores(p, &cores, err);
    if (status != WT_OK)
        return status;
    const uint64_t waves = (uint64_t)cores * per_core;
    if (!waves || waves > WT_MAX_WAVES)
        return wt_fail(err, WT_UNSUPPORTED, "the driver tells of room for %llu waves",
                       (unsigned long long)waves);
    p->topology = (struct wt_topology){.family = "gcn",
                                       .arch = "amdgcn:gfx900",
                                       .triple = "amdgcn-amd-amdhsa",
                                       .clusters = 1,
                                       .devices = p->devices,
                                       .device_cores = p->device_cores,
                                       .cores = cores,
                                       .waves_per_core = per_core,
                                       .waves = (uint32_t)waves,
                                       .host_launches = p->link->host_launches,
                                       .lanes = GCN_LANES,
                                       .wave_word = "wave",
                                       .lane_word = "lane",
                                       .has_grid = true,
                                       .code_granule = 4};
    gcnp_describe_spaces(p);
    p->row = calloc(p->topology.waves, sizeof *p->row);
    if (!p->row || !gcnp_describe_registers(p))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of %u waves",
                       (unsigned)p->topology.waves);
    return WT_OK;
}

static void free_probe(struct wt_probe *p)
{
    free(p->row);
    free(p->registers);
    free(p->names);
    free(p->launch);
    free(p->event);
    free(p);
}

static enum wt_status enable(struct wt_probe *p, struct wt_error *err)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_ENABLE, .arg = {WAVE_EXCEPTIONS}};
    enum wt_status status = gcnp_call(p, &call, err);
    return status == WT_STATE ? wt_fail_in(err, "another debugger has this program") : status;
}

static enum wt_status probe_open(const struct wt_target *target, bool use_memory_port,
                                 struct wt_probe **probe, struct wt_error *err)
{
    struct wt_probe *p = calloc(1, sizeof *p);
    enum wt_status status;
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->link = target->link;
    p->target = target;
    p->port = use_memory_port && target->services->read_memory && target->services->write_memory;
    if ((status = p->link->ops->devices(p->link->context, p->device, KFD_DEBUG_DEVICES, &p->devices,
                                        err)) == WT_OK &&
        (status = describe(p, err)) == WT_OK)
        status = enable(p, err);
    if (status != WT_OK) {
        free_probe(p);
        return status;
    }
    *probe = p;
    return WT_OK;
}

static void probe_close(struct wt_probe *p)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_DISABLE};
    /* Waves that this debugger has stopped go on: the driver knows them by their TTMPs. */
    gcnp_call(p, &call, WT_IGNORED);
    free_probe(p);
}

static const struct wt_topology *topology(struct wt_probe *p)
{
    return &p->topology;
}

/* ---- waves ---- */

static enum wt_status summary(struct wt_probe *p, struct wt_probe_summary *s, struct wt_error *err)
{
    (void)err;
    *s = (struct wt_probe_summary){.all_unavailable = true};
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        if (!p->row[i].present)
            continue;
        s->all_unavailable = false;
        s->any_running |= p->row[i].run;
        s->any_halted |= !p->row[i].run;
    }
    return WT_OK;
}

static void list_waves(const struct wt_probe *p, struct wt_wave_set *active,
                       struct wt_wave_set *halted)
{
    const unsigned words = (p->topology.waves + 31) / 32;
    memset(active->word, 0, words * sizeof *active->word);
    memset(halted->word, 0, words * sizeof *halted->word);
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        if (!p->row[i].present)
            continue;
        wt_wave_set_add(active, i);
        if (!p->row[i].run)
            wt_wave_set_add(halted, i);
    }
}

/* Code objects have come or gone: clients are told, and modules_known() follows. */
static enum wt_status take_code(struct wt_probe *p, const struct wt_gcn_event *event,
                                struct wt_error *err)
{
    if (!event->code || (p->code_told && event->code_state == p->code_state))
        return WT_OK;
    if (!gcnp_push_event(p, (struct wt_probe_event){.kind = WT_PROBE_MODULES_CHANGED}))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an event");
    p->code_told = true;
    p->code_state = event->code_state;
    return WT_OK;
}

static enum wt_status modules_known(struct wt_probe *p, struct wt_error *err)
{
    if (!p->code_told)
        return WT_OK;
    p->code_told = false;
    enum wt_status status = p->link->ops->code_known(p->link->context, p->code_state, err);
    return status == WT_IO && gcnp_has_ended(p) ? WT_OK : status;
}

static enum wt_status scan(struct wt_probe *p, struct wt_wave_set *active,
                           struct wt_wave_set *halted, struct wt_error *err)
{
    struct wt_gcn_event event = {.exception = true};
    enum wt_status status = WT_OK;
    /* Suspending takes its time: in a program that runs by itself it is done when the driver has
     * something to tell. Of a wave that is held when it begins the driver tells nothing. */
    if (p->link->host_launches && !p->suspended && p->scanned) {
        status = p->link->ops->event(p->link->context, false, &event, err);
        if (status == WT_IO && gcnp_has_ended(p))
            status = WT_OK;
    }
    if (status != WT_OK || (status = take_code(p, &event, err)) != WT_OK ||
        ((event.exception || p->hold) && (status = gcnp_hold_still(p, err)) != WT_OK))
        return status;
    p->scanned = true;
    p->stands = false;
    list_waves(p, active, halted);
    return gcnp_go(p, WT_NO_HANDLE, err);
}

static wt_wave_id wave_id(struct wt_probe *p, wt_wave_handle wave)
{
    assert(wave < p->topology.waves);
    return p->row[wave].id;
}

static void describe_wave(struct wt_probe *p, wt_wave_handle handle, struct wt_wave *wave)
{
    const struct gcnp_row *row = &p->row[handle];
    const uint32_t slot = handle % p->topology.waves_per_core;
    *wave = (struct wt_wave){.id = row->id,
                             .lanes = GCN_LANES,
                             .device = row->device,
                             .core = handle / p->topology.waves_per_core,
                             .simd = slot % GCN_SIMDS,
                             .slot = slot,
                             .has_work = true,
                             .dispatch = row->dispatch,
                             .index = row->index};
    memcpy(wave->group, row->group, sizeof wave->group);
    if (row->dispatch && row->dispatch <= p->launches) {
        const struct gcnp_launch_seen *l = &p->launch[row->dispatch - 1];
        memcpy(wave->block, l->block, sizeof wave->block);
        memcpy(wave->grid, l->grid, sizeof wave->grid);
    }
}

static bool any_present(const struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->topology.waves; i++)
        if (p->row[i].present)
            return true;
    return false;
}

static enum wt_status next_event(struct wt_probe *p, struct wt_probe_event *event,
                                 struct wt_error *err)
{
    (void)err;
    if (p->first_event < p->events) {
        *event = p->event[p->first_event++];
        return WT_OK;
    }
    *event = (struct wt_probe_event){.kind = WT_PROBE_NOTHING};
    gcnp_has_ended(p);
    if (p->told_end || any_present(p) ||
        !p->link->ops->ended(p->link->context, &event->status, event->text, sizeof event->text))
        return WT_OK;
    p->told_end = true;
    event->kind = WT_PROBE_ENDED;
    return WT_OK;
}

/* ---- run control ---- */

static void hold_launches(struct wt_probe *p, bool hold)
{
    p->hold = hold;
}

static bool in_set(const struct wt_probe *p, const struct wt_wave_set *waves, uint32_t i)
{
    return p->row[i].present && wt_wave_set_has(waves, i);
}

static enum wt_status halt(struct wt_probe *p, const struct wt_wave_set *waves,
                           struct wt_error *err)
{
    enum wt_status status = gcnp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        struct gcnp_row *row = &p->row[i];
        if (!in_set(p, waves, i) || !row->run)
            continue;
        row->run = row->step = row->held = false;
        row->cause = WT_HALT_REQUEST;
    }
    return gcnp_go(p, WT_NO_HANDLE, err);
}

/* A wave that goes on from an exception does what it would do without a debugger: it stays halted,
 * and the runtime is told, which ends the program (ROCdbgapi, amd_dbgapi_wave_resume). Where no
 * runtime is, it goes on behind the instruction. */
static enum wt_status give_up(struct wt_probe *p, struct gcnp_row *row, struct wt_error *err)
{
    const bool failed = row->cause == WT_HALT_EXCEPTION || row->aborts;
    if (!p->link->host_launches || !failed)
        return WT_OK;
    const uint32_t code = gcnp_code_of(row);
    struct kfd_debug_call call = {.op = KFD_DEBUG_SEND_RUNTIME_EVENT,
                                  .arg = {kfd_exception_bit(code)},
                                  .queue_count = 1,
                                  .queue = {p->queue[row->queue].queue_id}};
    row->given_up = true;
    const enum wt_status status = gcnp_call(p, &call, err);
    if (status || code != KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION)
        return status;
    /* The runtime leaves those of queues to the driver's report of the page fault. */
    call = (struct kfd_debug_call){.op = KFD_DEBUG_SEND_RUNTIME_EVENT,
                                   .arg = {kfd_exception_bit(KFD_EC_DEVICE_MEMORY_VIOLATION)},
                                   .device = row->device};
    return gcnp_call(p, &call, err);
}

static enum wt_status resume(struct wt_probe *p, const struct wt_wave_set *waves,
                             struct wt_error *err)
{
    enum wt_status status = gcnp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        struct gcnp_row *row = &p->row[i];
        if (!in_set(p, waves, i))
            continue;
        if ((status = give_up(p, row, err)) != WT_OK)
            return status;
        row->run = true;
        row->step = row->aborts = false;
        row->cause = WT_HALT_NONE;
    }
    p->stands = false;
    return gcnp_go(p, WT_NO_HANDLE, err);
}

/* How far a step had come in the last scan; @p id is the wave that steps. */
static void judge_step(const struct wt_probe *p, uint32_t wave, wt_wave_id id,
                       struct wt_probe_step *step)
{
    const struct gcnp_row *row = &p->row[wave];
    *step = (struct wt_probe_step){.done = true};
    if (!row->present || row->id != id)
        return;
    step->active = true;
    step->done = !row->run;
    step->cause = row->cause;
    step->pc = gcnp_row_pc(row);
}

static enum wt_status step(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                           struct wt_error *err)
{
    struct gcnp_row *row;
    struct wt_gcn_event event;
    enum wt_status status = gcnp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    const wt_wave_id id = row->id;
    row->run = row->step = true;
    row->cause = WT_HALT_NONE;
    p->stands = false;
    /* Nobody else issues meanwhile: a breakpoint may have been lifted for this instruction. */
    if ((status = gcnp_go(p, wave, err)) != WT_OK ||
        (status = p->link->ops->event(p->link->context, true, &event, err)) != WT_OK ||
        (status = gcnp_hold_still(p, err)) != WT_OK)
        return status;
    judge_step(p, wave, id, step);
    p->stands = true; /* a wave that has begun meanwhile would miss the breakpoint, too */
    return WT_OK;
}

static enum wt_status step_poll(struct wt_probe *p, uint32_t wave, struct wt_probe_step *step,
                                struct wt_error *err)
{
    const wt_wave_id id = p->row[wave].id;
    enum wt_status status = gcnp_hold_still(p, err);
    if (status != WT_OK)
        return status;
    judge_step(p, wave, id, step);
    p->stands = step->done;
    return gcnp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status halt_cause(struct wt_probe *p, uint32_t wave, enum wt_halt_cause *cause,
                                 uint64_t *pc, struct wt_error *err)
{
    struct gcnp_row *row;
    enum wt_status status = gcnp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *cause = row->cause;
    *pc = gcnp_row_pc(row);
    return gcnp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status mask(struct wt_probe *p, uint32_t wave, wt_lanes *lanes, struct wt_error *err)
{
    struct gcnp_row *row;
    enum wt_status status = gcnp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    *lanes = gcnp_row_exec(row);
    return gcnp_go(p, WT_NO_HANDLE, err);
}

static enum wt_status reset_halted(struct wt_probe *p, struct wt_error *err)
{
    struct kfd_debug_call call = {.op = KFD_DEBUG_SET_WAVE_LAUNCH_MODE, .arg = {KFD_LAUNCH_HALT}};
    enum wt_status status;
    if (!p->link->ops->reset)
        return wt_fail(err, WT_UNSUPPORTED, "the program alone can run its kernels again");
    if ((status = gcnp_call(p, &call, err)) != WT_OK ||
        (status = p->link->ops->reset(p->link->context, err)) != WT_OK)
        return status;
    p->launch_mode = KFD_LAUNCH_HALT;
    p->hold = true;
    p->suspended = p->stands = p->told_end = false;
    p->run++;
    memset(p->row, 0, p->topology.waves * sizeof *p->row);
    return gcnp_hold_still(p, err);
}

/* The rows keep the waves' names; the rest is in the records, once the queues are suspended. */
static void replaced(struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->topology.waves; i++) {
        p->row[i].present = p->row[i].run = p->row[i].step = p->row[i].held = false;
        p->row[i].cause = WT_HALT_REQUEST;
    }
    p->suspended = p->stands = p->told_end = false;
    p->launch_mode = UINT32_MAX;
}

/* ---- rows and memory: looked at while the queues stand still ---- */

static enum wt_status read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err)
{
    enum wt_status status = gcnp_read_rows(p, wave, lanes, index, count, out, err);
    enum wt_status after = gcnp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                                const uint8_t *row, struct wt_error *err)
{
    enum wt_status status = gcnp_write_row(p, wave, lanes, index, row, err);
    enum wt_status after = gcnp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                  struct wt_address addr, void *out, size_t size,
                                  struct wt_error *err)
{
    const bool stood = p->suspended;
    enum wt_status status = gcnp_read_memory(p, wave, lane, addr, out, size, err);
    enum wt_status after = stood ? WT_OK : gcnp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_address addr, const void *bytes, size_t size,
                                   struct wt_error *err)
{
    const bool stood = p->suspended;
    enum wt_status status = gcnp_write_memory(p, wave, lane, addr, bytes, size, err);
    enum wt_status after = stood ? WT_OK : gcnp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status find_home(struct wt_probe *p, wt_wave_handle wave, unsigned lane,
                                struct wt_address addr, uint64_t size, struct wt_address *home,
                                uint64_t *part, struct wt_error *err)
{
    const bool stood = p->suspended;
    enum wt_status status = gcnp_find_home(p, wave, lane, addr, size, home, part, err);
    enum wt_status after = stood ? WT_OK : gcnp_go(p, WT_NO_HANDLE, status ? WT_IGNORED : err);
    return status ? status : after;
}

static enum wt_status exception(struct wt_probe *p, uint32_t wave,
                                struct wt_probe_exception *exception, struct wt_error *err)
{
    struct gcnp_row *row;
    enum wt_status status = gcnp_find_row(p, wave, &row, err);
    if (status != WT_OK)
        return status;
    gcnp_describe_exception(row, exception);
    return WT_OK;
}

const struct wt_probe_ops wt_probe_gcn = {
    .family = "gcn",
    .open = probe_open,
    .close = probe_close,
    .topology = topology,
    .summary = summary,
    .scan = scan,
    .wave_id = wave_id,
    .describe_wave = describe_wave,
    .next_event = next_event,
    .modules_known = modules_known,
    .hold_launches = hold_launches,
    .halt = halt,
    .resume = resume,
    .step = step,
    .step_poll = step_poll,
    .halt_cause = halt_cause,
    .exception = exception,
    .gives_up = gcnp_gives_up,
    .set_watchpoints = gcnp_set_watches,
    .watched = gcnp_watched,
    .mask = mask,
    .reset_halted = reset_halted,
    .read_rows = read_rows,
    .write_row = write_row,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .replaced = replaced,
    .window = gcnp_window,
    .patch = gcnp_patch,
    .decode = gcnp_decode_instruction,
    .find_caller = gcnp_find_caller,
    .find_home = find_home,
};
