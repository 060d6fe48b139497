/*
 * Addresses of variables in private memory. Without optimisation Intel's compiler keeps the address
 * of a variable in a register of each channel, and computes it at the variable's line; its debug
 * information names the register for the whole scope, though the code re-uses it after the
 * variable's last use. So the function's code is followed: an address is a base and an offset,
 * which the thread got or computed at the function's beginning, plus a constant and a multiple of
 * the channel's number. Where the register has been re-used, the address is computed anew of a
 * register that still has these parts.
 *
 * Values of registers are followed through the graph of basic blocks, until nothing changes: at the
 * beginning of a block is known what all ways to it have in common.
 */
#include "debug/gen/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/gen/flow.h"

enum { MOST_ENTRIES = 512, MOST_SYMBOLS = 4096, SYMBOLS = 2, OTHER_HALF = 16 };

/*
 * A number that is computed of up to two values: element i is the sum of both, `plus` and i *
 * `step`. A value is one that the thread had at the beginning in bytes of the register file, or
 * that an instruction computes for all channels. 0: none; the smaller one first.
 */
struct gen_form {
    uint32_t symbol[SYMBOLS];
    int64_t plus, step;
};

struct gen_symbol {
    uint64_t made;       /* by the instruction at this address */
    unsigned from, size; /* bytes of the register file */
    bool given;          /* at the beginning; `made` means nothing */
};

/* Elements in the register file whose form is known. */
struct gen_entry {
    unsigned from, size, count;
    bool is_partial; /* some of the thread's channels may not have executed the instruction */
    struct gen_form form;
};

struct gen_state {
    bool reached;
    uint32_t written[GENP_FILE_BYTES / 4 / 32]; /* dwords that do not have their first value */
    unsigned count;
    struct gen_entry *entry;
};

struct genp_flow {
    struct genp_code code;   /* the function's */
    struct gen_state *begin; /* begin of each instruction that begins a block */
    struct gen_symbol *symbol;
    size_t symbols, symbol_capacity;
    bool no_memory;
    /* The question: */
    const struct wt_kept_address *asked;
    uint64_t bytes; /* the step of addresses that are looked for; 0: any */
};

/* ---- states ---- */

static bool overlaps(unsigned a, unsigned a_bytes, unsigned b, unsigned b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static unsigned bytes_of(const struct gen_entry *e)
{
    return e->size * e->count;
}

static bool same_form(const struct gen_form *a, const struct gen_form *b)
{
    return a->symbol[0] == b->symbol[0] && a->symbol[1] == b->symbol[1] && a->plus == b->plus &&
           a->step == b->step;
}

static bool is_first_value(const struct gen_state *s, unsigned from, unsigned size)
{
    for (unsigned d = from / 4; d <= (from + size - 1) / 4; d++)
        if (s->written[d / 32] >> (d % 32) & 1)
            return false;
    return true;
}

/* Nothing is known any longer of these bytes. */
static void forget(struct gen_state *s, unsigned from, unsigned bytes)
{
    unsigned kept = 0;
    while (kept < s->count &&
           !overlaps(s->entry[kept].from, bytes_of(&s->entry[kept]), from, bytes))
        kept++;
    for (unsigned i = kept + 1; i < s->count; i++)
        if (!overlaps(s->entry[i].from, bytes_of(&s->entry[i]), from, bytes))
            s->entry[kept++] = s->entry[i];
    s->count = kept;
    for (unsigned d = from / 4; d <= (from + bytes - 1) / 4 && d < GENP_FILE_BYTES / 4; d++)
        s->written[d / 32] |= UINT32_C(1) << (d % 32);
}

static void forget_symbol(struct gen_state *s, uint32_t symbol)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < s->count; i++)
        if (s->entry[i].form.symbol[0] != symbol && s->entry[i].form.symbol[1] != symbol)
            s->entry[kept++] = s->entry[i];
    s->count = kept;
}

/* A state that nothing is added to has room for its entries only. */
static bool copy_with_room(struct genp_flow *f, struct gen_state *to, const struct gen_state *from,
                           unsigned room)
{
    struct gen_entry *entry = to->entry ? to->entry : malloc((room + 1) * sizeof *entry);
    f->no_memory |= !entry;
    if (!entry)
        return false;
    if (from->count)
        memcpy(entry, from->entry, from->count * sizeof *entry);
    *to = *from;
    to->entry = entry;
    return true;
}

