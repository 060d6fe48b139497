/* Buffers: addresses by a resource (V#) in four SGPRs (manual, section 8.1). */
#include "emulator/gcn/exec/row_function.h"
#include "emulator/gcn/memory/vmem.h"
#include "emulator/gcn/watch.h"

#include <string.h>

#define OP(name) const struct gcn_uop *gcn_op_##name(struct gcn_wave *w, const struct gcn_uop *u)

/* The fields of a V# that addressing needs (section 8.1.8). */
struct resource {
    uint64_t base;
    uint32_t stride, records;
    unsigned index_stride;
    bool swizzle, add_tid;
    uint8_t oob; /* which accesses are outside, from gfx10 on; GCN5: they follow from the rest */
};

/* OOB_SELECT (Mesa, radv_make_texel_buffer_descriptor): beyond the records, or the stride, too;
 * the records alone; nothing unless there are no records; beyond the bytes, in a swizzled buffer at
 * the place to which the offset leads. */
enum { OOB_OFFSET, OOB_RECORDS, OOB_NOTHING, OOB_BYTES, OOB_GCN5 };

static struct resource resource_gfx10(const uint32_t *v)
{
    return (struct resource){
        .base = v[0] | (uint64_t)(v[1] & 0xffff) << 32,
        .stride = v[1] >> 16 & 0x3fff,
        .records = v[2],
        .index_stride = 8u << (v[3] >> 21 & 3),
        .swizzle = v[1] >> 31,
        .add_tid = v[3] >> 23 & 1,
        .oob = v[3] >> 28 & 3,
    };
}

static struct resource resource_of(const struct gcn_wave *w, const uint32_t *v)
{
    if (gcn_is_gfx10(gcn_model_of(w->device)))
        return resource_gfx10(v);
    struct resource r = {
        .base = v[0] | (uint64_t)(v[1] & 0xffff) << 32,
        .stride = v[1] >> 16 & 0x3fff,
        .records = v[2],
        .index_stride = 8u << (v[3] >> 21 & 3),
        .swizzle = v[1] >> 31,
        .add_tid = v[3] >> 23 & 1,
        .oob = OOB_GCN5,
    };
    /* With ADD_TID, the format's place holds the stride's upper bits. */
    if (r.add_tid)
        r.stride |= (v[3] >> 15 & 15) << 14;
    return r;
}

/* The first offset that is outside of a linear buffer; the SGPR's offset is subtracted from it. */
static uint64_t end_of(const struct resource *r, uint32_t soffset)
{
    return r->records > soffset ? r->records - soffset : 0;
}

/* The elements of a swizzled buffer have four bytes on GCN5. */
#define ELEMENT 4u

/* The parts of an access that are the same for all lanes. */
struct extent {
    uint64_t base; /* with what the SGPR adds */
    uint64_t end;  /* end of offsets into a linear buffer */
    uint32_t size; /* size of the access */
};

/* Properties of each lane's access, all bits or none: it is outside; it crosses the end of a linear
 * buffer, or goes on in another row of elements of a swizzled one. */
struct manner {
    uint32_t outside[GCN_LANES], crosses[GCN_LANES];
};

/* from[i] + value (from may be NULL), and the lane's number. */
static CLONED sum(uint32_t *to, const uint32_t *from, uint32_t value, bool lane)
{
    const uint32_t one = lane;
    if (from) {
        LANES
            to[i] = from[i] + value + i * one;
    } else {
        LANES
            to[i] = value + i * one;
    }
}

static CLONED resolve_linear(uint64_t *addr, struct manner *m, const struct resource *r,
                             const struct extent *x, const uint32_t *index, const uint32_t *offset)
{
    const uint64_t stride = r->stride, base = x->base, end = x->end, size = x->size;
    LANES {
        const uint64_t at = stride * index[i] + offset[i];
        addr[i] = base + at;
        m->outside[i] = 0 - (uint32_t)(at >= end);
        m->crosses[i] = 0 - (uint32_t)((at < end) & (at + size > end));
    }
}

