/* Declarations shared by the files of the console. */
#ifndef WT_FRONTEND_CONSOLE_INTERNAL_H
#define WT_FRONTEND_CONSOLE_INTERNAL_H

#include <regex.h>
#include <stdio.h>

#include "base/text.h"
#include "debug/program/program.h"
#include "frontend/common/words.h"
#include "frontend/console/options.h"
#include "frontend/language/language.h"

/** Expressions that are printed at each stop. */
struct displays {
    struct display {
        unsigned number;
        bool enabled;
        char *text;
        char format[16];
    } * list;
    size_t count, capacity;
    unsigned last; /**< number given */
};

/** The state with which `x` goes on. */
struct examine {
    uint64_t address;
    uint64_t begin; /**< where the last one began */
    uint32_t space;
    char letter, size;
    bool any;
};

/** Progress of what takes long. Times are in nanoseconds. */
struct progress {
    struct wt_loading loading; /**< loading of debug information */
    bool given_up;             /**< loading, by whoever waited for it */
    bool shown;
    uint64_t since, next; /**< since: 0 where nothing takes time */
    uint64_t from;        /**< issue time at which the run at hand has begun */
};

struct pager {
    struct wt_page page;
    bool continues; /**< what the command at hand prints is not paged any more */
    bool quit;      /**< … is not wanted any more, and the command is to end */
};

/** The commands at hand, and how they end. */
struct script {
    unsigned executing;     /**< lines, one within another */
    bool executes_commands; /**< those of points that were hit */
    bool interrupted;       /**< a run or a step of the command at hand was */
    bool quit;
    int quit_status;
};

enum pending { PENDING_AUTO, PENDING_ON, PENDING_OFF }; /* ask, accept, refuse */

/** The settings of `set`. */
struct settings {
    bool confirm;
    bool status_line; /**< a terminal that can shows one */
    bool trace_commands;
    unsigned list_size;
    bool pagination;
    unsigned height, width; /**< size of a page; 0, WT_SETTING_UNLIMITED: none; …OF_TERMINAL */
    enum pending pending;   /**< breakpoints on code that is not there yet */
    enum wt_locking locking;
    bool step_headers;       /**< steps go into them */
    unsigned opencl_options; /* 1: the program's own are kept */
    char *prompt;            /**< NULL: the usual one */
};

struct wt_shell {
    struct wt_language_owner owner; /**< the first, as wt_shell_language() wants it */
    struct wt_shell_options options;
    WT_WORDS;                   /**< `out`: output of commands */
    struct wt_report_of report; /**< its objects */
    struct settings settings;
    struct script script;
    struct progress progress;
    struct pager pager;
    struct displays displays;
    struct examine examine;
    struct {
        bool values, logic; /**< what '@' means, and how weak it is */
    } hinted;               /**< what was told once */
    uint64_t told_findings; /**< findings of checks that were told */
    struct {
        FILE *file;       /**< NULL: none */
        bool in_sequence; /**< the text so far ends within a control sequence */
    } log;
    struct {
        unsigned numbered; /**< the last breakpoint, when $bpnum was set */
        bool ended;        /**< the program had, when $_exitcode was set */
    } variables;
};

extern const struct wt_command wt_shell_commands[];
extern const struct wt_command wt_shell_infos[];

/* ---- console.c ---- */
/** WT_INVALID if there is text behind a command that takes none. */
enum wt_status take_no_arguments(const char *text, const char *command, struct wt_error *err);
/** Compiles a regular expression with these flags besides (REG_ICASE); the caller frees it
 * (regfree). WT_INVALID: @p text is none; @p command is for messages. */
enum wt_status take_pattern(const char *text, const char *command, int flags, regex_t *wanted,
                            struct wt_error *err);
/** Asks whether the recorded past may be changed, which drops the part of the recording after it.
 * WT_STATE: the user does not want it. The context is the shell. */
enum wt_status may_change(void *context, struct wt_error *err);
/** Asks "(y or n)" at a terminal; true without one. */
bool ask(struct wt_shell *c, const char *question);

