/* See terminal.h. */
#include "cli/terminal.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#ifdef WT_HAVE_LIBEDIT
#include <histedit.h>
#endif

#include "base/loop.h"

/* Completions in one list. */
enum { MOST_SHOWN = 200 };

struct cli_terminal {
    struct wt_shell *console;
    bool person; /* the user is typing */
#ifdef WT_HAVE_LIBEDIT
    EditLine *edit;
    History *history;
#endif
    char *history_file; /* NULL: none */
    char *last;         /* for an empty line */
    char *ahead;        /* a command that was typed in a listing; NULL: none */
    struct wt_session *session;
    struct wt_session *(*serve)(void *context, bool *printed); /* NULL: nobody else is there */
    void *context;
    bool came;        /* input */
    bool clear;       /* the line is to be discarded */
    bool cancelled;   /* and no other line is wanted */
    const char *more; /* the prompt for a further line of a command; NULL: for a command */
};

static const char *prompt(const struct cli_terminal *t)
{
    return t->more ? t->more : wt_shell_prompt(t->console);
}

/* Again, with what was typed, behind other output. */
static void show_prompt(struct cli_terminal *t)
{
#ifdef WT_HAVE_LIBEDIT
    if (t->edit) {
        el_set(t->edit, EL_REFRESH);
        return;
    }
#endif
    if (t->person)
        fputs(prompt(t), stdout);
    fflush(stdout);
}

/* Other clients of the session are served while the user is not typing. */
static void input_ready(void *context, int fd, short events)
{
    struct cli_terminal *t = context;
    t->came = true;
    wt_session_end(t->session);
}

static void serve_others(struct cli_terminal *t)
{
    bool printed = false;
    if (t->serve)
        t->session = t->serve(t->context, &printed);
    if (printed)
        show_prompt(t);
}

/* Waits until there is input, or the line is cancelled. */
static void wait_for_input(struct cli_terminal *t)
{
    struct wt_error err;
    t->came = false;
    do {
        serve_others(t);
        struct wt_loop *loop = wt_session_loop(t->session);
        if (!wt_loop_watch(loop, STDIN_FILENO, POLLIN, input_ready, t))
            return;
        if (wt_session_run(t->session, &err))
            t->came = true;
        wt_loop_forget(loop, STDIN_FILENO);
    } while (t->serve && !t->came && !t->clear && !t->cancelled);
}

void cli_terminal_serve(struct cli_terminal *t,
                        struct wt_session *(*serve)(void *context, bool *printed), void *context)
{
    t->serve = serve;
    t->context = context;
    if (!t->person)
        setvbuf(stdin, NULL, _IONBF, 0); /* the session's loop polls the descriptor */
}

void cli_terminal_clear(struct cli_terminal *t)
{
    t->clear = true;
    wt_session_end(t->session);
}

void cli_terminal_cancel(struct cli_terminal *t)
{
    t->cancelled = true;
    wt_session_end(t->session);
}

#ifdef WT_HAVE_LIBEDIT
static char *edit_prompt(EditLine *edit)
{
    struct cli_terminal *t;
    el_get(edit, EL_CLIENTDATA, &t);
    return (char *)(uintptr_t)prompt(t);
}

/* Reads a character of the locale; handles those that discard the line, or end it, if they are
 * enabled. */
static int read_character(EditLine *edit, wchar_t *character)
{
    struct cli_terminal *t;
    mbstate_t state = {0};
    char byte;
    el_get(edit, EL_CLIENTDATA, &t);
    for (;;) {
        if (!t->cancelled && !t->clear)
            wait_for_input(t);
        if (t->cancelled || t->clear) {
            *character = 'C' & 31;
            return 1;
        }
        if (read(STDIN_FILENO, &byte, 1) != 1)
            return 0;
        const size_t length = mbrtowc(character, &byte, 1, &state);
        if (length <= 1)
            return 1;
        if (length == (size_t)-1) { /* no character of the locale */
            *character = (unsigned char)byte;
            return 1;
        }
    }
}

