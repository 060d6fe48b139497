/*
 * The state of the debugger, which its files share. Functions over it are in one header for each
 * file; a file calls only files below it (docs/architecture.md, tests/cli/test_layers.py).
 */
#ifndef WT_DEBUG_CORE_STATE_H
#define WT_DEBUG_CORE_STATE_H

#include <assert.h>
#include <string.h>

#include "debug/core/debugger.h"
#include "debug/core/going.h"
#include "debug/core/thread_table.h"
#include "debug/core/touches.h"

/** Whether a wave is to run, and how. */
enum wave_go {
    GO_STOPPED,
    GO_FREE, /**< runs */
    GO_PLAN, /**< steps by its plan */
    GO_PASS, /**< steps off a breakpoint, then runs */
};

/** A step plan: what one lane is to do before its wave stops (plan.c). */
struct plan {
    enum wt_resume_kind kind; /**< WT_RESUME_STEP or WT_RESUME_RANGE */
    unsigned lane;
    uint64_t start, end; /**< range */
    bool enabled;        /**< the lane was enabled when the present instruction began, or before */
};

/** Cached state of the wave that a handle is bound to. */
struct wave {
    struct wt_wave self; /**< id 0: the handle was never bound */
    uint64_t pc;
    wt_lanes mask;
    uint64_t reported_pc; /**< the breakpoint, or trap of the program's own, of its last report */
    struct plan plan;     /**< GO_PLAN */
    enum wt_halt_cause cause;
    uint8_t go;
    uint8_t focus;           /**< 1 + the lane that the user watches; 0: none yet */
    bool have_pc, have_mask; /**< pc with cause, mask: known since it stopped */
    bool has_reported;  /**< it passes `reported_pc` without another report, while it is there */
    bool reported_trap; /**< `reported_pc` is an instruction of the program's own */
    bool pending;       /**< a step was asked of the device, and is not done */
    bool lifted;        /**< its pending step is off a breakpoint that is not in memory */
    bool told;          /**< the user knows that it is pending */
    bool unlisted;      /**< the probe has yet to describe it: only its id is known */
    uint32_t dispatch;  /**< 1 + index in struct dispatches; 0: it was not seen yet */
    struct wt_wave
        ended; /**< the wave that was to step, which has ended; id WT_NO_WAVE: none has */
};

/** Sets of waves, by handle. */
struct wave_sets {
    unsigned words;            /**< words of each set */
    struct wt_wave_set active; /**< as of the last scan */
    struct wt_wave_set free;   /**< told to run: go == GO_FREE (active or not) */
    struct wt_wave_set held;   /**< told to run just now, and not resumed yet */
    struct wt_wave_set unseen; /**< found halted, with the cause still to be read; never resumed */
    bool active_known;
};

/** An expression, and where the rows of its registers are among those of its breakpoint. */
struct linked_expr {
    struct wt_expr *expr;
    size_t *row;
};

struct expr_list {
    struct linked_expr *expr;
    size_t count;
};

/** One client's part of a breakpoint, compiled: without commands it stops, with commands it prints.
 */
struct clause {
    uint32_t owner;
    struct expr_list conditions, commands;
    uint64_t runs;    /**< how often its commands were run, or it was ignored, since the owner asked
                           last */
    uint64_t ignored; /**< so many times of holding for a wave are only counted yet; the same in
                           all clauses of an owner */
};

/** The compiled conditions and commands of a breakpoint; immutable but for counts. */
struct bp_code {
    unsigned owners;
    struct wt_debugger *d;
    struct clause *clause; /**< one for each claim */
    size_t clause_count;
    unsigned *index; /**< registers and parts (wt_expr_registers) that conditions and commands name,
                        once each */
    size_t index_count, index_capacity;
    bool by_port;         /**< what it names can be read past the debug registers */
    bool in_engine;       /**< the target evaluates it, and nothing is planted */
    const uint64_t **row; /**< room for pointers to the rows of one expression */
    uint64_t *cell;       /**< room for the registers of all lanes */
    uint8_t *bytes;       /**< room for the widest of their rows */
    wt_lanes unread;      /**< lanes in which the last evaluation of a condition could not read */
};

/** One client's request for a breakpoint; the expressions are shared. */
struct claim {
    uint32_t owner;
    struct wt_expr **condition, **command;
    size_t condition_count, command_count;
    uint64_t ignored; /**< as the clause's was at first */
};

/** The condition of watchpoints, with what is known of it for each pc. */
struct wt_watch_condition {
    unsigned owners;
    uint64_t number; /**< 1 or more, its own */
    struct wt_debugger *d;
    wt_condition_at_fn *at; /**< NULL: its client has gone */
    void *context;
    struct watch_code {
        uint64_t pc;
        struct bp_code *code; /**< NULL: code there does not tell it */
    } * place;
    size_t place_count, place_capacity;
};