static CLONED resolve_swizzled(uint64_t *addr, struct manner *m, const struct resource *r,
                               const struct extent *x, const uint32_t *index,
                               const uint32_t *offset)
{
    const uint64_t stride = r->stride, base = x->base, end = x->end;
    const uint32_t mask = r->index_stride - 1, records = r->records, size = x->size;
    const unsigned log = (unsigned)__builtin_ctz(r->index_stride);
    LANES {
        const uint64_t row = stride * (index[i] >> log) + (offset[i] & ~(ELEMENT - 1));
        const uint32_t in = (index[i] & mask) * ELEMENT + (offset[i] & (ELEMENT - 1));
        addr[i] = (row << log) + in;
    }
    if (stride) {
        LANES
            m->outside[i] = 0 - (uint32_t)(index[i] >= records);
    } else {
        LANES
            m->outside[i] = 0 - (uint32_t)(addr[i] >= end);
    }
    LANES
        addr[i] += base;
    LANES
        m->crosses[i] = 0 - (uint32_t)((offset[i] & (ELEMENT - 1)) + size > ELEMENT);
}

/* Which accesses are outside by OOB_SELECT. Bytes of a linear buffer are as on GCN5. */
static void resolve_oob(struct manner *m, const struct resource *r, const struct extent *x,
                        const uint64_t *addr, const uint32_t *index, const uint32_t *offset)
{
    if (r->oob == OOB_BYTES && !r->swizzle)
        return;
    for (unsigned i = 0; i < GCN_LANES; i++) {
        const bool outside = r->oob == OOB_NOTHING ? !r->records
                             : r->oob == OOB_BYTES
                                 ? addr[i] - x->base >= r->records
                                 : index[i] >= r->records || (r->oob == OOB_OFFSET && r->stride &&
                                                              offset[i] >= r->stride);
        m->outside[i] = 0 - (uint32_t)outside;
        m->crosses[i] = r->swizzle ? m->crosses[i] : 0;
    }
}

/*
 * Computes each lane's address. A linear buffer is one row of bytes, and the offset must be below
 * num_records. A swizzled buffer with a stride counts records, and the index must be below
 * num_records.
 */
bool gcn_buffer_resolve(struct gcn_wave *w, const struct gcn_uop *u, unsigned size,
                        struct gcn_targets *t, const struct gcn_uop **next)
{
    const struct resource r = resource_of(w, &w->s[u->base]);
    const uint32_t soffset = gcn_scalar32(w, u, u->soffset);
    const unsigned last = u->src[0] + (u->offen && u->idxen);
    if (w->mode & GCN_MODE_VSKIP) {
        *next = gcn_next(u);
        return false;
    }
    if ((u->offen || u->idxen) && last >= w->vgprs) {
        *next = gcn_no_row(w, u, last);
        return false;
    }
    if (u->tfe && u->row->operands[0] != 'r') {
        *next = gcn_fault(w, u, WT_FAULT_ILLEGAL, gcn_exec(w), 0,
                          "%s with the TFE bit is not executed by this emulator", u->row->name);
        return false;
    }
    const struct extent x = {.base = r.base + soffset, .end = end_of(&r, soffset), .size = size};
    uint32_t index[GCN_LANES], offset[GCN_LANES];
    struct manner m;
    sum(index, u->idxen ? w->v[u->src[0]] : NULL, 0, r.add_tid);
    sum(offset, u->offen ? w->v[last] : NULL, (uint32_t)u->imm, false);
    (r.swizzle ? resolve_swizzled : resolve_linear)(t->addr, &m, &r, &x, index, offset);
    if (r.oob != OOB_GCN5)
        resolve_oob(&m, &r, &x, t->addr, index, offset);
    t->at = u;
    t->lanes = gcn_exec(w);
    t->zero = gcn_pack(m.outside) & t->lanes;
    const uint64_t crosses = gcn_pack(m.crosses) & t->lanes;
    t->split = r.swizzle ? 0 : crosses;
    t->private = r.swizzle ? crosses : 0;
    t->lds = 0;
    t->swizzled = r.swizzle && r.add_tid;
    t->judged = false;
    return true;
}

/*
 * An access of several dwords, each on its own, `row` bytes behind the one before it. Of a linear
 * buffer, only those that begin before `end` are there.
 */
