/*
 * The program that is debugged, as the user of a debugger has it: breakpoints with conditions and
 * counts, steps by lines, catchpoints, the selected thread and frame, the launch of host programs,
 * source text. Each front end makes its commands and requests of it. It writes no text: what
 * happens is told as struct wt_news, and the front end has the words.
 */
#ifndef WT_DEBUG_PROGRAM_PROGRAM_H
#define WT_DEBUG_PROGRAM_PROGRAM_H

#include <stdio.h>

#include "base/foreign.h"
#include "base/text.h"
#include "debug/core/checks.h"
#include "debug/core/session.h"
#include "debug/source/modules.h"
#include "debug/source/source.h"
#include "debug/source/symbols.h"

/* ---- points ---- */

enum wt_point_kind {
    WT_POINT_BREAK,
    WT_POINT_WATCH,  /**< stops at changes */
    WT_POINT_READ,   /**< … at reads */
    WT_POINT_ACCESS, /**< … at both */
    WT_POINT_CATCH
};

/** The events that a catchpoint stops for. */
enum wt_catch_kind {
    WT_CATCH_FAULT,
    WT_CATCH_DISPATCHES, /**< a dispatch begins */
    WT_CATCH_ENDS,       /**< … ends */
    WT_CATCH_MODULES,    /**< code is loaded or unloaded */
    WT_CATCH_MISTAKES    /**< a check finds an access that must not be */
};

/** An address where execution stops for a step's sake. */
struct wt_stop_at {
    uint64_t addr;
    wt_thread thread; /**< only this one */
    bool has_cfa;     /**< and only in this frame or one further out: */
    uint64_t cfa;
};

struct wt_watch_rule;

/** A breakpoint, watchpoint or catchpoint as the user knows it. */
struct wt_point {
    unsigned number;
    enum wt_point_kind kind;
    bool enabled, temporary;
    bool told;    /**< why it is still pending */
    bool is_code; /**< its place is the address of a name, which goes with the code */
    unsigned hits, ignore;
    char *text;     /**< the location or expression as it was given */
    uint64_t *addr; /**< none: it is pending */
    size_t addr_count;
    wt_thread thread;          /**< the only one that stops there; 0: each does */
    char *condition;           /**< NULL: none */
    struct wt_expr **compiled; /**< an expression for each address; NULL entries: none */
    unsigned stops_left;       /**< then it is disabled; 0: it stays. May be set */
    struct wt_script commands; /**< what is queued at a hit */
    bool silent;               /**< a hit is not told */
    char *format;              /**< a log point's format, with its arguments; NULL: it stops */
    /** Of breakpoints that are for this point alone: those of a log point, which print without a
     * stop, or of one whose crossings the target ignores; 0: there are none. */
    uint32_t own_owner;
    enum wt_catch_kind caught;
    uint64_t exceptions; /**< WT_CATCH_FAULT: which of the topology's; 0: every fault;
                              WT_CATCH_MISTAKES: which kinds, as bits */
    size_t entries;      /**< WT_CATCH_ENDS: so many of `addr` are where kernels begin */
    uint64_t last_of;    /**< … the dispatch whose last group has been seen to end */
    wt_wave_id *ending;  /**< … waves that were seen at their ends and may not have ended */
    size_t ending_count, ending_capacity;
    /* Watchpoints. */
    enum wt_watchpoint_kind watch;
    struct wt_values value; /**< one lane's value: the value before, and where it lies … */
    wt_thread owner;        /**< … as this thread sees it */
    struct wt_watchpoint_request *part; /**< ranges in which it lies, in the order of its bytes */
    size_t part_count;
    /* The end of what is watched: where the frame returns to whose variables it names. */
    struct wt_stop_at scope;
    struct wt_expr *scope_condition; /**< NULL: it has no end */
    struct wt_watch_rule *rule;      /**< its condition; NULL: none */
};

/** A breakpoint of the program layer's own. */
struct wt_internal_point {
    uint64_t addr;
    struct wt_expr *condition; /**< NULL: every lane */
};

/** A source file's lines. */
struct wt_text_file {
    char *name; /**< as the debug information has it */
    char *path; /**< where it was found; NULL: nowhere */
    char *bytes;
    char **line;
    size_t line_count;
    char *text; /**< what a module's text was, where there is no file; NULL: it is one */
    size_t text_length;
};

/* ---- news ---- */

