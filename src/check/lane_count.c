/* See lane_count.h. */
#include "check/lane_count.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "check/code.h"
#include "check/followed.h"
#include "check/values.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/meaning.h"

/* Where a value comes from. In a map it is a number, which is 0 where nothing is known. */
union count_value {
    struct {
        uint8_t of;   /* it is made of x & (of - 1): 8, 16, 32 or 64 */
        uint8_t rest; /* or of x & ~(rest - 1) */
        bool mask;    /* it is a mask of lanes: a ballot */
        bool mixed;   /* lanes have had it from others of the wave */
    };
    uint32_t number;
};

/* Whether an instruction's meaning has one of these operations. */
struct count_facts {
    bool compares; /* values */
    bool shifts;   /* or takes parts: it can choose a bit */
    bool ands;
    bool finds; /* or counts bits */
    bool products;
    bool by_lane; /* its own number */
    bool votes;   /* all results are masks of lanes */
    bool masks;   /* a result is one */
    bool crosses; /* lanes read others' values */
    bool accesses;
};

/* An instruction, and its operands, as many as it has. */
struct count_insn {
    struct count_facts facts;
    struct wt_insn_operands o;
};

struct count_wave {
    unsigned leader;                 /* N of the last comparison of an x & (N - 1) */
    struct wt_map registers, places; /* (file, number) + 1; private memory's dwords + 1 */
};

struct wt_lane_count {
    struct wt_machine *machine;
    wt_found_fn *found;
    void *context;
    struct wt_check_code code;
    struct count_wave *wave; /* by slot */
    unsigned lanes;          /* the widest wave of the launch has them */
    bool several;            /* a group has several waves, of which the first one is full */
    /* The instruction that is about to be executed */
    const struct wt_insn_operands *now;
    struct count_facts facts;
    struct wt_insn_operands indirect;
    uint64_t time;
    uint32_t slot;
    wt_lanes enabled;
    union count_value data;
    struct wt_map at; /* pc + 1 -> finding + 1 */
    struct wt_finding *finding;
    size_t findings, room;
};

/* ---- where values are ---- */

static uint64_t key_of(const struct wt_insn_operand *o, unsigned n)
{
    return ((uint64_t)o->file << 32 | (o->number + n)) + 1;
}

static unsigned registers_of(const struct wt_lane_count *c, const struct wt_insn_operand *o)
{
    const unsigned bits = c->machine->ops->operand_files[o->file].bits,
                   lanes = o->kind == WT_OPERAND_ROW &&
                                   !c->machine->ops->operand_files[o->file].per_lane && o->step
                               ? wt_lanes_highest(c->enabled | 1) + 1
                               : 1;
    const unsigned wide = lanes > 1 ? (lanes - 1) * o->step + o->bits : o->bits;
    return bits && wide > bits ? (wide + bits - 1) / bits : 1;
}

static void join(union count_value *all, union count_value x)
{
    all->of = x.of > all->of ? x.of : all->of;
    all->rest = x.rest > all->rest ? x.rest : all->rest;
    all->mask |= x.mask;
    all->mixed |= x.mixed;
}

static union count_value value_of(const struct wt_lane_count *c, const struct wt_insn_operand *o)
{
    union count_value all = {.number = 0};
    const struct wt_map *map = &c->wave[c->slot].registers;
    if (o->kind > WT_OPERAND_SCALAR || !map->count)
        return all;
    for (unsigned n = registers_of(c, o); n-- > 0;) {
        const uint64_t *there = wt_map_find(map, key_of(o, n));
        if (there)
            join(&all, (union count_value){.number = (uint32_t)*there});
    }
    return all;
}

static void put(struct wt_map *map, uint64_t key, union count_value value)
{
    if (!value.number) {
        if (map->count && wt_map_find(map, key))
            wt_map_remove(map, key);
        return;
    }
    uint64_t *there = wt_map_add(map, key);
    if (there)
        *there = value.number;
}

static void set_result(struct wt_lane_count *c, const struct wt_insn_operand *o,
                       union count_value value)
{
    for (unsigned n = registers_of(c, o); n-- > 0;)
        put(&c->wave[c->slot].registers, key_of(o, n), value);
}

/* ---- instructions ---- */

static bool has(const struct wt_lane_count *c, enum wt_meaning_op op)
{
    for (unsigned r = WT_RESULT_D; c->now->operation == WT_DOES_MEANT && r < WT_RESULTS; r++) {
        const uint8_t *computed = wt_meaning_result(wt_operands_meaning(c->now), r);
        if (computed && wt_meaning_has(computed, op))
            return true;
    }
    return false;
}

