/*
 * The order of a program's commands, for --check=race (check/order.h): that of queues, events and
 * waits as OpenCL and Level Zero have it. Intel's runtimes give the commands of all queues to the
 * one engine in the order of the calls, so that the batches say nothing of it. Each function does
 * nothing where races are not looked for.
 */
#ifndef WT_DRM_ORDER_H
#define WT_DRM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct wt_call_stack;
struct wt_check_race;

enum drm_queue_order {
    DRM_NO_ORDER,        /**< commands of the queue have no order */
    DRM_IN_ORDER,        /**< one comes behind the other */
    DRM_STARTS_IN_ORDER, /**< one starts behind the start of the other */
};
/** A queue was made. */
void drm_order_queue(const void *queue, enum drm_queue_order order);
/** An event was made by the program; nothing has signaled it. */
void drm_order_event(const void *event);

/** A buffer was made, which begins @p lead bytes into object @p number of an opening of the driver
 * (@p file). */
void drm_order_buffer(const void *buffer, const void *file, uint32_t number, uint64_t lead);
/** One was made of the part of buffer @p of from @p offset on. */
void drm_order_part(const void *buffer, const void *of, uint64_t offset);
/** Memory at an address of GPU and host becomes such that both use it; @p has_pages: nothing else
 * of the program is in its pages. Accesses of the host are looked at between calls. */
void drm_order_shared(uint64_t address, uint64_t size, bool has_pages);
/** It is no such memory any more. */
void drm_order_unshared(uint64_t address);
/** The GPU has an object of @p size bytes at an address; 0: at none any more. */
void drm_order_placed(const void *file, uint32_t number, uint64_t address, uint64_t size);

/** A part of memory that a command copies or fills. */
struct drm_order_access {
    const void *buffer; /**< NULL: the offset is an address */
    uint64_t offset, size;
    uint64_t rows, row_pitch, slices, slice_pitch; /**< of a box of rows of `size` bytes; 0: one */
};

/** The program has a part of memory at an address, until it unmaps it; @p stores: it may store to
 * it. */
void drm_order_mapped(const void *at, const struct drm_order_access *part, bool stores);
/** It is about to unmap it: what that stores for it. */
struct drm_order_access drm_order_unmapped(const void *at);

/** A command that is about to be enqueued. */
struct drm_order_command {
    const void *queue;
    const char *by;      /**< constant text */
    uint64_t kernel;     /**< its kernel's address; 0: the runtime's own do what it is */
    bool barrier;        /**< commands of its queue from now on come behind it */
    uint32_t count;      /**< events that it waits for; 0: */
    const void *events;  /**< … as OpenCL's list of handles */
    bool all;            /**< … for all commands before it in its queue, if there are none */
    const void *signals; /**< an event that it signals when it is done; or NULL */
    const void *resets;  /**< one that it resets; or NULL */
    struct drm_order_access from, to;  /**< what it does by itself */
    const struct wt_call_stack *calls; /**< who has made it; NULL: the caller */
    void *enqueued;                    /**< from drm_order_enqueue() */
};
/** It is enqueued. */
void drm_order_enqueue(struct drm_order_command *command);
/** It was, if @p good, and has the event at @p event (NULL: none); @p waits: the call has waited
 * for it. */
void drm_order_enqueued(const struct drm_order_command *command, bool good, const void *event,
                        bool waits);

/** The program has waited for a queue's commands. */
void drm_order_finished(const void *queue);
/** It has waited for events, or has seen that they are complete. */
void drm_order_waited(uint32_t count, const void *events);
/** It signals an event. */
void drm_order_set(const void *event);
/** It resets an event to what it was when it was made. */
void drm_order_reset(const void *event);

/** A call of the API begins: the program's memory is accessible. False: nobody wants to know. */
bool drm_order_enter(void);
/** It ends: *@p entered is what drm_order_enter() has returned. */
void drm_order_leave(const bool *entered);

/** The GPU, whose check of races is used by who has taken it. */
struct drm_order_gpu {
    void *context;
    struct wt_check_race *(*take)(void *context); /**< NULL: it has no check */
    void (*give_back)(void *context);
    bool (*walks)(void *context); /**< it is taken between parts of a walk */
    /** Waits until it has nothing to do that it can do now, at most @p ns; false: it has. */
    bool (*await_rest)(void *context, uint64_t ns);
};

/** It is there; @p gpu stays. */
void drm_order_gpu_made(const struct drm_order_gpu *gpu);

/** A walk of the kernel at an address is about to begin, as launch @p number of a GPU that has been
 * taken, whose check is @p race; @p own: the kernel is the runtime's own. @p gpu stays. */
void drm_order_walk(const struct drm_order_gpu *gpu, struct wt_check_race *race, uint64_t kernel,
                    uint64_t number, bool own);

#endif
