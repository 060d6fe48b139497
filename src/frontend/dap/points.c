/* A client's breakpoint, and the program's point that it is. */
#include <stdlib.h>
#include <string.h>

#include "frontend/dap/internal.h"

void dap_point_free(struct dap_point *p)
{
    free(p->key);
    free(p->text);
    free(p->place);
    free(p->condition);
    free(p->hit);
    free(p->log);
    free(p->why);
    free(p);
}

struct dap_point *dap_point_of(struct wt_dap *d, unsigned number)
{
    for (size_t i = 0; i < d->point_count; i++)
        if (number && d->point[i]->number == number)
            return d->point[i];
    return NULL;
}

/* ---- counts of hits ---- */

/* "N", ">= N": from the Nth on; "> N"; "== N": at the Nth alone; "% N": at each Nth. */
static bool parse_hits(const char *text, char *how, unsigned *count)
{
    char *end;
    text = wt_skip_blanks(text);
    *how = strncmp(text, "==", 2) == 0   ? '='
           : strncmp(text, ">=", 2) == 0 ? 'g'
           : *text == '>'                ? '>'
           : *text == '%'                ? '%'
                                         : 'g';
    text += strcspn(text, "0123456789");
    const unsigned long number = strtoul(text, &end, 10);
    *count = (unsigned)number;
    return end != text && !*wt_skip_blanks(end) && number && number < 1u << 30;
}

static bool good_hits(const char *text)
{
    char how;
    unsigned count;
    return strspn(text, " =>%0123456789") == strlen(text) && parse_hits(text, &how, &count);
}

/* Hits that are passed before the next stop, from the beginning on or (@p again) after a stop. */
static void apply_hits(struct wt_point *p, const char *text, bool again)
{
    char how;
    unsigned count;
    if (!text || !parse_hits(text, &how, &count))
        return;
    if (!again || how == '%')
        p->ignore = how == '>' ? count : count - 1;
    p->enabled = !(again && how == '=');
}

void dap_point_hit(struct wt_dap *d, unsigned number)
{
    const struct dap_point *p = dap_point_of(d, number);
    struct wt_point *point = p ? wt_program_point(d->g, number) : NULL;
    if (point)
        apply_hits(point, p->hit, true);
}

void dap_points_begin(struct wt_dap *d)
{
    for (size_t i = 0; i < d->point_count; i++) {
        struct wt_point *point = wt_program_point(d->g, d->point[i]->number);
        if (point)
            apply_hits(point, d->point[i]->hit, false);
    }
}

/* ---- messages ---- */

static bool is_float_type(const struct wt_type *plain)
{
    return plain->kind == WT_TYPE_FLOAT;
}

/* How a value of a log message is printed: as `print` has it, where printf can. NULL: it cannot. */
static const char *conversion_of(const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    if (plain->kind == WT_TYPE_POINTER)
        return wt_type_plain(wt_type_target(plain))->kind == WT_TYPE_CHAR ? "%s" : "%p";
    if (is_float_type(plain))
        return wt_type_size(plain) > 4 ? "%.17g" : "%.9g";
    if (plain->kind == WT_TYPE_REFERENCE)
        return conversion_of(wt_type_target(plain));
    if (!wt_type_is_integral(plain) || wt_type_size(plain) > 8)
        return NULL;
    return wt_type_is_signed(plain) ? "%ld" : "%lu";
}

static void put_escaped(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            fputc('\\', out);
        if (text[i] == '%')
            fputc('%', out);
        if (text[i] == '\n')
            fputs("\\n", out);
        else
            fputc(text[i], out);
    }
}

/* The end of the expression within braces; NULL: it has none. */
static const char *brace_end(const char *text)
{
    unsigned depth = 1;
    for (; *text; text++) {
        depth += *text == '{';
        depth -= *text == '}';
        if (!depth)
            return text;
    }
    return NULL;
}

