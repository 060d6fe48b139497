/* See exec_gdb.h. The server is nobody's child, so that the program finds the children that it
 * expects.
 */
#include "cli/exec_gdb.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/held.h"
#include "base/listen.h"
#include "cli/cli.h"
#include "emulator/machine/timeline.h"
#include "frontend/rsp/rsp.h"
#include "target/process.h"

#define LOOK_MS 20  /* between two looks for a program that opens GPUs */
#define DEEPEST 16u /* programs that start each other */

struct server {
    const char *address;
    bool any_client;
    pid_t first; /* the process whose programs are meant */
    pid_t pid;   /* the program */
    int ended;   /* readable once the program, or before it the process, has ended */
    const struct wt_family *family;
    struct wt_process process;
    struct wt_session *session;
    struct wt_client *looker; /* takes notice of code */
    struct wt_rsp_server *rsp;
    char program[4096]; /* the file of the code that was loaded first; "": none */
    bool stands;        /* a launch was met */
};

static void say(void *context, const char *text)
{
    fprintf(stderr, "wavetrap: %s\n", text);
}

/* ---- the program ---- */

static pid_t find_below(pid_t pid, unsigned depth, const struct wt_family **family);

/* Of those that a thread of process @p pid has started. */
static pid_t find_of_thread(pid_t pid, const char *thread, unsigned depth,
                            const struct wt_family **family)
{
    char path[96];
    long child;
    pid_t found = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, thread);
    FILE *list = fopen(path, "re");
    while (list && !found && fscanf(list, "%ld", &child) == 1)
        found = find_below((pid_t)child, depth + 1, family);
    if (list)
        fclose(list);
    return found;
}

/* The first program at or below process @p pid that can be reached; 0: none. */
static pid_t find_below(pid_t pid, unsigned depth, const struct wt_family **family)
{
    char path[64];
    pid_t found = 0;
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        bool reachable = false;
        if ((*f)->debug.gdb && (*f)->debug.process &&
            wt_connection_reachable(pid, (*f)->debug.process->socket, &reachable, WT_IGNORED) ==
                WT_OK &&
            reachable) {
            *family = *f;
            return pid;
        }
    }
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = depth < DEEPEST ? opendir(path) : NULL;
    const struct dirent *task;
    while (tasks && !found && (task = readdir(tasks)))
        if (*task->d_name != '.')
            found = find_of_thread(pid, task->d_name, depth, family);
    if (tasks)
        closedir(tasks);
    return found;
}

static bool has_ended(const struct server *s, int ms)
{
    struct pollfd p = {.fd = s->ended, .events = POLLIN};
    return s->ended < 0 || poll(&p, 1, ms) > 0;
}

/* False: it has ended, and has opened no GPU. */
static bool await_program(struct server *s)
{
    s->ended = pidfd_open(s->first, 0);
    while (!(s->pid = find_below(s->first, 0, &s->family)))
        if (has_ended(s, LOOK_MS))
            return false;
    if (s->pid != s->first) {
        close(s->ended);
        s->ended = pidfd_open(s->pid, 0);
    }
    return true;
}

/* ---- its debugger ---- */

/* Says which files code is from; the first one is offered to GDB. */
static void note_code(void *context, enum wt_module_change change, const struct wt_module *m)
{
    struct server *s = context;
    char text[4200];
    if (change != WT_MODULE_ADDED)
        return;
    snprintf(text, sizeof text, "code that was loaded is that of %.3900s", m->name);
    say(NULL, text);
    if (!*s->program)
        snprintf(s->program, sizeof s->program, "%s", m->name);
}

static void look(void *context, const struct wt_probe_event *news)
{
    struct server *s = context;
    struct wt_error err;
    if (news->kind == WT_PROBE_MODULES_CHANGED && wt_process_refresh(&s->process, &err))
        say(NULL, err.text);
}

static void stopped(void *context, const struct wt_event *event)
{
    struct server *s = context;
    if (!s->rsp)
        wt_session_end(s->session);
}

static const struct wt_client_ops looker = {WT_CLIENT_LOOKS, .event = stopped, .news = look};

/* The program has ended while no client is there to be told. */
static void program_ended(void *context, int fd, short events)
{
    struct server *s = context;
    wt_loop_forget(wt_session_loop(s->session), fd);
    wt_session_end_when_idle(s->session);
}

static void kill_program(void *context)
{
    kill(((struct server *)context)->pid, SIGKILL);
}

/* Goes to the first launch. */
static enum wt_status meet_launch(struct server *s, struct wt_error *err)
{
    struct wt_debugger *d = s->process.debugger;
    const struct wt_thread_info *list;
    size_t count;
    enum wt_status status = WT_OK;
    if (wt_debugger_running(d))
        status = wt_debugger_interrupt(d, err);
    while (wt_debugger_next_event(d).kind != WT_EVENT_NONE)
        continue;
    if (!status && !(status = wt_debugger_threads(d, &list, &count, err)) && !count &&
        !(status = wt_debugger_run_to_launch(d, err)))
        status = wt_session_run(s->session, err);
    s->stands = !status && !wt_debugger_ended(d, NULL);
    return status;
}

