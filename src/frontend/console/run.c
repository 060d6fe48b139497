/* Resumes threads and reports stops: the breakpoints that are inserted for a run, and the messages
 * at its end. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "frontend/console/internal.h"

/* ---- what is inserted ---- */

static int register_named(const struct wt_shell *c, const char *set, const char *name)
{
    for (size_t i = 0; i < c->topology->register_count; i++) {
        const struct wt_register *r = &c->topology->registers[i];
        if (strcmp(r->set, set) == 0 && strcmp(r->name, name) == 0)
            return (int)i;
    }
    return -1;
}

static int register_of_role(const struct wt_shell *c, enum wt_register_role role)
{
    for (size_t i = 0; i < c->topology->register_count; i++)
        if (c->topology->registers[i].role == role)
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
enum wt_status thread_condition(struct wt_shell *c, const struct stop_at *at, struct wt_expr **expr,
                                struct wt_error *err)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    enum wt_status status = wave_of_thread(c, at->thread, &wave, &place, err);
    if (status)
        return status;
    struct wt_expr *e = wt_expr_new();
    if (!e)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a condition");
    wt_expr_add(e, WT_EXPR_COPY, 0, wt_expr_temporary(e, 0), wt_expr_constant(e, 1),
                wt_expr_constant(e, 1));
    and_register(e, register_named(c, WT_ADDED_SET, "_wave_id"), wave.id, EQUAL);
    and_register(e, register_named(c, WT_ADDED_SET, "_lane"), place.lane, EQUAL);
    if (at->has_cfa)
        and_register(e, register_of_role(c, WT_ROLE_SP), at->cfa,
                     c->topology->stack_grows_up ? AT_MOST : AT_LEAST);
    wt_expr_add(e, WT_EXPR_END, 0, wt_expr_temporary(e, 0), wt_expr_temporary(e, 0),
                wt_expr_temporary(e, 0));
    if ((status = wt_expr_finish(e, err)) != WT_OK) {
        wt_expr_free(e);
        return status;
    }
    *expr = e;
    return WT_OK;
}

static bool note_address(struct wt_shell *c, uint64_t addr)
{
    for (size_t i = 0; i < c->inserted_count; i++)
        if (c->inserted[i] == addr)
            return true;
    uint64_t *grown =
        wt_array_grow(c->inserted, &c->inserted_capacity, c->inserted_count + 1, sizeof *grown);
    if (!grown)
        return false;
    c->inserted = grown;
    grown[c->inserted_count++] = addr;
    return true;
}

/* Inserts a breakpoint for everything wanted at one address, with all conditions together. */
static enum wt_status insert_at(struct wt_shell *c, uint64_t addr, struct wt_error *err)
{
    struct wt_expr *list[64];
    size_t count = 0, others = 0;
    bool always = false;
    for (size_t i = 0; i < c->point_count; i++) {
        const struct point *p = c->point[i];
        if (!has_addresses(p) || !p->enabled)
            continue;
        for (size_t k = 0; k < p->addr_count; k++) {
            if (p->addr[k] != addr)
                continue;
            if (p->log_owner) { /* it has one of its own here */
                others++;
                continue;
            }
            if (!p->compiled || !p->compiled[k] || count == sizeof list / sizeof list[0])
                always = true;
            else
                list[count++] = p->compiled[k];
        }
    }
    for (size_t i = 0; i < c->point_count; i++) {
        const struct point *p = c->point[i];
        if (!p->scope_condition || !p->enabled || p->scope.addr != addr)
            continue;
        if (count == sizeof list / sizeof list[0])
            always = true;
        else
            list[count++] = p->scope_condition;
    }
    for (size_t i = 0; i < c->internal_count; i++) {
        if (c->internal[i].addr != addr)
            continue;
        if (!c->internal[i].condition || count == sizeof list / sizeof list[0])
            always = true;
        else
            list[count++] = c->internal[i].condition;
    }
    if (others && !count && !always)
        return WT_OK;
    return wt_debugger_insert_breakpoint_of(c->debugger, wt_client_number(c->client), addr, list,
                                            always ? 0 : count, NULL, 0, err);
}

/* ---- messages without a stop ---- */

