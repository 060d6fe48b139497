/* Tokens of expressions, with names of templates among them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "debug/source/parse_tokens.h"

#define MOST_ARGUMENTS 1000 /* characters of a template's arguments */

enum wt_status wt_parse_bad(struct parser *p, const char *what)
{
    if (p->token == T_END)
        return wt_fail(p->err, WT_INVALID, "A syntax error in expression, near `': %s", what);
    return wt_fail(p->err, WT_INVALID, "A syntax error in expression, near `%.80s': %s", p->begin,
                   what);
}

/* ---- tokens ---- */

static int escape(const char **at)
{
    int c = (unsigned char)*(*at)++;
    if (c != '\\')
        return c;
    c = (unsigned char)*(*at);
    if (!c)
        return '\\';
    (*at)++;
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'r':
        return '\r';
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'v':
        return '\v';
    case 'e':
        return 033;
    case 'x': {
        int value = 0;
        while (isxdigit((unsigned char)**at)) {
            const int d = tolower((unsigned char)*(*at)++);
            value = (value << 4 | (isdigit(d) ? d - '0' : d - 'a' + 10)) & 0xff;
        }
        return value;
    }
    default:
        if (c >= '0' && c <= '7') {
            int value = c - '0';
            for (int i = 0; i < 2 && **at >= '0' && **at <= '7'; i++)
                value = value * 8 + *(*at)++ - '0';
            return value & 0xff;
        }
        return c;
    }
}

static enum wt_status set_word(struct parser *p, const char *from, size_t length)
{
    free(p->word);
    p->word = malloc(length + 1);
    if (!p->word)
        return wt_fail(p->err, WT_NO_MEMORY, "no host memory for an expression");
    memcpy(p->word, from, length);
    p->word[length] = 0;
    p->word_length = length;
    return WT_OK;
}

static enum wt_status float_token(struct parser *p)
{
    char *end;
    errno = 0;
    double value = strtod(p->at, &end);
    const char *type = "double";
    if (*end == 'f' || *end == 'F') {
        type = "float";
        end++;
    } else if (*end == 'l' || *end == 'L') {
        end++;
    }
    if (isalnum((unsigned char)*end) || *end == '_')
        return wt_fail(p->err, WT_INVALID, "Invalid number \"%.40s\".", p->begin);
    if (type[0] == 'f') {
        const float narrow = (float)value;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        p->value = bits;
    } else {
        memcpy(&p->value, &value, sizeof value);
    }
    p->type = wt_types_basic(p->world->types, type);
    p->at = end;
    return WT_OK;
}

static enum wt_status number_token(struct parser *p)
{
    const char *end = p->at;
    const bool hex = end[0] == '0' && (end[1] == 'x' || end[1] == 'X');
    const bool binary = end[0] == '0' && (end[1] == 'b' || end[1] == 'B');
    char *stop;
    p->token = T_NUMBER;
    if (!hex && !binary) {
        while (isdigit((unsigned char)*end))
            end++;
        if ((*end == '.' && end[1] != '.') || *end == 'e' || *end == 'E')
            return float_token(p);
    }
    errno = 0;
    p->value = binary ? strtoull(p->at + 2, &stop, 2) : strtoull(p->at, &stop, 0);
    if (errno == ERANGE)
        return wt_fail(p->err, WT_INVALID, "Numeric constant too large.");
    bool is_unsigned = false;
    unsigned longs = 0;
    for (;; stop++) {
        if ((*stop == 'u' || *stop == 'U') && !is_unsigned)
            is_unsigned = true;
        else if ((*stop == 'l' || *stop == 'L') && longs < 2)
            longs++;
        else
            break;
    }
    if (isalnum((unsigned char)*stop) || *stop == '_' || (hex && stop == p->at + 1))
        return wt_fail(p->err, WT_INVALID, "Invalid number \"%.40s\".", p->begin);
    const bool decimal = p->begin[0] != '0';
    const unsigned address = wt_types_address_size(p->world->types);
    unsigned size = longs == 2 ? 8 : longs == 1 ? address : 4;
    if (size == 4 && !(p->value >> 31 == 0 || (p->value >> 32 == 0 && (is_unsigned || !decimal))))
        size = 8;
    if (size == 4 && p->value >> 31 && !is_unsigned && decimal)
        size = 8;
    if (!is_unsigned && (size == 8 ? p->value >> 63 : p->value >> 31) != 0)
        is_unsigned = true;
    p->type = longs == 1   ? wt_types_basic(p->world->types, is_unsigned ? "unsigned long" : "long")
              : longs == 2 ? wt_types_basic(p->world->types,
                                            is_unsigned ? "unsigned long long" : "long long")
                           : wt_types_integer(p->world->types, size, !is_unsigned);
    p->at = stop;
    return WT_OK;
}

