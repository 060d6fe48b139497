/* Queues, their commands, and events: what queue.c, enqueue.c and event.c share. All of it is under
 * state_lock, but for a command that runs. */
#ifndef WT_RUNTIME_VORTEX_QUEUE_H
#define WT_RUNTIME_VORTEX_QUEUE_H

#include "check/order.h"
#include "runtime/vortex/internal.h"

/** The work that was done when an event came to a value. */
struct order_signal {
    uint64_t value;
    struct wt_order_point done;
};

struct event {
    struct gpu *gpu;
    void *handle;
    unsigned refs, uses; /**< references of the program; uses by commands */
    uint64_t value;
    enum vx_result failed; /**< failed of its command */
    const char *by;        /**< the function that has made it */
    bool timed, ended;     /**< its command has times, and has ended */
    vx_profile_info_t times;
    struct order_signal *signal; /**< in their order, while races are looked for */
    uint32_t signals;
    size_t signal_room;
};

struct queue {
    struct queue *next;
    struct gpu *gpu;
    void *handle;
    unsigned refs;
    uint32_t priority, flags;
    struct command *first, *last, *running;
    uint64_t enqueued, ended; /**< commands so far */
    struct wt_order_stream order;
};

/** A part of a command of vx_enqueue_commands: a launch, or (launch NULL) a register. */
struct step {
    struct launch *launch;
    uint32_t addr, value;
};

struct launch {
    struct kernel *kernel; /**< NULL: registers say it */
    uint8_t *args;         /**< NULL: so they do */
    size_t size;
    bool shaped; /**< the following is given */
    struct vx_launch shape;
};

/** A box of rows: of `row` bytes, `rows` of them, in `slices`; from, and to. */
struct box {
    uint64_t row, rows, slices;
    uint64_t to, to_row, to_slice;
    uint64_t from, from_row, from_slice;
};

struct command {
    struct command *next;
    struct queue *queue;
    const char *name; /**< name of its function */
    uint64_t number;  /**< number of the process's, from 1 */
    struct call call; /**< that has enqueued it */
    struct event *done;
    struct event **wait;
    uint32_t waits;
    /** Does it, in the thread of the queues. NULL: there is nothing to do. */
    enum vx_result (*work)(struct command *command, struct wt_error *err);
    uint64_t queued_ns, submit_ns;
    /* What it works on, as far as it has it. */
    struct buffer *to, *from;
    uint64_t to_offset, from_offset, size;
    void *host_to;
    const void *host_from;
    struct box box;
    uint8_t *pattern;
    size_t pattern_size;
    struct step *step;
    uint32_t steps;
    struct event *event;
    uint64_t value; /**< that the event is to reach */
    bool awaits;    /**< it waits for that */
    uint32_t addr, *word;
    struct wt_order_call order;
};

/* ---- queue.c ---- */

/** Appends a copy of a command to its queue, which is in it, with its event; wakes the thread that
 * runs it. Locked. */
enum vx_result queue_append(const struct command *command, vx_event_h *done, struct wt_error *err);
/** Makes a queue; *queue is its handle. Locked. */
enum vx_result queue_new(struct gpu *g, const vx_queue_info_t *info, vx_queue_h *queue,
                         struct wt_error *err);
/** Frees a queue whose commands have ended. Locked. */
void queue_free(struct queue *q);
/** Ends what a command uses. Not locked. */
void command_end(struct command *command);
/** Prints each queue, its commands in order, and what each command waits for. Each line begins with
 * @p indent. The caller holds the lock. */
void queues_tell(FILE *out, const char *indent);
/** Prints the launches that have not begun. The caller holds the lock. */
void launches_tell(FILE *out);
/** Whether a command of a queue runs, or could. Locked. */
bool queues_move(void);

/* ---- event.c ---- */

/** An event, with a handle if the program holds it; NULL without host memory. Locked. */
struct event *event_new(struct gpu *g, const char *by, bool held);
/** Frees it if nobody has it. Locked. */
void event_drop(struct event *e);
/** An event's description, for reports. Locked. */
void event_tell(FILE *out, const struct event *e, uint64_t value);

/* ---- order.c: for --check=race; locked, unless it says otherwise ---- */

/** The order of all queues' commands; NULL: races are not looked for. Needs no lock. */
struct wt_order *order_of_queues(void);
/** A command is enqueued. */
void order_enqueued(struct command *command);
/** A command begins. It is ordered behind the one before it in its queue, and behind what was done
 * before the signals of the events that it waits for. */
void order_begins(struct command *command);
/** An event comes to a value by a command of queue @p by; NULL: by the program. */
void order_signalled(struct event *e, uint64_t value, struct queue *by);
/** Frees what an event has of it. */
void order_drop_signals(struct event *e);
/** The program has waited for an event to come to a value, or has seen that it has. */
void order_host_waited(struct event *e, uint64_t value);
/** It has waited for the commands of a queue. */
void order_host_waited_for(struct queue *q);
/** A call is about to copy by itself, in no queue. Not locked. */
void order_host_copies(const char *by);
/** The newest operation loads or stores device memory. Entered, not locked. */
void order_copied(struct gpu *g, uint64_t addr, uint64_t size, enum wt_access access);

/* ---- wait.c ---- */

/** Tells a debugger of queues and waits (endpoint_queues_by()). */
void waits_tell_debugger(bool launches, FILE *out);
/** Waits until @p queue has ended @p target commands, for function @p by. Locked. */
enum vx_result wait_queue(struct queue *queue, uint64_t target, uint64_t timeout_ns, const char *by,
                          struct wt_error *err);

/* ---- device3.c ---- */

/** Makes room for a map of a part of a buffer. Locked. */
enum vx_result map_begin(struct buffer *b, uint64_t offset, uint64_t size, uint32_t flags,
                         struct wt_error *err);
/** Fills it. Not locked. */
enum vx_result map_read(struct buffer *b, struct wt_error *err);
/** Writes a map back, and ends it. Not locked. */
enum vx_result map_end(struct buffer *b, const void *host, struct wt_error *err);

/* ---- module.c ---- */

/** Ends the use of a kernel. Not locked. */
void kernel_unuse(struct kernel *k);

#endif