enum wt_news_kind {
    /* Stops. The thread is selected, its frames can be asked for. */
    WT_NEWS_HIT,         /**< a breakpoint, or a catchpoint at instructions: `point` */
    WT_NEWS_UNDECIDED,   /**< the condition of `point` could not be evaluated: `text` says why */
    WT_NEWS_WATCH,       /**< `point`; `before` (NULL: not of interest), `after` (NULL: unknown) */
    WT_NEWS_ACCESS,      /**< an access that no watchpoint is for: `text` */
    WT_NEWS_SCOPE_LEFT,  /**< the frame of the watched variable has returned; `point` goes */
    WT_NEWS_FAULT,       /**< fault of `event`; `point`: the catchpoint, or NULL */
    WT_NEWS_MODULES,     /**< a catchpoint's: code has come or gone */
    WT_NEWS_MISTAKE,     /**< a catchpoint's: a check has found one; `event`, and `text` says what;
                              `is_there`: the access has been done, since nothing is recorded */
    WT_NEWS_INTERRUPTED, /**< … by the user, or `text` says why it stopped */
    WT_NEWS_TRAP,        /**< a breakpoint instruction of the program's own; or `text` says that
                              the program is about to end */
    WT_NEWS_HISTORY_BEGIN,
    WT_NEWS_HISTORY_END,
    WT_NEWS_STEP_OVER, /**< the stepped wave has ended: `text` */
    /* Ends. */
    WT_NEWS_EXITED,      /**< `code` */
    WT_NEWS_SIGNALLED,   /**< by the signal of name `text` */
    WT_NEWS_PROCESS,     /**< process `code` is not known to have ended; `is_there`: it lives */
    WT_NEWS_AGAIN,       /**< process `code` has closed its GPUs, and opened some again */
    WT_NEWS_FAULT_ENDED, /**< the instruction failed again: `text` is the fault */
    /* Actions. */
    WT_NEWS_STARTING,
    WT_NEWS_ATTACHING,  /**< to process `code` */
    WT_NEWS_NO_LINES,   /**< a step goes to the end of function `text`, which has no lines */
    WT_NEWS_ALL_RUN,    /**< the wave that is followed needs more than its group: `text` says why */
    WT_NEWS_PASSED,     /**< other waves have come to the breakpoint `point`, `code` times */
    WT_NEWS_FINISHING,  /**< `frame` is left; `is_back`: to before its call */
    WT_NEWS_LOGGED,     /**< a log point's message: `text` */
    WT_NEWS_LOG_FAILED, /**< `point`; `text` says why */
    WT_NEWS_DOUBTFUL,   /**< the frame's variables may be shown wrong: its compiler's lists err */
    /* Points. */
    WT_NEWS_WATCH_LOST,      /**< `point` goes: the memory of that run is gone */
    WT_NEWS_PENDING,         /**< `point` waits still; `text` is its file; `is_there`: it exists;
                                  `program` (or NULL) has its text, but no code at the line */
    WT_NEWS_CONDITION,       /**< a condition was compiled: `text` in `view` */
    WT_NEWS_CONDITION_LOST,  /**< that of `point` means nothing now: `text` says why */
    WT_NEWS_CONDITION_OTHER, /**< condition `text` is one of a function that is not on the stack */
    WT_NEWS_ERROR            /**< `text`: breakpoints of loaded code could not be inserted */
};

/** Something that has happened. What it points to is valid during the call. */
struct wt_news {
    enum wt_news_kind kind;
    const struct wt_point *point;
    const struct wt_event *event;
    const struct wt_frame *frame;
    const struct wt_view *view;
    const char *text, *program;
    const uint8_t *before, *after; /**< bytes of values like point->value */
    int64_t code;
    bool is_there, is_back;
    bool is_mixed; /**< WT_NEWS_WATCH: several waves have written, and what each is not known */
    bool is_first; /**< WT_NEWS_SCOPE_LEFT: of those that this stop ends */
};

enum wt_wait { WT_WAIT_BEGINS, WT_WAIT_GOES_ON, WT_WAIT_ENDS };

/** The services of the front end for the program. */
struct wt_program_user {
    void (*news)(void *context, const struct wt_news *news);
    /** Whether a breakpoint on a place that is not there yet is to wait; @p why it is not. */
    bool (*accept_pending)(void *context, const char *why);
    /** Whether an expression may change a register or memory: wt_source_ask_changes(). NULL: any
     * may. */
    wt_may_change_fn *may_change;
    /** Whether the user has asked for an end while the session's loop did not run. NULL: never. */
    bool (*interrupted)(void *context);
    /** A wait begins or ends, or the session's loop has come round within one. NULL: unused. */
    void (*waits)(void *context, enum wt_wait wait);
    /** Code has come or gone: wt_modules_observe(), of whichever session. NULL: unused. */
    wt_module_fn module;
    void *context;
};

/**
 * Programs in processes of their own: one is started anew at each run, and its GPU has another
 * session each time.
 */
