/* Breakpoints and watchpoints as the user sets and lists them. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

/* ---- break ---- */

static void describe_place(struct wt_shell *c, const struct wt_point *p, uint64_t addr)
{
    const char *name;
    uint64_t offset;
    struct wt_frames *frames = wt_program_frames_at(c->program, p, addr);
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    if (frame && frame->file)
        fprintf(c->out, ": file %s, line %u.", frame->file, frame->line);
    else if (wt_modules_function(c->program->modules, 0, addr, &name, &offset))
        fprintf(c->out, " <%s+%" PRIu64 ">", name, offset);
    wt_frames_free(frames);
}

enum wt_status set_break(struct wt_shell *c, const char *text, bool temporary, const char *format,
                         struct wt_error *err)
{
    const char *what = format ? "Dprintf" : temporary ? "Temporary breakpoint" : "Breakpoint";
    struct wt_place_words words;
    struct wt_point *p;
    enum wt_status status =
        wt_program_take_place(c->program, text, c->settings.list_size, &words, err);
    const struct wt_break wanted = {.place = words.place,
                                    .condition = words.condition,
                                    .format = format,
                                    .thread = words.thread,
                                    .temporary = temporary};
    if (!status)
        status = wt_program_set_break(c->program, &wanted, &p, err);
    wt_place_words_free(&words);
    if (status)
        return status;
    if (!p->addr_count) {
        fprintf(c->out, "%s %u (%s) pending.\n", what, p->number, p->text);
        return WT_OK;
    }
    fprintf(c->out, "%s %u at 0x%" PRIx64, what, p->number, p->addr[0]);
    if (p->addr_count > 1)
        fprintf(c->out, ": %s. (%zu locations)", p->text, p->addr_count);
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

enum wt_status do_catch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_point *p;
    char *name = strdup(text);
    if (!name)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a catchpoint");
    const char *condition = wt_split_condition(name);
    enum wt_status status = wt_program_set_catch(c->program, name, condition, &p, err);
    if (status == WT_INVALID && wt_language_elsewhere("catch ", text, wt_language_word(text), err))
        status = WT_UNSUPPORTED;
    free(name);
    if (!status)
        fprintf(c->out, "Catchpoint %u (%s)\n", p->number, p->text);
    return status;
}

/* ---- watch ---- */

static enum wt_status set_watch(struct wt_shell *c, const char *text, enum wt_point_kind kind,
                                struct wt_error *err)
{
    bool location = false;
    const size_t word = wt_word_length(text);
    if ((word == 2 && strncmp(text, "-l", 2) == 0) ||
        (word == 9 && strncmp(text, "-location", 9) == 0)) {
        location = true;
        text = wt_skip_blanks(text + word);
    }
    if (!*text)
        return wt_fail(err, WT_INVALID, "Argument required (expression to compute).");
    char *expression = strdup(text);
    if (!expression)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a watchpoint");
    const char *condition = wt_split_condition(expression);
    struct wt_point *p;
    const enum wt_status status =
        wt_program_set_watch(c->program, kind, expression, condition, location, &p, err);
    free(expression);
    if (!status)
        fprintf(c->out, "%s %u: %s\n", wt_words_watch(&c->words, kind), p->number, p->text);
    return status;
}

enum wt_status do_watch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_watch(c, text, WT_POINT_WATCH, err);
}

enum wt_status do_rwatch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_watch(c, text, WT_POINT_READ, err);
}

enum wt_status do_awatch(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return set_watch(c, text, WT_POINT_ACCESS, err);
}

/* ---- changing them ---- */

/* @p stops: after so many it is disabled; 0: it stays. */
typedef void change_fn(struct wt_shell *c, struct wt_point *p, unsigned stops);

/* A number, or "$bpnum": the number of the breakpoint set last. */
static bool take_point_number(const struct wt_shell *c, const char **text, uint64_t *number)
{
    if (wt_word_length(*text) != 6 || strncmp(*text, "$bpnum", 6) != 0)
        return wt_take_number(text, number);
    *number = c->program->last_number;
    *text = wt_skip_blanks(*text + 6);
    return true;
}