static const struct gcn_uop *by_dwords(struct gcn_wave *w, const struct gcn_uop *u,
                                       struct gcn_targets *t, bool store, uint64_t row,
                                       uint64_t end)
{
    struct gcn_uop part = *u;
    const unsigned words = u->size / 4u;
    uint64_t zero[4];
    part.size = 4;
    /* Nothing is done before it is known that all may be done. */
    for (unsigned i = 0; i < words; i++) {
        zero[i] = t->zero;
        for (uint64_t left = t->lanes & ~zero[i]; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            const uint64_t addr = t->addr[lane] + row * i;
            if (addr >= end)
                zero[i] |= (uint64_t)1 << lane;
            else if (!gcn_mapped(w->device, addr, 4, store))
                return gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, addr,
                                 "%s: no memory is mapped at 0x%llx", u->row->name,
                                 (unsigned long long)addr);
        }
    }
    if (!gcn_has_rows(w, store ? u->src[1] : u->dst, words))
        return gcn_no_row(w, u, (store ? u->src[1] : u->dst) + words - 1);
    t->private = 0;
    const bool judged = t->judged;
    for (unsigned i = 0; i < words; i++) {
        t->judged = judged;
        part.dst = (uint16_t)(u->dst + i);
        part.src[1] = (uint16_t)(u->src[1] + i);
        t->zero = zero[i];
        if (!(store ? gcn_vmem_store : gcn_vmem_load)(w, &part, t))
            return NULL;
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            t->addr[lane] += row;
    }
    return gcn_next(u);
}

/* The address of a byte of an access to a swizzled buffer. */
static uint64_t byte_of_row(uint64_t addr, unsigned byte, uint64_t row)
{
    const unsigned at = addr % ELEMENT + byte;
    return addr - addr % ELEMENT + at / ELEMENT * row + at % ELEMENT;
}

/* The value that a load leaves in a lane's register, of the bytes that it has loaded. */
static uint32_t extended(const struct gcn_uop *u, uint32_t value, uint32_t old)
{
    if (u->half == 'h')
        return (old & 0xffff) | value << 16;
    if (u->half == 'l')
        return (old & 0xffff0000) | value;
    return u->size < 4 && u->extend == 's' ? (uint32_t)wt_sign_extend(value, u->size * 8u) : value;
}

/*
 * A swizzled access that is not aligned to the buffer's elements: byte by byte, each of which may
 * lie in another row. LLVM makes them since version 20, which takes it that the driver has switched
 * them on for private memory (SH_MEM_CONFIG.ALIGNMENT_MODE, unaligned).
 */
static const struct gcn_uop *by_bytes(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t, bool store, uint64_t row)
{
    const unsigned words = (u->size + 3u) / 4, first = store ? u->src[1] : u->dst;
    const bool judged = t->judged;
    uint32_t old[4][GCN_LANES], value[4][GCN_LANES] = {0};
    uint64_t addr[GCN_LANES];
    struct gcn_uop part = *u;
    bool good = true;
    if (!gcn_has_rows(w, first, words))
        return gcn_no_row(w, u, first + words - 1);
    /* Nothing is done before it is known that all may be done. */
    memcpy(addr, t->addr, sizeof addr);
    for (uint64_t left = t->lanes & ~t->zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        for (unsigned byte = 0; byte < u->size; byte++) {
            const uint64_t at = byte_of_row(addr[lane], byte, row);
            if (!gcn_mapped(w->device, at, 1, store))
                return gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, at,
                                 "%s: no memory is mapped at 0x%llx", u->row->name,
                                 (unsigned long long)at);
        }
    }
    part.size = 1;
    part.half = 0;
    part.extend = 0;
    t->private = 0;
    memcpy(old, w->v[first], words * sizeof old[0]);
    for (unsigned byte = 0; byte < u->size && good; byte++) {
        const unsigned word = byte / 4, shift = byte % 4 * 8;
        t->judged = judged;
        for (unsigned lane = 0; lane < GCN_LANES; lane++) {
            t->addr[lane] = byte_of_row(addr[lane], byte, row);
            if (store)
                w->v[first][lane] = old[word][lane] >> (shift + (u->half == 'h' ? 16 : 0));
        }
        good = (store ? gcn_vmem_store : gcn_vmem_load)(w, &part, t) != NULL;
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            value[word][lane] |= (w->v[first][lane] & 0xff) << shift;
    }
    memcpy(w->v[first], old, words * sizeof old[0]);
    for (unsigned i = 0; i < words && good && !store; i++)
        for (uint64_t left = t->lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            w->v[first + i][lane] = extended(u, value[i][lane], old[i][lane]);
        }
    return good ? gcn_next(u) : NULL;
}

