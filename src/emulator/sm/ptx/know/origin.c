/*
 * Where addresses of PTX come from, for judges: what records do with them (machine/origin.h). The
 * registers are the rows of a frame, of which the first one of a register of 64 bits has its value,
 * and behind them the variables that the function names, which nobody writes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "emulator/machine/meaning.h"
#include "emulator/machine/origin.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/image.h"
#include "emulator/sm/ptx/know/meaning.h"

/* A function that is looked at. */
struct ptx_code {
    const struct sm_ptx *image;
    const struct ptx_function_info *function;
    uint32_t *variable; /* the register of each variable of the image, or 0 */
    uint32_t *number;   /* each register behind the rows: index of its variable, plus 1 */
    size_t room;
    uint32_t count;
    uint64_t *target; /* the places of a branch to one of several */
    size_t targets;
    wt_origin_value unwritten; /* the value of each register at the begin */
};

/* ---- values ---- */

static void begin(void *context, struct wt_flow *f, wt_origin_value *reg)
{
    struct ptx_code *c = context;
    const uint32_t rows = c->function->rows;
    c->unwritten = wt_flow_unknown(f);
    for (uint32_t r = 0; r < rows; r++)
        reg[r] = c->unwritten;
    for (uint32_t i = 0; i < c->count; i++)
        reg[rows + i] = wt_flow_base(f, (uint16_t)(rows + i));
}

/* The value of a source (NULL: it is none of the record's), whose operand is `x`; NULL: an address
 * of 64 bits. */
static wt_origin_value value_of(const struct ptx_code *c, struct wt_flow *f,
                                const wt_origin_value *reg, const struct ptx_source *s,
                                const struct wt_insn_operand *x)
{
    if (s && s->variable)
        return reg[c->variable[s->variable]];
    if (x && x->kind == WT_OPERAND_CONSTANT)
        return wt_flow_constant(f, x->value);
    if (!x && s->constant)
        return wt_flow_constant(f, (int64_t)ptx_get(s->constant, 8, 0));
    if (x && (x->kind != WT_OPERAND_ROW || x->file != SM_FILE_R))
        return wt_flow_index(f);
    const uint32_t row = (x ? x->number : s->slot) / PTX_ROW_BYTES;
    const wt_origin_value v = row < c->function->rows ? reg[row] : wt_flow_unknown(f);
    return x && (x->first || x->bits < 32 || x->crosses) ? wt_flow_mixed(f, v, v) : v;
}

/* Values that a record writes to registers. */
static wt_origin_value result_of(const struct ptx_code *c, struct wt_flow *f,
                                 const struct ptx_op *o, const wt_origin_value *reg,
                                 const struct wt_insn_operands *all)
{
    wt_origin_value leaf[WT_M_LEAVES], mixed = wt_flow_index(f);
    if (o->run == ptx_op_address)
        return o->s[0].variable ? value_of(c, f, reg, &o->s[0], NULL) : wt_flow_unknown(f);
    for (unsigned i = 0; i < WT_M_LEAVES; i++)
        leaf[i] = wt_flow_index(f);
    for (unsigned i = 0; i < all->count; i++) {
        const struct wt_insn_operand *x = &all->list[i];
        const bool is_source = x->leaf >= WT_M_A && x->leaf < WT_M_A + 4;
        if (x->kind == WT_OPERAND_MEMORY && x->reads)
            return wt_flow_number(f);
        if (!x->reads)
            continue;
        const wt_origin_value v =
            value_of(c, f, reg, is_source ? &o->s[x->leaf - WT_M_A] : NULL, x);
        leaf[x->leaf] = v;
        mixed = wt_flow_picked(f, mixed, v);
    }
    const uint8_t *code = all->operation == WT_DOES_MEANT
                              ? wt_meaning_result(wt_operands_meaning(all), WT_RESULT_D)
                              : NULL;
    if (o->run == ptx_op_load_argument)
        return wt_flow_number(f);
    return !code || all->packed || all->mixes ? mixed : wt_flow_meaning(f, &code, leaf);
}

