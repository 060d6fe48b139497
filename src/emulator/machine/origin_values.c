/* Sums of registers, and the symbols that stand for several of them. See origin.h. */
#include "emulator/machine/origin_flow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    MOST_VALUES = 1 << 18, /* in an analysis */
};

/* ---- sums ---- */

static uint64_t hash_of(const struct wt_flow_sum *s)
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

static struct wt_flow_sum plain(int64_t constant)
{
    return (struct wt_flow_sum){.constant = constant};
}

wt_origin_value wt_flow_value_of(struct wt_flow *f, struct wt_flow_sum s)
{
    if (s.flags & WT_FLOW_UNKNOWN)
        s = (struct wt_flow_sum){.flags = WT_FLOW_UNKNOWN};
    if (2 * f->values >= f->slots)
        grow_slots(f);
    if (f->failed)
        return 0;
    size_t at = hash_of(&s) & (f->slots - 1);
    for (; f->slot[at]; at = (at + 1) & (f->slots - 1))
        if (memcmp(&f->value[f->slot[at] - 1], &s, sizeof s) == 0)
            return f->slot[at] - 1;
    struct wt_flow_sum *grown =
        wt_array_grow(f->value, &f->value_room, f->values + 1, sizeof *grown);
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

static struct wt_flow_sum scaled(struct wt_flow_sum s, int64_t factor)
{
    const uint64_t size = distance(factor, 0);
    if (!factor)
        return plain(0);
    s.constant = (int64_t)((uint64_t)s.constant * (uint64_t)factor);
    s.step = s.step > UINT64_MAX / size ? UINT64_MAX : s.step * size;
    s.apart = s.apart > UINT64_MAX / size ? UINT64_MAX : s.apart * size;
    for (unsigned i = 0; i < WT_FLOW_TERMS; i++) {
        const int64_t made = (int64_t)((uint64_t)s.term[i].factor * (uint64_t)factor);
        if (size > INT32_MAX || made != (int32_t)made)
            s.flags |= s.term[i].symbol ? WT_FLOW_UNKNOWN : 0;
        s.term[i].factor = (int32_t)made;
    }
    if (size > 1 && !(s.flags & WT_FLOW_DEEP))
        s.flags &= ~(uint32_t)WT_FLOW_LOOSE;
    return s;
}

static struct wt_flow_sum added(struct wt_flow_sum a, struct wt_flow_sum b)
{
    struct wt_flow_sum s = {.constant = (int64_t)((uint64_t)a.constant + (uint64_t)b.constant),
                            .step = far_sum(a.step, b.step),
                            .apart = far_sum(a.apart, b.apart),
                            .flags = a.flags | b.flags};
    unsigned i = 0, k = 0, n = 0;
    while ((i < WT_FLOW_TERMS && a.term[i].symbol) || (k < WT_FLOW_TERMS && b.term[k].symbol)) {
        const uint32_t x = i < WT_FLOW_TERMS && a.term[i].symbol ? a.term[i].symbol : UINT32_MAX;
        const uint32_t y = k < WT_FLOW_TERMS && b.term[k].symbol ? b.term[k].symbol : UINT32_MAX;
        struct wt_flow_term t = {x < y ? x : y, 0};
        if (x <= y)
            t.factor += a.term[i++].factor;
        if (y <= x)
            t.factor += b.term[k++].factor;
        if (!t.factor)
            continue;
        if (n == WT_FLOW_TERMS) {
            s.flags |= WT_FLOW_UNKNOWN;
            break;
        }
        s.term[n++] = t;
    }
    return s;
}

static bool is_constant(const struct wt_flow_sum *s)
{
    return !s->flags && !s->apart && !s->term[0].symbol;
}

static bool has_base(const struct wt_flow *f, const struct wt_flow_sum *s)
{
    for (unsigned i = 0; i < WT_FLOW_TERMS; i++)
        if (s->term[i].symbol && s->term[i].symbol <= f->family->registers)
            return true;
    return false;
}

/* A choice of constants, without any number. */
static bool is_choice(const struct wt_flow_sum *s)
{
    return !s->flags && s->apart && !s->term[0].symbol;
}

/* ---- values, for families ---- */

wt_origin_value wt_flow_unknown(struct wt_flow *f)
{
    return wt_flow_value_of(f, (struct wt_flow_sum){.flags = WT_FLOW_UNKNOWN});
}

wt_origin_value wt_flow_constant(struct wt_flow *f, int64_t constant)
{
    return wt_flow_value_of(f, plain(constant));
}

wt_origin_value wt_flow_number(struct wt_flow *f)
{
    return wt_flow_value_of(
        f, (struct wt_flow_sum){.flags = WT_FLOW_INDEX | WT_FLOW_LOOSE, .step = 1});
}

wt_origin_value wt_flow_index(struct wt_flow *f)
{
    return wt_flow_value_of(f, (struct wt_flow_sum){.flags = WT_FLOW_INDEX, .step = 1});
}

wt_origin_value wt_flow_bit(struct wt_flow *f)
{
    return wt_flow_value_of(f, (struct wt_flow_sum){.apart = 1});
}

wt_origin_value wt_flow_base(struct wt_flow *f, uint16_t base)
{
    return wt_flow_value_of(f, (struct wt_flow_sum){.term = {{base + UINT32_C(1), 1}}});
}

bool wt_flow_is_constant(const struct wt_flow *f, wt_origin_value a, int64_t *constant)
{
    *constant = f->value[a].constant;
    return is_constant(&f->value[a]);
}

wt_origin_value wt_flow_sum(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    return wt_flow_value_of(f, added(f->value[a], f->value[b]));
}

wt_origin_value wt_flow_difference(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    return wt_flow_value_of(f, added(f->value[a], scaled(f->value[b], -1)));
}

wt_origin_value wt_flow_mixed(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    const struct wt_flow_sum *x = &f->value[a], *y = &f->value[b];
    const bool plain_numbers =
        !((x->flags | y->flags) & WT_FLOW_LOOSE) && !x->term[0].symbol && !y->term[0].symbol;
    if ((x->flags | y->flags) & WT_FLOW_UNKNOWN || has_base(f, x) || has_base(f, y))
        return wt_flow_unknown(f);
    return wt_flow_value_of(
        f,
        (struct wt_flow_sum){.flags = plain_numbers ? WT_FLOW_INDEX
                                                    : WT_FLOW_INDEX | WT_FLOW_LOOSE | WT_FLOW_DEEP,
                             .step = 1});
}

wt_origin_value wt_flow_picked(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    const struct wt_flow_sum *x = &f->value[a], *y = &f->value[b];
    const bool constants = x->constant || y->constant || x->apart || y->apart;
    const wt_origin_value mixed = wt_flow_mixed(f, a, b); /* moves the values */
    struct wt_flow_sum s = f->value[mixed];
    if (constants)
        s.apart = UINT64_MAX;
    return wt_flow_value_of(f, s);
}

wt_origin_value wt_flow_product(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    if (is_constant(&f->value[a]))
        return wt_flow_value_of(f, scaled(f->value[b], f->value[a].constant));
    if (is_constant(&f->value[b]))
        return wt_flow_value_of(f, scaled(f->value[a], f->value[b].constant));
    return wt_flow_mixed(f, a, b);
}

wt_origin_value wt_flow_shifted(struct wt_flow *f, wt_origin_value a, wt_origin_value by)
{
    const struct wt_flow_sum *s = &f->value[by];
    if (!is_constant(s))
        return wt_flow_mixed(f, a, by);
    return wt_flow_value_of(f, scaled(f->value[a], (int64_t)(UINT64_C(1) << (s->constant & 63))));
}

/* A choice of constants may be a mask: then it chooses the other value or 0. */
static wt_origin_value masked(struct wt_flow *f, wt_origin_value a, int64_t mask)
{
    struct wt_flow_sum s = f->value[a];
    const bool aligns = mask < 0 && !((uint64_t)-mask & ((uint64_t)-mask - 1));
    if (is_constant(&s))
        return wt_flow_constant(f, s.constant & mask);
    if (mask == UINT32_MAX) /* addresses of 32 bits */
        return a;
    if (has_base(f, &s) || s.flags & WT_FLOW_UNKNOWN)
        return wt_flow_unknown(f);
    if (is_choice(&s) || !(mask & (mask - 1)))
        return wt_flow_value_of(f, (struct wt_flow_sum){.apart = distance(mask, 0)});
    if (aligns) { /* or it is a mask */
        s.constant &= mask;
        s.step = far_sum(s.step, distance(mask, 0));
        return wt_flow_value_of(f, s);
    }
    s = (struct wt_flow_sum){
        .flags = s.term[0].symbol ? WT_FLOW_INDEX | WT_FLOW_LOOSE
                                  : (s.flags & (WT_FLOW_LOOSE | WT_FLOW_DEEP)) | WT_FLOW_INDEX,
        .step = distance(mask, 0),
        .apart = s.apart ? distance(mask, 0) : 0};
    return wt_flow_value_of(f, s);
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
    const struct wt_flow_sum *x = &f->value[a], *y = &f->value[b];
    if (is_constant(x) && is_constant(y))
        return wt_flow_constant(f, x->constant ^ y->constant);
    if (is_constant(x) && !is_constant(y))
        return wt_flow_xor(f, b, a);
    if (!is_constant(y))
        return wt_flow_picked(f, a, b);
    if (y->constant == -1)
        return wt_flow_value_of(f, added(plain(-1), scaled(*x, -1)));
    struct wt_flow_sum s = *x;
    s.apart = far_sum(s.apart, distance(y->constant, 0));
    return wt_flow_value_of(f, s);
}

uint32_t wt_flow_new_symbol(struct wt_flow *f)
{
    struct wt_flow_symbol *grown =
        wt_array_grow(f->symbol, &f->symbol_room, f->symbols + 1, sizeof *grown);
    if (!grown) {
        f->failed = true;
        return 1;
    }
    f->symbol = grown;
    f->symbol[f->symbols++] = (struct wt_flow_symbol){.resolved = 0};
    return f->family->registers + (uint32_t)f->symbols;
}

static struct wt_flow_symbol *symbol_of(struct wt_flow *f, uint32_t symbol)
{
    return &f->symbol[symbol - f->family->registers - 1];
}

void wt_flow_add_input(struct wt_flow *f, uint32_t symbol, wt_origin_value input)
{
    struct wt_flow_symbol *s = symbol_of(f, symbol);
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

wt_origin_value wt_flow_value_of_symbol(struct wt_flow *f, uint32_t symbol)
{
    return wt_flow_value_of(f, (struct wt_flow_sum){.term = {{symbol, 1}}});
}

wt_origin_value wt_flow_choice(struct wt_flow *f, wt_origin_value a, wt_origin_value b)
{
    if (a == b || f->failed)
        return a;
    if (f->choices == WT_FLOW_MOST_CHOICES)
        return wt_flow_unknown(f);
    if (!f->choice && !(f->choice = calloc(2 * WT_FLOW_MOST_CHOICES, sizeof *f->choice))) {
        f->failed = true;
        return a;
    }
    size_t at = (a * UINT64_C(0x9e3779b97f4a7c15) + b) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    for (at &= 2 * WT_FLOW_MOST_CHOICES - 1; f->choice[at].symbol;
         at = (at + 1) & (2 * WT_FLOW_MOST_CHOICES - 1))
        if (f->choice[at].a == a && f->choice[at].b == b)
            return wt_flow_value_of_symbol(f, f->choice[at].symbol);
    const uint32_t symbol = wt_flow_new_symbol(f);
    if (f->failed)
        return a;
    f->choice[at] = (struct wt_flow_choice){a, b, symbol};
    f->choices++;
    wt_flow_add_input(f, symbol, a);
    wt_flow_add_input(f, symbol, b);
    return wt_flow_value_of_symbol(f, symbol);
}

wt_origin_value wt_flow_word(struct wt_flow *f, wt_origin_value a)
{
    struct wt_flow_sum s = f->value[a];
    s.constant = (int32_t)s.constant;
    return wt_flow_value_of(f, s);
}

/* ---- what symbols stand for ---- */

/* Adds one of the values that ways bring along. */
static void join(struct wt_flow_sum *all, const struct wt_flow_sum *one, bool first)
{
    if (first) {
        *all = *one;
        return;
    }
    if (memcmp(all->term, one->term, sizeof all->term) != 0)
        all->flags |= WT_FLOW_UNKNOWN;
    const uint64_t apart = distance(all->constant, one->constant);
    all->step = all->step > one->step ? all->step : one->step;
    all->apart = far_sum(apart, all->apart > one->apart ? all->apart : one->apart);
    all->flags |= one->flags;
}

/* The symbol in a sum, once, that is being resolved; 0: there is none. */
static uint32_t open_symbol(struct wt_flow *f, const struct wt_flow_sum *s)
{
    for (unsigned t = 0; t < WT_FLOW_TERMS; t++)
        if (s->term[t].symbol > f->family->registers && symbol_of(f, s->term[t].symbol)->resolving)
            return s->term[t].symbol;
    return 0;
}

/* Adds to what ways around a loop add to a symbol: a sum of it and something. */
static void come_back(struct wt_flow *f, uint32_t symbol, struct wt_flow_sum s, bool directly)
{
    struct wt_flow_sum *around = &symbol_of(f, symbol)->around;
    s = added(s, (struct wt_flow_sum){.term = {{symbol, -1}}});
    if (s.term[0].symbol)
        s.flags |= WT_FLOW_UNKNOWN;
    if (!directly || s.constant || s.flags || s.apart)
        around->flags |= WT_FLOW_INDEX | s.flags;
    around->apart = far_sum(around->apart, s.apart);
    around->step =
        directly ? far_sum(around->step, far_sum(s.step, distance(s.constant, 0))) : UINT64_MAX;
}

static bool has_symbol(const struct wt_flow_sum *s, uint32_t symbol)
{
    return s->term[0].symbol == symbol || s->term[1].symbol == symbol;
}

/* The value of a symbol, in which those that are being resolved are terms. What comes back to it
 * around a loop is what the loop adds; and what is to come back to another one does so, if it is
 * not all that there is. */
static struct wt_flow_sum resolve(struct wt_flow *f, uint32_t symbol)
{
    struct wt_flow_sum all = {.flags = WT_FLOW_UNKNOWN}, others = {.flags = WT_FLOW_UNKNOWN};
    bool first = true, is_first_other = true;
    symbol_of(f, symbol)->resolving = ++f->resolving;
    symbol_of(f, symbol)->around = plain(0);
    for (size_t i = 0; i < symbol_of(f, symbol)->inputs && f->visits < WT_FLOW_MOST_VISITS; i++) {
        const struct wt_flow_sum s = wt_flow_resolved(f, &f->value[symbol_of(f, symbol)->input[i]]);
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
    if ((first && is_first_other) || (!is_first_other && others.flags & WT_FLOW_UNKNOWN) ||
        f->visits >= WT_FLOW_MOST_VISITS)
        return (struct wt_flow_sum){.flags = WT_FLOW_UNKNOWN};
    return added(all, symbol_of(f, symbol)->around);
}

static struct wt_flow_sum value_behind(struct wt_flow *f, uint32_t symbol)
{
    if (symbol <= f->family->registers || symbol_of(f, symbol)->resolving)
        return (struct wt_flow_sum){.term = {{symbol, 1}}};
    const int32_t known = symbol_of(f, symbol)->resolved;
    if (known)
        return f->value[known - 1];
    /* All ways bring the same: a loop's body has the registers of the condition before it. */
    if (symbol_of(f, symbol)->inputs == 1)
        return wt_flow_resolved(f, &f->value[symbol_of(f, symbol)->input[0]]);
    const unsigned through = f->through;
    f->through = UINT_MAX;
    const struct wt_flow_sum s = resolve(f, symbol);
    bool whole = f->through > f->resolving;
    f->through = f->through < through ? f->through : through;
    for (unsigned t = 0; t < WT_FLOW_TERMS; t++)
        whole &= s.term[t].symbol <= f->family->registers;
    if (whole && f->visits < WT_FLOW_MOST_VISITS) {
        const wt_origin_value v = wt_flow_value_of(f, s);
        symbol_of(f, symbol)->resolved = (int32_t)v + 1;
    }
    return s;
}

struct wt_flow_sum wt_flow_resolved(struct wt_flow *f, const struct wt_flow_sum *s)
{
    struct wt_flow_sum all = *s;
    memset(all.term, 0, sizeof all.term);
    const struct wt_flow_sum copy = *s; /* the table of values may move */
    if (f->visits++ >= WT_FLOW_MOST_VISITS)
        return (struct wt_flow_sum){.flags = WT_FLOW_UNKNOWN};
    for (unsigned i = 0; i < WT_FLOW_TERMS && copy.term[i].symbol; i++)
        all = added(all, scaled(value_behind(f, copy.term[i].symbol), copy.term[i].factor));
    return all;
}