/* A swizzled access of several elements, each of which lies in another row of the buffer. */
static const struct gcn_uop *by_elements(struct gcn_wave *w, const struct gcn_uop *u,
                                         struct gcn_targets *t, bool store)
{
    const uint64_t row = (uint64_t)ELEMENT * resource_of(w, &w->s[u->base]).index_stride;
    bool aligned = u->size % 4 == 0 && !(t->lanes & ~t->zero & ~t->private);
    gcn_judge(w, u, t, store ? WT_WATCH_WRITE : WT_WATCH_READ, u->size);
    for (uint64_t left = t->lanes & ~t->zero; left && aligned; left &= left - 1)
        aligned = t->addr[__builtin_ctzll(left)] % ELEMENT == 0;
    return aligned ? by_dwords(w, u, t, store, row, UINT64_MAX) : by_bytes(w, u, t, store, row);
}

static const struct gcn_uop *access(struct gcn_wave *w, const struct gcn_uop *u,
                                    struct gcn_targets *t, bool store)
{
    if (t->private)
        return by_elements(w, u, t, store);
    if (t->split && u->size > 4) {
        const struct resource r = resource_of(w, &w->s[u->base]);
        const uint32_t soffset = gcn_scalar32(w, u, u->soffset);
        return by_dwords(w, u, t, store, 4, r.base + soffset + end_of(&r, soffset));
    }
    return (store ? gcn_vmem_store : gcn_vmem_load)(w, u, t);
}

/* LDS = 1: the data go to LDS at M0[15:0], plus the offset, plus 4 for each lane (section 8.1.9).
 */
const struct gcn_uop *gcn_load_to_lds(struct gcn_wave *w, const struct gcn_uop *u,
                                      struct gcn_targets *t)
{
    struct gcn_group *g = w->group;
    struct gcn_targets to = {.lanes = t->lanes, .lds = t->lanes};
    uint8_t bytes[GCN_LANES][4];
    for (unsigned lane = 0; lane < GCN_LANES; lane++)
        to.addr[lane] = (w->s[GCN_M0] & 0xffff) + (uint32_t)u->imm + 4 * lane;
    if (u->size > 4 || t->private)
        return gcn_fault(w, u, WT_FAULT_ILLEGAL, t->lanes, 0,
                         "%s with the LDS bit is not executed by this emulator", u->row->name);
    gcn_judge(w, u, t, WT_WATCH_READ, u->size);
    gcn_judge(w, u, &to, WT_WATCH_WRITE, 4);
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        memset(bytes[lane], 0, 4);
        if (!(t->zero >> lane & 1) && !gcn_read(w->device, t->addr[lane], bytes[lane], u->size))
            return gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, t->addr[lane],
                             "%s: no memory is mapped at 0x%llx", u->row->name,
                             (unsigned long long)t->addr[lane]);
        if (u->extend == 's')
            wt_store_le(bytes[lane],
                        (uint64_t)wt_sign_extend(wt_load_le(bytes[lane], u->size), u->size * 8u),
                        4);
    }
    for (uint64_t left = t->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t at = to.addr[lane];
        if (gcn_watching(w->device) && !(t->zero >> lane & 1))
            gcn_watch_access(w, u, WT_WATCH_READ, lane, t->addr[lane], u->size, bytes[lane],
                             bytes[lane]);
        if (at + 4 > g->local_size || to.zero >> lane & 1)
            continue;
        if (gcn_watching(w->device))
            gcn_watch_access(w, u, WT_WATCH_WRITE, lane, GCN_SHARED_APERTURE + at, 4, g->local + at,
                             bytes[lane]);
        memcpy(g->local + at, bytes[lane], 4);
    }
    gcn_count_vmem(w, false);
    return gcn_next(u);
}

