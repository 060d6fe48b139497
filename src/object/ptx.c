/* Parses PTX modules: variables, functions, directives. See ptx.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/ptx_parser.h"

#define MOST_DEPTH 64

#define MOST_RANGE 1000000

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
    if (!ptx_parse_want_number(p, 1 << 20, &value, "an alignment"))
        return false;
    if (!value || value & (value - 1))
        return ptx_parse_fail_at(p, place, "an alignment of %llu, which is not a power of two",
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
    if (!ptx_parse_want_mark(p, '('))
        return false;
    do {
        const struct ptx_token t = ptx_parse_take(p);
        const bool is_address = ptx_name_is(t.text, ".wavetrap_at");
        if (t.kind != PTX_TOKEN_DIRECTIVE)
            return ptx_parse_fail_at(p, t.place, "an attribute is expected");
        if (!ptx_parse_take_mark(p, '('))
            continue;
        do {
            uint64_t number = 0;
            if (!ptx_parse_want_number(p, UINT64_MAX, &number, "a number"))
                return false;
            if (is_address)
                v->address = number;
        } while (ptx_parse_take_mark(p, ','));
        if (!ptx_parse_want_mark(p, ')'))
            return false;
    } while (ptx_parse_take_mark(p, ','));
    return ptx_parse_want_mark(p, ')');
}

/* The part between the space and the names: ".align 8 .v2 .u32". */
static bool variable_type(struct parser *p, struct ptx_variable *v)
{
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        const struct ptx_token t = ptx_parse_take(p);
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
            return ptx_parse_fail_at(p, t.place, "'%.*s' is not a type of a variable",
                                     (int)t.text.length, t.text.at);
        }
    }
    return v->type != PTX_NO_TYPE || ptx_parse_unexpected(p, "a type");
}

static bool initial_number(struct parser *p, struct ptx_initial *item, unsigned size, bool single)
{
    struct ptx_operand o = {0};
    struct ptx_constant c;
    if (!ptx_parse_begins_expression(p))
        return ptx_parse_unexpected(p, "a value");
    const bool integer = p->token.kind == PTX_TOKEN_INTEGER;
    if (!ptx_parse_primary(p, &c) ||
        (!(integer && ptx_parse_is_mark(p, '(')) && !ptx_parse_rest(p, &c, 0)))
        return false;
    ptx_parse_constant_operand(&o, c);
    if (o.kind == PTX_OPERAND_DOUBLE && (single || size == 4)) {
        double value;
        memcpy(&value, &o.value, sizeof value);
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        o.value = bits;
    }
    if (integer &&
        ptx_parse_is_mark(p, '(')) { /* 0xff00(symbol): some bytes of its address (5.5.4) */
        uint64_t mask = o.value;
        if (!mask)
            return ptx_parse_fail_at(p, p->token.place, "a mask of no bits");
        item->shift = (uint8_t)(__builtin_ctzll(mask) / 8 * 8);
        ptx_parse_take(p);
        if (!ptx_parse_want_name(p, &item->symbol, "a symbol") ||
            !ptx_parse_offset(p, (int64_t *)&item->value))
            return false;
        return ptx_parse_want_mark(p, ')');
    }
    item->value = o.value;
    return true;
}

static bool initial_item(struct parser *p, struct ptx_variable *v, uint64_t at)
{
    const unsigned size = ptx_type_bytes(v->type);
    struct ptx_initial item = {.offset = at, .size = (uint8_t)size, .place = p->token.place};
    if (size > 8)
        return ptx_parse_fail_at(p, p->token.place, "no initial value for elements of %u bytes",
                                 size);
    if (p->token.kind == PTX_TOKEN_NAME) {
        item.symbol = ptx_parse_take(p).text;
        if (ptx_name_is(item.symbol, "generic") && ptx_parse_take_mark(p, '(')) {
            item.generic = true;
            if (!ptx_parse_want_name(p, &item.symbol, "a symbol") || !ptx_parse_want_mark(p, ')'))
                return false;
        }
        if (!ptx_parse_offset(p, (int64_t *)&item.value))
            return false;
    } else if (!initial_number(p, &item, size, v->type == PTX_F32)) {
        return false;
    }
    if (v->bytes && at + size > v->bytes)
        return ptx_parse_fail_at(p, item.place,
                                 "more initial values than the variable has elements");
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
        return ptx_parse_fail_at(p, p->token.place, "initial values nested too deeply");
    if (!ptx_parse_take_mark(p, '{')) {
        if (!initial_item(p, v, *at))
            return false;
        *at += ptx_type_bytes(v->type);
        return true;
    }
    while (!ptx_parse_is_mark(p, '}')) {
        if (!initial_list(p, v, at, depth + 1))
            return false;
        if (!ptx_parse_take_mark(p, ','))
            break;
    }
    return ptx_parse_want_mark(p, '}');
}

