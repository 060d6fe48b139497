/* The table of objects. See objects.h. */
#include "check/objects.h"

#include <execinfo.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Drivers are the process's, and so is this. */
static struct {
    pthread_mutex_t lock; /* no other lock is taken under it, but by a listener */
    void *live;           /* a tree of struct wt_object, by address */
    struct wt_object freed[WT_OBJECTS_FREED];
    size_t freed_count;  /* ever: the newest is at freed_count - 1 */
    uint64_t made;       /* ever */
    atomic_bool listens; /* there is a listener: read without the lock */
    wt_objects_fn *listener;
    void *context;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int by_address(const void *a, const void *b)
{
    const struct wt_object *x = a, *y = b;
    if (x->space != y->space)
        return (uintptr_t)x->space < (uintptr_t)y->space ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* ---- who listens ---- */

void wt_objects_listen(wt_objects_fn *fn, void *context)
{
    pthread_mutex_lock(&table.lock);
    table.listener = fn;
    table.context = context;
    atomic_store(&table.listens, fn != NULL);
    pthread_mutex_unlock(&table.lock);
}

/* Completes the news, and hands them to the listener, if there is one. */
static void tell(struct wt_object_news *news)
{
    if (!atomic_load_explicit(&table.listens, memory_order_relaxed))
        return;
    pthread_mutex_lock(&table.lock);
    wt_objects_fn *listener = table.listener;
    void *context = table.context;
    pthread_mutex_unlock(&table.lock);
    if (!listener)
        return;
    news->calls.depth = (unsigned)backtrace(news->calls.address, WT_STACK_DEPTH);
    listener(context, news);
}

/* ---- what drivers tell ---- */

void wt_object_made(const void *space, uint64_t addr, uint64_t size, const char *by)
{
    struct wt_object_news news = {
        .event = WT_OBJECT_MADE, .space = space, .addr = addr, .size = size, .by = by};
    struct wt_object *a = malloc(sizeof *a);
    tell(&news);
    if (!a)
        return;
    pthread_mutex_lock(&table.lock);
    *a = (struct wt_object){.space = space,
                            .addr = addr,
                            .size = size,
                            .number = ++table.made,
                            .by = by,
                            .made = news.calls};
    struct wt_object **at = tsearch(a, &table.live, by_address);
    if (!at || *at != a) { /* it takes the place of one whose end nobody told */
        if (at)
            **at = *a;
        free(a);
    }
    pthread_mutex_unlock(&table.lock);
}

bool wt_object_freed(const void *space, uint64_t addr, const char *by)
{
    const struct wt_object key = {.space = space, .addr = addr};
    struct wt_object_news news = {.event = WT_OBJECT_FREED, .space = space, .addr = addr, .by = by};
    pthread_mutex_lock(&table.lock);
    struct wt_object **at = tfind(&key, &table.live, by_address), *a = at ? *at : NULL;
    struct wt_object *place = &table.freed[table.freed_count % WT_OBJECTS_FREED];
    if (a) {
        news.size = a->size;
        tdelete(&key, &table.live, by_address);
        *place = *a;
        place->freed = true;
        table.freed_count++;
        free(a);
    }
    pthread_mutex_unlock(&table.lock);
    tell(&news);
    if (!news.size || !news.calls.depth)
        return news.size;
    pthread_mutex_lock(&table.lock);
    if (place->space == space && place->addr == addr)
        place->ended = news.calls;
    pthread_mutex_unlock(&table.lock);
    return true;
}

void wt_object_copied(uint64_t addr, uint64_t from, uint64_t size, const char *by)
{
    tell(&(struct wt_object_news){
        .event = WT_OBJECT_COPIED, .addr = addr, .from = from, .size = size, .by = by});
}

void wt_object_filled(uint64_t addr, uint64_t size, const char *by)
{
    tell(&(struct wt_object_news){.event = WT_OBJECT_FILLED, .addr = addr, .size = size, .by = by});
}

/* ---- finding ---- */

struct search {
    const void *space;
    uint64_t addr;
    struct wt_object *found, *before, *behind;
    bool holds;
};

static void consider(const struct wt_object *a, struct search *s)
{
    if (a->space != s->space)
        return;
    if (s->addr - a->addr < a->size) {
        *s->found = *a;
        s->holds = true;
    } else if (a->addr > s->addr) {
        if (!s->behind->size || a->addr < s->behind->addr)
            *s->behind = *a;
    } else if (!s->before->size || a->addr + a->size > s->before->addr + s->before->size) {
        *s->before = *a;
    }
}

static void look(const void *node, VISIT which, void *search)
{
    if (which == postorder || which == leaf)
        consider(*(struct wt_object *const *)node, search);
}

bool wt_object_find(const void *space, uint64_t addr, struct wt_object *found,
                    struct wt_object *before, struct wt_object *behind)
{
    struct search s = {space, addr, found, before, behind, false};
    *found = *before = *behind = (struct wt_object){.addr = 0};
    pthread_mutex_lock(&table.lock);
    twalk_r(table.live, look, &s);
    for (size_t i = 0; !s.holds && i < WT_OBJECTS_FREED && i < table.freed_count; i++) {
        const struct wt_object *a = &table.freed[(table.freed_count - 1 - i) % WT_OBJECTS_FREED];
        if (a->space == space && addr - a->addr < a->size) {
            *found = *a;
            s.holds = true;
        }
    }
    pthread_mutex_unlock(&table.lock);
    return s.holds;
}

struct walk {
    bool (*visit)(void *context, const struct wt_object *object);
    void *context;
    bool ends;
};

static void step(const void *node, VISIT which, void *walk)
{
    struct walk *w = walk;
    if ((which == postorder || which == leaf) && !w->ends)
        w->ends = !w->visit(w->context, *(struct wt_object *const *)node);
}

void wt_objects_each(bool (*visit)(void *context, const struct wt_object *object), void *context)
{
    struct walk w = {visit, context, false};
    pthread_mutex_lock(&table.lock);
    twalk_r(table.live, step, &w);
    pthread_mutex_unlock(&table.lock);
}
