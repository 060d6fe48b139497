/* The device as a machine: creation, reset, turns, inspection, and faults. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/memory_model.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/watch.h"

static struct sm_device *device_of(struct wt_machine *m)
{
    return (struct sm_device *)m;
}

/* ---- turns ---- */

/* A warp that was to do one step has done it: the SM traps again. */
static void end_step(struct sm_warp *w)
{
    struct sm_unit *unit = sm_unit_of(w);
    w->step = w->stepped = false;
    unit->global_esr |= SM_GESR_SINGLE_STEP;
    if (unit->global_report & SM_GESR_SINGLE_STEP) {
        unit->interrupts++;
        w->device->machine.event = true;
    }
    sm_trap_stop(w->device, w->id / SM_WARPS);
}

/* The first record of a turn of a warp; sets w->code, which may be that of @p last, the page of the
 * turn before. NULL where an error was raised. */
static inline const struct sm_uop *first_of_turn(struct sm_warp *w, struct sm_code *last)
{
    const uint64_t pc = w->pc;
    if (!last || (pc & ~WT_PAGE_MASK) != last->page.base || pc % 8 || sm_is_control(pc))
        return sm_fetch(w, pc);
    w->code = last;
    return sm_visit(w, &last->uop[(pc & WT_PAGE_MASK) / 8]);
}

/* One turn of a warp; how many instructions it has issued. *last: the page where the turn before
 * began, or NULL; it becomes this one's. */
static inline uint64_t one_turn(struct sm_device *d, struct sm_warp *w, uint64_t n,
                                struct sm_code **last)
{
    struct wt_machine *m = &d->machine;
    const uint64_t incarnation = w->incarnation;
    const bool attended = w->must_enter || w->late_code[0] || w->late_code[1] || w->step;
    if (w->bare && (attended || !*last || !d->has_unseen))
        ptx_begin_warp(w);
    if (w->step && w->stepped && !w->trapped) { /* out of the barrier that it stepped into */
        end_step(w);
        if (!sm_trap_runs(w))
            return 0;
    }
    if (attended) {
        if (!sm_trap_before_turn(w, &n) || !sm_trap_runs(w))
            return 0;
    }
    const bool stepping = w->step && !w->trapped;
    wt_begin_turn(m, &w->left, n);
    d->executing = NULL;
    d->prepared = NULL;
    const struct sm_uop *u = NULL;
    if (!w->bare || !sm_run_unseen(w, *last)) {
        if (w->bare)
            ptx_begin_warp(w);
        u = first_of_turn(w, *last);
        if (!u)
            return wt_abandon_turn(m);
        *last = w->code;
        d->executing = u;
        u = u->run(w, u);
    }
    while (u && w->left) {
        w->left--;
        d->executing = u;
        u = u->run(w, u);
    }
    if (u) {
        w->pc = sm_pc_of(w, u);
        w->pc += sm_is_control(w->pc) ? 8 : 0; /* behind the last instruction of a page */
    }
    const uint64_t issued = wt_finish_turn(m, w->left);
    if (w->incarnation == incarnation) {
        w->issued += issued;
        if (stepping && issued && w->step && !w->trapped && w->active) {
            if (w->at_barrier || sm_paths_wait(w))
                w->stepped = true;
            else
                end_step(w);
        }
    }
    return issued;
}

static uint64_t turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    struct sm_device *d = device_of(m);
    struct sm_warp *w = &d->warp[wave];
    d->prepared_launch = false;
    struct sm_code *last = NULL;
    uint64_t issued = one_turn(d, w, n, &last);
    while (issued && wt_follow_turn(m, issued, &n)) {
        w = &d->warp[m->turns.current];
        issued = one_turn(d, w, n, &last);
    }
    return issued;
}

