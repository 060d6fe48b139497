/* See device.h. */
#include "device.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/rig.h"
#include "base/loop.h"
#include "bus/jtag/stream.h"
#include "bus/line.h"
#include "bus/stream.h"

/* ---- the program ---- */

#define LUI(rd, imm) (U32(imm) << 12 | U32(rd) << 7 | 0x37)
#define MUL(rd, rs1, rs2) (1u << 25 | R(0x33, rd, 0, rs1, rs2))
#define ADD(rd, rs1, rs2) R(0x33, rd, 0, rs1, rs2)
#define SLLI(rd, rs, by) I(0x13, rd, 1, rs, by)
#define SRLI(rd, rs, by) I(0x13, rd, 5, rs, by)
#define RET I(0x67, X0, 0, RA, 0)

/*
 * Every warp with every lane: a random number, one of two ways by its bit 7, one of them with a
 * call that stores, and a barrier of all the core's warps; until the flag is set.
 */
static const uint32_t program[] = {
    /*  0 */ CSRR(A0, 0xfc1),
    /*  1 */ AUIPC(A1, 0),
    /*  2 */ ADDI(A1, A1, 3 * 4),
    /*  3 */ WSPAWN(A0, A1),
    /*  4 */ ADDI(T0, X0, -1),
    /*  5 */ TMC(T0),
    /*  6 */ CSRR(S1, 0xf14),
    /*  7 */ LUI(A4, SOAK_DATA >> 12),
    /*  8 */ CSRR(A0, 0xfc1),
    /*  9 */ ADDI(S2, S1, 0x137),
    /* 10 */ LUI(T1, 0x41c65),
    /* 11 */ ADDI(T1, T1, 0x64d),
    /* 12 */ MUL(S2, S2, T1),
    /* 13 */ ADDI(S2, S2, 0x39),
    /* 14 */ SRLI(T1, S2, 7),
    /* 15 */ ANDI(T1, T1, 1),
    /* 16 */ SPLIT(T2, T1),
    /* 17 */ BEQZ(T1, 3 * 4),
    /* 18 */ J(RA, 8 * 4),
    /* 19 */ J(X0, 2 * 4),
    /* 20 */ ADDI(S3, S3, 1),
    /* 21 */ JOIN(T2),
    /* 22 */ BAR(X0, A0),
    /* 23 */ LW(T0, A4, 0),
    /* 24 */ BEQZ(T0, -14 * 4),
    /* 25 */ TMC(X0),
    /* 26 */ SLLI(T0, S1, 5),
    /* 27 */ ADD(T0, T0, A4),
    /* 28 */ SW(S2, T0, 64),
    /* 29 */ LW(S4, T0, 64),
    /* 30 */ RET,
};

size_t soak_program_words(void)
{
    return sizeof program / sizeof *program;
}

/* ---- the device ---- */

struct soak_device {
    struct vx_device *device;
    unsigned slice;
};

static uint32_t soak_read(void *context, uint32_t addr)
{
    struct soak_device *d = context;
    struct wt_machine *m = vx_machine(d->device);
    if (addr == VX_DM_DCTRL || addr == VX_DM_WSTATUS)
        m->ops->run(m, d->slice);
    return vx_dm_read(d->device, addr);
}

static void soak_write(void *context, uint32_t addr, uint32_t value)
{
    vx_dm_write(((struct soak_device *)context)->device, addr, value);
}

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "soak: %s: %s\n", what, why);
    abort();
}

