/* What the targets share that send packets to sessions of the remote serial protocol: a device, its
 * debugger, and CLIENTS conversations that look at it at the same time, which the target defines.
 */
#ifndef TESTS_FUZZ_FUZZ_RSP_H
#define TESTS_FUZZ_FUZZ_RSP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus/bus.h"
#include "debug/vortex/vortex.h"
#include "emulator/machine/machine.h"
#include "emulator/vortex/vortex.h"
#include "../unit/conversation.h"

#include "../history/small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BASE 0x80000000u
#define SLICE 200
#define RECORDED 0x40 /* of the first byte */

/* Starts all warps and threads, which count and diverge and meet, and end after a while. */
static const uint32_t program[] = {
    0xfc1022f3, /*       csrr   t0, num_warps   */
    0x00000317, /*       auipc  t1, 0           */
    0x00c30313, /*       addi   t1, t1, 12      */
    0x0062900b, /*       wspawn t0, t1          */
    0x00f00293, /* work: li     t0, 15          */
    0x0002800b, /*       tmc    t0              */
    0xcc0023f3, /*       csrr   t2, thread_id   */
    0x0013f313, /*       andi   t1, t2, 1       */
    0x00032e0b, /*       split  t3, t1          */
    0x00030463, /*       beqz   t1, +8          */
    0x00140413, /*       addi   s0, s0, 1       */
    0x000e300b, /*       join   t3              */
    0x00148493, /*       addi   s1, s1, 1       */
    0x80001f37, /*       lui    t5, 0x80001     */
    0x009f2023, /*       sw     s1, 0(t5)       */
    0x009f2faf, /*       amoadd.w t6, s1, (t5)  */
    0x004f2f83, /*       lw     t6, 4(t5)       */
    0x01400e93, /*       li     t4, 20          */
    0xfdd4c4e3, /*       blt    s1, t4, work    */
    0x0000000b, /*       tmc    x0              */
};

struct stack {
    struct vx_device *device;
    struct wt_emulated recorded; /* in place of that device */
    struct wt_machine *machine;
    struct wt_debugger *debugger;
    struct wt_vortex_link link;
    struct wt_target target;
    struct conversation talk[CLIENTS];
    struct wt_bus *bus;
    struct play_options play;
    char path[32];
    int fd;
    bool is_recorded;
};

static uint32_t read_register(void *context, uint32_t addr)
{
    return vx_dm_read(context, addr);
}

static void write_register(void *context, uint32_t addr, uint32_t value)
{
    vx_dm_write(context, addr, value);
}

static enum wt_pump pump(void *context, uint64_t budget)
{
    struct wt_machine *m = context;
    switch (m->ops->run(m, budget)) {
    case WT_RUN_BUDGET:
        return WT_PUMP_RAN;
    case WT_RUN_HALTED:
        return WT_PUMP_IDLE;
    default:
        return WT_PUMP_EVENT;
    }
}

static bool read_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                        void *out, size_t size)
{
    struct wt_machine *m = context;
    return m->ops->read_memory(m, wave, lane, addr.offset, out, size);
}

static bool write_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                         const void *bytes, size_t size)
{
    struct wt_machine *m = context;
    return m->ops->write_memory(m, wave, lane, addr.offset, bytes, size);
}

static const struct wt_fault *fault(void *context)
{
    const struct wt_fault *f = &((struct wt_machine *)context)->fault;
    return f->kind != WT_FAULT_NONE ? f : NULL;
}

static void clear_fault(void *context)
{
    wt_machine_clear_fault(context);
}

static enum wt_status reload(void *context, struct wt_error *err)
{
    struct wt_machine *m = context;
    return m->ops->write_memory(m, 0, 0, BASE, program, sizeof program)
               ? WT_OK
               : wt_fail(err, WT_IO, "memory cannot be written");
}

static enum wt_status watch(void *context, const struct wt_watchpoint *list, size_t count,
                            struct wt_error *err)
{
    struct wt_machine *m = context;
    struct wt_watch *watches = calloc(count ? count : 1, sizeof *watches);
    for (size_t i = 0; watches && i < count; i++)
        watches[i] =
            (struct wt_watch){.kind = list[i].kind == WT_WATCHPOINT_WRITE  ? WT_WATCH_WRITE
                                      : list[i].kind == WT_WATCHPOINT_READ ? WT_WATCH_READ
                                                                           : WT_WATCH_ACCESS,
                              .addr = list[i].addr.offset,
                              .size = list[i].size,
                              .wave = list[i].wave};
    const bool done = watches && wt_set_watches(m, watches, count);
    free(watches);
    return done ? WT_OK : wt_fail(err, WT_NO_MEMORY, "no host memory");
}

static size_t watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    static _Thread_local struct wt_watchpoint_hit hit[WT_WATCH_HITS];
    struct wt_machine *m = context;
    const size_t count = m->hits;
    for (size_t i = 0; i < count; i++) {
        const struct wt_watch_hit *h = &m->hit[i];
        hit[i] = (struct wt_watchpoint_hit){.read = h->kind != WT_WATCH_WRITE,
                                            .write = h->kind != WT_WATCH_READ,
                                            .time = h->time,
                                            .wave = h->wave,
                                            .lane = h->lane,
                                            .pc = h->pc,
                                            .addr = wt_address_of(h->addr),
                                            .size = h->size};
        memcpy(hit[i].before, h->before, sizeof h->before);
        memcpy(hit[i].after, h->after, sizeof h->after);
    }
    m->hits = 0;
    *list = hit;
    return count;
}

static const struct wt_target_services services = {
    .set_watchpoints = watch,
    .watchpoint_hits = watchpoint_hits,
    .pump = pump,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .fault = fault,
    .clear_fault = clear_fault,
    .reload = reload,
};

