/* The toy as a machine: turns, debug hardware, state, inspection, and its part of the wire. */
#include "emulator/machine/memory_model.h"
#include "toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "emulator/machine/archive_parts.h"
#include "emulator/machine/explain.h"
#include "emulator/machine/operands.h"
#include "emulator/machine/trace.h"

static struct toy_device *device_of(struct wt_machine *m)
{
    return (struct toy_device *)m;
}

static void set_default(void *config)
{
    *(struct toy_config *)config = (struct toy_config){.cores = 2};
    wt_schedule_parse(WT_SCHEDULE_DEFAULT, &((struct toy_config *)config)->schedule, WT_IGNORED);
}

static const struct wt_config_key keys[] = {
    {"cores", "1..4 (2)", offsetof(struct toy_config, cores), .least = 1, .most = TOY_MOST_CORES}};

const struct wt_config toy_config_table = {.gpu = "a toy",
                                           .size = sizeof(struct toy_config),
                                           .keys = keys,
                                           .count = 1,
                                           .set_default = set_default};

/* ---- the engine ---- */

/* Instructions are decoded as they are executed: the pages of decoded code stay empty. */
static void none(void)
{
}
static const struct wt_code_format code_format = {.granule = 8,
                                                  .bundle = 8,
                                                  .longest = 8,
                                                  .first = sizeof(struct wt_code_page),
                                                  .record = 16,
                                                  .tail = 1,
                                                  .undecoded = none,
                                                  .next_page = none};

struct wt_issue toy_issue_at(const struct wt_wave_head *head, uint64_t pc, uint64_t time)
{
    return (struct wt_issue){
        .time = time, .pc = pc, .wave = head->id, .mask = 0xff, .executes = true, .issues = true};
}

void toy_update_ready(struct toy_wave *w)
{
    struct toy_device *d = w->device;
    wt_turns_set_ready(&d->machine.turns, w->id,
                       w->active && !w->at_barrier && !w->debug.halted && !(d->control & TOY_STOP));
    if (!w->active)
        return;
    w->name = wt_machine_wave_id(&d->machine, w->id);
    w->dispatch = wt_machine_launch(&d->machine, d->launch.number);
    w->launch = d->launch;
    w->number = w->group->coordinate[0];
}

static uint64_t turn(struct wt_machine *m, uint32_t wave, uint64_t n)
{
    struct toy_wave *w = &device_of(m)->wave[wave];
    const uint64_t incarnation = w->incarnation;
    const bool steps = w->debug.steps;
    wt_begin_turn(m, &w->left, steps ? 1 : n);
    while (toy_execute(w) && w->left)
        w->left--;
    const uint64_t issued = wt_finish_turn(m, w->left);
    if (steps && issued && w->active && w->incarnation == incarnation) {
        w->debug = (struct toy_debug){.halted = true, .cause = TOY_STEPPED};
        m->event = true;
        toy_update_ready(w);
    }
    return issued;
}

static enum wt_run blocked(struct wt_machine *m)
{
    const struct toy_device *d = device_of(m);
    bool halted = d->control & TOY_STOP;
    for (uint32_t i = 0; i < m->waves; i++)
        halted |= d->wave[i].active && d->wave[i].debug.halted;
    return !m->active ? WT_RUN_ENDED
           : halted   ? WT_RUN_HALTED
                      : wt_engine_deadlock(m, "every wave waits at a barrier");
}

static void check(struct wt_machine *m)
{
    wt_groups_check(m);
}

static bool trace_before(struct wt_wave_head *head)
{
    ((struct toy_wave *)head)->device->traced = head->pc;
    return true;
}

static void trace_after(struct wt_wave_head *head, wt_trace_fn fn, void *context)
{
    struct toy_device *d = ((struct toy_wave *)head)->device;
    struct toy_insn in = {0};
    char text[64];
    toy_fetch(d, d->traced, &in);
    toy_text(&in, text, sizeof text);
    fn(context, &(struct wt_trace){.time = d->machine.time - 1,
                                   .wave = head->id,
                                   .mask = 0xff,
                                   .pc = d->traced,
                                   .bytes = (const uint8_t *)&in,
                                   .length = 8,
                                   .word = 8,
                                   .longest = 8,
                                   .text = text,
                                   .effect = ""});
}

