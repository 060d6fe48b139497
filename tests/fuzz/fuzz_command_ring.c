/*
 * Fuzz target: the command processor behind libvortex-wavetrap.so. The input is a list of accesses
 * of its registers and of lines for the ring, which lies in a small memory. Whatever comes, no
 * address leaves the two memories, and a queue that stops says why and stays stopped until it is
 * reset.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "runtime/vortex/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HOST = 0x100000,
    HOST_BYTES = 0x1000,
    DEVICE_BYTES = 0x2000,
    RING = HOST,
    PLACE = HOST + 0xf00
};

struct machine {
    uint8_t host[HOST_BYTES], device[DEVICE_BYTES];
    unsigned runs; /* that the launch still wants */
    bool started, faults;
    uint64_t notes;
};

/* As the plug-in finds it. */
static uint8_t *at(struct machine *m, uint64_t addr, uint64_t size, struct wt_error *err)
{
    strcpy(err->text, "no memory");
    if (addr >= HOST && addr - HOST < HOST_BYTES)
        return size <= HOST_BYTES - (addr - HOST) ? m->host + (addr - HOST) : NULL;
    return addr < DEVICE_BYTES && size <= DEVICE_BYTES - addr ? m->device + addr : NULL;
}

static bool read_memory(void *context, uint64_t addr, void *to, uint64_t size, struct wt_error *err)
{
    const uint8_t *from = at(context, addr, size, err);
    if (from)
        memcpy(to, from, size);
    return from;
}

static bool write_memory(void *context, uint64_t addr, const void *from, uint64_t size,
                         struct wt_error *err)
{
    uint8_t *to = at(context, addr, size, err);
    if (to)
        memcpy(to, from, size);
    return to;
}

static bool copy(void *context, uint64_t to, uint64_t from, uint64_t size, struct wt_error *err)
{
    uint8_t *target = at(context, to, size, err), *source = at(context, from, size, err);
    if (target && source)
        memmove(target, source, size);
    return target && source;
}

static bool write_dcr(void *context, uint32_t addr, uint32_t value)
{
    struct machine *m = context;
    if (addr >= 0x1000)
        abort();
    m->faults = addr == 0x12 ? value & 1 : m->faults;
    return addr < 0x24;
}

static bool read_dcr(void *context, uint32_t addr, uint32_t tag, uint32_t *value)
{
    if (addr >= 0x1000)
        abort();
    *value = tag;
    return addr < 0x24;
}

static void begin(void *context)
{
    struct machine *m = context;
    if (m->started)
        abort(); /* the one before has not ended */
    m->started = true;
    m->runs = 2;
}

static enum command_result run(void *context, struct wt_error *err)
{
    struct machine *m = context;
    if (!m->started)
        abort();
    if (m->runs && m->runs--)
        return COMMAND_WAITS;
    m->started = false;
    strcpy(err->text, "a fault");
    return m->faults ? COMMAND_FAULT : COMMAND_DONE;
}

static void abandon(void *context)
{
    ((struct machine *)context)->started = false;
}

static uint64_t cycle(void *context)
{
    return ((struct machine *)context)->notes;
}

static void note(void *context, const char *name, const char *text)
{
    if (!*name || !strstr(text, name))
        abort();
    ((struct machine *)context)->notes++;
}

static const struct command_target target = {
    read_memory, write_memory, copy, write_dcr, read_dcr, begin, run, abandon, cycle, note};

static void check(const struct command_processor *p, enum command_result result,
                  const struct wt_error *err)
{
    if ((result == COMMAND_REFUSED && !err->text[0]) || result == COMMAND_WAITS)
        abort();
    if (p->offset > COMMAND_LINE || p->head % COMMAND_LINE || p->tail % COMMAND_LINE ||
        p->head > p->tail || p->tail - p->head > UINT64_C(1) << 16)
        abort();
    if (p->error && p->error != COMMAND_REFUSED && p->error != COMMAND_FAULT)
        abort();
}

/* As a driver leaves it. */
static void set_up(struct command_processor *p)
{
    const uint32_t first[][2] = {{0x100, RING}, {0x108, PLACE}, {0x110, PLACE + 8},
                                 {0x118, 9},    {0x11c, 1},     {0, 1}};
    struct wt_error err;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (command_register_write(p, first[i][0], first[i][1], &err))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RECORD = 7 };
    struct machine m = {.runs = 0};
    struct command_processor p = {
        .target = &target, .context = &m, .device_caps = 0x1234, .isa_caps = 0x5678, .cores = 2};
    command_reset(&p);
    set_up(&p);
    while (size >= RECORD) {
        struct wt_error err = {.text = ""};
        const uint32_t offset = (uint32_t)wt_load_le(data + 1, 2);
        uint32_t value = (uint32_t)wt_load_le(data + 3, 4);
        const uint8_t what = data[0] & 3;
        const uint32_t stopped = p.error;
        data += RECORD;
        size -= RECORD;
        if (what == 0) {
            check(&p, command_register_write(&p, offset, value, &err), &err);
        } else if (what == 1) {
            check(&p, command_register_read(&p, offset, &value, &err), &err);
        } else if (what == 2 && size >= COMMAND_LINE) { /* a line, and the bell */
            memcpy(m.host + p.tail % 512, data, COMMAND_LINE);
            data += COMMAND_LINE;
            size -= COMMAND_LINE;
            check(&p, command_register_write(&p, 0x120, (uint32_t)p.tail + COMMAND_LINE, &err),
                  &err);
            check(&p, command_register_write(&p, 0x124, (uint32_t)(p.tail >> 32), &err), &err);
        } else { /* bytes of the host's memory */
            memcpy(m.host + offset % (HOST_BYTES - 4), &value, 4);
        }
        const bool reset = what == 0 && (offset == 0 || offset == 0x11c) && value & 2;
        if (stopped && !reset && p.error != stopped)
            abort();
    }
    return 0;
}
