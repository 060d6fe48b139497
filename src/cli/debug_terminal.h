/* The console of `wavetrap debug` at a terminal: what debug.c runs and debug_terminal.c serves. */
#ifndef WT_CLI_DEBUG_TERMINAL_H
#define WT_CLI_DEBUG_TERMINAL_H

#include "cli/pages.h"
#include "cli/screen.h"
#include "cli/terminal.h"
#include "session/debuggee.h"

struct cli_console {
    struct wt_debuggee d;          /**< first: the context of its services */
    struct cli_pages *pages;       /**< NULL: none */
    struct cli_terminal *terminal; /**< NULL: no person is there */
    struct cli_screen screen;
    bool reads;          /**< the terminal waits for a line */
    unsigned interrupts; /**< how often Ctrl-C was pressed since the last line */
};

/* ---- of a struct wt_front; the context of all is a struct cli_console ---- */

/** Sets the services of the console. */
void cli_debug_services(struct wt_debuggee *d, struct wt_shell_options *options);
/** Prints the program's output, in order with the output of commands; returns @p length. */
ssize_t cli_debug_put_program(void *context, const char *text, size_t length);
/** Likewise of what the debugger has to say on its own. */
void cli_debug_put_agent(void *context, const char *text, size_t length);
/** Handles signals in the loop of a session. */
enum wt_status cli_debug_watch_signals(void *context, struct wt_loop *loop, struct wt_error *err);
/** Gives the terminal back where a command is blocked and the user wants to quit. */
void cli_debug_end_now(void *context);

/** Whether Ctrl-C was pressed, or a signal to quit came, while the session's loop did not run. */
bool cli_debug_was_interrupted(struct cli_console *c);
/** Asks the user; Ctrl-C is a no, and a signal to quit for a yes. */
bool cli_debug_ask(void *context, const char *question);

#endif
