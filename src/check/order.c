/* See order.h. Where the host has no memory, all that was given so far counts as ordered. */
#include "check/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void wt_order_drop(struct wt_order_point *p)
{
    wt_clocks_drop(p->done);
    *p = (struct wt_order_point){.done = NULL};
}

/* ---- threads of the host; o->lock is held ---- */

static void forget(struct wt_order_view *v)
{
    wt_clocks_drop(v->waited);
    wt_clocks_drop(v->called);
    *v = (struct wt_order_view){.waited = NULL};
}

/* Adds a set that others may have, too; they may be in use elsewhere at the same time. */
static bool join_copy(struct wt_clocks **to, const struct wt_clocks *from)
{
    struct wt_clocks *copy = wt_clocks_copy(from);
    const bool good = (copy || !from) && wt_clocks_join(to, copy);
    wt_clocks_drop(copy);
    return good;
}

/* A thread's knowledge; NULL: none, without host memory. */
static struct wt_order_thread *thread_of(struct wt_order *o, uint32_t number)
{
    struct wt_order_thread *grown =
        number < o->threads ? o->thread
                            : wt_array_grow(o->thread, &o->thread_room, number + 1, sizeof *grown);
    if (!grown)
        return NULL;
    o->thread = grown;
    for (; o->threads <= number; o->threads++)
        grown[o->threads] = (struct wt_order_thread){.calls = false};
    if (grown[number].knows.at <= o->calm) /* it says nothing any more */
        forget(&grown[number].knows);
    return &grown[number];
}

static uint32_t this_thread(const struct wt_order *o)
{
    return o->which ? o->which() : 0;
}

/* Whether a set has all that has begun. */
static bool has_all(const struct wt_order *o, const struct wt_clocks *waited, uint32_t upto)
{
    const struct wt_clocks *all = o->given.done;
    bool has = true;
    for (uint32_t i = 0; all && i < all->count; i++)
        has &= all->list[i].clock <= upto ||
               wt_clocks_of(waited, all->list[i].wave) >= all->list[i].clock;
    return has;
}

/* ---- points ---- */

static void become_calm(struct wt_order *o)
{
    o->calm = o->waited = o->now;
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
    *call = (struct wt_order_call){
        .host.at = o->now, .thread = this_thread(o), .call = ++o->calls, .by = by};
    pthread_mutex_lock(&o->lock);
    struct wt_order_thread *t = thread_of(o, call->thread);
    if (t) {
        call->host.done = wt_clocks_copy(t->knows.waited);
        call->known = wt_clocks_copy(t->knows.called);
        t->knows.at = o->now + 1; /* its operation's number, or one before it */
        t->calls = wt_clocks_add(&t->knows.called, call->thread, call->call) || t->calls;
    }
    pthread_mutex_unlock(&o->lock);
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
                                            .thread = call->thread,
                                            .call = call->call,
                                            .known = call->known,
                                            .by = call->by,
                                            .calls = call->calls};
    if (!o->newest.before) /* all counts as ordered before it */
        o->newest.calm = o->now;
    call->known = NULL;
}

void wt_order_call_dropped(struct wt_order *o, struct wt_order_call *call)
{
    wt_order_drop(&call->host);
    wt_clocks_drop(call->known);
    call->known = NULL;
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
    copy.known = wt_clocks_copy(operation->known);
    return copy;
}

void wt_order_operation_drop(struct wt_order_operation *operation)
{
    wt_clocks_drop(operation->before);
    wt_clocks_drop(operation->ended);
    wt_clocks_drop(operation->released);
    wt_clocks_drop(operation->known);
}

bool wt_order_is_over(const struct wt_order *o, uint32_t stream, uint32_t number)
{
    return number <= o->waited || wt_clocks_of(o->host.done, stream) >= number;
}

/* The calling thread waits for a point. Whether all threads that call the API have waited for all
 * that has begun. */
static bool thread_waits(struct wt_order *o, const struct wt_order_point *point)
{
    bool all = true;
    pthread_mutex_lock(&o->lock);
    struct wt_order_thread *t = thread_of(o, this_thread(o));
    if (t && point->done) {
        t->calls |= join_copy(&t->knows.waited, point->done);
        t->knows.at = o->now;
    }
    for (size_t i = 0; i < o->threads; i++)
        all &= !o->thread[i].calls || has_all(o, o->thread[i].knows.waited, o->calm);
    pthread_mutex_unlock(&o->lock);
    return all;
}

