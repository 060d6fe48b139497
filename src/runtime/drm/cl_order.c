/* See cl_order.h. A command begins, as an operation, when all have begun that it comes behind: it
 * may wait for an event of the program's. Queues and events stay, by their handles. */
#include "runtime/drm/cl_order.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/map.h"
#include "check/order.h"
#include "check/race.h"
#include "runtime/common/checked.h"

struct queue {
    bool in_order;
    struct wt_order_stream stream; /* of its commands, if they have an order */
    struct wt_order_point given;   /* by all of them that have begun */
    struct wt_order_point barrier; /* what the next ones come behind */
    struct command *last;          /* that has not begun; NULL: none */
};

struct event {
    bool complete; /* the program's was set; or its command has begun */
    struct wt_order_point done;
};

struct command {
    struct command *next, *before; /* in the list; what it comes behind in its queue */
    struct queue *queue;
    struct wt_order_call call;
    uint64_t kernel;
    struct wt_order_operation is; /* once it has begun */
    bool barrier, all, begun, walked;
    bool settled; /* its call has returned */
    bool named;   /* the program has its event */
    struct event *done, *event[]; /* NULL at the end */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wt_order order;
static struct wt_map queues, events; /* handle: what it is */
static struct command *first, **last = &first;

/* What a handle is; a new one is all zeros. NULL without host memory. */
static void *of_handle(struct wt_map *map, const void *handle, size_t size)
{
    uint64_t *there = handle ? wt_map_add(map, (uint64_t)(uintptr_t)handle) : NULL;
    if (there && !*there)
        *there = (uint64_t)(uintptr_t)calloc(1, size);
    return there ? (void *)(uintptr_t)*there : NULL;
}

static struct queue *queue_of(const void *handle)
{
    return of_handle(&queues, handle, sizeof(struct queue));
}

static struct event *event_of(const void *handle)
{
    return of_handle(&events, handle, sizeof(struct event));
}

/* The next event of a handle, which another one had before. */
static void renew(const void *handle, struct event *is)
{
    uint64_t *there = handle && is ? wt_map_add(&events, (uint64_t)(uintptr_t)handle) : NULL;
    if (there) /* the one before it stays: a command may wait for it */
        *there = (uint64_t)(uintptr_t)is;
}

static bool begins(void)
{
    return wt_check_wants(WT_CHECK_RACE) && !pthread_mutex_lock(&lock);
}

static void ends(void)
{
    pthread_mutex_unlock(&lock);
}

/* ---- commands ---- */

static bool is_ready(const struct command *c)
{
    bool ready = !c->before || c->before->begun;
    for (unsigned i = 0; c->event[i]; i++)
        ready &= c->event[i]->complete;
    return ready;
}

static void begin(struct command *c)
{
    struct queue *q = c->queue;
    struct wt_order_stream own = {.number = 0};
    struct wt_order_stream *s = q->in_order ? &q->stream : &own;
    wt_order_wait(&order, &s->point, &q->barrier);
    if (c->all)
        wt_order_wait(&order, &s->point, &q->given);
    for (unsigned i = 0; c->event[i]; i++)
        wt_order_wait(&order, &s->point, &c->event[i]->done);
    wt_order_begin(&order, s, &c->call);
    c->is = order.newest;
    c->is.before = wt_clocks_copy(order.newest.before);
    wt_order_wait(&order, &q->given, &s->point);
    wt_order_wait(&order, &c->done->done, &s->point);
    if (c->barrier)
        wt_order_wait(&order, &q->barrier, &s->point);
    if (q->last == c)
        q->last = NULL;
    wt_order_drop(&own.point);
    c->begun = c->done->complete = true;
}

/* Begins all that can; forgets those that were walked, and those that are no kernels. */
static void begin_ready(void)
{
    bool again = true;
    while (again) {
        again = false;
        for (struct command *c = first; c; c = c->next)
            if (!c->begun && is_ready(c)) {
                begin(c);
                again = true;
            }
    }
    struct command **link = &first;
    for (struct command *c; (c = *link);) {
        bool needed = !c->settled || !c->begun || (c->kernel && !c->walked);
        for (const struct command *other = first; other && !needed; other = other->next)
            needed = other->before == c && !other->begun;
        if (needed) {
            link = &c->next;
            continue;
        }
        *link = c->next;
        wt_clocks_drop(c->is.before);
        if (!c->named)
            wt_order_drop(&c->done->done);
        if (!c->named)
            free(c->done);
        free(c);
    }
    last = link;
}

void cl_order_enqueue(struct cl_order_command *a)
{
    const void *const *handle = a->events;
    if (!begins())
        return;
    struct queue *q = queue_of(a->queue);
    struct command *c = calloc(1, sizeof *c + (a->count + 1) * sizeof(*c->event));
    struct event *done = calloc(1, sizeof *done);
    if (!q || !c || !done) {
        free(c);
        free(done);
        ends();
        return;
    }
    *c = (struct command){.queue = q,
                          .before = q->in_order || a->all || a->barrier ? q->last : NULL,
                          .kernel = a->kernel,
                          .barrier = a->barrier,
                          .all = a->all && !a->count,
                          .done = done};
    for (uint32_t i = 0, n = 0; handle && i < a->count; i++)
        if ((c->event[n] = event_of(handle[i])))
            n++;
    wt_order_call(&order, &c->call, a->by);
    *last = c;
    last = &c->next;
    q->last = c;
    a->enqueued = c;
    begin_ready();
    ends();
}

void cl_order_enqueued(const struct cl_order_command *a, bool good, const void *event, bool waits)
{
    struct command *c = a->enqueued;
    void *const *handle = event;
    if (!c || !begins())
        return;
    if (good && handle && *handle) {
        renew(*handle, c->done);
        c->named = true;
    }
    if (good && waits && c->begun)
        wt_order_host_waits(&order, &c->done->done);
    c->kernel = good ? c->kernel : 0;
    c->settled = true;
    begin_ready();
    ends();
}

/* ---- queues, events, waits ---- */

void cl_order_queue(const void *queue, bool in_order)
{
    if (!begins())
        return;
    struct queue *q = queue_of(queue);
    if (q)
        q->in_order = in_order;
    ends();
}

void cl_order_user_event(const void *event)
{
    if (!begins())
        return;
    renew(event, calloc(1, sizeof(struct event)));
    ends();
}

void cl_order_finished(const void *queue)
{
    if (!begins())
        return;
    struct queue *q = queue_of(queue);
    if (q)
        wt_order_host_waits(&order, &q->given);
    ends();
}

void cl_order_waited(uint32_t count, const void *list)
{
    const void *const *handle = list;
    if (!begins())
        return;
    for (uint32_t i = 0; handle && i < count; i++) {
        struct event *e = event_of(handle[i]);
        if (e && e->complete)
            wt_order_host_waits(&order, &e->done);
    }
    ends();
}

void cl_order_set(const void *event)
{
    if (!begins())
        return;
    struct event *e = event_of(event);
    if (e) {
        wt_order_wait(&order, &e->done, &order.host);
        e->complete = true;
    }
    begin_ready();
    ends();
}

/* ---- walks ---- */

void cl_order_walk(struct wt_check_race *race, uint64_t kernel, uint64_t number, bool own)
{
    /* What no command is known of counts as ordered; of the runtime's kernels nothing counts. */
    const struct wt_order_operation other = {.calm = UINT32_MAX, .copies = own};
    const struct wt_order_operation *is = NULL;
    if (!race || !begins())
        return;
    for (struct command *c = first; c && !is && !own; c = c->next)
        if (c->kernel == kernel && c->begun && !c->walked) {
            c->walked = true;
            is = &c->is;
        }
    if (order.now) {
        wt_check_race_set_order(race, &order);
        wt_check_race_launch(race, number, is ? is : &other);
    }
    ends();
}
