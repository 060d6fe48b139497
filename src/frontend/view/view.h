/*
 * The grid of lanes as a web page: a page of its own for a recorded run, and a server on loopback
 * for pages that show a session. The session is that of a server of the Debug Adapter Protocol at a
 * descriptor; pages are its clients.
 */
#ifndef WT_FRONTEND_VIEW_VIEW_H
#define WT_FRONTEND_VIEW_VIEW_H

#include <json-c/json.h>
#include <stdio.h>

#include "base/listen.h"
#include "frontend/dap/framing.h"

/** The page as HTML, which a recording (or "null") divides: see embed.py. */
extern const char wt_view_before[], wt_view_behind[];
extern const size_t wt_view_before_size, wt_view_behind_size;

/** Writes the page with a recording, the body of an answer to "wavetrap/recording". NULL: none. */
void wt_view_write_page(FILE *out, struct json_object *recording);

/* ---- client.c ---- */

/** A client of a server of the Debug Adapter Protocol. */
struct wt_view_client {
    int fd;
    struct dap_input input;
    int64_t seq;
    bool stopped, ended; /**< that is told already */
    /** Takes output of the program and the debugger. May be NULL. */
    void (*output)(const char *category, const char *text);
};

/** Sends a message. WT_IO: the server is gone. */
enum wt_status wt_view_send(struct wt_view_client *client, const char *text, size_t size,
                            struct wt_error *err);
/** Takes a message of the server: notes a stop and the end, and hands output on. The message is the
 * caller's; NULL: it is no JSON. */
struct json_object *wt_view_take(struct wt_view_client *client, const char *text, size_t length);
/**
 * Sends a request with @p arguments, which it takes over (NULL: none), and waits for the answer.
 * *body (NULL: of no interest) is the caller's. WT_INVALID: it is a failure, and *err has its text;
 * WT_IO: the server is gone. Events before it are dropped, but for output and a stop.
 */
enum wt_status wt_view_ask(struct wt_view_client *client, const char *command,
                           struct json_object *arguments, struct json_object **body,
                           struct wt_error *err);
/** Waits for a stop; WT_STATE: the program has ended without one. */
enum wt_status wt_view_wait(struct wt_view_client *client, struct wt_error *err);
/** Begins a session: until the program has been started. @p request is "launch" or "attach". */
enum wt_status wt_view_begin(struct wt_view_client *client, const char *request,
                             struct json_object *arguments, struct wt_error *err);

/* ---- server.c ---- */

/**
 * Serves pages of a session that has begun, to whoever has the token (a part of their addresses),
 * until the session's server is gone or @p signal_fd can be read. Takes the client over.
 */
enum wt_status wt_view_serve(struct wt_listener *listener, struct wt_view_client *client,
                             const char *token, int signal_fd, struct wt_error *err);

#endif
