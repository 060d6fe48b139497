/* Addresses to listen at: TCP ports, Unix sockets. */
#ifndef WT_RSP_LISTEN_H
#define WT_RSP_LISTEN_H

#include <stdbool.h>

#include "wavetrap/error.h"

struct wt_listener {
    int fd;            /**< non-blocking; -1: standard input and output */
    bool local;        /**< a Unix socket */
    bool exposed;      /**< other machines can reach it */
    char address[160]; /**< as GDB's `target remote` wants it; "-" for standard input and output */
};

/** Listens at ":PORT", "PORT", "HOST:PORT", "unix:PATH" or "stdio". */
enum wt_status wt_listen(const char *address, struct wt_listener *listener, struct wt_error *err);

/** Stops; the file of a Unix socket is removed. */
void wt_listener_close(struct wt_listener *listener);

#endif
