/* Parses expressions: types and operators, by precedence. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/source/parse_tokens.h"

static enum wt_status parse_unary(struct parser *p, struct wt_node **out);

static enum wt_status parse_assign(struct parser *p, struct wt_node **out);

static enum wt_status parse_comma(struct parser *p, struct wt_node **out);

#define MOST_DEPTH 100

#define MOST_NODES 400

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
    return *type ? WT_OK : wt_parse_bad(p, "no such type");
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
            if ((status = wt_parse_advance(p)) != WT_OK)
                return status;
            if (p->token != T_NAME)
                return wt_parse_bad(p, "the name of a type is missing");
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
        if ((status = wt_parse_advance(p)) != WT_OK)
            return status;
    }
    if (!any)
        return wt_parse_bad(p, "a type is missing");
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
    for (; wt_parse_is_op(p, '(') && (*at == '*' || isspace((unsigned char)*at)); at++)
        stars += *at == '*';
    return *at == ')' ? stars : 0;
}

static enum wt_status parse_type(struct parser *p, const struct wt_type **type)
{
    enum wt_status status = parse_specifiers(p, type);
    while (!status) {
        if (wt_parse_is_op(p, '*')) {
            *type = wt_types_pointer(p->world->types, *type);
        } else if (wt_parse_is_op(p, '&')) {
            ; /* a reference to it is read as the value itself */
        } else if (p->token == T_NAME &&
                   (strcmp(p->word, "const") == 0 || strcmp(p->word, "volatile") == 0)) {
            ;
        } else {
            break;
        }
        status = wt_parse_advance(p);
    }
    uint64_t count[8];
    unsigned dimensions = 0;
    const unsigned stars = pointers_to_array(p);
    for (unsigned i = 0; i < stars + 2 && stars && !status; i++)
        status = wt_parse_advance(p);
    while (!status && wt_parse_is_op(p, '[')) {
        if ((status = wt_parse_advance(p)) != WT_OK)
            return status;
        if (p->token != T_NUMBER || dimensions == 8)
            return wt_parse_bad(p, "the number of elements is missing");
        count[dimensions++] = p->value;
        if ((status = wt_parse_advance(p)) == WT_OK)
            status = wt_parse_expect(p, ']', "']' is missing");
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
    enum wt_status status = fortran && wt_parse_is_op(p, ':') ? WT_OK : parse_assign(p, out);
    if (status || !fortran || !wt_parse_is_op(p, ':'))
        return status;
    struct wt_node *first = *out;
    if ((status = node(p, WT_NODE_SECTION, NULL, first, out)) != WT_OK ||
        (status = wt_parse_advance(p)) != WT_OK)
        return status;
    if (!wt_parse_is_op(p, ':') && !wt_parse_is_op(p, ',') && !wt_parse_is_op(p, ')') &&
        (status = parse_assign(p, &(*out)->c)) != WT_OK)
        return status;
    if (!wt_parse_is_op(p, ':'))
        return WT_OK;
    status = wt_parse_advance(p);
    return status ? status : parse_assign(p, &(*out)->a);
}

static enum wt_status parse_arguments(struct parser *p, struct wt_node *call)
{
    struct wt_node **last = &call->b;
    enum wt_status status = wt_parse_advance(p);
    while (!status && !wt_parse_is_op(p, ')')) {
        status = parse_argument(p, last);
        if (!status)
            last = &(*last)->next;
        if (!status && !wt_parse_is_op(p, ')'))
            status = wt_parse_expect(p, ',', "',' or ')' is missing");
    }
    return status ? status : wt_parse_advance(p);
}

