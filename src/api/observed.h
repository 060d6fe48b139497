/*
 * Accesses of a host program, which come through a pipe (object/observed_wire.h). A thread reads
 * it, so that the program never waits for a debugger that waits for it.
 */
#ifndef WT_API_OBSERVED_H
#define WT_API_OBSERVED_H

#include <pthread.h>

#include "base/error.h"
#include "wavetrap/wavetrap.h"

struct wt_observed_switch;

/* Who observes. */
struct api_observed {
    wavetrap_access_fn *fn; /* NULL: nobody */
    void *context;
    struct wt_observed_switch *on; /* NULL: the program is not one that the session starts */
    pthread_mutex_t lock;          /* guards fn, context and reading */
    pthread_t thread;
    bool reads;              /* the thread is there */
    int page, pipe[2], quit; /* -1: not open; quit: an eventfd that ends the thread */
    size_t held;             /* bytes of a record whose rest has not been read */
    uint8_t bytes[1 << 16];
};

/** Nothing is observed yet, nor open. */
void api_observed_init(struct api_observed *o);
/** Prepares for a host program that the session starts: @p variable, of @p size bytes, becomes what
 * its environment is to have, "NAME=VALUE". */
enum wt_status api_observed_open(struct api_observed *o, char *variable, size_t size,
                                 struct wt_error *err);
/** Hands accesses of the program to @p fn from now on; NULL: to nobody. */
enum wt_status api_observed_set(struct api_observed *o, wavetrap_access_fn *fn, void *context,
                                struct wt_error *err);
/** Hands over what the program has written so far. */
void api_observed_drain(struct api_observed *o);
/** Ends the thread and closes all; nobody observes then. */
void api_observed_close(struct api_observed *o);

/** An access of a kind and a space, the numbers of emulator/machine/observe.h; the rest is 0. */
struct wavetrap_access api_access(unsigned kind, unsigned space);

#endif
