/*
 * What tests of the debugger have in common: a Vortex emulator behind a register bus that can be
 * told to fail, as a target with or without its services, and a very small assembler.
 */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/vortex/vortex.h"
#include "debug/core/target.h"
#include "debug/vortex/vortex.h"
#include "debug/core/debugger.h"
#include "emulator/machine/machine.h"
#include "emulator/vortex/vortex.h"

#pragma GCC diagnostic ignored "-Wunused-function" /* no test uses all of it */

#define CODE 0x80000000u

struct rig_options {
    unsigned xlen, cores, warps, threads, dm_clock;
    bool ebreak_after; /* DPC convention of the RTL */
    bool dm_only;
    bool restless;   /* runs between any two transactions, as hardware does */
    unsigned stride; /* restless: so many issues between them; 0: 1000 */
    bool bare;       /* no services but the pump: as hardware would be */
    enum wt_thread_mode threads_mode;
    const char *schedule;
};

struct rig {
    struct wt_bus bus; /* first: the bus that the target sees */
    struct rig_options options;
    struct vx_device *device;
    struct wt_machine *machine;
    struct wt_target_services services;
    struct wt_vortex_link link;
    struct wt_target target;
    struct wt_debugger *d;
    const uint32_t *code;
    size_t words;
    char output[4096];
    size_t output_length;
    uint64_t accesses;
    uint64_t fail_at;        /* the access that fails, and all after it; 0: none */
    uint64_t hang_at;        /* from this access on no injection is ever done */
    unsigned pumps, returns; /* returns: those for an event */
    struct wt_watchpoint_hit hit[WT_WATCH_HITS];
    size_t watched; /* places that the target watches */
    struct wt_watchpoint *watchpoint;
};

static enum wt_status rig_transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                                   struct wt_error *err)
{
    struct rig *r = (struct rig *)bus;
    bus->round_trips++;
    for (size_t i = 0; i < count; i++) {
        r->accesses++;
        if (r->fail_at && r->accesses >= r->fail_at)
            return wt_fail(err, WT_IO, "the wire is cut");
        bool hung = r->hang_at && r->accesses >= r->hang_at;
        if (ops[i].write) {
            if (!(hung && ops[i].addr == VX_DM_DCTRL))
                vx_dm_write(r->device, ops[i].addr, ops[i].value);
        } else {
            ops[i].value = vx_dm_read(r->device, ops[i].addr);
            if (hung && ops[i].addr == VX_DM_DCTRL)
                ops[i].value |= 1u << 7; /* injectstate: REQ */
        }
    }
    if (r->options.restless)
        r->machine->ops->run(r->machine, r->options.stride ? r->options.stride : 1000);
    return WT_OK;
}

static void rig_close_bus(struct wt_bus *bus)
{
}

static const struct wt_bus_ops rig_bus_ops = {
    .name = "rig", .transact = rig_transact, .close = rig_close_bus};

static enum wt_pump rig_pump(void *context, uint64_t budget)
{
    struct rig *r = context;
    uint64_t before = r->machine->time;
    bool told = r->machine->fault.kind;
    r->pumps++;
    enum wt_run run = r->machine->ops->run(r->machine, budget);
    if (run == WT_RUN_BUDGET)
        return WT_PUMP_RAN;
    const bool event = run == WT_RUN_EVENT || run == WT_RUN_WATCH || r->machine->time != before ||
                       (run == WT_RUN_FAULT && !told);
    r->returns += event;
    return event ? WT_PUMP_EVENT : WT_PUMP_IDLE;
}

static bool rig_read(void *context, uint32_t wave, unsigned lane, struct wt_address addr, void *out,
                     size_t size)
{
    struct rig *r = context;
    return r->machine->ops->read_memory(r->machine, wave, lane, addr.offset, out, size);
}

static bool rig_write(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                      const void *bytes, size_t size)
{
    struct rig *r = context;
    return r->machine->ops->write_memory(r->machine, wave, lane, addr.offset, bytes, size);
}