void count_logs(struct wt_shell *c, struct point *p)
{
    for (size_t k = 0; p->log_owner && k < p->addr_count; k++)
        p->hits += (unsigned)wt_debugger_take_command_runs(c->debugger, p->log_owner, p->addr[k]);
}

void remove_logs(struct wt_shell *c, struct point *p)
{
    count_logs(c, p);
    for (size_t k = 0; p->log_owner && k < p->addr_count; k++)
        wt_debugger_remove_breakpoint_of(c->debugger, p->log_owner, p->addr[k], WT_IGNORED);
    p->log_owner = 0;
}

/* A dprintf prints where the conditions of breakpoints are evaluated, at all of its places. It
 * stops instead if crossings are to be ignored, and where it needs a stop to be evaluated. */
static enum wt_status insert_logs(struct wt_shell *c, struct point *p, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (!p->format || !p->enabled || p->ignore || c->backwards)
        return WT_OK;
    struct wt_expr **message = calloc(p->addr_count + 1, sizeof(struct wt_expr *));
    size_t count = 0;
    while (message && count < p->addr_count && (message[count] = compile_log(c, p, p->addr[count])))
        count++;
    if (message && count == p->addr_count)
        p->log_owner = wt_client_new_owner(c->client);
    for (size_t k = 0; p->log_owner && k < count && !status; k++) {
        const bool has_condition = p->compiled && p->compiled[k];
        status = wt_debugger_insert_breakpoint_of(c->debugger, p->log_owner, p->addr[k],
                                                  has_condition ? &p->compiled[k] : NULL,
                                                  has_condition, &message[k], 1, err);
        if (status)
            wt_fail_in(err, "Cannot insert the breakpoint at 0x%" PRIx64, p->addr[k]);
    }
    for (size_t k = 0; message && k < count; k++)
        wt_expr_free(message[k]);
    free(message);
    return status;
}

static void remove_inserted(struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++)
        remove_logs(c, c->point[i]);
    for (size_t i = 0; i < c->inserted_count; i++)
        wt_debugger_remove_breakpoint_of(c->debugger, wt_client_number(c->client), c->inserted[i],
                                         WT_IGNORED);
    c->inserted_count = 0;
    for (size_t i = 0; i < c->watched_count; i++)
        wt_debugger_remove_watchpoint(c->debugger, &c->watched[i], WT_IGNORED);
    c->watched_count = 0;
}

void remove_all_inserted(struct wt_shell *c)
{
    remove_inserted(c);
    for (size_t i = 0; i < c->internal_count; i++)
        wt_expr_free(c->internal[i].condition);
    c->internal_count = 0;
}

static struct wt_watchpoint_request request_of(struct wt_shell *c, const struct point *p,
                                               struct wt_watchpoint_request part)
{
    part.owner = wt_client_number(c->client);
    part.tag = p->number;
    part.condition = watch_condition_of(p);
    return part;
}

static enum wt_status insert_watch(struct wt_shell *c, const struct point *p,
                                   struct wt_watchpoint_request part, struct wt_error *err)
{
    const struct wt_watchpoint_request request = request_of(c, p, part);
    struct wt_watchpoint_request *grown =
        wt_array_grow(c->watched, &c->watched_capacity, c->watched_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a watchpoint");
    c->watched = grown;
    enum wt_status status = wt_debugger_insert_watchpoint(c->debugger, &request, err);
    if (!status)
        grown[c->watched_count++] = request;
    return status;
}

static enum wt_status replace_points(struct wt_shell *c, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    remove_inserted(c);
    bool fine = true;
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        if (!p->enabled)
            continue;
        if ((status = insert_logs(c, p, err)) != WT_OK)
            return status;
        for (size_t k = 0; k < p->addr_count && has_addresses(p); k++)
            fine &= note_address(c, p->addr[k]);
        if (p->scope_condition)
            fine &= note_address(c, p->scope.addr);
        for (size_t k = 0; k < p->part_count && !c->options.steps_to_watch; k++)
            if ((status = insert_watch(c, p, p->part[k], err)) != WT_OK)
                return status;
    }
    for (size_t i = 0; i < c->internal_count; i++)
        fine &= note_address(c, c->internal[i].addr);
    if (!fine)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for breakpoints");
    for (size_t i = 0; i < c->inserted_count && !status; i++)
        if ((status = insert_at(c, c->inserted[i], err)) != WT_OK)
            wt_fail_in(err, "Cannot insert the breakpoint at 0x%" PRIx64, c->inserted[i]);
    return status;
}

