/*
 * The common part of the vector memory encodings: loads, stores and atomics of all lanes at once.
 * An access takes effect only after all lanes have been checked.
 */
#include "emulator/gcn/exec/row_function.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"
#include "emulator/machine/copy.h"
#include "emulator/machine/judge.h"

#include <string.h>

static void issued(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                   bool stores)
{
    gcn_count_vmem(w, stores);
    if ((u->row->encoding == GCN_FLAT || t->lds) && w->lgkm_cnt < 15)
        w->lgkm_cnt++;
}

/* ---- the common case: memory, no lane's bytes across a page's end ---- */

#define ALL_LANES (~(uint64_t)0)

/* Not 0: some lane's bytes are not in the page of the first one's, or reach across its end. */
static CLONED leave_page(const uint64_t *addr, unsigned size, uint64_t *differ)
{
    const uint64_t page = addr[0] & ~WT_PAGE_MASK, last = page + WT_PAGE_SIZE - size;
    uint64_t some = 0;
    LANES
        some |= (addr[i] ^ page) >> WT_PAGE_BITS | (last - addr[i]) >> 63;
    *differ = some;
}

static CLONED point_into(const uint8_t **host, const uint8_t *page, const uint64_t *addr)
{
    LANES
        host[i] = page + (addr[i] & WT_PAGE_MASK);
}

/* By each lane's own entry of the TLB; not 0 where one has none or crosses a page's end. */
static uint64_t look_up(struct gcn_device *d, const uint64_t *addr, unsigned size, bool write,
                        const uint8_t **host)
{
    uint64_t bad = 0;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const uint64_t in = addr[i] & WT_PAGE_MASK;
        const struct wt_tlb_entry *e = wt_tlb_entry_of(&d->machine.tlb, addr[i]);
        bad |= (write ? e->write_page : e->read_page) ^ (addr[i] - in);
        bad |= (WT_PAGE_SIZE - size - in) >> 63;
        /* As a number: an entry that is not this page's may hold no address. */
        host[i] = (const uint8_t *)((uintptr_t)(write ? e->write_host : e->read_host) + in);
    }
    return bad;
}

/* From so many lanes on, the others are looked up as well: each as if it were the first one. */
#define MANY_LANES 12

static CLONED fill_up(uint64_t *to, const uint64_t *addr, uint64_t lanes)
{
    const uint64_t first = addr[__builtin_ctzll(lanes)];
    LANES
        to[i] = lanes >> i & 1 ? addr[i] : first;
}

static CLONED find_extent(const uint64_t *addr, uint64_t *first, uint64_t *last)
{
    uint64_t low = addr[0], high = addr[0];
    LANES {
        low = addr[i] < low ? addr[i] : low;
        high = addr[i] > high ? addr[i] : high;
    }
    *first = low;
    *last = high;
}

/* The page of all lanes' addresses; NULL where they must be looked at one by one. */
static const uint8_t *page_of(struct gcn_device *d, const uint64_t *addr, unsigned size, bool write)
{
    const uint64_t page = addr[0] & ~WT_PAGE_MASK;
    const uint8_t *host = write ? gcn_writable(d, page, 1) : gcn_readable(d, page, 1);
    uint64_t first, last;
    if (host || !gcn_watching(d))
        return host;
    find_extent(addr, &first, &last);
    host = write ? gcn_writable_beside_watch(d, first, last - first + size)
                 : gcn_readable_beside_watch(d, first, last - first + size);
    return host ? host - (first & WT_PAGE_MASK) : NULL;
}

/* Where the bytes of each of these lanes are, and for MANY_LANES something for the others, too;
 * false where they must be found another way. */
