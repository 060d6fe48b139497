/* A user's operations, and where they must lead. See play.h. */
#include "debug/core/going.h"
#include "../unit/agent_code.h"
#include "emulator/machine/machine.h"
#include "play.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define BREAKPOINTS 6
#define EVER 64
#define WATCHPOINTS 3
#define CODE_WRITES 16

/* An instruction as it was before any breakpoint. */
struct original {
    uint64_t addr;
    uint8_t bytes[4];
};

/* An instruction that the user wrote. */
struct code_write {
    uint64_t epoch, time;
    struct original now;
};

struct play {
    const struct play_options *options;
    struct world *w;
    const uint8_t *at, *end;
    uint64_t breakpoint[BREAKPOINTS]; /* those inserted now */
    bool never[BREAKPOINTS];          /* its condition never holds */
    size_t breakpoints;
    struct original ever[EVER]; /* all that were */
    size_t evers;
    struct code_write code[CODE_WRITES];
    size_t codes;
    struct wt_watchpoint_request watch[WATCHPOINTS]; /* those inserted now, in the window */
    size_t watches;
    /* A breakpoint that was reported, and that its wave stands on. */
    bool met;
    struct issue met_at;
    /* The last stop was for a watchpoint, in this direction: the next one may tell of another that
     * the same instruction met. */
    enum told { TOLD_NOTHING, TOLD_BACKWARDS, TOLD_FORWARDS } told;
    char last[64]; /* the last event */
};

/* ---- the bytes ---- */

static uint32_t number(struct play *p, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes && p->at < p->end; i++)
        value = value << 8 | *p->at++;
    return value;
}

static uint64_t below(struct play *p, uint64_t limit)
{
    return limit ? number(p, limit > 256 ? 3 : 1) % limit : 0;
}

/* ---- where it is ---- */

static struct wt_debugger_time now(struct play *p)
{
    struct wt_debugger_time t;
    struct wt_error err = {0};
    if (wt_debugger_time(p->w->debugger, &t, &err))
        world_fail(p->w, "no time: %s", err.text);
    if (t.now != p->w->session.machine->time || t.start != 0)
        world_fail(p->w, "the debugger tells another time: %" PRIu64, t.now);
    return t;
}

/* The program's own instruction there, at this time. */
static void own_instruction(const struct play *p, const struct original *at, uint8_t bytes[4])
{
    const struct world *w = p->w;
    memcpy(bytes, at->bytes, 4);
    for (size_t i = 0; i < p->codes; i++)
        if (p->code[i].now.addr == at->addr &&
            (p->code[i].epoch < w->epoch || p->code[i].time <= w->session.machine->time))
            memcpy(bytes, p->code[i].now.bytes, 4);
}

/* The model's hash, with the program's own instructions in place of breakpoints. */
static uint64_t model_hash(struct play *p, struct wt_machine *m)
{
    uint8_t there[EVER][4];
    for (size_t i = 0; i < p->evers; i++) {
        uint8_t own[4];
        own_instruction(p, &p->ever[i], own);
        m->ops->read_memory(m, 0, 0, p->ever[i].addr, there[i], 4);
        m->ops->write_memory(m, 0, 0, p->ever[i].addr, own, 4);
    }
    const uint64_t hash = m->ops->program_hash(m);
    for (size_t i = p->evers; i-- > 0;)
        m->ops->write_memory(m, 0, 0, p->ever[i].addr, there[i], 4);
    return hash;
}

/* The machine's number of a slot. */
static uint32_t flat_slot(struct play *p, unsigned core, unsigned slot)
{
    return core * wt_debugger_topology(p->w->debugger)->waves_per_core + slot;
}

/* The slot of a thread's wave; UINT32_MAX where there is no thread. */
static uint32_t slot_of(struct play *p, wt_thread thread)
{
    struct wt_wave wave;
    return wt_debugger_thread_wave(p->w->debugger, thread, &wave)
               ? flat_slot(p, wave.core, wave.slot)
               : UINT32_MAX;
}

