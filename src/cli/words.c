/* Command lines that repeat a run by another command. See cli.h. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

void cli_print_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fprintf(out, " %s", word);
        return;
    }
    fputs(" '", out);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputc('\'', out);
}

/* A word of a command line that is looked for among options. */
struct page_word {
    const char *word;
    bool is_runs;  /* it says what is run, and how it is checked */
    bool has_next; /* the next word is its argument */
};

static void see_option(void *context, const struct wt_option *option)
{
    static const char *const runs[] = {"gpu", "memory", "schedule", "fill", "no-jit"};
    struct page_word *w = context;
    const size_t length = strlen(option->name);
    const bool is_short = option->letter && w->word[0] == '-' && w->word[1] == option->letter;
    const char *after = is_short ? w->word + 2 : w->word + 2 + length;
    if (!is_short && (strncmp(w->word, "--", 2) != 0 ||
                      strncmp(w->word + 2, option->name, length) != 0 || (*after && *after != '=')))
        return;
    w->is_runs = strncmp(option->name, "check", 5) == 0;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++)
        w->is_runs |= strcmp(option->name, runs[i]) == 0;
    w->has_next = option->argument && *option->argument != '[' && !*after;
}

/* The words of options that say what is run, and how it is checked; their number. */
static size_t take_options(const struct wt_subcommand *command, int operand, char **argv,
                           char **words)
{
    size_t count = 0;
    for (int i = 1; i < operand; i++) {
        struct page_word w = {.word = argv[i]};
        wt_subcommand_each_option(command, see_option, &w);
        for (int k = 0; w.is_runs && k <= w.has_next; k++)
            words[count++] = argv[i + k];
        i += w.has_next;
    }
    return count;
}

/* Words as text. */
static char *text_of(const char *first, char **words, size_t count)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(first, out);
    for (size_t i = 0; i < count; i++)
        cli_print_word(out, words[i]);
    fclose(out);
    return text;
}

struct cli_again cli_debug_again(const struct wt_subcommand *command, int argc, char **argv,
                                 int operand)
{
    char **words = calloc((size_t)argc, sizeof *words);
    struct cli_again again = {NULL, NULL};
    if (!words)
        return again;
    const size_t count = take_options(command, operand, argv, words);
    again.before = text_of("wavetrap debug", words, count);
    again.after = text_of("", argv + operand, (size_t)(argc - operand));
    free(words);
    return again;
}

char **cli_view_page_words(const char *page, const struct wt_subcommand *command, int argc,
                           char **argv, int operand)
{
    const char *colon = strrchr(page, ':');
    const bool has_number = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
    static char program[] = "wavetrap", view[] = "view", end[] = "--";
    char **words = calloc((size_t)argc + 6, sizeof *words);
    size_t count = 4;
    if (!words ||
        asprintf(&words[2], "--export=%.*s", has_number ? (int)(colon - page) : INT_MAX, page) <
            0 ||
        asprintf(&words[3], "--finding=%s", has_number ? colon + 1 : "1") < 0)
        return NULL;
    words[0] = program;
    words[1] = view;
    count += take_options(command, operand, argv, words + count);
    words[count++] = end;
    for (int i = operand; i < argc; i++)
        words[count++] = argv[i];
    return words;
}
