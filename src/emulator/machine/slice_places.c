/* Places that are looked for: a hash table of granules. See slice_internal.h. */
#include "emulator/machine/slice_internal.h"

#include <stdlib.h>

/* Granules that are looked for, at most. */
#define MOST_PLACES ((size_t)1 << 20)

size_t slice_slot(const struct wt_slice *s, const struct place *p)
{
    uint64_t h =
        p->at * UINT64_C(0x9e3779b97f4a7c15) ^ p->of * UINT64_C(0xc2b2ae3d27d4eb4f) ^
        (uint64_t)(p->file << 9 | p->lane << 1 | p->is_memory) * UINT64_C(0x165667b19e3779f9);
    size_t i = (size_t)(h ^ h >> 29) & (s->room - 1);
    for (;; i = (i + 1) & (s->room - 1)) {
        const struct place *q = &s->place[i];
        if (!q->used || (q->at == p->at && q->of == p->of && q->file == p->file &&
                         q->lane == p->lane && q->is_memory == p->is_memory))
            return i;
    }
}

bool slice_make_room(struct wt_slice *s)
{
    struct place *old = s->place;
    const size_t room = s->room;
    s->room = room ? 2 * room : 1024;
    s->place = calloc(s->room, sizeof *s->place);
    if (!s->place) {
        s->place = old;
        s->room = room;
        return false;
    }
    s->places = 0;
    for (size_t i = 0; i < room; i++)
        if (old[i].mask) {
            s->place[slice_slot(s, &old[i])] = old[i];
            s->places++;
        }
    free(old);
    return true;
}

size_t *slice_count(struct wt_slice *s, const struct place *p)
{
    return p->is_memory ? &s->memory : &s->registers;
}

void slice_look_for_piece(struct wt_slice *s, const struct place *p)
{
    if (2 * s->places >= s->room && (s->room >= 2 * MOST_PLACES || !slice_make_room(s))) {
        s->out.more = true;
        return;
    }
    struct place *q = &s->place[slice_slot(s, p)];
    if (!q->used) {
        *q = *p;
        s->places++;
        ++*slice_count(s, p);
        return;
    }
    if (!q->mask)
        ++*slice_count(s, q);
    q->depth = q->mask && q->depth < p->depth ? q->depth : p->depth;
    q->mask |= p->mask;
    q->user = p->user;
}

uint32_t slice_found_piece(struct wt_slice *s, const struct place *p, uint32_t *depth)
{
    struct place *q = &s->place[slice_slot(s, p)];
    const uint32_t hit = q->used ? q->mask & p->mask : 0;
    if (!hit)
        return 0;
    *depth = q->depth < *depth ? q->depth : *depth;
    q->mask &= ~hit;
    if (!q->mask)
        --*slice_count(s, q);
    return hit;
}

static uint32_t bits_from_to(uint64_t first, uint64_t last) /* of a granule */
{
    return (uint32_t)((UINT64_MAX >> (63 - (last - first))) << first);
}

uint64_t slice_cut(struct place *p, uint64_t first, uint64_t last)
{
    p->at = first / 32;
    const uint64_t end = p->at == last / 32 ? last : p->at * 32 + 31;
    p->mask = bits_from_to(first % 32, end % 32);
    return end;
}

void slice_look_for(struct wt_slice *s, struct place p, uint64_t first, uint64_t last)
{
    for (uint64_t end; first <= last && first + 1 > first; first = end + 1) {
        end = slice_cut(&p, first, last);
        slice_look_for_piece(s, &p);
        if (end == UINT64_MAX)
            return;
    }
}

uint64_t slice_found(struct wt_slice *s, struct place p, uint64_t first, uint64_t last,
                     uint32_t *depth)
{
    const uint64_t unit = p.is_memory ? 1 : 8, begin = first;
    uint64_t hit = 0;
    for (uint64_t end; first <= last; first = end + 1) {
        end = slice_cut(&p, first, last);
        uint32_t bits = slice_found_piece(s, &p, depth);
        for (; bits; bits &= bits - 1) {
            const uint64_t n = (p.at * 32 + (unsigned)__builtin_ctz(bits) - begin) / unit;
            hit |= UINT64_C(1) << (n < 63 ? n : 63);
        }
        if (end == UINT64_MAX)
            break;
    }
    return hit;
}
