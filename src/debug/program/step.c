/*
 * Steps: by lines and instructions, over calls and out of functions, forwards and backwards. A step
 * uses ranges of addresses, and breakpoints of its own for one lane of one wave.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"

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

static bool same_wave(struct wt_program *g, wt_thread a, wt_thread b)
{
    struct wt_wave x, y;
    return a == b || (wt_debugger_thread_wave(g->debugger, a, &x) &&
                      wt_debugger_thread_wave(g->debugger, b, &y) && x.id == y.id);
}

/* Whether a stop is at one of the step's own breakpoints, and at none of the user's. */
static bool is_internal_stop(struct wt_program *g, wt_thread thread)
{
    struct wt_thread_position place;
    bool internal = false;
    if (wt_debugger_thread_position(g->debugger, thread, &place, WT_IGNORED) != WT_OK)
        return false;
    for (size_t i = 0; i < g->internal_count; i++)
        internal |= g->internal[i].addr == place.pc;
    return internal && !pg_user_breakpoint_at(g, place.pc, thread, false);
}

/* Resumes the thread; p->done is set if another event was reported. */
static enum wt_status go(struct wt_program *g, struct plan *p, enum wt_resume_kind kind,
                         struct wt_error *err)
{
    enum wt_status status;
    for (;;) {
        const struct wt_resume list[2] = {
            {.thread = kind == WT_RESUME_CONTINUE && !p->back && !g->alone ? 0 : p->thread,
             .kind = kind,
             .start = p->start,
             .end = p->end},
            {.kind = WT_RESUME_CONTINUE}};
        g->thread = p->thread;
        const bool others = kind != WT_RESUME_CONTINUE && !p->back && !g->alone;
        status = pg_resume_and_wait(g, list, others ? 2 : 1, p->back, err);
        if (status)
            return status;
        const struct wt_event *e = &g->event;
        if (e->kind == WT_EVENT_STOPPED && same_wave(g, e->thread, p->thread)) {
            const bool stepped = e->reason == WT_STOP_STEP;
            if (stepped || (e->reason == WT_STOP_BREAKPOINT && is_internal_stop(g, e->thread))) {
                if (stepped)
                    p->thread = e->thread;
                wt_program_select(g, e->thread);
                g->faulted = false;
                return WT_OK;
            }
        }
        bool again;
        status = wt_program_report(g, &again, err);
        if (status || !again) {
            p->done = true;
            return status;
        }
    }
}

static enum wt_status run_to(struct wt_program *g, struct plan *p, const struct wt_stop_at *at,
                             struct wt_error *err)
{
    enum wt_status status = pg_insert_internal(g, at, err);
    if (status)
        return status;
    status = go(g, p, WT_RESUME_CONTINUE, err);
    pg_remove_internal(g, at->addr);
    return status;
}

/* The inlined call that a frame is of; NULL: it is a function's. */
static const void *block_of(const struct wt_frame *frame)
{
    return frame->inlined ? frame->scope[frame->first_scope].addr : NULL;
}

