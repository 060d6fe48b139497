/* Variables: the children of scopes and of values, page by page, and their assignment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/dap/internal.h"

#define LIST_ELEMENTS 20   /* elements of an array in a list of variables */
#define CODE_SET "virtual" /* the set of registers that code has under names of its own */

/* ---- values ---- */

struct wt_format dap_format_of(struct json_object *arguments, bool top)
{
    return (struct wt_format){.letter = dap_flag(dap_object(arguments, "format"), "hex") ? 'x' : 0,
                              .top = top};
}

char *dap_value_text(const struct wt_view *view, const struct wt_values *values, unsigned k,
                     const struct wt_format *format)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    wt_values_print(out, view, values, k, format);
    fclose(out);
    return text;
}

/* The text of value @p k; a letter of a format is for what can have it. The caller frees it. */
static char *value_text(struct wt_dap *d, const struct wt_values *values, unsigned k,
                        const struct wt_format *format)
{
    const struct wt_view *view = dap_view(d);
    struct wt_format how = *format;
    if (!wt_type_is_integral(wt_type_plain(values->type)))
        how.letter = 0;
    return values->state[k] == WT_VALUE_LARGE ? strdup("{...}")
                                              : dap_value_text(view, values, k, &how);
}

static bool is_indexed(const struct wt_values *values)
{
    return wt_type_plain(values->type)->kind == WT_TYPE_ARRAY;
}

/* The memory that a value is, or that a pointer leads to. */
static void put_memory(struct wt_dap *d, struct json_object *o, const struct wt_values *values)
{
    const struct wt_type *plain = wt_type_plain(values->type);
    struct wt_address at;
    char text[100];
    if (values->lane_count != 1 || !d->client.memory_references)
        return;
    if (plain->kind == WT_TYPE_POINTER && values->state[0] == WT_VALUE_GOOD &&
        wt_values_address(values, &at, WT_IGNORED) == WT_OK)
        dap_reference(d, at, text, sizeof text);
    else if (values->in_memory)
        dap_reference(d, (struct wt_address){values->space, values->address[0]}, text, sizeof text);
    else
        return;
    dap_put_text(o, "memoryReference", text);
}

void dap_put_value(struct wt_dap *d, struct json_object *o, const char *member,
                   struct wt_values *values, struct dap_frame frame, int lane, char *expression,
                   const struct wt_format *format)
{
    char *text = value_text(d, values, 0, format);
    char *type = d->client.types ? wt_type_text(values->type) : NULL;
    dap_put_text(o, member, text ? text : "<no host memory>");
    dap_put_text(o, "type", type);
    put_memory(d, o, values);
    const uint64_t children = wt_value_child_count(values);
    if (!children || values->lane_count != 1 || wt_value_is_unknown(values->state[0])) {
        dap_put_number(o, "variablesReference", 0);
        wt_values_free(values);
        free(expression);
    } else {
        if (is_indexed(values))
            dap_put_number(o, "indexedVariables",
                           children > INT32_MAX ? INT32_MAX : (int64_t)children);
        else
            dap_put_number(o, "namedVariables", (int64_t)children);
        dap_put_number(o, "variablesReference",
                       dap_hold(d, DAP_CHILDREN, frame, lane, values, expression));
    }
    free(type);
    free(text);
}

/* An expression, in a lane. The caller frees it. */
static char *in_lane(const char *expression, int lane)
{
    return lane < 0 ? strdup(expression) : dap_format("%s@%d", expression, lane);
}

/* Adds a variable of a name, with its value and its expression, which is taken over (NULL: none).
 */
static void put_variable(struct wt_dap *d, struct json_object *list, const char *name,
                         struct wt_values *values, const struct dap_holder *h, char *expression,
                         const struct wt_format *format)
{
    struct json_object *o = dap_add_object(list);
    char *whole = expression ? in_lane(expression, h->lane) : NULL;
    dap_put_text(o, "name", name);
    dap_put_text(o, "evaluateName", whole);
    free(whole);
    dap_put_value(d, o, "value", values, h->frame, h->lane, expression, format);
}

static struct json_object *put_plain(struct json_object *list, const char *name, const char *value)
{
    struct json_object *o = dap_add_object(list);
    dap_put_text(o, "name", name);
    dap_put_text(o, "value", value ? value : "");
    dap_put_number(o, "variablesReference", 0);
    return o;
}

