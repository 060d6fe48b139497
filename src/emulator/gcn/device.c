/* The device as a machine: creation, reset, inspection, and reports of faults. */
#include "emulator/gcn/know/operands.h"
#include "emulator/gcn/trace.h"
#include "emulator/gcn/watch.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/memory_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gcn_device *device_of(struct wt_machine *m)
{
    return (struct gcn_device *)m;
}

/* ---- mistakes ---- */

/* A debugger takes the fault: an illegal instruction is not issued, an access has been. The wave
 * stands at @p pc. */
static void stop_for_fault(struct gcn_wave *w, const struct wt_fault *fault, uint64_t pc)
{
    if (fault->kind == WT_FAULT_ILLEGAL) {
        wt_not_issued(&w->device->machine);
        gcn_kfd_stop(w, pc, 0, KFD_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION);
        return;
    }
    gcn_kfd_stop(w, pc, 0,
                 fault->kind == WT_FAULT_ACCESS ? KFD_EC_QUEUE_WAVE_MEMORY_VIOLATION
                                                : KFD_EC_QUEUE_WAVE_APERTURE_VIOLATION);
}

/*
 * Illegal instructions and memory violations are not maskable. A driver may take page faults.
 * False: nobody takes it. Else *next is what the instruction's handler returns. The wave stops for
 * a debugger at @p stop; its trap handler returns to @p back, @p rewind dwords behind the
 * instruction.
 */
static bool take_fault(struct gcn_wave *w, const struct wt_fault *fault, uint64_t stop,
                       uint64_t back, unsigned rewind, const struct gcn_uop **next)
{
    struct gcn_device *d = w->device;
    const bool illegal = fault->kind == WT_FAULT_ILLEGAL, access = fault->kind == WT_FAULT_ACCESS;
    *next = NULL;
    if ((!illegal && !access && fault->kind != WT_FAULT_MISALIGNED) || wt_met(&d->machine))
        return false;
    gcn_send_interrupt(w, illegal ? 1 : 2, GCN_INTERRUPT_ERROR);
    w->trapsts |= illegal ? GCN_TRAPSTS_ILLEGAL : GCN_TRAPSTS_MEM_VIOL;
    if (gcn_kfd_handles(w, false)) {
        gcn_note_exception(d, fault);
        stop_for_fault(w, fault, stop);
        return true;
    }
    const bool caught = !illegal && gcn_dispatch_of(w)->origin.caught & GCN_TRAPSTS_MEM_VIOL;
    if (!gcn_may_trap(w) || caught || (access && d->host->page_fault(d->host->context, d, fault)))
        return false;
    gcn_note_exception(d, fault);
    *next = gcn_enter_trap(w, back, 0, rewind);
    return true;
}

/* Whether a violation is one that hardware tells of later. Within the trap handler none is, and an
 * instruction that cannot be fetched never is. */
static bool is_late(const struct gcn_wave *w, const struct wt_fault *fault)
{
    return w->device->config.imprecise && !(w->status & GCN_STATUS_PRIV) &&
           (fault->kind == WT_FAULT_ACCESS || fault->kind == WT_FAULT_MISALIGNED) &&
           fault->addr != fault->pc;
}

void gcn_tell_late(struct gcn_wave *w)
{
    struct gcn_device *d = w->device;
    const struct gcn_uop *next;
    assert(w->active && w->late && gcn_noted_exception(d, w->id));
    struct wt_fault fault = *gcn_noted_exception(d, w->id);
    const size_t used = strlen(fault.text);
    snprintf(fault.text + used, sizeof fault.text - used, " (imprecise: the wave is at 0x%llx)",
             (unsigned long long)w->pc);
    fault.time = gcn_now(w);
    w->late = 0;
    if (!take_fault(w, &fault, w->pc, w->pc, 0, &next))
        d->machine.fault = fault;
    gcn_update_ready(w);
}