static void check_threads(struct play *p, struct wt_machine *m)
{
    const struct wt_thread_info *list;
    size_t count;
    struct wt_error err = {0};
    if (wt_debugger_threads(p->w->debugger, &list, &count, &err))
        world_fail(p->w, "no threads: %s", err.text);
    size_t lanes = 0;
    for (uint32_t i = 0; i < m->waves; i++) {
        struct wt_wave_view view;
        m->ops->view(m, i, &view);
        if (!view.active)
            continue;
        const bool waves = p->options->world.options.threads == WT_THREADS_WAVES;
        if (waves &&
            (lanes >= count || flat_slot(p, list[lanes].core, list[lanes].wave_in_core) != i ||
             !list[lanes].enabled ||
             (list[lanes].pc != view.pc && wt_has_lane(view.mask, list[lanes].lane))))
            world_fail(p->w, "wave %u is at 0x%" PRIx64, i, view.pc);
        lanes += waves;
        for (unsigned lane = 0; lane < m->lanes && !waves; lane++, lanes++) {
            if (lanes >= count || flat_slot(p, list[lanes].core, list[lanes].wave_in_core) != i ||
                list[lanes].lane != lane)
                world_fail(p->w, "wave %u lane %u is not in the list of threads", i, lane);
            const bool enabled = wt_has_lane(view.mask, lane);
            if (list[lanes].enabled != enabled || (enabled && list[lanes].pc != view.pc))
                world_fail(p->w, "wave %u lane %u is at 0x%" PRIx64 ", not 0x%" PRIx64 " (%d, %d)",
                           i, lane, list[lanes].pc, view.pc, list[lanes].enabled, enabled);
        }
    }
    if (lanes != count)
        world_fail(p->w, "%zu threads in place of %zu", count, lanes);
}

/* What the debugger shows here is what the model has here. */
static void check(struct play *p)
{
    struct wt_error err = {0};
    const struct wt_debugger_time t = now(p);
    struct wt_machine *m = world_model(p->w, t.now);
    uint64_t hash;
    if (wt_debugger_hash(p->w->debugger, &hash, &err))
        world_fail(p->w, "no hash: %s", err.text);
    if (!wt_debugger_ended(p->w->debugger, NULL)) {
        check_threads(p, m);
        for (size_t i = 0; i < p->evers; i++) {
            uint8_t code[4];
            if (wt_debugger_read_memory(p->w->debugger, 0, wt_address_of(p->ever[i].addr), code, 4,
                                        &err))
                world_fail(p->w, "no memory: %s", err.text);
            uint8_t own[4];
            own_instruction(p, &p->ever[i], own);
            for (size_t k = 0; k < p->evers; k++) /* short ones may lie side by side */
                if (p->ever[k].addr == p->ever[i].addr + 2)
                    memcpy(own + 2, p->ever[k].bytes, 2);
            if (memcmp(code, own, 4) != 0)
                world_fail(p->w, "the instruction at 0x%" PRIx64 " is shown as %02x%02x%02x%02x",
                           p->ever[i].addr, code[3], code[2], code[1], code[0]);
        }
    }
    if (hash != model_hash(p, m))
        world_fail(p->w, "the state is another one than the model's");
}

static bool is_breakpoint(const struct play *p, uint64_t pc)
{
    for (size_t i = 0; i < p->breakpoints; i++)
        if (p->breakpoint[i] == pc)
            return !p->never[i];
    return false;
}

/* Whether an issue changes what is watched. */
static bool is_watched(const struct play *p, const struct issue *i)
{
    for (size_t k = 0; k < p->watches; k++) {
        const unsigned first = (unsigned)(p->watch[k].addr.offset - p->options->data) / 4;
        const uint32_t words = (1u << p->watch[k].size / 4) - 1;
        if (i->changed & words << first)
            return true;
    }
    return false;
}

/* ---- running ---- */

