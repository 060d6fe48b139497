/* The services of `wavetrap debug` for its console: text, questions, signals, code. See debug.h. */
#include "cli/debug.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/loop.h"

static void put(void *context, const char *text, size_t length)
{
    struct cli_console *d = context;
    cli_screen_make_way(&d->screen);
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

ssize_t cli_debug_put_program(void *context, const char *text, size_t length)
{
    struct cli_console *d = context;
    if (d->console)
        wt_shell_print(d->console, text, length);
    else
        put(d, text, length);
    return (ssize_t)length;
}

void cli_debug_put_agent(void *context, const char *text, size_t length)
{
    cli_debug_put_program(context, text, length);
}

/* Lines of a command that has several. */
static bool read_more(void *context, char **line)
{
    struct cli_console *d = context;
    if (!d->terminal)
        return false;
    cli_screen_make_way(&d->screen);
    d->reads = true;
    const enum cli_input input = cli_terminal_read(d->terminal, d->session, ">", line);
    d->reads = false;
    return input == CLI_INPUT_LINE;
}

/* Whether a signal is one to quit for: then the console does so when its command has ended. */
static bool quits(struct cli_console *d, const struct signalfd_siginfo *info)
{
    if (info->ssi_signo == SIGINT)
        return false;
    d->ended_by = (int)info->ssi_signo;
    if (d->console)
        wt_shell_abandon(d->console);
    return true;
}

bool cli_debug_was_interrupted(struct cli_console *d)
{
    struct signalfd_siginfo info;
    bool any = false;
    while (cli_interrupts_take(d->signals, &info)) {
        quits(d, &info);
        any = true;
    }
    return any;
}

/* Waits for an answer; Ctrl-C and signals to quit for end the wait. */
static bool waits_for_answer(void *context)
{
    struct cli_console *d = context;
    while (!cli_interrupts_wait(d->signals, STDIN_FILENO))
        if (cli_debug_was_interrupted(d))
            return false;
    return true;
}

bool cli_debug_ask(void *context, const char *question)
{
    struct cli_console *d = context;
    cli_screen_make_way(&d->screen);
    cli_debug_was_interrupted(d); /* by what came before the question */
    if (!d->terminal || d->ended_by)
        return true;
    cli_interrupts_hold(d->signals, true);
    const bool yes = cli_terminal_ask(d->terminal, question, waits_for_answer, d);
    cli_interrupts_hold(d->signals, false);
    return yes || d->ended_by;
}

static bool page_size(void *context, unsigned *rows, unsigned *columns)
{
    const struct cli_console *d = context;
    int height, width;
    if (!d->terminal || d->ended_by || !cli_screen_size(&d->screen, &height, &width))
        return false;
    *rows = (unsigned)height;
    *columns = (unsigned)width;
    return true;
}

static bool ask_for_page(void *context, const char *question, char *answer, size_t size)
{
    struct cli_console *d = context;
    cli_screen_make_way(&d->screen);
    cli_debug_was_interrupted(d); /* by what came before the question */
    cli_interrupts_hold(d->signals, true);
    const bool any = cli_terminal_answer(question, waits_for_answer, d, answer, size);
    cli_interrupts_hold(d->signals, false);
    return any;
}

static bool interrupted(void *context)
{
    return cli_debug_was_interrupted(context);
}

static bool show_progress(void *context, const char *text)
{
    struct cli_console *d = context;
    char line[200];
    snprintf(line, sizeof line, "%s (Ctrl-C stops)", text ? text : "");
    cli_screen_progress(&d->screen, text ? line : NULL);
    return !text || wt_shell_waits(d->console) || !cli_debug_was_interrupted(d);
}

static const struct wt_family *family_of(const struct cli_console *d)
{
    return d->host ? cli_debug_host_family(d->host) : d->device.family;
}

static unsigned disassemble(void *context, uint64_t addr, const uint8_t *bytes, size_t length,
                            char *text, size_t size)
{
    struct cli_console *d = context;
    const struct wt_family *f = d->device.family;
    if (d->host)
        return cli_debug_host_instruction(d->host, addr, bytes, length, text, size);
    return f->isa.instruction_text
               ? f->isa.instruction_text(&d->device, 64, addr, bytes, length, text, size)
               : 0;
}

static bool code_register(void *context, uint64_t pc, size_t n, struct wt_code_register *reg)
{
    struct cli_console *d = context;
    const struct wt_family *f = d->device.family;
    if (d->host)
        return cli_debug_host_code_register(d->host, pc, n, reg);
    return f->isa.code_register && f->isa.code_register(&d->device, pc, n, reg);
}

static size_t region(void *context, const char *text, struct wt_register_region *region)
{
    const struct wt_family *f = family_of(context);
    return f->isa.region ? f->isa.region(text, region) : 0;
}

static bool explain(void *context, FILE *out, const char *const *name, const uint64_t *value,
                    size_t count)
{
    const struct cli_console *d = context;
    const struct wt_family *f = family_of(d);
    if (f->isa.explain_registers)
        f->isa.explain_registers(out, name, value, count);
    return f->isa.explain_registers != NULL;
}

static enum wt_status print_operand(void *context, FILE *out, const char *text, char letter,
                                    bool (*read)(void *reader, const char *name, uint8_t *bytes,
                                                 size_t size),
                                    void *reader, bool *is_operand, struct wt_error *err)
{
    const struct cli_console *d = context;
    const struct wt_family *f = family_of(d);
    const struct wt_register_reader registers = {read, reader};
    *is_operand = false;
    return f->isa.print_operand
               ? f->isa.print_operand(out, text, letter, &registers, is_operand, err)
               : WT_OK;
}

static bool is_running(struct cli_console *d)
{
    struct wt_shell_end end;
    wt_shell_program(d->console, &end);
    return end.is_running;
}

bool cli_debug_is_attached(const struct cli_console *d)
{
    return cli_attached_is_given(&d->drive.options.connect);
}

const char *cli_debug_quit_question(void *context)
{
    const struct cli_console *d = context;
    return cli_debug_is_attached(d) || d->core_path || (d->host && !cli_debug_host_is_own(d->host))
               ? "Quit? (y or n) "
               : "Quit and end the program? (y or n) ";
}

/* The first Ctrl-C stops the run, or discards the typed line; a second one asks whether to quit. */
static void signal_ready(void *context, int fd, short events)
{
    struct cli_console *d = context;
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == sizeof info) {
        if (quits(d, &info)) {
            if (d->reads)
                cli_terminal_cancel(d->terminal);
            continue;
        }
        d->interrupts++;
        if (!wt_shell_interrupt(d->console)) {
            if (d->reads && d->interrupts > 1 && is_running(d))
                cli_terminal_cancel(d->terminal);
            else if (d->reads)
                cli_terminal_clear(d->terminal);
        } else if (d->interrupts > 1) {
            tcflush(STDIN_FILENO, TCIFLUSH); /* earlier input does not answer it */
            if (cli_debug_ask(d, cli_debug_quit_question(d)))
                wt_shell_abandon(d->console);
        }
    }
}

