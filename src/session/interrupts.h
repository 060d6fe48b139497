/*
 * Ctrl-C while a command is blocked. A command that reaches the session's loop sees each SIGINT
 * there. One that does not, since it waits for a program or a file that does not answer, is ended
 * with the whole debugger, if the user says so at the second Ctrl-C. SIGTERM and SIGHUP go the same
 * way, and end a debugger that is blocked without a question.
 */
#ifndef WT_SESSION_INTERRUPTS_H
#define WT_SESSION_INTERRUPTS_H

#include <stdbool.h>
#include <sys/signalfd.h>

#include "base/error.h"

struct wt_session_interrupts;

struct wt_session_interrupts_options {
    const char *(*question)(void *context); /**< called in another thread */
    bool asks;                              /**< else the second Ctrl-C ends at once */
    void (*end)(void *context);             /**< called in another thread before the process ends */
    void *context;
};

/** Begins to watch SIGINT, SIGTERM and SIGHUP, which from now on have no other effect; no other
 * thread may run yet. */
enum wt_status wt_session_interrupts_open(const struct wt_session_interrupts_options *options,
                                          struct wt_session_interrupts **interrupts,
                                          struct wt_error *err);
/** Ends that. NULL is allowed. */
void wt_session_interrupts_close(struct wt_session_interrupts *interrupts);
/** A descriptor that becomes readable for each signal, with a struct signalfd_siginfo, and does not
 * block. */
int wt_session_interrupts_fd(const struct wt_session_interrupts *interrupts);
/** Takes the next signal without a wait, if there is one. Cheap where there is none. */
bool wt_session_interrupts_take(struct wt_session_interrupts *interrupts,
                                struct signalfd_siginfo *info);
/** Waits until a file can be read; false if a signal can be taken before. */
bool wt_session_interrupts_wait(const struct wt_session_interrupts *interrupts, int fd);
/** Before and after the caller talks with the user itself: no question comes in between. */
void wt_session_interrupts_hold(struct wt_session_interrupts *interrupts, bool hold);

/** A descriptor that can be read when one of @p signals (0 ends the list) has come; -1: failed. */
int wt_session_signal_fd(const int *signals);

#endif
