/* Addresses of programs that offer debug registers: "tcp:HOST:PORT", "unix:PATH". */
#ifndef WT_BUS_ADDRESS_H
#define WT_BUS_ADDRESS_H

#include <stdbool.h>

#include "base/error.h"

struct wt_address {
    bool local;     /**< a Unix socket, at `path` */
    char host[256]; /**< name or number; IPv6 without its brackets */
    char port[6];   /**< decimal, 1 to 65535 */
    char path[108];
    char text[300]; /**< as it is written, with "tcp:" or "unix:" in front; for messages */
};

/**
 * Parses "tcp:HOST:PORT", "tcp:[IPV6]:PORT", "unix:PATH", or the short forms "HOST:PORT", ":PORT"
 * and "PORT" (HOST left out: 127.0.0.1).
 */
enum wt_status wt_address_parse(const char *text, struct wt_address *address, struct wt_error *err);

/**
 * Connects, waiting no longer than @p timeout_ms for each of the addresses that a name stands for.
 * *fd is then non-blocking, and sends what is written at once (TCP_NODELAY).
 */
enum wt_status wt_address_connect(const struct wt_address *address, unsigned timeout_ms, int *fd,
                                  struct wt_error *err);

#endif
