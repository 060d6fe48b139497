/* `wavetrap attach`: a debugger for a device that is not in this process. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/text.h"
#include "debug/vortex/vortex.h"
#include "debug/core/target.h"
#include "cli/code.h"
#include "cli/gdb_child.h"
#include "cli/connect.h"
#include "cli/options.h"
#include "cli/remote.h"
#include "object/image.h"

/* The address of the exit word of programs of the default profile. */
#define EXIT_ADDR 0x88

/* Time limit of the search for leftover breakpoints, before the user gets a prompt. */
#define LEFTOVERS_MS 2000

struct attach {
    struct cli_options options;          /* first: the context of the options */
    const char *dm, *jtag;               /* address of the device: one of them */
    const char *pid;                     /* or a host program */
    const char *symbols;                 /* the program's file, or NULL */
    const char *rsp;                     /* where to listen; NULL: start GDB */
    char socket[CLI_GDB_DIRECTORY + 16]; /* between it and this process */
    struct cli_gdb_choice choice;
    uint64_t exit_addr;
    bool reset, lift;
    struct cli_code code; /* of `symbols` */
    struct wt_bus *bus;
    struct wt_vortex_link link;
    struct wt_target target;
    struct wt_debugger *debugger;
    struct wt_session *session; /* of the debugger */
    struct wt_rsp_server *server;
};

/* ---- options ---- */

static enum wt_status set_dm(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->dm = value;
    return WT_OK;
}

static enum wt_status set_pid(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->pid = value;
    return WT_OK;
}

static enum wt_status set_jtag(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->jtag = value;
    return WT_OK;
}

static enum wt_status set_symbols(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->symbols = value;
    return WT_OK;
}

static enum wt_status set_rsp(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->rsp = value;
    return WT_OK;
}

static enum wt_status set_gdb(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->choice.gdb = value;
    return WT_OK;
}

static enum wt_status set_plain(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->choice.plain = true;
    return WT_OK;
}

static enum wt_status set_exit(void *context, const char *value, struct wt_error *err)
{
    return wt_parse_number(value, &((struct attach *)context)->exit_addr, err);
}

static enum wt_status set_reset(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->reset = true;
    return WT_OK;
}

