/* Requests that set the program going, forwards and backwards, and that stop it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "frontend/dap/internal.h"

/* Selects the request's thread, and whether the others stand. */
static enum wt_status begin(struct wt_dap *d, struct json_object *arguments, const char *reason,
                            struct wt_error *err)
{
    enum wt_status status = wt_program_need_run(d->g, err);
    int64_t thread;
    if (status)
        return status;
    if (d->owner.is_core(d->owner.context) && !wt_debugger_has_history(d->g->debugger))
        return wt_fail(err, WT_UNSUPPORTED, "a core file is a state: nothing runs in it");
    d->reason = reason;
    d->g->alone = dap_flag(arguments, "singleThread");
    /* Without a kernel there is no thread to go on in: the program as a whole does. */
    if (dap_number(arguments, "threadId", &thread) && thread == DAP_NO_KERNEL)
        return WT_OK;
    return dap_enter_thread(d, arguments, err);
}

/* Whether it can go back. */
static enum wt_status need_history(struct wt_dap *d, struct wt_error *err)
{
    const char *why = wt_debugger_unrecorded(d->g->debugger);
    return wt_debugger_has_history(d->g->debugger)
               ? WT_OK
               : wt_fail(err, WT_UNSUPPORTED, "%s", why ? why : "nothing of the run is recorded");
}

static enum wt_status go_on(struct wt_dap *d, struct json_object *arguments, bool back,
                            struct wt_error *err)
{
    struct wt_stepped end;
    enum wt_status status = begin(d, arguments, "pause", err);
    if (!status && back)
        status = need_history(d, err);
    if (!status)
        status = wt_program_continue(d->g, back, &end, err);
    d->g->alone = false;
    /* The program may have ended without a run: it stood at a fault that it cannot pass. */
    if (!status && !d->running)
        dap_begin_run(d);
    return status;
}

enum wt_status dap_continue(struct wt_dap *d, struct json_object *arguments,
                            struct json_object **body, struct wt_error *err)
{
    return go_on(d, arguments, false, err);
}

enum wt_status dap_reverse_continue(struct wt_dap *d, struct json_object *arguments,
                                    struct json_object **body, struct wt_error *err)
{
    return go_on(d, arguments, true, err);
}

static enum wt_status step(struct wt_dap *d, struct json_object *arguments, struct wt_step how,
                           struct wt_error *err)
{
    struct wt_stepped end;
    const char *granularity = dap_text(arguments, "granularity");
    how.count = 1;
    how.instructions = granularity && strcmp(granularity, "instruction") == 0;
    enum wt_status status = begin(d, arguments, "step", err);
    if (!status && how.back)
        status = need_history(d, err);
    if (!status)
        status = wt_program_step(d->g, &how, &end, err);
    if (d->g)
        d->g->alone = false;
    /* A step into a call that begins where it stands needs no run. */
    if (!status && !d->running)
        dap_begin_run(d);
    return status;
}

enum wt_status dap_next(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                        struct wt_error *err)
{
    return step(d, arguments, (struct wt_step){.over = true}, err);
}

enum wt_status dap_step_back(struct wt_dap *d, struct json_object *arguments,
                             struct json_object **body, struct wt_error *err)
{
    return step(d, arguments, (struct wt_step){.over = true, .back = true}, err);
}

/* Into call number @p address of the line: up to the call's instruction, then into it. */
static enum wt_status step_into(struct wt_dap *d, uint64_t address, struct wt_error *err)
{
    struct wt_stepped end;
    const struct wt_step into = {.count = 1};
    const struct wt_frame *frame;
    char place[32];
    enum wt_status status = wt_program_need_frame(d->g, &frame, err);
    if (status)
        return status;
    snprintf(place, sizeof place, "*0x%llx", (unsigned long long)address);
    if (frame->pc != address)
        status = wt_program_advance(d->g, place, &end, err);
    if (!status && d->g->started && !d->why_stopped.reason &&
        (status = wt_program_need_frame(d->g, &frame, err)) == WT_OK && frame->pc == address)
        status = wt_program_step(d->g, &into, &end, err);
    return status;
}

enum wt_status dap_step_in(struct wt_dap *d, struct json_object *arguments,
                           struct json_object **body, struct wt_error *err)
{
    int64_t target;
    if (!dap_number(arguments, "targetId", &target))
        return step(d, arguments, (struct wt_step){.over = false}, err);
    if (target < d->target_base || target >= d->target_base + (int64_t)d->target_count)
        return wt_fail(err, WT_INVALID, "target %lld is not of this stop", (long long)target);
    const uint64_t address = d->target[target - d->target_base].address;
    enum wt_status status = begin(d, arguments, "step", err);
    if (!status)
        status = step_into(d, address, err);
    d->g->alone = false;
    return status;
}

