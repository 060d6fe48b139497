/* `wavetrap dap`: the debugger for editors that speak the Debug Adapter Protocol. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/dap.h"
#include "base/listen.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/remote.h"
#include "frontend/console/console.h"

/* A stream of a host program: what a character of several bytes lacks comes with the next part. */
struct stream {
    int fd; /* 0: not open */
    char part[4];
    size_t size;
};

/* One connection, and the session of its program. */
struct editor {
    struct wt_debuggee d; /* first: the context of its services */
    struct wt_dap *dap;
    struct stream stream[2];
    char **word;                     /* word of the options, which d points into */
    const struct wt_debuggee *given; /* options that name the program; NULL: "launch" has them */
    bool is_open;
};

/* ---- output ---- */

/* Bytes at the end of a text that are the beginning of a character. */
static size_t unfinished(const char *text, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const unsigned char c = (unsigned char)text[size - back];
        const size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        if (c >= 0xc0)
            return length > back ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

static void drain(struct editor *e, unsigned which)
{
    struct stream *s = &e->stream[which];
    char text[8192];
    while (s->fd) {
        memcpy(text, s->part, s->size);
        const ssize_t length = read(s->fd, text + s->size, sizeof text - s->size);
        if (length <= 0)
            return;
        const size_t size = s->size + (size_t)length, rest = unfinished(text, size);
        wt_dap_output(e->dap, which ? WT_DAP_STDERR : WT_DAP_STDOUT, text, size - rest);
        memcpy(s->part, text + size - rest, rest);
        s->size = rest;
    }
}

static void stream_ready(void *context, int fd, short events)
{
    struct editor *e = context;
    drain(e, fd == e->stream[1].fd);
}

static void flush(void *context)
{
    struct editor *e = context;
    if (e->d.console)
        wt_shell_print(e->d.console, "", 0);
    drain(e, 0);
    drain(e, 1);
}

static ssize_t put_program(void *context, const char *text, size_t length)
{
    wt_dap_output(((struct editor *)context)->dap, WT_DAP_STDOUT, text, length);
    return (ssize_t)length;
}

static void put(void *context, const char *text, size_t length)
{
    if (length)
        wt_dap_output(((struct editor *)context)->dap, WT_DAP_CONSOLE, text, length);
}

/* ---- the front ---- */

static bool take_signals(struct editor *e)
{
    struct signalfd_siginfo info;
    while (wt_session_interrupts_take(e->d.signals, &info))
        e->d.ended_by = (int)info.ssi_signo;
    if (e->d.ended_by && e->d.console)
        wt_shell_abandon(e->d.console);
    return e->d.ended_by;
}

static void signal_ready(void *context, int fd, short events)
{
    struct editor *e = context;
    if (take_signals(e))
        wt_session_end(e->d.session);
}

static enum wt_status watch(void *context, struct wt_loop *loop, struct wt_error *err)
{
    struct editor *e = context;
    bool good = wt_loop_watch(loop, e->d.signal_fd, POLLIN, signal_ready, e);
    for (unsigned i = 0; i < 2; i++)
        good = good &&
               (!e->stream[i].fd || wt_loop_watch(loop, e->stream[i].fd, POLLIN, stream_ready, e));
    return good ? wt_dap_watch(e->dap, loop, err) : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static bool interrupted(void *context)
{
    struct editor *e = context;
    drain(e, 0);
    drain(e, 1);
    return take_signals(e) || wt_dap_interrupted(e->dap);
}

static bool news(void *context, const struct wt_news *news)
{
    return wt_dap_news(((struct editor *)context)->dap, news);
}

static void module(void *context, enum wt_module_change change, const struct wt_module *module)
{
    wt_dap_module(((struct editor *)context)->dap, change, module);
}

static void waits(void *context, enum wt_wait wait)
{
    wt_dap_waits(((struct editor *)context)->dap, wait);
}

static bool progress(void *context, const char *text)
{
    return wt_dap_progress(((struct editor *)context)->dap, text);
}

static void services(struct wt_debuggee *d, struct wt_shell_options *options)
{
    wt_debuggee_services(d, options);
    options->system_shell = false; /* pages of `view` come here, too */
    options->interrupted = interrupted;
    options->output = put;
    options->progress = progress;
    options->news = news;
    options->waits = waits;
    options->module = module;
}

static const struct wt_front front = {.services = services,
                                      .watch = watch,
                                      .interrupted = interrupted,
                                      .program = put_program,
                                      .agent = put};

/* ---- counts of source lines ---- */

struct counts {
    void (*each)(void *to, const struct wt_dap_count *count);
    void *to;
};

static void take_lines(void *context, struct wt_report_profile_table *lines)
{
    const struct counts *c = context;
    for (size_t i = 0; i < lines->count; i++) {
        const struct wt_report_profile_row *row = &lines->row[i];
        if (row->file && row->line)
            c->each(c->to, &(struct wt_dap_count){.path = row->file,
                                                  .line = row->line,
                                                  .issues = row->sum.issues,
                                                  .enabled = row->sum.enabled,
                                                  .lanes = row->sum.lanes,
                                                  .transactions = row->sum.transactions});
    }
}

bool cli_dap_counts(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                    void *to)
{
    struct wt_debuggee *d = context;
    struct counts c = {each, to};
    return wt_report_profile_wanted(&d->drive.profile) &&
           wt_report_profile_look(&d->drive.profile, d->host ? NULL : &d->device, take_lines, &c,
                                  WT_IGNORED) == WT_OK;
}

/* ---- sessions ---- */

static void close_stream(int *fd)
{
    if (*fd)
        close(*fd);
    *fd = 0;
}

/* For a session that begins. */
static void make_ready(struct editor *e)
{
    const int ended_by = e->d.ended_by;
    e->d = e->given ? *e->given : (struct wt_debuggee){.core_path = NULL};
    e->d.front = &front;
    e->d.batch = true;
    e->d.ended_by = ended_by;
}

static void close_session(void *context, bool kill)
{
    struct editor *e = context;
    if (!e->is_open)
        return;
    struct wt_program *g = e->d.console ? wt_shell_debugged(e->d.console) : NULL;
    if (g && wt_debuggee_is_attached(&e->d)) {
        struct wt_error err;
        if (wt_program_let_go(g, &err))
            fprintf(stderr, "wavetrap dap: %s\n", err.text);
    } else if (g && e->d.host) {
        wt_program_leave(g, kill);
    }
    wt_debuggee_close(&e->d);
    if (!e->given)
        wt_debuggee_free(&e->d);
    for (unsigned i = 0; i < 2; i++) {
        close_stream(&e->stream[i].fd);
        close_stream(&e->d.streams[i]);
        e->stream[i].size = 0;
    }
    for (size_t i = 0; e->word && e->word[i]; i++)
        free(e->word[i]);
    free(e->word);
    e->word = NULL;
    make_ready(e);
    e->is_open = false;
}

static enum wt_status open_streams(struct editor *e, struct wt_error *err)
{
    for (unsigned i = 0; i < 2; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return wt_fail(err, WT_IO, "a pipe for the program's output: %s", strerror(errno));
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        e->stream[i].fd = ends[0];
        e->d.streams[i] = ends[1];
    }
    return WT_OK;
}

/* The words of the request live as long as the session. */
static enum wt_status keep_words(struct editor *e, const struct wt_dap_words *words,
                                 struct wt_error *err)
{
    e->word = calloc(words->count + 1, sizeof(char *));
    for (size_t i = 0; e->word && i < words->count; i++)
        if (!(e->word[i] = strdup(words->word[i])))
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return e->word ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static enum wt_status open_session(void *context, const struct wt_dap_start *start,
                                   struct wt_program **program, struct wt_error *err)
{
    struct editor *e = context;
    e->is_open = true;
    enum wt_status status = e->given ? WT_OK : keep_words(e, &start->words, err);
    if (!status && start->cwd && chdir(start->cwd) != 0)
        status = wt_fail(err, WT_IO, "\"cwd\" %s: %s", start->cwd, strerror(errno));
    if (!status && !e->given)
        status = wt_debuggee_take_words(&e->d, (int)start->words.count, e->word, err);
    if (!status)
        status = wt_debuggee_check_no_terminal(&e->d, err);
    if (!status)
        status = open_streams(e, err);
    if (!status)
        status = wt_debuggee_open(&e->d, err);
    if (status)
        return status;
    *program = wt_shell_debugged(e->d.console);
    for (size_t i = 0; i < start->environment.count && !status; i++)
        status = wt_program_change_environment(*program, strdup(start->environment.word[i]), err);
    return status;
}

static enum wt_status enter(void *context, struct wt_error *err)
{
    return wt_debuggee_enter(&((struct editor *)context)->d, err);
}

static bool is_core(void *context)
{
    return ((struct editor *)context)->d.core_path;
}

static enum wt_status command(void *context, const char *line, struct wt_error *err)
{
    return wt_shell_execute(((struct editor *)context)->d.console, line, err);
}

static char **complete(void *context, const char *line, size_t *count)
{
    return wt_shell_complete(((struct editor *)context)->d.console, line, count);
}

static bool ends(void *context)
{
    const struct editor *e = context;
    int status;
    return e->d.ended_by || (e->d.console && wt_shell_has_quit(e->d.console, &status));
}

static int serve_client_at(int in, int out, const struct wt_debuggee *given)
{
    struct wt_error err;
    struct editor e = {.given = given};
    const struct wt_dap_owner owner = {.open = open_session,
                                       .enter = enter,
                                       .is_core = is_core,
                                       .has_program = given,
                                       .close = close_session,
                                       .command = command,
                                       .is_command = wt_shell_is_command,
                                       .complete = complete,
                                       .flush = flush,
                                       .counts = cli_dap_counts,
                                       .ends = ends,
                                       .context = &e};
    make_ready(&e);
    signal(SIGPIPE, SIG_IGN);
    e.dap = wt_dap_new(in, out, &owner);
    if (!e.dap) {
        wt_fail(&err, WT_NO_MEMORY, "no host memory");
        return wt_subcommand_fail(&cli_dap, &err);
    }
    const int status = wt_dap_serve(e.dap, &err) ? wt_subcommand_fail(&cli_dap, &err) : 0;
    wt_dap_free(e.dap);
    return e.d.ended_by ? WT_EXIT_SIGNAL + e.d.ended_by : status;
}

/* ---- a process of its own ---- */

enum wt_status cli_dap_start(const struct wt_debuggee *d, struct wt_dap_client *client,
                             struct wt_error *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return wt_fail(err, WT_IO, "a connection to the session: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        return wt_fail(err, WT_IO, "a process for the session: %s", strerror(errno));
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(ends[0]);
        const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(empty, STDIN_FILENO);
        exit(serve_client_at(ends[1], ends[1], d));
    }
    close(ends[1]);
    *client = (struct wt_dap_client){.fd = ends[0], .input = {.most = (size_t)1 << 30}};
    return WT_OK;
}

void cli_dap_end(struct wt_dap_client *client)
{
    if (client->fd > 0)
        close(client->fd);
    dap_input_free(&client->input);
    while (wait(NULL) > 0 || errno == EINTR)
        ;
}

/* ---- connections ---- */

struct dap {
    const char *address; /* --listen; NULL: standard input and output */
    bool any_client;
};

/* Nothing but the protocol may come out at standard output, or go in at standard input. */
static int serve_stdio(void)
{
    struct wt_error err;
    const int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (in < 0 || out < 0 || empty < 0) {
        wt_fail(&err, WT_IO, "standard input and output: %s", strerror(errno));
        return wt_subcommand_fail(&cli_dap, &err);
    }
    dup2(empty, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return serve_client_at(in, out, NULL);
}

/* Each client has a process of its own: its session has a working folder, and ends alone. */
static void serve_client(struct wt_listener *listener, int fd)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0)
        fprintf(stderr, "wavetrap dap: a client is refused: %s\n", strerror(errno));
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(SIGCHLD, SIG_DFL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        close(listener->fd);
        exit(serve_client_at(fd, fd, NULL));
    }
    close(fd);
}

static enum wt_status listen_at(const struct dap *o, struct wt_listener *listener,
                                struct wt_error *err)
{
    const enum wt_status status =
        wt_listen_without_password(o->address, o->any_client, listener, err);
    return status || listener->fd >= 0
               ? status
               : wt_fail(err, WT_INVALID,
                         "--listen takes PORT, HOST:PORT or unix:PATH; without it the client is at "
                         "standard input and output");
}

static int serve_address(const struct dap *o)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    struct wt_listener listener;
    struct wt_error err;
    if (listen_at(o, &listener, &err))
        return wt_subcommand_fail(&cli_dap, &err);
    const int signal_fd = wt_session_signal_fd(signals);
    signal(SIGCHLD, SIG_IGN); /* who has ended is reaped */
    fprintf(stderr, "wavetrap dap: editors can connect to %s\n", listener.address);
    struct pollfd fds[] = {{.fd = listener.fd, .events = POLLIN},
                           {.fd = signal_fd, .events = POLLIN}};
    while (!fds[1].revents) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        const int fd = fds[0].revents ? wt_accept(&listener, SOCK_CLOEXEC, &err) : -1;
        if (fd >= 0)
            serve_client(&listener, fd);
        else if (fds[0].revents && *err.text)
            fprintf(stderr, "wavetrap dap: %s\n", err.text);
    }
    struct signalfd_siginfo info;
    const bool signalled = read(signal_fd, &info, sizeof info) == sizeof info;
    wt_listener_close(&listener);
    close(signal_fd);
    return signalled && info.ssi_signo != SIGINT ? WT_EXIT_SIGNAL + (int)info.ssi_signo : 0;
}

static int dap(int argc, char **argv)
{
    struct dap o = {0};
    const int status = wt_subcommand_parse(&cli_dap, argc, argv, &o, NULL, 0, false);
    if (status != WT_SUBCOMMAND_GO)
        return status;
    return o.address ? serve_address(&o) : serve_stdio();
}

static const struct wt_option options[] = {
    {"listen", 'l', "ADDRESS",
     "where editors connect: PORT or 127.0.0.1:PORT (port 0 is any free port),\n"
     "or unix:PATH; without it the editor is at standard input and output",
     WT_OPTION_TEXT(struct dap, address)},
    {"any-client", 0, NULL,
     "serve clients of other users and, at an address that they reach, of other\n"
     "machines, too: there is no password",
     WT_OPTION_FLAG(struct dap, any_client)},
    {0},
};

const struct wt_subcommand cli_dap = {
    .name = "dap",
    .operands = "",
    .summary = "Debugs in an editor, by the Debug Adapter Protocol.",
    .options = options,
    .notes = "The editor's configuration names the program. Each connection is a session\n"
             "of its own. docs/editors.md has configurations for editors. Ctrl-C ends the\n"
             "server and its sessions.\n",
    .run = dap,
};
