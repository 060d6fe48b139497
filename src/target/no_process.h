/* The families' links to a GPU that no program uses. See process.h. */
#ifndef WT_TARGET_NO_PROCESS_H
#define WT_TARGET_NO_PROCESS_H

#include "debug/standstill/link.h"
#include "target/process.h"

/**
 * Makes the link of @p process and of its target: a copy of @p size bytes at @p of, a family's
 * link, whose common part is filled in here. The memory is the process's image and cannot be
 * written, registers and answers to requests are 0, and nothing happens. WT_NO_MEMORY; the process
 * frees it.
 */
enum wt_status wt_process_no_link(struct wt_process *process, const void *of, size_t size,
                                  struct wt_error *err);

#endif
