/*
 * Time travel: going to points of the recorded run, and running through it, backwards and forwards,
 * along the lane that the user follows.
 *
 * In the past nothing is resumed by the debug hardware: the target replays what was recorded, and
 * searches it for the places at which to stop. Where it stops every wave is halted and can be
 * looked at, as everywhere; the target puts that right before it goes on. Breakpoints are not
 * planted there, but those that were planted when the run was recorded are found in memory again.
 */
#include "debug/core/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

/* Issues of a slice, and how long slices go on before the client is listened to. */
#define SLICE ((uint64_t)1 << 18)
#define PUMP_NS 20000000ull

static const struct wt_history_services *history_of(const struct wt_debugger *d)
{
    return d->target->services->history;
}

enum wt_status dbg_need_history(struct wt_debugger *d, struct wt_error *err)
{
    if (!history_of(d))
        return wt_fail(err, WT_UNSUPPORTED,
                       "the run is not recorded: this target cannot, or --no-history was given");
    if (d->nonstop)
        return wt_fail(err, WT_STATE, "there is no way back in non-stop mode");
    if (d->going || d->travel.going || d->stopping.on)
        return wt_fail(err, WT_STATE, "the program is running; stop it first");
    return WT_OK;
}

bool wt_debugger_has_history(struct wt_debugger *d)
{
    return history_of(d) != NULL;
}

/* ---- the present, and the past ---- */

/* Keeps what is known of the present, since it will be come back to. */
enum wt_status dbg_leave_present(struct wt_debugger *d, struct wt_error *err)
{
    if (d->in_past)
        return WT_OK;
    const size_t size = d->topology->waves * sizeof *d->wave;
    d->present = (struct present){.wave = malloc(size),
                                  .ended = d->ended,
                                  .exit_status = d->exit_status,
                                  .current = d->current};
    if (!d->present.wave)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for the state of the present");
    memcpy(d->present.wave, d->wave, size);
    d->in_past = true;
    return WT_OK;
}

void dbg_forget_past(struct wt_debugger *d)
{
    free(d->present.wave);
    d->present = (struct present){0};
    d->in_past = false;
    d->travel = (struct travel){0};
}

/* The device is in the present again, all as it was left. */
static enum wt_status arrive_in_present(struct wt_debugger *d, struct wt_error *err)
{
    d->ops->replaced(d->probe);
    memcpy(d->wave, d->present.wave, d->topology->waves * sizeof *d->wave);
    d->ended = d->present.ended;
    d->exit_status = d->present.exit_status;
    d->current = d->present.current;
    dbg_forget_past(d);
    dbg_forget_all(d);
    enum wt_status status = dbg_look(d, NULL, err);
    dbg_choose_mode(d);
    return status;
}

/* Halts every wave where the device was put, to look around. */
static enum wt_status look_around(struct wt_debugger *d, struct wt_error *err)
{
    enum wt_status status = history_of(d)->look(d->target->context, err);
    if (status)
        return status;
    d->ops->replaced(d->probe);
    dbg_forget_all(d);
    return dbg_halt_everything(d, err);
}

/* The device was put somewhere: nothing that was known of its waves holds. */
enum wt_status dbg_arrive(struct wt_debugger *d, struct wt_error *err)
{
    if (d->in_past && !history_of(d)->in_past(d->target->context))
        return arrive_in_present(d, err);
    d->ended = false;
    for (uint32_t w = 0; w < d->topology->waves; w++) {
        d->wave[w].go = GO_STOPPED;
        d->wave[w].has_met = d->wave[w].met_trap = false;
    }
    return look_around(d, err);
}

enum wt_status dbg_go(struct wt_debugger *d, uint64_t time, struct wt_error *err)
{
    enum wt_status status = dbg_leave_present(d, err);
    if (!status)
        status = history_of(d)->go(d->target->context, time, err);
    return status ? status : dbg_arrive(d, err);
}

