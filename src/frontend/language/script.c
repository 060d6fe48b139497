/* See language.h: scripts. Lines are executed one by one; a command that opens a block reads it
 * from where its own line came from. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "frontend/language/internal.h"

#define MOST_DEPTH 30 /* most depth of scripts that execute scripts */

struct wt_language *wt_language_new(const struct wt_language_options *options)
{
    struct wt_language *l = calloc(1, sizeof *l);
    if (l)
        l->options = *options;
    return l;
}

void wt_language_free(struct wt_language *l)
{
    for (size_t i = 0; l && i < l->count; i++) {
        free(l->defined[i].name);
        free(l->defined[i].help);
        wt_script_free(&l->defined[i].body);
    }
    free(l ? l->defined : NULL);
    free(l);
}

unsigned wt_language_depth(const struct wt_language *l)
{
    return l->depth;
}

void wt_language_trace(struct wt_language *l, bool on)
{
    l->traces = on;
}

/* ---- words that were defined ---- */

static struct defined *find_defined(const struct wt_language *l, const char *word, size_t length)
{
    for (size_t i = 0; i < l->count; i++)
        if (strlen(l->defined[i].name) == length && strncmp(l->defined[i].name, word, length) == 0)
            return &l->defined[i];
    return NULL;
}

bool wt_language_defined(const struct wt_language *l, const char *word, size_t length,
                         const char **help)
{
    const struct defined *d = find_defined(l, word, length);
    *help = d && d->help ? d->help : "User-defined.\n";
    return d != NULL;
}

void wt_language_each(const struct wt_language *l, void (*found)(void *context, const char *word),
                      void *context)
{
    for (size_t i = 0; i < l->count; i++)
        found(context, l->defined[i].name);
}

void wt_language_show(const struct wt_language *l, const char *name, FILE *out)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct defined *d = &l->defined[i];
        if (*name && strcmp(name, d->name) != 0)
            continue;
        fprintf(out, d->is_alias ? "Alias \"%s\":\n" : "User command \"%s\":\n", d->name);
        for (size_t k = 0; k < d->body.count; k++)
            fprintf(out, "  %s\n", wt_skip_blanks(d->body.line[k]));
        fputc('\n', out);
    }
}

/* The word that a definition is for, with room for it. */
static enum wt_status take_defined(struct wt_language *l, const char *text, struct defined **d,
                                   struct wt_error *err)
{
    const size_t length = wt_language_word(text);
    if (!length || !(isalpha((unsigned char)*text) || *text == '_'))
        return wt_fail(err, WT_INVALID, "the name of a command is expected, not \"%s\"", text);
    *d = find_defined(l, text, length);
    if (*d)
        return WT_OK;
    struct defined *grown =
        wt_array_grow(l->defined, &l->capacity, l->count + 1, sizeof *l->defined);
    char *name = grown ? strndup(text, length) : NULL;
    if (grown)
        l->defined = grown;
    if (!name)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a command");
    *d = &l->defined[l->count++];
    **d = (struct defined){.name = name};
    return WT_OK;
}

enum wt_status do_define(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    struct wt_script body = {0};
    struct defined *d;
    if (text[wt_language_word(text)])
        return wt_fail(err, WT_INVALID, "define takes the name of one command");
    enum wt_status status = wt_language_block(
        l, "define",
        "Type commands for the definition, one per line.\nEnd with a line saying just "
        "\"end\".\n",
        &body, err);
    if (!status)
        status = take_defined(l, text, &d, err);
    if (status) {
        wt_script_free(&body);
        return status;
    }
    wt_script_free(&d->body);
    d->body = body;
    d->is_alias = false;
    return WT_OK;
}

