/* Commands that step: step, next, finish, until, advance, and their reverse forms. */
#include <string.h>

#include "frontend/console/internal.h"

static enum wt_status step(struct wt_shell *c, const char *text, struct wt_step how,
                           struct wt_error *err)
{
    struct wt_stepped end;
    const char *command = how.instructions ? how.over ? "nexti" : "stepi"
                          : how.over       ? "next"
                                           : "step";
    enum wt_status status = wt_program_need_run(c->program, err);
    how.count = 1;
    if (!status && *text && (!wt_take_number(&text, &how.count) || *text))
        status = wt_fail(err, WT_INVALID, "%s takes a number of steps", command);
    if (!status)
        status = wt_program_step(c->program, &how, &end, err);
    if (!status)
        show_end(c, &end);
    return status;
}

enum wt_status do_step(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.count = 1}, err);
}

enum wt_status do_next(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.over = true}, err);
}

enum wt_status do_reverse_step(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.back = true}, err);
}

enum wt_status do_reverse_next(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.over = true, .back = true}, err);
}

enum wt_status do_stepi(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.instructions = true}, err);
}

enum wt_status do_nexti(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.instructions = true, .over = true}, err);
}

enum wt_status do_reverse_stepi(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.instructions = true, .back = true}, err);
}

enum wt_status do_reverse_nexti(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step(c, text, (struct wt_step){.instructions = true, .over = true, .back = true}, err);
}

/* ---- finish, until, advance ---- */

/* Prints the value that a function has returned to the selected frame, or that it is not known. */
static void print_returned(struct wt_shell *c, const struct wt_type *type)
{
    const struct wt_type *plain = wt_type_plain(type);
    const struct wt_view view = wt_program_view(c->program);
    uint8_t bytes[WT_RETURNED_BYTES] = {0}, state = WT_VALUE_GOOD;
    struct wt_code_register reg;
    for (size_t n = 0; plain->kind == WT_TYPE_VOID && wt_source_code_register(&view, n, &reg); n++)
        if (strncmp(reg.name, "%retval", 7) == 0) { /* of PTX with tables of lines alone */
            fputs("Value returned is not known: the debug information does not say its type.\n",
                  c->out);
            return;
        }
    if (plain->kind == WT_TYPE_VOID || wt_type_size(plain) == 0)
        return;
    if (!wt_program_returned(c->program, plain, bytes)) {
        fputs("Value returned is not known: its type is one that the debugger does not find in "
              "registers.\n",
              c->out);
        return;
    }
    struct wt_values value = {.type = type,
                              .lane_count = 1,
                              .size = wt_type_size(plain),
                              .bytes = bytes,
                              .state = &state,
                              .reg = -1};
    const unsigned number = wt_source_keep(c->program->source, &value);
    const struct wt_format format = wt_words_format(&c->words, 0, true);
    fprintf(c->out, "Value returned is $%u = ", number);
    struct wt_values referred;
    char kept[16];
    snprintf(kept, sizeof kept, "$%u", number);
    if (plain->kind == WT_TYPE_REFERENCE && number &&
        wt_source_evaluate(&view, kept, &referred, WT_IGNORED) == WT_OK) {
        wt_values_print(c->out, &view, &referred, 0, &format);
        wt_values_free(&referred);
    } else {
        wt_values_print(c->out, &view, &value, 0, &format);
    }
    fputc('\n', c->out);
}

static enum wt_status finish(struct wt_shell *c, const char *text, bool back, struct wt_error *err)
{
    struct wt_stepped end;
    const struct wt_type *type;
    enum wt_status status = take_no_arguments(text, "finish", err);
    if (!status)
        status = wt_program_finish(c->program, back, &end, &type, err);
    if (status || !end.show)
        return status;
    wt_report_stop(&c->report, c->program);
    wt_words_stop(&c->words, end.with_frame);
    if (type)
        print_returned(c, type);
    show_displays(c);
    return WT_OK;
}

enum wt_status do_finish(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return finish(c, text, false, err);
}

enum wt_status do_reverse_finish(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return finish(c, text, true, err);
}

static enum wt_status advance_to(struct wt_shell *c, const char *location, struct wt_error *err)
{
    struct wt_stepped end;
    const enum wt_status status = wt_program_advance(c->program, location, &end, err);
    if (!status)
        show_end(c, &end);
    return status;
}

enum wt_status do_advance(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = wt_program_need_run(c->program, err);
    if (status)
        return status;
    if (!*text)
        return wt_fail(err, WT_INVALID, "Argument required (a location).");
    return advance_to(c, text, err);
}

enum wt_status do_until(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_stepped end;
    if (*text)
        return advance_to(c, text, err);
    const enum wt_status status = wt_program_until(c->program, &end, err);
    if (!status)
        show_end(c, &end);
    return status;
}

/* "skip file|function GLOB", "skip delete [N]" */
enum wt_status do_skip(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const size_t length = wt_word_length(text);
    const char *rest = wt_skip_blanks(text + length);
    const bool is_file = length == 4 && strncmp(text, "file", length) == 0;
    uint64_t number = 0;
    if (*rest && (is_file || (length == 8 && strncmp(text, "function", length) == 0))) {
        const enum wt_status status = wt_program_skip(c->program, is_file, rest, err);
        if (!status)
            fprintf(c->out, "%s %s will be skipped when stepping.\n",
                    is_file ? "File(s)" : "Function(s)", rest);
        return status;
    }
    if (length == 6 && strncmp(text, "delete", length) == 0 &&
        (!*rest || (wt_take_number(&rest, &number) && !*rest && number)))
        return wt_program_unskip(c->program, (unsigned)number, err);
    return wt_fail(err, WT_INVALID,
                   "skip takes \"file GLOB\", \"function GLOB\" or \"delete [N]\"");
}

enum wt_status do_info_skip(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_program *g = c->program;
    const enum wt_status status = take_no_arguments(text, "info skip", err);
    if (!status && !g->skip_count)
        fputs("Steps skip no files or functions ('show step-headers': headers that they pass).\n",
              c->out);
    for (size_t i = 0; i < g->skip_count && !status; i++)
        fprintf(c->out, "%-3u %-8s %s\n", g->skip[i].number,
                g->skip[i].is_file ? "file" : "function", g->skip[i].glob);
    return status;
}