enum wt_status dbg_to_present(struct wt_debugger *d, struct wt_error *err)
{
    uint64_t start, end;
    if (!d->in_past)
        return WT_OK;
    history_of(d)->extent(d->target->context, &start, &end);
    d->travel = (struct travel){0};
    return dbg_go(d, end, err);
}

enum wt_status dbg_change_past(struct wt_debugger *d, struct wt_error *err)
{
    if (!d->in_past)
        return WT_OK;
    enum wt_status status = history_of(d)->branch(d->target->context, err);
    if (status)
        return status;
    dbg_forget_past(d);
    /* What is in memory now was planted in another present. */
    for (size_t i = 0; i < d->bps; i++)
        d->bp[i].planted = d->bp[i].doubtful = false;
    dbg_drop_later_traces(d);
    if ((status = dbg_lift_traces(d, err)))
        return status;
    snprintf(d->notice, sizeof d->notice,
             "A new future begins at issue time %" PRIu64
             ": what was recorded after it is dropped.\n",
             d->target->services->time(d->target->context));
    return WT_OK;
}

bool wt_debugger_take_notice(struct wt_debugger *d, char *text, size_t size)
{
    if (!d->notice[0])
        return false;
    snprintf(text, size, "%s", d->notice);
    d->notice[0] = 0;
    return true;
}

enum wt_status wt_debugger_time(struct wt_debugger *d, struct wt_debugger_time *time,
                                struct wt_error *err)
{
    const struct wt_history_services *h = history_of(d);
    if (!h || !d->target->services->time)
        return wt_fail(err, WT_UNSUPPORTED, "the run is not recorded");
    *time = (struct wt_debugger_time){.now = d->target->services->time(d->target->context),
                                      .in_past = d->in_past};
    h->extent(d->target->context, &time->start, &time->end);
    h->stats(d->target->context, &time->stats);
    return WT_OK;
}

enum wt_status wt_debugger_hash(struct wt_debugger *d, uint64_t *hash, struct wt_error *err)
{
    const struct wt_history_services *h = history_of(d);
    enum wt_status status = dbg_need_history(d, err);
    if (status)
        return status;
    const size_t most = d->in_past ? d->traces : d->bps;
    struct wt_patch *patch = calloc(most ? most : 1, sizeof *patch);
    if (!patch)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for a hash");
    const size_t patches = dbg_list_patches(d, patch, most);
    status = h->hash(d->target->context, patch, patches, hash, err);
    free(patch);
    return status || !d->in_past ? status : look_around(d, err);
}

void wt_debugger_set_stop_at_end(struct wt_debugger *d, bool stop)
{
    d->stop_at_end = stop;
}

bool wt_debugger_stops_at_end(struct wt_debugger *d)
{
    return d->stop_at_end;
}

bool dbg_has_past(struct wt_debugger *d)
{
    uint64_t start = 0, end = 0;
    if (history_of(d))
        history_of(d)->extent(d->target->context, &start, &end);
    return start < end;
}

void dbg_note_history(struct wt_debugger *d)
{
    uint64_t start, end;
    if (!history_of(d))
        return;
    history_of(d)->extent(d->target->context, &start, &end);
    if (start > d->history_start)
        snprintf(d->notice, sizeof d->notice,
                 "The recorded run begins at issue time %" PRIu64
                 " now: what was before it is lost, since the log of what was done through the "
                 "debug hardware has outgrown its part of the memory for it (--history-memory).\n",
                 start);
    d->history_start = start;
}

enum wt_status dbg_stop_before_end(struct wt_debugger *d, uint32_t status, struct wt_error *err)
{
    uint64_t start, end;
    history_of(d)->extent(d->target->context, &start, &end);
    d->ended = true;
    d->exit_status = status;
    enum wt_status went = dbg_go(d, end > start ? end - 1 : start, err);
    if (went)
        return went;
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_TRAP};
    snprintf(event.text, sizeof event.text,
             "the program ends with the next instruction, with status %u; resumed, it does",
             status);
    d->current = 0;
    event.thread = d->current = wt_debugger_current_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