static const struct wt_engine_ops engine = {.code = &code_format,
                                            .turn = turn,
                                            .blocked = blocked,
                                            .joins_turns = wt_engine_keeps_turns,
                                            .issue_at = toy_issue_at,
                                            .next_issue = wt_engine_next_issue,
                                            .after_turn = wt_engine_no_cycles,
                                            .check = check,
                                            .trace_before = trace_before,
                                            .trace_after = trace_after};

/* ---- state ---- */

static void group_state(struct wt_archive *a, struct wt_machine *m, struct wt_group_head *head)
{
    const struct toy_device *d = device_of(m);
    struct toy_group *g = (struct toy_group *)head;
    wt_archive_bool(a, &g->used);
    if (!g->used)
        return;
    wt_archive_u64(a, &g->number, d->grid.next, "a group's number");
    wt_archive_u32(a, &g->arrived, TOY_SLOTS, "waves at a barrier");
    g->local_size = d->launch.local_bytes;
    g->coordinate[0] = (uint32_t)g->number;
}

static void wave_state(struct wt_archive *a, struct toy_device *d, uint32_t n, bool debugged)
{
    struct toy_wave *w = &d->wave[n];
    const struct wt_groups *groups = &d->machine.groups;
    uint32_t place = w->group ? w->group->place : 0;
    if (wt_archive_reads(a))
        *w = (struct toy_wave){.device = d, .id = n};
    wt_archive_u64(a, &w->incarnation, UINT64_MAX, "a wave");
    wt_archive_bool(a, &w->active);
    if (!w->active)
        return;
    wt_archive_u32(a, &place, groups->cores * TOY_SLOTS - 1, "a group's place");
    w->group = (struct toy_group *)wt_group_at(groups, place);
    wt_archive_u64(a, &w->pc, UINT64_MAX, "an address");
    wt_archive_u64(a, &w->wait_pc, UINT64_MAX, "an address");
    wt_archive_u16(a, &w->index, TOY_SLOTS - 1, "a wave's index");
    wt_archive_bool(a, &w->at_barrier);
    wt_archive_bytes(a, w->r, sizeof w->r);
    if (debugged) {
        wt_archive_bool(a, &w->debug.halted);
        wt_archive_bool(a, &w->debug.steps);
        wt_archive_u32(a, &w->debug.cause, TOY_FAILED, "why a wave has halted");
        wt_archive_fault(a, &w->error, d->machine.waves, TOY_LANES);
    }
    if (!wt_archive_reads(a))
        return;
    w->group->waves += !a->snapshot; /* a snapshot has groups as they are */
    d->machine.active++;
    if (!w->group->used || w->group->core != n / TOY_SLOTS)
        wt_archive_fail(a, "a wave is where it cannot be");
}

/* All but what every machine has; with what only debuggers change. */
static void own_state(struct toy_device *d, struct wt_archive *a, bool debugged)
{
    wt_archive_u64(a, &d->launch.number, UINT64_MAX, "a launch");
    wt_archive_u32(a, &d->launch.groups, UINT32_MAX, "groups");
    wt_archive_u32(a, &d->launch.waves, TOY_SLOTS, "the waves of a group");
    wt_archive_u32(a, &d->launch.local_bytes, TOY_LOCAL_BYTES, "local memory");
    wt_archive_bool(a, &d->grid.active);
    wt_archive_u64(a, &d->grid.total, UINT32_MAX, "groups");
    wt_archive_u64(a, &d->grid.next, d->grid.total, "groups");
    wt_archive_u64(a, &d->grid.done, d->grid.next, "groups");
    if (debugged)
        wt_archive_u32(a, &d->control, TOY_STOP | TOY_HOLD | TOY_ATTEND, "CONTROL");
    wt_groups_archive(&d->machine, a, group_state);
    if (wt_archive_reads(a))
        d->machine.active = 0;
    for (uint32_t i = 0; i < d->machine.waves && !a->failed; i++)
        wave_state(a, d, i, debugged);
}

