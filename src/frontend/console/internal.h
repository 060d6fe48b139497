/* What the files of the console share. */
#ifndef WT_FRONTEND_CONSOLE_INTERNAL_H
#define WT_FRONTEND_CONSOLE_INTERNAL_H

#include <stdio.h>

#include "debug/source/locations.h"
#include "debug/source/source.h"
#include "debug/source/symbols.h"
#include "frontend/console/options.h"

enum point_kind { POINT_BREAK, POINT_WATCH, POINT_READ, POINT_ACCESS, POINT_CATCH };

/** What a catchpoint stops for. */
enum catch_kind { CATCH_FAULT, CATCH_DISPATCHES, CATCH_ENDS, CATCH_MODULES };

/** Lines of commands. */
struct script {
    char **line;
    size_t count, capacity;
};

/** An address where execution stops for a step's sake. */
struct stop_at {
    uint64_t addr;
    wt_thread thread; /**< only this one */
    bool has_cfa;     /**< and only in this frame or one further out: */
    uint64_t cfa;
};

/** A breakpoint or watchpoint as the user knows it. */
struct point {
    unsigned number;
    enum point_kind kind;
    bool enabled, temporary;
    bool told; /**< why it is still pending */
    unsigned hits, ignore;
    char *text; /**< the location or expression as it was given */
    uint64_t *addr;
    size_t addr_count;
    wt_thread thread;          /**< the only one that stops there; 0: each does */
    char *condition;           /**< NULL: none */
    struct wt_expr **compiled; /**< of each address; NULL entries: none */
    struct script commands;
    bool silent;
    char *format; /**< of a dprintf, with its arguments; NULL: it stops */
    uint32_t
        log_owner; /**< of a dprintf's breakpoints that print without a stop; 0: there are none */
    enum catch_kind caught;
    uint64_t exceptions; /**< CATCH_FAULT: which of the topology's; 0: every fault */
    size_t entries;      /**< CATCH_ENDS: so many of `addr` are where kernels begin */
    uint64_t last_of;    /**< … the dispatch whose last group has been seen to end */
    /* Watchpoints. */
    enum wt_watchpoint_kind watch;
    struct wt_address where;            /**< as `owner` sees it */
    struct wt_watchpoint_request *part; /**< ranges in which it lies */
    size_t part_count;
    const struct wt_type *type;
    uint8_t *old; /**< the value before */
    uint64_t size;
    wt_thread owner; /**< through which it is read */
    /* The end of what is watched: where the frame returns to whose variables it names. */
    struct stop_at scope;
    struct wt_expr *scope_condition; /**< NULL: it has no end */
    struct watch_rule *rule;         /**< its condition; NULL: none */
};

/** An expression that is printed at each stop. */
struct display {
    unsigned number;
    bool enabled;
    char *text;
    char format[16];
};

/** A source file's lines. */
struct text_file {
    char *name; /**< as the debug information has it */
    char *path; /**< where it was found; NULL: nowhere */
    char *bytes;
    char **line;
    size_t line_count;
    char *text; /**< what a module's text was, where there is no file; NULL: it is one */
    size_t text_length;
};

/** What `x` goes on with. */
struct examine {
    uint64_t address;
    uint32_t space;
    char letter, size;
    bool any;
};

/** A breakpoint of the console's own. */
struct internal_point {
    uint64_t addr;
    struct wt_expr *condition; /**< NULL: every lane */
};

struct wt_shell {
    struct wt_shell_options options;
    struct wt_session *session;
    struct wt_debugger *debugger;
    const struct wt_topology *topology;
    struct wt_modules *modules;
    struct wt_client *client;
    struct wt_source *source;
    FILE *out; /**< output of commands */

    bool post_mortem; /**< the state came from a core file */
    bool was_run;     /**< the device is not as it was loaded any more */
    bool started;     /**< `run` has been given, and the program has not ended */
    bool ended;       /**< it has ended */
    uint32_t exit_word;
    bool faulted; /**< it stands at a fault */
    int fault;
    uint64_t fault_pc;
    bool fault_is_past;   /**< the PC is behind the instruction: going on would leave it out */
    char fault_text[256]; /**< what it was */
    wt_thread fault_thread;
    bool fault_ended;     /**< it went on from there and faulted again */
    unsigned stop_number; /**< of the breakpoint that the last stop was at; 0: none */
    bool stopped_silently;
    bool step_ended;      /**< a step has come to its own end */
    bool by_step;         /**< the stop at hand is one, at a breakpoint */
    struct script queued; /**< commands of breakpoints that were hit */

