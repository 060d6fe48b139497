/*
 * Steps: by lines and instructions, over calls and out of functions, forwards and backwards. A step
 * uses ranges of addresses, and breakpoints of its own for one lane of one wave.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "frontend/console/internal.h"

/* Limit on the ranges of one step: the user interrupts a line that does not end long before. */
#define MOST_RANGES 10000000u

/* The begin of a step. */
struct plan {
    wt_thread thread;
    uint64_t cfa, function;
    bool has_cfa;
    const char *file;
    unsigned line;
    const void *block;   /* the inlined call that it began in; NULL: the function itself */
    uint64_t start, end; /* the range that is stepped through */
    bool over;           /* calls are stepped over */
    bool back;
    bool left; /* backwards: the current line is another one than the first, or its middle */
    bool done; /* a stop was reported, and the step is at its end */
};

static bool same_wave(struct wt_shell *c, wt_thread a, wt_thread b)
{
    struct wt_wave x, y;
    return a == b || (wt_debugger_thread_wave(c->debugger, a, &x) &&
                      wt_debugger_thread_wave(c->debugger, b, &y) && x.id == y.id);
}

/* Whether a stop is at one of the step's own breakpoints, and at none of the user's. */
static bool is_internal_stop(struct wt_shell *c, wt_thread thread)
{
    struct wt_thread_position place;
    bool internal = false;
    if (wt_debugger_thread_position(c->debugger, thread, &place, WT_IGNORED) != WT_OK)
        return false;
    for (size_t i = 0; i < c->internal_count; i++)
        internal |= c->internal[i].addr == place.pc;
    return internal && !user_breakpoint_at(c, place.pc, thread, false);
}

/* Resumes the thread; p->done is set if another event was reported. */
static enum wt_status go(struct wt_shell *c, struct plan *p, enum wt_resume_kind kind,
                         struct wt_error *err)
{
    enum wt_status status;
    for (;;) {
        const struct wt_resume list[2] = {
            {.thread = kind == WT_RESUME_CONTINUE && !p->back ? 0 : p->thread,
             .kind = kind,
             .start = p->start,
             .end = p->end},
            {.kind = WT_RESUME_CONTINUE}};
        c->thread = p->thread;
        status =
            resume_and_wait(c, list, kind == WT_RESUME_CONTINUE || p->back ? 1 : 2, p->back, err);
        if (status)
            return status;
        const struct wt_event *e = &c->event;
        if (e->kind == WT_EVENT_STOPPED && same_wave(c, e->thread, p->thread)) {
            const bool stepped = e->reason == WT_STOP_STEP;
            if (stepped || (e->reason == WT_STOP_BREAKPOINT && is_internal_stop(c, e->thread))) {
                if (stepped)
                    p->thread = e->thread;
                select_thread(c, e->thread);
                c->faulted = false;
                return WT_OK;
            }
        }
        bool again;
        status = report_stop(c, &again, err);
        if (status || !again) {
            p->done = true;
            return status;
        }
    }
}

static enum wt_status run_to(struct wt_shell *c, struct plan *p, const struct stop_at *at,
                             struct wt_error *err)
{
    enum wt_status status = insert_internal(c, at, err);
    if (status)
        return status;
    status = go(c, p, WT_RESUME_CONTINUE, err);
    remove_internal(c, at->addr);
    return status;
}

/* The inlined call that a frame is of; NULL: it is a function's. */
static const void *block_of(const struct wt_frame *frame)
{
    return frame->inlined ? frame->scope[frame->first_scope].addr : NULL;
}

