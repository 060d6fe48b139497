/* The points that are inserted into the device for a run: breakpoints with their conditions,
 * watchpoints, log points. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "debug/program/internal.h"

static int register_named(const struct wt_program *g, const char *set, const char *name)
{
    for (size_t i = 0; i < g->topology->register_count; i++) {
        const struct wt_register *r = &g->topology->registers[i];
        if (strcmp(r->set, set) == 0 && strcmp(r->name, name) == 0)
            return (int)i;
    }
    return -1;
}

static int register_of_role(const struct wt_program *g, enum wt_register_role role)
{
    for (size_t i = 0; i < g->topology->register_count; i++)
        if (g->topology->registers[i].role == role)
            return (int)i;
    return -1;
}

enum compare { EQUAL, AT_LEAST, AT_MOST };

/* Combines temporary 0, a truth value, with a comparison of a register with a value. */
static void and_register(struct wt_expr *e, int index, uint64_t value, enum compare how)
{
    if (index < 0)
        return;
    const wt_expr_vector truth = wt_expr_temporary(e, 0), one = wt_expr_temporary(e, 1);
    const wt_expr_vector reg = wt_expr_register(e, (unsigned)index);
    const wt_expr_vector number = wt_expr_constant(e, value);
    if (how != EQUAL) {
        wt_expr_add(e, WT_EXPR_LESS_UNSIGNED, 64, one, how == AT_LEAST ? reg : number,
                    how == AT_LEAST ? number : reg);
        wt_expr_add(e, WT_EXPR_LOGIC_NOT, 0, one, one, one);
    } else {
        wt_expr_add(e, WT_EXPR_EQUAL, 64, one, reg, number);
    }
    wt_expr_add(e, WT_EXPR_AND, 0, truth, truth, one);
}

/* The condition of a breakpoint for one thread. */
enum wt_status pg_thread_condition(struct wt_program *g, const struct wt_stop_at *at,
                                   struct wt_expr **expr, struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    enum wt_status status = wt_program_wave(g, at->thread, &wave, &place, err);
    if (status)
        return status;
    struct wt_expr *e = wt_expr_new();
    if (!e)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a condition");
    wt_expr_add(e, WT_EXPR_COPY, 0, wt_expr_temporary(e, 0), wt_expr_constant(e, 1),
                wt_expr_constant(e, 1));
    and_register(e, register_named(g, WT_ADDED_SET, "_wave_id"), wave.id, EQUAL);
    and_register(e, register_named(g, WT_ADDED_SET, "_lane"), place.lane, EQUAL);
    if (at->has_cfa)
        and_register(e, register_of_role(g, WT_ROLE_SP), at->cfa,
                     g->topology->stack_grows_up ? AT_MOST : AT_LEAST);
    wt_expr_add(e, WT_EXPR_END, 0, wt_expr_temporary(e, 0), wt_expr_temporary(e, 0),
                wt_expr_temporary(e, 0));
    if ((status = wt_expr_finish(e, err)) != WT_OK) {
        wt_expr_free(e);
        return status;
    }
    *expr = e;
    return WT_OK;
}

static bool note_address(struct wt_program *g, uint64_t addr)
{
    return pg_add_address(&g->inserted, &g->inserted_count, &g->inserted_capacity, addr);
}

/* Inserts a breakpoint for everything wanted at one address, with all conditions together. */
static enum wt_status insert_at(struct wt_program *g, uint64_t addr, struct wt_error *err)
{
    struct wt_expr *list[64];
    size_t count = 0, others = 0;
    bool always = false;
    for (size_t i = 0; i < g->point_count; i++) {
        const struct wt_point *p = g->point[i];
        if (!wt_point_has_addresses(p) || !p->enabled)
            continue;
        for (size_t k = 0; k < p->addr_count; k++) {
            if (p->addr[k] != addr)
                continue;
            if (p->own_owner) { /* it has one of its own here */
                others++;
                continue;
            }
            if (!p->compiled || !p->compiled[k] || count == sizeof list / sizeof list[0])
                always = true;
            else
                list[count++] = p->compiled[k];
        }
    }
    for (size_t i = 0; i < g->point_count; i++) {
        const struct wt_point *p = g->point[i];
        if (!p->scope_condition || !p->enabled || p->scope.addr != addr)
            continue;
        if (count == sizeof list / sizeof list[0])
            always = true;
        else
            list[count++] = p->scope_condition;
    }
    for (size_t i = 0; i < g->internal_count; i++) {
        if (g->internal[i].addr != addr)
            continue;
        if (!g->internal[i].condition || count == sizeof list / sizeof list[0])
            always = true;
        else
            list[count++] = g->internal[i].condition;
    }
    if (others && !count && !always)
        return WT_OK;
    return wt_debugger_insert_breakpoint_of(g->debugger, wt_client_number(g->client), addr, list,
                                            always ? 0 : count, NULL, 0, err);
}

