/* See link.h. */
#include "debug/process/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- messages ---- */

static enum wt_status send(struct wt_process_link *link, const struct wt_wire_request *request,
                           const void *more, struct wt_error *err)
{
    const enum wt_status status =
        wt_connection_send(&link->connection, request, sizeof *request, err);
    return status ? status : wt_connection_send(&link->connection, more, request->follows, err);
}

static void take_last(struct wt_process_link *link, uint32_t size)
{
    free(link->last);
    link->last_bytes = 0;
    link->last = size ? malloc(size) : NULL;
    if (link->last &&
        wt_connection_receive(&link->connection, link->last, size, WT_IGNORED) == WT_OK)
        link->last_bytes = size;
}

static enum wt_status receive_head(struct wt_process_link *link, struct wt_wire_answer *answer,
                                   struct wt_error *err)
{
    struct wt_connection *c = &link->connection;
    const enum wt_status status = wt_connection_receive(c, answer, sizeof *answer, err);
    if (status == WT_OK && answer->result == WT_WIRE_ENDED) {
        take_last(link, answer->size);
        return wt_connection_ended(c, (uint32_t)answer->value[0], answer->value[1], err);
    }
    return status;
}

/* The bytes of an answer that has begun. */
static enum wt_status receive_bytes(struct wt_process_link *link, void *out, size_t size,
                                    struct wt_error *err)
{
    struct wt_connection *c = &link->connection;
    const enum wt_status status = wt_connection_receive(c, out, size, err);
    return status == WT_TIMEOUT ? wt_connection_lost(c, "it stops in the middle of an answer", err)
                                : status;
}

/* Answers come in the order of the requests: those to requests that were given up come first. */
static enum wt_status drop_late(struct wt_process_link *link, struct wt_error *err)
{
    struct wt_wire_answer answer;
    uint8_t bytes[4096];
    enum wt_status status = WT_OK;
    while (!status && link->unanswered) {
        status = receive_head(link, &answer, err);
        for (size_t left = status ? 0 : answer.size, part; left && !status; left -= part) {
            part = left < sizeof bytes ? left : sizeof bytes;
            status = receive_bytes(link, bytes, part, err);
        }
        link->unanswered -= !status;
    }
    return status;
}

static enum wt_status receive(struct wt_process_link *link, struct wt_wire_answer *answer,
                              void *out, size_t room, struct wt_error *err)
{
    enum wt_status status = drop_late(link, err);
    if (!status)
        status = receive_head(link, answer, err);
    if (status) {
        link->unanswered += status == WT_TIMEOUT;
        return status;
    }
    if (answer->size > room)
        return wt_connection_lost(&link->connection, "it answers with more than was asked for",
                                  err);
    return receive_bytes(link, out, answer->size, err);
}

enum wt_status wt_process_link_ask(struct wt_process_link *link,
                                   const struct wt_wire_request *request, const void *more,
                                   struct wt_wire_answer *answer, void *out, size_t room,
                                   struct wt_error *err)
{
    const enum wt_status status = send(link, request, more, err);
    return status ? status : receive(link, answer, out, room, err);
}

enum wt_status wt_process_link_tell(struct wt_process_link *link, struct wt_wire_request request,
                                    struct wt_wire_answer *answer, struct wt_error *err)
{
    return wt_process_link_ask(link, &request, NULL, answer, NULL, 0, err);
}

/* ---- connecting ---- */

enum wt_status wt_process_link_hello(struct wt_process_link *link, uint64_t *code,
                                     struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_HELLO};
    struct wt_wire_answer answer;
    struct wt_wire_hello *hello = &link->hello;
    *hello = (struct wt_wire_hello){0};
    const enum wt_status status =
        wt_process_link_ask(link, &request, NULL, &answer, hello, sizeof *hello, err);
    if (status != WT_OK)
        return status;
    *code = answer.value[0];
    return answer.size == sizeof *hello && hello->devices && hello->devices <= WT_WIRE_DEVICES
               ? WT_OK
               : wt_connection_lost(&link->connection, "it does not say which GPUs it has", err);
}

static enum wt_status greet(struct wt_process_link *link, uint32_t family, struct wt_error *err)
{
    uint64_t code;
    const enum wt_status status = wt_connection_greet(&link->connection, family, err);
    return status ? status : wt_process_link_hello(link, &code, err);
}

