/* Ways through a function, and the origins of its accesses. See origin.h. */
#include "emulator/machine/origin_flow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
    MOST_BYTES = 1 << 20,  /* in a function */
    MOST_STATES = 1 << 24, /* registers of all blocks */
    MOST_RESTARTS = 64,
};

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
    struct wt_flow_block *grown =
        wt_array_grow(f->block, &f->block_room, f->blocks + 1, sizeof *grown);
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
    f->block[f->blocks] = (struct wt_flow_block){pc, true};
    memcpy(state_of(f, f->blocks), reg, registers * sizeof *reg);
    f->leader[place] = (uint32_t)++f->blocks;
    return f->blocks - 1;
}

/* Whether a register's value at a block's begin is its own. */
static bool is_own(const struct wt_flow *f, uint32_t symbol, wt_origin_value value)
{
    const struct wt_flow_sum *s = &f->value[value];
    return symbol && s->term[0].symbol == symbol && !s->term[1].symbol && !s->constant &&
           !s->flags && !s->step && !s->apart && s->term[0].factor == 1;
}

/* The symbols of blocks' registers come in the order in which they are made. */
struct origin_own {
    uint32_t *symbol; /* symbol of each register of each block; 0: it has none */
    size_t room;
};

static uint32_t *own_of(struct wt_flow *f, struct origin_own *own, size_t block)
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
static void arrive(struct wt_flow *f, struct origin_own *own, uint64_t pc,
                   const wt_origin_value *reg)
{
    bool made;
    const size_t b = block_at(f, pc, reg, &made);
    if (made || f->failed)
        return;
    wt_origin_value *state = state_of(f, b);
    uint32_t *symbol = own_of(f, own, b);
    for (unsigned r = 0; symbol && r < f->family->registers; r++) {
        if (state[r] == reg[r] || state[r] == WT_FLOW_NOTHING ||
            (reg[r] != WT_FLOW_NOTHING && is_own(f, symbol[r], state[r])))
            continue;
        if (!symbol[r] && reg[r] != WT_FLOW_NOTHING)
            symbol[r] = wt_flow_new_symbol(f);
        state[r] = reg[r] == WT_FLOW_NOTHING ? reg[r] : wt_flow_value_of_symbol(f, symbol[r]);
        f->block[b].waits = true;
    }
}

/* Adds the registers with which a block is entered to the values of its symbols; the states of all
 * blocks are final. */
static void bring(struct wt_flow *f, struct origin_own *own, uint64_t pc,
                  const wt_origin_value *reg)
{
    const size_t b = f->leader[place_of(f, pc)] - 1;
    const wt_origin_value *state = state_of(f, b);
    const uint32_t *symbol = own_of(f, own, b);
    for (unsigned r = 0; symbol && r < f->family->registers; r++)
        if (is_own(f, symbol[r], state[r]) && reg[r] != state[r])
            wt_flow_add_input(f, symbol[r], reg[r]);
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
static void walk(struct wt_flow *f, struct origin_own *own, size_t block, bool last)
{
    wt_origin_value *reg = calloc(f->family->registers, sizeof *reg);
    uint64_t pc = f->block[block].pc;
    void (*const way)(struct wt_flow *, struct origin_own *, uint64_t, const wt_origin_value *) =
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
    struct origin_own own = {NULL, 0};
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
        memset(f->choice, 0, 2 * WT_FLOW_MOST_CHOICES * sizeof *f->choice);
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
static bool is_plain(const struct wt_flow *f, const struct wt_flow_sum *s)
{
    return !(s->flags & WT_FLOW_UNKNOWN) && !s->term[1].symbol &&
           (!s->term[0].symbol ||
            (s->term[0].symbol <= f->family->registers && s->term[0].factor == 1));
}

static struct wt_flow_sum final_sum(struct wt_flow *f, int64_t value)
{
    const struct wt_flow_sum s = f->value[value];
    f->visits = 0;
    f->through = UINT_MAX;
    return wt_flow_resolved(f, &s);
}

static void settle(struct wt_flow *f, struct wt_origin *o)
{
    const struct wt_flow_sum s = final_sum(f, o->constant), stack = final_sum(f, o->moved);
    const uint32_t pointer = f->family->stack + UINT32_C(1);
    const bool is_stack = is_plain(f, &stack) && stack.term[0].symbol == pointer && !stack.flags;
    o->known = is_plain(f, &s) && (s.term[0].symbol != pointer || is_stack);
    o->moved = is_stack ? stack.constant : 0;
    if (s.term[0].symbol)
        o->base = (uint16_t)(s.term[0].symbol - 1);
    o->constant = s.constant;
    o->index = s.flags & WT_FLOW_INDEX;
    o->scaled = !(s.flags & WT_FLOW_LOOSE);
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
    wt_flow_value_of(&f, (struct wt_flow_sum){.flags = WT_FLOW_UNKNOWN}); /* WT_FLOW_NOTHING */
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