static const char *reason_name(const struct wt_event *e)
{
    static const char *const names[] = {
        [WT_STOP_BREAKPOINT] = "breakpoint",
        [WT_STOP_STEP] = "step",
        [WT_STOP_INTERRUPTED] = "interrupted",
        [WT_STOP_REQUESTED] = "requested",
        [WT_STOP_FAULT] = "fault",
        [WT_STOP_WATCHPOINT] = "watchpoint",
        [WT_STOP_TRAP] = "trap",
        [WT_STOP_LOST] = "lost",
        [WT_STOP_HISTORY_BEGIN] = "beginning",
        [WT_STOP_HISTORY_END] = "end",
    };
    return e->kind == WT_EVENT_EXITED ? "exited" : names[e->reason] ? names[e->reason] : "?";
}

/* A way through the past is gone to its end, a new run interrupted after so many issues. */
static struct wt_event run_to_event(struct play *p, uint64_t issues)
{
    struct wt_debugger *d = p->w->debugger;
    const struct wt_machine *m = p->w->session.machine;
    const uint64_t until = m->time + issues;
    struct wt_error err = {0};
    bool soon = true;
    while (soon && wt_debugger_running(d) && m->time < until)
        soon = wt_debugger_pump(d, until - m->time);
    if (wt_debugger_running(d) && wt_debugger_interrupt(d, &err))
        world_fail(p->w, "it cannot be interrupted: %s", err.text);
    const struct wt_event event = wt_debugger_next_event(d);
    while (wt_debugger_next_event(d).kind != WT_EVENT_NONE)
        continue;
    if (event.kind == WT_EVENT_NONE)
        world_fail(p->w, "it stopped without an event");
    if (event.reason == WT_STOP_LOST)
        world_fail(p->w, "the device was lost: %s", event.text);
    snprintf(p->last, sizeof p->last, "%s of thread %u", reason_name(&event), event.thread);
    return event;
}

/* The thread of an operation, its wave, lane and pc; 0: there is none. */
static wt_thread choose_thread(struct play *p, struct wt_thread_info *info)
{
    const struct wt_thread_info *list;
    size_t count;
    if (wt_debugger_threads(p->w->debugger, &list, &count, WT_IGNORED) || !count)
        return 0;
    *info = list[below(p, count)];
    return info->id;
}

/* The lane that an operation is about, in the machine's words. */
struct lane {
    uint32_t slot;
    uint64_t incarnation; /* which of the waves that the slot has had */
    unsigned lane;
};

static struct lane lane_of(struct play *p, const struct wt_thread_info *info)
{
    struct wt_machine *m = p->w->session.machine;
    const uint32_t slot = flat_slot(p, info->core, info->wave_in_core);
    return (struct lane){
        .slot = slot, .incarnation = wt_machine_wave(m, slot)->incarnation, .lane = info->lane};
}

static bool on_the_way(const struct wt_resume *r, const struct lane *who, const struct issue *i)
{
    return r->kind != WT_RESUME_CONTINUE && i->wave == who->slot &&
           i->incarnation == who->incarnation && wt_has_lane(i->mask, who->lane);
}

/* Another wave issues from the slot of the one that steps. */
static bool is_stranger(const struct wt_resume *r, const struct lane *who, const struct issue *i)
{
    return r->kind != WT_RESUME_CONTINUE && i->wave == who->slot &&
           i->incarnation != who->incarnation;
}

static bool in_range(const struct wt_resume *r, uint64_t pc)
{
    return r->kind == WT_RESUME_RANGE && pc >= r->start && pc < r->end;
}

/* Where an operation must stop. */
struct stop {
    bool breakpoint, watchpoint, step, edge; /* any of these will do */
    uint64_t time;
    uint32_t wave;
};