const struct gcn_uop *gcn_fault(struct gcn_wave *w, const struct gcn_uop *u,
                                enum wt_fault_kind kind, uint64_t lanes, uint64_t addr,
                                const char *format, ...)
{
    assert(w->active);
    struct gcn_device *d = w->device;
    va_list arguments;
    va_start(arguments, format);
    const struct wt_fault fault = wt_engine_fault(&d->machine, &w->head, kind, lanes,
                                                  gcn_pc_of(w, u), addr, format, arguments);
    va_end(arguments);
    const bool illegal = kind == WT_FAULT_ILLEGAL;
    const unsigned length = illegal ? 0 : u->length;
    const struct gcn_uop *next;
    w->watch_hits = 0; /* the instruction has no effect */
    if (is_late(w, &fault) && (w->late || gcn_note_exception(d, &fault))) {
        w->late = w->late ? w->late : d->config.imprecise;
        wt_end_turn(&d->machine, &w->left);
        return gcn_next(u);
    }
    if (take_fault(w, &fault, fault.pc, fault.pc + 4u * length, length, &next))
        return next;
    wt_engine_stop(&d->machine, &w->head, &fault);
    if (illegal) { /* nobody deals with it */
        w->status |= GCN_STATUS_FATAL_HALT;
        gcn_update_ready(w);
    }
    return NULL;
}

const struct gcn_uop *gcn_no_memory(struct gcn_wave *w, const struct gcn_uop *u, uint64_t lanes,
                                    uint64_t addr)
{
    char why[128];
    wt_memory_refusal(w->device->machine.memory, why, sizeof why);
    return gcn_fault(w, u, WT_FAULT_HOST, lanes, addr, "%s at 0x%llx: %s", u->row->name,
                     (unsigned long long)addr, why);
}

const struct gcn_uop *gcn_no_row(struct gcn_wave *w, const struct gcn_uop *u, unsigned row)
{
    const bool accumulates = row >= GCN_AGPR;
    return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                     "%s: %c%u is beyond the wave's %u %s registers", u->row->name,
                     accumulates ? 'a' : 'v', row % GCN_AGPR, gcn_rows_of(w, row / GCN_AGPR),
                     accumulates ? "accumulation" : "vector");
}

struct wt_fault *gcn_note_exception(struct gcn_device *d, const struct wt_fault *fault)
{
    if (!d->exception)
        d->exception = calloc(d->machine.waves, sizeof *d->exception);
    if (!d->exception)
        return NULL; /* reports say what the registers say */
    struct gcn_wave *w = &d->wave[fault->wave];
    if (w->late) /* there is one note for a wave: the registers tell of both */
        w->trapsts |= GCN_TRAPSTS_MEM_VIOL;
    w->late = 0;
    struct wt_fault *noted = &d->exception[fault->wave];
    *noted = *fault;
    noted->id = wt_machine_wave_id(&d->machine, fault->wave);
    return noted;
}

struct gcn_raise *gcn_raise_of(struct gcn_wave *w)
{
    struct gcn_device *d = w->device;
    if (!d->raise)
        d->raise = calloc(d->machine.waves, sizeof *d->raise);
    return d->raise ? &d->raise[w->id] : NULL;
}

/* Another wave may have come into the slot since. */
struct wt_fault *gcn_noted_exception(struct gcn_device *d, uint32_t wave)
{
    struct wt_fault *f = d->exception ? &d->exception[wave] : NULL;
    return f && f->kind && f->id == wt_machine_wave_id(&d->machine, wave) ? f : NULL;
}

struct wt_fault *gcn_wave_exception(struct gcn_device *d, uint32_t wave)
{
    return d->wave[wave].late ? NULL : gcn_noted_exception(d, wave);
}