/* ---- on the way ---- */

/* What is to be searched for in code: the breakpoints, with their conditions where the engine can
 * evaluate them. */
static size_t list_code(struct wt_debugger *d, struct wt_watchpoint *list)
{
    size_t count = 0;
    for (size_t i = 0; i < d->bps; i++)
        if (d->bp[i].inserted)
            list[count++] = dbg_watched_code(&d->bp[i]);
    return count;
}

/*
 * Forwards, what a wave stands on when it sets out has been reported, or is stepped off. Where its
 * condition does not hold the engine does not tell of it: then the next hit counts.
 */
static enum wt_status note_met(struct wt_debugger *d, struct wt_error *err)
{
    const struct travel *t = &d->travel;
    enum wt_status status;
    for (uint32_t i = 0; i < d->topology->waves; i++) {
        struct wave *w = &d->wave[i];
        if (!dbg_is_active(d, i) || (!w->has_met && i != t->wave))
            continue;
        if ((status = dbg_need_pc(d, i, err)) || (status = dbg_need_mask(d, i, err)))
            return status;
        if (i == t->wave) {
            w->has_met = true;
            w->met = w->pc;
        }
        struct breakpoint *bp = dbg_find_breakpoint(d, w->met);
        if (bp && bp->inserted && bp->code->in_engine && w->met == w->pc &&
            !dbg_holds_in_engine(bp->code, i, w->pc, w->mask))
            w->has_met = false;
    }
    return WT_OK;
}

/* Begins to search for the next place at which to stop, from where the device is. */
static enum wt_status begin_search(struct wt_debugger *d, struct wt_error *err)
{
    struct travel *t = &d->travel;
    struct wt_watchpoint *code = calloc(d->bps ? d->bps : 1, sizeof *code), *watched = NULL;
    struct wt_history_query query = {.backwards = t->backwards, .code = code, .wave = t->wave};
    enum wt_status status = WT_OK;
    if (!code)
        return wt_fail(err, WT_NO_MEMORY, "out of memory to search the past");
    query.code_count = list_code(d, code);
    if (!dbg_hold_code(d)) {
        free(code);
        return wt_fail(err, WT_NO_MEMORY, "out of memory to search the past");
    }
    status = dbg_list_watchpoints(d, &watched, &query.watchpoints, err);
    query.watchpoint = watched;
    t->have_candidate = false;
    t->from = d->target->services->time(d->target->context);
    d->past.count = 0;
    if (!status && !t->backwards)
        status = note_met(d, err);
    if (!status)
        status = history_of(d)->search(d->target->context, &query, err);
    free(code);
    free(watched);
    return status;
}

static enum wt_status report(struct wt_debugger *d, const struct candidate *c);

static enum wt_status set_out(struct wt_debugger *d, const struct wt_resume *resume, bool backwards,
                              struct wt_error *err)
{
    struct travel *t = &d->travel;
    *t = (struct travel){.backwards = backwards,
                         .kind = resume->kind,
                         .wave = WT_NO_HANDLE,
                         .start = resume->start,
                         .end = resume->end};
    enum wt_status status = WT_OK;
    /* One instruction may have met several watchpoints: each is told before the way goes on. */
    struct candidate c = {0};
    const bool same_way = d->past_backwards == backwards && d->in_past;
    d->past_backwards = backwards;
    if (same_way && dbg_next_watch_event(d, &c.event, &c.wave, &c.lane))
        return report(d, &c);
    if (resume->kind != WT_RESUME_CONTINUE) {
        status = dbg_locate(d, resume->thread, &t->wave, &t->lane, err);
        if (!status && resume->thread && !dbg_is_there(d, resume->thread))
            status = wt_fail(err, WT_INVALID, "thread %u has ended", (unsigned)resume->thread);
        if (!status) {
            d->current = dbg_thread_of(d, t->wave, t->lane);
            t->id = d->wave[t->wave].self.id;
        }
    }
    if (!status)
        status = dbg_leave_present(d, err);
    if (!status)
        status = begin_search(d, err);
    t->going = !status;
    return status;
}