static bool rig_detail(void *context, uint32_t wave, wt_wave_id id, struct wt_wave_detail *detail)
{
    struct rig *r = context;
    r->machine->ops->view(r->machine, wave, &detail->view);
    detail->waiter_count = 0;
    for (unsigned i = detail->view.depth; i-- > 0;) {
        struct wt_divergence entry;
        if (r->machine->ops->divergence(r->machine, wave, i, &entry) && entry.other)
            detail->waiter[detail->waiter_count++] =
                (struct wt_wave_waiters){entry.other, entry.pc};
    }
    return true;
}

static const struct wt_fault *rig_fault(void *context)
{
    const struct wt_fault *f = &((struct rig *)context)->machine->fault;
    return f->kind != WT_FAULT_NONE ? f : NULL;
}

static void rig_clear_fault(void *context)
{
    wt_machine_clear_fault(((struct rig *)context)->machine);
}

static wt_wave_id rig_wave_id(void *context, wt_wave_handle wave)
{
    struct rig *r = context;
    return wt_machine_wave_id(r->machine, wave);
}

static uint64_t rig_time(void *context)
{
    return ((struct rig *)context)->machine->time;
}

static bool rig_read_row(void *context, uint32_t wave, unsigned number, bool per_lane,
                         unsigned size, void *row)
{
    struct wt_machine *m = ((struct rig *)context)->machine;
    struct wt_register_shape reg;
    uint8_t values[WT_ROW_BYTES];
    if (!m->ops->describe_register(m, number, &reg) || !m->ops->read_row(m, wave, number, values))
        return false;
    for (unsigned lane = 0; lane < (per_lane ? m->lanes : 1); lane++)
        wt_store_le((uint8_t *)row + (size_t)lane * size,
                    wt_load_le(values + (reg.per_lane ? (size_t)lane * reg.bytes : 0), reg.bytes),
                    size);
    return true;
}

/* The context of a condition is the watchpoint's. */
static wt_lanes rig_holds(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                          wt_lanes mask, uint64_t time)
{
    const struct wt_watchpoint *w = context;
    return w->holds(w->context, wave, pc, mask, time);
}

static enum wt_status rig_watch(void *context, const struct wt_watchpoint *list, size_t count,
                                struct wt_error *err)
{
    static const enum wt_watch_kind kinds[] = {[WT_WATCHPOINT_WRITE] = WT_WATCH_WRITE,
                                               [WT_WATCHPOINT_READ] = WT_WATCH_READ,
                                               [WT_WATCHPOINT_ACCESS] = WT_WATCH_ACCESS,
                                               [WT_WATCHPOINT_EXECUTE] = WT_WATCH_EXECUTE};
    struct rig *r = context;
    struct wt_watch *watch = calloc(count ? count : 1, sizeof *watch);
    struct wt_watchpoint *copy = calloc(count ? count : 1, sizeof *copy);
    if (count)
        memcpy(copy, list, count * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        watch[i] = (struct wt_watch){.kind = kinds[list[i].kind],
                                     .addr = list[i].addr.offset,
                                     .size = list[i].size,
                                     .wave = list[i].wave,
                                     .changes = list[i].changes,
                                     .holds = list[i].holds ? rig_holds : NULL,
                                     .context = &copy[i]};
    const bool ok = wt_set_watches(r->machine, watch, count);
    free(watch);
    free(r->watchpoint);
    r->watchpoint = copy;
    r->watched = count;
    return ok ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static size_t rig_watch_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct rig *r = context;
    const size_t count = r->machine->hits;
    for (size_t i = 0; i < count; i++) {
        const struct wt_watch_hit *h = &r->machine->hit[i];
        const bool execute = h->kind == WT_WATCH_EXECUTE;
        r->hit[i] = (struct wt_watchpoint_hit){.execute = execute,
                                               .mask = h->mask,
                                               .lanes = h->hits,
                                               .read = !execute && h->kind != WT_WATCH_WRITE,
                                               .write = !execute && h->kind != WT_WATCH_READ,
                                               .time = h->time,
                                               .wave = h->wave,
                                               .id = h->id,
                                               .lane = h->lane,
                                               .pc = h->pc,
                                               .addr = wt_address_of(h->addr),
                                               .size = h->size};
        memcpy(r->hit[i].before, h->before, 16);
        memcpy(r->hit[i].after, h->after, 16);
    }
    r->machine->hits = 0;
    *list = r->hit;
    return count;
}

/* Registers as numbers: all of the lowest lane, then those of the next. */
static enum wt_status rig_read_values(const struct wt_probe_ops *ops, struct wt_probe *p,
                                      uint32_t wave, wt_lanes lanes, const unsigned *index,
                                      size_t count, uint64_t *value, struct wt_error *err)
{
    const struct wt_topology *t = ops->topology(p);
    const unsigned lane_count = wt_lanes_count(lanes);
    uint8_t *rows = malloc(8 * count * lane_count), *row = rows;
    const enum wt_status status = ops->read_rows(p, wave, lanes, index, count, rows, err);
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = &t->registers[index[i]];
        const size_t size = wt_register_size(r);
        for (unsigned k = 0; k < lane_count; k++)
            value[k * count + i] =
                wt_load_le(row + (r->scope == WT_SCOPE_LANE ? k * size : 0), size);
        row += wt_register_row(r, lanes);
    }
    free(rows);
    return status;
}

