/* The link to a host process, as its endpoint speaks it (object/kfd_wire.h). See process.h. */
#include "debug/gcn/process_ask.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "debug/gcn/process_end.h"
#include "object/kfd_wire.h"

#define PATIENCE_S 10 /* a process that does not answer for so long is stuck, or stopped */

struct wt_gcn_process {
    struct wt_gcn_link link;
    int fd, pid;
    uint32_t gpus;
    bool ended;
    bool waits;                    /* then: for the debugger to take its memory */
    struct wt_gcn_process_end end; /* then */
    struct gcnp_travel travel;
};

/* ---- messages ---- */

static enum wt_status lost(struct wt_gcn_process *p, const char *why, struct wt_error *err)
{
    p->ended = true;
    snprintf(p->end.text, sizeof p->end.text, "process %d: %s", p->pid, why);
    return wt_fail(err, WT_IO, "%s", p->end.text);
}

static enum wt_status ended(struct wt_gcn_process *p, struct wt_error *err)
{
    p->ended = true;
    wt_gcn_process_find_end(&p->end, p->pid);
    return wt_fail(err, WT_IO, "%s", p->end.text);
}

static enum wt_status receive(struct wt_gcn_process *p, void *to, size_t size, struct wt_error *err)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = recv(p->fd, (uint8_t *)to + done, size - done, 0);
        if (got == 0)
            return ended(p, err);
        if (got < 0 && errno == ECONNRESET)
            return ended(p, err);
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? wt_fail(err, WT_TIMEOUT, "process %d does not answer", p->pid)
                                   : lost(p, strerror(errno), err);
        done += got > 0 ? (size_t)got : 0;
    }
    return WT_OK;
}

/* Where the process has closed its end, what it has said last can still be received. */
static enum wt_status put(struct wt_gcn_process *p, const void *from, size_t size,
                          struct wt_error *err)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = send(p->fd, (const uint8_t *)from + done, size - done, MSG_NOSIGNAL);
        if (put < 0 && errno == EPIPE)
            return WT_OK;
        if (put < 0 && errno != EINTR)
            return lost(p, strerror(errno), err);
        done += put > 0 ? (size_t)put : 0;
    }
    return WT_OK;
}

enum wt_status gcnp_ask(struct wt_gcn_process *p, struct kfd_wire_request *request,
                        const void *more, struct kfd_wire_answer *answer, void *out, size_t room,
                        struct wt_error *err)
{
    enum wt_status status;
    if (p->ended)
        return wt_fail(err, WT_IO, "%s", p->end.text);
    if ((status = put(p, request, sizeof *request, err)) != WT_OK ||
        (status = put(p, more, kfd_wire_follows(request), err)) != WT_OK ||
        (status = receive(p, answer, sizeof *answer, err)) != WT_OK)
        return status;
    if (answer->result == KFD_WIRE_ENDED) {
        p->ended = true;
        p->waits = answer->call.arg[2] != 0;
        if (answer->call.arg[1])
            wt_gcn_process_closed(&p->end, p->pid);
        else
            wt_gcn_process_exited(&p->end, p->pid, (uint32_t)answer->call.arg[0]);
        return wt_fail(err, WT_IO, "%s", p->end.text);
    }
    if (answer->size > room)
        return lost(p, "it answers with more than was asked for", err);
    return receive(p, out, answer->size, err);
}

/* ---- the link ---- */

static enum wt_status link_call(void *context, struct kfd_debug_call *call, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_CALL, .call = *call};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(context, &request, NULL, &answer, NULL, 0, err);
    if (status == WT_OK)
        *call = answer.call;
    return status;
}

static enum wt_status link_queues(void *context, struct kfd_queue_entry *list, uint32_t room,
                                  uint32_t *count, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_QUEUES};
    struct kfd_wire_answer answer;
    const enum wt_status status =
        gcnp_ask(context, &request, NULL, &answer, list, room * sizeof *list, err);
    if (status == WT_OK && answer.result < 0)
        return wt_fail(err, WT_STATE, "process %d has more than %u queues",
                       ((struct wt_gcn_process *)context)->pid, KFD_DEBUG_QUEUES);
    if (status == WT_OK)
        *count = answer.size / (uint32_t)sizeof *list;
    return status;
}

static enum wt_status link_devices(void *context, struct kfd_device_entry *list, uint32_t room,
                                   uint32_t *count, struct wt_error *err)
{
    const struct wt_gcn_process *p = context;
    struct kfd_wire_request request = {.kind = KFD_WIRE_DEVICES};
    struct kfd_wire_answer answer;
    const enum wt_status status =
        gcnp_ask(context, &request, NULL, &answer, list, room * sizeof *list, err);
    *count = status == WT_OK ? answer.size / (uint32_t)sizeof *list : 0;
    if (status == WT_OK && !*count)
        return wt_fail(err, WT_INVALID, "process %d has no GPU", p->pid);
    return status;
}

