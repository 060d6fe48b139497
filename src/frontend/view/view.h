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
#include "frontend/dap/client.h"

/** The page as HTML, which a recording (or "null") divides: see embed.py. */
extern const char wt_view_before[], wt_view_behind[];
extern const size_t wt_view_before_size, wt_view_behind_size;

/** Writes the page with a recording, the body of an answer to "wavetrap/recording", which it
 * changes. NULL: none. False: no host memory, and nothing is written. */
bool wt_view_write_page(FILE *out, struct json_object *recording);

/* ---- server.c ---- */

/**
 * Serves pages of a session that has begun, to whoever has the token (a part of their addresses),
 * until the session's server is gone or @p signal_fd can be read. Takes the client over.
 */
enum wt_status wt_view_serve(struct wt_listener *listener, struct wt_dap_client *client,
                             const char *token, int signal_fd, struct wt_error *err);

#endif