static enum wt_status open_debugger(struct server *s, struct wt_error *err)
{
    const struct wt_process_place place = {.pid = s->pid};
    const struct wt_debugger_options how = {.threads = WT_THREADS_AUTO};
    enum wt_status status =
        wt_process_open(&s->process, s->family, &place, &how, WT_TIMELINE_BUDGET_DEFAULT, err);
    if (status)
        return status;
    s->session = wt_session_new(s->process.debugger);
    s->looker = s->session ? wt_session_join(s->session, &looker, s) : NULL;
    if (!s->looker)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    size_t count;
    const struct wt_module *list = wt_modules_list(s->process.modules, &count);
    for (size_t i = 0; i < count; i++)
        note_code(s, WT_MODULE_ADDED, &list[i]);
    status = wt_modules_observe(s->process.modules, note_code, s, err);
    return status ? status : meet_launch(s, err);
}

static enum wt_status serve(struct server *s, struct wt_error *err)
{
    struct wt_rsp_options rsp = wt_rsp_default_options();
    rsp.address = s->address;
    rsp.any_client = s->any_client;
    rsp.program = *s->program ? s->program : NULL;
    rsp.until = WT_RSP_PROGRAM_LEFT;
    rsp.attached = true;
    rsp.kill = kill_program;
    rsp.log = say;
    rsp.context = s;
    enum wt_status status = wt_rsp_server_open(&rsp, s->session, &s->rsp, err);
    if (status)
        return status;
    if (!wt_loop_watch(wt_session_loop(s->session), s->ended, POLLIN, program_ended, s))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (!*s->program)
        say(NULL, "no ELF file was found for this code: GDB has no names and lines without one "
                  "('file kernel.elf')");
    fprintf(
        stderr,
        "wavetrap: process %d is stopped before the first instruction of its first launch. In GDB, "
        "type\n",
        (int)s->pid);
    cli_say_how_to_connect(wt_rsp_server_address(s->rsp), false);
    return wt_rsp_server_run(s->rsp, err);
}

static void run(struct server *s)
{
    struct wt_error err;
    enum wt_status status;
    if (!await_program(s)) {
        say(NULL, "--gdb: the program has ended, and has opened no GPU that GDB knows");
        return;
    }
    status = open_debugger(s, &err);
    if (!status && s->stands)
        status = serve(s, &err);
    else if (!status)
        say(NULL, "--gdb: the program has ended without a launch");
    if (status && !has_ended(s, 0))
        fprintf(stderr, "wavetrap: --gdb: %s; the program continues without GDB\n", err.text);
    wt_rsp_server_close(s->rsp);
    wt_client_leave(s->looker);
    if (s->session)
        wt_session_free(s->session);
    wt_process_close(&s->process);
}

/* In the server's own process. The terminal's signals are the program's. */
static void become_server(const char *address, bool any_client, pid_t first)
{
    struct server s = {.address = address, .any_client = any_client, .first = first, .ended = -1};
    const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (empty >= 0)
        dup2(empty, STDIN_FILENO);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    run(&s);
    _exit(0);
}

enum wt_status cli_exec_gdb(const char *address, bool any_client, struct wt_error *err)
{
    struct wt_listener probe;
    const pid_t first = getpid();
    pid_t server = 0;
    int ends[2];
    char held[32];
    if (strcmp(address, "stdio") == 0)
        return wt_fail(err, WT_INVALID,
                       "--gdb takes :PORT, HOST:PORT or unix:PATH: the program has standard input");
    enum wt_status status = wt_listen_without_password(address, any_client, &probe, err);
    if (status)
        return wt_fail_in(err, "--gdb");
    wt_listener_close(&probe);
    if (pipe2(ends, O_CLOEXEC))
        return wt_fail(err, WT_IO, "pipe: %s", strerror(errno));
    const pid_t middle = fork();
    if (middle == 0) {
        server = fork();
        if (server == 0) {
            close(ends[0]);
            close(ends[1]);
            become_server(address, any_client, first);
        }
        _exit(write(ends[1], &server, sizeof server) != sizeof server);
    }
    close(ends[1]);
    const bool told = middle > 0 && read(ends[0], &server, sizeof server) == sizeof server;
    close(ends[0]);
    while (middle > 0 && waitpid(middle, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (!told || server <= 0)
        return wt_fail(err, WT_IO, "--gdb: the server cannot be started");
    snprintf(held, sizeof held, "1:%d", (int)server);
    return setenv(WT_HELD_VARIABLE, held, 1) ? wt_fail(err, WT_NO_MEMORY, "no host memory") : WT_OK;
}