enum wt_status insert_points(struct wt_shell *c, struct wt_error *err)
{
    wt_debugger_begin_changes(c->debugger);
    const enum wt_status status = replace_points(c, err);
    const enum wt_status after = wt_debugger_end_changes(c->debugger, status ? WT_IGNORED : err);
    return status ? status : after;
}

enum wt_status insert_internal(struct wt_shell *c, const struct stop_at *at, struct wt_error *err)
{
    struct internal_point *grown =
        wt_array_grow(c->internal, &c->internal_capacity, c->internal_count + 1, sizeof *grown);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a breakpoint");
    c->internal = grown;
    struct internal_point *p = &grown[c->internal_count];
    *p = (struct internal_point){.addr = at->addr};
    enum wt_status status = at->thread ? thread_condition(c, at, &p->condition, err) : WT_OK;
    if (!status)
        c->internal_count++;
    return status;
}

void remove_internal(struct wt_shell *c, uint64_t addr)
{
    for (size_t i = 0; i < c->internal_count; i++) {
        if (c->internal[i].addr != addr)
            continue;
        wt_expr_free(c->internal[i].condition);
        c->internal[i] = c->internal[--c->internal_count];
        return;
    }
}

/* ---- going ---- */

enum wt_status wait_for_event(struct wt_shell *c, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    if (!c->progress_since)
        begin_progress(c);
    c->waiting = true;
    while (!c->came && !status)
        status = wt_session_run(c->session, err);
    c->waiting = false;
    hide_progress(c);
    if (c->event.reason == WT_STOP_INTERRUPTED)
        c->interrupt = false;
    return !status && c->quit ? wt_fail(err, WT_STATE, "Interrupted.") : status;
}

enum wt_status wait_for_stop(struct wt_shell *c, struct wt_error *err)
{
    c->came = false;
    c->caught_number = 0;
    c->event = (struct wt_event){.kind = WT_EVENT_NONE};
    return wait_for_event(c, err);
}

bool was_interrupted(struct wt_shell *c)
{
    if (c->options.interrupted && c->options.interrupted(c->options.context))
        c->interrupt = true;
    const bool was = c->interrupt;
    c->interrupt = false;
    return was;
}

enum wt_status resume_and_wait(struct wt_shell *c, const struct wt_resume *list, size_t count,
                               bool backwards, struct wt_error *err)
{
    c->backwards = backwards;
    c->by_step = false;
    enum wt_status status = insert_points(c, err);
    if (status)
        return status;
    if (c->thread)
        wt_debugger_focus(c->debugger, c->thread);
    forget_frames(c);
    c->entered = c->wanted_line = 0;
    fflush(c->out);
    if (was_interrupted(c)) {
        c->event = (struct wt_event){
            .kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED, .thread = c->thread};
        return WT_OK;
    }
    if (!backwards && needs_steps(c))
        return step_and_compare(c, &list[0], err);
    /* A program that has just been started has not arrived yet. */
    if (!c->options.host || !wt_debugger_running(c->debugger)) {
        status = wt_client_run(c->client, backwards ? WT_BACKWARDS : WT_FORWARDS, list, count, err);
        if (status)
            return status;
    }
    return wait_for_stop(c, err);
}

/* ---- what is said ---- */

uint64_t function_start(const struct wt_frame *frame)
{
    uint64_t start, end, offset;
    const char *name;
    if (frame->scope_count) {
        Dwarf_Die die = frame->scope[0];
        if (wt_info_entry(&die, &start, &end))
            return start + frame->bias;
    }
    if (frame->symbols &&
        wt_symbols_function(frame->symbols, frame->inside - frame->bias, &name, &offset))
        return frame->inside - offset;
    return 0;
}

static bool mid_line(const struct wt_frame *frame)
{
    struct wt_line_row row;
    return frame->level == 0 && frame->symbols &&
           wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) &&
           row.start != frame->pc - frame->bias;
}

