/*
 * Fuzz target: a debugger and a host process with a Gen9 GPU that answers anything
 * (object/gen_wire.h). The harness is the process. The first 256 bytes of an input are a stream
 * that says what becomes of each answer: it is right, or something is replaced in it, it is cut
 * off, the process ends. The others are the process's memory: what the system routine has saved of
 * three threads, the list of kernels, their code, an ELF file with debug information, a source
 * text. Whatever comes, the debugger says what is wrong or goes on, and closes.
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
#include "debug/gen/gen.h"
#include "debug/source/frames.h"
#include "debug/source/locations.h"
#include "object/gen_saved.h"
#include "object/gen_wire.h"
#include "runtime/common/endpoint.h"
#include "target/gen.h"
#include "target/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

/* The process's memory: what threads have saved, code, the list of kernels, files. */
enum {
    THREADS = 3,
    SAVED = 0,
    HITS = THREADS * GEN_SAVED_STRIDE,
    LIST = HITS + 64,
    KERNELS = 2,
    TEXT = LIST + KERNELS * (int)sizeof(struct gen_wire_kernel),
    TEXT_SIZE = 256,
    FAULT = TEXT + TEXT_SIZE,
    CODE = 0x5000,
    CODE_SIZE = 0x1000,
    ELF = 0x6000,
    AREA_SIZE = 0xa000,
    STREAM = 256,
    PLAIN = 0xc0, /* bytes below it leave an answer as it is */
};
static_assert(FAULT + (int)sizeof(struct gen_wire_fault) <= CODE, "the parts lie apart");
#define AREA UINT64_C(0x10000) /* where the process's memory is, as threads see it */
#define SAVED_SEEN (UINT64_C(1) << 49)
#define SLM_SEEN (UINT64_C(1) << 48)
#define FILE_SEEN (UINT64_C(1) << 50)

static char folder[64];
static struct wt_listener listener;
static int pid;

