/*
 * Steps: by lines and instructions, over calls and out of functions, forwards and backwards. A step
 * uses ranges of addresses, and breakpoints of its own for one lane of one wave.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/program/internal.h"
#include "debug/source/inlined.h"

/* Limit on the ranges of one step: the user interrupts a line that does not end long before. */
#define MOST_RANGES 10000000u

#define NOWHERE UINT64_MAX

/* The begin of a step. */
struct step_plan {
    wt_thread thread;
    uint64_t cfa, function;
    uint64_t caller_cfa;
    bool has_cfa, has_caller;
    const char *file;
    unsigned line;
    const void *block;   /* the inlined call that it began in; NULL: the function itself */
    uint64_t start, end; /* the range that is stepped through */
    bool over;           /* calls are stepped over */
    bool back;
    bool left;       /* backwards: the step ends where the current line begins */
    uint64_t begin;  /* backwards: that address; NOWHERE: no statement of the line begins there */
    uint64_t origin; /* backwards: the address at which the step began; NOWHERE: it has gone on */
    bool done;       /* a stop was reported, and the step is at its end */
    bool held;       /* the others do not run */
    bool anywhere;   /* it began in code that steps pass, and passes none */
    struct wt_follow follow;
    uint64_t own; /* where the thread stood first; 0: it has not gone yet */
};

/* The command is at its end, with a stop that was told or with its own. */
static void show_stop(struct wt_program *g, struct wt_stepped *end)
{
    pg_tell_passed(g);
    pg_show_stop(g, end);
}

/* Resumes the thread; p->done is set if another event was reported. */
static enum wt_status go(struct wt_program *g, struct step_plan *p, enum wt_resume_kind kind,
                         struct wt_error *err)
{
    struct wt_thread_position place;
    enum wt_status status;
    const bool goes_on = p->own != 0;
    if (!p->own &&
        wt_debugger_thread_position(g->debugger, p->thread, &place, WT_IGNORED) == WT_OK) {
        p->own = place.pc;
        if (!p->held && !p->back)
            pg_list_left_out(g, p->thread, p->own);
        else
            g->left_out_count = 0;
    }
    if (p->follow.company == WT_COMPANY_GROUP)
        p->follow.company = WT_COMPANY_NONE;
    for (;;) {
        const struct wt_resume what = {.thread = p->thread,
                                       .kind = kind,
                                       .start = p->start,
                                       .end = p->end,
                                       .goes_on = goes_on};
        g->thread = p->thread;
        p->follow.held = p->held || g->alone;
        status = p->back ? pg_resume_and_wait(g, &what, 1, true, err)
                         : pg_follow(g, &p->follow, &what, err);
        if (status)
            return status;
        const struct wt_event *e = &g->event;
        if (e->kind == WT_EVENT_STOPPED && pg_same_wave(g, e->thread, p->thread)) {
            const bool stepped = e->reason == WT_STOP_STEP;
            if (stepped || (e->reason == WT_STOP_BREAKPOINT && pg_is_internal_stop(g, e->thread))) {
                if (stepped)
                    p->thread = e->thread;
                wt_program_select(g, e->thread);
                g->faulted = false;
                return WT_OK;
            }
        }
        bool again;
        pg_tell_passed(g);
        status = wt_program_report(g, &again, err);
        if (status || !again) {
            p->done = true;
            return status;
        }
    }
}

