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

/* Whether a host program that runs was named. */
static bool runs_already(const struct cli_console *d)
{
    return d->pid || d->socket;
}

static enum wt_status set_socket(void *context, const char *value, struct wt_error *err)
{
    ((struct cli_console *)context)->socket = value;
    return cli_check_program_socket(value, err);
}

static enum wt_status set_pid(void *context, const char *value, struct wt_error *err)
{
    uint64_t pid;
    if (wt_parse_number(value, &pid, err) != WT_OK || pid == 0 || pid > INT32_MAX)
        return wt_fail(err, WT_INVALID, "--pid takes a process id; 'wavetrap ps' lists them");
    ((struct cli_console *)context)->pid = (int)pid;
    return WT_OK;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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

/* Opens a core file, which names its program and holds its options. */
static enum wt_status open_core_file(struct cli_console *d, struct wt_error *err)
{
    struct wt_emulated_options *o = &d->drive.options.device;
    enum wt_status status;
    const char *given = d->program;
    if (runs_already(d) || (given && d->arguments[0]))
        return wt_fail(err, WT_INVALID,
                       "a core file knows its program: there is no process, and no argument");
    if (o->load_count || o->gpu.family || o->argument_count || o->kernel.given || o->fill)
        return wt_fail(err, WT_INVALID,
                       "a core file knows its GPU, program and arguments: no options for them");
    if (!o->history_memory)
        o->history_memory = WT_TIMELINE_BUDGET_DEFAULT;
    if ((status = wt_core_file_open(d->core_path, &d->core_file, err)) != WT_OK)
        return status;
    d->program = wt_core_file_program(d->core_file);
    if (given && strcmp(base_of(given), base_of(d->program)) != 0)
        return wt_fail(err, WT_INVALID, "%s is a core file of %s, not of %s", d->core_path,
                       *d->program ? d->program : "no program", given);
    if ((status = wt_core_file_load(&d->device, o, d->core_file, err)) != WT_OK)
        return status;
    return cli_check_take_core_file(&d->drive.check, d->core_file, err);
}

/* The program is code for a device, which is emulated here. */
static enum wt_status open_device(struct cli_console *d, struct wt_error *err)
{
    d->drive.options.device.debugged = false; /* for GDB; the console knows every probe */
    enum wt_status status = d->core_path ? open_core_file(d, err)
                                         : cli_open(&d->device, &d->drive.options, d->program, err);
    if (status)
        return status;
    if (!d->device.family->debug.probe) {
        wt_emulated_close(&d->device);
        return wt_fail(err, WT_UNSUPPORTED, "%s cannot be debugged yet",
                       d->device.family->files.runs);
    }
    d->device_console =
        fopencookie(d, "w", (cookie_io_functions_t){.write = cli_debug_put_program});
    d->device.console = d->device_console;
    status = d->device_console ? wt_emulated_debug(&d->device, cli_debug_put_agent, d, err)
                               : wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!status)
        status = cli_profile_begin(&d->drive.profile, &d->device, err);
    if (!status)
        status = cli_check_begin(&d->drive.check, &d->device, err);
    if (!status && !(d->session = wt_session_new(d->device.debugger)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    return status ? status : cli_debug_watch_signals(d, wt_session_loop(d->session), err);
}

/* The program runs on a device elsewhere. It is loaded here, too, for its symbols and code. */
static enum wt_status open_attached(struct cli_console *d, struct wt_error *err)
{
    struct cli_options *options = &d->drive.options;
    const struct wt_emulated_options *o = &options->device;
    enum wt_status status;
    if (runs_already(d) || d->core_path)
        return wt_fail(err, WT_INVALID,
                       "give one of --dm or --jtag, --pid and --core: a device elsewhere, a host "
                       "program, or a core file");
    if (o->gpu.family || o->schedule || o->fill || o->load_count || o->argument_count ||
        o->kernel.given || o->base_given || o->memory)
        return wt_fail(err, WT_INVALID,
                       "the device elsewhere has its GPU, its program and arguments: there are no "
                       "options for them");
    options->device.debugged = false;
    if ((status = cli_open(&d->device, options, d->program, err)) != WT_OK)
        return status;
    const struct wt_family *family = wt_family_of_registers();
    if (d->device.family != family)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s: --dm and --jtag reach devices that run %s, and it is none", d->program,
                       family->files.runs);
    return cli_attached_open(&d->attached, options, d->program, false, cli_debug_put_agent, d, err);
}

static enum wt_status open_attached_session(struct cli_console *d, struct wt_error *err)
{
    if (!(d->session = wt_session_new(d->attached.debugger)))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return cli_debug_watch_signals(d, wt_session_loop(d->session), err);
}

/* ---- host programs ---- */

static enum wt_status host_start(void *context, const char *arguments, char *const *environment,
                                 bool *ended, struct wt_error *err)
{
    struct cli_console *d = context;
    enum wt_status status =
        cli_profile_begin_programs(&d->drive.profile, d->drive.check.options.checks != 0, err);
    if (status || (status = cli_check_begin_programs(&d->drive.check, err)) != WT_OK)
        return status;
    status = cli_debug_host_start(d->host, arguments, environment, ended, err);
    d->session = cli_debug_host_session(d->host);
    return status;
}

static enum wt_status host_attach(void *context, const char *where, struct wt_error *err)
{
    struct cli_console *d = context;
    enum wt_status status = cli_debug_host_attach(d->host, where, err);
    d->session = cli_debug_host_session(d->host);
    return status;
}

static void host_refresh(void *context)
{
    cli_debug_host_refresh(((struct cli_console *)context)->host);
}

static void host_finish(void *context, bool *known, int *code, char *text, size_t size)
{
    struct cli_console *d = context;
    cli_debug_host_finish(d->host, known, code, text, size);
    d->session = cli_debug_host_session(d->host);
}

static void host_leave(void *context, bool kill)
{
    struct cli_console *d = context;
    cli_debug_host_leave(d->host, kill);
    d->session = cli_debug_host_session(d->host);
}

static int host_pid(void *context)
{
    return cli_debug_host_pid(((struct cli_console *)context)->host);
}

static bool host_is_elsewhere(void *context)
{
    return cli_debug_host_is_elsewhere(((struct cli_console *)context)->host);
}

static bool host_is_own(void *context)
{
    return cli_debug_host_is_own(((struct cli_console *)context)->host);
}

static const struct wt_program_host host_ops = {.start = host_start,
                                                .attach = host_attach,
                                                .refresh = host_refresh,
                                                .finish = host_finish,
                                                .leave = host_leave,
                                                .pid = host_pid,
                                                .is_elsewhere = host_is_elsewhere,
                                                .is_own = host_is_own};

static enum wt_status open_host(struct cli_console *d, struct wt_error *err)
{
    const struct wt_emulated_options *device = &d->drive.options.device;
    const struct wt_family *family =
        device->gpu.family ? device->gpu.family : wt_family_of_host_programs();
    if (!family->debug.process)
        return wt_fail(err, WT_UNSUPPORTED, "host programs on %s cannot be debugged yet",
                       family->name);
    if (device->load_count || device->argument_count || device->kernel.given)
        return wt_fail(
            err, WT_INVALID,
            "a host program launches its kernels itself: --arg, --load and the options of a "
            "launch are not for it");
    if (runs_already(d) && (device->schedule || device->memory || device->fill))
        return wt_fail(
            err, WT_INVALID,
            "the program runs: its GPUs have their memory and schedule, and --memory, --schedule "
            "and --fill cannot change them");
    const struct cli_debug_host_options options = {.program = d->program,
                                                   .family = family,
                                                   .schedule = d->drive.options.schedule_text,
                                                   .fill = d->drive.options.fill_text,
                                                   .memory = device->memory,
                                                   .history_memory =
                                                       device->hw_only ? 0 : device->history_memory,
                                                   .unrecorded = !device->history_memory,
                                                   .gpu = d->drive.options.gpu,
                                                   .gpu_count = d->drive.options.gpu_count,
                                                   .token = d->token,
                                                   .signal_fd = d->signal_fd,
                                                   .watch_signals = cli_debug_watch_signals,
                                                   .output = cli_debug_put_agent,
                                                   .context = d};
    enum wt_status status = cli_debug_host_open(&options, &d->host, err);
    if (!status)
        d->session = cli_debug_host_session(d->host);
    return status;
}

/* As in GDB, a name means a file of this folder before one of PATH. */
static enum wt_status look_here(struct cli_console *d, struct wt_error *err)
{
    if (!d->program || strchr(d->program, '/') || access(d->program, F_OK) != 0)
        return WT_OK;
    if (asprintf(&d->here, "./%s", d->program) < 0)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return WT_OK;
}

static bool is_host_program(struct cli_console *d)
{
    char path[4096];
    if (d->core_path || cli_debug_is_attached(d))
        return false;
    if (runs_already(d))
        return true;
    if (wt_emulated_takes(&d->drive.options.device, d->program) ||
        !exec_file_find(d->here ? d->here : d->program, path, sizeof path))
        return false;
    d->program = d->here ? d->here : d->program;
    return true;
}

static enum wt_status open_all(struct cli_console *d, struct wt_error *err)
{
    const struct cli_interrupts_options interrupts = {.question = cli_debug_quit_question,
                                                      .asks = !d->batch && isatty(STDIN_FILENO),
                                                      .end = cli_debug_end_now,
                                                      .context = d};
    enum wt_status status = cli_attached_check(&d->drive.options.connect, err);
    const bool counts = cli_profile_wanted(&d->drive.profile);
    if (!status)
        status = cli_check_complete(&d->drive.check, err);
    if (!status && (counts || d->drive.check.options.checks) &&
        (runs_already(d) || cli_debug_is_attached(d) || d->core_path))
        status = wt_fail(err, WT_INVALID,
                         "%s from a program's beginning: it is for programs that this debugger "
                         "starts, not for core files and what runs elsewhere",
                         counts ? "--profile counts" : "--check looks");
    if (status || (status = look_here(d, err)) != WT_OK)
        return status;
    const bool is_host = is_host_program(d);
    if (!is_host && d->program && access(d->program, F_OK) != 0)
        return wt_fail(err, WT_IO, "%s: %s", d->program, strerror(errno));
    if (!is_host && !d->core_path && d->arguments[0])
        return wt_fail(err, WT_INVALID, "%s is code for the device, which takes no arguments: %s",
                       d->program, d->arguments[0]);
    if (!is_host && d->drive.options.gpu_count > 1)
        return wt_fail(err, WT_INVALID, "%s is code for the device: it has one --gpu", d->program);
    /* Until the device elsewhere has answered, Ctrl-C ends the command. */
    if (cli_debug_is_attached(d) && (status = open_attached(d, err)) != WT_OK)
        return status;
    if ((status = cli_interrupts_open(&interrupts, &d->signals, err)) != WT_OK)
        return status;
    d->signal_fd = cli_interrupts_fd(d->signals);
    status = is_host                    ? open_host(d, err)
             : cli_debug_is_attached(d) ? open_attached_session(d, err)
                                        : open_device(d, err);
    if (status)
        return status;
    char *line = is_host ? cli_debug_host_line(d->arguments) : NULL;
    struct wt_shell_options options = {
        .session = d->session,
        .modules = is_host ? cli_debug_host_modules(d->host) : d->device.modules,
        .program = d->program,
        .host = is_host ? &host_ops : NULL,
        .arguments = line,
        .attached = cli_debug_is_attached(d),
        .report = d->drive.report,
        .steps_to_watch = cli_debug_is_attached(d) && !d->attached.target.services->set_watchpoints,
        .colour = !d->batch && d->screen.colour};
    cli_debug_services(d, &options);
    d->console = wt_shell_new(&options);
    free(line);
    if (!d->console)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the console");
    if (d->core_file && !d->batch)
        printf("Core file %s of %s\n", d->core_path, *d->program ? d->program : "no program");
    if (d->core_file)
        return wt_shell_post_mortem(d->console, wt_core_file_reason(d->core_file), err);
    if (cli_debug_is_attached(d))
        wt_shell_show_attached(d->console);
    if (is_host)
        cli_debug_host_serve(d->host, d->console);
    char attach[200];
    if (d->socket)
        snprintf(attach, sizeof attach, "attach %s", d->socket);
    else
        snprintf(attach, sizeof attach, "attach %d", d->pid);
    return runs_already(d) ? wt_shell_execute(d->console, attach, err) : WT_OK;
}

static void close_all(struct cli_console *d)
{
    cli_screen_close(&d->screen);
    cli_terminal_close(d->terminal);
    wt_shell_free(d->console);
    d->console = NULL;
    if (!d->host)
        wt_session_free(d->session);
    cli_debug_host_close(d->host);
    cli_attached_close(&d->attached);
    if (d->device.debugger)
        wt_debugger_close(d->device.debugger);
    if (d->device.family)
        wt_emulated_close(&d->device);
    cli_interrupts_close(d->signals);
    d->signals = NULL;
    if (d->device_console)
        fclose(d->device_console);
    free(d->here);
    d->here = NULL;
    wt_core_file_free(d->core_file);
    d->core_file = NULL;
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

static enum cli_input read_command(struct cli_console *d, char **line)
{
    char status[256] = "";
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

static int run_debugger(struct cli_console *d)
{
    struct wt_error err;
    int status = 0, quit;
    bool failed = false;
    if (!d->batch)
        cli_screen_open(&d->screen);
    if (open_all(d, &err)) {
        status = cli_fail(&cli_debug, &err);
        close_all(d);
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
        d->terminal = cli_terminal_open(d->console);
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
        close_all(d);
    const int counted = cli_profile_report(&cli_debug, &d->drive.profile,
                                           is_host ? NULL : &d->device, d->drive.report);
    const int checked = report_findings(d, is_host);
    if (!is_host)
        close_all(d);
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

static int debug(int argc, char **argv)
{
    struct cli_console d = {0};
    char **words = calloc((size_t)argc + 1, sizeof(char *));
    if (!words)
        return CLI_FAILED;
    for (int i = 0; i < argc; i++)
        words[i] = spelled(argv[i]);
    int status = cli_parse(&cli_debug, argc, words, &d, &d.drive.options, 0, true);
    if (status == CLI_GO) {
        d.program = words[optind];
        d.arguments = words + optind + (d.program != NULL);
        take_core_argument(&d);
        if (d.trust && trust_project() != WT_OK)
            status = CLI_FAILED;
        else if (d.program || runs_already(&d) || d.core_path)
            status = run_debugger(&d);
        else
            status = d.trust ? 0 : cli_operand_missing(&cli_debug, cli_debug.operands);
    }
    free(words);
    free(d.order);
    cli_drive_free(&d.drive);
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
    {"core", 0, "FILE", "look at a core file, which knows its program",
     CLI_TEXT(struct cli_console, core_path)},
    {"pid", 'p', "PID", "go to a host program that runs ('wavetrap ps' lists them)",
     CLI_SET(set_pid)},
    CLI_PROGRAM_SOCKET_OPTIONS(
        "go to a host program that runs elsewhere and listens there\n"
        "('wavetrap exec --socket=ADDRESS'): tcp:127.0.0.1:PORT or unix:PATH",
        CLI_SET(set_socket), CLI_TEXT(struct cli_console, token)),
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
    .operands = "PROGRAM [ARGUMENT]…",
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
