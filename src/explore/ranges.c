/* Places to which two programs, or two GPUs, have stored. See trail.h. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "emulator/machine/machine.h"
#include "explore/trail.h"

/* The stores of a run. */
struct stores {
    const struct explore_trail *trail;
    struct wt_map by_item; /* work-item and place: 1 and more, its last store there */
    struct wt_map last;    /* place: the last store there */
};

struct compared {
    const struct explore_range *range;
    size_t ranges;
    struct stores stores[2];
    struct explore_difference *d;
    bool failed;
};

/* A byte of a range. */
struct range_place {
    size_t range;
    uint64_t offset;
};

static uint64_t key_of(struct range_place p, uint64_t item)
{
    const uint64_t parts[] = {p.range, p.offset, item};
    return XXH3_64bits(parts, sizeof parts) | 1;
}

static bool find_place(const struct compared *c, unsigned run, uint64_t addr, struct range_place *p)
{
    for (size_t i = 0; i < c->ranges; i++)
        if (addr - c->range[i].addr[run] < c->range[i].length) {
            *p = (struct range_place){i, addr - c->range[i].addr[run]};
            return true;
        }
    return false;
}

static uint8_t byte_of(const struct explore_mark *m, unsigned byte)
{
    return (uint8_t)(m->bytes[byte / 8] >> byte % 8 * 8);
}

static void put(struct compared *c, struct wt_map *map, uint64_t key, size_t mark)
{
    uint64_t *value = wt_map_add(map, key);
    c->failed |= !value;
    if (value)
        *value = mark + 1;
}

static size_t find(const struct wt_map *map, uint64_t key)
{
    const uint64_t *value = wt_map_find(map, key);
    return value ? (size_t)*value - 1 : EXPLORE_NONE;
}

/* Whether its bytes are known, in a range; counts it where they are not. */
static bool is_compared(const struct compared *c, unsigned run, size_t mark,
                        struct explore_left_out *left_out)
{
    const struct explore_mark *m = &c->stores[run].trail->mark[mark];
    struct range_place p;
    uint64_t *counter = m->home != WT_HOME_NOW             ? &left_out->groups[run]
                        : m->size > sizeof m->bytes        ? &left_out->wide[run]
                        : !find_place(c, run, m->addr, &p) ? &left_out->elsewhere[run]
                                                           : NULL;
    if (counter == &left_out->elsewhere[run] && !*counter)
        left_out->first[run] = mark;
    if (counter)
        ++*counter;
    return !counter;
}

static void index_stores(struct compared *c, unsigned run, struct explore_left_out *left_out)
{
    struct stores *s = &c->stores[run];
    struct range_place p;
    for (size_t i = 0; i < s->trail->count && !c->failed; i++) {
        const struct explore_mark *m = &s->trail->mark[i];
        if (!m->stores || !is_compared(c, run, i, left_out))
            continue;
        for (unsigned byte = 0; byte < m->size; byte++)
            if (find_place(c, run, m->addr + byte, &p)) {
                put(c, &s->by_item, key_of(p, m->item), i);
                put(c, &s->last, key_of(p, 0), i);
            }
    }
}

/* Whether a byte of a store of run 1, its work-item's last one there, is another one in run 2. */
static bool differs(const struct compared *c, size_t mark, unsigned byte, size_t *other)
{
    const struct stores *s = c->stores;
    const struct explore_mark *m = &s[0].trail->mark[mark];
    struct range_place p;
    if (!find_place(c, 0, m->addr + byte, &p) || find(&s[0].by_item, key_of(p, m->item)) != mark ||
        (*other = find(&s[1].by_item, key_of(p, m->item))) == EXPLORE_NONE)
        return false;
    const struct explore_mark *o = &s[1].trail->mark[*other];
    const uint64_t at = c->range[p.range].addr[1] + p.offset;
    return !o->loads && byte_of(o, (unsigned)(at - o->addr)) != byte_of(m, byte);
}

static bool is_overwritten(const struct compared *c, unsigned run, size_t mark)
{
    const struct stores *s = &c->stores[run];
    const struct explore_mark *m = &s->trail->mark[mark];
    struct range_place p;
    for (unsigned byte = 0; byte < m->size; byte++)
        if (find_place(c, run, m->addr + byte, &p) && find(&s->by_item, key_of(p, m->item)) == mark)
            return false;
    return true;
}

static void compare_stores(struct compared *c)
{
    const struct explore_trail *t = c->stores[0].trail;
    for (size_t i = 0; i < t->count; i++) {
        const struct explore_mark *m = &t->mark[i];
        size_t other;
        if (!m->stores || m->loads || m->home != WT_HOME_NOW || m->size > sizeof m->bytes)
            continue;
        for (unsigned byte = 0; byte < m->size; byte++)
            if (differs(c, i, byte, &other)) {
                c->d->store[0] = i;
                c->d->store[1] = other;
                return;
            }
    }
}

static bool read_byte(struct wt_machine *m, uint64_t addr, uint8_t *byte)
{
    return m->ops->read_memory(m, UINT32_MAX, 0, addr, byte, 1);
}

/* In the order of a run: the last stores to places that have another value in the other run's end.
 */
static bool compare_finals(struct compared *c, unsigned run)
{
    const struct stores *s = &c->stores[run];
    for (size_t i = 0; i < s->trail->count; i++) {
        const struct explore_mark *m = &s->trail->mark[i];
        if (!m->stores || m->home != WT_HOME_NOW || m->size > sizeof m->bytes)
            continue;
        for (unsigned byte = 0; byte < m->size; byte++) {
            uint8_t value[2];
            struct range_place p;
            if (!find_place(c, run, m->addr + byte, &p) || find(&s->last, key_of(p, 0)) != i)
                continue;
            bool good = true;
            for (unsigned k = 0; k < 2; k++)
                good &= read_byte(c->stores[k].trail->machine, c->range[p.range].addr[k] + p.offset,
                                  &value[k]);
            if (!good || value[0] == value[1])
                continue;
            for (unsigned k = 0; k < 2; k++)
                c->d->final[k] = find(&c->stores[k].last, key_of(p, 0));
            return true;
        }
    }
    return false;
}

bool explore_compare_ranges(const struct explore_trail *a, const struct explore_trail *b,
                            const struct explore_range *range, size_t ranges,
                            struct explore_difference *d, struct explore_left_out *left_out)
{
    struct compared c = {
        .range = range, .ranges = ranges, .stores = {{.trail = a}, {.trail = b}}, .d = d};
    memset(d, 0xff, sizeof *d); /* EXPLORE_NONE */
    memset(left_out, 0, sizeof *left_out);
    for (unsigned run = 0; run < 2; run++)
        index_stores(&c, run, left_out);
    for (unsigned run = 0; run < 2 && !c.failed; run++)
        for (size_t i = 0; i < c.stores[run].trail->count; i++) {
            const struct explore_mark *m = &c.stores[run].trail->mark[i];
            struct range_place p;
            if (m->stores && m->home == WT_HOME_NOW && m->size <= sizeof m->bytes &&
                find_place(&c, run, m->addr, &p))
                left_out->overwritten[run] += is_overwritten(&c, run, i);
        }
    if (!c.failed)
        compare_stores(&c);
    if (!c.failed && d->store[0] == EXPLORE_NONE && !compare_finals(&c, 0))
        compare_finals(&c, 1);
    for (unsigned run = 0; run < 2; run++) {
        wt_map_free(&c.stores[run].by_item);
        wt_map_free(&c.stores[run].last);
    }
    return !c.failed;
}