static void check_stop(struct play *p, const struct stop *want, const struct wt_event *event,
                       uint64_t from, bool backwards, const char *what)
{
    const uint64_t time = p->w->session.machine->time;
    const enum told way = backwards ? TOLD_BACKWARDS : TOLD_FORWARDS;
    if (event->reason == WT_STOP_WATCHPOINT && p->told == way && time == from)
        return;
    p->told = event->reason == WT_STOP_WATCHPOINT ? way : TOLD_NOTHING;
    const bool right = event->kind == WT_EVENT_EXITED || event->reason == WT_STOP_HISTORY_BEGIN ||
                               event->reason == WT_STOP_HISTORY_END ||
                               event->reason == WT_STOP_FAULT
                           ? want->edge
                       : event->reason == WT_STOP_BREAKPOINT ? want->breakpoint
                       : event->reason == WT_STOP_WATCHPOINT ? want->watchpoint
                       : event->reason == WT_STOP_STEP       ? want->step
                                                             : false;
    if (time != want->time || !right)
        world_fail(p->w, "%s stops there (%s), not at %" PRIu64 " (%s%s%s%s)", what,
                   reason_name(event), want->time, want->breakpoint ? "breakpoint " : "",
                   want->watchpoint ? "watchpoint " : "", want->step ? "step " : "",
                   want->edge ? "edge" : "");
    if (want->edge)
        return;
    struct wt_wave_view view;
    struct wt_machine *m = world_model(p->w, time);
    const uint32_t wave = slot_of(p, event->thread);
    m->ops->view(m, want->wave, &view);
    if (view.active && (!event->thread || wave != want->wave))
        world_fail(p->w, "%s (%s): wave %u is told, not %u", what, reason_name(event), wave,
                   want->wave);
    p->met = event->reason == WT_STOP_BREAKPOINT;
    p->met_at = (struct issue){.wave = want->wave, .pc = view.pc};
}

/* ---- backwards ---- */

static struct stop want_backwards(struct play *p, const struct wt_resume *r, const struct lane *who)
{
    uint64_t end, t = p->w->session.machine->time, last = t;
    const struct issue *issue = world_issues(p->w, &end);
    while (t-- > 0) {
        const struct issue *i = &issue[t];
        const bool step = on_the_way(r, who, i) && !in_range(r, i->pc);
        const bool met = i->mask && is_breakpoint(p, i->pc), watched = is_watched(p, i);
        if (met || watched || step)
            return (struct stop){
                .breakpoint = met, .watchpoint = watched, .step = step, .time = t, .wave = i->wave};
        if (is_stranger(r, who, i)) /* the wave began after that: it stands where it last stood */
            return (struct stop){.edge = true, .time = last};
        if (on_the_way(r, who, i))
            last = t;
    }
    return (struct stop){.edge = true};
}

static void go_back(struct play *p, enum wt_resume_kind kind)
{
    struct wt_thread_info who = {0};
    struct wt_resume r = {.kind = kind};
    struct wt_error err = {0};
    if (kind != WT_RESUME_CONTINUE && !(r.thread = choose_thread(p, &who)))
        return;
    if (kind == WT_RESUME_RANGE) {
        r.start = who.pc - below(p, 64) * 2;
        r.end = who.pc + 2 + below(p, 32) * 2;
    }
    const uint64_t from = p->w->session.machine->time;
    const struct lane lane = lane_of(p, &who);
    struct stop want = want_backwards(p, &r, &lane);
    p->met = false;
    if (wt_debugger_run(p->w->debugger, WT_BACKWARDS, &r, 1, &err))
        world_fail(p->w, "not backwards: %s", err.text);
    const struct wt_event event = run_to_event(p, UINT64_MAX / 2);
    const uint64_t time = p->w->session.machine->time;
    /* A breakpoint of then, met but not passed; an instruction that could not be done. */
    if (event.kind == WT_EVENT_STOPPED && time < from && (time > want.time || want.edge) &&
        ((event.reason == WT_STOP_BREAKPOINT && world_happened(p->w, time)) ||
         world_faulted(p->w, time)))
        want = (struct stop){.breakpoint = event.reason == WT_STOP_BREAKPOINT,
                             .step = event.reason == WT_STOP_STEP,
                             .time = time,
                             .wave = slot_of(p, event.thread)};
    check_stop(p, &want, &event, from, true,
               kind == WT_RESUME_CONTINUE ? "reverse-continue"
               : kind == WT_RESUME_STEP   ? "reverse-step"
                                          : "reverse-range");
}