struct wt_program_host {
    /**
     * Starts the program with a line of arguments for the shell and changes of its environment
     * (NAME=VALUE, or NAME: unset; NULL ends them). It comes back when the program has opened a GPU
     * and wt_program_use() has been called with its session, or (*ended) when it has ended before.
     */
    enum wt_status (*start)(void *context, const char *arguments, char *const *environment,
                            bool *ended, struct wt_error *err);
    /** Goes to a program that runs, likewise: a process id, or an address. */
    enum wt_status (*attach)(void *context, const char *where, struct wt_error *err);
    /** Brings the list of modules up to date. */
    void (*refresh)(void *context);
    /**
     * The program's GPU is gone: waits for the program's end (Ctrl-C: no longer) and goes to the
     * session that no program has. *known: `code` is its exit code, or 128 and the number of the
     * signal that ended it, which `text` names then. *again: it has opened a GPU again instead, and
     * wt_program_use() has been called with the session of that.
     */
    void (*finish)(void *context, bool *known, bool *again, int *code, char *text, size_t size);
    /** Ends the program, or lets it go on without a debugger; then likewise. */
    void (*leave)(void *context, bool kill);
    /** Its process id; 0: there is none. */
    int (*pid)(void *context);
    /** Whether its process is not one of this system's, and cannot be ended from here. */
    bool (*is_elsewhere)(void *context);
    /** Whether its process was started here: it ends with the debugger. */
    bool (*is_own)(void *context);
};

/** The text of an instruction, as a disassembler has it. Returns its length in bytes, 0 if these
 * bytes are no instruction. */
typedef unsigned wt_disassemble_fn(void *context, uint64_t addr, const uint8_t *bytes,
                                   size_t length, char *text, size_t size);

struct wt_program_options {
    struct wt_session *session;
    struct wt_modules *modules;         /**< the loaded code */
    const char *program;                /**< its file, for people; NULL: none */
    const struct wt_program_host *host; /**< for host programs; NULL: the device has its program */
    void *host_context;
    const char *arguments;              /**< host: the first line of arguments; NULL: none */
    bool attached;                      /**< the device was running before: there is no start */
    bool steps_to_watch;                /**< the device has no watchpoints: steps, and compares */
    struct wt_loading *loading;         /**< for debug information; NULL: nobody looks */
    wt_code_register_fn *code_register; /**< registers that code names; NULL: there are none */
    wt_register_region_fn *region;      /**< regions of registers; NULL: there are none */
    wt_disassemble_fn *disassemble;     /**< NULL: there is none */
    void *code_context;                 /**< for these three */
    const struct wt_checks *checks;     /**< NULL: nothing is checked */
    struct wt_program_user user;
};

/** Which waves run when the selected one steps, and WT_LOCKING_ON: when it continues, too. */
enum wt_locking {
    WT_LOCKING_WAVE,   /**< it alone, and others as far as it needs them */
    WT_LOCKING_REPLAY, /**< all, as GDB does where nothing is replayed */
    WT_LOCKING_OFF,    /**< all */
    WT_LOCKING_ON,     /**< it alone */
    WT_LOCKING_STEP,   /**< it alone */
};

/** Source that steps do not stop in. */
struct wt_skip {
    unsigned number;
    bool is_file; /**< the name is a file's, else a function's */
    char *glob;
};

/* ---- the program ---- */

/** Front ends read it. What they may set is said; the rest changes through the functions below. */
struct wt_program {
    struct wt_program_options options;
    struct wt_session *session;
    struct wt_debugger *debugger;
    const struct wt_topology *topology;
    struct wt_modules *modules;
    struct wt_client *client;
    struct wt_source *source;

    bool post_mortem; /**< the state came from a core file */
    bool was_run;     /**< the device is not as it was loaded any more */
    bool started;     /**< it runs or stands: it was started, and has not ended */
    bool ended;       /**< it has ended */
    uint32_t exit_word;
    bool told_doubts; /**< WT_NEWS_DOUBTFUL */
    bool faulted;     /**< it stands at a fault */
    int fault;
    uint64_t fault_pc;
    bool fault_is_past;   /**< the PC is behind the instruction: going on would leave it out */
    char fault_text[256]; /**< what it was */
    wt_thread fault_thread;
    bool fault_ended;     /**< it went on from there and faulted again */
    bool opened_again;    /**< the last stop: its process has closed its GPUs and opened some */
    unsigned stop_number; /**< number of the point that the last stop was at; 0: none */
    bool stopped_silently;
    bool step_ended; /**< a step has come to its own end */
    bool by_step;    /**< the stop at hand is one, at a breakpoint */
    struct wt_script
        queued; /**< commands of points that were hit; whoever executes them takes it */

    uint64_t *inserted; /**< addresses at which the debugger has a breakpoint of ours */
    size_t inserted_count, inserted_capacity;
    struct wt_watchpoint_request *watched;
    size_t watched_count, watched_capacity;
    struct wt_internal_point *internal;
    size_t internal_count, internal_capacity;

    unsigned caught_number; /**< the catchpoint that has asked for a stop; 0: none */

    char *arguments; /**< host programs: as the shell has them */
    char **environment;
    size_t environment_count, environment_capacity;

