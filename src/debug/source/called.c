/* Functions by the names that people give them. See called.h. */
#include "debug/source/called.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "debug/source/attributes.h"
#include "debug/source/types.h"

struct wt_called {
    char *name;       /* in its canonical spelling, without parameters and leading "::" */
    char *part;       /* the last part of it, without arguments of a template */
    char *parameters; /* "(int,float*)"; NULL: any */
    bool is_whole;    /* with all of its namespaces and classes */
};

/* ---- one spelling ---- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The words of C's integer types; each has its bit, `long` two. */
enum { UNSIGNED = 1, SIGNED = 2, SHORT = 4, INT = 8, CHAR = 16, LONG = 32, LONG_LONG = 64 };

static unsigned word_of_integer(const char *text, size_t length)
{
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {{"unsigned", UNSIGNED}, {"signed", SIGNED}, {"short", SHORT},
                 {"int", INT},           {"char", CHAR},     {"long", LONG}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, text, length) == 0)
            return words[i].bit;
    return 0;
}

static const char *name_of_integer(unsigned words)
{
    const bool is_unsigned = words & UNSIGNED;
    if (words & CHAR)
        return is_unsigned ? "unsigned char" : words & SIGNED ? "signed char" : "char";
    if (words & SHORT)
        return is_unsigned ? "unsigned short" : "short";
    if (words & LONG_LONG)
        return is_unsigned ? "unsigned long long" : "long long";
    if (words & LONG)
        return is_unsigned ? "unsigned long" : "long";
    return is_unsigned ? "unsigned int" : "int";
}

struct called_text {
    char *to;
    size_t length;
};

static void put(struct called_text *t, const char *from, size_t length)
{
    if (t->length && length && is_word(t->to[t->length - 1]) && is_word(from[0]))
        t->to[t->length++] = ' ';
    memcpy(t->to + t->length, from, length);
    t->length += length;
    t->to[t->length] = 0;
}

/* Without blanks but between words, and with C's integer types in one spelling. The caller frees
 * it; NULL: no host memory. */
static char *canonical(const char *from, size_t length)
{
    struct called_text made = {.to = malloc(3 * length + sizeof "unsigned long long")};
    const char *const end = from + length;
    unsigned integer = 0;
    if (!made.to)
        return NULL;
    made.to[0] = 0;
    while (from < end) {
        size_t word = 0;
        while (from + word < end && is_word(from[word]))
            word++;
        const unsigned bit = word_of_integer(from, word);
        if (bit) {
            integer |= bit == LONG && integer & LONG ? LONG_LONG : bit;
        } else if (!isspace((unsigned char)*from)) {
            if (integer)
                put(&made, name_of_integer(integer), strlen(name_of_integer(integer)));
            integer = 0;
            put(&made, from, word ? word : 1);
        }
        from += word ? word : 1;
    }
    if (integer)
        put(&made, name_of_integer(integer), strlen(name_of_integer(integer)));
    return made.to;
}

/* ---- parts ---- */

#define ANONYMOUS "(anonymous namespace)"

static bool is_operator(const char *start, const char *at)
{
    const size_t length = strlen("operator");
    return strncmp(at, "operator", length) == 0 && !is_word(at[length]) &&
           (at == start || !is_word(at[-1]));
}

/* Behind an operator's sign: "()", "<<", "[]"; @p at is behind the word. */
static const char *behind_sign(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    if (at[0] == '(' && at[1] == ')')
        return at + 2;
    return at + strspn(at, "<>=-+*/%^&|!~,[]");
}

/* Of a name with or without parameters: where its last part begins, and the parameters; *parameters
 * is its end if there are none. */
static const char *take_apart(const char *text, const char **parameters)
{
    const char *part = text, *at = text;
    unsigned depth = 0;
    while (*at) {
        if (strncmp(at, ANONYMOUS, strlen(ANONYMOUS)) == 0) {
            at += strlen(ANONYMOUS);
            continue;
        }
        if (!depth && is_operator(text, at)) {
            part = at;
            at = behind_sign(at + strlen("operator"));
            continue;
        }
        if (!depth && *at == '(')
            break;
        depth += *at == '<' || *at == '{' || *at == '(';
        depth -= depth && (*at == '>' || *at == '}' || *at == ')');
        if (!depth && at[0] == ':' && at[1] == ':')
            part = ++at + 1;
        at++;
    }
    *parameters = at;
    return part;
}

/* The end of a part without the arguments of its template. */
static const char *before_arguments(const char *part, const char *end)
{
    const char *at = is_operator(part, part) ? behind_sign(part + strlen("operator")) : part;
    while (at < end && *at != '<')
        at++;
    return at;
}

/* ---- what people say ---- */

/* "(size_t, float *)" with typedefs resolved, canonical; NULL: no host memory. */
static char *parameters_of(const char *text, wt_typedef_fn *resolve, void *context)
{
    char *plain = canonical(text, strlen(text)), *made = NULL;
    size_t size;
    if (!plain || !resolve)
        return plain;
    FILE *out = open_memstream(&made, &size);
    for (const char *at = plain; out && *at;) {
        size_t word = 0;
        while (is_word(at[word]))
            word++;
        char *name = word ? strndup(at, word) : NULL, *other = name ? resolve(context, name) : NULL;
        if (other)
            fputs(other, out);
        else
            fprintf(out, "%.*s", (int)(word ? word : 1), at);
        free(name);
        free(other);
        at += word ? word : 1;
    }
    free(plain);
    if (!out || fclose(out) != 0 || !made)
        return NULL;
    plain = canonical(made, strlen(made));
    free(made);
    if (plain && strcmp(plain, "(void)") == 0)
        strcpy(plain, "()");
    return plain;
}