    uint64_t *inserted; /**< addresses at which the debugger has a breakpoint of ours */
    size_t inserted_count, inserted_capacity;
    struct wt_watchpoint_request *watched;
    size_t watched_count, watched_capacity;
    struct internal_point *internal;
    size_t internal_count, internal_capacity;

    unsigned caught_number; /**< the catchpoint that has asked for a stop; 0: none */

    char *arguments; /**< host programs: as the shell has them */
    char **environment;
    size_t environment_count, environment_capacity;

    bool interrupt; /**< the command was interrupted, and what it has set going has yet to stop */
    bool waiting;   /**< a command waits for an event: */
    bool backwards; /**< … of a run that goes back */
    bool came;      /**< … it is here */
    struct wt_event event;

    struct wt_loading loading; /**< of debug information */
    bool loading_ended;        /**< by whoever waited for it */
    bool shows_progress;
    uint64_t progress_since, progress_next; /**< nanoseconds; since: 0 where nothing takes time */
    uint64_t progress_from;                 /**< issue time at which the run at hand has begun */

    wt_thread thread;         /**< selected; 0: none */
    struct wt_frames *frames; /**< of it; NULL: not asked for yet */
    unsigned level;           /**< of the selected frame */
    unsigned wanted_line;     /**< that the breakpoint of the last stop names; 0: none */
    unsigned entered;         /**< inlined calls that were stepped into where the thread stands */
    uint64_t entered_wave;    /**< the id of the wave of which both tell */
    unsigned hidden;          /**< those that begin there and were not */

    struct point **point;
    size_t point_count, point_capacity;
    unsigned last_number;
    struct display *display;
    size_t display_count, display_capacity;
    unsigned last_display;

    struct text_file *file;
    size_t file_count, file_capacity;
    char **substitution; /**< pairs: from, to */
    size_t substitution_count, substitution_capacity;
    char *list_file; /**< what `list` goes on with */
    unsigned list_first, list_last;
    bool list_set; /**< by a stop or a list command */

    struct examine examine;
    bool resolve;      /**< modules have changed since the locations were resolved */
    bool hinted;       /**< what '@' means was told */
    bool hinted_logic; /**< … and how weak it is */
    bool quit;
    int quit_status;
    bool confirm;
    unsigned list_size;
    unsigned print_elements;
    unsigned depth; /**< of scripts in scripts */
    FILE *log;
    bool in_sequence; /**< the log's text so far ends within a control sequence */
    bool styled;      /**< output has colours */
    bool status_line; /**< a terminal that can shows one */

    /** Where the lines behind `commands` come from; false at their end. The caller frees *line. */
    bool (*read_line)(void *context, char **line);
    void *read_context;
};

/** One command. Its words are separated from its arguments; @p text begins without blanks. */
typedef enum wt_status command_fn(struct wt_shell *c, const char *text, struct wt_error *err);

struct command {
    const char *name;
    const char *aliases; /**< separated by blanks; NULL: none */
    command_fn *run;
    const char *group;   /**< of help */
    const char *summary; /**< one line */
    const char *help;    /**< more; NULL */
    char completes;      /**< its arguments: 0 nothing, 'e' expressions, 'l' locations, 'f' files,
                              'c' commands, 'i' info topics, 's' what is saved, 'x' what is caught */
    bool repeats;        /**< an empty line does it again */
};

extern const struct command wt_shell_commands[];
extern const struct command wt_shell_infos[];
/** The command of a word or of its unambiguous beginning; NULL, and whether several begin so. */
const struct command *wt_shell_find(const struct command *table, const char *word, size_t length,
                                    bool *ambiguous);

/* ---- console.c ---- */
const char *skip_blanks(const char *text);
/** A word's length, up to a blank. */
size_t word_length(const char *text);
/** Reads a number at the beginning of *text; false if there is none. */
bool take_number(const char **text, uint64_t *number);
/** WT_INVALID if there is text behind a command that takes none. */
enum wt_status take_no_arguments(const char *text, const char *command, struct wt_error *err);
/** Asks "(y or n)" at a terminal; true without one. */
bool ask(struct wt_shell *c, const char *question);

/* ---- break_words.c ---- */
/** Takes "thread N" off the end of a place; *thread is 0 where no thread is named. */
enum wt_status take_thread_word(struct wt_shell *c, char *text, wt_thread *thread,
                                struct wt_error *err);
