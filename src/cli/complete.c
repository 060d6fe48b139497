/*
 * `wavetrap complete WORD…`: what the last word may become, for the completion of shells
 * (scripts/completion). Each line is a whole word, a tab and a text; a word that ends in '=', ':'
 * or ',' wants more. The shells offer files where nothing is printed.
 */
#include <stdio.h>
#include <string.h>

#include "cli/complete.h"
#include "emulator/machine/config.h"
#include "target/family.h"

/* The typed text, and the part before the part of it that is completed. */
struct completion {
    const char *typed;
    int kept; /* bytes of @p typed; not 0 for the value of an option */
    int list; /* where a list of words begins in @p typed; @p kept: there is none, or it is empty */
};

/* Whether the list that is typed has @p word. */
static bool is_typed(const struct completion *c, const char *word)
{
    const size_t length = strlen(word);
    for (int at = c->list; at < c->kept; at += (int)strcspn(c->typed + at, ",") + 1)
        if (strncmp(c->typed + at, word, length) == 0 && c->typed[at + (int)length] == ',')
            return true;
    return false;
}

/* Offers @p word; @p text: its first clause is shown. */
static void offer(const struct completion *c, const char *word, const char *text)
{
    if (strncmp(word, c->typed + c->kept, strlen(c->typed + c->kept)) != 0 || is_typed(c, word))
        return;
    printf("%.*s%s\t", c->kept, c->typed, word);
    for (; *text && *text != ';' && strncmp(text, " (", 2) != 0; text++)
        if ((*text == '.' && (!text[1] || strchr(" \n", text[1]))) || strncmp(text, ":\n", 2) == 0)
            break;
        else {
            putchar(*text == '\n' ? ' ' : *text);
            text += *text == '\n' ? strspn(text + 1, " ") : 0;
        }
    putchar('\n');
}

/* Moves the part that is completed past the last of these characters, which are between words. */
static void keep_to(struct completion *c, const char *ends)
{
    c->list = c->kept;
    for (const char *at = c->typed + c->kept; *at; at++)
        if (strchr(ends, *at))
            c->kept = (int)(at + 1 - c->typed);
}

/* ---- values of options ---- */

/* Options whose values are words: "WORD\tTEXT\n"…; a list of them takes commas. */
static const struct {
    const char *option, *words;
    bool list;
} values[] = {
    {"check",
#define CHECK_OF_CALLS(ID, name, includes, all, help, ...) #name "\t" help "\n"
#define CHECK_OF_MACHINE(ID, name, includes, all, help, ...) #name "\t" help "\n"
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
     "all\tall but advice\n", true},
    {"check-init", "copy\twhat is copied to the host, too\nload\teach load, too\n", false},
    {"check-lanes", "lockstep\tlanes of a wave do not race\nindependent\tlanes of a wave race\n",
     false},
    {"check-warnings", "error\twarnings are errors\n", false},
    {"core-history", "all\tthe whole run of the kernel\n", false},
    {"fill", "zero\tall bits 0\nrandom:\ta seed\n", false},
    {"gdb-threads",
     "auto\tlanes up to 1,024 of them\nlanes\ta thread is a lane\nwarps\ta thread is a warp\n",
     false},
    {"profile", "json:\ta file\nlcov:\ta file\n", false},
    {"progress", "auto\tif stderr is a terminal\nalways\tin files, too\n", false},
    {"code-cache", "on\tkeep made code\noff\tkeep nothing\nclear\tempty it first\n", false},
    {"report", "json:\tall, an object a line\nsarif:\tfindings\njunit:\tfindings\n", false},
    {"schedule",
     "rr:\tissues of a turn\nlockstep\tall waves in turn\nrandom:\ta seed\nfile:\ta list\n", false},
};

static void offer_words(struct completion *c, const char *words, bool list)
{
    if (list)
        keep_to(c, ",");
    while (*words) {
        char word[80], text[200];
        const size_t length = strcspn(words, "\t"), end = strcspn(words, "\n");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        snprintf(text, sizeof text, "%.*s", (int)(end - length - 1), words + length + 1);
        offer(c, word, text);
        words += end + 1;
    }
}

static void offer_exceptions(struct completion *c)
{
    const char *name;
    keep_to(c, ",");
    for (const struct wt_family *const *f = wt_families; *f; f++)
        for (unsigned i = 0; (*f)->debug.exception_name && (name = (*f)->debug.exception_name(i));
             i++)
            offer(c, name, "an exception of a kernel");
    offer(c, "all", "all of them");
}

/* The models of a family, and whether one has the family's own name. */
struct offered_models {
    const struct completion *completion;
    const char *family;
    bool named;
};

