/* The parser of expressions. See parse.h. */
#include "debug/source/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MOST_DEPTH 100
#define MOST_NODES 400
#define MOST_ARGUMENTS 1000 /* characters of a template's arguments */

enum token {
    T_END,
    T_NUMBER,
    T_STRING,
    T_NAME,
    T_DOLLAR,
    T_OP, /* `op` */
};

/* Operators that do not occur in expressions. */
enum { OP_ARROW = 300, OP_DOTS, OP_ASSIGN_WITH };

struct parser {
    const char *text, *at;
    const struct wt_parse_world *world;
    struct wt_error *err;
    unsigned depth, nodes;
    bool of_sizeof; /* the parenthesis to come is sizeof's: a type in it is no cast */
    /* The token to come. */
    enum token token;
    int op;
    int assign_op; /* OP_ASSIGN_WITH: which operator */
    const char *begin;
    char *word; /* NAME, DOLLAR, STRING: the caller of take_word() owns it */
    size_t word_length;
    uint64_t value;
    const struct wt_type *type;
};

void wt_node_free(struct wt_node *node)
{
    while (node) {
        struct wt_node *next = node->next;
        wt_node_free(node->a);
        wt_node_free(node->b);
        wt_node_free(node->c);
        free(node->text);
        free(node);
        node = next;
    }
}

static enum wt_status bad(struct parser *p, const char *what)
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

/* 'a' is a character, 'file.c' or 'f(int)' a name in quotes. */
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
    enum wt_status status = set_word(p, p->at + 1, (size_t)(at - p->at - 1));
    p->at = at + 1;
    return status;
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

static bool is_word(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- names of templates ---- */

struct pattern {
    bool star_apart;  /* "int *", as Clang writes it, not "int*" */
    bool angle_apart; /* "> >", as GCC writes it, not ">>" */
};

/* Writes the arguments of a template as compilers do: one blank after a comma, none elsewhere. */
static size_t put_arguments(const char *at, const char *end, struct pattern pattern, char *out)
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
        const struct pattern pattern = {(i & 1) != 0, (i & 2) != 0};
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
    };
    p->token = T_OP;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strncmp(p->at, table[i].text, strlen(table[i].text)) == 0) {
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

static enum wt_status advance(struct parser *p)
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
    if (isalpha((unsigned char)*p->at) || *p->at == '_' || *p->at == '$' ||
        (p->at[0] == ':' && p->at[1] == ':' && !p->world->fortran))
        return name_token(p);
    if (*p->at == '\'')
        return quoted_token(p);
    if (*p->at == '"')
        return string_token(p);
    return operator_token(p);
}

static bool is_op(const struct parser *p, int op)
{
    return p->token == T_OP && p->op == op;
}

static enum wt_status expect(struct parser *p, int op, const char *what)
{
    if (!is_op(p, op))
        return bad(p, what);
    return advance(p);
}

/* ---- nodes ---- */

/* A node that takes over `a`, `b`; without host memory it frees them. */
static enum wt_status node(struct parser *p, enum wt_node_kind kind, struct wt_node *a,
                           struct wt_node *b, struct wt_node **out)
{
    struct wt_node *n = p->nodes < MOST_NODES ? calloc(1, sizeof *n) : NULL;
    if (!n) {
        wt_node_free(a);
        wt_node_free(b);
        *out = NULL;
        if (p->nodes == MOST_NODES)
            return wt_fail(p->err, WT_INVALID, "the expression is too long");
        return wt_fail(p->err, WT_NO_MEMORY, "no host memory for an expression");
    }
    p->nodes++;
    n->kind = kind;
    n->a = a;
    n->b = b;
    n->at = (unsigned)(p->begin - p->text);
    *out = n;
    return WT_OK;
}

static void take_word(struct parser *p, struct wt_node *n)
{
    n->text = p->word;
    n->value = p->word_length;
    p->word = NULL;
}

static enum wt_status parse_comma(struct parser *p, struct wt_node **out);
static enum wt_status parse_assign(struct parser *p, struct wt_node **out);
static enum wt_status parse_unary(struct parser *p, struct wt_node **out);

/* ---- types ---- */