static enum wt_status parse_parenthesis(struct parser *p, struct wt_node **out)
{
    const struct wt_type *type;
    const bool of_sizeof = p->of_sizeof;
    p->of_sizeof = false;
    enum wt_status status = wt_parse_advance(p);
    if (status)
        return status;
    if (!is_type(p)) {
        if ((status = parse_comma(p, out)) != WT_OK)
            return status;
        return wt_parse_expect(p, ')', "')' is missing");
    }
    if ((status = parse_type(p, &type)) != WT_OK ||
        (status = wt_parse_expect(p, ')', "')' is missing after the type")) != WT_OK)
        return status;
    if ((status = node(p, WT_NODE_CAST, NULL, NULL, out)) != WT_OK)
        return status;
    (*out)->type = type;
    /* "sizeof (int)" ends here, also before "* 3"; otherwise an operand of a cast follows. */
    if (of_sizeof || p->token == T_END || wt_parse_is_op(p, ')') || wt_parse_is_op(p, ',')) {
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
    if (status || (status = wt_parse_advance(p)) != WT_OK ||
        (status = wt_parse_expect(p, '<', "'<' is missing after the cast")) != WT_OK ||
        (status = parse_type(p, &(*out)->type)) != WT_OK ||
        (status = wt_parse_expect(p, '>', "'>' is missing after the type")) != WT_OK ||
        (status = wt_parse_expect(p, '(', "'(' is missing after the type")) != WT_OK ||
        (status = parse_comma(p, &(*out)->a)) != WT_OK)
        return status;
    return wt_parse_expect(p, ')', "')' is missing");
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
        return wt_parse_advance(p);
    case T_STRING:
    case T_DOLLAR:
    case T_REGION:
        status = node(p,
                      p->token == T_STRING   ? WT_NODE_STRING
                      : p->token == T_DOLLAR ? WT_NODE_DOLLAR
                                             : WT_NODE_REGION,
                      NULL, NULL, out);
        if (status)
            return status;
        take_word(p, *out);
        return wt_parse_advance(p);
    case T_NAME: {
        const bool keyword = is_keyword(p->word);
        if (keyword || (p->at[0] != '#' && strchr(p->word, '\'') == NULL &&
                        p->world->find_type(p->world->context, p->word) != NULL)) {
            if ((status = node(p, WT_NODE_TYPE, NULL, NULL, out)) != WT_OK)
                return status;
            if ((status = parse_type(p, &(*out)->type)) != WT_OK || !wt_parse_is_op(p, '('))
                return status;
            (*out)->kind = WT_NODE_CAST; /* "float(x)" */
            if ((status = wt_parse_advance(p)) != WT_OK ||
                (status = parse_comma(p, &(*out)->a)) != WT_OK)
                return status;
            return wt_parse_expect(p, ')', "')' is missing");
        }
        if (is_named_cast(p->word))
            return parse_named_cast(p, out);
        if ((status = node(p, WT_NODE_NAME, NULL, NULL, out)) != WT_OK)
            return status;
        take_word(p, *out);
        if ((status = wt_parse_advance(p)) != WT_OK || !wt_parse_is_op(p, '#'))
            return status;
        (*out)->kind = WT_NODE_SPACE;
        if ((status = wt_parse_advance(p)) != WT_OK)
            return status;
        return parse_unary(p, &(*out)->a);
    }
    default:
        if (wt_parse_is_op(p, '('))
            return parse_parenthesis(p, out);
        return wt_parse_bad(p, "a value is missing");
    }
}

static enum wt_status parse_bracket(struct parser *p, struct wt_node **out)
{
    enum wt_status status = node(p, WT_NODE_INDEX, *out, NULL, out);
    if (status || (status = wt_parse_advance(p)) != WT_OK ||
        (status = parse_comma(p, &(*out)->b)) != WT_OK)
        return status;
    if (wt_parse_is_op(p, OP_DOTS)) {
        (*out)->kind = WT_NODE_SLICE;
        if ((status = wt_parse_advance(p)) != WT_OK ||
            (status = parse_comma(p, &(*out)->c)) != WT_OK)
            return status;
    }
    return wt_parse_expect(p, ']', "']' is missing");
}

/* "++a" or (@p before) "a++", of an operand that has been parsed, where the operator is `op`. */
static enum wt_status step(struct parser *p, int op, bool before, struct wt_node **out)
{
    struct wt_node *one = NULL;
    enum wt_status status = node(p, WT_NODE_NUMBER, NULL, NULL, &one);
    if (status)
        return status;
    one->value = 1;
    one->type = wt_types_basic(p->world->types, "int");
    if ((status = node(p, WT_NODE_ASSIGN, *out, one, out)) != WT_OK)
        return status;
    (*out)->op = op;
    (*out)->before = before;
    return WT_OK;
}

