/*
 * The debugger proper: threads, run control, breakpoints, stepping, memory and registers of one
 * target, for any front end. It knows no wire format, and no GPU: front ends bring requests,
 * probes know the hardware.
 *
 * Threads. A person sees threads: one lane of a wave (lane mode) or a whole wave seen
 * through one chosen lane (wave mode). A thread's number (id) belongs to one wave and lane from one
 * reset to the next: another wave that takes the slot of a wave that has ended gets other numbers,
 * and a wave that time travel leads back to has its old ones. Where the device's slots never move,
 * the first wave that is seen in a slot has the numbers 1 + slot * lanes + lane (lane mode) or
 * 1 + slot * lanes (wave mode). Number 0 means "any" where a function allows it.
 *
 * Running. wt_debugger_resume() sets waves going and returns at once; the owner then calls
 * wt_debugger_pump() until an event is there. All-stop: the first event halts every wave at the
 * same issue time. Non-stop: waves stop one by one.
 */
#ifndef WT_DEBUG_CORE_DEBUGGER_H
#define WT_DEBUG_CORE_DEBUGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "expr/expr.h"
#include "debug/core/probe.h"
struct wt_callers;
struct wt_debugger;
struct wt_touch;
struct wt_resume; /* core/going.h */
typedef uint32_t wt_thread;

/**
 * The set of registers that the debugger adds to those of the probe, all read-only: _core, _warp
 * (the family's word for a wave), _lane, _mask (_mask_high: lanes 64 and up, if there are any) and
 * _time, if the target tells it.
 */
#define WT_ADDED_SET "place"

enum wt_thread_mode {
    WT_THREADS_AUTO, /**< lanes while few lanes are in active waves, else waves */
    WT_THREADS_LANES,
    WT_THREADS_WAVES,
};

struct wt_debugger_options {
    bool dm_only; /**< do not use the target's memory port */
    enum wt_thread_mode threads;
    bool unrecorded; /**< the user wants no recording: it is told where one is missing */
    /** Takes text that breakpoint commands print (agent printf). May be NULL. */
    void (*output)(void *context, const char *text, size_t length);
    void *context;
};

/** Connects to a target, which keeps running or halted as it is. The target must outlive it. */
enum wt_status wt_debugger_open(const struct wt_target *target, const struct wt_probe_ops *probe,
                                const struct wt_debugger_options *options,
                                struct wt_debugger **debugger, struct wt_error *err);

/** Lifts all breakpoints (as far as the target answers), leaves waves as they are, and frees. */
void wt_debugger_close(struct wt_debugger *d);

/**
 * Connects anew to a device that has gone and come back, or seems stuck, and halts it. Breakpoints
 * stay inserted: which of them are still in memory is read back. (A device that answers again by
 * itself needs no call of this: the next request finds it. This is for one that needs a new
 * connection.)
 */
enum wt_status wt_debugger_reattach(struct wt_debugger *d, struct wt_error *err);

/** The description of the device. It stays valid while the debugger is open; `waves` may grow. */
const struct wt_topology *wt_debugger_topology(struct wt_debugger *d);
/** The target that was given to wt_debugger_open(). */
const struct wt_target *wt_debugger_target(struct wt_debugger *d);

/* ---- program ---- */

/** Resets the device with every wave halted before its first instruction (program not reloaded). */
enum wt_status wt_debugger_reset(struct wt_debugger *d, struct wt_error *err);

/**
 * Runs the program from its beginning: memory loaded afresh if the target can (services.reload),
 * reset, halted at the first instruction. Breakpoints stay inserted.
 */
enum wt_status wt_debugger_restart(struct wt_debugger *d, struct wt_error *err);

/** True when the program has ended; *status (if not NULL) then holds its exit word. */
bool wt_debugger_ended(struct wt_debugger *d, uint32_t *status);

/* ---- threads ---- */

/** The mode in force now (never WT_THREADS_AUTO). */
enum wt_thread_mode wt_debugger_thread_mode(struct wt_debugger *d);

/** Forces a mode, or gives the choice back (WT_THREADS_AUTO). */
void wt_debugger_set_thread_mode(struct wt_debugger *d, enum wt_thread_mode mode);
/** WT_THREADS_AUTO: up to so many lanes in active waves are threads of their own (1,024). */
void wt_debugger_set_auto_lanes(struct wt_debugger *d, unsigned most);

/** Wave mode: which lane a wave's thread shows. WT_INVALID if there is no such lane. */
enum wt_status wt_debugger_choose_lane(struct wt_debugger *d, unsigned lane, struct wt_error *err);
/** The lane that was chosen last; 0 at first. */
unsigned wt_debugger_chosen_lane(struct wt_debugger *d);

struct wt_thread_info {
    wt_thread id;
    wt_wave_id wave;
    unsigned core, wave_in_core, lane;
    bool enabled; /**< its lane is in the wave's mask (wave mode: some lane is) */
    bool running; /**< set going by resume and not stopped since */
    uint64_t pc;  /**< next instruction; of a masked-off lane where it will wake up, if known;
                       0 while running */
};