struct breakpoint {
    uint64_t addr;
    bool inserted; /**< a client wants it */
    bool planted;  /**< it is in memory */
    bool doubtful; /**< it may be in memory: writing it failed on the way */
    struct wt_patch trap,
        original; /**< the planted patch, and the one that undoes it; size 0: never planted */
    struct wt_instruction covered; /**< the instruction under it */
    struct claim *claim;           /**< one for each client that wants it */
    size_t claim_count, claim_capacity;
    struct bp_code *code;    /**< the code of all claims together */
    struct bp_code *watched; /**< the code that the target evaluates; NULL: it does not watch it */
    struct bp_code *judged;  /**< the code that the target has for the trap; NULL: it has none */
};

struct breakpoint_table {
    struct breakpoint *list; /**< sorted by address */
    size_t count, capacity;
};

struct watchpoint {
    struct wt_watchpoint at; /**< `holds` is for lists that a target gets: dbg_watched_memory() */
    wt_thread
        thread; /**< as its client gave it: the lane of a wave that is one thread may change */
    bool changes;
    uint32_t owner, tag;
    struct wt_watch_condition *condition; /**< NULL: none; shared */
    uint8_t *other;      /**< with a condition: the memory on the other side of an access, which is
                              before it on the way forwards; NULL: no room yet */
    uint64_t other_told; /**< `other` is for reports number … (struct hits) */
    bool has_passed;     /**< the condition did not hold for an access since the last report */
    bool inserted;       /**< its client wants it */
    bool active;         /**< the target watches it */
};

struct watchpoint_table {
    struct watchpoint *list;
    size_t count, capacity;
};

/** A hit of a watchpoint, as it is reported to clients. */
struct report {
    struct wt_watchpoint at;
    uint32_t wave;
    wt_wave_id id;
    unsigned lane;
    struct wt_event event;
    enum wt_watched_known known; /**< what the debug hardware knows */
    struct wt_watched_values values;
};

struct reports {
    struct report *report;
    size_t count, capacity;
};

/** The reports of one instruction. */
struct hits {
    struct reports reports, spare;  /**< both have room for one of each watchpoint */
    size_t next;                    /**< reports before it have been given to clients */
    uint64_t told;                  /**< how often there were reports: their number */
    bool backwards, in_past;        /**< on which way it was */
    struct wt_watchpoint_hit *list; /**< the accesses; none of debug hardware, or without memory */
    size_t list_count, list_capacity;
};

/** Threads as clients see them. */
struct threads {
    enum wt_thread_mode wanted_mode, mode;
    unsigned auto_lanes; /**< WT_THREADS_AUTO: with more lanes in active waves, waves are threads */
    unsigned chosen_lane;
    wt_thread current; /**< that commands mean when they name none; 0: the first */
    struct dbg_thread_table numbers;
    struct wt_thread_info *list; /**< what wt_debugger_threads() gave out */
    size_t count, capacity;
    uint32_t wave_hint; /**< where the next wave that is asked for by its id may be */
};

/** Why everything, or one wave, stops. */
struct stop {
    uint32_t wave; /**< to which wave; WT_NO_HANDLE: no wave in particular */
    unsigned lane;
    wt_wave_id id;         /**< that wave's */
    struct wt_event event; /**< but for the thread */
    bool choose_lane;      /**< `lane` is the one that a wave's thread shows from now on */
    bool passes;           /**< resumed, the wave goes past `pc` without another report */
    bool trap;             /**< `pc` is a breakpoint instruction of the program's own */
    uint64_t pc;
};

/** All-stop: a stop that is reported once every wave has halted (topology->late_stops). */
struct stopping {
    bool on;
    struct stop stop;
    uint64_t until_ns; /**< when the device is taken for lost */
};

/** A run whose client wants to hear that nothing goes on (struct wt_resume). */
struct run_patience {
    uint32_t wave; /**< the first entry's; WT_NO_HANDLE: nobody wants it */
    wt_wave_id id;
    unsigned lane;
    uint64_t until_ns;    /**< waves run freely until then; 0: they have not begun to */
    uint64_t ms, most;    /**< as the client has said */
    uint64_t steps;       /**< that the wave has made */
    uint64_t pc, state;   /**< one of its states; state 0: none is kept */
    uint64_t kept;        /**< steps since that was read, or come back to, last */
    uint64_t limit;       /**< after so many another state is kept */
    unsigned turns;       /**< where all run: that its wave has had */
    unsigned same, other; /**< how often it has come back to it, and to its pc in another state */
};