static void interrupt_on_the_way(struct play *p)
{
    struct wt_resume r = {.kind = WT_RESUME_CONTINUE};
    struct wt_error err = {0};
    p->met = false;
    p->told = TOLD_NOTHING;
    if (wt_debugger_run(p->w->debugger, WT_BACKWARDS, &r, 1, &err))
        world_fail(p->w, "not backwards: %s", err.text);
    run_to_event(p, 0);
}

/* ---- forwards ---- */

static uint32_t first_active(struct play *p, uint64_t time)
{
    struct wt_machine *m = world_model(p->w, time);
    struct wt_wave_view view = {.active = false};
    uint32_t wave = 0;
    for (; wave < m->waves; wave++) {
        m->ops->view(m, wave, &view);
        if (view.active)
            break;
    }
    return wave;
}

/* Where the recorded run leads. */
static struct stop want_forwards(struct play *p, const struct wt_resume *r, const struct lane *who)
{
    uint64_t end, from = p->w->session.machine->time;
    const struct issue *issue = world_issues(p->w, &end);
    bool stands = r->kind != WT_RESUME_CONTINUE, met = p->met;
    for (uint64_t t = from; t < end; t++) {
        const struct issue *i = &issue[t];
        bool stops = i->mask && is_breakpoint(p, i->pc);
        if (stands && i->wave == who->slot)
            stops = stands = false;
        if (met && i->wave == p->met_at.wave) {
            stops = stops && i->pc != p->met_at.pc;
            met = false;
        }
        const bool step = on_the_way(r, who, i);
        if (stops)
            return (struct stop){.breakpoint = true, .step = false, .time = t, .wave = i->wave};
        if (is_watched(p, i))
            return (struct stop){.watchpoint = true, .step = step, .time = t + 1, .wave = i->wave};
        if (is_stranger(r, who, i)) /* the wave has ended */
            return (struct stop){.step = true, .time = t, .wave = first_active(p, t)};
        if (!step)
            continue;
        struct wt_wave_view view;
        struct wt_machine *m = world_model(p->w, t + 1);
        m->ops->view(m, who->slot, &view);
        if (t + 1 == end || !view.active ||
            !(r->kind == WT_RESUME_RANGE &&
              (in_range(r, view.pc) || !wt_has_lane(view.mask, who->lane))))
            return (struct stop){.step = true, .time = t + 1, .wave = who->slot};
        stands = true;
        met = false;
    }
    return (struct stop){.edge = true, .time = end};
}

static void go_on(struct play *p, enum wt_resume_kind kind, bool alone)
{
    struct wt_thread_info who = {0};
    struct wt_resume r[2] = {{.kind = kind}, {.kind = WT_RESUME_CONTINUE}};
    struct wt_error err = {0};
    const struct wt_debugger_time t = now(p);
    struct stop want = {0};
    if (wt_debugger_ended(p->w->debugger, NULL) || (!t.in_past && t.now >= p->options->most))
        return;
    if (kind != WT_RESUME_CONTINUE && !(r[0].thread = choose_thread(p, &who)))
        return;
    if (kind == WT_RESUME_RANGE) {
        r[0].start = who.pc - below(p, 32) * 2;
        r[0].end = who.pc + 2 + below(p, 64) * 2;
    }
    const struct lane lane = lane_of(p, &who);
    const uint64_t issues = below(p, p->options->slice) + 1;
    if (t.in_past)
        want = want_forwards(p, &r[0], &lane);
    if (wt_debugger_run(p->w->debugger, WT_FORWARDS, r, kind == WT_RESUME_CONTINUE || alone ? 1 : 2,
                        &err))
        world_fail(p->w, "not forwards: %s", err.text);
    const struct wt_event event = run_to_event(p, t.in_past ? UINT64_MAX / 2 : issues);
    const uint64_t time = p->w->session.machine->time;
    if (t.in_past && event.kind == WT_EVENT_STOPPED && time <= want.time &&
        ((event.reason == WT_STOP_BREAKPOINT && world_happened(p->w, time)) ||
         (event.reason == WT_STOP_STEP && time && world_faulted(p->w, time - 1))))
        want = (struct stop){.breakpoint = event.reason == WT_STOP_BREAKPOINT,
                             .step = event.reason == WT_STOP_STEP,
                             .time = time,
                             .wave = slot_of(p, event.thread)};
    p->met = false;
    if (t.in_past)
        check_stop(p, &want, &event, t.now, false,
                   kind == WT_RESUME_CONTINUE ? "continue"
                   : kind == WT_RESUME_STEP   ? "step"
                                              : "range step");
    else
        p->told = TOLD_NOTHING;
}

