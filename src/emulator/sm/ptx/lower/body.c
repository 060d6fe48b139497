/* The body that is being lowered: errors, names, the frame, records. See sm/ptx/lower/body.h. */
#include "emulator/sm/ptx/lower/body.h"

#include <stdarg.h>
#include <string.h>

#include "base/array.h"

bool body_fail(struct body *b, const char *format, ...)
{
    char text[250];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ptx_mistake(b->l, b->module, b->s->place, WT_INVALID, "%s", text);
}

bool body_fail_at(struct body *b, const struct ptx_operand *o, const char *format, ...)
{
    char text[250];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ptx_mistake(b->l, b->module, o->place.line ? o->place : b->s->place, WT_INVALID, "%s",
                       text);
}

bool body_unsupported(struct body *b)
{
    return ptx_mistake(b->l, b->module, b->s->place, WT_UNSUPPORTED,
                       "there is no instruction '%.*s'",
                       (int)(b->s->name.length > 80 ? 80 : b->s->name.length), b->s->name.at);
}

/* ---- names ---- */

uint32_t body_hash(struct ptx_name name)
{
    uint32_t h = 2166136261u;
    for (uint32_t i = 0; i < name.length; i++)
        h = (h ^ (uint8_t)name.at[i]) * 16777619u;
    return h % BUCKETS;
}

