/* See origin.h. */
#include "emulator/machine/origin.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    MOST_BYTES = 1 << 20,  /* of a function */
    MOST_VALUES = 1 << 18, /* of an analysis */
    MOST_CHOICES = 1 << 13,
    MOST_STATES = 1 << 24, /* registers of all blocks */
    MOST_VISITS = 4096,    /* of a value that is resolved */
    MOST_RESTARTS = 64,
    TERMS = 2,
    IS_UNKNOWN = 0, /* the first value */
};

/* Flags of a sum: what may be in it beside its terms and its constant. */
enum {
    UNKNOWN = 1 << 0,
    INDEX = 1 << 1, /* a number */
    LOOSE = 1 << 2, /* … that may be an address */
    DEEP = 1 << 3, /* … which other operations have hidden: a factor does not say that it is none */
};

/* A symbol: registers at the begin, from 1 on, then values that ways or choices make differently.
 */
struct term {
    uint32_t symbol; /* 0: none */
    int32_t factor;
};

struct sum {
    int64_t constant;
    uint64_t step;           /* what numbers add at most, where they are 0 or 1 */
    uint64_t apart;          /* how much the constants differ of which one is added */
    struct term term[TERMS]; /* by symbol */
    uint32_t flags;
    uint32_t unused;
};

/* The values that a symbol may stand for. */
struct symbol {
    wt_origin_value *input;
    size_t inputs, room;
    unsigned resolving; /* how many are, and it is the last one of them; 0: it is not */
    struct sum around;  /* while it is: what comes back to it through others */
    int32_t resolved;   /* 1 + index of its value; 0: not yet */
};

struct block {
    uint64_t pc;
    bool waits;
};

struct wt_flow {
    const struct wt_flow_family *family;
    void *context;
    uint64_t first, end;
    bool failed;
    struct sum *value;
    size_t values, value_room;
    uint32_t *slot; /* a hash table of values: 1 + index */
    size_t slots;
    struct symbol *symbol; /* those behind the registers */
    size_t symbols, symbol_room;
    struct choice {
        wt_origin_value a, b;
        uint32_t symbol;
    } * choice; /* a hash table of 2 * MOST_CHOICES places */
    size_t choices;
    uint32_t *leader; /* of each two bytes: 1 + its block; 0: none begins there */
    bool *walked;     /* of each two bytes: an instruction begins there */
    bool *begins;     /* of each two bytes: a block begins there, in this try or a former one */
    struct block *block;
    size_t blocks, block_room;
    wt_origin_value *state; /* of each block: its registers at its begin */
    size_t state_room;
    bool split;                 /* a block begins within another one */
    unsigned visits, resolving; /* how many symbols are being resolved, */
    unsigned through;           /* and the first one of them that the last result depends on */
    struct wt_origin *found;
    size_t count, room;
};

/* ---- sums ---- */

static uint64_t hash_of(const struct sum *s)
{
    const uint64_t *word = (const void *)s;
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof *s / sizeof *word; i++)
        hash = (hash ^ word[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
    return hash ^ hash >> 32;
}

static void grow_slots(struct wt_flow *f)
{
    const size_t slots = f->slots ? 2 * f->slots : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot) {
        f->failed = true;
        return;
    }
    for (size_t i = 0; i < f->values; i++) {
        size_t at = hash_of(&f->value[i]) & (slots - 1);
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)i + 1;
    }
    free(f->slot);
    f->slot = slot;
    f->slots = slots;
}

static struct sum plain(int64_t constant)
{
    return (struct sum){.constant = constant};
}

