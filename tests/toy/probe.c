/* The toy's probe, over debug/standstill. */
#include <string.h>

#include "base/bits.h"
#include "debug/standstill/standstill.h"
#include "toy.h"

struct row {
    struct wt_standstill_row common; /* first */
    struct toy_wave state;
};

struct wt_probe {
    struct wt_standstill common;
};

/* Where a debugger finds a member of a wave. */
static uint64_t place_of(uint32_t wave, size_t member)
{
    return TOY_WAVES + wave * sizeof(struct toy_wave) + member;
}

static enum wt_status control(struct wt_probe *p, uint32_t value, struct wt_error *err)
{
    struct wt_wire_register reg = {TOY_CONTROL, .write = 1, .value = value};
    return p->common.link->ops->registers(p->common.link->context, 0, &reg, 1, err);
}

/* ---- standing still ---- */

static enum wt_status take(struct wt_probe *p, uint32_t wave, const struct toy_wave *s,
                           struct wt_error *err)
{
    static const enum wt_halt_cause causes[] = {[TOY_AT_BREAK] = WT_HALT_BREAKPOINT,
                                                [TOY_STEPPED] = WT_HALT_STEP,
                                                [TOY_FAILED] = WT_HALT_EXCEPTION};
    struct row *row = (struct row *)wt_standstill_row(p, wave);
    struct wt_standstill_launch *launch;
    row->common.present = s->active;
    row->common.run &= row->common.present;
    if (!s->active)
        return WT_OK;
    const uint32_t lanes = s->launch.waves * TOY_LANES;
    const uint64_t key[2] = {0};
    const enum wt_status status = wt_standstill_find_launch(p, s->dispatch, key, &launch, err);
    if (status)
        return status;
    if (row->common.wave.id != s->name)
        *row = (struct row){.common = {.present = true,
                                       .run = !p->common.hold,
                                       .cause = WT_HALT_REQUEST,
                                       .wave = {.id = s->name,
                                                .lanes = TOY_LANES,
                                                .dispatch = s->dispatch,
                                                .group = {s->number},
                                                .index = s->index,
                                                .block = {lanes, 1, 1},
                                                .grid = {s->launch.groups * lanes, 1, 1},
                                                .arguments = TOY_ARGUMENTS}}};
    row->state = *s;
    if (row->common.run && s->debug.cause) {
        row->common.run = row->common.step = false;
        row->common.cause = causes[s->debug.cause % (TOY_FAILED + 1)];
    }
    return WT_OK;
}

static enum wt_status stop(struct wt_probe *p, struct wt_error *err)
{
    struct toy_wave list[TOY_MOST_CORES * TOY_SLOTS];
    enum wt_status status = control(p, TOY_ATTEND | TOY_STOP, err);
    memset(list, 0, sizeof list);
    if (!status)
        status = wt_link_read(p->common.link, 0, 0, TOY_WAVES, list,
                              p->common.topology.waves * sizeof *list, err);
    if (status && status != WT_INVALID) /* a program that is not being run has no memory */
        return status;
    status = WT_OK;
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
        struct toy_debug *debug = &((struct row *)row)->state.debug;
        const bool goes = row->run && (only == WT_NO_HANDLE || i == only);
        *debug = (struct toy_debug){.halted = !goes,
                                    .steps = goes && row->step,
                                    .cause = goes ? TOY_NO_CAUSE : debug->cause};
        if (row->present)
            status =
                wt_link_write(p->common.link, i, 0, place_of(i, offsetof(struct toy_wave, debug)),
                              debug, sizeof *debug, err);
    }
    const uint32_t hold = p->common.hold || only != WT_NO_HANDLE ? TOY_HOLD : 0;
    return status ? status : control(p, TOY_ATTEND | hold, err);
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

/* A register's code is where it is in struct toy_wave. */
static enum wt_status read_rows(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                const unsigned *index, size_t count, uint8_t *out,
                                struct wt_error *err)
{
    const uint8_t *state = (const uint8_t *)&((struct row *)wt_standstill_row(p, wave))->state;
    for (size_t i = 0; i < count; i++) {
        const struct wt_register *r = &p->common.registers[index[i]];
        out = wt_lanes_gather(r->scope == WT_SCOPE_LANE ? lanes : 1, state + r->code, 8, out);
    }
    return WT_OK;
}