static enum wt_status rig_load(struct rig *r, struct wt_error *err)
{
    struct wt_segment segment = {.addr = CODE,
                                 .size = 4 * r->words,
                                 .bytes = (uint8_t *)(uintptr_t)r->code,
                                 .length = 4 * r->words,
                                 .executable = true};
    struct wt_image image = {.format = WT_IMAGE_RAW,
                             .has_entry = true,
                             .entry = CODE,
                             .bits = r->options.xlen,
                             .segment = &segment,
                             .segments = 1};
    return vx_device_load(r->device, &image, err);
}

static enum wt_status rig_reload(void *context, struct wt_error *err)
{
    return rig_load(context, err);
}

static void rig_output(void *context, const char *text, size_t length)
{
    struct rig *r = context;
    if (r->output_length + length < sizeof r->output) {
        memcpy(r->output + r->output_length, text, length);
        r->output_length += length;
        r->output[r->output_length] = 0;
    }
}

/* A device with a program, and no debugger yet. */
static struct rig *rig_device(const struct rig_options *options, const uint32_t *code, size_t words)
{
    struct wt_error err = {0};
    struct rig *r = calloc(1, sizeof *r);
    struct vx_config config;
    vx_config_default(&config);
    r->options = *options;
    if (!r->options.xlen)
        r->options.xlen = 32;
    config.xlen = r->options.xlen;
    config.cores = options->cores ? options->cores : 1;
    config.warps = options->warps ? options->warps : 4;
    config.threads = options->threads ? options->threads : 4;
    config.dm_clock = options->dm_clock;
    config.ebreak_pc_after = options->ebreak_after;
    if (options->schedule && wt_schedule_parse(options->schedule, &config.schedule, &err))
        abort();
    r->code = code;
    r->words = words;
    if (vx_device_new(&config, &r->device, &err) || rig_load(r, &err)) {
        fprintf(stderr, "rig: %s\n", err.text);
        abort();
    }
    r->machine = vx_machine(r->device);
    r->bus.ops = &rig_bus_ops;
    r->services = (struct wt_target_services){.pump = rig_pump};
    if (!options->bare)
        r->services = (struct wt_target_services){
            .pump = rig_pump,
            .read_memory = rig_read,
            .write_memory = rig_write,
            .read_row = rig_read_row,
            .wave_detail = rig_detail,
            .fault = rig_fault,
            .clear_fault = rig_clear_fault,
            .reload = rig_reload,
            .wave_id = rig_wave_id,
            .time = rig_time,
            .set_watchpoints = rig_watch,
            .watchpoint_hits = rig_watch_hits,
        };
    r->target = (struct wt_target){.link = &r->link, .services = &r->services, .context = r};
    r->link = (struct wt_vortex_link){.bus = &r->bus, .exit_addr = 0x88};
    return r;
}