static enum wt_status change(struct wt_shell *c, const char *text, change_fn *how, unsigned stops,
                             struct wt_error *err)
{
    uint64_t first, last;
    if (!*text) {
        for (size_t i = c->program->point_count; i-- > 0;)
            how(c, c->program->point[i], stops);
        return WT_OK;
    }
    while (*text) {
        if (!take_point_number(c, &text, &first)) {
            const enum wt_status status =
                wt_language_elsewhere("points ", text, wt_language_word(text), err);
            return status ? status
                          : wt_fail(err, WT_INVALID, "Bad breakpoint argument: '%s'", text);
        }
        last = first;
        if (*text == '-') {
            text++;
            if (!wt_take_number(&text, &last) || last < first)
                return wt_fail(err, WT_INVALID, "Bad breakpoint argument: '%s'", text);
        }
        for (uint64_t n = first; n <= last; n++) {
            struct wt_point *p =
                n <= c->program->last_number ? wt_program_point(c->program, (unsigned)n) : NULL;
            if (p)
                how(c, p, stops);
            else if (first == last)
                return wt_fail(err, WT_INVALID, "No breakpoint number %" PRIu64 ".", n);
            if (n > c->program->last_number)
                break;
        }
    }
    return WT_OK;
}

static void delete_it(struct wt_shell *c, struct wt_point *p, unsigned stops)
{
    wt_program_delete_point(c->program, p);
}

static void enable_it(struct wt_shell *c, struct wt_point *p, unsigned stops)
{
    p->enabled = true;
    p->stops_left = stops;
}

static void enable_delete(struct wt_shell *c, struct wt_point *p, unsigned stops)
{
    p->enabled = true;
    p->temporary = p->kind == WT_POINT_BREAK;
    p->stops_left = !p->temporary;
    if (!p->temporary)
        fprintf(c->out, "%u is not a breakpoint: it is disabled after its stop, not deleted.\n",
                p->number);
}

static void disable_it(struct wt_shell *c, struct wt_point *p, unsigned stops)
{
    p->enabled = false;
}

static const char *skip_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 &&
                   (!text[length] || isspace((unsigned char)text[length]))
               ? wt_skip_blanks(text + length)
               : text;
}

/* "enable [once | delete | count N] [breakpoints] NUMBER…" */
enum wt_status do_enable(struct wt_shell *c, const char *text, struct wt_error *err)
{
    change_fn *how = enable_it;
    uint64_t stops = 0;
    const char *whole = text = skip_word(text, "breakpoints"), *rest = skip_word(text, "display");
    if (rest != text)
        return enable_displays(c, rest, true, err);
    if ((rest = skip_word(text, "once")) != text) {
        stops = 1;
        text = rest;
    } else if ((rest = skip_word(text, "delete")) != text) {
        how = enable_delete;
        text = rest;
    } else if ((rest = skip_word(text, "count")) != text) {
        if (!wt_take_number(&rest, &stops) || !stops || stops > UINT32_MAX)
            return wt_fail(err, WT_INVALID,
                           "enable count takes a number of stops and breakpoint numbers");
        text = rest;
    }
    if (text != whole && !*text)
        return wt_fail(err, WT_INVALID, "Argument required (one or more breakpoint numbers).");
    return change(c, text, how, (unsigned)stops, err);
}

enum wt_status do_disable(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const char *displays = skip_word(text, "display");
    return displays != text ? enable_displays(c, displays, false, err)
                            : change(c, skip_word(text, "breakpoints"), disable_it, 0, err);
}

enum wt_status do_delete(struct wt_shell *c, const char *text, struct wt_error *err)
{
    text = skip_word(text, "breakpoints");
    if (strncmp(text, "display", 7) == 0)
        return do_undisplay(c, wt_skip_blanks(text + 7), err);
    if (!*text && c->program->point_count && !ask(c, "Delete all breakpoints? (y or n) "))
        return WT_OK;
    return change(c, text, delete_it, 0, err);
}

