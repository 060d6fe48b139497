/* Settings: the commands set, show, with, and print with settings of its own. */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/internal.h"

/* Whether @p text begins with this word; if so, the word is skipped. */
static bool take_word(const char **text, const char *word)
{
    const size_t length = wt_word_length(*text);
    if (length != strlen(word) || strncmp(*text, word, length) != 0)
        return false;
    *text = wt_skip_blanks(*text + length);
    return true;
}

static enum wt_status set_substitution(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const size_t length = wt_word_length(text);
    const char *to = wt_skip_blanks(text + length);
    if (!length || !*to)
        return wt_fail(err, WT_INVALID, "set substitute-path takes two folders: FROM TO");
    return wt_program_substitute(c->program, text, length, to, err);
}

static enum wt_status set_logging(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const char *path = "wavetrap.txt";
    if (take_word(&text, "off")) {
        if (c->log.file)
            fclose(c->log.file);
        c->log.file = NULL;
        return WT_OK;
    }
    if (take_word(&text, "file") || take_word(&text, "on") || take_word(&text, "enabled")) {
        if (*text && strcmp(text, "on") != 0)
            path = text;
    } else {
        return wt_fail(err, WT_INVALID, "set logging takes \"on\", \"off\" or \"file PATH\"");
    }
    FILE *file = fopen(path, "a");
    if (!file)
        return wt_fail(err, WT_IO, "%s: %s", path, strerror(errno));
    if (c->log.file)
        fclose(c->log.file);
    c->log.file = file;
    return WT_OK;
}

static enum wt_status set_value(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    if (!*text)
        return wt_fail(err, WT_INVALID, "set var takes an assignment: NAME = VALUE");
    enum wt_status status = wt_source_evaluate(&view, text, &values, err);
    if (!status) {
        wt_values_free(&values);
        wt_program_refresh_frames(c->program);
    }
    return status;
}

