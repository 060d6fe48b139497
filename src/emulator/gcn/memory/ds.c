/* The data share: LDS of the work-group, or GDS of the device (manual, chapter 10). */
#include "emulator/gcn/memory/ds.h"
#include "emulator/gcn/exec/fp.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"

#include <stdlib.h>
#include <string.h>

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

/* The memory that the instruction means. What lies outside reads 0; writes are dropped. */
struct share {
    uint8_t *bytes;
    uint32_t size;                           /* 0 if it is watched, so that no quick way is taken */
    uint32_t plain;                          /* bytes of which lanes need not be watched */
    const struct gcn_watched_share *watched; /* NULL: it is not */
};

/* A share that is watched. */
static __attribute__((noinline)) struct share
watched_share(struct gcn_wave *w, const struct gcn_uop *u, struct share s, uint64_t addr)
{
    struct gcn_watched_share *watched = &w->device->watched_share;
    if (!gcn_watches_share(w, addr, s.size))
        return s;
    *watched = (struct gcn_watched_share){s.bytes, s.size, addr, w, u};
    return (struct share){s.bytes, wt_observes_rows(&w->device->machine) ? s.size : 0, 0, watched};
}

/* M0 tells which part of GDS a wave may use: base in [31:16], size in [15:0]. */
static struct share share_of(struct gcn_wave *w, const struct gcn_uop *u)
{
    const uint32_t local = w->group->local_size;
    struct share s = {w->group->local, local, local, NULL};
    uint32_t base = 0;
    if (u->gds) {
        wt_met(&w->device->machine);
        base = w->s[GCN_M0] >> 16;
        const uint32_t room = gcn_model_of(w->device)->gds_bytes - base,
                       size = w->s[GCN_M0] & 0xffff;
        const uint32_t part = size < room ? size : room;
        s = (struct share){w->device->gds + base, part, part, NULL};
    }
    if (__builtin_expect(w->device->machine.watch != NULL, false))
        return watched_share(w, u, s, u->gds ? GCN_REGION_APERTURE + base : GCN_SHARED_APERTURE);
    return s;
}

static bool in_watched(const struct gcn_watched_share *s, uint32_t addr, unsigned size)
{
    return s && (uint64_t)addr + size <= s->size;
}

static __attribute__((noinline)) uint64_t get_watched(const struct gcn_watched_share *s,
                                                      uint64_t lane, uint32_t addr, unsigned size)
{
    if (!in_watched(s, addr, size))
        return 0;
    gcn_watch_access(s->w, s->u, WT_WATCH_READ, (unsigned)lane, s->addr + addr, size,
                     s->bytes + addr, s->bytes + addr);
    return wt_load_le(s->bytes + addr, size);
}

static __attribute__((noinline)) void put_watched(const struct gcn_watched_share *s,
                                                  enum wt_watch_kind kind, uint64_t lane,
                                                  uint32_t addr, uint64_t value, unsigned size)
{
    uint8_t after[8];
    if (!in_watched(s, addr, size))
        return;
    wt_store_le(after, value, size);
    gcn_watch_access(s->w, s->u, kind, (unsigned)lane, s->addr + addr, size, s->bytes + addr,
                     after);
    memcpy(s->bytes + addr, after, size);
}

/* A lane reads. */
static uint64_t get(const struct share *s, uint64_t lane, uint32_t addr, unsigned size)
{
    return (uint64_t)addr + size <= s->plain ? wt_load_le(s->bytes + addr, size)
           : s->watched                      ? get_watched(s->watched, lane, addr, size)
                                             : 0;
}

/* The value in memory, before the lane's `exchange`. */
static uint64_t peek(const struct share *s, uint32_t addr, unsigned size)
{
    return (uint64_t)addr + size <= s->plain || in_watched(s->watched, addr, size)
               ? wt_load_le(s->bytes + addr, size)
               : 0;
}