enum wt_status do_clear(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t *list;
    size_t count, gone = 0;
    enum wt_status status = wt_program_resolve(c->program, text, &list, &count, err);
    if (status)
        return status;
    for (size_t i = c->program->point_count; i-- > 0;) {
        struct wt_point *p = c->program->point[i];
        bool here = false;
        for (size_t k = 0; k < p->addr_count; k++)
            for (size_t j = 0; j < count; j++)
                here |= p->addr[k] == list[j];
        if (!here)
            continue;
        fprintf(c->out, gone++ ? "%u " : "Deleted breakpoint %u ", p->number);
        wt_program_delete_point(c->program, p);
    }
    free(list);
    if (!gone)
        return wt_fail(err, WT_INVALID, "No breakpoint at %s.", *text ? text : "this line");
    fputc('\n', c->out);
    return WT_OK;
}

static enum wt_status take_point(struct wt_shell *c, const char **text, struct wt_point **p,
                                 struct wt_error *err)
{
    uint64_t number;
    if (!take_point_number(c, text, &number))
        return wt_fail(err, WT_INVALID, "Argument required (breakpoint number).");
    *p = number <= c->program->last_number ? wt_program_point(c->program, (unsigned)number) : NULL;
    if (!*p)
        return wt_fail(err, WT_INVALID, "No breakpoint number %" PRIu64 ".", number);
    return WT_OK;
}

enum wt_status do_condition(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_point *p;
    enum wt_status status = take_point(c, &text, &p, err);
    if (!status)
        status = wt_program_set_condition(c->program, p, text, err);
    if (!status && !*text)
        fprintf(c->out, "Breakpoint %u now unconditional.\n", p->number);
    return status;
}

enum wt_status do_ignore(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_point *p;
    uint64_t count;
    enum wt_status status = take_point(c, &text, &p, err);
    if (status)
        return status;
    if (!wt_take_number(&text, &count) || count > UINT32_MAX)
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
    struct wt_point *p = wt_program_point(c->program, c->program->last_number);
    struct wt_script block = {0};
    char told[120];
    enum wt_status status = WT_OK;
    if (*text)
        status = take_point(c, &text, &p, err);
    if (!status && !p)
        status = wt_fail(err, WT_INVALID, "No breakpoints specified.");
    if (status)
        return status;
    snprintf(told, sizeof told,
             "Type commands for breakpoint %u, one per line.\n"
             "End with a line saying just \"end\".\n",
             p->number);
    status = wt_language_block(c->owner.language, "commands", told, &block, err);
    if (status) {
        wt_script_free(&block);
        return status;
    }
    const char *first = block.count ? wt_skip_blanks(block.line[0]) : "";
    const unsigned from = wt_word_length(first) == 6 && strncmp(first, "silent", 6) == 0;
    if (from)
        free(block.line[0]);
    if (from)
        memmove(block.line, block.line + from, (block.count - from) * sizeof *block.line);
    wt_script_free(&p->commands);
    p->silent = from;
    block.count -= from;
    p->commands = block;
    return WT_OK;
}

/* "rbreak REGEX": a breakpoint at each function of such a name. */
enum wt_status do_rbreak(struct wt_shell *c, const char *text, struct wt_error *err)
{
    size_t modules, count, found = 0;
    regex_t wanted;
    const struct wt_module *m = wt_modules_list(c->program->modules, &modules);
    enum wt_status status = take_pattern(text, "rbreak", 0, &wanted, err);
    if (status)
        return status;
    for (size_t i = 0; i < modules && !status; i++) {
        struct wt_info *info = wt_symbols_info(m[i].symbols);
        const struct wt_name *names = info ? wt_info_names(info, &count) : NULL;
        for (size_t k = 0; names && k < count && !status; k++) {
            Dwarf_Die die = names[k].die;
            uint64_t start, end;
            char place[40];
            if (names[k].kind != WT_NAME_FUNCTION || !wt_info_entry(&die, &start, &end) ||
                regexec(&wanted, names[k].name, 0, NULL, 0) != 0 ||
                (k && names[k - 1].kind == WT_NAME_FUNCTION &&
                 strcmp(names[k - 1].name, names[k].name) == 0))
                continue;
            snprintf(place, sizeof place, "*0x%" PRIx64,
                     wt_symbols_body(m[i].symbols, start) + m[i].bias);
            status = set_break(c, place, false, NULL, err);
            if (!status)
                fprintf(c->out, "%s\n", names[k].name);
            found++;
        }
    }
    regfree(&wanted);
    return status || found ? status : wt_fail(err, WT_INVALID, "No function matches \"%s\".", text);
}

