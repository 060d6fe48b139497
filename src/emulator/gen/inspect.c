/* The debuggers' view of a thread: its registers, and memory as one of its channels sees it. */
#include "emulator/gen/internal.h"

#include <stdio.h>
#include <string.h>

#include "emulator/gen/gtt/gtt.h"
#include "emulator/machine/explain.h"

static struct gen_thread *thread_of(struct gen_device *d, uint32_t thread)
{
    return thread < d->machine.waves && d->thread[thread].active ? &d->thread[thread] : NULL;
}

bool gen_device_progress(const struct gen_device *device, unsigned walk,
                         struct gen_progress *progress)
{
    assert(walk < GEN_WALKS);
    const struct gen_running *k = &device->walk[walk];
    *progress = (struct gen_progress){.total = k->total, .begun = k->next, .done = k->done};
    return k->active;
}

/* ---- registers ---- */

#define VECTOR(name, number)                                                                       \
    {                                                                                              \
        name, number, 256, "vec256", NULL                                                          \
    }
#define TEN(prefix, first)                                                                         \
    VECTOR(prefix "0", first), VECTOR(prefix "1", (first) + 1), VECTOR(prefix "2", (first) + 2),   \
        VECTOR(prefix "3", (first) + 3), VECTOR(prefix "4", (first) + 4),                          \
        VECTOR(prefix "5", (first) + 5), VECTOR(prefix "6", (first) + 6),                          \
        VECTOR(prefix "7", (first) + 7), VECTOR(prefix "8", (first) + 8),                          \
        VECTOR(prefix "9", (first) + 9)

/* Names, numbers, widths and types of Intel's GDB. */
static const struct gen_register_row list[] = {
    TEN("r", 0),
    TEN("r1", 10),
    TEN("r2", 20),
    TEN("r3", 30),
    TEN("r4", 40),
    TEN("r5", 50),
    TEN("r6", 60),
    TEN("r7", 70),
    TEN("r8", 80),
    TEN("r9", 90),
    TEN("r10", 100),
    TEN("r11", 110),
    VECTOR("r120", 120),
    VECTOR("r121", 121),
    VECTOR("r122", 122),
    VECTOR("r123", 123),
    VECTOR("r124", 124),
    VECTOR("r125", 125),
    VECTOR("r126", 126),
    VECTOR("r127", 127),
    VECTOR("a0", GEN_REGISTER_A0),
    TEN("acc", GEN_REGISTER_ACC0),
    {"f0", GEN_REGISTER_F0, 32, "uint32", NULL},
    {"f1", GEN_REGISTER_F0 + 1, 32, "uint32", NULL},
    {"ce", GEN_REGISTER_CE, 32, "uint32", NULL},
    {"sp", GEN_REGISTER_SP, 128, "uint128", NULL},
    {"sr0", GEN_REGISTER_SR0, 128, "state_reg", NULL},
    {"cr0", GEN_REGISTER_CR0, 128, "control_reg", NULL},
    {"ip", GEN_REGISTER_IP, 32, "uint32", NULL},
    {"tdr", GEN_REGISTER_TDR, 128, "uint128", NULL},
    {"tm0", GEN_REGISTER_TM0, 128, "uint128", NULL},
    {"emask", GEN_REGISTER_EMASK, 32, "uint32", NULL},
    {"iemask", GEN_REGISTER_IEMASK, 32, "uint32", NULL},
};

const struct gen_register_row *gen_register_list(size_t *count)
{
    *count = sizeof list / sizeof list[0];
    return list;
}

bool gen_describe_register(struct wt_machine *m, unsigned number, struct wt_register_shape *reg)
{
    if (number == GEN_REGISTER_PC) {
        *reg = (struct wt_register_shape){.bytes = 8};
        return true;
    }
    if (number >= sizeof list / sizeof list[0])
        return false;
    assert(list[number].number == number);
    *reg = (struct wt_register_shape){.bytes = list[number].bits / 8u};
    return true;
}

bool gen_read_row(struct wt_machine *m, uint32_t wave, unsigned number, void *out)
{
    struct gen_device *d = (struct gen_device *)m;
    const struct gen_thread *t = thread_of(d, wave);
    struct wt_register_shape shape;
    assert(wave < m->waves);
    if (!t || !gen_describe_register(m, number, &shape))
        return false;
    const struct gen_registers *g = t->g;
    const uint32_t ip = (uint32_t)(t->pc - t->base);
    const uint64_t pc = t->pc, tm[2] = {m->time, 0};
    const void *from;
    if (number < GEN_REGISTER_A0)
        from = g->r + number * GEN_GRF_BYTES;
    else if (number - GEN_REGISTER_ACC0 < GEN_ACCS)
        from = g->acc[number - GEN_REGISTER_ACC0];
    else
        switch (number) {
        case GEN_REGISTER_A0:
            from = g->a0;
            break;
        case GEN_REGISTER_F0:
        case GEN_REGISTER_F0 + 1:
            from = &g->f[number - GEN_REGISTER_F0];
            break;
        case GEN_REGISTER_SP:
            from = g->sp;
            break;
        case GEN_REGISTER_SR0:
            from = g->sr;
            break;
        case GEN_REGISTER_CR0:
            from = g->cr;
            break;
        case GEN_REGISTER_IP:
            from = &ip;
            break;
        case GEN_REGISTER_TDR:
            from = g->tdr;
            break;
        case GEN_REGISTER_TM0:
            from = tm;
            break;
        case GEN_REGISTER_IEMASK:
            from = &t->dispatched;
            break;
        case GEN_REGISTER_PC:
            from = &pc;
            break;
        default: /* ce, emask: the channels that execute */
            from = &t->mask;
            break;
        }
    memcpy(out, from, shape.bytes);
    return true;
}