static inline void store(const struct share *s, enum wt_watch_kind kind, uint64_t lane,
                         uint32_t addr, uint64_t value, unsigned size)
{
    if ((uint64_t)addr + size <= s->plain)
        wt_store_le(s->bytes + addr, value, size);
    else if (s->watched)
        put_watched(s->watched, kind, lane, addr, value, size);
}

/* A lane writes. */
static void put(const struct share *s, uint64_t lane, uint32_t addr, uint64_t value, unsigned size)
{
    store(s, WT_WATCH_WRITE, lane, addr, value, size);
}

/* A lane writes a value computed from the value that it has read there, or another value in its
 * place. */
static void exchange(const struct share *s, uint64_t lane, uint32_t addr, uint64_t value,
                     unsigned size)
{
    store(s, WT_WATCH_ACCESS, lane, addr, value, size);
}

#define UNLESS_SKIPPED                                                                             \
    if (w->mode & GCN_MODE_VSKIP)                                                                  \
        return gcn_next(u);                                                                        \
    const struct gcn_uop *next = NULL;                                                             \
    const struct share s = share_of(w, u)

/* The lowest and the highest offset of all lanes; those below 0 are high ones. */
static CLONED extent_of(const uint32_t *addr, uint32_t base, uint32_t *low, uint32_t *high)
{
    uint32_t least = UINT32_MAX, most = 0;
    LANES {
        const uint32_t at = addr[i] + base;
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    *low = least;
    *high = most;
}

static __attribute__((noinline)) const uint32_t *ask(struct gcn_wave *w, const struct gcn_uop *u,
                                                     enum wt_watch_kind kind, const uint32_t *addr,
                                                     uint32_t base, unsigned part, unsigned size,
                                                     uint32_t *room)
{
    uint32_t low = 0, high = UINT32_MAX;
    if (!~gcn_exec(w))
        extent_of(addr, base, &low, &high);
    return gcn_judge_passes(w, u, kind, low, high, part, size)
               ? addr
               : gcn_judge_lanes(w, u, kind, addr, base, part, size, room);
}

/* Addresses of LDS by which the lanes that the judge refuses access nothing. */
static inline const uint32_t *judged(struct gcn_wave *w, const struct gcn_uop *u,
                                     enum wt_watch_kind kind, const uint32_t *addr, uint32_t base,
                                     unsigned part, unsigned size, uint32_t *room)
{
    return __builtin_expect(w->device->machine.judge && !u->gds, false)
               ? ask(w, u, kind, addr, base, part, size, room)
               : addr;
}

static uint32_t loaded(const struct gcn_uop *u, uint32_t old, uint64_t value)
{
    if (u->extend == 's')
        value = (uint64_t)wt_sign_extend(value, u->size * 8u);
    if (u->half == 'l')
        return (old & 0xffff0000) | (value & 0xffff);
    if (u->half == 'h')
        return (old & 0xffff) | (uint32_t)value << 16;
    return (uint32_t)value;
}

/* ---- the common case: many lanes, whose accesses all lie within the share ---- */

#define MANY_LANES 12

/* Offsets of the lanes, 0 of those that are off; not 0: those of some reach beyond the end. */
static CLONED place_lanes(uint32_t *at, const uint32_t *addr, const uint32_t *on, uint32_t base,
                          uint32_t bytes, uint32_t size, uint32_t *differ)
{
    const uint32_t last = size - bytes;
    uint32_t some = bytes > size;
    LANES {
        at[i] = (addr[i] + base) & on[i];
        some |= at[i] > last;
    }
    *differ = some;
}

static bool all_within(struct gcn_wave *w, const struct share *s, const uint32_t *addr,
                       uint32_t base, uint32_t bytes, uint32_t *at)
{
    const uint64_t exec = gcn_exec(w);
    uint32_t differ;
    if (wt_count_ones(exec) < MANY_LANES)
        return false;
    place_lanes(at, addr, gcn_lanes_on(w, exec), base, bytes, s->size, &differ);
    return !differ;
}

static inline __attribute__((always_inline)) void
get_words(uint32_t (*to)[GCN_LANES], const uint8_t *from, const uint32_t *at, const unsigned words)
{
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        for (unsigned i = 0; i < words; i++)
            to[i][lane] = (uint32_t)wt_load_le(from + at[lane] + 4 * i, 4);
}

/* In the order of the lanes: the highest one wins. */
static inline __attribute__((always_inline)) void put_words(uint8_t *to,
                                                            uint32_t (*from)[GCN_LANES],
                                                            const uint32_t *at, uint64_t lanes,
                                                            const unsigned words)
{
    for (unsigned lane = 0; !~lanes && lane < GCN_LANES; lane++)
        for (unsigned i = 0; i < words; i++)
            wt_store_le(to + at[lane] + 4 * i, from[i][lane], 4);
    OF_LANES(lane, ~lanes ? lanes : 0)
    for (unsigned i = 0; i < words; i++)
        wt_store_le(to + at[lane] + 4 * i, from[i][lane], 4);
}

static inline __attribute__((always_inline)) void put_two(uint8_t *to, uint32_t (*first)[GCN_LANES],
                                                          uint32_t (*second)[GCN_LANES],
                                                          uint32_t (*at)[GCN_LANES],
                                                          const unsigned words)
{
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        for (unsigned i = 0; i < words; i++)
            wt_store_le(to + at[0][lane] + 4 * i, first[i][lane], 4);
        for (unsigned i = 0; i < words; i++)
            wt_store_le(to + at[1][lane] + 4 * i, second[i][lane], 4);
    }
}

