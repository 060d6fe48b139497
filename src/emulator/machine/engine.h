/*
 * The engine: the run loop that all families share. It chooses the wave whose turn it is
 * (schedule.h), lets the family execute, and comes back for faults, watches and events.
 *
 * Handlers of a family see a wave and a decoded record and nothing else of the turn; they count
 * down the wave's `left`, the issues of the turn that remain after the one being executed. A
 * handler that must end the turn calls wt_end_turn or returns no next record.
 *
 * A function that checks or makes an access for a handler returns whether that was possible. False:
 * the access is refused, the fault of the instruction has been raised, and *next is what the
 * handler must return: a trap handler's first record, the record behind, or NULL.
 */
#ifndef WT_EMULATOR_MACHINE_ENGINE_H
#define WT_EMULATOR_MACHINE_ENGINE_H

#include <stdarg.h>
#include <string.h>

#include "base/check.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/watch_set.h"

/** The operations of a family for the engine. No operation is NULL. */
struct wt_engine_ops {
    const struct wt_code_format *code; /**< how decoded instructions lie */
    /**
     * Lets a wave that can issue do so up to @p n times, 1 or more, between wt_begin_turn and
     * wt_finish_turn; returns how often it did. Sets m->attended if after_turn is to be called.
     */
    uint64_t (*turn)(struct wt_machine *m, uint32_t wave, uint64_t n);
    /** Whether turns of the only wave that can issue may be one: its family ends that behind each
     * instruction that lets another one. */
    bool (*joins_turns)(const struct wt_machine *m);
    /** Why no wave can issue: WT_RUN_ENDED, HALTED, EVENT, or FAULT with m->fault set. */
    enum wt_run (*blocked)(struct wt_machine *m);
    /** The issue of the instruction at @p pc by a wave at @p time, with the lanes enabled now. */
    struct wt_issue (*issue_at)(const struct wt_wave_head *w, uint64_t pc, uint64_t time);
    /** The issue that a wave will do next: wt_engine_next_issue, where that is at its PC. */
    struct wt_issue (*next_issue)(struct wt_machine *m, uint32_t wave);
    /** After a turn that debug hardware attends, before the engine looks at faults, watches and
     * events: time passes for it. wt_engine_no_cycles, where it has no clock. */
    void (*after_turn)(struct wt_machine *m, uint32_t wave, uint64_t issued);
    /** Asserts the family's invariants: sanitizer builds call it before and after each run. */
    void (*check)(struct wt_machine *m);
    /** Notes a wave before an issue that is traced; false without host memory. */
    bool (*trace_before)(struct wt_wave_head *w);
    /** Hands the issue noted last to @p fn. */
    void (*trace_after)(struct wt_wave_head *w, wt_trace_fn fn, void *context);
};

/** The type of an operation, as WT_MACHINE_FN. */
#define WT_ENGINE_FN(operation) __typeof__(*((struct wt_engine_ops *)0)->operation)

/** The text of the fault where memory of the process has gone under a kernel: a format for its
 * address. */
#define WT_LOST_MEMORY "the program has given back the memory at 0x%llx, which the kernel uses"

/** The operations of these names of every family. */
WT_MACHINE_FN(run) wt_engine_run;
WT_MACHINE_FN(run_traced) wt_engine_run_traced;

/** The operations `joins_turns` of families that do, and that do not. */
WT_ENGINE_FN(joins_turns) wt_engine_joins_turns;
WT_ENGINE_FN(joins_turns) wt_engine_keeps_turns;
/** The operation `next_issue` of a family whose waves issue at their PC next. */
WT_ENGINE_FN(next_issue) wt_engine_next_issue;
/** The operation `after_turn` of a family for whose debug hardware no cycles pass. */
WT_ENGINE_FN(after_turn) wt_engine_no_cycles;