    uint64_t runs;             /**< how often it was set going, or put to another time */
    bool changed;              /**< points have changed since they were inserted */
    enum wt_locking locking;   /**< may be set */
    bool steps_in_headers;     /**< steps stop in code that is not the user's. May be set */
    struct wt_foreign foreign; /**< more folders of such code. Added to by wt_foreign_add() */
    struct wt_skip *skip;      /**< by number, ascending */
    size_t skip_count, skip_capacity;
    bool alone;               /**< only the wave of the selected thread runs. May be set */
    wt_wave_id told_spinning; /**< the last one that was; WT_NO_WAVE: none */
    wt_wave_id hit_wave;      /**< that was shown at a breakpoint last … */
    unsigned hit_number;      /**< … of this number */
    uint64_t passed; /**< stops of other waves there that the step at hand has left out … */
    unsigned passed_number; /**< … and that breakpoint's number */
    uint64_t *left_out;     /**< … and its places */
    size_t left_out_count, left_out_capacity;
    bool interrupt; /**< it was interrupted, and what it has set going has yet to stop */
    bool abandoned; /**< whoever waits stops waiting, for good */
    bool waiting;   /**< somebody waits for an event: */
    bool backwards; /**< … of a run that goes back */
    bool came;      /**< … it is here */
    struct wt_event event;

    wt_thread thread;         /**< selected; 0: none */
    struct wt_frames *frames; /**< its frames; NULL: not asked for yet */
    unsigned level;           /**< level of the selected frame; may be set */
    unsigned wanted_line;     /**< that the breakpoint of the last stop names; 0: none */
    unsigned entered;         /**< inlined calls that were stepped into where the thread stands */
    uint64_t entered_wave;    /**< the id of the wave of which both tell */
    unsigned hidden;          /**< those that begin there and were not */

    struct wt_point **point;
    size_t point_count, point_capacity;
    unsigned last_number;

    struct wt_text_file *file;
    size_t file_count, file_capacity;
    char **substitution; /**< pairs: from, to */
    size_t substitution_count, substitution_capacity;
    char *list_file; /**< the current source file, which lines without a file are of; may be set */
    unsigned list_first, list_last; /**< … the lines that were shown last; may be set */
    bool list_set;                  /**< by a stop or a list command; may be set */

    bool resolve; /**< modules have changed since the locations were resolved */
};

/** NULL without host memory. What the options name must outlive it. */
struct wt_program *wt_program_new(const struct wt_program_options *options);
/** Leaves the session and frees it. NULL is allowed. */
void wt_program_free(struct wt_program *program);
/**
 * Goes to another session and its modules: that of a program that has been started, or of none.
 * Points are resolved anew, values that were kept stay. The old session must be there yet.
 */
enum wt_status wt_program_use(struct wt_program *program, struct wt_session *session,
                              struct wt_modules *modules, struct wt_error *err);
/** Resolves points anew if code has come or gone: before each command. */
void wt_program_update(struct wt_program *program);
/** Stops what is waited for, from a signal's handler of the loop. False: nobody waits. */
bool wt_program_interrupt(struct wt_program *program);
/** Stops waiting for good. */
void wt_program_abandon(struct wt_program *program);

/* ---- launch, attach, leave ---- */

/** The program's arguments from now on, as a shell splits them. WT_NO_MEMORY. */
enum wt_status wt_program_set_arguments(struct wt_program *program, const char *text,
                                        struct wt_error *err);
/** Adds NAME=VALUE, or NAME: unset. Takes @p change over. WT_NO_MEMORY. */
enum wt_status wt_program_change_environment(struct wt_program *program, char *change,
                                             struct wt_error *err);
/** Names an ELF file for kernels that the program will load without one: they get its names and
 * lines if they have its bytes. WT_UNSUPPORTED: these programs' code has its symbols; WT_STATE: it
 * runs already; WT_IO, WT_NO_MEMORY. */
enum wt_status wt_program_name_symbols(struct wt_program *program, const char *path,
                                       struct wt_error *err);
/** The location where the program's code begins, for wt_program_set_break(): main, or the kernels
 * where programs have kernels. */
const char *wt_program_entry(struct wt_program *program);
/** Starts it, from the beginning if it runs; `started` says whether it runs then. */
enum wt_status wt_program_begin(struct wt_program *program, struct wt_error *err);
/** Goes to a running host program and stops it; the one that is debugged is ended. */
enum wt_status wt_program_attach(struct wt_program *program, const char *where,
                                 struct wt_error *err);
/** Ends the program (@p kill), or lets a host program go on without a debugger. */
void wt_program_leave(struct wt_program *program, bool kill);
/**
 * Lets a device that ran before (options.attached) go on, without breakpoints and without a
 * debugger; nothing is done if it has, or if no program is there.
 */
enum wt_status wt_program_let_go(struct wt_program *program, struct wt_error *err);
/** The state came from a core file: tells why it had stopped, if it says so itself. */
enum wt_status wt_program_post_mortem(struct wt_program *program, struct wt_error *err);