static bool is_keyword(const char *word)
{
    static const char *const words[] = {"const",  "volatile", "unsigned", "signed",  "long",
                                        "short",  "int",      "char",     "float",   "double",
                                        "struct", "union",    "enum",     "class",   "void",
                                        "_Bool",  "bool",     "_Float16", "__int128"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* Whether a type begins here. */
static bool is_type(struct parser *p)
{
    return p->token == T_NAME &&
           (is_keyword(p->word) || p->world->find_type(p->world->context, p->word));
}

static enum wt_status arithmetic_type(struct parser *p, unsigned is_signed, unsigned is_unsigned,
                                      unsigned longs, unsigned shorts, const char *base,
                                      const struct wt_type **type)
{
    const char *name = base ? base : "int";
    char text[40];
    if (base && strcmp(base, "char") == 0)
        name = is_unsigned ? "unsigned char" : is_signed ? "signed char" : "char";
    else if (strcmp(name, "__int128") == 0)
        name = is_unsigned ? "unsigned __int128" : "__int128";
    else if (strcmp(name, "int") == 0) {
        snprintf(text, sizeof text, "%s%s", is_unsigned ? "unsigned " : "",
                 longs >= 2 ? "long long"
                 : longs    ? "long"
                 : shorts   ? "short"
                            : "int");
        name = text;
    }
    *type = wt_types_basic(p->world->types, name);
    return *type ? WT_OK : bad(p, "no such type");
}

/* Words of a type before its declarator. */
static enum wt_status parse_specifiers(struct parser *p, const struct wt_type **type)
{
    unsigned is_signed = 0, is_unsigned = 0, longs = 0, shorts = 0;
    const char *base = NULL;
    const struct wt_type *found = NULL;
    enum wt_status status;
    bool any = false;
    for (; p->token == T_NAME; any = true) {
        const char *w = p->word;
        if (strcmp(w, "const") == 0 || strcmp(w, "volatile") == 0)
            ;
        else if (strcmp(w, "unsigned") == 0)
            is_unsigned++;
        else if (strcmp(w, "signed") == 0)
            is_signed++;
        else if (strcmp(w, "long") == 0)
            longs++;
        else if (strcmp(w, "short") == 0)
            shorts++;
        else if (strcmp(w, "int") == 0)
            base = base ? base : "int";
        else if (strcmp(w, "char") == 0)
            base = "char";
        else if (strcmp(w, "double") == 0)
            base = "double";
        else if (strcmp(w, "__int128") == 0)
            base = "__int128";
        else if (strcmp(w, "struct") == 0 || strcmp(w, "union") == 0 || strcmp(w, "enum") == 0 ||
                 strcmp(w, "class") == 0) {
            char name[256];
            const char *kind = w[0] == 's'   ? "struct"
                               : w[0] == 'u' ? "union"
                               : w[0] == 'e' ? "enum"
                                             : "class";
            if ((status = advance(p)) != WT_OK)
                return status;
            if (p->token != T_NAME)
                return bad(p, "the name of a type is missing");
            snprintf(name, sizeof name, "%s %s", kind, p->word);
            found = p->world->find_type(p->world->context, name);
            if (!found)
                return wt_fail(p->err, WT_INVALID, "No %s type named %s.", kind, p->word);
        } else {
            if (found || base || is_signed || is_unsigned || longs || shorts)
                break;
            found = p->world->find_type(p->world->context, w);
            if (!found)
                found = wt_types_basic(p->world->types, w);
            if (!found)
                break;
        }
        if ((status = advance(p)) != WT_OK)
            return status;
    }
    if (!any)
        return bad(p, "a type is missing");
    if (found) {
        *type = found;
        return WT_OK;
    }
    /* A type of that name in the program takes precedence: its char has the program's sign. */
    status = arithmetic_type(p, is_signed, is_unsigned, longs, shorts, base, type);
    if (!status && (*type)->name) {
        const struct wt_type *own = p->world->find_type(p->world->context, (*type)->name);
        if (own)
            *type = own;
    }
    return status;
}

/* The stars of "(*)" behind a type: of a pointer to the array whose dimensions follow. 0: none. */
static unsigned pointers_to_array(const struct parser *p)
{
    const char *at = p->at;
    unsigned stars = 0;
    for (; is_op(p, '(') && (*at == '*' || isspace((unsigned char)*at)); at++)
        stars += *at == '*';
    return *at == ')' ? stars : 0;
}

static enum wt_status parse_type(struct parser *p, const struct wt_type **type)
{
    enum wt_status status = parse_specifiers(p, type);
    while (!status) {
        if (is_op(p, '*')) {
            *type = wt_types_pointer(p->world->types, *type);
        } else if (is_op(p, '&')) {
            ; /* a reference to it is read as the value itself */
        } else if (p->token == T_NAME &&
                   (strcmp(p->word, "const") == 0 || strcmp(p->word, "volatile") == 0)) {
            ;
        } else {
            break;
        }
        status = advance(p);
    }
    uint64_t count[8];
    unsigned dimensions = 0;
    const unsigned stars = pointers_to_array(p);
    for (unsigned i = 0; i < stars + 2 && stars && !status; i++)
        status = advance(p);
    while (!status && is_op(p, '[')) {
        if ((status = advance(p)) != WT_OK)
            return status;
        if (p->token != T_NUMBER || dimensions == 8)
            return bad(p, "the number of elements is missing");
        count[dimensions++] = p->value;
        if ((status = advance(p)) == WT_OK)
            status = expect(p, ']', "']' is missing");
    }
    while (dimensions)
        *type = wt_types_array(p->world->types, *type, count[--dimensions]);
    for (unsigned i = 0; i < stars; i++)
        *type = wt_types_pointer(p->world->types, *type);
    return status;
}

/* ---- expressions ---- */

/* One argument; in Fortran it may be a section, "first:last:stride" with all parts optional. */
static enum wt_status parse_argument(struct parser *p, struct wt_node **out)
{
    const bool fortran = p->world->fortran;
    enum wt_status status = fortran && is_op(p, ':') ? WT_OK : parse_assign(p, out);
    if (status || !fortran || !is_op(p, ':'))
        return status;
    struct wt_node *first = *out;
    if ((status = node(p, WT_NODE_SECTION, NULL, first, out)) != WT_OK ||
        (status = advance(p)) != WT_OK)
        return status;
    if (!is_op(p, ':') && !is_op(p, ',') && !is_op(p, ')') &&
        (status = parse_assign(p, &(*out)->c)) != WT_OK)
        return status;
    if (!is_op(p, ':'))
        return WT_OK;
    status = advance(p);
    return status ? status : parse_assign(p, &(*out)->a);
}

static enum wt_status parse_arguments(struct parser *p, struct wt_node *call)
{
    struct wt_node **last = &call->b;
    enum wt_status status = advance(p);
    while (!status && !is_op(p, ')')) {
        status = parse_argument(p, last);
        if (!status)
            last = &(*last)->next;
        if (!status && !is_op(p, ')'))
            status = expect(p, ',', "',' or ')' is missing");
    }
    return status ? status : advance(p);
}

static enum wt_status parse_parenthesis(struct parser *p, struct wt_node **out)
{
    const struct wt_type *type;
    const bool of_sizeof = p->of_sizeof;
    p->of_sizeof = false;
    enum wt_status status = advance(p);
    if (status)
        return status;
    if (!is_type(p)) {
        if ((status = parse_comma(p, out)) != WT_OK)
            return status;
        return expect(p, ')', "')' is missing");
    }
    if ((status = parse_type(p, &type)) != WT_OK ||
        (status = expect(p, ')', "')' is missing behind the type")) != WT_OK)
        return status;
    if ((status = node(p, WT_NODE_CAST, NULL, NULL, out)) != WT_OK)
        return status;
    (*out)->type = type;
    /* "sizeof (int)" ends here, also before "* 3"; otherwise an operand of a cast follows. */
    if (of_sizeof || p->token == T_END || is_op(p, ')') || is_op(p, ',')) {
        (*out)->kind = WT_NODE_TYPE;
        return WT_OK;
    }
    return parse_unary(p, &(*out)->a);
}

static bool is_named_cast(const char *word)
{
    return strcmp(word, "static_cast") == 0 || strcmp(word, "reinterpret_cast") == 0 ||
           strcmp(word, "const_cast") == 0;
}

/* "static_cast<T>(x)" */
static enum wt_status parse_named_cast(struct parser *p, struct wt_node **out)
{
    enum wt_status status = node(p, WT_NODE_CAST, NULL, NULL, out);
    if (status || (status = advance(p)) != WT_OK ||
        (status = expect(p, '<', "'<' is missing behind the cast")) != WT_OK ||
        (status = parse_type(p, &(*out)->type)) != WT_OK ||
        (status = expect(p, '>', "'>' is missing behind the type")) != WT_OK ||
        (status = expect(p, '(', "'(' is missing behind the type")) != WT_OK ||
        (status = parse_comma(p, &(*out)->a)) != WT_OK)
        return status;
    return expect(p, ')', "')' is missing");
}

static enum wt_status parse_primary(struct parser *p, struct wt_node **out)
{
    enum wt_status status;
    switch (p->token) {
    case T_NUMBER:
        if ((status = node(p, WT_NODE_NUMBER, NULL, NULL, out)) != WT_OK)
            return status;
        (*out)->value = p->value;
        (*out)->type = p->type;
        return advance(p);
    case T_STRING:
    case T_DOLLAR:
        status = node(p, p->token == T_STRING ? WT_NODE_STRING : WT_NODE_DOLLAR, NULL, NULL, out);
        if (status)
            return status;
        take_word(p, *out);
        return advance(p);
    case T_NAME: {
        const bool keyword = is_keyword(p->word);
        if (keyword || (p->at[0] != '#' && strchr(p->word, '\'') == NULL &&
                        p->world->find_type(p->world->context, p->word) != NULL)) {
            if ((status = node(p, WT_NODE_TYPE, NULL, NULL, out)) != WT_OK)
                return status;
            if ((status = parse_type(p, &(*out)->type)) != WT_OK || !is_op(p, '('))
                return status;
            (*out)->kind = WT_NODE_CAST; /* "float(x)" */
            if ((status = advance(p)) != WT_OK || (status = parse_comma(p, &(*out)->a)) != WT_OK)
                return status;
            return expect(p, ')', "')' is missing");
        }
        if (is_named_cast(p->word))
            return parse_named_cast(p, out);
        if ((status = node(p, WT_NODE_NAME, NULL, NULL, out)) != WT_OK)
            return status;
        take_word(p, *out);
        if ((status = advance(p)) != WT_OK || !is_op(p, '#'))
            return status;
        (*out)->kind = WT_NODE_SPACE;
        if ((status = advance(p)) != WT_OK)
            return status;
        return parse_unary(p, &(*out)->a);
    }
    default:
        if (is_op(p, '('))
            return parse_parenthesis(p, out);
        return bad(p, "a value is missing");
    }
}

static enum wt_status parse_bracket(struct parser *p, struct wt_node **out)
{
    enum wt_status status = node(p, WT_NODE_INDEX, *out, NULL, out);
    if (status || (status = advance(p)) != WT_OK || (status = parse_comma(p, &(*out)->b)) != WT_OK)
        return status;
    if (is_op(p, OP_DOTS)) {
        (*out)->kind = WT_NODE_SLICE;
        if ((status = advance(p)) != WT_OK || (status = parse_comma(p, &(*out)->c)) != WT_OK)
            return status;
    }
    return expect(p, ']', "']' is missing");
}

static enum wt_status parse_postfix(struct parser *p, struct wt_node **out)
{
    enum wt_status status = parse_primary(p, out);
    for (unsigned length = 0; !status; length++) {
        if (length > MOST_DEPTH)
            return wt_fail(p->err, WT_INVALID, "the expression is nested too deeply");
        if (is_op(p, '[')) {
            status = parse_bracket(p, out);
        } else if (is_op(p, '(')) {
            if ((status = node(p, WT_NODE_CALL, *out, NULL, out)) == WT_OK)
                status = parse_arguments(p, *out);
        } else if (is_op(p, '.') || is_op(p, OP_ARROW) || (p->world->fortran && is_op(p, '%'))) {
            const bool arrow = is_op(p, OP_ARROW);
            if ((status = advance(p)) != WT_OK)
                return status;
            if (p->token != T_NAME)
                return bad(p, "the name of a member is missing");
            status = node(p, arrow ? WT_NODE_ARROW : WT_NODE_MEMBER, *out, NULL, out);
            if (!status) {
                take_word(p, *out);
                status = advance(p);
            }
        } else {
            return WT_OK;
        }
    }
    return status;
}

static enum wt_status parse_sizeof(struct parser *p, struct wt_node **out)
{
    enum wt_status status = node(p, WT_NODE_SIZEOF, NULL, NULL, out);
    if (status || (status = advance(p)) != WT_OK)
        return status;
    p->of_sizeof = is_op(p, '(');
    return parse_unary(p, &(*out)->a);
}

static enum wt_status parse_unary(struct parser *p, struct wt_node **out)
{
    enum wt_status status;
    if (++p->depth > MOST_DEPTH)
        return wt_fail(p->err, WT_INVALID, "the expression is nested too deeply");
    if (p->token == T_NAME && strcmp(p->word, "sizeof") == 0) {
        status = parse_sizeof(p, out);
    } else if (p->token == T_OP && strchr("-+!~*&", p->op < 256 ? p->op : ' ')) {
        status = node(p, WT_NODE_UNARY, NULL, NULL, out);
        if (!status) {
            (*out)->op = p->op;
            if ((status = advance(p)) == WT_OK)
                status = parse_unary(p, &(*out)->a);
        }
    } else {
        status = parse_postfix(p, out);
        /* a ** b ** c is a ** (b ** c), and -a ** b is -(a ** b). */
        if (!status && is_op(p, WT_OP_POWER)) {
            struct wt_node *base = *out;
            if ((status = node(p, WT_NODE_BINARY, base, NULL, out)) == WT_OK) {
                (*out)->op = WT_OP_POWER;
                if ((status = advance(p)) == WT_OK)
                    status = parse_unary(p, &(*out)->b);
            }
        }
    }
    p->depth--;
    return status;
}

static int precedence(const struct parser *p)
{
    if (p->token != T_OP)
        return 0;
    switch (p->op) {
    case WT_OP_MEMBER:
    case WT_OP_ARROW_MEMBER:
        return 11;
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case WT_OP_SHL:
    case WT_OP_SHR:
        return 8;
    case '<':
    case '>':
    case WT_OP_LE:
    case WT_OP_GE:
        return 7;
    case WT_OP_EQ:
    case WT_OP_NE:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case WT_OP_AND:
        return 2;
    case WT_OP_OR:
        return 1;
    default:
        return 0;
    }
}

/* "3", "0..15", "*" behind an '@'. */
static enum wt_status parse_selection(struct parser *p, struct wt_node **out)
{
    enum wt_status status = node(p, WT_NODE_LANES, *out, NULL, out);
    if (status || (status = advance(p)) != WT_OK)
        return status;
    if (is_op(p, '*')) {
        (*out)->all_lanes = true;
        return advance(p);
    }
    if (p->token != T_NUMBER)
        return bad(p, "behind '@' there is a lane (x@3), lanes (x@0..7) or all of them (x@*)");
    const uint64_t first = p->value;
    uint64_t last = first;
    if ((status = advance(p)) != WT_OK)
        return status;
    if (is_op(p, OP_DOTS)) {
        if ((status = advance(p)) != WT_OK)
            return status;
        if (p->token != T_NUMBER)
            return bad(p, "the last lane is missing");
        last = p->value;
        if ((status = advance(p)) != WT_OK)
            return status;
    }
    if (first > last)
        return wt_fail(p->err, WT_INVALID, "lanes %llu..%llu: the first lane is above the last",
                       (unsigned long long)first, (unsigned long long)last);
    if (last >= WT_MAX_LANES)
        return wt_fail(p->err, WT_INVALID, "there is no lane %llu", (unsigned long long)last);
    (*out)->lanes = wt_lanes_first((unsigned)last + 1) & ~wt_lanes_first((unsigned)first);
    return WT_OK;
}

/*
 * Continues after a left operand, with operators that bind at least as strongly as `least`. With
 * `lanes`, the left operand already has its '@', and each right operand may have one, too.
 */
static enum wt_status climb(struct parser *p, int least, bool lanes, struct wt_node **out)
{
    enum wt_status status = WT_OK;
    while (!status && precedence(p) >= least && precedence(p) > 0) {
        const int op = p->op, strength = precedence(p);
        struct wt_node *right = NULL;
        if ((status = advance(p)) != WT_OK)
            return status;
        status = parse_unary(p, &right);
        if (!status && lanes) {
            /* Stronger operators come first, so that the lanes are selected from the
             * whole of them. */
            status = climb(p, strength + 1, false, &right);
            if (!status && is_op(p, '@'))
                status = parse_selection(p, &right);
        }
        while (!status && precedence(p) > strength)
            status = climb(p, strength + 1, lanes, &right);
        if (status) {
            wt_node_free(right);
            return status;
        }
        if ((status = node(p, WT_NODE_BINARY, *out, right, out)) == WT_OK)
            (*out)->op = op;
    }
    return status;
}

static enum wt_status parse_conditional(struct parser *p, struct wt_node **out)
{
    enum wt_status status = parse_unary(p, out);
    const struct wt_node *first = *out;
    if (!status)
        status = climb(p, 1, false, out);
    const bool logic = !status && *out != first && (*out)->kind == WT_NODE_BINARY &&
                       ((*out)->op == WT_OP_AND || (*out)->op == WT_OP_OR);
    /* '@' binds weaker than any operator to its left; on its right, each operand has
     * its own '@'. */
    while (!status && is_op(p, '@')) {
        status = parse_selection(p, out);
        if (!status && logic && (*out)->kind == WT_NODE_LANES)
            (*out)->over_logic |= (*out)->a->kind == WT_NODE_BINARY;
        if (!status)
            status = climb(p, 1, true, out);
    }
    if (status || !is_op(p, '?'))
        return status;
    if ((status = node(p, WT_NODE_CONDITION, *out, NULL, out)) != WT_OK ||
        (status = advance(p)) != WT_OK || (status = parse_comma(p, &(*out)->b)) != WT_OK ||
        (status = expect(p, ':', "':' is missing")) != WT_OK)
        return status;
    return parse_assign(p, &(*out)->c);
}

static enum wt_status parse_assign(struct parser *p, struct wt_node **out)
{
    if (++p->depth > MOST_DEPTH)
        return wt_fail(p->err, WT_INVALID, "the expression is nested too deeply");
    enum wt_status status = parse_conditional(p, out);
    if (!status && (is_op(p, '=') || is_op(p, OP_ASSIGN_WITH))) {
        const int op = p->op == '=' ? 0 : p->assign_op;
        if ((status = node(p, WT_NODE_ASSIGN, *out, NULL, out)) == WT_OK) {
            (*out)->op = op;
            if ((status = advance(p)) == WT_OK)
                status = parse_assign(p, &(*out)->b);
        }
    }
    p->depth--;
    return status;
}

static enum wt_status parse_comma(struct parser *p, struct wt_node **out)
{
    enum wt_status status = parse_assign(p, out);
    while (!status && is_op(p, ',')) {
        struct wt_node *right = NULL;
        if ((status = advance(p)) != WT_OK)
            return status;
        if ((status = parse_assign(p, &right)) != WT_OK) {
            wt_node_free(right);
            return status;
        }
        status = node(p, WT_NODE_COMMA, *out, right, out);
    }
    return status;
}

enum wt_status wt_parse_expression(const char *text, const struct wt_parse_world *world,
                                   struct wt_node **root, struct wt_error *err)
{
    struct parser p = {.text = text, .at = text, .begin = text, .world = world, .err = err};
    *root = NULL;
    enum wt_status status = advance(&p);
    if (!status && p.token == T_END)
        status = wt_fail(err, WT_INVALID, "an expression is missing");
    if (!status)
        status = parse_comma(&p, root);
    if (!status && p.token != T_END)
        status = bad(&p, p.token == T_OP ? "nothing is open that it could close"
                                         : "an operator is missing");
    free(p.word);
    if (status) {
        wt_node_free(*root);
        *root = NULL;
    }
    return status;
}