/** *place becomes "FILE:LINE" for "+N" and "-N", which the caller frees; NULL: it is neither. */
enum wt_status relative_line(struct wt_shell *c, const char *text, char **place,
                             struct wt_error *err);
/** *place becomes what stands for GDB's explicit location ("-source F -line N", "-function F"),
 * which the caller frees; NULL: it is none. */
enum wt_status explicit_place(const char *text, char **place, struct wt_error *err);
/** Whether a breakpoint on a place that is not there may wait for it. @p why says what is missing.
 */
bool accept_pending(struct wt_shell *c, const char *why);

/* ---- state.c: what is selected ---- */
/** Forgets frames: something has run or been written. */
void forget_frames(struct wt_shell *c);
/** The same where the thread stays where it is: the same frame is selected again. */
void forget_frames_keep_level(struct wt_shell *c);
/** Selects a thread and its innermost frame. */
void select_thread(struct wt_shell *c, wt_thread thread);
/**
 * The selected thread's wave, in all its lanes, stands in inlined calls that begin at its
 * instruction: in that of @p line (0: as before), and in @p more that were stepped into.
 */
void enter_calls(struct wt_shell *c, unsigned line, unsigned more);
/** "The program is not being run." unless it is. */
enum wt_status need_run(struct wt_shell *c, struct wt_error *err);
/** A stopped thread is selected. */
enum wt_status need_thread(struct wt_shell *c, struct wt_error *err);
/** The selected frame; "No frame selected." */
enum wt_status need_frame(struct wt_shell *c, const struct wt_frame **frame, struct wt_error *err);
/** The frame that a frame's function was called from; NULL: it is the outermost. */
const struct wt_frame *caller_of(struct wt_shell *c, const struct wt_frame *frame);
/** Where a frame of the selected thread returns to; false if that is not known. */
bool find_way_out(struct wt_shell *c, const struct wt_frame *frame, struct stop_at *out);
/** Where expressions are evaluated now. */
struct wt_view view_of(struct wt_shell *c);
/** A thread of a wave, of an enabled lane if it has one; false if it has ended. */
bool thread_of_wave(struct wt_shell *c, wt_wave_id wave, wt_thread *thread);
/** The wave of the selected thread and the thread's place in it. */
enum wt_status wave_of_thread(struct wt_shell *c, wt_thread thread, struct wt_wave *wave,
                              struct wt_thread_position *place, struct wt_error *err);
/** Prints device, dispatch, group, warp and lane of a thread. */
void print_where(struct wt_shell *c, wt_thread thread);

/* ---- progress.c ---- */
/** Something begins that may take long. */
void begin_progress(struct wt_shell *c);
/** Shows how far it is, if it takes long. */
void show_progress(struct wt_shell *c);
/** It is over. */
void hide_progress(struct wt_shell *c);
/** The command has ended. */
void end_progress(struct wt_shell *c);
/** Debug information is read with progress. */
void watch_loading(struct wt_shell *c);

/* ---- style.c ---- */
enum style { PLAIN, FUNCTION, SOURCE_FILE, ADDRESS, NAME, HEADLINE, DIM };
/** What begins a style where there are colours, and PLAIN ends it; "" else. */
const char *style(const struct wt_shell *c, enum style which);
/** The name of a frame's function for people, "??" where there is none; returns @p text. */
const char *function_text(const struct wt_frame *frame, char *text, size_t size);
enum { FUNCTION_TEXT = 512 }; /* bytes that are enough for most */
/** Writes text to the log, without styles. */
void write_log(struct wt_shell *c, const char *text, size_t length);

/* ---- run.c ---- */
/** Waits until an event has come. */
enum wt_status wait_for_event(struct wt_shell *c, struct wt_error *err);
/** Whether Ctrl-C was pressed in this command since the last stop for one; false when called again.
 * A step that is done at once does not come to the session's loop, which reads signals. */
bool was_interrupted(struct wt_shell *c);
/** Lets threads go and waits for what happens. */
enum wt_status resume_and_wait(struct wt_shell *c, const struct wt_resume *list, size_t count,
                               bool backwards, struct wt_error *err);
/** Waits for what happens while the program runs. */
enum wt_status wait_for_stop(struct wt_shell *c, struct wt_error *err);
/** Removes the breakpoints of a dprintf that print without a stop. */
void remove_logs(struct wt_shell *c, struct point *p);
/** Adds the messages that were printed without a stop to the hits of a dprintf. */
void count_logs(struct wt_shell *c, struct point *p);
/** Sets breakpoints of all kinds as they are now wanted. */
enum wt_status insert_points(struct wt_shell *c, struct wt_error *err);
/** The condition of a breakpoint that means one thread and frame; the caller frees it. */
enum wt_status thread_condition(struct wt_shell *c, const struct stop_at *at, struct wt_expr **expr,
                                struct wt_error *err);
