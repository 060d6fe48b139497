/* Which bits of registers are defined. See init_state.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "check/init_state.h"
#include "check/values.h"
#include "emulator/machine/machine.h"

/* ---- where operands are ---- */

static const struct wt_operand_file *file_of(const struct wt_check_init *c,
                                             const struct wt_insn_operand *o)
{
    return &c->machine->ops->operand_files[o->file];
}

static inline uint64_t bit_of(const struct wt_check_init *c, const struct wt_insn_operand *o,
                              unsigned lane, unsigned element, unsigned from, unsigned *room)
{
    return wt_operand_bit(c->machine->ops->operand_files, c->machine->lanes, o, lane, element, from,
                          room);
}

unsigned init_bits_of(const struct wt_check_init *c, const struct wt_insn_operand *o)
{
    const unsigned of_file = file_of(c, o)->bits;
    return o->kind > WT_OPERAND_SCALAR ? 64 : !of_file ? 0 : o->bits ? o->bits : of_file;
}

wt_lanes init_lanes_of(const struct wt_check_init *c, const struct wt_insn_operand *o, wt_lanes own)
{
    (void)c;
    switch (o->whose) {
    case WT_LANE_OWN:
        return own;
    case WT_LANE_FIRST:
        return wt_lane_bit(own ? wt_lanes_lowest(own) : 0);
    default:
        return wt_lane_bit(o->whose - WT_LANE_0);
    }
}

/* ---- cells ---- */

static bool has(const uint64_t *set, size_t cell)
{
    return set[cell / 64] >> cell % 64 & 1;
}

static uint32_t undefined_of(const struct init_file *f, size_t cell)
{
    return cell >= f->cells || !has(f->any, cell) ? 0
           : has(f->fresh, cell)                  ? UINT32_MAX
                                                  : f->values[cell / 64]->undefined[cell % 64];
}

/* The values of the cell and others; NULL without host memory. */
static struct init_cells *make_values(struct init_file *f, size_t cell)
{
    struct init_cells **there = &f->values[cell / 64];
    if (!*there)
        *there = calloc(1, sizeof **there);
    return *there;
}

bool init_grow_file(struct init_file *f, size_t cells)
{
    enum { STEP = 1024 };
    const size_t room = (cells + STEP - 1) / STEP * STEP;
    if (cells <= f->cells)
        return true;
    struct init_file grown = {.cells = room,
                              .any = calloc(room / 64, sizeof(uint64_t)),
                              .fresh = calloc(room / 64, sizeof(uint64_t)),
                              .values = calloc(room / 64, sizeof(*f->values))};
    const bool good = grown.any && grown.fresh && grown.values;
    if (good && f->cells) {
        memcpy(grown.any, f->any, f->cells / 8);
        memcpy(grown.fresh, f->fresh, f->cells / 8);
        memcpy(grown.values, f->values, f->cells / 64 * sizeof(*f->values));
        memset(f->values, 0, f->cells / 64 * sizeof(*f->values));
    }
    grown.past = f->past;
    grown.state = f->state;
    init_free_file(good ? f : &grown);
    if (good)
        *f = grown;
    return good;
}

void init_free_file(struct init_file *f)
{
    for (size_t word = 0; f->values && word < f->cells / 64; word++)
        free(f->values[word]);
    free(f->values);
    free(f->any);
    free(f->fresh);
}

/* @p mask: of the cell's bits, which become `is`. */
static void set_cell(struct init_file *f, size_t cell, uint32_t mask, uint32_t undefined,
                     uint32_t computed, uint32_t origin)
{
    const uint64_t bit = UINT64_C(1) << cell % 64;
    if (cell >= f->cells && (!undefined || !init_grow_file(f, cell + 1)))
        return;
    struct init_cells *values = f->values[cell / 64];
    const size_t at = cell % 64;
    const bool fresh = has(f->fresh, cell);
    const uint32_t old = undefined_of(f, cell),
                   old_computed = old && !fresh ? values->computed[at] & old : 0;
    uint32_t now = (old & ~mask) | (undefined & mask);
    if (f->past && (old || now))
        init_note_cell(f, cell);
    if (now && !(values = make_values(f, cell)))
        now = 0; /* without host memory it counts as defined */
    f->fresh[cell / 64] &= ~bit;
    *f->state += (now & ~old) != 0;
    f->any[cell / 64] = now ? f->any[cell / 64] | bit : f->any[cell / 64] & ~bit;
    if (!now)
        return;
    values->undefined[at] = now;
    values->computed[at] = (old_computed & ~mask) | (computed & mask);
    /* A cell has one origin: that of computed bits, which says where, if it has some. */
    if (undefined & mask && (computed & mask || !(values->computed[at] & now)))
        values->origin[at] = origin;
    else if (fresh)
        values->origin[at] = INIT_OF_REGISTER;
}