static enum wt_status run_to(struct wt_program *g, struct step_plan *p, const struct wt_stop_at *at,
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

static bool caller_cfa(struct wt_program *g, const struct wt_frame *frame, uint64_t *cfa)
{
    const struct wt_frame *caller = pg_caller(g, frame);
    return caller && wt_frames_cfa(g->frames, caller->level, cfa);
}

/* Whether steps pass the code of a frame. */
static bool passes(const struct wt_program *g, const struct wt_frame *frame)
{
    return wt_program_passes(g, frame->path, frame->function);
}

static bool begin_plan(struct wt_program *g, struct step_plan *p, const struct wt_frame *frame)
{
    struct wt_line_row row;
    p->thread = g->thread;
    p->function = wt_frame_function_start(frame);
    p->has_cfa = wt_frames_cfa(g->frames, 0, &p->cfa);
    if (!frame->symbols || !wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
        return false;
    p->block = block_of(frame);
    p->anywhere = passes(g, frame);
    p->file = g->hidden ? frame->path : row.file;
    p->line = g->hidden ? frame->line : row.line;
    p->start = row.start + frame->bias;
    p->end = row.end + frame->bias;
    return true;
}

/* Whether the innermost function was called by the function in which the plan began. */
static bool is_callee(struct wt_program *g, const struct step_plan *p, const struct wt_frame *frame)
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

/* Whether the function in which the plan began has jumped to another one, which returns to its
 * caller: a tail call. */
static bool is_tail_call(struct wt_program *g, const struct step_plan *p,
                         const struct wt_frame *frame)
{
    const uint64_t function = wt_frame_function_start(frame);
    uint64_t cfa;
    return frame->pc == function && function != p->function && p->has_caller &&
           caller_cfa(g, frame, &cfa) && cfa == p->caller_cfa;
}

static bool is_same_frame(struct wt_program *g, const struct step_plan *p,
                          const struct wt_frame *frame)
{
    uint64_t cfa;
    return p->has_cfa && wt_frames_cfa(g->frames, 0, &cfa) && cfa == p->cfa &&
           wt_frame_function_start(frame) == p->function;
}

/* Whether a thread has come to another function that steps pass, and out of which there is a way.
 */
static bool is_passed(struct wt_program *g, const struct step_plan *p, const struct wt_frame *frame)
{
    return !p->anywhere && !is_same_frame(g, p, frame) && passes(g, pg_function_of(g, frame)) &&
           pg_caller(g, frame);
}

/* Runs out of the current function, which the stepped line has called. */
static enum wt_status leave_callee(struct wt_program *g, struct step_plan *p,
                                   const struct wt_frame *frame, struct wt_error *err)
{
    struct wt_stop_at at = {.thread = p->thread};
    if (p->back) {
        /* Backwards, the function was entered by its return: runs to its first instruction, and one
         * instruction further. */
        at.addr = wt_frame_function_start(frame);
        at.has_cfa = wt_frames_cfa(g->frames, 0, &at.cfa);
        enum wt_status status = frame->pc == at.addr ? WT_OK : run_to(g, p, &at, err);
        return status || p->done ? status : go(g, p, WT_RESUME_STEP, err);
    }
    const struct wt_frame *caller = pg_caller(g, frame);
    at.addr = caller->pc;
    at.has_cfa = wt_frames_cfa(g->frames, 0, &at.cfa);
    return run_to(g, p, &at, err);
}

static enum wt_status enter_callee(struct wt_program *g, struct step_plan *p,
                                   const struct wt_frame *frame, struct wt_error *err)
{
    const uint64_t start = wt_frame_function_start(frame);
    const uint64_t body = wt_symbols_body(frame->symbols, start - frame->bias) + frame->bias;
    p->done = true;
    if (frame->pc != start || body == frame->pc)
        return WT_OK;
    const struct wt_stop_at at = {.addr = body, .thread = p->thread};
    p->done = false;
    enum wt_status status = run_to(g, p, &at, err);
    if (!p->done && !status)
        g->step_ended = true;
    p->done = true;
    return status;
}

/* Whether a function has lines of its own: the last one of a function before it may go on to where
 * a routine of the compiler's is, which has no name or none in the debug information. */
static bool has_lines(const struct wt_frame *frame)
{
    struct wt_line_row row;
    const uint64_t start = wt_frame_function_start(frame);
    return start && frame->symbols &&
           wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) && row.line &&
           row.end + frame->bias > start &&
           (row.start + frame->bias >= start || frame->scope_count);
}

/* A line of the function or inlined call in which a step is. */
struct position {
    const char *file;
    unsigned line;
};

static bool is_same_position(struct position a, struct position b)
{
    return a.line == b.line && a.file && b.file && strcmp(a.file, b.file) == 0;
}

/* Calls that are inlined at an address, the innermost first, and the function that they are in. */
struct calls {
    unsigned count;
    unsigned own;   /* the plan's; `count`: it is none of them, or the function is another one */
    unsigned shown; /* the innermost at which the step may stop */
    struct position at; /* its line */
};

static struct calls calls_at(const struct wt_program *g, const struct step_plan *p, bool in_own,
                             struct wt_symbols *symbols, uint64_t addr)
{
    Dwarf_Die scope[WT_SCOPES];
    struct wt_inlined list[WT_SCOPES + 1];
    struct calls c = {.count = wt_inlined_at(symbols, addr, scope, list)};
    while (
        c.own < c.count &&
        (!in_own || p->block != (list[c.own].inlined ? scope[list[c.own].first_scope].addr : NULL)))
        c.own++;
    const unsigned outermost = c.own < c.count ? c.own : c.count - 1;
    if (p->over && c.own < c.count)
        c.shown = c.own;
    else
        for (unsigned i = 0; i < outermost && !p->anywhere; i++)
            if (wt_program_passes(g, list[i].path, list[i].function))
                c.shown = i + 1;
    c.at = (struct position){list[c.shown].path, list[c.shown].line};
    return c;
}

/* The line at an address of the file. In a call that was inlined there, it is the call's line if
 * calls are stepped over, or the call is passed. */
static struct position line_at(const struct wt_program *g, const struct step_plan *p,
                               struct wt_symbols *symbols, uint64_t addr)
{
    return calls_at(g, p, true, symbols, addr).at;
}

/* The address at which the line of the frame begins, as far as its code stands together: code that
 * belongs to no line, or at which no statement begins, may be between. NOWHERE: no statement begins
 * there. */
static uint64_t line_begin(const struct wt_program *g, const struct step_plan *p,
                           const struct wt_frame *frame)
{
    struct wt_symbols *symbols = frame->symbols;
    uint64_t at = frame->pc - frame->bias, begin = NOWHERE;
    const struct position here = line_at(g, p, symbols, at);
    struct wt_line_row row;
    while (wt_symbols_row(symbols, at, &row)) {
        const struct position now = line_at(g, p, symbols, row.start);
        const bool inlined = now.line != row.line;
        if (is_same_position(now, here) && (row.statement || inlined))
            begin = row.start + frame->bias;
        else if (row.line && row.statement && !is_same_position(now, here))
            break;
        if (row.start + frame->bias <= wt_frame_function_start(frame))
            break;
        at = row.start - 1;
    }
    return begin;
}

enum inlined { OUTSIDE, AT_CALL, WITHIN };

/* The position of a thread in the function in which the plan began: at the beginning of a call
 * inlined into the plan's frame, within such a call, or elsewhere. */
static enum inlined where_inlined(struct wt_program *g, const struct step_plan *p,
                                  const struct wt_frame *frame)
{
    const struct wt_frame *outer = frame;
    if (block_of(frame) == p->block)
        return g->hidden ? AT_CALL : OUTSIDE;
    while (outer && outer->physical == frame->physical && block_of(outer) != p->block)
        outer = wt_frames_get(g->frames, outer->level + 1);
    return outer && outer->physical == frame->physical ? WITHIN : OUTSIDE;
}

/* Takes over the line and the function of the frame, in which a step backwards has arrived. */
static void enter_line(struct wt_program *g, struct step_plan *p, const struct wt_frame *frame)
{
    p->left = true;
    p->function = wt_frame_function_start(frame);
    p->has_cfa = wt_frames_cfa(g->frames, 0, &p->cfa);
    p->block = block_of(frame);
    const struct position now = line_at(g, p, frame->symbols, frame->pc - frame->bias);
    p->file = now.file;
    p->line = now.line;
}

/* A step backwards has left its line other than by the line's first address: a jump had led into
 * the middle. *there: a step forwards would have stopped at that instruction, and the thread stands
 * there now. */
static enum wt_status find_entry(struct wt_program *g, struct step_plan *p, bool *there,
                                 struct wt_error *err)
{
    struct step_plan forwards = *p;
    const struct wt_frame *frame;
    struct wt_line_row row;
    forwards.back = false;
    enum wt_status status = go(g, &forwards, WT_RESUME_STEP, err);
    if (!status)
        status = wt_program_need_frame(g, &frame, err);
    if (status || forwards.done) {
        p->done = forwards.done;
        return status;
    }
    *there = frame->pc != p->origin &&
             wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row) && row.statement &&
             row.start + frame->bias == frame->pc && row.line == p->line;
    return *there ? WT_OK : go(g, p, WT_RESUME_STEP, err);
}

