/*
 * The debugger's end of a remote_bitbang stream: sends what scans have been written and takes the
 * replies, both at once, so that neither side waits for the other with its buffers full.
 */
#ifndef WT_BUS_JTAG_CLIENT_H
#define WT_BUS_JTAG_CLIENT_H

#include "bus/address.h"
#include "bus/jtag/scan.h"

struct wt_bitbang {
    struct wt_address address;
    unsigned timeout_ms; /**< the longest wait for the next WT_BITBANG_PACE replies */
    int fd;              /**< -1: not connected */
};

/** The slowest server that is tolerated answers so many requests for TDO within the time limit. */
enum { WT_BITBANG_PACE = 64 };

/** Connects anew. */
enum wt_status wt_bitbang_connect(struct wt_bitbang *link, struct wt_error *err);

/** Says that it leaves, and closes. */
void wt_bitbang_close(struct wt_bitbang *link);

/**
 * Sends @p scan and waits for all its replies; tdo[i] is the i-th bit asked for. @p doing says in
 * messages what that is for. After a failure the stream is out of step, and closed.
 */
enum wt_status wt_bitbang_exchange(struct wt_bitbang *link, const struct wt_scan *scan,
                                   uint8_t *tdo, const char *doing, struct wt_error *err);

#endif
