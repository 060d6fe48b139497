/* `wavetrap serve`: a program behind a server for GDB and LLDB. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/remote.h"
#include "cli/serve_registers.h"

struct serve {
    struct wt_session_options options;
    struct wt_rsp_options rsp;
    const char *address[CLI_SERVERS]; /* --rsp */
    size_t address_count;
    const char *page; /* the address of --view; NULL: no pages */
    struct cli_serve_registers registers;
    struct wt_report_check check;
};

static enum wt_status set_rsp(void *context, const char *value, struct wt_error *err)
{
    struct serve *s = context;
    if (s->address_count == CLI_SERVERS)
        return wt_fail(err, WT_INVALID, "at most %d addresses can be served", CLI_SERVERS);
    s->address[s->address_count++] = value;
    s->rsp.address = s->address[0];
    return WT_OK;
}

static enum wt_status set_jtag_cycles(void *context, const char *value, struct wt_error *err)
{
    enum wt_status status;
    uint64_t cycles;
    if ((status = wt_parse_number(value, &cycles, err)) != WT_OK)
        return status;
    if (cycles > 1000000)
        return wt_fail(err, WT_INVALID, "%s clocks are too many; 1000000 is the most", value);
    ((struct serve *)context)->registers.dmi_cycles = (unsigned)cycles;
    return WT_OK;
}

static enum wt_status set_view(void *context, const char *value, struct wt_error *err)
{
    ((struct serve *)context)->page = value ? value : WT_LISTEN_ANYWHERE;
    return WT_OK;
}

static enum wt_status set_any_client(void *context, const char *value, struct wt_error *err)
{
    ((struct serve *)context)->rsp.any_client = true;
    ((struct serve *)context)->registers.any_client = true;
    return WT_OK;
}

static enum wt_status set_once(void *context, const char *value, struct wt_error *err)
{
    ((struct serve *)context)->rsp.until = WT_RSP_CLIENT_LEFT;
    ((struct serve *)context)->registers.once = true;
    return WT_OK;
}

static void say(void *context, const char *text)
{
    fprintf(stderr, "wavetrap: %s\n", text);
}

/* Serves until the end; the status is the program's if `--once` let it run to its end. */
static int serve_program(struct serve *s, const char *program)
{
    struct cli_remote remote;
    struct wt_error err;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    bool stdio = strcmp(s->rsp.address, "stdio") == 0;
    s->rsp.program = program;
    s->rsp.log = say;
    s->rsp.stop_fd = wt_session_signal_fd(signals);
    if (s->rsp.stop_fd < 0) {
        wt_fail(&err, WT_IO, "signalfd: %s", strerror(errno));
        return wt_subcommand_fail(&cli_serve, &err);
    }
    signal(SIGPIPE, SIG_IGN);
    int status = 0;
    const struct cli_pages_counts counts = {NULL, NULL};
    struct cli_pages *pages = NULL;
    if (s->page && cli_pages_open("serve", s->page, &counts, &pages, &err)) {
        close(s->rsp.stop_fd);
        return wt_subcommand_fail(&cli_serve, &err);
    }
    /* Standard output belongs to the protocol if the client is connected to it. */
    if (cli_remote_open(&remote, &s->options, program, &s->rsp, &s->check, stdio ? stderr : stdout,
                        &err)) {
        status = wt_subcommand_fail(&cli_serve, &err);
        cli_pages_close(pages);
    } else {
        if (!stdio) {
            fprintf(stderr, "wavetrap: %s is halted before its first instruction. In GDB, type\n",
                    program);
            cli_say_how_to_connect(wt_rsp_server_address(remote.server[0]), true);
        }
        enum wt_status listening = pages ? cli_remote_show(&remote, pages, &err) : WT_OK;
        for (size_t i = 1; i < s->address_count && !listening; i++) {
            struct wt_rsp_options beside = s->rsp;
            beside.address = s->address[i];
            listening = cli_remote_listen(&remote, &beside, &err);
            if (!listening)
                fprintf(stderr, "wavetrap: a client beside it can connect to %s\n",
                        wt_rsp_server_address(remote.server[i]));
        }
        if (listening || wt_rsp_server_run(remote.server[0], &err)) {
            status = wt_subcommand_fail(&cli_serve, &err);
        } else {
            struct signalfd_siginfo info;
            uint32_t word;
            if (read(s->rsp.stop_fd, &info, sizeof info) == sizeof info)
                status = info.ssi_signo == SIGINT ? 0 : WT_EXIT_SIGNAL + (int)info.ssi_signo;
            else if (wt_debugger_ended(remote.device.debugger, &word))
                status = wt_report_word_status(word);
        }
        const int checked = cli_remote_close(&cli_serve, &remote);
        status = status ? status : checked;
    }
    close(s->rsp.stop_fd);
    return status;
}

