/* Shared by the files that parse PTX. */
#ifndef WT_OBJECT_PTX_PARSER_H
#define WT_OBJECT_PTX_PARSER_H

#include "object/ptx.h"
#include "object/ptx_constant.h"
#include "object/ptx_lex.h"

/** A module that is being parsed. */
struct parser {
    struct ptx_module *m;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one */
    const char *name;
    struct wt_error *err;
    enum wt_status status; /* the first mistake */
    uint32_t file, line, column;
    const char *last_end; /* behind the token taken last */
    unsigned nesting;     /* nesting of constant expressions */
    bool is_call;         /* the instruction: its parentheses are lists */
};

/** Room for one more in an array of the module; false, with a mistake, without host memory. */
#define GROW(p, array, capacity, count)                                                            \
    ptx_parse_grow((p), (void **)&(p)->m->array, &(p)->m->room[capacity], (p)->m->count + 1,       \
                   sizeof *(p)->m->array)

/* ---- ptx_operands.c ---- */
/** Makes an array of the module have room for @p count. For GROW. */
bool ptx_parse_grow(struct parser *p, void **array, size_t *capacity, size_t count, size_t size);
/** The first mistake of a module, with its place. False. */
bool ptx_parse_fail_at(struct parser *p, struct ptx_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Names the next token, for messages. */
bool ptx_parse_unexpected(struct parser *p, const char *wanted);
/** The next token, which is taken. */
struct ptx_token ptx_parse_take(struct parser *p);
/** Whether the next token is this mark. */
bool ptx_parse_is_mark(const struct parser *p, char c);
/** Takes the mark if it is next. */
bool ptx_parse_take_mark(struct parser *p, char c);
/** Takes the mark; a mistake if another token is next. */
bool ptx_parse_want_mark(struct parser *p, char c);
/** Whether the next token is this directive. */
bool ptx_parse_is_directive(const struct parser *p, const char *text);
/** Takes the directive if it is next. */
bool ptx_parse_take_directive(struct parser *p, const char *text);
/** Takes a name; a mistake if another token is next. */
bool ptx_parse_want_name(struct parser *p, struct ptx_name *name, const char *wanted);
/** Takes a number up to @p most. */
bool ptx_parse_want_number(struct parser *p, uint64_t most, uint64_t *value, const char *wanted);
/** Adds a variable to the module; its index. */
bool ptx_parse_add_variable(struct parser *p, const struct ptx_variable *v, uint32_t *index);
/** Adds a statement to the module. */
bool ptx_parse_add_statement(struct parser *p, const struct ptx_statement *s);
/** Operands up to a closing mark, which is taken. */
bool ptx_parse_operand_list(struct parser *p, char close, uint32_t *first, uint32_t *count,
                            unsigned depth);
/** Whether the next token begins a constant expression. */
bool ptx_parse_begins_expression(const struct parser *p);
/** A number, WARP_SZ, (.u64) value, (expression), or one of these behind its signs. */
bool ptx_parse_primary(struct parser *p, struct ptx_constant *c);
/** The rest of an expression behind its first operand: operators of at least the precedence. */
bool ptx_parse_rest(struct parser *p, struct ptx_constant *c, unsigned precedence);
/** An integer that may be an expression. */
bool ptx_parse_want_integer(struct parser *p, unsigned precedence, uint64_t most, uint64_t *value,
                            const char *wanted);
/** +8, -8, +-8, + 2 * 4 behind a name. */
bool ptx_parse_offset(struct parser *p, int64_t *value);
/** Makes an operand of a constant. */
void ptx_parse_constant_operand(struct ptx_operand *o, struct ptx_constant c);

#endif
