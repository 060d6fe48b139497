/* Slices. See slice.h. */
#include "emulator/machine/slice.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/watch_set.h"

/* Issues of the first window, how much wider the next one is, and how wide they become. */
#define FIRST_WIDTH 256
#define WIDER 8
#define MOST_WIDTH ((uint64_t)1 << 15)
/* Issues of a way on which it is worth saving states. */
#define LONG_WAY 4096
/* Granules that are looked for, at most. */
#define MOST_PLACES ((size_t)1 << 20)
/* Ranges of memory that are observed instead of all, at most, and the bytes of a granule. */
#define MOST_RANGES 256
#define GRANULE 32

/* Where a value is: 32 bits of registers, or 32 bytes of memory. */
struct place {
    bool used, is_memory;
    uint8_t file;  /* of registers, or enum wt_observed_space */
    uint8_t lane;  /* of PRIVATE memory */
    uint32_t mask; /* the bits or bytes that are looked for; 0: none any more */
    uint32_t depth;
    uint64_t of, at; /* at: the first bit of the registers, or the address, divided by 32 */
    uint64_t user;   /* GROUP: the id of a wave of the group */
};

/* An access of an instruction. */
struct access {
    uint64_t time;
    enum wt_watch_kind kind;
    enum wt_observed_space space;
    uint64_t home;
    bool is_scalar;
    unsigned size;
    wt_lanes lanes;
    size_t first; /* of its addresses, one for each of the lanes */
};

struct issue {
    uint64_t time, pc, id;
    uint32_t wave, name;
    wt_lanes mask;
    size_t first, accesses;
    size_t operands; /* 1 + index of those that its registers chose; 0: they are the instruction's */
};


struct name {
    uint64_t id;
    char text[WT_WAVE_NAME];
};

struct wt_slice {
    struct wt_timeline *timeline;
    struct wt_machine *m;
    struct wt_slice_limits limits;
    struct wt_slice_seed *seed; /* instructions, the latest first */
    size_t seeds, next_seed;
    struct place *place; /* a hash table */
    size_t places, room; /* used ones; a power of 2 */
    size_t registers, memory; /* places with a mask */
    struct wt_slice_found out;
    size_t step_room, input_room;
    bool short_of_memory;
    /* the window */
    enum { CHOOSING, ON_THE_WAY, NOTING, SKIMMING } state;
    uint64_t low, high, width;
    uint64_t *there; /* by slot: the id of the wave that was there at its beginning; 0: none */
    uint64_t found; /* SKIMMING: issue time of the last write to what is looked for, + 1; 0: none */
    bool closely;   /* the window ends with such a write: it is not skimmed */
    /* what was noted in it */
    struct issue *issue;
    size_t issues, issue_room;
    struct access *access;
    size_t accesses, access_room, taken; /* taken: by issues */
    uint64_t *address;
    size_t addresses, address_room;
    struct name *name;
    size_t names, name_room;
    struct wt_insn_operands *kept;
    size_t kept_count, kept_room;
    size_t chosen; /* of the issue that is under way: as struct issue has it */
    uint32_t *name_of; /* by slot: 1 + index in `name` of the wave noted last */
};

/* ---- places ---- */

static size_t slot_of(const struct wt_slice *s, const struct place *p)
{
    uint64_t h = p->at * UINT64_C(0x9e3779b97f4a7c15) ^ p->of * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                 (uint64_t)(p->file << 9 | p->lane << 1 | p->is_memory) *
                     UINT64_C(0x165667b19e3779f9);
    size_t i = (size_t)(h ^ h >> 29) & (s->room - 1);
    for (;; i = (i + 1) & (s->room - 1)) {
        const struct place *q = &s->place[i];
        if (!q->used || (q->at == p->at && q->of == p->of && q->file == p->file &&
                         q->lane == p->lane && q->is_memory == p->is_memory))
            return i;
    }
}

