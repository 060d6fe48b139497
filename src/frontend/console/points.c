/* Breakpoints and watchpoints as the user sets and lists them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/console/internal.h"

#define MOST_PARTS 64 /* of a watched variable */

/* ---- the list ---- */

bool has_addresses(const struct point *p)
{
    return p->kind == POINT_BREAK ||
           (p->kind == POINT_CATCH && (p->caught == CATCH_DISPATCHES || p->caught == CATCH_ENDS));
}

static unsigned line_named(const struct point *p)
{
    const char *colon = strrchr(p->text, ':');
    const char *number = colon ? colon + 1 : p->text;
    return *number && !number[strspn(number, "0123456789")] ? (unsigned)strtoul(number, NULL, 10)
                                                            : 0;
}

static void free_script(struct script *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->line[i]);
    free(s->line);
    *s = (struct script){0};
}

static void free_compiled(struct point *p)
{
    for (size_t k = 0; p->compiled && k < p->addr_count; k++)
        wt_expr_free(p->compiled[k]);
    free(p->compiled);
    p->compiled = NULL;
}

static void free_point(struct point *p)
{
    free_compiled(p);
    wt_expr_free(p->scope_condition);
    free_watch_rule(p->rule);
    free_script(&p->commands);
    free(p->text);
    free(p->addr);
    free(p->condition);
    free(p->format);
    free(p->old);
    free(p->part);
    free(p);
}

void free_points(struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++)
        free_point(c->point[i]);
    free(c->point);
    c->point = NULL;
    c->point_count = c->point_capacity = 0;
    free_script(&c->queued);
}

struct point *find_point(struct wt_shell *c, unsigned number)
{
    for (size_t i = 0; i < c->point_count; i++)
        if (c->point[i]->number == number)
            return c->point[i];
    return NULL;
}

void delete_point(struct wt_shell *c, struct point *p)
{
    size_t i = 0;
    remove_logs(c, p);
    while (c->point[i] != p)
        i++;
    memmove(&c->point[i], &c->point[i + 1], (--c->point_count - i) * sizeof(struct point *));
    free_point(p);
}

struct point *add_point(struct wt_shell *c, enum point_kind kind, const char *text,
                        struct wt_error *err)
{
    struct point **grown =
        wt_array_grow(c->point, &c->point_capacity, c->point_count + 1, sizeof(struct point *));
    if (grown)
        c->point = grown;
    struct point *p = grown ? calloc(1, sizeof *p) : NULL;
    if (p)
        p->text = strdup(text);
    if (!p || !p->text) {
        free(p);
        wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
        return NULL;
    }
    p->kind = kind;
    p->enabled = true;
    p->number = ++c->last_number;
    return grown[c->point_count++] = p;
}

void forget_watchpoints(struct wt_shell *c)
{
    for (size_t i = c->point_count; i-- > 0;) {
        struct point *p = c->point[i];
        if (!p->part_count)
            continue;
        fprintf(c->out, "Watchpoint %u deleted: the memory of that run is gone.\n", p->number);
        delete_point(c, p);
    }
}

/* ---- conditions ---- */

unsigned line_wanted(struct wt_shell *c, const struct point *p, uint64_t addr)
{
    unsigned line = line_named(p);
    struct wt_frames *frames = line ? NULL : wt_frames_at(c->debugger, c->modules, addr);
    const unsigned begun = frames ? wt_frames_begun(frames, 0) : 0;
    for (unsigned i = 0; i < begun && !line; i++) {
        const struct wt_frame *frame = wt_frames_get(frames, i);
        if (names_function(p->text, frame->function))
            line = frame->line;
    }
    wt_frames_free(frames);
    return line;
}

struct wt_frames *frames_at(struct wt_shell *c, const struct point *p, uint64_t addr)
{
    struct wt_frames *frames = wt_frames_at(c->debugger, c->modules, addr);
    if (frames)
        wt_frames_hide(frames, wt_frames_begun(frames, line_wanted(c, p, addr)));
    return frames;
}

