/* How a host process has ended, for its debugger. */
#ifndef WT_DEBUG_PROCESS_END_H
#define WT_DEBUG_PROCESS_END_H

#include <stdbool.h>
#include <stdint.h>

struct wt_process_end {
    uint32_t status; /**< its exit status; 128 + N: by signal N; 0 where that is not known */
    bool closed;     /**< it goes on without its GPUs */
    char text[128];  /**< for people */
};

/** It has said so: it ends with this status. */
void wt_process_exited(struct wt_process_end *end, int pid, uint32_t status);
/** It goes on without its GPUs. */
void wt_process_closed(struct wt_process_end *end, int pid);
/** The connection was lost without a word: waits a moment for the process to end. */
void wt_process_find_end(struct wt_process_end *end, int pid);

#endif