static bool has_one(const struct wt_lane_count *c, const uint8_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has(c, (enum wt_meaning_op)list[i]))
            return true;
    return false;
}
#define HAS_ONE(c, ...)                                                                            \
    has_one(c, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* The lower bits of an operand, as the lowest enabled lane has it. */
static uint32_t read_operand(const struct wt_lane_count *c, const struct wt_insn_operand *o)
{
    uint32_t value = 0;
    unsigned room;
    if (o->kind == WT_OPERAND_CONSTANT)
        return (uint32_t)o->value;
    const unsigned lane = c->enabled ? wt_lanes_lowest(c->enabled) : 0;
    const uint64_t bit =
        wt_operand_bit(c->machine->ops->operand_files, c->machine->lanes, o, lane, lane, 0, &room);
    c->machine->ops->read_cell(c->machine, c->slot, o->file, bit / 32, &value);
    value >>= bit % 32;
    return room < 32 || o->bits < 32
               ? value & ((UINT64_C(1) << (o->bits < room ? o->bits : room)) - 1)
               : value;
}

static bool is_count(uint32_t n)
{
    return n == 8 || n == 16 || n == 32 || n == 64;
}

/* An AND with such a value takes the lower or the upper bits. */
static void take_bits(const struct wt_lane_count *c, union count_value *all)
{
    for (unsigned i = 0; i < c->now->count; i++) {
        const struct wt_insn_operand *o = &c->now->list[i];
        if (!o->reads || o->kind == WT_OPERAND_MEMORY || o->by_lane || o->guards)
            continue;
        const uint32_t value = read_operand(c, o);
        if (is_count(value + 1))
            *all = (union count_value){.of = (uint8_t)(value + 1)};
        else if (is_count(-value))
            *all = (union count_value){.rest = (uint8_t)-value, .mixed = all->mixed};
    }
}

static bool is_source(const struct wt_insn_operand *o)
{
    return o->reads && !o->aside && !o->guards && !o->by_lane && o->kind <= WT_OPERAND_SCALAR;
}

/* The sources' values, joined. */
static union count_value sources_of(const struct wt_lane_count *c)
{
    union count_value all = {.number = 0};
    for (unsigned i = 0; i < c->now->count; i++)
        if (is_source(&c->now->list[i]))
            join(&all, value_of(c, &c->now->list[i]));
    return all;
}

/* ---- findings ---- */

static void tell(struct wt_lane_count *c, uint64_t pc, unsigned of, const char *what)
{
    uint64_t *there = wt_map_add(&c->at, pc + 1);
    struct wt_finding *grown =
        there ? wt_array_grow(c->finding, &c->room, c->findings + 1, sizeof *grown) : NULL;
    if (!grown)
        return;
    c->finding = grown;
    if (!*there) {
        struct wt_finding f = {.kind = WT_FOUND_WAVE_SIZE,
                               .severity = wt_finding_severity(WT_FOUND_WAVE_SIZE, false),
                               .access = WT_NO_ACCESS,
                               .other.access = WT_NO_ACCESS,
                               .pc = pc,
                               .time = c->time};
        wt_finding_of_wave(&f, c->machine, c->slot, c->enabled);
        snprintf(f.text, sizeof f.text, "%s counts on %u lanes; the wave has %u", what, of,
                 c->lanes);
        grown[c->findings] = f;
        *there = ++c->findings;
    }
    grown[*there - 1].times++;
}

/* Whether so many lanes are not those of the waves; more than a group has are no mistake. */
static bool is_other(const struct wt_lane_count *c, unsigned of)
{
    return of && (of < c->lanes || (of > c->lanes && c->several));
}

/* An instruction by which lanes get values of others. */
static bool exchanges(struct wt_lane_count *c, uint64_t pc)
{
    uint8_t from[WT_MAX_LANES];
    unsigned of = 0;
    bool row = false, index = false, stays = true, within = false;
    if (!c->facts.crosses)
        return false;
    for (unsigned i = 0; i < c->now->count; i++) {
        const struct wt_insn_operand *o = &c->now->list[i];
        const union count_value value = o->reads ? value_of(c, o) : (union count_value){.of = 0};
        row |= o->writes && o->kind == WT_OPERAND_ROW;
        index |= o->reads && o->aside && o->kind == WT_OPERAND_ROW;
        if (o->reads && o->aside && !o->guards && value.of > of)
            of = value.of;
    }
    if (!c->machine->ops->lane_sources(c->machine, c->slot, pc, from)) {
        if (is_other(c, of) && c->now->indirect)
            tell(c, pc, of, "the number of a lane");
        return false;
    }
    union count_value result = sources_of(c);
    for (wt_lanes left = c->enabled; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        const bool there = from[lane] < WT_MAX_LANES;
        stays &= !there || from[lane] == lane;
        within |= there && lane >= of && from[lane] < of;
        result.mixed |= there && from[lane] / 32 != lane / 32;
        result.mixed |= there && from[lane] != lane && c->lanes <= 32;
    }
    if (row && is_other(c, of) && (of >= 32 || c->lanes < 32) && (of > c->lanes || within))
        tell(c, pc, of, "the number of a lane");
    if (row && index && stays && c->several && c->lanes == 32 &&
        wt_lanes_count(c->enabled) == c->lanes)
        tell(c, pc, 64, "the distance of an exchange");
    result.of = result.rest = 0;
    result.mask = false;
    for (unsigned i = 0; i < c->now->count; i++)
        if (c->now->list[i].writes && c->now->list[i].kind <= WT_OPERAND_SCALAR)
            set_result(c, &c->now->list[i],
                       row ? result : (union count_value){.mixed = result.mixed});
    return true;
}

/* A bit of a mask of lanes is chosen by such a number. */
static void choose_bit(struct wt_lane_count *c, uint64_t pc)
{
    unsigned of = 0;
    bool mask = false;
    for (unsigned i = 0; i < c->now->count; i++) {
        const struct wt_insn_operand *o = &c->now->list[i];
        if (!is_source(o))
            continue;
        const union count_value value = value_of(c, o);
        mask |= value.mask;
        of = !value.mask && value.of > of ? value.of : of;
    }
    if (mask && is_other(c, of) && (of >= 32 || c->lanes < 32))
        tell(c, pc, of, "the number of a bit in a mask of lanes");
}

static bool is_vote(const struct wt_lane_count *c)
{
    for (unsigned i = 0; c->now->operation == WT_DOES_OTHER && i < c->now->count; i++)
        if (c->now->list[i].reads && c->now->list[i].crosses)
            return true;
    return false;
}

static bool makes_mask(const struct wt_insn_operand *o)
{
    return o->writes && (o->by_lane || o->crosses) && o->kind == WT_OPERAND_SCALAR;
}

static void set_results(struct wt_lane_count *c, union count_value value)
{
    for (unsigned i = 0; i < c->now->count; i++) {
        const struct wt_insn_operand *o = &c->now->list[i];
        if (!o->writes || o->kind > WT_OPERAND_SCALAR)
            continue;
        set_result(c, o, makes_mask(o) ? (union count_value){.mask = true} : value);
    }
}

static void find_facts(struct wt_lane_count *c)
{
    c->facts = (struct count_facts){
        .compares =
            HAS_ONE(c, WT_M_EQ, WT_M_NE, WT_M_LT, WT_M_LE, WT_M_LT_S, WT_M_LE_S, WT_M_NONZERO),
        .shifts = HAS_ONE(c, WT_M_AND, WT_M_LOGIC, WT_M_SHR, WT_M_SHR_OUT, WT_M_FIELD),
        .ands = has(c, WT_M_AND),
        .finds = HAS_ONE(c, WT_M_ONES, WT_M_LOWEST, WT_M_HIGHEST),
        .products = has(c, WT_M_MUL),
        .by_lane = has(c, WT_M_LANE),
        .votes = is_vote(c),
        .accesses = c->now->operation >= WT_DOES_LOAD && c->now->operation <= WT_DOES_ATOMIC};
    for (unsigned i = 0; i < c->now->count; i++) {
        const struct wt_insn_operand *o = &c->now->list[i];
        c->facts.crosses |= o->reads && o->crosses && !o->by_lane;
        c->facts.masks |= makes_mask(o);
    }
}

/* Makes the instruction the one at hand. */
static void look_at(struct wt_lane_count *c, const struct wt_issue *i)
{
    struct count_insn *known = wt_check_code_find(&c->code, i->pc);
    if (known) {
        c->now = &known->o;
        c->facts = known->facts;
        return;
    }
    if (!c->machine->ops->operands(c->machine, i->wave, i->pc, &c->indirect))
        return;
    c->now = &c->indirect;
    find_facts(c);
    const size_t list = c->indirect.count * sizeof *c->indirect.list;
    if (c->indirect.indirect || !(known = malloc(offsetof(struct count_insn, o.list) + list)))
        return;
    known->facts = c->facts;
    memcpy(&known->o, &c->indirect, offsetof(struct wt_insn_operands, list) + list);
    if (!wt_check_code_add(&c->code, i->pc, known))
        free(known);
}

/* Whether the instruction can neither find nor make anything: its wave has no value of note. */
static bool is_of_no_interest(const struct wt_lane_count *c)
{
    return !c->wave[c->slot].registers.count && !c->facts.ands && !c->facts.votes &&
           !c->facts.masks && !c->facts.crosses && !c->facts.accesses;
}

void wt_lane_count_issue(struct wt_lane_count *c, const struct wt_issue *i)
{
    c->slot = i->wave;
    c->time = i->time;
    c->now = NULL;
    if (i->issues)
        look_at(c, i);
    if (!c->now || is_of_no_interest(c))
        return;
    c->enabled = c->now->exact ? c->now->enabled : i->mask;
    if (exchanges(c, i->pc))
        return;
    c->data = sources_of(c);
    if (c->facts.accesses) {
        set_results(c, (union count_value){.of = 0});
        return;
    }
    const bool compares = c->facts.compares;
    if (compares && c->data.of)
        c->wave[c->slot].leader = c->data.of;
    if (c->facts.shifts)
        choose_bit(c, i->pc);
    union count_value result = c->data;
    if (c->facts.ands)
        take_bits(c, &result);
    if (c->facts.finds)
        result = (union count_value){.mixed = result.mixed || result.mask};
    if (result.of == result.rest || c->facts.products || c->facts.by_lane || compares)
        result.of = result.rest = 0;
    if (c->facts.by_lane || (compares && !c->facts.ands))
        result.mask = false;
    if (c->facts.votes)
        result = (union count_value){.mask = true};
    set_results(c, result);
}

void wt_lane_count_access(struct wt_lane_count *c, const struct wt_observed *a)
{
    if (!c->now || a->time != c->time || a->wave != c->slot || !a->lanes)
        return;
    struct count_wave *w = &c->wave[c->slot];
    const uint64_t at = a->at[wt_lanes_lowest(a->lanes)];
    if (a->space == WT_OBSERVED_PRIVATE) {
        union count_value all = {.number = 0};
        for (uint64_t dword = at / 4; dword <= (at + a->size - 1) / 4; dword++) {
            const uint64_t *there = wt_map_find(&w->places, dword + 1);
            if (a->kind == WT_WATCH_WRITE)
                put(&w->places, dword + 1, c->data);
            else if (there)
                join(&all, (union count_value){.number = (uint32_t)*there});
        }
        if (a->kind == WT_WATCH_READ)
            set_results(c, all);
        return;
    }
    const unsigned of = w->leader;
    wt_lanes leaders = 0;
    for (unsigned lane = 0; of && lane < c->lanes; lane += of)
        leaders |= (wt_lanes)1 << lane;
    if (a->kind != WT_WATCH_READ && c->data.mixed && is_other(c, of) && a->lanes == leaders &&
        (of >= 32 || c->lanes < 32))
        tell(c, a->pc, of, "the choice of a leader");
}

void wt_lane_count_issued(struct wt_lane_count *c)
{
    c->now = NULL;
}

/* ---- beginning and end ---- */

static void forget_wave(struct count_wave *w)
{
    wt_map_free(&w->registers);
    wt_map_free(&w->places);
    *w = (struct count_wave){.leader = 0};
}

void wt_lane_count_forget(struct wt_lane_count *c)
{
    for (unsigned i = 0; i < c->machine->waves; i++)
        forget_wave(&c->wave[i]);
    wt_check_code_forget(&c->code, free);
    c->now = NULL;
    c->lanes = 0;
    c->several = false;
}

void wt_lane_count_event(struct wt_lane_count *c, const struct wt_observed_event *e)
{
    if (e->kind == WT_SEEN_LAUNCH)
        wt_check_code_forget(&c->code, free); /* other code may have been loaded */
    if (e->kind != WT_SEEN_WAVE || !e->lanes)
        return;
    unsigned lanes = 1;
    while (lanes <= wt_lanes_highest(e->lanes))
        lanes *= 2;
    forget_wave(&c->wave[e->wave]);
    c->lanes = lanes > c->lanes ? lanes : c->lanes;
    c->several |= wt_machine_wave(c->machine, e->wave)->index > 0;
}

void wt_lane_count_tell(struct wt_lane_count *c)
{
    for (size_t i = 0; i < c->findings; i++)
        c->found(c->context, &c->finding[i]);
    c->findings = 0;
    wt_map_free(&c->at);
}

struct wt_lane_count *wt_lane_count_begin(const struct wt_check_start *start)
{
    struct wt_lane_count *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->machine = start->machine;
    c->found = start->found;
    c->context = start->context;
    c->wave = calloc(start->machine->waves, sizeof *c->wave);
    if (c->wave)
        return c;
    free(c);
    return NULL;
}

void wt_lane_count_free(struct wt_lane_count *c)
{
    if (!c)
        return;
    wt_lane_count_forget(c);
    wt_map_free(&c->at);
    free(c->finding);
    free(c->wave);
    free(c);
}
