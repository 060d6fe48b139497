/* The requests that replace a list of breakpoints: of a source, and those of each other kind. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

/* ---- a list and its successor ---- */

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_of(const struct dap_point *p, enum dap_point_kind kind, const char *key)
{
    return p->kind == kind && same(p->key, key);
}

static void begin_list(struct wt_dap *d, enum dap_point_kind kind, const char *key)
{
    for (size_t i = 0; i < d->point_count; i++)
        d->point[i]->kept = !is_of(d->point[i], kind, key);
}

static char *copy_of(const char *text)
{
    return text && *text ? strdup(text) : NULL;
}

/* The point of a request: the one that there is, if nothing about it is new. What @p wanted has is
 * copied. NULL without host memory. */
static struct dap_point *add(struct wt_dap *d, const struct dap_point *wanted)
{
    for (size_t i = 0; i < d->point_count; i++) {
        struct dap_point *p = d->point[i];
        if (!p->kept && is_of(p, wanted->kind, wanted->key) && same(p->text, wanted->text) &&
            same(p->condition, wanted->condition) && same(p->hit, wanted->hit) &&
            same(p->log, wanted->log) && p->watch == wanted->watch) {
            p->kept = true;
            if (!p->number && p->place)
                dap_point_set(d, p);
            return p;
        }
    }
    struct dap_point **grown =
        wt_array_grow(d->point, &d->point_capacity, d->point_count + 1, sizeof *grown);
    struct dap_point *p = grown ? malloc(sizeof *p) : NULL;
    if (grown)
        d->point = grown;
    if (!p)
        return NULL;
    *p = (struct dap_point){.id = ++d->last_point,
                            .kind = wanted->kind,
                            .key = copy_of(wanted->key),
                            .text = copy_of(wanted->text),
                            .place = copy_of(wanted->place),
                            .condition = copy_of(wanted->condition),
                            .hit = copy_of(wanted->hit),
                            .log = copy_of(wanted->log),
                            .watch = wanted->watch,
                            .kept = true};
    grown[d->point_count++] = p;
    if (p->text && p->place)
        dap_point_set(d, p);
    return p;
}

/* Removes what is not in the new list, and lets a program that runs have it. */
static enum wt_status end_list(struct wt_dap *d, struct wt_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->point_count; i++) {
        struct dap_point *p = d->point[i];
        if (p->kept) {
            d->point[kept++] = p;
            continue;
        }
        dap_point_unset(d, p);
        dap_point_free(p);
    }
    d->point_count = kept;
    return wt_program_insert_now(d->g, err);
}

/* Adds one to the answer. */
static void put(struct wt_dap *d, struct json_object *list, struct dap_point *p)
{
    struct json_object *o = p ? dap_point_body(d, p) : json_object_new_object();
    if (!p)
        dap_put_flag(o, "verified", false);
    json_object_array_add(list, o);
}

/* A list's first part, and a stop for what replaces it. */
static enum wt_status list_of(struct json_object *arguments, const char *name,
                              struct json_object **list, struct json_object **body,
                              struct json_object **answer, struct wt_error *err)
{
    const enum wt_status status = dap_need_list(arguments, name, list, err);
    *answer = NULL;
    if (status)
        return status;
    *body = json_object_new_object();
    *answer = dap_put_list(*body, "breakpoints");
    return WT_OK;
}

/* ---- sources, functions, instructions ---- */

/* The condition, hit count and log message of a breakpoint. Empty texts are none. */
static struct dap_point said(enum dap_point_kind kind, struct json_object *o)
{
    const char *condition = dap_text(o, "condition"), *hit = dap_text(o, "hitCondition"),
               *log = dap_text(o, "logMessage");
    return (struct dap_point){.kind = kind,
                              .condition =
                                  (char *)(uintptr_t)(condition && *condition ? condition : NULL),
                              .hit = (char *)(uintptr_t)(hit && *hit ? hit : NULL),
                              .log = (char *)(uintptr_t)(log && *log ? log : NULL)};
}

