/* Expressions: building them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "expr/parts.h"

struct wt_expr *wt_expr_new(void)
{
    struct wt_expr *e = calloc(1, sizeof *e);
    if (e)
        e->owners = 1;
    return e;
}

struct wt_expr *wt_expr_share(struct wt_expr *e)
{
    assert(e->owners);
    e->owners++;
    return e;
}

void wt_expr_free(struct wt_expr *e)
{
    if (!e || --e->owners)
        return;
    for (size_t i = 0; i < e->print_count; i++) {
        free(e->print[i].format);
        free(e->print[i].argument);
    }
    free(e->print);
    free(e->code);
    free(e->reg);
    free(e->constant);
    free(e);
}

/* ---- building ---- */

static wt_expr_vector name(unsigned kind, size_t number)
{
    return (wt_expr_vector)kind << KIND_SHIFT | (wt_expr_vector)number;
}

wt_expr_vector wt_expr_register(struct wt_expr *e, unsigned index)
{
    for (size_t i = 0; i < e->reg_count; i++)
        if (e->reg[i] == index)
            return name(REGISTER, i);
    unsigned *more = wt_array_grow(e->reg, &e->reg_capacity, e->reg_count + 1, sizeof *more);
    if (!more) {
        e->no_memory = true;
        return 0;
    }
    e->reg = more;
    e->reg[e->reg_count] = index;
    return name(REGISTER, e->reg_count++);
}

wt_expr_vector wt_expr_register_part(struct wt_expr *e, unsigned index, unsigned part)
{
    assert(index >> WT_EXPR_PART_SHIFT == 0);
    return wt_expr_register(e, index | part << WT_EXPR_PART_SHIFT);
}

wt_expr_vector wt_expr_constant(struct wt_expr *e, uint64_t value)
{
    for (size_t i = 0; i < e->constant_count; i++)
        if (e->constant[i] == value)
            return name(CONSTANT, i);
    uint64_t *more =
        wt_array_grow(e->constant, &e->constant_capacity, e->constant_count + 1, sizeof *more);
    if (!more) {
        e->no_memory = true;
        return 0;
    }
    e->constant = more;
    e->constant[e->constant_count] = value;
    return name(CONSTANT, e->constant_count++);
}

wt_expr_vector wt_expr_temporary(struct wt_expr *e, unsigned number)
{
    assert(number < WT_EXPR_MOST_TEMPORARIES);
    if (number >= e->temporaries)
        e->temporaries = number + 1;
    return name(TEMPORARY, number);
}

bool wt_expr_is_constant(const struct wt_expr *e, wt_expr_vector vector, uint64_t *value)
{
    assert(!e->finished);
    if (vector >> KIND_SHIFT != CONSTANT)
        return false;
    *value = e->constant[vector & NUMBER];
    return true;
}

size_t wt_expr_here(const struct wt_expr *e)
{
    return e->code_count;
}

size_t wt_expr_add(struct wt_expr *e, enum wt_expr_op op, unsigned size, wt_expr_vector to,
                   wt_expr_vector a, wt_expr_vector b)
{
    assert(!e->finished && to >> KIND_SHIFT == TEMPORARY && size <= 64);
    struct instruction *more =
        wt_array_grow(e->code, &e->code_capacity, e->code_count + 1, sizeof *more);
    if (!more) {
        e->no_memory = true;
        return 0;
    }
    e->code = more;
    e->code[e->code_count] = (struct instruction){
        .op = (uint8_t)op, .size = (uint8_t)size, .to = to, .a = a, .b = b, .target = UINT32_MAX};
    return e->code_count++;
}

void wt_expr_set_target(struct wt_expr *e, size_t instruction, size_t target)
{
    if (instruction < e->code_count)
        e->code[instruction].target = (uint32_t)target;
    e->loops |= target <= instruction;
}

bool expr_add_message(struct wt_expr *e, const char *format, size_t length,
                      const struct wt_expr_argument *arguments, size_t count)
{
    struct print *more =
        wt_array_grow(e->print, &e->print_capacity, e->print_count + 1, sizeof *more);
    struct print p = {.format = malloc(length + 1),
                      .length = length,
                      .argument = calloc(count + 1, sizeof *p.argument),
                      .count = count};
    if (more)
        e->print = more;
    if (!more || !p.format || !p.argument || e->no_memory) {
        free(p.format);
        free(p.argument);
        e->no_memory = true;
        return false;
    }
    memcpy(p.format, format, length);
    p.format[length] = 0;
    memcpy(p.argument, arguments, count * sizeof *arguments);
    e->print[e->print_count++] = p;
    return true;
}

size_t wt_expr_print(struct wt_expr *e, const char *format, size_t length,
                     const struct wt_expr_argument *arguments, size_t count)
{
    const size_t at = wt_expr_add(e, WT_EXPR_PRINT, 0, 0, 0, 0);
    if (expr_add_message(e, format, length, arguments, count))
        e->code[at].target = (uint32_t)(e->print_count - 1);
    return at;
}