static bool wants(const struct wt_point *p, uint64_t addr)
{
    for (size_t k = 0; k < p->addr_count; k++)
        if (p->addr[k] == addr)
            return true;
    return p->scope_condition && p->scope.addr == addr;
}

/* Whether nothing else that is inserted is at the places of a point. */
static bool is_alone(const struct wt_program *g, const struct wt_point *p)
{
    for (size_t k = 0; k < p->addr_count; k++)
        for (size_t i = 0; i < g->point_count; i++)
            if (g->point[i] != p && g->point[i]->enabled && wants(g->point[i], p->addr[k]))
                return false;
    return true;
}

/* Whether the target ignores the next crossings of a point by itself. A stop there must be for no
 * other reason, and nothing may be left to decide at the stop. */
static bool ignores_in_target(const struct wt_program *g, const struct wt_point *p)
{
    bool compiled = p->addr_count != 0;
    if (!p->ignore || !wt_debugger_can_ignore(g->debugger) || g->internal_count)
        return false;
    for (size_t k = 0; p->condition && k < p->addr_count; k++)
        compiled &= p->compiled && p->compiled[k];
    return compiled && !p->thread && is_alone(g, p) &&
           (p->kind == WT_POINT_BREAK ||
            (p->kind == WT_POINT_CATCH && p->caught == WT_CATCH_DISPATCHES &&
             g->topology->has_grid));
}

/* A dprintf prints where the conditions of breakpoints are evaluated, at all of its places, and a
 * point whose crossings are to be ignored is ignored there. Where that needs a stop of a wave, it
 * stops. */
static enum wt_status insert_own(struct wt_program *g, struct wt_point *p, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    const bool ignores = ignores_in_target(g, p);
    if (!p->enabled || (p->ignore ? !ignores : !p->format) || g->backwards)
        return WT_OK;
    struct wt_expr **message = calloc(p->addr_count + 1, sizeof(struct wt_expr *));
    size_t count = 0;
    while (message && p->format && count < p->addr_count &&
           (message[count] = pg_compile_log(g, p, p->addr[count])))
        count++;
    if (message && (!p->format || count == p->addr_count))
        p->own_owner = wt_client_new_owner(g->client);
    for (size_t k = 0; p->own_owner && k < p->addr_count && !status; k++) {
        const bool has_condition = p->compiled && p->compiled[k];
        status = wt_debugger_insert_breakpoint_of(
            g->debugger, p->own_owner, p->addr[k], has_condition ? &p->compiled[k] : NULL,
            has_condition, message[k] ? &message[k] : NULL, message[k] != NULL, err);
        if (status)
            wt_fail_in(err, "Cannot insert the breakpoint at 0x%" PRIx64, p->addr[k]);
    }
    if (p->own_owner && ignores)
        wt_debugger_ignore(g->debugger, p->own_owner, p->ignore);
    for (size_t k = 0; message && k < count; k++)
        wt_expr_free(message[k]);
    free(message);
    return status;
}

static void remove_inserted(struct wt_program *g)
{
    for (size_t i = 0; i < g->point_count; i++)
        pg_remove_logs(g, g->point[i]);
    for (size_t i = 0; i < g->inserted_count; i++)
        wt_debugger_remove_breakpoint_of(g->debugger, wt_client_number(g->client), g->inserted[i],
                                         WT_IGNORED);
    g->inserted_count = 0;
    for (size_t i = 0; i < g->watched_count; i++)
        wt_debugger_remove_watchpoint(g->debugger, &g->watched[i], WT_IGNORED);
    g->watched_count = 0;
}

