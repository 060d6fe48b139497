/*
 * The JTAG transport of the register bus: debug registers behind a Debug Transport Module (RISC-V
 * Debug Specification 0.13), reached through a remote_bitbang server.
 */
#ifndef WT_BUS_JTAG_JTAG_H
#define WT_BUS_JTAG_JTAG_H

#include "bus/bus.h"

enum {
    WT_JTAG_TAPS = 16,    /**< TAPs of the longest chain */
    WT_JTAG_IR_MAX = 32,  /**< bits of the longest instruction register of one */
    WT_JTAG_IR_MIN = 5,   /**< bits that the instruction register of a DTM has at least */
    WT_JTAG_BATCH = 4096, /**< accesses that share a round trip, unless told otherwise */
};

struct wt_jtag_options {
    const char *address; /**< "remote_bitbang:HOST:PORT", "remote_bitbang:unix:PATH", or without
                              that prefix */
    int tap;             /**< which TAP of the chain, 0 is next to TDO; -1: the only one */
    uint8_t ir_bits[WT_JTAG_TAPS]; /**< length of each instruction register */
    unsigned ir_count;             /**< how many of them are given; 0: only for a chain of one */
    unsigned timeout_ms;           /**< longest wait for a reply */
    unsigned batch;                /**< accesses of a round trip; 0: WT_JTAG_BATCH */
};

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

/** What was found, for people: "IDCODE 0x15754001, …". Valid until the bus is closed. */
const char *wt_bus_jtag_about(const struct wt_bus *bus);

#endif
