/* What the files of the debugger share. */
#ifndef WT_DEBUG_CORE_INTERNAL_H
#define WT_DEBUG_CORE_INTERNAL_H

#include <string.h>

#include "debug/core/debugger.h"
#include "debug/core/thread_table.h"
#include "debug/core/writes.h"

/** What a wave has been told to do. */
enum wave_go {
    GO_STOPPED,
    GO_FREE,  /**< runs */
    GO_STEP,  /**< one instruction of wave.lane */
    GO_RANGE, /**< steps while wave.lane is in [start, end) */
    GO_PASS,  /**< steps off a breakpoint, then runs */
};

/** What is known of the wave that a handle is bound to. */
struct wave {
    struct wt_wave self; /**< id 0: the handle was never bound */
    uint64_t pc;
    wt_lanes mask;
    uint64_t met; /**< breakpoint, or trap of the program's own, that was acted upon here */
    uint64_t start, end;
    enum wt_halt_cause cause;
    uint8_t go;
    uint8_t lane;
    uint8_t focus;           /**< 1 + the lane that the user looks at; 0: none yet */
    bool have_pc, have_mask; /**< pc with cause, mask: known since it stopped */
    bool has_met;            /**< it will not act upon `met` again as long as it stands there */
    bool met_trap;           /**< `met` is an instruction of the program's own */
    bool pending;            /**< a step was asked of the device, and is not done */
    bool lifted;             /**< its pending step is off a breakpoint that is not in memory */
    bool told;               /**< the user knows that it is pending */
    bool was_here;           /**< `lane` was enabled when its step began, or has become so */
    bool step_ended;         /**< the wave that was to step has ended, and `self` is another one */
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

/** What a breakpoint evaluates; it does not change. */
struct bp_code {
    unsigned owners;
    struct wt_debugger *d;
    struct expr_list conditions, commands;
    unsigned *index; /**< registers that conditions and commands name, once each */
    size_t index_count;
    bool in_engine;       /**< the target evaluates it, and nothing is planted */
    const uint64_t **row; /**< room for pointers to the rows of one expression */
    uint64_t *cell;       /**< room for the registers of all lanes */
    uint8_t *bytes;       /**< room for the widest of their rows */
};

/** What one client wants of a breakpoint; the expressions are shared. */
struct claim {
    uint32_t owner;
    struct wt_expr **condition, **command;
    size_t condition_count, command_count;
};

struct breakpoint {
    uint64_t addr;
    bool inserted;                  /**< the client wants it */
    bool planted;                   /**< it is in memory */
    bool doubtful;                  /**< it may be in memory: writing it failed on the way */
    struct wt_patch trap, original; /**< what is planted, and what undoes it; size 0: never yet */
    struct wt_instruction covered;  /**< the instruction under it */
    struct claim *claim;            /**< one for each client that wants it */
    size_t claim_count, claim_capacity;
    struct bp_code *code;    /**< of all claims together */
    struct bp_code *watched; /**< what the target has of it; NULL: it does not watch it */
};

/**
 * A breakpoint that was planted once: on the way through the past it may be met in memory. There
 * may be several for an address, one after the other, since its instruction may have been written.
 */
struct trace {
    uint64_t addr;
    uint64_t time; /**< since when */
    struct wt_patch trap, original;
};

/** Where to stop on the way through the past, as far as is known. */
struct candidate {
    struct wt_event event; /**< but for the thread */
    uint64_t time;
    uint32_t wave;
    unsigned lane;
    bool met;      /**< the wave stands on a breakpoint that it is stopped for */
    bool stranger; /**< the wave that was to step is not there: another one has its slot */
};

/** A way through the recorded run. */
struct travel {
    bool going, backwards;
    enum wt_resume_kind kind;
    uint32_t wave; /**< step and range: whose issues count; else WT_NO_HANDLE */
    wt_wave_id id; /**< step and range: who was bound to `wave` when the way began */
    uint64_t from; /**< step and range: issue time at which the search began */
    unsigned lane;
    uint64_t start, end; /**< range */
    bool have_candidate;
    struct candidate candidate;
};

/** All-stop: an event that is told once every wave has halted (topology->late_stops). */
struct stopping {
    bool on;
    uint32_t wave; /**< what it happened to; WT_NO_HANDLE: nobody in particular */
    unsigned lane;
    wt_wave_id id; /**< of that wave; WT_NO_WAVE: not known */
    struct wt_event event;
    uint64_t until_ns; /**< when the device is taken for lost */
};

/** A replay that is under way in parts (errand.c). */
enum errand_kind { ERRAND_NONE, ERRAND_GOTO, ERRAND_WRITES, ERRAND_BACK };

struct errand {
    enum errand_kind kind;
    uint64_t from, to; /**< issue times: where it began, where it ends */
    wt_thread current;
    bool given_up;
    bool in_past; /**< the search for writes began there */
    struct wt_writes writes;
    struct wave *waves; /**< what was known of the waves where the search began */
};

struct found_writes {
    struct wt_write *list;
    size_t count;
    bool more;
};

/** What is known of the present, while the device is in the past. */
struct present {
    struct wave *wave;
    bool ended;
    uint32_t exit_status;
    wt_thread current;
};

struct watchpoint {
    struct wt_watchpoint at;
    bool changes;
    uint32_t owner;
    bool inserted; /**< its client wants it */
    bool active;   /**< the target watches it */
};

/** What breakpoints evaluated when a search of the past began. */
struct held_code {
    struct bp_code **code;
    size_t count;
};

/** A hit of a watchpoint, as it is reported to clients. */
struct report {
    struct wt_watchpoint at;
    uint32_t wave;
    unsigned lane;
    struct wt_event event;
};

struct reports {
    struct report *report;
    size_t count, capacity;
    size_t next; /**< those before it have been reported */
};

struct wave_rows; /* registers.c */

struct wt_debugger {
    const struct wt_target *target;
    const struct wt_probe_ops *ops;
    struct wt_probe *probe;
    const struct wt_topology *topology; /**< &shape */
    struct wt_topology shape;           /**< the probe's, with added_registers.c */
    struct wt_register *registers;      /**< of `shape` */
    size_t probe_registers;             /**< those before this index are the probe's */
    char wave_register[32];
    struct wt_debugger_options options;
    unsigned words; /**< of a wave set */