enum wt_status dap_set_breakpoints(struct wt_dap *d, struct json_object *arguments,
                                   struct json_object **body, struct wt_error *err)
{
    struct json_object *source = dap_object(arguments, "source"), *list, *answer;
    char *name, *key;
    int64_t reference;
    enum wt_status status = dap_source_name(d, source, &name, err);
    if (status)
        return status;
    if (!dap_list(arguments, "breakpoints")) /* none is an empty list */
        json_object_object_add(arguments, "breakpoints", json_object_new_array());
    status = list_of(arguments, "breakpoints", &list, body, &answer, err);
    const char *path = dap_text(source, "path");
    key = strdup(dap_number(source, "sourceReference", &reference) && reference ? name
                 : path                                                         ? path
                                                                                : name);
    begin_list(d, DAP_SOURCE, key);
    for (size_t i = 0; !status && i < json_object_array_length(list); i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        struct dap_point p = said(DAP_SOURCE, o);
        int64_t line;
        if ((status = dap_need_number(o, "line", &line, err)) != WT_OK)
            break;
        p.key = key;
        p.text = dap_format("%" PRId64, dap_line_in(d, line));
        p.place = dap_format("%s:%" PRId64, name, dap_line_in(d, line));
        struct dap_point *point = p.text && p.place ? add(d, &p) : NULL;
        struct json_object *told = point ? dap_point_body(d, point) : json_object_new_object();
        struct json_object *has;
        if (!json_object_object_get_ex(told, "line", &has))
            dap_put_number(told, "line", line);
        if (!point)
            dap_put_flag(told, "verified", false);
        json_object_array_add(answer, told);
        free(p.text);
        free(p.place);
    }
    free(key);
    free(name);
    if (!status)
        status = end_list(d, err);
    return status;
}

enum wt_status dap_set_function_breakpoints(struct wt_dap *d, struct json_object *arguments,
                                            struct json_object **body, struct wt_error *err)
{
    struct json_object *list, *answer;
    enum wt_status status = list_of(arguments, "breakpoints", &list, body, &answer, err);
    begin_list(d, DAP_FUNCTION, NULL);
    for (size_t i = 0; !status && i < json_object_array_length(list); i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        struct dap_point p = said(DAP_FUNCTION, o);
        const char *name;
        if ((status = dap_need_text(o, "name", &name, err)) != WT_OK)
            break;
        p.text = p.place = (char *)(uintptr_t)name;
        put(d, answer, add(d, &p));
    }
    return status ? status : end_list(d, err);
}

enum wt_status dap_set_instruction_breakpoints(struct wt_dap *d, struct json_object *arguments,
                                               struct json_object **body, struct wt_error *err)
{
    struct json_object *list, *answer;
    enum wt_status status = list_of(arguments, "breakpoints", &list, body, &answer, err);
    begin_list(d, DAP_INSTRUCTION, NULL);
    for (size_t i = 0; !status && i < json_object_array_length(list); i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        struct dap_point p = said(DAP_INSTRUCTION, o);
        struct wt_address at;
        wt_thread thread;
        const char *reference;
        int64_t offset = 0;
        if ((status = dap_need_text(o, "instructionReference", &reference, err)) != WT_OK)
            break;
        if (dap_from_reference(d, reference, &at, &thread, err) != WT_OK) {
            p.text = (char *)(uintptr_t)reference;
            struct dap_point *point = add(d, &p);
            if (point && !point->why)
                point->why = strdup(err->text);
            put(d, answer, point);
            continue;
        }
        dap_number(o, "offset", &offset);
        p.text = dap_format("0x%" PRIx64, at.offset + (uint64_t)offset);
        p.place = dap_format("*0x%" PRIx64, at.offset + (uint64_t)offset);
        put(d, answer, p.text && p.place ? add(d, &p) : NULL);
        free(p.text);
        free(p.place);
    }
    return status ? status : end_list(d, err);
}

/* ---- data ---- */

static const char *const accesses[] = {
    [WT_POINT_WATCH] = "write", [WT_POINT_READ] = "read", [WT_POINT_ACCESS] = "readWrite"};

/* A value in memory as an expression that means the same at any stop: *(TYPE *)SPACE#0x…, or its
 * own, where that names nothing of a frame; NULL: it cannot be said. */
