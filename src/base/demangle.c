/* Names of C++ functions in readable form. See demangle.h. */
#include "base/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C++ notation of a name; NULL if it is not a mangled C++ name. The C++ library is loaded when
 * the first name needs it, and stays loaded. The caller frees the result. */
static char *demangled(const char *name)
{
    char *(*demangle)(const char *, char *, size_t *, int *);
    int status = -1;
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = demangle ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&demangle = dlsym(library, "__cxa_demangle");
    char *made = demangle ? demangle(name, NULL, NULL, &status) : NULL;
    if (!status)
        return made;
    free(made);
    return NULL;
}

static const char *behind_hex(const char *text)
{
    return text + strspn(text, "0123456789abcdef");
}

/* clang's kernel of an OpenMP region is __omp_offloading_DEVICE_INODE_FUNCTION_lLINE, both numbers
 * those of the source file. It becomes FUNCTION:LINE; NULL if the name is none such. */
static char *region(const char *name)
{
    static const char prefix[] = "__omp_offloading_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    const char *at = behind_hex(name + sizeof prefix - 1);
    if (*at != '_')
        return NULL;
    at = behind_hex(at + 1);
    const char *line = strrchr(at, 'l');
    if (*at != '_' || !line || line - at < 3 || line[-1] != '_' || !isdigit((unsigned char)line[1]))
        return NULL;
    char *function = strndup(at + 1, (size_t)(line - at - 2)), *text = NULL;
    char *plain = function ? demangled(function) : NULL;
    if (function && asprintf(&text, "%s:%s", plain ? plain : function, line + 1) < 0)
        text = NULL;
    free(plain);
    free(function);
    return text;
}

static char *plain_name(const char *name)
{
    char *made = demangled(name);
    return made ? made : region(name);
}

void wt_demangle(const char *name, char *text, size_t size)
{
    char *made = plain_name(name);
    snprintf(text, size, "%s", made ? made : name);
    free(made);
}

void wt_demangle_source(const char *name, char *text, size_t size)
{
    const char *region = strstr(name, "_omp_fn");
    const bool added = region && region > name + 1 && (region[-1] == '.' || region[-1] == '$');
    char *source = added ? strndup(name, (size_t)(region - 1 - name)) : NULL;
    wt_demangle(source ? source : name, text, size);
    free(source);
}

/* ---- what people may call it ---- */

/* @p suffix: the part that a compiler has added behind the name; users may leave it out. */
static bool is_called(const char *start, const char *end, const char *suffix, const char *called)
{
    const size_t length = (size_t)(end - start);
    return strncmp(start, called, length) == 0 &&
           (!called[length] || strcmp(suffix, called + length) == 0);
}

/* The begin of the bracketed part at the end of [text, end); end if there is none. */
static const char *last_brackets(const char *text, const char *end, char open, char close)
{
    unsigned depth = 0;
    if (end == text || end[-1] != close)
        return end;
    for (const char *p = end; p-- > text;) {
        depth += *p == close;
        if (*p == open && --depth == 0)
            return p;
    }
    return end;
}

/* Behind the result's type: the last blank that is in no brackets. */
static const char *without_result(const char *text, const char *end)
{
    unsigned depth = 0;
    for (const char *p = end; p-- > text;) {
        depth += *p == '>' || *p == ')';
        depth -= (*p == '<' || *p == '(') && depth;
        if (*p == ' ' && !depth)
            return p + 1;
    }
    return text;
}

/* The begin of the compiler's additions: a region's ":LINE"; " [clone .SUFFIX]" of a mangled name;
 * ".SUFFIX" of a C name, which contains no other dot. */
static const char *additions(const char *text)
{
    const char *clone = strstr(text, " [clone "), *colon = strrchr(text, ':'),
               *dot = strchr(text, '.');
    if (clone)
        return clone;
    if (colon && colon > text && colon[-1] != ':' && isdigit((unsigned char)colon[1]))
        return colon;
    if (dot && dot > text && !strpbrk(text, "(<"))
        return dot;
    return text + strlen(text);
}

/* Behind the first "::" that is in no brackets; NULL if there is none. */
static const char *without_scope(const char *text, const char *end)
{
    unsigned depth = 0;
    for (const char *p = text; p + 2 < end; p++) {
        depth += *p == '<' || *p == '(';
        depth -= (*p == '>' || *p == ')') && depth;
        if (p[0] == ':' && p[1] == ':' && !depth)
            return p + 2;
    }
    return NULL;
}

bool wt_name_matches(const char *name, const char *called)
{
    if (strcmp(name, called) == 0)
        return true;
    char *made = plain_name(name);
    const char *text = made ? made : name, *suffix = additions(text);
    const char *parameters = last_brackets(text, suffix, '(', ')');
    const char *start = without_result(text, parameters);
    const char *arguments = last_brackets(start, parameters, '<', '>');
    bool match = is_called(text, suffix, suffix, called);
    for (; start && !match; start = without_scope(start, arguments))
        match = is_called(start, suffix, suffix, called) ||
                is_called(start, parameters, suffix, called) ||
                is_called(start, arguments, suffix, called);
    free(made);
    return match;
}

void wt_demangle_variable(const char *name, char *text, size_t size)
{
    wt_demangle(name, text, size);
    for (const char *inside; (inside = strstr(text, ")::"));)
        memmove(text, inside + 3, strlen(inside + 3) + 1);
}
