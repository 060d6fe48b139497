/* A debugger and a host process that answers anything: the debugger's session, and the harness's
 * socket. The target has serve(), which is the process, and look_at_thread(), which is called for
 * the first threads at each stop. */
#ifndef TESTS_FUZZ_FUZZ_SESSION_H
#define TESTS_FUZZ_FUZZ_SESSION_H

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>

#include "debug/core/going.h"
#include "../pending.h"
#include "fuzz_host.h"

#include "base/listen.h"
#include "debug/source/frames.h"
#include "object/process_wire.h"
#include "target/process.h"

static struct wt_listener listener;
static int pid; /* of the process, as the debugger knows it */
struct process; /* the target's, too */

/* The target's. */
static void look_at_thread(struct wt_process *process, wt_thread thread, size_t index);

/* ---- the process ---- */

enum { PLAIN = 0xc0 }; /* bytes of the stream below it leave an answer as it is */

/* A right answer: its parts in the target's own structure, and the bytes that follow. */
struct right {
    void *answer;
    size_t answer_size;
    int32_t *result;
    uint32_t *follows; /* so many bytes */
    uint8_t *bytes;
    uint32_t most; /* room for bytes */
    int32_t ended; /* the result of a process that has ended */
    void *closed;  /* whether it has closed its files then */
    size_t closed_size;
};

static inline struct wt_wire_hello right_hello(uint32_t devices, uint64_t place)
{
    return (struct wt_wire_hello){.devices = devices, .place = {place}};
}

/* What the stream makes of an answer. False: the process says no more; *sent is how much of this
 * answer is sent yet, SIZE_MAX for nothing. */
static inline bool change(struct input *stream, const struct right *r, size_t *sent)
{
    const uint8_t how = (uint8_t)take(stream, 1);
    if (how < PLAIN)
        return true;
    const uint8_t what = how & 7;
    const uint64_t number = take(stream, 8);
    switch (what) {
    case 0:
        *r->result = (int32_t)number;
        break;
    case 1:
        *r->follows = (uint32_t)number;
        break;
    case 2: /* a byte of the answer itself */
        ((uint8_t *)r->answer)[number % r->answer_size] = (uint8_t)(number >> 32);
        break;
    case 3: /* eight of the bytes behind it */
        wt_store_le(r->bytes + number % 256, take(stream, 8), 8);
        break;
    case 4:
        *r->result = r->ended;
        *r->follows = 0;
        memset(r->closed, 0, r->closed_size);
        *(uint8_t *)r->closed = number & 1;
        break;
    case 5:
        *sent = (size_t)(number % (r->answer_size + *r->follows));
        return false;
    case 6: /* fewer or more bytes than were asked for */
        *r->follows = (uint32_t)(number % 512);
        break;
    default:
        return false;
    }
    return true;
}

/* Takes a debugger's connection and its first words, and answers as `how` says: from PLAIN on with
 * a byte that is another one. */
static inline int accept_and_greet(uint32_t family, uint8_t how)
{
    struct wt_wire_greeting own = wt_wire_greeting(family, (uint32_t)pid), other;
    const int fd = accept(listener.fd, NULL, NULL);
    if (fd < 0 || !wt_endpoint_receive(fd, &other, sizeof other))
        return fd;
    if (!wt_wire_agree(&own, &other)) /* our own debugger */
        abort();
    if (how >= PLAIN)
        ((uint8_t *)&own)[how % sizeof own] ^= how;
    wt_endpoint_send(fd, &own, sizeof own);
    return fd;
}

/* Sends what the stream makes of an answer. False: nothing comes after it. */
static inline bool send_changed(int fd, struct input *stream, const struct right *r)
{
    size_t sent = SIZE_MAX;
    const bool more = change(stream, r, &sent);
    if (!more && sent == SIZE_MAX)
        return false;
    const size_t size = *r->follows < r->most ? *r->follows : r->most;
    const size_t head = sent < r->answer_size ? sent : r->answer_size;
    const size_t body = sent < r->answer_size + size ? sent - head : size;
    return wt_endpoint_send(fd, r->answer, head) && wt_endpoint_send(fd, r->bytes, body) && more &&
           body == *r->follows; /* what is missing does not come */
}

/* ---- the debugger ---- */

/* What look_at_thread() does where threads have frames: accesses are watched, and callers looked
 * up. */
static inline void watch_and_walk_up(struct wt_process *process, wt_thread thread, size_t index)
{
    struct wt_debugger *d = process->debugger;
    for (uint32_t space = 0; !index && space < wt_debugger_topology(d)->space_count; space++) {
        const struct wt_watchpoint_request request = {
            .kind = WT_WATCHPOINT_ACCESS, .addr = {space, 8}, .size = 16, .thread = thread};
        wt_debugger_insert_watchpoint(d, &request, WT_IGNORED);
    }
    struct wt_frames *frames = wt_frames_new(d, process->modules, thread);
    for (unsigned level = 0; frames && wt_frames_get(frames, level) && level < 8; level++)
        continue;
    wt_frames_free(frames);
}