enum wt_status dap_step_out(struct wt_dap *d, struct json_object *arguments,
                            struct json_object **body, struct wt_error *err)
{
    struct wt_stepped end;
    const struct wt_type *type;
    enum wt_status status = begin(d, arguments, "step", err);
    if (!status)
        status = wt_program_finish(d->g, false, &end, &type, err);
    d->g->alone = false;
    return status;
}

enum wt_status dap_pause(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                         struct wt_error *err)
{
    if (!d->running && !(d->joined && d->g->waiting))
        return wt_fail(err, WT_STATE, "nothing runs: there is nothing to pause");
    if (!d->g->started)
        return wt_fail(err, WT_STATE,
                       "the program has not opened a GPU yet: there is nothing to pause");
    dap_answer(d, NULL);
    /* Between two parts of a step nobody waits. */
    if (!wt_program_interrupt(d->g))
        d->pauses = true;
    return WT_OK;
}

enum wt_status dap_goto(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                        struct wt_error *err)
{
    int64_t target;
    enum wt_status status = dap_need_number(arguments, "targetId", &target, err);
    if (!status)
        status = begin(d, arguments, "goto", err);
    d->g->alone = false;
    if (status)
        return status;
    if (target < d->target_base || target >= d->target_base + (int64_t)d->target_count)
        return wt_fail(err, WT_INVALID, "target %lld is not of this stop", (long long)target);
    status = wt_program_jump(d->g, d->target[target - d->target_base].address, err);
    if (!status)
        dap_begin_run(d);
    return status;
}

/* ---- targets ---- */

static bool add_target(struct wt_dap *d, uint64_t address)
{
    struct dap_target *grown =
        wt_array_grow(d->target, &d->target_capacity, d->target_count + 1, sizeof *grown);
    if (!grown)
        return false;
    d->target = grown;
    grown[d->target_count++] = (struct dap_target){.address = address};
    return true;
}

/* Where an instruction's text has an address of a function, that function's name. */
static bool called_name(struct wt_dap *d, const char *text, const char **name)
{
    uint64_t offset;
    for (const char *at = strstr(text, "0x"); at; at = strstr(at + 2, "0x"))
        if (wt_modules_function(d->g->modules, 0, strtoull(at, NULL, 16), name, &offset) && !offset)
            return true;
    return false;
}

/* The calls of the line at which a frame stands, from its place on. */
enum wt_status dap_step_in_targets(struct wt_dap *d, struct json_object *arguments,
                                   struct json_object **body, struct wt_error *err)
{
    int64_t id;
    const struct wt_frame *frame;
    struct wt_line_row row, first;
    const enum wt_status status = dap_need_frame(d, arguments, &id, &frame, err);
    if (status)
        return status;
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "targets");
    if (frame->level || !frame->symbols ||
        !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &first))
        return WT_OK;
    struct wt_code_line line;
    struct wt_instruction in;
    for (uint64_t at = frame->pc;
         wt_symbols_row(frame->symbols, at - frame->bias, &row) && row.line == first.line &&
         wt_program_instruction(d->g, at, &line, WT_IGNORED) == WT_OK && line.length;
         at += line.length) {
        const char *name = line.text;
        if (wt_debugger_instruction(d->g->debugger, d->g->thread, at, &in, WT_IGNORED) != WT_OK ||
            in.kind != WT_INSTRUCTION_CALL)
            continue;
        called_name(d, line.text, &name);
        const int64_t target = d->target_base + (int64_t)d->target_count;
        if (!add_target(d, at))
            break;
        struct json_object *o = dap_add_object(list);
        dap_put_number(o, "id", target);
        dap_put_text(o, "label", name + strspn(name, " "));
        dap_put_number(o, "line", dap_line_out(d, row.line));
    }
    return WT_OK;
}

enum wt_status dap_goto_targets(struct wt_dap *d, struct json_object *arguments,
                                struct json_object **body, struct wt_error *err)
{
    int64_t line;
    char *name = NULL, *place = NULL;
    uint64_t *addr = NULL;
    size_t count = 0;
    enum wt_status status = dap_need_number(arguments, "line", &line, err);
    if (!status)
        status = dap_source_name(d, dap_object(arguments, "source"), &name, err);
    if (status)
        return status;
    line = dap_line_in(d, line);
    place = dap_format("%s:%lld", name, (long long)line);
    if (place)
        wt_program_resolve(d->g, place, &addr, &count, WT_IGNORED);
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "targets");
    for (size_t i = 0; i < count; i++) {
        char text[300];
        const int64_t target = d->target_base + (int64_t)d->target_count;
        if (!add_target(d, addr[i]))
            break;
        wt_modules_describe(d->g->modules, 0, addr[i], text, sizeof text);
        struct json_object *o = dap_add_object(list);
        dap_put_number(o, "id", target);
        dap_put_text(o, "label", text);
        dap_put_number(o, "line", dap_line_out(d, (unsigned)line));
        dap_put_address(o, "instructionPointerReference", addr[i]);
    }
    free(addr);
    free(name);
    free(place);
    return WT_OK;
}