enum wt_status wt_process_link_open(struct wt_process_link *link,
                                    const struct wt_process_place *place, const char *kind,
                                    uint32_t family, struct wt_error *err)
{
    const enum wt_status status = wt_connection_open(&link->connection, place, kind, err);
    return status ? status : greet(link, family, err);
}

void wt_process_link_close(struct wt_process_link *link)
{
    wt_connection_close(&link->connection);
    free(link->history.answer);
    free(link->history.hit);
    free(link->pieces);
    free(link->last);
}

/* ---- memory and registers ---- */

/* The bytes of the next request about memory. */
static uint32_t part_of(size_t left)
{
    return left < WT_WIRE_MOST ? (uint32_t)left : WT_WIRE_MOST;
}

static enum wt_status read_memory(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                  void *out, size_t size, struct wt_error *err)
{
    struct wt_wire_request request = {.verb = WT_WIRE_READ, .lane = lane};
    wt_process_link_locate(context, wave, &request);
    for (size_t done = 0; done < size; done += request.size) {
        struct wt_wire_answer answer;
        request.size = part_of(size - done);
        request.addr = addr + done;
        const enum wt_status status = wt_process_link_ask(context, &request, NULL, &answer,
                                                          (uint8_t *)out + done, request.size, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0 || answer.size != request.size)
            return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

static enum wt_status write_memory(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                                   const void *bytes, size_t size, struct wt_error *err)
{
    struct wt_wire_request request = {.verb = WT_WIRE_WRITE, .lane = lane};
    wt_process_link_locate(context, wave, &request);
    for (size_t done = 0; done < size; done += request.follows) {
        struct wt_wire_answer answer;
        request.follows = part_of(size - done);
        request.addr = addr + done;
        const enum wt_status status = wt_process_link_ask(
            context, &request, (const uint8_t *)bytes + done, &answer, NULL, 0, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0)
            return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

/* The pieces of a list that go into one message: of one GPU, and no more than fit. */
static size_t fitting(const struct wt_process_link *link, const struct wt_link_piece *list,
                      size_t count, struct wt_wire_request *request)
{
    uint64_t bytes = 0;
    size_t n = 0;
    for (; n < count; n++) {
        struct wt_wire_request of;
        wt_process_link_locate(link, list[n].wave, n ? &of : request);
        bytes += sizeof(struct wt_wire_piece) + list[n].size;
        if (bytes > WT_WIRE_MOST || (n && of.device != request->device))
            break;
    }
    request->number = (uint32_t)n;
    return n;
}

/* Lays a request's pieces out in link->pieces, bytes to be written with them. Returns the size of
 * all: of the list itself, and of the bytes. */
static size_t lay_out(const struct wt_process_link *link, const struct wt_link_piece *list,
                      uint32_t count, bool write)
{
    struct wt_wire_piece *pieces = (void *)link->pieces;
    uint8_t *bytes = (uint8_t *)(pieces + count);
    for (uint32_t i = 0; i < count; i++) {
        struct wt_wire_request of;
        wt_process_link_locate(link, list[i].wave, &of);
        pieces[i] = (struct wt_wire_piece){list[i].addr, of.wave, list[i].size};
        if (write)
            memcpy(bytes, list[i].bytes, list[i].size);
        bytes += list[i].size;
    }
    return (size_t)(bytes - link->pieces);
}

static const struct wt_link_ops one_by_one = {.read = read_memory, .write = write_memory};

/* One message for all pieces, but where there are more of them than fit. */
static enum wt_status transfer(void *context, struct wt_link_piece *list, size_t count, bool write,
                               struct wt_error *err)
{
    struct wt_process_link *link = context;
    const struct wt_link each = {.ops = &one_by_one, .context = link};
    enum wt_status status = WT_OK;
    if (!link->pieces && !(link->pieces = malloc(WT_WIRE_MOST)))
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a message");
    for (size_t n; count && !status; list += n, count -= n) {
        struct wt_wire_request request = {.verb = write ? WT_WIRE_SCATTER : WT_WIRE_GATHER};
        struct wt_wire_answer answer;
        if ((n = fitting(link, list, count, &request)) == 0) {
            status = wt_link_transfer(&each, list, n = 1, write, err);
            continue;
        }
        const size_t all = lay_out(link, list, request.number, write);
        const size_t listed = n * sizeof(struct wt_wire_piece);
        request.follows = (uint32_t)(write ? all : listed);
        if ((status = wt_process_link_ask(link, &request, link->pieces, &answer, link->pieces,
                                          WT_WIRE_MOST, err)) != WT_OK)
            break;
        if (answer.result < 0) { /* it has broken off at memory that it has unmapped just now */
            status = wt_link_transfer(&each, list, n, write, err);
            continue;
        }
        if (answer.size != (write ? listed : all))
            return wt_connection_lost(&link->connection, "it answers with other memory", err);
        const struct wt_wire_piece *pieces = (const void *)link->pieces;
        const uint8_t *bytes = link->pieces + listed;
        for (size_t i = 0; i < n; bytes += list[i++].size) {
            list[i].absent = pieces[i].size != list[i].size;
            if (!write && !list[i].absent)
                memcpy(list[i].bytes, bytes, list[i].size);
        }
    }
    return status;
}

static enum wt_status registers(void *context, uint32_t gpu, struct wt_wire_register *list,
                                size_t count, struct wt_error *err)
{
    struct wt_process_link *link = context;
    const uint32_t bytes = (uint32_t)(count * sizeof *list);
    const struct wt_wire_request request = {
        .verb = WT_WIRE_REGISTERS, .device = gpu, .follows = bytes};
    struct wt_wire_answer answer;
    link->changes++;
    const enum wt_status status =
        wt_process_link_ask(link, &request, list, &answer, list, bytes, err);
    if (status != WT_OK || answer.size == bytes)
        return status;
    return wt_connection_lost(&link->connection, "it has no such register", err);
}

/* ---- events ---- */

static enum wt_status look(void *context, bool wait, struct wt_link_event *event,
                           struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_EVENT,
                                            .value = wait ? WT_WIRE_WAIT_MS : 0};
    struct wt_process_link *link = context;
    struct wt_wire_answer answer;
    *event = (struct wt_link_event){.attention = false};
    if (wait && link->wait) {
        link->changes++;
        return wt_process_link_tell(link, (struct wt_wire_request){.verb = link->wait}, &answer,
                                    err);
    }
    const enum wt_status status = wt_process_link_tell(link, request, &answer, err);
    const int happened = !status && answer.result > 0 ? answer.result : 0;
    *event = (struct wt_link_event){.attention = happened & (WT_WIRE_STOPPED | WT_WIRE_FAULTED),
                                    .code = happened & WT_WIRE_CODE,
                                    .code_state = happened ? answer.value[0] : 0};
    link->faulted = happened & WT_WIRE_FAULTED;
    link->news |= (happened & WT_WIRE_NEWS) != 0;
    return status;
}

static enum wt_status code_known(void *context, uint64_t state, struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = WT_WIRE_CODE_KNOWN, .value = state};
    struct wt_wire_answer answer;
    return wt_process_link_tell(context, request, &answer, err);
}

static bool ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_process_link *link = context;
    *status = link->connection.end.status;
    snprintf(text, size, "%s", link->connection.end.text);
    return link->connection.ended;
}

/* ---- waves ---- */

void wt_process_link_locate(const struct wt_process_link *link, uint32_t wave,
                            struct wt_wire_request *request)
{
    request->device = 0;
    request->wave = wave;
    while (wave != WT_NO_HANDLE && request->device + 1 < link->hello.devices &&
           request->wave >= link->waves[request->device])
        request->wave -= link->waves[request->device++];
}

uint32_t wt_process_link_first(const struct wt_process_link *link, uint32_t device)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < device; i++)
        first += link->waves[i];
    return first;
}

