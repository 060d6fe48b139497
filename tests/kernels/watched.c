/* Watched places of a kernel, checked. See watched.h. */
#include "watched.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/gcn/internal.h"
#include "emulator/machine/search.h"
#include "emulator/machine/state.h"

enum { WORDS = 32, SEARCHES = 48, INTERVAL = 1000 };

static uint64_t state;

static uint64_t any(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

/* A word, and by whom it was written: of an instruction the first lane, as a search tells it. */
struct word {
    uint64_t addr;
    struct wt_watch_hit *write;
    size_t writes, room;
};

static bool covers(const struct wt_watch_hit *hit, uint64_t addr)
{
    return hit->kind != WT_WATCH_READ && hit->addr < addr + 4 && addr < hit->addr + hit->size;
}

static void add_write(struct word *word, const struct wt_watch_hit *hit)
{
    if (word->writes && word->write[word->writes - 1].time == hit->time)
        return;
    if (word->writes == word->room) {
        word->room = word->room ? 2 * word->room : 64;
        word->write = realloc(word->write, word->room * sizeof *word->write);
        if (!word->write)
            abort();
    }
    word->write[word->writes++] = *hit;
}

static int fails(const char *what, uint64_t time)
{
    fprintf(stderr, "issue time %" PRIu64 ": %s\n", time, what);
    return 1;
}

/* What is told, applied to a copy of memory. */
static int apply(struct gcn_device *d, struct wt_memory *copy, struct word *words, uint64_t *writes)
{
    const struct wt_machine *m = gcn_machine(d);
    for (size_t i = 0; i < m->hits; i++) {
        const struct wt_watch_hit *hit = &m->hit[i];
        uint8_t before[16];
        if (hit->time + 1 != m->time)
            return fails("a hit of another time", m->time);
        if (hit->addr >> 48)
            continue;
        wt_memory_read(copy, hit->addr, before, hit->size);
        if (memcmp(before, hit->before, hit->size))
            return fails("what is told was not there before", hit->time);
        wt_memory_write(copy, hit->addr, hit->after, hit->size);
        *writes += hit->kind != WT_WATCH_READ;
        for (unsigned k = 0; k < WORDS; k++)
            if (covers(hit, words[k].addr))
                add_write(&words[k], hit);
    }
    return 0;
}

static int run_watched(struct gcn_device *d, struct word *words, uint64_t *writes)
{
    static const struct wt_watch all = {.kind = WT_WATCH_ACCESS, .size = UINT64_MAX};
    struct wt_machine *m = gcn_machine(d);
    struct wt_memory *copy = wt_memory_fork(d->machine.memory);
    enum wt_run run;
    if (!copy || !wt_set_watches(m, &all, 1))
        return fails("no host memory", 0);
    wt_tlb_clear(&d->machine.tlb);
    while ((run = m->ops->run(m, 1000)) == WT_RUN_WATCH || run == WT_RUN_BUDGET)
        if (run == WT_RUN_WATCH && apply(d, copy, words, writes))
            return 1;
    wt_set_watches(m, NULL, 0);
    if (run != WT_RUN_ENDED)
        return fails(m->fault.text, m->time);
    if (wt_memory_hash(copy) != wt_memory_hash(d->machine.memory))
        return fails("memory is not what was told", m->time);
    wt_memory_free(copy);
    return 0;
}

/* The last write before `time`, or the first from it on; NULL: there is none. */
static const struct wt_watch_hit *expected(const struct word *word, uint64_t time, bool backwards)
{
    size_t n = 0;
    while (n < word->writes && word->write[n].time < time)
        n++;
    if (backwards)
        return n ? &word->write[n - 1] : NULL;
    return n < word->writes ? &word->write[n] : NULL;
}

static bool search(struct wt_timeline *t, struct wt_machine *m, uint64_t addr, bool backwards,
                   struct wt_watch_hit *hit)
{
    struct wt_watch watch = {.kind = WT_WATCH_WRITE, .addr = addr, .size = 4};
    struct wt_search s;
    struct wt_error err;
    wt_search_begin(&s, t, m, backwards, &watch, 1);
    for (;;) {
        const enum wt_search_step step = wt_search_on(&s, 5000, &err);
        if (step == WT_SEARCH_PLACE) {
            *hit = s.place;
            wt_search_accept(&s);
        }
        if (step == WT_SEARCH_FOUND || (step == WT_SEARCH_PLACE && !backwards)) {
            wt_set_watches(m, NULL, 0);
            return true;
        }
        if (step == WT_SEARCH_EDGE || step == WT_SEARCH_FAILED)
            return false;
    }
}

static int search_record(struct wt_machine *m, const struct word *words, unsigned *found)
{
    struct wt_error err;
    struct wt_timeline *t;
    if (wt_timeline_new(m, UINT64_MAX, &t, &err))
        return fails(err.text, 0);
    wt_timeline_set_interval(t, INTERVAL);
    while (wt_timeline_run(t, 1 << 20) == WT_RUN_BUDGET)
        continue;
    const uint64_t end = m->time;
    int status = 0;
    for (unsigned i = 0; i < SEARCHES && !status; i++) {
        const struct word *word = &words[any(WORDS)];
        const bool backwards = any(3);
        const uint64_t from = any(end + 1);
        struct wt_watch_hit hit = {0};
        if (wt_timeline_goto(t, from, &err)) {
            status = fails(err.text, from);
            break;
        }
        const struct wt_watch_hit *want = expected(word, from, backwards);
        if (search(t, m, word->addr, backwards, &hit) != (want != NULL))
            status = fails(want ? "the search found nobody" : "the search found somebody", from);
        else if (want && (memcmp(&hit, want, sizeof hit) != 0))
            status = fails("the search found another one", from);
        *found += want != NULL;
    }
    wt_timeline_free(t);
    return status;
}

int watched_check(struct gcn_device *d, uint64_t addr, uint64_t size, uint64_t seed)
{
    struct wt_machine *m = gcn_machine(d);
    struct word words[WORDS] = {0};
    uint64_t writes = 0;
    unsigned found = 0;
    state = seed;
    for (unsigned i = 0; i < WORDS; i++) /* half of them where kernels write first */
        words[i].addr = addr + any((i % 2 ? size : 1024) / 4) * 4;
    struct wt_state *begin = wt_state_save(m);
    if (!begin)
        return fails("no host memory", 0);
    while (m->ops->run(m, 1 << 20) == WT_RUN_BUDGET)
        continue;
    const uint64_t end = m->ops->hash(m);
    wt_state_restore(m, begin);
    int status = run_watched(d, words, &writes);
    if (!status && m->ops->hash(m) != end)
        status = fails("watching has changed the run", m->time);
    wt_state_restore(m, begin);
    status = status ? status : search_record(m, words, &found);
    wt_state_restore(m, begin);
    wt_state_free(begin);
    for (unsigned i = 0; i < WORDS; i++)
        free(words[i].write);
    if (!status)
        printf("%" PRIu64 " %u\n", writes, found);
    return status;
}