static enum wt_status parse_postfix(struct parser *p, struct wt_node **out)
{
    enum wt_status status = parse_primary(p, out);
    for (unsigned length = 0; !status; length++) {
        if (length > MOST_DEPTH)
            return wt_fail(p->err, WT_INVALID, "the expression is nested too deeply");
        if (wt_parse_is_op(p, '[')) {
            status = parse_bracket(p, out);
        } else if (wt_parse_is_op(p, '(')) {
            if ((status = node(p, WT_NODE_CALL, *out, NULL, out)) == WT_OK)
                status = parse_arguments(p, *out);
        } else if (wt_parse_is_op(p, '.') || wt_parse_is_op(p, OP_ARROW) ||
                   (p->world->fortran && wt_parse_is_op(p, '%'))) {
            const bool arrow = wt_parse_is_op(p, OP_ARROW);
            if ((status = wt_parse_advance(p)) != WT_OK)
                return status;
            if (p->token != T_NAME)
                return wt_parse_bad(p, "the name of a member is missing");
            status = node(p, arrow ? WT_NODE_ARROW : WT_NODE_MEMBER, *out, NULL, out);
            if (!status) {
                take_word(p, *out);
                status = wt_parse_advance(p);
            }
        } else if (wt_parse_is_op(p, OP_STEP)) {
            if ((status = step(p, p->assign_op, true, out)) == WT_OK)
                status = wt_parse_advance(p);
        } else {
            return WT_OK;
        }
    }
    return status;
}

static enum wt_status parse_sizeof(struct parser *p, struct wt_node **out)
{
    enum wt_status status = node(p, WT_NODE_SIZEOF, NULL, NULL, out);
    if (status || (status = wt_parse_advance(p)) != WT_OK)
        return status;
    p->of_sizeof = wt_parse_is_op(p, '(');
    return parse_unary(p, &(*out)->a);
}

