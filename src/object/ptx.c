/* The parser of PTX: by recursive descent, one token ahead. See ptx.h. */
#include "object/ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/ptx_constant.h"
#include "object/ptx_lex.h"

#define MOST_DEPTH 64
#define MOST_LIST 1024
#define MOST_RANGE 1000000

struct parser {
    struct ptx_module *m;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one */
    const char *name;
    struct wt_error *err;
    enum wt_status status; /* the first mistake */
    uint32_t file, line, column;
    const char *last_end; /* behind the token taken last */
    unsigned nesting;     /* of constant expressions */
    bool is_call;         /* the instruction: its parentheses are lists */
};

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

/* ---- mistakes ---- */

static bool fail_at(struct parser *p, struct ptx_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail_at(struct parser *p, struct ptx_place place, const char *format, ...)
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
static bool unexpected(struct parser *p, const char *wanted)
{
    const struct ptx_token *t = &p->token;
    if (t->kind == PTX_TOKEN_BAD)
        return fail_at(p, t->place, "%s", p->lexer.bad);
    if (t->kind == PTX_TOKEN_END)
        return fail_at(p, t->place, "the text ends, and %s is missing", wanted);
    return fail_at(p, t->place, "'%.*s' where %s belongs",
                   (int)(t->text.length > 60 ? 60 : t->text.length), t->text.at, wanted);
}

/* ---- tokens ---- */

static struct ptx_token take(struct parser *p)
{
    const struct ptx_token taken = p->token;
    p->last_end = taken.text.at + taken.text.length + (taken.kind == PTX_TOKEN_STRING);
    p->token = ptx_lex(&p->lexer);
    return taken;
}

static bool is_mark(const struct parser *p, char c)
{
    return p->token.kind == PTX_TOKEN_MARK && p->token.text.at[0] == c;
}

static bool take_mark(struct parser *p, char c)
{
    if (!is_mark(p, c))
        return false;
    take(p);
    return true;
}

static bool want_mark(struct parser *p, char c)
{
    const char wanted[] = {'\'', c, '\'', 0};
    return take_mark(p, c) || unexpected(p, wanted);
}

static bool is_directive(const struct parser *p, const char *text)
{
    return p->token.kind == PTX_TOKEN_DIRECTIVE && ptx_name_is(p->token.text, text);
}

static bool take_directive(struct parser *p, const char *text)
{
    if (!is_directive(p, text))
        return false;
    take(p);
    return true;
}

static bool want_name(struct parser *p, struct ptx_name *name, const char *wanted)
{
    if (p->token.kind != PTX_TOKEN_NAME)
        return unexpected(p, wanted);
    *name = take(p).text;
    return true;
}

static bool want_number(struct parser *p, uint64_t most, uint64_t *value, const char *wanted)
{
    if (p->token.kind != PTX_TOKEN_INTEGER)
        return unexpected(p, wanted);
    if (p->token.value > most)
        return fail_at(p, p->token.place, "%llu is too large for %s",
                       (unsigned long long)p->token.value, wanted);
    *value = take(p).value;
    return true;
}

/* ---- arrays of the module ---- */

#define GROW(p, array, capacity, count)                                                            \
    grow((p), (void **)&(p)->m->array, &(p)->m->room[capacity], (p)->m->count + 1,                 \
         sizeof *(p)->m->array)

static bool grow(struct parser *p, void **array, size_t *capacity, size_t count, size_t size)
{
    if (count > UINT32_MAX / 2)
        return no_memory(p);
    void *grown = wt_array_grow(*array, capacity, count, size);
    if (!grown)
        return no_memory(p);
    *array = grown;
    return true;
}

static bool add_variable(struct parser *p, const struct ptx_variable *v, uint32_t *index)
{
    if (!GROW(p, variable, 1, variable_count))
        return false;
    *index = (uint32_t)p->m->variable_count;
    p->m->variable[p->m->variable_count++] = *v;
    return true;
}

static bool add_statement(struct parser *p, const struct ptx_statement *s)
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

/* ---- operands ---- */

static bool operand(struct parser *p, struct ptx_operand *o, unsigned depth);

/* Operands up to a closing mark, which is taken. */
static bool operand_list(struct parser *p, char close, uint32_t *first, uint32_t *count,
                         unsigned depth)
{
    size_t room = 0, used = 0;
    struct ptx_operand *list = NULL;
    bool good = true;
    while (good && !is_mark(p, close)) {
        if (used && !want_mark(p, ',')) {
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
            good = fail_at(p, p->token.place, "a list of more than %d operands", MOST_LIST);
        good = good && operand(p, &list[used], depth + 1);
        used += good;
    }
    good = good && want_mark(p, close) && add_items(p, list, (uint32_t)used, first);
    *count = (uint32_t)used;
    free(list);
    return good;
}

/* ---- constant expressions (4.5) ---- */

static bool expression(struct parser *p, struct ptx_constant *c, unsigned precedence);

static bool is_number(const struct parser *p)
{
    return p->token.kind == PTX_TOKEN_INTEGER || p->token.kind == PTX_TOKEN_SINGLE ||
           p->token.kind == PTX_TOKEN_DOUBLE;
}

static bool begins_expression(const struct parser *p)
{
    return is_number(p) || is_mark(p, '-') || is_mark(p, '+') || is_mark(p, '~') ||
           is_mark(p, '!') || is_mark(p, '(') ||
           (p->token.kind == PTX_TOKEN_NAME && ptx_name_is(p->token.text, "WARP_SZ"));
}

/* A number, WARP_SZ, (.u64) value, (expression), or one of these behind its signs. */
static bool primary(struct parser *p, struct ptx_constant *c)
{
    const struct ptx_token t = p->token;
    if (!begins_expression(p))
        return unexpected(p, "a number");
    take(p);
    if (t.kind == PTX_TOKEN_MARK) {
        const bool cast = t.text.at[0] == '(' && p->token.kind == PTX_TOKEN_DIRECTIVE;
        const char *why = NULL;
        bool good;
        if (++p->nesting > MOST_DEPTH)
            return fail_at(p, t.place, "operands nested too deeply");
        if (cast) {
            const bool is_signed = is_directive(p, ".s64");
            if (!is_signed && !is_directive(p, ".u64"))
                return unexpected(p, ".s64 or .u64");
            take(p);
            good = want_mark(p, ')') && primary(p, c);
            if (good && !ptx_constant_is_integer(*c))
                why = "a floating-point number that is made an integer";
            c->kind = is_signed ? PTX_CONSTANT_SIGNED : PTX_CONSTANT_UNSIGNED;
        } else if (t.text.at[0] == '(') {
            good = expression(p, c, 0) && want_mark(p, ')');
        } else {
            good = primary(p, c);
            why = good ? ptx_unary(t.text.at[0], c) : NULL;
        }
        p->nesting--;
        return why ? fail_at(p, t.place, "%s", why) : good;
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
        return fail_at(p, place, "a condition that is no integer");
    if (!expression(p, c, 0) || !want_mark(p, ':') || !expression(p, &other, 0))
        return false;
    if (!condition.bits)
        *c = other;
    return true;
}

/* What follows the first operand of an expression: operators of at least the precedence. */
static bool rest(struct parser *p, struct ptx_constant *c, unsigned precedence)
{
    for (const struct ptx_operator *o; (o = next_operator(p)) && o->precedence >= precedence;) {
        const struct ptx_place place = p->token.place;
        struct ptx_constant right;
        const char *why;
        take(p);
        if (o->text[1])
            take(p);
        if (!primary(p, &right) || !rest(p, &right, o->precedence + 1))
            return false;
        if ((why = ptx_binary(o, c, right)))
            return fail_at(p, place, "%s", why);
    }
    const struct ptx_place place = p->token.place;
    return precedence || !take_mark(p, '?') || choice(p, c, place);
}

static bool expression(struct parser *p, struct ptx_constant *c, unsigned precedence)
{
    if (++p->nesting > MOST_DEPTH)
        return fail_at(p, p->token.place, "operands nested too deeply");
    const bool good = primary(p, c) && rest(p, c, precedence);
    p->nesting--;
    return good;
}

/* An integer that may be an expression. */
static bool want_integer(struct parser *p, unsigned precedence, uint64_t most, uint64_t *value,
                         const char *wanted)
{
    const struct ptx_place place = p->token.place;
    struct ptx_constant c;
    if (!begins_expression(p))
        return unexpected(p, wanted);
    if (!expression(p, &c, precedence))
        return false;
    if (!ptx_constant_is_integer(c))
        return fail_at(p, place, "a floating-point number where %s belongs", wanted);
    *value = c.bits;
    return c.bits <= most ||
           fail_at(p, place, "%llu is too large for %s", (unsigned long long)c.bits, wanted);
}

/* +8, -8, +-8, + 2 * 4 behind a name. */
static bool offset(struct parser *p, int64_t *value)
{
    while (is_mark(p, '+') || is_mark(p, '-')) {
        const bool minus = take(p).text.at[0] == '-';
        uint64_t number = 0;
        if (!want_integer(p, PTX_MULTIPLICATIVE, UINT64_MAX, &number, "an offset"))
            return false;
        *value = (int64_t)((uint64_t)*value + (minus ? 0 - number : number));
    }
    return true;
}

/* ---- operands ---- */

static void constant_operand(struct ptx_operand *o, struct ptx_constant c)
{
    o->kind = ptx_constant_is_integer(c)      ? PTX_OPERAND_INTEGER
              : c.kind == PTX_CONSTANT_SINGLE ? PTX_OPERAND_SINGLE
                                              : PTX_OPERAND_DOUBLE;
    o->value = c.bits;
}

static bool simple_operand(struct parser *p, struct ptx_operand *o, unsigned depth)
{
    struct ptx_constant c;
    if (take_mark(p, '_')) {
        o->kind = PTX_OPERAND_SINK;
        return true;
    }
    const bool not =
        is_mark(p, '!') && p->lexer.at < p->lexer.end && !strchr("(0123456789!~+-", *p->lexer.at);
    if (!not &&begins_expression(p)) {
        if (!expression(p, &c, 0))
            return false;
        constant_operand(o, c);
        return true;
    }
    o->negated = take_mark(p, '!');
    o->kind = PTX_OPERAND_NAME;
    if (!want_name(p, &o->name, "an operand"))
        return false;
    if (p->token.kind == PTX_TOKEN_DIRECTIVE && !p->token.space_before) {
        o->component = take(p).text;
        o->component.at++;
        o->component.length--;
    }
    if (take_mark(p, '[')) {
        struct ptx_operand index;
        o->indexed = true;
        o->count = 1;
        if (!operand(p, &index, depth + 1) || !want_mark(p, ']') ||
            !add_items(p, &index, 1, &o->list))
            return false;
    }
    return offset(p, &o->offset);
}

static bool operand(struct parser *p, struct ptx_operand *o, unsigned depth)
{
    *o = (struct ptx_operand){.place = p->token.place};
    if (depth > MOST_DEPTH)
        return fail_at(p, p->token.place, "operands nested too deeply");
    if (take_mark(p, '{')) {
        o->kind = PTX_OPERAND_VECTOR;
        return operand_list(p, '}', &o->list, &o->count, depth);
    }
    if (take_mark(p, '[')) {
        o->kind = PTX_OPERAND_MEMORY;
        return operand_list(p, ']', &o->list, &o->count, depth) &&
               (o->count || fail_at(p, o->place, "an address is missing"));
    }
    if (depth == 1 && p->is_call && take_mark(p, '(')) {
        o->kind = PTX_OPERAND_GROUP;
        return operand_list(p, ')', &o->list, &o->count, depth);
    }
    if (!simple_operand(p, o, depth))
        return false;
    if (!take_mark(p, '|'))
        return true;
    struct ptx_operand pair[2] = {*o, {.place = p->token.place}};
    *o = (struct ptx_operand){.kind = PTX_OPERAND_PAIR, .place = pair[0].place, .count = 2};
    return simple_operand(p, &pair[1], depth) && add_items(p, pair, 2, &o->list);
}

/* ---- variables ---- */

static enum ptx_space space_of(struct ptx_name name)
{
    static const char *const names[] = {
        [PTX_SPACE_REG] = ".reg",     [PTX_SPACE_CONST] = ".const", [PTX_SPACE_GLOBAL] = ".global",
        [PTX_SPACE_LOCAL] = ".local", [PTX_SPACE_PARAM] = ".param", [PTX_SPACE_SHARED] = ".shared",
        [PTX_SPACE_TEX] = ".tex"};
    for (unsigned i = PTX_SPACE_REG; i <= PTX_SPACE_TEX; i++)
        if (ptx_name_is(name, names[i]))
            return (enum ptx_space)i;
    return PTX_SPACE_NONE;
}

static bool alignment(struct parser *p, struct ptx_variable *v)
{
    uint64_t value = 0;
    const struct ptx_place place = p->token.place;
    if (!want_number(p, 1 << 20, &value, "an alignment"))
        return false;
    if (!value || value & (value - 1))
        return fail_at(p, place, "an alignment of %llu, which is no power of two",
                       (unsigned long long)value);
    v->align = (uint32_t)value;
    return true;
}

/*
 * ".attribute(.managed)", ".attribute(.unified(1, 2))" (5.4.8), which are the same for memory that
 * is the host's, too; ".attribute(.wavetrap_at(N))", by which libcuda hands an address to the
 * linker. Behind the first word.
 */
static bool attributes(struct parser *p, struct ptx_variable *v)
{
    if (!want_mark(p, '('))
        return false;
    do {
        const struct ptx_token t = take(p);
        const bool is_address = ptx_name_is(t.text, ".wavetrap_at");
        if (t.kind != PTX_TOKEN_DIRECTIVE)
            return fail_at(p, t.place, "an attribute is expected");
        if (!take_mark(p, '('))
            continue;
        do {
            uint64_t number = 0;
            if (!want_number(p, UINT64_MAX, &number, "a number"))
                return false;
            if (is_address)
                v->address = number;
        } while (take_mark(p, ','));
        if (!want_mark(p, ')'))
            return false;
    } while (take_mark(p, ','));
    return want_mark(p, ')');
}

/* The part between the space and the names: ".align 8 .v2 .u32". */
static bool variable_type(struct parser *p, struct ptx_variable *v)
{
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        const struct ptx_token t = take(p);
        const enum ptx_type type = ptx_type_of(t.text.at + 1, t.text.length - 1);
        if (type != PTX_NO_TYPE) {
            v->type = type;
        } else if (ptx_name_is(t.text, ".align")) {
            /* Behind .ptr it is that of what the pointer points to. */
            struct ptx_variable pointed = *v;
            if (!alignment(p, v->is_pointer ? &pointed : v))
                return false;
        } else if (ptx_name_is(t.text, ".v2") || ptx_name_is(t.text, ".v4")) {
            v->vector = (uint8_t)(t.text.at[2] - '0');
        } else if (ptx_name_is(t.text, ".ptr")) {
            v->is_pointer = true;
        } else if (ptx_name_is(t.text, ".attribute")) {
            if (!attributes(p, v))
                return false;
        } else if (v->is_pointer && space_of(t.text) != PTX_SPACE_NONE) {
            v->pointed = space_of(t.text);
        } else {
            return fail_at(p, t.place, "'%.*s' is no type of a variable", (int)t.text.length,
                           t.text.at);
        }
    }
    return v->type != PTX_NO_TYPE || unexpected(p, "a type");
}

static bool initial_number(struct parser *p, struct ptx_initial *item, unsigned size, bool single)
{
    struct ptx_operand o = {0};
    struct ptx_constant c;
    if (!begins_expression(p))
        return unexpected(p, "a value");
    const bool integer = p->token.kind == PTX_TOKEN_INTEGER;
    if (!primary(p, &c) || (!(integer && is_mark(p, '(')) && !rest(p, &c, 0)))
        return false;
    constant_operand(&o, c);
    if (o.kind == PTX_OPERAND_DOUBLE && (single || size == 4)) {
        double value;
        memcpy(&value, &o.value, sizeof value);
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        o.value = bits;
    }
    if (integer && is_mark(p, '(')) { /* 0xff00(symbol): some bytes of its address (5.5.4) */
        uint64_t mask = o.value;
        if (!mask)
            return fail_at(p, p->token.place, "a mask of no bits");
        item->shift = (uint8_t)(__builtin_ctzll(mask) / 8 * 8);
        take(p);
        if (!want_name(p, &item->symbol, "a symbol") || !offset(p, (int64_t *)&item->value))
            return false;
        return want_mark(p, ')');
    }
    item->value = o.value;
    return true;
}

static bool initial_item(struct parser *p, struct ptx_variable *v, uint64_t at)
{
    const unsigned size = ptx_type_bytes(v->type);
    struct ptx_initial item = {.offset = at, .size = (uint8_t)size, .place = p->token.place};
    if (size > 8)
        return fail_at(p, p->token.place, "no initial value for elements of %u bytes", size);
    if (p->token.kind == PTX_TOKEN_NAME) {
        item.symbol = take(p).text;
        if (ptx_name_is(item.symbol, "generic") && take_mark(p, '(')) {
            item.generic = true;
            if (!want_name(p, &item.symbol, "a symbol") || !want_mark(p, ')'))
                return false;
        }
        if (!offset(p, (int64_t *)&item.value))
            return false;
    } else if (!initial_number(p, &item, size, v->type == PTX_F32)) {
        return false;
    }
    if (v->bytes && at + size > v->bytes)
        return fail_at(p, item.place, "more initial values than the variable has elements");
    if (!GROW(p, initial, 5, initial_count))
        return false;
    p->m->initial[p->m->initial_count++] = item;
    v->initial_count++;
    return true;
}

/* Nested braces fill their row: `rows` are the bytes of what each depth holds. */
static bool initial_list(struct parser *p, struct ptx_variable *v, uint64_t *at, unsigned depth)
{
    if (depth > 8)
        return fail_at(p, p->token.place, "initial values nested too deeply");
    if (!take_mark(p, '{')) {
        if (!initial_item(p, v, *at))
            return false;
        *at += ptx_type_bytes(v->type);
        return true;
    }
    while (!is_mark(p, '}')) {
        if (!initial_list(p, v, at, depth + 1))
            return false;
        if (!take_mark(p, ','))
            break;
    }
    return want_mark(p, '}');
}

/* The name, its range or brackets, and the initial value. */
static bool declarator(struct parser *p, struct ptx_variable *v)
{
    uint64_t count = 1, number = 0;
    bool open = false;
    v->place = p->token.place;
    if (!want_name(p, &v->name, "a name"))
        return false;
    if (take_mark(p, '<')) {
        if (!want_number(p, MOST_RANGE, &number, "a number of registers") || !want_mark(p, '>'))
            return false;
        v->range = (uint32_t)number;
        if (!number)
            return fail_at(p, v->place, "a range of no registers");
    }
    for (unsigned i = 0; take_mark(p, '['); i++) {
        v->is_array = true;
        if (take_mark(p, ']')) {
            if (i)
                return fail_at(p, v->place, "only the first dimension can be open");
            open = true;
            continue;
        }
        if (!want_integer(p, 0, UINT64_C(1) << 40, &number, "a number of elements") ||
            !want_mark(p, ']'))
            return false;
        if (__builtin_mul_overflow(count, number, &count) || count > UINT64_C(1) << 40)
            return fail_at(p, v->place, "an array of more than 2^40 elements");
    }
    v->bytes = open ? 0 : count * ptx_type_bytes(v->type) * v->vector;
    const uint32_t natural = ptx_type_bytes(v->type) * v->vector;
    if (!v->align)
        v->align = natural ? natural : 1;
    v->initial = (uint32_t)p->m->initial_count;
    v->initial_count = 0;
    if (take_mark(p, '=')) {
        uint64_t at = 0;
        if (!initial_list(p, v, &at, 0))
            return false;
        if (open)
            v->bytes = at;
    }
    return true;
}

/* Declares variables up to the semicolon: as statements of a body, or of the module. */
static bool variables(struct parser *p, enum ptx_linkage linkage, bool in_body)
{
    struct ptx_variable base = {.linkage = linkage, .vector = 1};
    base.space = space_of(take(p).text);
    if (!variable_type(p, &base))
        return false;
    do {
        struct ptx_variable v = base;
        uint32_t index = 0;
        if (!declarator(p, &v) || !add_variable(p, &v, &index))
            return false;
        if (in_body) {
            const struct ptx_statement s = {
                .kind = PTX_STATEMENT_VARIABLE, .index = index, .place = v.place, .name = v.name};
            if (!add_statement(p, &s))
                return false;
        } else {
            if (!GROW(p, global, 2, global_count))
                return false;
            p->m->global[p->m->global_count++] = index;
        }
    } while (take_mark(p, ','));
    return want_mark(p, ';');
}

/* ---- functions ---- */

/* Formal parameters in parentheses; the opening one is taken. A prototype's may be named _. */
static bool parameters(struct parser *p, uint32_t *first, uint32_t *count)
{
    struct ptx_variable list[256];
    uint32_t used = 0;
    while (!is_mark(p, ')')) {
        if (used && !want_mark(p, ','))
            return false;
        if (p->token.kind != PTX_TOKEN_DIRECTIVE)
            return unexpected(p, "a parameter");
        if (used == sizeof list / sizeof list[0])
            return fail_at(p, p->token.place, "more than 256 parameters");
        struct ptx_variable *v = &list[used];
        *v = (struct ptx_variable){.vector = 1};
        v->space = space_of(p->token.text);
        if (v->space != PTX_SPACE_PARAM && v->space != PTX_SPACE_REG)
            return unexpected(p, ".param or .reg");
        take(p);
        if (!variable_type(p, v))
            return false;
        if (is_mark(p, '_')) {
            uint64_t number = 0;
            v->place = p->token.place;
            take(p);
            v->bytes = ptx_type_bytes(v->type) * v->vector;
            if (take_mark(p, '[')) {
                v->is_array = true;
                if (!is_mark(p, ']') && !want_number(p, 1 << 20, &number, "a number of elements"))
                    return false;
                if (!want_mark(p, ']'))
                    return false;
                v->bytes *= number;
            }
            if (!v->align)
                v->align = ptx_type_bytes(v->type);
        } else if (!declarator(p, v)) {
            return false;
        }
        const uint32_t range = v->range;
        const struct ptx_variable one = *v;
        used++;
        /* "%P<2>" declares %P0 and %P1; the name of each is made by whoever looks for it. */
        for (uint32_t i = 1; i < range; i++, used++) {
            if (used == sizeof list / sizeof list[0])
                return fail_at(p, one.place, "more than 256 parameters");
            list[used] = one;
        }
    }
    *first = (uint32_t)p->m->variable_count;
    *count = used;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t index;
        if (!add_variable(p, &list[i], &index))
            return false;
    }
    return want_mark(p, ')');
}

/* .loc FILE LINE COLUMN, function_name LABEL, inlined_at FILE LINE COLUMN */
static bool location(struct parser *p)
{
    uint64_t number[3] = {0};
    take(p);
    for (unsigned i = 0; i < 3; i++)
        if (!want_number(p, UINT32_MAX, &number[i], "a number of a location"))
            return false;
    p->file = (uint32_t)number[0];
    p->line = (uint32_t)number[1];
    p->column = (uint32_t)number[2];
    struct ptx_name word = {0};
    while (take_mark(p, ',')) {
        if (!want_name(p, &word, "function_name or inlined_at"))
            return false;
        if (ptx_name_is(word, "inlined_at")) {
            for (unsigned i = 0; i < 3; i++)
                if (!want_number(p, UINT32_MAX, &number[i], "a number of a location"))
                    return false;
        } else {
            int64_t ignored = 0;
            if (!want_name(p, &word, "a label") || !offset(p, &ignored))
                return false;
        }
    }
    take_mark(p, ';');
    return true;
}

/* Directives that say nothing of what is computed: up to the semicolon. */
static bool skip_directive(struct parser *p)
{
    const struct ptx_place place = p->token.place;
    while (!is_mark(p, ';')) {
        if (p->token.kind == PTX_TOKEN_END || p->token.kind == PTX_TOKEN_BAD)
            return fail_at(p, place, "a directive does not end with ';'");
        take(p);
    }
    return want_mark(p, ';');
}

/* label: .callprototype (results) _ (parameters) .noreturn; */
static bool prototype(struct parser *p, struct ptx_name name, struct ptx_place place)
{
    struct ptx_function f = {.name = name, .place = place, .is_prototype = true};
    struct ptx_name word = {0};
    take(p);
    if (take_mark(p, '(') && !parameters(p, &f.result, &f.result_count))
        return false;
    if (!take_mark(p, '_') && !want_name(p, &word, "_"))
        return false;
    if (take_mark(p, '(') && !parameters(p, &f.parameter, &f.parameter_count))
        return false;
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        f.no_return |= ptx_name_is(p->token.text, ".noreturn");
        take(p);
        uint64_t ignored;
        if (p->token.kind == PTX_TOKEN_INTEGER && !want_number(p, UINT64_MAX, &ignored, "a number"))
            return false;
    }
    if (!want_mark(p, ';') || !GROW(p, function, 0, function_count))
        return false;
    const struct ptx_statement s = {.kind = PTX_STATEMENT_PROTOTYPE,
                                    .name = name,
                                    .place = place,
                                    .index = (uint32_t)p->m->function_count};
    p->m->function[p->m->function_count++] = f;
    return add_statement(p, &s);
}

