/* The variables of wavetrap's libraries in host programs. `exec` checks what it sets; users may set
 * them by hand. A value without sense is reported once in a process, however often a runtime tries.
 */
#ifndef WT_RUNTIME_COMMON_ENVIRONMENT_H
#define WT_RUNTIME_COMMON_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

/** Prints "wavetrap: TEXT" on stderr, unless this process has printed the same text here before. */
void wt_say_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * Names once the variables of the environment with names of wavetrap's that do nothing: there is no
 * such variable, or, for exec (@p by_exec), an option sets it or removes it. exec marks the
 * environment, so that neither libraries nor another exec say it again.
 */
void wt_environment_check(bool by_exec);

/** The number that a variable has, at most @p most; 0 where it is not set. What is no such number
 * is named once, and 0. */
uint64_t wt_environment_number(const char *variable, uint64_t most);

#endif
