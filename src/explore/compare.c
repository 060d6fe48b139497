/* Differences of two trails. See trail.h. */
#include <stdlib.h>
#include <xxhash.h>

#include "explore/trail.h"

/* The marks of a trail, by their wave and number; of `stores`: by wave and number of the store. */
struct index {
    struct wt_map all, stores; /* 1 and more: the mark */
};

static uint64_t place(uint64_t wave, uint32_t number)
{
    const uint64_t parts[] = {wave, number};
    return XXH3_64bits(parts, sizeof parts) | 1;
}

static bool put(struct wt_map *map, uint64_t key, size_t mark)
{
    uint64_t *value = wt_map_add(map, key);
    if (value)
        *value = mark + 1;
    return value;
}

static bool make_index(const struct explore_trail *t, struct index *index)
{
    bool good = true;
    for (size_t i = 0; i < t->count && good; i++) {
        const struct explore_mark *m = &t->mark[i];
        good = put(&index->all, place(m->wave, m->number), i) &&
               (!m->stores || put(&index->stores, place(m->wave, m->store), i));
    }
    return good;
}

static size_t find(const struct wt_map *map, uint64_t key)
{
    const uint64_t *value = wt_map_find(map, key);
    return value ? (size_t)*value - 1 : EXPLORE_NONE;
}

/* The value that a mark has loaded: of an atomic, which has written another one, its writer's. */
static uint64_t loaded(const struct explore_trail *t, const struct explore_mark *m)
{
    if (!m->stores)
        return m->value;
    return m->writer == EXPLORE_NONE ? 0 : t->mark[m->writer].value;
}

/* The first store of one trail that is not the same in the other. */
static void compare_stores(const struct explore_trail *a, const struct explore_trail *b,
                           const struct index *of_b, size_t *in_a, size_t *in_b)
{
    *in_a = *in_b = EXPLORE_NONE;
    for (size_t i = 0; i < a->count; i++) {
        const struct explore_mark *m = &a->mark[i];
        const size_t other =
            m->stores ? find(&of_b->stores, place(m->wave, m->store)) : EXPLORE_NONE;
        if (!m->stores || (other != EXPLORE_NONE && b->mark[other].value == m->value &&
                           b->mark[other].addr == m->addr && b->mark[other].size == m->size))
            continue;
        *in_a = i;
        *in_b = other;
        return;
    }
}

static void compare_loads(const struct explore_trail *a, const struct explore_trail *b,
                          const struct index *of_b, struct explore_difference *d)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct explore_mark *m = &a->mark[i];
        const size_t other = find(&of_b->all, place(m->wave, m->number));
        if (!m->loads || other == EXPLORE_NONE || b->mark[other].pc != m->pc ||
            loaded(a, m) == loaded(b, &b->mark[other]))
            continue;
        d->load[0] = i;
        d->load[1] = other;
        return;
    }
}

/* Whether two marks of one run, which are in another, came there the other way round. */
static bool is_exchanged(size_t before, size_t after)
{
    return after != EXPLORE_NONE && (before == EXPLORE_NONE || before > after);
}

/* The load has other writers in the two runs: of these, and the load, two came in another order. */
static void find_exchange(const struct explore_trail *t[2], const struct index index[2],
                          struct explore_difference *d)
{
    size_t writer[2][2]; /* of the load in a run, and that store in the other run, by the run */
    for (unsigned run = 0; run < 2; run++) {
        const size_t own = t[run]->mark[d->load[run]].writer;
        const struct explore_mark *m = own == EXPLORE_NONE ? NULL : &t[run]->mark[own];
        writer[run][run] = own;
        writer[run][!run] = m ? find(&index[!run].all, place(m->wave, m->number)) : EXPLORE_NONE;
    }
    /* The store that the load of one run has seen comes behind it in the other one. */
    if (writer[0][0] != EXPLORE_NONE && is_exchanged(writer[0][1], d->load[1])) {
        d->before[0] = writer[0][0], d->before[1] = writer[0][1];
        d->after[0] = d->load[0], d->after[1] = d->load[1];
    } else if (writer[1][1] != EXPLORE_NONE && is_exchanged(writer[1][0], d->load[0])) {
        d->before[0] = d->load[0], d->before[1] = d->load[1];
        d->after[0] = writer[1][0], d->after[1] = writer[1][1];
    } else if (writer[0][0] != EXPLORE_NONE && writer[1][0] != EXPLORE_NONE &&
               writer[1][0] < writer[0][0]) {
        d->before[0] = writer[1][0], d->before[1] = writer[1][1];
        d->after[0] = writer[0][0], d->after[1] = writer[0][1];
    }
}

/* Stores that are the same in both runs, of which another one is the last at its address. */
static void compare_finals(const struct explore_trail *a, const struct explore_trail *b,
                           const struct index index[2], struct explore_difference *d)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct explore_mark *m = &a->mark[i];
        const size_t last = m->stores ? explore_last_writer(b, m) : EXPLORE_NONE;
        if (last == EXPLORE_NONE || explore_last_writer(a, m) != i ||
            b->mark[last].value == m->value)
            continue;
        const struct explore_mark *other = &b->mark[last];
        d->final[0] = d->after[0] = i;
        d->final[1] = d->before[1] = last;
        d->before[0] = find(&index[0].all, place(other->wave, other->number));
        d->after[1] = find(&index[1].all, place(m->wave, m->number));
        return;
    }
}

bool explore_compare(const struct explore_trail *a, const struct explore_trail *b, bool same_code,
                     struct explore_difference *d)
{
    const struct explore_trail *both[2] = {a, b};
    struct index index[2] = {{.all = {0}}};
    *d = (struct explore_difference){{EXPLORE_NONE, EXPLORE_NONE},
                                     {EXPLORE_NONE, EXPLORE_NONE},
                                     {EXPLORE_NONE, EXPLORE_NONE},
                                     {EXPLORE_NONE, EXPLORE_NONE},
                                     {EXPLORE_NONE, EXPLORE_NONE}};
    const bool good = make_index(a, &index[0]) && make_index(b, &index[1]);
    if (good) {
        compare_stores(a, b, &index[1], &d->store[0], &d->store[1]);
        if (d->store[0] == EXPLORE_NONE) /* one that only the second run has */
            compare_stores(b, a, &index[0], &d->store[1], &d->store[0]);
    }
    if (good && same_code)
        compare_loads(a, b, &index[1], d);
    if (good && d->load[0] != EXPLORE_NONE)
        find_exchange(both, index, d);
    else if (good && d->store[0] == EXPLORE_NONE && d->store[1] == EXPLORE_NONE)
        compare_finals(a, b, index, d);
    for (unsigned i = 0; i < 2; i++) {
        wt_map_free(&index[i].all);
        wt_map_free(&index[i].stores);
    }
    return good;
}
