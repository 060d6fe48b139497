/*
 * The order of an OpenCL program's commands, for --check=race (check/order.h): that of queues,
 * events and waits as OpenCL has it. Intel's runtime gives the commands of all queues to the one
 * engine in the order of the calls, so that the batches say nothing of it. Each function does
 * nothing where races are not looked for.
 */
#ifndef WT_DRM_CL_ORDER_H
#define WT_DRM_CL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct wt_check_race;

/** A queue was made. */
void cl_order_queue(const void *queue, bool in_order);
/** An event was made by the program. */
void cl_order_user_event(const void *event);

/** A buffer was made, which is object @p number of an opening of the driver (@p file). */
void cl_order_buffer(const void *buffer, const void *file, uint32_t number);
/** One was made of the part of buffer @p of from @p offset on. */
void cl_order_part(const void *buffer, const void *of, uint64_t offset);
/** The GPU has an object of @p size bytes at an address; 0: at none any more. */
void cl_order_placed(const void *file, uint32_t number, uint64_t address, uint64_t size);

/** A part of a buffer that a command copies or fills. */
struct cl_order_access {
    const void *buffer; /**< NULL: none */
    uint64_t offset, size;
};

/** A command that is about to be enqueued. */
struct cl_order_command {
    const void *queue;
    const char *by;     /**< constant text */
    uint64_t kernel;    /**< its kernel's address; 0: the runtime's own do what it is */
    bool barrier;       /**< commands of its queue from now on come behind it */
    uint32_t count;     /**< events that it waits for; 0: */
    const void *events; /**< … as OpenCL's list of handles */
    bool all;           /**< … for all commands before it in its queue, if there are none */
    struct cl_order_access from, to; /**< what it does by itself */
    void *enqueued;                  /**< from cl_order_enqueue() */
};
/** It is enqueued. */
void cl_order_enqueue(struct cl_order_command *command);
/** It was, if @p good, and has the event at @p event (NULL: none); @p waits: the call has waited
 * for it. */
void cl_order_enqueued(const struct cl_order_command *command, bool good, const void *event,
                       bool waits);

/** The program has waited for a queue's commands. */
void cl_order_finished(const void *queue);
/** It has waited for events, or has seen that they are complete. */
void cl_order_waited(uint32_t count, const void *events);
/** It sets the status of its event, which is then complete. */
void cl_order_set(const void *event);

/** The GPU, whose check of races is used by who has taken it. */
struct cl_order_gpu {
    void *context;
    struct wt_check_race *(*take)(void *context); /**< NULL: it has no check */
    void (*give_back)(void *context);
};

/** A walk of the kernel at an address is about to begin, as launch @p number of a GPU that has been
 * taken, whose check is @p race; @p own: the kernel is the runtime's own. @p gpu stays. */
void cl_order_walk(const struct cl_order_gpu *gpu, struct wt_check_race *race, uint64_t kernel,
                   uint64_t number, bool own);

#endif
