/* `wavetrap debug`: the source-level debugger, at a terminal or by a script. */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/debug.h"
#include "cli/exec_file.h"
#include "cli/init_file.h"
#include "cli/kernel.h"
#include "cli/report.h"
#include "cli/program_socket.h"

/* ---- options ---- */

static enum wt_status add_order(struct cli_console *d, const char *text, bool is_file,
                                struct wt_error *err)
{
    struct cli_order *grown =
        wt_array_grow(d->order, &d->order_capacity, d->order_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a command");
    d->order = grown;
    grown[d->order_count++] = (struct cli_order){text, is_file};
    return WT_OK;
}

static struct cli_check *check_of(void *context)
{
    return &((struct cli_console *)context)->drive.check;
}
CLI_CHECK_SETTERS(set_, check_of)

static enum wt_status set_ex(void *context, const char *value, struct wt_error *err)
{
    return add_order(context, value, false, err);
}

static enum wt_status set_file(void *context, const char *value, struct wt_error *err)
{
    return add_order(context, value, true, err);
}

enum wt_status cli_debug_set_socket(void *context, const char *value, struct wt_error *err)
{
    ((struct cli_console *)context)->socket = value;
    return cli_check_program_socket(value, err);
}

enum wt_status cli_debug_set_pid(void *context, const char *value, struct wt_error *err)
{
    uint64_t pid;
    if (wt_parse_number(value, &pid, err) != WT_OK || pid == 0 || pid > INT32_MAX)
        return wt_fail(err, WT_INVALID, "--pid takes a process id; 'wavetrap ps' lists them");
    ((struct cli_console *)context)->pid = (int)pid;
    return WT_OK;
}

/* As in GDB, "PROGRAM CORE" is a core file, and its program. */
static void take_core_argument(struct cli_console *d)
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
    ((struct cli_console *)context)->page = value ? value : CLI_PAGES_ANYWHERE;
    return WT_OK;
}

/* ---- running commands ---- */

/* Executes one command, or a file of them; failures are reported on stderr. */
static enum wt_status execute(struct cli_console *d, const struct cli_order *order)
{
    struct wt_error err;
    enum wt_status status = order->is_file ? wt_shell_source(d->console, order->text, &err)
                                           : wt_shell_execute(d->console, order->text, &err);
    fflush(stdout);
    if (!status)
        return status;
    struct wt_report_object o;
    wt_report_begin(&o, d->drive.report, "error");
    wt_report_text(&o, "command", order->text);
    wt_report_text(&o, "text", err.text);
    wt_report_end(&o);
    if (order->is_file)
        fprintf(stderr, "wavetrap: %s\n", err.text);
    else
        fprintf(stderr, "wavetrap: -ex '%s': %s\n", order->text, err.text);
    return status;
}

/* The exit status of a program that has ended; 0 if it has not. */
static int program_status(struct cli_console *d)
{
    struct wt_shell_end end;
    wt_shell_program(d->console, &end);
    if (end.faulted && !d->host)
        return cli_fault_status((enum wt_fault_kind)end.fault);
    return end.exited ? cli_word_status(end.word) : 0;
}

/* A failure in a script does not keep the console from being opened. */
static void read_init_files(struct cli_console *d)
{
    static enum wt_status (*const find[])(char **path, struct wt_error *err) = {
        cli_user_init_file, cli_project_init_file};
    struct wt_error err;
    char *path;
    for (size_t i = 0; i < sizeof find / sizeof *find && !d->no_init; i++) {
        if (find[i](&path, &err))
            fprintf(stderr, "wavetrap: %s\n", err.text);
        else if (path)
            execute(d, &(struct cli_order){path, true});
        free(path);
    }
}

/* Serves requests of pages while a line is waited for. */
static struct wt_session *serve_pages(void *context, bool *printed)
{
    struct cli_console *d = context;
    *printed = cli_pages_serve(d->pages);
    if (*printed) {
        wt_shell_execute(d->console, "frame", WT_IGNORED);
        fflush(stdout);
    }
    return d->session;
}

static enum cli_input read_command(struct cli_console *d, char **line)
{
    char status[256] = "";
    if (d->pages)
        cli_pages_follow(d->pages);
    if (d->screen.can)
        wt_shell_status(d->console, status, sizeof status);
    cli_screen_status(&d->screen, status);
    d->reads = true;
    cli_interrupts_hold(d->signals, true); /* a question that is being asked comes first */
    cli_interrupts_hold(d->signals, false);
    const enum cli_input input = cli_terminal_read(d->terminal, d->session, NULL, line);
    d->reads = false;
    return input;
}