static void set_bits(struct init_file *f, uint64_t bit, unsigned bits, struct wt_defined is,
                     uint32_t origin)
{
    for (unsigned done = 0, count; done < bits; done += count) {
        const unsigned within = (unsigned)((bit + done) % INIT_CELL);
        count = INIT_CELL - within < bits - done ? INIT_CELL - within : bits - done;
        const uint32_t mask = (uint32_t)((UINT64_C(1) << count) - 1) << within;
        set_cell(f, (bit + done) / INIT_CELL, mask, (uint32_t)(is.undefined >> done) << within,
                 (uint32_t)(is.computed >> done) << within, origin);
    }
}

/* ---- reading ---- */

static bool any_in(const struct init_file *f, uint64_t first, uint64_t last)
{
    if (first >= f->cells)
        return false;
    if (last >= f->cells)
        last = f->cells - 1;
    for (uint64_t word = first / 64; word <= last / 64; word++) {
        uint64_t bits = f->any[word];
        if (word == first / 64)
            bits &= UINT64_MAX << first % 64;
        if (word == last / 64)
            bits &= UINT64_MAX >> (63 - last % 64);
        if (bits)
            return true;
    }
    return false;
}

/* Registers of 32 bits in 64 lanes: a word of the set is a row. */
static bool is_word_a_row(const struct wt_check_init *c, const struct wt_insn_operand *o)
{
    const struct wt_operand_file *f = file_of(c, o);
    return f->per_lane && f->bits == INIT_CELL && c->machine->lanes == 64;
}

/* The cells that any of an instruction's lanes has a part of the value of. */
static void extent(const struct wt_check_init *c, const struct init_insn *insn,
                   const struct wt_insn_operand *o, uint64_t *first, uint64_t *last)
{
    const struct wt_operand_file *f = file_of(c, o);
    const unsigned bits = init_bits_of(c, o), all = c->machine->lanes,
                   lanes = f->per_lane || !insn->head.lanes ? all : insn->head.lanes;
    if (f->per_lane) {
        *first = (uint64_t)o->number * lanes * f->bits / INIT_CELL;
        *last =
            (((uint64_t)o->number + (o->first + bits - 1) / f->bits + 1) * lanes * f->bits - 1) /
            INIT_CELL;
        return;
    }
    const uint64_t bit = (uint64_t)o->number * f->bits + o->first;
    uint64_t reach = bits - 1;
    if (o->kind == WT_OPERAND_ROW) {
        const unsigned row = o->row ? o->row : WT_MAX_LANES, used = lanes < row ? lanes : row;
        reach += (uint64_t)(used - 1) * o->step + (uint64_t)((lanes - 1) / row) * o->row_step;
    }
    *first = bit / INIT_CELL;
    *last = (bit + reach) / INIT_CELL;
}

/* ---- cells by lanes ---- */

/* Registers of 64 bits in up to 32 lanes: two cells of a word of the set are a lane's. */
static bool are_pairs(const struct wt_check_init *c, const struct wt_insn_operand *o)
{
    const struct wt_operand_file *f = file_of(c, o);
    return f->per_lane && f->bits == 2 * INIT_CELL && c->machine->lanes <= INIT_CELL &&
           INIT_CELL % c->machine->lanes == 0;
}

