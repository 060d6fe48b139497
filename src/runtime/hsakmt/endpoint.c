/*
 * The endpoint of a host process for debuggers: a Unix socket in the user's own folder, and a
 * thread that serves one debugger at a time. When a debugger goes, in whatever way, its breakpoints
 * are lifted, waves that it held go on, and the next one may come. Idle, the thread sleeps in
 * poll(): the GPUs run as if it were not there.
 */
#include "runtime/hsakmt/endpoint.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/listen.h"
#include "base/private_dir.h"
#include "emulator/gcn/debug.h"
#include "emulator/gcn/kfd.h"
#include "object/kfd_wire.h"
#include "runtime/hsakmt/debugger_memory.h"
#include "runtime/hsakmt/final_memory.h"
#include "runtime/hsakmt/recording.h"

#define BREAKPOINT 0xbf920001u /* s_trap 1 */
#define PATIENCE_S 1
#define PATIENCE_MEMORY_S 10

/** A breakpoint of the debugger's, and what it covers. */
struct planted {
    uint64_t addr;
    uint32_t covers;
};

struct host_endpoint {
    struct host *host;
    struct wt_listener listener;
    int wake;                /* an eventfd: the thread is to end */
    int debugger;            /* the connection; -1: none */
    int holder;              /* a pidfd of the debugger that kernels wait for; -1: of none */
    pthread_mutex_t sending; /* held while an answer is sent */
    pthread_cond_t gone;     /* with it: `debugger` is another one */
    pid_t owner;
    pthread_t thread;
    struct planted *planted;
    size_t planted_count, planted_capacity;
    uint8_t bytes[KFD_WIRE_MOST];
};

/* ---- memory: all GPUs are entered ---- */

/* Breakpoints are remembered, for when the debugger goes without lifting them. */
static void note_breakpoint(struct host_endpoint *e, uint64_t addr, const uint8_t *bytes,
                            size_t size)
{
    uint8_t before[4];
    for (size_t i = 0; i < e->planted_count; i++)
        if (addr < e->planted[i].addr + 4 && e->planted[i].addr < addr + size)
            e->planted[i--] = e->planted[--e->planted_count];
    if (size != 4 || wt_load_le(bytes, 4) != BREAKPOINT ||
        !host_debugger_copy(e->host, addr, before, 4, true))
        return;
    struct planted *more =
        wt_array_grow(e->planted, &e->planted_capacity, e->planted_count + 1, sizeof *more);
    if (!more)
        return;
    e->planted = more;
    e->planted[e->planted_count++] =
        (struct planted){.addr = addr, .covers = (uint32_t)wt_load_le(before, 4)};
}

/* A recorded GPU knows what it has instead of that memory. */
static void tell_changed(struct host *host, uint64_t addr, size_t size)
{
    for (uint32_t i = 0; i < host->gpus; i++)
        gcn_device_changed(host->gpu[i].device, addr, size);
}

static bool write_memory(struct host_endpoint *e, uint64_t addr, uint8_t *bytes, size_t size)
{
    note_breakpoint(e, addr, bytes, size);
    if (!host_debugger_copy(e->host, addr, bytes, size, false))
        return false;
    tell_changed(e->host, addr, size);
    return true;
}

/* The lock of allocations comes before the GPU's: where somebody has it, the answer is yes, which
 * is only slower. */
static bool is_shared(struct host *host, uint64_t addr)
{
    const struct host_allocation *before, *a;
    if (pthread_mutex_trylock(&host->lock))
        return true;
    a = host_memory_find(host, addr, &before);
    const bool shared = !a || !a->node || !a->flags.ui32.CoarseGrain || a->registrations;
    pthread_mutex_unlock(&host->lock);
    return shared;
}

/* ---- requests ---- */

/* What has happened to the list of code objects since the debugger was told of it. */
static int look_at_code(struct host *host, uint64_t *state)
{
    return host_code_state(host, state) && *state != atomic_load(&host->code_known) ? KFD_WIRE_CODE
                                                                                    : 0;
}

static bool has_event(struct host *host)
{
    bool event = false;
    for (uint32_t i = 0; i < host->gpus && !event; i++) {
        host_enter(&host->gpu[i]);
        event = gcn_kfd_has_event(host->gpu[i].device);
        host_leave(&host->gpu[i]);
    }
    return event;
}