static bool begin_plan(struct wt_shell *c, struct plan *p, const struct wt_frame *frame)
{
    struct wt_line_row row;
    p->thread = c->thread;
    p->function = function_start(frame);
    p->has_cfa = wt_frames_cfa(c->frames, 0, &p->cfa);
    if (!frame->symbols || !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
        return false;
    p->block = block_of(frame);
    p->file = c->hidden ? frame->path : row.file;
    p->line = c->hidden ? frame->line : row.line;
    p->start = row.start + frame->bias;
    p->end = row.end + frame->bias;
    return true;
}

/* Whether the innermost function was called by the function in which the plan began. */
static bool is_callee(struct wt_shell *c, const struct plan *p, const struct wt_frame *frame)
{
    uint64_t cfa;
    if (!p->has_cfa)
        return false;
    if (wt_frames_cfa(c->frames, 0, &cfa) && cfa == p->cfa && function_start(frame) == p->function)
        return false;
    const struct wt_frame *caller = caller_of(c, frame);
    return caller && wt_frames_cfa(c->frames, caller->level, &cfa) && cfa == p->cfa &&
           function_start(caller) == p->function;
}

static bool is_same_frame(struct wt_shell *c, const struct plan *p, const struct wt_frame *frame)
{
    uint64_t cfa;
    return p->has_cfa && wt_frames_cfa(c->frames, 0, &cfa) && cfa == p->cfa &&
           function_start(frame) == p->function;
}

/* Runs out of the current function, which the stepped line has called. */
static enum wt_status leave_callee(struct wt_shell *c, struct plan *p, const struct wt_frame *frame,
                                   struct wt_error *err)
{
    struct stop_at at = {.thread = p->thread};
    if (p->back) {
        /* Backwards, the function was entered by its return: runs to its first instruction, and one
         * instruction further. */
        at.addr = function_start(frame);
        at.has_cfa = wt_frames_cfa(c->frames, 0, &at.cfa);
        enum wt_status status = run_to(c, p, &at, err);
        return status || p->done ? status : go(c, p, WT_RESUME_STEP, err);
    }
    const struct wt_frame *caller = caller_of(c, frame);
    at.addr = caller->pc;
    at.has_cfa = wt_frames_cfa(c->frames, 0, &at.cfa);
    return run_to(c, p, &at, err);
}

static enum wt_status enter_callee(struct wt_shell *c, struct plan *p, const struct wt_frame *frame,
                                   struct wt_error *err)
{
    const uint64_t start = function_start(frame);
    const uint64_t body = wt_symbols_body(frame->symbols, start - frame->bias) + frame->bias;
    p->done = true;
    if (p->back || frame->pc != start || body == frame->pc)
        return WT_OK;
    const struct stop_at at = {.addr = body, .thread = p->thread};
    p->done = false;
    enum wt_status status = run_to(c, p, &at, err);
    if (!p->done && !status)
        c->step_ended = true;
    p->done = true;
    return status;
}

static bool has_lines(const struct wt_frame *frame)
{
    struct wt_line_row row;
    return frame->symbols && wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) &&
           row.line;
}

enum inlined { OUTSIDE, AT_CALL, WITHIN };

/* The position of a thread in the function in which the plan began: at the beginning of a call
 * inlined into the plan's frame, within such a call, or elsewhere. */
static enum inlined where_inlined(struct wt_shell *c, const struct plan *p,
                                  const struct wt_frame *frame)
{
    const struct wt_frame *outer = frame;
    if (block_of(frame) == p->block)
        return c->hidden ? AT_CALL : OUTSIDE;
    while (outer && outer->physical == frame->physical && block_of(outer) != p->block)
        outer = wt_frames_get(c->frames, outer->level + 1);
    return outer && outer->physical == frame->physical ? WITHIN : OUTSIDE;
}

