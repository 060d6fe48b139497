/* Tokens of an expression, for the parser. */
#ifndef WT_DEBUG_SOURCE_PARSE_TOKENS_H
#define WT_DEBUG_SOURCE_PARSE_TOKENS_H

#include "debug/source/parse.h"

/** The kinds of tokens. */
enum token {
    T_END,
    T_NUMBER,
    T_STRING,
    T_NAME,
    T_DOLLAR,
    T_REGION,
    T_OP, /* `op` */
};

/** Operators that do not occur in expressions. */
enum { OP_ARROW = 300, OP_DOTS, OP_ASSIGN_WITH, OP_STEP };

/** The text and the token at hand. */
struct parser {
    const char *text, *at;
    const struct wt_parse_world *world;
    struct wt_error *err;
    unsigned depth, nodes;
    bool of_sizeof; /* the parenthesis to come is sizeof's: a type in it is no cast */
    /* The token to come. */
    enum token token;
    int op;
    int assign_op; /* OP_ASSIGN_WITH, OP_STEP ("++"): which operator */
    const char *begin;
    char *word; /* NAME, DOLLAR, REGION, STRING: the caller of take_word() owns it */
    size_t word_length;
    uint64_t value;
    const struct wt_type *type;
};

/* ---- parse_tokens.c ---- */
/** "A syntax error in expression", near the token at hand, or @p what is wrong. */
enum wt_status wt_parse_bad(struct parser *p, const char *what);
/** Goes to the next token. */
enum wt_status wt_parse_advance(struct parser *p);
/** Whether the token is this operator: its character, or an enum wt_op. */
bool wt_parse_is_op(const struct parser *p, int op);
/** Goes past this operator; an error without it. */
enum wt_status wt_parse_expect(struct parser *p, int op, const char *what);

#endif