bool wt_process_link_fault(struct wt_process_link *link, uint32_t device, uint32_t wave,
                           uint64_t id, struct wt_fault *fault)
{
    const struct wt_wire_request request = {
        .verb = WT_WIRE_FAULT, .device = device, .wave = wave, .value = id};
    struct wt_wire_answer answer;
    return wt_process_link_ask(link, &request, NULL, &answer, fault, sizeof *fault, WT_IGNORED) ==
               WT_OK &&
           answer.result >= 0 && wt_connection_has_fault(fault, answer.size);
}

/* ---- watched memory ---- */

static enum wt_status watch_on(struct wt_process_link *link, uint32_t device,
                               const struct wt_wire_watch *list, size_t count, struct wt_error *err)
{
    const struct wt_wire_request request = {
        .verb = WT_WIRE_WATCH, .device = device, .follows = (uint32_t)(count * sizeof *list)};
    struct wt_wire_answer answer;
    if (count > WT_WIRE_MOST / sizeof *list)
        return wt_fail(err, WT_UNSUPPORTED, "%zu watchpoints are too many", count);
    const enum wt_status status = wt_process_link_ask(link, &request, list, &answer, NULL, 0, err);
    if (status != WT_OK || answer.result >= 0)
        return status;
    return wt_fail(err, WT_NO_MEMORY, "the program cannot watch memory: %s",
                   strerror(-answer.result));
}