/* The value of a sum. Its first one is what is not known. */
static wt_origin_value value_of(struct wt_flow *f, struct sum s)
{
    if (s.flags & UNKNOWN)
        s = (struct sum){.flags = UNKNOWN};
    if (2 * f->values >= f->slots)
        grow_slots(f);
    if (f->failed)
        return 0;
    size_t at = hash_of(&s) & (f->slots - 1);
    for (; f->slot[at]; at = (at + 1) & (f->slots - 1))
        if (memcmp(&f->value[f->slot[at] - 1], &s, sizeof s) == 0)
            return f->slot[at] - 1;
    struct sum *grown = wt_array_grow(f->value, &f->value_room, f->values + 1, sizeof *grown);
    f->failed |= !grown || f->values == MOST_VALUES;
    if (!grown)
        return 0;
    f->value = grown;
    f->value[f->values] = s;
    f->slot[at] = (uint32_t)f->values + 1;
    return (wt_origin_value)f->values++;
}

static uint64_t far_sum(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static struct sum scaled(struct sum s, int64_t factor)
{
    const uint64_t size = distance(factor, 0);
    if (!factor)
        return plain(0);
    s.constant = (int64_t)((uint64_t)s.constant * (uint64_t)factor);
    s.step = s.step > UINT64_MAX / size ? UINT64_MAX : s.step * size;
    s.apart = s.apart > UINT64_MAX / size ? UINT64_MAX : s.apart * size;
    for (unsigned i = 0; i < TERMS; i++) {
        const int64_t made = (int64_t)((uint64_t)s.term[i].factor * (uint64_t)factor);
        if (size > INT32_MAX || made != (int32_t)made)
            s.flags |= s.term[i].symbol ? UNKNOWN : 0;
        s.term[i].factor = (int32_t)made;
    }
    if (size > 1 && !(s.flags & DEEP))
        s.flags &= ~(uint32_t)LOOSE;
    return s;
}

static struct sum added(struct sum a, struct sum b)
{
    struct sum s = {.constant = (int64_t)((uint64_t)a.constant + (uint64_t)b.constant),
                    .step = far_sum(a.step, b.step),
                    .apart = far_sum(a.apart, b.apart),
                    .flags = a.flags | b.flags};
    unsigned i = 0, k = 0, n = 0;
    while ((i < TERMS && a.term[i].symbol) || (k < TERMS && b.term[k].symbol)) {
        const uint32_t x = i < TERMS && a.term[i].symbol ? a.term[i].symbol : UINT32_MAX;
        const uint32_t y = k < TERMS && b.term[k].symbol ? b.term[k].symbol : UINT32_MAX;
        struct term t = {x < y ? x : y, 0};
        if (x <= y)
            t.factor += a.term[i++].factor;
        if (y <= x)
            t.factor += b.term[k++].factor;
        if (!t.factor)
            continue;
        if (n == TERMS) {
            s.flags |= UNKNOWN;
            break;
        }
        s.term[n++] = t;
    }
    return s;
}

static bool is_constant(const struct sum *s)
{
    return !s->flags && !s->apart && !s->term[0].symbol;
}

static bool has_base(const struct wt_flow *f, const struct sum *s)
{
    for (unsigned i = 0; i < TERMS; i++)
        if (s->term[i].symbol && s->term[i].symbol <= f->family->registers)
            return true;
    return false;
}

/* A choice of constants, without any number. */
static bool is_choice(const struct sum *s)
{
    return !s->flags && s->apart && !s->term[0].symbol;
}

/* ---- values, for families ---- */

wt_origin_value wt_flow_unknown(struct wt_flow *f)
{
    return value_of(f, (struct sum){.flags = UNKNOWN});
}

wt_origin_value wt_flow_constant(struct wt_flow *f, int64_t constant)
{
    return value_of(f, plain(constant));
}

wt_origin_value wt_flow_number(struct wt_flow *f)
{
    return value_of(f, (struct sum){.flags = INDEX | LOOSE, .step = 1});
}

wt_origin_value wt_flow_index(struct wt_flow *f)
{
    return value_of(f, (struct sum){.flags = INDEX, .step = 1});
}

wt_origin_value wt_flow_bit(struct wt_flow *f)
{
    return value_of(f, (struct sum){.apart = 1});
}

wt_origin_value wt_flow_base(struct wt_flow *f, uint16_t base)
{
    return value_of(f, (struct sum){.term = {{base + UINT32_C(1), 1}}});
}

bool wt_flow_is_constant(const struct wt_flow *f, wt_origin_value a, int64_t *constant)
{
    *constant = f->value[a].constant;
    return is_constant(&f->value[a]);
}

wt_origin_value wt_flow_sum(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    return value_of(f, added(f->value[a], f->value[b]));
}

wt_origin_value wt_flow_difference(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    return value_of(f, added(f->value[a], scaled(f->value[b], -1)));
}

wt_origin_value wt_flow_mixed(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    const struct sum *x = &f->value[a], *y = &f->value[b];
    const bool plain_numbers =
        !((x->flags | y->flags) & LOOSE) && !x->term[0].symbol && !y->term[0].symbol;
    if ((x->flags | y->flags) & UNKNOWN || has_base(f, x) || has_base(f, y))
        return wt_flow_unknown(f);
    return value_of(f,
                    (struct sum){.flags = plain_numbers ? INDEX : INDEX | LOOSE | DEEP, .step = 1});
}

wt_origin_value wt_flow_picked(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    const struct sum *x = &f->value[a], *y = &f->value[b];
    const bool constants = x->constant || y->constant || x->apart || y->apart;
    const wt_origin_value mixed = wt_flow_mixed(f, a, b); /* moves the values */
    struct sum s = f->value[mixed];
    if (constants)
        s.apart = UINT64_MAX;
    return value_of(f, s);
}

wt_origin_value wt_flow_product(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    if (is_constant(&f->value[a]))
        return value_of(f, scaled(f->value[b], f->value[a].constant));
    if (is_constant(&f->value[b]))
        return value_of(f, scaled(f->value[a], f->value[b].constant));
    return wt_flow_mixed(f, a, b);
}

wt_origin_value wt_flow_shifted(struct wt_flow *f, wt_origin_value a, wt_origin_value by)
{
    const struct sum *s = &f->value[by];
    if (!is_constant(s))
        return wt_flow_mixed(f, a, by);
    return value_of(f, scaled(f->value[a], (int64_t)(UINT64_C(1) << (s->constant & 63))));
}

/* A choice of constants may be a mask: then it chooses the other value or 0. */
static wt_origin_value masked(struct wt_flow *f, wt_origin_value a, int64_t mask)
{
    struct sum s = f->value[a];
    const bool aligns = mask < 0 && !((uint64_t)-mask & ((uint64_t)-mask - 1));
    if (is_constant(&s))
        return wt_flow_constant(f, s.constant & mask);
    if (mask == UINT32_MAX) /* addresses of 32 bits */
        return a;
    if (has_base(f, &s) || s.flags & UNKNOWN)
        return wt_flow_unknown(f);
    if (is_choice(&s) || !(mask & (mask - 1)))
        return value_of(f, (struct sum){.apart = distance(mask, 0)});
    if (aligns) { /* or it is a mask */
        s.constant &= mask;
        s.step = far_sum(s.step, distance(mask, 0));
        return value_of(f, s);
    }
    s = (struct sum){.flags = s.term[0].symbol ? INDEX | LOOSE : (s.flags & (LOOSE | DEEP)) | INDEX,
                     .step = distance(mask, 0),
                     .apart = s.apart ? distance(mask, 0) : 0};
    return value_of(f, s);
}

wt_origin_value wt_flow_and(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    if (is_constant(&f->value[b]))
        return masked(f, a, f->value[b].constant);
    if (is_constant(&f->value[a]))
        return masked(f, b, f->value[a].constant);
    if (is_choice(&f->value[b]))
        return wt_flow_choice(f, wt_flow_constant(f, 0), a);
    if (is_choice(&f->value[a]))
        return wt_flow_choice(f, wt_flow_constant(f, 0), b);
    return wt_flow_picked(f, a, b);
}

wt_origin_value wt_flow_or(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    if (is_constant(&f->value[a]) && is_constant(&f->value[b]))
        return wt_flow_constant(f, f->value[a].constant | f->value[b].constant);
    return wt_flow_sum(f, a, b);
}

wt_origin_value wt_flow_xor(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    const struct sum *x = &f->value[a], *y = &f->value[b];
    if (is_constant(x) && is_constant(y))
        return wt_flow_constant(f, x->constant ^ y->constant);
    if (is_constant(x) && !is_constant(y))
        return wt_flow_xor(f, b, a);
    if (!is_constant(y))
        return wt_flow_picked(f, a, b);
    if (y->constant == -1)
        return value_of(f, added(plain(-1), scaled(*x, -1)));
    struct sum s = *x;
    s.apart = far_sum(s.apart, distance(y->constant, 0));
    return value_of(f, s);
}

static uint32_t new_symbol(struct wt_flow *f)
{
    struct symbol *grown = wt_array_grow(f->symbol, &f->symbol_room, f->symbols + 1, sizeof *grown);
    if (!grown) {
        f->failed = true;
        return 1;
    }
    f->symbol = grown;
    f->symbol[f->symbols++] = (struct symbol){.resolved = 0};
    return f->family->registers + (uint32_t)f->symbols;
}

static struct symbol *symbol_of(struct wt_flow *f, uint32_t symbol)
{
    return &f->symbol[symbol - f->family->registers - 1];
}

static void add_input(struct wt_flow *f, uint32_t symbol, wt_origin_value input)
{
    struct symbol *s = symbol_of(f, symbol);
    for (size_t i = 0; i < s->inputs; i++)
        if (s->input[i] == input)
            return;
    wt_origin_value *grown = wt_array_grow(s->input, &s->room, s->inputs + 1, sizeof *grown);
    if (!grown) {
        f->failed = true;
        return;
    }
    s->input = grown;
    s->input[s->inputs++] = input;
}

static wt_origin_value value_of_symbol(struct wt_flow *f, uint32_t symbol)
{
    return value_of(f, (struct sum){.term = {{symbol, 1}}});
}

wt_origin_value wt_flow_choice(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    if (a == b || f->failed)
        return a;
    if (f->choices == MOST_CHOICES)
        return wt_flow_unknown(f);
    if (!f->choice && !(f->choice = calloc(2 * MOST_CHOICES, sizeof *f->choice))) {
        f->failed = true;
        return a;
    }
    size_t at = (a * UINT64_C(0x9e3779b97f4a7c15) + b) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    for (at &= 2 * MOST_CHOICES - 1; f->choice[at].symbol; at = (at + 1) & (2 * MOST_CHOICES - 1))
        if (f->choice[at].a == a && f->choice[at].b == b)
            return value_of_symbol(f, f->choice[at].symbol);
    const uint32_t symbol = new_symbol(f);
    if (f->failed)
        return a;
    f->choice[at] = (struct choice){a, b, symbol};
    f->choices++;
    add_input(f, symbol, a);
    add_input(f, symbol, b);
    return value_of_symbol(f, symbol);
}

wt_origin_value wt_flow_word(struct wt_flow *f, wt_origin_value a)
{
    struct sum s = f->value[a];
    s.constant = (int32_t)s.constant;
    return value_of(f, s);
}

/* ---- what symbols stand for ---- */

static struct sum resolved(struct wt_flow *f, const struct sum *s);

/* Adds one of the values that ways bring along. */
static void join(struct sum *all, const struct sum *one, bool first)
{
    if (first) {
        *all = *one;
        return;
    }
    if (memcmp(all->term, one->term, sizeof all->term) != 0)
        all->flags |= UNKNOWN;
    const uint64_t apart = distance(all->constant, one->constant);
    all->step = all->step > one->step ? all->step : one->step;
    all->apart = far_sum(apart, all->apart > one->apart ? all->apart : one->apart);
    all->flags |= one->flags;
}

/* The symbol in a sum, once, that is being resolved; 0: there is none. */
static uint32_t open_symbol(struct wt_flow *f, const struct sum *s)
{
    for (unsigned t = 0; t < TERMS; t++)
        if (s->term[t].symbol > f->family->registers && symbol_of(f, s->term[t].symbol)->resolving)
            return s->term[t].symbol;
    return 0;
}

/* Adds to what ways around a loop add to a symbol: a sum of it and something. */
static void come_back(struct wt_flow *f, uint32_t symbol, struct sum s, bool directly)
{
    struct sum *around = &symbol_of(f, symbol)->around;
    s = added(s, (struct sum){.term = {{symbol, -1}}});
    if (s.term[0].symbol)
        s.flags |= UNKNOWN;
    if (!directly || s.constant || s.flags || s.apart)
        around->flags |= INDEX | s.flags;
    around->apart = far_sum(around->apart, s.apart);
    around->step =
        directly ? far_sum(around->step, far_sum(s.step, distance(s.constant, 0))) : UINT64_MAX;
}

static bool has_symbol(const struct sum *s, uint32_t symbol)
{
    return s->term[0].symbol == symbol || s->term[1].symbol == symbol;
}

/* The value of a symbol, in which those that are being resolved are terms. What comes back to it
 * around a loop is what the loop adds; and what is to come back to another one does so, if it is
 * not all that there is. */
static struct sum resolve(struct wt_flow *f, uint32_t symbol)
{
    struct sum all = {.flags = UNKNOWN}, others = {.flags = UNKNOWN};
    bool first = true, is_first_other = true;
    symbol_of(f, symbol)->resolving = ++f->resolving;
    symbol_of(f, symbol)->around = plain(0);
    for (size_t i = 0; i < symbol_of(f, symbol)->inputs && f->visits < MOST_VISITS; i++) {
        const struct sum s = resolved(f, &f->value[symbol_of(f, symbol)->input[i]]);
        if (has_symbol(&s, symbol)) {
            come_back(f, symbol, s, true);
        } else if (open_symbol(f, &s)) {
            join(&others, &s, is_first_other);
            is_first_other = false;
        } else {
            join(&all, &s, first);
            first = false;
        }
    }
    f->resolving--;
    symbol_of(f, symbol)->resolving = 0;
    const uint32_t other = is_first_other ? 0 : open_symbol(f, &others);
    if (first)
        all = others;
    else if (other)
        come_back(f, other, others, false);
    if (other && symbol_of(f, other)->resolving < f->through)
        f->through = symbol_of(f, other)->resolving;
    if ((first && is_first_other) || (!is_first_other && others.flags & UNKNOWN) ||
        f->visits >= MOST_VISITS)
        return (struct sum){.flags = UNKNOWN};
    return added(all, symbol_of(f, symbol)->around);
}

static struct sum value_behind(struct wt_flow *f, uint32_t symbol)
{
    if (symbol <= f->family->registers || symbol_of(f, symbol)->resolving)
        return (struct sum){.term = {{symbol, 1}}};
    const int32_t known = symbol_of(f, symbol)->resolved;
    if (known)
        return f->value[known - 1];
    /* All ways bring the same: a loop's body has the registers of the condition before it. */
    if (symbol_of(f, symbol)->inputs == 1)
        return resolved(f, &f->value[symbol_of(f, symbol)->input[0]]);
    const unsigned through = f->through;
    f->through = UINT_MAX;
    const struct sum s = resolve(f, symbol);
    bool whole = f->through > f->resolving;
    f->through = f->through < through ? f->through : through;
    for (unsigned t = 0; t < TERMS; t++)
        whole &= s.term[t].symbol <= f->family->registers;
    if (whole && f->visits < MOST_VISITS) {
        const wt_origin_value v = value_of(f, s);
        symbol_of(f, symbol)->resolved = (int32_t)v + 1;
    }
    return s;
}

static struct sum resolved(struct wt_flow *f, const struct sum *s)
{
    struct sum all = *s;
    memset(all.term, 0, sizeof all.term);
    const struct sum copy = *s; /* the table of values may move */
    if (f->visits++ >= MOST_VISITS)
        return (struct sum){.flags = UNKNOWN};
    for (unsigned i = 0; i < TERMS && copy.term[i].symbol; i++)
        all = added(all, scaled(value_behind(f, copy.term[i].symbol), copy.term[i].factor));
    return all;
}

/* ---- ways through the function ---- */

static size_t place_of(const struct wt_flow *f, uint64_t pc)
{
    return (size_t)(pc - f->first) / 2;
}

static wt_origin_value *state_of(const struct wt_flow *f, size_t block)
{
    return &f->state[block * f->family->registers];
}

static bool is_inside(const struct wt_flow *f, uint64_t pc)
{
    return pc >= f->first && pc < f->end;
}

/* The block that begins at an instruction; it is made where there is none. */
static size_t block_at(struct wt_flow *f, uint64_t pc, const wt_origin_value *reg, bool *made)
{
    const size_t registers = f->family->registers, place = place_of(f, pc);
    *made = !f->leader[place];
    if (!*made)
        return f->leader[place] - 1;
    struct block *grown = wt_array_grow(f->block, &f->block_room, f->blocks + 1, sizeof *grown);
    if (grown)
        f->block = grown;
    wt_origin_value *state =
        wt_array_grow(f->state, &f->state_room, (f->blocks + 1) * registers, sizeof *state);
    if (state)
        f->state = state;
    if (!grown || !state || (f->blocks + 1) * registers > MOST_STATES) {
        f->failed = true;
        return 0;
    }
    f->split |= f->walked[place] && !f->begins[place];
    f->begins[place] = true;
    f->block[f->blocks] = (struct block){pc, true};
    memcpy(state_of(f, f->blocks), reg, registers * sizeof *reg);
    f->leader[place] = (uint32_t)++f->blocks;
    return f->blocks - 1;
}

/* Whether a register's value at a block's begin is its own. */
static bool is_own(const struct wt_flow *f, uint32_t symbol, wt_origin_value value)
{
    const struct sum *s = &f->value[value];
    return symbol && s->term[0].symbol == symbol && !s->term[1].symbol && !s->constant &&
           !s->flags && !s->step && !s->apart && s->term[0].factor == 1;
}

/* The symbols of blocks' registers come in the order in which they are made. */
struct own {
    uint32_t *symbol; /* of each register of each block; 0: it has none */
    size_t room;
};

static uint32_t *own_of(struct wt_flow *f, struct own *own, size_t block)
{
    const size_t need = (block + 1) * f->family->registers, before = own->room;
    uint32_t *grown = wt_array_grow(own->symbol, &own->room, need, sizeof *grown);
    if (!grown) {
        f->failed = true;
        return NULL;
    }
    own->symbol = grown;
    memset(grown + before, 0, (own->room - before) * sizeof *grown);
    return &grown[block * f->family->registers];
}

/* A way leads from `reg` to a block. */
static void arrive(struct wt_flow *f, struct own *own, uint64_t pc, const wt_origin_value *reg)
{
    bool made;
    const size_t b = block_at(f, pc, reg, &made);
    if (made || f->failed)
        return;
    wt_origin_value *state = state_of(f, b);
    uint32_t *symbol = own_of(f, own, b);
    for (unsigned r = 0; symbol && r < f->family->registers; r++) {
        if (state[r] == reg[r] || state[r] == IS_UNKNOWN ||
            (reg[r] != IS_UNKNOWN && is_own(f, symbol[r], state[r])))
            continue;
        if (!symbol[r] && reg[r] != IS_UNKNOWN)
            symbol[r] = new_symbol(f);
        state[r] = reg[r] == IS_UNKNOWN ? reg[r] : value_of_symbol(f, symbol[r]);
        f->block[b].waits = true;
    }
}

/* Adds the registers with which a block is entered to the values of its symbols; the states of all
 * blocks are final. */
static void bring(struct wt_flow *f, struct own *own, uint64_t pc, const wt_origin_value *reg)
{
    const size_t b = f->leader[place_of(f, pc)] - 1;
    const wt_origin_value *state = state_of(f, b);
    const uint32_t *symbol = own_of(f, own, b);
    for (unsigned r = 0; symbol && r < f->family->registers; r++)
        if (is_own(f, symbol[r], state[r]) && reg[r] != state[r])
            add_input(f, symbol[r], reg[r]);
}

static void note(struct wt_flow *f, uint64_t pc, wt_origin_value stack,
                 const struct wt_flow_step *step)
{
    for (unsigned part = 0; part < step->accesses; part++) {
        struct wt_origin *grown = wt_array_grow(f->found, &f->room, f->count + 1, sizeof *grown);
        if (!grown) {
            f->failed = true;
            return;
        }
        f->found = grown;
        f->found[f->count++] =
            (struct wt_origin){.pc = pc,
                               .part = step->makes_stack ? WT_ORIGIN_STACK : part,
                               .constant = step->address[part],
                               .moved = stack,
                               .base = WT_ORIGIN_NO_BASE};
    }
}

/* Walks through a block. The last walk also notes the block's accesses, and the values that its
 * successors' registers may have. */
static void walk(struct wt_flow *f, struct own *own, size_t block, bool last)
{
    wt_origin_value *reg = calloc(f->family->registers, sizeof *reg);
    uint64_t pc = f->block[block].pc;
    void (*const way)(struct wt_flow *, struct own *, uint64_t, const wt_origin_value *) =
        last ? bring : arrive;
    if (!reg) {
        f->failed = true;
        return;
    }
    memcpy(reg, state_of(f, block), f->family->registers * sizeof *reg);
    for (bool goes_on = true; goes_on && !f->failed;) {
        struct wt_flow_step step = {.bytes = 0};
        const wt_origin_value stack =
            f->family->stack == WT_ORIGIN_NO_BASE ? 0 : reg[f->family->stack];
        f->walked[place_of(f, pc)] = true;
        if (!f->family->step(f->context, f, pc, reg, &step) || step.loses || !step.bytes ||
            (step.falls && !is_inside(f, pc + step.bytes))) {
            f->failed = true;
            break;
        }
        if (last)
            note(f, pc, stack, &step);
        if (step.branches && is_inside(f, step.target))
            way(f, own, step.target, reg);
        for (size_t i = 0; i < step.more_count; i++)
            if (is_inside(f, step.more[i]))
                way(f, own, step.more[i], reg);
        pc += step.bytes;
        goes_on = step.falls && !f->begins[place_of(f, pc)];
        if (step.falls && (!goes_on || step.branches)) {
            way(f, own, pc, reg);
            goes_on = false;
        }
    }
    free(reg);
}

static bool walk_all(struct wt_flow *f)
{
    const unsigned registers = f->family->registers;
    struct own own = {NULL, 0};
    wt_origin_value *reg = calloc(registers, sizeof *reg);
    bool made;
    if (reg) {
        f->family->begin(f->context, f, reg);
        block_at(f, f->first, reg, &made);
    }
    f->failed |= !reg;
    for (bool again = true; again && !f->failed && !f->split;) {
        again = false;
        for (size_t b = 0; b < f->blocks && !f->failed && !f->split; b++)
            if (f->block[b].waits) {
                f->block[b].waits = false;
                walk(f, &own, b, false);
                again = true;
            }
    }
    for (size_t b = 0; b < f->blocks && !f->failed && !f->split; b++)
        walk(f, &own, b, true);
    if (reg && !f->failed && !f->split)
        bring(f, &own, f->first, reg);
    free(own.symbol);
    free(reg);
    return !f->failed && !f->split;
}

static void forget_symbols(struct wt_flow *f)
{
    for (size_t i = 0; i < f->symbols; i++)
        free(f->symbol[i].input);
    f->symbols = f->choices = 0;
    if (f->choice)
        memset(f->choice, 0, 2 * MOST_CHOICES * sizeof *f->choice);
}

/* A block that begins within one that was walked through already makes it begin anew. */
static bool find(struct wt_flow *f)
{
    const size_t places = place_of(f, f->end) + 1;
    for (unsigned n = 0; n < MOST_RESTARTS && !f->failed; n++) {
        forget_symbols(f);
        f->split = false;
        f->count = f->blocks = 0;
        memset(f->walked, 0, places * sizeof *f->walked);
        memset(f->leader, 0, places * sizeof *f->leader);
        if (walk_all(f))
            return true;
    }
    return false;
}

/* ---- results ---- */

/* Whether the sum is a constant, or a constant and the value that one register had at the
 * function's begin. */
static bool is_plain(const struct wt_flow *f, const struct sum *s)
{
    return !(s->flags & UNKNOWN) && !s->term[1].symbol &&
           (!s->term[0].symbol ||
            (s->term[0].symbol <= f->family->registers && s->term[0].factor == 1));
}

static struct sum final_sum(struct wt_flow *f, int64_t value)
{
    const struct sum s = f->value[value];
    f->visits = 0;
    f->through = UINT_MAX;
    return resolved(f, &s);
}

static void settle(struct wt_flow *f, struct wt_origin *o)
{
    const struct sum s = final_sum(f, o->constant), stack = final_sum(f, o->moved);
    const uint32_t pointer = f->family->stack + UINT32_C(1);
    const bool is_stack = is_plain(f, &stack) && stack.term[0].symbol == pointer && !stack.flags;
    o->known = is_plain(f, &s) && (s.term[0].symbol != pointer || is_stack);
    o->moved = is_stack ? stack.constant : 0;
    if (s.term[0].symbol)
        o->base = (uint16_t)(s.term[0].symbol - 1);
    o->constant = s.constant;
    o->index = s.flags & INDEX;
    o->scaled = !(s.flags & LOOSE);
    o->apart = s.apart;
    o->step = s.step;
}

static int by_place(const void *a, const void *b)
{
    const struct wt_origin *x = a, *y = b;
    return x->pc != y->pc ? (x->pc < y->pc ? -1 : 1) : (int)x->part - (int)y->part;
}

struct wt_origin *wt_origins_find(const struct wt_flow_family *family, void *context,
                                  uint64_t first, uint64_t end, size_t *count)
{
    struct wt_flow f = {.family = family, .context = context, .first = first, .end = end};
    const size_t places = (size_t)(end - first) / 2 + 1;
    *count = 0;
    if (end <= first || end - first > MOST_BYTES)
        return NULL;
    f.leader = calloc(places, sizeof *f.leader);
    f.walked = calloc(places, sizeof *f.walked);
    f.begins = calloc(places, sizeof *f.begins);
    value_of(&f, (struct sum){.flags = UNKNOWN}); /* IS_UNKNOWN */
    const bool found = f.leader && f.walked && f.begins && !f.failed && find(&f);
    for (size_t i = 0; found && i < f.count; i++)
        settle(&f, &f.found[i]);
    if (!found || f.failed) {
        free(f.found);
        f.found = NULL;
        f.count = 0;
    }
    if (f.count)
        qsort(f.found, f.count, sizeof *f.found, by_place);
    *count = f.count;
    forget_symbols(&f);
    free(f.symbol);
    free(f.choice);
    free(f.value);
    free(f.slot);
    free(f.leader);
    free(f.walked);
    free(f.begins);
    free(f.block);
    free(f.state);
    return f.found;
}
