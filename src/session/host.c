/* See host.h. */
#include "session/host.h"

#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/private_dir.h"
#include "base/text.h"
#include "frontend/console/console.h"
#include "session/exec_file.h"
#include "target/process.h"

#define LOOK_MS 20 /* interval between two polls of a program that starts or ends */

struct wt_session_host {
    struct wt_session_host_options options;
    struct wt_shell *console;
    struct wt_process none, process; /* one of them is in use */
    struct wt_session *none_session, *session;
    pid_t pid;         /* 0: there is no program */
    char address[160]; /* where it is, if not this process; or "" */
    bool own;          /* it was started here */
    pid_t guard;       /* the process that ends it if this one is killed; 0: none */
    int guard_end;     /* our end of its pipe */
    int others_timer;  /* a timerfd; -1: none */
    uint32_t others;   /* families of other GPUs of the program: wt_process_release_others() */
    char sockets[108]; /* the folder in which they are found */
    struct timespec sockets_are; /* when it has changed last */
    unsigned times, looks; /* that the timer has run out; of the next ones, those to look at */
};

static struct wt_debugger_options debugger_options(const struct wt_session_host *h)
{
    return (struct wt_debugger_options){.threads = WT_THREADS_LANES,
                                        .unrecorded = h->options.unrecorded,
                                        .output = h->options.output,
                                        .context = h->options.context};
}

static enum wt_status new_session(struct wt_session_host *h, struct wt_debugger *debugger,
                                  struct wt_session **session, struct wt_error *err)
{
    *session = wt_session_new(debugger);
    if (!*session)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return h->options.watch_signals(h->options.context, wt_session_loop(*session), err);
}

enum wt_status wt_session_host_open(const struct wt_session_host_options *options,
                                    struct wt_session_host **host, struct wt_error *err)
{
    struct wt_session_host *h = calloc(1, sizeof *h);
    if (!h)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    h->options = *options;
    h->others_timer = -1;
    const struct wt_debugger_options how = debugger_options(h);
    char path[4096];
    const bool found = options->program && exec_file_find(options->program, path, sizeof path);
    enum wt_status status =
        wt_process_open_none(&h->none, options->family, found ? path : NULL, &how, err);
    if (!status)
        status = new_session(h, h->none.debugger, &h->none_session, err);
    if (status)
        wt_session_host_close(h);
    else
        *host = h;
    return status;
}

struct wt_session *wt_session_host_session(struct wt_session_host *h)
{
    return h->session ? h->session : h->none_session;
}

struct wt_modules *wt_session_host_modules(struct wt_session_host *h)
{
    return h->session ? h->process.modules : h->none.modules;
}

const struct wt_family *wt_session_host_family(const struct wt_session_host *h)
{
    return h->session ? h->process.family : h->none.family;
}

unsigned wt_session_host_instruction(struct wt_session_host *h, uint64_t addr, const uint8_t *bytes,
                                     size_t length, char *text, size_t size)
{
    return wt_process_instruction_text(h->session ? &h->process : &h->none, addr, bytes, length,
                                       text, size);
}

bool wt_session_host_code_register(struct wt_session_host *h, uint64_t pc, size_t n,
                                   struct wt_code_register *reg)
{
    return wt_process_code_register(h->session ? &h->process : &h->none, pc, n, reg);
}

void wt_session_host_serve(struct wt_session_host *h, struct wt_shell *console)
{
    h->console = console;
}

static void end_session(struct wt_session **session)
{
    if (*session)
        wt_session_free(*session);
    *session = NULL;
}

static struct wt_process_place place_of(const struct wt_session_host *h)
{
    return (struct wt_process_place){
        .pid = h->pid, .address = *h->address ? h->address : NULL, .token = h->options.token};
}

/* ---- GPUs of other families ---- */

/* Whether sockets have come or gone just now. A name is there a moment before somebody listens:
 * once a second it is looked for anyhow. */
static bool has_new_sockets(struct wt_session_host *h)
{
    enum { TIMES_A_SECOND = 20, LOOKS = 3 };
    struct stat now;
    if (stat(h->sockets, &now) || h->times++ % TIMES_A_SECOND == 0)
        return true;
    if (now.st_mtim.tv_sec != h->sockets_are.tv_sec ||
        now.st_mtim.tv_nsec != h->sockets_are.tv_nsec)
        h->looks = LOOKS;
    h->sockets_are = now.st_mtim;
    return h->looks && h->looks--;
}

