/* The link to a host process: its GPUs, kernels and faults (object/gen_wire.h). See process.h. */
#include "debug/gen/process.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/process/link.h"

/* ---- code ---- */

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

struct gen_piece {
    uint64_t addr, size;
    uint8_t *bytes;
};

/* The pieces of several GPUs. */
struct pieces {
    const struct wt_link *link;
    uint32_t gpu;
    struct gen_piece *piece;
    size_t count, capacity;
};

/* Where the program's own addresses end: kernels and constants lie above. */
#define OWN_ADDRESSES ((uint64_t)1 << 47)

static bool keep_piece(void *context, uint64_t addr, uint8_t *bytes, uint64_t size)
{
    struct pieces *p = context;
    struct gen_piece *grown = wt_array_grow(p->piece, &p->capacity, p->count + 1, sizeof *grown);
    if (!grown) {
        free(bytes);
        return false;
    }
    p->piece = grown;
    addr += addr < OWN_ADDRESSES ? 0 : wt_gen_mark(p->link, p->gpu);
    grown[p->count++] = (struct gen_piece){addr, size, bytes};
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct gen_piece *x = a, *y = b;
    return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Memory of the program that two GPUs have used is given once. */
static void give_pieces(struct pieces *p, wt_process_piece_fn *found, void *context)
{
    uint64_t end = 0;
    bool more = true;
    qsort(p->piece, p->count, sizeof *p->piece, by_address);
    for (size_t i = 0; i < p->count; i++) {
        struct gen_piece *of = &p->piece[i];
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
    struct pieces pieces = {.link = &p->link.link};
    if (p->link.link.gpus == 1) {
        wt_process_link_final_memory(&p->link, 0, found, context);
        return;
    }
    for (; pieces.gpu < p->link.link.gpus; pieces.gpu++)
        wt_process_link_final_memory(&p->link, pieces.gpu, keep_piece, &pieces);
    give_pieces(&pieces, found, context);
}

/* ---- faults ---- */

static void take_fault_of(struct wt_gen_process *p, uint32_t gpu)
{
    struct wt_fault told;
    if (!wt_process_link_fault(&p->link, gpu, 0, 0, &told))
        return;
    p->fault = told;
    p->fault.wave += wt_process_link_first(&p->link, gpu);
    p->fault.pc += wt_gen_mark(&p->link.link, gpu);
    p->fault_gpu = gpu;
}

/* A fault stays until the debugger resumes a thread; then that of another GPU is told. */
static void take_fault(struct wt_gen_process *p)
{
    p->link.faulted = false;
    for (uint32_t gpu = 0; gpu < p->link.link.gpus && !p->fault.kind; gpu++)
        take_fault_of(p, gpu);
}

static const struct wt_fault *fault(void *context)
{
    struct wt_gen_process *p = context;
    if (p->link.faulted)
        take_fault(p);
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
    if (fault(p))
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