static enum wt_run blocked(struct wt_machine *m)
{
    const struct sm_device *d = device_of(m);
    const struct sm_warp *waiting = NULL;
    for (uint32_t i = 0; i < m->waves; i++) {
        const struct sm_warp *w = &d->warp[i];
        if (w->active && !sm_trap_runs(w))
            return WT_RUN_HALTED;
        if (w->active && !waiting)
            waiting = w;
    }
    if (!waiting) /* CTAs that are left are held by the trap unit */
        return d->grid.active && d->grid.next < d->grid.total ? WT_RUN_HALTED : WT_RUN_ENDED;
    m->fault = (struct wt_fault){
        .kind = WT_FAULT_DEADLOCK,
        .wave = waiting->id,
        .lanes = waiting->mask,
        .pc = waiting->at_barrier ? waiting->wait_pc : waiting->pc,
        .time = m->time,
        .text = "deadlock: every warp waits at a barrier for another one",
    };
    if (wt_observes_events(m))
        wt_observe_tell(m, &(struct wt_observed_event){.kind = WT_SEEN_DEADLOCK});
    return WT_RUN_FAULT;
}

static struct wt_issue next_issue(struct wt_machine *m, uint32_t wave)
{
    const struct sm_warp *w = &device_of(m)->warp[wave];
    uint64_t pc = w->must_enter ? device_of(m)->handler : w->pc;
    pc += sm_is_control(pc) ? 8 : 0;
    return sm_issue_at(&w->head, pc, m->time);
}

static const struct wt_engine_ops engine_ops = {
    .code = &sm_code_format,
    .turn = turn,
    .joins_turns = wt_engine_keeps_turns,
    .blocked = blocked,
    .issue_at = sm_issue_at,
    .next_issue = next_issue,
    .after_turn = wt_engine_no_cycles,
    .check = sm_check,
    .trace_before = sm_trace_before,
    .trace_after = sm_trace_after,
};

/* ---- the machine's operations ---- */

void sm_device_free(struct sm_device *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->warp && i < d->machine.waves; i++)
        sm_rows_free(d->warp[i].r, d->warp[i].room);
    free(d->image);
    sm_blocks_free(d);
    ptx_fresh_forget(d, NULL);
    wt_console_free(&d->console);
    sm_trace_free(d);
    wt_machine_end(&d->machine);
    free(d);
}

static void free_machine(struct wt_machine *m)
{
    sm_device_free(device_of(m));
}

/* Resets warps, grids and the time; memory, its mapping and the trap handler stay. */
static void reset(struct wt_machine *m)
{
    struct sm_device *d = device_of(m);
    wt_machine_begin_run(m);
    wt_console_clear(&d->console);
    d->grid = (struct sm_grid){0};
    for (uint32_t i = 0; i < m->waves; i++) {
        uint32_t(*r)[SM_LANES] = d->warp[i].r;
        d->warp[i] = (struct sm_warp){.r = r, .device = d, .id = i, .room = d->warp[i].room};
    }
    wt_groups_reset(m);
    for (uint32_t i = 0; i < SM_MOST_SMS; i++)
        d->unit[i] = (struct sm_unit){
            .warp_report = 0xffffffff, .global_report = 0xffffffff, .exception_enable = 2};
}

static void view(struct wt_machine *m, uint32_t wave, struct wt_wave_view *view)
{
    const struct sm_warp *w = &device_of(m)->warp[wave];
    /* Where a debugger has stopped the SM, that is no reason why a warp waits. */
    const bool paused = !sm_trap_runs(w) && !sm_unit_of(w)->debugger;
    *view = (struct wt_wave_view){
        .active = w->active,
        .waiting = w->active && (w->at_barrier || sm_paths_wait(w) || paused),
        .wait_pc = w->at_barrier ? w->wait_pc : w->pc,
        .pc = w->pc,
        .mask = w->active ? w->mask : 0,
        .depth = w->active ? w->depth : 0,
    };
    if (!view->waiting)
        return;
    if (w->at_barrier) {
        const struct sm_barrier *b = &w->cta->barrier[w->at_barrier - 1];
        view->at_barrier = true;
        view->barrier = w->at_barrier - 1u;
        view->arrived = b->arrived;
        view->expected = b->expected ? b->expected : w->cta->waves;
        snprintf(view->wait, sizeof view->wait, "BAR %u: %u of %u warps have arrived",
                 view->barrier, view->arrived, view->expected);
    } else if (sm_paths_wait(w) && w->wait == PTX_WAITS_CLUSTER) {
        snprintf(view->wait, sizeof view->wait, "barrier.cluster: not all threads have arrived");
    } else if (sm_paths_wait(w)) {
        const struct sm_barrier *b = &w->cta->barrier[w->wait - PTX_WAITS_BARRIER];
        view->at_barrier = true;
        view->barrier = w->wait - PTX_WAITS_BARRIER;
        view->arrived = b->arrived;
        view->expected = b->expected;
        snprintf(view->wait, sizeof view->wait, "barrier %u: %u threads have arrived",
                 view->barrier, view->arrived);
    } else if (w->held) {
        snprintf(view->wait, sizeof view->wait, "RTT: the stop trigger holds it");
    } else {
        snprintf(view->wait, sizeof view->wait, "%s, until the CPU wakes it",
                 w->paused == SM_PAUSED_QUIET ? "BPT.PAUSE_QUIET"
                 : w->trapped                 ? "BPT.PAUSE"
                                              : "paused by the trap unit");
    }
}

