/* Resources: the report of the run, source files of the program, pages of the documentation. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "frontend/mcp/internal.h"

#define REPORT "wavetrap://report"
#define SOURCE "wavetrap://source/"
#define DOCS "wavetrap://docs/"

static void put_resource(struct json_object *list, const char *prefix, const char *name,
                         const char *title, const char *type)
{
    struct json_object *o = dap_add_object(list);
    char *uri = dap_format("%s%s", prefix, name);
    dap_put_text(o, "uri", uri);
    dap_put_text(o, "name", *name ? name : "report");
    dap_put_text(o, "title", title);
    dap_put_text(o, "mimeType", type);
    free(uri);
}

/* ---- sources ---- */

/* The sources of the program, which the caller owns; NULL: there are none. */
static struct json_object *all_sources(struct wt_mcp *m, struct json_object **body)
{
    *body = NULL;
    if (m->session.ask(m->session.context, "loadedSources", json_object_new_object(), body,
                       WT_IGNORED))
        return NULL;
    return dap_list(*body, "sources");
}

/* Whether a path is @p wanted, or ends with it behind a slash. */
static bool is_path(const char *path, const char *wanted)
{
    const size_t length = path ? strlen(path) : 0, tail = strlen(wanted);
    return length >= tail && strcmp(path + length - tail, wanted) == 0 &&
           (length == tail || path[length - tail - 1] == '/');
}

enum wt_status mcp_source(struct wt_mcp *m, const char *path, char **name, char **text,
                          struct wt_error *err)
{
    struct json_object *all, *list = all_sources(m, &all), *found = NULL, *body = NULL;
    *name = *text = NULL;
    for (size_t i = 0; list && i < json_object_array_length(list) && !found; i++)
        if (is_path(dap_text(json_object_array_get_idx(list, i), "path"), path))
            found = json_object_array_get_idx(list, i);
    enum wt_status status =
        found ? WT_OK
              : wt_fail(err, WT_INVALID,
                        "%.200s is not a source of the program: resources/list names its sources",
                        path);
    if (found) {
        struct json_object *arguments = json_object_new_object();
        json_object_object_add(arguments, "source", json_object_get(found));
        status = m->session.ask(m->session.context, "source", arguments, &body, err);
    }
    const char *content = dap_text(body, "content");
    if (!status) {
        *name = strdup(dap_text(found, "path"));
        *text = strdup(content ? content : "");
        if (!*name || !*text)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    json_object_put(body);
    json_object_put(all);
    return status;
}

/* ---- lists ---- */

/* Whether a name is that of a page, and leads nowhere else. */
static bool is_page(const char *name)
{
    const size_t length = strlen(name);
    return length > 3 && strcmp(name + length - 3, ".md") == 0 && !strchr(name, '/') &&
           name[0] != '.';
}

static int is_entry(const struct dirent *entry)
{
    return is_page(entry->d_name);
}

struct json_object *mcp_resources_list(struct wt_mcp *m, struct json_object *params, int *code,
                                       struct wt_error *err)
{
    struct dirent **entry = NULL;
    struct json_object *result = json_object_new_object(), *all = NULL;
    struct json_object *list = dap_put_list(result, "resources");
    put_resource(list, REPORT, "", "The place of the program, and what the checks found",
                 "text/plain");
    struct json_object *sources = m->begun ? all_sources(m, &all) : NULL;
    for (size_t i = 0; sources && i < json_object_array_length(sources); i++) {
        const char *path = dap_text(json_object_array_get_idx(sources, i), "path");
        if (path)
            put_resource(list, SOURCE, path, NULL, "text/plain");
    }
    json_object_put(all);
    const int count = m->session.docs ? scandir(m->session.docs, &entry, is_entry, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        put_resource(list, DOCS, entry[i]->d_name, NULL, "text/markdown");
        free(entry[i]);
    }
    free(entry);
    return result;
}

struct json_object *mcp_resources_templates(struct wt_mcp *m, struct json_object *params, int *code,
                                            struct wt_error *err)
{
    static const char *const rows[][3] = {
        {SOURCE "{+path}{?page}", "source", "A source file of the program, in pages"},
        {DOCS "{name}{?page}", "docs", "A page of wavetrap's documentation, in pages"}};
    struct json_object *result = json_object_new_object();
    struct json_object *list = dap_put_list(result, "resourceTemplates");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_object *o = dap_add_object(list);
        dap_put_text(o, "uriTemplate", rows[i][0]);
        dap_put_text(o, "name", rows[i][1]);
        dap_put_text(o, "description", rows[i][2]);
    }
    return result;
}

