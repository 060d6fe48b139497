/* Reading what was noted of a window backwards. See slice_internal.h. */
#include "emulator/machine/slice_internal.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/machine.h"

/* ---- registers ---- */

/* The first bit of an operand's value in a lane, counted through its file. Element: which of the
 * instruction's lanes it is. */
static uint64_t bit_of(const struct wt_slice *s, const struct wt_insn_operand *o, unsigned lane,
                       unsigned element)
{
    const struct wt_operand_file *f = &s->m->ops->operand_files[o->file];
    const unsigned lanes = f->per_lane ? s->m->lanes : 1;
    const uint64_t bit =
        ((uint64_t)o->number * lanes + (f->per_lane ? lane : 0)) * f->bits + o->first;
    if (f->per_lane || o->kind != WT_OPERAND_ROW)
        return bit;
    const unsigned row = o->row ? o->row : WT_MAX_LANES;
    return bit + (uint64_t)(element / row) * o->row_step + (uint64_t)(element % row) * o->step;
}

uint64_t slice_register(struct wt_slice *s, uint64_t id, const struct wt_insn_operand *o,
                        unsigned lane, unsigned element, bool look, uint32_t *depth)
{
    const struct wt_operand_file *f = &s->m->ops->operand_files[o->file];
    const struct place p = {.used = true, .file = o->file, .of = id, .depth = *depth};
    struct wt_insn_operand part = *o;
    unsigned left = !f->bits ? 0 : o->bits ? o->bits : f->bits, done = 0;
    uint64_t hit = 0;
    while (left) {
        const unsigned in_one = f->bits > part.first ? (unsigned)f->bits - part.first : 1;
        const unsigned bits = f->per_lane && left > in_one ? in_one : left;
        const uint64_t first = bit_of(s, &part, lane, element);
        if (look)
            slice_look_for(s, p, first, first + bits - 1);
        else
            hit |= slice_found(s, p, first, first + bits - 1, depth)
                   << (done / 8 < 63 ? done / 8 : 63);
        left -= bits;
        done += bits;
        part.number++;
        part.first = 0;
    }
    return hit;
}

static bool take_lane_bit(struct wt_slice *s, uint64_t id, const struct wt_insn_operand *o,
                          unsigned lane, bool look, uint32_t *depth)
{
    struct place p = {.used = true, .file = o->file, .of = id, .depth = *depth};
    const uint64_t bit = bit_of(s, o, 0, 0) + lane;
    slice_cut(&p, bit, bit);
    if (!look)
        return slice_found_piece(s, &p, depth);
    slice_look_for_piece(s, &p);
    return true;
}

/* ---- reading the notes backwards ---- */

/* An instruction of which something was looked for. */
struct made {
    const struct issue *issue;
    struct wt_insn_operands operands;
    wt_lanes all;     /* lanes that it is for */
    wt_lanes enabled; /* enabled of these, for which it was executed */
    wt_lanes lanes;   /* … of which something was looked for */
    bool of_wave;     /* a value of the wave was looked for */
    wt_lanes pairs;   /* pairs whose results were looked for: a bit for wt_insn_operand.pair */
    uint32_t depth;
    uint16_t bytes[WT_MAX_LANES]; /* the bytes that it stores or loads, if only some */
    bool some_bytes;
};

struct place slice_memory_place(const struct issue *i, const struct access *a, unsigned lane)
{
    const bool own = a->space == WT_OBSERVED_PRIVATE, group = a->space == WT_OBSERVED_GROUP;
    /* Constants lie in global memory, too. */
    return (struct place){.used = true,
                          .is_memory = true,
                          .file = a->space == WT_OBSERVED_CONSTANT ? WT_OBSERVED_GLOBAL : a->space,
                          .lane = own ? (uint8_t)lane : 0,
                          .user = i->id,
                          .of = own     ? i->id
                                : group ? a->home
                                        : 0};
}

static uint64_t address_of(const struct wt_slice *s, const struct access *a, unsigned lane)
{
    return s->address[a->first + wt_lanes_count(a->lanes & (wt_lane_bit(lane) - 1))];
}

