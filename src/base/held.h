/* The environment variable that holds the kernels of a host program until a debugger comes. */
#ifndef WT_BASE_HELD_H
#define WT_BASE_HELD_H

#include <stdbool.h>
#include <sys/types.h>

#define WT_HELD_VARIABLE "WAVETRAP_HELD"
/** Says that the variable has no sense; its value is the argument. */
#define WT_HELD_NONSENSE                                                                           \
    WT_HELD_VARIABLE                                                                               \
    "=%.80s is not PROCESS or PROCESS:DEBUGGER, two process ids (1: "                              \
    "any process): kernels are not held"

/**
 * PROCESS[:DEBUGGER]: *process becomes the id of the program, or 1: any; *debugger that of the
 * process for which kernels wait, or 0: any debugger. False if @p text is something else.
 */
bool wt_held_parse(const char *text, pid_t *process, pid_t *debugger);

#endif
