/*
 * Parsing of packets: which command a packet is, and what its arguments are. A command is a row of
 * a table: name, schema of its arguments, handler. The name is matched as a prefix, so that a row
 * whose name is longer comes before one whose name begins alike.
 *
 * A schema is text in which these stand for arguments, and anything else for itself:
 *   %x  a hex number of at most 64 bits
 *   %t  a thread-id (GDB manual, E.2 "Packets": "p1.2", "-1", …)
 *   %s  text up to what follows in the schema (the first byte of it), or to the end of the packet
 *   %b  all the rest, binary
 *   [   what follows, to the end of the schema, may be missing altogether; arguments of an optional
 *       part that is missing are not counted
 */
#ifndef WT_FRONTEND_RSP_COMMAND_H
#define WT_FRONTEND_RSP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_RSP_MAX_ARGS 6

/** A thread-id: 0 is "any", -1 is "all". */
struct wt_rsp_thread_id {
    bool has_process;
    int64_t process, thread;
};

struct wt_rsp_arg {
    uint64_t number;
    struct wt_rsp_thread_id id;
    const char *text;
    size_t length;
};

struct wt_rsp_args {
    struct wt_rsp_arg arg[WT_RSP_MAX_ARGS];
    unsigned count;
};

struct wt_rsp_session;

struct wt_rsp_command {
    const char *name;
    const char *schema;
    void (*handle)(struct wt_rsp_session *session, const struct wt_rsp_args *args);
    unsigned flags;
};

enum {
    /** An error reply may be "E.text" even for clients that did not ask for it: GDB 13 shows the
     * text, where for other packets it would take it for data. */
    WT_RSP_TEXT_ERRORS = 1,
    /** It changes nothing: a write that is held back (call.c) stays held. */
    WT_RSP_READS = 2,
};

/** The command that a packet is, or NULL. *rest is what follows the name. */
const struct wt_rsp_command *wt_rsp_find(const struct wt_rsp_command *table, size_t count,
                                         const char *data, size_t length, const char **rest);

/** Takes the arguments of a packet apart; false if they do not fit the schema. */
bool wt_rsp_parse(const char *schema, const char *text, size_t length, struct wt_rsp_args *args);

/** Reads a hex number at *text (before @p end) and moves *text past it; false if there is none. */
bool wt_rsp_parse_number(const char **text, const char *end, uint64_t *number);

/** Likewise for a thread-id. */
bool wt_rsp_parse_thread(const char **text, const char *end, struct wt_rsp_thread_id *id);

#endif
