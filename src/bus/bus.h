/*
 * The register bus: reads and writes of 32-bit debug registers, in batches. A debugger sees a GPU
 * through this and nothing else; what is on the other side may be an emulator in this process,
 * another program, or hardware.
 */
#ifndef WT_BUS_BUS_H
#define WT_BUS_BUS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/** One register access of a batch. */
struct wt_bus_op {
    bool write;
    uint16_t addr;  /**< word address */
    uint32_t value; /**< to write, or what was read */
};

struct wt_bus;

struct wt_bus_ops {
    const char *name;
    /** Does all @p count accesses in order, in as few round trips as the transport can. */
    enum wt_status (*transact)(struct wt_bus *bus, struct wt_bus_op *ops, size_t count,
                               struct wt_error *err);
    void (*close)(struct wt_bus *bus);
    /**
     * Begins a new connection in place of the present one, even of one that seems well. NULL: there
     * is nothing to connect.
     */
    enum wt_status (*reconnect)(struct wt_bus *bus, struct wt_error *err);
    /**
     * Lets a program begin that waits for its debugger, where the transport can say so and has not
     * said so on this connection. NULL: nothing waits.
     */
    enum wt_status (*start)(struct wt_bus *bus, struct wt_error *err);
};

/** A transport embeds this as its first member. */
struct wt_bus {
    const struct wt_bus_ops *ops;
    uint64_t round_trips; /**< transact calls that reached the other side, counted by transports */
};

/**
 * Makes @p count accesses in their order, with as few round trips as the transport can. On failure
 * it is unknown which of them were made.
 */
static inline enum wt_status wt_bus_transact(struct wt_bus *bus, struct wt_bus_op *ops,
                                             size_t count, struct wt_error *err)
{
    assert(bus && (ops || !count));
    return bus->ops->transact(bus, ops, count, err);
}

/** Reads one register. */
enum wt_status wt_bus_read(struct wt_bus *bus, uint16_t addr, uint32_t *value,
                           struct wt_error *err);

/** Writes one register. */
enum wt_status wt_bus_write(struct wt_bus *bus, uint16_t addr, uint32_t value,
                            struct wt_error *err);

/** Makes a new connection, with nothing under way; WT_OK where the transport needs none. */
static inline enum wt_status wt_bus_reconnect(struct wt_bus *bus, struct wt_error *err)
{
    return bus->ops->reconnect ? bus->ops->reconnect(bus, err) : WT_OK;
}

/** Lets a program begin that waits for its debugger; WT_OK where none does. */
static inline enum wt_status wt_bus_start(struct wt_bus *bus, struct wt_error *err)
{
    return bus->ops->start ? bus->ops->start(bus, err) : WT_OK;
}

/** Closes the connection and frees the bus. NULL is allowed. */
static inline void wt_bus_close(struct wt_bus *bus)
{
    if (bus)
        bus->ops->close(bus);
}

/** Debug registers in this process: the local transport calls these. */
struct wt_bus_device {
    void *context;
    uint32_t (*read)(void *context, uint32_t addr);
    void (*write)(void *context, uint32_t addr, uint32_t value);
};

/** A bus to a device in this process; NULL without host memory. Closing it leaves the device. */
struct wt_bus *wt_bus_local(const struct wt_bus_device *device);

#endif