/* Examines where the thread has arrived: sets *done, or the next range in `p`. */
static enum wt_status look(struct wt_shell *c, struct plan *p, bool *done, struct wt_error *err)
{
    const struct wt_frame *frame;
    struct wt_line_row row;
    enum wt_status status = need_frame(c, &frame, err);
    *done = true;
    if (status)
        return status;
    if (is_callee(c, p, frame)) {
        if (!p->over && has_lines(frame)) {
            c->step_ended = true;
            return enter_callee(c, p, frame, err);
        }
        if ((status = leave_callee(c, p, frame, err)) != WT_OK || p->done)
            return status;
        *done = false;
        if ((status = need_frame(c, &frame, err)) != WT_OK)
            return status;
    }
    *done = true;
    c->step_ended = true;
    if (!frame->symbols || !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
        return WT_OK;
    if (!row.line) { /* the compiler has assigned this code to no line: step through it */
        p->start = row.start + frame->bias;
        p->end = row.end + frame->bias;
        *done = c->step_ended = false;
        return WT_OK;
    }
    const bool same = is_same_frame(c, p, frame);
    const enum inlined inlined = same && !p->back ? where_inlined(c, p, frame) : OUTSIDE;
    if (inlined == AT_CALL && (frame->line != p->line || !p->over)) {
        /* A call on the stepped line is entered; for a call on another line, the step stops at the
         * line. */
        if (frame->line == p->line)
            enter_calls(c, 0, 1);
        return WT_OK;
    }
    if (inlined == WITHIN && !p->over)
        return WT_OK;
    if (inlined != OUTSIDE) {
        p->start = row.start + frame->bias;
        p->end = row.end + frame->bias;
        *done = c->step_ended = false;
        return WT_OK;
    }
    const bool other_line = row.line != p->line || !p->file || strcmp(row.file, p->file) != 0;
    const bool at_start = row.start + frame->bias == frame->pc;
    if (p->back) {
        /* As forwards, a line at which no statement begins is passed. */
        if (at_start && row.statement && (other_line || (same && p->left)))
            return WT_OK;
        if (other_line) { /* on to the beginning of that line */
            p->file = row.file;
            p->line = row.line;
            p->left = true;
            p->function = function_start(frame);
            p->has_cfa = wt_frames_cfa(c->frames, 0, &p->cfa);
        }
    } else if (other_line && ((at_start && row.statement) || !same)) {
        return WT_OK;
    }
    p->start = row.start + frame->bias;
    p->end = row.end + frame->bias;
    *done = c->step_ended = false;
    return WT_OK;
}

/* One step by lines. *done: another event was reported. */
static enum wt_status step_line(struct wt_shell *c, bool over, bool back, bool *done,
                                struct wt_error *err)
{
    const struct wt_frame *frame;
    struct plan p = {.over = over, .back = back};
    enum wt_status status;
    bool there = false;
    c->level = 0;
    if ((status = need_frame(c, &frame, err)) != WT_OK)
        return status;
    if (c->hidden && !over && !back) { /* the call begins here: no instruction needs to run */
        enter_calls(c, 0, 1);
        c->step_ended = true;
        *done = false;
        return WT_OK;
    }
    if (!begin_plan(c, &p, frame)) {
        const char *name;
        uint64_t offset;
        p.over = true;
        if (!frame->symbols ||
            !wt_symbols_function(frame->symbols, frame->pc - frame->bias, &name, &offset))
            return wt_fail(err, WT_STATE, "Cannot find bounds of current function");
        fprintf(c->out,
                "Single stepping until exit from function %s,\nwhich has no line number "
                "information.\n",
                name);
        wt_symbols_extent(frame->symbols, frame->pc - frame->bias, &p.start, &p.end);
        p.start += frame->bias;
        p.end += frame->bias;
    }
    if (back && frame->pc == p.start) {
        /* The thread is at the beginning of its line: one instruction back is in another line. */
        status = go(c, &p, WT_RESUME_STEP, err);
        p.left = false;
        if (!status && !p.done)
            status = look(c, &p, &there, err);
    } else if (back) {
        p.left = true;
    }
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done && !there; i++) {
        if (back && p.left) {
            /* Runs to the beginning of the line, and not further back. */
            struct plan one = p;
            one.start++;
            status = go(c, &one, WT_RESUME_RANGE, err);
            p.done = one.done;
        } else {
            status = go(c, &p, WT_RESUME_RANGE, err);
        }
        if (!status && !p.done)
            status = look(c, &p, &there, err);
    }
    *done = p.done && !c->step_ended;
    return status;
}

