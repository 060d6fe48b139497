/* The words that name what is debugged: the options of `wavetrap debug`. See debuggee.h. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/listen.h"
#include "base/text.h"
#include "session/debuggee.h"
#include "session/kernel.h"
#include "session/program_socket.h"

static enum wt_status add_order(struct wt_debuggee *d, const char *text, bool is_file,
                                struct wt_error *err)
{
    struct wt_session_order *grown =
        wt_array_grow(d->order, &d->order_capacity, d->order_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a command");
    d->order = grown;
    grown[d->order_count++] = (struct wt_session_order){text, is_file};
    return WT_OK;
}

static enum wt_status set_ex(void *context, const char *value, struct wt_error *err)
{
    return add_order(context, value, false, err);
}

static enum wt_status set_file(void *context, const char *value, struct wt_error *err)
{
    return add_order(context, value, true, err);
}

enum wt_status wt_debuggee_set_socket(void *context, const char *value, struct wt_error *err)
{
    ((struct wt_debuggee *)context)->socket = value;
    return wt_session_check_socket(value, err);
}

enum wt_status wt_debuggee_set_pid(void *context, const char *value, struct wt_error *err)
{
    uint64_t pid;
    if (wt_parse_number(value, &pid, err) != WT_OK || pid == 0 || pid > INT32_MAX)
        return wt_fail(err, WT_INVALID, "--pid takes a process id; 'wavetrap ps' lists them");
    ((struct wt_debuggee *)context)->pid = (int)pid;
    return WT_OK;
}

/* As in GDB, "PROGRAM CORE" is a core file, and its program. */
static void take_core_argument(struct wt_debuggee *d)
{
    char magic[8] = "";
    if (d->core_path || !d->program || !d->arguments[0] || d->arguments[1])
        return;
    FILE *file = fopen(d->arguments[0], "rb");
    if (file && fread(magic, 1, 8, file) == 8 && memcmp(magic, "\x89WTCORE\n", 8) == 0) {
        d->core_path = d->arguments[0];
        d->arguments++;
    }
    if (file)
        fclose(file);
}

static enum wt_status set_view(void *context, const char *value, struct wt_error *err)
{
    ((struct wt_debuggee *)context)->page = value ? value : WT_LISTEN_ANYWHERE;
    return WT_OK;
}

const struct wt_option wt_debuggee_options[] = {
    WT_KERNEL_OPTIONS,
    WT_ATTACHED_OPTIONS,
    {"ex", 0, "COMMAND", "execute a command (also -ex); may be given several times",
     WT_OPTION_SET(set_ex)},
    {"command", 'x', "FILE", "execute the commands of a file", WT_OPTION_SET(set_file)},
    {"batch", 0, NULL,
     "no prompt: leave after the commands, with the program's status,\n"
     "or 1 at the first command that failed; without --ex and --command\n"
     "the commands are those of stdin, if it is not a terminal",
     WT_OPTION_FLAG(struct wt_debuggee, batch)},
    {"report", 0, "json:FILE",
     "write stops, values, faults and the exit as JSON, an object a line, to\n"
     "FILE, too; may be given several times",
     WT_OPTION_SET(wt_session_set_report)},
    WT_CHECK_OPTIONS(struct wt_debuggee, drive.check),
    WT_PROFILE_OPTIONS(struct wt_session_drive, profile),
    WT_DEBUGGED_OPTIONS,
    {"view", 0, "[=PORT]",
     "show the session's lanes in a browser, too: docs/view.md; the page's\n"
     "address is printed",
     WT_OPTION_SET(set_view)},
    {"nx", 0, NULL,
     "read no init file: neither ~/.config/wavetrap/debugrc nor\n"
     "the working folder's .wavetrap/debugrc",
     WT_OPTION_FLAG(struct wt_debuggee, no_init)},
    {"trust", 0, NULL, "trust the working folder's .wavetrap/debugrc, now and later",
     WT_OPTION_FLAG(struct wt_debuggee, trust)},
    {0},
};

/* GDB's spelling of options: one dash before a long name; --args before the program. */
static char *spelled(char *word)
{
    static const char *const pairs[][2] = {
        {"-ex", "--ex"},     {"-x", "--command"},        {"-batch", "--batch"}, {"-nx", "--nx"},
        {"-core", "--core"}, {"--command", "--command"}, {"-args", "--"},       {"--args", "--"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(word, pairs[i][0]) == 0)
            return (char *)(uintptr_t)pairs[i][1];
    return word;
}

int wt_debuggee_parse(const struct wt_subcommand *command, int argc, char **argv,
                      struct wt_debuggee *d, struct wt_error *err)
{
    d->words = calloc((size_t)argc + 1, sizeof(char *));
    if (!d->words) {
        wt_fail(err, WT_NO_MEMORY, "no host memory");
        return WT_EXIT_FAILED;
    }
    for (int i = 0; i < argc; i++)
        d->words[i] = spelled(argv[i]);
    const int status =
        wt_subcommand_parse_words(command, argc, d->words, d, &d->drive.options, 0, true, err);
    if (status != WT_SUBCOMMAND_GO)
        return status;
    for (int i = optind; i < argc; i++)
        d->words[i] = argv[i]; /* the program's own */
    d->program = d->words[optind];
    d->arguments = d->words + optind + (d->program != NULL);
    take_core_argument(d);
    return WT_SUBCOMMAND_GO;
}

enum wt_status wt_debuggee_take_words(struct wt_debuggee *d, int count, char **words,
                                      struct wt_error *err)
{
    static const struct wt_subcommand debug = {WT_DEBUGGEE_WORDS};
    const int answer = wt_debuggee_parse(&debug, count, words, d, err);
    if (answer == WT_SUBCOMMAND_GO)
        return WT_OK;
    return answer == WT_EXIT_FAILED
               ? WT_INVALID
               : wt_fail(err, WT_INVALID, "the options ask for help, not for a session");
}

void wt_debuggee_free(struct wt_debuggee *d)
{
    free(d->words);
    free(d->order);
    wt_session_drive_free(&d->drive);
}
