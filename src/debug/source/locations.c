/* Resolves locations as users write them to addresses. See locations.h. */
#include "debug/source/locations.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/source/symbols.h"

/* ---- one location ---- */

void wt_location_free(struct wt_location *location)
{
    free(location->name);
    free(location->file);
    free(location->module);
    *location = (struct wt_location){0};
}

static enum wt_status parse_address(const char *text, struct wt_location *l, struct wt_error *err)
{
    char *end;
    errno = 0;
    l->kind = WT_LOCATION_ADDRESS;
    l->addr = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-')
        return wt_fail(err, WT_INVALID, "'*%s': an address is a number, such as *0x80000010", text);
    return WT_OK;
}

static enum wt_status parse_line(const char *text, const char *colon, struct wt_location *l,
                                 struct wt_error *err)
{
    char *end;
    errno = 0;
    const unsigned long line = strtoul(colon + 1, &end, 10);
    if (errno || end == colon + 1 || *end || line == 0 || line > 1u << 30 || colon == text)
        return wt_fail(err, WT_INVALID, "'%s': a line is FILE:NUMBER, such as kernel.c:12", text);
    l->kind = WT_LOCATION_LINE;
    l->line = (unsigned)line;
    l->file = strndup(text, (size_t)(colon - text));
    return l->file ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
}

enum wt_status wt_location_parse(const char *text, struct wt_location *location,
                                 struct wt_error *err)
{
    struct wt_location l = {0};
    enum wt_status status = WT_OK;
    const char *tick = strchr(text, '`');
    if (tick) {
        l.module = strndup(text, (size_t)(tick - text));
        if (!l.module)
            return wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
        text = tick + 1;
    }
    /* The colon before a line number is the last one: "a::f" is a function. */
    const char *colon = strrchr(text, ':');
    if (colon && colon > text && colon[-1] == ':')
        colon = NULL;
    if (!*text) {
        status =
            wt_fail(err, WT_INVALID, "a location is missing: a function, FILE:LINE or *ADDRESS");
    } else if (*text == '*') {
        status = parse_address(text + 1, &l, err);
    } else if (colon) {
        status = parse_line(text, colon, &l, err);
    } else {
        l.kind = WT_LOCATION_FUNCTION;
        l.past_prologue = true;
        l.name = strdup(text);
        if (!l.name)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory for a location");
    }
    if (status)
        wt_location_free(&l);
    else
        *location = l;
    return status;
}

/* ---- resolving ---- */

struct location_addresses {
    uint64_t *list;
    size_t count, capacity;
};

/* Inserts an address in its sorted place, once. */
static enum wt_status note(struct location_addresses *a, uint64_t addr, struct wt_error *err)
{
    size_t at = a->count;
    while (at && a->list[at - 1] > addr)
        at--;
    if (at && a->list[at - 1] == addr)
        return WT_OK;
    uint64_t *grown = wt_array_grow(a->list, &a->capacity, a->count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the addresses of a location");
    a->list = grown;
    memmove(&grown[at + 1], &grown[at], (a->count - at) * sizeof *grown);
    grown[at] = addr;
    a->count++;
    return WT_OK;
}

static bool ends_so(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return tail <= length && strcmp(name + length - tail, end) == 0;
}

/* Whether a location may be in a module. */
static bool is_of(const struct wt_location *l, const struct wt_module *m, unsigned device)
{
    return m->device == device && (!l->module || ends_so(m->name, l->module));
}

/* The line that a location means: of all modules the nearest one that has code. A module that has
 * none for the line itself has no place where another one has. */
static unsigned line_of(const struct wt_location *l, const struct wt_module *m, size_t count,
                        unsigned device)
{
    unsigned nearest = UINT_MAX;
    for (size_t i = 0; i < count && l->kind == WT_LOCATION_LINE; i++) {
        const unsigned line = is_of(l, &m[i], device)
                                  ? wt_symbols_code_line(m[i].symbols, l->file, l->line)
                                  : UINT_MAX;
        nearest = line < nearest ? line : nearest;
    }
    return nearest;
}

static enum wt_status resolve_in(const struct wt_location *l, unsigned code_line,
                                 const struct wt_modules *modules, const struct wt_module *m,
                                 struct location_addresses *a, struct wt_error *err)
{
    uint64_t addr, *line = NULL;
    size_t lines = 0;
    enum wt_status status = WT_OK;
    if (l->kind == WT_LOCATION_FUNCTION && wt_symbols_address(m->symbols, l->name, &addr)) {
        addr = (l->past_prologue ? wt_symbols_body(m->symbols, addr) : addr) + m->bias;
        return note(a, wt_modules_first_instruction(modules, addr), err);
    }
    if (l->kind == WT_LOCATION_LINE)
        status = wt_symbols_statements(m->symbols, l->file, code_line, &line, &lines, err);
    for (size_t i = 0; i < lines && !status; i++)
        status = note(a, wt_modules_first_instruction(modules, line[i] + m->bias), err);
    free(line);
    return status;
}

/* A line of a file that no debug information names: of the programs that are compiled from the
 * file's text, whatever the runtime calls them. */
static enum wt_status resolve_text(const struct wt_location *l, const struct wt_modules *modules,
                                   unsigned device, struct location_addresses *a,
                                   struct wt_error *err)
{
    size_t count;
    const struct wt_module *m = wt_modules_list(modules, &count);
    enum wt_status status = WT_OK;
    const char *path;
    unsigned before;
    bool more = true;
    for (size_t n = 0; more && !status; n++) {
        if (!wt_modules_text_holds(modules, n, l->file, &path, &before, &more))
            continue;
        struct wt_location own = *l;
        own.file = (char *)path;
        own.line += before;
        const unsigned line = line_of(&own, m, count, device);
        for (size_t i = 0; i < count && !status; i++)
            if (is_of(&own, &m[i], device))
                status = resolve_in(&own, line, modules, &m[i], a, err);
    }
    return status;
}

enum wt_status wt_location_resolve(const struct wt_location *location,
                                   const struct wt_modules *modules, unsigned device,
                                   uint64_t **list, size_t *count, struct wt_error *err)
{
    struct location_addresses a = {0};
    enum wt_status status = WT_OK;
    size_t modules_count;
    const struct wt_module *m = wt_modules_list(modules, &modules_count);
    if (location->kind == WT_LOCATION_ADDRESS && !location->module)
        status = note(&a, location->addr, err);
    const unsigned code_line = line_of(location, m, modules_count, device);
    for (size_t i = 0; i < modules_count && !status; i++) {
        if (!is_of(location, &m[i], device))
            continue;
        if (location->kind == WT_LOCATION_ADDRESS && location->module)
            status =
                note(&a, location->addr + m[i].bias, err); /* an address of the module's file */
        else if (location->kind != WT_LOCATION_ADDRESS)
            status = resolve_in(location, code_line, modules, &m[i], &a, err);
    }
    if (!status && !a.count && location->kind == WT_LOCATION_LINE)
        status = resolve_text(location, modules, device, &a, err);
    if (status) {
        free(a.list);
        return status;
    }
    *list = a.list;
    *count = a.count;
    return WT_OK;
}