static void find_stored(struct wt_slice *s, struct made *x)
{
    for (size_t n = 0; n < x->issue->accesses; n++) {
        const struct access *a = &s->access[x->issue->first + n];
        if (a->kind == WT_WATCH_READ)
            continue;
        for (wt_lanes left = a->lanes; left; left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            const uint64_t at = address_of(s, a, lane);
            const uint64_t hit = slice_found(s, slice_memory_place(x->issue, a, lane), at,
                                             at + a->size - 1, &x->depth);
            if (!hit)
                continue;
            if (a->is_scalar)
                x->of_wave = true;
            else
                x->lanes |= wt_lane_bit(lane);
            x->bytes[lane] |= (uint16_t)hit;
            x->some_bytes |= a->size <= 16 && a->kind == WT_WATCH_WRITE;
        }
    }
}

/* Which of the instruction's lanes it is. */
static unsigned element_of(const struct made *x, unsigned lane)
{
    return lane - x->operands.first_lane;
}

/* The lanes of which an operand is. */
static wt_lanes lanes_of(const struct made *x, const struct wt_insn_operand *o, wt_lanes own)
{
    switch (o->whose) {
    case WT_LANE_OWN:
        return o->crosses ? x->all : own;
    case WT_LANE_FIRST:
        return wt_lane_bit(x->enabled ? wt_lanes_lowest(x->enabled) : 0);
    default:
        return wt_lane_bit(o->whose - WT_LANE_0);
    }
}

/* The lanes of a source that crosses lanes: those of which a result that was looked for may have
 * parts. */
static wt_lanes mixed_lanes(const struct made *x, const struct wt_insn_operand *source)
{
    const struct wt_insn_operands *all = &x->operands;
    wt_lanes mixed = 0;
    if (!all->mixed || x->of_wave)
        return x->all;
    for (unsigned n = 0; n < all->count; n++)
        if (all->list[n].writes && wt_has_lane(x->pairs, all->list[n].pair))
            for (wt_lanes left = x->lanes; left; left &= left - 1)
                mixed |= all->mixed(all, &all->list[n], wt_lanes_lowest(left), source);
    return mixed;
}

/* Whether it is a part of what a load or a store moves. */
static bool is_data(const struct wt_insn_operand *o)
{
    return o->kind == WT_OPERAND_ROW && !o->aside;
}

static void find_registers(struct wt_slice *s, struct made *x)
{
    unsigned before = 0; /* bytes of data */
    for (unsigned n = 0; n < x->operands.count; n++) {
        const struct wt_insn_operand *o = &x->operands.list[n];
        const unsigned from = before;
        before += o->writes && is_data(o) ? o->bits / 8 : 0;
        if (!o->writes || o->kind > WT_OPERAND_SCALAR)
            continue;
        if (o->kind == WT_OPERAND_SCALAR && !o->by_lane) {
            const bool hit = slice_register(s, x->issue->id, o, 0, 0, false, &x->depth);
            x->of_wave |= hit;
            x->pairs |= hit ? wt_lane_bit(o->pair) : 0;
            continue;
        }
        for (wt_lanes left = lanes_of(x, o, x->enabled); left; left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            const uint64_t hit = o->by_lane
                                     ? take_lane_bit(s, x->issue->id, o, lane, false, &x->depth)
                                     : slice_register(s, x->issue->id, o, lane, element_of(x, lane),
                                                      false, &x->depth);
            if (!hit)
                continue;
            /* A bit of a lane that is off is one that the wave has. */
            if (wt_has_lane(x->enabled, lane) || !o->by_lane)
                x->lanes |= wt_lane_bit(lane);
            else
                x->of_wave = true;
            x->pairs |= wt_lane_bit(o->pair);
            x->bytes[lane] |= from < 16 ? (uint16_t)(hit << from) : 0;
            x->some_bytes |= !o->by_lane;
        }
    }
}

