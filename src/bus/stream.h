/*
 * A server of bytes for bytes: a listening socket, one connection at a time, and a protocol that
 * turns what comes into what is answered. Carries debug registers for whoever connects.
 */
#ifndef WT_BUS_STREAM_H
#define WT_BUS_STREAM_H

#include <stddef.h>

#include "base/loop.h"
#include "base/error.h"

/** A protocol without its socket. */
struct wt_stream_protocol {
    void *context;
    /** A connection begins; forget what the last one left unfinished. */
    void (*begin)(void *context);
    /**
     * Takes bytes and writes the answer to @p out while there is room for it. Returns how many it
     * took; *sent: how many it wrote. What it leaves is given again when there is room.
     */
    size_t (*feed)(void *context, const char *bytes, size_t size, char *out, size_t room,
                   size_t *sent);
    /** The client has said goodbye: its connection is closed. NULL: none ever does. */
    bool (*goodbye)(void *context);
    /** The first bytes are of another protocol: nobody was a client. NULL: that cannot be told. */
    bool (*foreign)(void *context);
    /** The text that a second client gets before it is closed; NULL: nothing. */
    const char *refusal;
};

struct wt_stream_options {
    const char *address; /**< as wt_listen() takes it, but not "stdio" */
    bool any_client;     /**< clients of other users and machines are served, too */
    /** Told what a person should know. May be NULL. */
    void (*log)(void *context, const char *text);
    /** The client has left. May be NULL. */
    void (*left)(void *context);
    void *context;
};

struct wt_stream_server;

/** Listens, and serves from within wt_loop_run(). *protocol is copied; its context stays the
 * caller's. */
enum wt_status wt_stream_server_open(struct wt_loop *loop,
                                     const struct wt_stream_protocol *protocol,
                                     const struct wt_stream_options *options,
                                     struct wt_stream_server **server, struct wt_error *err);

/** Where it listens, as clients name it: "tcp:127.0.0.1:5555", "unix:/tmp/dm". */
const char *wt_stream_server_address(const struct wt_stream_server *server);

/** Closes the connection, stops listening, frees. A Unix socket's file is removed. */
void wt_stream_server_close(struct wt_stream_server *server);

#endif