static bool find(struct gcn_device *d, const struct gcn_targets *t, uint64_t lanes, unsigned size,
                 bool write, const uint8_t **host)
{
    uint64_t page = ~(uint64_t)0, filled[GCN_LANES];
    const uint8_t *of_page = NULL;
    const bool many = wt_count_ones(lanes) >= MANY_LANES;
    if (many) {
        const uint64_t *addr = t->addr;
        uint64_t differ;
        if (lanes != ALL_LANES) {
            fill_up(filled, addr, lanes);
            addr = filled;
        }
        leave_page(addr, size, &differ);
        if (!differ) {
            of_page = page_of(d, addr, size, write);
            if (of_page)
                point_into(host, of_page, addr);
            return of_page;
        }
        if (!look_up(d, addr, size, write, host))
            return true;
        page = ~(uint64_t)0;
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t in = t->addr[lane] & WT_PAGE_MASK;
        if (in + size > WT_PAGE_SIZE)
            return false;
        if (t->addr[lane] - in != page) {
            page = t->addr[lane] - in;
            of_page = write ? gcn_writable(d, page, 1) : gcn_readable(d, page, 1);
            if (!of_page)
                return false;
        }
        host[lane] = of_page + in;
    }
    for (uint64_t left = many ? ~lanes : 0; left; left &= left - 1)
        host[__builtin_ctzll(left)] = host[__builtin_ctzll(lanes)];
    return true;
}

static CLONED point_at(const uint8_t **host, const uint8_t *base, const uint64_t *addr)
{
    LANES
        host[i] = base + addr[i];
}

/* Likewise of lanes whose addresses are all in LDS. */
static bool find_shared(struct gcn_wave *w, const struct gcn_targets *t, uint64_t lanes,
                        unsigned size, const uint8_t **host)
{
    const struct gcn_group *g = w->group;
    uint64_t filled[GCN_LANES], first, last;
    if (!lanes || lanes & ~t->lds ||
        (gcn_watching(w->device) && !wt_observes_rows(&w->device->machine)))
        return false;
    fill_up(filled, t->addr, lanes);
    find_extent(filled, &first, &last);
    if (last > g->local_size || last + size > g->local_size)
        return false;
    point_at(host, g->local, filled);
    return true;
}

static CLONED swizzle(uint64_t *to, const uint64_t *addr, uint64_t base, unsigned log_lanes)
{
    LANES
        to[i] = base + ((addr[i] & ~(uint64_t)3) << log_lanes) + i * 4 + (addr[i] & 3);
}

/* Not 0: of some of these lanes the bytes are not in one dword, or not whole dwords. */
static CLONED cut_dwords(const uint64_t *addr, uint64_t lanes, unsigned size, uint64_t *cut)
{
    const unsigned most = size < 4 ? 4 - size : 0;
    uint64_t some = 0;
    LANES
        some |= (lanes >> i & 1) & ((addr[i] & 3) > most);
    *cut = some;
}

/* Likewise of lanes whose addresses are all in private memory: the places of each of their dwords.
 */
static bool find_private(struct gcn_wave *w, const struct gcn_targets *t, uint64_t lanes,
                         unsigned size, bool write, const uint8_t *(*host)[GCN_LANES])
{
    struct gcn_targets at = {.lanes = lanes};
    uint64_t cut;
    if (!lanes || lanes & ~t->private)
        return false;
    cut_dwords(t->addr, lanes, size, &cut);
    if (cut)
        return false;
    for (unsigned i = 0; i * 4 < size; i++) {
        swizzle(at.addr, t->addr, gcn_private_addr(w, 0, 4 * i), w->narrow ? 5 : 6);
        if (!find(w->device, &at, lanes, size < 4 ? size : 4, write, host[i]))
            return false;
    }
    return true;
}

static inline __attribute__((always_inline)) void get_lanes(uint32_t (*value)[GCN_LANES],
                                                            const uint8_t *const *host,
                                                            uint64_t lanes, const unsigned size)
{
    const unsigned words = (size + 3) / 4, part = size < 4 ? size : 4;
    if (lanes == ALL_LANES) {
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            for (unsigned i = 0; i < words; i++)
                value[i][lane] = (uint32_t)wt_load_le(host[lane] + 4 * i, part);
        return;
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        for (unsigned i = 0; i < words; i++)
            value[i][lane] = (uint32_t)wt_load_le(host[lane] + 4 * i, part);
    }
}

