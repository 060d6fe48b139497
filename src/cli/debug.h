/* A session of `wavetrap debug`: opened and run by debug.c, served by debug_services.c. */
#ifndef WT_CLI_DEBUG_H
#define WT_CLI_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/attached.h"
#include "cli/debug_host.h"
#include "cli/drive.h"
#include "cli/interrupts.h"
#include "cli/pages.h"
#include "cli/program_socket.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "frontend/console/console.h"
#include "target/core_file.h"

/** A command or a file of commands, in the order in which they were given. */
struct cli_order {
    const char *text;
    bool is_file;
};

struct cli_console;

/** Who stands before a session: the console at a terminal, or an editor. The context of its
 * functions is the struct cli_console. */
struct cli_front {
    /** Sets the services of the console. */
    void (*services)(struct cli_console *d, struct wt_shell_options *options);
    /** Watches signals, and whatever else may interrupt, in the loop of a session. */
    enum wt_status (*watch)(void *context, struct wt_loop *loop, struct wt_error *err);
    /** Whether that came while no loop runs; NULL: signals are read. */
    bool (*interrupted)(void *context);
    /** Prints output of code for the device; returns @p length. */
    ssize_t (*program)(void *context, const char *text, size_t length);
    /** Prints what the debugger says on its own. */
    void (*agent)(void *context, const char *text, size_t length);
    /** The session is one of a program that uses us as a library: signals are its own, and host
     * programs are started by the command of PATH, or that of the environment's WAVETRAP. */
    bool is_library;
};

/** A session of `wavetrap debug`. */
struct cli_console {
    struct cli_drive drive; /**< first: the context of options about kernels */
    const struct cli_front *front;
    bool batch, no_init, trust;
    const char *page;        /**< the address of --view; NULL: no pages */
    struct cli_pages *pages; /**< NULL: none */
    const char *core_path;   /**< --core; NULL: a program */
    struct wt_core_file *core_file;
    struct cli_order *order;
    size_t order_count, order_capacity;

    char **words; /**< the command line, of which the rest is */
    const char *program;
    char *here;                  /**< the program as a file of this folder; NULL: it was named so */
    char **arguments;            /**< of a host program */
    int pid;                     /**< of a program that runs; 0: none was given */
    const char *socket;          /**< where a program listens that runs; NULL: none was given */
    const char *token;           /**< of --token, or NULL */
    struct cli_debug_host *host; /**< NULL: the program is code for the device */
    struct wt_emulated device;   /**< has the program; it runs in `attached` if that is open */
    struct cli_attached attached;
    FILE *device_console;
    struct wt_session *session;
    struct wt_shell *console;
    struct cli_terminal *terminal; /**< NULL: no person is there */
    struct cli_screen screen;
    bool reads;                     /**< the terminal waits for a line */
    unsigned interrupts;            /**< how often Ctrl-C was pressed since the last line */
    struct cli_interrupts *signals; /**< NULL: not opened yet */
    int signal_fd;                  /**< of it */
    int ended_by;                   /**< SIGTERM or SIGHUP, which came; 0: none */
    int streams[2]; /**< where a host program's stdout and stderr go to; 0: where ours do */
};

/** Setters of the rows below; their context begins with a struct cli_console. --pid */
enum wt_status cli_debug_set_pid(void *context, const char *value, struct wt_error *err);
/** --socket */
enum wt_status cli_debug_set_socket(void *context, const char *value, struct wt_error *err);

/** Options that name a core file, or a host program that runs already. */
#define CLI_DEBUGGED_OPTIONS                                                                       \
    {"core", 0, "FILE", "look at a core file, which knows its program",                            \
     CLI_TEXT(struct cli_console, core_path)},                                                     \
        {"pid", 'p', "PID", "go to a host program that runs ('wavetrap ps' lists them)",           \
         CLI_SET(cli_debug_set_pid)},                                                              \
        CLI_PROGRAM_SOCKET_OPTIONS(                                                                \
            "go to a host program that runs elsewhere and listens there\n"                         \
            "('wavetrap exec --socket=ADDRESS'): tcp:127.0.0.1:PORT or unix:PATH",                 \
            CLI_SET(cli_debug_set_socket), CLI_TEXT(struct cli_console, token))

/** Parses the options of `wavetrap debug`, or of another command that begins a session, and finds
 * the program, its arguments or its core file in what follows them. Returns CLI_GO, or an exit
 * status: CLI_FAILED with *err, which is not told yet. @p d is zeros but for its front; it is at
 * the beginning of the options' context. */
int cli_debug_parse(const struct cli_command *command, int argc, char **argv, struct cli_console *d,
                    struct wt_error *err);
/**
 * Opens what the options name. Nothing is started, gone to or shown yet. On failure there is still
 * something to close.
 */
enum wt_status cli_debug_open(struct cli_console *d, struct wt_error *err);
/** cli_debug_parse() for a session without a terminal: WT_INVALID also where the options ask for
 * help. */
enum wt_status cli_debug_take_words(struct cli_console *d, int count, char **words,
                                    struct wt_error *err);
/** WT_INVALID: an option was given that a session without a terminal has no use for. */
enum wt_status cli_debug_check_no_terminal(const struct cli_console *d, struct wt_error *err);
/** Goes to the process that was named, or to where the core file stands; else nothing is done. */
enum wt_status cli_debug_enter(struct cli_console *d, struct wt_error *err);
/** Hands counts of source lines to @p each, as struct wt_dap_owner.counts; @p context begins with a
 * struct cli_console. */
bool cli_debug_counts(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                      void *to);
/** Ends the session; a program that it has started ends, too. */
void cli_debug_close(struct cli_console *d);
/** Frees what the options hold. */
void cli_debug_free(struct cli_console *d);
/**
 * Serves a client of the Debug Adapter Protocol at two descriptors until it goes. What is debugged
 * is @p given, which cli_debug_parse() has filled in and which stays the caller's; NULL: the client
 * says it. Returns an exit status.
 */
int cli_dap_serve(int in, int out, const struct cli_console *given);
/** Whether a host program that runs was named. */
bool cli_debug_runs_already(const struct cli_console *d);

/** Sets the services of the console: all that answers by @p d. */
void cli_debug_services(struct cli_console *d, struct wt_shell_options *options);
/** Prints the program's output, in order with the output of commands; returns @p length. @p context
 * of these functions is a struct cli_console. */
ssize_t cli_debug_put_program(void *context, const char *text, size_t length);
/** The same of what the debugger has to say on its own. */
void cli_debug_put_agent(void *context, const char *text, size_t length);
/** Whether Ctrl-C was pressed, or a signal to quit came, while the session's loop did not run. */
bool cli_debug_was_interrupted(struct cli_console *d);
/** Asks the user; Ctrl-C is a no, and a signal to quit for a yes. */
bool cli_debug_ask(void *context, const char *question);
/** Whether the program runs on a device elsewhere. */
bool cli_debug_is_attached(const struct cli_console *d);
/** The question before the debugger quits; of a struct cli_console, from any thread. */
const char *cli_debug_quit_question(void *context);
/** Handles signals in the loop of a session. */
enum wt_status cli_debug_watch_signals(void *context, struct wt_loop *loop, struct wt_error *err);
/** Gives the terminal back where a command is blocked and the user wants to quit. */
void cli_debug_end_now(void *context);

#endif
