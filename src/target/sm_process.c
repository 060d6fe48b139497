/*
 * Host programs on SMs, and the modules that they have loaded. A module of PTX is sent as its
 * texts, which are linked here as the program has linked them: to the same addresses. See
 * sm_process.h.
 */
#include "target/sm_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "debug/sm/process.h"
#include "emulator/sm/isa.h"
#include "emulator/sm/sm.h"
#include "target/sm_ptx.h"

/* A module of the process, and the debuggers' module for it. */
struct loaded {
    uint64_t id; /* of the process */
    wt_module_id module;
    struct wt_sm_ptx ptx; /* of PTX */
};

struct own {
    struct wt_sm_process *connection;
    struct loaded *loaded;
    size_t loaded_count, loaded_room;
};

static struct own *own(const struct wt_process *p)
{
    return p->own;
}

static enum wt_status add_texts(struct wt_process *p, const struct sm_wire_module *m,
                                struct wt_sm_ptx *ptx, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint32_t i = 0; i < m->texts && !status; i++) {
        char *text, name[48];
        size_t length;
        if ((status = wt_sm_process_text(own(p)->connection, m, i, &text, &length, err)) != WT_OK)
            return status;
        if (m->texts == 1)
            snprintf(name, sizeof name, "PTX module %llu", (unsigned long long)m->id);
        else
            snprintf(name, sizeof name, "PTX module %llu, object %u", (unsigned long long)m->id,
                     (unsigned)i);
        status = wt_sm_ptx_add(ptx, name, text, length, err);
        free(text);
    }
    return status;
}

static enum wt_status add_ptx(struct wt_process *p, const struct sm_wire_module *m,
                              struct loaded *loaded, struct wt_error *err)
{
    enum wt_status status;
    if ((status = add_texts(p, m, &loaded->ptx, err)) == WT_OK &&
        (status = wt_sm_ptx_link(&loaded->ptx, m->code, m->data, err)) == WT_OK)
        status = wt_sm_ptx_add_module(&loaded->ptx, p->modules, m->device, &loaded->module, err);
    if (status)
        wt_sm_ptx_free(&loaded->ptx);
    return status;
}

static enum wt_status add_cubin(struct wt_process *p, const struct sm_wire_module *m,
                                struct loaded *loaded, struct wt_error *err)
{
    char *bytes, name[48];
    size_t length;
    enum wt_status status = wt_sm_process_text(own(p)->connection, m, 0, &bytes, &length, err);
    if (status)
        return status;
    snprintf(name, sizeof name, "cubin %llu", (unsigned long long)m->id);
    status = wt_modules_add_bytes(p->modules, name, (const uint8_t *)bytes, length, m->code,
                                  m->device, &loaded->module, err);
    free(bytes);
    return status;
}

static enum wt_status add_module(struct wt_process *p, const struct sm_wire_module *m,
                                 struct wt_error *err)
{
    struct own *o = own(p);
    struct loaded *grown =
        wt_array_grow(o->loaded, &o->loaded_room, o->loaded_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    o->loaded = grown;
    struct loaded *loaded = &grown[o->loaded_count];
    *loaded = (struct loaded){.id = m->id};
    enum wt_status status = m->is_cubin ? add_cubin(p, m, loaded, err) : add_ptx(p, m, loaded, err);
    o->loaded_count += status == WT_OK;
    return status;
}

static bool is_listed(const struct sm_wire_module *list, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].id == id)
            return true;
    return false;
}

static bool is_known(const struct own *o, uint64_t id)
{
    for (size_t i = 0; i < o->loaded_count; i++)
        if (o->loaded[i].id == id)
            return true;
    return false;
}

static enum wt_status refresh(struct wt_process *p, struct wt_error *err)
{
    struct own *o = own(p);
    struct sm_wire_module *list;
    size_t count;
    enum wt_status status = wt_sm_process_modules(o->connection, &list, &count, err);
    if (status)
        return status;
    for (size_t i = 0; i < o->loaded_count; i++) {
        if (is_listed(list, count, o->loaded[i].id))
            continue;
        wt_modules_remove(p->modules, o->loaded[i].module);
        wt_sm_ptx_free(&o->loaded[i].ptx);
        o->loaded[i--] = o->loaded[--o->loaded_count];
    }
    /* A module that cannot be read, since it was unloaded meanwhile, is left out. */
    for (size_t i = 0; i < count && !status; i++)
        if (!is_known(o, list[i].id) && (status = add_module(p, &list[i], err)) == WT_INVALID)
            status = WT_OK;
    free(list);
    return status;
}

/* ---- operations ---- */

static enum wt_status connect_to(struct wt_process *p, int pid, struct wt_error *err)
{
    enum wt_status status;
    wt_modules_set_bundles(p->modules, SM_BUNDLE, 8);
    p->own = calloc(1, sizeof(struct own));
    if (!p->own)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a connection");
    if ((status = wt_sm_process_open(pid, &own(p)->connection, err)) != WT_OK)
        return status;
    p->target.link = wt_sm_process_link(own(p)->connection);
    p->target.context = own(p)->connection;
    return refresh(p, err);
}