static bool copy_state(struct genp_flow *f, struct gen_state *to, const struct gen_state *from)
{
    return copy_with_room(f, to, from, MOST_ENTRIES);
}

/* Keeps what both states know; whether `s` has changed. */
static bool meet(struct genp_flow *f, struct gen_state *s, const struct gen_state *other)
{
    if (!s->reached)
        return copy_with_room(f, s, other, other->count);
    bool changed = false;
    unsigned kept = 0;
    for (unsigned i = 0; i < s->count; i++) {
        struct gen_entry *e = &s->entry[i];
        const struct gen_entry *found = NULL;
        for (unsigned k = 0; k < other->count && !found; k++)
            if (other->entry[k].from == e->from && other->entry[k].size == e->size &&
                other->entry[k].count == e->count && same_form(&other->entry[k].form, &e->form))
                found = &other->entry[k];
        if (!found) {
            changed = true;
            continue;
        }
        changed |= found->is_partial && !e->is_partial;
        e->is_partial |= found->is_partial;
        s->entry[kept++] = *e;
    }
    s->count = kept;
    for (unsigned i = 0; i < sizeof s->written / sizeof s->written[0]; i++) {
        changed |= (other->written[i] & ~s->written[i]) != 0;
        s->written[i] |= other->written[i];
    }
    return changed;
}

/* ---- values ---- */

static uint32_t find_symbol(struct genp_flow *f, const struct gen_symbol *wanted)
{
    for (size_t i = 0; i < f->symbols; i++) {
        const struct gen_symbol *s = &f->symbol[i];
        if (s->from == wanted->from && s->size == wanted->size && s->given == wanted->given &&
            s->made == wanted->made)
            return (uint32_t)i + 1;
    }
    struct gen_symbol *grown =
        f->symbols < MOST_SYMBOLS
            ? wt_array_grow(f->symbol, &f->symbol_capacity, f->symbols + 1, sizeof *f->symbol)
            : NULL;
    if (!grown)
        return 0;
    f->symbol = grown;
    grown[f->symbols++] = *wanted;
    return (uint32_t)f->symbols;
}

/* The form of elements that are known, perhaps of neighbouring entries. */
static bool find_elements(const struct gen_state *s, unsigned from, unsigned size, unsigned count,
                          struct gen_form *form, bool *is_partial)
{
    unsigned have = 0;
    *is_partial = false;
    while (have < count) {
        const unsigned at = from + have * size;
        const struct gen_entry *e = NULL;
        for (unsigned i = 0; i < s->count && !e; i++)
            if (s->entry[i].size == size && at >= s->entry[i].from &&
                at < s->entry[i].from + bytes_of(&s->entry[i]) &&
                (at - s->entry[i].from) % size == 0)
                e = &s->entry[i];
        if (!e)
            return false;
        const unsigned index = (at - e->from) / size;
        struct gen_form part = e->form;
        part.plus += part.step * index;
        *is_partial |= e->is_partial;
        if (have == 0) {
            *form = part;
            if (count == 1)
                form->step = 0;
            else if (e->count - index == 1)
                return false;
        } else {
            part.plus -= form->step * have;
            if (!same_form(&part, form))
                return false;
        }
        have += e->count - index;
    }
    return true;
}

static bool form_of(struct genp_flow *f, const struct gen_state *s, const struct genp_operand *o,
                    unsigned channels, struct gen_form *form, bool *is_partial)
{
    *form = (struct gen_form){.plus = o->value};
    *is_partial = false;
    if (!o->is_known)
        return false;
    if (o->is_packed) {
        const uint32_t packed = (uint32_t)o->value;
        for (unsigned i = 0; i < channels; i++)
            if (i >= 8 || (packed >> (4 * i) & 15) != i)
                return false;
        *form = (struct gen_form){.step = 1};
        return true;
    }
    if (o->is_immediate)
        return true;
    const unsigned count = o->is_scalar ? 1 : channels;
    if (find_elements(s, o->from, o->size, count, form, is_partial))
        return true;
    if (count > 1 || o->size < 4 || o->from + o->size > GENP_FILE_BYTES ||
        !is_first_value(s, o->from, o->size))
        return false;
    const uint32_t symbol =
        find_symbol(f, &(struct gen_symbol){.given = true, .from = o->from, .size = o->size});
    *form = (struct gen_form){.symbol = {0, symbol}};
    return symbol != 0;
}