/* Where the lanes' whole dwords lie side by side within the share: the first one's; else NULL. */
static uint32_t *row_in(struct gcn_wave *w, const struct share *s, const uint32_t *addr,
                        uint32_t base, unsigned size)
{
    const uint64_t first = (uint64_t)addr[0] + base;
    uint32_t differ;
    if (~gcn_exec(w) || addr[GCN_LANES - 1] - addr[0] != (GCN_LANES - 1) * size ||
        ((uintptr_t)s->bytes + first) % 4 || first + GCN_LANES * size > s->size ||
        __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return NULL;
    gcn_leave_row(addr, NULL, size, &differ);
    return differ ? NULL : (uint32_t *)(void *)(s->bytes + first);
}

/* Tells who observes all of accesses that are done for many lanes at once. */
static __attribute__((noinline)) void tell(const struct share *s, enum wt_watch_kind kind,
                                           const uint32_t *addr, uint32_t base, unsigned size,
                                           bool is_row)
{
    const uint64_t first = s->watched->addr;
    uint64_t *at = gcn_observe_share(s->watched, kind, size, is_row);
    for (unsigned i = 0; i < GCN_LANES; i++)
        at[i] = first + (uint32_t)(addr[i] + base);
    wt_observe_stored(&s->watched->w->device->machine, kind);
}

/* Whole dwords of all lanes; false where it must be done lane by lane. */
static bool read_all(struct gcn_wave *w, const struct share *s, const uint32_t *addr, uint32_t base,
                     unsigned size, unsigned to)
{
    const uint64_t exec = gcn_exec(w);
    uint32_t at[GCN_LANES], some[4][GCN_LANES];
    uint32_t(*value)[GCN_LANES] = ~exec ? some : w->v + to;
    const uint32_t *row = size < 4 ? NULL : row_in(w, s, addr, base, size);
    if (!row && (size < 4 || !all_within(w, s, addr, base, size, at)))
        return false;
    if (s->watched)
        tell(s, WT_WATCH_READ, addr, base, size, row);
    if (row) {
        gcn_load_row(value, row, size / 4);
        return true;
    }
    if (size == 4)
        get_words(value, s->bytes, at, 1);
    else if (size == 8)
        get_words(value, s->bytes, at, 2);
    else if (size == 12)
        get_words(value, s->bytes, at, 3);
    else
        get_words(value, s->bytes, at, 4);
    for (unsigned i = 0; ~exec && i < size / 4; i++)
        gcn_blend(w->v[to + i], some[i], gcn_lanes_on(w, exec));
    return true;
}

static bool write_all(struct gcn_wave *w, const struct share *s, const uint32_t *addr,
                      uint32_t base, unsigned size, unsigned from)
{
    uint32_t at[GCN_LANES], *row = size < 4 ? NULL : row_in(w, s, addr, base, size);
    if (!row && (size < 4 || !all_within(w, s, addr, base, size, at)))
        return false;
    if (s->watched)
        tell(s, WT_WATCH_WRITE, addr, base, size, row);
    if (row) {
        gcn_store_row(row, w->v + from, size / 4);
        return true;
    }
    if (size == 4)
        put_words(s->bytes, w->v + from, at, gcn_exec(w), 1);
    else if (size == 8)
        put_words(s->bytes, w->v + from, at, gcn_exec(w), 2);
    else if (size == 12)
        put_words(s->bytes, w->v + from, at, gcn_exec(w), 3);
    else
        put_words(s->bytes, w->v + from, at, gcn_exec(w), 4);
    return true;
}

/* ---- loads and stores ---- */

OP(ds_read)
{
    const unsigned words = (u->size + 3u) / 4;
    const uint32_t base = (uint32_t)u->imm, *addr = w->v[u->src[0]];
    uint32_t room[GCN_LANES];
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->dst, words, &next))
        return next;
    addr = judged(w, u, WT_WATCH_READ, addr, base, 0, u->size, room);
    const uint64_t lanes = read_all(w, &s, addr, base, u->size, u->dst) ? 0 : gcn_exec(w);
    OF_LANES(lane, lanes)
    {
        const uint32_t at = addr[lane] + base;
        if (u->size < 4)
            w->v[u->dst][lane] = loaded(u, w->v[u->dst][lane], get(&s, lane, at, u->size));
        else
            for (unsigned i = 0; i < words; i++)
                w->v[u->dst + i][lane] = (uint32_t)get(&s, lane, at + 4 * i, 4);
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

OP(ds_write)
{
    const unsigned words = (u->size + 3u) / 4;
    const uint32_t base = (uint32_t)u->imm, *addr = w->v[u->src[0]];
    uint32_t room[GCN_LANES];
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], words, &next))
        return next;
    addr = judged(w, u, WT_WATCH_WRITE, addr, base, 0, u->size, room);
    const uint64_t lanes = write_all(w, &s, addr, base, u->size, u->src[1]) ? 0 : gcn_exec(w);
    OF_LANES(lane, lanes)
    {
        const uint32_t at = addr[lane] + base;
        if (u->size < 4)
            put(&s, lane, at, w->v[u->src[1]][lane] >> (u->half == 'h' ? 16 : 0), u->size);
        else
            for (unsigned i = 0; i < words; i++)
                put(&s, lane, at + 4 * i, w->v[u->src[1] + i][lane], 4);
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

/* With M0[15:0] and the lane's number as address (section 10.3.1). */
OP(ds_read_addtid)
{
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->dst, 1, &next))
        return next;
    EACH_LANE(lane)
    w->v[u->dst][lane] =
        (uint32_t)get(&s, lane, (w->s[GCN_M0] & 0xffff) + (uint32_t)u->imm + 4 * (uint32_t)lane, 4);
    gcn_ds_issued(w);
    return gcn_next(u);
}