static bool begin_plan(struct wt_program *g, struct plan *p, const struct wt_frame *frame)
{
    struct wt_line_row row;
    p->thread = g->thread;
    p->function = wt_frame_function_start(frame);
    p->has_cfa = wt_frames_cfa(g->frames, 0, &p->cfa);
    if (!frame->symbols || !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
        return false;
    p->block = block_of(frame);
    p->file = g->hidden ? frame->path : row.file;
    p->line = g->hidden ? frame->line : row.line;
    p->start = row.start + frame->bias;
    p->end = row.end + frame->bias;
    return true;
}

/* Whether the innermost function was called by the function in which the plan began. */
static bool is_callee(struct wt_program *g, const struct plan *p, const struct wt_frame *frame)
{
    uint64_t cfa;
    if (!p->has_cfa)
        return false;
    if (wt_frames_cfa(g->frames, 0, &cfa) && cfa == p->cfa &&
        wt_frame_function_start(frame) == p->function)
        return false;
    const struct wt_frame *caller = pg_caller(g, frame);
    return caller && wt_frames_cfa(g->frames, caller->level, &cfa) && cfa == p->cfa &&
           wt_frame_function_start(caller) == p->function;
}

static bool is_same_frame(struct wt_program *g, const struct plan *p, const struct wt_frame *frame)
{
    uint64_t cfa;
    return p->has_cfa && wt_frames_cfa(g->frames, 0, &cfa) && cfa == p->cfa &&
           wt_frame_function_start(frame) == p->function;
}

/* Runs out of the current function, which the stepped line has called. */
static enum wt_status leave_callee(struct wt_program *g, struct plan *p,
                                   const struct wt_frame *frame, struct wt_error *err)
{
    struct wt_stop_at at = {.thread = p->thread};
    if (p->back) {
        /* Backwards, the function was entered by its return: runs to its first instruction, and one
         * instruction further. */
        at.addr = wt_frame_function_start(frame);
        at.has_cfa = wt_frames_cfa(g->frames, 0, &at.cfa);
        enum wt_status status = run_to(g, p, &at, err);
        return status || p->done ? status : go(g, p, WT_RESUME_STEP, err);
    }
    const struct wt_frame *caller = pg_caller(g, frame);
    at.addr = caller->pc;
    at.has_cfa = wt_frames_cfa(g->frames, 0, &at.cfa);
    return run_to(g, p, &at, err);
}

static enum wt_status enter_callee(struct wt_program *g, struct plan *p,
                                   const struct wt_frame *frame, struct wt_error *err)
{
    const uint64_t start = wt_frame_function_start(frame);
    const uint64_t body = wt_symbols_body(frame->symbols, start - frame->bias) + frame->bias;
    p->done = true;
    if (p->back || frame->pc != start || body == frame->pc)
        return WT_OK;
    const struct wt_stop_at at = {.addr = body, .thread = p->thread};
    p->done = false;
    enum wt_status status = run_to(g, p, &at, err);
    if (!p->done && !status)
        g->step_ended = true;
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
static enum inlined where_inlined(struct wt_program *g, const struct plan *p,
                                  const struct wt_frame *frame)
{
    const struct wt_frame *outer = frame;
    if (block_of(frame) == p->block)
        return g->hidden ? AT_CALL : OUTSIDE;
    while (outer && outer->physical == frame->physical && block_of(outer) != p->block)
        outer = wt_frames_get(g->frames, outer->level + 1);
    return outer && outer->physical == frame->physical ? WITHIN : OUTSIDE;
}

/* Examines where the thread has arrived: sets *done, or the next range in `p`. */
static enum wt_status examine_arrival(struct wt_program *g, struct plan *p, bool *done,
                                      struct wt_error *err)
{
    const struct wt_frame *frame;
    struct wt_line_row row;
    enum wt_status status = wt_program_need_frame(g, &frame, err);
    *done = true;
    if (status)
        return status;
    if (is_callee(g, p, frame)) {
        if (!p->over && has_lines(frame)) {
            g->step_ended = true;
            return enter_callee(g, p, frame, err);
        }
        if ((status = leave_callee(g, p, frame, err)) != WT_OK || p->done)
            return status;
        *done = false;
        if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
            return status;
    }
    *done = true;
    g->step_ended = true;
    if (!frame->symbols || !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
        return WT_OK;
    if (!row.line) { /* the compiler has assigned this code to no line: step through it */
        p->start = row.start + frame->bias;
        p->end = row.end + frame->bias;
        *done = g->step_ended = false;
        return WT_OK;
    }
    const bool same = is_same_frame(g, p, frame);
    const enum inlined inlined = same && !p->back ? where_inlined(g, p, frame) : OUTSIDE;
    if (inlined == AT_CALL && (frame->line != p->line || !p->over)) {
        /* A call on the stepped line is entered; for a call on another line, the step stops at the
         * line. */
        if (frame->line == p->line)
            pg_enter_calls(g, 0, 1);
        return WT_OK;
    }
    if (inlined == WITHIN && !p->over)
        return WT_OK;
    if (inlined != OUTSIDE) {
        p->start = row.start + frame->bias;
        p->end = row.end + frame->bias;
        *done = g->step_ended = false;
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
            p->function = wt_frame_function_start(frame);
            p->has_cfa = wt_frames_cfa(g->frames, 0, &p->cfa);
        }
    } else if (other_line && ((at_start && row.statement) || !same)) {
        return WT_OK;
    }
    p->start = row.start + frame->bias;
    p->end = row.end + frame->bias;
    *done = g->step_ended = false;
    return WT_OK;
}

/* One step by lines. *done: another event was reported. */
static enum wt_status step_line(struct wt_program *g, bool over, bool back, bool *done,
                                struct wt_error *err)
{
    const struct wt_frame *frame;
    struct plan p = {.over = over, .back = back};
    enum wt_status status;
    bool there = false;
    g->level = 0;
    if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
        return status;
    if (g->hidden && !over && !back) { /* the call begins here: no instruction needs to run */
        pg_enter_calls(g, 0, 1);
        g->step_ended = true;
        *done = false;
        return WT_OK;
    }
    if (!begin_plan(g, &p, frame)) {
        const char *name;
        uint64_t offset;
        p.over = true;
        if (!frame->symbols ||
            !wt_symbols_function(frame->symbols, frame->pc - frame->bias, &name, &offset))
            return wt_fail(err, WT_STATE, "Cannot find bounds of current function");
        pg_tell(g, &(struct wt_news){.kind = WT_NEWS_NO_LINES, .text = name});
        wt_symbols_extent(frame->symbols, frame->pc - frame->bias, &p.start, &p.end);
        p.start += frame->bias;
        p.end += frame->bias;
    }
    if (back && frame->pc == p.start) {
        /* The thread is at the beginning of its line: one instruction back is in another line. */
        status = go(g, &p, WT_RESUME_STEP, err);
        p.left = false;
        if (!status && !p.done)
            status = examine_arrival(g, &p, &there, err);
    } else if (back) {
        p.left = true;
    }
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done && !there; i++) {
        if (back && p.left) {
            /* Runs to the beginning of the line, and not further back. */
            struct plan one = p;
            one.start++;
            status = go(g, &one, WT_RESUME_RANGE, err);
            p.done = one.done;
        } else {
            status = go(g, &p, WT_RESUME_RANGE, err);
        }
        if (!status && !p.done)
            status = examine_arrival(g, &p, &there, err);
    }
    *done = p.done && !g->step_ended;
    return status;
}

/* ---- commands ---- */

struct where {
    uint64_t pc, function, cfa;
    bool has_cfa;
};

static struct where where_now(struct wt_program *g)
{
    struct where w = {0};
    const struct wt_frame *frame;
    if (wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK) {
        w.pc = frame->pc;
        w.function = wt_frame_function_start(frame);
        w.has_cfa = wt_frames_cfa(g->frames, 0, &w.cfa);
        if (frame->inlined)
            w.function ^= (uint64_t)(uintptr_t)frame->scope[frame->first_scope].addr << 1;
    }
    return w;
}

/* Reports the end of a step: the line, and its frame if that has changed. */
static void end_step(struct wt_program *g, const struct where *before, struct wt_stepped *end)
{
    struct wt_thread_position place;
    const bool by_step = g->event.reason == WT_STOP_STEP;
    if (!g->started)
        return;
    if (wt_debugger_thread_position(g->debugger, g->thread, &place, WT_IGNORED) == WT_OK &&
        !(g->entered && place.pc == before->pc) &&
        pg_user_breakpoint_at(g, place.pc, g->thread, by_step)) {
        bool again = false;
        g->event.kind = WT_EVENT_STOPPED;
        g->event.reason = WT_STOP_BREAKPOINT;
        g->event.thread = g->thread;
        g->by_step = by_step;
        wt_program_report(g, &again, WT_IGNORED);
        g->by_step = false;
        if (by_step)
            wt_debugger_pass_breakpoint(g->debugger, g->thread);
        if (!again) {
            end->show = end->with_frame = !g->stopped_silently;
            return;
        }
    }
    const struct where now = where_now(g);
    end->show = true;
    end->with_frame = now.function != before->function ||
                      (now.has_cfa && before->has_cfa && now.cfa != before->cfa);
}

static enum wt_status step_lines(struct wt_program *g, const struct wt_step *step, bool *done,
                                 struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (uint64_t count = step->count; count && !status && !*done && g->started; count--) {
        g->step_ended = false;
        status = step_line(g, step->over, step->back, done, err);
    }
    return status;
}

static enum wt_status step_instructions(struct wt_program *g, const struct wt_step *step,
                                        bool *done, struct wt_error *err)
{
    struct plan p = {.over = step->over, .back = step->back};
    const struct wt_frame *frame;
    enum wt_status status = WT_OK;
    for (uint64_t count = step->count; count && !status && !p.done; count--) {
        g->level = 0;
        if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
            return status;
        begin_plan(g, &p, frame);
        status = go(g, &p, WT_RESUME_STEP, err);
        if (status || p.done || !step->over)
            continue;
        if ((status = wt_program_need_frame(g, &frame, err)) == WT_OK && is_callee(g, &p, frame))
            status = leave_callee(g, &p, frame, err);
    }
    *done = p.done;
    return status;
}

enum wt_status wt_program_step(struct wt_program *g, const struct wt_step *step,
                               struct wt_stepped *end, struct wt_error *err)
{
    bool done = false;
    *end = (struct wt_stepped){.show = false};
    enum wt_status status = wt_program_need_run(g, err);
    if (!status)
        status = wt_program_need_thread(g, err);
    if (status)
        return status;
    const struct where before = where_now(g);
    status = step->instructions ? step_instructions(g, step, &done, err)
                                : step_lines(g, step, &done, err);
    if (!status && !done)
        end_step(g, &before, end);
    else if (!status)
        pg_show_stop(g, end);
    return status;
}

/* ---- finish ---- */

/* Runs out of an inlined call: until its frame is not among those of the function. */
static enum wt_status finish_inlined(struct wt_program *g, const struct wt_frame *frame,
                                     struct wt_stepped *end, struct wt_error *err)
{
    struct wt_line_row row;
    struct plan p = {.over = true};
    enum wt_status status = WT_OK;
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_FINISHING, .frame = frame});
    const struct wt_frame *outer = wt_frames_get(g->frames, frame->level + 1);
    const void *left = block_of(frame);
    if (!outer || !begin_plan(g, &p, frame))
        return wt_fail(err, WT_STATE, "Cannot find bounds of current function");
    g->level = 0;
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done; i++) {
        if ((status = go(g, &p, WT_RESUME_RANGE, err)) != WT_OK || p.done ||
            (status = wt_program_need_frame(g, &frame, err)) != WT_OK)
            break;
        if (is_callee(g, &p, frame)) {
            if ((status = leave_callee(g, &p, frame, err)) != WT_OK || p.done ||
                (status = wt_program_need_frame(g, &frame, err)) != WT_OK)
                break;
        }
        const struct wt_frame *f = frame;
        while (f && f->physical == frame->physical && block_of(f) != left)
            f = wt_frames_get(g->frames, f->level + 1);
        if (!is_same_frame(g, &p, frame) || !f || f->physical != frame->physical ||
            !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
            break;
        p.start = row.start + frame->bias;
        p.end = row.end + frame->bias;
    }
    if (!status)
        pg_show_stop(g, end);
    return status;
}