/* ---- commands ---- */

struct where {
    uint64_t pc, function, cfa;
    bool has_cfa;
};

static struct where where_now(struct wt_shell *c)
{
    struct where w = {0};
    const struct wt_frame *frame;
    if (need_frame(c, &frame, WT_IGNORED) == WT_OK) {
        w.pc = frame->pc;
        w.function = function_start(frame);
        w.has_cfa = wt_frames_cfa(c->frames, 0, &w.cfa);
        if (frame->inlined)
            w.function ^= (uint64_t)(uintptr_t)frame->scope[frame->first_scope].addr << 1;
    }
    return w;
}

/* Prints a step's end: the line, and its frame if that has changed. */
static void show_step(struct wt_shell *c, const struct where *before)
{
    struct wt_thread_position place;
    const bool by_step = c->event.reason == WT_STOP_STEP;
    if (!c->started)
        return;
    if (wt_debugger_thread_position(c->debugger, c->thread, &place, WT_IGNORED) == WT_OK &&
        !(c->entered && place.pc == before->pc) &&
        user_breakpoint_at(c, place.pc, c->thread, by_step)) {
        bool again = false;
        c->event.kind = WT_EVENT_STOPPED;
        c->event.reason = WT_STOP_BREAKPOINT;
        c->event.thread = c->thread;
        c->by_step = by_step;
        report_stop(c, &again, WT_IGNORED);
        c->by_step = false;
        if (by_step)
            wt_debugger_pass_breakpoint(c->debugger, c->thread);
        if (!again) {
            if (!c->stopped_silently) {
                show_stop(c, true);
                show_displays(c);
            }
            return;
        }
    }
    const struct where now = where_now(c);
    show_stop(c, now.function != before->function ||
                     (now.has_cfa && before->has_cfa && now.cfa != before->cfa));
    show_displays(c);
}

static enum wt_status take_count(const char *text, const char *command, uint64_t *count,
                                 struct wt_error *err)
{
    *count = 1;
    if (*text && (!take_number(&text, count) || *text))
        return wt_fail(err, WT_INVALID, "%s takes a number of steps", command);
    return WT_OK;
}

static enum wt_status step_lines(struct wt_shell *c, const char *text, bool over, bool back,
                                 struct wt_error *err)
{
    uint64_t count;
    bool done = false;
    enum wt_status status = need_run(c, err);
    if (!status)
        status = take_count(text, over ? "next" : "step", &count, err);
    if (!status)
        status = need_thread(c, err);
    if (status)
        return status;
    const struct where before = where_now(c);
    for (; count && !status && !done && c->started; count--) {
        c->step_ended = false;
        status = step_line(c, over, back, &done, err);
    }
    if (status)
        return status;
    if (!done)
        show_step(c, &before);
    else if (c->started && !c->stopped_silently) {
        show_stop(c, true);
        show_displays(c);
    }
    return WT_OK;
}

enum wt_status do_step(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_lines(c, text, false, false, err);
}

enum wt_status do_next(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_lines(c, text, true, false, err);
}

enum wt_status do_reverse_step(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_lines(c, text, false, true, err);
}

enum wt_status do_reverse_next(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_lines(c, text, true, true, err);
}

