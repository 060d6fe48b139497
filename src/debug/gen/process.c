/* The link to a host process: its GPUs, kernels and faults (object/gen_wire.h). See process.h. */
#include "debug/gen/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/process/link.h"

struct wt_gen_process {
    struct wt_process_link link; /* first: the context of a target's services */
    struct wt_gen_link gen;
    struct wt_gen_info info;
    struct wt_fault fault; /* for which a walk of the program waits; its kind is 0: none */
    uint32_t fault_gpu;    /* whose walk that is */
};

static uint32_t threads_of(const struct wt_gen_process *p, uint32_t gpu)
{
    return p->info.subslices[gpu] * GEN_WIRE_THREADS;
}

/* The request about an address as @p thread sees it. */
static struct wt_wire_request about(const struct wt_gen_process *p, enum wt_wire_verb verb,
                                    uint32_t thread, uint64_t addr)
{
    struct wt_wire_request request = {.verb = verb};
    wt_process_link_locate(&p->link, thread, &request);
    const uint32_t gpu = wt_gen_unmark(&p->info, &addr, request.device);
    if (gpu != request.device)
        request.wave = 0;
    request.device = gpu;
    request.addr = addr;
    return request;
}

/* ---- the link ---- */

static enum wt_status link_info(void *context, struct wt_gen_info *info, struct wt_error *err)
{
    struct wt_gen_process *p = context;
    struct wt_wire_answer answer;
    *info = p->info;
    return wt_process_link_tell(&p->link, (struct wt_wire_request){.verb = WT_WIRE_ATTACH}, &answer,
                                err);
}

/* Offsets are in bytes. */
static enum wt_status link_read_register(void *context, uint32_t gpu, uint32_t offset,
                                         uint32_t *value, struct wt_error *err)
{
    return wt_process_link_register(context, gpu, false, offset / 4, value, err);
}

static enum wt_status link_write_register(void *context, uint32_t gpu, uint32_t offset,
                                          uint32_t value, struct wt_error *err)
{
    return wt_process_link_register(context, gpu, true, offset / 4, &value, err);
}

static enum wt_status link_read(void *context, uint32_t thread, uint64_t addr, void *out,
                                size_t size, struct wt_error *err)
{
    return wt_process_link_read(context, about(context, WT_WIRE_READ, thread, addr), out, size,
                                err);
}

static enum wt_status link_write(void *context, uint32_t thread, uint64_t addr, const void *bytes,
                                 size_t size, struct wt_error *err)
{
    return wt_process_link_write(context, about(context, WT_WIRE_WRITE, thread, addr), bytes, size,
                                 err);
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
            struct wt_wire_request request =
                about(context, write ? WT_WIRE_WRITE : WT_WIRE_READ, list[i].thread, list[i].addr);
            request.size = write ? 0 : list[i].size;
            request.follows = write ? list[i].size : 0;
            if ((status = wt_process_link_send(context, &request, list[i].bytes, err)) != WT_OK)
                return status;
        }
        for (size_t i = first; i < end; i++) {
            struct wt_wire_answer answer;
            if ((status = wt_process_link_receive(context, &answer, write ? NULL : list[i].bytes,
                                                  write ? 0 : list[i].size, err)) != WT_OK)
                return status;
            list[i].absent = answer.result < 0 || (!write && answer.size != list[i].size);
        }
    }
    return WT_OK;
}

static void take_fault_of(struct wt_gen_process *p, uint32_t gpu)
{
    struct wt_fault told;
    if (!wt_process_link_fault(&p->link, gpu, 0, 0, &told))
        return;
    p->fault = told;
    p->fault.wave += wt_process_link_first(&p->link, gpu);
    p->fault.pc += wt_gen_mark(&p->info, gpu);
    p->fault_gpu = gpu;
}

/* A fault stays until the debugger resumes a thread; then that of another GPU is told. */
static void take_fault(struct wt_gen_process *p)
{
    for (uint32_t gpu = 0; gpu < p->info.gpus && !p->fault.kind; gpu++)
        take_fault_of(p, gpu);
}

static enum wt_status link_event(void *context, bool wait, struct wt_gen_event *event,
                                 struct wt_error *err)
{
    int happened;
    uint64_t code;
    const enum wt_status status = wt_process_link_event(context, wait, &happened, &code, err);
    *event = (struct wt_gen_event){.attention = happened & (WT_WIRE_STOPPED | WT_WIRE_FAULTED),
                                   .code = happened & WT_WIRE_CODE,
                                   .code_state = happened ? code : 0};
    if (happened & WT_WIRE_FAULTED)
        take_fault(context);
    return status;
}

static enum wt_status link_code_known(void *context, uint64_t state, struct wt_error *err)
{
    return wt_process_link_code_known(context, state, err);
}

/* Whether an address is the same memory for all threads of all GPUs: the program's own. */
static bool is_common(const struct wt_gen_process *p, uint64_t addr)
{
    return !(p->info.gpus > 1 && addr >> GEN_WIRE_GPU_BIT) && addr < p->info.slm;
}

static enum wt_status link_watch(void *context, const struct wt_wire_watch *asked, size_t count,
                                 struct wt_error *err)
{
    struct wt_gen_process *p = context;
    struct wt_wire_watch *list = calloc(count + 1, sizeof *list);
    if (!list)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (size_t i = 0; i < count; i++) {
        const struct wt_wire_request of = about(p, WT_WIRE_WATCH, asked[i].wave, asked[i].addr);
        list[i] = asked[i];
        list[i].addr = of.addr;
        list[i].wave = is_common(p, asked[i].addr)
                           ? WT_NO_HANDLE
                           : of.wave + wt_process_link_first(&p->link, of.device);
    }
    const enum wt_status status = wt_process_link_watch(&p->link, list, count, err);
    free(list);
    return status;
}

