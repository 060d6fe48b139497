/* The use of loads, as code shows it: those in loops that wait, which a wave repeats till their
 * place has another value, and guesses, which a compare-and-swap behind them proves. */

#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/gcn/know/operands.h"
#include "emulator/machine/array.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/turn.h"

enum { MOST = 128 }; /* instructions from a load on */

struct insn {
    struct gcn_uop u;
    uint64_t pc;
};

static bool read_insn(struct wt_machine *m, uint64_t pc, struct insn *i)
{
    i->pc = pc;
    return gcn_uop_at((struct gcn_device *)m, pc, &i->u);
}

static uint64_t behind(const struct insn *i)
{
    return i->pc + sizeof(uint32_t) * i->u.length;
}

static bool is(const struct insn *i, enum gcn_id id)
{
    return i->u.row == &gcn_rows[id];
}

/* The address of a jump; NULL: it is none. */
static const uint8_t *address_of(const struct insn *i)
{
    const uint8_t *code = wt_meaning_jump(i->u.row->meaning);
    if (code)
        wt_meaning_skip(&code);
    return code;
}

/* Where a branch goes; 0: it is none. */
static uint64_t goes_to(const struct insn *i)
{
    const uint8_t *to = address_of(i);
    const bool branches = to && *to == WT_M_TARGET && *i->u.row->meaning == WT_M_JUMP;
    return branches ? i->pc + 4 + (uint64_t)(int64_t)i->u.imm * 4 : 0;
}

/* It goes to where a register says, or ends. */
static bool leaves(const struct insn *i)
{
    const uint8_t *to = address_of(i);
    return to && *to != WT_M_TARGET;
}

/* Whether it stores only where it finds what is expected. */
static bool compares_and_swaps(const struct insn *i)
{
    static const uint8_t value[] = {WT_M_SELECT, WT_M_EQ, WT_M_MEMORY, WT_M_C, WT_M_B, WT_M_MEMORY};
    const uint8_t *code = i->u.row->meaning;
    if (*code++ != WT_M_ATOMIC)
        return false;
    wt_meaning_skip(&code);
    return wt_meaning_begins(code, value, sizeof value);
}

/* The access of a memory instruction: 'r', 'w', 'a'; 0: it is none, or one of a lane's own memory,
 * where code without optimisation has its variables. */
static char access_of(const struct insn *i)
{
    const unsigned encoding = i->u.row->encoding;
    const bool memory = encoding == GCN_SMEM || encoding == GCN_DS || encoding == GCN_FLAT ||
                        encoding == GCN_GLOBAL || encoding == GCN_MIMG;
    return memory ? i->u.row->operands[0] : 0;
}

static bool is_own(const struct insn *i)
{
    return i->u.row->encoding == GCN_MUBUF || i->u.row->encoding == GCN_SCRATCH;
}

/* ---- what the value of a load decides ---- */

/* Registers, and places of memory, on one way through the code. Values are numbered, equal ones
 * alike, so that equal addresses are known. */
enum { SCALARS = 128, REGISTERS = SCALARS + 2 * GCN_AGPR, PLACES = 128 };
#define COMPUTED UINT32_C(0x80000000)

struct flag_value {
    uint32_t number;
    bool of_load; /* it comes of the load's value */
    bool kept; /* it comes of what code without optimisation has kept in memory of its lane, or in
                  an accumulation register: the address of a variable of the lane */
};

struct flag_way {
    struct flag_value reg[REGISTERS], scc;
    struct {
        uint64_t key;
        struct flag_value value;
    } place[PLACES];
    unsigned places;
    uint32_t last; /* numbers of computed values are greater: COMPUTED */
    bool decides;  /* what comes of the load decides where the wave goes on */
    bool under;    /* … has decided that it is here */
};

static void begin_way(struct flag_way *w)
{
    memset(w, 0, sizeof *w);
    while (w->last < REGISTERS)
        w->reg[w->last] = (struct flag_value){w->last + 1, false, w->last >= SCALARS + GCN_AGPR},
        w->last++;
}

