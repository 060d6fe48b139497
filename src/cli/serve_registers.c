/* `wavetrap serve --dm` and `--jtag`: serves the emulator's Debug Module to other debuggers. */
#include "cli/serve_registers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/loop.h"
#include "bus/jtag/stream.h"
#include "bus/line.h"
#include "bus/stream.h"
#include "cli/remote.h"
#include "emulator/machine/machine.h"
#include "emulator/vortex/vortex.h"

/* Issues between two polls of the sockets: a polling client should not have to wait long. */
#define SLICE 20000

struct served {
    struct wt_emulated device;
    struct wt_loop *loop;
    struct wt_line_server line;
    struct wt_dtm dtm;
    bool goodbye;                /* the client of JTAG has said that it leaves */
    struct wt_bitbang_gate gate; /* gate of that client */
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

static void jtag_begin(void *context)
{
    struct served *s = context;
    wt_dtm_unplug(&s->dtm);
    s->goodbye = false;
    s->gate = (struct wt_bitbang_gate){.length = 0};
}

static bool goodbye(void *context)
{
    return ((struct served *)context)->line.foreign;
}

static bool jtag_foreign(void *context)
{
    return ((struct served *)context)->gate.foreign;
}

static size_t jtag_feed(void *context, const char *bytes, size_t size, char *out, size_t room,
                        size_t *sent)
{
    struct served *s = context;
    if (s->goodbye) { /* nothing reads what comes after it */
        *sent = 0;
        return size;
    }
    if (!s->gate.begun) {
        *sent = 0;
        if (wt_bitbang_admit(&s->gate, (const uint8_t *)bytes, size))
            wt_bitbang_take(&s->dtm, s->gate.held, s->gate.length, (uint8_t *)out, room, sent,
                            &s->goodbye);
        s->goodbye |= s->gate.foreign;
        return size;
    }
    return wt_bitbang_take(&s->dtm, (const uint8_t *)bytes, size, (uint8_t *)out, room, sent,
                           &s->goodbye);
}

static bool jtag_goodbye(void *context)
{
    return ((struct served *)context)->goodbye;
}

/*
 * JTAG has no command to start the program: the program waits with its warps halted, as after a
 * reset with resethaltreq, and with the Debug Module asleep. Only active warps are halted: a warp
 * that is started later must run.
 */
static void halt_at_start(struct served *s)
{
    const struct wt_bus_device dm = wt_emulated_registers(&s->device);
    enum { DMACTIVE = 31, WINSEL = 22 };
    dm.write(dm.context, VX_DM_DCTRL, 1u << DMACTIVE);
    for (uint32_t window = 0; window * 32 < s->device.machine->waves; window++) {
        dm.write(dm.context, VX_DM_DSELECT, window << WINSEL);
        dm.write(dm.context, VX_DM_WMASK, dm.read(dm.context, VX_DM_WACTIVE));
    }
    dm.write(dm.context, VX_DM_DCTRL, 1u << DMACTIVE | 1); /* haltreq */
    dm.write(dm.context, VX_DM_DCTRL, 0);
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

/* Prints what the user at the server's terminal should know of the program. */
static void tell(struct served *s)
{
    struct wt_machine *m = s->device.machine;
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
        fprintf(stderr,
                "wavetrap: the program has ended with status %u; its Debug Module is still "
                "served\n",
                (unsigned)wt_emulated_exit_word(&s->device));
    }
    s->ended = !active;
}

/* Lets the device run between two polls of the sockets. */
static int work(void *context)
{
    struct served *s = context;
    if (!s->started)
        return -1;
    const struct wt_target *target = wt_emulated_target(&s->device);
    enum wt_pump did = target->services->pump(target->context, SLICE);
    if (did == WT_PUMP_EVENT)
        tell(s);
    return did == WT_PUMP_IDLE ? -1 : 0;
}

static enum wt_status open_server(struct served *s, int stop_fd, struct wt_error *err)
{
    const struct wt_stream_protocol line = {.context = s,
                                            .begin = begin,
                                            .feed = feed,
                                            .goodbye = goodbye,
                                            .foreign = goodbye,
                                            .refusal = WT_LINE_REFUSAL};
    /* A remote_bitbang client cannot be sent a message: it waits for bits. */
    const struct wt_stream_protocol jtag = {.context = s,
                                            .begin = jtag_begin,
                                            .feed = jtag_feed,
                                            .goodbye = jtag_goodbye,
                                            .foreign = jtag_foreign};
    const struct wt_bus_device registers = wt_emulated_registers(&s->device);
    const struct wt_dtm_config dtm = wt_dtm_default_config(s->how->dmi_cycles);
    const struct wt_stream_options options = {.address = s->how->jtag ? s->how->jtag : s->how->dm,
                                              .any_client = s->how->any_client,
                                              .log = say,
                                              .left = left,
                                              .context = s};
    s->loop = wt_loop_new();
    if (!s->loop || !wt_loop_watch(s->loop, stop_fd, POLLIN, stop_ready, s))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    s->line = (struct wt_line_server){.device = registers, .start = start, .context = s};
    wt_dtm_init(&s->dtm, &dtm, &registers);
    wt_loop_set_work(s->loop, work, s);
    return wt_stream_server_open(s->loop, s->how->jtag ? &jtag : &line, &options, &s->server, err);
}

int cli_serve_registers(const struct wt_subcommand *command,
                        const struct wt_session_options *options, const char *program,
                        const struct cli_serve_registers *how)
{
    struct served *s = calloc(1, sizeof *s);
    struct wt_error err;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    int stop_fd = wt_session_signal_fd(signals), status = 0;
    enum wt_status failed = WT_OK;
    if (!s || stop_fd < 0)
        failed = wt_fail(&err, WT_IO, "signalfd: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    if (!failed)
        failed = wt_session_open_device(&s->device, options, program, &err);
    if (!failed) {
        s->how = how;
        s->started = how->now || how->jtag;
        failed = wt_emulated_attach(&s->device, &err);
        if (!failed)
            failed = open_server(s, stop_fd, &err);
        if (!failed) {
            fprintf(stderr, "wavetrap: the Debug Module of %s is served at %s\n", program,
                    wt_stream_server_address(s->server));
            if (how->jtag && !how->now) {
                halt_at_start(s);
                say(NULL, "its warps are halted before the first instruction, until a client "
                          "resumes them");
            }
            if (how->dm && !how->now)
                say(NULL, "the program begins when a client says so ('s')");
            failed = wt_loop_run(s->loop, &err);
        }
        struct signalfd_siginfo info;
        if (!failed && read(stop_fd, &info, sizeof info) == sizeof info && info.ssi_signo != SIGINT)
            status = WT_EXIT_SIGNAL + (int)info.ssi_signo;
        wt_stream_server_close(s->server);
        wt_loop_free(s->loop);
        wt_emulated_close(&s->device);
    }
    if (stop_fd >= 0)
        close(stop_fd);
    free(s);
    return failed ? wt_subcommand_fail(command, &err) : status;
}
