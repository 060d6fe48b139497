/*
 * Accesses to watched memory that the debugger has yet to hear of. Several waves may access it
 * before all stand still, and one instruction may access several watched ranges. A wave of whose
 * accesses the debugger has not heard does not go on.
 */
#include "debug/standstill/standstill.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static bool is_of(const struct wt_probe *p, const struct wt_watchpoint_hit *hit,
                  wt_wave_handle wave)
{
    return hit->wave == wave && wt_standstill_is_in(p, wave, hit->id);
}

static bool is_to(const struct wt_watchpoint_hit *hit, const struct wt_watchpoint *asked)
{
    if (asked->kind == WT_WATCHPOINT_MISTAKE || hit->mistake)
        return wt_watchpoint_is_mistake(asked, hit);
    return hit->read == (asked->kind != WT_WATCHPOINT_WRITE) &&
           hit->write == (asked->kind != WT_WATCHPOINT_READ) && hit->size == asked->size &&
           wt_address_equal(hit->addr, asked->addr);
}

static void remove_hit(struct wt_standstill *s, size_t i)
{
    free(s->values_given);
    s->values_given = s->hit[i].values; /* which the debugger may be about to read */
    memmove(&s->hit[i], &s->hit[i + 1], (--s->hit_count - i) * sizeof *s->hit);
}

void wt_standstill_drop_hits(struct wt_standstill *s)
{
    while (s->hit_count)
        remove_hit(s, s->hit_count - 1);
}

/* Of waves that were ended before the debugger had heard of all. */
static void forget_ended(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (size_t i = s->hit_count; i-- > 0;)
        if (!is_of(p, &s->hit[i], s->hit[i].wave))
            remove_hit(s, i);
}

/* Room for one more hit, which is zeros; NULL: there is no memory. */
static struct wt_watchpoint_hit *add_hit(struct wt_probe *p, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    forget_ended(p);
    struct wt_watchpoint_hit *more =
        wt_array_grow(s->hit, &s->hit_capacity, s->hit_count + 1, sizeof *more);
    if (!more) {
        wt_fail(err, WT_NO_MEMORY, "out of memory for an access to watched memory");
        return NULL;
    }
    s->hit = more;
    more[s->hit_count] = (struct wt_watchpoint_hit){.wave = 0};
    return &more[s->hit_count++];
}

enum wt_status wt_standstill_note_mistake(struct wt_probe *p, const struct wt_watchpoint_hit *hit,
                                          struct wt_error *err)
{
    struct wt_watchpoint_hit *to = add_hit(p, err);
    assert(hit->mistake && hit->lanes && !hit->values);
    if (!to)
        return WT_NO_MEMORY;
    *to = *hit;
    return WT_OK;
}

enum wt_status wt_standstill_note_hit(struct wt_probe *p, wt_wave_handle wave,
                                      const struct wt_watchpoint *asked, uint64_t pc,
                                      wt_lanes lanes, const struct wt_watched_values *values,
                                      struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (size_t i = 0; i < s->hit_count; i++) {
        struct wt_watchpoint_hit *hit = &s->hit[i];
        if (!is_of(p, hit, wave) || hit->pc != pc || !is_to(hit, asked))
            continue;
        hit->lanes |= lanes;
        hit->lane = hit->lanes ? wt_lanes_lowest(hit->lanes) : 0;
        if (values && hit->values)
            memcpy(hit->values->after, values->after, sizeof values->after);
        return WT_OK;
    }
    struct wt_watched_values *kept = values ? malloc(sizeof *kept) : NULL;
    if (values && !kept)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an access to watched memory");
    struct wt_watchpoint_hit *to = add_hit(p, err);
    if (!to) {
        free(kept);
        return WT_NO_MEMORY;
    }
    if (values)
        *kept = *values;
    *to = (struct wt_watchpoint_hit){.read = asked->kind != WT_WATCHPOINT_WRITE,
                                     .write = asked->kind != WT_WATCHPOINT_READ,
                                     .wave = wave,
                                     .id = wt_standstill_row(p, wave)->wave.id,
                                     .lanes = lanes,
                                     .lane = lanes ? wt_lanes_lowest(lanes) : 0,
                                     .home = asked->home,
                                     .pc = pc,
                                     .addr = asked->addr,
                                     .size = asked->size,
                                     .known = values ? WT_WATCHED_TOLD : WT_WATCHED_NOW,
                                     .values = kept};
    return WT_OK;
}

void wt_standstill_mix_hits(struct wt_probe *p, const struct wt_watchpoint *asked)
{
    struct wt_standstill *s = wt_standstill_of(p);
    size_t count = 0;
    forget_ended(p);
    for (size_t i = 0; i < s->hit_count; i++)
        count += is_to(&s->hit[i], asked);
    for (size_t i = 0; i < s->hit_count && count > 1; i++)
        if (is_to(&s->hit[i], asked))
            s->hit[i].known = WT_WATCHED_MIXED;
}

static uint64_t order_of(const struct wt_watchpoint_hit *hit)
{
    return hit->values ? hit->values->order : 0;
}

uint32_t wt_standstill_first_watched(struct wt_probe *p)
{
    const struct wt_standstill *s = wt_standstill_of(p);
    const struct wt_watchpoint_hit *first = NULL;
    for (size_t i = 0; i < s->hit_count; i++) {
        const struct wt_watchpoint_hit *hit = &s->hit[i];
        if (is_of(p, hit, hit->wave) && (!first || order_of(hit) < order_of(first)))
            first = hit;
    }
    return first ? first->wave : WT_NO_HANDLE;
}

bool wt_standstill_has_hit(const struct wt_probe *p, wt_wave_handle wave)
{
    const struct wt_standstill *s = (const struct wt_standstill *)p;
    for (size_t i = 0; i < s->hit_count; i++)
        if (is_of(p, &s->hit[i], wave))
            return true;
    return false;
}

bool wt_standstill_has_news(const struct wt_probe *p, wt_wave_handle wave)
{
    const struct wt_standstill_row *row = wt_standstill_row(p, wave);
    const bool excepted = row->present && !row->run && row->cause == WT_HALT_EXCEPTION;
    return (excepted && !row->told) || wt_standstill_has_hit(p, wave);
}

void wt_standstill_keep_hits(struct wt_probe *p, const struct wt_watchpoint *list, size_t count)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (size_t i = s->hit_count; i-- > 0;) {
        bool kept = false;
        for (size_t k = 0; k < count; k++)
            kept |= is_to(&s->hit[i], &list[k]);
        if (!kept)
            remove_hit(s, i);
    }
}

enum wt_status wt_standstill_watched(struct wt_probe *p, wt_wave_handle wave,
                                     struct wt_watchpoint_hit *hit, bool *any, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    *any = false;
    for (size_t i = 0; i < s->hit_count && !*any; i++) {
        if (!is_of(p, &s->hit[i], wave))
            continue;
        *any = true;
        *hit = s->hit[i];
        remove_hit(s, i);
    }
    return WT_OK;
}
