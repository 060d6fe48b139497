/* The program counters of a kernel's waves, for reports. See places.h. */
#include "runtime/common/places.h"

#include <string.h>

#include "base/called_place.h"
#include "base/text.h"
#include "base/wave_name.h"
#include "base/wave_view.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/trail.h"

enum { MOST_STATES = 24 };

/* Waves that are in the same state. */
struct state {
    uint64_t pc;
    wt_lanes mask;
    char wait[96];
    uint32_t first, count;        /* waves */
    struct wt_called_place place; /* without its calls, which are: */
    uint64_t back[WT_TRAIL];
};

static bool wave_state(struct wt_machine *m, uint32_t wave, struct state *s)
{
    struct wt_wave_view view;
    m->ops->view(m, wave, &view);
    if (!view.active)
        return false;
    *s = (struct state){
        .pc = view.waiting ? view.wait_pc : view.pc, .mask = view.mask, .first = wave, .count = 1};
    snprintf(s->wait, sizeof s->wait, "%s", view.waiting ? view.wait : "");
    s->place = wt_trail_place(m, wave, s->mask, s->pc, s->back);
    return true;
}

static bool same_state(const struct state *a, const struct state *b)
{
    return a->pc == b->pc && a->mask == b->mask && strcmp(a->wait, b->wait) == 0 &&
           memcmp(a->back, b->back, sizeof a->back) == 0;
}

/* The states; returns how many there are, of which `room` are kept. */
static size_t collect(const struct wt_places *p, struct state *state, size_t room)
{
    size_t count = 0;
    for (uint32_t wave = 0; wave < p->machine->waves; wave++) {
        struct state s;
        if ((p->holds && !p->holds(p->context, wave)) || !wave_state(p->machine, wave, &s))
            continue;
        size_t i = 0;
        while (i < count && i < room && !same_state(&state[i], &s))
            i++;
        if (i < count && i < room) {
            state[i].count++;
        } else {
            if (count < room)
                state[count] = s;
            count++;
        }
    }
    return count;
}

static void tell_state(FILE *out, const struct wt_places *p, const struct state *s)
{
    char place[WT_WAVE_NAME], where[600], lanes[256];
    wt_machine_name_wave(p->machine, s->first, place, sizeof place);
    wt_lanes_text(s->mask, lanes, sizeof lanes);
    struct wt_called_place at = s->place;
    at.back = s->back;
    p->describe(p->context, &at, where, sizeof where);
    fprintf(out, "    %s, %s%s %s", place, p->lane_word, wt_plural(wt_lanes_count(s->mask)),
            *lanes ? lanes : "none");
    if (s->count > 1)
        fprintf(out, ", and %u more %s%s", s->count - 1, p->wave_word, s->count > 2 ? "s" : "");
    fprintf(out, "\n      at %s%s%s\n", where, *s->wait ? ": " : "", s->wait);
}

void wt_places_tell(FILE *out, const struct wt_places *places)
{
    struct state state[MOST_STATES];
    const size_t count = collect(places, state, MOST_STATES);
    for (size_t i = 0; i < count && i < MOST_STATES; i++)
        tell_state(out, places, &state[i]);
    if (count > MOST_STATES)
        fprintf(out, "    … and %ss in %zu more states\n", places->wave_word, count - MOST_STATES);
}