struct wt_called *wt_called_new(const char *name, bool is_whole, wt_typedef_fn *resolve,
                                void *context)
{
    struct wt_called *c = calloc(1, sizeof *c);
    const char *parameters;
    if (!c)
        return NULL;
    c->is_whole = is_whole;
    name += strncmp(name, "::", 2) == 0 ? 2 : 0;
    take_apart(name, &parameters);
    c->name = canonical(name, (size_t)(parameters - name));
    c->parameters = *parameters ? parameters_of(parameters, resolve, context) : NULL;
    const char *end = c->name ? c->name + strlen(c->name) : NULL;
    const char *part = c->name ? take_apart(c->name, &parameters) : NULL;
    c->part = part ? strndup(part, (size_t)(before_arguments(part, end) - part)) : NULL;
    if (c->part && (c->parameters || !*parameters))
        return c;
    wt_called_free(c);
    return NULL;
}

void wt_called_free(struct wt_called *c)
{
    if (!c)
        return;
    free(c->name);
    free(c->part);
    free(c->parameters);
    free(c);
}

/* ---- matches ---- */

/* The end of the part that begins at @p at: the next "::", or the end. */
static const char *part_end(const char *at)
{
    unsigned depth = 0;
    if (is_operator(at, at))
        return at + strlen(at);
    for (; *at; at++) {
        depth += *at == '<' || *at == '{' || *at == '(';
        depth -= depth && (*at == '>' || *at == '}' || *at == ')');
        if (!depth && at[0] == ':' && at[1] == ':')
            break;
    }
    return at;
}

/* Whether @p own, from here to its end, has the parts of @p said; arguments of templates need not
 * be said. */
static bool same_parts(const char *own, const char *said)
{
    for (;;) {
        const char *own_end = part_end(own), *said_end = part_end(said);
        const char *bare = before_arguments(own, own_end);
        const size_t length = (size_t)(said_end - said);
        if (((size_t)(own_end - own) != length && (size_t)(bare - own) != length) ||
            strncmp(own, said, length) != 0 || !*own_end != !*said_end)
            return false;
        if (!*own_end)
            return true;
        own = own_end + 2;
        said = said_end + 2;
    }
}

/* The parameters of a function in its name in the symbol table, canonical; NULL: it has none. */
static char *own_parameters(const char *linkage)
{
    enum { MOST = 4096 };
    char *text = malloc(MOST), *made = NULL;
    const char *parameters = "";
    if (text) {
        wt_demangle(linkage, text, MOST);
        take_apart(text, &parameters);
    }
    if (*parameters)
        made = canonical(parameters, strlen(parameters));
    free(text);
    return made;
}

static const char *linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
                   dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute)
               ? dwarf_formstring(&attribute)
               : NULL;
}

/* Likewise of a function that has no such name: main, functions of C, those of one file only. */
static char *declared_parameters(struct wt_info *info, Dwarf_Die *function)
{
    Dwarf_Die child, origin;
    Dwarf_Attribute attribute;
    char *text = NULL, *made;
    size_t size;
    bool any = false;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputc('(', out);
    wt_info_origin(function, &origin);
    for (bool more = dwarf_child(&origin, &child) == 0; more;
         more = dwarf_siblingof(&child, &child) == 0) {
        Dwarf_Die type;
        if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
            dwarf_hasattr_integrate(&child, DW_AT_artificial) ||
            !dwarf_attr_integrate(&child, DW_AT_type, &attribute) ||
            !dwarf_formref_die(&attribute, &type))
            continue;
        fputs(any ? "," : "", out);
        const struct wt_type *own = wt_types_read(wt_info_types(info), &type);
        wt_type_print(out, own && own->kind == WT_TYPE_TYPEDEF ? wt_type_plain(own) : own);
        any = true;
    }
    fputc(')', out);
    if (fclose(out) != 0 || !text)
        return NULL;
    made = canonical(text, size);
    free(text);
    return made;
}

static bool matches(const struct wt_called *c, struct wt_info *info, const struct wt_name *name)
{
    Dwarf_Die die = name->die;
    char *own = canonical(name->name, strlen(name->name));
    bool match = false;
    for (const char *at = own; at && !match; at = *part_end(at) ? part_end(at) + 2 : NULL) {
        match = same_parts(at, c->name);
        if (c->is_whole)
            break;
    }
    free(own);
    if (!match || !c->parameters)
        return match;
    const char *linkage = linkage_name(&die);
    char *parameters = linkage ? own_parameters(linkage) : declared_parameters(info, &die);
    match = parameters && strcmp(parameters, c->parameters) == 0;
    free(parameters);
    return match;
}

void wt_called_functions(const struct wt_called *c, struct wt_info *info,
                         bool (*found)(void *context, const struct wt_name *name), void *context)
{
    size_t count;
    const struct wt_name *name = wt_info_names_from(info, c->part, &count);
    const size_t length = strlen(c->part);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(wt_info_last_part(name[i].name), c->part, length) != 0)
            break;
        if (name[i].kind == WT_NAME_FUNCTION && matches(c, info, &name[i]) &&
            !found(context, &name[i]))
            return;
    }
}
