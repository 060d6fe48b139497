/* See spins.h. */
#include "explore/spins.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "emulator/machine/heads.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/wave_state.h"

static void forget(struct explore_spins *s, uint32_t wave)
{
    struct explore_spin *w = &s->wave[wave];
    w->states = 0;
    w->reads = 0;
    w->waits = false;
    waves_drop(&s->waiting, wave);
}

void explore_spins_clear(struct explore_spins *s, uint32_t waves)
{
    for (uint32_t i = 0; i < waves; i++) {
        forget(s, i);
        s->wave[i].pc = 0;
    }
    wt_map_free(&s->value);
}

void explore_spins_free(struct explore_spins *s)
{
    explore_spins_clear(s, 0);
    wt_map_free(&s->clock);
    for (uint32_t i = 0; i < EXPLORE_WAVES; i++)
        free(s->wave[i].read);
}

/* Looks at the bytes of an access after it; whether they may be others than before. */
static bool is_changed(struct explore_spins *s, struct explore_steps *steps, uint32_t wave,
                       const struct explore_access *a)
{
    bool changed = false;
    for (uint64_t at = a->first & ~(uint64_t)7; at <= a->last; at += 8) {
        uint64_t bytes = 0;
        const struct {
            uint64_t space, home, at;
        } place = {a->space, a->home, at};
        const uint64_t key = XXH3_64bits(&place, sizeof place) | 1;
        uint64_t *value = wt_map_find(&s->value, key);
        const bool known = value;
        if (!steps->machine->ops->read_memory(steps->machine, steps->slot[wave], a->lane, at,
                                              &bytes, sizeof bytes))
            return true;
        if (!known && !(value = wt_map_add(&s->value, key))) {
            s->failed = true;
            return true;
        }
        changed |= !known || *value != bytes;
        *value = bytes;
    }
    return changed;
}

static void add_read(struct explore_spins *s, uint32_t wave, const struct explore_access *a)
{
    struct explore_spin *w = &s->wave[wave];
    for (size_t i = 0; i < w->reads; i++)
        if (w->read[i].first == a->first && w->read[i].last == a->last &&
            w->read[i].space == a->space && w->read[i].home == a->home)
            return;
    struct explore_access *grown =
        wt_array_grow(w->read, &w->capacity, w->reads + 1, sizeof *grown);
    if (!grown) {
        s->failed = true;
        return;
    }
    w->read = grown;
    w->read[w->reads] = *a;
    w->read[w->reads++].write = false;
}

/* Lets the waves go on that have read what is changed. */
static explore_waves wake(struct explore_spins *s, uint32_t waves, uint32_t writer,
                          const struct explore_access *a)
{
    explore_waves woken = {{0}};
    struct explore_access change = *a;
    change.write = true;
    for (uint32_t i = 0; i < waves; i++) {
        if (i == writer || !explore_lists_conflict(&change, 1, s->wave[i].read, s->wave[i].reads))
            continue;
        if (waves_have(&s->waiting, i))
            waves_add(&woken, i);
        forget(s, i);
    }
    return woken;
}

/* The wave has gone back: whether it has been in this state. */
static void look(struct explore_spins *s, struct wt_machine *m, uint32_t wave, uint32_t slot)
{
    struct explore_spin *w = &s->wave[wave];
    if (!s->clocks_known)
        s->failed |= !wt_wave_find_clocks(m, slot, &s->clock);
    s->clocks_known = true;
    const uint64_t state = wt_wave_state(m, slot, &s->clock);
    for (unsigned i = 0; i < w->states; i++)
        w->waits |= w->state[i] == state;
    if (w->waits)
        waves_add(&s->waiting, wave);
    if (w->states == EXPLORE_STATES)
        memmove(w->state, w->state + 1, --w->states * sizeof *w->state);
    w->state[w->states++] = state;
}

explore_waves explore_spins_step(struct explore_spins *s, struct explore_steps *steps)
{
    struct wt_machine *m = steps->machine;
    const struct explore_step *step = &steps->step[steps->count - 1];
    const uint32_t slot = steps->slot[step->wave];
    struct explore_spin *w = &s->wave[step->wave];
    const struct wt_wave_head *head = wt_machine_wave(m, slot);
    const uint64_t before = w->pc;
    explore_waves woken = {{0}};
    bool changed = step->writes_private || steps->event_count;
    for (size_t i = step->access; i < step->access_end; i++) {
        const struct explore_access *a = &steps->access[i];
        add_read(s, step->wave, a);
        if (!is_changed(s, steps, step->wave, a) || !a->write)
            continue;
        changed = true;
        woken = waves_or(woken, wake(s, steps->waves, step->wave, a));
    }
    w->pc = head->pc;
    if (changed)
        forget(s, step->wave);
    else if (head->active && head->pc <= before)
        look(s, m, step->wave, slot);
    return woken;
}
