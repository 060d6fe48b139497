/* `wavetrap attach`: a debugger for a device that is not in this process. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/gdb_child.h"
#include "frontend/rsp/rsp.h"
#include "session/attached.h"
#include "session/interrupts.h"
#include "session/options.h"
#include "session/program_socket.h"

struct attach {
    struct wt_session_options options;   /* first: the context of the options */
    const char *pid;                     /* a host program, instead of a device */
    const char *program_socket;          /* where one listens; or NULL */
    const char *token;                   /* --token, or NULL */
    const char *symbols;                 /* the program's file, or NULL */
    const char *rsp;                     /* where to listen; NULL: start GDB */
    bool allow_files;                    /* to clients of `rsp` */
    bool any_client;                     /* whose user or machine is another one */
    char socket[CLI_GDB_DIRECTORY + 16]; /* between it and this process */
    struct cli_gdb_choice choice;
    struct wt_session_attached device;
    struct wt_session *session; /* session of the debugger */
    struct wt_rsp_server *server;
};

/* ---- options ---- */

static enum wt_status set_socket(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->program_socket = value;
    return wt_session_check_socket(value, err);
}

/* ---- the device ---- */

static void say(void *context, const char *text)
{
    fprintf(stderr, "wavetrap: %s\n", text);
}

/* Prints the output of breakpoint commands in the program. */
static void print(void *context, const char *text, size_t length)
{
    struct attach *a = context;
    if (a->server && wt_rsp_server_output(a->server, text, length))
        return;
    fwrite(text, 1, length, stdout);
    fflush(stdout);
}

static enum wt_status open_device(struct attach *a, struct wt_error *err)
{
    const enum wt_status status =
        wt_session_attached_open(&a->device, &a->options, a->symbols, true, print, a, err);
    a->choice.steps_to_watch = !status && !a->device.target.services->set_watchpoints;
    return status;
}

static void close_device(struct attach *a)
{
    wt_rsp_server_close(a->server);
    a->server = NULL;
    wt_session_free(a->session);
    a->session = NULL;
    wt_session_attached_close(&a->device);
}

/* ---- its debugger ---- */

/* Listens for the GDB that is started here, or for a client of the user's. */
static enum wt_status open_server(struct attach *a, struct wt_rsp_options *rsp,
                                  char directory[CLI_GDB_DIRECTORY], struct wt_error *err)
{
    enum wt_status status;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    if (a->rsp) {
        rsp->address = a->rsp;
        rsp->stop_fd = wt_session_signal_fd(signals);
        if (rsp->stop_fd < 0)
            return wt_fail(err, WT_IO, "signalfd: %s", strerror(errno));
    } else {
        if ((status = cli_gdb_directory(directory, err)) != WT_OK)
            return status;
        snprintf(a->socket, sizeof a->socket, "unix:%s/gdb", directory);
        rsp->address = a->socket;
        if ((status = cli_gdb_signals(&rsp->stop_fd, err)) != WT_OK)
            return status;
    }
    a->session = wt_session_new(a->device.debugger);
    if (!a->session)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return wt_rsp_server_open(rsp, a->session, &a->server, err);
}

/* Serves one GDB after another; the exit status. */
static int serve(struct attach *a, int stop_fd)
{
    struct wt_error err;
    struct signalfd_siginfo info;
    fprintf(stderr, "wavetrap: the device at %s is halted. In GDB, type\n",
            a->options.connect.address);
    cli_say_how_to_connect(wt_rsp_server_address(a->server), false);
    if (a->choice.steps_to_watch)
        say(NULL, "it has no watchpoints: for those, 'set can-use-hw-watchpoints 0' first");
    if (wt_rsp_server_run(a->server, &err))
        return wt_subcommand_fail(&cli_attach, &err);
    if (read(stop_fd, &info, sizeof info) == sizeof info && info.ssi_signo != SIGINT)
        return WT_EXIT_SIGNAL + (int)info.ssi_signo;
    return 0;
}

static int debug(struct attach *a, char **arguments)
{
    struct wt_error err;
    char directory[CLI_GDB_DIRECTORY] = "";
    struct wt_rsp_options rsp = wt_rsp_default_options();
    rsp.program = a->symbols;
    rsp.attached = true;
    rsp.allow_files = !a->rsp || a->allow_files;
    rsp.any_client = a->any_client;
    rsp.log = a->rsp ? say : NULL;
    signal(SIGPIPE, SIG_IGN);
    int status;
    /* Until the device is connected Ctrl-C ends the command; then signals get their handlers. */
    if (open_device(a, &err) || open_server(a, &rsp, directory, &err))
        status = wt_subcommand_fail(&cli_attach, &err);
    else if (a->rsp)
        status = serve(a, rsp.stop_fd);
    else
        status =
            cli_gdb_serve(&cli_attach, &a->choice, a->symbols, arguments, a->server, rsp.stop_fd);
    close_device(a);
    if (rsp.stop_fd >= 0)
        close(rsp.stop_fd);
    if (*directory)
        rmdir(directory);
    return status;
}

