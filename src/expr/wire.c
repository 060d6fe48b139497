/* Expressions as bytes. See wire.h. */
#include "expr/wire.h"

#include <stdlib.h>
#include <string.h>

#include "expr/parts.h"
#include "expr/print.h"

/* The beginning. Sources, constants, instructions, then messages with their text follow. */
struct wire_head {
    uint32_t sources, constants, instructions, messages, temporaries, zero;
};

struct wire_instruction {
    uint32_t op, size, to, a, b, target;
};

struct wire_message {
    uint32_t length, count; /* arguments, then the text follow */
};

void wt_expr_pack(const struct wt_expr *e, const struct wt_expr_source *source,
                  struct wt_buffer *to)
{
    const struct wire_head head = {.sources = (uint32_t)e->reg_count,
                                   .constants = (uint32_t)e->constant_count,
                                   .instructions = (uint32_t)e->code_count,
                                   .messages = (uint32_t)e->print_count,
                                   .temporaries = e->temporaries};
    assert(e->finished);
    wt_buffer_append(to, &head, sizeof head);
    wt_buffer_append(to, source, e->reg_count * sizeof *source);
    for (size_t i = 0; i < e->constant_count; i++)
        wt_buffer_append(to, &e->constant[i * WT_MAX_LANES], sizeof *e->constant);
    for (size_t i = 0; i < e->code_count; i++) {
        const struct instruction *in = &e->code[i];
        const struct wire_instruction one = {in->op, in->size, in->to, in->a, in->b, in->target};
        wt_buffer_append(to, &one, sizeof one);
    }
    for (size_t i = 0; i < e->print_count; i++) {
        const struct print *p = &e->print[i];
        const struct wire_message one = {(uint32_t)p->length, (uint32_t)p->count};
        wt_buffer_append(to, &one, sizeof one);
        wt_buffer_append(to, p->argument, p->count * sizeof *p->argument);
        wt_buffer_append(to, p->format, p->length);
    }
}

/* ---- what has come ---- */

struct wire_reader {
    const uint8_t *at;
    size_t left;
};

static bool take(struct wire_reader *r, void *to, size_t size)
{
    if (size > r->left)
        return false;
    memcpy(to, r->at, size);
    r->at += size;
    r->left -= size;
    return true;
}

static bool is_source(const struct wt_expr_source *s)
{
    if (s->value != WT_EXPR_ROW)
        return s->value < WT_EXPR_VALUES && s->part < 3;
    return s->size && s->size <= 256 && s->per_lane <= 1 && (!s->part || s->part < s->size / 8) &&
           (!s->per_lane || !s->part);
}

static bool take_names(struct wire_reader *r, const struct wire_head *head, struct wt_expr *e,
                       struct wt_expr_source *source)
{
    uint64_t value;
    for (uint32_t i = 0; i < head->sources; i++) {
        if (!take(r, &source[i], sizeof source[i]) || !is_source(&source[i]))
            return false;
        wt_expr_register(e, i);
    }
    for (uint32_t i = 0; i < head->constants; i++) {
        if (!take(r, &value, sizeof value))
            return false;
        wt_expr_constant(e, value);
        if (!e->no_memory && e->constant_count != i + 1) /* it was there */
            return false;
    }
    wt_expr_temporary(e, head->temporaries - 1);
    return true;
}

/* Whether `size` makes sense for an operation. */
static bool is_size(enum wt_expr_op op, unsigned size)
{
    if (op == WT_EXPR_LOAD)
        return size >= 1 && size <= 8;
    if (op == WT_EXPR_EXT || op == WT_EXPR_ZERO_EXT)
        return size >= 1 && size <= 64;
    if ((op >= WT_EXPR_OVER_F_SUM && op <= WT_EXPR_OVER_F_MAX) ||
        (op >= WT_EXPR_F_ADD && op <= WT_EXPR_UINT_TO_F) ||
        (op >= WT_EXPR_WIDE_INT_TO_F && op <= WT_EXPR_WIDE_F_TO_INT))
        return size == 32 || size == 64;
    return size <= 64;
}

/* Vectors and targets are checked when the expression is finished. */
static bool take_code(struct wire_reader *r, const struct wire_head *head, struct wt_expr *e)
{
    struct wire_instruction in;
    for (uint32_t i = 0; i < head->instructions; i++) {
        if (!take(r, &in, sizeof in) || in.op > WT_EXPR_END ||
            !is_size((enum wt_expr_op)in.op, in.size) || in.to >> KIND_SHIFT != TEMPORARY)
            return false;
        const size_t at = wt_expr_add(e, (enum wt_expr_op)in.op, in.size, in.to, in.a, in.b);
        if (in.op == WT_EXPR_BRANCH || in.op == WT_EXPR_GOTO)
            wt_expr_set_target(e, at, in.target);
        else if (!e->no_memory)
            e->code[at].target = in.target;
    }
    return true;
}

static bool take_message(struct wire_reader *r, struct wt_expr *e)
{
    struct wire_message m;
    struct wt_expr_argument argument[WT_PRINT_ARGUMENTS];
    char text[WT_EXPR_MOST_FORMAT];
    if (!take(r, &m, sizeof m) || m.length > sizeof text || m.count > WT_PRINT_ARGUMENTS ||
        !take(r, argument, m.count * sizeof *argument) || !take(r, text, m.length))
        return false;
    return expr_add_message(e, text, m.length, argument, m.count);
}

static bool read_all(struct wire_reader *r, const struct wire_head *head, struct wt_expr *e,
                     struct wt_expr_source *source)
{
    if (!take_names(r, head, e, source) || !take_code(r, head, e))
        return false;
    for (uint32_t i = 0; i < head->messages; i++)
        if (!take_message(r, e))
            return false;
    return !r->left;
}

enum wt_status wt_expr_unpack(const uint8_t *bytes, size_t size, struct wt_expr **expr,
                              struct wt_expr_source **source, struct wt_error *err)
{
    struct wire_reader r = {bytes, size};
    struct wire_head head;
    if (!take(&r, &head, sizeof head) || head.sources > WT_EXPR_MOST_NAMES ||
        head.constants > WT_EXPR_MOST_NAMES || head.messages > WT_EXPR_MOST_NAMES ||
        head.instructions > WT_EXPR_MOST_CODE || !head.temporaries ||
        head.temporaries > WT_EXPR_MOST_TEMPORARIES)
        return wt_fail(err, WT_INVALID, "an expression has no such head");
    struct wt_expr *e = wt_expr_new();
    struct wt_expr_source *s = calloc(head.sources + 1, sizeof *s);
    enum wt_status status = e && s ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no memory");
    if (!status && !read_all(&r, &head, e, s) && !e->no_memory)
        status = wt_fail(err, WT_INVALID, "an expression makes no sense");
    if (!status)
        status = wt_expr_finish(e, err);
    if (status) {
        wt_expr_free(e);
        free(s);
        return status;
    }
    *expr = e;
    *source = s;
    return WT_OK;
}
