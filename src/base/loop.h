/*
 * The event loop: one thread waits for file descriptors and, in between, works. What has to go on
 * while nothing comes from outside (a target that is to be pumped) does a slice of it each time and
 * says how long the loop may wait before the next one.
 */
#ifndef WT_BASE_LOOP_H
#define WT_BASE_LOOP_H

#include <stdbool.h>

#include "base/error.h"

struct wt_loop;

/** Called when @p fd is ready; @p events as poll(2) gives them, errors and hang-ups included. */
typedef void (*wt_loop_ready)(void *context, int fd, short events);

/**
 * Called before each wait. Returns how many milliseconds the loop may wait: 0 to be called again at
 * once (descriptors are looked at in between), -1 when there is nothing to do until one is ready.
 */
typedef int (*wt_loop_work)(void *context);

/** NULL when memory ran out. */
struct wt_loop *wt_loop_new(void);
/** Frees it; descriptors stay open. */
void wt_loop_free(struct wt_loop *loop);

/** Watches @p fd for @p events (POLLIN, POLLOUT, 0). False when memory ran out. */
bool wt_loop_watch(struct wt_loop *loop, int fd, short events, wt_loop_ready ready, void *context);
/** Changes what a watched descriptor is watched for. */
void wt_loop_change(struct wt_loop *loop, int fd, short events);
/** Stops watching, before the descriptor is closed. Unknown ones are ignored. */
void wt_loop_forget(struct wt_loop *loop, int fd);

/** Sets the function that the loop calls before each wait; NULL: none. */
void wt_loop_set_work(struct wt_loop *loop, wt_loop_work work, void *context);

/** Runs until wt_loop_end(). */
enum wt_status wt_loop_run(struct wt_loop *loop, struct wt_error *err);
/** Makes wt_loop_run() return soon; may be called from within what it calls. */
void wt_loop_end(struct wt_loop *loop);

#endif
