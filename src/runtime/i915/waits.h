/*
 * Commands and threads of an OpenCL or Level Zero program that wait, for the report of a
 * standstill: for events that only the program signals, in calls that are not back, and behind a
 * semaphore. Any thread may call these functions.
 */
#ifndef WT_RUNTIME_I915_WAITS_H
#define WT_RUNTIME_I915_WAITS_H

#include <stdbool.h>
#include <stdio.h>

struct drm_order_command;

/** A call of the program's: the function, a constant text, and where that returns to. */
struct drm_waits_call {
    const char *by;
    const void *from;
};
/** The call of the exported function that this stands in. */
#define DRM_WAITS_CALL(name)                                                                       \
    (struct drm_waits_call)                                                                        \
    {                                                                                              \
        name, __builtin_return_address(0)                                                          \
    }

/** The program has an event, which is not signalled. NULL: none. */
void drm_waits_made(const void *event, struct drm_waits_call by);
/** The program signals the event, or resets it. */
void drm_waits_set(const void *event, bool signalled);
/** The program does not use the event any more. */
void drm_waits_drop(const void *event);
/** A command is appended or enqueued by a call that may block: it may wait for events, and signal
 * one. */
void drm_waits_command(const struct drm_order_command *command, const void *from);
/** The call of drm_waits_command() has failed: there is no such command. */
void drm_waits_failed(const struct drm_order_command *command, const void *from);

/** A call that may not come back soon; in the caller's frame. Its members are waits.c's own. */
struct drm_wait {
    struct drm_wait *next, *before;
    struct drm_waits_call by;
    const void *on; /* a queue, list, event or fence; NULL: not known */
    long thread;
};
/** The call begins; while any is under way, Ctrl-C and SIGTERM lead to a report. by.by NULL: it
 * does not wait. */
void drm_wait_begin(struct drm_wait *wait, struct drm_waits_call by, const void *on);
/** The call is back. */
void drm_wait_end(struct drm_wait *wait);
/** The rest of the block is a call @p name that waits for @p handle. */
#define DRM_WAITS(name, handle)                                                                    \
    struct drm_wait wait_of_call __attribute__((cleanup(drm_wait_end)));                           \
    drm_wait_begin(&wait_of_call, DRM_WAITS_CALL(name), handle)

/** All batches of a GPU wait, or one goes on. */
void drm_waits_batches(bool wait);
/** A kernel runs from now on, or no more: meanwhile who runs it looks after signals. */
void drm_waits_kernel(bool runs);

/** Before fork(): no thread is within these functions then. */
void drm_waits_before_fork(void);
/** After it. A @p child has none of its parent's calls. */
void drm_waits_after_fork(bool child);

/** Who reports an interrupt while no kernel runs, and ends the process. */
void drm_waits_report_by(void (*report)(void *context), void *context);
/** Writes lines about all that waits. */
void drm_waits_tell(FILE *out);

#endif
