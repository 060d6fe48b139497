/* The user's options for a device behind JTAG, and the limits of the chain. */
#ifndef WT_BUS_JTAG_OPTIONS_H
#define WT_BUS_JTAG_OPTIONS_H

#include <stdint.h>

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

#endif
