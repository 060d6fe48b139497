/*
 * Time travel within the kernels of a host process: the target's history service, which sends every
 * request to the process (object/travel_wire.h). The same for all families.
 */
#ifndef WT_DEBUG_PROCESS_HISTORY_H
#define WT_DEBUG_PROCESS_HISTORY_H

#include "debug/process/link.h"

/**
 * Has the process of a link record its kernels, which takes one GPU, and adds the history service
 * to @p services. WT_NO_MEMORY, here or in the process;
 * WT_IO.
 */
enum wt_status wt_process_history_begin(struct wt_process_link *link, uint64_t budget,
                                        struct wt_target_services *services, struct wt_error *err);

#endif
