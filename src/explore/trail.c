/* See trail.h. */
#include "explore/trail.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/array.h"
#include "emulator/machine/watch_set.h"

/* Says which wave it is: its place in the grid, or else its slot, as in each run. */
static void name_wave(struct wt_machine *m, uint32_t slot, struct explore_mark *mark)
{
    struct wt_wave_name name;
    wt_machine_wave_name(m, slot, &name);
    mark->has_group = name.has_work;
    mark->index = wt_machine_wave(m, slot)->index;
    memcpy(mark->group, name.group, sizeof mark->group);
    const uint64_t parts[] = {name.has_work,
                              name.has_work ? name.dispatch : slot,
                              name.has_work ? name.group[0] : 0,
                              name.has_work ? name.group[1] : 0,
                              name.has_work ? name.group[2] : 0,
                              name.has_work ? mark->index : 0};
    mark->wave = XXH3_64bits(parts, sizeof parts) | 1;
}

static uint64_t key_of(uint64_t home, uint64_t addr)
{
    const uint64_t parts[] = {home, addr};
    return XXH3_64bits(parts, sizeof parts) | 1;
}

static bool add_mark(struct explore_trail *t, const struct explore_mark *mark)
{
    struct explore_mark *grown = wt_array_grow(t->mark, &t->capacity, t->count + 1, sizeof *grown);
    if (!grown)
        return false;
    t->mark = grown;
    t->mark[t->count++] = *mark;
    return true;
}

static void take_access(void *context, struct wt_machine *m, const struct wt_observed *o)
{
    struct explore_trail *t = context;
    t->too_many |= t->count >= EXPLORE_MARKS;
    if (t->too_many || o->space == WT_OBSERVED_CONSTANT || o->space == WT_OBSERVED_PRIVATE)
        return;
    struct explore_mark mark = {.time = o->time,
                                .pc = o->pc,
                                .id = o->id,
                                .slot = o->wave,
                                .loads = o->kind != WT_WATCH_WRITE,
                                .stores = o->kind != WT_WATCH_READ,
                                .home = o->home,
                                .size = o->size,
                                .writer = EXPLORE_NONE};
    name_wave(m, o->wave, &mark);
    uint64_t *numbers = wt_map_add(&t->numbers, mark.wave);
    t->failed |= !numbers;
    for (wt_lanes left = o->lanes; left && !t->failed; left &= left - 1) {
        uint64_t item[3];
        mark.lane = (uint8_t)wt_lanes_lowest(left);
        mark.item = t->item && t->item(t->context, o->wave, mark.lane, item)
                        ? XXH3_64bits(item, sizeof item) | 1
                        : 0;
        mark.addr = o->at[mark.lane];
        mark.number = (uint32_t)*numbers;
        mark.store = (uint32_t)(*numbers >> 32);
        *numbers += 1 + ((uint64_t)mark.stores << 32);
        t->failed = !add_mark(t, &mark);
    }
}

static void take_value(struct wt_machine *m, struct explore_mark *mark)
{
    uint8_t bytes[128];
    if (mark->size > sizeof bytes ||
        !m->ops->read_memory(m, mark->slot, mark->lane, mark->addr, bytes, mark->size))
        return;
    memcpy(mark->bytes, bytes, mark->size < sizeof mark->bytes ? mark->size : sizeof mark->bytes);
    mark->value = mark->size > sizeof mark->value ? XXH3_64bits(bytes, mark->size) : mark->bytes[0];
}

/* The values of the issue's accesses, and who has written what they load. */
static void take_issue(void *context, struct wt_machine *m, const struct wt_issue *issue)
{
    struct explore_trail *t = context;
    for (size_t i = t->begun; i < t->count; i++) {
        struct explore_mark *mark = &t->mark[i];
        take_value(m, mark);
        mark->writer = mark->loads ? explore_last_writer(t, mark) : EXPLORE_NONE;
        for (unsigned byte = 0; mark->stores && byte < mark->size; byte++) {
            uint64_t *last = wt_map_add(&t->writers, key_of(mark->home, mark->addr + byte));
            t->failed |= !last;
            if (last)
                *last = i + 1;
        }
    }
    t->begun = t->count;
}

bool explore_trail_begin(struct explore_trail *t, struct wt_machine *m)
{
    *t = (struct explore_trail){.machine = m, .item = t->item, .context = t->context};
    if (!wt_observe(m, take_access, t, NULL, 0))
        return false;
    wt_observe_issues(m, NULL, take_issue);
    return true;
}

void explore_trail_end(struct explore_trail *t)
{
    wt_observe(t->machine, NULL, NULL, NULL, 0);
    wt_map_free(&t->numbers);
}

size_t explore_last_writer(const struct explore_trail *t, const struct explore_mark *mark)
{
    const uint64_t *writer = wt_map_find(&t->writers, key_of(mark->home, mark->addr));
    return writer ? (size_t)*writer - 1 : EXPLORE_NONE;
}

void explore_trail_free(struct explore_trail *t)
{
    wt_map_free(&t->writers);
    free(t->mark);
    *t = (struct explore_trail){0};
}
