/*
 * Lowers the bodies of PTX functions to records. Each instruction becomes one record or a few: what
 * an operand needs (a special register, the address of a local variable) comes before it. The row
 * of ptx.def says which function lowers it; those are in the other ptx_lower_*.c.
 */
#include "emulator/sm/ptx/lower/body.h"

#include <stdlib.h>
#include <string.h>

#include "object/cubin.h"

static const struct {
    const char *name;
    bool (*lower)(struct body *b, enum ptx_math op);
    enum ptx_math op;
    uint32_t fields;
} table_rows[] = {
#define P(name, lowering, operation, operands, fields)                                             \
    {#name, ptx_lower_##lowering, PTX_OP_##operation, fields},
#include "emulator/sm/ptx/ptx.def"
#undef P
};

/* Instructions of PTX that are not in ptx.def. */
static const struct {
    const char *word, *why;
} refused[] = {
#define R(word, why) {#word, why},
#include "emulator/sm/ptx/lower/refused.def"
#undef R
};

/* Why an instruction of PTX is not in ptx.def; NULL: PTX has none that begins so. */
static const char *why_refused(struct ptx_name opcode)
{
    const char *dot = memchr(opcode.at, '.', opcode.length);
    const struct ptx_name first = {opcode.at, dot ? (uint32_t)(dot - opcode.at) : opcode.length};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (ptx_name_is(first, refused[i].word))
            return refused[i].why;
    return NULL;
}

/* The words of the statement's opcode. False: *bad is one that the instruction does not have. */
static bool find_form(struct body *b, struct ptx_name *bad)
{
    const struct ptx_name opcode = b->s->name;
    uint32_t hash = opcode.length;
    for (uint32_t i = 0; i < opcode.length; i++)
        hash = hash * 31 + (uint8_t)opcode.at[i];
    struct ptx_known_form *known = &b->l->form[hash % PTX_FORMS];
    if (known->opcode.length && ptx_names_equal(known->opcode, opcode)) {
        b->form = known->form;
        return true;
    }
    if (!ptx_form_of(opcode, &b->form, bad))
        return false;
    *known = (struct ptx_known_form){opcode, b->form};
    return true;
}

static bool instruction(struct body *b)
{
    struct ptx_name bad;
    if (!find_form(b, &bad)) {
        if (b->form.row >= 0)
            return ptx_mistake(b->l, b->module, b->s->place, WT_UNSUPPORTED,
                               "there is no instruction '%.*s': '%.*s' of %s is not known",
                               (int)b->s->name.length, b->s->name.at, (int)bad.length, bad.at,
                               table_rows[b->form.row].name);
        const char *why = why_refused(b->s->name);
        if (why)
            return ptx_mistake(b->l, b->module, b->s->place, WT_UNSUPPORTED,
                               "'%.*s' is not executed: %s", (int)b->s->name.length, b->s->name.at,
                               why);
        return body_unsupported(b);
    }
    if (body_operand_count(b) < body_operands_of(b))
        return body_fail(b, "%s has more operands", table_rows[b->form.row].name);
    return table_rows[b->form.row].lower(b, table_rows[b->form.row].op) && !body_too_large(b);
}

static bool statement(struct body *b)
{
    switch (b->s->kind) {
    case PTX_STATEMENT_INSTRUCTION:
        return instruction(b);
    case PTX_STATEMENT_LABEL:
        return body_define_label(b);
    case PTX_STATEMENT_OPEN:
        b->scope[b->depth++] = (uint32_t)b->entry_count;
        return true;
    case PTX_STATEMENT_CLOSE:
        body_close_scope(b);
        return true;
    case PTX_STATEMENT_VARIABLE:
        return body_declare(b, &b->text->variable[b->s->index]);
    case PTX_STATEMENT_TARGETS:
        return body_define_targets(b);
    case PTX_STATEMENT_PROTOTYPE:
        return body_add_entry(
            b,
            (struct ptx_entry){.name = b->s->name, .kind = ENTRY_PROTOTYPE, .number = b->s->index});
    }
    return false;
}

/* Whether an instruction takes the address of a parameter. */
static bool address_is_taken(const struct body *b, const struct ptx_variable *v)
{
    for (uint32_t i = 0; i < b->f->statement_count; i++) {
        const struct ptx_statement *s = &b->text->statement[b->f->statement + i];
        if (s->kind != PTX_STATEMENT_INSTRUCTION || s->operand_count < 2 || s->name.length < 3 ||
            memcmp(s->name.at, "mov", 3) != 0)
            continue;
        const struct ptx_operand *o = &b->text->item[s->operand + 1];
        if (o->kind == PTX_OPERAND_NAME && ptx_names_equal(o->name, v->name))
            return true;
    }
    return false;
}

/* A parameter of a function whose address is taken is copied to the stack (PTX ISA, "mov"): its
 * rows go to local memory at the function's entry. */
static bool put_into_local(struct body *b, const struct ptx_variable *v, uint32_t slot)
{
    const struct ptx_operand name = {.kind = PTX_OPERAND_NAME, .name = v->name};
    const uint32_t temporary = body_temporary(b, 4);
    for (uint32_t i = 0; i < ptx_dwords(v); i++) {
        struct ptx_op load = body_blank(), store = body_blank();
        struct ptx_operand place = name;
        place.offset = 4 * (int64_t)i;
        load.vector[0] = store.vector[0] = temporary;
        load.s[0].slot = slot;
        load.offset = place.offset;
        load.count = store.count = 1;
        load.size = load.how = store.size = store.how = store.element = 4;
        store.type = PTX_B32;
        store.from_type = 8;
        store.space = PTX_SPACE_LOCAL;
        if (!body_put_record(b, ptx_op_load_argument, &load) ||
            !body_source(b, &place, PTX_U64, &store.s[0]) ||
            !body_put_record(b, ptx_op_store, &store))
            return false;
    }
    return true;
}

static bool declare_parameters(struct body *b)
{
    uint64_t at = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        const uint32_t first = pass ? b->f->parameter : b->f->result;
        const uint32_t count = pass ? b->f->parameter_count : b->f->result_count;
        for (uint32_t i = 0; i < count; i++) {
            const struct ptx_variable *v = &b->text->variable[first + i];
            struct ptx_entry e = {.name = v->name, .variable = v};
            if (v->range)
                return body_fail(b, "a range of parameters");
            if (b->f->is_entry) {
                at = (at + v->align - 1) / v->align * v->align;
                e.kind = ENTRY_KERNEL_PARAMETER;
                e.number = at + CUBIN_PARAMETERS;
                at += v->bytes;
            } else {
                e.kind = ENTRY_ROWS;
                e.slot = body_take_rows(b, ptx_dwords(v));
            }
            const bool taken = e.kind == ENTRY_ROWS && pass && v->space == PTX_SPACE_PARAM &&
                               address_is_taken(b, v);
            if (taken) {
                const uint64_t align = v->align < 4 ? 4 : v->align;
                b->local = (b->local + align - 1) / align * align;
                e.kind = ENTRY_LOCAL;
                e.number = b->local;
                b->local += 4 * (uint64_t)ptx_dwords(v);
            }
            if (v->space == PTX_SPACE_PARAM && !body_add_entry(b, e))
                return false;
        }
    }
    /* The rows of all parameters follow each other: what is taken for the copies comes behind. */
    for (uint32_t i = 0; i < b->f->parameter_count; i++) {
        const struct ptx_variable *v = &b->text->variable[b->f->parameter + i];
        uint32_t number;
        const struct ptx_entry *e = body_find(b, v->name, &number);
        if (e && e->kind == ENTRY_LOCAL && !put_into_local(b, v, e->slot))
            return false;
    }
    return !body_too_large(b);
}