static enum wt_status step_instructions(struct wt_shell *c, const char *text, bool over, bool back,
                                        struct wt_error *err)
{
    uint64_t count;
    struct plan p = {.over = over, .back = back};
    const struct wt_frame *frame;
    enum wt_status status = need_run(c, err);
    if (!status)
        status = take_count(text, over ? "nexti" : "stepi", &count, err);
    if (!status)
        status = need_thread(c, err);
    if (status)
        return status;
    const struct where before = where_now(c);
    for (; count && !status && !p.done; count--) {
        c->level = 0;
        if ((status = need_frame(c, &frame, err)) != WT_OK)
            return status;
        begin_plan(c, &p, frame);
        status = go(c, &p, WT_RESUME_STEP, err);
        if (status || p.done || !over)
            continue;
        if ((status = need_frame(c, &frame, err)) == WT_OK && is_callee(c, &p, frame))
            status = leave_callee(c, &p, frame, err);
    }
    if (status)
        return status;
    if (!p.done)
        show_step(c, &before);
    else if (c->started && !c->stopped_silently) {
        show_stop(c, true);
        show_displays(c);
    }
    return WT_OK;
}

enum wt_status do_stepi(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_instructions(c, text, false, false, err);
}

enum wt_status do_nexti(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_instructions(c, text, true, false, err);
}

enum wt_status do_reverse_stepi(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_instructions(c, text, false, true, err);
}

enum wt_status do_reverse_nexti(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return step_instructions(c, text, true, true, err);
}

/* ---- finish ---- */

/* Runs out of an inlined call: until its frame is not among those of the function. */
static enum wt_status finish_inlined(struct wt_shell *c, const struct wt_frame *frame,
                                     struct wt_error *err)
{
    struct wt_line_row row;
    struct plan p = {.over = true};
    enum wt_status status = WT_OK;
    fputs("Run till exit from ", c->out);
    print_frame(c, frame, true, frame->level > 0);
    const struct wt_frame *outer = wt_frames_get(c->frames, frame->level + 1);
    const void *left = block_of(frame);
    if (!outer || !begin_plan(c, &p, frame))
        return wt_fail(err, WT_STATE, "Cannot find bounds of current function");
    c->level = 0;
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done; i++) {
        if ((status = go(c, &p, WT_RESUME_RANGE, err)) != WT_OK || p.done ||
            (status = need_frame(c, &frame, err)) != WT_OK)
            break;
        if (is_callee(c, &p, frame)) {
            if ((status = leave_callee(c, &p, frame, err)) != WT_OK || p.done ||
                (status = need_frame(c, &frame, err)) != WT_OK)
                break;
        }
        const struct wt_frame *f = frame;
        while (f && f->physical == frame->physical && block_of(f) != left)
            f = wt_frames_get(c->frames, f->level + 1);
        if (!is_same_frame(c, &p, frame) || !f || f->physical != frame->physical ||
            !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
            break;
        p.start = row.start + frame->bias;
        p.end = row.end + frame->bias;
    }
    if (!status && c->started && !c->stopped_silently) {
        show_stop(c, true);
        show_displays(c);
    }
    return status;
}

static enum wt_status finish(struct wt_shell *c, const char *text, bool back, struct wt_error *err)
{
    const struct wt_frame *frame;
    struct plan p = {.back = back};
    enum wt_status status = take_no_arguments(text, "finish", err);
    if (!status)
        status = need_run(c, err);
    if (!status)
        status = need_frame(c, &frame, err);
    if (status)
        return status;
    if (frame->inlined && !back)
        return finish_inlined(c, frame, err);
    const struct wt_frame *caller = caller_of(c, frame);
    if (!caller && !back)
        return wt_fail(err, WT_STATE, "\"finish\" not meaningful in the outermost frame.");
    fprintf(c->out, back ? "Run back to call of " : "Run till exit from ");
    print_frame(c, frame, true, frame->level > 0);
    const struct wt_type *type = NULL;
    if (frame->scope_count && !frame->inlined) {
        Dwarf_Die die = frame->scope[0];
        type = wt_types_of(wt_info_types(frame->info), &die);
    }
    struct stop_at at = {.thread = c->thread};
    at.has_cfa = wt_frames_cfa(c->frames, frame->level, &at.cfa);
    p.thread = c->thread;
    if (back) {
        at.addr = function_start(frame);
        at.has_cfa = false;
        status = run_to(c, &p, &at, err);
        if (!status && !p.done)
            status = go(c, &p, WT_RESUME_STEP, err);
    } else {
        at.addr = caller->pc;
        status = run_to(c, &p, &at, err);
    }
    if (status)
        return status;
    if (c->started && !c->stopped_silently) {
        show_stop(c, true);
        if (!p.done && !back && type)
            print_returned(c, type);
        show_displays(c);
    }
    return WT_OK;
}