void print_source_line(struct wt_shell *c, const struct wt_frame *frame, bool address)
{
    if (!frame->file || !frame->line)
        return;
    struct text_file *file = open_source(c, frame->path);
    if (address && mid_line(frame))
        fprintf(c->out, "0x%0*" PRIx64 "\t", (int)c->topology->address_bits / 4, frame->pc);
    if (file && file->path && frame->line <= file->line_count)
        fprintf(c->out, "%u\t%s\n", frame->line, file->line[frame->line - 1]);
    else
        fprintf(c->out, "%u\tin %s\n", frame->line, frame->file);
    free(c->list_file);
    c->list_file = strdup(frame->path);
    c->list_first = frame->line;
    c->list_last = 0;
    c->list_set = true;
}

void show_stop(struct wt_shell *c, bool with_frame)
{
    const struct wt_frame *frame;
    if (need_frame(c, &frame, WT_IGNORED) != WT_OK)
        return;
    if (with_frame || !frame->file) {
        print_frame(c, frame, false, !frame->file || mid_line(frame));
        print_source_line(c, frame, false);
    } else {
        print_source_line(c, frame, true);
    }
}

bool condition_holds(struct wt_shell *c, const struct point *p, uint64_t pc, wt_thread thread)
{
    if (p->thread && p->thread != thread)
        return false;
    for (size_t k = 0; k < p->addr_count; k++) {
        if (p->addr[k] != pc)
            continue;
        if (!p->compiled || !p->compiled[k])
            return true;
        struct wt_wave wave;
        struct wt_thread_position place;
        struct wt_lane_value value[WT_MAX_LANES];
        if (wave_of_thread(c, thread, &wave, &place, WT_IGNORED) != WT_OK)
            return true;
        /* All enabled lanes are evaluated, since a condition may use reductions over lanes. */
        const wt_lanes own = wt_lane_bit(place.lane);
        const wt_lanes lanes = place.active & own ? place.active : own;
        if (wt_debugger_evaluate(c->debugger, wave.id, lanes, p->compiled[k], 0, value, NULL,
                                 WT_IGNORED) != WT_OK)
            return true;
        const struct wt_lane_value *mine = &value[wt_lanes_count(lanes & (own - 1))];
        return !mine->known || mine->value != 0;
    }
    return false;
}

bool user_breakpoint_at(struct wt_shell *c, uint64_t pc, wt_thread thread, bool logs)
{
    for (size_t i = 0; i < c->point_count; i++)
        if (has_addresses(c->point[i]) && c->point[i]->enabled &&
            (logs || !c->point[i]->log_owner) && condition_holds(c, c->point[i], pc, thread))
            return true;
    return false;
}

void queue_commands(struct wt_shell *c, const struct point *p)
{
    for (size_t i = 0; i < p->commands.count; i++) {
        char **grown =
            wt_array_grow(c->queued.line, &c->queued.capacity, c->queued.count + 1, sizeof(char *));
        char *copy = grown ? strdup(p->commands.line[i]) : NULL;
        if (grown)
            c->queued.line = grown;
        if (!copy)
            return;
        grown[c->queued.count++] = copy;
    }
}

/* Whether an expression holds for the thread that stands at @p pc. */
bool holds_for(struct wt_shell *c, const struct wt_expr *expr, wt_thread thread)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    struct wt_lane_value value = {0};
    return wave_of_thread(c, thread, &wave, &place, WT_IGNORED) == WT_OK &&
           wt_debugger_evaluate(c->debugger, wave.id, wt_lane_bit(place.lane), expr, 0, &value,
                                NULL, WT_IGNORED) == WT_OK &&
           value.known && value.value != 0;
}

/* Deletes watchpoints on variables of a frame that has returned. True if there were any. */
static bool end_scopes(struct wt_shell *c, uint64_t pc)
{
    bool any = false;
    for (size_t i = c->point_count; i-- > 0;) {
        struct point *p = c->point[i];
        if (!p->scope_condition || !p->enabled || p->scope.addr != pc ||
            !holds_for(c, p->scope_condition, c->thread))
            continue;
        if (!any)
            print_where(c, c->thread);
        fprintf(c->out,
                "\nWatchpoint %u deleted because the program has left the block in\n"
                "which its expression is valid.\n",
                p->number);
        delete_point(c, p);
        any = true;
    }
    return any;
}