static bool targets(struct parser *p, struct ptx_name name, struct ptx_place place)
{
    struct ptx_statement s = {.kind = PTX_STATEMENT_TARGETS, .name = name, .place = place};
    take(p);
    return operand_list(p, ';', &s.operand, &s.operand_count, 0) && add_statement(p, &s);
}

static bool label(struct parser *p, struct ptx_name name, struct ptx_place place)
{
    if (is_directive(p, ".callprototype"))
        return prototype(p, name, place);
    if (is_directive(p, ".branchtargets") || is_directive(p, ".calltargets"))
        return targets(p, name, place);
    const struct ptx_statement s = {.kind = PTX_STATEMENT_LABEL, .name = name, .place = place};
    return add_statement(p, &s);
}

/* Operands up to the semicolon. "call (a), f, (b)": commas are as everywhere. */
static bool instruction(struct parser *p, struct ptx_statement *s)
{
    s->kind = PTX_STATEMENT_INSTRUCTION;
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        const struct ptx_token t = take(p);
        s->name.length = (uint32_t)(t.text.at + t.text.length - s->name.at);
    }
    p->is_call = s->name.length >= 4 && memcmp(s->name.at, "call", 4) == 0 &&
                 (s->name.length == 4 || s->name.at[4] == '.');
    if (!operand_list(p, ';', &s->operand, &s->operand_count, 0))
        return false;
    const char *end = p->last_end - 1;
    s->text.length = (uint32_t)(end - s->text.at);
    return add_statement(p, s);
}