/** Inserts a breakpoint of the console's own, for one thread and frame. */
enum wt_status insert_internal(struct wt_shell *c, const struct stop_at *at, struct wt_error *err);
/** Removes such a breakpoint. */
void remove_internal(struct wt_shell *c, uint64_t addr);
/** Removes everything that is inserted, and the console's own breakpoints. */
void remove_all_inserted(struct wt_shell *c);
/** Whether a breakpoint's own condition holds where a thread stands. */
bool condition_holds(struct wt_shell *c, const struct point *p, uint64_t pc, wt_thread thread);
/**
 * Whether a breakpoint of the user's holds for a thread that stands at @p pc; @p logs: or a dprintf
 * that has not printed yet.
 */
bool user_breakpoint_at(struct wt_shell *c, uint64_t pc, wt_thread thread, bool logs);
/** Whether an expression holds for a thread where it stands. */
bool holds_for(struct wt_shell *c, const struct wt_expr *expr, wt_thread thread);
/** Reads a watchpoint's value, of p->size bytes; false: it cannot be read. */
bool read_watched(struct wt_shell *c, const struct point *p, uint8_t *to);
/** Notes the values of all watchpoints as they are now: they may have changed without a stop. */
void refresh_watched(struct wt_shell *c);
/** Prints the value that a function has returned to the selected frame, or that it is not known. */
void print_returned(struct wt_shell *c, const struct wt_type *type);
/** Continues until something that the user wants to know, and reports it. */
enum wt_status continue_and_report(struct wt_shell *c, bool backwards, struct wt_error *err);
/** Reports the event that has come; *again: it is nothing that the user wants to see. */
enum wt_status report_stop(struct wt_shell *c, bool *again, struct wt_error *err);
/** What a stop shows beside its reason: frame and line. */
void show_stop(struct wt_shell *c, bool with_frame);
/** Prints the expressions of display. */
void show_displays(struct wt_shell *c);
/** Prints the line of a frame, with the PC in front of it if `address`. */
void print_source_line(struct wt_shell *c, const struct wt_frame *frame, bool address);
/** Where a frame's function begins in memory; 0 if unknown. */
uint64_t function_start(const struct wt_frame *frame);

/* ---- stepped.c: watchpoints on a device that has none ---- */
/** Whether something is watched, and the device cannot do it. */
bool needs_steps(const struct wt_shell *c);
/**
 * Does forwards what @p wanted says of the selected thread by single steps, and compares what is
 * watched after each. The event is in c->event, as after wait_for_stop().
 */
enum wt_status step_and_compare(struct wt_shell *c, const struct wt_resume *wanted,
                                struct wt_error *err);

/* ---- attached.c: a device elsewhere ---- */
/** Fails with a sentence if the program is one of such a device, which @p command cannot change. */
enum wt_status refuse_attached(const struct wt_shell *c, const char *command, struct wt_error *err);

/* ---- host.c: programs in processes of their own ---- */
/** Starts the program; c->started says whether it runs. */
enum wt_status begin_host(struct wt_shell *c, struct wt_error *err);
/** The program is gone: tells how it has ended. */
void end_host(struct wt_shell *c);
/** The program's arguments from now on, as a shell splits them. */
enum wt_status set_arguments(struct wt_shell *c, const char *text, struct wt_error *err);
/** Adds NAME=VALUE, or NAME: unset. Takes it over. */
enum wt_status change_environment(struct wt_shell *c, char *change, struct wt_error *err);
/** Frees the changes of the environment. */
void free_environment(struct wt_shell *c);

/* ---- faults.c ---- */
/** Prints the report of a fault of the current thread's wave, as `run` and `exec` do. */
void print_fault(struct wt_shell *c, const struct wt_fault *fault);
/** Prints the report of the fault for which the current thread's wave stands here, if any. */
void remind_of_fault(struct wt_shell *c);

