/* One instruction: what decides, what it computes, what it loads and stores. See init_state.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "check/init_state.h"
#include "emulator/machine/trail.h"
#include "emulator/machine/groups.h"

/* ---- origins ---- */

uint32_t init_computed_of(struct wt_check_init *c, uint32_t origin, wt_lanes lanes)
{
    struct wt_machine *m = c->machine;
    const struct init_pending *p = &c->pending;
    const struct wt_wave_head *w = wt_machine_wave(m, p->wave);
    if (c->computed_pc != p->pc)
        c->computeds = 0;
    c->computed_pc = p->pc;
    for (unsigned i = 0; i < c->computeds && i < INIT_COMPUTED; i++)
        if (c->computed[i].of == origin) {
            if (c->computed[i].at == p->time) {
                init_lock();
                init_add_lanes(c->computed[i].is, lanes);
                init_unlock();
            }
            return c->computed[i].is;
        }
    struct init_origin o = *init_origin_of(origin);
    if (o.pc)
        return origin;
    o.pc = p->pc;
    o.time = p->time;
    o.wave_id = wt_machine_wave_id(m, p->wave);
    o.launch = wt_machine_launch_of(m, w);
    o.group = w->group ? w->group->home : 0;
    o.entry = w->group ? m->groups.ops->entry(m, w->group) : 0;
    o.lanes = lanes;
    o.device = m->device;
    o.by = c;
    wt_machine_name_wave(m, p->wave, o.wave, sizeof o.wave);
    if (lanes)
        wt_trail_of(m, p->wave, wt_lanes_lowest(lanes), o.back);
    init_lock();
    const uint32_t made = init_new_origin(&o);
    init_unlock();
    if (!made)
        return origin;
    c->computed[c->computeds % INIT_COMPUTED].of = origin;
    c->computed[c->computeds % INIT_COMPUTED].is = made;
    c->computed[c->computeds++ % INIT_COMPUTED].at = p->time;
    return made;
}

/* ---- sources ---- */

static bool is_source(const struct wt_insn_operand *o)
{
    return o->reads && !o->aside && o->kind <= WT_OPERAND_CONSTANT;
}

static bool is_of_wave(const struct wt_insn_operand *o)
{
    return o->kind == WT_OPERAND_SCALAR && !o->by_lane;
}

static bool accesses_memory(enum wt_operation operation)
{
    return operation >= WT_DOES_LOAD && operation <= WT_DOES_ATOMIC;
}

/* A value that has more than 64 bits is looked at in parts. */
static struct wt_defined fetch_any(const struct wt_check_init *c, const struct init_wave *w,
                                   const struct wt_insn_operand *o, unsigned lane, bool *decides,
                                   uint32_t *origin)
{
    const unsigned bits = o->by_lane ? 1 : init_bits_of(c, o);
    struct wt_defined any = {0};
    for (unsigned from = 0; from < bits; from += 64) {
        const unsigned count = bits - from < 64 ? bits - from : 64;
        const struct wt_defined part =
            init_fetch(c, w, c->pending.wave, init_part_of(c, o, lane, from, count), origin);
        any.undefined |= part.undefined;
        any.computed |= part.computed;
        *decides |= part.undefined && (bits > 64 || wt_defined_may_be_zero_or_not(part, count));
    }
    return any;
}

/* ---- what decides ---- */

/* Reports lanes whose operand has undefined bits, which then count as defined. @p truth: only
 * whether it is 0 matters. */
static void decide(struct wt_check_init *c, struct init_wave *w, const struct wt_insn_operand *o,
                   bool truth, enum wt_finding_kind kind, const char *what)
{
    const wt_lanes own = init_readers(&c->pending, o), bit = own & -own;
    wt_lanes bad = 0;
    uint32_t origin = 0;
    if (!own && !is_of_wave(o))
        return;
    for (wt_lanes left = is_of_wave(o) ? (bit ? bit : 1) : init_lanes_of(c, o, own); left;
         left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        bool decides = false;
        const struct wt_defined is = fetch_any(c, w, o, lane, &decides, &origin);
        if (truth ? decides : is.undefined != 0)
            bad |= wt_lane_bit(lane);
    }
    if (!bad)
        return;
    init_report(c, kind, is_of_wave(o) && own ? own : bad, origin, what);
    init_define_operand(c, w, o, is_of_wave(o) ? own : bad);
}

