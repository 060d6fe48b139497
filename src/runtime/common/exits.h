/*
 * Stands before _exit() and _Exit() in a library that is preloaded, or that programs link with:
 * where `wavetrap explore` wants a program's results, they are counted before the process ends.
 * Included by one file of such a library, which defines exits_count(): it counts them.
 */
#ifndef WT_RUNTIME_COMMON_EXITS_H
#define WT_RUNTIME_COMMON_EXITS_H

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/common/results.h"

/** Of the including file: counts the results. */
static void exits_count(void);
/* The process that has loaded the library: a child of vfork() has its memory. */
static pid_t exits_of;

/** Notes the process. */
static __attribute__((constructor)) void exits_begin(void)
{
    exits_of = getpid();
}

/** Ends the process with @p status, the results being counted where they are wanted. */
static _Noreturn void exits_now(int status)
{
    const char *path = getenv(WT_RESULTS_VARIABLE);
    if (path && *path && getpid() == exits_of)
        exits_count();
    for (;;)
        syscall(SYS_exit_group, status);
}

/** Ends the process at once, with @p status, when the results have been counted. */
_Noreturn __attribute__((visibility("default"))) void _exit(int status)
{
    exits_now(status);
}

/** Likewise. */
_Noreturn __attribute__((visibility("default"))) void _Exit(int status)
{
    exits_now(status);
}

#endif
