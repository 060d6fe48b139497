/* The common part of the families' links to a GPU that no program uses. See process.h. */
#ifndef WT_TARGET_NO_PROCESS_H
#define WT_TARGET_NO_PROCESS_H

#include "target/process.h"

/** Reads the image that stands for the memory. WT_INVALID: there is none. */
enum wt_status wt_process_read_image(const struct wt_process *process, uint64_t addr, void *out,
                                     size_t size, struct wt_error *err);
/** WT_STATE: the memory cannot be written. */
enum wt_status wt_process_refuse_write(struct wt_error *err);
/** False, as a link's operation `ended`. */
bool wt_process_never_ended(void *context, uint32_t *status, char *text, size_t size);

#endif