static void state(struct wt_machine *m, struct wt_archive *a)
{
    wt_archive_machine(a, m);
    if (!a->snapshot)
        wt_archive_in_process(a, m);
    own_state(device_of(m), a, true);
    if (wt_archive_reads(a) && !a->failed)
        wt_groups_count(m);
    for (uint32_t i = 0; i < m->waves && wt_archive_reads(a) && !a->failed; i++)
        toy_update_ready(&device_of(m)->wave[i]);
}

static uint64_t hash_of(struct wt_machine *m, bool debugged)
{
    struct wt_archive a = {.saves = true};
    own_state(device_of(m), &a, debugged);
    const uint64_t seed = wt_memory_hash(m->memory) + m->time + m->turns.current;
    const uint64_t hash = XXH3_64bits_withSeed(a.bytes, a.size, seed);
    free(a.bytes);
    return hash;
}

static uint64_t program_hash(struct wt_machine *m)
{
    return hash_of(m, false);
}

static uint64_t hash(struct wt_machine *m)
{
    return hash_of(m, true);
}

/* ---- the machine's operations ---- */

static void free_device(struct wt_machine *m)
{
    struct toy_device *d = device_of(m);
    wt_machine_end(m);
    free(d);
}

static void reset(struct wt_machine *m)
{
    struct toy_device *d = device_of(m);
    wt_machine_begin_run(m);
    d->launch = (struct toy_launch){0};
    d->grid = (struct wt_launch_head){0};
    d->control &= TOY_ATTEND;
    for (uint32_t i = 0; i < m->waves; i++)
        d->wave[i] = (struct toy_wave){.device = d, .id = i};
    wt_groups_reset(m);
}

static void view(struct wt_machine *m, uint32_t wave, struct wt_wave_view *v)
{
    const struct toy_wave *w = &device_of(m)->wave[wave];
    *v = (struct wt_wave_view){.active = w->active,
                               .waiting = w->active && w->at_barrier,
                               .wait_pc = w->wait_pc,
                               .pc = w->pc,
                               .mask = w->active ? 0xff : 0};
    if (!v->waiting)
        return;
    v->at_barrier = true;
    v->arrived = w->group->arrived;
    v->expected = w->group->waves;
    snprintf(v->wait, sizeof v->wait, "barrier: %u of %u waves have come", v->arrived, v->expected);
}

/* The mistake for which a wave has halted. */
static struct wt_fault *wave_fault(struct wt_machine *m, uint32_t wave)
{
    struct toy_wave *w = &device_of(m)->wave[wave];
    return w->active && w->debug.cause == TOY_FAILED ? &w->error : NULL;
}

static bool explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                    struct wt_explanation *out)
{
    uint32_t contents = 0;
    const bool local = addr - TOY_LOCAL < TOY_LOCAL_BYTES;
    *out = (struct wt_explanation){.space = local ? "local" : "global",
                                   .where = "memory",
                                   .landing = local ? addr - TOY_LOCAL : addr};
    out->usable = wt_pieces_read(m, wave, lane, addr, &contents, sizeof contents);
    out->contents = contents;
    return wave < m->waves && lane < TOY_LANES;
}

static bool describe_register(struct wt_machine *m, unsigned n, struct wt_register_shape *reg)
{
    *reg = (struct wt_register_shape){.bytes = 8, .per_lane = n < TOY_REGISTERS};
    return n <= TOY_REGISTERS; /* the last one is the PC */
}

static bool read_row(struct wt_machine *m, uint32_t wave, unsigned n, void *out)
{
    const struct toy_wave *w = &device_of(m)->wave[wave];
    if (wave >= m->waves || n > TOY_REGISTERS)
        return false;
    memcpy(out, n < TOY_REGISTERS ? (const void *)w->r[n] : &w->pc,
           n < TOY_REGISTERS ? sizeof w->r[n] : sizeof w->pc);
    return true;
}

static uint32_t debug_read(struct wt_machine *m, uint32_t addr)
{
    return device_of(m)->control;
}