static struct flag_value *known_reg(struct flag_way *w, const struct wt_insn_operand *o)
{
    if (o->kind > WT_OPERAND_SCALAR) /* a constant has no file */
        return NULL;
    if (o->file == GCN_FILE_STATE && o->number == GCN_STATE_SCC)
        return &w->scc;
    return o->file == GCN_FILE_S && o->number < SCALARS ? &w->reg[o->number]
           : o->file == GCN_FILE_V ? &w->reg[SCALARS + o->number % (2 * GCN_AGPR)]
                                   : NULL;
}

static struct flag_value *known_place(struct flag_way *w, uint64_t key)
{
    unsigned i = 0;
    while (i < w->places && w->place[i].key != key)
        i++;
    if (i == w->places && i < PLACES) {
        w->place[i].key = key;
        w->place[w->places++].value = (struct flag_value){.number = ++w->last};
    }
    return i < PLACES ? &w->place[i].value : NULL;
}

/* The place of an access by its address; that of a lane of a register where scalars are spilled. */
static uint64_t place_of(const struct flag_way *w, const struct insn *i)
{
    enum { PRIME = 1000003 };
    const struct gcn_uop *u = &i->u;
    const bool buffer = u->row->encoding == GCN_MUBUF, scalar = u->row->encoding == GCN_SMEM;
    const bool based = scalar || (u->row->encoding == GCN_GLOBAL && u->base != GCN_NO_BASE);
    const bool by_lane = u->row->encoding == GCN_GLOBAL && !u->vaddr;
    uint64_t key = u->row->encoding;
    key = key * PRIME + (uint32_t)u->imm;
    key = key * PRIME +
          (scalar || (buffer ? !u->offen : by_lane) ? 0 : w->reg[SCALARS + u->src[0] % 256].number);
    key = key * PRIME + (based && u->base < SCALARS ? w->reg[u->base].number : 0);
    return key * PRIME + (buffer || u->has_soffset ? u->soffset : 0);
}

static uint64_t spilled_at(unsigned reg, unsigned lane)
{
    return UINT64_MAX - (uint64_t)reg * 512 - lane;
}

static unsigned registers_of(const struct wt_insn_operand *o)
{
    const unsigned bits = o->first + o->bits;
    return bits > 32 ? (bits + 31) / 32 : 1; /* SCC has no size */
}

/* Whether a result of an instruction, or (@p code: NULL) what it does at all, comes of the load's
 * value. */
static bool is_of_load(struct flag_way *w, const struct wt_insn_operands *o, const uint8_t *code)
{
    for (unsigned n = 0; n < o->count; n++) {
        struct wt_insn_operand x = o->list[n];
        if (!x.reads || (code && !wt_meaning_has(code, WT_M_RESULT) &&
                         !(x.leaf && wt_meaning_has(code, (enum wt_meaning_op)x.leaf))))
            continue;
        for (unsigned k = registers_of(&x); k-- > 0; x.number++) {
            const struct flag_value *r = known_reg(w, &x);
            if (r && r->of_load)
                return true;
        }
    }
    return false;
}

static bool moves(const uint8_t *code)
{
    static const uint8_t move[] = {WT_M_A};
    return code && wt_meaning_begins(code, move, sizeof move);
}

/* The value that an instruction computes; equal numbers for equal ones. */
static struct flag_value computed(struct flag_way *w, const struct wt_insn_operands *o,
                                  const struct insn *i)
{
    enum { PRIME = 16777619 };
    struct flag_value value = {.number = (uint32_t)(i->u.row - gcn_rows), .kept = true};
    unsigned vectors = 0;
    for (unsigned n = 0; n < o->count; n++) {
        const struct wt_insn_operand *x = &o->list[n];
        const struct flag_value *r = x->reads ? known_reg(w, x) : NULL;
        if (!x->reads)
            continue;
        vectors += x->kind == WT_OPERAND_ROW;
        value.kept &= !r || r->kept;
        value.number = (value.number ^ (r ? r->number : (uint32_t)x->value)) * PRIME;
        value.number = (value.number ^ (x->halves | x->abs << 8 | x->neg << 16)) * PRIME;
    }
    value.number = o->operation == WT_DOES_MEANT ? value.number | COMPUTED : ++w->last;
    value.kept &= vectors > 0;
    return value;
}

