/* Running host programs on emulated GPUs, for `exec` and `explain-address`. */
#ifndef WT_CLI_EXEC_H
#define WT_CLI_EXEC_H

#include "cli/cli.h"

/**
 * Becomes the program argv[0] with these arguments (NULL ends them), which will find emulated GPUs
 * as @p gpus says: "gfx900:KEY=VALUE,…" for each, with blanks between; NULL: one. Each has @p
 * memory bytes (0: the library's default). @p explain is for the library's WAVETRAP_EXPLAIN, or
 * NULL. Returns only if that fails: the exit status.
 */
int cli_exec_program(const struct cli_command *command, const char *gpus, uint64_t memory,
                     const char *explain, char **argv);

#endif