/* Whether a wave has stopped for an exception, as debuggers tell (debug/gcn/exception.c). */
static bool has_stopped_for_exception(const struct gcn_wave *w)
{
    const uint32_t *ttmp = &w->s[GCN_TTMP];
    return ttmp[6] & KFD_TTMP6_STOPPED && !(ttmp[1] & KFD_TTMP1_HOST_TRAP) &&
           !(ttmp[6] >> KFD_TTMP6_TRAP_SHIFT & 15) &&
           (ttmp[1] >> KFD_TTMP1_REWIND_SHIFT & 15 ||
            w->trapsts & (GCN_TRAPSTS_MEM_VIOL | GCN_TRAPSTS_ILLEGAL));
}

struct wt_fault *gcn_wave_fault(struct wt_machine *m, uint32_t wave)
{
    struct gcn_device *d = device_of(m);
    const struct gcn_wave *w = &d->wave[wave];
    if (d->machine.fault.kind && d->machine.fault.wave == wave)
        return &d->machine.fault;
    struct wt_fault *f = gcn_wave_exception(d, wave);
    return f && (w->pc == f->pc || has_stopped_for_exception(w)) ? f : NULL;
}

const struct wt_fault *gcn_latest_exception(struct gcn_device *d)
{
    const struct wt_fault *latest = NULL;
    for (uint32_t i = 0; i < d->machine.waves; i++) {
        const struct wt_fault *f = gcn_wave_exception(d, i);
        if (f && (!latest || f->time > latest->time))
            latest = f;
    }
    return latest;
}

const struct gcn_uop *gcn_illegal(struct gcn_wave *w, const struct gcn_uop *u)
{
    const uint32_t word[GCN_MOST_DWORDS] = {u->word[0], u->word[1]};
    struct gcn_uop again = {0};
    const char *why = "";
    if (gcn_decode(gcn_model_of(w->device), gcn_lanes_of(w), word, GCN_MOST_DWORDS, &again, &why))
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                         "%s (0x%08x) is not executed by this emulator", again.row->name, word[0]);
    if (again.row)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                         "illegal instruction 0x%08x 0x%08x (%s): %s", word[0], word[1],
                         again.row->name, why);
    return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0, "illegal instruction 0x%08x: %s",
                     word[0], why);
}

const struct gcn_uop *gcn_formats_unknown(struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                     "%s: formats of a %s's resources are not executed by this emulator",
                     u->row->name, gcn_model_of(w->device)->target.name);
}

const struct gcn_uop *gcn_op_none(struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_illegal(w, u);
}

/* Stands in the table for vector instructions that are not executed; gcn_handler_of sees to it that
 * it is never called. */
void gcn_vop_none(struct gcn_valu *v)
{
    gcn_illegal(v->w, v->u);
}

/* ---- the machine's operations ---- */

void gcn_device_free(struct gcn_device *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->wave && i < d->machine.waves; i++)
        free(d->wave[i].v);
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        free(d->kfd_area[i]);
    gcn_trace_free(d);
    gcn_blocks_free(d);
    free(d->cu);
    free(d->exception);
    free(d->raise);
    free(d->gds);
    wt_machine_end(&d->machine);
    free(d);
}

static void free_machine(struct wt_machine *m)
{
    gcn_device_free(device_of(m));
}

/* Resets waves, dispatches and the time; memory, its mapping and the trap handler stay. */
static void reset(struct wt_machine *m)
{
    struct gcn_device *d = device_of(m);
    wt_machine_begin_run(m);
    memset(d->dispatch, 0, sizeof d->dispatch);
    d->launching = d->served = 0;
    d->saving = false;
    for (unsigned i = 0; i < KFD_DEBUG_QUEUES; i++)
        d->kfd.queue[i].suspended = false, d->kfd.queue[i].entry.exception_status = 0;
    memset(d->gds, 0, gcn_model_of(d)->gds_bytes);
    memset(d->gws, 0, sizeof d->gws);
    d->debug = (struct gcn_debug){.gfx_index = 0xe0000000}; /* broadcasts */
    gcn_address_watch_changed(d);
    d->interrupts = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        uint32_t(*v)[GCN_LANES] = d->wave[i].v;
        d->wave[i] = (struct gcn_wave){.v = v, .device = d, .id = i};
    }
    wt_groups_reset(m);
    gcn_count_taken(d);
}