enum wt_status do_finish(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return finish(c, text, false, err);
}

enum wt_status do_reverse_finish(struct wt_shell *c, const char *text, struct wt_error *err)
{
    return finish(c, text, true, err);
}

/* ---- until, advance ---- */

static enum wt_status advance_to(struct wt_shell *c, const char *text, struct wt_error *err)
{
    uint64_t *list;
    size_t count;
    struct plan p = {0};
    const struct wt_frame *frame;
    enum wt_status status = need_frame(c, &frame, err);
    if (!status)
        status = resolve_place(c, text, &list, &count, NULL, err);
    if (status)
        return status;
    p.thread = c->thread;
    /* The stepping also ends at the frame's return address. */
    const struct wt_frame *caller = caller_of(c, frame);
    struct stop_at out = {.thread = c->thread};
    if (caller) {
        out.addr = caller->pc;
        out.has_cfa = wt_frames_cfa(c->frames, 0, &out.cfa);
        status = insert_internal(c, &out, err);
    }
    for (size_t i = 0; i < count && !status; i++) {
        const struct stop_at at = {.addr = list[i], .thread = c->thread};
        status = insert_internal(c, &at, err);
    }
    if (!status)
        status = go(c, &p, WT_RESUME_CONTINUE, err);
    for (size_t i = 0; i < count; i++)
        remove_internal(c, list[i]);
    if (caller)
        remove_internal(c, out.addr);
    free(list);
    if (status)
        return status;
    if (c->started && !c->stopped_silently) {
        show_stop(c, true);
        show_displays(c);
    }
    return WT_OK;
}

enum wt_status do_advance(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = need_run(c, err);
    if (status)
        return status;
    if (!*text)
        return wt_fail(err, WT_INVALID, "Argument required (a location).");
    return advance_to(c, text, err);
}

enum wt_status do_until(struct wt_shell *c, const char *text, struct wt_error *err)
{
    enum wt_status status = need_run(c, err);
    if (status)
        return status;
    if (*text)
        return advance_to(c, text, err);
    /* Steps as next does, but follows a jump back until a later line is reached. */
    const struct wt_frame *frame;
    struct wt_line_row row;
    struct plan p = {.over = true};
    c->level = 0;
    if ((status = need_frame(c, &frame, err)) != WT_OK)
        return status;
    if (!begin_plan(c, &p, frame))
        return step_lines(c, "", true, false, err);
    const struct where before = where_now(c);
    /* All code of the function up to the end of this line. */
    p.start = p.function ? p.function : p.start;
    const uint64_t start = p.start, end = p.end;
    bool there = false;
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done && !there; i++) {
        p.start = start;
        p.end = end;
        status = go(c, &p, WT_RESUME_RANGE, err);
        if (!status && !p.done)
            status = look(c, &p, &there, err);
        if (!there && !status && !p.done && need_frame(c, &frame, WT_IGNORED) == WT_OK &&
            wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) && frame->pc >= end) {
            struct plan rest = p;
            rest.start = row.start + frame->bias;
            rest.end = row.end + frame->bias;
            status = go(c, &rest, WT_RESUME_RANGE, err);
            p.done = rest.done;
            if (!status && !p.done)
                status = look(c, &p, &there, err);
        }
    }
    if (status)
        return status;
    if (!p.done || c->step_ended)
        show_step(c, &before);
    else if (c->started)
        show_stop(c, true);
    return WT_OK;
}
