/* Sources and modules, and the lines that have code. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

#define MOST_LINES 100000 /* lines of a request for lines with code */

int64_t dap_line_out(const struct wt_dap *d, unsigned line)
{
    return (int64_t)line - d->client.lines_from_0;
}

int64_t dap_line_in(const struct wt_dap *d, int64_t line)
{
    return line + d->client.lines_from_0;
}

/* ---- telling ---- */

static char *to_uri(const char *path)
{
    char *uri = malloc(3 * strlen(path) + 8), *to = uri;
    if (!uri)
        return NULL;
    to += sprintf(to, "file://");
    for (; *path; path++)
        to += sprintf(to,
                      strchr("/-_.~", *path) || (*path >= '0' && *path <= '9') ||
                              ((*path | 32) >= 'a' && (*path | 32) <= 'z')
                          ? "%c"
                          : "%%%02X",
                      (unsigned char)*path);
    return uri;
}

static void fill_source(struct wt_dap *d, struct json_object *o, const char *name)
{
    const struct wt_text_file *file = wt_program_open_source(d->g, name);
    const char *slash = strrchr(name, '/');
    char whole[PATH_MAX];
    dap_put_text(o, "name", slash ? slash + 1 : name);
    if (file && file->text) { /* the runtime has it, and no file */
        dap_put_text(o, "path", name);
        dap_put_number(o, "sourceReference", file - d->g->file + 1);
        dap_put_text(o, "origin", "compiled when the program ran");
        return;
    }
    const char *path = file && file->path && realpath(file->path, whole) ? whole : name;
    char *uri = d->client.uris ? to_uri(path) : NULL;
    dap_put_text(o, "path", uri ? uri : path);
    free(uri);
    if (!file || !file->path || wt_is_foreign(&d->g->foreign, name))
        dap_put_text(o, "presentationHint", "deemphasize");
}

void dap_put_source(struct wt_dap *d, struct json_object *o, const char *name)
{
    fill_source(d, dap_put_object(o, "source"), name);
}

/* ---- finding ---- */

/* Names of files in the debug information. */
struct names {
    const char **list;
    size_t count, capacity;
};

static bool take_name(void *context, const char *file)
{
    struct names *n = context;
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->list[i], file) == 0)
            return true;
    const char **grown = wt_array_grow(n->list, &n->capacity, n->count + 1, sizeof *grown);
    if (!grown)
        return false;
    n->list = grown;
    grown[n->count++] = file;
    return true;
}

static struct names all_names(struct wt_dap *d)
{
    struct names n = {0};
    size_t count;
    const struct wt_module *m = wt_modules_list(d->g->modules, &count);
    for (size_t i = 0; i < count; i++)
        if (m[i].symbols)
            wt_symbols_files(m[i].symbols, take_name, &n);
    return n;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* A path of the client's, which may be a URI. The caller frees it. */
static char *plain_path(const char *path)
{
    const bool uri = strncmp(path, "file://", 7) == 0;
    char *plain = strdup(uri ? path + 7 : path);
    if (!uri || !plain)
        return plain;
    char *to = plain;
    for (const char *at = plain; *at; at++)
        if (*at == '%' && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0) {
            *to++ = (char)(16 * hex_digit(at[1]) + hex_digit(at[2]));
            at += 2;
        } else {
            *to++ = *at;
        }
    *to = 0;
    return plain;
}

/* How many components at their ends two paths have in common. */
static unsigned common_tail(const char *a, const char *b)
{
    const char *x = a + strlen(a), *y = b + strlen(b);
    unsigned parts = 0;
    while (x > a && y > b && x[-1] == y[-1]) {
        x--, y--;
        if ((x == a || x[-1] == '/') && (y == b || y[-1] == '/'))
            parts++;
    }
    return parts;
}

/* The name that a file has in the debug information: the same file; or else, where one of both is
 * not here, the one whose last components are most alike. */
static const char *best_name(struct wt_dap *d, const char *path)
{
    struct names n = all_names(d);
    char own[PATH_MAX], other[PATH_MAX];
    const bool real = realpath(path, own);
    const char *best = NULL;
    unsigned most = 0;
    for (size_t i = 0; i < n.count; i++) {
        const unsigned parts = common_tail(path, n.list[i]);
        const struct wt_text_file *file = parts ? wt_program_open_source(d->g, n.list[i]) : NULL;
        const bool here = real && file && file->path && !file->text && realpath(file->path, other);
        const bool same = strcmp(path, n.list[i]) == 0 || (here && strcmp(own, other) == 0);
        if (same || (!here && parts > most)) {
            best = n.list[i];
            most = same ? UINT_MAX : parts;
        }
    }
    free(n.list);
    return best;
}

enum wt_status dap_source_name(struct wt_dap *d, struct json_object *source, char **name,
                               struct wt_error *err)
{
    int64_t reference;
    const char *path = dap_text(source, "path");
    if (!source)
        return wt_fail(err, WT_INVALID, "the request needs \"source\", an object");
    if (dap_number(source, "sourceReference", &reference) && reference > 0) {
        if ((uint64_t)reference > d->g->file_count)
            return wt_fail(err, WT_INVALID, "there is no source of this reference");
        *name = strdup(d->g->file[reference - 1].name);
    } else if (path) {
        char *plain = plain_path(path);
        const char *best = plain ? best_name(d, plain) : NULL;
        *name = best ? strdup(best) : plain;
        if (best)
            free(plain);
    } else {
        return wt_fail(err, WT_INVALID, "\"source\" needs a path or a sourceReference");
    }
    return *name ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

char *dap_source_text(struct wt_dap *d, const char *path)
{
    char *text = NULL;
    size_t size;
    const struct wt_text_file *file = wt_program_open_source(d->g, path);
    FILE *out = file && file->path ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; out && i < file->line_count; i++)
        fprintf(out, "%s\n", file->line[i]);
    if (out)
        fclose(out);
    return text;
}

/* ---- requests ---- */

enum wt_status dap_source(struct wt_dap *d, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    struct json_object *source = dap_object(arguments, "source");
    char *name = NULL, *text = NULL;
    int64_t reference = 0;
    if (!source && dap_number(arguments, "sourceReference", &reference)) {
        source = json_object_new_object();
        dap_put_number(source, "sourceReference", reference);
    } else if (source) {
        json_object_get(source);
    }
    const enum wt_status status = dap_source_name(d, source, &name, err);
    json_object_put(source);
    if (status)
        return status;
    text = dap_source_text(d, name);
    if (!text) {
        wt_fail(err, WT_INVALID, "%s: neither the program nor a file here has this source", name);
        free(name);
        return WT_INVALID;
    }
    *body = json_object_new_object();
    dap_put_text(*body, "content", text);
    free(text);
    free(name);
    return WT_OK;
}

enum wt_status dap_loaded_sources(struct wt_dap *d, struct json_object *arguments,
                                  struct json_object **body, struct wt_error *err)
{
    struct names n = all_names(d);
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "sources");
    for (size_t i = 0; i < n.count; i++)
        fill_source(d, dap_add_object(list), n.list[i]);
    free(n.list);
    return WT_OK;
}