static enum wt_status parse_unary(struct parser *p, struct wt_node **out)
{
    enum wt_status status;
    if (++p->depth > MOST_DEPTH)
        return wt_fail(p->err, WT_INVALID, "the expression is nested too deeply");
    if (p->token == T_NAME && strcmp(p->word, "sizeof") == 0) {
        status = parse_sizeof(p, out);
    } else if (wt_parse_is_op(p, OP_STEP)) {
        const int op = p->assign_op;
        if ((status = wt_parse_advance(p)) == WT_OK && (status = parse_unary(p, out)) == WT_OK)
            status = step(p, op, false, out);
    } else if (p->token == T_OP && strchr("-+!~*&", p->op < 256 ? p->op : ' ')) {
        status = node(p, WT_NODE_UNARY, NULL, NULL, out);
        if (!status) {
            (*out)->op = p->op;
            if ((status = wt_parse_advance(p)) == WT_OK)
                status = parse_unary(p, &(*out)->a);
        }
    } else {
        status = parse_postfix(p, out);
        /* a ** b ** c is a ** (b ** c), and -a ** b is -(a ** b). */
        if (!status && wt_parse_is_op(p, WT_OP_POWER)) {
            struct wt_node *base = *out;
            if ((status = node(p, WT_NODE_BINARY, base, NULL, out)) == WT_OK) {
                (*out)->op = WT_OP_POWER;
                if ((status = wt_parse_advance(p)) == WT_OK)
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
    if (status || (status = wt_parse_advance(p)) != WT_OK)
        return status;
    if (wt_parse_is_op(p, '*')) {
        (*out)->all_lanes = true;
        return wt_parse_advance(p);
    }
    if (p->token != T_NUMBER)
        return wt_parse_bad(
            p, "after '@' a lane (x@3), lanes (x@0..7) or all of them (x@*) are expected");
    const uint64_t first = p->value;
    uint64_t last = first;
    if ((status = wt_parse_advance(p)) != WT_OK)
        return status;
    if (wt_parse_is_op(p, OP_DOTS)) {
        if ((status = wt_parse_advance(p)) != WT_OK)
            return status;
        if (p->token != T_NUMBER)
            return wt_parse_bad(p, "the last lane is missing");
        last = p->value;
        if ((status = wt_parse_advance(p)) != WT_OK)
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
        if ((status = wt_parse_advance(p)) != WT_OK)
            return status;
        status = parse_unary(p, &right);
        if (!status && lanes) {
            /* Stronger operators come first, so that the lanes are selected from the
             * whole of them. */
            status = climb(p, strength + 1, false, &right);
            if (!status && wt_parse_is_op(p, '@'))
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
    while (!status && wt_parse_is_op(p, '@')) {
        status = parse_selection(p, out);
        if (!status && logic && (*out)->kind == WT_NODE_LANES)
            (*out)->over_logic |= (*out)->a->kind == WT_NODE_BINARY;
        if (!status)
            status = climb(p, 1, true, out);
    }
    if (status || !wt_parse_is_op(p, '?'))
        return status;
    if ((status = node(p, WT_NODE_CONDITION, *out, NULL, out)) != WT_OK ||
        (status = wt_parse_advance(p)) != WT_OK || (status = parse_comma(p, &(*out)->b)) != WT_OK ||
        (status = wt_parse_expect(p, ':', "':' is missing")) != WT_OK)
        return status;
    return parse_assign(p, &(*out)->c);
}

static enum wt_status parse_assign(struct parser *p, struct wt_node **out)
{
    if (++p->depth > MOST_DEPTH)
        return wt_fail(p->err, WT_INVALID, "the expression is nested too deeply");
    enum wt_status status = parse_conditional(p, out);
    if (!status && (wt_parse_is_op(p, '=') || wt_parse_is_op(p, OP_ASSIGN_WITH))) {
        const int op = p->op == '=' ? 0 : p->assign_op;
        if ((status = node(p, WT_NODE_ASSIGN, *out, NULL, out)) == WT_OK) {
            (*out)->op = op;
            if ((status = wt_parse_advance(p)) == WT_OK)
                status = parse_assign(p, &(*out)->b);
        }
    }
    p->depth--;
    return status;
}

static enum wt_status parse_comma(struct parser *p, struct wt_node **out)
{
    enum wt_status status = parse_assign(p, out);
    while (!status && wt_parse_is_op(p, ',')) {
        struct wt_node *right = NULL;
        if ((status = wt_parse_advance(p)) != WT_OK)
            return status;
        if ((status = parse_assign(p, &right)) != WT_OK) {
            wt_node_free(right);
            return status;
        }
        status = node(p, WT_NODE_COMMA, *out, right, out);
    }
    return status;
}

/* The first name in what has been parsed that nothing has; NULL: all are known. */
static const char *unknown_name(const struct wt_parse_world *world, const struct wt_node *n)
{
    const char *name = NULL;
    for (; n && !name; n = n->next) {
        if (n->kind == WT_NODE_NAME && !world->has_name(world->context, n->text))
            return n->text;
        if (!(name = unknown_name(world, n->a)) && !(name = unknown_name(world, n->b)))
            name = unknown_name(world, n->c);
    }
    return name;
}

enum wt_status wt_parse_expression(const char *text, const struct wt_parse_world *world,
                                   struct wt_node **root, struct wt_error *err)
{
    struct parser p = {.text = text, .at = text, .begin = text, .world = world, .err = err};
    *root = NULL;
    enum wt_status status = wt_parse_advance(&p);
    if (!status && p.token == T_END)
        status = wt_fail(err, WT_INVALID, "an expression is missing");
    if (!status)
        status = parse_comma(&p, root);
    if (!status && p.token != T_END)
        status = wt_parse_bad(&p, p.token == T_OP ? "nothing is open that it could close"
                                                  : "an operator is missing");
    free(p.word);
    if (status) {
        /* As in GDB: where a name was meant to be a type, that it is none is what is wrong. Names
         * of members are not known here. */
        const char *name =
            status == WT_INVALID && world->has_name && !world->has_name(world->context, "this")
                ? unknown_name(world, *root)
                : NULL;
        if (name)
            wt_fail(err, WT_INVALID, "No symbol \"%s\" in current context.", name);
        wt_node_free(*root);
        *root = NULL;
    }
    return status;
}