OP(ds_write_addtid)
{
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[1], 1, &next))
        return next;
    EACH_LANE(lane)
    put(&s, lane, (w->s[GCN_M0] & 0xffff) + (uint32_t)u->imm + 4 * (uint32_t)lane,
        w->v[u->src[1]][lane], 4);
    gcn_ds_issued(w);
    return gcn_next(u);
}

/* Two offsets of eight bits, in elements; st64: in 64 elements. */
static void offsets(const struct gcn_uop *u, uint32_t offset[2])
{
    const uint32_t unit = u->size * (strstr(u->row->name, "st64") ? 64u : 1u);
    offset[0] = ((uint32_t)u->imm & 0xff) * unit;
    offset[1] = ((uint32_t)u->imm >> 8 & 0xff) * unit;
}

static uint64_t data_of(const struct gcn_wave *w, unsigned r, unsigned lane, unsigned size)
{
    return size == 8 ? w->v[r][lane] | (uint64_t)w->v[r + 1][lane] << 32 : w->v[r][lane];
}

static void result_to(struct gcn_wave *w, unsigned r, unsigned lane, unsigned size, uint64_t value)
{
    w->v[r][lane] = (uint32_t)value;
    if (size == 8)
        w->v[r + 1][lane] = (uint32_t)(value >> 32);
}