static void write(const struct ptx_code *c, struct wt_flow *f, wt_origin_value *reg,
                  const struct wt_insn_operand *x, bool guarded, wt_origin_value v)
{
    const uint32_t row = x->number / PTX_ROW_BYTES,
                   bytes = x->kind == WT_OPERAND_ROW
                               ? (x->first + x->bits + 31u) / 32 * PTX_ROW_BYTES
                               : x->bits / 8u,
                   count = (bytes + PTX_ROW_BYTES - 1) / PTX_ROW_BYTES;
    const bool part = x->kind == WT_OPERAND_ROW && (x->first || x->bits < 32);
    for (uint32_t i = row; i < row + count && i < c->function->rows; i++) {
        const wt_origin_value now = i == row ? v : wt_flow_number(f), was = reg[i];
        reg[i] = was == c->unwritten ? now
                 : part              ? wt_flow_picked(f, was, now)
                 : guarded           ? wt_flow_choice(f, was, now)
                                     : now;
    }
}

/* ---- ways ---- */

static bool is_branch(const struct ptx_op *o)
{
    return o->run == ptx_op_bra;
}

/* Whether it goes to one of several places. */
static bool is_table(const struct ptx_op *o)
{
    return o->run == ptx_op_brx;
}

static bool leaves(const struct ptx_op *o)
{
    return is_branch(o) || is_table(o) || o->run == ptx_op_ret || o->run == ptx_op_exit ||
           o->run == ptx_op_trap;
}

/* Records of a function that a way has come to, and those whose next ones are to be looked at. */
struct ptx_ways {
    const struct ptx_function_info *f;
    bool *seen;
    uint32_t *open, opened;
};

static void come_to(struct ptx_ways *w, uint32_t next)
{
    if (next < w->f->entry || next >= w->f->end || w->seen[next - w->f->entry])
        return;
    w->seen[next - w->f->entry] = true;
    w->open[w->opened++] = next;
}

bool ptx_leads_to(const struct sm_ptx *image, uint32_t from, uint32_t to)
{
    const struct ptx_function_info *f = image->function, *last = f + image->function_count;
    while (f < last && (from < f->entry || from >= f->end))
        f++;
    if (f == last || to < f->entry || to >= f->end)
        return true;
    const uint32_t count = f->end - f->entry;
    struct ptx_ways w = {.f = f,
                         .seen = calloc(count, sizeof *w.seen),
                         .open = malloc((count + 1) * sizeof *w.open)};
    bool comes = !w.seen || !w.open;
    if (!comes)
        w.open[w.opened++] = from;
    while (!comes && w.opened) {
        const uint32_t at = w.open[--w.opened];
        const struct ptx_op *o = &image->op[at];
        const uint32_t *target = is_table(o) ? &image->target[o->index] : NULL;
        uint32_t next;
        if (!leaves(o) || o->guard != PTX_NO_SLOT)
            come_to(&w, at + 1);
        if (is_branch(o) && ptx_index(image, ptx_pc(image, at) + (uint64_t)o->offset, &next))
            come_to(&w, next);
        for (uint32_t i = 0; target && i < target[0]; i++)
            come_to(&w, target[1 + i]);
        comes = w.seen[to - f->entry];
    }
    free(w.seen);
    free(w.open);
    return comes;
}

/* ---- records ---- */

static bool is_access(const struct ptx_op *o)
{
    return o->run == ptx_op_load || o->run == ptx_op_store || o->run == ptx_op_atomic;
}

/* The ways of a brx. */
static void take_targets(struct ptx_code *c, const struct ptx_op *o, struct wt_flow_step *step)
{
    const uint32_t *target = &c->image->target[o->index];
    uint64_t *grown = wt_array_grow(c->target, &c->targets, target[0], sizeof *grown);
    step->loses = !grown;
    if (!grown)
        return;
    c->target = grown;
    for (uint32_t i = 0; i < target[0]; i++)
        grown[i] = ptx_pc(c->image, target[1 + i]);
    step->more = grown;
    step->more_count = target[0];
}