static void get(uint32_t (*value)[GCN_LANES], const uint8_t *const *host, uint64_t lanes,
                unsigned size)
{
    switch (size) {
    case 1:
        get_lanes(value, host, lanes, 1);
        break;
    case 2:
        get_lanes(value, host, lanes, 2);
        break;
    case 4:
        get_lanes(value, host, lanes, 4);
        break;
    case 8:
        get_lanes(value, host, lanes, 8);
        break;
    case 12:
        get_lanes(value, host, lanes, 12);
        break;
    default:
        get_lanes(value, host, lanes, 16);
    }
}

/* Tells who observes all of an access that was done for many lanes at once. */
static void tell(struct gcn_wave *w, const struct gcn_targets *t, enum wt_watch_kind kind,
                 unsigned size)
{
    const uint64_t lanes = t->lanes & ~t->zero;
    uint64_t at[GCN_LANES];
    if (!wt_observes_rows(&w->device->machine) || !lanes)
        return;
    for (unsigned i = 0; i < GCN_LANES; i++)
        at[i] = t->addr[i] + (t->lds ? GCN_SHARED_APERTURE : 0);
    if (t->private)
        gcn_observe_private(w, t->at, kind, lanes, at, size);
    else
        gcn_observe_lanes(w, t->at, kind, lanes, at, size);
}

static bool load_fast(struct gcn_wave *w, const struct gcn_targets *t, unsigned size,
                      uint32_t (*value)[GCN_LANES])
{
    const uint8_t *host[4][GCN_LANES];
    const uint64_t lanes = t->lanes & ~t->zero;
    const uint64_t read = wt_count_ones(lanes) >= MANY_LANES ? ALL_LANES : lanes;
    if (t->private) {
        if (!find_private(w, t, lanes, size, false, host))
            return false;
        for (unsigned i = 0; i * 4 < size; i++)
            get(value + i, host[i], read, size < 4 ? size : 4);
    } else {
        if (t->lds ? !find_shared(w, t, lanes, size, host[0])
                   : !find(w->device, t, lanes, size, false, host[0]))
            return false;
        get(value, host[0], read, size);
    }
    for (uint64_t left = t->zero; left; left &= left - 1)
        for (unsigned i = 0; i < (size + 3) / 4; i++)
            value[i][__builtin_ctzll(left)] = 0;
    tell(w, t, WT_WATCH_READ, size);
    return true;
}

static inline __attribute__((always_inline)) void put_lanes(const uint8_t *const *host,
                                                            uint32_t (*value)[GCN_LANES],
                                                            uint64_t lanes, unsigned shift,
                                                            const unsigned size)
{
    const unsigned words = (size + 3) / 4, part = size < 4 ? size : 4;
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t *to = (uint8_t *)(uintptr_t)host[lane];
        for (unsigned i = 0; i < words; i++)
            wt_store_le(to + 4 * i, value[i][lane] >> shift, part);
    }
}

static void put_all(const uint8_t *const *host, uint32_t (*from)[GCN_LANES], uint64_t lanes,
                    unsigned shift, unsigned size)
{
    switch (size) {
    case 1:
        put_lanes(host, from, lanes, shift, 1);
        break;
    case 2:
        put_lanes(host, from, lanes, shift, 2);
        break;
    case 4:
        put_lanes(host, from, lanes, 0, 4);
        break;
    case 8:
        put_lanes(host, from, lanes, 0, 8);
        break;
    case 12:
        put_lanes(host, from, lanes, 0, 12);
        break;
    default:
        put_lanes(host, from, lanes, 0, 16);
    }
}

/* False where it must be done another way: then nothing is stored. */
static bool store_fast(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t)
{
    const uint8_t *host[4][GCN_LANES];
    const uint64_t lanes = t->lanes & ~t->zero;
    const unsigned shift = u->half == 'h' ? 16 : 0;
    uint32_t(*from)[GCN_LANES] = w->v + u->src[1];
    if (t->private) {
        if (!find_private(w, t, lanes, u->size, true, host))
            return false;
        for (unsigned i = 0; i * 4 < u->size; i++)
            put_all(host[i], from + i, lanes, shift, u->size < 4 ? u->size : 4);
        tell(w, t, WT_WATCH_WRITE, u->size);
        return true;
    }
    if (t->lds ? !find_shared(w, t, lanes, u->size, host[0])
               : !find(w->device, t, lanes, u->size, true, host[0]))
        return false;
    put_all(host[0], from, lanes, shift, u->size);
    tell(w, t, WT_WATCH_WRITE, u->size);
    return true;
}

