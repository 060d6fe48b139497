/*
 * Ctrl-C in a program that `exec` runs on emulated GPUs: the driver says where the waves are, then
 * the process ends as it would have without. Only where the program leaves SIGINT to its default: a
 * handler of its own, set before or later, takes the place of this one.
 */
#ifndef WT_RUNTIME_COMMON_INTERRUPT_H
#define WT_RUNTIME_COMMON_INTERRUPT_H

#include <stdbool.h>

/**
 * Installs the handler of SIGINT, if the program leaves it to its default. A first SIGINT is noted
 * while somebody attends; a second one, or one that nobody attends, ends the process at once. Later
 * calls do nothing.
 */
void wt_interrupt_listen(void);
/**
 * Begins or ends attending: the caller calls wt_interrupt_take() regularly meanwhile. Calls add up.
 */
void wt_interrupt_attend(bool begins);
/** In a child after fork(): nobody attends. */
void wt_interrupt_forget(void);
/** Takes an interrupt: true once, for the caller that must report and end the process. */
bool wt_interrupt_take(void);
/** Whether there is an interrupt that nobody has taken. */
bool wt_interrupt_pending(void);
/**
 * Ends the process as SIGINT does by default, from any thread. Flushes stdout unless another thread
 * holds it.
 */
_Noreturn void wt_interrupt_end(void);

#endif