/* ---- catch.c ---- */
/** Something has happened, modules have changed above all. */
void catch_news(struct wt_shell *c, const struct wt_probe_event *news);
/** Whether faults are passed: they are to be caught, and that is disabled. */
bool passes_faults(const struct wt_shell *c);
/** Counts and tells the catchpoint of a stop; false if there is none. */
bool report_catch(struct wt_shell *c);
/** The catchpoint that the fault of c->event is told with; NULL: none. */
struct point *catch_of_faults(const struct wt_shell *c);
/** What a catchpoint at instructions means that a wave has come to; false: this is no stop. */
bool catch_at(struct wt_shell *c, struct point *p, uint64_t pc);
/** Puts it to where kernels begin, and, as far as that is known, end. */
void resolve_catch(struct wt_shell *c, struct point *p);
/** Offers the names of exceptions for completion. */
void each_catch_name(const struct wt_shell *c, void (*offer)(void *context, const char *name),
                     void *context);

/* ---- frames.c ---- */
void print_frame(struct wt_shell *c, const struct wt_frame *frame, bool numbered, bool address);

/* ---- resolve.c ---- */
/** Finds the places of all breakpoints anew: code has come or gone. */
void resolve_points(struct wt_shell *c);

/* ---- printf.c ---- */
/** The end of an argument: a comma outside of parentheses and quotes. */
const char *argument_end(const char *text);
/**
 * The message of a dprintf for the place @p addr, which needs no stop. NULL: it must stop there,
 * since something in it can only be evaluated then. The caller owns it.
 */
struct wt_expr *compile_log(struct wt_shell *c, const struct point *p, uint64_t addr);
/** Prints what a dprintf has for each lane of the selected wave for which its condition holds. */
void log_lanes(struct wt_shell *c, const struct point *p, uint64_t pc);

/* ---- points.c ---- */
/** "Hardware watchpoint", or what else this one is. */
const char *watch_name(const struct wt_shell *c, enum point_kind kind);
/** Sets a breakpoint at "LOCATION [if CONDITION]"; with @p format it is a dprintf. */
enum wt_status set_break(struct wt_shell *c, const char *text, bool temporary, const char *format,
                         struct wt_error *err);
/** Frees all breakpoints, watchpoints and catchpoints. */
void free_points(struct wt_shell *c);
/** Adds one with the next number; NULL without host memory. */
struct point *add_point(struct wt_shell *c, enum point_kind kind, const char *text,
                        struct wt_error *err);
/** The program is another one now: its watchpoints are gone. */
void forget_watchpoints(struct wt_shell *c);
/** Puts the commands of a breakpoint in front of those that wait. */
void queue_commands(struct wt_shell *c, const struct point *p);
/**
 * The line that a breakpoint's location names, or that of the inlined call which begins at an
 * address and which it names; 0: neither.
 */
unsigned line_wanted(struct wt_shell *c, const struct point *p, uint64_t addr);
/** Whether it stops at instructions. */
bool has_addresses(const struct point *p);
/**
 * The frames as a breakpoint shows them that stops there: an inlined call that begins is not
 * entered yet. The caller frees them; NULL without host memory.
 */
struct wt_frames *frames_at(struct wt_shell *c, const struct point *p, uint64_t addr);
/** Gives a breakpoint another list of addresses, which it takes over. */
void set_addresses(struct point *p, uint64_t *list, size_t count);
/** The one of a number; NULL: there is none. */
struct point *find_point(struct wt_shell *c, unsigned number);
/** Removes and frees it. */
void delete_point(struct wt_shell *c, struct point *p);
/** Compiles a breakpoint's conditions anew. */
enum wt_status compile_condition(struct wt_shell *c, struct point *p, struct wt_error *err);
/**
 * Fails where no instruction begins at an address of code, as far as that is known: the function's
 * instructions are gone through from its beginning.
 */
enum wt_status check_begins(struct wt_shell *c, uint64_t addr, struct wt_error *err);

/* ---- places.c ---- */
/** Where kernels begin, those of the runtime, too. The caller frees the list; NULL: none. */
uint64_t *list_kernel_entries(struct wt_shell *c, size_t *count);
/** The addresses of a location (FILE:LINE, function, *ADDRESS); the caller frees *list and *where.
 */
enum wt_status resolve_place(struct wt_shell *c, const char *text, uint64_t **list, size_t *count,
                             char **where, struct wt_error *err);
/** The file that lines without a file mean; NULL: none. */
const char *current_file(struct wt_shell *c);
/** Makes the file with main that file. */
void find_default_source(struct wt_shell *c);
/** Whether a location ("f", "ns::f(int)", "FILE:f") names a function. */
bool names_function(const char *location, const char *function);