void cli_debug_end_now(void *context)
{
    struct cli_console *d = context;
    if (d->host)
        cli_debug_host_abandon(d->host);
    cli_screen_release(&d->screen);
}

enum wt_status cli_debug_watch_signals(void *context, struct wt_loop *loop, struct wt_error *err)
{
    struct cli_console *d = context;
    if (!wt_loop_watch(loop, d->signal_fd, POLLIN, signal_ready, d))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return d->pages ? cli_pages_watch(d->pages, loop, err) : WT_OK;
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

static enum wt_status print_profile(void *context, FILE *out, struct wt_error *err)
{
    struct cli_console *d = context;
    return cli_profile_print(&d->drive.profile, d->host ? NULL : &d->device, out, err);
}

static int pid_of_host(void *context)
{
    return cli_debug_host_pid(context);
}

void cli_debug_services(struct cli_console *d, struct wt_shell_options *options)
{
    options->interrupted = interrupted;
    options->output = put;
    options->ask = d->batch ? NULL : cli_debug_ask;
    options->page_size = d->batch ? NULL : page_size;
    options->page = ask_for_page;
    options->system_shell = true;
    options->read_line = d->batch ? NULL : read_more;
    options->progress = d->screen.can ? show_progress : NULL;
    options->disassemble = disassemble;
    options->code_register = code_register;
    options->region = region;
    options->explain = explain;
    options->print_operand = print_operand;
    options->profile = cli_profile_wanted(&d->drive.profile) ? print_profile : NULL;
    options->checks = cli_check_offer(
        &d->drive.check,
        &(struct cli_checked){d->host ? &d->drive.profile.file : &d->drive.check.file,
                              d->host ? NULL : &d->device, d->host ? pid_of_host : NULL, d->host});
    if (d->pages) {
        options->news = tell_pages;
        options->waits = pages_wait;
    }
    options->context = d;
}

/* ---- counts of source lines ---- */

struct counts {
    void (*each)(void *to, const struct wt_dap_count *count);
    void *to;
};

static void take_lines(void *context, struct cli_profile_table *lines)
{
    const struct counts *c = context;
    for (size_t i = 0; i < lines->count; i++) {
        const struct cli_profile_row *row = &lines->row[i];
        if (row->file && row->line)
            c->each(c->to, &(struct wt_dap_count){.path = row->file,
                                                  .line = row->line,
                                                  .issues = row->sum.issues,
                                                  .enabled = row->sum.enabled,
                                                  .lanes = row->sum.lanes,
                                                  .transactions = row->sum.transactions});
    }
}

bool cli_debug_counts(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                      void *to)
{
    struct cli_console *d = context;
    struct counts c = {each, to};
    return cli_profile_wanted(&d->drive.profile) &&
           cli_profile_look(&d->drive.profile, d->host ? NULL : &d->device, take_lines, &c,
                            WT_IGNORED) == WT_OK;
}
