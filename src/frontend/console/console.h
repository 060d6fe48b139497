/*
 * The console: an engine for commands as GDB users know them. Text goes in, text comes out; a
 * terminal, a script and a debug adapter are its users. It is a client of the debugger's session.
 */
#ifndef WT_FRONTEND_CONSOLE_CONSOLE_H
#define WT_FRONTEND_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/console/options.h"

struct wt_shell;

/** NULL without host memory. What the options name must outlive it. */
struct wt_shell *wt_shell_new(const struct wt_shell_options *options);
/** Ends the program, if it runs, and frees the console. */
void wt_shell_free(struct wt_shell *console);

/**
 * The program's state came from a core file: the console begins where it stopped, and tells so.
 * @p reason is why it had stopped, if nothing else says so; "".
 */
enum wt_status wt_shell_post_mortem(struct wt_shell *console, const char *reason,
                                    struct wt_error *err);

/** The device ran before (struct wt_shell_options.attached) and is halted: shows where. */
void wt_shell_show_attached(struct wt_shell *console);
/**
 * Lets such a device go on, without breakpoints and without a debugger; nothing is done if it has,
 * or if no program is there.
 */
enum wt_status wt_shell_let_go(struct wt_shell *console, struct wt_error *err);

/**
 * Goes to another session and its modules: that of a program that has been started, or of none.
 * Breakpoints are resolved anew, values that were kept stay. The old session must be there yet.
 */
enum wt_status wt_shell_use(struct wt_shell *console, struct wt_session *session,
                            struct wt_modules *modules, struct wt_error *err);

/** The program that the console debugs, for a front end that uses both. */
struct wt_program *wt_shell_debugged(struct wt_shell *console);
/** Whether a line begins with the word of a command, or with one that several begin with. */
bool wt_shell_is_command(const char *line);

/**
 * Executes one command line. A command that lets the program run serves the session until it stops:
 * so it must not be called from within the session's loop. A failure is told in *err, not printed.
 */
enum wt_status wt_shell_execute(struct wt_shell *console, const char *line, struct wt_error *err);

/** Executes the commands of a file; the error names file and line. */
enum wt_status wt_shell_source(struct wt_shell *console, const char *path, struct wt_error *err);

/** Stops what runs or searches, from a signal's handler of the loop. False: nothing does. */
bool wt_shell_interrupt(struct wt_shell *console);
/** The text in front of a terminal's line (`set prompt`). */
const char *wt_shell_prompt(const struct wt_shell *console);
/** Whether a command waits for what runs or searches. */
bool wt_shell_waits(const struct wt_shell *console);
/** Stops it for good: the command fails, and the console has quit. */
void wt_shell_abandon(struct wt_shell *console);

/** The text of a status line about the program; "": nothing. */
void wt_shell_status(struct wt_shell *console, char *text, size_t size);

/** Whether `quit` was given, and its status (-1: none was given). */
bool wt_shell_has_quit(const struct wt_shell *console, int *status);

/** Whether the program has ended, by itself or by a fault. */
struct wt_shell_end {
    bool exited;     /**< it has ended, with `word` */
    uint32_t word;   /**< its exit word */
    bool is_running; /**< it was started and has not ended */
    bool faulted;    /**< it stands at a fault that a continue cannot pass: `fault` */
    int fault;       /**< enum wt_fault_kind */
};
/** Fills *end. */
void wt_shell_program(struct wt_shell *console, struct wt_shell_end *end);

/** The words that may stand at the end of @p line, sorted; the caller frees each and the list. */
char **wt_shell_complete(struct wt_shell *console, const char *line, size_t *count);

/** The line that an empty line after @p line repeats: that line, or its command alone; NULL:
 * nothing. */
const char *wt_shell_repeats(struct wt_shell *console, const char *line);

/** Prints output of the program, in order with the output of commands. */
void wt_shell_print(struct wt_shell *console, const char *text, size_t length);

#endif