static int wait_for_event(struct host *host, uint64_t ms)
{
    const struct timespec moment = {.tv_nsec = 200000};
    if (ms > KFD_WIRE_WAIT_MS)
        ms = KFD_WIRE_WAIT_MS;
    for (uint32_t i = 0; i < host->gpus; i++) {
        host_enter(&host->gpu[i]);
        host_recording_asked(&host->gpu[i]);
        host_leave(&host->gpu[i]);
    }
    for (uint64_t i = 0; i <= 5 * ms; i++) {
        if (has_event(host))
            return KFD_WIRE_EXCEPTION;
        if (ms)
            nanosleep(&moment, NULL);
    }
    return 0;
}

/* A debugger's first and last operations. Others that connect (`ps`, `reg`) hold no launch back. */
static void follow_code(struct host *host, const struct kfd_debug_call *call)
{
    if (call->result == 0 && (call->op == KFD_DEBUG_ENABLE || call->op == KFD_DEBUG_DISABLE))
        host_code_follow(host, call->op == KFD_DEBUG_ENABLE);
}

/* To a queue, or to the GPU: as the driver has it, these lock the GPU themselves. */
static int send_event(struct host *host, const struct kfd_debug_call *call)
{
    if (call->queue_count > 1 || call->device >= host->gpus)
        return -EINVAL;
    return call->queue_count ? host_queue_send(host, call->queue[0], call->arg[0])
                             : host_gpu_send(&host->gpu[call->device], call->arg[0]);
}

/* ---- operations: those of all GPUs ---- */

/* Suspends or resumes queues, each on its own GPU. */
static void change_queues(struct host *host, struct kfd_debug_call *call)
{
    struct kfd_debug_call all = *call;
    int done = 0;
    for (uint32_t k = 0; k < all.queue_count; k++)
        all.queue[k] |= KFD_QUEUE_INVALID;
    for (uint32_t i = 0; i < host->gpus; i++) {
        struct kfd_debug_call one = *call;
        host_recording_call(&host->gpu[i], &one);
        done += one.result > 0 ? one.result : 0;
        all.result = one.result < 0 ? one.result : done;
        for (uint32_t k = 0; k < all.queue_count; k++)
            if (!(one.queue[k] & KFD_QUEUE_INVALID))
                all.queue[k] = one.queue[k];
        if (one.result < 0)
            break;
    }
    *call = all;
}

/* On each GPU, until one refuses; what the last one answers. */
static void on_each(struct host *host, struct kfd_debug_call *call)
{
    struct kfd_debug_call one = *call;
    for (uint32_t i = 0; i < host->gpus; i++) {
        one = *call;
        host_recording_call(&host->gpu[i], &one);
        if (one.result >= 0)
            continue;
        /* Another one of the process's own debuggers has this GPU. */
        for (uint32_t k = 0; k < i && call->op == KFD_DEBUG_ENABLE; k++)
            gcn_kfd_disable(host->gpu[k].device);
        break;
    }
    *call = one;
}

static void do_call(struct host *host, struct kfd_debug_call *call)
{
    for (uint32_t i = 0; i < host->gpus && call->op == KFD_DEBUG_DISABLE; i++)
        host_recording_free(&host->gpu[i]);
    switch ((enum kfd_debug_op)call->op) {
    case KFD_DEBUG_SET_NODE_ADDRESS_WATCH:
    case KFD_DEBUG_CLEAR_NODE_ADDRESS_WATCH:
        if (call->device < host->gpus)
            host_recording_call(&host->gpu[call->device], call);
        else
            call->result = -ENODEV;
        break;
    case KFD_DEBUG_SUSPEND_QUEUES:
    case KFD_DEBUG_RESUME_QUEUES:
        change_queues(host, call);
        break;
    default:
        on_each(host, call);
        break;
    }
    follow_code(host, call);
}

static int list_queues(struct host *host, struct kfd_queue_entry *list)
{
    int total = 0;
    for (uint32_t i = 0; i < host->gpus; i++) {
        const int room = KFD_DEBUG_QUEUES - total;
        const int count =
            gcn_kfd_queue_snapshot(host->gpu[i].device, 0, list + total, (uint32_t)room);
        if (count > room)
            return -ENOSPC;
        for (int k = 0; k < count; k++)
            list[total++].gpu_id = host_gpu_id(&host->gpu[i]);
    }
    return total;
}