/* The plan goes on through the code of a row. */
static enum wt_status step_through(struct wt_program *g, struct step_plan *p,
                                   const struct wt_frame *frame, const struct wt_line_row *row,
                                   bool *done)
{
    p->start = row->start + frame->bias;
    p->end = row->end + frame->bias;
    *done = g->step_ended = false;
    return WT_OK;
}

/* Where a step backwards has arrived: as examine_arrival. */
static enum wt_status arrive_back(struct wt_program *g, struct step_plan *p,
                                  const struct wt_frame *frame, bool *done, struct wt_error *err)
{
    struct wt_line_row row;
    uint64_t cfa;
    enum wt_status status = WT_OK;
    const struct position here = {p->file, p->line};
    const bool moved = wt_frame_function_start(frame) != p->function ||
                       (p->has_cfa && wt_frames_cfa(g->frames, 0, &cfa) && cfa != p->cfa);
    const bool other =
        moved || !is_same_position(line_at(g, p, frame->symbols, frame->pc - frame->bias), here);
    if (other && !moved && p->left && p->begin != NOWHERE) {
        status = find_entry(g, p, done, err);
        if (status || p->done || *done)
            return status;
        if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
            return status;
    }
    p->origin = NOWHERE;
    const struct calls calls = calls_at(g, p, false, frame->symbols, frame->pc - frame->bias);
    if (g->hidden < calls.shown && !p->over &&
        wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row))
        return step_through(g, p, frame, &row, done);
    if (other)
        enter_line(g, p, frame);
    p->begin = line_begin(g, p, frame);
    *done = p->left && frame->pc == p->begin;
    while (*done && g->hidden && block_of(frame) != p->block && !status) {
        pg_enter_calls(g, 0, 1); /* the step comes from within the call */
        status = wt_program_need_frame(g, &frame, err);
    }
    if (!*done && wt_symbols_row(frame->symbols, frame->pc - frame->bias, &row)) {
        p->start = p->left && p->begin != NOWHERE ? p->begin + 1 : row.start + frame->bias;
        p->end = row.end + frame->bias;
    }
    return status;
}