/* Finds the breakpoints at a stop. *again: all of them were to be ignored. */
static void report_breakpoints(struct wt_shell *c, bool *again)
{
    struct wt_thread_position place;
    bool any = false, here = false, silent = false;
    if (wt_debugger_thread_position(c->debugger, c->thread, &place, WT_IGNORED) != WT_OK)
        return;
    for (size_t i = 0; i < c->internal_count; i++)
        here |= c->internal[i].addr == place.pc;
    struct point *gone[64];
    size_t gone_count = 0;
    unsigned shown = 0;
    bool temporary = false;
    const char *catches = NULL;
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        if (!has_addresses(p) || !p->enabled || (p->log_owner && !c->by_step))
            continue;
        for (size_t k = 0; p->thread && k < p->addr_count; k++)
            here |= p->addr[k] == place.pc;
        if (!condition_holds(c, p, place.pc, c->thread))
            continue;
        here = true;
        if (p->kind == POINT_CATCH && !catch_at(c, p, place.pc))
            continue;
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            continue;
        }
        if (p->format) {
            log_lanes(c, p, place.pc);
            continue;
        }
        any = true;
        if (!shown) {
            enter_calls(c, line_wanted(c, p, place.pc), 0);
            shown = p->number;
            catches = p->kind == POINT_CATCH ? p->text : NULL;
            temporary = p->temporary;
            silent = p->silent;
        }
        queue_commands(c, p);
        if (p->temporary && gone_count < sizeof gone / sizeof gone[0])
            gone[gone_count++] = p;
    }
    bool internal = end_scopes(c, place.pc);
    for (size_t i = 0; i < c->internal_count; i++)
        internal |= c->internal[i].addr == place.pc;
    *again = here && !any && !internal;
    if (*again)
        return;
    c->stopped_silently = silent;
    if (shown && c->event.undecided && !c->by_step)
        fprintf(c->out, "\nError in testing condition for breakpoint %u:\n%s\n", shown,
                c->event.text);
    if (shown && !silent) {
        print_where(c, c->thread);
        fprintf(c->out, "\n%s%s %u%s%s%s%s, ", style(c, HEADLINE),
                catches     ? "Catchpoint"
                : temporary ? "Temporary breakpoint"
                            : "Breakpoint",
                shown, catches ? " (" : "", catches ? catches : "", catches ? ")" : "",
                style(c, PLAIN));
    }
    c->stop_number = shown;
    for (size_t i = 0; i < gone_count; i++)
        delete_point(c, gone[i]);
}

/* Whether a stop is for a watchpoint that this console has set in the device. */
static bool is_own(struct wt_shell *c, const struct wt_event *event)
{
    return event->tag && event->owner == wt_client_number(c->client);
}

/* The watchpoint of a stop; NULL: there is none. */
static struct point *watched_at(struct wt_shell *c, const struct wt_event *event)
{
    if (is_own(c, event))
        return find_point(c, event->tag);
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        if (!p->enabled || !p->part_count || p->watch != event->watch)
            continue;
        for (size_t k = 0; k < p->part_count; k++)
            if (wt_ranges_meet(p->part[k].addr, p->part[k].size, event->addr, 1))
                return p;
    }
    return NULL;
}

static void print_watched(struct wt_shell *c, const struct point *p, const uint8_t *bytes)
{
    struct wt_view view = {.source = c->source, .thread = c->thread};
    const struct wt_format format = {.top = true};
    wt_value_print_bytes(c->out, &view, p->type, bytes, &format);
    fputc('\n', c->out);
}

/* Whether an address refers to the same memory in all waves, or in all waves of the group that has
 * accessed it: it is the one that the watchpoint is for. */
static bool is_seen_alike(const struct wt_shell *c, struct wt_address at)
{
    for (size_t i = 1; i < c->topology->space_count && at.space == 0; i++) {
        const struct wt_space *s = &c->topology->spaces[i];
        if (s->aperture && s->scope != WT_SCOPE_GROUP && s->address_bits < 64 &&
            at.offset - s->aperture < (uint64_t)1 << s->address_bits)
            return false;
    }
    return true;
}

/* Reads a watched value. The wave for which the watchpoint was set may have ended; memory that
 * they share is then read through another wave, the one that has accessed it. */
