/* The way in for a debugger of a standalone kernel: the driver's view of its SMs. */
#ifndef WT_TARGET_SM_DEBUGGER_H
#define WT_TARGET_SM_DEBUGGER_H

#include "debug/sm/sm.h"
#include "emulator/sm/sm.h"
#include "target/local_link.h"

/** A link of it; the context is the struct wt_emulated. */
extern const struct wt_sm_link_ops sm_debugger_link;

/** Launches a kernel again, as an input. */
enum wt_status sm_debugger_launch(struct wt_emulated *e, const struct sm_launch *of,
                                  struct wt_error *err);

#endif
