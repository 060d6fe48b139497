/* The code of a breakpoint, on a machine. See condition.h. */
#include "emulator/machine/condition.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/work_item.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/mapped.h"
#include "expr/condition_wire.h"
#include "expr/wire.h"

struct judged_code {
    struct wt_expr *expr;
    struct wt_expr_source *source;
    struct wt_register_shape *shape; /* … of each that is a register */
    const uint64_t **row;
    size_t sources;
};

struct judged_part {
    struct wt_condition_part head;
    struct judged_code *code; /* the conditions, then the message */
    size_t count;             /* among the counts */
    wt_lanes holding;         /* at this arrival, by the numbers of lanes */
};

struct wt_condition {
    struct wt_condition_head head;
    struct judged_part *part;
    struct wt_condition_counts *counts;
    uint64_t *cell; /* room for the rows of an expression */
    /* The last arrival. A machine asks twice for one that stops, and once more for an instruction
     * that was undone. */
    uint64_t id, pc, time;
    wt_lanes stop;
    bool decided;
};

/* ---- what has come ---- */

static bool take(const uint8_t **at, size_t *left, void *to, size_t size)
{
    if (size > *left)
        return false;
    memcpy(to, *at, size);
    *at += size;
    *left -= size;
    return true;
}

static bool knows_work(const struct wt_machine *m)
{
    return m->groups.ops && m->groups.ops->work;
}

/* Whether the machine can tell a value. A lane's part of a register may be narrower or wider here
 * than the debugger's. */
static bool has(struct wt_machine *m, const struct wt_expr_source *s,
                struct wt_register_shape *shape)
{
    if (s->value >= WT_EXPR_ITEM)
        return knows_work(m);
    return s->value != WT_EXPR_ROW ||
           (m->ops->describe_register(m, s->number, shape) && shape->bytes <= WT_REGISTER_BYTES);
}

static enum wt_status take_code(struct wt_machine *m, const uint8_t **at, size_t *left,
                                struct judged_code *code, struct wt_error *err)
{
    uint32_t size;
    if (!take(at, left, &size, sizeof size) || size > *left)
        return wt_fail(err, WT_INVALID, "a condition breaks off");
    enum wt_status status = wt_expr_unpack(*at, size, &code->expr, &code->source, err);
    if (status)
        return status;
    *at += size;
    *left -= size;
    wt_expr_registers(code->expr, &code->sources);
    code->row = calloc(code->sources + 1, sizeof *code->row);
    code->shape = calloc(code->sources + 1, sizeof *code->shape);
    if (!code->row || !code->shape)
        return wt_fail(err, WT_NO_MEMORY, "no memory for a condition");
    for (size_t i = 0; i < code->sources; i++)
        if (!has(m, &code->source[i], &code->shape[i]))
            return wt_fail(err, WT_INVALID, "the device lacks a register of a condition");
    return WT_OK;
}

/* Finds the count of an owner, or adds it. */
static bool find_count(struct wt_condition_counts *counts, const struct wt_condition_part *head,
                       size_t *at)
{
    for (*at = 0; *at < counts->count; ++*at)
        if (counts->list[*at].owner == head->owner)
            return true;
    struct wt_condition_tally *more =
        wt_array_grow(counts->list, &counts->room, counts->count + 1, sizeof *more);
    if (!more)
        return false;
    counts->list = more;
    more[counts->count++] =
        (struct wt_condition_tally){.owner = head->owner, .ignored = head->ignored};
    return true;
}

static enum wt_status take_part(struct wt_machine *m, const uint8_t **at, size_t *left,
                                struct wt_condition_counts *counts, struct judged_part *p,
                                struct wt_error *err)
{
    enum wt_status status = WT_OK;
    struct wt_condition_part head;
    if (!take(at, left, &head, sizeof head) || head.conditions > WT_CONDITION_MOST ||
        head.messages > 1)
        return wt_fail(err, WT_INVALID, "a part of a condition makes no sense");
    const size_t count = head.conditions + head.messages;
    p->code = calloc(count + 1, sizeof *p->code);
    if (!p->code || !find_count(counts, &head, &p->count))
        return wt_fail(err, WT_NO_MEMORY, "no memory for a condition");
    p->head = head;
    for (size_t i = 0; i < count && !status; i++)
        status = take_code(m, at, left, &p->code[i], err);
    return status;
}