static void decide_all(struct wt_check_init *c, struct init_wave *w)
{
    const struct init_insn *insn = c->pending.insn;
    const enum wt_operation operation = (enum wt_operation)insn->head.operation;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (!o->reads || !init_is_register(o) ||
            !init_has_undefined(c, w, o, init_readers(&c->pending, o)))
            continue;
        if (o->guards)
            decide(c, w, o, true, WT_FOUND_UNDEFINED_BRANCH,
                   "the mask or predicate that selects its lanes");
        else if (accesses_memory(operation) && o->aside && !o->may_count)
            decide(c, w, o, false, WT_FOUND_UNDEFINED_ADDRESS, "its address");
        else if (operation == WT_DOES_BRANCH && !insn->head.decides)
            decide(c, w, o, true, WT_FOUND_UNDEFINED_BRANCH,
                   "the condition or target of the branch");
        else if (operation == WT_DOES_ATOMIC)
            decide(c, w, o, false, WT_FOUND_UNDEFINED_ATOMIC, "its operand");
    }
}

/* ---- what it computes ---- */

struct sources {
    const struct wt_insn_operand *of[WT_DEFINED_SOURCES];
    unsigned count;
    bool more;    /* there are others */
    bool crosses; /* it reads other lanes, too */
    uint8_t from[WT_MAX_LANES];
    bool has_from;
    const struct wt_insn_operand *result; /* that they are for; NULL: for several */
};

static void list_sources(const struct init_insn *insn, unsigned pair, struct sources *s)
{
    *s = (struct sources){.count = 0};
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (!is_source(o) || (o->pair && o->pair != pair))
            continue;
        s->crosses |= o->crosses;
        if (s->count < WT_DEFINED_SOURCES)
            s->of[s->count++] = o;
        else
            s->more = true;
    }
}

static bool are_one(const struct wt_insn_operand *a, const struct wt_insn_operand *b)
{
    return init_is_register(a) && a->kind == b->kind && a->file == b->file &&
           a->number == b->number && a->first == b->first && a->bits == b->bits &&
           a->step == b->step && a->row == b->row && a->row_step == b->row_step;
}

/* The union of an operand's undefined bits. */
static struct wt_defined fetch_lanes(const struct wt_check_init *c, const struct init_wave *w,
                                     const struct wt_insn_operand *o, wt_lanes lanes,
                                     uint32_t *origin)
{
    struct wt_defined all = {0};
    bool decides = false;
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const struct wt_defined one = fetch_any(c, w, o, wt_lanes_lowest(left), &decides, origin);
        all.undefined |= one.undefined;
        all.computed |= one.undefined;
    }
    return all;
}

/* Bits of a source; of what lanes mix all. */
static struct wt_defined fetch_source(const struct wt_check_init *c, const struct init_wave *w,
                                      const struct sources *s, struct init_part p, uint32_t *origin)
{
    const struct wt_insn_operand *o = p.o;
    const struct wt_insn_operands *head = &c->pending.insn->head;
    unsigned of =
        o->whose == WT_LANE_OWN ? p.lane : wt_lanes_lowest(init_lanes_of(c, o, c->pending.enabled));
    if ((o->kind == WT_OPERAND_ROW || o->by_lane) && o->crosses) {
        if (!s->has_from)
            return p.from ? (struct wt_defined){0}
                          : fetch_lanes(c, w, o,
                                        head->mixed && s->result
                                            ? head->mixed(head, s->result, p.lane, o)
                                            : c->pending.enabled,
                                        origin);
        if (s->from[p.lane] >= WT_ZERO_LANE)
            return (struct wt_defined){0};
        of = s->from[p.lane];
    }
    return init_fetch(c, w, c->pending.wave, init_part_of(c, o, of, p.from, p.bits), origin);
}

/* As many bits as can be looked at together. */
static unsigned source_bits(const struct wt_check_init *c, const struct wt_insn_operand *o)
{
    const unsigned bits = o->by_lane ? 1 : init_bits_of(c, o);
    return bits < 64 ? bits : 64;
}

