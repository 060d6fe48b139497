/* The table of objects. See objects.h. */
#include "check/objects.h"

#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fork_lock.h"

/* The key of objects: their space and first address. */
struct object_place {
    const void *space;
    uint64_t addr;
};

struct object_range {
    struct object_place at;
    uint64_t size;
};

struct live {
    struct object_place at;
    struct wt_object *object;
};

struct object_block {
    struct object_place at;
    uint64_t size;
    bool carved; /* it has, or had, objects */
};

/* Bytes that kept memory counts for at least: it may be a mapping, of which a process has few. */
enum { LEAST = 1 << 14 };

struct kept {
    uint64_t addr, size;
    wt_object_release_fn *release;
    void *context;
};

/* Drivers are the process's, and so is this. */
static struct {
    pthread_mutex_t lock; /* no other lock is taken under it */
    struct live *live;
    size_t live_count, live_room;
    struct object_block *block;
    size_t block_count, block_room;
    struct wt_object freed[WT_OBJECTS_FREED];
    struct object_range
        freed_at[WT_OBJECTS_FREED];   /* the same once more: they are looked through */
    size_t freed_count;               /* ever: the newest is at freed_count - 1 */
    uint64_t made;                    /* ever */
    _Atomic uint64_t changes;         /* ever */
    atomic_bool listens, takes_calls; /* read without the lock: there is a listener, … */
    wt_objects_fn *listener;
    void *context;
    _Atomic(wt_object_end_fn *) ends;
    uint64_t allocations; /* ever */
    struct kept *kept;    /* the oldest first, from kept_first on */
    size_t kept_first, kept_end, kept_room;
    uint64_t kept_bytes, quarantine;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* zeros: no part of the file */

WT_LOCK_OVER_FORKS(table, table.lock)

/* ---- by address ---- */

/* The index of the first of a list that begins above an address; what holds it can be the one
 * before. Its elements have `size` bytes, and begin with their places. */
static size_t first_above(const void *list, size_t count, size_t size, const void *space,
                          uint64_t addr)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct object_place *at = (const void *)((const char *)list + middle * size);
        if (space == at->space ? addr < at->addr : (uintptr_t)space < (uintptr_t)at->space)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static size_t object_above(const void *space, uint64_t addr)
{
    return first_above(table.live, table.live_count, sizeof *table.live, space, addr);
}

static size_t block_above(const void *space, uint64_t addr)
{
    return first_above(table.block, table.block_count, sizeof *table.block, space, addr);
}

/* The object that begins at or below an address, the last one; NULL: none of the space does. */
static struct wt_object *object_below(const void *space, uint64_t addr)
{
    const size_t at = object_above(space, addr);
    return at && table.live[at - 1].at.space == space ? table.live[at - 1].object : NULL;
}

static struct wt_object *object_at(const void *space, uint64_t addr)
{
    struct wt_object *o = object_below(space, addr);
    return o && o->addr == addr ? o : NULL;
}

static struct object_block *block_at(const void *space, uint64_t addr)
{
    const size_t at = block_above(space, addr);
    struct object_block *b = at ? &table.block[at - 1] : NULL;
    return b && b->at.space == space && addr - b->at.addr < b->size ? b : NULL;
}

static void changed(void)
{
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_release);
}

