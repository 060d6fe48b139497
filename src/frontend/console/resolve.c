/* Resolves breakpoints and catchpoints again when code has been loaded or unloaded. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "frontend/console/internal.h"

/* A line that was given before there was a file is one of the first file that there is. */
static void name_file(struct wt_shell *c, struct point *p)
{
    char *whole;
    if (p->addr_count || !isdigit((unsigned char)p->text[0]))
        return;
    if (!c->list_file)
        find_default_source(c);
    if (!c->list_file || asprintf(&whole, "%s:%s", c->list_file, p->text) < 0)
        return;
    free(p->text);
    p->text = whole;
}

/* Why a breakpoint stays pending though source texts have come: a program of OpenCL that was made
 * of a file has the file's text. Told once. */
static void tell_why(struct wt_shell *c, struct point *p)
{
    struct wt_location location;
    const char *path = NULL;
    unsigned lines;
    bool more = true, held = false;
    size_t texts = 0;
    if (p->addr_count || p->told || wt_location_parse(p->text, &location, WT_IGNORED) != WT_OK)
        return;
    const bool is_line = location.kind == WT_LOCATION_LINE;
    for (; is_line && more && !held; texts += more)
        held = wt_modules_text_holds(c->modules, texts, location.file, &path, &lines, &more);
    if (is_line && texts && !held) {
        const bool there = access(location.file, R_OK) == 0;
        fprintf(c->out, "Breakpoint %u (%s) is pending still: %s %s.\n", p->number, p->text,
                location.file,
                there ? "is not the text of any program that was compiled so far"
                      : "is no name of a program that was compiled so far, nor a file here");
        p->told = true;
    }
    wt_location_free(&location);
}

void resolve_points(struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        struct wt_error err;
        uint64_t *list = NULL;
        size_t count = 0;
        if (p->kind == POINT_CATCH && has_addresses(p))
            resolve_catch(c, p);
        if (p->kind != POINT_BREAK || p->text[0] == '*' || !p->text[0])
            continue;
        name_file(c, p);
        /* Other code may soon be loaded at the same addresses. */
        if (resolve_place(c, p->text, &list, &count, NULL, WT_IGNORED) != WT_OK && !c->options.host)
            continue;
        remove_logs(c, p);
        set_addresses(p, list, count);
        tell_why(c, p);
        if (compile_condition(c, p, &err) != WT_OK)
            fprintf(c->out, "The condition of breakpoint %u cannot be evaluated: %s\n", p->number,
                    err.text);
    }
}
