/* The link to a host process, as its endpoint speaks it (object/gen_wire.h). See process.h. */
#include "debug/gen/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/process/connection.h"
#include "debug/process/core_request.h"
#include "debug/process/history.h"

struct wt_gen_process {
    struct wt_process_history history; /* first */
    struct wt_gen_link link;
    struct wt_connection connection;
    struct gen_wire_hello hello;
    struct wt_gen_info info;
    struct wt_fault fault; /* for which a walk of the program waits; its kind is 0: none */
    uint32_t fault_gpu;    /* whose walk that is */
};

static uint32_t threads_of(const struct wt_gen_process *p, uint32_t gpu)
{
    return p->info.subslices[gpu] * GEN_WIRE_THREADS;
}

/* Splits a thread's global number into its GPU and its number there. WT_NO_HANDLE: any. */
static void locate(const struct wt_gen_process *p, uint32_t thread,
                   struct gen_wire_request *request)
{
    request->device = 0;
    request->thread = thread;
    while (request->device + 1 < p->info.gpus && request->thread >= threads_of(p, request->device))
        request->thread -= threads_of(p, request->device++);
}

/* The global number of a GPU's thread 0. */
static uint32_t first_thread(const struct wt_gen_process *p, uint32_t gpu)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < gpu; i++)
        first += threads_of(p, i);
    return first;
}

/* The request about an address as @p thread sees it. */
static struct gen_wire_request about(const struct wt_gen_process *p, enum gen_wire_kind kind,
                                     uint32_t thread, uint64_t addr)
{
    struct gen_wire_request request = {.kind = kind};
    locate(p, thread, &request);
    const uint32_t gpu = wt_gen_unmark(&p->info, &addr, request.device);
    if (gpu != request.device)
        request.thread = 0;
    request.device = gpu;
    request.addr = addr;
    return request;
}

/* ---- messages ---- */

static enum wt_status send_request(struct wt_gen_process *p, const struct gen_wire_request *request,
                                   const void *more, struct wt_error *err)
{
    const enum wt_status status = wt_connection_send(&p->connection, request, sizeof *request, err);
    return status ? status
                  : wt_connection_send(&p->connection, more, gen_wire_follows(request), err);
}

static enum wt_status receive_answer(struct wt_gen_process *p, struct gen_wire_answer *answer,
                                     void *out, size_t room, struct wt_error *err)
{
    struct wt_connection *c = &p->connection;
    const enum wt_status status = wt_connection_receive(c, answer, sizeof *answer, err);
    if (status != WT_OK)
        return status;
    if (answer->result == GEN_WIRE_ENDED)
        return wt_connection_ended(c, (uint32_t)answer->value, answer->closed, err);
    if (answer->size > room)
        return wt_connection_lost(c, "it answers with more than was asked for", err);
    return wt_connection_receive(c, out, answer->size, err);
}

static enum wt_status ask(struct wt_gen_process *p, const struct gen_wire_request *request,
                          const void *more, struct gen_wire_answer *answer, void *out, size_t room,
                          struct wt_error *err)
{
    const enum wt_status status = send_request(p, request, more, err);
    return status ? status : receive_answer(p, answer, out, room, err);
}

/* A request whose answer is empty or one number. */
static enum wt_status tell(struct wt_gen_process *p, struct gen_wire_request request,
                           struct gen_wire_answer *answer, struct wt_error *err)
{
    return ask(p, &request, NULL, answer, NULL, 0, err);
}

/* ---- the link ---- */

static enum wt_status link_info(void *context, struct wt_gen_info *info, struct wt_error *err)
{
    struct wt_gen_process *p = context;
    struct gen_wire_answer answer;
    *info = p->info;
    return tell(p, (struct gen_wire_request){.kind = GEN_WIRE_DEBUG}, &answer, err);
}

static enum wt_status link_read_register(void *context, uint32_t gpu, uint32_t offset,
                                         uint32_t *value, struct wt_error *err)
{
    struct gen_wire_answer answer;
    const struct gen_wire_request request = {
        .kind = GEN_WIRE_REGISTER_READ, .device = gpu, .addr = offset};
    const enum wt_status status = tell(context, request, &answer, err);
    if (status == WT_OK)
        *value = (uint32_t)answer.value;
    return status;
}

