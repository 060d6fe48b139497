/* Host programs on SMs (CUDA driver API, OpenMP, OpenACC) as targets of a debugger. */
#ifndef WT_TARGET_SM_PROCESS_H
#define WT_TARGET_SM_PROCESS_H

#include "debug/sm/process.h"
#include "target/code_list.h"
#include "target/process.h"
#include "target/sm_ptx.h"

/** A module, of the list that wt_process.code points to. */
struct wt_sm_loaded {
    struct wt_listed_code of; /**< first */
    struct wt_sm_ptx ptx;     /**< ptx of PTX; else no texts */
};

/** The operation show_file of struct wt_process_ops. */
enum wt_status wt_sm_show_file(struct wt_process *p, const char *program, struct wt_error *err);

extern const struct wt_process_ops wt_sm_process_ops;

#endif
