/*
 * The line protocol that carries debug registers over a socket, without the socket: one request and
 * one reply are one ASCII line each, ended by '\n'.
 *
 *   p                    +P          is there somebody?
 *   s                    +           lets a program start that waits for a debugger
 *   r0006                +0d000000   reads a register
 *   w0006:80000000       +           writes a register
 *   R0004,0005           +…,…        reads 1 to 8 registers, in order
 *   W0002,0003;…,…       +           writes 1 to 8 registers, in order; ':' separates, too
 *
 * A reply that begins with '-' says no. A connection whose first line is none of these is not a
 * debugger's, and is closed: a web page can send lines like these, but only behind those of HTTP.
 */
#ifndef WT_BUS_LINE_H
#define WT_BUS_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "bus/bus.h"

#define WT_LINE_BATCH 8 /**< registers that one line names at most */
#define WT_LINE_MAX 256 /**< bytes of the longest line that is understood, its '\n' included */

/* ---- the client's half ---- */

/** Which batch forms a server understands. */
struct wt_line_dialect {
    bool read;  /**< "R…" */
    char write; /**< the separator of "W…": ';', ':', or 0: it has no such form */
};

/** How many of @p ops (1 or more) one request line carries. */
size_t wt_line_span(const struct wt_line_dialect *dialect, const struct wt_bus_op *ops,
                    size_t count);

/** Writes the request line for that many, its '\n' included, and a 0. Returns its length. */
size_t wt_line_request(const struct wt_line_dialect *dialect, const struct wt_bus_op *ops,
                       size_t span, char text[WT_LINE_MAX]);

/**
 * Takes the reply line (without its '\n') to such a request: values that were read go to @p ops.
 * WT_UNSUPPORTED: the server said no. WT_IO: that is no reply to this request.
 */
enum wt_status wt_line_reply(struct wt_bus_op *ops, size_t span, const char *line, size_t length,
                             struct wt_error *err);

/** Puts a line that came from outside into a message: printable, and short. */
void wt_line_quote(const char *line, size_t length, char text[64]);

/* ---- the server's half ---- */

/** A server: the device that requests reach, and the connection's state. */
struct wt_line_server {
    struct wt_bus_device device;
    /** "s" has come; may be NULL. False: it cannot start, and is answered '-'. */
    bool (*start)(void *context);
    void *context;
    /* Of the connection. */
    char line[WT_LINE_MAX];
    size_t length;
    bool too_long; /**< what comes until the next '\n' belongs to a line that is not kept */
    bool begun;    /**< its first line was a request */
    bool foreign;  /**< its first line was none: it speaks another protocol, and nothing is done */
};

/** A new connection: forgets what the last one left unfinished. */
void wt_line_server_begin(struct wt_line_server *server);

/** The answer to the first request of a client that cannot be served now. */
#define WT_LINE_REFUSAL "-another client is connected\n"

/**
 * Takes bytes that came and writes replies to @p out, as long as there is room in it for one more
 * (WT_LINE_MAX). Returns how many bytes it took; *sent: how many it wrote.
 */
size_t wt_line_server_feed(struct wt_line_server *server, const char *bytes, size_t size, char *out,
                           size_t room, size_t *sent);

#endif