static void offer_model(void *context, const char *name, const char *about, const char *keys)
{
    struct offered_models *m = context;
    (void)keys;
    m->named |= strcmp(name, m->family) == 0;
    offer(m->completion, name, about);
}

/* The keys of the family that is typed. */
static void offer_keys(struct completion *c)
{
    struct wt_gpu gpu = {0};
    struct wt_error err;
    char name[64], key[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(c->typed + c->kept, ":"), c->typed + c->kept);
    keep_to(c, ":,");
    if (wt_gpu_choose(&gpu, name, &err) == WT_OK)
        for (unsigned i = 0; i < gpu.family->config.table->count; i++) {
            const struct wt_config_key *k = &gpu.family->config.table->keys[i];
            snprintf(key, sizeof key, "%s=", k->name);
            offer(c, key, k->about);
        }
    wt_gpu_free(&gpu);
}

static void offer_gpus(struct completion *c)
{
    if (strchr(c->typed + c->kept, ':')) {
        offer_keys(c);
        return;
    }
    offer(c, "help", "list the keys of all families");
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        struct offered_models m = {.completion = c, .family = (*f)->name};
        if ((*f)->models)
            (*f)->models(offer_model, &m);
        if (!m.named || (*f)->alias)
            offer(c, m.named ? (*f)->alias : m.family, "a family of GPUs");
    }
}

static void offer_values(struct completion *c, const char *option)
{
    if (strcmp(option, "gpu") == 0)
        offer_gpus(c);
    else if (strcmp(option, "catch") == 0)
        offer_exceptions(c);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strcmp(option, values[i].option) == 0)
            offer_words(c, values[i].words, values[i].list);
}

/* ---- commands and options ---- */

static void offer_commands(const struct completion *c, const struct wt_subcommand *const *commands)
{
    for (; *commands; commands++)
        offer(c, (*commands)->name, (*commands)->summary);
}

static void offer_option(void *context, const struct wt_option *o)
{
    char word[80];
    snprintf(word, sizeof word, "--%s%s", o->name, o->argument && *o->argument != '[' ? "=" : "");
    offer(context, word, o->help);
}

/* Sees the option of a name or a letter, of which it keeps the row. */
struct wanted_option {
    const char *name;
    char letter;
    const struct wt_option *found;
};

static void compare_option(void *context, const struct wt_option *o)
{
    struct wanted_option *w = context;
    if (w->letter ? o->letter == w->letter : strcmp(o->name, w->name) == 0)
        w->found = o;
}

/* The option whose value the last of @p count words is, and how much of the word is the option. */
static const char *option_of_value(const struct wt_subcommand *command, int count, char **words,
                                   struct completion *c)
{
    char name[80] = "";
    struct wanted_option wanted = {.name = name};
    const char *equals = strchr(c->typed, '=');
    const char *before = count > 1 ? words[count - 2] : "";
    if (strncmp(c->typed, "--", 2) == 0 && equals) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - c->typed - 2), c->typed + 2);
        c->kept = (int)(equals + 1 - c->typed);
    } else if (strncmp(before, "--", 2) == 0) {
        snprintf(name, sizeof name, "%s", before + 2);
    } else if (before[0] == '-' && before[1] && !before[2]) {
        wanted.letter = before[1];
    }
    wt_subcommand_each_option(command, compare_option, &wanted);
    return wanted.found && (equals || (wanted.found->argument && *wanted.found->argument != '['))
               ? wanted.found->name
               : NULL;
}

static void offer_of_command(const struct wt_subcommand *command, int count, char **words,
                             struct completion *c)
{
    const char *option = option_of_value(command, count, words, c);
    if (option)
        offer_values(c, option);
    else if (c->typed[0] == '-' && !c->kept)
        wt_subcommand_each_option(command, offer_option, c);
}

int cli_complete(const struct wt_subcommand *const *commands, int count, char **words)
{
    struct completion c = {.typed = count ? words[count - 1] : ""};
    if (count < 2) {
        offer_commands(&c, commands);
        offer(&c, "help", "Prints the help of a command.");
        offer(&c, "--help", "print this");
        offer(&c, "--version", "print the version");
        return 0;
    }
    if (count == 2 && strcmp(words[0], "help") == 0)
        offer_commands(&c, commands);
    for (; *commands; commands++)
        if (strcmp((*commands)->name, words[0]) == 0) {
            const bool dm = *commands == &cli_dm;
            if (dm && count == 2)
                offer(&c, "check", cli_dm_check.summary);
            offer_of_command(dm && strcmp(words[1], "check") == 0 ? &cli_dm_check : *commands,
                             count, words, &c);
        }
    return 0;
}
