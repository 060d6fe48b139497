/* Opens a register bus to a device elsewhere, by what its address begins with. */
#ifndef WT_BUS_OPEN_H
#define WT_BUS_OPEN_H

#include <stdbool.h>

#include "base/hw_registers.h"
#include "bus/bus.h"

struct wt_bus_open_options {
    unsigned timeout_ms; /**< the longest wait for the connection, and for each reply; 0: 5000 */
    bool hold;           /**< let a program that waits for a debugger to start it wait on */
    /** The device's registers by name, for messages; NULL: messages have no names. */
    const struct wt_hw_table *registers;
    /* For JTAG: */
    bool jtag;           /**< the address is one of JTAG, whatever it begins with */
    unsigned jtag_tap;   /**< which TAP of a chain, 1 is next to TDO; 0: there is only one */
    const char *jtag_ir; /**< "5,4": lengths of their instruction registers; NULL: of one alone */
};

/** A remark for people on a device that was found. */
struct wt_bus_about {
    char text[256]; /**< "" if there is nothing to say */
};

/**
 * Connects to "tcp:HOST:PORT" or "unix:PATH" (the line protocol) or to "remote_bitbang:HOST:PORT"
 * (JTAG). What is short, ":PORT" for one, is TCP. @p about may be NULL.
 */
enum wt_status wt_bus_open(const char *address, const struct wt_bus_open_options *options,
                           struct wt_bus **bus, struct wt_bus_about *about, struct wt_error *err);

#endif