/* Each GPU watches what its waves see of the list, and no other. */
static enum wt_status watch(void *context, const struct wt_wire_watch *list, size_t count,
                            struct wt_error *err)
{
    struct wt_process_link *link = context;
    struct wt_wire_watch *own = malloc((count + 1) * sizeof *own);
    enum wt_status status =
        own ? WT_OK : wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (uint32_t device = 0; device < link->hello.devices && !status; device++) {
        size_t owns = 0;
        for (size_t i = 0; i < count; i++) {
            struct wt_wire_request of = {.device = device};
            if (list[i].wave != WT_NO_HANDLE)
                wt_process_link_locate(link, list[i].wave, &of);
            if (of.device != device)
                continue;
            own[owns] = list[i];
            own[owns++].wave = of.wave;
        }
        status = watch_on(link, device, own, owns, err);
    }
    free(own);
    return status;
}

static bool makes_sense(const struct wt_wire_hit *hit)
{
    return hit->kind < WT_WIRE_WATCH_MEMORY && hit->size <= sizeof hit->before &&
           hit->lane < WT_MAX_LANES && (hit->kind != WT_WIRE_WATCH_MISTAKE || hit->lanes);
}

struct wt_watchpoint_hit wt_process_link_hit(const struct wt_wire_hit *from)
{
    const bool mistake = from->kind == WT_WIRE_WATCH_MISTAKE;
    struct wt_watchpoint_hit hit = {.read = !mistake && from->kind != WT_WIRE_WATCH_WRITE,
                                    .write = !mistake && from->kind != WT_WIRE_WATCH_READ,
                                    .mistake = mistake,
                                    .mistake_kind = from->mistake,
                                    .lanes = from->lanes,
                                    .time = from->time,
                                    .wave = from->wave,
                                    .id = from->id,
                                    .lane = from->lane,
                                    .home = from->home,
                                    .pc = from->pc,
                                    .addr = wt_address_of(from->addr),
                                    .size = from->size};
    memcpy(hit.before, from->before, sizeof hit.before);
    memcpy(hit.after, from->after, sizeof hit.after);
    return hit;
}

static enum wt_status take_hits(void *context, struct wt_wire_hit **list, size_t *count,
                                struct wt_error *err)
{
    enum { AT_ONCE = 256 };
    struct wt_process_link *link = context;
    enum wt_status status = WT_OK;
    size_t room = 0;
    *list = NULL;
    *count = 0;
    for (uint32_t device = 0; device < link->hello.devices && !status; device++) {
        const struct wt_wire_request request = {
            .verb = WT_WIRE_HITS, .device = device, .size = AT_ONCE * sizeof **list};
        struct wt_wire_answer answer = {.size = request.size};
        while (answer.size == request.size && !status) {
            struct wt_wire_hit *more = wt_array_grow(*list, &room, *count + AT_ONCE, sizeof *more);
            if (!more) {
                status = wt_fail(err, WT_NO_MEMORY, "out of memory for accesses to watched memory");
                break;
            }
            *list = more;
            more += *count;
            status = wt_process_link_ask(link, &request, NULL, &answer, more, request.size, err);
            const size_t got = status ? 0 : answer.size / sizeof *more;
            for (size_t i = 0; i < got; i++) {
                if (!makes_sense(&more[i]))
                    continue;
                (*list)[*count] = more[i];
                (*list)[(*count)++].wave += wt_process_link_first(link, device);
            }
        }
    }
    if (status) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}

