/* See order.h. Where the host has no memory, all that was given so far counts as ordered. */
#include "check/order.h"

#include <string.h>

void wt_order_drop(struct wt_order_point *p)
{
    wt_clocks_drop(p->done);
    *p = (struct wt_order_point){.done = NULL};
}

static void become_calm(struct wt_order *o)
{
    o->calm = o->now;
    wt_order_drop(&o->host);
    wt_order_drop(&o->given);
    wt_order_drop(&o->ended);
}

void wt_order_wait(struct wt_order *o, struct wt_order_point *to, struct wt_order_point *point)
{
    struct wt_order_point *const both[] = {to, point};
    for (unsigned i = 0; i < 2; i++)
        if (both[i]->at <= o->calm) /* it says nothing any more */
            wt_order_drop(both[i]);
    if (!point->done)
        return;
    to->at = o->now;
    if (!wt_clocks_join(&to->done, point->done))
        become_calm(o);
}

static void add(struct wt_order *o, struct wt_order_point *p, uint32_t stream)
{
    p->at = o->now;
    if (!wt_clocks_add(&p->done, stream, o->now))
        become_calm(o);
}

void wt_order_call(struct wt_order *o, struct wt_order_call *call, const char *by)
{
    *call = (struct wt_order_call){.host = {wt_clocks_hold(o->host.done), o->now}, .by = by};
    wt_call_stack_take(&call->calls);
    o->waiting++;
}

void wt_order_begin(struct wt_order *o, struct wt_order_stream *s, struct wt_order_call *call)
{
    if (!s->number)
        s->number = ++o->streams;
    wt_order_wait(o, &s->point, &call->host);
    wt_order_drop(&call->host);
    o->waiting--;
    o->now++;
    add(o, &s->point, s->number);
    add(o, &o->given, s->number);
    wt_order_operation_drop(&o->newest);
    o->newest = (struct wt_order_operation){.stream = s->number,
                                            .number = o->now,
                                            .calm = o->calm,
                                            .before = wt_clocks_copy(s->point.done),
                                            .by = call->by,
                                            .calls = call->calls};
    if (!o->newest.before) /* all counts as ordered before it */
        o->newest.calm = o->now;
}

void wt_order_call_dropped(struct wt_order *o, struct wt_order_call *call)
{
    wt_order_drop(&call->host);
    o->waiting--;
}

void wt_order_fenced(struct wt_order *o, const struct wt_order_point *ended,
                     const struct wt_order_point *released)
{
    o->newest.ended = wt_clocks_copy(ended->done);
    o->newest.released = wt_clocks_copy(released->done);
}

void wt_order_give(struct wt_order *o, struct wt_order_stream *s, const char *by)
{
    struct wt_order_call call;
    wt_order_call(o, &call, by);
    wt_order_begin(o, s, &call);
}

bool wt_order_is_before(const struct wt_order_operation *first,
                        const struct wt_order_operation *then)
{
    return first->number <= then->calm ||
           wt_clocks_of(then->before, first->stream) >= first->number;
}

const char *wt_order_lacks(const struct wt_order_operation *first,
                           const struct wt_order_operation *then)
{
    if (wt_clocks_of(then->ended, first->stream) < first->number)
        return NULL;
    return wt_clocks_of(then->released, first->stream) < first->number
               ? "no release fence follows the first one's packet"
               : "no acquire fence is before the second one's packet";
}

struct wt_order_operation wt_order_operation_copy(const struct wt_order_operation *operation)
{
    struct wt_order_operation copy = *operation;
    copy.before = wt_clocks_copy(operation->before);
    copy.ended = wt_clocks_copy(operation->ended);
    copy.released = wt_clocks_copy(operation->released);
    return copy;
}

void wt_order_operation_drop(struct wt_order_operation *operation)
{
    wt_clocks_drop(operation->before);
    wt_clocks_drop(operation->ended);
    wt_clocks_drop(operation->released);
}

bool wt_order_is_over(const struct wt_order *o, uint32_t stream, uint32_t number)
{
    return number <= o->calm || wt_clocks_of(o->host.done, stream) >= number;
}

void wt_order_host_waits(struct wt_order *o, struct wt_order_point *point)
{
    const struct wt_clocks *all = o->given.done;
    bool calm = !o->waiting; /* those may begin behind what the host had not waited for */
    wt_order_wait(o, &o->host, point);
    for (uint32_t i = 0; all && i < all->count; i++)
        calm &= wt_order_is_over(o, all->list[i].wave, all->list[i].clock);
    if (calm)
        become_calm(o);
}
