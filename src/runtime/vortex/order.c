/* The order of queues' commands, for the check of races (check/order.h). Commands are operations
 * when they begin; nothing is done unless races are looked for. */
#include <stdlib.h>

#include "base/array.h"
#include "check/race.h"
#include "runtime/common/checked.h"
#include "runtime/common/counted.h"
#include "runtime/vortex/queue.h"

static struct wt_order order = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* locked */
static struct wt_order_stream of_host; /* copies that calls make at once */

static bool is_wanted(void)
{
    return wt_check_wants(WT_CHECK_RACE);
}

struct wt_order *order_of_queues(void)
{
    return is_wanted() ? &order : NULL;
}

/* ---- events ---- */

/* The work before the first signal that has brought the event to @p value, or beyond. */
static struct wt_order_point *signal_of(struct event *e, uint64_t value)
{
    for (uint32_t i = 0; i < e->signals; i++)
        if (e->signal[i].value >= value)
            return &e->signal[i].done;
    return NULL;
}

static void wait_for(struct wt_order_point *to, struct event *e, uint64_t value)
{
    struct wt_order_point *done = signal_of(e, value);
    if (done)
        wt_order_wait(&order, to, done);
}

void order_signalled(struct event *e, uint64_t value, struct queue *by)
{
    struct order_signal *grown =
        is_wanted() ? wt_array_grow(e->signal, &e->signal_room, e->signals + 1, sizeof *grown)
                    : NULL;
    if (!grown)
        return;
    e->signal = grown;
    grown[e->signals] = (struct order_signal){.value = value};
    if (by)
        wt_order_wait(&order, &grown[e->signals++].done, &by->order.point);
    else
        wt_order_wait_as_host(&order, &grown[e->signals++].done);
}

void order_drop_signals(struct event *e)
{
    for (uint32_t i = 0; i < e->signals; i++)
        wt_order_drop(&e->signal[i].done);
    free(e->signal);
}

/* ---- commands ---- */

void order_enqueued(struct command *c)
{
    if (is_wanted())
        wt_order_call(&order, &c->order, c->name);
}

void order_begins(struct command *c)
{
    struct wt_order_point *point = &c->queue->order.point;
    if (!is_wanted())
        return;
    for (uint32_t i = 0; i < c->waits; i++)
        wait_for(point, c->wait[i], 1);
    if (c->awaits)
        wait_for(point, c->event, c->value);
    wt_order_begin(&order, &c->queue->order, &c->order);
}

/* ---- the host ---- */

void order_host_waited(struct event *e, uint64_t value)
{
    struct wt_order_point *done = signal_of(e, value);
    if (done)
        wt_order_host_waits(&order, done);
}

void order_host_waited_for(struct queue *q)
{
    if (order.now)
        wt_order_host_waits(&order, &q->order.point);
}

void order_host_copies(const char *by)
{
    state_lock();
    if (order.now)
        wt_order_give(&order, &of_host, by);
    if (order.now)
        wt_order_host_waits(&order, &of_host.point);
    state_unlock();
}

/* ---- accesses ---- */

void order_copied(struct gpu *g, uint64_t addr, uint64_t size, enum wt_access access)
{
    struct wt_check_race *r =
        is_wanted() && order.now ? wt_counted_race(&g->hosted, g->machine) : NULL;
    if (!r)
        return;
    wt_check_race_set_order(r, &order);
    wt_check_race_copied(r, addr, size, access);
}