static bool is_vector(const struct wt_expr *e, wt_expr_vector v)
{
    const size_t number = v & NUMBER;
    switch (v >> KIND_SHIFT) {
    case TEMPORARY:
        return number < e->temporaries;
    case REGISTER:
        return number < e->reg_count;
    case CONSTANT:
        return number < e->constant_count;
    default:
        return false;
    }
}

struct widths wt_expr_widths_of(enum wt_expr_op op)
{
    const bool wide = op >= WT_EXPR_WIDE_ADD && op <= WT_EXPR_WIDE_F_TO_INT;
    const bool shifts = op >= WT_EXPR_WIDE_SHL && op <= WT_EXPR_WIDE_SHR_UNSIGNED;
    const bool converts = op >= WT_EXPR_WIDE_INT_TO_F && op <= WT_EXPR_WIDE_F_TO_INT;
    const bool one = op >= WT_EXPR_WIDE_LESS_SIGNED && op <= WT_EXPR_WIDE_UINT_TO_F;
    return (struct widths){.to = wide && !one,
                           .a = wide && op != WT_EXPR_WIDE_F_TO_INT,
                           .b = wide && !shifts && !converts};
}

static bool is_pair(const struct wt_expr *e, wt_expr_vector v)
{
    return v >> KIND_SHIFT == TEMPORARY && (v & NUMBER) + 1 < e->temporaries;
}

static enum wt_status check(const struct wt_expr *e, struct wt_error *err)
{
    for (size_t i = 0; i < e->code_count; i++) {
        const struct instruction *in = &e->code[i];
        const bool jumps = in->op == WT_EXPR_BRANCH || in->op == WT_EXPR_GOTO;
        const struct widths wide = wt_expr_widths_of((enum wt_expr_op)in->op);
        if (!is_vector(e, in->to) || !is_vector(e, in->a) || !is_vector(e, in->b) ||
            (wide.to && !is_pair(e, in->to)) || (wide.a && !is_pair(e, in->a)) ||
            (wide.b && !is_pair(e, in->b)) || (jumps && in->target >= e->code_count) ||
            (in->op == WT_EXPR_PRINT && in->target >= e->print_count))
            return wt_fail(err, WT_INVALID,
                           "instruction %zu of an expression names what is not there", i);
    }
    for (size_t i = 0; i < e->print_count; i++)
        for (size_t k = 0; k < e->print[i].count; k++)
            if (!is_vector(e, e->print[i].argument[k].vector))
                return wt_fail(err, WT_INVALID,
                               "message %zu of an expression names what is not there", i);
    return WT_OK;
}

static bool reads_b(enum wt_expr_op op)
{
    return (op >= WT_EXPR_ADD && op <= WT_EXPR_OVER_F_MAX) ||
           (op >= WT_EXPR_F_ADD && op <= WT_EXPR_F_LESS_EQUAL);
}

/* Whether every temporary is written before it is read, as far as that can be told of code without
 * jumps. */
static bool writes_first(const struct wt_expr *e)
{
    bool written[WT_EXPR_MOST_TEMPORARIES] = {false};
    for (size_t i = 0; i < e->code_count; i++) {
        const struct instruction *in = &e->code[i];
        const bool no_value = in->op == WT_EXPR_FAIL;
        const struct widths wide = wt_expr_widths_of((enum wt_expr_op)in->op);
        if (in->op == WT_EXPR_BRANCH || in->op == WT_EXPR_GOTO || in->op == WT_EXPR_PRINT ||
            wide.to || wide.a)
            return false;
        if ((!no_value && in->a >> KIND_SHIFT == TEMPORARY && !written[in->a & NUMBER]) ||
            (reads_b(in->op) && in->b >> KIND_SHIFT == TEMPORARY && !written[in->b & NUMBER]))
            return false;
        written[in->to & NUMBER] |= !no_value && in->op != WT_EXPR_END;
    }
    return true;
}

enum wt_status wt_expr_finish(struct wt_expr *e, struct wt_error *err)
{
    assert(!e->finished);
    wt_expr_temporary(e, 0); /* instructions without a vector name it */
    wt_expr_add(e, WT_EXPR_FAIL, 0, 0, 0, 0);
    uint64_t *wide = e->constant_count && !e->no_memory
                         ? malloc(e->constant_count * WT_MAX_LANES * sizeof *wide)
                         : NULL;
    if (e->no_memory || (e->constant_count && !wide))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an expression");
    for (size_t i = 0; i < e->constant_count; i++)
        for (size_t k = 0; k < WT_MAX_LANES; k++)
            wide[i * WT_MAX_LANES + k] = e->constant[i];
    free(e->constant);
    e->constant = wide;
    e->finished = true;
    const enum wt_status status = check(e, err);
    e->written = status == WT_OK && writes_first(e);
    return status;
}

const unsigned *wt_expr_registers(const struct wt_expr *e, size_t *count)
{
    *count = e->reg_count;
    return e->reg;
}

bool wt_expr_loops(const struct wt_expr *e)
{
    return e->loops;
}