void pg_remove_all_inserted(struct wt_program *g)
{
    remove_inserted(g);
    for (size_t i = 0; i < g->internal_count; i++)
        wt_expr_free(g->internal[i].condition);
    g->internal_count = 0;
}

struct wt_watchpoint_request pg_watch_request(struct wt_program *g, const struct wt_point *p,
                                              struct wt_watchpoint_request part)
{
    part.owner = wt_client_number(g->client);
    part.tag = p->number;
    part.condition = pg_watch_condition(p);
    return part;
}

static enum wt_status insert_watch(struct wt_program *g, const struct wt_point *p,
                                   struct wt_watchpoint_request part, struct wt_error *err)
{
    const struct wt_watchpoint_request request = pg_watch_request(g, p, part);
    struct wt_watchpoint_request *grown =
        wt_array_grow(g->watched, &g->watched_capacity, g->watched_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a watchpoint");
    g->watched = grown;
    enum wt_status status = wt_debugger_insert_watchpoint(g->debugger, &request, err);
    if (!status)
        grown[g->watched_count++] = request;
    return status;
}

static enum wt_status replace_points(struct wt_program *g, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    remove_inserted(g);
    bool fine = true;
    for (size_t i = 0; i < g->point_count; i++) {
        struct wt_point *p = g->point[i];
        if (!p->enabled)
            continue;
        if ((status = insert_own(g, p, err)) != WT_OK)
            return status;
        for (size_t k = 0; k < p->addr_count && wt_point_has_addresses(p); k++)
            fine &= note_address(g, p->addr[k]);
        if (p->kind == WT_POINT_CATCH && p->caught == WT_CATCH_MISTAKES &&
            (status =
                 insert_watch(g, p,
                              (struct wt_watchpoint_request){.kind = WT_WATCHPOINT_MISTAKE,
                                                             .addr = wt_address_of(p->exceptions),
                                                             .size = 1},
                              err)) != WT_OK)
            return status;
        if (p->scope_condition)
            fine &= note_address(g, p->scope.addr);
        for (size_t k = 0; k < p->part_count && !g->options.steps_to_watch; k++)
            if ((status = insert_watch(g, p, p->part[k], err)) != WT_OK)
                return status;
    }
    for (size_t i = 0; i < g->internal_count; i++)
        fine &= note_address(g, g->internal[i].addr);
    if (!fine)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for breakpoints");
    for (size_t i = 0; i < g->inserted_count && !status; i++)
        if ((status = insert_at(g, g->inserted[i], err)) != WT_OK)
            wt_fail_in(err, "Cannot insert the breakpoint at 0x%" PRIx64, g->inserted[i]);
    return status;
}

enum wt_status pg_insert_points(struct wt_program *g, struct wt_error *err)
{
    wt_debugger_begin_changes(g->debugger);
    const enum wt_status status = replace_points(g, err);
    const enum wt_status after = wt_debugger_end_changes(g->debugger, status ? WT_IGNORED : err);
    return status ? status : after;
}

enum wt_status pg_insert_internal(struct wt_program *g, const struct wt_stop_at *at,
                                  struct wt_error *err)
{
    struct wt_internal_point *grown =
        wt_array_grow(g->internal, &g->internal_capacity, g->internal_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
    g->internal = grown;
    struct wt_internal_point *p = &grown[g->internal_count];
    *p = (struct wt_internal_point){.addr = at->addr};
    enum wt_status status = at->thread ? pg_thread_condition(g, at, &p->condition, err) : WT_OK;
    if (!status)
        g->internal_count++;
    return status;
}

void pg_remove_internal(struct wt_program *g, uint64_t addr)
{
    for (size_t i = 0; i < g->internal_count; i++) {
        if (g->internal[i].addr != addr)
            continue;
        wt_expr_free(g->internal[i].condition);
        g->internal[i] = g->internal[--g->internal_count];
        return;
    }
}

bool pg_is_internal_stop(struct wt_program *g, wt_thread thread)
{
    struct wt_thread_position place;
    bool internal = false;
    if (wt_debugger_thread_position(g->debugger, thread, &place, WT_IGNORED) != WT_OK)
        return false;
    for (size_t i = 0; i < g->internal_count; i++)
        internal |= g->internal[i].addr == place.pc;
    return internal && !pg_user_breakpoint_at(g, place.pc, thread, false);
}
