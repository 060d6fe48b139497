/*
 * Host programs as `exec` starts them: the driver of ours by which they reach a family's GPUs, and
 * what it needs in the environment.
 */
#ifndef WT_TARGET_HOST_PROGRAM_H
#define WT_TARGET_HOST_PROGRAM_H

#include <stdbool.h>

#include "target/host_images.h"

/** A program that is about to be started. */
struct wt_host_program {
    const char *name;             /**< as it was called */
    struct wt_host_images images; /**< code for GPUs in its file */
    bool own_library;             /**< it would find another library before the driver's */
    bool chosen;                  /**< the user has named its GPUs */
    bool logged;                  /**< calls of the driver are to be logged */
    bool checked;                 /**< what it does is checked (--check) */
};

/** The most libraries that stand for one driver. */
enum { WT_HOST_LIBRARIES = 4 };

/** A driver, which programs reach through a library. */
struct wt_host_driver {
    const char *library;
    const char *built_in; /**< its folder in the build tree, from the command's */
    const char *package;  /**< without it the build leaves the library out; "": there is none */
    const char *functions_of[WT_HOST_LIBRARIES]; /**< whose functions `info --support` lists */
    const char *tested;                          /**< what these are tested against */
    const char *gpus;  /**< the environment variable that lists the GPUs */
    const char *name;  /**< name of the GPUs, in the report of --stats */
    const char *waves; /**< the word for waves there */
    bool logs_calls;   /**< it knows --log-calls */
    /** Sets the rest of the environment; @p folder is that of the library. False without host
     * memory. */
    bool (*prepare)(const struct wt_host_program *program, const char *folder);
    /** Whether the program needs the driver if --gpu names no GPU. NULL: every program does. */
    bool (*wanted)(const struct wt_host_program *program);
    /** Sets the environment of a program that does not get the driver. @p folder is one of our
     * libraries. False without host memory. NULL: nothing is to be set. */
    bool (*absent)(const struct wt_host_program *program, const char *folder);
};

/** Appends a name to the list in an environment variable; false without host memory. */
bool wt_host_append(const char *variable, char separator, const char *name);
/** Puts a folder in front of those in which the program finds its libraries; likewise. */
bool wt_host_find_libraries_in(const char *folder);
/** Preloads what stands before functions of runtimes in a program that is checked; likewise. LLVM's
 * runtime of OpenMP is not to give out memory again that the program has freed. */
bool wt_host_preload_calls(const char *folder, const char *name);
/** Adds a file of our folder to LD_PRELOAD; likewise. */
bool wt_host_preload(const char *folder, const char *name);
/** Sets a variable, or removes it if @p value is NULL; likewise. */
bool wt_host_set_or_unset(const char *variable, const char *value);

#endif