static char *address_text(const struct wt_home *home, const char *expression)
{
    if (home->at)
        return home->value.uses_frame ? NULL : strdup(expression);
    char *name = home->where.addr.space ? NULL : wt_type_text(home->value.type);
    char *text = name ? dap_format("*(%s *)0x%" PRIx64, name, home->where.addr.offset) : NULL;
    free(name);
    return text;
}

/* The expression that a request of dataBreakpointInfo names. */
static enum wt_status named(struct wt_dap *d, struct json_object *arguments, char **expression,
                            struct wt_error *err)
{
    int64_t reference, frame, bytes = 0;
    const char *name;
    struct dap_holder *holder;
    enum wt_status status = dap_need_text(arguments, "name", &name, err);
    *expression = NULL;
    if (status)
        return status;
    if (dap_number(arguments, "variablesReference", &reference) && reference) {
        status = dap_holder_of(d, reference, &holder, err);
        if (!status)
            status = dap_enter(d, holder->frame, err);
        return status ? status : dap_child_expression(d, holder, name, expression, err);
    }
    if (dap_number(arguments, "frameId", &frame) && (status = dap_enter_id(d, frame, err)) != WT_OK)
        return status;
    const bool is_address = dap_flag(arguments, "asAddress");
    if (is_address && !dap_number(arguments, "bytes", &bytes))
        bytes = 1;
    *expression = !is_address ? strdup(name)
                  : bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
                      ? dap_format("*(%s *)%s",
                                   bytes == 1   ? "unsigned char"
                                   : bytes == 2 ? "unsigned short"
                                   : bytes == 4 ? "unsigned int"
                                                : "unsigned long long",
                                   name)
                      : dap_format("((unsigned char *)%s)[0..%" PRId64 "]", name, bytes - 1);
    return *expression ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

enum wt_status dap_data_breakpoint_info(struct wt_dap *d, struct json_object *arguments,
                                        struct json_object **body, struct wt_error *err)
{
    struct wt_home home;
    struct wt_error why;
    char *expression;
    enum wt_status status = named(d, arguments, &expression, err);
    if (status)
        return status;
    *body = json_object_new_object();
    if (wt_program_find_home(d->g, expression, &home, &why) != WT_OK) {
        json_object_object_add(*body, "dataId", NULL);
        dap_put_text(*body, "description", why.text);
        free(expression);
        return WT_OK;
    }
    struct dap_datum *grown =
        wt_array_grow(d->datum, &d->datum_capacity, d->datum_count + 1, sizeof *grown);
    if (!grown) {
        wt_home_free(&home);
        free(expression);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    d->datum = grown;
    grown[d->datum_count++] = (struct dap_datum){.expression = expression,
                                                 .address = address_text(&home, expression),
                                                 .thread = d->g->thread,
                                                 .level = d->g->level,
                                                 .stop = d->stop};
    wt_home_free(&home);
    char *id = dap_format("%zu", d->datum_count);
    dap_put_text(*body, "dataId", id);
    free(id);
    dap_put_text(*body, "description", expression);
    struct json_object *list = dap_put_list(*body, "accessTypes");
    for (int i = WT_POINT_WATCH; i <= WT_POINT_ACCESS; i++)
        if (i == WT_POINT_WATCH || !d->g->options.steps_to_watch)
            json_object_array_add(list, json_object_new_string(accesses[i]));
    return WT_OK;
}

enum wt_status dap_set_data_breakpoints(struct wt_dap *d, struct json_object *arguments,
                                        struct json_object **body, struct wt_error *err)
{
    struct json_object *list, *answer;
    enum wt_status status = list_of(arguments, "breakpoints", &list, body, &answer, err);
    begin_list(d, DAP_DATA, NULL);
    for (size_t i = 0; !status && i < json_object_array_length(list); i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        struct dap_point p = said(DAP_DATA, o);
        const char *id, *access = dap_text(o, "accessType");
        if ((status = dap_need_text(o, "dataId", &id, err)) != WT_OK)
            break;
        p.text = p.place = (char *)(uintptr_t)id;
        p.watch = WT_POINT_WATCH;
        while (access && p.watch <= WT_POINT_ACCESS && strcmp(access, accesses[p.watch]) != 0)
            p.watch++;
        if (p.watch > WT_POINT_ACCESS) {
            status = wt_fail(err, WT_INVALID, "\"accessType\" is read, write or readWrite");
            break;
        }
        put(d, answer, add(d, &p));
    }
    return status ? status : end_list(d, err);
}

/* ---- exceptions ---- */

static void put_filter(struct json_object *list, const char *name, const char *description,
                       bool is_on)
{
    struct json_object *o = dap_add_object(list);
    dap_put_text(o, "filter", name);
    char *label = dap_format("%c%s", *name >= 'a' && *name <= 'z' ? *name - 32 : *name, name + 1);
    dap_put_text(o, "label", label);
    free(label);
    dap_put_text(o, "description", description);
    dap_put_flag(o, "default", is_on);
    if (strcmp(name, "module load") == 0)
        return; /* no wave stands there for which a condition could hold */
    dap_put_flag(o, "supportsCondition", true);
    dap_put_text(o, "conditionDescription",
                 "An expression, which is evaluated for the lanes of the stop");
}

static void offer(void *context, const char *name)
{
    if (strcmp(name, "fault") != 0 && strcmp(name, "check") != 0)
        put_filter(context, name, NULL, false);
}

void dap_put_filters(struct wt_dap *d, struct json_object *capabilities)
{
    struct json_object *list = dap_put_list(capabilities, "exceptionBreakpointFilters");
    put_filter(list, "fault", "Every fault of the program", true);
    if (!d->g) {
        put_filter(list, "check", "Findings of --check: the stop is before the access", false);
        return;
    }
    wt_program_catch_names(d->g, offer, list);
    const struct wt_checks *checks = d->g->options.checks;
    if (checks)
        put_filter(list, "check", "Findings of --check: the stop is before the access", true);
    const char *kind;
    for (unsigned i = 0; checks && (kind = checks->kind(checks->context, i)); i++) {
        char *name = *kind ? dap_format("check %s", kind) : NULL;
        if (name)
            put_filter(list, name, NULL, false);
        free(name);
    }
}

/* Adds the catchpoint of a filter. True: it stops for faults of all kinds. */
static bool add_filter(struct wt_dap *d, const char *name, const char *condition,
                       struct json_object *answer)
{
    const struct dap_point wanted = {
        .kind = DAP_EXCEPTION,
        .text = (char *)(uintptr_t)name,
        .place = (char *)(uintptr_t)name,
        .condition = (char *)(uintptr_t)(condition && *condition ? condition : NULL)};
    struct dap_point *p = add(d, &wanted);
    put(d, answer, p);
    return p && p->number && strcmp(name, "fault") == 0;
}

enum wt_status dap_set_exception_breakpoints(struct wt_dap *d, struct json_object *arguments,
                                             struct json_object **body, struct wt_error *err)
{
    struct json_object *list, *answer;
    bool faults = false;
    enum wt_status status = list_of(arguments, "filters", &list, body, &answer, err);
    /* The first of several that stop for a fault is the one that is told: all are made anew. */
    begin_list(d, DAP_EXCEPTION, NULL);
    for (size_t i = 0; i < d->point_count; i++)
        if (d->point[i]->kind == DAP_EXCEPTION)
            dap_point_unset(d, d->point[i]);
    for (size_t i = 0; !status && i < json_object_array_length(list); i++) {
        const char *name = json_object_get_string(json_object_array_get_idx(list, i));
        if (!name || !*name)
            status = wt_fail(err, WT_INVALID, "\"filters\" has texts");
        else
            faults |= add_filter(d, name, NULL, answer);
    }
    list = dap_list(arguments, "filterOptions");
    for (size_t i = 0; !status && list && i < json_object_array_length(list); i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        const char *name;
        if ((status = dap_need_text(o, "filterId", &name, err)) == WT_OK)
            faults |= add_filter(d, name, dap_text(o, "condition"), answer);
    }
    /* Without the filter faults are passed on, but for those that another one names. */
    if (!status)
        dap_pass_faults(d, !faults || d->runs_only);
    return status ? status : end_list(d, err);
}
