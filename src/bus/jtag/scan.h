/*
 * Scans, written as a remote_bitbang stream: many go into one buffer, which is then sent as one
 * piece. The replies come in the order in which bits were asked for.
 */
#ifndef WT_BUS_JTAG_SCAN_H
#define WT_BUS_JTAG_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bus/jtag/tap.h"

/** Bits of one shift, the first one lowest. */
__extension__ typedef unsigned __int128 wt_scan_bits;
enum { WT_SCAN_BITS_MAX = 128 };

struct wt_scan {
    uint8_t *out;
    size_t length, capacity;
    size_t reads;            /**< bits of TDO asked for */
    enum wt_tap_state state; /**< where the TAPs are when all this has been sent */
    bool full;               /**< host memory ran out: the buffer is not to be sent */
};

/** Empties the buffer; the state stays. */
void wt_scan_clear(struct wt_scan *scan);
/** Frees what the scan holds; @p scan itself is the caller's. */
void wt_scan_free(struct wt_scan *scan);

/** From any state to Test-Logic-Reset. */
void wt_scan_reset(struct wt_scan *scan);
/** The shortest way to a state. */
void wt_scan_go(struct wt_scan *scan, enum wt_tap_state state);
/** To Run-Test/Idle, and @p clocks there (0: does not enter it unless it is on the way). */
void wt_scan_idle(struct wt_scan *scan, unsigned clocks);

/**
 * In Shift-IR or Shift-DR: shifts the low @p count bits of @p tdi, lowest first, and
 * asks for TDO at those that are set in @p want. @p last leaves the state at the last one.
 */
void wt_scan_shift(struct wt_scan *scan, wt_scan_bits tdi, unsigned count, wt_scan_bits want,
                   bool last);

/** Lets TCK fall: the update of the last scan happens at that edge. The end of what is sent. */
void wt_scan_end(struct wt_scan *scan);

#endif
