/*
 * Ctrl-C in a program that `exec` runs on emulated GPUs: the driver says where the waves are, then
 * the process ends as it would have without. Only where the program leaves SIGINT to its default: a
 * handler of its own, set before or later, takes the place of this one.
 */
#ifndef WT_RUNTIME_COMMON_INTERRUPT_H
#define WT_RUNTIME_COMMON_INTERRUPT_H

#include <stdbool.h>

/**
 * From now on SIGINT is noted, as long as somebody attends; while nobody does, and at the second
 * one, it ends the process at once. Calls after the first do nothing.
 */
void wt_interrupt_listen(void);
/** Somebody looks at wt_interrupt_take() all the time, or no longer does. Calls add up. */
void wt_interrupt_attend(bool begins);
/** Whether there is an interrupt that nobody has taken; the caller must report and end then. */
bool wt_interrupt_take(void);
/** Whether wt_interrupt_take() would be true. */
bool wt_interrupt_pending(void);
/** Ends the process as SIGINT does by default, from any thread. What the program has printed is
 * written as far as no thread holds stdout. */
_Noreturn void wt_interrupt_end(void);

#endif