enum wt_status compile_condition(struct wt_shell *c, struct point *p, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    free_compiled(p);
    if (p->part_count)
        return compile_watch_condition(c, p, err);
    if ((!p->condition && !p->thread) || !has_addresses(p) || !p->addr_count)
        return WT_OK;
    struct wt_expr **compiled = calloc(p->addr_count, sizeof(struct wt_expr *));
    if (!compiled)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a condition");
    /* Breakpoints at kernels' ends have no condition. */
    const size_t count = p->entries ? p->entries : p->addr_count;
    const struct stop_at of_thread = {.thread = p->thread};
    for (size_t k = 0; k < count && !status && !p->condition; k++)
        status = thread_condition(c, &of_thread, &compiled[k], err);
    for (size_t k = 0; k < count && !status && p->condition; k++) {
        struct wt_frames *frames = frames_at(c, p, p->addr[k]);
        const struct wt_view view = {.source = c->source,
                                     .frames = frames,
                                     .frame = frames ? wt_frames_get(frames, 0) : NULL};
        status = wt_source_compile(&view, p->condition, &compiled[k], NULL, err);
        hint_logic(c, &view, p->condition);
        wt_frames_free(frames);
    }
    p->compiled = compiled;
    if (status)
        free_compiled(p);
    return status;
}

/* Splits " if CONDITION" from the end of a location; returns the condition, or NULL. */
static char *split_condition(char *text)
{
    for (char *at = text; *at; at++)
        if (strncmp(at, "if", 2) == 0 && (at == text || isspace((unsigned char)at[-1])) &&
            (isspace((unsigned char)at[2]) || at[2] == '(')) {
            char *condition = at + 2;
            while (isspace((unsigned char)*condition))
                condition++;
            *at = 0;
            while (at > text && isspace((unsigned char)at[-1]))
                *--at = 0;
            return condition;
        }
    return NULL;
}

/* ---- break ---- */

static void describe_place(struct wt_shell *c, const struct point *p, uint64_t addr)
{
    const char *name;
    uint64_t offset;
    struct wt_frames *frames = frames_at(c, p, addr);
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    if (frame && frame->file)
        fprintf(c->out, ": file %s, line %u.", frame->file, frame->line);
    else if (wt_modules_function(c->modules, 0, addr, &name, &offset))
        fprintf(c->out, " <%s+%" PRIu64 ">", name, offset);
    wt_frames_free(frames);
}

/* Whether code that is loaded later may have such a place: an address cannot; a line alone is one
 * of the first file that there will be. */
static bool comes_later(struct wt_shell *c, const char *text)
{
    return c->options.host && *text && *text != '*' &&
           (!isdigit((unsigned char)*text) || !current_file(c));
}

enum wt_status set_break(struct wt_shell *c, const char *text, bool temporary, const char *format,
                         struct wt_error *err)
{
    const char *what = format ? "Dprintf" : temporary ? "Temporary breakpoint" : "Breakpoint";
    uint64_t *list = NULL;
    size_t count = 0;
    char *copy = strdup(text);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
    const char *condition = split_condition(copy);
    wt_thread thread;
    char *place = NULL;
    enum wt_status status = take_thread_word(c, copy, &thread, err);
    char *said = NULL;
    if (!status && (status = explicit_place(copy, &said, err)) == WT_OK)
        status = relative_line(c, said ? said : copy, &place, err);
    if (!status && !place) {
        place = said;
        said = NULL;
    }
    free(said);
    if (status) {
        free(copy);
        return status;
    }
    const char *where = place ? place : copy;
    struct wt_error unknown;
    status = resolve_place(c, where, &list, &count, NULL, &unknown);
    const bool pending = status && comes_later(c, where) && accept_pending(c, unknown.text);
    if (pending)
        status = WT_OK;
    else if (status)
        *err = unknown;
    struct point *p = status ? NULL : add_point(c, POINT_BREAK, where, err);
    free(place);
    if (!p) {
        free(list);
        free(copy);
        return status ? status : WT_NO_MEMORY;
    }
    p->thread = thread;
    p->temporary = temporary;
    p->format = format ? strdup(format) : NULL;
    p->addr = list;
    p->addr_count = count;
    p->condition = condition ? strdup(condition) : NULL;
    status = compile_condition(c, p, err);
    free(copy);
    if (status) {
        delete_point(c, p);
        c->last_number--;
        return status;
    }
    if (pending) {
        fprintf(c->out, "%s %u (%s) pending.\n", what, p->number, p->text);
        return WT_OK;
    }
    fprintf(c->out, "%s %u at 0x%" PRIx64, what, p->number, p->addr[0]);
    if (count > 1)
        fprintf(c->out, ": %s. (%zu locations)", p->text, count);
    else
        describe_place(c, p, p->addr[0]);
    fputc('\n', c->out);
    return WT_OK;
}

enum wt_status do_break(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_break(c, text, false, NULL, err);
}

