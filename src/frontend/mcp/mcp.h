/*
 * The server of the Model Context Protocol (revision 2025-11-25) over stdio: programs that look for
 * bugs call its tools. The session behind it is that of a server of the Debug Adapter Protocol.
 */
#ifndef WT_FRONTEND_MCP_MCP_H
#define WT_FRONTEND_MCP_MCP_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/error.h"

/** The session that the tools are for. The context is the first parameter of its functions. */
struct wt_mcp_session {
    /** Begins it; nothing runs yet. Called once, before the others. */
    enum wt_status (*begin)(void *context, struct wt_error *err);
    /** Sends a request, takes its arguments over, and waits for the answer, as wt_dap_ask(). */
    enum wt_status (*ask)(void *context, const char *command, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err);
    /** Forgets stops that were told, and waits for one, or for the program's end. */
    enum wt_status (*wait)(void *context, bool forget, struct wt_error *err);
    /** Asks for the end of what runs or searches. */
    void (*stop)(void *context);
    void *context;
    bool attaches;    /**< a core file, or a program that ran before: it is not run anew */
    bool may_write;   /**< tools may assign, and write core files */
    const char *docs; /**< folder of the pages; NULL: it is not there */
};

struct wt_mcp;

/** A server that reads at @p in and writes to @p out, which it does not own. NULL without host
 * memory. */
struct wt_mcp *wt_mcp_new(int in, int out, const struct wt_mcp_session *session);
/** Frees it. NULL is allowed. */
void wt_mcp_free(struct wt_mcp *mcp);
/** Serves until no request will come any more. */
void wt_mcp_serve(struct wt_mcp *mcp);
/** For the session while it waits: returns when @p fd can be read; what the client sends meanwhile
 * is taken. */
void wt_mcp_idle(struct wt_mcp *mcp, int fd);
/** Takes output of the program and of the debugger, by the category that its event has. */
void wt_mcp_output(struct wt_mcp *mcp, const char *category, const char *text);

#endif