/**
 * The threads of the waves that are active now, by core, slot and lane. *list is
 * owned by the debugger and valid until the next call of any of its functions.
 */
enum wt_status wt_debugger_threads(struct wt_debugger *d, const struct wt_thread_info **list,
                                   size_t *count, struct wt_error *err);

/** Whether @p thread names a thread that exists now. */
bool wt_debugger_thread_alive(struct wt_debugger *d, wt_thread thread);

/**
 * Describes the wave of a thread, which may have ended since; false if there never was such a
 * thread. Two threads are of the same wave if its id is the same.
 */
bool wt_debugger_thread_wave(struct wt_debugger *d, wt_thread thread, struct wt_wave *wave);

/** Where a thread is in its stopped wave. */
struct wt_thread_position {
    unsigned lane;
    wt_lanes active; /**< the wave's */
    uint64_t pc;     /**< the wave's */
};
/** Says where @p thread is. WT_INVALID: no such thread; WT_STATE: its wave runs. */
enum wt_status wt_debugger_thread_position(struct wt_debugger *d, wt_thread thread,
                                           struct wt_thread_position *position,
                                           struct wt_error *err);
/** The thread that shows @p lane of the wave of @p thread. */
wt_thread wt_debugger_thread_of_lane(struct wt_debugger *d, wt_thread thread, unsigned lane);

#define WT_THREAD_NAME 240 /**< bytes that hold any thread's name */
/** "device 0, dispatch 1, group (2,0,0), core 0, warp 1, lane 3 (masked off)", for people; where
 * waves have no work, "device 0, core 0, warp 1, thread 3". Works for any id; "?" if it is none. */
void wt_debugger_thread_name(struct wt_debugger *d, wt_thread thread, char *text, size_t size);

/** The thread that commands mean when they name none: that of the last stop, or the first. */
wt_thread wt_debugger_current_thread(struct wt_debugger *d);

/* ---- registers and memory (the thread's wave must be stopped; WT_STATE otherwise) ---- */

/**
 * Reads registers of a thread's lane, by index in topology->registers: to @p out come their values
 * (wt_register_size() bytes each), one after the other, without gaps. pc is the thread's own, also
 * of a lane that is masked off. WT_INVALID: there is no such register or thread.
 */
enum wt_status wt_debugger_read_registers(struct wt_debugger *d, wt_thread thread,
                                          const unsigned *index, size_t count, void *out,
                                          struct wt_error *err);
/** The same for @p lanes of the thread's wave: rows (probe.h), one after the other. */
enum wt_status wt_debugger_read_rows(struct wt_debugger *d, wt_thread thread, wt_lanes lanes,
                                     const unsigned *index, size_t count, void *out,
                                     struct wt_error *err);
/** Registers of at most 64 bits as numbers, with zeros above; WT_INVALID if one is wider. */
enum wt_status wt_debugger_read_numbers(struct wt_debugger *d, wt_thread thread,
                                        const unsigned *index, size_t count, uint64_t *value,
                                        struct wt_error *err);
/** Writes a register: wt_register_size() bytes at @p value. */
enum wt_status wt_debugger_write_register(struct wt_debugger *d, wt_thread thread, unsigned index,
                                          const void *value, struct wt_error *err);
/** The same from a number: what does not fit is cut off, and a wider register gets zeros above. */
enum wt_status wt_debugger_write_number(struct wt_debugger *d, wt_thread thread, unsigned index,
                                        uint64_t value, struct wt_error *err);

/**
 * The address of space 0 that a client means by a number: bits above those of the space are cut
 * off, since some clients extend the sign.
 */
struct wt_address wt_debugger_address(struct wt_debugger *d, uint64_t number);

/** Memory as the thread sees it, with the original instructions in place of breakpoints. */
enum wt_status wt_debugger_read_memory(struct wt_debugger *d, wt_thread thread,
                                       struct wt_address addr, void *out, size_t size,
                                       struct wt_error *err);
/** Writes memory; breakpoints that lie in it stay planted. */
enum wt_status wt_debugger_write_memory(struct wt_debugger *d, wt_thread thread,
                                        struct wt_address addr, const void *bytes, size_t size,
                                        struct wt_error *err);

/**
 * Where a function of a stopped thread returns to, as its instructions show; WT_UNSUPPORTED where
 * the probe does not know such code.
 */
enum wt_status wt_debugger_find_caller(struct wt_debugger *d, const struct wt_callee *callee,
                                       struct wt_caller *caller, struct wt_error *err);
/** Where a variable's address is that lanes keep in registers (the probe's find_kept). */
enum wt_status wt_debugger_find_kept(struct wt_debugger *debugger,
                                     const struct wt_kept_address *asked,
                                     struct wt_kept_answer *answer, struct wt_error *err);
