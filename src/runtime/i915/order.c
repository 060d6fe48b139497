/* See order.h. A command begins, as an operation, when all have begun that it comes behind: it
 * may wait for an event of the program's. Queues and events stay, by their handles. */
#include "runtime/i915/order.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "base/token.h"
#include "check/order.h"
#include "check/race.h"
#include "runtime/common/checked.h"
#include "runtime/common/host_edges.h"
#include "runtime/common/host_pages.h"
#include "runtime/common/streams.h"
#include "runtime/i915/defined.h"

struct order_queue {
    enum drm_queue_order order;
    struct wt_order_stream stream; /* stream of its commands, if they have an order */
    struct wt_order_point given;   /* by all of them that have begun */
    struct wt_order_point barrier; /* what the next ones come behind */
    struct order_command *last;    /* that has not begun; NULL: none */
};

struct order_event {
    bool complete; /* the program has signaled it; or its command has begun */
    struct wt_order_point done;
};

struct order_access {
    struct drm_part part; /* 0 bytes: none, or it is told */
    enum wt_access access;
};

struct order_command {
    struct order_command *next, *before; /* in the list; what it comes behind in its queue */
    struct order_queue *queue;
    struct wt_order_call call;
    uint64_t kernel;
    struct wt_order_operation is; /* once it has begun */
    bool barrier, all, begun, walked;
    struct order_access access[2];
    const void *image[2]; /* that one of the runtime's kernels copies or fills; NULL: none */
    unsigned followers;   /* whose `before` it is, and which have not begun */
    bool settled;         /* its call has returned */
    bool named;           /* the program has its event */
    struct order_event *signals, *resets; /* the program's, or NULL */
    struct order_event *done, *event[];   /* NULL at the end */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wt_map queues, events; /* handle: what it is */
static struct wt_block *renewed;     /* by objects that have got their places since */
static size_t renewals, renewed_room;
static const struct drm_order_gpu *gpu; /* that was made, or has walked last */
static struct wt_check_race *taken;     /* its check, while it is taken for that */
static unsigned calls;                  /* calls of the API, that are under way */
enum { FEW = 64 };
static struct order_command *first, **last = &first;
static size_t listed, limit = FEW; /* at `limit` some are forgotten */

/* The object of a handle; a new one is all zeros. NULL without host memory. */
static void *of_handle(struct wt_map *map, const void *handle, size_t size)
{
    return handle ? wt_map_block(map, (uint64_t)(uintptr_t)handle, size) : NULL;
}

static struct order_queue *queue_of(const void *handle)
{
    return of_handle(&queues, handle, sizeof(struct order_queue));
}

static struct order_event *event_of(const void *handle)
{
    return of_handle(&events, handle, sizeof(struct order_event));
}

/* The next event of a handle, which another one had before. */
static void renew(const void *handle, struct order_event *is)
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

static bool is_ready(const struct order_command *c)
{
    bool ready = !c->before || c->before->begun;
    for (unsigned i = 0; c->event[i]; i++)
        ready &= c->event[i]->complete;
    return ready;
}

/* A signaled event keeps what it was signaled for when it is signaled again. */
static void signal(struct order_event *e, struct wt_order_point *by)
{
    if (!e->complete && by)
        wt_order_wait(wt_streams_order(), &e->done, by);
    else if (!e->complete) /* by the calling thread */
        wt_order_wait_as_host(wt_streams_order(), &e->done);
    e->complete = true;
}

static void reset(struct order_event *e)
{
    wt_order_drop(&e->done);
    e->complete = false;
}

static bool has_image(const struct order_command *c)
{
    return c->image[0] || c->image[1];
}

static void begin(struct order_command *c)
{
    struct order_queue *q = c->queue;
    struct wt_order_stream own = {.number = 0};
    struct wt_order_stream *s = q->order == DRM_IN_ORDER ? &q->stream : &own;
    for (unsigned i = 0; c->event[i] && q->order == DRM_STARTS_IN_ORDER; i++)
        wt_order_wait(wt_streams_order(), &q->barrier, &c->event[i]->done);
    wt_order_wait(wt_streams_order(), &s->point, &q->barrier);
    if (c->all)
        wt_order_wait(wt_streams_order(), &s->point, &q->given);
    for (unsigned i = 0; c->event[i]; i++)
        wt_order_wait(wt_streams_order(), &s->point, &c->event[i]->done);
    wt_order_begin(wt_streams_order(), s, &c->call);
    c->is = wt_order_operation_copy(&wt_streams_order()->newest);
    c->is.copies = c->is.by_kernels = has_image(c);
    wt_order_wait(wt_streams_order(), &q->given, &s->point);
    wt_order_wait(wt_streams_order(), &c->done->done, &s->point);
    if (c->signals)
        signal(c->signals, &s->point);
    if (c->resets)
        reset(c->resets);
    if (c->barrier)
        wt_order_wait(wt_streams_order(), &q->barrier, &s->point);
    wt_streams_changed();
    if (q->last == c)
        q->last = NULL;
    if (c->before)
        c->before->followers--;
    wt_order_drop(&own.point);
    c->begun = c->done->complete = true;
}

/* Begins all that can. */
static void begin_ready(void)
{
    for (bool again = wt_streams_order()->waiting; again;) {
        again = false;
        for (struct order_command *c = first; c; c = c->next)
            if (!c->begun && is_ready(c)) {
                begin(c);
                again = true;
            }
    }
}

/* Whether a walk or an access of it is to come, or another command waits for it. */
static bool is_needed(const struct order_command *c)
{
    const bool accesses = c->access[0].part.size || c->access[1].part.size;
    return !c->settled || !c->begun || c->followers ||
           ((accesses || has_image(c)) && c->is.number > wt_streams_order()->calm) ||
           (c->kernel && !c->walked);
}

/* Forgets those that nobody needs, when there are many. */
static void forget(void)
{
    struct order_command **link = &first;
    if (listed <= limit)
        return;
    for (struct order_command *c; (c = *link);) {
        if (is_needed(c)) {
            link = &c->next;
            continue;
        }
        *link = c->next;
        listed--;
        wt_order_operation_drop(&c->is);
        if (!c->named)
            wt_order_drop(&c->done->done);
        if (!c->named)
            free(c->done);
        free(c);
    }
    last = link;
    limit = 2 * listed + FEW;
}

/* ---- copies ---- */

/* A part of memory; its size is 0 where the buffer is unknown. */
static struct order_access access_of(const struct drm_part *part, enum wt_access access)
{
    struct order_access a = {.part = *part, .access = access};
    struct drm_place place;
    if (part->is_image || !drm_buffer_find(part, &place))
        a.part.size = 0;
    return a;
}

/* The contents at the addresses of new objects are another one's. */
static void tell_renewed(struct wt_check_race *race)
{
    for (size_t i = 0; i < renewals; i++)
        wt_check_race_renewed(race, renewed[i].addr, renewed[i].size);
    renewals = 0;
}

/* The newest operation has accessed a box. */
static void tell_box(struct wt_check_race *race, uint64_t addr, const struct order_access *a)
{
    const struct drm_part *box = &a->part;
    for (uint64_t slice = 0; slice < (box->slices ? box->slices : 1); slice++)
        for (uint64_t row = 0; row < (box->rows ? box->rows : 1); row++)
            wt_check_race_copied(race, addr + slice * box->slice_pitch + row * box->row_pitch,
                                 box->size, a->access);
}

/* Whether a kernel that it comes behind has not run yet: what that accesses is told first, as the
 * last access of a place is the one that is kept. */
static bool is_early(const struct order_command *c)
{
    const struct wt_order *o = wt_streams_order();
    bool early = false;
    for (const struct order_command *k = first; k && !early; k = k->next)
        early = k != c && k->kernel && k->begun && !k->walked &&
                !wt_order_is_over(o, k->is.stream, k->is.number) &&
                wt_order_is_before(&k->is, &c->is);
    return early;
}

/* Tells the check what commands have accessed that have begun, as far as it has addresses. The GPU
 * has been taken. */
static void tell_accesses(struct wt_check_race *race)
{
    const struct wt_order_operation newest = wt_streams_order()->newest;
    for (struct order_command *c = first; c; c = c->next)
        for (unsigned i = 0; i < 2; i++) {
            struct order_access *a = &c->access[i];
            struct drm_place place;
            if (!c->begun || !a->part.size || !drm_buffer_find(&a->part, &place) ||
                (place.object && !place.address) || is_early(c))
                continue;
            wt_check_race_set_order(race, wt_streams_order());
            wt_streams_order()->newest = c->is;
            tell_box(race, place.address + place.offset, a);
            a->part.size = 0;
        }
    wt_streams_order()->newest = newest;
}

/* Likewise, by a thread of the program; the lock is not held. */
static void settle(void)
{
    if (!wt_check_wants(WT_CHECK_RACE) || !gpu)
        return;
    struct wt_check_race *race = gpu->take(gpu->context);
    if (race && begins()) {
        tell_renewed(race);
        tell_accesses(race);
        ends();
    }
    gpu->give_back(gpu->context);
}

/* ---- the host's own accesses ---- */

static bool next_race(unsigned number, struct wt_check_race **race)
{
    *race = taken;
    return number == 0 && taken;
}

/* Takes the GPU and the lock; false: there is no check. */
static bool take(void)
{
    const struct drm_order_gpu *g = gpu;
    struct wt_check_race *race = g ? g->take(g->context) : NULL;
    if (race && begins()) {
        taken = race;
        wt_streams_follow(next_race);
        return true;
    }
    if (g)
        g->give_back(g->context);
    return false;
}

static void give_back(void)
{
    const struct drm_order_gpu *g = gpu;
    taken = NULL;
    ends();
    g->give_back(g->context);
}

static bool listens(void)
{
    return getenv(WT_LISTEN_VARIABLE);
}

void drm_order_gpu_made(const struct drm_order_gpu *g)
{
    if (!begins())
        return;
    gpu = g;
    wt_host_edges_follow(wt_streams_order());
    ends();
}

bool drm_order_enter(void)
{
    if (!begins())
        return false;
    calls++;
    const bool watches = wt_streams_watch();
    ends();
    if (watches && take()) {
        wt_streams_enter();
        give_back();
    }
    return true;
}

/* Waits until no batch can run on, or kernels wait for the host, or for a debugger: then the host
 * goes on beside them. False: a batch can run on. */
static bool await_rest(void)
{
    enum { PAUSE_NS = 1000000, PATIENCE = 10000 };
    uint64_t before = UINT64_MAX;
    unsigned still = 0; /* pauses in which no wave has executed anything */
    for (bool idles = false; !idles;) {
        if (gpu->await_rest(gpu->context, PAUSE_NS))
            return true;
        const struct wt_check_race *race = gpu->take(gpu->context);
        const uint64_t now = wt_check_race_time(race);
        still = now == before ? still + 1 : 0;
        idles = !race || wt_check_race_idles(race) || still > (listens() ? 1 : PATIENCE);
        before = now;
        gpu->give_back(gpu->context);
    }
    return false;
}

/* A debugger may access the program's memory at any time; that is no access of the program. */
void drm_order_leave(const bool *entered)
{
    if (!*entered || !begins())
        return;
    const bool last_one = --calls == 0, changes = wt_streams_will_watch(),
               watches = last_one && gpu && (changes || wt_streams_watch());
    ends();
    if (!watches)
        return;
    const bool rests = changes ? await_rest() : gpu->await_rest(gpu->context, 0);
    if (!take())
        return;
    tell_renewed(taken);
    tell_accesses(taken);
    if (!calls)
        wt_streams_leave(rests && !gpu->walks(gpu->context) && !listens());
    give_back();
}

void drm_order_shared(uint64_t address, uint64_t size, bool has_pages)
{
    if (!begins())
        return;
    wt_streams_share(address, size, has_pages ? WT_OF_BOTH : WT_OF_REGISTERED);
    ends();
}

void drm_order_unshared(uint64_t address)
{
    if (!begins())
        return;
    wt_streams_forget(address, 1);
    ends();
}

void drm_order_placed(const void *file, uint32_t number, uint64_t address, uint64_t size)
{
    const uint64_t was = drm_buffer_placed(file, number, address);
    drm_defined_placed(file, number, address);
    if (!begins())
        return;
    if (was && !address)
        wt_streams_forget(was, size);
    struct wt_block *grown =
        address ? wt_array_grow(renewed, &renewed_room, renewals + 1, sizeof *grown) : NULL;
    if (grown) {
        renewed = grown;
        grown[renewals++] = (struct wt_block){address, size};
    }
    ends();
}

/* ---- calls ---- */

void drm_order_enqueue(struct drm_order_command *a)
{
    const void *const *handle = a->events;
    if (!begins())
        return;
    struct order_queue *q = queue_of(a->queue);
    struct order_command *c = calloc(1, sizeof *c + (a->count + 1) * sizeof(*c->event));
    struct order_event *done = calloc(1, sizeof *done);
    if (!q || !c || !done) {
        free(c);
        free(done);
        ends();
        return;
    }
    *c = (struct order_command){
        .queue = q,
        .before = q->order != DRM_NO_ORDER || a->all || a->barrier ? q->last : NULL,
        .kernel = a->kernel,
        .barrier = a->barrier,
        .all = a->all && !a->count,
        .access = {access_of(&a->from, WT_ACCESS_LOAD), access_of(&a->to, WT_ACCESS_STORE)},
        .image = {a->from.is_image ? a->from.buffer : NULL, a->to.is_image ? a->to.buffer : NULL},
        .signals = event_of(a->signals),
        .resets = event_of(a->resets),
        .done = done};
    for (uint32_t i = 0, n = 0; handle && i < a->count; i++)
        if ((c->event[n] = event_of(handle[i])))
            n++;
    wt_order_call(wt_streams_order(), &c->call, a->by);
    if (a->calls)
        c->call.calls = *a->calls;
    if (c->before)
        c->before->followers++;
    forget();
    *last = c;
    last = &c->next;
    listed++;
    q->last = c;
    a->enqueued = c;
    if (is_ready(c))
        begin(c);
    begin_ready(); /* what waits for an event that it has signaled */
    ends();
}

void drm_order_enqueued(const struct drm_order_command *a, bool good, const void *event, bool waits)
{
    struct order_command *c = a->enqueued;
    void *const *handle = event;
    if (waits)
        settle();
    if (good)
        drm_defined_command(&a->from, &a->to, a->by, a->calls, waits);
    if (!c || !begins())
        return;
    if (good && handle && *handle) {
        renew(*handle, c->done);
        c->named = true;
    }
    if (good && waits && c->begun)
        wt_streams_host_waits_for(&c->done->done);
    c->kernel = good ? c->kernel : 0;
    c->settled = true;
    ends();
}

/* ---- queues, events, waits ---- */

void drm_order_queue(const void *queue, enum drm_queue_order of)
{
    if (!begins())
        return;
    struct order_queue *q = queue_of(queue);
    if (q)
        q->order = of;
    ends();
}

void drm_order_event(const void *event)
{
    if (!begins())
        return;
    renew(event, calloc(1, sizeof(struct order_event)));
    ends();
}

void drm_order_finished(const void *queue)
{
    settle();
    drm_defined_waited();
    if (!begins())
        return;
    struct order_queue *q = queue_of(queue);
    if (q)
        wt_streams_host_waits_for(&q->given);
    ends();
}

void drm_order_waited(uint32_t count, const void *list)
{
    const void *const *handle = list;
    settle();
    drm_defined_waited();
    if (!begins())
        return;
    for (uint32_t i = 0; handle && i < count; i++) {
        struct order_event *e = event_of(handle[i]);
        if (e && e->complete)
            wt_streams_host_waits_for(&e->done);
    }
    ends();
}

void drm_order_set(const void *event)
{
    if (!begins())
        return;
    struct order_event *e = event_of(event);
    if (e)
        signal(e, NULL);
    begin_ready();
    ends();
}

void drm_order_reset(const void *event)
{
    if (!begins())
        return;
    struct order_event *e = event_of(event);
    if (e)
        reset(e);
    ends();
}

/* ---- walks ---- */

/* Whether an image begins at a surface. */
static bool is_surface(const void *image, const struct drm_order_walk *walk)
{
    struct drm_place place;
    bool is = !image;
    if (image && drm_buffer_find(&(struct drm_part){.buffer = image}, &place) && place.address)
        for (unsigned i = 0; i < DRM_ORDER_SURFACES; i++)
            is |= walk->surface[i] == place.address + place.offset;
    return is;
}

/* Whether the walk does the command's work. The engine executes commands in the order of the calls,
 * so that it is the first such command. Some have no walk: the host has waited for them. */
static bool is_walk_of(const struct order_command *c, const struct drm_order_walk *walk)
{
    if (!c->begun || c->walked)
        return false;
    if (!walk->own)
        return c->kernel == walk->kernel;
    return has_image(c) && is_surface(c->image[0], walk) && is_surface(c->image[1], walk) &&
           !wt_order_is_over(wt_streams_order(), c->is.stream, c->is.number);
}

void drm_order_walk(const struct drm_order_gpu *g, struct wt_check_race *race,
                    const struct drm_order_walk *walk)
{
    /* Accesses of no known command count as ordered; of the runtime's kernels only accesses for
     * commands with images count. */
    const struct wt_order_operation other = {.calm = UINT32_MAX, .copies = walk->own};
    const struct wt_order_operation *is = NULL;
    if (!race || !begins())
        return;
    gpu = g;
    wt_host_pages_release();
    tell_renewed(race);
    tell_accesses(race);
    for (struct order_command *c = first; c && !is; c = c->next)
        if (is_walk_of(c, walk)) {
            c->walked = true;
            is = &c->is;
        }
    if (wt_streams_order()->now) {
        wt_check_race_set_order(race, wt_streams_order());
        wt_check_race_launch(race, walk->number, is ? is : &other);
    }
    ends();
}