OP(ds_read2)
{
    const unsigned words = u->size / 4u;
    uint32_t offset[2], addr[GCN_LANES], room[GCN_LANES];
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->dst, 2 * words, &next))
        return next;
    offsets(u, offset);
    /* the results may lie where the addresses are */
    memcpy(addr, w->v[u->src[0]], sizeof addr);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned to = u->dst + i * words;
        const uint32_t *from = judged(w, u, WT_WATCH_READ, addr, offset[i], i, u->size, room);
        const uint64_t lanes = read_all(w, &s, from, offset[i], u->size, to) ? 0 : gcn_exec(w);
        OF_LANES(lane, lanes)
        result_to(w, to, (unsigned)lane, u->size, get(&s, lane, from[lane] + offset[i], u->size));
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

OP(ds_write2)
{
    const unsigned words = u->size / 4u;
    uint32_t offset[2];
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], words, &next) ||
        !gcn_ds_registers(w, u, u->src[2], words, &next))
        return next;
    offsets(u, offset);
    uint32_t at[2][GCN_LANES], room[2][GCN_LANES], *row[2];
    const uint32_t *addr[2];
    for (unsigned i = 0; i < 2; i++) {
        addr[i] = judged(w, u, WT_WATCH_WRITE, w->v[u->src[0]], offset[i], i, u->size, room[i]);
        row[i] = row_in(w, &s, addr[i], offset[i], u->size);
    }
    /* Rows that overlap are written lane by lane. */
    const bool rows = row[0] && row[1] && labs(row[1] - row[0]) >= (long)(GCN_LANES * words);
    const bool all = !rows && !~gcn_exec(w) &&
                     all_within(w, &s, addr[0], offset[0], u->size, at[0]) &&
                     all_within(w, &s, addr[1], offset[1], u->size, at[1]);
    for (unsigned i = 0; s.watched && (rows || all) && i < 2; i++)
        tell(&s, WT_WATCH_WRITE, addr[i], offset[i], u->size, false);
    if (rows) {
        gcn_store_row(row[0], w->v + u->src[1], words);
        gcn_store_row(row[1], w->v + u->src[2], words);
        gcn_ds_issued(w);
        return gcn_next(u);
    }
    if (all && words == 1)
        put_two(s.bytes, w->v + u->src[1], w->v + u->src[2], at, 1);
    else if (all)
        put_two(s.bytes, w->v + u->src[1], w->v + u->src[2], at, 2);
    OF_LANES(lane, all ? 0 : gcn_exec(w))
    for (unsigned i = 0; i < 2; i++)
        put(&s, lane, addr[i][lane] + offset[i], data_of(w, u->src[1 + i], (unsigned)lane, u->size),
            u->size);
    gcn_ds_issued(w);
    return gcn_next(u);
}