static void put_readonly(struct json_object *o)
{
    json_object_array_add(dap_put_list(dap_put_object(o, "presentationHint"), "attributes"),
                          json_object_new_string("readOnly"));
}

/* ---- scopes ---- */

/* Variables of a frame, one by one. */
struct variable_list {
    struct wt_dap *d;
    struct json_object *to;
    const struct dap_holder *h;
    struct wt_format format;
    int64_t at, start, count; /* variables before `start`, and behind `count`, are not wanted */
    const char *wanted;       /* a name that is looked for instead; NULL: none */
    bool found;
};

static bool is_wanted(struct variable_list *l)
{
    const int64_t at = l->at++;
    return at >= l->start && (!l->count || at - l->start < l->count);
}

/* Whether an inner scope has a variable of this name already. */
static bool is_hidden(struct json_object *list, const char *name)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        const char *text = dap_text(json_object_array_get_idx(list, i), "name");
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

static void take_variable(void *context, const struct wt_variable *v)
{
    struct variable_list *l = context;
    if (l->wanted) {
        l->found |= strcmp(l->wanted, v->name) == 0;
        return;
    }
    if (!is_wanted(l))
        return;
    const bool hidden = is_hidden(l->to, v->name);
    char *name = hidden ? dap_format("%s (of an outer block)", v->name) : strdup(v->name);
    if (!v->values) {
        char *text = dap_format("<error: %s>", v->why);
        put_plain(l->to, name, text);
        free(text);
    } else {
        struct wt_values own = *v->values;
        *v->values = (struct wt_values){.reg = -1};
        put_variable(l->d, l->to, name, &own, l->h, hidden ? NULL : strdup(v->name), &l->format);
    }
    free(name);
}

static enum wt_status list_frame(struct variable_list *l, bool arguments, struct wt_error *err)
{
    struct wt_dap *d = l->d;
    const struct wt_frame *frame = dap_view(d)->frame;
    const enum wt_status status = frame ? WT_OK : wt_program_need_frame(d->g, &frame, err);
    if (!status)
        wt_program_variables(d->g, frame, arguments,
                             l->h->lane < 0 ? 0 : wt_lane_bit((unsigned)l->h->lane), take_variable,
                             l);
    return status;
}

static void put_group(struct variable_list *l, enum dap_holder_kind kind, const char *name,
                      const char *set, int lane, const char *value)
{
    if (!is_wanted(l))
        return;
    const int64_t reference = dap_hold(l->d, kind, l->h->frame, lane, NULL, NULL);
    if (reference)
        l->d->holder[reference - l->d->holder_base]->set = set;
    struct json_object *o = dap_add_object(l->to);
    dap_put_text(o, "name", name);
    dap_put_text(o, "value", value);
    dap_put_number(o, "variablesReference", reference);
    put_readonly(o);
}

static void list_sets(struct variable_list *l)
{
    const struct wt_topology *t = l->d->g->topology;
    const struct wt_view *view = dap_view(l->d);
    struct wt_code_register reg;
    for (size_t i = 0; i < t->register_count; i++) {
        bool first = true;
        for (size_t k = 0; k < i && first; k++)
            first = strcmp(t->registers[k].set, t->registers[i].set) != 0;
        if (first)
            put_group(l, DAP_REGISTER_SET, t->registers[i].set, t->registers[i].set, l->h->lane,
                      "");
    }
    if (wt_source_code_register(view, 0, &reg))
        put_group(l, DAP_REGISTER_SET, CODE_SET, CODE_SET, l->h->lane, "");
}

static void put_register(struct variable_list *l, const char *name, bool read_only)
{
    const struct wt_view *view = dap_view(l->d);
    struct wt_values values;
    if (!is_wanted(l))
        return;
    char *expression = dap_format("$%s", name), *whole = in_lane(expression, l->h->lane);
    if (!whole || wt_source_evaluate(view, whole, &values, WT_IGNORED) != WT_OK) {
        put_plain(l->to, name, "<unavailable>");
        free(expression);
    } else {
        put_variable(l->d, l->to, name, &values, l->h, expression, &l->format);
        if (read_only)
            put_readonly(json_object_array_get_idx(l->to, json_object_array_length(l->to) - 1));
    }
    free(whole);
}