/** The CFA where GCC's call frame information has none (the probe's find_cfa). */
void wt_debugger_find_cfa(struct wt_debugger *debugger, const struct wt_kept_address *asked,
                          struct wt_cfa_answer *answer);

/**
 * Where memory that @p thread sees at @p addr is watched: *home, and *part bytes of it in one
 * piece. What belongs to one lane alone lies somewhere in global memory.
 */
enum wt_status wt_debugger_find_home(struct wt_debugger *d, wt_thread thread,
                                     struct wt_address addr, uint64_t size, struct wt_address *home,
                                     uint64_t *part, struct wt_error *err);

/** The program's memory objects at, or around, memory that @p thread sees at @p addr, as they are
 * now: at most WT_OBJECT_VIEWS. WT_UNSUPPORTED: the target does not tell, or it is memory of a
 * group or a lane. */
enum wt_status wt_debugger_objects(struct wt_debugger *d, wt_thread thread, struct wt_address addr,
                                   struct wt_object_view *list, size_t *count,
                                   struct wt_error *err);

/** As wt_debugger_read_memory(), for lane @p lane of a stopped wave. */
enum wt_status wt_debugger_read_lane(struct wt_debugger *d, wt_wave_id wave, unsigned lane,
                                     struct wt_address addr, void *out, size_t size,
                                     struct wt_error *err);
/** As wt_debugger_write_memory(), likewise. */
enum wt_status wt_debugger_write_lane(struct wt_debugger *d, wt_wave_id wave, unsigned lane,
                                      struct wt_address addr, const void *bytes, size_t size,
                                      struct wt_error *err);

/** The program's instruction at @p addr, as @p thread sees memory. */
enum wt_status wt_debugger_instruction(struct wt_debugger *d, wt_thread thread, uint64_t addr,
                                       struct wt_instruction *instruction, struct wt_error *err);

/* ---- breakpoints ---- */

/** While waves run, each insertion and removal of a breakpoint or watchpoint takes effect at once.
 * Those between these two take effect together at the end: one that is removed and inserted again
 * is there all the time. */
void wt_debugger_begin_changes(struct wt_debugger *d);
/** WT_INVALID: not all breakpoints can be in memory; the others are. */
enum wt_status wt_debugger_end_changes(struct wt_debugger *d, struct wt_error *err);

/** Whether one can be at @p addr, where an instruction must be that it replaces: fails past the end
 * of the address space, and where no memory can be read. */
enum wt_status wt_debugger_check_breakpoint(struct wt_debugger *d, uint64_t addr,
                                            struct wt_error *err);
/**
 * Inserts a breakpoint at @p addr. It stops an active lane for which some condition is non-zero
 * or cannot be evaluated (or there is no condition). Commands print for each such lane; a
 * breakpoint that has commands does not stop, any other does. Inserting one that exists replaces
 * its conditions and commands. Expressions name registers by index in topology->registers; they are
 * shared, not copied.
 */
enum wt_status wt_debugger_insert_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_expr *const *conditions,
                                             size_t condition_count,
                                             struct wt_expr *const *commands, size_t command_count,
                                             struct wt_error *err);
/**
 * The same for one of several clients. Each has its own conditions and commands at an address; the
 * breakpoint is there as long as one of them wants it. Owner 0: no client in particular.
 */
enum wt_status wt_debugger_insert_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_expr *const *conditions,
                                                size_t condition_count,
                                                struct wt_expr *const *commands,
                                                size_t command_count, struct wt_error *err);
/**
 * How often the commands have been run that @p owner has at @p addr, each time for a wave, since
 * this was asked last. 0 if it has none there.
 */
uint64_t wt_debugger_take_command_runs(struct wt_debugger *d, uint32_t owner, uint64_t addr);
/** Whether the target itself ignores breakpoints: to do so costs no stop. */
bool wt_debugger_can_ignore(const struct wt_debugger *d);
/** The next @p times that the breakpoints of @p owner, all together, hold for a wave are only
 * counted, as runs of commands are. */
void wt_debugger_ignore(struct wt_debugger *d, uint32_t owner, uint64_t times);
/** Removes what that owner has inserted; WT_INVALID if that is nothing. */
enum wt_status wt_debugger_remove_breakpoint_of(struct wt_debugger *d, uint32_t owner,
                                                uint64_t addr, struct wt_error *err);
/** Removes what owner 0 has inserted at @p addr; WT_INVALID if that is nothing. */
enum wt_status wt_debugger_remove_breakpoint(struct wt_debugger *d, uint64_t addr,
                                             struct wt_error *err);
/** Removes the breakpoints of all owners. */
void wt_debugger_remove_all_breakpoints(struct wt_debugger *d);

/* ---- watchpoints ---- */

/**
 * The condition of a watchpoint for a wave that has accessed its memory and goes on at @p pc: an
 * expression as those of breakpoints, which the caller then owns. NULL: code at @p pc does not tell
 * it; then each access there is a stop for which the client decides (wt_event.undecided). It is
 * asked once for each pc, also while the device runs, and may use what the debugger knows of code.
 */
