/* The way in for a debugger of a standalone kernel on Gen9: the registers and the memory of its
 * device. */
#ifndef WT_TARGET_GEN_DEBUGGER_H
#define WT_TARGET_GEN_DEBUGGER_H

#include "debug/gen/gen.h"
#include "runtime/gen/launch.h"
#include "target/local_link.h"

/** The operation `attention` of struct wt_family_debug. */
bool gen_debugger_attention(struct wt_emulated *e);
/** Launches a kernel again, as an input. */
enum wt_status gen_debugger_launch(struct wt_emulated *e, const struct gen_launch *of,
                                   struct wt_error *err);

/** In a core file, whose debugger has gone: the driver's debug support is wanted from its end on.
 */
void gen_debugger_attend(struct wt_emulated *e);

/** The operations of a recorded run's inputs; NULL ends the list. */
extern uint32_t (*const gen_debugger_operations[])(struct wt_machine *m, const void *bytes,
                                                   size_t size);

#endif
