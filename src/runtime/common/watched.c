/* Watched memory of a device. See watched.h. */
#include "runtime/common/watched.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/machine.h"

bool watched_find(const struct wt_wire_watch *from, struct wt_watch *to)
{
    static const enum wt_watch_kind kinds[] = {
        [WT_WIRE_WATCH_WRITE] = WT_WATCH_WRITE,     [WT_WIRE_WATCH_READ] = WT_WATCH_READ,
        [WT_WIRE_WATCH_ACCESS] = WT_WATCH_ACCESS,   [WT_WIRE_WATCH_MISTAKE] = WT_WATCH_MISTAKE,
        [WT_WIRE_WATCH_EXECUTE] = WT_WATCH_EXECUTE, [WT_WIRE_WATCH_ISSUE] = WT_WATCH_ISSUE};
    if (from->kind >= WT_WIRE_WATCH_KINDS ||
        (from->kind != WT_WIRE_WATCH_ISSUE &&
         (!from->size || from->addr + from->size < from->addr)))
        return false;
    *to = (struct wt_watch){.kind = kinds[from->kind],
                            .addr = from->addr,
                            .size = from->size,
                            .wave = from->wave,
                            .home = from->home,
                            .owner = from->owner};
    return true;
}

bool watched_apply(struct watched *w, struct wt_machine *m)
{
    if (w->memory + w->live.places == 0) {
        const bool good = wt_set_watches(m, NULL, w->count = 0);
        free(w->watch);
        free(w->rule);
        w->watch = NULL;
        w->rule = NULL;
        return good;
    }
    struct wt_watch *grown = realloc(w->watch, (w->memory + w->live.places + 1) * sizeof *grown);
    w->watch = grown ? grown : w->watch;
    w->count = w->memory + (grown ? live_watches(&w->live, grown + w->memory) : 0);
    return wt_set_watches(m, w->watch, w->count) && grown;
}

int watched_set(struct watched *w, struct wt_machine *m, const struct wt_wire_watch *list,
                size_t count, bool changes)
{
    struct wt_watch *watch = calloc(count + 1, sizeof *watch);
    struct live_rule *rule = calloc(count + 1, sizeof *rule);
    size_t own = 0;
    if (!list)
        live_forget(&w->live);
    for (size_t i = 0; watch && rule && i < count; i++)
        if (list[i].kind < WT_WIRE_WATCH_MEMORY && list[i].wave < m->waves &&
            watched_find(&list[i], &watch[own])) {
            watch[own].changes = changes && list[i].kind == WT_WIRE_WATCH_WRITE;
            rule[own] = (struct live_rule){&w->live, list[i].rule};
            watch[own].holds = list[i].rule ? live_rule_holds : NULL;
            watch[own].context = &rule[own];
            own++;
        }
    if (watch)
        wt_watch_pin(m, watch, own);
    free(w->watch);
    free(w->rule);
    w->watch = watch;
    w->rule = rule;
    w->memory = own;
    w->hits = 0;
    if (watch && rule && watched_apply(w, m))
        return 0;
    w->memory = 0;
    wt_set_watches(m, NULL, w->count = 0);
    return -ENOMEM;
}

bool watched_take_place(struct wt_machine *m, struct wt_watch_hit *place, bool *others)
{
    const size_t hits = m->hits;
    size_t kept = 0;
    for (size_t i = 0; i < hits; i++) {
        if (m->hit[i].kind == WT_WATCH_EXECUTE)
            *place = m->hit[i];
        else
            m->hit[kept++] = m->hit[i];
    }
    m->hits = kept;
    *others = kept != 0;
    return kept < hits;
}

struct wt_wire_hit watched_hit(const struct wt_watch_hit *from)
{
    static const enum wt_wire_watched kinds[] = {[WT_WATCH_WRITE] = WT_WIRE_WATCH_WRITE,
                                                 [WT_WATCH_READ] = WT_WIRE_WATCH_READ,
                                                 [WT_WATCH_ACCESS] = WT_WIRE_WATCH_ACCESS,
                                                 [WT_WATCH_MISTAKE] = WT_WIRE_WATCH_MISTAKE};
    assert(from->kind <= WT_WATCH_MISTAKE);
    struct wt_wire_hit hit = {.id = from->id,
                              .time = from->time,
                              .pc = from->pc,
                              .home = from->home,
                              .addr = from->addr,
                              .lanes = from->hits,
                              .wave = from->wave,
                              .lane = from->lane,
                              .size = from->size,
                              .mistake = from->mistake,
                              .kind = kinds[from->kind]};
    memcpy(hit.before, from->before, sizeof hit.before);
    memcpy(hit.after, from->after, sizeof hit.after);
    return hit;
}

bool watched_take(struct watched *w, struct wt_machine *m, _Atomic uint64_t *order)
{
    struct wt_wire_hit *more = wt_array_grow(w->hit, &w->room, w->hits + m->hits, sizeof *more);
    for (size_t i = 0; more && i < m->hits; i++) {
        more[w->hits] = watched_hit(&m->hit[i]);
        more[w->hits++].order = order ? ++*order : 0;
    }
    w->hit = more ? more : w->hit;
    m->hits = 0;
    return more;
}

size_t watched_give(struct watched *w, struct wt_wire_hit *out, size_t room)
{
    const size_t count = w->hits < room ? w->hits : room;
    if (count) {
        memcpy(out, w->hit, count * sizeof *out);
        memmove(w->hit, w->hit + count, (w->hits -= count) * sizeof *out);
    }
    return count;
}

void watched_forget(struct watched *w)
{
    free(w->watch);
    free(w->rule);
    free(w->hit);
    live_forget(&w->live);
    *w = (struct watched){0};
}
