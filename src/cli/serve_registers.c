/* `wavetrap serve --dm`: the emulator's Debug Module for other people's debuggers. */
#include "cli/serve_registers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/loop.h"
#include "bus/line.h"
#include "bus/stream.h"
#include "cli/remote.h"
#include "cli/report.h"

/* Issues between two looks at the sockets: a client that polls should not wait long. */
#define SLICE 20000

struct served {
    struct cli_session session;
    struct wt_loop *loop;
    struct wt_line_server line;
    struct wt_stream_server *server;
    const struct cli_serve_registers *how;
    bool started, ended, fault_told;
};

static void say(void *context, const char *text)
{
    fprintf(stderr, "wavetrap: %s\n", text);
}

static bool start(void *context)
{
    struct served *s = context;
    if (!s->started)
        say(NULL, "the program was started");
    s->started = true;
    return true;
}

static void begin(void *context)
{
    wt_line_server_begin(&((struct served *)context)->line);
}

static size_t feed(void *context, const char *bytes, size_t size, char *out, size_t room,
                   size_t *sent)
{
    return wt_line_server_feed(&((struct served *)context)->line, bytes, size, out, room, sent);
}

static void left(void *context)
{
    struct served *s = context;
    if (s->how->once)
        wt_loop_end(s->loop);
}

static void stop_ready(void *context, int fd, short events)
{
    wt_loop_end(((struct served *)context)->loop);
}

/* What a person at the server's terminal should know of the program. */
static void tell(struct served *s)
{
    struct wt_machine *m = s->session.machine;
    struct wt_wave_view view;
    bool fault = m->fault.kind != WT_FAULT_NONE;
    if (fault && !s->fault_told)
        fprintf(stderr, "wavetrap: the program has stopped: %s\n", m->fault.text);
    s->fault_told = fault;
    bool active = false;
    for (uint32_t w = 0; w < m->waves && !active; w++) {
        m->ops->view(m, w, &view);
        active = view.active;
    }
    if (!active && !s->ended) {
        uint8_t word[4] = {0};
        m->ops->read_memory(m, 0, s->session.target.exit_addr, word, sizeof word);
        fprintf(stderr, "wavetrap: the program has ended with status %u; its Debug Module is still "
                        "served\n", (unsigned)(word[0] | word[1] << 8 | word[2] << 16 |
                                               (uint32_t)word[3] << 24));
    }
    s->ended = !active;
}

/* Lets the device run between two looks at the sockets. */
static int work(void *context)
{
    struct served *s = context;
    if (!s->started)
        return -1;
    enum wt_pump did = s->session.target.services->pump(s->session.target.context, SLICE);
    if (did == WT_PUMP_EVENT)
        tell(s);
    return did == WT_PUMP_IDLE ? -1 : 0;
}

static enum wt_status open_server(struct served *s, int stop_fd, struct wt_error *err)
{
    const struct wt_stream_protocol protocol = {
        .context = s, .begin = begin, .feed = feed, .refusal = WT_LINE_REFUSAL};
    const struct wt_stream_options options = {
        .address = s->how->dm, .log = say, .left = left, .context = s};
    s->loop = wt_loop_new();
    if (!s->loop || !wt_loop_watch(s->loop, stop_fd, POLLIN, stop_ready, s))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    s->line = (struct wt_line_server){
        .device = cli_session_registers(&s->session), .start = start, .context = s};
    wt_loop_set_work(s->loop, work, s);
    return wt_stream_server_open(s->loop, &protocol, &options, &s->server, err);
}

int cli_serve_registers(const struct cli_command *command, const struct cli_options *options,
                        const char *program, const struct cli_serve_registers *how)
{
    struct served *s = calloc(1, sizeof *s);
    struct wt_error err;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    int stop_fd = cli_signal_fd(signals), status = 0;
    enum wt_status failed = WT_OK;
    if (!s || stop_fd < 0)
        failed = wt_fail(&err, WT_IO, "signalfd: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    if (!failed)
        failed = cli_session_open(&s->session, options, program, &err);
    if (!failed) {
        s->how = how;
        s->started = how->now;
        failed = cli_session_attach(&s->session, &err);
        if (!failed)
            failed = open_server(s, stop_fd, &err);
        if (!failed) {
            fprintf(stderr, "wavetrap: the Debug Module of %s is served at %s\n", program,
                    wt_stream_server_address(s->server));
            if (!how->now)
                say(NULL, "the program begins when a client says so ('s')");
            failed = wt_loop_run(s->loop, &err);
        }
        struct signalfd_siginfo info;
        if (!failed && read(stop_fd, &info, sizeof info) == sizeof info && info.ssi_signo != SIGINT)
            status = CLI_SIGNAL + (int)info.ssi_signo;
        wt_stream_server_close(s->server);
        wt_loop_free(s->loop);
        cli_session_close(&s->session);
    }
    if (stop_fd >= 0)
        close(stop_fd);
    free(s);
    return failed ? cli_fail(command, &err) : status;
}