/* Makes "FORMAT",VALUE,… of "text {VALUE} text", with the types that names have at an address. */
static enum wt_status make_format(struct wt_dap *d, const char *message, uint64_t addr,
                                  char **format, struct wt_error *err)
{
    char *text = NULL, *values = NULL;
    size_t size, values_size;
    struct wt_frames *frames = wt_frames_at(d->g->debugger, d->g->modules, addr);
    const struct wt_view view = {.source = d->g->source,
                                 .frames = frames,
                                 .frame = frames ? wt_frames_get(frames, 0) : NULL};
    FILE *out = open_memstream(&text, &size), *list = open_memstream(&values, &values_size);
    enum wt_status status =
        out && list ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory for a message");
    if (!status)
        fputc('"', out);
    while (!status && *message) {
        const char *open = strchrnul(message, '{');
        put_escaped(out, message, (size_t)(open - message));
        if (!*open)
            break;
        const char *end = brace_end(open + 1);
        char *expression = end ? strndup(open + 1, (size_t)(end - open - 1)) : NULL;
        const struct wt_type *type;
        bool is_name;
        if (!end)
            status = wt_fail(err, WT_INVALID, "the message has a { without its }");
        else
            status = wt_source_type_of(&view, expression, &type, &is_name, err);
        const char *conversion = status ? NULL : conversion_of(type);
        if (!status && !conversion)
            status =
                wt_fail(err, WT_UNSUPPORTED,
                        "{%s} is not a number, pointer or text: log one of its parts", expression);
        if (!status) {
            fputs(conversion, out);
            fprintf(list, ",%s", expression);
        }
        free(expression);
        message = end ? end + 1 : "";
    }
    if (!status)
        fputs("\\n\"", out);
    if (out)
        fclose(out);
    if (list)
        fclose(list);
    *format = status ? NULL : dap_format("%s%s", text, values);
    free(text);
    free(values);
    wt_frames_free(frames);
    return status;
}

/* ---- setting ---- */

static enum wt_status set_break(struct wt_dap *d, struct dap_point *p, struct wt_error *err)
{
    struct wt_point *point;
    uint64_t *list = NULL;
    size_t count = 0;
    char *format = NULL;
    enum wt_status status = WT_OK;
    if (p->log) {
        status = wt_program_resolve(d->g, p->place, &list, &count, err);
        if (!status)
            status = make_format(d, p->log, list[0], &format, err);
        free(list);
    }
    const struct wt_break what = {.place = p->place, .condition = p->condition, .format = format};
    if (!status)
        status = wt_program_set_break(d->g, &what, &point, err);
    free(format);
    if (status)
        return status;
    p->number = point->number;
    apply_hits(point, p->hit, false);
    return WT_OK;
}

static enum wt_status set_watch(struct wt_dap *d, struct dap_point *p, struct wt_error *err)
{
    const struct dap_datum *datum = NULL;
    struct wt_point *point;
    const size_t index = strtoul(p->text, NULL, 10);
    if (index < 1 || index > d->datum_count)
        return wt_fail(err, WT_INVALID, "\"dataId\" is none that dataBreakpointInfo has given");
    datum = &d->datum[index - 1];
    enum wt_status status = WT_INVALID;
    const struct dap_frame frame = {datum->thread, datum->level};
    if (datum->stop == d->stop && dap_enter(d, frame, err) == WT_OK)
        status = wt_program_set_watch(d->g, p->watch, datum->expression, p->condition, false,
                                      &point, err);
    else if (datum->address)
        status =
            wt_program_set_watch(d->g, p->watch, datum->address, p->condition, true, &point, err);
    else
        wt_fail(err, WT_STATE, "%s was a variable of an earlier stop", datum->expression);
    if (status)
        return status;
    p->number = point->number;
    apply_hits(point, p->hit, false);
    return WT_OK;
}

static enum wt_status set_catch(struct wt_dap *d, struct dap_point *p, struct wt_error *err)
{
    struct wt_point *point;
    const enum wt_status status = wt_program_set_catch(d->g, p->place, p->condition, &point, err);
    if (!status)
        p->number = point->number;
    return status;
}

void dap_point_set(struct wt_dap *d, struct dap_point *p)
{
    struct wt_error err = {.text = ""};
    enum wt_status status = WT_OK;
    free(p->why);
    p->why = NULL;
    if (p->hit && !good_hits(p->hit))
        status = wt_fail(&err, WT_INVALID,
                         "'%.60s' is not a count of hits: N or >= N (from the Nth on), > N, == N "
                         "(at the Nth alone), %% N (at each Nth)",
                         p->hit);
    if (!status && d->runs_only)
        status = wt_fail(&err, WT_STATE, "the program runs without a debugger (noDebug)");
    d->owner.flush(d->owner.context);
    d->quiet = true; /* the answer says it */
    if (!status)
        status = p->kind == DAP_DATA        ? set_watch(d, p, &err)
                 : p->kind == DAP_EXCEPTION ? set_catch(d, p, &err)
                                            : set_break(d, p, &err);
    d->owner.flush(d->owner.context);
    d->quiet = false;
    if (status)
        p->why = strdup(err.text);
}

