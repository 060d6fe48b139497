/* Z and z: breakpoints, with conditions and commands that are evaluated beside the device. */
#include "frontend/rsp/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/rsp/hex.h"

/* Limit on conditions at one place, more than users set; each is a breakpoint of the client's. */
#define MOST_EXPRESSIONS 256

struct expressions {
    struct wt_expr *expr[MOST_EXPRESSIONS];
    size_t count;
};

static void free_expressions(struct expressions *list)
{
    while (list->count)
        wt_expr_free(list->expr[--list->count]);
}

static enum wt_status malformed(const char *what, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "%s is malformed", what);
}

enum wt_status wt_rsp_compile(struct wt_rsp_session *s, const uint8_t *bytes, size_t length,
                              struct wt_expr **expr, int *missing, struct wt_error *err)
{
    const struct wt_agent_registers registers = {s->register_by_number, s->register_numbers};
    return wt_agent_compile(bytes, length, &registers, expr, missing, err);
}

/* Decodes all "X LENGTH,DIGITS" in place. */
static enum wt_status parse_expressions(struct wt_rsp_session *s, const char **at, const char *end,
                                        const char *what, struct expressions *list,
                                        struct wt_error *err)
{
    while (*at < end && **at == 'X') {
        uint64_t length;
        ++*at;
        if (!wt_rsp_parse_number(at, end, &length) || *at == end || *(*at)++ != ',')
            return malformed(what, err);
        if (length > (uint64_t)(end - *at) / 2 || list->count == MOST_EXPRESSIONS)
            return malformed(what, err);
        uint8_t *bytes = (uint8_t *)(uintptr_t)*at;
        if (wt_hex_decode(bytes, *at, (size_t)length) != length)
            return malformed(what, err);
        enum wt_status status =
            wt_rsp_compile(s, bytes, (size_t)length, &list->expr[list->count], NULL, err);
        if (status)
            return status;
        list->count++;
        *at += 2 * length;
    }
    return WT_OK;
}

/* Parses the rest of "Z0,addr,kind;": conditions and "cmds:PERSIST,…", separated by semicolons. */
static enum wt_status parse_details(struct wt_rsp_session *s, const struct wt_rsp_arg *text,
                                    struct expressions *conditions, struct expressions *commands,
                                    bool *persist, struct wt_error *err)
{
    const char *at = text->text, *end = at + text->length;
    enum wt_status status = WT_OK;
    while (at < end && !status) {
        uint64_t flag;
        if (*at == ';') {
            at++;
        } else if (*at == 'X') {
            status = parse_expressions(s, &at, end, "a condition", conditions, err);
        } else if (end - at > 5 && memcmp(at, "cmds:", 5) == 0) {
            at += 5;
            if (!wt_rsp_parse_number(&at, end, &flag) || at == end || *at++ != ',')
                return malformed("a list of commands", err);
            *persist |= flag != 0;
            status = parse_expressions(s, &at, end, "a command", commands, err);
        } else {
            return malformed("the text after a breakpoint's kind", err);
        }
    }
    return status;
}

static struct wt_rsp_breakpoint *find(struct wt_rsp_session *s, uint64_t addr, unsigned type)
{
    for (size_t i = 0; i < s->breakpoint_count; i++)
        if (s->breakpoints[i].addr == addr && s->breakpoints[i].type == type)
            return &s->breakpoints[i];
    return NULL;
}

/*
 * Whether a breakpoint that is inserted now is internal to the client, rather than the user's. User
 * breakpoints are inserted when the program is resumed from a stop that was reported to the user,
 * except for one at the current instruction: that one follows after a step off it.
 */
static bool is_internal(struct wt_rsp_session *s, uint64_t addr)
{
    const size_t most = sizeof s->asked_for / sizeof *s->asked_for;
    for (size_t i = 0; i < s->asked_for_count && i < most; i++)
        if (s->asked_for[i] == addr)
            return false;
    if (!s->seen && addr != s->seen_pc)
        return true;
    s->asked_for[s->asked_for_count++ % most] = addr;
    return false;
}

