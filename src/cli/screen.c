/*
 * See screen.h. The control sequences are those of ECMA-48 and of the VT100 (DECSTBM, DECSC,
 * DECRC), which every current terminal emulator supports.
 */
#include "cli/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A terminal with fewer rows has no row to spare. */
#define FEWEST_ROWS 10

void cli_screen_open(struct cli_screen *s)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    *s = (struct cli_screen){0};
    s->can = isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
    s->colour = s->can && !(no_colour && *no_colour);
}

static bool size_of(int *rows, int *columns)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
        return false;
    *rows = size.ws_row;
    *columns = size.ws_col;
    return true;
}

bool cli_screen_size(const struct cli_screen *s, int *rows, int *columns)
{
    if (!isatty(STDIN_FILENO) || !size_of(rows, columns))
        return false;
    if (s->rows)
        *rows = s->rows;
    return true;
}

/* Gives the row back to the scrolling region, empty. */
static void release(struct cli_screen *s)
{
    if (s->rows)
        printf("\0337\033[r\033[%d;1H\033[K\0338", s->rows + 1);
    s->rows = 0;
    fflush(stdout);
}

void cli_screen_release(const struct cli_screen *s)
{
    static const char all[] = "\0337\033[r\0338\n";
    if (s->rows && write(STDOUT_FILENO, all, sizeof all - 1) < 0)
        return;
}

/* Keeps the last row out of the scrolling region. A line feed and a move back up make sure that the
 * cursor is not in that row. */
static bool reserve(struct cli_screen *s, int *columns)
{
    int rows;
    if (!s->can || !size_of(&rows, columns) || rows < FEWEST_ROWS || *columns < 20) {
        release(s);
        return false;
    }
    if (s->rows != rows - 1)
        printf("\n\0337\033[1;%dr\0338\033[1A", rows - 1);
    s->rows = rows - 1;
    return true;
}

static void draw(struct cli_screen *s, const char *text, int columns)
{
    printf("\0337\033[%d;1H\033[7m %-*.*s\033[0m\0338", s->rows + 1, columns - 1, columns - 1,
           text);
    fflush(stdout);
}

void cli_screen_status(struct cli_screen *s, const char *text)
{
    int columns;
    if (!*text)
        release(s);
    else if (reserve(s, &columns))
        draw(s, text, columns);
    snprintf(s->last, sizeof s->last, "%s", text);
}

void cli_screen_progress(struct cli_screen *s, const char *text)
{
    int columns, rows;
    if (!s->can)
        return;
    if (s->rows) {
        if (reserve(s, &columns))
            draw(s, text ? text : s->last, columns);
    } else if (!text) {
        cli_screen_make_way(s);
    } else {
        printf("\r%.*s\033[K", size_of(&rows, &columns) && columns > 1 ? columns - 1 : 79, text);
        fflush(stdout);
        s->progress = true;
    }
}

void cli_screen_make_way(struct cli_screen *s)
{
    if (s->progress) {
        fputs("\r\033[K", stdout);
        fflush(stdout);
    }
    s->progress = false;
}

void cli_screen_close(struct cli_screen *s)
{
    cli_screen_make_way(s);
    release(s);
}