/** State of the run on the device. */
struct run {
    uint32_t *stepper; /**< waves with go of GO_PLAN or GO_PASS */
    size_t stepper_count;
    unsigned turns;    /**< that they have had */
    bool going;        /**< something was resumed and has not stopped */
    bool launches_run; /**< waves that begin run by themselves, rather than being held */
    bool to_launch;    /**< … but for the first one, which is held before its first instruction */
    unsigned changes;  /**< so many wt_debugger_begin_changes() are not ended */
    bool nonstop;
    bool ended, lost;
    bool stop_at_end; /**< stop at the last issue time at which the program still runs */
    uint32_t exit_status;
    enum { FROZEN_UNKNOWN, FROZEN, NOT_FROZEN } frozen;
    struct stopping stopping;
    struct run_patience patience;
    struct {
        wt_wave_id wave; /**< the only one that breakpoints at these addresses stop … */
        const uint64_t *addr;
        size_t count;
        uint64_t times; /**< … and how often another one has come there */
    } left_out;
};

/**
 * A breakpoint that was planted once: in the past it may be found in memory. There may be several
 * for an address, one after the other, since its instruction may have been written.
 */
struct trace {
    uint64_t addr;
    uint64_t time; /**< since when */
    struct wt_patch trap, original;
};

/** State of the present, while the device is in the past. */
struct present {
    struct wave *wave;
    bool ended;
    uint32_t exit_status;
    wt_thread current;
    enum wt_thread_mode mode; /**< in which `current` is */
    unsigned chosen_lane;
};

/** The code that breakpoints and watchpoints evaluated when a search of the past began. */
struct held_code {
    struct bp_code **code;
    size_t count;
    struct wt_watch_condition **condition;
    size_t condition_count;
};

/** The recorded run. */
struct recording {
    uint64_t start; /**< as last reported: see note_history() */
    bool in_past;
    struct present present;
    struct trace *trace;
    size_t trace_count, trace_capacity;
    struct held_code searched[2]; /**< by this search of the past, and the one before */
    /* Mistakes that checks find in the present are reported before the access. */
    bool before_mistake;       /**< the device is in the past for that alone */
    uint64_t told;             /**< the issue time of the latest one */
    wt_wave_id told_of;        /**< the wave that made it; WT_NO_WAVE: none was told */
    struct wt_resume *resumed; /**< what was resumed there, and goes on in the present */
    size_t resumed_count;
};

/** Where to stop on the way through the past, as far as is known. */
struct candidate {
    struct stop stop;
    uint64_t time;
    bool stranger; /**< the wave that was to step is not there: another one has its slot */
};

/** A way through the recorded run. */
struct travel {
    bool going, backwards;
    bool seen;        /**< the probe has looked at the waves, which are elsewhere when it goes on */
    struct plan plan; /**< where `wave` is one */
    uint32_t wave;    /**< whose issues count; WT_NO_HANDLE: no wave steps */
    struct wt_wave self; /**< the wave that was bound to it when the run began */
    uint64_t from;       /**< issue time at which the search began */
    struct candidate candidate;
};

/** A replay that is under way in parts (errand.c). */
enum errand_kind {
    ERRAND_NONE,
    ERRAND_GOTO,
    ERRAND_TOUCHES,
    ERRAND_NAMES,
    ERRAND_SLICE,
    ERRAND_BACK
};

struct errand {
    enum errand_kind kind;
    uint64_t from, to; /**< issue times: where it began, where it ends */
    wt_thread current;
    bool given_up;
    bool in_past; /**< the search for accesses began there */
    struct wt_touches touches;
    struct wt_callers callers; /**< `find` NULL: places have no calls */
    size_t unnamed; /**< of what was found, the latest first, so many have their waves or calls yet
                         to be named */
    bool slice;     /**< what was found are steps of a slice, not accesses */
    struct wave *waves; /**< state of the waves where the search began */
};

struct found_touches {
    struct wt_touch *list;
    size_t count;
    bool more;
};

/** Breakpoints that another debugger left in memory. */
struct leftovers {
    const struct wt_code *code; /**< code of the program's file; not owned */
    size_t code_count;
    struct wt_leftover *list;
    size_t count, capacity;
};

/** The registers that the debugger adds to those of the probe. */
struct added {
    struct wt_register *registers; /**< the topology's: the probe's, then the added ones */
    size_t probe_count;            /**< those before this index are the probe's */
    char wave_register[32];
};

struct wave_rows; /* rows.c */