static void debug_write(struct wt_machine *m, uint32_t addr, uint32_t value)
{
    struct toy_device *d = device_of(m);
    d->control = value & (TOY_STOP | TOY_HOLD | TOY_ATTEND);
    for (uint32_t i = 0; i < m->waves; i++) {
        if (!d->control) /* nobody debugs any more */
            d->wave[i].debug = (struct toy_debug){.cause = TOY_NO_CAUSE};
        toy_update_ready(&d->wave[i]);
    }
}

static const struct wt_machine_ops ops = {.family = "toy",
                                          .wave_word = "wave",
                                          .free = free_device,
                                          .reset = reset,
                                          .run = wt_engine_run,
                                          .run_traced = wt_engine_run_traced,
                                          .hash = hash,
                                          .program_hash = program_hash,
                                          .view = view,
                                          .wave_fault = wave_fault,
                                          .divergence = wt_machine_no_divergence,
                                          .read_memory = wt_pieces_read,
                                          .write_memory = wt_pieces_write,
                                          .explain = explain,
                                          .describe_register = describe_register,
                                          WT_MACHINE_NO_OPERANDS,
                                          WT_MACHINE_NO_PACE,
                                          .memory_model = &wt_machine_plain_memory,
                                          .read_row = read_row,
                                          .debug_read = debug_read,
                                          .debug_write = debug_write,
                                          .flush_console = wt_machine_no_console,
                                          .state = state,
                                          .watch_range = wt_watch_set_add_parts,
                                          .home = toy_home,
                                          .map = &toy_address_map};

struct toy_device *toy_new(const struct toy_config *config, bool hosted, struct wt_error *err)
{
    struct toy_device *d = calloc(1, sizeof *d);
    const struct wt_groups groups = {.ops = &toy_group_ops,
                                     .cores = config->cores,
                                     .waves_per_core = TOY_SLOTS,
                                     .groups_per_core = TOY_SLOTS,
                                     .group_bytes = sizeof(struct toy_group),
                                     .local_bytes = TOY_LOCAL_BYTES};
    if (d)
        d->config = *config;
    if (!d ||
        !wt_machine_init(&d->machine, &ops, &engine, &groups, TOY_LANES, sizeof *d->wave,
                         &d->config.device) ||
        wt_regions_add(&d->machine.regions, TOY_MEMORY, TOY_MEMORY_BYTES, true, err)) {
        if (d)
            free_device(&d->machine);
        wt_fail(err, WT_NO_MEMORY, "the host has no memory for a toy");
        return NULL;
    }
    d->wave = d->machine.wave;
    reset(&d->machine);
    return hosted && wt_in_process_begin(&d->machine, err) ? NULL : d;
}

/* ---- kernels ---- */

enum wt_status toy_load(struct toy_device *d, const uint8_t *file, size_t length,
                        const uint64_t *argument, struct toy_launch *launch, struct wt_error *err)
{
    struct toy_header h;
    enum wt_status status;
    if (length < sizeof h || memcmp(file, TOY_MAGIC, sizeof h.magic) != 0 ||
        length - sizeof h > TOY_ARGUMENTS - TOY_CODE)
        return wt_fail(err, WT_INVALID, "it is not a kernel of a toy");
    memcpy(&h, file, sizeof h);
    if (!launch->waves || launch->waves > TOY_SLOTS || h.local_bytes > TOY_LOCAL_BYTES)
        return wt_fail(err, WT_INVALID, "a group has 1 to %u waves, and %u bytes", TOY_SLOTS,
                       TOY_LOCAL_BYTES);
    launch->local_bytes = h.local_bytes;
    if ((status = wt_mapped_put(&d->machine, TOY_CODE, file + sizeof h, length - sizeof h, err)))
        return status;
    return wt_mapped_put(&d->machine, TOY_ARGUMENTS, argument, 8 * (size_t)(h.arguments & 63), err);
}

uint32_t toy_do_launch(struct wt_machine *m, const void *bytes, size_t size)
{
    struct toy_device *d = device_of(m);
    if (size != sizeof d->launch || m->active)
        return 0;
    memcpy(&d->launch, bytes, size);
    d->grid = (struct wt_launch_head){.active = d->launch.groups, .total = d->launch.groups};
    wt_groups_pump(m);
    return 1;
}

/* The order is part of the format of core files. */
const wt_input_operation toy_operations[] = {toy_do_launch, NULL};
