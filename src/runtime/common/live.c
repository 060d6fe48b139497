/* Breakpoints that the process judges itself. See live.h. */
#include "runtime/common/live.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/watch.h"
#include "expr/condition_wire.h"

/* ---- judging ---- */

static void lock(struct live_points *live)
{
    while (atomic_exchange_explicit(&live->locked, true, memory_order_acquire))
        sched_yield();
}

static void unlock(struct live_points *live)
{
    atomic_store_explicit(&live->locked, false, memory_order_release);
}

void live_print(void *context, const char *text, size_t length)
{
    struct live_points *live = context;
    wt_buffer_append(&live->text, text, length);
}

static wt_lanes holds(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                      wt_lanes mask, uint64_t time)
{
    struct live_place *p = context;
    struct live_points *live = p->live;
    lock(live);
    const size_t printed = live->text.length;
    p->decided = wt_condition_judge(p->condition, m, wave, pc, mask, time, &p->stop);
    if (!p->decided)
        live->text.length = printed;
    if (live->text.length != printed)
        atomic_store(&live->has_news, true);
    unlock(live);
    return p->stop;
}

wt_lanes live_rule_holds(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                         wt_lanes mask, uint64_t time)
{
    const struct live_rule *rule = context;
    for (size_t i = rule->live->places; i < rule->live->all; i++) {
        struct live_place *p = &rule->live->place[i];
        if (p->wire.addr == rule->number && p->wire.pc == pc)
            return holds(p, m, wave, pc, mask, time);
    }
    return mask;
}

size_t live_watches(const struct live_points *live, struct wt_watch *to)
{
    size_t count = 0;
    for (size_t i = 0; i < live->places; i++)
        if (live->place[i].armed)
            to[count++] = (struct wt_watch){.kind = WT_WATCH_EXECUTE,
                                            .addr = live->place[i].wire.pc,
                                            .size = 1,
                                            .holds = holds,
                                            .context = &live->place[i]};
    return count;
}

void live_note(struct live_points *live, const struct live_place *place,
               const struct wt_watch_hit *hit)
{
    struct wt_wire_arrived ignored;
    live_arrived(live, hit->id, hit->pc, &ignored);
    if (!place->decided)
        return;
    struct live_arrival *more =
        wt_array_grow(live->arrival, &live->arrival_room, live->arrivals + 1, sizeof *more);
    if (!more)
        return; /* the debugger evaluates */
    live->arrival = more;
    more[live->arrivals++] =
        (struct live_arrival){.id = hit->id,
                              .pc = hit->pc,
                              .told = {{(uint64_t)place->stop, (uint64_t)(place->stop >> 64)}}};
}

bool live_arrived(struct live_points *live, uint64_t id, uint64_t pc, struct wt_wire_arrived *told)
{
    for (size_t i = 0; i < live->arrivals; i++) {
        if (live->arrival[i].id != id)
            continue;
        const bool there = live->arrival[i].pc == pc;
        *told = live->arrival[i].told;
        live->arrival[i] = live->arrival[--live->arrivals];
        return there;
    }
    return false;
}

/* ---- the list ---- */

static void take_counts(struct live_points *live)
{
    for (size_t i = 0; live->counts && i < live->counts->count; i++) {
        struct wt_condition_tally *t = &live->counts->list[i];
        const struct wt_condition_count one = {.owner = t->owner, .times = t->times};
        if (t->times)
            wt_buffer_append(&live->counted, &one, sizeof one);
        t->times = 0;
    }
}

static void forget_places(struct live_points *live)
{
    for (size_t i = 0; i < live->all; i++)
        wt_condition_free(live->place[i].condition);
    free(live->place);
    live->place = NULL;
    live->places = live->all = 0;
    if (live->counts)
        free(live->counts->list);
    free(live->counts);
    live->counts = NULL;
}

void live_moved(struct live_points *live)
{
    for (size_t i = 0; i < live->all; i++)
        wt_condition_moved(live->place[i].condition);
}

/* Times that the debugger has not heard of are ignored ones, too. */
static void go_on_counting(const struct wt_condition_counts *from, struct wt_condition_counts *to)
{
    for (size_t i = 0; to && i < to->count; i++)
        for (size_t k = 0; from && k < from->count; k++) {
            struct wt_condition_tally *t = &to->list[i];
            const uint64_t times = t->owner == from->list[k].owner ? from->list[k].times : 0;
            t->ignored -= times < t->ignored ? times : t->ignored;
        }
}

void live_replace(struct live_points *live, const struct live_points *new)
{
    lock(live);
    go_on_counting(live->counts, new->counts);
    take_counts(live);
    forget_places(live);
    live->counts = new->counts;
    live->place = new->place;
    live->places = new->places;
    live->all = new->all;
    unlock(live);
}

void live_forget(struct live_points *live)
{
    lock(live);
    forget_places(live);
    free(live->arrival);
    free(live->counted.bytes);
    free(live->text.bytes);
    *live = (struct live_points){0};
}

/* ---- news ---- */

bool live_has_news(struct live_points *live)
{
    return atomic_load(&live->has_news);
}

static size_t give(struct live_points *live, uint8_t *bytes, size_t room, bool *more)
{
    struct wt_wire_live_news head;
    atomic_store(&live->has_news, false);
    take_counts(live);
    assert(room >= sizeof head);
    room -= sizeof head;
    const size_t one = sizeof(struct wt_condition_count);
    const size_t counts = live->counted.length < room ? live->counted.length : room / one * one;
    const size_t text = live->text.length < room - counts ? live->text.length : room - counts;
    head = (struct wt_wire_live_news){(uint32_t)(counts / one), (uint32_t)text};
    memcpy(bytes, &head, sizeof head);
    if (counts)
        memcpy(bytes + sizeof head, live->counted.bytes, counts);
    if (text)
        memcpy(bytes + sizeof head + counts, live->text.bytes, text);
    if (live->counted.length -= counts)
        memmove(live->counted.bytes, live->counted.bytes + counts, live->counted.length);
    if (live->text.length -= text)
        memmove(live->text.bytes, live->text.bytes + text, live->text.length);
    *more = live->counted.length || live->text.length;
    return sizeof head + counts + text;
}

size_t live_news(struct live_points *live, uint8_t *bytes, size_t room, bool *more)
{
    lock(live);
    const size_t size = give(live, bytes, room, more);
    unlock(live);
    return size;
}

uint8_t *live_last(struct live_points *live, size_t *size)
{
    bool more;
    lock(live);
    take_counts(live);
    const size_t room = sizeof(struct wt_wire_live_news) + live->counted.length + live->text.length;
    uint8_t *bytes = live->counted.length || live->text.length ? malloc(room) : NULL;
    *size = bytes ? give(live, bytes, room, &more) : 0;
    unlock(live);
    return bytes;
}