/** The fault that an instruction of a wave raises at @p pc, now; the text is formatted. */
struct wt_fault wt_engine_fault(const struct wt_machine *m, const struct wt_wave_head *w,
                                enum wt_fault_kind kind, wt_lanes lanes, uint64_t pc, uint64_t addr,
                                const char *format, va_list arguments);
/** Makes it the machine's: the instruction is not issued, and the wave stands before it. */
void wt_engine_stop(struct wt_machine *m, struct wt_wave_head *w, const struct wt_fault *fault);
/** The fault of a wave that comes to @p pc, where no instruction can be fetched: it is not aligned,
 * outside the address space, or the host has no memory for its page. @p name: of the register. */
void wt_engine_no_code(struct wt_machine *m, struct wt_wave_head *w, uint64_t pc, const char *name);

/** Reports that no wave can go on: a fault of the first active one. @p text is constant. */
enum wt_run wt_engine_deadlock(struct wt_machine *m, const char *text);

/** Whether the run returns before the watched instruction at @p pc, to which wave @p w comes. */
bool wt_engine_stops_before(struct wt_machine *m, struct wt_wave_head *w,
                            const struct wt_watch_code *code, uint64_t pc);
/**
 * The handler of a watched record begins with this call (wt_code_watch): wave @p w comes to record
 * @p index of @p page, the instruction at @p pc. Returns the handler that executes it; NULL where
 * the run returns before it: the handler then returns no next record.
 */
wt_code_handler wt_engine_watched(struct wt_machine *m, struct wt_wave_head *w,
                                  const struct wt_code_page *page, size_t index, uint64_t pc);

/**
 * A lane of a wave, whose instruction is being executed, accesses memory that is in @p space
 * (watch_set.h) at @p addr for watches. If that is watched, the access is noted, and the turn ends.
 */
void wt_engine_watch(struct wt_machine *m, struct wt_wave_head *w, const struct wt_lane_access *a,
                     uint64_t space, uint64_t addr, unsigned size, const void *before,
                     const void *after);
/**
 * Likewise, where watches and observers have one address for it: `home` of @p a is its space, for
 * GLOBAL and CONSTANT WT_SPACE_GLOBAL. The observer is told, too.
 */
void wt_engine_access(struct wt_machine *m, struct wt_wave_head *w, const struct wt_lane_access *a,
                      const void *before, const void *after);

/** The machine's judge refuses accesses of @p lanes, 1 or more, by the instruction that is being
 * executed, for a mistake of @p kind; @p addr: that of the lowest lane. If it is watched, it is
 * noted, and the turn ends. */
void wt_engine_mistake(struct wt_machine *m, const struct wt_wave_head *w, unsigned kind,
                       uint64_t pc, wt_lanes lanes, uint64_t addr, unsigned size);

/**
 * Begins a turn of @p n issues, 1 or more; *left, the wave's, becomes those that remain after the
 * first one.
 */
static inline void wt_begin_turn(struct wt_machine *m, uint64_t *left, uint64_t n)
{
    WT_CHECK(n > 0 && !m->in_turn);
    m->in_turn = true;
    m->slice = n;
    *left = n - 1;
    m->not_issued = false;
}

/**
 * Ends the turn with @p left issues unused: advances the issue time. Returns how many instructions
 * were issued in it.
 */
static inline uint64_t wt_finish_turn(struct wt_machine *m, uint64_t left)
{
    const uint64_t issued = m->slice - left - m->not_issued;
    WT_CHECK(m->in_turn && left < m->slice);
    m->in_turn = false;
    m->time += issued;
    return issued;
}

/**
 * After wt_finish_turn, which returned @p issued, of a family whose turns are not joined: whether
 * the engine would go on without looking at anything. Then the wave that does is chosen
 * (m->turns.current), and *n is how many issues it may have: the family lets it, and returns from
 * its operation what that wave has issued.
 */
