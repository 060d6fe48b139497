/*
 * The order of a program's commands, for --check=race (check/order.h): that of queues, events and
 * waits as OpenCL and Level Zero have it. Intel's runtimes give the commands of all queues to the
 * one engine in the order of the calls, so that the batches say nothing of it. Each function does
 * nothing where races are not looked for.
 */
#ifndef WT_RUNTIME_I915_ORDER_H
#define WT_RUNTIME_I915_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/i915/buffers.h"

struct wt_call_stack;
struct wt_check_race;

enum drm_queue_order {
    DRM_NO_ORDER,        /**< commands of the queue have no order */
    DRM_IN_ORDER,        /**< one comes behind the other */
    DRM_STARTS_IN_ORDER, /**< one starts behind the start of the other */
};
/** The program has made a queue. */
void drm_order_queue(const void *queue, enum drm_queue_order order);
/** The program has made an event, which nothing has signaled. */
void drm_order_event(const void *event);

/** GPU and host share @p size bytes at @p address from now on. The host's accesses are watched
 * between calls. @p has_pages: nothing else of the program lies in these pages. */
void drm_order_shared(uint64_t address, uint64_t size, bool has_pages);
/** The memory at @p address is shared no more. */
void drm_order_unshared(uint64_t address);
/** The GPU has object @p number, of @p size bytes, at @p address; 0: nowhere any more. */
void drm_order_placed(const void *file, uint32_t number, uint64_t address, uint64_t size);

/** A command, from the call that enqueues it. */
struct drm_order_command {
    const void *queue;
    const char *by;           /**< constant text */
    uint64_t kernel;          /**< its kernel's address; 0: the runtime's own kernels do the work */
    bool barrier;             /**< later commands of its queue come behind it */
    uint32_t count;           /**< events that it waits for; 0: */
    const void *events;       /**< … as OpenCL's list of handles */
    bool all;                 /**< … for all commands before it in its queue, if there are none */
    const void *signals;      /**< the event that it signals when it is done; or NULL */
    const void *resets;       /**< the event that it resets; or NULL */
    struct drm_part from, to; /**< what it copies or fills */
    const struct wt_call_stack *calls; /**< who has made it; NULL: the caller */
    void *enqueued;                    /**< from drm_order_enqueue() */
};
/** The call that enqueues the command begins. */
void drm_order_enqueue(struct drm_order_command *command);
/** The call has ended: the command is enqueued if @p good, and has the event at @p event (NULL:
 * none). @p waits: the call has waited for the command. */
void drm_order_enqueued(const struct drm_order_command *command, bool good, const void *event,
                        bool waits);

/** The program has waited for a queue's commands. */
void drm_order_finished(const void *queue);
/** The program has waited for events, or has seen that they are complete. */
void drm_order_waited(uint32_t count, const void *events);
/** The program signals an event. */
void drm_order_set(const void *event);
/** The program resets an event to the state that it was made in. */
void drm_order_reset(const void *event);

/** A call of the API begins: shared memory is accessible until drm_order_leave(). False: no check
 * looks for races. */
bool drm_order_enter(void);
/** The call ends. *@p entered is what drm_order_enter() has returned. */
void drm_order_leave(const bool *entered);

/** The GPU, as its owner gives it to the check. */
struct drm_order_gpu {
    void *context;
    /** Takes the GPU and returns its check of races, which only the taker uses. NULL: there is no
     * check, and nothing is taken. */
    struct wt_check_race *(*take)(void *context);
    void (*give_back)(void *context);
    /** Whether the GPU, which is taken, is between two parts of a walk. */
    bool (*walks)(void *context);
    /** Waits until no batch can run on, at most @p ns nanoseconds. False: one can. */
    bool (*await_rest)(void *context, uint64_t ns);
};

/** The GPU has been made; @p gpu stays valid. */
void drm_order_gpu_made(const struct drm_order_gpu *gpu);

enum { DRM_ORDER_SURFACES = 4 };
/** A walk that is about to begin. */
struct drm_order_walk {
    uint64_t kernel;                      /**< its address */
    uint64_t number;                      /**< number of the launch */
    bool own;                             /**< the kernel is the runtime's own */
    uint64_t surface[DRM_ORDER_SURFACES]; /**< then: where the first ones of its table begin; 0:
                                               nowhere */
};
/** The GPU is taken, and @p race is its check. */
void drm_order_walk(const struct drm_order_gpu *gpu, struct wt_check_race *race,
                    const struct drm_order_walk *walk);

#endif