/* How many bits an operation is for: those of its result. */
static unsigned width_of(const struct wt_check_init *c, const struct sources *s,
                         const struct wt_insn_operand *main)
{
    unsigned bits = c->pending.insn->head.width;
    if (!bits && main)
        bits = main->by_lane ? 1 : init_bits_of(c, main);
    for (unsigned i = 0; !bits && i < s->count; i++)
        if (init_is_register(s->of[i]))
            bits = init_bits_of(c, s->of[i]);
    return bits == 0 ? 1 : bits > 64 ? 64 : bits;
}

/* Whether what says where an operand is, or how the instruction computes, is undefined. */
static bool has_undefined_aside(const struct wt_check_init *c, const struct init_wave *w,
                                unsigned pair, unsigned lane, uint32_t *origin)
{
    const struct init_insn *insn = c->pending.insn;
    bool decides = false;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (o->reads && o->aside && init_is_register(o) && !o->guards &&
            (!o->pair || o->pair == pair) && fetch_any(c, w, o, lane, &decides, origin).undefined)
            return true;
    }
    return false;
}

/* A source of fewer bits than the operation is for, whose sign fills these. */
static struct wt_defined widened(const struct wt_check_init *c, const struct wt_insn_operand *o,
                                 struct wt_defined is)
{
    const unsigned own = init_is_register(o) && !o->by_lane ? init_bits_of(c, o) : 64;
    if (o->type != WT_OPERAND_SIGNED || own >= 64)
        return is;
    const uint64_t rest = ~wt_low_bits(own), sign = UINT64_C(1) << (own - 1);
    is.value |= is.value & sign ? rest : 0;
    is.undefined |= is.undefined & sign ? rest : 0;
    is.computed |= is.computed & sign ? rest : 0;
    return is;
}

/* Results of operands of one pair: of a lane, or (lane 0 or the lowest one, of these lanes) of the
 * wave. */
struct init_computed {
    unsigned pair, bits, lane;
    wt_lanes lanes;
};

/* Result and flag. */
static struct wt_defined compute(struct wt_check_init *c, const struct init_wave *w,
                                 const struct sources *s, const struct init_computed *of,
                                 struct wt_defined *flag, uint32_t *origin)
{
    const uint64_t all = wt_low_bits(of->bits);
    const unsigned lane = of->lane;
    struct wt_defined result = {0, all, all};
    uint32_t from = 0;
    bool wide = s->more, any = false, decides = false;
    for (unsigned i = s->count; i-- > 0;) {
        uint32_t own = 0;
        const struct wt_defined is = widened(
            c, s->of[i],
            fetch_source(c, w, s, init_part_of(c, s->of[i], lane, 0, source_bits(c, s->of[i])),
                         &own));
        from = own ? own : from;
        any |= is.undefined;
        wide |= init_is_register(s->of[i]) && init_bits_of(c, s->of[i]) > 64;
        if (i == 0 && c->pending.insn->head.operation == WT_DOES_MOVE)
            result = (struct wt_defined){is.value & all, is.undefined & all, is.computed & all};
    }
    if (has_undefined_aside(c, w, of->pair, lane, &from)) {
        result = (struct wt_defined){0, all, all};
    } else if (wide) {
        any = false;
        for (unsigned i = 0; i < c->pending.insn->count; i++) {
            const struct wt_insn_operand *o = &c->pending.insn->list[i];
            if (is_source(o) && init_is_register(o))
                any |= fetch_any(c, w, o, lane, &decides, &from).undefined;
        }
        result = any ? (struct wt_defined){0, all, all} : (struct wt_defined){0};
    } else if (!any) {
        result = (struct wt_defined){0};
    }
    flag->undefined = flag->computed = result.undefined != 0;
    *origin = result.computed ? init_computed_of(c, from, of->lanes) : from;
    return result;
}

/* ---- results ---- */

/* The operand that the operation's result goes to. */
static const struct wt_insn_operand *main_result(const struct init_insn *insn)
{
    const struct wt_insn_operand *main = NULL;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (!init_is_result(o))
            continue;
        if (o->guards)
            return o;
        if (!main)
            main = o;
    }
    return main;
}