static bool add_forms(const struct gen_form *a, const struct gen_form *b, struct gen_form *to)
{
    uint32_t symbol[2 * SYMBOLS];
    unsigned count = 0;
    for (unsigned i = 0; i < SYMBOLS; i++) {
        if (a->symbol[i])
            symbol[count++] = a->symbol[i];
        if (b->symbol[i])
            symbol[count++] = b->symbol[i];
    }
    if (count > SYMBOLS)
        return false;
    *to = (struct gen_form){.plus = a->plus + b->plus, .step = a->step + b->step};
    for (unsigned i = 0; i < count; i++)
        to->symbol[SYMBOLS - count + i] = symbol[i];
    if (count == 2 && to->symbol[0] > to->symbol[1]) {
        to->symbol[0] = symbol[1];
        to->symbol[1] = symbol[0];
    }
    return true;
}

static bool is_number(const struct gen_form *a)
{
    return !a->symbol[1] && !a->step;
}

/* The result of an instruction, if it is a sum as above. */
static bool result_of(struct genp_flow *f, const struct gen_state *s, const struct genp_effects *e,
                      struct gen_form *to, bool *is_partial)
{
    struct gen_form a, b = {0};
    bool other = false;
    if (!e->is_plain || !e->to.is_known || e->to.size < 2)
        return false;
    if (e->opcode != GENP_MOV && e->opcode != GENP_ADD && e->opcode != GENP_MUL &&
        e->opcode != GENP_SHL)
        return false;
    if (!form_of(f, s, &e->source[0], e->channels, &a, is_partial) ||
        (e->opcode != GENP_MOV && !form_of(f, s, &e->source[1], e->channels, &b, &other)))
        return false;
    *is_partial |= other;
    /* A part of a number is another number, except of a small one. */
    const bool small = !a.symbol[1] && !b.symbol[1];
    if (!small &&
        (e->source[0].size > e->to.size ||
         (e->opcode != GENP_MOV && !e->source[1].is_immediate && e->source[1].size > e->to.size)))
        return false;
    switch (e->opcode) {
    case GENP_MOV:
        *to = a;
        return true;
    case GENP_ADD:
        return add_forms(&a, &b, to);
    default:
        if (!is_number(&b) || a.symbol[1] || b.plus < 0 || (e->opcode == GENP_SHL && b.plus > 31))
            return false;
        const int64_t by = e->opcode == GENP_SHL ? (int64_t)1 << b.plus : b.plus;
        *to = (struct gen_form){.plus = a.plus * by, .step = a.step * by};
        return true;
    }
}

static void apply(struct genp_flow *f, struct gen_state *s, const struct genp_instruction *in)
{
    const struct genp_effects *e = &in->e;
    struct gen_form form;
    bool is_partial = false;
    if (e->is_call) { /* the convention of Intel's compiler: from r60 on a callee restores them */
        forget(s, 0, GENP_CALLER_SAVES * GENP_GRF);
        return;
    }
    if (e->writes_any) {
        s->count = 0;
        memset(s->written, 0xff, sizeof s->written);
        return;
    }
    if (!e->count)
        return;
    bool known = result_of(f, s, e, &form, &is_partial);
    forget(s, e->first, e->count);
    if (!known && e->channels == 1 && e->all_channels && e->is_plain && e->to.is_known &&
        e->to.size >= 4) {
        const uint32_t symbol = find_symbol(
            f, &(struct gen_symbol){.made = in->addr, .from = e->to.from, .size = e->to.size});
        forget_symbol(s, symbol);
        form = (struct gen_form){.symbol = {0, symbol}};
        known = symbol != 0;
    }
    if (known && s->count < MOST_ENTRIES)
        s->entry[s->count++] =
            (struct gen_entry){.from = e->first,
                               .size = e->to.size,
                               .count = e->channels,
                               .is_partial = is_partial || (in->is_partial && !e->all_channels),
                               .form = form};
}

