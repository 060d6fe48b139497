/* Effects of the host on memory that is followed: allocations, copies, fills. See init.h. */
#include <stdlib.h>

#include "check/init_state.h"

static void make(const struct wt_object_news *news)
{
    /* It is not in the table yet. */
    const struct wt_object object = {.space = news->space,
                                     .addr = news->addr,
                                     .size = news->size,
                                     .by = news->by,
                                     .made = news->calls};
    const bool hidden = init_is_hidden(&object);
    init_lock();
    init_new_origin(NULL);
    struct init_space *s = init_memory_of(news->space);
    const uint32_t origin =
        s && (hidden || init_is_of_both(&object))
            ? init_new_origin(&(struct init_origin){.kind = WT_ORIGIN_OBJECT, .object = object})
            : 0;
    init_note_change(news->space, news->addr, news->size);
    if (origin && hidden)
        init_undefine(s, news->addr, news->size, origin);
    else if (s && (!origin || !init_untouched_made(s, &object, origin)))
        init_define(s, news->addr, news->size);
    init_unlock();
}

bool wt_check_init_is_of_host(const void *space, uint64_t addr)
{
    struct wt_object object;
    return !wt_object_find(space, addr, &object, NULL, NULL) || !init_is_hidden(&object);
}

/* ---- what the host gets ---- */

static struct wt_init_read *reads; /* under way; the lock is held */

/* Notes what of @p size bytes at @p from must not be there, the first of which is byte @p at of
 * what a call copies to the host. */
static void judge_copy(struct wt_init_read *r, struct init_space *s, uint64_t from, uint64_t size,
                       uint64_t at, const char *by, const struct wt_call_stack *calls)
{
    if (!r->found && !(r->found = calloc(1, sizeof *r->found)))
        return;
    if (!r->found->by) {
        r->found->check = init_checks();
        r->found->whole = r->found->check->level >= WT_INIT_COPY;
        r->found->by = by;
        r->found->calls = *calls;
    }
    init_results_add(r->found, s, from, size, at);
}

static void tell(struct wt_init_read *r)
{
    if (r->found)
        init_results_tell(r->found);
    free(r->found);
    r->found = NULL;
}

void wt_check_init_got(struct wt_init_read *r, const void *space, uint64_t addr, uint64_t size,
                       const char *by, const struct wt_call_stack *calls)
{
    init_lock();
    struct init_space *s = size && init_checks() ? init_memory_of(space) : NULL;
    if (s && !init_is_defined(s, addr, size))
        judge_copy(r, s, addr, size, r->at, by, calls);
    r->at += size;
    init_unlock();
}

void wt_check_init_read_begins(struct wt_init_read *r)
{
    init_lock();
    r->told = false;
    r->found = NULL;
    r->next = reads;
    reads = r;
    init_unlock();
}

void wt_check_init_read_row(struct wt_init_read *r, uint64_t from, uint64_t size)
{
    init_lock();
    r->at += r->size;
    r->from = from;
    r->size = size;
    init_unlock();
}

bool wt_check_init_read_ended(struct wt_init_read *r)
{
    init_lock();
    struct wt_init_read **at = &reads;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    const bool told = r->told;
    tell(r);
    init_unlock();
    return told;
}

/* Bytes that a copy moves stay as they are, unless it goes to the host. */
static void take_copy(const struct wt_object_news *news)
{
    const void *space = news->space;
    const uint64_t to = news->addr, from = news->from, size = news->size;
    const bool host = wt_check_init_is_of_host(space, to);
    init_lock();
    if (size)
        init_untouched_look(space, from, from + size - 1);
    struct init_space *s = init_memory_of(space);
    struct wt_init_read alone = {.from = from}, *of = &alone;
    for (struct wt_init_read *r = reads; r && host; r = r->next)
        if (from < r->from + r->size && r->from < from + size) {
            r->told = true;
            of = r;
        }
    if (s && size && host && init_checks() && !init_is_defined(s, from, size))
        judge_copy(of, s, from, size, of->at + (from > of->from ? from - of->from : 0), news->by,
                   &news->calls);
    tell(&alone);
    init_note_change(space, to, size);
    if (s && size && host)
        init_define(s, to, size);
    else if (s && size)
        init_copy(s, to, s, from, size);
    init_unlock();
}

void wt_check_init_filled(const void *space, uint64_t addr, uint64_t size)
{
    init_lock();
    init_define_of_host(space, addr, size);
    init_unlock();
}

static void take_news(void *context, const struct wt_object_news *news)
{
    switch (news->event) {
    case WT_OBJECT_MADE:
        make(news);
        break;
    case WT_OBJECT_FREED: /* what the runtime has for itself there next counts as written */
        init_lock();
        init_untouched_freed(news->space, news->addr);
        init_unlock();
        wt_check_init_filled(news->space, news->addr, news->size);
        break;
    case WT_OBJECT_COPIED:
        take_copy(news);
        break;
    case WT_OBJECT_FILLED:
        wt_check_init_filled(news->space, news->addr, news->size);
        break;
    }
}

void wt_check_init_listen(wt_check_say_fn *say)
{
    init_untouched_say(say);
    wt_objects_listen(take_news, NULL);
}