/* A debugger is of one family. Kernels of another one would wait for a debugger for ever. */
static void look_for_others(void *context, int fd, short events)
{
    struct wt_session_host *h = context;
    const struct wt_process_place place = place_of(h);
    const struct wt_family *found;
    uint64_t times;
    char text[300];
    if (read(fd, &times, sizeof times) != sizeof times || !h->session || !has_new_sockets(h) ||
        wt_process_release_others(&place, h->process.family, &h->others, &found, WT_IGNORED) ||
        !found)
        return;
    /* Whatever their models are: */
    const struct wt_family *own = h->process.family;
    const char *name = found->alias ? found->alias : found->name;
    const int length =
        snprintf(text, sizeof text,
                 "[The program uses %s GPUs, too, whose kernels run without the debugger of %s: "
                 "'wavetrap debug -g %s --pid=%d' debugs them.]\n",
                 name, own->alias ? own->alias : own->name, name, (int)h->pid);
    h->options.output(h->options.context, text, (size_t)length);
}

/* Without a timer, they wait. */
static void watch_for_others(struct wt_session_host *h)
{
    const struct itimerspec each = {.it_interval.tv_nsec = 50000000, .it_value.tv_nsec = 50000000};
    h->others = 0;
    h->sockets_are = (struct timespec){.tv_sec = 0};
    if (*h->address || wt_private_dir(h->sockets, sizeof h->sockets, WT_IGNORED) != WT_OK)
        return;
    h->others_timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (h->others_timer >= 0 && !timerfd_settime(h->others_timer, 0, &each, NULL))
        wt_loop_watch(wt_session_loop(h->session), h->others_timer, POLLIN, look_for_others, h);
}

static void forget_others(struct wt_session_host *h)
{
    if (h->others_timer < 0)
        return;
    if (h->session)
        wt_loop_forget(wt_session_loop(h->session), h->others_timer);
    close(h->others_timer);
    h->others_timer = -1;
}

/* Moves the console to the session without a program. @p ended: the console first shows the
 * remaining output of this session. */
static void disconnect(struct wt_session_host *h, bool ended)
{
    forget_others(h);
    if (!h->session) {
        wt_process_close(&h->process);
        return;
    }
    if (ended)
        wt_process_show_end(&h->none, &h->process);
    if (h->console)
        wt_shell_use(h->console, h->none_session, h->none.modules, WT_IGNORED);
    end_session(&h->session);
    wt_process_close(&h->process);
}

/* ---- starting ---- */

static bool append(char **text, size_t *size, const char *more, bool quoted)
{
    const size_t old = *text ? strlen(*text) : 0, room = old + 4 * strlen(more) + 4;
    char *grown = room > *size ? realloc(*text, 2 * room) : *text;
    if (!grown)
        return false;
    if (grown != *text)
        *size = 2 * room;
    *text = grown;
    char *to = grown + old;
    if (quoted)
        *to++ = '\'';
    for (; *more; more++) {
        if (quoted && *more == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *more;
        }
    }
    if (quoted)
        *to++ = '\'';
    *to = 0;
    return true;
}