static bool statement(struct parser *p)
{
    struct ptx_statement s = {.place = p->token.place,
                              .text = {p->token.text.at, 0},
                              .file = p->file,
                              .line = p->line,
                              .column = p->column};
    if (take_mark(p, ';'))
        return true;
    if (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        if (space_of(p->token.text) != PTX_SPACE_NONE)
            return variables(p, PTX_PRIVATE, true);
        if (is_directive(p, ".loc"))
            return location(p);
        if (is_directive(p, ".pragma"))
            return skip_directive(p);
        return unexpected(p, "a statement");
    }
    if (take_mark(p, '@')) {
        s.guard_negated = take_mark(p, '!');
        if (!want_name(p, &s.guard, "a predicate"))
            return false;
    }
    s.place = p->token.place;
    if (!want_name(p, &s.name, "a statement"))
        return false;
    if (!s.guard.length && take_mark(p, ':'))
        return label(p, s.name, s.place);
    return instruction(p, &s);
}

/* The body's opening brace, at @p place, has been taken. */
static bool body(struct parser *p, struct ptx_function *f, struct ptx_place place)
{
    unsigned depth = 0;
    f->has_body = true;
    f->statement = (uint32_t)p->m->statement_count;
    p->file = p->line = p->column = 0;
    for (;;) {
        if (p->token.kind == PTX_TOKEN_END)
            return fail_at(p, place, "the body that begins here does not end");
        const bool opens = is_mark(p, '{');
        if (opens || is_mark(p, '}')) {
            struct ptx_statement s = {.kind = opens ? PTX_STATEMENT_OPEN : PTX_STATEMENT_CLOSE,
                                      .place = take(p).place};
            if (!opens && !depth--)
                break;
            if (opens && ++depth > MOST_DEPTH)
                return fail_at(p, s.place, "blocks nested too deeply");
            if (!add_statement(p, &s))
                return false;
        } else if (!statement(p)) {
            return false;
        }
    }
    f->statement_count = (uint32_t)p->m->statement_count - f->statement;
    return true;
}

