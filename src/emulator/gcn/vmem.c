/*
 * What the vector memory encodings share: loads, stores and atomics of lanes to memory, to LDS, or
 * to private memory, swizzled. Nothing is done before it is known that all lanes may.
 */
#include "emulator/gcn/internal.h"

#include <string.h>

/*
 * Dword by dword, the private memory of a wave's 64 lanes is interleaved: byte `offset` of a lane
 * is at FLAT_SCRATCH + offset / 4 * 4 * 64 + lane * 4 + offset % 4.
 */
uint64_t gcn_private_addr(const struct gcn_wave *w, unsigned lane, uint64_t offset)
{
    return gcn_pair(&w->s[GCN_FLAT_SCRATCH]) + offset / 4 * 4 * GCN_LANES + lane * 4u + offset % 4;
}

static const struct gcn_uop *violation(struct gcn_wave *w, const struct gcn_uop *u, uint64_t lanes,
                                       uint64_t addr, const char *what)
{
    w->trapsts |= GCN_TRAPSTS_MEM_VIOL;
    return gcn_fault(w, u, WT_FAULT_ACCESS, lanes, addr,
                     "%s: %s of %u bytes at 0x%llx, where no memory is mapped%s", u->row->name,
                     what, u->size, (unsigned long long)addr, *what == 'l' ? "" : " for writing");
}

/* One lane's bytes, wherever they are; false where nothing is mapped. */
static bool read_lane(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                      uint8_t *bytes, unsigned size)
{
    const uint64_t addr = t->addr[lane];
    if (t->lds >> lane & 1) {
        for (unsigned i = 0; i < size; i++)
            bytes[i] = addr + i < w->group->lds_size ? w->group->lds[addr + i] : 0;
        return true;
    }
    if (t->private >> lane & 1) {
        for (unsigned done = 0; done < size;) {
            const unsigned in = 4 - (addr + done) % 4, part = size - done < in ? size - done : in;
            const uint64_t at = gcn_private_addr(w, lane, addr + done);
            const uint8_t *host = gcn_readable(w->device, at, part);
            if (host)
                memcpy(bytes + done, host, part);
            else if (!gcn_read(w->device, at, bytes + done, part))
                return false;
            done += part;
        }
        return true;
    }
    const uint8_t *host = gcn_readable(w->device, addr, size);
    if (host)
        memcpy(bytes, host, size);
    return host || gcn_read(w->device, addr, bytes, size);
}

static bool may_write(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane, unsigned size)
{
    if (t->lds >> lane & 1)
        return true;
    if (!(t->private >> lane & 1))
        return gcn_writable(w->device, t->addr[lane], size) ||
               gcn_mapped(w->device, t->addr[lane], size, true);
    for (unsigned i = 0; i < size; i++) {
        const uint64_t at = gcn_private_addr(w, lane, t->addr[lane] + i);
        if (!gcn_writable(w->device, at, 1) && !gcn_mapped(w->device, at, 1, true))
            return false;
    }
    return true;
}

/* One store of one size: a thread of the host may look at any moment. */
static void put(uint8_t *host, const uint8_t *bytes, unsigned size)
{
    switch (size) {
    case 1:
        *host = *bytes;
        break;
    case 2:
        memcpy(host, bytes, 2);
        break;
    case 4:
        memcpy(host, bytes, 4);
        break;
    case 8:
        memcpy(host, bytes, 8);
        break;
    default:
        memcpy(host, bytes, size);
    }
}