typedef struct wt_expr *wt_condition_at_fn(void *context, uint64_t pc);

/** The condition of one or several watchpoints. It is evaluated after the access, forwards and
 * backwards alike, beside the device if the target can. */
struct wt_watch_condition;

/** A new condition, whose owner is the caller. NULL without host memory. */
struct wt_watch_condition *wt_watch_condition_new(struct wt_debugger *d, wt_condition_at_fn *at,
                                                  void *context);
/** The caller needs it no longer, and @p at is not called any more. NULL is allowed. */
void wt_watch_condition_end(struct wt_watch_condition *condition);

struct wt_watchpoint_request {
    enum wt_watchpoint_kind kind;
    struct wt_address addr;
    uint64_t size;
    wt_thread
        thread;   /**< the range is where this thread sees it (local memory!); 0: the first wave */
    bool changes; /**< writes that leave the watched bytes as they are do not count */
    uint32_t owner; /**< the client that it belongs to; 0: no client in particular */
    uint32_t tag;   /**< the client's number of it, for wt_event; 0: none */
    struct wt_watch_condition *condition; /**< only lanes for which it holds count; NULL: all */
    /* Both are wt_debugger_bind_watch()'s. */
    uint64_t home;     /**< the group's memory in which it lies; 0: as `thread` sees it now */
    wt_wave_id holder; /**< the wave whose private memory it is; WT_NO_WAVE: no wave's */
};

/**
 * Binds a range to the memory that its thread sees now, which the thread's group takes with it when
 * it ends: another one may come into the slot. @p is_private: what is not memory of a group is
 * memory of the wave, so that accesses of waves that have it later, or have had it before, do not
 * count.
 */
void wt_debugger_bind_watch(struct wt_debugger *d, struct wt_watchpoint_request *request,
                            bool is_private);

/**
 * Watches a range for accesses by any lane, from the next resume on (at once if something runs).
 * There may be any number of watchpoints, of any size, and they may overlap. One instruction may
 * hit several of them: each gets a stop, except those that contain the address reported by an
 * earlier stop and have no other tag, and those whose tag (of that owner) was reported.
 * WT_UNSUPPORTED if the target cannot watch.
 */
enum wt_status wt_debugger_insert_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err);
/** Whether debug hardware can watch all that is inserted now, which is set in it; nothing runs.
 * WT_UNSUPPORTED says why it cannot; then the caller removes the one too many. Nothing is asked in
 * the past, and of a target that watches memory by itself. */
enum wt_status wt_debugger_try_watchpoints(struct wt_debugger *d, struct wt_error *err);
/** Removes the watchpoint that an equal request has inserted. */
enum wt_status wt_debugger_remove_watchpoint(struct wt_debugger *d,
                                             const struct wt_watchpoint_request *request,
                                             struct wt_error *err);
/**
 * At a stop for a watchpoint with a condition: the memory (`size` bytes) of the watchpoint that an
 * equal request has inserted as it was on the other side of the access that is reported: before it
 * on the way forwards, after it backwards. A client has not seen the accesses that did not count.
 * False: it is not known, or nothing has changed there since the client read it last.
 */
bool wt_debugger_other_side(struct wt_debugger *d, const struct wt_watchpoint_request *request,
                            void *bytes);
/**
 * At a stop for a watchpoint: makes @p bytes, the memory of [at, at + size) as it is now, what it
 * was on the other side of the access that is reported. False: the target has not told what the
 * access replaced, as debug hardware does not, and @p bytes stay.
 */
bool wt_debugger_undo_access(const struct wt_debugger *d, struct wt_address at, uint64_t size,
                             void *bytes);
/**
 * At a stop for a watchpoint of debug hardware: what its memory [at, at + size) was before the
 * access that is reported (@p before) and after it (@p after); waves that have stopped later may
 * have written there since. WT_WATCHED_TOLD alone fills them in.
 */
enum wt_watched_known wt_debugger_watched_values(const struct wt_debugger *d, struct wt_address at,
                                                 uint64_t size, void *before, void *after);
/** Removes the watchpoints of all owners. */
void wt_debugger_remove_all_watchpoints(struct wt_debugger *d);

/* ---- waves ---- */

/** A wave as it is now. */
struct wt_wave_info {
    struct wt_wave wave;
    uint64_t dispatch; /**< id of its dispatch (wt_debugger_dispatch()); 0: it has no work */
    bool running;
    /* Of a wave that is stopped: */
    uint64_t pc;                  /**< next instruction */
    wt_lanes mask;                /**< lanes enabled */
    bool has_wait;                /**< the target has told why it waits: `detail.view` */
    bool has_detail;              /**< … and the rest */
    struct wt_wave_detail detail; /**< why it waits, and which lanes wait in it */
};

/** The active wave in a slot of a core; WT_NO_WAVE if there is none. */
wt_wave_id wt_debugger_wave_in(struct wt_debugger *d, unsigned core, unsigned slot);