enum wt_status do_tbreak(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_break(c, text, true, NULL, err);
}

void set_addresses(struct point *p, uint64_t *list, size_t count)
{
    free_compiled(p);
    free(p->addr);
    p->addr = list;
    p->addr_count = count;
}

/* ---- watch ---- */

const char *watch_name(const struct wt_shell *c, enum point_kind kind)
{
    static const char *const names[] = {[POINT_WATCH] = "Hardware watchpoint",
                                        [POINT_READ] = "Hardware read watchpoint",
                                        [POINT_ACCESS] = "Hardware access (read/write) watchpoint"};
    return c->options.steps_to_watch ? "Watchpoint" : names[kind];
}

/* The memory ranges of a variable that is to be watched. */
static enum wt_status find_parts(struct wt_shell *c, struct point *p, wt_thread thread,
                                 uint64_t size, struct wt_error *err)
{
    size_t capacity = 0;
    for (uint64_t done = 0, part; done < size; done += part) {
        struct wt_address at;
        enum wt_status status = wt_debugger_find_home(
            c->debugger, thread, wt_address_plus(p->where, done), size - done, &at, &part, err);
        if (status)
            return status;
        if (p->part_count == MOST_PARTS)
            return wt_fail(err, WT_UNSUPPORTED,
                           "it lies in more than %d places of memory: watch a part of it",
                           MOST_PARTS);
        struct wt_watchpoint_request *grown =
            wt_array_grow(p->part, &capacity, p->part_count + 1, sizeof *grown);
        if (!grown)
            return wt_fail(err, WT_NO_MEMORY, "no host memory for a watchpoint");
        p->part = grown;
        grown[p->part_count++] = (struct wt_watchpoint_request){.kind = p->watch,
                                                                .addr = at,
                                                                .size = part,
                                                                .thread = thread,
                                                                .changes = p->kind == POINT_WATCH};
    }
    return WT_OK;
}

static enum wt_status fill_watch(struct wt_shell *c, struct point *p, const char *expression,
                                 bool location, struct wt_error *err)
{
    static const enum wt_watchpoint_kind kinds[] = {[POINT_WATCH] = WT_WATCHPOINT_WRITE,
                                                    [POINT_READ] = WT_WATCHPOINT_READ,
                                                    [POINT_ACCESS] = WT_WATCHPOINT_ACCESS};
    const struct wt_view view = view_of(c);
    struct wt_values v;
    enum wt_status status = wt_source_evaluate(&view, expression, &v, err);
    if (status)
        return status;
    if (!v.in_memory || v.lane_count != 1)
        status = wt_fail(err, WT_INVALID,
                         v.reg >= 0 ? "%s is in a register here: registers cannot be watched"
                                    : "Cannot watch constant value `%s'.",
                         expression);
    else if ((status = check_first(&v, err)) == WT_OK && v.state[0] != WT_VALUE_GOOD)
        status = wt_fail(err, WT_INVALID, "%s has no value here", expression);
    if (!status) {
        p->watch = kinds[p->kind];
        p->where = (struct wt_address){v.space, v.address[0]};
        status = find_parts(c, p, view.thread, v.size, err);
    }
    if (!status) {
        p->type = v.type;
        p->owner = view.thread;
        p->size = v.size;
        p->old = v.bytes;
        v.bytes = NULL;
    }
    const bool ends = v.uses_frame && !location;
    wt_values_free(&v);
    if (!status && ends && find_way_out(c, view.frame, &p->scope))
        status = thread_condition(c, &p->scope, &p->scope_condition, err);
    return status;
}

