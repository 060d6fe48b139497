/* Declares the subcommands of `wavetrap`, and the functions that several of them call. */
#ifndef WT_CLI_CLI_H
#define WT_CLI_CLI_H

#include <stdio.h>

#include "session/subcommand.h"

extern const struct wt_subcommand cli_run, cli_gdb, cli_serve, cli_attach, cli_trace, cli_info,
    cli_dm, cli_reg, cli_exec, cli_explain, cli_asm, cli_explain_trap, cli_dm_check, cli_gtt,
    cli_gem, cli_ps, cli_cuda_path, cli_hip_path, cli_doctor, cli_slice;

extern const struct wt_subcommand cli_debug, cli_dap, cli_view, cli_mcp, cli_explore, cli_diff,
    cli_examples;

/**
 * The words of a command that writes @p page, "FILE" or "FILE:N", about finding N (1) of a run like
 * that of @p argv, whose operands begin at @p operand: with those of its options that `view` has,
 * too. The caller frees the list and its words 2 and 3; NULL without host memory.
 */
char **cli_view_page_words(const char *page, const struct wt_subcommand *command, int argc,
                           char **argv, int operand);

/** A command line in two parts of text, between which commands of the console have their place,
 * each by "-ex". NULL without host memory. */
struct cli_again {
    char *before, *after;
};
/** A `wavetrap debug` of such a run. The caller frees both parts. */
struct cli_again cli_debug_again(const struct wt_subcommand *command, int argc, char **argv,
                                 int operand);
/** Prints a blank and a word of a command line, quoted for a shell where it must be. */
void cli_print_word(FILE *out, const char *word);

/** The file that adds our commands to GDB; false if it is not where it belongs. */
bool cli_gdb_extension(char *path, size_t size);

/** The folder that stands in for NVIDIA's tools; false: this build left it out. */
bool cli_cuda_folder(char *folder, size_t size);
/** Prints the name of the newest clang whose files (wt_llvm_newest()) are there; the exit status.
 */
int cli_print_clang(const struct wt_subcommand *command, const char *files);

/**
 * Says on stderr what to type into GDB: a line that loads our commands, one that connects; and into
 * LLDB. @p restarts: the program can be started afresh.
 */
void cli_say_how_to_connect(const char *address, bool restarts);

#endif
