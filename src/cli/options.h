/* Command lines: the options that all subcommands with a device share, and the parser. */
#ifndef WT_CLI_OPTIONS_H
#define WT_CLI_OPTIONS_H

#include <getopt.h> /* optind */
#include <stddef.h>

#include "cli/cli.h"
#include "debug/core/debugger.h"
#include "emulator/gcn/gcn.h"
#include "emulator/vortex/vortex.h"

/** "FILE@PLACE": a file, and where its bytes go. PLACE is an address or a symbol. */
struct cli_load {
    const char *path;
    size_t path_length; /**< of the part before the '@' */
    const char *place;
};

/** The device options: which GPU, what is in its memory, how a debugger reaches it. */
struct cli_options {
    struct vx_config config;
    struct gcn_config gcn; /**< of a gfx900 */
    bool gpu_is_gcn;       /**< --gpu=gfx900 was given */
    bool gpu_help;         /**< --gpu=help was given */
    const char **argument; /**< each --arg as it was given: those of a kernel */
    size_t arguments;
    uint64_t base; /**< where a raw binary goes, when base_given */
    bool base_given;
    struct cli_load *load;
    size_t loads;
    bool slots;                  /**< console lines begin with "#slot: " */
    bool dm_only;                /**< debuggers: no memory port */
    enum wt_thread_mode threads; /**< debuggers: --gdb-threads */
    uint64_t history_memory;     /**< debuggers: bytes for what time travel keeps; 0: no history */
};

/** What the caller of cli_parse is to do. */
enum cli_parsed {
    CLI_GO,   /**< run; operands begin at argv[optind] */
    CLI_DONE, /**< help was asked for and printed: exit with 0 */
    CLI_BAD,  /**< a message was printed: exit with CLI_FAILED */
};

/**
 * Parses the options of @p command: its own rows get @p own as context, device options go to
 * *options (which is given its defaults first; NULL if the command takes none). Exactly
 * @p operands operands must remain, or at least that many if @p more.
 */
enum cli_parsed cli_parse(const struct cli_command *command, int argc, char **argv, void *own,
                          struct cli_options *options, int operands, bool more);

/** Handles --gpu: @p context is the struct cli_options. */
enum wt_status cli_set_gpu(void *context, const char *value, struct wt_error *err);

/** Whether the --arg options are what a Vortex takes: numbers. */
enum wt_status cli_check_arguments(const struct cli_options *options, struct wt_error *err);

/** Frees what cli_parse allocated. */
void cli_options_free(struct cli_options *options);

/** Prints the help of a command. */
void cli_help(const struct cli_command *command, FILE *out);

/** Parses an unsigned number, decimal, 0x or 0 octal; nothing may follow it. */
enum wt_status cli_number(const char *text, uint64_t *value, struct wt_error *err);

/** Parses a time limit: 1 to 3,600,000 milliseconds. */
enum wt_status cli_milliseconds(const char *text, unsigned *ms, struct wt_error *err);

/** Splits "FILE@PLACE" at the last '@'. */
enum wt_status cli_split_place(const char *text, struct cli_load *load, struct wt_error *err);

#endif