struct soak_device *soak_device_new(const struct soak_shape *shape)
{
    struct soak_device *d = calloc(1, sizeof *d);
    struct vx_config config;
    struct wt_error err;
    char schedule[32] = "lockstep";
    vx_config_default(&config);
    config.xlen = shape->xlen;
    config.cores = shape->cores;
    config.warps = shape->warps;
    config.threads = shape->threads;
    config.dm_clock = shape->dm_clock;
    config.ebreak_pc_after = shape->ebreak_after;
    if (shape->seed == 0)
        snprintf(schedule, sizeof schedule, "rr:3");
    else if (shape->seed > 1)
        snprintf(schedule, sizeof schedule, "random:%u", shape->seed);
    if (!d || wt_schedule_parse(schedule, &config.schedule, &err) ||
        vx_device_new(&config, &d->device, &err))
        give_up("a device", d ? err.text : "no memory");
    struct wt_segment segment = {.addr = SOAK_CODE,
                                 .size = sizeof program,
                                 .bytes = (uint8_t *)(uintptr_t)program,
                                 .length = sizeof program,
                                 .executable = true};
    const struct wt_image image = {.format = WT_IMAGE_RAW,
                                   .has_entry = true,
                                   .entry = SOAK_CODE,
                                   .bits = shape->xlen,
                                   .segment = &segment,
                                   .segments = 1};
    if (vx_device_load(d->device, &image, &err))
        give_up("the program", err.text);
    d->slice = shape->slice;
    return d;
}

void soak_device_free(struct soak_device *device)
{
    if (device)
        vx_device_free(device->device);
    free(device);
}

struct wt_bus_device soak_device_registers(struct soak_device *device)
{
    return (struct wt_bus_device){.context = device, .read = soak_read, .write = soak_write};
}

/* ---- what a process holds ---- */

/* With a sanitizer the heap is its own. */
size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