/* After may_write: fails only without host memory. */
static bool write_lane(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                       const uint8_t *bytes, unsigned size)
{
    const uint64_t addr = t->addr[lane];
    if (t->lds >> lane & 1) {
        for (unsigned i = 0; i < size; i++)
            if (addr + i < w->group->lds_size)
                w->group->lds[addr + i] = bytes[i];
        return true;
    }
    if (t->private >> lane & 1) {
        for (unsigned done = 0; done < size;) {
            const unsigned in = 4 - (addr + done) % 4, part = size - done < in ? size - done : in;
            const uint64_t at = gcn_private_addr(w, lane, addr + done);
            uint8_t *host = gcn_writable(w->device, at, part);
            if (host)
                memcpy(host, bytes + done, part);
            else if (!gcn_write(w->device, at, bytes + done, part))
                return false;
            done += part;
        }
        return true;
    }
    uint8_t *host = gcn_writable(w->device, addr, size);
    if (host)
        put(host, bytes, size);
    return host || gcn_write(w->device, addr, bytes, size);
}

static void issued(struct gcn_wave *w, const struct gcn_targets *t, bool flat)
{
    if (w->vm_cnt < 63)
        w->vm_cnt++;
    if ((flat || t->lds) && w->lgkm_cnt < 15)
        w->lgkm_cnt++;
}

/* Lanes that would be refused, for the report. */
static uint64_t refused(struct gcn_wave *w, const struct gcn_uop *u, struct gcn_targets *t,
                        bool write, uint64_t *first)
{
    uint64_t lanes = 0;
    uint8_t bytes[16];
    for (uint64_t left = t->lanes & ~t->zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (write ? may_write(w, t, lane, u->size) : read_lane(w, t, lane, bytes, u->size))
            continue;
        if (!lanes)
            *first =
                t->private >> lane & 1 ? gcn_private_addr(w, lane, t->addr[lane]) : t->addr[lane];
        lanes |= (uint64_t)1 << lane;
    }
    return lanes;
}

/* What a load of less than a dword leaves in the register. */
static uint32_t extended(const struct gcn_uop *u, uint32_t old, const uint8_t *bytes)
{
    uint32_t value = (uint32_t)wt_load_le(bytes, u->size);
    if (u->extend == 's')
        value = (uint32_t)wt_sign_extend(value, u->size * 8u);
    if (u->half == 'l')
        return (old & 0xffff0000) | (value & 0xffff);
    if (u->half == 'h')
        return (old & 0xffff) | value << 16;
    return value;
}

/* ---- the common case: whole dwords of memory, none across a page's end ---- */

static bool is_plain(const struct gcn_uop *u, const struct gcn_targets *t)
{
    return u->size % 4 == 0 && !(t->lds | t->private | t->zero);
}

/* Whether all lanes access dwords side by side, in one page. */
static bool in_a_row(const struct gcn_targets *t)
{
    const uint64_t first = t->addr[0];
    uint64_t off = ~t->lanes | (t->addr[GCN_LANES - 1] - first - 4 * (GCN_LANES - 1));
    if (off || (first & WT_PAGE_MASK) + 4 * GCN_LANES > WT_PAGE_SIZE ||
        __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return false;
    for (unsigned i = 0; i < GCN_LANES; i++)
        off |= t->addr[i] - first - 4 * i;
    return off == 0;
}

/* False where it must be done another way, maybe fail. */
static inline __attribute__((always_inline)) bool load_dwords(struct gcn_device *d,
                                                              const struct gcn_targets *t,
                                                              uint32_t (*value)[GCN_LANES],
                                                              const unsigned words)
{
    uint64_t page = ~(uint64_t)0;
    const uint8_t *host = NULL;
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t in = t->addr[lane] & WT_PAGE_MASK;
        if (in + 4 * words > WT_PAGE_SIZE)
            return false;
        if (t->addr[lane] - in != page) {
            page = t->addr[lane] - in;
            if (!(host = gcn_readable(d, page, 1)))
                return false;
        }
        for (unsigned i = 0; i < words; i++)
            value[i][lane] = (uint32_t)wt_load_le(host + in + 4 * i, 4);
    }
    return true;
}