static enum wt_status take_all(struct wt_machine *m, const uint8_t *at, size_t left,
                               struct wt_condition *c, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    size_t most = 1;
    if (!take(&at, &left, &c->head, sizeof c->head) || c->head.parts > WT_CONDITION_MOST) {
        c->head.parts = 0;
        return wt_fail(err, WT_INVALID, "a condition has no such head");
    }
    c->part = calloc(c->head.parts + 1, sizeof *c->part);
    if (!c->part)
        return wt_fail(err, WT_NO_MEMORY, "no memory for a condition");
    for (uint32_t i = 0; i < c->head.parts && !status; i++) {
        status = take_part(m, &at, &left, c->counts, &c->part[i], err);
        const struct judged_part *p = &c->part[i];
        for (size_t k = 0; !status && k < p->head.conditions + p->head.messages; k++)
            most = p->code[k].sources > most ? p->code[k].sources : most;
    }
    c->cell = calloc(most * WT_MAX_LANES, sizeof *c->cell);
    if (!status && left)
        status = wt_fail(err, WT_INVALID, "there is text after the condition");
    return status || c->cell ? status : wt_fail(err, WT_NO_MEMORY, "no memory for a condition");
}

enum wt_status wt_condition_new(struct wt_machine *m, const uint8_t *bytes, size_t size,
                                struct wt_condition_counts *counts, struct wt_condition **condition,
                                struct wt_error *err)
{
    enum wt_status status = WT_NO_MEMORY;
    struct wt_condition *c = calloc(1, sizeof *c);
    if (c) {
        c->counts = counts;
        wt_condition_moved(c);
        status = take_all(m, bytes, size, c, err);
    } else {
        wt_fail(err, status, "no memory for a condition");
    }
    if (status) {
        wt_condition_free(c);
        c = NULL;
    }
    *condition = c;
    return status;
}

void wt_condition_free(struct wt_condition *c)
{
    for (uint32_t i = 0; c && c->part && i < c->head.parts; i++) {
        const struct judged_part *p = &c->part[i];
        for (size_t k = 0; p->code && k < p->head.conditions + p->head.messages; k++) {
            wt_expr_free(p->code[k].expr);
            free(p->code[k].source);
            free(p->code[k].shape);
            free(p->code[k].row);
        }
        free(p->code);
    }
    if (c) {
        free(c->part);
        free(c->cell);
    }
    free(c);
}

/* ---- a wave ---- */

/* A wave that has arrived; its lanes have numbers among those that are enabled. */
struct judged_wave {
    struct wt_machine *m;
    uint32_t wave;
    uint64_t pc, time, addresses;
    wt_lanes mask;
    unsigned count;
    uint8_t lane[WT_MAX_LANES];
    const struct wt_condition_counts *counts;
};

static void fill(uint64_t *cell, unsigned count, uint64_t value)
{
    for (unsigned k = 0; k < count; k++)
        cell[k] = value;
}

static bool read_row(const struct judged_wave *a, const struct wt_expr_source *s,
                     const struct wt_register_shape *shape, uint64_t *cell)
{
    uint8_t row[WT_ROW_BYTES];
    if (!a->m->ops->read_row(a->m, a->wave, s->number, row))
        return false;
    const size_t from = 8 * (size_t)s->part;
    const size_t size = s->size < shape->bytes ? s->size : shape->bytes;
    const size_t bytes = from < size ? (size - from < 8 ? size - from : 8) : 0;
    if (!s->per_lane) {
        fill(cell, a->count, bytes ? wt_load_le(row + from, bytes) : 0);
    } else if (shape->per_lane && bytes == 4) { /* the usual one */
        for (unsigned k = 0; k < a->count; k++)
            cell[k] = wt_load_le(row + (size_t)a->lane[k] * shape->bytes, 4);
    } else {
        for (unsigned k = 0; k < a->count; k++)
            cell[k] =
                wt_load_le(row + (shape->per_lane ? (size_t)a->lane[k] * shape->bytes : 0), bytes);
    }
    return true;
}