/* ---- reading ---- */

static enum wt_status report(struct wt_mcp *m, char **text, struct wt_error *err)
{
    struct mcp_text out = {.at = NULL};
    const enum wt_status status = mcp_need_session(m, err);
    if (status)
        return status;
    struct json_object *where = mcp_where(m);
    mcp_say_where(where, &out);
    json_object_put(where);
    mcp_command(m, "info checks", &out, WT_IGNORED);
    *text = out.at;
    return WT_OK;
}

static enum wt_status page_of_docs(struct wt_mcp *m, const char *name, char **text,
                                   struct wt_error *err)
{
    uint8_t *bytes = NULL;
    size_t size;
    char *path =
        is_page(name) && m->session.docs ? dap_format("%s/%s", m->session.docs, name) : NULL;
    enum wt_status status =
        path ? wt_file_read(path, &bytes, &size, err)
             : wt_fail(err, WT_INVALID, "%.100s is not a page: resources/list names them", name);
    free(path);
    *text = status ? NULL : strndup((char *)bytes, size);
    free(bytes);
    return status;
}

static enum wt_status read_text(struct wt_mcp *m, const char *uri, char **text,
                                struct wt_error *err)
{
    char *name = NULL;
    enum wt_status status;
    if (strcmp(uri, REPORT) == 0)
        return report(m, text, err);
    if (strncmp(uri, DOCS, strlen(DOCS)) == 0)
        return page_of_docs(m, uri + strlen(DOCS), text, err);
    if (strncmp(uri, SOURCE, strlen(SOURCE)) != 0)
        return wt_fail(err, WT_INVALID, "there is no resource %.200s: resources/list has them",
                       uri);
    if ((status = mcp_need_session(m, err)) == WT_OK)
        status = mcp_source(m, uri + strlen(SOURCE), &name, text, err);
    free(name);
    return status;
}

struct json_object *mcp_resources_read(struct wt_mcp *m, struct json_object *params, int *code,
                                       struct wt_error *err)
{
    const char *uri = dap_text(params, "uri");
    char *text = NULL, *plain = uri ? strdup(uri) : NULL;
    int64_t page = 1, pages = 1;
    if (!plain) {
        wt_fail(err, WT_INVALID, "resources/read needs \"uri\", a text");
        return NULL;
    }
    char *query = strstr(plain, "?page=");
    if (query) {
        page = strtoll(query + strlen("?page="), NULL, 10);
        *query = 0;
    }
    const enum wt_status status = read_text(m, plain, &text, err);
    char *part = status ? NULL : mcp_page(text ? text : "", page, &pages);
    if (!status && !part)
        wt_fail(err, WT_INVALID, "%.200s has %" PRId64 " pages", plain, pages);
    struct json_object *result = NULL;
    *code = MCP_NO_RESOURCE;
    if (part) {
        char *all = page < pages ? dap_format("%s[page %" PRId64 " of %" PRId64 ": %s?page=%" PRId64
                                              " has the next]\n",
                                              part, page, pages, plain, page + 1)
                                 : strdup(part);
        result = json_object_new_object();
        struct json_object *o = dap_add_object(dap_put_list(result, "contents"));
        dap_put_text(o, "uri", uri);
        dap_put_text(o, "mimeType",
                     strncmp(uri, DOCS, strlen(DOCS)) == 0 ? "text/markdown" : "text/plain");
        dap_put_text(o, "text", all ? all : part);
        free(all);
    }
    free(part);
    free(text);
    free(plain);
    return result;
}