static bool load_plain(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                       uint32_t (*value)[GCN_LANES])
{
    const uint8_t *host;
    switch (u->size) {
    case 4:
        if (in_a_row(t) && (host = gcn_readable(w->device, t->addr[0], 4))) {
            memcpy(value[0], host, sizeof value[0]);
            return true;
        }
        return load_dwords(w->device, t, value, 1);
    case 8:
        return load_dwords(w->device, t, value, 2);
    case 12:
        return load_dwords(w->device, t, value, 3);
    default:
        return load_dwords(w->device, t, value, 4);
    }
}

/* False where it must be done another way: then nothing is stored. */
static bool store_plain(struct gcn_wave *w, const struct gcn_uop *u, const struct gcn_targets *t,
                        unsigned from)
{
    uint8_t *host[GCN_LANES], *of_page = NULL;
    uint64_t page = ~(uint64_t)0;
    if (u->size == 4 && in_a_row(t) && (of_page = gcn_writable(w->device, t->addr[0], 4))) {
        memcpy(of_page, w->v[from], sizeof w->v[from]);
        return true;
    }
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t in = t->addr[lane] & WT_PAGE_MASK;
        if (in + u->size > WT_PAGE_SIZE)
            return false;
        if (t->addr[lane] - in != page) {
            page = t->addr[lane] - in;
            if (!(of_page = gcn_writable(w->device, page, 1)))
                return false;
        }
        host[lane] = of_page + in;
    }
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        for (unsigned i = 0; i < u->size / 4u; i++)
            wt_store_le(host[lane] + 4 * i, w->v[from + i][lane], 4);
    }
    return true;
}

const struct gcn_uop *gcn_vmem_load(struct gcn_wave *w, const struct gcn_uop *u,
                                    struct gcn_targets *t)
{
    const unsigned words = (u->size + 3u) / 4;
    if (u->dst + words > w->vgprs)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, t->lanes, 0,
                         "%s: v%u is beyond the wave's %u vector registers", u->row->name,
                         u->dst + words - 1, w->vgprs);
    uint32_t value[4][GCN_LANES];
    const bool done = is_plain(u, t) && load_plain(w, u, t, value);
    for (uint64_t left = done ? 0 : t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t bytes[16] = {0};
        if (!(t->zero >> lane & 1) && !read_lane(w, t, lane, bytes, u->size)) {
            uint64_t first = 0;
            const uint64_t lanes = refused(w, u, t, false, &first);
            return violation(w, u, lanes, first, "load");
        }
        if (u->size < 4) {
            value[0][lane] = extended(u, w->v[u->dst][lane], bytes);
        } else {
            for (unsigned i = 0; i < words; i++)
                value[i][lane] = (uint32_t)wt_load_le(bytes + 4 * i, 4);
        }
    }
    const uint32_t *on = gcn_lanes_on(w, t->lanes);
    for (unsigned i = 0; i < words; i++)
        gcn_blend(w->v[u->dst + i], value[i], on);
    issued(w, t, u->row->encoding == GCN_FLAT);
    return gcn_next(u);
}

const struct gcn_uop *gcn_vmem_store(struct gcn_wave *w, const struct gcn_uop *u,
                                     struct gcn_targets *t)
{
    const unsigned words = (u->size + 3u) / 4, from = u->src[1];
    if (from + words > w->vgprs)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, t->lanes, 0,
                         "%s: v%u is beyond the wave's %u vector registers", u->row->name,
                         from + words - 1, w->vgprs);
    const uint64_t lanes = is_plain(u, t) && store_plain(w, u, t, from) ? 0 : t->lanes & ~t->zero;
    for (uint64_t left = lanes; left; left &= left - 1) {
        if (may_write(w, t, (unsigned)__builtin_ctzll(left), u->size))
            continue;
        uint64_t first = 0;
        const uint64_t bad = refused(w, u, t, true, &first);
        return violation(w, u, bad, first, "store");
    }
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint8_t bytes[16];
        for (unsigned i = 0; i < words; i++)
            wt_store_le(bytes + 4 * i, w->v[from + i][lane], 4);
        if (!write_lane(w, t, lane, bytes + (u->half == 'h' ? 2 : 0), u->size))
            return gcn_fault(w, u, WT_FAULT_HOST, (uint64_t)1 << lane, t->addr[lane],
                             "the host has no memory left for this store");
    }
    issued(w, t, u->row->encoding == GCN_FLAT);
    return gcn_next(u);
}