static enum wt_status set_watch(struct wt_shell *c, const char *text, enum point_kind kind,
                                struct wt_error *err)
{
    bool location = false;
    const size_t word = word_length(text);
    if ((word == 2 && strncmp(text, "-l", 2) == 0) ||
        (word == 9 && strncmp(text, "-location", 9) == 0)) {
        location = true;
        text = skip_blanks(text + word);
    }
    if (!*text)
        return wt_fail(err, WT_INVALID, "Argument required (expression to compute).");
    if (c->options.steps_to_watch && kind != POINT_WATCH)
        return wt_fail(
            err, WT_UNSUPPORTED,
            "this device has no watchpoints: 'watch' sees changes, by single steps; reads "
            "cannot be watched");
    if (c->options.host && !c->started)
        return wt_fail(err, WT_STATE,
                       "The program is not being run: its memory is watched once it is there.");
    char *copy = strdup(text);
    if (!copy)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a watchpoint");
    const char *condition = split_condition(copy);
    struct point *p = add_point(c, kind, copy, err);
    enum wt_status status = p ? fill_watch(c, p, copy, location, err) : WT_NO_MEMORY;
    if (!status && condition) {
        p->condition = strdup(condition);
        status = compile_condition(c, p, err);
    }
    free(copy);
    /* Debug hardware that cannot watch it says so now. */
    if (!status && c->started && !c->options.steps_to_watch && !wt_debugger_running(c->debugger) &&
        (status = insert_points(c, err)) == WT_OK)
        status = wt_debugger_try_watchpoints(c->debugger, err);
    if (status) {
        if (p) {
            delete_point(c, p);
            c->last_number--;
        }
        return status;
    }
    fprintf(c->out, "%s %u: %s\n", watch_name(c, kind), p->number, p->text);
    return WT_OK;
}

enum wt_status do_watch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_watch(c, text, POINT_WATCH, err);
}

enum wt_status do_rwatch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_watch(c, text, POINT_READ, err);
}

enum wt_status do_awatch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_watch(c, text, POINT_ACCESS, err);
}

/* ---- changing them ---- */

typedef void change_fn(struct wt_shell *c, struct point *p);

/* A number, or "$bpnum": the number of the breakpoint set last. */
static bool take_point_number(const struct wt_shell *c, const char **text, uint64_t *number)
{
    if (word_length(*text) != 6 || strncmp(*text, "$bpnum", 6) != 0)
        return take_number(text, number);
    *number = c->last_number;
    *text = skip_blanks(*text + 6);
    return true;
}

static enum wt_status change(struct wt_shell *c, const char *text, change_fn *how,
                             struct wt_error *err)
{
    uint64_t first, last;
    if (!*text) {
        for (size_t i = c->point_count; i-- > 0;)
            how(c, c->point[i]);
        return WT_OK;
    }
    while (*text) {
        if (!take_point_number(c, &text, &first))
            return wt_fail(err, WT_INVALID, "Bad breakpoint argument: '%s'", text);
        last = first;
        if (*text == '-') {
            text++;
            if (!take_number(&text, &last) || last < first)
                return wt_fail(err, WT_INVALID, "Bad breakpoint argument: '%s'", text);
        }
        for (uint64_t n = first; n <= last; n++) {
            struct point *p = n <= c->last_number ? find_point(c, (unsigned)n) : NULL;
            if (p)
                how(c, p);
            else if (first == last)
                return wt_fail(err, WT_INVALID, "No breakpoint number %" PRIu64 ".", n);
            if (n > c->last_number)
                break;
        }
    }
    return WT_OK;
}

static void enable_it(struct wt_shell *c, struct point *p)
{
    (void)c;
    p->enabled = true;
}

static void disable_it(struct wt_shell *c, struct point *p)
{
    (void)c;
    p->enabled = false;
}

static const char *skip_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
                   (!text[length] || isspace((unsigned char)text[length]))
               ? skip_blanks(text + length)
               : text;
}

enum wt_status do_enable(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return change(c, skip_word(text, "breakpoints"), enable_it, err);
}

enum wt_status do_disable(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return change(c, skip_word(text, "breakpoints"), disable_it, err);
}

enum wt_status do_delete(struct wt_shell *c, const char *text, struct wt_error *err)
{
    text = skip_word(text, "breakpoints");
    if (strncmp(text, "display", 7) == 0)
        return do_undisplay(c, skip_blanks(text + 7), err);
    if (!*text && c->point_count && !ask(c, "Delete all breakpoints? (y or n) "))
        return WT_OK;
    return change(c, text, delete_point, err);
}

enum wt_status do_clear(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t *list;
    size_t count, gone = 0;
    enum wt_status status = resolve_place(c, text, &list, &count, NULL, err);
    if (status)
        return status;
    for (size_t i = c->point_count; i-- > 0;) {
        struct point *p = c->point[i];
        bool here = false;
        for (size_t k = 0; k < p->addr_count; k++)
            for (size_t j = 0; j < count; j++)
                here |= p->addr[k] == list[j];
        if (!here)
            continue;
        fprintf(c->out, gone++ ? "%u " : "Deleted breakpoint %u ", p->number);
        delete_point(c, p);
    }
    free(list);
    if (!gone)
        return wt_fail(err, WT_INVALID, "No breakpoint at %s.", *text ? text : "this line");
    fputc('\n', c->out);
    return WT_OK;
}