/* The state before instruction `to` of a block. */
static bool run_block(struct genp_flow *f, size_t block, size_t to, struct gen_state *s)
{
    if (!copy_state(f, s, &f->begin[block]))
        return false;
    for (size_t i = block; i < to; i++)
        apply(f, s, &f->code.insn[i]);
    return true;
}

struct meeting {
    struct genp_flow *f;
    const struct gen_state *state;
};

static bool meet_block(size_t block, void *context)
{
    const struct meeting *m = context;
    return meet(m->f, &m->f->begin[block], m->state);
}

static bool follow(struct genp_flow *f)
{
    struct gen_state state = {0};
    f->begin = calloc(f->code.count, sizeof *f->begin);
    f->no_memory = !f->begin;
    if (f->begin)
        f->begin[0].reached = true;
    for (bool changed = true; changed && !f->no_memory;) {
        changed = false;
        for (size_t block = 0; block < f->code.count && !f->no_memory;
             block = genp_end_of_block(&f->code, block)) {
            const size_t end = genp_end_of_block(&f->code, block);
            if (f->begin[block].reached && run_block(f, block, end, &state))
                changed |= genp_go_on(&f->code, end - 1, meet_block, &(struct meeting){f, &state});
        }
    }
    free(state.entry);
    return !f->no_memory;
}

/* ---- the variable's own address ---- */

/* Whether a form is a variable's address: each channel has one of its own. */
static bool is_address(const struct genp_flow *f, const struct gen_form *form)
{
    return form->symbol[0] && form->step > 0 && (!f->bytes || (uint64_t)form->step == f->bytes);
}

/* Whether an instruction completes the address of a variable in the register. */
static bool defines(const struct genp_flow *f, const struct gen_state *after,
                    const struct genp_instruction *in, struct gen_form *form)
{
    bool is_partial;
    return in->e.count && !in->e.writes_any && in->e.channel == f->asked->first &&
           in->e.first == f->asked->from && in->e.to.size == 8 &&
           find_elements(after, f->asked->from, 8, in->e.channels, form, &is_partial) &&
           is_address(f, form);
}

/* Whether @p a is the address of what has @p b in one variable: each channel's own is `step` long.
 */
static bool is_before(const struct gen_form *a, const struct gen_form *b)
{
    return a->symbol[0] == b->symbol[0] && a->symbol[1] == b->symbol[1] && a->step == b->step &&
           a->plus < b->plus && b->plus - a->plus < b->step;
}

/* The only form that was found, or several. Of elements of one variable the first one's counts. */
struct only {
    bool any, several;
    struct gen_form form;
};

static void found(struct only *o, const struct gen_form *form)
{
    if (o->any && is_before(&o->form, form))
        return;
    o->several |= o->any && !same_form(&o->form, form) && !is_before(form, &o->form);
    o->any = true;
    o->form = *form;
}

/* Whether an instruction uses the register for the address of a variable. */
static bool uses(const struct genp_flow *f, const struct gen_state *before,
                 const struct genp_instruction *in, struct gen_form *form)
{
    const struct genp_effects *e = &in->e;
    bool is_source = e->is_message && e->payload == f->asked->from, is_partial;
    for (unsigned i = 0; i < 2; i++)
        is_source |= e->source[i].is_known && !e->source[i].is_immediate &&
                     e->source[i].size == 8 && e->source[i].from == f->asked->from;
    return is_source && e->channel == f->asked->first &&
           find_elements(before, f->asked->from, 8, f->code.lanes, form, &is_partial) &&
           is_address(f, form);
}

enum { MOST_OTHERS = 64 };

/* Forms of the addresses that the register has for this variable, or for others. */
struct forms {
    struct gen_form own[MOST_OTHERS]; /* written to by code of the variable's line */
    bool lasts[MOST_OTHERS]; /* … and used by code of another one: no temporary of the line */
    unsigned owns;
    struct only used; /* by any code, but for those that are other variables' */
    struct gen_form other[MOST_OTHERS];
    unsigned others;
};

/* Of elements of one variable the first one's counts. */
static void found_own(struct forms *forms, const struct gen_form *form)
{
    for (unsigned i = 0; i < forms->owns; i++) {
        if (is_before(form, &forms->own[i]))
            forms->own[i] = *form;
        if (same_form(form, &forms->own[i]) || is_before(&forms->own[i], form))
            return;
    }
    if (forms->owns < MOST_OTHERS)
        forms->own[forms->owns++] = *form;
}

