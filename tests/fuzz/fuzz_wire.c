/*
 * Fuzz target: a debugger and a host process that answers anything (object/kfd_wire.h). The harness
 * is the process. The first 256 bytes of an input are a stream that says what becomes of each
 * answer: it is right, or something is replaced in it, it is cut off, the process ends. The others
 * are the process's memory: a queue's save area, the list of code objects, code. Whatever comes,
 * the debugger says what is wrong or goes on, and closes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/listen.h"
#include "debug/source/locations.h"
#include "object/kfd_wire.h"
#include "runtime/common/endpoint.h"
#include "target/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

#define AREA UINT64_C(0x10000) /* where the process's memory is */
enum {
    AREA_SIZE = 0x10000,
    CODE_LIST = 512,
    STREAM = 256,
    PLAIN = 0xc0, /* bytes below it leave an answer as it is */
};

static char folder[64];
static struct wt_listener listener;
static int pid;

struct process {
    const uint8_t *data;
    size_t size, next; /* of the stream */
    uint8_t area[AREA_SIZE];
    uint8_t answer[KFD_WIRE_MOST];
};

static uint8_t take(struct process *p)
{
    return p->next < p->size ? p->data[p->next++] : 0;
}

static uint64_t take_number(struct process *p)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = take(p);
    return wt_load_le(bytes, 8);
}

/* ---- right answers ---- */

static void list_devices(struct process *p, struct kfd_wire_answer *answer)
{
    struct kfd_device_entry list[2];
    for (uint32_t i = 0; i < 2; i++)
        list[i] = (struct kfd_device_entry){.lds_base = (uint64_t)1 << 48,
                                            .lds_limit = ((uint64_t)1 << 48) + UINT32_MAX,
                                            .scratch_base = (uint64_t)2 << 48,
                                            .scratch_limit = ((uint64_t)2 << 48) + UINT32_MAX,
                                            .gpu_id = i,
                                            .gfx_target_version = 90000,
                                            .simd_count = 8 >> i,
                                            .max_waves_per_simd = 10};
    answer->size = sizeof list;
    memcpy(p->answer, list, sizeof list);
}

static void list_queues(struct process *p, struct kfd_wire_answer *answer)
{
    const struct kfd_queue_entry queue = {.exception_status = p->area[64],
                                          .ring_base_address = AREA,
                                          .read_pointer_address = AREA + 256,
                                          .ctx_save_restore_address = AREA,
                                          .ring_size = 1024,
                                          .gpu_id = p->area[65] & 1,
                                          .queue_type = 2,
                                          .ctx_save_restore_area_size = AREA_SIZE};
    answer->result = 1;
    answer->size = sizeof queue;
    memcpy(p->answer, &queue, sizeof queue);
}

static void reply(struct process *p, const struct kfd_wire_request *request,
                  struct kfd_wire_answer *answer)
{
    const bool inside = request->addr >= AREA && request->size <= AREA_SIZE &&
                        request->addr - AREA <= AREA_SIZE - request->size;
    const struct kfd_wire_hello hello = {.magic = KFD_WIRE_MAGIC,
                                         .request_bytes = sizeof *request,
                                         .pid = (uint32_t)pid,
                                         .gpus = 2,
                                         .debug = AREA + CODE_LIST};
    *answer = (struct kfd_wire_answer){.call = request->call};
    switch ((enum kfd_wire_kind)request->kind) {
    case KFD_WIRE_HELLO:
        answer->size = sizeof hello;
        memcpy(p->answer, &hello, sizeof hello);
        break;
    case KFD_WIRE_QUEUES:
        list_queues(p, answer);
        break;
    case KFD_WIRE_DEVICES:
        list_devices(p, answer);
        break;
    case KFD_WIRE_READ:
        answer->result = inside ? 0 : -EFAULT;
        answer->size = inside ? request->size : 0;
        memcpy(p->answer, p->area + (inside ? request->addr - AREA : 0), answer->size);
        break;
    case KFD_WIRE_WRITE:
        answer->result = inside ? 0 : -EFAULT;
        if (inside)
            memcpy(p->area + (request->addr - AREA), p->answer, request->size);
        break;
    case KFD_WIRE_EVENT:
        answer->result = take(p) & (KFD_WIRE_EXCEPTION | KFD_WIRE_CODE);
        answer->call.arg[0] = take(p);
        break;
    default:
        break;
    }
}

/* ---- what becomes of them ---- */