/* ---- more common still: lane by lane side by side ---- */

CLONED gcn_load_row(uint32_t (*to)[GCN_LANES], const uint32_t *from, unsigned words)
{
    if (words == 1) {
        LANES
            to[0][i] = from[i];
    } else if (words == 2) {
        LANES
            to[0][i] = from[2 * i], to[1][i] = from[2 * i + 1];
    } else if (words == 4) {
        LANES {
            to[0][i] = from[4 * i], to[1][i] = from[4 * i + 1];
            to[2][i] = from[4 * i + 2], to[3][i] = from[4 * i + 3];
        }
    } else {
        for (unsigned i = 0; i < GCN_LANES; i++)
            for (unsigned k = 0; k < words; k++)
                to[k][i] = from[words * i + k];
    }
}

CLONED gcn_store_row(uint32_t *to, uint32_t (*from)[GCN_LANES], unsigned words)
{
    if (words == 1) {
        LANES
            to[i] = from[0][i];
    } else if (words == 2) {
        LANES
            to[2 * i] = from[0][i], to[2 * i + 1] = from[1][i];
    } else if (words == 4) {
        LANES {
            to[4 * i] = from[0][i], to[4 * i + 1] = from[1][i];
            to[4 * i + 2] = from[2][i], to[4 * i + 3] = from[3][i];
        }
    } else {
        for (unsigned i = 0; i < GCN_LANES; i++)
            for (unsigned k = 0; k < words; k++)
                to[words * i + k] = from[k][i];
    }
}

CLONED gcn_leave_row(const uint32_t *low, const uint32_t *high, uint32_t step, uint32_t *differ)
{
    const uint32_t first = low[0];
    uint32_t some = first > UINT32_MAX - GCN_LANES * step;
    LANES
        some |= low[i] - (uint32_t)i * step - first;
    if (high) {
        const uint32_t second = high[0];
        LANES
            some |= high[i] ^ second;
    }
    *differ = some;
}

static CLONED leave_wide_row(const uint64_t *addr, uint64_t step, uint64_t *differ)
{
    const uint64_t first = addr[0];
    uint64_t some = 0;
    LANES
        some |= addr[i] - i * step - first;
    *differ = some;
}

/* Rows of whole dwords that lie in one page, read or written as they are on a little-endian host.
 */
