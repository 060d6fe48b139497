/* The probe's link to a host process that uses emulated SMs: its private Unix socket. */
#ifndef WT_DEBUG_SM_PROCESS_H
#define WT_DEBUG_SM_PROCESS_H

#include "debug/process/link.h"
#include "debug/sm/sm.h"
#include "object/sm_wire.h"

struct wt_sm_process;

/**
 * Connects to the program at @p place for all of its GPUs; kernels that are held for a
 * debugger wait for code_known() instead. WT_INVALID: it has no socket; WT_STATE: another debugger
 * is there. Closed by wt_sm_process_close().
 */
enum wt_status wt_sm_process_open(const struct wt_process_place *place,
                                  struct wt_sm_process **process, struct wt_error *err);
/** Disconnects: the program goes on. NULL is ignored. */
void wt_sm_process_close(struct wt_sm_process *process);
/** The link for a target; it belongs to the process. */
const struct wt_sm_link *wt_sm_process_link(struct wt_sm_process *process);
/** The connection, for what all families have; it is the process's. */
struct wt_process_link *wt_sm_process_wire(struct wt_sm_process *process);

/** The modules that are loaded; the caller frees *list. */
enum wt_status wt_sm_process_modules(struct wt_sm_process *process, struct sm_wire_module **list,
                                     size_t *count, struct wt_error *err);
/** Text @p number of a module, with a NUL; the caller frees it. WT_INVALID: it is gone. */
enum wt_status wt_sm_process_text(struct wt_sm_process *process,
                                  const struct sm_wire_module *module, uint32_t number, char **text,
                                  size_t *length, struct wt_error *err);

/** Puts why warps wait, and where lanes go on, into @p services, whose context is the link. */
void wt_sm_process_offer_detail(struct wt_target_services *services);

#endif