bool read_watched(struct wt_shell *c, const struct point *p, uint8_t *to)
{
    uint64_t done = 0;
    if (wt_debugger_read_memory(c->debugger, p->owner, p->where, to, p->size, WT_IGNORED) == WT_OK)
        return true;
    for (size_t i = 0; i < p->part_count && done < p->size; i++) {
        const struct wt_watchpoint_request *part = &p->part[i];
        if (part->size > p->size - done || !is_seen_alike(c, part->addr) ||
            wt_debugger_read_memory(c->debugger, c->thread, part->addr, to + done, part->size,
                                    WT_IGNORED) != WT_OK)
            return false;
        done += part->size;
    }
    return done == p->size;
}

/* Corrects what a watchpoint's value was by what accesses have done that were no stops. */
static void note_other_side(struct wt_shell *c, struct point *p, const uint8_t *now)
{
    uint64_t at = 0;
    for (size_t i = 0; i < p->part_count && at < p->size; at += p->part[i++].size) {
        const struct wt_watchpoint_request request = request_of(c, p, p->part[i]);
        if (request.size <= p->size - at &&
            !wt_debugger_other_side(c->debugger, &request, p->old + at) &&
            !wt_ranges_meet(request.addr, request.size, c->event.addr, 1))
            memcpy(p->old + at, now + at, request.size);
    }
}

/* A value may have become another one without a stop since it was last seen, by `goto`: what it was
 * on the other side of the access counts. */
static void correct_old_value(struct wt_shell *c, struct point *p, const uint8_t *now)
{
    uint8_t *bytes = malloc(p->size);
    uint64_t at = 0;
    bool known = bytes;
    if (known)
        memcpy(bytes, now, p->size);
    for (size_t i = 0; i < p->part_count && known && at < p->size; at += p->part[i++].size)
        known = p->part[i].size <= p->size - at &&
                wt_debugger_undo_access(c->debugger, p->part[i].addr, p->part[i].size, bytes + at);
    if (known)
        memcpy(p->old, bytes, p->size);
    free(bytes);
}

static void report_watchpoint(struct wt_shell *c, bool *again)
{
    struct point *p = watched_at(c, &c->event);
    const bool decided = is_own(c, &c->event) && !c->event.undecided;
    if (!p) {
        fprintf(c->out, "\n%s\n", c->event.text);
        return;
    }
    uint8_t *now = malloc(p->size ? p->size : 1);
    const bool readable = now && read_watched(c, p, now);
    if (readable && p->rule)
        note_other_side(c, p, now);
    else if (readable)
        correct_old_value(c, p, now);
    const bool changed = readable && memcmp(now, p->old, p->size) != 0;
    /* An instruction that writes several parts of the value is reported once. */
    const bool told = p->kind == POINT_WATCH && p->part_count > 1 && readable && !changed;
    if (told || (!decided && !watch_condition_holds(c, p))) {
        *again = true;
    } else {
        p->hits++;
        if (p->ignore) {
            p->ignore--;
            *again = true;
        }
    }
    if (!*again) {
        print_where(c, c->thread);
        fprintf(c->out, "\n%s%s %u: %s%s\n\n", style(c, HEADLINE), watch_name(c, p->kind),
                p->number, p->text, style(c, PLAIN));
        if (p->kind == POINT_WATCH || (p->kind == POINT_ACCESS && changed)) {
            fputs("Old value = ", c->out);
            print_watched(c, p, p->old);
            fputs("New value = ", c->out);
        } else {
            fputs("Value = ", c->out);
        }
        if (readable)
            print_watched(c, p, now);
        else
            fputs("<unreadable>\n", c->out);
        queue_commands(c, p);
        c->stop_number = p->number;
    }
    if (readable)
        memcpy(p->old, now, p->size);
    free(now);
}

void refresh_watched(struct wt_shell *c)
{
    for (size_t i = 0; i < c->point_count; i++) {
        struct point *p = c->point[i];
        uint8_t *now = p->part_count ? malloc(p->size ? p->size : 1) : NULL;
        if (now && read_watched(c, p, now))
            memcpy(p->old, now, p->size);
        free(now);
    }
}

