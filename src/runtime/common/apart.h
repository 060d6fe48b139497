/*
 * One launch on several processors of the host (`-g FAMILY:processes=N`). The groups of a launch
 * that has run for a while are dealt out to N processes: this one and children. A child executes
 * its part on a copy of the program's memory; then the bytes that it has changed are written to the
 * program's memory, child by child, and its groups count as ended.
 *
 * That is one of the orders in which groups may be executed, as long as no group waits for another
 * one or orders its accesses by atomics or fences. Where a child's groups do what others could see
 * in its order (wt_met), print, allocate or fail, the children's work is thrown away, this process
 * executes the rest of the launch, and later launches of that kernel are not dealt out.
 */
#ifndef WT_RUNTIME_COMMON_APART_H
#define WT_RUNTIME_COMMON_APART_H

#include <stdbool.h>
#include <stdint.h>

#include "emulator/machine/run.h"

struct wt_hosted;

/**
 * Runs the GPU's machine as its operation `run` does, at most @p issues and those of children. @p
 * alone: no debugger looks at the GPU, so that a launch may be dealt out. Their issues count into
 * the issue time.
 */
enum wt_run wt_apart_run(struct wt_hosted *gpu, uint64_t issues, bool alone);

#endif