static void look(struct wt_debugger *d, struct wt_process *process)
{
    const struct wt_thread_info *list;
    struct wt_thread_position at;
    struct wt_wave wave;
    size_t count;
    uint8_t bytes[80], row[64];
    if (wt_debugger_threads(d, &list, &count, WT_IGNORED))
        return;
    for (size_t i = 0; i < count && i < 6; i++) {
        const wt_thread thread = list[i].id;
        const unsigned index = (unsigned)(7 * i);
        if (!wt_debugger_thread_wave(d, thread, &wave) ||
            wt_debugger_thread_position(d, thread, &at, WT_IGNORED))
            return;
        wt_debugger_read_registers(d, thread, &index, 1, row, WT_IGNORED);
        for (uint32_t space = 0; space < wt_debugger_topology(d)->space_count; space++)
            wt_debugger_read_memory(d, thread, (struct wt_address){space, 12}, bytes, sizeof bytes,
                                    WT_IGNORED);
        if (i == 0)
            wt_debugger_insert_breakpoint(d, at.pc, NULL, 0, NULL, 0, WT_IGNORED);
        look_at_thread(process, thread, i);
    }
    wt_process_refresh(process, WT_IGNORED);
}

static void wait_for_stop(struct wt_debugger *d, struct wt_process *process)
{
    struct wt_probe_event news;
    for (unsigned i = 0; i < 8 && wt_debugger_running(d); i++) {
        wt_debugger_pump(d, 1000);
        while (wt_debugger_next_news(d, &news))
            if (news.kind == WT_PROBE_MODULES_CHANGED)
                wt_process_refresh(process, WT_IGNORED);
        while (wt_debugger_next_event(d).kind != WT_EVENT_NONE)
            continue;
    }
}

static void debug(struct wt_process *process)
{
    static const enum wt_resume_kind kinds[] = {WT_RESUME_CONTINUE, WT_RESUME_STEP,
                                                WT_RESUME_CONTINUE};
    struct wt_debugger *d = process->debugger;
    struct pending pending = {.debugger = d, .modules = process->modules};
    const struct wt_thread_info *list;
    size_t count;
    uint32_t status;
    const bool waits = pending_begin(&pending, "kernel", WT_IGNORED) == WT_OK;
    for (unsigned i = 0; i < 3 && !wt_debugger_ended(d, &status); i++) {
        wt_debugger_interrupt(d, WT_IGNORED);
        wait_for_stop(d, process);
        look(d, process);
        struct wt_resume how = {.kind = kinds[i]};
        if (kinds[i] == WT_RESUME_STEP && !wt_debugger_threads(d, &list, &count, WT_IGNORED) &&
            count)
            how.thread = list[0].id;
        else
            how.kind = WT_RESUME_CONTINUE;
        if (wt_debugger_run(d, WT_FORWARDS, &how, 1, WT_IGNORED))
            break;
        wait_for_stop(d, process);
    }
    if (waits)
        pending_end(&pending);
}

static void close_listener(void)
{
    wt_listener_close(&listener);
}

/* Listens as a process would at PID.SUFFIX. That process has ended already, so that the debugger
 * does not wait for its end. */
static inline void begin(const char *suffix)
{
    char address[160];
    struct wt_error err;
    siginfo_t info;
    make_folder();
    pid = fork();
    if (pid == 0)
        _exit(0);
    if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
        abort();
    snprintf(address, sizeof address, "unix:%s/%d.%s", folder, pid, suffix);
    if (wt_listen(address, &listener, &err) || fcntl(listener.fd, F_SETFL, 0))
        abort();
    atexit(close_listener);
}

/* A session with the process that `serve` is, in a thread, with its context. */
static inline void hold_session(const struct wt_family *family, void *(*serve)(void *),
                                void *context)
{
    const struct wt_debugger_options options = {.threads = WT_THREADS_WAVES};
    struct wt_process process;
    struct wt_error err;
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, context))
        abort();
    const struct wt_process_place place = {.pid = pid};
    if (wt_process_open(&process, family, &place, &options, 0, &err) == WT_OK) {
        debug(&process);
        wt_process_close(&process);
    } else if (!*err.text) {
        abort(); /* without a reason */
    }
    pthread_join(thread, NULL);
}

/* What a process answers to WT_WIRE_GATHER or WT_WIRE_SCATTER; find: where its memory at an address
 * is. The debugger's requests are sound. */
static inline void reply_pieces(struct process *p,
                                uint8_t *(*find)(struct process *p, uint64_t addr, uint32_t size),
                                const struct wt_wire_request *request, uint8_t *bytes,
                                struct wt_wire_answer *answer)
{
    const bool write = request->verb == WT_WIRE_SCATTER;
    struct wt_wire_piece *list = (void *)bytes;
    bytes += request->number * sizeof *list;
    answer->size = request->number * sizeof *list;
    for (uint32_t i = 0; i < request->number; i++) {
        const uint32_t size = list[i].size;
        uint8_t *memory = find(p, list[i].addr, size);
        if (memory)
            memcpy(write ? memory : bytes, write ? bytes : memory, size);
        else
            list[i].size = 0;
        bytes += size;
        answer->size += write ? 0 : size;
    }
}

#endif