/* The mask of lanes becomes this, which must be defined. */
static void decide_mask(struct wt_check_init *c, const struct wt_insn_operand *o,
                        struct wt_defined is, uint32_t origin, wt_lanes lanes)
{
    if (!is.undefined)
        return;
    if (!o->by_lane)
        lanes = is.undefined;
    init_report(c, WT_FOUND_UNDEFINED_BRANCH, lanes, origin, "the mask of lanes");
}

void init_put_result(struct wt_check_init *c, const struct wt_insn_operand *o, unsigned lane,
                     struct wt_defined is, uint32_t origin)
{
    const unsigned bits = o->by_lane ? 1 : init_bits_of(c, o);
    if (!is.undefined || o->guards)
        return;
    for (unsigned from = 0; from < bits; from += 64)
        init_put(c, init_part_of(c, o, lane, from, bits - from < 64 ? bits - from : 64),
                 from ? (struct wt_defined){0, UINT64_MAX, UINT64_MAX} : is, origin);
}

/* A result of fewer bits than its register has, whose sign fills that; of a comparison a bit does.
 */
static struct wt_defined extended(const struct wt_check_init *c, const struct wt_insn_operand *o,
                                  struct wt_defined is, unsigned bits)
{
    const uint64_t rest = ~wt_low_bits(bits);
    if (o->type != WT_OPERAND_SIGNED || init_bits_of(c, o) <= bits ||
        !(is.undefined >> (bits - 1) & 1))
        return is;
    is.undefined |= rest;
    is.computed |= is.computed >> (bits - 1) & 1 ? rest : 0;
    return is;
}

/* The results of operands of one pair, for a lane or the wave. */
static void put_results(struct wt_check_init *c, const struct init_wave *w, const struct sources *s,
                        const struct wt_insn_operand *main, unsigned pair, wt_lanes lanes,
                        bool of_wave)
{
    const struct init_insn *insn = c->pending.insn;
    const enum wt_operation operation = (enum wt_operation)insn->head.operation;
    const unsigned bits = width_of(c, s, main);
    for (wt_lanes left = lanes; left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left);
        struct wt_defined flag = {0};
        uint32_t origin = 0;
        if (s->has_from && s->from[lane] == WT_NO_LANE) {
            if (main->reads)
                init_put_result(c, main, lane,
                                init_fetch(c, w, c->pending.wave,
                                           init_part_of(c, main, lane, 0, bits), &origin),
                                origin);
            continue;
        }
        const struct init_computed of = {pair, bits, lane,
                                         of_wave ? c->pending.enabled : wt_lane_bit(lane)};
        const struct wt_defined is = compute(c, w, s, &of, &flag, &origin);
        if (!is.undefined && !flag.undefined)
            continue;
        for (unsigned i = 0; i < insn->count; i++) {
            const struct wt_insn_operand *o = &insn->list[i];
            if (!init_is_result(o) || o->pair != pair || is_of_wave(o) != of_wave)
                continue;
            const bool beside = o != main;
            if (beside && main->guards)
                continue; /* the old mask */
            struct wt_defined own = beside ? flag : is;
            if (beside && operation == WT_DOES_OTHER)
                own = (struct wt_defined){0, UINT64_MAX, UINT64_MAX};
            if (o->guards)
                decide_mask(c, o, own, origin, wt_lane_bit(lane));
            init_put_result(c, o, lane, beside ? own : extended(c, o, own, bits), origin);
        }
    }
}

/* ---- what a meaning says ---- */

/* A part of an operand as its leaf has it. */
static struct wt_defined leaf_part(const struct wt_check_init *c, const struct wt_insn_operand *o,
                                   struct wt_defined is, unsigned half)
{
    const struct wt_insn_operands *head = &c->pending.insn->head;
    const unsigned own = o->by_lane ? 1 : init_bits_of(c, o);
    if (o->is_zero) {
        const bool open = wt_defined_may_be_zero_or_not(is, own);
        return (struct wt_defined){!is.value, open, open};
    }
    return (struct wt_defined){wt_operand_leaf(head, o, own, half, is.value, false),
                               wt_operand_leaf(head, o, own, half, is.undefined, true),
                               wt_operand_leaf(head, o, own, half, is.computed, true)};
}