enum wt_status wt_program_finish(struct wt_program *g, bool back, struct wt_stepped *end,
                                 const struct wt_type **type, struct wt_error *err)
{
    const struct wt_frame *frame;
    struct plan p = {.back = back};
    *end = (struct wt_stepped){.show = false};
    *type = NULL;
    enum wt_status status = wt_program_need_run(g, err);
    if (!status)
        status = wt_program_need_frame(g, &frame, err);
    if (status)
        return status;
    if (frame->inlined && !back)
        return finish_inlined(g, frame, end, err);
    const struct wt_frame *caller = pg_caller(g, frame);
    if (!caller && !back)
        return wt_fail(err, WT_STATE, "\"finish\" not meaningful in the outermost frame.");
    pg_tell(g, &(struct wt_news){.kind = WT_NEWS_FINISHING, .frame = frame, .is_back = back});
    const struct wt_type *returned =
        frame->info ? wt_types_basic(wt_info_types(frame->info), "void") : NULL;
    if (frame->scope_count && !frame->inlined) {
        Dwarf_Die die = frame->scope[0];
        returned = wt_types_of(wt_info_types(frame->info), &die);
    }
    struct wt_stop_at at = {.thread = g->thread};
    at.has_cfa = wt_frames_cfa(g->frames, frame->level, &at.cfa);
    p.thread = g->thread;
    if (back) {
        at.addr = wt_frame_function_start(frame);
        at.has_cfa = false;
        status = run_to(g, &p, &at, err);
        if (!status && !p.done)
            status = go(g, &p, WT_RESUME_STEP, err);
    } else {
        at.addr = caller->pc;
        status = run_to(g, &p, &at, err);
    }
    if (status)
        return status;
    if (!p.done && !back)
        *type = returned;
    pg_show_stop(g, end);
    return WT_OK;
}

