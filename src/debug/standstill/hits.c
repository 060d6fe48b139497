/*
 * Accesses to watched memory that the debugger has yet to hear of. Several waves may access it
 * before all stand still, and one instruction may access several watched ranges. A wave of whose
 * accesses the debugger has not heard does not go on.
 */
#include "debug/standstill/standstill.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"

static bool is_of(const struct wt_probe *p, const struct wt_probe_watched *hit, wt_wave_handle wave)
{
    return hit->wave == wave && wt_standstill_is_in(p, wave, hit->id);
}

static bool same_watchpoint(const struct wt_watchpoint *a, const struct wt_watchpoint *b)
{
    return a->kind == b->kind && a->size == b->size && a->wave == b->wave && a->lane == b->lane &&
           wt_address_equal(a->addr, b->addr);
}

static void remove_hit(struct wt_standstill *s, size_t i)
{
    memmove(&s->hit[i], &s->hit[i + 1], (--s->hit_count - i) * sizeof *s->hit);
}

/* Of waves that were ended before the debugger had heard of all. */
static void forget_ended(struct wt_probe *p)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (size_t i = s->hit_count; i-- > 0;)
        if (!is_of(p, &s->hit[i], s->hit[i].wave))
            remove_hit(s, i);
}

enum wt_status wt_standstill_note_hit(struct wt_probe *p, wt_wave_handle wave,
                                      const struct wt_watchpoint *asked, uint64_t pc,
                                      wt_lanes lanes, const char *text,
                                      const struct wt_watched_values *values, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    for (size_t i = 0; i < s->hit_count; i++) {
        struct wt_probe_watched *hit = &s->hit[i];
        if (!is_of(p, hit, wave) || hit->pc != pc)
            continue;
        if (same_watchpoint(&hit->asked, asked)) {
            hit->lanes |= lanes;
            if (values)
                memcpy(hit->values.after, values->after, sizeof values->after);
            return WT_OK;
        }
    }
    forget_ended(p);
    struct wt_probe_watched *more =
        wt_array_grow(s->hit, &s->hit_capacity, s->hit_count + 1, sizeof *more);
    if (!more)
        return wt_fail(err, WT_NO_MEMORY, "out of memory for an access to watched memory");
    s->hit = more;
    struct wt_probe_watched *hit = &s->hit[s->hit_count++];
    *hit = (struct wt_probe_watched){.wanted = true,
                                     .wave = wave,
                                     .id = wt_standstill_row(p, wave)->wave.id,
                                     .asked = *asked,
                                     .pc = pc,
                                     .lanes = lanes};
    if (values)
        hit->values = *values;
    snprintf(hit->text, sizeof hit->text, "%s", text);
    return WT_OK;
}

void wt_standstill_mix_hits(struct wt_probe *p, const struct wt_watchpoint *asked)
{
    struct wt_standstill *s = wt_standstill_of(p);
    size_t count = 0;
    forget_ended(p);
    for (size_t i = 0; i < s->hit_count; i++)
        count += same_watchpoint(&s->hit[i].asked, asked);
    for (size_t i = 0; i < s->hit_count && count > 1; i++)
        if (same_watchpoint(&s->hit[i].asked, asked))
            s->hit[i].values.known = WT_WATCHED_MIXED;
}

uint32_t wt_standstill_first_watched(struct wt_probe *p)
{
    const struct wt_standstill *s = wt_standstill_of(p);
    const struct wt_probe_watched *first = NULL;
    for (size_t i = 0; i < s->hit_count; i++) {
        const struct wt_probe_watched *hit = &s->hit[i];
        if (is_of(p, hit, hit->wave) && (!first || hit->values.order < first->values.order))
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
            kept |= same_watchpoint(&s->hit[i].asked, &list[k]);
        if (!kept)
            remove_hit(s, i);
    }
}

enum wt_status wt_standstill_watched(struct wt_probe *p, wt_wave_handle wave,
                                     struct wt_probe_watched *watched, struct wt_error *err)
{
    struct wt_standstill *s = wt_standstill_of(p);
    (void)err;
    *watched = (struct wt_probe_watched){.wanted = false};
    for (size_t i = 0; i < s->hit_count; i++) {
        const struct wt_probe_watched *hit = &s->hit[i];
        if (!is_of(p, hit, wave))
            continue;
        *watched = *hit;
        remove_hit(s, i);
        break;
    }
    return WT_OK;
}
