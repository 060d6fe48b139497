/* Running host programs on emulated GPUs, for `exec` and `explain-address`. */
#ifndef WT_CLI_EXEC_H
#define WT_CLI_EXEC_H

#include "cli/cli.h"
#include "cli/supervise.h"
#include "target/family.h"

/** The GPUs and options that a host program finds. */
struct cli_exec_options {
    const char *gpus;    /**< "gcn:KEY=VALUE,…" for each, with blanks between; NULL: one of each
                            family */
    uint64_t memory;     /**< bytes of each GPU; 0: the library's default */
    const char *explain; /**< for the library's WAVETRAP_EXPLAIN, or NULL */
    const char *code_cache; /**< "on", "off", "clear", or NULL: as the environment says */
    const char *progress;   /**< "auto", "always", or NULL: no progress is shown */
    const char *schedule;   /**< --schedule, or NULL */
    const char *fill;       /**< --fill, or NULL */
    bool no_jit;            /**< --no-jit */
    const char *gem;        /**< file of --gem, whole, or NULL */
    const char *core;       /**< file of --core-on-fault, whole, or NULL */
    uint64_t core_history;  /**< issues of --core-history; 0: none */
    const char *socket;     /**< --socket: where a debugger may come, or NULL */
    const char *token;      /**< the token's file, whole, with a socket */
    const char *log;        /**< file of --log-calls, whole; "": stderr; NULL: no log */
    const char *gdb;        /**< --gdb: where GDB may connect, or NULL */
    bool any_client;        /**< who may: clients of any user and machine */
    struct cli_supervision *supervision; /**< NULL: none */
    uint32_t caught; /**< exceptions that end the program, in the order of MODE.EXCP_EN */
};

/**
 * Programs that this process becomes or starts have memory at the same addresses in each run. Where
 * the system refuses that, as in some containers, stderr says so, and the consequence.
 */
void cli_keep_addresses(const struct wt_subcommand *command, const char *consequence);

/**
 * Becomes the program argv[0] with these arguments (NULL ends them), which will find emulated GPUs,
 * or starts it as a child, if it is to be supervised. Returns the exit status: of a failure, or of
 * that child.
 */
int cli_exec_program(const struct wt_subcommand *command, const struct cli_exec_options *options,
                     char **argv);

#endif
