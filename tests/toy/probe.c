/* The toy's probe, over debug/standstill. */
#include "probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "debug/standstill/standstill.h"
#include "toy.h"

struct row {
    struct wt_standstill_row common; /* first */
    struct toy_state state;
};

struct wt_probe {
    struct wt_standstill common; /* first */
    const struct toy_link *link;
    struct wt_space space[2];
    struct wt_register reg[TOY_REGISTERS + 1];
    char name[TOY_REGISTERS][4];
};

static struct row *row_of(struct wt_probe *p, uint32_t wave)
{
    return (struct row *)wt_standstill_row(p, wave);
}

static enum wt_status ask(struct wt_probe *p, struct wt_wire_request request, const void *more,
                          void *out, size_t room, struct wt_error *err)
{
    struct wt_wire_answer answer;
    const struct wt_link *link = &p->link->common;
    const enum wt_status status =
        link->ops->ask(link->context, &request, more, &answer, out, room, err);
    if (status || (answer.result >= 0 && answer.size == room))
        return status;
    return wt_fail(err, WT_INVALID, "the toy refuses request 0x%x at 0x%llx",
                   (unsigned)request.verb, (unsigned long long)request.addr);
}

static enum wt_status command(struct wt_probe *p, uint32_t addr, uint32_t value,
                              struct wt_error *err)
{
    struct wt_wire_register reg = {.addr = addr, .write = 1, .value = value};
    return p->link->common.ops->registers(p->link->common.context, 0, &reg, 1, err);
}

/* ---- standing still ---- */

static enum wt_status take(struct wt_probe *p, uint32_t wave, const struct toy_state *s,
                           struct wt_error *err)
{
    static const enum wt_halt_cause causes[] = {[TOY_AT_BREAK] = WT_HALT_BREAKPOINT,
                                                [TOY_STEPPED] = WT_HALT_STEP,
                                                [TOY_FAILED] = WT_HALT_EXCEPTION};
    struct row *row = row_of(p, wave);
    struct wt_standstill_launch *launch;
    row->common.present = s->present;
    row->common.run &= row->common.present;
    if (!s->present)
        return WT_OK;
    const uint64_t key[2] = {0};
    const enum wt_status status = wt_standstill_find_launch(p, s->dispatch, key, &launch, err);
    if (status)
        return status;
    if (row->common.wave.id != s->id)
        *row = (struct row){.common = {.present = true,
                                       .run = !p->common.hold,
                                       .cause = WT_HALT_REQUEST,
                                       .wave = {.id = s->id,
                                                .lanes = TOY_LANES,
                                                .dispatch = s->dispatch,
                                                .group = {s->group},
                                                .index = s->index,
                                                .block = {s->waves * TOY_LANES, 1, 1},
                                                .grid = {s->groups * s->waves * TOY_LANES, 1, 1},
                                                .arguments = TOY_ARGUMENTS}}};
    row->state = *s;
    if (row->common.run && s->cause) {
        row->common.run = row->common.step = false;
        row->common.cause = causes[s->cause % (TOY_FAILED + 1)];
    }
    return WT_OK;
}

static enum wt_status stop(struct wt_probe *p, struct wt_error *err)
{
    struct toy_state list[TOY_MOST_CORES * TOY_SLOTS];
    enum wt_status status = command(p, TOY_CONTROL, TOY_ATTEND | TOY_STOP, err);
    const size_t size = p->common.topology.waves * sizeof *list;
    if (!status)
        status = ask(p, (struct wt_wire_request){.verb = TOY_LIST}, NULL, list, size, err);
    if (status)
        return status;
    p->common.still = true;
    wt_standstill_begin_list(p);
    for (uint32_t i = 0; i < p->common.topology.waves && !status; i++)
        status = take(p, i, &list[i], err);
    return status;
}

static enum wt_status go(struct wt_probe *p, uint32_t only, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < p->common.topology.waves && !status; i++) {
        const struct wt_standstill_row *row = wt_standstill_row(p, i);
        const bool goes = row->run && (only == WT_NO_HANDLE || i == only);
        if (row->present)
            status = command(p, 1 + i, !goes ? TOY_HALT : row->step ? TOY_STEP : TOY_RUN, err);
    }
    const uint32_t hold = p->common.hold || only != WT_NO_HANDLE ? TOY_HOLD : 0;
    return status ? status : command(p, TOY_CONTROL, TOY_ATTEND | hold, err);
}

static void view(const struct wt_standstill_row *row, uint64_t *pc, wt_lanes *mask)
{
    *pc = ((const struct row *)row)->state.pc;
    *mask = 0xff;
}

static void exception(const struct wt_standstill_row *row, struct wt_probe_exception *out)
{
    *out = (struct wt_probe_exception){.fault = ((const struct row *)row)->state.error};
}

static enum wt_status read_rows(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++) {
        uint64_t row[TOY_LANES];
        const bool is_pc = index[i] == TOY_REGISTERS;
        status =
            ask(p, (struct wt_wire_request){.verb = TOY_READ_ROW, .wave = wave, .number = index[i]},
                NULL, row, is_pc ? 8 : sizeof row, err);
        for (unsigned lane = 0; lane < (is_pc ? 1 : TOY_LANES) && !status; lane++)
            if (is_pc || wt_has_lane(lanes, lane)) {
                wt_store_le(out, row[lane], 8);
                out += 8;
            }
    }
    return status;
}