/* ---- going ---- */

/** How a step or a run has ended. */
struct wt_stepped {
    bool show;       /**< the program stands, and the user is to see where: */
    bool with_frame; /**< … with the frame, which is another one */
};

/** Continues until something that the user wants to know, which is told. */
enum wt_status wt_program_continue(struct wt_program *program, bool backwards,
                                   struct wt_stepped *end, struct wt_error *err);
/** The selected thread is to go on at another address. Nothing runs yet. */
enum wt_status wt_program_jump(struct wt_program *program, uint64_t address, struct wt_error *err);

struct wt_step {
    bool instructions; /**< else lines */
    bool over;         /**< calls are stepped over */
    bool back;
    uint64_t count;
};

/** Steps the selected thread. */
enum wt_status wt_program_step(struct wt_program *program, const struct wt_step *step,
                               struct wt_stepped *end, struct wt_error *err);
/**
 * Leaves the selected frame, or (@p back) goes back to its call. *type: of what the function has
 * returned; NULL where nothing is known of it.
 */
enum wt_status wt_program_finish(struct wt_program *program, bool back, struct wt_stepped *end,
                                 const struct wt_type **type, struct wt_error *err);
/** Steps as over a line, but follows a jump back until a later line is reached. */
enum wt_status wt_program_until(struct wt_program *program, struct wt_stepped *end,
                                struct wt_error *err);
/** Runs the selected thread to a location, or out of the frame. */
enum wt_status wt_program_advance(struct wt_program *program, const char *location,
                                  struct wt_stepped *end, struct wt_error *err);
enum { WT_RETURNED_BYTES = 64 };
/**
 * The value that a function has returned to the selected frame, by the convention of calls; false
 * where the type is one that is not returned in registers, or not known to be.
 */
bool wt_program_returned(struct wt_program *program, const struct wt_type *type,
                         uint8_t out[WT_RETURNED_BYTES]);
/** Goes to an issue time of the recorded run. */
enum wt_status wt_program_goto(struct wt_program *program, uint64_t time, struct wt_error *err);
/**
 * Starts the program from the beginning, and stops at the end of the first launch at which @p there
 * returns true: what it looks for lies in the recorded run. Points of the user's do not stop it
 * meanwhile. WT_STATE: the program has ended without that.
 */
enum wt_status wt_program_repeat(struct wt_program *program, bool (*there)(void *context),
                                 void *context, struct wt_error *err);
/** Starts the program from the beginning twice: to count its launches, and to stop at the end of
 * the last one of a kernel with lines, or of the last one where no kernel has. WT_STATE: it
 * launches none. */
enum wt_status wt_program_repeat_to_last(struct wt_program *program, struct wt_error *err);
/** A value in memory whose accesses are looked for. */
struct wt_home {
    struct wt_values value;             /**< one lane's */
    wt_thread thread;                   /**< that sees it so */
    struct wt_watchpoint_request where; /**< the range of memory that has all of it */
    uint64_t *at;  /**< where each byte of the value is in the range; NULL: it is the range */
    uint8_t *mask; /**< the bits of each byte of the range that are the value's; NULL: all */
};
/** Where the value of an expression lies; the caller frees *home. WT_INVALID: not in memory;
 * WT_UNSUPPORTED: in places that are far from each other. */
enum wt_status wt_program_find_home(struct wt_program *program, const char *text,
                                    struct wt_home *home, struct wt_error *err);
/** Frees what it holds. */
void wt_home_free(struct wt_home *home);
/** The value's bytes as an access has read or replaced them, and as it has left them, for each
 * home->value.size bytes of room. False: the access was of a part of it. */
bool wt_home_touched(const struct wt_home *home, const struct wt_touch *touch, uint8_t *before,
                     uint8_t *after);
/** The last @p most accesses to a value, as wt_debugger_begin_touches() finds them; the caller
 * frees *list. */
enum wt_status wt_program_touches(struct wt_program *program, const struct wt_home *home,
                                  uint64_t most, struct wt_touch **list, size_t *count, bool *more,
                                  struct wt_error *err);
/** The instructions and inputs that a value was made of. */
struct wt_where_from {
    struct wt_slice_found found;
    uint64_t unwritten; /**< bytes of it that no instruction of the recorded run wrote */
    uint64_t changed;   /**< bytes that are not what instructions stored: the host or a debugger has
                             changed them since */
};
/**
 * Finds the instructions and inputs that the value of an expression was made of, as
 * wt_debugger_begin_slice() does: for the selected lane, or those that the expression names
 * (x@…). The caller frees from->found (wt_slice_found_free). WT_INVALID: the value is a
 * constant, or in pieces of which one is.
 */
enum wt_status wt_program_where_from(struct wt_program *program, const char *text,
                                     const struct wt_slice_limits *limits,
                                     struct wt_where_from *from, struct wt_error *err);