/* .maxntid 1, 2, 3 and the like between the parameters and the body. */
static bool performance(struct parser *p, struct ptx_function *f)
{
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        const struct ptx_token t = take(p);
        uint32_t *threads = ptx_name_is(t.text, ".maxntid")   ? f->max_threads
                            : ptx_name_is(t.text, ".reqntid") ? f->required_threads
                                                              : NULL;
        if (ptx_name_is(t.text, ".pragma")) {
            if (!skip_directive(p))
                return false;
            continue;
        }
        f->no_return |= ptx_name_is(t.text, ".noreturn");
        struct ptx_variable none = {0};
        if (ptx_name_is(t.text, ".attribute")) {
            if (!attributes(p, &none))
                return false;
            continue;
        }
        for (unsigned i = 0; p->token.kind == PTX_TOKEN_INTEGER; i++) {
            uint64_t number = 0;
            if (!want_number(p, UINT32_MAX, &number, "a number of threads"))
                return false;
            if (threads && i < 3)
                threads[i] = (uint32_t)number;
            if (!take_mark(p, ','))
                break;
        }
        for (unsigned i = 1; threads && threads[0] && i < 3; i++)
            if (!threads[i])
                threads[i] = 1;
    }
    return true;
}

static bool function(struct parser *p, enum ptx_linkage linkage)
{
    struct ptx_function f = {.linkage = linkage};
    f.is_entry = ptx_name_is(take(p).text, ".entry");
    while (is_directive(p, ".attribute"))
        if (!performance(p, &f))
            return false;
    if (!f.is_entry && take_mark(p, '(') && !parameters(p, &f.result, &f.result_count))
        return false;
    f.place = p->token.place;
    if (!want_name(p, &f.name, "the function's name"))
        return false;
    if (take_mark(p, '(') && !parameters(p, &f.parameter, &f.parameter_count))
        return false;
    if (!performance(p, &f))
        return false;
    const struct ptx_place open = p->token.place;
    if (take_mark(p, '{')) {
        if (!body(p, &f, open))
            return false;
    } else if (!take_mark(p, ';')) {
        return unexpected(p, "a body or ';'");
    }
    if (!GROW(p, function, 0, function_count))
        return false;
    p->m->function[p->m->function_count++] = f;
    return true;
}

