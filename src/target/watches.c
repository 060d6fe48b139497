/* Watchpoints of a target on an emulated device. See watches.h. */
#include "target/watches.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/machine/machine.h"

/* The condition of a watched instruction, called by the machine. */
static wt_lanes condition_holds(void *context, struct wt_machine *m, uint32_t wave, uint64_t pc,
                                wt_lanes mask, uint64_t time)
{
    const struct wt_emulated_condition *c = context;
    return c->holds(c->context, wave, pc, mask, time);
}

struct wt_watch wt_emulated_watch_of(const struct wt_watchpoint *w,
                                     struct wt_emulated_condition *condition)
{
    static const enum wt_watch_kind kinds[] = {[WT_WATCHPOINT_WRITE] = WT_WATCH_WRITE,
                                               [WT_WATCHPOINT_READ] = WT_WATCH_READ,
                                               [WT_WATCHPOINT_ACCESS] = WT_WATCH_ACCESS,
                                               [WT_WATCHPOINT_EXECUTE] = WT_WATCH_EXECUTE,
                                               [WT_WATCHPOINT_MISTAKE] = WT_WATCH_MISTAKE};
    *condition = (struct wt_emulated_condition){w->holds, w->context};
    return (struct wt_watch){.kind = kinds[w->kind],
                             .addr = w->addr.offset,
                             .size = w->size,
                             .wave = w->wave,
                             .home = w->home,
                             .owner = w->owner,
                             .changes = w->changes && w->kind == WT_WATCHPOINT_WRITE,
                             .holds = w->holds ? condition_holds : NULL,
                             .context = condition};
}

bool wt_emulated_watch_again(struct wt_emulated *e)
{
    return wt_set_watches(e->machine, e->watch, e->watch_count);
}

bool wt_emulated_watch_room(struct wt_emulated *e)
{
    if (!e->hit)
        e->hit = calloc(WT_WATCH_HITS, sizeof *e->hit);
    return e->hit != NULL;
}

enum wt_status wt_emulated_set_watchpoints(void *context, const struct wt_watchpoint *list,
                                           size_t count, struct wt_error *err)
{
    struct wt_emulated *e = context;
    struct wt_watch *watches = calloc(count ? count : 1, sizeof *watches), *old = e->watch;
    struct wt_emulated_condition *conditions = calloc(count ? count : 1, sizeof *conditions);
    struct wt_emulated_condition *old_conditions = e->condition;
    const bool room = watches && conditions;
    for (size_t i = 0; room && i < count; i++)
        watches[i] = wt_emulated_watch_of(&list[i], &conditions[i]);
    if (room)
        wt_watch_pin(e->machine, watches, count);
    e->watch = watches;
    e->condition = conditions;
    e->watch_count = room ? count : 0;
    const bool set = wt_emulated_watch_again(e);
    free(old);
    free(old_conditions);
    if (room && set && wt_emulated_watch_room(e))
        return WT_OK;
    e->watch_count = 0;
    wt_emulated_watch_again(e);
    return wt_fail(err, WT_NO_MEMORY, "no host memory for %zu watchpoints", count);
}

size_t wt_emulated_watchpoint_hits(void *context, const struct wt_watchpoint_hit **list)
{
    struct wt_emulated *e = context;
    struct wt_machine *m = e->machine;
    size_t count = 0;
    for (size_t i = 0; i < m->hits && e->hit; i++) {
        const struct wt_watch_hit *h = &m->hit[i];
        if (h->kind == WT_WATCH_ISSUE)
            continue; /* for a search */
        struct wt_watchpoint_hit *hit = &e->hit[count++];
        if (h->kind == WT_WATCH_EXECUTE) {
            *hit = (struct wt_watchpoint_hit){.execute = true,
                                              .mask = h->mask,
                                              .lanes = h->hits,
                                              .time = h->time,
                                              .wave = h->wave,
                                              .id = h->id,
                                              .lane = h->lane,
                                              .pc = h->pc};
            continue;
        }
        const bool mistake = h->kind == WT_WATCH_MISTAKE;
        *hit = (struct wt_watchpoint_hit){.read = !mistake && h->kind != WT_WATCH_WRITE,
                                          .write = !mistake && h->kind != WT_WATCH_READ,
                                          .mistake = mistake,
                                          .mistake_kind = h->mistake,
                                          .mask = h->mask,
                                          .lanes = h->hits,
                                          .time = h->time,
                                          .wave = h->wave,
                                          .id = h->id,
                                          .lane = h->lane,
                                          .home = h->home,
                                          .pc = h->pc,
                                          .addr = wt_address_of(h->addr),
                                          .size = h->size};
        memcpy(hit->before, h->before, sizeof hit->before);
        memcpy(hit->after, h->after, sizeof hit->after);
    }
    m->hits = 0;
    *list = e->hit;
    return count;
}