/** Describes an active wave. WT_INVALID if it has ended. */
enum wt_status wt_debugger_wave(struct wt_debugger *d, wt_wave_id wave, struct wt_wave_info *info,
                                struct wt_error *err);

/** The value of an expression in one lane. */
struct wt_lane_value {
    bool known;                   /**< it could be evaluated */
    bool read;                    /**< memory at `value` could be read, where that was asked for */
    enum wt_expr_failure failure; /**< not known: why */
    uint64_t value;               /**< not known for WT_EXPR_UNREAD: the address */
};

/**
 * Whether a client can call a function in @p thread: its lane must be the only active one of its
 * wave, since a wave has one pc. WT_STATE with advice if it is not.
 */
enum wt_status wt_debugger_check_call(struct wt_debugger *d, wt_thread thread,
                                      struct wt_error *err);

/**
 * Evaluates an expression for each of @p lanes of a stopped wave, with few round trips to the
 * device. @p result has room for as many lanes as there are in @p lanes, the lowest first. If
 * @p size is not 0, the value is an address, and so many bytes at it are read to @p bytes, which
 * has room for those of all lanes.
 */
enum wt_status wt_debugger_evaluate(struct wt_debugger *d, wt_wave_id wave, wt_lanes lanes,
                                    const struct wt_expr *expr, size_t size,
                                    struct wt_lane_value *result, void *bytes,
                                    struct wt_error *err);

/* ---- breakpoints that another debugger left in memory ---- */

/** Code as the program's file has it. */
struct wt_code {
    uint64_t addr;
    const uint8_t *bytes;
    size_t size;
};

/** Says what code the program has. List and bytes must outlive the debugger. */
void wt_debugger_set_code(struct wt_debugger *d, const struct wt_code *list, size_t count);

/** A breakpoint instruction in memory where the program's file has another one. */
struct wt_leftover {
    uint64_t addr;            /**< the instruction's */
    struct wt_patch original; /**< puts the file's code back in its place */
};

/**
 * Compares the program's code with memory (all must be halted). A slow device may take long for
 * that: it ends after @p limit_ms (0: not before the end). *compared of *total bytes were compared.
 */
enum wt_status wt_debugger_find_leftovers(struct wt_debugger *d, unsigned limit_ms,
                                          uint64_t *compared, uint64_t *total,
                                          struct wt_error *err);

/** The leftovers that were found last and are not lifted; valid until the next call of these. */
const struct wt_leftover *wt_debugger_leftovers(struct wt_debugger *d, size_t *count);

/** Puts the program's code back in their places. */
enum wt_status wt_debugger_lift_leftovers(struct wt_debugger *d, struct wt_error *err);

/* ---- running ---- */

enum wt_direction { WT_FORWARDS, WT_BACKWARDS };

/** Why nothing goes on of what was resumed with patience. */
enum wt_stuck {
    WT_STUCK_NOT,
    WT_STUCK_BARRIER, /**< its wave waits at a barrier of its group; `text` says of which */
    WT_STUCK_WAITS,   /**< its wave waits for something else; `text` says for what */
    WT_STUCK_SPINS,   /**< its wave comes back to an equal state, again and again */
    WT_STUCK_LONG     /**< nothing is wrong: it takes long */
};

/**
 * Non-stop: waves stop one by one. Default: all-stop. The lanes of a wave cannot stop apart: with a
 * thread per lane, each of them gets an event, first the one that it happened to, then the others
 * with reason WT_STOP_REQUESTED. wt_debugger_interrupt() stops all with that reason, too.
 */
void wt_debugger_set_nonstop(struct wt_debugger *d, bool nonstop);
/** Whether waves stop one by one, as wt_debugger_set_nonstop() said last. */
bool wt_debugger_is_nonstop(const struct wt_debugger *d);

/**
 * Sets threads going, and returns at once. The run ends, with an event, where a client wants it to:
 * at a breakpoint or watchpoint, where the plan of a thread that steps is done, or at an end.
 *
 * Forwards. In all-stop, threads not named stay halted. A wave runs when any of its threads is
 * named; what one of them is to do (step before range before continue) holds for all. Entries are
 * taken in order: the first that names a thread, by its id or by 0, counts. A wave that stands on a
 * breakpoint which it has reported, or which is the one that a step starts at, is taken past it. A
 * step that cannot issue (its wave waits at a barrier) stays pending while other waves run; when
 * nothing runs, `output` of the options is told so, and wt_debugger_interrupt() ends it.
 *
 * Through the recorded run (backwards, and forwards in the past) the whole device goes along, and
 * the first step or range of the list counts. Backwards a step goes to before the last instruction
 * that the thread's lane issued, a range on until its pc is outside, and anything else to the last
 * hit of a breakpoint or watchpoint. WT_UNSUPPORTED: the run is not recorded.
 */