enum wt_status wt_debugger_reverse(struct wt_debugger *d, const struct wt_resume *resume,
                                   struct wt_error *err)
{
    enum wt_status status = dbg_need_history(d, err);
    if (!status)
        status = dbg_regain(d, err);
    if (!status && resume->kind == WT_RESUME_STOP)
        status = wt_fail(err, WT_INVALID, "a stop has no direction");
    return status ? status : set_out(d, resume, true, err);
}

enum wt_status dbg_resume_past(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                               struct wt_error *err)
{
    static const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    enum wt_status status = dbg_need_history(d, err);
    if (status)
        return status;
    /* The recorded run is as it is: waves that are not named go along, too. */
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == WT_RESUME_STEP || list[i].kind == WT_RESUME_RANGE)
            return set_out(d, &list[i], false, err);
    return set_out(d, &all, false, err);
}

/* A wave is about to issue an instruction with a breakpoint: would it stop there? */
static enum wt_status judge_breakpoint(struct wt_debugger *d, const struct wt_history_place *place,
                                       struct candidate *c, bool *stops, struct wt_error *err)
{
    struct breakpoint *bp = dbg_find_breakpoint(d, place->pc);
    struct wave *w = &d->wave[place->wave];
    *stops = false;
    if (!bp || !bp->inserted)
        return WT_OK;
    dbg_identify(d, place->wave);
    /* What it stands on when it sets out has been reported, or is stepped off. */
    if (!d->travel.backwards && w->has_met && w->met == place->pc) {
        w->has_met = place->wave == d->travel.wave && !place->issue; /* there, it is to come yet */
        return WT_OK;
    }
    const struct bp_code *code = bp->code;
    if (d->travel.backwards && code->commands.count)
        return WT_OK; /* it prints, and does not stop */
    c->met = true;
    c->event.reason = WT_STOP_BREAKPOINT;
    if (code->in_engine) {
        const wt_lanes lanes = dbg_holds_in_engine(bp->code, place->wave, place->pc, place->mask);
        dbg_print_in_engine(bp->code, place->wave, place->pc, lanes);
        *stops = lanes && !code->commands.count;
        c->lane = dbg_lane_to_stop(d, place->wave, lanes);
        return WT_OK;
    }
    if ((code->conditions.count || code->commands.count) && !dbg_has_register_port(d)) {
        struct wt_wave_set one;
        enum wt_status status = history_of(d)->look(d->target->context, err);
        if (status)
            return status;
        dbg_one_wave(d, &one, place->wave);
        d->ops->replaced(d->probe);
        if ((status = dbg_halt(d, &one, err)))
            return status;
    }
    dbg_forget(d, place->wave);
    w->pc = place->pc;
    w->mask = place->mask;
    w->have_pc = w->have_mask = true;
    return dbg_evaluate(d, bp, place->wave, stops, &c->lane, err);
}

/* The wave that is stepped is about to issue an instruction. */
static void judge_step(struct wt_debugger *d, const struct wt_history_place *place,
                       struct candidate *c, bool *stops)
{
    uint64_t start, end;
    history_of(d)->extent(d->target->context, &start, &end);
    /* A lane that is masked off does not go along with its wave. At the end nothing has been
     * issued: it is where the present came upon a mistake of the program's. */
    c->stranger = d->ops->wave_id(d->probe, place->wave) != d->travel.id;
    *stops = c->stranger || (wt_has_lane(place->mask, d->travel.lane) && place->time < end);
    c->lane = d->travel.lane;
    c->met = false;
    c->event.reason = WT_STOP_STEP;
}

