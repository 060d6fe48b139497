/* Lowers control flow and calls of PTX. */
#include "emulator/sm/ptx/lower/body.h"

#include <stdlib.h>

#include "base/array.h"

/* ---- control flow ---- */

static bool label_index(struct body *b, struct ptx_name name, uint32_t *index)
{
    const uint32_t bucket = body_hash(name);
    for (uint32_t i = b->label_bucket[bucket]; i != NONE; i = b->label[i].next)
        if (ptx_names_equal(b->label[i].name, name)) {
            *index = i;
            return true;
        }
    struct label *grown =
        wt_array_grow(b->label, &b->label_room, b->label_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    b->label = grown;
    *index = (uint32_t)b->label_count;
    b->label[b->label_count++] = (struct label){
        .name = name, .record = NONE, .next = b->label_bucket[bucket], .place = b->s->place};
    b->label_bucket[bucket] = *index;
    return true;
}

/* Behind a record of its own, at which a path that comes from above meets the others. */
bool body_define_label(struct body *b)
{
    uint32_t index = 0;
    if (!label_index(b, b->s->name, &index))
        return false;
    if (b->label[index].record != NONE)
        return body_fail(b, "the label '%.*s' is defined twice", (int)b->s->name.length,
                         b->s->name.at);
    struct ptx_op *o = body_emit(b, ptx_op_join);
    if (!o)
        return false;
    o->text = b->s->name;
    b->label[index].record = (uint32_t)b->image->op_count;
    return true;
}

bool ptx_lower_branch(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *target = body_operand(b, 0);
    uint32_t index = 0;
    if (target->kind != PTX_OPERAND_NAME || !label_index(b, target->name, &index))
        return body_fail(b, "a branch without a label");
    struct ptx_op *o = body_emit_guarded(b, ptx_op_bra);
    if (!o)
        return false;
    o->index = index;
    return true;
}

static bool add_target(struct body *b, uint32_t value)
{
    struct sm_ptx *image = b->image;
    uint32_t *grown =
        wt_array_grow(image->target, &image->target_room, image->target_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->target = grown;
    grown[image->target_count++] = value;
    return true;
}

/* name: .branchtargets a, b; until the body ends they are numbers of labels. */
bool body_define_targets(struct body *b)
{
    struct ptx_entry e = {
        .name = b->s->name, .kind = ENTRY_TARGETS, .number = b->image->target_count};
    if (!add_target(b, b->s->operand_count))
        return false;
    for (uint32_t i = 0; i < b->s->operand_count; i++) {
        const struct ptx_operand *o = body_operand(b, i);
        uint32_t index = 0;
        /* .calltargets names functions: the call looks for itself. */
        const bool function =
            o->kind == PTX_OPERAND_NAME && ptx_find_symbol(b->l, b->module, o->name) != NULL;
        if (o->kind != PTX_OPERAND_NAME || (!function && !label_index(b, o->name, &index)))
            return body_fail(b, "a target that is not a label");
        if (!add_target(b, function ? NONE : index))
            return false;
    }
    return body_add_entry(b, e);
}

bool ptx_lower_table(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *targets = body_operand(b, 1);
    uint32_t number;
    const struct ptx_entry *e =
        targets->kind == PTX_OPERAND_NAME ? body_find(b, targets->name, &number) : NULL;
    struct ptx_op record = body_blank();
    if (!ptx_has(&b->form, PTX_WORD_idx))
        return body_unsupported(b);
    if (!e || e->kind != ENTRY_TARGETS)
        return body_fail(b, "brx.idx without .branchtargets");
    record.index = (uint32_t)e->number;
    return body_source(b, body_operand(b, 0), PTX_U32, &record.s[0]) &&
           body_put_record(b, ptx_op_brx, &record);
}

void body_register_elements(const struct ptx_variable *v, struct ptx_op *record)
{
    record->count = v->vector;
    record->size = record->how = (uint8_t)body_register_bytes(v);
    for (unsigned i = 1; i < v->vector; i++)
        record->vector[i] = record->vector[0] + i * (record->size / 4u) * PTX_ROW_BYTES;
}

/* Results that are registers go to their rows before the function returns. */
bool ptx_lower_ret(struct body *b, enum ptx_math op)
{
    uint32_t row = PTX_PARAMETER_ROW;
    for (uint32_t i = 0; !b->f->is_entry && i < b->f->result_count; i++) {
        const struct ptx_variable *v = &b->text->variable[b->f->result + i];
        if (v->space == PTX_SPACE_REG) {
            const struct ptx_operand name = {.kind = PTX_OPERAND_NAME, .name = v->name};
            struct ptx_op record = body_blank();
            const struct ptx_entry *e;
            if (!body_register_operand(b, &name, &e, &record.vector[0]))
                return false;
            body_register_elements(v, &record);
            record.s[0].slot = row * PTX_ROW_BYTES;
            if (!body_put_record(b, ptx_op_store_parameter, &record))
                return false;
        }
        row += ptx_dwords(v);
    }
    return body_emit_guarded(b, b->f->is_entry ? ptx_op_exit : ptx_op_ret) != NULL;
}

bool ptx_lower_exit(struct body *b, enum ptx_math op)
{
    return body_emit_guarded(b, ptx_op_exit) != NULL;
}

bool ptx_lower_trap(struct body *b, enum ptx_math op)
{
    struct ptx_op *o = body_emit_guarded(b, ptx_op_trap);
    if (o)
        o->flag = op == PTX_OP_add; /* brkpt */
    return o != NULL;
}

/* ---- calls ---- */

struct call_parts {
    const struct ptx_operand *results, *arguments, *target, *prototype;
};

static bool split_call(struct body *b, struct call_parts *p)
{
    *p = (struct call_parts){0};
    for (unsigned i = 0; i < body_operand_count(b); i++) {
        const struct ptx_operand *o = body_operand(b, i);
        if (o->kind == PTX_OPERAND_GROUP && !p->target && !p->results)
            p->results = o;
        else if (o->kind == PTX_OPERAND_GROUP && p->target && !p->arguments)
            p->arguments = o;
        else if (o->kind == PTX_OPERAND_NAME && !p->target)
            p->target = o;
        else if (o->kind == PTX_OPERAND_NAME && !p->prototype)
            p->prototype = o;
        else
            return body_fail(
                b, "a call of another form than (results), function, (arguments), prototype");
    }
    return p->target || body_fail(b, "a call of nothing");
}

static bool add_result(struct body *b, struct ptx_call *c, size_t *room, uint32_t slot)
{
    uint32_t *grown = wt_array_grow(c->result, room, c->result_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    c->result = grown;
    grown[c->result_count++] = slot;
    return true;
}

/* Registers of 64 bits get their results by way of rows. */
enum { MOST_LATE = 16 };
struct late_move {
    uint32_t rows, slot;
};

static bool call_results(struct body *b, const struct ptx_operand *list, struct ptx_call *c,
                         struct late_move *late, size_t *late_count)
{
    size_t room = 0;
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct ptx_operand *o = body_item(b, list, i);
        uint32_t number, slot;
        const struct ptx_entry *e =
            o->kind == PTX_OPERAND_NAME ? body_find(b, o->name, &number) : NULL;
        if (e && e->kind == ENTRY_ROWS) {
            for (uint32_t k = 0; k < ptx_dwords(e->variable); k++)
                if (!add_result(b, c, &room, body_parameter_slot(e, number) + k * PTX_ROW_BYTES))
                    return false;
        } else if (e && e->kind == ENTRY_REGISTER) {
            const unsigned elements = o->component.length ? 1 : e->variable->vector,
                           dwords = body_register_bytes(e->variable) / 4;
            if (o->offset || !body_register_operand(b, o, &e, &slot))
                return body_fail_at(b, o, "a result with an offset");
            for (unsigned n = 0; n < elements; n++, slot += dwords * PTX_ROW_BYTES) {
                if (dwords == 1) {
                    if (!add_result(b, c, &room, slot))
                        return false;
                    continue;
                }
                if (*late_count == MOST_LATE)
                    return body_fail(b, "more than %d results of 64 bits", MOST_LATE);
                late[*late_count].rows = body_take_rows(b, 2);
                late[*late_count].slot = slot;
                for (unsigned k = 0; k < 2; k++)
                    if (!add_result(b, c, &room, late[*late_count].rows + k * PTX_ROW_BYTES))
                        return false;
                ++*late_count;
            }
        } else {
            return body_fail(b, "a result that is not a parameter");
        }
    }
    return true;
}

/* Types of an argument that is a number or an address: those of the declaration. */
static enum ptx_type declared_type(struct body *b, const struct call_parts *p, uint32_t n)
{
    const struct ptx_function *f = NULL;
    const struct ptx_module *text = b->text;
    const struct ptx_symbol *s = ptx_find_symbol(b->l, b->module, p->target->name);
    if (s && s->function) {
        f = s->function;
        text = b->l->module[s->module].text;
    } else if (p->prototype) {
        uint32_t number;
        const struct ptx_entry *e = body_find(b, p->prototype->name, &number);
        if (e && e->kind == ENTRY_PROTOTYPE)
            f = &b->text->function[e->number];
    }
    return f && n < f->parameter_count ? text->variable[f->parameter + n].type : PTX_NO_TYPE;
}

static bool call_arguments(struct body *b, const struct call_parts *p, struct ptx_call *c)
{
    const uint32_t count = p->arguments ? p->arguments->count : 0;
    uint32_t row = PTX_PARAMETER_ROW + c->result_count;
    c->argument = calloc(count * 4 + 1, sizeof *c->argument);
    if (!c->argument)
        return ptx_out_of_memory(b->l);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = body_item(b, p->arguments, i);
        uint32_t number;
        const struct ptx_entry *e =
            o->kind == PTX_OPERAND_NAME ? body_find(b, o->name, &number) : NULL;
        if (e && e->kind == ENTRY_ROWS) {
            if (o->offset || o->indexed)
                return body_fail_at(b, o, "a parameter with an offset");
            c->argument[c->argument_count++] =
                (struct ptx_move){.from.slot = body_parameter_slot(e, number),
                                  .to = row * PTX_ROW_BYTES,
                                  .dwords = ptx_dwords(e->variable)};
            row += ptx_dwords(e->variable);
            continue;
        }
        const enum ptx_type t =
            e && e->kind == ENTRY_REGISTER ? e->variable->type : declared_type(b, p, i);
        if (t == PTX_NO_TYPE || t == PTX_PRED)
            return body_fail(b, "an argument whose type is not known");
        const unsigned elements = body_elements_of(b, o);
        if (elements > 4 || (elements && o->offset))
            return body_fail_at(b, o, "an argument that is not a vector");
        for (unsigned n = 0; n < (elements ? elements : 1); n++) {
            struct ptx_move *m = &c->argument[c->argument_count++];
            const struct ptx_operand one = elements ? body_element_of(b, o, n) : *o;
            *m = (struct ptx_move){.to = row * PTX_ROW_BYTES,
                                   .dwords = ptx_type_class(t) / 4,
                                   .wide = ptx_type_class(t) == 8};
            if (!body_source(b, &one, t, &m->from))
                return false;
            row += m->dwords;
        }
    }
    c->rows = row - PTX_PARAMETER_ROW;
    return true;
}

/* The body of a function without one, for calls by its address: it hands its own parameters to the
 * driver's function of its name. */
bool body_lower_builtin(struct body *b)
{
    struct sm_ptx *image = b->image;
    struct ptx_call c = {.result_slot = PTX_PARAMETER_ROW * PTX_ROW_BYTES};
    struct ptx_op record = body_blank();
    uint32_t row = PTX_PARAMETER_ROW;
    size_t room = 0;
    bool good = true;
    struct ptx_call *grown =
        wt_array_grow(image->call, &image->call_room, image->call_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->call = grown;
    for (uint32_t i = 0; i < b->f->result_count; i++)
        for (uint32_t k = ptx_dwords(&b->text->variable[b->f->result + i]); good && k; k--)
            good = add_result(b, &c, &room, row++ * PTX_ROW_BYTES);
    c.argument = calloc(b->f->parameter_count + 1, sizeof *c.argument);
    if (!good || !c.argument) {
        free(c.result);
        free(c.argument);
        return ptx_out_of_memory(b->l);
    }
    for (uint32_t i = 0; i < b->f->parameter_count; i++) {
        const uint32_t dwords = ptx_dwords(&b->text->variable[b->f->parameter + i]);
        c.argument[c.argument_count++] =
            (struct ptx_move){.from.slot = row * PTX_ROW_BYTES, .dwords = dwords};
        row += dwords;
    }
    record.index = (uint32_t)image->call_count;
    record.offset = b->info;
    image->call[image->call_count++] = c;
    return body_put_record(b, ptx_op_builtin, &record);
}

bool ptx_lower_call(struct body *b, enum ptx_math op)
{
    struct call_parts p;
    struct ptx_call c = {.result_slot = PTX_PARAMETER_ROW * PTX_ROW_BYTES};
    struct late_move late[MOST_LATE];
    size_t late_count = 0;
    uint32_t number;
    struct sm_ptx *image = b->image;
    if (!split_call(b, &p))
        return false;
    struct ptx_call *grown =
        wt_array_grow(image->call, &image->call_room, image->call_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->call = grown;
    if (!call_results(b, p.results, &c, late, &late_count) || !call_arguments(b, &p, &c)) {
        free(c.result);
        free(c.argument);
        return false;
    }
    const uint32_t index = (uint32_t)image->call_count;
    image->call[image->call_count++] = c;
    const struct ptx_entry *e = body_find(b, p.target->name, &number);
    struct ptx_op record = body_blank();
    record.index = index;
    if (e && e->kind == ENTRY_REGISTER) {
        if (!body_source(b, p.target, PTX_U64, &record.s[0]) ||
            !body_put_record(b, ptx_op_call_register, &record))
            return false;
    } else {
        const struct ptx_symbol *s = ptx_find_symbol(b->l, b->module, p.target->name);
        if (!s || !s->function || s->function->is_entry)
            return body_fail(b, "'%.*s' is not a function", (int)p.target->name.length,
                             p.target->name.at);
        if (s->function->has_body && image->function[s->info].parameter_rows != c.rows)
            return body_fail(b, "a call of '%.*s' with other parameters than it has",
                             (int)p.target->name.length, p.target->name.at);
        if (!ptx_check_defined(b->l, b->module, p.target->place, s))
            return false;
        record.offset = s->info;
        const bool builtin = image->function[s->info].builtin != PTX_NO_BUILTIN;
        if (!body_put_record(b, builtin ? ptx_op_builtin : ptx_op_call, &record))
            return false;
    }
    for (size_t i = 0; i < late_count; i++) {
        struct ptx_op take = body_blank();
        take.s[0].slot = late[i].rows;
        take.vector[0] = late[i].slot;
        take.count = 1;
        take.size = take.how = 8;
        if (!body_put_record(b, ptx_op_load_argument, &take))
            return false;
    }
    return true;
}