static bool make_room(struct wt_slice *s)
{
    struct place *old = s->place;
    const size_t room = s->room;
    s->room = room ? 2 * room : 1024;
    s->place = calloc(s->room, sizeof *s->place);
    if (!s->place) {
        s->place = old;
        s->room = room;
        return false;
    }
    s->places = 0;
    for (size_t i = 0; i < room; i++)
        if (old[i].mask) {
            s->place[slot_of(s, &old[i])] = old[i];
            s->places++;
        }
    free(old);
    return true;
}

static size_t *count_of(struct wt_slice *s, const struct place *p)
{
    return p->is_memory ? &s->memory : &s->registers;
}

static void look_for(struct wt_slice *s, const struct place *p)
{
    if (2 * s->places >= s->room && (s->room >= 2 * MOST_PLACES || !make_room(s))) {
        s->out.more = true;
        return;
    }
    struct place *q = &s->place[slot_of(s, p)];
    if (!q->used) {
        *q = *p;
        s->places++;
        ++*count_of(s, p);
        return;
    }
    if (!q->mask)
        ++*count_of(s, q);
    q->depth = q->mask && q->depth < p->depth ? q->depth : p->depth;
    q->mask |= p->mask;
    q->user = p->user;
}

/* The bits or bytes of it that were looked for; they are not any more. */
static uint32_t found(struct wt_slice *s, const struct place *p, uint32_t *depth)
{
    struct place *q = &s->place[slot_of(s, p)];
    const uint32_t hit = q->used ? q->mask & p->mask : 0;
    if (!hit)
        return 0;
    *depth = q->depth < *depth ? q->depth : *depth;
    q->mask &= ~hit;
    if (!q->mask)
        --*count_of(s, q);
    return hit;
}

static uint32_t bits_from_to(uint64_t first, uint64_t last) /* of a granule */
{
    return (uint32_t)((UINT64_MAX >> (63 - (last - first))) << first);
}

/* A piece of a place: what is in one granule. [first, last] are bits of registers, or addresses. */
static uint64_t cut_piece(struct place *p, uint64_t first, uint64_t last)
{
    p->at = first / 32;
    const uint64_t end = p->at == last / 32 ? last : p->at * 32 + 31;
    p->mask = bits_from_to(first % 32, end % 32);
    return end;
}

static void look_for_range(struct wt_slice *s, struct place p, uint64_t first, uint64_t last)
{
    for (uint64_t end; first <= last && first + 1 > first; first = end + 1) {
        end = cut_piece(&p, first, last);
        look_for(s, &p);
        if (end == UINT64_MAX)
            return;
    }
}

/* A bit for each 8 bits, or each byte, of the range that was looked for: of the first 64. */
static uint64_t found_range(struct wt_slice *s, struct place p, uint64_t first, uint64_t last,
                            uint32_t *depth)
{
    const uint64_t unit = p.is_memory ? 1 : 8, begin = first;
    uint64_t hit = 0;
    for (uint64_t end; first <= last; first = end + 1) {
        end = cut_piece(&p, first, last);
        uint32_t bits = found(s, &p, depth);
        for (; bits; bits &= bits - 1) {
            const uint64_t n = (p.at * 32 + (unsigned)__builtin_ctz(bits) - begin) / unit;
            hit |= UINT64_C(1) << (n < 63 ? n : 63);
        }
        if (end == UINT64_MAX)
            break;
    }
    return hit;
}

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

/* An operand's value in a lane, which is in several registers of a row if it is longer than one:
 * looks for it, or returns what found_range does of its parts, one behind the other. */
static uint64_t take_register(struct wt_slice *s, uint64_t id, const struct wt_insn_operand *o,
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
            look_for_range(s, p, first, first + bits - 1);
        else
            hit |= found_range(s, p, first, first + bits - 1, depth)
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
    cut_piece(&p, bit, bit);
    if (!look)
        return found(s, &p, depth);
    look_for(s, &p);
    return true;
}

/* ---- reading the notes backwards ---- */

