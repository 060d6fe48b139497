/* The probe's link to a host process that uses emulated SMs: its private Unix socket. */
#ifndef WT_DEBUG_SM_PROCESS_H
#define WT_DEBUG_SM_PROCESS_H

#include "debug/process/link.h"
#include "debug/sm/sm.h"
#include "object/sm_wire.h"

struct wt_sm_process {
    struct wt_process_link link; /* first: the context of a target's services */
    struct wt_sm_link sm;        /* for a target */
    unsigned sms[WT_WIRE_DEVICES];
    struct sm_wire_warp *warp;      /* of all GPUs, from the last look; the owner frees it */
    uint64_t seen[WT_WIRE_DEVICES]; /* the link's changes at that look */
};

/** After the greeting: @p process stays where it is in memory. WT_UNSUPPORTED: it has GPUs that
 * there are not. */
enum wt_status wt_sm_process_begin(struct wt_sm_process *process, struct wt_error *err);

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
