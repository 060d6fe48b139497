/*
 * The server of the Debug Adapter Protocol (1.68): an editor's client of a session. Requests come
 * as JSON in frames (framing.h); what happens to the program goes back as events. One server is one
 * connection.
 */
#ifndef WT_FRONTEND_DAP_DAP_H
#define WT_FRONTEND_DAP_DAP_H

#include "base/loop.h"
#include "debug/program/program.h"

struct wt_dap;

/** One option of the debugger in a launch or attach request. */
struct wt_dap_words {
    char **word; /**< as `wavetrap debug` takes them; NULL ends them */
    size_t count, capacity;
};

/** The description of what is to be debugged. */
struct wt_dap_start {
    struct wt_dap_words words;       /**< options, the program, its arguments */
    const char *cwd;                 /**< NULL: where the server runs */
    struct wt_dap_words environment; /**< NAME=VALUE, or NAME: unset */
    bool attaches;                   /**< the program runs already, or has ended */
};

/** The counts of a source line, from a profile. */
struct wt_dap_count {
    const char *path;
    unsigned line;
    uint64_t issues, enabled, lanes; /**< instructions; lanes enabled, of those the waves had */
    uint64_t transactions;           /**< transactions of memory */
};

/** The services of the server's owner, who opens sessions and has the console. */
struct wt_dap_owner {
    /** Opens a session; nothing runs yet. */
    enum wt_status (*open)(void *context, const struct wt_dap_start *start,
                           struct wt_program **program, struct wt_error *err);
    /** Goes to the program that runs, or to what a core file has, where there is one. */
    enum wt_status (*enter)(void *context, struct wt_error *err);
    /** Whether the session is one of a core file, in which nothing can run. */
    bool (*is_core)(void *context);
    /** The program is known without the client: launch and attach need not name it. */
    bool has_program;
    /** Ends the session: the program ends (@p kill), or goes on. */
    void (*close)(void *context, bool kill);
    /** Executes a command of the console; its text comes by wt_dap_output(). */
    enum wt_status (*command)(void *context, const char *line, struct wt_error *err);
    /** Whether a line is one. */
    bool (*is_command)(const char *line);
    /** The words that may stand at the end of a line; the caller frees each and the list. */
    char **(*complete)(void *context, const char *line, size_t *count);
    /** Hands over output that has been written and not read yet, of the program and the console. */
    void (*flush)(void *context);
    /** Hands counts of source lines, as of here in the recorded run, to @p each. False: nothing is
     * counted. NULL: nothing ever is. */
    bool (*counts)(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                   void *to);
    /** Whether a signal, or the console's `quit`, has asked for the end. */
    bool (*ends)(void *context);
    void *context;
};

enum wt_dap_category { WT_DAP_CONSOLE, WT_DAP_STDOUT, WT_DAP_STDERR, WT_DAP_IMPORTANT };

/** A server that reads requests at @p in and writes to @p out, which it does not own. NULL without
 * host memory. */
struct wt_dap *wt_dap_new(int in, int out, const struct wt_dap_owner *owner);
/** Frees it, and ends its session. */
void wt_dap_free(struct wt_dap *dap);
/** Serves until the client has disconnected or gone. WT_INVALID: it was no client. */
enum wt_status wt_dap_serve(struct wt_dap *dap, struct wt_error *err);

/* ---- beside another front end ---- */

/**
 * Makes it one more client of a session that another front end has begun and owns: nothing is
 * launched, ended or broken at through it, and nothing is served but what wt_dap_turn() serves.
 * @p may_run: it may set the program going, too, which is @p program of that front end; the caller
 * calls wt_dap_turn() when the session's loop has been left for it. Otherwise requests are served
 * within the loop.
 */
void wt_dap_join(struct wt_dap *dap, struct wt_program *program, bool may_run);
/** Serves the requests that have come; true: the program was set going. */
bool wt_dap_turn(struct wt_dap *dap);
/** Tells the client where the program stands, or that it does not run. */
void wt_dap_follow(struct wt_dap *dap);

/* ---- for the owner ---- */

/** Reads requests in the loop of a session. */
enum wt_status wt_dap_watch(struct wt_dap *dap, struct wt_loop *loop, struct wt_error *err);
/** Reads requests where no loop runs; true: one of them wants what goes on to end. */
bool wt_dap_interrupted(struct wt_dap *dap);
/** Tells the client what happens to the program; false: in the console's words. */
bool wt_dap_news(struct wt_dap *dap, const struct wt_news *news);
/** Code has come or gone. */
void wt_dap_module(struct wt_dap *dap, enum wt_module_change change,
                   const struct wt_module *module);
/** A wait begins, goes on, or ends. */
void wt_dap_waits(struct wt_dap *dap, enum wt_wait wait);
/** Shows how far something is, as struct wt_shell_options.progress. */
bool wt_dap_progress(struct wt_dap *dap, const char *text);
/** Sends text to the client; that of a command which it has asked for is part of the answer. */
void wt_dap_output(struct wt_dap *dap, enum wt_dap_category category, const char *text,
                   size_t length);

#endif