/* Drops the forms that are also those of another variable's line: its stores are not this
 * variable's, though code of this line uses them. */
static void drop_others(struct forms *forms)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < forms->owns; i++) {
        bool other = false;
        for (unsigned k = 0; k < forms->others; k++)
            other |= same_form(&forms->own[i], &forms->other[k]);
        if (!other)
            forms->own[kept++] = forms->own[i];
    }
    forms->owns = kept;
}

/* Of more forms than the line has variables those that last. */
static void drop_temporaries(struct forms *forms, unsigned variables)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < forms->owns && forms->owns > variables; i++)
        if (forms->lasts[i])
            forms->own[kept++] = forms->own[i];
    forms->owns = kept ? kept : forms->owns;
}

static void count_use(struct genp_flow *f, const struct genp_instruction *in,
                      const struct gen_form *now, unsigned pass, struct forms *forms)
{
    const bool stores = in->e.is_message && !in->e.count && !in->e.writes_any;
    const enum wt_kept_line line = f->asked->line(f->asked->context, in->addr);
    if (pass == 0 && line == WT_KEPT_LINE_OF_IT && (stores || f->bytes))
        found_own(forms, now);
    for (unsigned i = 0; pass == 1 && line != WT_KEPT_LINE_OF_IT && i < forms->owns; i++)
        forms->lasts[i] |= same_form(&forms->own[i], now) || is_before(&forms->own[i], now);
    if (pass == 0 && line == WT_KEPT_LINE_OF_ANOTHER && stores && forms->others < MOST_OTHERS)
        forms->other[forms->others++] = *now;
    for (unsigned i = 0; i < forms->others; i++)
        if (same_form(&forms->other[i], now))
            return;
    if (pass == 1)
        found(&forms->used, now);
}

/*
 * The form of the address: that with which code of the variable's line writes to memory. Where no
 * code of that line does, it is the only one in the function but for those of other variables in
 * the same register. Either may be an element's whose address came into the register after the
 * variable's own. Of several forms those are looked at whose step is the variable's size.
 */
static bool find_address(struct genp_flow *f, uint64_t bytes, struct gen_form *form)
{
    f->bytes = bytes;
    struct gen_state state = {0};
    struct forms forms = {0};
    struct gen_form now;
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t block = 0; block < f->code.count; block = genp_end_of_block(&f->code, block)) {
            const size_t end = genp_end_of_block(&f->code, block);
            if (!f->begin[block].reached || !copy_state(f, &state, &f->begin[block]))
                continue;
            for (size_t i = block; i < end; apply(f, &state, &f->code.insn[i++]))
                if (uses(f, &state, &f->code.insn[i], &now))
                    count_use(f, &f->code.insn[i], &now, pass, &forms);
        }
    if (bytes)
        drop_others(&forms);
    /* A line that declares several variables in the register stores to them in their order. */
    const unsigned alike = f->asked->alike > 1 ? f->asked->alike : 1;
    drop_temporaries(&forms, alike);
    const bool is_found =
        forms.owns ? forms.owns == alike : forms.used.any && !forms.used.several && alike == 1;
    *form = forms.owns ? forms.own[is_found ? f->asked->index : 0] : forms.used.form;
    for (size_t block = 0, end; block < f->code.count; block = end) {
        end = genp_end_of_block(&f->code, block);
        if (!f->begin[block].reached || !copy_state(f, &state, &f->begin[block]))
            continue;
        for (size_t i = block; i < end; i++) {
            apply(f, &state, &f->code.insn[i]);
            if (defines(f, &state, &f->code.insn[i], &now) && is_before(&now, form))
                *form = now;
        }
    }
    free(state.entry);
    return is_found;
}

/*
 * The register of the other half of 32 channels, of which the debug information says nothing: the
 * one through which code of the variable's line stores for these channels.
 */
