/* The toy's instructions, its groups, and the memory that waves can access. */
#include "emulator/machine/copy.h"
#include "emulator/machine/regions.h"
#include "toy.h"

#include <stdio.h>
#include <string.h>

#include "emulator/machine/meaning_code.h"

#define ROW(id, name, ...) static const uint8_t meaning_##id[] = {__VA_ARGS__ WT_M_END};
#include "isa.def"
#undef ROW
static const struct {
    const char *name;
    const uint8_t *meaning;
} rows[TOY_OPS] = {
#define ROW(id, name, ...) {name, meaning_##id},
#include "isa.def"
#undef ROW
};

const unsigned toy_op_count = TOY_OPS;

bool toy_fetch(struct toy_device *d, uint64_t pc, struct toy_insn *in)
{
    return wt_regions_hold(&d->machine.regions, pc, sizeof *in, false) &&
           wt_mapped_read(&d->machine, pc, in, sizeof *in);
}

void toy_text(const struct toy_insn *in, char *text, size_t size)
{
    snprintf(text, size, "%s r%u, r%u, r%u, %d", rows[in->op < TOY_OPS ? in->op : 0].name, in->a,
             in->b, in->c, in->immediate);
}

/* ---- memory ---- */

static bool in_local(uint64_t addr)
{
    return addr - TOY_LOCAL < TOY_LOCAL_BYTES;
}

static uint64_t group_home(const struct wt_machine *m, const struct wt_group_head *g)
{
    const struct toy_device *d = (const struct toy_device *)m;
    return (m->runs + d->launch.number) << 32 | (((const struct toy_group *)g)->number + 1);
}

uint64_t toy_home(struct wt_machine *m, uint32_t wave, uint64_t addr)
{
    const struct toy_device *d = (const struct toy_device *)m;
    if (!in_local(addr))
        return WT_HOME_NOW;
    return wave < m->waves && d->wave[wave].active ? group_home(m, &d->wave[wave].group->head)
                                                   : WT_HOME_NOWHERE;
}

static bool piece_at(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                     struct wt_mapped_piece *piece)
{
    const struct toy_device *d = (const struct toy_device *)m;
    const uint64_t room = WT_PAGE_SIZE - (addr & WT_PAGE_MASK), at = addr - TOY_WAVES;
    piece->size = piece->size < room ? piece->size : room;
    if (at < m->waves * sizeof *d->wave) {
        piece->host = (uint8_t *)d->wave + at;
        return at + piece->size <= m->waves * sizeof *d->wave;
    }
    if (!in_local(addr))
        return wt_regions_at(&d->machine.regions, addr);
    if (wave >= m->waves || !d->wave[wave].active)
        return false;
    piece->host = d->wave[wave].group->local + (addr - TOY_LOCAL);
    return true;
}

static const uint64_t bounds[] = {TOY_LOCAL, TOY_LOCAL + TOY_LOCAL_BYTES};
const struct wt_address_map toy_address_map = {.piece = piece_at, .bound = bounds, .bounds = 2};

/* ---- groups ---- */

static bool waiting(struct wt_machine *m)
{
    const struct toy_device *d = (const struct toy_device *)m;
    return d->grid.active && d->grid.next < d->grid.total;
}

static bool plan(struct wt_machine *m, uint32_t core, struct wt_group_plan *p)
{
    struct toy_device *d = (struct toy_device *)m;
    uint64_t open = ~m->groups.room[core].waves & ((1u << TOY_SLOTS) - 1);
    if (!waiting(m) || (uint32_t)__builtin_popcountll(open) < d->launch.waves)
        return false;
    *p = (struct wt_group_plan){.launch = &d->grid,
                                .coordinate = {(uint32_t)d->grid.next},
                                .local_size = d->launch.local_bytes,
                                .waves = d->launch.waves};
    for (uint32_t i = 0; i < p->waves; i++, open &= open - 1)
        p->slot[i] = (uint32_t)__builtin_ctzll(open);
    return true;
}

static void begin(struct wt_machine *m, struct wt_group_head *g, const struct wt_group_plan *p)
{
    ((struct toy_group *)g)->number = p->launch->next;
}