static void view(struct wt_machine *m, uint32_t wave, struct wt_wave_view *view)
{
    assert(wave < m->waves && view);
    const struct gcn_wave *w = &device_of(m)->wave[wave];
    *view = (struct wt_wave_view){
        .active = w->active,
        .waiting = w->active && (w->at_barrier || w->gws),
        .wait_pc = w->wait_pc,
        .pc = w->pc,
        .mask = w->active ? gcn_exec(w) : 0,
        .at_barrier = w->active && w->at_barrier,
        .arrived = w->active && w->at_barrier ? gcn_waiting(w->group) : 0,
        .expected = w->active && w->at_barrier ? w->group->waves : 0,
    };
    if (view->waiting && w->at_barrier)
        snprintf(view->wait, sizeof view->wait, "s_barrier: %u of %u waves have arrived",
                 gcn_waiting(w->group), w->group->waves);
    else if (view->waiting && w->gws == GCN_GWS_BARRIER)
        snprintf(view->wait, sizeof view->wait, "ds_gws_barrier %u: for %u more waves",
                 w->gws_resource, w->device->gws[w->gws_resource] + 1);
    else if (view->waiting)
        snprintf(view->wait, sizeof view->wait, "ds_gws_sema_p %u", w->gws_resource);
}

static uint32_t debug_read(struct wt_machine *m, uint32_t addr)
{
    return gcn_debug_read(device_of(m), addr);
}

static void debug_write(struct wt_machine *m, uint32_t addr, uint32_t value)
{
    gcn_debug_write(device_of(m), addr, value);
}

unsigned gcn_code_lanes(const struct gcn_device *d)
{
    for (unsigned i = 0; i < GCN_DISPATCHES; i++)
        if (d->dispatch[i].active)
            return gcn_dispatch_lanes(&d->dispatch[i]);
    return gcn_model_of(d)->target.lanes;
}

bool gcn_uop_at(struct gcn_device *d, uint64_t pc, struct gcn_uop *u)
{
    uint32_t word[GCN_MOST_DWORDS] = {0};
    const char *why;
    unsigned words = gcn_model_of(d)->most_dwords;
    while (words && !gcn_read(d, pc, word, 4 * words))
        words--;
    *u = (struct gcn_uop){.row = NULL};
    return words && gcn_decode(gcn_model_of(d), gcn_code_lanes(d), word, words, u, &why);
}

static bool operands_at(struct wt_machine *m, uint32_t wave, uint64_t pc,
                        struct wt_insn_operands *operands)
{
    struct gcn_uop u;
    struct gcn_device *d = device_of(m);
    if (!gcn_uop_at(d, pc, &u))
        return false;
    return wave < m->waves ? gcn_operands_now(&u, &d->wave[wave], operands)
                           : gcn_operands(&u, operands);
}

static uint32_t die_of(struct wt_machine *m, uint32_t wave)
{
    struct gcn_device *d = device_of(m);
    return gcn_xcc_of(d, wave / gcn_cu_waves(d));
}

/* Lanes of a wave execute one instruction after the other for all of them. LLVM, "User Guide for
 * AMDGPU Backend", "Memory Model gfx6-gfx9": relaxed atomic stores are plain ones. */
#define MEMORY_MODEL(...)                                                                          \
    {                                                                                              \
        .stores_hide = true, .places = true, .observes = true, .loads_hide = true, .waits = true,  \
        .hands_on = true, /* in the L2 cache */                                                    \
            .threads_are_waves = true, __VA_ARGS__                                                 \
    }
static const struct wt_memory_model memory_model_gfx10 =
    MEMORY_MODEL(.stores_apart = true, .caches_unknown = "caches L0 and L1 are not modelled");

static const struct wt_memory_model *memory_model_of(const struct wt_machine *m);
static const struct wt_memory_model memory_model =
    MEMORY_MODEL(.of = memory_model_of, .caches_go_stale = true, .die = die_of);