/* Ctrl-C: the line is discarded for a new one, or ends the reading. */
static unsigned char cancel(EditLine *edit, int key)
{
    struct cli_terminal *t;
    el_get(edit, EL_CLIENTDATA, &t);
    if (t->cancelled)
        return CC_NEWLINE;
    const LineInfo *line = el_line(edit);
    t->clear = false;
    el_cursor(edit, (int)(line->lastchar - line->cursor));
    el_deletestr(edit, (int)(line->lastchar - line->buffer));
    fputs("^C\n", stdout);
    fflush(stdout);
    return CC_REDISPLAY;
}

static unsigned char complete(EditLine *edit, int key)
{
    struct cli_terminal *t;
    const LineInfo *info = el_line(edit);
    el_get(edit, EL_CLIENTDATA, &t);
    char *line = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    size_t count;
    char **list = line ? wt_shell_complete(t->console, line, &count) : NULL;
    unsigned char result = CC_ERROR;
    if (list && count) {
        /* The longest common beginning of all completions. */
        size_t common = strlen(list[0]), typed = 0;
        for (size_t i = 1; i < count; i++) {
            size_t same = 0;
            while (same < common && list[i][same] == list[0][same])
                same++;
            common = same;
        }
        const size_t length = strlen(line);
        for (size_t n = common; n > 0 && !typed; n--)
            if (n <= length && strncmp(line + length - n, list[0], n) == 0)
                typed = n;
        if (common > typed || count == 1) {
            char *more = strndup(list[0] + typed, common - typed);
            if (more && *more && el_insertstr(edit, more) == 0)
                result = CC_REFRESH;
            free(more);
            const bool folder = list[0][0] && list[0][strlen(list[0]) - 1] == '/';
            if (count == 1 && !folder && el_insertstr(edit, " ") == 0)
                result = CC_REFRESH;
        } else {
            fputc('\n', stdout);
            const size_t shown = count < MOST_SHOWN ? count : MOST_SHOWN;
            for (size_t i = 0; i < shown; i++)
                printf("%s%s", list[i], i + 1 < shown ? "  " : "\n");
            if (shown < count)
                printf("… and %zu more\n", count - shown);
            fflush(stdout);
            result = CC_REDISPLAY;
        }
    }
    for (size_t i = 0; list && i < count; i++)
        free(list[i]);
    free(list);
    free(line);
    return result;
}
#endif

