/*
 * Parts of a terminal beside its text: a status line below it, and the progress of long work. A
 * terminal that cannot (TERM is unset or "dumb"), a pipe and a file show neither.
 */
#ifndef WT_CLI_SCREEN_H
#define WT_CLI_SCREEN_H

#include <stdbool.h>

struct cli_screen {
    bool can;       /**< move the cursor, erase a line */
    bool colour;    /**< and it may have colours: NO_COLOR is not set */
    int rows;       /**< above the status line; 0: there is none */
    bool progress;  /**< a line of progress is where the next text belongs */
    char last[256]; /**< the status line's text */
};

/** The rows and columns that text has; false: standard input or output is no terminal. */
bool cli_screen_size(const struct cli_screen *screen, int *rows, int *columns);
/** For standard output. Nothing is shown yet. */
void cli_screen_open(struct cli_screen *screen);
/** Gives the whole terminal back. May be called more than once. */
void cli_screen_close(struct cli_screen *screen);

/** Likewise from another thread, while this one is blocked: the rows alone. */
void cli_screen_release(const struct cli_screen *screen);
/** Shows a text in the last row, and keeps it free of other text; "": gives the row back. */
void cli_screen_status(struct cli_screen *screen, const char *text);
/** Shows how far something has come, in the status line or where the cursor is; NULL: no more. */
void cli_screen_progress(struct cli_screen *screen, const char *text);
/** Text comes: the line of progress makes way for it. */
void cli_screen_make_way(struct cli_screen *screen);

#endif