/* False: the process says no more. */
static bool change(struct process *p, struct kfd_wire_answer *answer, size_t *sent)
{
    const uint8_t how = take(p);
    if (how < PLAIN)
        return true;
    const uint8_t what = how & 7;
    const uint64_t number = take_number(p);
    switch (what) {
    case 0:
        answer->result = (int32_t)number;
        break;
    case 1:
        answer->size = (uint32_t)number;
        break;
    case 2: /* a byte of the answer itself */
        ((uint8_t *)answer)[number % sizeof *answer] = (uint8_t)(number >> 32);
        break;
    case 3: /* eight of the bytes behind it */
        wt_store_le(p->answer + number % 256, take_number(p), 8);
        break;
    case 4:
        answer->result = KFD_WIRE_ENDED;
        answer->size = 0;
        answer->call.arg[1] = number & 1;
        break;
    case 5:
        *sent = (size_t)(number % (sizeof *answer + answer->size));
        return false;
    case 6: /* fewer or more bytes than were asked for */
        answer->size = (uint32_t)(number % 512);
        break;
    default:
        return false;
    }
    return true;
}

static void *serve(void *context)
{
    struct process *p = context;
    struct kfd_wire_request request;
    struct kfd_wire_answer answer;
    const int fd = accept(listener.fd, NULL, NULL);
    bool more = fd >= 0;
    while (more && wt_endpoint_receive(fd, &request, sizeof request)) {
        size_t sent = SIZE_MAX;
        if (!kfd_wire_sound(&request)) /* our own debugger's */
            abort();
        if (!wt_endpoint_receive(fd, p->answer, kfd_wire_follows(&request)))
            break;
        reply(p, &request, &answer);
        more = change(p, &answer, &sent);
        if (!more && sent == SIZE_MAX)
            break;
        const size_t size = answer.size < KFD_WIRE_MOST ? answer.size : KFD_WIRE_MOST;
        const size_t head = sent < sizeof answer ? sent : sizeof answer;
        const size_t body = sent < sizeof answer + size ? sent - head : size;
        more = wt_endpoint_send(fd, &answer, head) && wt_endpoint_send(fd, p->answer, body) &&
               more && body == answer.size; /* what is missing does not come */
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

/* ---- the debugger ---- */

static void location_changed(void *context, unsigned id, uint64_t addr, bool gained)
{
    struct wt_debugger *d = context;
    if (gained)
        wt_debugger_insert_breakpoint(d, addr, NULL, 0, NULL, 0, WT_IGNORED);
    else
        wt_debugger_remove_breakpoint(d, addr, WT_IGNORED);
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
    struct wt_locations *locations = NULL;
    const struct wt_thread_info *list;
    size_t count;
    unsigned id;
    uint32_t status;
    if (!wt_locations_new(process->modules, 0, location_changed, d, &locations, WT_IGNORED))
        wt_locations_add(locations, "kernel", &id, WT_IGNORED);
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
    if (locations)
        wt_locations_free(locations);
}

static void remove_folder(void)
{
    wt_listener_close(&listener);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    char address[160];
    struct wt_error err;
    (void)count, (void)arguments;
    snprintf(folder, sizeof folder, "/tmp/fuzz-wire-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    setenv("WAVETRAP_SOCKETS", folder, 1);
    /* A process that has ended already, so that the debugger does not wait for its end. */
    pid = fork();
    if (pid == 0)
        _exit(0);
    siginfo_t info;
    if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
        abort();
    snprintf(address, sizeof address, "unix:%s/%d." KFD_WIRE_SOCKET, folder, pid);
    if (wt_listen(address, &listener, &err) || fcntl(listener.fd, F_SETFL, 0))
        abort();
    atexit(remove_folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct wt_debugger_options options = {.threads = WT_THREADS_WAVES};
    struct process *p = calloc(1, sizeof *p);
    struct wt_process process;
    struct wt_error err;
    pthread_t thread;
    if (!p)
        abort();
    p->data = data;
    p->size = size < STREAM ? size : STREAM;
    memcpy(p->area, data + p->size, size - p->size < AREA_SIZE ? size - p->size : AREA_SIZE);
    if (pthread_create(&thread, NULL, serve, p))
        abort();
    if (wt_process_open(&process, wt_family_of_host_programs(), pid, &options, &err) == WT_OK) {
        debug(&process);
        wt_process_close(&process);
    } else if (!*err.text) {
        abort(); /* without a reason */
    }
    pthread_join(thread, NULL);
    free(p);
    return 0;
}
