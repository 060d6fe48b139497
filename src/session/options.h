/* Command lines: the options that all subcommands with a device share, and the parser. */
#ifndef WT_SESSION_OPTIONS_H
#define WT_SESSION_OPTIONS_H

#include <getopt.h> /* optind */
#include <stddef.h>

#include "base/option.h"
#include "bus/open.h"
#include "emulator/machine/config.h"
#include "report/status.h"
#include "target/emulated.h"

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

/** A device elsewhere. */
struct wt_session_connect {
    const char *address; /**< NULL: the device is here */
    struct wt_bus_open_options how;
    /* Of a debugger: see attached.h. */
    const char *dm, *jtag; /**< the address, in one of two ways */
    uint64_t exit_addr;    /**< where the program leaves its exit word, when exit_given */
    bool exit_given;
    bool reset, lift;
};

/** The device options: which GPU, what is in its memory, how a debugger reaches it. */
struct wt_session_options {
    struct wt_emulated_options device;
    struct wt_session_connect connect; /**< a device elsewhere, of commands that take one */
    struct wt_schedule schedule;       /**< of --schedule */
    const char *schedule_text;         /**< as it was given, or NULL */
    struct wt_fill fill;               /**< of --fill */
    const char *fill_text;             /**< as it was given, or NULL */
    bool gpu_help;                     /**< --gpu=help was given */
    size_t argument_capacity, load_capacity;
    bool many_gpus;   /**< wt_subcommand.many_gpus */
    const char **gpu; /**< each --gpu as it was given; `device` has the first one */
    size_t gpu_count, gpu_capacity;
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

/** The same, for a caller who tells the message himself: *err has it after WT_EXIT_FAILED. */
int wt_subcommand_parse_words(const struct wt_subcommand *command, int argc, char **argv, void *own,
                              struct wt_session_options *options, int operands, bool more,
                              struct wt_error *err);

/** Prints "wavetrap NAME: MESSAGE" to stderr and returns WT_EXIT_FAILED. */
int wt_subcommand_fail(const struct wt_subcommand *command, const struct wt_error *err);

/** Prints that @p operand is missing, and where help is, to stderr and returns WT_EXIT_FAILED. */
int wt_subcommand_operand_missing(const struct wt_subcommand *command, const char *operand);

/** wt_emulated_open as the options say; what the user should know is printed. */
enum wt_status wt_session_open_device(struct wt_emulated *device,
                                      const struct wt_session_options *options, const char *program,
                                      struct wt_error *err);

/** Frees what wt_subcommand_parse allocated. */
void wt_session_options_free(struct wt_session_options *options);

/** Parses a time limit: 1 to 3,600,000 milliseconds. */
enum wt_status wt_session_milliseconds(const char *text, unsigned *ms, struct wt_error *err);

/** Parses how much of a recorded run is wanted: 1 or more issues, or "all" (UINT64_MAX). */
enum wt_status wt_session_issues(const char *text, uint64_t *issues, struct wt_error *err);

#endif
