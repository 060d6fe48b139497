/* Accesses of kernels for a program that uses the library (object/observed_wire.h), where it has
 * started this one. */
#ifndef WT_RUNTIME_COMMON_OBSERVED_H
#define WT_RUNTIME_COMMON_OBSERVED_H

#include "runtime/common/hosted.h"

/** Looks whether accesses are wanted, and begins or ends to hand them over. The GPU's lock is held.
 * Without host memory they are not handed over, which is told once. */
void wt_observed_look(struct wt_hosted *gpu);
/** Does so for a request of the debugger's: accesses of this process are handed over, and of none
 * of its children. */
void wt_observed_by_debugger(struct wt_hosted *gpu);
/** The debugger has gone: no access is handed over until another one comes. */
void wt_observed_let_go(void);

#endif