enum wt_status wt_debugger_run(struct wt_debugger *d, enum wt_direction direction,
                               const struct wt_resume *list, size_t count, struct wt_error *err);

/** All-stop, while no wave of a host program is active: goes on until the first wave of a launch
 * stands before its first instruction (WT_STOP_STEP), or to its end. */
enum wt_status wt_debugger_run_to_launch(struct wt_debugger *d, struct wt_error *err);

/**
 * Says which thread the user looks at, and so which lane of its wave. Of several lanes that meet a
 * breakpoint together this one is reported, if the condition holds for it. (Clients plant
 * breakpoints that mean one thread only, for `next` and `finish`, and ignore a stop of another.) A
 * thread that is stepped or reported is looked at from then on.
 */
void wt_debugger_focus(struct wt_debugger *d, wt_thread thread);

/**
 * Stops what runs: an event with reason WT_STOP_INTERRUPTED will follow (all-stop), or WT_STOP_LOST
 * if the device does not answer.
 */
enum wt_status wt_debugger_interrupt(struct wt_debugger *d, struct wt_error *err);

/**
 * The breakpoint at which a stopped thread stands has been reported by the client: resumed, its
 * wave goes past it, as after a stop at it. (A step that ends at a breakpoint does not report it.)
 */
void wt_debugger_pass_breakpoint(struct wt_debugger *d, wt_thread thread);

/** Whether any thread is set going. */
bool wt_debugger_running(struct wt_debugger *d);

enum wt_stop_reason {
    WT_STOP_BREAKPOINT,
    WT_STOP_WATCHPOINT, /**< after an instruction that has accessed watched memory: `watch`, `addr`,
                             `lanes`; `text` says who and with which values. Or, of a mistake:
                             before the access, where the run is recorded; it goes on in the present
                             when it is resumed. Else after it, as the check has let it be done. */
    WT_STOP_STEP,       /**< a step or range is done */
    WT_STOP_INTERRUPTED,   /**< wt_debugger_interrupt */
    WT_STOP_REQUESTED,     /**< WT_RESUME_STOP, or non-stop: it stopped since another lane of its
                                wave did */
    WT_STOP_FAULT,         /**< the program made a mistake: `signal` and `text` say which */
    WT_STOP_TRAP,          /**< a breakpoint instruction of the program's own */
    WT_STOP_LOST,          /**< the device did not answer: `text` says how */
    WT_STOP_HISTORY_BEGIN, /**< the recorded run begins here: there is nothing before */
    WT_STOP_HISTORY_END,   /**< the present has been reached again: the run is new from here on */
};

enum wt_event_kind {
    WT_EVENT_NONE,
    WT_EVENT_STOPPED,
    WT_EVENT_EXITED,
    WT_EVENT_ARRIVED,  /**< wt_debugger_begin_goto() is done: `reason` WT_STOP_STEP; or
                            WT_STOP_INTERRUPTED where it was given up; or WT_STOP_LOST, with `text`
                        */
    WT_EVENT_SEARCHED, /**< wt_debugger_begin_touches() or wt_debugger_begin_slice() is
                            done, likewise */
};

struct wt_event {
    enum wt_event_kind kind;
    wt_thread thread; /**< stopped: an active lane that it happened to; 0: of no wave, or of one
                           that has ended */
    bool wave_ended;  /**< stopped: the wave that it happened to has ended since; `text` names it */
    enum wt_stop_reason reason;
    enum wt_fault_kind fault;      /**< fault: what kind of mistake */
    struct wt_fault record;        /**< fault: what the device has recorded of it, or what its
                                        registers say; kind WT_FAULT_NONE: nothing */
    uint64_t exceptions;           /**< fault: bits, which of topology->exceptions it is */
    uint32_t status;               /**< exited: exit word */
    enum wt_watchpoint_kind watch; /**< watchpoint: its kind; WT_WATCHPOINT_MISTAKE: see below */
    struct wt_address addr;        /**< watchpoint: the first of its bytes that was accessed;
                                        mistake: the address of the lowest of `lanes` */
    wt_lanes lanes;                /**< watchpoint: all lanes that did, that of `thread` included */
    wt_lanes unread;     /**< watchpoint: those of `lanes` in which its condition could not
                              be read */
    uint64_t pc;         /**< watchpoint: of the instruction, which is done */
    uint64_t time;       /**< mistake: issue time before the access */
    unsigned mistake;    /**< its kind (check/finding.h) */
    uint32_t tag, owner; /**< watchpoint: of the request */
    bool undecided;      /**< watchpoint: whether its condition holds is not known: see
                              wt_condition_at_fn; breakpoint: it cannot be read, as `text`
                              says */
    enum wt_stuck stuck; /**< WT_STOP_STEP: of a run with patience (struct wt_resume) */
    bool gives_up;       /**< WT_STOP_TRAP: resuming goes past it, which the program would not */
    char text[256];      /**< for people; "" if there is nothing to say */
};