/* PTX has its text in its module; machine code is decoded. */
static unsigned instruction_text(struct wt_process *p, uint64_t pc, const uint8_t *bytes,
                                 size_t available, char *text, size_t size)
{
    const struct own *o = own(p);
    if (available < 8)
        return 0;
    if (sm_is_control(pc)) {
        snprintf(text, size, "(control)");
        return 8;
    }
    const uint64_t word = wt_load_le(bytes, 8);
    bool found = false;
    for (size_t i = 0; o && i < o->loaded_count && !found; i++)
        found = o->loaded[i].ptx.image &&
                sm_ptx_instruction_text(o->loaded[i].ptx.image, pc, word, text, size);
    if (!found)
        sm_disassemble(word, pc, 0, text, size);
    return (unsigned)(sm_next_pc(pc) - pc);
}

static void disconnect(struct wt_process *p)
{
    if (!p->own)
        return;
    wt_sm_process_close(own(p)->connection);
    for (size_t i = 0; i < own(p)->loaded_count; i++)
        wt_sm_ptx_free(&own(p)->loaded[i].ptx);
    free(own(p)->loaded);
    free(p->own);
}

/* ---- no program ---- */

static enum wt_status no_launch(void *context, struct wt_sm_launch *launch, struct wt_error *err)
{
    (void)context, (void)err;
    *launch = (struct wt_sm_launch){.number = 0};
    return WT_OK;
}

static enum wt_status nothing(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "the program is not being run");
}

static enum wt_status no_warp(void *context, uint32_t warp, struct wt_sm_warp *out,
                              struct wt_error *err)
{
    (void)context, (void)warp, (void)out;
    return nothing(err);
}

static enum wt_status no_row(void *context, uint32_t warp, unsigned number, void *row,
                             struct wt_error *err)
{
    (void)context, (void)warp, (void)number, (void)row;
    return nothing(err);
}

static enum wt_status no_write_row(void *context, uint32_t warp, unsigned number, uint32_t lanes,
                                   const void *row, struct wt_error *err)
{
    (void)context, (void)warp, (void)number, (void)lanes, (void)row;
    return nothing(err);
}

static enum wt_status no_file(void *context, uint32_t warp, uint64_t offset, void *out, size_t size,
                              struct wt_error *err)
{
    (void)context, (void)warp, (void)offset, (void)out, (void)size;
    return nothing(err);
}

static enum wt_status no_memory(uint64_t addr, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "no memory is at 0x%llx: the program is not being run",
                   (unsigned long long)addr);
}

static enum wt_status no_read(void *context, uint32_t warp, unsigned lane, uint64_t addr, void *out,
                              size_t size, struct wt_error *err)
{
    (void)context, (void)warp, (void)lane, (void)out, (void)size;
    return no_memory(addr, err);
}

static enum wt_status no_write(void *context, uint32_t warp, unsigned lane, uint64_t addr,
                               const void *bytes, size_t size, struct wt_error *err)
{
    (void)context, (void)warp, (void)lane, (void)bytes, (void)size;
    return no_memory(addr, err);
}

static enum wt_status no_bank(void *context, unsigned bank, uint64_t *addr, uint32_t *size,
                              struct wt_error *err)
{
    (void)context, (void)bank, (void)addr, (void)size;
    return nothing(err);
}

static enum wt_status no_local(void *context, uint32_t warp, unsigned lane, uint64_t *addr,
                               uint32_t *size, struct wt_error *err)
{
    (void)context, (void)warp, (void)lane, (void)addr, (void)size;
    return nothing(err);
}

static enum wt_status no_wait(void *context, struct wt_error *err)
{
    (void)context, (void)err;
    return WT_OK;
}

static bool never_ended(void *context, uint32_t *status, char *text, size_t size)
{
    (void)context, (void)status, (void)text, (void)size;
    return false;
}

/* An idle SM: it is locked down as soon as this is requested. */
static enum wt_status no_registers(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                                   struct wt_error *err)
{
    enum { STATUS0 = 0x60c / 4, LOCKED_DOWN = 1 << 4 };
    (void)bus, (void)err;
    for (size_t i = 0; i < count; i++)
        if (!ops[i].write)
            ops[i].value = (ops[i].addr & 0x1ff) == STATUS0 ? LOCKED_DOWN : 0;
    return WT_OK;
}

static enum wt_status connect_none(struct wt_process *p, const char *program, struct wt_error *err)
{
    (void)program, (void)err; /* the code that it will load is data of the program */
    static const struct wt_sm_link_ops ops = {.launch = no_launch,
                                              .warp = no_warp,
                                              .read_row = no_row,
                                              .write_row = no_write_row,
                                              .read_file = no_file,
                                              .read = no_read,
                                              .write = no_write,
                                              .bank = no_bank,
                                              .local = no_local,
                                              .wait = no_wait,
                                              .ended = never_ended};
    static const struct wt_bus_ops bus_ops = {.name = "none", .transact = no_registers};
    static const unsigned one = 1;
    static struct wt_bus bus = {.ops = &bus_ops};
    static struct wt_bus *const buses[] = {&bus};
    static const struct wt_sm_link link = {.bus = buses,
                                           .ops = &ops,
                                           .gpus = 1,
                                           .sms = &one,
                                           .shared_window = SM_SHARED_WINDOW,
                                           .local_window = SM_LOCAL_WINDOW};
    p->target.link = &link;
    return WT_OK;
}

const struct wt_process_ops wt_sm_process_ops = {.reachable = wt_sm_process_reachable,
                                                 .each = wt_sm_processes,
                                                 .connect = connect_to,
                                                 .connect_none = connect_none,
                                                 .refresh = refresh,
                                                 .instruction_text = instruction_text,
                                                 .disconnect = disconnect};
