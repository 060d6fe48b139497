/*
 * Host programs on Vortex: the Debug Module of the process's device over its connection, and the
 * kernels that it has uploaded. Where no program runs there is a Debug Module without a warp.
 */
#include "target/vortex_process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "debug/vortex/vortex.h"
#include "emulator/vortex/vortex.h"
#include "object/vortex_wire.h"
#include "target/code_list.h"
#include "target/vortex_bundle.h"

/* ---- a Debug Module whose warps are all inactive ---- */

struct idle_module {
    uint32_t dconfig, dselect, wmask;
};

static uint32_t read_idle(void *context, uint32_t addr)
{
    enum { VORTEX = 1, CLUSTERS = 1, CORES = 1, WARPS = 4, LOG2_THREADS = 2 };
    const struct idle_module *m = context;
    switch (addr) {
    case VX_DM_PLATFORM:
        return (uint32_t)VORTEX << 28 | CLUSTERS << 21 | CORES << 12 | WARPS << 3 | LOG2_THREADS;
    case VX_DM_DCONFIG:
        return m->dconfig;
    case VX_DM_DSELECT:
        return m->dselect;
    case VX_DM_WMASK:
        return m->wmask;
    case VX_DM_DCTRL:
        return UINT32_C(1) << 31; /* dmactive */
    default:
        return 0;
    }
}

static void write_idle(void *context, uint32_t addr, uint32_t value)
{
    struct idle_module *m = context;
    switch (addr) {
    case VX_DM_DCONFIG:
        m->dconfig = value;
        break;
    case VX_DM_DSELECT:
        m->dselect = value;
        break;
    case VX_DM_WMASK:
        m->wmask = value;
        break;
    default:
        break;
    }
}

/* ---- what is behind p->code ---- */

/* The way to the Debug Module, which the probe has. */
struct vx_process_way {
    struct wt_bus bus; /* first */
    struct wt_process_link *wire;
    struct vortex_bundle bundle; /* bundle of the program's several GPUs */
    struct idle_module idle;     /* without a program, and after its end */
    struct wt_vortex_link link;
    struct wt_vortex_host host;
};

struct vx_process_code {
    struct vx_process_way *way;
    struct wt_code_list loaded; /* programs whose ELF files were read */
};

static void free_code(void *code)
{
    struct vx_process_code *c = code;
    free(c->way);
    free(c->loaded.entry);
    free(c);
}

static void serve_idle(struct vx_process_way *w, struct wt_bus_op *ops, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ops[i].write)
            write_idle(&w->idle, ops[i].addr, ops[i].value);
        else
            ops[i].value = read_idle(&w->idle, ops[i].addr);
}

static enum wt_status ask_process(struct vx_process_way *w, struct wt_bus_op *ops, size_t count,
                                  struct wt_error *err)
{
    struct wt_wire_register list[256];
    const size_t most = sizeof list / sizeof *list;
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < most ? count - done : most;
        for (size_t i = 0; i < part; i++)
            list[i] = (struct wt_wire_register){ops[done + i].addr, ops[done + i].write,
                                                ops[done + i].value};
        w->bus.round_trips++;
        const enum wt_status status = wt_process_link_ops.registers(w->wire, 0, list, part, err);
        if (status)
            return status;
        for (size_t i = 0; i < part; i++)
            ops[done + i].value = list[i].value;
    }
    return WT_OK;
}

static enum wt_status transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err)
{
    struct vx_process_way *w = (struct vx_process_way *)bus;
    enum wt_status status = WT_OK;
    if (w->wire && !w->wire->connection.ended)
        status = w->bundle.count ? vortex_bundle_ask(&w->bundle, w->wire, ops, count, err)
                                 : ask_process(w, ops, count, err);
    if (!w->wire || w->wire->connection.ended) {
        serve_idle(w, ops, count);
        return WT_OK;
    }
    return status;
}

static void close_bus(struct wt_bus *bus)
{
}

static const struct wt_bus_ops bus_ops = {
    .name = "process", .transact = transact, .close = close_bus};

static enum wt_status code_changed(void *context, bool *changed, uint64_t *state,
                                   struct wt_error *err)
{
    const struct vx_process_way *w = context;
    struct wt_link_event event = {.code = false};
    const enum wt_status status = w->wire && !w->wire->connection.ended
                                      ? wt_process_link_ops.event(w->wire, false, &event, err)
                                      : WT_OK;
    *changed = event.code;
    *state = event.code_state;
    return status == WT_IO && w->wire->connection.ended ? WT_OK : status;
}