/* GDB does not know the instruction sets of GPUs in host programs; the console does. */
static int debug_process(const struct attach *a)
{
    char where[200], token[4200];
    char *words[] = {(char[]){"debug"}, where, a->token ? token : NULL, NULL};
    snprintf(where, sizeof where, a->pid ? "--pid=%.180s" : "--socket=%.180s",
             a->pid ? a->pid : a->program_socket);
    snprintf(token, sizeof token, "--token=%s", a->token ? a->token : "");
    return cli_debug.run(a->token ? 3 : 2, words);
}

static int attach(int argc, char **argv)
{
    struct attach a = {0};
    struct wt_error err;
    int status = wt_subcommand_parse(&cli_attach, argc, argv, &a, &a.options, 0, true);
    if (status == WT_SUBCOMMAND_GO) {
        bool bad = true;
        if ((a.pid || a.program_socket) &&
            (wt_session_attached_is_given(&a.options.connect) || a.rsp || optind < argc))
            wt_fail(&err, WT_INVALID,
                    "%s opens the console of 'wavetrap debug', without a device elsewhere and "
                    "without GDB",
                    a.pid ? "--pid" : "--socket");
        else if (a.pid && a.program_socket)
            wt_fail(&err, WT_INVALID, "give one of --pid and --socket");
        else if (a.pid || a.program_socket)
            bad = false;
        else if (!wt_session_attached_is_given(&a.options.connect))
            wt_fail(
                &err, WT_INVALID,
                "where is the device? Say one of --dm=tcp:HOST:PORT, "
                "--dm=unix:PATH, --jtag=remote_bitbang:HOST:PORT, --pid=N and --socket=ADDRESS");
        else if (wt_session_attached_check(&a.options.connect, &err))
            ;
        else if (a.options.connect.lift && !a.symbols)
            wt_fail(&err, WT_INVALID, "--lift needs the program's file: --symbols=FILE");
        else if (a.rsp && optind < argc)
            wt_fail(&err, WT_INVALID, "'%.100s' is an argument for GDB, which --rsp does not start",
                    argv[optind]);
        else if (strcmp(a.rsp ? a.rsp : "", "stdio") == 0)
            wt_fail(&err, WT_INVALID, "--rsp takes :PORT, HOST:PORT or unix:PATH here");
        else
            bad = false;
        status = bad                         ? wt_subcommand_fail(&cli_attach, &err)
                 : a.pid || a.program_socket ? debug_process(&a)
                                             : debug(&a, argv + optind);
    }
    wt_session_options_free(&a.options);
    return status;
}

static const struct wt_option options[] = {
    {"pid", 'p', "N",
     "a host program that runs ('wavetrap ps' lists them), in the console\n"
     "of 'wavetrap debug --pid=N'",
     WT_OPTION_TEXT(struct attach, pid)},
    WT_PROGRAM_SOCKET_OPTIONS("a host program that runs elsewhere and listens there\n"
                              "('wavetrap exec --socket=ADDRESS'): tcp:127.0.0.1:PORT or unix:PATH",
                              WT_OPTION_SET(set_socket), WT_OPTION_TEXT(struct attach, token)),
    WT_ATTACHED_OPTIONS,
    {"symbols", 's', "FILE", "the program that runs there (ELF), for GDB",
     WT_OPTION_TEXT(struct attach, symbols)},
    {"rsp", 'r', "ADDRESS",
     "start no GDB, but let one connect: at :PORT, HOST:PORT or\n"
     "unix:PATH; port 0 is any free port",
     WT_OPTION_TEXT(struct attach, rsp)},
    {"allow-files", 0, NULL,
     "with --rsp: clients may write files anywhere (generate-core), not\n"
     "only new ones in the working folder",
     WT_OPTION_FLAG(struct attach, allow_files)},
    {"any-client", 0, NULL,
     "with --rsp: serve clients of other users and, at an address that they\n"
     "reach, of other machines, too: there is no password",
     WT_OPTION_FLAG(struct attach, any_client)},
    {"gdb", 0, "COMMAND", "which GDB (default: gdb-multiarch, else another that is there)",
     WT_OPTION_TEXT(struct attach, choice.gdb)},
    {"plain", 0, NULL, "do not load wavetrap's commands for GPUs into GDB",
     WT_OPTION_FLAG(struct attach, choice.plain)},
    {0},
};

const struct wt_subcommand cli_attach = {
    .name = "attach",
    .operands = "[-- GDB-ARGUMENTS]",
    .summary =
        "Debugs a device that is elsewhere: hardware, an RTL simulation, another emulator. It is\n"
        "halted, and GDB started on it. Or, with --pid or --socket, a host program that uses "
        "emulated GPUs.",
    .options = options,
    .device = false,
    .debugger = true,
    .notes =
        "The device is reached through its debug registers alone. 'detach' in GDB lets it run\n"
        "on; breakpoints are removed in any case. If the device does not answer, GDB gets an\n"
        "error that names the request, and the session continues when it answers again\n"
        "('monitor reattach' makes a new connection). The exit status is GDB's.\n",
    .run = attach,
};