static enum wt_status link_write_register(void *context, uint32_t gpu, uint32_t offset,
                                          uint32_t value, struct wt_error *err)
{
    struct gen_wire_answer answer;
    const struct gen_wire_request request = {
        .kind = GEN_WIRE_REGISTER_WRITE, .device = gpu, .addr = offset, .value = value};
    return tell(context, request, &answer, err);
}

static enum wt_status link_read(void *context, uint32_t thread, uint64_t addr, void *out,
                                size_t size, struct wt_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < GEN_WIRE_MOST ? size - done : GEN_WIRE_MOST;
        struct gen_wire_request request = about(context, GEN_WIRE_READ, thread, addr + done);
        struct gen_wire_answer answer;
        request.size = (uint32_t)part;
        const enum wt_status status =
            ask(context, &request, NULL, &answer, (uint8_t *)out + done, part, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0 || answer.size != part)
            return wt_fail(err, WT_INVALID, "no memory can be read at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

static enum wt_status link_write(void *context, uint32_t thread, uint64_t addr, const void *bytes,
                                 size_t size, struct wt_error *err)
{
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < GEN_WIRE_MOST ? size - done : GEN_WIRE_MOST;
        struct gen_wire_request request = about(context, GEN_WIRE_WRITE, thread, addr + done);
        struct gen_wire_answer answer;
        request.size = (uint32_t)part;
        const enum wt_status status =
            ask(context, &request, (const uint8_t *)bytes + done, &answer, NULL, 0, err);
        if (status != WT_OK)
            return status;
        if (answer.result < 0)
            return wt_fail(err, WT_INVALID, "no memory can be written at 0x%llx",
                           (unsigned long long)addr);
    }
    return WT_OK;
}

/* The process answers in order; all that is under way has room in the socket. */
static enum wt_status link_transfer(void *context, struct wt_gen_piece *list, size_t count,
                                    bool write, struct wt_error *err)
{
    enum { AT_ONCE = 64 };
    enum wt_status status = WT_OK;
    for (size_t first = 0; first < count; first += AT_ONCE) {
        const size_t end = count - first < AT_ONCE ? count : first + AT_ONCE;
        for (size_t i = first; i < end; i++) {
            struct gen_wire_request request = about(context, write ? GEN_WIRE_WRITE : GEN_WIRE_READ,
                                                    list[i].thread, list[i].addr);
            request.size = list[i].size;
            if ((status = send_request(context, &request, list[i].bytes, err)) != WT_OK)
                return status;
        }
        for (size_t i = first; i < end; i++) {
            struct gen_wire_answer answer;
            if ((status = receive_answer(context, &answer, write ? NULL : list[i].bytes,
                                         write ? 0 : list[i].size, err)) != WT_OK)
                return status;
            list[i].absent = answer.result < 0 || (!write && answer.size != list[i].size);
        }
    }
    return WT_OK;
}

static enum wt_status take_fault_of(struct wt_gen_process *p, uint32_t gpu, struct wt_error *err)
{
    const struct gen_wire_request request = {.kind = GEN_WIRE_FAULT, .device = gpu};
    struct wt_fault told;
    struct gen_wire_answer answer;
    const enum wt_status status = ask(p, &request, NULL, &answer, &told, sizeof told, err);
    if (status != WT_OK || !wt_connection_has_fault(&told, answer.size))
        return status;
    p->fault = told;
    p->fault.wave += first_thread(p, gpu);
    p->fault.pc += wt_gen_mark(&p->info, gpu);
    p->fault_gpu = gpu;
    return WT_OK;
}

/* A fault stays until the debugger resumes a thread; then that of another GPU is told. */
static enum wt_status take_fault(struct wt_gen_process *p, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint32_t gpu = 0; gpu < p->info.gpus && !p->fault.kind && !status; gpu++)
        status = take_fault_of(p, gpu, err);
    return status;
}