/* Registers become what an instruction computes, or has loaded. Lanes that an OR adds to EXEC come
 * back: which are on follows from no value then. */
static void take_results(struct flag_way *w, const struct wt_insn_operands *o, const struct insn *i,
                         const struct flag_value *loaded)
{
    const struct wt_insn_operand *source = NULL;
    struct flag_value value[WT_MOST_OPERANDS];
    for (unsigned n = 0; n < o->count; n++)
        source = o->list[n].reads && o->list[n].leaf == WT_M_A ? &o->list[n] : source;
    for (unsigned n = 0; n < o->count; n++) {
        const struct wt_insn_operand *x = &o->list[n];
        const uint8_t *code = x->result && o->operation == WT_DOES_MEANT
                                  ? wt_meaning_result(wt_operands_meaning(o), x->result)
                                  : NULL;
        const bool come_back = x->guards && code && *code == WT_M_OR;
        const struct flag_value *moved =
            source && !o->packed && moves(code) ? known_reg(w, source) : NULL;
        value[n] = loaded ? *loaded : moved ? *moved : computed(w, o, i);
        value[n].of_load = w->under || (loaded && loaded->of_load) ||
                           (x->writes && !come_back && is_of_load(w, o, code));
        value[n].kept |= x->file == GCN_FILE_V && x->number >= GCN_AGPR;
    }
    for (unsigned n = 0; n < o->count; n++) {
        struct wt_insn_operand x = o->list[n];
        const unsigned count = x.writes ? registers_of(&x) : 0;
        for (unsigned k = 0; k < count; k++, x.number++) {
            struct flag_value *r = known_reg(w, &x);
            if (r)
                *r = value[n];
            value[n].number += 0x9e3779b9 | COMPUTED;
        }
    }
}

/* One instruction; @p load: the load whose value is followed. */
static void go_on(struct flag_way *w, const struct insn *i, uint64_t load)
{
    struct wt_insn_operands o;
    const char *letters = i->u.row->operands, access = is_own(i) ? *letters : access_of(i);
    const bool lane = moves(wt_meaning_result(i->u.row->meaning, WT_RESULT_D)),
               spills = lane && !strcmp(letters, "u:uu"),
               refills = lane && !strcmp(letters, "S:uu");
    struct flag_value value = {.of_load = i->pc == load}, *there = NULL;
    w->decides = false;
    if (!gcn_operands(&i->u, &o))
        return;
    if (access == 'r' || access == 'w')
        there = known_place(w, place_of(w, i));
    else if (spills || refills)
        there = known_place(w, spilled_at(spills ? i->u.dst : i->u.src[0] - GCN_VGPR, i->u.src[1]));
    if (there && access != 'w' && !spills)
        value = (struct flag_value){there->number, value.of_load || there->of_load, is_own(i)};
    else if (there) {
        const struct flag_value *r = spills ? i->u.src[0] < SCALARS ? &w->reg[i->u.src[0]] : NULL
                                            : &w->reg[SCALARS + i->u.src[1] % 256];
        *there = r ? *r : (struct flag_value){.number = ++w->last};
        there->of_load |= w->under;
        return;
    }
    w->decides = goes_to(i) && is_of_load(w, &o, NULL);
    take_results(w, &o, i, there || value.of_load ? &value : NULL);
}

static bool goes_on(struct wt_machine *m, uint32_t wave, uint64_t pc, struct wt_next *next)
{
    struct insn i;
    if (!read_insn(m, pc, &i) || leaves(&i))
        return false;
    *next = (struct wt_next){.behind = behind(&i), .to = goes_to(&i)};
    next->always = next->to && i.u.row->meaning[1] == WT_M_K;
    return true;
}

/* Whether an access may be part of a loop that waits: a load from one place, or one of a variable
 * of its lane. @p key: its place at its last turn. */
static bool may_wait(const struct flag_way *w, const struct insn *i, unsigned turn, uint64_t *key)
{
    const char access = access_of(i);
    const uint64_t before = *key;
    *key = access ? place_of(w, i) : 0;
    if (turn < 2 || !access) /* what registers have from before the loop is not known */
        return true;
    return access == 'r' ? *key == before
                         : access == 'w' && i->u.row->encoding == GCN_FLAT &&
                               w->reg[SCALARS + i->u.src[0] % 256].kept;
}

