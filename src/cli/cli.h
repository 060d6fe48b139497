/* Shared by the subcommands of `wavetrap`: their descriptions and the exit statuses. */
#ifndef WT_CLI_CLI_H
#define WT_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "wavetrap/error.h"

/**
 * Exit statuses of `wavetrap run` and `wavetrap trace` beside the program's own exit word; the
 * other subcommands use 0 and CLI_FAILED.
 */
enum cli_status {
    CLI_ILLEGAL = 116,     /**< an instruction that the GPU does not have */
    CLI_DIVERGENCE = 117,  /**< lanes disagree on a branch without SPLIT */
    CLI_STACK = 118,       /**< a stack overflows, or IPDOM's underflows */
    CLI_MISALIGNED = 119,  /**< a misaligned access or jump */
    CLI_ACCESS = 120,      /**< memory used as it must not be */
    CLI_DEADLOCK = 121,    /**< every active warp waits for another one */
    CLI_OTHER_FAULT = 122, /**< any other mistake of the program */
    CLI_EXCEPTION = 123,   /**< an exception that the program enabled, and no trap handler */
    CLI_OVER = 114,        /**< a count is over its --profile-limit */
    CLI_LIMIT = 124,       /**< --max-issues was reached */
    CLI_FAILED = 125,      /**< wavetrap itself: bad option, unreadable file, no host memory */
    CLI_SIGNAL = 128,      /**< plus the signal that stopped it: 130 for Ctrl-C */
};

/** Where an option's value goes. */
struct cli_field {
    enum { CLI_NOWHERE, CLI_IS_TEXT, CLI_IS_FLAG, CLI_IS_NUMBER } kind;
    size_t offset; /**< in the context */
};

/** A member of @p type, and that it has the type @p is. */
#define CLI_FIELD(kind, type, is, member)                                                          \
    NULL,                                                                                          \
    {                                                                                              \
        kind, offsetof(type, member) + 0 * sizeof(char[_Generic(((type *)0)->member, is : 1)])     \
    }
/** Ends a row: a function takes the option. */
#define CLI_SET(function)                                                                          \
    function,                                                                                      \
    {                                                                                              \
        0                                                                                          \
    }
/** Ends a row: the option's argument, a number or nothing (true) goes into a member. */
#define CLI_TEXT(type, member) CLI_FIELD(CLI_IS_TEXT, type, const char *, member)
#define CLI_NUMBER(type, member) CLI_FIELD(CLI_IS_NUMBER, type, uint64_t, member)
#define CLI_FLAG(type, member) CLI_FIELD(CLI_IS_FLAG, type, bool, member)

/** One option of a subcommand. A table of them ends with a row whose name is NULL. */
struct cli_option {
    const char *name;     /**< long name, without dashes */
    char letter;          /**< short name, or 0 */
    const char *argument; /**< what stands for its argument in the help; NULL: it takes none */
    const char *help;     /**< what it does; lines after the first begin after a '\n' */
    /** Takes the option; @p value is NULL if it has no argument. */
    enum wt_status (*set)(void *context, const char *value, struct wt_error *err);
    struct cli_field field; /**< without @p set: where it goes */
};

/** One subcommand. */
struct cli_command {
    const char *name;
    const char *operands; /**< as in the usage line: "PROGRAM" */
    const char *summary;  /**< one sentence */
    const struct cli_option *options;
    bool device;       /**< takes the device options of options.h, too */
    bool debugger;     /**< and the debugger options */
    bool many_gpus;    /**< each --gpu is a GPU of its own */
    bool program;      /**< what follows the first operand is not ours: a program's own options */
    const char *notes; /**< more text for its help, or NULL */
    int (*run)(int argc, char **argv); /**< argv[0] is the subcommand; returns the exit status */
};

extern const struct cli_command cli_run, cli_gdb, cli_serve, cli_attach, cli_trace, cli_info,
    cli_dm, cli_reg, cli_exec, cli_explain, cli_asm, cli_explain_trap, cli_dm_check, cli_gtt,
    cli_gem, cli_ps, cli_cuda_path, cli_hip_path, cli_doctor, cli_slice;

extern const struct cli_command cli_debug, cli_dap, cli_view, cli_explore, cli_diff;

/** The file that adds our commands to GDB; false if it is not where it belongs. */
bool cli_gdb_extension(char *path, size_t size);

/** The folder that stands in for NVIDIA's tools; false: this build left it out. */
bool cli_cuda_folder(char *folder, size_t size);
/** Prints the name of the newest clang whose files (wt_llvm_newest()) are there; the exit status.
 */
int cli_print_clang(const struct cli_command *command, const char *files);

/**
 * Says on stderr what to type into GDB: a line that loads our commands, one that connects; and into
 * LLDB. @p restarts: the program can be started afresh.
 */
void cli_say_how_to_connect(const char *address, bool restarts);

/** Prints "wavetrap NAME: MESSAGE" to stderr and returns CLI_FAILED. */
int cli_fail(const struct cli_command *command, const struct wt_error *err);

/** Prints that @p operand is missing, and where help is, to stderr and returns CLI_FAILED. */
int cli_operand_missing(const struct cli_command *command, const char *operand);

#endif