/* An instruction of which something was looked for. */
struct made {
    const struct issue *issue;
    struct wt_insn_operands operands;
    wt_lanes all;     /* lanes that it is for */
    wt_lanes enabled; /* of these, for which it was executed */
    wt_lanes lanes;   /* … of which something was looked for */
    bool of_wave;     /* a value of the wave was looked for */
    wt_lanes pairs;   /* of which results were looked for: a bit for wt_insn_operand.pair */
    uint32_t depth;
    uint16_t bytes[WT_MAX_LANES]; /* of what it stores or loads: which bytes, if only some */
    bool some_bytes;
};

static struct place memory_place(const struct issue *i, const struct access *a, unsigned lane)
{
    const bool own = a->space == WT_OBSERVED_PRIVATE, group = a->space == WT_OBSERVED_GROUP;
    /* Constants lie in global memory, too. */
    return (struct place){.used = true,
                          .is_memory = true,
                          .file = a->space == WT_OBSERVED_CONSTANT ? WT_OBSERVED_GLOBAL : a->space,
                          .lane = own ? (uint8_t)lane : 0,
                          .user = i->id,
                          .of = own ? i->id : group ? a->home : 0};
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
            const uint64_t hit = found_range(s, memory_place(x->issue, a, lane), at,
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

static void find_registers(struct wt_slice *s, struct made *x)
{
    for (unsigned n = 0; n < x->operands.count; n++) {
        const struct wt_insn_operand *o = &x->operands.list[n];
        if (!o->writes || o->kind > WT_OPERAND_SCALAR)
            continue;
        if (o->kind == WT_OPERAND_SCALAR && !o->by_lane) {
            const bool hit = take_register(s, x->issue->id, o, 0, 0, false, &x->depth);
            x->of_wave |= hit;
            x->pairs |= hit ? wt_lane_bit(o->pair) : 0;
            continue;
        }
        for (wt_lanes left = lanes_of(x, o, x->enabled); left; left &= left - 1) {
            const unsigned lane = wt_lanes_lowest(left);
            const uint64_t hit = o->by_lane ? take_lane_bit(s, x->issue->id, o, lane, false, &x->depth)
                                            : take_register(s, x->issue->id, o, lane,
                                                            element_of(x, lane), false, &x->depth);
            if (!hit)
                continue;
            /* A bit of a lane that is off is one that the wave has. */
            if (wt_has_lane(x->enabled, lane) || !o->by_lane)
                x->lanes |= wt_lane_bit(lane);
            else
                x->of_wave = true;
            x->pairs |= wt_lane_bit(o->pair);
            x->bytes[lane] |= (uint16_t)hit;
            x->some_bytes |= !o->by_lane;
        }
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
            struct place p = memory_place(x->issue, a, lane);
            p.depth = depth;
            if (!exact || a->size > 16 || !x->bytes[lane])
                look_for_range(s, p, at, at + a->size - 1);
            else
                for (unsigned b = 0; b < a->size; b++)
                    if (x->bytes[lane] >> b & 1)
                        look_for_range(s, p, at + b, at + b);
        }
    }
}

/* The operand whose bytes are those in memory, one by one: the data of a load or store. NULL: there
 * is none, or another operand is part of the value, too. */
static const struct wt_insn_operand *data_of(const struct wt_slice *s, const struct made *x)
{
    const struct wt_insn_operand *data = NULL;
    if (x->issue->accesses != 1 || !x->some_bytes)
        return NULL;
    const struct access *a = &s->access[x->issue->first];
    if (a->kind == WT_WATCH_ACCESS || a->is_scalar || a->size > 16)
        return NULL;
    for (unsigned n = 0; n < x->operands.count; n++) {
        const struct wt_insn_operand *o = &x->operands.list[n];
        if (o->kind > WT_OPERAND_SCALAR || o->aside || o->crosses)
            continue;
        if (data || o->kind != WT_OPERAND_ROW || o->reads != (a->kind == WT_WATCH_WRITE) ||
            (o->reads && o->writes) || (o->keeps && !x->operands.exact) || o->first || o->bits != 8 * a->size)
            return NULL;
        data = o;
    }
    return data;
}

static void look_for_operand(struct wt_slice *s, const struct made *x,
                             const struct wt_insn_operand *o, uint32_t depth, bool exact)
{
    const uint64_t id = x->issue->id;
    if (o->kind == WT_OPERAND_SCALAR && !o->by_lane) {
        take_register(s, id, o, 0, 0, true, &depth);
        return;
    }
    for (wt_lanes left = lanes_of(x, o, x->of_wave ? x->enabled : x->lanes);
         left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        struct wt_insn_operand byte = *o;
        if (o->by_lane)
            take_lane_bit(s, id, o, lane, true, &depth);
        else if (!exact || !x->bytes[lane])
            take_register(s, id, o, lane, element_of(x, lane), true, &depth);
        else
            for (unsigned b = 0; b < o->bits / 8u; b++) {
                const struct wt_operand_file *f = &s->m->ops->operand_files[o->file];
                if (!(x->bytes[lane] >> b & 1))
                    continue;
                byte.number = (uint16_t)(o->number + b * 8 / f->bits);
                byte.first = (uint8_t)(b * 8 % f->bits);
                byte.bits = 8;
                take_register(s, id, &byte, lane, element_of(x, lane), true, &depth);
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
    const struct wt_insn_operand *data = data_of(s, x);
    if (x->depth >= s->limits.depth)
        return;
    for (unsigned n = 0; n < x->operands.count; n++) {
        const struct wt_insn_operand *o = &x->operands.list[n];
        const bool counts = (!o->aside || s->limits.addresses) && (!o->pair || x->pairs >> o->pair & 1);
        if ((o->reads || (o->keeps && !x->operands.exact)) && o->kind <= WT_OPERAND_SCALAR && counts)
            look_for_operand(s, x, o, x->depth + 1, o == data);
    }
    look_for_loaded(s, x, x->depth + 1, data != NULL);
}

static void read_note(struct wt_slice *s, const struct issue *i)
{
    struct wt_machine *m = s->m;
    struct made x = {.issue = i, .depth = UINT32_MAX};
    bool seeded = false;
    while (s->next_seed < s->seeds && s->seed[s->next_seed].time >= i->time) {
        const struct wt_slice_seed *seed = &s->seed[s->next_seed++];
        if (seed->time != i->time || seed->id != i->id)
            continue;
        x.lanes |= seed->lanes ? seed->lanes : i->mask;
        x.of_wave |= !seed->lanes;
        seeded = true;
    }
    if (!seeded && !(s->registers || (s->memory && i->accesses)))
        return;
    if (i->operands)
        x.operands = s->kept[i->operands - 1];
    else if (!m->ops->operands(m, i->wave, i->pc, &x.operands)) {
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

/* ---- notes ---- */

static void forget_notes(struct wt_slice *s)
{
    s->issues = s->accesses = s->taken = s->addresses = s->names = s->kept_count = 0;
    memset(s->name_of, 0, s->m->waves * sizeof *s->name_of);
}

static void note_access(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_slice *s = context;
    struct access *access =
        wt_array_grow(s->access, &s->access_room, s->accesses + 1, sizeof *access);
    uint64_t *address =
        wt_array_grow(s->address, &s->address_room, s->addresses + m->lanes, sizeof *address);
    s->access = access ? access : s->access;
    s->address = address ? address : s->address;
    if (!access || !address) {
        s->short_of_memory = true;
        return;
    }
    access[s->accesses++] = (struct access){.time = a->time,
                                            .kind = a->kind,
                                            .space = a->space,
                                            .home = a->home,
                                            .is_scalar = a->is_scalar,
                                            .size = a->size,
                                            .lanes = a->lanes,
                                            .first = s->addresses};
    for (wt_lanes left = a->lanes; left; left &= left - 1)
        address[s->addresses++] = a->at[wt_lanes_lowest(left)];
}

/* The name of the wave, from when it was noted first. */
static bool note_name(struct wt_slice *s, uint32_t wave, uint64_t id)
{
    const uint32_t known = s->name_of[wave];
    if (known && s->name[known - 1].id == id)
        return true;
    struct name *grown = wt_array_grow(s->name, &s->name_room, s->names + 1, sizeof *grown);
    if (!grown)
        return false;
    s->name = grown;
    grown[s->names].id = id;
    wt_machine_name_wave(s->m, wave, grown[s->names].text, sizeof grown->text);
    s->name_of[wave] = (uint32_t)++s->names;
    return true;
}

/* Operands that the registers choose now; 0: there are none. */
static size_t note_operands(struct wt_slice *s, const struct wt_issue *i)
{
    struct wt_insn_operands o;
    if (!s->m->ops->operands(s->m, i->wave, i->pc, &o) || !o.indirect)
        return 0; /* not told: read_note() finds that out again */
    struct wt_insn_operands *grown =
        wt_array_grow(s->kept, &s->kept_room, s->kept_count + 1, sizeof *grown);
    s->short_of_memory |= !grown;
    if (!grown)
        return 0;
    s->kept = grown;
    grown[s->kept_count++] = o;
    return s->kept_count;
}

static void note_before(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_slice *s = context;
    s->chosen = note_operands(s, i);
}

static void note_issue(void *context, struct wt_machine *m, const struct wt_issue *i)
{
    struct wt_slice *s = context;
    const uint64_t id = wt_machine_wave_id(m, i->wave);
    struct issue *grown = wt_array_grow(s->issue, &s->issue_room, s->issues + 1, sizeof *grown);
    if (!grown || !note_name(s, i->wave, id)) {
        s->issue = grown ? grown : s->issue;
        s->short_of_memory = true;
        return;
    }
    s->issue = grown;
    /* What was begun and did not issue is no part of it. */
    while (s->taken < s->accesses && s->access[s->taken].time != i->time)
        s->taken++;
    grown[s->issues++] = (struct issue){.time = i->time,
                                        .pc = i->pc,
                                        .id = id,
                                        .wave = i->wave,
                                        .name = s->name_of[i->wave] - 1,
                                        .mask = i->mask,
                                        .first = s->taken,
                                        .accesses = s->accesses - s->taken,
                                        .operands = s->chosen};
    s->taken = s->accesses;
}

/* ---- what is left ---- */

static void note_input(struct wt_slice *s, const struct wt_slice_input *input)
{
    struct wt_slice_input *grown =
        wt_array_grow(s->out.input, &s->input_room, s->out.inputs + 1, sizeof *grown);
    s->short_of_memory |= !grown;
    if (!grown)
        return;
    s->out.input = grown;
    grown[s->out.inputs++] = *input;
}

/* No instruction has made it: its register, and each range of memory in it, is an input. */
static void settle(struct wt_slice *s, struct place *p)
{
    static const uint8_t spaces[] = {[WT_OBSERVED_GLOBAL] = WT_SLICE_GLOBAL,
                                     [WT_OBSERVED_GROUP] = WT_SLICE_GROUP,
                                     [WT_OBSERVED_PRIVATE] = WT_SLICE_PRIVATE,
                                     [WT_OBSERVED_DEVICE] = WT_SLICE_DEVICE};
    struct wt_slice_input in = {.lane = p->lane, .of = p->of, .depth = p->depth};
    if (!p->is_memory) {
        const struct wt_operand_file *f = &s->m->ops->operand_files[p->file];
        const uint64_t reg = p->at * 32 / f->bits;
        const struct wt_insn_operand o = {
            .kind = f->per_lane ? WT_OPERAND_ROW : WT_OPERAND_SCALAR,
            .file = p->file,
            .bits = f->bits,
            .number = (uint16_t)(f->per_lane ? reg / s->m->lanes : reg)};
        in.space = f->per_lane ? WT_SLICE_ROW : WT_SLICE_REGISTER;
        in.lane = (uint16_t)(f->per_lane ? reg % s->m->lanes : 0);
        in.at = reg;
        s->m->ops->name_operand(&o, in.name, sizeof in.name);
        note_input(s, &in);
    } else {
        in.space = spaces[p->file];
    }
    for (unsigned b = 0; p->is_memory && b < GRANULE; b++) {
        if (!(p->mask >> b & 1))
            continue;
        in.at = p->at * GRANULE + b;
        for (in.size = 0; b < GRANULE && p->mask >> b & 1; b++)
            in.size++;
        note_input(s, &in);
    }
    p->mask = 0;
    --*count_of(s, p);
}

static bool is_there(const struct wt_slice *s, uint64_t id)
{
    const uint32_t wave = (uint32_t)(id & 0xffff);
    return wave < s->m->waves && s->there[wave] == id;
}

/* Settles what belongs to waves that have not begun yet, or everything. */
static void settle_places(struct wt_slice *s, bool all)
{
    for (size_t i = 0; i < s->room; i++) {
        struct place *p = &s->place[i];
        const bool own = !p->is_memory || p->file == WT_OBSERVED_PRIVATE;
        const bool of_group =
            p->is_memory && p->file == WT_OBSERVED_GROUP && wt_machine_wave(s->m, 0)->group;
        if (p->mask && (all || (own && !is_there(s, p->of)) || (of_group && !is_there(s, p->user))))
            settle(s, p);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct wt_slice_input *x = a, *y = b;
#define BY(member)                                                                                 \
    if (x->member != y->member)                                                                    \
        return x->member < y->member ? -1 : 1
    BY(space);
    BY(of);
    BY(lane);
    BY(at);
#undef BY
    return 0;
}

/* Ranges of memory that lie side by side become one, parts of a register one register. */
static void order_inputs(struct wt_slice *s)
{
    struct wt_slice_input *list = s->out.input;
    size_t kept = 0;
    if (s->out.inputs)
        qsort(list, s->out.inputs, sizeof *list, by_place);
    for (size_t i = 0; i < s->out.inputs; i++) {
        struct wt_slice_input *last = kept ? &list[kept - 1] : NULL, *in = &list[i];
        const bool side_by_side = last && last->space == in->space && last->of == in->of &&
                                  last->lane == in->lane && last->at + last->size == in->at;
        if (!side_by_side) {
            list[kept++] = *in;
            continue;
        }
        last->size += in->size;
        last->depth = in->depth < last->depth ? in->depth : last->depth;
    }
    s->out.inputs = kept;
}

/* ---- windows ---- */

/* Looks for a register's part in the lanes. */
static bool seed_register(struct wt_slice *s, const struct wt_slice_seed *seed)
{
    struct wt_insn_operand o;
    uint32_t depth = 0;
    const bool is_place = seed->name[0] == '#';
    if (!s->m->ops->find_operand(s->m, is_place ? "" : seed->name, &o) ||
        seed->from > (is_place ? UINT32_MAX : 31) || seed->bytes > 512)
        return false;
    o.bits = seed->bytes ? (uint16_t)(8 * seed->bytes) : o.bits;
    if (is_place) {
        o.number = seed->from;
        o.step = o.bits;
    } else {
        o.first = (uint8_t)(o.first + 8 * seed->from);
    }
    for (unsigned lane = 0; lane < s->m->lanes; lane++)
        if (wt_has_lane(seed->lanes, lane) || (!seed->lanes && !lane))
            take_register(s, seed->id, &o, lane, is_place ? 0 : lane, true, &depth);
    return true;
}

/* Instructions, the latest first. */
static void seed_instruction(struct wt_slice *s, const struct wt_slice_seed *seed)
{
    size_t at = s->seeds++;
    for (; at && s->seed[at - 1].time < seed->time; at--)
        s->seed[at] = s->seed[at - 1];
    s->seed[at] = *seed;
}

enum wt_status wt_slice_begin(struct wt_timeline *timeline, struct wt_machine *machine,
                              const struct wt_slice_seed *seed, size_t seeds,
                              const struct wt_slice_limits *limits, struct wt_slice **out,
                              struct wt_error *err)
{
    assert(timeline && machine && limits->steps && (seed || !seeds));
    if (machine->ops->operand_files == wt_machine_no_operand_files)
        return wt_fail(err, WT_UNSUPPORTED,
                       "where values come from is not told on %s: what its instructions read and "
                       "write has no table yet",
                       machine->ops->family);
    struct wt_slice *s = calloc(1, sizeof *s);
    if (!s)
        return wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    s->timeline = timeline;
    s->m = machine;
    s->limits = *limits;
    s->low = machine->time;
    s->width = FIRST_WIDTH;
    s->seed = calloc(seeds ? seeds : 1, sizeof *s->seed);
    s->name_of = calloc(machine->waves, sizeof *s->name_of);
    s->there = calloc(machine->waves, sizeof *s->there);
    enum wt_status status = WT_OK;
    if (!s->seed || !s->name_of || !s->there || !make_room(s))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
    for (size_t i = 0; !status && i < seeds; i++) {
        if (!seed[i].name[0] && seed[i].time < machine->time)
            seed_instruction(s, &seed[i]);
        else if (!seed[i].name[0] || !seed_register(s, &seed[i]))
            status = wt_fail(err, WT_INVALID, "%.16s is no value that instructions make",
                             seed[i].name[0] ? seed[i].name : "an instruction to come");
    }
    if (status)
        wt_slice_free(s);
    else
        *out = s;
    return status;
}

void wt_slice_free(struct wt_slice *s)
{
    if (!s)
        return;
    if (s->state >= NOTING)
        wt_observe(s->m, NULL, NULL, NULL, 0);
    free(s->seed);
    free(s->place);
    wt_slice_found_free(&s->out);
    free(s->issue);
    free(s->access);
    free(s->address);
    free(s->name);
    free(s->kept);
    free(s->name_of);
    free(s->there);
    free(s);
}

/* Whether memory alone is looked for, in few places that each wave sees alike: then nothing else
 * need be observed. Lists it. */
static size_t few_ranges(const struct wt_slice *s, struct wt_watch *range)
{
    size_t count = 0;
    if (s->registers || s->next_seed < s->seeds || s->closely)
        return 0;
    for (size_t i = 0; i < s->room; i++) {
        const struct place *p = &s->place[i];
        if (!p->mask)
            continue;
        if (p->file != WT_OBSERVED_GLOBAL || count == MOST_RANGES)
            return 0;
        range[count++] = (struct wt_watch){
            .kind = WT_WATCH_WRITE, .addr = p->at * GRANULE, .size = GRANULE, .home = WT_HOME_NOW};
    }
    return count;
}

static void skim(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_slice *s = context;
    if (a->kind == WT_WATCH_READ || a->time >= s->high)
        return;
    const struct issue issue = {.id = a->id};
    const struct access access = {.space = a->space, .home = a->home};
    for (wt_lanes left = a->lanes; left; left &= left - 1) {
        struct place p = memory_place(&issue, &access, wt_lanes_lowest(left));
        const uint64_t at = a->at[wt_lanes_lowest(left)];
        for (uint64_t first = at, end; first <= at + a->size - 1; first = end + 1) {
            end = cut_piece(&p, first, at + a->size - 1);
            const struct place *q = &s->place[slot_of(s, &p)];
            if (q->used && q->mask & p.mask)
                s->found = a->time + 1;
        }
    }
}

static bool is_done(const struct wt_slice *s)
{
    return s->out.steps >= s->limits.steps ||
           (!s->registers && !s->memory && s->next_seed == s->seeds);
}

/* Chooses the window before `low`, and goes to the saved state before it. */
static enum wt_slice_state choose_window(struct wt_slice *s, struct wt_error *err)
{
    struct wt_watch range[MOST_RANGES];
    const uint64_t start = wt_timeline_start(s->timeline);
    assert(s->low <= s->m->time);
    if (is_done(s) || s->low <= start) {
        if (s->out.steps < s->limits.steps)
            settle_places(s, true);
        order_inputs(s);
        return WT_SLICE_DONE;
    }
    s->high = s->low;
    const uint64_t saved = wt_timeline_saved_before(s->timeline, s->high - 1);
    const uint64_t width = few_ranges(s, range) ? UINT64_MAX : s->width;
    s->low = s->high - start > width ? s->high - width : start;
    s->low = s->low < saved ? saved : s->low;
    if (s->width < MOST_WIDTH)
        s->width *= WIDER;
    s->state = ON_THE_WAY;
    return wt_timeline_goto(s->timeline, saved, err) ? WT_SLICE_FAILED : WT_SLICE_ON;
}

/* The machine stands at the beginning of the window. */
static enum wt_slice_state begin_window(struct wt_slice *s, struct wt_error *err)
{
    struct wt_watch range[MOST_RANGES];
    const size_t ranges = few_ranges(s, range);
    forget_notes(s);
    s->found = 0;
    for (uint32_t w = 0; w < s->m->waves; w++)
        s->there[w] = wt_machine_wave(s->m, w)->active ? wt_machine_wave_id(s->m, w) : 0;
    if (!wt_observe(s->m, ranges ? skim : note_access, s, ranges ? range : NULL, ranges)) {
        wt_fail(err, WT_NO_MEMORY, "no host memory to search the past");
        return WT_SLICE_FAILED;
    }
    s->state = ranges ? SKIMMING : NOTING;
    if (!ranges)
        wt_observe_issues(s->m, note_before, note_issue);
    return WT_SLICE_ON;
}

static enum wt_slice_state end_window(struct wt_slice *s, struct wt_error *err)
{
    const bool skimmed = s->state == SKIMMING;
    wt_observe(s->m, NULL, NULL, NULL, 0);
    s->state = CHOOSING;
    s->closely = skimmed && s->found;
    if (s->closely) {
        s->low = s->found;
        s->width = FIRST_WIDTH;
    }
    for (size_t i = s->issues; i-- && !is_done(s);)
        if (s->issue[i].time < s->high)
            read_note(s, &s->issue[i]);
    if (!skimmed)
        settle_places(s, false);
    if (!s->short_of_memory)
        return WT_SLICE_ON;
    wt_fail(err, WT_NO_MEMORY, "no host memory for the instructions that are found");
    return WT_SLICE_FAILED;
}

enum wt_slice_state wt_slice_on(struct wt_slice *s, uint64_t budget, struct wt_error *err)
{
    assert(s && budget);
    struct wt_machine *m = s->m;
    const bool comes = s->state == ON_THE_WAY;
    const uint64_t to = comes ? s->low : s->high;
    if (s->state == CHOOSING)
        return choose_window(s, err);
    if (m->time >= to)
        return comes ? begin_window(s, err) : end_window(s, err);
    const uint64_t left = to - m->time;
    uint64_t part = left < budget ? left : budget;
    if (comes && left >= LONG_WAY && part > left - left / WIDER)
        part = left - left / WIDER;
    wt_timeline_run(s->timeline, part);
    if (comes && part >= LONG_WAY - LONG_WAY / WIDER)
        wt_timeline_keep(s->timeline);
    return WT_SLICE_ON;
}

const struct wt_slice_found *wt_slice_found(const struct wt_slice *s)
{
    return &s->out;
}

void wt_slice_take(struct wt_slice *s, struct wt_slice_found *out)
{
    *out = s->out;
    s->out = (struct wt_slice_found){.more = false};
    s->step_room = s->input_room = 0;
}
