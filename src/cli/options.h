/* Command lines: the options that all subcommands with a device share, and the parser. */
#ifndef WT_CLI_OPTIONS_H
#define WT_CLI_OPTIONS_H

#include <getopt.h> /* optind */
#include <stddef.h>

#include "bus/open.h"
#include "cli/cli.h"
#include "emulator/machine/config.h"
#include "target/emulated.h"

/** A device elsewhere. */
struct cli_connect {
    const char *address; /**< NULL: the device is here */
    struct wt_bus_open_options how;
    /* Of a debugger: see attached.h. */
    const char *dm, *jtag; /**< the address, in one of two ways */
    uint64_t exit_addr;    /**< where the program leaves its exit word, when exit_given */
    bool exit_given;
    bool reset, lift;
};

/** The device options: which GPU, what is in its memory, how a debugger reaches it. */
struct cli_options {
    struct wt_emulated_options device;
    struct cli_connect connect;  /**< a device elsewhere, of commands that take one */
    struct wt_schedule schedule; /**< of --schedule */
    const char *schedule_text;   /**< as it was given, or NULL */
    struct wt_fill fill;         /**< of --fill */
    const char *fill_text;       /**< as it was given, or NULL */
    bool gpu_help;               /**< --gpu=help was given */
    size_t argument_capacity, load_capacity;
    bool many_gpus;   /**< cli_command.many_gpus */
    const char **gpu; /**< each --gpu as it was given; `device` has the first one */
    size_t gpu_count, gpu_capacity;
};

/** Returned by cli_parse() if the command is to run. */
#define CLI_GO (-1)

/**
 * Parses the options of @p command: its own rows get @p own as context, device options go to
 * *options (which is given its defaults first; NULL if the command takes none). Exactly
 * @p operands operands must remain, or at least that many if @p more. Returns CLI_GO, operands then
 * begin at argv[optind]; or the exit status: 0 after --help, CLI_FAILED after a message on stderr.
 */
int cli_parse(const struct cli_command *command, int argc, char **argv, void *own,
              struct cli_options *options, int operands, bool more);

/** The same, for a caller who tells the message himself: *err has it after CLI_FAILED. */
int cli_parse_words(const struct cli_command *command, int argc, char **argv, void *own,
                    struct cli_options *options, int operands, bool more, struct wt_error *err);

/** wt_emulated_open as the options say; what the user should know is printed. */
enum wt_status cli_open(struct wt_emulated *device, const struct cli_options *options,
                        const char *program, struct wt_error *err);

/** Frees what cli_parse allocated. */
void cli_options_free(struct cli_options *options);

/** Parses a time limit: 1 to 3,600,000 milliseconds. */
enum wt_status cli_milliseconds(const char *text, unsigned *ms, struct wt_error *err);

/** Parses how much of a recorded run is wanted: 1 or more issues, or "all" (UINT64_MAX). */
enum wt_status cli_issues(const char *text, uint64_t *issues, struct wt_error *err);

/**
 * Parses an amount of memory: a number of bytes, 1 or more, with K, M or G behind it. @p hint ends
 * the message if it is none.
 */
enum wt_status cli_bytes(const char *text, const char *hint, uint64_t *bytes, struct wt_error *err);

/** Splits "FILE@PLACE" at the last '@'. */
enum wt_status cli_split_place(const char *text, struct wt_load_file *load, struct wt_error *err);

#endif
