/* Names of C++ functions for people. See demangle.h. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C++ library's; it is loaded when the first name wants it, and stays. */
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

void wt_demangle(const char *name, char *text, size_t size)
{
    char *made = demangled(name);
    snprintf(text, size, "%s", made ? made : name);
    free(made);
}

/* Where what stands in brackets at the end of [text, end) begins; end if nothing does. */
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

static bool same(const char *text, const char *end, const char *called)
{
    return strlen(called) == (size_t)(end - text) &&
           strncmp(text, called, (size_t)(end - text)) == 0;
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

bool wt_name_matches(const char *name, const char *called)
{
    if (strcmp(name, called) == 0)
        return true;
    char *made = demangled(name);
    if (!made)
        return false;
    const char *end = made + strlen(made), *parameters = last_brackets(made, end, '(', ')');
    const char *start = without_result(made, parameters);
    const char *arguments = last_brackets(start, parameters, '<', '>');
    const bool match = same(made, end, called) || same(start, end, called) ||
                       same(start, parameters, called) || same(start, arguments, called);
    free(made);
    return match;
}
