/* `wavetrap debug`: the source-level debugger, at a terminal or by a script. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/report.h"
#include "cli/cli.h"
#include "cli/dap.h"
#include "cli/debug_terminal.h"
#include "cli/init_file.h"
#include "frontend/console/console.h"
#include "target/core_file.h"

/* ---- running commands ---- */

/* Executes one command, or a file of them; failures are reported on stderr. */
static enum wt_status execute(struct cli_console *c, const struct wt_session_order *order)
{
    struct wt_error err;
    enum wt_status status = order->is_file ? wt_shell_source(c->d.console, order->text, &err)
                                           : wt_shell_execute(c->d.console, order->text, &err);
    fflush(stdout);
    if (!status)
        return status;
    struct wt_report_object o;
    wt_report_begin(&o, c->d.drive.report, "error");
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
static int program_status(struct cli_console *c)
{
    struct wt_shell_end end;
    wt_shell_program(c->d.console, &end);
    if (end.faulted && !c->d.host)
        return wt_report_fault_status((enum wt_fault_kind)end.fault);
    return end.exited ? wt_report_word_status(end.word) : 0;
}

/* A failure in a script does not keep the console from being opened. */
static void read_init_files(struct cli_console *c)
{
    static enum wt_status (*const find[])(char **path, struct wt_error *err) = {
        cli_user_init_file, cli_project_init_file};
    struct wt_error err;
    char *path;
    for (size_t i = 0; i < sizeof find / sizeof *find && !c->d.no_init; i++) {
        if (find[i](&path, &err))
            fprintf(stderr, "wavetrap: %s\n", err.text);
        else if (path)
            execute(c, &(struct wt_session_order){path, true});
        free(path);
    }
}

/* Serves requests of pages while a line is waited for. */
static struct wt_session *serve_pages(void *context, bool *printed)
{
    struct cli_console *c = context;
    *printed = cli_pages_serve(c->pages);
    if (*printed) {
        wt_shell_execute(c->d.console, "frame", WT_IGNORED);
        fflush(stdout);
    }
    return c->d.session;
}

static enum cli_input read_command(struct cli_console *c, char **line)
{
    char status[256] = "";
    if (c->pages)
        cli_pages_follow(c->pages);
    if (c->screen.can)
        wt_shell_status(c->d.console, status, sizeof status);
    cli_screen_status(&c->screen, status);
    c->reads = true;
    wt_session_interrupts_hold(c->d.signals, true); /* a question that is being asked comes first */
    wt_session_interrupts_hold(c->d.signals, false);
    const enum cli_input input = cli_terminal_read(c->terminal, c->d.session, NULL, line);
    c->reads = false;
    return input;
}

/* Reads lines from the user, or from a file at standard input. */
static void converse(struct cli_console *c)
{
    enum cli_input input = CLI_INPUT_LINE;
    char *line;
    int status;
    cli_debug_was_interrupted(c); /* not meant for what comes */
    while (input != CLI_INPUT_END && !wt_shell_has_quit(c->d.console, &status)) {
        input = read_command(c, &line);
        if (input == CLI_INPUT_CANCELLED && !c->d.ended_by &&
            cli_debug_ask(c, wt_debuggee_quit_question(&c->d)))
            wt_shell_abandon(c->d.console);
        c->interrupts = 0;
        if (input != CLI_INPUT_LINE)
            continue;
        struct wt_error err;
        if (wt_shell_execute(c->d.console, line, &err) &&
            !wt_shell_has_quit(c->d.console, &status)) {
            fflush(stdout);
            fprintf(stderr, "%s\n", err.text);
        }
        if (!c->interrupts)
            cli_debug_was_interrupted(
                c); /* while the command ended: the next line is not to be discarded */
        free(line);
    }
}

/* Reports the findings of --check; returns an exit status. */
static int report_findings(struct cli_console *c, bool is_host)
{
    if (!is_host)
        return wt_report_check_end(cli_debug.name, &c->d.drive.check, &c->d.device,
                                   c->d.drive.report);
    return c->d.drive.profile.has_file
               ? wt_report_check_report(cli_debug.name, &c->d.drive.check, c->d.drive.profile.file,
                                        NULL, NULL, c->d.drive.report)
               : 0;
}

/* Shows where a core file or a device elsewhere stands; goes to a program that runs. */
static enum wt_status show_beginning(struct cli_console *c, struct wt_error *err)
{
    char attach[200];
    if (c->d.core_file && !c->d.batch)
        printf("Core file %s of %s\n", c->d.core_path, *c->d.program ? c->d.program : "no program");
    if (c->d.core_file)
        return wt_shell_post_mortem(c->d.console, wt_core_file_reason(c->d.core_file), err);
    if (wt_debuggee_is_attached(&c->d))
        wt_shell_show_attached(c->d.console);
    if (c->d.socket)
        snprintf(attach, sizeof attach, "attach %s", c->d.socket);
    else
        snprintf(attach, sizeof attach, "attach %d", c->d.pid);
    return wt_debuggee_runs_already(&c->d) ? wt_shell_execute(c->d.console, attach, err) : WT_OK;
}

static void close_console(struct cli_console *c)
{
    cli_screen_close(&c->screen);
    cli_terminal_close(c->terminal);
    c->terminal = NULL;
    wt_debuggee_close(&c->d);
    cli_pages_close(c->pages);
    c->pages = NULL;
}

static const struct wt_front front = {.services = cli_debug_services,
                                      .watch = cli_debug_watch_signals,
                                      .program = cli_debug_put_program,
                                      .agent = cli_debug_put_agent,
                                      .ends = cli_debug_end_now};

static enum wt_status open_debuggee(struct cli_console *c, struct wt_error *err)
{
    const enum wt_status status = wt_debuggee_open(&c->d, err);
    if (!status && c->pages)
        cli_pages_join(c->pages, wt_shell_debugged(c->d.console), true);
    return status;
}

static int run_debugger(struct cli_console *c)
{
    struct wt_error err;
    int status = 0, quit;
    bool failed = false;
    const struct cli_pages_counts counts = {cli_dap_counts, c};
    if (!c->d.batch)
        cli_screen_open(&c->screen);
    if ((c->d.page && cli_pages_open("debug", c->d.page, &counts, &c->pages, &err)) ||
        open_debuggee(c, &err) || show_beginning(c, &err)) {
        status = wt_subcommand_fail(&cli_debug, &err);
        close_console(c);
        return status;
    }
    read_init_files(c);
    if (c->d.batch && !c->d.order_count && !isatty(STDIN_FILENO))
        failed = execute(c, &(struct wt_session_order){"/dev/stdin", true});
    for (size_t i = 0; i < c->d.order_count && !wt_shell_has_quit(c->d.console, &quit); i++) {
        if (execute(c, &c->d.order[i]) && c->d.batch) {
            failed = true;
            break;
        }
    }
    if (!c->d.batch && !wt_shell_has_quit(c->d.console, &quit)) {
        c->terminal = cli_terminal_open(c->d.console, c->d.no_init || !isatty(STDIN_FILENO) ||
                                                              !isatty(STDOUT_FILENO)
                                                          ? NULL
                                                          : cli_history_file());
        if (c->terminal && c->pages)
            cli_terminal_serve(c->terminal, serve_pages, c);
        if (c->terminal)
            converse(c);
    }
    wt_shell_has_quit(c->d.console, &quit);
    status = failed ? 1 : quit >= 0 ? quit : c->d.batch ? program_status(c) : 0;
    if (wt_debuggee_is_attached(&c->d) && wt_shell_let_go(c->d.console, &err)) {
        const int lost = wt_subcommand_fail(&cli_debug, &err);
        status = status ? status : lost;
    }
    const bool is_host = c->d.host;
    if (is_host) /* then the counts are complete with the program's end */
        close_console(c);
    const int counted = wt_report_profile_report(cli_debug.name, &c->d.drive.profile,
                                                 is_host ? NULL : &c->d.device, c->d.drive.report);
    const int checked = report_findings(c, is_host);
    if (!is_host)
        close_console(c);
    status = status ? status : checked ? checked : counted;
    return c->d.ended_by ? WT_EXIT_SIGNAL + c->d.ended_by : status;
}

static enum wt_status trust_project(void)
{
    struct wt_error err;
    char *path;
    enum wt_status status = cli_trust_project(&path, &err);
    if (status)
        wt_subcommand_fail(&cli_debug, &err);
    else
        fprintf(stderr, "wavetrap: %s is trusted from now on\n", path);
    free(path);
    return status;
}

static int refuse_view(void)
{
    struct wt_error err;
    wt_fail(&err, WT_INVALID,
            "--view shows a session while it waits for commands: it is not for --batch; 'wavetrap "
            "view --export' writes a page of a run");
    return wt_subcommand_fail(&cli_debug, &err);
}

static int debug(int argc, char **argv)
{
    struct cli_console c = {.d = {.front = &front}};
    const struct wt_debuggee *d = &c.d;
    struct wt_error err;
    int status = wt_debuggee_parse(&cli_debug, argc, argv, &c.d, &err);
    if (status == WT_EXIT_FAILED)
        wt_subcommand_fail(&cli_debug, &err);
    if (status == WT_SUBCOMMAND_GO) {
        if (d->trust && trust_project() != WT_OK)
            status = WT_EXIT_FAILED;
        else if (d->page && d->batch)
            status = refuse_view();
        else if (d->program || wt_debuggee_runs_already(d) || d->core_path)
            status = run_debugger(&c);
        else
            status = d->trust ? 0 : wt_subcommand_operand_missing(&cli_debug, cli_debug.operands);
    }
    wt_debuggee_free(&c.d);
    return status;
}

const struct wt_subcommand cli_debug = {WT_DEBUGGEE_WORDS, .run = debug};