static enum wt_status write_row(struct wt_probe *p, wt_wave_handle wave, wt_lanes lanes,
                                unsigned index, const uint8_t *bytes, struct wt_error *err)
{
    const struct wt_register *r = &p->common.registers[index];
    uint8_t *state = (uint8_t *)&((struct row *)wt_standstill_row(p, wave))->state + r->code;
    const unsigned words = r->scope == WT_SCOPE_LANE ? TOY_LANES : 1;
    for (unsigned lane = 0; lane < words; lane++)
        if (words == 1 || wt_has_lane(lanes, lane)) {
            memcpy(state + 8 * lane, bytes, 8);
            bytes += 8;
        }
    return wt_link_write(p->common.link, wave, 0, place_of(wave, r->code), state, 8 * words, err);
}

/* ---- memory ---- */

static enum wt_status read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                  struct wt_address addr, void *out, size_t size,
                                  struct wt_error *err)
{
    addr = wt_address_generic(&p->common.topology, addr);
    return wt_link_read(p->common.link, wave, lane, addr.offset, out, size, err);
}

static enum wt_status write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                   struct wt_address addr, const void *bytes, size_t size,
                                   struct wt_error *err)
{
    addr = wt_address_generic(&p->common.topology, addr);
    return wt_link_write(p->common.link, wave, lane, addr.offset, bytes, size, err);
}

/* ---- code ---- */

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
    *in = (struct wt_instruction){.length = 8,
                                  .kind = window->bytes[0] < TOY_OPS ? kinds[window->bytes[0]]
                                                                     : kinds[0],
                                  .written = -1};
}

/* ---- opening ---- */

static enum wt_status describe(struct wt_probe *p, struct wt_error *err)
{
    static const struct wt_space spaces[] = {
        {.name = "global", .dwarf = -1, .scope = WT_SCOPE_DEVICE, .address_bits = 64},
        {.name = "local",
         .dwarf = -1,
         .scope = WT_SCOPE_GROUP,
         .address_bits = 32,
         .aperture = TOY_LOCAL}};
    static const struct wt_register pc =
        WT_REGISTER("pc", "general", WAVE, INT, 64, TOY_REGISTERS, offsetof(struct toy_wave, pc),
                    .dwarf = -1, .role = WT_ROLE_PC);
    static const struct wt_register_range rows[] = {
        {"r", 0, TOY_REGISTERS, 8 * TOY_LANES,
         WT_REGISTER(NULL, "general", LANE, INT, 64, 0, offsetof(struct toy_wave, r), .dwarf = -1)},
        {0}};
    p->common.topology = (struct wt_topology){.family = "toy",
                                              .arch = "toy",
                                              .triple = "toy",
                                              .waves_per_core = TOY_SLOTS,
                                              .lanes = TOY_LANES,
                                              .wave_word = "wave",
                                              .lane_word = "lane",
                                              .code_granule = 8,
                                              .code_longest = 8,
                                              .spaces = spaces,
                                              .space_count = 2,
                                              .address_bits = 64};
    return wt_standstill_describe_registers(p, &pc, 1, rows, err);
}

static enum wt_status attend(struct wt_probe *p, struct wt_error *err)
{
    return control(p, TOY_ATTEND, err);
}

static void let_go(struct wt_probe *p)
{
    if (p->common.link->host_launches)
        control(p, 0, WT_IGNORED);
}

static const struct wt_standstill_ops standstill = {.stop = stop,
                                                    .go = go,
                                                    .view = view,
                                                    .exception = exception,
                                                    .read_rows = read_rows,
                                                    .write_row = write_row};

static const struct wt_standstill_kind kind = {.ops = &standstill,
                                               .probe_size = sizeof(struct wt_probe),
                                               .row_size = sizeof(struct row),
                                               .describe = describe,
                                               .begin = attend,
                                               .end = let_go};

const struct wt_probe_ops toy_probe = {
    .family = "toy",
    .standstill = &kind,
    .window = wt_standstill_window,
    .patch = patch,
    .decode = decode,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .replaced = wt_standstill_replaced,
    WT_STANDSTILL_OPERATIONS,
};
