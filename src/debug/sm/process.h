/* The probe's link to a host process that uses emulated SMs: its private Unix socket. */
#ifndef WT_DEBUG_SM_PROCESS_H
#define WT_DEBUG_SM_PROCESS_H

#include "debug/process/link.h"
#include "object/sm_wire.h"

/** The modules that are loaded; the caller frees *list. */
enum wt_status wt_sm_process_modules(struct wt_process_link *link, struct sm_wire_module **list,
                                     size_t *count, struct wt_error *err);
/** Text @p number of a module, with a NUL; the caller frees it. WT_INVALID: it is gone. */
enum wt_status wt_sm_process_text(struct wt_process_link *link, const struct sm_wire_module *module,
                                  uint32_t number, char **text, size_t *length,
                                  struct wt_error *err);

/** Puts why warps wait, and where lanes go on, into @p services, whose context is the link. */
void wt_sm_process_offer_detail(struct wt_target_services *services);

#endif