static bool divergence(struct wt_machine *m, uint32_t wave, unsigned index,
                       struct wt_divergence *entry)
{
    const struct sm_warp *w = &device_of(m)->warp[wave];
    if (!w->active || index >= w->depth)
        return false;
    const struct sm_entry *e = &w->stack[index];
    *entry = (struct wt_divergence){.restore = e->mask, .other = e->mask & ~w->mask, .pc = e->pc};
    return true;
}

/* The output of PTX's vprintf after its last newline. */
static void flush_console(struct wt_machine *m)
{
    wt_console_flush(m, &device_of(m)->console);
}

static bool operands_at(struct wt_machine *m, uint32_t wave, uint64_t pc,
                        struct wt_insn_operands *operands)
{
    struct sm_device *d = device_of(m);
    const struct sm_warp *w = wave < m->waves && d->warp[wave].active ? &d->warp[wave] : NULL;
    uint32_t index;
    uint8_t bytes[8];
    pc += sm_is_control(pc) ? 8 : 0;
    const struct sm_ptx *image = ptx_image_at(d, pc, &index);
    if (image)
        return w && ptx_operands(w, image, index, operands);
    return sm_device_read(d, pc, bytes, sizeof bytes) &&
           sm_operands(w, wt_load_le(bytes, 8), operands);
}

static enum wt_run run(struct wt_machine *m, uint64_t issues)
{
    struct sm_device *d = device_of(m);
    if (d->unknown)
        ptx_fresh_choose(d);
    d->hidden = true;
    const enum wt_run why = wt_engine_run(m, issues);
    d->hidden = false;
    ptx_begin_all(d);
    ptx_settle_all(d);
    return why;
}

static bool comes_to(struct wt_machine *m, uint64_t from, uint64_t to)
{
    uint32_t at, there;
    const struct sm_ptx *image = ptx_image_at(device_of(m), from, &at);
    return !image || ptx_image_at(device_of(m), to, &there) != image ||
           ptx_leads_to(image, at, there);
}

/* CUDA C++ Programming Guide, "Independent Thread Scheduling": from 7.0 on, as who begins the
 * check says. */
static const struct wt_memory_model memory_model = {.comes_to = comes_to,
                                                    .warp_syncs = true,
                                                    .observes = true,
                                                    .one_order = true,
                                                    .barriers_count_lanes = true};

