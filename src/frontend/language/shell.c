/* See language.h: commands of the system's shell, and pipes from the console's commands to them. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "frontend/language/internal.h"

extern char **environ;

/* Starts `sh -c COMMAND` with the signals of a program of its own. input: -1: as ours. */
static int start_shell(const char *command, int input, int output, pid_t *child)
{
    const char *const words[] = {"sh", "-c", command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int failed = posix_spawn(child, "/bin/sh", &files, &attributes,
                                   (char *const *)(uintptr_t)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

/* Prints what the command prints. input: -1: as ours. */
static enum wt_status run_shell(struct wt_language *l, const char *command, int input,
                                struct wt_error *err)
{
    int output[2], state = 0;
    char text[4096];
    pid_t child;
    FILE *out = *l->options.out;
    if (l->options.no_shell)
        return wt_fail(err, WT_UNSUPPORTED, "this console runs no programs");
    fflush(out);
    if (pipe2(output, O_CLOEXEC) != 0)
        return wt_fail(err, WT_IO, "a pipe to the shell: %s", strerror(errno));
    const int failed = start_shell(command, input, output[1], &child);
    close(output[1]);
    for (ssize_t length; !failed && (length = read(output[0], text, sizeof text)) != 0;) {
        if (length > 0)
            fwrite(text, 1, (size_t)length, out);
        else if (errno != EINTR)
            break;
        fflush(out);
    }
    close(output[0]);
    if (failed)
        return wt_fail(err, WT_IO, "/bin/sh: %s", strerror(failed));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(state))
        return wt_fail(err, WT_STATE, "the command was ended by signal %d", WTERMSIG(state));
    if (WEXITSTATUS(state))
        fprintf(out, "Command exited with status %d.\n", WEXITSTATUS(state));
    return WT_OK;
}

enum wt_status do_shell(struct wt_shell *c, const char *text, struct wt_error *err)
{
    if (!*text)
        return wt_fail(err, WT_INVALID, "shell takes a command of the system's shell");
    return run_shell(wt_shell_language(c), text, -1, err);
}

enum wt_status do_pipe(struct wt_shell *c, const char *text, struct wt_error *err)
{
    struct wt_language *l = wt_shell_language(c);
    const char *bar = strchr(text, '|');
    const char *command = bar ? wt_skip_blanks(bar + 1) : "";
    if (!*command || bar == text)
        return wt_fail(err, WT_INVALID, "pipe takes COMMAND | COMMAND OF THE SHELL");
    char *line = strndup(text, (size_t)(bar - text));
    FILE *said = line ? tmpfile() : NULL, *out = *l->options.out;
    if (!said) {
        free(line);
        return wt_fail(err, WT_IO, "a temporary file: %s", strerror(errno));
    }
    fflush(out);
    *l->options.out = said;
    enum wt_status status = wt_language_execute(l, line, err);
    *l->options.out = out;
    free(line);
    if (!status && (fflush(said) != 0 || lseek(fileno(said), 0, SEEK_SET) != 0))
        status = wt_fail(err, WT_IO, "a temporary file: %s", strerror(errno));
    if (!status)
        status = run_shell(l, command, fileno(said), err);
    fclose(said);
    return status;
}

enum wt_status do_cd(struct wt_shell *c, const char *text, struct wt_error *err)
{
    const char *home = getenv("HOME");
    const char *to = *text && strcmp(text, "~") != 0 ? text : home ? home : "/";
    if (chdir(to) != 0)
        return wt_fail(err, WT_IO, "%s: %s", to, strerror(errno));
    return do_pwd(c, "", err);
}

enum wt_status do_pwd(struct wt_shell *c, const char *text, struct wt_error *err)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return wt_fail(err, WT_IO, "the working folder: %s", strerror(errno));
    fprintf(*wt_shell_language(c)->options.out, "Working directory %s.\n", folder);
    free(folder);
    return WT_OK;
}