bool body_add_entry(struct body *b, struct ptx_entry e)
{
    struct ptx_entry *grown =
        wt_array_grow(b->entry, &b->entry_room, b->entry_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    b->entry = grown;
    e.bucket = body_hash(e.name);
    e.next = b->bucket[e.bucket];
    b->bucket[e.bucket] = (uint32_t)b->entry_count;
    b->entry[b->entry_count++] = e;
    return true;
}

void body_close_scope(struct body *b)
{
    const uint32_t count = b->scope[--b->depth];
    while (b->entry_count > count) {
        const struct ptx_entry *e = &b->entry[--b->entry_count];
        b->bucket[e->bucket] = e->next;
    }
}

static const struct ptx_entry *find_exact(const struct body *b, struct ptx_name name)
{
    for (uint32_t i = b->bucket[body_hash(name)]; i != NONE; i = b->entry[i].next)
        if (ptx_names_equal(b->entry[i].name, name))
            return &b->entry[i];
    return NULL;
}

/* The entry of a name, and which one of its range: "%r12" of "%r<40>". */
const struct ptx_entry *body_find(const struct body *b, struct ptx_name name, uint32_t *number)
{
    const struct ptx_entry *e = find_exact(b, name);
    *number = 0;
    if (e && !e->variable)
        return e;
    if (e && !e->variable->range)
        return e;
    uint64_t value = 0, power = 1;
    for (uint32_t n = 0; name.length > 1 && n < 8; n++) {
        const char c = name.at[name.length - 1];
        if (c < '0' || c > '9')
            break;
        value += (uint64_t)(c - '0') * power;
        power *= 10;
        name.length--;
        e = find_exact(b, name);
        /* "%r07" is not %r7. */
        if (e && e->variable && e->variable->range && value < e->variable->range &&
            (value >= power / 10 || power == 10)) {
            *number = (uint32_t)value;
            return e;
        }
    }
    return NULL;
}

/* ---- the frame ---- */

unsigned body_register_bytes(const struct ptx_variable *v)
{
    return ptx_type_bytes(v->type) == 8 ? 8 : 4;
}

uint32_t body_take_rows(struct body *b, uint32_t count)
{
    const uint32_t slot = b->rows * PTX_ROW_BYTES;
    b->rows += count;
    return slot;
}

static uint32_t take_predicates(struct body *b, uint32_t count)
{
    if (count > b->predicates_left) {
        const uint32_t rows = (count + SM_LANES - 1) / SM_LANES;
        b->predicate_slot = body_take_rows(b, rows);
        b->predicates_left = rows * SM_LANES;
    }
    const uint32_t slot = b->predicate_slot;
    b->predicate_slot += 4 * count;
    b->predicates_left -= count;
    return slot;
}

bool body_too_large(struct body *b)
{
    return b->rows > PTX_MOST_ROWS &&
           !body_fail(b, "registers of more than %u rows", PTX_MOST_ROWS);
}

uint32_t body_dump(struct body *b)
{
    if (b->dump == NONE)
        b->dump = body_take_rows(b, 2);
    return b->dump;
}

static bool note_register(struct body *b, const struct ptx_register *reg)
{
    struct sm_ptx *image = b->image;
    struct ptx_register *grown =
        wt_array_grow(image->reg, &image->reg_room, image->reg_count + 1, sizeof *grown);
    if (!grown)
        return ptx_out_of_memory(b->l);
    image->reg = grown;
    grown[image->reg_count++] = *reg;
    return true;
}

/* For users who inspect the frame. */
static bool name_register(struct body *b, const struct ptx_entry *e)
{
    const struct ptx_register reg = {
        .name = e->name,
        .function = b->info,
        .slot = e->slot,
        .range = e->variable->range,
        .bytes = e->variable->type == PTX_PRED ? 0 : (uint8_t)body_register_bytes(e->variable),
        .vector = e->variable->vector,
        .is_float = e->variable->type == PTX_F32 || e->variable->type == PTX_F64};
    return note_register(b, &reg);
}

uint32_t body_temporary(struct body *b, unsigned bytes)
{
    const struct ptx_register reg = {.function = b->info,
                                     .slot = body_take_rows(b, bytes == 8 ? 2 : 1),
                                     .bytes = bytes == 8 ? 8 : 4,
                                     .vector = 1};
    note_register(b, &reg); /* a failure ends the lowering */
    return reg.slot;
}

bool body_declare_register(struct body *b, const struct ptx_variable *v)
{
    const uint32_t count = v->range ? v->range : 1;
    struct ptx_entry e = {.name = v->name, .kind = ENTRY_REGISTER, .variable = v};
    if (v->type == PTX_B128 || v->is_array)
        return body_fail(b, "a register of that type");
    if (v->type == PTX_PRED)
        e.slot = take_predicates(b, count * v->vector);
    else
        e.slot = body_take_rows(b, count * v->vector * (body_register_bytes(v) / 4));
    return !body_too_large(b) && body_add_entry(b, e) && name_register(b, &e);
}

bool body_declare(struct body *b, const struct ptx_variable *v)
{
    struct ptx_entry e = {.name = v->name, .variable = v};
    switch (v->space) {
    case PTX_SPACE_REG:
        return body_declare_register(b, v);
    case PTX_SPACE_PARAM:
        e.kind = ENTRY_ROWS;
        e.slot = body_take_rows(b, ptx_dwords(v) * (v->range ? v->range : 1));
        return !body_too_large(b) && body_add_entry(b, e);
    case PTX_SPACE_LOCAL:
        b->local = (b->local + v->align - 1) / v->align * v->align;
        e.kind = ENTRY_LOCAL;
        e.number = b->local;
        b->local += v->bytes;
        if (b->local > 1 << 20)
            return body_fail(b, "local memory of more than 1 MiB");
        return body_add_entry(b, e) &&
               ptx_add_variable(b->l, &(struct sm_ptx_variable){.name = v->name,
                                                                .module = b->module,
                                                                .space = PTX_SPACE_LOCAL,
                                                                .place = e.number,
                                                                .bytes = v->bytes});
    case PTX_SPACE_SHARED:
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST:
        e.kind = ENTRY_STATIC;
        e.symbol = ptx_inner_symbol(b->l, v);
        return body_add_entry(b, e);
    default:
        return body_fail(b, "a variable of this space is declared outside of functions");
    }
}

/* ---- records ---- */

struct ptx_op *body_emit(struct body *b, sm_op run)
{
    struct sm_ptx *image = b->image;
    struct ptx_op *grown =
        wt_array_grow(image->op, &image->op_room, image->op_count + 1, sizeof *grown);
    if (!grown) {
        ptx_out_of_memory(b->l);
        return NULL;
    }
    image->op = grown;
    struct ptx_op *o = &grown[image->op_count++];
    *o = (struct ptx_op){.run = run,
                         .d = NONE,
                         .d2 = NONE,
                         .guard = NONE,
                         .module = b->module,
                         .text = b->s->text,
                         .place = b->s->place,
                         .file = b->s->file,
                         .line = b->s->line,
                         .column = b->s->column};
    for (unsigned i = 0; i < 4; i++) {
        o->s[i].slot = PTX_LOCAL_ROW * PTX_ROW_BYTES;
        o->vector[i] = NONE;
    }
    return o;
}
