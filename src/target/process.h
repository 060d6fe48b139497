/*
 * A host program that uses an emulated GPU, in its own process, as the target of a debugger. The
 * program goes on when the debugger goes.
 */
#ifndef WT_TARGET_PROCESS_H
#define WT_TARGET_PROCESS_H

#include "debug/core/debugger.h"
#include "debug/gcn/process.h"
#include "debug/source/modules.h"

struct wt_process {
    struct wt_gcn_process *connection;
    struct wt_modules *modules;         /**< the code objects that its runtime has loaded */
    struct wt_target_services services; /**< none */
    struct wt_target target;
    struct wt_debugger *debugger;
};

/**
 * Connects to GPU @p gpu of process @p pid and opens a debugger; the program keeps running. On
 * failure nothing is left to close. *process stays where it is in memory.
 */
enum wt_status wt_process_open(struct wt_process *process, int pid, uint32_t gpu,
                               const struct wt_debugger_options *options, struct wt_error *err);

/** Brings the list of modules up to date: to be called at stops. Code objects whose bytes cannot be
 * read are left out. */
enum wt_status wt_process_refresh(struct wt_process *process, struct wt_error *err);

/** Lets the program go on. */
void wt_process_close(struct wt_process *process);

#endif
