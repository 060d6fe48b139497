/* The way in for a debugger of a standalone kernel: the driver's view of its SMs. */
#ifndef WT_TARGET_SM_DEBUGGER_H
#define WT_TARGET_SM_DEBUGGER_H

#include "debug/sm/sm.h"
#include "emulator/sm/sm.h"
#include "target/emulated.h"

/** A link whose context must be a struct sm_way_in that outlives it. */
extern const struct wt_sm_link_ops sm_debugger_link;

struct sm_way_in {
    struct wt_emulated *e;
    struct sm_device *device;
    const struct sm_launch *launch; /**< of the kernel: what reset() launches again */
};

#endif