static void serve_final(struct host_endpoint *e, uint64_t from, struct kfd_wire_answer *answer)
{
    struct host_final_piece piece;
    answer->result = KFD_WIRE_MEMORY;
    if (!host_final_next(e->host, from, e->bytes, sizeof e->bytes, &piece))
        return;
    answer->size = (uint32_t)piece.size;
    answer->call.arg[0] = piece.addr;
    answer->call.arg[1] = piece.length;
}

/* Does a request; *answer and e->bytes become what is sent back. */
static void serve(struct host_endpoint *e, struct kfd_wire_request *request,
                  struct kfd_wire_answer *answer)
{
    struct host *host = e->host;
    struct kfd_queue_entry queues[KFD_DEBUG_QUEUES];
    struct kfd_device_entry devices[HOST_MOST_GPUS];
    *answer = (struct kfd_wire_answer){.result = 0};
    if (request->kind == KFD_WIRE_HELLO) {
        const struct kfd_wire_hello hello = {.magic = KFD_WIRE_MAGIC,
                                             .request_bytes = sizeof *request,
                                             .pid = (uint32_t)getpid(),
                                             .gpus = host->gpus,
                                             .debug = (uint64_t)(uintptr_t)host->debug};
        answer->size = sizeof hello;
        memcpy(e->bytes, &hello, sizeof hello);
        return;
    }
    if (request->gpu >= host->gpus) {
        answer->result = -ENODEV;
        return;
    }
    struct host_gpu *gpu = &host->gpu[request->gpu];
    if (request->kind == KFD_WIRE_EVENT) {
        answer->result = wait_for_event(host, request->addr);
        answer->result |= look_at_code(host, &answer->call.arg[0]);
        return;
    }
    if (request->kind == KFD_WIRE_CODE_KNOWN) {
        atomic_store(&host->code_known, request->addr);
        return;
    }
    if (request->kind == KFD_WIRE_TIME) {
        answer->call.arg[0] = host_recording_time(gpu);
        return;
    }
    if (request->kind == KFD_WIRE_CALL && request->call.op == KFD_DEBUG_SEND_RUNTIME_EVENT) {
        answer->call = request->call;
        answer->call.result = send_event(host, &request->call);
        return;
    }
    host_enter_all(host);
    switch ((enum kfd_wire_kind)request->kind) {
    case KFD_WIRE_CALL:
        do_call(host, &request->call);
        answer->call = request->call;
        break;
    case KFD_WIRE_QUEUES:
        answer->result = list_queues(host, queues);
        answer->size = answer->result < 0 ? 0 : (uint32_t)answer->result * (uint32_t)sizeof *queues;
        memcpy(e->bytes, queues, answer->size);
        break;
    case KFD_WIRE_DEVICES:
        for (uint32_t i = 0; i < host->gpus; i++) {
            gcn_kfd_device_snapshot(host->gpu[i].device, 0, &devices[i]);
            devices[i].gpu_id = host_gpu_id(&host->gpu[i]);
        }
        answer->size = host->gpus * (uint32_t)sizeof *devices;
        memcpy(e->bytes, devices, answer->size);
        break;
    case KFD_WIRE_READ:
        if (host_debugger_copy(host, request->addr, e->bytes, request->size, true))
            answer->size = request->size;
        else
            answer->result = -EFAULT;
        break;
    case KFD_WIRE_WRITE:
        if (!write_memory(e, request->addr, e->bytes, request->size))
            answer->result = -EFAULT;
        break;
    case KFD_WIRE_REGISTER_READ:
        answer->call.arg[0] = host_recording_input(
            gpu, &(struct wt_input){.kind = WT_INPUT_DEBUG_READ, .addr = (uint32_t)request->addr});
        break;
    case KFD_WIRE_REGISTER_WRITE:
        gpu->debugged = true; /* waves may be halted from now on */
        host_recording_input(gpu, &(struct wt_input){.kind = WT_INPUT_DEBUG_WRITE,
                                                     .addr = (uint32_t)request->addr,
                                                     .value = (uint32_t)request->call.arg[0]});
        break;
    case KFD_WIRE_RECORD:
        answer->result = host_recording_want(gpu, request->addr, is_shared);
        break;
    case KFD_WIRE_FINAL:
        answer->result = host_final_want(host) ? 0 : -ENOMEM;
        break;
    case KFD_WIRE_FINAL_NEXT:
        serve_final(e, request->addr, answer);
        break;
    case KFD_WIRE_HISTORY:
        host_history_serve(gpu, request, answer, e->bytes);
        break;
    default:
        answer->result = -ENOSYS;
        break;
    }
    host_leave_all(host);
}