/* Registers that have no value from the instruction on: what they had before is not looked for. */
static void find_emptied(struct wt_slice *s, struct made *x)
{
    enum { MOST = 1 << 10 };
    const struct wt_unwritten *e = &x->operands.empties;
    for (uint32_t done = 0; done < e->count; done += MOST) {
        const uint32_t left = e->count - done;
        const unsigned bits = s->m->ops->operand_files[e->file].bits;
        const struct wt_insn_operand part = {.kind = WT_OPERAND_SCALAR,
                                             .file = (uint8_t)e->file,
                                             .number = (uint32_t)e->first + done,
                                             .bits =
                                                 (uint16_t)(bits * (left < MOST ? left : MOST))};
        x->of_wave |= slice_register(s, x->issue->id, &part, 0, 0, false, &x->depth) != 0;
    }
}

static void look_for_loaded(struct wt_slice *s, const struct made *x, uint32_t depth, bool exact)
{
    for (size_t n = 0; n < x->issue->accesses; n++) {
        const struct access *a = &s->access[x->issue->first + n];
        if (a->kind == WT_WATCH_WRITE)
            continue;
        for (wt_lanes left = a->is_scalar || x->of_wave ? a->lanes : a->lanes & x->lanes; left;
             left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            const uint64_t at = address_of(s, a, lane);
            struct place p = slice_memory_place(x->issue, a, lane);
            p.depth = depth;
            if (!exact || a->size > 16 || !x->bytes[lane])
                slice_look_for(s, p, at, at + a->size - 1);
            else
                for (unsigned b = 0; b < a->size; b++)
                    if (x->bytes[lane] >> b & 1)
                        slice_look_for(s, p, at + b, at + b);
        }
    }
}

/* Whether the data of the load or store, one operand behind the other, are the bytes in memory, one
 * by one. Else there are none, or something else is part of the value, too. */
static bool moves_bytes(const struct wt_slice *s, const struct made *x)
{
    unsigned bits = 0;
    if (x->issue->accesses != 1 || !x->some_bytes)
        return false;
    const struct access *a = &s->access[x->issue->first];
    if (a->kind == WT_WATCH_ACCESS || a->is_scalar || a->size > 16)
        return false;
    for (unsigned n = 0; n < x->operands.count; n++) {
        const struct wt_insn_operand *o = &x->operands.list[n];
        if (o->kind > WT_OPERAND_SCALAR || o->aside)
            continue;
        if (!is_data(o) || o->crosses || o->reads != (a->kind == WT_WATCH_WRITE) ||
            (o->reads && o->writes) || (o->keeps && !x->operands.exact) || o->first || o->bits % 8)
            return false;
        bits += o->bits;
    }
    return bits == 8 * a->size;
}

/* @p bytes: which of a lane's value, where only they are looked for; NULL: all. They are those from
 * byte @p from on. */
static void look_for_operand(struct wt_slice *s, const struct made *x,
                             const struct wt_insn_operand *o, uint32_t depth, const uint16_t *bytes,
                             unsigned from)
{
    const uint64_t id = x->issue->id;
    if (o->kind == WT_OPERAND_SCALAR && !o->by_lane) {
        slice_register(s, id, o, 0, 0, true, &depth);
        return;
    }
    for (wt_lanes left = o->crosses && o->whose == WT_LANE_OWN
                             ? mixed_lanes(x, o)
                             : lanes_of(x, o, x->of_wave ? x->enabled : x->lanes);
         left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        struct wt_insn_operand byte = *o;
        if (o->by_lane)
            take_lane_bit(s, id, o, lane, true, &depth);
        else if (!bytes || !bytes[lane])
            slice_register(s, id, o, lane, element_of(x, lane), true, &depth);
        else
            for (unsigned b = 0; b < o->bits / 8u; b++) {
                const struct wt_operand_file *f = &s->m->ops->operand_files[o->file];
                if (!(bytes[lane] >> (from + b) & 1))
                    continue;
                byte.number = o->number + b * 8 / f->bits;
                byte.first = (uint8_t)(b * 8 % f->bits);
                byte.bits = 8;
                slice_register(s, id, &byte, lane, element_of(x, lane), true, &depth);
            }
    }
}

