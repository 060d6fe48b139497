/* Calls of a host program by the addresses of a process that may be gone: its ELF files are read,
 * by the lines of its /proc/PID/maps. */
#ifndef WT_CLI_HOST_CALLS_H
#define WT_CLI_HOST_CALLS_H

#include "check/objects.h"

/** A place in source code. The texts are of the heap; "": not known. */
struct cli_call {
    char *function, *file;
    unsigned line; /**< 0: not known */
    bool own;      /**< it is the program's, not a library's without debug information */
};

/** {0}: none. */
struct cli_calls {
    struct cli_call *list;
    size_t count, capacity;
};

/** Adds a call; NULL texts: not known. Without host memory it is left out. */
void cli_calls_add(struct cli_calls *calls, const char *function, const char *file, unsigned line,
                   bool own);
/** The first one of the program's own; NULL: there is none. */
const struct cli_call *cli_calls_own(const struct cli_calls *calls);
/** Frees them. */
void cli_calls_free(struct cli_calls *calls);

/** ELF files that were read. {0}: none. */
struct cli_host_files {
    struct cli_host_file *list;
    size_t count, capacity;
};

/**
 * Adds the calls of a stack, the innermost first and up to main(), with those that were inlined;
 * those of wavetrap's own libraries are left out.
 */
void cli_host_calls(struct cli_host_files *files, const char *maps,
                    const struct wt_call_stack *stack, struct cli_calls *calls);
/** Frees them. */
void cli_host_files_free(struct cli_host_files *files);

#endif