static enum wt_status link_take_hits(void *context, struct wt_wire_hit **list, size_t *count,
                                     struct wt_error *err)
{
    struct wt_gen_process *p = context;
    const enum wt_status status = wt_process_link_hits(&p->link, p->info.gpus, list, count, err);
    for (size_t i = 0; i < *count; i++) {
        struct wt_wire_request of;
        wt_process_link_locate(&p->link, (*list)[i].wave, &of);
        (*list)[i].pc += wt_gen_mark(&p->info, of.device);
    }
    return status;
}

static bool link_ended(void *context, uint32_t *status, char *text, size_t size)
{
    return wt_process_link_ended(context, status, text, size);
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

static enum wt_status take_info(struct wt_gen_process *p, struct wt_error *err)
{
    const struct wt_wire_hello *hello = &p->link.hello;
    if (hello->devices > GEN_WIRE_GPUS)
        return wt_fail(err, WT_UNSUPPORTED, "process %d has %u GPUs", p->link.connection.pid,
                       (unsigned)hello->devices);
    p->info = (struct wt_gen_info){.gpus = hello->devices,
                                   .saved = hello->place[GEN_WIRE_SAVED],
                                   .slm = hello->place[GEN_WIRE_SLM],
                                   .file = hello->place[GEN_WIRE_FILE]};
    memcpy(p->info.subslices, hello->units, sizeof p->info.subslices);
    for (uint32_t i = 0; i < p->info.gpus; i++)
        p->link.waves[i] = threads_of(p, i);
    return WT_OK;
}

enum wt_status wt_gen_process_open(const struct wt_process_place *place,
                                   struct wt_gen_process **process, struct wt_error *err)
{
    enum wt_status status;
    struct wt_gen_process *p = calloc(1, sizeof *p);
    if (!p)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    p->link.history.lanes = 32;
    p->gen = (struct wt_gen_link){.ops = &process_link, .context = p, .host_launches = true};
    if ((status = wt_process_link_open(&p->link, place, GEN_WIRE_SOCKET, GEN_WIRE_FAMILY, err)) !=
            WT_OK ||
        (status = take_info(p, err)) != WT_OK) {
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
    wt_process_link_close(&p->link);
    free(p);
}

const struct wt_gen_link *wt_gen_process_link(struct wt_gen_process *p)
{
    return &p->gen;
}

struct wt_process_link *wt_gen_process_wire(struct wt_gen_process *p)
{
    return &p->link;
}

/* ---- code ---- */

enum wt_status wt_gen_process_kernels(struct wt_gen_process *p, struct gen_wire_kernel **list,
                                      size_t *count, struct wt_error *err)
{
    void *all;
    const enum wt_status status =
        wt_process_link_list(&p->link, GEN_WIRE_KERNELS, sizeof **list, &all, count, err);
    *list = all;
    for (size_t i = 0; i < *count; i++) {
        (*list)[i].name[GEN_WIRE_NAME - 1] = 0;
        (*list)[i].address += wt_gen_mark(&p->info, (*list)[i].device);
    }
    return status;
}

/* Reads bytes whose owner may have gone: then they are NULL. */
static enum wt_status read_all(struct wt_gen_process *p, struct wt_wire_request request,
                               uint8_t **bytes, size_t *length, struct wt_error *err)
{
    const enum wt_status status = wt_process_link_read_all(&p->link, request, bytes, length, err);
    return status == WT_INVALID ? WT_OK : status;
}

enum wt_status wt_gen_process_elf(struct wt_gen_process *p, const struct gen_wire_kernel *kernel,
                                  uint8_t **bytes, size_t *length, struct wt_error *err)
{
    return read_all(p, (struct wt_wire_request){.verb = GEN_WIRE_ELF, .addr = kernel->number},
                    bytes, length, err);
}

enum wt_status wt_gen_process_source(struct wt_gen_process *p, uint64_t number, char **text,
                                     size_t *length, struct wt_error *err)
{
    uint8_t *bytes;
    const enum wt_status status = read_all(
        p, (struct wt_wire_request){.verb = GEN_WIRE_SOURCE, .addr = number}, &bytes, length, err);
    *text = (char *)bytes;
    return status;
}

/* ---- memory after the end ---- */

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
        wt_process_link_final_memory(&p->link, 0, found, context);
        return;
    }
    for (; pieces.gpu < p->info.gpus; pieces.gpu++)
        wt_process_link_final_memory(&p->link, pieces.gpu, keep_piece, &pieces);
    give_pieces(&pieces, found, context);
}

/* ---- faults ---- */

static const struct wt_fault *fault(void *context)
{
    const struct wt_gen_process *p = context;
    return p->fault.kind && !p->link.connection.ended ? &p->fault : NULL;
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
    struct wt_wire_answer answer;
    if (p->fault.kind && !p->link.connection.ended)
        wt_process_link_tell(
            &p->link, (struct wt_wire_request){.verb = GEN_WIRE_RETRY, .device = p->fault_gpu},
            &answer, WT_IGNORED);
    p->fault.kind = WT_FAULT_NONE;
}

void wt_gen_process_offer_faults(struct wt_target_services *services)
{
    services->fault = fault;
    services->wave_fault = wave_fault;
    services->clear_fault = clear_fault;
}