/* The same with a debugger, halted at its first instruction. */
static struct rig *rig_new(const struct rig_options *options, const uint32_t *code, size_t words)
{
    struct wt_error err = {0};
    struct rig *r = rig_device(options, code, words);
    const struct wt_debugger_options how = {.dm_only = options->dm_only,
                                            .threads = options->threads_mode,
                                            .output = rig_output,
                                            .context = r};
    if (wt_debugger_open(&r->target, &wt_probe_vortex, &how, &r->d, &err) ||
        wt_debugger_reset(r->d, &err)) {
        fprintf(stderr, "rig: %s\n", err.text);
        abort();
    }
    return r;
}

static void rig_free(struct rig *r)
{
    wt_debugger_close(r->d);
    vx_device_free(r->device);
    free(r->watchpoint);
    free(r);
}

/* ---- instructions ---- */

enum { X0, RA, SP, GP, TP, T0, T1, T2, FP, S1, A0, A1, A2, A3, A4, A5, A6, A7, S2, S3, S4, S5 };

#define U32(x) ((uint32_t)(x))
#define I(op, rd, f3, rs1, imm)                                                                    \
    (U32(imm) << 20 | U32(rs1) << 15 | U32(f3) << 12 | U32(rd) << 7 | U32(op))
#define R(op, rd, f3, rs1, rs2)                                                                    \
    (U32(rs2) << 20 | U32(rs1) << 15 | U32(f3) << 12 | U32(rd) << 7 | U32(op))
#define B(f3, rs1, rs2, by)                                                                        \
    ((U32(by) >> 12 & 1) << 31 | (U32(by) >> 5 & 63) << 25 | U32(rs2) << 20 | U32(rs1) << 15 |     \
     U32(f3) << 12 | (U32(by) >> 1 & 15) << 8 | (U32(by) >> 11 & 1) << 7 | 0x63)
#define J(rd, by)                                                                                  \
    ((U32(by) >> 20 & 1) << 31 | (U32(by) >> 1 & 1023) << 21 | (U32(by) >> 11 & 1) << 20 |         \
     (U32(by) >> 12 & 255) << 12 | U32(rd) << 7 | 0x6f)
#define ADDI(rd, rs, imm) I(0x13, rd, 0, rs, imm)
#define ANDI(rd, rs, imm) I(0x13, rd, 7, rs, imm)
#define CSRR(rd, csr) I(0x73, rd, 2, X0, csr)
#define LW(rd, rs, imm) I(0x03, rd, 2, rs, imm)
#define SW(rs2, rs1, imm)                                                                          \
    (((uint32_t)(imm) >> 5 & 127) << 25 | (uint32_t)(rs2) << 20 | (uint32_t)(rs1) << 15 |          \
     2 << 12 | ((uint32_t)(imm)&31) << 7 | 0x23)
#define AUIPC(rd, imm) ((uint32_t)(imm) << 12 | (uint32_t)(rd) << 7 | 0x17)
#define BEQZ(rs, by) B(0, rs, X0, by)
#define BNEZ(rs, by) B(1, rs, X0, by)
#define TMC(rs) R(0x0b, X0, 0, rs, X0)
#define WSPAWN(rs1, rs2) R(0x0b, X0, 1, rs1, rs2)
#define SPLIT(rd, rs) R(0x0b, rd, 2, rs, X0)
#define JOIN(rs) R(0x0b, X0, 3, rs, X0)
#define BAR(rs1, rs2) R(0x0b, X0, 4, rs1, rs2)
#define EBREAK 0x00100073u

#endif
