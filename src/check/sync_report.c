/* The reports of the check of synchronisation. See sync_state.h. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "check/sync_state.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/memory_model.h"

void sync_report(struct wt_check_sync *s, const struct sync_group *g, enum wt_finding_kind kind,
                 bool weaker, const struct sync_place *place, const struct sync_place *other,
                 const char *text)
{
    struct wt_finding f = {.kind = kind,
                           .severity = wt_finding_severity(kind, weaker),
                           .access = WT_NO_ACCESS,
                           .pc = place->pc,
                           .time = place->time,
                           .lanes = WT_FINDING_LANES(place->lanes),
                           .wave_id = place->id,
                           .launch = g ? g->launch : 0,
                           .entry = g ? g->entry : 0,
                           .groups = g ? g->home : 0,
                           .device = s->machine->device,
                           .times = 1,
                           .lanes_of = wt_lanes_count(place->lanes)};
    wt_wave_name(&place->name, f.wave, sizeof f.wave);
    memcpy(f.back, place->back, sizeof f.back);
    if (other) {
        f.other = (struct wt_finding_other){.pc = other->pc,
                                            .time = other->time,
                                            .lanes = WT_FINDING_LANES(other->lanes),
                                            .wave_id = other->id,
                                            .access = WT_NO_ACCESS};
        wt_wave_name(&other->name, f.other.wave, sizeof f.other.wave);
        memcpy(f.other.back, other->back, sizeof f.other.back);
    }
    snprintf(f.text, sizeof f.text, "%s", text);
    s->found(s->context, &f);
}

/* Whether two waves wait at one barrier. */
static bool is_same(const struct wt_check_sync *s, uint32_t a, uint32_t b)
{
    const struct sync_wait *one = &s->wait[a], *other = &s->wait[b];
    const uint32_t cores = s->machine->groups.waves_per_core;
    return one->barrier == other->barrier && one->number == other->number &&
           one->home == other->home && (one->barrier != WT_BARRIER_CORE || a / cores == b / cores);
}

void sync_report_deadlock(struct wt_check_sync *s, uint64_t time)
{
    const struct wt_machine *m = s->machine;
    const bool of_lanes = wt_memory_model_of(m)->barriers_count_lanes;
    uint32_t first = m->waves, other = m->waves;
    unsigned here = 0, elsewhere = 0;
    char words[sizeof((struct wt_finding *)0)->text];
    struct wt_text text = {words, sizeof words};
    for (uint32_t i = 0; i < m->waves; i++) {
        if (!wt_machine_wave(m, i)->active)
            continue;
        if (!s->wait[i].place.id) {
            elsewhere++;
            continue;
        }
        first = first < m->waves ? first : i;
        if (is_same(s, first, i))
            here += of_lanes ? wt_lanes_count(s->wait[i].place.lanes) : 1;
        else
            other = other < m->waves ? other : i;
    }
    if (first == m->waves || (s->deadlock && s->deadlock == time))
        return;
    s->deadlock = time;
    const struct sync_wait *w = &s->wait[first];
    struct sync_group *g = s->group_of[first];
    struct sync_place place = w->place;
    place.time = time;
    wt_text_add(&text, "barrier %u waits for ", w->number);
    if (w->expected)
        wt_text_add(&text, "%u %s%s", w->expected, of_lanes ? "lane" : "wave",
                    wt_plural(w->expected));
    else
        wt_text_add(&text, "all of the group");
    wt_text_add(&text, ", and %u ha%s arrived", here, here == 1 ? "s" : "ve");
    if (other < m->waves)
        wt_text_add(&text, "; others wait at another barrier");
    if (elsewhere)
        wt_text_add(&text, "; %u wait%s for the end of others", elsewhere,
                    elsewhere == 1 ? "s" : "");
    sync_report(s, g, WT_FOUND_DEADLOCK, false, &place,
                other < m->waves ? &s->wait[other].place : NULL, words);
}
