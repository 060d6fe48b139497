/*
 * Where addresses of PTX come from, for judges: a register has the address of one variable where
 * each of its definitions is that address, a copy of such a register, or a sum of such a register
 * and a number that no address is part of. Nothing is known of other registers.
 */
#include "emulator/sm/ptx/image.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/demangle.h"
#include "object/cubin.h"

/* The value of a register in the analysis. It goes from UNKNOWN to one of the others, and from each
 * of them to MIXED. */
enum { UNKNOWN, NUMBER, MIXED, FIRST_ORIGIN };

struct reg {
    struct ptx_name name;
    uint32_t value; /* or FIRST_ORIGIN + an index of the image's origins */
    bool defined;
};

/* A function that is looked at. */
struct search {
    struct sm_ptx *image;
    const struct sm_ptx_kernel *kernel;
    struct reg *reg; /* by a hash of the name; a power of two of places */
    size_t room;
    bool changed;
    uint32_t *found; /* of each record, while origins are added: FIRST_ORIGIN + index */
};

/* ---- text ---- */

static struct ptx_name part(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n'))
        at++;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\n'))
        end--;
    return (struct ptx_name){at, (size_t)(end - at)};
}

/* An instruction, without its guard. */
enum { MOST_OPERANDS = 5 };
struct words {
    struct ptx_name opcode, operand[MOST_OPERANDS];
    unsigned count; /* those beyond are left out */
};

static void split(struct ptx_name text, struct words *w)
{
    const char *at = text.at, *end = at + text.length;
    *w = (struct words){.count = 0};
    if (at < end && *at == '@')
        while (at < end && *at != ' ' && *at != '\t')
            at++;
    struct ptx_name rest = part(at, end);
    for (at = rest.at; at < end && *at != ' ' && *at != '\t' && *at != '\n';)
        at++;
    w->opcode = part(rest.at, at);
    unsigned depth = 0;
    for (const char *from = at; at <= end && w->count < MOST_OPERANDS; at++) {
        if (at < end && (*at == '{' || *at == '[' || *at == '('))
            depth++;
        else if (at < end && (*at == '}' || *at == ']' || *at == ')'))
            depth -= depth > 0;
        else if (at == end || (*at == ',' && !depth)) {
            w->operand[w->count++] = part(from, at);
            from = at + 1;
        }
    }
}

static bool begins(struct ptx_name name, const char *with)
{
    const size_t length = strlen(with);
    return name.length >= length && memcmp(name.at, with, length) == 0 &&
           (name.length == length || name.at[length] == '.');
}

/* The name that an operand begins with: of "[%rd1+8]" %rd1. */
static struct ptx_name name_in(struct ptx_name operand)
{
    const char *at = operand.at, *end = at + operand.length;
    while (at < end && (*at == '[' || *at == '{' || *at == '(' || *at == ' '))
        at++;
    const char *to = at;
    while (to < end && !strchr("+-]}), |\t", *to))
        to++;
    return (struct ptx_name){at, (size_t)(to - at)};
}

/* ---- registers ---- */

static struct reg *reg_of(const struct search *s, struct ptx_name name)
{
    size_t at = 0;
    for (size_t i = 0; i < name.length; i++)
        at = at * 31 + (uint8_t)name.at[i];
    for (at &= s->room - 1;; at = (at + 1) & (s->room - 1)) {
        struct reg *r = &s->reg[at];
        if (r->name.length && !ptx_names_equal(r->name, name))
            continue;
        r->name = name;
        return r;
    }
}

static bool is_register(struct ptx_name name)
{
    return name.length > 1 && name.at[0] == '%';
}

/* ---- variables ---- */

static uint32_t add_origin(struct sm_ptx *image, struct ptx_name name, struct ptx_origin o)
{
    char symbol[400], text[400];
    struct ptx_origin *grown =
        wt_array_grow(image->origin, &image->origin_room, image->origin_count + 1, sizeof *grown);
    if (!grown)
        return MIXED;
    image->origin = grown;
    snprintf(symbol, sizeof symbol, "%.*s", (int)name.length, name.at);
    wt_demangle_variable(symbol, text, sizeof text);
    if (strncmp(text, "__local_depot", 13) == 0) /* all of a function: the compiler's name */
        *text = 0;
    for (size_t i = 0; i < image->origin_count; i++) {
        const struct ptx_origin *there = &image->origin[i];
        if (there->space == o.space && there->variable.first == o.variable.first &&
            there->variable.size == o.variable.size && strcmp(there->variable.name, text) == 0)
            return FIRST_ORIGIN + (uint32_t)i;
    }
    if (!(o.variable.name = strdup(text)))
        return MIXED;
    grown[image->origin_count] = o;
    return FIRST_ORIGIN + (uint32_t)image->origin_count++;
}

/* The value of a module's name in the analysis. */
static uint32_t value_of_symbol(struct search *s, uint32_t module, struct ptx_name name)
{
    const struct sm_ptx_variable *found = NULL;
    for (size_t i = 0; s->kernel && i < s->kernel->parameter_count; i++) {
        const struct sm_ptx_parameter *p = &s->kernel->parameter[i];
        if (s->kernel->is_kernel && ptx_name_is(name, p->name))
            return add_origin(
                s->image, name,
                (struct ptx_origin){PTX_SPACE_PARAM,
                                    {.first = CUBIN_PARAMETERS + p->offset, .size = p->size}});
    }
    for (size_t i = 0; i < s->image->variable_count; i++) {
        const struct sm_ptx_variable *v = &s->image->variable[i];
        if (v->module != module || !ptx_names_equal(v->name, name))
            continue;
        if (found && (found->place != v->place || found->space != v->space))
            return MIXED; /* functions have variables of one name */
        found = v;
    }
    if (!found || !found->bytes)
        return MIXED;
    return add_origin(
        s->image, name,
        (struct ptx_origin){found->space, {.first = found->place, .size = found->bytes}});
}