/* Reads lines from the user, or from a file at standard input. */
static void converse(struct cli_console *d)
{
    enum cli_input input = CLI_INPUT_LINE;
    char *line;
    int status;
    cli_debug_was_interrupted(d); /* not meant for what comes */
    while (input != CLI_INPUT_END && !wt_shell_has_quit(d->console, &status)) {
        input = read_command(d, &line);
        if (input == CLI_INPUT_CANCELLED && !d->ended_by &&
            cli_debug_ask(d, cli_debug_quit_question(d)))
            wt_shell_abandon(d->console);
        d->interrupts = 0;
        if (input != CLI_INPUT_LINE)
            continue;
        struct wt_error err;
        if (wt_shell_execute(d->console, line, &err) && !wt_shell_has_quit(d->console, &status)) {
            fflush(stdout);
            fprintf(stderr, "%s\n", err.text);
        }
        if (!d->interrupts)
            cli_debug_was_interrupted(
                d); /* while the command ended: the next line is not to be discarded */
        free(line);
    }
}

/* Reports the findings of --check; returns an exit status. */
static int report_findings(struct cli_console *d, bool is_host)
{
    if (!is_host)
        return cli_check_end(&cli_debug, &d->drive.check, &d->device, d->drive.report);
    return d->drive.profile.has_file
               ? cli_check_report(&cli_debug, &d->drive.check, d->drive.profile.file, NULL,
                                  d->drive.report)
               : 0;
}

/* Shows where a core file or a device elsewhere stands; goes to a program that runs. */
static enum wt_status show_beginning(struct cli_console *d, struct wt_error *err)
{
    char attach[200];
    if (d->core_file && !d->batch)
        printf("Core file %s of %s\n", d->core_path, *d->program ? d->program : "no program");
    if (d->core_file)
        return wt_shell_post_mortem(d->console, wt_core_file_reason(d->core_file), err);
    if (cli_debug_is_attached(d))
        wt_shell_show_attached(d->console);
    if (d->socket)
        snprintf(attach, sizeof attach, "attach %s", d->socket);
    else
        snprintf(attach, sizeof attach, "attach %d", d->pid);
    return cli_debug_runs_already(d) ? wt_shell_execute(d->console, attach, err) : WT_OK;
}

static void close_console(struct cli_console *d)
{
    cli_screen_close(&d->screen);
    cli_terminal_close(d->terminal);
    d->terminal = NULL;
    cli_debug_close(d);
    cli_pages_close(d->pages);
    d->pages = NULL;
}

static const struct cli_front front = {.services = cli_debug_services,
                                       .watch = cli_debug_watch_signals,
                                       .program = cli_debug_put_program,
                                       .agent = cli_debug_put_agent};

static int run_debugger(struct cli_console *d)
{
    struct wt_error err;
    int status = 0, quit;
    bool failed = false;
    const struct cli_pages_counts counts = {cli_debug_counts, d};
    if (!d->batch)
        cli_screen_open(&d->screen);
    if ((d->page && cli_pages_open("debug", d->page, &counts, &d->pages, &err)) ||
        cli_debug_open(d, &err) || show_beginning(d, &err)) {
        status = cli_fail(&cli_debug, &err);
        close_console(d);
        return status;
    }
    read_init_files(d);
    for (size_t i = 0; i < d->order_count && !wt_shell_has_quit(d->console, &quit); i++) {
        if (execute(d, &d->order[i]) && d->batch) {
            failed = true;
            break;
        }
    }
    if (!d->batch && !wt_shell_has_quit(d->console, &quit)) {
        d->terminal = cli_terminal_open(d->console, d->no_init || !isatty(STDIN_FILENO) ||
                                                            !isatty(STDOUT_FILENO)
                                                        ? NULL
                                                        : cli_history_file());
        if (d->terminal && d->pages)
            cli_terminal_serve(d->terminal, serve_pages, d);
        if (d->terminal)
            converse(d);
    }
    wt_shell_has_quit(d->console, &quit);
    status = failed ? 1 : quit >= 0 ? quit : d->batch ? program_status(d) : 0;
    if (cli_debug_is_attached(d) && wt_shell_let_go(d->console, &err)) {
        const int lost = cli_fail(&cli_debug, &err);
        status = status ? status : lost;
    }
    const bool is_host = d->host;
    if (is_host) /* then the counts are complete with the program's end */
        close_console(d);
    const int counted = cli_profile_report(&cli_debug, &d->drive.profile,
                                           is_host ? NULL : &d->device, d->drive.report);
    const int checked = report_findings(d, is_host);
    if (!is_host)
        close_console(d);
    status = status ? status : checked ? checked : counted;
    return d->ended_by ? CLI_SIGNAL + d->ended_by : status;
}