enum wt_status do_document(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    struct wt_script body = {0};
    struct defined *d = find_defined(l, text, strlen(text));
    char *help = NULL;
    size_t size;
    enum wt_status status =
        wt_language_block(l, "document", "Type documentation, and \"end\" after it.\n", &body, err);
    if (!status && !d)
        status = wt_fail(err, WT_INVALID, "Undefined command: \"%s\": 'define' it first.", text);
    FILE *out = status ? NULL : open_memstream(&help, &size);
    for (size_t i = 0; out && i < body.count; i++)
        fprintf(out, "%s\n", body.line[i]);
    if (out) {
        fclose(out);
        free(d->help);
        d->help = help;
    }
    wt_script_free(&body);
    return status;
}

/* "alias [--] NAME = COMMAND": the arguments of NAME are appended to the command. */
enum wt_status do_alias(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    struct defined *d;
    while (strncmp(text, "-a ", 3) == 0 || strncmp(text, "-- ", 3) == 0)
        text = wt_skip_blanks(text + 2);
    const char *is = wt_skip_blanks(text + wt_language_word(text));
    const char *command = *is == '=' ? wt_skip_blanks(is + 1) : "";
    if (!*command)
        return wt_fail(err, WT_INVALID, "alias takes NAME = COMMAND");
    char *line = strdup(command);
    enum wt_status status = line ? take_defined(l, text, &d, err)
                                 : wt_fail(err, WT_NO_MEMORY, "no host memory for an alias");
    if (status) {
        free(line);
        return status;
    }
    wt_script_free(&d->body);
    d->is_alias = true;
    return wt_script_add(&d->body, line)
               ? WT_OK
               : wt_fail(err, WT_NO_MEMORY, "no host memory for an alias");
}

/* ---- arguments of definitions ---- */

enum { MOST_ARGUMENTS = 100 };

struct script_arguments {
    const char *at[MOST_ARGUMENTS];
    size_t length[MOST_ARGUMENTS];
    unsigned count;
};

/* Words between blanks; text in quotation marks is one. */
static enum wt_status take_arguments(const char *text, struct script_arguments *a,
                                     struct wt_error *err)
{
    a->count = 0;
    for (text = wt_skip_blanks(text); *text; text = wt_skip_blanks(text)) {
        if (a->count == MOST_ARGUMENTS)
            return wt_fail(err, WT_INVALID, "a command takes %d arguments at most", MOST_ARGUMENTS);
        const char *begin = text;
        for (char quote = 0; *text && (quote || !isspace((unsigned char)*text)); text++) {
            if (*text == '\\' && text[1])
                text++;
            else if (quote && *text == quote)
                quote = 0;
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
        }
        a->at[a->count] = begin;
        a->length[a->count++] = (size_t)(text - begin);
    }
    return WT_OK;
}

/* A line with $argc, $arg0, … replaced by what they stand for. */
static char *put_arguments(const char *line, const struct script_arguments *a)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    while (out && *line) {
        char *behind;
        if (strncmp(line, "$argc", 5) == 0 && !isalnum((unsigned char)line[5]) && line[5] != '_') {
            fprintf(out, "%u", a->count);
            line += 5;
        } else if (strncmp(line, "$arg", 4) == 0 && isdigit((unsigned char)line[4])) {
            const unsigned long n = strtoul(line + 4, &behind, 10);
            if (n < a->count)
                fwrite(a->at[n], 1, a->length[n], out);
            line = behind;
        } else {
            fputc(*line++, out);
        }
    }
    if (out)
        fclose(out);
    return text;
}

static enum wt_status run_defined(struct wt_language *l, const struct defined *d, const char *rest,
                                  struct wt_error *err)
{
    struct script_arguments arguments;
    struct wt_script lines = {0};
    size_t at = 0;
    enum wt_status status = take_arguments(rest, &arguments, err);
    for (size_t i = 0; !status && i < d->body.count; i++) {
        char *line = NULL;
        if (!d->is_alias)
            line = put_arguments(d->body.line[i], &arguments);
        else if (asprintf(&line, "%s%s%s", d->body.line[i], *rest ? " " : "", rest) < 0)
            line = NULL;
        if (!wt_script_add(&lines, line))
            status = wt_fail(err, WT_NO_MEMORY, "no host memory for a command");
    }
    if (!status)
        status = wt_language_lines(l, lines.line, lines.count, &at, err);
    wt_script_free(&lines);
    return status;
}

