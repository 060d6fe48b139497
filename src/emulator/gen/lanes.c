/*
 * The accesses of a message's lanes by their addresses in this process. If they lie together in one
 * page, or in shared local memory, one look-up serves all lanes, else each lane has one.
 */
#include "emulator/gen/lanes.h"

#include <string.h>

#include "emulator/gen/vectors.h"

enum { MOST = 16 }; /* lanes of a message */

/* Where the lanes' addresses are. */
struct gen_span {
    uint64_t low, high;   /* bits of the lanes that count */
    uint32_t after[MOST]; /* bytes from `low` on */
    bool row;             /* all lanes count, and their dwords lie side by side */
};

/* The smaller number of each lane, or the larger one. */
static INLINE void choose(vector_ud *a, const vector_ud *b, bool larger)
{
    const vector_ud first = (vector_ud)(larger ? *a > *b : *a < *b);
    *a = (*a & first) | (*b & ~first);
}

/* The smallest number of all lanes, or the largest one. */
static INLINE uint32_t choose_lane(const vector_ud *row, bool larger)
{
    vector_ud v = *row;
    vector_ud other = __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    choose(&v, &other, larger);
    other = __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    choose(&v, &other, larger);
    return larger ? v[0] > v[1] ? v[0] : v[1] : v[0] < v[1] ? v[0] : v[1];
}

/* Whether the dwords of all lanes lie side by side; then *span is set. */
static INLINE bool is_row(const vector_ud at[2], unsigned lanes, uint32_t kept,
                          struct gen_span *span)
{
    const vector_ud step = {0, 4, 8, 12, 16, 20, 24, 28};
    const uint32_t first = at[0][0] & kept;
    vector_ud apart = (at[0] & kept) ^ (first + step);
    if (lanes > 8)
        apart |= (at[1] & kept) ^ (first + 32 + step);
    const vector_uq pairs = (vector_uq)apart;
    const vector_ud behind = step + 32;
    memcpy(span->after, &step, sizeof step);
    memcpy(span->after + LANES, &behind, sizeof behind);
    span->low = first;
    span->high = (uint64_t)first + 4 * (lanes - 1);
    return !(pairs[0] | pairs[1] | pairs[2] | pairs[3]);
}

/* Addresses of 32 bits, of which the bits in @p kept count. @p whole: a span may begin at 0. */
static CLONED void measure(const uint8_t *from, unsigned lanes, uint32_t on, uint32_t kept,
                           bool whole, struct gen_span *span)
{
    vector_ud at[2] = {{0}}, low[2], high[2];
    gen_copy_row(at, from, 4 * lanes);
    span->row = on == ((uint32_t)1 << lanes) - 1 && is_row(at, lanes, kept, span);
    if (span->row)
        return;
    for (unsigned k = 0; k < 2; k++) {
        vector_ud counts;
        spread_bits(on, k, &counts);
        at[k] &= kept;
        low[k] = at[k] | ~counts;
        high[k] = at[k] & counts;
    }
    choose(&high[0], &high[1], true);
    span->high = choose_lane(&high[0], true);
    uint32_t first = 0;
    if (!whole) {
        choose(&low[0], &low[1], false);
        first = choose_lane(&low[0], false);
    }
    span->low = first;
    for (unsigned k = 0; k < 2; k++)
        at[k] -= first;
    memcpy(span->after, at, sizeof span->after);
}