/* ---- going, writing, breakpoints ---- */

static void go_to(struct play *p)
{
    struct wt_error err = {0};
    const struct wt_debugger_time t = now(p);
    const unsigned how = number(p, 1);
    uint64_t to = how < 16 ? t.end : how < 32 ? 0 : below(p, t.end + 1);
    if (how >= 224 && t.now > 3)
        to = t.now - number(p, 1) % 3;
    if (wt_debugger_goto(p->w->debugger, to, &err))
        world_fail(p->w, "not to %" PRIu64 ": %s", to, err.text);
    if (p->w->session.machine->time != to)
        world_fail(p->w, "that is not %" PRIu64, to);
    if (to != t.now || t.in_past) {
        p->met = false;
        p->told = TOLD_NOTHING;
    }
    if (wt_debugger_goto(p->w->debugger, t.end + 1, &err) != WT_INVALID)
        world_fail(p->w, "what is beyond the end could be gone to");
}

/* After a change the present is here. */
static void check_present(struct play *p, uint64_t time, bool was_past)
{
    const struct wt_debugger_time t = now(p);
    if (t.in_past || t.now != time || t.end != time)
        world_fail(p->w, "a change does not begin a new future: %" PRIu64 " of %" PRIu64, t.now,
                   t.end);
    char notice[160];
    if (wt_debugger_take_notice(p->w->debugger, notice, sizeof notice) != was_past ||
        (was_past && !strstr(notice, "A new future begins")))
        world_fail(p->w, "nobody was told of the new future, or of one that is not");
    while (p->codes && p->code[p->codes - 1].epoch == p->w->epoch &&
           p->code[p->codes - 1].time > time)
        p->codes--;
    if (was_past) {
        p->met = false;
        p->told = TOLD_NOTHING;
    }
}

/* A write of what a register holds already is not a change: the recorded future stays. */
static void check_unchanged(struct play *p, const struct wt_debugger_time *before)
{
    const struct wt_debugger_time t = now(p);
    char notice[160];
    if (!t.in_past || t.now != before->now || t.end != before->end)
        world_fail(p->w,
                   "a write of the same value went from %" PRIu64 " of %" PRIu64 " to %" PRIu64,
                   before->now, before->end, t.now);
    if (wt_debugger_take_notice(p->w->debugger, notice, sizeof notice))
        world_fail(p->w, "a write of the same value told: %s", notice);
}

static void write_memory(struct play *p)
{
    uint8_t bytes[8];
    struct wt_error err = {0};
    struct wt_thread_info who;
    const struct wt_debugger_time t = now(p);
    const wt_thread thread = choose_thread(p, &who);
    const size_t size = 1 + below(p, 8);
    const uint64_t addr = p->options->data + below(p, p->options->data_size - 8);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)number(p, 1);
    if (!thread)
        return;
    if (wt_debugger_write_memory(p->w->debugger, thread, wt_address_of(addr), bytes, size, &err))
        world_fail(p->w, "memory cannot be written: %s", err.text);
    check_present(p, t.now, t.in_past);
}

/* Another instruction where a breakpoint is, or was: one that does nothing. */
static void write_code(struct play *p)
{
    struct wt_error err = {0};
    struct wt_thread_info who;
    const struct wt_debugger_time t = now(p);
    const wt_thread thread = choose_thread(p, &who);
    if (!thread || !p->evers || p->codes == CODE_WRITES || !p->options->writes_code)
        return;
    struct code_write one = {p->w->epoch, t.now, p->ever[below(p, p->evers)]};
    wt_store_le(one.now.bytes, 0x13u | number(p, 1) << 20, 4); /* addi x0, x0, … */
    if (wt_debugger_write_memory(p->w->debugger, thread, wt_address_of(one.now.addr), one.now.bytes,
                                 4, &err))
        world_fail(p->w, "code cannot be written: %s", err.text);
    check_present(p, t.now, t.in_past);
    p->code[p->codes++] = one;
}

