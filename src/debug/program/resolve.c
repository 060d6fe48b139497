/* Resolves breakpoints and catchpoints again when code has been loaded or unloaded. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "debug/program/internal.h"

/* A line that was given before there was a file is one of the first file that there is. */
static void name_file(struct wt_program *g, struct wt_point *p)
{
    char *whole;
    if (p->addr_count || !isdigit((unsigned char)p->text[0]))
        return;
    if (!g->list_file)
        wt_program_default_source(g);
    if (!g->list_file || asprintf(&whole, "%s:%s", g->list_file, p->text) < 0)
        return;
    free(p->text);
    p->text = whole;
}

static bool has_code_of(struct wt_program *g, const char *path)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(g->modules, &count);
    while (count && wt_symbols_code_line(m->symbols, path, 0) == UINT_MAX)
        m++, count--;
    return count;
}

/* Why a breakpoint stays pending though source texts have come: a program of OpenCL that was made
 * of a file has the file's text. Told once. */
static void tell_why(struct wt_program *g, struct wt_point *p)
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
        held = wt_modules_text_holds(g->modules, texts, location.file, &path, &lines, &more);
    const bool named = is_line && texts && has_code_of(g, location.file);
    const char *program = named ? location.file : held ? path : NULL;
    if (is_line && texts && (!program || has_code_of(g, program))) {
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_PENDING,
                                     .point = p,
                                     .text = location.file,
                                     .program = program,
                                     .is_there = access(location.file, R_OK) == 0});
        p->told = true;
    }
    wt_location_free(&location);
}

void pg_resolve_points(struct wt_program *g)
{
    for (size_t i = 0; i < g->point_count; i++) {
        struct wt_point *p = g->point[i];
        struct wt_error err;
        uint64_t *list = NULL;
        size_t count = 0;
        if (p->kind == WT_POINT_CATCH && wt_point_has_addresses(p))
            pg_resolve_catch(g, p);
        if (p->kind != WT_POINT_BREAK || (p->text[0] == '*' && !p->is_code) || !p->text[0])
            continue;
        name_file(g, p);
        /* Other code may soon be loaded at the same addresses. */
        if (wt_program_resolve(g, p->text, &list, &count, WT_IGNORED) != WT_OK && !g->options.host)
            continue;
        pg_remove_logs(g, p);
        pg_set_addresses(p, list, count);
        tell_why(g, p);
        if (pg_compile_condition(g, p, &err) != WT_OK)
            pg_tell(
                g, &(struct wt_news){.kind = WT_NEWS_CONDITION_LOST, .point = p, .text = err.text});
    }
}
