/* The register bus over a socket: the client of the line protocol (bus/line.h). */
#ifndef WT_BUS_TCP_H
#define WT_BUS_TCP_H

#include <stdbool.h>

#include "base/hw_registers.h"
#include "bus/bus.h"

#define WT_BUS_TCP_TIMEOUT_MS 5000

struct wt_bus_tcp_options {
    /** How long to wait for the connection, and for each reply; 0: WT_BUS_TCP_TIMEOUT_MS. */
    unsigned timeout_ms;
    /** Send no "s" when connected: a program that waits for it does so until wt_bus_start(). */
    bool hold;
    /** One access a request, one request a round trip, whatever the server can do. */
    bool one_at_a_time;
    /** The device's registers by name, for messages; NULL: messages have no names. */
    const struct wt_hw_table *registers;
};

/** The requests that the server understands. */
struct wt_bus_tcp_traits {
    bool hello;       /**< "p" */
    bool batch_read;  /**< "R…" */
    bool batch_write; /**< "W…" */
    bool pipelined;   /**< requests may be sent before earlier ones are answered */
};

/**
 * Connects to "tcp:HOST:PORT" or "unix:PATH" and finds out what the server understands. Servers
 * that know no more than 'r' and 'w' are served so. @p options may be NULL.
 *
 * A reply that does not come in time fails the access, with a message that says which reply was
 * waited for. The next access waits for what is still owed, and where that does not come, or the
 * connection is lost, begins a new one. wt_bus_reconnect() does so at once.
 */
enum wt_status wt_bus_tcp_open(const char *address, const struct wt_bus_tcp_options *options,
                               struct wt_bus **bus, struct wt_error *err);

/** The requests that the server understands. Valid until the bus is closed. */
const struct wt_bus_tcp_traits *wt_bus_tcp_traits(const struct wt_bus *bus);

#endif
