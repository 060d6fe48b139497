/*
 * Memory that the program may give back at any moment, while a thread of the driver uses it: a
 * signal ends what the thread does then, and not the program.
 */
#ifndef WT_RUNTIME_COMMON_GUARD_H
#define WT_RUNTIME_COMMON_GUARD_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Calls @p run in this thread. True: it has returned. False: an access of memory that is not there
 * (SIGSEGV, SIGBUS) has ended it; *addr is the address. Then whatever it has changed stays as it
 * is, and locks that it has taken stay taken. Calls may be nested: the innermost one ends.
 *
 * The program's own handlers of these signals get those of all other accesses. Signals that a
 * thread blocks end the program, as they do without this function.
 */
bool wt_guarded(void (*run)(void *context), void *context, uint64_t *addr);

/** Takes an access by the thread that calls, of code at @p pc, to a page that must not be accessed
 * so; @p known: whether @p store is known. True: it is to be done again. It runs in a handler. */
typedef bool wt_guard_take_fn(uint64_t addr, const void *pc, bool known, bool store);
/** Hands accesses that pages' protection refuses, outside of wt_guarded(), to @p take from now on,
 * before the program's own handlers. */
void wt_guard_pages(wt_guard_take_fn *take);

#endif