static void write_register(struct play *p)
{
    struct wt_error err = {0};
    struct wt_thread_info who;
    const struct wt_debugger_time t = now(p);
    const wt_thread thread = choose_thread(p, &who);
    const unsigned index = 5 + (unsigned)below(p, 27);
    const uint64_t value = number(p, 4);
    uint64_t before;
    if (!thread)
        return;
    if (wt_debugger_read_numbers(p->w->debugger, thread, &index, 1, &before, &err))
        world_fail(p->w, "register %u cannot be read: %s", index, err.text);
    if (wt_debugger_write_number(p->w->debugger, thread, index, value, &err))
        world_fail(p->w, "register %u cannot be written: %s", index, err.text);
    if (t.in_past && before == value)
        check_unchanged(p, &t);
    else
        check_present(p, t.now, t.in_past);
}

static void read_around(struct play *p)
{
    struct wt_error err = {0};
    struct wt_thread_info who;
    const wt_thread thread = choose_thread(p, &who);
    const unsigned index[] = {1, 2, 8, 5 + (unsigned)below(p, 27)};
    uint64_t value[4];
    uint8_t bytes[8];
    if (!thread)
        return;
    if (wt_debugger_read_numbers(p->w->debugger, thread, index, 4, value, &err) ||
        wt_debugger_read_memory(p->w->debugger, thread, wt_address_of(p->options->data), bytes, 8,
                                &err))
        world_fail(p->w, "it cannot be looked at: %s", err.text);
}

static void change_breakpoints(struct play *p)
{
    struct wt_error err = {0};
    uint64_t end;
    if (p->breakpoints && (number(p, 1) % 3 == 0 || p->breakpoints == BREAKPOINTS)) {
        const size_t i = below(p, p->breakpoints);
        if (wt_debugger_remove_breakpoint(p->w->debugger, p->breakpoint[i], &err))
            world_fail(p->w, "a breakpoint stays: %s", err.text);
        p->breakpoint[i] = p->breakpoint[--p->breakpoints];
        p->never[i] = p->never[p->breakpoints];
        return;
    }
    const struct issue *issue = world_issues(p->w, &end);
    if (!end || p->evers == EVER)
        return;
    const uint64_t pc = issue[below(p, end)].pc;
    if (pc >= p->options->avoid_from && pc < p->options->avoid_to)
        return;
    for (size_t i = 0; i < p->breakpoints; i++)
        if (p->breakpoint[i] == pc)
            return;
    struct wt_machine *m = p->w->pristine.machine;
    struct original o = {.addr = pc};
    m->ops->read_memory(m, 0, 0, pc, o.bytes, 4);
    if (o.bytes[0] == 0 && o.bytes[1] == 0)
        return; /* not of the program */
    bool known = false;
    for (size_t i = 0; i < p->evers; i++)
        known |= p->ever[i].addr == pc;
    if (!known)
        p->ever[p->evers++] = o;
    /* const8 0, end */
    static const struct agent_code no = {(const uint8_t *)"\x22\0\x27", 3};
    const bool never = number(p, 1) % 3 == 0;
    if (agent_insert_breakpoint(p->w->debugger, pc, &no, never, NULL, 0, &err))
        world_fail(p->w, "no breakpoint: %s", err.text);
    p->never[p->breakpoints] = never;
    p->breakpoint[p->breakpoints++] = pc;
}