/* The undefined bits of a leaf that have one origin. */
struct undefined_bits {
    unsigned leaf;
    uint64_t bits;
    uint32_t origin;
};

struct meant {
    struct wt_meant_operands in;
    struct undefined_bits undefined[2 * WT_M_LEAVES];
    unsigned count;
};

/* The first leaf that lies in the same register, and is modified in the same way. */
static uint64_t same_leaf(const struct init_insn *insn, unsigned n)
{
    const struct wt_insn_operand *x = &insn->list[n];
    for (unsigned i = 0; i < n; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (o->reads && o->leaf && are_one(o, x) && o->abs == x->abs && o->neg == x->neg &&
            o->halves == x->halves && o->type == x->type && o->width == x->width)
            return o->leaf;
    }
    return 0;
}

/* The operand's value; its undefined bits are noted with the cells' origins. */
static struct wt_defined fetch_leaf(const struct wt_check_init *c, const struct init_wave *w,
                                    const struct sources *s, const struct wt_insn_operand *o,
                                    unsigned lane, unsigned half, struct meant *m)
{
    const unsigned bits = source_bits(c, o), at = m->in.leaf[o->leaf].bits;
    struct wt_defined is = {0}, parts[2] = {{0}};
    uint32_t origin[2] = {0};
    for (unsigned from = 0, n = 0; from < bits; from += INIT_CELL, n++) {
        const unsigned count = bits - from < INIT_CELL ? bits - from : INIT_CELL;
        parts[n] = wt_defined_moved(
            fetch_source(c, w, s, init_part_of(c, o, lane, from, count), &origin[n]), (int)from,
            UINT64_MAX);
        is.value |= parts[n].value;
        is.undefined |= parts[n].undefined;
        is.computed |= parts[n].computed;
    }
    for (unsigned n = 0; n < 2; n++)
        if (origin[n] && m->count < 2 * WT_M_LEAVES)
            m->undefined[m->count++] = (struct undefined_bits){
                o->leaf,
                leaf_part(c, o, (struct wt_defined){is.value, parts[n].undefined, 0}, half)
                        .undefined
                    << at,
                origin[n]};
    return leaf_part(c, o, is, half);
}

/* The leaves of a lane, or (of packed pairs) those of a half. */
static void fetch_leaves(const struct wt_check_init *c, const struct init_wave *w,
                         const struct sources *s, unsigned lane, unsigned half, struct meant *m)
{
    const struct init_insn *insn = c->pending.insn;
    *m = (struct meant){.in.clamp = insn->head.clamp};
    m->in.leaf[WT_M_LANE] = (struct wt_meant){.is.value = lane, .bits = 32};
    m->in.leaf[WT_M_STATE] = m->in.leaf[WT_M_NEXT] = (struct wt_meant){.bits = 64, .unknown = true};
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        struct wt_meant *leaf = &m->in.leaf[o->leaf];
        if (!o->reads || !o->leaf)
            continue;
        const struct wt_defined is = fetch_leaf(c, w, s, o, lane, half, m);
        leaf->is.value |= is.value << leaf->bits;
        leaf->is.undefined |= is.undefined << leaf->bits;
        leaf->is.computed |= is.computed << leaf->bits;
        leaf->same = leaf->bits ? 0 : same_leaf(insn, i);
        leaf->bits += wt_operand_leaf_bits(&insn->head, o, o->by_lane ? 1 : init_bits_of(c, o));
    }
}

/* The origin of bits that alone leave the result undefined; if no such bits do, of the first ones.
 */
static uint32_t origin_of(const struct init_insn *insn, const struct meant *m, unsigned result)
{
    bool one = true;
    for (unsigned i = 1; i < m->count; i++)
        one &= m->undefined[i].origin == m->undefined[0].origin;
    for (unsigned i = 0; !one && i < m->count; i++) {
        const struct undefined_bits *u = &m->undefined[i];
        struct wt_meant own[WT_RESULTS];
        struct wt_meant_operands in = m->in;
        for (unsigned leaf = 0; leaf < WT_M_LEAVES; leaf++)
            in.leaf[leaf].is.undefined &= leaf == u->leaf ? u->bits : 0;
        wt_meant_results(wt_operands_meaning(&insn->head), &in, own);
        if (own[result].is.undefined)
            return u->origin;
    }
    return m->count ? m->undefined[0].origin : 0;
}