static void list_registers(struct variable_list *l)
{
    const struct wt_topology *t = l->d->g->topology;
    const struct wt_view *view = dap_view(l->d);
    struct wt_code_register reg;
    for (size_t i = 0; i < t->register_count; i++)
        if (strcmp(t->registers[i].set, l->h->set) == 0)
            put_register(l, t->registers[i].name, t->registers[i].read_only);
    for (size_t i = 0; strcmp(l->h->set, CODE_SET) == 0 && wt_source_code_register(view, i, &reg);
         i++)
        if (!reg.parameter)
            put_register(l, reg.name, true);
}

/* A lane's place, and whether it is enabled. */
static void list_lanes(struct variable_list *l)
{
    struct wt_dap *d = l->d;
    struct wt_wave wave;
    struct wt_thread_position place;
    const unsigned index = (unsigned)d->g->topology->pc_index;
    if (wt_program_wave(d->g, l->h->frame.thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    for (unsigned lane = 0; lane < wave.lanes; lane++) {
        const wt_thread thread =
            wt_debugger_thread_of_lane(d->g->debugger, l->h->frame.thread, lane);
        uint64_t pc = place.pc;
        char at[300], name[40];
        const bool on = wt_has_lane(place.active, lane);
        if (!on)
            wt_debugger_read_numbers(d->g->debugger, thread, &index, 1, &pc, WT_IGNORED);
        wt_modules_describe(d->g->modules, 0, pc, at, sizeof at);
        snprintf(name, sizeof name, "%s %u", d->g->topology->lane_word, lane);
        char *value = dap_format("%s%s", at, on ? "" : " (masked off)");
        put_group(l, DAP_LANE, name, NULL, (int)lane, value ? value : "");
        free(value);
    }
}

static char *triple_text(const uint32_t value[3])
{
    return dap_format("(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", value[0], value[1], value[2]);
}

static void put_fact(struct variable_list *l, const char *name, char *value)
{
    if (is_wanted(l))
        put_readonly(put_plain(l->to, name, value));
    free(value);
}

static void list_dispatch(struct variable_list *l)
{
    struct wt_dap *d = l->d;
    struct wt_wave wave;
    struct wt_work work = {0};
    char kernel[512];
    if (!wt_debugger_thread_wave(d->g->debugger, l->h->frame.thread, &wave) || !wave.has_work)
        return;
    put_fact(l, "device", dap_format("%u", wave.device));
    put_fact(l, "dispatch", dap_format("%" PRIu64, wave.dispatch));
    if (wt_program_work(d->g, &work, WT_IGNORED) == WT_OK)
        for (size_t i = 0; i < work.dispatch_count; i++)
            if (work.dispatch[i].number == wave.dispatch && work.dispatch[i].device == wave.device)
                put_fact(l, "kernel",
                         strdup(wt_program_kernel(d->g, &work.dispatch[i], kernel, sizeof kernel)));
    wt_work_free(&work);
    put_fact(l, "group", triple_text(wave.group));
    put_fact(l, "work-items of a group", triple_text(wave.block));
    put_fact(l, "work-items", triple_text(wave.grid));
    put_fact(l, "wave of the group", dap_format("%" PRIu32, wave.index));
    put_fact(l, "core", dap_format("%u", wave.core));
    put_fact(l, "slot", dap_format("%u", wave.slot));
}

/* ---- children of values ---- */

/* Whether an operator behind an expression would take a part of it only. */
static bool is_simple(const char *expression)
{
    if (*expression == '$')
        expression++;
    return expression[strspn(
               expression,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]:")] == 0;
}

/* The expression of a child; NULL: it has none. */
static char *child_expression(const struct dap_holder *h, const struct wt_value_child *child)
{
    const char *own = h->expression;
    if (!own)
        return NULL;
    const bool simple = is_simple(own);
    const char *open = simple ? "" : "(", *close = simple ? "" : ")";
    switch (child->kind) {
    case WT_CHILD_MEMBER:
    case WT_CHILD_STATIC:
    case WT_CHILD_COMPONENT:
        return child->name ? dap_format("%s%s%s.%s", open, own, close, child->name) : strdup(own);
    case WT_CHILD_BASE:
        return strdup(own);
    case WT_CHILD_ELEMENT:
        return dap_format("%s%s%s[%" PRId64 "]", open, own, close, child->index);
    case WT_CHILD_TARGET:
        return wt_type_plain(h->values.type)->kind == WT_TYPE_REFERENCE
                   ? strdup(own)
                   : dap_format("*%s%s%s", open, own, close);
    }
    return NULL;
}

static char *child_name(const struct wt_value_child *child)
{
    if (child->kind == WT_CHILD_ELEMENT)
        return dap_format("[%" PRId64 "]", child->index);
    return strdup(child->name ? child->name : "<anonymous>");
}

static enum wt_status list_children(struct variable_list *l, struct wt_error *err)
{
    const struct wt_view *view = dap_view(l->d);
    const struct dap_holder *h = l->h;
    const uint64_t total = wt_value_child_count(&h->values);
    enum wt_status status = WT_OK;
    for (uint64_t i = (uint64_t)l->start;
         i < total && (!l->count || i - (uint64_t)l->start < (uint64_t)l->count) && !status; i++) {
        struct wt_value_child child;
        if ((status = wt_value_child(view, &h->values, i, &child, err)) != WT_OK)
            break;
        char *name = child_name(&child), *expression = child_expression(h, &child);
        /* A base, or a member without a name, is there to be expanded only: its expression names
         * the whole. */
        const bool whole = child.kind == WT_CHILD_BASE || !child.name;
        put_variable(l->d, l->to, name, &child.values, h, expression, &l->format);
        if (whole && child.kind != WT_CHILD_ELEMENT)
            json_object_object_del(
                json_object_array_get_idx(l->to, json_object_array_length(l->to) - 1),
                "evaluateName");
        free(name);
    }
    return status;
}

static void list_each_lane(struct variable_list *l)
{
    const struct wt_values *v = &l->h->values;
    unsigned k = 0;
    for (wt_lanes rest = v->lanes; k < v->lane_count; k++, rest &= rest - 1) {
        char name[40];
        if (!is_wanted(l))
            continue;
        snprintf(name, sizeof name, "%s %u", l->d->g->topology->lane_word, wt_lanes_lowest(rest));
        char *text = value_text(l->d, v, k, &l->format);
        put_plain(l->to, name, text);
        free(text);
    }
}

/* ---- requests ---- */

enum wt_status dap_variables(struct wt_dap *d, struct json_object *arguments,
                             struct json_object **body, struct wt_error *err)
{
    int64_t reference;
    struct dap_holder *h;
    struct variable_list l = {.d = d, .format = dap_format_of(arguments, false)};
    l.format.elements = LIST_ELEMENTS;
    enum wt_status status = dap_need_number(arguments, "variablesReference", &reference, err);
    if (!status)
        status = dap_holder_of(d, reference, &h, err);
    if (!status)
        status = dap_enter(d, h->frame, err);
    dap_number(arguments, "start", &l.start);
    dap_number(arguments, "count", &l.count);
    if (!status && (l.start < 0 || l.count < 0))
        status = wt_fail(err, WT_INVALID, "\"start\" and \"count\" are 0 or more");
    if (status)
        return status;
    const char *filter = dap_text(arguments, "filter");
    *body = json_object_new_object();
    l.to = dap_put_list(*body, "variables");
    l.h = h;
    const bool indexed =
        h->kind == DAP_EACH_LANE || (h->kind == DAP_CHILDREN && is_indexed(&h->values));
    if (filter && (strcmp(filter, "indexed") == 0) != indexed)
        return WT_OK;
    switch (h->kind) {
    case DAP_ARGUMENTS:
    case DAP_LOCALS:
        return list_frame(&l, h->kind == DAP_ARGUMENTS, err);
    case DAP_LANE:
        status = list_frame(&l, true, err);
        return status ? status : list_frame(&l, false, err);
    case DAP_REGISTERS:
        list_sets(&l);
        return WT_OK;
    case DAP_REGISTER_SET:
        list_registers(&l);
        return WT_OK;
    case DAP_LANES:
        list_lanes(&l);
        return WT_OK;
    case DAP_DISPATCH:
        list_dispatch(&l);
        return WT_OK;
    case DAP_CHILDREN:
        return list_children(&l, err);
    case DAP_EACH_LANE:
        list_each_lane(&l);
        return WT_OK;
    }
    return WT_OK;
}

enum wt_status dap_child_expression(struct wt_dap *d, struct dap_holder *h, const char *name,
                                    char **expression, struct wt_error *err)
{
    const struct wt_view *view = dap_view(d);
    struct variable_list l = {.d = d, .h = h, .wanted = name};
    char *own = NULL;
    if (h->kind == DAP_ARGUMENTS || h->kind == DAP_LOCALS || h->kind == DAP_LANE) {
        enum wt_status status = list_frame(&l, h->kind != DAP_LOCALS, err);
        if (!status && !l.found && h->kind == DAP_LANE)
            status = list_frame(&l, false, err);
        if (status)
            return status;
        own = l.found ? strdup(name) : NULL;
    } else if (h->kind == DAP_REGISTER_SET) {
        own = dap_format("$%s", name);
    }
    const uint64_t total = h->kind == DAP_CHILDREN ? wt_value_child_count(&h->values) : 0;
    uint64_t first = 0;
    if (is_indexed(&h->values) && h->kind == DAP_CHILDREN && *name == '[') {
        const struct wt_type *plain = wt_type_plain(h->values.type);
        const int64_t index = strtoll(name + 1, NULL, 10) - plain->lower;
        first = index < 0 || (uint64_t)index >= total ? total : (uint64_t)index;
    }
    for (uint64_t i = first; i < total && !own; i++) {
        struct wt_value_child child;
        const enum wt_status status = wt_value_child(view, &h->values, i, &child, err);
        if (status)
            return status;
        char *text = child_name(&child);
        if (text && strcmp(text, name) == 0 && child.kind != WT_CHILD_BASE &&
            (child.name || child.kind == WT_CHILD_ELEMENT))
            own = child_expression(h, &child);
        wt_values_free(&child.values);
        free(text);
    }
    if (!own)
        return wt_fail(err, WT_INVALID, "%s is nothing that has a name in an expression", name);
    *expression = in_lane(own, h->lane);
    free(own);
    return *expression ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

enum wt_status dap_assign(struct wt_dap *d, const char *expression, const char *value,
                          const struct wt_format *format, struct json_object **body,
                          struct wt_error *err)
{
    const struct wt_view *view = dap_view(d);
    const struct dap_frame frame = {d->g->thread, d->g->level};
    struct wt_values values;
    char *text = dap_format("%s = %s", expression, value);
    if (!text)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    enum wt_status status = wt_source_evaluate(view, text, &values, err);
    free(text);
    if (status)
        return status;
    wt_values_free(&values);
    wt_program_refresh_frames(d->g);
    dap_forget_view(d);
    view = dap_view(d);
    if ((status = wt_source_evaluate_parts(view, expression, &values, err)) != WT_OK)
        return status;
    if (values.in_memory && d->client.memory_events) {
        char at[100];
        struct json_object *event = json_object_new_object();
        dap_reference(d, (struct wt_address){values.space, values.address[0]}, at, sizeof at);
        dap_put_text(event, "memoryReference", at);
        dap_put_number(event, "offset", 0);
        dap_put_number(event, "count", (int64_t)values.size);
        dap_event(d, "memory", event);
    }
    *body = json_object_new_object();
    dap_put_value(d, *body, "value", &values, frame, -1, NULL, format);
    return WT_OK;
}

enum wt_status dap_set_variable(struct wt_dap *d, struct json_object *arguments,
                                struct json_object **body, struct wt_error *err)
{
    int64_t reference;
    struct dap_holder *h;
    const char *name, *value;
    char *expression;
    const struct wt_format format = dap_format_of(arguments, false);
    enum wt_status status = dap_need_number(arguments, "variablesReference", &reference, err);
    if (!status)
        status = dap_need_text(arguments, "name", &name, err);
    if (!status)
        status = dap_need_text(arguments, "value", &value, err);
    if (!status)
        status = dap_holder_of(d, reference, &h, err);
    if (!status)
        status = dap_enter(d, h->frame, err);
    if (!status)
        status = dap_child_expression(d, h, name, &expression, err);
    if (status)
        return status;
    status = dap_assign(d, expression, value, &format, body, err);
    free(expression);
    if (!status)
        dap_changed(d);
    return status;
}
