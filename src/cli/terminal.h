/* The terminal of the console: a line editor where there is a person, plain lines else. */
#ifndef WT_CLI_TERMINAL_H
#define WT_CLI_TERMINAL_H

#include "debug/core/session.h"
#include "frontend/console/console.h"

struct cli_terminal;

/**
 * NULL without host memory. Lines of a person are read from and kept in the file @p history, which
 * it takes over and frees; NULL: in none.
 */
struct cli_terminal *cli_terminal_open(struct wt_shell *console, char *history);
/**
 * Other clients of the session are served while a line is waited for: @p serve serves what has
 * come, and returns the session that is there then; *printed: it has printed something.
 */
void cli_terminal_serve(struct cli_terminal *terminal,
                        struct wt_session *(*serve)(void *context, bool *printed), void *context);
/** Gives the terminal back as it was. NULL is ignored. */
void cli_terminal_close(struct cli_terminal *terminal);

enum cli_input { CLI_INPUT_LINE, CLI_INPUT_END, CLI_INPUT_CANCELLED };

/**
 * Reads a line, without its end; the caller frees it. An empty line of a person is the last one
 * again where that makes sense. The session is served until there is input. @p more is the prompt
 * for a further line of a command; NULL: a command is wanted.
 */
enum cli_input cli_terminal_read(struct cli_terminal *terminal, struct wt_session *session,
                                 const char *more, char **line);

/** Forgets what was typed so far; for what the session's loop calls. */
void cli_terminal_clear(struct cli_terminal *terminal);
/** Ends cli_terminal_read() without a line; likewise. */
void cli_terminal_cancel(struct cli_terminal *terminal);

/**
 * Asks whether a listing continues, and reads the line that is typed; likewise. *answer is "", "q"
 * or "c". A line that is none of these is a command: it ends the listing, and is the next line that
 * cli_terminal_read() gives. False: there is no line.
 */
bool cli_terminal_page(struct cli_terminal *terminal, const char *question,
                       bool (*waits)(void *context), void *context, char *answer, size_t size);
/** Asks a question. @p waits, before each read of an answer: false where none is to be read any
 * more. True if it is answered by yes, or nobody is there. */
bool cli_terminal_ask(struct cli_terminal *terminal, const char *question,
                      bool (*waits)(void *context), void *context);

#endif
