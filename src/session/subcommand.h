/* A subcommand's description, and the parser of command lines. */
#ifndef WT_SESSION_SUBCOMMAND_H
#define WT_SESSION_SUBCOMMAND_H

#include <getopt.h> /* optind */

#include "base/option.h"
#include "report/status.h"

struct wt_session_options;

/** One subcommand. */
struct wt_subcommand {
    const char *name;
    const char *operands; /**< as in the usage line: "PROGRAM" */
    const char *summary;  /**< one sentence */
    const struct wt_option *options;
    bool device;       /**< takes the device options of options.h, too */
    bool debugger;     /**< and the debugger options */
    bool many_gpus;    /**< each --gpu is a GPU of its own */
    bool program;      /**< what follows the first operand is not ours: a program's own options */
    const char *notes; /**< more text for its help, or NULL */
    int (*run)(int argc, char **argv); /**< argv[0] is the subcommand; returns the exit status */
};

/** Returned by wt_subcommand_parse() if the command is to run. */
#define WT_SUBCOMMAND_GO (-1)

/**
 * Parses the options of @p command: its own rows get @p own as context, device options go to
 * *options (which is given its defaults first; NULL if the command takes none). Exactly
 * @p operands operands must remain, or at least that many if @p more. Returns WT_SUBCOMMAND_GO,
 * operands then begin at argv[optind]; or the exit status: 0 after --help, WT_EXIT_FAILED after a
 * message on stderr.
 */
int wt_subcommand_parse(const struct wt_subcommand *command, int argc, char **argv, void *own,
                        struct wt_session_options *options, int operands, bool more);

/** Likewise, for a caller who tells the message himself: *err has it after WT_EXIT_FAILED. */
int wt_subcommand_parse_words(const struct wt_subcommand *command, int argc, char **argv, void *own,
                              struct wt_session_options *options, int operands, bool more,
                              struct wt_error *err);

/** Gives each option of @p command to @p see: its own, those of devices and debuggers, --help. */
void wt_subcommand_each_option(const struct wt_subcommand *command,
                               void (*see)(void *context, const struct wt_option *option),
                               void *context);

/** Prints "wavetrap NAME: MESSAGE" to stderr and returns WT_EXIT_FAILED. */
int wt_subcommand_fail(const struct wt_subcommand *command, const struct wt_error *err);

/** Prints that @p operand is missing, and where help is, to stderr and returns WT_EXIT_FAILED. */
int wt_subcommand_operand_missing(const struct wt_subcommand *command, const char *operand);

#endif
