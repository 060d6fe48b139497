/* The init files of `wavetrap debug`: the user's own, and that of the working folder if it is
 * trusted. */
#ifndef WT_CLI_INIT_FILE_H
#define WT_CLI_INIT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** A project's file, below the working folder. */
#define CLI_PROJECT_INIT_FILE ".wavetrap/debugrc"

/**
 * Finds the user's own init file; *path is as of cli_project_init_file(). WT_INVALID: somebody else
 * could have written it.
 */
enum wt_status cli_user_init_file(char **path, struct wt_error *err);

/**
 * Finds the working folder's init file. *path is its absolute path, without links; the caller
 * frees it. NULL: there is none. WT_INVALID: it is there and not to be read, and *err says why and
 * what to do about it: it is not in the user's list of trusted files, or somebody else could have
 * written it.
 */
enum wt_status cli_project_init_file(char **path, struct wt_error *err);

/**
 * The file in which the lines that a person types are kept between sessions: there, and the user's
 * alone. The caller frees it; NULL: there can be none.
 */
char *cli_history_file(void);

/** Adds the working folder's init file to the user's list of trusted files. *path likewise. */
enum wt_status cli_trust_project(char **path, struct wt_error *err);

#endif
