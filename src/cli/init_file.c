/* See init_file.h. The list of trusted files is the file `trusted` beside the user's own init file:
 * one absolute path on each line. */
#include "cli/init_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/private_dir.h"

/* The path of a file of the user's configuration: $XDG_CONFIG_HOME/wavetrap/NAME, or
 * ~/.config/wavetrap/NAME. The caller frees it; NULL: neither folder is known. */
static char *user_file(const char *name)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    /* The XDG specification says that relative paths are ignored. */
    if (config && config[0] == '/')
        length = asprintf(&path, "%s/wavetrap/%s", config, name);
    else if (home && *home)
        length = asprintf(&path, "%s/.config/wavetrap/%s", home, name);
    return length < 0 ? NULL : path;
}

/* ---- the list ---- */

static bool is_listed(const char *list, const char *path)
{
    FILE *file = fopen(list, "r");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    if (!file)
        return false;
    for (ssize_t length; !found && (length = getline(&line, &room, file)) >= 0;) {
        if (length && line[length - 1] == '\n')
            line[length - 1] = 0;
        found = strcmp(line, path) == 0;
    }
    free(line);
    fclose(file);
    return found;
}

/* Creates the folder of a file and its parents, accessible to this user alone. */
static enum wt_status make_folder_of(char *path, struct wt_error *err)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return wt_fail(err, WT_IO, "%s: %s", path, strerror(errno));
        *slash = '/';
    }
    return WT_OK;
}

static enum wt_status add_to_list(char *list, const char *path, struct wt_error *err)
{
    enum wt_status status = make_folder_of(list, err);
    if (status)
        return status;
    FILE *file = fopen(list, "a");
    if (!file)
        return wt_fail(err, WT_IO, "%s: %s", list, strerror(errno));
    const bool written = fprintf(file, "%s\n", path) > 0;
    if (fclose(file) != 0 || !written)
        return wt_fail(err, WT_IO, "%s: cannot write", list);
    return WT_OK;
}

char *cli_history_file(void)
{
    char *path = user_file("history");
    const int file =
        path && make_folder_of(path, WT_IGNORED) == WT_OK
            ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)
            : -1;
    if (file >= 0)
        close(file);
    if (file >= 0 && wt_private_file(path, WT_IGNORED) == WT_OK)
        return path;
    free(path);
    return NULL;
}

enum wt_status cli_user_init_file(char **path, struct wt_error *err)
{
    *path = user_file("debugrc");
    if (*path && access(*path, R_OK) != 0) {
        free(*path);
        *path = NULL;
    }
    return *path ? wt_private_file(*path, err) : WT_OK;
}

/* ---- the project's file ---- */

enum wt_status cli_project_init_file(char **path, struct wt_error *err)
{
    char *list = user_file("trusted");
    *path = realpath(CLI_PROJECT_INIT_FILE, NULL);
    enum wt_status status = *path ? wt_private_file(*path, err) : WT_OK;
    if (*path && !status && list && access(list, R_OK) == 0)
        status = wt_private_file(list, err);
    if (*path && !status && !(list && is_listed(list, *path)))
        status = wt_fail(err, WT_INVALID,
                         "%s is not read, since it is not trusted: 'wavetrap debug --trust' there "
                         "reads it now and later",
                         *path);
    free(list);
    return status;
}

enum wt_status cli_trust_project(char **path, struct wt_error *err)
{
    char *list = user_file("trusted");
    enum wt_status status = WT_OK;
    *path = realpath(CLI_PROJECT_INIT_FILE, NULL);
    if (!*path)
        status = wt_fail(err, WT_IO, "%s: %s", CLI_PROJECT_INIT_FILE, strerror(errno));
    else if (!list)
        status = wt_fail(err, WT_INVALID,
                         "neither XDG_CONFIG_HOME nor HOME says where the list of "
                         "trusted files is");
    else if (strchr(*path, '\n'))
        status = wt_fail(err, WT_INVALID, "a path with an end of line in it cannot be listed");
    else if ((status = wt_private_file(*path, err)) == WT_OK && !is_listed(list, *path))
        status = add_to_list(list, *path, err);
    free(list);
    return status;
}