static void report_exit(struct wt_shell *c, uint32_t word)
{
    if (c->options.host) {
        end_host(c);
        return;
    }
    c->started = false;
    c->ended = true;
    c->exit_word = word;
    select_thread(c, 0);
    if (word)
        fprintf(c->out, "[Program exited with code %02" PRIo32 "]\n", word);
    else
        fputs("[Program exited normally]\n", c->out);
}

static void end_by_fault(struct wt_shell *c)
{
    fprintf(c->out, "\nProgram terminated by a fault: %s\n", c->fault_text);
    c->started = false;
    c->ended = true;
    c->fault_ended = true;
    select_thread(c, 0);
}

static void report_fault(struct wt_shell *c)
{
    struct wt_thread_position place = {0};
    wt_debugger_thread_position(c->debugger, c->thread, &place, WT_IGNORED);
    const bool same = c->faulted && c->fault_pc == place.pc && c->fault_thread == c->thread;
    c->fault = (int)c->event.fault;
    c->fault_pc = place.pc;
    c->fault_thread = c->thread;
    c->faulted = true;
    /* An instruction that the PC has passed will not be tried again. */
    c->fault_is_past = c->event.gives_up || (c->event.pc && c->event.pc != place.pc);
    snprintf(c->fault_text, sizeof c->fault_text, "%s", c->event.text);
    if (same) { /* The instruction was tried again, and failed again: that ends the program. */
        end_by_fault(c);
        return;
    }
    if (passes_faults(c))
        return;
    struct point *p = catch_of_faults(c);
    print_where(c, c->thread);
    if (p)
        fprintf(c->out, "\nCatchpoint %u:", p->number);
    fprintf(c->out, "%s%sProgram stopped by a fault: ", p ? " " : "\n", style(c, HEADLINE));
    if (c->event.record.kind)
        print_fault(c, &c->event.record);
    else
        fprintf(c->out, "%s\n", c->event.text);
    fputs(style(c, PLAIN), c->out);
    if (p) {
        p->hits++;
        c->stop_number = p->number;
        queue_commands(c, p);
    }
}

enum wt_status report_stop(struct wt_shell *c, bool *again, struct wt_error *err)
{
    const struct wt_event *e = &c->event;
    uint32_t word;
    *again = false;
    c->stop_number = 0;
    c->stopped_silently = false;
    if (e->kind == WT_EVENT_EXITED) {
        report_exit(c, e->status);
        return WT_OK;
    }
    if (e->kind == WT_EVENT_NONE) {
        if (wt_debugger_ended(c->debugger, &word))
            report_exit(c, word);
        else
            select_thread(c, wt_debugger_current_thread(c->debugger));
        return WT_OK;
    }
    if (e->thread || e->wave_ended)
        select_thread(c, e->thread ? e->thread : wt_debugger_current_thread(c->debugger));
    const bool gives_up = e->reason == WT_STOP_TRAP && e->gives_up;
    if (e->reason != WT_STOP_FAULT && !gives_up)
        c->faulted = false;
    switch (e->reason) {
    case WT_STOP_BREAKPOINT:
        report_breakpoints(c, again);
        break;
    case WT_STOP_WATCHPOINT:
        report_watchpoint(c, again);
        break;
    case WT_STOP_INTERRUPTED:
    case WT_STOP_REQUESTED:
        if (report_catch(c))
            break;
        print_where(c, c->thread);
        if (e->reason == WT_STOP_REQUESTED && e->text[0])
            fprintf(c->out, "\nProgram stopped: %s.\n", e->text);
        else
            fputs(c->thread ? "\nProgram stopped.\n" : "\nProgram stopped; no kernel runs now.\n",
                  c->out);
        break;
    case WT_STOP_FAULT:
        *again = passes_faults(c) && !c->faulted;
        report_fault(c);
        break;
    case WT_STOP_TRAP:
        if (gives_up) {
            *again = passes_faults(c) && !c->faulted;
            report_fault(c);
            break;
        }
        print_where(c, c->thread);
        fputs("\nProgram stopped at a breakpoint instruction of its own.\n", c->out);
        break;
    case WT_STOP_LOST:
        return wt_fail(err, WT_IO, "%s", e->text[0] ? e->text : "the device does not answer");
    case WT_STOP_HISTORY_BEGIN:
        fputs("\nNo more reverse-execution history: the recorded run begins here.\n", c->out);
        break;
    case WT_STOP_HISTORY_END:
        print_where(c, c->thread);
        fputs("\nThe present has been reached again: what comes is new.\n", c->out);
        remind_of_fault(c);
        break;
    case WT_STOP_STEP:
        /* The step of a wave that has ended stops at another wave. */
        if (e->text[0]) {
            print_where(c, c->thread);
            fprintf(c->out, "\nThe step is over: %s.\n", e->text);
        }
        break;
    }
    return WT_OK;
}