static bool is_word(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* 'a' is a character, 'f(int)' a name in quotes, 'file.c'::name one of that file. */
static enum wt_status quoted_token(struct parser *p)
{
    const char *at = p->at + 1;
    if (*at && *at != '\'') {
        const int c = escape(&at);
        if (*at == '\'') {
            p->token = T_NUMBER;
            p->value = (uint64_t)(int64_t)c;
            p->type = wt_types_basic(p->world->types, "char");
            p->at = at + 1;
            return WT_OK;
        }
    }
    at = strchr(p->at + 1, '\'');
    if (!at)
        return wt_fail(p->err, WT_INVALID, "Unmatched single quote.");
    if (at == p->at + 1)
        return wt_fail(p->err, WT_INVALID, "Empty character constant.");
    p->token = T_NAME;
    const char *end = at + 1;
    if (end[0] == ':' && end[1] == ':' && (isalpha((unsigned char)end[2]) || end[2] == '_'))
        for (end += 2; is_word(*end) || (end[0] == ':' && end[1] == ':' && is_word(end[2]));)
            end += *end == ':' ? 2 : 1;
    enum wt_status status = set_word(p, p->at + 1, (size_t)(end - p->at - 1));
    if (!status) { /* without the quote */
        const size_t quoted = (size_t)(at - p->at - 1);
        memmove(p->word + quoted, p->word + quoted + 1, p->word_length - quoted);
        p->word[--p->word_length] = 0;
    }
    p->at = end;
    return status;
}

/* L'x', u'x', U'x' and u8'x'; false: it begins otherwise. */
static bool wide_token(struct parser *p, enum wt_status *status)
{
    static const struct {
        const char *prefix, *type;
        unsigned size;
    } table[] = {
        {"L'", "wchar_t", 4}, {"u'", "char16_t", 2}, {"U'", "char32_t", 4}, {"u8'", "char8_t", 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const size_t length = strlen(table[i].prefix);
        if (strncmp(p->at, table[i].prefix, length) != 0)
            continue;
        p->at += length - 1;
        *status = quoted_token(p);
        if (!*status && p->token != T_NUMBER)
            *status = wt_fail(p->err, WT_INVALID, "Unmatched single quote.");
        const struct wt_type *own = p->world->find_type(p->world->context, table[i].type);
        p->type = own ? own : wt_types_integer(p->world->types, table[i].size, false);
        return true;
    }
    return false;
}

static enum wt_status string_token(struct parser *p)
{
    const char *at = p->at + 1;
    enum wt_status status = set_word(p, p->at, strlen(p->at));
    size_t length = 0;
    if (status)
        return status;
    while (*at && *at != '"')
        p->word[length++] = (char)escape(&at);
    if (!*at)
        return wt_fail(p->err, WT_INVALID, "Unterminated string in expression.");
    p->word[length] = 0;
    p->word_length = length;
    p->token = T_STRING;
    p->at = at + 1;
    return WT_OK;
}

/* ---- names of templates ---- */

struct token_pattern {
    bool star_apart;  /* "int *", as Clang writes it, not "int*" */
    bool angle_apart; /* "> >", as GCC writes it, not ">>" */
};

/* Writes the arguments of a template as compilers do: one blank after a comma, none elsewhere. */
static size_t put_arguments(const char *at, const char *end, struct token_pattern pattern,
                            char *out)
{
    size_t length = 0;
    for (; at < end; at++) {
        if (isspace((unsigned char)*at)) {
            /* Words stay separate: "unsigned int". */
            const char *next = at;
            while (next < end && isspace((unsigned char)*next))
                next++;
            if (length && is_word(out[length - 1]) && next < end && is_word(*next))
                out[length++] = ' ';
            at = next - 1;
            continue;
        }
        if ((*at == '*' || *at == '&') && pattern.star_apart && length && out[length - 1] != '*' &&
            out[length - 1] != ' ')
            out[length++] = ' ';
        if (*at == '>' && pattern.angle_apart && length && out[length - 1] == '>')
            out[length++] = ' ';
        out[length++] = *at;
        if (*at == ',')
            out[length++] = ' ';
    }
    out[length] = 0;
    return length;
}

/* The end, behind '>', of the template arguments that begin here; NULL: these are none. */
static const char *arguments_end(const char *at)
{
    unsigned angles = 0, others = 0;
    for (const char *begin = at; *at && at - begin < MOST_ARGUMENTS; at++) {
        others += *at == '(' || *at == '[';
        if (*at == ')' || *at == ']') {
            if (others-- == 0)
                return NULL;
        } else if (*at == '<') {
            angles++;
        } else if (*at == '>' && --angles == 0) {
            return others ? NULL : at + 1;
        }
    }
    return NULL;
}

/*
 * The name of a template with its arguments, as the program has it, where one stands: "array" is
 * at p->at up to *end. Otherwise '<' is an operator. On success *end is behind the arguments.
 */
static enum wt_status template_name(struct parser *p, char **name, size_t *length, bool *found,
                                    const char **end, struct wt_error *err)
{
    const char *behind = arguments_end(*end);
    *found = false;
    if (!behind || !p->world->has_name)
        return WT_OK;
    const size_t room = *length + 3 * (size_t)(behind - *end) + 1;
    char *text = malloc(room);
    if (!text)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for an expression");
    memcpy(text, *name, *length);
    for (unsigned i = 0; i < 4 && !*found; i++) {
        const struct token_pattern pattern = {(i & 1) != 0, (i & 2) != 0};
        const size_t whole = *length + put_arguments(*end, behind, pattern, text + *length);
        *found = p->world->has_name(p->world->context, text);
        if (*found) {
            free(*name);
            *name = text;
            *length = whole;
            *end = behind;
        }
    }
    if (!*found)
        free(text);
    return WT_OK;
}

/* Words and "::", from @p end on. */
static const char *name_end(const char *begin, const char *end)
{
    while (is_word(*end) ||
           (end[0] == ':' && end[1] == ':' &&
            ((is_word(end[2]) && !isdigit((unsigned char)end[2])) || end[2] == '~')) ||
           (end > begin && end[-1] == ':' && (*end == ':' || *end == '~')))
        end++;
    return end;
}

static enum wt_status add_to_word(struct parser *p, const char *from, size_t length)
{
    char *grown = realloc(p->word, p->word_length + length + 1);
    if (!grown)
        return wt_fail(p->err, WT_NO_MEMORY, "no host memory for an expression");
    memcpy(grown + p->word_length, from, length);
    p->word = grown;
    p->word_length += length;
    grown[p->word_length] = 0;
    return WT_OK;
}

static enum wt_status name_token(struct parser *p)
{
    const char *end = p->at;
    if (*end == '$') {
        const bool of_code = *++end == '%'; /* "$%r1", "$%v2.x" */
        end += of_code;
        while (is_word(*end) || *end == '$')
            end++;
        if (of_code && *end == '.' && end[1] && strchr("xyzw", end[1]) && !is_word(end[2]))
            end += 2;
        p->token = T_DOLLAR;
        enum wt_status status = set_word(p, p->at + 1, (size_t)(end - p->at - 1));
        p->at = end;
        return status;
    }
    const size_t region = *end == 'r' && p->world->region_length
                              ? p->world->region_length(p->world->context, end)
                              : 0;
    if (region) {
        p->token = T_REGION;
        p->at += region;
        return set_word(p, end, region);
    }
    p->token = T_NAME;
    end = name_end(p->at, end);
    enum wt_status status = set_word(p, p->at, (size_t)(end - p->at));
    /* Compilers write Fortran's names in lower case. */
    if (!status && p->world->fortran && !p->world->has_name(p->world->context, p->word))
        for (size_t i = 0; i < p->word_length; i++)
            p->word[i] = (char)tolower((unsigned char)p->word[i]);
    while (!status && *end == '<') {
        bool found;
        status = template_name(p, &p->word, &p->word_length, &found, &end, p->err);
        if (status || !found)
            break;
        const char *more = end[0] == ':' && end[1] == ':' ? name_end(end, end) : end;
        status = add_to_word(p, end, (size_t)(more - end));
        end = more;
    }
    p->at = end;
    return status;
}

static enum wt_status operator_token(struct parser *p)
{
    static const struct {
        const char *text;
        int op, assign;
    } table[] = {
        {"<<=", OP_ASSIGN_WITH, WT_OP_SHL},
        {">>=", OP_ASSIGN_WITH, WT_OP_SHR},
        {"->*", WT_OP_ARROW_MEMBER, 0},
        {".*", WT_OP_MEMBER, 0},
        {"->", OP_ARROW, 0},
        {"..", OP_DOTS, 0},
        {"<<", WT_OP_SHL, 0},
        {">>", WT_OP_SHR, 0},
        {"<=", WT_OP_LE, 0},
        {">=", WT_OP_GE, 0},
        {"==", WT_OP_EQ, 0},
        {"!=", WT_OP_NE, 0},
        {"&&", WT_OP_AND, 0},
        {"||", WT_OP_OR, 0},
        {"+=", OP_ASSIGN_WITH, '+'},
        {"-=", OP_ASSIGN_WITH, '-'},
        {"*=", OP_ASSIGN_WITH, '*'},
        {"/=", OP_ASSIGN_WITH, '/'},
        {"%=", OP_ASSIGN_WITH, '%'},
        {"&=", OP_ASSIGN_WITH, '&'},
        {"|=", OP_ASSIGN_WITH, '|'},
        {"^=", OP_ASSIGN_WITH, '^'},
        {"++", OP_STEP, '+'},
        {"--", OP_STEP, '-'},
    };
    p->token = T_OP;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strncmp(p->at, table[i].text, strlen(table[i].text)) == 0 &&
            !(p->world->fortran && table[i].op == OP_STEP)) {
            p->op = table[i].op;
            p->assign_op = table[i].assign;
            p->at += strlen(table[i].text);
            return WT_OK;
        }
    if (!strchr("+-*/%&|^!~<>=?:,.()[]@#", *p->at))
        return wt_fail(p->err, WT_INVALID, "Invalid character '%c' in expression.", *p->at);
    p->op = *p->at++;
    return WT_OK;
}

/* Fortran's own operators and constants; false: there is none here. */
static bool fortran_token(struct parser *p)
{
    static const struct {
        const char *text;
        int op, value;
    } table[] = {
        {".and.", WT_OP_AND, 0}, {".or.", WT_OP_OR, 0},   {".not.", '!', 0},
        {".eqv.", WT_OP_EQ, 0},  {".neqv.", WT_OP_NE, 0}, {".eq.", WT_OP_EQ, 0},
        {".ne.", WT_OP_NE, 0},   {".lt.", '<', 0},        {".le.", WT_OP_LE, 0},
        {".gt.", '>', 0},        {".ge.", WT_OP_GE, 0},   {"/=", WT_OP_NE, 0},
        {".true.", 0, 1},        {".false.", 0, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const size_t length = strlen(table[i].text);
        if (strncasecmp(p->at, table[i].text, length) != 0)
            continue;
        p->at += length;
        p->token = table[i].op ? T_OP : T_NUMBER;
        p->op = table[i].op;
        p->value = (uint64_t)table[i].value;
        p->type = wt_types_basic(p->world->types, "bool");
        return true;
    }
    return false;
}

enum wt_status wt_parse_advance(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    p->begin = p->at;
    p->op = 0;
    if (p->world->fortran && fortran_token(p))
        return WT_OK;
    if (p->world->fortran && strncmp(p->at, "**", 2) == 0) {
        p->at += 2;
        p->token = T_OP;
        p->op = WT_OP_POWER;
        return WT_OK;
    }
    if (!*p->at) {
        p->token = T_END;
        return WT_OK;
    }
    if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
        return *p->at == '.' ? (p->token = T_NUMBER, float_token(p)) : number_token(p);
    enum wt_status status;
    if (!p->world->fortran && wide_token(p, &status))
        return status;
    if (isalpha((unsigned char)*p->at) || *p->at == '_' || *p->at == '$' ||
        (p->at[0] == ':' && p->at[1] == ':' && !p->world->fortran))
        return name_token(p);
    if (*p->at == '\'')
        return quoted_token(p);
    if (*p->at == '"')
        return string_token(p);
    return operator_token(p);
}

bool wt_parse_is_op(const struct parser *p, int op)
{
    return p->token == T_OP && p->op == op;
}

enum wt_status wt_parse_expect(struct parser *p, int op, const char *what)
{
    if (!wt_parse_is_op(p, op))
        return wt_parse_bad(p, what);
    return wt_parse_advance(p);
}
