/* `wavetrap gdb`: GDB on a program at its first instruction, in one command. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/remote.h"

struct gdb {
    struct cli_options options;
    const char *gdb; /* NULL: the first of `debuggers` that is there */
};

static const char *const debuggers[] = {"gdb-multiarch", "riscv64-unknown-elf-gdb", "gdb"};

static enum wt_status set_gdb(void *context, const char *value, struct wt_error *err)
{
    ((struct gdb *)context)->gdb = value;
    return WT_OK;
}

/* In the child: becomes GDB, connected to the server. Does not return. */
static void become_gdb(const char *gdb, const char *program, const char *socket, char **more)
{
    size_t count = 0;
    while (more[count])
        count++;
    const char **argv = calloc(count + 8, sizeof *argv);
    char connect[256];
    if (!argv)
        _exit(CLI_FAILED);
    snprintf(connect, sizeof connect, "target extended-remote %s", socket);
    size_t n = 1;
    if (program)
        argv[n++] = program;
    argv[n++] = "-ex";
    argv[n++] = connect;
    for (size_t i = 0; i < count; i++)
        argv[n++] = more[i];
    /* The terminal is GDB's: signals as this process found them. */
    sigset_t none;
    sigemptyset(&none);
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < (gdb ? 1 : sizeof debuggers / sizeof *debuggers); i++) {
        argv[0] = gdb ? gdb : debuggers[i];
        execvp(argv[0], (char **)(uintptr_t)argv);
        if (errno != ENOENT)
            break;
    }
    fprintf(stderr, "wavetrap gdb: cannot start %s: %s%s\n", gdb ? gdb : debuggers[0],
            strerror(errno), gdb ? "" : " (install gdb-multiarch, or name another with --gdb)");
    _exit(CLI_FAILED);
}

/* Waits for GDB, which is asked to go if something else ended the server; its exit status. */
static int reap(pid_t child, int signal_fd)
{
    struct signalfd_siginfo info;
    int status, ended_by = 0;
    while (read(signal_fd, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD)
            ended_by = (int)info.ssi_signo;
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == 0) {
        kill(child, ended_by ? SIGTERM : SIGHUP);
        kill(child, SIGCONT);
        done = waitpid(child, &status, 0);
    }
    if (ended_by)
        return CLI_SIGNAL + ended_by;
    if (done != child)
        return CLI_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLI_SIGNAL + WTERMSIG(status);
}

static int run_gdb(struct gdb *g, char **operands, const char *directory)
{
    struct cli_remote remote;
    struct wt_error err;
    struct wt_rsp_options rsp = wt_rsp_default_options();
    static const int signals[] = {SIGCHLD, SIGTERM, SIGHUP, 0};
    char address[128];
    snprintf(address, sizeof address, "unix:%s/gdb", directory);
    rsp.address = address;
    rsp.program = operands[0];
    rsp.console_to_gdb = true;
    /* Ctrl-C and Ctrl-\ are for GDB, which asks the server to interrupt the program. Being told
     * that GDB was stopped or goes on (Ctrl-Z) is of no use. */
    struct sigaction quiet = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
    sigaction(SIGCHLD, &quiet, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    rsp.stop_fd = cli_signal_fd(signals);
    if (rsp.stop_fd < 0) {
        wt_fail(&err, WT_IO, "signalfd: %s", strerror(errno));
        return cli_fail(&cli_gdb, &err);
    }
    if (cli_remote_open(&remote, &g->options, operands[0], &rsp, stdout, &err)) {
        close(rsp.stop_fd);
        return cli_fail(&cli_gdb, &err);
    }
    bool elf = remote.session.image.format == WT_IMAGE_ELF;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gdb(g->gdb, elf ? operands[0] : NULL, wt_rsp_server_address(remote.server),
                   operands + 1);
    int status;
    if (child < 0) {
        wt_fail(&err, WT_IO, "fork: %s", strerror(errno));
        status = cli_fail(&cli_gdb, &err);
    } else {
        if (wt_rsp_server_run(remote.server, &err))
            cli_fail(&cli_gdb, &err);
        status = reap(child, rsp.stop_fd);
    }
    cli_remote_close(&remote);
    close(rsp.stop_fd);
    return status;
}

static int gdb(int argc, char **argv)
{
    struct gdb g = {0};
    int status = CLI_FAILED;
    switch (cli_parse(&cli_gdb, argc, argv, &g, &g.options, 1, true)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        break;
    case CLI_GO: {
        const char *tmp = getenv("TMPDIR");
        char directory[100];
        int length = snprintf(directory, sizeof directory, "%s/wavetrap-XXXXXX",
                              tmp && *tmp && strlen(tmp) < 60 ? tmp : "/tmp");
        if (length < 0 || !mkdtemp(directory)) {
            struct wt_error err;
            wt_fail(&err, WT_IO, "%s: %s", directory, strerror(errno));
            status = cli_fail(&cli_gdb, &err);
            break;
        }
        status = run_gdb(&g, argv + optind, directory);
        rmdir(directory);
    }
    }
    cli_options_free(&g.options);
    return status;
}

static const struct cli_option options[] = {
    {"gdb", 0, "COMMAND", "which GDB (default: gdb-multiarch, else another that is there)", set_gdb},
    {0},
};

const struct cli_command cli_gdb = {
    .name = "gdb",
    .operands = "PROGRAM [-- GDB-ARGUMENTS]",
    .summary = "Starts GDB connected to PROGRAM at its first instruction. What the program prints is\n"
               "shown by GDB; 'run' starts it afresh.",
    .options = options,
    .device = true,
    .debugger = true,
    .notes = "The exit status is GDB's.\n",
    .run = gdb,
};