/* ---- execution ---- */

enum wt_status wt_language_execute(struct wt_language *l, const char *line, struct wt_error *err)
{
    const char *text = wt_skip_blanks(line);
    bool ambiguous = false;
    if (!*text || *text == '#')
        return WT_OK;
    if (l->traces)
        fprintf(*l->options.out, "%.*s%s\n", (int)(l->depth < MOST_DEPTH ? l->depth + 1 : 1),
                "++++++++++++++++++++++++++++++++", text);
    const size_t length = wt_language_word(text);
    const struct defined *d = find_defined(l, text, length);
    if (d)
        return run_defined(l, d, wt_skip_blanks(text + length), err);
    const struct wt_command *command =
        length ? wt_language_find(l->options.commands, text, length, &ambiguous) : NULL;
    if (!command)
        return length
                   ? wt_language_not_found(l->options.commands, "", text, length, ambiguous, err)
                   : wt_fail(err, WT_INVALID, "Undefined command: \"%.20s\".  Try \"help\".", text);
    char *arguments = strdup(wt_skip_blanks(text + length));
    if (!arguments)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a command");
    size_t end = strlen(arguments);
    while (end && isspace((unsigned char)arguments[end - 1]) && command->completes != 'T')
        arguments[--end] = 0;
    const enum wt_status status = l->options.run(l->options.shell, command, arguments, err);
    free(arguments);
    return status;
}

enum wt_status wt_language_lines(struct wt_language *l, char *const *line, size_t count, size_t *at,
                                 struct wt_error *err)
{
    const struct source before = l->source;
    enum wt_status status = WT_OK;
    if (l->depth >= MOST_DEPTH)
        return wt_fail(err, WT_INVALID, "scripts call each other without end");
    l->depth++;
    l->source = (struct source){line, count, 0};
    while (l->source.next < count && !status && !l->flow && !l->options.ends(l->options.shell)) {
        *at = l->source.next + 1;
        const struct source here = l->source;
        l->source.next++;
        status = wt_language_execute(l, here.line[here.next], err);
        if (!status)
            status = l->options.after(l->options.shell, err);
    }
    l->source = before;
    l->depth--;
    return status;
}

enum wt_status wt_language_source(struct wt_language *l, const char *path, struct wt_error *err)
{
    FILE *file = fopen(path, "re");
    struct wt_script lines = {0};
    char *text = NULL;
    size_t room = 0, at = 0;
    enum wt_status status = WT_OK;
    if (!file)
        return wt_fail(err, WT_IO, "%s: %s", path, strerror(errno));
    for (ssize_t length; !status && (length = getline(&text, &room, file)) >= 0;) {
        while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
            text[--length] = 0;
        if (!wt_script_add(&lines, strdup(text)))
            status = wt_fail(err, WT_NO_MEMORY, "no host memory for %s", path);
    }
    free(text);
    fclose(file);
    if (!status && (status = wt_language_lines(l, lines.line, lines.count, &at, err)) != WT_OK)
        wt_fail_in(err, "%s:%zu", path, at);
    wt_script_free(&lines);
    return status;
}

enum wt_status do_source(struct wt_shell *c, const char *text, struct wt_error *err)
{
    if (!*text)
        return wt_fail(err, WT_INVALID, "source command requires file name of file to source.");
    return wt_language_source(wt_shell_language(c), text, err);
}

/* ---- blocks ---- */