static bool read_work(const struct judged_wave *a, const struct wt_expr_source *s, uint64_t *cell)
{
    const struct wt_wave_head *w = wt_machine_wave(a->m, a->wave);
    struct wt_group_work work = {.lanes = 0};
    if (w->group && knows_work(a->m))
        a->m->groups.ops->work(a->m, w->group, &work);
    if (!work.lanes || !work.block[0] || !work.grid[0])
        return false;
    if (s->value != WT_EXPR_ITEM) {
        const uint32_t *from = s->value == WT_EXPR_GROUP   ? w->group->coordinate
                               : s->value == WT_EXPR_BLOCK ? work.block
                                                           : work.grid;
        fill(cell, a->count, from[s->part]);
        return true;
    }
    for (unsigned k = 0; k < a->count; k++)
        cell[k] = wt_work_item(w->group->coordinate, work.block, work.grid,
                               (uint64_t)w->index * work.lanes + a->lane[k], s->part);
    return true;
}

static bool read_source(const struct judged_wave *a, const struct judged_code *code, size_t i,
                        uint64_t *cell)
{
    const struct wt_expr_source *s = &code->source[i];
    switch ((enum wt_expr_value)s->value) {
    case WT_EXPR_ROW:
        return read_row(a, s, &code->shape[i], cell);
    case WT_EXPR_LANE:
        for (unsigned k = 0; k < a->count; k++)
            cell[k] = a->lane[k];
        return true;
    case WT_EXPR_PC:
        fill(cell, a->count, a->pc);
        return true;
    case WT_EXPR_TIME:
        fill(cell, a->count, a->time);
        return true;
    case WT_EXPR_MASK:
        fill(cell, a->count, (uint64_t)(s->part ? a->mask >> 64 : a->mask));
        return true;
    case WT_EXPR_WAVE_ID:
        fill(cell, a->count, wt_machine_wave_id(a->m, a->wave));
        return true;
    default:
        return read_work(a, s, cell);
    }
}

static bool read_sources(const struct judged_wave *a, struct wt_condition *c,
                         struct judged_code *code)
{
    for (size_t i = 0; i < code->sources; i++) {
        uint64_t *cell = c->cell + i * WT_MAX_LANES;
        code->row[i] = cell;
        if (!read_source(a, code, i, cell))
            return false;
    }
    return true;
}

static bool are_equal(const uint64_t *addr, unsigned count)
{
    uint64_t differ = 0;
    for (unsigned k = 1; k < count; k++)
        differ |= addr[k] ^ addr[0];
    return !differ;
}

static wt_lanes read_memory(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out)
{
    const struct judged_wave *a = context;
    wt_lanes got = 0;
    if (which == wt_lanes_first(a->count) && are_equal(addr, a->count) &&
        wt_pieces_gather(a->m, a->wave, a->lane, a->count, addr[0] & a->addresses, size, out))
        return which;
    for (wt_lanes rest = which; rest; rest &= rest - 1) {
        const unsigned k = wt_lanes_lowest(rest);
        uint8_t bytes[8];
        if (!a->m->ops->read_memory(a->m, a->wave, a->lane[k], addr[k] & a->addresses, bytes, size))
            continue;
        out[k] = wt_load_le(bytes, size);
        got |= wt_lane_bit(k);
    }
    return got;
}

static void print(void *context, const char *text, size_t length)
{
    const struct judged_wave *a = context;
    a->counts->print(a->counts->context, text, length);
}