OP(buffer_load)
{
    struct gcn_targets t;
    const struct gcn_uop *next;
    if (!gcn_buffer_resolve(w, u, u->size, &t, &next))
        return next;
    if (u->lds)
        return gcn_load_to_lds(w, u, &t);
    /* TFE: a register behind the data tells what failed, which is nothing: resources are resident.
     */
    const unsigned status = u->dst + (u->size + 3u) / 4;
    if (u->tfe && !gcn_has_row(w, status))
        return gcn_no_row(w, u, status);
    const uint64_t lanes = t.lanes;
    next = access(w, u, &t, false);
    for (uint64_t left = next && u->tfe ? lanes : 0; left; left &= left - 1)
        w->v[status][__builtin_ctzll(left)] = 0;
    return next;
}

static void watch_store_lds(struct gcn_wave *w, const struct gcn_uop *u, unsigned lane,
                            uint32_t from, uint64_t to, const uint8_t *bytes)
{
    uint8_t before[4];
    if ((uint64_t)from + 4 <= w->group->local_size)
        gcn_watch_access(w, u, WT_WATCH_READ, lane, GCN_SHARED_APERTURE + from, 4, bytes, bytes);
    if (gcn_read(w->device, to, before, 4))
        gcn_watch_access(w, u, WT_WATCH_WRITE, lane, to, 4, before, bytes);
}

/* From LDS, at the places that loads with LDS = 1 fill, to memory. */
OP(buffer_store_lds)
{
    const struct gcn_group *g = w->group;
    struct gcn_targets t;
    const struct gcn_uop *next;
    if (!gcn_buffer_resolve(w, u, u->size, &t, &next))
        return next;
    gcn_judge(w, u, &t, WT_WATCH_WRITE, 4);
    for (uint64_t left = t.lanes & ~t.zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if ((t.private >> lane & 1) || !gcn_mapped(w->device, t.addr[lane], 4, true))
            return gcn_fault(w, u, WT_FAULT_ACCESS, (uint64_t)1 << lane, t.addr[lane],
                             "%s: no memory is mapped for writing at 0x%llx", u->row->name,
                             (unsigned long long)t.addr[lane]);
    }
    for (uint64_t left = t.lanes & ~t.zero; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t at = (w->s[GCN_M0] & 0xffff) + (uint32_t)u->imm + 4 * lane;
        uint8_t bytes[4] = {0};
        if ((uint64_t)at + 4 <= g->local_size)
            memcpy(bytes, g->local + at, 4);
        if (gcn_watching(w->device))
            watch_store_lds(w, u, lane, at, t.addr[lane], bytes);
        if (!gcn_write(w->device, t.addr[lane], bytes, 4))
            return gcn_no_memory(w, u, (uint64_t)1 << lane, t.addr[lane]);
    }
    gcn_count_vmem(w, true);
    return gcn_next(u);
}

OP(buffer_store)
{
    struct gcn_targets t;
    const struct gcn_uop *next;
    if (!gcn_buffer_resolve(w, u, u->size, &t, &next))
        return next;
    return access(w, u, &t, true);
}

OP(buffer_atomic)
{
    struct gcn_targets t;
    const struct gcn_uop *next;
    if (!gcn_buffer_resolve(w, u, u->size, &t, &next))
        return next;
    t.zero |= t.split;
    if (t.private)
        return gcn_fault(w, u, WT_FAULT_ACCESS, t.lanes, 0,
                         "%s: an atomic over several elements of a swizzled buffer", u->row->name);
    return gcn_vmem_atomic(w, u, &t);
}

/* Among whom a model's caches are written back or forget: all, where it has no bits for it. */
static enum wt_observed_scope scope_of(const struct gcn_wave *w, const struct gcn_uop *u)
{
    return gcn_model_of(w->device)->scoped_caches ? gcn_scope_of(u) : WT_AMONG_SYSTEM;
}

/* Caches are coherent here. */
#define CACHE(name, order, scope)                                                                  \
    OP(name)                                                                                       \
    {                                                                                              \
        wt_wave_tell_fence(&w->device->machine, &w->head, gcn_pc_of(w, u), gcn_exec(w), order,     \
                           scope);                                                                 \
        return gcn_next(u);                                                                        \
    }
CACHE(buffer_wbinv, WT_ORDER_ACQUIRE, WT_AMONG_DEVICE)
CACHE(buffer_invl2, WT_ORDER_ACQUIRE, WT_AMONG_SYSTEM)
CACHE(buffer_wbl2, WT_ORDER_RELEASE, scope_of(w, u))
CACHE(buffer_inv, WT_ORDER_ACQUIRE, scope_of(w, u))