static enum wt_status code_known(void *context, uint64_t state, struct wt_error *err)
{
    const struct vx_process_way *w = context;
    const enum wt_status status =
        w->wire ? wt_process_link_ops.code_known(w->wire, state, err) : WT_OK;
    return status == WT_IO && w->wire->connection.ended ? WT_OK : status;
}

static bool ended(void *context, uint32_t *status, char *text, size_t size)
{
    const struct vx_process_way *w = context;
    return w->wire && wt_process_link_ops.ended(w->wire, status, text, size);
}

struct wt_vortex_work wt_vortex_work_of(const struct vortex_work *is)
{
    struct wt_vortex_work work = {
        .rank = is->rank, .place = is->place, .local = is->local, .local_size = is->local_size};
    memcpy(work.group, is->group, sizeof work.group);
    memcpy(work.block, is->block, sizeof work.block);
    memcpy(work.grid, is->grid, sizeof work.grid);
    return work;
}

static bool work(void *context, uint32_t warp, struct wt_vortex_work *to)
{
    const struct vx_process_way *w = context;
    struct wt_wire_request request = {.verb = VORTEX_WIRE_WORK};
    struct vortex_work is;
    struct wt_wire_answer answer;
    if (w->wire)
        wt_process_link_locate(w->wire, warp, &request);
    if (!w->wire ||
        wt_process_link_ask(w->wire, &request, NULL, &answer, &is, sizeof is, WT_IGNORED) !=
            WT_OK ||
        answer.result < 0 || answer.size != sizeof is)
        return false;
    *to = wt_vortex_work_of(&is);
    return true;
}

/* Makes p->code, and has the probe use its way. */
static enum wt_status make_code(struct wt_process *p, struct wt_error *err)
{
    struct vx_process_code *c = calloc(1, sizeof *c);
    struct vx_process_way *w = calloc(1, sizeof *w);
    if (!c || !w) {
        free(c);
        free(w);
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the way to a device");
    }
    c->way = w;
    w->bus.ops = &bus_ops;
    w->wire = p->wire;
    w->host = (struct wt_vortex_host){w, code_changed, code_known, ended};
    /* Until a program says what its device is, it may be one of 3.0. */
    w->link = (struct wt_vortex_link){.bus = &w->bus,
                                      .xlen = 32,
                                      .ctas = true,
                                      .work = work,
                                      .work_context = w,
                                      .host = &w->host};
    p->code = c;
    p->target.link = &w->link;
    return WT_OK;
}

/* ---- a program ---- */

static enum wt_status begin(struct wt_process *p, struct wt_error *err)
{
    const struct wt_wire_hello *hello = &p->wire->hello;
    const enum wt_status status = make_code(p, err);
    if (status)
        return status;
    struct vx_process_way *w = ((struct vx_process_code *)p->code)->way;
    if (hello->devices > 1) {
        const enum wt_status several = vortex_bundle_open(&w->bundle, p->wire, err);
        if (several)
            return several;
        w->link.gpu_count = w->bundle.count;
        w->link.gpu = w->bundle.gpu;
    }
    w->link.xlen = (unsigned)hello->place[0];
    w->link.exit_addr = hello->place[1];
    w->link.ctas = hello->place[3];
    w->link.work = hello->place[3] ? work : NULL;
    p->wire->history.lanes = (unsigned)hello->place[2];
    return WT_OK;
}

/* A program without an ELF file has no names: it is known all the same. */
static enum wt_status add_program(struct wt_process *p, void *record, void *entry,
                                  struct wt_error *err)
{
    const struct vortex_wire_program *program = record;
    const struct wt_wire_request request = {.verb = VORTEX_WIRE_ELF, .addr = program->id};
    uint8_t *bytes;
    size_t length;
    if (!program->has_elf || !memchr(program->name, 0, sizeof program->name))
        return WT_OK;
    enum wt_status status = wt_process_link_read_all(p->wire, request, &bytes, &length, err);
    if (!status)
        status = wt_modules_add_bytes(p->modules, program->name, bytes, length,
                                      ((struct vx_process_code *)p->code)->way->bundle.count
                                          ? (uint64_t)(program->device + 1) << WT_VORTEX_GPU_SHIFT
                                          : 0,
                                      0, &((struct wt_listed_code *)entry)->module, err);
    free(bytes);
    return status;
}

