/* Tokens of PTX (manual, 4.3 to 4.5). See ptx_lex.h. */
#include "object/ptx_lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_follow(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static struct ptx_place place_of(const struct ptx_lexer *l)
{
    return (struct ptx_place){l->line, (uint32_t)(l->at - l->line_start) + 1};
}

/* White space and comments; false: a comment, which begins at *place, does not end. */
static bool skip(struct ptx_lexer *l, struct ptx_place *place)
{
    while (l->at < l->end) {
        const char c = *l->at;
        if (c == '\n') {
            l->line++;
            l->line_start = ++l->at;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            l->at++;
        } else if (c == '/' && l->end - l->at > 1 && l->at[1] == '/') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (c == '/' && l->end - l->at > 1 && l->at[1] == '*') {
            *place = place_of(l);
            for (l->at += 2;; l->at++) {
                if (l->end - l->at < 2) {
                    l->at = l->end;
                    return false;
                }
                if (l->at[0] == '*' && l->at[1] == '/')
                    break;
                if (*l->at == '\n') {
                    l->line++;
                    l->line_start = l->at + 1;
                }
            }
            l->at += 2;
        } else {
            break;
        }
    }
    return true;
}

static struct ptx_token bad(struct ptx_lexer *l, struct ptx_token t, const char *why)
{
    l->bad = why;
    t.kind = PTX_TOKEN_BAD;
    t.text.length = (uint32_t)(l->at - t.text.at);
    return t;
}

/* 0f and eight digits, 0d and sixteen (4.5.2). */
static struct ptx_token float_bits(struct ptx_lexer *l, struct ptx_token t, unsigned digits)
{
    l->at += 2;
    for (unsigned i = 0; i < digits; i++, l->at++) {
        if (l->at == l->end || !isxdigit((unsigned char)*l->at))
            return bad(l, t, "a float of bits has 8 hexadecimal digits, a double 16");
        const char c = *l->at;
        t.value = t.value << 4 | (uint64_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    t.kind = digits == 8 ? PTX_TOKEN_SINGLE : PTX_TOKEN_DOUBLE;
    t.text.length = (uint32_t)(l->at - t.text.at);
    return t;
}

/* The characters of the number are copied: the text need not end behind them. */
static struct ptx_token decimal_float(struct ptx_lexer *l, struct ptx_token t)
{
    char digits[128], *end;
    size_t used = 0;
    const char *at = t.text.at;
    for (; at < l->end && used < sizeof digits - 1; at++) {
        const bool sign = (*at == '+' || *at == '-') && used && (digits[used - 1] | 32) == 'e';
        if (!isdigit((unsigned char)*at) && *at != '.' && (*at | 32) != 'e' && !sign)
            break;
        digits[used++] = *at;
    }
    digits[used] = 0;
    const double value = strtod(digits, &end);
    if (*end || used == sizeof digits - 1)
        return bad(l, t, "no number");
    memcpy(&t.value, &value, sizeof value);
    l->at = at;
    t.kind = PTX_TOKEN_DOUBLE;
    t.text.length = (uint32_t)(at - t.text.at);
    return t;
}

static struct ptx_token number(struct ptx_lexer *l, struct ptx_token t)
{
    const char *at = l->at;
    unsigned base = 10;
    const char second = l->end - at > 1 ? at[1] : 0;
    if (at[0] == '0' && (second == 'f' || second == 'F'))
        return float_bits(l, t, 8);
    if (at[0] == '0' && (second == 'd' || second == 'D'))
        return float_bits(l, t, 16);
    if (at[0] == '0' && (second == 'x' || second == 'X')) {
        base = 16;
        at += 2;
    } else if (at[0] == '0' && (second == 'b' || second == 'B')) {
        base = 2;
        at += 2;
    } else {
        const char *probe = at;
        while (probe < l->end && isdigit((unsigned char)*probe))
            probe++;
        if (probe < l->end && (*probe == '.' || *probe == 'e' || *probe == 'E'))
            return decimal_float(l, t);
        base = at[0] == '0' && isdigit((unsigned char)second) ? 8 : 10;
    }
    const char *first = at;
    for (; at < l->end && isxdigit((unsigned char)*at); at++) {
        const unsigned digit = (unsigned)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(t.value, (uint64_t)base, &t.value) ||
            __builtin_add_overflow(t.value, (uint64_t)digit, &t.value)) {
            l->at = at;
            return bad(l, t, "a number of more than 64 bits");
        }
    }
    const bool empty = at == first;
    t.is_unsigned = t.value > INT64_MAX;
    if (at < l->end && *at == 'U') {
        t.is_unsigned = true;
        at++;
    }
    l->at = at;
    if (empty || (at < l->end && is_follow(*at)))
        return bad(l, t, "no number");
    t.kind = PTX_TOKEN_INTEGER;
    t.text.length = (uint32_t)(at - t.text.at);
    return t;
}

static struct ptx_token string(struct ptx_lexer *l, struct ptx_token t)
{
    t.text.at = ++l->at;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at++;
    if (l->at == l->end || *l->at != '"')
        return bad(l, t, "a string does not end on its line");
    t.kind = PTX_TOKEN_STRING;
    t.text.length = (uint32_t)(l->at++ - t.text.at);
    return t;
}

struct ptx_token ptx_lex(struct ptx_lexer *l)
{
    const char *before = l->at;
    struct ptx_place open = {0};
    const bool good = skip(l, &open);
    struct ptx_token t = {.text = {l->at, 0}, .space_before = l->at != before};
    t.place = good ? place_of(l) : open;
    if (!good)
        return bad(l, t, "a comment does not end");
    if (l->at == l->end)
        return t;
    const char c = *l->at;
    const char second = l->end - l->at > 1 ? l->at[1] : 0;
    if (isdigit((unsigned char)c))
        return number(l, t);
    if (c == '"')
        return string(l, t);
    if (isalpha((unsigned char)c) || ((c == '_' || c == '$' || c == '%') && is_follow(second))) {
        t.kind = PTX_TOKEN_NAME;
        for (l->at++; l->at < l->end && is_follow(*l->at);)
            l->at++;
    } else if (c == '.' && (is_follow(second))) {
        /* Qualifiers may have colons in them: .L1::no_allocate, .shared::cta. */
        t.kind = PTX_TOKEN_DIRECTIVE;
        for (l->at++; l->at < l->end; l->at++)
            if (!is_follow(*l->at)) {
                if (l->end - l->at > 2 && l->at[0] == ':' && l->at[1] == ':' && is_follow(l->at[2]))
                    l->at++;
                else
                    break;
            }
    } else if (c && strchr("@!{}()[]<>;:,+-|=._*/%~&^?", c)) {
        t.kind = PTX_TOKEN_MARK;
        l->at++;
    } else {
        l->at++;
        return bad(l, t, "a character that PTX does not have here");
    }
    t.text.length = (uint32_t)(l->at - t.text.at);
    return t;
}