/** The defined part of a lane's value. */
struct wt_defined_lane {
    unsigned lane;
    bool is_there;                /**< else the lane has no value */
    uint8_t *undefined;           /**< bits of each byte of the value */
    struct wt_defined_view first; /**< its first part that has undefined bits */
};
struct wt_defined_value {
    struct wt_defined_lane *lane;
    unsigned lanes;
    uint64_t size;       /**< bytes of one */
    uint32_t bits, from; /**< a bit-field's width, and its first bit; else all, from 0 */
};
/**
 * What the check of uninitialised values says of the value of an expression, for the selected lane
 * or those that it names (x@…). The caller frees it. WT_INVALID: it is no register and no memory;
 * else as wt_debugger_defined().
 */
enum wt_status wt_program_defined(struct wt_program *program, const char *text,
                                  struct wt_defined_value *value, struct wt_error *err);
/** Frees what it points to. */
void wt_defined_value_free(struct wt_defined_value *value);
/** Reports the event that has come; *again: it is nothing that the user wants to see. */
enum wt_status wt_program_report(struct wt_program *program, bool *again, struct wt_error *err);

/* ---- points ---- */

/** A breakpoint or log point that is to be set. */
struct wt_break {
    const char *place;     /**< a location, for wt_program_resolve() */
    const char *condition; /**< NULL: none */
    const char *format;    /**< a log point's; NULL: it stops */
    wt_thread thread;      /**< 0: each */
    bool temporary;
};

/** Sets one. It may wait for code that is loaded later: point->addr_count is 0 then. */
enum wt_status wt_program_set_break(struct wt_program *program, const struct wt_break *what,
                                    struct wt_point **point, struct wt_error *err);
/** Watches what an expression names here; @p location: beyond the end of its frame. */
enum wt_status wt_program_set_watch(struct wt_program *program, enum wt_point_kind kind,
                                    const char *expression, const char *condition, bool location,
                                    struct wt_point **point, struct wt_error *err);
/** Sets a catchpoint by the name of what is caught; @p condition: NULL for none. It is evaluated at
 * the stop, in the frame and for the lanes that it is for. */
enum wt_status wt_program_set_catch(struct wt_program *program, const char *name,
                                    const char *condition, struct wt_point **point,
                                    struct wt_error *err);
/** Offers the names of what can be caught. */
void wt_program_catch_names(const struct wt_program *program,
                            void (*offer)(void *context, const char *name), void *context);
/** Gives a point another condition; "": none. It has the old one where that fails. */
enum wt_status wt_program_set_condition(struct wt_program *program, struct wt_point *point,
                                        const char *condition, struct wt_error *err);
/** The one of a number; NULL: there is none. */
struct wt_point *wt_program_point(struct wt_program *program, unsigned number);
/** Removes and frees it. */
void wt_program_delete_point(struct wt_program *program, struct wt_point *point);
/** Whether it stops at instructions. */
bool wt_point_has_addresses(const struct wt_point *point);
/** Inserts and removes breakpoints at once where points have changed while the program runs. While
 * it stands nothing is done: its next run does so. */
enum wt_status wt_program_insert_now(struct wt_program *program, struct wt_error *err);
/** Adds the messages that were printed without a stop to the hits of a log point. */
void wt_program_count_logs(struct wt_program *program, struct wt_point *point);
/**
 * The frames as a point shows them that stops at an address: an inlined call that begins is not
 * entered yet. The caller frees them; NULL without host memory.
 */
struct wt_frames *wt_program_frames_at(struct wt_program *program, const struct wt_point *point,
                                       uint64_t addr);

/* ---- code ---- */

/** An instruction, as it lies in memory. */
struct wt_code_line {
    uint64_t addr;
    unsigned length;
    uint8_t bytes[WT_WINDOW_BYTES];
    char text[200]; /**< ""; there is no disassembler, or it is no instruction */
};

/** Reads the instruction at an address of code. WT_INVALID: nothing can be read there. */
enum wt_status wt_program_instruction(struct wt_program *program, uint64_t addr,
                                      struct wt_code_line *line, struct wt_error *err);
/** Puts its text, "" where there is none. The context is the program. */
void wt_program_instruction_text(void *context, uint64_t addr, char *text, size_t size);

/** A function's code, [start, end); where it is in pieces, the one with its entry. */
struct wt_function {
    uint64_t start, end;
    char name[512]; /**< as its language has it */
};

/** The function, not an inlined one, that an address is in. WT_INVALID: there is none. */
enum wt_status wt_program_function_at(struct wt_program *program, uint64_t addr,
                                      struct wt_function *function, struct wt_error *err);
/** The address that an expression names: of a function or an array, or a value of 8 bytes at most.
 */
enum wt_status wt_program_address(struct wt_program *program, const char *text, uint64_t *address,
                                  struct wt_error *err);

/* ---- variables ---- */