/* "NAME=VALUE", "NAME VALUE", "NAME": empty. */
static enum wt_status set_environment(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char *change;
    const size_t length = strcspn(text, " =");
    const char *value = wt_skip_blanks(text + length);
    if (!length)
        return wt_fail(err, WT_INVALID, "set environment takes NAME=VALUE");
    if (*value == '=')
        value = wt_skip_blanks(value + 1);
    if (asprintf(&change, "%.*s=%s", (int)length, text, value) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return wt_program_change_environment(c->program, change, err);
}

/* ---- the table ---- */

#define STEP_HEADERS "step-headers"
#define AT(field) offsetof(struct wt_shell, field)

static const struct wt_setting settings[] = {
    {"breakpoint pending", WT_SETTING_ONE_OF, AT(settings.pending), "auto on off",
     "Debugger's behavior regarding pending breakpoints is %s."},
    {"confirm", WT_SETTING_SWITCH, AT(settings.confirm), NULL,
     "Whether to confirm potentially dangerous operations is %s."},
    {"disassembly-flavor", WT_SETTING_FIXED, 0, "att", "each GPU has one assembly language here"},
    {"follow-fork-mode", WT_SETTING_FIXED, 0, "parent", "'attach PID' goes to another process"},
    {"height", WT_SETTING_COUNT, AT(settings.height), "unlimited",
     "Number of lines in a page is %s."},
    {"listsize", WT_SETTING_COUNT, AT(settings.list_size), "10",
     "Number of source lines that list shows is %s."},
    {"non-stop", WT_SETTING_FIXED, 0, "off",
     "the console stops all waves; 'set scheduler-locking on' runs one alone"},
    {"opencl-options", WT_SETTING_ONE_OF, AT(settings.opencl_options), "debug keep",
     "OpenCL C is compiled with options for: %s (debug: -cl-opt-disable; keep: the program's)."},
    {"pagination", WT_SETTING_SWITCH, AT(settings.pagination), NULL, "State of pagination is %s."},
    {"history save", WT_SETTING_FIXED, 0, "on", "a terminal's lines are kept between sessions"},
    {"print address", WT_SETTING_FIXED, 0, "on", "addresses are always printed"},
    {"print array", WT_SETTING_FIXED, 0, "off", "arrays are on one line"},
    {"print asm-demangle", WT_SETTING_FIXED, 0, "on", "names are printed as people write them"},
    {"print demangle", WT_SETTING_FIXED, 0, "on", "names are printed as people write them"},
    {"print elements", WT_SETTING_COUNT, AT(how.elements), "200",
     "Limit on string chars or array elements to print is %s."},
    {"print frame-arguments", WT_SETTING_ONE_OF, AT(how.arguments), "scalars all none presence",
     "Printing of non-scalar frame arguments is \"%s\"."},
    {"print inferior-events", WT_SETTING_FIXED, 0, "off", "the end of a program is shown"},
    {"print object", WT_SETTING_FIXED, 0, "off",
     "a pointer has the type that it was declared with"},
    {"print pretty", WT_SETTING_SWITCH, AT(how.pretty), NULL,
     "Pretty formatting of structures is %s."},
    {"print repeats", WT_SETTING_COUNT, AT(how.repeats), "10",
     "Threshold for repeated print elements is %s."},
    {"print static-members", WT_SETTING_FIXED, 0, "on", "a class has its static members"},
    {"print symbol", WT_SETTING_FIXED, 0, "on", "symbols of addresses are always printed"},
    {"print thread-events", WT_SETTING_FIXED, 0, "off", "'info threads' lists what there is"},
    {"print union", WT_SETTING_FIXED, 0, "on", "unions are always printed"},
    {"print vtbl", WT_SETTING_FIXED, 0, "off", "tables of virtual functions are not printed"},
    {"prompt", WT_SETTING_TEXT, AT(settings.prompt), NULL, "The prompt is \"%s\"."},
    {"scheduler-locking", WT_SETTING_ONE_OF, AT(settings.locking), "wave replay off on step",
     "Mode for locking scheduler during execution is \"%s\"."},
    {"status-line", WT_SETTING_SWITCH, AT(settings.status_line), NULL,
     "The status line of a terminal is %s."},
    {STEP_HEADERS, WT_SETTING_SWITCH, AT(settings.step_headers), NULL,
     "Steps into headers of compilers and runtimes are %s."},
    {"step-mode", WT_SETTING_FIXED, 0, "off", "'stepi' goes into functions that have no lines"},
    {"style enabled", WT_SETTING_SWITCH, AT(how.styled), NULL, "CLI output styling is %s."},
    {"trace-commands", WT_SETTING_SWITCH, AT(settings.trace_commands), NULL,
     "State of CLI command tracing is %s."},
    {"verbose", WT_SETTING_NO_EFFECT, 0, NULL, NULL},
    {"width", WT_SETTING_COUNT, AT(settings.width), "unlimited",
     "Number of characters in a line is %s."},
    {0},
};

/* Applies settings to all that depends on them. */
static void apply_settings(struct wt_shell *c)
{
    c->how.styled = c->how.styled && c->options.colour;
    c->program->locking = c->settings.locking;
    c->program->steps_in_headers = c->settings.step_headers;
    c->program->alone = c->settings.locking == WT_LOCKING_ON;
    wt_language_trace(c->owner.language, c->settings.trace_commands);
}

/* Fails for another debugger's setting, but not where a variable of its name is assigned to. */
static enum wt_status is_elsewhere(const char *kind, const char *text, struct wt_error *err)
{
    const size_t length = wt_language_word(text);
    const char *behind = wt_skip_blanks(text + length);
    if ((text[length] && behind == text + length) || (*behind && strchr("=+*%&|^.[(", *behind)))
        return WT_OK;
    return wt_language_elsewhere(kind, text, length, err);
}

/* The next run's driver reads it. */
static enum wt_status keep_options(struct wt_shell *c, struct wt_error *err)
{
    char *change = strdup(c->settings.opencl_options ? "WAVETRAP_OPENCL_OPTIONS=keep"
                                                     : "WAVETRAP_OPENCL_OPTIONS");
    return change ? wt_program_change_environment(c->program, change, err)
                  : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

enum wt_status do_set(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const char *whole = text;
    const struct wt_setting *s;
    if (take_word(&text, "var") || take_word(&text, "variable"))
        return set_value(c, text, err);
    if (take_word(&text, "substitute-path"))
        return set_substitution(c, text, err);
    if (take_word(&text, "logging"))
        return set_logging(c, text, err);
    if (strncmp(text, STEP_HEADERS " add ", sizeof STEP_HEADERS + 4) == 0)
        return wt_foreign_add(&c->program->foreign, wt_skip_blanks(text + sizeof STEP_HEADERS + 4),
                              err);
    if ((s = wt_setting_take(settings, &text, "")) != NULL) {
        enum wt_status status = wt_setting_set(s, c, text, err);
        apply_settings(c);
        if (!status && s->offset == AT(settings.opencl_options))
            status = keep_options(c, err);
        return status;
    }
    if (wt_setting_is_prefix(settings, text))
        return wt_fail(err, WT_INVALID, "set %s takes the name of a setting (see \"show %s\")",
                       text, text);
    enum wt_status status = is_elsewhere("set ", text, err);
    if (status)
        return status;
    if (take_word(&text, "print") || take_word(&text, "pr") ||
        (isalpha((unsigned char)text[1 + strspn(text + 1, " ")]) && take_word(&text, "p"))) {
        status = is_elsewhere("set print ", text, err);
        return status ? status
                      : wt_fail(err, WT_INVALID, "Undefined set print command: \"%s\".", text);
    }
    if (c->options.host && take_word(&text, "args"))
        return wt_program_set_arguments(c->program, text, err);
    if (c->options.host && (take_word(&text, "environment") || take_word(&text, "env")))
        return set_environment(c, text, err);
    if (take_word(&text, "args") || take_word(&text, "environment") || take_word(&text, "env"))
        return wt_fail(err, WT_UNSUPPORTED,
                       "the program gets its arguments when wavetrap is started (--arg, or after "
                       "PROGRAM)");
    return set_value(c, whole, err);
}

/* "with SETTING [VALUE] -- COMMAND": the setting is so for one command. */
enum wt_status do_with(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char before[200];
    const char *dashes = strstr(text, "-- ");
    const struct wt_setting *s = wt_setting_take(settings, &text, "");
    if (!s || !dashes || dashes < text || !*wt_skip_blanks(dashes + 3))
        return wt_fail(err, WT_INVALID, "with takes SETTING VALUE -- COMMAND (see \"show\")");
    char *value = strndup(text, (size_t)(dashes - text));
    if (!value)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    for (size_t end = strlen(value); end && isspace((unsigned char)value[end - 1]);)
        value[--end] = 0;
    wt_setting_put(s, c, before, sizeof before);
    enum wt_status status = wt_setting_set(s, c, value, err);
    apply_settings(c);
    free(value);
    if (!status)
        status = wt_language_execute(c->owner.language, dashes + 3, err);
    wt_setting_set(s, c, before, WT_IGNORED);
    apply_settings(c);
    return status;
}

static enum wt_status take_print_options(struct wt_shell *c, const char **text,
                                         struct wt_error *err)
{
    enum wt_status status = WT_OK;
    while (**text == '-' && !status) {
        const char *at = *text + 1;
        if (*at == '-' && isspace((unsigned char)at[1])) {
            *text = wt_skip_blanks(at + 1);
            return WT_OK;
        }
        const struct wt_setting *s = wt_setting_take(settings, &at, "print ");
        if (!s) /* a minus, or an option that is not had here */
            return wt_language_elsewhere("set print ", *text + 1, wt_language_word(*text + 1), err);
        char value[40];
        const size_t length = *at == '-' ? 0 : wt_word_length(at);
        const bool has_value = length && length < sizeof value &&
                               (s->kind != WT_SETTING_SWITCH || strncmp(at, "on", length) == 0 ||
                                strncmp(at, "off", length) == 0);
        snprintf(value, sizeof value, "%.*s", has_value ? (int)length : 0, at);
        status = wt_setting_set(s, c, value, err);
        *text = has_value ? wt_skip_blanks(at + length) : at;
    }
    return status;
}

/* Options of one print are settings that are put back. */
enum wt_status do_print(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_shell before = *c;
    enum wt_status status = take_print_options(c, &text, err);
    if (!status)
        status = print_with_format(c, text, err);
    c->how.elements = before.how.elements;
    c->how.repeats = before.how.repeats;
    c->how.pretty = before.how.pretty;
    return status;
}

static void show_convenience(struct wt_shell *c)
{
    const char *name;
    for (size_t i = 0; (name = wt_source_variable_name(c->program->source, i)) != NULL; i++) {
        char text[200];
        snprintf(text, sizeof text, "$%s", name);
        fprintf(c->out, "%s = ", text);
        if (print_expression(c, text, 0, false, WT_IGNORED) != WT_OK)
            fputs("(too large)", c->out);
        fputc('\n', c->out);
    }
}

/* The last ten of $1, $2, … */
static void show_values(struct wt_shell *c)
{
    const struct wt_view view = wt_program_view(c->program);
    struct wt_values values;
    char text[24];
    unsigned end = 1;
    for (; snprintf(text, sizeof text, "$%u", end), true; end++) {
        if (wt_source_evaluate(&view, text, &values, WT_IGNORED) != WT_OK)
            break;
        wt_values_free(&values);
    }
    for (unsigned i = end > 10 ? end - 10 : 1; i < end; i++) {
        snprintf(text, sizeof text, "$%u", i);
        fprintf(c->out, "%s = ", text);
        if (print_expression(c, text, 0, false, WT_IGNORED) != WT_OK)
            fputs("(too large)", c->out);
        fputc('\n', c->out);
    }
}

/* Folders of the code that steps pass. */
static void show_headers(struct wt_shell *c)
{
    const char *folder;
    for (size_t i = 0; (folder = wt_foreign_folder(&c->program->foreign, i)); i++)
        fprintf(c->out, "  %s\n", folder);
}

enum wt_status do_show(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_program *g = c->program;
    const char *whole = text;
    const bool all = !*text;
    const struct wt_setting *s = all ? NULL : wt_setting_take(settings, &text, "");
    unsigned shown = 0;
    for (size_t i = 0; all && settings[i].name; i++)
        if (settings[i].kind != WT_SETTING_FIXED && settings[i].kind != WT_SETTING_NO_EFFECT)
            wt_setting_show(&settings[i], c, c->out);
    if (s)
        wt_setting_show(s, c, c->out);
    if (s && s->offset == AT(settings.step_headers))
        show_headers(c);
    shown += all || s;
    if (((all && c->options.host) || take_word(&text, "args")) && ++shown)
        fprintf(c->out,
                "Argument list to give program being debugged when it is started is \"%s\".\n",
                g->arguments ? g->arguments : "");
    if (take_word(&text, "environment") && ++shown) {
        fputs(g->environment_count ? "" : "The program gets the environment of the console.\n",
              c->out);
        for (size_t i = 0; i < g->environment_count; i++)
            fprintf(c->out, strchr(g->environment[i], '=') ? "%s\n" : "%s is unset\n",
                    g->environment[i]);
    }
    if ((all || take_word(&text, "substitute-path")) && ++shown) {
        fputs("List of all source path substitution rules:\n", c->out);
        for (size_t i = 0; i < g->substitution_count; i++)
            fprintf(c->out, "  `%s' -> `%s'.\n", g->substitution[2 * i],
                    g->substitution[2 * i + 1]);
    }
    if ((all || take_word(&text, "logging")) && ++shown)
        fprintf(c->out, "Logging is %s.\n", c->log.file ? "on" : "off");
    if ((take_word(&text, "convenience") || take_word(&text, "conv")) && ++shown)
        show_convenience(c);
    if (take_word(&text, "version") && ++shown)
        fprintf(c->out, "wavetrap %s\n", WT_VERSION);
    if (take_word(&text, "values") && ++shown)
        show_values(c);
    if (take_word(&text, "user") && ++shown)
        wt_language_show(c->owner.language, text, c->out);
    if (take_word(&text, "p") || take_word(&text, "pr"))
        text = *text ? text : "print";
    for (size_t i = 0; !shown && settings[i].name; i++)
        if (strncmp(settings[i].name, text, strlen(text)) == 0 &&
            wt_setting_is_prefix(settings, text))
            wt_setting_show(&settings[i], c, c->out);
    if (shown || wt_setting_is_prefix(settings, text))
        return WT_OK;
    enum wt_status status = is_elsewhere("set ", text, err);
    if (!status && take_word(&text, "print"))
        status = is_elsewhere("set print ", text, err);
    return status
               ? status
               : wt_fail(err, WT_INVALID, "Undefined show command: \"%s\".  Try \"show\".", whole);
}

/* "init-if-undefined $NAME = EXPRESSION" */
enum wt_status do_init_if_undefined(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const size_t length = *text == '$' ? 1 + wt_language_word(text + 1) : 0;
    const char *name;
    if (length < 2 || *wt_skip_blanks(text + length) != '=')
        return wt_fail(err, WT_INVALID, "init-if-undefined takes $NAME = EXPRESSION");
    for (size_t i = 0; (name = wt_source_variable_name(c->program->source, i)) != NULL; i++)
        if (strlen(name) == length - 1 && strncmp(name, text + 1, length - 1) == 0)
            return WT_OK;
    return set_value(c, text, err);
}