static enum wt_code_loop loop_of(struct wt_machine *m, uint64_t load)
{
    enum { TURNS = 3 };
    struct flag_way w;
    struct wt_turn turn = {.m = m, .next = goes_on};
    uint64_t key[WT_TURN_MOST] = {0};
    bool ends = false, waits = true;
    wt_turn_find(&turn, load);
    begin_way(&w);
    for (unsigned i = 0; i < TURNS * turn.count; i++) {
        struct insn at;
        if (!read_insn(m, turn.at[i % turn.count], &at))
            return WT_LOOP_UNKNOWN;
        waits &=
            may_wait(&w, &at, i / turn.count, &key[i % turn.count]) && !is(&at, GCN_I_s_barrier);
        w.under = wt_turn_is_decided(&turn, i);
        go_on(&w, &at, load);
        ends |= w.decides && wt_turn_ends(&turn, i);
    }
    return !turn.count ? WT_LOOP_UNKNOWN
           : !ends     ? WT_LOOP_COUNTS
           : waits     ? WT_LOOP_WAITS
                       : WT_LOOP_UNKNOWN;
}

/* Where code may begin, not far before an instruction. */
static uint64_t begin_before(struct wt_machine *m, uint64_t load)
{
    enum { BEFORE = 24 };
    struct insn i;
    for (uint64_t first = load - sizeof(uint32_t) * BEFORE; first < load;
         first += sizeof(uint32_t)) {
        uint64_t pc = first;
        while (pc < load && read_insn(m, pc, &i) && i.u.length)
            pc = behind(&i);
        if (pc == load)
            return first;
    }
    return load;
}

/* Whether a load is the first turn of a loop that waits: its value decides whether the wave comes
 * to that, whose load has the same address. */
static bool is_first_turn(struct wt_machine *m, const struct insn *load)
{
    struct insn i;
    struct flag_way w;
    uint64_t pc = begin_before(m, load->pc), place = 0;
    bool decided = false;
    begin_way(&w);
    for (unsigned n = 0; n < MOST && read_insn(m, pc, &i) && !leaves(&i); n++, pc = behind(&i)) {
        const bool is_like = i.u.row == load->u.row && i.u.imm == load->u.imm;
        if (pc == load->pc)
            place = place_of(&w, &i);
        else if (pc > load->pc && is_like && place_of(&w, &i) == place &&
                 loop_of(m, pc) == WT_LOOP_WAITS)
            return decided;
        const uint64_t to = goes_to(&i);
        if (pc > load->pc && to && to <= load->pc)
            return false;
        go_on(&w, &i, load->pc);
        decided |= w.decides;
    }
    return false;
}

enum wt_code_loop gcn_loop(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    struct insn it;
    const enum wt_code_loop loop = loop_of(m, load);
    return loop != WT_LOOP_WAITS && read_insn(m, load, &it) && access_of(&it) == 'r' &&
                   is_first_turn(m, &it)
               ? WT_LOOP_WAITS
               : loop;
}

/* Whether a compare-and-swap is of the place of a load, by the registers of its address. */
static bool is_of(const struct insn *swap, const struct insn *load)
{
    const bool based = swap->u.row->encoding == GCN_GLOBAL && swap->u.base != GCN_NO_BASE;
    const int32_t apart = swap->u.imm - load->u.imm;
    if (apart < 0 || apart >= load->u.size)
        return false;
    return load->u.row->encoding == GCN_SMEM || based ? swap->u.base == load->u.base
                                                      : swap->u.src[0] == load->u.src[0];
}

/* Whether a compare-and-swap would store one of the two numbers that an instruction compares in
 * place of the other. */
static bool swaps_the_compared(const struct insn *swap, const struct insn *compare)
{
    const unsigned wanted = GCN_VGPR + swap->u.src[1], expected = wanted + swap->u.size / 4;
    const unsigned a = compare->u.src[0], b = compare->u.src[1];
    return (a == wanted && b == expected) || (a == expected && b == wanted);
}

/* A loop that may end before its compare-and-swap, since what it finds is the greater one already,
 * needs no newest value: an old one has it look again. */