static enum wt_status link_read(void *context, uint64_t addr, void *out, size_t size,
                                struct wt_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < KFD_WIRE_MOST ? size - done : KFD_WIRE_MOST;
        struct kfd_wire_request request = {
            .kind = KFD_WIRE_READ, .addr = addr + done, .size = (uint32_t)part};
        struct kfd_wire_answer answer;
        const enum wt_status status =
            gcnp_ask(context, &request, NULL, &answer, (uint8_t *)out + done, part, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0 || answer.size != part)
            return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

static enum wt_status link_write(void *context, uint64_t addr, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < KFD_WIRE_MOST ? size - done : KFD_WIRE_MOST;
        struct kfd_wire_request request = {
            .kind = KFD_WIRE_WRITE, .addr = addr + done, .size = (uint32_t)part};
        struct kfd_wire_answer answer;
        const enum wt_status status =
            gcnp_ask(context, &request, (const uint8_t *)bytes + done, &answer, NULL, 0, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0)
            return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

static enum wt_status link_event(void *context, bool wait, struct wt_gcn_event *event,
                                 struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_EVENT, .addr = wait ? KFD_WIRE_WAIT_MS : 0};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(context, &request, NULL, &answer, NULL, 0, err);
    *event = (struct wt_gcn_event){.exception = false};
    if (status == WT_OK && answer.result > 0)
        *event = (struct wt_gcn_event){.exception = answer.result & KFD_WIRE_EXCEPTION,
                                       .code = answer.result & KFD_WIRE_CODE,
                                       .code_state = answer.call.arg[0]};
    return status;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_CODE_KNOWN, .addr = state};
    struct kfd_wire_answer answer;
    return gcnp_ask(context, &request, NULL, &answer, NULL, 0, err);
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_gcn_process *p = context;
    *status = p->end.status;
    snprintf(text, size, "%s", p->end.text);
    return p->ended;
}

static const struct wt_gcn_link_ops process_link = {
    .call = link_call,
    .queues = link_queues,
    .devices = link_devices,
    .read = link_read,
    .write = link_write,
    .event = link_event,
    .code_known = link_code_known,
    .ended = link_ended,
};

/* ---- connecting ---- */

static enum wt_status connect_to(struct wt_gcn_process *p, struct wt_error *err)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    char folder[80];
    enum wt_status status;
    if ((status = wt_private_dir(folder, sizeof folder, err)) != WT_OK)
        return status;
    snprintf(name.sun_path, sizeof name.sun_path, "%s/" WT_PROCESS_SOCKET, folder, p->pid);
    p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (p->fd < 0)
        return wt_fail(err, WT_IO, "no socket: %s", strerror(errno));
    setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(p->fd, (struct sockaddr *)&name, sizeof name))
        return wt_fail(err, WT_INVALID,
                       "process %d cannot be reached at %s: %s. 'wavetrap ps' lists those that can",
                       p->pid, name.sun_path, strerror(errno));
    return WT_OK;
}

static enum wt_status greet(struct wt_gcn_process *p, struct kfd_wire_hello *hello,
                            struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_HELLO};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(p, &request, NULL, &answer, hello, sizeof *hello, err);
    if (status != WT_OK)
        return status;
    if (answer.result == -EBUSY)
        return wt_fail(err, WT_STATE, "process %d has another debugger", p->pid);
    if (answer.size != sizeof *hello || hello->magic != KFD_WIRE_MAGIC ||
        hello->request_bytes != sizeof request)
        return wt_fail(err, WT_UNSUPPORTED,
                       "process %d runs with another version of the driver library", p->pid);
    return WT_OK;
}

enum wt_status wt_gcn_process_open(int pid, struct wt_gcn_process **process, struct wt_error *err)
{
    struct kfd_wire_hello hello;
    enum wt_status status;
    struct wt_gcn_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    *p = (struct wt_gcn_process){.fd = -1, .pid = pid};
    p->link = (struct wt_gcn_link){.ops = &process_link, .context = p, .host_launches = true};
    if ((status = connect_to(p, err)) != WT_OK || (status = greet(p, &hello, err)) != WT_OK) {
        wt_gcn_process_close(p);
        return status;
    }
    p->gpus = hello.gpus;
    *process = p;
    return WT_OK;
}

void wt_gcn_process_close(struct wt_gcn_process *p)
{
    if (!p)
        return;
    if (p->fd >= 0)
        close(p->fd);
    free(p->travel.answer);
    free(p->travel.hit);
    free(p);
}

int wt_gcn_process_id(const struct wt_gcn_process *p)
{
    return p->pid;
}

const struct wt_gcn_link *wt_gcn_process_link(struct wt_gcn_process *p)
{
    return &p->link;
}

struct gcnp_travel *gcnp_travel_of(struct wt_gcn_process *p)
{
    return &p->travel;
}

uint32_t wt_gcn_process_gpus(const struct wt_gcn_process *p)
{
    return p->gpus;
}