static bool step(void *context, struct wt_flow *f, uint64_t pc, wt_origin_value *reg,
                 struct wt_flow_step *step)
{
    struct ptx_code *c = context;
    struct wt_insn_operands all;
    uint32_t index;
    if (!ptx_index(c->image, pc, &index) || !ptx_operands(NULL, c->image, index, &all))
        return false;
    const struct ptx_op *o = &c->image->op[index];
    const bool guarded = o->guard != PTX_NO_SLOT;
    step->bytes = (unsigned)(ptx_pc(c->image, index + 1) - pc);
    step->falls = (!leaves(o) || guarded) && index + 1 < c->function->end;
    step->branches = is_branch(o);
    step->target = pc + (uint64_t)o->offset;
    if (is_table(o))
        take_targets(c, o, step);
    if (is_access(o)) {
        step->accesses = 1;
        step->address[0] = value_of(c, f, reg, &o->s[0], NULL);
    }
    const wt_origin_value v = result_of(c, f, o, reg, &all);
    for (unsigned i = 0; i < all.count; i++)
        if (all.list[i].writes && all.list[i].file == SM_FILE_R &&
            all.list[i].kind != WT_OPERAND_MEMORY)
            write(c, f, reg, &all.list[i], guarded, v);
    return true;
}

/* ---- accesses ---- */

#define SEVERAL UINT32_MAX

/* The expression of its result. */
static const uint8_t *expression_of(const struct ptx_meaning *m)
{
    static const uint8_t none[] = {WT_M_END};
    const uint8_t *code = wt_meaning_result(m->code, WT_RESULT_D);
    return code ? code : none;
}

/* Whether a record makes a number that is no address: one that counts elements. */
static bool is_scaled(const struct ptx_op *o)
{
    static const uint8_t scaled[] = {WT_M_SHL, WT_M_SHL_OUT, WT_M_MUL, WT_M_SEXT, WT_M_ZEXT};
    struct ptx_meaning m;
    return ptx_meaning_of(o, &m) && memchr(scaled, *expression_of(&m), sizeof scaled);
}

/* Notes, for each register of a function, the record that makes it (its index plus 1), or that
 * several do. */
static void note_makers(const struct sm_ptx *image, const struct ptx_function_info *f,
                        uint32_t *maker)
{
    memset(maker, 0, f->rows * sizeof *maker);
    for (uint32_t i = f->entry; i < f->end; i++) {
        const uint32_t row = image->op[i].d / PTX_ROW_BYTES;
        if (row < f->rows)
            maker[row] = maker[row] ? SEVERAL : i + 1;
    }
}

/* The record that makes a register; NULL: none, or several do. */
static const struct ptx_op *maker_of(const struct sm_ptx *image, const struct ptx_function_info *f,
                                     const uint32_t *maker, uint32_t slot)
{
    const uint32_t row = slot / PTX_ROW_BYTES, by = row < f->rows ? maker[row] : 0;
    return by && by != SEVERAL ? &image->op[by - 1] : NULL;
}

static bool is_of_register(const struct ptx_op *o)
{
    return is_access(o) && !o->s[0].constant && !o->s[0].variable &&
           (o->space == PTX_SPACE_NONE || o->space == PTX_SPACE_LOCAL);
}

/* Finds out which accesses of a function count elements, and from which address (ptx_op.array);
 * @p maker has room for the function's registers. */
