/* Options that say which kernel of a code object runs, and on how much. */
#ifndef WT_SESSION_KERNEL_H
#define WT_SESSION_KERNEL_H

#include "session/drive.h"

/** Setters of the rows below; their context is a struct wt_session_drive. --kernel */
enum wt_status wt_session_kernel_set_name(void *context, const char *value, struct wt_error *err);
/** --grid */
enum wt_status wt_session_kernel_set_grid(void *context, const char *value, struct wt_error *err);
/** --block */
enum wt_status wt_session_kernel_set_block(void *context, const char *value, struct wt_error *err);
/** --shared */
enum wt_status wt_session_kernel_set_shared(void *context, const char *value, struct wt_error *err);
/** --trap-handler */
enum wt_status wt_session_kernel_add_handler(void *context, const char *value,
                                             struct wt_error *err);

/** The rows; their context is a struct whose first member is a struct wt_session_drive. */
#define WT_KERNEL_OPTIONS                                                                          \
    {"kernel", 0, "NAME",                                                                          \
     "code objects: the kernel to run, mangled or plain (default: the only one)",                  \
     WT_OPTION_SET(wt_session_kernel_set_name)},                                                   \
        {"grid", 0, "X[,Y[,Z]]", "code objects: work-items of the grid",                           \
         WT_OPTION_SET(wt_session_kernel_set_grid)},                                               \
        {"block", 0, "X[,Y[,Z]]", "code objects: work-items of a work-group (default: 64)",        \
         WT_OPTION_SET(wt_session_kernel_set_block)},                                              \
        {"shared", 0, "BYTES", "SM, AMD: shared memory that the launch adds (extern __shared__)",  \
         WT_OPTION_SET(wt_session_kernel_set_shared)},                                             \
    {                                                                                              \
        "trap-handler", 0, "FILE",                                                                 \
            "code of the trap handler: raw, on an SM a cubin; twice: two levels",                  \
            WT_OPTION_SET(wt_session_kernel_add_handler)                                           \
    }

#endif