    struct wave *wave;
    struct wt_wave_set active; /**< as last looked at */
    struct wt_wave_set free;   /**< told to run: go == GO_FREE (active or not) */
    struct wt_wave_set held;   /**< told to run just now, and not resumed yet */
    struct wt_wave_set unseen; /**< found halted, with the cause still to be read; never resumed */
    uint32_t *stepper;         /**< waves with go of GO_STEP, GO_RANGE or GO_PASS */
    size_t steppers;
    bool going;        /**< something was resumed and has not stopped */
    bool launches_run; /**< waves that begin run by themselves, rather than being held */
    bool active_known;
    bool nonstop;
    bool ended, lost;
    uint32_t exit_status;
    enum { FROZEN_UNKNOWN, FROZEN, NOT_FROZEN } frozen;

    enum wt_thread_mode wanted_mode, mode;
    unsigned chosen_lane;
    wt_thread current;
    struct dbg_thread_table numbers;
    struct wt_thread_info *thread;
    size_t threads, thread_capacity;
    wt_wave_id *wave_list; /**< what wt_debugger_waves() gave out */
    size_t wave_list_capacity;
    uint32_t wave_hint; /**< where the next wave that is asked for by its id may be */

    struct breakpoint *bp; /**< sorted by address */
    size_t bps, bp_capacity;

    uint64_t history_start; /**< as last told: see dbg_note_history() */
    char notice[224];       /**< what the user should know and no event tells; "": nothing */
    bool in_past;
    bool stop_at_end; /**< of the program: to the last issue time at which it still runs */
    struct present present;
    struct travel travel;
    struct stopping stopping;
    struct errand errand; /**< while it is under way, travel.going is set */
    struct found_writes found;
    struct trace *trace;
    size_t traces, trace_capacity;
    struct watchpoint *wp;
    size_t wps, wp_capacity;
    struct held_code searched[2]; /**< by this search of the past, and the one before */
    struct reports reports;       /**< of the last stop for a watchpoint */
    struct reports past;          /**< of the last such stop of a search of the past */
    bool past_backwards;          /**< the direction of that search */