/* The name, its range or brackets, and the initial value. */
static bool declarator(struct parser *p, struct ptx_variable *v)
{
    uint64_t count = 1, number = 0;
    bool open = false;
    v->place = p->token.place;
    if (!ptx_parse_want_name(p, &v->name, "a name"))
        return false;
    if (ptx_parse_take_mark(p, '<')) {
        if (!ptx_parse_want_number(p, MOST_RANGE, &number, "a number of registers") ||
            !ptx_parse_want_mark(p, '>'))
            return false;
        v->range = (uint32_t)number;
        if (!number)
            return ptx_parse_fail_at(p, v->place, "a range of no registers");
    }
    for (unsigned i = 0; ptx_parse_take_mark(p, '['); i++) {
        v->is_array = true;
        if (ptx_parse_take_mark(p, ']')) {
            if (i)
                return ptx_parse_fail_at(p, v->place, "only the first dimension can be open");
            open = true;
            continue;
        }
        if (!ptx_parse_want_integer(p, 0, UINT64_C(1) << 40, &number, "a number of elements") ||
            !ptx_parse_want_mark(p, ']'))
            return false;
        if (__builtin_mul_overflow(count, number, &count) || count > UINT64_C(1) << 40)
            return ptx_parse_fail_at(p, v->place, "an array of more than 2^40 elements");
    }
    v->bytes = open ? 0 : count * ptx_type_bytes(v->type) * v->vector;
    const uint32_t natural = ptx_type_bytes(v->type) * v->vector;
    if (!v->align)
        v->align = natural ? natural : 1;
    v->initial = (uint32_t)p->m->initial_count;
    v->initial_count = 0;
    if (ptx_parse_take_mark(p, '=')) {
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
    base.space = space_of(ptx_parse_take(p).text);
    if (!variable_type(p, &base))
        return false;
    do {
        struct ptx_variable v = base;
        uint32_t index = 0;
        if (!declarator(p, &v) || !ptx_parse_add_variable(p, &v, &index))
            return false;
        if (in_body) {
            const struct ptx_statement s = {
                .kind = PTX_STATEMENT_VARIABLE, .index = index, .place = v.place, .name = v.name};
            if (!ptx_parse_add_statement(p, &s))
                return false;
        } else {
            if (!GROW(p, global, 2, global_count))
                return false;
            p->m->global[p->m->global_count++] = index;
        }
    } while (ptx_parse_take_mark(p, ','));
    return ptx_parse_want_mark(p, ';');
}

/* ---- functions ---- */

/* Formal parameters in parentheses; the opening one is taken. A prototype's may be named _. */
static bool parameters(struct parser *p, uint32_t *first, uint32_t *count)
{
    struct ptx_variable list[256];
    uint32_t used = 0;
    while (!ptx_parse_is_mark(p, ')')) {
        if (used && !ptx_parse_want_mark(p, ','))
            return false;
        if (p->token.kind != PTX_TOKEN_DIRECTIVE)
            return ptx_parse_unexpected(p, "a parameter");
        if (used == sizeof list / sizeof list[0])
            return ptx_parse_fail_at(p, p->token.place, "more than 256 parameters");
        struct ptx_variable *v = &list[used];
        *v = (struct ptx_variable){.vector = 1};
        v->space = space_of(p->token.text);
        if (v->space != PTX_SPACE_PARAM && v->space != PTX_SPACE_REG)
            return ptx_parse_unexpected(p, ".param or .reg");
        ptx_parse_take(p);
        if (!variable_type(p, v))
            return false;
        if (ptx_parse_is_mark(p, '_')) {
            uint64_t number = 0;
            v->place = p->token.place;
            ptx_parse_take(p);
            v->bytes = ptx_type_bytes(v->type) * v->vector;
            if (ptx_parse_take_mark(p, '[')) {
                v->is_array = true;
                if (!ptx_parse_is_mark(p, ']') &&
                    !ptx_parse_want_number(p, 1 << 20, &number, "a number of elements"))
                    return false;
                if (!ptx_parse_want_mark(p, ']'))
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
                return ptx_parse_fail_at(p, one.place, "more than 256 parameters");
            list[used] = one;
        }
    }
    *first = (uint32_t)p->m->variable_count;
    *count = used;
    for (uint32_t i = 0; i < used; i++) {
        uint32_t index;
        if (!ptx_parse_add_variable(p, &list[i], &index))
            return false;
    }
    return ptx_parse_want_mark(p, ')');
}

/* .loc FILE LINE COLUMN, function_name LABEL, inlined_at FILE LINE COLUMN */
static bool location(struct parser *p)
{
    uint64_t number[3] = {0};
    ptx_parse_take(p);
    for (unsigned i = 0; i < 3; i++)
        if (!ptx_parse_want_number(p, UINT32_MAX, &number[i], "a number of a location"))
            return false;
    p->file = (uint32_t)number[0];
    p->line = (uint32_t)number[1];
    p->column = (uint32_t)number[2];
    struct ptx_name word = {0};
    while (ptx_parse_take_mark(p, ',')) {
        if (!ptx_parse_want_name(p, &word, "function_name or inlined_at"))
            return false;
        if (ptx_name_is(word, "inlined_at")) {
            for (unsigned i = 0; i < 3; i++)
                if (!ptx_parse_want_number(p, UINT32_MAX, &number[i], "a number of a location"))
                    return false;
        } else {
            int64_t ignored = 0;
            if (!ptx_parse_want_name(p, &word, "a label") || !ptx_parse_offset(p, &ignored))
                return false;
        }
    }
    ptx_parse_take_mark(p, ';');
    return true;
}

/* Directives that say nothing of what is computed: up to the semicolon. */
static bool skip_directive(struct parser *p)
{
    const struct ptx_place place = p->token.place;
    while (!ptx_parse_is_mark(p, ';')) {
        if (p->token.kind == PTX_TOKEN_END || p->token.kind == PTX_TOKEN_BAD)
            return ptx_parse_fail_at(p, place, "a directive does not end with ';'");
        ptx_parse_take(p);
    }
    return ptx_parse_want_mark(p, ';');
}

/* label: .callprototype (results) _ (parameters) .noreturn; */
static bool prototype(struct parser *p, struct ptx_name name, struct ptx_place place)
{
    struct ptx_function f = {.name = name, .place = place, .is_prototype = true};
    struct ptx_name word = {0};
    ptx_parse_take(p);
    if (ptx_parse_take_mark(p, '(') && !parameters(p, &f.result, &f.result_count))
        return false;
    if (!ptx_parse_take_mark(p, '_') && !ptx_parse_want_name(p, &word, "_"))
        return false;
    if (ptx_parse_take_mark(p, '(') && !parameters(p, &f.parameter, &f.parameter_count))
        return false;
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        f.no_return |= ptx_name_is(p->token.text, ".noreturn");
        ptx_parse_take(p);
        uint64_t ignored;
        if (p->token.kind == PTX_TOKEN_INTEGER &&
            !ptx_parse_want_number(p, UINT64_MAX, &ignored, "a number"))
            return false;
    }
    if (!ptx_parse_want_mark(p, ';') || !GROW(p, function, 0, function_count))
        return false;
    const struct ptx_statement s = {.kind = PTX_STATEMENT_PROTOTYPE,
                                    .name = name,
                                    .place = place,
                                    .index = (uint32_t)p->m->function_count};
    p->m->function[p->m->function_count++] = f;
    return ptx_parse_add_statement(p, &s);
}

static bool targets(struct parser *p, struct ptx_name name, struct ptx_place place)
{
    struct ptx_statement s = {.kind = PTX_STATEMENT_TARGETS, .name = name, .place = place};
    ptx_parse_take(p);
    return ptx_parse_operand_list(p, ';', &s.operand, &s.operand_count, 0) &&
           ptx_parse_add_statement(p, &s);
}

static bool label(struct parser *p, struct ptx_name name, struct ptx_place place)
{
    if (ptx_parse_is_directive(p, ".callprototype"))
        return prototype(p, name, place);
    if (ptx_parse_is_directive(p, ".branchtargets") || ptx_parse_is_directive(p, ".calltargets"))
        return targets(p, name, place);
    const struct ptx_statement s = {.kind = PTX_STATEMENT_LABEL, .name = name, .place = place};
    return ptx_parse_add_statement(p, &s);
}

/* Operands up to the semicolon. "call (a), f, (b)": commas are as everywhere. */
static bool instruction(struct parser *p, struct ptx_statement *s)
{
    s->kind = PTX_STATEMENT_INSTRUCTION;
    while (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        const struct ptx_token t = ptx_parse_take(p);
        s->name.length = (uint32_t)(t.text.at + t.text.length - s->name.at);
    }
    p->is_call = s->name.length >= 4 && memcmp(s->name.at, "call", 4) == 0 &&
                 (s->name.length == 4 || s->name.at[4] == '.');
    if (!ptx_parse_operand_list(p, ';', &s->operand, &s->operand_count, 0))
        return false;
    const char *end = p->last_end - 1;
    s->text.length = (uint32_t)(end - s->text.at);
    return ptx_parse_add_statement(p, s);
}

static bool statement(struct parser *p)
{
    struct ptx_statement s = {.place = p->token.place,
                              .text = {p->token.text.at, 0},
                              .file = p->file,
                              .line = p->line,
                              .column = p->column};
    if (ptx_parse_take_mark(p, ';'))
        return true;
    if (p->token.kind == PTX_TOKEN_DIRECTIVE) {
        if (space_of(p->token.text) != PTX_SPACE_NONE)
            return variables(p, PTX_PRIVATE, true);
        if (ptx_parse_is_directive(p, ".loc"))
            return location(p);
        if (ptx_parse_is_directive(p, ".pragma"))
            return skip_directive(p);
        return ptx_parse_unexpected(p, "a statement");
    }
    if (ptx_parse_take_mark(p, '@')) {
        s.guard_negated = ptx_parse_take_mark(p, '!');
        if (!ptx_parse_want_name(p, &s.guard, "a predicate"))
            return false;
    }
    s.place = p->token.place;
    if (!ptx_parse_want_name(p, &s.name, "a statement"))
        return false;
    if (!s.guard.length && ptx_parse_take_mark(p, ':'))
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
            return ptx_parse_fail_at(p, place, "the body that begins here does not end");
        const bool opens = ptx_parse_is_mark(p, '{');
        if (opens || ptx_parse_is_mark(p, '}')) {
            struct ptx_statement s = {.kind = opens ? PTX_STATEMENT_OPEN : PTX_STATEMENT_CLOSE,
                                      .place = ptx_parse_take(p).place};
            if (!opens && !depth--)
                break;
            if (opens && ++depth > MOST_DEPTH)
                return ptx_parse_fail_at(p, s.place, "blocks nested too deeply");
            if (!ptx_parse_add_statement(p, &s))
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
        const struct ptx_token t = ptx_parse_take(p);
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
            if (!ptx_parse_want_number(p, UINT32_MAX, &number, "a number of threads"))
                return false;
            if (threads && i < 3)
                threads[i] = (uint32_t)number;
            if (!ptx_parse_take_mark(p, ','))
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
    f.is_entry = ptx_name_is(ptx_parse_take(p).text, ".entry");
    while (ptx_parse_is_directive(p, ".attribute"))
        if (!performance(p, &f))
            return false;
    if (!f.is_entry && ptx_parse_take_mark(p, '(') && !parameters(p, &f.result, &f.result_count))
        return false;
    f.place = p->token.place;
    if (!ptx_parse_want_name(p, &f.name, "the function's name"))
        return false;
    if (ptx_parse_take_mark(p, '(') && !parameters(p, &f.parameter, &f.parameter_count))
        return false;
    if (!performance(p, &f))
        return false;
    const struct ptx_place open = p->token.place;
    if (ptx_parse_take_mark(p, '{')) {
        if (!body(p, &f, open))
            return false;
    } else if (!ptx_parse_take_mark(p, ';')) {
        return ptx_parse_unexpected(p, "a body or ';'");
    }
    if (!GROW(p, function, 0, function_count))
        return false;
    p->m->function[p->m->function_count++] = f;
    return true;
}

/* ---- the module ---- */

/* "8.5" reads as a number of type double. 0: it is no version. */
static unsigned version_number(struct ptx_token t)
{
    unsigned major = 0, minor = 0;
    char text[16] = "";
    if (t.kind == PTX_TOKEN_DOUBLE && t.text.length < sizeof text)
        memcpy(text, t.text.at, t.text.length);
    return sscanf(text, "%u.%u", &major, &minor) == 2 && major <= 99 && minor <= 9
               ? major * 10 + minor
               : 0;
}

static bool version(struct parser *p)
{
    ptx_parse_take(p);
    const struct ptx_token t = ptx_parse_take(p);
    p->m->version = version_number(t);
    return p->m->version || ptx_parse_fail_at(p, t.place, "'%.*s' is not a version of PTX",
                                              (int)t.text.length, t.text.at);
}

/* sm_NN, with a or f behind it for features of one GPU or of a family; or a word of 9.3.2. */
static bool is_target(struct ptx_name name)
{
    static const char *const words[] = {"texmode_unified", "texmode_independent", "debug",
                                        "map_f64_to_f32"};
    static const uint8_t known[] = {10, 11, 12, 13,  20,  21,  30,  32,  35, 37, 50,
                                    52, 53, 60, 61,  62,  70,  72,  75,  80, 86, 87,
                                    88, 89, 90, 100, 101, 103, 110, 120, 121};
    unsigned number = 0;
    int end = 0;
    char text[24] = "";
    if (name.length < sizeof text)
        memcpy(text, name.at, name.length);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    if (sscanf(text, "sm_%u%n", &number, &end) != 1 ||
        (text[end] && strcmp(text + end, number >= 90 ? "a" : "") != 0 &&
         strcmp(text + end, number >= 100 ? "f" : "") != 0))
        return false;
    return number < 256 && memchr(known, (int)number, sizeof known);
}

static bool target(struct parser *p)
{
    ptx_parse_take(p);
    do {
        struct ptx_name name;
        const struct ptx_place place = p->token.place;
        if (!ptx_parse_want_name(p, &name, "a target"))
            return false;
        if (!is_target(name))
            return ptx_parse_fail_at(p, place, "'%.*s' is not a target", (int)name.length, name.at);
        if (!p->m->target.length)
            p->m->target = name;
    } while (ptx_parse_take_mark(p, ','));
    return true;
}

static bool address_size(struct parser *p)
{
    uint64_t bits = 0;
    ptx_parse_take(p);
    const struct ptx_place place = p->token.place;
    if (!ptx_parse_want_number(p, 64, &bits, "32 or 64"))
        return false;
    p->m->address_size = (unsigned)bits;
    if (bits == 64)
        return true;
    if (bits != 32)
        return ptx_parse_fail_at(p, place, "addresses of %u bits", (unsigned)bits);
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
    ptx_parse_take(p);
    if (!ptx_parse_want_number(p, UINT32_MAX, &number, "the file's number"))
        return false;
    if (p->token.kind != PTX_TOKEN_STRING)
        return ptx_parse_unexpected(p, "the file's name");
    f.number = (uint32_t)number;
    f.name = ptx_parse_take(p).text;
    if (p->token.kind == PTX_TOKEN_STRING) {
        f.folder = f.name;
        f.name = ptx_parse_take(p).text;
    }
    while (ptx_parse_take_mark(p, ','))
        if (!ptx_parse_want_number(p, UINT64_MAX, &ignored, "a number"))
            return false;
    if (!GROW(p, file, 6, file_count))
        return false;
    p->m->file[p->m->file_count++] = f;
    return true;
}

static bool section(struct parser *p)
{
    struct ptx_section s = {0};
    ptx_parse_take(p);
    const struct ptx_token t = ptx_parse_take(p);
    s.name = t.text;
    if (t.kind != PTX_TOKEN_DIRECTIVE && t.kind != PTX_TOKEN_NAME)
        return ptx_parse_fail_at(p, t.place, "a section without a name");
    s.place = p->token.place;
    s.body.at = p->token.text.at + 1;
    if (!ptx_parse_want_mark(p, '{'))
        return false;
    while (!ptx_parse_is_mark(p, '}')) {
        if (p->token.kind == PTX_TOKEN_END || p->token.kind == PTX_TOKEN_BAD)
            return ptx_parse_fail_at(p, s.place, "the section that begins here does not end");
        ptx_parse_take(p);
    }
    s.body.length = (uint32_t)(p->token.text.at - s.body.at);
    ptx_parse_take(p);
    if (!GROW(p, section, 7, section_count))
        return false;
    p->m->section[p->m->section_count++] = s;
    return true;
}

static bool alias(struct parser *p)
{
    struct ptx_alias a = {.place = p->token.place};
    ptx_parse_take(p);
    if (!ptx_parse_want_name(p, &a.name, "a name") || !ptx_parse_want_mark(p, ',') ||
        !ptx_parse_want_name(p, &a.target, "a function") || !ptx_parse_want_mark(p, ';'))
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
        while (ptx_parse_take_directive(p, names[i])) {
            linkage = (enum ptx_linkage)i;
            i = 1;
        }
    return linkage;
}

static bool top_level(struct parser *p)
{
    if (ptx_parse_is_mark(p, ';')) {
        ptx_parse_take(p);
        return true;
    }
    if (ptx_parse_is_directive(p, ".version"))
        return version(p);
    if (!p->m->version)
        return ptx_parse_unexpected(p, ".version, with which PTX begins,");
    if (ptx_parse_is_directive(p, ".target"))
        return target(p);
    if (ptx_parse_is_directive(p, ".address_size"))
        return address_size(p);
    if (ptx_parse_is_directive(p, ".file"))
        return file(p);
    if (ptx_parse_is_directive(p, ".section"))
        return section(p);
    if (ptx_parse_is_directive(p, ".alias"))
        return alias(p);
    if (ptx_parse_is_directive(p, ".pragma"))
        return skip_directive(p);
    if (ptx_parse_is_directive(p, ".loc"))
        return location(p);
    const enum ptx_linkage linkage = linkage_of(p);
    if (ptx_parse_is_directive(p, ".func") || ptx_parse_is_directive(p, ".entry"))
        return function(p, linkage);
    if (p->token.kind == PTX_TOKEN_DIRECTIVE && space_of(p->token.text) != PTX_SPACE_NONE)
        return variables(p, linkage, false);
    return ptx_parse_unexpected(p, "a directive");
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
        ptx_parse_unexpected(&p, ".version");
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

static struct ptx_token first_token(const uint8_t *bytes, size_t length, struct ptx_lexer *l)
{
    *l = (struct ptx_lexer){
        .at = (const char *)bytes, .end = (const char *)bytes + length, .line = 1};
    l->line_start = l->at;
    return ptx_lex(l);
}

bool ptx_is_text(const uint8_t *bytes, size_t length)
{
    struct ptx_lexer l;
    const struct ptx_token t = first_token(bytes, length, &l);
    return t.kind == PTX_TOKEN_DIRECTIVE && ptx_name_is(t.text, ".version");
}

unsigned ptx_version_of(const uint8_t *bytes, size_t length)
{
    struct ptx_lexer l;
    const struct ptx_token t = first_token(bytes, length, &l), number = ptx_lex(&l);
    return t.kind == PTX_TOKEN_DIRECTIVE && ptx_name_is(t.text, ".version") ? version_number(number)
                                                                            : 0;
}