bool gcn_guesses(struct wt_machine *m, uint32_t wave, uint64_t load)
{
    struct insn it, i, compare = {.pc = 0}, early = compare;
    bool proved = false;
    if (!read_insn(m, load, &it))
        return false;
    uint64_t pc = behind(&it);
    for (unsigned n = 0; n < MOST; n++, pc = behind(&i)) {
        if (!read_insn(m, pc, &i) || leaves(&i))
            return proved;
        const uint64_t to = goes_to(&i);
        const bool may_go_on = to && i.u.row->meaning[1] != WT_M_K;
        if (to > load && to <= i.pc && !proved && compare.pc && may_go_on)
            early = compare;
        else if (to && to <= i.pc)
            return proved && to > load;
        if (i.u.mask_result && !i.u.result)
            compare = i;
        if (!proved && access_of(&i) == 'a')
            proved = compares_and_swaps(&i) && is_of(&i, &it) &&
                     (!early.pc || swaps_the_compared(&i, &early));
        if (!proved && (access_of(&i) == 'a' || access_of(&i) == 'w'))
            return false;
    }
    return proved;
}

/* ---- arrays ---- */

/* The address from which an access of private memory counts elements, as the code before it says:
 * code without optimisation adds a number, which it has multiplied or extended, to an address, and
 * then accesses the sum. At the access one of the two is still in a register. */

enum { VECTORS = 256, BEFORE = 48 };

/* The value of a vector register: values are numbered; of sums the two parts are known. */
struct array_value {
    uint32_t number, a, b;
    bool is_index;
};

struct array_walk {
    struct array_value v[VECTORS];
    uint32_t last;
};

static struct array_value fresh(struct array_walk *w)
{
    return (struct array_value){.number = ++w->last};
}

static struct array_value source(struct array_walk *w, const struct wt_insn_operands *o,
                                 unsigned leaf)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].reads && o->list[i].leaf == leaf && o->list[i].file == GCN_FILE_V &&
            o->list[i].kind == WT_OPERAND_ROW)
            return w->v[o->list[i].number % VECTORS];
    return fresh(w);
}

/* A sum's meaning clamps where it is to, and extends its parts. */
static bool is_sum(const uint8_t *code)
{
    static const uint8_t sum[] = {WT_M_CLAMP, 32,        WT_M_ADD, WT_M_ZEXT, 64,
                                  WT_M_A,     WT_M_ZEXT, 64,       WT_M_B};
    return wt_meaning_begins(code, sum, sizeof sum);
}

/* One that shifts or multiplies its index itself. */
static bool is_scaled_sum(const uint8_t *code)
{
    static const uint8_t shifted[] = {WT_M_ADD, WT_M_SHL, WT_M_A, WT_M_B, WT_M_C},
                         product[] = {WT_M_ADD, WT_M_MUL};
    return wt_meaning_begins(code, shifted, sizeof shifted) ||
           ((*code == WT_M_CLAMP || *code == WT_M_CLAMP_S) &&
            wt_meaning_begins(code + 2, product, sizeof product));
}

static void mark_index(struct array_walk *w, uint32_t number)
{
    for (unsigned r = 0; r < VECTORS; r++)
        w->v[r].is_index |= w->v[r].number == number;
}

static struct array_value array_result(struct array_walk *w, const struct gcn_uop *u,
                                       const struct wt_insn_operands *o)
{
    static const uint8_t move[] = {WT_M_A},
                         scaled[] = {WT_M_SHL, WT_M_SHL_OUT, WT_M_MUL, WT_M_SAR, WT_M_SAR_OUT};
    const uint8_t *code = wt_meaning_result(o->meaning, WT_RESULT_D);
    struct array_value v = fresh(w);
    if (o->operation != WT_DOES_MEANT || !code || o->clamp || u->form == GCN_FORM_SDWA ||
        u->form == GCN_FORM_DPP)
        return v;
    if (wt_meaning_begins(code, move, sizeof move))
        return source(w, o, WT_M_A);
    if (is_sum(code)) {
        const struct array_value a = source(w, o, WT_M_A), b = source(w, o, WT_M_B);
        v.a = a.is_index ? b.number : a.number;
        v.b = a.is_index ? a.number : b.number;
        if (a.is_index == b.is_index)
            v.a = v.b = 0;
    }
    if (is_scaled_sum(code))
        v.a = source(w, o, WT_M_C).number;
    v.is_index = memchr(scaled, *code, sizeof scaled);
    if (*code == WT_M_SAR || *code == WT_M_SAR_OUT) /* the sign of a number that is extended */
        mark_index(w, source(w, o, WT_M_B).number);
    return v;
}