/* Runs an expression; returns the lanes, by their numbers, for which it worked. */
static wt_lanes run(const struct judged_wave *a, struct wt_condition *c, struct judged_code *code,
                    wt_lanes silent, uint64_t *value)
{
    const struct wt_expr_world world = {
        .context = (void *)(uintptr_t)a, .read = read_memory, .print = print, .silent = silent};
    return read_sources(a, c, code) ? wt_expr_run(code->expr, code->row, a->count, &world, value)
                                    : 0;
}

/* The lanes, by their numbers, for which some condition of a part holds; false: one cannot be
 * evaluated. */
static bool find_holding(const struct judged_wave *a, struct wt_condition *c, struct judged_part *p)
{
    const wt_lanes all = wt_lanes_first(a->count);
    p->holding = p->head.conditions ? 0 : all;
    for (uint32_t i = 0; i < p->head.conditions && p->holding != all; i++) {
        uint64_t value[WT_MAX_LANES];
        if (run(a, c, &p->code[i], 0, value) != all)
            return false;
        p->holding |= wt_expr_true(value, a->count);
    }
    return true;
}

/* False: for some lane it cannot. */
static bool print_message(struct judged_wave *a, struct wt_condition *c, struct judged_part *p)
{
    uint64_t value[WT_MAX_LANES];
    struct judged_code *code = &p->code[p->head.conditions];
    return !(p->holding & ~run(a, c, code, ~p->holding, value));
}

/* A set of numbers as a set of lanes. */
static wt_lanes as_lanes(const struct judged_wave *a, wt_lanes numbers)
{
    wt_lanes set = 0;
    for (; numbers; numbers &= numbers - 1)
        set |= wt_lane_bit(a->lane[wt_lanes_lowest(numbers)]);
    return set;
}

static bool is_ignored(const struct wt_condition *c, const struct judged_part *p)
{
    return c->counts->list[p->count].ignored != 0;
}

/* Evaluates and prints; false: something cannot be evaluated here. */
static bool evaluate(struct judged_wave *a, struct wt_condition *c)
{
    bool fine = true;
    for (uint32_t i = 0; i < c->head.parts && fine; i++)
        fine = find_holding(a, c, &c->part[i]);
    for (uint32_t i = 0; i < c->head.parts && fine; i++) {
        struct judged_part *p = &c->part[i];
        if (p->holding && p->head.messages && !is_ignored(c, p))
            fine = print_message(a, c, p);
    }
    return fine;
}

static bool judge(struct judged_wave *a, struct wt_condition *c, wt_lanes *stop)
{
    wt_lanes stopping = 0;
    *stop = a->mask;
    for (wt_lanes rest = a->mask; rest; rest &= rest - 1)
        a->lane[a->count++] = (uint8_t)wt_lanes_lowest(rest);
    if (!a->count || !evaluate(a, c))
        return false;
    for (uint32_t i = 0; i < c->head.parts; i++) {
        const struct judged_part *p = &c->part[i];
        struct wt_condition_tally *tally = &c->counts->list[p->count];
        if (!p->holding)
            continue;
        if (!tally->ignored && !p->head.messages) {
            stopping |= p->holding;
            continue;
        }
        tally->ignored -= tally->ignored != 0;
        tally->times++;
    }
    *stop = as_lanes(a, stopping);
    return true;
}

void wt_condition_moved(struct wt_condition *c)
{
    c->time = UINT64_MAX;
}

bool wt_condition_judge(struct wt_condition *c, struct wt_machine *m, uint32_t wave, uint64_t pc,
                        wt_lanes mask, uint64_t time, wt_lanes *stop)
{
    const uint64_t id = wt_machine_wave_id(m, wave);
    if (c->id != id || c->pc != pc || c->time != time) {
        struct judged_wave a = {.m = m,
                                .wave = wave,
                                .pc = pc,
                                .time = time,
                                .addresses = c->head.addresses,
                                .mask = mask,
                                .counts = c->counts};
        c->decided = judge(&a, c, &c->stop);
        c->id = id;
        c->pc = pc;
        c->time = time;
    }
    *stop = c->stop;
    return c->decided;
}
