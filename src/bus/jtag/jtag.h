/*
 * The JTAG transport of the register bus: debug registers behind a Debug Transport Module (RISC-V
 * Debug Specification 0.13), reached through a remote_bitbang server.
 */
#ifndef WT_BUS_JTAG_JTAG_H
#define WT_BUS_JTAG_JTAG_H

#include "bus/bus.h"
#include "bus/jtag/options.h"

/** One TAP, any batch, 5 s. */
struct wt_jtag_options wt_jtag_default_options(const char *address);

/** "5,4,5" to lengths of instruction registers, the TAP next to TDO first. */
enum wt_status wt_jtag_parse_ir(const char *text, struct wt_jtag_options *options,
                                struct wt_error *err);

/**
 * Connects, finds the TAPs and their DTM. When the connection is lost or out of step, the access
 * under way fails, with a message that says what was waited for, and the next one connects anew.
 */
enum wt_status wt_bus_jtag_open(const struct wt_jtag_options *options, struct wt_bus **bus,
                                struct wt_error *err);

/** A description of the device that was found, for people: "IDCODE 0x15754001, …". Valid until the
 * bus is closed. */
const char *wt_bus_jtag_about(const struct wt_bus *bus);

#endif