struct cli_terminal *cli_terminal_open(struct wt_shell *console, char *history_file)
{
    struct cli_terminal *t = calloc(1, sizeof *t);
    if (!t) {
        free(history_file);
        return NULL;
    }
    t->console = console;
    t->history_file = history_file;
    t->person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
#ifdef WT_HAVE_LIBEDIT
    HistEvent event;
    if (t->person && (t->edit = el_init("wavetrap", stdin, stdout, stderr)) != NULL) {
        t->history = history_init();
        el_set(t->edit, EL_CLIENTDATA, t);
        el_set(t->edit, EL_PROMPT, edit_prompt);
        el_set(t->edit, EL_EDITOR, "emacs");
        el_set(t->edit, EL_SIGNAL, 0);
        if (t->history) {
            history(t->history, &event, H_SETSIZE, 1000);
            if (t->history_file)
                history(t->history, &event, H_LOAD, t->history_file);
            el_set(t->edit, EL_HIST, history, t->history);
        }
        el_set(t->edit, EL_ADDFN, "complete", "completes a word", complete);
        el_set(t->edit, EL_BIND, "^I", "complete", NULL);
        el_set(t->edit, EL_GETCFN, read_character);
        el_set(t->edit, EL_ADDFN, "cancel", "forgets the line", cancel);
        el_set(t->edit, EL_BIND, "^C", "cancel", NULL);
        el_set(t->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    }
#endif
    return t;
}

void cli_terminal_close(struct cli_terminal *t)
{
    if (!t)
        return;
#ifdef WT_HAVE_LIBEDIT
    if (t->edit)
        el_end(t->edit);
    HistEvent event;
    if (t->history && t->history_file)
        history(t->history, &event, H_SAVE, t->history_file);
    if (t->history)
        history_end(t->history);
#endif
    free(t->history_file);
    free(t->last);
    free(t->ahead);
    free(t);
}

static enum cli_input read_plain(struct cli_terminal *t, char **line)
{
    size_t room = 0;
    while (t->person || t->serve) {
        if (t->person)
            fputs(prompt(t), stdout);
        fflush(stdout);
        t->clear = false;
        wait_for_input(t);
        if (!t->clear)
            break;
        fputc('\n', stdout); /* the terminal itself shows ^C and discards the line */
    }
    if (t->cancelled)
        return CLI_INPUT_CANCELLED;
    *line = NULL;
    const ssize_t length = getline(line, &room, stdin);
    if (length < 0) {
        free(*line);
        return CLI_INPUT_END;
    }
    if (length && (*line)[length - 1] == '\n')
        (*line)[length - 1] = 0;
    return CLI_INPUT_LINE;
}

#ifdef WT_HAVE_LIBEDIT
static enum cli_input read_edited(struct cli_terminal *t, char **line)
{
    int length;
    HistEvent event;
    const char *text = el_gets(t->edit, &length);
    if (t->cancelled)
        return CLI_INPUT_CANCELLED;
    if (!text || length <= 0) {
        fputc('\n', stdout);
        return CLI_INPUT_END;
    }
    *line = strndup(text, (size_t)length);
    if (!*line)
        return CLI_INPUT_END;
    if ((*line)[length - 1] == '\n')
        (*line)[length - 1] = 0;
    if (**line) {
        if (t->history)
            history(t->history, &event, H_ENTER, text);
        if (t->more)
            return CLI_INPUT_LINE;
        free(t->last);
        t->last = strdup(*line);
    } else if (!t->more && t->last && wt_shell_repeats(t->console, t->last)) {
        free(*line);
        *line = strdup(wt_shell_repeats(t->console, t->last));
        if (!*line)
            return CLI_INPUT_END;
    }
    return CLI_INPUT_LINE;
}
#endif

enum cli_input cli_terminal_read(struct cli_terminal *t, struct wt_session *session,
                                 const char *more, char **line)
{
    t->more = more;
    t->session = session;
    t->cancelled = t->clear = false;
    if (t->ahead) {
        *line = t->ahead;
        t->ahead = NULL;
        printf("%s%s\n", prompt(t), *line);
        fflush(stdout);
        return CLI_INPUT_LINE;
    }
#ifdef WT_HAVE_LIBEDIT
    const enum cli_input input = t->edit ? read_edited(t, line) : read_plain(t, line);
#else
    const enum cli_input input = read_plain(t, line);
#endif
    if (input == CLI_INPUT_CANCELLED)
        fputs("^C\n", stdout);
    fflush(stdout);
    return input;
}

/* Asks a question and reads the line that is typed; false: there is none. */
static bool read_answer(const char *question, bool (*waits)(void *context), void *context,
                        char *answer, size_t size)
{
    fputs(question, stdout);
    fflush(stdout);
    if (waits(context))
        return fgets(answer, (int)size, stdin);
    fputc('\n', stdout); /* behind the terminal's ^C */
    return false;
}

bool cli_terminal_page(struct cli_terminal *t, const char *question, bool (*waits)(void *context),
                       void *context, char *answer, size_t size)
{
    char line[4096];
    if (!read_answer(question, waits, context, line, sizeof line))
        return false;
    line[strcspn(line, "\n")] = 0;
    const char *text = line + strspn(line, " \t");
    if (strlen(text) > 1 || !strchr("qc", *text)) {
        free(t->ahead);
        t->ahead = strdup(text);
        text = "q";
    }
    snprintf(answer, size, "%s", text);
    return true;
}

bool cli_terminal_ask(struct cli_terminal *t, const char *question, bool (*waits)(void *context),
                      void *context)
{
    char answer[80];
    if (!t->person)
        return true;
    for (;;) {
        if (!read_answer(question, waits, context, answer, sizeof answer))
            return feof(stdin);
        if (answer[0] == 'y' || answer[0] == 'Y')
            return true;
        if (answer[0] == 'n' || answer[0] == 'N')
            return false;
        fputs("Please answer y or n.\n", stdout);
    }
}
