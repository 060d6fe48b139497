/* A device whose Debug Module has one of the mutations. See mutant.h. */
#include "mutant.h"

#include <stdio.h>
#include <stdlib.h>

#include "emulator/machine/machine.h"

static uint32_t mutant_read(struct mutant *m, unsigned addr)
{
    const struct mutation *how = m->mutation;
    if (how && how->read)
        return how->read(m, addr);
    const uint32_t value = vx_dm_read(m->device, addr);
    return how && how->reg == addr ? (value & ~how->zeros) | how->ones : value;
}

static void mutant_write(struct mutant *m, unsigned addr, uint32_t value)
{
    const struct mutation *how = m->mutation;
    if (how && how->write) {
        how->write(m, addr, value);
        return;
    }
    if (how && how->reg == addr)
        value = (value & ~how->ignored) | (vx_dm_read(m->device, addr) & how->ignored);
    vx_dm_write(m->device, addr, value);
}

static enum wt_status transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err)
{
    struct mutant *m = (struct mutant *)bus;
    bus->round_trips++;
    for (size_t i = 0; i < count; i++) {
        if (m->cut_at && ++m->accesses >= m->cut_at)
            return wt_fail(err, WT_IO, "the wire is cut");
        if (ops[i].write)
            mutant_write(m, ops[i].addr, ops[i].value);
        else
            ops[i].value = mutant_read(m, ops[i].addr);
    }
    return WT_OK;
}

static void close_bus(struct wt_bus *bus)
{
}

static enum wt_status reconnect(struct wt_bus *bus, struct wt_error *err)
{
    struct mutant *m = (struct mutant *)bus;
    if (m->dead)
        return wt_fail(err, WT_IO, "nobody is there");
    m->cut_at = 0;
    return WT_OK;
}

static const struct wt_bus_ops bus_ops = {
    .name = "mutant", .transact = transact, .close = close_bus, .reconnect = reconnect};

static enum wt_pump pump(void *context, uint64_t budget)
{
    struct mutant *m = context;
    struct wt_machine *machine = vx_machine(m->device);
    return machine->ops->run(machine, budget) == WT_RUN_BUDGET ? WT_PUMP_RAN : WT_PUMP_EVENT;
}

struct mutant *mutant_new(const char *gpu, const struct mutation *mutation)
{
    /* A program that counts in t0, for ever. */
    static const uint32_t program[] = {0x00128293, 0xffdff06f};
    struct vx_config config;
    struct wt_error err;
    struct mutant *m = calloc(1, sizeof *m);
    vx_config_default(&config);
    wt_schedule_parse("rr:1", &config.schedule, WT_IGNORED);
    if (wt_config_parse(&vx_config_table, &config, gpu, &err) ||
        vx_device_new(&config, &m->device, &err)) {
        fprintf(stderr, "mutant: %s\n", err.text);
        abort();
    }
    struct wt_segment segment = {.addr = 0x80000000,
                                 .size = sizeof program,
                                 .bytes = (uint8_t *)(uintptr_t)program,
                                 .length = sizeof program,
                                 .executable = true};
    const struct wt_image image = {.format = WT_IMAGE_RAW, .segment = &segment, .segments = 1};
    if (vx_device_load(m->device, &image, &err))
        abort();
    m->bus.ops = &bus_ops;
    m->mutation = mutation;
    m->services.pump = pump;
    m->link.bus = &m->bus;
    m->target = (struct wt_target){.link = &m->link, .services = &m->services, .context = m};
    return m;
}

void mutant_free(struct mutant *m)
{
    vx_device_free(m->device);
    free(m);
}