static enum wt_status link_event(void *context, bool wait, struct wt_gen_event *event,
                                 struct wt_error *err)
{
    struct wt_gen_process *p = context;
    struct gen_wire_answer answer;
    const struct gen_wire_request request = {.kind = GEN_WIRE_EVENT,
                                             .value = wait ? GEN_WIRE_WAIT_MS : 0};
    const enum wt_status status = tell(context, request, &answer, err);
    *event = (struct wt_gen_event){.attention = false};
    if (status == WT_OK && answer.result > 0)
        *event = (struct wt_gen_event){.attention =
                                           answer.result & (GEN_WIRE_ATTENTION | GEN_WIRE_FAULTED),
                                       .code = answer.result & GEN_WIRE_CODE,
                                       .code_state = answer.value};
    if (status == WT_OK && answer.result > 0 && answer.result & GEN_WIRE_FAULTED && !p->fault.kind)
        return take_fault(p, err);
    return status;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    struct gen_wire_answer answer;
    const struct gen_wire_request request = {.kind = GEN_WIRE_CODE_KNOWN, .value = state};
    return tell(context, request, &answer, err);
}

/* Whether an address is the same memory for all threads of all GPUs: the program's own. */
static bool is_common(const struct wt_gen_process *p, uint64_t addr)
{
    return !(p->info.gpus > 1 && addr >> GEN_WIRE_GPU_BIT) && addr < p->info.slm;
}

static enum wt_status watch_on(struct wt_gen_process *p, uint32_t gpu, struct gen_wire_watch *list,
                               const struct gen_wire_watch *asked, size_t count,
                               struct wt_error *err)
{
    struct gen_wire_request request = {.kind = GEN_WIRE_WATCH, .device = gpu};
    struct gen_wire_answer answer;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gen_wire_request of = about(p, GEN_WIRE_WATCH, asked[i].thread, asked[i].addr);
        if (of.device != gpu && !is_common(p, asked[i].addr))
            continue;
        list[n] = asked[i];
        list[n].thread = of.device == gpu ? of.thread : 0;
        list[n++].addr = of.addr;
    }
    request.size = (uint32_t)(n * sizeof *list);
    const enum wt_status status = ask(p, &request, list, &answer, NULL, 0, err);
    if (status == WT_OK && answer.result < 0)
        return wt_fail(err, WT_NO_MEMORY, "the program has no memory for watchpoints");
    return status;
}

