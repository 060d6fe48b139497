/* Opens a register bus to a device elsewhere, by what its address begins with. */
#ifndef WT_BUS_OPEN_H
#define WT_BUS_OPEN_H

#include <stdbool.h>

#include "bus/bus.h"

struct wt_bus_open_options {
    unsigned timeout_ms; /**< the longest wait for the connection, and for each reply; 0: 5000 */
    bool hold;           /**< let a program that waits for a debugger to start it wait on */
};

/**
 * Connects to "tcp:HOST:PORT" or "unix:PATH" (the line protocol) or to "remote_bitbang:HOST:PORT"
 * (JTAG). What is short, ":PORT" for one, is TCP.
 */
enum wt_status wt_bus_open(const char *address, const struct wt_bus_open_options *options,
                           struct wt_bus **bus, struct wt_error *err);

#endif
