/* GDB as a child of this process, connected to the server in it. */
#include "cli/gdb_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "cli/cli.h"
#include "frontend/rsp/rsp.h"
#include "session/interrupts.h"

static const char *const debuggers[] = {"gdb-multiarch", "riscv64-unknown-elf-gdb", "gdb"};

/* In the child: becomes GDB, connected to the server. Does not return. */
static void become_gdb(const struct cli_gdb_choice *choice, const char *program, const char *socket,
                       char **more)
{
    const char *gdb = choice->gdb;
    size_t count = 0;
    while (more[count])
        count++;
    const char **argv = calloc(count + 17, sizeof *argv);
    char connect[256], extension[PATH_MAX], source[PATH_MAX + 16];
    if (!argv)
        _exit(WT_EXIT_FAILED);
    snprintf(connect, sizeof connect, "target extended-remote %s", socket);
    size_t n = 1;
    bool greet = false;
    argv[n++] = "-q";
    if (!choice->plain && cli_gdb_extension(extension, sizeof extension)) {
        snprintf(source, sizeof source, "source %s", extension);
        argv[n++] = "-iex";
        argv[n++] = source;
        greet = isatty(STDIN_FILENO);
    }
    /* Each kernel creates and ends hundreds of lanes: GDB's messages about them are turned off. */
    argv[n++] = "-iex";
    argv[n++] = "set print thread-events off";
    if (choice->steps_to_watch) {
        argv[n++] = "-iex";
        argv[n++] = "set can-use-hw-watchpoints 0";
    }
    if (program)
        argv[n++] = program;
    if (greet) {
        argv[n++] = "-ex";
        argv[n++] = "echo For GPUs: info warps, info lanes, lane, warp, goto-time, who-wrote; "
                    "'help wavetrap' has them all.\\n";
    }
    argv[n++] = "-ex";
    argv[n++] = connect;
    for (size_t i = 0; i < count; i++)
        argv[n++] = more[i];
    /* The terminal belongs to GDB: signals are as this process found them. */
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
    _exit(WT_EXIT_FAILED);
}

/* Waits for GDB and returns its exit status. If something else ended the server, GDB is asked to
 * quit; it would wait some seconds for an answer to its farewell from a connection that is open. */
static int reap(pid_t child, struct wt_rsp_server *server, int signal_fd)
{
    struct signalfd_siginfo info;
    int status, ended_by = 0;
    while (read(signal_fd, &info, sizeof info) == sizeof info)
        if (info.ssi_signo != SIGCHLD)
            ended_by = (int)info.ssi_signo;
    pid_t done = waitpid(child, &status, WNOHANG);
    if (done == 0) {
        wt_rsp_server_hang_up(server);
        kill(child, ended_by ? SIGTERM : SIGHUP);
        kill(child, SIGCONT);
        done = waitpid(child, &status, 0);
    }
    if (ended_by)
        return WT_EXIT_SIGNAL + ended_by;
    if (done != child)
        return WT_EXIT_FAILED;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WT_EXIT_SIGNAL + WTERMSIG(status);
}

/*
 * Becomes a process that waits until the command ends, which it sees by the end of a pipe, and then
 * removes the directory. The process is orphaned and in a session of its own: signals that kill the
 * command, SIGKILL and Ctrl-C included, do not reach it.
 */
static void become_cleaner(const char *directory, int pipe_end)
{
    char socket[CLI_GDB_DIRECTORY + 8], byte;
    const int end = 3;
    setsid();
    if (fork() != 0)
        _exit(0);
    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_IGN);
    /* Closes all other files, so that no reader of a pipe waits for this process. */
    if (dup2(pipe_end, end) != end)
        _exit(1);
    for (int fd = 0; fd < end; fd++)
        close(fd);
    close_range((unsigned)end + 1, ~0u, 0);
    while (read(end, &byte, 1) < 0 && errno == EINTR)
        continue;
    snprintf(socket, sizeof socket, "%s/gdb", directory);
    unlink(socket);
    rmdir(directory);
    _exit(0);
}

enum wt_status cli_gdb_directory(char directory[CLI_GDB_DIRECTORY], struct wt_error *err)
{
    const char *tmp = wt_temporary_folder();
    int ends[2];
    int length = snprintf(directory, CLI_GDB_DIRECTORY, "%s/wavetrap-XXXXXX",
                          strlen(tmp) < 60 ? tmp : "/tmp");
    if (length < 0 || !mkdtemp(directory))
        return wt_fail(err, WT_IO, "%s: %s", directory, strerror(errno));
    /* The other end stays open until this process ends. GDB does not inherit it. */
    if (pipe2(ends, O_CLOEXEC) != 0)
        return WT_OK; /* then the directory is removed only at a normal end */
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become_cleaner(directory, ends[0]);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return WT_OK;
}

enum wt_status cli_gdb_signals(int *fd, struct wt_error *err)
{
    static const int signals[] = {SIGCHLD, SIGTERM, SIGHUP, 0};
    /* Ctrl-C and Ctrl-\ are for GDB, which asks the server to interrupt the program. Notices that
     * GDB was stopped or continued (Ctrl-Z) are not needed. */
    struct sigaction quiet = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
    sigaction(SIGCHLD, &quiet, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    *fd = wt_session_signal_fd(signals);
    return *fd < 0 ? wt_fail(err, WT_IO, "signalfd: %s", strerror(errno)) : WT_OK;
}

int cli_gdb_serve(const struct wt_subcommand *command, const struct cli_gdb_choice *choice,
                  const char *program, char **arguments, struct wt_rsp_server *server,
                  int signal_fd)
{
    struct wt_error err;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gdb(choice, program, wt_rsp_server_address(server), arguments);
    if (child < 0) {
        wt_fail(&err, WT_IO, "fork: %s", strerror(errno));
        return wt_subcommand_fail(command, &err);
    }
    if (wt_rsp_server_run(server, &err))
        wt_subcommand_fail(command, &err);
    return reap(child, server, signal_fd);
}