static const struct wt_machine_ops machine_ops = {
    .family = "sm",
    .wave_word = "warp",
    .free = free_machine,
    .reset = reset,
    .run = run,
    .run_traced = wt_engine_run_traced,
    .hash = sm_hash,
    .program_hash = sm_program_hash,
    .view = view,
    .wave_fault = sm_wave_fault,
    .divergence = divergence,
    .read_memory = wt_pieces_read,
    .write_memory = wt_pieces_write,
    .explain = sm_explain,
    .describe_register = sm_describe_register,
    .operands = operands_at,
    .piece = sm_piece,
    .loop = wt_machine_no_loop,
    .fenced = wt_machine_no_fences,
    .guesses = wt_machine_no_guesses,
    .array = sm_array,
    .frame = sm_frame,
    .origins = wt_machine_no_origins,
    .find_operand = sm_find_operand,
    .read_cell = sm_read_cell,
    .unwritten = sm_unwritten,
    .lane_sources = sm_lane_sources,
    .observed_place = sm_observed_place,
    .name_operand = sm_operand_name,
    .pace = sm_pace,
    .pace_table = &sm_pace_table,
    .memory_model = &memory_model,
    .operand_files = sm_operand_files,
    .read_row = sm_read_row,
    .debug_read = sm_debug_read,
    .debug_write = sm_debug_write,
    .flush_console = flush_console,
    .state = sm_state,
    .watch_range = wt_watch_set_add_parts,
    .home = sm_home,
    .map = &sm_address_map,
};

static const struct sm_code_ops code_ops = {
    .decode_record = ptx_decode,
    .decode_word = sm_decode_word,
    .translate = sm_translate,
    .launch_fits = ptx_launch_fits,
    .start_warp = ptx_start_warp,
    .is_unseen = ptx_is_unseen,
    .open_barrier = ptx_open_barrier,
    .open_cluster = ptx_open_cluster,
    .leave_barriers = ptx_leave_barriers,
    .settle = ptx_settle,
    .settle_frame = ptx_settle_frame,
};

enum wt_status sm_device_new(const struct sm_config *config, struct sm_device **device,
                             struct wt_error *err)
{
    assert(config && device && err && config->sms >= 1 && config->sms <= SM_MOST_SMS);
    struct sm_device *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    d->code_ops = &code_ops;
    d->config = *config;
    d->jit = config->jit;
    const struct wt_groups groups = {.ops = &sm_group_ops,
                                     .cores = config->sms,
                                     .waves_per_core = SM_WARPS,
                                     .groups_per_core = SM_CTAS,
                                     .group_bytes = sizeof *d->cta,
                                     .local_bytes = sm_shared_of(config->cc).cta};
    const bool ready = wt_machine_init(&d->machine, &machine_ops, &engine_ops, &groups, SM_LANES,
                                       sizeof *d->warp, &d->config.device);
    d->warp = d->machine.wave;
    d->cta = d->machine.groups.group;
    if (!ready || !wt_console_init(&d->console, 1)) {
        sm_device_free(d);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for %u SMs", config->sms);
    }
    reset(&d->machine);
    *device = d;
    return WT_OK;
}

void sm_device_progress(const struct sm_device *device, uint64_t *done, uint64_t *total)
{
    *done = device->grid.done;
    *total = device->grid.total;
}

uint64_t sm_device_trap_handler(const struct sm_device *d)
{
    return d->handler;
}

const struct sm_launch *sm_device_latest_launch(const struct sm_device *d)
{
    return &d->grid.launch;
}

struct wt_machine *sm_machine(struct sm_device *device)
{
    return &device->machine;
}

const struct wt_near *sm_device_near(const struct sm_device *device)
{
    return &device->near;
}

void sm_device_set_trap_handler(struct sm_device *device, uint64_t address)
{
    device->handler = address;
}

enum wt_status sm_device_attach_ptx(struct sm_device *d, struct sm_ptx *image, struct wt_error *err)
{
    struct sm_ptx **images =
        wt_array_grow(d->image, &d->image_capacity, d->image_count + 1, sizeof *images);
    if (!images)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    d->image = images;
    d->image[d->image_count++] = image;
    wt_code_invalidate(&d->machine.code, image->code, (image->op_count + 2) / 3 * SM_BUNDLE);
    return WT_OK;
}

void sm_device_detach_ptx(struct sm_device *d, const struct sm_ptx *image)
{
    for (size_t i = 0; i < d->image_count; i++) {
        if (d->image[i] != image)
            continue;
        ptx_fresh_forget(d, image);
        d->image[i] = d->image[--d->image_count];
        wt_code_invalidate(&d->machine.code, image->code, (image->op_count + 2) / 3 * SM_BUNDLE);
        return;
    }
}