uint64_t wt_objects_state(void)
{
    return atomic_load_explicit(&table.changes, memory_order_acquire) + 1;
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

void wt_objects_follow_ends(wt_object_end_fn *fn)
{
    table.ends = fn;
}

void wt_objects_take_calls(void)
{
    atomic_store(&table.takes_calls, true);
}

void wt_call_stack_take(struct wt_call_stack *calls)
{
    calls->depth = (unsigned)backtrace(calls->address, WT_STACK_DEPTH);
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    /* The sanitizer's function of that name is its own first caller. */
    calls->depth -= calls->depth > 0;
    memmove(calls->address, calls->address + 1, calls->depth * sizeof *calls->address);
#endif
}

/* Completes the news, and hands them to the listener, if there is one. @p calls: NULL: the calling
 * thread's. */
static void tell_of(struct wt_object_news *news, const struct wt_call_stack *calls)
{
    const bool listens = atomic_load_explicit(&table.listens, memory_order_relaxed);
    if (!listens && !atomic_load_explicit(&table.takes_calls, memory_order_relaxed))
        return;
    if (calls)
        news->calls = *calls;
    else
        wt_call_stack_take(&news->calls);
    if (!listens)
        return;
    pthread_mutex_lock(&table.lock);
    wt_objects_fn *listener = table.listener;
    void *context = table.context;
    pthread_mutex_unlock(&table.lock);
    if (listener)
        listener(context, news);
}

static void tell(struct wt_object_news *news)
{
    tell_of(news, NULL);
}

/* ---- what drivers tell ---- */

/* Adds an object, which takes the place of one whose end nobody told. */
static void add(const struct wt_object *o)
{
    struct wt_object *there = object_at(o->space, o->addr);
    struct object_block *b = block_at(o->space, o->addr);
    if (b)
        b->carved = true;
    changed();
    if (there) {
        *there = *o;
        return;
    }
    struct wt_object *copy = malloc(sizeof *copy);
    struct live *grown =
        copy ? wt_array_grow(table.live, &table.live_room, table.live_count + 1, sizeof *grown)
             : NULL;
    if (!grown) {
        free(copy);
        return;
    }
    table.live = grown;
    const size_t at = object_above(o->space, o->addr);
    memmove(&grown[at + 1], &grown[at], (table.live_count - at) * sizeof *grown);
    *copy = *o;
    grown[at] = (struct live){{o->space, o->addr}, copy};
    table.live_count++;
}

void wt_object_made(const void *space, uint64_t addr, uint64_t size, const char *by)
{
    wt_object_made_before(space, addr, size, by, NULL);
}

void wt_object_made_before(const void *space, uint64_t addr, uint64_t size, const char *by,
                           const struct wt_call_stack *calls)
{
    struct wt_object_news news = {
        .event = WT_OBJECT_MADE, .space = space, .addr = addr, .size = size, .by = by};
    tell_of(&news, calls);
    pthread_mutex_lock(&table.lock);
    add(&(struct wt_object){.space = space,
                            .addr = addr,
                            .size = size,
                            .number = ++table.made,
                            .allocation = ++table.allocations,
                            .process = getpid(),
                            .by = by,
                            .made = news.calls});
    pthread_mutex_unlock(&table.lock);
}

void wt_object_variable(const void *space, uint64_t addr, uint64_t size, const char *name,
                        bool read_only)
{
    struct wt_object o = {.space = space,
                          .addr = addr,
                          .size = size,
                          .process = getpid(),
                          .by = "",
                          .read_only = read_only};
    snprintf(o.name, sizeof o.name, "%s", name);
    pthread_mutex_lock(&table.lock);
    o.number = ++table.made;
    add(&o);
    pthread_mutex_unlock(&table.lock);
}

void wt_object_set_read_only(const void *space, uint64_t addr, bool read_only)
{
    pthread_mutex_lock(&table.lock);
    struct wt_object *o = object_at(space, addr);
    if (o)
        o->read_only = read_only;
    changed();
    pthread_mutex_unlock(&table.lock);
}

void wt_object_give_up(const void *space, uint64_t addr)
{
    pthread_mutex_lock(&table.lock);
    struct wt_object *o = object_at(space, addr);
    if (o)
        o->given_up = true;
    pthread_mutex_unlock(&table.lock);
}

static void drop(size_t at)
{
    free(table.live[at].object);
    table.live_count--;
    memmove(&table.live[at], &table.live[at + 1], (table.live_count - at) * sizeof *table.live);
    changed();
}

/* Moves a live object to the freed ones. */
static struct wt_object *take_out(size_t at)
{
    const size_t last = table.freed_count++ % WT_OBJECTS_FREED;
    struct wt_object *place = &table.freed[last];
    *place = *table.live[at].object;
    place->freed = true;
    table.freed_at[last] = (struct object_range){table.live[at].at, place->size};
    drop(at);
    return place;
}

/* Takes the place of arguments before these. False: something else is there. */
static bool clear_arguments(const void *space, uint64_t addr, uint64_t size)
{
    for (;;) {
        const struct wt_object *o = object_below(space, addr + size - 1);
        if (!o || o->addr + o->size <= addr)
            return true;
        if (strcmp(o->name, WT_ARGUMENTS) != 0)
            return false;
        drop(object_above(space, o->addr) - 1);
    }
}

void wt_object_arguments(const void *space, uint64_t addr, uint64_t size)
{
    struct wt_object o = {
        .space = space, .addr = addr, .size = size, .by = "", .name = WT_ARGUMENTS};
    pthread_mutex_lock(&table.lock);
    const struct wt_object *there = object_at(space, addr);
    const bool same = there && there->size == size && strcmp(there->name, WT_ARGUMENTS) == 0;
    if (!same && size && block_at(space, addr) && clear_arguments(space, addr, size)) {
        o.number = ++table.made;
        add(&o);
    }
    pthread_mutex_unlock(&table.lock);
}

bool wt_object_freed(const void *space, uint64_t addr, const char *by)
{
    struct wt_object_news news = {.event = WT_OBJECT_FREED, .space = space, .addr = addr, .by = by};
    pthread_mutex_lock(&table.lock);
    struct wt_object *o = object_at(space, addr), *place = NULL, is = {.size = 0};
    if (o) {
        is = *o;
        news.size = o->size;
        place = take_out(object_above(space, addr) - 1);
    }
    pthread_mutex_unlock(&table.lock);
    wt_object_end_fn *ends = table.ends;
    if (ends && is.size)
        ends(&is);
    tell(&news);
    if (!place || !news.calls.depth)
        return place;
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

/* ---- blocks ---- */

/* Whether memory of a freed object is kept there. */
static bool keeps_any(uint64_t addr, uint64_t size)
{
    for (size_t i = table.kept_first; i < table.kept_end; i++)
        if (table.kept[i].addr - addr < size)
            return true;
    return false;
}

void wt_block_made(const void *space, uint64_t addr, uint64_t size)
{
    pthread_mutex_lock(&table.lock);
    struct object_block *grown =
        wt_array_grow(table.block, &table.block_room, table.block_count + 1, sizeof *grown);
    if (grown) {
        table.block = grown;
        const size_t at = block_above(space, addr);
        memmove(&grown[at + 1], &grown[at], (table.block_count - at) * sizeof *grown);
        const struct wt_object *last = object_below(space, addr + size - 1);
        grown[at] = (struct object_block){
            {space, addr}, size, (last && last->addr >= addr) || keeps_any(addr, size)};
        table.block_count++;
    }
    changed();
    pthread_mutex_unlock(&table.lock);
}

static void free_objects(const struct object_block *b)
{
    const struct live *l = table.live;
    for (size_t at = object_above(b->at.space, b->at.addr + b->size - 1);
         at-- > 0 && l[at].at.space == b->at.space && l[at].at.addr >= b->at.addr;)
        take_out(at);
}

uint64_t wt_block_freed(const void *space, uint64_t addr)
{
    pthread_mutex_lock(&table.lock);
    const struct object_block *b = block_at(space, addr);
    const uint64_t size = b && b->at.addr == addr && b->carved ? b->size : 0;
    if (size)
        free_objects(b);
    pthread_mutex_unlock(&table.lock);
    return size;
}

bool wt_block_holds(const void *space, uint64_t addr)
{
    pthread_mutex_lock(&table.lock);
    const bool holds = block_at(space, addr);
    pthread_mutex_unlock(&table.lock);
    return holds;
}

/* Tells of the objects of a block that were not freed. */
static void tell_ends(const void *space, uint64_t addr)
{
    wt_object_end_fn *ends = table.ends;
    struct wt_object *list = NULL;
    size_t count = 0, room = 0;
    if (!ends)
        return;
    pthread_mutex_lock(&table.lock);
    const struct object_block *b = block_at(space, addr);
    for (size_t i = 0; b && b->at.addr == addr && i < table.live_count; i++) {
        const struct wt_object *o = table.live[i].object;
        struct wt_object *grown = o->space == space && o->addr - addr < b->size
                                      ? wt_array_grow(list, &room, count + 1, sizeof *grown)
                                      : NULL;
        if (grown) {
            list = grown;
            grown[count++] = *o;
        }
    }
    pthread_mutex_unlock(&table.lock);
    for (size_t i = 0; i < count; i++)
        ends(&list[i]);
    free(list);
}

void wt_block_gone(const void *space, uint64_t addr)
{
    tell_ends(space, addr);
    pthread_mutex_lock(&table.lock);
    struct object_block *b = block_at(space, addr);
    if (b && b->at.addr == addr) {
        free_objects(b);
        table.block_count--;
        memmove(b, b + 1, (size_t)(table.block + table.block_count - b) * sizeof *b);
    }
    changed();
    pthread_mutex_unlock(&table.lock);
}

/* ---- quarantine ---- */

void wt_objects_set_quarantine(uint64_t bytes)
{
    pthread_mutex_lock(&table.lock);
    table.quarantine = bytes;
    pthread_mutex_unlock(&table.lock);
}

/* Room behind the last one; false without host memory. */
static bool make_room(void)
{
    if (table.kept_first > 64 && table.kept_first > table.kept_end / 2) {
        table.kept_end -= table.kept_first;
        memmove(table.kept, table.kept + table.kept_first, table.kept_end * sizeof *table.kept);
        table.kept_first = 0;
    }
    struct kept *grown =
        wt_array_grow(table.kept, &table.kept_room, table.kept_end + 1, sizeof *grown);
    if (grown)
        table.kept = grown;
    return grown;
}

/* Releases the oldest until no more than @p most bytes are kept. False: there was nothing. */
static bool release_beyond(uint64_t most)
{
    for (bool any = false;; any = true) {
        struct kept k;
        pthread_mutex_lock(&table.lock);
        const bool due = table.kept_bytes > most;
        if (due) {
            k = table.kept[table.kept_first++];
            table.kept_bytes -= k.size;
        }
        pthread_mutex_unlock(&table.lock);
        if (!due)
            return any;
        k.release(k.context, k.addr);
    }
}

void wt_object_keep(uint64_t addr, uint64_t size, wt_object_release_fn *release, void *context)
{
    const struct kept k = {addr, size < LEAST ? LEAST : size, release, context};
    pthread_mutex_lock(&table.lock);
    const uint64_t most = table.quarantine;
    const bool kept = most && make_room();
    if (kept) {
        table.kept[table.kept_end++] = k;
        table.kept_bytes += k.size;
    }
    pthread_mutex_unlock(&table.lock);
    if (kept)
        release_beyond(most);
    else
        release(context, addr);
}

bool wt_objects_release_kept(void)
{
    return release_beyond(0);
}

/* ---- finding ---- */

/* The newest freed object that held an address, which may have had another one since; NULL: none
 * is remembered. */
static const struct wt_object *freed_at(const void *space, uint64_t addr)
{
    for (size_t i = 0; i < WT_OBJECTS_FREED && i < table.freed_count; i++) {
        const size_t place = (table.freed_count - 1 - i) % WT_OBJECTS_FREED;
        const struct object_range *r = &table.freed_at[place];
        if (r->at.space == space && addr - r->at.addr < r->size)
            return &table.freed[place];
    }
    return NULL;
}

/* Finds neighbours: of those below the last one ends last, but where variables lie in one another.
 */
static bool find(const void *space, uint64_t addr, struct wt_object *found,
                 struct wt_object *before, struct wt_object *behind)
{
    const size_t above = object_above(space, addr);
    const struct wt_object *below = object_below(space, addr);
    const struct wt_object *old = NULL;
    *found = *before = *behind = (struct wt_object){.addr = 0};
    if (below && addr - below->addr < below->size) {
        *found = *below;
        return true;
    }
    if (below)
        *before = *below;
    if (above < table.live_count && table.live[above].at.space == space)
        *behind = *table.live[above].object;
    if ((old = freed_at(space, addr)))
        *found = *old;
    return old;
}

bool wt_object_find(const void *space, uint64_t addr, struct wt_object *found,
                    struct wt_object *before, struct wt_object *behind)
{
    struct wt_object below, above;
    pthread_mutex_lock(&table.lock);
    const bool holds = find(space, addr, found, before ? before : &below, behind ? behind : &above);
    pthread_mutex_unlock(&table.lock);
    return holds;
}

bool wt_objects_have(const void *space, uint64_t first, uint64_t last)
{
    struct wt_object found, before, behind;
    pthread_mutex_lock(&table.lock);
    bool has = find(space, first, &found, &before, &behind) || (behind.size && behind.addr <= last);
    for (size_t i = 0; !has && i < WT_OBJECTS_FREED && i < table.freed_count; i++)
        has = table.freed_at[i].at.space == space &&
              table.freed_at[i].at.addr - first <= last - first;
    pthread_mutex_unlock(&table.lock);
    return has;
}

static void view_object(const struct wt_object *o, enum wt_object_place place,
                        struct wt_object_view *view)
{
    *view = (struct wt_object_view){.addr = o->addr,
                                    .size = o->size,
                                    .place = place,
                                    .freed = o->freed,
                                    .read_only = o->read_only,
                                    .made_depth = o->made.depth,
                                    .freed_depth = o->ended.depth};
    snprintf(view->by, sizeof view->by, "%s", o->by ? o->by : "");
    snprintf(view->name, sizeof view->name, "%s", o->name);
    for (unsigned i = 0; i < o->made.depth; i++)
        view->made[i] = (uintptr_t)o->made.address[i];
    for (unsigned i = 0; i < o->ended.depth; i++)
        view->freed_by[i] = (uintptr_t)o->ended.address[i];
}

void wt_object_view_of(const struct wt_object *object, struct wt_object_view *view)
{
    view_object(object, WT_IN_OBJECT, view);
}

size_t wt_object_views(const void *space, uint64_t addr, struct wt_object_view *list)
{
    struct wt_object found, before, behind;
    size_t count = 0;
    if (wt_object_find(space, addr, &found, &before, &behind)) {
        view_object(&found, WT_IN_OBJECT, &list[0]);
        return 1;
    }
    if (before.size)
        view_object(&before, WT_BEHIND_OBJECT, &list[count++]);
    if (behind.size)
        view_object(&behind, WT_BEFORE_OBJECT, &list[count++]);
    return count;
}

void wt_objects_each(bool (*visit)(void *context, const struct wt_object *object), void *context)
{
    pthread_mutex_lock(&table.lock);
    for (size_t i = 0; i < table.live_count && visit(context, table.live[i].object); i++)
        continue;
    pthread_mutex_unlock(&table.lock);
}

void wt_objects_of(const void *space, bool (*visit)(void *context, const struct wt_object *object),
                   void *context)
{
    bool more = true;
    pthread_mutex_lock(&table.lock);
    const size_t freed = table.freed_count, first = freed < WT_OBJECTS_FREED ? 0 : freed;
    for (size_t i = 0; more && i < freed && i < WT_OBJECTS_FREED; i++) {
        const struct wt_object *o = &table.freed[(first + i) % WT_OBJECTS_FREED];
        more = o->space != space || visit(context, o);
    }
    for (size_t i = 0; more && i < table.live_count; i++)
        more = table.live[i].at.space != space || visit(context, table.live[i].object);
    pthread_mutex_unlock(&table.lock);
}

void wt_object_restore(const struct wt_object *o)
{
    pthread_mutex_lock(&table.lock);
    if (o->number > table.made)
        table.made = o->number;
    add(o);
    struct wt_object *there = o->freed ? object_at(o->space, o->addr) : NULL;
    if (there)
        take_out(object_above(o->space, o->addr) - 1);
    pthread_mutex_unlock(&table.lock);
}

/* ---- judging ---- */

/* An index runs past the end more often than below the beginning: of two neighbours the one below
 * is meant, unless the one above is close and it is not. */
static const struct wt_object *meant(uint64_t addr, uint64_t size, const struct wt_object *before,
                                     const struct wt_object *behind)
{
    enum { CLOSE = 4096 };
    const uint64_t most = UINT64_C(1) << 20; /* farther away each run has other neighbours */
    const uint64_t past = before->size ? addr - (before->addr + before->size) : UINT64_MAX;
    const uint64_t ahead = behind->size ? behind->addr - addr : UINT64_MAX;
    if (past < most && (past <= ahead || ahead > CLOSE))
        return before;
    return ahead < most ? behind : NULL;
}

/* Whether memory of a freed object belongs to a live one close to an address: then the address is
 * meant for that one. */
static bool is_reused(const struct wt_object *freed, const struct wt_object *live, uint64_t addr)
{
    enum { CLOSE = 4096 };
    const uint64_t apart = live->addr > addr ? live->addr - addr : addr - (live->addr + live->size);
    return live->size && live->number > freed->number && apart < CLOSE &&
           live->addr < freed->addr + freed->size && freed->addr < live->addr + live->size;
}

static enum wt_object_verdict judge(const void *space, uint64_t addr, uint64_t size, bool write,
                                    struct wt_object *object, struct wt_good *good)
{
    struct wt_object found, before, behind, *o = object_below(space, addr);
    const struct wt_object *near;
    const struct object_block *b;
    if (o && addr - o->addr < o->size) {
        *object = *o;
        if (write && o->read_only)
            return WT_READ_ONLY;
        if (size > o->size - (addr - o->addr))
            return WT_PARTLY;
        *good = (struct wt_good){o->addr, o->addr + o->size - 1, !o->read_only, 0};
        return WT_GOOD;
    }
    *object = (struct wt_object){.addr = 0};
    b = block_at(space, addr);
    if (b && !b->carved && size <= b->size - (addr - b->at.addr)) {
        *good = (struct wt_good){b->at.addr, b->at.addr + b->size - 1, true, 0};
        return WT_GOOD;
    }
    if (find(space, addr, &found, &before, &behind) && !is_reused(&found, &before, addr) &&
        !is_reused(&found, &behind, addr)) {
        *object = found;
        return WT_FREED;
    }
    if ((near = meant(addr, size, &before, &behind)))
        *object = *near;
    return behind.size && behind.addr - addr < size ? WT_PARTLY : WT_OUTSIDE;
}

enum wt_object_verdict wt_objects_judge(const void *space, uint64_t addr, uint64_t size, bool write,
                                        struct wt_object *object, struct wt_good *good)
{
    pthread_mutex_lock(&table.lock);
    const enum wt_object_verdict verdict = judge(space, addr, size, write, object, good);
    good->state = wt_objects_state();
    pthread_mutex_unlock(&table.lock);
    return verdict;
}
