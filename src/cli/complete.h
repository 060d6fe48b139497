/* Completion for shells. */
#ifndef WT_CLI_COMPLETE_H
#define WT_CLI_COMPLETE_H

#include "cli/cli.h"

/**
 * Prints what the last of @p count words after "wavetrap" may become, a line each: the whole word,
 * a tab, a text. @p commands ends with NULL. Returns the exit status, 0.
 */
int cli_complete(const struct wt_subcommand *const *commands, int count, char **words);

#endif