/* How the cells that an operand has parts of belong to lanes. */
static enum init_by by_of(const struct wt_check_init *c, const struct init_insn *insn,
                          const struct wt_insn_operand *o)
{
    const struct wt_operand_file *f = file_of(c, o);
    const unsigned bits = init_bits_of(c, o);
    if (is_word_a_row(c, o))
        return o->whose == WT_LANE_OWN && !o->crosses ? INIT_BY_LANES : INIT_BY_ALL;
    if (are_pairs(c, o) && o->whose == WT_LANE_OWN && !o->crosses && !insn->head.unmasked &&
        o->first + bits <= f->bits)
        return INIT_BY_PAIRS;
    if (f->per_lane || c->machine->lanes > INIT_CELL || (o->crosses && !o->guards) ||
        insn->head.first_lane || (uint64_t)o->number * f->bits % INIT_CELL)
        return INIT_BY_ALL;
    if (o->by_lane)
        return bits == INIT_CELL ? INIT_BY_BITS : INIT_BY_ALL;
    if (o->kind != WT_OPERAND_ROW || o->whose != WT_LANE_OWN || o->first + bits > o->step ||
        (o->row && o->row_step != o->row * o->step))
        return INIT_BY_ALL;
    return o->step == INIT_CELL       ? INIT_BY_CELLS
           : o->step == 2 * INIT_CELL ? INIT_BY_PAIRS
                                      : INIT_BY_ALL;
}

/* Each bit twice. */
static uint64_t doubled(uint32_t bits)
{
    uint64_t x = bits;
    x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
    x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x = (x | x << 2) & UINT64_C(0x3333333333333333);
    x = (x | x << 1) & UINT64_C(0x5555555555555555);
    return x | x << 1;
}

static uint64_t shifted_by(uint64_t x, int by)
{
    return by >= 0 ? x << by : x >> -by;
}

/* The cells of a span that lanes have parts of. */
static inline uint64_t cells_of(const struct init_span *s, wt_lanes lanes)
{
    return (s->by == INIT_BY_LANES   ? (uint64_t)lanes
            : s->by == INIT_BY_CELLS ? shifted_by((uint32_t)lanes, s->shift)
            : s->by == INIT_BY_PAIRS ? shifted_by(doubled((uint32_t)lanes), s->shift)
                                     : UINT64_MAX) &
           s->cells;
}

/* ---- spans ---- */

static bool add_span(struct init_insn *insn, struct init_span one)
{
    struct init_span *grown =
        wt_array_grow(insn->span, &insn->span_room, insn->reads + insn->writes + 1, sizeof *grown);
    if (!grown)
        return false;
    insn->span = grown;
    grown[insn->reads + insn->writes] = one;
    return true;
}

/* Whether all that an operand is written to are whole cells. */
static bool is_whole(const struct wt_check_init *c, const struct init_insn *insn,
                     const struct wt_insn_operand *o)
{
    const unsigned first = o->number * file_of(c, o)->bits + o->first;
    if (init_bits_of(c, o) % INIT_CELL || first % INIT_CELL || (o->crosses && o->reads))
        return false;
    const enum init_by by = by_of(c, insn, o);
    if (by >= INIT_BY_CELLS)
        return by == INIT_BY_BITS || file_of(c, o)->per_lane || init_bits_of(c, o) == o->step;
    return o->kind == WT_OPERAND_SCALAR ? !o->by_lane || o->crosses
                                        : is_word_a_row(c, o) && o->whose == WT_LANE_OWN;
}

/* Of a register with more bits than a cell each lane has its own cells. */
static bool add_lanes(const struct wt_check_init *c, struct init_insn *insn,
                      const struct wt_insn_operand *o, unsigned *count)
{
    const unsigned bits = init_bits_of(c, o), lanes = c->machine->lanes;
    const enum init_by by = by_of(c, insn, o);
    unsigned room = bits;
    for (unsigned from = 0; from < bits; from += room < bits - from ? room : bits - from)
        for (unsigned lane = 0; lane < lanes; lane++) {
            const uint64_t bit = bit_of(c, o, lane, lane, from, &room);
            const unsigned part = room < bits - from ? room : bits - from;
            for (uint64_t cell = bit / INIT_CELL; cell <= (bit + part - 1) / INIT_CELL; cell++) {
                struct init_span one = {.file = o->file,
                                        .by = (uint8_t)by,
                                        .word = (uint32_t)(cell / 64),
                                        .cells = UINT64_C(1) << cell % 64};
                struct init_span *last =
                    *count ? &insn->span[insn->reads + insn->writes - 1] : NULL;
                if (by == INIT_BY_PAIRS)
                    one.shift = (int8_t)(2 * (uint64_t)lanes * o->number % 64);
                if (last && last->file == one.file && last->word == one.word && last->by == by &&
                    last->shift == one.shift) {
                    last->cells |= one.cells;
                    continue;
                }
                if (!add_span(insn, one))
                    return false;
                (*count)++;
            }
        }
    return true;
}