/* GDB's spelling of options: one dash before a long name. */
static char *spelled(char *word)
{
    static const char *const pairs[][2] = {{"-ex", "--ex"},       {"-x", "--command"},
                                           {"-batch", "--batch"}, {"-nx", "--nx"},
                                           {"-core", "--core"},   {"--command", "--command"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (strcmp(word, pairs[i][0]) == 0)
            return (char *)(uintptr_t)pairs[i][1];
    return word;
}

static enum wt_status trust_project(void)
{
    struct wt_error err;
    char *path;
    enum wt_status status = cli_trust_project(&path, &err);
    if (status)
        cli_fail(&cli_debug, &err);
    else
        fprintf(stderr, "wavetrap: %s is trusted from now on\n", path);
    free(path);
    return status;
}

int cli_debug_parse(const struct cli_command *command, int argc, char **argv, struct cli_console *d,
                    struct wt_error *err)
{
    d->words = calloc((size_t)argc + 1, sizeof(char *));
    if (!d->words) {
        wt_fail(err, WT_NO_MEMORY, "no host memory");
        return CLI_FAILED;
    }
    for (int i = 0; i < argc; i++)
        d->words[i] = spelled(argv[i]);
    const int status = cli_parse_words(command, argc, d->words, d, &d->drive.options, 0, true, err);
    if (status != CLI_GO)
        return status;
    d->program = d->words[optind];
    d->arguments = d->words + optind + (d->program != NULL);
    take_core_argument(d);
    return CLI_GO;
}

enum wt_status cli_debug_take_words(struct cli_console *d, int count, char **words,
                                    struct wt_error *err)
{
    const int answer = cli_debug_parse(&cli_debug, count, words, d, err);
    if (answer == CLI_GO)
        return WT_OK;
    return answer == CLI_FAILED
               ? WT_INVALID
               : wt_fail(err, WT_INVALID, "the options ask for help, not for a session");
}

void cli_debug_free(struct cli_console *d)
{
    free(d->words);
    free(d->order);
    cli_drive_free(&d->drive);
}

static int refuse_view(void)
{
    struct wt_error err;
    wt_fail(&err, WT_INVALID,
            "--view shows a session while it waits for commands: it is not for --batch; 'wavetrap "
            "view --export' writes a page of a run");
    return cli_fail(&cli_debug, &err);
}

static int debug(int argc, char **argv)
{
    struct cli_console d = {.front = &front};
    struct wt_error err;
    int status = cli_debug_parse(&cli_debug, argc, argv, &d, &err);
    if (status == CLI_FAILED)
        cli_fail(&cli_debug, &err);
    if (status == CLI_GO) {
        if (d.trust && trust_project() != WT_OK)
            status = CLI_FAILED;
        else if (d.page && d.batch)
            status = refuse_view();
        else if (d.program || cli_debug_runs_already(&d) || d.core_path)
            status = run_debugger(&d);
        else
            status = d.trust ? 0 : cli_operand_missing(&cli_debug, cli_debug.operands);
    }
    cli_debug_free(&d);
    return status;
}

static const struct cli_option options[] = {
    CLI_KERNEL_OPTIONS,
    CLI_ATTACHED_OPTIONS,
    {"ex", 0, "COMMAND", "execute a command (also -ex); may be given several times",
     CLI_SET(set_ex)},
    {"command", 'x', "FILE", "execute the commands of a file", CLI_SET(set_file)},
    {"batch", 0, NULL,
     "no prompt: leave after the commands, with the program's status,\n"
     "or 1 at the first command that failed",
     CLI_FLAG(struct cli_console, batch)},
    {"report", 0, "json:FILE",
     "write stops, values, faults and the exit as JSON, an object a line, to\n"
     "FILE, too; may be given several times",
     CLI_SET(cli_set_report)},
    CLI_CHECK_OPTIONS(set_),
    CLI_PROFILE_OPTIONS(cli_set_profile, cli_set_profile_limit),
    CLI_DEBUGGED_OPTIONS,
    {"view", 0, "[=PORT]",
     "show the session's lanes in a browser, too: docs/view.md; the page's\n"
     "address is printed",
     CLI_SET(set_view)},
    {"nx", 0, NULL,
     "read no init file: neither ~/.config/wavetrap/debugrc nor\n"
     "the working folder's .wavetrap/debugrc",
     CLI_FLAG(struct cli_console, no_init)},
    {"trust", 0, NULL, "trust the working folder's .wavetrap/debugrc, now and later",
     CLI_FLAG(struct cli_console, trust)},
    {0},
};

const struct cli_command cli_debug = {
    .name = "debug",
    .operands = "PROGRAM [CORE-FILE | ARGUMENT…]",
    .summary = "Debugs PROGRAM, a HIP, OpenCL or CUDA program too, in a console like GDB's.",
    .options = options,
    .device = true,
    .debugger = true,
    .many_gpus = true,
    .program = true,
    .notes = "With --dm or --jtag PROGRAM runs on a device elsewhere, as in 'wavetrap attach'.\n"
             "'help' in the console lists its commands. With --batch the exit status is that of\n"
             "'wavetrap run' where the program has ended, and 0 where it is stopped;\n"
             "114: a count is over its --profile-limit.\n",
    .run = debug,
};