/* ---- watch_condition.c ---- */
/** Makes p->rule from a watchpoint's condition, as the selected frame understands it. */
enum wt_status compile_watch_condition(struct wt_shell *c, struct point *p, struct wt_error *err);
/** As the debugger has it; NULL: there is none. */
struct wt_watch_condition *watch_condition_of(const struct point *p);
/**
 * At a stop for a watchpoint that the debugger has not decided: whether its condition holds for a
 * lane that made the access, or cannot be evaluated. Selects the first such lane.
 */
bool watch_condition_holds(struct wt_shell *c, const struct point *p);
/** Frees it. NULL is allowed. */
void free_watch_rule(struct watch_rule *rule);

/* ---- files.c ---- */
struct text_file *open_source(struct wt_shell *c, const char *name);
/** Frees all source files. */
void free_files(struct wt_shell *c);

/* ---- lanes.c ---- */
/** Values over lanes, compactly. */
void print_lanes(struct wt_shell *c, const struct wt_view *view, const struct wt_values *values,
                 const struct wt_format *format);

/* ---- data.c ---- */
/** Reads memory as the selected thread sees it, in the space of the last "x". */
enum wt_status read_at(struct wt_shell *c, uint64_t address, void *out, size_t size,
                       struct wt_error *err);
/** What "/FMT" behind a command says. */
struct format_spec {
    int64_t count;
    char letter, size;
};
/** Reads it, if there is one, and advances *text. */
enum wt_status take_format(const char **text, struct format_spec *spec, struct wt_error *err);
/** Tells once how weak '@' is where that may surprise. */
void hint_logic(struct wt_shell *c, const struct wt_view *view, const char *text);
/** Evaluates an expression and prints it; `keep`: as "$N = ", in the history of values. */
enum wt_status print_expression(struct wt_shell *c, const char *text, char letter, bool keep,
                                struct wt_error *err);
/** How values are printed: a letter of /FMT or 0; `top`: not within a structure. */
struct wt_format format_of(const struct wt_shell *c, char letter, bool top);
/** The command x. */
enum wt_status examine_memory(struct wt_shell *c, const char *text, struct wt_error *err);
/** Frees the expressions of display. */
void free_displays(struct wt_shell *c);
/** A value that cannot be had is an error of the command, as in GDB. */
enum wt_status check_value(const struct wt_values *values, struct wt_error *err);
/** The same for the first lane, whatever the expression selects: in what way its value cannot be
 * read or computed. */
enum wt_status check_first(const struct wt_values *values, struct wt_error *err);
/** Values of a frame's variables, one a line; false if there are none. */
bool print_variables(struct wt_shell *c, const struct wt_frame *frame, bool arguments,
                     const char *indent);

/* ---- commands, by file ---- */
command_fn do_generate_core;
command_fn do_run, do_start, do_continue, do_step, do_next, do_stepi, do_nexti, do_finish, do_until,
    do_advance, do_reverse_continue, do_reverse_step, do_reverse_next, do_reverse_stepi,
    do_reverse_nexti, do_reverse_finish, do_kill, do_goto, do_who_wrote, do_attach, do_detach,
    do_catch, do_unset;
command_fn do_break, do_dprintf, do_tbreak, do_watch, do_rwatch, do_awatch, do_delete, do_clear,
    do_enable, do_disable, do_condition, do_ignore, do_commands, do_save, do_info_breakpoints;
command_fn do_backtrace, do_frame, do_up, do_down, do_info_frame, do_info_locals, do_info_args;
command_fn do_print, do_output, do_x, do_display, do_undisplay, do_ptype, do_whatis, do_set,
    do_show, do_printf, do_echo, do_info_display, do_info_registers, do_info_all_registers;
command_fn do_list, do_info_source, do_info_fault, do_info_line, do_info_symbol, do_info_address,
    do_disassemble, do_info_functions, do_info_variables, do_info_types, do_info_sources;
command_fn do_thread, do_lane, do_wave, do_info_threads, do_info_lanes, do_info_waves,
    do_info_devices, do_info_groups, do_info_dispatches, do_info_divergence, do_info_barriers,
    do_info_spaces, do_info_trap, do_info_modules, do_info_time, do_apply, do_group,
    do_info_program;
command_fn do_help, do_info, do_source, do_quit;
command_fn do_cuda, do_info_cuda;

/* ---- waves.c: what cuda.c selects ---- */

/** Selects a lane of a wave. */
enum wt_status select_lane_of(struct wt_shell *c, wt_wave_id wave, unsigned lane,
                              struct wt_error *err);
/** Prints the selected frame and its line. */
void show_frame_of_selected(struct wt_shell *c);

#endif
