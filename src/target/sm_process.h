/* Host programs on SMs (CUDA driver API, OpenMP, OpenACC) as targets of a debugger. */
#ifndef WT_TARGET_SM_PROCESS_H
#define WT_TARGET_SM_PROCESS_H

#include "debug/sm/process.h"
#include "target/process.h"
#include "target/sm_ptx.h"

/** A module, and the debuggers' module for it. */
struct wt_sm_loaded {
    uint64_t id; /**< of the process; 0: of a program's file */
    wt_module_id module;
    struct wt_sm_ptx ptx; /**< of PTX; else no texts */
};

/** The structure that wt_process.code points to. */
struct wt_sm_code {
    struct wt_sm_loaded *loaded;
    size_t count, room;
};

/** The modules that a process, or a program's file, has. */
static inline struct wt_sm_code *wt_sm_code(const struct wt_process *p)
{
    return p->code;
}

/** The operation show_file of struct wt_process_ops. */
enum wt_status wt_sm_show_file(struct wt_process *p, const char *program, struct wt_error *err);

extern const struct wt_process_ops wt_sm_process_ops;

#endif