/* A place was found: is it one to stop at? If so it is the candidate. */
static enum wt_status judge(struct wt_debugger *d, const struct wt_history_place *place,
                            bool *stops, struct wt_error *err)
{
    struct travel *t = &d->travel;
    struct candidate c = {
        .event = {.kind = WT_EVENT_STOPPED}, .time = place->time, .wave = place->wave};
    enum wt_status status = WT_OK;
    *stops = false;
    switch (place->kind) {
    case WT_HISTORY_PC:
        status = judge_breakpoint(d, place, &c, stops, err);
        if (!status && !*stops && place->issue)
            judge_step(d, place, &c, stops);
        break;
    case WT_HISTORY_ISSUE:
        judge_step(d, place, &c, stops);
        break;
    case WT_HISTORY_WATCH:
        *stops = dbg_watch_event(d, &c.event, &c.wave, &c.lane);
        break;
    }
    if (!status && *stops) {
        if (c.event.reason != WT_STOP_WATCHPOINT)
            d->past.count = 0;
        t->candidate = c;
        t->have_candidate = true;
        history_of(d)->accept(d->target->context,
                              !t->backwards && !c.stranger && c.event.reason == WT_STOP_STEP);
    }
    return status;
}

/* Ends the way with an event for a lane. */
static enum wt_status report(struct wt_debugger *d, const struct candidate *c)
{
    struct wt_event event = c->event;
    struct wave *w = &d->wave[c->wave];
    d->travel = (struct travel){0};
    event.kind = WT_EVENT_STOPPED;
    event.thread = dbg_thread_of(d, c->wave, c->lane);
    if (!dbg_is_active(d, c->wave))
        event.thread = dbg_first_thread(d);
    else if (d->mode == WT_THREADS_WAVES)
        d->chosen_lane = c->lane;
    d->current = event.thread;
    w->focus = (uint8_t)(c->lane + 1);
    if (c->met && dbg_need_pc(d, c->wave, WT_IGNORED) == WT_OK) {
        w->has_met = true;
        w->met = w->pc;
    }
    dbg_push_event(d, &event);
    return WT_OK;
}

/* The end of what was recorded, or its beginning. */
static enum wt_status report_edge(struct wt_debugger *d, struct wt_error *err)
{
    const bool backwards = d->travel.backwards;
    const wt_thread current = d->current;
    d->travel = (struct travel){0};
    enum wt_status status = dbg_arrive(d, err);
    if (status)
        return status;
    if (!backwards) {
        bool ended = false;
        if (d->ended && ((status = dbg_take_events(d, &ended, err)) || ended))
            return status;
        const size_t before = d->events;
        status = dbg_check_fault(d, err);
        if (status || d->events != before)
            return status;
    }
    struct wt_event event = {.kind = WT_EVENT_STOPPED,
                             .reason = backwards ? WT_STOP_HISTORY_BEGIN : WT_STOP_HISTORY_END};
    snprintf(event.text, sizeof event.text,
             backwards ? "the recorded run begins here, at issue time %" PRIu64
                       : "the present is reached again, at issue time %" PRIu64
                         ": from here on the run is a new one",
             d->target->services->time(d->target->context));
    d->current = current;
    event.thread = wt_debugger_current_thread(d);
    d->current = event.thread;
    dbg_push_event(d, &event);
    return WT_OK;
}

/*
 * The slot of the wave that was to step belongs to another wave here: the search has come to before
 * the wave began, or to after its end.
 */