static enum wt_status write_row(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                unsigned index, const uint8_t *bytes, struct wt_error *err)
{
    struct toy_row row = {.wave = wave, .number = index, .lanes = (uint32_t)lanes};
    for (unsigned lane = 0; lane < TOY_LANES; lane++)
        if (index == TOY_REGISTERS || wt_has_lane(lanes, lane)) {
            row.value[lane] = wt_load_le(bytes, 8);
            bytes += index == TOY_REGISTERS ? 0 : 8;
        }
    if (index == TOY_REGISTERS)
        row_of(p, wave)->state.pc = row.value[0];
    return ask(p, (struct wt_wire_request){.verb = TOY_WRITE_ROW, .follows = sizeof row}, &row,
               NULL, 0, err);
}

static const struct wt_standstill_ops standstill = {.stop = stop,
                                                    .go = go,
                                                    .view = view,
                                                    .exception = exception,
                                                    .read_rows = read_rows,
                                                    .write_row = write_row};

/* ---- memory ---- */

static enum wt_status read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                  struct wt_address addr, void *out, size_t size,
                                  struct wt_error *err)
{
    addr = wt_address_generic(&p->common.topology, addr);
    return wt_link_read(&p->link->common, wave, lane, addr.offset, out, size, err);
}

static enum wt_status write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_address addr, const void *bytes, size_t size,
                                   struct wt_error *err)
{
    addr = wt_address_generic(&p->common.topology, addr);
    return wt_link_write(&p->link->common, wave, lane, addr.offset, bytes, size, err);
}

/* ---- code ---- */

static enum wt_status window(struct wt_probe *p, uint64_t addr, struct wt_window *window,
                             struct wt_error *err)
{
    *window = (struct wt_window){.addr = addr, .size = 8, .least = 8};
    return addr % 8 ? wt_fail(err, WT_INVALID, "no instruction begins there") : WT_OK;
}

static void patch(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                  struct wt_patch *patch)
{
    *patch = (struct wt_patch){.addr = addr, .size = 1, .bytes = {TOY_BREAK}, .mask = {0xff}};
}

static void decode(struct wt_probe *p, uint64_t addr, const struct wt_window *window,
                   struct wt_instruction *in)
{
    static const enum wt_instruction_kind kinds[TOY_OPS] = {[TOY_BRANCH] = WT_INSTRUCTION_BRANCH,
                                                            [TOY_BARRIER] = WT_INSTRUCTION_BARRIER,
                                                            [TOY_BREAK] = WT_INSTRUCTION_TRAP,
                                                            [TOY_END] = WT_INSTRUCTION_END};
    *in = (struct wt_instruction){
        .length = 8, .kind = kinds[window->bytes[0] % TOY_OPS], .written = -1};
}

/* ---- opening ---- */

static void probe_close(struct wt_probe *p)
{
    for (uint32_t i = 0; i < p->common.topology.waves && p->link->common.host_launches; i++)
        command(p, 1 + i, TOY_RUN, WT_IGNORED);
    if (p->link->common.host_launches)
        command(p, TOY_CONTROL, 0, WT_IGNORED);
    wt_standstill_close(p);
    free(p);
}

static enum wt_status probe_open(const struct wt_target *target, bool use_memory_port,
                                 struct wt_probe **probe, struct wt_error *err)
{
    struct wt_probe *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the probe");
    p->link = target->link;
    p->space[0] = (struct wt_space){
        .name = "global", .dwarf = -1, .scope = WT_SCOPE_DEVICE, .address_bits = 64};
    p->space[1] = (struct wt_space){.name = "local",
                                    .dwarf = -1,
                                    .scope = WT_SCOPE_GROUP,
                                    .address_bits = 32,
                                    .aperture = TOY_LOCAL};
    for (unsigned i = 0; i <= TOY_REGISTERS; i++) {
        const bool is_pc = i == TOY_REGISTERS;
        if (!is_pc)
            snprintf(p->name[i], sizeof p->name[i], "r%u", i % 100);
        p->reg[i] = (struct wt_register){.name = is_pc ? "pc" : p->name[i],
                                         .set = "general",
                                         .scope = is_pc ? WT_SCOPE_WAVE : WT_SCOPE_LANE,
                                         .role = is_pc ? WT_ROLE_PC : WT_ROLE_NONE,
                                         .bits = 64,
                                         .number = i,
                                         .dwarf = -1,
                                         .code = i};
    }
    p->common.topology = (struct wt_topology){.family = "toy",
                                              .arch = "toy",
                                              .triple = "toy",
                                              .clusters = 1,
                                              .cores = p->link->waves / TOY_SLOTS,
                                              .waves_per_core = TOY_SLOTS,
                                              .waves = p->link->waves,
                                              .host_launches = p->link->common.host_launches,
                                              .lanes = TOY_LANES,
                                              .wave_word = "wave",
                                              .lane_word = "lane",
                                              .has_grid = true,
                                              .code_granule = 8,
                                              .spaces = p->space,
                                              .space_count = 2,
                                              .address_bits = 64,
                                              .registers = p->reg,
                                              .register_count = TOY_REGISTERS + 1,
                                              .pc_index = TOY_REGISTERS};
    enum wt_status status =
        wt_standstill_open(p, &standstill, &p->link->common, sizeof(struct row), err);
    if (!status)
        status = command(p, TOY_CONTROL, TOY_ATTEND, err);
    if (status)
        probe_close(p);
    else
        *probe = p;
    return status;
}

const struct wt_probe_ops toy_probe = {
    .family = "toy",
    .open = probe_open,
    .close = probe_close,
    .window = window,
    .patch = patch,
    .decode = decode,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .resume = wt_standstill_resume,
    .step = wt_standstill_step,
    .replaced = wt_standstill_replaced,
    WT_STANDSTILL_OPERATIONS,
};
