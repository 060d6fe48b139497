/* The services of `wavetrap debug` for its console that the terminal and the pages answer: text,
 * questions, signals. See debug_terminal.h. */
#include "cli/debug_terminal.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/loop.h"
#include "frontend/console/console.h"

static void put(void *context, const char *text, size_t length)
{
    struct cli_console *c = context;
    cli_screen_make_way(&c->screen);
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

ssize_t cli_debug_put_program(void *context, const char *text, size_t length)
{
    struct cli_console *c = context;
    if (c->d.console)
        wt_shell_print(c->d.console, text, length);
    else
        put(c, text, length);
    return (ssize_t)length;
}

void cli_debug_put_agent(void *context, const char *text, size_t length)
{
    cli_debug_put_program(context, text, length);
}

/* Lines of a command that has several. */
static bool read_more(void *context, char **line)
{
    struct cli_console *c = context;
    if (!c->terminal)
        return false;
    cli_screen_make_way(&c->screen);
    c->reads = true;
    const enum cli_input input = cli_terminal_read(c->terminal, c->d.session, ">", line);
    c->reads = false;
    return input == CLI_INPUT_LINE;
}

/* Whether a signal is one to quit for: then the console does so when its command has ended. */
static bool quits(struct cli_console *c, const struct signalfd_siginfo *info)
{
    if (info->ssi_signo == SIGINT)
        return false;
    c->d.ended_by = (int)info->ssi_signo;
    if (c->d.console)
        wt_shell_abandon(c->d.console);
    return true;
}

bool cli_debug_was_interrupted(struct cli_console *c)
{
    struct signalfd_siginfo info;
    bool any = false;
    while (wt_session_interrupts_take(c->d.signals, &info)) {
        quits(c, &info);
        any = true;
    }
    return any;
}

/* Waits for an answer; Ctrl-C and signals to quit for end the wait. */
static bool waits_for_answer(void *context)
{
    struct cli_console *c = context;
    while (!wt_session_interrupts_wait(c->d.signals, STDIN_FILENO))
        if (cli_debug_was_interrupted(c))
            return false;
    return true;
}

bool cli_debug_ask(void *context, const char *question)
{
    struct cli_console *c = context;
    cli_screen_make_way(&c->screen);
    cli_debug_was_interrupted(c); /* by what came before the question */
    if (!c->terminal || c->d.ended_by)
        return true;
    wt_session_interrupts_hold(c->d.signals, true);
    const bool yes = cli_terminal_ask(c->terminal, question, waits_for_answer, c);
    wt_session_interrupts_hold(c->d.signals, false);
    return yes || c->d.ended_by;
}

static bool page_size(void *context, unsigned *rows, unsigned *columns)
{
    const struct cli_console *c = context;
    int height, width;
    if (!c->terminal || c->d.ended_by || !cli_screen_size(&c->screen, &height, &width))
        return false;
    *rows = (unsigned)height;
    *columns = (unsigned)width;
    return true;
}

static bool ask_for_page(void *context, const char *question, char *answer, size_t size)
{
    struct cli_console *c = context;
    cli_screen_make_way(&c->screen);
    cli_debug_was_interrupted(c); /* by what came before the question */
    wt_session_interrupts_hold(c->d.signals, true);
    const bool any = cli_terminal_page(c->terminal, question, waits_for_answer, c, answer, size);
    wt_session_interrupts_hold(c->d.signals, false);
    return any;
}

static bool interrupted(void *context)
{
    return cli_debug_was_interrupted(context);
}

static bool show_progress(void *context, const char *text)
{
    struct cli_console *c = context;
    char line[200];
    snprintf(line, sizeof line, "%s (Ctrl-C stops)", text ? text : "");
    cli_screen_progress(&c->screen, text ? line : NULL);
    return !text || wt_shell_waits(c->d.console) || !cli_debug_was_interrupted(c);
}

static bool is_running(struct cli_console *c)
{
    struct wt_shell_end end;
    wt_shell_program(c->d.console, &end);
    return end.is_running;
}

/* The first Ctrl-C stops the run, or discards the typed line; a second one asks whether to quit. */
static void signal_ready(void *context, int fd, short events)
{
    struct cli_console *c = context;
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == sizeof info) {
        if (quits(c, &info)) {
            if (c->reads)
                cli_terminal_cancel(c->terminal);
            continue;
        }
        c->interrupts++;
        if (!wt_shell_interrupt(c->d.console)) {
            if (c->reads && c->interrupts > 1 && is_running(c))
                cli_terminal_cancel(c->terminal);
            else if (c->reads)
                cli_terminal_clear(c->terminal);
        } else if (c->interrupts > 1) {
            tcflush(STDIN_FILENO, TCIFLUSH); /* earlier input does not answer it */
            if (cli_debug_ask(c, wt_debuggee_quit_question(&c->d)))
                wt_shell_abandon(c->d.console);
        }
    }
}

void cli_debug_end_now(void *context)
{
    cli_screen_release(&((struct cli_console *)context)->screen);
}

enum wt_status cli_debug_watch_signals(void *context, struct wt_loop *loop, struct wt_error *err)
{
    struct cli_console *c = context;
    if (!wt_loop_watch(loop, c->d.signal_fd, POLLIN, signal_ready, c))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return c->pages ? cli_pages_watch(c->pages, loop, err) : WT_OK;
}

/* The console has the words for what happens; pages are told, too. */
static bool tell_pages(void *context, const struct wt_news *news)
{
    cli_pages_news(((struct cli_console *)context)->pages, news);
    return false;
}

static void pages_wait(void *context, enum wt_wait wait)
{
    cli_pages_waits(((struct cli_console *)context)->pages, wait);
}

void cli_debug_services(struct wt_debuggee *d, struct wt_shell_options *options)
{
    struct cli_console *c = (struct cli_console *)d;
    wt_debuggee_services(d, options);
    options->interrupted = interrupted;
    options->output = put;
    options->ask = d->batch ? NULL : cli_debug_ask;
    options->page_size = d->batch ? NULL : page_size;
    options->page = ask_for_page;
    options->system_shell = true;
    options->read_line = d->batch ? NULL : read_more;
    options->progress = c->screen.can ? show_progress : NULL;
    options->colour = !d->batch && c->screen.colour;
    if (c->pages) {
        options->news = tell_pages;
        options->waits = pages_wait;
    }
}