/** Whether a stop is one for a mistake that a check has found. */
static inline bool wt_event_is_mistake(const struct wt_event *event)
{
    return event->reason == WT_STOP_WATCHPOINT && event->watch == WT_WATCHPOINT_MISTAKE;
}

/**
 * Lets the target advance by about @p budget issues and examines what happened. Returns true if it
 * should be called again soon, false if nothing will happen before something is asked for (the
 * caller may then wait for input, looking in again every few milliseconds on hardware).
 */
bool wt_debugger_pump(struct wt_debugger *d, uint64_t budget);

/** A wave's name, WT_WAVE_NAME bytes at most (base/wave_name.h). */
void wt_debugger_name_wave(const struct wt_debugger *d, const struct wt_wave *wave, char *text,
                           size_t size);

/** The fault for which a thread's wave stands where it is, in the past, too, as the event with
 * which it was told or will be; false: there is none, or the target does not record faults. */
bool wt_debugger_fault(struct wt_debugger *d, wt_thread thread, struct wt_event *event);

/* ---- work: devices, dispatches, groups ---- */

/** A GPU. */
struct wt_device {
    unsigned number;            /**< from 0; in a core file of one of a program's GPUs its own */
    unsigned first_core, cores; /**< cores are numbered through */
};

/** A queue from which a device takes launches. */
struct wt_queue {
    unsigned device;
    uint32_t number; /**< its driver's, among those of the device */
};

/** A launch of a kernel, with all that waves tell of it. */
struct wt_dispatch {
    uint64_t id;     /**< no other dispatch of the session gets it, also after a restart */
    uint64_t number; /**< which launch of the program's run, as people name it */
    unsigned device;
    bool has_queue; /**< it came through one: `from` */
    struct wt_queue from;
    uint32_t block[3], groups[3]; /**< work-items of a group; groups; 0 where that is not known */
    size_t wave_count;            /**< active ones, as of the last look at them; 0: it has ended */
    /* In struct wt_work: */
    const struct wt_wave_info **wave; /**< these, by group and index */
    struct wt_group *group;           /**< the groups that have waves */
    size_t group_count;
    const struct wt_queue *queue; /**< NULL: it came through none */
};

/** A work-group that has waves. */
struct wt_group {
    const struct wt_dispatch *of;
    uint32_t at[3];                   /**< with `of`, its name */
    const struct wt_wave_info **wave; /**< by index */
    size_t wave_count;
};

/** All that works now. */
struct wt_work {
    struct wt_wave_info *wave;          /**< all active waves, by handle */
    struct wt_dispatch *dispatch;       /**< those with waves, by number and device */
    struct wt_group *group;             /**< by dispatch and place in the grid */
    struct wt_queue *queue;             /**< those whose dispatches have waves */
    const struct wt_wave_info **worker; /**< waves with work, by group and index */
    size_t wave_count, dispatch_count, group_count, queue_count, worker_count;
};

/** The devices are those of the topology: fills in number @p index, which may be the last one and
 * no further; false: there are fewer. */
bool wt_debugger_device(const struct wt_debugger *d, unsigned index, struct wt_device *device);
/** The dispatch of an id, which may have ended, until the next call of any function; NULL: there is
 * none in this run. `group` and `wave` are NULL. */
const struct wt_dispatch *wt_debugger_dispatch(const struct wt_debugger *d, uint64_t id);
/** Describes what works now. wt_work_free() frees it, after a failure, too. */
enum wt_status wt_debugger_work(struct wt_debugger *d, struct wt_work *work, struct wt_error *err);
/** Frees the lists. */
void wt_work_free(struct wt_work *work);
/** How many lanes of a wave are work-items, and which of its group's that of lane 0 is; all where
 * the group's size is not known. */
unsigned wt_wave_items(const struct wt_wave *wave, uint32_t *first);
/** Coordinate @p axis of a lane's work-item in its group, in the order in which the dispatch
 * numbers them; 0 where the wave has no grid. */
uint64_t wt_wave_item(const struct wt_wave *wave, unsigned lane, unsigned axis);

/** Takes the next event off the queue; WT_EVENT_NONE when there is none. */
struct wt_event wt_debugger_next_event(struct wt_debugger *d);

/**
 * Takes the next event of the probe that is no stop: dispatches that began or ended, modules
 * that changed. False: there is none.
 */
bool wt_debugger_next_news(struct wt_debugger *d, struct wt_probe_event *event);

/**
 * Whether the news tell of waves and groups, too (at first: they do not). It begins with those that
 * are active. Waves are looked at when something stops or a client asks for them: one that begins
 * and ends in between is not told. Where time travel leads, the difference is told. WT_NO_MEMORY:
 * no news of waves.
 */
enum wt_status wt_debugger_tell_waves(struct wt_debugger *d, bool tell, struct wt_error *err);

/* ---- time travel: WT_UNSUPPORTED where the target does not record its run ---- */

/** Why nothing of the run is recorded at the moment, for people, until the next call; NULL: it is,
 * or the target has no history. */