static enum wt_status report_stranger(struct wt_debugger *d, const struct candidate *c,
                                      struct wt_error *err)
{
    const struct travel t = d->travel;
    struct wt_event event = {.kind = WT_EVENT_STOPPED,
                             .reason = t.backwards ? WT_STOP_HISTORY_BEGIN : WT_STOP_STEP};
    char slot[64];
    d->travel = (struct travel){0};
    enum wt_status status = dbg_go(d, t.backwards ? t.from : c->time, err);
    if (status)
        return status;
    dbg_slot_text(d, &d->wave[t.wave].self, slot, sizeof slot);
    if (t.backwards)
        snprintf(event.text, sizeof event.text,
                 "%s begins here: before, another %s was in its slot", slot,
                 d->topology->wave_word);
    else
        snprintf(event.text, sizeof event.text, "%s has ended", slot);
    event.thread = d->current =
        t.backwards ? dbg_thread_of(d, t.wave, t.lane) : dbg_first_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}

/* The device stands before an instruction that is to be stopped at, or stepped over. */
static enum wt_status found(struct wt_debugger *d, struct wt_error *err)
{
    struct travel *t = &d->travel;
    const struct candidate c = t->candidate;
    if (c.stranger)
        return report_stranger(d, &c, err);
    /* Forwards what came from outside where the place was met is still to come; and all but a
     * breakpoint is told after the instruction. */
    const uint64_t time = c.time + (c.event.reason != WT_STOP_BREAKPOINT);
    enum wt_status status = t->backwards ? dbg_arrive(d, err) : dbg_go(d, time, err);
    if (status)
        return status;
    if (t->kind == WT_RESUME_RANGE && c.event.reason == WT_STOP_STEP && d->in_past) {
        struct wave *w = &d->wave[t->wave];
        if (dbg_is_active(d, t->wave) && w->self.id == t->id) {
            if ((status = dbg_need_pc(d, t->wave, err)) ||
                (status = dbg_need_mask(d, t->wave, err)))
                return status;
            if ((w->pc >= t->start && w->pc < t->end) || !wt_has_lane(w->mask, t->lane))
                return begin_search(d, err);
        }
    }
    return report(d, &c);
}

static enum wt_status travel_on(struct wt_debugger *d, uint64_t budget, struct wt_error *err)
{
    struct wt_history_place place;
    bool stops = false;
    enum wt_status status = WT_OK;
    switch (history_of(d)->search_on(d->target->context, budget, &place, err)) {
    case WT_HISTORY_ON:
        break;
    case WT_HISTORY_PLACE:
        status = judge(d, &place, &stops, err);
        if (!status && stops && !d->travel.backwards &&
            (d->travel.candidate.event.reason != WT_STOP_STEP || d->travel.candidate.stranger))
            return found(d, err);
        break;
    case WT_HISTORY_FOUND:
        return found(d, err);
    case WT_HISTORY_EDGE:
        return report_edge(d, err);
    case WT_HISTORY_FAILED:
        return err->status;
    }
    return status;
}

bool dbg_travel(struct wt_debugger *d, uint64_t budget)
{
    if (d->errand.kind != ERRAND_NONE)
        return dbg_run_errand(d);
    const uint64_t until = wt_clock_ns() + PUMP_NS;
    struct wt_error err = {0};
    do {
        if (travel_on(d, budget > SLICE ? budget : SLICE, &err)) {
            d->travel = (struct travel){0};
            dbg_lose(d, &err);
            return true;
        }
    } while (d->travel.going && wt_clock_ns() < until);
    return true;
}

enum wt_status dbg_stop_travel(struct wt_debugger *d, struct wt_error *err)
{
    if (d->errand.kind != ERRAND_NONE)
        return dbg_give_up_errand(d, err);
    const uint64_t now = d->target->services->time(d->target->context);
    struct wt_event event = {.kind = WT_EVENT_STOPPED, .reason = WT_STOP_INTERRUPTED};
    const wt_thread current = d->current;
    d->travel = (struct travel){0};
    enum wt_status status = dbg_go(d, now, err);
    if (status)
        return status;
    d->current = current;
    event.thread = d->current = wt_debugger_current_thread(d);
    dbg_push_event(d, &event);
    return WT_OK;
}