/** Registers of stopped waves. */
struct register_cache {
    uint64_t *generation;       /**< each wave's: rows kept of an older one are stale */
    uint64_t shared_generation; /**< the same of registers that waves share */
    struct wave_rows *rows;     /**< rows kept, by wave modulo slots */
    size_t slots, row_bytes;
    size_t *row_at;    /**< by register: where its row is among row_bytes */
    unsigned *fetched; /**< room for the indices of all registers */
    uint8_t *buffer;   /**< rows on their way */
    size_t buffer_size;
};

/** Messages for the user that belong to no event. The latest one of each kind is kept until it is
 * taken. */
enum notice {
    NOTICE_NEW_FUTURE,
    NOTICE_LOST_PAST,
    NOTICE_LOST_NEWS,
    NOTICE_BREAKPOINTS, /**< some cannot be in the code that has come */
    NOTICES
};

struct event_queue {
    struct wt_event *list;
    size_t count, capacity, first;
};

/** Events of the probe that are no stops, and that clients have not taken yet. */
struct news {
    struct wt_probe_event *list;
    size_t count, capacity, next;
    bool modules; /**< the probe is to be told that clients know the modules */
    struct told_wave {
        wt_wave_id id;
        uint64_t dispatch; /**< id; 0: none */
        uint32_t group[3];
    } * there; /**< by handle: the active wave that was told, WT_NO_WAVE: none; NULL: waves are not
                    told */
};

/** The dispatches of the run that had waves at some scan. */
struct dispatches {
    struct seen_dispatch {
        struct wt_dispatch is;
        uint64_t scan; /**< the last one at which it had waves */
    } * list;          /**< in the order in which they were found: ids are consecutive */
    size_t count, capacity;
    uint64_t before; /**< dispatches of earlier runs */
    uint64_t last;   /**< the largest number of a launch */
    uint64_t scan;   /**< scans so far */
    uint32_t *there; /**< index of each that is active */
    size_t there_count, there_capacity;
};

struct wt_debugger {
    const struct wt_target *target;
    const struct wt_probe_ops *ops;
    struct wt_probe *probe;
    const struct wt_topology *topology; /**< &shape */
    struct wt_topology shape;           /**< the probe's, with added_registers.c */
    struct wt_debugger_options options;
    struct added added;
    struct wave *wave; /**< by handle, with room for topology->most_waves */
    struct wave_sets sets;
    struct register_cache cache;
    struct threads threads;
    struct breakpoint_table breakpoints;
    bool judged_stale;   /**< the target has other counts than they, or lacks code of conditions */
    uint64_t conditions; /**< that watchpoints have had so far, a count */
    struct watchpoint_table watchpoints;
    struct hits hits;
    struct run run;
    bool
        post_mortem; /**< the state came from a core file: nothing changes it, or runs on from it */
    struct recording history;
    struct travel travel;
    struct errand errand; /**< while it is under way, travel.going is set */
    struct found_touches found;
    struct wt_slice_found sliced;
    struct leftovers leftovers;
    struct event_queue events;
    struct news news;
    struct dispatches dispatches;
    char notice[NOTICES][224]; /**< text for the user that belongs to no event; "": none */
};

/* Sets have room for the largest device: only the words that this one uses are touched. */
static inline void dbg_fill_set(struct wt_debugger *d, struct wt_wave_set *set, int byte)
{
    memset(set->word, byte, d->sets.words * sizeof set->word[0]);
}

/** Copies the words that this device uses. */
static inline void dbg_copy_set(struct wt_debugger *d, struct wt_wave_set *to,
                                const struct wt_wave_set *from)
{
    memcpy(to->word, from->word, d->sets.words * sizeof to->word[0]);
}

/** Makes the set that holds @p wave alone. */
static inline void dbg_one_wave(struct wt_debugger *d, struct wt_wave_set *set, uint32_t wave)
{
    dbg_fill_set(d, set, 0);
    wt_wave_set_add(set, wave);
}

/** Whether the wave goes on instruction by instruction. */
static inline bool dbg_is_stepping(const struct wave *w)
{
    return w->go == GO_PLAN || w->go == GO_PASS;
}

/** Whether the wave stands, so that a client can look at it: it is not running, nor is the whole
 * device on a way through the recorded run, or being stopped. */
static inline bool dbg_stands(const struct wt_debugger *d, uint32_t wave)
{
    return d->wave[wave].go == GO_STOPPED && !d->travel.going && !d->run.stopping.on;
}

/** The target's service of time travel; NULL: the run is not recorded. */
static inline const struct wt_history_services *dbg_history(const struct wt_debugger *d)
{
    return d->target->services->history;
}

/** The register of that index, which is below topology->register_count. */
static inline const struct wt_register *dbg_register(const struct wt_debugger *d, unsigned index)
{
    assert(index < d->topology->register_count);
    return &d->topology->registers[index];
}

#endif