/* Only one debugger can own the registers: ours, behind the remote protocol, or the client's. */
static int serve_either(struct serve *s, const char *program)
{
    struct wt_error err;
    if (!s->registers.dm && !s->registers.jtag) {
        for (size_t i = 0; i < s->address_count && s->address_count > 1; i++) {
            if (strcmp(s->address[i], "stdio") == 0) {
                wt_fail(&err, WT_INVALID,
                        "--rsp=stdio is for one client; it cannot be served beside "
                        "another address");
                return wt_subcommand_fail(&cli_serve, &err);
            }
        }
        if (!s->rsp.address)
            s->rsp.address = ":3333";
        return serve_program(s, program);
    }
    if (s->check.any) {
        wt_fail(&err, WT_INVALID,
                "--check is for --rsp: a client that drives the Debug Module has no findings; "
                "'wavetrap run' reports them");
        return wt_subcommand_fail(&cli_serve, &err);
    }
    if (s->page) {
        wt_fail(&err, WT_INVALID,
                "--view is for --rsp: a client that drives the Debug Module is the only debugger");
        return wt_subcommand_fail(&cli_serve, &err);
    }
    if (s->registers.dm && s->registers.jtag) {
        wt_fail(&err, WT_INVALID,
                "--dm and --jtag: one debugger owns the Debug Module, so that it "
                "is served in one way only");
        return wt_subcommand_fail(&cli_serve, &err);
    }
    if (s->rsp.address || s->rsp.console_to_gdb) {
        wt_fail(&err, WT_INVALID,
                "--dm and --jtag give the Debug Module to their client, so that there is no "
                "debugger here for "
                "--rsp and --console-to-gdb; run 'wavetrap attach' for one");
        return wt_subcommand_fail(&cli_serve, &err);
    }
    return cli_serve_registers(&cli_serve, &s->options, program, &s->registers);
}

static int serve(int argc, char **argv)
{
    struct serve s = {.rsp = wt_rsp_default_options()};
    s.rsp.address = NULL;
    int status = wt_subcommand_parse(&cli_serve, argc, argv, &s, &s.options, 1, false);
    if (status == WT_SUBCOMMAND_GO) {
        status = serve_either(&s, argv[optind]);
    }
    wt_report_check_free(&s.check);
    wt_session_options_free(&s.options);
    return status;
}

static const struct wt_option options[] = {
    {"rsp", 'r', "ADDRESS",
     "where GDB and LLDB connect (default :3333): :PORT, HOST:PORT,\n"
     "unix:PATH or stdio; port 0 is any free port; given several times,\n"
     "several clients may be connected at the same time",
     WT_OPTION_SET(set_rsp)},
    {"dm", 0, "ADDRESS",
     "serve the Debug Module's registers instead, for debuggers that\n"
     "drive them, by the line protocol of VxDebug (PORT, HOST:PORT,\n"
     "unix:PATH); the program waits for a client's 's'",
     WT_OPTION_TEXT(struct serve, registers.dm)},
    {"jtag", 0, "ADDRESS",
     "serve them behind a JTAG TAP, by OpenOCD's remote_bitbang; the\n"
     "program waits with its warps halted",
     WT_OPTION_TEXT(struct serve, registers.jtag)},
    {"jtag-cycles", 0, "N", "clocks of TCK that an access over JTAG takes (default 0)",
     WT_OPTION_SET(set_jtag_cycles)},
    {"now", 0, NULL, "with --dm or --jtag: start the program at once",
     WT_OPTION_FLAG(struct serve, registers.now)},
    {"once", 0, NULL,
     "end when the first client has left (and, if it detached, the\n"
     "program has ended)",
     WT_OPTION_SET(set_once)},
    {"console-to-gdb", 0, NULL, "show the program's console in the client",
     WT_OPTION_FLAG(struct serve, rsp.console_to_gdb)},
    {"allow-files", 0, NULL,
     "clients may write files anywhere ('monitor generate-core'), not only\n"
     "new ones in the working folder",
     WT_OPTION_FLAG(struct serve, rsp.allow_files)},
    {"any-client", 0, NULL,
     "serve clients of other users and, at an address that they reach, of other\n"
     "machines, too: there is no password",
     WT_OPTION_SET(set_any_client)},
    {"view", 0, "[=PORT]",
     "show the lanes in a browser, too: docs/view.md; the page's address is\n"
     "printed, and the page follows the stops of the clients",
     WT_OPTION_SET(set_view)},
    WT_CHECK_OPTIONS(struct serve, check),
    {0},
};

const struct wt_subcommand cli_serve = {
    .name = "serve",
    .operands = "PROGRAM",
    .summary =
        "Serves PROGRAM to stock GDB and LLDB over the remote serial protocol. It is halted\n"
        "before its first instruction. With --dm or --jtag, its Debug Module is served\n"
        "instead, to debuggers that drive it. GDB and LLDB know none of the GPUs but Vortex:\n"
        "'wavetrap debug' is for the others.",
    .options = options,
    .device = true,
    .debugger = true,
    .notes =
        "A client that leaves without detaching leaves the program halted; the next one finds\n"
        "it where it was. After the program's end the next client gets it from its beginning.\n"
        "One client at a time for each --rsp; clients see each other's stops, and breakpoints\n"
        "belong to the client that set them. Ctrl-C ends the server. With --once the exit status "
        "is the\n"
        "program's, as that of 'wavetrap run', if it reached its end.\n",
    .run = serve,
};