enum wt_status continue_and_report(struct wt_shell *c, bool backwards, struct wt_error *err)
{
    bool again = true;
    enum wt_status status = WT_OK;
    while (again && !status) {
        if (c->faulted && c->fault_is_past && !backwards && !c->options.host) {
            end_by_fault(c);
            return WT_OK;
        }
        const struct wt_resume all = {.thread = backwards ? c->thread : 0,
                                      .kind = WT_RESUME_CONTINUE};
        status = resume_and_wait(c, &all, 1, backwards, err);
        if (!status)
            status = report_stop(c, &again, err);
    }
    if (!status && c->started && !c->stopped_silently) {
        show_stop(c, true);
        show_displays(c);
    }
    return status;
}

/* ---- commands ---- */

static enum wt_status begin(struct wt_shell *c, const char *arguments, struct wt_error *err)
{
    enum wt_status status;
    if (*arguments && !c->options.host)
        return wt_fail(err, WT_INVALID,
                       "code for the device gets its arguments when wavetrap is started (--arg)");
    if (*arguments && (status = set_arguments(c, arguments, err)) != WT_OK)
        return status;
    if (c->options.host)
        return begin_host(c, err);
    if (c->started && !ask(c, "The program being debugged has been started already.\n"
                              "Start it from the beginning? (y or n) "))
        return wt_fail(err, WT_STATE, "Program not restarted.");
    remove_all_inserted(c);
    if (c->was_run && (status = wt_debugger_restart(c->debugger, err)) != WT_OK)
        return status;
    while (wt_debugger_next_event(c->debugger).kind != WT_EVENT_NONE)
        continue;
    c->was_run = c->started = true;
    c->ended = c->faulted = c->fault_ended = false;
    select_thread(c, wt_debugger_current_thread(c->debugger));
    fprintf(c->out, "Starting program: %s\n", c->options.program ? c->options.program : "(none)");
    return WT_OK;
}

enum wt_status do_run(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = refuse_attached(c, "run", err);
    if (!status)
        status = begin(c, text, err);
    return status || !c->started ? status : continue_and_report(c, false, err);
}

static bool has_main(struct wt_shell *c)
{
    uint64_t *list;
    size_t count;
    if (resolve_place(c, "main", &list, &count, NULL, WT_IGNORED) != WT_OK)
        return false;
    free(list);
    return true;
}

enum wt_status do_start(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = refuse_attached(c, "start", err);
    if (!status)
        status = do_tbreak(c, has_main(c) ? "main" : "kernel", err);
    if (!status)
        status = begin(c, text, err);
    return status || !c->started ? status : continue_and_report(c, false, err);
}

/* "continue N": ignores the breakpoint at the current place N - 1 times. */
static enum wt_status go_on(struct wt_shell *c, const char *text, bool backwards,
                            struct wt_error *err)
{
    enum wt_status status = need_run(c, err);
    uint64_t count;
    if (status)
        return status;
    if (*text) {
        if (!take_number(&text, &count) || *text || count == 0)
            return wt_fail(err, WT_INVALID, "continue takes the number of stops to pass");
        struct point *p = find_point(c, c->stop_number);
        if (p && count > 1) {
            p->ignore = (unsigned)(count - 1);
            fprintf(c->out, "Will ignore next %u crossings of breakpoint %u.  Continuing.\n",
                    p->ignore, p->number);
        }
    } else {
        fputs("Continuing.\n", c->out);
    }
    return continue_and_report(c, backwards, err);
}

enum wt_status do_continue(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return go_on(c, text, false, err);
}

enum wt_status do_reverse_continue(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return go_on(c, text, true, err);
}
