/*
 * Messages that breakpoints print: a format of printf and the values of expressions, compiled to
 * one expression of the core's form. It is evaluated where the condition of a breakpoint is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/print.h"
#include "debug/source/source_internal.h"

#define WIDEST 250 /* field and precision; see put_number() and put_float() of print.c */

struct message {
    struct compiler c;
    FILE *format;
    struct wt_expr_argument argument[WT_PRINT_ARGUMENTS];
    size_t argument_count;
    struct wt_node *root[WT_PRINT_ARGUMENTS]; /* reductions are known by their nodes */
    size_t root_count;
};

static void write_plain(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fputs(text[i] == '%' ? "%%" : (const char[]){text[i], 0}, out);
}

/* The greatest number among the digits of a conversion. */
static unsigned widest(const struct wt_message_value *v)
{
    unsigned number = 0, most = 0;
    for (size_t i = 0; i < v->length; i++) {
        const bool digit = v->conversion[i] >= '0' && v->conversion[i] <= '9';
        number = !digit          ? 0
                 : number > 9999 ? number
                                 : number * 10 + (unsigned)(v->conversion[i] - '0');
        most = number > most ? number : most;
    }
    return most;
}

/* Keeps a vector for the message's end: temporaries are used again. */
static enum wt_status keep(struct message *m, unsigned mark, wt_expr_vector v, unsigned bits,
                           struct wt_error *err)
{
    enum wt_status status = wt_build_release(&m->c.build, mark, &v, err);
    m->argument[m->argument_count++] = (struct wt_expr_argument){.vector = v, .bits = bits};
    return status;
}

/* Flags, width and precision, without the length, and the conversion with the length of a cell. */
static void write_conversion(struct message *m, const struct wt_message_value *v, const char *end)
{
    size_t digits = v->length - 1;
    while (digits && strchr("hlzjtLq", v->conversion[digits - 1]))
        digits--;
    fprintf(m->format, "%.*s%s", (int)digits, v->conversion, end);
}

static enum wt_status add_integer(struct message *m, const struct wt_message_value *v,
                                  const struct wt_operand *o, unsigned mark, struct wt_error *err)
{
    struct wt_build *b = &m->c.build;
    const char kind = v->conversion[v->length - 1], end[] = {'l', 'l', kind, 0};
    const struct wt_type *plain = wt_type_plain(o->type);
    const unsigned bits = (unsigned)wt_type_size(plain) * 8;
    struct wt_operand number;
    wt_expr_vector cell = 0;
    enum wt_status status =
        plain->kind == WT_TYPE_FLOAT
            ? wt_operand_convert(b, o, wt_types_integer(b->types, 8, true), &number, err)
            : WT_OK;
    if (!status)
        status = wt_operand_cell_of(b, plain->kind == WT_TYPE_FLOAT ? &number : o, &cell, err);
    const bool is_long = memchr(v->conversion, 'l', v->length) != NULL;
    if (!status && plain->kind != WT_TYPE_FLOAT && bits < 64 &&
        (plain->is_signed || (bits == 32 && !is_long)) && (kind == 'd' || kind == 'i'))
        status = wt_build_op(b, WT_EXPR_EXT, bits, cell, cell, &cell, err);
    /* Arguments of printf have at least the size of an int. */
    if (!status && strchr("xXou", kind) && bits <= 32 && !is_long)
        status = wt_build_op(b, WT_EXPR_ZERO_EXT, 32, cell, cell, &cell, err);
    if (kind == 'p')
        fputs("0x%llx", m->format);
    else
        write_conversion(m, v, kind == 'c' ? end + 2 : end);
    return status ? status : keep(m, mark, cell, 64, err);
}

static enum wt_status add_float(struct message *m, const struct wt_message_value *v,
                                const struct wt_operand *o, unsigned mark, struct wt_error *err)
{
    const struct wt_type *plain = wt_type_plain(o->type);
    const char end[] = {v->conversion[v->length - 1], 0};
    struct wt_operand number = *o;
    wt_expr_vector cell = 0;
    enum wt_status status = WT_OK;
    if (plain->kind != WT_TYPE_FLOAT)
        status = wt_operand_convert(&m->c.build, o, wt_types_basic(m->c.build.types, "double"),
                                    &number, err);
    if (!status)
        status = wt_operand_cell_of(&m->c.build, &number, &cell, err);
    write_conversion(m, v, end);
    return status
               ? status
               : keep(m, mark, cell, (unsigned)wt_type_size(wt_type_plain(number.type)) * 8, err);
}

