/*
 * The console: an engine for commands as GDB users know them. Text goes in, text comes out; a
 * terminal, a script and a debug adapter are its users. It is a client of the debugger's session.
 */
#ifndef WT_FRONTEND_CONSOLE_CONSOLE_H
#define WT_FRONTEND_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "debug/core/session.h"
#include "debug/source/modules.h"

struct wt_shell;

/**
 * Programs in processes of their own: the console starts one anew at each `run`, and its GPU has
 * another session each time.
 */
struct wt_shell_host {
    /**
     * Starts the program with a line of arguments for the shell and changes of its environment
     * (NAME=VALUE, or NAME: unset; NULL ends them). It comes back when the program has opened a GPU
     * and wt_shell_use() has been called with its session, or (*ended) when it has ended before.
     */
    enum wt_status (*start)(void *context, const char *arguments, char *const *environment,
                            bool *ended, struct wt_error *err);
    /** Goes to a program that runs, likewise. */
    enum wt_status (*attach)(void *context, int pid, struct wt_error *err);
    /** Brings the list of modules up to date. */
    void (*refresh)(void *context);
    /**
     * The program's GPU is gone: waits for the program's end (Ctrl-C: no longer) and goes to the
     * session that no program has. *known: `code` is its exit code, or 128 and the number of the
     * signal that ended it, which `text` names then.
     */
    void (*finish)(void *context, bool *known, int *code, char *text, size_t size);
    /** Ends the program, or lets it go on without a debugger; then likewise. */
    void (*leave)(void *context, bool kill);
    /** Its process id; 0: there is none. */
    int (*pid)(void *context);
};

struct wt_shell_options {
    struct wt_session *session;
    struct wt_modules *modules;       /**< the loaded code */
    const char *program;              /**< its file, for people; NULL: none */
    const struct wt_shell_host *host; /**< of host programs; NULL: the device has its program */
    const char *arguments;            /**< host: the first line of arguments; NULL: none */
    bool attached;                    /**< the device was running before: there is no `run` */
    bool colour;                      /**< output may have colours */
    /** Takes what commands print. */
    void (*output)(void *context, const char *text, size_t length);
    /** Asks a question that is answered by yes or no; NULL: yes. */
    bool (*ask)(void *context, const char *question);
    /** The text of an instruction, as a disassembler has it; NULL: there is none. Returns its
     * length in bytes, 0 if these bytes are no instruction. */
    unsigned (*disassemble)(void *context, uint64_t addr, const uint8_t *bytes, size_t length,
                            char *text, size_t size);
    void *context;
};

/** NULL without host memory. What the options name must outlive it. */
struct wt_shell *wt_shell_new(const struct wt_shell_options *options);
void wt_shell_free(struct wt_shell *console);

/**
 * Goes to another session and its modules: that of a program that has been started, or of none.
 * Breakpoints are resolved anew, values that were kept stay. The old session must be there yet.
 */
enum wt_status wt_shell_use(struct wt_shell *console, struct wt_session *session,
                            struct wt_modules *modules, struct wt_error *err);

/**
 * Executes one command line. A command that lets the program run serves the session until it stops:
 * so it must not be called from within the session's loop. A failure is told in *err, not printed.
 */
enum wt_status wt_shell_execute(struct wt_shell *console, const char *line, struct wt_error *err);

/** Executes the commands of a file; the error names file and line. */
enum wt_status wt_shell_source(struct wt_shell *console, const char *path, struct wt_error *err);

/** Stops what runs or searches, from a signal's handler of the loop. */
void wt_shell_interrupt(struct wt_shell *console);

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
void wt_shell_program(struct wt_shell *console, struct wt_shell_end *end);

/** The words that may stand at the end of @p line, sorted; the caller frees each and the list. */
char **wt_shell_complete(struct wt_shell *console, const char *line, size_t *count);

/** What an empty line after @p line means: that line, its command alone, or NULL: nothing. */
const char *wt_shell_repeats(struct wt_shell *console, const char *line);

/** What the program has printed, for the commands' output to come behind it in order. */
void wt_shell_print(struct wt_shell *console, const char *text, size_t length);

#endif
