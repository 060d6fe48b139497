/*
 * The device of a standalone kernel as a probe's link (debug/standstill/link.h), for every family;
 * the context is the struct wt_emulated. Changes to the device are recorded as inputs. What
 * families do for it is in their struct wt_family_debug.
 */
#ifndef WT_TARGET_LOCAL_LINK_H
#define WT_TARGET_LOCAL_LINK_H

#include "debug/standstill/link.h"
#include "target/emulated.h"

extern const struct wt_link_ops wt_local_link;

/* Its operations, for a family that has one of its own. */

/** The operation `read`. */
enum wt_status wt_local_read(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                             void *out, size_t size, struct wt_error *err);
/** The operation `write`. */
enum wt_status wt_local_write(void *context, wt_wave_handle wave, unsigned lane, uint64_t addr,
                              const void *bytes, size_t size, struct wt_error *err);
/** The operation `registers`. */
enum wt_status wt_local_registers(void *context, uint32_t gpu, struct wt_wire_register *list,
                                  size_t count, struct wt_error *err);
/** The operation `event`. */
enum wt_status wt_local_event(void *context, bool wait, struct wt_link_event *event,
                              struct wt_error *err);
/** The operation `ended`. */
bool wt_local_ended(void *context, uint32_t *status, char *text, size_t size);
/** The operation `ask`. */
enum wt_status wt_local_ask(void *context, const struct wt_wire_request *request, const void *more,
                            struct wt_wire_answer *answer, void *out, size_t room,
                            struct wt_error *err);
/** The operation `reset`. */
enum wt_status wt_local_reset(void *context, struct wt_error *err);

#endif