static bool add_spans(const struct wt_check_init *c, struct init_insn *insn,
                      const struct wt_insn_operand *o, unsigned *count)
{
    uint64_t first, last;
    if (!init_bits_of(c, o))
        return true;
    if (file_of(c, o)->per_lane && !is_word_a_row(c, o))
        return add_lanes(c, insn, o, count);
    extent(c, insn, o, &first, &last);
    for (uint64_t word = first / 64; word <= last / 64; word++, (*count)++) {
        struct init_span one = {.file = o->file,
                                .by = (uint8_t)by_of(c, insn, o),
                                .shift = (int8_t)((int64_t)first - 64 * (int64_t)word),
                                .word = (uint32_t)word,
                                .cells = UINT64_MAX};
        if (word == first / 64)
            one.cells &= UINT64_MAX << first % 64;
        if (word == last / 64)
            one.cells &= UINT64_MAX >> (63 - last % 64);
        if (!add_span(insn, one))
            return false;
    }
    return true;
}

bool init_list_spans(const struct wt_check_init *c, struct init_insn *insn)
{
    insn->reads = insn->writes = 0;
    insn->whole = true;
    for (unsigned i = 0; i < insn->count; i++)
        if (insn->list[i].reads && insn->list[i].kind <= WT_OPERAND_SCALAR &&
            !add_spans(c, insn, &insn->list[i], &insn->reads))
            return false;
    for (unsigned i = 0; i < insn->count; i++) {
        const struct wt_insn_operand *o = &insn->list[i];
        if (!o->writes || o->kind > WT_OPERAND_SCALAR)
            continue;
        insn->whole &= !init_bits_of(c, o) || is_whole(c, insn, o);
        if (!add_spans(c, insn, o, &insn->writes))
            return false;
    }
    return true;
}

bool init_may_be_slow(const struct init_wave *w, const struct init_insn *insn, wt_lanes lanes)
{
    for (unsigned i = 0; i < insn->reads; i++) {
        const struct init_span *s = &insn->span[i];
        const struct init_file *f = &w->file[s->file];
        if (s->word < f->cells / 64 && f->any[s->word] & cells_of(s, lanes))
            return true;
    }
    return false;
}

bool init_is_clean(const struct init_wave *w, const struct init_insn *insn, wt_lanes lanes)
{
    for (unsigned i = 0; i < insn->reads + insn->writes; i++) {
        const struct init_span *s = &insn->span[i];
        const struct init_file *f = &w->file[s->file];
        if (s->word < f->cells / 64 && f->any[s->word] & cells_of(s, lanes))
            return false;
    }
    return true;
}

bool init_has_undefined(const struct wt_check_init *c, const struct init_wave *w,
                        const struct wt_insn_operand *o, wt_lanes lanes)
{
    const struct init_file *f = &w->file[o->file];
    const unsigned bits = init_bits_of(c, o);
    uint64_t first, last;
    if (!bits || !f->cells)
        return false;
    if (is_word_a_row(c, o)) {
        const uint64_t mask = o->crosses ? UINT64_MAX : (uint64_t)init_lanes_of(c, o, lanes);
        for (unsigned n = o->number; n <= o->number + (o->first + bits - 1) / INIT_CELL; n++)
            if (n < f->cells / 64 && f->any[n] & mask)
                return true;
        return false;
    }
    extent(c, c->pending.insn, o, &first, &last);
    if (!any_in(f, first, last))
        return false;
    struct init_span s = {.by = (uint8_t)by_of(c, c->pending.insn, o),
                          .word = (uint32_t)(first / 64),
                          .cells = UINT64_MAX};
    if (are_pairs(c, o) && o->first + bits <= INIT_CELL)
        s.cells /= 3; /* the lower cell of each pair */
    if (s.by == INIT_BY_BITS)
        return undefined_of(f, first) & (uint32_t)lanes;
    if (s.by < INIT_BY_CELLS)
        return true;
    for (; s.word <= last / 64 && s.word < f->cells / 64; s.word++) {
        s.shift = (int8_t)((int64_t)first - 64 * (int64_t)s.word);
        if (f->any[s.word] & cells_of(&s, lanes))
            return true;
    }
    return false;
}

