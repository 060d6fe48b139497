/* Tokens of PTX, for its parser. */
#ifndef WT_OBJECT_PTX_LEX_H
#define WT_OBJECT_PTX_LEX_H

#include "object/ptx_text.h"

enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_NAME,      /**< foo, %r1, $L2; without what follows a dot */
    PTX_TOKEN_DIRECTIVE, /**< .visible; and each part of an opcode behind its first */
    PTX_TOKEN_INTEGER,
    PTX_TOKEN_SINGLE,
    PTX_TOKEN_DOUBLE,
    PTX_TOKEN_STRING, /**< without its quotes */
    PTX_TOKEN_MARK,   /**< one character */
    PTX_TOKEN_BAD,    /**< text says why */
};

struct ptx_token {
    enum ptx_token_kind kind;
    struct ptx_name text;
    struct ptx_place place;
    uint64_t value; /**< value of a number: bits */
    bool space_before;
    bool is_unsigned; /**< an integer with U, or of 64 bits */
};

struct ptx_lexer {
    const char *at, *end;
    uint32_t line;
    const char *line_start;
    const char *bad; /**< why the last token is BAD */
};

/**
 * Reads the next token, skipping space and comments; at the end of the text PTX_TOKEN_END each
 * time. After PTX_TOKEN_BAD, lexer->bad says why.
 */
struct ptx_token ptx_lex(struct ptx_lexer *lexer);

#endif