enum wt_status wt_gcn_process_register(struct wt_gcn_process *p, uint32_t gpu, bool write,
                                       uint32_t addr, uint32_t *value, struct wt_error *err)
{
    enum wt_status status;
    struct kfd_wire_request request = {.kind =
                                           write ? KFD_WIRE_REGISTER_WRITE : KFD_WIRE_REGISTER_READ,
                                       .gpu = gpu,
                                       .addr = addr,
                                       .call = {.arg = {*value}}};
    struct kfd_wire_answer answer;
    if ((status = gcnp_ask(p, &request, NULL, &answer, NULL, 0, err)) != WT_OK)
        return status;
    if (!write)
        *value = (uint32_t)answer.call.arg[0];
    return WT_OK;
}

enum wt_status wt_gcn_process_want_memory(struct wt_gcn_process *p, struct wt_error *err)
{
    struct kfd_wire_request request = {.kind = KFD_WIRE_FINAL};
    struct kfd_wire_answer answer;
    const enum wt_status status = gcnp_ask(p, &request, NULL, &answer, NULL, 0, err);
    if (status == WT_OK && answer.result < 0)
        return wt_fail(err, WT_NO_MEMORY, "process %d has no memory to keep what it frees", p->pid);
    return status;
}

/* Before the answer comes what was asked for when the process said that it ends. */
static bool receive_memory(struct wt_gcn_process *p, struct kfd_wire_answer *answer,
                           uint8_t **bytes)
{
    do {
        free(*bytes);
        *bytes = NULL;
        if (receive(p, answer, sizeof *answer, WT_IGNORED) != WT_OK ||
            answer->size > KFD_WIRE_MOST || (answer->size && !(*bytes = malloc(answer->size))) ||
            receive(p, *bytes, answer->size, WT_IGNORED) != WT_OK)
            return false;
    } while (answer->result != KFD_WIRE_MEMORY);
    return answer->call.arg[1] && (!answer->size || answer->size == answer->call.arg[1]);
}

void wt_gcn_process_final_memory(struct wt_gcn_process *p, wt_gcn_memory_fn *found, void *context)
{
    uint8_t *bytes = NULL;
    struct kfd_wire_answer answer;
    struct kfd_wire_request request = {.kind = KFD_WIRE_FINAL_NEXT};
    while (p->waits && put(p, &request, sizeof request, WT_IGNORED) == WT_OK &&
           receive_memory(p, &answer, &bytes) && answer.call.arg[0] >= request.addr) {
        const bool more = found(context, answer.call.arg[0], bytes, answer.call.arg[1]);
        bytes = NULL;
        request.addr = answer.call.arg[0] + answer.call.arg[1];
        if (!more || request.addr <= answer.call.arg[0])
            break;
    }
    free(bytes);
    p->waits = false;
}

enum wt_status wt_gcn_process_code_list(struct wt_gcn_process *p, uint64_t *addr,
                                        struct wt_error *err)
{
    struct kfd_wire_hello hello;
    const enum wt_status status = greet(p, &hello, err);
    if (status == WT_OK)
        *addr = hello.debug;
    return status;
}

enum wt_status wt_gcn_process_reachable(int pid, bool *reachable, struct wt_error *err)
{
    struct wt_gcn_process p = {.fd = -1, .pid = pid};
    const enum wt_status status = connect_to(&p, err);
    *reachable = status == WT_OK;
    if (p.fd >= 0)
        close(p.fd);
    return status == WT_INVALID ? WT_OK : status;
}

/* ---- which there are ---- */

static void name_of(int pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(name, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    name[length] = 0;
    for (size_t i = 0; i + 1 < length; i++)
        if (!name[i])
            name[i] = ' ';
}

enum wt_status wt_gcn_processes(void (*found)(void *context, int pid, unsigned gpus,
                                              const char *name),
                                void *context, struct wt_error *err)
{
    char folder[80], name[256];
    enum wt_status status;
    if ((status = wt_private_dir(folder, sizeof folder, err)) != WT_OK)
        return status;
    DIR *dir = opendir(folder);
    if (!dir)
        return wt_fail(err, WT_IO, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        struct wt_gcn_process p = {.fd = -1};
        struct kfd_wire_hello hello = {0};
        char wanted[32];
        if (sscanf(entry->d_name, "%d", &p.pid) != 1)
            continue;
        snprintf(wanted, sizeof wanted, WT_PROCESS_SOCKET, p.pid);
        if (strcmp(wanted, entry->d_name) != 0)
            continue;
        status = connect_to(&p, WT_IGNORED);
        if (status == WT_OK) {
            status = greet(&p, &hello, WT_IGNORED);
            name_of(p.pid, name, sizeof name);
            if (status == WT_OK || status == WT_STATE)
                found(context, p.pid, hello.gpus, name);
        }
        if (p.fd >= 0)
            close(p.fd);
    }
    closedir(dir);
    return WT_OK;
}