/* gfx10's caches L0 and L1 are not modelled. */
static const struct wt_memory_model *memory_model_of(const struct wt_machine *m)
{
    return gcn_is_gfx10(gcn_model_of((const struct gcn_device *)m)) ? &memory_model_gfx10
                                                                    : &memory_model;
}

static const struct wt_machine_ops machine_ops = {
    .family = "gfx900",
    .wave_word = "wave",
    .free = free_machine,
    .reset = reset,
    .run = wt_engine_run,
    .run_traced = wt_engine_run_traced,
    .hash = gcn_hash,
    .program_hash = gcn_program_hash,
    .view = view,
    .wave_fault = gcn_wave_fault,
    .divergence = wt_machine_no_divergence, /* the program has masks of waiting lanes in SGPRs */
    .read_memory = wt_pieces_read,
    .explain = gcn_explain,
    .write_memory = wt_pieces_write,
    .debug_read = debug_read,
    .debug_write = debug_write,
    .flush_console = wt_machine_no_console,
    .state = gcn_state,
    .watch_range = wt_watch_set_add_parts,
    .home = gcn_home,
    .map = &gcn_address_map,
    .describe_register = gcn_describe_register,
    .operands = operands_at,
    .piece = gcn_piece,
    .loop = gcn_loop,
    .fenced = wt_machine_no_fences,
    .guesses = gcn_guesses,
    .origins = gcn_origins,
    .array = gcn_array,
    .frame = gcn_frame,
    .find_operand = gcn_find_operand,
    .read_cell = gcn_read_cell,
    .unwritten = gcn_unwritten,
    .lane_sources = gcn_lane_sources,
    .observed_place = gcn_observed_place,
    .name_operand = gcn_operand_name,
    .pace = gcn_pace,
    .pace_table = &gcn_pace_table,
    .memory_model = &memory_model,
    .operand_files = gcn_operand_files,
    .read_row = gcn_read_row,
};

enum wt_status gcn_device_new(const struct gcn_config *config, struct gcn_device **device,
                              struct wt_error *err)
{
    assert(config && device && err && gcn_config_fits(config));
    struct gcn_device *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    d->config = *config;
    d->config.se = gcn_config_engines(config);
    d->host = &gcn_no_driver;
    const struct wt_groups groups = {.ops = &gcn_group_ops,
                                     .cores = config->cu,
                                     .waves_per_core = gcn_cu_waves(d),
                                     .groups_per_core = gcn_cu_waves(d),
                                     .group_bytes = sizeof *d->group,
                                     .local_bytes = gcn_model_of(d)->lds_bytes};
    const bool ready = wt_machine_init(&d->machine, &machine_ops, &gcn_engine_ops, &groups,
                                       GCN_LANES, sizeof *d->wave, &d->config.device);
    d->wave = d->machine.wave;
    d->group = d->machine.groups.group;
    d->cu = calloc(config->cu, sizeof *d->cu);
    d->gds = calloc(1, gcn_model_of(d)->gds_bytes);
    if (!d->cu || !d->gds || !ready) {
        gcn_device_free(d);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for %u compute units",
                       config->cu);
    }
    reset(&d->machine);
    *device = d;
    return WT_OK;
}

void gcn_device_clear(struct gcn_device *d)
{
    assert(!d->machine.process.memory);
    wt_memory_clear(d->machine.memory);
    d->machine.regions.count = 0;
    gcn_device_set_trap_handler(d, 0, 0);
    wt_machine_forget_code(&d->machine);
    reset(&d->machine);
}

struct wt_machine *gcn_machine(struct gcn_device *device)
{
    return &device->machine;
}

const struct wt_near *gcn_device_near(const struct gcn_device *device)
{
    return &device->near;
}

void gcn_device_set_trap_handler(struct gcn_device *device, uint64_t tba, uint64_t tma)
{
    device->tba = tba;
    device->tma = tma;
}