void wt_order_host_waits(struct wt_order *o, struct wt_order_point *point)
{
    const bool all = thread_waits(o, point);
    wt_order_wait(o, &o->host, point);
    if (o->waiting) /* those may begin after what no thread had waited for */
        return;
    if (all)
        become_calm(o);
    else if (has_all(o, o->host.done, o->waited))
        o->waited = o->now;
}

void wt_order_wait_as_host(struct wt_order *o, struct wt_order_point *to)
{
    pthread_mutex_lock(&o->lock);
    const struct wt_order_thread *t = thread_of(o, this_thread(o));
    struct wt_order_point host = {t ? wt_clocks_copy(t->knows.waited) : NULL, o->now};
    pthread_mutex_unlock(&o->lock);
    wt_order_wait(o, to, &host);
    wt_order_drop(&host);
}

/* ---- pairs of operations of two threads ---- */

static void count(struct wt_order *o, uint32_t one, uint32_t other)
{
    const uint32_t low = one < other ? one : other, high = one < other ? other : one;
    uint64_t *pair = wt_map_add(&o->unjudged, (uint64_t)high << 32 | low);
    if (pair && !(*pair)++ && o->unjudged_pair)
        o->unjudged_pair();
}

bool wt_order_judges(struct wt_order *o, const struct wt_order_operation *a,
                     const struct wt_order_operation *b)
{
    const bool judges = a->thread == b->thread || wt_clocks_of(a->known, b->thread) >= b->call ||
                        wt_clocks_of(b->known, a->thread) >= a->call;
    if (!judges)
        count(o, a->call, b->call);
    return judges;
}

bool wt_order_judges_host(struct wt_order *o, uint32_t thread, const struct wt_order_operation *of)
{
    pthread_mutex_lock(&o->lock);
    const struct wt_order_thread *t = thread_of(o, thread);
    const bool over =
        of->number <= o->calm || (t && wt_clocks_of(t->knows.waited, of->stream) >= of->number);
    const bool judges =
        thread == of->thread || (t && wt_clocks_of(t->knows.called, of->thread) >= of->call);
    pthread_mutex_unlock(&o->lock);
    if (!judges && !over)
        count(o, of->call, of->call);
    return judges && !over;
}

/* ---- host edges ---- */

/* Adds one view to another one. */
static void pass(struct wt_order_view *to, const struct wt_order_view *from)
{
    (void)!join_copy(&to->waited, from->waited);
    (void)!join_copy(&to->called, from->called);
    to->at = from->at > to->at ? from->at : to->at;
}

static struct wt_order_view *view_at(struct wt_order *o, const void *object)
{
    const uint64_t *there = wt_map_find(&o->objects, (uint64_t)(uintptr_t)object);
    return there ? (void *)(uintptr_t)*there : NULL;
}

void wt_order_leave_at(struct wt_order *o, const void *object)
{
    pthread_mutex_lock(&o->lock);
    const struct wt_order_thread *t = thread_of(o, this_thread(o));
    struct wt_order_view *view =
        t && t->knows.at
            ? wt_map_block(&o->objects, (uint64_t)(uintptr_t)object, sizeof(struct wt_order_view))
            : NULL;
    if (view)
        pass(view, &t->knows);
    pthread_mutex_unlock(&o->lock);
}

void wt_order_take_from(struct wt_order *o, const void *object)
{
    pthread_mutex_lock(&o->lock);
    struct wt_order_view *view = view_at(o, object);
    struct wt_order_thread *t = view ? thread_of(o, this_thread(o)) : NULL;
    if (view && view->at <= o->calm)
        forget(view);
    else if (t)
        pass(&t->knows, view);
    pthread_mutex_unlock(&o->lock);
}

void wt_order_forget_at(struct wt_order *o, const void *object)
{
    pthread_mutex_lock(&o->lock);
    struct wt_order_view *view = view_at(o, object);
    if (view) {
        forget(view);
        free(view);
        wt_map_remove(&o->objects, (uint64_t)(uintptr_t)object);
    }
    pthread_mutex_unlock(&o->lock);
}

void wt_order_thread_ends(struct wt_order *o)
{
    pthread_mutex_lock(&o->lock);
    const uint32_t number = this_thread(o);
    uint32_t *place = &o->ended_thread[o->ended_threads++ % WT_ORDER_ENDED];
    struct wt_order_thread *t = thread_of(o, number);
    if (o->ended_threads > WT_ORDER_ENDED)
        forget(&o->thread[*place].knows);
    *place = t ? number : *place;
    if (t)
        t->calls = false;
    pthread_mutex_unlock(&o->lock);
}