/* ---- the conversation ---- */

static bool receive(int fd, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = recv(fd, (uint8_t *)to + done, size - done, 0);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool put(int fd, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = send(fd, (const uint8_t *)from + done, size - done, MSG_NOSIGNAL);
        if (put < 0 && errno != EINTR)
            return false;
        done += put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* False: the debugger has gone, or speaks another language. */
static bool converse(struct host_endpoint *e, int fd)
{
    struct kfd_wire_request request;
    struct kfd_wire_answer answer;
    if (!receive(fd, &request, sizeof request) || !kfd_wire_sound(&request) ||
        !receive(fd, e->bytes, kfd_wire_follows(&request)))
        return false;
    serve(e, &request, &answer);
    pthread_mutex_lock(&e->sending);
    const bool sent = put(fd, &answer, sizeof answer) && put(fd, e->bytes, answer.size);
    pthread_mutex_unlock(&e->sending);
    return sent;
}

static struct timespec seconds_from_now(time_t seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    return until;
}

/* The last word: the process ends, or (closed) goes on without its GPUs. With @p waits its memory
 * is there until the debugger has it, and goes. */
static void say_end(struct host_endpoint *e, int status, bool closed, bool waits)
{
    struct timespec until = seconds_from_now(PATIENCE_S);
    /* The debugger may not be taking its answer. */
    if (pthread_mutex_timedlock(&e->sending, &until))
        return;
    waits = waits && e->host->final;
    const struct kfd_wire_answer answer = {.result = KFD_WIRE_ENDED,
                                           .call = {.arg = {(uint32_t)status, closed, waits}}};
    if (e->debugger >= 0 && send(e->debugger, &answer, sizeof answer,
                                 MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof answer) {
        until = seconds_from_now(PATIENCE_MEMORY_S);
        while (waits && e->debugger >= 0 && !pthread_cond_timedwait(&e->gone, &e->sending, &until))
            continue;
        if (e->debugger >= 0)
            shutdown(e->debugger, SHUT_WR);
    }
    pthread_mutex_unlock(&e->sending);
}

static void set_debugger(struct host_endpoint *e, int fd)
{
    pthread_mutex_lock(&e->sending);
    if (e->debugger >= 0)
        close(e->debugger);
    e->debugger = fd;
    pthread_cond_broadcast(&e->gone);
    pthread_mutex_unlock(&e->sending);
}

/* The debugger has gone: all is as if it had not been there. */
static void let_go(struct host_endpoint *e)
{
    host_enter_all(e->host);
    for (uint32_t i = 0; i < e->host->gpus; i++)
        host_recording_free(&e->host->gpu[i]);
    host_final_forget(e->host);
    for (size_t i = 0; i < e->planted_count; i++) {
        const struct planted planted = e->planted[i];
        uint8_t now[4], bytes[4];
        wt_store_le(bytes, planted.covers, 4);
        if (host_debugger_copy(e->host, planted.addr, now, 4, true) &&
            wt_load_le(now, 4) == BREAKPOINT)
            host_debugger_copy(e->host, planted.addr, bytes, 4, false);
        tell_changed(e->host, planted.addr, 4);
    }
    /* Who has only looked leaves the program's own debugging of itself as it is. */
    const bool debugged = atomic_load(&e->host->code_followed);
    for (uint32_t i = 0; i < e->host->gpus && debugged; i++)
        gcn_kfd_disable(e->host->gpu[i].device);
    host_leave_all(e->host);
    e->planted_count = 0;
    if (debugged)
        host_code_follow(e->host, false);
}

/* Somebody else comes while a debugger is here. */
static void turn_away(int listener)
{
    const struct kfd_wire_answer busy = {.result = -EBUSY};
    const struct timeval patience = {.tv_sec = 1};
    struct kfd_wire_request greeting;
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    /* A socket that is closed with something unread in it is reset, and the answer lost. */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (receive(fd, &greeting, sizeof greeting))
        put(fd, &busy, sizeof busy);
    close(fd);
}

static bool is_own(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
           (peer.uid == getuid() || peer.uid == 0);
}

/* The debugger that kernels wait for has ended before it came. */
static void release(struct host_endpoint *e)
{
    fprintf(stderr,
            "wavetrap: process %d, for which kernels were held, has ended: they are no longer "
            "held\n",
            (int)e->host->holder);
    atomic_store(&e->host->held, false);
}

/* Whether the end of the debugger that kernels wait for is to be watched for. */
static bool is_awaited(const struct host_endpoint *e)
{
    return e->holder >= 0 && e->debugger < 0 && atomic_load(&e->host->held);
}

static void *run(void *context)
{
    struct host_endpoint *e = context;
    host_enter_as_debugger(e->host);
    for (;;) {
        struct pollfd fds[] = {{.fd = e->wake, .events = POLLIN},
                               {.fd = e->listener.fd, .events = POLLIN},
                               {.fd = e->debugger, .events = POLLIN},
                               {.fd = is_awaited(e) ? e->holder : -1, .events = POLLIN}};
        if (poll(fds, 4, -1) < 0 && errno != EINTR)
            break;
        if (fds[0].revents)
            break;
        if (fds[3].revents)
            release(e);
        if (fds[2].revents && !converse(e, e->debugger)) {
            set_debugger(e, -1);
            let_go(e);
        }
        if (!fds[1].revents)
            continue;
        if (e->debugger >= 0) {
            turn_away(e->listener.fd);
            continue;
        }
        const int fd = accept4(e->listener.fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0 && !is_own(fd))
            close(fd);
        else
            set_debugger(e, fd);
    }
    if (e->debugger >= 0) {
        say_end(e, 0, true, false);
        set_debugger(e, -1);
        let_go(e);
    }
    return NULL;
}

/* ---- beginning and end ---- */

struct host_endpoint *host_endpoint_start(struct host *host)
{
    char folder[96], address[128];
    struct wt_error err;
    sigset_t all, before;
    struct host_endpoint *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->host = host;
    e->owner = getpid();
    e->debugger = e->holder = -1;
    pthread_mutex_init(&e->sending, NULL);
    pthread_cond_init(&e->gone, NULL);
    e->wake = eventfd(0, EFD_CLOEXEC);
    snprintf(address, sizeof address, "unix:");
    bool good = e->wake >= 0 && wt_private_dir(folder, sizeof folder, &err) == WT_OK;
    if (good) {
        snprintf(address, sizeof address, "unix:%s/" WT_PROCESS_SOCKET, folder, (int)getpid());
        good = wt_listen(address, &e->listener, &err) == WT_OK;
    }
    if (!good) { /* the program runs without a debugger, too */
        if (e->wake >= 0)
            close(e->wake);
        free(e);
        return NULL;
    }
    if (host->holder > 0) {
        e->holder = pidfd_open(host->holder, 0);
        if (e->holder < 0 && errno == ESRCH)
            release(e);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    good = !pthread_create(&e->thread, NULL, run, e);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good)
        return e;
    wt_listener_close(&e->listener);
    close(e->wake);
    if (e->holder >= 0)
        close(e->holder);
    free(e);
    return NULL;
}

void host_endpoint_stop(struct host_endpoint *e)
{
    const uint64_t one = 1;
    if (!e)
        return;
    if (write(e->wake, &one, sizeof one) == sizeof one)
        pthread_join(e->thread, NULL);
    wt_listener_close(&e->listener);
    close(e->wake);
    if (e->holder >= 0)
        close(e->holder);
    free(e->planted);
    free(e);
}

void host_endpoint_tell_exit(struct host_endpoint *e, int status, bool waits)
{
    if (e && e->owner == getpid())
        say_end(e, status, false, waits);
}

void host_endpoint_after_fork(struct host_endpoint *e)
{
    if (!e)
        return;
    close(e->listener.fd);
    close(e->wake);
    if (e->holder >= 0)
        close(e->holder);
    if (e->debugger >= 0)
        close(e->debugger);
}

void host_endpoint_forget(struct host_endpoint *e)
{
    if (e && e->owner == getpid())
        unlink(e->listener.address);
}
