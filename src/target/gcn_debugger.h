/* The way in for a debugger of a standalone kernel: the driver's debug operations on its device. */
#ifndef WT_TARGET_GCN_DEBUGGER_H
#define WT_TARGET_GCN_DEBUGGER_H

#include "debug/gcn/gcn.h"
#include "emulator/gcn/gcn.h"
#include "target/emulated.h"

/** A link whose context must be a struct gcn_way_in that outlives it. */
extern const struct wt_gcn_link_ops gcn_debugger_link;

struct gcn_way_in {
    struct wt_emulated *e;
    struct gcn_device *device;
};

/** Tells the driver's debug interface of the kernel's one queue. */
void gcn_debugger_add_queue(struct gcn_device *device);

/** The operations of a recorded run's inputs; NULL ends the list. Core files have their numbers:
 * new ones come at the end. */
extern uint32_t (*const gcn_debugger_operations[])(struct wt_machine *m, const void *bytes,
                                                   size_t size);

/** Ends the debugging of a state that came from a core file; nothing where nobody debugged it. */
void gcn_debugger_detach(struct wt_emulated *e);

#endif