static enum wt_status set_lift(void *context, const char *value, struct wt_error *err)
{
    ((struct attach *)context)->lift = true;
    return WT_OK;
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

/* All waves are stopped when a debugger has just attached. */
static enum wt_status stop_device(struct attach *a, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (a->reset)
        status = wt_debugger_reset(a->debugger, err);
    else if (wt_debugger_running(a->debugger))
        status = wt_debugger_interrupt(a->debugger, err);
    struct wt_event event;
    while ((event = wt_debugger_next_event(a->debugger)).kind != WT_EVENT_NONE)
        if (event.kind == WT_EVENT_STOPPED && event.reason == WT_STOP_LOST && !status)
            status = wt_fail(err, WT_IO, "%s", event.text);
    if (!status && a->options.connect.how.hold)
        status = wt_bus_start(a->bus, err);
    const struct wt_thread_info *list;
    size_t count;
    if (!status && !(status = wt_debugger_threads(a->debugger, &list, &count, err)) && count == 0)
        say(NULL, "no warp is active: the program has ended, or has not begun ('run' in GDB, or "
                  "--reset, resets the device)");
    return status;
}

/*
 * Looks for breakpoints that a debugger left in memory when it crashed: places where memory differs
 * from the program's file. On a slow device the search is cut short.
 */
static enum wt_status look_for_leftovers(struct attach *a, struct wt_error *err)
{
    uint64_t looked, total;
    size_t count;
    wt_debugger_set_code(a->debugger, a->code.list, a->code.count);
    enum wt_status status =
        wt_debugger_find_leftovers(a->debugger, a->lift ? 0 : LEFTOVERS_MS, &looked, &total, err);
    if (status)
        return status;
    const struct wt_leftover *list = wt_debugger_leftovers(a->debugger, &count);
    if (looked < total)
        fprintf(
            stderr,
            "wavetrap: looked for forgotten breakpoints in %llu of %llu bytes of code; 'monitor "
            "lift-breakpoints' looks at all\n",
            (unsigned long long)looked, (unsigned long long)total);
    if (count == 0)
        return WT_OK;
    fprintf(stderr,
            "wavetrap: %zu breakpoint%s of another debugger %s in memory, where %s has other "
            "code:",
            count, count == 1 ? "" : "s", count == 1 ? "is" : "are", a->symbols);
    for (size_t i = 0; i < count && i < 8; i++)
        fprintf(stderr, " 0x%llx", (unsigned long long)list[i].addr);
    fprintf(stderr, "%s; %s\n", count > 8 ? " ..." : "",
            a->lift ? "lifted" : "'monitor lift-breakpoints' in GDB, or --lift, lifts them");
    return a->lift ? wt_debugger_lift_leftovers(a->debugger, err) : WT_OK;
}

static enum wt_status open_device(struct attach *a, struct wt_error *err)
{
    enum wt_status status;
    /* Hardware: it runs by itself, and can be reached only through its registers. */
    static const struct wt_target_services none;
    if (a->symbols) {
        struct wt_image image;
        if ((status = wt_image_load(a->symbols, 0, &image, err)) != WT_OK)
            return status;
        enum wt_image_format format = image.format;
        wt_image_free(&image);
        if (format != WT_IMAGE_ELF)
            return wt_fail(err, WT_INVALID, "--symbols %s: it is no ELF file", a->symbols);
        if ((status = cli_code_read(a->symbols, &a->code, err)) != WT_OK)
            return status;
    }
    a->options.connect.address = a->jtag ? a->jtag : a->dm;
    a->options.connect.how.jtag = a->jtag != NULL;
    status = cli_connect_open(&a->options.connect, &a->bus, err);
    if (status)
        return status;
    a->link = (struct wt_vortex_link){
        .bus = a->bus, .exit_addr = a->exit_addr, .wait_ms = a->options.connect.how.timeout_ms};
    a->target = (struct wt_target){.link = &a->link, .services = &none, .context = a};
    const struct wt_debugger_options how = {
        .threads = a->options.device.threads, .output = print, .context = a};
    status = wt_debugger_open(&a->target, &wt_probe_vortex, &how, &a->debugger, err);
    a->choice.steps_to_watch = !a->target.services->set_watchpoints;
    if (!status)
        status = stop_device(a, err);
    return status || !a->symbols ? status : look_for_leftovers(a, err);
}

static void close_device(struct attach *a)
{
    wt_rsp_server_close(a->server);
    a->server = NULL;
    wt_session_free(a->session);
    a->session = NULL;
    wt_debugger_close(a->debugger);
    wt_bus_close(a->bus);
    cli_code_free(&a->code);
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
        rsp->stop_fd = cli_signal_fd(signals);
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
    a->session = wt_session_new(a->debugger);
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
            a->jtag ? a->jtag : a->dm);
    cli_say_how_to_connect(wt_rsp_server_address(a->server), false);
    if (a->choice.steps_to_watch)
        say(NULL, "it has no watchpoints: for those, 'set can-use-hw-watchpoints 0' first");
    if (wt_rsp_server_run(a->server, &err))
        return cli_fail(&cli_attach, &err);
    if (read(stop_fd, &info, sizeof info) == sizeof info && info.ssi_signo != SIGINT)
        return CLI_SIGNAL + (int)info.ssi_signo;
    return 0;
}

