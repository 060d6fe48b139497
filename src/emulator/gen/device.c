/* The device as a machine: creation, reset, inspection, and reports of faults. */
#include "emulator/gen/internal.h"
#include "emulator/gen/message.h"
#include "emulator/gen/operands.h"
#include "emulator/machine/archive.h"
#include "emulator/machine/memory_model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gen_device *device_of(struct wt_machine *m)
{
    return (struct gen_device *)m;
}

void gen_update_ready(struct gen_thread *t)
{
    wt_turns_set_ready(&t->device->machine.turns, t->id, t->active && !t->waits && !t->held);
}

/* ---- mistakes ---- */

const struct gen_uop *gen_fault(struct gen_thread *t, const struct gen_uop *u,
                                enum wt_fault_kind kind, uint32_t lanes, uint64_t addr,
                                const char *format, ...)
{
    assert(t->active);
    struct wt_machine *m = &t->device->machine;
    va_list arguments;
    va_start(arguments, format);
    const struct wt_fault fault =
        wt_engine_fault(m, &t->head, kind, lanes, gen_pc_of(t, u), addr, format, arguments);
    va_end(arguments);
    wt_engine_stop(m, &t->head, &fault);
    return NULL;
}

const struct gen_uop *gen_no_memory(struct gen_thread *t, const struct gen_uop *u, uint32_t lanes,
                                    uint64_t addr)
{
    char why[128];
    wt_memory_refusal(t->device->machine.memory, why, sizeof why);
    return gen_fault(t, u, WT_FAULT_HOST, lanes, addr, "%s at 0x%llx: %s", u->insn.row->name,
                     (unsigned long long)addr, why);
}

/* ---- the machine's operations ---- */

void gen_device_free(struct gen_device *d)
{
    if (!d)
        return;
    for (uint32_t i = 0; d->thread && i < d->machine.waves; i++)
        free(d->thread[i].g);
    gen_trace_free(d);
    gen_blocks_free(d);
    wt_machine_end(&d->machine);
    free(d);
}

static void free_machine(struct wt_machine *m)
{
    gen_device_free(device_of(m));
}

/* Resets threads, walks and the time; memory and its mapping stay. */
static void reset(struct wt_machine *m)
{
    struct gen_device *d = device_of(m);
    wt_machine_begin_run(m);
    memset(d->walk, 0, sizeof d->walk);
    d->mcr_selector = 0;
    if (!d->debugged)
        d->td_ctl = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        struct gen_registers *g = d->thread[i].g;
        d->thread[i] = (struct gen_thread){.g = g, .device = d, .id = i};
    }
    wt_groups_reset(m);
}

static void view(struct wt_machine *m, uint32_t wave, struct wt_wave_view *view)
{
    assert(wave < m->waves && view);
    const struct gen_thread *t = &device_of(m)->thread[wave];
    *view = (struct wt_wave_view){
        .active = t->active,
        .waiting = t->active && t->waits,
        .wait_pc = t->wait_pc,
        .pc = t->pc,
        .mask = t->active ? t->mask : 0,
        .depth = t->active ? (unsigned)__builtin_popcount(t->waiting) : 0,
    };
    if (!view->waiting)
        return;
    if (!t->held && gen_has_attention(t)) {
        snprintf(view->wait, sizeof view->wait, "wait: stopped in the system routine");
        return;
    }
    view->at_barrier = t->group->arrived > 0;
    view->arrived = t->group->arrived;
    view->expected = t->group->waves;
    snprintf(view->wait, sizeof view->wait, "wait: %u of %u threads have signalled the barrier",
             t->group->arrived, t->group->waves);
}

/* A waiting channel is an entry: it executes again where its IP is. */
static bool divergence(struct wt_machine *m, uint32_t wave, unsigned index,
                       struct wt_divergence *entry)
{
    const struct gen_thread *t = &device_of(m)->thread[wave];
    uint32_t left = t->active ? t->waiting : 0;
    for (; index && left; index--)
        left &= left - 1;
    if (!left)
        return false;
    const unsigned channel = (unsigned)__builtin_ctz(left);
    *entry = (struct wt_divergence){.restore = t->mask | (uint32_t)1 << channel,
                                    .other = (uint32_t)1 << channel,
                                    .pc = t->base + t->wake[channel]};
    return true;
}

/* The value of an address register now. */
static bool address_of(const void *context, unsigned subreg, uint16_t *value)
{
    const struct gen_thread *t = context;
    if (t->g)
        *value = (uint16_t)wt_load_le(t->g->a0 + 2 * (subreg & 15), 2);
    return t->g;
}