static enum wt_status take_point(struct wt_shell *c, const char **text, struct point **p,
                                 struct wt_error *err)
{
    uint64_t number;
    if (!take_point_number(c, text, &number))
        return wt_fail(err, WT_INVALID, "Argument required (breakpoint number).");
    *p = number <= c->last_number ? find_point(c, (unsigned)number) : NULL;
    if (!*p)
        return wt_fail(err, WT_INVALID, "No breakpoint number %" PRIu64 ".", number);
    return WT_OK;
}

enum wt_status do_condition(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct point *p;
    enum wt_status status = take_point(c, &text, &p, err);
    if (status)
        return status;
    char *before = p->condition;
    p->condition = *text ? strdup(text) : NULL;
    status = compile_condition(c, p, err);
    if (status) {
        free(p->condition);
        p->condition = before;
        compile_condition(c, p, WT_IGNORED);
        return status;
    }
    free(before);
    if (!*text)
        fprintf(c->out, "Breakpoint %u now unconditional.\n", p->number);
    return WT_OK;
}

enum wt_status do_ignore(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct point *p;
    uint64_t count;
    enum wt_status status = take_point(c, &text, &p, err);
    if (status)
        return status;
    if (!take_number(&text, &count) || count > UINT32_MAX)
        return wt_fail(err, WT_INVALID, "Second argument (specified ignore-count) is missing.");
    p->ignore = (unsigned)count;
    if (count == 0)
        fprintf(c->out, "Will stop next time breakpoint %u is reached.\n", p->number);
    else if (count == 1)
        fprintf(c->out, "Will ignore next crossing of breakpoint %u.\n", p->number);
    else
        fprintf(c->out, "Will ignore next %" PRIu64 " crossings of breakpoint %u.\n", count,
                p->number);
    return WT_OK;
}

enum wt_status do_commands(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct point *p = find_point(c, c->last_number);
    enum wt_status status = WT_OK;
    unsigned depth = 0;
    if (*text)
        status = take_point(c, &text, &p, err);
    if (!status && !p)
        status = wt_fail(err, WT_INVALID, "No breakpoints specified.");
    if (!status && !c->read_line && !c->options.read_line)
        status = wt_fail(err, WT_STATE, "commands takes lines up to 'end': there are none here");
    if (status)
        return status;
    if (!c->read_line) {
        fprintf(c->out,
                "Type commands for breakpoint %u, one per line.\n"
                "End with a line saying just \"end\".\n",
                p->number);
        fflush(c->out);
    }
    free_script(&p->commands);
    p->silent = false;
    char *line;
    while (c->read_line ? c->read_line(c->read_context, &line)
                        : c->options.read_line(c->options.context, &line)) {
        const char *word = skip_blanks(line);
        const size_t length = word_length(word);
        if (length == 3 && strncmp(word, "end", 3) == 0 && depth == 0) {
            free(line);
            return WT_OK;
        }
        if (length == 6 && strncmp(word, "silent", 6) == 0 && p->commands.count == 0) {
            p->silent = true;
            free(line);
            continue;
        }
        char **grown = wt_array_grow(p->commands.line, &p->commands.capacity, p->commands.count + 1,
                                     sizeof(char *));
        if (!grown) {
            free(line);
            return wt_fail(err, WT_NO_MEMORY, "no host memory for commands");
        }
        p->commands.line = grown;
        grown[p->commands.count++] = line;
    }
    return wt_fail(err, WT_INVALID, "the commands of breakpoint %u have no 'end'", p->number);
}

/* ---- lists ---- */

static void list_place(struct wt_shell *c, const struct point *p, uint64_t addr)
{
    struct wt_frames *frames = frames_at(c, p, addr);
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    char name[FUNCTION_TEXT];
    if (frame && frame->file)
        fprintf(c->out, "in %s at %s:%u", function_text(frame, name, sizeof name), frame->file,
                frame->line);
    else if (frame && frame->function)
        fprintf(c->out, "<%s+%" PRIu64 ">", function_text(frame, name, sizeof name), frame->offset);
    wt_frames_free(frames);
}

