/* The way in for a debugger of a standalone kernel: the driver's debug operations on its device. */
#ifndef WT_TARGET_GCN_DEBUGGER_H
#define WT_TARGET_GCN_DEBUGGER_H

#include "debug/gcn/gcn.h"
#include "emulator/gcn/gcn.h"
#include "target/local_link.h"

/** A link of it; the context is the struct wt_emulated. */
extern const struct wt_link_ops gcn_debugger_link;

/** The operation `serve` of struct wt_family_debug: what the driver does. */
int32_t gcn_debugger_serve(struct wt_machine *m, wt_input_fn *input, void *context,
                           const struct wt_wire_request *request, struct wt_wire_answer *answer,
                           uint8_t *bytes);
/** The operation `attention` of struct wt_family_debug. */
bool gcn_debugger_attention(struct wt_emulated *e);
/** The operation `launch_again` of it. */
enum wt_status gcn_debugger_launch_again(struct wt_emulated *e, struct wt_error *err);

/** Tells the driver's debug interface of the kernel's one queue. */
void gcn_debugger_add_queue(struct gcn_device *device);

/** The operations of a recorded run's inputs; NULL ends the list. Core files have their numbers:
 * new ones come at the end. */
extern uint32_t (*const gcn_debugger_operations[])(struct wt_machine *m, const void *bytes,
                                                   size_t size);

/** Ends the debugging of a state that came from a core file; nothing where nobody debugged it. */
void gcn_debugger_detach(struct wt_emulated *e);

#endif