static enum wt_status ask(void *context, const struct wt_wire_request *request, const void *more,
                          struct wt_wire_answer *answer, void *out, size_t room,
                          struct wt_error *err)
{
    struct wt_process_link *link = context;
    struct wt_wire_request there = *request;
    wt_process_link_locate(link, request->wave, &there);
    link->changes += there.follows > 0;
    return wt_process_link_ask(link, &there, more, answer, out, room, err);
}

const struct wt_link_ops wt_process_link_ops = {.read = read_memory,
                                                .write = write_memory,
                                                .transfer = transfer,
                                                .registers = registers,
                                                .event = look,
                                                .code_known = code_known,
                                                .watch = watch,
                                                .take_hits = take_hits,
                                                .ended = ended,
                                                .ask = ask};

/* ---- lists and texts ---- */

enum wt_status wt_process_link_list(struct wt_process_link *link, uint32_t verb, size_t size,
                                    void **list, size_t *count, struct wt_error *err)
{
    const struct wt_wire_request request = {.verb = verb};
    struct wt_wire_answer answer;
    *count = 0;
    *list = malloc(WT_WIRE_MOST);
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a list of code");
    const enum wt_status status =
        wt_process_link_ask(link, &request, NULL, &answer, *list, WT_WIRE_MOST, err);
    if (status == WT_OK) {
        *count = answer.size / size;
    } else {
        free(*list);
        *list = NULL;
    }
    return status;
}

/* The last part is shorter than asked for. */
enum wt_status wt_process_link_read_all(struct wt_process_link *link,
                                        struct wt_wire_request request, uint8_t **bytes,
                                        size_t *length, struct wt_error *err)
{
    enum { MOST = 256 << 20 };
    struct wt_wire_answer answer = {.size = WT_WIRE_MOST};
    size_t capacity = 0;
    enum wt_status status = WT_OK;
    *bytes = NULL;
    *length = 0;
    request.size = WT_WIRE_MOST;
    while (!status && answer.size == WT_WIRE_MOST) {
        uint8_t *grown =
            *length > MOST ? NULL : wt_array_grow(*bytes, &capacity, *length + WT_WIRE_MOST + 1, 1);
        if (!grown) {
            status = *length > MOST
                         ? wt_fail(err, WT_INVALID, "a text or a file of code does not end")
                         : wt_fail(err, WT_NO_MEMORY, "out of memory for a text or a file of code");
            break;
        }
        *bytes = grown;
        request.value = *length;
        status =
            wt_process_link_ask(link, &request, NULL, &answer, *bytes + *length, WT_WIRE_MOST, err);
        if (!status && answer.result < 0)
            status = wt_fail(err, WT_INVALID, "the code is gone");
        *length += status ? 0 : answer.size;
    }
    if (!status && *length) {
        (*bytes)[*length] = 0;
        return WT_OK;
    }
    free(*bytes);
    *bytes = NULL;
    return status;
}

/* ---- memory after the end ---- */

enum wt_status wt_process_link_want_memory(struct wt_process_link *link, struct wt_error *err)
{
    struct wt_wire_answer answer;
    return wt_process_link_tell(link, (struct wt_wire_request){.verb = WT_WIRE_FINAL}, &answer,
                                err);
}

void wt_process_link_final_memory(struct wt_process_link *link, uint32_t device,
                                  wt_process_piece_fn *found, void *context)
{
    wt_process_final_memory(&link->connection, device, found, context);
}

/* ---- which there are ---- */

static enum wt_status count_gpus(struct wt_connection *connection, uint32_t family, unsigned *gpus,
                                 struct wt_error *err)
{
    struct wt_process_link link = {.connection = *connection};
    const enum wt_status status = greet(&link, family, err);
    *gpus = link.hello.devices;
    return status;
}

enum wt_status wt_process_link_each(const char *kind, uint32_t family,
                                    void (*found)(void *context, int pid, unsigned gpus,
                                                  const char *name),
                                    void *context, struct wt_error *err)
{
    return wt_connection_each(kind, family, count_gpus, found, context, err);
}