static enum wt_status link_watch(void *context, const struct gen_wire_watch *asked, size_t count,
                                 struct wt_error *err)
{
    struct wt_gen_process *p = context;
    enum wt_status status = WT_OK;
    if (count > GEN_WIRE_MOST / sizeof *asked)
        return wt_fail(err, WT_UNSUPPORTED, "%zu watchpoints are too many", count);
    struct gen_wire_watch *list = calloc(count + 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (uint32_t gpu = 0; gpu < p->info.gpus && !status; gpu++)
        status = watch_on(p, gpu, list, asked, count, err);
    free(list);
    return status;
}

static enum wt_status link_take_hits(void *context, struct gen_wire_hit *hits, size_t room,
                                     size_t *count, struct wt_error *err)
{
    struct wt_gen_process *p = context;
    enum wt_status status = WT_OK;
    *count = 0;
    for (uint32_t gpu = 0; gpu < p->info.gpus && *count < room && !status; gpu++) {
        const size_t left = (room - *count) * sizeof *hits;
        const struct gen_wire_request request = {
            .kind = GEN_WIRE_WATCHED, .device = gpu, .size = (uint32_t)left};
        struct gen_wire_answer answer;
        status = ask(p, &request, NULL, &answer, hits + *count, left, err);
        const size_t more = status == WT_OK ? answer.size / sizeof *hits : 0;
        for (size_t i = *count; i < *count + more; i++) {
            hits[i].thread += first_thread(p, gpu);
            hits[i].pc += wt_gen_mark(&p->info, gpu);
        }
        *count += more;
    }
    return status;
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct wt_gen_process *p = context;
    *status = p->connection.end.status;
    snprintf(text, size, "%s", p->connection.end.text);
    return p->connection.ended;
}

/* The process sees that its debugger has gone when the connection is closed. */
static void link_detach(void *context)
{
    (void)context;
}

static const struct wt_gen_link_ops process_link = {
    .info = link_info,
    .read_register = link_read_register,
    .write_register = link_write_register,
    .read = link_read,
    .write = link_write,
    .transfer = link_transfer,
    .event = link_event,
    .code_known = link_code_known,
    .watch = link_watch,
    .take_hits = link_take_hits,
    .ended = link_ended,
    .detach = link_detach,
};

/* ---- connecting ---- */

static enum wt_status greet(struct wt_gen_process *p, struct wt_error *err)
{
    const struct gen_wire_request request = {.kind = GEN_WIRE_HELLO};
    struct gen_wire_answer answer;
    const enum wt_status status = ask(p, &request, NULL, &answer, &p->hello, sizeof p->hello, err);
    if (status != WT_OK)
        return status;
    const bool expected = answer.size == sizeof p->hello && p->hello.magic == GEN_WIRE_MAGIC &&
                          p->hello.request_bytes == sizeof request && p->hello.gpus &&
                          p->hello.gpus <= GEN_WIRE_GPUS;
    p->info = (struct wt_gen_info){
        .gpus = p->hello.gpus, .saved = p->hello.saved, .slm = p->hello.slm, .file = p->hello.file};
    memcpy(p->info.subslices, p->hello.subslices, sizeof p->info.subslices);
    return wt_connection_judge_greeting(&p->connection, answer.result, expected, err);
}

enum wt_status wt_gen_process_open(int pid, struct wt_gen_process **process, struct wt_error *err)
{
    enum wt_status status;
    struct wt_gen_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->link = (struct wt_gen_link){.ops = &process_link, .context = p, .host_launches = true};
    if ((status = wt_connection_open(&p->connection, pid, GEN_WIRE_SOCKET, err)) != WT_OK ||
        (status = greet(p, err)) != WT_OK) {
        wt_gen_process_close(p);
        return status;
    }
    *process = p;
    return WT_OK;
}

void wt_gen_process_close(struct wt_gen_process *p)
{
    if (!p)
        return;
    wt_connection_close(&p->connection);
    wt_process_history_end(&p->history);
    free(p);
}

unsigned wt_gen_process_gpus(const struct wt_gen_process *p)
{
    return p->info.gpus;
}

const struct wt_gen_link *wt_gen_process_link(struct wt_gen_process *p)
{
    return &p->link;
}

enum wt_status wt_gen_process_reachable(int pid, bool *reachable, struct wt_error *err)
{
    return wt_connection_reachable(pid, GEN_WIRE_SOCKET, reachable, err);
}

/* ---- time travel ---- */

static enum wt_status ask_history(struct wt_process_history *history,
                                  const struct wt_travel_request *asked, const void *more,
                                  struct wt_travel_answer *answer, void *out, size_t room,
                                  struct wt_error *err)
{
    const struct gen_wire_request request = {.kind = GEN_WIRE_HISTORY,
                                             .size = asked->size,
                                             .addr = asked->what,
                                             .value = asked->argument};
    struct gen_wire_answer told = {.size = 0};
    const enum wt_status status =
        ask((struct wt_gen_process *)history, &request, more, &told, out, room, err);
    *answer = (struct wt_travel_answer){told.result, told.size, told.value};
    return status;
}

static enum wt_status ask_time(struct wt_process_history *history, uint64_t *time,
                               struct wt_error *err)
{
    struct gen_wire_answer answer = {.size = 0};
    const enum wt_status status =
        tell((struct wt_gen_process *)history, (struct gen_wire_request){.kind = GEN_WIRE_TIME},
             &answer, err);
    *time = answer.value;
    return status;
}

static enum wt_status ask_recording(struct wt_process_history *history, uint64_t budget,
                                    int32_t *result, struct wt_error *err)
{
    const struct gen_wire_request request = {.kind = GEN_WIRE_RECORD, .value = budget};
    struct gen_wire_answer answer = {.result = 0};
    const enum wt_status status = tell((struct wt_gen_process *)history, request, &answer, err);
    *result = answer.result;
    return status;
}

static const struct wt_process_history_ops history_ops = {
    .ask = ask_history, .time = ask_time, .record = ask_recording};

enum wt_status wt_gen_process_record(struct wt_gen_process *p, uint64_t budget,
                                     struct wt_target_services *services, struct wt_error *err)
{
    p->history.lanes = 32;
    return wt_process_history_begin(&p->history, &history_ops, p->connection.pid, p->hello.gpus,
                                    budget, services, err);
}

/* ---- code ---- */

enum wt_status wt_gen_process_kernels(struct wt_gen_process *p, struct gen_wire_kernel **list,
                                      size_t *count, struct wt_error *err)
{
    const struct gen_wire_request request = {.kind = GEN_WIRE_KERNELS};
    struct gen_wire_answer answer;
    *list = malloc(GEN_WIRE_MOST);
    if (!*list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a list of kernels");
    const enum wt_status status = ask(p, &request, NULL, &answer, *list, GEN_WIRE_MOST, err);
    if (status != WT_OK) {
        free(*list);
        *list = NULL;
        return status;
    }
    *count = answer.size / sizeof **list;
    for (size_t i = 0; i < *count; i++) {
        (*list)[i].name[GEN_WIRE_NAME - 1] = 0;
        (*list)[i].address += wt_gen_mark(&p->info, (*list)[i].device);
    }
    return WT_OK;
}

/* Reads to the end of the object that a request names. The last part is shorter than asked for. */
static enum wt_status read_all(struct wt_gen_process *p, struct gen_wire_request request,
                               uint8_t **bytes, size_t *length, struct wt_error *err)
{
    enum { PART = GEN_WIRE_MOST, MOST = 256 << 20 };
    struct gen_wire_answer answer = {.size = PART};
    size_t capacity = 0;
    enum wt_status status = WT_OK;
    *bytes = NULL;
    *length = 0;
    request.size = PART;
    while (!status && answer.size == PART && answer.result >= 0 && *length < MOST) {
        uint8_t *grown = wt_array_grow(*bytes, &capacity, *length + PART, 1);
        request.value = *length;
        if (grown)
            *bytes = grown;
        status = grown ? ask(p, &request, NULL, &answer, *bytes + *length, PART, err)
                       : wt_fail(err, WT_NO_MEMORY, "out of memory for a kernel's symbols");
        *length += status ? 0 : answer.size;
    }
    if (status || !*length) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

enum wt_status wt_gen_process_elf(struct wt_gen_process *p, const struct gen_wire_kernel *kernel,
                                  uint8_t **bytes, size_t *length, struct wt_error *err)
{
    return read_all(p, (struct gen_wire_request){.kind = GEN_WIRE_ELF, .addr = kernel->number},
                    bytes, length, err);
}

enum wt_status wt_gen_process_source(struct wt_gen_process *p, uint64_t number, char **text,
                                     size_t *length, struct wt_error *err)
{
    uint8_t *bytes;
    const enum wt_status status = read_all(
        p, (struct gen_wire_request){.kind = GEN_WIRE_SOURCE, .addr = number}, &bytes, length, err);
    *text = (char *)bytes;
    return status;
}

/* ---- core files ---- */

struct core_ask {
    struct wt_gen_process *process;
    uint32_t gpu;
};

static enum wt_status ask_for_core(void *context, const void *bytes, uint32_t size, int32_t *result,
                                   char *why, size_t room, struct wt_error *err)
{
    const struct core_ask *a = context;
    const struct gen_wire_request request = {.kind = GEN_WIRE_CORE, .size = size, .device = a->gpu};
    struct gen_wire_answer answer;
    const enum wt_status status = ask(a->process, &request, bytes, &answer, why, room, err);
    *result = status ? 0 : answer.result;
    return status;
}

static enum wt_status save_core_file(void *context, const struct wt_core_file_request *request,
                                     struct wt_error *err)
{
    struct core_ask ask = {.process = context};
    struct gen_wire_request at = {.thread = WT_NO_HANDLE};
    if (request->wave != WT_NO_HANDLE)
        locate(ask.process, request->wave, &at);
    ask.gpu = at.device;
    return wt_core_request(request, at.thread, GEN_WIRE_MOST, ask_for_core, &ask, err);
}

/* ---- memory after the end ---- */

enum wt_status wt_gen_process_want_memory(struct wt_gen_process *p, struct wt_error *err)
{
    struct gen_wire_answer answer;
    return tell(p, (struct gen_wire_request){.kind = GEN_WIRE_FINAL}, &answer, err);
}

static void final_memory_of(struct wt_gen_process *p, uint32_t gpu, wt_process_piece_fn *found,
                            void *context)
{
    struct gen_wire_request request = {.kind = GEN_WIRE_FINAL_NEXT, .device = gpu};
    const struct wt_process_final final = {&request, sizeof request, &request.addr,
                                           sizeof(struct gen_wire_answer)};
    wt_process_final_memory(&p->connection, &final, found, context);
}

struct piece {
    uint64_t addr, size;
    uint8_t *bytes;
};

/* The pieces of several GPUs. */
struct pieces {
    const struct wt_gen_info *info;
    uint32_t gpu;
    struct piece *piece;
    size_t count, capacity;
};

/* Where the program's own addresses end: kernels and constants lie above. */
#define OWN_ADDRESSES ((uint64_t)1 << 47)

static bool keep_piece(void *context, uint64_t addr, uint8_t *bytes, uint64_t size)
{
    struct pieces *p = context;
    struct piece *grown = wt_array_grow(p->piece, &p->capacity, p->count + 1, sizeof *grown);
    if (!grown) {
        free(bytes);
        return false;
    }
    p->piece = grown;
    addr += addr < OWN_ADDRESSES ? 0 : wt_gen_mark(p->info, p->gpu);
    grown[p->count++] = (struct piece){addr, size, bytes};
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Memory of the program that two GPUs have used is given once. */
static void give_pieces(struct pieces *p, wt_process_piece_fn *found, void *context)
{
    uint64_t end = 0;
    bool more = true;
    qsort(p->piece, p->count, sizeof *p->piece, by_address);
    for (size_t i = 0; i < p->count; i++) {
        struct piece *of = &p->piece[i];
        const uint64_t known = of->addr < end ? end - of->addr : 0;
        if (!more || known >= of->size) {
            free(of->bytes);
            continue;
        }
        if (known && of->bytes)
            memmove(of->bytes, of->bytes + known, of->size - known);
        end = of->addr + of->size;
        more = found(context, of->addr + known, of->bytes, of->size - known);
    }
    free(p->piece);
}

void wt_gen_process_final_memory(struct wt_gen_process *p, wt_process_piece_fn *found,
                                 void *context)
{
    struct pieces pieces = {.info = &p->info};
    if (p->info.gpus == 1) {
        final_memory_of(p, 0, found, context);
        return;
    }
    for (; pieces.gpu < p->info.gpus; pieces.gpu++)
        final_memory_of(p, pieces.gpu, keep_piece, &pieces);
    give_pieces(&pieces, found, context);
}

/* ---- faults ---- */

static const struct wt_fault *fault(void *context)
{
    const struct wt_gen_process *p = context;
    return p->fault.kind && !p->connection.ended ? &p->fault : NULL;
}

static bool wave_fault(void *context, uint32_t thread, wt_wave_id id, struct wt_fault *out)
{
    const struct wt_fault *f = fault(context);
    const bool its = f && f->wave == thread && f->id == id;
    if (its)
        *out = *f;
    return its;
}

/* Called as threads are resumed: the instruction is tried again. */
static void clear_fault(void *context)
{
    struct wt_gen_process *p = context;
    struct gen_wire_answer answer;
    if (p->fault.kind && !p->connection.ended)
        tell(p, (struct gen_wire_request){.kind = GEN_WIRE_RETRY, .device = p->fault_gpu}, &answer,
             WT_IGNORED);
    p->fault.kind = WT_FAULT_NONE;
}

static bool wave_waits(void *context, uint32_t thread, wt_wave_id id, struct wt_wave_view *view)
{
    struct gen_wire_request request = about(context, GEN_WIRE_WAITS, thread, 0);
    request.value = id;
    struct gen_wire_answer answer;
    return ask(context, &request, NULL, &answer, view, sizeof *view, WT_IGNORED) == WT_OK &&
           answer.result >= 0 && wt_connection_has_view(view, answer.size);
}

void wt_gen_process_offer_waits(struct wt_target_services *services)
{
    services->wave_waits = wave_waits;
}

void wt_gen_process_offer_faults(struct wt_target_services *services)
{
    services->fault = fault;
    services->wave_fault = wave_fault;
    services->clear_fault = clear_fault;
}

void wt_gen_process_offer_core_files(struct wt_target_services *services)
{
    services->save_core_file = save_core_file;
}

/* ---- which there are ---- */

static enum wt_status count_gpus(struct wt_connection *connection, unsigned *gpus,
                                 struct wt_error *err)
{
    struct wt_gen_process p = {.connection = *connection};
    const enum wt_status status = greet(&p, err);
    *gpus = p.hello.gpus;
    return status;
}

enum wt_status wt_gen_processes(void (*found)(void *context, int pid, unsigned gpus,
                                              const char *name),
                                void *context, struct wt_error *err)
{
    return wt_connection_each(GEN_WIRE_SOCKET, count_gpus, found, context, err);
}