const char *wt_debugger_unrecorded(const struct wt_debugger *d);
/** Whether the run is recorded. */
bool wt_debugger_has_history(struct wt_debugger *d);

struct wt_debugger_time {
    uint64_t now, start, end; /**< issue times: here, of the first and the last recorded state */
    bool in_past;
    struct wt_history_stats stats;
};

/** Where in the recorded run the device is. */
enum wt_status wt_debugger_time(struct wt_debugger *d, struct wt_debugger_time *time,
                                struct wt_error *err);

/**
 * Puts the device to an issue time of the recorded run, at once. There it can be looked at like
 * any stopped device. Resuming follows the recorded run up to its end, with breakpoints and
 * watchpoints in force. Writing a register or memory begins a new future: the recorded one is
 * dropped, which wt_debugger_take_notice() tells. All-stop only; nothing may run.
 */
enum wt_status wt_debugger_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err);

/**
 * Begins to go there: as a run, it is pumped and can be interrupted; WT_EVENT_ARRIVED follows. An
 * interrupt ends it where the device is then.
 */
enum wt_status wt_debugger_begin_goto(struct wt_debugger *d, uint64_t time, struct wt_error *err);

/** How far a goto or a search for accesses has come: issue time and aim; false: there is none. */
bool wt_debugger_progress(struct wt_debugger *d, uint64_t *now, uint64_t *to);

/**
 * Takes a line that the user should be told when there is a chance; false if there is none. There
 * may be several: call it until there is none. It has at most 223 characters, and ends a line.
 */
bool wt_debugger_take_notice(struct wt_debugger *d, char *text, size_t size);

/**
 * Searches the recorded run for accesses to a range before now: at most the @p most last ones, the
 * latest first; writes, or, where @p where's kind is WT_WATCHPOINT_READ, reads; @p mask is that of
 * wt_touches_begin(). An atomic is both. Those by a debugger and by loading do not count. It runs
 * within the pump and ends with WT_EVENT_SEARCHED; the device stands where it stood then. NULL for
 * @p callers: places have no calls. struct wt_touch, struct wt_callers: touches.h.
 */
enum wt_status wt_debugger_begin_touches(struct wt_debugger *d,
                                         const struct wt_watchpoint_request *where,
                                         const uint8_t *mask, size_t most,
                                         const struct wt_callers *callers, struct wt_error *err);
/** Hands over the result of the last search; the caller frees *list. */
void wt_debugger_take_touches(struct wt_debugger *d, struct wt_touch **list, size_t *count,
                              bool *more);
/** Frees it. */
void wt_debugger_drop_touches(struct wt_debugger *d);

/**
 * Searches the recorded run for what a value was made of: results of instructions before now, or
 * registers of waves that are there (base/slice_view.h). It runs and ends as
 * wt_debugger_begin_touches() does. WT_UNSUPPORTED: the target does not tell. WT_INVALID: a
 * register is no value that instructions make.
 */
enum wt_status wt_debugger_begin_slice(struct wt_debugger *d, const struct wt_slice_seed *seed,
                                       size_t seeds, const struct wt_slice_limits *limits,
                                       const struct wt_callers *callers, struct wt_error *err);
/** Hands over the result of the last such search; the caller frees it (wt_slice_found_free). */
void wt_debugger_take_slice(struct wt_debugger *d, struct wt_slice_found *found);

/**
 * Whether a program that ends is stopped just before (at first: it is not), so that all of its run
 * is there to go back to with a client for which a program that has ended is gone. Resumed, it
 * ends.
 */
void wt_debugger_set_stop_at_end(struct wt_debugger *d, bool stop);
/** The latest setting of wt_debugger_set_stop_at_end(). */
bool wt_debugger_stops_at_end(struct wt_debugger *d);

/**
 * A hash of the whole state of the program here, the same whenever this point of the same run is
 * reached, with whatever breakpoints.
 */
enum wt_status wt_debugger_hash(struct wt_debugger *d, uint64_t *hash, struct wt_error *err);

/* ---- core files ---- */

/**
 * Writes the state of the stopped program, here in the recorded run, to the file @p path, with
 * @p issues of the recorded run before it. @p thread is the selected one (0: none); @p text says
 * for people why it has stopped.
 */
enum wt_status wt_debugger_save_core_file(struct wt_debugger *d, const char *path, uint64_t issues,
                                          wt_thread thread, const char *text, struct wt_error *err);

/**
 * The target's state came from a core file: halts what runs, takes over the breakpoints that were
 * planted in its recorded run, and selects the thread of @p wave (WT_NO_HANDLE: the first there is)
 * and @p lane. The program's fault or end is told as an event. To be called once, after
 * wt_debugger_open.
 */
enum wt_status wt_debugger_take_core_file(struct wt_debugger *d, const struct wt_planted *planted,
                                          size_t count, uint32_t wave, unsigned lane,
                                          struct wt_error *err);

#endif