static void find_arrays(struct sm_ptx *image, const struct ptx_function_info *f, uint32_t *maker)
{
    static const uint8_t sum[] = {WT_M_ADD, WT_M_A, WT_M_B};
    struct ptx_meaning m;
    note_makers(image, f, maker);
    for (uint32_t i = f->entry; i < f->end; i++) {
        struct ptx_op *o = &image->op[i];
        const struct ptx_op *add =
            is_of_register(o) ? maker_of(image, f, maker, o->s[0].slot) : NULL;
        if (!add || !ptx_meaning_of(add, &m) ||
            !wt_meaning_begins(expression_of(&m), sum, sizeof sum) || add->s[0].constant ||
            add->s[1].constant)
            continue;
        const struct ptx_op *made[] = {maker_of(image, f, maker, add->s[0].slot),
                                       maker_of(image, f, maker, add->s[1].slot)};
        for (unsigned k = 0; k < 2; k++)
            if (made[!k] && is_scaled(made[!k]) && !(made[k] && is_scaled(made[k])))
                o->array = add->s[k].slot + 1;
    }
}

/* ---- the image ---- */

/* Gives the variables that a function names registers. */
static bool list_variables(struct ptx_code *c)
{
    const struct sm_ptx *image = c->image;
    memset(c->variable, 0, (image->origin_count + 1) * sizeof *c->variable);
    c->count = 0;
    for (uint32_t i = c->function->entry; i < c->function->end; i++)
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t n = image->op[i].s[k].variable;
            if (!n || c->variable[n])
                continue;
            uint32_t *grown = wt_array_grow(c->number, &c->room, c->count + 1, sizeof *grown);
            if (!grown)
                return false;
            c->number = grown;
            c->number[c->count] = n;
            c->variable[n] = c->function->rows + c->count++;
        }
    return c->count && c->function->rows + c->count < WT_ORIGIN_NO_BASE;
}

static void look_at(struct sm_ptx *image, struct ptx_code *c)
{
    const struct ptx_function_info *info = c->function;
    const struct wt_flow_family family = {info->rows + c->count, WT_ORIGIN_NO_BASE, begin, step};
    size_t count;
    struct wt_origin *found = wt_origins_find(&family, c, ptx_pc(image, info->entry),
                                              ptx_pc(image, info->end - 1) + 8, &count);
    uint32_t index;
    for (size_t i = 0; i < count; i++)
        if (found[i].known && found[i].base != WT_ORIGIN_NO_BASE &&
            ptx_index(image, found[i].pc, &index))
            image->op[index].origin = &image->origin[c->number[found[i].base - info->rows] - 1];
    free(found);
}

void sm_ptx_find_origins(struct sm_ptx *image, const struct sm_ptx_module *modules, size_t count)
{
    struct ptx_code c = {.image = image,
                         .variable = calloc(image->origin_count + 1, sizeof *c.variable)};
    for (size_t i = 0; i < image->origin_count; i++) {
        struct ptx_origin *o = &image->origin[i];
        char symbol[400], text[400];
        snprintf(symbol, sizeof symbol, "%.*s", (int)o->name.length, o->name.at);
        wt_demangle_variable(symbol, text, sizeof text);
        if (!o->variable.name) /* all of a function's has the compiler's name */
            o->variable.name = strdup(strncmp(text, "__local_depot", 13) == 0 ? "" : text);
        if (!o->variable.name)
            o->variable.name = strdup("");
    }
    uint32_t rows = 0, *maker = NULL;
    bool described = false;
    for (size_t i = 0; i < count; i++)
        described |= ptx_describes_variables(modules[i].text);
    for (size_t i = 0; i < image->function_count; i++)
        rows = image->function[i].rows > rows ? image->function[i].rows : rows;
    if (described)
        maker = malloc(rows * sizeof *maker);
    for (size_t i = 0; c.variable && i < image->function_count; i++) {
        c.function = &image->function[i];
        if (maker)
            find_arrays(image, c.function, maker);
        if (c.function->end > c.function->entry && list_variables(&c))
            look_at(image, &c);
    }
    free(maker);
    free(c.variable);
    free(c.number);
    free(c.target);
}