uint64_t gcn_atomic(enum gcn_atomic what, unsigned size, uint64_t old, uint64_t data,
                    uint64_t compare)
{
    const unsigned bits = size * 8;
    const int64_t x = wt_sign_extend(old, bits), y = wt_sign_extend(data, bits);
    switch (what) {
    case GCN_ATOMIC_SWAP:
        return data;
    case GCN_ATOMIC_CMPSWAP:
        return old == compare ? data : old;
    case GCN_ATOMIC_ADD:
        return old + data;
    case GCN_ATOMIC_SUB:
        return old - data;
    case GCN_ATOMIC_SMIN:
        return x < y ? old : data;
    case GCN_ATOMIC_UMIN:
        return old < data ? old : data;
    case GCN_ATOMIC_SMAX:
        return x > y ? old : data;
    case GCN_ATOMIC_UMAX:
        return old > data ? old : data;
    case GCN_ATOMIC_AND:
        return old & data;
    case GCN_ATOMIC_OR:
        return old | data;
    case GCN_ATOMIC_XOR:
        return old ^ data;
    case GCN_ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    default: /* GCN_ATOMIC_DEC */
        return old == 0 || old > data ? data : old - 1;
    }
}

/* An atomic where threads of the host may do one at the same time; false where it cannot be done
 * so: the memory is the device's own, or holds decoded code. */
static bool shared_atomic(struct gcn_wave *w, const struct gcn_targets *t, unsigned lane,
                          enum gcn_atomic what, unsigned size, uint64_t data, uint64_t compare,
                          uint64_t *old)
{
    if (!w->device->shared || (t->lds | t->private) >> lane & 1)
        return false;
    uint8_t *host = gcn_writable(w->device, t->addr[lane], size);
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

const struct gcn_uop *gcn_vmem_atomic(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t)
{
    const enum gcn_atomic what = (enum gcn_atomic)(u->row->opcode & 0x1f);
    const unsigned words = u->size / 4u, from = u->src[1];
    const unsigned given = what == GCN_ATOMIC_CMPSWAP ? 2 * words : words;
    const uint64_t lanes = t->lanes & ~t->zero;
    uint64_t first = 0;
    if (from + given > w->vgprs || (u->glc && u->dst + words > w->vgprs))
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, t->lanes, 0,
                         "%s uses a register beyond the wave's %u vector registers", u->row->name,
                         w->vgprs);
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (t->addr[lane] % u->size)
            return gcn_fault(w, u, WT_FAULT_MISALIGNED, (uint64_t)1 << lane, t->addr[lane],
                             "%s: 0x%llx is not a multiple of %u", u->row->name,
                             (unsigned long long)t->addr[lane], u->size);
        if (!may_write(w, t, lane, u->size)) {
            const uint64_t bad = refused(w, u, t, true, &first);
            return violation(w, u, bad, first, "atomic");
        }
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
        if (!shared_atomic(w, t, lane, what, u->size, data, compare, &old)) {
            read_lane(w, t, lane, bytes, u->size);
            old = wt_load_le(bytes, u->size);
            wt_store_le(bytes, gcn_atomic(what, u->size, old, data, compare), u->size);
            if (!write_lane(w, t, lane, bytes, u->size))
                return gcn_fault(w, u, WT_FAULT_HOST, (uint64_t)1 << lane, t->addr[lane],
                                 "the host has no memory left for this atomic");
        }
        for (unsigned i = 0; u->glc && i < words; i++)
            w->v[u->dst + i][lane] = (uint32_t)(old >> (32 * i));
    }
    issued(w, t, u->row->encoding == GCN_FLAT);
    return gcn_next(u);
}
