/*
 * Breakpoints that the process judges itself (live.h), and the code that they are in. The debugger
 * writes its trap into the code as ever; here that is only noted (the breakpoint is armed), and the
 * machine watches the instruction. Where the breakpoint's code wants to stop, the trap is written,
 * and the wave runs into it. To the debugger the trap is in memory all the time.
 *
 * The device is taken for all of it.
 */
#ifndef WT_RUNTIME_COMMON_ARMED_H
#define WT_RUNTIME_COMMON_ARMED_H

#include "runtime/common/hosted.h"

/** Copies memory of the debugger's for armed_set(): as its request does (serve.h). */
typedef bool armed_copy_fn(void *context, uint64_t addr, uint8_t *bytes, size_t size, bool out);

/**
 * Takes the list of a debugger, in @p size bytes, in place of the one before. Breakpoints that are
 * in memory are armed. Returns 0, -EINVAL (some code makes no sense) or -ENOMEM: there are none
 * then, and their traps stay.
 */
int armed_set(struct wt_hosted *gpu, const uint8_t *bytes, size_t size, armed_copy_fn *copy,
              void *context);
/** Before the debugger writes memory: breakpoints that the bytes have are armed, and taken out of
 * them; others there are lifted. */
void armed_written(struct wt_hosted *gpu, uint64_t addr, uint8_t *bytes, size_t size);
/** Shows the traps of those that are armed in bytes that the debugger reads. */
void armed_show(const struct wt_hosted *gpu, uint64_t addr, uint8_t *bytes, size_t size);
/** After a run that came back for a watch: writes the traps of breakpoints that stop a wave, and
 * takes their hits from the machine's. False: no other hit is left. */
bool armed_take(struct wt_hosted *gpu);
#endif