/* ---- the module ---- */

static bool version(struct parser *p)
{
    take(p);
    const struct ptx_token t = take(p); /* "8.5" reads as a number of type double */
    unsigned major = 0, minor = 0;
    char text[16] = "";
    if (t.kind == PTX_TOKEN_DOUBLE && t.text.length < sizeof text)
        memcpy(text, t.text.at, t.text.length);
    if (sscanf(text, "%u.%u", &major, &minor) != 2 || major > 99 || minor > 9)
        return fail_at(p, t.place, "'%.*s' is no version of PTX", (int)t.text.length, t.text.at);
    p->m->version = major * 10 + minor;
    return true;
}

static bool target(struct parser *p)
{
    take(p);
    do {
        struct ptx_name name;
        if (!want_name(p, &name, "a target"))
            return false;
        if (!p->m->target.length)
            p->m->target = name;
    } while (take_mark(p, ','));
    return true;
}

static bool address_size(struct parser *p)
{
    uint64_t bits = 0;
    take(p);
    const struct ptx_place place = p->token.place;
    if (!want_number(p, 64, &bits, "32 or 64"))
        return false;
    p->m->address_size = (unsigned)bits;
    if (bits == 64)
        return true;
    if (bits != 32)
        return fail_at(p, place, "addresses of %u bits", (unsigned)bits);
    p->status =
        wt_fail(p->err, WT_UNSUPPORTED, "%s:%u:%u: addresses of 32 bits; compile for 64 bits",
                p->name, place.line, place.column);
    return false;
}

