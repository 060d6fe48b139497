/* The probe's link to a host process that uses emulated SMs: its private Unix socket. */
#ifndef WT_DEBUG_SM_PROCESS_H
#define WT_DEBUG_SM_PROCESS_H

#include "debug/process/link.h"
#include "object/sm_wire.h"

/** Text @p number of a module, with a NUL; the caller frees it. WT_INVALID: it is gone. */
enum wt_status wt_sm_process_text(struct wt_process_link *link, const struct sm_wire_module *module,
                                  uint32_t number, char **text, size_t *length,
                                  struct wt_error *err);

#endif