static void put_module(struct json_object *o, const struct wt_module *m)
{
    const char *slash = strrchr(m->name, '/');
    dap_put_number(o, "id", (int64_t)m->id);
    dap_put_text(o, "name", slash ? slash + 1 : m->name);
    if (*m->name == '/')
        dap_put_text(o, "path", m->name);
    dap_put_text(o, "symbolStatus", m->symbols ? "Symbols loaded" : "No symbols");
    char *range =
        dap_format("0x%llx-0x%llx", (unsigned long long)m->start, (unsigned long long)m->end);
    dap_put_text(o, "addressRange", range);
    free(range);
}

enum wt_status dap_modules(struct wt_dap *d, struct json_object *arguments,
                           struct json_object **body, struct wt_error *err)
{
    size_t total;
    int64_t start = 0, count = 0;
    const struct wt_module *m = wt_modules_list(d->g->modules, &total);
    dap_number(arguments, "startModule", &start);
    dap_number(arguments, "moduleCount", &count);
    if (start < 0 || count < 0)
        return wt_fail(err, WT_INVALID, "\"startModule\" and \"moduleCount\" are 0 or more");
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "modules");
    for (size_t i = (size_t)start; i < total && (!count || i - (size_t)start < (size_t)count); i++)
        put_module(dap_add_object(list), &m[i]);
    dap_put_number(*body, "totalModules", (int64_t)total);
    return WT_OK;
}

void wt_dap_module(struct wt_dap *d, enum wt_module_change change, const struct wt_module *m)
{
    if (!d->g)
        return;
    struct json_object *body = json_object_new_object();
    dap_put_text(body, "reason", change == WT_MODULE_ADDED ? "new" : "removed");
    put_module(dap_put_object(body, "module"), m);
    dap_event(d, "module", body);
    d->modules_changed = true;
}

enum wt_status dap_breakpoint_locations(struct wt_dap *d, struct json_object *arguments,
                                        struct json_object **body, struct wt_error *err)
{
    int64_t line, end;
    size_t count;
    char *name;
    enum wt_status status = dap_need_number(arguments, "line", &line, err);
    if (!status)
        status = dap_source_name(d, dap_object(arguments, "source"), &name, err);
    if (status)
        return status;
    if (!dap_number(arguments, "endLine", &end))
        end = line;
    line = dap_line_in(d, line);
    end = dap_line_in(d, end);
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "breakpoints");
    const struct wt_module *m = wt_modules_list(d->g->modules, &count);
    for (int64_t at = line; at <= end && at - line < MOST_LINES;) {
        unsigned next = UINT_MAX;
        for (size_t i = 0; i < count; i++) {
            const unsigned here = wt_symbols_code_line(m[i].symbols, name, (unsigned)at);
            next = here < next ? here : next;
        }
        if (next > end)
            break;
        dap_put_number(dap_add_object(list), "line", dap_line_out(d, next));
        at = (int64_t)next + 1;
    }
    free(name);
    return WT_OK;
}