static void array_step(struct array_walk *w, const struct gcn_uop *u)
{
    struct wt_insn_operands o;
    if (!gcn_operands(u, &o))
        return;
    const struct array_value v = array_result(w, u, &o);
    for (unsigned i = 0; i < o.count; i++) {
        const struct wt_insn_operand *x = &o.list[i];
        if (!x->writes || x->kind == WT_OPERAND_MEMORY || x->file != GCN_FILE_V)
            continue;
        for (unsigned k = 0; k < (x->first + x->bits + 31u) / 32; k++)
            w->v[(x->number + k) % VECTORS] =
                k || x->result != WT_RESULT_D || x->first ? fresh(w) : v;
    }
}

/* The vector register with the address of an access to a lane's own memory, VECTORS: none. */
static unsigned address_register(const struct gcn_uop *u)
{
    struct wt_insn_operands o;
    if (u->row->encoding == GCN_SMEM || u->row->encoding == GCN_DS || u->idxen ||
        !gcn_operands(u, &o))
        return VECTORS;
    for (unsigned i = 0; i < o.count; i++)
        if (o.list[i].aside && o.list[i].file == GCN_FILE_V && o.list[i].kind == WT_OPERAND_ROW)
            return o.list[i].number;
    return VECTORS;
}

/* Looks for the register, from the function's begin on: instructions have several lengths. */
static void find_array(struct gcn_device *d, uint64_t first, uint64_t pc, struct wt_array_access *a)
{
    struct array_walk w = {.last = 0};
    struct gcn_uop ring[BEFORE], u;
    unsigned n = 0;
    a->how = WT_ARRAY_NONE;
    for (uint64_t at = first; at < pc; at += 4u * u.length, n++) {
        if (!gcn_uop_at(d, at, &u) || !u.length)
            return;
        ring[n % BEFORE] = u;
    }
    if (!gcn_uop_at(d, pc, &u))
        return;
    const unsigned address = address_register(&u);
    if (address >= VECTORS)
        return;
    for (unsigned r = 0; r < VECTORS; r++)
        w.v[r] = fresh(&w);
    for (unsigned i = n < BEFORE ? 0 : n - BEFORE; i < n; i++)
        array_step(&w, &ring[i % BEFORE]);
    const struct array_value sum = w.v[address];
    for (unsigned r = 0; sum.a && r < VECTORS; r++)
        if (w.v[r].number == sum.a || (a->how == WT_ARRAY_NONE && w.v[r].number == sum.b)) {
            a->how = w.v[r].number == sum.a ? WT_ARRAY_BASE : WT_ARRAY_INDEX;
            a->reg = (uint16_t)r;
        }
}

bool gcn_array(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t pc,
               struct wt_array_access *a, wt_lanes lanes, uint64_t *at)
{
    struct gcn_device *d = (struct gcn_device *)m;
    const struct gcn_wave *w = &d->wave[wave];
    struct gcn_uop u;
    if (a->how == WT_ARRAY_UNKNOWN)
        find_array(d, first, pc, a);
    if (a->how == WT_ARRAY_NONE || a->reg >= w->vgprs || !gcn_uop_at(d, pc, &u))
        return false;
    for (; lanes; lanes &= lanes - 1) {
        const unsigned lane = wt_lanes_lowest(lanes);
        const uint32_t value = w->v[a->reg][lane];
        at[lane] = a->how == WT_ARRAY_BASE ? value : (uint32_t)(at[lane] - (uint64_t)u.imm - value);
    }
    return true;
}

uint64_t gcn_frame(struct wt_machine *m, uint32_t wave, unsigned lane)
{
    const struct gcn_wave *w = &((struct gcn_device *)m)->wave[wave];
    return w->s[33] / gcn_frame_lanes(w);
}