/* The results of a lane, or of the wave. */
static void mean(struct wt_check_init *c, const struct init_wave *w, const struct sources *s,
                 unsigned lane, wt_lanes lanes, struct wt_meant result[static WT_RESULTS],
                 uint32_t origin[static WT_RESULTS])
{
    const struct init_insn *insn = c->pending.insn;
    uint32_t aside = 0;
    const bool astray = has_undefined_aside(c, w, 0, lane, &aside);
    for (unsigned half = 0; half <= (insn->head.packed > 0); half++) {
        struct wt_meant own[WT_RESULTS];
        struct meant m;
        fetch_leaves(c, w, s, lane, half, &m);
        wt_meant_results(wt_operands_meaning(&insn->head), &m.in, own);
        for (unsigned r = 0; r < WT_RESULTS; r++) {
            struct wt_meant *to = &result[r];
            uint32_t from = own[r].is.undefined ? origin_of(insn, &m, r) : 0;
            if (own[r].is.computed)
                from = init_computed_of(c, from, lanes);
            origin[r] = half && origin[r] ? origin[r] : from;
            const unsigned at = half ? to->bits : 0;
            const struct wt_defined low = half ? to->is : (struct wt_defined){0};
            *to = own[r];
            to->bits += at;
            to->is.undefined = own[r].is.undefined << at | low.undefined;
            to->is.computed = own[r].is.computed << at | low.computed;
        }
    }
    for (unsigned r = 0; r < WT_RESULTS; r++)
        if (astray || (insn->head.mixes && result[r].is.undefined)) {
            result[r].is.undefined = result[r].is.computed = UINT64_MAX;
            origin[r] = init_computed_of(c, astray ? aside : origin[r], lanes);
        }
}

/* The results of a lane, or of the wave. */
static void put_meant(struct wt_check_init *c, const struct init_wave *w, const struct sources *s,
                      unsigned lane, bool of_wave)
{
    const struct init_insn *insn = c->pending.insn;
    struct wt_meant result[WT_RESULTS] = {{.bits = 0}};
    uint32_t origin[WT_RESULTS] = {0};
    uint8_t from[WT_RESULTS] = {0};
    const bool stays = s->has_from && s->from[lane] == WT_NO_LANE;
    bool masked = false; /* it has been reported; other results of the wave come of the old mask */
    if (!stays)
        mean(c, w, s, lane, of_wave ? c->pending.enabled : wt_lane_bit(lane), result, origin);
    for (unsigned i = 0; i < 2 * insn->count; i++) { /* masks first */
        const struct wt_insn_operand *o = &insn->list[i % insn->count];
        if (!init_is_result(o) || !o->result || is_of_wave(o) != of_wave ||
            o->guards != (i < insn->count))
            continue;
        const struct wt_meant *r = &result[o->result];
        const unsigned own = o->by_lane ? 1 : init_bits_of(c, o), at = from[o->result];
        struct wt_defined is = {0, wt_operand_result(o, own, r->bits, at, r->is.undefined),
                                wt_operand_result(o, own, r->bits, at, r->is.computed)};
        uint32_t of = origin[o->result];
        from[o->result] = (uint8_t)(from[o->result] + (o->guards ? 0 : o->width));
        if (o->reads && o->leaf != WT_M_OLD && (stays || (o->crosses && !s->has_from))) {
            const struct wt_defined old = init_fetch(
                c, w, c->pending.wave, init_part_of(c, o, lane, 0, init_bits_of(c, o)), &of);
            is.undefined |= old.undefined;
            is.computed |= old.computed;
        }
        if (o->guards)
            decide_mask(c, o, is, of, wt_lane_bit(lane));
        masked |= o->guards && is.undefined && of_wave;
        if (!masked)
            init_put_result(c, o, lane, is, of);
    }
}