/* As the server does it. What is to be sent is thrown away. */
static void turn(struct stack *w)
{
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned c = 0; c < CLIENTS; c++)
            wt_rsp_session_handle(w->talk[c].s);
        wt_session_pump(w->talk[0].shared, SLICE);
        for (unsigned c = 0; c < CLIENTS; c++) {
            struct wt_rsp_session *s = w->talk[c].s;
            wt_rsp_session_settle(s);
            s->out.start = s->out.end;
            /* A client waits only for what runs, and is told of its end. */
            if ((s->waiting && !wt_debugger_running(w->debugger)) || (s->errand.end && !s->waiting))
                abort();
        }
    }
    for (unsigned c = 0; c < CLIENTS; c++) {
        struct wt_rsp_session *s = w->talk[c].s;
        if (s->closing) {
            wt_rsp_session_end(s);
            conversation_begin(s);
        }
    }
}

static void send_bytes(struct wt_rsp_session *s, const void *bytes, size_t size)
{
    size_t room;
    uint8_t *space = wt_packet_reader_space(&s->in, &room);
    if (size > room)
        return;
    memcpy(space, bytes, size);
    wt_packet_reader_added(&s->in, size);
}

static void send_packet(struct wt_rsp_session *s, const void *bytes, size_t size)
{
    struct wt_packet_writer out;
    wt_packet_writer_init(&out);
    wt_put_begin(&out, '$');
    wt_put_binary(&out, bytes, size);
    wt_put_end(&out);
    send_bytes(s, out.buffer, out.end);
    wt_packet_writer_free(&out);
}

/* The next clients are served. */
static void check(struct stack *w)
{
    for (unsigned c = 0; c < CLIENTS; c++)
        wt_rsp_session_end(w->talk[c].s);
    for (unsigned c = 0; c < CLIENTS; c++)
        conversation_begin(w->talk[c].s);
    for (unsigned i = 0; i < 1000 && wt_debugger_running(w->debugger); i++)
        turn(w);
    if (wt_debugger_running(w->debugger))
        abort(); /* the interrupt did not stop it */
    wt_session_pump(w->talk[0].shared, 0);
    for (unsigned c = 0; c < CLIENTS; c++) {
        struct wt_rsp_session *s = w->talk[c].s;
        wt_rsp_session_settle(s);
        wt_rsp_session_handle(s);
        s->out.start = s->out.end;
        send_bytes(s, "$?#3f", 5);
        wt_rsp_session_handle(s);
        struct wt_packet_writer *out = &s->out;
        size_t length = out->end - out->start;
        if (length < 8 || memcmp(out->buffer + out->start, "+$", 2) != 0 ||
            !memchr("TW", out->buffer[out->start + 2], 2))
            abort();
        s->out.start = s->out.end;
    }
}

/* A device that is not recorded, with all that the emulator offers beside that. */
static struct wt_target plain_target(struct stack *w)
{
    struct vx_config config;
    vx_config_default(&config);
    config.startup = BASE;
    config.startup_given = true;
    if (vx_device_new(&config, &w->device, WT_IGNORED))
        abort();
    w->machine = vx_machine(w->device);
    w->machine->ops->write_memory(w->machine, 0, 0, BASE, program, sizeof program);
    w->bus = wt_bus_local(&(struct wt_bus_device){
        .context = w->device, .read = read_register, .write = write_register});
    w->link = (struct wt_vortex_link){.bus = w->bus, .exit_addr = config.exit_addr, .xlen = 32};
    return (struct wt_target){.link = &w->link, .services = &services, .context = w->machine};
}

/* The first byte of an input chooses how the debugger reaches the device, what a thread is, and
 * whether the run is recorded and can be gone back in. */
static void open_stack(struct stack *w, uint8_t first)
{
    *w = (struct stack){.fd = -1, .is_recorded = first & RECORDED};
    if (w->is_recorded) {
        w->play = small_device(&(struct small){.rounds = 4}, &w->fd, w->path);
        w->play.world.options.gpu =
            (struct wt_gpu){.family = &wt_family_vortex, .config = &w->play.world.config};
        if (wt_emulated_open(&w->recorded, &w->play.world.options, w->path, WT_IGNORED) ||
            wt_emulated_attach(&w->recorded, WT_IGNORED) ||
            wt_emulated_history_start(&w->recorded, WT_IGNORED))
            abort();
        w->recorded.console = NULL;
        wt_timeline_set_interval(w->recorded.timeline, 100);
        w->target = w->recorded.target;
    } else {
        w->target = plain_target(w);
    }
    struct wt_debugger_options options = {
        .dm_only = first & 1, .threads = first >> 1 & 1 ? WT_THREADS_WAVES : WT_THREADS_AUTO};
    if (wt_debugger_open(&w->target, &wt_probe_vortex, &options, &w->debugger, WT_IGNORED) ||
        wt_debugger_reset(w->debugger, WT_IGNORED))
        abort();
    static struct wt_rsp_options rsp;
    rsp = wt_rsp_default_options();
    for (unsigned c = 0; c < CLIENTS; c++) {
        if (!conversation_open(&w->talk[c], c ? w->talk[0].shared : NULL, w->debugger, &rsp))
            abort();
        conversation_begin(w->talk[c].s);
    }
}

static void close_stack(struct stack *w)
{
    for (unsigned c = CLIENTS; c-- > 0;)
        conversation_close(&w->talk[c]);
    wt_debugger_close(w->debugger);
    wt_bus_close(w->bus);
    if (w->is_recorded)
        wt_emulated_close(&w->recorded);
    else
        vx_device_free(w->device);
    if (w->fd >= 0)
        close(w->fd);
}

#endif
