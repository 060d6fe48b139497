/*
 * The server for GDB's remote serial protocol: stock GDB and LLDB talk to a debugger through it.
 * One client at a time, over TCP, a Unix socket or standard input and output.
 */
#ifndef WT_FRONTEND_RSP_RSP_H
#define WT_FRONTEND_RSP_RSP_H

#include <stdbool.h>
#include <stddef.h>

#include "debug/core/checks.h"
#include "debug/core/session.h"

/** When the server ends by itself. */
enum wt_rsp_until {
    WT_RSP_FOREVER,      /**< not at all: the next client may come */
    WT_RSP_CLIENT_LEFT,  /**< when the first client has left; if it detached, when the program that
                              it left running has ended */
    WT_RSP_PROGRAM_LEFT, /**< when a client has detached, has killed the program, or leaves after
                            its end; who was merely lost may come again */
};

struct wt_rsp_options {
    /**
     * Where to listen: ":PORT" or "PORT" (loopback), "HOST:PORT", "unix:PATH", "stdio". Port 0:
     * any free port.
     */
    const char *address;
    /** Clients of other users and machines are served, too. */
    bool any_client;
    /** The program's file, which clients may read; NULL if there is none. */
    const char *program;
    enum wt_rsp_until until;
    /** The device was running before: a client that leaves lets it go, rather than end its program.
     */
    bool attached;
    /** Clients may write files anywhere; else new ones in the working folder only. Who is connected
     * to standard input and output always may. */
    bool allow_files;
    /** Send what wt_rsp_server_output() gets to the client. */
    bool console_to_gdb;
    /**
     * A file descriptor that ends the server when it can be read (a signalfd, a pipe); -1: none.
     * Its content is not read.
     */
    int stop_fd;
    const struct wt_checks *checks; /**< checks of the program (debug/core/checks.h); NULL: none */
    /** Ends the program, which is a process that cannot be started again here, where a client kills
     * it. NULL: a client that comes, or runs it, gets the program from its beginning. */
    void (*kill)(void *context);
    /** Told what a person should know (a client came, was refused, …). May be NULL. */
    void (*log)(void *context, const char *text);
    void *context;
};

struct wt_rsp_server;

/** Sensible options: any free port of loopback, stays until it is stopped. */
struct wt_rsp_options wt_rsp_default_options(void);

/**
 * Listens, as a client of @p session. Both @p options' strings and the session must outlive the
 * server. Several servers may be clients of one session, each with an address of its own.
 */
enum wt_status wt_rsp_server_open(const struct wt_rsp_options *options, struct wt_session *session,
                                  struct wt_rsp_server **server, struct wt_error *err);

/**
 * Where it listens, as GDB wants it after `target remote`: "127.0.0.1:3333", "/tmp/socket"; "-" for
 * standard input and output.
 */
const char *wt_rsp_server_address(const struct wt_rsp_server *server);

/** Runs the session until there is a reason to end (options). Serves all of its clients. */
enum wt_status wt_rsp_server_run(struct wt_rsp_server *server, struct wt_error *err);

/**
 * Text that the program printed, for the client. False when it is not for it:
 * options.console_to_gdb is off, nobody is connected, or the client has chosen non-stop mode, where
 * the protocol has no place for it. May be called from within wt_rsp_server_run(), by what the
 * debugger's target calls.
 */
bool wt_rsp_server_output(struct wt_rsp_server *server, const char *text, size_t length);

/**
 * Stops listening and closes the connection, so that a client does not wait for answers when the
 * session has ended. The server is not run again.
 */
void wt_rsp_server_hang_up(struct wt_rsp_server *server);

/** Stops listening, closes the connection, frees. A Unix socket's file is removed. */
void wt_rsp_server_close(struct wt_rsp_server *server);

#endif