/* The effect of a line on the blocks that are open: 1 opens one, -1 ends one. */
static int opens(const struct wt_language *l, const char *line)
{
    bool ambiguous;
    const char *word = wt_skip_blanks(line);
    const size_t length = wt_language_word(word);
    if (length == 3 && strncmp(word, "end", 3) == 0)
        return -1;
    const struct wt_command *command =
        length && !find_defined(l, word, length)
            ? wt_language_find(l->options.commands, word, length, &ambiguous)
            : NULL;
    return command && (command->completes == 'B' || command->completes == 'E');
}

static bool next_line(struct wt_language *l, char **line)
{
    struct source *s = &l->source;
    if (!l->depth)
        return l->options.read_line(l->options.shell, line);
    if (s->next == s->count)
        return false;
    *line = strdup(s->line[s->next++]);
    return *line != NULL;
}

enum wt_status wt_language_block(struct wt_language *l, const char *what, const char *told,
                                 struct wt_script *block, struct wt_error *err)
{
    char *line;
    int depth = 1;
    if (!l->depth && !l->options.can_read(l->options.shell))
        return wt_fail(err, WT_STATE, "%s takes lines up to 'end': there are none here", what);
    if (!l->depth && told) {
        fputs(told, *l->options.out);
        fflush(*l->options.out);
    }
    while (next_line(l, &line)) {
        depth += opens(l, line);
        if (!depth) {
            free(line);
            return WT_OK;
        }
        if (!wt_script_add(block, line))
            return wt_fail(err, WT_NO_MEMORY, "no host memory for the lines of %s", what);
    }
    return wt_fail(err, WT_INVALID, "%s has no 'end'", what);
}

/* The line of a block that says "else", outside of the blocks in it; their count: none does. */
static size_t find_else(const struct wt_language *l, const struct wt_script *block)
{
    int depth = 0;
    for (size_t i = 0; i < block->count; i++) {
        const char *word = wt_skip_blanks(block->line[i]);
        if (!depth && wt_language_word(word) == 4 && strncmp(word, "else", 4) == 0)
            return i;
        depth += opens(l, block->line[i]);
    }
    return block->count;
}

enum wt_status do_if(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    struct wt_script block = {0};
    bool holds = false;
    size_t at;
    enum wt_status status = *text
                                ? wt_language_block(l, "if", NULL, &block, err)
                                : wt_fail(err, WT_INVALID, "if/while commands require arguments.");
    const size_t middle = status ? 0 : find_else(l, &block);
    if (!status)
        status = l->options.holds(c, text, &holds, err);
    if (!status && holds)
        status = wt_language_lines(l, block.line, middle, &at, err);
    else if (!status && middle < block.count)
        status = wt_language_lines(l, block.line + middle + 1, block.count - middle - 1, &at, err);
    wt_script_free(&block);
    return status;
}

enum wt_status do_while(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    struct wt_script block = {0};
    bool holds = false;
    size_t at;
    enum wt_status status = *text
                                ? wt_language_block(l, "while", NULL, &block, err)
                                : wt_fail(err, WT_INVALID, "if/while commands require arguments.");
    l->loops++;
    while (!status && (status = l->options.holds(c, text, &holds, err)) == WT_OK && holds) {
        status = wt_language_lines(l, block.line, block.count, &at, err);
        const bool leaves = l->flow == LEAVES;
        l->flow = GOES_ON;
        if (leaves || l->options.ends(c))
            break;
        if (!status && l->options.interrupted(c))
            status = wt_fail(err, WT_STATE, "Interrupted.");
    }
    l->loops--;
    wt_script_free(&block);
    return status;
}

static enum wt_status leave(struct wt_shell *c, enum flow flow, const char *what,
                            struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    if (!l->loops)
        return wt_fail(err, WT_INVALID, "%s is for the lines of 'while'", what);
    l->flow = flow;
    return WT_OK;
}

enum wt_status do_loop_break(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return leave(c, LEAVES, "loop_break", err);
}

enum wt_status do_loop_continue(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return leave(c, NEXT_TURN, "loop_continue", err);
}