char *wt_session_host_line(char *const *arguments)
{
    char *line = strdup("");
    size_t size = 1;
    for (size_t i = 0; line && arguments[i]; i++) {
        const bool plain =
            arguments[i][0] &&
            !arguments[i][strspn(
                arguments[i],
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@")];
        if ((i && !append(&line, &size, " ", false)) ||
            !append(&line, &size, arguments[i], !plain)) {
            free(line);
            return NULL;
        }
    }
    return line;
}

/* An option, its value in quotes, and a blank; nothing for a value that is NULL. */
static bool append_option(char **line, size_t *size, const char *option, const char *value)
{
    return !value || (append(line, size, option, false) && append(line, size, value, true) &&
                      append(line, size, " ", false));
}

/* "exec wavetrap exec --gpu=GPU -- PROGRAM ARGUMENTS": the shell splits the arguments, and the
 * process keeps its id. */
static char *command_line(const struct wt_session_host *h, const char *arguments)
{
    char self[4096], memory[40], *line = NULL;
    size_t size = 0;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = 0;
    const char *command = h->options.command ? h->options.command : self;
    bool good = append(&line, &size, "exec ", false) && append(&line, &size, command, true) &&
                append(&line, &size, " exec ", false);
    for (size_t i = 0; good && i < h->options.gpu_count; i++)
        good = append_option(&line, &size, "--gpu=", h->options.gpu[i]);
    good = good && append_option(&line, &size, "--schedule=", h->options.schedule) &&
           append_option(&line, &size, "--fill=", h->options.fill) &&
           (!h->options.no_jit || append(&line, &size, "--no-jit ", false));
    if (good && h->options.memory) {
        snprintf(memory, sizeof memory, "--memory=%" PRIu64 " ", h->options.memory);
        good = append(&line, &size, memory, false);
    }
    good = good && append(&line, &size, "-- ", false) &&
           append(&line, &size, h->options.program, true) && append(&line, &size, " ", false) &&
           append(&line, &size, arguments, false);
    if (!good) {
        free(line);
        return NULL;
    }
    return line;
}

/* Runs in the child. The child is in a process group of its own, so that Ctrl-C reaches only the
 * debugger. Its standard input is empty, since the debugger reads commands from its own. Its
 * kernels wait for the debugger; those of programs that it starts do not, since no debugger
 * attaches to them. */
static void become(const char *line, char *const *environment, const int streams[2], pid_t debugger)
{
    sigset_t none;
    char held[32];
    const int empty = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (empty >= 0)
        dup2(empty, STDIN_FILENO);
    for (int i = 0; i < 2; i++)
        if (streams[i])
            dup2(streams[i], STDOUT_FILENO + i);
    for (size_t i = 0; environment && environment[i]; i++)
        if (strchr(environment[i], '='))
            putenv(environment[i]);
        else
            unsetenv(environment[i]);
    personality(ADDR_NO_RANDOMIZE); /* addresses of one run are those of the next, as GDB has it */
    snprintf(held, sizeof held, "%d:%d", (int)getpid(), (int)debugger);
    setenv("WAVETRAP_HELD", held, 1);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

/* Whether Ctrl-C was pressed while the session's loop was not running. */
static bool interrupted(const struct wt_session_host *h)
{
    struct signalfd_siginfo info;
    if (h->options.interrupted)
        return h->options.interrupted(h->options.context);
    return read(h->options.signal_fd, &info, sizeof info) == sizeof info;
}

static bool has_ended(struct wt_session_host *h)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)h->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == h->pid;
}

static enum wt_status connect_to(struct wt_session_host *h, const struct wt_family *family,
                                 struct wt_error *err)
{
    const struct wt_debugger_options how = debugger_options(h);
    const struct wt_process_place place = place_of(h);
    enum wt_status status =
        wt_process_open(&h->process, family, &place, &how, h->options.history_memory, err);
    if (status)
        return status;
    status = new_session(h, h->process.debugger, &h->session, err);
    if (!status)
        status = wt_shell_use(h->console, h->session, h->process.modules, err);
    if (status)
        disconnect(h, false);
    else
        wt_process_show_file(&h->none); /* the end of another run is of no interest now */
    if (!status)
        watch_for_others(h);
    return status;
}

void wt_session_host_abandon(const struct wt_session_host *h)
{
    const pid_t pid = h->pid;
    if (!h->own || pid <= 0)
        return;
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL);
}

/* ---- a debugger that is killed takes its program along ---- */

/* Starts a process that ends the program's group when the debugger's end of a pipe closes without a
 * word. A program that the debugger leaves alone goes on, so that PR_SET_PDEATHSIG is no way. */
static void set_guard(struct wt_session_host *h)
{
    int end[2];
    if (pipe2(end, O_CLOEXEC) != 0)
        return;
    h->guard = fork();
    if (h->guard == 0) {
        char word;
        ssize_t got;
        setsid(); /* signals of the terminal are not for it */
        dup2(end[0], STDIN_FILENO);
        close_range(STDIN_FILENO + 1, ~0U, 0);
        while ((got = read(STDIN_FILENO, &word, sizeof word)) < 0 && errno == EINTR)
            continue;
        if (!got) {
            kill(-h->pid, SIGKILL);
            kill(h->pid, SIGKILL);
        }
        _exit(0);
    }
    close(end[0]);
    if (h->guard > 0)
        h->guard_end = end[1];
    else
        close(end[1]);
}

/* The program has ended, or goes on without the debugger. */
static void dismiss_guard(struct wt_session_host *h)
{
    if (h->guard <= 0)
        return;
    while (write(h->guard_end, "", 1) < 0 && errno == EINTR)
        continue;
    close(h->guard_end);
    while (waitpid(h->guard, NULL, 0) < 0 && errno == EINTR)
        continue;
    h->guard = 0;
}

static void end_program(struct wt_session_host *h)
{
    if (h->own) {
        kill(-h->pid, SIGKILL);
        kill(h->pid, SIGKILL);
        while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        dismiss_guard(h);
        wt_private_sweep();
    } else if (!*h->address) {
        kill(h->pid, SIGKILL);
    }
}