struct process {
    const uint8_t *data;
    size_t size, next; /* of the stream */
    uint8_t area[AREA_SIZE];
    uint8_t answer[GEN_WIRE_MOST];
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

/* The part of the area that an address of a request names; NULL: none has all of it. */
static uint8_t *find(struct process *p, uint64_t addr, uint32_t size)
{
    const bool saved = addr >= SAVED_SEEN && addr < FILE_SEEN;
    const uint64_t at = addr - (saved ? SAVED_SEEN : addr >= FILE_SEEN ? FILE_SEEN : AREA);
    const uint64_t room = saved ? HITS : AREA_SIZE;
    return at < room && size <= room - at ? p->area + at : NULL;
}

static void copy_part(struct process *p, const struct gen_wire_request *request, size_t at,
                      size_t length, struct gen_wire_answer *answer)
{
    if (request->value >= length)
        return;
    answer->size = (uint32_t)(length - request->value);
    if (answer->size > request->size)
        answer->size = request->size;
    memcpy(p->answer, p->area + at + request->value, answer->size);
}

static void reply(struct process *p, const struct gen_wire_request *request,
                  struct gen_wire_answer *answer)
{
    const struct gen_wire_hello hello = {.magic = GEN_WIRE_MAGIC,
                                         .request_bytes = sizeof *request,
                                         .pid = (uint32_t)pid,
                                         .gpus = 1,
                                         .subslices = 1,
                                         .saved = SAVED_SEEN,
                                         .slm = SLM_SEEN,
                                         .file = FILE_SEEN};
    uint8_t *memory;
    *answer = (struct gen_wire_answer){.result = 0};
    switch ((enum gen_wire_kind)request->kind) {
    case GEN_WIRE_HELLO:
        answer->size = sizeof hello;
        memcpy(p->answer, &hello, sizeof hello);
        break;
    case GEN_WIRE_REGISTER_READ:
        answer->value = request->addr == WT_GEN_TD_ATT0 ? take(p) & 7 : 0;
        break;
    case GEN_WIRE_READ:
        memory = find(p, request->addr, request->size);
        answer->result = memory ? 0 : -EFAULT;
        answer->size = memory ? request->size : 0;
        memcpy(p->answer, memory ? memory : p->area, answer->size);
        break;
    case GEN_WIRE_WRITE:
        memory = find(p, request->addr, request->size);
        answer->result = memory ? 0 : -EFAULT;
        if (memory)
            memcpy(memory, p->answer, request->size);
        break;
    case GEN_WIRE_EVENT:
        answer->result = take(p) & (GEN_WIRE_ATTENTION | GEN_WIRE_CODE | GEN_WIRE_FAULTED);
        answer->value = take(p);
        break;
    case GEN_WIRE_KERNELS:
        answer->size = KERNELS * sizeof(struct gen_wire_kernel);
        memcpy(p->answer, p->area + LIST, answer->size);
        break;
    case GEN_WIRE_ELF:
        copy_part(p, request, ELF, AREA_SIZE - ELF, answer);
        break;
    case GEN_WIRE_SOURCE:
        answer->result = request->addr == 1 ? 0 : -ENOENT;
        if (request->addr == 1)
            copy_part(p, request, TEXT, TEXT_SIZE, answer);
        break;
    case GEN_WIRE_WATCHED:
        answer->size = take(p) & 1 ? sizeof(struct gen_wire_hit) : 0;
        memcpy(p->answer, p->area + HITS, answer->size);
        break;
    case GEN_WIRE_FAULT:
        answer->size = take(p) & 1 ? sizeof(struct gen_wire_fault) : 0;
        memcpy(p->answer, p->area + FAULT, answer->size);
        break;
    default:
        break;
    }
}

/* An area in which zeros mean something: threads at the beginning of the code, a kernel there. */
static void complete(struct process *p)
{
    for (unsigned i = 0; i < THREADS; i++) {
        uint8_t *base =
            p->area + SAVED + i * GEN_SAVED_STRIDE + offsetof(struct gen_saved, instructions);
        if (!wt_load_le(base, 8))
            wt_store_le(base, AREA + CODE, 8);
    }
    struct gen_wire_kernel first;
    memcpy(&first, p->area + LIST, sizeof first);
    if (first.number)
        return;
    first = (struct gen_wire_kernel){.number = 1,
                                     .address = AREA + CODE,
                                     .code_size = CODE_SIZE,
                                     .elf_size = AREA_SIZE - ELF,
                                     .name = "kernel"};
    memcpy(p->area + LIST, &first, sizeof first);
}

/* ---- what becomes of them ---- */

/* False: the process says no more. */
static bool change(struct process *p, struct gen_wire_answer *answer, size_t *sent)
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
        answer->result = GEN_WIRE_ENDED;
        answer->size = 0;
        answer->closed = number & 1;
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
    struct gen_wire_request request;
    struct gen_wire_answer answer;
    const int fd = accept(listener.fd, NULL, NULL);
    bool more = fd >= 0;
    while (more && wt_endpoint_receive(fd, &request, sizeof request)) {
        size_t sent = SIZE_MAX;
        if (!gen_wire_sound(&request)) /* our own debugger's */
            abort();
        if (!wt_endpoint_receive(fd, p->answer, gen_wire_follows(&request)))
            break;
        reply(p, &request, &answer);
        more = change(p, &answer, &sent);
        if (!more && sent == SIZE_MAX)
            break;
        const size_t size = answer.size < GEN_WIRE_MOST ? answer.size : GEN_WIRE_MOST;
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

static void watch(struct wt_debugger *d, wt_thread thread)
{
    for (uint32_t space = 0; space < wt_debugger_topology(d)->space_count; space++) {
        const struct wt_watchpoint_request request = {
            .kind = WT_WATCHPOINT_ACCESS, .addr = {space, 8}, .size = 16, .thread = thread};
        wt_debugger_insert_watchpoint(d, &request, WT_IGNORED);
    }
}

static void walk_up(const struct wt_process *process, wt_thread thread)
{
    struct wt_frames *frames = wt_frames_new(process->debugger, process->modules, thread);
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
        if (i == 0)
            watch(d, thread);
        walk_up(process, thread);
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
    snprintf(folder, sizeof folder, "/tmp/fuzz-gen-wire-XXXXXX");
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
    snprintf(address, sizeof address, "unix:%s/%d." GEN_WIRE_SOCKET, folder, pid);
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
    complete(p);
    if (pthread_create(&thread, NULL, serve, p))
        abort();
    if (wt_process_open(&process, &wt_family_gen, pid, &options, &err) == WT_OK) {
        debug(&process);
        wt_process_close(&process);
    } else if (!*err.text) {
        abort(); /* without a reason */
    }
    pthread_join(thread, NULL);
    free(p);
    return 0;
}