/* .file 1 "name", timestamp, size; LLVM writes .file 1 "folder" "name", too */
static bool file(struct parser *p)
{
    uint64_t number = 0, ignored;
    struct ptx_file f = {0};
    take(p);
    if (!want_number(p, UINT32_MAX, &number, "the file's number"))
        return false;
    if (p->token.kind != PTX_TOKEN_STRING)
        return unexpected(p, "the file's name");
    f.number = (uint32_t)number;
    f.name = take(p).text;
    if (p->token.kind == PTX_TOKEN_STRING) {
        f.folder = f.name;
        f.name = take(p).text;
    }
    while (take_mark(p, ','))
        if (!want_number(p, UINT64_MAX, &ignored, "a number"))
            return false;
    if (!GROW(p, file, 6, file_count))
        return false;
    p->m->file[p->m->file_count++] = f;
    return true;
}

static bool section(struct parser *p)
{
    struct ptx_section s = {0};
    take(p);
    const struct ptx_token t = take(p);
    s.name = t.text;
    if (t.kind != PTX_TOKEN_DIRECTIVE && t.kind != PTX_TOKEN_NAME)
        return fail_at(p, t.place, "a section without a name");
    s.place = p->token.place;
    s.body.at = p->token.text.at + 1;
    if (!want_mark(p, '{'))
        return false;
    while (!is_mark(p, '}')) {
        if (p->token.kind == PTX_TOKEN_END || p->token.kind == PTX_TOKEN_BAD)
            return fail_at(p, s.place, "the section that begins here does not end");
        take(p);
    }
    s.body.length = (uint32_t)(p->token.text.at - s.body.at);
    take(p);
    if (!GROW(p, section, 7, section_count))
        return false;
    p->m->section[p->m->section_count++] = s;
    return true;
}

