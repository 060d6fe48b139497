/* The way in for a debugger of a standalone kernel on Gen9: the registers and the memory of its
 * device. */
#ifndef WT_TARGET_GEN_DEBUGGER_H
#define WT_TARGET_GEN_DEBUGGER_H

#include "debug/gen/gen.h"
#include "runtime/gen/launch.h"
#include "target/emulated.h"

/** A link whose context must be a struct gen_way_in that outlives it. */
extern const struct wt_gen_link_ops gen_debugger_link;

struct gen_way_in {
    struct wt_emulated *e;
    struct gen_device *device;
    const struct gen_launch *launch;
};

/** In a core file, whose debugger has gone: the driver's debug support is wanted from its end on.
 */
void gen_debugger_attend(struct wt_emulated *e);

/** The operations of a recorded run's inputs; NULL ends the list. */
extern uint32_t (*const gen_debugger_operations[])(struct wt_machine *m, const void *bytes,
                                                   size_t size);

#endif