struct wt_defined init_fetch(const struct wt_check_init *c, const struct init_wave *w,
                             uint32_t slot, struct init_part p, uint32_t *origin)
{
    const struct wt_insn_operand *o = p.o;
    struct wt_defined all = {0};
    if (o->kind == WT_OPERAND_CONSTANT)
        return (struct wt_defined){.value = (uint64_t)o->value >> p.from};
    const struct init_file *f = &w->file[o->file];
    for (unsigned done = 0, count, room; done < p.bits; done += count) {
        const uint64_t bit = bit_of(c, p.o, p.lane, p.element, p.from + done, &room),
                       cell = bit / INIT_CELL;
        const unsigned within = (unsigned)(bit % INIT_CELL);
        uint32_t value = 0;
        count = INIT_CELL - within < room ? INIT_CELL - within : room;
        count = count < p.bits - done ? count : p.bits - done;
        const uint64_t mask = (UINT64_C(1) << count) - 1;
        const uint64_t undefined = undefined_of(f, cell) >> within & mask;
        const bool fresh = undefined && has(f->fresh, cell);
        c->machine->ops->read_cell(c->machine, slot, o->file, cell, &value);
        all.value |= ((o->inverted ? ~value : value) >> within & mask) << done;
        all.undefined |= undefined << done;
        if (undefined && !fresh)
            all.computed |= (f->values[cell / 64]->computed[cell % 64] >> within & undefined)
                            << done;
        if (undefined && !*origin)
            *origin = fresh ? INIT_OF_REGISTER : f->values[cell / 64]->origin[cell % 64];
    }
    return all;
}

/* ---- writing ---- */

void init_put(struct wt_check_init *c, struct init_part p, struct wt_defined is, uint32_t origin)
{
    for (unsigned done = 0, count, room; done < p.bits; done += count) {
        const uint64_t bit = bit_of(c, p.o, p.lane, p.element, p.from + done, &room);
        struct init_write *grown =
            wt_array_grow(c->write, &c->write_room, c->writes + 1, sizeof *grown);
        count = room < p.bits - done ? room : p.bits - done;
        if (!grown) {
            c->run.lost = true;
            return;
        }
        c->write = grown;
        grown[c->writes++] = (struct init_write){
            p.o->file, bit, count, {0, is.undefined >> done, is.computed >> done}, origin};
    }
}

/* Whole cells of rows are defined. */
static bool define_rows(const struct wt_check_init *c, struct init_file *f,
                        const struct wt_insn_operand *o, wt_lanes lanes)
{
    const unsigned bits = init_bits_of(c, o);
    if (!is_word_a_row(c, o) || o->first || bits % INIT_CELL)
        return false;
    const uint64_t keep = ~(uint64_t)init_lanes_of(c, o, lanes);
    for (unsigned n = o->number; n < o->number + bits / INIT_CELL && n < f->cells / 64; n++) {
        if (f->past && f->any[n] & ~keep)
            init_note_set(f, n);
        f->any[n] &= keep;
        f->fresh[n] &= f->any[n];
    }
    return true;
}

void init_define_operand(struct wt_check_init *c, struct init_wave *w,
                         const struct wt_insn_operand *o, wt_lanes lanes)
{
    struct init_file *f = &w->file[o->file];
    const unsigned bits = init_bits_of(c, o);
    static const struct wt_defined defined = {0};
    uint64_t first, last;
    unsigned room;
    if (!bits || !f->cells || (o->kind == WT_OPERAND_ROW && o->crosses && o->writes && o->reads) ||
        define_rows(c, f, o, lanes))
        return; /* of one that crosses lanes it is not known which of them it leaves alone */
    extent(c, c->pending.insn, o, &first, &last);
    if (!any_in(f, first, last))
        return;
    if (o->kind == WT_OPERAND_SCALAR && (!o->by_lane || o->crosses)) {
        set_bits(f, (uint64_t)o->number * file_of(c, o)->bits + o->first, 0, defined, 0);
        for (unsigned done = 0; done < bits; done += 64)
            set_bits(f, (uint64_t)o->number * file_of(c, o)->bits + o->first + done,
                     bits - done < 64 ? bits - done : 64, defined, 0);
        return;
    }
    const unsigned first_lane = c->pending.insn->head.first_lane;
    for (wt_lanes left = init_lanes_of(c, o, lanes); left; left &= left - 1) {
        const unsigned lane = wt_lanes_lowest(left), whole = o->by_lane ? 1 : bits;
        for (unsigned done = 0, count; done < whole; done += count) {
            const uint64_t bit = bit_of(c, o, lane, lane - first_lane, done, &room);
            count = room < whole - done ? room : whole - done;
            set_bits(f, bit, count, defined, 0);
        }
    }
}