static bool alias(struct parser *p)
{
    struct ptx_alias a = {.place = p->token.place};
    take(p);
    if (!want_name(p, &a.name, "a name") || !want_mark(p, ',') ||
        !want_name(p, &a.target, "a function") || !want_mark(p, ';'))
        return false;
    if (!GROW(p, alias, 8, alias_count))
        return false;
    p->m->alias[p->m->alias_count++] = a;
    return true;
}

static enum ptx_linkage linkage_of(struct parser *p)
{
    static const char *const names[] = {NULL, ".extern", ".visible", ".weak", ".common"};
    enum ptx_linkage linkage = PTX_PRIVATE;
    for (unsigned i = 1; i < sizeof names / sizeof names[0]; i++)
        while (take_directive(p, names[i])) {
            linkage = (enum ptx_linkage)i;
            i = 1;
        }
    return linkage;
}

static bool top_level(struct parser *p)
{
    if (is_mark(p, ';')) {
        take(p);
        return true;
    }
    if (is_directive(p, ".version"))
        return version(p);
    if (!p->m->version)
        return unexpected(p, ".version, with which PTX begins,");
    if (is_directive(p, ".target"))
        return target(p);
    if (is_directive(p, ".address_size"))
        return address_size(p);
    if (is_directive(p, ".file"))
        return file(p);
    if (is_directive(p, ".section"))
        return section(p);
    if (is_directive(p, ".alias"))
        return alias(p);
    if (is_directive(p, ".pragma"))
        return skip_directive(p);
    if (is_directive(p, ".loc"))
        return location(p);
    const enum ptx_linkage linkage = linkage_of(p);
    if (is_directive(p, ".func") || is_directive(p, ".entry"))
        return function(p, linkage);
    if (p->token.kind == PTX_TOKEN_DIRECTIVE && space_of(p->token.text) != PTX_SPACE_NONE)
        return variables(p, linkage, false);
    return unexpected(p, "a directive");
}