/* Parameters that are registers are taken out of their rows at the function's entry. */
static bool take_register_parameters(struct body *b)
{
    uint32_t row = PTX_PARAMETER_ROW;
    for (uint32_t pass = 0; !b->f->is_entry && pass < 2; pass++) {
        const uint32_t first = pass ? b->f->parameter : b->f->result;
        const uint32_t count = pass ? b->f->parameter_count : b->f->result_count;
        for (uint32_t i = 0; i < count; i++) {
            const struct ptx_variable *v = &b->text->variable[first + i];
            const uint32_t slot = row * PTX_ROW_BYTES;
            row += ptx_dwords(v);
            if (v->space != PTX_SPACE_REG)
                continue;
            struct ptx_op record = body_blank();
            const struct ptx_operand name = {.kind = PTX_OPERAND_NAME, .name = v->name};
            const struct ptx_entry *e;
            if (!body_declare_register(b, v))
                return false;
            if (!pass)
                continue;
            if (!body_register_operand(b, &name, &e, &record.vector[0]))
                return false;
            body_register_elements(v, &record);
            record.s[0].slot = slot;
            if (!body_put_record(b, ptx_op_load_argument, &record))
                return false;
        }
    }
    return true;
}

/* Branches know numbers of labels so far. */
static bool settle_labels(struct body *b)
{
    for (size_t i = 0; i < b->label_count; i++)
        if (b->label[i].record == NONE)
            return ptx_mistake(b->l, b->module, b->label[i].place, WT_INVALID,
                               "there is no label '%.*s'", (int)b->label[i].name.length,
                               b->label[i].name.at);
    for (uint32_t i = b->first_record; i < b->image->op_count; i++) {
        struct ptx_op *o = &b->image->op[i];
        if (o->run == ptx_op_bra)
            o->offset =
                (int64_t)(ptx_pc(b->image, b->label[o->index].record) - ptx_pc(b->image, i));
    }
    return true;
}