static bool find_half(struct genp_flow *f, struct wt_kept_address *asked, struct gen_form *form)
{
    struct gen_state state = {0};
    struct gen_form now;
    bool is_partial, any = false, several = false;
    form->plus += form->step * asked->first;
    for (size_t block = 0; block < f->code.count; block = genp_end_of_block(&f->code, block)) {
        const size_t end = genp_end_of_block(&f->code, block);
        if (!f->begin[block].reached || !copy_state(f, &state, &f->begin[block]))
            continue;
        for (size_t i = block; i < end; apply(f, &state, &f->code.insn[i++])) {
            const struct genp_effects *e = &f->code.insn[i].e;
            if (!e->is_message || e->count || e->writes_any || e->channel != asked->first ||
                asked->line(asked->context, f->code.insn[i].addr) != WT_KEPT_LINE_OF_IT ||
                !find_elements(&state, e->payload, 8, f->code.lanes, &now, &is_partial) ||
                !same_form(&now, form))
                continue;
            several |= any && asked->from != e->payload;
            any = true;
            asked->from = e->payload;
        }
    }
    free(state.entry);
    return any && !several;
}

struct gen_visit {
    bool *seen;
    bool more;
};

static bool visit_block(size_t block, void *context)
{
    struct gen_visit *v = context;
    const bool is_new = !v->seen[block];
    v->seen[block] = true;
    return is_new;
}

/* Whether a way leads from an instruction that computes the address to the asked one. */
static bool is_behind(struct genp_flow *f, const struct gen_form *form, size_t here)
{
    struct gen_state state = {0};
    struct gen_form found;
    bool behind = false;
    bool *seen = calloc(f->code.count, 1), *done = calloc(f->code.count, 1);
    struct gen_visit v = {.seen = seen};
    for (size_t block = 0; seen && done && block < f->code.count;
         block = genp_end_of_block(&f->code, block)) {
        const size_t end = genp_end_of_block(&f->code, block);
        bool is_computed = false;
        if (!f->begin[block].reached || !copy_state(f, &state, &f->begin[block]))
            continue;
        for (size_t i = block; i < end; i++) {
            behind |= is_computed && i == here;
            apply(f, &state, &f->code.insn[i]);
            is_computed |= defines(f, &state, &f->code.insn[i], &found) && same_form(form, &found);
        }
        if (is_computed)
            genp_go_on(&f->code, end - 1, visit_block, &v);
    }
    for (bool changed = true; changed && seen && done && !behind;) {
        changed = false;
        for (size_t block = 0; block < f->code.count; block = genp_end_of_block(&f->code, block))
            if (seen[block] && !done[block]) {
                done[block] = changed = true;
                genp_go_on(&f->code, genp_end_of_block(&f->code, block) - 1, visit_block, &v);
            }
    }
    behind |= seen && seen[genp_block_of(&f->code, here)];
    free(seen);
    free(done);
    free(state.entry);
    return behind;
}

/* ---- the address here ---- */

/* A register that has one of the values for all channels, and a constant. */
static const struct gen_entry *find_value(const struct gen_state *s, uint32_t symbol)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct gen_entry *e = &s->entry[i];
        if (e->size >= 4 && !e->is_partial && e->form.symbol[0] == 0 && e->form.symbol[1] == symbol)
            return e;
    }
    return NULL;
}

/* Registers that have the sum of both values, and a constant: for each lane, or one for all. */
static bool find_sum(const struct gen_state *s, const struct gen_form *form, unsigned lanes,
                     bool partial, struct wt_kept_answer *answer)
{
    for (unsigned i = 0; i < s->count; i++) {
        const struct gen_entry *e = &s->entry[i];
        struct gen_form now;
        bool is_partial;
        if (e->size != 8 || e->form.symbol[0] != form->symbol[0] ||
            e->form.symbol[1] != form->symbol[1])
            continue;
        const bool each = find_elements(s, e->from, 8, lanes, &now, &is_partial);
        if (!each && !find_elements(s, e->from, 8, 1, &now, &is_partial))
            continue;
        if (is_partial > partial)
            continue;
        *answer = (struct wt_kept_answer){.state = WT_KEPT_COMPUTED,
                                          .count = 1,
                                          .term = {{-1, e->from, 8, each ? 8 : 0}},
                                          .plus = form->plus - now.plus,
                                          .stride = form->step - now.step};
        return true;
    }
    return false;
}

