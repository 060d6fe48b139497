/*
 * Ctrl-C and SIGTERM in a program that `exec` runs on emulated GPUs, and the end of its time
 * (--timeout): the driver says where the waves are, then the process ends as it would have without.
 * A signal counts only where the program leaves it to its default: a handler of its own, set before
 * or later, takes the place of this one.
 */
#ifndef WT_RUNTIME_COMMON_INTERRUPT_H
#define WT_RUNTIME_COMMON_INTERRUPT_H

#include <stdbool.h>

/**
 * Installs the handler of SIGINT and SIGTERM, where the program leaves them to their default. A
 * first signal is noted while somebody attends; a second one, or one that nobody attends, ends the
 * process at once. Later calls do nothing.
 */
void wt_interrupt_listen(void);
/**
 * Begins or ends attending: the caller calls wt_interrupt_take() regularly meanwhile. Calls add up.
 */
void wt_interrupt_attend(bool begins);
/** In a child after fork(): nobody attends. */
void wt_interrupt_forget(void);
/** Takes a signal or the end of the time: true once, for the caller that must report and end the
 * process. */
bool wt_interrupt_take(void);
/** Whether one has come that nobody has taken. */
bool wt_interrupt_pending(void);
/**
 * Ends the process as the signal does by default, or as SIGTERM where none came, from any thread.
 * Flushes stdout unless another thread holds it.
 */
_Noreturn void wt_interrupt_end(void);

#endif