/* ---- until, advance ---- */

enum wt_status wt_program_advance(struct wt_program *g, const char *text, struct wt_stepped *end,
                                  struct wt_error *err)
{
    uint64_t *list;
    size_t count;
    struct plan p = {0};
    const struct wt_frame *frame;
    *end = (struct wt_stepped){.show = false};
    enum wt_status status = wt_program_need_run(g, err);
    if (!status)
        status = wt_program_need_frame(g, &frame, err);
    if (!status)
        status = wt_program_resolve(g, text, &list, &count, err);
    if (status)
        return status;
    p.thread = g->thread;
    /* The stepping also ends at the frame's return address. */
    const struct wt_frame *caller = pg_caller(g, frame);
    struct wt_stop_at out = {.thread = g->thread};
    if (caller) {
        out.addr = caller->pc;
        out.has_cfa = wt_frames_cfa(g->frames, 0, &out.cfa);
        status = pg_insert_internal(g, &out, err);
    }
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_stop_at at = {.addr = list[i], .thread = g->thread};
        status = pg_insert_internal(g, &at, err);
    }
    if (!status)
        status = go(g, &p, WT_RESUME_CONTINUE, err);
    for (size_t i = 0; i < count; i++)
        pg_remove_internal(g, list[i]);
    if (caller)
        pg_remove_internal(g, out.addr);
    free(list);
    if (!status)
        pg_show_stop(g, end);
    return status;
}

