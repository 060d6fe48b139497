/* The commands set and show. */
#include <errno.h>
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

static enum wt_status set_switch(const char *text, bool *value, struct wt_error *err)
{
    if (!*text || strcmp(text, "on") == 0 || strcmp(text, "1") == 0)
        *value = true;
    else if (strcmp(text, "off") == 0 || strcmp(text, "0") == 0)
        *value = false;
    else
        return wt_fail(err, WT_INVALID, "\"on\" or \"off\" expected.");
    return WT_OK;
}

static enum wt_status set_count(const char *text, unsigned *value, struct wt_error *err)
{
    uint64_t number;
    if (strcmp(text, "unlimited") == 0)
        number = 1u << 20;
    else if (!wt_take_number(&text, &number) || *text || number > 1u << 20)
        return wt_fail(err, WT_INVALID, "a number up to 1048576 is expected, or \"unlimited\"");
    *value = (unsigned)number;
    return WT_OK;
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

static const char *const pending_words[] = {
    [PENDING_AUTO] = "auto", [PENDING_ON] = "on", [PENDING_OFF] = "off"};

static enum wt_status set_pending(struct wt_shell *c, const char *text, struct wt_error *err)
{
    for (unsigned i = PENDING_AUTO; i <= PENDING_OFF; i++)
        if (strcmp(text, pending_words[i]) == 0) {
            c->settings.pending = i;
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID, "set breakpoint pending takes \"on\", \"off\" or \"auto\"");
}

enum wt_status do_set(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const char *whole = text;
    if (take_word(&text, "var") || take_word(&text, "variable"))
        return set_value(c, text, err);
    if (take_word(&text, "substitute-path"))
        return set_substitution(c, text, err);
    if (take_word(&text, "logging"))
        return set_logging(c, text, err);
    if (take_word(&text, "confirm"))
        return set_switch(text, &c->settings.confirm, err);
    if (take_word(&text, "listsize"))
        return set_count(text, &c->settings.list_size, err);
    if (take_word(&text, "print")) {
        if (take_word(&text, "elements"))
            return set_count(text, &c->settings.print_elements, err);
        return wt_fail(err, WT_INVALID, "Undefined set print command: \"%s\".", text);
    }
    if (take_word(&text, "breakpoint") && take_word(&text, "pending"))
        return set_pending(c, text, err);
    if (take_word(&text, "status-line"))
        return set_switch(text, &c->settings.status_line, err);
    if (take_word(&text, "style")) {
        bool styled = c->settings.styled;
        if (!take_word(&text, "enabled"))
            return wt_fail(err, WT_INVALID, "set style takes \"enabled on\" or \"enabled off\"");
        const enum wt_status status = set_switch(text, &styled, err);
        c->settings.styled = styled && c->options.colour;
        return status;
    }
    /* GDB's own settings that scripts set and that have no effect here. */
    if (take_word(&text, "pagination") || take_word(&text, "height") || take_word(&text, "width"))
        return WT_OK;
    if (c->options.host && take_word(&text, "args"))
        return wt_program_set_arguments(c->program, text, err);
    if (c->options.host && (take_word(&text, "environment") || take_word(&text, "env")))
        return set_environment(c, text, err);
    if (take_word(&text, "args") || take_word(&text, "environment") || take_word(&text, "env"))
        return wt_fail(err, WT_UNSUPPORTED,
                       "the program gets its arguments when wavetrap is started (--arg, or behind "
                       "PROGRAM)");
    return set_value(c, whole, err);
}

enum wt_status do_show(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const struct wt_program *g = c->program;
    const char *whole = text;
    const bool all = !*text;
    unsigned shown = 0;
    if ((all || take_word(&text, "confirm")) && ++shown)
        fprintf(c->out, "Whether to confirm potentially dangerous operations is %s.\n",
                c->settings.confirm ? "on" : "off");
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
    if ((all || take_word(&text, "listsize")) && ++shown)
        fprintf(c->out, "Number of source lines that list shows is %u.\n", c->settings.list_size);
    if ((all || strcmp(text, "print elements") == 0) && ++shown)
        fprintf(c->out, "Limit on string chars or array elements to print is %u.\n",
                c->settings.print_elements ? c->settings.print_elements : 200);
    if ((all || strcmp(text, "breakpoint pending") == 0) && ++shown)
        fprintf(c->out, "Debugger's behavior regarding pending breakpoints is %s.\n",
                pending_words[c->settings.pending]);
    if ((all || take_word(&text, "substitute-path")) && ++shown) {
        fputs("List of all source path substitution rules:\n", c->out);
        for (size_t i = 0; i < g->substitution_count; i++)
            fprintf(c->out, "  `%s' -> `%s'.\n", g->substitution[2 * i],
                    g->substitution[2 * i + 1]);
    }
    if ((all || take_word(&text, "style")) && ++shown)
        fprintf(c->out, "CLI output styling is %s.\n", c->settings.styled ? "enabled" : "disabled");
    if ((all || take_word(&text, "status-line")) && ++shown)
        fprintf(c->out, "The status line of a terminal is %s.\n",
                c->settings.status_line ? "on" : "off");
    if ((all || take_word(&text, "logging")) && ++shown)
        fprintf(c->out, "Logging is %s.\n", c->log.file ? "on" : "off");
    return shown
               ? WT_OK
               : wt_fail(err, WT_INVALID, "Undefined show command: \"%s\".  Try \"show\".", whole);
}
