/*
 * A chain of TAPs behind a remote_bitbang server: finds them, and scans the registers of one of
 * them while the others are in BYPASS. Every exchange ends with a known pattern that went through
 * the whole chain, so that a link that answers nonsense is noticed.
 */
#ifndef WT_BUS_JTAG_CHAIN_H
#define WT_BUS_JTAG_CHAIN_H

#include "bus/jtag/client.h"
#include "bus/jtag/options.h"

struct wt_jtag_chain {
    struct wt_bitbang link;
    struct wt_scan scan;
    unsigned taps;
    uint32_t idcode[WT_JTAG_TAPS]; /**< 0: it has none */
    unsigned ir_total;
    uint8_t ir_bits[WT_JTAG_TAPS];
    unsigned tap; /**< the one that scans mean */
    uint8_t *tdo; /**< replies of the last exchange */
    size_t tdo_capacity;
};

/** Finds the TAPs and their instruction registers, and chooses one. All end in BYPASS. */
enum wt_status wt_jtag_find(struct wt_jtag_chain *chain, const struct wt_jtag_options *options,
                            struct wt_error *err);

/** Adds to chain->scan: the TAP's instruction register becomes @p ir; then Update-IR. */
void wt_jtag_put_ir(struct wt_jtag_chain *chain, uint32_t ir);

/**
 * Adds a scan of the selected data register, @p bits long; then Update-DR. TDO is asked for at the
 * bits set in @p want. @p check: the scan also sends the pattern that wt_jtag_exchange() looks for,
 * and must be the last one.
 */
void wt_jtag_put_dr(struct wt_jtag_chain *chain, wt_scan_bits tdi, unsigned bits, wt_scan_bits want,
                    bool check);

/**
 * Sends chain->scan, whose last scan had the check pattern, and takes the replies to chain->tdo.
 * The next chain->scan begins empty, in Run-Test/Idle.
 */
enum wt_status wt_jtag_exchange(struct wt_jtag_chain *chain, const char *doing,
                                struct wt_error *err);

/** Closes the connection, and frees what the chain holds; @p chain itself is the caller's. */
void wt_jtag_chain_free(struct wt_jtag_chain *chain);

/** Longest data register that can be scanned, with bypass bits and check pattern beside it. */
enum { WT_JTAG_DR_MAX = WT_SCAN_BITS_MAX - WT_JTAG_TAPS - 8 };

#endif