OP(ds_wrxchg2)
{
    const unsigned words = u->size / 4u;
    uint32_t offset[2];
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], words, &next) ||
        !gcn_ds_registers(w, u, u->src[2], words, &next) ||
        !gcn_ds_registers(w, u, u->dst, 2 * words, &next))
        return next;
    offsets(u, offset);
    uint32_t room[2][GCN_LANES];
    const uint32_t *addr[2];
    for (unsigned i = 0; i < 2; i++)
        addr[i] = judged(w, u, WT_WATCH_ACCESS, w->v[u->src[0]], offset[i], i, u->size, room[i]);
    EACH_LANE(lane)
    {
        const uint32_t at[2] = {addr[0][lane] + offset[0], addr[1][lane] + offset[1]};
        uint64_t old[2], data[2];
        for (unsigned i = 0; i < 2; i++) {
            data[i] = data_of(w, u->src[1 + i], (unsigned)lane, u->size);
            old[i] = peek(&s, at[i], u->size);
        }
        for (unsigned i = 0; i < 2; i++) {
            exchange(&s, lane, at[i], data[i], u->size);
            result_to(w, u->dst + i * words, (unsigned)lane, u->size, old[i]);
        }
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

/* ---- atomics: opcode[4:0] says what, [5] whether the old value is wanted ---- */

enum ds_atomic {
    DS_ADD,
    DS_SUB,
    DS_RSUB,
    DS_INC,
    DS_DEC,
    DS_MIN_I,
    DS_MAX_I,
    DS_MIN_U,
    DS_MAX_U,
    DS_AND,
    DS_OR,
    DS_XOR,
    DS_MSKOR,
    DS_WRXCHG,
    DS_CMPST = 0x10,
    DS_CMPST_F,
    DS_MIN_F,
    DS_MAX_F,
    DS_WRAP,
    DS_ADD_F,
    DS_PK_ADD_F16 = 0x17,
    DS_PK_ADD_BF16,
    DS_ADD_F64 = 0x1c,
};

static bool float_equal(uint64_t x, uint64_t y, unsigned size)
{
    struct wt_fp fp = {0};
    return size == 8 ? wt_f64_eq(x, y, &fp) : wt_f32_eq((uint32_t)x, (uint32_t)y, &fp);
}

static bool float_less(uint64_t x, uint64_t y, unsigned size)
{
    struct wt_fp fp = {0};
    return size == 8 ? wt_f64_lt(x, y, &fp) : wt_f32_lt((uint32_t)x, (uint32_t)y, &fp);
}

static inline __attribute__((always_inline)) uint64_t computed(struct gcn_wave *w, unsigned what,
                                                               unsigned size, uint64_t old,
                                                               uint64_t data, uint64_t second)
{
    struct wt_fp fp;
    switch (what) {
    case DS_ADD:
        return old + data;
    case DS_SUB:
        return old - data;
    case DS_RSUB:
        return data - old;
    case DS_INC:
        return gcn_atomic(GCN_ATOMIC_INC, size, old, data, 0);
    case DS_DEC:
        return gcn_atomic(GCN_ATOMIC_DEC, size, old, data, 0);
    case DS_MIN_I:
        return gcn_atomic(GCN_ATOMIC_SMIN, size, old, data, 0);
    case DS_MAX_I:
        return gcn_atomic(GCN_ATOMIC_SMAX, size, old, data, 0);
    case DS_MIN_U:
        return old < data ? old : data;
    case DS_MAX_U:
        return old > data ? old : data;
    case DS_AND:
        return old & data;
    case DS_OR:
        return old | data;
    case DS_XOR:
        return old ^ data;
    case DS_MSKOR:
        return (old & ~data) | second;
    case DS_WRXCHG:
        return data;
    case DS_CMPST:
        return old == data ? second : old;
    case DS_CMPST_F:
        return float_equal(old, data, size) ? second : old;
    case DS_MIN_F:
        return float_less(data, old, size) ? data : old;
    case DS_MAX_F:
        return float_less(old, data, size) ? data : old;
    case DS_WRAP:
        return old >= data ? old - data : old + second;
    case DS_PK_ADD_F16:
        return gcn_atomic_pk_add_f16((uint32_t)old, (uint32_t)data);
    case DS_PK_ADD_BF16:
        return gcn_atomic_pk_add_bf16((uint32_t)old, (uint32_t)data);
    default: /* DS_ADD_F, DS_ADD_F64 */
        fp = gcn_fp_env(w, size == 4);
        return size == 8 ? wt_f64_add(old, data, &fp)
                         : wt_f32_add((uint32_t)old, (uint32_t)data, &fp);
    }
}

static inline __attribute__((always_inline)) void change(struct gcn_wave *w, uint8_t *bytes,
                                                         const uint32_t *at, const uint32_t *data,
                                                         uint32_t *old, const unsigned what)
{
    OF_LANES(lane, gcn_exec(w))
    {
        const uint32_t before = (uint32_t)wt_load_le(bytes + at[lane], 4);
        wt_store_le(bytes + at[lane], computed(w, what, 4, before, data[lane], 0), 4);
        old[lane] = before;
    }
}

static CLONED any_bits(const uint32_t *x, uint32_t *any)
{
    uint32_t some = 0;
    LANES
        some |= x[i];
    *any = some;
}

/* The usual ones of 32 bits, of many lanes within the share, aligned; false where it must be done
 * another way. */
static bool atomic_all(struct gcn_wave *w, const struct share *s, const struct gcn_uop *u,
                       const uint32_t *addr, unsigned what, bool wanted)
{
    uint32_t at[GCN_LANES], old[GCN_LANES], any;
    const uint32_t *data = w->v[u->src[1]];
    if (u->size != 4 || !all_within(w, s, addr, (uint32_t)u->imm, 4, at))
        return false;
    any_bits(at, &any);
    if (any % 4)
        return false;
    switch (what) {
#define OF(name)                                                                                   \
    case name:                                                                                     \
        change(w, s->bytes, at, data, old, name);                                                  \
        break
        OF(DS_ADD);
        OF(DS_SUB);
        OF(DS_INC);
        OF(DS_MIN_I);
        OF(DS_MAX_I);
        OF(DS_MIN_U);
        OF(DS_MAX_U);
        OF(DS_AND);
        OF(DS_OR);
        OF(DS_XOR);
        OF(DS_WRXCHG);
        OF(DS_ADD_F);
#undef OF
    default:
        return false;
    }
    if (s->watched)
        tell(s, WT_WATCH_ACCESS, addr, (uint32_t)u->imm, 4, false);
    if (wanted)
        gcn_blend(w->v[u->dst], old, gcn_lanes_on(w, gcn_exec(w)));
    return true;
}

OP(ds_atomic)
{
    const unsigned what = u->row->opcode & 0x1f, words = u->size / 4u;
    const bool wanted = u->row->opcode & 0x20;
    const bool two = what == DS_MSKOR || what == DS_CMPST || what == DS_CMPST_F || what == DS_WRAP;
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], words, &next) ||
        (two && !gcn_ds_registers(w, u, u->src[2], words, &next)) ||
        (wanted && !gcn_ds_registers(w, u, u->dst, words, &next)))
        return next;
    uint32_t room[GCN_LANES];
    const uint32_t *place =
        judged(w, u, WT_WATCH_ACCESS, w->v[u->src[0]], (uint32_t)u->imm, 0, u->size, room);
    if (atomic_all(w, &s, u, place, what, wanted)) {
        gcn_ds_issued(w);
        return gcn_next(u);
    }
    EACH_LANE(lane)
    {
        const uint32_t addr = place[lane] + (uint32_t)u->imm;
        if (addr % u->size)
            return gcn_fault(w, u, WT_FAULT_MISALIGNED, (uint64_t)1 << lane, addr,
                             "%s: 0x%x is not a multiple of %u", u->row->name, addr, u->size);
    }
    EACH_LANE(lane)
    {
        const uint32_t addr = place[lane] + (uint32_t)u->imm;
        const uint64_t data = data_of(w, u->src[1], (unsigned)lane, u->size);
        const uint64_t second = two ? data_of(w, u->src[2], (unsigned)lane, u->size) : 0;
        const uint64_t old = peek(&s, addr, u->size);
        exchange(&s, lane, addr, computed(w, what, u->size, old, data, second), u->size);
        if (wanted)
            result_to(w, u->dst, (unsigned)lane, u->size, old);
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

/*
 * Two places of the share, A = A op B (section 12.13, DS_*_SRC2). A is the address; B is A and as
 * many dwords more or less as the instruction's offset says or, with its top bit, the address's
 * upper 15 bits, which then are not part of A.
 */
OP(ds_src2)
{
    const unsigned what = u->row->opcode & 0x1f;
    const uint32_t offset = (uint32_t)u->imm;
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next))
        return next;
    for (unsigned pass = 0; pass < 2; pass++) {
        EACH_LANE(lane)
        {
            const uint32_t addr = w->v[u->src[0]][lane];
            const uint32_t a = offset & 0x8000 ? addr & 0x1ffff : addr;
            const uint32_t b =
                a + 4 * (uint32_t)(offset & 0x8000 ? wt_sign_extend(addr >> 17, 15)
                                                   : wt_sign_extend(offset & 0x7fff, 15));
            if (!pass && (a % u->size || b % u->size))
                return gcn_fault(w, u, WT_FAULT_MISALIGNED, (uint64_t)1 << lane,
                                 a % u->size ? a : b, "%s: 0x%x is not a multiple of %u",
                                 u->row->name, a % u->size ? a : b, u->size);
            if (pass)
                exchange(
                    &s, lane, a,
                    computed(w, what, u->size, peek(&s, a, u->size), get(&s, lane, b, u->size), 0),
                    u->size);
        }
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

/* Each of two dwords is exchanged if the data's top bit is set; that bit is not stored. */
OP(ds_condxchg32_rtn_b64)
{
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->src[0], 1, &next) ||
        !gcn_ds_registers(w, u, u->src[1], 2, &next) || !gcn_ds_registers(w, u, u->dst, 2, &next))
        return next;
    EACH_LANE(lane)
    {
        const uint32_t addr = (w->v[u->src[0]][lane] + (uint32_t)u->imm) & 0xfff8;
        uint32_t data[2];
        for (unsigned i = 0; i < 2; i++)
            data[i] = w->v[u->src[1] + i][lane];
        for (unsigned i = 0; i < 2; i++) {
            if (data[i] >> 31) {
                w->v[u->dst + i][lane] = (uint32_t)peek(&s, addr + 4 * i, 4);
                exchange(&s, lane, addr + 4 * i, data[i] & 0x7fffffff, 4);
            } else {
                w->v[u->dst + i][lane] = (uint32_t)get(&s, lane, addr + 4 * i, 4);
            }
        }
    }
    gcn_ds_issued(w);
    return gcn_next(u);
}