void dap_point_unset(struct wt_dap *d, struct dap_point *p)
{
    struct wt_point *point = p->number ? wt_program_point(d->g, p->number) : NULL;
    if (point)
        wt_program_delete_point(d->g, point);
    p->number = 0;
}

/* ---- telling ---- */

static bool is_verified(struct wt_dap *d, const struct dap_point *p)
{
    const struct wt_point *point = p->number ? wt_program_point(d->g, p->number) : NULL;
    return point && (p->kind == DAP_DATA || p->kind == DAP_EXCEPTION || point->addr_count);
}

struct json_object *dap_point_body(struct wt_dap *d, struct dap_point *p)
{
    struct json_object *o = json_object_new_object();
    const struct wt_point *point = p->number ? wt_program_point(d->g, p->number) : NULL;
    const bool verified = is_verified(d, p);
    p->told = verified;
    dap_put_number(o, "id", p->id);
    dap_put_flag(o, "verified", verified);
    if (!verified) {
        dap_put_text(o, "message", p->why ? p->why : "it waits for code that is loaded later");
        dap_put_text(o, "reason", p->why ? "failed" : "pending");
    }
    if (!verified || !point->addr_count || p->kind == DAP_EXCEPTION)
        return o;
    struct wt_frames *frames = wt_program_frames_at(d->g, point, point->addr[0]);
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    if (frame && frame->path && frame->line) {
        dap_put_source(d, o, frame->path);
        dap_put_number(o, "line", dap_line_out(d, frame->line));
    }
    dap_put_address(o, "instructionReference", point->addr[0]);
    wt_frames_free(frames);
    return o;
}

static void tell(struct wt_dap *d, struct dap_point *p, const char *reason)
{
    struct json_object *body = json_object_new_object();
    dap_put_text(body, "reason", reason);
    json_object_object_add(body, "breakpoint", dap_point_body(d, p));
    dap_event(d, "breakpoint", body);
}

/* Finds the file of a point anew: code that has come may have it under another name. True: it
 * has. */
static bool is_elsewhere(struct wt_dap *d, struct dap_point *p)
{
    struct json_object *source = json_object_new_object();
    char *name = NULL, *place = NULL;
    dap_put_text(source, "path", p->key);
    if (p->kind == DAP_SOURCE && dap_source_name(d, source, &name, WT_IGNORED) == WT_OK)
        place = dap_format("%s:%s", name, p->text);
    json_object_put(source);
    free(name);
    const bool other = place && strcmp(place, p->place) != 0;
    if (other) {
        free(p->place);
        p->place = place;
    } else {
        free(place);
    }
    return other;
}

void dap_points_changed(struct wt_dap *d)
{
    d->modules_changed = false;
    for (size_t i = 0; i < d->point_count; i++) {
        struct dap_point *p = d->point[i];
        const bool waits = p->kind != DAP_DATA && p->kind != DAP_EXCEPTION && !is_verified(d, p);
        if (waits && (is_elsewhere(d, p) || !p->number)) {
            dap_point_unset(d, p);
            dap_point_set(d, p);
        }
        if (p->told != is_verified(d, p))
            tell(d, p, "changed");
    }
    wt_program_insert_now(d->g, WT_IGNORED);
}

void dap_pass_faults(struct wt_dap *d, bool pass)
{
    struct wt_point *point = wt_program_point(d->g, d->passes_faults);
    if (point)
        wt_program_delete_point(d->g, point);
    d->passes_faults = 0;
    if (!pass || wt_program_set_catch(d->g, "fault", NULL, &point, WT_IGNORED) != WT_OK)
        return;
    point->enabled = false;
    d->passes_faults = point->number;
}

void dap_points_again(struct wt_dap *d)
{
    const bool passes = d->passes_faults;
    d->passes_faults = 0;
    for (size_t i = 0; i < d->point_count; i++) {
        d->point[i]->number = 0;
        dap_point_set(d, d->point[i]);
        tell(d, d->point[i], "changed");
    }
    dap_pass_faults(d, passes);
}

void dap_point_lost(struct wt_dap *d, unsigned number, const char *why)
{
    struct dap_point *p = dap_point_of(d, number);
    if (!p)
        return;
    p->number = 0;
    free(p->why);
    p->why = strdup(why);
    tell(d, p, "changed");
}