static bool operands_at(struct wt_machine *m, uint32_t wave, uint64_t pc,
                        struct wt_insn_operands *operands)
{
    struct gen_device *d = (struct gen_device *)m;
    struct gen_word word = {0};
    struct gen_insn insn;
    uint8_t bytes[16] = {0};
    const char *why;
    if (!gen_device_read(d, pc, bytes, 16) && !gen_device_read(d, pc, bytes, 8))
        return false;
    word.low = wt_load_le(bytes, 8);
    word.high = wt_load_le(bytes + 8, 8);
    if (!gen_decode(&word, &insn, &why))
        return false;
    struct gen_thread *t = wave < m->waves ? &d->thread[wave] : NULL;
    gen_operands(&insn, t ? address_of : NULL, t, operands);
    if (insn.predicate && t && t->g && insn.row != &gen_rows[GEN_SEL]) {
        operands->steady = insn.predicate == 1 && !operands->indirect;
        operands->exact = operands->indirect = true;
        operands->enabled = (wt_lanes)gen_enabled(t, &insn) << insn.channel;
    } else if (t && t->g) {
        operands->enabled = (wt_lanes)gen_unpredicated(t, &insn) << insn.channel;
    }
    gen_list_meaning(&insn, operands);
    if (t && t->g && insn.row->format >= GEN_FORMAT_SEND && insn.row->format <= GEN_FORMAT_SENDS)
        gen_list_texels(t, &(struct gen_uop){.insn = insn}, operands);
    return true;
}

/* OpenCL C, "Memory Ordering Rules": work-items are independent. "barrier": all of them must reach
 * it. */
static const struct wt_memory_model memory_model = {.independent = true,
                                                    .loads_hide = true,
                                                    .locks = true,
                                                    .own_is_global = true,
                                                    .barriers_want_all = true};

static const struct wt_machine_ops machine_ops = {
    .family = "gen9",
    .wave_word = "thread",
    .free = free_machine,
    .reset = reset,
    .run = wt_engine_run,
    .run_traced = wt_engine_run_traced,
    .hash = gen_hash,
    .program_hash = gen_program_hash,
    .view = view,
    .wave_fault = wt_machine_no_wave_fault,
    .divergence = divergence,
    .read_memory = gen_read_memory,
    .explain = gen_explain,
    .write_memory = gen_write_memory,
    .debug_read = gen_debug_read,
    .debug_write = gen_debug_write,
    .flush_console = wt_machine_no_console,
    .state = gen_state,
    .watch_range = wt_watch_set_add_parts,
    .home = gen_home,
    .map = &gen_address_map,
    .describe_register = gen_describe_register,
    .operands = operands_at,
    .piece = gen_piece,
    .loop = wt_machine_no_loop,
    .fenced = wt_machine_no_fences,
    .guesses = wt_machine_no_guesses,
    WT_MACHINE_NO_ARRAYS,
    .origins = gen_origins,
    .find_operand = gen_find_operand,
    .read_cell = gen_read_cell,
    .unwritten = gen_unwritten,
    .lane_sources = wt_machine_no_lane_sources,
    .observed_place = wt_machine_shared_place,
    .name_operand = gen_operand_name,
    WT_MACHINE_NO_PACE,
    .memory_model = &memory_model,
    .operand_files = gen_operand_files,
    .read_row = gen_read_row,
};

enum wt_status gen_device_new(const struct gen_config *config, struct gen_device **device,
                              struct wt_error *err)
{
    assert(config && device && err && config->subslices >= 1);
    struct gen_device *d = calloc(1, sizeof *d);
    if (!d)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left");
    d->config = *config;
    const struct wt_groups groups = {.ops = &gen_group_ops,
                                     .cores = config->subslices,
                                     .waves_per_core = GEN_SUBSLICE_THREADS,
                                     .groups_per_core = GEN_SUBSLICE_THREADS,
                                     .group_bytes = sizeof *d->group,
                                     .local_bytes = GEN_SLM_BYTES};
    const bool ready = wt_machine_init(&d->machine, &machine_ops, &gen_engine_ops, &groups,
                                       GEN_CHANNELS, sizeof *d->thread, &d->config.device);
    d->thread = d->machine.wave;
    d->group = d->machine.groups.group;
    if (!ready) {
        gen_device_free(d);
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for %u subslices",
                       config->subslices);
    }
    gen_device_clear(d);
    *device = d;
    return WT_OK;
}

void gen_device_clear(struct gen_device *d)
{
    wt_memory_clear(d->machine.memory);
    d->root = GEN_TABLES;
    d->next_table = GEN_TABLES + WT_PAGE_SIZE;
    wt_machine_forget_code(&d->machine);
    reset(&d->machine);
}

struct wt_machine *gen_machine(struct gen_device *device)
{
    return &device->machine;
}

const struct wt_near *gen_device_near(const struct gen_device *device)
{
    return &device->near;
}