/* Examines where the thread has arrived: sets *done, or the next range in `p`. */
static enum wt_status examine_arrival(struct wt_program *g, struct step_plan *p, bool *done,
                                      struct wt_error *err)
{
    const struct wt_frame *frame;
    struct wt_line_row row;
    enum wt_status status = wt_program_need_frame(g, &frame, err);
    *done = true;
    if (status)
        return status;
    /* Backwards, more than one function may be left: the last one was entered by the tail calls of
     * the others. */
    while (is_callee(g, p, frame) || is_tail_call(g, p, frame) || is_passed(g, p, frame)) {
        const bool enters = !p->over && has_lines(frame) && !is_passed(g, p, frame);
        if (enters && p->back)
            break;
        if (enters) {
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
        return step_through(g, p, frame, &row, done);
    }
    if (p->back) {
        status = arrive_back(g, p, frame, done, err);
        g->step_ended = *done;
        return status;
    }
    const bool same = is_same_frame(g, p, frame);
    const enum inlined inlined = same ? where_inlined(g, p, frame) : OUTSIDE;
    const struct calls calls = calls_at(g, p, same, frame->symbols, frame->pc - frame->bias);
    if (g->hidden < calls.shown)
        return step_through(g, p, frame, &row, done);
    if (inlined == AT_CALL && (frame->line != p->line || (!p->over && g->hidden > calls.shown))) {
        /* A call on the stepped line is entered; for a call on another line, the step stops at the
         * line. */
        if (frame->line == p->line)
            pg_enter_calls(g, 0, 1);
        return WT_OK;
    }
    if (inlined == WITHIN && !p->over)
        return WT_OK;
    if (inlined != OUTSIDE) {
        return step_through(g, p, frame, &row, done);
    }
    const bool other_line = !is_same_position((struct position){row.file, row.line},
                                              (struct position){p->file, p->line});
    const bool at_start = row.start + frame->bias == frame->pc;
    if (other_line && ((at_start && row.statement) || !same))
        return WT_OK;
    return step_through(g, p, frame, &row, done);
}

/* One step by lines. *done: another event was reported. */
static enum wt_status step_line(struct wt_program *g, const struct wt_step *step, bool *done,
                                struct wt_error *err)
{
    const struct wt_frame *frame;
    const bool over = step->over, back = step->back;
    struct step_plan p = {.over = over, .back = back, .held = g->locking == WT_LOCKING_STEP};
    enum wt_status status;
    bool there = false;
    g->level = 0;
    if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
        return status;
    p.has_caller = !back && caller_cfa(g, frame, &p.caller_cfa);
    const bool has_bounds = begin_plan(g, &p, frame);
    if (g->hidden && !over && !back &&
        calls_at(g, &p, true, frame->symbols, frame->pc - frame->bias).shown <
            g->hidden) { /* the call begins here: no instruction needs to run */
        pg_enter_calls(g, 0, 1);
        g->step_ended = true;
        *done = false;
        return WT_OK;
    }
    if (!has_bounds) {
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
    if (back) {
        p.origin = frame->pc;
        p.begin = line_begin(g, &p, frame);
        p.left = frame->pc != p.begin;
        p.start = p.left && p.begin != NOWHERE ? p.begin + 1 : p.start;
    }
    if (back && !p.left) {
        /* The thread is at the beginning of its line: one instruction back is in another line. */
        status = go(g, &p, WT_RESUME_STEP, err);
        if (!status && !p.done)
            status = examine_arrival(g, &p, &there, err);
    }
    for (unsigned i = 0; i < MOST_RANGES && !status && !p.done && !there; i++) {
        status = go(g, &p, WT_RESUME_RANGE, err);
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
    pg_tell_passed(g);
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
        status = step_line(g, step, done, err);
    }
    return status;
}

static enum wt_status step_instructions(struct wt_program *g, const struct wt_step *step,
                                        bool *done, struct wt_error *err)
{
    struct step_plan p = {
        .over = step->over, .back = step->back, .held = g->locking == WT_LOCKING_STEP};
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
        while ((status = wt_program_need_frame(g, &frame, err)) == WT_OK && !p.done &&
               is_callee(g, &p, frame) && (status = leave_callee(g, &p, frame, err)) == WT_OK)
            ;
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
        show_stop(g, end);
    return status;
}

/* ---- finish ---- */

/* Runs out of an inlined call: until its frame is not among those of the function. */
static enum wt_status finish_inlined(struct wt_program *g, const struct wt_frame *frame,
                                     struct wt_stepped *end, struct wt_error *err)
{
    struct wt_line_row row;
    struct step_plan p = {.over = true};
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
        show_stop(g, end);
    return status;
}

enum wt_status wt_program_finish(struct wt_program *g, bool back, struct wt_stepped *end,
                                 const struct wt_type **type, struct wt_error *err)
{
    const struct wt_frame *frame;
    struct step_plan p = {.back = back};
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
    show_stop(g, end);
    return WT_OK;
}

/* ---- until, advance ---- */

enum wt_status wt_program_advance(struct wt_program *g, const char *text, struct wt_stepped *end,
                                  struct wt_error *err)
{
    uint64_t *list;
    size_t count;
    struct step_plan p = {0};
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
        show_stop(g, end);
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
    struct step_plan p = {.over = true};
    g->level = 0;
    if ((status = wt_program_need_frame(g, &frame, err)) != WT_OK)
        return status;
    if (!begin_plan(g, &p, frame))
        return wt_program_step(g, &next, end, err);
    p.has_caller = caller_cfa(g, frame, &p.caller_cfa);
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
            struct step_plan rest = p;
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
        show_stop(g, end);
    return WT_OK;
}