static void change_watchpoints(struct play *p)
{
    struct wt_error err = {0};
    if (p->watches == WATCHPOINTS || (p->watches && number(p, 1) % 2)) {
        const size_t i = below(p, p->watches);
        if (wt_debugger_remove_watchpoint(p->w->debugger, &p->watch[i], &err))
            world_fail(p->w, "a watchpoint stays: %s", err.text);
        p->watch[i] = p->watch[--p->watches];
        return;
    }
    struct wt_watchpoint_request *r = &p->watch[p->watches];
    *r = (struct wt_watchpoint_request){.kind = WT_WATCHPOINT_WRITE,
                                        .addr = wt_address_of(p->options->data + 4 * below(p, 28)),
                                        .size = 4 * (1 + below(p, 4)),
                                        .changes = true};
    for (size_t i = 0; i < p->watches; i++)
        if (wt_address_equal(p->watch[i].addr, r->addr) && p->watch[i].size == r->size)
            return;
    if (wt_debugger_insert_watchpoint(p->w->debugger, r, &err))
        world_fail(p->w, "no watchpoint: %s", err.text);
    p->watches++;
}

static void begin_anew(struct play *p)
{
    struct wt_error err = {0};
    const bool reload = number(p, 1) % 2;
    const uint64_t epoch = p->w->epoch, time = p->w->session.machine->time;
    if (reload ? wt_debugger_restart(p->w->debugger, &err)
               : wt_debugger_reset(p->w->debugger, &err))
        world_fail(p->w, "no reset: %s", err.text);
    while (p->codes &&
           (reload || (p->code[p->codes - 1].epoch == epoch && p->code[p->codes - 1].time > time)))
        p->codes--;
    p->met = false;
    p->told = TOLD_NOTHING;
    char notice[160];
    wt_debugger_take_notice(p->w->debugger, notice, sizeof notice);
    const struct wt_debugger_time t = now(p);
    if (t.now || t.end || t.in_past)
        world_fail(p->w, "a reset does not begin a new run");
}

static void operate(struct play *p)
{
    switch (number(p, 1) % 32) {
    case 0:
    case 1:
    case 2:
    case 3:
        go_on(p, WT_RESUME_CONTINUE, false);
        break;
    case 4:
    case 5:
        go_on(p, WT_RESUME_STEP, true);
        break;
    case 6:
    case 7:
        go_on(p, WT_RESUME_STEP, false);
        break;
    case 8:
    case 9:
        go_on(p, WT_RESUME_RANGE, number(p, 1) % 2);
        break;
    case 10:
    case 11:
    case 12:
        go_back(p, WT_RESUME_STEP);
        break;
    case 13:
    case 14:
        go_back(p, WT_RESUME_RANGE);
        break;
    case 15:
    case 16:
    case 17:
        go_back(p, WT_RESUME_CONTINUE);
        break;
    case 18:
        interrupt_on_the_way(p);
        break;
    case 19:
    case 20:
    case 21:
    case 22:
        go_to(p);
        break;
    case 23:
        write_memory(p);
        break;
    case 24:
        write_register(p);
        break;
    case 25:
    case 26:
        read_around(p);
        break;
    case 27:
    case 28:
        change_breakpoints(p);
        break;
    case 29:
        change_watchpoints(p);
        break;
    case 30:
        if (number(p, 1) % 2) {
            write_code(p);
            break;
        }
        wt_debugger_set_stop_at_end(p->w->debugger, number(p, 1) % 2);
        break;
    case 31:
        if (number(p, 1) % 4 == 0)
            begin_anew(p);
        break;
    }
}

unsigned play(const struct play_options *options, const uint8_t *bytes, size_t size, unsigned ops)
{
    struct play p = {
        .options = options, .w = world_open(&options->world), .at = bytes, .end = bytes + size};
    const bool tell = getenv("HISTORY_TELL") != NULL;
    unsigned done = 0;
    check(&p);
    for (; done < ops && p.at < p.end; done++) {
        const unsigned operation = *p.at % 32;
        operate(&p);
        if (tell)
            fprintf(stderr, "%u: %u, %s at %" PRIu64 " of %" PRIu64 "%s\n", done, operation, p.last,
                    p.w->session.machine->time, wt_timeline_end(p.w->session.timeline),
                    wt_timeline_at_end(p.w->session.timeline) ? "" : ", past");
        p.last[0] = 0;
        check(&p);
    }
    world_close(p.w);
    return done;
}