/* ---- memory as a channel sees it ---- */

/* Shared local memory of the thread's group; NULL where it has not so much. */
static uint8_t *local_memory(struct gen_device *d, uint32_t thread, uint64_t addr, size_t size)
{
    const struct gen_thread *t = thread_of(d, thread);
    const uint64_t offset = addr - GEN_SLM_APERTURE;
    if (!t || offset > t->group->local_size || size > t->group->local_size - offset)
        return NULL;
    return t->group->local + offset;
}

/* `size` bytes of a thread's own data, at addresses behind those of memory. */
static uint8_t *own_memory(struct gen_device *d, uint32_t thread, uint64_t addr, size_t size)
{
    const struct gen_thread *t = thread_of(d, thread);
    const uint64_t at = addr - GEN_FILE_APERTURE;
    if (addr < GEN_FILE_APERTURE)
        return local_memory(d, thread, addr, size);
    return t && at < GEN_REGISTER_FILE && size <= GEN_REGISTER_FILE - at ? t->g->r + at : NULL;
}

static bool is_saved(uint64_t addr)
{
    return addr >= GEN_SAVED_APERTURE && addr < GEN_FILE_APERTURE;
}

bool gen_read_memory(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr, void *out,
                     size_t size)
{
    struct gen_device *d = (struct gen_device *)m;
    if (addr < GEN_SLM_APERTURE)
        return gen_device_read(d, addr, out, size);
    if (is_saved(addr))
        return gen_saved_read(d, addr, out, size);
    const uint8_t *from = own_memory(d, wave, addr, size);
    if (from)
        memcpy(out, from, size);
    return from != NULL;
}

bool gen_write_memory(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                      const void *bytes, size_t size)
{
    struct gen_device *d = (struct gen_device *)m;
    if (addr < GEN_SLM_APERTURE)
        return gen_device_write(d, addr, bytes, size);
    if (is_saved(addr))
        return gen_saved_write(d, addr, bytes, size);
    uint8_t *to = own_memory(d, wave, addr, size);
    if (to)
        memcpy(to, bytes, size);
    return to != NULL;
}

/* ---- what becomes of an address ---- */

/* The entries of the page tables, and the page's place with the offset in it. */
static void explain_walk(struct wt_explanation *e, const struct wt_gtt_walk *walk)
{
    char name[sizeof e->term[0].name];
    for (unsigned i = 0; i < walk->level_count; i++) {
        const struct wt_gtt_level *l = &walk->level[i];
        snprintf(name, sizeof name, "%s 0x%x at 0x%llx", l->name, l->index,
                 (unsigned long long)l->at);
        wt_explanation_add(e, false, name, l->entry);
    }
    e->landing = walk->physical;
    e->where = "physical memory";
    if (!walk->mapped)
        return;
    wt_explanation_add(e, true, "the page that the last entry maps",
                       walk->physical & ~(walk->page_bytes - 1));
    wt_explanation_add(e, true, "the offset in that page", walk->physical & (walk->page_bytes - 1));
}

bool gen_explain(struct wt_machine *m, uint32_t wave, unsigned lane, uint64_t addr,
                 struct wt_explanation *e)
{
    struct gen_device *d = (struct gen_device *)m;
    const struct gen_thread *t = thread_of(d, wave);
    uint8_t bytes[4];
    *e = (struct wt_explanation){.space = "global (A64)", .where = "memory", .landing = addr};
    if (!t || lane >= GEN_CHANNELS)
        return false;
    const uint64_t offset = addr - GEN_SLM_APERTURE;
    if (offset < GEN_SLM_BYTES) {
        e->space = "shared local";
        e->where = "shared local memory of the group";
        e->has_aperture = true;
        e->first = GEN_SLM_APERTURE;
        e->last = GEN_SLM_APERTURE + GEN_SLM_BYTES - 1;
        wt_explanation_add(e, false, "bytes of shared local memory that the group has",
                           t->group->local_size);
        wt_explanation_add(e, true, "address - aperture", offset);
        e->landing = offset;
        e->usable = offset + 4 <= t->group->local_size;
        if (e->usable)
            e->contents = wt_load_le(t->group->local + offset, 4);
        return true;
    }
    struct wt_gtt_walk walk;
    const uint64_t canonical = addr & ((UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1);
    gen_walk_tables(d, canonical, &walk);
    explain_walk(e, &walk);
    e->last = UINT64_MAX;
    e->usable = walk.mapped && gen_device_read(d, canonical, bytes, sizeof bytes);
    if (e->usable)
        e->contents = wt_load_le(bytes, 4);
    return true;
}
