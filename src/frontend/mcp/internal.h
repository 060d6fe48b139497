/* Declarations shared by the files of the Model Context Protocol's server. */
#ifndef WT_FRONTEND_MCP_INTERNAL_H
#define WT_FRONTEND_MCP_INTERNAL_H

#include "frontend/dap/json.h"
#include "frontend/mcp/mcp.h"

/** Codes of errors, of JSON-RPC and of the protocol. */
enum {
    MCP_NOT_JSON = -32700,
    MCP_NO_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_BAD_PARAMETERS = -32602,
    MCP_NO_RESOURCE = -32002,
};

struct mcp_text {
    char *at;
    size_t size, capacity;
};

struct wt_mcp {
    int in, out;
    struct wt_mcp_session session;
    struct mcp_text input; /* bytes that are no whole line yet */
    bool initialized, begun, ran;
    bool ended;                   /* nothing will come any more */
    bool cancelled;               /* the client does not want the answer under way */
    bool timed_out;               /* the time of the call under way is over: what ran was stopped */
    int64_t until;                /* wt_clock_ms() at which what runs is stopped; 0: never */
    struct json_object *queue;    /* requests that wait */
    struct json_object *id;       /* id of the request under way; NULL: none is */
    struct mcp_text output, said; /* the program's and the debugger's, since the last answer */
};

/** The answer to a request: a result, which the caller owns; or NULL with *code and *err. */
typedef struct json_object *mcp_method(struct wt_mcp *m, struct json_object *params, int *code,
                                       struct wt_error *err);

/* ---- answers.c ---- */
/** Appends to a text, whose end is a zero. Without host memory nothing is appended. */
void mcp_add(struct mcp_text *text, const char *more, size_t size);
/** Begins the session, if that has not been done. */
enum wt_status mcp_need_session(struct wt_mcp *m, struct wt_error *err);
/** Executes a command of the console, appends its text to @p out. The program may have run. */
enum wt_status mcp_command(struct wt_mcp *m, const char *line, struct mcp_text *out,
                           struct wt_error *err);
/** The place of the program, which the caller owns; NULL: not known. */
struct json_object *mcp_where(struct wt_mcp *m);
/** Appends in words where the program is. */
void mcp_say_where(struct json_object *where, struct mcp_text *out);
/**
 * The part of a text that page @p page (from 1) has; *pages: how many there are. The caller frees
 * it. NULL: there is no such page.
 */
char *mcp_page(const char *text, int64_t page, int64_t *pages);
/** The result of a call of a tool that has failed. */
struct json_object *mcp_failure(struct wt_mcp *m, const struct wt_error *err);
/** The result of a call: page @p page of @p text; members of @p more, which it takes over. */
struct json_object *mcp_result(struct wt_mcp *m, const char *tool, const char *text, int64_t page,
                               struct json_object *more);

/* ---- tools.c ---- */
mcp_method mcp_tools_list, mcp_tools_call;

/* ---- resources.c ---- */
mcp_method mcp_resources_list, mcp_resources_templates, mcp_resources_read;
/** The text of a source file of the program, which the caller frees; @p path may be the end of its
 * name, as from some slash on. */
enum wt_status mcp_source(struct wt_mcp *m, const char *path, char **name, char **text,
                          struct wt_error *err);

#endif