enum wt_status ptx_parse(const char *name, const char *text, size_t length,
                         struct ptx_module *module, struct wt_error *err)
{
    assert(name && text && module && err);
    *module = (struct ptx_module){.address_size = 64};
    const char *nul = memchr(text, 0, length);
    if (nul)
        length = (size_t)(nul - text);
    if (length > UINT32_MAX / 2)
        return wt_fail(err, WT_INVALID, "%s: more than 2 GiB of PTX", name);
    module->text = malloc(length + 1);
    if (!module->text)
        return wt_fail(err, WT_NO_MEMORY, "the host has no memory left for %s", name);
    memcpy(module->text, text, length);
    module->text[length] = 0;
    struct parser p = {.m = module, .name = name, .err = err, .status = WT_OK};
    p.lexer = (struct ptx_lexer){
        .at = module->text, .end = module->text + length, .line = 1, .line_start = module->text};
    p.token = ptx_lex(&p.lexer);
    while (p.status == WT_OK && p.token.kind != PTX_TOKEN_END)
        top_level(&p);
    if (p.status == WT_OK && !module->version)
        unexpected(&p, ".version");
    if (p.status != WT_OK)
        ptx_free(module);
    return p.status;
}

void ptx_free(struct ptx_module *m)
{
    free(m->text);
    free(m->function);
    free(m->variable);
    free(m->global);
    free(m->statement);
    free(m->item);
    free(m->initial);
    free(m->file);
    free(m->section);
    free(m->alias);
    *m = (struct ptx_module){0};
}

bool ptx_is_text(const uint8_t *bytes, size_t length)
{
    struct ptx_lexer l = {
        .at = (const char *)bytes, .end = (const char *)bytes + length, .line = 1};
    l.line_start = l.at;
    const struct ptx_token t = ptx_lex(&l);
    return t.kind == PTX_TOKEN_DIRECTIVE && ptx_name_is(t.text, ".version");
}