static struct wt_rsp_breakpoint *remember(struct wt_rsp_session *s, uint64_t addr, unsigned type)
{
    struct wt_rsp_breakpoint *b = find(s, addr, type);
    if (b)
        return b;
    b = wt_array_grow(s->breakpoints, &s->breakpoint_capacity, s->breakpoint_count + 1, sizeof *b);
    if (!b)
        return NULL;
    s->breakpoints = b;
    b = &s->breakpoints[s->breakpoint_count++];
    *b = (struct wt_rsp_breakpoint){.addr = addr, .type = type, .internal = is_internal(s, addr)};
    return b;
}

static void forget(struct wt_rsp_session *s, struct wt_rsp_breakpoint *b)
{
    *b = s->breakpoints[--s->breakpoint_count];
}

static void insert(struct wt_rsp_session *s, unsigned type, uint64_t addr,
                   const struct expressions *conditions, const struct expressions *commands,
                   bool persist)
{
    /* A software and a hardware breakpoint of the client's at one place are one breakpoint here. It
     * must stop whenever one of them would; the client checks the conditions again anyway. */
    const bool shared = find(s, addr, !type);
    struct wt_error err = {0};
    struct wt_rsp_breakpoint *b = remember(s, addr, type);
    if (!b) {
        wt_rsp_refuse(s, WT_NO_MEMORY, "out of memory");
        return;
    }
    if (wt_debugger_insert_breakpoint_of(s->debugger, wt_client_number(s->client), addr,
                                         conditions->expr, shared ? 0 : conditions->count,
                                         commands->expr, shared ? 0 : commands->count, &err)) {
        forget(s, b);
        wt_rsp_error(s, &err);
        return;
    }
    wt_rsp_follow_insert(s, addr);
    wt_rsp_note_way(s, addr);
    b->persist = persist;
    b->evaluated = !shared && (conditions->count || commands->count);
    wt_rsp_ok(s);
}

void wt_rsp_insert(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const uint64_t type = args->arg[0].number;
    const uint64_t addr = wt_debugger_address(s->debugger, args->arg[1].number).offset;
    if (type >= 2 && type <= 4)
        wt_rsp_watch(s, args, true);
    if (type > 1)
        return; /* an empty reply: there is no such type */
    struct expressions conditions = {.count = 0}, commands = {.count = 0};
    struct wt_error err = {0};
    bool persist = false;
    if (args->count > 3 && parse_details(s, &args->arg[3], &conditions, &commands, &persist, &err))
        wt_rsp_refuse(s, err.status, "Z%u: %s", (unsigned)type, err.text);
    else
        insert(s, (unsigned)type, addr, &conditions, &commands, persist);
    free_expressions(&conditions);
    free_expressions(&commands);
}

void wt_rsp_remove(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    const uint64_t type = args->arg[0].number;
    const uint64_t addr = wt_debugger_address(s->debugger, args->arg[1].number).offset;
    if (type >= 2 && type <= 4)
        wt_rsp_watch(s, args, false);
    if (type > 1)
        return;
    struct wt_rsp_breakpoint *b = find(s, addr, (unsigned)type);
    struct wt_error err = {0};
    /* Removing a breakpoint that does not exist is no error: a client may do it after a restart. */
    if (b) {
        bool last = !find(s, addr, !type);
        if (last && wt_debugger_remove_breakpoint_of(s->debugger, wt_client_number(s->client), addr,
                                                     &err)) {
            wt_rsp_error(s, &err);
            return;
        }
        forget(s, b);
        wt_rsp_follow_remove(s, addr);
    }
    wt_rsp_ok(s);
}

void wt_rsp_remove_breakpoints(struct wt_rsp_session *s, bool persistent_too)
{
    for (size_t i = s->breakpoint_count; i-- > 0;) {
        struct wt_rsp_breakpoint *b = &s->breakpoints[i];
        if (b->persist && !persistent_too)
            continue;
        bool last = !find(s, b->addr, !b->type);
        if (last)
            wt_debugger_remove_breakpoint_of(s->debugger, wt_client_number(s->client), b->addr,
                                             WT_IGNORED);
        forget(s, b);
    }
    wt_rsp_remove_watchpoints(s);
    wt_rsp_stop_catching(s);
}
