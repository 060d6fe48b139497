/* The debuggee of a front end: the options that name it, its target, and the session. A front end
 * is the console of `wavetrap debug`, an editor, or a program that uses the library. */
#ifndef WT_SESSION_DEBUGGEE_H
#define WT_SESSION_DEBUGGEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "session/attached.h"
#include "session/drive.h"
#include "session/host.h"
#include "session/interrupts.h"
#include "session/program_socket.h"

struct wt_core_file;
struct wt_loop;
struct wt_session;
struct wt_shell;
struct wt_shell_options;

/** A command or a file of commands, in the order in which they were given. */
struct wt_session_order {
    const char *text;
    bool is_file;
};

struct wt_debuggee;

/** A front end's functions; their context is its struct wt_debuggee. */
struct wt_front {
    /** Sets the services of the console. */
    void (*services)(struct wt_debuggee *d, struct wt_shell_options *options);
    /** Watches signals, and whatever else may interrupt, in the loop of a session. */
    enum wt_status (*watch)(void *context, struct wt_loop *loop, struct wt_error *err);
    /** Whether that came while no loop runs; NULL: signals are read. */
    bool (*interrupted)(void *context);
    /** Prints output of code for the device; returns @p length. */
    ssize_t (*program)(void *context, const char *text, size_t length);
    /** Prints what the debugger says on its own. */
    void (*agent)(void *context, const char *text, size_t length);
    /** Called in another thread before the process ends by a signal; NULL: nothing. */
    void (*ends)(void *context);
    /** The session is one of a program that uses us as a library: signals are its own, and host
     * programs are started by the command of PATH, or that of the environment's WAVETRAP. */
    bool is_library;
};

/** The debuggee, as the options of `wavetrap debug` name it. */
struct wt_debuggee {
    struct wt_session_drive drive; /**< first: the context of options about kernels */
    const struct wt_front *front;
    bool batch, no_init, trust;
    const char *page;      /**< the address of --view; NULL: no pages */
    const char *core_path; /**< --core; NULL: a program */
    struct wt_core_file *core_file;
    struct wt_session_order *order;
    size_t order_count, order_capacity;

    char **words; /**< the command line, of which the rest is */
    const char *program;
    char *here;         /**< the program as a file of this folder; NULL: it was named so */
    char **arguments;   /**< arguments of a host program */
    int pid;            /**< pid of a program that runs; 0: none was given */
    const char *socket; /**< where a program listens that runs; NULL: none was given */
    const char *token;  /**< --token, or NULL */
    struct wt_session_host *host; /**< NULL: the program is code for the device */
    struct wt_emulated device;    /**< has the program; it runs in `attached` if that is open */
    struct wt_session_attached attached;
    FILE *device_console;
    struct wt_session *session;
    struct wt_shell *console;
    struct wt_session_interrupts *signals; /**< NULL: not opened yet */
    int signal_fd;                         /**< its descriptor for signals */
    int ended_by;                          /**< SIGTERM or SIGHUP, which came; 0: none */
    int streams[2]; /**< where a host program's stdout and stderr go to; 0: where ours do */
};

/** The options of `wavetrap debug`. */
extern const struct wt_option wt_debuggee_options[];
/** Members of a struct wt_subcommand: the words that name what is debugged are those of `wavetrap
 * debug`, whoever says them. */
#define WT_DEBUGGEE_WORDS                                                                          \
    .name = "debug", .operands = "PROGRAM [CORE-FILE | ARGUMENT…]",                                \
    .summary = "Debugs PROGRAM, a HIP, OpenCL or CUDA program too, in a console like GDB's.",      \
    .options = wt_debuggee_options, .device = true, .debugger = true, .many_gpus = true,           \
    .program = true,                                                                               \
    .notes = "With --dm or --jtag PROGRAM runs on a device elsewhere, as in 'wavetrap attach'.\n"  \
             "'help' in the console lists its commands. With --batch the exit status is that of\n" \
             "'wavetrap run' where the program has ended, and 0 where it is stopped;\n"            \
             "114: a count is over its --profile-limit.\n"

/** Setters of the rows below; their context begins with a struct wt_debuggee. --pid */
enum wt_status wt_debuggee_set_pid(void *context, const char *value, struct wt_error *err);
/** --socket */
enum wt_status wt_debuggee_set_socket(void *context, const char *value, struct wt_error *err);

/** Options that name a core file, or a host program that runs already. */
#define WT_DEBUGGED_OPTIONS                                                                        \
    {"core", 0, "FILE", "look at a core file, which knows its program",                            \
     WT_OPTION_TEXT(struct wt_debuggee, core_path)},                                               \
        {"pid", 'p', "PID", "go to a host program that runs ('wavetrap ps' lists them)",           \
         WT_OPTION_SET(wt_debuggee_set_pid)},                                                      \
        WT_PROGRAM_SOCKET_OPTIONS(                                                                 \
            "go to a host program that runs elsewhere and listens there\n"                         \
            "('wavetrap exec --socket=ADDRESS'): tcp:127.0.0.1:PORT or unix:PATH",                 \
            WT_OPTION_SET(wt_debuggee_set_socket), WT_OPTION_TEXT(struct wt_debuggee, token))

/** Parses the options of `wavetrap debug`, or of another command that begins a session, and finds
 * the program, its arguments or its core file in what follows them. Returns WT_SUBCOMMAND_GO, or an
 * exit status: WT_EXIT_FAILED with *err, which is not told yet. @p d is zeros but for its front; it
 * is at the beginning of the options' context. */
int wt_debuggee_parse(const struct wt_subcommand *command, int argc, char **argv,
                      struct wt_debuggee *d, struct wt_error *err);
/**
 * Opens what the options name. Nothing is started, gone to or shown yet. On failure there is still
 * something to close.
 */
enum wt_status wt_debuggee_open(struct wt_debuggee *d, struct wt_error *err);
/** wt_debuggee_parse() for a session without a terminal: WT_INVALID also where the options ask for
 * help. */
enum wt_status wt_debuggee_take_words(struct wt_debuggee *d, int count, char **words,
                                      struct wt_error *err);
/** WT_INVALID: an option was given that a session without a terminal has no use for. */
enum wt_status wt_debuggee_check_no_terminal(const struct wt_debuggee *d, struct wt_error *err);
/** Goes to the process that was named, or to where the core file stands; else nothing is done. */
enum wt_status wt_debuggee_enter(struct wt_debuggee *d, struct wt_error *err);
/** Ends the session; a program that it has started ends, too. */
void wt_debuggee_close(struct wt_debuggee *d);
/** Frees what the options hold. */
void wt_debuggee_free(struct wt_debuggee *d);
/** Whether a host program that runs was named. */
bool wt_debuggee_runs_already(const struct wt_debuggee *d);

/** Sets the services of the console that the target answers: code, registers, counts, findings. */
void wt_debuggee_services(struct wt_debuggee *d, struct wt_shell_options *options);
/** Whether the program runs on a device elsewhere. */
bool wt_debuggee_is_attached(const struct wt_debuggee *d);
/** The question before the debugger quits; of a struct wt_debuggee, from any thread. */
const char *wt_debuggee_quit_question(void *context);

#endif