static uint32_t value_of(struct search *s, uint32_t module, struct ptx_name operand)
{
    const struct ptx_name name = name_in(operand);
    if (is_register(name)) {
        const struct reg *r = reg_of(s, name);
        return r->defined ? r->value : NUMBER; /* special registers, too */
    }
    if (!name.length || (name.at[0] >= '0' && name.at[0] <= '9'))
        return NUMBER; /* -1, too */
    return value_of_symbol(s, module, name);
}

/* ---- instructions ---- */

static uint32_t sum(uint32_t a, uint32_t b)
{
    if (a == UNKNOWN || b == UNKNOWN)
        return UNKNOWN;
    if (a == NUMBER || b == NUMBER)
        return a == NUMBER ? b : a;
    return MIXED;
}

/* The value that an instruction gives the registers of its first operand. */
static uint32_t result_of(struct search *s, uint32_t module, const struct words *w)
{
    uint32_t value[MOST_OPERANDS];
    bool unknown = false, plain = true;
    if (begins(w->opcode, "ld") || begins(w->opcode, "ldu") || begins(w->opcode, "atom"))
        return NUMBER;
    for (unsigned i = 1; i < w->count; i++) {
        value[i] = value_of(s, module, w->operand[i]);
        unknown |= value[i] == UNKNOWN;
        plain &= value[i] == NUMBER;
    }
    if ((begins(w->opcode, "mov") || begins(w->opcode, "cvta") || begins(w->opcode, "cvt")) &&
        w->count == 2 && w->operand[1].at[0] != '{')
        return value[1];
    if (begins(w->opcode, "add") && w->count == 3)
        return sum(value[1], value[2]);
    if (begins(w->opcode, "sub") && w->count == 3 && (value[2] == NUMBER || unknown))
        return unknown ? UNKNOWN : value[1];
    return unknown ? UNKNOWN : plain ? NUMBER : MIXED;
}

static bool has_result(struct ptx_name opcode)
{
    static const char *const others[] = {"st",  "red",  "bra",    "bar",     "barrier",
                                         "ret", "exit", "membar", "fence",   "trap",
                                         "brx", "sust", "call",   "prefetch"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (begins(opcode, others[i]))
            return false;
    return true;
}

/* Joins a value to those that registers of an operand had before: "%r1", "{%r1, %r2}", "%p1|%p2".
 */
static void define(struct search *s, struct ptx_name operand, uint32_t value)
{
    const char *end = operand.at + operand.length;
    for (const char *at = operand.at; at < end; at++) {
        if (*at != '%')
            continue;
        struct reg *r = reg_of(s, name_in((struct ptx_name){at, (size_t)(end - at)}));
        const uint32_t joined = !r->defined || r->value == UNKNOWN      ? value
                                : value == UNKNOWN || value == r->value ? r->value
                                                                        : MIXED;
        s->changed |= !r->defined || joined != r->value;
        r->defined = true;
        r->value = joined;
    }
}

static bool is_access(const struct ptx_op *o)
{
    return o->run == ptx_op_load || o->run == ptx_op_store || o->run == ptx_op_atomic;
}

/* The operand in brackets; NULL: there is none. */
static const struct ptx_name *memory_of(const struct words *w)
{
    for (unsigned i = 0; i < w->count; i++)
        if (w->operand[i].length && w->operand[i].at[0] == '[')
            return &w->operand[i];
    return NULL;
}

/* Goes through the instructions once: what they define; or, at the end, what they access. */
static void go_through(struct search *s, const struct ptx_function_info *f, bool ends)
{
    struct words w;
    const struct ptx_name *memory;
    for (uint32_t i = f->entry; i < f->end; i++) {
        struct ptx_op *o = &s->image->op[i];
        if (ends && !is_access(o))
            continue;
        if (!ends && i > f->entry && s->image->op[i - 1].text.at == o->text.at)
            continue; /* another step of the same instruction */
        split(o->text, &w);
        if (!ends && has_result(w.opcode) && w.count)
            define(s, w.operand[0], result_of(s, o->module, &w));
        if (!ends && begins(w.opcode, "call") && w.count)
            define(s, w.operand[0], MIXED);
        if (!ends || !(memory = memory_of(&w)))
            continue;
        const uint32_t value = value_of(s, o->module, *memory);
        s->found[i] = value;
    }
}

static const struct sm_ptx_kernel *kernel_at(const struct sm_ptx *image, uint32_t entry)
{
    for (size_t i = 0; i < image->kernel_count; i++)
        if (image->kernel[i].entry == ptx_pc(image, entry))
            return &image->kernel[i];
    return NULL;
}

void sm_ptx_find_origins(struct sm_ptx *image)
{
    uint32_t *found = calloc(image->op_count + 1, sizeof *found);
    if (!found)
        return;
    for (size_t i = 0; i < image->function_count; i++) {
        const struct ptx_function_info *f = &image->function[i];
        struct search s = {
            .image = image, .kernel = kernel_at(image, f->entry), .room = 64, .found = found};
        while (s.room < 16 * (size_t)(f->end - f->entry))
            s.room *= 2;
        if (f->end <= f->entry || !(s.reg = calloc(s.room, sizeof *s.reg)))
            continue;
        do {
            s.changed = false;
            go_through(&s, f, false);
        } while (s.changed);
        go_through(&s, f, true);
        free(s.reg);
    }
    for (size_t i = 0; i < image->op_count; i++)
        if (found[i] >= FIRST_ORIGIN)
            image->op[i].origin = &image->origin[found[i] - FIRST_ORIGIN];
    free(found);
}