/* ---- lists ---- */

static void list_place(struct wt_shell *c, const struct wt_point *p, uint64_t addr)
{
    struct wt_frames *frames = wt_program_frames_at(c->program, p, addr);
    const struct wt_frame *frame = frames ? wt_frames_get(frames, 0) : NULL;
    char name[WT_FUNCTION_TEXT];
    if (frame && frame->file)
        fprintf(c->out, "in %s at %s:%u", wt_function_text(frame, name, sizeof name), frame->file,
                frame->line);
    else if (frame && frame->function)
        fprintf(c->out, "<%s+%" PRIu64 ">", wt_function_text(frame, name, sizeof name),
                frame->offset);
    wt_frames_free(frames);
}

enum wt_status do_info_breakpoints(struct wt_shell *c, const char *text, struct wt_error *err)
{
    static const char *const types[] = {[WT_POINT_BREAK] = "breakpoint",
                                        [WT_POINT_WATCH] = "hw watchpoint",
                                        [WT_POINT_READ] = "read watchpoint",
                                        [WT_POINT_ACCESS] = "acc watchpoint",
                                        [WT_POINT_CATCH] = "catchpoint"};
    const int width = c->program->topology->address_bits == 64 ? 18 : 10;
    struct wt_ranges wanted = {.count = 0};
    enum wt_status status = *text ? wt_take_ranges(&text, &wanted, err) : WT_OK;
    if (!status && *text)
        status = wt_fail(err, WT_INVALID, "Bad breakpoint argument: '%s'", text);
    if (status)
        return status;
    if (!c->program->point_count) {
        fputs("No breakpoints or watchpoints.\n", c->out);
        return WT_OK;
    }
    fprintf(c->out, "%-7s %-14s Disp Enb %-*s What\n", "Num", "Type", width, "Address");
    for (size_t i = 0; i < c->program->point_count; i++) {
        struct wt_point *p = c->program->point[i];
        if (wanted.count && !wt_ranges_have(&wanted, p->number))
            continue;
        wt_program_count_logs(c->program, p);
        fprintf(c->out, "%-7u %-14s %s %c   ", p->number,
                p->format                                                ? "dprintf"
                : p->kind == WT_POINT_WATCH && c->options.steps_to_watch ? "watchpoint"
                                                                         : types[p->kind],
                p->temporary    ? "del "
                : p->stops_left ? "dis "
                                : "keep",
                p->enabled ? 'y' : 'n');
        if (p->kind == WT_POINT_BREAK && p->addr_count == 1) {
            fprintf(c->out, "0x%0*" PRIx64 " ", width - 2, p->addr[0]);
            list_place(c, p, p->addr[0]);
        } else if (p->kind == WT_POINT_BREAK) {
            fprintf(c->out, "%-*s ", width, p->addr_count ? "<MULTIPLE>" : "<PENDING>");
            if (!p->addr_count)
                fputs(p->text, c->out);
        } else {
            fprintf(c->out, "%-*s %s", width, "", p->text);
        }
        fputc('\n', c->out);
        if (p->condition)
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
    const size_t length = wt_word_length(text);
    const char *path = wt_skip_blanks(text + length);
    if (strncmp(text, "breakpoints", length) != 0 || length == 0)
        return wt_fail(err, WT_INVALID, "save takes \"breakpoints FILE\"");
    if (!*path)
        return wt_fail(err, WT_INVALID, "Argument required (file name in which to save)");
    FILE *file = fopen(path, "w");
    if (!file)
        return wt_fail(err, WT_IO, "Unable to open file '%s' for saving", path);
    static const char *const words[] = {[WT_POINT_BREAK] = "break",
                                        [WT_POINT_WATCH] = "watch",
                                        [WT_POINT_READ] = "rwatch",
                                        [WT_POINT_ACCESS] = "awatch",
                                        [WT_POINT_CATCH] = "catch"};
    for (size_t i = 0; i < c->program->point_count; i++) {
        const struct wt_point *p = c->program->point[i];
        fprintf(file, "%s %s",
                p->format      ? "dprintf"
                : p->temporary ? "tbreak"
                               : words[p->kind],
                p->text);
        if (p->condition)
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