/* Addresses of 64 bits are canonical: the upper bits repeat bit 47. */
static void measure_wide(const uint8_t *from, unsigned lanes, uint32_t on, struct gen_span *span)
{
    uint64_t at[MOST];
    span->low = UINT64_MAX;
    span->high = 0;
    span->row = on == ((uint32_t)1 << lanes) - 1;
    for (unsigned i = 0; i < lanes; i++) {
        at[i] = wt_load_le(from + 8 * i, 8) & ((UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1);
        span->row = span->row && at[i] == at[0] + 4 * i;
        if (!(on >> i & 1))
            continue;
        span->low = at[i] < span->low ? at[i] : span->low;
        span->high = at[i] > span->high ? at[i] : span->high;
    }
    for (unsigned i = 0; i < lanes; i++)
        span->after[i] = (uint32_t)(at[i] - span->low);
}

static uint8_t *one(struct gen_device *d, uint64_t addr, unsigned size, bool write)
{
    return write ? gen_writable(d, addr, size)
                 : (uint8_t *)gen_readable(d, addr, size); /* only read */
}

/* The memory of each lane that counts. */
struct places {
    struct gen_span span;
    bool row;          /* it is at `together`, 4 bytes for each lane */
    uint8_t *together; /* lane i's is span.after[i] behind it; NULL: it is host[i] */
    uint8_t *host[MOST];
};

/* Tells who observes all of what the lanes access, lane i at @p low and what is behind. */
static __attribute__((noinline)) void tell(const struct gen_message *m,
                                           const struct gen_transfer *x, bool write, uint64_t low,
                                           const struct gen_span *span)
{
    const enum wt_watch_kind kind = write ? WT_WATCH_WRITE : WT_WATCH_READ;
    const unsigned channel = gen_message_lane(m, 0);
    const uint64_t aperture = x->wide_addresses ? 0 : gen_watched_address(&x->surface, 0);
    const uint32_t all = x->lanes < GEN_CHANNELS ? ((uint32_t)1 << x->lanes) - 1 : UINT32_MAX;
    const bool whole = x->on == all && channel + x->lanes <= GEN_CHANNELS;
    const bool row = span->row && x->size == 4;
    const unsigned lowest = (unsigned)__builtin_ctz(x->on);
    uint32_t lanes = whole ? all << channel : 0;
    for (unsigned i = 0; !whole && i < x->lanes; i++)
        lanes |= x->on >> i & 1 ? (uint32_t)1 << gen_message_lane(m, i) : 0;
    for (unsigned k = 0; k < x->elements; k++) {
        const uint64_t first = low + aperture + x->offset[k];
        uint64_t *at = gen_observe_row(m->t, m->u, kind, lanes, first + span->after[lowest],
                                       x->size, whole && row);
        for (unsigned i = 0; whole && i < x->lanes; i++)
            at[channel + i] = first + span->after[i];
        for (unsigned i = 0; !whole && i < x->lanes; i++)
            if (x->on >> i & 1)
                at[gen_message_lane(m, i)] = first + span->after[i];
    }
    wt_observe_stored(&m->t->device->machine, kind);
}

/* Whether the machine's judge need not be asked about group's memory; @p bits: of all addresses. */
static bool is_good_in_group(const struct gen_message *m, const struct gen_transfer *x, bool write,
                             uint64_t low, uint64_t length, uint64_t bits)
{
    const struct wt_machine *machine = &m->t->device->machine;
    const unsigned first = x->offset[0], size = gen_extent(x) - first;
    const struct wt_lane_access a = {.pc = gen_pc_of(m->t, m->u),
                                     .kind = write ? WT_WATCH_WRITE : WT_WATCH_READ,
                                     .space = WT_OBSERVED_GROUP,
                                     .align = x->align,
                                     .size = size};
    return size == x->size * x->elements &&
           low + length <= machine->groups.ops->asked(machine, &m->t->group->head) &&
           machine->judge->passes(machine->judge->context, &m->t->head, &a, low + first,
                                  low + length - size, bits);
}

/* Whether the machine's judge need not be asked about [low, low + length). */
static __attribute__((noinline)) bool is_good(const struct gen_message *m,
                                              const struct gen_transfer *x, bool write,
                                              uint64_t low, uint64_t length,
                                              const struct gen_span *span)
{
    const struct wt_machine *machine = &m->t->device->machine;
    const bool whole = x->on == (uint32_t)((UINT64_C(1) << x->lanes) - 1);
    uint32_t behind = 0;
    for (unsigned i = 0; i < x->lanes; i++)
        behind |= whole || x->on >> i & 1 ? span->after[i] : 0;
    const uint64_t bits = low | behind;
    if (x->align && bits & (x->align - 1))
        return false;
    if (!x->wide_addresses && x->surface.is_slm)
        return is_good_in_group(m, x, write, low, length, bits);
    return wt_judge_holds(machine, low, length, write);
}

/* False: not so simple. */
static bool find(const struct gen_message *m, const struct gen_transfer *x, bool write,
                 struct places *p)
{
    const uint64_t all = (UINT64_C(1) << WT_MEMORY_ADDRESS_BITS) - 1;
    struct gen_device *d = m->t->device;
    const bool slm = !x->wide_addresses && x->surface.is_slm;
    const unsigned bytes = gen_extent(x);
    struct gen_span *span = &p->span;
    const bool told = wt_observes_rows(&d->machine);
    if ((d->machine.watch && !told) || !x->on || x->unit > 1)
        return false;
    if (x->wide_addresses)
        measure_wide(gen_addresses(m), x->lanes, x->on, span);
    else
        measure(gen_addresses(m), x->lanes, x->on, slm ? (uint32_t)GEN_SLM_OFFSET : UINT32_MAX, slm,
                span);
    const uint64_t length = span->high - span->low + bytes;
    if (x->wide_addresses ? length > UINT32_MAX : span->high + bytes > x->surface.size)
        return false;
    const uint64_t low = (x->wide_addresses || slm ? span->low : x->surface.base + span->low) & all;
    if (d->machine.judge && !is_good(m, x, write, low, length, span))
        return false;
    p->together = slm                      ? m->t->group->local + low
                  : length <= WT_PAGE_SIZE ? one(d, low, (unsigned)length, write)
                                           : NULL;
    p->row = p->together && span->row && x->elements == 1 && x->size == 4 && x->slot == 4;
    for (unsigned i = 0; i < x->lanes && !p->together; i++)
        if (x->on >> i & 1 && !(p->host[i] = one(d, (low + span->after[i]) & all, bytes, write)))
            return false;
    if (told)
        tell(m, x, write, low, span);
    return true;
}

static INLINE uint8_t *place_of(const struct places *p, unsigned lane)
{
    return p->together ? p->together + p->span.after[lane] : p->host[lane];
}

/* Loads a dword for each lane. */
static void load_dwords(const struct places *p, unsigned lanes, uint32_t on, unsigned offset,
                        uint8_t *to)
{
    if (p->together && on == ((uint32_t)1 << lanes) - 1) {
        const uint8_t *from = p->together + offset;
        for (unsigned k = 0; k < lanes; k += LANES) {
            uint32_t row[LANES];
            for (unsigned i = 0; i < LANES; i++)
                memcpy(&row[i], from + p->span.after[k + i], sizeof row[i]);
            memcpy(to + sizeof row[0] * k, row, sizeof row);
        }
        return;
    }
    for (unsigned i = 0; i < lanes; i++)
        if (on >> i & 1)
            memcpy(to + 4 * i, place_of(p, i) + offset, 4);
}

bool gen_load_lanes(const struct gen_message *m, const struct gen_transfer *x, unsigned padded)
{
    uint8_t *to = gen_registers(m) + m->dst;
    struct places p;
    if (!find(m, x, false, &p))
        return false;
    if (p.row) {
        gen_copy_row(to, p.together + x->offset[0], 4 * x->lanes);
        return true;
    }
    for (unsigned k = 0; k < x->elements; k++, to += padded) {
        const unsigned offset = x->offset[k];
        if (x->size == 4 && x->slot == 4) {
            load_dwords(&p, x->lanes, x->on, offset, to);
            continue;
        }
        for (unsigned i = 0; i < x->lanes; i++)
            if (x->on >> i & 1)
                wt_store_le(to + i * x->slot, wt_load_le(place_of(&p, i) + offset, x->size),
                            x->slot);
    }
    return true;
}

bool gen_store_lanes(const struct gen_message *m, const struct gen_transfer *x, unsigned data,
                     unsigned padded)
{
    const uint8_t *from = gen_registers(m) + data;
    struct places p;
    if (!find(m, x, true, &p))
        return false;
    if (p.row) {
        gen_copy_row(p.together + x->offset[0], from, 4 * x->lanes);
        return true;
    }
    for (unsigned i = 0; i < x->lanes; i++)
        for (unsigned k = 0; k < x->elements && (x->on >> i & 1); k++)
            memcpy(place_of(&p, i) + x->offset[k], from + k * padded + i * x->slot, x->size);
    return true;
}