/** Sets a convenience variable to the value of an expression, if it has one. */
void set_variable(struct wt_shell *c, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

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

/* ---- pager.c ---- */
/** A person has typed: a new page begins. */
void begin_pages(struct wt_shell *c);
/** How many bytes of @p text are to be printed now, after a question where the page is full; 0:
 * none of it is wanted (c->pager.quit). */
size_t take_page(struct wt_shell *c, const char *text, size_t length);

/* ---- attached.c: a device elsewhere ---- */
/** Fails with a sentence if the program is one of such a device, which @p command cannot change. */
enum wt_status refuse_attached(const struct wt_shell *c, const char *command, struct wt_error *err);

/* ---- frames.c ---- */
/** Shows where a step or run has ended, with the expressions of display. */
void show_end(struct wt_shell *c, const struct wt_stepped *end);

/* ---- points.c ---- */
/** Sets a breakpoint at "LOCATION [if CONDITION]"; with @p format it is a dprintf. */
enum wt_status set_break(struct wt_shell *c, const char *text, bool temporary, const char *format,
                         struct wt_error *err);

/* ---- data.c ---- */
/** Values over lanes, compactly. */
void print_lanes(struct wt_shell *c, const struct wt_view *view, const struct wt_values *values,
                 const struct wt_format *format);
/** The parts of "/FMT" behind a command. */
struct format_spec {
    int64_t count;
    char letter, size;
};
/** Tells once how weak '@' is where that may surprise. */
void hint_logic(struct wt_shell *c, const struct wt_view *view, const char *text);
/** Reads "/FMT", if it is there, and advances *text. */
enum wt_status take_format(const char **text, struct format_spec *spec, struct wt_error *err);
/** Evaluates an expression and prints it; `keep`: as "$N = ", in the history of values. */
enum wt_status print_expression(struct wt_shell *c, const char *text, char letter, bool keep,
                                struct wt_error *err);
/** Prints an expression behind "/FMT". */
enum wt_status print_with_format(struct wt_shell *c, const char *text, struct wt_error *err);
/** Prints the expressions of display. */
void show_displays(struct wt_shell *c);
/** Lets the expressions of display with these numbers, or all, be printed, or not. */
enum wt_status enable_displays(struct wt_shell *c, const char *text, bool enabled,
                               struct wt_error *err);
/** Frees the expressions of display. */
void free_displays(struct wt_shell *c);

/* ---- commands, by file ---- */
wt_command_fn do_generate_core;
wt_command_fn do_run, do_start, do_continue, do_step, do_next, do_stepi, do_nexti, do_finish,
    do_until, do_skip, do_info_skip, do_advance, do_reverse_continue, do_reverse_step,
    do_reverse_next, do_reverse_stepi, do_reverse_nexti, do_reverse_finish, do_kill, do_goto,
    do_who_wrote, do_who_read, do_where_from, do_attach, do_detach, do_catch, do_unset, do_jump,
    do_symbol_file;
wt_command_fn do_break, do_dprintf, do_tbreak, do_watch, do_rwatch, do_awatch, do_delete, do_clear,
    do_enable, do_disable, do_condition, do_rbreak, do_ignore, do_commands, do_save,
    do_info_breakpoints;
wt_command_fn do_backtrace, do_frame, do_up, do_down, do_up_silently, do_down_silently, do_faas,
    do_info_frame, do_info_locals, do_info_args;
wt_command_fn do_print, do_output, do_x, do_display, do_undisplay, do_ptype, do_whatis, do_set,
    do_show, do_with, do_printf, do_echo, do_info_display, do_info_registers, do_info_all_registers;
wt_command_fn do_find, do_dump, do_append, do_restore, do_eval, do_init_if_undefined, do_demangle,
    do_select_frame;
wt_command_fn do_list, do_search, do_reverse_search, do_info_files, do_info_source, do_info_fault,
    do_info_line, do_info_scope, do_info_symbol, do_info_address, do_disassemble, do_info_functions,
    do_info_variables, do_info_types, do_info_sources;
wt_command_fn do_taas, do_tfaas, do_dispatch, do_queue, do_agent, do_maintenance;
wt_command_fn do_thread, do_lane, do_wave, do_info_threads, do_info_lanes, do_info_waves,
    do_info_devices, do_info_groups, do_info_dispatches, do_info_queues, do_info_divergence,
    do_info_barriers, do_info_spaces, do_info_trap, do_info_modules, do_info_time, do_apply,
    do_group, do_info_allocation, do_who_allocated, do_who_freed, do_info_checks, do_info_races,
    do_info_defined, do_info_profile, do_info_program, do_check;
wt_command_fn do_help, do_info, do_quit, do_apropos, do_complete;
wt_command_fn do_cuda, do_info_cuda;

/* ---- apply.c ---- */
/** Executes "all COMMAND" or "1 3-5 COMMAND" for lanes of the selected wave, or for threads. */
enum wt_status apply(struct wt_shell *c, const char *text, bool lanes, struct wt_error *err);
/** "thread find REGEX": threads of that name or place. */
enum wt_status find_threads(struct wt_shell *c, const char *text, struct wt_error *err);

#endif