static enum wt_status add_string(struct message *m, const struct wt_message_value *v,
                                 const struct wt_operand *o, unsigned mark, struct wt_error *err)
{
    struct wt_build *b = &m->c.build;
    const struct wt_type *plain = wt_type_plain(o->type);
    wt_expr_vector cell = 0;
    enum wt_status status = WT_OK;
    if (plain->kind == WT_TYPE_POINTER) {
        if (o->piece_count == 1 && o->piece[0].kind == WT_PIECE_CELL && o->piece[0].space)
            return wt_fail(err, WT_UNSUPPORTED, "a string of another space");
        status = wt_operand_cell_of(b, o, &cell, err);
        write_conversion(m, v, "s");
        return status ? status : keep(m, mark, cell, 64, err);
    }
    if (plain->kind != WT_TYPE_ARRAY || !wt_operand_in_memory(o) || wt_type_size(plain) > 999 ||
        memchr(v->conversion, '.', v->length))
        return wt_fail(err, WT_UNSUPPORTED, "a string that is not in memory");
    const struct wt_piece *p = &o->piece[0];
    const struct wt_space *space = &b->topology->spaces[p->space];
    if (p->space && !space->aperture)
        return wt_fail(err, WT_UNSUPPORTED, "a string of another space");
    cell = p->vector;
    if (p->space)
        status =
            wt_build_op(b, WT_EXPR_ADD, 0, cell, wt_build_constant(b, space->aperture), &cell, err);
    char end[16];
    snprintf(end, sizeof end, ".%us", (unsigned)wt_type_size(plain));
    write_conversion(m, v, end);
    return status ? status : keep(m, mark, cell, 64, err);
}

static enum wt_status add_value(struct message *m, const struct wt_view *scope,
                                const struct wt_message_value *v, struct wt_error *err)
{
    struct wt_operand o;
    if (m->root_count == WT_PRINT_ARGUMENTS || widest(v) > WIDEST)
        return wt_fail(err, WT_UNSUPPORTED, "the message is too long");
    enum wt_status status = wt_source_parse(scope, v->text, &m->root[m->root_count], err);
    if (status)
        return status;
    const struct wt_node *root = m->root[m->root_count++];
    write_plain(m->format, v->before, strlen(v->before));
    if (root->kind == WT_NODE_ASSIGN)
        return wt_fail(err, WT_UNSUPPORTED, "an assignment is not a value");
    const char kind = v->conversion[v->length - 1];
    if (root->kind == WT_NODE_STRING && kind == 's' && v->length == 2) {
        write_plain(m->format, root->text, strlen(root->text));
        return WT_OK;
    }
    m->c.depth = 0;
    m->c.reduced_count = 0;
    if ((status = wt_compile_reductions(&m->c, root, err)) != WT_OK)
        return status;
    const unsigned mark = m->c.build.next;
    if ((status = wt_compile_node(&m->c, root, &o, err)) != WT_OK)
        return status;
    if ((status = wt_compile_check_guess(&m->c, "a message", err)) != WT_OK)
        return status;
    if (wt_type_plain(o.type)->kind == WT_TYPE_VOID)
        return wt_fail(err, WT_INVALID, "a message cannot show a value of no type");
    if (kind == 's')
        return add_string(m, v, &o, mark, err);
    return strchr("feEgGaA", kind) ? add_float(m, v, &o, mark, err)
                                   : add_integer(m, v, &o, mark, err);
}

static enum wt_status finish(struct message *m, char *format, size_t length, struct wt_error *err)
{
    struct wt_expr *expr = m->c.build.expr;
    const wt_expr_vector none = wt_expr_temporary(expr, 0);
    wt_expr_print(expr, format, length, m->argument, m->argument_count);
    wt_expr_add(expr, WT_EXPR_END, 0, none, none, none);
    return wt_expr_finish(expr, err);
}

enum wt_status wt_source_compile_message(const struct wt_view *scope,
                                         const struct wt_message_value *value, size_t count,
                                         const char *behind, struct wt_expr **expr,
                                         struct wt_error *err)
{
    struct message m = {.c = wt_compiler_for(scope)};
    char *format = NULL;
    size_t length = 0;
    enum wt_status status = WT_OK;
    *expr = NULL;
    m.c.beside = true;
    m.c.build.expr = wt_expr_new();
    m.format = open_memstream(&format, &length);
    if (!m.c.build.expr || !m.format)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for a message");
    for (size_t i = 0; i < count && !status; i++)
        status = add_value(&m, scope, &value[i], err);
    if (m.format && !status)
        write_plain(m.format, behind, strlen(behind));
    if (m.format)
        fclose(m.format);
    if (!status)
        status = finish(&m, format, length, err);
    for (size_t i = 0; i < m.root_count; i++)
        wt_node_free(m.root[i]);
    free(format);
    if (status)
        wt_expr_free(m.c.build.expr);
    else
        *expr = m.c.build.expr;
    return status;
}