/** A variable or a parameter, with its value in the view's lane. Valid during the call. */
struct wt_variable {
    const char *name;
    const struct wt_view *view;
    struct wt_values *values; /**< NULL: it cannot be read, `why`. Whoever keeps them leaves {0} */
    const char *why;
};
typedef void wt_variable_fn(void *context, const struct wt_variable *variable);

/** Hands the variables of a frame of the selected thread to @p each, the innermost scope's first;
 * or (@p arguments) the parameters of its function. @p lanes: their values in these lanes of the
 * wave; 0: in the thread's. False: there are none. */
bool wt_program_variables(struct wt_program *program, const struct wt_frame *frame, bool arguments,
                          wt_lanes lanes, wt_variable_fn *each, void *context);

/* ---- messages ---- */

/** The end of an argument: one of the characters @p ends outside of parentheses and quotes. */
const char *wt_message_argument_end(const char *text, const char *ends);
/** A character of a quoted text; goes on. */
char wt_message_unescape(const char **at);
/** Whether a format has as many conversions, of known kinds, as there are arguments. */
enum wt_status wt_message_check(const char *text, struct wt_error *err);
/** Formats "FORMAT",VALUE,... as printf does, with values of the selected frame. */
enum wt_status wt_program_message(struct wt_program *program, FILE *out, const char *text,
                                  struct wt_error *err);

/* ---- places ---- */

/** The addresses of a location (FILE:LINE, function, *ADDRESS, kernel NAME); the caller frees
 * *list. */
enum wt_status wt_program_resolve(struct wt_program *program, const char *text, uint64_t **list,
                                  size_t *count, struct wt_error *err);
/** The same, but of a function, or its first line, where its line begins, before its prologue. */
enum wt_status wt_program_resolve_lines(struct wt_program *program, const char *text,
                                        uint64_t **list, size_t *count, struct wt_error *err);
/**
 * Fails where no instruction begins at an address of code, as far as that is known: the function's
 * instructions are gone through from its beginning.
 */
enum wt_status wt_program_check_begins(struct wt_program *program, uint64_t addr,
                                       struct wt_error *err);
/** Makes the file with main, or with the first kernel, the current one. */
void wt_program_default_source(struct wt_program *program);
/**
 * Which lines come next, @p size of them: "": behind those that were shown last, "-": before them,
 * around a location, or from one to another ("FIRST,LAST"). They become list_first to list_last.
 */
enum wt_status wt_program_list(struct wt_program *program, const char *text, unsigned size,
                               const struct wt_text_file **file, struct wt_error *err);
/** Where a frame's function begins in memory; 0 if unknown. */
uint64_t wt_frame_function_start(const struct wt_frame *frame);
/** A source file; NULL without host memory. */
struct wt_text_file *wt_program_open_source(struct wt_program *program, const char *name);
/** Whether steps go through code of a function (NULL: not known) in a file without a stop. */
bool wt_program_passes(const struct wt_program *program, const char *path, const char *function);
/** Steps pass files, or functions, of such names (fnmatch(3)). WT_NO_MEMORY. */
enum wt_status wt_program_skip(struct wt_program *program, bool is_file, const char *glob,
                               struct wt_error *err);
/** Takes skip @p number off; 0: all of them. WT_INVALID: there is no such number. */
enum wt_status wt_program_unskip(struct wt_program *program, unsigned number, struct wt_error *err);
/** Sources are where the program says. */
void wt_program_forget_substitutions(struct wt_program *program);
/** Sources under folder @p from are found under @p to. WT_NO_MEMORY. */
enum wt_status wt_program_substitute(struct wt_program *program, const char *from, size_t length,
                                     const char *to, struct wt_error *err);

/** A place as people write it: "PLACE [thread N] [if CONDITION]". */
struct wt_place_words {
    char *text, *made;     /**< what the others point into */
    const char *place;     /**< for wt_program_set_break() */
    const char *condition; /**< NULL: none */
    wt_thread thread;      /**< 0: none */
};
/** Takes it apart. A line may count from the current one, "+1": without a frame from the line
 * behind those that were listed, of which there are @p list_size at a time. The caller frees
 * *words, also after a failure. */
enum wt_status wt_program_take_place(struct wt_program *program, const char *text,
                                     unsigned list_size, struct wt_place_words *words,
                                     struct wt_error *err);
/** Frees the words. */
void wt_place_words_free(struct wt_place_words *words);
/** Splits " if CONDITION" from the end of a place or expression; the condition, or NULL. */
char *wt_split_condition(char *text);

/* ---- selection ---- */

/** Forgets frames: something has run. */
void wt_program_forget_frames(struct wt_program *program);
/** The same where the thread stays where it is: the same frame is selected again. */
void wt_program_refresh_frames(struct wt_program *program);
/** Selects a thread and its innermost frame. */
void wt_program_select(struct wt_program *program, wt_thread thread);
/** Selects a lane of the selected wave. */
enum wt_status wt_program_select_lane(struct wt_program *program, unsigned lane,
                                      struct wt_error *err);