    const struct wt_code *code; /**< what the program's file has; not ours */
    size_t codes;
    struct wt_leftover *leftover;
    size_t leftovers, leftover_capacity;

    uint64_t *generation;       /**< of each wave: registers kept of an older one are stale */
    uint64_t shared_generation; /**< the same of registers that waves share */
    struct wave_rows *rows;     /**< registers kept, by wave modulo row_slots */
    size_t row_slots, row_bytes;
    size_t *row_at;      /**< by register: where its row is among row_bytes */
    unsigned *fetched;   /**< room for the indices of all registers */
    uint8_t *row_buffer; /**< rows on their way */
    size_t row_buffer_size;

    struct wt_event *event;
    size_t events, event_capacity, first_event;
};

/* Sets have room for the largest device: only the words that this one uses are touched. */
static inline void dbg_fill_set(struct wt_debugger *d, struct wt_wave_set *set, int byte)
{
    memset(set->word, byte, d->words * sizeof set->word[0]);
}

static inline void dbg_copy_set(struct wt_debugger *d, struct wt_wave_set *to,
                                const struct wt_wave_set *from)
{
    memcpy(to->word, from->word, d->words * sizeof to->word[0]);
}

static inline void dbg_one_wave(struct wt_debugger *d, struct wt_wave_set *set, uint32_t wave)
{
    dbg_fill_set(d, set, 0);
    wt_wave_set_add(set, wave);
}

static inline bool dbg_is_stepping(const struct wave *w)
{
    return w->go == GO_STEP || w->go == GO_RANGE || w->go == GO_PASS;
}

/* ---- known.c: what is known of waves ---- */

/** Notes that the device did not answer an access, where that is what @p status says; returns it.
 */
enum wt_status dbg_note(struct wt_debugger *d, enum wt_status status);
/** Looks at which waves are active and (may be NULL) halted. */
enum wt_status dbg_look(struct wt_debugger *d, struct wt_wave_set *halted, struct wt_error *err);
bool dbg_is_active(struct wt_debugger *d, uint32_t wave);
/**
 * Finds out which wave a handle is bound to. If it is another one than was known, all that was
 * known of the handle is forgotten; a step of the wave that was there before is marked as ended.
 */
void dbg_identify(struct wt_debugger *d, uint32_t wave);
/** "core 0 warp 3": the slot of a wave, for people. */
void dbg_slot_text(const struct wt_debugger *d, const struct wt_wave *wave, char *text,
                   size_t size);
enum wt_status dbg_need_pc(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
enum wt_status dbg_need_mask(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** The pc of a lane of a stopped wave: where it will wake up, if it is masked off. */
enum wt_status dbg_lane_pc(struct wt_debugger *d, uint32_t wave, unsigned lane, uint64_t *pc,
                           struct wt_error *err);
/** Where a lane that is masked off wakes up, as far as the divergence stack tells; else @p pc. */
uint64_t dbg_wake_up_pc(const struct wt_wave_detail *detail, unsigned lane, uint64_t pc);
/** Whether a lane that is masked off is known to wait in the wave's divergence stack. */
bool dbg_lane_waits(struct wt_debugger *d, uint32_t wave, unsigned lane);
/** Forgets what was known of a wave that has moved or will move. */
void dbg_forget(struct wt_debugger *d, uint32_t wave);
void dbg_forget_all(struct wt_debugger *d);
bool dbg_any_free_active(struct wt_debugger *d);
uint32_t dbg_count_free_active(struct wt_debugger *d);

/* ---- threads.c ---- */

/** As dbg_look() where it can have changed: while something runs, waves come and go. */
enum wt_status dbg_refresh(struct wt_debugger *d, struct wt_error *err);
/** Chooses lanes or waves as threads, from the waves that are active. */
void dbg_choose_mode(struct wt_debugger *d);
/** The thread that shows @p lane of @p wave. */
wt_thread dbg_thread_of(struct wt_debugger *d, uint32_t wave, unsigned lane);
/**
 * The handle and lane of a thread (0: of the current one); WT_INVALID if there never was such a
 * thread. Its wave may have ended, and another one be bound to the handle: see dbg_is_there().
 */
enum wt_status dbg_locate(struct wt_debugger *d, wt_thread thread, uint32_t *wave, unsigned *lane,
                          struct wt_error *err);
/** Whether a thread's wave is active now, as of the last look at the waves. */
bool dbg_is_there(struct wt_debugger *d, wt_thread thread);

/* ---- added_registers.c ---- */

/** Makes the debugger's topology: the probe's, and registers that say where a lane is. */
enum wt_status dbg_add_registers(struct wt_debugger *d, const struct wt_topology *of_probe,
                                 struct wt_error *err);
/** Whether a register is one of these. */
static inline bool dbg_is_added(const struct wt_debugger *d, unsigned index)
{
    return index >= d->probe_registers;
}
/** Reads the row of one of them; the wave must be stopped. */
enum wt_status dbg_read_added(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                              uint8_t *row, struct wt_error *err);

/** Whether it is the issue time. */
bool dbg_is_time(const struct wt_debugger *d, unsigned index);
/** The value of one of them, but the time, for a lane of a wave with enabled lanes @p mask. */
uint64_t dbg_added_value(const struct wt_debugger *d, unsigned index, uint32_t wave, unsigned lane,
                         wt_lanes mask);

/* ---- registers.c ---- */

enum wt_status dbg_open_registers(struct wt_debugger *d, struct wt_error *err);
void dbg_close_registers(struct wt_debugger *d);
/** As the probe's read_rows(), for any registers of a stopped wave, kept ones included. */
enum wt_status dbg_read_rows(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                             const unsigned *index, size_t count, uint8_t *out,
                             struct wt_error *err);
/**
 * Registers as cells of 64 bits (their low ones): an array for each register, with a cell for each
 * of @p lanes, the lowest first, also of registers that the lanes share.
 */
enum wt_status dbg_read_cells(struct wt_debugger *d, uint32_t wave, wt_lanes lanes,
                              const unsigned *index, size_t count, uint64_t *cell,
                              struct wt_error *err);
/** As the probe's write_row(). */
enum wt_status dbg_write_row(struct wt_debugger *d, uint32_t wave, wt_lanes lanes, unsigned index,
                             const uint8_t *row, struct wt_error *err);
/** Sets the pc of a wave that is on its way; what is known of the wave is not touched. */
enum wt_status dbg_write_pc(struct wt_debugger *d, uint32_t wave, uint64_t pc,
                            struct wt_error *err);
/** Whether registers can be had past the debug hardware on the way through the recorded run. */
bool dbg_has_register_port(const struct wt_debugger *d);

/* ---- access.c ---- */

/** Finds a thread's wave, which must be there (WT_INVALID) and stopped (WT_STATE). */
enum wt_status dbg_stopped_thread(struct wt_debugger *d, wt_thread thread, uint32_t *wave,
                                  unsigned *lane, struct wt_error *err);
/** A stopped wave that memory can be reached through; may be inactive if there is no other. */
uint32_t dbg_memory_wave(struct wt_debugger *d);
/** Memory as it is, breakpoints and all. Halts a wave for a moment if it has to. */
enum wt_status dbg_raw_read(struct wt_debugger *d, uint32_t wave, unsigned lane,
                            struct wt_address addr, void *out, size_t size, struct wt_error *err);
enum wt_status dbg_raw_write(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_address addr, const void *bytes, size_t size,
                             struct wt_error *err);

/* ---- breakpoints.c ---- */

struct breakpoint *dbg_find_breakpoint(struct wt_debugger *d, uint64_t addr);
/** Plants what is inserted, and lifts what is not. */
enum wt_status dbg_sync_breakpoints(struct wt_debugger *d, struct wt_error *err);
/** Whether a wave that comes to it is stopped, or asked; NULL is not set. */
bool dbg_is_set(const struct breakpoint *bp);
/** Frees entries that neither the client wants nor memory or the target have. */
void dbg_drop_breakpoints(struct wt_debugger *d);
void dbg_free_breakpoints(struct wt_debugger *d);
/* ---- patches.c ---- */

/** Puts the bits of a patch into @p size bytes that begin at @p addr, as far as they go. */
void dbg_apply(const struct wt_patch *patch, uint64_t addr, uint8_t *bytes, size_t size);
/** Whether a patch lies in a window. */
bool dbg_lies_in(const struct wt_patch *patch, const struct wt_window *window);
/** Whether its bits are in the window. */
bool dbg_is_planted(const struct wt_patch *patch, const struct wt_window *window);
/** The patch that undoes @p trap where memory is as in the window. */
struct wt_patch dbg_undoing(const struct wt_patch *trap, const struct wt_window *window);

/** The bytes that the probe wants to see of the instruction at @p addr. */
enum wt_status dbg_read_window(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                               struct wt_window *window, struct wt_error *err);
/** What the instruction at @p addr of memory is, breakpoints and all. */
enum wt_status dbg_decode(struct wt_debugger *d, uint32_t wave, uint64_t addr,
                          struct wt_instruction *instruction, struct wt_error *err);
/** Length of a breakpoint instruction at @p addr of memory, 0 if there is none. */
unsigned dbg_trap_length(struct wt_debugger *d, uint32_t wave, uint64_t addr);
enum wt_status dbg_write_patch(struct wt_debugger *d, uint32_t wave, const struct wt_patch *patch,
                               struct wt_error *err);
enum wt_status dbg_plant(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                         struct wt_error *err);
enum wt_status dbg_lift(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                        struct wt_error *err);
/** Whether the instruction under the breakpoint is a breakpoint instruction itself. */
bool dbg_covers_trap(const struct breakpoint *bp);
/** Puts the program's own instructions in place of breakpoints in bytes read from @p addr. */
void dbg_show_original(struct wt_debugger *d, struct wt_address addr, void *bytes, size_t size);
/** Whether it is the trace of its address that counts at this issue time. */
bool dbg_trace_counts(const struct wt_debugger *d, const struct trace *t);
/** What was planted after this issue time is not in memory now, nor will it be. */
void dbg_drop_later_traces(struct wt_debugger *d);
/** Removes from memory every breakpoint that was ever planted. */
enum wt_status dbg_lift_traces(struct wt_debugger *d, struct wt_error *err);
/** Finds out which planted breakpoints are still in memory (the device was out of reach). */
enum wt_status dbg_verify_breakpoints(struct wt_debugger *d, struct wt_error *err);
/** What undoes the breakpoints that are in memory at this issue time: at most @p most patches. */
size_t dbg_list_patches(struct wt_debugger *d, struct wt_patch *list, size_t most);

/* ---- conditions.c ---- */

/** Expressions are shared. One owner: the caller. */
enum wt_status dbg_new_code(struct wt_debugger *d, struct wt_expr *const *conditions,
                            size_t condition_count, struct wt_expr *const *commands,
                            size_t command_count, struct bp_code **code, struct wt_error *err);
struct bp_code *dbg_share_code(struct bp_code *code);
void dbg_free_code(struct bp_code *code);
/**
 * Keeps what breakpoints evaluate now until the next search of the past has begun: clients may
 * change breakpoints while one is under way. False without host memory.
 */
bool dbg_hold_code(struct wt_debugger *d);
/** Lets all of that go: the target searches no more. */
void dbg_release_code(struct wt_debugger *d);
/** Runs conditions and commands of a halted wave. *stops: some lane wants to stop, `lane`. */
enum wt_status dbg_evaluate(struct wt_debugger *d, struct breakpoint *bp, uint32_t wave,
                            bool *stops, unsigned *lane, struct wt_error *err);
/** The lane to stop for among @p lanes: the one that the user looks at, else the lowest. */
unsigned dbg_lane_to_stop(const struct wt_debugger *d, uint32_t wave, wt_lanes lanes);
/** The condition of a watched instruction (target.h); @p context is a struct bp_code. */
wt_lanes dbg_holds_in_engine(void *context, uint32_t wave, uint64_t pc, wt_lanes mask);
/** Runs the commands for @p lanes of a wave that stands before a watched instruction. */
void dbg_print_in_engine(struct bp_code *code, uint32_t wave, uint64_t pc, wt_lanes lanes);

/* ---- evaluate.c ---- */

/** Lanes of a wave for which an expression is evaluated, by their numbers in the expression. */
struct dbg_lanes {
    struct wt_debugger *d;
    uint32_t wave;
    unsigned count;
    uint8_t lane[WT_MAX_LANES];
};

void dbg_list_lanes(struct wt_debugger *d, uint32_t wave, wt_lanes set, struct dbg_lanes *lanes);
/** Members of a struct wt_expr_world whose context is a struct dbg_lanes. */
wt_lanes dbg_read_for_lanes(void *context, wt_lanes which, const uint64_t *addr, unsigned size,
                            uint64_t *out);
void dbg_print_for_lanes(void *context, const char *text, size_t length);

/* ---- watchpoints.c ---- */

/** What a client asks to be watched, as the target wants it. */
enum wt_status dbg_resolve_watchpoint(struct wt_debugger *d, const struct wt_watchpoint_request *r,
                                      struct wt_watchpoint *at, struct wt_error *err);
/** A breakpoint as the target is to watch it, or to search for it. */
struct wt_watchpoint dbg_watched_code(const struct breakpoint *bp);
/** Lets the target watch what is inserted, and nothing else. */
enum wt_status dbg_sync_watchpoints(struct wt_debugger *d, struct wt_error *err);
/** Asks the target what was met (*met: something), and stops for it if anybody wants that. */
enum wt_status dbg_check_watchpoints(struct wt_debugger *d, bool *met, bool *stopped,
                                     struct wt_error *err);
/** A list, to be freed, of the memory that the client wants watched. */
enum wt_status dbg_list_watchpoints(struct wt_debugger *d, struct wt_watchpoint **list,
                                    size_t *count, struct wt_error *err);
/** What to tell of what the target met, without stopping; false if nobody wants to hear of it. */
bool dbg_watch_event(struct wt_debugger *d, struct wt_event *event, uint32_t *wave, unsigned *lane);
/** The next watchpoint that the same instruction met; false if there is none. */
bool dbg_next_watch_event(struct wt_debugger *d, struct wt_event *event, uint32_t *wave,
                          unsigned *lane);
/** All-stop: tells of the next watchpoint that the last instruction met; false if there is none. */
bool dbg_tell_next_watchpoint(struct wt_debugger *d);
void dbg_free_watchpoints(struct wt_debugger *d);

/* ---- lost.c ---- */

/** The device did not answer: nothing is known to run any more, and the client is told. */
void dbg_lose(struct wt_debugger *d, const struct wt_error *err);
/** After the device was lost: halts it, and finds out what is left of what was planted. */
enum wt_status dbg_regain(struct wt_debugger *d, struct wt_error *err);

/* ---- stop.c ---- */

/** Room for so many events; false without host memory. One at least is reserved at opening. */
bool dbg_reserve_events(struct wt_debugger *d, size_t count);
/** Puts an event into the queue. Without host memory the queue says that events are missing. */
void dbg_push_event(struct wt_debugger *d, const struct wt_event *event);
bool dbg_has_event(const struct wt_debugger *d);
/** All-stop: a stop is reported, or will be once every wave has halted. */
bool dbg_is_over(const struct wt_debugger *d);
/** Halts waves, and waits until they have halted. */
enum wt_status dbg_halt(struct wt_debugger *d, const struct wt_wave_set *waves,
                        struct wt_error *err);
/** All-stop: stops everything and reports the event, which may take until a later pump. */
enum wt_status dbg_stop_all(struct wt_debugger *d, const struct stopping *what,
                            struct wt_error *err);
/** Looks whether every wave has halted, and if so reports. */
void dbg_pump_stop(struct wt_debugger *d, uint64_t budget);
void dbg_set_go(struct wt_debugger *d, uint32_t wave, enum wave_go go);
/** Finds out whether anything that was resumed can still be expected to stop. */
void dbg_update_going(struct wt_debugger *d);
/** Forgets all that was going on (the device was reset). */
void dbg_stop_everything(struct wt_debugger *d);
/** Halts every wave, those that are not active included: they must not start running unseen. */
enum wt_status dbg_halt_everything(struct wt_debugger *d, struct wt_error *err);
/** No wave is known to run any more. */
void dbg_all_stopped(struct wt_debugger *d);
wt_thread dbg_first_thread(struct wt_debugger *d);
/**
 * Something happened to @p lane of @p wave: stop it (non-stop), or everything (all-stop), and tell.
 * Text and signal come from @p more, which may be NULL.
 */
enum wt_status dbg_stop_for(struct wt_debugger *d, uint32_t wave, unsigned lane,
                            enum wt_stop_reason reason, const struct wt_event *more,
                            struct wt_error *err);
/** Takes what the probe has to tell. *ended: the program has, and that is reported. */
enum wt_status dbg_take_events(struct wt_debugger *d, bool *ended, struct wt_error *err);
/** Stops for a mistake of the program, if the device found one. */
enum wt_status dbg_check_fault(struct wt_debugger *d, struct wt_error *err);

/* ---- waves.c ---- */

/** The handle of an active wave; WT_INVALID if it has ended. */
enum wt_status dbg_find_wave(struct wt_debugger *d, wt_wave_id id, uint32_t *wave,
                             struct wt_error *err);

/* ---- step.c ---- */

enum turn {
    TURN_WAITS, /**< the instruction cannot issue yet */
    TURN_MOVED, /**< it has; another one is to follow */
    TURN_OVER,  /**< nothing more to do: it stopped, or runs freely now */
};

/** A stepping wave's turn. */
enum wt_status dbg_take_turn(struct wt_debugger *d, uint32_t wave, enum turn *turn,
                             struct wt_error *err);
/** Takes back a step that has not been done, and closes the gap that it left in a breakpoint. */
enum wt_status dbg_take_back_step(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** Says once that a step cannot be done. */
void dbg_tell_waiting(struct wt_debugger *d, uint32_t wave);
/** A wave has met a breakpoint: stop for it, or let it pass. */
enum wt_status dbg_meet_breakpoint(struct wt_debugger *d, uint32_t wave, struct breakpoint *bp,
                                   bool *stopped, struct wt_error *err);
/** A wave has met a breakpoint instruction of the program's own. */
enum wt_status dbg_meet_trap(struct wt_debugger *d, uint32_t wave, struct wt_error *err);
/** A wave has halted for a mistake of the program's. */
enum wt_status dbg_meet_exception(struct wt_debugger *d, uint32_t wave, struct wt_error *err);

/* ---- history.c ---- */

/** Whether the past can be gone to now. */
enum wt_status dbg_need_history(struct wt_debugger *d, struct wt_error *err);
/** Keeps what is known of the present, which will be come back to. */
enum wt_status dbg_leave_present(struct wt_debugger *d, struct wt_error *err);
/** Puts the device to an issue time, every wave halted. */
enum wt_status dbg_go(struct wt_debugger *d, uint64_t time, struct wt_error *err);
/** The user changes something: in the past, what was recorded after this is dropped. */
enum wt_status dbg_change_past(struct wt_debugger *d, struct wt_error *err);
/** The program begins anew: there is no past any more. */
void dbg_forget_past(struct wt_debugger *d);
/** Goes back to the present, if the device is in the past. */
enum wt_status dbg_to_present(struct wt_debugger *d, struct wt_error *err);
/** Waves are resumed in the past: along the recorded run. */
enum wt_status dbg_resume_past(struct wt_debugger *d, const struct wt_resume *list, size_t count,
                               struct wt_error *err);
/** The device was put somewhere: nothing that was known of its waves holds. */
enum wt_status dbg_arrive(struct wt_debugger *d, struct wt_error *err);
/** A part of the way; true when it should be called again soon. */
bool dbg_travel(struct wt_debugger *d, uint64_t budget);
/** Whether there is an issue time before the present one to go to. */
bool dbg_has_past(struct wt_debugger *d);
/** Notes for the user that the beginning of the recorded run has been forgotten, if it has. */
void dbg_note_history(struct wt_debugger *d);
/** The program has ended with @p status: goes back to just before, and tells. */
enum wt_status dbg_stop_before_end(struct wt_debugger *d, uint32_t status, struct wt_error *err);
/** Ends the way where the device is. */
enum wt_status dbg_stop_travel(struct wt_debugger *d, struct wt_error *err);

/* ---- errand.c ---- */

/** Some parts of what is under way; true. */
bool dbg_run_errand(struct wt_debugger *d);
/** Ends it: where the device is, or after the way back. An event follows. */
enum wt_status dbg_give_up_errand(struct wt_debugger *d, struct wt_error *err);

/* ---- run.c ---- */

/** Non-stop: halts a wave that runs, and tells of each of its threads. */
enum wt_status dbg_stop_wave(struct wt_debugger *d, uint32_t wave, unsigned lane,
                             struct wt_error *err);

#endif
