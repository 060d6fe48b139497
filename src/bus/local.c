/* The local transport, and one-register helpers of every bus. */
#include "bus/bus.h"

#include <stdlib.h>

struct local_bus {
    struct wt_bus bus;
    struct wt_bus_device device;
};

static enum wt_status local_transact(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                                     struct wt_error *err)
{
    struct wt_bus_device *device = &((struct local_bus *)bus)->device;
    bus->round_trips++;
    for (size_t i = 0; i < count; i++) {
        if (ops[i].write)
            device->write(device->context, ops[i].addr, ops[i].value);
        else
            ops[i].value = device->read(device->context, ops[i].addr);
    }
    return WT_OK;
}

static void local_close(struct wt_bus *bus)
{
    free(bus);
}

static const struct wt_bus_ops local_ops = {
    .name = "local",
    .transact = local_transact,
    .close = local_close,
};

struct wt_bus *wt_bus_local(const struct wt_bus_device *device)
{
    struct local_bus *local = calloc(1, sizeof *local);
    if (!local)
        return NULL;
    local->bus.ops = &local_ops;
    local->device = *device;
    return &local->bus;
}

enum wt_status wt_bus_read(struct wt_bus *bus, uint16_t addr, uint32_t *value, struct wt_error *err)
{
    struct wt_bus_op op = {.addr = addr};
    enum wt_status status = wt_bus_transact(bus, &op, 1, err);
    *value = op.value;
    return status;
}

enum wt_status wt_bus_write(struct wt_bus *bus, uint16_t addr, uint32_t value, struct wt_error *err)
{
    struct wt_bus_op op = {.write = true, .addr = addr, .value = value};
    return wt_bus_transact(bus, &op, 1, err);
}
