/* Exact counts. See profile.h. */
#include "emulator/machine/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "emulator/machine/observe.h"
#include "emulator/machine/watch_set.h"

/* Numbers of the instruction at hand: lines, dwords of local memory, addresses of atomics. */
struct numbers {
    uint64_t *list;
    size_t count, capacity;
};

struct wt_profile {
    struct wt_machine *m;
    struct wt_profile_shape shape;
    struct wt_profile_count *count; /* in the order of first issues; by address at the end */
    size_t counts, capacity;
    uint32_t *slot; /* of a hash table: 1 + index in `count`; 0: free */
    size_t slots;   /* a power of 2 */
    struct {
        uint64_t id;
        unsigned lanes; /* that it began with */
    } * wave;           /* by slot */
    struct numbers lines, dwords, atomics;
    bool accesses; /* the instruction at hand has accessed memory */
    uint64_t bytes;
    bool short_of_memory;
};

/* ---- the counts of an instruction ---- */

static size_t place_of(const struct wt_profile *p, uint64_t pc)
{
    size_t at = (size_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (p->slots - 1);
    while (p->slot[at] && p->count[p->slot[at] - 1].pc != pc)
        at = (at + 1) & (p->slots - 1);
    return at;
}

static bool grow(struct wt_profile *p)
{
    const size_t slots = p->slots ? 2 * p->slots : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(p->slot);
    p->slot = slot;
    p->slots = slots;
    for (size_t i = 0; i < p->counts; i++)
        p->slot[place_of(p, p->count[i].pc)] = (uint32_t)i + 1;
    return true;
}

/* NULL without host memory. */
static struct wt_profile_count *count_of(struct wt_profile *p, uint64_t pc)
{
    if (2 * p->counts >= p->slots && !grow(p))
        return NULL;
    const size_t at = place_of(p, pc);
    if (!p->slot[at]) {
        struct wt_profile_count *grown =
            wt_array_grow(p->count, &p->capacity, p->counts + 1, sizeof *grown);
        if (!grown)
            return NULL;
        p->count = grown;
        grown[p->counts] = (struct wt_profile_count){.pc = pc};
        p->slot[at] = (uint32_t)++p->counts;
    }
    return &p->count[p->slot[at] - 1];
}

/* ---- memory ---- */

static void note(struct wt_profile *p, struct numbers *n, uint64_t number)
{
    uint64_t *grown = wt_array_grow(n->list, &n->capacity, n->count + 1, sizeof *grown);
    if (grown)
        n->list = grown;
    if (grown)
        grown[n->count++] = number;
    else
        p->short_of_memory = true;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(struct numbers *n)
{
    if (n->count > 1)
        qsort(n->list, n->count, sizeof *n->list, by_number);
}

static size_t different(struct numbers *n)
{
    size_t count = 0;
    sort(n);
    for (size_t i = 0; i < n->count; i++)
        count += !i || n->list[i] != n->list[i - 1];
    n->count = 0;
    return count;
}

static size_t repeated(struct numbers *n)
{
    const size_t all = n->count;
    return all - different(n);
}

/* The dwords are (part << 48 | dword): of lanes that issue together. */
static uint64_t conflicts(const struct wt_profile *p, struct numbers *n)
{
    uint64_t made = 0;
    sort(n);
    for (size_t i = 0, end; i < n->count; i = end) {
        unsigned in_bank[WT_MAX_LANES] = {0}, most = 0;
        for (end = i; end < n->count && n->list[end] >> 48 == n->list[i] >> 48; end++) {
            if (end > i && n->list[end] == n->list[end - 1])
                continue;
            const unsigned bank = (unsigned)(n->list[end] % p->shape.banks);
            in_bank[bank]++;
            most = in_bank[bank] > most ? in_bank[bank] : most;
        }
        made += most - 1;
    }
    n->count = 0;
    return made;
}

/* The address of a byte of a lane's private memory, which lies dword by dword, lane by lane. */
static uint64_t interleaved(const struct wt_profile *p, unsigned lane, uint64_t offset)
{
    return (offset / 4 * p->m->lanes + lane) * 4 + offset % 4;
}

static void take_lane(struct wt_profile *p, const struct wt_observed *a, unsigned lane)
{
    const uint64_t at = a->at[lane], last = at + a->size - 1;
    p->bytes += a->size;
    if (a->kind == WT_WATCH_ACCESS)
        note(p, &p->atomics, at);
    switch (a->space) {
    case WT_OBSERVED_GLOBAL:
    case WT_OBSERVED_CONSTANT:
        for (uint64_t line = at / p->shape.line; line <= last / p->shape.line; line++)
            note(p, &p->lines, line);
        break;
    case WT_OBSERVED_PRIVATE:
        for (uint64_t in = at; in <= last; in = in / 4 * 4 + 4)
            note(p, &p->lines, UINT64_C(1) << 63 | interleaved(p, lane, in) / p->shape.line);
        break;
    case WT_OBSERVED_GROUP:
        for (uint64_t dword = at / 4; dword <= last / 4 && p->shape.banks; dword++)
            note(p, &p->dwords,
                 (uint64_t)(lane / p->shape.together) << 48 | (dword & 0xffffffffffff));
        break;
    case WT_OBSERVED_DEVICE:
        break;
    }
}

static void take(void *context, struct wt_machine *m, const struct wt_observed *a)
{
    struct wt_profile *p = context;
    /* An operand in a constant bank, as arguments of kernels are, is no request. */
    if (a->space == WT_OBSERVED_CONSTANT && a->is_scalar)
        return;
    p->accesses = true;
    for (wt_lanes left = a->lanes; left; left &= left - 1)
        take_lane(p, a, wt_lanes_lowest(left));
}

/* ---- issues ---- */

static void issued(void *context, struct wt_machine *m, const struct wt_issue *issue)
{
    struct wt_profile *p = context;
    struct wt_profile_count *c = count_of(p, issue->pc);
    const uint64_t id = wt_machine_wave_id(m, issue->wave);
    const unsigned enabled = wt_lanes_count(issue->mask);
    if (p->wave[issue->wave].id != id) {
        p->wave[issue->wave].id = id;
        p->wave[issue->wave].lanes = p->shape.begins_alone ? m->lanes : enabled;
    }
    if (!c) {
        p->short_of_memory = true;
        return;
    }
    c->issues++;
    c->enabled += enabled;
    c->lanes += p->wave[issue->wave].lanes > enabled ? p->wave[issue->wave].lanes : enabled;
    if (!p->accesses)
        return;
    c->requests++;
    c->bytes += p->bytes;
    c->transactions += different(&p->lines);
    c->conflicts += conflicts(p, &p->dwords);
    c->collisions += repeated(&p->atomics);
    p->accesses = false;
    p->bytes = 0;
}

/* ---- beginning and end ---- */

struct wt_profile *wt_profile_begin(struct wt_machine *m, const struct wt_profile_shape *shape)
{
    struct wt_profile *p = calloc(1, sizeof *p);
    assert(shape->line && !(shape->line & (shape->line - 1)) && shape->banks <= WT_MAX_LANES);
    if (!p)
        return NULL;
    p->m = m;
    p->shape = *shape;
    p->wave = calloc(m->waves, sizeof *p->wave);
    if (p->wave && grow(p) && wt_observe(m, take, p, NULL, 0)) {
        wt_observe_issues(m, NULL, issued);
        return p;
    }
    wt_profile_free(p);
    return NULL;
}

static int by_pc(const void *a, const void *b)
{
    return by_number(&((const struct wt_profile_count *)a)->pc,
                     &((const struct wt_profile_count *)b)->pc);
}

enum wt_status wt_profile_end(struct wt_profile *p, const struct wt_profile_count **list,
                              size_t *count, struct wt_error *err)
{
    wt_observe(p->m, NULL, NULL, NULL, 0);
    qsort(p->count, p->counts, sizeof *p->count, by_pc);
    *list = p->count;
    *count = p->counts;
    return p->short_of_memory ? wt_fail(err, WT_NO_MEMORY, "the host has no memory for the counts")
                              : WT_OK;
}

void wt_profile_free(struct wt_profile *p)
{
    if (!p)
        return;
    free(p->count);
    free(p->slot);
    free(p->wave);
    free(p->lines.list);
    free(p->dwords.list);
    free(p->atomics.list);
    free(p);
}