static void drop_program(void *entry)
{
}

static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    static const struct wt_code_list_ops ops = {.verb = VORTEX_WIRE_PROGRAMS,
                                                .record_bytes = sizeof(struct vortex_wire_program),
                                                .entry_bytes = sizeof(struct wt_listed_code),
                                                .add = add_program,
                                                .drop = drop_program};
    return wt_process_follow(p, &ops, &((struct vx_process_code *)p->code)->loaded, err);
}

/* ---- services ---- */

static enum wt_pump pump(void *context, uint64_t budget)
{
    const struct timespec moment = {.tv_nsec = 2000000};
    struct wt_process_link *link = context;
    struct wt_wire_answer answer;
    const struct wt_wire_request request = {.verb = VORTEX_WIRE_RUN, .value = budget};
    if (link->connection.ended || wt_process_link_tell(link, request, &answer, WT_IGNORED) != WT_OK)
        return WT_PUMP_EVENT;
    switch (answer.result) {
    case VORTEX_WIRE_MORE:
        return WT_PUMP_RAN;
    case VORTEX_WIRE_IDLE:
        return WT_PUMP_IDLE;
    case VORTEX_WIRE_NOTHING:
        nanosleep(&moment, NULL);
        return WT_PUMP_EVENT;
    default:
        return WT_PUMP_EVENT;
    }
}

/* An address that says whose memory it is of is that GPU's, whichever warp looks. */
static struct wt_address in_memory(const struct wt_process_link *link, struct wt_address addr,
                                   uint32_t *wave)
{
    const uint64_t gpu = addr.offset >> WT_VORTEX_GPU_SHIFT;
    if (link->hello.devices < 2 || !gpu || gpu > link->hello.devices)
        return addr;
    *wave = wt_process_link_first(link, (uint32_t)gpu - 1);
    return wt_address_of(addr.offset & ~WT_VORTEX_GPU_BITS);
}

static bool read_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                        void *out, size_t size)
{
    addr = in_memory(context, addr, &wave);
    return addr.space == 0 && wt_process_link_ops.read(context, wave, lane, addr.offset, out, size,
                                                       WT_IGNORED) == WT_OK;
}

static bool write_memory(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                         const void *bytes, size_t size)
{
    addr = in_memory(context, addr, &wave);
    return addr.space == 0 && wt_process_link_ops.write(context, wave, lane, addr.offset, bytes,
                                                        size, WT_IGNORED) == WT_OK;
}

/* A GPU's own warp and code. */
static uint64_t code_of(const struct wt_process_link *link, uint32_t device, uint64_t pc)
{
    return link->hello.devices > 1 ? pc | (uint64_t)(device + 1) << WT_VORTEX_GPU_SHIFT : pc;
}

static const struct wt_fault *fault(void *context)
{
    struct wt_vortex_process *p = context;
    for (uint32_t i = 0; i < p->link.hello.devices; i++) {
        if (!wt_process_link_fault(&p->link, i, WT_NO_HANDLE, 0, &p->fault))
            continue;
        if (p->fault.wave != WT_NO_HANDLE)
            p->fault.wave += wt_process_link_first(&p->link, i);
        p->fault.pc = code_of(&p->link, i, p->fault.pc);
        return &p->fault;
    }
    return NULL;
}

static void clear_fault(void *context)
{
    struct wt_wire_answer answer;
    wt_process_link_tell(context, (struct wt_wire_request){.verb = VORTEX_WIRE_GO_ON}, &answer,
                         WT_IGNORED);
}

static wt_wave_id wave_id(void *context, wt_wave_handle warp)
{
    struct wt_wire_request request = {.verb = VORTEX_WIRE_ID};
    struct wt_wire_answer answer;
    wt_process_link_locate(context, warp, &request);
    return wt_process_link_tell(context, request, &answer, WT_IGNORED) == WT_OK ? answer.value[0]
                                                                                : WT_NO_WAVE;
}

static enum wt_status set_watchpoints(void *context, const struct wt_watchpoint *list, size_t count,
                                      struct wt_error *err)
{
    struct wt_process_link *link = context;
    struct wt_wire_watch *watch = calloc(count + 1, sizeof *watch);
    if (!watch)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for watchpoints");
    for (size_t i = 0; i < count; i++) {
        uint32_t wave = list[i].wave;
        const struct wt_address addr = in_memory(link, list[i].addr, &wave);
        watch[i] = wt_process_link_watched(&list[i], addr.offset);
        watch[i].wave = wave;
    }
    const enum wt_status status =
        link->connection.ended ? WT_OK : wt_process_link_ops.watch(link, watch, count, err);
    free(watch);
    return status;
}

