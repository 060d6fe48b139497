/* Operands of PTX: tokens, constant expressions, addresses. See ptx.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/ptx_parser.h"

#define MOST_LIST 1024

#define MOST_DEPTH 64

/* ---- constant expressions (4.5) ---- */

static bool expression(struct parser *p, struct ptx_constant *c, unsigned precedence);
static bool operand(struct parser *p, struct ptx_operand *o, unsigned depth);

/* ---- types ---- */

static const struct {
    const char *name;
    unsigned bytes;
} types[PTX_TYPES] = {
    [PTX_NO_TYPE] = {"", 0},
    [PTX_B8] = {"b8", 1},
    [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},
    [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},
    [PTX_U8] = {"u8", 1},
    [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},
    [PTX_U64] = {"u64", 8},
    [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},
    [PTX_S32] = {"s32", 4},
    [PTX_S64] = {"s64", 8},
    [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4},
    [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_F32] = {"f32", 4},
    [PTX_F64] = {"f64", 8},
    [PTX_PRED] = {"pred", 1},
    [PTX_TEXREF] = {"texref", 8},
    [PTX_SAMPLERREF] = {"samplerref", 8},
    [PTX_SURFREF] = {"surfref", 8},
};

unsigned ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

enum ptx_type ptx_type_of(const char *name, size_t length)
{
    for (unsigned i = 1; i < PTX_TYPES; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return (enum ptx_type)i;
    return PTX_NO_TYPE;
}

bool ptx_parse_fail_at(struct parser *p, struct ptx_place place, const char *format, ...)
{
    char text[300];
    va_list arguments;
    if (p->status != WT_OK)
        return false;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->status =
        wt_fail(p->err, WT_INVALID, "%.150s:%u:%u: %s", p->name, place.line, place.column, text);
    return false;
}

static bool no_memory(struct parser *p)
{
    if (p->status == WT_OK)
        p->status = wt_fail(p->err, WT_NO_MEMORY, "the host has no memory left for %s", p->name);
    return false;
}

/* Names the next token, for messages. */
bool ptx_parse_unexpected(struct parser *p, const char *wanted)
{
    const struct ptx_token *t = &p->token;
    if (t->kind == PTX_TOKEN_BAD)
        return ptx_parse_fail_at(p, t->place, "%s", p->lexer.bad);
    if (t->kind == PTX_TOKEN_END)
        return ptx_parse_fail_at(p, t->place, "the text ends, and %s is missing", wanted);
    return ptx_parse_fail_at(p, t->place, "'%.*s' where %s belongs",
                             (int)(t->text.length > 60 ? 60 : t->text.length), t->text.at, wanted);
}

/* ---- tokens ---- */

struct ptx_token ptx_parse_take(struct parser *p)
{
    const struct ptx_token taken = p->token;
    p->last_end = taken.text.at + taken.text.length + (taken.kind == PTX_TOKEN_STRING);
    p->token = ptx_lex(&p->lexer);
    return taken;
}

bool ptx_parse_is_mark(const struct parser *p, char c)
{
    return p->token.kind == PTX_TOKEN_MARK && p->token.text.at[0] == c;
}

bool ptx_parse_take_mark(struct parser *p, char c)
{
    if (!ptx_parse_is_mark(p, c))
        return false;
    ptx_parse_take(p);
    return true;
}

bool ptx_parse_want_mark(struct parser *p, char c)
{
    const char wanted[] = {'\'', c, '\'', 0};
    return ptx_parse_take_mark(p, c) || ptx_parse_unexpected(p, wanted);
}

bool ptx_parse_is_directive(const struct parser *p, const char *text)
{
    return p->token.kind == PTX_TOKEN_DIRECTIVE && ptx_name_is(p->token.text, text);
}

bool ptx_parse_take_directive(struct parser *p, const char *text)
{
    if (!ptx_parse_is_directive(p, text))
        return false;
    ptx_parse_take(p);
    return true;
}

bool ptx_parse_want_name(struct parser *p, struct ptx_name *name, const char *wanted)
{
    if (p->token.kind != PTX_TOKEN_NAME)
        return ptx_parse_unexpected(p, wanted);
    *name = ptx_parse_take(p).text;
    return true;
}

bool ptx_parse_want_number(struct parser *p, uint64_t most, uint64_t *value, const char *wanted)
{
    if (p->token.kind != PTX_TOKEN_INTEGER)
        return ptx_parse_unexpected(p, wanted);
    if (p->token.value > most)
        return ptx_parse_fail_at(p, p->token.place, "%llu is too large for %s",
                                 (unsigned long long)p->token.value, wanted);
    *value = ptx_parse_take(p).value;
    return true;
}

/* ---- arrays of the module ---- */

bool ptx_parse_grow(struct parser *p, void **array, size_t *capacity, size_t count, size_t size)
{
    if (count > UINT32_MAX / 2)
        return no_memory(p);
    void *grown = wt_array_grow(*array, capacity, count, size);
    if (!grown)
        return no_memory(p);
    *array = grown;
    return true;
}

bool ptx_parse_add_variable(struct parser *p, const struct ptx_variable *v, uint32_t *index)
{
    if (!GROW(p, variable, 1, variable_count))
        return false;
    *index = (uint32_t)p->m->variable_count;
    p->m->variable[p->m->variable_count++] = *v;
    return true;
}

bool ptx_parse_add_statement(struct parser *p, const struct ptx_statement *s)
{
    if (!GROW(p, statement, 3, statement_count))
        return false;
    p->m->statement[p->m->statement_count++] = *s;
    return true;
}

/* Items of one list stand one behind the other; nested lists come before them. */
static bool add_items(struct parser *p, const struct ptx_operand *list, uint32_t count,
                      uint32_t *first)
{
    *first = (uint32_t)p->m->item_count;
    for (uint32_t i = 0; i < count; i++) {
        if (!GROW(p, item, 4, item_count))
            return false;
        p->m->item[p->m->item_count++] = list[i];
    }
    return true;
}

/* Operands up to a closing mark, which is taken. */
bool ptx_parse_operand_list(struct parser *p, char close, uint32_t *first, uint32_t *count,
                            unsigned depth)
{
    size_t room = 0, used = 0;
    struct ptx_operand *list = NULL;
    bool good = true;
    while (good && !ptx_parse_is_mark(p, close)) {
        if (used && !ptx_parse_want_mark(p, ',')) {
            good = false;
            break;
        }
        struct ptx_operand *grown = wt_array_grow(list, &room, used + 1, sizeof *list);
        if (!grown) {
            good = no_memory(p);
            break;
        }
        list = grown;
        if (used == MOST_LIST)
            good =
                ptx_parse_fail_at(p, p->token.place, "a list of more than %d operands", MOST_LIST);
        good = good && operand(p, &list[used], depth + 1);
        used += good;
    }
    good = good && ptx_parse_want_mark(p, close) && add_items(p, list, (uint32_t)used, first);
    *count = (uint32_t)used;
    free(list);
    return good;
}

static bool is_number(const struct parser *p)
{
    return p->token.kind == PTX_TOKEN_INTEGER || p->token.kind == PTX_TOKEN_SINGLE ||
           p->token.kind == PTX_TOKEN_DOUBLE;
}

bool ptx_parse_begins_expression(const struct parser *p)
{
    return is_number(p) || ptx_parse_is_mark(p, '-') || ptx_parse_is_mark(p, '+') ||
           ptx_parse_is_mark(p, '~') || ptx_parse_is_mark(p, '!') || ptx_parse_is_mark(p, '(') ||
           (p->token.kind == PTX_TOKEN_NAME && ptx_name_is(p->token.text, "WARP_SZ"));
}

/* A number, WARP_SZ, (.u64) value, (expression), or one of these behind its signs. */
bool ptx_parse_primary(struct parser *p, struct ptx_constant *c)
{
    const struct ptx_token t = p->token;
    if (!ptx_parse_begins_expression(p))
        return ptx_parse_unexpected(p, "a number");
    ptx_parse_take(p);
    if (t.kind == PTX_TOKEN_MARK) {
        const bool cast = t.text.at[0] == '(' && p->token.kind == PTX_TOKEN_DIRECTIVE;
        const char *why = NULL;
        bool good;
        if (++p->nesting > MOST_DEPTH)
            return ptx_parse_fail_at(p, t.place, "operands nested too deeply");
        if (cast) {
            const bool is_signed = ptx_parse_is_directive(p, ".s64");
            if (!is_signed && !ptx_parse_is_directive(p, ".u64"))
                return ptx_parse_unexpected(p, ".s64 or .u64");
            ptx_parse_take(p);
            good = ptx_parse_want_mark(p, ')') && ptx_parse_primary(p, c);
            if (good && !ptx_constant_is_integer(*c))
                why = "a floating-point number that is made an integer";
            c->kind = is_signed ? PTX_CONSTANT_SIGNED : PTX_CONSTANT_UNSIGNED;
        } else if (t.text.at[0] == '(') {
            good = expression(p, c, 0) && ptx_parse_want_mark(p, ')');
        } else {
            good = ptx_parse_primary(p, c);
            why = good ? ptx_unary(t.text.at[0], c) : NULL;
        }
        p->nesting--;
        return why ? ptx_parse_fail_at(p, t.place, "%s", why) : good;
    }
    *c = (struct ptx_constant){PTX_CONSTANT_SIGNED, 32}; /* WARP_SZ */
    if (t.kind == PTX_TOKEN_NAME)
        return true;
    c->bits = t.value;
    c->kind = t.kind == PTX_TOKEN_SINGLE   ? PTX_CONSTANT_SINGLE
              : t.kind == PTX_TOKEN_DOUBLE ? PTX_CONSTANT_DOUBLE
              : t.is_unsigned              ? PTX_CONSTANT_UNSIGNED
                                           : PTX_CONSTANT_SIGNED;
    return true;
}

static const struct ptx_operator *next_operator(const struct parser *p)
{
    if (p->token.kind != PTX_TOKEN_MARK)
        return NULL;
    return ptx_operator_of(p->token.text.at[0], p->lexer.at < p->lexer.end ? *p->lexer.at : 0);
}

/* condition ? value : value, behind the question mark. */
static bool choice(struct parser *p, struct ptx_constant *c, struct ptx_place place)
{
    const struct ptx_constant condition = *c;
    struct ptx_constant other;
    if (!ptx_constant_is_integer(condition))
        return ptx_parse_fail_at(p, place, "a condition that is not an integer");
    if (!expression(p, c, 0) || !ptx_parse_want_mark(p, ':') || !expression(p, &other, 0))
        return false;
    if (!condition.bits)
        *c = other;
    return true;
}

/* The rest of an expression behind its first operand: operators of at least the precedence. */
bool ptx_parse_rest(struct parser *p, struct ptx_constant *c, unsigned precedence)
{
    for (const struct ptx_operator *o; (o = next_operator(p)) && o->precedence >= precedence;) {
        const struct ptx_place place = p->token.place;
        struct ptx_constant right;
        const char *why;
        ptx_parse_take(p);
        if (o->text[1])
            ptx_parse_take(p);
        if (!ptx_parse_primary(p, &right) || !ptx_parse_rest(p, &right, o->precedence + 1))
            return false;
        if ((why = ptx_binary(o, c, right)))
            return ptx_parse_fail_at(p, place, "%s", why);
    }
    const struct ptx_place place = p->token.place;
    return precedence || !ptx_parse_take_mark(p, '?') || choice(p, c, place);
}

static bool expression(struct parser *p, struct ptx_constant *c, unsigned precedence)
{
    if (++p->nesting > MOST_DEPTH)
        return ptx_parse_fail_at(p, p->token.place, "operands nested too deeply");
    const bool good = ptx_parse_primary(p, c) && ptx_parse_rest(p, c, precedence);
    p->nesting--;
    return good;
}

/* An integer that may be an expression. */
bool ptx_parse_want_integer(struct parser *p, unsigned precedence, uint64_t most, uint64_t *value,
                            const char *wanted)
{
    const struct ptx_place place = p->token.place;
    struct ptx_constant c;
    if (!ptx_parse_begins_expression(p))
        return ptx_parse_unexpected(p, wanted);
    if (!expression(p, &c, precedence))
        return false;
    if (!ptx_constant_is_integer(c))
        return ptx_parse_fail_at(p, place, "a floating-point number where %s belongs", wanted);
    *value = c.bits;
    return c.bits <= most || ptx_parse_fail_at(p, place, "%llu is too large for %s",
                                               (unsigned long long)c.bits, wanted);
}

/* +8, -8, +-8, + 2 * 4 behind a name. */
bool ptx_parse_offset(struct parser *p, int64_t *value)
{
    while (ptx_parse_is_mark(p, '+') || ptx_parse_is_mark(p, '-')) {
        const bool minus = ptx_parse_take(p).text.at[0] == '-';
        uint64_t number = 0;
        if (!ptx_parse_want_integer(p, PTX_MULTIPLICATIVE, UINT64_MAX, &number, "an offset"))
            return false;
        *value = (int64_t)((uint64_t)*value + (minus ? 0 - number : number));
    }
    return true;
}

/* ---- operands ---- */

void ptx_parse_constant_operand(struct ptx_operand *o, struct ptx_constant c)
{
    o->kind = ptx_constant_is_integer(c)      ? PTX_OPERAND_INTEGER
              : c.kind == PTX_CONSTANT_SINGLE ? PTX_OPERAND_SINGLE
                                              : PTX_OPERAND_DOUBLE;
    o->value = c.bits;
}

static bool simple_operand(struct parser *p, struct ptx_operand *o, unsigned depth)
{
    struct ptx_constant c;
    if (ptx_parse_take_mark(p, '_')) {
        o->kind = PTX_OPERAND_SINK;
        return true;
    }
    o->minus = ptx_parse_is_mark(p, '-') && p->lexer.at < p->lexer.end && *p->lexer.at == '%' &&
               ptx_parse_take_mark(p, '-');
    const bool not = ptx_parse_is_mark(p, '!') && p->lexer.at < p->lexer.end &&
                     !strchr("(0123456789!~+-", *p->lexer.at);
    if (!not &&ptx_parse_begins_expression(p)) {
        if (!expression(p, &c, 0))
            return false;
        ptx_parse_constant_operand(o, c);
        return true;
    }
    o->negated = ptx_parse_take_mark(p, '!');
    o->kind = PTX_OPERAND_NAME;
    if (!ptx_parse_want_name(p, &o->name, "an operand"))
        return false;
    if (p->token.kind == PTX_TOKEN_DIRECTIVE && !p->token.space_before) {
        o->component = ptx_parse_take(p).text;
        o->component.at++;
        o->component.length--;
    }
    if (ptx_parse_take_mark(p, '[')) {
        struct ptx_operand index;
        o->indexed = true;
        o->count = 1;
        if (!operand(p, &index, depth + 1) || !ptx_parse_want_mark(p, ']') ||
            !add_items(p, &index, 1, &o->list))
            return false;
    }
    return ptx_parse_offset(p, &o->offset);
}

/* One operand. */
static bool operand(struct parser *p, struct ptx_operand *o, unsigned depth)
{
    *o = (struct ptx_operand){.place = p->token.place};
    if (depth > MOST_DEPTH)
        return ptx_parse_fail_at(p, p->token.place, "operands nested too deeply");
    if (ptx_parse_take_mark(p, '{')) {
        o->kind = PTX_OPERAND_VECTOR;
        return ptx_parse_operand_list(p, '}', &o->list, &o->count, depth);
    }
    if (ptx_parse_take_mark(p, '[')) {
        o->kind = PTX_OPERAND_MEMORY;
        return ptx_parse_operand_list(p, ']', &o->list, &o->count, depth) &&
               (o->count || ptx_parse_fail_at(p, o->place, "an address is missing"));
    }
    if (depth == 1 && p->is_call && ptx_parse_take_mark(p, '(')) {
        o->kind = PTX_OPERAND_GROUP;
        return ptx_parse_operand_list(p, ')', &o->list, &o->count, depth);
    }
    if (!simple_operand(p, o, depth))
        return false;
    if (!ptx_parse_take_mark(p, '|'))
        return true;
    struct ptx_operand pair[2] = {*o, {.place = p->token.place}};
    *o = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .place = pair[0].place, .count = 2};
    return simple_operand(p, &pair[1], depth) && add_items(p, pair, 2, &o->list);
}