static void settle_targets(struct body *b, size_t first)
{
    struct sm_ptx *image = b->image;
    while (first < image->target_count) {
        const uint32_t count = image->target[first];
        for (uint32_t i = 1; i <= count; i++)
            if (image->target[first + i] != NONE)
                image->target[first + i] = b->label[image->target[first + i]].record;
        first += 1 + count;
    }
}

static bool lower_body(struct body *b)
{
    const size_t first_target = b->image->target_count;
    if (!declare_parameters(b) || !take_register_parameters(b))
        return false;
    for (uint32_t i = 0; i < b->f->statement_count; i++) {
        b->s = &b->text->statement[b->f->statement + i];
        if (!statement(b))
            return false;
    }
    if (!b->f->has_body && !body_lower_builtin(b))
        return false;
    /* Whoever comes here returns. */
    struct ptx_statement end = {.place = b->f->place, .text = {"ret", 3}};
    b->s = &end;
    if (!ptx_lower_ret(b, PTX_OP_mov) || !settle_labels(b))
        return false;
    settle_targets(b, first_target);
    return true;
}

bool ptx_lower(struct ptx_linker *l, const struct ptx_symbol *function)
{
    struct sm_ptx *image = l->image;
    struct ptx_function_info *info = &image->function[function->info];
    struct ptx_statement begin = {.place = function->function->place, .text = function->name};
    struct body b = {.l = l,
                     .image = image,
                     .module = function->module,
                     .text = l->module[function->module].text,
                     .f = function->function,
                     .info = function->info,
                     .s = &begin,
                     .rows = PTX_PARAMETER_ROW,
                     .dump = NONE,
                     .matrices = NONE,
                     .first_record = (uint32_t)image->op_count};
    memset(b.bucket, 0xff, sizeof b.bucket);
    memset(b.label_bucket, 0xff, sizeof b.label_bucket);
    info->entry = b.first_record;
    const bool good = lower_body(&b);
    if (good)
        image->op[b.first_record].begins = true;
    info = &image->function[function->info];
    info->end = (uint32_t)image->op_count;
    info->rows = b.rows;
    info->local = (uint32_t)((b.local + 15) & ~UINT64_C(15));
    free(b.entry);
    free(b.label);
    return good;
}

bool sm_ptx_row(size_t n, const char **name, bool *only_near, bool *near_too)
{
    if (n >= sizeof table_rows / sizeof table_rows[0])
        return false;
    *name = table_rows[n].name;
    *near_too = table_rows[n].fields & APPROX;
    *only_near = *near_too && !(table_rows[n].fields & ROUND);
    return true;
}

bool sm_ptx_refused(size_t n, const char **name, const char **why)
{
    if (n >= sizeof refused / sizeof refused[0])
        return false;
    *name = refused[n].word;
    *why = refused[n].why;
    return true;
}