/* Those of a search first; else those of the run. */
static size_t watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct wt_vortex_process *p = context;
    struct wt_process_history *h = &p->link.history;
    struct wt_wire_hit *hit;
    size_t count = h->hits;
    *list = h->hit;
    h->hits = 0;
    if (count || p->link.connection.ended ||
        wt_process_link_ops.take_hits(&p->link, &hit, &count, WT_IGNORED) != WT_OK || !count) {
        return count;
    }
    free(p->hit);
    p->hit = calloc(count, sizeof *p->hit);
    for (size_t i = 0; p->hit && i < count; i++) {
        struct wt_wire_request at = {0};
        p->hit[i] = wt_process_link_hit(&hit[i]);
        wt_process_link_locate(&p->link, p->hit[i].wave, &at);
        p->hit[i].pc = code_of(&p->link, at.device, p->hit[i].pc);
    }
    free(hit);
    *list = p->hit;
    return p->hit ? count : 0;
}

static size_t host_writes(void *context, wt_wave_handle wave, uint64_t addr, uint64_t size,
                          uint64_t until, struct wt_host_write *list, size_t most)
{
    const struct vortex_wire_writes asked = {size, until};
    const size_t room = WT_WIRE_MOST / sizeof *list;
    if (most > room)
        most = room;
    struct wt_wire_request request = {.verb = VORTEX_WIRE_WRITES,
                                      .follows = sizeof asked,
                                      .size = (uint32_t)(most * sizeof *list),
                                      .addr = addr};
    struct wt_wire_answer answer;
    wt_process_link_locate(context, wave, &request);
    if (wt_process_link_ask(context, &request, &asked, &answer, list, most * sizeof *list,
                            WT_IGNORED) != WT_OK ||
        answer.result < 0 || answer.size % sizeof *list)
        return 0;
    const size_t count = answer.size / sizeof *list;
    for (size_t i = 0; i < count; i++)
        if (!memchr(list[i].by, 0, sizeof list[i].by) || list[i].depth > WT_OBJECT_STACK)
            return 0;
    return count + (answer.value[0] != 0);
}

static void offer(struct wt_target_services *services)
{
    services->pump = pump;
    services->read_memory = read_memory;
    services->write_memory = write_memory;
    wt_process_link_offer_detail(services);
    services->fault = fault;
    services->clear_fault = clear_fault;
    services->wave_id = wave_id;
    services->set_watchpoints = set_watchpoints;
    services->watchpoint_hits = watchpoint_hits;
    services->host_writes = host_writes;
}

static void end(struct wt_process *p)
{
    free(((struct wt_vortex_process *)p->own)->hit);
}

/* ---- without a program ---- */

static bool read_image(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                       void *out, size_t size)
{
    const struct wt_process *p = context;
    return wt_memory_image_read(&p->image, addr.offset, out, size);
}

static bool refuse_write(void *context, uint32_t wave, unsigned lane, struct wt_address addr,
                         const void *bytes, size_t size)
{
    return false;
}

/* A host program's file has no kernels in it: they are files that it uploads. */
static enum wt_status show_file(struct wt_process *p, const char *program, struct wt_error *err)
{
    p->target.context = p;
    p->services.read_memory = read_image;
    p->services.write_memory = refuse_write;
    return make_code(p, err);
}

static unsigned instruction_text(struct wt_process *p, uint64_t pc, const uint8_t *bytes,
                                 size_t available, char *text, size_t size)
{
    const struct vx_process_code *c = p->code;
    return available < 2
               ? 0
               : vx_disassemble_known(bytes, (unsigned)available, c->way->link.xlen,
                                      c->way->bundle.count ? pc & ~WT_VORTEX_GPU_BITS : pc, text,
                                      size);
}

const struct wt_process_ops wt_vortex_process = {.socket = VORTEX_WIRE_SOCKET,
                                                 .wire = VORTEX_WIRE_FAMILY,
                                                 .own_bytes = sizeof(struct wt_vortex_process),
                                                 .begin = begin,
                                                 .offer = offer,
                                                 .show_file = show_file,
                                                 .free_code = free_code,
                                                 .refresh = refresh,
                                                 .instruction_text = instruction_text,
                                                 .end = end};
