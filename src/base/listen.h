/* Addresses to listen at: TCP ports, Unix sockets. */
#ifndef WT_BASE_LISTEN_H
#define WT_BASE_LISTEN_H

#include <stdbool.h>

#include "base/error.h"

/** Any free port that this machine alone reaches. */
#define WT_LISTEN_ANYWHERE "127.0.0.1:0"

struct wt_listener {
    int fd;            /**< non-blocking; -1: standard input and output */
    bool local;        /**< a Unix socket */
    bool exposed;      /**< other machines can reach it */
    bool any_client;   /**< wt_accept() takes clients of other users, too */
    char address[160]; /**< as GDB's `target remote` wants it; "-" for standard input and output */
};

/**
 * Listens at ":PORT", "PORT" (both: loopback), "HOST:PORT", "tcp:…" of these, "unix:PATH" or
 * "stdio". The file of a Unix socket is the owner's only (0600).
 */
enum wt_status wt_listen(const char *address, struct wt_listener *listener, struct wt_error *err);

/**
 * Likewise for a protocol without a password, whose clients can run code as this user: unless
 * @p any_client, an address that other machines reach is refused, and wt_accept() takes clients of
 * this user and of root only.
 */
enum wt_status wt_listen_without_password(const char *address, bool any_client,
                                          struct wt_listener *listener, struct wt_error *err);

/**
 * Takes a client that waits; @p flags as of accept4(). -1: there is none (why->text is ""), or it
 * was closed, since it is another user's or nothing says whose it is (@p why says so).
 */
int wt_accept(const struct wt_listener *listener, int flags, struct wt_error *why);

/** Stops; the file of a Unix socket is removed. */
void wt_listener_close(struct wt_listener *listener);

#endif