/*
 * The number of active lanes is added to (append) or taken from (consume) a counter; all of them
 * get the old value. M0 is the counter's address, as compilers use it; in GDS, its base.
 */
static const struct gcn_uop *counted(struct gcn_wave *w, const struct gcn_uop *u, bool append)
{
    UNLESS_SKIPPED;
    if (!gcn_ds_registers(w, u, u->dst, 1, &next))
        return next;
    const uint32_t addr = (u->gds ? 0 : w->s[GCN_M0] & 0xffff) + (uint32_t)u->imm;
    if (addr % 4)
        return gcn_fault(w, u, WT_FAULT_MISALIGNED, gcn_exec(w), addr,
                         "%s: 0x%x is not a multiple of 4", u->row->name, addr);
    const uint32_t old = (uint32_t)peek(&s, addr, 4);
    const uint32_t lanes = wt_count_ones(gcn_exec(w));
    exchange(&s, lanes ? (unsigned)__builtin_ctzll(gcn_exec(w)) : 0, addr,
             append ? old + lanes : old - lanes, 4);
    EACH_LANE(lane)
    w->v[u->dst][lane] = old;
    gcn_ds_issued(w);
    return gcn_next(u);
}

OP(ds_append)
{
    return counted(w, u, true);
}

OP(ds_consume)
{
    return counted(w, u, false);
}