static bool may_be_row(uint64_t first, unsigned size)
{
    return size % 4 == 0 && !(first % 4) &&
           (first & WT_PAGE_MASK) + GCN_LANES * size <= WT_PAGE_SIZE &&
           __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* @p u is an instruction, or a part of one, which @p of then is. */
static bool access_row(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_uop *of,
                       uint64_t first, bool store)
{
    const unsigned words = u->size / 4u, r = store ? u->src[1] : u->dst;
    if (!gcn_has_rows(w, r, words) ||
        !wt_judge_holds(&w->device->machine, first, GCN_LANES * u->size, store))
        return false;
    if (store) {
        uint8_t *host = gcn_writable(w->device, first, 4);
        if (!host && !(host = gcn_writable_beside_watch(w->device, first, GCN_LANES * u->size)))
            return false;
        gcn_store_row((uint32_t *)(void *)host, w->v + r, words);
    } else {
        const uint8_t *host = gcn_readable(w->device, first, 4);
        if (!host && !(host = gcn_readable_beside_watch(w->device, first, GCN_LANES * u->size)))
            return false;
        gcn_load_row(w->v + r, (const uint32_t *)(const void *)host, words);
    }
    if (wt_observes_rows(&w->device->machine))
        gcn_observe_row(w, of, store ? WT_WATCH_WRITE : WT_WATCH_READ, first, u->size);
    return true;
}

bool gcn_vmem_row(struct gcn_wave *w, const struct gcn_uop *u, uint64_t base, const uint32_t *low,
                  const uint32_t *high, bool store)
{
    const uint64_t first = base + (low[0] | (uint64_t)(high ? high[0] : 0) << 32);
    uint32_t differ;
    /* The last lane tells most of those that are no rows. */
    if (gcn_exec(w) != ALL_LANES || low[GCN_LANES - 1] - low[0] != (GCN_LANES - 1) * u->size ||
        !may_be_row(first, u->size))
        return false;
    gcn_leave_row(low, high, u->size, &differ);
    if (differ || !access_row(w, u, u, first, store))
        return false;
    issued(w, u, &(struct gcn_targets){0}, store);
    return true;
}

/* Likewise for addresses that are known. */
static bool as_row(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                   bool store)
{
    const uint64_t first = t->addr[0];
    uint64_t differ;
    if (t->lanes != ALL_LANES || t->lds | t->private | t->zero ||
        t->addr[GCN_LANES - 1] - first != (GCN_LANES - 1) * u->size || !may_be_row(first, u->size))
        return false;
    leave_wide_row(t->addr, u->size, &differ);
    return !differ && access_row(w, u, t->at, first, store);
}

/* ---- loads and stores ---- */

/* The register after loads of less than a dword: they extend, or keep its other half. */
static CLONED extend(uint32_t *value, const uint32_t *old, unsigned bits, bool sext, char half)
{
    const unsigned above = 32 - bits, at = half == 'h' ? 16 : 0;
    const uint32_t keep = half == 'l' ? 0xffff0000 : half == 'h' ? 0xffff : 0;
    LANES {
        const uint32_t x = sext ? (uint32_t)((int32_t)(value[i] << above) >> above) : value[i];
        value[i] = (old[i] & keep) | (x << at & ~keep);
    }
}

const struct gcn_uop *gcn_vmem_load(struct gcn_wave *w, const struct gcn_uop *u,
                                    struct gcn_targets *t)
{
    const unsigned words = (u->size + 3u) / 4;
    if (!gcn_has_rows(w, u->dst, words))
        return gcn_no_row(w, u, u->dst + words - 1);
    gcn_judge(w, t->at, t, WT_WATCH_READ, u->size);
    if (as_row(w, u, t, false)) {
        issued(w, u, t, false);
        return gcn_next(u);
    }
    uint32_t value[4][GCN_LANES];
    const bool done = load_fast(w, t, u->size, value);
    for (uint64_t left = done ? 0 : t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t bytes[16] = {0};
        if (!(t->zero >> lane & 1) && !gcn_vmem_read_lane(w, t, lane, bytes, u->size)) {
            return gcn_vmem_refuse(w, u, t, WT_ACCESS_LOAD);
        }
        if (gcn_watching(w->device) && !(t->zero >> lane & 1))
            gcn_vmem_watch_lane(w, t, WT_WATCH_READ, lane, u->size, bytes, bytes);
        for (unsigned i = 0; i < words; i++)
            value[i][lane] = (uint32_t)wt_load_le(bytes + 4 * i, 4);
    }
    if (u->size < 4)
        extend(value[0], w->v[u->dst], u->size * 8u, u->extend == 's', u->half);
    for (unsigned i = 0; i < words; i++) {
        if (t->lanes == ALL_LANES)
            memcpy(w->v[u->dst + i], value[i], sizeof value[i]);
        else
            gcn_blend(w->v[u->dst + i], value[i], gcn_lanes_on(w, t->lanes));
    }
    issued(w, u, t, false);
    return gcn_next(u);
}

const struct gcn_uop *gcn_vmem_store(struct gcn_wave *w, const struct gcn_uop *u,
                                     struct gcn_targets *t)
{
    const unsigned words = (u->size + 3u) / 4, from = u->src[1];
    if (!gcn_has_rows(w, from, words))
        return gcn_no_row(w, u, from + words - 1);
    gcn_judge(w, t->at, t, WT_WATCH_WRITE, u->size);
    const bool done = as_row(w, u, t, true) || store_fast(w, u, t);
    const uint64_t lanes = done ? 0 : t->lanes & ~t->zero;
    for (uint64_t left = lanes; left; left &= left - 1) {
        if (!gcn_vmem_may_write(w, t, (unsigned)__builtin_ctzll(left), u->size))
            return gcn_vmem_refuse(w, u, t, WT_ACCESS_STORE);
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t bytes[16], before[16];
        const uint8_t *after = bytes + (u->half == 'h' ? 2 : 0);
        for (unsigned i = 0; i < words; i++)
            wt_store_le(bytes + 4 * i, w->v[from + i][lane], 4);
        if (gcn_watching(w->device) && gcn_vmem_read_lane(w, t, lane, before, u->size))
            gcn_vmem_watch_lane(w, t, WT_WATCH_WRITE, lane, u->size, before, after);
        if (!gcn_vmem_write_lane(w, t, lane, after, u->size))
            return gcn_no_memory(w, t->at, (uint64_t)1 << lane, t->addr[lane]);
    }
    issued(w, u, t, true);
    return gcn_next(u);
}

/* An atomic where threads of the host may do one at the same time; false where it cannot be done
 * so: the memory is the device's own, or holds decoded code. */
static bool atomic_in_place(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                            enum gcn_atomic what, unsigned size, uint64_t data, uint64_t compare,
                            uint64_t *old)
{
    if (!wt_in_place(&w->device->machine) || (t->lds | t->private) >> lane & 1)
        return false;
    uint8_t *host = gcn_writable(w->device, t->addr[lane], size);
    if (!host && gcn_watching(w->device))
        host = gcn_host_for_write(w->device, t->addr[lane]);
    if (!host)
        return false;
    if (size == 8) {
        uint64_t value = __atomic_load_n((uint64_t *)(void *)host, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n((uint64_t *)(void *)host, &value,
                                            gcn_atomic(what, 8, value, data, compare), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        *old = value;
    } else {
        uint32_t value = __atomic_load_n((uint32_t *)(void *)host, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n((uint32_t *)(void *)host, &value,
                                            (uint32_t)gcn_atomic(what, 4, value, data, compare),
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            continue;
        *old = value;
    }
    return true;
}

static void watch_atomic(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                         unsigned lane, uint64_t before, uint64_t after)
{
    uint8_t was[8], is[8];
    wt_store_le(was, before, u->size);
    wt_store_le(is, after, u->size);
    gcn_vmem_watch_lane(w, t, WT_WATCH_ACCESS, lane, u->size, was, is);
}

/* ---- atomics of many lanes ---- */

/* Not 0: some lane's address differs from the first one's; *odd: bits below 8 that some has. */
static CLONED spread_of(const uint64_t *addr, uint64_t *differ, uint64_t *odd)
{
    const uint64_t first = addr[0];
    uint64_t some = 0, bits = 0;
    LANES {
        some |= addr[i] ^ first;
        bits |= addr[i];
    }
    *differ = some;
    *odd = bits & 7;
}

/* Whether one of these values is watched, or they lie too far from each other to tell. A page may
 * be in the TLB for writing although it is watched for reads. */
static bool may_be_watched(const struct gcn_device *d, const uint64_t *addr, unsigned size)
{
    uint64_t first, last;
    if (!gcn_watching(d) || (wt_observes_rows(&d->machine) && !d->address_watch))
        return false;
    find_extent(addr, &first, &last);
    return (first ^ last) & ~WT_PAGE_MASK || !gcn_beside_watch(d, first, last - first + size);
}

/* False where it must be done another way: then nothing is done. */
static bool atomic_fast(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                        enum gcn_atomic what)
{
    const uint8_t *host[GCN_LANES];
    uint64_t filled[GCN_LANES], differ, odd;
    assert(u->size == 4 || u->size == 8);
    if (t->private | t->zero | t->split || gcn_few_lanes(t->lanes) ||
        __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return false;
    fill_up(filled, t->addr, t->lanes);
    spread_of(filled, &differ, &odd);
    if (odd & (u->size - 1u))
        return false;
    if (t->lds ? !find_shared(w, t, t->lanes, u->size, host)
               : may_be_watched(w->device, filled, u->size) ||
                     !find(w->device, t, t->lanes, u->size, true, host))
        return false;
    const bool in_place = wt_in_place(&w->device->machine) && !t->lds;
    gcn_vmem_change(w, u, host, t->lanes, !differ, in_place, what);
    tell(w, t, WT_WATCH_ACCESS, u->size);
    return true;
}

/* Lanes whose operation the bus drops get 0. */
static void drop_atomics(struct gcn_wave *w, struct gcn_targets *t, enum gcn_atomic what)
{
    for (unsigned i = 0; i < GCN_LANES; i++)
        if ((t->lanes & ~t->zero & ~(t->lds | t->private)) >> i & 1)
            t->zero |= (uint64_t)gcn_atomic_drops(w->device, what, t->addr[i]) << i;
}

const struct gcn_uop *gcn_vmem_atomic(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t)
{
    const enum gcn_atomic what = gcn_atomic_of(gcn_model_of(w->device), u->row);
    const unsigned words = u->size / 4u, from = u->src[1];
    const unsigned given = gcn_compares(what) ? 2 * words : words;
    bool comes_back = false;
    if (!gcn_has_rows(w, from, given))
        return gcn_no_row(w, u, from + given - 1);
    if (u->glc && !gcn_has_rows(w, u->dst, words))
        return gcn_no_row(w, u, u->dst + words - 1);
    gcn_judge(w, t->at, t, WT_WATCH_ACCESS, u->size);
    if (w->device->config.atomics_pcie)
        drop_atomics(w, t, what);
    const uint64_t lanes = t->lanes & ~t->zero;
    if (lanes & ~(t->lds | t->private))
        wt_met(&w->device->machine);
    if (atomic_fast(w, u, t, what)) {
        issued(w, u, t, !u->glc);
        return gcn_next(u);
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (t->addr[lane] % u->size)
            return gcn_fault(w, u, WT_FAULT_MISALIGNED, (uint64_t)1 << lane, t->addr[lane],
                             "%s: 0x%llx is not a multiple of %u", u->row->name,
                             (unsigned long long)t->addr[lane], u->size);
        if (!gcn_vmem_may_write(w, t, lane, u->size))
            return gcn_vmem_refuse(w, u, t, WT_ACCESS_ATOMIC);
    }
    /* Lane after lane: the order in which several meet at one address. */
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t bytes[8] = {0};
        if (t->zero >> lane & 1) {
            for (unsigned i = 0; u->glc && i < words; i++)
                w->v[u->dst + i][lane] = 0;
            continue;
        }
        uint64_t data = w->v[from][lane], compare;
        if (words == 2) {
            data |= (uint64_t)w->v[from + 1][lane] << 32;
            compare = given == 4 ? w->v[from + 2][lane] | (uint64_t)w->v[from + 3][lane] << 32 : 0;
        } else {
            compare = given == 2 ? w->v[from + 1][lane] : 0;
        }
        uint64_t old;
        if (!atomic_in_place(w, t, lane, what, u->size, data, compare, &old)) {
            gcn_vmem_read_lane(w, t, lane, bytes, u->size);
            old = wt_load_le(bytes, u->size);
            wt_store_le(bytes, gcn_atomic(what, u->size, old, data, compare), u->size);
            if (!gcn_vmem_write_lane(w, t, lane, bytes, u->size))
                return gcn_no_memory(w, u, (uint64_t)1 << lane, t->addr[lane]);
            if (!((t->lds | t->private) >> lane & 1))
                comes_back |= wt_in_process_atomic(&w->device->machine.process, t->addr[lane]);
        }
        if (gcn_watching(w->device))
            watch_atomic(w, u, t, lane, old, gcn_atomic(what, u->size, old, data, compare));
        for (unsigned i = 0; u->glc && i < words; i++)
            w->v[u->dst + i][lane] = (uint32_t)(old >> (32 * i));
    }
    issued(w, u, t, !u->glc);
    if (comes_back) {
        gcn_device_come_back(w->device);
        w->pc = gcn_pc_of(w, gcn_next(u));
        return NULL;
    }
    return gcn_next(u);
}