enum wt_status do_info_breakpoints(struct wt_shell *c, const char *text, struct wt_error *err)
{
    static const char *const types[] = {[POINT_BREAK] = "breakpoint",
                                        [POINT_WATCH] = "hw watchpoint",
                                        [POINT_READ] = "read watchpoint",
                                        [POINT_ACCESS] = "acc watchpoint",
                                        [POINT_CATCH] = "catchpoint"};
    const int width = c->topology->address_bits == 64 ? 18 : 10;
    enum wt_status status = take_no_arguments(text, "info breakpoints", err);
    if (status)
        return status;
    if (!c->point_count) {
        fputs("No breakpoints or watchpoints.\n", c->out);
        return WT_OK;
    }
    fprintf(c->out, "%-7s %-14s Disp Enb %-*s What\n", "Num", "Type", width, "Address");
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        count_logs(c, p);
        fprintf(c->out, "%-7u %-14s %s %c   ", p->number,
                p->format                                             ? "dprintf"
                : p->kind == POINT_WATCH && c->options.steps_to_watch ? "watchpoint"
                                                                      : types[p->kind],
                p->temporary ? "del " : "keep", p->enabled ? 'y' : 'n');
        if (p->kind == POINT_BREAK && p->addr_count == 1) {
            fprintf(c->out, "0x%0*" PRIx64 " ", width - 2, p->addr[0]);
            list_place(c, p, p->addr[0]);
        } else if (p->kind == POINT_BREAK) {
            fprintf(c->out, "%-*s ", width, p->addr_count ? "<MULTIPLE>" : "<PENDING>");
            if (!p->addr_count)
                fputs(p->text, c->out);
        } else {
            fprintf(c->out, "%-*s %s", width, "", p->text);
        }
        fputc('\n', c->out);
        if (p->condition && p->kind != POINT_CATCH)
            fprintf(c->out, "\tstop only if %s\n", p->condition);
        if (p->hits)
            fprintf(c->out, "\tbreakpoint already hit %u time%s\n", p->hits,
                    p->hits == 1 ? "" : "s");
        if (p->ignore)
            fprintf(c->out, "\tignore next %u hits\n", p->ignore);
        if (p->format)
            fprintf(c->out, "        printf %s\n", p->format);
        for (size_t k = 0; k < p->commands.count; k++)
            fprintf(c->out, "        %s\n", p->commands.line[k]);
        for (size_t k = 0; p->addr_count > 1 && !p->entries && k < p->addr_count; k++) {
            char number[32];
            snprintf(number, sizeof number, "%u.%zu", p->number, k + 1);
            fprintf(c->out, "%-7s %-14s %-4s %c   0x%0*" PRIx64 " ", number, "", "", 'y', width - 2,
                    p->addr[k]);
            list_place(c, p, p->addr[k]);
            fputc('\n', c->out);
        }
    }
    return WT_OK;
}

enum wt_status do_save(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const size_t length = word_length(text);
    const char *path = skip_blanks(text + length);
    if (strncmp(text, "breakpoints", length) != 0 || length == 0)
        return wt_fail(err, WT_INVALID, "save takes \"breakpoints FILE\"");
    if (!*path)
        return wt_fail(err, WT_INVALID, "Argument required (file name in which to save)");
    FILE *file = fopen(path, "w");
    if (!file)
        return wt_fail(err, WT_IO, "Unable to open file '%s' for saving", path);
    static const char *const words[] = {[POINT_BREAK] = "break",
                                        [POINT_WATCH] = "watch",
                                        [POINT_READ] = "rwatch",
                                        [POINT_ACCESS] = "awatch",
                                        [POINT_CATCH] = "catch"};
    for (size_t i = 0; i < c->point_count; i++) {
        const struct point *p = c->point[i];
        fprintf(file, "%s %s",
                p->format      ? "dprintf"
                : p->temporary ? "tbreak"
                               : words[p->kind],
                p->text);
        if (p->condition && p->kind != POINT_CATCH)
            fprintf(file, " if %s", p->condition);
        fprintf(file, p->format ? ",%s\n" : "\n", p->format);
        if (p->commands.count || p->silent) {
            fputs("commands\n", file);
            if (p->silent)
                fputs("silent\n", file);
            for (size_t k = 0; k < p->commands.count; k++)
                fprintf(file, "%s\n", p->commands.line[k]);
            fputs("end\n", file);
        }
        if (p->ignore)
            fprintf(file, "ignore $bpnum %u\n", p->ignore);
        if (!p->enabled)
            fprintf(file, "disable $bpnum\n");
    }
    if (fclose(file) != 0)
        return wt_fail(err, WT_IO, "%s: cannot write", path);
    fprintf(c->out, "Saved to file '%s'.\n", path);
    return WT_OK;
}