static inline bool wt_follow_turn(struct wt_machine *m, uint64_t issued, uint64_t *n)
{
    struct wt_turns *t = &m->turns;
    uint32_t flags; /* not_issued, yielded, attended, event */
    static_assert(offsetof(struct wt_machine, event) ==
                      offsetof(struct wt_machine, not_issued) + sizeof flags - 1,
                  "they lie side by side");
    memcpy(&flags, (const char *)m + offsetof(struct wt_machine, not_issued), sizeof flags);
    if (m->time >= m->follow_until || !t->ready_count ||
        ((unsigned)m->fault.kind | m->hits | flags))
        return false;
    WT_CHECK(issued <= t->left);
    t->left -= (uint32_t)issued;
    if ((!t->left || !wt_turns_is_ready(t, t->current)) && !wt_turns_step(t))
        wt_turns_choose(t, m->time); /* of round robin, without a log */
    *n = m->follow_until - m->time < t->left ? m->follow_until - m->time : t->left;
    return true;
}

/**
 * Ends the turn before its first instruction, which could not be fetched. Returns the issues done:
 * 0.
 */
static inline uint64_t wt_abandon_turn(struct wt_machine *m)
{
    m->in_turn = false;
    return 0;
}

/** Issue time of the instruction that is being executed; else that of the next one. */
static inline uint64_t wt_issue_time(const struct wt_machine *m, uint64_t left)
{
    return m->in_turn ? m->time + m->slice - left - 1 : m->time;
}

/** Whether the turn is one issue, of which somebody is told: who asks has not skipped it
 * (wt_observe_skip()). */
static inline bool wt_observes_issue(const struct wt_machine *m)
{
    return m->observer && m->observer->each;
}
/** Whether the turn ends where the wave leaves the piece that it is in (wt_observe_stay()). */
static inline bool wt_observes_piece(const struct wt_machine *m)
{
    return m->observer && m->observer->halts;
}
/** Whether somebody takes events. */
static inline bool wt_observes_events(const struct wt_machine *m)
{
    const struct wt_observer *o = m->observer;
    while (o && !o->event)
        o = o->beneath;
    return o;
}

/** Whether all accesses are observed, and no memory is watched by its value: then a family goes its
 * quick ways, and tells the accesses of an instruction's lanes at once (wt_observe_lanes). */
static inline bool wt_observes_rows(const struct wt_machine *m)
{
    return m->watch && m->watch->rows;
}

/**
 * Whether accesses to the page of @p addr must be looked at lane by lane, which are loads, or
 * stores: a byte is watched for them, or observed without wt_observes_rows(). Such a page is kept
 * out of the TLB.
 */
static inline bool wt_engine_watches_page(const struct wt_machine *m, uint64_t addr, bool write)
{
    const uint64_t first = addr & ~WT_PAGE_MASK, last = addr | WT_PAGE_MASK;
    return !wt_observes_rows(m) &&
           (write ? wt_watch_set_writes(m->watch, WT_SPACE_GLOBAL, first, last)
                  : wt_watch_set_reads(m->watch, WT_SPACE_GLOBAL, first, last));
}

/** Ends the turn behind the instruction that is being executed, whose issue time stays. */
static inline void wt_end_turn(struct wt_machine *m, uint64_t *left)
{
    m->slice -= *left;
    *left = 0;
}

/** Tells the machine's observer of an access by the instruction that is being executed. There must
 * be one. */
static inline void wt_engine_observe(struct wt_machine *m, const struct wt_wave_head *w,
                                     const struct wt_lane_access *a)
{
    if (wt_observe_lane(m, w, wt_issue_time(m, w->left), a) && m->in_turn)
        wt_end_turn(m, &wt_machine_wave(m, w->id)->left);
}

/**
 * Gives the rest of the wave's turn away, whatever the schedule says; the handler must return no
 * next record.
 */
static inline void wt_yield_turn(struct wt_machine *m)
{
    m->yielded = true;
}

/**
 * Marks the instruction that ends the turn as one without effect: it does not count as an issue.
 */
static inline void wt_not_issued(struct wt_machine *m)
{
    m->not_issued = true;
}

#endif