/** Selects a lane of a wave. */
enum wt_status wt_program_select_lane_of(struct wt_program *program, wt_wave_id wave, unsigned lane,
                                         struct wt_error *err);

/** Coordinates that name a lane of a wave with work. */
enum wt_coordinate {
    /* of the program */
    WT_BY_DISPATCH, /**< its number */
    WT_BY_GROUP,    /**< x, y, z */
    WT_BY_ITEM,     /**< x, y, z in its group */
    /* of hardware */
    WT_BY_DEVICE,
    WT_BY_CORE,
    WT_BY_SLOT,
    WT_BY_LANE,
    WT_COORDINATES
};

/** The coordinates that somebody has named. */
struct wt_focus {
    bool given[WT_COORDINATES];
    uint32_t value[WT_COORDINATES][3];
};

/**
 * The first lane of @p work, by its place in the program, that has these coordinates. Coordinates
 * above a named one that are not named are those of @p own. NULL: there is none.
 */
const struct wt_wave *wt_find_lane(const struct wt_work *work, const struct wt_focus *focus,
                                   const struct wt_wave *own, unsigned *lane);

/** "The program is not being run." unless it is. */
enum wt_status wt_program_need_run(struct wt_program *program, struct wt_error *err);
/** A stopped thread is selected. */
enum wt_status wt_program_need_thread(struct wt_program *program, struct wt_error *err);
/** The selected frame; "No frame selected." */
enum wt_status wt_program_need_frame(struct wt_program *program, const struct wt_frame **frame,
                                     struct wt_error *err);
/** Where expressions are evaluated now. */
struct wt_view wt_program_view(struct wt_program *program);
/** A thread of a wave, of an enabled lane if it has one; false if it has ended. */
bool wt_program_thread_of_wave(struct wt_program *program, wt_wave_id wave, wt_thread *thread);
/** The wave of the selected thread; WT_NO_WAVE: none is selected. */
wt_wave_id wt_program_own_wave(const struct wt_program *program);
/** The wave of a thread, and the thread's place in it. */
enum wt_status wt_program_wave(struct wt_program *program, wt_thread thread, struct wt_wave *wave,
                               struct wt_thread_position *place, struct wt_error *err);

/* ---- completion ---- */

/** The names that begin with a word; the list and its texts are the caller's. */
struct wt_names {
    const char *word;
    size_t length; /**< length of the word */
    /** The text that it ends: in "pixels[1].na" the word may be ".na". NULL: the word. */
    const char *begin;
    char **list;
    size_t count, capacity;
    size_t near; /**< the first so many are of the selected frame: they are listed first */
};

enum wt_names_kind {
    WT_NAMES_EXPRESSION, /**< variables and functions; members behind "." and "->" */
    WT_NAMES_LOCALS,     /**< variables of the selected frame */
    WT_NAMES_REGISTERS,  /**< "$name" */
    WT_NAMES_PLACE,      /**< functions and files; functions and lines of a file behind "FILE:" */
    WT_NAMES_CAUGHT      /**< what catchpoints are for */
};

/** Adds a name if it begins with the word and is not there; beyond 2,000 none is added. */
void wt_names_offer(struct wt_names *names, const char *text);
/** Adds names of the program. */
void wt_program_offer(struct wt_program *program, enum wt_names_kind kind, struct wt_names *names);

/* ---- work ---- */

/** Describes what works now (wt_debugger_work()). WT_STATE: nothing has been started. */
enum wt_status wt_program_work(struct wt_program *program, struct wt_work *work,
                               struct wt_error *err);
/**
 * The kernel of a dispatch in struct wt_work, its name as C++ has it; "?" if no wave is in the
 * kernel itself, and a wave's frames do not lead to one. Returns @p text.
 */
const char *wt_program_kernel(struct wt_program *program, const struct wt_dispatch *dispatch,
                              char *text, size_t size);

/* ---- numbers.c: numbers, as people write them behind a command ---- */

/** Reads a number at the beginning of *text, and the blanks behind; false if there is none. */
bool wt_take_number(const char **text, uint64_t *number);
/** Reads "N", "N,N" or "N,N,N", with or without brackets, and the blanks behind. */
bool wt_take_triple(const char **text, uint32_t value[3]);

#define WT_MOST_RANGES 32

/** "all", "1 3 5-7", "0..3". */
struct wt_ranges {
    unsigned count;
    uint64_t first[WT_MOST_RANGES], last[WT_MOST_RANGES];
};

/** Reads ranges at the beginning of *text, and the blanks behind; they are added to @p ranges.
 * WT_INVALID: it has other things. */
enum wt_status wt_take_ranges(const char **text, struct wt_ranges *ranges, struct wt_error *err);
/** Whether a number is in one of them. */
bool wt_ranges_have(const struct wt_ranges *ranges, uint64_t number);

#endif