static void compute_meant(struct wt_check_init *c, const struct init_wave *w)
{
    const struct init_pending *p = &c->pending;
    const struct init_insn *insn = p->insn;
    const struct wt_insn_operand *row = NULL;
    struct sources s = {.result = main_result(insn)};
    bool by_lanes = false, by_wave = false;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        s.crosses |= o->crosses && o->reads && o->leaf;
        if (!init_is_result(o) || !o->result)
            continue;
        by_wave |= is_of_wave(o);
        by_lanes |= !is_of_wave(o);
        row = !row && o->kind == WT_OPERAND_ROW ? o : row;
    }
    if (s.crosses)
        s.has_from = c->machine->ops->lane_sources(c->machine, p->wave, p->pc, s.from);
    for (wt_lanes left = !by_lanes ? 0
                         : row     ? init_lanes_of(c, row, p->enabled)
                                   : p->enabled;
         left; left &= left - 1)
        put_meant(c, w, &s, wt_lanes_lowest(left), false);
    if (by_wave)
        put_meant(c, w, &s, p->enabled ? wt_lanes_lowest(p->enabled) : 0, true);
}

static void compute_all(struct wt_check_init *c, const struct init_wave *w)
{
    struct init_pending *p = &c->pending;
    const struct init_insn *insn = p->insn;
    const struct wt_insn_operand *main = main_result(insn);
    uint64_t pairs = 0;
    if (!main)
        return;
    for (unsigned i = 0; i < insn->count; i++)
        if (init_is_result(&insn->list[i]))
            pairs |= UINT64_C(1) << (insn->list[i].pair & 63);
    for (; pairs; pairs &= pairs - 1) {
        const unsigned pair = (unsigned)__builtin_ctzll(pairs);
        struct sources s;
        list_sources(insn, pair, &s);
        bool by_lanes = false, by_wave = false;
        for (unsigned i = 0; i < insn->count; i++)
            if (init_is_result(&insn->list[i]) && insn->list[i].pair == pair) {
                if (pair && insn->list[i].pair == pair)
                    main = &insn->list[i];
                by_wave |= is_of_wave(&insn->list[i]);
                by_lanes |= !is_of_wave(&insn->list[i]);
            }
        s.result = main;
        if (s.crosses)
            s.has_from = c->machine->ops->lane_sources(c->machine, p->wave, p->pc, s.from);
        if (s.has_from && s.count > 1 && s.of[0]->writes) { /* what lanes keep that take none */
            memmove(s.of, s.of + 1, --s.count * sizeof(*s.of));
        }
        if (by_lanes)
            put_results(c, w, &s, main, pair,
                        main->kind == WT_OPERAND_ROW ? init_lanes_of(c, main, p->enabled)
                                                     : p->enabled,
                        false);
        if (by_wave)
            put_results(c, w, &s, main, pair, p->enabled ? p->enabled & -p->enabled : 1, true);
    }
}

/* A branch whose condition is computed. */
static void decide_condition(struct wt_check_init *c, const struct init_wave *w)
{
    const struct sources s = {.count = 0};
    wt_lanes bad = 0;
    uint32_t origin = 0;
    for (wt_lanes left = c->pending.enabled; left; left &= left - 1) {
        struct wt_meant result[WT_RESULTS] = {{.bits = 0}};
        uint32_t from[WT_RESULTS] = {0};
        const unsigned lane = wt_lanes_lowest(left);
        mean(c, w, &s, lane, wt_lane_bit(lane), result, from);
        if (!result[WT_RESULT_JUMPS].is.undefined)
            continue;
        bad |= wt_lane_bit(lane);
        origin = origin ? origin : from[WT_RESULT_JUMPS];
    }
    if (bad)
        init_report(c, WT_FOUND_UNDEFINED_BRANCH, bad, origin,
                    "the condition or target of the branch");
}

void init_issue(struct wt_check_init *c, struct init_wave *w)
{
    const struct init_insn *insn = c->pending.insn;
    const enum wt_operation operation = (enum wt_operation)insn->head.operation;
    decide_all(c, w);
    if (insn->head.decides)
        decide_condition(c, w);
    else if (operation == WT_DOES_MEANT)
        compute_meant(c, w);
    else if (operation < WT_DOES_LOAD)
        compute_all(c, w);
}