enum wt_status wt_session_host_start(struct wt_session_host *h, const char *arguments,
                                     char *const *environment, bool *ended, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    const struct wt_family *family = NULL;
    char *line = command_line(h, arguments);
    if (!line)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a command line");
    *ended = false;
    h->own = true;
    const pid_t self = getpid();
    h->pid = fork();
    if (h->pid == 0)
        become(line, environment, h->options.streams, self);
    free(line);
    if (h->pid < 0) {
        h->pid = 0;
        return wt_fail(err, WT_IO, "the program cannot be started: %s", strerror(errno));
    }
    setpgid(h->pid, h->pid);
    set_guard(h);
    *h->address = 0;
    struct wt_process_place place = place_of(h);
    while (!status && !family && !*ended) {
        status = wt_process_wait(&place, LOOK_MS, &family, err);
        *ended = !family && has_ended(h);
        if (!status && !family && !*ended && interrupted(h))
            status = wt_fail(err, WT_STATE, "Interrupted: the program has not opened a GPU.");
    }
    if (!status && family && (status = connect_to(h, family, err)) != WT_OK && has_ended(h)) {
        *ended = true;
        status = WT_OK;
    }
    if (status) {
        end_program(h);
        h->pid = 0;
    }
    return status;
}

/* The family of a process's GPUs: that of the options, if it has such GPUs. */
static enum wt_status find_family(const struct wt_session_host *h, int pid,
                                  const struct wt_family **family, struct wt_error *err)
{
    struct wt_process_place place = {.pid = pid};
    bool reachable = false;
    *family = h->options.family;
    enum wt_status status =
        wt_connection_reachable(pid, (*family)->debug.process->socket, &reachable, err);
    if (!status && !reachable)
        status = wt_process_wait(&place, 0, family, err);
    if (!*family)
        *family = h->options.family;
    return status;
}

enum wt_status wt_session_host_attach(struct wt_session_host *h, const char *where,
                                      struct wt_error *err)
{
    const struct wt_family *family;
    uint64_t pid = 0;
    struct wt_process_place place = {.address = where, .token = h->options.token};
    const bool local = !strchr(where, ':');
    enum wt_status status = local ? wt_parse_number(where, &pid, err) : WT_OK;
    if (!status)
        status = local ? find_family(h, (int)pid, &family, err)
                       : wt_process_wait(&place, 0, &family, err);
    if (status)
        return status;
    h->pid = local ? (pid_t)pid : place.pid;
    h->own = false;
    snprintf(h->address, sizeof h->address, "%s", local ? "" : where);
    status = connect_to(h, family, err);
    if (status)
        h->pid = 0;
    return status;
}

void wt_session_host_refresh(struct wt_session_host *h)
{
    if (h->session)
        wt_process_refresh(&h->process, WT_IGNORED);
}

/* ---- ending ---- */

void wt_session_host_finish(struct wt_session_host *h, bool *known, bool *again, int *code,
                            char *text, size_t size)
{
    int status;
    struct wt_process_place place = place_of(h);
    const struct wt_family *family;
    const bool closed = h->session && wt_process_has_closed(&h->process);
    *known = *again = false;
    disconnect(h, true);
    while (h->own && !*known && !interrupted(h)) {
        *known = waitpid(h->pid, &status, WNOHANG) == h->pid;
        if (!*known && closed && wt_process_wait(&place, LOOK_MS, &family, WT_IGNORED) == WT_OK &&
            family && (*again = connect_to(h, family, WT_IGNORED) == WT_OK))
            return;
        if (!*known)
            poll(NULL, 0, LOOK_MS);
    }
    if (*known && WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        snprintf(text, size, "SIG%s, %s", name ? name : "?", strsignal(WTERMSIG(status)));
        *code = 128 + WTERMSIG(status);
        wt_private_sweep();
    } else if (*known) {
        *code = WEXITSTATUS(status);
    }
    dismiss_guard(h);
    h->pid = 0;
}

void wt_session_host_leave(struct wt_session_host *h, bool kill)
{
    if (!h->pid)
        return;
    if (kill) /* first: without its debugger the program would go on */
        end_program(h);
    disconnect(h, false);
    dismiss_guard(h);
    h->pid = 0;
}

bool wt_session_host_is_elsewhere(const struct wt_session_host *h)
{
    return *h->address;
}

bool wt_session_host_is_own(const struct wt_session_host *h)
{
    return h->own;
}

int wt_session_host_pid(const struct wt_session_host *h)
{
    return (int)h->pid;
}

void wt_session_host_close(struct wt_session_host *h)
{
    if (!h)
        return;
    h->console = NULL;
    wt_session_host_leave(h, h->own);
    end_session(&h->none_session);
    wt_process_close(&h->none);
    free(h);
}