uint64_t soak_heap(void)
{
    if (__sanitizer_get_current_allocated_bytes)
        return __sanitizer_get_current_allocated_bytes();
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

uint64_t soak_files(void)
{
    uint64_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    if (!dir)
        return 0;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

void soak_device_state(struct soak_device *device, struct soak_state *state)
{
    *state = (struct soak_state){0};
    if (device) {
        struct wt_machine *m = vx_machine(device->device);
        state->hash = m->ops->hash(m);
        state->time = m->time;
    }
    state->heap = soak_heap();
    state->files = soak_files();
}

/* ---- serving ---- */

enum what { NEW_DEVICE, STATE, STATE_OF_PROCESS, END };

struct order {
    enum what what;
    struct soak_shape shape;
};

/* The process that serves. */
struct serving {
    struct wt_loop *loop;
    int control;
    struct soak_device *device;
    struct wt_line_server line;
    struct wt_dtm dtm;
    bool quit;
    struct wt_stream_server *server;
};

/* Registers of whichever device there is. */
static uint32_t served_read(void *context, uint32_t addr)
{
    struct serving *s = context;
    return s->device ? soak_read(s->device, addr) : 0;
}

static void served_write(void *context, uint32_t addr, uint32_t value)
{
    struct serving *s = context;
    if (s->device)
        soak_write(s->device, addr, value);
}

static void line_begin(void *context)
{
    wt_line_server_begin(&((struct serving *)context)->line);
}

static size_t line_feed(void *context, const char *bytes, size_t size, char *out, size_t room,
                        size_t *sent)
{
    return wt_line_server_feed(&((struct serving *)context)->line, bytes, size, out, room, sent);
}

static void jtag_begin(void *context)
{
    struct serving *s = context;
    wt_dtm_unplug(&s->dtm);
    s->quit = false;
}

static size_t jtag_feed(void *context, const char *bytes, size_t size, char *out, size_t room,
                        size_t *sent)
{
    struct serving *s = context;
    return wt_bitbang_take(&s->dtm, (const uint8_t *)bytes, size, (uint8_t *)out, room, sent,
                           &s->quit);
}

static bool jtag_goodbye(void *context)
{
    return ((struct serving *)context)->quit;
}

static void obey(void *context, int fd, short events)
{
    struct serving *s = context;
    struct order order;
    struct soak_state state = {0};
    if (recv(fd, &order, sizeof order, 0) != sizeof order)
        order.what = END;
    switch (order.what) {
    case NEW_DEVICE:
        soak_device_free(s->device);
        s->device = soak_device_new(&order.shape);
        break;
    case STATE:
        soak_device_state(s->device, &state);
        break;
    case STATE_OF_PROCESS:
        soak_device_free(s->device);
        s->device = NULL;
        soak_device_state(NULL, &state);
        break;
    case END:
        wt_loop_end(s->loop);
        return;
    }
    if (send(fd, &state, sizeof state, MSG_NOSIGNAL) != sizeof state)
        wt_loop_end(s->loop);
}

static int serve(enum soak_transport transport, int control)
{
    static struct serving s;
    struct wt_error err;
    const struct wt_bus_device registers = {
        .context = &s, .read = served_read, .write = served_write};
    const struct wt_dtm_config dtm = wt_dtm_default_config(0);
    const struct wt_stream_protocol protocols[] = {
        [SOAK_TCP] = {.context = &s,
                      .begin = line_begin,
                      .feed = line_feed,
                      .refusal = WT_LINE_REFUSAL},
        [SOAK_JTAG] = {.context = &s,
                       .begin = jtag_begin,
                       .feed = jtag_feed,
                       .goodbye = jtag_goodbye},
    };
    const struct wt_stream_options options = {.address = "127.0.0.1:0"};
    char address[128] = "";
    s.control = control;
    s.loop = wt_loop_new();
    s.line = (struct wt_line_server){.device = registers};
    wt_dtm_init(&s.dtm, &dtm, &registers);
    if (!s.loop || !wt_loop_watch(s.loop, control, POLLIN, obey, &s) ||
        wt_stream_server_open(s.loop, &protocols[transport], &options, &s.server, &err))
        give_up("serving", s.loop ? err.text : "no memory");
    snprintf(address, sizeof address, "%s", wt_stream_server_address(s.server));
    if (send(control, address, sizeof address, MSG_NOSIGNAL) != sizeof address ||
        wt_loop_run(s.loop, &err))
        give_up("serving", "it ended");
    wt_stream_server_close(s.server);
    wt_loop_free(s.loop);
    soak_device_free(s.device);
    close(control);
    return 0;
}

struct soak_server {
    pid_t process;
    int control;
    char address[160];
};

struct soak_server *soak_server_start(enum soak_transport transport)
{
    struct soak_server *server = calloc(1, sizeof *server);
    int pair[2];
    char address[128];
    if (!server || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        give_up("a server", strerror(errno));
    server->process = fork();
    if (server->process < 0)
        give_up("fork", strerror(errno));
    if (server->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_IGN); /* the parent ends it */
        close(pair[0]);
        free(server);
        exit(serve(transport, pair[1]));
    }
    close(pair[1]);
    server->control = pair[0];
    if (recv(server->control, address, sizeof address, 0) != sizeof address)
        give_up("a server", "it has not started");
    const char *where = strncmp(address, "tcp:", 4) == 0 ? address + 4 : address;
    snprintf(server->address, sizeof server->address, "%s:%s",
             transport == SOAK_JTAG ? "remote_bitbang" : "tcp", where);
    return server;
}

const char *soak_server_address(const struct soak_server *server)
{
    return server->address;
}

static void command(struct soak_server *server, const struct order *order, struct soak_state *state)
{
    if (send(server->control, order, sizeof *order, MSG_NOSIGNAL) != sizeof *order ||
        recv(server->control, state, sizeof *state, 0) != sizeof *state)
        give_up(server->address, "its process is gone");
}

void soak_server_device(struct soak_server *server, const struct soak_shape *shape)
{
    struct soak_state state;
    command(server, &(struct order){.what = NEW_DEVICE, .shape = *shape}, &state);
}

void soak_server_state(struct soak_server *server, bool device, struct soak_state *state)
{
    command(server, &(struct order){.what = device ? STATE : STATE_OF_PROCESS}, state);
}

void soak_server_stop(struct soak_server *server)
{
    const struct order end = {.what = END};
    int status;
    /* A later server has inherited this end of the pair: to close it would not be enough. */
    if (send(server->control, &end, sizeof end, MSG_NOSIGNAL) != sizeof end)
        give_up(server->address, "its process is gone");
    close(server->control);
    if (waitpid(server->process, &status, 0) != server->process || status)
        give_up(server->address, "its process has not ended well");
    free(server);
}