enum wt_status wt_program_until(struct wt_program *g, struct wt_stepped *end, struct wt_error *err)
{
    const struct wt_step next = {.over = true, .count = 1};
    *end = (struct wt_stepped){.show = false};
    enum wt_status status = wt_program_need_run(g, err);
    if (status)
        return status;
    const struct wt_frame *frame;
    struct wt_line_row row;
    struct plan p = {.over = true};
    g->level = 0;
    if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
        return status;
    if (!begin_plan(g, &p, frame))
        return wt_program_step(g, &next, end, err);
    const struct where before = where_now(g);
    /* All code of the function up to the end of this line. */
    p.start = p.function ? p.function : p.start;
    const uint64_t start = p.start, behind = p.end;
    bool there = false;
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done && !there; i++) {
        p.start = start;
        p.end = behind;
        status = go(g, &p, WT_RESUME_RANGE, err);
        if (!status && !p.done)
            status = examine_arrival(g, &p, &there, err);
        if (!there && !status && !p.done && wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK &&
            wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) && frame->pc >= behind) {
            struct plan rest = p;
            rest.start = row.start + frame->bias;
            rest.end = row.end + frame->bias;
            status = go(g, &rest, WT_RESUME_RANGE, err);
            p.done = rest.done;
            if (!status && !p.done)
                status = examine_arrival(g, &p, &there, err);
        }
    }
    if (status)
        return status;
    if (!p.done || g->step_ended)
        end_step(g, &before, end);
    else
        pg_show_stop(g, end);
    return WT_OK;
}
