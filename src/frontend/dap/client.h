/* A client of a server of the Debug Adapter Protocol that waits for each answer: `wavetrap view`
 * and `wavetrap mcp` are clients of the session in a process of its own. */
#ifndef WT_FRONTEND_DAP_CLIENT_H
#define WT_FRONTEND_DAP_CLIENT_H

#include <json-c/json.h>

#include "frontend/dap/framing.h"

/** A client of a server of the Debug Adapter Protocol. */
struct wt_dap_client {
    int fd;
    struct dap_input input;
    int64_t seq;
    bool stopped, ended; /**< that is told already */
    /** Takes output of the program and the debugger. May be NULL. */
    void (*output)(void *context, const char *category, const char *text);
    /** Returns when `fd` can be read: the owner of the client does other things meanwhile, and may
     * send with wt_dap_client_post(). NULL: it does none. */
    void (*idle)(void *context, int fd);
    void *context;
};

/** Sends a message. WT_IO: the server is gone. */
enum wt_status wt_dap_client_send(struct wt_dap_client *client, const char *text, size_t size,
                                  struct wt_error *err);
/** Takes a message of the server: notes a stop and the end, and hands output on. The message is the
 * caller's; NULL: it is no JSON. */
struct json_object *wt_dap_client_take(struct wt_dap_client *client, const char *text,
                                       size_t length);
/**
 * Sends a request with @p arguments, which it takes over (NULL: none), and waits for the answer.
 * *body (NULL: of no interest) is the caller's. WT_INVALID: it is a failure, and *err has its text;
 * WT_IO: the server is gone. Events before it are dropped, but for output and a stop.
 */
enum wt_status wt_dap_ask(struct wt_dap_client *client, const char *command,
                          struct json_object *arguments, struct json_object **body,
                          struct wt_error *err);
/** Sends a request, and waits for nothing: its answer is dropped. Takes @p arguments over. */
enum wt_status wt_dap_client_post(struct wt_dap_client *client, const char *command,
                                  struct json_object *arguments, struct wt_error *err);
/** Waits for a stop; WT_STATE: the program has ended without one. */
enum wt_status wt_dap_client_wait(struct wt_dap_client *client, struct wt_error *err);
/** Begins a session: until the program has been started. @p request is "launch" or "attach". */
enum wt_status wt_dap_client_begin(struct wt_dap_client *client, const char *request,
                                   struct json_object *arguments, struct wt_error *err);

#endif
