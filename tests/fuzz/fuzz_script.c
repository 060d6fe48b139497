/*
 * Fuzz target: scripts of the console, on a small C++ program of four threads that ends by itself
 * (PROGRAM, also a seed of the target dwarf). Each line succeeds or fails with a sentence; the
 * console stays usable.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/console/console.h"
#include "target/emulated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_LINES 40
#define MOST_LENGTH 200

static void put(void *context, const char *text, size_t length)
{
    (void)context;
    for (size_t i = 0; i < length; i++)
        if (!text[i])
            abort();
}

static void put_agent(void *context, const char *text, size_t length)
{
    put(context, text, length);
}

static ssize_t put_program(void *context, const char *text, size_t length)
{
    put(context, text, length);
    return (ssize_t)length;
}

/* What writes or reads files, or takes long because a large number says so. */
static bool is_left_out(const char *line)
{
    static const char *const commands[] = {"sa", "so", "ge", "gc", "set lo"};
    unsigned digits = 0;
    while (isspace((unsigned char)*line))
        line++;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strncmp(line, commands[i], strlen(commands[i])) == 0)
            return true;
    for (; *line; line++) {
        digits = isalnum((unsigned char)*line) ? digits + 1 : 0;
        if (digits > 3 && isdigit((unsigned char)*line))
            return true;
    }
    return false;
}

/* Lines of a script. Those behind `commands` are left out, since a breakpoint whose commands let
 * the program go on, or start it again, may never come to an end. */
struct script {
    char *next;
    unsigned count;
};

static bool take_line(struct script *s, char **line)
{
    if (!s->next || s->count++ == MOST_LINES)
        return false;
    *line = strsep(&s->next, "\n");
    if (strlen(*line) > MOST_LENGTH)
        (*line)[MOST_LENGTH] = 0;
    return true;
}

static void execute(struct wt_shell *shell, char *text)
{
    struct script s = {.next = text};
    char *line;
    bool in_commands = false;
    int status;
    while (!wt_shell_has_quit(shell, &status) && take_line(&s, &line)) {
        struct wt_error err = {0};
        size_t count;
        if (is_left_out(line))
            continue;
        in_commands =
            strncmp(line, "commands", 8) == 0 || (in_commands && strcmp(line, "end") != 0);
        char **list = wt_shell_complete(shell, line, &count);
        for (size_t i = 0; i < count; i++)
            free(list[i]);
        free(list);
        if (in_commands)
            continue;
        if (wt_shell_execute(shell, line, &err) != WT_OK && !err.text[0])
            abort();
        wt_shell_repeats(shell, line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct wt_emulated_options options = {.history_memory = (uint64_t)16 << 20,
                                                 .memory = (uint64_t)16 << 20};
    struct wt_emulated e;
    struct wt_error err = {0};
    if (!options.gpu.family && wt_gpu_choose(&options.gpu, "vortex:warps=2,threads=4", &err))
        abort();
    char *text = malloc(size + 1);
    if (!text || wt_emulated_open(&e, &options, PROGRAM, &err) != WT_OK)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    for (size_t i = 0; i < size; i++)
        if (!text[i])
            text[i] = ' ';
    FILE *console = fopencookie(NULL, "w", (cookie_io_functions_t){.write = put_program});
    e.console = console;
    if (!console || wt_emulated_debug(&e, put_agent, NULL, &err) != WT_OK)
        abort();
    struct wt_session *session = wt_session_new(e.debugger);
    const struct wt_shell_options shell_options = {
        .session = session, .modules = e.modules, .program = "program", .output = put};
    struct wt_shell *shell = session ? wt_shell_new(&shell_options) : NULL;
    if (!shell)
        abort();
    execute(shell, text);
    wt_shell_free(shell);
    wt_session_free(session);
    wt_debugger_close(e.debugger);
    wt_emulated_close(&e);
    fclose(console);
    free(text);
    return 0;
}