/* [first, last] of a file are undefined, and have no values. */
static bool make_fresh(struct init_file *f, size_t first, size_t last)
{
    if (!init_grow_file(f, last + 1))
        return false;
    ++*f->state;
    for (size_t word = first / 64; f->past && word <= last / 64; word++)
        init_note_set(f, word);
    for (size_t cell = first; cell <= last; cell++) {
        f->any[cell / 64] |= UINT64_C(1) << cell % 64;
        f->fresh[cell / 64] |= UINT64_C(1) << cell % 64;
        if (cell % 64 == 0 && last - cell >= 64) {
            f->any[cell / 64] = f->fresh[cell / 64] = UINT64_MAX;
            cell += 63;
        }
    }
    return true;
}

/* Registers have no values from now on. */
static void make_unwritten(struct wt_check_init *c, struct init_wave *w,
                           const struct wt_unwritten *u)
{
    const struct wt_operand_file *f = &c->machine->ops->operand_files[u->file];
    const uint64_t bits = (uint64_t)f->bits * (f->per_lane ? c->machine->lanes : 1),
                   first = u->first * bits / INIT_CELL,
                   end = ((uint64_t)u->first + u->count) * bits / INIT_CELL;
    if (end > first && !make_fresh(&w->file[u->file], first, end - 1))
        c->run.lost = true;
}

void init_commit(struct wt_check_init *c, struct init_wave *w)
{
    const struct init_insn *insn = c->pending.insn;
    const wt_lanes lanes = c->pending.enabled;
    bool parts = false; /* of cells have become defined */
    if (insn->head.empties.count && lanes)
        make_unwritten(c, w, &insn->head.empties);
    for (unsigned i = insn->reads; i < insn->reads + insn->writes; i++) {
        const struct init_span *s = &insn->span[i];
        struct init_file *f = &w->file[s->file];
        const uint64_t cells = cells_of(s, lanes);
        if (s->word >= f->cells / 64 || !(f->any[s->word] & cells))
            continue;
        parts |= !insn->whole;
        if (parts)
            continue;
        if (s->by == INIT_BY_BITS) {
            set_cell(f, s->word * UINT64_C(64) + (unsigned)s->shift, (uint32_t)lanes, 0, 0, 0);
            continue;
        }
        if (f->past)
            init_note_set(f, s->word);
        f->any[s->word] &= ~cells;
        f->fresh[s->word] &= f->any[s->word];
    }
    for (unsigned i = 0; parts && i < insn->count; i++)
        if (insn->list[i].writes && insn->list[i].kind <= WT_OPERAND_SCALAR)
            init_define_operand(c, w, &insn->list[i], lanes);
    for (size_t i = 0; i < c->writes; i++)
        set_bits(&w->file[c->write[i].file], c->write[i].bit, c->write[i].bits, c->write[i].is,
                 c->write[i].origin);
    c->writes = 0;
}

/* ---- waves ---- */

static void undefine_own(struct wt_check_init *c, const struct wt_unwritten *u)
{
    init_lock();
    c->global->past = c->past.kept ? &c->past : NULL;
    init_undefine(c->global, u->first, u->count, INIT_OF_PRIVATE);
    init_unlock();
}

void init_begin_wave(struct wt_check_init *c, struct init_wave *w, uint32_t slot, uint64_t id)
{
    struct wt_machine *m = c->machine;
    struct wt_unwritten list[WT_UNWRITTEN];
    for (unsigned i = 0; i < INIT_FILES; i++) {
        w->file[i].past = NULL; /* how it begins is no change */
        if (w->file[i].cells) {
            memset(w->file[i].any, 0, w->file[i].cells / 8);
            memset(w->file[i].fresh, 0, w->file[i].cells / 8);
        }
    }
    init_space_clear(&w->own);
    w->own.origin = INIT_OF_PRIVATE;
    w->id = id;
    const size_t count = m->ops->unwritten(m, slot, list);
    for (size_t i = 0; i < count; i++)
        if (list[i].file == WT_UNWRITTEN_GLOBAL)
            undefine_own(c, &list[i]);
        else
            make_unwritten(c, w, &list[i]);
}

void init_free_wave(struct init_wave *w)
{
    for (unsigned i = 0; i < INIT_FILES; i++)
        init_free_file(&w->file[i]);
    free(w->clean);
    init_space_clear(&w->own);
}