static bool start_wave(struct wt_machine *m, uint32_t wave, struct wt_group_head *g, unsigned index)
{
    struct toy_device *d = (struct toy_device *)m;
    struct toy_wave *w = &d->wave[wave];
    *w = (struct toy_wave){.id = wave,
                           .device = d,
                           .incarnation = w->incarnation + 1,
                           .left = w->left,
                           .index = (uint16_t)index,
                           .pc = TOY_CODE,
                           .debug = {.halted = d->control & TOY_HOLD}};
    wt_group_wave_begins(m, &w->head, g);
    toy_update_ready(w);
    return true;
}

static uint64_t launch_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return wt_machine_launch(m, ((const struct toy_device *)m)->launch.number);
}

static uint64_t entry_of(const struct wt_machine *m, const struct wt_group_head *g)
{
    return TOY_CODE;
}

static uint64_t private_asked(const struct wt_machine *m, const struct wt_wave_head *w)
{
    return 0;
}

const struct wt_group_ops toy_group_ops = {.launch = launch_of,
                                           .entry = entry_of,
                                           .home = group_home,
                                           .asked = wt_group_local_size,
                                           .private_asked = private_asked,
                                           .waiting = waiting,
                                           .plan = plan,
                                           .begin = begin,
                                           .start_wave = start_wave,
                                           .refusal = "a wave cannot be started"};

/* Those that wait go on once all waves of the group that are left have come. */
static void release_barrier(struct toy_group *g, struct toy_device *d)
{
    if (!g->waves || g->arrived < g->waves)
        return;
    g->arrived = 0;
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->wave[i].group == g && d->wave[i].at_barrier) {
            d->wave[i].at_barrier = false;
            wt_wave_tell_release(&d->machine, &d->wave[i].head, 0xff, 0);
            toy_update_ready(&d->wave[i]);
        }
}

static bool arrive(struct toy_wave *w)
{
    w->at_barrier = true;
    w->wait_pc = w->pc;
    w->pc += sizeof(struct toy_insn);
    w->group->arrived++;
    wt_wave_tell_arrival(&w->device->machine, &w->head, w->wait_pc, 0xff, 0);
    toy_update_ready(w);
    release_barrier(w->group, w->device);
    return false;
}

static bool end(struct toy_wave *w)
{
    struct toy_device *d = w->device;
    struct toy_group *g = w->group;
    wt_group_wave_leaves(&d->machine, &w->head);
    toy_update_ready(w);
    if (wt_group_wave_ended(&d->machine, &g->head))
        wt_launch_done(&d->machine, &d->grid, &g->head);
    else
        release_barrier(g, d);
    wt_groups_pump(&d->machine);
    return false;
}

/* ---- execution ---- */

/* A mistake: the wave halts if a debugger attends, else the device stops. */
static bool fail(struct toy_wave *w, enum wt_fault_kind kind, wt_lanes lanes, uint64_t addr,
                 const char *text)
{
    struct wt_machine *m = &w->device->machine;
    struct wt_fault fault = {.kind = kind,
                             .wave = w->id,
                             .id = wt_machine_wave_id(m, w->id),
                             .lanes = lanes,
                             .pc = w->pc,
                             .addr = addr,
                             .time = wt_issue_time(m, w->left)};
    snprintf(fault.text, sizeof fault.text, text, (unsigned long long)addr);
    wt_not_issued(m);
    if (!(w->device->control & TOY_ATTEND)) {
        m->fault = fault;
        return false;
    }
    w->error = fault;
    w->debug.halted = m->event = true;
    w->debug.cause = kind == WT_FAULT_TRAP ? TOY_AT_BREAK : TOY_FAILED;
    toy_update_ready(w);
    return false;
}

/* Whether all lanes may access their words: else the instruction has no effect. */
static bool may_access(struct toy_wave *w, const struct toy_insn *in, bool write)
{
    for (unsigned lane = 0; lane < TOY_LANES; lane++) {
        const uint64_t addr = w->r[in->b][lane] + (uint64_t)(int64_t)in->immediate;
        if (addr % 8)
            return fail(w, WT_FAULT_MISALIGNED, wt_lane_bit(lane), addr,
                        "a word at 0x%llx, which is not a multiple of 8");
        if (in_local(addr) ? addr - TOY_LOCAL + 8 > w->group->local_size
                           : !wt_regions_hold(&w->device->machine.regions, addr, 8, write))
            return fail(w, WT_FAULT_ACCESS, wt_lane_bit(lane), addr, "no memory is at 0x%llx");
    }
    return true;
}