static void note_step(struct wt_slice *s, const struct made *x)
{
    struct wt_slice_step *grown =
        wt_array_grow(s->out.step, &s->step_room, s->out.steps + 1, sizeof *grown);
    if (!grown) {
        s->short_of_memory = true;
        return;
    }
    s->out.step = grown;
    struct wt_slice_step *step = &grown[s->out.steps++];
    *step = (struct wt_slice_step){.time = x->issue->time,
                                   .id = x->issue->id,
                                   .wave = x->issue->wave,
                                   .depth = x->depth,
                                   .pc = x->issue->pc,
                                   .lanes = x->lanes,
                                   .cut = x->depth >= s->limits.depth};
    memcpy(step->name, s->name[x->issue->name].text, sizeof step->name);
    s->out.more |= step->cut;
}

static void look_for_sources(struct wt_slice *s, struct made *x)
{
    const bool exact = moves_bytes(s, x);
    unsigned from = 0;
    if (x->depth >= s->limits.depth)
        return;
    for (unsigned n = 0; n < x->operands.count; n++) {
        const struct wt_insn_operand *o = &x->operands.list[n];
        const bool counts =
            (!o->aside || s->limits.addresses) && (!o->pair || x->pairs >> o->pair & 1);
        const bool moved = exact && is_data(o);
        if ((o->reads || (o->keeps && !x->operands.exact)) && o->kind <= WT_OPERAND_SCALAR &&
            counts)
            look_for_operand(s, x, o, x->depth + 1, moved ? x->bytes : NULL, from);
        from += moved ? o->bits / 8 : 0;
    }
    look_for_loaded(s, x, x->depth + 1, exact);
}

void slice_read(struct wt_slice *s, const struct issue *i)
{
    struct wt_machine *m = s->m;
    struct made x = {.issue = i, .depth = UINT32_MAX};
    bool seeded = false;
    while (s->next_seed < s->seeds && s->seed[s->next_seed].time >= i->time) {
        const struct wt_slice_seed *seed = &s->seed[s->next_seed++];
        if (seed->time != i->time || seed->id != i->id)
            continue;
        const wt_lanes lanes = seed->lanes ? seed->lanes & wt_lanes_first(m->lanes) : i->mask;
        const bool part = seed->bytes && seed->bytes <= 16 && seed->from < 16;
        for (wt_lanes left = lanes; left; left &= left - 1)
            x.bytes[wt_lanes_lowest(left)] |=
                part ? (uint16_t)(((1u << seed->bytes) - 1) << seed->from) : UINT16_MAX;
        x.some_bytes |= part;
        x.lanes |= lanes;
        x.of_wave |= !seed->lanes;
        seeded = true;
    }
    if (!seeded && !(s->registers || (s->memory && i->accesses)))
        return;
    if (i->operands)
        x.operands = s->kept[i->operands - 1];
    else if (!m->ops->operands(m, UINT32_MAX, i->pc, &x.operands)) {
        x.operands.count = 0;
        s->out.untold = true;
    }
    s->out.untold |= x.operands.incomplete;
    const unsigned lanes = x.operands.lanes;
    x.all = (lanes ? wt_lanes_first(lanes) << x.operands.first_lane : ~(wt_lanes)0) &
            wt_lanes_first(m->lanes);
    x.enabled = x.operands.exact      ? x.all & x.operands.enabled
                : x.operands.unmasked ? x.all
                                      : x.all & i->mask;
    x.depth = seeded ? 0 : UINT32_MAX;
    if (x.operands.any_lane && !x.enabled)
        return;
    find_registers(s, &x);
    find_emptied(s, &x);
    find_stored(s, &x);
    if (x.depth == UINT32_MAX)
        return;
    if (s->out.steps >= s->limits.steps) {
        s->out.more = true;
        return;
    }
    note_step(s, &x);
    look_for_sources(s, &x);
}
