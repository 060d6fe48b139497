/*
 * Ctrl-C while a command is blocked. A command that reaches the session's loop sees each SIGINT
 * there. One that does not, since it waits for a program or a file that does not answer, is ended
 * with the whole debugger, if the user says so at the second Ctrl-C. SIGTERM and SIGHUP go the same
 * way, and end a debugger that is blocked without a question.
 */
#ifndef WT_CLI_INTERRUPTS_H
#define WT_CLI_INTERRUPTS_H

#include <stdbool.h>
#include <sys/signalfd.h>

#include "wavetrap/error.h"

struct cli_interrupts;

struct cli_interrupts_options {
    const char *(*question)(void *context); /**< called in another thread */
    bool asks;                              /**< else the second Ctrl-C ends at once */
    void (*end)(void *context);             /**< called in another thread before the process ends */
    void *context;
};

/** Begins to watch SIGINT, SIGTERM and SIGHUP, which from now on have no other effect; no other
 * thread may run yet. */
enum wt_status cli_interrupts_open(const struct cli_interrupts_options *options,
                                   struct cli_interrupts **interrupts, struct wt_error *err);
/** Ends that. NULL is allowed. */
void cli_interrupts_close(struct cli_interrupts *interrupts);
/** A descriptor that becomes readable for each signal, with a struct signalfd_siginfo, and does not
 * block. */
int cli_interrupts_fd(const struct cli_interrupts *interrupts);
/** Takes the next signal without a wait, if there is one. Cheap where there is none. */
bool cli_interrupts_take(struct cli_interrupts *interrupts, struct signalfd_siginfo *info);
/** Waits until a file can be read; false if a signal can be taken before. */
bool cli_interrupts_wait(const struct cli_interrupts *interrupts, int fd);
/** Before and after the caller talks with the user itself: no question comes in between. */
void cli_interrupts_hold(struct cli_interrupts *interrupts, bool hold);

/** A descriptor that can be read when one of @p signals (0 ends the list) has come; -1: failed. */
int cli_signal_fd(const int *signals);

#endif