static bool access(struct toy_wave *w, const struct toy_insn *in, bool write)
{
    struct wt_machine *m = &w->device->machine;
    if (!may_access(w, in, write))
        return false;
    for (unsigned lane = 0; lane < TOY_LANES; lane++) {
        const uint64_t addr = w->r[in->b][lane] + (uint64_t)(int64_t)in->immediate;
        uint64_t before, *value = &w->r[in->a][lane];
        wt_pieces_read(m, w->id, lane, addr, &before, 8);
        if (write && !wt_pieces_write(m, w->id, lane, addr, value, 8))
            return fail(w, WT_FAULT_HOST, wt_lane_bit(lane), addr, "no host memory for 0x%llx");
        if (write && !in_local(addr) && wt_in_process_reports(&m->process))
            wt_in_process_stored(&m->process, addr, value, 8);
        const struct wt_lane_access a = {.pc = w->pc,
                                         .kind = write ? WT_WATCH_WRITE : WT_WATCH_READ,
                                         .space = in_local(addr) ? WT_OBSERVED_GROUP
                                                                 : WT_OBSERVED_GLOBAL,
                                         .home = toy_home(m, w->id, addr),
                                         .lane = lane,
                                         .size = 8,
                                         .at = addr};
        if (m->watch)
            wt_engine_access(m, &w->head, &a, &before, write ? value : &before);
        if (!write)
            *value = before;
    }
    return true;
}

/* Executes a row by its meaning; the number of lanes that branch. */
static unsigned compute(struct toy_wave *w, const struct toy_insn *in)
{
    const uint8_t *condition = wt_meaning_jump(rows[in->op].meaning);
    unsigned taken = 0;
    for (unsigned i = 0; i < TOY_LANES; i++) {
        const struct wt_meaning_operands is = {
            .leaf = {[WT_M_A] = {w->r[in->b][i], 64},
                     [WT_M_B] = {w->r[in->c][i], 64},
                     [WT_M_OLD] = {w->r[in->a][i], 64},
                     [WT_M_OFFSET] = {(uint64_t)(int64_t)in->immediate, 64},
                     [WT_M_LANE] = {w->index * TOY_LANES + i, 64},
                     [WT_M_STATE] = {w->group->coordinate[0], 64}}};
        const uint8_t *at = condition ? condition : rows[in->op].meaning + 2; /* behind OUT(D, */
        const uint64_t value = wt_meaning_evaluate(&at, &is).value;
        if (condition)
            taken += value != 0;
        else
            w->r[in->a][i] = value;
    }
    return taken;
}

bool toy_execute(struct toy_wave *w)
{
    struct toy_insn in;
    uint64_t next = w->pc + sizeof in;
    unsigned taken = 0;
    const struct wt_watch_code *watched = wt_watch_set_code(w->device->machine.watch, w->pc);
    if (watched && wt_engine_stops_before(&w->device->machine, &w->head, watched, w->pc))
        return false;
    if (w->pc % sizeof in || !toy_fetch(w->device, w->pc, &in))
        return fail(w, WT_FAULT_ACCESS, 0xff, w->pc, "no code is at 0x%llx");
    if (!in.op || in.op >= TOY_OPS || (in.a | in.b | in.c) >= TOY_REGISTERS)
        return fail(w, WT_FAULT_ILLEGAL, 0xff, 0, "there is no such instruction");
    const uint64_t immediate = (uint64_t)(int64_t)in.immediate;
    uint64_t argument = 0, *a = w->r[in.a];
    switch ((enum toy_op)in.op) {
    case TOY_LOAD:
    case TOY_STORE:
        if (!access(w, &in, in.op == TOY_STORE))
            return false;
        break;
    case TOY_ARG:
        wt_mapped_read(&w->device->machine, TOY_ARGUMENTS + 8 * (immediate & 63), &argument, 8);
        for (unsigned i = 0; i < TOY_LANES; i++)
            a[i] = argument;
        break;
    case TOY_BREAK:
        return fail(w, WT_FAULT_TRAP, 0xff, 0, "a breakpoint, and no debugger");
    case TOY_BARRIER:
        return arrive(w);
    case TOY_END:
        return end(w);
    default:
        taken = compute(w, &in);
    }
    if (taken % TOY_LANES)
        return fail(w, WT_FAULT_DIVERGENCE, 0xff, 0, "lanes disagree about a branch");
    w->pc = taken ? next + immediate : next;
    return true;
}