static bool add_value(const struct genp_flow *f, const struct gen_state *s, uint32_t symbol,
                      struct wt_kept_answer *answer)
{
    const struct gen_symbol *value = &f->symbol[symbol - 1];
    struct wt_kept_term term = {.reg = -1, .from = value->from, .size = value->size};
    if (!value->given || !is_first_value(s, value->from, value->size)) {
        const struct gen_entry *e = find_value(s, symbol);
        if (!e)
            return false;
        term = (struct wt_kept_term){.reg = -1, .from = e->from, .size = e->size};
        answer->plus -= e->form.plus;
    }
    answer->term[answer->count++] = term;
    return true;
}

static bool compute(const struct genp_flow *f, const struct gen_state *s,
                    const struct gen_form *form, struct wt_kept_answer *answer)
{
    *answer = (struct wt_kept_answer){
        .state = WT_KEPT_COMPUTED, .plus = form->plus, .stride = form->step};
    if (add_value(f, s, form->symbol[0], answer) && add_value(f, s, form->symbol[1], answer))
        return true;
    return find_sum(s, form, f->code.lanes, false, answer) ||
           find_sum(s, form, f->code.lanes, true, answer);
}

static void answer_of(struct genp_flow *f, struct wt_kept_answer *answer)
{
    struct gen_form form = {0}, now;
    struct gen_state state = {0};
    struct wt_kept_address asked = *f->asked;
    bool is_partial = false;
    f->asked = &asked;
    if (asked.is_other_half)
        asked.first = 0;
    const size_t here = genp_find_instruction(&f->code, f->asked->pc);
    if (here == SIZE_MAX || !(find_address(f, 0, &form) || find_address(f, f->asked->bytes, &form)))
        return;
    f->bytes = 0;
    if (asked.is_other_half) {
        asked.first = OTHER_HALF;
        if (!find_half(f, &asked, &form))
            return;
    }
    const size_t block = genp_block_of(&f->code, here);
    if (!f->begin[block].reached || !run_block(f, block, here, &state)) {
        free(state.entry);
        return;
    }
    if (!is_behind(f, &form, here))
        answer->state = WT_KEPT_NOT_YET;
    else if (find_elements(&state, f->asked->from, 8, f->code.lanes, &now, &is_partial) &&
             same_form(&now, &form) && !is_partial)
        *answer = (struct wt_kept_answer){.state = asked.is_other_half ? WT_KEPT_COMPUTED
                                                                       : WT_KEPT_IN_PLACE,
                                          .count = 1,
                                          .term = {{-1, asked.from, 8, 8}}};
    else if (!compute(f, &state, &form, answer))
        *answer = (struct wt_kept_answer){.state = WT_KEPT_GONE};
    free(state.entry);
}

static void free_states(struct genp_flow *f)
{
    for (size_t i = 0; f->begin && i < f->code.count; i++)
        free(f->begin[i].entry);
    free(f->begin);
    free(f->symbol);
    free(f);
}

/* The states of a function's blocks, which are the same for all questions. NULL: no host memory. */
static struct genp_flow *states_of(struct genp_function *function)
{
    struct genp_flow *f = function->states;
    if (!f && (f = calloc(1, sizeof *f))) {
        f->code = function->code;
        function->states = f;
        function->free_states = free_states;
        follow(f);
    }
    if (!f || !f->no_memory)
        return f;
    if (f)
        free_states(f);
    return function->states = NULL;
}

enum wt_status genp_find_kept(struct wt_probe *p, const struct wt_kept_address *asked,
                              struct wt_kept_answer *answer, struct wt_error *err)
{
    struct genp_functions *functions = &p->functions;
    *answer = (struct wt_kept_answer){.state = WT_KEPT_IN_PLACE};
    if (asked->reg >= 0)
        return WT_OK;
    if (asked->is_base)
        return genp_find_base(functions, asked, answer, err);
    if (asked->size)
        return genp_find_value(functions, asked, answer, err);
    struct genp_function *function = genp_read_function(functions, asked);
    struct genp_flow *f = function ? states_of(function) : NULL;
    answer->state = WT_KEPT_GONE;
    if (f) {
        f->asked = asked;
        f->bytes = 0;
        answer_of(f, answer);
    }
    if (!function || (f && !f->no_memory))
        return WT_OK;
    if (f)
        f->no_memory = false;
    return wt_fail(err, WT_NO_MEMORY, "no host memory to follow a function");
}