static int debug(struct attach *a, char **arguments)
{
    struct wt_error err;
    char directory[CLI_GDB_DIRECTORY] = "";
    struct wt_rsp_options rsp = wt_rsp_default_options();
    rsp.program = a->symbols;
    rsp.attached = true;
    rsp.log = a->rsp ? say : NULL;
    signal(SIGPIPE, SIG_IGN);
    int status;
    /* Until the device is connected Ctrl-C ends the command; then signals get their handlers. */
    if (open_device(a, &err) || open_server(a, &rsp, directory, &err))
        status = cli_fail(&cli_attach, &err);
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
static int debug_process(const char *pid)
{
    char option[64];
    char *words[] = {(char[]){"debug"}, option, NULL};
    snprintf(option, sizeof option, "--pid=%.40s", pid);
    return cli_debug.run(2, words);
}

static int attach(int argc, char **argv)
{
    struct attach a = {.exit_addr = EXIT_ADDR};
    struct wt_error err;
    int status = CLI_FAILED;
    switch (cli_parse(&cli_attach, argc, argv, &a, &a.options, 0, true)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        break;
    case CLI_GO:
        if (a.pid && (a.dm || a.jtag || a.rsp || optind < argc))
            wt_fail(&err, WT_INVALID,
                    "--pid opens the console of 'wavetrap debug', without a device elsewhere and "
                    "without GDB");
        else if (a.pid)
            status = -1;
        else if (a.dm && a.jtag)
            wt_fail(&err, WT_INVALID, "--dm and --jtag: a device is reached in one of these ways");
        else if (!a.dm && !a.jtag)
            wt_fail(&err, WT_INVALID,
                    "where is the device? Say one of --dm=tcp:HOST:PORT, "
                    "--dm=unix:PATH, --jtag=remote_bitbang:HOST:PORT and --pid=N");
        else if (a.jtag && a.options.connect.how.hold)
            wt_fail(&err, WT_INVALID,
                    "--hold is about the start request of --dm; a device behind "
                    "JTAG has none");
        else if (!a.jtag && (a.options.connect.how.jtag_tap || a.options.connect.how.jtag_ir))
            wt_fail(&err, WT_INVALID, "--jtag-tap and --jtag-ir go with --jtag");
        else if (a.lift && !a.symbols)
            wt_fail(&err, WT_INVALID, "--lift needs the program's file: --symbols=FILE");
        else if (a.rsp && optind < argc)
            wt_fail(&err, WT_INVALID, "'%.100s' is an argument for GDB, which --rsp does not start",
                    argv[optind]);
        else if (strcmp(a.rsp ? a.rsp : "", "stdio") == 0)
            wt_fail(&err, WT_INVALID, "--rsp takes :PORT, HOST:PORT or unix:PATH here");
        else
            status = -1;
        status = status >= 0 ? cli_fail(&cli_attach, &err)
                 : a.pid     ? debug_process(a.pid)
                             : debug(&a, argv + optind);
    }
    cli_options_free(&a.options);
    return status;
}

static const struct cli_option options[] = {
    {"pid", 'p', "N",
     "a host program that runs ('wavetrap ps' lists them), in the console\n"
     "of 'wavetrap debug --pid=N'",
     set_pid},
    {"dm", 0, "ADDRESS",
     "the device: a server of the Debug Module's registers by the line\n"
     "protocol of VxDebug, at tcp:HOST:PORT or unix:PATH",
     set_dm},
    {"jtag", 0, "ADDRESS",
     "the device: behind a JTAG TAP with a RISC-V Debug Transport\n"
     "Module, at remote_bitbang:HOST:PORT or remote_bitbang:unix:PATH",
     set_jtag},
    {"jtag-tap", 0, "N", CLI_CONNECT_TAP_HELP, cli_set_connect_tap},
    {"jtag-ir", 0, "BITS,...", CLI_CONNECT_IR_HELP, cli_set_connect_ir},
    {"symbols", 's', "FILE", "the program that runs there (ELF), for GDB", set_symbols},
    {"rsp", 'r', "ADDRESS",
     "start no GDB, but let one connect: at :PORT, HOST:PORT or\n"
     "unix:PATH; port 0 is any free port",
     set_rsp},
    {"gdb", 0, "COMMAND", "which GDB (default: gdb-multiarch, else another that is there)",
     set_gdb},
    {"plain", 0, NULL, "do not load wavetrap's commands for GPUs into GDB", set_plain},
    {"timeout", 0, "MS",
     "how long to wait for the connection, for each reply, and for\n"
     "the device to do a request, in milliseconds (default 5000)",
     cli_set_connect_timeout},
    {"reset", 0, NULL,
     "reset the device, halted before its first instruction (its\n"
     "memory stays)",
     set_reset},
    {"hold", 0, NULL,
     "halt a program that waits for its debugger first, then tell it to\n"
     "start",
     cli_set_connect_hold},
    {"lift", 0, NULL,
     "put the program's code back where another debugger left\n"
     "breakpoints in memory (with --symbols)",
     set_lift},
    {"exit-word", 0, "ADDRESS", "where the program leaves its exit word (default 0x88)", set_exit},
    {0},
};

const struct cli_command cli_attach = {
    .name = "attach",
    .operands = "[-- GDB-ARGUMENTS]",
    .summary =
        "Debugs a device that is elsewhere: hardware, an RTL simulation, another emulator. It is\n"
        "halted, and GDB started on it. Or, with --pid, a host program that uses emulated GPUs.",
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
